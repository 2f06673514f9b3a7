"""One small policy, learnt once for every test that needs one to act."""

from pathlib import Path

import pytest

from learning import jobs
from learning.progress import Progress
from sandbox.contracts import storage
from tests.learning.pages import a_demonstration


@pytest.fixture(scope="session")
def heard() -> list[Progress]:
    """What the training said of itself."""
    return []


@pytest.fixture(scope="session")
def improved(tmp_path_factory: pytest.TempPathFactory, heard: list[Progress]) -> jobs.Improved:
    """A policy that learnt the hand-drawn console from 16 demonstrations."""
    folder = tmp_path_factory.mktemp("policy")
    files = []
    for seed in range(16):
        path = folder / f"{seed}.belay"
        path.write_bytes(storage.pack(a_demonstration(seed)))
        files.append(path)
    request = jobs.ImproveRequest(
        parent=None,
        trajectories=files,
        out=folder / "policy",
        work=folder / "work",
        seed=1,
        budget_s=600,
        lineage={"dataset": 1, "title": "A hand-made policy"},
    )
    return jobs.improve(request, report=heard.append, should_stop=lambda: False)


@pytest.fixture(scope="session")
def folder(improved: jobs.Improved) -> Path:
    """Its folder."""
    return improved.folder
