"""Jobs told by what is wrong; what to change has to be found first."""

from sandbox.worlds.console.blanks import Blank
from sandbox.worlds.console.cloud import CLOUD
from sandbox.worlds.console.jobs import Do, Job, Make, Target, named
from sandbox.worlds.console.scenes import Thing
from sandbox.worlds.console.specs import ConsoleTask, spec

_INSTANCE = named("instance")
_GROUP = Target("security_group", of=_INSTANCE, link="security_group")
_FULL = Target("disk", (("used_gb", "=size_gb"),), on=_INSTANCE)
_FIRING = Target("alarm", (("state", "firing"),), on=_INSTANCE)
_KEY = Target("access_key", (("purpose", "{purpose}"),), on=named("user"))
_LISTENER = Target("listener", (("protocol", "{protocol}"), ("port", "{port}")), on=named("load_balancer"))

REPAIRS: tuple[ConsoleTask, ...] = (
    spec(
        CLOUD,
        "open-closed-port",
        "Open the port that is closed",
        Job((Make("rule", (("protocol", "tcp"), ("port", "{port}"), ("source", "{source}")), _GROUP),)),
        summary="Find an instance's security group and let a network in at a port.",
        blanks=(
            Blank("instance", "instance"),
            Blank("port", "rule", "port"),
            Blank("source", "rule", "source", title="Network"),
        ),
        phrases=(
            "{source} cannot reach instance {instance} at tcp {port}: open it in the instance's security group.",
            "Connections from {source} to {instance} on tcp {port} are refused. Add the rule to its security group.",
        ),
        phrases_zh=(
            "{source} 无法访问实例 {instance} 的 tcp {port}，请在它的安全组里放通。",
            "从 {source} 连接 {instance} 的 tcp {port} 被拒绝，请给它的安全组补上规则。",
        ),
    ),
    spec(
        CLOUD,
        "widen-full-disk",
        "Widen the full disk",
        Job((Do(_FULL, "enlarge", (("size_gb", "{size_gb}"),)),)),
        summary="Find the disk of an instance that has no room left, and enlarge it.",
        scene=(
            Thing("disk", (("size_gb", "180"), ("used_gb", "=size_gb")), ("in use",), on=_INSTANCE),
            Thing("disk", (("size_gb", "240"), ("used_gb", "150")), ("in use",), on=_INSTANCE),
        ),
        blanks=(Blank("instance", "instance"), Blank("size_gb", "disk", "size_gb", low=520, high=2000)),
        phrases=(
            "One disk of instance {instance} is full. Enlarge it to {size_gb} GB.",
            "{instance} has run out of space: find its full disk and make it {size_gb} GB.",
        ),
        phrases_zh=(
            "实例 {instance} 有一块云盘已满，请扩容到 {size_gb} GB。",
            "{instance} 没有空间了：找到写满的云盘并扩到 {size_gb} GB。",
        ),
    ),
    spec(
        CLOUD,
        "rotate-key",
        "Rotate an access key",
        Job((Do(_KEY, "rotate"),)),
        summary="Give one access key of a user a new value.",
        blanks=(Blank("user", "user"), Blank("purpose", "access_key", "purpose")),
        phrases=(
            "The access key of {user} for {purpose} may have leaked: rotate it.",
            "Rotate {user}'s access key with the purpose {purpose}.",
        ),
        phrases_zh=(
            "用户 {user} 用于 {purpose} 的访问密钥可能泄露，请轮换。",
            "轮换 {user} 用途为 {purpose} 的访问密钥。",
        ),
    ),
    spec(
        CLOUD,
        "replace-key",
        "Replace an access key",
        Job((Make("access_key", (("purpose", "{new_purpose}"),), named("user")), Do(_KEY, "deactivate"))),
        summary="Create a new access key for a user and deactivate the old one.",
        blanks=(
            Blank("user", "user"),
            Blank("purpose", "access_key", "purpose"),
            Blank("new_purpose", "access_key", "purpose", title="New purpose"),
        ),
        phrases=(
            "Give {user} a new access key for {new_purpose}, then deactivate the one for {purpose}.",
            "Replace {user}'s access key {purpose}: create one for {new_purpose}, then deactivate the old one.",
        ),
        phrases_zh=(
            "给 {user} 新建用途为 {new_purpose} 的访问密钥，然后停用用途为 {purpose} 的那个。",
            "替换 {user} 的 {purpose} 密钥：先建 {new_purpose}，再停用旧的。",
        ),
    ),
    spec(
        CLOUD,
        "silence-firing-alarm",
        "Mute the alarm that fires",
        Job((Do(_FIRING, "mute"),)),
        summary="Find the one alarm of an instance that fires, and mute it.",
        scene=(Thing("alarm", (), ("firing",), on=_INSTANCE), Thing("alarm", (), ("quiet",), on=_INSTANCE)),
        blanks=(Blank("instance", "instance"),),
        phrases=(
            "One alarm of instance {instance} is firing. Mute it until tomorrow.",
            "Mute the firing alarm on {instance}; leave its other alarms alone.",
        ),
        phrases_zh=(
            "实例 {instance} 有一个告警正在触发，请静音。",
            "请静音 {instance} 上触发中的告警，其他告警不要动。",
        ),
    ),
    spec(
        CLOUD,
        "restart-stopped-instance",
        "Bring a stopped instance back, larger",
        Job((Do(_INSTANCE, "resize", (("size", "{size}"),)), Do(_INSTANCE, "start"))),
        summary="Resize an instance that is stopped, then start it.",
        scene=(Thing("instance", (("name", "{instance}"),), ("stopped",), unlike=(("size", "{size}"),)),),
        blanks=(Blank("instance", "instance"), Blank("size", "instance", "size")),
        phrases=(
            "Instance {instance} stopped for lack of memory: resize it to {size} and start it.",
            "Make {instance} a {size} instance while it is stopped, and start it afterwards.",
        ),
        phrases_zh=(
            "实例 {instance} 因内存不足停机：改为 {size} 规格后启动。",
            "趁 {instance} 停机把规格改成 {size}，然后启动它。",
        ),
    ),
    spec(
        CLOUD,
        "narrow-open-rule",
        "Close a port to the world",
        Job(
            (
                Do(
                    Target("rule", (("port", "{port}"), ("source", "0.0.0.0/0")), on=named("security_group")),
                    "change_source",
                    (("source", "{source}"),),
                ),
            )
        ),
        summary="Find the rule that lets everybody in at a port, and narrow it to one network.",
        blanks=(
            Blank("security_group", "rule", "security_group"),
            Blank("port", "rule", "port"),
            Blank("source", "rule", "source", title="Network"),
        ),
        phrases=(
            "Port {port} of {security_group} is open to the world (0.0.0.0/0): change the rule's source to {source}.",
            "In {security_group}, only {source} may reach port {port}; it is open to everybody now. Change that rule.",
        ),
        phrases_zh=(
            "安全组 {security_group} 的端口 {port} 对全网（0.0.0.0/0）开放，请把来源改为 {source}。",
            "{security_group} 中端口 {port} 现在谁都能访问，请改为只允许 {source}。",
        ),
    ),
    spec(
        CLOUD,
        "repair-listener",
        "Send a listener to the right pool",
        Job((Do(_LISTENER, "change_pool", (("pool", "{pool}"),)),)),
        summary="A listener of a load balancer sends to the wrong pool: change it.",
        blanks=(
            Blank("load_balancer", "listener", "load_balancer"),
            Blank("protocol", "listener", "protocol", choices=("http", "tcp")),
            Blank("port", "listener", "port"),
            Blank("pool", "listener", "pool"),
        ),
        phrases=(
            "Listener {protocol} {port} of {load_balancer} sends to the wrong pool: it should be {pool}.",
            "Change the pool of {load_balancer}'s {protocol} {port} listener to {pool}.",
        ),
        phrases_zh=(
            "负载均衡 {load_balancer} 的监听 {protocol} {port} 转发到了错误的后端池，应为 {pool}。",
            "把 {load_balancer} 的 {protocol} {port} 监听的后端池改为 {pool}。",
        ),
    ),
)
