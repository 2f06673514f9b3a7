"""What the workbench's network reads: every right action is a row, names say nothing, notes say what is from where."""

import random
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import torch

from learning import bench_policy, kinds
from learning.bench_deeds import DEEDS
from learning.bench_net import BenchNet, batch_of
from learning.bench_play import Guise, Seat
from learning.bench_sheet import CONTEXT, DEED, FIELDS, ROW, TOOLS, Notes, Reader, Sheet
from learning.bench_words import Vocabulary, goal_words
from learning.policy import BadPolicy
from sandbox.contracts.actions import Action, ActOutcome, ActResult, Click, Finish, Type
from sandbox.contracts.policies import Past, past
from sandbox.contracts.tasks import Goal, Split, Task
from sandbox.worlds.workbench.oracle import BenchOracle
from sandbox.worlds.workbench.simulator import Workbench
from sandbox.worlds.workbench.templates import TEMPLATES, tasks
from sandbox.worlds.workbench.view import ORDERS, WORDS

KNOWN = Vocabulary(("argument", "copy", "find", "put", "report", "set", "value"), ("argument", "copy", "find", "value"))


def shown(task: Task) -> Iterator[tuple[Sheet, list[Action | None], Action]]:
    """Every state on the oracle's way: the sheet, the actions of its rows, and the right one."""
    bench, oracle, notes = Workbench(), BenchOracle(task), Notes()
    page, reader, right = bench.reset(task), Reader(KNOWN, task.goal), None
    while not isinstance(right, Finish):
        right = oracle.act(page, task.goal, ()).action
        yield (*reader.read(page, notes), right)
        result, after = bench.act(right)
        notes.take(past(page, right, result))
        page = after


@pytest.mark.parametrize("split", ["train", "test"])
def test_every_right_action_of_every_kind_of_ticket_is_a_row_that_can_be_chosen(split: Split) -> None:
    for task in tasks(split, len(TEMPLATES)):
        for sheet, actions, right in shown(task):
            assert sheet.can[actions.index(right)]
            assert sheet.rows.shape == (len(actions), ROW)
            assert sheet.context.shape == (CONTEXT,)


def test_each_blank_of_each_ticket_has_a_column_of_its_own() -> None:
    assert {blank.name for each in TEMPLATES for blank in each.template.parameters} == {*FIELDS}


def test_a_sheet_read_anew_is_the_one_that_was_read_all_along() -> None:
    task = next(each for each in tasks("train", 17) if each.template == "workbench/pair-set")
    bench, oracle, notes, history = Workbench(), BenchOracle(task), Notes(), list[Past]()
    page, reader = bench.reset(task), Reader(KNOWN, task.goal)
    for _ in range(12):
        whole = Notes()
        for step in history:
            whole.take(step)
        kept, again = reader.read(page, notes)[0], Reader(KNOWN, task.goal).read(page, whole)[0]
        assert np.array_equal(kept.rows, again.rows)
        assert np.array_equal(kept.context, again.context)
        right = oracle.act(page, task.goal, ()).action
        result, after = bench.act(right)
        history.append(past(page, right, result))
        notes.take(history[-1])
        page = after


def test_notes_say_which_key_of_which_file_a_value_was_read_from_and_how_the_file_was_found() -> None:
    done, notes = ActResult(ActOutcome.DONE), Notes()
    for action, role, name in (
        (Type(1, "otter-417"), "textbox", "Argument"),
        (Click(2), "button", "Find"),
        (Click(3), "link", "etc/mail/proxy.conf"),
        (Click(4), "text", "port = 25"),
    ):
        notes.take(Past(action, role, name, done))
    fact = notes.known("25")
    assert fact is not None
    assert (fact.key, fact.file, fact.sought) == ("port", "etc/mail/proxy.conf", "otter-417")
    assert notes.known("26") is None
    assert notes.known("") is None


def test_what_was_done_in_vain_is_counted_but_teaches_nothing() -> None:
    notes = Notes()
    notes.take(Past(Click(4), "text", "port = 25", ActResult(ActOutcome.NO_EFFECT)))
    assert notes.known("25") is None
    assert notes.used[("text", "port = 25", "")] == (1, 1, True)


