"""Examines installed packages, the models and stores in use, and an index."""

from __future__ import annotations

import asyncio
import os
import platform
import sqlite3
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from importlib.metadata import PackageNotFoundError, requires, version
from typing import Literal

from packaging.requirements import Requirement
from typing_extensions import TypedDict

from ..context import Context
from ..index.language_model import server_of
from ..index.opening import open_index
from ..index.readers import language_model
from ..models.day import Day, day_of
from ..models.embeddings import DEFAULT_FASTEMBED, identity, open_embedder
from ..models.protocol import OFFLINE
from ..models.trials import USES, known_trial
from ..settings import Settings, settings
from ..state.errors import RagraphsError
from ..stores.vector_store import store_of
from .status import describe

_SECONDS = 3.0
_MEND_ADDRESS = "Start it, or correct its address."
_PACKAGES = ("langgraph", "langchain-core", "SQLAlchemy", "pydantic", "fastembed")
_EXTRAS = {
    "formats": "reading .pptx and .xlsx files",
    "serve": "tools over MCP",
    "otel": "traces for OpenTelemetry",
    "watch": "following folders",
    "postgres": "indexes in a PostgreSQL database",
    "ray": "indexing on a cluster",
    "evaluate": "drawings and fits of ragraphs evaluate",
    "community": "the chat models of langchain-community",
}
_KEYS = ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GOOGLE_API_KEY", "MISTRAL_API_KEY",
         "TAVILY_API_KEY", "LANGSMITH_API_KEY")  # fmt: skip


Subject = Literal["program", "extras", "model", "embeddings", "keys", "network", "index"]
State = Literal["ok", "note", "broken"]


class Check(TypedDict):
    """One thing that was looked at: ``broken`` things keep a command from working.

    ``mend`` is what to do, or nothing.
    """

    subject: Subject
    name: str
    state: State
    says: str
    mend: str


class Examination(TypedDict):
    """All that was looked at, and whether nothing of it is broken."""

    healthy: bool
    checks: list[Check]


def examine(context: Context, *, connect: bool = False) -> Examination:
    """Looks at this machine, the settings and the index that ``context`` names.

        if not examine(Context(index="notes"))["healthy"]:
            ...

    Nothing leaves the machine unless ``connect``, which asks each server at most three seconds. No
    key is told, only whether it is set. Blocks. Raises RagraphsError for settings that cannot be
    read.
    """
    operator = settings()
    checks = [
        *_program(operator),
        *map(_extra, _EXTRAS),
        _model(context, operator),
        *_tried(context, operator),
        _embeddings(operator),
        _keys(),
        *(_network(operator) if connect else ()),
        *_index(context),
    ]
    return {"healthy": all(one["state"] != "broken" for one in checks), "checks": checks}


def _program(operator: Settings) -> Iterator[Check]:
    yield _ok("program", "ragraphs", version("ragraphs"))
    is_old = sys.version_info < (3, 11)
    system = [platform.system(), platform.machine(), *platform.libc_ver()]
    python = f"{platform.python_version()} on {' '.join(filter(None, system))}"
    mend = "Use Python 3.11 or later." if is_old else ""
    yield _check("program", "Python", "broken" if is_old else "ok", python, mend)
    store = store_of(operator)
    packages = (*_PACKAGES[:2], store.package, *_PACKAGES[2:])
    yield _ok("program", "packages", ", ".join(f"{name} {_version(name)}" for name in packages))
    yield _sqlite()
    yield _ok("program", store.name, f"{_version(store.package)}, {store.place}")
    if operator.database is not None:
        address = _host(operator.database.get_secret_value())
        yield _ok("program", "database", f"{address} ({_source('RAGRAPHS_DATABASE')})")
    if (day := day_of(operator)) is not None:
        yield _spent(day)


def _spent(day: Day) -> Check:
    """The sums of today beside the operator's ceilings."""
    try:
        return _ok("program", "spent today (UTC)", day.told())
    except RagraphsError as error:
        return _check("program", "spent today (UTC)", "broken", str(error))


