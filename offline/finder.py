"""Finds the short answer to a question for one narrow fact, where it is nearly certain.

A line may tell the answer only if it says, with its title and heading, every content word of the
question; its names and numbers literally; and half of the other words itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from ..language.analyser import content_words, is_korean, strip_particle
from ..language.answer_types import Candidate, life_facts, name_spans, quoted_names
from ..language.questions import ASKING, OPEN, QuestionShape, analyse_question, requested
from ..language.values import NEGATION
from .conjunctions import shared
from .lines import CELL, KOREAN_SUBJECT, LIGHT, PRONOUN, Line, asked_marks, is_first, marks, weights
from .qualifiers import fits, part_around
from .spans import CLOSING, COUNTED, HOW, is_unit, typed_spans

KINDS = frozenset({"person", "date", "place", "number", "name", "definition"})
_LABELLED = 1.5  # above what any other span is certain to be
_LEAST_PRIOR, _LEAST_NAME_PRIOR, _LEAST_NEAR = 0.5, 0.7, 0.15
_LEAST_DONE_PRIOR = 0.35  # of who or what stands to the verb of the question as it asks
_LEAST_MARGIN = 0.18  # over any other span, whose passage may be another one
_GAP = 20  # characters at which a word counts for half
_WORD, _SCRIPT = re.compile(r"[^\W_]+"), re.compile(r"[가-힣]+|[^\W_가-힣]+")
_GENERIC = frozenset(
    "year day date month time place city town country nationality state number amount person man "
    "woman thing people kind type sort whole total average company firm tool street share "
    "weekday".split()
)
_KIN = re.compile(
    r"(?i)(?:grand|step)?(?:father|mother|son|daughter|child|children|parent)s?$"
    r"|(?:brother|sister|uncle|aunt|nephew|niece|cousin|wife|husband|spouse)s?$"
)
# What is guessed, wished, told of or put off is no fact.
DOUBT = re.compile(
    r"\b(?:may|might|could|would|will(?! be on)|should|if|almost|nearly|probably|perhaps|possibly"
    r"|presumably|(?:alleg|report|suppos|purport)edly|(?:some|many|people|legends?) (?:says?|think"
    r"|believe)|(?:said|thought|believed|(?:claim|alleg|reput|rumou?r|suppos|assum)ed|meant) to)\b"
    r"|^If\b|^(?:Some|Many|People) (?:say|think|believe)\b|라고|추정|소문|아마|알려졌[으지]"
)
_RULED = (  # questions, and what is no doubt in an answer to them
    (re.compile(r"(?i)\b(?:when|time|day|date) (?:is|are|does|do)\b"), " will "),
    (re.compile(r"(?i)\bcan\b"), " may "),
)
_CONDITION = re.compile(r"(?i)\b(?:if|unless)\b")
CHOICE = re.compile(r"\b(?:or|either)\b|또는|혹은|아니면|[가-힣](?:이?나|이?거나) (?=[가-힣])")
_PHRASE = 8  # words of a question that does not ask, at most
_BRACKETS = re.compile(r"[(（][^()（）]*[)）]")
_ASIDE = re.compile(r"(?:who|whom|whose|which|where)\b")
_COPULA = re.compile(r"\b(?:is|was|are|were)\b")
_BREAK = re.compile(r"[,;:—–|]\s")
_AUXILIARY = r"(?!(?:is|was|are|were|did|does|do|ha[sd]|have|will|can|must|may|[cws]h?ould)\b)"
_SUBJECT = re.compile(rf"(?i)^(?:who|(?:which|what) {_AUXILIARY}\w+)\s+{_AUXILIARY}(\w+)")
_VERB = re.compile(r"\b(?:(?:is|are|was|were|be|been) |(?:have|has|need) to )(\w+)")


class FoundAnswer(NamedTuple):
    """A short answer, and the line that tells it."""

    answer: str
    line: Line


class MarkedQuestion(NamedTuple):
    """A question's marks, the marks of its relation alone, and its names as they are written."""

    shape: QuestionShape
    all: tuple[str, ...]
    relation: tuple[str, ...]
    names: tuple[str, ...]


class _Span(NamedTuple):
    line: Line
    text: str
    score: float


def find(question: str, lines: Sequence[Line]) -> FoundAnswer | None:
    """The answer to ``question`` in the first passage that no other span comes near, or None."""
    shape = analyse_question(question)
    if shape.answer_type not in KINDS and not is_phrase(shape):
        return None
    spans = sorted(_spans(take_apart(shape), lines), key=lambda span: -span.score)
    if not spans or not is_first(spans[0].line.passage, question, lines):
        return None
    best, said = spans[0], spans[0].text.lower()
    for span in spans:
        other = span.text.lower()
        if other not in said and said not in other and best.score - span.score < _LEAST_MARGIN:
            return None
    return FoundAnswer(best.text, best.line)


