"""Questions that a passage answers and questions that it raises, by rules of grammar.

One about a name is worded alike in its own passage and in others, so that the two meet.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ..language.analyser import (
    BIEUP,
    NIEUN,
    PAST_ENDS,
    final_sound,
    is_korean,
    one_line,
    sentences,
    terms,
    with_particle,
)
from ..language.answer_types import dates, life_facts, roots
from ..language.mentions import aliases, find_mentions, key, topic_title
from ..language.name_masking import is_demonym
from ..language.verbs import PAST_OF, PASTS
from ..prompts.replies import PassageQuestions
from .extraction.entities import type_of_name, type_of_noun

_MOST = 12
_LONGEST = 30
_PARTICIPLE = rf"(?:[a-z]{{2,}}ed|{'|'.join(PAST_OF)})"
_BY = re.compile(rf"({_PARTICIPLE}) by (?=(?:the )?[A-Z])")
_DONE = re.compile(rf"({_PARTICIPLE}|born) (in|on|at) (?:the )?(?=[\dA-Z])")
_BE = re.compile(r"(is|was|are|were) ")
_DEFINED = re.compile(
    r"\b(?:is|was|are|were) (?:an?|the|one of the) (?:[\w'’-]+ ){0,5}?([a-z-]+)"
    rf"(?=[,.;:]|$| (?:{_PARTICIPLE}|in|of|on|at|by|for|from|with|to|and|or|near|that|which|who)\b)"
)
_ASIDE = re.compile(r"\s*(?:[(\[（][^()\[\]（）]*[)\]）]|/[^/]{2,40}/)")
_LEAD = re.compile(r"(?:In|On|At|After|Before|Since|During|By|From|Until|As|For) [^,]{2,60}, ")
_SUBJECT = re.compile(r"(?:He|She|It|They|The (?P<noun>[a-z]+)) ")
_OWN = re.compile(r"(?:Its|His|Her|Their|This|These) ")
_WORD = r"(?!(?:that|which|who|what|if|when|where|he|she|it|they|as|has|had) )[\w'’.&,-]+ "
_OTHER = re.compile(rf"(?=[A-Z])((?:{_WORD}){{1,8}}?)(?<!, )(is|was|are|were) (.{{8,}})")
_VERB = re.compile(rf"(?:is|was|are|were|has|had|can|will|did|{PASTS}|[a-z]+(?:[^s]s|ed))\b")
_LIFE = ("When was {} born?", "When did {} die?", "Where was {} born?", "Where did {} die?")
_KOREAN_LIFE = tuple(
    f"{{}} {asked} {done}는가?" for asked in ("언제", "어디에서") for done in ("태어났", "죽었")
)
_ASKING = {
    "person": "Who is {}?", "place": "Where is {}?", "work": "What is {}?",
    "organisation": "What is {}?", "event": "What is {}?", "": "Who or what is {}?",
}  # fmt: skip
_ASKING_KOREAN = {"person": "{} 누구인가?", "place": "{} 어디에 있는가?"}


def write_questions(title: str, text: str) -> PassageQuestions:
    """The questions of the passage ``text``, which stands under ``title``.

    At most twelve that it answers and twelve that it raises; fewer or none where it names little.
    """
    plain = [_ASIDE.sub("", span.plain) for span in sentences(text)]
    topic = topic_title(title, text)
    topic = topic if key(topic) else ""
    if is_korean(text):
        answered, raised = _korean_answered(topic, text, plain), _korean_raised(topic, text)
    else:
        answered, raised = _english(topic, text, plain)
    incoming = _distinct(answered, [])
    return PassageQuestions(incoming=incoming, outgoing=_distinct(raised, incoming))


def _distinct(questions: Iterator[str], answered: list[str]) -> list[str]:
    """The first questions that differ from earlier ones in more than function words."""
    seen = {_gist(question) for question in answered}
    kept: list[str] = []
    for question in questions:
        if len(kept) < _MOST and _gist(question) not in seen:
            seen.add(_gist(question))
            kept.append(question.rstrip(" ?") + "?")
    return kept


def _gist(question: str) -> tuple[str, frozenset[str]]:
    word = question.partition(" ")[0]
    return ("" if word in {"Who", "What"} else word), frozenset(terms(question))


def _life(topic: str, text: str, asked: Sequence[str]) -> list[str]:
    told = zip(life_facts(text), asked, strict=True)
    return [question.format(topic) for fact, question in told if fact]


class _Mentioned(NamedTuple):
    """A name in sentence ``sentence`` of a passage that ends at character ``end`` of it."""

    sentence: int
    end: int
    type: str
    name: str


def _mentioned(topic: str, text: str) -> list[_Mentioned]:
    """The names but the topic's, longer ones first; a word that is met in small letters is none."""
    own = {*aliases(topic)} if topic else set[str]()
    small = frozenset(roots(" ".join(re.findall(r"\b[a-z]+\b", text))))
    whole = sentences(text)
    found: dict[str, _Mentioned] = {}
    for mention in find_mentions(topic, text):
        known = mention.key in {*own, *found} or any(mention.key in each.split() for each in own)
        plain = mention.text == mention.text.capitalize() and small.issuperset(roots(mention.text))
        named = mention.kind == "quoted" or (mention.kind == "name" and not plain)
        if named and not known and key(mention.text) and not is_demonym(mention.text):
            span = whole[mention.sentence]
            place = mention.start - span.start, mention.end - span.start
            type_ = type_of_name(mention.text, span.text, *place)
            type_ = "work" if mention.kind == "quoted" else type_
            article = "the " if text[: mention.start].lower().endswith("the ") else ""
            name = article + one_line(mention.text)
            found[mention.key] = _Mentioned(mention.sentence, mention.end, type_, name)
    return sorted(found.values(), key=lambda each: " " not in each.name.removeprefix("the "))


