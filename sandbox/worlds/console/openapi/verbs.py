"""Verbs of kinds made from API documents: edits from updates, buttons from actions, deletion, and paired states."""

from collections.abc import Iterator

from msgspec.structs import replace

from sandbox.contracts.tasks import Risk
from sandbox.worlds.console.declare import Field, Kind, Slow, Verb
from sandbox.worlds.console.openapi.fields import Names, field_of
from sandbox.worlds.console.openapi.paths import Operation, Resource
from sandbox.worlds.console.openapi.schema import Flattener
from sandbox.worlds.console.openapi.words import open_title, risk, sentence, singular, slug, title, words

_TOGETHER = 4  # fields of one dialog
_MOST_EDITS = 6
_PAIRS = {  # verb and its contrary -> the states they lead to
    ("start", "stop"): ("running", "stopped"),
    ("resume", "pause"): ("active", "paused"),
    ("resume", "suspend"): ("active", "suspended"),
    ("enable", "disable"): ("enabled", "disabled"),
    ("activate", "deactivate"): ("active", "inactive"),
    ("unlock", "lock"): ("unlocked", "locked"),
    ("unarchive", "archive"): ("active", "archived"),
    ("unsuspend", "suspend"): ("active", "suspended"),
    ("publish", "unpublish"): ("published", "draft"),
    ("mount", "unmount"): ("mounted", "unmounted"),
}
_FILLERS = {"by", "the", "a", "an", "of", "to", "for", "post", "put", "patch", "v1", "v2", "api", "one", "single"}


def edits(kind: Kind, changed: set[str], left: list[tuple[str, str]]) -> Iterator[Verb]:
    """Dialogs that change a few fields each; what a name or a condition hangs on stays as it is."""
    leading = {name for each in kind.fields for name, _ in each.visible_when}
    fits = [f for f in kind.fields if f.name in changed and f.name not in {"name", *leading} and not f.generated]
    fits = [f for f in fits if f.type != "choice" or len(f.choices) > 1]
    rooms: dict[object, list[Field]] = {}
    for each in fits:
        alone = each.type in ("reference", "tags", "secret")
        rooms.setdefault((each.visible_when, each.name if alone else ""), []).append(each)
    made = 0
    for room in rooms.values():
        for at in range(0, len(room), _TOGETHER):
            some = room[at : at + _TOGETHER]
            if made == _MOST_EDITS:
                left.append(
                    (f"{kind.title}: {some[0].title}", f"a kind has at most {_MOST_EDITS} dialogs that change it")
                )
                continue
            first = some[0].title
            shown = (
                "Edit" if made == 0 and len(room) > 1 else f"Change {first if first[1:2].isupper() else first.lower()}"
            )
            name = "edit" if shown == "Edit" else slug(f"change {some[0].name}")
            secret = any(f.type == "secret" for f in some)
            cost = Risk.CREDENTIAL if secret else risk(" ".join(f.title for f in some), method="PUT")
            cost = cost if cost is Risk.CREDENTIAL else Risk.REVERSIBLE
            yield Verb(name, shown, cost, "was changed", fields=tuple(f.name for f in some))
            made += 1


def actions(
    kind: Kind, resource: Resource, flat: Flattener, names: Names, left: list[tuple[str, str]]
) -> tuple[list[Verb], list[Field]]:
    """Buttons for what can be done to one object, and the fields that their dialogs ask for beside the kind's own."""
    made: list[Verb] = []
    extra: list[Field] = []
    for suffix, operation in resource.actions:
        shown = _button(suffix, operation, kind)
        if shown in ("Delete", "Edit") or any(verb.title == shown for verb in made):
            left.append((operation.name, f"there is a button {shown} already"))
            continue
        asked = _asked(kind, operation, flat, names, extra)
        cost = risk(f"{shown} {suffix}", method=operation.method)
        told = sentence(operation.node.text("description") or operation.node.text("summary"))
        told = told if len(told) > 12 else ""
        made.append(
            Verb(slug(shown), shown, cost, f"was told to {shown.lower()}", warning=told, fields=asked)
            if not asked
            else Verb(slug(shown), shown, cost, "was changed", warning=told, fields=asked)
        )
    return made, extra


def _button(suffix: str, operation: Operation, kind: Kind) -> str:
    """Words for a button: an action's own, or from its operation, without the noun of what it is done to."""
    said = [*words(suffix)]
    if not said:
        own = {*words(kind.title), *(singular(word) for word in words(kind.title)), *_FILLERS}
        said = [word for word in words(operation.title) if singular(word) not in own and word not in own] or ["run"]
    elif operation.method == "delete":
        said = ["remove", *said]
    elif operation.method in ("put", "patch") or operation.body is not None:
        said = said if said[0] in _DOING else ["set", *said]
    return open_title(title(" ".join(said[:4])))


_DOING_WORDS = """
start stop restart reboot pause resume suspend enable disable activate deactivate lock unlock archive publish
cancel retry run execute trigger scan sync refresh rotate reset move copy clone attach detach add remove clear
flush notify rectify verify approve reject import export transfer merge close open reopen resize scale send
resend test assign unassign invite accept decline restore rollback undo axfr mount unmount migrate rename
"""
_DOING = frozenset(_DOING_WORDS.split())


def _asked(kind: Kind, operation: Operation, flat: Flattener, names: Names, extra: list[Field]) -> tuple[str, ...]:
    """Fields that an action's dialog asks for."""
    if operation.body is None or not flat.is_object(operation.body):
        return ()
    asked: list[str] = []
    own = {f.name: f for f in (*kind.fields, *extra)}
    for each in flat.properties(operation.body, place=operation.name):
        if each.type in ("rows", "tags") or each.when or len(asked) == _TOGETHER:
            continue
        known = names.names.get(each.path)
        if known in own and own[known].type != "reference" and not own[known].visible_when and not own[known].generated:
            asked.append(own[known].name)
        elif known is None and each.path != ("name",):
            made = field_of(each, names, asked=True, known=(), left=[])
            if made is not None:
                made = replace(made, required=False, default="" if made.type != "boolean" else made.default)
                extra.append(made)
                own[made.name] = made
                asked.append(made.name)
    return tuple(asked)


def deletion(kind: Kind, operation: Operation) -> Verb:
    """Deletion; what is made in few words can be ticked in the list."""
    bulk = len(kind.fields) < 5
    return Verb(
        name="delete",
        title="Delete",
        risk=Risk.DESTRUCTIVE,
        done="is being deleted" if operation.is_slow else "was deleted",
        confirm="modal" if bulk else "typed",
        deletes=True,
        bulk=bulk,
        slow=Slow(via="deleting") if operation.is_slow else None,
        warning="It is gone for good.",
    )


def with_states(kind: Kind) -> Kind:
    """Where two verbs are contraries, each is possible in the state to which the other leads."""
    by_word = {words(verb.title)[0]: verb for verb in kind.verbs if len(words(verb.title)) == 1 and not verb.fields}
    for (one, other), states in _PAIRS.items():
        if one in by_word and other in by_word and not kind.states:
            pair = {by_word[one].name: (states[0], states[1]), by_word[other].name: (states[1], states[0])}
            verbs = tuple(
                replace(
                    verb,
                    from_states=(pair[verb.name][1],),
                    slow=Slow(via=f"{verb.title.lower()} under way", to=pair[verb.name][0], ticks=1),
                )
                if verb.name in pair
                else verb
                for verb in kind.verbs
            )
            columns = (kind.columns[0], "state", *kind.columns[1:4])
            return replace(kind, states=states, verbs=verbs, columns=columns)
    return kind
