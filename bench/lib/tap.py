"""Stands between mst and a stdio server, passes every line on, and notes when which message passed.

Run as `tap.py LOG command args…` in place of the server.
"""

import json
import subprocess
import sys
import threading
import time


def listed_by_called(log):
    """Returns when the server process that got a tools/call had answered tools/list, in seconds."""
    with open(log) as file:
        notes = [json.loads(line) for line in file]
    called = {note["pid"] for note in notes if note["what"] == "call"}
    return min(note["at"] for note in notes if note["what"] == "list" and note["pid"] in called)


def copy(source, target, log, what, mark, pid):
    for line in source:
        # Noted before it is passed on: the other side acts on it at once.
        if mark in line:
            log.write(json.dumps({"pid": pid, "what": what, "at": time.time()}) + "\n")
            log.flush()
        target.write(line)
        target.flush()
    target.close()


def main():
    log = open(sys.argv[1], "a")
    child = subprocess.Popen(sys.argv[2:], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    there = threading.Thread(target=copy, args=(sys.stdin.buffer, child.stdin, log, "call", b'"tools/call"', child.pid))
    there.daemon = True
    there.start()
    copy(child.stdout, sys.stdout.buffer, log, "list", b'"tools":[', child.pid)
    return child.wait()


if __name__ == "__main__":
    sys.exit(main())
