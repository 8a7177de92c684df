"""How many questions a caller may ask: a bucket for each key or person, filled again all the time.

Each web process keeps buckets of its own. Pushes have other limits: ingest.services.room.
"""

import time

from django.conf import settings
from django.contrib.auth.models import User
from rest_framework.request import Request
from rest_framework.throttling import BaseThrottle
from rest_framework.views import APIView

from accounting.api.buckets import Buckets, Caller
from accounting.models import ApiKey

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
