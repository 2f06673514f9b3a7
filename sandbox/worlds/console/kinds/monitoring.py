"""Monitoring: alarms and where they are told."""

from sandbox.contracts.tasks import Risk
from sandbox.worlds.console.declare import Field, Kind, Quota, Slow, Tab, Verb, WizardStep
from sandbox.worlds.console.kinds.shared import ACTIVITY, NAME, delete, edit

METRICS = ("CPU load", "memory use", "disk use", "network traffic", "response time")

ALARM = Kind(
    name="alarm",
    title="Alarm",
    plural="Alarms",
    group="Monitoring",
    prefix="a",
    summary="What to be woken for",
    fields=(
        NAME,
        Field(name="metric", title="Metric", type="choice", choices=METRICS, default="CPU load"),
        Field(name="limit", title="Limit", type="integer", minimum=1, maximum=100, default="80", unit="%"),
        Field(name="instance", title="Instance", type="reference", references="instance"),
        Field(name="channel", title="Channel", type="reference", references="channel"),
    ),
    columns=("name", "state", "metric", "limit", "instance"),
    filters=("state", "metric"),
    drawer=("state", "metric", "limit", "instance", "channel"),
    create_title="Create alarm",
    wizard=(
        WizardStep(title="Condition", fields=("name", "metric", "limit")),
        WizardStep(title="Scope", fields=("instance", "channel")),
    ),
    tabs=(
        Tab(name="overview", title="Overview", fields=("state", "metric", "limit", "instance", "channel")),
        ACTIVITY,
    ),
    states=("quiet", "firing", "muted"),
    verbs=(
        edit("limit", title="Change limit", name="change_limit"),
        edit("channel", title="Change channel", name="change_channel"),
        Verb(
            name="mute",
            title="Mute",
            risk=Risk.REVERSIBLE,
            done="was muted",
            from_states=("quiet", "firing"),
            slow=Slow(via="muting", to="muted", ticks=1),
            warning="Nobody is told while it is muted.",
            bulk=True,
        ),
        Verb(
            name="unmute",
            title="Unmute",
            risk=Risk.REVERSIBLE,
            done="was unmuted",
            from_states=("muted",),
            slow=Slow(via="unmuting", to="quiet", ticks=1),
            bulk=True,
        ),
        delete("Nobody is told of this any more.", bulk=True),
    ),
    quotas=(Quota(title="alarms", limit=40),),
)

CHANNEL = Kind(
    name="channel",
    title="Channel",
    plural="Channels",
    group="Monitoring",
    prefix="ch",
    summary="Where alarms are told",
    fields=(
        NAME,
        Field(name="type", title="Type", type="choice", choices=("e-mail", "webhook"), default="e-mail"),
        Field(name="recipient", title="Recipient", check="email", visible_when=(("type", ("e-mail",)),)),
        Field(
            name="url",
            title="Address",
            pattern=r"https://[\w./-]+",
            pattern_help="an address that begins with https://",
            visible_when=(("type", ("webhook",)),),
        ),
    ),
    columns=("name", "type", "recipient", "url"),
    filters=("type",),
    create_title="Create channel",
    wizard=(WizardStep(title="Channel", fields=("name", "type", "recipient", "url")),),
    tabs=(
        Tab(name="overview", title="Overview", fields=("type", "recipient", "url")),
        Tab(name="alarms", title="Alarms", rows_of="alarm"),
        ACTIVITY,
    ),
    verbs=(
        edit("recipient", title="Change recipient", name="change_recipient"),
        delete("Alarms can no longer be told here."),
    ),
    quotas=(Quota(title="channels", limit=20),),
)
