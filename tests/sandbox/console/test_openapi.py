"""Consoles from API documents: what becomes of paths, schemas and mistakes, and that their tasks can be solved."""

import contextlib
import os
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from sandbox.contracts.tasks import Risk
from sandbox.worlds.console.declare import Console, Slow
from sandbox.worlds.console.openapi.convert import console_from, id_of
from sandbox.worlds.console.openapi.document import Unreadable
from sandbox.worlds.console.openapi.proof import prove
from sandbox.worlds.console.openapi.report import Report
from sandbox.worlds.console.openapi.tasks import tasks_of
from tests.sandbox.console.documents import DOCUMENTS, cut, damaged, document, many_paths

ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def orchard() -> tuple[Console, Report]:
    """OpenAPI 3.1 over two files, with much of what the language has."""
    return console_from(DOCUMENTS / "orchard.yaml")


@pytest.fixture(scope="module")
def depot() -> tuple[Console, Report]:
    """Swagger 2.0 in JSON, as people have it."""
    return console_from(DOCUMENTS / "depot.json")


# --- paths ---


def test_lists_and_what_they_hold_become_kinds(orchard: tuple[Console, Report]) -> None:
    console, report = orchard
    assert [kind.name for kind in console.kinds] == [
        "buyer", "buyer_mark", "buyer_order", "orchard", "sprinkler", "tree",
    ]  # fmt: skip
    assert {kind.group for kind in console.kinds} == {"Growing", "Selling"}
    assert (report.dialect, report.operations, report.used) == ("OpenAPI 3.1.0", 19, 16)


def test_what_lies_beneath_another_refers_to_it_and_stands_on_a_tab_of_its_page(
    orchard: tuple[Console, Report],
) -> None:
    console, _ = orchard
    owner = console.kind("tree").field("orchard")
    assert (owner.type, owner.references, owner.required) == ("reference", "orchard", True)
    assert "tree" in [tab.rows_of for tab in console.kind("orchard").tabs]
    assert "orchard_id" not in console.kind("tree").index


def test_paging_is_known_by_its_parameters_and_envelopes_are_opened(orchard: tuple[Console, Report]) -> None:
    console, report = orchard
    assert report.paging == {"page and size": 1, "cursor": 1}
    assert console.page_size == 6
    assert "tree_count" in console.kind("orchard").index


def test_what_is_answered_with_202_takes_a_while(orchard: tuple[Console, Report]) -> None:
    console, _ = orchard
    assert console.kind("orchard").create_slow == Slow(via="creating", to="ready")
    assert console.kind("tree").create_slow is None


def test_contrary_verbs_make_states(orchard: tuple[Console, Report]) -> None:
    console, _ = orchard
    sprinkler = console.kind("sprinkler")
    assert sprinkler.states == ("running", "stopped")
    assert sprinkler.verb("start").from_states == ("stopped",)
    assert sprinkler.verb("stop").slow == Slow(via="stop under way", to="stopped", ticks=1)


def test_methods_become_verbs_with_their_risk(orchard: tuple[Console, Report]) -> None:
    console, _ = orchard
    risks = {verb.title: verb.risk for verb in console.kind("orchard").verbs}
    assert risks == {"Edit": Risk.REVERSIBLE, "Change labels": Risk.REVERSIBLE, "Delete": Risk.DESTRUCTIVE}
    assert [verb.risk for verb in console.kind("buyer").verbs] == [Risk.CREDENTIAL]


def test_a_single_one_may_be_spelt_in_another_number_than_its_list(depot: tuple[Console, Report]) -> None:
    console, _ = depot
    assert [verb.title for verb in console.kind("crate").verbs] == ["Seal", "Delete"]


def test_what_is_left_out_is_told_with_a_reason(orchard: tuple[Console, Report]) -> None:
    _, report = orchard
    assert {each.what: each.why for each in report.left_operations} == {
        "HEAD /v1/health": "it shows nothing on a page",
        "GET /v1/health": "it asks the service something and is about no resource",
        "GET /v1/orchards/{orchardId}/summary": "a look at summary of one orchard, which is no form and no list",
    }
    told = report.text()
    assert "its pattern M[0-9]{2}X[Q-Z]{7} is not asked for" in told
    assert "objects are nested more than 3 deep" in told


# --- schemas ---


