"""A trained workbench policy at work and as a folder: NumPy alone, no torch; nothing in it is ever unpickled."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from safetensors.numpy import load_file, save_file

from learning.bench_sheet import CONTEXT, ROW, Floats, Notes, Reader, Sheet, Vocabulary
from learning.policy import BadPolicy, leads_nowhere
from sandbox.contracts.actions import Action
from sandbox.contracts.observations import Observation
from sandbox.contracts.policies import Alternative, Past, Proposal
from sandbox.contracts.tasks import Goal

KIND = "bench"
WEIGHTS = "weights.safetensors"
_MEANING = [ROW, CONTEXT]  # of what is read; a policy made for other sheets is refused


class BenchPolicy:
    """Proposes the likeliest action that is not known to lead nowhere; the same state gives the same proposal."""

    def __init__(self, folder: Path, *, name: str) -> None:
        spec = json.loads((folder / "spec.json").read_text())
        if spec.get("sheet") != _MEANING:
            raise BadPolicy(f"made for sheets of {spec.get('sheet')} columns, this version reads {_MEANING}")
        self.name = name
        self._vocabulary = Vocabulary(spec["words"], spec["tools"])
        loaded = load_file(folder / WEIGHTS)
        self._weights = {key: each.astype(np.float32) for key, each in loaded.items()}

    def act(self, observation: Observation, goal: Goal, history: Sequence[Past]) -> Proposal:
        """See Policy."""
        notes = Notes()
        for step in history:
            notes.take(step)
        sheet, actions = Reader(self._vocabulary, goal).read(observation, notes)
        chances = self._chances(sheet)
        ranked: list[tuple[Action, float]] = []
        for row in np.argsort(-chances, kind="stable").tolist():
            action = actions[row]
            if action is not None:
                ranked.append((action, float(chances[row])))
        (best, sure), *rest = [each for each in ranked if not leads_nowhere(each[0], observation, history)] or ranked
        return Proposal(
            action=best,
            probability=min(1.0, sure),
            alternatives=tuple(Alternative(action, chance) for action, chance in rest[:3]),
            policy=self.name,
            why="the likeliest next move",
        )

    def _chances(self, sheet: Sheet) -> Floats:
        """(R,) how likely each row is, as bench_net.BenchNet says."""
        w = self._weights
        named = w["word.weight"][sheet.words].sum(1)
        rows = np.concatenate([sheet.rows, named], -1) @ w["row.weight"].T + w["row.bias"]
        for place, at in enumerate(sheet.tools):
            others = np.concatenate([sheet.tools[place + 1 :], sheet.tools[:place]])
            rows[at] += w["round.weight"] @ named[others].reshape(-1)
        context = np.concatenate([sheet.context, w["goal.weight"][sheet.goal].sum(0)])
        state = _relu(w["context.weight"] @ context + w["context.bias"])
        first = _relu(rows + w["beside.weight"] @ state)
        whole = np.concatenate([first.max(0), first.mean(0), state])
        whole = _relu(w["whole.weight"] @ whole + w["whole.bias"])
        second = _relu(first @ w["again.weight"].T + w["again.bias"] + w["told.weight"] @ whole)
        logits = (second @ w["say.weight"][0] + w["say.bias"][0]).astype(np.float64)
        logits[~sheet.can] = -np.inf
        chances = np.exp(logits - logits.max())
        return np.asarray(chances / chances.sum(), np.float32)


def _relu(values: Floats) -> Floats:
    return np.maximum(values, 0.0)


def write(
    folder: Path, weights: Mapping[str, Floats], vocabulary: Vocabulary, templates: Mapping[str, int]
) -> dict[str, Any]:
    """Write weights (in half precision) and spec of a policy; returns the spec."""
    folder.mkdir(parents=True, exist_ok=True)
    save_file({name: np.ascontiguousarray(each, np.float16) for name, each in weights.items()}, folder / WEIGHTS)
    spec = {
        "kind": KIND,
        "sheet": _MEANING,
        "words": list(vocabulary.words),
        "tools": sorted(vocabulary.tools),
        "parameters": sum(each.size for each in weights.values()),
        "templates": dict(sorted(templates.items())),
        "weights_sha256": hashlib.sha256((folder / WEIGHTS).read_bytes()).hexdigest(),
    }
    (folder / "spec.json").write_text(json.dumps(spec, indent=1, sort_keys=True, ensure_ascii=False) + "\n")
    return spec
