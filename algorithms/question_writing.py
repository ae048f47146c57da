"""Questions that a passage answers and questions that it raises, by rules of grammar.

The offline counterpart of HopRAG's question prompts. A question about a name is worded the same
way in the passage that is about it and in those that only mention it, so that the two meet.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Literal, NamedTuple

from .answer_types import countries, dates, life_facts, name_spans, names, quoted_names
from .question_writing_korean import write_korean
from .questions import analyse_question
from .text import STOP_WORDS, content_words, is_korean, sentences, terms

Kind = Literal["person", "place", "thing"]

_MOST = 12
_LEAST_INCOMING = 2
_LEAST_OUTGOING = 4
_LONGEST = 30


class WrittenQuestions(NamedTuple):
    """``incoming`` are answered by the passage alone, ``outgoing`` raised by it, best first."""

    incoming: tuple[str, ...]
    outgoing: tuple[str, ...]


class _Topic(NamedTuple):
    """What a passage is about; "``name`` ``be`` a ``noun``" (Red Kite is a film)."""

    name: str
    kind: Kind
    be: str
    noun: str
    article: str

    @property
    def called(self) -> str:
        return self.article + self.name

    @property
    def who(self) -> str:
        return "Who" if self.kind == "person" else "What"


class _Clause(NamedTuple):
    """A sentence as its subject and what is said of it; ``on_topic``: it is the passage's."""

    subject: str
    said: str
    on_topic: bool


class _Mention(NamedTuple):
    """A name in a passage; ``prefix`` is an article or a role ("the director ")."""

    name: str
    kind: Kind
    prefix: str
    rank: float


_PAST_OF = dict(
    entry.split(":")
    for entry in """written:wrote sung:sang drawn:drew begun:began given:gave taken:took
    shown:showed known:knew driven:drove overseen:oversaw become:became gone:went come:came grown:grew seen:saw
    done:did chosen:chose spoken:spoke broken:broke run:ran made:made built:built led:led held:held
    won:won sold:sold taught:taught bought:bought lost:lost cut:cut sent:sent paid:paid found:found
    fought:fought shot:shot brought:brought set:set told:told left:left met:met""".split()
)
_DOER_OF = {"written": "writer", "sung": "singer", "led": "leader", "won": "winner"}
_PASTS = frozenset(_PAST_OF.values())
_PARTICIPLE = rf"(?:[a-z]{{2,}}ed|{'|'.join(_PAST_OF)}|born|put)"
_BY = re.compile(rf"\b({_PARTICIPLE}(?:,? and (?:[a-z]+ly )?{_PARTICIPLE})?) by\b")
_DONE = re.compile(rf"\b({_PARTICIPLE}) (?:[a-z]+ ){{0,3}}?(in|on|at|near) (?:the )?(?=[\dA-Z])")
_NOT_PASSIVE = re.compile(r"(?:\b(?:and|or|he|she|it|they|has|have|had)|[A-Z]\w*) $")
_DEFINED = re.compile(
    r"\b(is|was|are|were) (?:an?|the|one of the) (.+?)"
    rf"(?=[,.;:]|$| (?:{_PARTICIPLE} (?:by|in|on|at|from|to|as|for)|in|of|on|at|by|for|from|with|"
    r"to|and|or|near|about|located|starring|featuring|that|which|who|whose|where)\b)"
)
_PRONOUN = re.compile(r"(?:(he|she|it|they)|(his|her|its|their)) (?=\S)", re.IGNORECASE)
_ASIDE = re.compile(r"\s*(?:[(\[][^()\[\]]*[)\]]|/[^/]{2,40}/)")
_LEAD = re.compile(
    r"(?:In|On|At|After|Before|Since|During|By|From|Between|Until|Under|As|For) [^,]{2,60}, "
)
_ADVERB = re.compile(r"^(?:(?:also|then|later|now|soon|still|often|only|once|[a-z]+ly) )+")
_APPOSITIVE = re.compile(r"^,(?! (?:and|or) )[^,]{2,90}, (?=[a-z])")
_BEING = r"(?=(?:is|was|are|were) )"
_NOUN_PHRASE = re.compile(
    rf"(?:The|A|An|This|These) (?:(?!(?:what|which|that|who|has|had|{'|'.join(sorted(_PASTS))})\b)"
    rf"[\w'’&.-]+ ){{1,8}}?(?<! and ){_BEING}"
)
_OWNED = re.compile(rf"([a-z0-9][\w -]{{2,40}}?) {_BEING}")
_RELATIVE = re.compile(r",? (?:who|whom|whose|which|that|where|when|while|because|although|but)\b")
_END = re.compile(r"[;:]| [—–-] ")
_AUXILIARIES = frozenset("is was are were has had have did does can could will would".split())
_INVERTED = frozenset("is was are were can could will would".split())
_PLACED = re.compile(r"\b(?:in|at|near|from|to|into|outside|around|across) (?:the )?$")
_FOLLOW_UPS: dict[Kind, tuple[str, ...]] = {
    "person": (
        "Who is {}?",
        "Where was {} born?",
        "When was {} born?",
        "What is {} known for?",
    ),
    "place": (
        "Where is {}?",
        "What is {} known for?",
        "What is the history of {}?",
        "How many people live in {}?",
    ),
    "thing": (
        "What is {}?",
        "What is {} known for?",
        "What is the origin of {}?",
        "Who is connected with {}?",
    ),
}


