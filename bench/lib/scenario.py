"""One run of `mst run` against a fake provider, and what it took."""

import json
import os
import signal
import subprocess
import tempfile
import time
import urllib.request

import measure

# What each server's echo tool calls its argument.
ARGUMENT = {"everything": "message", "fake": "text"}


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


class Scenario:
    """What is run: `cases` echo calls, each `trials` times, `concurrency` at once."""

    def __init__(self, server, session, cases, concurrency, latency_ms=50, trials=1, entry=None):
        self.server = server
        self.session = session
        self.cases = cases
        self.concurrency = concurrency
        self.latency_ms = latency_ms
        self.trials = trials
        # The server's command and arguments, when they are not the server's own.
        self.entry = entry


def write_eval(folder, programs, scenario):
    """Writes the eval config and its dataset, each case with a text of its own; returns the dataset's bytes."""
    server, cases = scenario.server, scenario.cases
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
    entry = {"transport": "stdio", "quiet": True, **(scenario.entry or programs.server(server))}
    if scenario.session == "shared":
        entry["session"] = "shared"
    config = {
        "name": "spine",
        "datasets": ["cases.json"],
        "servers": {server: entry},
        "writes": {server: "unguarded"},
        "client": "api",
        "provider": "anthropic",
        "model": "claude-sonnet-4-5",
        "concurrency": scenario.concurrency,
        "trials": scenario.trials,
        "redactStoredResponses": False,
    }
    for name, value in (("cases.json", dataset), ("eval.json", config)):
        with open(os.path.join(folder, name), "w") as file:
            json.dump(value, file)
    return os.path.getsize(os.path.join(folder, "cases.json"))


def check_written(folder, scenario):
    """Fails unless the run directory holds every trial, passed, and nothing temporary; returns its path and files."""
    names = os.listdir(os.path.join(folder, "runs"))
    assert len(names) == 1, f"one run was expected, not {names}"
    root = os.path.join(folder, "runs", names[0])
    with open(os.path.join(root, "summary.json")) as file:
        metrics = json.load(file)["metrics"]
    assert metrics["passed"] == metrics["total"] == scenario.cases, f"{metrics['passed']} of {scenario.cases} cases passed"
    files = [name for _, _, found in os.walk(root) for name in found]
    assert not [name for name in files if name.startswith(".tmp-")], "a temporary file is left"
    # Three assertions a trial and its transcript.
    assert len(files) >= 4 * scenario.cases * scenario.trials, f"the run has only {len(files)} files"
    return root, len(files)


def environment(folder, provider):
    return {
        "PATH": os.environ["PATH"],
        "HOME": folder,
        "ANTHROPIC_BASE_URL": provider.address["anthropic"],
        "ANTHROPIC_API_KEY": "bench-key-of-no-worth",
    }


def measure_run(programs, options, scenario):
    """Runs one scenario and returns its figures."""
    folder = tempfile.mkdtemp(prefix="run-", dir=options.work)
    dataset_bytes = write_eval(folder, programs, scenario)
    with Provider(programs, scenario.latency_ms) as provider:
        command = [programs.mst, "run", "--config", "eval.json", "--output-dir", "out", "--json", "--quiet"]
        machine = measure.Machine()
        ended = measure.run(command, environment(folder, provider), folder)
        asked = time.time()
        stats = provider.stats()
        ours = ended.own + ended.children + (stats.get("cpu_us") or 0) / 1e6
        busy = machine.since(ours)
    if ended.status != 0:
        raise SystemExit(f"mst ended with {ended.status}:\n{ended.err}")
    root, files = check_written(os.path.join(folder, "out"), scenario)
    return {
        "server": scenario.server, "session": scenario.session, "cases": scenario.cases, "trials": scenario.trials,
        "files": files, "root": root, "dataset_bytes": dataset_bytes, "machine": busy, "load": measure.load()[0],
        "wall_s": ended.wall, "own_cpu_s": ended.own, "own_system_s": ended.system, "servers_cpu_s": ended.children,
        "peak_mib": ended.peak, "provider": of_provider(stats, scenario, asked),
    }


def of_provider(stats, scenario, asked):
    """Puts together what the provider counted; `asked` is the time at which it was asked, in seconds."""
    span = (stats["last_us"] - stats["first_us"]) / 1e6
    ideal = stats["requests"] * scenario.latency_ms / 1000 / scenario.concurrency
    return {
        "requests": stats["requests"],
        "span_s": span,
        "busy_per_slot_s": ideal,
        "span_over_busy": span / ideal if ideal else None,
        "most_in_flight": stats["most_in_flight"],
        "cpu_s": (stats.get("cpu_us") or 0) / 1e6,
        "own_busy_ratio": stats["busy_ratio"],
        "first_at": asked - (stats["uptime_us"] - stats["first_us"]) / 1e6,
    }
