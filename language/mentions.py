"""Names, quoted names, dates and numbers that a passage mentions, found by writing rules alone."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Literal, NamedTuple

from . import TEXTS_KEPT
from .analyser import LONGEST_SENTENCE, STOP_WORDS, Span, sentences, strip_particle, written
from .answer_types import OPENERS, UPPER
from .dates import NAMES
from .folding import folded
from .markup import prose

Kind = Literal["name", "quoted", "date", "number"]


class Mention(NamedTuple):
    """Characters ``[start, end)`` of a text that mention something; ``sentence`` counts from 0.

    ``key`` is the normalised form under which mentions of one thing meet.
    """

    start: int
    end: int
    text: str
    key: str
    kind: Kind
    sentence: int


_CAPITAL = (
    rf"(?:(?:[{UPPER}]\.)+(?:[{UPPER}](?![^\W_]))?"
    rf"|(?:Jr|Sr|Dr|St|Mr|Mrs|Ms|Mt|Ft|Lt|Col|Gen|Capt|Prof|No)\."
    rf"|[{UPPER}][^\W_]*+(?!_[^\W_])(?:[-'’./&](?!(?:born|based|style|like|era|speaking|language)\b)[^\W_]+)*(?:['’](?=\s[{UPPER}]))?|\d+(?:st|nd|rd|th)\b)"
)
_LINK = (
    r"(?:(?:of|de|la|le|du|di|da|do|dos|del|della|van|von|zu|der|den|ter|al|el|bin|ibn|ap|y|e|&)"
    r"\s+(?:the\s+|la\s+|der\s+)?)"
)
_OF = re.compile(r"\s+of\s+(?:the\s+)?")
_NAME = re.compile(
    rf"(?<![^\W_])(?<![^\W_]_){_CAPITAL}(?:(?:\s+|\s+-\s+){_LINK}?{_CAPITAL}|,\s+Jr\.|\s+\d+(?![^\W_]|[.,:]\d))*"
)
_QUOTED = re.compile(
    r"[\"“”「『《〈]\s?([^\"“”」』》〉]{2,80}?)[\"“”」』》〉]|``\s?([^`\"]{2,80}?)\s?''"
    r"|(?<!\w)['‘]([^'’]{3,80})['’](?!\w)"
)
_GREETING = re.compile(r"(?:Merry|Happy)\s(?:Christmas|New\sYear|Birthday)")
_SMALL = frozenset(
    """a an the and or but nor of in on at to for from by with as into over upon vs de la le du des
    di da del der die das von van et y e""".split()
)
_MONTH = f"(?:{'|'.join(NAMES.title().split())})"
_DATE = re.compile(
    rf"\b(?:\d{{1,2}}\s+{_MONTH},?\s+\d{{4}}|{_MONTH}\s+\d{{1,2}},?\s+\d{{4}}|{_MONTH}\s+\d{{4}}"
    r"|(?:1\d|20)\d\d)(?!\w)|(?<!\d)\d{3,4}년(?:\s*\d{1,2}월(?:\s*\d{1,2}일)?)?"
)
_NUMBER = re.compile(r"(?<![\w.,])\d{1,3}(?:,\d{3})+(?:\.\d+)?|(?<![\w.,])\d+(?:\.\d+)?(?![\w,])")
_KOREAN_WORD = re.compile(r"(?<![\d가-힣])[가-힣]{2,}(?:·[가-힣]+)*")
_KOREAN_PREDICATE = re.compile(r"(?:다|고|며|여|서|된|한|하는|되는|있는|없는|던|지만|으로서)$")
_KOREAN_VERB = re.compile(r"(?:하(?!고)|했|합니|한(?!테)|해서|된|되|됐|됩)")
_KOREAN_PRONOUNS = frozenset(
    """그는 그의 그가 그녀 그들 이는 이후 이것 그것 저는 우리 당시 때문 경우 이때 누구 무엇 언제
    어디""".split()
)
_WORDS = re.compile(r"[^\W_]+")
_BETWEEN_INITIALS = re.compile(r"(?<![^ ][a-z])(?<=[a-z]) (?=[a-z](?: |$))")
_LETTER = re.compile(r"[^\W_]")
_LETTERS = re.compile(r"[^\W\d_]+")
_DIGIT = re.compile(r"\d")
_OPENER = re.compile(r"[^\W_]+(?:['’]\w+)?")
_GAP = re.compile(rf"[\s\-]*{_LINK}?")
_SPOKEN = re.compile(
    r"\s+(?:(?:he|she|they|I|we|it) )?(?:said|says|cried|asked|replied|returned|answered|exclaimed"
    r"|added|observed|continued|pursued|whispered|shouted|inquired|retorted|murmured)\b"
)
_OPENING = re.compile(r"(?:^|[|#]|[.!?…][)\"”'’]*\s+|(?:^|[\s(–—-])[\"“'‘`]+)[^\w\"“'‘`]*$")
_TOKEN = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*|[.!?…\"“”‘|#]|(?<!\w)'(?=\w)")
_TITLED = frozenset("Mr Mrs Ms Dr St Mt Prof Capt Col Gen".split())
_CONTRACTION = re.compile(r"(?:n['’]t|['’](?:ll|ve|re|d|m))$", re.IGNORECASE)
_NO_NAME = re.compile(
    r"^(?:chapter|stave|book|part|act|scene|canto|section|volume|figure|table|page|appendix|letter)"
    r" (?:[ivxlc]+|\d+|one|two|three|four|five|six|seven|eight|nine|ten|the|first|last)\b"
    rf"|^(?:\d+(?:st|nd|rd|th)?|[a-z]\.?|none|true|false|null)$|{_CONTRACTION.pattern}",
    re.IGNORECASE,
)
_CAPITALS = frozenset({"US", "WHO"})
_SHOUTED = STOP_WORDS - frozenset("of the and for in".split())
EPITHETS = frozenset("poor dear dearest merry happy good old young little".split())
_INTERJECTIONS = frozenset(
    """oh o ah aha alas ay aye bah bravo eh hallo halloa hark hello hey ho humph hurrah hush lo nay
    no pooh pray sir madam ma'am please thank thanks welcome well why yes yea amen ok okay note thee
    thou thy dost hast didst""".split()
)
_OPENERS = STOP_WORDS | frozenset(
    f"""{OPENERS} third last next yes now thus hence therefore moreover furthermore meanwhile
    instead indeed often sometimes usually generally historically initially finally eventually
    recently previously formerly born died known written mr mrs ms dr every upon whether though
    unless until toward towards across behind beyond beside besides except near per via various
    numerous still yet already never always perhaps soon then once nothing everything something
    anything nobody everybody somebody anybody everyone someone anyone see come whereat""".split()
)
_FIRST_OPENERS = _OPENERS | _INTERJECTIONS
_LATER_OPENERS = STOP_WORDS | _INTERJECTIONS
_NO_NAMES = _FIRST_OPENERS | set("one two three four five six seven eight nine ten".split())
_SUFFIXES = frozenset("jr sr ii iii iv phd md esq inc ltd co corp llc".split())
SIGNS = "%$€£¥₩#+"  # that tell names apart
_SIGN = re.compile(f"[{SIGNS}]")
_INITIAL = re.compile(r"\b([^\W\d_])\.")
_APOSTROPHE = re.compile(r"['’](?:\s?s\b)?")
_EXCERPT = " (excerpt)"


@lru_cache(maxsize=200_000)
def key(name: str) -> str:
    """``name`` without case, accents, punctuation, possessive ending and leading article."""
    spaced = _INITIAL.sub(r"\1 ", folded(name))
    parts = _WORDS.findall(_APOSTROPHE.sub("", spaced))
    if len(parts) > 1 and parts[0] in {"the", "a", "an"}:
        parts = parts[1:]
    return _BETWEEN_INITIALS.sub("", " ".join(parts))


def as_excerpt(title: str) -> str:
    """``title`` with the mark of a long text, of which a passage is a small part."""
    return title + _EXCERPT


def topic_title(title: str, text: str) -> str:
    """The topic of the passage ``text``: ``title`` without a remark in brackets.

    Empty for an excerpt of a longer text that does not mention its title.
    """
    bare = re.sub(r"\s*\([^()]*\)$", "", " ".join(title.removesuffix(_EXCERPT).split()))
    if not title.endswith(_EXCERPT):
        return bare
    plain = f" {key(text)} "
    return bare if any(f" {alias} " in plain for alias in aliases(bare)) else ""


def aliases(title: str) -> list[str]:
    """Keys by which a title may be mentioned, the whole title first.

    Without brackets, without what follows a comma or colon, without middle initials and suffixes
    such as "Jr.", and the initials of three or more capitalised words.
    """
    bare = _without_brackets(title)
    found = [key(title), key(bare)]
    head = re.split(r",|:|\s[-–—]\s", bare)[0].strip()
    if len(head) > 3:
        found.append(key(head))
    found.append(short_key(found[1]))
    capitals = re.findall(rf"(?<![^\W_])([{UPPER}])[^\W\d_]+", head)
    if len(capitals) > 2:
        found.append("".join(capitals).lower())
    return [alias for alias in dict.fromkeys(found) if alias]


def _without_brackets(title: str) -> str:
    return re.sub(r"\s*[(\[（][^)\]）]*[)\]）]\s*", " ", title).strip() or title


def short_key(whole: str) -> str:
    """A key without middle initials and trailing suffixes; at least two words remain."""
    parts = whole.split()
    while len(parts) > 2 and parts[-1] in _SUFFIXES:
        parts = parts[:-1]
    middle = [part for part in parts[1:-1] if len(part) > 1]
    return " ".join([parts[0], *middle, parts[-1]]) if len(parts) > 2 else " ".join(parts)


def find_mentions(title: str, text: str) -> list[Mention]:
    """All mentions in ``text``, by position; a longer mention hides those inside it.

    A single word that repeats part of a longer name of the passage or of ``title`` takes that
    name's key ("Curie" after "Marie Curie").
    """
    plain = prose(text)
    lower, names, alone = _words_of(text)
    titled = _WORDS.findall(title)
    words = _Words(lower, names.union(titled), alone.union(titled[:1]))
    pattern = _title_pattern(title)
    found: list[Mention] = []
    for number, sentence in enumerate(sentences(text)):
        span = Span(sentence.start, sentence.end, written(plain, sentence))
        titles = [match.span() for match in pattern.finditer(span.text)] if pattern else []
        found.extend(_in_sentence(span, number, words, titles))
    return _resolve_parts(found, title)


def question_mentions(question: str) -> list[Mention]:
    """The names, quoted names, dates and numbers in a question."""
    whole = Span(0, len(question), question)
    parts = [whole] if len(question) <= LONGEST_SENTENCE else sentences(question)
    words = _Words(_lower_words(question), None)
    return [mention for part in parts for mention in _in_sentence(part, 0, words, [])]


class _Words(NamedTuple):
    """A text's words in lower case, those that it shows to be names, those met ``alone`` as such.

    ``names`` is None where a word needs no support.
    """

    lower: frozenset[str]
    names: frozenset[str] | None
    alone: frozenset[str] = frozenset()


def _lower_words(text: str) -> frozenset[str]:
    return frozenset(filter(str.islower, _LETTERS.findall(text)))


@lru_cache(maxsize=TEXTS_KEPT)
def _words_of(text: str) -> tuple[frozenset[str], frozenset[str], frozenset[str]]:
    """The words of ``text`` in lower case; with a capital within a sentence; after no other."""
    plain, inside, alone = prose(text), set[str](), set[str]()
    for sentence in sentences(text):
        before = "."
        for token in _TOKEN.findall(written(plain, sentence)):
            begins = not before[-1].isalnum() or before in _INTERJECTIONS
            if token[0].isupper() and not begins:
                inside.add(word := re.split(r"['’-]", token)[0])
                if not before[:1].isupper() or before in _TITLED:
                    alone.add(word)
            before = before if token == "." and before in _TITLED else token
    return _lower_words(plain), frozenset(inside), frozenset(alone)


def _title_pattern(title: str) -> re.Pattern[str] | None:
    """Where a text says the title of its passage, without brackets, in any case."""
    words = _without_brackets(title).split()
    if not words:
        return None
    pattern = r"(?<![^\W_])" + r"\s+".join(map(re.escape, words)) + r"(?![^\W_])"
    return re.compile(pattern, re.IGNORECASE)


def _in_sentence(
    sentence: Span, number: int, words: _Words, titles: list[tuple[int, int]]
) -> list[Mention]:
    """Mentions of one sentence; the passage's title first, dates before names before numbers."""
    taken: list[tuple[int, int]] = []
    found: list[Mention] = []
    counted = sentence.text if _DIGIT.search(sentence.text) else ""
    groups: tuple[tuple[Kind, Iterable[tuple[int, int]]], ...] = (
        ("name", titles),
        ("quoted", _quoted_spans(sentence.text)),
        ("date", (m.span() for m in _DATE.finditer(counted))),
        ("name", _name_spans(sentence.text, words)),
        ("name", _korean_spans(sentence.text)),
        ("number", (m.span() for m in _NUMBER.finditer(counted))),
    )
    for kind, spans in groups:
        before = list(taken)
        for start, end in spans:
            inside = any(a <= start and end <= b for a, b in before)
            across = kind != "name" and any(start < b and a < end for a, b in before)
            written = sentence.text[start:end]
            normal = key(written)
            if inside or across or len(normal) < (2 if kind == "number" else 1):
                continue
            taken.append((start, end))
            place = sentence.start + start
            found.append(Mention(place, place + len(written), written, normal, kind, number))
    return sorted(found)


