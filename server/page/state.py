"""The state of the server as the page shows it: index, model, methods, permissions."""

from __future__ import annotations

import asyncio
from importlib.metadata import version
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from ...algorithms.router.decision import feasible
from ...evaluation.results import has_results
from ...graphs.methods import METHODS, RouterContext, told_methods
from ...index.freshness import behind
from ...index.layers import built_layers, unfinished_layers
from ...index.opening import Index, open_index
from ...models.embeddings import identity
from ...models.protocol import OFFLINE
from ...models.web import web_search
from ...nodes.run import calls_left
from ...settings import settings, told
from ...state.errors import RagraphsError
from ...views.overview import sizes_of
from ..access import Access, open_names
from .route import access_by, as_json

_EMPTY: dict[str, Any] = {
    "documents": 0,
    "rows": 0,
    "files": 0,
    "passages": 0,
    "layers": [],
    "unfinished": [],
    "behind": {},
    "embeddings": "",
    "obstacles": {},
}


async def state(request: Request) -> Response:
    """The state of the index that the query names, or what is wrong with it in a sentence."""
    access = access_by(request)
    index = access.index(request.query_params.get("index"))
    return as_json(await asyncio.to_thread(_state, access, index))


def _state(access: Access, name: str) -> dict[str, Any]:
    operator, context = settings(), RouterContext(index=name)
    told_always = {
        "version": version("ragraphs"),
        "index": name,
        "indexes": open_names(access, operator),
        "model": context.model,
        "offline": context.model == OFFLINE,
        "web": web_search(operator) is not None,
        "uploads": access.writes and operator.uploads is not None,
        "corrections": access.writes and operator.corrections,
        "methods": told_methods(),
    }
    try:
        return {
            **told_always,
            **_sizes(open_index(name), context),
            "evaluated": has_results(context.folder),
        }
    except RagraphsError as error:
        return {**told_always, **_EMPTY, "problem": told(str(error), operator)}


def _sizes(index: Index, context: RouterContext) -> dict[str, Any]:
    layers, embeddings = built_layers(index), index.catalogue.property("embeddings")
    if embeddings is None:
        _ = index.embedder  # which says that the index is empty
    return {
        **sizes_of(index),
        "passages": index.catalogue.count_passages(),
        "layers": layers,
        "unfinished": unfinished_layers(index),
        "behind": behind(index),
        "embeddings": identity(embeddings),  # without loading them
        "obstacles": feasible(METHODS, layers, calls_left(context, {})),
    }
