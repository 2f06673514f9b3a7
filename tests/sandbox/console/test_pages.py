"""The console in Chromium, as a person meets it: lists, wizard, dialogs, notices, states that change by themselves."""

import pytest

from sandbox import sessions
from sandbox.contracts.actions import Action, ActOutcome, Click, Finish, Press, Select, Type
from sandbox.contracts.observations import Element, Observation
from sandbox.env import Gym
from sandbox.worlds.console.cloud import CLOUD
from sandbox.worlds.console.instance import ConsoleWorld
from sandbox.worlds.console.world import World


class Person:
    """Somebody at the console who names things as they are shown."""

    def __init__(self, gym: Gym, *, instances: int = 20) -> None:
        self.gym = gym
        assert isinstance(gym.world, ConsoleWorld)
        self.world = World(CLOUD, "pages")
        self.world.create("security_group", {"name": "default"})
        for number in range(instances):
            given = {"name": f"web-{number:02}", "size": ("small", "large")[number % 2], "security_group": "default"}
            self.world.create("instance", given)
        self.world.create("disk", {"name": "data-1", "size_gb": "100"})
        self.world.settle()
        gym.reset(sessions.free_task("cloud", "look around", seed=1))
        self.console = gym.world
        self.put()

    def put(self) -> None:
        """Bring the console to this person's world."""
        self.gym.run(self.console.restore(self.world.snapshot()))
        self.open("")

    def open(self, path: str) -> None:
        self.gym.run(self.gym.page.goto(self.console.start_url + path))

    def see(self) -> Observation:
        return self.gym.run(self.gym.page.observe())

    def find(self, role: str, name: str) -> Element:
        return next(each for each in self.see().elements if (each.role, each.name) == (role, name))

    def names(self, role: str) -> list[str]:
        return [each.name for each in self.see().elements if each.role == role]

    def do(self, action: Action) -> ActOutcome:
        return self.gym.act(action)[0].outcome

    def click(self, role: str, name: str) -> ActOutcome:
        return self.do(Click(self.find(role, name).ref))

    def fill(self, name: str, text: str) -> None:
        self.do(Type(self.find("textbox", name).ref, text))

    def now(self) -> World:
        """The console's own state."""
        return self.gym.run(self.console.world())

    def rows(self) -> list[str]:
        """Names of the list's rows, from above."""
        return [name for name in self.names("link") if name.startswith("web-")]


@pytest.fixture
def person(cloud: Gym) -> Person:
    """Somebody before twenty instances."""
    return Person(cloud)


def test_a_list_is_paged_sorted_and_searched(person: Person) -> None:
    person.click("link", "Instances")
    assert person.rows() == [f"web-{number:02}" for number in range(8)]
    person.click("link", "Next page")
    assert person.rows()[0] == "web-08"
    person.click("link", "Next page")
    assert person.rows() == ["web-16", "web-17", "web-18", "web-19"]
    assert "Next page" not in person.names("link")
    person.click("link", "Name")
    person.click("link", "Name ▲")
    assert person.rows()[0] == "web-19"
    person.fill("Search instances", "LARGE web-1")
    assert person.rows() == ["web-11", "web-13", "web-15", "web-17", "web-19"]
    person.fill("Search instances", "nowhere")
    assert person.rows() == []
    assert "Nothing found." in person.names("text")


def test_the_wizard_says_what_is_wrong_before_it_goes_on(person: Person) -> None:
    person.click("link", "Instances")
    person.click("link", "Create instance")
    person.fill("Name", "Web 1")
    person.click("button", "Next")
    field = person.find("textbox", "Name")
    assert "invalid" in field.states
    assert any(name.startswith("Use 3 to 40 lower-case") for name in person.names("text"))
    person.fill("Name", "web-03")
    person.click("button", "Next")
    assert "There is already an instance named web-03." in person.names("text")
    person.fill("Name", "web-77")
    assert "invalid" not in person.find("textbox", "Name").states
    person.do(Press("Enter"))
    assert "Machine" in person.names("heading")
    assert person.now().audit == person.world.audit


