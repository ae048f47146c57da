"""The communities layer without a model, and where it is missing."""

from __future__ import annotations

from itertools import combinations

import pytest
from communities_support import NAMES, clustered
from ragraphs.index.communities import load_communities
from ragraphs.index.layers import COMMUNITIES
from ragraphs.state.errors import RagraphsError


@pytest.mark.slow
def test_without_a_model_two_entities_get_no_report_and_reports_are_extracts(indexing):
    circle = " ".join(f"{a} has always liked {b}." for a, b in combinations(NAMES[:4], 2))
    documents = [
        {"id": "1", "title": "Circle", "text": circle},
        {"id": "2", "title": "Pair", "text": f"{NAMES[5]} has seen nobody but {NAMES[6]}."},
    ]
    indexing.run(documents=documents, context={"layers": ["communities"]})
    view = load_communities(indexing.index)
    sizes = {one.size: one.id in view.communities for one in indexing.index.communities.all()}
    assert sizes == {4: True, 2: False}
    (id,) = view.at(0)
    assert all(name in NAMES[:4] for name in view.report(id)["title"].split(", "))
    for finding in view.report(id)["findings"]:
        (passage,) = indexing.index.catalogue.passages(finding["passages"])
        assert finding["statement"] in passage["text"]


@pytest.mark.slow
def test_korean_documents_give_korean_reports_offline(indexing):
    names = ["세종대왕", "훈민정음", "집현전", "정인지"]
    text = "세종대왕은 훈민정음을 창제하였다. 세종대왕은 집현전을 설치하였다. "
    text += "정인지는 집현전에서 일하였다."
    indexing.run(
        documents=[{"id": "1", "title": "세종대왕", "text": text}],
        context={"layers": ["communities"]},
    )
    said = " ".join(str(one.report) for one in indexing.index.communities.all())
    assert any(name in said for name in names)


def test_a_missing_layer_is_named_with_the_command_that_builds_it(indexing):
    indexing.run(documents=clustered(5, each=5)[:1])
    with pytest.raises(RagraphsError, match="ragraphs index --layers communities"):
        COMMUNITIES.stamp(indexing.index)
