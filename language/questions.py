"""Questions taken apart: the kind of answer they ask for, their options and content terms."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Literal, TypeVar

from .analyser import LONGEST_GRAMMAR, PAST_ENDS, STOP_WORDS, is_korean, one_line, strip_particle
from .answer_types import name_spans, quoted_names, roots
from .patterns import regex

AnswerType = Literal[
    "person", "date", "place", "number", "yes_no", "choice", "name", "definition", "open"
]
L = TypeVar("L", bound=str)
Comparison = Literal["none", "least", "greatest", "same", "both"]
Measure = Literal["none", "birth", "death", "lifespan", "date", "country", "number"]


@dataclass(frozen=True)
class QuestionShape:
    """The parts of a question.

    ``noun`` is the noun asked for, lower-case, or empty; ``options`` are the things to choose
    between or to compare, ``roles`` the roots of nouns for unnamed persons ("the director of ..."),
    except the person asked for. ``comparison`` says how options are compared, ``measure`` by what.

    >>> shape = analyse_question("Who is older, Ann Lee or Bob Ray?")
    >>> shape.answer_type, shape.options, shape.comparison, shape.measure
    ('choice', ('Ann Lee', 'Bob Ray'), 'least', 'birth')
    """

    text: str
    language: Literal["en", "ko"]
    answer_type: AnswerType
    noun: str
    options: tuple[str, ...]
    roles: frozenset[str]
    comparison: Comparison
    measure: Measure

    def verdict(self, positive: bool) -> str:
        """Yes or no in the question's language."""
        return (("아니요", "예") if self.language == "ko" else ("no", "yes"))[positive]


_KOREAN_ENDING = regex(
    rf"(?<=[가-힣])(?:하|되)?(?:[{PAST_ENDS}]|하는|되는|[한된인])?"
    r"(?:[습입합]니까|니까|나요|인?가요|[는던은인]가|는지|을까|까)$"
    rf"|(?<=[가-힣])(?:[하되]?[{PAST_ENDS}](?:나|니|지|던|다)|[한된])$"
)

