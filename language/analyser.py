"""Text analysis shared by the lexical index, the offline reader and the similarity measures.

Works on mixed scripts: words of alphabetic scripts are lower-cased and stemmed, Korean words lose
their particles, and runs without spaces (Chinese, Japanese, long Korean compounds) also yield
character bigrams.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise, zip_longest
from typing import TYPE_CHECKING, NamedTuple

import Stemmer

from . import TEXTS_KEPT

if TYPE_CHECKING:
    from .tables import TableRow

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
        """은 는 이 가 을 를 의 에 와 과 도 만 로 으로 에서 에게 에게서 께 께서 한테 부터 까지 보다
        처럼 마다 조차 마저 이나 이란 이라는 라는 이라고 라고 이며 이고 이다 입니다 이었다 였다 에는
        에도 에서는 에서도 으로는 로는 와의 과의 에게는 들 들이 들은 들을 들의 하고 이랑 랑 인가
        인가요 인지 이었습니다 였습니다 습니까 했습니다 했습니까 합니다 합니까 했다 하였다 한다 하다
        하는 한 하며 하여 해서 된다 되었다 됐다 됩니다 됩니까 되었습니다 되었습니까""".split(),
        key=len,
        reverse=True,
    )
)
_PARTICLE_FORMS = (("은", "는"), ("이", "가"), ("을", "를"), ("과", "와"))
NIEUN, RIEUL, BIEUP, _SSANGSIOT = 4, 8, 17, 20  # places of Korean final consonants
PAST_ENDS = "".join(chr(code) for code in range(0xAC00 + _SSANGSIOT, 0xD7A4, 28))
_KOREAN_QUESTION_WORDS = frozenset(
    """누구 누가 무엇 무엇인가 무슨 언제 어디 어느 어떤 어떻게 왜 몇 얼마 그 이 저 및 또는
    그리고""".split()
)

_WORD = re.compile(r"(?:[^\W\d_]\.){2,}|[^\W_]+(?:[.,]\d+)*(?:['’][^\W\d_]+)?")
_HANGUL = re.compile(r"[가-힣]")
_UNSPACED = re.compile(r"[぀-ヿ㐀-鿿]")
_TITLES = frozenset("mr mrs ms dr messrs mme mlle prof rev hon capt lt col gen sgt gov sen".split())
_NUMBERED = frozenset("no nos vol fig p pp ch sec art op".split())
_DATED = frozenset("c b d r m fl".split())  # circa, born, died, reigned, married, flourished
_ABBREVIATIONS = frozenset(
    """st jr sr vs etc eg ie al cf approx ca est rep inc ltd co corp dept univ ed eds rd ave blvd
    mt ft jan feb mar apr jun jul aug sep sept oct nov dec u.s u.k e.g i.e a.m p.m ph.d""".split()
)
_LONGEST_ABBREVIATION = 8
_INITIALS = re.compile(r"[^\W\d_](?:\.-?[^\W\d_])*")
_BOUNDARY = re.compile(
    r"(?<=[.!?…。！？])[\"'”’)\]」』]*\s+|(?<=[。！？])|(?<=[다요까죠][.!?])(?=[가-힣])|\n\s*"
)
_BULLET = re.compile(r"[-*+•·□○▪★][ \t]+")
_ITEM = re.compile(rf"{_BULLET.pattern}|\[[ xX]\] |\d{{1,2}}[.)][ \t]+")
_LABELLED = re.compile(r"[^\W\d_][^:\n.!?]{0,39}:[ \t]+\S")
_QUOTATIVE = re.compile(r"이?라[고며는]|하[고며였는]|했")
_NEXT_WORD = re.compile(r"[^\w\s]*\w*")
_WORD_SIGN = re.compile(r"[^\W_]")
_LETTER = re.compile(r"[^\W\d_]")
_MARKS = ".!?…。！？"
_CLOSING = frozenset("\"'”’)]」』")
_EMPHASIS = re.compile(r"(?<!\S)[*_`\[]+\Z")
_EMPHASIS_END = re.compile(r"[*_`]+|\]\([^()\s]*\)[*_`]*")
_WIDTHS = range(30, 121)  # of wrapped lines
_LONGEST_COLUMN = 80
_LONGEST_STATEMENT = 300
_FULL = 0.8  # of the width; lines of a proportional font differ in their characters


# Some rules of grammar take quadratic time, so that a text is cut before it meets one.
LONGEST_SENTENCE = 1000
LONGEST_GRAMMAR = 500  # of a question; the longest in HotpotQA and MuSiQue is shorter
LONGEST_TITLE = 200


class Span(NamedTuple):
    """A piece of text with its half-open character range ``[start, end)`` in the whole.

    Of a sentence, ``plain`` is what is compared: one line without markup; of a row of a table,
    the header with each cell.
    """

    start: int
    end: int
    text: str
    plain: str = ""


@lru_cache(maxsize=200_000)
def one_line(text: str) -> str:
    """The text with every run of white space as one space, and none at the ends."""
    return " ".join(text.split())


@lru_cache(maxsize=100_000)  # the same words come again and again
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
    sound = final_sound(word[-1:])
    if particle in {"으로", "로"}:
        return word + ("로" if sound in {0, RIEUL} else "으로")
    forms = next((pair for pair in _PARTICLE_FORMS if particle in pair), (particle, particle))
    return word + forms[not sound]


def final_sound(syllable: str) -> int:
    """The place of a Korean syllable's final consonant, from 1; 0 without one."""
    return (ord(syllable) - 0xAC00) % 28 if "가" <= syllable <= "힣" else 0


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
    """The keyword set k_x of HopRAG: the distinct index terms of all content words."""
    return frozenset(terms(text))


