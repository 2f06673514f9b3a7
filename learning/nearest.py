"""Words for a console that nobody has described, by sentence vectors: unknown phrases go to the nearest known meaning.

Run: python -m learning.nearest MODEL_FOLDER OUT.yaml TRAJECTORY... (extra `language`): a thesaurus for BELAY_WORDS.
MODEL_FOLDER holds a sentence encoder as transformers keeps it, such as all-MiniLM-L6-v2.
"""

import argparse
import logging
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
import transformers
import yaml

from learning.arrays import Floats
from learning.policy import BadPolicy
from sandbox.contracts import storage
from sandbox.contracts.observations import Observation
from sandbox.documents import BadDocument
from sandbox.semantics import thesaurus

log = logging.getLogger("learning.nearest")  # the same when run as a program

LEAST = 0.45  # cosine from which on two phrases may mean the same: people strike out what is wrong
LONGEST = 3  # words of a phrase
OFTEN = 2  # trajectories that show a phrase at least: what only one shows is somebody's name
BATCH = 64
CONTROLS = ("button", "link", "tab", "menuitem", "heading", "combobox", "textbox", "checkbox", "radio", "spinbutton")


class Encoder:
    """Texts as vectors of length one; each text is worked out once."""

    def __init__(self, folder: Path) -> None:
        """Nothing is downloaded, unpickled, or run from the folder. Raises BadPolicy."""
        transformers.utils.logging.disable_progress_bar()  # type: ignore[no-untyped-call]  # it has none
        try:
            self._tokenizer = transformers.AutoTokenizer.from_pretrained(str(folder), local_files_only=True)
            self._model = transformers.AutoModel.from_pretrained(
                str(folder), local_files_only=True, use_safetensors=True, dtype=torch.float32
            ).eval()
        except (OSError, ValueError) as problem:
            raise BadPolicy(f"{folder} holds no sentence encoder with safetensors: {problem}") from problem
        self._kept: dict[str, Floats] = {}

    def __call__(self, texts: Sequence[str]) -> Floats:
        """(N, D), the mean over each text's tokens, scaled to length one."""
        new = sorted(set(texts) - self._kept.keys(), key=lambda each: (len(each), each))
        for start in range(0, len(new), BATCH):
            part = new[start : start + BATCH]
            self._kept.update(zip(part, self._encoded(part), strict=True))
        return np.stack([self._kept[each] for each in texts])

    @torch.no_grad()
    def _encoded(self, texts: Sequence[str]) -> Floats:
        read = self._tokenizer(list(texts), padding=True, truncation=True, max_length=64, return_tensors="pt")
        there = read["attention_mask"][..., None]  # (N, T, 1)
        found = (self._model(**read).last_hidden_state * there).sum(1) / there.sum(1)
        vectors: Floats = torch.nn.functional.normalize(found, dim=1).numpy()
        return vectors


def phrases_of(page: Observation) -> set[str]:
    """What a page's controls say, not what its objects are called."""
    found = {*page.dialogs}
    for each in page.elements:
        if each.role in CONTROLS and not each.row:
            found |= {each.name, each.label, each.group, *each.options}
    return found - {""}


def unknown(words: thesaurus.Thesaurus, text: str) -> Iterator[tuple[str, ...]]:
    """Runs of words of a phrase that the thesaurus does not know; numbers and made-up names end a run."""
    run: list[str] = []
    for token in [*text.lower().split(), ""]:
        plain = token.strip(".,:;()*\u2026")
        if plain.isalpha() and plain.isascii() and words.shared(plain) == plain and plain not in words.meanings:
            run.append(plain)
        elif run:
            yield tuple(run)
            run = []


def split(run: Sequence[str], score: Mapping[tuple[str, ...], float]) -> list[tuple[str, ...]]:
    """The phrases that a run of words is made of: the cut whose phrases score highest together; others are left out."""
    best: list[tuple[float, list[tuple[str, ...]]]] = [(0.0, [])]
    for end in range(1, len(run) + 1):
        choices = [best[end - 1]]
        for start in range(max(0, end - LONGEST), end):
            phrase = tuple(run[start:end])
            if score.get(phrase, 0.0) > 0:
                choices.append((best[start][0] + score[phrase], [*best[start][1], phrase]))
        best.append(max(choices, key=lambda each: each[0]))
    return best[-1][1]


