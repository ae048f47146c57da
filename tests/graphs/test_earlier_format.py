"""A question never changes an index of an earlier format; its next writer brings it up to date."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from earlier_formats import as_in_format
from ragraphs.context import Context
from ragraphs.graphs.basic import graph as basic
from ragraphs.index import opening
from ragraphs.index.corrections import correct
from ragraphs.index.upgrading import bring_up_to_date
from ragraphs.nodes.index.split import _READER
from ragraphs.settings import settings
from ragraphs.state.errors import RagraphsError
from ragraphs.stores.lock import writing
from ragraphs.stores.schema import FORMAT, format_of
from scripted_model import DOCUMENTS
from sqlalchemy import Engine

SENTENCE = r"by an earlier version of ragraphs; bring it up to date with: ragraphs index --index "
FORMATS = pytest.mark.parametrize("format", [1, 2])


def as_left_by(indexing: Any, format: int) -> str:
    """An index in an earlier ``format``, closed; its export of today."""
    indexing.run(documents=DOCUMENTS, context={"layers": ["hops", "entities"]})
    index, whole = indexing.index, indexing.export()
    as_in_format(index.engine, format)
    index.vectors.close()
    index.engine.dispose()
    opening._open.clear()
    opening._alive.clear()
    return whole


def stored_format(indexing: Any) -> str | None:
    engine = engine_of(indexing)
    found = format_of(engine)
    engine.dispose()
    return found


def engine_of(indexing: Any) -> Engine:
    location = opening.locate(indexing.name, settings())
    return location.open_catalogue(settings(), create=False, any_format=True)


COMMANDS = [
    ["ask", "Who designed the Forth Bridge?"],
    ["ask", "--method", "hoprag", "Who designed the Forth Bridge?"],
    ["status"],
    ["export"],
    ["entities", "list"],
    ["entities", "merges"],
    ["index", "--dry-run"],
]


@pytest.mark.slow
@FORMATS
@pytest.mark.in_folder("the bytes of a file are compared")
def test_no_command_that_reads_changes_a_byte(indexing, run, format):
    as_left_by(indexing, format)
    file = Path(indexing.name) / "catalogue.sqlite"
    before = file.read_bytes()
    for command in COMMANDS:
        result = run(*command, "--index", indexing.name)
        assert (result.code, file.read_bytes() == before) == (1, True), command
        assert f"{SENTENCE}{indexing.name}. Nothing is lost." in " ".join(result.err.split())
    doctor = run("doctor", "--index", indexing.name)
    assert SENTENCE in " ".join(doctor.out.split()) and file.read_bytes() == before


@pytest.mark.slow
@FORMATS
def test_a_question_is_told_what_to_do(indexing, format):
    as_left_by(indexing, format)
    with pytest.raises(RagraphsError, match=SENTENCE):
        basic.invoke({"question": "Who built it?"}, context={"index": indexing.name})
    assert stored_format(indexing) == str(format)


@pytest.mark.slow
@FORMATS
def test_a_run_without_a_source_brings_it_up_to_date(indexing, format):
    whole = as_left_by(indexing, format)
    indexing.run()
    assert stored_format(indexing) == str(FORMAT)
    assert indexing.export().replace(': "2:', f': "{_READER}:') == whole
    asked = {"question": "Who designed the Forth Bridge?"}
    assert basic.invoke(asked, context={"index": indexing.name})["evidence"]


@pytest.mark.slow
def test_a_correction_brings_it_up_to_date(indexing):
    as_left_by(indexing, 1)
    corrected = correct(Context(index=indexing.name), "merge", "Forth Bridge", "Firth of Forth")
    assert len(corrected["entities"]) == 1
    assert stored_format(indexing) == str(FORMAT)


@pytest.mark.slow
def test_beside_another_writer_it_stays_as_it_is(indexing):
    as_left_by(indexing, 2)
    engine = engine_of(indexing)

    async def beside() -> None:
        async with writing(engine, indexing.name):
            with pytest.raises(RagraphsError, match="Another run is writing"):
                await asyncio.to_thread(bring_up_to_date, indexing.name)

    asyncio.run(beside())
    engine.dispose()
    assert stored_format(indexing) == "2"


def test_where_there_is_no_index_nothing_is_made(indexing):
    bring_up_to_date(indexing.name)
    with pytest.raises(RagraphsError, match="There is no index"):
        engine_of(indexing)