def sentences(text: str) -> list[Span]:
    """Sentences of ``text``, surrounding white space left out; none where there is only markup.

    Rows of tables, items of lists and statements of code are sentences. Abbreviations and the line
    breaks of wrapped text end none, blank lines do. One of a word or two goes with the next. One
    longer than ``LONGEST_SENTENCE`` characters comes in pieces, cut between words.
    """
    return list(_sentences(text))


@lru_cache(maxsize=TEXTS_KEPT)
def _sentences(text: str) -> tuple[Span, ...]:
    from .code import code_blocks
    from .markup import prose
    from .tables import records, rows

    plain = prose(text)
    width = _wrapped_at(plain)
    told = [*rows(text, plain), *records(text)]
    tables = sorted(row for row in told if row.end - row.start <= LONGEST_SENTENCE)
    starts = [row.start for row in tables]
    apart: list[tuple[int, int, list[Span]]] = [
        (row.start, row.end, _told(text, row)) for row in tables
    ]
    for start, end in code_blocks(plain):
        if bisect_left(starts, start) == bisect_left(starts, end):
            apart.append((start, end, list(_statements(text, plain, start, end))))
    found: list[Span] = []
    at = 0
    for start, end, spans in sorted(apart):
        found += [*_between(text, plain, at, start, width), *spans]
        at = min(end + 1, len(text))
    found += _between(text, plain, at, len(text), width)
    return tuple(found)


def _told(text: str, row: TableRow) -> list[Span]:
    """A row of a table as a sentence, each cell behind its header."""
    labels = (f"{shortened(cell, _LONGEST_COLUMN)}: " if cell else "" for cell in row.header)
    pairs = zip_longest(labels, row.cells, fillvalue="")
    told = "; ".join(label + cell for label, cell in pairs if cell)
    if not told:
        return []
    inner = text[row.start : row.end].strip(" \t|")
    start = text.index(inner, row.start)
    return [Span(start, start + len(inner), inner, shortened(told, LONGEST_SENTENCE))]


def _statements(text: str, plain: str, start: int, end: int) -> Iterator[Span]:
    """Lines of code, each with those below it that are further in, as far as they fit."""
    begin, at = start, start
    for line in plain[start:end].splitlines(keepends=True):
        long = at + len(line) - begin > _LONGEST_STATEMENT
        if begin < at and (long or _indent(plain, at) <= _indent(plain, begin)):
            yield from _trimmed(text, plain, begin, at)
            begin = at
        at += len(line)
    yield from _trimmed(text, plain, begin, end)


def _between(text: str, plain: str, start: int, end: int, width: int) -> Iterator[Span]:
    """The sentences of the characters ``[start, end)``, in which there are no tables."""
    for boundary in _BOUNDARY.finditer(plain, start, end):
        if not _goes_on(plain, start, boundary, width):
            yield from _trimmed(text, plain, start, boundary.end())
            start = boundary.end()
    yield from _trimmed(text, plain, start, end)


def _goes_on(plain: str, start: int, boundary: re.Match[str], width: int) -> bool:
    """Whether the sentence that begins at ``start`` goes on after ``boundary``."""
    gap, end, after = boundary.group(), boundary.start(), boundary.end()
    lines = gap.count("\n")
    if lines > 1 or end == start or (lines and _is_item(plain, end, after)):
        return False
    if lines and _LABELLED.match(plain, after) and _LABELLED.match(plain, start):
        return _indent(plain, after) > _indent(plain, start)
    opener = _LETTER.search(plain, start, end)
    if plain[after : after + 1].islower() and not (opener and opener.group().islower()):
        return True
    ended = plain[end - 1] in _MARKS
    if lines and not _is_full(plain, end, after, _FULL * width):
        return not ended and _indent(plain, after) > _indent(plain, start)
    if plain[end - 1] == "." and _is_abbreviated(plain, start, end - 1, after):
        return True
    if gap[:1] in _CLOSING and _QUOTATIVE.match(plain, after):
        return True
    called = _word_at(plain, after)  # once more: "Cry! Cry! Cry!"
    if not ended or (plain[end - 1] == "!" and called and plain.endswith(f"{called}!", 0, end)):
        return True
    words = plain[start:end].split(None, 2)
    return len(words) < (2 if _HANGUL.search(words[0]) else 3)


