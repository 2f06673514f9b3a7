"""What kind of policy lies in a folder, and how it is opened: a network, a language model here or far away."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import msgspec

from learning.policy import BadPolicy
from sandbox.contracts.policies import Policy

NETWORK, BENCH = "element-set", "bench"


def open_policy(folder: Path, *, name: str) -> Policy:
    """The policy in a folder, by the kind that its spec names. Raises BadPolicy."""
    kind = kind_of(folder)
    if kind not in _OPENERS:
        raise BadPolicy(f"a policy of kind {kind!r} is not known here; known are {', '.join(sorted(_OPENERS))}")
    return _OPENERS[kind](folder, name)


def kind_of(folder: Path) -> str:
    """`element-set`, `bench`, `language`, `lora` or `remote`. Raises BadPolicy."""
    try:
        return str(_spec(folder).get("kind", NETWORK))
    except (OSError, ValueError) as problem:
        raise BadPolicy(f"{folder} has no spec.json that can be read: {problem}") from problem


def _network(folder: Path, name: str) -> Policy:
    from learning.policy import NetworkPolicy

    return NetworkPolicy(folder, name=name)


def _bench(folder: Path, name: str) -> Policy:
    from learning.bench_policy import BenchPolicy

    return BenchPolicy(folder, name=name)


def _language(folder: Path, name: str) -> Policy:
    from learning.language import Endpoint, LanguagePolicy  # httpx only where one is asked
    from learning.thrift import Answers, Budget

    spec = _spec(folder)
    try:
        endpoint = msgspec.convert(spec.get("endpoint", {}), Endpoint)
        budget = Budget(**spec.get("budget", {}))
    except (msgspec.ValidationError, TypeError, ValueError) as problem:
        raise BadPolicy(f"{folder / 'spec.json'} does not name an endpoint: {problem}") from problem
    return LanguagePolicy(endpoint, name=name, budget=budget, answers=Answers(folder / "answers"))


def _remote(folder: Path, name: str) -> Policy:
    from learning.remote import RemotePolicy  # sockets only where one is asked

    spec = _spec(folder)
    if not isinstance(spec.get("url"), str) or not spec["url"].startswith(("ws://", "wss://")):
        raise BadPolicy(f"{folder / 'spec.json'} names no url such as ws://127.0.0.1:7717")
    return RemotePolicy(spec["url"], role=str(spec.get("role", "champion")))


def _lora(folder: Path, name: str) -> Policy:
    from learning.lora import LoraPolicy  # torch and transformers only where one acts

    return LoraPolicy(folder, name=name)


_OPENERS: Mapping[str, Callable[[Path, str], Policy]] = {
    NETWORK: _network,
    BENCH: _bench,
    "language": _language,
    "lora": _lora,
    "remote": _remote,
}


def _spec(folder: Path) -> dict[str, Any]:
    return dict(json.loads((folder / "spec.json").read_text()))
