"""The store of vectors that the operator's settings choose, and its words for people."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from ..settings import Settings
from .vectors import FIRST, Generation, Vectors


class VectorStore(NamedTuple):
    """A store of vectors, by its ``name`` and that of its ``package``.

    ``setting`` is the variable with the address of its ``server``; without a server the vectors of
    an index are embedded in its folder. ``heartbeat`` is the address at which a server answers.
    """

    name: str
    package: str
    setting: str
    server: str | None
    heartbeat: str


def store_of(operator: Settings) -> VectorStore:
    """The store that keeps the vectors of this operator's indexes."""
    server = operator.chroma_url
    heartbeat = f"{(server or '').rstrip('/')}/api/v2/heartbeat"
    return VectorStore("Chroma", "chromadb", "RAGRAPHS_CHROMA_URL", server, heartbeat)


def vectors_at(
    folder: Path,
    index_id: str,
    operator: Settings,
    in_use: Callable[[], Generation] = Generation,
) -> Vectors:
    """The vectors of the index ``index_id``, in ``folder`` or on the operator's server.

    ``in_use`` says which generation of them is. Nothing is opened or made before the first use.
    """
    from .chroma import ChromaVectors

    is_shared = operator.root is not None
    return ChromaVectors(folder, index_id, operator.chroma_url, in_use, is_shared)


def in_folder(operator: Settings, folder: Path, *, create: bool) -> Settings:
    """The settings that find the vectors of the index in ``folder``.

    It has them in itself, unless it was made beside a server; with ``create``, always.
    """
    from .chroma_client import DATABASE

    has_vectors = create or any(folder.glob(f"{FIRST}*/{DATABASE}"))
    return operator.model_copy(update={"chroma_url": None}) if has_vectors else operator