def _sqlite() -> Check:
    try:
        with closing(sqlite3.connect(":memory:")) as connection:
            connection.execute("CREATE VIRTUAL TABLE terms USING fts5(body)")
    except sqlite3.OperationalError:
        mend = "Use a Python whose SQLite has FTS5, such as one of python.org or uv."
        return _check("program", "SQLite", "broken", f"{sqlite3.sqlite_version} lacks FTS5", mend)
    return _ok("program", "SQLite", f"{sqlite3.sqlite_version} with FTS5")


def _extra(name: str) -> Check:
    """Whether the packages of an extra are installed, and what it adds."""
    if missing := missing_packages(name):
        return _check("extras", name, "note",
                      f"not installed: {', '.join(missing)}, for {_EXTRAS[name]}",
                      f"pip install 'ragraphs[{name}]'")  # fmt: skip
    return _ok("extras", name, f"installed: {_EXTRAS[name]}")


def missing_packages(extra: str) -> list[str]:
    """The packages that an extra of ragraphs needs and that are missing, or too old."""
    return list(dict.fromkeys(_missing("ragraphs", extra)))


def _missing(package: str, extra: str) -> Iterator[str]:
    """The names of ``missing_packages``, for any package; some may come twice."""
    for needed in map(Requirement, requires(package) or ()):
        marker = needed.marker
        if (
            marker is None
            or marker.evaluate({"extra": ""})
            or not marker.evaluate({"extra": extra})
        ):
            continue
        found = _version(needed.name)
        if not found or not needed.specifier.contains(found, prereleases=True):
            yield needed.name
        if found:
            for further in sorted(needed.extras):
                yield from _missing(needed.name, further)


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return ""


def _model(context: Context, operator: Settings) -> Check:
    """The language model that would answer, and whether it has its key."""
    name = context.model
    why = "by --model" if "model" in context.model_fields_set else _source("RAGRAPHS_MODEL")
    says = f"{name}, {why}"
    if name == OFFLINE:
        return _check(
            "model", "language model", "note",
            f"{says}: passages are found, and no answers are written",
            "Name a model with --model, or in RAGRAPHS_MODEL.",
        )  # fmt: skip
    try:
        asyncio.run(language_model(open_index(context, in_memory=True), context))
    except RagraphsError as error:
        return _check("model", "language model", "broken", says, str(error))
    if name.startswith("openai:") and operator.openai_base_url:
        says += f", at {_host(operator.openai_base_url)} ({_source('OPENAI_BASE_URL')})"
    return _ok("model", "language model", says)


def _tried(context: Context, operator: Settings) -> Iterator[Check]:
    """The uses that the model was found good for, if it was tried."""
    if context.model == OFFLINE:
        return
    trial = known_trial(context.model, server_of(context, operator), operator)
    name = "uses of the model"
    if trial is None:
        command = f"ragraphs try {context.model}"
        yield _check("model", name, "note", "not tried", f"It takes 24 requests: {command}")
        return
    verdicts = [trial.verdict(use) for use in USES]
    says = f"tried on {trial.tried}. {' '.join(verdict.says for verdict in verdicts)}"
    state: State = "ok" if all(verdict.is_up_to for verdict in verdicts) else "note"
    yield _check("model", name, state, says)


def _embeddings(operator: Settings) -> Check:
    """The embeddings of a new index, and whether they can be had without a download."""
    name = operator.embeddings
    says = f"{operator.default_embeddings}, {_source('RAGRAPHS_EMBEDDINGS')}"
    model = DEFAULT_FASTEMBED if name == "auto" else name.partition(":")[2]
    if name == "auto" or (name.startswith("fastembed:") and "@" not in name):
        if _is_local(model):
            return _ok("embeddings", "embeddings of a new index", f"{says}: {model} is here")
        words = "or lexical ones, if its hub cannot be reached" if name == "auto" else "once"
        says += f": {model} is not on this machine, and would be downloaded, {words}"
        return _check("embeddings", "embeddings of a new index", "note", says)
    try:
        open_embedder(name, operator)
    except RagraphsError as error:
        return _check("embeddings", "embeddings of a new index", "broken", says, str(error))
    return _ok("embeddings", "embeddings of a new index", says)


def _is_local(model: str) -> bool:
    from fastembed import TextEmbedding
    from loguru import logger

    logger.disable("fastembed")
    try:
        TextEmbedding(model, local_files_only=True)
    except Exception:  # fastembed has no class of its own for a model that is not here
        return False
    return True