ASKING = regex(r"\b(who|whom|whose|when|where|why|how|what|which)(?=s?\b)", re.IGNORECASE)
_ASKED: dict[str, AnswerType] = {"when": "date", "where": "place", "how": "open", "why": "open"}
_ASKED |= {"who": "person", "whom": "person"}
_AUXILIARY = regex(
    r"(?i)^(?:and\s+|but\s+)?(?:is|are|was|were|do|does|did|has|have|had|can|could|will|would|should|"
    r"may|might|must|am|isn't|aren't|wasn't|weren't|don't|doesn't|didn't|hasn't|haven't)\b"
)
PERSONS = """person man woman actor actress director author writer singer president player king
queen emperor politician artist composer musician poet painter scientist founder guitarist rapper
coach manager producer performer character father mother wife husband spouse son daughter child
brother sister sibling parent grandfather grandmother uncle aunt leader mayor governor minister
inventor designer architect philosopher novelist host pope god lyricist drummer bassist owner winner
editor publisher screenwriter creator songwriter narrator protagonist chairman chancellor ruler
discoverer conductor killer predecessor successor"""
KOREAN_PERSONS = """사람 인물 배우 감독 작가 저자 가수 대통령 선수 왕 황제 정치인 작곡가 화가
과학자 아버지 어머니 남편 아내 배우자 아들 딸 동생 스승 제자 설립자 창업자 발명가 설계자 건축가
제작자 주인공 시인 교수 총리 사장 후계자 전임자 후임자"""
_NOUNS: dict[AnswerType, str] = {
    "date": "date time year day weekday month century decade era birthday birthdate period 연도"
    " 년도 해 날짜 날 시기 년 월 일 세기 시대 생일",
    "place": "place city country state town village county region province location continent"
    " island district municipality area birthplace neighborhood neighbourhood borough capital"
    " venue 곳 장소 도시 나라 국가 지역 지방 주 수도 마을 출생지 고향 대륙 섬 위치",
    "person": f"{PERSONS} {KOREAN_PERSONS}",
    "number": "number population amount percentage percent height length distance age total"
    " share size weight area depth speed temperature price cost rate rent fee fare width diameter"
    " 수 인구 높이 길이 거리 나이 면적 무게 깊이 가격 비율 금액 개수 규모",
}
_NOUN_TYPES = {word: kind for kind, nouns in _NOUNS.items() for word in nouns.split()}
OPEN = regex(
    r"(?i)^(?:why|explain|describe|summari[sz]e|discuss|compare|outline|list|tell me about)\b"
    r"|^what (?:are|were) (?:the )?(?:main|key|most|some|important|major|different|various)\b"
    r"|왜|어떻게|설명|요약|서술|비교하|이유|방법|과정"
)
_REQUEST = regex(
    r"(?i)^(?:please |can you |could you |would you )*"
    r"(?:(?:tell|teach) (?:me|us)(?: (?:more|all|everything|something))?(?: about)?|describe"
    r"|explain|summari[sz]e|introduce|outline|give (?:me |us )?(?:an? )?(?:short |brief )?"
    r"(?:overview|summary|account|description) of|write (?:something )?about)"
    r"\s+(?!when|where|how|who|which|why|whether|what|if)"
)
TASK = regex(
    r"(?i)(?:^(?:imagine|assume|pretend|you are)|(?:^|[.,:;!]\s+)(?:please\s)?(?:re)?(?:write|draft"
    r"|compose|prepare|create|construct|design|develop|transform|formulate))\b[^?]*$"
    r"|(?:작성해|써|적어) ?(?:주|줘|줄래|달라)"
)
_KOREAN_REQUEST = regex(
    r"(?:에 ?(?:대해|관해|대하여|관하여)서?|을|를)? ?(?:자세히|간단히|짧게)? ?"
    r"(?:알려|설명해|말해|말씀해|요약해|소개해|설명하|요약하|소개하) ?"
    r"(?:주세요|주십시오|주시겠어요|주실래요|줘요?|달라|시오|라)\s*[.?!]*$"
)
_AMOUNT = regex(
    r"(?i)\s*(?:do|does|did|would|will)\b.*\b(?:cost\b(?! him| her)|(?:pay|charge)(?: for .+)?\W*$"
    r"|(weigh)\W*$)"
)
_RELATIVE = regex(r"\b(?:that|which|who|in|by|for|from|on|at|to|with|where)\b")
_VERBAL = regex(r"\w{3}(?:ed|ing)$")
_SINGULAR_VERB = regex(  # "company provides the": no plural stands before an article
    r"[a-z](?<!s) ([a-z]+[^s\W]s) (?:(?:the|an?|his|her|its|their|to|at|in|on|for|with)\b|[A-Z])"
)
_COUNTED = regex(
    r"(?i)\bhow\s+(many|much|long|old|far|tall|big|large|high|deep|wide|heavy|fast|often|few)\b"
    r"(?:\s+([a-z]+))?"
)
_COMPARISONS: tuple[tuple[Comparison, str], ...] = (
    ("same", r"\bsame\b|\bin common\b|\bshare\b|같은|동일|공통"),
    ("least", r"\b(?:first|earlier|earliest|older|oldest|before|fewer|smaller|less|shorter|least|"
     r"fewest|smallest|lower)\b|먼저|일찍|나이가 (?:더 )?많|연상|오래 ?된|작은|적은|짧은|낮은"),
    ("greatest", r"\b(?:later|latest|younger|youngest|newer|last|after|more|longer|larger|bigger|"
     r"greater|higher|taller|most|longest|largest|recent|recently)\b|나중|늦게|젊은|어린|연하|최근|큰|"
     r"많|긴|높은|오래 살|크"),
    ("both", r"\bboth\b|\ball\b|둘 다|모두"),
)  # fmt: skip
_MEASURES: tuple[tuple[Measure, str], ...] = (
    ("lifespan", r"\bliv\w* (?:longer|shorter)|\blonger (?:life|liv)|오래 살"),
    ("country", r"\bnationalit|\bcountr|\bcitizen|국적|나라|국가"),
    ("death", r"\bdied?\b|\bdeath\b|\bdying\b|사망|죽|별세|서거"),
    ("birth", r"\bborn\b|\bbirth|\b(?:older|oldest|younger|youngest)\b|"
     r"태어|출생|연상|연하|나이|젊은|어린"),
    ("number", r"\b(?:more|fewer|larger|bigger|smaller|taller|higher|longer|shorter|greater|most|"
     r"largest|longest|lower|less)\b|많|적은|큰|크|작|높|낮|긴|짧"),
    ("date", r"\b(?:first|earlier|later|latest|earliest|before|after|newer|last|recent\w*)\b|"
     r"먼저|나중|일찍|늦게|오래된|최근"),
)  # fmt: skip


