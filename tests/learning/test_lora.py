"""Fine-tuning on chats, end to end on a tiny model: data, adapter, and an agent whose every token is allowed."""

import json
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import huggingface_hub
import numpy as np
import peft
import pytest
import torch

from learning import chat, kinds, lora
from learning.failures import TeacherFailed
from learning.lora import IGNORED, Example, LoraPolicy, Recipe, TooLong, Unusable, answer_loss, padded
from learning.masking import Mask
from learning.policy import BadPolicy
from learning.rollouts import Episode, play
from sandbox import sessions
from sandbox.contracts import storage
from sandbox.contracts.tasks import Outcome
from sandbox.contracts.trajectories import history
from tests.learning.pages import HandGym, a_demonstration, a_goal, a_list, a_task
from tests.learning.tiny import a_tiny_model

LEARNT = 0  # seed of the demonstration
RECIPE = Recipe(steps=30, batch=5, learning_rate=1e-2)


@pytest.fixture(scope="module")
def work(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Chats of a demonstration, a tiny model, and its adapter."""
    torch.set_num_threads(1)
    folder = tmp_path_factory.mktemp("lora")
    (folder / "shown.belay").write_bytes(storage.pack(a_demonstration(LEARNT)))
    chat.export(folder / "chats.jsonl", [folder / "shown.belay"])
    a_tiny_model(folder / "base", (folder / "chats.jsonl").read_text().splitlines())
    lora.tune(folder / "base", folder / "chats.jsonl", folder / "adapter", RECIPE)
    return folder


@pytest.fixture(scope="module")
def policy(work: Path) -> LoraPolicy:
    return LoraPolicy(work / "adapter", name="tuned")


def test_the_loss_of_one_token_by_hand() -> None:
    logits = torch.zeros(1, 3, 4)  # every token equally likely
    labels = torch.tensor([[IGNORED, IGNORED, 2]])
    assert float(answer_loss(logits, labels)) == pytest.approx(1.386294, abs=1e-6)


def test_the_losss_gradient_is_its_derivative() -> None:
    logits = torch.randn(2, 4, 5, dtype=torch.float64, requires_grad=True)
    labels = torch.tensor([[IGNORED, 1, 2, IGNORED], [IGNORED, IGNORED, 4, 0]])
    assert torch.autograd.gradcheck(lambda each: answer_loss(each, labels), [logits])


def test_only_answers_are_learnt_whatever_is_padded() -> None:
    inputs, labels = padded([Example((5, 6, 7), 2), Example((5, 6, 7, 8, 9), 3)])
    assert inputs["input_ids"].tolist() == [[0, 0, 5, 6, 7], [5, 6, 7, 8, 9]]
    assert inputs["attention_mask"].tolist() == [[0, 0, 1, 1, 1], [1, 1, 1, 1, 1]]
    assert inputs["position_ids"].tolist() == [[0, 0, 0, 1, 2], [0, 1, 2, 3, 4]]
    assert labels.tolist() == [[IGNORED, IGNORED, 7], [IGNORED, 8, 9]]


def test_eight_examples_are_memorised(work: Path) -> None:
    _, base = lora._base(work / "base")
    rng = np.random.default_rng(1)
    examples = [Example(tuple(map(int, rng.integers(5, 900, 24))), 16) for _ in range(8)]
    model = peft.get_peft_model(base, peft.LoraConfig(r=16, lora_alpha=32, target_modules="all-linear"))
    losses = lora.fit(model, examples, Recipe(steps=80, batch=8, learning_rate=1e-2))
    assert losses[0] > 5
    assert losses[-1] < 0.1


def test_what_was_shown_is_done(policy: LoraPolicy) -> None:
    shown = a_demonstration(LEARNT)
    proposals = [
        policy.act(step.observation, shown.task.goal, history(shown.steps[:index]))
        for index, step in enumerate(shown.steps)
    ]
    assert [each.action for each in proposals] == [step.action for step in shown.steps]
    assert min(each.probability for each in proposals) > 0.5


def test_it_works_a_ticket_in_the_world(policy: LoraPolicy, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sessions, "sample", lambda template, **drawn: a_task(drawn["seed"]))
    found = play(HandGym(), Episode("hand/change-quota", LEARNT, "train", "try"), policy, name="tuned")
    assert found.verification.outcome is Outcome.VERIFIED
    assert found.steps[0].proposal is not None
    assert found.steps[0].proposal.policy == "tuned"


def test_without_its_adapter_it_still_says_only_what_the_page_allows(work: Path, policy: LoraPolicy) -> None:
    _, base = lora._base(work / "base")
    untaught = LoraPolicy.__new__(LoraPolicy)
    untaught.__dict__.update(policy.__dict__ | {"_model": base.eval()})
    for seed in range(4):
        page = a_demonstration(seed).steps[seed].observation
        proposal = untaught.act(page, a_goal(), ())
        view = chat.View(page, a_goal(), (), Mask())
        assert view.parse(view.answer(proposal.action)).action == proposal.action
        assert 0 < proposal.probability < 0.5


def test_the_same_seed_gives_the_same_adapter(work: Path, tmp_path: Path) -> None:
    for name in ("one", "other"):
        lora.tune(work / "base", work / "chats.jsonl", tmp_path / name, Recipe(steps=2, batch=1))
    one, other = ((tmp_path / name / lora.WEIGHTS).read_bytes() for name in ("one", "other"))
    assert one == other


class Killed(RuntimeError):
    """The machine is gone."""


def test_a_training_that_was_killed_goes_on_bit_for_bit(
    work: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    recipe = Recipe(steps=4, batch=1)
    lora.tune(work / "base", work / "chats.jsonl", tmp_path / "whole", recipe)
    monkeypatch.setattr(lora, "KEPT_EVERY", 2)
    real, seen = lora.padded, list[int]()

    def padded_until_killed(examples: Sequence[Example]) -> Any:
        seen.append(1)
        if len(seen) == 4:
            raise Killed
        return real(examples)

    monkeypatch.setattr(lora, "padded", padded_until_killed)
    with pytest.raises(Killed):
        lora.tune(work / "base", work / "chats.jsonl", tmp_path / "again", recipe)
    losses = lora.tune(work / "base", work / "chats.jsonl", tmp_path / "again", recipe)
    assert len(losses) == 4
    assert len(seen) == 6  # the third step is made again, no other
    whole, again = ((tmp_path / name / lora.WEIGHTS).read_bytes() for name in ("whole", "again"))
    assert whole == again
    assert not (tmp_path / "again.work").exists()


def test_what_it_was_made_of_is_written_beside_it(work: Path) -> None:
    receipt = json.loads((work / "adapter" / "receipt.json").read_text())
    assert (receipt["chats"], receipt["too_long"], receipt["recipe"]["steps"]) == (5, 0, 30)
    assert len(receipt["chats_sha256"]) == 64
    assert sorted(path.suffix for path in (work / "adapter").iterdir()) == [".json", ".json", ".json", ".safetensors"]


def test_its_folder_opens_as_a_policy(work: Path) -> None:
    page = a_list("web-1", "logs-3")
    assert kinds.open_policy(work / "adapter", name="v2").act(page, a_goal(), ()).policy == "v2"


def test_another_base_than_it_was_fitted_to_is_refused(work: Path, tmp_path: Path) -> None:
    shutil.copytree(work / "adapter", tmp_path / "adapter")
    spec = json.loads((tmp_path / "adapter" / "spec.json").read_text())
    (tmp_path / "adapter" / "spec.json").write_text(json.dumps(spec | {"base_sha256": "0" * 64}))
    with pytest.raises(BadPolicy, match="is not the model"):
        LoraPolicy(tmp_path / "adapter", name="x")


def test_weights_that_would_be_unpickled_are_refused(work: Path, tmp_path: Path) -> None:
    shutil.copytree(work / "adapter", tmp_path / "adapter")
    (tmp_path / "adapter" / lora.WEIGHTS).rename(tmp_path / "adapter" / "adapter_model.bin")
    with pytest.raises(BadPolicy, match="not loaded"):
        LoraPolicy(tmp_path / "adapter", name="x")
    shutil.copytree(work / "base", tmp_path / "base")
    (tmp_path / "base" / "model.safetensors").rename(tmp_path / "base" / "pytorch_model.bin")
    with pytest.raises(BadPolicy, match="no language model with safetensors"):
        lora.tune(tmp_path / "base", work / "chats.jsonl", tmp_path / "out", RECIPE)


def test_no_hub_is_asked() -> None:
    assert huggingface_hub.constants.HF_HUB_OFFLINE is True


def test_a_page_that_does_not_fit_is_said(policy: LoraPolicy) -> None:
    page = a_list(*(f"a-rather-long-name-of-a-bucket-{n}" for n in range(90)))
    with pytest.raises(TooLong, match="more than tuned can read"):
        policy.act(page, a_goal("a-rather-long-name-of-a-bucket-7"), ())


def test_an_answer_cut_short_is_a_failure_by_name(policy: LoraPolicy, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lora, "MOST_TOKENS", 2)
    with pytest.raises(Unusable, match="tuned gave no usable action in 2 tokens") as caught:
        policy.act(a_list("web-1", "logs-3"), a_goal(), ())
    assert isinstance(caught.value, TeacherFailed)


def test_a_training_that_diverges_is_said_and_writes_no_adapter(
    work: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = [str(work / "base"), str(work / "chats.jsonl"), str(tmp_path / "out"), "--steps", "3", "--batch", "1"]
    assert lora.main([*given, "--learning-rate", "1e38"]) == 2
    assert "the training diverged at step 1" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_a_mistake_on_the_command_line_is_a_sentence(
    work: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = [str(tmp_path / "nothing"), str(work / "chats.jsonl"), str(tmp_path / "out")]
    assert lora.main(given) == 2
    assert "holds no language model" in capsys.readouterr().err
    given[0] = str(work / "base")
    assert lora.main([*given, "--longest", "9"]) == 2
    assert "no chat of at most 9 tokens" in capsys.readouterr().err
