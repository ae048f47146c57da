"""The operator's ceilings for a day."""

from __future__ import annotations

import asyncio
import multiprocessing
import sqlite3
import threading
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from ragraphs.models import day as days
from ragraphs.models.caller import Caller, calling
from ragraphs.models.day import Day, count_request, day_of
from ragraphs.models.protocol import NoReplyError
from ragraphs.settings import settings
from ragraphs.state.errors import RagraphsError, UnavailableError
from ragraphs.state.usage import Amounts, Ceilings
from ragraphs.stores.queries import patience
from ragraphs.stores.spending import FILE, spending_of

MODEL = "openai:gpt-4o-mini"


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("RAGRAPHS_ROOT", str(tmp_path))
    return tmp_path


def bounded(monkeypatch: pytest.MonkeyPatch, **limits: float) -> Day:
    for name, most in limits.items():
        monkeypatch.setenv(f"RAGRAPHS_{name.upper()}_PER_DAY", str(most))
    settings.cache_clear()
    day = day_of(settings())
    assert day is not None
    return day


async def asked(day: Day, sent: int = 100, received: int = 10) -> None:
    async with day.turn(MODEL, sent) as taken:
        await asyncio.sleep(0.001)
        taken.spent(sent=sent, received=received)


def test_without_a_ceiling_there_is_nothing_to_count(root):
    assert day_of(settings()) is None


async def test_calls_end_at_the_ceiling(root, monkeypatch):
    day = bounded(monkeypatch, max_calls=3)
    outcomes = await asyncio.gather(*(asked(day) for _ in range(8)), return_exceptions=True)
    refused = [one for one in outcomes if isinstance(one, NoReplyError)]
    assert len(refused) == 5 and refused[0].stop_reason == "budget"
    assert str(refused[0]) == (
        "The operator's limit for today (3 calls) is reached; it begins anew at 00:00 UTC."
    )
    assert day.told() == "3 calls of 3"


@pytest.mark.slow
@pytest.mark.parametrize(("limit", "most"), [("max_tokens", 1000), ("max_cost", 0.00019)])
async def test_tokens_and_money_pass_a_ceiling_by_one_reply_at_most(root, monkeypatch, limit, most):
    day = bounded(monkeypatch, **{limit: most})
    outcomes = await asyncio.gather(*(asked(day) for _ in range(16)), return_exceptions=True)
    assert sum(one is None for one in outcomes) == 9  # each takes 110 tokens
    assert spending_of(settings()).of(days._today())[0].tokens == 990


async def test_far_from_a_ceiling_requests_go_side_by_side(root, monkeypatch):
    day = bounded(monkeypatch, max_tokens=1_000_000)
    async with day.turn(MODEL, 100), asyncio.timeout(20), day.turn(MODEL, 100):
        on_their_way = spending_of(settings()).of(days._today())[1]
        assert on_their_way > 0


async def test_a_request_that_was_not_sent_takes_nothing(root, monkeypatch):
    day = bounded(monkeypatch, max_calls=1)
    for _ in range(3):
        with pytest.raises(OSError):
            async with day.turn(MODEL, 100):
                raise OSError
    await asked(day)


@pytest.mark.slow
async def test_who_is_cancelled_while_a_request_is_taken_takes_nothing(root, monkeypatch):
    day = bounded(monkeypatch, max_tokens=10_000)
    begun, take = threading.Event(), Day.take

    def slowly(*given: Any) -> bool:
        begun.set()
        time.sleep(0.2)
        return take(*given)

    monkeypatch.setattr(Day, "take", slowly)
    asking = asyncio.create_task(asked(day))
    await asyncio.to_thread(begun.wait)
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking
    await asyncio.sleep(0.5)
    assert day.told() == "0 tokens of 10,000"
    assert spending_of(settings()).of(days._today())[1] == 0


async def test_a_caller_has_ceilings_of_his_own_below_the_operators(root, monkeypatch):
    day = bounded(monkeypatch, max_calls=5)
    own = {name: Caller(name, 2, Ceilings(calls=2, tokens=10**6)) for name in ("ada", "bob")}
    for name, caller in own.items():
        calling.set(caller)
        outcomes = await asyncio.gather(
            *(asked(day_of(settings())) for _ in range(4)), return_exceptions=True
        )
        refused = [str(one) for one in outcomes if one is not None]
        assert len(refused) == 2 and refused[0].startswith("Your limit for today (2 calls)"), name
    calling.set(None)
    assert day.told() == "4 calls of 5"
    calling.set(Caller("eve", ceilings=Ceilings(calls=9)))
    await asked(day_of(settings()))
    with pytest.raises(NoReplyError, match="The operator's limit for today"):
        await asked(day_of(settings()))


