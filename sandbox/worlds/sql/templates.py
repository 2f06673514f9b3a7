"""The kinds of ticket for a database, and how their blanks are drawn."""

import random
from dataclasses import dataclass

from sandbox.contracts.tasks import Environment, Parameter, Risk, Split, Task, Template
from sandbox.registry import Oracle
from sandbox.tasks import GOAL
from sandbox.variants import Dimension
from sandbox.worlds.sql import names

NAME = "sql"
SQL = Environment(
    id=NAME,
    title="Database",
    summary="Statements on a PostgreSQL in a transaction that is rolled back: look up, write, repair, add rules.",
    real=False,
    practice=True,
)
DIMENSIONS = (
    Dimension("rows", ("few", "many"), validation=("many",)),
    Dimension("columns", ("plain", "reversed"), test=("reversed",)),
    GOAL,
)
_FACTS = ("zone", "owner", "cores", "state")
_COLUMNS = {"hosts": ("zone", "owner", "state"), "volumes": ("label", "size_gb"), "alerts": ("severity", "state")}
Phrases = tuple[str, ...]


def _word(name: str, title: str) -> Parameter:
    return Parameter(name, title, pattern=r"[a-z][a-z0-9_-]*", pattern_help="Use a-z, 0-9, _ and -.", max_length=40)


def _number(name: str, title: str, most: int) -> Parameter:
    return Parameter(name, title, kind="integer", minimum=1, maximum=most)


def _choice(name: str, title: str, *choices: str) -> Parameter:
    return Parameter(name, title, kind="choice", choices=choices)


