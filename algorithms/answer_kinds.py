"""Telling by rules whether an answer is of the kind that is asked for: by its form and by texts."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

from ..language.analyser import STOP_WORDS, is_korean
from ..language.answer_types import THINGS, countries, dates, life_facts, name_spans, roots
from ..language.name_masking import is_demonym
from ..language.questions import KOREAN_PERSONS, PERSONS, QuestionShape
from ..language.values import amounts, verdict

_COUNTRIES = frozenset({"country", "nation", "nationality"})
_PERSON = re.compile(
    rf"\bwho(?: is| was|se|['’]s)(?: \w+){{1,3}} (?:{'|'.join(PERSONS.split())})\b", re.IGNORECASE
)
_ASKS = re.compile(
    r"\b(?:who|whom|whose|when|where|why|how|what|which|or)\b|또는|아니면|혹은|누구|누가|무엇|언제|어디|어느"
    r"|어떻게|왜|몇|얼마",
    re.IGNORECASE,
)
_COUNT = re.compile(
    r"\d|teen\b|ty\b|\b(?:an?|once|twice|none|no|half|dozens?|hundreds?|thousands?|several|few|many"
    r"|couple|pair|single)\b|[한두세네]|다섯|여섯|일곱|여덟|아홉|열|백|천|만",
    re.IGNORECASE,
)
_TIME = re.compile(
    r"\d|century|\b(?:spring|summer|autumn|fall|winter|night|morning|evening|day|week|month|year"
    r"|season|before|after|during|when|ago|early|late|middle)|[년월일날때전후중]",
    re.IGNORECASE,
)
_WITHIN = re.compile(
    r"\b(?:in|on|at|to|from|during|after|before|until|since|by|between|following|under|when|as|with"
    r"|ends?|start|beginning|outbreak|reign|era|season|centur|year|day|month|war)\b|[가-힣]",
    re.IGNORECASE,
)
_PREPOSITION = re.compile(r"(?i)(?:in|at|on|by|from|for|to|with|of|as|into) ")
_ASKS_TIME = re.compile(r"(?i)\b(?:when|date|year|day|month)s?\b|언제|날|연도|년|해")
_VAGUE = frozenset(
    "several many some most few others someone something 여러 많은 일부 누군가".split()
)
_BIRTH = (
    r"(?i)^when (?:was|is) (?:(?!\b(?:where|which|that|when)\b).)* born(?:\W*$|,? who\b)"
    r"|\bbirthday\b|\b(?:date|year) of birth\b|언제 태어|생일|생년월일",
    r"(?i)^when did (?:(?!\b(?:where|which|that|when)\b).)* die\W*$|\b(?:date|year) of death\b"
    r"|언제 (?:사망|죽|별세)",
)
_DASHES = ("-", "–", "—", "~", "†")
_TOLD_BIRTH = r"(?i)\bborn\b|\bbirth|\bb\.|baptis|christened|태어|출생|생\)"
_TOLD_DEATH = (
    r"(?i)\bdie[ds]?\b|\bdeath|\bd\.|kill(?!er)|murder|execut|assassinat|suicide|perish|drown|crash"
    r"|사망|죽|별세|서거|몰\)"
)
_KIN = (
    r"(?i)\b(?:spouse|wife|husband|widow(?:er)?|father|mother|parent|son|daughter|child(?:ren)?|sibling"
    r"|brother|sister|uncle|aunt|nephew|niece|cousin|grand\w+|step\w+)s?\b|남편|아내|배우자|부인"
    r"|아버지|어머니|부모|아들|딸|자녀|형제|자매|동생|할아버지|할머니|손자|손녀"
)
_TOLD_KIN = rf"{_KIN}|\b(?:marri|wed|divorce|twin|heir|descen)|\bborn to\b|\bn[ée]e\b|결혼|태어"
_ASKS_LIFE = (
    r"(?i)\bborn\b|\bbirth(?!day)|태어|출생",
    r"(?i)\bdie[ds]?\b|\bdeath\b|사망|죽|별세|서거",
)
_HER = r"(?:step|grand)?(?:mother|daughter)|wife|sister|aunt|niece"
_FIRST_KIN = re.compile(rf"(?i)\b(?:({_HER})|\w*(?:father|son|brother)|husband|uncle)\b(?!['’]s)")
_HIS_TITLE = re.compile(r"(?:Sir|Mr|Lord|King|Prince|Earl|Duke|Count|Viscount|Baron|Marquess)\b")
_ASKS_MAKER = re.compile(
    r"(?i)(?:^\W*who (?:\w+ly |first )?|\b(?=\w+ by whom?\b))((?:creat|produc|direct|compos|design"
    r"|invent|discover|paint|develop|found|writ|wrot)\w*)"
)
_BY = re.compile(r"(?<!ed)(?<![ew]n)(?<!ng) by [A-Z]")  # "a novel by Ann Lee", not "played by"
_NO_ONE = frozenset(
    "Airport Album Award Awards Battle Bay Championship Championships Cup Festival Lake Mountain"
    " Mountains Ocean Prize River Road Series Street Valley War".split()
)

_NOUNS = {
    "person": f"{PERSONS} {KOREAN_PERSONS} footballer engineer journalist lawyer businessman"
    " businesswoman nobleman noblewoman dancer comedian filmmaker physicist chemist mathematician"
    " historian biologist psychologist economist soldier officer admiral bishop priest monk saint"
    " playwright dramatist"
    " explorer athlete cricketer boxer swimmer 물리학자 화학자 수학자 학자 군인 장군 승려 무용가"
    " 축구선수 야구선수 소설가 기업인",
    "work": "film movie song album novel book novella poem opera musical painting sitcom episode"
    " single soundtrack documentary sonata symphony ballad series game trilogy 영화 노래 음반 앨범"
    " 소설 책 시집 오페라 뮤지컬 그림 드라마 만화 게임 교향곡 다큐멘터리",
    "place": "city town village river lake mountain island municipality district county province"
    " region suburb commune capital neighbourhood neighborhood borough country state continent"
    " peninsula valley territory 도시 마을 강 호수 산 섬 나라 국가 지역 지방 수도 군 구",
    "group": "band company corporation club university college school label network studio"
    " publisher orchestra party agency team organisation organization 밴드 회사 기업 대학 대학교"
    " 학교 구단 정당 방송국 단체",
}
_KIND_OF = {noun: kind for kind, nouns in _NOUNS.items() for noun in nouns.split()}
_NOUN = rf"(?:{'|'.join(sorted(_KIND_OF, key=len, reverse=True))})"
_OTHER = {
    "person": {"work", "place"},
    "work": {"person", "maker", "place", "group"},
    "place": {"person", "maker", "work"},
    "group": {"person", "work", "place"},
}
_MADE = (
    r"\b(?:directed|written|composed|produced|performed|sung|recorded|designed|painted|created"
    r"|sculpted|starring)(?: and \w+)?(?: by)?(?: \w+er| \w+or| \w+ist)? "
)
_WITHIN_NAME = re.compile(r"(?i)\b(?:of|from|in|at|by|for|on|to|with|and)(?: the)? $")
_STOOD = r"\b(?:born|died|located|situated|buried|lived|live)\b[^.;]{0,30}? (?:in|at|near) "
_LIVED = r",? ?\((?:[^()]{0,40}\b)?(?:born\b|b\.|\d{1,2} [A-Z]\w+ \d{4}|[A-Z]\w+ \d{1,2}, \d{4})"


def can_be(answer: str, shape: QuestionShape) -> bool:
    """Whether ``answer`` says anything, and yes or no, a date or an option where only such may."""
    said = verdict(answer) is not None
    if shape.answer_type == "choice" and shape.comparison in {"least", "greatest"}:
        return not set(roots(answer)).isdisjoint(roots(" ".join(shape.options)))
    if shape.answer_type == "yes_no" and not _ASKS.search(shape.text):
        return said
    if shape.answer_type == "date" and (shape.noun or shape.measure in {"birth", "death"}):
        return bool(_TIME.search(answer))
    dated = any(one.text == answer for one in dates(answer)) and not _ASKS_TIME.search(shape.text)
    if dated and _wanted(shape) in {"person", "place"}:
        return False
    if shape.answer_type != "number" and answer.lower().strip(" .") in _VAGUE:
        return False
    return said or bool(roots(answer)) or bool(amounts(answer))


def fits(answer: str, shape: QuestionShape, short: bool) -> bool:
    """Whether ``answer`` looks like the kind that is asked for, as far as its form can tell."""
    kind = shape.answer_type
    if verdict(answer) is not None or kind == "yes_no":
        return kind == "yes_no" and not (shape.options and verdict(answer) is None)
    if kind == "choice" and shape.options:
        return any(_means(answer, option) for option in shape.options)
    if kind == "number":
        return bool(amounts(answer) or _COUNT.search(answer))
    if kind == "date" and shape.noun in {"", "year"} and answer.isdigit() and len(answer) < 3:
        return False
    if kind == "date":
        return bool(dates(answer) or _TIME.search(answer)) and not _is_mixed(answer)
    if not short or kind not in {"person", "place", "name"}:
        return True
    if shape.noun in _COUNTRIES:
        return bool(countries(answer)) or is_korean(answer)
    if kind != "place" and _PREPOSITION.match(answer):
        return False
    if kind == "person" and answer.isupper() and answer.isascii() and " " not in answer:
        return False
    if kind == "person" and answer in {span.text for span, _ in countries(answer)}:
        return False
    kin = _FIRST_KIN.search(shape.text)
    if kind == "person" and kin and kin[1] and _HIS_TITLE.match(answer):
        return False
    if kind == "place" and is_demonym(answer):
        return False
    things = THINGS if _PERSON.search(shape.text) else _NO_ONE if kind == "person" else frozenset()
    if not things.isdisjoint(answer.split()):
        return False
    code = kind == "name" and bool(shape.noun and not _kind(shape.noun) and amounts(answer))
    named = code or any(map(str.isalpha, answer))  # "What is the area code?"
    return named and all(one.text != answer for one in dates(answer))


def _means(answer: str, option: str) -> bool:
    """Whether ``answer`` is a part of ``option``, or has half of its words."""
    said, offered = set(roots(answer)), set(roots(option))
    return bool(said) and (said <= offered or 2 * len(said & offered) >= len(offered) > 0)


def _is_mixed(answer: str) -> bool:
    """Whether a date stands beside a name that is told as no event or time."""
    rest = answer
    for date in dates(answer):
        rest = rest.replace(date.text, " ")
    return rest != answer and bool(name_spans(rest)) and not _WITHIN.search(rest)


def told_otherwise(answer: str, shape: QuestionShape, texts: Sequence[str]) -> bool:
    """Whether ``texts`` say that ``answer`` is of another kind than is asked for.

    They call a name a film where a person is asked for, or tell a date of anything but the birth
    that is asked for. A name that they call this and that is of no kind.
    """
    if shape.answer_type == "date":
        return any(
            _is_of_no_life(answer, texts, told, place)
            for place, (asks, told) in enumerate(
                zip(_BIRTH, (_TOLD_BIRTH, _TOLD_DEATH), strict=True)
            )
            if re.search(asks, shape.text)
        )
    if shape.answer_type == "number":
        return _is_dated(answer, texts)
    wanted, told = _wanted(shape), called(answer, texts)
    return bool(told) and wanted in _OTHER and told <= _OTHER[wanted]


def lacks_relation(question: str, texts: Sequence[str]) -> bool:
    """Whether ``question`` asks of kin, a birth, a death or a maker, and no text tells of such."""
    if re.search(_KIN, question) and not any(re.search(_TOLD_KIN, text) for text in texts):
        return True
    if maker := _ASKS_MAKER.search(question):
        made = set(roots(maker[1]))
        if not any(_BY.search(text) or made.intersection(roots(text)) for text in texts):
            return True
    facts = [life_facts(text) for text in texts]
    told = (
        (_TOLD_BIRTH, any(one.birth for one in facts)),
        (_TOLD_DEATH, any(one.death for one in facts)),
    )
    return any(
        re.search(asks, question) and not (dated or any(re.search(words, text) for text in texts))
        for asks, (words, dated) in zip(_ASKS_LIFE, told, strict=True)
    )


def _wanted(shape: QuestionShape) -> str:
    """The kind of thing that is asked for, empty where it is not told."""
    return _kind(shape.noun) or {"person": "person", "place": "place"}.get(shape.answer_type, "")


def _is_of_no_life(answer: str, texts: Sequence[str], told: str, place: int) -> bool:
    """Whether every date of ``answer`` in ``texts`` is told without a word of birth, or death."""
    keys = {date.key for date in dates(answer)}
    found = [(text, date) for text in texts for date in dates(text) if _meets(date.key, keys)]
    for text, date in found:
        facts = life_facts(text)
        fact, other = (facts.death, facts.birth) if place else (facts.birth, facts.death)
        if fact is not None and _meets(fact.key, keys):
            return False
        if other is not None and _meets(other.key, keys):
            continue
        if re.search(told, text[max(0, date.start - 80) : date.end + 40]):
            return False
        if place and text[: date.start].rstrip().endswith(_DASHES):
            return False
    return bool(found)


def _meets(key: tuple[int, int, int], keys: Iterable[tuple[int, int, int]]) -> bool:
    return any(
        all(a == b or 0 in {a, b} for a, b in zip(key, other, strict=True)) for other in keys
    )


def _is_dated(answer: str, texts: Sequence[str]) -> bool:
    """Whether the number that ``answer`` is stands in ``texts`` as the year of a full date only."""
    if not answer.isdigit():
        return False
    found = [
        any(date.start <= at.start() < date.end and date.key[1] for date in dates(text))
        for text in texts
        for at in re.finditer(rf"(?<![\d.,]){answer}(?![\d]|[.,]\d)", text)
    ]
    return bool(found) and all(found)


def called(name: str, texts: Sequence[str]) -> frozenset[str]:
    """The kinds of which ``texts`` say that ``name`` is: person, maker, work, place and group."""
    return frozenset(kind for text in texts for kind in _called(name, text))


@lru_cache(maxsize=1000)
def _called(name: str, text: str) -> frozenset[str]:
    return frozenset(_kinds(name.strip(" .\"“”'‘’"), text)) - {""}


def _kinds(name: str, text: str) -> Iterator[str]:
    """ "The film X", "X (film)", "X is a film", "X: It is a film"; who made something; 영화이다."""
    own = rf"(?<![\w-])[\"“'‘]?{re.escape(name)}"
    after = r"[\"”'’]?(?![\w-])"
    for match in re.finditer(rf"(?i:\b({_NOUN}))s?,? {own}{after}", text):
        yield _kind(match[1])
    for match in re.finditer(rf"{own}{after} \(([^()]+)\)", text):
        yield _last_kind(match[1])
    for match in re.finditer(
        rf"{own}{after}(?: ?\([^()]*\))*(?:,|:(?: It| This)?)? (?:is|was|are|were) (?:an?|the)"
        r" ([^.,;:()]+)",
        text,
    ):
        if not _WITHIN_NAME.search(text[: match.start()]):  # "Songs from X is an album"
            yield _last_kind(match[1])
    for match in re.finditer(
        rf"\((?:also |originally )?(?:known|released|titled|called)\b[^()]*{own}{after}[^()]*\)"
        r" (?:is|was|are|were) (?:an?|the) ([^.,;:()]+)",
        text,
    ):
        yield _last_kind(match[1])
    for match in re.finditer(
        rf"{own}{after}?(?: ?\([^()]*\))*(?:은|는|이란) [^.]{{0,60}}?({_NOUN})"
        r"(?:이다|이며|이고|으로|로|였다|이었다|입니다|다\b)",
        text,
    ):
        yield _kind(match[1])
    if re.search(rf"{_MADE}{own}{after}", text):
        yield "maker"
    if re.search(rf"{own}{after}{_LIVED}", text):
        yield "person"
    if re.search(rf"{_STOOD}{own}{after}", text):
        yield "place"


def _last_kind(phrase: str) -> str:
    """The kind of the last known noun of a group of words ("American film director")."""
    kind = ""
    for word in phrase.split():
        if word.lower() in STOP_WORDS:
            break
        kind = _kind(word) or kind
    return kind


def _kind(noun: str) -> str:
    return _KIND_OF.get(noun.lower()) or _KIND_OF.get(noun.lower().removesuffix("s"), "")
