"""Files that would take all time or memory: they are left out, and the run goes on."""

from __future__ import annotations

import asyncio
import time

import pytest
from pdf_files import ENDLESS
from ragraphs.graphs.index import graph as index_graph
from ragraphs.settings import settings
from ragraphs.state.errors import RagraphsError
from ragraphs.stores.loading import process

NOTE = "The Forth Bridge was designed by John Fowler."


@pytest.fixture
def set_by_operator(monkeypatch):
    """Sets settings of the operator."""

    def set_them(**values: int) -> None:
        for name, value in values.items():
            monkeypatch.setenv(f"RAGRAPHS_{name.upper()}", str(value))
        settings.cache_clear()

    yield set_them
    process.end_kept()


@pytest.mark.slow
def test_a_file_that_takes_too_long_is_named_and_the_others_are_read(indexing, set_by_operator):
    set_by_operator(file_seconds=10)
    (indexing.folder / "a.pdf").write_bytes(ENDLESS)
    (indexing.folder / "b.html").write_text(f"<p>{NOTE}")
    result = indexing.run("a.pdf", "b.html")
    assert result["added"] == 1
    (failure,) = result["failures"]
    assert failure["path"] == "a.pdf"
    assert failure["reason"].startswith("a.pdf took too long to read")
    assert "RAGRAPHS_FILE_SECONDS (now 10)" in failure["reason"]
    (indexing.folder / "a.pdf").unlink()
    assert indexing.run("b.html")["unchanged"] == 1


@pytest.mark.slow
def test_a_file_that_is_too_long_leaves_nothing_behind(indexing, set_by_operator):
    set_by_operator(max_characters=2000)
    (indexing.folder / "a.txt").write_text(f"{NOTE} " * 1000)
    (indexing.folder / "b.csv").write_text(f"text\n{NOTE}\n")
    result = indexing.run("a.txt", "b.csv")
    (failure,) = result["failures"]
    assert "more than 2,000 characters" in failure["reason"]
    assert indexing.texts() == [NOTE]
    (indexing.folder / "a.txt").write_text(f"{NOTE} " * 20)
    assert indexing.run("a.txt", "b.csv")["added"] == 1


def test_a_document_given_inline_is_bounded_before_anything_is_done(indexing, set_by_operator):
    set_by_operator(max_characters=2000)
    with pytest.raises(RagraphsError, match=r"'long' has more than 2,000 .*RAGRAPHS_MAX_CHAR"):
        indexing.run(documents=[{"id": "long", "text": "x" * 2001}])
    assert indexing.run(documents=[{"id": "long", "text": f"{NOTE} " * 40}])["added"] == 1


@pytest.mark.slow
@pytest.mark.parametrize("seconds", [0.3, 1.5])
async def test_a_cancelled_run_ends_in_the_middle_of_a_file(indexing, seconds):
    (indexing.folder / "a.pdf").write_bytes(ENDLESS)
    given = {"sources": [str(indexing.folder / "a.pdf")]}
    run = asyncio.create_task(index_graph.ainvoke(given, context=indexing.context()))
    await asyncio.sleep(seconds)
    began = time.monotonic()
    run.cancel()
    with pytest.raises(asyncio.CancelledError):
        await run
    assert time.monotonic() - began < 20
    (indexing.folder / "a.pdf").write_text(NOTE)
    assert (await index_graph.ainvoke(given, context=indexing.context()))["failures"]
