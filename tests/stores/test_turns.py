"""Writers of an index queue: first come, first served, whoever is killed holds nobody up."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from ragraphs.state.errors import IndexBusyError
from ragraphs.stores.lock import writing
from ragraphs.stores.postgresql import open_shared
from ragraphs.stores.schema import LOCK, open_database

WAITER = """
import asyncio, sys
from pathlib import Path
from ragraphs.stores.lock import writing
from ragraphs.stores.postgresql import open_shared
from ragraphs.stores.schema import open_database
place = sys.argv[1]
if "://" in place:
    engine = open_shared(place, sys.argv[2], create=False)
else:
    engine = open_database(Path(place), create=False)
async def wait():
    async with writing(engine, "notes", lambda n: print("waits", n, flush=True)):
        print("writes", flush=True)
        sys.stdin.read()
asyncio.run(wait())
"""


@pytest.fixture(params=["folder", pytest.param("postgresql", marks=pytest.mark.slow)])
def stored(request, tmp_path):
    """An empty index: where it is, and its database."""
    if request.param == "folder":
        place, engine = str(tmp_path / "index"), open_database(tmp_path / "index", create=True)
    else:
        place = request.getfixturevalue("postgres").url
        engine = open_shared(place, str(tmp_path), create=True)
    yield place, engine
    engine.dispose()


def waiter(place: str, folder: Path) -> subprocess.Popen[str]:
    """A process that writes when its turn has come, until its input ends."""
    command = [sys.executable, "-c", WAITER, place, str(folder)]
    return subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
    )


@pytest.mark.slow
async def test_writers_write_one_by_one_in_the_order_in_which_they_came(stored):
    _, engine = stored
    order, at_work, told = [], 0, {}

    async def write(number: int) -> None:
        nonlocal at_work
        places = told[number] = []
        async with writing(engine, "notes", places.append):
            at_work += 1
            assert at_work == 1
            await asyncio.sleep(0.05)
            order.append(number)
            at_work -= 1

    writers = []
    async with writing(engine, "notes"):
        for number in range(4):
            writers.append(asyncio.create_task(write(number)))
            while not told.get(number):
                await asyncio.sleep(0.01)
        with pytest.raises(IndexBusyError, match="Another run is writing to the index at notes"):
            async with writing(engine, "notes"):
                pass
    await asyncio.gather(*writers)
    assert order == [0, 1, 2, 3]
    assert [places[0] for places in told.values()] == [1, 2, 3, 4]
    assert all(places == sorted(places, reverse=True) for places in told.values())


async def test_who_gives_up_waiting_makes_room(stored):
    _, engine = stored
    places = []
    async with writing(engine, "notes"), asyncio.timeout(60):
        first = asyncio.create_task(wait_in_vain(engine))
        await asyncio.sleep(0.3)
        second = asyncio.create_task(wait_in_vain(engine, places))
        while places[-1:] != [2]:
            await asyncio.sleep(0.01)
        first.cancel()
        while places[-1:] != [1]:
            await asyncio.sleep(0.01)
        second.cancel()
    await asyncio.wait([first, second])
    assert first.cancelled() and second.cancelled() and places == sorted(places, reverse=True)
    async with writing(engine, "notes"), asyncio.timeout(60):
        assert places[-1] == 1


async def wait_in_vain(engine, places=None):
    async with writing(engine, "notes", [].append if places is None else places.append):
        raise AssertionError


@pytest.mark.slow
def test_whoever_is_killed_while_waiting_or_writing_holds_nobody_up(stored, tmp_path):
    place, _ = stored
    writers = []
    for number in range(4):
        writers.append(waiter(place, tmp_path))
        told = writers[-1].stdout.readline().strip()
        assert told == (f"waits {number}" if number else "writes")
    for number in (1, 0):  # the next one, and the one at work
        os.kill(writers[number].pid, signal.SIGKILL)
        writers[number].communicate()
    for one in writers[2:]:
        while (line := one.stdout.readline().strip()) != "writes":
            assert line.startswith("waits")
        one.communicate()
    if "://" not in place:
        left = [file.name for file in Path(place).glob(f"{LOCK}.*")]
        assert not [name for name in left if name[len(LOCK) + 1 :].isdecimal()]
