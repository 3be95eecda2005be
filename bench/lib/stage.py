"""What every benchmark script does: build, go where no network is, measure, and say how busy the machine was."""

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile

import measure

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
SERVER_PACKAGE = "@modelcontextprotocol/server-everything@2026.8.31"
# From this on, in microseconds of system time a file, the file system is busy with something else than our files.
SLOW_SAVE = 100


def run(description, measured, add=lambda parser: None, everything=True):
    """Runs a script: `measured(options, programs)` returns what `--json` writes; `add` declares further options."""
    options = arguments(description, add)
    if not options.inside:
        return prepare(options, everything)
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
    os.makedirs(options.work, exist_ok=True)
    # Removed at the very end: see measure.save.
    options.work = tempfile.mkdtemp(prefix="bench-", dir=options.work)
    try:
        report = {"before": noise("before", options.work)}
        report |= measured(options, Programs(options))
        report["after"] = noise("after", options.work)
    finally:
        if not options.keep:
            shutil.rmtree(options.work, ignore_errors=True)
    if options.json:
        with open(options.json, "w") as file:
            json.dump(report, file, indent=2)


def arguments(description, add):
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--servers", default=os.path.join(ROOT, "target", "ci", "npm"), help="npm prefix with server-everything; installed there when absent")
    parser.add_argument("--json", metavar="FILE", help="write every figure here")
    parser.add_argument("--work", metavar="DIR", help="where runs are written; the target folder when absent")
    parser.add_argument("--keep", action="store_true", help="keep the run directories")
    parser.add_argument("--no-build", action="store_true", help="measure the release programs as they are")
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    add(parser)
    options = parser.parse_args()
    options.target = os.path.abspath(os.environ.get("CARGO_TARGET_DIR", os.path.join(ROOT, "target")))
    options.work = os.path.abspath(options.work or options.target)
    return options


def prepare(options, everything):
    """Does what needs a network, then starts the script again where there is none but loopback."""
    if not options.no_build:
        # Apart: built together, mst would get the features that only the fakes ask for.
        for package in ("mst-testkit", "yardsticks", "gradable", "mst"):
            subprocess.run(["cargo", "build", "--release", "-p", package, "--bins"], cwd=ROOT, check=True)
    if everything and everything_of(options) is None:
        install = ["npm", "install", "--silent", "--no-audit", "--no-fund", "--prefix", options.servers, SERVER_PACKAGE]
        subprocess.run(install, check=True)
    os.execvp("unshare", ["unshare", "--net", sys.executable, os.path.realpath(sys.argv[0]), "--inside", *sys.argv[1:]])


def everything_of(options):
    path = os.path.join(os.path.abspath(options.servers), "node_modules", ".bin", "mcp-server-everything")
    return path if os.access(path, os.X_OK) else None


class Programs:
    """The programs that take part."""

    def __init__(self, options):
        self.folder = os.path.join(options.target, "release")
        self.mst = self.path("mst")
        self.fake = self.path("mst-fake")
        self.everything = everything_of(options)

    def path(self, name):
        return os.path.join(self.folder, name)

    def server(self, name):
        """Returns the command of a server with an echo tool."""
        if name == "everything":
            return {"command": self.everything, "args": ["stdio"]}
        return {"command": self.fake, "args": ["mcp"]}


def noise(when, folder):
    """Prints and returns how busy the machine is."""
    spins = [measure.spin() for _ in range(5)]
    cpu = statistics.median(one["cpu_ms"] for one in spins)
    wall = statistics.median(one["wall_ms"] for one in spins)
    save = measure.save(folder)
    print(f"machine {when}: {os.cpu_count()} CPUs, load {measure.load()}, "
          f"a fixed loop takes {cpu:.0f} ms of CPU and {wall / cpu:.2f} times that to finish, "
          f"saving a file in a new folder takes {save:.0f} µs of system time", flush=True)
    if save > SLOW_SAVE:
        print("  this file system passes over many removed files just now: the kernel's part below is not a run's own; "
              "wait some minutes, or use another with --work", flush=True)
    return {"load": measure.load(), "spin_cpu_ms": cpu, "spin_wall_over_cpu": wall / cpu, "save_us": save}


def verdict(value, most):
    """Says whether a figure is as wanted."""
    return f"at most {most:g} wanted: " + ("yes" if value <= most else "NO")
