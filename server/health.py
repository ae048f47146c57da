"""Whether a server lives, and whether its stores answer: for load balancers and orchestrators."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import httpx
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from ..index.health import check
from ..index.opening import Index, open_index
from ..settings import settings, told
from ..state.errors import RagraphsError
from ..stores.vector_store import store_of
from .access import access_of
from .exchange import require_root

_SECONDS = 0.9  # for each of two looks, one after the other
# Some may hang at a connection whose machine is gone, and the next look takes another one.
_threads = ThreadPoolExecutor(16, thread_name_prefix="ragraphs-health")


async def live(request: Request) -> Response:
    """Status 200 as long as the process answers at all."""
    return JSONResponse({"status": "live"})


async def ready(request: Request) -> Response:
    """Status 200 where the default index can be asked, else 503; and how each store is.

    It waits for no question: it has threads of its own, and says so where a store has no reply in
    time.
    """
    database, server = await asyncio.gather(
        _look(_database, "The database of the index"),
        _look(_vector_server, "The server of the vectors"),
    )
    catalogue, vectors = database, server
    if not database:
        catalogue, vectors = await asyncio.gather(
            _look(_catalogue, "The database of the index"),
            _look(lambda: None if server else _vectors(), "The store of the vectors"),
        )
    vectors = server or ("" if catalogue else vectors)
    told_stores = {"catalogue": catalogue or "ready", "vectors": vectors or "ready"}
    if catalogue and not vectors:
        told_stores["vectors"] = "not asked"
    obstacles = " ".join(dict.fromkeys(filter(None, (catalogue, vectors))))
    if obstacles:
        return JSONResponse({"detail": obstacles, "stores": told_stores}, 503)
    return JSONResponse({"status": "ready", "stores": told_stores})


async def _look(at: Callable[[], None], store: str) -> str:
    """Why a look ``at`` a store fails, in a sentence; empty where it does not."""
    looking = asyncio.get_running_loop().run_in_executor(_threads, at)
    try:
        await asyncio.wait_for(looking, _SECONDS)
    except TimeoutError:
        return f"{store}, or the machine that holds it, did not answer in time; ask again."
    except RagraphsError as error:
        return told(str(error), settings())
    return ""


def _index() -> Index:
    require_root()
    return open_index(access_of(None).default)


def _database() -> None:
    """Connects anew: those that questions wait for are all in use where the server is away."""
    if (url := settings().database) is not None:
        from ..stores.postgresql import reach_server

        reach_server(url.get_secret_value(), 1)


def _catalogue() -> None:
    _ = _index().embedder


def _vectors() -> None:
    check(_index())


def _vector_server() -> None:
    store = store_of(settings())
    if not store.heartbeat:
        return
    try:
        httpx.get(store.heartbeat, timeout=_SECONDS).raise_for_status()
    except httpx.HTTPError as error:
        raise RagraphsError(
            f"The {store.name} server does not answer ({type(error).__name__}); the operator "
            f"starts it, or sets {store.setting}."
        ) from error
