"""Opening an index, and the models that serve it."""

from __future__ import annotations

import uuid
from collections import OrderedDict, deque
from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache, partial
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Lock, RLock
from typing import TYPE_CHECKING, Any, Generic, TypeVar
from weakref import WeakValueDictionary, finalize

from ..context import Context
from ..models.embeddings import Embedder, identity, open_embedder, own_embedder
from ..models.figures import OPEN_INDEXES, note
from ..models.meter import current_meter
from ..models.runs import seen_by_run
from ..settings import Settings, settings
from ..state.errors import IndexNotFoundError, RagraphsError, UnavailableError
from ..state.own import Own, label_of
from .location import Location, locate

if TYPE_CHECKING:
    from langchain_core.embeddings import Embeddings
    from sqlalchemy import Engine

    from ..stores.array_store import ArrayStore
    from ..stores.catalogue import Catalogue
    from ..stores.communities import CommunityStore
    from ..stores.entities import EntityStore
    from ..stores.readings import ReadingStore
    from ..stores.replies import ReplyStore
    from ..stores.vector_tables import QuestionVectors, SentenceStore
    from ..stores.vectors import Generation, Vectors


T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class Index:
    """An open index: its stores, and the embeddings that built it.

    index = open_index("notes")
    for passage in index.catalogue.all_passages():
        print(passage["title"], passage["text"])

    ``folder`` has its files; where the catalogue is in a database, only this machine's copies of
    arrays. Names of documents are relative to ``home``. ``incarnation`` is another one where the
    index was deleted and made anew.

    While vectors are made beside those in use, ``in_use`` is the index as its readers see it, and
    ``beside`` has the one that is written to; where ``anew``, nothing derived is taken over from
    before. ``kept`` is what nodes keep of the index in memory. Of an index that a filter narrows,
    ``whole`` is all of it, ``where`` the filter as text, and ``allowed`` are the passages in it;
    where there are none, ``unmet`` says why.
    ``shared`` is the open index that this one shows with ``embeddings`` of the caller's.
    """

    location: Location
    engine: Engine
    folder: Path
    home: Path
    catalogue: Catalogue
    vectors: Vectors
    arrays: ArrayStore
    sentences: SentenceStore
    questions: QuestionVectors
    replies: ReplyStore
    readings: ReadingStore
    entities: EntityStore
    communities: CommunityStore
    operator: Settings
    incarnation: object = None
    read_only: bool = False
    in_use: Index | None = None
    anew: bool = False
    beside: dict[str, Index] = field(default_factory=dict, repr=False)
    kept: dict[Any, OrderedDict[str, tuple[str, Any]]] = field(default_factory=dict, repr=False)
    whole: Index | None = None
    where: str = ""
    allowed: frozenset[str] | None = None
    unmet: Sequence[str] = ()
    embeddings: Embeddings | None = None
    shared: Index | None = field(default=None, repr=False)

    @cached_property
    def embedder(self) -> Embedder:
        """The embeddings that built the index. Raises RagraphsError when they cannot be had."""
        if self.whole is not None:
            return self.whole.embedder
        name = self.catalogue.property("embeddings")
        if name is None:
            raise IndexNotFoundError(
                f"The index at {self.name} is empty; fill it with: ragraphs index SOURCE "
                f"--index {self.name}"
            )
        if self.embeddings is not None:
            own = own_embedder(self.embeddings)
            if own.name != name:
                raise RagraphsError(
                    f"The index at {self.name} was built with the embeddings {identity(name)}, "
                    f"not {own.name}; leave embeddings out, or name a new index."
                )
            return own
        if identity(self.operator.embeddings) == identity(name):
            name = self.operator.embeddings
        return open_embedder(name, self.operator)

    @property
    def name(self) -> str:
        """The text that opens the index again; it stands in messages."""
        return self.location.name

    @property
    def short_name(self) -> str:
        """The name without the folders that lead to it."""
        return self.location.short_name

    def writing(
        self, waits: Callable[[int], None] | None = None
    ) -> AbstractAsyncContextManager[None]:
        """Locks the index for one writer, which ``waits`` its turn and is told how many are ahead.

        Raises IndexBusyError where another one has it and nobody waits.
        """
        from ..stores.lock import writing

        return writing(self.engine, self.name, waits)


