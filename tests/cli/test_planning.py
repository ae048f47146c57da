"""The needs of a corpus, reckoned from what was measured."""

from __future__ import annotations

import json
from importlib import resources
from typing import Any

import pytest
from ragraphs.cli import planning
from ragraphs.cli.planning import needs, stores_for
from ragraphs.models.prices import Price, Prices

PRICES = Prices({"openai:small": Price(input=1.0, output=2.0), "openai:vectors": Price(input=0.5)})


def layer(seconds: float, megabytes: float) -> dict[str, float]:
    stored = {"tables_mb": megabytes, "vectors_mb": megabytes / 2, "arrays_mb": megabytes}
    return {"seconds": seconds, "processor_seconds": seconds, "peak_mb": megabytes, **stored}


@pytest.fixture(autouse=True)
def constants(monkeypatch):
    """Time that doubles with the passages and more, and memory that begins at 100 MB."""
    sizes = {
        "1000": {"layers": {"passages": layer(36, 200)}, "serving_mb": 200},
        "10000": {"layers": {"passages": layer(720, 1100)}, "serving_mb": 1100},
    }
    known = {
        "measured": {"lexical": {"machine": "a machine", "sizes": sizes}},
        "replies": {"by_token_read": 1.0, "by_token_of_writing": 0.5},
    }
    monkeypatch.setattr(planning, "_known", lambda: known)


def test_a_size_that_was_measured_has_the_figures_measured():
    found = needs(10_000, PRICES)
    assert found["processor_hours"]["passages"]["value"] == pytest.approx(0.2)
    assert found["indexing_memory"] == {"value": pytest.approx(1.1), "extrapolated": False}


def test_time_grows_on_by_its_power_and_memory_by_its_line_and_both_are_marked():
    found = needs(100_000, PRICES)
    assert found["processor_hours"]["passages"] == {
        "value": pytest.approx(4.0),
        "extrapolated": True,
    }
    assert found["serving_memory"] == {"value": pytest.approx(10.1), "extrapolated": True}


def test_twice_as_many_words_cost_what_twice_as_many_passages_cost():
    assert needs(1000, PRICES, words=154)["disk"] == needs(2000, PRICES)["disk"]


def test_nothing_is_paid_where_no_model_is_asked():
    money = needs(1000, PRICES)["money"]
    assert (money["requests"], money["tokens_sent"], money["dollars"]) == (0, 0, 0)


def test_money_is_of_all_tokens_and_unknown_where_a_price_is():
    asked = {"model": "openai:small", "embeddings": "openai:vectors"}
    money = needs(1000, PRICES, **asked)["money"]
    sent, got, embedded = (
        money[name] for name in ("tokens_sent", "tokens_received", "embedding_tokens")
    )
    assert min(sent, got, embedded) > 0
    assert money["dollars"] == pytest.approx((sent + 2 * got + embedded / 2) / 1e6)
    assert needs(1000, PRICES, model="openai:else")["money"]["dollars"] is None


def test_the_hours_of_a_model_are_its_requests_at_the_rate_given():
    found = needs(1000, PRICES, model="openai:small", requests_a_second=0.5)
    requests = found["money"]["requests"]
    assert found["model_hours"]["value"] == pytest.approx(requests / 0.5 / 3600)


def test_the_requests_and_tokens_are_those_of_all_that_is_asked():
    money = needs(3600, PRICES, model="openai:small")["money"]
    requests = {name: part["requests"] for name, part in money["parts"].items()}
    assert requests == {"passages": 3600, "names": 360, "summaries": 3300, "reports": 2300}
    for name in ("requests", "tokens_sent", "tokens_received"):
        assert money[name] == sum(part[name] for part in money["parts"].values()) > 0
    assert all(part["tokens_sent"] for part in money["parts"].values())


@pytest.mark.parametrize("passages", [5000, 100_000, 1_000_000])
def test_vectors_are_counted_once_in_a_process_or_in_a_chroma_server(passages):
    found = needs(passages, PRICES)
    apart = found["stores"] != "folder"
    assert found["server_memory"]["value"] == pytest.approx(apart * (passages / 20_000 + 0.05))
    together = found["serving_memory"]["value"] + found["server_memory"]["value"]
    assert together == pytest.approx(passages / 10_000 + 0.1)


def test_stores_grow_with_the_corpus():
    assert [stores_for(10**n) for n in (4, 6, 8)] == ["folder", "shared", "engine"]


def test_the_constants_of_the_package_are_of_several_sizes():
    file = resources.files("ragraphs") / "cli" / "growth.json"
    known: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    sizes = known["measured"]["lexical"]["sizes"]
    assert len(sizes) > 1
    assert all("passages" in figures["layers"] for figures in sizes.values())