def test_the_words_of_a_goal_leave_its_values_out_and_cut_chinese_by_character() -> None:
    goal = Goal("Rename etc/a.conf to b-10.cfg.", (("file", "etc/a.conf"), ("name", "b-10.cfg")))
    assert goal_words(goal) == ["rename", "to"]
    told = Goal("将 etc/a.conf 重命名。", (("file", "etc/a.conf"),))
    assert goal_words(told) == ["将", "重", "命", "名", "。"]


def test_words_that_no_tool_was_called_by_in_training_read_alike_and_once() -> None:
    assert KNOWN.named("find") not in (KNOWN.named("grep"), KNOWN.named("copy"))
    assert KNOWN.named("grep") == KNOWN.named("yank") == KNOWN.named("put") == KNOWN.named("Note for the ticket")
    assert KNOWN.named("Pick value as operand") == KNOWN.named("Pick value")
    assert KNOWN.told(Goal("Put it there.", ()))[0] > KNOWN.named("put")[0]


def test_a_tool_reads_the_same_wherever_the_list_begins() -> None:
    task = next(each for each in tasks("train", 17) if "order" not in each.environment)
    page = Workbench().reset(task)
    turned = Guise(random.Random(5), task, named=0.0, moved=0.0)
    turned._turn = 4
    read = []
    for shown_page in (page, turned.of(page)):
        sheet, actions = Reader(KNOWN, task.goal).read(shown_page, Notes())
        places = {action: row for row, action in enumerate(actions) if isinstance(action, Click)}
        read.append({action: sheet.rows[row].tolist() for action, row in places.items()})
        assert [shown_page.elements[at].role for at in sheet.tools] == ["button"] * TOOLS
    assert read[0] == read[1]


def test_a_guise_never_shows_the_order_that_is_kept_for_tests() -> None:
    for task in (each for each in tasks("train", 40) if "words" not in each.environment):
        page = Workbench().reset(task)
        held = [WORDS["plain"][tool] for tool in ORDERS["reversed"]]
        for seed in range(50):
            guise = Guise(random.Random(seed), task, named=0.0, moved=1.0)
            names = [each.name for each in guise.of(page).elements if each.role == "button" and each.region != "nav"]
            assert (sorted(names), names == held) == (sorted(held), False)


def test_a_guise_keeps_its_names_through_an_episode_and_names_tools_alone() -> None:
    task = next(tasks("train", 1))
    page = Workbench().reset(task)
    guise = Guise(random.Random(3), task, named=1.0, moved=0.0)
    one, other = guise.of(page), guise.of(page)
    assert one == other
    changed = [(a, b) for a, b in zip(page.elements, one.elements, strict=True) if a != b]
    assert {a.role for a, _ in changed} <= {"button", "textbox"}
    assert changed


def test_a_move_that_brings_a_ticket_nearer_earns_most_and_what_spoils_it_ends_the_episode() -> None:
    task = next(each for each in tasks("train", 17) if each.template == "workbench/rename")
    plain = Guise(random.Random(1), task, named=0.0, moved=0.0)
    seat, oracle, bench = Seat(task, KNOWN, plain), BenchOracle(task), Workbench()
    page = bench.reset(task)
    earned = []
    over = False
    while not over:
        right = oracle.act(page, task.goal, ()).action
        page = bench.act(right)[1]
        reward, over = seat.act(right)
        earned.append(reward)
    assert seat.verified
    assert earned == [pytest.approx(0.95)] * (len(earned) - 1) + [1.0]
    hasty = Seat(task, KNOWN, plain)
    assert hasty.act(Finish()) == (-0.8, True)
    assert not hasty.verified


