"""Entities and relations of an English passage, read off names and the words between them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from ...language.analyser import sentences
from ...language.answer_types import countries, life_facts
from ...language.mentions import aliases, key
from ..questions.english import (
    ASIDE,
    LEAD,
    PARTICIPLE,
    PRONOUN,
    VERB,
    Topic,
    find_topic,
    nation,
)
from .entities import (
    Found,
    Link,
    Mark,
    Thing,
    life_of,
    marks_of,
    mentions_of,
    noun_phrases,
    type_of_name,
    type_of_noun,
)

_MOST_IN_SENTENCE = 16
_LONGEST_RELATION = 7
_PREPOSITIONS = (
    "about across after against along among around as at before between by during for from in into "
    "near of off on onto over since through throughout to toward towards under until upon with "
    "within without"
)
_PREPOSITION = re.compile(rf"\b(?:{'|'.join(_PREPOSITIONS.split())})\b")
_AUXILIARY = (
    r"(?:(?:is|was|are|were|be|been|has|had|have|will|would|can|could|may|might|did|does|do)"
    r"(?: not| also| [a-z]+ly)? )"
)
_GROUP = re.compile(
    rf"(?<![\w'’-])(?:{_AUXILIARY}+(?:{PARTICIPLE}|[a-z]+ing|born)"
    r"|(?:will|would|can|could|may|might|did|does|do)(?: not| also| [a-z]+ly)? [a-z]+"
    rf"|(?:is|was|are|were|has|had|have)|{_AUXILIARY}*(?:{PARTICIPLE}|born))(?![\w'’-])"
)
_PLAIN_VERB = re.compile(rf"(?:[a-z]+ly |also |then |later )*({VERB.pattern})")
_ING = re.compile(r"^,? ?((?!during|nothing|according)[a-z]{3,}ing)\b")
_LISTED = re.compile(r"(?:[\s,&/\"“”'‘’–-]|\b(?:and|or|as well as|both|the|an?|also|then)\b)*")
_RELATIVE = re.compile(r"^,? ?(?:(?:in|of|for|to|by|with|from) )?(?:who|which|that|whom|where)\b ?")
_OWNER = re.compile(r"^['’]s?(?= )")
_APPOSED = re.compile(r"^, (?=(?:an?|the) )")
_OPENS_CLAUSE = re.compile(
    r"(?:[;:,]|\b(?:and|but|while|when|where|after|before|because|although|as|that|until|if))"
    r"\s*(?:the )?$"
)
_CUT = re.compile(r"[;:,] |\b(?:and|but|while|although|because|where|so) (?=\S+ )")
_POSSESSED = re.compile(
    r"(?:The|Its|His|Her|Their|[Aa]n?) ((?:[\w'’-]+ ){1,6}?)(?=of )of (?:the )?$"
)
_ONLY_BE = re.compile(r"^((?:[\w'’&.-]+ ){1,6}?)(is|was|are|were)(?: the)?$")
_TRIM = re.compile(
    r"^(?:and |also |then |he |she |it |they )+"
    r"|(?:^| )(?:the|an?|and|or|his|her|its|their|d)$",
    re.IGNORECASE,
)
_PLACED = re.compile(r"\b(?:in|at|near|from) (?:the )?$")
_HE = re.compile(r"(?:[A-Z][^.;]{2,60} )?(?:[Hh]e|[Ss]he|His|Her) ")
_LEADS = re.compile(
    rf"(?:{'|'.join(word.capitalize() for word in _PREPOSITIONS.split())})(?: the| early| late)* "
)
_ACTIVE = re.compile(r"(?:^|\b(?:and|or|but|he|she|it|they|who|that|which)) (?:[a-z]+ly )?$")
_CONNECTED = "is connected with"
_LIFE = ("was born on", "died on", "was born in", "died in")


class _Subject(NamedTuple):
    """What a sentence is about; ``of`` it, its part: "first title" in "Its first title was"."""

    mark: Mark
    start: int
    of: str


def read_english(title: str, text: str) -> Found:
    """The things and relations of the passage ``text``, which stands under ``title``."""
    spans = sentences(text)
    whole = [" ".join(span.text.split()) for span in spans]
    plain = [ASIDE.sub("", sentence) for sentence in whole]
    topic = find_topic(title, whole, plain)
    if not topic.name:
        return Found([], [], whole)
    defining = _PREPOSITION.split(topic.definition)[0].split()[-1:]  # "bridge" in "bridge across"
    topic = topic._replace(noun="".join(defining).lower())
    about = Mark(0, 0, key(topic.name), topic.name, "name")
    own = {*aliases(topic.name), about.key}
    marks = [marks_of(span, some, own, about) for span, some in mentions_of(title, text, spans)]
    topic_type = _topic_type(topic, text)
    things = [Thing(about.key, topic.name, topic_type, 0, True)]
    links = []
    for relation, thing in (*life_of(text, _LIFE), *_nationality(topic)):
        things.append(thing)
        links.append(Link(about.key, relation, thing.key, 9.0))
    others = topic.kind != "person" or not _is_named(title, text)
    told, person = [], about
    for number, (span, some) in enumerate(zip(spans, marks, strict=True)):
        he = others and _HE.match(span.text)
        subject = _subject(span.text, some, topic, person if he else about)
        if not any(mark.key != subject.mark.key for mark in some):
            some = sorted([*some, *noun_phrases(span.text, subject.start)])
        for mark in some:
            kind = topic_type if mark.key == about.key else _type(mark, span.text)
            things.append(Thing(mark.key, mark.name, kind, number, mark.key == subject.mark.key))
            person = mark if mark.key == subject.mark.key and kind == "person" else person
        # Without a title nobody can tell what "it" is.
        if title or not PRONOUN.match(span.text):
            links += _links(span.text, some, subject, about)
        told.append(_named(whole[number], subject.mark.name) if title else whole[number])
    return Found(things, links, told)


def _is_named(title: str, text: str) -> bool:
    """Whether a name in the title is met outside of headings; without a title, yes."""
    body = re.sub(r"^#.*$", "", text, flags=re.MULTILINE)
    names = re.findall(r"\b[^\W\d_a-z][^\W_]{2,}", title)
    return not names or any(re.search(rf"\b{name}\b", body) for name in names)


def _topic_type(topic: Topic, text: str) -> str:
    life = life_facts(text)
    if topic.kind == "person" or (life.birth and life.death):
        return "person"
    # Capitals alone make a person of any name, and a title has nothing else around it.
    named = type_of_name(topic.name, topic.name, 0, len(topic.name))
    return type_of_noun(topic.noun) or (named if named != "person" else "")


def _type(mark: Mark, text: str) -> str:
    return type_of_name(mark.name, text, *mark[:2]) if mark.kind == "name" else mark.kind


def _subject(text: str, marks: list[Mark], topic: Topic, about: Mark) -> _Subject:
    """What the sentence is about; where its grammar does not tell, the passage's topic."""
    lead = LEAD.match(text)
    start = lead.end() if lead else 0
    if marks and not lead and _LEADS.fullmatch(text[: marks[0].start]):
        after = marks[0].end + (text[marks[0].end : marks[0].end + 1] == " ")
        start = after if len(marks) > 1 or PRONOUN.match(text, after) else start
    pronoun = PRONOUN.match(text, start)
    if pronoun:
        return _Subject(about, pronoun.end(), "its" if pronoun[2] else "")
    first = next((mark for mark in marks if mark.start >= start), None)
    if first:
        before = text[start : first.start]
        possessed = _POSSESSED.fullmatch(before)
        if possessed:
            return _Subject(first, first.end, possessed[1].strip())
        rest = ASIDE.sub("", text[first.end :]).lstrip(" ,\"'”’")
        owner = _OWNER.match(text[first.end :])
        if owner:
            return _Subject(first, first.end + owner.end() + 1, "its")
        if re.fullmatch(r",?\s?[\"“'‘]?(?:(?:The|An?|Sir|Dr|Mr|Mrs) ?)?(?:[a-z]+ ){0,2}", before):
            verbal = bool(_PLAIN_VERB.match(rest)) or first.key == about.key
            if verbal or not before.strip(" \"“'‘").partition(" ")[2]:
                return _Subject(first, first.end, "")
    noun = topic.noun or topic.name.rpartition(" ")[2].lower()
    own = re.match(rf"(?:The|This) (?:[a-z]+ )?{re.escape(noun)} ", text[start:])
    if own:
        return _Subject(about, start + own.end(), "")
    part = re.match(r"(?:The|Its?|His|Her|An?) (?=[a-z])", text[start:])
    return _Subject(about, start + part.end() if part else start, "its" if part else "")