def is_phrase(shape: QuestionShape) -> bool:
    """Whether ``shape`` is of a few words without a question: "opening hours of the office"."""
    asks = OPEN.search(shape.text) or ASKING.search(shape.text) or requested(shape.text)
    return shape.answer_type == "open" and not asks and len(shape.text.split()) <= _PHRASE


def take_apart(shape: QuestionShape) -> MarkedQuestion:
    """The words that the line of the answer has to say: not those that ask for its kind."""
    text, kind = shape.text, shape.answer_type
    skipped = {shape.noun} if shape.noun in _GENERIC else set[str]()
    how = HOW.search(text)
    if kind == "number" and how:
        skipped |= {how[1].lower(), *(word.lower() for word in how.groups("")[1:] if is_unit(word))}
    words = [w for w in content_words(text) if not (w.lower() in skipped or LIGHT.search(w))]
    if counted := COUNTED.search(text):
        words = [word for word in words if not word.startswith(counted[1])]
    spans = [span.text for span in name_spans(text) if span.start or " " in span.text]
    kin = list(filter(_KIN.match, words))
    names = [*spans, *quoted_names(text), *(word for word in words if re.search(r"\d", word))]
    asked = asked_marks(words, naming=kind in {"date", "number"})
    of_names = asked_marks(content_words(" ".join(names)))
    relation = tuple(one for one in asked if one not in of_names)
    return MarkedQuestion(shape, asked, relation, tuple(map(_literal, [*names, *kin])))


def _literal(name: str) -> str:
    """``name`` as texts have it: a particle may follow a Korean one."""
    words = plain(strip_particle(name))
    return words.rstrip() if is_korean(words[-2:]) else words


def plain(text: str) -> str:
    """The words of ``text`` with a space around each, and between "E4" and its particle."""
    return f" {' '.join(_SCRIPT.findall(text))} "


def _spans(asked: MarkedQuestion, lines: Sequence[Line]) -> Iterator[_Span]:
    weighed = weights(asked.all, lines)
    for line in lines:
        if not may_tell(asked, line):
            continue
        for span in apart_from_lives(asked, line.text, " ".join(line.context)):
            if span.prior < _LEAST_DONE_PRIOR or not is_stated(asked, line.text, span):
                continue
            if not (asked.relation or _COPULA.search(line.text, 0, span.start)):
                continue
            near = 1.0 if span.prior == _LABELLED else nearness(asked, line.text, span, weighed)
            stands = direction(asked.shape, line.text, span)
            least = _LEAST_NAME_PRIOR if asked.shape.answer_type == "name" else _LEAST_PRIOR
            sure = span.prior >= least or (stands and span.prior >= _LEAST_DONE_PRIOR)
            if near >= _LEAST_NEAR and stands >= 0 and sure:
                yield _Span(line, span.text.strip(CLOSING), near + span.prior / 2 + 0.4 * stands)


def may_tell(asked: MarkedQuestion, line: Line) -> bool:
    """Whether a line, in its context, says all that the question says."""
    relation = asked.relation or asked.all
    subject = KOREAN_SUBJECT.search(line.text)
    elsewhere = subject and marks(subject[1] or subject[2]).isdisjoint(asked.all)
    elsewhere = elsewhere and not PRONOUN.match(line.text)
    held = line.own if elsewhere else line.own | line.around  # its title is not the subject then
    unsaid = frozenset(asked.all) - held
    if not asked.all or len(unsaid) > 1 or not unsaid <= _left_unsaid(asked, line.text):
        return False
    title = line.around if CELL.match(line.text) else marks(line.context[0])  # which says it, too
    told = [one for one in relation if one in line.own or one not in title]
    if 2 * len(line.own.intersection(told)) < len(told) or line.own.isdisjoint(relation):
        return False
    said = " | ".join(map(plain, (line.text, *line.context)))
    if not all(name in said or name in said.lower() for name in asked.names):
        return False
    # Or it says where its title's thing is, which is all that the question asks.
    about = plain(line.context[0]).startswith(asked.names)
    return bool(asked.relation) or (asked.shape.answer_type == "place" and about)


def _left_unsaid(asked: MarkedQuestion, text: str) -> frozenset[str]:
    """The marks of a question for a date or number that its line does not have to say.

    They are the verb in a row of a table, and a Korean place in a line that names none.
    """
    if asked.shape.answer_type not in {"date", "number"} or len(asked.all) < 3:
        return frozenset()
    if is_korean(asked.shape.text):
        words = [] if "에서" in text else re.findall(r"\S+에서(?= )", asked.shape.text)
    else:
        words = _VERB.findall(asked.shape.text) if CELL.search(text) else []
    return frozenset(asked_marks(words))


