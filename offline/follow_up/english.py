"""Rewriting a follow-up question so that it can be understood without what was said before."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from ...language.analyser import STOP_WORDS, is_korean
from ...language.answer_types import name_spans, quoted_names
from ...language.mentions import question_mentions
from ...language.questions import analyse_question
from ...prompts.prompt import Excerpt
from ..extraction.entities import type_of_name
from ..questions.english import kind_of
from .korean import Named, korean_names, korean_stand_alone

_OPENER = re.compile(r"^(?:and|but|so|then|also|ok|okay|well|now)\b,?\s+", re.I)
_REQUEST = re.compile(
    r"^(?:please )?(?:tell|give|describe|explain|list|name|show|compare|summari[sz]e|write|find|"
    r"discuss|introduce|outline)\b",
    re.I,
)
_WHAT_ABOUT = re.compile(r"^(?:what|how) about\s+(.+?)\W*$", re.I)
_BARE_ASKING = re.compile(
    r"^(when|where|why|how|who|whose|which one|what for|how (?:many|much|long|old|far))\W*$", re.I
)
_PREPOSITION = re.compile(
    r"^(?:in|on|at|for|to|during|before|after|since|until|from|by|with|under|of)\b", re.I
)
_VERB = re.compile(
    r"\b(?:is|are|was|were|am|be|been|do|does|did|has|have|had|can|could|will|would|should|may|"
    r"might|must|who|whom|whose|what|which|when|where|why|how)\b",
    re.I,
)
_EXPLETIVE = re.compile(
    r"\b(?:is|was|does|did|will|would|can) it (?:true|possible|likely|necessary|take|rain|snow|"
    r"mean|matter|cost|correct|known|clear|important|legal|safe)\b|\btime (?:is|was) it\b|"
    r"\bit (?:is|was) (?:\w+ )?(?:that|to)\b",
    re.I,
)
_POSSESSIVE = re.compile(r"\b(?:(his|their|its)|(her)(?= (\w+)))\b(?!\s*\W*$)", re.I)
_PRONOUN = re.compile(r"\b(?:he|him|she|her|hers|they|them|it)\b", re.I)
_THERE = re.compile(r"(?<!\bis )(?<!\bare )(?<!\bwas )(?<!\bwere )(?<!^)\bthere\b(?! (?:is|are))")
_POINTED = re.compile(r"\b(?:this|that|these|those|the(?: same)?) ([a-z]+)\b")
_PERSON_WORDS = frozenset("he him his she her hers".split())
_PERSONS = frozenset(
    """partner colleague friend successor predecessor assistant student pupil teacher mentor rival
    sibling siblings parents children grandparents fiancée fiancé widow widower boss employer
    cousin nephew niece ancestor ancestors family man woman person boy girl""".split()
)
_PLURAL = frozenset("they them their".split())


def stand_alone(question: str, history: Sequence[Excerpt]) -> str:
    """``question`` with names in place of the words that refer to ``history`` (oldest first).

    The title of a turn says whether it is a "question" or an "answer". A question that can be
    understood alone, or whose reference cannot be found, is unchanged. English and Korean.
    """
    said: list[tuple[str, str]] = []
    last = ""
    for turn in history:
        text = turn["text"]
        if turn["title"] != "answer":
            text = last = _rewritten(text, said, last)
        said.append((text, last))
    return _rewritten(question, said, last)


def _rewritten(question: str, said: Sequence[tuple[str, str]], last: str) -> str:
    """``said`` are the turns, each with the question that it answers or is; ``last`` the last."""
    text = " ".join(question.split())
    if not text or not last:
        return question
    if is_korean(text):
        return korean_stand_alone(text, last, [korean_names(*turn) for turn in said]) or question
    return _english(text, last, [_names(*turn) for turn in said]) or question


def _names(text: str, asked: str) -> list[Named]:
    """The names of a turn in order; a short answer is of the kind that was ``asked`` for."""
    found: list[Named] = []
    certain = {m.text for m in question_mentions(text) if m.kind == "name"}
    for span in name_spans(text):
        if span.text in certain:
            article = "the " if re.search(r"\b[Tt]he $", text[: span.start]) else ""
            kind = type_of_name(span.text, text, span.start, span.end)
            found.append(Named(article + span.text, kind))
    kind = ""
    if text != asked:
        kind = analyse_question(asked).answer_type if len(text.split()) <= 6 else ""
    elif re.match(r"who (?:is|was|are|were) ", text, re.I):
        kind = "person"
    if found and kind in {"person", "place"}:
        found[0] = found[0]._replace(kind=kind)
    about = re.match(r"(?:what|who) (?:is|are|was|were) (.+?)\W*$", text, re.I)
    if about and not found and text == asked:
        found.append(Named(about[1], ""))
    known = {name.text.casefold() for name in found}
    return found + [Named(n, "work") for n in quoted_names(text) if n.casefold() not in known]


def _english(text: str, last: str, turns: Sequence[Sequence[Named]]) -> str:
    opened = _OPENER.sub("", text)
    body = opened[:1].upper() + opened[1:]
    bare = _BARE_ASKING.match(body)
    if bare:
        return f"{last.rstrip('?. ')}, and {bare[1].lower()}?"
    about = _WHAT_ABOUT.match(body)
    whole = _VERB.search(body) or _REQUEST.match(body)
    phrase = about[1] if about else "" if whole else body.rstrip("?.! ")
    if phrase and (about or len(body) < len(text) or len(phrase.split()) <= 4):
        return _completed(phrase, last, turns)
    resolved = _resolved(body, turns)
    return resolved if resolved != body else ""


def _completed(phrase: str, last: str, turns: Sequence[Sequence[Named]]) -> str:
    """The question that a phrase without a verb stands for."""
    resolved = _resolved(phrase, turns)
    preposition = _PREPOSITION.match(phrase)
    lower = f"{resolved[:1].lower()}{resolved[1:]}"
    name = phrase[preposition.end() :].strip() if preposition else phrase
    old = _alike(name, last) if resolved == phrase else ""
    if old:
        new = re.sub(r"^The ", "the ", name)
        return re.sub(rf"(?:\bthe )?{re.escape(old)}", lambda _: new, last, count=1, flags=re.I)
    if preposition:
        return f"{last.rstrip('?. ')} {lower}?"
    if resolved == phrase:
        return f"{last.rstrip('?. ')}, and {lower}?"
    noun = resolved.split()[-1].lower()
    person = noun in _PERSONS or kind_of(noun.removesuffix("s")) == "person"
    start = lower if resolved.startswith("The ") else resolved
    return f"{'Who' if person else 'What'} is {start}?"


def _alike(name: str, last: str) -> str:
    """The name in ``last`` that ``name`` may stand in for: of its kind, else the last one."""
    bare = re.sub(r"^the ", "", name, flags=re.I)
    if not any(char.isupper() for char in bare):
        return ""
    wanted = type_of_name(bare, bare, 0, len(bare))
    spans = name_spans(last)
    kinds = [type_of_name(span.text, last, span.start, span.end) for span in spans]
    same = [span.text for span, kind in zip(spans, kinds, strict=True) if kind == wanted]
    return (same or [span.text for span in spans] or [""])[-1]


def _resolved(text: str, turns: Sequence[Sequence[Named]]) -> str:
    """``text`` with the first word that points back replaced by what it points to."""
    own = [span for span in name_spans(text) if span.start]
    pointed = next((m for m in _POINTED.finditer(text) if not own), None)
    if pointed:
        named = _recent(turns, lambda name: _heads(name.text, pointed[1]))
        if named:
            return _put(text, pointed.start(), pointed.end(), named)
    idle = bool(_EXPLETIVE.search(text))
    candidates = [*_POSSESSIVE.finditer(text), *_PRONOUN.finditer(text)]
    candidates = [m for m in candidates if not (idle and m.group().lower() == "it")]
    match = min(candidates, key=lambda m: m.start(), default=None)
    if match and not any(span.end <= match.start() for span in own):
        return _pronoun_replaced(text, match, turns)
    there = _THERE.search(text)
    if there and not own:
        place = _recent(turns, lambda name: name.kind in {"place", ""})
        return _put(text, there.start(), there.end(), f"in {place}") if place else text
    return text


def _pronoun_replaced(text: str, match: re.Match[str], turns: Sequence[Sequence[Named]]) -> str:
    word = match.group().lower()
    possessive = match.re is _POSSESSIVE and not (word == "her" and match[3] in STOP_WORDS)
    if word in _PERSON_WORDS:
        named = _recent(turns, lambda n: n.kind == "person") or _recent(turns, lambda n: not n.kind)
    elif word in _PLURAL:
        named = _pair(turns) or _recent(turns, lambda name: True)
    else:
        named = _recent(turns, lambda name: name.kind != "person")
    if not named:
        return text
    ending = ("'" if named.endswith("s") else "'s") if possessive or word == "hers" else ""
    return _put(text, match.start(), match.end(), named + ending)


def _recent(turns: Sequence[Sequence[Named]], fits: Callable[[Named], bool]) -> str:
    """The first fitting name of the latest turn that has one."""
    return next((name.text for names in reversed(turns) for name in names if fits(name)), "")


def _pair(turns: Sequence[Sequence[Named]]) -> str:
    """Several persons named in the latest turn that names any, joined."""
    for names in reversed(turns):
        persons = list(dict.fromkeys(name.text for name in names if name.kind == "person"))
        if persons:
            return f"{', '.join(persons[:-1])} and {persons[-1]}" if len(persons) > 1 else ""
    return ""


def _heads(name: str, noun: str) -> bool:
    """Whether ``noun`` is the last word of a name of several: "bridge" of "the Forth Bridge"."""
    words = name.casefold().removeprefix("the ").split()
    return len(words) > 1 and words[-1] == noun


def _put(text: str, start: int, end: int, name: str) -> str:
    if not start:
        name = name[:1].upper() + name[1:]
    return text[:start] + name + text[end:]
