"""The order of passages, by document and place, followed through changes of a few."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, NamedTuple, Self

import numpy as np
from sqlalchemy import Engine, select

from . import tables
from .queries import count_rows, lookups, rows_with

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Longs = NDArray[np.int64]

_MOST = 100  # documents, each of which is looked for by itself
_TABLE = tables.passages.c


class PassageOrder(NamedTuple):
    """The ``ids`` (P,) of all passages in order, and ``by_id`` (P,) their places in order of ids.

    >>> PassageOrder.of(["b", "a"]).places(["a", "c"]).tolist()
    [1, -1]
    """

    ids: NDArray[np.str_]
    by_id: Longs

    @classmethod
    def of(cls, ids: Sequence[str]) -> Self:
        """The order of ``ids``, which are distinct."""
        names = np.array(ids, dtype=np.str_)
        return cls(names, np.argsort(names))

    def places(self, ids: Collection[str]) -> Longs:
        """The place of each of ``ids``; −1 of one that is not there."""
        wanted = np.array([*ids], dtype=np.str_)
        if not len(self.ids):
            return np.full(len(wanted), -1)
        at = self.ids.searchsorted(wanted, sorter=self.by_id).clip(max=len(self.ids) - 1)
        return np.where(self.ids[self.by_id[at]] == wanted, self.by_id[at], -1)

    def followed(
        self, engine: Engine, changed: Collection[str]
    ) -> tuple[PassageOrder, Longs] | None:
        """The order of now, since the ``changed`` passages came, went or moved. Blocks.

        With the place of each of its passages before, −1 of a new one. None where all are to be
        read, since many documents have changed, or other passages than these.
        """
        query = select(_TABLE.document).distinct()
        documents = sorted({one for (one,) in rows_with(engine, query, _TABLE.id, changed)})
        if len(documents) > _MOST:
            return None
        ids, after = list[str](), list[str]()
        for document in documents:
            own = _in_document(engine, document)
            ids += own
            after += [_last_before(engine, document, documents)] * len(own)
        stays = np.ones(len(self.ids) + 1, dtype=np.bool_)
        stays[self.places({*changed, *ids})] = False
        stays[-1] = True  # which −1 takes
        behind = self.places(after)
        found = self._followed(ids, stays[:-1], behind + 1)
        is_whole = stays[behind].all() and all((behind >= 0) == [one != "" for one in after])
        is_whole &= len(found[0].ids) == count_rows(engine, tables.passages)
        return found if is_whole else None

    def _followed(
        self, ids: Sequence[str], stays: NDArray[np.bool_], at: Longs
    ) -> tuple[PassageOrder, Longs]:
        """The ids that stay, with ``ids`` before the places ``at``, and the places before."""
        count, new = len(self.ids), np.array(ids, dtype=np.str_)
        numbers = _inserted(np.arange(count), stays, at, count + np.arange(len(new)))
        places = np.empty(count + len(new), dtype=np.int64)
        places[numbers] = np.arange(len(numbers))
        by_id = np.argsort(new)
        at = self.ids.searchsorted(new[by_id], sorter=self.by_id)
        order = _inserted(places[self.by_id], stays[self.by_id], at, places[count + by_id])
        kept = np.append(np.arange(count), self.places(ids))[numbers]
        return PassageOrder(_fitting(np.append(self.ids, new)[numbers]), order), kept


def _inserted(numbers: Longs, stays: NDArray[np.bool_], at: Longs, new: Longs) -> Longs:
    """The ``numbers`` that stay, and each of ``new`` before the place of these that ``at`` says."""
    return np.insert(numbers[stays], np.append(0, np.cumsum(stays))[at], new)


def _fitting(names: NDArray[np.str_]) -> NDArray[np.str_]:
    """The same ``names``, none of which would fit into less room."""
    width = names.dtype.itemsize // 4
    used = np.flatnonzero(names.view(np.uint32).reshape(len(names), width).any(axis=0))
    return names.astype(f"U{used.max(initial=0) + 1}", copy=False)


def _in_document(engine: Engine, document: str) -> list[str]:
    query = select(_TABLE.id).where(_TABLE.document == document)
    with lookups(engine) as connection:
        return list(connection.scalars(query.order_by(_TABLE.start, _TABLE.id)))


def _last_before(engine: Engine, document: str, others: Sequence[str]) -> str:
    """The last passage before ``document`` of a document that is none of ``others``, or ''."""
    query = select(_TABLE.id).where(_TABLE.document < document, _TABLE.document.not_in(others))
    last = query.order_by(_TABLE.document.desc(), _TABLE.start.desc(), _TABLE.id.desc()).limit(1)
    with lookups(engine) as connection:
        return connection.scalar(last) or ""
