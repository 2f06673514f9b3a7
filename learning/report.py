"""A judgement as JSON, Markdown and one HTML page with plots, with a replay of every failure.

Run: python -m learning.report ONE/report.json OTHER/report.json   # two stored judgements on the tasks that both had
"""

import argparse
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import msgspec
import pygal
from pygal.style import Style

from learning import replays
from learning.consistency import BAR, Consistency
from learning.evaluate import Ended, Evaluation, Rate
from learning.measures import Share, verified
from learning.pairing import Pairing, by_template, pair
from sandbox.contracts import storage
from sandbox.contracts.trajectories import Trajectory

if TYPE_CHECKING:
    from learning.judging import Judgement

Table: TypeAlias = tuple[Sequence[str], Sequence[Sequence[str]]]  # head, rows
_SCRIPT = re.compile(r"<script.*?</script>", re.DOTALL)
_STYLE = Style(
    background="transparent",
    plot_background="transparent",
    foreground="CanvasText",
    foreground_strong="CanvasText",
    foreground_subtle="CanvasText",
    colors=("#0b6e4f", "#8a6d00", "#b3261e"),
)


def write(judgement: "Judgement", trajectories: Sequence[Trajectory], folder: Path) -> None:
    """report.json, report.md, report.html; trajectories/ of all episodes, replays/ of those that were not verified."""
    for name in ("replays", "trajectories"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    for each in trajectories:
        (folder / "trajectories" / f"{each.id}.belay").write_bytes(storage.pack(each))
        if not verified(each):
            (folder / "replays" / f"{each.id}.html").write_text(replays.page(each))
    (folder / "report.json").write_bytes(msgspec.json.format(msgspec.json.encode(judgement), indent=1) + b"\n")
    (folder / "report.md").write_text(markdown(judgement))
    (folder / "report.html").write_text(html(judgement))


def read(path: Path) -> "Judgement":
    """A judgement written before. Raises msgspec.ValidationError."""
    from learning.judging import Judgement  # it stands on this module

    return msgspec.json.decode(path.read_bytes(), type=Judgement)


def markdown(judgement: "Judgement") -> str:
    """The judgement in words and tables."""
    parts = [f"# {_plain(judgement.policy)}", _plain(headline(judgement))]
    for title, table in _tables(judgement):
        parts.append(f"## {_plain(title)}\n\n{_markdown_table(table)}")
    failed = [each for evaluation in judgement.evaluations for each in evaluation.episodes if _failed(each)]
    if failed:
        lines = [f"- {_plain(f'{_place(each)}: {each.outcome}, {_why(each)}')}{_link(each)}" for each in failed]
        parts.append("## Not verified\n\n" + "\n".join(lines))
    return "\n\n".join(parts) + "\n"


def html(judgement: "Judgement") -> str:
    """The judgement as one self-contained page; replays are linked beside it."""
    parts = [f"<h1>{escape(judgement.policy)}</h1><p>{escape(headline(judgement))}</p>", _success_plot(judgement)]
    for title, table in _tables(judgement):
        parts.append(f'<h2>{escape(title)}</h2><div class="wide">{_html_table(table)}</div>')
    parts += [_approvals_plot(judgement), _heat(judgement)]
    failed = [each for evaluation in judgement.evaluations for each in evaluation.episodes if _failed(each)]
    if failed:
        items = "".join(f"<li>{_replay(each)}: {escape(f'{each.outcome}, {_why(each)}')}</li>" for each in failed)
        parts.append(f"<h2>Not verified</h2><ul>{items}</ul>")
    return replays.document(f"Report on {judgement.policy}", "".join(parts))


def headline(judgement: "Judgement") -> str:
    """The judgement in one sentence."""
    rates = "; ".join(f"{each.split}: {_rate(each.overall)}" for each in judgement.evaluations)
    lost = sum(each.lost for each in judgement.evaluations)
    consistent = ""
    if judgement.variants is not None:
        bar = "reaches" if judgement.variants.overall.rate >= BAR else "misses"
        consistent = f" In two looks it answers alike {_share(judgement.variants.overall)}; that {bar} {BAR:.0%}."
    ms = max((each.proposing_ms for each in judgement.evaluations), default=0.0)
    return f"Verified {rates}; {lost} lost with their console. A proposal takes {ms:.1f} ms (median).{consistent}"


def _tables(judgement: "Judgement") -> Iterable[tuple[str, Table]]:
    for each in judgement.evaluations:
        yield f"Success on {each.split}", _success(each)
    yield "Conduct", _conduct(judgement)
    if judgement.causes:
        rows = [
            (each.environment, each.cause, f"{each.share:.0%}", f"{each.confidence:.2f}", ", ".join(each.marks))
            for each in judgement.causes
        ]
        yield "Why it failed", (("environment", "cause", "of failures", "confidence", "marks"), rows)
    if judgement.variants is not None:
        yield "The same question in two looks", _consistency(judgement.variants)
    if judgement.against is not None:
        yield f"Against {judgement.against.policy}", _pairs(judgement)
        if judgement.against.same_actions is not None:
            yield f"The same action as {judgement.against.policy}", _consistency(judgement.against.same_actions)


def _success(evaluation: Evaluation) -> Table:
    rates = {**evaluation.templates, "all": evaluation.overall}
    rows = [
        (
            name,
            f"{each.verified}/{each.episodes}",
            f"{each.rate:.0%}",
            _interval(each.interval),
            f"{each.mean_steps:.1f}",
        )
        for name, each in rates.items()
    ]
    return ("template", "verified", "rate", "95 % interval", "steps"), rows


def _conduct(judgement: "Judgement") -> Table:
    found = judgement.conduct
    over = "not known" if found.over_optimal is None else f"{found.over_optimal:.2f}"
    rows = [
        ("actions that could not be done", _share(found.invalid_actions)),
        ("actions without effect", _share(found.idle_actions)),
        ("episodes given up", _share(found.gave_up)),
        ("steps over those of the oracle, where verified", over),
    ]
    rows += [(f"questions an episode, {_leaves(level)}", f"{n:.2f}") for level, n in found.approvals.items()]
    rows += [(f"tokens met in {name}", f"{share:.0%}") for name, share in judgement.ground.share.items()]
    return ("what", "how much"), rows


def _leaves(level: str) -> str:
    return "everything is asked" if level == "nothing" else f"{level} goes by itself"


def _pairs(judgement: "Judgement") -> Table:
    assert judgement.against is not None
    pairings = {**judgement.against.templates, "all": judgement.against.pairing}
    return paired(pairings, judgement.policy, judgement.against.policy)


def paired(pairings: Mapping[str, Pairing], one: str, other: str) -> Table:
    """Two policies on the same tasks, by template."""
    rows = [
        (name, *map(str, (each.tasks, each.both, each.only_one, each.only_other, each.neither)), f"{each.p_value:.3f}")
        for name, each in pairings.items()
    ]
    return ("template", "tasks", "both", f"only {one}", f"only {other}", "neither", "p (exact)"), rows


def _consistency(found: Consistency) -> Table:
    shares = {**found.templates, "all": found.overall}
    return ("template", "alike"), [(name, _share(each)) for name, each in shares.items()]


def _success_plot(judgement: "Judgement") -> str:
    chart = pygal.HorizontalBar(
        js=[], style=_STYLE, title="Verified, with 95 % intervals", range=(0, 1), legend_at_bottom=True, height=260
    )
    # Bars are drawn from the bottom up; the table below them begins at the top.
    templates = sorted({name for each in judgement.evaluations for name in each.templates}, reverse=True)
    chart.height = 200 + 34 * len(templates) * len(judgement.evaluations)
    chart.x_labels = templates
    for each in judgement.evaluations:
        chart.add(each.split, [_bar(each.templates.get(name)) for name in templates])
    return _figure(chart)


def _bar(rate: Rate | None) -> dict[str, object] | None:
    if rate is None:
        return None
    low, high = rate.interval
    return {"value": rate.rate, "ci": {"low": low, "high": high}}


def _approvals_plot(judgement: "Judgement") -> str:
    chart = pygal.Bar(js=[], style=_STYLE, title="Questions to people an episode", show_legend=False, height=300)
    chart.x_labels = [_leaves(level) for level in judgement.conduct.approvals]
    chart.add("questions", list(judgement.conduct.approvals.values()))
    return _figure(chart)


def _figure(chart: pygal.graph.graph.Graph) -> str:
    drawn = chart.render(is_unicode=True, disable_xml_declaration=True)
    return f"<figure>{_SCRIPT.sub('', drawn)}</figure>"  # the page moves nothing


def _heat(judgement: "Judgement") -> str:
    """Templates by tokens, the darker the more episodes met it; numbers stand in the cells."""
    met = judgement.ground.met
    tokens = sorted({token for each in met.values() for token in each})
    head = "".join(f"<th>{escape(token)}</th>" for token in tokens)
    rows = "".join(
        f"<tr><th>{escape(template)}</th>{''.join(_cell(each.get(token, 0.0)) for token in tokens)}</tr>"
        for template, each in met.items()
    )
    unmet = "".join(
        f"<p>Never met in {escape(name)}: {escape(', '.join(each) or 'nothing, all was met')}.</p>"
        for name, each in judgement.ground.unmet.items()
    )
    return (
        "<h2>Ground covered</h2><p>Share of a template's episodes in which a token was met.</p>"
        f'<div class="wide"><table><tr><th></th>{head}</tr>{rows}</table></div>{unmet}'
    )


def _cell(share: float) -> str:
    return f'<td class="n" style="background:rgb(11 110 79 / {share * 0.6:.2f})">{share:.2f}</td>'


def _html_table(table: Table) -> str:
    head, rows = table
    top = "".join(f"<th>{escape(each)}</th>" for each in head)
    body = "".join(f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in rows)
    return f"<table><tr>{top}</tr>{body}</table>"


def _markdown_table(table: Table) -> str:
    head, rows = table
    lines = ["| " + " | ".join(_plain(cell).replace("|", "\\|") for cell in row) + " |" for row in (head, *rows)]
    return "\n".join([lines[0], "|" + "---|" * len(head), *lines[1:]])


def _plain(text: str) -> str:
    """Words for Markdown, which would take up tags as HTML."""
    return escape(text, quote=False)


def _failed(each: Ended) -> bool:
    return each.outcome != "verified"


def _why(each: Ended) -> str:
    if each.outcome == "lost":
        return each.detail
    return f"does not hold: {each.detail}" if each.detail else "no check says why"


def _place(each: Ended) -> str:
    return f"{each.template} seed {each.seed}{f' in {each.variant}' if each.variant else ''} ({each.split})"


def _link(each: Ended) -> str:
    return f" ([replay](replays/{_plain(each.trajectory)}.html))" if each.trajectory else ""


def _replay(each: Ended) -> str:
    place = escape(_place(each))
    return f'<a href="replays/{escape(each.trajectory)}.html">{place}</a>' if each.trajectory else place


def _rate(rate: Rate) -> str:
    return f"{rate.verified}/{rate.episodes} = {rate.rate:.0%} {_interval(rate.interval)}"


def _share(share: Share) -> str:
    return f"{share.count}/{share.of} = {share.rate:.1%} {_interval(share.interval)}"


def _interval(interval: tuple[float, float]) -> str:
    return f"[{interval[0]:.0%}, {interval[1]:.0%}]"


def main(arguments: list[str] | None = None) -> int:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m learning.report", description=__doc__)
    parser.add_argument("one", type=Path, help="a report.json")
    parser.add_argument("other", type=Path, help="another, judged with the same seeds")
    given = parser.parse_args(arguments)
    try:
        one, other = read(given.one), read(given.other)
    except (OSError, msgspec.DecodeError) as problem:
        print(f"no report to compare: {problem}", file=sys.stderr)
        return 2
    ends = [[end for evaluation in each.evaluations for end in evaluation.episodes] for each in (one, other)]
    pairings = {**by_template(*ends), "all": pair(*ends)}
    if not pairings["all"].tasks:
        print(
            "these reports have no task in common: judge both with the same seed, split and variants", file=sys.stderr
        )
        return 2
    names = [one.policy, other.policy]
    if names[0] == names[1]:
        names = [f"{name} ({path.parent})" for name, path in zip(names, (given.one, given.other), strict=True)]
    print(_markdown_table(paired(pairings, *names)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
