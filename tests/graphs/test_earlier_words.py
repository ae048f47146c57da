"""A reply is used when the words of its prompt have changed, until new ones are asked for."""

from __future__ import annotations

import shutil
from importlib import resources
from pathlib import Path

import pytest
from communities_support import MODEL, Script, clustered
from ragraphs.settings import settings
from ragraphs.stores.readings import Reading
from ragraphs.views.status import describe

LAYERS = {"layers": ["hops", "communities"], "model": MODEL}
CHANGED = ("read_passage", "summarise_description", "write_report")


@pytest.fixture
def model(openai) -> Script:
    return Script(openai)


@pytest.fixture
def prompts(tmp_path, monkeypatch) -> Path:
    """The operator's folder of prompts, as yet with those that are built in."""
    folder = tmp_path / "prompts"
    folder.mkdir()
    for name in CHANGED:
        with resources.as_file(resources.files("ragraphs.prompts") / f"{name}.md") as file:
            shutil.copy(file, folder)
    monkeypatch.setenv("RAGRAPHS_PROMPTS", str(folder))
    settings.cache_clear()
    return folder


def reword(prompts: Path) -> None:
    for file in prompts.iterdir():
        file.write_text(file.read_text().replace("# System", "# System\n\nRead with care.", 1))


def requests(indexing, model, count, **context) -> int:
    before = len(model.asked)
    indexing.run(documents=clustered(count, 5), context=LAYERS | context)
    return len(model.asked) - before


@pytest.mark.slow
def test_changed_words_cost_nothing_until_new_replies_are_asked_for(indexing, model, prompts):
    first = requests(indexing, model, 20)
    assert {"PassageReading", "CommunityReport"} <= model.counts.keys()
    assert requests(indexing, model, 20) == 0
    reword(prompts)
    assert requests(indexing, model, 20) == 0
    status = describe(indexing.index)
    assert status["read_in_earlier_words"] == 4
    assert status["written_in_earlier_words"] == first - 4
    assert requests(indexing, model, 20, dry_run=True, refresh=True) == 0
    assert requests(indexing, model, 20, refresh=True) == first
    assert all("Read with care" in body["messages"][0]["content"] for body in last(model, first))
    assert requests(indexing, model, 20, refresh=True) == 0
    status = describe(indexing.index)
    assert status["read_in_earlier_words"] == status["written_in_earlier_words"] == 0


def last(model, count):
    return model.openai.chats[-count:]


def test_a_dry_run_tells_what_new_replies_would_cost(indexing, model, prompts):
    first = requests(indexing, model, 20)
    for refresh, expected in ((False, 0), (True, first)):
        reword(prompts)
        context = LAYERS | {"dry_run": True, "refresh": refresh}
        plan = indexing.run(documents=clustered(20, 5), context=context)["plan"]
        about_names = int(refresh)  # a request for ten passages, of which rules may need none
        assert plan["missing_replies"] == expected + about_names
        assert (plan["reply_tokens"] > 0) == refresh


@pytest.mark.slow
def test_an_addition_asks_only_for_what_it_changes_though_the_words_have_changed(
    indexing, other, model, prompts
):
    requests(other, model, 20)
    usual = requests(other, model, 30)
    requests(indexing, model, 20)
    reword(prompts)
    assert requests(indexing, model, 30) == usual


@pytest.mark.slow
def test_a_refresh_that_fails_leaves_what_was_read(indexing, model, prompts):
    requests(indexing, model, 20)
    read = dict(indexing.index.readings.values("facts"))
    reword(prompts)
    model.answers["PassageReading"] = model.answers["Facts"] = "no"
    requests(indexing, model, 20, refresh=True)
    assert dict(indexing.index.readings.values("facts")) == read


@pytest.mark.slow
def test_an_index_made_before_is_read_as_it_was_and_read_anew_when_asked(indexing, model):
    requests(indexing, model, 20)
    readings = indexing.index.readings
    for kind in ("questions", "facts"):
        readings.put([Reading(id, kind, MODEL, value) for id, value in readings.values(kind)])
    assert requests(indexing, model, 20) == 0
    assert describe(indexing.index)["read_in_earlier_words"] == 4