def write_questions(title: str, text: str) -> WrittenQuestions:
    """The questions of the passage ``text``, English or Korean, which stands under ``title``.

    At least two in-coming ones where the text has a content word, and at least four out-coming
    ones where it mentions anything; at most twelve of each.
    """
    title, text = " ".join(title.split()), " ".join(text.split())
    write = write_korean if is_korean(text) else _write_english
    incoming, outgoing = write(title, text)
    answered = _first_distinct(incoming, ())
    return WrittenQuestions(answered, _first_distinct(outgoing, answered))


def _first_distinct(questions: Iterable[str], answered: tuple[str, ...]) -> tuple[str, ...]:
    """The first questions with different terms, without those that are ``answered``."""
    seen = {_gist(question) for question in answered}
    kept: list[str] = []
    for question in questions:
        gist = _gist(question)
        if gist not in seen and len(kept) < _MOST:
            seen.add(gist)
            kept.append(question)
    return tuple(kept)


def _gist(question: str) -> tuple[str, frozenset[str]]:
    word = question.partition(" ")[0]
    return ("" if word in {"Who", "What"} else word), frozenset(terms(question))


def _write_english(title: str, text: str) -> tuple[Iterable[str], Iterable[str]]:
    whole = [span.text for span in sentences(text)]
    plain = [_ASIDE.sub("", sentence) for sentence in whole]
    topic = _topic(title, text, plain)
    clauses = [_clause(sentence, topic) for sentence in plain]
    incoming = [*_incoming(topic, text, plain, clauses)]
    if len(incoming) < _LEAST_INCOMING:
        incoming += _fallback(text)
    return incoming, _outgoing(_mentions(topic, whole, clauses), text)


def _topic(title: str, text: str, plain: list[str]) -> _Topic:
    """What the passage is about: its title without an explanation in parentheses."""
    name = re.sub(r"\s*\([^()]*\)$", "", title) or next((s.text for s in name_spans(text)), "")
    defined = _DEFINED.search(plain[0]) if plain else None
    noun = defined[2].rpartition(" ")[2].lower() if defined else ""
    kind = _kind_of(noun) if noun else "thing"
    openers = {m[0].strip().lower() for m in map(_PRONOUN.match, plain) if m}
    personal = openers & {"he", "she", "his", "her"} and "it" not in openers
    if kind == "thing" and (personal or re.search(r"\((?:[^()]*\W)?born\b", text[:300])):
        kind = "person"
    be = re.search(r"\b(is|was|are|were)\b", plain[0]) if defined else None
    article = "the " if name and re.search(rf"\b[Tt]he {re.escape(name)}\b", text) else ""
    return _Topic(name, kind, be[1] if be else "is", noun, article)