def _links(text: str, marks: list[Mark], subject: _Subject, about: Mark) -> Iterator[Link]:
    """The relations of a sentence, at most one for each mention and a few inside clauses."""
    asides = [match.span() for match in ASIDE.finditer(text)]
    outside = [m for m in marks if not any(a <= m.start < b for a, b in asides)]
    yield from _in_asides(text, marks, outside, asides)
    after = [mark for mark in outside if mark.start >= subject.start][:_MOST_IN_SENTENCE]
    walked, head = _walk(text, after, subject)
    yield from walked
    for mark in [mark for mark in outside if mark.end <= subject.start]:
        if mark.key != subject.mark.key:
            lead = _preposition_before(text, mark)
            relation = f"{head} {lead}" if head and lead else _CONNECTED
            yield from _link(subject.mark, relation, mark, 5.0)
    reached = {about.key, *(mark.key for mark in marks)} - {subject.mark.key}
    if subject.mark.key != about.key and about.key in reached:
        yield from _link(about, _CONNECTED, subject.mark, 1.0)


def _walk(text: str, marks: list[Mark], subject: _Subject) -> tuple[list[Link], str]:
    """The relations from left to right, and the sentence's first verb."""
    found: list[Link] = []
    source, previous, at = subject.mark, subject.mark, subject.start
    part = subject.of
    head = first_head = relation = ""
    for place, mark in enumerate(marks):
        gap = " ".join(ASIDE.sub(" ", text[at : mark.start]).split(" "))
        gap = re.sub(r"\s+", " ", gap.strip("\"“”'‘ ") if not _OWNER.match(gap) else gap)
        closeness = max(1.0, 10 - 0.2 * len(text[subject.start : mark.start].split()))
        relative = _RELATIVE.match(gap) if previous is not subject.mark else None
        apposed = _APPOSED.match(gap) if previous is not subject.mark else None
        owner = _OWNER.match(gap) if place else None
        if owner:
            found += _link(previous, _has(gap[owner.end() :]), mark, closeness)
        elif _new_clause(text, gap, mark, place):
            found += _link(subject.mark, _CONNECTED, mark, 1.0)
            source, head, relation = mark, "", ""
        elif gap and not relation and not head and _LISTED.fullmatch(gap):
            found += _link(previous, _CONNECTED, mark, 3.0)
        elif relation and _LISTED.fullmatch(gap):
            if gap == "," and _contains(text, previous, mark, marks[place + 1 :]):
                found += _link(previous, "is in", mark, 8.0)
            found += _link(source, relation, mark, closeness)
        else:
            if relative:
                gap, source, head, part = gap[relative.end() :], previous, "", ""
            elif apposed and not _GROUP.search(gap.partition(" by")[0]):
                gap, source, head, part = "is " + gap[apposed.end() :], previous, "", ""
            elif gap in {"from", "of"} and previous.kind == "name" and place:
                source, head, part = previous, "is", ""
            elif source is not subject.mark and (_GROUP.search(gap) or _resumes(gap)):
                source, head = subject.mark, first_head
            relation, head = _phrase(gap, head, part)
            if mark.kind == "date" and relation in {"is", "was", "are", "were"}:
                relation = "dates from"
            relation = relation or _CONNECTED
            found += _link(source, relation, mark, closeness)
            part = ""
        first_head = first_head or head
        previous, at = mark, mark.end
    return found, first_head or _phrase(text[at:].strip(" ."), "", "")[1]


