"""Django's entry for this app."""

from django.apps import AppConfig


class TicketsConfig(AppConfig):
    name = "webapp.tickets"
    label = "tickets"
