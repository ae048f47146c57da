"""Splitting a Korean question into sub-questions by its grammar."""

from __future__ import annotations

import re
from itertools import chain

from ...language.analyser import NIEUN, final_sound, with_particle
from ...language.comparison_questions_korean import korean_comparison_of
from ...language.patterns import regex
from ...language.questions import KOREAN_PERSONS
from .grids import grid_of
from .nesting import Nested, resolve

_KIN = {
    "외할아버지": ("어머니", "아버지"),
    "외할머니": ("어머니", "어머니"),
    "친할아버지": ("아버지", "아버지"),
    "친할머니": ("아버지", "어머니"),
}
_PERSONS = "|".join((*_KIN, *KOREAN_PERSONS.split(), *"할아버지 할머니 형 누나 오빠 언니".split()))
_PLACES = (
    "출생지|고향|수도|나라|국가|도시|지역|주|도|대륙|사망지|본사|위치|마을|학교|대학|대학교|섬|강"
)
_OTHERS = "소속사|소속팀|팀|회사|언어|종교|앨범|영화|책|소설|노래|모국어|정당|밴드|다리|건물"
_ROLE = rf"(?:{_PERSONS}|{_PLACES}|{_OTHERS})"
_BEFORE_PARTICLE = r"(?=[은는이가을를의와과]|에서|에게|에|으로|로)"
_OF = regex(rf"(?P<thing>(?:\S+ )*?\S+?)의 (?P<role>{_ROLE}){_BEFORE_PARTICLE}")
_RELATIVE = regex(
    rf"^(?P<clause>.+?[을를이가에서로와과의] (?:\S+ )*?\S*(?P<ending>[가-힣])) (?P<head>{_ROLE})"
    rf"{_BEFORE_PARTICLE}"
)
_WH = r"(?:누구|누가|무엇|무슨|뭐|언제|어디|어느|어떤|몇|얼마|왜|어떻게)"
_TRIVIAL = regex(rf"^ ?#\d+[은는이가]? ?{_WH}\S* ?$")
_JOINED = regex(
    rf"^(?P<topic>\S+(?: \S+)*?[은는이가]) (?P<first>(?:\S+ )*?{_WH}\S*(?: \S+)*?)"
    rf"(?P<link>이고|였고|이며|고|으며|며),? (?P<second>.*{_WH}.*)$"
)


def decompose_korean(question: str) -> list[str]:
    """The sub-questions of ``question``, its nested descriptions first; one if atomic."""
    texts: list[str] = []
    bare = question.strip().rstrip("?？. ")
    compared = korean_comparison_of(bare)
    parts = compared and chain.from_iterable(compared.questions)
    for part in parts or grid_of(bare) or _joined(bare) or [bare]:
        resolve(part.rstrip("?"), texts, _innermost, _TRIVIAL.match, "{}?".format)
    return texts


def _joined(bare: str) -> list[str]:
    """ "A는 누가 썼고 언제 출판되었습니까?": both are asked of the topic."""
    if not (match := _JOINED.match(bare)):
        return []
    first = match["first"] + ("입니까" if match["link"] in {"이고", "이며", "였고"} else "습니까")
    second = match["second"]
    if not re.search(rf"\S[은는이가]\s+(?:\S+\s)*{_WH}", second):
        second = f"{match['topic']} {second}"
    return [f"{match['topic']} {first}?", f"{second}?"]


def _innermost(text: str) -> Nested | None:
    relative = _RELATIVE.match(text)
    # What ends so may describe the noun after it: "만든", "있는", "태어난".
    if relative and final_sound(relative["ending"]) == NIEUN and relative["ending"] != "인":
        described = f"{relative['clause']} {relative['head']}"
        return Nested(0, relative.end("head"), [_asking(described, relative["head"])])
    if not (of := _OF.search(text)):
        return None
    thing, questions = of["thing"], list[str]()
    for role in _KIN.get(of["role"], (of["role"],)):
        questions.append(_asking(f"{thing}의 {role}", role))
        thing = "#0"
    return Nested(of.start(), of.end("role"), questions)


def _asking(described: str, head: str) -> str:
    word = "어디" if re.fullmatch(_PLACES, head) else "무엇"
    word = "누구" if re.fullmatch(_PERSONS, head) else word
    return f"{with_particle(described, '은')} {word}입니까"
