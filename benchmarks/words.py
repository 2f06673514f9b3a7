"""A console in words that no demonstration had: read as they are, by sentence vectors, by the shipped thesaurus.

The same policy, the same held-out tasks. BELAY_SENTENCE_MODEL names the folder of a sentence encoder (safetensors);
it knows the meanings by the words of the plain console alone, and sees the other console's pages, not its tasks.
"""

import multiprocessing
import os
import tempfile
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import yaml

from benchmarks import Result, console
from learning import nearest
from learning.rollouts import Episode, Played, play_all
from sandbox.contracts import storage
from sandbox.semantics import thesaurus

MODEL = "BELAY_SENTENCE_MODEL"
KEPT = console.HELD_OUT["words"]
PAGES = 24  # walks through the console whose pages are read for new words
WALKS = 6_000_000  # seeds of these


def run(*, quick: bool) -> Result:
    """Verified share by words that the vectors proposed, less the share without any thesaurus of the new words."""
    model = os.environ.get(MODEL, "")
    if not model:
        raise RuntimeError(f"{MODEL} names no folder of a sentence encoder, such as all-MiniLM-L6-v2")
    with tempfile.TemporaryDirectory(prefix="belay-words-") as held:
        plain, proposed = Path(held) / "plain.yaml", Path(held) / "proposed.yaml"
        plain.write_text(yaml.safe_dump(_plain(), allow_unicode=True, sort_keys=False))
        new = nearest.propose(Path(model), proposed, _pages(Path(held)), base=plain)
        print(f"{sum(map(len, new.values()))} phrases proposed for {len(new)} meanings")
        files = {"as they are": plain, "sentence vectors": proposed, "shipped thesaurus": thesaurus.SHIPPED}
        shares = {name: console.tell(name, _judged(file, quick=quick)) for name, file in files.items()}
    gained = shares["sentence vectors"] - shares["as they are"]
    count = len(files) * len(console.asked(KEPT, quick=quick))
    return Result(value=round(gained, 3), unit="share gained", bar=">= 0", holds=gained >= 0, n=count)


def _plain() -> dict[str, object]:
    """The shipped thesaurus as if only the plain console's words were known: the first English one of each meaning."""
    content = thesaurus.content_of(thesaurus.SHIPPED)
    concepts = [{"means": each["means"], "en": each["en"][:1]} for each in content["concepts"] if each.get("en")]
    meanings = {each["means"] for each in concepts}
    return {
        **content,
        "concepts": concepts,
        "things": [each for each in content["things"] if each in meanings],
    }


def _pages(folder: Path) -> list[Path]:
    """Walks through the console in its other words."""
    every = console.asked(KEPT, quick=False)
    asked = every[:: max(1, len(every) // PAGES)]
    walks = [
        Episode(each.template, WALKS + number, "validation", "demonstrate", variant=each.variant)
        for number, each in enumerate(asked)
    ]
    files = []
    for number, each in enumerate(play_all(walks)):
        if each.trajectory is not None:
            files.append(folder / f"{number}.belay")
            files[-1].write_bytes(storage.pack(each.trajectory))
    return files


def _judged(words: Path, *, quick: bool) -> list[Played]:
    """In a process of its own: what is read is kept there by text."""
    os.environ[thesaurus.CHOSEN] = str(words)
    try:
        with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
            return pool.submit(console.judged, console.policy(), KEPT, quick=quick).result()
    finally:
        del os.environ[thesaurus.CHOSEN]
