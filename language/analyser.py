"""Text analysis shared by the lexical index, the offline reader and the similarity measures.

Works on mixed scripts: words of alphabetic scripts are lower-cased and stemmed, Korean words lose
their particles, and runs without spaces (Chinese, Japanese, long Korean compounds) also yield
character bigrams.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import NamedTuple

import Stemmer

_STEMMER = Stemmer.Stemmer("english")

STOP_WORDS = frozenset(
    """a about above after again against all also am an and any are as at be because been before
    being below between both but by can could did do does doing down during each either else ever
    few for from further had has have having he her here hers herself him himself his how i if in
    into is it its itself just me might more most must my myself no nor not of off on once only or
    other our ours ourselves out over own same shall she should so some such than that the their
    theirs them themselves then there these they this those through to too under until up upon
    very was we were what when where which while who whom whose why will with would you your yours
    yourself yourselves s t d ll ve re""".split()
)

_PARTICLES = tuple(
    sorted(
        """은 는 이 가 을 를 의 에 와 과 도 만 로 으로 에서 에게 에게서 께 께서 한테 부터 까지
        보다 처럼 마다 조차 마저 이나 이란 이라는 라는 이라고 라고 이며 이고 이다 입니다
        이었다 였다 에는 에도 에서는 에서도 으로는 로는 와의 과의 에게는 들 들이 들은 들을
        들의 하고 이랑 랑 인가 인가요 인지 이었습니다 였습니다 습니까 했습니다 했습니까
        합니다 합니까 했다 하였다 한다 하다 하는 한 하며 하여 해서 된다 되었다 됐다 됩니다
        됩니까 되었습니다 되었습니까""".split(),
        key=len,
        reverse=True,
    )
)
_PARTICLE_FORMS = (("은", "는"), ("이", "가"), ("을", "를"), ("과", "와"))
_RIEUL = 8
_KOREAN_QUESTION_WORDS = frozenset(
    """누구 누가 무엇 무엇인가 무슨 언제 어디 어느 어떤 어떻게 왜 몇 얼마 그 이 저 및 또는
    그리고""".split()
)

_WORD = re.compile(r"(?:[^\W\d_]\.){2,}|[^\W_]+(?:[.,]\d+)*(?:['’][^\W\d_]+)?")
_HANGUL = re.compile(r"[가-힣]")
_UNSPACED = re.compile(r"[぀-ヿ㐀-鿿]")
_ABBREVIATIONS = frozenset(
    """mr mrs ms dr prof st sr jr vs etc eg ie no vol fig gen col lt sgt capt rev hon gov sen rep
    inc ltd co corp dept univ approx ca est jan feb mar apr jun jul aug sep sept oct nov dec
    u.s u.k e.g i.e a.m p.m ph.d""".split()
)
_LONGEST_ABBREVIATION = max(map(len, _ABBREVIATIONS)) + 1
_BOUNDARY = re.compile(
    r"(?<=[.!?…。！？])[\"'”’)\]」』]*(?:\s+|(?<=[。！？]))|\n\s*\n|\n(?=\s*[-*#•])"
)


# Some rules of grammar take quadratic time, so that a text is cut before it meets one.
LONGEST_SENTENCE = 1000
LONGEST_GRAMMAR = 500  # of a question; the longest in HotpotQA and MuSiQue is shorter
LONGEST_TITLE = 200


class Span(NamedTuple):
    """A piece of text with its half-open character range ``[start, end)`` in the whole."""

    start: int
    end: int
    text: str


@lru_cache(maxsize=200_000)
def one_line(text: str) -> str:
    """The text with every run of white space as one space, and none at the ends."""
    return " ".join(text.split())


def _word_terms(word: str) -> tuple[str, ...]:
    if _UNSPACED.search(word):
        return bigrams(word)
    if _HANGUL.search(word):
        return _korean_terms(word)
    word = re.sub(r"['’]\w*$", "", word.replace(".", "") if word[-1] == "." else word)
    if not word or word in STOP_WORDS:
        return ()
    return (_STEMMER.stemWord(word) if word.isalpha() else word.replace(",", ""),)


def bigrams(word: str) -> tuple[str, ...]:
    """Overlapping character pairs of ``word``; the word itself when it has fewer than three."""
    return (word,) if len(word) < 3 else tuple(word[i : i + 2] for i in range(len(word) - 1))


def strip_particle(word: str) -> str:
    """A Korean word without its trailing particle or copula; at least two syllables remain."""
    for particle in _PARTICLES if word.endswith(_PARTICLES) else ():
        if word.endswith(particle) and len(word) - len(particle) >= 2:
            return word[: -len(particle)]
    return word


def with_particle(word: str, particle: str) -> str:
    """A Korean word with ``particle`` in the form that its last sound asks for ("은" or "는")."""
    last = word[-1:]
    sound = (ord(last) - 0xAC00) % 28 if "가" <= last <= "힣" else 0
    if particle in {"으로", "로"}:
        return word + ("로" if sound in {0, _RIEUL} else "으로")
    forms = next((pair for pair in _PARTICLE_FORMS if particle in pair), (particle, particle))
    return word + forms[not sound]


def _korean_terms(word: str) -> tuple[str, ...]:
    stem = strip_particle(word)
    if word in _KOREAN_QUESTION_WORDS or stem in _KOREAN_QUESTION_WORDS:
        return ()
    return (stem, *bigrams(stem)) if len(stem) > 2 else (stem,)


def words(text: str) -> list[str]:
    """The words of ``text`` in order, NFKC-normalised and lower-cased, function words included."""
    return _WORD.findall(unicodedata.normalize("NFKC", text).lower())


def content_words(text: str) -> list[str]:
    """The words of ``text`` as they are written, in order, without function words."""
    return [word for word in _WORD.findall(text) if _word_terms(word.lower())]


def terms(text: str) -> list[str]:
    """The index terms of ``text`` in order, with repetitions and without function words."""
    return [term for word in words(text) for term in _word_terms(word)]


def keywords(text: str) -> frozenset[str]:
    """The keyword set k_x of METHODS: the distinct index terms (names, nouns, numbers)."""
    return frozenset(terms(text))


def sentences(text: str) -> list[Span]:
    """Sentences of ``text`` with their character ranges, surrounding white space left out.

    Abbreviations, initials and decimal points do not end a sentence; blank lines and list items
    do. One longer than ``LONGEST_SENTENCE`` characters comes in pieces, cut between words.
    """
    return list(_sentences(text))


@lru_cache(maxsize=16)  # several functions in turn go over one passage
def _sentences(text: str) -> tuple[Span, ...]:
    spans: list[Span] = []
    start = 0
    for boundary in _BOUNDARY.finditer(text):
        if not _inside_sentence(text, start, boundary):
            _append_trimmed(spans, text, start, boundary.end())
            start = boundary.end()
    _append_trimmed(spans, text, start, len(text))
    return tuple(spans)


def _inside_sentence(text: str, start: int, boundary: re.Match[str]) -> bool:
    if text[boundary.start() - 1 : boundary.start()] != "." or "\n" in boundary.group():
        return False
    end = boundary.start() - 1
    last = re.split(r"[\s(\[\"“]", text[max(start, end - _LONGEST_ABBREVIATION) : end])[-1].lower()
    following = text[boundary.end() : boundary.end() + 1]
    return last in _ABBREVIATIONS or (len(last) == 1 and last.isalpha()) or following.islower()


def _append_trimmed(spans: list[Span], text: str, start: int, end: int) -> None:
    while start < end:
        most = start + LONGEST_SENTENCE
        cut = text.rfind(" ", start + 1, most) + 1 or most
        piece = text[start : end if end <= most else cut]
        trimmed = piece.strip()
        if trimmed:
            begin = start + len(piece) - len(piece.lstrip())
            spans.append(Span(begin, begin + len(trimmed), trimmed))
        start += len(piece)


def shortened(text: str, most: int) -> str:
    """``text`` in ``most`` characters at most, its end as "…" where it is longer."""
    return text if len(text) <= most else text[: most - 1].rstrip() + "…"


def is_korean(text: str) -> bool:
    """Whether ``text`` is mostly Korean, by counting Hangul against Latin letters."""
    return len(_HANGUL.findall(text)) > len(re.findall(r"[A-Za-z]", text)) / 2


def count_tokens(text: str) -> int:
    """Approximate model tokens: four characters a token, one and a half in unspaced scripts."""
    dense = 0 if text.isascii() else len(_HANGUL.findall(text)) + len(_UNSPACED.findall(text))
    return round((len(text) - dense) / 4 + dense / 1.5) or (1 if text else 0)
