"""Everyday jobs on instances, security groups and disks, as people file them."""

from sandbox.worlds.console.blanks import Blank
from sandbox.worlds.console.cloud import CLOUD
from sandbox.worlds.console.jobs import Do, Job, Make, Step, Target, Tell, Values, named
from sandbox.worlds.console.specs import ConsoleTask, spec

_INSTANCE = Blank("instance", "instance")
_DISK = Blank("disk", "disk")
_FACTS = ("zone", "size", "image", "private_ip", "public_ip", "security_group")
_RULE = (
    Blank("security_group", "rule", "security_group"),
    Blank("protocol", "rule", "protocol"),
    Blank("port", "rule", "port"),
    Blank("source", "rule", "source", title="Source network"),
)


def same(*fields: str) -> Values:
    """Fields whose values are the parameters called like them."""
    return tuple((field, "{" + field + "}") for field in fields)


def _job(*steps: Step) -> Job:
    return Job(steps)


_GROUP = named("security_group")

CLASSIC: tuple[ConsoleTask, ...] = (
    spec(
        CLOUD,
        "create-instance",
        "Create an instance",
        _job(Make("instance", same("name", "zone", "size", "image", "security_group"))),
        summary="Make a new instance of a given size and image in a zone and security group.",
        blanks=(
            Blank("name", "instance"),
            Blank("zone", "instance", "zone"),
            Blank("size", "instance", "size"),
            Blank("image", "instance", "image"),
            Blank("security_group", "instance", "security_group"),
        ),
        phrases=(
            "Create a {size} instance named {name} in {zone} with image {image} and security group {security_group}.",
            "We need a new {size} machine {name} in {zone}: image {image}, security group {security_group}.",
            "Set up instance {name} ({size}, {image}) in {zone}; put it into security group {security_group}.",
        ),
        phrases_zh=(
            "在 {zone} 创建一台 {size} 规格的实例 {name}，镜像用 {image}，安全组用 {security_group}。",
            "需要一台新实例 {name}：规格 {size}，镜像 {image}，可用区 {zone}，安全组 {security_group}。",
            "请新建实例 {name}（{size}，{image}），放在 {zone}，加入安全组 {security_group}。",
        ),
    ),
    spec(
        CLOUD,
        "start-instance",
        "Start an instance",
        _job(Do(named("instance"), "start")),
        summary="Start an instance that is stopped.",
        blanks=(_INSTANCE,),
        phrases=("Start instance {instance}.", "{instance} is down: start it.", "Bring instance {instance} up again."),
        phrases_zh=("启动实例 {instance}。", "实例 {instance} 停了，请把它启动起来。", "请重新开启实例 {instance}。"),
    ),
    spec(
        CLOUD,
        "stop-instance",
        "Stop an instance",
        _job(Do(named("instance"), "stop")),
        summary="Stop an instance that is running.",
        blanks=(_INSTANCE,),
        phrases=(
            "Stop instance {instance}.",
            "Please shut {instance} down, but keep it.",
            "Stop the machine {instance}.",
        ),
        phrases_zh=("停止实例 {instance}。", "请把实例 {instance} 关机，但不要删除。", "实例 {instance} 先停掉。"),
    ),
    spec(
        CLOUD,
        "resize-instance",
        "Resize an instance",
        _job(Do(named("instance"), "resize", same("size"))),
        summary="Give an instance another size.",
        blanks=(_INSTANCE, Blank("size", "instance", "size")),
        phrases=(
            "Resize instance {instance} to {size}.",
            "Make {instance} a {size} instance.",
            "Change the size of {instance} to {size}.",
        ),
        phrases_zh=(
            "把实例 {instance} 的规格改为 {size}。",
            "将 {instance} 调整为 {size} 实例。",
            "实例 {instance} 需要变更规格：{size}。",
        ),
    ),
    spec(
        CLOUD,
        "terminate-instance",
        "Terminate an instance",
        _job(Do(named("instance"), "terminate")),
        summary="Delete an instance for good, among others with names like it.",
        blanks=(_INSTANCE,),
        phrases=(
            "Terminate instance {instance}.",
            "{instance} is no longer needed: terminate it.",
            "Remove the instance {instance} for good.",
        ),
        phrases_zh=("释放实例 {instance}。", "实例 {instance} 不再需要了，请彻底删除。", "请终止实例 {instance}。"),
    ),
    spec(
        CLOUD,
        "create-security-group",
        "Create a security group",
        _job(Make("security_group", same("name", "description"))),
        summary="Make a new, empty security group.",
        blanks=(Blank("name", "security_group"), Blank("description", "security_group", "description")),
        phrases=(
            'Create security group {name} with the description "{description}".',
            "Add a security group named {name}, described as: {description}.",
            "We need a security group {name} ({description}).",
        ),
        phrases_zh=(
            "创建安全组 {name}，描述为“{description}”。",
            "新增一个安全组，名称 {name}，描述：{description}。",
            "需要安全组 {name}（{description}）。",
        ),
    ),
    spec(
        CLOUD,
        "open-port",
        "Open a port",
        _job(Make("rule", same("protocol", "port", "source"), _GROUP)),
        summary="Add a rule to a security group that lets one port in from a network.",
        blanks=_RULE,
        phrases=(
            "Open {protocol} port {port} from {source} in security group {security_group}.",
            "Let {source} reach {protocol} {port} through {security_group}.",
            "Add a rule to {security_group}: {protocol}, port {port}, source {source}.",
        ),
        phrases_zh=(
            "在安全组 {security_group} 中放通来自 {source} 的 {protocol} {port} 端口。",
            "允许 {source} 通过安全组 {security_group} 访问 {protocol} {port}。",
            "给 {security_group} 加一条规则：协议 {protocol}，端口 {port}，来源 {source}。",
        ),
    ),
    spec(
        CLOUD,
        "remove-rule",
        "Remove a rule",
        _job(Do(Target("rule", same("protocol", "port", "source"), on=_GROUP), "remove")),
        summary="Remove one rule of a security group, among others like it.",
        blanks=_RULE,
        phrases=(
            "Remove the rule {protocol} {port} from {source} in security group {security_group}.",
            "Close {protocol} port {port} for {source} in {security_group}.",
            "{source} must no longer reach {protocol} {port}: take that rule out of {security_group}.",
        ),
        phrases_zh=(
            "删除安全组 {security_group} 中来源 {source}、{protocol} {port} 的规则。",
            "在 {security_group} 里关闭 {source} 对 {protocol} {port} 的访问。",
            "{source} 不应再访问 {protocol} {port}，请从 {security_group} 移除该规则。",
        ),
    ),
    spec(
        CLOUD,
        "create-disk",
        "Create a disk",
        _job(Make("disk", same("name", "zone", "size_gb"))),
        summary="Make a new disk of a given size in a zone.",
        blanks=(
            Blank("name", "disk"),
            Blank("zone", "disk", "zone"),
            Blank("size_gb", "disk", "size_gb", low=20, high=2000),
        ),
        phrases=(
            "Create a disk named {name} of {size_gb} GB in {zone}.",
            "Add a {size_gb} GB disk {name} in {zone}.",
            "We need disk {name} in {zone}, {size_gb} GB.",
        ),
        phrases_zh=(
            "在 {zone} 创建一块 {size_gb} GB 的云盘 {name}。",
            "新增云盘 {name}，容量 {size_gb} GB，可用区 {zone}。",
            "需要一块云盘 {name}：{zone}，{size_gb} GB。",
        ),
    ),
    spec(
        CLOUD,
        "attach-disk",
        "Attach a disk",
        _job(Do(named("disk"), "attach", same("instance"))),
        summary="Attach a free disk to an instance in the same zone.",
        blanks=(_DISK, _INSTANCE),
        phrases=(
            "Attach disk {disk} to instance {instance}.",
            "Give {instance} the disk {disk}.",
            "Connect the disk {disk} to {instance}.",
        ),
        phrases_zh=(
            "把云盘 {disk} 挂载到实例 {instance}。",
            "给实例 {instance} 挂上云盘 {disk}。",
            "请将 {disk} 这块云盘连接到 {instance}。",
        ),
    ),
    spec(
        CLOUD,
        "enlarge-disk",
        "Enlarge a disk",
        _job(Do(named("disk"), "enlarge", same("size_gb"))),
        summary="Make a disk larger.",
        blanks=(_DISK, Blank("size_gb", "disk", "size_gb", low=520, high=2000)),
        phrases=(
            "Enlarge disk {disk} to {size_gb} GB.",
            "{disk} is nearly full: grow it to {size_gb} GB.",
            "Make disk {disk} {size_gb} GB large.",
        ),
        phrases_zh=(
            "把云盘 {disk} 扩容到 {size_gb} GB。",
            "{disk} 快满了，请扩到 {size_gb} GB。",
            "云盘 {disk} 的容量改为 {size_gb} GB。",
        ),
    ),
    spec(
        CLOUD,
        "find-instance-fact",
        "Find out about an instance",
        _job(Tell(named("instance"), "{fact}")),
        summary="Look one fact about an instance up and answer it.",
        blanks=(_INSTANCE, Blank("fact", "instance", facts=_FACTS)),
        phrases=(
            "What is the {fact} of instance {instance}?",
            "Find out the {fact} of {instance}.",
            "Tell me: {instance}, {fact}.",
        ),
        phrases_zh=(
            "实例 {instance} 的 {fact} 是什么？",
            "请查一下 {instance} 的 {fact}。",
            "告诉我 {instance} 的 {fact}。",
        ),
    ),
)
