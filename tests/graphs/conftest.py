"""Fixtures for graph tests: a folder of files, and an index of it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from graphrag_support import build_once
from ragraphs.context import IndexContext
from ragraphs.graphs.index import graph as index_graph
from ragraphs.index.opening import Index, open_index
from ragraphs.models.lexical import LexicalEmbedder
from ragraphs.settings import settings
from ragraphs.views.status import export_lines
from scripted_model import DOCUMENTS, Script
from shared_stores import copy_of
from stub_openai import OpenAIStub

FORTH = "The Forth Bridge was designed by John Fowler and Benjamin Baker."


class Indexing:
    """Runs the index graph on a folder of files."""

    def __init__(self, folder: Path, name: str = ".ragraphs") -> None:
        self.folder = folder
        self.name = str(folder / name)

    def context(self, **fields: Any) -> IndexContext:
        return IndexContext(**{"index": self.name, "embeddings": "lexical", **fields})

    def run(self, *sources: str, context: dict[str, Any] | None = None, **given: Any) -> Any:
        paths = [str(self.folder / source) for source in sources]
        return index_graph.invoke(
            {"sources": paths, **given}, context=self.context(**(context or {}))
        )

    @property
    def index(self) -> Index:
        return open_index(self.context())

    def export(self) -> str:
        return "\n".join(export_lines(self.index))

    def texts(self) -> list[str]:
        return [passage["text"] for passage in self.index.catalogue.all_passages()]

    def vectors(self) -> dict[str, list[float]]:
        return {
            entry.id: list(vector)
            for entries, vectors in self.index.vectors.entries("passages")
            for entry, vector in zip(entries, vectors, strict=True)
        }

    def assert_whole(self) -> None:
        catalogue = self.index.catalogue
        assert self.index.vectors.ids("passages") == catalogue.passage_ids()
        counts = {row["id"]: row["passages"] for row in catalogue.documents()}
        assert sum(counts.values()) == catalogue.count_passages()


@pytest.fixture
def indexing(tmp_path: Path) -> Iterator[Indexing]:
    """Three files in ``docs``, not indexed yet."""
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "forth.txt").write_text(f"{FORTH} It crosses the Firth of Forth.")
    (docs / "sonata.md").write_text("# Sonata\n\nA sonata is a piece of music.")
    (docs / "rows.jsonl").write_text(
        '{"id": "1", "title": "First", "text": "The first row."}\n'
        '{"id": "2", "title": "Second", "text": "The second row."}\n'
    )
    settings.cache_clear()
    yield Indexing(tmp_path)


@pytest.fixture
def other(tmp_path: Path, indexing: Indexing) -> Indexing:
    """A second index beside the first."""
    return Indexing(tmp_path, "other")


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An index of ``scripted_model.DOCUMENTS`` with all layers; not to be written to."""
    folder = tmp_path_factory.mktemp("built") / "index"
    layers = ["hops", "entities", "communities"]
    context = IndexContext(index=str(folder), embeddings="lexical", model="offline", layers=layers)
    result = index_graph.invoke({"documents": DOCUMENTS}, context=context)
    assert set(layers) <= set(open_index(context).catalogue.property("layers"))
    assert result["added"] == len(DOCUMENTS)
    return folder


@pytest.fixture
def full_index(built: Path, tmp_path: Path) -> str:
    """An index of ``scripted_model.DOCUMENTS`` with all layers, and no reply of a model in it."""
    return copy_of(built, tmp_path / "full")


@pytest.fixture
def embedded(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The texts that are embedded on this machine."""
    seen: list[str] = []
    embed = LexicalEmbedder.embed

    def spy(self: LexicalEmbedder, texts: list[str]) -> Any:
        seen.extend(texts)
        return embed(self, texts)

    monkeypatch.setattr(LexicalEmbedder, "embed", spy)
    return seen


@pytest.fixture
def script(openai: OpenAIStub) -> Script:
    """A model that answers every prompt of every method."""
    return Script(openai)


@pytest.fixture(scope="session")
def communities_index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of an index with communities, to be copied."""
    return build_once(tmp_path_factory.mktemp("built"))