def test_requests_of_a_caller_end_at_his_quota(root):
    ada, bob = Caller("ada", 3), Caller("bob", 1)
    assert [count_request(settings(), ada) for _ in range(5)] == [True] * 3 + [False] * 2
    assert count_request(settings(), bob) and not count_request(settings(), bob)


async def test_a_day_begins_anew(root, monkeypatch):
    day = bounded(monkeypatch, max_calls=1)
    await asked(day)
    with pytest.raises(NoReplyError):
        await asked(day)
    monkeypatch.setattr(days, "_today", lambda: "2999-01-01")
    await asked(day)


async def test_what_died_on_its_way_counts_and_keeps_nobody_waiting(root, monkeypatch):
    day = bounded(monkeypatch, max_tokens=5000)
    monkeypatch.setattr(days, "_HELD_SECONDS", 0.05)
    died = day.turn(MODEL, 100)  # of a process that was killed
    await died.__aenter__()
    async with asyncio.timeout(20):
        for _ in range(3):
            await asked(day, received=900)
        with pytest.raises(NoReplyError):
            await asked(day)


async def test_money_needs_a_price(root, monkeypatch):
    day = bounded(monkeypatch, max_cost=1)
    with pytest.raises(RagraphsError, match="price of a:b is not known"):
        async with day.turn("a:b", 10):
            pass


async def test_embeddings_of_an_index_are_refused_and_those_of_questions_counted(root, monkeypatch):
    day = bounded(monkeypatch, max_tokens=100)
    with day.embedding("openai:e", 60, indexing=True):
        pass
    with pytest.raises(NoReplyError), day.embedding("openai:e", 60, indexing=True):
        pass
    with day.embedding("openai:e", 60, indexing=False):
        pass
    assert day.told() == "120 tokens of 100"


async def test_a_run_that_is_cancelled_at_any_moment_holds_nothing(root, monkeypatch):
    day = bounded(monkeypatch, max_tokens=10**6)
    await asked(day)
    for moment in range(30):
        run = asyncio.create_task(asked(day))
        await asyncio.sleep(moment / 10_000)
        run.cancel()
        await asyncio.wait([run])
    spending = spending_of(settings())
    async with asyncio.timeout(20):
        while (found := spending.of(days._today()))[1]:
            await asyncio.sleep(0.01)
    assert found[0].tokens == 110 * found[0].calls


def test_a_folder_that_cannot_be_written_is_told(root, monkeypatch):
    day = bounded(monkeypatch, max_calls=1)
    (root / FILE).mkdir()
    with pytest.raises(RagraphsError, match=f"file {FILE} .* cannot be written"):
        asyncio.run(asked(day))


def test_a_file_that_another_program_holds_is_waited_for_as_a_store_is(root, monkeypatch):
    day = bounded(monkeypatch, max_calls=9)
    asyncio.run(asked(day))
    before = patience.set(0.2)
    began = time.monotonic()
    try:
        with closing(sqlite3.connect(root / FILE, isolation_level=None)) as other:
            other.execute("BEGIN EXCLUSIVE")
            with pytest.raises(UnavailableError, match=f"{FILE} .* held by another program"):
                day.settle(days._today(), Amounts(1))
    finally:
        patience.reset(before)
    assert time.monotonic() - began < 5
    day.settle(days._today(), Amounts(1))


def _ask_often(most: int) -> int:
    async def ask() -> int:
        day = day_of(settings())
        assert day is not None
        outcomes = await asyncio.gather(*(asked(day) for _ in range(most)), return_exceptions=True)
        assert all(one is None or isinstance(one, NoReplyError) for one in outcomes)
        return sum(one is None for one in outcomes)

    return asyncio.run(ask())


@pytest.mark.slow
def test_eight_processes_share_the_sums(root, monkeypatch):
    bounded(monkeypatch, max_calls=50, max_tokens=10**6)
    with multiprocessing.get_context("spawn").Pool(8) as pool:
        sent = pool.map(_ask_often, [20] * 8)
    assert sum(sent) == 50 and spending_of(settings()).of(days._today())[0].calls == 50
