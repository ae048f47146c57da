"""An overview of an index: its documents and their subjects, its topics, questions it answers."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from ..index.layers import built_layers
from ..index.opening import CachedValue, Index, passages_stamp
from ..language.analyser import sentences
from ..state.records import Passage
from ..stores.catalogue import DocumentRow
from .passage_graph import first_words
from .suggestions import suggestions

_DOCUMENTS = 9
_NAMES = 5
_TOPICS = 6
_READ = 200  # passages of a document whose names are counted
_NUMBER = re.compile(r"(\d{1,18})")
_ROW = "#row-"  # behind the path, in the id of a row of a CSV file that has no id of its own
_LEAST = 3  # entities of a topic


def overview(index: Index) -> dict[str, Any]:
    """The largest documents, each with its subjects, the largest topics, and a few questions.

    ``about`` are the names that a document speaks of most, else its first words; of the ``rows`` of
    a file, which are one document, their titles. A question is one that a passage answers, as the
    hops layer has it, each of another document. Blocks.
    """
    return _kept.of(index)


def sizes_of(index: Index) -> dict[str, int]:
    """The numbers of documents, of ``rows`` among them, and of ``files``, where rows are no files.

    What was given without a file counts as one. Blocks.
    """
    documents = index.catalogue.count_documents()
    rows, tables = index.catalogue.count_file_rows(_ROW)
    return {"documents": documents, "rows": rows, "files": documents - rows + tables}


def title_of(index: Index) -> str:
    """A title for all documents of ``index``: of two, and the number of the others. Blocks."""
    titles = [_title(some) for some in _largest_first(index)]
    more = len(titles) - 2
    return ", ".join(titles[:2]) + (f" +{more}" if more > 0 else "")


def _stamp(index: Index) -> str:
    return " ".join([passages_stamp(index), *built_layers(index)])


def _load(index: Index) -> dict[str, Any]:
    layers, files = built_layers(index), _largest_first(index)
    return {
        "documents": list(_documents(index, files[:_DOCUMENTS], "entities" in layers)),
        "total": len(files),
        "topics": list(_topics(index)) if "communities" in layers else [],
        "questions": suggestions(index) if "hops" in layers else [],
    }


_kept = CachedValue(_stamp, _load)


def _largest_first(index: Index) -> list[list[DocumentRow]]:
    """The documents, each alone, and behind them the files of rows, each with its rows."""
    files: dict[str, list[DocumentRow]] = {}
    for row in sorted(index.catalogue.documents(), key=in_order):
        files.setdefault(row["path"] if _is_row(row) else row["id"], []).append(row)
    size = {name: sum(row["passages"] for row in rows) for name, rows in files.items()}
    first = sorted(files, key=lambda name: ("#" in files[name][0]["id"], -size[name]))
    return [files[name] for name in first]


def in_order(row: DocumentRow) -> list[tuple[int, str]]:
    """A key to sort documents by their ids, where "row-9" is before "row-10"."""
    return [(int(part), "") if part.isdecimal() else (0, part) for part in _NUMBER.split(row["id"])]


def _is_row(row: DocumentRow) -> bool:
    return row["id"].startswith(f"{row['path']}{_ROW}")


def _title(file: Sequence[DocumentRow]) -> str:
    first = file[0]
    return first["path"].rpartition("/")[2] if _is_row(first) else first["title"] or first["id"]


def _documents(
    index: Index, files: Sequence[list[DocumentRow]], has_names: bool
) -> Iterator[dict[str, Any]]:
    ids = [file[0]["id"] for file in files]
    beginnings = index.catalogue.beginnings(ids)
    passages: dict[str, list[Passage]] = {}
    if has_names:
        passages = index.catalogue.passages_of(ids)
    for file in files:
        row = file[0]
        if _is_row(row):
            titles = ", ".join(one["title"] for one in file[:_NAMES] if one["title"])
            yield {"id": row["id"], "title": _title(file), "about": titles, "rows": len(file)}
            continue
        read = [one["id"] for one in passages.get(row["id"], ())[:_READ]]
        about = _names(index, read, row["title"])
        if not about and row["id"] in beginnings:
            said = sentences(beginnings[row["id"]][2])
            text = " ".join(one.plain.lstrip("# ") for one in said)
            about = first_words(text.removeprefix(row["title"]).lstrip())
        yield {"id": row["id"], "title": _title(file), "about": about, "rows": 0}


def _names(index: Index, passages: Sequence[str], title: str) -> str:
    """The names that ``passages`` mention most, but the title's own; one alone says too little."""
    counts = Counter(one.entity for one in index.entities.mentions_of(passages))
    most = index.entities.get([id for id, _ in counts.most_common(2 * _NAMES)])
    names = [most[id].name for id, _ in counts.most_common(2 * _NAMES) if id in most]
    names = [one for one in names if one.casefold() not in title.casefold()][:_NAMES]
    return ", ".join(names) if len(names) > 1 else ""


def _topics(index: Index) -> Iterator[dict[str, Any]]:
    """The largest communities that have a report, with its first sentence."""
    told = [one for one in index.communities.all() if one.report and one.report["summary"]]
    roots = [one for one in told if not one.parent and one.size >= _LEAST]
    for one in sorted(roots, key=lambda one: (-one.size, one.id))[:_TOPICS]:
        if one.report:
            said = one.report["summary"].splitlines()
            about = next((line for line in said if " | " not in line), said[0])  # no row of a table
            yield {"id": one.id, "title": one.report["title"], "about": about}
