"""Who knows how: the next right action for each template, from any state of the console."""

from collections.abc import Callable, Iterable, Sequence

from sandbox.contracts.actions import Action, Click, Finish, GiveUp, Navigate, Select, Type, Wait
from sandbox.contracts.observations import Element, Observation
from sandbox.contracts.policies import Past, Proposal
from sandbox.contracts.tasks import Goal
from sandbox.worlds.objectstore.screen import Screen
from sandbox.worlds.objectstore.store import ENVIRONMENT, shown_size, size

Said = tuple[Action, str]  # the action, and one line of why
Move = Said | None  # None: nothing to be done here, look further

BUCKETS, USERS = "/object-store/buckets", "/object-store/users"
_PAGES = {BUCKETS: "Buckets", USERS: "Users"}
_WAIT: Said = (Wait(), "the console will load its list again")
_COLUMNS = {"quota": "Quota", "owner": "Owner", "versioning": "Versioning"}


class StoreOracle:
    """Works one template: close what is in the way, go to the page, look whether it is done, else fill the form."""

    def __init__(self, template: str) -> None:
        self._page, self._list, self._forms = _WAYS[template]

    def act(self, observation: Observation, goal: Goal, history: Sequence[Past]) -> Proposal:
        """Propose; a pure function of page and history."""
        action, why = self._next(Screen(observation, goal, history))
        return Proposal(action=action, probability=1.0, value=1.0, policy="oracle", why=why)

    def _next(self, screen: Screen) -> Said:
        if screen.dialog:
            form = self._forms.get(screen.dialog)
            return (form(screen) if form else None) or _dismiss(screen)
        return self._go(screen) or self._list(screen)

    def _go(self, screen: Screen) -> Move:
        name = _PAGES[self._page]
        link = screen.usable("link", name)
        if link is None:
            # A backdrop that the console forgot lies over the page. It goes when the page is loaded again.
            if screen.is_stale and not screen.waited_in_vain:
                return _WAIT
            return Navigate(self._page), "something invisible covers the page"
        if not screen.is_at(self._page):
            return Click(link.ref), f"the work is on the page {name}"
        if screen.is_stale and screen.waited_in_vain:
            return Click(link.ref), "the list is older than the last change"
        return None


def _dismiss(screen: Screen) -> Said:
    for name in ("Cancel", "OK", "Close"):  # a dialog that can be cancelled takes OK for consent
        button = screen.usable("button", name)
        if button is not None:
            return Click(button.ref), f"the dialog {screen.dialog} is in the way"
    return Wait(), f"the dialog {screen.dialog} has no button yet"


def _fill(*moves: Move) -> Move:
    return next((move for move in moves if move is not None), None)


def _typed(screen: Screen, role: str, name: str, text: str) -> Move:
    element = screen.usable(role, name)
    if element is None:
        return Wait(), f"the field {name} is not there yet"
    if element.value == text:
        return None
    return Type(element.ref, text), f"{name} has to be {text or 'empty'}"


def _chosen(element: Element | None, name: str, option: str) -> Move:
    """One option and no other of a list, which may be one that takes several: there a choice is undone by itself."""
    if element is None:
        return Wait(), f"{option} cannot be chosen as {name} yet"
    held = [each for each in element.options if each in element.value.split(", ")]
    if option not in held:
        return Select(element.ref, option), f"{name} has to be {option}"
    extra = next((each for each in held if each != option), None)
    return None if extra is None else (Select(element.ref, extra), f"{name} must not be {extra}")


def _checked(screen: Screen, role: str, name: str, *, on: bool = True) -> Move:
    element = screen.usable(role, name)
    if element is None or ("checked" in element.states) == on:
        return None
    return Click(element.ref), f"{name} has to be {'on' if on else 'off'}"


def _pressed(screen: Screen, name: str) -> Move:
    button = screen.usable("button", name)
    return None if button is None else (Click(button.ref), "everything is filled in")


def _amount(screen: Screen) -> str:
    """How many units the bucket may hold: a new bucket's quota, or the limit that an old one gets."""
    return screen.goal["quota"] if "quota" in screen.goal else screen.goal["limit"]


def _quota(screen: Screen) -> Iterable[Move]:
    yield _checked(screen, "checkbox", "Enable Storage Quota")
    yield _typed(screen, "spinbutton", "Quota Size", _amount(screen))
    yield _chosen(screen.usable("combobox", "Unit"), "Unit", screen.goal["unit"])


def _create_bucket_form(screen: Screen) -> Move:
    owner = screen.usable("combobox", "Owner (Optional)")
    return _fill(
        _typed(screen, "textbox", "Bucket Name", screen.goal["bucket"]),
        _chosen(owner, "Owner", owner.options[0]) if owner else None,
        *_quota(screen),
        _checked(screen, "checkbox", "Enable Object Lock", on=False),
        _checked(screen, "checkbox", "Enable Object Versioning", on=False),
        _pressed(screen, "Create Bucket"),
    )