class _Topic(NamedTuple):
    """Topic of an English passage; ``noun`` is "bridge" in "the Dart is a long bridge"."""

    name: str
    called: str
    noun: str
    person: bool


def _english(name: str, text: str, plain: list[str]) -> tuple[Iterator[str], Iterator[str]]:
    defined = _DEFINED.search(plain[0]) if plain else None
    noun = defined[1] if defined else ""
    life = life_facts(text)
    person = type_of_noun(noun) == "person" or bool(life.birth or life.death)
    told = f"he {name}" in text and re.search(rf"\b[Tt]he {re.escape(name)}\b", text)
    article = "the " if told else ""
    topic = _Topic(name, article + name, noun, person)
    mentions = _mentioned(name, text)
    raised = (_ASKING.get(each.type, _ASKING[""]).format(each.name) for each in mentions)
    return _answered(topic, text, plain, mentions), raised


def _answered(
    topic: _Topic, text: str, plain: list[str], mentions: Sequence[_Mentioned]
) -> Iterator[str]:
    if topic.name:
        yield f"{'Who' if topic.person else 'What'} is {topic.called}?"
        yield from _life(topic.called, text, _LIFE) if topic.person else ()
    for number, sentence in enumerate(plain):
        said = _said(sentence, topic)
        other = _OTHER.match(_LEAD.sub("", sentence))
        named = [mention.name for mention in mentions if mention.sentence == number][:3]
        if said and _VERB.match(said):
            yield from _facts(topic, said)
        elif other and terms(other[1]) and (topic.name or not _OWN.match(other[1])):
            subject = _OWN.sub(f"{topic.called}'s ", other[1]).strip()
            subject = re.sub(r"^(?:The|An?) ", lambda match: match[0].lower(), subject)
            yield f"{other[2].capitalize()} {subject} {_clause(other[3])}?"
        elif topic.name and named:
            listed = " and ".join(filter(None, (", ".join(named[:-1]), named[-1])))
            yield f"How is {topic.called} connected with {listed}?"


