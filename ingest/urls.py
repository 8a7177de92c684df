"""Addresses of getting logs in."""

from django.urls import include, path

from ingest.api import push

urlpatterns = [
    path("api/v1/events", push.events, name="push"),
    path("imports/upload", push.upload, name="upload"),
    path("", include("ingest.web.urls")),
]
