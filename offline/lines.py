"""The sentences of passages without a model: how they are ranked, and the best as highlights."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from statistics import median
from typing import NamedTuple

from ..language.analyser import content_words, is_korean, sentences, strip_particle
from ..language.answer_types import life_facts, roots
from ..language.folding import folded
from ..language.questions import QuestionShape, analyse_question, korean_stem
from ..language.verbs import korean_root
from ..prompts.pointing import cut
from ..prompts.prompt import Excerpt
from ..state.places import BELOW
from .spans import defines, typed_spans


class Compared(NamedTuple):
    """A sentence to be compared with a question, of the passage of that id, or of none."""

    sentence: str
    title: str = ""
    passage: str = ""


# The likeliest sentences come first, which are compared where it costs too much to compare all.
Similarity = Callable[[Sequence[Compared]], Sequence[float]]

_MOST, _MOST_OF_A_PASSAGE = 6, 3
# Beside 1 for all words of the question, and for the cosine: for words around a line, the rank of
# its passage, something of the kind asked for, and a reason. Near a fit (docs/benchmarks.md).
_CONTEXT, _RANK, _TYPED, _BECAUSE = 0.7, 0.5, 0.5, 0.2
# Against a line that is so short, asks, leads to the next, or adds so few words to the question's.
_LITTLE, _SHORT, _NEW, _ASKS = 0.2, 20, 2, ("?", "？", ":")
_LIKELY, _ENOUGH = 0.5, 8  # of a span; cosines, for a median
_CLOSING = "'\"”’»」』)*_"  # what may stand behind the end of a sentence
_LATIN = re.compile(r"[A-Za-z]{5,}")
_HANGUL = re.compile(r"[가-힣]")
_HYPHENED = re.compile(r"\b[A-Za-z]{1,5}-[A-Za-z]{1,5}\b")
_NAMING = re.compile(r"[A-Z\d]")
RANKS = "first second third fourth fifth sixth seventh eighth ninth tenth".split()
_ORDINALS = dict(zip("1st 2nd 3rd 4th 5th 6th 7th 8th 9th 10th".split(), RANKS, strict=True))
# Words of a question that ask for nothing.
LIGHT = re.compile(
    r"(?i)^(?:may|might|must|shall|get|got|happen(?:s|ed)?|what['’]?s|i['’]\w+|\w+n['’]t|now|still|done"
    r"|(?-i:us)|(?:any|some|every|no)(?:thing|one|body))$|"
    r"^(?:언제|며칠|몇|얼마|누구|누가|누굴|어디|어느|어떤|무슨|무엇|뭐|뭔|있|없|하[나는죠]|모두|다$|때$"
    r"|필요|알려|말해)|날짜$|^(?:수|것|건|게|뜻)(?:[은는이가을를]|인\S*)?$"
    r"|^(?:우리|저희|왜|까닭|이유|어떻게|어때|그런|거야|거예|건가|한|번|정말|진짜|사실|혹시|보통|대략|방법)"
    r"(?:에|로|가|는|은|이|을|요)?$|^[가-힣]{1,2}쯤$"
    r"|^(?:할|했|해|하였|하면|될|되|됐|돼|된|나왔|나와|나온|나)(?:[어요지나까니가는던을었게다]|습니다|더라)*$"
)
_ONE_SYLLABLE = re.compile(r"^([가-힣])[은는이가을를의에와과도만로]$")
_HONORIFIC = re.compile(r"(?<=[가-힣]{2})(?:대왕|장군|선생|여사|박사|씨|님)$")
_HOW = re.compile(r"(?i)\bhow \w+|(?<!\S)몇 ?[가-힣](?:에|[은는이가을를])?(?!\S)")
_HEADING = re.compile(r"^#{1,6} +(.+)$", re.MULTILINE)
PRONOUN = re.compile(
    r"^\W*(?:he|she|it|they|his|her|its|their|this|these|that|those|there)\b"
    r"|\b(?:he|she|it|they|him|her|them)\b"
    r"|^(?:\S+ ){0,2}[이그] [가-힣]+[은는이가] ",
    re.IGNORECASE,
)
# With 이 or 가 anywhere; 은 and 는 also end verbs, but not where a sentence begins.
KOREAN_SUBJECT = re.compile(
    r"(?:^|(?<= ))([가-힣]{2,})[이가] |^(?:\S+ )?([가-힣]+(?<![에서로게]))[은는] "
)
# Of a row of a table; not of a list whose parts have no label.
CELL = re.compile(r"(?:^|(?<=; ))([^:;]{1,40}): ([^;…]{1,80}?)(?=\.?$|; [^:;]{1,40}: )")
_WHY = re.compile(r"(?i)\bwhy\b|\breasons?\b|왜|까닭|이유")
_REASON = re.compile(r"(?i)\b(?:because|since|so that|reasons?)\b|때문|까닭|이유|[아어라]서\b|니까")
_OF_NAMES = frozenset(roots("name named call called locate located situated"))


class Line(NamedTuple):
    """The sentence ``number`` of the text in place ``place``, from 0.

    ``passage`` is the rank of its passage, from 0: the texts of one passage share it.
    ``context`` is its title, its heading, and the sentences before in which its subject may stand;
    ``own`` and ``around`` are the marks of it and of its context.
    """

    place: int
    passage: int
    text: str
    number: str
    context: tuple[str, ...]
    own: frozenset[str]
    around: frozenset[str]
    cosine: float = 0.0


@lru_cache(maxsize=20_000)
def marks(text: str) -> frozenset[str]:
    """The roots of the words of ``text``; all beginnings of a Korean one, and "~" with its verb."""
    life = life_facts(text)
    told = (word for word, fact in (("birth", life.birth), ("die", life.death)) if fact)
    joined = [one.replace("-", "") for one in _HYPHENED.findall(text)]  # "Wi-Fi" is "wifi", too
    return frozenset(told).union(*map(_marks_of, [*content_words(text), *joined]))


@lru_cache(maxsize=100_000)
def _marks_of(word: str) -> tuple[str, ...]:
    if not _HANGUL.search(word):
        return roots(folded(_ORDINALS.get(word, word)))
    least = 1 if len(strip_particle(word)) < 3 else 2
    word, verb = word.lower(), korean_root(word)  # "E4는" is about "e4", too
    return *(word[:end] for end in range(least, len(word) + 1)), *([f"~{verb}"] if verb else [])


def asked_marks(words: Sequence[str], naming: bool = False) -> tuple[str, ...]:
    """How ``words`` that are asked are looked for among ``marks``; without "called", if no deed."""
    found = dict.fromkeys(map(_mark, words))
    return tuple(one for one in found if one and (naming or one not in _OF_NAMES))


def respelled(question: str, lines: Sequence[Line]) -> str:
    """``question`` with words that no line has spelled as those that have the same letters."""
    texts = (part for line in lines for part in (line.text, *line.context))
    written = {word for text in texts for word in content_words(text)}
    known = {word.lower() for word in written}
    of = {_letters(word): word for word in sorted(written, reverse=True)}  # names win

    def spelled(word: str) -> str:
        return word if word.lower() in known else of.get(_letters(word), word)

    return _LATIN.sub(lambda match: spelled(match[0]), question)


def _letters(word: str) -> str:
    """The letters of ``word``, doubled ones once, which swaps within it do not change."""
    once = re.sub(r"(.)\1", r"\1", word.lower())
    return once[:1] + "".join(sorted(once[1:-1])) + once[-1:]


def telling_words(question: str) -> list[str]:
    """The content words of ``question`` but those that ask for nothing, if others are left."""
    words = content_words(_HOW.sub("", question))
    return [word for word in words if not LIGHT.search(word)] or words


def _mark(word: str) -> str:
    stem = _HONORIFIC.sub("", korean_stem(word))
    if not _HANGUL.search(stem):
        return next(iter(_marks_of(stem)), "")
    if syllable := _ONE_SYLLABLE.match(word):
        return syllable[1]
    if verb := korean_root(word, asked=True):
        return f"~{verb}"
    if len(stem) == 1:  # which alone says too little
        return word[:2]
    return (stem if len(stem) < 3 else stem[:-1]).lower()


def lines_of(passages: Sequence[Excerpt]) -> list[Line]:
    """The sentences of ``passages``, in order."""
    found: list[Line] = []
    ranks: dict[str, int] = {}
    for place, passage in enumerate(passages):
        rank = ranks.setdefault(passage.get("passage") or f"text {place}", len(ranks))
        text = passage["text"]
        spans, headings = sentences(text), [one.span(1) for one in _HEADING.finditer(text)]
        numbers = {one.start: f"{passage['id']}.{n}" for n, one in enumerate(cut(text), start=1)}
        texts = ["", *(span.plain for span in spans)]
        subject = ""
        for before, span in zip(texts, spans, strict=False):
            heading = [text[a : min(b, span.start)] for a, b in headings if a < span.start][-1:]
            stands_alone = CELL.match(span.plain) or KOREAN_SUBJECT.search(span.plain)
            dropped = is_korean(span.plain) and not stands_alone
            bound = dropped or PRONOUN.search(span.plain) or _asks(before)
            subject = subject if bound else span.plain
            context = (passage["title"], *heading, *([subject, before] if bound else []))
            around = frozenset[str]().union(*map(marks, context))
            own, number = marks(span.plain), numbers[span.start]
            found.append(Line(place, rank, span.plain, number, context, own, around))
    return found


def sentence_of(line: Line, passages: Sequence[Excerpt]) -> Compared:
    """``line`` under the title of its passage, as it is compared with a question."""
    passage = passages[line.place]
    title = passage["title"].partition(BELOW)[0]
    return Compared(line.text, title, passage.get("passage", ""))


def cosines(
    question: str, passages: Sequence[Excerpt], lines: Sequence[Line], similarity: Similarity
) -> dict[Compared, float]:
    """The cosines of ``lines`` with ``question``; the likeliest are compared first."""
    ordered = [sentence_of(line, passages) for line in _by_relevance(question, lines)]
    return dict(zip(ordered, similarity(ordered), strict=True))


def compared(
    question: str, passages: Sequence[Excerpt], lines: Sequence[Line], similarity: Similarity
) -> list[Line]:
    """``lines`` with their cosines, of many those above the median, as all texts are alike."""
    near = cosines(question, passages, lines, similarity)
    found = sorted(filter(None, near.values()))
    usual = min(median(found), 0.9) if len(found) >= _ENOUGH else 0.0
    near |= {one: (cosine - usual) / (1 - usual) for one, cosine in near.items() if cosine}
    return [line._replace(cosine=near[sentence_of(line, passages)]) for line in lines]


def weights(asked: Sequence[str], lines: Sequence[Line]) -> dict[str, float]:
    """The inverse frequency among ``lines`` of each mark; their sum is 1."""
    counts = Counter(one for line in lines for one in (line.own | line.around).intersection(asked))
    found = {one: math.log(1 + len(lines) / (0.5 + counts[one])) for one in asked}
    total = sum(found.values()) or 1.0
    return {one: weight / total for one, weight in found.items()}


def highlights(question: str, lines: Sequence[Line]) -> list[Line]:
    """The lines that say most of ``question`` in some words, at most six, three of a passage."""
    taken: Counter[int] = Counter()
    found: dict[str, Line] = {}
    asked = asked_marks(telling_words(question))
    for line in _by_relevance(question, lines):
        if found and not line.cosine and (line.own | line.around).isdisjoint(asked):
            continue
        if taken[line.passage] < _MOST_OF_A_PASSAGE and line.text not in found:
            taken[line.passage] += 1
            found[line.text] = line
    return list(found.values())[:_MOST]


def is_first(passage: int, question: str, lines: Sequence[Line]) -> bool:
    """Whether a passage was found first, or holds the line that says most of ``question``."""
    return passage == 0 or _by_relevance(question, lines)[0].passage == passage


def _by_relevance(question: str, lines: Sequence[Line]) -> list[Line]:
    """``lines``, those first that say most of ``question``."""
    ranked = sorted(zip(relevances(question, lines), lines, strict=True), key=lambda one: -one[0])
    return [line for _, line in ranked]


def relevances(question: str, lines: Sequence[Line]) -> list[float]:
    """How much each of ``lines`` says of ``question``."""
    weighed = weights(asked_marks(telling_words(question)), lines)
    because = _BECAUSE if _WHY.search(question) else 0.0
    shape = analyse_question(question)  # a short Korean answer is told by no capital
    bare = {"en": shape.answer_type != "yes_no", "ko": shape.answer_type == "open"}[shape.language]

    def relevance(line: Line) -> float:
        typed = _has_typed(shape, line.text)
        reason = because * bool(_REASON.search(line.text))
        asks = _asks(line.text) or (bare and not (typed or reason) and _repeats(line.text, weighed))
        own = _CONTEXT if asks else 1  # its words are those of the answer after it
        said = line.cosine + _RANK / (1 + line.passage) + _TYPED * typed + reason
        for one, weight in weighed.items():
            said += weight * (own if one in line.own else _CONTEXT * (one in line.around))
        return said - _LITTLE * (len(line.text) < _SHORT or asks)

    return list(map(relevance, lines))


def _repeats(text: str, asked: Mapping[str, float]) -> bool:
    """Whether ``text`` says hardly more than the question: nothing that could be an answer."""
    words = content_words(text)
    new = [word for word in words if marks(word).isdisjoint(asked)]
    named = any(_NAMING.search(word) for word in new if not text.startswith(word))
    return not named and len(new) < len(words) and len(new) <= _NEW


def _asks(text: str) -> bool:
    """Whether ``text`` asks or leads to the next sentence, in quotation marks or not."""
    return text.rstrip(_CLOSING).endswith(_ASKS)


@lru_cache(maxsize=20_000)
def _has_typed(shape: QuestionShape, text: str) -> bool:
    """Whether ``text`` has a person, a date, a place, a number or what defines, as is asked for."""
    if shape.answer_type == "definition":
        return defines(shape.text, text)
    if shape.answer_type not in {"person", "date", "place", "number"}:
        return False
    asked = shape.text.lower()
    found = typed_spans(shape, text)
    return any(one.prior >= _LIKELY and one.text.lower() not in asked for one in found)