def _said(sentence: str, topic: _Topic) -> str:
    """The rest of ``sentence`` after its subject; empty where that is not ``topic``."""
    sentence = _LEAD.sub("", sentence)
    subject = _SUBJECT.match(sentence)
    if not topic.name:
        return ""
    for called in (topic.called, topic.name.rpartition(" ")[2]):
        bare = sentence[len(called) :]
        if sentence.lower().startswith(called.lower()) and bare.startswith(" "):
            return bare.strip()
    if subject and subject["noun"]:
        fits = subject["noun"] in {topic.noun, topic.name.rpartition(" ")[2].lower()}
    else:
        fits = subject is not None and (subject.group() in {"He ", "She "}) == topic.person
    return sentence[subject.end() :] if subject and fits else ""


def _clause(said: str) -> str:
    return " ".join(re.split(r"[;:] | [—–-] ", said)[0].split()[:_LONGEST]).rstrip(" .!?,")


def _facts(topic: _Topic, said: str) -> Iterator[str]:
    """Questions who did it, when and where, and about all that is ``said``."""
    said = _clause(said)
    being = _BE.match(said)
    for by in _BY.finditer(said) if being else ():
        yield f"Who {PAST_OF.get(by[1], by[1])} {topic.called}?"
    for done in _DONE.finditer(said) if being else ():
        date = dates(said[done.end() :])
        asked = "When" if date and not date[0].start else "Where"
        be = being[1] if being and done.start() == being.end() else "was"
        yield f"{asked} {be} {topic.called} {done[1]}?"
    if len(terms(said)) > 1:
        rest = said.partition(" ")[2]
        who = "Who" if topic.person else "What"
        yield f"{being[1].capitalize()} {topic.called} {rest}?" if being else f"{who} {said}?"


_PRONOUN = re.compile(r"^(?:그|그녀|이|이것|그것|이곳|그곳)[는은가] ")
_HAS_TOPIC = re.compile(r"^(\S+(?: \S+){0,3}?)(?:은|는) ")
_KOREAN_DEFINED = re.compile(r"([가-힣]+?)(?:이다|이었다|였다|입니다|이며|이고)$")
_SHORTEST_KOREAN = 3  # most common nouns are shorter, most names are not
_PARTICLE = re.compile(r"(은|는|이|가|을|를|의|에|에서|에게|께|와|과)(?:는|도)?(?![가-힣])")


def _korean_raised(name: str, text: str) -> Iterator[str]:
    for _, end, type_, noun in _mentioned(name, text):
        particle = _PARTICLE.match(text, end)
        if type_ == "work" or (particle and len(noun) >= _SHORTEST_KOREAN):
            type_ = "person" if particle and particle[1] in {"에게", "께"} else type_
            yield _ASKING_KOREAN.get(type_, "{} 무엇인가?").format(with_particle(noun, "은"))


def _korean_answered(name: str, text: str, plain: list[str]) -> Iterator[str]:
    topic = with_particle(name, "은")
    if name:
        defined = _KOREAN_DEFINED.search(plain[0].rstrip(" .")) if plain else None
        person = bool(life_facts(text).death) or (defined and type_of_noun(defined[1]) == "person")
        yield f"{topic} {'누구' if person else '무엇'}인가?"
        yield from _life(topic, text, _KOREAN_LIFE)
    for sentence in plain:
        question = _korean_question(sentence.rstrip(" .!?"))
        bare = _PRONOUN.sub("", question)
        of_topic = bare != question or not _HAS_TOPIC.match(bare)
        if question and name and name not in question and of_topic:
            question = f"{topic} {bare}"
        if question:
            yield f"{question}?"


def _korean_question(clause: str) -> str:
    """The clause with the ending of a question, or nothing where its ending is not known."""
    if clause.endswith("니다") and final_sound(clause[-3:-2]) == BIEUP:
        return clause[:-2] + "니까"
    if re.search(rf"[{PAST_ENDS}없]다$", clause):
        return clause[:-1] + "는가"
    for ending, asking in (("이다", "인가"), ("아니다", "아닌가"), ("는다", "는가")):
        if clause.endswith(ending):
            return clause.removesuffix(ending) + asking
    present = clause.endswith("다") and final_sound(clause[-2:-1]) == NIEUN
    return clause[:-2] + chr(ord(clause[-2]) - NIEUN) + "는가" if present else ""
