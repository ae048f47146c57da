"""Whether two spellings may name one thing: kinds, numbers, initials, typing errors, aliases."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Container, Iterator
from functools import lru_cache
from typing import Literal, NamedTuple

from rapidfuzz.distance import OSA

from ...language.analyser import STOP_WORDS, strip_particle
from ...language.mentions import key, normalised

_LEGAL = frozenset("inc incorporated corp corporation co ltd limited llc plc gmbh ag sa".split())
_ADDRESS = frozenset("mr mrs ms miss dr sir lord lady madam".split())
_EITHER_WAY = frozenset("mr dr sir".split())  # a full name is the same person with and without it
_NICKNAMING = frozenset("mr dr sir lord master old uncle".split())
_GENERATIONS = frozenset({"jr", "sr", "junior", "senior"})
_NUMBER_WORDS = (
    ("one", "first"), ("two", "second"), ("three", "third"), ("four", "fourth"), ("five", "fifth"),
    ("six", "sixth"), ("seven", "seventh"), ("eight", "eighth"), ("nine", "ninth"),
    ("ten", "tenth"), ("eleven", "eleventh"), ("twelve", "twelfth"),
)  # fmt: skip
_NUMBERS = {word: n for n, words in enumerate(_NUMBER_WORDS, 1) for word in words}
_ROMAN = re.compile(r"(?=[ivxl])x{0,3}(?:l?x{0,3})(?:ix|iv|v?i{0,3})")
_ORDINAL = re.compile(r"(\d+)(?:st|nd|rd|th)")
_DENSE = re.compile(r"[가-힣぀-ヿ㐀-鿿]")
_WORD = re.compile(r"[^\W_]+")
_SPACE = re.compile(r"(?<!\d)\s|\s(?!\d)")  # but for one between digits

# A word's first kind names the entity's kind; the others are those that it may also be meant as.
_KINDS = """person: person people human man woman character deity god family saint 인물 사람
place: place location geo city town village region continent island river mountain lake sea ocean
 street road area landmark district county planet address park bridge geography 장소 도시 지역
place organization: country nation state government gpe building university school college museum
 church hospital airport station stadium facility kingdom empire venue 국가 나라 대학교 학교
organization place: organization organisation institution org 기관 조직
organization: company corporation business band team club party group agency ensemble label army
 military brand manufacturer 회사 기업 단체 밴드 정당
work organization: newspaper magazine journal network website publication channel 신문 잡지
work: work film movie book novel song album series show episode play painting poem game software
 opera video document law treaty artwork single 작품 영화 책 소설 노래 앨범 드라마
event: event war battle election festival tournament season conference competition ceremony match
 disaster race 사건 전쟁 전투 행사
