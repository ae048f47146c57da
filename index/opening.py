"""Opening an index, and the models that serve it."""

from __future__ import annotations

import uuid
from collections import OrderedDict, deque
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path
from threading import Lock, RLock
from typing import TYPE_CHECKING, Any, Generic, TypeVar
from weakref import WeakValueDictionary, finalize

from ..context import Context
from ..models.embeddings import Embedder, identity, open_embedder
from ..models.meter import current_meter
from ..models.protocol import LanguageModel
from ..settings import Settings, index_folder, settings
from ..state.errors import IndexNotFoundError
from .language_model import open_language_model

if TYPE_CHECKING:
    from sqlalchemy import Engine

    from ..stores.catalogue import Catalogue
    from ..stores.chroma import Place, Vectors
    from ..stores.communities import CommunityStore
    from ..stores.entities import EntityStore
    from ..stores.readings import ReadingStore
    from ..stores.replies import ReplyStore
    from ..stores.vector_tables import QuestionVectors, SentenceStore


T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class Index:
    """An open index: its stores, and the embeddings that built it.

    index = open_index("notes")
    for passage in index.catalogue.all_passages():
        print(passage["title"], passage["text"])

    While vectors are made beside those in use, ``in_use`` is the index as its readers see it, and
    ``beside`` has the one that is written to; where ``anew``, nothing derived is taken over from
    before. ``kept`` is what nodes keep of the index in memory. Of an index that a filter narrows,
    ``whole`` is all of it, ``where`` the filter as text, and ``allowed`` are the passages in it.
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
    inode: int | None = None
    read_only: bool = False
    in_use: Index | None = None
    anew: bool = False
    beside: dict[str, Index] = field(default_factory=dict, repr=False)
    kept: dict[Any, OrderedDict[str, tuple[str, Any]]] = field(default_factory=dict, repr=False)
    whole: Index | None = None
    where: str = ""
    allowed: frozenset[str] | None = None

    @cached_property
    def embedder(self) -> Embedder:
        """The embeddings that built the index. Raises RagraphsError when they cannot be had."""
        if self.whole is not None:
            return self.whole.embedder
        name = self.catalogue.property("embeddings")
        if name is None:
            raise IndexNotFoundError(
                f"The index at {self.folder} is empty; fill it with: ragraphs index SOURCE "
                f"--index {self.folder}"
            )
        if identity(self.operator.embeddings) == identity(name):
            name = self.operator.embeddings
        return open_embedder(name, self.operator)


_open: OrderedDict[Path, Index] = OrderedDict()  # the one used last stands last
_alive: WeakValueDictionary[Path, Index] = WeakValueDictionary()
_dropped: deque[tuple[Vectors, Engine]] = deque()
_lock = Lock()
VECTORS = "vectors"  # property: the generation of vectors in use
_WRITTEN = "vectors_written"
_FILTERS_KEPT = 8


def open_index(context: Context | str, *, create: bool = False, in_memory: bool = False) -> Index:
    """The index of a folder, or of the folder that ``context`` names.

        index = open_index("notes")
        print(index.catalogue.count_documents())

    It is opened once, and again when its folder was replaced; the operator says how many stay
    open that nobody uses. Where there is none, ``create`` makes one, and ``in_memory`` gives an
    empty one that leaves no trace. Blocks. Raises IndexNotFoundError, or RagraphsError where it
    cannot be opened.
    """
    from ..stores.schema import DATABASE, open_database, open_memory

    operator = settings()
    folder = index_folder(context if isinstance(context, str) else context.index, operator)
    with _lock:
        database = folder / DATABASE
        inode = database.stat().st_ino if database.exists() else None
        if in_memory and inode is None:
            return _index(folder, open_memory(), operator)
        index = _alive.get(folder)
        if index is None or index.inode is None or index.inode != inode:
            index = _index(folder, open_database(folder, create=create), operator)
            _alive[folder] = index
            if index.read_only:
                current_meter().warn(
                    f"The index at {folder} can only be read: its vectors are read from a "
                    "temporary copy."
                )
        _open[folder] = index
        _open.move_to_end(folder)
        while len(_open) > operator.open_indexes:
            _open.popitem(last=False)
    _close_dropped()
    return index


def _close_dropped() -> None:
    """Closes the stores of indexes that nobody holds any more."""
    while _dropped:
        vectors, engine = _dropped.popleft()
        vectors.close()
        engine.dispose()


def mark_written(index: Index) -> None:
    """Tells other processes that the vectors have changed. Blocks."""
    stamp = uuid.uuid4().hex
    index.catalogue.set_property(_WRITTEN, stamp)
    index.vectors.note_written(stamp)


def _place(catalogue: Catalogue) -> Place:
    from ..stores.chroma import FIRST, Place

    generation, written = catalogue.properties(VECTORS, _WRITTEN)
    return Place(generation or FIRST, written)


def _index(folder: Path, engine: Engine, operator: Settings) -> Index:
    from ..stores.catalogue import Catalogue
    from ..stores.chroma import Vectors
    from ..stores.communities import CommunityStore
    from ..stores.entities import EntityStore
    from ..stores.readings import ReadingStore
    from ..stores.replies import ReplyStore
    from ..stores.schema import DATABASE, is_read_only
    from ..stores.vector_tables import QuestionVectors, SentenceStore

    catalogue = Catalogue(engine)
    # The id tells the index apart from others on the same Chroma server.
    id = catalogue.ensure_property("id", f"ragraphs-{uuid.uuid4().hex[:12]}")
    is_shared = operator.root is not None
    vectors = Vectors(folder, id, operator.chroma_url, partial(_place, catalogue), is_shared)
    database = folder / DATABASE
    index = Index(
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
        database.stat().st_ino if database.exists() else None,
        is_read_only(folder),
    )
    # Closed later: this may run anywhere, even while the stores hold a lock.
    finalize(index, _dropped.append, (vectors, engine)).atexit = False
    return index


async def language_model(index: Index, context: Context, name: str | None = None) -> LanguageModel:
    """The language model called ``name``, or that ``context`` names, with the replies of ``index``.

    Raises RagraphsError when it is not allowed, unknown, or has no key.
    """
    if name is not None:
        context = context.model_copy(update={"model": name})
    return await open_language_model(context, index.operator, index.replies, lambda: index.embedder)


class Kept(Generic[T]):
    """One value for each open index, made by ``load`` when the index's ``stamp`` has changed.

    Where ``by_filter``, an index that a filter narrows has a value of its own, for the last few
    filters; else it has that of the whole index.
    """

    def __init__(
        self,
        stamp: Callable[[Index], str],
        load: Callable[[Index], T],
        by_filter: bool = False,
    ) -> None:
        self._stamp = stamp
        self._load = load
        self._by_filter = by_filter
        self._lock = RLock()  # a part may be made from the value of the whole

    def of(self, index: Index) -> T:
        """The value of ``index``. Blocks; raises what ``stamp`` and ``load`` raise."""
        if index.whole is not None and not self._by_filter:
            index = index.whole
        stamp = self._stamp(index)
        if index.where:
            stamp = f"{stamp} {passages_stamp(index)}"
        with self._lock:
            values = index.kept.setdefault(self, OrderedDict())
            known = values.get(index.where)
            if known is None or known[0] != stamp:
                known = values[index.where] = stamp, self._load(index)
            values.move_to_end(index.where)
            while len(values) > _FILTERS_KEPT:
                del values[next(filter(None, values))]
            value: T = known[1]
            return value


def passages_stamp(index: Index) -> str:
    """A text that is another one whenever a passage or its metadata has changed. Blocks."""
    from ..stores.catalogue import PASSAGES

    return str(index.catalogue.property(PASSAGES))
