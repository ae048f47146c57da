"""Filters in SQL, in the lexical index and in Chroma: all three agree with their meaning."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from ragraphs.state.filters import matches
from ragraphs.stores.catalogue import Catalogue
from ragraphs.stores.chroma import ChromaVectors
from ragraphs.stores.pieces import NewDocument, Piece
from ragraphs.stores.vectors import Entry
from sqlalchemy import Engine

KEYS = ["year", "tag", "path", "저자", 'a "b" \\ $.c']
TEXTS = [
    "",
    "a",
    "b",
    "2024-05",
    "2024-05-01",
    "세종",
    "1",
    "true",
    "[",
    "a/b",
    "a/[b]/c?_%.md",
    "\U0001f600",
    "\uffff",
]
NUMBERS = [-1, 0, 1, 2, 0.5, 1.0, 1e300, 2**53 + 1]

PATTERNS = ["a*", "*", "a/**", "*b", "a/[*/c?_%*", "*\\*"]

scalars = st.one_of(st.sampled_from([*TEXTS, *PATTERNS]), st.sampled_from(NUMBERS), st.booleans())
ordered = st.one_of(st.sampled_from(TEXTS), st.sampled_from(NUMBERS))
asked = st.one_of(
    scalars,
    st.dictionaries(st.sampled_from(["$eq", "$ne", "$contains"]), scalars, min_size=1),
    st.dictionaries(st.sampled_from(["$gt", "$gte", "$lt", "$lte"]), ordered, min_size=1),
    st.dictionaries(
        st.sampled_from(["$in", "$nin"]), st.lists(scalars, min_size=1, max_size=3), min_size=1
    ),
)
keys = st.sampled_from([*KEYS, "title", "document"])
Mixed = tuple[Catalogue, dict[str, dict[str, Any]]]

filters = st.dictionaries(keys, asked, min_size=1, max_size=3)


def document(id: str, title: str, values: dict[str, Any], piece: str = "word") -> NewDocument:
    return NewDocument(id, f"{id}.md", title, "", [Piece(0, 4, piece, metadata=values)])


def drawn(random: Random) -> dict[str, Any]:
    """Metadata of any kind."""
    some = [*TEXTS, *NUMBERS, True, False]
    lists = [random.sample(TEXTS, random.randint(0, 3)) for _ in range(6)]
    return {key: random.choice([*some, *lists]) for key in KEYS if random.random() < 0.7}


@pytest.fixture(scope="module")
def mixed(module_engine: Engine) -> Mixed:
    """Sixty passages with metadata of all kinds, and the values of each by its id."""
    random, catalogue = Random(0), Catalogue(module_engine)
    catalogue.write_documents(
        [document(str(at), TEXTS[at % len(TEXTS)], drawn(random)) for at in range(60)]
    )
    return catalogue, {
        one["id"]: {**one["metadata"], "title": one["title"], "document": one["document"]}
        for one in catalogue.all_passages()
    }


@pytest.mark.slow
@given(where=filters)
def test_sql_and_the_lexical_index_find_the_passages_that_meet_a_filter(
    mixed: Mixed, where: dict[str, Any]
) -> None:
    catalogue, values = mixed
    only = catalogue.only(where)
    wanted = {id for id, held in values.items() if matches(held, where)}
    assert only.passage_ids() == wanted
    assert {id for id, _ in only.search_terms("word", 100)} == wanted
    counts = only.count_holding(["word", "the", "word elsewhere", "elsewhere"], 3)
    assert counts == [min(len(wanted), 3), 0, min(len(wanted), 3), 0]


@pytest.fixture
def catalogue(engine: Engine) -> Catalogue:
    """An empty catalogue."""
    return Catalogue(engine)


def test_passages_asked_for_by_id_must_meet_the_filter(catalogue: Catalogue) -> None:
    catalogue.write_documents([document("a", "", {"n": 1}), document("b", "", {"n": 2})])
    ids = list(catalogue.passage_ids())
    only = catalogue.only({"n": 2})
    assert [one["document"] for one in only.passages(ids)] == ["b"]
    assert only.passage_ids() == {one["id"] for one in only.passages(ids)}


def test_the_title_of_a_filter_is_the_documents(catalogue: Catalogue) -> None:
    piece = Piece(0, 4, "word", header="Name | Age")
    catalogue.write_documents([NewDocument("d", "d.md", "Report", "", [piece])])
    [passage] = catalogue.only({"title": "Report"}).all_passages()
    assert passage["title"] == "Report (Name | Age)"


def test_the_best_passages_that_meet_a_filter_come_however_many_are_better(
    catalogue: Catalogue,
) -> None:
    better = [document(str(at), "", {"tag": "x"}, "word word") for at in range(30)]
    worse = [document(f"y{at}", "", {"tag": "y"}, f"word and more {at}") for at in range(5)]
    catalogue.write_documents([*better, *worse])
    found = catalogue.only({"tag": "y"}).search_terms("word", 4)
    assert len(found) == 4


@pytest.fixture(scope="module")
def vectors(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ChromaVectors]:
    """700 vectors of eight numbers on a half circle: the nearer to 0, the nearer to the first."""
    vectors = ChromaVectors(tmp_path_factory.mktemp("index"), "index")
    angles = np.linspace(0, np.pi, 700, dtype=np.float32)
    rows = np.zeros((700, 8), dtype=np.float32)
    rows[:, 0], rows[:, 1] = np.cos(angles), np.sin(angles)
    vectors.add("passages", [Entry(f"p{at:04}", "", {"n": at}) for at in range(700)], rows)
    yield vectors
    vectors.close()


FIRST = np.array([1, 0, 0, 0, 0, 0, 0, 0], dtype=np.float32)


@pytest.mark.parametrize("every", [500, 100, 10, 2, 1])
def test_the_nearest_of_those_allowed_are_found_however_few_they_are(
    vectors: ChromaVectors, every: int
) -> None:
    allowed = [f"p{at:04}" for at in range(699, 0, -every)]
    found = vectors.search("passages", FIRST, 20, frozenset(allowed))
    assert [id for id, _ in found] == sorted(allowed)[:20]
    cosines = dict(vectors.search("passages", FIRST, 700))
    assert dict(found) == pytest.approx({id: cosines[id] for id, _ in found}, abs=1e-5)


@pytest.mark.parametrize("count", [2, 500])
def test_ids_without_a_vector_do_no_harm(vectors: ChromaVectors, count: int) -> None:
    allowed = {f"p{at:04}" for at in range(count)}
    found = vectors.search("passages", FIRST, 2, allowed | {"new", "newer"})
    assert [id for id, _ in found] == ["p0000", "p0001"]
    unknown = {f"new {at}" for at in range(count)}
    assert vectors.search("passages", FIRST, 2, unknown) == []
    assert vectors.search("passages", FIRST, 2, frozenset()) == []


def test_an_index_without_vectors_has_none_of_those_allowed(tmp_path: Path) -> None:
    assert ChromaVectors(tmp_path, "index").search("passages", FIRST, 2, {"p"}) == []