_open: OrderedDict[Location, Index] = OrderedDict()  # the one used last stands last
_alive: WeakValueDictionary[Location, Index] = WeakValueDictionary()
_dropped: deque[tuple[Vectors, Engine]] = deque()
_lock = Lock()
VECTORS = "vectors"  # property: the generation of vectors in use
VECTORS_WRITTEN = "vectors_written"
COPIED_FROM = "copied_from"  # property: the source of a copy that is not finished
_ID = "id"
_MOST_REPLIES = 10_000
_FILTERS_KEPT = 8


def open_index(context: Context | str, *, create: bool = False, in_memory: bool = False) -> Index:
    """The index of that name, or the one that ``context`` names.

        index = open_index("notes")
        print(index.catalogue.count_documents())

    The name is a folder, or an index in the operator's database. It is opened once, and again when
    it was replaced; the operator says how many stay open that nobody uses. Where there is none,
    ``create`` makes one, and ``in_memory`` gives an empty one that leaves no trace. Blocks. Raises
    IndexNotFoundError, or RagraphsError where it cannot be opened.
    """
    if isinstance(context, str):
        return _opened(context, create, in_memory)
    own = context.own
    if own.retriever is not None and "index" not in context.model_fields_set:
        index = _without_folder(own)
    else:
        index = _opened(context.index, create, in_memory)
    if own.embeddings is None and own.prompts is None:
        return index
    operator = index.operator
    if own.prompts is not None:
        operator = operator.model_copy(update={"prompts": own.prompts})
    return replace(index, operator=operator, embeddings=own.embeddings, shared=index)


def _without_folder(own: Own) -> Index:
    """An empty index for runs that find their texts by a retriever of the caller's.

    It keeps replies while this process lives. In memory, threads would share one connection.
    """
    label = "lexical" if own.embeddings is None else label_of(own.embeddings)
    index, _ = _temporary(label)
    if index.replies.count() > _MOST_REPLIES:
        index.replies.forget_unused((), used_too=False, others=True)
    return replace(index, operator=settings(), shared=index)


@lru_cache(maxsize=1)
def _temporary(embeddings: str) -> tuple[Index, TemporaryDirectory[str]]:
    from ..stores.schema import open_database

    folder = TemporaryDirectory(prefix="ragraphs-", ignore_cleanup_errors=True)
    path = Path(folder.name)
    location = Location(str(path))
    index = index_of(location, open_database(path, create=True), settings())
    index.catalogue.set_property("embeddings", embeddings)
    return index, folder


def _opened(name: str, create: bool, in_memory: bool) -> Index:
    operator = settings()
    location = locate(name, operator)
    index = _alive.get(location)
    if index is None or not _is_current(index):
        try:
            index = _opened_anew(location, operator, index, create and not in_memory)
        except IndexNotFoundError:
            if not in_memory:
                raise
            from ..stores.schema import open_memory

            return index_of(location, open_memory(), operator)
    with _lock:
        before = len(_open)
        _open[location] = index
        _open.move_to_end(location)
        while len(_open) > operator.open_indexes:
            _open.popitem(last=False)
        if more := len(_open) - before:
            note(OPEN_INDEXES, more)
    _close_dropped()
    return index


def _opened_anew(
    location: Location, operator: Settings, outdated: Index | None, create: bool
) -> Index:
    with _lock:
        index = _alive.get(location)
        if index is not None and index is not outdated:  # another thread was quicker
            return index
        index = index_of(location, location.open_catalogue(operator, create=create), operator)
        check_whole(index)
        _alive[location] = index
    if index.read_only:
        current_meter().warn(
            f"The index at {index.name} can only be read: its vectors are read from a temporary "
            "copy."
        )
    return index


