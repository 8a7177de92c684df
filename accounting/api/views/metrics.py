"""GET /metrics: what Prometheus scrapes, for whoever has the token of the site."""

import threading
import time

from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.crypto import constant_time_compare
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt

from accounting.api.metrics_text import CONTENT_TYPE, exposition
from accounting.api.problems import problem
from accounting.queries.metrics import books_metrics

#: No monitoring system asks more often of itself, and several may.
KEPT_S = 10.0
_ANSWERED = ("GET", "HEAD")


@csrf_exempt
@login_not_required
@never_cache
def metrics(request: HttpRequest) -> HttpResponse:
    """Every organization's metrics; 404 unless TALLYBOOK_METRICS_TOKEN is set, 401 without it.

    A key of REST opens nothing here: it is one organization's.
    """
    if request.method not in _ANSWERED:
        detail = f"{request.method} is not answered here, only GET"
        return problem("method_not_allowed", detail, headers={"Allow": ", ".join(_ANSWERED)})
    if not settings.METRICS_TOKEN:
        return problem("not_found", "no metrics are offered: TALLYBOOK_METRICS_TOKEN is not set")
    scheme, _, token = request.headers.get("Authorization", "").partition(" ")
    if scheme.lower() != "bearer":
        return problem("unauthenticated", "send the token as 'Authorization: Bearer …'")
    if not constant_time_compare(token.strip(), settings.METRICS_TOKEN):
        return problem("bad_key", "the token is not that of TALLYBOOK_METRICS_TOKEN")
    return HttpResponse(SCRAPES.text(), content_type=CONTENT_TYPE)


class Scrapes:
    """The last scrape, kept for KEPT_S: however many ask, the books are summed so often and no more."""

    def __init__(self) -> None:
        """Nothing is kept yet."""
        self._lock = threading.Lock()
        self._kept: tuple[float, str] | None = None

    def text(self) -> str:
        """The exposition; who asks while another one sums waits for that one's."""
        with self._lock:
            if self._kept is None or time.monotonic() - self._kept[0] > KEPT_S:
                self._kept = time.monotonic(), exposition(books_metrics(timezone.now()))
            return self._kept[1]

    def forget(self) -> None:
        """Sum anew for whoever asks next."""
        self._kept = None


SCRAPES = Scrapes()
