"""Elements see what a screenshot shows where they stand; augmentation moves both together."""

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from learning import batches, bc, features, vision
from learning.networks import Shape, run, tensors
from learning.vision import Eye, Pictures, augmented, distances
from tests.learning.pages import a_goal, a_list

HEIGHT, WIDTH, PLACES = 64, 96, 4


def _pages(count: int, *, seed: int) -> tuple[Pictures, NDArray[np.float32], NDArray[np.int64]]:
    """Pictures with four squares, one of them red, and which it is: nothing but the picture tells."""
    rng = np.random.default_rng(seed)
    pictures = np.full((count, HEIGHT, WIDTH, 3), 255, np.uint8)
    boxes = np.zeros((count, PLACES, 4), np.float32)
    right = rng.integers(0, PLACES, count)
    for row in range(count):
        for place in range(PLACES):
            x, y = 8 + 48 * (place % 2), 8 + 30 * (place // 2)
            pictures[row, y : y + 16, x : x + 16] = (220, 20, 20) if place == right[row] else (20, 20, 220)
            boxes[row, place] = x / WIDTH, y / HEIGHT, 16 / WIDTH, 16 / HEIGHT
    return pictures, boxes, right


class Sighted(nn.Module):
    """Elements that are all alike but for what they see."""

    def __init__(self) -> None:
        super().__init__()
        self.eye, self.score = Eye(16, heads=2, channels=8), nn.Linear(16, 1)

    def forward(self, pictures: Tensor, boxes: Tensor) -> Tensor:
        """(B, 3, H, W), (B, E, 4) -> (B, E) logits."""
        elements = torch.ones(*boxes.shape[:2], 16)
        return self.score(self.eye(pictures, elements, boxes))[..., 0]  # type: ignore[no-any-return]  # Module.__call__ is Any


def _learnt(steps: int, *, seed: int) -> Sighted:
    torch.set_num_threads(1)
    torch.manual_seed(seed)
    network, rng = Sighted(), np.random.default_rng(seed)
    optimizer = torch.optim.AdamW(network.parameters(), lr=3e-3)
    pictures, boxes, right = _pages(8, seed=seed)
    for _ in range(steps):
        seen, at = augmented(pictures, boxes, rng)
        loss = functional.cross_entropy(network(torch.from_numpy(seen), torch.from_numpy(at)), torch.from_numpy(right))
        optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]  # torch leaves it untyped
        optimizer.step()
    return network


def test_what_only_the_picture_tells_is_learnt_from_eight_and_holds_on_others() -> None:
    network = _learnt(40, seed=1)
    pictures, boxes, right = _pages(32, seed=99)
    with torch.no_grad():
        found = network(torch.from_numpy(vision.plain(pictures)), torch.from_numpy(boxes)).argmax(-1)
    assert (found.numpy() == right).mean() > 0.9


def test_the_same_seed_gives_the_same_weights() -> None:
    one, other, third = (_learnt(3, seed=seed) for seed in (1, 1, 2))
    assert all(map(torch.equal, one.parameters(), other.parameters()))
    assert not all(map(torch.equal, one.parameters(), third.parameters()))


def test_gradients_agree_with_differences() -> None:
    torch.manual_seed(0)
    eye = Eye(8, heads=2, channels=4).double()
    pictures = torch.rand(1, 3, 32, 32, dtype=torch.float64)
    elements = torch.rand(1, 2, 8, dtype=torch.float64, requires_grad=True)
    boxes = torch.tensor([[[0.1, 0.1, 0.2, 0.2], [0.6, 0.5, 0.3, 0.3]]], dtype=torch.float64)
    assert torch.autograd.gradcheck(lambda each: eye(pictures, each, boxes), (elements,))


def test_a_patch_is_as_far_as_it_lies_outside_the_box() -> None:
    boxes = torch.tensor([[[0.0, 0.0, 0.5, 0.5]]])
    assert distances(boxes, 2, 4)[0, 0].tolist() == [0.0, 0.0, 0.5, 1.5, 0.5, 0.5, 1.0, 2.0]


def test_elements_see_alike_in_whatever_order() -> None:
    torch.manual_seed(0)
    network = Sighted().eval()
    pictures, boxes, _ = _pages(1, seed=3)
    order = [2, 0, 3, 1]
    seen = torch.from_numpy(vision.plain(pictures))
    straight, turned = (network(seen, torch.from_numpy(each)) for each in (boxes, boxes[:, order]))
    assert torch.allclose(straight[:, order], turned, atol=1e-5)


def test_a_box_moves_with_what_is_drawn_in_it() -> None:
    pictures, boxes, right = _pages(16, seed=5)
    seen, moved = augmented(pictures, boxes, np.random.default_rng(0), crop=0.1, colour=0.0, noise=0.0)
    for row in range(16):
        x, y, width, height = moved[row, right[row]]
        column, line = int((x + width / 2) * WIDTH), int((y + height / 2) * HEIGHT)
        red, _, blue = seen[row, :, line, column]
        assert red > 0.8 > 0.2 > blue


def test_nothing_asked_for_changes_nothing() -> None:
    pictures, boxes, _ = _pages(2, seed=5)
    seen, moved = augmented(pictures, boxes, np.random.default_rng(0), crop=0.0, colour=0.0, noise=0.0)
    assert np.allclose(seen, vision.plain(pictures))
    assert np.array_equal(moved, boxes)


def test_a_policy_looks_at_a_screenshot_where_its_shape_has_sight_and_one_is_given() -> None:
    network = bc.fresh(Shape(width=16, layers=1, heads=2, word_width=4, sight=1), seed=1).eval()
    inputs = tensors(batches.inputs_of([features.scene(a_list("logs-3", "web-1"), a_goal(), ()).arrays]))
    one, other = torch.zeros(1, 3, HEIGHT, WIDTH), torch.rand(1, 3, HEIGHT, WIDTH)
    with torch.no_grad():
        blind, dark, bright = (
            run(network, inputs | more)["click"] for more in ({}, {"pictures": one}, {"pictures": other})
        )
    assert not torch.equal(blind, dark)
    assert not torch.equal(dark, bright)
