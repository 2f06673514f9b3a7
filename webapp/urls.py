"""Addresses: the API, one page for everything else, and how Django's own refusals look."""

from django.urls import URLPattern, URLResolver, path, re_path

from webapp.api import api
from webapp.page import page

urlpatterns: list[URLPattern | URLResolver] = [
    path("api/", api.urls),
    re_path(r"^(?!api/|static/|ws/).*$", page),
]
handler400 = "webapp.api.refused"
handler404 = "webapp.api.no_such_address"
handler500 = "webapp.api.broken"
