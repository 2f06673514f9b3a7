"""Fields, tabs and verbs that several kinds have."""

from sandbox.contracts.tasks import Risk
from sandbox.worlds.console.declare import Field, Slow, Tab, Verb

ZONES = ("zone-a", "zone-b", "zone-c")
SIZES = ("small", "medium", "large", "xlarge")
IMAGES = ("debian-13", "ubuntu-24.04", "alma-10", "windows-2025")

NAME = Field(
    name="name",
    title="Name",
    pattern=r"[a-z][a-z0-9-]{1,38}[a-z0-9]",
    pattern_help="3 to 40 lower-case letters, digits and hyphens, beginning with a letter, not ending with a hyphen",
    check="unique",
)
ZONE = Field(name="zone", title="Zone", type="choice", choices=ZONES, default="zone-a")
SIZE = Field(
    name="size",
    title="Size",
    type="choice",
    choices=SIZES,
    default="small",
    help="small 1 vCPU 2 GB, medium 2 vCPU 8 GB, large 4 vCPU 16 GB, xlarge 8 vCPU 32 GB",
)
DESCRIPTION = Field(name="description", title="Description", required=False, max_length=120)
NETWORK = Field(
    name="network",
    title="Network",
    type="reference",
    references="network",
    required=False,
    help="Empty: the account's default network",
)
ACTIVITY = Tab(name="activity", title="Activity", activity=True)
DELETING = Slow(via="deleting")


def edit(*fields: str, title: str = "Edit", name: str = "edit", risk: Risk = Risk.REVERSIBLE) -> Verb:
    """A change of some fields in place."""
    return Verb(name=name, title=title, risk=risk, done="was changed", fields=fields)


def delete(warning: str, *, bulk: bool = False, from_states: tuple[str, ...] = (), slow: bool = False) -> Verb:
    """Deletion; what can be ticked in a list is not asked for its name."""
    return Verb(
        name="delete",
        title="Delete",
        risk=Risk.DESTRUCTIVE,
        done="is being deleted" if slow else "was deleted",
        confirm="modal" if bulk else "typed",
        from_states=from_states,
        deletes=True,
        bulk=bulk,
        slow=DELETING if slow else None,
        warning=warning,
    )
