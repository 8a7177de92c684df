"""Every address of the site."""

from django.urls import include, path

from accounting.api.health import alive, ready

urlpatterns = [
    path("healthz", alive),
    path("readyz", ready),
    path("", include("ingest.urls")),
    path("", include("accounting.web.urls")),
    path("api/", include("accounting.api.urls")),
]