@lru_cache(maxsize=10_000)
def _kind_of(noun: str) -> Kind:
    """The kind of thing that is asked for by "which ``noun``"."""
    kind = analyse_question(f"Which {noun} is it?").answer_type
    return kind if kind == "person" or kind == "place" else "thing"


def _clause(sentence: str, topic: _Topic) -> _Clause | None:
    """The subject of ``sentence`` and what is said of it, or None where that is not plain."""
    sentence = _LEAD.sub("", sentence)
    sentence = sentence[:1].upper() + sentence[1:]
    pronoun = _PRONOUN.match(sentence)
    if pronoun:
        rest = sentence[pronoun.end() :]
        owned = _OWNED.match(rest) if pronoun[2] else None
        if owned:
            return _said(f"the {owned[1]} of {topic.called}", rest[owned.end() :], False)
        return _said(topic.called, rest, True) if pronoun[1] else None
    title = rf"[\"“'‘]?(?:The )?{re.escape(topic.name)}(?!\w)[\"”'’]?"
    opening = re.match(title, sentence, re.IGNORECASE)
    if opening and topic.name:
        return _said(topic.called, sentence[opening.end() :], True)
    if topic.noun and sentence.startswith(f"The {topic.noun} "):
        return _said(topic.called, sentence[len(topic.noun) + 5 :], True)
    phrase = _NOUN_PHRASE.match(sentence)
    if phrase:
        return _said(_own(phrase.group().strip(), topic), sentence[phrase.end() :], False)
    name = next(iter(name_spans(sentence)), None)
    if name and name.start in (0, 4 * sentence.startswith("The ")):
        shared = not set(terms(name.text)).isdisjoint(terms(topic.name))
        return _said(topic.called if shared else name.text, sentence[name.end :], shared)
    return None


def _own(phrase: str, topic: _Topic) -> str:
    """A noun phrase that can stand alone: "the director" as "the director of Red Kite"."""
    phrase = phrase[0].lower() + phrase[1:]
    if topic.noun and re.search(rf"\bthe {re.escape(topic.noun)}\b", phrase):
        return re.sub(rf"\bthe {re.escape(topic.noun)}\b", lambda _: topic.called, phrase, count=1)
    return phrase if name_spans(phrase) or not topic.name else f"{phrase} of {topic.called}"


def _said(subject: str, rest: str, on_topic: bool) -> _Clause | None:
    """The clause, if ``rest`` begins with a verb as far as one can tell."""
    said = _ADVERB.sub("", _APPOSITIVE.sub("", rest).lstrip())
    verb = re.match(r"[a-z]+", said)
    finite = verb and (
        verb.group() in _AUXILIARIES
        or verb.group() in _PASTS
        or (verb.group() not in STOP_WORDS and re.search(r"(?:[^s]s|ed)$", verb.group()))
    )
    return _Clause(subject, said.rstrip(" .!?,"), on_topic) if finite else None


def _incoming(
    topic: _Topic, text: str, plain: list[str], clauses: list[_Clause | None]
) -> Iterator[str]:
    """Questions that the passage answers."""
    stated = [clause for clause in clauses if clause]
    named = not set(terms(topic.name)).isdisjoint(terms(text))
    if topic.name and (named or any(clause.on_topic for clause in stated)):
        yield f"{topic.who} {topic.be} {topic.called}?"
    if topic.kind == "person":
        yield from _life(topic, text)
    for clause in stated:
        yield from _facts(clause)
    for sentence, clause in zip(plain, clauses, strict=True):
        yield from _whole(clause, topic) if clause else _connection(sentence, topic)