def _keys() -> Check:
    found = [f"{name} ({_place_of(name)})" for name in _KEYS if os.environ.get(name)]
    return _ok("keys", "keys that are set", ", ".join(found) or "none")


def _network(operator: Settings) -> Iterator[Check]:
    """Whether the servers that would be asked answer."""
    from huggingface_hub import constants

    places = {"the hub of embedding models": constants.ENDPOINT}
    if operator.openai_base_url:
        places["the server of OPENAI_BASE_URL"] = f"{operator.openai_base_url.rstrip('/')}/models"
    if (store := store_of(operator)).heartbeat:
        places[f"the {store.name} server"] = store.heartbeat
    with ThreadPoolExecutor(len(places)) as threads:
        reasons = list(threads.map(_unreachable, places.values()))
    for (name, address), reason in zip(places.items(), reasons, strict=True):
        is_needed = name != "the hub of embedding models"
        if reason:
            state: State = "broken" if is_needed else "note"
            says = f"{_host(address)} does not answer ({reason})"
            mend = _MEND_ADDRESS if is_needed else ""
            yield _check("network", name, state, says, mend)
        else:
            yield _ok("network", name, f"{_host(address)} answers")
    if operator.database is not None:
        yield _database(operator.database.get_secret_value())


def _database(url: str) -> Check:
    """Whether the database answers, and takes the user and the password."""
    from ..stores.postgresql import reach_server

    try:
        reach_server(url, int(_SECONDS))
    except RagraphsError as error:
        return _check("network", "the database", "broken", f"{_host(url)}: {error}", _MEND_ADDRESS)
    return _ok("network", "the database", f"{_host(url)} answers")


def _unreachable(address: str) -> str:
    """Why nobody answers at ``address``; empty where somebody does, if only to refuse."""
    import httpx

    try:
        httpx.get(address, timeout=_SECONDS, follow_redirects=False)
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        return type(error).__name__
    return ""


def _index(context: Context) -> Iterator[Check]:
    try:
        described = describe(index := open_index(context))
    except RagraphsError as error:
        is_named = "index" in context.model_fields_set
        yield _check("index", "index", "broken" if is_named else "note", str(error))
        return
    layers = ", ".join(["passages", *(one for one in described["layers"] if one != "passages")])
    yield _ok(
        "index", described["index"],
        f"{described['documents']} documents in {described['passages']} passages; "
        f"layers: {layers}; embeddings: {described['embeddings']}; format {described['format']}",
    )  # fmt: skip
    command = f"ragraphs index --index {described['index']}"
    if missing := described["missing_layers"]:
        says = f"Not built, and only needed by some methods: {', '.join(missing)}."
        yield _check("index", "layers", "note", says, f"{command} --layers {','.join(missing)}")
    for lack in described["lacks"]:
        yield _check("index", "lack", "broken", lack["says"], lack["mend"])
    yield from _failures(described["failures"])
    if described["documents"]:
        try:
            name = identity(index.embedder.name)
            yield _ok("index", "embeddings of the index", f"{name} can be used")
        except RagraphsError as error:
            yield _check("index", "embeddings of the index", "broken", str(error))


def _failures(failures: Sequence[dict[str, str]]) -> Iterator[Check]:
    if failures:
        says = f"{len(failures)} files or rows could not be read: {failures[0]['path']}"
        yield _check("index", "documents", "note", says, "ragraphs status --json lists them all.")


def _source(name: str) -> str:
    """Where the setting comes from."""
    return f"by {name} {_place_of(name)}" if os.environ.get(name) else "the default"


def _place_of(name: str) -> str:
    """Whether the variable comes from the file .env or from the environment."""
    from dotenv import dotenv_values

    written = dotenv_values(".env", interpolate=False).get(name)
    return "of .env" if written and written == os.environ.get(name) else "of the environment"


def _host(address: str) -> str:
    """The scheme, host and port of ``address``, without a name or a password."""
    from urllib.parse import urlsplit

    parts = urlsplit(address)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}"


def _ok(subject: Subject, name: str, says: str) -> Check:
    return _check(subject, name, "ok", says)


def _check(subject: Subject, name: str, state: State, says: str, mend: str = "") -> Check:
    return {"subject": subject, "name": name, "state": state, "says": says, "mend": mend}
