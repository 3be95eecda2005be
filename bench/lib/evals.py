"""An eval against the fake provider, run by `mst` as a process that may be killed at any time."""

import json
import os
import signal
import subprocess
import time

import scenario


def ended_well(status):
    """Returns whether a run went to its end: 0 all passed, 1 a case failed, 3 and 6 a case is incomplete."""
    return status in (0, 1, 3, 4, 6)


class Eval:
    """A folder with an eval config, a dataset and an output directory."""

    def __init__(self, programs, folder, asked):
        self.programs = programs
        self.folder = folder
        self.asked = asked
        self.dataset_bytes = scenario.write_eval(folder, programs, asked)

    @property
    def runs(self):
        runs = os.path.join(self.folder, "out", "runs")
        return [os.path.join(runs, name) for name in sorted(os.listdir(runs))] if os.path.isdir(runs) else []

    def start(self, provider, *more):
        """Starts `mst run`; its servers are in process groups of their own."""
        command = [self.programs.mst, "run", "--config", "eval.json", "--output-dir", "out", "--json", "--quiet", *more]
        self.err = open(os.path.join(self.folder, "stderr.txt"), "wb")
        return subprocess.Popen(command, cwd=self.folder, env=scenario.environment(self.folder, provider),
                                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=self.err)

    def said(self):
        with open(os.path.join(self.folder, "stderr.txt"), errors="replace") as file:
            return file.read()


def kill(process):
    process.send_signal(signal.SIGKILL)
    process.wait()


def children(pid):
    """Returns the children of a process."""
    found = []
    try:
        for task in os.listdir(f"/proc/{pid}/task"):
            with open(f"/proc/{pid}/task/{task}/children") as file:
                found += [int(child) for child in file.read().split()]
    except OSError:
        pass
    return found


def read(path):
    with open(path, "rb") as file:
        return json.load(file)


def trials(run):
    """Returns every saved trial's path by (variant, case, trial), and fails on a file that is no whole JSON."""
    found = {}
    for folder, _, names in os.walk(os.path.join(run, "transcripts")):
        for name in names:
            if not name.startswith("."):
                path = os.path.join(folder, name)
                record = read(path)
                found[record["variant"], record["caseId"], record["trial"]] = (path, record["ending"])
    return found


def temporary(run):
    """Returns files that a killed writer left."""
    return [os.path.join(folder, name) for folder, _, names in os.walk(run) for name in names if name.startswith(".tmp-")]


def wait_until_over(process, seconds):
    """Waits for a process for so long; returns whether it ended."""
    try:
        process.wait(seconds)
        return True
    except subprocess.TimeoutExpired:
        return False


def now_ms():
    return time.time() * 1000
