"""A trajectory as one page to read: what was on screen at each step, what was done there, and how it ended."""

from html import escape

from sandbox.contracts.actions import Action, Click, Finish, GiveUp, Press, Scroll, Select, Type
from sandbox.contracts.observations import Element, Observation
from sandbox.contracts.tasks import Check
from sandbox.contracts.trajectories import Step, Trajectory

STYLE = (
    ":root{color-scheme:light dark;--line:#8888;--ink:#0b6e4f;--bad:#b3261e}"
    "body{font:15px/1.5 system-ui,sans-serif;max-width:70rem;margin:2rem auto;padding:0 1rem}"
    "table{border-collapse:collapse;margin:1rem 0}"
    "td,th{border:1px solid var(--line);padding:.2rem .6rem;text-align:left}"
    "td.n{text-align:right;font-variant-numeric:tabular-nums}"
    "svg.page{border:1px solid var(--line);width:100%;height:auto;background:Canvas}"
    "svg.page rect{fill:none;stroke:var(--line)}svg.page rect.acted{stroke:var(--bad);stroke-width:4}"
    "svg.page text{font:12px system-ui;fill:CanvasText}.bad{color:var(--bad)}.good{color:var(--ink)}"
    ".wide{overflow-x:auto}figure{margin:1rem 0}"
)


def page(trajectory: Trajectory) -> str:
    """One self-contained HTML page."""
    task = trajectory.task
    outcome = str(trajectory.verification.outcome)
    checks = "".join(map(_check, trajectory.verification.checks))
    steps = "".join(_step(number, step) for number, step in enumerate(trajectory.steps, start=1))
    return document(
        trajectory.id,
        f"<h1>{escape(task.goal.text)}</h1><p>{escape(task.template or 'free text')} in {escape(task.environment)}, "
        f"seed {task.seed}, by {escape(trajectory.policy or 'nobody')}: <b>{outcome}</b></p>"
        f"<ul>{checks}</ul>{steps}",
    )


def _check(check: Check) -> str:
    found, kind = ("holds", "good") if check.holds else ("does not hold", "bad")
    detail = f" ({check.detail})" if check.detail else ""
    return f'<li class="{kind}">{escape(check.name)}: {found}{escape(detail)}</li>'


def document(title: str, body: str) -> str:
    """A whole HTML page around a body that is safe already."""
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>'
        f'<meta name="viewport" content="width=device-width"><style>{STYLE}</style></head><body>{body}</body></html>\n'
    )


def _step(number: int, step: Step) -> str:
    proposal = step.proposal
    sure = f", {proposal.probability:.0%} sure" if proposal is not None and proposal.action == step.action else ""
    why = f"<p>{escape(proposal.why)}</p>" if proposal is not None and proposal.why else ""
    said = f"{step.result.outcome}{f': {step.result.detail}' if step.result.detail else ''}"
    good = "good" if str(step.result.outcome) == "done" else "bad"
    return (
        f'<section id="step-{number}"><h2>{number}. {escape(words(step.action, step.observation))}</h2>'
        f'<p>by {escape(step.actor)}{sure}; came of it: <span class="{good}">{escape(said)}</span></p>{why}'
        f"{_drawing(step)}</section>"
    )


def words(action: Action, observation: Observation) -> str:
    """An action as people say it."""
    match action:
        case Click(ref):
            return f"click {_called(observation, ref)}"
        case Type(ref, text):
            return f"type “{text}” into {_called(observation, ref)}"
        case Select(ref, option):
            return f"choose “{option}” of {_called(observation, ref)}"
        case Press(key):
            return f"press {key}"
        case Scroll(direction):
            return f"scroll {direction}"
        case Finish(answer):
            return f"finish with “{answer}”" if answer else "finish"
        case GiveUp(reason):
            return f"give up: {reason}"
    return type(action).__name__.lower()


def _called(observation: Observation, ref: int) -> str:
    element = observation.element(ref)
    return f"element {ref}, which is not there" if element is None else f"{element.role} “{element.name}”"


def _drawing(step: Step) -> str:
    """The page's elements where they stand, the one acted on marked."""
    width, height = step.observation.viewport
    acted = getattr(step.action, "element", None)
    shapes = "".join(_shape(each, acted=each.ref == acted) for each in step.observation.elements)
    return (
        f'<svg class="page" viewBox="0 0 {width} {height}" role="img" '
        f'aria-label="{escape(step.observation.title)}">{shapes}</svg>'
    )


def _shape(element: Element, *, acted: bool) -> str:
    box = element.box
    text = " ".join(each for each in (element.name, element.value and f"[{element.value}]") if each)[:60]
    kind = ' class="acted"' if acted else ""
    frame = f'<rect x="{box.x:.0f}" y="{box.y:.0f}" width="{box.width:.0f}" height="{box.height:.0f}"{kind}/>'
    framed = frame if element.actionable or acted else ""
    return f'{framed}<text x="{box.x + 4:.0f}" y="{box.y + min(box.height, 24) * 0.7:.0f}">{escape(text)}</text>'
