"""A community's report without a model: its most central names, sentences and relations."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from ...language.analyser import STOP_WORDS, is_korean, with_particle
from ...language.answer_types import roots
from ...prompts.graphrag_replies import CommunityReport, ReportFinding
from ...prompts.prompt import Excerpt
from .statements import distinct, sentence_case, standing, statements

_ROW = re.compile(r"(Entity|Relation|Claim|Report): (.*)", re.DOTALL)
_TYPE = re.compile(r"([a-z][a-z _-]{0,30})?\.(?:\s+|$)")
_SPOKEN = re.compile(
    r"(?:i|you|he|she|it|we|they|what|that|there|who|here|let)['’]|"
    r"i [a-z]|(?:so|do|don't|yes|no|oh|o|look|well|not|come|then|but|whereat|how|what)\b|.*[!?,]",
    re.IGNORECASE,
)
_DEFINING = re.compile(r",? (?:is|are|was|were|becomes?|became) (?:an?|the|one)\b|, (?:an?|the) ")
_DEFINED = re.compile(r"[은는이가] .*이다\.$")
_SEVERAL = {"report": re.compile(r", | and |[와과] "), "relation": re.compile(" – ")}
_MERELY = frozenset(roots("connected related associated"))
_UNNAMED_TYPES = frozenset("date number quantity year time".split())
_MOST_NAMES = 3
_MOST_FINDINGS = 6
_MOST_EVIDENCE = 5
_MOST_MENTIONS = 6
_RANKED = 40
_TYPICAL_ROWS = 25
_REPORTED = 5
_LEAST = 0.12
_ENOUGH = 3.0
_KIND_WORTH = {"report": 1.3, "claim": 1.2}


class _Row(NamedTuple):
    id: str
    kind: str
    names: list[str]
    text: str
    type: str


@dataclass(frozen=True)
class _Said:
    """A sentence that may be reported: what speaks for it, and the names that it mentions."""

    text: str
    evidence: tuple[str, ...]
    names: frozenset[str]
    quality: float
    defining: bool


def write_report(texts: Sequence[Excerpt]) -> CommunityReport:
    """The report of the community whose context has the rows ``texts``, in their language.

    A title says "Entity: Scrooge", "Relation: Scrooge – Marley", "Claim: ..." or "Report: ...";
    an entity's text is its type and its description.
    """
    rows = [_row(text["id"], text["title"], text["text"]) for text in texts]
    korean = is_korean(" ".join(row.text for row in rows))
    weights = _weights(rows)
    named = _central_names(weights)
    said = _said(rows, weights)
    order = _ranked(said, weights)
    chosen = distinct(order, [one.text for one in said], _MOST_FINDINGS + 3)
    enough = 0 if len(chosen) == 1 else min(3, max(1, len(chosen) // 3))
    best = sorted(chosen[:enough], key=lambda place: (not said[place].defining, place))
    return CommunityReport(
        title=_joined(named, korean),
        summary=" ".join(said[place].text for place in best) or _about(named, korean),
        # half of ten at a leaf's usual number of rows
        rating=round(10 * len(rows) / (len(rows) + _TYPICAL_ROWS), 1),
        findings=[
            ReportFinding(statement=said[place].text, evidence=list(said[place].evidence))
            for place in chosen[enough:]
        ],
    )


def _row(id: str, title: str, text: str) -> _Row:
    match = _ROW.match(title)
    kind, name = (match[1].lower(), match[2].strip()) if match else ("entity", title.strip())
    type = _TYPE.match(text) if kind == "entity" else None
    told = text[type.end() :] if type else text
    if kind == "report":
        told = told.removeprefix(name).lstrip(" .:–—\n")
    ends = [name]
    if kind in _SEVERAL:
        ends = _SEVERAL[kind].split(name)
    return _Row(id, kind, ends, told, (type and type[1]) or "")


def _weights(rows: Sequence[_Row]) -> dict[str, float]:
    """What each name weighs: the number of rows it stands in, more for a name than for a noun.

    A name in the title of a child's report counts as a busy one.
    """
    degree: Counter[str] = Counter()
    for row in rows:
        for name in dict.fromkeys(row.names):
            degree[name] += _REPORTED if row.kind == "report" else 1
    types = {name: "report" for row in rows if row.kind == "report" for name in row.names}
    types |= {row.names[0]: row.type for row in rows if row.kind == "entity"}
    told = "\n".join(row.text for row in rows if row.kind != "relation")
    return {
        name: count * _namelike(name, types.get(name, ""), told) for name, count in degree.items()
    }


def _central_names(weights: Mapping[str, float]) -> list[str]:
    """The names for the title; those that weigh far less than the first are left out."""
    ranked = sorted(weights, key=lambda name: -weights[name])
    least = min(_ENOUGH, _LEAST * weights[ranked[0]]) if ranked else 0.0
    kept: list[str] = []
    for name in ranked:
        shown = _displayed(name)
        folded = shown.casefold()
        part = any(folded in other.casefold() or other.casefold() in folded for other in kept)
        if len(kept) < _MOST_NAMES and weights[name] > least and not part:
            kept.append(shown)
    return kept


def _namelike(name: str, type: str, told: str) -> float:
    """How well a name says what a community is about, in (0, 1].

    A word that has a capital letter only where sentences begin is hardly a name.
    """
    if _SPOKEN.match(name) or name.lower() in STOP_WORDS:
        return 0.02
    if type in _UNNAMED_TYPES or name[:1].isdigit():
        return 0.05
    if is_korean(name):
        return 1.0
    words = [word for word in name.split() if word.lower() not in STOP_WORDS]
    if 2 * sum(word[0].isupper() for word in words) <= len(words):
        return 0.2
    if type not in {"", "thing"}:
        return 1.0
    alone = len(words) == 1 and not re.search(rf"[^\W\d_],? {re.escape(name)}\b", told)
    return 0.3 if alone else 0.7


def _is_heading(name: str) -> bool:
    return name.isupper() and " " in name


def _displayed(name: str) -> str:
    """A heading in capitals as it is written elsewhere."""
    if _is_heading(name):
        words = name.split()
        name = " ".join(w.lower() if w.lower() in STOP_WORDS else w.title() for w in words)
    return name[:1].upper() + name[1:]


def _joined(names: Sequence[str], korean: bool) -> str:
    if len(names) < 2:
        return "".join(names)
    if korean:
        return ", ".join([*names[:-2], f"{with_particle(names[-2], '과')} {names[-1]}"])
    return f"{', '.join(names[:-1])} and {names[-1]}"


def _about(names: Sequence[str], korean: bool) -> str:
    if not names:
        return ""
    joined = _joined(names, korean)
    return f"{joined}에 관한 내용이다." if korean else f"This is about {joined}."


def _said(rows: Sequence[_Row], weights: Mapping[str, float]) -> list[_Said]:
    """Every sentence of the rows once, and relations that no sentence tells."""
    sources: dict[str, list[_Row]] = {}
    for row in rows:
        if row.kind != "relation":
            for sentence in statements(row.text):
                sources.setdefault(sentence, []).append(row)
    found = {sentence: _mentioned(sentence, weights) for sentence in sources}
    for row in rows:
        if row.kind != "relation":
            continue
        ends = frozenset(row.names)
        telling = [sentence for sentence, inside in found.items() if ends <= inside]
        if not telling and _tells(row):
            telling = [sentence_case(row.text)]
            found[telling[0]] = ends
        for sentence in telling:
            sources.setdefault(sentence, []).append(row)
    return [
        _Said(
            sentence,
            tuple(dict.fromkeys(row.id for row in told))[:_MOST_EVIDENCE],
            found[sentence],
            standing(sentence) * _worth(sentence, told, found[sentence]),
            _defines(sentence, _opening(sentence, found[sentence])),
        )
        for sentence, told in sources.items()
    ]


def _mentioned(sentence: str, names: Iterable[str]) -> frozenset[str]:
    folded = sentence.casefold()
    return frozenset(
        name
        for name in names
        if name.casefold() in folded
        and re.search(rf"(?<!\w){re.escape(name)}(?![^\W가-힣])", sentence, re.IGNORECASE)
    )


def _worth(sentence: str, rows: Sequence[_Row], names: Iterable[str]) -> float:
    """More for claims, reports and definitions; less for a bare relation, and for a heading put
    in the place of a pronoun."""
    kinds = {row.kind for row in rows}
    worth = 0.15 if kinds == {"relation"} else max(_KIND_WORTH.get(kind, 1.0) for kind in kinds)
    opening = _opening(sentence, names)
    if any(map(_is_heading, opening)):
        return 0.1 * worth
    return worth * (1.4 if _defines(sentence, opening) else 1.0)


def _opening(sentence: str, names: Iterable[str]) -> list[str]:
    return [name for name in names if sentence.startswith((name, f"The {name}"))]


def _defines(sentence: str, opening: Iterable[str]) -> bool:
    rests = (sentence.removeprefix("The ").removeprefix(name) for name in opening)
    return any(_DEFINING.match(rest) or _DEFINED.match(rest) for rest in rests)


def _tells(row: _Row) -> bool:
    """Whether a relation's sentence says more than that two things have to do with each other."""
    if is_korean(row.text) or len(row.names) != 2:
        return False
    if not all(name[:1].isupper() and not _SPOKEN.match(name) for name in row.names):
        return False
    phrase = row.text
    for name in row.names:
        phrase = phrase.replace(name, " ", 1)
    return bool(set(roots(phrase)) - _MERELY)


def _ranked(said: Sequence[_Said], weights: Mapping[str, float]) -> list[int]:
    """Sentences by the weight of the names that they mention, names new to the list counting most
    (greedy cover)."""
    left = set(range(len(said)))
    seen: Counter[str] = Counter()
    order: list[int] = []

    def gain(place: int) -> float:
        one = said[place]
        worth = (
            math.log1p(weights[name]) / (1 + seen[name])
            for name in one.names
            if not _is_heading(name)
        )
        return one.quality * (0.2 + sum(sorted(worth, reverse=True)[:_MOST_MENTIONS]))

    while left and len(order) < _RANKED:
        best = max(left, key=lambda place: (gain(place), -place))
        order.append(best)
        left.remove(best)
        seen.update(said[best].names)
    return order
