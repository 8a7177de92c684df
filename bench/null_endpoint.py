"""The least a push endpoint can do: a view that reads its body and answers, under the same server."""

import os

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "accounting.config.settings")

from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.core.wsgi import get_wsgi_application
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.urls import path
from django.views.decorators.csrf import csrf_exempt

from accounting.config.gate import Gate


@csrf_exempt
@login_not_required
def nothing(request: HttpRequest) -> HttpResponse:
    return JsonResponse({"bytes": len(request.body)}, status=202)


urlpatterns = [path("api/v1/events", nothing)]
settings.ROOT_URLCONF = __name__
application = Gate(get_wsgi_application())
