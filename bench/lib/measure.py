"""What the kernel says of a process and of the machine."""

import os
import subprocess
import tempfile
import threading
import time

TICKS = os.sysconf("SC_CLK_TCK")


class Ended:
    """A process that ended: its output and what it took.

    CPU times are in seconds, memory in MiB; `system` is the part of `own` that the kernel took.
    """

    def __init__(self, status, out, err, wall, cpu, peak):
        self.status = status
        self.out = out
        self.err = err
        self.wall = wall
        user, self.system, self.children = cpu
        self.own = user + self.system
        self.peak = peak


def cpu_of(pid):
    """Returns a process's user and system seconds and those of the children it waited for, from /proc/<pid>/stat."""
    with open(f"/proc/{pid}/stat") as file:
        # The second field is a name in parentheses, which may hold anything.
        fields = file.read().rpartition(")")[2].split()
    user, system, of_children, of_children_system = (int(field) / TICKS for field in fields[11:15])
    return user, system, of_children + of_children_system


def peak_of(pid):
    """Returns the most memory a process has held so far, in MiB; 0 once it has ended."""
    try:
        with open(f"/proc/{pid}/status") as file:
            for line in file:
                if line.startswith("VmHWM:"):
                    return int(line.split()[1]) / 1024
    except OSError:
        pass
    return 0.0


def run(command, env, cwd, every=0.02):
    """Runs a program to its end and measures it, its children apart.

    Its times are read while it is a zombie, so that they are whole; its peak is sampled, since a zombie has no memory.
    """
    begun = time.perf_counter()
    process = subprocess.Popen(command, env=env, cwd=cwd, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    texts = {}
    readers = [
        threading.Thread(target=lambda name=name, pipe=pipe: texts.__setitem__(name, pipe.read()))
        for name, pipe in (("out", process.stdout), ("err", process.stderr))
    ]
    for reader in readers:
        reader.start()
    peak = 0.0
    while os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT | os.WNOHANG) is None:
        peak = max(peak, peak_of(process.pid))
        time.sleep(every)
    wall = time.perf_counter() - begun
    cpu = cpu_of(process.pid)
    status = process.wait()
    for reader in readers:
        reader.join()
    return Ended(status, texts["out"].decode(), texts["err"].decode(), wall, cpu, peak)


def wall_of(command, env):
    """Returns the wall seconds of a short program, from its start to its end."""
    begun = time.perf_counter()
    subprocess.run(command, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
    return time.perf_counter() - begun


class Machine:
    """How busy the machine is over a stretch of time."""

    def __init__(self):
        self.begun = time.perf_counter()
        self.jiffies = self.read()

    @staticmethod
    def read():
        with open("/proc/stat") as file:
            user, nice, system, idle, iowait, irq, softirq, steal = map(int, file.readline().split()[1:9])
        return user + nice + system + irq + softirq, idle + iowait, steal

    def since(self, ours):
        """Returns the shares of all CPU time that we, others and the host (steal) took; `ours` in CPU seconds."""
        busy, idle, steal = (now - then for now, then in zip(self.read(), self.jiffies))
        total = max(busy + idle + steal, 1)
        mine = min(ours * TICKS, busy)
        return {"ours": mine / total, "others": (busy - mine) / total, "steal": steal / total}


def spin():
    """Runs a fixed amount of work and returns its CPU and wall milliseconds.

    CPU time tells how fast a core is just now, wall over CPU how long one waits for it.
    """
    wall, cpu = time.perf_counter(), time.process_time()
    total = 0
    for number in range(3_000_000):
        total += number * number
    assert total
    return {"cpu_ms": (time.process_time() - cpu) * 1000, "wall_ms": (time.perf_counter() - wall) * 1000}


def save(folder, count=500):
    """Returns the system microseconds of saving a file in a folder of its own: mkdir, create, write, rename.

    A run does that four times a trial. On ext4 it costs many times more for minutes after someone removed many files,
    since the inodes of removed files are passed over one by one.
    """
    folder = tempfile.mkdtemp(prefix="save-", dir=folder)
    begun = os.times().system
    for number in range(count):
        own = os.path.join(folder, str(number))
        os.mkdir(own)
        with open(os.path.join(own, ".tmp"), "wb") as file:
            file.write(b"{}\n" * 100)
        os.rename(os.path.join(own, ".tmp"), os.path.join(own, "0.json"))
    return (os.times().system - begun) / count * 1e6


def load():
    """Returns the load averages of 1, 5 and 15 minutes."""
    return [round(value, 2) for value in os.getloadavg()]
