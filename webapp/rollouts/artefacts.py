"""Files of a policy version: hashing a folder, storing it, fetching it back."""

import hashlib
import mimetypes
import shutil
import tempfile
from pathlib import Path

from django.conf import settings

from webapp import storage

FILES = ("weights.safetensors", "spec.json", "policy.onnx", "card.md", "evaluation.json", "receipt.json")


class DamagedArtefact(ValueError):
    """A policy's files are missing or are not those that were registered."""


def content_hash(folder: Path) -> str:
    """SHA-256 (hex) over names and contents of a policy's files. Raises DamagedArtefact where one is missing."""
    lines = []
    for name in FILES:
        path = folder / name
        if not path.is_file():
            raise DamagedArtefact(f"{name} is missing from the policy folder")
        lines.append(f"{name} {hashlib.sha256(path.read_bytes()).hexdigest()}")
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def upload(folder: Path) -> tuple[str, str]:
    """Store a policy folder; returns (content hash, key prefix)."""
    hash_ = content_hash(folder)
    prefix = f"policies/{hash_}"
    for name in FILES:
        kind = mimetypes.guess_type(name)[0] or "application/octet-stream"
        storage.put(f"{prefix}/{name}", (folder / name).read_bytes(), kind)
    return hash_, prefix


def fetch(hash_: str, prefix: str) -> Path:
    """A policy's folder on this machine, downloaded once and checked. Raises DamagedArtefact."""
    target = Path(settings.STATE_DIR) / "policies" / hash_
    if target.is_dir():
        return target
    target.parent.mkdir(parents=True, exist_ok=True)
    partial = Path(tempfile.mkdtemp(dir=target.parent))
    try:
        for name in FILES:
            (partial / name).write_bytes(storage.get(f"{prefix}/{name}"))
        if content_hash(partial) != hash_:
            raise DamagedArtefact(f"{prefix} does not hold the files that were registered")
        partial.chmod(0o755)
        try:
            partial.rename(target)
        except OSError:  # another process was faster; its copy is as good
            if not target.is_dir():
                raise
    finally:
        shutil.rmtree(partial, ignore_errors=True)
    return target
