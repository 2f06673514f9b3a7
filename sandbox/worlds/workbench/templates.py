"""The kinds of ticket for a workbench, how their blanks are drawn, and thousands of tasks made from them."""

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import count as numbers

from sandbox.contracts.tasks import Environment, Parameter, Risk, Split, Task, Template
from sandbox.registry import Oracle
from sandbox.tasks import GOAL, bind
from sandbox.variants import Dimension, VariantGenerator
from sandbox.worlds.workbench import names
from sandbox.worlds.workbench.bench import OPERATIONS
from sandbox.worlds.workbench.jobs import NAME
from sandbox.worlds.workbench.oracle import BenchOracle

WORKBENCH = Environment(
    id=NAME,
    title="Workbench",
    summary="Files in folders with tools to read, find, move, rename, edit, compute and report: tickets in text.",
    real=False,
    practice=True,
)
DIMENSIONS = (
    Dimension("depth", ("1", "2", "3"), test=("3",)),  # how deep hidden files lie
    Dimension("clutter", ("few", "some", "many"), validation=("many",)),
    Dimension("window", ("12", "6")),  # lines shown at once
    Dimension("words", ("plain", "short", "office", "shell"), validation=("office",), test=("shell",)),
    Dimension("order", ("plain", "writing-first", "reversed"), test=("reversed",)),
    GOAL,
)

Draw = Callable[[random.Random, Split], dict[str, str]]
Phrases = tuple[str, ...]

_PATH = r"[a-z0-9-]+(/[a-z0-9-]+)*/[a-z0-9][a-z0-9.-]*"
_PARAMETERS = {
    each.name: each
    for each in (
        Parameter("file", "File", pattern=_PATH, pattern_help="Give folder and name.", example="etc/proxy.conf"),
        Parameter("source", "Source file", pattern=_PATH, pattern_help="Give folder and name.", example="srv/mail.cfg"),
        Parameter("first", "First file", pattern=_PATH, pattern_help="Give folder and name.", example="etc/a.conf"),
        Parameter("second", "Second file", pattern=_PATH, pattern_help="Give folder and name.", example="etc/b.conf"),
        Parameter("key", "Key", pattern="[a-z]+", pattern_help="Use lowercase letters.", example="timeout"),
        Parameter("source_key", "Source key", pattern="[a-z]+", pattern_help="Use lowercase letters.", example="port"),
        Parameter("link", "Key of the link", pattern="[a-z]+", pattern_help="Use lowercase letters.", example="next"),
        Parameter("value", "Value", kind="integer", minimum=0, maximum=99_999, example="40"),
        Parameter("mark", "Mark", pattern="[a-z]+-[0-9]{3}", pattern_help="As in otter-417.", example="otter-417"),
        Parameter("operation", "Operation", kind="choice", choices=OPERATIONS),
        Parameter("operand", "Operand", kind="integer", minimum=1, maximum=999, example="3"),
        Parameter("name", "New name", pattern=r"[a-z0-9][a-z0-9.-]*", pattern_help="Use a-z, 0-9, . and -."),
        Parameter("folder", "Folder", pattern=r"[a-z0-9-]+(/[a-z0-9-]+)*", pattern_help="Use / between folders."),
    )
}


@dataclass
class BenchTemplate:
    """A template with how to draw its blanks."""

    template: Template
    place: int  # among all templates: says which operations its splits have

    def sample(self, seed: int, split: Split) -> dict[str, str]:
        """Random blanks; the same seed draws the same."""
        chance = random.Random(f"sample:{self.template.id}:{split}:{seed}")  # noqa: S311  # has to be repeatable
        asked = [parameter.name for parameter in self.template.parameters]
        return _draw(chance, split, asked, self.place)

    def oracle(self, task: Task) -> Oracle:
        """Who knows how."""
        return BenchOracle(task)


def operations_of(place: int, split: Split) -> tuple[str, ...]:
    """The operations that a template uses in a split: one of the three is kept for validation or for test."""
    held = OPERATIONS[place % 3]
    if split == ("validation" if place % 2 else "test"):
        return (held,)
    return tuple(each for each in OPERATIONS if each != held)


def _draw(chance: random.Random, split: Split, asked: list[str], place: int) -> dict[str, str]:
    keys = names.keys(chance, split, 2)
    files = _paths(chance, split, sum(name in ("file", "source", "first", "second") for name in asked))
    drawn: dict[str, str] = {}
    for name in asked:
        match name:
            case "file" | "source" | "first" | "second":
                drawn[name] = files.pop()
            case "key" | "source_key":
                drawn[name] = keys.pop()
            case "link":
                drawn[name] = names.link(chance, split)
            case "value":
                drawn[name] = str(names.number(chance, split, 70, 900))
            case "mark":
                drawn[name] = names.mark(chance, split)
            case "operation":
                drawn[name] = chance.choice(operations_of(place, split))
            case "operand":
                drawn[name] = str(names.number(chance, split, 2, 19))
            case "name":
                drawn[name] = names.new_name(chance, split)
            case "folder":
                drawn[name] = _elsewhere(chance, split, drawn.get("file", ""))
    return drawn