def test_all_of_and_references_across_files_are_merged(orchard: tuple[Console, Report]) -> None:
    console, _ = orchard
    kind = console.kind("orchard")
    assert kind.asked == ("name", "region", "soil", "labels", "hours", "at_night")
    assert kind.field("region").choices == ("north", "south")
    assert kind.field("soil").choices == ("clay", "sand", "loam")
    assert [kind.field(name).required for name in ("name", "region", "soil")] == [True, True, False]


def test_a_discriminator_decides_what_is_asked_for(orchard: tuple[Console, Report]) -> None:
    console, _ = orchard
    sprinkler = console.kind("sprinkler")
    assert sprinkler.field("type").choices == ("drip", "jet")
    assert sprinkler.field("litres").visible_when == (("type", ("drip",)),)
    assert sprinkler.field("reach").visible_when == (("type", ("jet",)),)


def test_heirs_of_a_swagger_schema_are_alternatives(depot: tuple[Console, Report]) -> None:
    console, _ = depot
    animal = console.kind("animal")
    assert animal.field("species").choices == ("Cat", "Dog")
    assert animal.field("tricks").visible_when == (("species", ("Dog",)),)


def test_lists_of_objects_and_free_keys_are_rows_on_a_tab(orchard: tuple[Console, Report]) -> None:
    console, _ = orchard
    assert console.kind("buyer_order").parent == "buyer"
    assert console.kind("buyer_order").asked == ("fruit", "crates")
    assert console.kind("buyer_mark").columns == ("key", "value")


def test_limits_defaults_and_formats_are_kept(orchard: tuple[Console, Report]) -> None:
    console, _ = orchard
    tree, buyer = console.kind("tree"), console.kind("buyer")
    height = tree.field("height_cm")
    assert (height.minimum, height.maximum, height.default) == (10, 900, "120")
    assert tree.field("planted").type == "date"
    assert tree.field("name").title == "Label"
    assert tree.field("name").help == "What hangs on it"
    assert buyer.field("email").check == "email"


def test_secrets_are_secret_and_nothing_else_is_called_so(orchard: tuple[Console, Report]) -> None:
    console, _ = orchard
    buyer = console.kind("buyer")
    assert buyer.field("api_token").type == "secret"
    assert buyer.field("token_days").title == "Credential days"


def test_what_the_server_says_is_never_asked_for(orchard: tuple[Console, Report]) -> None:
    console, _ = orchard
    kind = console.kind("orchard")
    assert {"tree_count", "created_at"} & {*kind.asked} == set()
    assert kind.field("created_at").generated == "today"
    assert "id" not in kind.index


# --- tasks ---


@pytest.mark.parametrize("name", ["orchard.yaml", "depot.json"])
def test_the_teacher_solves_every_task_and_doing_nothing_solves_none(name: str) -> None:
    console, report = console_from(DOCUMENTS / name)
    episodes = list(prove(tasks_of(console), seeds=3))
    assert len(episodes) == 3 * report.tasks
    assert [each for each in episodes if each.reason] == []


def test_templates_make_change_ask_delete_and_press_buttons(orchard: tuple[Console, Report]) -> None:
    console, _ = orchard
    ids = {spec.template.id for spec in tasks_of(console)}
    wanted = ("create-tree", "edit-orchard", "find-orchard-fact", "delete-tree", "start-sprinkler", "add-buyer-order")
    assert {f"orchard-api/{name}" for name in wanted} <= ids


def test_seven_hundred_operations_take_less_than_a_minute(tmp_path: Path) -> None:
    console, report = console_from(document(tmp_path, many_paths(140)))
    assert report.operations == 700
    assert len(console.kinds) == 140
    assert report.seconds < 60


# --- documents that are not as they should be ---


def test_mistakes_are_told_with_file_and_line_and_the_rest_is_used(depot: tuple[Console, Report]) -> None:
    console, report = depot
    assert [kind.name for kind in console.kinds] == ["animal", "crate"]
    assert [str(each) for each in report.problems] == [
        "depot.json:22: this parameter lacks its name or place ('in')",
        "depot.json:27: 'broken' does not begin with / and is no path",
        "depot.json:29: https://example.org/x.json: what lies on other machines is not fetched",
        "depot.json:28: #/definitions/Nowhere: there is no 'Nowhere'",
    ]


