"""Addresses under /api/."""

from django.urls import path
from drf_spectacular.views import SpectacularJSONAPIView

from accounting.api.views.base import NoSuchAddress
from accounting.api.views.estimate import EstimateView
from accounting.api.views.explain import ExplainView
from accounting.api.views.imports import ImportView
from accounting.api.views.sessions import SessionsView
from accounting.api.views.usage import UsageView

urlpatterns = [
    path("v1/usage", UsageView.as_view(), name="api-usage"),
    path("v1/sessions", SessionsView.as_view(), name="api-sessions"),
    path("v1/estimate", EstimateView.as_view(), name="api-estimate"),
    path("v1/explain", ExplainView.as_view(), name="api-explain"),
    path("v1/imports/<int:import_id>", ImportView.as_view(), name="api-import"),
    path("v1/<path:rest>", NoSuchAddress.as_view()),
    path("schema/", SpectacularJSONAPIView.as_view(), name="api-schema"),
]
