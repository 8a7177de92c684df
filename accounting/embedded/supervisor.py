"""Keeps child processes running until a signal comes, then stops them in order."""

import selectors
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from types import FrameType

from accounting.embedded.children import Child, RunningChild

TICK_S = 0.1
LONGEST_DELAY_S = 30
STEADY_AFTER_S = 60.0
STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Supervisor:
    """Runs children, passes on what they write and starts again those that die.

    children: in the order in which they are stopped; they are started in the opposite order.
    write: gets each line of theirs, with the child's name before it.
    """

    def __init__(self, children: Sequence[Child], *, write: Callable[[str], None]) -> None:
        self._children = children
        self._write = write
        self._width = max(len(child.name) for child in children)
        self._running: dict[str, RunningChild] = {}
        self._started_at: dict[str, float] = {}
        self._due_at = {child.name: 0.0 for child in reversed(children)}
        self._deaths = {child.name: 0 for child in children}
        self._stop_requests = 0
        self._selector = selectors.DefaultSelector()

    def run(self, on_tick: Callable[[], None]) -> None:
        """Return after a stop signal, when all children have ended.

        on_tick: called ten times a second or so while they run; must be quick. What it raises
            stops the children too.
        """
        with self._signals_noted(), self._selector:
            try:
                while not self._stop_requests:
                    self._start_the_due()
                    self._pass_on_output()
                    self._clear_away_the_dead()
                    on_tick()
            finally:
                for child in self._children:
                    self._stop(child)

    def _start_the_due(self) -> None:
        now = time.monotonic()
        for child in reversed(self._children):
            if child.name not in self._running and self._due_at[child.name] <= now:
                running = RunningChild(child)
                self._running[child.name] = running
                self._started_at[child.name] = now
                self._selector.register(running.output, selectors.EVENT_READ, running)

    def _pass_on_output(self) -> None:
        if not self._running:  # all wait for another start
            time.sleep(TICK_S)
        for key, _ in self._selector.select(TICK_S):
            running: RunningChild = key.data
            lines = running.lines()
            self._say(running.child, *lines)
            if not lines:  # the pipe may be at its end, and would be ready for ever
                time.sleep(TICK_S / 10)

    def _clear_away_the_dead(self) -> None:
        for running in list(self._running.values()):
            if not running.has_ended():
                continue
            child = running.child
            code = self._clear_away(running)
            now = time.monotonic()
            if now - self._started_at[child.name] > STEADY_AFTER_S:
                self._deaths[child.name] = 0
            delay_s = min(2 ** self._deaths[child.name], LONGEST_DELAY_S)
            self._deaths[child.name] += 1
            self._due_at[child.name] = now + delay_s
            self._say(child, f"ended with exit code {code}; starting it again in {delay_s} s")

    def _stop(self, child: Child) -> None:
        running = self._running.get(child.name)
        if not running:
            return
        running.ask_to_end()
        deadline = time.monotonic() + child.patience_s
        requests = self._stop_requests
        while not running.has_ended():
            # Whoever presses Ctrl-C again does not want to wait.
            if time.monotonic() > deadline or self._stop_requests > max(requests, 1):
                self._say(child, "did not end when asked; it is killed")
                break
            self._pass_on_output()
        self._clear_away(running)

    def _clear_away(self, running: RunningChild) -> int:
        self._selector.unregister(running.output)
        del self._running[running.child.name]
        code, lines = running.clear_away()
        self._say(running.child, *lines)
        return code

    def _say(self, child: Child, *lines: str) -> None:
        for line in lines:
            self._write(f"{child.name:<{self._width}} | {line}")

    @contextmanager
    def _signals_noted(self) -> Iterator[None]:
        def note(_signal: int, _frame: FrameType | None) -> None:
            self._stop_requests += 1

        before = {number: signal.signal(number, note) for number in STOP_SIGNALS}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)
