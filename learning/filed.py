"""Episodes as trajectory files: those that lie in a folder are not played again."""

from collections.abc import Sequence
from pathlib import Path

from learning.rollouts import Episode, Played, play_all
from sandbox.contracts import storage
from sandbox.contracts.tasks import Outcome


def played_into(
    folder: Path, episodes: Sequence[Episode], *, workers: int, policy: Path | None = None, name: str = ""
) -> list[Path]:
    """Play what is not yet in the folder, by a policy's folder or as oracles do; the files of all that ended.

    A file is whole or not there, also where this is killed.
    """
    folder.mkdir(parents=True, exist_ok=True)

    def keep(played: Played) -> None:
        if played.trajectory is not None:
            path = _file(folder, played.episode)
            path.with_suffix(".partial").write_bytes(storage.pack(played.trajectory))
            path.with_suffix(".partial").rename(path)

    missing = [each for each in episodes if not _file(folder, each).is_file()]
    play_all(missing, policy_folder=policy, name=name, workers=workers, heard=keep)
    return [path for each in episodes if (path := _file(folder, each)).is_file()]


def verified(files: Sequence[Path]) -> list[Path]:
    """Those of these whose trajectory was verified. Raises BadTrajectory."""
    told = zip(files, storage.read(files), strict=True)
    return [path for path, (_, each) in told if each.verification.outcome is Outcome.VERIFIED]


def _file(folder: Path, episode: Episode) -> Path:
    return folder / f"{episode.template.replace('/', '-')}-{episode.seed}.belay"