_HOST = _word("host", "Host")
_OWNER = _word("owner", "Owner")
_KINDS: tuple[tuple[str, str, tuple[Parameter, ...], Risk, Phrases, Phrases], ...] = (
    (
        "find-fact",
        "Find out a fact about a host",
        (_HOST, _choice("fact", "Fact", *_FACTS)),
        Risk.READ,
        ("What is the {fact} of the host {host}?", "Look up the host {host} and answer with its {fact}."),
        ("主机 {host} 的 {fact} 是什么？", "查一下主机 {host}，回答它的 {fact}。"),
    ),
    (
        "count-hosts",
        "Count hosts",
        (_word("zone", "Zone"), _choice("state", "State", *names.STATES)),
        Risk.READ,
        ("How many hosts in zone {zone} are {state}?", "Count the {state} hosts in {zone}."),
        ("区域 {zone} 中有多少台主机是 {state}？", "数一数 {zone} 里状态为 {state} 的主机。"),
    ),
    (
        "add-host",
        "Add a host",
        (_HOST, _word("zone", "Zone"), _number("cores", "Cores", 512)),
        Risk.REVERSIBLE,
        ("Add the host {host} in zone {zone} with {cores} cores.", "{host} is new: {zone}, {cores} cores. Enter it."),
        ("在区域 {zone} 添加主机 {host}，{cores} 核。", "{host} 是新主机：{zone}，{cores} 核。请录入。"),
    ),
    (
        "set-owner",
        "Give a host an owner",
        (_HOST, _OWNER),
        Risk.REVERSIBLE,
        ("{owner} takes over the host {host}: change its owner.", "Set the owner of {host} to {owner}."),
        ("主机 {host} 由 {owner} 接手：请更改它的负责人。", "将 {host} 的负责人设为 {owner}。"),
    ),
    (
        "resize-volume",
        "Change a volume of a host",
        (_HOST, _word("label", "Volume"), _number("size", "Size in GB", 99_999)),
        Risk.REVERSIBLE,
        ("The volume {label} of host {host} has {size} GB now.", "Set size_gb of {label} on {host} to {size}."),
        ("主机 {host} 的卷 {label} 现在是 {size} GB。", "把 {host} 上 {label} 的 size_gb 设为 {size}。"),
    ),
    (
        "delete-host",
        "Delete a host",
        (_HOST,),
        Risk.DESTRUCTIVE,
        ("Delete the host {host}.", "{host} is gone: remove it, and no other host."),
        ("删除主机 {host}。", "{host} 已经不在了：请移除它，别的主机不要动。"),
    ),
    (
        "close-alerts",
        "Close alerts of a host",
        (_HOST, _choice("severity", "Severity", *names.SEVERITIES), _choice("state", "State", "closed", "muted")),
        Risk.REVERSIBLE,
        ("Make all {severity} alerts of host {host} {state}.", "Alerts of {host} that are {severity}: set to {state}."),
        ("把主机 {host} 的所有 {severity} 告警设为 {state}。", "{host} 的告警中级别为 {severity} 的，都改为 {state}。"),
    ),
    (
        "move-budget",
        "Move an amount between budgets",
        (_word("giver", "From"), _word("taker", "To"), _number("amount", "Amount", 400)),
        Risk.REVERSIBLE,
        ("Move {amount} from the budget of {giver} to {taker}.", "{taker} gets {amount} of the budget of {giver}."),
        ("从 {giver} 的预算中转 {amount} 给 {taker}。", "{taker} 从 {giver} 的预算得到 {amount}。"),
    ),
    (
        "add-index",
        "Add an index",
        (_choice("table", "Table", *_COLUMNS), _word("column", "Column")),
        Risk.REVERSIBLE,
        ("Queries by {column} on {table} are slow: add an index.", "Create an index on {column} of {table}."),
        ("按 {column} 查询 {table} 很慢：请加一个索引。", "在 {table} 的 {column} 上建索引。"),
    ),
    (
        "add-column",
        "Add a column",
        (
            _choice("table", "Table", "hosts", "volumes", "alerts", "budgets"),
            _word("new", "New column"),
            _choice("type", "Type", "text", "integer", "boolean"),
        ),
        Risk.REVERSIBLE,
        ("Add the column {new} of type {type} to {table}.", "{table} needs another {type} column called {new}."),
        ("给 {table} 增加类型为 {type} 的列 {new}。", "{table} 还需要一个名为 {new} 的 {type} 列。"),
    ),
    (
        "fix-severity",
        "Repair severities and make a rule of it",
        (_word("bad", "Wrong word"), _choice("good", "Right word", *names.SEVERITIES), Parameter("allowed", "Allowed")),
        Risk.REVERSIBLE,
        (
            'Alerts say {bad}: make it {good}, then allow no severity but "{allowed}".',
            'Turn severity {bad} into {good} in alerts and add a check that severity is one of "{allowed}".',
        ),
        (
            '有些告警写着 {bad}：改成 {good}，然后只允许 "{allowed}" 这些级别。',
            '把告警中的级别 {bad} 改为 {good}，再加一条检查：级别只能是 "{allowed}" 之一。',
        ),
    ),
    (
        "fix-owner",
        "Repair missing owners and require them",
        (_OWNER,),
        Risk.REVERSIBLE,
        (
            "Hosts without owner go to {owner}; then make owner required.",
            "Give ownerless hosts to {owner}, set not null.",
        ),
        ("没有负责人的主机归 {owner}，然后把 owner 设为必填。", "把无主的主机交给 {owner}，并设为 not null。"),
    ),
    (
        "fix-double",
        "Remove a double and make names unique",
        (_HOST,),
        Risk.DESTRUCTIVE,
        (
            "{host} stands twice in hosts: delete the newer row, then make name unique.",
            "Remove the newer one of the two rows of {host}, then let no name stand twice in hosts.",
        ),
        (
            "{host} 在 hosts 中出现了两次：删除较新的一行，再让 name 唯一。",
            "hosts 里有两行 {host}：请删掉后来的那行，然后把 name 设为唯一。",
        ),
    ),
)


@dataclass
class SqlTemplate:
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
        from sandbox.worlds.sql.oracle import DeskOracle  # only who plays pays for the database's client

        return DeskOracle(task)


def _drawn(parameter: Parameter, chance: random.Random, split: Split, drawn: dict[str, str]) -> str:
    match parameter.name:
        case "host":
            return names.host(chance, split)
        case "owner":
            return names.owner(chance, split)
        case "zone":
            return names.zone(chance, split)
        case "label":
            return names.label(chance, split)
        case "giver" | "taker":
            return next(team for team in iter(lambda: names.team(chance, split), "") if team not in drawn.values())
        case "cores" | "size" | "amount":
            return str(names.number(chance, split, 20, 400))
        case "new":
            return names.new_column(chance, split)
        case "column":
            return chance.choice(_COLUMNS[drawn["table"]])
        case "bad":
            return names.bad_severity(chance, split)
        case "allowed":
            return ", ".join(names.SEVERITIES)
    return chance.choice(parameter.choices)


TEMPLATES = tuple(
    SqlTemplate(
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
            max_steps=40,
        )
    )
    for name, title, parameters, risk, phrases, phrases_zh in _KINDS
)
