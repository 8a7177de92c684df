"""Whether this process lives and whether it can serve: for load balancers, without a key."""

from django.contrib.auth.decorators import login_not_required
from django.db import Error, connection
from django.http import HttpRequest, JsonResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from accounting.api.problems import headers_of


@login_not_required
@never_cache
@require_safe
def alive(_request: HttpRequest) -> JsonResponse:
    """200 as long as the process answers at all."""
    return JsonResponse({"status": "ok"})


@login_not_required
@never_cache
@require_safe
def ready(_request: HttpRequest) -> JsonResponse:
    """200 when the database answers too, else 503."""
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except Error:  # of which InterfaceError is one, and DatabaseError another
        return JsonResponse({"status": "no database"}, status=503, headers=headers_of(503))
    return JsonResponse({"status": "ok"})
