"""Addresses of the pages about imports."""

from django.urls import path

from ingest.web import views

urlpatterns = [
    path("imports/", views.imports, name="imports"),
    path("imports/<int:import_id>/", views.one_import, name="imports.one"),
]