def proposed(
    base: Mapping[str, Any],  # a thesaurus as its file has it
    words: thesaurus.Thesaurus,  # the same, read
    texts: Iterable[str],
    encode: Encoder,
    *,
    least: float = LEAST,
) -> dict[str, dict[str, float]]:
    """By meaning, the new phrases that come near to it, with their cosine."""
    known = [(each["means"], text) for each in base["concepts"] for text in (each["means"], *each.get("en", ()))]
    runs = sorted({run for text in texts for run in unknown(words, text)})
    spans = sorted({run[a:b] for run in runs for a in range(len(run)) for b in range(a + 1, len(run) + 1)[:LONGEST]})
    if not spans:
        return {}
    near = encode([" ".join(each) for each in spans]) @ encode([text for _, text in known]).T  # (S, K)
    nearest = near.argmax(1)
    cosine = {span: float(near[row, nearest[row]]) for row, span in enumerate(spans)}
    means = {span: known[nearest[row]][0] for row, span in enumerate(spans)}
    # A cut into fewer phrases wins by their length where they are alike in nearness.
    score = {span: (each - least) * len(span) for span, each in cosine.items()}
    found: dict[str, dict[str, float]] = {}
    for phrase in sorted({phrase for run in runs for phrase in split(run, score)}):
        found.setdefault(means[phrase], {})[" ".join(phrase)] = round(cosine[phrase], 3)
    return found


def extended(base: Mapping[str, Any], new: Mapping[str, Mapping[str, float]]) -> dict[str, Any]:
    """The thesaurus with the new phrases beside its own."""
    concepts = []
    for each in base["concepts"]:
        more = [text for text in new.get(each["means"], ()) if text not in each.get("en", ())]
        concepts.append({**each, "en": [*each.get("en", ()), *more]} if more else dict(each))
    return {**base, "concepts": concepts}


def shown(files: Sequence[Path], *, often: int = OFTEN) -> list[str]:
    """The phrases that controls say in at least so many of these trajectories."""
    count: dict[str, int] = {}
    for _, trajectory in storage.read(files):
        for text in {text for step in trajectory.steps for text in phrases_of(step.observation)}:
            count[text] = count.get(text, 0) + 1
    return sorted(text for text, number in count.items() if number >= often)


def propose(model: Path, out: Path, files: Sequence[Path], *, base: Path, least: float = LEAST) -> dict[str, Any]:
    """Write the base with what was proposed; returns that by meaning. Raises BadPolicy, BadDocument, BadTrajectory."""
    words, document = thesaurus.load(base), thesaurus.content_of(base)
    new = proposed(document, words, shown(files), Encoder(model), least=least)
    out.write_text(yaml.safe_dump(extended(document, new), allow_unicode=True, sort_keys=False, width=120))
    thesaurus.load(out)  # what cannot be used is told now
    return new


def main(arguments: Sequence[str]) -> int:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model", type=Path, help="folder of a sentence encoder (safetensors)")
    parser.add_argument("out", type=Path, help="the thesaurus to write, to be read by people before it is used")
    parser.add_argument("trajectories", type=Path, nargs="+", help="work in the console, by anybody, good or bad")
    parser.add_argument("--base", type=Path, default=thesaurus.SHIPPED, help="the thesaurus to add to")
    parser.add_argument("--least", type=float, default=LEAST, help="cosine from which on phrases mean the same")
    asked = parser.parse_args(arguments)
    logging.basicConfig(level=logging.WARNING, format="%(message)s")
    log.setLevel(logging.INFO)
    try:
        new = propose(asked.model, asked.out, asked.trajectories, base=asked.base, least=asked.least)
    except (BadPolicy, BadDocument, storage.BadTrajectory, OSError) as problem:
        print(problem, file=sys.stderr)
        return 1
    for means, phrases in sorted(new.items()):
        log.info("%s: %s", means, ", ".join(f"{text} ({cosine})" for text, cosine in phrases.items()))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