date: date year time day month century decade period 날짜 연도
number: number quantity money percentage percent cardinal amount 수 숫자
species: species animal plant organism breed 동물 식물"""
_KIND_OF = {
    word: tuple(kinds.split())
    for line in _KINDS.replace("\n ", " ").splitlines()
    for kinds, words in [line.split(":")]
    for word in words.split()
}
KINDS = tuple(sorted({kind for kinds in _KIND_OF.values() for kind in kinds}))


@lru_cache(maxsize=10_000)
def kinds_of(type: str) -> tuple[str, ...]:
    """The coarse kinds an entity type may be, the likeliest first; empty when nothing is known.

    Entities clearly differ in kind when both have kinds and share none: a person and a place do,
    a country and an organisation do not.
    """
    head = re.split(r"\s+(?:of|in|by|for|from)\s+|[,;/(]", type.lower().strip())[0]
    words = _WORD.findall(head)
    for word in reversed(words):
        for form in (word, word.removesuffix("s"), re.sub(r"ies$", "y", word)):
            if form in _KIND_OF:
                return _KIND_OF[form]
    return ()


@lru_cache(maxsize=200_000)
def canonical(name: str) -> str:
    """``normalised``, "Surname, Given" turned round and numerals as digits ("ii": "2")."""
    turned = re.fullmatch(r"([^\s,]+),\s+([^,]+)", name.strip())
    given = turned and key(turned[2])
    if turned and given and given not in _GENERATIONS | _LEGAL and not re.search(r"\d", name):
        name = f"{turned[2]} {turned[1]}"
    words = normalised(name).split()
    return " ".join(_numeral(word) if place else word for place, word in enumerate(words))


def _numeral(word: str) -> str:
    ordinal = _ORDINAL.fullmatch(word)
    if ordinal:
        return ordinal[1]
    if word in _NUMBERS:
        return str(_NUMBERS[word])
    if _ROMAN.fullmatch(word):
        value = {"i": 1, "v": 5, "x": 10, "l": 50}
        digits = [value[letter] for letter in word]
        pairs = zip(digits, [*digits[1:], 0], strict=True)
        return str(sum(-now if now < after else now for now, after in pairs))
    return word


@lru_cache(maxsize=200_000)
def fixed_parts(name: str) -> tuple[str, ...]:
    """The parts two spellings of one thing must share: numbers, years, ordinals, "Jr.", "Sr."."""
    words = canonical(name).split()
    first = [str(_NUMBERS[words[0]])] if words and words[0] in _NUMBERS else []
    found = [word for word in words if word in _GENERATIONS or any(map(str.isdigit, word))]
    return tuple(sorted(found + first))


@lru_cache(maxsize=200_000)
def compact(name: str) -> str:
    """One form for spellings that differ in spaces or hyphens only; empty for very short names.

    Spaces between digits stay, so that "1 23" and "12 3" differ.
    """
    joined = _SPACE.sub("", canonical(name))
    return joined if len(joined) >= (4 if _DENSE.search(joined) else 6) else ""


@lru_cache(maxsize=200_000)
def without_legal_form(name: str) -> str:
    """The canonical name without "Inc.", "Corporation" and the like at its end."""
    words = canonical(name).split()
    while len(words) > 1 and words[-1] in _LEGAL:
        words = words[:-1]
    return " ".join(words)


def without_particle(name: str) -> str:
    """A canonical Korean name without the particle at its end; other names as they are."""
    head, _, last = canonical(name).rpartition(" ")
    bare = strip_particle(last) if _DENSE.search(last) else last
    return f"{head} {bare}".strip()


def singular(name: str) -> str:
    """A common noun without its plural "s"; empty for names with capitals."""
    plain = canonical(name)
    if name != name.lower() or len(plain) <= 4 or not plain.isascii():
        return ""
    return plain[:-1] if re.search(r"[^s]s$", plain) else plain


@lru_cache(maxsize=200_000)
def person_parts(name: str) -> tuple[str, ...]:
    """The words of a person's name, initials apart ("J.R.R. Tolkien": j, r, r, tolkien).

    The title of a full name is left out ("Mr. Allen Lane": allen, lane).
    """
    folded = name.replace("'", "").replace("’", "")
    if not folded.isascii():
        apart = unicodedata.normalize("NFKD", folded)
        bare = "".join(c for c in apart if not unicodedata.combining(c))
        folded = unicodedata.normalize("NFC", bare)
    words = [word for word in _WORD.findall(folded) if word.lower() not in _GENERATIONS]
    capitals = any(not word.isupper() for word in words)
    parts: list[str] = []
    for word in words[:-1]:
        run = capitals and word.isupper() and 1 < len(word) <= 3 and word.isascii()
        parts.extend(word.lower() if run else [word.lower()])
    parts += [word.lower() for word in words[-1:]]
    return tuple(parts[1:] if len(parts) > 2 and parts[0] in _EITHER_WAY else parts)


def is_full_name(name: str) -> bool:
    """Whether a person's name has a given name, for which "Mrs." does not count."""
    parts = person_parts(name)
    return len(parts) > 1 and not (len(parts) == 2 and parts[0] in _ADDRESS)


def is_byname(name: str) -> bool:
    """Whether a surname follows a word that tells of no other person: "Mr. Lane", "old Lane"."""
    parts = person_parts(name)
    return len(parts) == 2 and parts[0] in _NICKNAMING


