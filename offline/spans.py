"""The spans of a sentence that are of the kind that a question asks for."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..language.analyser import is_korean
from ..language.answer_types import Candidate, countries, dates, names, roots
from ..language.patterns import regex
from ..language.questions import QuestionShape
from .conjunctions import whole_lists
from .qualifiers import korean_fits

NUMERALS = "one two three four five six seven eight nine ten eleven twelve".split()
_ENGLISH_NUMBER = (
    rf"(?!a\b|and\b)(?:(?:a|{'|'.join(NUMERALS)}"
    r"|(?:thir|four|fif|six|seven|eigh|nine)teen|(?:twen|thir|for|fif|six|seven|eigh|nine)ty"
    r"|hundred|thousand|million|billion|and|half)\b[ -]?)+(?<![ -])"
)
_KOREAN_NUMBER = (
    r"(?:오전|오후|아침|저녁|새벽|밤|낮) ?\d{1,2}(?=시)"
    r"|(?:열|스물|서른|마흔|쉰|예순|일흔|여든|아흔)\s?(?:하나|한|두|세|네|다섯|여섯|일곱|여덟|아홉)?"
    r"|(?:하나|한|두|세|네|다섯|여섯|일곱|여덟|아홉|스무)"
    r"|[일이삼사오육칠팔구십백천]+"
)
NUMBER = regex(
    rf"(?i)(?P<sign>[$£€¥₩]\s?)?(?:(?<![\w.,/-])\d[\d,]*(?:\.\d+)?(?!st|nd|rd|th|\d)"
    rf"|\b{_ENGLISH_NUMBER}|(?<![가-힣])(?:{_KOREAN_NUMBER})(?=\s?[가-힣]))"
    r"(?:\s?(?:hundred|thousand|million|billion|trillion|(?:\d[\d,]*)?[만억조천]+))*"
)
_TIME = (
    "seconds?|minutes?|min|hours?|hrs?|days?|nights?|weeks?|months?|years?|decades?|centur(?:y|ies)"
)
_DURATION = rf"(?:{_TIME})(?:(?: and)? \d{{1,2}} (?:{_TIME}))?"  # "6 hours 40 minutes"
_LENGTH = "mm|cm|m|km|miles?|feet|foot|ft|inch(?:es)?|yards?|(?:kilo)?met(?:re|er)s?"
_UNITS = {
    "old": "years?[ -]old|year-old",
    "long": f"{_DURATION}|{_LENGTH}",
    "much": "pounds?|dollars?|euros?|won|cents?|pence|p",
    "heavy": "kg|g|(?:kilo)?grams?|pounds?|lbs?|tons?|tonnes?|t",
    "fast": "mph|kph|knots|mbit/s|gbit/s",
    "big": f"{_LENGTH}|[KMGT]i?B",
    "share": "%|per ?cent",
} | dict.fromkeys("far tall high deep wide large".split(), _LENGTH)
_DEGREES = dict.fromkeys("height length width depth diameter distance".split(), "tall")
_DEGREES |= {"weight": "heavy", "speed": "fast", "size": "big", "age": "old"}
_DEGREES |= dict.fromkeys("share proportion percent percentage".split(), "share")
_COUNTER = (
    "시간|미터|킬로|퍼센트|개월|개국|그램|리터|포기|그루|인분|kg|km|cm|mm|년|월|일|시|분|초|권|명|개|살"
    "|도|근|원|번|층|마리|대|장|세|잔|회|박|주|병|통|가지|학년|호|평|등|위"
)
_KOREAN_REST = r"(?:(?<=[시년월분간]) ?(?:\d{1,2} ?(?:개월|일|분|초)|반(?=[에이을은까동]|\W|$)))?"
_WON = r"\s?(?:만 ?|천 ?)?원"
CURRENCY = regex(
    r"\s?(?:[A-Z]{3}\b|(?:dollar|euro|pound|shilling|cent|penn|pence|franc|yen|crown|kron|lira|lari"
    r"|rupee|mark)\w*\b|(?:만 ?|천 ?)?원)"
)
HOW = regex(r"\bhow\s+(\w+)(?:\s+([\w-]+))?(?:\s+([\w-]+))?", re.IGNORECASE)
# What stands between 64 and 118 in "64 of the 118 members", and who asks for 118.
_PART = regex(
    r"(?i)(?P<vague>\b(?:most|many|some|few|none|several|(?<!is )(?<!was )one)| ?%| per ?cent)? ?"
    r"(?:out )?\bof(?: (?:all|the|its|his|her|our|their|these|those|[\w’']+['’]s?)){0,3} $"
)
_WHOLE_ASKED = regex(r"(?i)\bthere\b|\bhave\b(?! \w+(?:ed|en)\b)|몇 ?\S+(?:[인예입]|야$| 있)")
_OF_WHOLE = regex(r"\s?[\w-]+ ((?:that|which|who|in|of|at|on|from) .*)")
DIFFERENCE = regex(r"(?i) (?:more|less|fewer)\b")
_KOREAN_WHOLE = regex(rf"(?<=\d)\s?(?:{_COUNTER}) (?:중|가운데)")
_THING = regex(r"([가-힣]+)[은는이가] (?:모두 )?몇\s*개")
COUNTED = regex(rf"몇\s*({_COUNTER})")
MONEY = regex(r"\b(?:price|cost|rent|fee|fare)\b", re.IGNORECASE)
NAME_ASKED = regex(r"(?i)\bwhat\b.*?\b(?:called|named|(?:(\w+)['’]s? )?name)\b")
_KOREAN_WHAT = "누구|무엇|뭐|뭔|어디|얼마|언제|며칠"
_EQUATED = regex(
    rf"(?<!\w)([가-힣]{{2,}}?)(?:[은는이가]? (?:{_KOREAN_WHAT})[가-힣]*(?: 되\w+)?)?\??$"
)
_KOREAN_AND = r"(?:[와과]|,? (?:및|그리고)) "
# A name ends before the subject of another clause: "시공자는 ".
_KOREAN_NAME = (
    rf"(?:(?!{_KOREAN_AND}|[가-힣]{{1,20}}[은는] )(?:[^,.()]|(?<=\d)[,.](?=\d))){{1,20}}?"
)
_KOREAN_LIST = rf"{_KOREAN_NAME}(?:(?:, {_KOREAN_NAME})*{_KOREAN_AND}{_KOREAN_NAME})*"
_KOREAN_END = (
    r"(?:(?:이었다|였다|이?며|이?고|이?다|입니다|이에요|예요|으?로)(?![가-힣])|[,.](?!\d)|[(]"
)
_KOREAN_END += r"|[이가] (?:맡|담당))"
_INSIDE = regex(r"\b(?:in|at) (?:the )?$", re.IGNORECASE)
_PLACED = regex(r"(?:\b(?:in|of|from)|,) (?:the )?$|\b(?:is|was) an? (?:[\w-]+ )?$")
_PERIOD = rf"(?:{_TIME}|quarters?|mornings?|evenings?|(?:sun|mon|tues|wednes|thurs|fri|satur)days?)"
WEEKDAY = regex(r"\b(?:Sun|Mon|Tues|Wednes|Thurs|Fri|Satur)days?\b")
_OFTEN = regex(
    rf"(?i)\b(?:(?:once|twice|(?:\d+|{_ENGLISH_NUMBER}) times) (?:an?|per|every|each)|every|each)"
    rf" (?:(?:other|\d+|{_ENGLISH_NUMBER}) ?)?{_PERIOD}\b|\b(?:hour|dai|week|month|year)ly\b"
)
CLOCK = regex(
    r"(?i)\b(?:\d{1,2}(?:[:.]\d\d)? ?[ap]\.?m\b\.?(?: (?-i:[A-Z]{2,4})\b)?"
    r"|\d{1,2}:\d\d|noon|midnight)\b"
)
_DEFINED = regex(
    r"(?i)what(?:['’]s| is| are| does) (?:an? |the )?([\w' -]+?)(?: mean)?\??$"
    r"|(\S+?)(?:이?란|[은는이가])? (?:뭐|뭔|무엇|무슨)"
)
_DWELLINGS = frozenset({"", "city", "town", "village", "place"})
_CERTAIN = 0.9
CLOSING = " \"'“”‘’「」.,;"  # around an answer


def defines(question: str, text: str) -> bool:
    """Whether ``text`` says what the thing is that ``question`` asks to define."""
    if not (asked := _DEFINED.match(question)):
        return False
    thing = re.escape(asked[1] or asked[2])
    told = rf"(?i)^\W*(?:(?:the|an?) )?{thing}\W*(?:(?: is| are| means?| stands? for)\b|:)"
    korean = rf"{thing}\W*(?:이?란|[은는이가]) .*(?:것|이다|입니다|말한다|말합니다)"
    return bool(re.search(rf"{told}|{thing}\W*, (?:an?|the) |\({thing}\)|{korean}", text))


def is_unit(word: str) -> bool:
    """Whether ``word`` is an English unit of time or length."""
    return bool(re.fullmatch(f"{_TIME}|{_LENGTH}", word.lower()))


def typed_spans(shape: QuestionShape, text: str, context: str = "") -> Iterator[Candidate]:
    """The spans of ``text``, under ``context``, of the kind asked for; ``prior`` is how surely.

    Of Korean texts these are dates, numbers with their counter, and what a sentence equates.
    """
    korean = is_korean(shape.text)
    yield from _equated(shape.text, text, context) if korean else ()
    counted = COUNTED.search(shape.text) if korean else None
    how = HOW.search(shape.text)
    timed = {"time": CLOCK, "day": WEEKDAY, "weekday": WEEKDAY}.get(shape.noun)
    if how and how[1].lower() == "often":
        timed = _OFTEN
    if timed:
        yield from (Candidate(*told.span(), told[0], _CERTAIN) for told in timed.finditer(text))
        if shape.noun != "day":
            return
    if shape.answer_type == "date" and not (counted and counted[1] in {"시", "살"}):
        yearly = shape.noun == "year" or bool(counted and counted[1] == "년")
        yield from _dates(text, yearly, 0.9 if shape.noun == "month" else 0.4)
    elif shape.answer_type == "number" or counted:
        yield from _numbers(shape, text, counted[1] if counted else "")
    elif not korean:
        yield from whole_lists(_named(shape, text), text, shape.text)


def _named(shape: QuestionShape, text: str) -> Iterator[Candidate]:
    """Countries, places, persons and other names, whichever the question asks for."""
    if shape.noun in {"country", "nationality"}:
        for span, _ in countries(text):
            yield Candidate(*span[:3], 0.8 if _PLACED.search(text[: span.start]) else 0.3)
    elif shape.answer_type == "place":
        anywhere = shape.noun in _DWELLINGS
        for place in names(text, "place", shape.noun):
            if place.prior >= 0.7 or (anywhere and _INSIDE.search(text[: place.start])):
                yield place
    elif shape.answer_type in {"person", "name"}:
        for one in names(text, shape.answer_type, shape.noun):
            named = shape.answer_type == "name" and _is_named(shape, text[: one.start])
            yield one._replace(prior=_CERTAIN) if named else one
        if shape.answer_type == "name" and shape.noun:
            yield from _labelled(text, shape.noun)


def _is_named(shape: QuestionShape, before: str) -> bool:
    """Whether what stands behind ``before`` is the name asked for: "The dog is called"."""
    asked = NAME_ASKED.search(shape.text)
    thing = re.escape((asked and asked[1]) or shape.noun)
    told = (
        rf"(?:\b{thing}|^\W*(?:he|she|it|they)),?(?: (?:is|was|are|were|ha[ds] been))?(?: \w+ly)?"
        rf" (?:called|named)|(?:\b{thing}['’]s?|^\W*(?:his|her|its)) name (?:is|was)"
        rf"|\bnames? of (?:[\w-]+ ){{0,3}}{thing} (?:is|was|are|were)"
    )
    part = re.search(rf"(?i)(?<!name)(?<!names) of (?:[\w-]+ ){{0,3}}{thing}\b[^,;]*$", before)
    return bool(asked and thing and not part and re.search(rf"(?i)(?:{told}) \W?$", before))


def _dates(text: str, yearly: bool, monthly: float) -> Iterator[Candidate]:
    for date in dates(text):
        year = re.search(r"\d{3,4}년?", date.text)
        if yearly and year:
            yield Candidate(date.start + year.start(), date.start + year.end(), year[0], _CERTAIN)
        elif not yearly:
            sure = _CERTAIN if re.search(r"\d", date.text) else monthly
            yield Candidate(*date[:2], date.text.rstrip("."), sure)


def _labelled(text: str, noun: str) -> Iterator[Candidate]:
    """The value behind its noun: "port 7420", "the symbol Hg"."""
    value = rf"\b{re.escape(noun)}s?:? [`\"“']?([\w.-]*[A-Z0-9](?:[\w.-]*[\w-])?)"
    for match in re.finditer(value, text):
        yield Candidate(*match.span(1), match[1], _CERTAIN)


def _equated(question: str, text: str, context: str) -> Iterator[Candidate]:
    """B of "A는 B이다" for the question "A는 누구입니까" or "A", or all of "A는 B, C와 D이다"."""
    asked = _EQUATED.search(question)
    if not asked:
        return
    told = rf"(?<!\w){asked[1]}[은는] (?:모두 |총 ?)?({_KOREAN_LIST}){_KOREAN_END}"
    for stated in re.finditer(told, text):
        same = korean_fits(question[: asked.start()], text[: stated.start()], context)
        described = text.startswith("다", stated.end(1)) and "누" not in asked[0]  # "빠르다"
        if same and len(stated[1]) > 1 and not described:
            yield Candidate(*stated.span(1), stated[1], _CERTAIN)


def _numbers(shape: QuestionShape, text: str, counter: str) -> Iterator[Candidate]:
    """Numbers with the unit, the counter or the noun that the question asks for."""
    taken = [(date.start, date.end) for date in dates(text)]
    asked_whole = _WHOLE_ASKED.search(shape.text)
    if asked_whole and counter and _KOREAN_WHOLE.search(text):
        return
    last = Candidate(0, 0, "", 0.0)
    for match in NUMBER.finditer(text):
        start, end = match.span()
        before, last = last, Candidate(start, end, match[0], _CERTAIN)
        if not counter and any(first <= start < after for first, after in taken):
            continue
        unit = _unit_behind(shape, match, text, counter)
        if unit is None or DIFFERENCE.match(text, end + len(unit)):
            continue
        whole = _PART.search(text, before.start, start)
        parted = whole and whole.start() == before.end and before.text.lower() != "one"
        if parted and whole and not whole["vague"] and not asked_whole and before.text:
            owner = _OF_WHOLE.match(text, end)  # who asks for it may ask for the whole
            said = roots(f"{whole[0]} {owner[1] if owner else ''}")
            if frozenset(said).isdisjoint(roots(shape.text)):
                yield before
        elif not (
            parted or (whole and whole["vague"]) or (counter and _KOREAN_WHOLE.match(text, end))
        ):
            yield Candidate(start, end + len(unit), text[start : end + len(unit)], _CERTAIN)


def _unit_behind(
    shape: QuestionShape, number: re.Match[str], text: str, counter: str
) -> str | None:
    """The unit behind a number, empty where it needs none; None where it is not the one asked."""
    after = text[number.end() : number.end() + 40]
    how = HOW.search(shape.text)
    degree = how[1].lower() if how else _DEGREES.get(shape.noun, "")
    if counter:
        counted = rf"\s?({_COUNTER})(?!에 ?\d){_KOREAN_REST}"  # not of "한 권에 5만 원"
        told = re.match(counted, after, re.IGNORECASE)
        if told and told[1].lower() == counter:
            return told[0]
        thing = _THING.search(shape.text)
        return "" if thing and counter == "개" and re.match(rf"\s?{thing[1]}", after) else None
    if degree == "much" or "얼마" in shape.text or MONEY.search(f"{shape.text} {shape.noun}"):
        told = re.match(rf"{_WON}|[ -]?(?:{_UNITS['much']})\b", after, re.IGNORECASE)
        return told[0] if told else "" if number["sign"] else None
    if degree in {"many", "few"} and how:
        asked = [how[2]] if how[2] and is_unit(how[2]) else how.groups()[1:]
        near = roots(after)[:1]
        if not near or near[0] not in roots(" ".join(filter(None, asked))):
            return None
        told = re.match(rf"[ -]?(?:{_DURATION}|{_LENGTH})\b", after)
        return told[0] if told else ""
    told = re.match(rf"[ -]?(?:{_UNITS.get(degree, '(?!)')})(?!\w)", after, re.IGNORECASE)
    aged = degree == "old" and re.search(r"\bage(?:d| of)? $", text[: number.start()])
    return told[0] if told else "" if aged else None
