"""Opening an index, and the models that serve it."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Generic, TypeVar

from ..context import Context
from ..models.embeddings import Embedder, identity, open_embedder
from ..models.protocol import LanguageModel
from ..settings import Settings, index_folder, settings
from ..state.errors import IndexNotFoundError
from .language_model import open_language_model

if TYPE_CHECKING:
    from sqlalchemy import Engine

    from ..stores.catalogue import Catalogue
    from ..stores.chroma import Vectors
    from ..stores.communities import CommunityStore
    from ..stores.entities import EntityStore
    from ..stores.readings import ReadingStore
    from ..stores.replies import ReplyStore
    from ..stores.vector_tables import QuestionVectors, SentenceStore


T = TypeVar("T")


@dataclass(frozen=True)
class Index:
    """An open index: its stores, and the embeddings that built it.

    index = open_index("notes")
    for passage in index.catalogue.all_passages():
        print(passage["title"], passage["text"])
    """

    folder: Path
    catalogue: Catalogue
    vectors: Vectors
    sentences: SentenceStore
    questions: QuestionVectors
    replies: ReplyStore
    readings: ReadingStore
    entities: EntityStore
    communities: CommunityStore
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
_written: dict[Path, str | None] = {}
_lock = Lock()
_WRITTEN = "vectors_written"


def open_index(context: Context | str, *, create: bool = False, in_memory: bool = False) -> Index:
    """The index of a folder, or of the folder that ``context`` names.

        index = open_index("notes")
        print(index.catalogue.count_documents())

    It is opened once, and again when its folder was replaced. Where there is none, ``create`` makes
    one, and ``in_memory`` gives an empty one that leaves no trace. Blocks. Raises
    IndexNotFoundError, or RagraphsError where it cannot be opened.
    """
    from ..stores.schema import DATABASE, open_database, open_memory

    operator = settings()
    folder = index_folder(context if isinstance(context, str) else context.index, operator)
    with _lock:
        database = folder / DATABASE
        known = _open.get(folder)
        if known is not None:
            if database.exists() and known[0] == database.stat().st_ino:
                _follow(known[1])
                return known[1]
            known[1].vectors.close()
        if in_memory and not database.exists():
            return _index(folder, open_memory(), operator)
        index = _index(folder, open_database(folder, create=create), operator)
        _open[folder] = (database.stat().st_ino, index)
        _written[folder] = index.catalogue.property(_WRITTEN)
        return index


def mark_written(index: Index) -> None:
    """Tells other processes that the vectors have changed. Blocks."""
    stamp = uuid.uuid4().hex
    with _lock:
        index.catalogue.set_property(_WRITTEN, stamp)
        _written[index.folder] = stamp


def _follow(index: Index) -> None:
    """Opens the vectors anew where another process has changed them."""
    stamp = index.catalogue.property(_WRITTEN)
    if stamp != _written.get(index.folder):
        index.vectors.close()
        _written[index.folder] = stamp


def _index(folder: Path, engine: Engine, operator: Settings) -> Index:
    from ..stores.catalogue import Catalogue
    from ..stores.chroma import Vectors
    from ..stores.communities import CommunityStore
    from ..stores.entities import EntityStore
    from ..stores.readings import ReadingStore
    from ..stores.replies import ReplyStore
    from ..stores.vector_tables import QuestionVectors, SentenceStore

    catalogue = Catalogue(engine)
    # The id tells the index apart from others on the same Chroma server.
    id = catalogue.ensure_property("id", f"ragraphs-{uuid.uuid4().hex[:12]}")
    vectors = Vectors(folder, id, operator.chroma_url, operator.root is not None)
    return Index(
        folder,
        catalogue,
        vectors,
        SentenceStore(engine),
        QuestionVectors(engine),
        ReplyStore(engine),
        ReadingStore(engine),
        EntityStore(engine),
        CommunityStore(engine),
        operator,
    )


async def language_model(index: Index, context: Context, name: str | None = None) -> LanguageModel:
    """The language model called ``name``, or that ``context`` names, with the replies of ``index``.

    Raises RagraphsError when it is not allowed, unknown, or has no key.
    """
    if name is not None:
        context = context.model_copy(update={"model": name})
    return await open_language_model(context, index.operator, index.replies, lambda: index.embedder)


class Kept(Generic[T]):
    """One value for each index, made by ``load`` when the index's ``stamp`` has changed."""

    def __init__(self, stamp: Callable[[Index], str], load: Callable[[Index], T]) -> None:
        self._stamp = stamp
        self._load = load
        self._values: dict[Path, tuple[str, T]] = {}
        self._lock = Lock()

    def of(self, index: Index) -> T:
        """The value of ``index``. Blocks; raises what ``stamp`` and ``load`` raise."""
        stamp = self._stamp(index)
        with self._lock:
            known = self._values.get(index.folder)
            if known is None or known[0] != stamp:
                known = self._values[index.folder] = stamp, self._load(index)
            return known[1]
