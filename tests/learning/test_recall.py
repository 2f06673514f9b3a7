"""Memory over the steps of an episode: it reaches back, stops at an episode's beginning, and can be learnt."""

import torch
from torch import Tensor, nn
from torch.nn import functional

from learning.recall import Recall

T, B, INPUTS, WIDTH = 5, 3, 2, 8


def _memory(seed: int = 0) -> Recall:
    torch.set_num_threads(1)
    torch.manual_seed(seed)
    return Recall(INPUTS, WIDTH)


def test_a_segment_at_once_is_the_same_as_step_by_step() -> None:
    recall, read = _memory(), torch.randn(T, B, INPUTS)
    begins = torch.zeros(T, B, dtype=torch.bool)
    begins[2, 1] = True
    whole, last = recall(read, recall.nothing(B), begins)
    memory = recall.nothing(B)
    for t in range(T):
        memory = recall.step(read[t], memory, begins[t])
        assert torch.allclose(whole[t], memory)
    assert torch.equal(last, whole[-1])


def test_nothing_reaches_over_the_beginning_of_an_episode() -> None:
    recall, read = _memory(), torch.randn(T, B, INPUTS)
    begins = torch.zeros(T, B, dtype=torch.bool)
    begins[3] = True
    other = read.clone()
    other[:3] += 1.0
    one, two = (recall(each, recall.nothing(B), begins)[0] for each in (read, other))
    assert torch.equal(one[3:], two[3:])
    assert not torch.allclose(one[2], two[2])


def test_gradients_agree_with_differences() -> None:
    recall = _memory().double()
    read = torch.randn(T, B, INPUTS, dtype=torch.float64, requires_grad=True)
    begins = torch.zeros(T, B, dtype=torch.bool)
    begins[2, 0] = True
    assert torch.autograd.gradcheck(lambda each: recall(each, recall.nothing(B), begins)[0], (read,))


def _first_sign(count: int, generator: torch.Generator) -> tuple[Tensor, Tensor]:
    """Only the first step tells which of two signs is asked for at the last."""
    sign = torch.randint(0, 2, (count,), generator=generator)
    read = torch.zeros(T, count, INPUTS)
    read[0, torch.arange(count), sign] = 1.0
    return read, sign


def _learnt(seed: int) -> tuple[Recall, nn.Linear]:
    recall = _memory(seed)
    score = nn.Linear(WIDTH, 2)
    generator = torch.Generator().manual_seed(seed)
    optimizer = torch.optim.Adam([*recall.parameters(), *score.parameters()], lr=0.03)
    for _ in range(80):
        read, sign = _first_sign(16, generator)
        begins = torch.zeros(T, 16, dtype=torch.bool)
        _, last = recall(read, recall.nothing(16), begins)
        loss = functional.cross_entropy(score(last), sign)
        optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]  # torch leaves it untyped
        optimizer.step()
    return recall, score


def test_what_was_seen_first_is_remembered_to_the_last_and_the_same_seed_learns_the_same() -> None:
    recall, score = _learnt(1)
    read, sign = _first_sign(64, torch.Generator().manual_seed(99))
    _, last = recall(read, recall.nothing(64), torch.zeros(T, 64, dtype=torch.bool))
    assert torch.equal(score(last).argmax(-1), sign)
    assert all(map(torch.equal, recall.parameters(), _learnt(1)[0].parameters()))
