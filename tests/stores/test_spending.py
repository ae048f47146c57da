"""The sums of a day in a file and in a PostgreSQL database."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psutil
import pytest
from postgres_server import PostgresServer
from ragraphs.models.day import day_of
from ragraphs.models.protocol import NoReplyError
from ragraphs.settings import settings
from ragraphs.state.usage import Amounts, Ceilings
from ragraphs.stores import spending


@pytest.mark.in_folder("the sums of a day stand in files")
def test_files_of_sums_that_are_long_unused_are_closed(tmp_path, monkeypatch):
    files = [tmp_path / str(number) / spending.FILE for number in range(6)]
    for file in files:
        file.parent.mkdir()
        monkeypatch.setenv("RAGRAPHS_ROOT", str(file.parent))
        settings.cache_clear()
        spending.spending_of(settings()).add(["2999-01-01"], Amounts(1, 1))
    assert spending.spending_of(settings()).of("2999-01-01")[0] == Amounts(1, 1)
    held = {Path(file.path) for file in psutil.Process().open_files()}
    assert [file for file in files if file in held] == files[2:]


@pytest.mark.slow
def test_machines_with_one_database_share_the_sums(postgres: PostgresServer, monkeypatch):
    monkeypatch.setenv("RAGRAPHS_DATABASE", postgres.url)
    monkeypatch.setenv("RAGRAPHS_MAX_CALLS_PER_DAY", "5")
    settings.cache_clear()

    async def ask() -> bool:
        day = day_of(settings())
        assert day is not None
        try:
            async with day.turn("openai:gpt-4o-mini", 10) as taken:
                taken.spent(sent=10, received=1)
        except NoReplyError:
            return False
        return True

    async def ask_often() -> int:
        return sum(await asyncio.gather(*(ask() for _ in range(4))))

    with ThreadPoolExecutor(4) as threads:
        sent = list(threads.map(lambda _: asyncio.run(ask_often()), range(4)))
    day = day_of(settings())
    assert sum(sent) == 5 and day is not None and day.told() == "5 calls of 5"
    spending._in_database(postgres.url)._engine.dispose()
    spending._in_database.cache_clear()


@pytest.mark.slow
def test_its_schema_is_that_of_no_index(postgres: PostgresServer):
    """And several processes may make it at once."""
    open_it = spending._in_database.__wrapped__
    with ThreadPoolExecutor(4) as threads:
        one, other, *rest = threads.map(lambda _: open_it(postgres.url), range(4))
    accounts = {"2999-01-01": Ceilings(tokens=10)}
    assert one.take(accounts, Amounts(1), Amounts(1, 10), 0.0, 1.0)
    assert not other.take(accounts, Amounts(1, 1), Amounts(1, 1), 0.0, 1.0)
    other.settle(accounts, Amounts(0, -9))
    assert one.of("2999-01-01") == (Amounts(1, 1), 0.0)
    for each in (one, other, *rest):
        each._engine.dispose()
