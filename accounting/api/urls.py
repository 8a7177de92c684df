"""Addresses of this part."""

urlpatterns: list[object] = []
