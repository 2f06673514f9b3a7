"""Databases and the accounts in them."""

from sandbox.contracts.tasks import Risk
from sandbox.worlds.console.declare import Field, Kind, Price, Quota, Slow, Tab, Verb, WizardStep
from sandbox.worlds.console.kinds.shared import ACTIVITY, NAME, NETWORK, SIZE, ZONE, delete, edit

ENGINES = ("postgres-17", "postgres-16", "mysql-8", "mariadb-11")

DATABASE = Kind(
    name="database",
    title="Database",
    plural="Databases",
    group="Databases",
    prefix="db",
    summary="Databases that are run for you",
    fields=(
        NAME,
        Field(name="engine", title="Engine", type="choice", choices=ENGINES, default="postgres-17"),
        ZONE,
        SIZE,
        Field(
            name="storage_gb",
            title="Storage (GB)",
            type="integer",
            minimum=20,
            maximum=4000,
            check="grows",
            default="100",
        ),
        NETWORK,
        Field(name="backup_days", title="Backups kept (days)", type="integer", minimum=0, maximum=90, default="7"),
        Field(name="host", title="Host", generated="hostname"),
    ),
    columns=("name", "state", "engine", "zone", "size"),
    filters=("state", "engine", "zone"),
    drawer=("state", "engine", "size", "storage_gb", "host"),
    create_title="Create database",
    create_risk=Risk.COST,
    created="is being created",
    create_slow=Slow(via="creating", to="running", ticks=3),
    wizard=(
        WizardStep(title="Engine", fields=("name", "engine", "zone")),
        WizardStep(title="Capacity", fields=("size", "storage_gb")),
        WizardStep(title="Operation", fields=("network", "backup_days")),
    ),
    tabs=(
        Tab(name="overview", title="Overview", fields=("state", "engine", "zone", "size", "storage_gb")),
        Tab(name="operation", title="Operation", fields=("network", "backup_days", "host")),
        Tab(name="accounts", title="Accounts", rows_of="database_account"),
        ACTIVITY,
    ),
    states=("running", "stopped"),
    verbs=(
        Verb(
            name="start",
            title="Start",
            risk=Risk.COST,
            done="is starting",
            from_states=("stopped",),
            slow=Slow(via="starting", to="running"),
        ),
        Verb(
            name="stop",
            title="Stop",
            risk=Risk.REVERSIBLE,
            done="is stopping",
            from_states=("running",),
            slow=Slow(via="stopping", to="stopped"),
            warning="Nobody can reach it until it is started again.",
        ),
        Verb(
            name="restart",
            title="Restart",
            risk=Risk.REVERSIBLE,
            done="is restarting",
            from_states=("running",),
            slow=Slow(via="restarting", to="running"),
            warning="Open connections are cut.",
        ),
        Verb(
            name="resize",
            title="Resize",
            risk=Risk.COST,
            done="is being resized",
            from_states=("stopped",),
            fields=("size",),
            slow=Slow(via="resizing"),
            warning="The price follows the size.",
        ),
        Verb(
            name="extend",
            title="Extend storage",
            risk=Risk.COST,
            done="was extended",
            from_states=("running", "stopped"),
            fields=("storage_gb",),
            warning="Storage can grow, never shrink.",
        ),
        edit("backup_days", title="Change backups", name="change_backups"),
        delete("The database and its backups are gone for good.", slow=True, from_states=("stopped",)),
    ),
    quotas=(Quota(title="databases", limit=20),),
    price=Price(base=1500, per_unit=(("storage_gb", 12),)),
)

DATABASE_ACCOUNT = Kind(
    name="database_account",
    title="Account",
    plural="Database accounts",
    group="Databases",
    prefix="da",
    fields=(
        Field(name="database", title="Database", type="reference", references="database"),
        Field(
            name="login", title="Login", pattern=r"[a-z][a-z0-9_]{1,30}", pattern_help="2 to 31 letters, digits and _"
        ),
        Field(name="rights", title="Rights", type="choice", choices=("read", "write", "admin"), default="read"),
        Field(name="password", title="Password", type="secret", required=False, help="Empty: one is made for you"),
    ),
    columns=("login", "rights"),
    create_title="Add account",
    create_risk=Risk.CREDENTIAL,
    created="was added",
    wizard=(WizardStep(title="Account", fields=("login", "rights", "password")),),
    verbs=(
        edit("rights", title="Change rights", name="change_rights", risk=Risk.CREDENTIAL),
        Verb(
            name="remove",
            title="Remove",
            risk=Risk.DESTRUCTIVE,
            done="was removed",
            deletes=True,
            warning="Programs that use this account can no longer connect.",
        ),
    ),
    quotas=(Quota(title="accounts in this database", limit=10, per="database"),),
    parent="database",
    label="{login}",
)
