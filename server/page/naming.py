"""The names of the passages that an event speaks of: title, place and first words."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from typing import Any

from ...index.opening import open_index
from ...language.analyser import one_line, shortened
from ...state.records import Passage

_LONGEST = 90


class PassageNames:
    """Names the passages of hops and walked triples, of which a run tells only the ids.

    names = PassageNames("notes")
    shown = await names.added({"hops": state["hops"]})
    """

    def __init__(self, index: str) -> None:
        self._index = index
        self._known: dict[str, Passage] = {}

    async def added(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """``values`` with a passage's ``title``, ``document``, ``start`` and first ``words``.

        They are added to every hop for its target, and to every triple for its passage.
        """
        hops, paths = values.get("hops") or [], values.get("paths") or []
        triples = [triple for path in paths for triple in path["triples"]]
        await self._learn([one["target"] for one in hops])
        await self._learn([one["passage"] for one in triples])
        added = dict(values)
        if hops:
            added["hops"] = [{**one, **self._name(one["target"])} for one in hops]
        if paths:
            added["paths"] = [
                {**path, "triples": [{**t, **self._name(t["passage"])} for t in path["triples"]]}
                for path in paths
            ]
        return added

    async def _learn(self, ids: Iterable[str]) -> None:
        new = [id for id in dict.fromkeys(ids) if id and id not in self._known]
        if new:
            found = await asyncio.to_thread(self._passages, new)
            self._known |= {passage["id"]: passage for passage in found}

    def _passages(self, ids: list[str]) -> list[Passage]:
        return open_index(self._index).catalogue.passages(ids)

    def _name(self, id: str) -> dict[str, Any]:
        if (passage := self._known.get(id)) is None:
            return {}
        return {
            "title": passage["title"],
            "document": passage["document"],
            "start": passage["start"],
            "words": shortened(one_line(passage["text"]), _LONGEST),
        }
