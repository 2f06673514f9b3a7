"""`manage.py seed`: the people, taxonomy and starter policy that a new installation begins with; safe to repeat."""

import os
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from webapp.accounts.actions import create_person
from webapp.accounts.models import Role, User
from webapp.agent_sessions.review import seed_taxonomy
from webapp.problems import BadInput
from webapp.rollouts.actions import seed_starter as seed_policy
from webapp.storage import ensure_bucket
from webapp.trajectories.actions import seed_starter as seed_dataset


class Command(BaseCommand):
    help = (
        "Make the people operator, reviewer and admin (passwords from SEED_PASSWORD_OPERATOR, ..._REVIEWER, "
        "..._ADMIN), the failure taxonomy, the starter policy and its dataset. What is there already stays as it is."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        ensure_bucket()
        for role in Role:
            self._person(role)
        seed_taxonomy()
        policy = seed_policy()
        version = seed_dataset()
        self.stdout.write(f"seeded: people, taxonomy, policy {policy.name}, dataset {version.number}")

    def _person(self, role: Role) -> None:
        if User.objects.filter(username=role.value).exists():
            return
        variable = f"SEED_PASSWORD_{role.upper()}"
        password = os.environ.get(variable)
        if not password:
            raise CommandError(f"Set {variable} (12 characters or more) for the first {role}.")
        try:
            create_person(username=role.value, role=role, password=password, by=None, how="system")
        except BadInput as problem:
            raise CommandError(f"{variable}: {' '.join(problem.errors.values())}") from None
