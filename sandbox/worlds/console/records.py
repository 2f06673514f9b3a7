"""What a console's world holds and tells: objects, the audit log's entries, plans of others, snapshots, refusals."""

from collections.abc import Mapping
from http import HTTPStatus

from msgspec import Struct

PAGE = "operator"  # the actor of what is done through the page
_NOTHING: Mapping[str, str] = {}


class Object(Struct, frozen=True, forbid_unknown_fields=True, gc=False):
    """One resource. References hold ids; `ticks` > 0 means that it is on its way to the state `then`."""

    id: str
    kind: str
    values: tuple[str, ...]  # in the order of the kind's fields
    state: str = ""
    then: str = ""
    ticks: int = 0
    leaving: bool = False  # on its way out of the world


class Entry(Struct, frozen=True, forbid_unknown_fields=True):
    """One attempted write in the audit log."""

    number: int
    tick: int
    event: str  # "<kind>.create" or "<kind>.<verb>"
    object_id: str  # "" where nothing was made
    label: str
    accepted: bool
    detail: str = ""  # why it was refused
    values: Mapping[str, str] = _NOTHING
    actor: str = PAGE


class Planned(Struct, frozen=True, forbid_unknown_fields=True):
    """What somebody else is going to do at a tick; refused, it just does not happen."""

    tick: int
    actor: str
    object_id: str  # for the verb "create": the kind's name
    verb: str
    values: Mapping[str, str] = _NOTHING


class Snapshot(Struct, frozen=True, forbid_unknown_fields=True):
    """Everything that a world holds."""

    seed: str
    tick: int
    made: dict[str, int]
    filled: tuple[str, ...]
    objects: tuple[Object, ...]
    audit: tuple[Entry, ...]
    limits: dict[str, int] = {}
    agenda: tuple[Planned, ...] = ()


class Refused(Exception):
    """The console does not do it; `errors` names fields where fields are to blame."""

    def __init__(self, status: HTTPStatus, message: str, errors: Mapping[str, str] | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.message = message
        self.errors = dict(errors or {})
