"""Reports are written from as many lines as the model's window has room for."""

from __future__ import annotations

import pytest
from communities_support import MODEL, Script, build, clustered, lines_of
from ragraphs.settings import settings

LINES = 30  # of a cluster: ten entities and twenty relations


@pytest.mark.slow
@pytest.mark.parametrize("window", [None, 2048])
def test_a_report_is_written_from_what_the_window_has_room_for(
    indexing, openai, monkeypatch, window
):
    if window:
        monkeypatch.setenv("RAGRAPHS_CONTEXT_WINDOW", str(window))
        settings.cache_clear()
    model = Script(openai)
    model.answers["Facts"] = lambda human: {
        **(facts := model.facts(human)),
        "entities": [
            {**one, "description": f"{one['name']} {'hums ' * 40}"} for one in facts["entities"]
        ],
    }
    build(indexing, clustered(20), max_cluster_size=10)
    lines = [len(lines_of(human)) for human in model.of("CommunityReport")]
    assert lines and (max(lines) < LINES) == bool(window)
    for one in indexing.index.communities.all():
        assert one.writer == MODEL
        assert all(finding["passages"] for finding in one.report["findings"])
