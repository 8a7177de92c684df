"""Faults, drawn by chance: which process dies next, and for how long; each kind at least once."""

import random
import signal
import time
from collections import Counter

from tests.chaos.processes import wait_until

#: A kind of fault and its weight: web and worker take seconds to come back, a session does not.
WEIGHTS = {
    "web": 4,
    "web_child": 3,
    "worker": 4,
    "worker_child": 5,
    "beat": 1,
    "broker": 2,
    "broker_forgets": 3,
    "postgres": 4,
    "postgres_stops_at_once": 2,
    "postgres_session": 4,
}
#: How often a fault waits until the one before is over; else they come on top of each other.
PATIENCE = 0.75
#: A process that starts needs seconds, on a machine that has much else to do minutes.
COMES_BACK_S = 180


class Faults:
    """Breaks a rig again and again; what is down is started again after a moment."""

    def __init__(self, rig, seed):
        self.rig = rig
        self.chance = random.Random(f"{seed}-faults")
        self.done = Counter()
        self._due = {}
        self._owed = self.chance.sample([*WEIGHTS], len(WEIGHTS))

    def rage(self, seconds, at_least):
        """Break things for so long, and until there were so many faults."""
        ends_at = time.monotonic() + seconds
        while time.monotonic() < ends_at or self.done.total() < at_least:
            if self.chance.random() < PATIENCE:
                self._wait_until_it_works()
            kind = self._next()
            if getattr(self, f"_{kind}")():
                self.done[kind] += 1
            else:  # what it would break is down already
                self._owed.insert(0, kind)
            self._wait(self.chance.uniform(0.2, 1))

    def _next(self):
        """Each kind once, in an order drawn by chance; then any."""
        if self._owed:
            return self._owed.pop()
        return self.chance.choices([*WEIGHTS], [*WEIGHTS.values()])[0]

    def settle(self):
        """Start everything that is down."""
        for start in [*self._due.values()]:
            start[1]()
        self._due.clear()
        wait_until(self.rig.answers, seconds=COMES_BACK_S, what="the page after the faults")

    def _wait(self, seconds):
        ends_at = time.monotonic() + seconds
        while time.monotonic() < ends_at:
            self._start_the_due()
            time.sleep(0.05)

    def _start_the_due(self):
        now = time.monotonic()
        for name in [name for name, (at, _) in self._due.items() if at <= now]:
            self._due.pop(name)[1]()
        self.rig.revive(but=self._due)
        broker = self.rig.broker
        if broker.name not in self._due and broker.process and not broker.process.is_running():
            broker.start()  # it could not, the time before

    def _later(self, name, start):
        self._due[name] = (time.monotonic() + self.chance.uniform(0, 1.5), start)

    def _wait_until_it_works(self):
        """Wait until pages are answered and the worker has been at work since it was started."""
        wait_until(self._works, seconds=COMES_BACK_S, what="coming back")

    def _works(self):
        self._start_the_due()
        return self.rig.answers() and self.rig.has_session("worker")

    def _killed(self, process):
        if process.name in self._due or not process.is_running():
            return False
        process.kill()
        self._later(process.name, process.start)
        return True

    def _web(self):
        return self._killed(self.rig.web)

    def _web_child(self):
        return self.rig.web.is_running() and self.rig.web.kill_child(self.chance)

    def _worker(self):
        return self._killed(self.rig.worker)

    def _worker_child(self):
        return self.rig.worker.is_running() and self.rig.worker.kill_child(self.chance)

    def _beat(self):
        return self._killed(self.rig.beat)

    def _broker(self):
        broker = self.rig.broker
        if broker.name in self._due or not broker.is_up():
            return False
        broker.kill()
        self._later(broker.name, broker.start)
        return True

    def _broker_forgets(self):
        if not self.rig.broker.is_up():
            return False
        self.rig.broker.forget()
        if not self.rig.broker.is_up():
            self._later(self.rig.broker.name, self.rig.broker.start)
        return True

    def _postgres(self, number=signal.SIGKILL):
        if "postgres" in self._due or not self.rig.kill_postgres(number):
            return False
        self._later("postgres", self.rig.server.revive)
        return True

    def _postgres_stops_at_once(self):
        return self._postgres(signal.SIGQUIT)

    def _postgres_session(self):
        return "postgres" not in self._due and self.rig.kill_backend(self.chance)
