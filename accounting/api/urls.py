"""Addresses under /api/."""

from django.urls import path
from drf_spectacular.views import SpectacularJSONAPIView

from accounting.api.views.base import NoSuchAddress
from accounting.api.views.cache import CacheView
from accounting.api.views.change import ChangeView
from accounting.api.views.dimensions import DimensionsView, DimensionView
from accounting.api.views.estimate import EstimateView
from accounting.api.views.explain import ExplainView
from accounting.api.views.exports import (
    ImportExportView,
    PriceExportView,
    RequestExportView,
    SessionExportView,
    UsageExportView,
)
from accounting.api.views.imports import ImportsView, ImportView
from accounting.api.views.latency import LatencyView
from accounting.api.views.prices import CreditRatesView, PricesView
from accounting.api.views.projection import ProjectionView
from accounting.api.views.quote import QuoteView
from accounting.api.views.requests import RequestsView
from accounting.api.views.runs import RunsView
from accounting.api.views.sessions import SessionsView, SessionView
from accounting.api.views.usage import UsageView

urlpatterns = [
    path("v1/dimensions", DimensionsView.as_view(), name="api-dimensions"),
    path("v1/dimensions/<str:name>", DimensionView.as_view(), name="api-dimension"),
    path("v1/usage", UsageView.as_view(), name="api-usage"),
    path("v1/sessions", SessionsView.as_view(), name="api-sessions"),
    path("v1/sessions/<path:session_id>", SessionView.as_view(), name="api-session"),
    path("v1/requests", RequestsView.as_view(), name="api-requests"),
    path("v1/runs", RunsView.as_view(), name="api-runs"),
    path("v1/cache", CacheView.as_view(), name="api-cache"),
    path("v1/latency", LatencyView.as_view(), name="api-latency"),
    path("v1/change", ChangeView.as_view(), name="api-change"),
    path("v1/projection", ProjectionView.as_view(), name="api-projection"),
    path("v1/estimate", EstimateView.as_view(), name="api-estimate"),
    path("v1/explain", ExplainView.as_view(), name="api-explain"),
    path("v1/prices", PricesView.as_view(), name="api-prices"),
    path("v1/credit-rates", CreditRatesView.as_view(), name="api-credit-rates"),
    path("v1/quote", QuoteView.as_view(), name="api-quote"),
    path("v1/imports", ImportsView.as_view(), name="api-imports"),
    path("v1/imports/<int:import_id>", ImportView.as_view(), name="api-import"),
    path("v1/exports/usage.<str:layout>", UsageExportView.as_view(), name="api-export-usage"),
    path(
        "v1/exports/sessions.<str:layout>",
        SessionExportView.as_view(),
        name="api-export-sessions",
    ),
    path(
        "v1/exports/requests.<str:layout>",
        RequestExportView.as_view(),
        name="api-export-requests",
    ),
    path("v1/exports/prices.<str:layout>", PriceExportView.as_view(), name="api-export-prices"),
    path("v1/exports/imports.<str:layout>", ImportExportView.as_view(), name="api-export-imports"),
    path("v1/<path:rest>", NoSuchAddress.as_view()),
    path("schema/", SpectacularJSONAPIView.as_view(), name="api-schema"),
]
