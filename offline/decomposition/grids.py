"""Questions that ask several things for several aspects, and those with several conditions."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from ...language.analyser import LONGEST_GRAMMAR, is_korean, one_line, with_particle

_COUNT = r"(?:two|three|four|five|six|seven|eight|nine|ten|\d+)"
_ENGLISH = [
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"^(?:please )?compare the (?P<axes>(?:(?!\bin terms\b)[^?])+?) of (?P<things>.+)$",
        r"^(?:please )?compare (?P<things>.+?) (?:by|on|in terms of|with respect to|regarding|for"
        r" their|in) (?P<axes>.+)$",
        r"^what (?:is|are|was|were) the (?:\w+ )?differences? (?:in (?P<axes>.+?) )?between "
        r"(?:the (?P<of>[a-z ]+?) of )?(?P<things>.+?)"
        r"(?: (?:in terms of|with respect to|regarding) (?P<by>.+))?$",
        r"^how (?:do|does|did|are|is|were) (?P<things>.+?) (?:differ|different)(?: from (?P<from>"
        r".+?))?(?: (?:in|by|in terms of|with respect to) (?P<axes>.+))?$",
    )
]
_APART = re.compile(r",\s*(?:and\s+)?|\s+(?:and|with|to)\s+")
_ASIDE = re.compile(
    r",? (?:without (?:leaving|omitting|missing)\b.*|and (?:leave|omit|miss) (?:nothing|none).*)$",
    re.IGNORECASE,
)
_LED = re.compile(rf"^(?:the )?{_COUNT} [a-z]+:? (?=\S+(?:,| and ))", re.IGNORECASE)
_BOTH = re.compile(
    r"^(?P<ahead>(?:who|which|what|where|when)\b.*?(?<! do)(?<! did)(?<! are)(?<! were)(?<! have))"
    r" both (?P<a>.+?) and (?P<b>.+)$",
    re.IGNORECASE,
)
_KOREAN = [
    re.compile(pattern)
    for pattern in (
        r"^(?P<things>.+?)의 (?P<axes>.+)[을를] (?:[^,?]{1,20} )?비교",
        r"^(?P<things>.+?)[을를] (?P<axes>.+?)(?:으로|로|에 따라| ?기준으로|을 기준으로"
        r"|(?: 등의?)? ?(?:측면|관점|면)에서) (?:[^,?]{1,20} )?비교",
        r"^(?P<things>.+?)의 (?:(?P<axes>.+?)(?:의|적|적인|상의|에서의)? )?차이(?:점)?"
        r"(?:[은는이가을를]|$)",
        r"^(?P<things>.+?)(?:의 (?P<axes>.+?))?[은는이가] (?:서로 )?"
        r"(?:어떻게|무엇이|어떤 점[이에]서?) 다[르른를]",
    )
]
_KOREAN_APART = re.compile(r",\s*(?:그리고\s+)?|(?<=\S)(?:와|과|이랑|하고|및)\s+|\s+및\s+")
_KOREAN_COUNT = re.compile(
    r"\s(?:두|세|네|다섯|여섯|일곱|여덟|아홉|열|\d+)\s?(?:가지|개|종|종류|명|곳|편|권)?\s?\S*$"
)
_KOREAN_BOTH = re.compile(
    r"^(?P<a>[^,?]+?)[와과] (?P<b>[^,?]+?)(?P<particle>[을를]) (?:모두|둘 다|동시에|함께) "
    r"(?P<rest>.+)$"
)


def grid_of(question: str) -> list[str]:
    """The questions for every thing and every aspect that ``question`` compares, or none.

    "Compare A, B and C by cost and speed" asks for six facts, and the difference between two
    things for what either is. So does a condition of two parts: "Who wrote both A and B?"
    """
    if len(question) > LONGEST_GRAMMAR:
        return []
    bare = one_line(question).strip().rstrip("?？. ")
    return _korean(bare) if is_korean(bare) else _english(bare)


def _english(text: str) -> list[str]:
    if both := _BOTH.match(text):
        return [f"{both['ahead']} {both[part]}?" for part in ("a", "b")]
    text = _ASIDE.sub("", text)
    for match in filter(None, (pattern.match(text) for pattern in _ENGLISH)):
        named = match.groupdict()
        listed = " and ".join(filter(None, [named["things"], named.get("from")]))
        things = _APART.split(_LED.sub("", listed))
        aspects = next(filter(None, map(named.get, ("axes", "of", "by"))), "")
        axes = [re.sub(r"^(?:their|its|the) ", "", axis) for axis in _APART.split(aspects)]
        asked = "What is the {1} of {0}?" if aspects else "What is {0}?"
        return _every(things, axes, asked.format)
    return []


def _korean(text: str) -> list[str]:
    if both := _KOREAN_BOTH.match(text):
        parts = (with_particle(both[part], both["particle"]) for part in ("a", "b"))
        return [f"{part} {both['rest']}?" for part in parts]
    for match in filter(None, (pattern.match(text) for pattern in _KOREAN)):
        things = _KOREAN_APART.split(_KOREAN_COUNT.sub("", match["things"]))
        axes = _KOREAN_APART.split(match["axes"] or "")

        def asked(thing: str, axis: str) -> str:
            subject = f"{thing}의 {axis}" if axis else thing
            return f"{with_particle(subject, '은')} 무엇입니까?"

        if questions := _every(things, axes, asked):
            return questions
    return []


def _every(
    things: Iterable[str], axes: Iterable[str], asked: Callable[[str, str], str]
) -> list[str]:
    things = [thing.strip() for thing in things if thing.strip()]
    return [asked(thing, axis.strip()) for thing in things for axis in axes] if things else []