def _new_clause(text: str, gap: str, mark: Mark, place: int) -> bool:
    """Whether ``mark`` is the subject of a further clause: a verb comes next."""
    if not place or not _OPENS_CLAUSE.search(gap):
        return False
    after = ASIDE.sub("", text[mark.end :]).lstrip()
    return bool(re.match(r"(?:is|was|are|were|has|had|did|[a-z]+ed|won|made|wrote)\b", after))


def _resumes(gap: str) -> bool:
    return bool(re.match(r",? ?(?:and |but )?", gap) and _PLAIN_VERB.match(gap.lstrip(", ")))


def _contains(text: str, place: Mark, whole: Mark, rest: list[Mark]) -> bool:
    """Whether "in Bergen, Norway" names a place and what it is in, and not two of a list."""
    if place.kind != "name" or whole.kind != "name" or nation(place.name):
        return False
    if nation(whole.name) == "country":
        return True
    follows = text[whole.end : rest[0].start] if rest else ""
    return bool(_PLACED.search(text[: place.start])) and not _LISTED.fullmatch(follows or ".")


def _phrase(gap: str, head: str, part: str) -> tuple[str, str]:
    """The relation that the words before a name express, and the verb that may carry on.

    ``head`` is the verb so far; ``part``: what of the subject the words are about, if anything.
    """
    listed = gap.startswith(",")
    gap = _TRIM.sub("", gap.strip(" ,`"))
    only = _ONLY_BE.match(gap) if part == "its" else None
    if only:
        return _has(only[1]), f"{only[1]}{only[2]}"
    if part and part != "its":
        only = re.fullmatch(r"(is|was|are|were)(?: the)?", gap)
        if only:
            return _has(part), f"{part} {gap}"
        gap = f"{part} {gap}"
    groups = list(_GROUP.finditer(gap))
    plain = None if groups else _PLAIN_VERB.match(gap) or _ING.match(gap)
    if not groups and not plain:
        return _verbless(gap, head)
    start, end = groups[-1].span() if groups else plain.span(1) if plain else (0, 0)
    verb = gap[start:end].strip()
    if part:
        return _compressed(gap, verb), verb
    passive = (
        re.fullmatch(PARTICIPLE, verb) and (start or listed) and not _ACTIVE.search(gap[:start])
    )
    if (passive and _PREPOSITION.match(gap[end:].strip())) or gap[end:].strip() == "by":
        verb = verb if re.match(_AUXILIARY, verb) else f"was {verb}"
    return _compressed(verb + gap[end:], verb), verb