def test_a_part_that_is_no_yaml_is_cut_out(tmp_path: Path) -> None:
    text = (DOCUMENTS / "depot.yaml.broken").read_text()
    console, report = console_from(document(tmp_path, text))
    assert [kind.name for kind in console.kinds] == ["crate"]
    problem = report.problems[0]
    assert (problem.file, problem.line) == ("api.yaml", 8)
    assert problem.what.startswith("this part cannot be read and was left out: ")


def test_a_key_that_stands_twice_is_told(tmp_path: Path) -> None:
    text = many_paths(1) + "info: {title: Again}\n"
    _, report = console_from(document(tmp_path, text))
    assert str(report.problems[0]) == "api.yaml:1: 'info' stands here twice (first in line 2)"


def test_references_may_not_leave_the_folder(tmp_path: Path) -> None:
    inner = tmp_path / "inner"
    inner.mkdir()
    (tmp_path / "shared.yaml").write_text("Thing: {type: object, properties: {name: {type: string}}}\n")
    text = many_paths(2).replace("#/components/schemas/Thing0", "../shared.yaml#/Thing")
    console, report = console_from(document(inner, text))
    assert [kind.name for kind in console.kinds] == ["thing1"]
    assert all("lies outside of" in each.what for each in report.problems)
    assert len(report.problems) == 4
    wide, told = console_from(inner / "api.yaml", within=tmp_path)
    assert [kind.name for kind in wide.kinds] == ["thing0", "thing1"]
    assert told.problems == ()


def test_references_that_lead_round_in_a_circle_end(tmp_path: Path) -> None:
    text = many_paths(1) + "  loop: {$ref: '#/components/loop'}\n"
    _, report = console_from(document(tmp_path, text.replace("#/components/schemas/Thing0", "#/components/loop", 1)))
    assert any("lead round in a circle" in each.what for each in report.problems)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("just words", "api.yaml:1: this is no mapping, so no API document"),
        ("openapi: 3.0.0\npaths: {}\n", "api.yaml:2: no path lists or makes anything with fields"),
    ],
)
def test_a_document_of_which_nothing_can_be_used_is_refused(tmp_path: Path, text: str, reason: str) -> None:
    with pytest.raises(Unreadable) as refusal:
        console_from(document(tmp_path, text))
    assert str(refusal.value) == reason


@pytest.mark.parametrize("hurts", [1, 5, 25])
def test_damage_costs_a_part_and_never_more_than_the_document(tmp_path: Path, hurts: int) -> None:
    whole = (DOCUMENTS / "depot.json").read_text()
    texts = [damaged(whole, seed, hurts) for seed in range(12)]
    texts += [cut((DOCUMENTS / "orchard.yaml").read_text(), seed) for seed in range(6)]
    for text in texts:
        with contextlib.suppress(Unreadable):
            console, report = console_from(document(tmp_path, text))
            assert len(console.kinds) == report.kinds > 0


# --- the command line ---


def test_titles_become_ids_that_no_world_of_ours_has() -> None:
    wanted = ["harbor-api", "cloud-api", "api-3d-prints"]
    assert [id_of(title) for title in ("Harbor API", "Cloud", "3D Prints")] == wanted


def test_the_command_writes_declaration_and_report(tmp_path: Path) -> None:
    done = _command(str(DOCUMENTS / "orchard.yaml"), "--out", str(tmp_path), "--report", str(tmp_path / "report.json"))
    assert done.returncode == 0, done.stderr
    assert "16 of 19 operations; 6 kinds" in done.stdout
    report = msgspec.json.decode((tmp_path / "report.json").read_bytes(), type=Report)
    assert (report.id, report.kinds) == ("orchard-api", 6)
    ask = "from sandbox.registry import find_environment as find; print(find('orchard-api').environment)"
    registered = subprocess.run(
        [sys.executable, "-c", ask],
        env={**os.environ, "BELAY_CONSOLES": str(tmp_path)},
        cwd=ROOT, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert "practice=True" in registered.stdout


def test_the_command_says_why_it_cannot_read(tmp_path: Path) -> None:
    done = _command(str(tmp_path / "missing.yaml"))
    assert (done.returncode, done.stderr) == (2, "missing.yaml:1: this file cannot be read\n")


def _command(*arguments: str) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-m", "sandbox.worlds.console.openapi", *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
