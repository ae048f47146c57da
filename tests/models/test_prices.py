"""Prices of models, as far as they are known."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from ragraphs.models.prices import known_prices
from ragraphs.settings import settings
from ragraphs.state.errors import RagraphsError
from ragraphs.state.records import ModelUsage, Usage
from ragraphs.state.usage import add_usage, dollars

MINI = "openai:gpt-4o-mini"


def used(model: str, sent: int, received: int) -> dict[str, ModelUsage]:
    return {
        model: {
            "calls": 1,
            "reused": 0,
            "input_tokens": sent,
            "output_tokens": received,
            "reused_tokens": 0,
        }
    }


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file of prices that the operator names."""
    file = tmp_path / "prices.json"
    file.write_text(json.dumps({"prices": {"openai:llama": {"input": 1, "output": 2}}}))
    monkeypatch.setenv("RAGRAPHS_PRICES", str(file))
    settings.cache_clear()
    return file


def test_a_million_tokens_cost_their_price():
    prices = known_prices(settings())
    assert prices.cost(MINI, sent=1_000_000) == 0.15
    assert prices.cost(MINI, received=500_000) == 0.3
    assert prices.cost("openai:unheard-of", sent=1) is None


def test_a_server_of_ones_own_has_not_the_prices_of_openai(monkeypatch):
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    settings.cache_clear()
    prices = known_prices(settings())
    assert MINI not in prices and "google_genai:gemini-2.5-flash" in prices


def test_the_file_of_the_operator_goes_over_the_table(own):
    prices = known_prices(settings())
    assert prices.cost("openai:llama", sent=1000, received=1000) == 0.003
    assert MINI in prices


@pytest.mark.parametrize(
    "written", ["{", "[]", '{"prices": {"a:b": {"input": -1}}}', '{"prices": {"a:b": {}}}']
)
def test_a_file_that_is_no_table_of_prices_is_said_in_a_sentence(own, written):
    own.write_text(written)
    with pytest.raises(RagraphsError, match=r"The prices in .* cannot be read \(.*write them as"):
        known_prices(settings())


def test_a_file_that_is_not_there_is_said_in_a_sentence(own):
    own.unlink()
    with pytest.raises(RagraphsError, match="No such file"):
        known_prices(settings())


def test_what_is_known_and_what_is_not_are_never_added():
    prices = known_prices(settings())
    known: Usage = {
        "models": used(MINI, 1000, 0),
        "embeddings": {"openai:text-embedding-3-small": 5},
    }
    known["cost"] = prices.cost_of(known) or 0.0
    unknown: Usage = {"models": used("openai:unheard-of", 1000, 0)}
    assert known["cost"] > 0 and prices.cost_of(unknown) is None
    assert add_usage(known, known)["cost"] == pytest.approx(2 * known["cost"])
    assert add_usage(add_usage({}, known), {})["cost"] == known["cost"]
    assert "cost" not in add_usage(known, unknown)
    assert "cost" not in add_usage(add_usage({}, unknown), known)


@pytest.mark.parametrize(
    ("cost", "shown"),
    [
        (0, "$0.00"),
        (0.000012, "$0.000012"),
        (0.0123, "$0.012"),
        (1.5, "$1.50"),
        (1234.5, "$1,234.50"),
    ],
)
def test_an_amount_is_shown_with_the_digits_that_say_something(cost, shown):
    assert dollars(cost) == shown
