"""Telling by rules why an answer may not follow from the sentences that it cites."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Set
from functools import lru_cache
from typing import NamedTuple

from ..language.analyser import content_words, sentences
from ..language.answer_types import (
    THINGS,
    countries,
    dates,
    life_facts,
    name_spans,
    quoted_names,
    roots,
)
from ..language.comparing import Answered, comparison, compute, mentions
from ..language.mentions import key, normalised
from ..language.questions import TASK, QuestionShape, analyse_question
from ..language.values import verdict
from .answer_kinds import can_be, fits, lacks_relation, told_otherwise
from .claims import is_dated, unsupported

_FEW_WORDS = 6
_MANY = 4
_MOST_POINTED = 12  # sentences, for an answer that needs no list of them
_MANY_POINTED = 5  # for a short one
_LIFE = roots("born died")
_KOREAN_WH = re.compile(r"(?:누구|누가|무엇|언제|어디|어느|어떤|무슨|얼마|몇)\S*")
_CASED = re.compile(r"[A-Za-zÀ-ɏͰ-ӿ]")
_ENDS = (".", "다")  # of a sentence, which is held to what it states
_SMALL = re.compile(r"\b[a-z]{3,}\b")
_ALIAS = (
    r"\b(?:known|spelled|spelt|called|written|romani[sz]ed|styled|credited|billed|born|née)"
    r"(?: simply| professionally)?(?: as)? [\"“'‘]?{}(?!\w)"
)
_FOR_ALIAS = re.compile(r"(?i)\b(?:name|alias|called|known|spel|term)")
_FORM = re.compile(r"\b[A-Z]{2,}(?=\s+(?:[a-z]+ )?(?:note|report)\b)")  # a SOAP note
_NUMERAL = re.compile(r"(?:Stage|Grade|Type|Phase) [IVX\d]+[A-D]?|[IVX]{2,}[A-D]?")  # stage IIIB
_ORDER = re.compile(r"^\s*[A-Z][a-z]+(?= (?:the|an?|all|both|which|what|who|how|why|me|my|our)\b)")
_COUNTRY = re.compile(r"(?i)\b(?:countr|nation)|나라|국가")
_TOGETHER = ("kind unsaid", "kind repeated", "names repeated", "names stray")  # two reasons
_GENERIC = frozenset(root for word in THINGS for root in roots(word))


class Doubt(NamedTuple):
    """A reason not to believe an answer; ``certain`` where no further reading could remove it."""

    why: str
    missing: str
    certain: bool = False


def is_short(answer: str) -> bool:
    """Whether ``answer`` is a name, a value or a phrase, and states nothing by itself."""
    return len(content_words(answer)) <= _FEW_WORDS and len(sentences(answer)) < 2


def is_same(one: str, other: str) -> bool:
    """Whether two answers say the same, as far as their words and values tell."""
    if verdict(one) is not None or verdict(other) is not None:
        return verdict(one) == verdict(other)
    said, told = _values(one), _values(other)
    return bool(said & told) and 2 * len(said & told) >= min(len(said), len(told))


def doubt(
    answer: str,
    question: str,
    cited: Sequence[str],
    around: Sequence[str] = (),
    computed: str = "",
    pointed: int = 0,
) -> Doubt | None:
    """The first reason to doubt ``answer`` to ``question``; None where rules find none.

    ``cited`` are the cited sentences of each passage, behind its title, ``around`` these passages
    as a whole, ``computed`` a value that follows from the sentences, and ``pointed`` the number of
    these. The names of the question must be cited, and the names, dates and numbers of the answer.
    It must be of the kind asked for, say more than the question, and be told in words of the
    question or by passages that are connected. A right answer may fail by any of these, since texts
    use other words: few are ``certain`` to be wrong, or have two reasons that confirm each other.
    """
    found = list(_doubts(answer, question, cited, around, computed, pointed))
    if any({*pair.split()} <= {one.why for one in found} for pair in _TOGETHER):
        twice = _is_alike(question, names_in(question), [*cited, *around])
        return found[0]._replace(certain=found[0].certain or twice)
    return found[0] if found else None


def _doubts(
    answer: str,
    question: str,
    cited: Sequence[str],
    around: Sequence[str],
    computed: str,
    pointed: int,
) -> Iterator[Doubt]:
    """All reasons. An explanation is of no kind: only its names and claims are looked at."""
    shape, short = analyse_question(question), is_short(answer)
    if not can_be(answer, shape):
        yield Doubt("kind", f"“{answer}” is no answer of the kind that is asked for.", True)
    if shape.answer_type != "open" and pointed > _MOST_POINTED:
        yield Doubt("crowd", f"The answer points at {pointed} sentences; few can state it.", short)
    if short and told_otherwise(answer, shape, cited):
        yield Doubt("kind", f"The cited sentences call “{answer}” something else.", True)
    if _is_outranked(answer, question, cited):
        yield Doubt("compared", f"The cited dates do not give “{answer}”.", shape.measure != "date")
    names = names_in(question)
    told, said = short and verdict(answer) is None, set(roots(answer))
    if (told or said) and not _offers(shape) and said <= set(roots(question)):
        named = normalised(answer) in map(normalised, names)
        yield Doubt("repeated", f"“{answer}” only repeats the question.", named)
    if told and not shape.roles and _is_half_told(question, cited):
        yield Doubt("compared", "The cited sentences do not date each of what is compared.")
    lost = [name for name in names if not any(_names(text, name) for text in cited)]
    if lost:
        why = f"No cited sentence speaks of {', '.join(lost)}."
        absent = [name for name in lost if not any(speaks_of(text, name) for text in around)]
        whole = absent == names or (len(shape.options) > 1 and bool(absent))
        yield Doubt("names", why, whole and _is_alike(question, names, [*cited, *around]))
    if claims := unsupported(answer, question, [computed, *cited]):
        quoted = "; ".join(f"“{claim}”" for claim in claims)
        invented = short and _is_invented(answer, cited) and _is_alike(question, names, cited)
        yield Doubt("claims", f"No cited sentence supports {quoted}.", invented)
    if not (computed or shape.answer_type == "open" or len(sentences(answer)) > 1):
        yield from _lesser_doubts(answer, shape, names, cited, pointed)


def _lesser_doubts(
    answer: str, shape: QuestionShape, names: Sequence[str], cited: Sequence[str], pointed: int
) -> Iterator[Doubt]:
    """Reasons that are never certain, of an answer that is no explanation."""
    question, short = shape.text, is_short(answer)
    told = short and verdict(answer) is None
    if not short and not any(_says(text, answer, question, names) for text in cited):
        yield Doubt("unsaid", "No passage states the whole answer.")
    if not fits(answer, shape, short):
        yield Doubt("kind", f"“{answer}” may not be of the kind that is asked for.")
    if shape.answer_type in {"person", "name"} and _is_alias(answer, question, cited):
        yield Doubt("repeated", f"The cited sentences only call somebody “{answer}”.")
    if short and pointed > _MANY_POINTED:
        yield Doubt("crowd", f"The answer of few words points at {pointed} sentences.")
    if told and not _offers(shape) and _is_named(answer, question, names):
        yield Doubt("repeated", f"“{answer}” is named in the question.")
    if told and lacks_relation(_without(question, names), cited):
        yield Doubt("relation", "No cited sentence tells of the relation that is asked for.")
    if _is_apart(answer, question, names, cited):
        yield Doubt("unsaid", f"“{answer}” is cited beside, not of, what is asked about.")
    if not _is_told(question, shape.answer_type, names, cited):
        yield Doubt("unsaid", "The cited sentences may speak of something else than is asked for.")
    if short and answer and not answer.endswith(_ENDS) and _has_stray(question, names, cited):
        yield Doubt("stray", "A cited sentence is about something else than the others.")


def _is_outranked(answer: str, question: str, cited: Sequence[str]) -> bool:
    """Whether the dates of the things that ``question`` compares, each cited, give another one.

    Of a life the dates of birth and death count, of other things the only date of its sentences.
    """
    asked = comparison(question)
    if asked is None or asked.measure not in {"birth", "death", "date"}:
        return False
    told = [
        Answered(of_it[0], date)
        for thing, of_it in zip(asked.things, asked.questions, strict=True)
        for text in cited
        if len(of_it) == 1 and mentions(text.partition(": ")[0], thing)
        for date in [_date_of(text, asked.measure)]
        if date
    ]
    given = compute(question, told) if len(told) == len(asked.things) else None
    return given is not None and not is_same(given.answer, answer)


def _is_half_told(question: str, cited: Sequence[str]) -> bool:
    """Whether some of the things whose dates ``question`` compares are cited without one."""
    asked = comparison(question)
    if asked is None or asked.measure not in {"birth", "death", "date"}:
        return False
    return any(
        len(of_it) == 1 and not any(mentions(text, thing) and dates(text) for text in cited)
        for thing, of_it in zip(asked.things, asked.questions, strict=True)
    )


def _date_of(text: str, measure: str) -> str:
    facts = life_facts(text)
    if measure != "date":
        found = facts.birth if measure == "birth" else facts.death
        return found.text if found else ""
    said = {date.key: date.text for date in dates(text)}
    return said.popitem()[1] if len(said) == 1 else ""


def _offers(shape: QuestionShape) -> bool:
    """Whether the question itself names its answers, and not what they have in common."""
    if shape.comparison == "same" and shape.answer_type != "yes_no":
        return False
    return bool(shape.options) or shape.answer_type in {"yes_no", "choice"}


def _without(question: str, names: Sequence[str]) -> str:
    for name in names:
        question = question.replace(name, " ")
    return question


def _is_named(answer: str, question: str, names: Sequence[str]) -> bool:
    """Whether ``answer`` is a name that holds one of ``question``, which asks for no other one."""
    if [span.text for span in name_spans(answer)] != [answer] or _FOR_ALIAS.search(question):
        return False
    return any(set(roots(key(name))) <= set(roots(answer)) for name in names)


def names_in(question: str) -> list[str]:
    """The names in ``question`` that have a word of their own, without remarks in brackets.

    Neither a numeral by itself, the form that a task asks for, nor the verb of an order is one.
    """
    bare = re.sub(r"\([^()]*\)", " ", question)
    if TASK.search(bare):  # whose sentences begin with what to do
        bare = _FORM.sub(" ", re.sub(r"(?:^|(?<=[.:!]))\s*[A-Z][a-z]+", " ", bare))
    found = [*(span.text for span in name_spans(_ORDER.sub(" ", bare))), *quoted_names(bare)]
    return [*dict.fromkeys(one for one in found if roots(key(one)) and not _NUMERAL.fullmatch(one))]


def speaks_of(text: str, name: str) -> bool:
    """Whether ``text`` has half of the words of ``name``, its country, or what it abbreviates.

    Words such as "River" do not tell one name from another. A name of one word has its capital in
    the text, too. Between the words of three or more letters ("BCC") one other word may stand each.
    """
    own = " ".join(word for word in name.split() if word not in THINGS)
    words = set(roots(key(own or name)))
    held = _words(text) if len(words) > 1 else _capitals(text)
    if 2 * len(words & held) >= len(words):
        return True
    said = {country for _, country in countries(text)}
    if any(country in said for _, country in countries(name)):
        return True
    short = name.replace(".", "")
    between = rf"\W+(?:\w+\W+){{0,{len(short) > 2:d}}}"
    written = between.join(rf"\b{re.escape(letter)}\w*" for letter in short)
    return 1 < len(short) < 7 and short.isupper() and bool(re.search(written, text, re.IGNORECASE))


def _names(text: str, name: str) -> bool:
    """Whether ``text`` speaks of ``name``, and not of namesakes with other words in its place."""
    words = set(roots(key(name)))
    spans = [set(roots(key(span.text))) for span in name_spans(text)]
    alike = [span for span in spans if span & words]
    others = bool(alike) and all(span - words and words - span for span in alike)
    return speaks_of(text, name) and not others


@lru_cache(maxsize=1000)
def _capitals(text: str) -> frozenset[str]:
    """The roots of the words of ``text`` that do not begin with a small letter."""
    words = re.findall(r"[^\W_]+", text)
    return frozenset(roots(key(" ".join(word for word in words if not word[0].islower()))))


def _is_invented(answer: str, cited: Sequence[str]) -> bool:
    """Whether ``answer`` has a name, or the day of a date, of which nothing is cited.

    A number may be computed.
    """
    told = {date.key for text in cited for date in dates(text)}
    if any(date.key[1] and date.key[0] and not is_dated(date.key, told) for date in dates(answer)):
        return True
    named = [span.text for span in name_spans(answer) if not dates(span.text)]
    return any(not any(speaks_of(text, name) for text in cited) for name in named)


def _values(answer: str) -> set[object]:
    """The words of ``answer``, countries and dates as one each."""
    rest, found = answer, set[object]()
    for date in dates(answer):
        rest = rest.replace(date.text, " ")
        found.add(date.key)
    for span, country in countries(answer):
        rest = rest.replace(span.text, " ")
        found.add(country)
    return found | set(roots(key(rest)))


@lru_cache(maxsize=1000)
def _words(text: str) -> frozenset[str]:
    """The roots of ``text``; dates of a life tell of birth and death."""
    facts = life_facts(text)
    life = _LIFE if facts.birth or facts.death else ()
    return frozenset((*roots(key(text)), *life))


def _is_alike(question: str, names: Sequence[str], texts: Sequence[str]) -> bool:
    """Whether one of ``texts`` is in the language of ``question``, as a word of both shows."""
    asked = set(roots(key(question))).difference(*(roots(key(name)) for name in names))
    named = {word for name in names for word in _SMALL.findall(name.lower())}
    small = set(_SMALL.findall(question.lower())) - named
    return any(
        not (asked.isdisjoint(_words(text)) and small.isdisjoint(_SMALL.findall(text.lower())))
        for text in texts
    )


def _is_told(question: str, kind: str, names: Sequence[str], cited: Sequence[str]) -> bool:
    """Whether one passage has most of the question's words, or several are connected.

    Of a short question one word is enough, or half of them where the kind of answer is open.
    """
    named = {word for name in names for word in roots(key(name))}
    asked = set(roots(key(_KOREAN_WH.sub(" ", question)))) - named
    best = max(cited, key=lambda text: len(asked & _words(text)), default="")
    said = len(asked & _words(best))
    least = len(asked) / 2 if kind == "name" else 1
    if 2 * said > len(asked) or (said >= least and len(asked) < _MANY):
        return True
    return any(_adds(text, best, named) for text in cited if text != best)


def _is_alias(answer: str, question: str, cited: Sequence[str]) -> bool:
    """Whether the cited texts give ``answer`` as another name, which is not asked for."""
    told = _ALIAS.format(re.escape(answer))
    return not _FOR_ALIAS.search(question) and any(re.search(told, text) for text in cited)


def _is_apart(answer: str, question: str, names: Sequence[str], cited: Sequence[str]) -> bool:
    """Whether no text with ``answer`` is reached, name by name, from one with the question's.

    Countries lead on where the question speaks of one.
    """
    told, by = set(roots(answer)), _COUNTRY.search(question) is not None
    holding = [text for text in cited if told and told <= set(roots(text))]
    own = [name for name in names if not countries(name)] or names or _titles(question, cited)
    reached = [text for text in cited if any(speaks_of(text, name) for name in own)]
    if not holding or not reached or verdict(answer) is not None:
        return False
    rest = [text for text in cited if text not in reached]
    for _ in cited:
        reached += [text for text in rest if any(_meet(text, other, by) for other in reached)]
    return not any(text in reached for text in holding)


def _titles(question: str, cited: Sequence[str]) -> list[str]:
    """The titles of cited texts that ``question`` names in a script without capitals."""
    titles = [text.partition(":")[0] for text in cited]
    return [one for one in titles if one and not _CASED.search(one) and one in question]


def _meet(text: str, other: str, by_country: bool) -> bool:
    """Whether two texts share a name, or a word in a script without capitals."""
    shared = _words(text) & _words(other)
    if _named(text) & _named(other) or any(
        one.isalpha() and not _CASED.search(one) for one in shared
    ):
        return True
    lands = [{country for _, country in countries(one)} for one in (text, other)]
    return by_country and not lands[0].isdisjoint(lands[1])


def _has_stray(question: str, names: Sequence[str], cited: Sequence[str]) -> bool:
    """Whether a cited text names nothing that the question or another cited text speaks of."""
    asked = set(roots(question))
    for text in cited if len({*cited}) > 1 else ():
        own = _named(text) | _capitals(text.partition(": ")[0]) - _GENERIC
        known = not own.isdisjoint(asked) or any(speaks_of(text, name) for name in names)
        others = (other for other in cited if other != text)
        if not known and not any(own & _words(one) or _meet(text, one, True) for one in others):
            return True
    return False


def _says(text: str, answer: str, question: str, names: Sequence[str]) -> bool:
    """Whether one passage speaks of a name of the question, and supports a sentence alone."""
    named = not names or any(speaks_of(text, name) for name in names)
    return named and not unsupported(answer, question, [text])


def _adds(text: str, other: str, named: Set[str]) -> bool:
    """Whether ``text`` has a name from ``other``, or both have one of the question each."""
    own, others = named & _words(text), named & _words(other)
    return bool(own - others and others) or not _named(text) & _named(other) <= named


@lru_cache(maxsize=1000)
def _named(text: str) -> frozenset[str]:
    """The words of the names in ``text``, without countries, dates and words such as "River"."""
    known = [span.text for span, _ in countries(text)]
    names = [span.text for span in name_spans(text) if span.text not in known]
    found = [frozenset(roots(key(name))) for name in names if not dates(name)]
    whole = (words & _GENERIC for words in found)  # "Lake District", in longer names as well
    return frozenset[str]().union(
        *(words - _GENERIC or words for words in found),
        {" ".join(sorted(words)) for words in whole if len(words) > 1},
    )
