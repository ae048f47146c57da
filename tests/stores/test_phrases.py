"""Passages that have given words in a row."""

from __future__ import annotations

import pytest
from ragraphs.stores.catalogue import Catalogue
from ragraphs.stores.pieces import NewDocument, Piece
from sqlalchemy import Engine

TEXTS = {
    "a": "The Forth\n  Bridge carries trains.",
    "b": "Forth is a river. A bridge is over it.",
    "c": "ÉLAN and 100% proof_reading \\ slash.",
    "d": "경복궁은 서울에 있다.",
}


@pytest.fixture
def catalogue(engine: Engine) -> Catalogue:
    catalogue = Catalogue(engine)
    catalogue.write_documents(
        [
            NewDocument(id, id, f"Title {id}", id, [Piece(0, len(text), text)])
            for id, text in TEXTS.items()
        ]
    )
    return catalogue


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("forth bridge", "a"),
        ("FORTH BRIDGE", "a"),
        ("forth", "ab"),
        ("élan", "c"),
        ("100%", "c"),
        ("proof%reading", ""),
        ("proof_reading \\", "c"),
        ("title b", "b"),
        ("경복궁은  서울", "d"),
        ("복궁", "d"),
        ("tower", ""),
    ],
)
def test_case_and_white_space_do_not_matter_and_everything_else_does(catalogue, words, expected):
    assert [one["document"] for one in catalogue.holding(words)] == list(expected)
