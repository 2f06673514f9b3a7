"""Addresses: the API, and one page for everything else."""

from django.urls import URLPattern, URLResolver, path, re_path

from webapp.api import api
from webapp.page import page

urlpatterns: list[URLPattern | URLResolver] = [
    path("api/", api.urls),
    re_path(r"^(?!api/|static/|ws/).*$", page),
]
