"""Taking over entities and relations that were found elsewhere."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import ValidationError

from ...context import IndexContext
from ...index.opening import Index
from ...index.progress import Progress, progress_of
from ...prompts.extraction_replies import Facts, joined, to_facts
from ...settings import Settings
from ...state.index import Failure, IndexState
from ...state.records import Document
from ...stores.loading.file import SourceFile
from ...stores.loading.rows import JsonLine, json_lines
from ...stores.loading.sources import document_path
from ...stores.loading.types import Limits, LoadError, LoadFailure
from ...stores.queries import batches
from ...stores.readings import IMPORTED, Reading
from ..node import node
from ..run import Run, Update
from .fact_sharing import share_facts
from .graph_cards import GraphLine, aliases_in, cards_of, documents_of

_BATCH = 100
_LIMITS = Limits(line_characters=1024 * 1024)  # a value of JSON may take a hundred times as much
_NAMED_BY = ("passage", "document", "id")
_SEPARATOR = re.compile("[/#]")


@node()
async def import_triples(state: IndexState, run: Run[IndexContext]) -> Update:
    """Stores triples that were found elsewhere as what was read in the passages."""
    if not state["triple_files"]:
        return {}
    report = progress_of("import_triples")
    failures = await run.in_thread(_import, state["triple_files"], report)
    return {"failures": [*state["failures"], *failures]}


def names_in(index: Index, files: Sequence[str]) -> frozenset[str]:
    """The names of the documents that triples are given for. Blocks."""
    given = files, index.operator, index.home
    lines = (line for line in _lines(*given) if isinstance(line, JsonLine))
    cards = (card["id"] for card in graph_documents(*given).cards)
    return frozenset([*filter(None, (_name(line.value) for line in lines)), *cards])


def suffixes(document: str) -> Iterator[str]:
    """The names of a document: its id, or the end of the id after any ``/`` or ``#``."""
    yield document
    for separator in _SEPARATOR.finditer(document):
        yield document[separator.end() :]


def _import(index: Index, files: Sequence[str], report: Progress) -> list[Failure]:
    known = _documents(index)
    found: defaultdict[str, list[Facts]] = defaultdict(list)
    failures: list[Failure] = []
    cards: list[GraphLine] = []
    for line in _lines(files, index.operator, index.home):
        try:
            if isinstance(line, LoadFailure):
                raise LoadError(line.reason)
            document = _meant(line.value, known) if _name(line.value) else ""
            facts, left_out = _facts(line.value)
            if document:
                found[document].append(facts)
            else:
                cards.append(_graph_line(line, facts))
            if left_out:
                raise LoadError(f"{left_out} of its entities and triples cannot be read.")
        except LoadError as error:
            where = line.source if isinstance(line, LoadFailure) else line.where
            failures.append({"path": where, "reason": str(error)})
    for id, card in cards_of(cards).items():
        found[id].append(card.facts)
    for done, batch in enumerate(batches(found, _BATCH), start=1):
        _store(index, {document: found[document] for document in batch})
        report(min(done * _BATCH, len(found)), len(found))
    return failures


def _lines(
    files: Sequence[str], operator: Settings, home: Path
) -> Iterator[JsonLine | LoadFailure]:
    for name in files:
        file = operator.base / name
        path = document_path(file, home)
        source = SourceFile(file, path, operator.root, _LIMITS)
        try:
            yield from json_lines(source)
        except LoadError as error:
            yield LoadFailure(path, str(error))
        except OSError as error:
            yield LoadFailure(path, f"{path} could not be read ({error.strerror}).")


def _documents(index: Index) -> dict[str, set[str]]:
    """The ids of documents by all that they may be called."""
    known: defaultdict[str, set[str]] = defaultdict(set)
    for document in index.catalogue.documents():
        for name in suffixes(document["id"]):
            known[name].add(document["id"])
    return known


def _name(row: Any) -> str:
    given = (row.get(key) for key in _NAMED_BY) if isinstance(row, dict) else ()
    return next((str(name) for name in given if isinstance(name, str | int)), "")


def _meant(row: Any, known: Mapping[str, set[str]]) -> str:
    """The document that a line names. Raises LoadError where it is none, or not one."""
    name = _name(row)
    documents = {name} if name in known.get(name, ()) else known.get(name, set())
    if not documents:
        raise LoadError(f"There is no document {name!r} in the index.")
    if len(documents) > 1:
        some = ", ".join(sorted(documents)[:3])
        raise LoadError(f"{name!r} may be any of {some}; name one in full.")
    return next(iter(documents))


class GraphRead(NamedTuple):
    """The cards of a graph in files of triples, and the files all of whose lines could be read."""

    cards: list[Document]
    whole: list[str]


def graph_documents(files: Sequence[str], operator: Settings, home: Path) -> GraphRead:
    """The cards of the lines that name no document, which make up a graph by themselves. Blocks."""
    found: list[GraphLine] = []
    whole: list[str] = []
    for file in files:
        failed = False
        for line in _lines([file], operator, home):
            try:  # what fails is told by the import
                if isinstance(line, LoadFailure):
                    raise LoadError(line.reason)
                if not _name(line.value):
                    facts, left_out = _facts(line.value)
                    found.append(_graph_line(line, facts))
                    failed |= left_out > 0
            except LoadError:
                failed = True
        if not failed:
            whole.append(document_path(operator.base / file, home))
    return GraphRead(list(documents_of(cards_of(found))), whole)


def _graph_line(line: JsonLine, facts: Facts) -> GraphLine:
    if not (facts.entities or facts.relations or facts.claims):
        raise LoadError('It names no document under "passage", and holds no triples of a graph.')
    return GraphLine(line.where.rpartition(",")[0], facts, aliases_in(line.value))


def _facts(row: Mapping[str, Any]) -> tuple[Facts, int]:
    """The facts of a line, and the number of items in it that cannot be read. Raises LoadError."""
    try:
        given = Facts.tidy({key: value for key, value in row.items() if key not in _NAMED_BY})
        facts = Facts.model_validate(given)
    except (ValidationError, AttributeError) as error:
        raise LoadError(
            'It has no entities and triples that can be read; write "entities": [name, ...] and '
            '"triples": [[source, relation, target], ...].'
        ) from error
    read = len(facts.entities) + len(facts.relations) + len(facts.claims)
    return facts, sum(map(len, given.values())) - read


def _store(index: Index, found: Mapping[str, Sequence[Facts]]) -> None:
    readings: list[Reading] = []
    for document, passages in index.catalogue.passages_of(found).items():
        texts = [passage["text"] for passage in passages]
        shares = share_facts(to_facts(joined(found[document])), texts)
        readings += [
            Reading(passage["id"], "facts", IMPORTED, dict(facts))
            for passage, facts in zip(passages, shares, strict=True)
        ]
    index.readings.put(readings)