def _quota_form(screen: Screen) -> Move:
    name = screen.usable("textbox", "Bucket Name")
    if name is None or name.value != screen.goal["bucket"]:
        return None  # another bucket's
    return _fill(*_quota(screen), _pressed(screen, "Update Quota"))


def _delete_bucket_form(screen: Screen) -> Move:
    asked = screen.says(f"Are you sure you want to delete the bucket {screen.goal['bucket']}?")
    return _pressed(screen, "Delete Bucket") if asked else None


def _create_user_form(screen: Screen) -> Move:
    bucket, rights = screen.goal["bucket"], screen.goal["rights"]
    permissions = screen.usable("combobox", "Permissions")
    return _fill(
        _checked(screen, "checkbox", "Anonymous", on=False),  # while it is on, the name cannot be written
        _typed(screen, "textbox", "Username", screen.goal["user"]),
        _chosen(permissions, "Permissions", rights),
        _checked(screen, "radio", "Specific Buckets"),
        _chosen(screen.choice_with(bucket), "Buckets", bucket),
        _checked(screen, "checkbox", "Generate access key automatically"),
        _pressed(screen, "Create User"),
    )


def _delete_user_form(screen: Screen) -> Move:
    return _pressed(screen, "Delete") if screen.says(screen.goal["user"]) else None


def _open(screen: Screen, element: Element | None, why: str) -> Said:
    return (Click(element.ref), why) if element is not None else _WAIT


def _quota_list(screen: Screen) -> Said:
    bucket = screen.goal["bucket"]
    wanted = shown_size(size(_amount(screen), screen.goal["unit"]))
    if screen.cell(bucket, "Quota") == wanted:
        return Finish(), f"{bucket} has {wanted}"
    if screen.is_stale:
        return _WAIT
    if screen.has_row(bucket):
        return _open(screen, screen.in_row(bucket, "button", "Quota"), f"{bucket} has not {wanted} yet")
    return GiveUp(f"There is no bucket {bucket}."), "the list does not name it"


def _create_bucket_list(screen: Screen) -> Said:
    if screen.has_row(screen.goal["bucket"]):
        return _quota_list(screen)
    if screen.is_stale:
        return _WAIT
    return _open(screen, screen.usable("button", "Create Bucket"), "there is no such bucket yet")


def _delete_bucket_list(screen: Screen) -> Said:
    bucket = screen.goal["bucket"]
    if not screen.has_row(bucket):
        return Finish(), f"there is no bucket {bucket}"
    if screen.is_stale:
        return _WAIT
    return _open(screen, screen.in_row(bucket, "button", "Delete"), f"{bucket} is still there")


def _fact_list(screen: Screen) -> Said:
    bucket, fact = screen.goal["bucket"], screen.goal["fact"]
    if not screen.has_row(bucket):
        return GiveUp(f"There is no bucket {bucket}."), "the list does not name it"
    return Finish(screen.cell(bucket, _COLUMNS[fact])), f"it stands under {_COLUMNS[fact]} in the row of {bucket}"


def _create_user_list(screen: Screen) -> Said:
    user = screen.goal["user"]
    if screen.has_row(user):
        return Finish(), f"{user} is in the list"
    if screen.is_stale:
        return _WAIT
    return _open(screen, screen.usable("button", "Create User"), f"there is no {user} yet")


def _remove_user_list(screen: Screen) -> Said:
    user = screen.goal["user"]
    if not screen.has_row(user):
        return Finish(), f"there is no user {user}"
    if screen.is_stale:
        return _WAIT
    return _open(screen, screen.in_row(user, "button", "delete-user"), f"{user} is still there")


Form = Callable[[Screen], Move]
_QUOTA_FORM: dict[str, Form] = {"Manage Bucket Quota": _quota_form}
_WAYS: dict[str, tuple[str, Callable[[Screen], Said], dict[str, Form]]] = {
    f"{ENVIRONMENT}/create-bucket": (
        BUCKETS,
        _create_bucket_list,
        {"Create New S3 Bucket": _create_bucket_form, **_QUOTA_FORM},
    ),
    f"{ENVIRONMENT}/change-quota": (BUCKETS, _quota_list, _QUOTA_FORM),
    f"{ENVIRONMENT}/delete-bucket": (BUCKETS, _delete_bucket_list, {"Delete Bucket": _delete_bucket_form}),
    f"{ENVIRONMENT}/create-user": (USERS, _create_user_list, {"Create New User": _create_user_form}),
    f"{ENVIRONMENT}/remove-user": (USERS, _remove_user_list, {"Confirm Delete": _delete_user_form}),
    f"{ENVIRONMENT}/find-bucket-fact": (BUCKETS, _fact_list, {}),
}