def _quoted_spans(text: str) -> Iterator[tuple[int, int]]:
    """Quoted stretches that look like titles, all but small words with capitals; no speech."""
    for match in _QUOTED.finditer(text):
        group = match.lastindex or 1
        written = match[group].strip(" ,.")
        spoken = written.endswith(("!", "?")) or _SPOKEN.match(text, match.end())
        if spoken or _GREETING.match(written):
            continue
        parts = re.findall(r"[^\W\d_]+(?:['’][^\W\d_]+)?", written)
        large = [word for word in parts if word.lower() not in _SMALL] or parts[:1]
        if any(word[0].islower() for word in [*parts[:1], *large]):
            continue
        if large and (len(parts) > 1 or _is_name(written)):
            start = match.start(group) + match[group].index(written)
            yield start, start + len(written)


def _name_spans(text: str, words: _Words) -> Iterator[tuple[int, int]]:
    """Capitalised names; those with "of" are followed by their parts. Headings have none."""
    if text.isupper() and words.lower:
        return
    for start, end, opens in _capitalised(text):
        start += _epithet(text[start:end], words)
        written = text[start:end]
        if not _is_name(written) or _is_plain_word(written, words, opens):
            continue
        yield start, end
        cuts = [(start + m.start(), start + m.end()) for m in _OF.finditer(written)]
        bounds = [start, *(place for cut in cuts for place in cut), end]
        for part in zip(bounds[::2], bounds[1::2], strict=True) if cuts else ():
            if _is_name(text[slice(*part)]):
                yield part