def _connection(sentence: str, topic: _Topic) -> Iterator[str]:
    """What the names in a sentence have to do with the topic, or with each other."""
    found = [m.name for m in _names_in(sentence, False, 0)]
    others = [name for name in dict.fromkeys(found) if not _is_topic(name, topic)][:4]
    first = topic.called or (others.pop(0) if others else "")
    if first and others:
        listed = " and ".join(filter(None, (", ".join(others[:-1]), others[-1])))
        yield f"What has {first} to do with {listed}?"


def _fallback(text: str) -> Iterator[str]:
    """Questions about a text in which no clause could be made out."""
    named = [span.text for span in name_spans(text)]
    for thing in [*named, *sorted(content_words(text), key=len, reverse=True)][:1]:
        yield f"What is known about {thing}?"
        yield f"How can one describe {thing}?"


def _life(topic: _Topic, text: str) -> Iterator[str]:
    life = life_facts(text)
    asked = ("When was {} born?", "When did {} die?", "Where was {} born?", "Where did {} die?")
    for fact, question in zip(life, asked, strict=True):
        if fact:
            yield question.format(topic.called)


def _facts(clause: _Clause) -> Iterator[str]:
    """Who did it, when and where, from the participles of one clause."""
    said = _RELATIVE.split(_END.split(clause.said, maxsplit=1)[0], maxsplit=1)[0]
    being = re.match(r"(is|was|are|were) ", said)
    if not being:
        return
    for by in _BY.finditer(said):
        deed = _past(by[1])
        if deed:
            yield f"Who {deed} {clause.subject}?"
    for done in _DONE.finditer(said):
        if _NOT_PASSIVE.search(said[: done.start()]):
            continue
        date = dates(said[done.end() :])
        dated = date and not date[0].start
        be = being[1] if done.start() == being.end() else "was" if dated else "is"
        yield f"{'When' if dated else 'Where'} {be} {clause.subject} {done[1]}?"
    if not clause.on_topic:
        yield f"{_who(clause.subject)} {being[1]} {clause.subject}?"


def _who(subject: str) -> str:
    words = subject.split()
    return "Who" if 2 <= len(words) <= 3 and all(word[0].isupper() for word in words) else "What"


def _past(participles: str) -> str:
    """ "written and directed" as "wrote and directed"; empty for "born"."""
    words = participles.split()
    if "born" in words or "put" in words:
        return ""
    return " ".join(_PAST_OF.get(word, word) for word in words)


def _doer(participles: str) -> str:
    """The noun for who does it: "directed" as "director"; empty where there is no usual one."""
    word = participles.split()[0].strip(",")
    guesses = (_DOER_OF.get(word, ""), word[:-2] + "or", word[:-2] + "er")
    return next((noun for noun in guesses if noun and _kind_of(noun) == "person"), "")


def _whole(clause: _Clause, topic: _Topic) -> Iterator[str]:
    """All that the clause says, asked of its subject, where it says something particular."""
    said = " ".join(_END.split(clause.said, maxsplit=1)[0].split()[:_LONGEST]).rstrip(" ,.")
    if len(terms(said)) < 2 or not (name_spans(said) or dates(said)):
        return
    verb, _, rest = said.partition(" ")
    who = topic.who if clause.on_topic else _who(clause.subject)
    if verb in _INVERTED:
        yield f"{verb.capitalize()} {clause.subject} {rest}?"
    else:
        be = topic.be if clause.on_topic else "is"
        yield f"{who} {be} {clause.subject}, {'who' if who == 'Who' else 'which'} {said}?"


