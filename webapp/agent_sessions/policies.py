"""Policies that a session host has loaded, by version."""

import asyncio

from sandbox.contracts.policies import Policy
from sandbox.contracts.tasks import Task
from webapp.rollouts import queries
from webapp.rollouts.artefacts import DamagedArtefact
from webapp.rollouts.models import Alias, PolicyVersion
from webapp.storage import Missing


class CannotRun(RuntimeError):
    """This host cannot run a policy version; the message says why and what to do."""


class Policies:
    """Loads each version once; a new alias means another version, so nothing goes stale."""

    def __init__(self) -> None:
        self._loaded: dict[int, Policy] = {}
        self._lock = asyncio.Lock()

    async def get(self, version: PolicyVersion, task: Task) -> Policy:
        """The policy of this version, ready to propose. Raises CannotRun."""
        async with self._lock:
            if version.pk not in self._loaded:
                self._loaded[version.pk] = await asyncio.to_thread(_load, version)
            return self._loaded[version.pk]


def _load(version: PolicyVersion) -> Policy:
    from learning import jobs  # the door; only a host pays for ONNX Runtime

    try:
        folder = queries.local_folder(version)
    except (DamagedArtefact, Missing) as problem:
        raise CannotRun(f"Policy {version.name} cannot be run, its files are not whole: {problem}.") from problem
    try:
        return jobs.load_policy(folder, name=version.name)
    except ValueError as problem:  # BadPolicy, without loading what it is defined beside
        raise CannotRun(f"Policy {problem}") from problem


def prove_champion() -> None:
    """Load the champion, as far as there is one: better said at a host's start than by a session. CannotRun."""
    champion = queries.alias(Alias.Name.CHAMPION)
    if champion is not None:
        _load(champion)