def analyse_question(question: str) -> QuestionShape:
    """Takes ``question``, English or Korean, apart: any text, of a long one only the end."""
    text = one_line(question)
    asked = text[-LONGEST_GRAMMAR:]
    subject = requested(asked)
    shape = (_korean_shape if is_korean(asked) else _english_shape)(subject or asked)
    shape = replace(shape, text=text)
    is_open = subject or TASK.search(asked)
    return replace(shape, answer_type="open", options=()) if is_open else shape


def requested(text: str) -> str:
    """The subject of a request ("Tell me about ..."); empty where ``text`` is no request."""
    for pattern in (_REQUEST, _KOREAN_REQUEST):
        subject = pattern.sub("", text)
        if subject != text:
            return subject.strip(" .!?")
    return ""


def _first_match(text: str, table: tuple[tuple[L, str], ...]) -> L | Literal["none"]:
    return next((value for value, pattern in table if re.search(pattern, text, re.I)), "none")


def _english_shape(text: str) -> QuestionShape:
    asking = _question_word(text)
    options = _english_options(text)
    kind, noun = _english_type(text, asking)
    frame = text
    for option in options:
        frame = frame.replace(option, " ")
    kind = "choice" if options and kind != "yes_no" else kind
    roles, measure = _roles(frame, text, kind), _first_match(frame, _MEASURES)
    compared = _first_match(frame, _COMPARISONS) if options else "none"
    return QuestionShape(text, "en", kind, noun, options, roles, compared, measure)


def _question_word(text: str) -> re.Match[str] | None:
    """The interrogative: at the start or after a preposition, else the last one in the text."""
    if not (found := list(ASKING.finditer(text))):
        return None
    lead = text[: found[0].start()].split()
    if len(lead) <= 2 and not (lead and lead[0].lower() in {"the", "a", "an"}):
        return found[0]
    asked = [m for m in found if m.group().lower() in {"what", "whom", "how"}]
    clause = [m for m in found if text[: m.start()].rstrip().endswith(",") and text.endswith("?")]
    if asked or clause:
        return (asked or clause)[-1]
    return None if _AUXILIARY.match(text) else found[-1]


def _english_type(text: str, asking: re.Match[str] | None) -> tuple[AnswerType, str]:
    if _AUXILIARY.match(text):
        return "yes_no", ""
    counted = _COUNTED.search(text)
    if counted and (asking is None or asking.start() >= counted.start() or not asking.start()):
        return "number", (counted[2] or "") if counted[1].lower() in {"many", "few"} else ""
    if OPEN.search(text) or asking is None:
        return "open", ""
    word = asking.group().lower()
    return (_ASKED[word], "") if word in _ASKED else _type_of_noun(word, text[asking.end() :])