def _mentions(topic: _Topic, whole: list[str], clauses: list[_Clause | None]) -> list[_Mention]:
    """The other names in the passage, the most telling first."""
    found: dict[str, _Mention] = {}
    for number, (sentence, clause) in enumerate(zip(whole, clauses, strict=True)):
        for mention in _names_in(sentence, clause is None or clause.on_topic, number):
            known = found.get(mention.name)
            if not known or known.rank < mention.rank:
                found[mention.name] = mention
    people = [m.name.split() for m in found.values() if m.kind == "person"]
    if topic.kind == "person":
        people.append(topic.name.split())
    kept = [
        mention
        for mention in found.values()
        if not _is_topic(mention.name, topic) and not _is_short_for(mention.name, people)
    ]
    return sorted(kept, key=lambda mention: -mention.rank)


def _is_topic(name: str, topic: _Topic) -> bool:
    """Whether ``name`` is the topic's, shortened or, for a person, with more first names."""
    if topic.kind == "person" and set(topic.name.split()) <= set(name.split()):
        return True
    return name in re.split(r",| of | in ", topic.name, maxsplit=1)[0] or name == topic.name


def _is_short_for(name: str, people: list[list[str]]) -> bool:
    """Whether ``name`` is the first or last part of a longer one among ``people``."""
    words = name.split()
    return any(
        len(words) < len(person)
        and (words == person[: len(words)] or words == person[-len(words) :])
        for person in people
    )


def _names_in(sentence: str, on_topic: bool, number: int) -> Iterator[_Mention]:
    people = {c.start: c.prior for c in names(sentence, "person", "")}
    quoted = [name.rstrip(".,;:!?") for name in quoted_names(sentence) if _is_titled(name)]
    role, end = "", 0
    for span in name_spans(sentence):
        before, end = sentence[end : span.start], span.end
        if not re.fullmatch(r"(?:,| and| &|\s)+", before):
            by = _BY.search(before)
            role = _doer(by[1]) if by and on_topic else ""
        if (span.start == 0 and " " not in span.text) or any(span.text in q for q in quoted):
            continue
        for name in re.split(r"['’]s ", span.text):
            if not _is_demonym(name) and re.search(r"[^\W\d]", name):
                person = people.get(span.start, 0.0) if name == span.text else 0.0
                kind = _mention_kind(name, before, person)
                rank = 2 * bool(role) + (" " in name) - 2 * _is_country(name) - number / 30
                yield _Mention(name, kind, _prefix(kind, role, before), rank)
    for name in quoted:
        yield _Mention(name, "thing", "", 1 - number / 30)


def _prefix(kind: Kind, role: str, before: str) -> str:
    if role and kind == "person":
        return f"the {role} "
    return "the " if re.search(r"\b[Tt]he $", before) else ""


def _mention_kind(name: str, before: str, person: float) -> Kind:
    if _is_country(name) or _kind_of(name.rpartition(" ")[2].lower()) == "place":
        return "place"
    if person < 0.7 and _PLACED.search(before):
        return "place" if person else "thing"
    particular = re.search(r"\b(?:[Tt]he|an?) $", before)
    return "person" if person >= 0.5 and not particular else "thing"


def _is_titled(quoted: str) -> bool:
    """Whether quoted words look like a title: few, the first and the last capitalised."""
    words = quoted.split()
    return len(words) < 9 and all(word[:1].isupper() for word in words[:1] + words[-1:])


def _is_country(name: str) -> bool:
    return any(span.text == name for span, _ in countries(name))


def _is_demonym(name: str) -> bool:
    """Whether ``name`` is an adjective of a country, such as "Norwegian"."""
    found = countries(name)
    return any(span.text == name != country for span, country in found) and not name.isupper()


def _outgoing(mentions: list[_Mention], text: str) -> Iterator[str]:
    """Questions about what the passage mentions: one for each name, then more of each."""
    asked = 0
    for turn in range(4):
        for mention in mentions if asked < _LEAST_OUTGOING else ():
            asked += 1
            yield _FOLLOW_UPS[mention.kind][turn].format(mention.prefix + mention.name)
    longest = sorted(dict.fromkeys(content_words(text)), key=len, reverse=True)
    for thing in longest[:_LEAST_OUTGOING] if not mentions else ():
        yield f"What is {thing}?"
