"""The work of an update: one document of a hundred words comes, changes, and goes again.

``python -m lab.benchmarks.growth`` starts each change in a process of its own.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import accumulate
from typing import Any

from ragraphs.context import IndexContext
from ragraphs.evaluation.measuring import timed
from ragraphs.graphs.index import graph as index_graph
from ragraphs.index.opening import open_index
from ragraphs.models.protocol import OFFLINE
from ragraphs.settings import settings
from ragraphs.state.index import IndexInput

from ..measuring import processor_seconds
from .synthetic import made_up

CHANGES = ("add", "change", "remove")

_WORDS = 100
_ID = "the document that changes"
_SEEDS = {"add": 1, "change": 2}  # of texts that the corpus, which has another, does not hold


def apply_change(index: str, change: str) -> dict[str, Any]:
    """Brings an index up to date after a change of one document, and tells of the time of it.

    The processor time is that beyond the start of the process. Steps side by side share the
    processor, so that their seconds, which pass meanwhile, overlap. Of an index in PostgreSQL the
    write-ahead log is told, of all that its server does meanwhile.
    """
    context, given = IndexContext(index=index, model=OFFLINE), _given(change)
    logged = _logged_bytes(index)
    with _watched_steps() as steps:
        processor = processor_seconds()
        seconds, _ = timed(lambda: index_graph.invoke(given, context=context))
        used = processor_seconds() - processor
    found = {"seconds": round(seconds, 2), "processor_seconds": round(used, 2), "steps": steps}
    return found | {"log_mb": round((_logged_bytes(index) - logged) / 1e6, 2)}


def _logged_bytes(index: str) -> int:
    """The bytes of PostgreSQL's write-ahead log up to now; 0 of an index in a folder."""
    if settings().database is None:
        return 0
    with open_index(index).engine.connect() as connection:
        query = "SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')"
        return int(connection.exec_driver_sql(query).scalar_one())


def _given(change: str) -> IndexInput:
    if change == "remove":
        return {"remove": [_ID]}
    texts = [document["text"] for document in made_up(20, seed=_SEEDS[change])]
    lengths = accumulate(len(text.split()) for text in texts)
    whole = sum(length < _WORDS for length in lengths) + 1
    words = " ".join(texts[:whole]).split()[:_WORDS]
    return {"documents": [{"id": _ID, "title": "A change", "text": " ".join(words)}]}


@contextmanager
def _watched_steps() -> Iterator[dict[str, float]]:
    """The seconds that each node has taken, as the package's log tells them."""
    steps: dict[str, float] = {}
    log = logging.getLogger("ragraphs.nodes")
    level = log.level

    class Listener(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            if str(record.msg).startswith("%s took") and isinstance(record.args, tuple):
                name, taken = record.args[:2]
                steps[str(name)] = round(float(str(taken)), 2)

    listener = Listener()
    log.addHandler(listener)
    log.setLevel(logging.DEBUG)
    try:
        yield steps
    finally:
        log.setLevel(level)
        log.removeHandler(listener)
