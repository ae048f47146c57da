"""The order of passages, followed through changes, is the one of all passages."""

from __future__ import annotations

import random

import numpy as np
from ragraphs.stores.catalogue import Catalogue
from ragraphs.stores.passage_order import PassageOrder
from ragraphs.stores.pieces import NewDocument, Piece
from sqlalchemy import Engine


def a_document(chance: random.Random, id: str) -> NewDocument:
    texts = [f"Text {chance.randrange(4)}." for _ in range(chance.randrange(1, 4))]
    pieces = [Piece(10 * at, 10 * at + 7, text) for at, text in enumerate(texts)]
    return NewDocument(id, id, id, str(texts), pieces)


def order_of(catalogue: Catalogue) -> PassageOrder:
    return PassageOrder.of(list(catalogue.passage_numbers()))


def test_a_followed_order_is_the_one_that_is_read(engine: Engine) -> None:
    chance, catalogue, followed = random.Random(3), Catalogue(engine), 0
    for _ in range(60):
        before = order_of(catalogue)
        ids = chance.sample([f"d{number}" for number in range(12)], 3)
        catalogue.remove_documents(ids[:1])
        catalogue.write_documents([a_document(chance, id) for id in ids[1:]])
        now = order_of(catalogue)
        written = catalogue.passages_of(ids[1:]).values()
        changed = {*before.ids.tolist()} - {*now.ids.tolist()}
        changed |= {passage["id"] for passages in written for passage in passages}
        found = before.followed(engine, changed)
        assert found is not None
        order, places = found
        assert order.ids.dtype == now.ids.dtype and order.ids.tolist() == now.ids.tolist()
        assert order.by_id.tolist() == now.by_id.tolist()
        assert places.tolist() == before.places(now.ids.tolist()).tolist()
        followed += len(now.ids)
    assert followed > 600


def test_changes_that_are_not_told_are_not_overlooked(engine: Engine) -> None:
    chance, catalogue = random.Random(1), Catalogue(engine)
    catalogue.write_documents([a_document(chance, id) for id in "abcd"])
    before = order_of(catalogue)
    catalogue.remove_documents(["b"])
    assert before.followed(engine, ()) is None
    before = order_of(catalogue)
    catalogue.write_documents([a_document(chance, "e")])
    assert before.followed(engine, before.ids[-1:].tolist()) is None


def test_ids_take_no_more_room_than_the_longest_of_them(engine: Engine) -> None:
    catalogue = Catalogue(engine)
    catalogue.write_documents([a_document(random.Random(1), "a")])
    now = order_of(catalogue)
    before = PassageOrder.of([*now.ids.tolist(), "z" * 99])
    found = before.followed(engine, ["z" * 99])
    assert found is not None and found[0].ids.dtype == now.ids.dtype
    assert np.array_equal(found[0].ids, now.ids)
