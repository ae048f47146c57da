"""A layer is made again beside those who read it: no look finds nothing, no load finds half."""

from __future__ import annotations

import multiprocessing
import threading
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from queue import SimpleQueue
from typing import Any

import numpy as np
import pytest
from ragraphs.context import Context
from ragraphs.index import rebuilding
from ragraphs.index.layers import HOPS, Arrays
from ragraphs.index.opening import Index, index_of, open_index
from ragraphs.settings import settings
from ragraphs.state.errors import RagraphsError
from ragraphs.stores.arrays import DamagedArraysError, Scratch

_SAVES = 12
_NUMBERS = 40_000
_NAMES = "source", "target", "similarity", "names"


def make(index: Index, scratch: Scratch) -> Arrays:
    return {name: np.arange(_NUMBERS) for name in _NAMES}


def saved(index: Index) -> None:
    """Makes the layer again from the same parts, as a repair does, and ends the run."""
    HOPS.renew(replace(index, anew=True), make, "parts")
    rebuilding.finish(index)


def looked(index: Index, told: Counter[str], loads: bool) -> None:
    """Looks the layer up, or loads it, and counts what came of it."""
    try:
        if loads:
            arrays = HOPS._read(index)
            whole = all(len(arrays[name]) == _NUMBERS for name in _NAMES)
            told["loaded" if whole else "half"] += 1
        else:
            HOPS.stamp(index)
            told["found"] += 1
    except DamagedArraysError:
        told["damaged"] += 1
    except RagraphsError:
        told["nothing"] += 1


def look(index: Index, is_over: Callable[[], bool]) -> Counter[str]:
    """Looks and loads until ``is_over``."""
    told: Counter[str] = Counter()
    while not is_over():
        looked(index, told, loads=sum(told.values()) % 20 == 0)
    return told


def opened_again(index: Index) -> Index:
    """Another view of ``index``, as another process has it."""
    engine = index.location.open_catalogue(settings(), create=False)
    return index_of(index.location, engine, settings())


def test_a_layer_made_again_is_there_for_everybody_all_the_time(tmp_path):
    index = open_index(Context(index=str(tmp_path / "index")), create=True)
    saved(index)
    over, told = threading.Event(), SimpleQueue[Counter[str]]()
    readers = [
        threading.Thread(target=lambda: told.put(look(opened_again(index), over.is_set)))
        for _ in range(3)
    ]
    for reader in readers:
        reader.start()
    try:
        for _ in range(_SAVES):
            saved(index)
    finally:
        over.set()
        for reader in readers:
            reader.join(60)
    assert set(sum((told.get(timeout=60) for _ in readers), Counter[str]())) <= {"found", "loaded"}


def _look_from_outside(name: str, looks: int, told: Any) -> None:
    left = iter(range(looks))
    told.put(look(open_index(Context(index=name)), lambda: next(left, None) is None))


@pytest.mark.slow
@pytest.mark.in_folder("processes read the files of one folder")
@pytest.mark.parametrize("looks", [20_000, pytest.param(200_000, marks=pytest.mark.thorough)])
def test_no_look_of_other_processes_finds_nothing(tmp_path, looks):
    index = open_index(Context(index=str(tmp_path / "index")), create=True)
    saved(index)
    spawned = multiprocessing.get_context("spawn")
    told = spawned.Queue()
    given = index.name, looks // 2, told
    readers = [spawned.Process(target=_look_from_outside, args=given) for _ in range(2)]
    for reader in readers:
        reader.start()
    saves = 0
    while any(reader.is_alive() for reader in readers):
        saved(index)
        saves += 1
    counts = sum((told.get(timeout=60) for _ in readers), Counter[str]())
    assert set(counts) <= {"found", "loaded"}, counts
    assert counts.total() == looks and saves >= _SAVES
