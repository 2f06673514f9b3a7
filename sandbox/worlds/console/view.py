"""What a person has open in the console, as a state machine: events in, at most one writing request out."""

import random
from collections.abc import Callable
from typing import Any, TypeAlias

from msgspec.structs import replace

from sandbox.worlds.console import on_forms, on_pages
from sandbox.worlds.console.answers import UNREACHED
from sandbox.worlds.console.api import Reply, Request
from sandbox.worlds.console.declare import Kind
from sandbox.worlds.console.forms import Form
from sandbox.worlds.console.lexicon import Lexicon
from sandbox.worlds.console.places import Dialog, Event, Listing, Notice, Place, address_of, place_at
from sandbox.worlds.console.records import Object
from sandbox.worlds.console.variant import Variant
from sandbox.worlds.console.world import World

LATENCY = {"none": 0, "short": 1, "long": 3}  # ticks until a page is there
TOASTS = 2


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
            on_forms.close(self)  # what it was about is gone
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
            on_forms.succeed(self, reply)
        elif self.form is not None:
            errors = dict(reply.errors) if reply else {}
            known = {name: self.words.told(text) for name, text in errors.items() if name in self.form.values}
            said = "" if known else self.words.told(reply.message if reply else UNREACHED)
            self.form = self.form.refused(known, said, self.world.console.kind(self.form.kind))
        else:
            self.say(self.words.told(reply.message if reply else UNREACHED))

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
                on_forms.close(self)
            elif self.modal != "expired":
                self.drawer = ""
        elif event.value == "Enter" and self.form is not None:
            name, _, field = event.key.partition(":")
            if name == "tag":
                self.form = self.form.add_tag(field)
            elif name in ("field", "confirm"):
                if self.form.is_last:
                    return None if on_forms.is_held(self) else on_forms.submit(self)
                on_forms.step_on(self)
        return None

    # --- what a form leads to ---

    def say(self, text: str) -> None:
        """Show a notice."""
        self.toasts_made += 1
        self.toasts = (*self.toasts, Notice(self.toasts_made, text))[-TOASTS:]

    def arrive(self, place: Place) -> None:
        """Be where an accepted form leads; its notice stays."""
        self.pages += 1
        self._at(place)


Handler: TypeAlias = Callable[[View, str, str], Request | None]

_HANDLERS: dict[str, Handler] = {
    "go": on_pages.follow,
    "search": on_pages.search,
    "filter": on_pages.narrow,
    "sort": on_pages.sort,
    "page": on_pages.turn,
    "tick": on_pages.tick,
    "all": on_pages.tick_all,
    "peek": on_pages.peek,
    "tab": on_pages.tab,
    "dismiss": on_pages.dismiss,
    "cookies": on_pages.answer_cookies,
    "survey": on_pages.answer_survey,
    "login": on_pages.sign_in_again,
    "verb": on_forms.open_verb,
    "child": on_forms.open_child,
    "bulk": on_forms.open_bulk,
    "cancel": on_forms.cancel,
    "field": on_forms.set_field,
    "tag": on_forms.type_tag,
    "tag-add": on_forms.add_tag,
    "tag-drop": on_forms.drop_tag,
    "confirm": on_forms.confirm,
    "next": on_forms.step_on,
    "back": on_forms.step_back,
    "step": on_forms.step_to,
    "submit": on_forms.submit,
}
