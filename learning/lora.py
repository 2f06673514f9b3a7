"""A language model fine-tuned by LoRA on exported chats, and acting here, held token by token to what a page allows.

Run: python -m learning.lora BASE_FOLDER CHATS.jsonl OUT_FOLDER (needs the extra `language`); goes on where it stopped.
"""

import argparse
import hashlib
import json
import math
import shutil
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import peft
import torch
import transformers
from llguidance import LLMatcher
from llguidance.hf import from_tokenizer
from torch import Tensor
from torch.nn import functional

from learning import artefact, chat, devices
from learning.checkpoints import Checkpoint
from learning.failures import TeacherFailed
from learning.losses import Diverged, finite
from learning.masking import Mask
from learning.policy import BadPolicy
from sandbox.arguments import count, positive, whole
from sandbox.contracts.observations import Observation
from sandbox.contracts.policies import Past, Proposal
from sandbox.contracts.tasks import Goal

KEPT_EVERY = 25  # steps between checkpoints
IGNORED = -100  # label of a token that is not to be learnt
MOST_TOKENS = 256  # of an answer
WEIGHTS = "adapter_model.safetensors"


class TooLong(TeacherFailed):
    """The page does not fit into what the model can read."""


class Unusable(TeacherFailed):
    """What it said, as long as it may be, is no action on the page."""


@dataclass(frozen=True, slots=True)
class Recipe:
    """How a fine-tuning goes."""

    rank: int = 16
    alpha: int = 32
    steps: int = 300
    batch: int = 4
    learning_rate: float = 2e-4
    warmup: int = 10
    longest: int = 4096  # tokens; longer chats are left out
    seed: int = 0


@dataclass(frozen=True)
class _Training:
    """What a checkpoint belongs to."""

    recipe: Recipe
    base_sha256: str
    chats_sha256: str


@dataclass(frozen=True, slots=True)
class Example:
    """One chat in tokens; what comes from `answer` on is learnt."""

    tokens: tuple[int, ...]
    answer: int


def tune(base: Path, chats: Path, out: Path, recipe: Recipe) -> list[float]:
    """Fit an adapter on chats; writes `out`; returns the loss of each step. Raises BadPolicy, ValueError, Diverged."""
    began = time.monotonic()
    torch.manual_seed(recipe.seed)
    tokenizer, model = _base(base)
    told = [json.loads(line)["messages"] for line in chats.read_text().splitlines()]
    every = [example(tokenizer, messages) for messages in told]
    examples = [each for each in every if len(each.tokens) <= recipe.longest]
    if not examples:
        raise ValueError(f"{chats} has no chat of at most {recipe.longest} tokens to learn from")
    adapted = peft.get_peft_model(
        model,
        peft.LoraConfig(
            r=recipe.rank, lora_alpha=recipe.alpha, target_modules="all-linear", task_type="CAUSAL_LM", lora_dropout=0.0
        ),
    )
    work = out.with_name(f"{out.name}.work")
    training = _Training(recipe, _hash_of(base), hashlib.sha256(chats.read_bytes()).hexdigest())
    losses = fit(adapted, examples, recipe, checkpoint=Checkpoint(work, training))
    adapted.save_pretrained(str(out))
    (out / "README.md").unlink(missing_ok=True)  # a form that nobody has filled in
    _describe(base, training, out, examples=len(examples), left_out=len(every) - len(examples), began=began)
    shutil.rmtree(work, ignore_errors=True)
    return losses


def fit(
    model: Any, examples: Sequence[Example], recipe: Recipe, *, checkpoint: Checkpoint | None = None
) -> list[float]:
    """Learn the answers; the same seed gives the same weights, through a kill too. Returns the loss of each step.

    Raises Diverged, before anything is kept of a step that is not a number.
    """
    device = devices.chosen()
    model.to(device).train()
    learnt = [each for each in model.parameters() if each.requires_grad]
    optimiser = torch.optim.AdamW(learnt, lr=recipe.learning_rate, weight_decay=0.0)
    adapter, losses, first = torch.nn.ParameterList(learnt), list[float](), 0
    if checkpoint is not None:
        resumed = checkpoint.resume(adapter, optimiser)
        first, losses = resumed.step, list(resumed.more.get("losses", []))
    for step in range(first, recipe.steps):
        rng = np.random.default_rng([recipe.seed, step])
        chosen = rng.choice(len(examples), size=min(recipe.batch, len(examples)), replace=False)
        inputs, labels = padded([examples[index] for index in chosen])
        with devices.precision(device):
            logits = model(**devices.moved(inputs, device), logits_to_keep=labels.shape[1]).logits
        loss = answer_loss(logits.float(), labels.to(device))
        optimiser.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]  # torch has no types for it
        norm = torch.nn.utils.clip_grad_norm_(learnt, 1.0)
        finite({"loss": float(loss.detach()), "gradient": float(norm)}, step=step)
        for group in optimiser.param_groups:
            group["lr"] = recipe.learning_rate * min(1.0, (step + 1) / recipe.warmup)
        optimiser.step()
        losses.append(float(loss.detach()))
        if checkpoint is not None and (step + 1) % KEPT_EVERY == 0:
            checkpoint.keep(adapter, optimiser, step=step + 1, spent_s=0.0, more={"losses": losses})
    return losses


