"""Budget of a run, while several requests are on their way."""

from __future__ import annotations

import asyncio

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


async def spent_side_by_side(budget: Budget, requests: int, *, received: int) -> tuple[int, int]:
    """The requests that were sent, and the most of them at one time."""
    sent: list[int] = []
    under_way: set[int] = set()

    async def ask(number: int) -> None:
        async with budget.turn("a:b", 10):
            under_way.add(number)
            sent.append(len(under_way))
            await asyncio.sleep(0.001)
            budget.spend("a:b", sent=10, received=received)
            under_way.remove(number)

    await asyncio.gather(*map(ask, range(requests)), return_exceptions=True)
    return len(sent), max(sent)


@pytest.mark.parametrize(
    ("max_tokens", "max_cost", "sent"), [(1000, None, 2), (None, 1000, 1), (1000, 10**9, 2)]
)
async def test_a_limit_is_passed_by_one_reply_at_most(max_tokens, max_cost, sent):
    budget = Budget(max_tokens, max_cost, {}, PRICES)
    assert await spent_side_by_side(budget, 8, received=900) == (sent, 1)


async def test_far_from_a_limit_requests_go_side_by_side():
    budget = Budget(10**6, None, {}, PRICES)
    assert await spent_side_by_side(budget, 8, received=900) == (8, 8)


async def test_a_turn_that_is_given_up_keeps_nobody_waiting():
    budget = Budget(100, None, {}, PRICES)

    async def ask() -> None:
        async with budget.turn("a:b", 10):
            await asyncio.sleep(5)

    first = asyncio.create_task(ask())
    await asyncio.sleep(0)
    second, third = asyncio.create_task(ask()), asyncio.create_task(ask())
    await asyncio.sleep(0)
    second.cancel()
    first.cancel()
    await asyncio.sleep(0.01)
    assert not third.done()
    third.cancel()
    async with asyncio.timeout(1), budget.turn("a:b", 10):
        pass