def _elsewhere(chance: random.Random, split: Split, path: str) -> str:
    """A folder that this file does not lie in."""
    while True:
        folder = names.folder(chance, split, chance.choice((1, 2)))
        if folder != path.rpartition("/")[0]:
            return folder


def _paths(chance: random.Random, split: Split, count: int) -> list[str]:
    """Different files with different names."""
    found: dict[str, str] = {}
    while len(found) < count:
        name = names.name(chance, split)
        found.setdefault(name, f"{names.folder(chance, split, chance.choice((1, 1, 2)))}/{name}")
    return list(found.values())


_KINDS: tuple[tuple[str, str, str, Risk, Phrases, Phrases], ...] = (
    (
        "set",
        "Set a value",
        "file key value",
        Risk.REVERSIBLE,
        (
            "Set {key} in {file} to {value}.",
            "{file} needs {key} = {value}.",
            "Please change {key} to {value} in {file}.",
        ),
        (
            "将 {file} 中的 {key} 设为 {value}。",
            "{file} 需要 {key} = {value}。",
            "请把 {file} 里的 {key} 改成 {value}。",
        ),
    ),
    (
        "copy",
        "Copy a value from file to file",
        "source source_key file key",
        Risk.REVERSIBLE,
        (
            "Give {key} in {file} the value that {source_key} has in {source}.",
            "Copy {source_key} of {source} into {key} of {file}.",
        ),
        (
            "让 {file} 中的 {key} 取 {source} 中 {source_key} 的值。",
            "把 {source} 的 {source_key} 复制到 {file} 的 {key}。",
        ),
    ),
    (
        "search-set",
        "Set a value that has to be found",
        "mark source_key file key",
        Risk.REVERSIBLE,
        (
            "Find the file that mentions {mark} and set {key} in {file} to its {source_key}.",
            "{key} in {file} must equal {source_key} of the file that has {mark} in it.",
        ),
        (
            "找到提到 {mark} 的文件，把 {file} 中的 {key} 设为其中 {source_key} 的值。",
            "{file} 中的 {key} 必须等于含有 {mark} 的文件里的 {source_key}。",
        ),
    ),
    (
        "search-compute-set",
        "Set a value worked out from one that has to be found",
        "mark source_key operation operand file key",
        Risk.REVERSIBLE,
        (
            "Find the file that mentions {mark}; set {key} in {file} to its {source_key} {operation} {operand}.",
            "{key} of {file} has to be {source_key} {operation} {operand}; {source_key} is where {mark} is named.",
        ),
        (
            "找到提到 {mark} 的文件，把 {file} 中的 {key} 设为其中的 {source_key} {operation} {operand}。",
            "{file} 的 {key} 应为 {source_key} {operation} {operand}，{source_key} 在写有 {mark} 的文件里。",
        ),
    ),
    (
        "search-set-report",
        "Set a found value and report it",
        "mark source_key file key",
        Risk.REVERSIBLE,
        (
            "Find the file that mentions {mark}, set {key} in {file} to its {source_key}, and report the value.",
            "Take {source_key} from the file with {mark}, write it to {key} in {file}, then report it.",
        ),
        (
            "找到提到 {mark} 的文件，把 {file} 中的 {key} 设为其中 {source_key} 的值，并上报该值。",
            "从含有 {mark} 的文件取 {source_key}，写入 {file} 的 {key}，然后上报。",
        ),
    ),
    (
        "search-report",
        "Report a value that has to be found",
        "mark source_key",
        Risk.REVERSIBLE,
        (
            "What is {source_key} in the file that mentions {mark}? Report it.",
            "Report the {source_key} of the file that has {mark} in it.",
        ),
        ("提到 {mark} 的文件里 {source_key} 是多少？请上报。", "上报含有 {mark} 的文件中的 {source_key}。"),
    ),
    (
        "search-compute-report",
        "Report a value worked out from one that has to be found",
        "mark source_key operation operand",
        Risk.REVERSIBLE,
        (
            "Report {source_key} {operation} {operand} for the file that mentions {mark}.",
            "Find {mark}, take {source_key} there, and report it {operation} {operand}.",
        ),
        (
            "就提到 {mark} 的文件，上报 {source_key} {operation} {operand} 的结果。",
            "找到 {mark}，取那里的 {source_key}，{operation} {operand} 之后上报。",
        ),
    ),
    (
        "pair-report",
        "Report what two values come to",
        "first second source_key operation",
        Risk.REVERSIBLE,
        (
            "Report {source_key} of {first} {operation} {source_key} of {second}.",
            "Work out {source_key} in {first} {operation} the one in {second}, and report it.",
        ),
        (
            "上报 {first} 的 {source_key} {operation} {second} 的 {source_key} 的结果。",
            "算出 {first} 中的 {source_key} {operation} {second} 中的同一项，并上报。",
        ),
    ),
    (
        "pair-set",
        "Set what two values come to",
        "first second source_key operation file key",
        Risk.REVERSIBLE,
        (
            "Set {key} in {file} to {source_key} of {first} {operation} {source_key} of {second}.",
            "{key} in {file} has to be {source_key} from {first} {operation} that from {second}.",
        ),
        (
            "把 {file} 中的 {key} 设为 {first} 的 {source_key} {operation} {second} 的 {source_key}。",
            "{file} 的 {key} 应为 {first} 里的 {source_key} {operation} {second} 里的同一项。",
        ),
    ),
    (
        "count-report",
        "Report how many files mention something",
        "mark",
        Risk.REVERSIBLE,
        ("How many files mention {mark}? Report the number.", "Count the files with {mark} in them and report it."),
        ("有多少个文件提到 {mark}？请上报数量。", "数一数含有 {mark} 的文件，并上报个数。"),
    ),
    (
        "rename",
        "Rename a file",
        "file name",
        Risk.REVERSIBLE,
        ("Rename {file} to {name}.", "{file} should be called {name}."),
        ("将 {file} 重命名为 {name}。", "{file} 应该叫做 {name}。"),
    ),
    (
        "move",
        "Move a file",
        "file folder",
        Risk.REVERSIBLE,
        ("Move {file} to the folder {folder}.", "{file} belongs into {folder}."),
        ("把 {file} 移到文件夹 {folder}。", "{file} 应当放在 {folder} 里。"),
    ),
    (
        "search-rename",
        "Rename a file that has to be found",
        "mark name",
        Risk.REVERSIBLE,
        ("Rename the file that mentions {mark} to {name}.", "The file with {mark} in it should be called {name}."),
        ("将提到 {mark} 的文件重命名为 {name}。", "含有 {mark} 的那个文件应该叫做 {name}。"),
    ),
    (
        "search-move",
        "Move a file that has to be found",
        "mark folder",
        Risk.REVERSIBLE,
        ("Move the file that mentions {mark} to {folder}.", "Find {mark} and put its file into the folder {folder}."),
        ("把提到 {mark} 的文件移到 {folder}。", "找到 {mark}，把它所在的文件放进文件夹 {folder}。"),
    ),
    (
        "search-delete",
        "Delete a file that has to be found",
        "mark",
        Risk.DESTRUCTIVE,
        ("Delete the file that mentions {mark}.", "{mark} is gone: remove the file that speaks of it, and no other."),
        ("删除提到 {mark} 的文件。", "{mark} 已经不在了：删掉提到它的文件，别的不要动。"),
    ),
    (
        "link-report",
        "Report a value from a file that another one names",
        "file link source_key",
        Risk.REVERSIBLE,
        (
            "{file} names another file under {link}. Report {source_key} of that one.",
            "Follow {link} in {file} to the file it names and report its {source_key}.",
        ),
        (
            "{file} 用 {link} 指向另一个文件。上报那个文件的 {source_key}。",
            "顺着 {file} 中的 {link} 找到它指的文件，上报其中的 {source_key}。",
        ),
    ),
    (
        "link-compute-report",
        "Report a value worked out from a file that another one names",
        "file link source_key operation operand",
        Risk.REVERSIBLE,
        (
            "{file} names another file under {link}. Report {source_key} of that one {operation} {operand}.",
            "Follow {link} in {file}, take {source_key} there, and report it {operation} {operand}.",
        ),
        (
            "{file} 用 {link} 指向另一个文件。上报那个文件的 {source_key} {operation} {operand} 的结果。",
            "顺着 {file} 中的 {link}，取那里的 {source_key}，{operation} {operand} 之后上报。",
        ),
    ),
)
TEMPLATES = tuple(
    BenchTemplate(
        Template(
            id=f"{NAME}/{name}",
            environment=NAME,
            title=title,
            summary=f"{title}.",
            parameters=tuple(_PARAMETERS[blank] for blank in blanks.split()),
            phrases=phrases,
            phrases_zh=phrases_zh,
            risk=risk,
            max_steps=40,
        ),
        place,
    )
    for place, (name, title, blanks, risk, phrases, phrases_zh) in enumerate(_KINDS)
)


def tasks(split: Split, count: int, *, first_seed: int = 0) -> Iterator[Task]:
    """So many different tasks of a split, every template and variant in turn; the same call gives the same ones."""
    variants = VariantGenerator(NAME, DIMENSIONS)
    told: set[tuple[str, str]] = set()
    for seed in numbers(first_seed):
        if len(told) == count:
            return
        template = TEMPLATES[seed % len(TEMPLATES)]
        chance = random.Random(f"tasks:{split}:{seed}")  # noqa: S311  # has to be repeatable
        recipe = variants.recipe(variants.draw(chance, split))
        kept = {name: value for name, value in recipe.items() if value != variants.dimensions[name].values[0]}
        task = bind(template.template, template.sample(seed, split), seed=seed, recipe=kept)
        if (task.environment, task.goal.text) not in told:
            told.add((task.environment, task.goal.text))
            yield task
