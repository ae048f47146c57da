"""How the database of a catalogue is opened: a schema of PostgreSQL for each index."""

from __future__ import annotations

import hashlib
import json
import logging
import re
import time
from functools import partial
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event, func, inspect, select, text
from sqlalchemy.engine import URL, ExceptionContext, make_url
from sqlalchemy.exc import ArgumentError, NoSuchModuleError

from ..state.errors import IndexNotFoundError, RagraphsError
from .queries import PATIENCE, PAUSE, LostConnectionError, upsert
from .schema import check_format, create_tables, json_text
from .tables import metadata, properties

logger = logging.getLogger("ragraphs.stores")

NAME = "name"  # property: the name of the index, of which its schema's may be a digest
_PREFIX = "ragraphs_"
_PLAIN = re.compile(r"[a-z0-9][a-z0-9_]{0,49}")  # a name of PostgreSQL has at most 63 bytes
_ALIVE = {  # a machine that died without a word is noticed within two minutes
    "keepalives_idle": 30,
    "keepalives_interval": 10,
    "keepalives_count": 6,
}
_SESSION = (
    "SET search_path TO {schema}",
    *(f"SET tcp_{name} TO {value}" for name, value in _ALIVE.items()),
)
_CHECK = "check the setting RAGRAPHS_DATABASE."
_ADVICE = {  # by the classes and codes of PostgreSQL's errors
    "28": f"refuses the user or the password; {_CHECK}",
    "3D": "has no such database; make it with createdb, or name another in RAGRAPHS_DATABASE.",
    "42501": "refuses a right that an index needs; let its owner run: GRANT CREATE ON DATABASE "
    "NAME TO USER",
    "53100": "has no room left on its disk; make room and run the command again.",
    "53300": "has no connection left; raise its max_connections, or run fewer processes.",
    "25006": "can only be read, as a replica; name the one that is written to in "
    "RAGRAPHS_DATABASE.",
    "42P01": "lacks a table of the index; make its derived parts anew with: ragraphs index "
    "--repair",
}
_IN_WORDS = {  # what a server says before a connection stands, which has no code
    "password authentication failed": "28",
    "no password supplied": "28",
    "no pg_hba.conf entry": "28",
    "does not exist": "3D",
    "too many clients": "53300",
    "remaining connection slots": "53300",
}


def open_shared(url: str, name: str, *, create: bool) -> Engine:
    """The database of the index ``name`` on the PostgreSQL server at ``url``.

        engine = open_shared("postgresql+psycopg://user:password@host/db", "notes", create=True)
        print(Catalogue(engine).count_documents())

    Each index is a schema, and the connections of the engine see no other. A server that was once
    reached may be away for ``PATIENCE`` seconds. Raises IndexNotFoundError where there is none and
    ``create`` is false, and RagraphsError where the server cannot be used; no message shows the
    password.
    """
    engine = _engine(url, name)
    try:
        with engine.begin() as connection:
            if create:
                _make(connection, name)
            elif not _exists(connection):
                raise IndexNotFoundError(
                    f"There is no index {name} in the database; build one with: ragraphs index "
                    f"SOURCE --index {name}"
                )
            check_format(connection, name)
    except BaseException:
        engine.dispose()
        raise
    return engine


def drop_shared(url: str, name: str) -> None:
    """Deletes the index ``name`` with all its tables; one that does not exist does no harm."""
    engine = _engine(url, name)
    try:
        with engine.begin() as connection:
            connection.exec_driver_sql(f'DROP SCHEMA IF EXISTS "{schema_of(name)}" CASCADE')
    finally:
        engine.dispose()


def schema_of(name: str) -> str:
    """The schema of the index ``name``, of at most 63 bytes, and of no other.

    >>> schema_of("notes")
    'ragraphs_notes'
    """
    if _PLAIN.fullmatch(name):
        return _PREFIX + name
    shown = re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_")[-20:]
    # The second underscore tells it apart from all plain names.
    return f"{_PREFIX}_{shown}_{hashlib.sha256(name.encode()).hexdigest()[:24]}"


def advisory_key(engine: Engine, purpose: str) -> int:
    """The number of the advisory lock of an index for ``purpose``."""
    text = f"{purpose} {engine.get_execution_options()['schema']}"
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big", signed=True)


