"""Korean questions that compare: the things compared, and the questions about each."""

from __future__ import annotations

import re

from .analyser import with_particle
from .comparison_questions import ComparisonQuestion, relation_by
from .patterns import regex
from .questions import Measure, analyse_question

_NAME = r"[^,?]+?"
_AMONG = regex(
    rf"^(?P<a>{_NAME})(?:와|과|이랑|랑|하고|,) (?P<b>{_NAME}) (?:둘 )?(?:중|가운데)(?:에서?)? "
    r"(?P<rest>.+)$"
)
_SAME = regex(
    rf"^(?P<a>{_NAME})(?:와|과) (?P<b>{_NAME})(?P<of>의 (?P<attribute>\S+?))?[은는이가] "
    r"(?P<rest>.*(?:같|동일).*)$"
)
_BOTH = regex(rf"^(?P<a>{_NAME})(?:와|과) (?P<b>{_NAME})[은는이가] (?:모두|둘 다) (?P<rest>.+)$")
_SAME_THING = regex(r"(?:같은|동일한) (\S+)(.*)$")
_ROLE = regex(r"(감독|저자|작가|작곡가|가수|제작자|설립자|주인공|배우)[이가의]")
_OF_KIND = regex(r"(?:어느|어떤|무슨) \S+의 (\S+?)[이가은는]\s|^(\S+?)[이가] (?:더|가장)")
_DONE = regex(r"(?:먼저|나중에?|일찍|늦게) ([가-힣]+?)(?:된|한|었|았|되었|했|됐)")
_BORN, _DIED = "태어났습니까", "사망했습니까"
_LIFE = {"birth": (_BORN,), "death": (_DIED,), "lifespan": (_BORN, _DIED)}
_DEGREES = [
    entry.split(":")
    for entry in """높:높이 낮:높이 길:길이 긴:길이 깁:길이 짧:길이 넓:면적 깊:깊이 무거:무게
    비싸:가격 비싼:가격 큰:크기 큽:크기 작:크기""".split()
]


def korean_comparison_of(question: str) -> ComparisonQuestion | None:
    """The comparison that the Korean ``question`` makes, or None without named things."""
    bare = question.strip().rstrip("?？. ")
    return _same(bare) or _both(bare) or _among(bare)


def _things(match: re.Match[str]) -> tuple[str, ...]:
    return tuple(part.strip(" '\"‘’“”《》「」") for part in (*match["a"].split(","), match["b"]))


def _same(bare: str) -> ComparisonQuestion | None:
    if not (match := _SAME.match(bare)):
        return None
    things, shared = _things(match), _SAME_THING.search(match["rest"])
    role = _ROLE.search(f"{match['attribute'] or ''}이 ")
    if shared is None:
        return None
    subjects = [f"{thing}의 {role[1]}" if role else thing for thing in things]
    asked = tuple((f"{with_particle(s, '은')} 어느 {shared[1]}{shared[2]}?",) for s in subjects)
    return ComparisonQuestion(things, asked, "same", analyse_question(bare).measure)


def _both(bare: str) -> ComparisonQuestion | None:
    match = _BOTH.match(bare)
    if match is None or not re.search(r"(?:까|요|가|나)$", bare):
        return None
    things = _things(match)
    asked = tuple((f"{with_particle(thing, '은')} {match['rest']}?",) for thing in things)
    return ComparisonQuestion(things, asked, "both", "none")


def _among(bare: str) -> ComparisonQuestion | None:
    if not (match := _AMONG.match(bare)):
        return None
    things, rest = _things(match), match["rest"]
    shape = analyse_question(f"{things[0]}와 {things[-1]} 중 {rest}?")
    role = _ROLE.search(rest)
    subjects = [f"{thing}의 {role[1]}" if role else thing for thing in things]
    compared, measure = shape.comparison, shape.measure
    if measure == "none" and any(word in rest for word, _ in _DEGREES):
        compared = "least" if re.search(r"낮|짧|작", rest) else "greatest"
        measure = "number"
    relation = relation_by(compared, measure)
    if relation == "either":
        return None
    asked = tuple(_asked(measure, rest, subject) for subject in subjects)
    return ComparisonQuestion(things, asked, relation, measure)


def _asked(measure: Measure, rest: str, subject: str) -> tuple[str, ...]:
    """The questions about ``subject`` that tell its ``measure``."""
    topic = with_particle(subject, "은")
    if measure in _LIFE:
        return tuple(f"{topic} 언제 {done}?" for done in _LIFE[measure])
    if measure == "number":
        of = _OF_KIND.search(rest)
        degree = next((name for word, name in _DEGREES if word in rest), "수")
        noun = of[1] or of[2] if of else degree
        return (f"{subject}의 {with_particle(noun, '은')} 얼마입니까?",)
    done = _DONE.search(rest)
    return (f"{topic} 언제 {done[1] if done else '시작'}되었습니까?",)
