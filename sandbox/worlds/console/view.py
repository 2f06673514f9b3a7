"""What a person has open in the console, as a state machine: events in, at most one writing request out."""

import random
from collections.abc import Callable
from typing import Any, TypeAlias

from msgspec.structs import replace

from sandbox.worlds.console.api import Reply, Request, create_request, verb_request
from sandbox.worlds.console.declare import Kind, Verb
from sandbox.worlds.console.forms import CHOOSE, Form, held
from sandbox.worlds.console.lexicon import Lexicon
from sandbox.worlds.console.places import Dialog, Event, Listing, Notice, Place, address_of, place_at
from sandbox.worlds.console.records import Object
from sandbox.worlds.console.variant import Variant
from sandbox.worlds.console.world import World

LATENCY = {"none": 0, "short": 1, "long": 3}  # ticks until a page is there
TOASTS = 2
UNREACHED = "The request did not reach the server."


class View:
    """One person's view of one world. It never writes: what writes is returned as a request."""

    __slots__ = (
        "cookies", "dialog", "drawer", "expired", "expires_at", "form", "listing", "loading", "memo", "pages", "place",
        "sent", "survey", "survey_at", "toasts", "toasts_made", "variant", "variant_key", "waiting", "words", "world",
    )  # fmt: skip

    def __init__(self, world: World, variant: Variant) -> None:
        self.world = world
        self.variant = variant
        self.words = Lexicon.of(variant)
        rng = random.Random(f"{world.seed}:moods")  # noqa: S311  # when it happens, not a secret
        self.sent = 0
        self.survey_at = rng.randint(3, 8) if variant.popups in ("survey", "both") else -1
        self.expires_at = rng.randint(3, 9) if variant.session == "expires" else -1
        self.cookies = variant.popups in ("cookies", "both")
        self.survey = self.expired = False
        self.toasts_made = 0
        self.pages = 0  # moves with every page that begins at its top
        self.memo: dict[str, tuple[object, Any]] = {}  # of what was drawn last; owned by the drawing
        self.variant_key = hash(variant)
        self.open(Place())

    # --- reading ---

    @property
    def kind(self) -> Kind | None:
        """The kind that the page is about."""
        return self.world.console.kind(self.place.kind) if self.place.kind else None

    @property
    def it(self) -> Object | None:
        """The object that the page is about, while it is there."""
        return self.world.get(self.place.object_id)

    @property
    def modal(self) -> str:
        """What lies over everything: expired, survey, a dialog's subject, or ""."""
        if self.expired:
            return "expired"
        return "survey" if self.survey else self.dialog.about if self.dialog else ""

    @property
    def is_pending(self) -> bool:
        """Whether the page changes by itself before long."""
        return bool(self.loading or self.world.pending or self.world.agenda)

    @property
    def is_lost(self) -> bool:
        """Whether there is nothing at the address."""
        return self.place.page == "missing" or (self.place.page == "object" and self.it is None)

    @property
    def address(self) -> str:
        """Path and query of the page."""
        return address_of(self.world.console, self.place, self.listing)

    @property
    def key(self) -> tuple[object, ...]:
        """Equal where the page is equal."""
        form = self.form
        return (
            self.world.console,
            self.world.token,
            self.variant_key,
            self.place,
            self.listing,
            self.dialog,
            form and form.key,
            self.toasts,
            self.drawer,
            self.loading > 0,
            (self.cookies, self.survey, self.expired),
        )

    # --- moving ---

    def open(self, place: Place, listing: Listing | None = None) -> None:
        """Be on a page as if it had just been loaded, with nothing left of what was before."""
        self.toasts: tuple[Notice, ...] = ()
        self._at(place, listing)

    def go(self, place: Place, listing: Listing | None = None) -> None:
        """Follow a link: toasts live on for one page."""
        self.toasts = tuple(replace(each, age=each.age + 1) for each in self.toasts if each.age < 1)
        self._at(place, listing)

    def navigate(self, address: str) -> None:
        """Load the page at an address, as a browser does; time passes."""
        self.open(*place_at(self.world.console, address))
        self.tick()

    def _at(self, place: Place, listing: Listing | None = None) -> None:
        self.place, self.listing = place, listing or Listing()
        self.dialog: Dialog | None = None
        self.form: Form | None = None
        self.waiting: Request | None = None
        self.drawer = ""
        self.loading = LATENCY[self.variant.latency]
        self.pages += 1
        if place.page == "new" and self.kind:
            pages = len(self.kind.wizard)
            self.form = Form.blank(self.kind, self.variant, seed=self.world.seed, steps=pages + (pages > 1))

    # --- time ---

    def tick(self) -> None:
        """Let time pass: somebody looked."""
        self.world.advance()
        self.loading = max(0, self.loading - 1)
        if self.dialog and self.dialog.about != "bulk" and self.world.get(self.dialog.object_id) is None:
            self._close()  # what it was about is gone
        if self.drawer and self.world.get(self.drawer) is None:
            self.drawer = ""

    # --- events ---

    def event(self, event: Event) -> Request | None:
        """Take what a person did to a node that is on the page and can be used. Time passes."""
        self.sent += 1
        self.waiting = None
        if self.sent == self.expires_at:
            self.expired = True  # and what was done is lost: the server no longer knew who asked
        else:
            self.waiting = self._take(event)
            self.survey = self.survey or self.sent == self.survey_at
        self.tick()
        return self.waiting

    def answered(self, reply: Reply | None) -> None:
        """Take the server's answer to the request in waiting; None where none came."""
        request, self.waiting = self.waiting, None
        if request is None:
            return
        if reply is not None and reply.is_ok:
            self._succeed(reply)
        elif self.form is not None:
            errors = dict(reply.errors) if reply else {}
            known = {name: text for name, text in errors.items() if name in self.form.values}
            said = "" if known else reply.message if reply else UNREACHED
            self.form = self.form.refused(known, said, self.world.console.kind(self.form.kind))
        else:
            self._toast(reply.message if reply else UNREACHED)

    def _take(self, event: Event) -> Request | None:
        if event.kind == "key":
            return self._key(event)
        name, _, rest = event.key.partition("#")[0].partition(":")
        return _HANDLERS[name](self, rest, event.value)

    def _key(self, event: Event) -> Request | None:
        if event.value == "Escape":
            if self.modal == "survey":
                self.survey = False
            elif self.modal != "expired" and self.dialog:
                self._close()
            elif self.modal != "expired":
                self.drawer = ""
        elif event.value == "Enter" and self.form is not None:
            name, _, field = event.key.partition(":")
            if name == "tag":
                self.form = self.form.add_tag(field)
            elif name in ("field", "confirm"):
                if self.form.is_last:
                    return None if self.is_held else self._submit()
                self._next()
        return None

    @property
    def is_held(self) -> bool:
        """Whether the dialog waits for a name to be typed out."""
        dialog = self.dialog
        if dialog is None or self.form is None or dialog.about != "verb":
            return False
        it = self.world.get(dialog.object_id)
        verb = self.world.console.kind(dialog.kind).verb(dialog.verb)
        return verb.confirm == "typed" and it is not None and self.form.confirm != self.world.label(it)

    def _close(self, *_: str) -> None:
        self.dialog = self.form = None

    def _cancel(self, *_: str) -> None:
        if self.dialog:
            self._close()
        elif self.kind:
            self.go(Place("list", self.kind.name))

    def _follow(self, address: str, _: str) -> None:
        self.go(*place_at(self.world.console, address))

    def _list(self, **changes: object) -> None:
        self.listing = replace(self.listing, **changes)

    def _search(self, _: str, value: str) -> None:
        self._list(search=value, page=1)

    def _filter(self, field: str, value: str) -> None:
        others = tuple(pair for pair in self.listing.filters if pair[0] != field)
        kept = value != self.words.text("All")
        value = held(self.words, self.world.console.kind(self.place.kind), field, value)
        self._list(filters=(*others, (field, value)) if kept else others, page=1)

    def _sort(self, column: str, _: str) -> None:
        self._list(sort=f"-{column}" if self.listing.sort == column else column, page=1)

    def _page(self, number: str, _: str) -> None:
        self._list(page=int(number), ticked=())
        self.pages += 1

    def _tick_row(self, object_id: str, value: str) -> None:
        rest = tuple(each for each in self.listing.ticked if each != object_id)
        self._list(ticked=(*rest, object_id) if value == "yes" else rest)

    def _tick_all(self, ids: str, value: str) -> None:
        self._list(ticked=tuple(ids.split(",")) if value == "yes" else ())

    def _peek(self, object_id: str, _: str) -> None:
        self.drawer = object_id

    def _tab(self, name: str, _: str) -> None:
        self.place = replace(self.place, tab=name)
        self.pages += 1

    def _show(self, dialog: Dialog, form: Form) -> None:
        self.dialog, self.form = dialog, form

    def _verb(self, what: str, _: str) -> None:
        name, _, object_id = what.partition(":")
        it = self.world.get(object_id)
        if it is None:
            return
        kind = self.world.console.kind(it.kind)
        self._show(Dialog("verb", kind.name, name, object_id), Form.of(self.world, it, kind.verb(name), self.variant))

    def _child(self, kind_name: str, _: str) -> None:
        kind = self.world.console.kind(kind_name)
        self._show(
            Dialog("child", kind_name, "", self.place.object_id), Form.blank(kind, self.variant, seed=self.world.seed)
        )

    def _bulk(self, verb: str, _: str) -> None:
        kind = self.place.kind
        self._show(Dialog("bulk", kind, verb, "", self.listing.ticked), Form(kind, ()))

    def _field(self, name: str, value: str) -> None:
        if self.form and name in self.form.values:
            kind = self.world.console.kind(self.form.kind)
            field = kind.field(name)
            if field.type == "choice":
                value = held(self.words, kind, name, value)
            if value == self.words.text(CHOOSE):
                value = ""
            self.form = self.form.with_value(name, value)

    def _tag(self, name: str, value: str) -> None:
        if self.form:
            self.form = replace(self.form, drafts={**self.form.drafts, name: value})

    def _tag_add(self, name: str, _: str) -> None:
        if self.form:
            self.form = self.form.add_tag(name)

    def _tag_drop(self, what: str, _: str) -> None:
        name, _, tag = what.partition(":")
        if self.form:
            self.form = self.form.drop_tag(name, tag)

    def _confirm(self, _: str, value: str) -> None:
        if self.form:
            self.form = replace(self.form, confirm=value)

    def _next(self, *_: str) -> None:
        if self.form is None or self.dialog or self.form.is_last:
            return
        kind = self.world.console.kind(self.form.kind)
        fields = kind.wizard[self.form.step].fields
        errors = self.world.wrong(kind.name, self.form.given(kind, {}), fields=fields)
        self.form = self.form.refused(errors, "", kind) if errors else self.form.at(self.form.step + 1)
        self.pages += 1

    def _back(self, *_: str) -> None:
        if self.form:
            self.form = self.form.at(self.form.step - 1)
            self.pages += 1

    def _step(self, number: str, _: str) -> None:
        if self.form:
            self.form = self.form.at(int(number))
            self.pages += 1

    def _submit(self, *_: str) -> Request | None:
        form, dialog = self.form, self.dialog
        if form is None:
            return None
        kind = self.world.console.kind(form.kind)
        if dialog is None:
            return create_request(kind, form.given(kind, {}))
        it = self.world.get(dialog.object_id)
        if dialog.about == "child":
            parent = self.world.label(it) if it else ""
            return create_request(kind, {**form.given(kind, {}), kind.parent: parent})
        verb = kind.verb(dialog.verb)
        if dialog.about == "bulk":
            return verb_request(kind, verb, "-", {"ids": ",".join(dialog.ids)})
        given = form.given(kind, self.world.facts(it) if it else {})
        return verb_request(
            kind, verb, dialog.object_id, {**given, **({"confirm": form.confirm} if form.confirm else {})}
        )

    def _succeed(self, reply: Reply) -> None:
        form, dialog = self.form, self.dialog
        if form is None:
            return
        kind = self.world.console.kind(form.kind)
        verb = kind.verb(dialog.verb) if dialog and dialog.verb else None
        self._toast(self._done(kind, verb, reply.label, several=bool(dialog and dialog.about == "bulk")))
        if dialog is None:
            self._arrive(Place("object", kind.name, reply.object_id))
        elif verb and verb.deletes and dialog.about == "verb" and not kind.parent:
            self._arrive(Place("list", kind.name))
        else:
            self._close()
            if dialog.about == "bulk":
                self._list(ticked=())

    def _arrive(self, place: Place) -> None:
        self.pages += 1
        self._at(place)

    def _done(self, kind: Kind, verb: Verb | None, label: str, *, several: bool) -> str:
        say, text = self.words.say, self.words.text
        if several and verb:
            return say("{verb}: {count} {kind}.", verb=text(verb.title), count=label, kind=self.words.noun(kind.plural))
        done = text(verb.done if verb else kind.created)
        return say("{kind} {label} {done}.", kind=text(kind.title), label=label, done=done)

    def _toast(self, text: str) -> None:
        self.toasts_made += 1
        self.toasts = (*self.toasts, Notice(self.toasts_made, text))[-TOASTS:]

    def _dismiss(self, number: str, _: str) -> None:
        self.toasts = tuple(each for each in self.toasts if str(each.number) != number)

    def _cookies(self, *_: str) -> None:
        self.cookies = False

    def _survey(self, *_: str) -> None:
        self.survey = False

    def _login(self, *_: str) -> None:
        self.expired = False


Handler: TypeAlias = Callable[[View, str, str], Request | None]

_HANDLERS: dict[str, Handler] = {
    "go": View._follow,
    "search": View._search,
    "filter": View._filter,
    "sort": View._sort,
    "page": View._page,
    "tick": View._tick_row,
    "all": View._tick_all,
    "peek": View._peek,
    "tab": View._tab,
    "verb": View._verb,
    "child": View._child,
    "bulk": View._bulk,
    "cancel": View._cancel,
    "next": View._next,
    "back": View._back,
    "step": View._step,
    "submit": View._submit,
    "dismiss": View._dismiss,
    "cookies": View._cookies,
    "survey": View._survey,
    "login": View._login,
    "field": View._field,
    "tag": View._tag,
    "tag-add": View._tag_add,
    "tag-drop": View._tag_drop,
    "confirm": View._confirm,
}