def answer_loss(
    logits: Tensor,  # (B, A, V) after each of the last tokens
    labels: Tensor,  # (B, A) those tokens themselves, IGNORED where nothing is learnt
) -> Tensor:  # ()
    """Mean cross-entropy of each token of the answers, given all before it."""
    return functional.cross_entropy(logits[:, :-1].flatten(0, 1), labels[:, 1:].flatten(), ignore_index=IGNORED)


def padded(examples: Sequence[Example]) -> tuple[dict[str, Tensor], Tensor]:
    """What the model reads, (B, T), filled up on the left; and labels of the last A tokens, (B, A).

    A is the longest answer and one before it: of long pages with large vocabularies, other logits would not fit.
    """
    longest = max(len(each.tokens) for each in examples)
    last = max(len(each.tokens) - each.answer for each in examples) + 1
    tokens = torch.zeros(len(examples), longest, dtype=torch.long)
    attended, places = torch.zeros_like(tokens), torch.zeros_like(tokens)
    labels = torch.full((len(examples), last), IGNORED)
    for row, each in enumerate(examples):
        count, answered = len(each.tokens), len(each.tokens) - each.answer
        tokens[row, -count:] = torch.tensor(each.tokens)
        attended[row, -count:] = 1
        places[row, -count:] = torch.arange(count)
        labels[row, -answered:] = tokens[row, -answered:]
    return {"input_ids": tokens, "attention_mask": attended, "position_ids": places}, labels


def example(tokenizer: Any, messages: Sequence[chat.Message]) -> Example:
    """A chat in tokens, cut between question and answer just where acting cuts it."""
    asked = _question(tokenizer, messages[:-1])
    answered = tokenizer(messages[-1]["content"], add_special_tokens=False)["input_ids"]
    return Example((*asked, *answered, tokenizer.eos_token_id), len(asked))


class LoraPolicy:
    """Proposes by an adapted language model on this machine; every token must lead to an action of the page."""

    def __init__(self, folder: Path, *, name: str) -> None:
        spec = artefact.spec_of(folder)
        if not (folder / WEIGHTS).is_file():
            raise BadPolicy(f"{folder} has no {WEIGHTS}; weights in other forms are not loaded")
        base = Path(spec["base"])
        if _hash_of(base) != spec["base_sha256"]:
            raise BadPolicy(f"{base} is not the model that {folder} was fitted to")
        self.name = name
        self._tokenizer, model = _base(base)
        self._model = peft.PeftModel.from_pretrained(model, str(folder)).merge_and_unload()
        self._device = devices.chosen()
        self._model.to(self._device).eval()
        self._grammar = from_tokenizer(self._tokenizer, n_vocab=self._model.config.vocab_size)

    @torch.no_grad()
    def act(self, observation: Observation, goal: Goal, history: Sequence[Past]) -> Proposal:
        """The likeliest action, token by token. Raises TooLong, Unusable."""
        view = chat.View(observation, goal, history, Mask())
        asked = _question(self._tokenizer, view.messages())
        if len(asked) + MOST_TOKENS > self._model.config.max_position_embeddings:
            raise TooLong(f"{len(asked)} tokens are more than {self.name} can read")
        text, log_probability = self._said(asked, view.schema(explain=False, closed=True))
        try:
            action = view.parse(text).action
        except chat.BadAnswer as problem:
            raise Unusable(f"{self.name} gave no usable action in {MOST_TOKENS} tokens: {problem}") from problem
        return Proposal(action, min(1.0, math.exp(log_probability)), policy=self.name)

    def _said(self, asked: Sequence[int], allowed: dict[str, Any]) -> tuple[str, float]:
        """The answer, and its log-probability among the allowed ones."""
        grammar = LLMatcher.grammar_from_json_schema(json.dumps(allowed), overrides={"whitespace_flexible": False})
        matcher = LLMatcher(self._grammar, grammar)
        tokens, said, total = torch.tensor([asked]), list[int](), 0.0
        past = None
        while not matcher.is_stopped() and len(said) < MOST_TOKENS:
            output = self._model(input_ids=tokens.to(self._device), past_key_values=past, use_cache=True)
            past = output.past_key_values
            logits = output.logits[0, -1].float().cpu()
            logits = logits.masked_fill(~may_follow(matcher, len(logits)), float("-inf"))
            token = int(logits.argmax())
            total += float(logits.log_softmax(-1)[token])
            if token == self._tokenizer.eos_token_id or not matcher.consume_token(token):
                break
            said.append(token)
            tokens = torch.tensor([[token]])
        return self._tokenizer.decode(said, skip_special_tokens=True), total


