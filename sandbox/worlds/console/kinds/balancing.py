"""Load balancing: balancers with listeners, pools with members, certificates."""

from sandbox.contracts.tasks import Risk
from sandbox.worlds.console.declare import Field, Kind, Price, Quota, Slow, Tab, Verb, WizardStep
from sandbox.worlds.console.kinds.shared import ACTIVITY, NAME, delete, edit

_PORT = Field(name="port", title="Port", type="integer", minimum=1, maximum=65535)

LOAD_BALANCER = Kind(
    name="load_balancer",
    title="Load balancer",
    plural="Load balancers",
    group="Load balancing",
    prefix="lb",
    summary="One address for many instances",
    fields=(
        NAME,
        Field(name="scheme", title="Scheme", type="choice", choices=("public", "internal"), default="public"),
        Field(
            name="network",
            title="Network",
            type="reference",
            references="network",
            required=False,
            visible_when=(("scheme", ("internal",)),),
        ),
        Field(name="host", title="Host", generated="hostname"),
    ),
    columns=("name", "state", "scheme", "host"),
    filters=("state", "scheme"),
    create_title="Create load balancer",
    create_risk=Risk.COST,
    created="is being created",
    create_slow=Slow(via="creating", to="active", ticks=3),
    wizard=(WizardStep(title="Load balancer", fields=("name", "scheme", "network")),),
    tabs=(
        Tab(name="overview", title="Overview", fields=("state", "scheme", "network", "host")),
        Tab(name="listeners", title="Listeners", rows_of="listener"),
        ACTIVITY,
    ),
    states=("active", "disabled"),
    verbs=(
        Verb(
            name="disable",
            title="Disable",
            risk=Risk.REVERSIBLE,
            done="was disabled",
            from_states=("active",),
            slow=Slow(via="disabling", to="disabled", ticks=1),
            warning="Nobody reaches what stands behind it.",
        ),
        Verb(
            name="enable",
            title="Enable",
            risk=Risk.REVERSIBLE,
            done="was enabled",
            from_states=("disabled",),
            slow=Slow(via="enabling", to="active", ticks=1),
        ),
        delete("The load balancer and its address are gone for good.", from_states=("active", "disabled")),
    ),
    quotas=(Quota(title="load balancers", limit=15),),
    price=Price(base=1800),
)

LISTENER = Kind(
    name="listener",
    title="Listener",
    plural="Listeners",
    group="Load balancing",
    prefix="li",
    fields=(
        Field(name="load_balancer", title="Load balancer", type="reference", references="load_balancer"),
        Field(name="protocol", title="Protocol", type="choice", choices=("http", "https", "tcp"), default="http"),
        _PORT,
        Field(name="pool", title="Pool", type="reference", references="pool"),
        Field(
            name="certificate",
            title="Certificate",
            type="reference",
            references="certificate",
            visible_when=(("protocol", ("https",)),),
        ),
    ),
    columns=("protocol", "port", "pool", "certificate"),
    create_title="Add listener",
    created="was added",
    wizard=(WizardStep(title="Listener", fields=("protocol", "port", "pool", "certificate")),),
    verbs=(
        edit("pool", title="Change pool", name="change_pool"),
        edit("certificate", title="Change certificate", name="change_certificate"),
        Verb(
            name="remove",
            title="Remove",
            risk=Risk.DESTRUCTIVE,
            done="was removed",
            deletes=True,
            warning="Nobody is served at this port any more.",
        ),
    ),
    quotas=(Quota(title="listeners of this load balancer", limit=10, per="load_balancer"),),
    parent="load_balancer",
    label="{protocol} {port}",
)

POOL = Kind(
    name="pool",
    title="Pool",
    plural="Pools",
    group="Load balancing",
    prefix="p",
    summary="Instances that share the work",
    fields=(
        NAME,
        Field(name="protocol", title="Protocol", type="choice", choices=("http", "tcp"), default="http"),
        _PORT,
        Field(
            name="health_path",
            title="Health check path",
            default="/healthz",
            pattern=r"/[\w./-]*",
            pattern_help="a path that begins with /",
            visible_when=(("protocol", ("http",)),),
        ),
    ),
    columns=("name", "protocol", "port"),
    filters=("protocol",),
    create_title="Create pool",
    wizard=(WizardStep(title="Pool", fields=("name", "protocol", "port", "health_path")),),
    tabs=(
        Tab(name="overview", title="Overview", fields=("protocol", "port", "health_path")),
        Tab(name="members", title="Members", rows_of="member"),
        Tab(name="listeners", title="Listeners", rows_of="listener"),
        ACTIVITY,
    ),
    verbs=(
        edit("port", title="Change port", name="change_port"),
        edit("health_path", title="Change health check", name="change_health_check"),
        delete("The pool is gone for good; its instances stay."),
    ),
    quotas=(Quota(title="pools", limit=20),),
)

MEMBER = Kind(
    name="member",
    title="Member",
    plural="Members",
    group="Load balancing",
    prefix="m",
    fields=(
        Field(name="pool", title="Pool", type="reference", references="pool"),
        Field(name="instance", title="Instance", type="reference", references="instance"),
        Field(name="weight", title="Weight", type="integer", minimum=1, maximum=100, default="10"),
    ),
    columns=("instance", "state", "weight"),
    create_title="Add member",
    created="was added",
    wizard=(WizardStep(title="Member", fields=("instance", "weight")),),
    states=("serving", "drained"),
    verbs=(
        Verb(
            name="drain",
            title="Drain",
            risk=Risk.REVERSIBLE,
            done="is being drained",
            from_states=("serving",),
            slow=Slow(via="draining", to="drained"),
            warning="It gets no new work.",
        ),
        Verb(
            name="serve",
            title="Serve",
            risk=Risk.REVERSIBLE,
            done="serves again",
            from_states=("drained",),
            slow=Slow(via="warming up", to="serving", ticks=1),
        ),
        edit("weight", title="Change weight", name="change_weight"),
        Verb(
            name="remove",
            title="Remove",
            risk=Risk.DESTRUCTIVE,
            done="was removed",
            deletes=True,
            warning="What it works on is cut off.",
        ),
    ),
    quotas=(Quota(title="members of this pool", limit=16, per="pool"),),
    parent="pool",
    label="{instance}",
)

CERTIFICATE = Kind(
    name="certificate",
    title="Certificate",
    plural="Certificates",
    group="Load balancing",
    prefix="c",
    summary="Proof of who answers at a domain",
    fields=(
        NAME,
        Field(
            name="domain",
            title="Domain",
            pattern=r"([a-z0-9-]+\.)+[a-z]{2,}",
            pattern_help="a domain such as shop.example.org",
        ),
        Field(name="expires", title="Expires", type="date", check="future"),
    ),
    columns=("name", "domain", "expires"),
    create_title="Add certificate",
    create_risk=Risk.CREDENTIAL,
    created="was added",
    wizard=(WizardStep(title="Certificate", fields=("name", "domain", "expires")),),
    tabs=(
        Tab(name="overview", title="Overview", fields=("domain", "expires")),
        Tab(name="listeners", title="Listeners", rows_of="listener"),
        ACTIVITY,
    ),
    verbs=(
        Verb(name="renew", title="Renew", risk=Risk.CREDENTIAL, done="was renewed", fields=("expires",)),
        delete("Listeners can no longer prove who they are with it.", bulk=True),
    ),
    quotas=(Quota(title="certificates", limit=30),),
)
