"""What a run may spend, while several requests are on their way."""

from __future__ import annotations

import pytest
from ragraphs.models.budget import Budget
from ragraphs.models.prices import Price, Prices
from ragraphs.models.protocol import NoReplyError
from ragraphs.state.errors import RagraphsError

PRICES = Prices({"a:b": Price(input=1e6, output=2e6)})  # one and two dollars a token


def test_tokens_on_their_way_are_taken_and_given_back():
    budget = Budget(100, None, {}, PRICES)
    with budget.reserved("a:b", 60):
        with pytest.raises(NoReplyError, match=r"100 tokens a run \(--max-tokens\)"):
            budget.reserved("a:b", 60).__enter__()
        with budget.reserved("a:b", 40):
            pass
    with budget.reserved("a:b", 100):
        budget.spend("a:b", sent=50, received=10)
    with pytest.raises(NoReplyError), budget.reserved("a:b", 41):
        pass
    with budget.reserved("a:b", 40):
        pass


def test_a_request_that_failed_takes_nothing():
    budget = Budget(100, None, {}, PRICES)
    for _ in range(3):
        with pytest.raises(OSError), budget.reserved("a:b", 90):
            raise OSError


def test_money_is_what_tokens_cost():
    budget = Budget(None, 10, {}, PRICES)
    with budget.reserved("a:b", 4):
        budget.spend("a:b", sent=4, received=2)
    with pytest.raises(NoReplyError, match=r"\$10\.00 a run \(--max-cost\)") as refused:
        budget.reserved("a:b", 3).__enter__()
    assert refused.value.stop_reason == "budget"
    with pytest.raises(RagraphsError, match="price of c:d is not known"):
        budget.reserved("c:d", 1).__enter__()


def test_what_was_spent_before_counts():
    usage = {"calls": 1, "reused": 0, "input_tokens": 5, "output_tokens": 2, "reused_tokens": 9}
    budget = Budget(10, 10, {"models": {"a:b": usage}}, PRICES)
    with pytest.raises(NoReplyError, match="--max-tokens"):
        budget.reserved("a:b", 4).__enter__()
    with pytest.raises(NoReplyError, match="--max-cost"):
        budget.reserved("a:b", 2).__enter__()
