"""Checks the action and the workflows of docs/ci.md: against their readers' schemas, and against what mst takes.

Arguments: the repository's folder, and the program check-jsonschema, which brings the schemas of GitHub and GitLab.
"""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

import yaml

root, checker = Path(sys.argv[1]), sys.argv[2]


def valid(schema, path):
    done = subprocess.run([checker, "--builtin-schema", schema, str(path)], capture_output=True, text=True)
    assert done.returncode == 0, f"{path}: {done.stdout}{done.stderr}"


def flags(text):
    return set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", text))


action = root / "action/action.yml"
valid("vendor.github-actions", action)
parsed = yaml.safe_load(action.read_text())
for name, value in {**parsed["inputs"], **parsed["outputs"]}.items():
    assert value["description"].strip(), f"{name} has no description"
steps = parsed["runs"]["steps"]
for step in steps:
    assert "uses" not in step, "the action uses no other action"
    assert "${{" not in step["run"], "an input in a script could end a word of it"
    shell = subprocess.run(["bash", "-n"], input=step["run"], capture_output=True, text=True)
    assert shell.returncode == 0, shell.stderr

blocks = re.findall(r"```yaml\n(.*?)```", (root / "docs/ci.md").read_text(), re.S)
github, gitlab = blocks
with tempfile.TemporaryDirectory() as folder:
    for name, text, schema in [("g.yml", github, "vendor.github-workflows"), ("l.yml", gitlab, "vendor.gitlab-ci")]:
        path = Path(folder) / name
        path.write_text(text)
        valid(schema, path)

workflow = yaml.safe_load(github)
[step] = [step for step in workflow["jobs"]["eval"]["steps"] if step["uses"] == "./action"]
unknown = set(step["with"]) - set(parsed["inputs"])
assert not unknown, f"the action has no input {unknown}"
job = yaml.safe_load(gitlab)["eval"]
assert job["artifacts"]["reports"]["junit"] == "junit.xml" and job["artifacts"]["when"] == "always"
assert any("--junit junit.xml" in line for line in job["script"])

reference = (root / "docs/cli.md").read_text()
told = flags((root / "docs/ci.md").read_text()) | flags(steps[1]["run"])
missing = {flag for flag in told if not re.search(rf"{flag}(?![\w-])", reference)} - {"--locked", "--path"}
assert not missing, f"mst has no {missing}"
print("action, workflow and job: ok")
