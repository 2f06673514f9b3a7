"""The Django project: people, tickets, sessions, datasets, training runs, rollouts."""

from webapp.celery import app as celery_app

__all__ = ["celery_app"]
