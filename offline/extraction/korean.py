"""Entities and relations of a Korean passage, by the particles of its nouns."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ...language.analyser import Span, sentences
from ...language.answer_types import countries, life_facts
from ...language.mentions import Mention, aliases, find_mentions, key
from ...language.questions import analyse_question
from .entities import Found, Link, Mark, Thing, life_of

_MOST_IN_SENTENCE = 12
_LIFE = ("에 태어났다", "에 죽었다", "에서 태어났다", "에서 죽었다")
_CONNECTED = "와 관련된다"
_COMMON = frozenset(
    """이를 이름 이유 사람 시작 중심 당시 이후 이전 처음 오늘날 지금 현재 다음 모두 대부분 일부
    부분 방법 사실 사이 자신 모습 모양 소리 뜻 말 곳 것 때 등 수 년 월 일 가장 매우 함께 다시
    새로운 여러 몇몇
    그러나 그리고 하지만 또한 따라서 그래서 비롯 위해 대해 의해 통해 따라 관련 이상 이하
    정도 하나 둘 세 네 때문 경우 결과 과정 내용 의미 최초 최고 최대 제외 포함 이용 사용 뒤 앞
    위 아래 안 밖 속 해 날 전 후 중""".split()
)
_PRONOUN = re.compile(r"^(?:그|그녀|이|이것|그것|이곳|그곳|이 책|이 영화)(?:는|은|가|의) ")
_TOPIC = re.compile(r"^(?:은|는|이란|께서는|에는|에서는)(?= )")
_DOER = re.compile(r"^(?:이|가|께서)(?= )")
_PLACE = re.compile(r"^(?:에서|에(?= (?:있|위치|자리|세워|살)))")
_PERSON = re.compile(r"^(?:에게|께)")
_PARTICLES = (
    "은|는|이|가|을|를|의|와|과|도|에|에서|에게|로|으로|부터|까지|이나|이며|이고|이라고|라고|에는"
    "|에서는|에게서|께서|께서는|이라는|라는"
)
_PARTICLE = re.compile(
    r"^(?:은|는|이|가|을|를|의|와|과|도|이나|께서는|께서|이며|이고|이자|이라고|라고|이라는|라는)?"
    r"(?P<kept>에서는|에서|에게서|에게|에는|에|부터|까지|으로|로)?(?:는|의)?(?=[\s,.]|$)"
)
_NOUNS_IN_DA = frozenset("바다 캐나다 우간다 르완다 판다 부다".split())
_HONORIFIC = re.compile(r"(?<=[가-힣]{2})(?:대왕|여왕|황제|왕후|장군|대통령|선생)$")
_CLAUSE_END = re.compile(r"(?:고|며|으며|으나|지만|자|여|아|어|는데),? |, (?=\S+ )|[.!?。]?$")
_DEFINED = re.compile(r"([가-힣]+?)(?:이다|이었다|였다|입니다|이며|이고)[.,]?(?=\s|$)")
_WORD_TYPES = {
    "organisation": re.compile(r"(?:대학교|대학|회사|은행|협회|위원회|학회|정부|집현전)$"),
    "place": re.compile(r"(?:시|도|구|군|산|강|섬|궁|성|역|교|다리|사|릉|문|특별시|광역시|나라)$"),
    "event": re.compile(r"(?:전쟁|전투|혁명|대회|올림픽|왜란|호란|사건|운동)$"),
}


def read_korean(title: str, text: str) -> Found:
    """The things and links of the Korean passage ``text``, which stands under ``title``."""
    spans = sentences(text)
    whole = [" ".join(span.text.split()) for span in spans]
    mentions = find_mentions(title, text)
    name = title or next((mention.text for mention in mentions), "")
    if not name:
        return Found([], [], whole)
    about = Mark(0, 0, key(name), name, "name")
    own = {*aliases(name), about.key, _HONORIFIC.sub("", about.key)}
    marked = _marked(text, mentions)
    things = [Thing(about.key, name, _type_of_topic(whole, text), 0, True)]
    links: list[Link] = []
    for relation, thing in life_of(text, _LIFE):
        things.append(thing)
        links.append(Link(about.key, relation, thing.key, 9.0))
    for number, span in enumerate(spans):
        inside = [mention for mention in mentions if mention.sentence == number]
        marks = list(_marks(span, inside, own, about, marked))
        subject = _subject(span.text, marks, about)
        for mark in marks:
            kind = things[0].type if mark.key == about.key else _type(span.text, mark)
            things.append(Thing(mark.key, mark.name, kind, number, mark.key == subject.key))
        links += _links(span.text, marks, subject, about)
    return Found(things, links, [_PRONOUN.sub(f"{name}: ", sentence) for sentence in whole])


def _marks(
    span: Span, mentions: list[Mention], own: set[str], about: Mark, marked: set[str]
) -> Iterator[Mark]:
    """The nouns of a sentence that can be entities, those with a particle or a quotation mark."""
    for mention in mentions:
        start, end = mention.start - span.start, mention.end - span.start
        if mention.key in own:
            yield Mark(start, end, about.key, about.name, "name")
        elif mention.kind == "number" or mention.text in _COMMON:
            continue
        elif mention.kind != "name" or _is_noun(span.text, start, end, mention.key in marked):
            kind = "work" if mention.kind == "quoted" else mention.kind
            yield Mark(start, end, mention.key, mention.text, kind)


def _marked(text: str, mentions: list[Mention]) -> set[str]:
    """The keys that stand with a particle or bracket somewhere: verbs and adverbs do not."""
    after = re.compile(rf"(?:{_PARTICLES})(?=[\s,.])|[(（]|이?[었였]?다\b")
    return {mention.key for mention in mentions if after.match(text, mention.end)}


def _is_noun(text: str, start: int, end: int, marked: bool) -> bool:
    """Whether the word is a noun, as far as its particle and place tell."""
    word, rest = text[start:end], text[end:]
    if not marked or (len(word) == 2 and word[-1] in "를을의과와는에"):
        return False
    if word.endswith("다") and word not in _NOUNS_IN_DA:
        return False
    adnominal = re.match(r"(?:은|는) (?!\S*[다요]\W)", rest)
    return not (adnominal and re.search(r"[가-힣](?:은|는) ", text[:start]))


def _subject(text: str, marks: list[Mark], about: Mark) -> Mark:
    """The noun with a topic's particle, or one that acts; else the passage's topic."""
    if _PRONOUN.match(text):
        return about
    for particle in (_TOPIC, _DOER):
        for mark in marks:
            rest = re.sub(r"^[)」』》〉]?(?:\([^()]*\))?", "", text[mark.end :])
            if mark.kind != "date" and particle.match(rest):
                return mark
    return about


def _links(text: str, marks: list[Mark], subject: Mark, about: Mark) -> Iterator[Link]:
    """The subject to each noun of its sentence, by that noun's particle and the verb after it."""
    others = [mark for mark in marks if mark.key != subject.key][:_MOST_IN_SENTENCE]
    for mark in others:
        if re.search(r"[(（][^)）]*$", text[: mark.start]):
            continue
        away = abs(len(text[: mark.start].split()) - len(text[: subject.start].split()))
        relation = _relation(text[mark.end :])
        yield Link(
            subject.key,
            relation or _CONNECTED,
            mark.key,
            round(max(2.0, 9 - 0.3 * away) * (1.0 if relation else 0.5), 1),
        )
    if subject.key != about.key and all(mark.key != about.key for mark in others):
        yield Link(about.key, _CONNECTED, subject.key, 1.0)


