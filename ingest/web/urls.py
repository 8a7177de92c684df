"""Addresses of the pages about imports."""

from django.urls import path

from ingest.web import format_views, mapping_views, source_views, undoing, views

urlpatterns = [
    path("imports/", views.imports, name="imports"),
    path("imports/<int:import_id>/", views.one_import, name="imports.one"),
    path("imports/<int:import_id>/undo", undoing.undo, name="imports.undo"),
    path("imports/mapping/columns", mapping_views.columns, name="imports.columns"),
    path("imports/mapping/save", mapping_views.save, name="imports.mapping"),
    path(
        "imports/mapping/<path:name>.json", mapping_views.mapping_file, name="imports.mapping.file"
    ),
    path("sources/", source_views.sources, name="sources"),
    path("sources/test", source_views.send_test, name="sources.test"),
    path("formats/", format_views.formats, name="imports.formats"),
    path("formats/samples/<path:path>", format_views.sample, name="imports.sample"),
]
