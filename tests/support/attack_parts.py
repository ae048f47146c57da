"""Parts of an attack whose trials do what their number says."""

from __future__ import annotations

import os
import random
import time
from collections.abc import Iterator
from contextlib import contextmanager

from lab.attack.trials import AttackPart, Trial

HANGS, DIES, RAISES = 1, 2, 3


@contextmanager
def arena() -> Iterator[list[int]]:
    """The numbers of the trials in the order of what goes wrong in them."""
    yield [HANGS, DIES, RAISES]


def trial(arena: list[int], chance: random.Random, result: Trial) -> None:
    """A trial that goes wrong in a way of its own, drawn by chance."""
    result.labels = ["drawn"]
    result.figures["drawn"] = chance.random()
    match int(4 * result.figures["drawn"]):
        case 1:
            while True:
                time.monotonic()
        case 2:
            os._exit(3)
        case 3:
            raise KeyError("mine")


PART = AttackPart("drawn", 8, arena, trial, each=3, longest=1.0, preloaded=())
