"""An index of every format, as the version that had it left it, lives on with this one."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any

import pytest
from ragraphs.context import BasicContext, HopragContext, IndexContext
from ragraphs.graphs.basic import graph as basic
from ragraphs.graphs.hoprag import graph as hoprag
from ragraphs.graphs.index import graph
from ragraphs.index.copying import copy_index
from ragraphs.index.layers import LAYERS, built_layers
from ragraphs.index.opening import Index, open_index
from ragraphs.state.errors import RagraphsError
from ragraphs.stores.schema import FORMAT
from same_index import assert_same
from stub_openai import OpenAIStub

from lab.benchmarks.stub_model import MODEL
from lab.benchmarks.stub_replies import stub_reply

pytestmark = pytest.mark.in_folder("the indexes are files of earlier versions")
FORMATS = Path(__file__).parents[1] / "data" / "formats"
FORTH = "The Forth Bridge was designed by John Fowler and Benjamin Baker."
each_format = pytest.mark.parametrize("format", range(1, FORMAT + 1))


@pytest.fixture
def left(format: int, openai: OpenAIStub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with documents and their index in this format; a model that reads what is new."""
    shutil.unpack_archive(FORMATS / f"format-{format}.tar.xz", tmp_path, filter="data")
    monkeypatch.chdir(tmp_path)

    def answer(body: Any) -> Any:
        kind = body["response_format"]["json_schema"]["name"]
        return stub_reply(kind, body["messages"][1]["content"])

    openai.answer = answer
    return tmp_path


def brought_up_to_date(index: str = "index") -> Index:
    context = IndexContext(index=index, model=MODEL, embeddings="lexical", layers=list(LAYERS))
    graph.invoke({"sources": ["docs"]}, context=context)
    return open_index(context)


def asked(openai: OpenAIStub) -> set[str]:
    """The kinds of replies that were asked for; other names may be compared than of old."""
    return {body["response_format"]["json_schema"]["name"] for body in openai.chats}


def evidence(method: Any, context: Any, index: str = "index") -> list[str]:
    given = {"question": "Who designed the Forth Bridge?"}
    found = method.invoke(given, context=context(index=index, model="offline"))["evidence"]
    return [one["text"] for one in found]


def test_every_format_has_its_index():
    kept = {file.name for file in FORMATS.glob("*.tar.xz")}
    assert kept == {f"format-{n}.tar.xz" for n in range(1, FORMAT + 1)}


@pytest.mark.slow
@pytest.mark.parametrize("format", [FORMAT])
def test_a_folder_that_moved_meanwhile_is_not_read_again(left, format, openai):
    (left / "docs").rename(left / "papers")
    context = IndexContext(index="index", model=MODEL, embeddings="lexical", layers=list(LAYERS))
    result = graph.invoke({"sources": ["papers"]}, context=context)
    assert (result["added"], result["removed"]) == (0, 0) and result["updated"]
    assert asked(openai) <= {"SameThings", "Description", "CommunityReport"}


@pytest.mark.slow
@each_format
def test_it_is_brought_up_to_date_without_asking_for_a_reply_again(left, format, openai):
    if format < FORMAT:
        with pytest.raises(RagraphsError, match="bring it up to date with: ragraphs index"):
            evidence(basic, BasicContext)
    index = brought_up_to_date()
    assert asked(openai) <= {"SameThings"}
    assert set(built_layers(index)) == {"passages", *LAYERS}
    for method, context in ((basic, BasicContext), (hoprag, HopragContext)):
        assert any(FORTH in text for text in evidence(method, context))


@pytest.mark.slow
@each_format
def test_its_documents_change_move_and_go(left, format, openai):
    brought_up_to_date()
    (left / "docs" / "below").mkdir()
    os.replace(left / "docs" / "forth.txt", left / "docs" / "below" / "forth.txt")
    index = brought_up_to_date()
    # Requests of format 1 had no lines before the passage: its readings are known by their places.
    assert asked(openai) <= {"SameThings", *(["PassageReading"] if format == 1 else [])}
    assert any(FORTH in text for text in evidence(basic, BasicContext))
    (left / "docs" / "people.jsonl").unlink()
    (left / "docs" / "tay.md").write_text("# Tay Bridge\n\nThomas Bouch designed it.")
    index = brought_up_to_date()
    texts = [one["text"] for one in index.catalogue.all_passages()]
    assert len(texts) == 2 and any("Thomas Bouch" in text for text in texts)
    assert evidence(hoprag, HopragContext)


@pytest.mark.slow
@each_format
def test_a_copy_of_it_is_the_same(left, openai):
    copy_index("index", "./copy")
    assert_same(brought_up_to_date("./copy"), brought_up_to_date())
    assert asked(openai) <= {"SameThings"}