def _relation(rest: str) -> str:
    """What follows a noun up to the end of the clause: its particle if it tells, and the verb."""
    rest = re.sub(r"^[」』》〉)]", "", rest)
    particle = _PARTICLE.match(rest)
    kept = (particle["kept"] or "") if particle else ""
    rest = rest[particle.end() :] if particle else rest
    end = _CLAUSE_END.search(rest, 1)
    clause = re.sub(r"\([^()]*\)", "", rest[: end.end()] if end else rest)
    words = clause.strip(" ,.!?。").split()[-3:]
    return " ".join(filter(None, (kept, *words))) if words else ""


def _type_of_topic(whole: list[str], text: str) -> str:
    if life_facts(text).death:
        return "person"
    defined = _DEFINED.search(whole[0]) if whole else None
    if not defined or len(defined[1]) < 2:
        return ""
    kind = analyse_question(f"어느 {defined[1]} 인가?").answer_type
    return "person" if kind == "person" else defined[1]


def _type(text: str, mark: Mark) -> str:
    if mark.kind != "name":
        return mark.kind
    if any(country == mark.name for _, country in countries(mark.name)):
        return "place"
    for kind, pattern in _WORD_TYPES.items():
        if len(mark.name) > 2 and pattern.search(mark.name):
            return kind
    rest = text[mark.end :]
    if _PLACE.match(rest):
        return "place"
    return "person" if _PERSON.match(rest) else ""
