"""An overview of an index: its documents and their subjects, its topics, questions it answers."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from ..index.layers import built_layers
from ..index.opening import CachedValue, Index, passages_stamp
from ..language.analyser import sentences
from ..language.markup import prose
from ..language.questions import analyse_question
from ..language.verbs import PASTS
from ..offline.lines import asked_marks, marks, telling_words
from ..state.records import Passage
from ..stores.catalogue import DocumentRow
from .passage_graph import first_words

_DOCUMENTS = 9
_NAMES = 5
_TOPICS = 6
_QUESTIONS = 4
_READ = 200  # passages of a document whose names are counted
_ASKED = 400  # passages whose questions are looked at
_LONGEST = 80  # characters of a question
_LEAST = 3  # entities of a topic
# "What offered ten pounds?" and "What can be cancelled by both?" name nothing.
_OF_THEY = re.compile(
    rf"What (?:{PASTS}|[a-z]+ed|can|could|may|must|shall|should|will|would|has|had) "
)
_DANGLING = re.compile(r"\b(?:it|they|them|he|she|him|this|these|those|then|such|but)\b", re.I)
_OF_SUBJECT = re.compile(r"(?:Is|Are|Was|Were|Has|Had) (?!(?:the|an?) [a-z])")
_TELLS = (  # after a name: that a sentence says something of it
    r"(?: \([^()]*\))?(?:,? (?:is|was|are|were|has|had|can|will|did|[a-z]+(?:[^s]s|ed)"
    rf"|{PASTS})\b|[은는이가] )"
)
_DEFINES = re.compile(r"(?:Who|What) is (?:the )?(.+)\?|(.+?)[은는] (?:무엇|누구)인가\?")
_LAST = {"definition": 1, "open": 2, "yes_no": 3}  # questions that come after those for a fact


def overview(index: Index) -> dict[str, Any]:
    """The largest documents, each with its subjects, the largest topics, and a few questions.

    ``about`` are the names that a document speaks of most, else its first words. A question is one
    that a passage answers, as the hops layer has it, each of another document. Blocks.
    """
    return _kept.of(index)


def title_of(index: Index) -> str:
    """A title for all documents of ``index``: of two, and the number of the others. Blocks."""
    titles = [row["title"] or row["id"] for row in _largest_first(index)]
    more = len(titles) - 2
    return ", ".join(titles[:2]) + (f" +{more}" if more > 0 else "")


def _stamp(index: Index) -> str:
    return " ".join([passages_stamp(index), *built_layers(index)])


def _load(index: Index) -> dict[str, Any]:
    layers, rows = built_layers(index), _largest_first(index)
    return {
        "documents": list(_documents(index, rows[:_DOCUMENTS], "entities" in layers)),
        "total": len(rows),
        "topics": list(_topics(index)) if "communities" in layers else [],
        "questions": _questions(index) if "hops" in layers else [],
    }


_kept = CachedValue(_stamp, _load)


def _largest_first(index: Index) -> list[DocumentRow]:
    return sorted(index.catalogue.documents(), key=lambda row: ("#" in row["id"], -row["passages"]))


def _documents(
    index: Index, rows: Sequence[DocumentRow], has_names: bool
) -> Iterator[dict[str, Any]]:
    ids = [row["id"] for row in rows]
    beginnings = index.catalogue.beginnings(ids)
    passages: dict[str, list[Passage]] = {}
    if has_names:
        passages = index.catalogue.passages_of(ids)
    for row in rows:
        read = [one["id"] for one in passages.get(row["id"], ())[:_READ]]
        about = _names(index, read, row["title"])
        if not about and row["id"] in beginnings:
            said = sentences(beginnings[row["id"]][2])
            text = " ".join(one.plain.lstrip("# ") for one in said)
            about = first_words(text.removeprefix(row["title"]).lstrip())
        yield {"id": row["id"], "title": row["title"], "about": about}


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


def _questions(index: Index) -> list[str]:
    """Questions that passages of different documents answer; those for a fact come first."""
    ids = sorted(index.catalogue.passage_ids())
    read = index.readings.values_of("questions", ids[:: len(ids) // _ASKED + 1])
    passages = {one["id"]: one for one in index.catalogue.passages(list(read))}
    found = [
        (rank, passages[id]["document"])
        for id, value in read.items()
        for asked in value["incoming"]
        if id in passages and (rank := _rank(asked, passages[id]))
    ]
    by_document: dict[str, str] = {}
    for (_, length, asked), document in sorted(found):
        if abs(length) <= _LONGEST and asked not in by_document.values():
            by_document.setdefault(document, asked)
    return list(by_document.values())[:_QUESTIONS]


def _rank(asked: str, told: Passage) -> tuple[int, int, str] | None:
    """How well a question stands alone, the best first: those for a fact that say most.

    None for a question that does not stand alone, and for one about a title of which no sentence
    says anything: it may be the name of a file, or of a row, as in "What is fuse 5 A?".
    """
    title = told["title"]
    defined = _DEFINES.fullmatch(asked)
    name = (defined[1] or defined[2]) if defined else title if title in asked else ""
    if _OF_THEY.match(asked) or _DANGLING.search(asked) or (_OF_SUBJECT.match(asked) and not name):
        return None
    if name and not re.search(re.escape(name) + _TELLS, prose(told["text"])):
        return None
    kind, said = analyse_question(asked).answer_type, set(asked_marks(telling_words(asked)))
    if said <= marks(title):
        kind = "definition"
        if said.isdisjoint(marks(told["text"])):
            return None
    last = _LAST.get(kind, 0)
    return last, len(asked) if last else -len(asked), asked
