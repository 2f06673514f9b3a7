"""The Celery application and what beat starts when."""

import os

from celery import Celery
from celery.schedules import crontab

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "webapp.settings")

app = Celery("belay")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
app.conf.beat_schedule = {
    "close what nobody decided": {"task": "webapp.agent_sessions.tasks.expire_overdue", "schedule": 15.0},
    "append what is left in the outbox": {"task": "webapp.trajectories.tasks.sweep_appends", "schedule": 10.0},
    "drive training runs": {"task": "webapp.training.tasks.sweep_runs", "schedule": 10.0},
    "freeze the dataset daily": {
        "task": "webapp.trajectories.tasks.freeze_daily",
        "schedule": crontab(hour=2, minute=0),
    },
    "train daily": {"task": "webapp.training.tasks.train_daily", "schedule": crontab(hour=2, minute=30)},
}
