"""The workbench's network: rows of a sheet and their context, one list of all actions; and batches of sheets."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from learning.bench_sheet import CONTEXT, DEED, RING, ROW, TOOLS, Sheet
from learning.bench_words import GOAL_WORDS, WORDS
from learning.candidates import LOW
from learning.critic import critic_of, judged
from learning.ppo import ActorCritic, Judged
from learning.recall import Recall
from learning.rows import Lengths, Named

WORD_WIDTH = 16
_ROUND = torch.tensor([[(place + further) % TOOLS for further in range(1, TOOLS)] for place in range(TOOLS)])


class BenchNet(ActorCritic):
    """Every row is read beside its context; what all say together is read once more beside each. R rows, T deeds.

    One that `recalls` has a memory of what was done, learnt, where the others have notes.
    """

    def __init__(
        self, vocabulary: int, *, width: int = 64, recalls: bool = False, bins: int = 0, seed: int = 0
    ) -> None:
        super().__init__()
        torch.manual_seed(seed)
        self.word = nn.Embedding(vocabulary, WORD_WIDTH, padding_idx=0)
        self.goal = nn.Embedding(vocabulary, 2 * WORD_WIDTH, padding_idx=0)
        self.row = nn.Linear(ROW + WORD_WIDTH, width)
        self.round = nn.Linear(RING * WORD_WIDTH, width, bias=False)  # of a tool, what those after it are called
        self.context = nn.Linear(CONTEXT + 2 * WORD_WIDTH, width)
        self.beside = nn.Linear(width, width, bias=False)
        self.whole = nn.Linear(3 * width, width)
        self.again = nn.Linear(width, width)
        self.told = nn.Linear(width, width, bias=False)
        self.say = nn.Linear(width, 1)
        self.critic = critic_of(width, bins=bins)
        self.recall = Recall(DEED + WORD_WIDTH, width) if recalls else None
        nn.init.normal_(self.word.weight, std=0.3)
        nn.init.normal_(self.goal.weight, std=0.3)
        nn.init.zeros_(self.critic.linear.weight)
        with torch.no_grad():
            self.word.weight[0] = 0.0
            self.goal.weight[0] = 0.0
            self.say.weight.mul_(0.1)

    def outputs(self, inputs: Named) -> tuple[Tensor, Tensor, Tensor | None]:
        """(B, R) logits, LOW where a row is no action, (B,) values, and the critic's logits: see critic.judged."""
        named = self.word(inputs["words"]).sum(2)  # (B, R, w)
        rows = self.row(torch.cat([inputs["rows"], named], -1))
        at = inputs["tools"]  # (B, TOOLS)
        tools = torch.gather(named, 1, at[..., None].expand(-1, -1, WORD_WIDTH))
        others = self.round(tools[:, _ROUND].flatten(2))  # (B, TOOLS, d)
        rows = rows.scatter_add(1, at[..., None].expand_as(others), others)
        context = torch.cat([inputs["context"], self.goal(inputs["goal"]).sum(1)], -1)
        state = functional.relu(self.context(context) + self._recalled(inputs))
        first = functional.relu(rows + self.beside(state)[:, None])
        first = first * inputs["there"][..., None]
        mean = first.sum(1) / inputs["there"].sum(1, keepdim=True)
        whole = functional.relu(self.whole(torch.cat([first.amax(1), mean, state], -1)))
        second = functional.relu(self.again(first) + self.told(whole)[:, None])
        logits = self.say(second)[..., 0].masked_fill(~inputs["can"], LOW)
        return logits, *judged(self.critic, whole, inputs["environment"])

    def _recalled(self, inputs: Named) -> Tensor:
        """(B, d) what is remembered of the deeds, nothing where there are none; () 0 without a memory."""
        if self.recall is None:
            return torch.zeros(())
        read = torch.cat([inputs["deeds"], self.word(inputs["deed_words"]).sum(2)], -1).transpose(0, 1)  # (T, B, ·)
        there = inputs["deeds"].any(-1).T  # (T, B); the blank ones come first
        begins = torch.cat([torch.ones_like(there[:1]), ~there[:-1]])
        _, memory = self.recall(read, self.recall.nothing(read.shape[1]), begins)
        found: Tensor = memory * there[-1][:, None]
        return found

    def forward(self, inputs: Named, actions: Named) -> Judged:
        """See ppo.ActorCritic; the action "row" is (B,)."""
        logits, value, sizes = self.outputs(inputs)
        log_p = logits.log_softmax(-1)
        entropy = -(log_p.exp() * log_p).sum(-1)
        return Judged(log_p.gather(1, actions["row"][:, None])[:, 0], entropy, value, sizes)


def batch_of(sheets: Sequence[Sheet]) -> Named:
    """Sheets as inputs, padded to the longest."""
    count, longest = len(sheets), max(len(each.can) for each in sheets)
    rows = np.zeros((count, longest, ROW), np.float32)
    words = np.zeros((count, longest, WORDS), np.int64)
    can = np.zeros((count, longest), np.bool_)
    there = np.zeros((count, longest), np.float32)
    for index, each in enumerate(sheets):
        length = len(each.can)
        rows[index, :length], words[index, :length], can[index, :length] = each.rows, each.words, each.can
        there[index, :length] = 1.0
    return {
        "rows": torch.from_numpy(rows),
        "words": torch.from_numpy(words),
        "can": torch.from_numpy(can),
        "there": torch.from_numpy(there),
        "tools": torch.from_numpy(np.stack([each.tools for each in sheets])),
        "context": torch.from_numpy(np.stack([each.context for each in sheets])),
        "goal": torch.from_numpy(np.stack([each.goal for each in sheets])).reshape(count, GOAL_WORDS),
        "deeds": torch.from_numpy(np.stack([each.deeds for each in sheets])),
        "deed_words": torch.from_numpy(np.stack([each.deed_words for each in sheets])),
        "environment": torch.zeros(count, dtype=torch.long),
    }


@dataclass(frozen=True)
class Sheets:
    """Decisions on sheets of any length. See rows.Rows."""

    sheets: Sequence[Sheet]
    row: Tensor  # (N,) that was chosen

    @property
    def lengths(self) -> Lengths:
        """Rows of each sheet."""
        return np.array([len(each.can) for each in self.sheets], np.int64)

    def take(self, chosen: Lengths) -> tuple[Named, Named]:
        """See rows.Rows."""
        at = torch.from_numpy(chosen)
        return batch_of([self.sheets[index] for index in chosen]), {"row": self.row[at]}
