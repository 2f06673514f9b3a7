"""A policy's folder: weights, spec, export, card, evaluation, receipt; nothing in it is ever unpickled."""

import hashlib
import json
import platform
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load_file, save_file

from learning import export, kinds
from learning.arrays import VERSION, Arrays
from learning.losses import Diverged
from learning.networks import ElementSetPolicy, build, sizes
from learning.policy import BadPolicy
from learning.readings import compare_words, words_of

READS = {
    kinds.NETWORK: "An element-set policy: it reads what a page offers as a set of elements, no pixels.",
    kinds.BENCH: "A policy of the workbench alone: it reads a page as rows, each of which may be an action.",
}
FILES = ("weights.safetensors", "spec.json", "policy.onnx", "card.md", "evaluation.json", "receipt.json")


def write(
    folder: Path,
    network: ElementSetPolicy,
    *,
    examples: Sequence[Arrays],
    templates: Mapping[str, int],
    evaluation: Mapping[str, Any],
    receipt: Mapping[str, Any],
    title: str,
) -> dict[str, Any]:
    """Write a policy's folder whole; returns its spec. Weights are kept in half precision, and acted on as kept.

    Raises Diverged where weights are no finite numbers (of half precision), NotEqual where the export differs.
    """
    weights = {name: tensor.half().contiguous() for name, tensor in network.state_dict().items()}
    broken = sorted(name for name, tensor in weights.items() if not tensor.isfinite().all())
    if broken:
        raise Diverged(
            f"{title} is not written: {len(broken)} of its {len(weights)} weights hold what is no finite number of "
            f"half precision, {broken[0]} first. Train again with another seed or a smaller learning rate."
        )
    folder.mkdir(parents=True, exist_ok=True)
    network.load_state_dict({name: tensor.float() for name, tensor in weights.items()})
    save_file(weights, folder / "weights.safetensors")
    difference = export.to_onnx(network, folder / "policy.onnx", examples)
    spec = {
        "kind": "element-set",
        "features": VERSION,
        "shape": sizes(network.shape),
        "parameters": sum(parameter.numel() for parameter in network.parameters()),
        "templates": dict(sorted(templates.items())),  # trajectories learnt from
        "weights_sha256": hashlib.sha256((folder / "weights.safetensors").read_bytes()).hexdigest(),
        "onnx_difference": difference,
        **words_of(sizes(network.shape)),
    }
    write_json(folder / "spec.json", spec)
    rewrite(folder, evaluation=evaluation, receipt=receipt, title=title)
    return spec


def rewrite(folder: Path, *, evaluation: Mapping[str, Any], receipt: Mapping[str, Any], title: str) -> None:
    """Write what is said about a policy, which may be known later than its weights."""
    write_json(folder / "evaluation.json", evaluation)
    write_json(folder / "receipt.json", receipt)
    spec = json.loads((folder / "spec.json").read_text())
    (folder / "card.md").write_text(card(title, spec, evaluation, receipt))


def write_json(path: Path, value: Mapping[str, Any]) -> None:
    """Readable, with a fixed order of keys. Raises ValueError for NaN and inf, which are no JSON."""
    path.write_text(json.dumps(value, indent=1, sort_keys=True, ensure_ascii=False, allow_nan=False) + "\n")


def load(folder: Path) -> ElementSetPolicy:
    """A network with its weights, to be trained on. Raises BadPolicy."""
    if (kind := kinds.kind_of(folder)) != kinds.NETWORK:
        raise BadPolicy(f"{folder} holds a policy of kind {kind!r}: name one of kind {kinds.NETWORK!r}")
    spec = json.loads((folder / "spec.json").read_text())
    if spec.get("features") != VERSION:
        raise BadPolicy(f"made for features {spec.get('features')}, this is version {VERSION}")
    compare_words(spec, folder.name)
    network = build(spec["shape"])
    weights = load_file(folder / "weights.safetensors")
    network.load_state_dict({name: tensor.to(torch.float32) for name, tensor in weights.items()})
    return network


def spec_of(folder: Path) -> dict[str, Any]:
    """What a policy folder says about itself."""
    return dict(json.loads((folder / "spec.json").read_text()))


def card(title: str, spec: Mapping[str, Any], evaluation: Mapping[str, Any], receipt: Mapping[str, Any]) -> str:
    """What people should know before they let it act."""
    lines = [f"# {title}", "", READS[spec["kind"]], f"It has {spec['parameters']:,} parameters.", ""]
    lines += ["## Learnt from", "", "| template | trajectories |", "|---|---|"]
    lines += [f"| {name or '(free text)'} | {count or 'play'} |" for name, count in spec["templates"].items()]
    lines += ["", "## Judged on", "", *(_judged(evaluation) or ["Not judged yet."]), ""]
    lines += ["## Limits", ""]
    lines += ["It knows the templates above. Elsewhere it guesses, and may be sure of a wrong step."]
    lines += ["What it may do is decided outside of it: risk, approval and the egress proxy.", ""]
    lines += ["## Receipt", "", *(f"- {name}: `{_line(value)}`" for name, value in receipt.items()), ""]
    return "\n".join(lines)


def _judged(evaluation: Mapping[str, Any]) -> list[str]:
    """What is known of how good it is."""
    lines = []
    if held := evaluation.get("held_out", {}).get("all"):
        lines.append(f"- Held-out actions right: {evaluation['held_out']['right']} of {held}")
    if tried := evaluation.get("test"):
        low, high = tried["interval"]
        lines.append(f"- Held-out tasks verified: {tried['verified']} of {tried['of']} [{low:.1%}, {high:.1%}]")
    if trial := evaluation.get("trial"):
        lines.append(f"- Verified in the trial that its weights are of, on validation tasks: {trial:.1%}")
    if live := evaluation.get("live", {}).get("templates"):
        lines += ["- In a browser:", "", "| template | verified | of | rate | 95 % interval |", "|---|---|---|---|---|"]
        for name, each in live.items():
            low, high = each["interval"]
            shares = f"{each['rate']:.0%} | {low:.0%} - {high:.0%}"
            lines.append(f"| {name} | {each['verified']} | {each['episodes']} | {shares} |")
    return lines


def _line(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, sort_keys=True, ensure_ascii=False)


def commit() -> str:
    """The commit this code stands at, "" outside a checkout."""
    root = Path(__file__).resolve().parent.parent
    done = subprocess.run(["git", "-C", str(root), "rev-parse", "--short=12", "HEAD"], capture_output=True, text=True)
    return done.stdout.strip() if done.returncode == 0 else ""


def machine() -> str:
    """What this ran on."""
    return f"{platform.system()} {platform.machine()}, Python {platform.python_version()}, torch {torch.__version__}"


def dataset_hash(contents: Sequence[str]) -> str:
    """One hash over the hashes of the trajectories learnt from."""
    return hashlib.sha256("\n".join(sorted(contents)).encode()).hexdigest()