@lru_cache(maxsize=40 * TEXTS_KEPT)
def _capitalised(text: str) -> list[tuple[int, int, bool]]:
    """Stretches of capitalised words without openers, and whether each begins a sentence."""
    first = _LETTER.search(text)
    begin = first.start() if first else len(text)
    found: list[tuple[int, int, bool]] = []
    for match in _NAME.finditer(text):
        start, end = _trim_openers(text, *match.span(), begin)
        opens = start <= begin or bool(_OPENING.search(text, max(0, start - 20), start))
        found.append((start, end, opens))
    return found


def _epithet(written: str, words: _Words) -> int:
    """The length of an ordinary word before a name: "Poor " in "Poor Bob"."""
    two = re.match(r"([^\W_]+)\s+(?=([^\W_]+))", written)
    if not two or (two[2] not in words.alone and not _GREETING.match(written)):
        return 0
    word = two[1].lower()
    common = word in words.lower and two[1] not in words.alone
    return two.end() if common or word in EPITHETS else 0


def _is_name(written: str) -> bool:
    """Whether ``written`` is no ordinal, letter, opener or function word; "WHO" and "US" are."""
    if not written or written[0].islower() or _NO_NAME.search(written):
        return False
    parts = written.split()
    if len(parts) > 1 and written.isupper() and not _SHOUTED.isdisjoint(written.lower().split()):
        return False
    return written in _CAPITALS or key(written) not in _NO_NAMES


