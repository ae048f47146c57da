"""Rewriting a Korean follow-up question so that it can be understood alone."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ...language.analyser import strip_particle, with_particle

_OPENER = re.compile(r"^(?:그럼|그러면|그리고|그런데|근데|그렇다면|또|그래서)[,\s]+")
_JOSA = re.compile(
    r"(?:은|는|이|가|을|를|의|에|에서|에게|께서|와|과|도|로|으로|부터|까지|이랑|랑|하고)$"
)
_POLITE = re.compile(r"(?:이?요)?[?？.!\s]*$")
_ASKING = re.compile(r"누구|누가|누굴|언제|어디|어느|어떤|어떻게|무엇|무슨|뭐|뭔|왜|몇|얼마")
_PERSON_PRONOUN = r"그녀|그분|그 ?사람|그이"
_THING_PRONOUN = r"그것|이것|저것|그거|이거"
_PLACE_PRONOUN = r"그곳|이곳|거기|그기"
_POINTING = re.compile(
    rf"(?<![가-힣])(?:(?P<person>{_PERSON_PRONOUN}|그들)|(?P<thing>{_THING_PRONOUN})|"
    rf"(?P<place>{_PLACE_PRONOUN})|(?P<he>그)(?=[는가의를와도](?![가-힣])|에게|한테)|"
    r"(?:그|이|저) (?!문서|자료|보고서|글|\S+들)(?P<noun>[가-힣]+?)"
    r"(?=(?:은|는|이|가|을|를|의|에|에서|와|과|도|로|으로)\b))"
    r"(?P<josa>은|는|이|가|을|를|의|에게|에서|에|와|과|도|으로|로)?"
)
_SHORT_FORMS = {"그게": "그것이", "그건": "그것은", "그걸": "그것을", "거긴": "거기는"}
_PERSON_NOUN = re.compile(
    r"(?:사람|작가|감독|배우|왕|화가|가수|선수|대통령|교수|인물|과학자|설계자|건축가|아내|남편|"
    r"아버지|어머니|아들|딸|동료|친구|제자|스승|형|누나|동생|부모|자녀|후계자|동업자|파트너)$"
)
_PLACE_NAME = re.compile(r"(?:[시도군구읍면]|특별시|광역시|나라|국)$")
_THING_NAME = re.compile(
    r".{2,}(?:교|다리|궁|궁궐|탑|강|산|섬|호|역|성|절|사|대학교?|회사|은행|책|영화|소설|노래|"
    r"브리지|타워|운하|정음)$"
)
_HUMAN_ACT = re.compile(r"태어|죽|사망|별세|결혼|살았|자랐|다녔|졸업|몇 살|나이|국적|직업")
_PREDICATE = re.compile(r"(?:다|까|요|나|니|지|며|고|서|던|는가|을까|한|된|하는|되는|했던)[?.!]*$")


class Named(NamedTuple):
    """A name that was said, with its article; ``kind`` is empty where it cannot be told."""

    text: str
    kind: str


def korean_names(text: str, asked: str) -> list[Named]:
    """The nouns of a turn in order, each a person, place, thing or of no known kind.

    ``asked`` is the question that the turn answers, or is: an answer to "누구" is a person.
    """
    found: list[Named] = []
    for noun, josa in _nouns(text):
        kind = "thing" if _THING_NAME.search(noun) else ""
        if not kind and josa in {"에서", "에"} and _PLACE_NAME.search(noun):
            kind = "place"
        if not found and text != asked and re.search(r"누구|누가|누굴", asked):
            kind = "person"
        elif not found and text != asked and "어디" in asked:
            kind = "place"
        elif not found and (_HUMAN_ACT.search(text) or re.search(r"누구(?:인|입|야|였)", text)):
            kind = kind or "person"
        found.append(Named(noun, kind))
    return found


def _nouns(text: str) -> Iterator[tuple[str, str]]:
    """Noun groups with the particle after them; the predicate at the end is left out."""
    words = re.sub(r"[?？.!,“”\"'‘’]", " ", text).split()
    group: list[str] = []
    for place, word in enumerate(words):
        if _ASKING.match(word) or word[0].isdigit():
            group = []
            continue
        stem = strip_particle(word)
        josa = word[len(stem) :]
        if josa and _JOSA.search(josa):
            yield " ".join([*group, stem]), josa
            group = []
        elif _PREDICATE.search(word) and (place == len(words) - 1 or len(word) > 2) and words[1:]:
            copula = re.sub(r"(?:이|입니|예|이에)?(?:다|까|요)$", "", word)
            if copula != word and josa and group:
                yield " ".join([*group, stem]), ""
            group = []
        else:
            group.append(stem)
    if group:
        yield " ".join(group), ""


def korean_stand_alone(text: str, last: str, turns: Sequence[Sequence[Named]]) -> str:
    """``text`` with names for what refers to ``turns``; empty where it stands alone.

    ``last`` is the last question before it, ``turns`` the names of what was said, oldest first.
    """
    body = _OPENER.sub("", text)
    for short, full in _SHORT_FORMS.items():
        body = re.sub(rf"(?<![가-힣]){short}(?![가-힣])", full, body)
    resolved = _resolved(body, turns)
    phrase = _POLITE.sub("", resolved)
    elliptic = re.fullmatch(r"([^?]*?[가-힣A-Za-z0-9])(은|는)", phrase)
    if elliptic and not _ASKING.search(phrase):
        return _completed(elliptic[1], resolved != body, last)
    if resolved != body:
        return resolved
    return "" if next(_nouns(body), None) else _with_topic(body, turns)


def _resolved(body: str, turns: Sequence[Sequence[Named]]) -> str:
    match = _POINTING.search(body)
    if not match:
        return body
    if match["person"] or match["he"] or _PERSON_NOUN.search(match["noun"] or ""):
        name = _recent(turns, ("person", ""))
    else:
        name = _recent(turns, ("place", "thing", "") if match["place"] else ("thing", "place", ""))
    if not name:
        return body
    return body[: match.start()] + with_particle(name, match["josa"] or "") + body[match.end() :]


def _recent(turns: Sequence[Sequence[Named]], kinds: Sequence[str]) -> str:
    """The latest turn's first name of the first of ``kinds`` that any turn has."""
    of_kinds = (n.text for k in kinds for names in reversed(turns) for n in names if n.kind == k)
    return next(of_kinds, "")


def _completed(noun: str, resolved: bool, last: str) -> str:
    """The question that "X는?" stands for: what was asked before, or who or what X is."""
    topic = next(_nouns(last), None)
    if not resolved and topic:
        return last.replace("".join(topic), with_particle(noun, topic[1]), 1)
    asked = "누구인가요?" if _PERSON_NOUN.search(noun) else "무엇인가요?"
    return f"{with_particle(noun, '는')} {asked}"


def _with_topic(body: str, turns: Sequence[Sequence[Named]]) -> str:
    """``body``, which has no subject, with what was spoken of as its topic."""
    human = bool(_HUMAN_ACT.search(body))
    name = _recent(turns, ("person", "") if human else ("thing", "place", "", "person"))
    return f"{with_particle(name, '는')} {body}" if name else ""
