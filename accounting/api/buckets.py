"""Buckets that are emptied by what somebody does, and filled again all the time.

Keys and people have one for their questions (accounting.api.throttling), addresses for the wrong keys that
come from there. Each web process keeps its own.
"""

import math
import threading
import time
from collections import OrderedDict

from django.conf import settings

from accounting.api.problems import ProblemError

#: Callers remembered; the one that was silent longest is forgotten first, and starts full again.
MOST_CALLERS = 10_000
type Caller = tuple[str, int | str]


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


WRONG_KEYS = Buckets()


def refuse_too_many_wrong_keys(address: str) -> None:
    """Take a wrong key from the address's bucket; ProblemError 429 where none is left.

    Only wrong keys ask: whoever brings a right one from the same address, or through the same proxy,
    is not held up by those who do not.
    """
    per_minute = settings.WRONG_KEYS_PER_MINUTE
    wait = WRONG_KEYS.take(("address", address), per_minute, time.monotonic()) if per_minute else 0
    if wait:
        detail = "too many wrong keys come from this address; check the key, then come again"
        raise ProblemError("too_many_requests", detail, **{"Retry-After": str(math.ceil(wait))})
