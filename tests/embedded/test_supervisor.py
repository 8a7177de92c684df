import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from accounting.embedded.children import Child
from accounting.embedded.supervisor import Supervisor

SLEEP = "import time; print('up', flush=True); time.sleep(600)"
DIE_ONCE = """
import pathlib, sys, time
mark = pathlib.Path(sys.argv[1])
if not mark.exists():
    mark.touch()
    sys.exit("first")
print("second", flush=True)
time.sleep(600)
"""
STUBBORN = "import signal, time; signal.signal(15, signal.SIG_IGN); print('up', flush=True); time.sleep(600)"
WITH_GRANDCHILD = """
import subprocess, sys
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
print(child.pid, flush=True)
child.wait()
"""


def child(name: str, program: str, *arguments: str, patience_s: float = 10) -> Child:
    command = (sys.executable, "-c", program, *arguments)
    return Child(name=name, command=command, patience_s=patience_s)


def run_until(said: str, *children: Child, times: int = 1) -> list[str]:
    """The lines of a supervisor that gets SIGTERM once a line with this text has come."""
    lines = []

    def stop_when_said():
        if sum(said in line for line in lines) >= times:
            os.kill(os.getpid(), signal.SIGTERM)
        assert time.monotonic() < limit

    limit = time.monotonic() + 30
    Supervisor(children, write=lines.append).run(stop_when_said)
    return lines


def test_lines_come_with_the_name_of_their_child():
    lines = run_until("up", child("web", SLEEP), child("worker", SLEEP), times=2)
    assert sorted(lines) == ["web    | up", "worker | up"]


def test_a_child_that_dies_is_started_again_after_a_second(tmp_path):
    began = time.monotonic()
    lines = run_until("second", child("web", DIE_ONCE, str(tmp_path / "mark")))
    assert lines == [
        "web | first",
        "web | ended with exit code 1; starting it again in 1 s",
        "web | second",
    ]
    assert time.monotonic() - began > 1


def test_children_stop_in_their_order():
    program = "import signal, sys, time; signal.signal(15, lambda *_: (print('bye'), sys.exit())); print('up', flush=True); time.sleep(600)"
    names = ("beat", "web", "worker")
    lines = run_until("up", *(child(name, program) for name in names), times=3)
    assert lines[-3:] == ["beat   | bye", "web    | bye", "worker | bye"]


def test_a_child_that_does_not_end_when_asked_is_killed():
    began = time.monotonic()
    lines = run_until("up", child("web", STUBBORN, patience_s=0.5))
    assert lines[-1] == "web | did not end when asked; it is killed"
    assert time.monotonic() - began < 10


def test_what_a_child_started_ends_with_it():
    lines = run_until("|", child("web", WITH_GRANDCHILD))
    grandchild = int(lines[0].split()[-1])
    for _ in range(100):
        if not is_running(grandchild):
            break
        time.sleep(0.05)
    assert not is_running(grandchild)


def test_children_of_a_killed_supervisor_end_too(tmp_path):
    program = f"""
from accounting.embedded.children import Child
from accounting.embedded.supervisor import Supervisor
child = Child(name="web", command=({sys.executable!r}, "-c", "import os, time; print(os.getpid(), flush=True); time.sleep(600)"), patience_s=1)
Supervisor([child], write=lambda line: print(line, flush=True)).run(lambda: None)
"""
    supervisor = subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, text=True
    )
    pid = int(supervisor.stdout.readline().split()[-1])
    supervisor.kill()
    supervisor.communicate()
    for _ in range(100):
        if not is_running(pid):
            break
        time.sleep(0.05)
    assert not is_running(pid)


def test_what_goes_wrong_in_a_tick_stops_the_children_too():
    def fail():
        raise RuntimeError

    with pytest.raises(RuntimeError):
        Supervisor([child("web", SLEEP)], write=lambda _line: None).run(fail)


def is_running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False
