"""GraphRAG's searches go on where a run replaces all communities between any two of their reads."""

from __future__ import annotations

import uuid
from itertools import count
from typing import Any

import pytest
from communities_support import MODEL
from graphrag_support import Asking
from ragraphs.index.hierarchy import WRITTEN
from ragraphs.state.reports import Community
from ragraphs.stores.communities import CommunityStore


class Replacing:
    """Replaces all communities by others with the same reports, before one moment of a question.

    Moments are the reads of the store, and the model's replies.
    """

    def __init__(self, ask: Asking, monkeypatch: pytest.MonkeyPatch) -> None:
        self._index, self._model = ask.index, ask.model
        self._moment, self._at = 0, -1
        for name in ("get", "outlines", "communities_of"):
            read = getattr(CommunityStore, name)
            monkeypatch.setattr(CommunityStore, name, self._late(read))
        ask.model.openai.answer = self._late(ask.model)

    def begin(self, at: int) -> None:
        self._moment, self._at = 0, at

    @property
    def has_replaced(self) -> bool:
        return self._moment > self._at

    def _late(self, work: Any) -> Any:
        def late(*given: Any) -> Any:
            at, self._moment = self._moment, self._moment + 1
            if at == self._at:
                self._replace()
            return work(*given)

        return late

    def _replace(self) -> None:
        store = self._index.communities
        before = store.all()
        new = [
            Community(
                f"{one.id}+",
                level=one.level,
                parent=one.parent and f"{one.parent}+",
                members=tuple(store.members_of(one.id)),
            )
            for one in before
        ]
        store.replace(new)
        store.put_reports({f"{one.id}+": (one.report, MODEL) for one in before if one.report})
        self._index.catalogue.set_property(WRITTEN, uuid.uuid4().hex)


@pytest.mark.slow
@pytest.mark.parametrize("search", ["global", "dynamic", "drift", "lazy", "local"])
def test_a_run_that_replaces_all_reports_at_any_moment_takes_no_answer(
    communities_index, tmp_path, openai, search, monkeypatch
):
    ask = Asking(communities_index, tmp_path, openai)
    replacing, warned = Replacing(ask, monkeypatch), False
    ask(search=search, context_tokens=500)
    for at in count():
        replacing.begin(at)
        question = {"question": f"Who knows whom, and {at}?"}  # others have no replies yet
        result = ask(question, search=search, context_tokens=500)
        if not replacing.has_replaced:
            break
        assert (result["stop_reason"], bool(result["citations"])) == ("answered", True)
        cited = {one["passage"] for one in result["citations"]}
        assert cited <= {one["id"] for one in result["evidence"]}
        warned |= any("replaced reports" in one for one in result["warnings"])
    assert at > 2 and warned == (search in {"global", "dynamic", "drift"})
