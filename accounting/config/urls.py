"""Every address of the site."""

from django.urls import include, path

from accounting.api.health import alive, ready

handler400 = "accounting.config.refusals.bad_request"
handler403 = "accounting.config.refusals.forbidden"
handler404 = "accounting.config.refusals.not_found"
handler500 = "accounting.config.refusals.broken"

urlpatterns = [
    path("healthz", alive),
    path("readyz", ready),
    path("", include("ingest.urls")),
    path("", include("accounting.web.urls")),
    path("api/", include("accounting.api.urls")),
    path("", include("accounting.api.other_urls")),
]