def same_person(a: str, b: str) -> Literal["no", "initials", "partly"]:
    """Compares two spellings of persons' names by surname and by given names in the same order.

    "initials": they differ in initials only, and share a first name or two initials. "partly": one
    leaves out what the other says, so that more evidence is needed ("J. Smith", "John Smith").
    """
    x, y = sorted((person_parts(a), person_parts(b)), key=lambda parts: (len(parts), parts))
    if len(x) < 2 or x[-1] != y[-1] or fixed_parts(a) != fixed_parts(b):
        return "no"
    pairs = list(zip(x[:-1], y[:-1], strict=False))
    if not all(p == q or (min(len(p), len(q)) == 1 and p[0] == q[0]) for p, q in pairs):
        return "no"
    if any(p in STOP_WORDS for p in (*x, *y) if len(p) > 1):
        return "no"
    first = x[0] == y[0] and len(x[0]) > 1
    initials = all(len(part) == 1 for part in y[len(x) - 1 : -1])
    certain = (first and initials) or (len(x) == len(y) >= 3)
    return "initials" if certain else "partly"


Slip = Literal["no", "likely", "possible"]


def slip(a: str, b: str) -> Slip:
    """Whether two keys differ by one typing error inside one longer word.

    "likely" is a doubled letter or two letters swapped; another letter put in, left out or
    replaced is "possible" only. The word's beginning and end, where inflection and other names
    differ, must agree, and so must all other words.
    """
    x, y = a.split(), b.split()
    differing = [(p, q) for p, q in zip(x, y, strict=False) if p != q]
    if len(x) != len(y) or len(differing) != 1:
        return "no"
    p, q = sorted(differing[0], key=lambda word: (len(word), word))
    least = 6 if len(x) > 1 else 8
    if len(p) < least or not (p.isalpha() and q.isalpha()) or _DENSE.search(p + q):
        return "no"
    if p[0] != q[0] or p[-1] != q[-1] or OSA.distance(p, q, score_cutoff=1) != 1:
        return "no"
    if len(p) == len(q):
        return "likely" if sorted(p) == sorted(q) and len(p) >= 7 else "possible"
    cut = next(i for i in range(len(q)) if q[:i] + q[i + 1 :] == p)
    doubled = q[cut] in (q[cut - 1 : cut], q[cut + 1 : cut + 2])
    return "likely" if doubled else "possible"


def slip_signatures(name: str) -> Iterator[tuple[str, ...]]:
    """Forms of which two keys with a slip between them share at least one."""
    words = name.split()
    least = 6 if len(words) > 1 else 8
    for place, word in enumerate(words):
        if len(word) >= least and word.isalpha() and word.isascii():
            for i in range(1, len(word) - 1):
                yield (*words[:place], word[:i] + word[i + 1 :], *words[place + 1 :])
            yield tuple(words)


@lru_cache(maxsize=200_000)
def acronyms(name: str) -> frozenset[str]:
    """The initials of a name of two or more words, with and without its function words."""
    words = [word for word in re.findall(r"[^\W\d_]+", name) if word not in {"s", "t"}]
    capital = [word for word in words if not word[0].islower()]
    full = [word for word in words if word.lower() not in STOP_WORDS]
    found = {"".join(word[0] for word in part).lower() for part in (words, capital, full)}
    return frozenset(initials for initials in found if len(initials) >= 2 and len(words) >= 2)


def is_acronym(short: str, full: str) -> bool:
    """Whether ``short`` is written in capitals and is the initials of ``full``."""
    letters = re.sub(r"[\s.&]", "", short)
    return letters.isupper() and letters.lower() in acronyms(full)


class Alias(NamedTuple):
    """A text says that ``alias`` is another name of ``name``, both as written there."""

    name: str
    alias: str