def _trim_openers(text: str, start: int, end: int, begin: int) -> tuple[int, int]:
    """Cut openers off the front ("In Paris") and possessives off the end."""
    openers = _LATER_OPENERS if start > begin else _FIRST_OPENERS
    while word := _OPENER.match(text[start:end]):
        capitals = len(word[0]) > 1 and word[0].isupper()
        abbreviated = text[start + word.end() :][:1] in ".&"
        bare = re.sub(r"['’]s$", "", _CONTRACTION.sub("", word[0].lower()))
        if bare not in openers or abbreviated or capitals:
            break
        gap = _GAP.match(text, start + word.end(), end)
        start = gap.end() if gap else end
    possessive = re.search(r"['’]s?$", text[start:end])
    return start, end - (len(possessive[0]) if possessive else 0)


def _is_plain_word(written: str, words: _Words, opens: bool) -> bool:
    """Whether a single word is an ordinary one, with a capital as it opens a sentence or shouts."""
    word, hyphen, rest = written.partition("-")
    if not word.isalpha() or (hyphen and not rest.islower()):
        return False
    common = word.lower() in words.lower
    if written.isupper():
        return common and len(written) > 3
    if not opens or not word[1:].islower():
        return False
    if words.names is None:
        return common or bool(re.search(r"\w{3}(?:ed|ing|ly)$", written))
    return common or word not in words.names