def may_follow(matcher: LLMatcher, vocabulary: int) -> Tensor:
    """(V,) bool: tokens that lead to an answer the grammar allows."""
    bits = np.frombuffer(matcher.compute_bitmask(), np.uint8)
    return torch.from_numpy(np.unpackbits(bits, bitorder="little")[:vocabulary].astype(np.bool_))


def _question(tokenizer: Any, messages: Sequence[chat.Message]) -> list[int]:
    if not tokenizer.chat_template:
        raise BadPolicy("the base model's tokenizer has no chat template: choose one that was made to follow a chat")
    text = tokenizer.apply_chat_template(list(messages), add_generation_prompt=True, tokenize=False)
    return list(tokenizer(text, add_special_tokens=False)["input_ids"])


def _base(folder: Path) -> tuple[Any, Any]:
    """Tokenizer and model from a folder: nothing is downloaded, unpickled, or run from it. Raises BadPolicy."""
    transformers.utils.logging.disable_progress_bar()  # type: ignore[no-untyped-call]  # it has none
    try:
        tokenizer = transformers.AutoTokenizer.from_pretrained(str(folder), local_files_only=True)
        model = transformers.AutoModelForCausalLM.from_pretrained(
            str(folder), local_files_only=True, use_safetensors=True, dtype=torch.float32
        )
    except (OSError, ValueError) as problem:
        raise BadPolicy(f"{folder} holds no language model with safetensors: {problem}") from problem
    return tokenizer, model


def _hash_of(base: Path) -> str:
    found = hashlib.sha256()
    for path in sorted(base.glob("*.safetensors")):
        found.update(hashlib.sha256(path.read_bytes()).digest())
    return found.hexdigest()


def _describe(base: Path, training: _Training, out: Path, *, examples: int, left_out: int, began: float) -> None:
    """Spec and receipt beside the adapter: what it fits, and how it is made again."""
    spec = {
        "kind": "lora",
        "base": str(base.resolve()),
        "base_sha256": training.base_sha256,
        "weights_sha256": hashlib.sha256((out / WEIGHTS).read_bytes()).hexdigest(),
    }
    receipt = {
        "chats_sha256": training.chats_sha256,
        "chats": examples,
        "too_long": left_out,
        "recipe": asdict(training.recipe),
        "seconds": round(time.monotonic() - began, 1),
        "code_commit": artefact.commit(),
        "machine": artefact.machine(),
    }
    artefact.write_json(out / "spec.json", spec)
    artefact.write_json(out / "receipt.json", receipt)


def main(arguments: list[str] | None = None) -> int:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m learning.lora", description=__doc__)
    parser.add_argument("base", type=Path, help="folder of a causal language model with a chat template")
    parser.add_argument("chats", type=Path, help="as written by python -m learning.chat")
    parser.add_argument("out", type=Path, help="folder for the adapter")
    kinds = {"rank": count, "steps": count, "batch": count, "learning-rate": positive, "longest": count}
    for name, kind in kinds.items():
        default = getattr(Recipe(), name.replace("-", "_"))
        parser.add_argument(f"--{name}", type=kind, default=default, help=f"{default} by default")
    parser.add_argument("--seed", type=whole, default=0)
    given = vars(parser.parse_args(arguments))
    base, chats, out = given.pop("base"), given.pop("chats"), given.pop("out")
    try:
        losses = tune(base, chats, out, msgspec.convert(given, Recipe))
    except (BadPolicy, Diverged, OSError, ValueError, KeyError) as problem:
        print(f"Nothing was fitted: {problem}", file=sys.stderr)
        return 2
    print(f"{out}: loss {losses[0]:.3f} at first, {losses[-1]:.3f} at last, after {len(losses)} steps")
    return 0


if __name__ == "__main__":
    sys.exit(main())
