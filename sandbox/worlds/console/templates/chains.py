"""Jobs over several kinds, each step of which needs the one before."""

from sandbox.worlds.console.blanks import Blank
from sandbox.worlds.console.cloud import CLOUD
from sandbox.worlds.console.jobs import Do, Job, Make, Target, Tell, named
from sandbox.worlds.console.scenes import Thing
from sandbox.worlds.console.specs import ConsoleTask, spec
from sandbox.worlds.console.templates.classic import same

_INSTANCE = named("instance")
_OFFICE = Blank("source", "rule", "source", title="Office network")
_SNAPSHOT = Target("snapshot", on=named("disk"), pick="least:made")

CHAINS: tuple[ConsoleTask, ...] = (
    spec(
        CLOUD,
        "office-server",
        "Set up a server for the office",
        Job(
            (
                Make("network", (("name", "{network}"), ("range", "{range}"))),
                Make("security_group", (("name", "{security_group}"),)),
                Make(
                    "rule", (("protocol", "tcp"), ("port", "{port}"), ("source", "{source}")), named("security_group")
                ),
                Make(
                    "instance",
                    (
                        ("name", "{name}"),
                        ("zone", "{zone}"),
                        ("size", "medium"),
                        ("network", "{network}"),
                        ("security_group", "{security_group}"),
                    ),
                ),
            )
        ),
        summary="An instance in a network of its own that only the office reaches, at one port.",
        blanks=(
            Blank("name", "instance"),
            Blank("zone", "instance", "zone"),
            Blank("network", "instance", "network"),
            Blank("range", "network", "range"),
            Blank("security_group", "instance", "security_group"),
            Blank("port", "rule", "port"),
            _OFFICE,
        ),
        phrases=(
            "A 2-core instance {name} in {zone}, in its own network {network} ({range}), reachable on tcp {port} from "
            "the office {source} only, by a new security group {security_group}.",
            "Build this: network {network} with range {range}; security group {security_group} that lets {source} in "
            "at tcp {port}; and a medium instance {name} in {zone} that is in both.",
        ),
        phrases_zh=(
            "在 {zone} 建一台 2 核实例 {name}，放进新网络 {network}（{range}），用新安全组 {security_group} "
            "只允许办公网 {source} 访问 tcp {port}。",
            "请依次新建：网络 {network}，网段 {range}；安全组 {security_group}，放通 {source} 的 tcp {port}；"
            "再在 {zone} 建 medium 实例 {name}，使用以上网络和安全组。",
        ),
    ),
    spec(
        CLOUD,
        "network-with-subnet",
        "Make a network with a subnet",
        Job(
            (
                Make("network", (("name", "{network}"), ("range", "{range}"))),
                Make("subnet", (("zone", "{zone}"), ("range", "{subnet}"), ("access", "{access}")), named("network")),
            )
        ),
        summary="A new network and one subnet in it.",
        blanks=(
            Blank("network", "instance", "network"),
            Blank("range", "network", "range"),
            Blank("zone", "subnet", "zone"),
            Blank("subnet", "subnet", "range", title="Subnet"),
            Blank("access", "subnet", "access"),
        ),
        phrases=(
            "Create network {network} with range {range} and in it a {access} subnet {subnet} in {zone}.",
            "We need a network {network} ({range}) that has one {access} subnet: {subnet}, {zone}.",
        ),
        phrases_zh=(
            "创建网络 {network}，网段 {range}，并在 {zone} 加一个 {access} 子网 {subnet}。",
            "需要网络 {network}（{range}），其中有一个位于 {zone} 的 {access} 子网 {subnet}。",
        ),
    ),
    spec(
        CLOUD,
        "disk-for-instance",
        "Give an instance a new disk",
        Job(
            (
                Make("disk", (("name", "{disk}"), ("zone", "{zone}"), ("size_gb", "{size_gb}"))),
                Do(named("disk"), "attach", (("instance", "{instance}"),)),
            )
        ),
        summary="Make a disk in the instance's zone, then attach it.",
        scene=(Thing("instance", (("name", "{instance}"), ("zone", "{zone}"))),),
        blanks=(
            Blank("disk", "disk"),
            Blank("instance", "instance"),
            Blank("zone", "instance", "zone"),
            Blank("size_gb", "disk", "size_gb", low=20, high=2000),
        ),
        phrases=(
            "Instance {instance} in {zone} needs a new disk {disk} of {size_gb} GB, attached to it.",
            "Create disk {disk} ({size_gb} GB, {zone}) and attach it to {instance}.",
        ),
        phrases_zh=(
            "给 {zone} 的实例 {instance} 新建并挂载一块 {size_gb} GB 的云盘 {disk}。",
            "创建云盘 {disk}（{size_gb} GB，{zone}），然后挂载到 {instance}。",
        ),
    ),
    spec(
        CLOUD,
        "detach-and-snapshot",
        "Detach one disk and copy another",
        Job(
            (
                Do(named("disk"), "detach"),
                Make("snapshot", (("name", "{snapshot}"), ("disk", "{keep}"))),
            )
        ),
        summary="Detach one disk, and take a snapshot of another.",
        blanks=(
            Blank("disk", "disk"),
            Blank("keep", "disk", title="Disk to keep a copy of"),
            Blank("snapshot", "snapshot", title="Snapshot"),
        ),
        phrases=(
            "Detach disk {disk}, then take a snapshot {snapshot} of disk {keep}.",
            "{disk} has to come off its instance. After that make the snapshot {snapshot} of {keep}.",
        ),
        phrases_zh=(
            "先卸载云盘 {disk}，再给云盘 {keep} 创建快照 {snapshot}。",
            "云盘 {disk} 需要从实例上卸下，然后为 {keep} 打快照 {snapshot}。",
        ),
    ),
    spec(
        CLOUD,
        "resize-database-safely",
        "Resize a database that runs",
        Job(
            (
                Do(named("database"), "stop"),
                Do(named("database"), "resize", same("size")),
                Do(named("database"), "start"),
            )
        ),
        summary="Stop a database, change its size, start it again.",
        blanks=(Blank("database", "database"), Blank("size", "database", "size")),
        phrases=(
            "Resize database {database} to {size}: stop it, resize it, and start it again.",
            "Database {database} should be {size}. It must be stopped for that and running again afterwards.",
        ),
        phrases_zh=(
            "把数据库 {database} 的规格改为 {size}：先停止，变更规格，再启动。",
            "数据库 {database} 需要变成 {size}，变更时必须停机，完成后恢复运行。",
        ),
        held_out="test",
    ),
    spec(
        CLOUD,
        "web-behind-balancer",
        "Put an instance behind a load balancer",
        Job(
            (
                Make("pool", (("name", "{pool}"), ("protocol", "http"), ("port", "{port}"))),
                Make("member", (("instance", "{instance}"), ("weight", "{weight}")), named("pool")),
                Make(
                    "listener",
                    (("protocol", "http"), ("port", "80"), ("pool", "{pool}")),
                    named("load_balancer"),
                ),
            )
        ),
        summary="A new pool with one member, and a listener that sends to it.",
        blanks=(
            Blank("pool", "pool", title="Pool"),
            Blank("port", "pool", "port"),
            Blank("instance", "instance"),
            Blank("weight", "member", "weight"),
            Blank("load_balancer", "listener", "load_balancer"),
        ),
        phrases=(
            "Make an http pool {pool} at port {port} with instance {instance} (weight {weight}), and let load balancer "
            "{load_balancer} send http 80 to it.",
            "Load balancer {load_balancer} needs an http listener at port 80 to a new pool {pool} (http, port {port}) "
            "whose only member is {instance} with weight {weight}.",
        ),
        phrases_zh=(
            "新建 http 后端池 {pool}（端口 {port}），加入实例 {instance}（权重 {weight}），"
            "再让负载均衡 {load_balancer} 在 http 80 转发到它。",
            "给负载均衡 {load_balancer} 加一个 http 80 监听，转发到新后端池 {pool}（http，端口 {port}），成员只有 "
            "{instance}，权重 {weight}。",
        ),
    ),
    spec(
        CLOUD,
        "drain-and-stop",
        "Take an instance out of service",
        Job(
            (
                Do(Target("member", (("instance", "{instance}"),), on=named("pool")), "drain"),
                Do(_INSTANCE, "stop"),
            )
        ),
        summary="Drain a pool's member before its instance is stopped.",
        blanks=(Blank("pool", "pool", title="Pool"), Blank("instance", "instance")),
        phrases=(
            "Drain {instance} in pool {pool}, then stop the instance.",
            "Maintenance on {instance}: take it out of pool {pool} by draining it, and stop it after that.",
        ),
        phrases_zh=(
            "先在后端池 {pool} 中排空 {instance}，然后停止该实例。",
            "{instance} 要维护：在 {pool} 里排空它，再停机。",
        ),
    ),
    spec(
        CLOUD,
        "onboard-user",
        "Invite a user and give an access key",
        Job(
            (
                Make("user", (("name", "{user}"), ("email", "{email}"), ("role", "{role}"))),
                Make("access_key", (("purpose", "{purpose}"),), named("user")),
            )
        ),
        summary="A new user with a role and one access key.",
        blanks=(
            Blank("user", "user"),
            Blank("email", "user", "email"),
            Blank("role", "user", "role"),
            Blank("purpose", "access_key", "purpose"),
        ),
        phrases=(
            "Invite user {user} ({email}) as {role} and create an access key for {purpose}.",
            "New colleague: {user}, {email}, role {role}. They also need an access key with the purpose {purpose}.",
        ),
        phrases_zh=(
            "邀请用户 {user}（{email}），角色 {role}，并为其创建用途为 {purpose} 的访问密钥。",
            "新同事 {user}：邮箱 {email}，角色 {role}，还需要一个用途是 {purpose} 的访问密钥。",
        ),
    ),
    spec(
        CLOUD,
        "alarm-to-new-channel",
        "Tell an alarm to a new channel",
        Job(
            (
                Make("channel", (("name", "{channel}"), ("type", "e-mail"), ("recipient", "{recipient}"))),
                Do(named("alarm"), "change_channel", (("channel", "{channel}"),)),
            )
        ),
        summary="A new e-mail channel, and an alarm that uses it.",
        blanks=(
            Blank("alarm", "alarm"),
            Blank("channel", "alarm", "channel"),
            Blank("recipient", "channel", "recipient"),
        ),
        phrases=(
            "Create an e-mail channel {channel} to {recipient} and let alarm {alarm} use it.",
            "Alarm {alarm} should go to {recipient}: make channel {channel} for that and set it.",
        ),
        phrases_zh=(
            "新建邮件通知渠道 {channel}，收件人 {recipient}，并让告警 {alarm} 使用它。",
            "告警 {alarm} 要通知 {recipient}：请建渠道 {channel} 并设置给它。",
        ),
        held_out="test",
    ),
    spec(
        CLOUD,
        "delete-oldest-snapshot",
        "Delete the oldest snapshot of a disk",
        Job((Do(_SNAPSHOT, "delete"),)),
        summary="Of several snapshots of one disk, delete the one made first.",
        scene=(
            Thing("snapshot", (("made", "2026-02-03"),), ("ready",), on=named("disk")),
            Thing("snapshot", (("made", "2026-06-21"),), ("ready",), on=named("disk")),
            Thing("snapshot", (("made", "2026-11-09"),), ("ready",), on=named("disk")),
        ),
        blanks=(Blank("disk", "disk"),),
        phrases=(
            "Delete the oldest snapshot of disk {disk}.",
            "Disk {disk} has too many snapshots: remove the one that was made first.",
        ),
        phrases_zh=("删除云盘 {disk} 最早的快照。", "云盘 {disk} 的快照太多，请删掉最旧的那个。"),
    ),
    spec(
        CLOUD,
        "who-is-told",
        "Find out who is told of an alarm",
        Job((Tell(Target("channel", of=named("alarm"), link="channel"), "type"),)),
        summary="Follow an alarm to its channel and answer the channel's type.",
        blanks=(Blank("alarm", "alarm"),),
        phrases=(
            "What type is the channel that alarm {alarm} is told to?",
            "Alarm {alarm}: find out the type of its channel.",
        ),
        phrases_zh=("告警 {alarm} 的通知渠道是什么类型？", "请查告警 {alarm} 所用通知渠道的类型。"),
        held_out="test",
    ),
    spec(
        CLOUD,
        "group-of-instance",
        "Find out what an instance's security group is for",
        Job((Tell(Target("security_group", of=_INSTANCE, link="security_group"), "description"),)),
        summary="Follow an instance to its security group and answer its description.",
        blanks=(Blank("instance", "instance"),),
        phrases=(
            "What does the description of {instance}'s security group say?",
            "Find the security group of instance {instance} and tell me its description.",
        ),
        phrases_zh=("实例 {instance} 所属安全组的描述是什么？", "请找到 {instance} 的安全组，告诉我它的描述。"),
    ),
)
