"""JSON Schema of the vocabulary: `python -m sandbox.contracts.schema` prints it."""

import json
from typing import Any

import msgspec

from sandbox.contracts.actions import Action
from sandbox.contracts.policies import Proposal
from sandbox.contracts.tasks import Environment, Template
from sandbox.contracts.trajectories import Trajectory


def schema() -> dict[str, Any]:
    """One document whose `$defs` hold every contract type."""
    roots = [Action, Proposal, Template, Environment, Trajectory]
    _, components = msgspec.json.schema_components(roots, ref_template="#/$defs/{name}")
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Belay contracts",
        "$defs": dict(sorted(components.items())),
    }


if __name__ == "__main__":
    print(json.dumps(schema(), indent=2, sort_keys=True, ensure_ascii=False))
