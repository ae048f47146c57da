"""Questions to two indexes behind a pooler, while one of them is written."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest
from pooler import pooling
from postgres_server import serving_postgres
from ragraphs.context import IndexContext, QuestionContext
from ragraphs.graphs.basic import graph as basic
from ragraphs.graphs.index import graph
from ragraphs.settings import settings

FACTS = {"bees": "The bees of the valley dance at noon.", "ants": "The ants of the valley sleep."}


def index(name: str, count: int) -> None:
    documents = [{"id": f"{name}{n}", "text": f"{FACTS[name]} Day {n}."} for n in range(count)]
    graph.invoke({"documents": documents}, context=IndexContext(index=name, embeddings="lexical"))


@pytest.mark.slow
@pytest.mark.parametrize("count", [100, pytest.param(2000, marks=pytest.mark.thorough)])
@pytest.mark.in_folder("has servers of its own")
def test_questions_are_answered_from_their_own_index_while_a_run_writes(
    count, tmp_path, monkeypatch
):
    with serving_postgres() as database, pooling(database) as url, ThreadPoolExecutor(6) as threads:
        monkeypatch.setenv("RAGRAPHS_DATABASE", url)
        monkeypatch.setenv("RAGRAPHS_CACHE", str(tmp_path / "cache"))
        settings.cache_clear()
        for name in FACTS:
            index(name, 3)

        def ask(at: int) -> tuple[str, set[str]]:
            name = list(FACTS)[at % 2]
            asked = {"question": f"What happens in the valley on day {at}?"}
            result = basic.invoke(asked, context=QuestionContext(index=name))
            return name, {
                passage["document"].rstrip("0123456789") for passage in result["evidence"]
            }

        writing = threads.submit(lambda: [index("bees", n) for n in range(4, 40, 4)])
        for name, documents in threads.map(ask, range(count)):
            assert documents == {name}
        writing.result()
