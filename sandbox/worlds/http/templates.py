"""The kinds of ticket for an API, and how their blanks are drawn."""

import random
from dataclasses import dataclass

from sandbox.contracts.tasks import Environment, Parameter, Risk, Split, Task, Template
from sandbox.registry import Oracle
from sandbox.tasks import GOAL
from sandbox.variants import Dimension
from sandbox.worlds.http import names

NAME = "http"
HTTP = Environment(
    id=NAME,
    title="API",
    summary="Requests to a small API that is busy at times: retries, time-outs, rate limits and a circuit breaker.",
    real=False,
    practice=True,
)
DIMENSIONS = (
    Dimension("faults", ("some", "none", "many"), test=("many",)),
    Dimension("services", ("few", "many"), validation=("many",)),
    GOAL,
)
_MAX_STEPS = 60
Phrases = tuple[str, ...]


def _word(name: str, title: str) -> Parameter:
    return Parameter(name, title, pattern=r"[a-z][a-z0-9-]*", pattern_help="Use a-z, 0-9 and -.", max_length=40)


_SERVICE = _word("service", "Service")
_REPLICAS = Parameter("replicas", "Replicas", kind="integer", minimum=0, maximum=99_999)
_IMAGE = Parameter("image", "Image", pattern=r"v[0-9]+\.[0-9]+\.[0-9]+", pattern_help="As in v3.0.1.", example="v3.0.1")
_FACT = Parameter("fact", "Fact", kind="choice", choices=("team", "image", "replicas"))
_KINDS: tuple[tuple[str, str, tuple[Parameter, ...], Risk, Phrases, Phrases], ...] = (
    (
        "find-fact",
        "Find out a fact about a service",
        (_SERVICE, _FACT),
        Risk.READ,
        ("What is the {fact} of the service {service}?", "Look up {service} and answer with its {fact}."),
        ("服务 {service} 的 {fact} 是什么？", "查一下 {service}，回答它的 {fact}。"),
    ),
    (
        "seek-image",
        "Find the service that runs an image",
        (_IMAGE,),
        Risk.READ,
        ("Which service runs the image {image}?", "Find the service with image {image} and answer with its name."),
        ("哪个服务运行镜像 {image}？", "找到使用镜像 {image} 的服务，回答它的名称。"),
    ),
    (
        "scale",
        "Scale a service",
        (_SERVICE, _REPLICAS),
        Risk.COST,
        ("Scale {service} to {replicas} replicas.", "{service} needs {replicas} replicas."),
        ("把 {service} 扩缩到 {replicas} 个副本。", "{service} 需要 {replicas} 个副本。"),
    ),
    (
        "scale-many",
        "Scale three services",
        (_word("first", "First"), _word("second", "Second"), _word("third", "Third"), _REPLICAS),
        Risk.COST,
        (
            "Scale {first}, {second} and {third} to {replicas} replicas each.",
            "{replicas} replicas for each of {first}, {second}, {third}.",
        ),
        (
            "把 {first}、{second} 和 {third} 都扩缩到 {replicas} 个副本。",
            "{first}、{second}、{third} 各要 {replicas} 个副本。",
        ),
    ),
    (
        "copy-image",
        "Give a service another one's image",
        (_word("source", "Source"), _SERVICE),
        Risk.REVERSIBLE,
        ("Deploy to {service} the image that {source} runs.", "Set the image of {service} to the one of {source}."),
        ("把 {source} 运行的镜像部署到 {service}。", "将 {service} 的镜像设为 {source} 的镜像。"),
    ),
    (
        "restart",
        "Restart a service",
        (_SERVICE,),
        Risk.COST,
        ("Restart {service}, once.", "{service} hangs: restart it one time."),
        ("重启 {service}，只重启一次。", "{service} 卡住了：请重启它一次。"),
    ),
    (
        "delete",
        "Delete a service",
        (_SERVICE,),
        Risk.DESTRUCTIVE,
        ("Delete the service {service}.", "{service} is no longer needed; remove it, and no other."),
        ("删除服务 {service}。", "{service} 不再需要：请移除它，别的不要动。"),
    ),
    (
        "start-job",
        "Start a job exactly once",
        (_word("task", "Task"), _SERVICE),
        Risk.COST,
        ("Start the job {task} for {service}, exactly once.", "{service} needs the job {task}; it must not run twice."),
        ("为 {service} 启动任务 {task}，恰好一次。", "{service} 需要任务 {task}，它不能运行两次。"),
    ),
    (
        "cancel-job",
        "Cancel a job",
        (_word("task", "Task"),),
        Risk.DESTRUCTIVE,
        ("Cancel the job {task}.", "The job {task} was a mistake: delete it."),
        ("取消任务 {task}。", "任务 {task} 是误操作：请删除它。"),
    ),
)


@dataclass
class HttpTemplate:
    """A template with how to draw its blanks."""

    template: Template

    def sample(self, seed: int, split: Split) -> dict[str, str]:
        """Random blanks; the same seed draws the same."""
        chance = random.Random(f"sample:{self.template.id}:{split}:{seed}")  # noqa: S311  # has to be repeatable
        drawn: dict[str, str] = {}
        for parameter in self.template.parameters:
            drawn[parameter.name] = _drawn(parameter, chance, split, drawn)
        return drawn

    def oracle(self, task: Task) -> Oracle:
        """Who knows how."""
        from sandbox.worlds.http.oracle import DeskOracle  # only who plays pays for sockets and threads

        return DeskOracle(task)


def _drawn(parameter: Parameter, chance: random.Random, split: Split, drawn: dict[str, str]) -> str:
    match parameter.name:
        case "service" | "source" | "first" | "second" | "third":
            name = names.service(chance, split)
            while name in drawn.values():
                name = names.service(chance, split)
            return name
        case "image":
            return names.image(chance, split)
        case "replicas":
            return str(names.number(chance, split, 24, 300))
        case "task":
            return names.task(chance, split)
    return chance.choice(parameter.choices)


TEMPLATES = tuple(
    HttpTemplate(
        Template(
            id=f"{NAME}/{name}",
            environment=NAME,
            title=title,
            summary=f"{title}.",
            parameters=parameters,
            phrases=phrases,
            phrases_zh=phrases_zh,
            risk=risk,
            answers=risk is Risk.READ,
            max_steps=_MAX_STEPS,
        )
    )
    for name, title, parameters, risk, phrases, phrases_zh in _KINDS
)
