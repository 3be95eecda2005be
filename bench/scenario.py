"""One run of `mst run` against a fake provider, and what it took."""

import json
import os
import signal
import subprocess
import tempfile
import urllib.request

import measure

# What each server's echo tool calls its argument.
ARGUMENT = {"everything": "message", "fake": "text"}


class Programs:
    """The programs that take part."""

    def __init__(self, mst, fake, everything):
        self.mst = mst
        self.fake = fake
        self.everything = everything

    def server(self, name):
        if name == "everything":
            return {"command": self.everything, "args": ["stdio"]}
        return {"command": self.fake, "args": ["mcp"]}


class Provider:
    """The fake provider as a process of its own."""

    def __init__(self, programs, latency_ms):
        command = [programs.fake, "provider", "--latency-ms", str(latency_ms), "--stay"]
        self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
        self.address = json.loads(self.process.stdout.readline())

    def stats(self):
        with urllib.request.urlopen(self.address["url"] + "/__stats", timeout=10) as answer:
            return json.load(answer)

    def __enter__(self):
        return self

    def __exit__(self, *_error):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait()
        self.process.stdout.close()


def write_eval(folder, programs, server, session, cases, concurrency):
    """Writes an eval of echo calls, one a case, each with a text of its own."""
    texts = [(f"echo-{number}", f"parcel{number}") for number in range(cases)]
    dataset = {
        "name": "echoes",
        "cases": [
            {
                "id": name,
                "input": f'Use echo to repeat "{text}".',
                "assertions": {
                    "toolsTriggered": {"calls": [{"name": "echo"}]},
                    "toolCallCount": {"exact": 1},
                    "containsText": "The tool says",
                },
            }
            for name, text in texts
        ],
    }
    entry = {"transport": "stdio", "quiet": True, **programs.server(server)}
    if session == "shared":
        entry["session"] = "shared"
    config = {
        "name": "spine",
        "datasets": ["cases.json"],
        "servers": {server: entry},
        "writes": {server: "unguarded"},
        "client": "api",
        "provider": "anthropic",
        "model": "claude-sonnet-4-5",
        "concurrency": concurrency,
        "redactStoredResponses": False,
    }
    for name, value in (("cases.json", dataset), ("eval.json", config)):
        with open(os.path.join(folder, name), "w") as file:
            json.dump(value, file)


def check_written(folder, cases):
    """Fails unless the run directory holds every trial, passed, and nothing temporary."""
    names = os.listdir(os.path.join(folder, "runs"))
    assert len(names) == 1, f"one run was expected, not {names}"
    root = os.path.join(folder, "runs", names[0])
    with open(os.path.join(root, "results.json")) as file:
        results = json.load(file)["cases"]
    passed = sum(case.get("pass") is True for case in results)
    assert passed == len(results) == cases, f"{passed} of {len(results)} cases passed, {cases} were asked for"
    files = [name for _, _, found in os.walk(root) for name in found]
    assert not [name for name in files if name.startswith(".tmp-")], "a temporary file is left"
    return len(files)


def measure_run(programs, options, server, session, cases):
    """Runs one scenario and returns its figures."""
    folder = tempfile.mkdtemp(prefix="run-", dir=options.work)
    write_eval(folder, programs, server, session, cases, options.concurrency)
    with Provider(programs, options.latency_ms) as provider:
        env = {
            "PATH": os.environ["PATH"],
            "HOME": folder,
            "ANTHROPIC_BASE_URL": provider.address["anthropic"],
            "ANTHROPIC_API_KEY": "bench-key-of-no-worth",
        }
        command = [programs.mst, "run", "--config", "eval.json", "--output-dir", "out", "--json", "--quiet"]
        machine = measure.Machine()
        ended = measure.run(command, env, folder)
        stats = provider.stats()
        ours = ended.own + ended.children + (stats.get("cpu_us") or 0) / 1e6
        busy = machine.since(ours)
    if ended.status != 0:
        raise SystemExit(f"mst ended with {ended.status}:\n{ended.err}")
    files = check_written(os.path.join(folder, "out"), cases)
    return figures(options, ended, stats) | {
        "server": server, "session": session, "cases": cases, "files": files, "machine": busy, "load": measure.load()[0],
    }


def figures(options, ended, stats):
    """Puts together what the kernel and the provider counted."""
    span = (stats["last_us"] - stats["first_us"]) / 1e6
    ideal = stats["requests"] * options.latency_ms / 1000 / options.concurrency
    return {
        "wall_s": ended.wall,
        "own_cpu_s": ended.own,
        "own_system_s": ended.system,
        "servers_cpu_s": ended.children,
        "peak_mib": ended.peak,
        "provider": {
            "requests": stats["requests"],
            "span_s": span,
            "busy_per_slot_s": ideal,
            "span_over_busy": span / ideal if ideal else None,
            "most_in_flight": stats["most_in_flight"],
            "cpu_s": (stats.get("cpu_us") or 0) / 1e6,
        },
    }
