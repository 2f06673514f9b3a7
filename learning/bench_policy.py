"""A trained workbench policy at work and as a folder: NumPy alone, no torch; nothing in it is ever unpickled."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from safetensors.numpy import load_file, save_file

from learning.bench_sheet import CONTEXT, DEED, ROW, Notes, Reader, Sheet
from learning.bench_words import Floats, Vocabulary
from learning.kinds import BENCH
from learning.policy import BadPolicy, leads_nowhere
from sandbox.contracts.actions import Action
from sandbox.contracts.observations import Observation
from sandbox.contracts.policies import Alternative, Past, Proposal
from sandbox.contracts.tasks import Goal

WEIGHTS = "weights.safetensors"
_MEMORY = "recall.cell."  # its weights' names begin so


class BenchPolicy:
    """Proposes the likeliest action that is not known to lead nowhere; the same state gives the same proposal."""

    def __init__(self, folder: Path, *, name: str) -> None:
        spec = json.loads((folder / "spec.json").read_text())
        loaded = load_file(folder / WEIGHTS)
        self._recalls = _recalls(loaded)
        if spec.get("sheet") != _meaning(recalls=self._recalls):
            read = _meaning(recalls=self._recalls)
            raise BadPolicy(f"made for sheets of {spec.get('sheet')} columns, this version reads {read}")
        self.name = name
        self._vocabulary = Vocabulary(spec["words"], spec["tools"])
        self._weights = {key: each.astype(np.float32) for key, each in loaded.items()}

    def act(self, observation: Observation, goal: Goal, history: Sequence[Past]) -> Proposal:
        """See Policy."""
        notes = Notes()
        for step in history:
            notes.take(step)
        sheet, actions = Reader(self._vocabulary, goal, recalls=self._recalls).read(observation, notes)
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
        state = _relu(w["context.weight"] @ context + w["context.bias"] + self._recalled(sheet))
        first = _relu(rows + w["beside.weight"] @ state)
        whole = np.concatenate([first.max(0), first.mean(0), state])
        whole = _relu(w["whole.weight"] @ whole + w["whole.bias"])
        second = _relu(first @ w["again.weight"].T + w["again.bias"] + w["told.weight"] @ whole)
        logits = (second @ w["say.weight"][0] + w["say.bias"][0]).astype(np.float64)
        logits[~sheet.can] = -np.inf
        chances = np.exp(logits - logits.max())
        return np.asarray(chances / chances.sum(), np.float32)

    def _recalled(self, sheet: Sheet) -> Floats:
        """(d,) what is remembered of the deeds, as recall.Recall does; () 0 without a memory."""
        memory = np.zeros(self._weights["context.bias"].shape if self._recalls else (), np.float32)
        for deed, words in zip(sheet.deeds, sheet.deed_words, strict=True):
            if deed.any():
                memory = self._step(np.concatenate([deed, self._weights["word.weight"][words].sum(0)]), memory)
        return memory

    def _step(self, read: Floats, memory: Floats) -> Floats:
        """A gated recurrent unit, as torch.nn.GRUCell defines it."""
        ours = {key.removeprefix(_MEMORY): each for key, each in self._weights.items() if key.startswith(_MEMORY)}
        reset, keep, new = np.split(ours["weight_ih"] @ read + ours["bias_ih"], 3)
        reset_by, keep_by, new_by = np.split(ours["weight_hh"] @ memory + ours["bias_hh"], 3)
        kept = _sigmoid(keep + keep_by)
        made = np.tanh(new + _sigmoid(reset + reset_by) * new_by)
        return np.asarray((1 - kept) * made + kept * memory, np.float32)


def _recalls(weights: Mapping[str, Floats]) -> bool:
    return any(name.startswith(_MEMORY) for name in weights)


def _meaning(*, recalls: bool) -> list[int]:
    """Of what is read; a policy made for other sheets is refused."""
    return [ROW, CONTEXT, DEED] if recalls else [ROW, CONTEXT]


def _relu(values: Floats) -> Floats:
    return np.maximum(values, 0.0)


def _sigmoid(values: Floats) -> Floats:
    return np.asarray(1 / (1 + np.exp(-values)), np.float32)


def write(
    folder: Path, weights: Mapping[str, Floats], vocabulary: Vocabulary, templates: Mapping[str, int]
) -> dict[str, Any]:
    """Write weights (in half precision) and spec of a policy; returns the spec. Raises ValueError for NaN or inf."""
    for name, each in weights.items():
        if not np.isfinite(each.astype(np.float16)).all():
            raise ValueError(f"{name} is not finite in half precision: nothing was written")
    folder.mkdir(parents=True, exist_ok=True)
    save_file({name: np.ascontiguousarray(each, np.float16) for name, each in weights.items()}, folder / WEIGHTS)
    spec = {
        "kind": BENCH,
        "sheet": _meaning(recalls=_recalls(weights)),
        "words": list(vocabulary.words),
        "tools": sorted(vocabulary.tools),
        "parameters": sum(each.size for each in weights.values()),
        "templates": dict(sorted(templates.items())),
        "weights_sha256": hashlib.sha256((folder / WEIGHTS).read_bytes()).hexdigest(),
    }
    (folder / "spec.json").write_text(json.dumps(spec, indent=1, sort_keys=True, ensure_ascii=False) + "\n")
    return spec