def apart_from_lives(asked: MarkedQuestion, text: str, context: str) -> Iterator[Candidate]:
    """The spans and cells of ``text``; of a life in brackets only what is asked for."""
    shape = asked.shape
    life = life_facts(text)
    told = None
    if shape.measure in {"birth", "death"} and {"birth", "die"}.issuperset(asked.relation):
        told = getattr(life, shape.measure + ("place" if shape.answer_type == "place" else ""))
    if told and shape.answer_type == "place":
        yield Candidate(told.start, told.end, told.text, _LABELLED)
    spans = list(typed_spans(shape, text, context))
    # A life in brackets dates no other one, unless the words outside tell of a birth or death, too.
    of = {"birth": "birth", "death": "die"}.get(shape.measure, "")
    lived = shape.answer_type in {"date", "place"} and of and getattr(life, shape.measure)
    if lived and of not in marks(_BRACKETS.sub("", text)):
        spans = [span for span in spans if told and told.start <= span.start < told.end]
    for cell in CELL.finditer(text):
        label = frozenset(asked_marks(content_words(cell[1])))
        if label and label <= frozenset(asked.all):
            yield Candidate(*cell.span(2), cell[2], _LABELLED)
    for span in spans:
        if told and told.start <= span.start < told.end:
            yield span._replace(prior=_LABELLED)
        elif not any(fact and fact.start <= span.start < fact.end for fact in life):
            yield span


def is_stated(asked: MarkedQuestion, text: str, span: Candidate) -> bool:
    """Whether ``text`` says outright, of the thing asked for, a span that the question does not."""
    own = not frozenset(asked.all).isdisjoint(asked_marks(content_words(span.text)))
    if own or span.text.lower() in asked.shape.text.lower():
        return False
    first, last = part_around(text, span.start, span.end, _BREAK)
    clause, question = text[first:last], asked.shape.text
    for asks, word in () if _CONDITION.search(text) else _RULED:
        clause = clause.replace(word, " ") if asks.search(question) else clause
    beside = f"{text[first : span.start]} {text[span.end : last]}"  # a value may itself be negative
    if bool(NEGATION.search(beside)) != bool(NEGATION.search(question)):
        return False
    if DOUBT.search(clause) and not DOUBT.search(question):
        return False
    # An "or" in an English sentence; of a Korean one, in the span itself or its next word.
    part = (max(0, span.start - 1), span.end + 8) if is_korean(text) else (0, len(text))
    if CHOICE.search(text, *part) and not CHOICE.search(question):
        return False
    if not fits(question, text, span.start, span.end):
        return False
    if asked.shape.answer_type in {"person", "name"} and shared(text, span, question):
        return False
    # An aside, as in "Ada, who followed Ben, led it", tells of its own verb alone, as do brackets.
    told = clause if _ASIDE.match(clause) else _without_brackets(text, span)
    return not asked.relation or not marks(told).isdisjoint(asked.relation)


def _without_brackets(text: str, span: Candidate) -> str:
    """``text`` without what stands in brackets beside the span."""
    inside = (one.span() for one in _BRACKETS.finditer(text))
    beside = [(a, b) for a, b in inside if not a <= span.start < b]
    edges = [0, *(edge for pair in beside for edge in pair), len(text)]
    return " ".join(text[a:b] for a, b in zip(edges[::2], edges[1::2], strict=True))


def nearness(
    asked: MarkedQuestion, text: str, span: Candidate, weighed: Mapping[str, float]
) -> float:
    """The weighed closeness in 0..1 of the words of the relation to a span of ``text``."""
    relation = asked.relation or asked.all
    closest = dict.fromkeys(relation, 0.0)
    for word in _WORD.finditer(text):
        gap = max(word.start() - span.end, span.start - word.end())
        if gap < 0 or (gap == word.start() - span.end and text.startswith(" by ", word.end())):
            continue  # "by" leads to a name of its own
        for one in marks(word.group()).intersection(relation):
            closest[one] = max(closest[one], 1 / (1 + gap / _GAP))
    total = sum(weighed[one] for one in relation) or 1.0
    return sum(weighed[one] * close for one, close in closest.items()) / total


def direction(shape: QuestionShape, text: str, span: Candidate) -> float:
    """1 where a name stands to the verb as "who" or "which" does, -1 where not, 0 if unknown."""
    asked = _SUBJECT.match(shape.text)
    if shape.answer_type not in {"person", "name"} or not asked:
        return 0.0
    verb, before = asked_marks([asked[1].lower()]), text[: span.start]
    by = re.search(r"\b(?:by|through) (?:the )?(?:[a-z]+ ){0,3}$", before)
    said = marks(before) if by else marks(text[span.end : span.end + 60])
    return 1.0 if said.intersection(verb) else -1.0