@pytest.mark.parametrize("recalls", [False, True])
def test_numpy_says_what_torch_says_also_of_padded_sheets(tmp_path: Path, recalls: bool) -> None:
    network = BenchNet(len(KNOWN), width=16, recalls=recalls, seed=3)
    with torch.no_grad():
        network.say.weight.mul_(30)  # so that states differ in what is likeliest
        for each in network.parameters():
            each.copy_(each.half().float())
    weights = {name: each.numpy() for name, each in network.state_dict().items() if not name.startswith("critic.")}
    bench_policy.write(tmp_path, weights, KNOWN, {})
    policy = bench_policy.BenchPolicy(tmp_path, name="b")
    task = next(tasks("test", 1))
    bench, oracle, notes, history = Workbench(), BenchOracle(task), Notes(), list[Past]()
    page, reader = bench.reset(task), Reader(KNOWN, task.goal, recalls=recalls)
    sheets, said = list[Sheet](), list[float]()
    for _ in range(6):
        sheets.append(reader.read(page, notes)[0])
        chances = policy._chances(sheets[-1])
        said.append(float(chances.max()))
        again = Notes()
        for step in history:
            again.take(step)
        assert np.array_equal(Reader(KNOWN, task.goal, recalls=recalls).read(page, again)[0].deeds, sheets[-1].deeds)
        assert policy.act(page, task.goal, history).action is not None
        right = oracle.act(page, task.goal, ()).action
        result, after = bench.act(right)
        history.append(past(page, right, result))
        notes.take(history[-1])
        page = after
    with torch.no_grad():
        logits, *_ = network.outputs(batch_of(sheets))
    assert said == pytest.approx(logits.softmax(-1).amax(-1).tolist(), abs=1e-4)
    assert len({round(each, 6) for each in said}) == 6


def test_a_memory_reads_the_latest_deeds_and_no_notes() -> None:
    task = next(each for each in tasks("train", 17) if each.template == "workbench/rename")
    read = [Reader(KNOWN, task.goal, recalls=recalls) for recalls in (False, True)]
    page, (value,) = Workbench().reset(task), [text for name, text in task.goal.fields if name == "name"]
    box = next(each for each in page.elements if each.role == "textbox")
    before = [each.read(page, Notes())[0] for each in read]
    notes, done = Notes(), ActResult(ActOutcome.DONE)
    for number in range(DEEDS + 2):
        notes.take(Past(Type(box.ref, value if number else "x"), "textbox", box.name, done))
    noted, recalled = (each.read(page, notes)[0] for each in read)
    assert not np.array_equal(noted.context, before[0].context)
    assert np.array_equal(recalled.context, before[1].context)
    assert np.array_equal(recalled.rows, before[1].rows)
    assert not before[1].deeds.any()
    assert noted.deeds.shape == (0, DEED)
    assert recalled.deeds.shape == (DEEDS, DEED)
    assert len({row.tobytes() for row in recalled.deeds}) == 1  # the first deed is forgotten
    assert (recalled.deed_words == KNOWN.named(box.name)).all()


def test_what_was_done_longer_ago_than_the_blank_deeds_before_it_changes_nothing() -> None:
    network, task = BenchNet(len(KNOWN), width=16, recalls=True, seed=3), next(tasks("train", 1))
    sheet = Reader(KNOWN, task.goal, recalls=True).read(Workbench().reset(task), Notes())[0]
    with torch.no_grad():
        nothing = network._recalled(batch_of([sheet]))
        sheet.deeds[-1, 0] = 1.0
        one = network._recalled(batch_of([sheet]))
        sheet.deed_words[0] = 2  # a word beside a deed that is none
        assert torch.equal(network._recalled(batch_of([sheet])), one)
    assert not nothing.any()
    assert one.any()


def test_weights_that_are_no_numbers_are_not_written(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"say\.bias is not finite in half precision"):
        bench_policy.write(tmp_path / "b", {"say.bias": np.array([np.nan], np.float32)}, KNOWN, {})
    assert not (tmp_path / "b").exists()


def test_a_policy_made_for_other_sheets_is_refused(tmp_path: Path) -> None:
    bench_policy.write(tmp_path, {}, KNOWN, {})
    spec = tmp_path / "spec.json"
    spec.write_text(spec.read_text().replace(f"  {ROW}", "  7"))
    with pytest.raises(BadPolicy, match="this version reads"):
        kinds.open_policy(tmp_path, name="b")