def _korean_spans(text: str) -> Iterator[tuple[int, int]]:
    """Korean nouns without their particles; verbs, adverbs and pronouns are left out."""
    for match in _KOREAN_WORD.finditer(text):
        stem = strip_particle(match[0])
        ending = match[0][len(stem) :]
        predicate = _KOREAN_VERB.match(ending) if ending else _KOREAN_PREDICATE.search(stem)
        if len(stem) > 1 and stem not in _KOREAN_PRONOUNS and not predicate:
            yield match.start(), match.start() + len(stem)


def _resolve_parts(found: list[Mention], title: str) -> list[Mention]:
    """Give single words that open or close a name of the passage, or its title, that name's key."""
    longer: dict[str, str] = {}
    for name in (key(_without_brackets(title)), *(m.key for m in found if m.kind == "name")):
        parts = name.split()
        if 2 <= len(parts) <= 4 and not STOP_WORDS & set(parts):
            longer.setdefault(parts[-1], name)
            longer.setdefault(parts[0], name)
    whole = {m: longer.get(m.key, m.key) for m in found if m.kind == "name"}
    return [mention._replace(key=whole.get(mention, mention.key)) for mention in found]


@lru_cache(maxsize=200_000)
def normalised(name: str) -> str:
    """The key of ``name`` with the signs that tell "C++" from "C" and "9%" from "9"."""
    found = key(name)
    signs = "".join(_SIGN.findall(name))
    return f"{found} {signs}" if found and signs else found
