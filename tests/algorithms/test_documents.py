"""Documents that lift their passages."""

from __future__ import annotations

import pytest
from ragraphs.algorithms.documents import WholeDocument, lifted, nearer_first

LOG = WholeDocument(["changes"], ["all", "that", "changed"])
PAGE = WholeDocument(["restoring", "copies"], ["how", "copies", "are", "made"])
DOCUMENT_OF = {"log 1": "log", "log 2": "log", "page 1": "page", "page 2": "page"}
RANKED = [("log 1", 10.0), ("log 2", 9.5), ("page 2", 9.0), ("page 1", 8.0)]
QUESTION = ["restoring", "copies"]


def order(documents: dict[str, WholeDocument], question: list[str] = QUESTION) -> list[str]:
    return [id for id, _ in lifted(RANKED, DOCUMENT_OF, documents, question)]


def test_a_document_on_the_subject_goes_before_a_log_that_names_it_often():
    assert order({"log": LOG, "page": PAGE}) == ["page 2", "log 1", "page 1", "log 2"]


def test_documents_that_say_nothing_of_the_question_stay_in_order():
    assert order({"log": LOG, "page": PAGE}, ["tides"]) == [id for id, _ in RANKED]


def test_a_document_near_the_question_goes_before_others():
    near = {"log": LOG._replace(cosine=0.2), "page": PAGE._replace(cosine=0.8)}
    assert order(near, ["tides"]) == ["page 2", "log 1", "log 2", "page 1"]


def test_cosines_lift_by_the_worth_of_the_vectors():
    near = {"log": LOG._replace(cosine=0.2), "page": PAGE._replace(cosine=0.8)}
    assert lifted(RANKED, DOCUMENT_OF, near, ["tides"], vector_worth=0.0)[0][0] == "log 1"
    scores = dict(lifted(RANKED, DOCUMENT_OF, near, ["tides"], vector_worth=0.5))
    assert scores["page 2"] == pytest.approx(0.9 + 0.15)


def test_the_lift_of_a_document_is_shared_out_over_its_passages():
    scores = dict(lifted(RANKED, DOCUMENT_OF, {"log": LOG, "page": PAGE}, QUESTION))
    assert scores["page 2"] == pytest.approx(0.9 + 0.3)
    assert scores["page 1"] == pytest.approx(0.8 + 0.3 / 2)
    assert scores["log 1"] == 1.0


def test_the_lift_counts_by_its_weight():
    documents = {"log": LOG, "page": PAGE}
    scores = dict(lifted(RANKED, DOCUMENT_OF, documents, QUESTION, weight=0.1))
    assert scores["page 2"] == pytest.approx(0.9 + 0.03)


@pytest.mark.parametrize("score", [0.0, -1.0])
def test_without_a_score_above_nothing_the_order_stays(score):
    ranked = [("log 1", score), ("page 1", score - 1)]
    assert lifted(ranked, DOCUMENT_OF, {"log": LOG, "page": PAGE}, QUESTION) == ranked


def test_of_passages_with_like_ranks_the_nearer_goes_first():
    cosines = {"log 1": 0.1, "log 2": 0.2, "page 2": 0.9, "page 1": 0.3}
    assert [id for id, _ in nearer_first(RANKED, cosines, 0.0)] == [id for id, _ in RANKED]
    assert next(iter(nearer_first(RANKED, cosines, 1.0)))[0] == "page 2"
    far = [*RANKED, *((f"log {n}", 1.0) for n in range(3, 60)), ("last", 0.5)]
    nearest = {**dict.fromkeys((id for id, _ in far), 0.1), "last": 1.0}
    assert next(iter(nearer_first(far, nearest, 0.15)))[0] == "log 1"
