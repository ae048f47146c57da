"""Indexes that are open at once, and indexes that can only be read."""

from __future__ import annotations

import gc
import json
import os
import resource
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from few_rights import run_python
from ragraphs.context import IndexContext
from ragraphs.graphs.basic import graph as basic
from ragraphs.graphs.index import graph as index_graph
from ragraphs.index.opening import open_index
from ragraphs.settings import settings
from ragraphs.views.status import describe, export_lines

pytestmark = pytest.mark.in_folder("folders are copied, and permissions taken away")

FORTH = "The Forth Bridge was designed by John Fowler and Benjamin Baker."
QUESTION = {"question": "Who designed the Forth Bridge?"}
COMMAND = "import sys\nfrom ragraphs.cli.main import main\nmain()"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The folder of an index with the layer ``sentences``."""
    context = IndexContext(
        index=str(tmp_path / "index"), embeddings="lexical", layers=["sentences"]
    )
    index_graph.invoke({"documents": [{"id": "forth", "text": FORTH}]}, context=context)
    return tmp_path / "index"


def resources() -> tuple[int, int]:
    """The numbers of descriptors and of threads of this process."""
    return len(os.listdir("/proc/self/fd")), len(os.listdir("/proc/self/task"))


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="the system does not count them")
def test_descriptors_and_threads_level_off_however_many_indexes_are_asked(
    folder, tmp_path, monkeypatch
):
    monkeypatch.setenv("RAGRAPHS_OPEN_INDEXES", "3")
    settings.cache_clear()
    seen = []
    for number in range(12):
        name = str(shutil.copytree(folder, tmp_path / f"copy{number}"))
        assert basic.invoke(QUESTION, context={"index": name})["evidence"]
        if number in (4, 11):
            gc.collect()
            seen.append(resources())
    (descriptors, threads), (later_descriptors, later_threads) = seen
    # Seven more indexes that stayed open would take seventy descriptors and thirty threads.
    assert later_descriptors < descriptors + 10 and later_threads < threads + 5


def test_an_index_in_use_stays_open_while_others_are_opened(folder, tmp_path, monkeypatch):
    monkeypatch.setenv("RAGRAPHS_OPEN_INDEXES", "1")
    settings.cache_clear()
    used = open_index(str(folder))
    for number in range(3):
        open_index(str(shutil.copytree(folder, tmp_path / f"copy{number}")))
    assert open_index(str(folder)) is used
    assert used.vectors.ids("passages") == used.catalogue.passage_ids()


READING = """
import json, sys
from ragraphs.context import Context, IndexContext
from ragraphs.graphs.basic import graph
from ragraphs.graphs.index import graph as index
from ragraphs.index.opening import open_index
from ragraphs.views.status import describe, export_lines
folder, question = sys.argv[1:]
answer = graph.invoke({"question": question}, context={"index": folder, "retriever": "graph"})
opened = open_index(folder)
refused = []
for given in ({"documents": [{"id": "new", "text": "New."}]}, {"remove": ["forth"]}):
    try:
        index.invoke(given, context=IndexContext(index=folder))
    except Exception as error:
        refused.append(repr(error))
print(json.dumps({
    "answer": answer["answer"], "warnings": answer["warnings"], "refused": refused,
    "status": describe(opened), "export": list(export_lines(opened)),
}))
"""


@contextmanager
def only_readable(folder: Path) -> Iterator[None]:
    paths = [folder, *folder.rglob("*")]
    modes = [path.stat().st_mode for path in paths]
    for path in paths:
        path.chmod(0o555 if path.is_dir() else 0o444)
    try:
        yield
    finally:
        for path, mode in zip(paths, modes, strict=True):
            path.chmod(mode)


@pytest.mark.parametrize(
    "log",
    [
        pytest.param("in the database", marks=pytest.mark.slow),
        pytest.param("with pages", marks=pytest.mark.slow),
        "without its index",
    ],
)
def test_an_index_that_can_only_be_read_is_answered_from_and_not_written_to(folder, log):
    expected = basic.invoke(QUESTION, context={"index": str(folder), "retriever": "graph"})
    index = open_index(str(folder))
    status, export = describe(index), list(export_lines(index))
    index.vectors.close()
    if log == "in the database":
        index.catalogue._engine.dispose()
    else:
        assert (folder / "catalogue.sqlite-wal").stat().st_size
    if log == "without its index":
        shutil.copytree(folder, folder.with_name("copy"))
        folder = folder.with_name("copy")
        (folder / "catalogue.sqlite-shm").unlink()
        status["index"] = str(folder)
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    with only_readable(folder):
        ended = run_python(READING, str(folder), QUESTION["question"])
    assert ended.returncode == 0, ended.stderr
    read = json.loads(ended.stdout)
    assert read["answer"] == expected["answer"] != ""
    assert [w for w in read["warnings"] if "temporary copy" in w]
    status["bytes"] = read["status"]["bytes"]  # the log may have been written back
    assert read["status"] == {**status, "read_only": True}
    assert read["export"] == export
    assert all("can only be read; ask its owner" in error for error in read["refused"])
    assert len(read["refused"]) == 2
    assert {path: path.read_bytes() for path in before} == before


@pytest.mark.slow
def test_a_lock_of_somebody_else_is_told_in_one_sentence(folder):
    (folder / "lock").touch()
    (folder / "lock").chmod(0o444)
    ended = run_python(COMMAND, "index", "--index", str(folder))
    assert ended.returncode == 1
    assert "cannot be locked for writing" in ended.stderr and ended.stderr.count("\n") == 1


@pytest.mark.slow
@pytest.mark.parametrize("command", [["status"], ["index"]])
def test_a_folder_that_may_not_be_entered_is_told_in_one_sentence(folder, command):
    folder.chmod(0)
    try:
        ended = run_python(COMMAND, *command, "--index", str(folder))
    finally:
        folder.chmod(0o755)
    assert ended.returncode == 1 and ended.stderr.count("\n") == 1
    assert "cannot be read or written" in ended.stderr and "its permissions" in ended.stderr


@pytest.mark.parametrize("kilobytes", [pytest.param(60, marks=pytest.mark.slow), 400])
def test_on_a_full_disk_one_sentence_is_told_and_nothing_is_lost(folder, tmp_path, kilobytes):
    """No file may grow beyond the limit, which stands for a full disk."""
    before = list(export_lines(open_index(str(folder))))
    docs = tmp_path / "docs"
    docs.mkdir()
    for number in range(12):
        words = " ".join(f"Word{number}x{n}" for n in range(200))
        (docs / f"{number}.txt").write_text(f"Tower {number} stands. {words}.")
    command = [sys.executable, "-c", COMMAND, "index", str(docs), "--index", str(folder)]
    ended = subprocess.run(
        command,
        capture_output=True,
        text=True,
        preexec_fn=lambda: resource.setrlimit(
            resource.RLIMIT_FSIZE, (kilobytes * 1024, resource.RLIM_INFINITY)
        ),
    )
    assert ended.returncode == 1
    assert ended.stderr.startswith("ragraphs: ") and ended.stderr.count("\n") == 1
    assert set(before) <= set(export_lines(open_index(str(folder))))
    index_graph.invoke({"sources": [str(docs)]}, context=IndexContext(index=str(folder)))
    index = open_index(str(folder))
    assert index.vectors.ids("passages") == index.catalogue.passage_ids()
    assert index.catalogue.count_documents() == 13
