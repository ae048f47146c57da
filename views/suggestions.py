"""Questions to begin with, from the hops layer; a passage states the answer of each."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from ..index.opening import Index
from ..language.analyser import is_korean
from ..language.answer_types import dates
from ..language.markup import prose
from ..language.questions import analyse_question
from ..language.verbs import PASTS
from ..offline.lines import asked_marks, marks, telling_words
from ..offline.reading import read
from ..prompts.prompt import number_passages
from ..state.records import Passage

_MOST = 4
_ASKED = 400  # passages whose questions are looked at
_TRIED = 80  # questions that are read for
_LONGEST = 80  # characters of a question
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
_NAME = re.compile(r"(?<=\w )[A-Z]")
_LAST = {"definition": 1, "open": 2, "yes_no": 3}  # questions that come after those for a fact
_BE = re.compile(r"(Is|Was|Are|Were) (.+)\?")
_VALUE = re.compile(  # at the end: "the budget 350 pounds"; not in "a deposit of 100 pounds held"
    r"(?<!of)(?<! in)(?<! on)(?<! at)(?<! by)(?<! to) [$€£]?\d[\d., ]*(?: ?[^\W\d]+){0,2}$"
)
_PLACED = re.compile(r" (?:in|at|for|by|with) ")
_WHEN = re.compile(r" (?:on|in|at|since) $")
# Before the topic, the date may be that of the topic: "2022년에 엄마가 고친 부분은 따로 …".
_KOREAN_WHEN = re.compile(r"(?<!\d)(?:\d{1,4}[년월일] ?){1,3}에 (?!.*[은는] )")
_KOREAN_VALUE = re.compile(r"([은는] )[\d,.만천백억 ]+(원|명|개|층|년|세|시간)(?=입니까|인가)")


class _Suggested(NamedTuple):
    """A question, by what it is sorted, and the passage that it was made from."""

    last: int
    length: int
    asked: str
    told: Passage


def suggestions(index: Index) -> list[str]:
    """At most four questions that passages of different documents answer, those for a fact first.

    A yes or no of which a value is told, as in "Is the budget 350 pounds?", asks for the value
    instead. Questions whose answer the rules of the offline reader find come first. Blocks.
    """
    ids = sorted(index.catalogue.passage_ids())
    read_of = index.readings.values_of("questions", ids[:: len(ids) // _ASKED + 1])
    passages = {one["id"]: one for one in index.catalogue.passages(list(read_of))}
    found = sorted(
        (
            one
            for id, value in read_of.items()
            for asked in value["incoming"]
            if id in passages and (one := suggested_as(asked, passages[id]))
        ),
        key=lambda one: one[:3],
    )
    by_document: dict[str, str] = {}
    stated = (one for one in found[:_TRIED] if len(by_document) < _MOST and _is_stated(one))
    for one in [*stated, *found]:
        if one.asked not in by_document.values():
            by_document.setdefault(one.told["document"], one.asked)
    return list(by_document.values())[:_MOST]


def suggested_as(asked: str, told: Passage) -> _Suggested | None:
    """The question to suggest for ``asked``, which ``told`` answers; None for none that is good."""
    place = rank(asked, told)
    if place is None or len(asked) > _LONGEST:
        return None
    for value in () if ", " in asked else _asking_for_value(asked):
        if not re.search(r"\d", value):  # which would tell a part of the answer, or something else
            return _Suggested(0, -len(value), value, told)
    return _Suggested(*place, told)


def _asking_for_value(asked: str) -> Iterator[str]:
    """``asked``, a yes or no, as a question for the date or the number that it tells, if one."""
    if is_korean(asked):
        dated = _KOREAN_WHEN.subn("언제 ", asked, count=1)
        if dated[1]:
            yield dated[0]
        elif (valued := _KOREAN_VALUE.subn(r"\1몇 \2", asked, count=1))[1]:
            yield valued[0].replace("몇 원", "얼마")
        return
    be = _BE.fullmatch(asked)
    if be is None:
        return
    said = be[2]
    for date in dates(said):
        before, after = said[: date.start], said[date.end :]
        if (not after or _PLACED.match(after)) and (lead := _WHEN.search(before)):
            yield f"When {be[1].lower()} {before[: lead.start()]}{after}?"
            return
    value = _VALUE.search(said)
    if value and said[: value.start()].lower().startswith(("the ", "a ", "an ")):
        yield f"What {be[1].lower()} {said[: value.start()]}?"


def _is_stated(one: _Suggested) -> bool:
    """Whether the offline reader is certain of the answer in the passage."""
    return read(one.asked, number_passages([one.told])).sufficient


def rank(asked: str, told: Passage) -> tuple[int, int, str] | None:
    """How well a question stands alone, the best first: those for a fact that say most.

    One that has neither a name nor a word of the title, or an aside, comes later: "What kills cats,
    even a piece of a tablet?" is no question to begin with.
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
    about = said & marks(title) or _NAME.search(asked)
    length = len(asked) if last else -len(asked)
    return last + (", " in asked or not about), length, asked
