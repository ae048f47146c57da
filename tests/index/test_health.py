"""Whether an index says that its stores are away."""

from __future__ import annotations

import shutil
import time

import pytest
from chroma_server import serving_chroma
from postgres_server import serving_postgres
from ragraphs.context import Context, IndexContext
from ragraphs.graphs.index import graph
from ragraphs.index.health import check
from ragraphs.index.opening import open_index
from ragraphs.settings import settings
from ragraphs.state.errors import UnavailableError

GIVEN = {"documents": [{"id": "a", "text": "Bees dance. Ants carry leaves."}]}


@pytest.mark.in_folder("its vectors are deleted")
def test_an_index_whose_vectors_are_lost_is_not_healthy(tmp_path):
    graph.invoke(GIVEN, context=IndexContext(index="notes", embeddings="lexical"))
    index = open_index(Context(index="notes"))
    check(index)
    for folder in index.folder.glob("chroma*"):
        shutil.rmtree(folder)
    with pytest.raises(UnavailableError, match="ragraphs index --repair"):
        check(index)


@pytest.mark.slow
@pytest.mark.in_folder("has servers of its own")
def test_a_store_that_is_away_is_told_within_seconds(tmp_path, monkeypatch):
    with serving_postgres() as database:
        with serving_chroma(tmp_path) as chroma:
            monkeypatch.setenv("RAGRAPHS_DATABASE", database.url)
            monkeypatch.setenv("RAGRAPHS_CHROMA_URL", chroma.url)
            monkeypatch.setenv("RAGRAPHS_CACHE", str(tmp_path / "cache"))
            settings.cache_clear()
            graph.invoke(GIVEN, context=IndexContext(index="notes", embeddings="lexical"))
            index = open_index(Context(index="notes"))
            check(index)
        began = time.monotonic()
        with pytest.raises(UnavailableError, match="Chroma server"):
            check(index)
        database.stop()
        with pytest.raises(UnavailableError, match="PostgreSQL"):
            check(index)
        assert time.monotonic() - began < 10
        database.start()
