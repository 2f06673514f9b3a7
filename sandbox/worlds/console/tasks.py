"""The kinds of ticket that the simulated cloud console offers, each a job in terms of its declaration."""

import random
from collections.abc import Callable

from msgspec import Struct

from sandbox.contracts.tasks import Environment, Parameter, Risk, Split, Task, Template
from sandbox.registry import Oracle
from sandbox.worlds.console import names
from sandbox.worlds.console.cloud import CLOUD, IMAGES, SIZES, ZONES
from sandbox.worlds.console.jobs import AddChild, Ask, Create, Do, Job, RemoveChild
from sandbox.worlds.console.oracle import ConsoleOracle

ENVIRONMENT = Environment(
    id="cloud",
    title="Cloud console (simulated)",
    summary="Instances, security groups with rules, and disks of a cloud that exists only here: safe to practise in.",
    real=False,
)

_OCTET = r"(25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])"
_CIDR = rf"({_OCTET}\.){{3}}{_OCTET}/(3[0-2]|[12]?[0-9])"

Draw = Callable[[random.Random, Split], dict[str, str]]


class ConsoleTask(Struct):
    """One template with its job and how its parameters are drawn."""

    template: Template
    job: Job
    draw: Draw

    def sample(self, seed: int, split: Split) -> dict[str, str]:
        """Random parameters; each split has names and numbers of its own."""
        rng = random.Random(f"{self.template.id}:{split}:{seed}")  # noqa: S311  # a task, not a secret
        return self.draw(rng, split)

    def oracle(self, task: Task) -> Oracle:
        """What works this task through the page."""
        return ConsoleOracle(self.job, CLOUD)


def _named(name: str, title: str, example: str = "amber-web-3") -> Parameter:
    declared = CLOUD.kind("instance").field("name")
    return Parameter(
        name=name,
        title=title,
        pattern=declared.pattern,
        pattern_help=declared.pattern_help,
        max_length=40,
        example=example,
    )


def _choice(name: str, title: str, choices: tuple[str, ...]) -> Parameter:
    return Parameter(name=name, title=title, kind="choice", choices=choices, example=choices[0])


_NAME = _named("name", "Name")
_GROUP = _named("security_group", "Security group", "default")
_SIZE_GB = Parameter(name="size_gb", title="Size", kind="integer", minimum=11, maximum=2000, unit="GB", example="200")
_RULE = (
    _GROUP,
    _choice("protocol", "Protocol", ("tcp", "udp")),
    Parameter(name="port", title="Port", kind="integer", minimum=1, maximum=65535, example="443"),
    Parameter(
        name="source",
        title="Source network",
        pattern=_CIDR,
        pattern_help="a network in CIDR form, such as 10.0.0.0/16",
        max_length=18,
        example="10.0.0.0/16",
    ),
)
_FACTS = ("zone", "size", "image", "private_ip", "public_ip", "security_group")
_FACT_TITLES = tuple(CLOUD.kind("instance").field(fact).title for fact in _FACTS)


def _task(
    name: str,
    title: str,
    job: Job,
    *,
    summary: str,
    parameters: tuple[Parameter, ...],
    phrases: tuple[str, ...],
    risk: Risk,
    draw: Draw,
    max_steps: int = 20,
) -> ConsoleTask:
    template = Template(
        id=f"cloud/{name}",
        environment="cloud",
        title=title,
        summary=summary,
        parameters=parameters,
        phrases=phrases,
        risk=risk,
        answers=isinstance(job, Ask),
        max_steps=max_steps,
    )
    return ConsoleTask(template, job, draw)


def _verb_task(
    name: str,
    title: str,
    job: Do,
    *,
    summary: str,
    phrases: tuple[str, ...],
    draw: Draw,
    parameters: tuple[Parameter, ...] = (),
) -> ConsoleTask:
    kind = CLOUD.kind(job.kind)
    return _task(
        name,
        title,
        job,
        summary=summary,
        parameters=(_named(kind.name, kind.title), *parameters),
        phrases=phrases,
        risk=kind.verb(job.verb).risk,
        draw=draw,
    )