def _is_current(index: Index) -> bool:
    """Whether the index was not deleted, or made anew, since it was opened. Blocks.

    A server is asked once in a run, of which each node opens the index.
    """
    if not index.location.in_database:
        return index.incarnation is not None and index.incarnation == index.location.inode()
    if index.incarnation in (seen := seen_by_run()):
        return True
    try:
        is_current = bool(index.incarnation == index.catalogue.property(_ID))
    except UnavailableError:  # nobody else waits meanwhile
        raise
    except RagraphsError:  # opening it anew says why
        return False
    seen |= {index.incarnation} if is_current else set()
    return is_current


def check_whole(index: Index) -> None:
    """Raises RagraphsError where the index is a copy that was not finished. Blocks."""
    if (source := index.catalogue.property(COPIED_FROM)) is not None:
        raise RagraphsError(
            f"The index at {index.name} is a copy that was not finished; run again: ragraphs copy "
            f"{source} {index.location.short_name}"
        )


def _close_dropped() -> None:
    """Closes the stores of indexes that nobody holds any more."""
    from ..stores.queries import close_database

    while _dropped:
        vectors, engine = _dropped.popleft()
        vectors.close()
        close_database(engine)


def mark_written(index: Index) -> None:
    """Tells other processes that the vectors have changed. Blocks."""
    stamp = uuid.uuid4().hex
    index.catalogue.set_property(VECTORS_WRITTEN, stamp)
    index.vectors.note_written(stamp)


def _in_use(catalogue: Catalogue) -> Generation:
    from ..stores.vectors import FIRST, Generation

    name, written = catalogue.properties(VECTORS, VECTORS_WRITTEN)
    return Generation(name or FIRST, written)


def index_of(location: Location, engine: Engine, operator: Settings) -> Index:
    """The index at ``location``, whose catalogue is open; a new one gets its id. Blocks."""
    from ..stores.array_store import ArrayStore
    from ..stores.catalogue import Catalogue
    from ..stores.communities import CommunityStore
    from ..stores.entities import EntityStore
    from ..stores.readings import ReadingStore
    from ..stores.replies import ReplyStore
    from ..stores.schema import is_read_only
    from ..stores.vector_store import vectors_at
    from ..stores.vector_tables import QuestionVectors, SentenceStore

    catalogue = Catalogue(engine)
    # The id tells the index apart from others on the same server.
    id = catalogue.ensure_property(_ID, f"ragraphs-{uuid.uuid4().hex[:12]}")
    folder = location.folder(operator, id)
    vectors = vectors_at(folder, id, operator, engine, partial(_in_use, catalogue))
    index = Index(
        location,
        engine,
        folder,
        location.home(operator, catalogue),
        catalogue,
        vectors,
        ArrayStore(folder, engine if location.in_database else None),
        SentenceStore(engine),
        QuestionVectors(engine),
        ReplyStore(engine),
        ReadingStore(engine),
        EntityStore(engine),
        CommunityStore(engine),
        operator,
        id if location.in_database else location.inode(),
        not location.in_database and is_read_only(folder),
    )
    # Closed later: this may run anywhere, even while the stores hold a lock.
    finalize(index, _dropped.append, (vectors, engine)).atexit = False
    return index


class CachedValue(Generic[T]):
    """One value for each open index, made by ``load`` when the index's ``stamp`` has changed.

    Where ``by_filter``, an index that a filter narrows has a value of its own, for the last few
    filters; else it has the value of the whole index.
    """

    def __init__(
        self, stamp: Callable[[Index], str], load: Callable[[Index], T], by_filter: bool = False
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
    from ..stores.passage_stamp import PASSAGES

    return str(index.catalogue.property(PASSAGES))
