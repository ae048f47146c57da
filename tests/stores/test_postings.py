"""The postings in PostgreSQL rank as SQLite's FTS5 does."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ragraphs.stores import postings
from ragraphs.stores.catalogue import Catalogue
from ragraphs.stores.pieces import NewDocument, Piece
from ragraphs.stores.postgresql import open_shared
from ragraphs.stores.schema import open_memory
from raw_sql import sql

WORDS = ["bridge", "River", "rivers", "세종대왕이", "훈민정음을", "漢字文", "1,000", "u.s.", "of"]
texts = st.lists(st.sampled_from(WORDS), max_size=12).map(" ".join)
documents = st.lists(st.tuples(texts, st.lists(texts, min_size=1, max_size=3)), max_size=12)
Corpus = Sequence[tuple[str, Sequence[str]]]


@pytest.fixture(scope="module")
def kinds(postgres) -> Iterator[list[Catalogue]]:
    """An empty catalogue in SQLite, and one in PostgreSQL."""
    shared = open_shared(postgres.url, "postings", create=True)
    yield [Catalogue(open_memory()), Catalogue(shared)]
    shared.dispose()


def written(catalogue: Catalogue, corpus: Corpus) -> None:
    """Puts ``corpus``, titles with their passages, in the place of all documents."""
    catalogue.remove_documents([row["id"] for row in catalogue.documents()])
    for at, (title, pieces) in enumerate(corpus):
        places = [Piece(at, at, piece, metadata={"n": at % 3}) for at, piece in enumerate(pieces)]
        catalogue.write_documents([NewDocument(str(at), str(at), title, "", places)])


def same(kinds: Sequence[Catalogue], question: str, most: int) -> None:
    """Asserts that all rank alike, but for the rounding of scores."""
    [wanted, found] = (catalogue.search_terms(question, 100) for catalogue in kinds)
    scores = dict(wanted)
    assert dict(found) == pytest.approx(scores, rel=1e-9)
    falling = [scores[id] for id, _ in found]
    assert falling == pytest.approx(sorted(falling, reverse=True), rel=1e-9)
    cut = kinds[1].search_terms(question, most)
    assert cut == found[:most]


@pytest.mark.slow
@settings(max_examples=20)
@given(documents, texts, st.sets(st.integers(0, 11)), st.integers(1, 5))
def test_scores_and_order_are_those_of_fts5(kinds, corpus, question, removed, most):
    for catalogue in kinds:
        written(catalogue, corpus)
    same(kinds, question, most)
    same([catalogue.only({"n": {"$gte": 1}}) for catalogue in kinds], question, most)
    for catalogue in kinds:
        catalogue.remove_documents([str(at) for at in removed])
    same(kinds, question, most)
    before = kinds[1].search_terms(question, 100)
    kinds[1].rebuild_terms()
    assert kinds[1].search_terms(question, 100) == before


@pytest.mark.slow
def test_an_index_of_several_blocks_made_anew_is_the_same(kinds, monkeypatch):
    catalogue = kinds[1]
    written(catalogue, [])
    monkeypatch.setattr(postings, "_BLOCK", 4)
    written(catalogue, [(f"title{at % 3}", [f"common word{at}"]) for at in range(30)])
    catalogue.remove_documents([str(at) for at in range(4, 14)])
    with catalogue.engine.connect() as connection:
        rows = "SELECT * FROM term_blocks ORDER BY term, block"
        before = sql(connection, rows).all(), sql(connection, "SELECT * FROM term_totals").all()
    catalogue.rebuild_terms()
    with catalogue.engine.connect() as connection:
        after = sql(connection, rows).all(), sql(connection, "SELECT * FROM term_totals").all()
    assert after == before and len(before[0]) > 20
    written(catalogue, [])


def test_a_term_too_long_for_an_index_is_found(kinds):
    long = "x" * 10_000
    for catalogue in kinds:
        written(catalogue, [("a", [f"{long} one"]), ("b", [f"{long}y two"]), ("c", ["three"])])
    same(kinds, long, 1)
    assert len(kinds[1].search_terms(long, 9)) == 1


@pytest.mark.slow
def test_removed_passages_leave_no_term(kinds):
    catalogue = kinds[1]
    written(catalogue, [("a", [f"term{at} common" for at in range(700)])])
    written(catalogue, [])
    with catalogue.engine.connect() as connection:
        assert sql(connection, "SELECT count(*) FROM term_blocks").scalar() == 0
        assert sql(connection, "SELECT * FROM term_totals").all() == [(0, 0, 0)]


@pytest.mark.slow
def test_of_a_large_index_the_commonest_terms_are_left_out_beside_rarer_ones(kinds, monkeypatch):
    catalogue = kinds[1]
    written(catalogue, [(str(at), [f"common word{at}"]) for at in range(30)])
    monkeypatch.setattr(postings, "_MOST_POSTINGS", 10)
    assert len(catalogue.search_terms("common word7", 99)) == 30
    monkeypatch.setattr("ragraphs.stores.large.FLAT_FROM", 20)
    assert len(catalogue.search_terms("common word7", 99)) == 1
    assert len(catalogue.search_terms("common", 99)) == 30


def test_of_a_large_index_in_a_file_passages_with_a_rarer_term_are_scored_by_all(monkeypatch):
    catalogue = Catalogue(open_memory())
    texts = [f"common word{at} {'rare' if at % 6 == 0 else 'else'}" for at in range(30)]
    texts += ["rare alone", "rare rare common common"]
    written(catalogue, [(str(at), [text]) for at, text in enumerate(texts)])
    question = "common rare"
    all_found = catalogue.search_terms(question, 99)
    monkeypatch.setattr("ragraphs.stores.fts5._MOST_SCORED", 10)
    assert catalogue.search_terms(question, 99) == all_found and len(all_found) == 32
    monkeypatch.setattr("ragraphs.stores.large.FLAT_FROM", 20)
    assert catalogue.search_terms(question, 99) == all_found[:7]
    assert len(catalogue.search_terms("common", 99)) == 31