def _draw_instance(rng: random.Random, split: Split) -> dict[str, str]:
    return {"instance": names.name(rng, split)}


def _draw_new_instance(rng: random.Random, split: Split) -> dict[str, str]:
    name = names.name(rng, split)
    return {
        "name": name,
        "zone": rng.choice(ZONES),
        "size": rng.choice(SIZES),
        "image": rng.choice(IMAGES),
        "security_group": names.name(rng, split, taken={name}),
    }


def _draw_rule(rng: random.Random, split: Split) -> dict[str, str]:
    return {
        "security_group": names.name(rng, split),
        "protocol": rng.choice(("tcp", "udp")),
        "port": names.port(rng, split),
        "source": names.network(rng, split),
    }


def _draw_new_disk(rng: random.Random, split: Split) -> dict[str, str]:
    size = names.number(rng, split, low=20, high=2000, step=10)
    return {"name": names.name(rng, split), "zone": rng.choice(ZONES), "size_gb": size}


def _draw_attachment(rng: random.Random, split: Split) -> dict[str, str]:
    disk = names.name(rng, split)
    return {"disk": disk, "instance": names.name(rng, split, taken={disk})}


TASKS: tuple[ConsoleTask, ...] = (
    _task(
        "create-instance",
        "Create an instance",
        Create("instance", ("name", "zone", "size", "image", "security_group")),
        summary="Make a new instance of a given size and image in a zone and security group.",
        parameters=(
            _NAME,
            _choice("zone", "Zone", ZONES),
            _choice("size", "Size", SIZES),
            _choice("image", "Image", IMAGES),
            _GROUP,
        ),
        phrases=(
            "Create a {size} instance named {name} in {zone} with image {image} and security group {security_group}.",
            "We need a new {size} machine {name} in {zone}: image {image}, security group {security_group}.",
            "Set up instance {name} ({size}, {image}) in {zone}; put it into security group {security_group}.",
        ),
        risk=Risk.COST,
        draw=_draw_new_instance,
        max_steps=25,
    ),
    _verb_task(
        "start-instance",
        "Start an instance",
        Do("instance", "start"),
        summary="Start an instance that is stopped.",
        phrases=("Start instance {instance}.", "{instance} is down: start it.", "Bring instance {instance} up again."),
        draw=_draw_instance,
    ),
    _verb_task(
        "stop-instance",
        "Stop an instance",
        Do("instance", "stop"),
        summary="Stop an instance that is running.",
        phrases=(
            "Stop instance {instance}.",
            "Please shut {instance} down, but keep it.",
            "Stop the machine {instance}.",
        ),
        draw=_draw_instance,
    ),
    _verb_task(
        "resize-instance",
        "Resize an instance",
        Do("instance", "resize", ("size",)),
        summary="Give an instance another size.",
        parameters=(_choice("size", "Size", SIZES),),
        phrases=(
            "Resize instance {instance} to {size}.",
            "Make {instance} a {size} instance.",
            "Change the size of {instance} to {size}.",
        ),
        draw=lambda rng, split: {"instance": names.name(rng, split), "size": rng.choice(SIZES)},
    ),
    _verb_task(
        "terminate-instance",
        "Terminate an instance",
        Do("instance", "terminate"),
        summary="Delete an instance for good, among others with names like it.",
        phrases=(
            "Terminate instance {instance}.",
            "{instance} is no longer needed: terminate it.",
            "Remove the instance {instance} for good.",
        ),
        draw=_draw_instance,
    ),
    _task(
        "create-security-group",
        "Create a security group",
        Create("security_group", ("name", "description")),
        summary="Make a new, empty security group.",
        parameters=(_NAME, Parameter(name="description", title="Description", max_length=120, example="Web traffic")),
        phrases=(
            'Create security group {name} with the description "{description}".',
            "Add a security group named {name}, described as: {description}.",
            "We need a security group {name} ({description}).",
        ),
        risk=Risk.REVERSIBLE,
        draw=lambda rng, split: {"name": names.name(rng, split), "description": rng.choice(names.USES[split])},
    ),
    _task(
        "open-port",
        "Open a port",
        AddChild("rule", "security_group", ("protocol", "port", "source")),
        summary="Add a rule to a security group that lets one port in from a network.",
        parameters=_RULE,
        phrases=(
            "Open {protocol} port {port} from {source} in security group {security_group}.",
            "Let {source} reach {protocol} {port} through {security_group}.",
            "Add a rule to {security_group}: {protocol}, port {port}, source {source}.",
        ),
        risk=Risk.REVERSIBLE,
        draw=_draw_rule,
    ),
    _task(
        "remove-rule",
        "Remove a rule",
        RemoveChild("rule", "security_group", "remove", ("protocol", "port", "source")),
        summary="Remove one rule of a security group, among others like it.",
        parameters=_RULE,
        phrases=(
            "Remove the rule {protocol} {port} from {source} in security group {security_group}.",
            "Close {protocol} port {port} for {source} in {security_group}.",
            "{source} must no longer reach {protocol} {port}: take that rule out of {security_group}.",
        ),
        risk=Risk.DESTRUCTIVE,
        draw=_draw_rule,
    ),
    _task(
        "create-disk",
        "Create a disk",
        Create("disk", ("name", "zone", "size_gb")),
        summary="Make a new disk of a given size in a zone.",
        parameters=(_NAME, _choice("zone", "Zone", ZONES), _SIZE_GB),
        phrases=(
            "Create a disk named {name} of {size_gb} GB in {zone}.",
            "Add a {size_gb} GB disk {name} in {zone}.",
            "We need disk {name} in {zone}, {size_gb} GB.",
        ),
        risk=Risk.COST,
        draw=_draw_new_disk,
    ),
    _verb_task(
        "attach-disk",
        "Attach a disk",
        Do("disk", "attach", ("instance",)),
        summary="Attach a free disk to an instance in the same zone.",
        parameters=(_named("instance", "Instance"),),
        phrases=(
            "Attach disk {disk} to instance {instance}.",
            "Give {instance} the disk {disk}.",
            "Connect the disk {disk} to {instance}.",
        ),
        draw=_draw_attachment,
    ),
    _verb_task(
        "enlarge-disk",
        "Enlarge a disk",
        Do("disk", "enlarge", ("size_gb",)),
        summary="Make a disk larger.",
        parameters=(_SIZE_GB,),
        phrases=(
            "Enlarge disk {disk} to {size_gb} GB.",
            "{disk} is nearly full: grow it to {size_gb} GB.",
            "Make disk {disk} {size_gb} GB large.",
        ),
        draw=lambda rng, split: {
            "disk": names.name(rng, split),
            "size_gb": names.number(rng, split, low=520, high=2000, step=10),
        },
    ),
    _task(
        "find-instance-fact",
        "Find out about an instance",
        Ask("instance", _FACTS),
        summary="Look one fact about an instance up and answer it.",
        parameters=(_named("instance", "Instance"), _choice("fact", "Fact", _FACT_TITLES)),
        phrases=(
            "What is the {fact} of instance {instance}?",
            "Find out the {fact} of {instance}.",
            "Tell me: {instance}, {fact}.",
        ),
        risk=Risk.READ,
        draw=lambda rng, split: {"instance": names.name(rng, split), "fact": rng.choice(_FACT_TITLES)},
    ),
)


def job_of(template_id: str) -> Job | None:
    """What a task of this template asks for; None for free text."""
    return next((each.job for each in TASKS if each.template.id == template_id), None)
