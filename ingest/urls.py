"""Addresses of getting logs in."""

from django.urls import include, path

from ingest.api import otlp, push

urlpatterns = [
    path("api/v1/events", push.events, name="push"),
    path("otlp/v1/traces", otlp.traces, name="otlp-traces"),
    path("otlp/v1/logs", otlp.logs, name="otlp-logs"),
    path("otlp/v1/metrics", otlp.metrics, name="otlp-metrics"),
    path("imports/upload", push.upload, name="upload"),
    path("", include("ingest.web.urls")),
]
