"""An index with communities that is built once, and questions to it."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

import pytest
from communities_support import MODEL, Script, build, build_from_triples, clustered
from ragraphs.context import GraphragContext, IndexContext
from ragraphs.graphs.graphrag import graph
from ragraphs.graphs.index import graph as index_graph
from ragraphs.index.opening import Index, open_index
from ragraphs.settings import settings
from ragraphs.state.index import IndexInput
from shared_stores import copy_of
from stub_openai import serving_openai

QUESTION = {"question": "Who knows whom?"}


class _Building:
    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def run(self, context: Any, **given: Any) -> Any:
        named = {"index": str(self.folder / "index"), "embeddings": "lexical", **context}
        return index_graph.invoke(cast(IndexInput, given), context=IndexContext(**named))


def build_once(folder: Path) -> Path:
    """The folder of an index of four clusters of ten names, a document for each."""
    with serving_openai() as openai, pytest.MonkeyPatch.context() as patch:
        patch.setenv("OPENAI_BASE_URL", openai.base_url)
        settings.cache_clear()
        Script(openai)
        building = _Building(folder)
        build_from_triples(building, clustered(40))
        build(building)
    settings.cache_clear()
    return folder / "index"


class Asking:
    """Questions to a copy of an index, with a scripted model."""

    def __init__(self, built: Path, folder: Path, openai: Any) -> None:
        self.name = copy_of(built, folder / "copied")
        self.model = Script(openai)

    def __call__(self, question: Any = QUESTION, **chosen: Any) -> Any:
        fields = {"index": self.name, "model": MODEL, "max_retries": 0, **chosen}
        return graph.invoke(question, context=GraphragContext(**fields))

    @property
    def index(self) -> Index:
        return open_index(IndexContext(index=self.name))
