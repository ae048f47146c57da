"""The named things of a Korean passage, and the predicates that join two of them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from ...algorithms.tog2.triple_sentences import MENTIONED_WITH_KOREAN
from ...language.analyser import sentences, strip_particle
from ...language.answer_types import KOREAN_COUNTRIES
from ...language.mentions import Mention, aliases, find_mentions, key
from .entities import KeyLink, Mark, MarkedPassage, type_of_name

_MOST_IN_SENTENCE = 12
_TYPES = {
    "person": r".(?:대왕|왕후|대군|대원군|여왕|황제|장군|선생|공주)$",
    "organisation": r".(?:대학교|고등학교|초등학교|중학교|회사|은행|협회|위원회|학회)$|집현전$",
    "place": r".(?:특별시|광역시|자치시|반도|도서관|박물관|미술관|서원|향교|대교|공원)$"
    "|^(?!부동산).{2}[궁산강]$",
    "event": r".(?:전쟁|전투|혁명|대회|올림픽|왜란|호란|사화)$",
}
_REALMS = frozenset(
    f"""{KOREAN_COUNTRIES} 고려 신라 백제 고구려 발해 명나라 청나라 서울 한양 부산 대구 인천 광주
    대전 울산 세종시 경기도 강원도 충청도 전라도 경상도 제주도 평안도 함경도 황해도""".split()
)
_SURNAMES = "김이박최정강조윤장임한오서신권황안송류홍전고문손배백허유남심노"
_PERSON = re.compile(rf"[{_SURNAMES}][가-힣]{{2}}")
_ACTS = re.compile(r"(?:은|는|이|가|의|에게|께서|와|과) ")
_ANIMATE = re.compile(r"(?:에게|께서|한테| 씨| 님)")
_NO_NAME = re.compile(
    r"(?:들|님|적|들이|니까|장이|야기|총각|저씨|부터|까지|하고|이나|스럽|장독|추장)$"
)
_COMMON = frozenset("평소 계기 초기 처음 과거 현재 최근 상태 입력 계산 정밀 결과 방법 내용".split())
_ROLE = re.compile(
    r"(?:왕|임금|황제|장군|학자|시인|화가|작가|소설가|감독|가수|배우|교수|대통령|총리|장관|군수|판서"
    r"|부제학|스승|제자|아버지|어머니|아들|딸|동생|형|남편|아내) $"
)
_TITLE_MARKS = frozenset("「『《〈")
_LONG = re.compile(r"[가-힣]{4,}(?<![지서고면게며니라러려자도])")
_CASE = re.compile(r"(?:을|를|은|는|의|과|와|이라는|라는)[ ,.]")
_GLOSS = re.compile(r"[(（][^()（）]*[㐀-鿿A-Za-z]")
_TOPIC = re.compile(r"[)」』》〉]?(?:\([^()]*\))?(?:은|는|께서는|이|가|께서)(?= )")
_PRONOUN = re.compile(r"^(?:그|그녀|이것|그것|이곳|그곳)(?:는|은|가|이) ")
_IS_PERSON = re.compile(
    r"(?:학자|문신|왕|임금|시인|화가|작가|소설가|배우|가수|감독|정치인|정치가|군인|장군|교수|사람"
    r"|과학자|기술자|운동가|선수|기자|의사|무신|승려|황제)(?:이다|였다|이었다|이자|이며|이고|로서)"
)
_AFTER = re.compile(
    r"[)」』》〉]?(?:\([^()]*\))?(?:을|를|의|이라는|라는)?"
    r"(?P<kept>에서|에게|에|으로|로)? (?P<said>[^,.?!\"“”]*?다)[.]?$"
)


def read_korean(title: str, text: str) -> MarkedPassage:
    """The things and links of the Korean passage ``text``, which stands under ``title``."""
    spans = sentences(text)
    mentions = find_mentions(title, text)
    own = {*aliases(title), *(alias.removesuffix("대왕") for alias in aliases(title))} - {""}
    acting = Counter(m.key for m in mentions if _ACTS.match(text, m.end))
    animate = {m.key for m in mentions if _ANIMATE.match(text, m.end)}
    types: dict[str, str] = {}
    for mention in mentions:
        told = _type(text, mention, acting[mention.key], mention.key in animate)
        if told is not None:
            types[mention.key] = told or types.get(mention.key, "")
    marks: list[list[Mark]] = []
    links: list[KeyLink] = []
    topic: Mark | None = None
    if spans and title and _IS_PERSON.search(spans[0].text):
        types[key(title)] = "person"
    for number, span in enumerate(spans):
        some: list[Mark] = []
        for mention in mentions:
            if mention.sentence != number or mention.key not in types.keys() | own:
                continue
            start, end = mention.start - span.start, mention.end - span.start
            mark = Mark(start, end, mention.key, mention.text, types.get(mention.key, ""))
            if mention.key in own:
                known = types.get(key(title)) or mark.type
                mark = topic = mark._replace(key=key(title), name=title, type=known)
            some.append(mark)
        marks.append(some[:_MOST_IN_SENTENCE])
        links += _links(span.text, marks[-1], topic)
    return MarkedPassage([" ".join(span.text.split()) for span in spans], marks, links)


def _type(text: str, mention: Mention, acting: int, animate: bool) -> str | None:
    """The type of a name, empty if not known, and None for a mention that is no name."""
    written, after = mention.text, text[mention.end : mention.end + 40]
    if mention.kind == "quoted":
        return "work" if text[mention.start - 1 : mention.start] in _TITLE_MARKS else None
    if mention.kind != "name":
        return None
    if not re.search(r"[가-힣]", written):
        return type_of_name(written, text, mention.start, mention.end)
    if written in _REALMS:
        return "place"
    for kind, pattern in _TYPES.items():
        if re.search(pattern, written):
            return kind
    if _ROLE.search(text[max(0, mention.start - 5) : mention.start]) and _ACTS.match(after):
        return "person"
    named = _PERSON.fullmatch(written) and not _NO_NAME.search(written)
    if named and (animate or acting > 1):
        return "person"
    if written in _COMMON or written.endswith(("죠", "보니")):
        return None
    noun = _GLOSS.match(after) or (_LONG.fullmatch(written) and _CASE.match(after))
    return "" if noun and strip_particle(written) == written else None


def _links(text: str, marks: list[Mark], topic: Mark | None) -> Iterator[KeyLink]:
    """The subject, or else the passage's topic, to the other names by the predicate at the end."""
    subject = next((m for m in marks if _TOPIC.match(text, m.end)), None)
    if not subject and _PRONOUN.match(text):
        subject = topic
    head = subject or topic or (marks[0] if marks else None)
    for mark in marks:
        if not head or mark.key == head.key:
            continue
        after = _AFTER.match(text, mark.end) if subject else None
        said = after["said"].split() if after else []
        if after and 0 < len(said) <= 3:
            relation = " ".join(filter(None, (after["kept"], *said)))
            yield KeyLink(head.key, relation, mark.key, 8.0)
        else:
            yield KeyLink(head.key, MENTIONED_WITH_KOREAN, mark.key, 1.0)
