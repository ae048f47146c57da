"""The command `ragraphs serve`."""

from __future__ import annotations

import os
import socket
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..context import Context
from ..graphs.methods import RouterContext
from ..index.serving import announced, is_plain
from ..settings import index_folder, settings
from ..state.errors import IndexNotFoundError, RagraphsError
from . import show
from .asking import own_settings
from .ending import GRACE, tell_workers
from .flags import INDEX_ONLY, context_options
from .running import opened
from .watching import following

if TYPE_CHECKING:
    from ..server.serving import Serving

_APPLICATION = "ragraphs.cli.ending:application"
_PATIENCE = 60  # seconds in which a busy process must tell that it lives; uvicorn waits for 5

_Auth = Annotated[
    str | None,
    typer.Option(
        metavar="MODULE:FUNCTION",
        help="Ask a function who calls, as LangGraph's servers do: my_module:authenticate or "
        "./auth.py:auth.",
    ),
]
_Keys = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Let in only who has a key, from the file of ragraphs keys."),
]
_JsonLogs = Annotated[
    bool, typer.Option("--json-logs", help="Log on stderr, each line a JSON object.")
]


@context_options(Context, INDEX_ONLY)
def serve(
    *,
    host: Annotated[
        str, typer.Option(metavar="HOST", help="Address to listen on; 0.0.0.0: on every network.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=1, max=65535, metavar="N", help="Port.")] = 8000,
    workers: Annotated[
        int, typer.Option(min=1, metavar="N", help="Processes that share the work.")
    ] = 1,
    watch: Annotated[
        list[str] | None,
        typer.Option(
            metavar="FOLDER", help="Keep the index up to date with a folder; may be repeated."
        ),
    ] = None,
    auth: _Auth = None,
    keys: _Keys = None,
    json_logs: _JsonLogs = False,
    context: Context,
) -> None:
    """Serve an index over HTTP: page at /, questions at /ask, OpenAI's clients at /v1, MCP at /mcp.

    Without --auth or --keys whoever reaches the address may ask. Only the indexes that the
    operator's settings name are open, without such settings this one.
    """
    from ..views.doctor import missing_packages

    if missing := missing_packages("serve"):
        raise RagraphsError(
            f"Serving needs packages that are not installed ({', '.join(missing)}): "
            "pip install 'ragraphs[serve]'."
        )
    from ..server.callers import finder_of
    from ..server.serving import Serving

    finder_of(auth, keys)  # which says what is wrong with them
    serving = Serving(auth=auth, keys=keys, json_logs=json_logs)
    with following(watch, context.index) if watch else nullcontext():
        _serve(host, port, workers, context, serving)


def _serve(host: str, port: int, workers: int, context: Context, serving: Serving) -> None:
    """Serves until it is told to end."""
    import uvicorn

    from ..models.nearby import advice
    from ..server.serving import shared_figures

    advised = advice(settings()) if is_plain() else ""
    serving.tell()
    folder = _open_to_callers(context)
    _try_address(host, port)
    show.sentence(f"The page is at {_address(host, port)}; Ctrl-C ends the server.")
    if workers > 1:
        tell_workers()
    telling: AbstractContextManager[None] = nullcontext()
    is_near = host in {"127.0.0.1", "localhost", "0.0.0.0"} and folder.is_dir()
    if is_near and serving.lets_all_in:
        telling = announced(folder, port, own_settings(RouterContext()), advised)
    figures = shared_figures() if workers > 1 else nullcontext()
    with telling, figures:
        uvicorn.run(
            _APPLICATION,
            factory=True,
            host=host,
            port=port,
            workers=workers,
            log_level="warning",
            log_config=None if serving.json_logs else uvicorn.config.LOGGING_CONFIG,
            loop="asyncio",  # another one would need the signals' file that the guard reads
            timeout_graceful_shutdown=GRACE,
            timeout_worker_healthcheck=_PATIENCE,
        )


def _address(host: str, port: int) -> str:
    """The address for a browser on this machine."""
    named = "localhost" if host in ("0.0.0.0", "::") else f"[{host}]" if ":" in host else host
    return f"http://{named}:{port}/"


def _open_to_callers(context: Context) -> Path:
    """Bounds what callers may name; the processes that serve read it in their environment.

    Returns the folder of the index.
    """
    operator, name = settings(), context.index
    # The page takes files for an index that is not there yet, where it takes any.
    try:
        folder = (opened(context) if operator.uploads is None else context).folder.resolve()
    except IndexNotFoundError as error:
        raise RagraphsError(
            f"{error}; or let the page take files: RAGRAPHS_UPLOADS=uploads ragraphs serve"
        ) from error
    if operator.root is None:
        in_folder = operator.database is None
        name = folder.name if in_folder else context.index
        os.environ["RAGRAPHS_ROOT"] = str(folder.parent if in_folder else Path.cwd())
        if not operator.indexes:
            os.environ["RAGRAPHS_INDEXES"] = name
    os.environ["RAGRAPHS_INDEX"] = name
    settings.cache_clear()
    index_folder(name, settings())
    return folder


def _try_address(host: str, port: int) -> None:
    """Raises RagraphsError where nothing can listen at the address."""
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        socket.create_server((host, port), family=family).close()
    except OSError as error:
        raise RagraphsError(
            f"Nothing can listen at {host}:{port} ({error.strerror}); choose another --port or "
            "--host."
        ) from error
