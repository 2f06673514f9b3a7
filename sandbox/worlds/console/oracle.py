"""Works a console task through its page: the next right action from any state, told by what is visible alone."""

from collections.abc import Mapping, Sequence

from msgspec import Struct

from sandbox.contracts.actions import Action, Click, Finish, GiveUp, Select, Type, Wait
from sandbox.contracts.observations import Element, Observation
from sandbox.contracts.policies import Past, Proposal
from sandbox.contracts.tasks import Goal
from sandbox.worlds.console.declare import Console, Field, Kind, Verb
from sandbox.worlds.console.jobs import AddChild, Ask, Create, Do, Job, RemoveChild, fact_field, tab_of
from sandbox.worlds.console.sight import Sight

PATIENCE = 6  # waits in a row before giving up


class Move(Struct, frozen=True):
    """An action and why."""

    action: Action
    why: str


class ConsoleOracle:
    """The teacher for one job."""

    def __init__(self, job: Job, console: Console) -> None:
        self.job = job
        self.console = console

    def act(self, observation: Observation, goal: Goal, history: Sequence[Past]) -> Proposal:
        """Propose; the same page, goal and history give the same action."""
        move = self._move(Sight(observation, history), dict(goal.fields))
        value = 0.0 if isinstance(move.action, GiveUp) else 1.0
        return Proposal(move.action, 1.0, value=value, policy="oracle", why=move.why)

    def _move(self, sight: Sight, goal: Mapping[str, str]) -> Move:
        match self.job:
            case Create():
                return self._create(self.job, sight, goal)
            case Do():
                return self._do(self.job, sight, goal)
            case AddChild():
                return self._add_child(self.job, sight, goal)
            case RemoveChild():
                return self._remove_child(self.job, sight, goal)
            case Ask():
                return self._ask(self.job, sight, goal)

    def _create(self, job: Create, sight: Sight, goal: Mapping[str, str]) -> Move:
        kind = self.console.kind(job.kind)
        if sight.noticed(f"{kind.title} {goal['name']} {kind.created}"):
            return Move(Finish(), "the notice says that it was made")
        if sight.dialog:
            return _cancel(sight)
        if sight.headed(kind.create_title):
            return _wizard_move(kind, sight, {name: goal[name] for name in job.fields})
        submitted = sight.submitted(kind.create_title)
        if sight.in_section(kind):
            if submitted and (sight.headed(goal["name"]) or sight.usable("link", goal["name"])):
                return Move(Finish(), "it is there")
            search = sight.search()
            if submitted and search is not None and search.value != goal["name"]:
                return Move(Type(search.ref, goal["name"]), "see whether it was made")
            create = sight.usable("link", kind.create_title)
            if create is not None:
                return Move(Click(create.ref), "open the create form")
        return _to_section(kind, sight)

    def _do(self, job: Do, sight: Sight, goal: Mapping[str, str]) -> Move:
        kind = self.console.kind(job.kind)
        verb, name = kind.verb(job.verb), goal[job.kind]
        submit = f"{verb.title} {kind.title.lower()}"
        if sight.noticed(f"{kind.title} {name} {verb.done}"):
            return Move(Finish(), "the notice says that it was done")
        if sight.dialog:
            if sight.dialog != f"{submit} {name}":
                return _cancel(sight)
            return _dialog_move(kind, sight, {each: goal[each] for each in job.fields}, submit, typed=name)
        if not _on_detail(kind, name, sight):
            return _to_object(kind, name, sight, gone_is_done=verb.deletes and sight.submitted(submit))
        return self._press_verb(kind, verb, sight, {each: goal[each] for each in job.fields}, submit)

    def _press_verb(self, kind: Kind, verb: Verb, sight: Sight, values: Mapping[str, str], submit: str) -> Move:
        looks_done = sight.submitted(submit)
        for name, value in values.items():
            tab = tab_of(self.console, kind.name, name)
            title = kind.field(name).title
            if sight.fact(title) == value:
                return Move(Finish(), f"{title} is {value}")
            # It was pressed before, yet no notice is left: look before pressing again.
            if looks_done and not sight.tab_is_open(tab.title) and (link := sight.tab(tab.title)):
                return Move(Click(link.ref), f"see whether {title} is {value}")
        button = sight.usable("button", verb.title)
        if button is not None:
            return Move(Click(button.ref), f"open {verb.title}")
        reached = (verb.slow.via, verb.slow.to) if verb.slow else ()
        if not values and any(each.name in reached for each in sight.here() if not each.actionable):
            return Move(Finish(), "its state says that it was done")
        return _wait(sight, f"{verb.title} cannot be pressed")

    def _add_child(self, job: AddChild, sight: Sight, goal: Mapping[str, str]) -> Move:
        kind = self.console.kind(job.kind)
        parent_kind, parent = self._parent(kind, goal)
        label = kind.label.format_map(goal)
        if sight.noticed(f"{kind.title} {label} {kind.created}"):
            return Move(Finish(), "the notice says that it was added")
        if sight.dialog:
            if sight.dialog != f"{kind.create_title} to {parent}":
                return _cancel(sight)
            return _dialog_move(kind, sight, {name: goal[name] for name in job.fields}, kind.create_title)
        if not _on_detail(parent_kind, parent, sight):
            return _to_object(parent_kind, parent, sight)
        if (tab := self._open_rows(parent_kind, kind, sight)) is not None:
            return tab
        if sight.has_row(_row(kind, goal)):
            return Move(Finish(), "the row is there")
        button = sight.usable("button", kind.create_title)
        return Move(Click(button.ref), "open the form") if button else _wait(sight, "there is no button to add it")

    def _remove_child(self, job: RemoveChild, sight: Sight, goal: Mapping[str, str]) -> Move:
        kind = self.console.kind(job.kind)
        verb = kind.verb(job.verb)
        parent_kind, parent = self._parent(kind, goal)
        label = kind.label.format_map(goal)
        submit = f"{verb.title} {kind.title.lower()}"
        if sight.noticed(f"{kind.title} {label} {verb.done}"):
            return Move(Finish(), "the notice says that it was removed")
        if sight.dialog:
            return (
                _dialog_move(kind, sight, {}, submit, typed=label)
                if sight.dialog == f"{submit} {label}"
                else _cancel(sight)
            )
        if not _on_detail(parent_kind, parent, sight):
            return _to_object(parent_kind, parent, sight)
        if (tab := self._open_rows(parent_kind, kind, sight)) is not None:
            return tab
        button = sight.usable("button", verb.title, row=_row(kind, goal))
        if button is not None:
            return Move(Click(button.ref), "this is the row")
        if sight.submitted(submit):
            return Move(Finish(), "the row is gone")
        return Move(GiveUp(f"There is no rule {label} in {parent}."), "no row reads so")

    def _ask(self, job: Ask, sight: Sight, goal: Mapping[str, str]) -> Move:
        kind = self.console.kind(job.kind)
        name = goal[job.kind]
        if sight.dialog:
            return _cancel(sight)
        if not _on_detail(kind, name, sight):
            return _to_object(kind, name, sight)
        value = sight.fact(goal["fact"])
        if value is not None:
            return Move(Finish(value), f"{goal['fact']} is shown")
        tab = sight.tab(tab_of(self.console, kind.name, fact_field(job, self.console, goal["fact"])).title)
        return Move(Click(tab.ref), "the tab that shows it") if tab else _wait(sight, "there is no such tab")

    def _parent(self, kind: Kind, goal: Mapping[str, str]) -> tuple[Kind, str]:
        return self.console.kind(kind.field(kind.parent).references), goal[kind.parent]

    def _open_rows(self, parent: Kind, kind: Kind, sight: Sight) -> Move | None:
        title = next(tab.title for tab in parent.tabs if tab.rows_of == kind.name)
        if sight.tab_is_open(title):
            return None
        tab = sight.tab(title)
        return Move(Click(tab.ref), f"{title} are on their own tab") if tab else _wait(sight, f"no tab {title}")


