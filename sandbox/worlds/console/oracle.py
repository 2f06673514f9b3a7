"""Works a console task through its page: the next right action from any state, told by what is visible alone."""

from collections.abc import Mapping, Sequence

from sandbox.contracts.actions import Finish, GiveUp
from sandbox.contracts.observations import Observation
from sandbox.contracts.policies import Past, Proposal
from sandbox.contracts.tasks import Goal
from sandbox.worlds.console.declare import Console, Kind, Verb
from sandbox.worlds.console.filling import dialog_move, fill, wizard_move
from sandbox.worlds.console.jobs import Do, Job, Make, Step, Tell, fact_field, told
from sandbox.worlds.console.lexicon import Lexicon
from sandbox.worlds.console.looks import Look, Move
from sandbox.worlds.console.recall import Recall
from sandbox.worlds.console.sight import EMPTY, Row, Sight
from sandbox.worlds.console.variant import Variant
from sandbox.worlds.console.ways import (
    GONE,
    find_row,
    look_further,
    made_out,
    name_of,
    open_fact,
    open_rows,
    row_fits,
    tab_of,
    to_section,
    to_target,
)

UNSEEN = Move(GiveUp(), "it was not done yet")
LOADING = 40  # waits in a row for a page that is loading: on a busy machine each may be over before anything comes
_INTERRUPTIONS = {"Your session has expired": "Sign in again", "How do you like the console?": "Not now"}


class ConsoleOracle:
    """The teacher for one job."""

    def __init__(self, job: Job, console: Console, variant: Variant) -> None:
        self.job = job
        self.console = console
        self.variant = variant
        self.lexicon = Lexicon.of(variant)

    def act(self, observation: Observation, goal: Goal, history: Sequence[Past]) -> Proposal:
        """Propose; the same page, goal and history give the same action."""
        sight, recall = Sight(observation, self.lexicon), Recall(history, self.lexicon)
        look = Look(self.console, self.variant, self.lexicon, sight, recall, dict(goal.fields))
        move = interruption(look) or work(look, self.job)
        value = 0.0 if isinstance(move.action, GiveUp) else 1.0
        return Proposal(move.action, 1.0, value=value, policy="oracle", why=move.why)


def interruption(look: Look) -> Move | None:
    """What has to be dealt with before anything else can be."""
    for title, button in _INTERRUPTIONS.items():
        if look.sight.dialog == look.text(title):
            return look.press("button", look.text(button), "this stands in the way") or look.cancel()
    if look.sight.is_loading:
        return look.wait("the page is loading", patience=LOADING)
    # What is still on its way may change the page; what always is, like looking again and again, may not hold us up.
    if look.sight.observation.pending and not look.recall.waits():
        return look.wait("something is on its way")
    return None


def work(look: Look, job: Job) -> Move:
    """The next move of the first step that is not done."""
    done = 0
    for number, step in enumerate(job.steps):
        if _is_told_done(look, step) or _was_left(look, job, number):
            done = number + 1
    done = min([done, *(number for number, step in enumerate(job.steps) if _is_missing(look, step))])
    for number, step in enumerate(job.steps):
        move = _move(look, step) if number >= done else None
        if move is not None and move is not GONE:
            return _made_up(look, job, number, move) if isinstance(move.action, GiveUp) else move
    if look.sight.dialog:
        return look.cancel()
    return Move(Finish(), "everything is done")


def _made_up(look: Look, job: Job, number: int, move: Move) -> Move:
    """Before giving up on what an earlier step was to make: see whether it was made at all."""
    if not look.sight.dialog:
        for step in job.steps[:number]:
            if isinstance(step, Make) and step.kind in _kinds(job.steps[number]):
                return _move(look, step) or move
    return move


def _move(look: Look, step: Step) -> Move | None:
    match step:
        case Make():
            return _make_child(look, step) if look.console.kind(step.kind).parent else _make(look, step)
        case Do():
            return _do(look, step)
        case Tell():
            return _tell(look, step)


# --- what was done before ---


def _is_told_done(look: Look, step: Step) -> bool:
    """Whether a notice says that a step is done."""
    if isinstance(step, Tell):
        return False
    kind, done, label, _, _ = _form(look, step)
    return look.sight.noticed(kind, label, done)


def _was_left(look: Look, job: Job, number: int) -> bool:
    """Whether a step's form was sent, and after that a later step begun: then somebody saw that it was done."""
    step = job.steps[number]
    if isinstance(step, Tell):
        return False
    _, _, label, button, opener = _form(look, step)
    presses = look.recall.presses(button, opener=opener)
    if not presses:
        return False
    own = {*_sections(look, step), button, opener}
    later = {name for each in job.steps[number + 1 :] for name in (*_sections(look, each), *_openers(look, each))}
    about = {label, look.text(look.console.kind(step.kind).plural)} if isinstance(step, Make) else {label}
    return look.recall.went_on(presses[-1], later - own, about=about - {""})


