"""What nodes work with: the index that the context names, and the models that serve it."""

from __future__ import annotations

import asyncio
import uuid
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from ..context import Context, Settings, index_folder, settings
from ..models.embeddings import Embedder, identity, open_embedder
from ..models.language import LanguageModel
from ..models.opening import open_language_model
from ..state.errors import IndexNotFoundError

if TYPE_CHECKING:
    from sqlalchemy import Engine

    from ..stores.catalogue import Catalogue
    from ..stores.replies import ReplyStore
    from ..stores.vectors import Vectors


@dataclass(frozen=True)
class Index:
    """An open index."""

    folder: Path
    catalogue: Catalogue
    vectors: Vectors
    replies: ReplyStore
    operator: Settings

    @cached_property
    def embedder(self) -> Embedder:
        """The embeddings that built the index. Raises RagraphsError when they cannot be had."""
        name = self.catalogue.property("embeddings")
        if name is None:
            raise IndexNotFoundError(
                f"The index at {self.folder} is empty; fill it with: ragraphs index SOURCE "
                f"--index {self.folder}"
            )
        if identity(self.operator.embeddings) == identity(name):
            name = self.operator.embeddings
        return open_embedder(name, self.operator)


_open: dict[Path, tuple[int, Index]] = {}
_lock = Lock()


def open_index(context: Context, *, create: bool = False, in_memory: bool = False) -> Index:
    """The index that ``context`` names; opened once, and again when its folder was replaced.

    Where there is none, ``create`` makes one, and ``in_memory`` gives an empty one that leaves no
    trace. Blocks. Raises IndexNotFoundError, or RagraphsError where it cannot be opened.
    """
    from ..stores.schema import DATABASE, open_database, open_memory

    operator = settings()
    folder = index_folder(context.index, operator)
    with _lock:
        database = folder / DATABASE
        known = _open.get(folder)
        if known is not None and database.exists() and known[0] == database.stat().st_ino:
            return known[1]
        if in_memory and not database.exists():
            return _index(folder, open_memory(), operator)
        index = _index(folder, open_database(folder, create=create), operator)
        _open[folder] = (database.stat().st_ino, index)
        return index


def _index(folder: Path, engine: Engine, operator: Settings) -> Index:
    from ..stores.catalogue import Catalogue
    from ..stores.replies import ReplyStore
    from ..stores.vectors import Vectors

    catalogue = Catalogue(engine)
    vectors = Vectors(folder, _identify(catalogue), operator.chroma_url)
    return Index(folder, catalogue, vectors, ReplyStore(engine), operator)


async def index_of(context: Context) -> Index:
    """The existing index that ``context`` names, opened without blocking the loop."""
    return await asyncio.to_thread(open_index, context)


async def language_model_of(context: Context) -> LanguageModel:
    """The language model that ``context`` names, with the reply table of its index."""
    index = await index_of(context)
    return await open_language_model(context, index.operator, index.replies, lambda: index.embedder)


def _identify(catalogue: Catalogue) -> str:
    """A name that tells the index apart from others on the same Chroma server."""
    known: str | None = catalogue.property("id")
    if known is None:
        known = f"ragraphs-{uuid.uuid4().hex[:12]}"
        catalogue.set_property("id", known)
    return known