def _wizard_move(kind: Kind, sight: Sight, goal: Mapping[str, str]) -> Move:
    values = {name: goal.get(name, kind.field(name).default) for name in kind.asked}
    submit = sight.usable("button", kind.create_title)
    if submit is not None and sight.usable("button", f"Edit {kind.wizard[0].title}"):
        for step in kind.wizard:
            edit = sight.usable("button", f"Edit {step.title}")
            wrong = [name for name in step.fields if sight.fact(kind.field(name).title) != (values[name] or "–")]
            if wrong and edit is not None:
                return Move(Click(edit.ref), f"{kind.field(wrong[0]).title} is not as asked")
    elif (filled := _fill(kind, sight, values)) is not None:
        return filled
    if (complaint := sight.complaint()) and not sight.was_blocked(kind.create_title):
        return Move(GiveUp(complaint), "refused although every field is as asked")
    if submit is not None:
        return Move(Click(submit.ref), "everything is as asked")
    forward = sight.usable("button", "Next")
    return Move(Click(forward.ref), "this step is as asked") if forward else _wait(sight, "the form cannot go on")


def _dialog_move(kind: Kind, sight: Sight, values: Mapping[str, str], submit: str, *, typed: str = "") -> Move:
    filled = _fill(kind, sight, values)
    if filled is not None:
        return filled
    confirm = next((e for e in sight.here() if e.role == "textbox" and e.name == f"Type {typed} to confirm"), None)
    if confirm is not None and confirm.value != typed:
        return Move(Type(confirm.ref, typed), "the name has to be typed")
    if (complaint := sight.complaint()) and not sight.was_blocked(submit):
        return Move(GiveUp(complaint), "refused although every field is as asked")
    button = sight.usable("button", submit)
    return Move(Click(button.ref), "confirm") if button else _wait(sight, "the button cannot be pressed")


