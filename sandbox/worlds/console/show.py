"""Pages of one kind as an agent sees them: `python -m sandbox.worlds.console.show KIND [--variant ID]`."""

import argparse

from sandbox.contracts.actions import Navigate
from sandbox.contracts.observations import Observation
from sandbox.contracts.tasks import Goal, Task
from sandbox.registry import UnknownEnvironment, find_environment
from sandbox.worlds.console.furnish import furnish
from sandbox.worlds.console.tasks import console_of
from sandbox.worlds.console.tree import TreeFace
from sandbox.worlds.console.variant import Variant


def pages(kind_name: str, environment_id: str) -> dict[str, Observation]:
    """The list, the create form and the first object of a kind, by address. Raises KeyError."""
    kind = console_of(environment_id).kind(kind_name)
    if kind.parent:
        raise KeyError(f"{kind_name} has no pages of its own: it is shown with its {kind.parent}")
    task = Task(environment=environment_id, template="", goal=Goal(text=""), seed=1)
    face = TreeFace(furnish(task), Variant.of(environment_id))
    addresses = [f"/{kind.path}", *([f"/{kind.path}/new"] if kind.wizard else [])]
    addresses += [f"/{kind.path}/{it.id}" for it in face.view.world.of_kind(kind.name)[:1]]
    found = {}
    for address in addresses:
        face.act(Navigate(address))
        while face.view.loading:
            face.view.tick()
            face.look()
        found[address] = face.observe()
    return found


def told(observation: Observation) -> str:
    """A page as lines, its navigation left out."""
    lines = []
    for it in observation.elements:
        if it.region in ("main", "dialog"):
            states = f" ({', '.join(it.states)})" if it.states else ""
            value = f" = {it.value!r}" if it.value else ""
            lines.append(f"  {it.role:9} {it.name}{value}{states}")
    return "\n".join([observation.title, *lines])


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kind")
    parser.add_argument("--variant", default="cloud", help="an environment id, such as cloud?locale=zh&list=cards")
    given = parser.parse_args()
    try:
        find_environment(given.variant)  # who has made consoles of their own has them known now
    except UnknownEnvironment as problem:
        parser.error(str(problem))
    kinds = [kind.name for kind in console_of(given.variant).kinds if not kind.parent]
    if given.kind not in kinds:
        parser.error(f"{given.kind} has no pages of its own; these have: {', '.join(kinds)}")
    for address, page in pages(given.kind, given.variant).items():
        print(f"{address}\n{told(page)}\n")


if __name__ == "__main__":
    main()
