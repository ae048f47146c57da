"""The Korean half of question writing: question words take the place of what they ask for."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from ...language.analyser import content_words, strip_particle, with_particle
from ...language.answer_types import dates, korean_nouns, life_facts, quoted_names
from ...language.questions import analyse_question

_PAST = "".join(chr(code) for code in range(0xAC00 + 20, 0xD7A4, 28))
_PRESENT = "".join(chr(code) for code in range(0xAC00 + 4, 0xD7A4, 28))
_PRONOUN = re.compile(r"^(?:그|그녀|이|이것|그것|이곳|그곳)[는은가] ")
_DEFINED = re.compile(r"([가-힣]+?)(?:이다|이었다|였다|입니다|이며|이고)$")
_DATED = re.compile(r"(?:에는|에|부터|까지)?(?![가-힣]| 동안)")
_PLACE = re.compile(r"(?:^| )([가-힣A-Za-z·]{2,})(에서|에)(?:는)? (?=(\S+))")
_SUBJECT = re.compile(r"(?:^|[은는에서] )([가-힣A-Za-z·]+[가-힣A-Za-z](?<!다))(?:이|가|께서) ")
_OBJECT = re.compile(r"(?:^|[은는이가에서을를로] )([가-힣A-Za-z·]{2,})(?:을|를) (?=\S+$)")
_STATE = re.compile(r"(?:[어아여]지|[어아여]졌|되|된|됐|있|없|이다|인가|났)\S*$")
_NOUN = re.compile(r"(?!.*[있없])[\w·]*[가-힣]{2,}(?<![는다의])")
_HAS_TOPIC = re.compile(r"^(\S+(?: \S+){0,3}?)(?:은|는) ")
_FOLLOW_UPS: dict[str, str] = {
    "person": "{} 누구인가?|{} 언제 태어났는가?|{} 어디에서 태어났는가?|{} 무엇을 한 사람인가?",
    "place": "{} 어디에 있는가?|{} 무엇으로 알려져 있는가?|{} 어떻게 생겨났는가?|{} 누가 세웠는가?",
    "thing": "{} 무엇인가?|{} 무엇으로 알려져 있는가?|{} 어떻게 생겨났는가?|{} 누구와 관련되는가?",
}


class _Noun(NamedTuple):
    """A noun that a passage mentions; ``kind`` is person, place or thing."""

    text: str
    kind: str
    rank: float


def korean_incoming(title: str, whole: list[str]) -> list[list[str]]:
    """Questions that the passage answers, and those for want of better ones."""
    text = " ".join(whole)
    topic = title or next(iter(_words(text)), "")
    clauses = [clause for sentence in whole for clause in _clauses(sentence)]
    questions = [f"{with_particle(topic, '은')} {_who(whole)}인가?"] if topic else []
    questions += _life(topic, text)
    for clause in clauses:
        questions += _asked(clause, topic)
    questions += [f"{_standing_alone(clause, topic)}?" for clause in clauses]
    word = max(_words(text), key=len, default="")
    asked = [f"{word}에 대해 알려진 것은 무엇인가?", f"{with_particle(word, '은')} 어떠한가?"]
    return [questions, asked if word else []]


def korean_outgoing(title: str, whole: list[str]) -> list[list[str]]:
    """Questions about what the passage mentions: one for each noun, then more of each."""
    found: dict[str, _Noun] = {}
    for number, sentence in enumerate(whole):
        for noun in _nouns(sentence, title, number):
            if noun.text not in title and noun.text not in found:
                found[noun.text] = noun
    nouns = sorted(found.values(), key=lambda noun: -noun.rank)
    if not nouns:
        nouns = [_Noun(word, "thing", 0) for word in dict.fromkeys(_words(" ".join(whole)))]
    return [
        [
            _FOLLOW_UPS[noun.kind].split("|")[turn].format(with_particle(noun.text, "은"))
            for noun in nouns
        ]
        for turn in range(4)
    ]


def _words(text: str) -> list[str]:
    return [strip_particle(word) for word in content_words(text)]


def _who(whole: list[str]) -> str:
    defined = _DEFINED.search(whole[0].rstrip(" .")) if whole else None
    kind = analyse_question(f"어느 {defined[1]} 인가?").answer_type if defined else ""
    return "누구" if kind == "person" or life_facts(" ".join(whole)).death else "무엇"


def _life(topic: str, text: str) -> list[str]:
    asked = ("언제 태어났는가?", "언제 죽었는가?", "어디에서 태어났는가?", "어디에서 죽었는가?")
    facts = life_facts(text)
    return [
        f"{with_particle(topic, '은')} {question}"
        for fact, question in zip(facts, asked, strict=True)
        if fact
    ]


def _clauses(sentence: str) -> Iterator[str]:
    """The clauses of a sentence, each with the ending of a question."""
    held = ""
    for piece in re.sub(r"\s*[(（][^()（）]*[)）]", "", sentence).rstrip(" .!?").split(", "):
        held = f"{held}, {piece}" if held else piece
        question = _question(held)
        if question:
            yield question
            held = ""


def _question(clause: str) -> str:
    """The clause with the ending of a question, or nothing where its ending is not known."""
    if clause.endswith("니다"):
        return clause[:-2] + "니까"
    match = re.search(rf"([{_PAST}없])(?:다|으며|고|으나|지만|는데)$", clause)
    if match:
        return clause[: match.end(1)] + "는가"
    match = re.search(r"(?:이다|이며|이고)$", clause)
    if match:
        return clause[: match.start()] + "인가"
    match = re.search(rf"([{_PRESENT}])다$", clause)
    if match and match[1] != "는":
        return clause[: match.start()] + chr(ord(match[1]) - 4) + "는가"
    return clause[:-1] + "가" if clause.endswith("는다") else ""


def _asked(clause: str, topic: str) -> Iterator[str]:
    """When, where, who and what of one clause."""
    state = bool(_STATE.search(clause))
    owned = re.match(r"(\S{2,}?)(?:은|는) \S+인가$", clause)
    if owned and owned[1] not in topic and not _PRONOUN.match(clause):
        yield f"{topic}의 {with_particle(owned[1], '은')} 무엇인가?"
        return
    date = next(iter(dates(clause)), None)
    after = _DATED.match(clause, date.end) if date else None
    if date and after:
        when = "언제" + (after.group() if after.group() in {"부터", "까지"} else "")
        yield _replaced(clause, date.start, after.end(), when, topic)
    place = _PLACE.search(clause)
    if place and place[1] not in topic and (place[2] == "에서" or re.match("있|위치", place[3])):
        yield _replaced(clause, place.start(1), place.end(2), "어디" + place[2], topic)
    subject = _SUBJECT.search(clause)
    if subject and subject[1] not in topic:
        who = "무엇이" if state else "누가"
        yield _replaced(clause, subject.start(1), subject.end() - 1, who, topic)
    thing = _OBJECT.search(clause)
    if thing and thing[1] not in topic:
        yield _replaced(clause, thing.start(1), thing.end() - 1, "무엇을", topic)


def _replaced(clause: str, start: int, end: int, word: str, topic: str) -> str:
    return _standing_alone(clause[:start] + word + clause[end:], topic) + "?"


def _standing_alone(clause: str, topic: str) -> str:
    """The clause with its topic named."""
    bare = _PRONOUN.sub("", clause)
    if not topic or (topic in clause) or (bare == clause and _HAS_TOPIC.match(clause)):
        return clause
    return f"{with_particle(topic, '은')} {bare}"


def _nouns(sentence: str, title: str, number: int) -> Iterator[_Noun]:
    """Quoted names, and the nouns with a particle, whose role tells what they are."""
    for name in quoted_names(sentence):
        if content_words(name):
            yield _Noun(name, "thing", 2 - number / 30)
    for noun in korean_nouns(sentence, "name", "", title):
        rest = sentence[noun.end :].split(", ")[0].rstrip(" .!?")
        if noun.prior < 0.2 or not _NOUN.fullmatch(noun.text):
            continue
        acts = re.match("(?:이|가|께서) ", rest) and _question(rest) and not _STATE.search(rest)
        placed = re.match(r"에서|에 (?:있|위치)", rest)
        person = acts or re.match("에게|께", rest)
        kind = "person" if person else "place" if placed else "thing"
        rank = len(noun.text) / 4 + bool(person) + 0.5 * bool(placed) - number / 30
        yield _Noun(noun.text, kind, rank)
