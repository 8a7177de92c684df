"""How many questions a caller may ask: a bucket for each key or person, filled again all the time.

Each web process keeps buckets of its own. Pushes have other limits: ingest.services.room.
"""

import threading
import time
from collections import OrderedDict

from django.conf import settings
from django.contrib.auth.models import User
from rest_framework.request import Request
from rest_framework.throttling import BaseThrottle
from rest_framework.views import APIView

from accounting.models import ApiKey

#: Callers remembered; the one that was silent longest is forgotten first, and starts full again.
MOST_CALLERS = 10_000
type Caller = tuple[str, int]


class Buckets:
    """What is left to each caller. Safe to use from several threads."""

    def __init__(self) -> None:
        """Everybody starts full."""
        self._lock = threading.Lock()
        self._left: OrderedDict[Caller, tuple[float, float]] = OrderedDict()

    def take(self, caller: Caller, per_minute: int, now: float) -> float:
        """Take one question; 0 where there was one, else the seconds until there is.

        now: of a clock that never goes back. A full bucket holds a minute's questions.
        """
        with self._lock:
            left, at = self._left.pop(caller, (float(per_minute), now))
            left = min(per_minute, left + (now - at) * per_minute / 60)
            wait = 0.0 if left >= 1 else (1 - left) * 60 / per_minute
            self._left[caller] = (left if wait else left - 1, now)
            if len(self._left) > MOST_CALLERS:
                self._left.popitem(last=False)
        return wait


BUCKETS = Buckets()


class PerCaller(BaseThrottle):
    """Refuses a key, or a person, that asks more than settings.QUESTIONS_PER_MINUTE; 0 is no limit."""

    _wait = 0.0

    def allow_request(self, request: Request, _view: APIView) -> bool:
        """Whether there is a question left; strangers never come so far."""
        per_minute = settings.QUESTIONS_PER_MINUTE
        caller = _caller_of(request)
        if not per_minute or caller is None:
            return True
        self._wait = BUCKETS.take(caller, per_minute, time.monotonic())
        return not self._wait

    def wait(self) -> float:
        """Seconds until the next question is answered."""
        return self._wait


def _caller_of(request: Request) -> Caller | None:
    if isinstance(request.auth, ApiKey):
        return ("key", request.auth.pk)
    return ("person", request.user.pk) if isinstance(request.user, User) else None
