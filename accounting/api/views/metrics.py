"""GET /metrics: what Prometheus scrapes, for whoever has the token of the site."""

from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.crypto import constant_time_compare
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from accounting.api.metrics_text import CONTENT_TYPE, exposition
from accounting.api.problems import problem
from accounting.queries.metrics import books_metrics


@login_not_required
@never_cache
@require_safe
def metrics(request: HttpRequest) -> HttpResponse:
    """Every organization's metrics; 404 unless TALLYBOOK_METRICS_TOKEN is set, 401 without it.

    A key of REST opens nothing here: it is one organization's.
    """
    if not settings.METRICS_TOKEN:
        return problem("not_found", "no metrics are offered: TALLYBOOK_METRICS_TOKEN is not set")
    scheme, _, token = request.headers.get("Authorization", "").partition(" ")
    if scheme.lower() != "bearer":
        return problem("unauthenticated", "send the token as 'Authorization: Bearer …'")
    if not constant_time_compare(token.strip(), settings.METRICS_TOKEN):
        return problem("bad_key", "the token is not that of TALLYBOOK_METRICS_TOKEN")
    return HttpResponse(exposition(books_metrics(timezone.now())), content_type=CONTENT_TYPE)
