"""Addresses in the shapes that other tools speak already."""

from django.urls import path

from accounting.api.views.mcp import McpView
from accounting.api.views.metrics import metrics
from accounting.api.views.openai import CompletionsView, CostsView

urlpatterns = [
    path(
        "openai/v1/organization/usage/completions",
        CompletionsView.as_view(),
        name="openai-completions",
    ),
    path("openai/v1/organization/costs", CostsView.as_view(), name="openai-costs"),
    path("mcp", McpView.as_view(), name="mcp"),
    path("metrics", metrics, name="metrics"),
]
