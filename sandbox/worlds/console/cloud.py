"""The first simulated console: instances, security groups with rules, disks."""

from sandbox.contracts.tasks import Risk
from sandbox.worlds.console.declare import Console, Field, Kind, Quota, Slow, Tab, Verb, WizardStep
from sandbox.worlds.console.soundness import checked

ZONES = ("zone-a", "zone-b", "zone-c")
SIZES = ("small", "medium", "large", "xlarge")
IMAGES = ("debian-13", "ubuntu-24.04", "alma-10", "windows-2025")

_NAME = Field(
    name="name",
    title="Name",
    pattern=r"[a-z][a-z0-9-]{1,38}[a-z0-9]",
    pattern_help="3 to 40 lower-case letters, digits and hyphens, beginning with a letter, not ending with a hyphen",
    check="unique",
)
_ZONE = Field(name="zone", title="Zone", type="choice", choices=ZONES, default="zone-a")

INSTANCE = Kind(
    name="instance",
    title="Instance",
    plural="Instances",
    group="Compute",
    prefix="i",
    summary="Virtual machines",
    fields=(
        _NAME,
        _ZONE,
        Field(
            name="size",
            title="Size",
            type="choice",
            choices=SIZES,
            default="small",
            help="small 1 vCPU 2 GB, medium 2 vCPU 8 GB, large 4 vCPU 16 GB, xlarge 8 vCPU 32 GB",
        ),
        Field(name="image", title="Image", type="choice", choices=IMAGES, default="debian-13"),
        Field(name="security_group", title="Security group", type="reference", references="security_group"),
        Field(name="private_ip", title="Private IP", generated="private_ip"),
        Field(name="public_ip", title="Public IP", generated="public_ip"),
    ),
    columns=("name", "state", "zone", "size"),
    create_title="Create instance",
    create_risk=Risk.COST,
    created="is being created",
    create_slow=Slow(via="creating", to="running", ticks=3),
    wizard=(
        WizardStep(title="Basics", fields=("name", "zone")),
        WizardStep(title="Machine", fields=("size", "image")),
        WizardStep(title="Network", fields=("security_group",)),
    ),
    tabs=(
        Tab(name="overview", title="Overview", fields=("state", "zone", "size", "image")),
        Tab(name="network", title="Network", fields=("private_ip", "public_ip", "security_group")),
        Tab(name="disks", title="Attached disks", rows_of="disk"),
        Tab(name="activity", title="Activity", activity=True),
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
            warning="A running instance is billed by the hour.",
        ),
        Verb(
            name="stop",
            title="Stop",
            risk=Risk.REVERSIBLE,
            done="is stopping",
            from_states=("running",),
            slow=Slow(via="stopping", to="stopped"),
            warning="What runs on it ends; its disks stay.",
        ),
        Verb(
            name="reboot",
            title="Reboot",
            risk=Risk.REVERSIBLE,
            done="is rebooting",
            from_states=("running",),
            slow=Slow(via="rebooting", to="running"),
            warning="What runs on it is interrupted.",
        ),
        Verb(
            name="resize",
            title="Resize",
            risk=Risk.COST,
            done="is being resized",
            from_states=("running", "stopped"),
            fields=("size",),
            slow=Slow(via="resizing"),
            warning="The price follows the size.",
        ),
        Verb(
            name="terminate",
            title="Terminate",
            risk=Risk.DESTRUCTIVE,
            done="was terminated",
            confirm="typed",
            from_states=("running", "stopped"),
            deletes=True,
            warning="The instance is gone for good.",
        ),
    ),
    quotas=(Quota(title="instances", limit=40),),
)

SECURITY_GROUP = Kind(
    name="security_group",
    title="Security group",
    plural="Security groups",
    group="Network",
    prefix="sg",
    summary="What may reach an instance",
    fields=(
        _NAME,
        Field(name="description", title="Description", required=False, max_length=120),
    ),
    columns=("name", "description"),
    create_title="Create security group",
    wizard=(WizardStep(title="Basics", fields=("name", "description")),),
    tabs=(
        Tab(name="overview", title="Overview", fields=("description",)),
        Tab(name="rules", title="Rules", rows_of="rule"),
        Tab(name="instances", title="Instances", rows_of="instance"),
        Tab(name="activity", title="Activity", activity=True),
    ),
    verbs=(
        Verb(
            name="edit",
            title="Edit",
            risk=Risk.REVERSIBLE,
            done="was changed",
            fields=("description",),
        ),
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

DISK = Kind(
    name="disk",
    title="Disk",
    plural="Disks",
    group="Storage",
    prefix="d",
    summary="Block storage for instances",
    fields=(
        _NAME,
        _ZONE,
        Field(name="size_gb", title="Size (GB)", type="integer", minimum=10, maximum=2000, check="grows", default="50"),
        Field(name="encrypted", title="Encrypted", type="boolean", default="yes"),
        Field(
            name="instance",
            title="Instance",
            type="reference",
            references="instance",
            required=False,
            same=("zone",),
            help="Instances in the disk's zone",
        ),
    ),
    columns=("name", "state", "zone", "size_gb"),
    create_title="Create disk",
    create_risk=Risk.COST,
    created="is being created",
    create_slow=Slow(via="creating", to="available"),
    wizard=(
        WizardStep(title="Basics", fields=("name", "zone")),
        WizardStep(title="Capacity", fields=("size_gb", "encrypted")),
    ),
    tabs=(
        Tab(name="overview", title="Overview", fields=("state", "zone", "size_gb", "encrypted", "instance")),
        Tab(name="activity", title="Activity", activity=True),
    ),
    states=("available", "in use"),
    verbs=(
        Verb(
            name="attach",
            title="Attach",
            risk=Risk.REVERSIBLE,
            done="is being attached",
            from_states=("available",),
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
            slow=Slow(via="detaching", to="available"),
            warning="Files on it can no longer be reached from the instance.",
        ),
        Verb(
            name="enlarge",
            title="Enlarge",
            risk=Risk.COST,
            done="was enlarged",
            from_states=("available", "in use"),
            fields=("size_gb",),
            warning="A disk can grow, never shrink.",
        ),
        Verb(
            name="delete",
            title="Delete",
            risk=Risk.DESTRUCTIVE,
            done="was deleted",
            confirm="typed",
            from_states=("available",),
            deletes=True,
            warning="The disk and what is on it are gone for good.",
        ),
    ),
    quotas=(Quota(title="disks", limit=40), Quota(title="GB of disk", limit=40000, field="size_gb")),
)

CLOUD = checked(Console(name="cloud", title="Nimbus Cloud", kinds=(INSTANCE, SECURITY_GROUP, RULE, DISK)))