def _is_missing(look: Look, step: Step) -> bool:
    """Whether what a step was to make was looked for after its form was sent, and was not there."""
    if not isinstance(step, Make):
        return False
    kind, _, label, button, opener = _form(look, step)
    presses = look.recall.presses(button, opener=opener)
    if not presses or not label:
        return False
    lacked = look.recall.lacked(label, since=presses[-1])
    return lacked or look.recall.made_anew(label, look.text(kind.create_title), since=presses[-1])


def _sections(look: Look, step: Step) -> set[str]:
    """Names of the lists through which a step leads."""
    return {look.text(look.console.kind(kind).plural) for kind in _kinds(step)}


def _kinds(step: Step) -> set[str]:
    target = step.on if isinstance(step, Make) else step.target
    kinds = {each.kind for each in target.beneath()} if target else set()
    return kinds | {step.kind} if isinstance(step, Make) else kinds


def _openers(look: Look, step: Step) -> set[str]:
    """Buttons and links that open a step's form."""
    if isinstance(step, Make):
        return {look.text(look.console.kind(step.kind).create_title)}
    return {look.text(look.console.kind(step.target.kind).verb(step.verb).title)} if isinstance(step, Do) else set()


def _form(look: Look, step: Make | Do) -> tuple[Kind, str, str, str, str]:
    """Of a step's form: its kind, what the notice says of what, the button that sends it, the one that opens it."""
    if isinstance(step, Make):
        kind = look.console.kind(step.kind)
        title = look.text(kind.create_title)
        try:
            label = kind.label.format_map(look.wanted(step.values))
        except KeyError:
            label = ""
        return kind, kind.created, label, title, title if kind.parent else ""
    kind = look.console.kind(step.target.kind)
    verb = kind.verb(step.verb)
    changed = {field for field, _ in step.values}
    label = "" if any("{" + field + "}" in kind.label for field in changed) else name_of(look, step.target)
    return kind, verb.done, label, _submit(look, kind, verb), look.text(verb.title)


def _was_sent(look: Look, step: Make | Do) -> bool:
    """Whether its form was sent before, whatever came of it."""
    _, _, _, button, opener = _form(look, step)
    return bool(look.recall.presses(button, opener=opener))


def _submit(look: Look, kind: Kind, verb: Verb) -> str:
    return look.lexicon.deed(verb, kind)


# --- making ---


def _make(look: Look, step: Make) -> Move | None:
    kind = look.console.kind(step.kind)
    values = look.wanted(step.values)
    name, sight = values.get("name", ""), look.sight
    if sight.dialog:
        return look.cancel()
    if sight.headed(look.text(kind.create_title)):
        filling = wizard_move(look, kind, values)
        is_there = isinstance(filling.action, GiveUp) and _was_sent(look, step)  # perhaps it is what has its name
        return to_section(look, kind) if is_there else filling
    if sight.on_detail(kind) and sight.headed(name) and _was_sent(look, step):
        return None
    if not sight.in_section(kind) or sight.search(kind) is None:
        return to_section(look, kind)
    if _was_sent(look, step):  # and it is not known what came of it
        row = sight.usable("link", name)
        if row is not None and row.row:
            return None
        if (move := look_further(look, kind, name)) is not None:
            return move
    return look.press("link", look.text(kind.create_title), "open the create form") or look.wait("nothing can be made")


def _make_child(look: Look, step: Make) -> Move | None:
    if step.on is None:
        raise ValueError(f"{step.kind} lives on its parent's page")
    kind, parent = look.console.kind(step.kind), look.console.kind(step.on.kind)
    values, sight = look.wanted(step.values), look.sight
    title = look.text(kind.create_title)
    if sight.dialog:
        wanted = look.lexicon.say("{create} to {parent}", create=title, parent=name_of(look, step.on))
        return dialog_move(look, kind, values, title) if sight.dialog == wanted else look.cancel()
    move = to_target(look, step.on) or open_rows(look, parent, kind)
    if move is not None:
        return move
    if sight.row(look.columns(kind, values)) is not None:
        return None
    return look.press("button", title, "open the form") or look.wait("there is no button to add it")


# --- changing ---


def _do(look: Look, step: Do) -> Move | None:
    kind = look.console.kind(step.target.kind)
    verb = kind.verb(step.verb)
    values = look.wanted(step.values)
    submit = _submit(look, kind, verb)
    if look.sight.dialog:
        fits = _is_dialog_for(look, step, kind, verb)
        if values and _was_sent(look, step) and not look.sight.complaint():
            # What nobody filled in and yet is as asked only shows what is so already.
            filled = look.recall.filled_since(look.text(verb.title))
            fits = fits and (filled or fill(look, kind, values, tuple(values)) is not None)
        elif _was_sent(look, step) and not verb.deletes:
            # Done twice it may do harm: what lies beneath says whether it was done.
            presses = look.recall.presses(submit, opener=look.text(verb.title))
            fits = fits and not look.recall.reopened(presses[-1], look.text(verb.title))
        return dialog_move(look, kind, values, submit) if fits else look.cancel()
    sent = _was_sent(look, step)
    victim = _victim(look, step) if verb.deletes and sent else ""
    move = to_target(look, step.target, sent=sent, victim=victim)
    if move is not None:
        return move
    if kind.parent:
        return _do_in_row(look, step, kind, verb, sent=sent)
    if (seen := _seen(look, kind, verb, values, sent=sent)) is not UNSEEN:
        return seen
    return look.press("button", look.text(verb.title), f"open {verb.title}") or look.wait(
        f"{verb.title} is not possible"
    )


