"""Bytes of the contracts: JSON for doors and rows, a content-addressed binary file for trajectories."""

import hashlib
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from sandbox.contracts.trajectories import Trajectory

T = TypeVar("T")

_MAGIC = b"BELAY-TRAJECTORY-1\n"
_MAX_BYTES = 256 * 1024 * 1024


class BadTrajectory(ValueError):
    """These bytes are not a trajectory file; the message says what is wrong."""


def to_json(value: Any) -> str:
    """Contract struct -> compact JSON with a fixed order of keys."""
    return msgspec.json.encode(value, order="deterministic").decode()


def to_builtins(value: Any) -> Any:
    """Contract struct -> dicts, lists and scalars, for a JSON column or response."""
    return msgspec.to_builtins(value)


def from_json(text: str | bytes, type_: type[T] | Any) -> T:
    """JSON -> contract struct. Raises msgspec.ValidationError naming the place that is wrong."""
    return msgspec.json.decode(text, type=type_)


def from_builtins(value: Any, type_: type[T] | Any) -> T:
    """Dicts and lists (a JSON column) -> contract struct. Raises msgspec.ValidationError."""
    return msgspec.convert(value, type=type_)


def pack(trajectory: Trajectory) -> bytes:
    """One trajectory as file content; equal trajectories give equal bytes."""
    return _MAGIC + zlib.compress(msgspec.msgpack.encode(trajectory, order="deterministic"), level=9)


def files(paths: Iterable[Path]) -> Iterator[Path]:
    """These files, and the .belay files of each folder among them. Raises BadTrajectory for a folder without any."""
    for path in paths:
        found = sorted(path.glob("*.belay")) if path.is_dir() else [path]
        if not found:
            raise BadTrajectory(f"{path} is a folder without .belay files: name trajectory files, or a folder of them")
        yield from found


def read(paths: Iterable[Path]) -> Iterator[tuple[bytes, Trajectory]]:
    """Content and trajectory of each file, and of the .belay files of each folder. Raises BadTrajectory, OSError."""
    for file in files(paths):
        content = file.read_bytes()
        try:
            yield content, unpack(content)
        except BadTrajectory as problem:
            raise BadTrajectory(f"{file}: {problem}") from problem


def unpack(content: bytes) -> Trajectory:
    """File content -> trajectory. Raises BadTrajectory."""
    if not content.startswith(_MAGIC):
        raise BadTrajectory("not a Belay trajectory file (wrong first bytes)")
    try:
        unzip = zlib.decompressobj()
        body = unzip.decompress(content[len(_MAGIC) :], _MAX_BYTES)
        if unzip.unconsumed_tail:
            raise BadTrajectory(f"larger than {_MAX_BYTES} bytes unpacked")
        if not unzip.eof or unzip.unused_data:
            raise BadTrajectory("cut short, or followed by other bytes")
        return msgspec.msgpack.decode(body, type=Trajectory)
    except (zlib.error, msgspec.DecodeError) as problem:
        raise BadTrajectory(str(problem)) from problem


def address(content: bytes) -> str:
    """SHA-256 (hex) under which content is stored."""
    return hashlib.sha256(content).hexdigest()