def _type_of_noun(word: str, rest: str) -> tuple[AnswerType, str]:
    """The answer type for "what", "which" or "whose" followed by ``rest``."""
    if word == "what" and (amount := _AMOUNT.match(rest)):
        return "number", "weight" if amount[1] else "price"
    copula = re.match(r"\s*(?:is|are|was|were|['’]?s)\s+(?:the\s+|a\s+|an\s+)?(.*)", rest, re.I)
    phrase = copula[1] if copula else rest
    head = re.match(r"\s*(?:the\s+)?(?:names?|titles?)\s+of\s+(?:the\s+)?(.*)", phrase, re.I)
    phrase = head[1] if head else phrase
    noun = _head_noun(phrase, bool(copula))
    if copula and not head and word == "what" and not re.search(r"\bof\b|['’]s\b", phrase):
        about = phrase.rstrip("? ")
        if re.search(r"\b(?:called|named)$", about):
            return "name", noun
        if name_spans(about) or len(about.split()) <= 3:
            return ("name", noun) if _RELATIVE.search(about) else ("definition", "")
    if word == "whose":
        return "person", noun
    return _NOUN_TYPES.get(noun, "name"), noun


def _head_noun(phrase: str, after_copula: bool) -> str:
    """The last lower-case word of the noun group that opens ``phrase``."""
    noun = ""
    verb = not after_copula and _SINGULAR_VERB.search(phrase)
    for token in re.findall(r"[^\W_]+(?:[-'’][^\W_]+)*|[^\w\s]", phrase)[:6]:
        word = re.sub(r"['’]s$", "", token.lower())
        if noun and verb and token == verb[1]:
            break
        if not word[0].isalpha() or (noun and (word in STOP_WORDS or _VERBAL.search(word))):
            break
        if word in STOP_WORDS:
            if word not in {"other", "same", "most", "the"}:
                break
            continue
        if token[0].isupper() and noun:
            break
        noun = word[:-2] if word[:-2] in _NOUN_TYPES and word.endswith("es") else word
        if after_copula and noun in _NOUN_TYPES:
            break
    if noun.endswith("ies"):
        return noun[:-3] + "y"
    return noun[:-1] if noun.endswith("s") and noun[:-1] in _NOUN_TYPES else noun


def type_of_noun(noun: str) -> AnswerType | None:
    """The kind of answer that ``noun`` names, if it is one of those known."""
    return _NOUN_TYPES.get(noun)


def _roles(frame: str, text: str, kind: AnswerType) -> frozenset[str]:
    """Roots of the person nouns outside the names of ``text``, except the noun asked for."""
    names = [span.text for span in name_spans(text) if span.start or " " in span.text]
    for name in [*names, *quoted_names(text)]:
        frame = frame.replace(name, " _ ")
    words = re.findall(r"[^\W_]+", frame.lower())
    words = [word[:-1] if word[-1] == "s" and word[:-1] in _NOUN_TYPES else word for word in words]
    found = [word for word in words if _NOUN_TYPES.get(word) == "person"]
    if kind == "person":
        found = found[:-1] if re.search(r"['’]s?\W+\w+\W*$", frame) else found[1:]
    return frozenset(roots(" ".join(found)))


def _english_options(text: str) -> tuple[str, ...]:
    body = text.rstrip("? .")
    between = re.search(r"\b[Bb]etween (.+?) and (.+?),? (?:which|who|what|whose)\b", body)
    if between:
        return _clean_options(*between.groups())
    parts = re.split(r"[,:;]?\s+or\s+", body)
    if len(parts) == 2 and not re.search(r"\b(?:in|at|on|by|with|to|for)$", parts[0]):
        left = re.split(r"(?:,|:|\bbetween)\s+(?=(?:the |The |a )?[\"“'‘]?[A-Z0-9가-힣])", parts[0])
        last = [span.text for span in name_spans(parts[0])] or parts[0].split(" ")
        return _clean_options(", ".join(left[1:]) or last[-1], parts[1])
    if _AUXILIARY.match(body) and " and " in body:
        return _coordinated(body)
    return ()