def test_a_created_instance_starts_by_itself(person: Person) -> None:
    person.open("instances/new")
    person.fill("Name", "web-77")
    for _ in range(2):
        person.click("button", "Next")
    person.do(Select(person.find("combobox", "Security group").ref, "default"))
    person.click("button", "Next")
    assert any(each.row == "Security group | default" for each in person.see().elements)
    assert person.click("button", "Create instance") is ActOutcome.DONE
    seen = person.see()
    assert any("Instance web-77 is being created." in toast for toast in seen.toasts)
    assert "creating" in person.names("text")
    person.gym.run(
        person.gym.page.evaluate(
            "new Promise(done => { const look = () => document.querySelector('.state-running') ? done() : "
            "setTimeout(look, 20); look(); })"
        )
    )
    assert "disabled" not in person.find("button", "Stop").states


def test_an_exceeded_quota_is_told_where_it_happened(person: Person) -> None:
    for number in range(24):
        person.world.create("security_group", {"name": f"group-{number:02}"})
    person.put()
    person.open("security-groups/new")
    person.fill("Name", "one-more")
    person.click("button", "Create security group")
    assert any("Quota exceeded: at most 25 security groups." in toast for toast in person.see().toasts)
    assert person.find("textbox", "Name").value == "one-more"


def test_terminating_needs_the_name_typed(person: Person) -> None:
    target = person.world.find("instance", "web-05")
    assert target is not None
    person.open(f"instances/{target.id}")
    person.click("button", "Terminate")
    assert person.see().dialogs == ("Terminate instance web-05",)
    assert "disabled" in person.find("button", "Terminate instance").states
    person.fill("Type web-05 to confirm", "web-06")
    assert "disabled" in person.find("button", "Terminate instance").states
    person.fill("Type web-05 to confirm", "web-05")
    person.click("button", "Terminate instance")
    assert person.now().find("instance", "web-05") is None
    assert "web-06" in person.rows()


def test_a_refused_dialog_stays_open_and_says_why(person: Person) -> None:
    disk = person.world.find("disk", "data-1")
    assert disk is not None
    person.open(f"disks/{disk.id}")
    person.click("button", "Enlarge")
    person.fill("Size (GB)", "60")
    person.click("button", "Enlarge disk")
    assert person.see().dialogs == ("Enlarge disk data-1",)
    assert "Enter more than 100: it can grow, never shrink." in person.names("text")
    person.click("button", "Cancel")
    assert person.see().dialogs == ()


def test_a_notice_goes_with_the_page_after_the_next(person: Person) -> None:
    person.open("security-groups/new")
    person.fill("Name", "office")
    person.click("button", "Create security group")
    person.click("link", "Disks")
    assert any("office was created" in toast for toast in person.see().toasts)
    person.click("link", "Disks")
    assert person.see().toasts == ()


def test_what_is_in_a_name_is_shown_as_text(person: Person) -> None:
    given = {"name": "markup", "description": '<img src=x onerror="document.title=1">'}
    person.world.create("security_group", given)
    person.put()
    person.click("link", "Security groups")
    assert given["description"] in person.names("cell")


def test_the_activity_tab_shows_what_was_done(person: Person) -> None:
    target = person.world.find("instance", "web-02")
    assert target is not None
    person.open(f"instances/{target.id}")
    person.click("button", "Stop")
    person.click("button", "Stop instance")
    person.click("tab", "Activity")
    assert "instance.stop" in person.names("cell")


def test_a_free_text_task_cannot_be_verified(cloud: Gym) -> None:
    cloud.reset(sessions.free_task("cloud", "tidy up", seed=3))
    cloud.act(Finish())
    assert cloud.verify("").outcome == "unverified"
