"""Network: networks with subnets, security groups with rules, public addresses."""

from sandbox.contracts.tasks import Risk
from sandbox.worlds.console.declare import Field, Kind, Price, Quota, Slow, Tab, Verb, WizardStep
from sandbox.worlds.console.kinds.shared import ACTIVITY, DESCRIPTION, NAME, ZONE, delete, edit

_RANGE = Field(
    name="range",
    title="Address range",
    check="cidr",
    help="A network in CIDR form, such as 10.0.0.0/16",
    max_length=43,
)

NETWORK = Kind(
    name="network",
    title="Network",
    plural="Networks",
    group="Network",
    prefix="n",
    summary="Private networks and their subnets",
    fields=(NAME, _RANGE, DESCRIPTION),
    columns=("name", "range", "description"),
    create_title="Create network",
    wizard=(WizardStep(title="Network", fields=("name", "range", "description")),),
    tabs=(
        Tab(name="overview", title="Overview", fields=("range", "description")),
        Tab(name="subnets", title="Subnets", rows_of="subnet"),
        Tab(name="instances", title="Instances", rows_of="instance"),
        ACTIVITY,
    ),
    verbs=(edit("description"), delete("The network and its subnets are gone for good.")),
    quotas=(Quota(title="networks", limit=20),),
)

SUBNET = Kind(
    name="subnet",
    title="Subnet",
    plural="Subnets",
    group="Network",
    prefix="sn",
    fields=(
        Field(name="network", title="Network", type="reference", references="network"),
        ZONE,
        _RANGE,
        Field(name="access", title="Access", type="choice", choices=("private", "public"), default="private"),
    ),
    columns=("zone", "range", "access"),
    create_title="Add subnet",
    created="was added",
    wizard=(WizardStep(title="Subnet", fields=("zone", "range", "access")),),
    verbs=(
        edit("access", title="Change access", name="change_access"),
        Verb(
            name="remove",
            title="Remove",
            risk=Risk.DESTRUCTIVE,
            done="was removed",
            deletes=True,
            warning="What is in it loses its connection.",
        ),
    ),
    quotas=(Quota(title="subnets in this network", limit=10, per="network"),),
    parent="network",
    label="{range} in {zone}",
)

SECURITY_GROUP = Kind(
    name="security_group",
    title="Security group",
    plural="Security groups",
    group="Network",
    prefix="sg",
    summary="What may reach an instance",
    fields=(NAME, DESCRIPTION),
    columns=("name", "description"),
    create_title="Create security group",
    wizard=(WizardStep(title="Basics", fields=("name", "description")),),
    tabs=(
        Tab(name="overview", title="Overview", fields=("description",)),
        Tab(name="rules", title="Rules", rows_of="rule"),
        Tab(name="instances", title="Instances", rows_of="instance"),
        ACTIVITY,
    ),
    verbs=(
        edit("description"),
        Verb(
            name="delete",
            title="Delete",
            risk=Risk.DESTRUCTIVE,
            done="was deleted",
            deletes=True,
            warning="The group and its rules are gone for good.",
        ),
    ),
    quotas=(Quota(title="security groups", limit=25),),
)

RULE = Kind(
    name="rule",
    title="Rule",
    plural="Rules",
    group="Network",
    prefix="r",
    fields=(
        Field(name="security_group", title="Security group", type="reference", references="security_group"),
        Field(name="protocol", title="Protocol", type="choice", choices=("tcp", "udp"), default="tcp"),
        Field(name="port", title="Port", type="integer", minimum=1, maximum=65535),
        Field(
            name="source",
            title="Source",
            check="cidr",
            help="A network in CIDR form, such as 10.0.0.0/8",
            max_length=43,
        ),
    ),
    columns=("protocol", "port", "source"),
    create_title="Add rule",
    created="was added",
    wizard=(WizardStep(title="Rule", fields=("protocol", "port", "source")),),
    verbs=(
        edit("source", title="Change source", name="change_source"),
        Verb(
            name="remove",
            title="Remove",
            risk=Risk.DESTRUCTIVE,
            done="was removed",
            deletes=True,
            warning="Traffic that it let in is cut off.",
        ),
    ),
    quotas=(Quota(title="rules in this group", limit=12, per="security_group"),),
    parent="security_group",
    label="{protocol} {port} from {source}",
)

ADDRESS = Kind(
    name="address",
    title="Public address",
    plural="Public addresses",
    group="Network",
    prefix="ip",
    summary="Addresses that stay when an instance goes",
    fields=(
        NAME,
        ZONE,
        Field(name="address", title="Address", generated="public_ip"),
        Field(
            name="instance",
            title="Instance",
            type="reference",
            references="instance",
            required=False,
            same=("zone",),
            help="Instances in the address's zone",
        ),
    ),
    columns=("name", "state", "zone", "address"),
    filters=("state", "zone"),
    create_title="Reserve public address",
    create_risk=Risk.COST,
    created="was reserved",
    wizard=(WizardStep(title="Public address", fields=("name", "zone")),),
    tabs=(Tab(name="overview", title="Overview", fields=("state", "zone", "address", "instance")), ACTIVITY),
    states=("free", "in use"),
    verbs=(
        Verb(
            name="attach",
            title="Attach",
            risk=Risk.REVERSIBLE,
            done="is being attached",
            from_states=("free",),
            fields=("instance",),
            slow=Slow(via="attaching", to="in use"),
        ),
        Verb(
            name="detach",
            title="Detach",
            risk=Risk.REVERSIBLE,
            done="is being detached",
            from_states=("in use",),
            clears=("instance",),
            slow=Slow(via="detaching", to="free"),
            warning="Who knows the instance by this address no longer reaches it.",
        ),
        Verb(
            name="release",
            title="Release",
            risk=Risk.DESTRUCTIVE,
            done="was released",
            from_states=("free",),
            deletes=True,
            bulk=True,
            warning="Somebody else may get this address next.",
        ),
    ),
    quotas=(Quota(title="public addresses", limit=20),),
    price=Price(base=350),
)
