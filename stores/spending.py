"""Amounts that runs have taken of a day's ceilings, of all together and of each caller."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Mapping
from functools import lru_cache
from pathlib import Path
from threading import Lock
from typing import Any
from weakref import finalize

from sqlalchemy import (
    BigInteger,
    Column,
    ColumnElement,
    Connection,
    Engine,
    Float,
    Integer,
    MetaData,
    Table,
    Text,
    and_,
    case,
    event,
    func,
    or_,
    select,
    update,
)
from sqlalchemy.engine import ExceptionContext
from sqlalchemy.schema import CreateSchema

from ..settings import Settings
from ..state.errors import RagraphsError, UnavailableError
from ..state.usage import Amounts, Ceilings
from .postgresql import plain_engine
from .queries import begin_writing, insert, patience, persistent
from .schema import open_file

FILE = ".spent.sqlite"
_opening = Lock()  # a cache would let several threads open it at once
_SCHEMA = "ragraphs"  # those of indexes have longer names
_LOCK = int.from_bytes(_SCHEMA.encode())

# ``open`` requests are on their way, the last of them at most until ``until`` (seconds, UTC).
_days = Table(
    "spent",
    MetaData(),
    Column("day", Text, primary_key=True),
    Column("calls", BigInteger, nullable=False),
    Column("tokens", BigInteger, nullable=False),
    Column("cost", Float(53), nullable=False),
    Column("open", Integer, nullable=False),
    Column("until", Float(53), nullable=False),
)


@persistent
class Spending:
    """The sums of each account, which all processes share that have the same database.

    An account is a day (UTC), or a day and a caller.

    >>> spending, accounts = spending_of(settings()), {"2026-11-23": ceilings}
    >>> if spending.take(accounts, Amounts(1, 900), Amounts(1, 2900), now, until):
    ...     spending.settle(accounts, Amounts(1, 912) + -Amounts(1, 2900))
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        finalize(self, engine.dispose)

    def of(self, account: str) -> tuple[Amounts, float]:
        """The sums of ``account``, and until when requests are under way (0: none is). Blocks."""
        with self._engine.connect() as connection:
            row = connection.execute(select(_days).where(_days.c.day == account)).one_or_none()
        if row is None:
            return Amounts(), 0.0
        return Amounts(row.calls, row.tokens, row.cost), row.until if row.open else 0.0

    def take(
        self,
        accounts: Mapping[str, Ceilings],
        least: Amounts,
        most: Amounts,
        now: float,
        until: float,
    ) -> bool:
        """Adds the ``most`` that a request may take, where all ceilings have room for it.

        Where nothing else is on its way, room for the ``least`` that it takes suffices. Blocks.
        """
        idle = or_(_days.c.open == 0, _days.c.until < now)
        values = {
            **_added(most),
            "open": case((_days.c.until < now, 1), else_=_days.c.open + 1),
            "until": case((_days.c.until < until, until), else_=_days.c.until),
        }
        with self._engine.begin() as connection:
            for account, ceilings in accounts.items():
                self._begin(connection, account)
                room = or_(_fits(most, ceilings), and_(idle, _fits(least, ceilings)))
                taken = update(_days).where(_days.c.day == account, room).values(**values)
                if not connection.execute(taken).rowcount:
                    connection.rollback()
                    return False
        return True

    def settle(self, accounts: Collection[str], change: Amounts) -> None:
        """Ends a request that was taken, with the ``change`` to what it really took. Blocks."""
        closed = case((_days.c.open > 0, _days.c.open - 1), else_=0)
        settled = update(_days).where(_days.c.day.in_(accounts))
        with self._engine.begin() as connection:
            connection.execute(settled.values(**_added(change), open=closed))

    def add(self, accounts: Collection[str], amounts: Amounts) -> None:
        """Adds what is taken in any case. Blocks."""
        with self._engine.begin() as connection:
            for account in accounts:
                self._begin(connection, account)
            added = update(_days).where(_days.c.day.in_(accounts))
            connection.execute(added.values(**_added(amounts)))

    def _begin(self, connection: Connection, account: str) -> None:
        nothing = {"day": account, "calls": 0, "tokens": 0, "cost": 0.0, "open": 0, "until": 0.0}
        connection.execute(insert(connection, _days).values(nothing).on_conflict_do_nothing())


def spending_of(operator: Settings) -> Spending:
    """The sums in the operator's database, or in a file of the root. Blocks; raises RagraphsError.

    Without a root that is the working folder.
    """
    with _opening:
        if operator.database is not None:
            return _in_database(operator.database.get_secret_value())
        return _in_file(operator.base / FILE)


@lru_cache(maxsize=4)
def _in_file(path: Path) -> Spending:
    engine = open_file(path)
    event.listen(engine, "handle_error", _explain)
    event.listen(engine, "checkout", _wait_shortly)
    with engine.begin() as connection:
        begin_writing(connection)
        _days.create(connection, checkfirst=True)
    return Spending(engine)


@lru_cache(maxsize=4)
def _in_database(url: str) -> Spending:
    engine = plain_engine(url, 10, pool_pre_ping=True)
    engine = engine.execution_options(schema_translate_map={None: _SCHEMA})
    with engine.begin() as connection:
        connection.execute(select(func.pg_advisory_xact_lock(_LOCK)))
        connection.execute(CreateSchema(_SCHEMA, if_not_exists=True))
        _days.create(connection, checkfirst=True)
    return Spending(engine)


def _wait_shortly(connection: Any, _record: Any, _proxy: Any) -> None:
    """Has SQLite wait for others no longer than a store is waited for."""
    connection.execute(f"PRAGMA busy_timeout = {int(1000 * patience.get())}")


def _explain(context: ExceptionContext) -> None:
    error = context.original_exception
    if getattr(error, "sqlite_errorcode", 0) & 0xFF in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        raise UnavailableError(
            f"The file {FILE} for the sums of a day is held by another program; ask again, and end "
            "the program that holds it."
        ) from error
    if isinstance(error, sqlite3.Error):
        raise RagraphsError(
            f"The file {FILE} for the sums of a day cannot be written ({error}); make the folder "
            "of the indexes writable, or unset the operator's limits for a day."
        ) from error


def _added(amounts: Amounts) -> dict[str, ColumnElement[float]]:
    return {name: _days.c[name] + more for name, more in vars(amounts).items()}


def _fits(more: Amounts, ceilings: Ceilings) -> ColumnElement[bool]:
    limits = {name: most for name, most in vars(ceilings).items() if most is not None}
    return and_(*(_days.c[name] + getattr(more, name) <= most for name, most in limits.items()))
