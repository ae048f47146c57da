"""``ragraphs evaluate retrieval --rerank``: a cross-encoder orders anew what was found."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from question_set import PASSAGES, QUESTIONS
from tiny_cross_encoder import LISTED

NAME = f"fastembed:{LISTED}"


@pytest.fixture
def encoder(cross_encoder, question_set) -> str:
    texts = [text for _, text in PASSAGES.values()] + [one["question"] for one in QUESTIONS]
    return str(cross_encoder([*texts, *(title for title, _ in PASSAGES.values())]))


@pytest.mark.slow
def test_retrieval_is_measured_after_reranking(run, encoder):
    def retrieval(*arguments):
        ended = run("evaluate", "retrieval", "set", *arguments, "--embeddings", "lexical", "--json")
        assert (ended.code, ended.err) == (0, "")
        return json.loads(ended.out)

    plain, reranked = retrieval(), retrieval("--rerank", encoder)
    assert (plain["rerank"], reranked["rerank"]) == ("", NAME)
    assert (reranked["precision"]["2"], reranked["f1"]["2"]) == (0.6667, 0.7778)
    assert retrieval("--rerank", encoder, "--rerank-candidates", "1")["precision"]["20"] == 1.0
    walked = retrieval("--rerank", encoder, "--retriever", "hoprag")
    assert walked["recall"]["20"] == 1.0
    shown = run("evaluate", "retrieval", "set", "--rerank", encoder, "--plot", "curve.svg")
    assert LISTED in shown.out.replace("\n", "") and "precision" in Path("curve.svg").read_text()