def _is_dialog_for(look: Look, step: Do, kind: Kind, verb: Verb) -> bool:
    """Whether the open dialog is the step's: what has no name is known by the row by which it was come to."""
    target = step.target
    label = made_out(look, target) if target.pick else name_of(look, target)
    if label or target.of is not None:
        return _is_dialog_of(look, kind, verb, label)
    opener = look.text(verb.title)
    row = look.recall.row_of(opener) if kind.parent else look.recall.opened_row()
    label = "" if kind.parent else look.recall.opened()
    return _is_dialog_of(look, kind, verb, label) and row_fits(look, target, row)


def _is_dialog_of(look: Look, kind: Kind, verb: Verb, label: str) -> bool:
    """Whether the open dialog is this verb's, for what is called so (for anything, where that is not known)."""
    title = look.lexicon.deed(verb, kind, label or "\0")
    before, _, after = title.partition("\0")
    return look.sight.dialog == title or (
        not label and look.sight.dialog.startswith(before) and look.sight.dialog.endswith(after)
    )


def _victim(look: Look, step: Do) -> str:
    """What was open when a deletion was sent: where the target has no name, this is what has to be gone."""
    _, _, _, button, opener = _form(look, step)
    presses = look.recall.presses(button, opener=opener)
    return look.recall.opened(before=presses[-1]) if presses else ""


def _seen(look: Look, kind: Kind, verb: Verb, values: Mapping[str, str], *, sent: bool) -> Move | None:
    """None where the object's page shows that the verb was done, UNSEEN where not, or the move to see it."""
    if _has_state(look, verb, look.sight.state):
        return None
    shown = [look.sight.fact(look.title(kind, field)) for field in values]
    if values and all(
        fact is not None and fact.name == look.shown(kind, field, value)
        for fact, (field, value) in zip(shown, values.items(), strict=True)
    ):
        return None
    if not sent:
        return UNSEEN
    if values:  # sent, but it is not known what came of it
        for field in values:
            if look.sight.tab_is_open(tab_of(look, kind, field)):
                continue  # shown with another value, or hidden by one
            if (move := open_fact(look, kind, field)) is not None:
                return move
        return UNSEEN
    if verb.slow is not None and verb.slow.to and verb.slow.to not in verb.from_states:
        return UNSEEN
    activity = look.text(next(tab.title for tab in kind.tabs if tab.activity))
    if not look.sight.tab_is_open(activity):
        return look.press("tab", activity, "see whether it was done") or UNSEEN
    told_ = (f"{kind.name}.{verb.name}", look.text("accepted"))
    return None if any(all(part in row.text for part in told_) for row in look.sight.rows()) else UNSEEN


def _has_state(look: Look, verb: Verb, state: str) -> bool:
    """Whether a state says that the verb was done: its passing state, or where it leads if it could not begin there."""
    if verb.slow is None or not state:
        return False
    arrived = verb.slow.to if verb.slow.to and verb.slow.to not in verb.from_states else ""
    return state in (look.text(verb.slow.via), look.text(arrived) if arrived else "\0")


def _do_in_row(look: Look, step: Do, kind: Kind, verb: Verb, *, sent: bool) -> Move | None:
    row = find_row(look, step.target)
    if row is None:
        changed = dict(look.wanted(step.target.where)) | look.wanted(step.values)
        if sent and (verb.deletes or look.sight.row(look.columns(kind, changed)) is not None):
            return None
        return Move(GiveUp(f"There is no such {kind.title.lower()}."), "no row reads so")
    if _row_says_done(look, step, kind, verb, row, sent=sent):
        return None
    button = look.press("button", look.text(verb.title), "this is the row", row=row.text)
    return button or look.wait(f"{verb.title} is not possible")


def _row_says_done(look: Look, step: Do, kind: Kind, verb: Verb, row: Row, *, sent: bool) -> bool:  # all its signs
    if _has_state(look, verb, row.value(look.text("State")) or ""):
        return True
    values = look.columns(kind, look.wanted(step.values))
    if values and all(row.value(title) == value for title, value in values.items()):
        return True
    renewed = [name for name in verb.renews if name in kind.columns and kind.field(name).generated == "today"]
    return sent and any(row.value(look.title(kind, name)) == look.console.today for name in renewed)


# --- telling ---


def _tell(look: Look, step: Tell) -> Move:
    if look.sight.dialog:
        return look.cancel()
    kind = look.console.kind(step.target.kind)
    field = fact_field(kind, told(step.fact, look.goal), look.goal)
    move = to_target(look, step.target) or open_fact(look, kind, field)
    if move is not None:
        return move
    fact = look.sight.fact(look.title(kind, field))
    answer = "" if fact is None or fact.name == EMPTY else fact.name
    return Move(Finish(answer), f"{field} is shown")
