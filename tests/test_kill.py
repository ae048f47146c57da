"""An index run that is killed at any moment is completed by the next one."""

from __future__ import annotations

import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from ragraphs.context import IndexContext
from ragraphs.graphs.index import graph
from ragraphs.index.layers import LAYERS
from ragraphs.index.opening import open_index
from ragraphs.index.vectors import passage_text
from ragraphs.views.status import export_lines

DOCUMENTS = 60


class Undisturbed(NamedTuple):
    """The sources, the export of an index of them, and the seconds that making it takes."""

    docs: Path
    export: list[str]
    seconds: float


def start(folder: Path, *flags: str) -> subprocess.Popen[bytes]:
    """An index run in another process, which has begun to write."""
    command = [str(Path(sys.executable).with_name("ragraphs")), "index", str(folder / "docs")]
    command += ["--index", str(folder / "index"), "--embeddings", "lexical", "--json", *flags]
    run = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    while not (folder / "index" / "catalogue.sqlite").exists():
        assert run.poll() is None
        time.sleep(0.005)
    return run


def begun_beside(folder: Path) -> bool:
    """Whether vectors are being made beside those in use."""
    connection = sqlite3.connect(folder / "index" / "catalogue.sqlite")
    query = "SELECT value FROM properties WHERE name = 'vectors_beside'"
    found = connection.execute(query).fetchone()
    connection.close()
    return found not in (None, ("null",))


def export(folder: Path) -> list[str]:
    return list(export_lines(open_index(IndexContext(index=str(folder / "index")))))


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Undisturbed:
    folder = tmp_path_factory.mktemp("undisturbed")
    docs = folder / "docs"
    docs.mkdir()
    rows = []
    for n in range(DOCUMENTS):
        text = "\n\n".join(" ".join(f"Word{random.random()}" for _ in range(60)) for _ in range(2))
        if n % 3:
            (docs / f"{n}.txt").write_text(text)
        else:
            rows.append(f'{{"id": "{n}", "text": "Row {n}. {"It has words. " * n}"}}\n')
    (docs / "rows.jsonl").write_text("".join(rows))
    run = start(folder)
    started = time.monotonic()
    assert run.wait() == 0
    return Undisturbed(docs, export(folder), time.monotonic() - started)


SOME_PARTS = [0.5, *(pytest.param(part, marks=pytest.mark.thorough) for part in (0.1, 0.9))]


@pytest.mark.slow
@pytest.mark.parametrize("part", SOME_PARTS)
def test_after_a_kill_the_next_run_gives_what_an_undisturbed_one_gives(part, undisturbed, tmp_path):
    shutil.copytree(undisturbed.docs, tmp_path / "docs")
    run = start(tmp_path)
    time.sleep(undisturbed.seconds * random.uniform(part - 0.1, part))
    os.kill(run.pid, signal.SIGKILL)
    assert run.wait() in {-signal.SIGKILL, 0}
    assert_completed(tmp_path, undisturbed)


@pytest.mark.slow
@pytest.mark.parametrize("flag", ["--repair", "--purge"])
def test_a_repair_or_a_purge_that_is_killed_is_completed_by_the_next_run(
    flag, undisturbed, tmp_path
):
    shutil.copytree(undisturbed.docs.parent, tmp_path, dirs_exist_ok=True)
    run = start(tmp_path, flag)
    while run.poll() is None and not begun_beside(tmp_path):
        time.sleep(0.005)
    time.sleep(random.uniform(0, 0.5))
    os.kill(run.pid, signal.SIGKILL)
    assert run.wait() in {-signal.SIGKILL, 0}
    assert_completed(tmp_path, undisturbed)
    assert not begun_beside(tmp_path)
    assert len(list((tmp_path / "index").glob("chroma*"))) == 1


def assert_completed(folder: Path, undisturbed: Undisturbed) -> None:
    """Asserts that one more run of the same kind gives the index that an undisturbed one gives.

    A run that was killed at once has not recorded yet which layers were wanted.
    """
    context = IndexContext(index=str(folder / "index"), embeddings="lexical", layers=list(LAYERS))
    graph.invoke({"sources": [str(folder / "docs")]}, context=context)
    assert export(folder) == undisturbed.export
    index = open_index(context)
    with index.vectors._opened("passages") as store:
        found = store.get(include=["embeddings"])
    passages = index.catalogue.passages(found["ids"])
    assert len(passages) == index.catalogue.count_passages()
    vectors = index.embedder.embed([passage_text(passage) for passage in passages])
    np.testing.assert_allclose(found["embeddings"], vectors, atol=1e-6)