def _verbless(gap: str, head: str) -> tuple[str, str]:
    """The relation without a verb of its own: "on" after "was born in" as "was born on"."""
    words = _short(gap, 3)
    if head:
        return _short(f"{head} {words}", _LONGEST_RELATION), head
    near = _PREPOSITION.match(words) and len(words.split()) < 4
    return (f"is {words}" if near else ""), ""


def _has(noun_phrase: str) -> str:
    words = re.sub(r"^(?:the|its|his|her|their) ", "", noun_phrase.strip(" ,").lower())
    return f"has the {words}" if words else "has"


def _compressed(relation: str, head: str) -> str:
    """At most seven words: the verb, and the last words from a preposition on."""
    words = _TRIM.sub("", relation.strip(" ,\"“'‘")).split()
    if len(words) <= _LONGEST_RELATION:
        return " ".join(words)
    return f"{head} {_short(' '.join(words), 4)}"


def _short(phrase: str, most: int) -> str:
    """The last ``most`` words of ``phrase`` at most, from a preposition on if there is one."""
    pieces = _CUT.split(_TRIM.sub("", phrase.strip(" ,\"“'‘")))
    words = (pieces[-1] or phrase).split()
    if len(words) <= most:
        return " ".join(words)
    words = words[-most:]
    starts = [place for place, word in enumerate(words) if _PREPOSITION.fullmatch(word)]
    if len(starts) > 1 and words[-1] == "of":
        return " ".join(words[starts[-2] :])
    return " ".join(words[starts[-1] if starts else 0 :])


def _preposition_before(text: str, mark: Mark) -> str:
    match = re.search(r"([A-Za-z]+)(?: the)? ?[\"“]?$", text[: mark.start])
    word = match[1].lower() if match else ""
    return word if _PREPOSITION.fullmatch(word) else ""


def _in_asides(
    text: str, marks: list[Mark], outside: list[Mark], asides: list[tuple[int, int]]
) -> Iterator[Link]:
    """What stands in brackets belongs to the name before them."""
    for start, end in asides:
        owner = next((mark for mark in reversed(outside) if mark.end <= start), None)
        for mark in marks:
            if owner and start <= mark.start < end and mark.kind != "date":
                words = re.search(
                    r"((?:[a-z]+ ){1,3}(?:as|by|of|in|to))[^\w]*$", text[start : mark.start]
                )
                yield from _link(owner, f"is {words[1]}" if words else "is linked with", mark, 3.0)


def _nationality(topic: Topic) -> Iterator[tuple[str, Thing]]:
    """The country of a topic that is "a Norwegian painter"."""
    for span, country in countries(topic.definition):
        if span.text != country:
            yield "is from", Thing(key(country), country, "place", 0, False)


def _link(source: Mark, relation: str, target: Mark, strength: float) -> Iterator[Link]:
    if source.key != target.key:
        weight = 0.2 if relation == _CONNECTED else 0.6 if target.kind == "number" else 1.0
        relation = " ".join(_TRIM.sub("", re.sub(r"[^\w\s'’%.-]+", " ", relation)).split())
        strength = round(max(1.0, strength * weight), 1)
        yield Link(source.key, relation or _CONNECTED, target.key, strength)


def _named(sentence: str, name: str) -> str:
    """The sentence with its opening pronoun replaced by the name it stands for."""
    pronoun = PRONOUN.match(sentence)
    if not pronoun:
        return sentence
    return f"{name}{' ' if pronoun[1] else '’s '}{sentence[pronoun.end() :]}"