def _engine(url: str, name: str) -> Engine:
    schema = schema_of(name)
    engine = create_engine(
        _checked(url),
        connect_args=_ALIVE | {"connect_timeout": 10, "application_name": "ragraphs"},
        execution_options={"schema": schema},
        json_serializer=json_text,
        pool_pre_ping=True,
        hide_parameters=True,
    )
    event.listen(engine, "handle_error", _explain)
    event.listen(engine, "do_connect", partial(_connect, list[bool]()))
    event.listen(engine, "connect", partial(_configure, schema))
    return engine


def _checked(url: str) -> URL:
    try:
        parsed = make_url(url)
        if parsed.drivername not in ("postgresql", "postgresql+psycopg"):
            raise ArgumentError(parsed.drivername)
        parsed = parsed.set(drivername="postgresql+psycopg")
        parsed.get_dialect().import_dbapi()
    except ImportError:
        raise RagraphsError(
            "RAGRAPHS_DATABASE needs the driver of PostgreSQL; install it with: "
            "pip install 'ragraphs[postgres]'"
        ) from None
    except (ArgumentError, NoSuchModuleError, ValueError):
        raise RagraphsError(
            "RAGRAPHS_DATABASE is no address of a PostgreSQL database; write it as "
            "postgresql+psycopg://USER:PASSWORD@HOST/NAME"
        ) from None
    return parsed


def _connect(reached: list[bool], dialect: Any, _record: Any, cargs: Any, cparams: Any) -> Any:
    """Connects; where the server was ``reached`` before, tries for ``PATIENCE`` seconds."""
    deadline = time.monotonic() + (PATIENCE if reached else 0)
    while True:
        try:
            connection = dialect.connect(*cargs, **cparams)
        except dialect.dbapi.OperationalError as error:
            if _code(error) or time.monotonic() >= deadline:
                raise
            logger.info("the PostgreSQL server does not answer; it is tried again")
            time.sleep(PAUSE)
        else:
            reached[:] = [True]
            return connection


def _configure(schema: str, connection: Any, _record: Any) -> None:
    from psycopg.types.string import StrDumper

    class Storable(StrDumper):
        """Writes a mark for the one character that PostgreSQL cannot hold in a text."""

        def dump(self, text: str) -> Any:
            return super().dump(text.replace("\0", "\ufffd"))

    connection.adapters.register_dumper(str, Storable)
    connection.autocommit = True
    for setting in _SESSION:
        connection.execute(setting.format(schema=f'"{schema}"'))
    connection.autocommit = False


def _exists(connection: Connection) -> bool:
    schema = connection.engine.get_execution_options()["schema"]
    query = "SELECT count(*) FROM pg_namespace WHERE nspname = :schema"
    return bool(connection.execute(text(query), {"schema": schema}).scalar_one())


def _make(connection: Connection, name: str) -> None:
    """Makes the schema and its tables, those that are missing; of several at once one does."""
    if _exists(connection) and not set(metadata.tables) - set(
        inspect(connection).get_table_names()
    ):
        return
    key = advisory_key(connection.engine, "make")
    connection.execute(select(func.pg_advisory_xact_lock(key)))
    connection.exec_driver_sql(f'CREATE SCHEMA IF NOT EXISTS "{schema_of(name)}"')
    create_tables(connection)
    upsert(connection, properties, [{"name": NAME, "value": json.dumps(name)}])


def _explain(context: ExceptionContext) -> None:
    """Turns failures of the server into one sentence, without address, user and password."""
    error = context.original_exception
    code = _code(error)
    if context.is_disconnect or code.startswith(("40", "57P")):
        raise LostConnectionError(
            "The connection to the PostgreSQL server was lost in the middle of a change, of which "
            "nothing is kept; run the command again: it goes on from there."
        ) from error
    advice = next((_ADVICE[key] for key in (code, code[:2]) if key in _ADVICE), None)
    if advice is not None:
        raise RagraphsError(f"The PostgreSQL server {advice}") from error
    if context.connection is None:
        raise RagraphsError(
            "The PostgreSQL server does not answer; see whether it runs, and check the setting "
            "RAGRAPHS_DATABASE."
        ) from error
    if context.dialect.dbapi and isinstance(error, context.dialect.dbapi.OperationalError):
        raise RagraphsError(
            f"The PostgreSQL server cannot do its work (error {code or 'unknown'}); see its log."
        ) from error


def _code(error: BaseException) -> str:
    """PostgreSQL's code of an error (SQLSTATE); empty where it is not known."""
    if code := getattr(error, "sqlstate", None):
        return str(code)
    said = str(error)
    return next((code for words, code in _IN_WORDS.items() if words in said), "")