def _is_item(plain: str, end: int, after: int) -> bool:
    """Whether an item of a list begins: no number that ends a sentence, as in "house / 6. Then"."""
    number = re.match(r"(\d{1,2})[.)][ \t]", plain[after : after + 4])
    if not number or number[1] == "1" or plain[end - 1] in f"{_MARKS}:":
        return _ITEM.match(plain, after) is not None
    earlier = rf"(?m)^[ \t]*{int(number[1]) - 1}[.)]"
    return re.search(earlier, plain[max(0, after - 2 * LONGEST_SENTENCE) : after]) is not None


def _is_abbreviated(plain: str, start: int, dot: int, after: int) -> bool:
    last = re.split(r"[\s(\[\"“'‘]", plain[max(start, dot - _LONGEST_ABBREVIATION) : dot])[-1]
    following = _word_at(plain, after).lstrip("\"'“‘([")
    if (last != "P" and last.lower() in _NUMBERED) or last.isdecimal():  # "No. 5", "2024. 4. 18."
        return following.isdecimal() and (len(following) < 3 or not last.isdecimal())
    if last in _DATED:  # "(c. 12th century)"
        return following[:1].isdecimal()
    if (_INITIALS.fullmatch(last) and last.isupper()) or last.lower() in _ABBREVIATIONS:
        return len(following) < 2 or following.lower() not in STOP_WORDS
    return last.lower() in _TITLES


def _wrapped_at(plain: str) -> int:
    """The width at which the lines of a text are wrapped; 0 where line breaks have a meaning."""
    lines = plain.split("\n")
    pairs = [(len(a), b.split(None, 1)[0]) for a, b in pairwise(lines) if a.strip() and b.strip()]
    pairs = [pair for pair in pairs if pair[0] < _WIDTHS.stop]
    width = max((length for length, _ in pairs), default=0)
    full = [length + 1 + len(word) > _FULL * width for length, word in pairs]
    cased = [word[0].islower() for _, word in pairs if word[0].lower() != word[0].upper()]
    as_prose = 3 * sum(cased) >= len(cased)  # in verses and lists, lines begin with capitals
    return width if width in _WIDTHS and 2 * sum(full) >= len(full) and as_prose else 0


def _is_full(plain: str, end: int, after: int, width: float) -> bool:
    """Whether the line about ``end`` had no room for the word that begins the next one."""
    length = plain.index("\n", end) - plain.rfind("\n", 0, end)
    return 0 < width < length + len(_word_at(plain, after))


def _word_at(plain: str, place: int) -> str:
    match = _NEXT_WORD.match(plain, place)
    return match.group() if match else ""


def _indent(plain: str, place: int) -> int:
    begin = plain.rfind("\n", 0, place) + 1
    line = plain[begin : begin + LONGEST_SENTENCE]
    return len(line) - len(line.lstrip(" \t"))


def _trimmed(text: str, plain: str, start: int, end: int) -> Iterator[Span]:
    """``[start, end)`` without what is blank or a bullet, in pieces where it is too long."""
    while start < end:
        most = start + LONGEST_SENTENCE
        cut = plain.rfind(" ", start + 1, most) + 1 or most
        stop = end if end <= most else cut
        piece = plain[start:stop].rstrip()
        begin = start + len(piece) - len(piece.lstrip())
        if bullet := _BULLET.match(plain, begin, stop):
            begin = bullet.end()
        if _WORD_SIGN.search(piece):
            last = start + len(piece)
            words = " ".join(plain[begin:last].split())
            if mark := _EMPHASIS.search(text[max(begin - 9, 0) : begin]):
                begin -= len(mark.group())
            if plain[last : last + 1] == " " and (mark := _EMPHASIS_END.match(text, last, stop)):
                last = mark.end()
            yield Span(begin, last, text[begin:last], words)
        start = stop


def written(plain: str, sentence: Span) -> str:
    """The part of a text's prose ``plain`` in a sentence, with a bar between lines of a record."""
    said = plain[sentence.start : sentence.end]
    return said if " ".join(said.split()) == sentence.plain else said.replace("\n", "|")


def shortened(text: str, most: int) -> str:
    """``text`` in ``most`` characters at most, its end as "…" where it is longer."""
    return text if len(text) <= most else text[: most - 1].rstrip() + "…"


def is_korean(text: str) -> bool:
    """Whether ``text`` is mostly Korean, by counting Hangul against Latin letters."""
    if not (korean := len(_HANGUL.findall(text))):
        return False
    return korean > len(re.findall(r"[A-Za-z]", text)) / 2


def count_tokens(text: str) -> int:
    """Approximate model tokens: four characters a token, one and a half in unspaced scripts."""
    dense = 0 if text.isascii() else len(_HANGUL.findall(text)) + len(_UNSPACED.findall(text))
    return round((len(text) - dense) / 4 + dense / 1.5) or (1 if text else 0)
