"""What TensorBoard finds in the folder of a training."""

from pathlib import Path

from tensorboardX.proto.event_pb2 import Event
from tensorboardX.record_writer import masked_crc32c

from learning.metrics import EVENTS, Point


def scalars(folder: Path) -> list[Point]:
    """The numbers of each step, as they were written."""
    found: dict[int, dict[str, float]] = {}
    for file in sorted((folder / EVENTS).iterdir()):
        for event in _events(file):
            for value in event.summary.value:
                found.setdefault(event.step, {})[value.tag] = value.simple_value
    return [Point(step, values) for step, values in found.items()]


def _events(file: Path) -> list[Event]:
    """Events as TensorBoard reads them: length, its checksum, body, its checksum."""
    left, found = file.read_bytes(), []
    while left:
        size = int.from_bytes(left[:8], "little")
        assert masked_crc32c(left[:8]) == int.from_bytes(left[8:12], "little")
        found.append(Event.FromString(left[12 : 12 + size]))
        left = left[16 + size :]
    return found