def _coordinated(body: str) -> tuple[str, ...]:
    """A and B of "Are both A and B located ...": the names either side of the "and"."""
    for match in re.finditer(r",?\s+and\s+", body):
        left, right = name_spans(body[: match.start()]), name_spans(body[match.end() :])
        if left and right and left[-1].end == match.start() and left[-1].start:
            return _clean_options(left[-1].text, right[0].text)
    return ()


def _clean_options(*options: str) -> tuple[str, ...]:
    cleaned = [option.strip(" ,.?\"“”'‘’") for option in options]
    return tuple(cleaned) if all(cleaned) else ()


_KOREAN_TYPES: tuple[tuple[AnswerType, str], ...] = (
    ("date", r"언제|며칠|몇\s*(?:년|월|일|세기)|날짜$"),
    ("number", r"(?<!몇)몇(?!몇)|얼마|인구는|수는\s*\??$"),
    ("person", r"누구|누가|누굴"),
    ("place", r"어디|어느\s*곳"),
    ("open", OPEN.pattern),
)
_KOREAN_ASKED = regex(r"(?:어느|어떤|무슨)\s*([가-힣]+)")


def _korean_shape(text: str) -> QuestionShape:
    body = re.sub(r"(?<=[가-힣]{2})이?란(?= (?:무엇|뭐|뭔))", "", text.rstrip("?？. "))
    options = _korean_options(body)
    kind, noun = _korean_type(body)
    compared = _first_match(body, _COMPARISONS)
    if kind != "yes_no":
        options = options if compared != "none" or re.search("중|아니면", body) else ()
        kind = "choice" if options else kind
    nouns = [word for word in map(korean_stem, body.split()) if _NOUN_TYPES.get(word) == "person"]
    roles, measure = frozenset(roots(" ".join(nouns))), _first_match(body, _MEASURES)
    compared = compared if options else "none"
    return QuestionShape(text, "ko", kind, noun, options, roles, compared, measure)


def korean_stem(word: str) -> str:
    """A Korean word of a question without particle or verbal ending."""
    word = word.strip(",.?!\"'“”‘’「」『』《》〈〉()")
    stem = _KOREAN_ENDING.sub("", word)
    return stem if stem != word else strip_particle(word)


def _korean_type(body: str) -> tuple[AnswerType, str]:
    kind = _first_match(body, _KOREAN_TYPES)
    if kind != "none":
        return kind, ""
    if asked := _KOREAN_ASKED.search(body):
        noun = strip_particle(asked[1])
        return _NOUN_TYPES.get(noun, "name"), noun
    if re.search(r"무엇|뭐|뭔", body):
        before = re.search(r"([가-힣]{1,40}?)(?:은|는|이|가)?\s*(?:무엇|뭐|뭔)", body)
        noun = before[1] if before else ""
        defined = len(body.split()) <= 3 and "의 " not in body
        return _NOUN_TYPES.get(noun, "definition" if defined else "name"), noun
    return ("yes_no" if re.search(r"(?:까|요|가|나|니|지)$", body) else "open"), ""


def _korean_options(body: str) -> tuple[str, ...]:
    name = r"[\w·\-]{1,40}(?:\s[\w·\-]{1,40})?"
    patterns = (
        rf"({name}?)(?:와|과|이랑|랑|하고|,)\s*({name}?)\s*(?:중|가운데)",
        rf"({name}?)\s*(?:또는|혹은|아니면)\s*({name})",
        rf"({name}?)(?:와|과)\s+({name}?)(?:은|는|이|가)\s",
    )
    found = next(filter(None, (re.search(pattern, body) for pattern in patterns)), None)
    return _clean_options(found[1], strip_particle(found[2])) if found else ()