_BRACKETED = re.compile(r"\s?\(([^()]{2,80})\)")
_CALLED = (
    r"(?:also|better|best|commonly|popularly|formerly|previously|originally|often|sometimes|simply)"
    r"\s+(?:known|called|named|referred\s+to|abbreviated|written|spelled)"
)
_SAYS_ALSO = re.compile(_CALLED)
_ALSO = re.compile(
    rf",?\s*\(?(?:(?:is|was|are|were)\s+)?{_CALLED}"
    r"\s+(?:simply\s+)?(?:as\s+)?(?:the\s+)?[\"“'‘]?"
)
_SUBJECT = re.compile(r"(?:^|[.!?]\s|\n)\W*(?:(?:the|an?|이|그)\s+)?$", re.IGNORECASE)
_LEAD = re.compile(
    r"(?:(?:also|formerly|previously|originally|commonly|better|often|sometimes)(?:\s+(?:known|called"
    r"|named|written|spelled|abbreviated))?(?:\s+as)?|or|abbreviat(?:ed|ion)(?:\s+as|\s+to)?|acronym"
    r"|약칭|이하)\s*:?\s+",
    re.IGNORECASE,
)
ALIAS_RELATION = re.compile(
    r"^(?:is |was |are )?(?:(?:an? )?(?:alias|acronym|abbreviation|nickname|pseudonym) (?:of|for)"
    r"|(?:also|better|commonly|formerly|popularly|previously) (?:known|called|named|referred to)"
    r"(?: as)?|abbreviated (?:as|to)|(?:stage|pen|birth) name(?: is)?|same as)$",
    re.IGNORECASE,
)
_CLOSED = re.compile(r"\s*(?:[,.;:)\]\"”'’]|$)|\s+(?:and|or|is|was|are|were|in|by|for)\b")
_LONGEST = 10


def aliases_in_text(text: str, names: Collection[str], known: Container[str]) -> list[Alias]:
    """Names that ``text`` explains by another one: "World Health Organization (WHO)".

    ``names`` are the normalised names of the passage's entities and ``known`` the names of the
    whole corpus, among which an alias after "also known as" must be; initials and glosses in
    another script count as they stand in brackets.
    """
    found: list[Alias] = []
    for match in _BRACKETED.finditer(text):
        name = _ending(text[max(0, match.start() - 120) : match.start()], names)
        inside = re.split(r"[,;]", match[1])[0].rpartition(": ")[2].strip()
        lead = _LEAD.match(inside)
        bare = inside[lead.end() if lead else 0 :].strip(" \"“”'‘’")
        if not (name and key(bare)):
            continue
        other_script = bool(_DENSE.search(name)) != bool(_DENSE.search(bare))
        wordy = lead is not None and normalised(bare) in known
        gloss = other_script and not re.search(r"\d", bare) and len(bare.split()) <= 5
        if is_acronym(bare, name) or wordy or gloss:
            found.append(Alias(name, bare))
    # Most texts are gone through faster without what may precede those words.
    for match in _ALSO.finditer(text) if _SAYS_ALSO.search(text) else ():
        before = text[max(0, match.start() - 120) : match.start()]
        name = _ending(before, names)
        alias = _opening(text[match.end() : match.end() + 120], known)
        if name and alias and _SUBJECT.search(before.removesuffix(name)):
            found.append(Alias(name, alias))
    found = [Alias(name.strip(" ,"), alias) for name, alias in found]
    return [alias for alias in found if normalised(alias.name) != normalised(alias.alias)]


def _ending(text: str, names: Collection[str]) -> str:
    """The longest run of words at the end of ``text`` that is, normalised, in ``names``."""
    starts = [word.start() for word in _WORD.finditer(text)][-_LONGEST:]
    return next((text[i:] for i in starts if normalised(text[i:]) in names), "")


def _opening(text: str, names: Container[str]) -> str:
    """The longest run of words at the beginning of ``text`` that is, normalised, in ``names``."""
    ends = [w.end() for w in _WORD.finditer(text) if _CLOSED.match(text, w.end())][:_LONGEST]
    return next((text[:i].strip() for i in reversed(ends) if normalised(text[:i]) in names), "")
