"""Policies that a session host has loaded, by version."""

import asyncio

from sandbox.contracts.policies import Policy
from sandbox.contracts.tasks import Task
from webapp.rollouts import queries
from webapp.rollouts.models import PolicyVersion


class Policies:
    """Loads each version once; a new alias means another version, so nothing goes stale."""

    def __init__(self) -> None:
        self._loaded: dict[int, Policy] = {}
        self._lock = asyncio.Lock()

    async def get(self, version: PolicyVersion, task: Task) -> Policy:
        """The policy of this version, ready to propose."""
        async with self._lock:
            if version.pk not in self._loaded:
                self._loaded[version.pk] = await asyncio.to_thread(_load, version)
            return self._loaded[version.pk]


def _load(version: PolicyVersion) -> Policy:
    from learning import jobs  # the door; only a host pays for ONNX Runtime

    return jobs.load_policy(queries.local_folder(version), name=version.name)
