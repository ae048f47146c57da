"""The store of vectors that the operator's settings choose, and its words for people."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from ..settings import Settings
from .chroma_client import DATABASE, server_address
from .vectors import FIRST, Generation, Vectors

if TYPE_CHECKING:
    from sqlalchemy import Engine


class VectorStore(NamedTuple):
    """A store of vectors, by its ``name`` and that of its ``package``.

    ``place`` says where the vectors are. ``heartbeat`` is the address at which a server of its own
    answers, which the variable ``setting`` names; empty for none.
    """

    name: str
    package: str
    place: str
    heartbeat: str = ""
    in_database: bool = False
    setting: str = "RAGRAPHS_CHROMA_URL"

    @property
    def is_shared(self) -> bool:
        """Whether several processes may write to it."""
        return self.in_database or bool(self.heartbeat)


def store_of(operator: Settings) -> VectorStore:
    """The store that keeps the vectors of this operator's indexes."""
    if operator.chroma_url is not None:
        server = server_address(operator.chroma_url)
        return VectorStore("Chroma", "chromadb", server.shown, server.heartbeat)
    if operator.database is not None:
        return VectorStore("pgvector", "psycopg", "in the database", in_database=True)
    return VectorStore("Chroma", "chromadb", "embedded in the folder of the index")


def vectors_at(
    folder: Path,
    index_id: str,
    operator: Settings,
    engine: Engine,
    in_use: Callable[[], Generation] = Generation,
) -> Vectors:
    """The vectors of the index ``index_id``, whose catalogue is in ``engine``.

    They are on the operator's server, or beside the catalogue: in its database, or in ``folder``.
    ``in_use`` says which generation of them is. Nothing is opened or made before the first use.
    """
    from .queries import is_postgresql

    if operator.chroma_url is None and is_postgresql(engine):
        from .pgvector import PostgresVectors

        return PostgresVectors(engine, in_use)
    if operator.chroma_url is None:
        from .recent_vectors import RecentVectors

        return RecentVectors(folder, index_id, engine, in_use, operator.root is not None)
    from .chroma import ChromaVectors

    return ChromaVectors(folder, index_id, operator.chroma_url, in_use)


def in_folder(operator: Settings, folder: Path, *, create: bool) -> Settings:
    """The settings that find the vectors of the index in ``folder``.

    It has them in itself, unless it was made beside a server; with ``create``, always.
    """
    has_vectors = create or any(folder.glob(f"{FIRST}*/{DATABASE}"))
    return operator.model_copy(update={"chroma_url": None}) if has_vectors else operator
