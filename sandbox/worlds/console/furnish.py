"""The first state of a task's console: what the task is about, among look-alikes and strangers."""

import random

from sandbox.contracts.tasks import Task
from sandbox.worlds.console import names
from sandbox.worlds.console.cloud import CLOUD, IMAGES, SIZES, ZONES
from sandbox.worlds.console.declare import Console
from sandbox.worlds.console.world import Object, World

Values = dict[str, str]


def furnish(task: Task, console: Console = CLOUD) -> World:
    """The world in which the task begins. Equal tasks give equal worlds."""
    return _Furnisher(task, console).world


class _Furnisher:
    """Fills one world in order of dependence: groups, rules, instances, disks."""

    def __init__(self, task: Task, console: Console) -> None:
        self.action = task.template.partition("/")[2]
        self.parameters = dict(task.goal.fields)
        seed = f"{task.template}:{task.seed}:{sorted(self.parameters.items())}"
        self.rng = random.Random(seed)  # noqa: S311  # a world, not a secret
        self.world = World(console, seed)
        self.taken = set(self.parameters.values()) | {"default"}
        splits = [split for value in self.parameters.values() if (split := names.split_of(value))]
        self.split = splits[0] if splits else "train"
        self._groups()
        self._rules()
        self._instances()
        self._disks()
        self.world.settle()
        self.world.tick = 0
        self.world.audit.clear()

    def _fresh(self) -> str:
        drawn = names.name(self.rng, self.split, taken=self.taken)
        self.taken.add(drawn)
        return drawn

    def _crowd(self, target: str, low: int, high: int) -> list[str]:
        """Names of strangers and of the target's look-alikes."""
        near = names.look_alikes(self.rng, target, self.rng.randint(1, 3)) if target else []
        near = [each for each in near if each not in self.taken and len(each) <= 40]
        self.taken.update(near)
        return [*near, *(self._fresh() for _ in range(self.rng.randint(low, high)))]

    def _shuffled(self, crowd: list[Values], target: Values | None) -> list[Values]:
        everyone = [*crowd, *([target] if target else [])]
        self.rng.shuffle(everyone)
        return everyone

    def _groups(self) -> None:
        asked = self.parameters.get("security_group", "")
        makes = self.action == "create-security-group"
        near = asked or (self.parameters.get("name", "") if makes else "")
        crowd = [self._group(each) for each in self._crowd(near, 3, 8)]
        target = self._group(asked) if asked and asked != "default" else None
        self.world.create("security_group", {"name": "default", "description": "Made with the account"})
        for values in self._shuffled(crowd, target):
            self.world.create("security_group", values)

    def _group(self, name: str) -> Values:
        return {"name": name, "description": self.rng.choice(names.USES[self.split])}

    def _rules(self) -> None:
        for group in self.world.of_kind("security_group"):
            is_target = group.values["name"] == self.parameters.get("security_group") and "port" in self.parameters
            for rule in self._rules_of_target() if is_target else self._some_rules():
                self.world.create("rule", {**rule, "security_group": group.values["name"]})

    def _some_rules(self) -> list[Values]:
        return [self._rule() for _ in range(self.rng.randint(0, 3))]

    def _rule(self) -> Values:
        return {
            "protocol": self.rng.choice(("tcp", "tcp", "udp")),
            "port": names.port(self.rng, self.split),
            "source": names.network(self.rng, self.split),
        }

    def _rules_of_target(self) -> list[Values]:
        """Rules beside the one that is asked for: the same port from elsewhere, another port from there."""
        asked = {name: self.parameters[name] for name in ("protocol", "port", "source")}
        near = [
            {**asked, "source": names.network(self.rng, self.split)},
            {**asked, "port": names.port(self.rng, self.split)},
            *self._some_rules(),
        ]
        others = [rule for rule in near if rule != asked]
        return self._shuffled(others, asked if self.action == "remove-rule" else None)

    def _instances(self) -> None:
        asked = self.parameters.get("instance", "")
        near = asked or (self.parameters.get("name", "") if self.action == "create-instance" else "")
        crowd = [self._instance(each) for each in self._crowd(near, 3, 18)]
        target = self._instance(asked) if asked else None
        if target and self.action == "resize-instance":
            target["size"] = self.rng.choice([size for size in SIZES if size != self.parameters["size"]])
        for values in self._shuffled(crowd, target):
            self.world.create("instance", values)
        self.world.settle()
        stays = {"stop-instance": False, "start-instance": True}
        for it in self.world.of_kind("instance"):
            stops = self.rng.random() < 0.3
            if it.values["name"] == asked:
                stops = stays.get(self.action, stops)
            if stops:
                self.world.do(it.id, "stop", {})
        self.world.settle()

    def _instance(self, name: str) -> Values:
        groups = [each.values["name"] for each in self.world.of_kind("security_group")]
        return {
            "name": name,
            "zone": self.rng.choice(ZONES),
            "size": self.rng.choice(SIZES),
            "image": self.rng.choice(IMAGES),
            "security_group": self.rng.choice(groups),
        }

    def _disks(self) -> None:
        asked = self.parameters.get("disk", "")
        near = asked or (self.parameters.get("name", "") if self.action == "create-disk" else "")
        crowd = [self._disk(each) for each in self._crowd(near, 4, 14)]
        target = self._disk(asked) if asked else None
        if target and self.action == "enlarge-disk":
            target["size_gb"] = str(self.rng.randint(10, min(500, int(self.parameters["size_gb"]) - 1)))
        if target and self.action == "attach-disk":
            target["zone"] = self._named("instance", self.parameters["instance"]).values["zone"]
        for values in self._shuffled(crowd, target):
            self.world.create("disk", values)
        self.world.settle()
        # What is to be terminated, and what is to be attached, is free.
        spared = {self.parameters.get("instance", ""), asked if self.action == "attach-disk" else ""}
        for disk in self.world.of_kind("disk"):
            self._maybe_attach(disk, spared)
        self.world.settle()

    def _maybe_attach(self, disk: Object, spared: set[str]) -> None:
        hosts = [
            each.values["name"]
            for each in self.world.of_kind("instance")
            if each.values["zone"] == disk.values["zone"] and each.values["name"] not in spared
        ]
        if hosts and disk.values["name"] not in spared and self.rng.random() < 0.4:
            self.world.do(disk.id, "attach", {"instance": self.rng.choice(hosts)})

    def _disk(self, name: str) -> Values:
        return {"name": name, "zone": self.rng.choice(ZONES), "size_gb": str(self.rng.randrange(10, 510, 10))}

    def _named(self, kind: str, name: str) -> Object:
        found = self.world.find(kind, name)
        if found is None:
            raise KeyError(f"there is no {kind} named {name}")
        return found
