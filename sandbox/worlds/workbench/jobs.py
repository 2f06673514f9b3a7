"""Each kind of ticket as a job: what lies where at first, and what is wanted."""

from collections.abc import Callable, Mapping

from sandbox.contracts.tasks import Task
from sandbox.tasks import parameters_of
from sandbox.variants import parse
from sandbox.worlds.workbench.ground import Ground
from sandbox.worlds.workbench.wants import (
    At,
    Computed,
    Counted,
    Delete,
    Found,
    Given,
    Job,
    Linked,
    Move,
    Read,
    Rename,
    Report,
    Set,
    Value,
    Want,
)

NAME = "workbench"
DEFAULTS = {"depth": "1", "clutter": "few", "window": "12", "words": "plain", "order": "plain"}

Blanks = Mapping[str, str]
Wants = tuple[Want, ...]


def recipe(task: Task) -> dict[str, str]:
    """How this task's variant differs, plain values included."""
    return {**DEFAULTS, **parse(task.environment)[1]}


def job_of(task: Task) -> Job:
    """The job of a task; the same task gives the same job. A free text has files and wants nothing."""
    given, blanks = recipe(task), parameters_of(task)
    seed = f"ground:{task.template}:{task.seed}:{sorted(blanks.items())}"
    ground = Ground(seed, depth=int(given["depth"]), clutter=given["clutter"])
    wants = _LAID[task.template.removeprefix(f"{NAME}/")](ground, blanks) if task.template else ()
    keys = tuple(blanks[name] for name in ("source_key", "key", "link") if name in blanks)
    ground.surround(keys, blanks.get("mark", ""))
    return Job(ground.files(keys), tuple(sorted(ground.folders)), int(given["window"]), wants)


def _target(ground: Ground, blanks: Blanks, value: Value, text: str) -> Set:
    """A key in the file that the ticket names, holding something else than it shall."""
    number = ground.at(blanks["file"])
    ground.put(number, blanks["key"], ground.another(text))
    return Set(At(number), blanks["key"], value)


def _found(ground: Ground, blanks: Blanks) -> Found:
    number = ground.hidden(outside=blanks.get("folder", ""))
    ground.mention(number, blanks["mark"])
    return Found(number, blanks["mark"])


def _found_value(ground: Ground, blanks: Blanks) -> tuple[Read, str]:
    reach = _found(ground, blanks)
    value = str(ground.number(20, 60))
    ground.put(reach.file, blanks["source_key"], value)
    return Read(reach, blanks["source_key"]), value


def _computed(base: Read, value: str, blanks: Blanks) -> tuple[Computed, str]:
    result = Computed(base, blanks["operation"], Given(blanks["operand"]))
    numbers = int(value), int(blanks["operand"])
    return result, str(
        {"plus": sum(numbers), "minus": numbers[0] - numbers[1], "times": numbers[0] * numbers[1]}[blanks["operation"]]
    )


def _pair(ground: Ground, blanks: Blanks) -> tuple[Computed, str]:
    first, second = ground.at(blanks["first"]), ground.at(blanks["second"])
    one, two = ground.number(30, 60), ground.number(4, 20)
    key = blanks["source_key"]
    ground.put(first, key, str(one))
    ground.put(second, key, str(two))
    value = Computed(Read(At(first), key), blanks["operation"], Read(At(second), key))
    return value, str({"plus": one + two, "minus": one - two, "times": one * two}[blanks["operation"]])


def _linked_value(ground: Ground, blanks: Blanks) -> tuple[Read, str]:
    by, number = ground.at(blanks["file"]), ground.hidden()
    ground.put(by, blanks["link"], ground.paths[number].rpartition("/")[2])
    value = str(ground.number(20, 60))
    ground.put(number, blanks["source_key"], value)
    return Read(Linked(number, by, blanks["link"]), blanks["source_key"]), value


def _set(ground: Ground, blanks: Blanks) -> Wants:
    return (_target(ground, blanks, Given(blanks["value"]), blanks["value"]),)


def _copy(ground: Ground, blanks: Blanks) -> Wants:
    source, value = ground.at(blanks["source"]), str(ground.number())
    ground.put(source, blanks["source_key"], value)
    return (_target(ground, blanks, Read(At(source), blanks["source_key"]), value),)


def _search_set(ground: Ground, blanks: Blanks) -> Wants:
    read, value = _found_value(ground, blanks)
    return (_target(ground, blanks, read, value),)


def _search_compute_set(ground: Ground, blanks: Blanks) -> Wants:
    computed, text = _computed(*_found_value(ground, blanks), blanks)
    return (_target(ground, blanks, computed, text),)


def _search_set_report(ground: Ground, blanks: Blanks) -> Wants:
    read, value = _found_value(ground, blanks)
    return (_target(ground, blanks, read, value), Report(read))


def _search_report(ground: Ground, blanks: Blanks) -> Wants:
    return (Report(_found_value(ground, blanks)[0]),)


def _search_compute_report(ground: Ground, blanks: Blanks) -> Wants:
    return (Report(_computed(*_found_value(ground, blanks), blanks)[0]),)


def _pair_report(ground: Ground, blanks: Blanks) -> Wants:
    return (Report(_pair(ground, blanks)[0]),)


def _pair_set(ground: Ground, blanks: Blanks) -> Wants:
    return (_target(ground, blanks, *_pair(ground, blanks)),)


def _count_report(ground: Ground, blanks: Blanks) -> Wants:
    for _ in range(ground.chance.randint(2, 5)):
        ground.mention(ground.hidden(), blanks["mark"])
    return (Report(Counted(blanks["mark"])),)


def _rename(ground: Ground, blanks: Blanks) -> Wants:
    return (Rename(At(ground.at(blanks["file"])), blanks["name"]),)


def _move(ground: Ground, blanks: Blanks) -> Wants:
    ground.folder(blanks["folder"])
    return (Move(At(ground.at(blanks["file"])), blanks["folder"]),)


def _search_rename(ground: Ground, blanks: Blanks) -> Wants:
    return (Rename(_found(ground, blanks), blanks["name"]),)


def _search_move(ground: Ground, blanks: Blanks) -> Wants:
    ground.folder(blanks["folder"])
    return (Move(_found(ground, blanks), blanks["folder"]),)


def _search_delete(ground: Ground, blanks: Blanks) -> Wants:
    return (Delete(_found(ground, blanks)),)


def _link_report(ground: Ground, blanks: Blanks) -> Wants:
    return (Report(_linked_value(ground, blanks)[0]),)


def _link_compute_report(ground: Ground, blanks: Blanks) -> Wants:
    return (Report(_computed(*_linked_value(ground, blanks), blanks)[0]),)


_LAID: Mapping[str, Callable[[Ground, Blanks], Wants]] = {
    "set": _set,
    "copy": _copy,
    "search-set": _search_set,
    "search-compute-set": _search_compute_set,
    "search-set-report": _search_set_report,
    "search-report": _search_report,
    "search-compute-report": _search_compute_report,
    "pair-report": _pair_report,
    "pair-set": _pair_set,
    "count-report": _count_report,
    "rename": _rename,
    "move": _move,
    "search-rename": _search_rename,
    "search-move": _search_move,
    "search-delete": _search_delete,
    "link-report": _link_report,
    "link-compute-report": _link_compute_report,
}
