"""Checks of a store of vectors: what an index expects of ``stores.vectors.Vectors``."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import wraps
from itertools import count
from typing import TYPE_CHECKING

from ..state.errors import RagraphsError
from ..stores.vectors import FIRST, Entry, Vectors, new_generation
from .report import PartReport, report_on, require

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_DIMENSION = 16
_MANY = 6000
_NEAR = 1e-3  # a store may keep half of the bits
_SEVERAL = 600
_THREADS = 8


class _Store:
    """A store, of which ``opened`` gives an empty index."""

    def __init__(self, open_vectors: Callable[[str], Vectors]) -> None:
        self._open, self._numbers = open_vectors, count()

    @contextmanager
    def opened(self) -> Iterator[Vectors]:
        """The vectors of an index that nobody has used, which are deleted in the end."""
        vectors = self._open(f"checked-{next(self._numbers)}")
        try:
            yield vectors
        finally:
            vectors.delete_all_but([])
            vectors.close()


def check_vectors(open_vectors: Callable[[str], Vectors], name: str = "vectors") -> PartReport:
    """The report on a store of vectors; ``open_vectors`` opens the vectors of an index by its id.

    print(check_vectors(lambda index: MyVectors(folder / index), "MyVectors"))

    Some indexes called ``checked-N`` are made, and deleted again.
    """
    needed = [_in_thread(check) for check in _NEEDED]
    return report_on(name, _Store(open_vectors), needed, [])


def _in_thread(check: Callable[[Vectors], None]) -> Callable[[_Store], Awaitable[None]]:
    @wraps(check)
    def checked(store: _Store) -> None:
        with store.opened() as vectors:
            check(vectors)

    @wraps(check)
    async def waited(store: _Store) -> None:
        await asyncio.to_thread(checked, store)

    return waited


def nearest_first(vectors: Vectors) -> None:
    """Finds the nearest vectors by cosine, best first, and by id where they are as near."""
    vectors.add("passages", _entries(3, 2, 1, 4), _units(3, 2, 1, 2))
    query = (0.8 * _units(2) + 0.6 * _units(3))[0]
    found = vectors.search("passages", query, 3)
    require([id for id, _ in found] == ["p2", "p4", "p3"], f"found were {found}")
    require(_near([cosine for _, cosine in found], [0.8, 0.8, 0.6]), f"found were {found}")


def several_at_once(vectors: Vectors) -> None:
    """Finds for several vectors what it finds for each, among some ids too."""
    vectors.add("passages", _entries(1, 2, 3), _units(1, 2, 3))
    for among in (None, frozenset({"p1", "p3"}), frozenset[str]()):
        found = vectors.search_all("passages", _units(2, 3), 1, among)
        alone = [vectors.search("passages", one, 1, among) for one in _units(2, 3)]
        require(found == alone, f"{found} is not {alone}")
    only = [id for id, _ in vectors.search("passages", _units(2)[0], 5, frozenset({"p1"}))]
    require(only == ["p1"], f"among p1 alone was found {only}")


def replaced_and_removed(vectors: Vectors) -> None:
    """Adding again replaces, and removing forgets, also ids that there are not."""
    vectors.add("passages", _entries(1, 2), _units(1, 2))
    vectors.add("passages", _entries(2), _units(3))
    vectors.remove("passages", ["p1", "never there"])
    require(vectors.ids("passages") == {"p2"}, f"there are {vectors.ids('passages')}")
    require(_near(vectors.get("passages", ["p2"]), _units(3)), "the earlier vector is still there")


def given_in_order(vectors: Vectors) -> None:
    """Gives vectors in the order of the ids, as float32, and says where one is missing."""
    require(len(vectors.get("entities", [])) == 0, "no ids gave some")
    require(vectors.dimension("entities") is None, "no vectors have a dimension")
    numbers = range(_SEVERAL)
    vectors.add("entities", _entries(*numbers), _units(*numbers))
    found = vectors.get("entities", [f"p{n}" for n in reversed(numbers)])
    require(str(found.dtype) == "float32", f"they are {found.dtype}")
    require(vectors.dimension("entities") == _DIMENSION, "their dimension is another one")
    require(_near(found, _units(*reversed(numbers))), "they were others")
    try:
        vectors.get("entities", ["p1", "never there"])
    except RagraphsError:
        return
    raise AssertionError("a vector that there is not was no error")


def metadata_kept(vectors: Vectors) -> None:
    """Gives back metadata beside the vectors, and puts other metadata in their place."""
    entry = Entry("a", "", {"author": "Ada", "tags": ["x", "y"], "year": 1843})
    vectors.add("passages", [entry], _units(1))
    new = {"author": "Augusta", "tags": ["z"], "draft": True}
    for wanted in (entry.metadata, new):
        vectors.describe("passages", [Entry("a", "", wanted), Entry("never there", "", wanted)])
        [([found], read)] = vectors.entries("passages")
        require((found.id, found.metadata) == ("a", wanted), f"{found} is not what was written")
        require(_near(read, _units(1)), "the vector changed")


def filtered(vectors: Vectors) -> None:
    """Searches those alone that meet a filter."""
    vectors.add("passages", _entries(1, 2), _units(1, 2))
    narrowed = vectors.only({"document": "d"}, frozenset({"p1"}))
    found = [id for id, _ in narrowed.search("passages", _units(2)[0], 5, frozenset({"p1"}))]
    require(found == ["p1"], f"found were {found}")


def empty_and_zero(vectors: Vectors) -> None:
    """An empty collection and a vector of zeros are no error."""
    require(vectors.lacks("passages") and not vectors.ids("passages"), "there are some")
    require(vectors.search("passages", _units(1)[0], 5) == [], "something was found")
    require(list(vectors.entries("reports")) == [], "there are entries")
    vectors.add("passages", _entries(1), _units(1) * 0)
    require(not vectors.lacks("passages"), "nothing was added")
    require(len(vectors.search("passages", _units(1)[0], 5)) == 1, "zeros were not found")


def many(vectors: Vectors) -> None:
    """Adds, reads and removes 6,000 vectors in one call each."""
    numbers = range(_MANY)
    vectors.add("passages", _entries(*numbers), _units(*numbers))
    vectors.settle("passages")
    rows = sum(len(entries) for entries, _ in vectors.entries("passages"))
    require(rows == len(vectors.ids("passages")) == _MANY, f"{rows} of {_MANY} are there")
    require(vectors.count("passages") == _MANY, "they are not counted")
    vectors.remove("passages", [f"p{n}" for n in numbers if n])
    require(vectors.ids("passages") == {"p0"}, "not all were removed")


def owned(vectors: Vectors) -> None:
    """Finds the vectors of owners, which begin their ids."""
    entries = [Entry(f"e{n}-{n}", "", {}) for n in (1, 2, 3)]
    vectors.add("entities", entries, _units(1, 2, 3))
    found = vectors.owned("entities", {"e1", "e3", "e4"})
    require(found == {"e1-1", "e3-3"}, f"found were {found}")


def collections_apart(vectors: Vectors) -> None:
    """Collections, and generations of other dimensions, stay apart; others are deleted."""
    vectors.add("passages", _entries(1), _units(1))
    require(vectors.lacks("entities"), "a passage is an entity")
    beside = vectors.at(new_generation())
    beside.add("passages", _entries(2), _units(2)[:, :3])
    require(vectors.ids("passages") == {"p1"}, "a generation beside changed the one in use")
    require(beside.ids("passages") == {"p2"}, "what was added beside is not there")
    beside.close()
    vectors.delete_all_but([FIRST])
    require(vectors.ids("passages") == {"p1"}, "the generation in use was deleted")


def threads(vectors: Vectors) -> None:
    """Eight threads read and write at once."""

    def use(n: int) -> bool:
        vectors.add("passages", _entries(n), _units(n))
        return bool(vectors.search("passages", _units(n)[0], 3))

    with ThreadPoolExecutor(_THREADS) as several:
        require(all(several.map(use, range(32))), "a thread found nothing")
    require(len(vectors.ids("passages")) == 32, "something that was added is not there")


_NEEDED = (
    nearest_first,
    several_at_once,
    replaced_and_removed,
    given_in_order,
    metadata_kept,
    filtered,
    empty_and_zero,
    many,
    owned,
    collections_apart,
    threads,
)


def _entries(*numbers: int) -> list[Entry]:
    return [Entry(f"p{n}", "t", {"document": "d", "title": ""}) for n in numbers]


def _units(*numbers: int) -> NDArray[np.float32]:
    import numpy as np

    return np.eye(_DIMENSION, dtype=np.float32)[[n % _DIMENSION for n in numbers]]


def _near(
    found: NDArray[np.float32] | Sequence[float], wanted: NDArray[np.float32] | Sequence[float]
) -> bool:
    import numpy as np

    return np.shape(found) == np.shape(wanted) and np.allclose(found, wanted, atol=_NEAR)
