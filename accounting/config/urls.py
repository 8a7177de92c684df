"""Every address of the site."""

from django.urls import include, path

urlpatterns = [
    path("", include("ingest.urls")),
    path("", include("accounting.web.urls")),
    path("api/", include("accounting.api.urls")),
]