def _fill(kind: Kind, sight: Sight, values: Mapping[str, str]) -> Move | None:
    """The first field from above that is not as asked; None where all are."""
    for name, value in values.items():
        field = kind.field(name)
        element = sight.input(field)
        if element is None:
            continue
        if _holds(element, field) != value:
            return Move(_set(element, value), f"{field.title} is to be {value or 'empty'}")
        if "invalid" in element.states:
            return Move(GiveUp(f"The console refuses {value} as {field.title}."), "refused as it is asked for")
    return None


def _holds(element: Element, field: Field) -> str:
    if field.type == "boolean":
        return "yes" if "checked" in element.states else "no"
    return element.value


def _set(element: Element, value: str) -> Action:
    match element.role:
        case "checkbox":
            return Click(element.ref)
        case "combobox":
            return Select(element.ref, value)
        case _:
            return Type(element.ref, value)


def _cancel(sight: Sight) -> Move:
    button = sight.usable("button", "Cancel")
    return Move(Click(button.ref), "this dialog is not wanted") if button else _wait(sight, "a dialog is in the way")


def _on_detail(kind: Kind, name: str, sight: Sight) -> bool:
    return sight.in_section(kind) and sight.headed(name) and sight.tab(kind.tabs[0].title) is not None


def _to_object(kind: Kind, name: str, sight: Sight, *, gone_is_done: bool = False) -> Move:
    search = sight.search()
    if not sight.in_section(kind) or search is None:
        return _to_section(kind, sight)
    row = sight.usable("link", name)
    if row is not None:
        return Move(Click(row.ref), "this is the one")
    if search.value != name:
        return Move(Type(search.ref, name), "it is not among those shown")
    further = sight.usable("link", "Next page")
    if further is not None:
        return Move(Click(further.ref), "it may be further on")
    if gone_is_done:
        return Move(Finish(), "it is gone")
    return Move(GiveUp(f"There is no {kind.title.lower()} named {name}."), "the search finds none")


def _to_section(kind: Kind, sight: Sight) -> Move:
    link = sight.section(kind)
    return Move(Click(link.ref), f"{kind.plural} have a page of their own") if link else _wait(sight, "no navigation")


def _row(kind: Kind, goal: Mapping[str, str]) -> str:
    return " | ".join(goal[column] for column in kind.columns)


def _wait(sight: Sight, why: str) -> Move:
    waits = 0
    for past in reversed(sight.history):
        if not isinstance(past.action, Wait):
            break
        waits += 1
    return Move(Wait(), why) if waits < PATIENCE else Move(GiveUp(f"Waited, but {why}."), why)
