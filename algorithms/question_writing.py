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
from .text import STOP_WORDS, Span, content_words, is_korean, sentences, terms

Kind = Literal["person", "place", "thing"]

_MOST = 12
_LEAST_INCOMING = 2


class WrittenQuestions(NamedTuple):
    """``incoming`` are answered by the passage alone, ``outgoing`` raised by it, best first."""

    incoming: tuple[str, ...]
    outgoing: tuple[str, ...]


class _Topic(NamedTuple):
    """What a passage is about; ``be`` is "is", "was", "are" or "were"."""

    name: str
    kind: Kind
    be: str

    @property
    def who(self) -> str:
        return "Who" if self.kind == "person" else "What"


class _Clause(NamedTuple):
    """A sentence as its subject and what is said of it; ``on_topic``: it is the passage's."""

    subject: str
    said: str
    on_topic: bool


class _Mention(NamedTuple):
    """A name in a passage; ``deed`` is what its bearer did to the topic ("directed Red Kite")."""

    name: str
    kind: Kind
    deed: str
    rank: float


_PAST_OF = dict(
    pair.split(":")
    for pair in """written:wrote sung:sang drawn:drew begun:began given:gave taken:took shown:showed
    made:made built:built led:led held:held won:won sold:sold taught:taught bought:bought run:ran
    known:knew broken:broke chosen:chose driven:drove spoken:spoke stolen:stole lost:lost cut:cut
    sent:sent paid:paid found:found fought:fought shot:shot brought:brought set:set told:told
    overseen:oversaw""".split()
)
_PARTICIPLE = r"(?:[a-z]{2,}ed|" + "|".join(_PAST_OF) + r"|born|put)"
_BY = re.compile(rf"\b({_PARTICIPLE}(?:,? and (?:[a-z]+ly )?{_PARTICIPLE})?) by\b")
_DONE = re.compile(rf"\b({_PARTICIPLE}) (?:[a-z]+ ){{0,3}}?(in|on|at|near) (?:the )?(?=[\dA-Z])")
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
_NOUN_PHRASE = re.compile(r"(?:The|A|An|This|These) [^,;:]{2,60}? (?=(?:is|was|are|were) )")
_END = re.compile(
    r"[;:]|,? (?:who|whom|whose|which|that|where|when|while|because|although|but)\b| [—–-] "
    r"|, (?:and|with|[a-z]+ing)\b"
)
_AUXILIARIES = frozenset("is was are were has had have did does can could will would".split())
_FOLLOW_UPS: dict[Kind, tuple[str, ...]] = {
    "person": (
        "Who {be} {x}?",
        "Where was {x} born?",
        "When was {x} born?",
        "What is {x} known for?",
    ),
    "place": (
        "Where is {x}?",
        "What is {x} known for?",
        "What is the history of {x}?",
        "How many people live in {x}?",
    ),
    "thing": ("What is {x}?", "Who made {x}?", "Where is {x} from?", "When did {x} begin?"),
}


def write_questions(title: str, text: str) -> WrittenQuestions:
    """The questions of the passage ``text``, English or Korean, which stands under ``title``.

    At least two in-coming ones where the text has a content word, and at least four out-coming
    ones where it mentions anything; at most twelve of each.
    """
    title, text = " ".join(title.split()), text.strip()
    if is_korean(text):
        incoming, outgoing = write_korean(title, text)
    else:
        incoming, outgoing = _write_english(title, text)
    answered = _first_distinct(incoming, ())
    return WrittenQuestions(answered, _first_distinct(outgoing, answered))


def _first_distinct(questions: Iterable[str], answered: tuple[str, ...]) -> tuple[str, ...]:
    """The first questions with different terms, without those that are ``answered``."""
    seen = {(question.split()[0], frozenset(terms(question))) for question in answered}
    kept: list[str] = []
    for question in questions:
        key = (question.split()[0], frozenset(terms(question)))
        if key not in seen and len(kept) < _MOST:
            seen.add(key)
            kept.append(question)
    return tuple(kept)


def _write_english(title: str, text: str) -> tuple[Iterable[str], Iterable[str]]:
    spans = [Span(s.start, s.end, " ".join(s.text.split())) for s in sentences(text)]
    plain = [_ASIDE.sub("", span.text) for span in spans]
    topic = _topic(title, text, plain)
    clauses = [_clause(sentence, topic) for sentence in plain]
    incoming = list(_incoming(topic, text, plain, clauses))
    mentions = _mentions(topic, plain, clauses)
    return incoming, _outgoing(topic, mentions, plain)


def _topic(title: str, text: str, plain: list[str]) -> _Topic:
    """What the passage is about: its title without an explanation in parentheses."""
    name = re.sub(r"\s*\([^()]*\)$", "", title) or next((s.text for s in name_spans(text)), "")
    first = plain[0] if plain else ""
    defined = _DEFINED.search(first)
    kind = _kind_of(defined[2].rpartition(" ")[2].lower()) if defined else "thing"
    openers = {m[0].strip().lower() for m in map(_PRONOUN.match, plain) if m}
    if kind == "thing" and openers & {"he", "she", "his", "her"} and "it" not in openers:
        kind = "person"
    if kind == "thing" and re.search(r"\((?:[^()]*\W)?born\b", text[:300]):
        kind = "person"
    return _Topic(name, kind, defined[1] if defined else "is")


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
    if pronoun and pronoun[1] and topic.name:
        return _said(topic.name, sentence[pronoun.end() :], True)
    if pronoun and topic.name:
        owned = re.match(r"([a-z][\w -]{2,40}?) (?=(?:is|was|are|were) )", sentence[pronoun.end() :])
        return _said(f"the {owned[1]} of {topic.name}", sentence[pronoun.end() :][owned.end() :], False) if owned else None
    bare = sentence.removeprefix("The ")
    if topic.name and bare.lower().startswith(topic.name.lower().removeprefix("the ")):
        length = len(sentence) - len(bare) + len(topic.name.lower().removeprefix("the "))
        if not sentence[length : length + 1].isalnum():
            return _said(topic.name, sentence[length:], True)
    phrase = _NOUN_PHRASE.match(sentence)
    name = next(iter(name_spans(sentence)), None)
    if phrase:
        subject = phrase.group().strip()
        return _said(subject[0].lower() + subject[1:], sentence[phrase.end() :], False)
    if name and name.start in (0, len(sentence) - len(bare)):
        shared = not set(terms(name.text)).isdisjoint(terms(topic.name))
        return _said(topic.name if shared else name.text, sentence[name.end :], shared)
    return None


def _said(subject: str, rest: str, on_topic: bool) -> _Clause | None:
    """The clause, if ``rest`` begins with a verb as far as one can tell."""
    said = _ADVERB.sub("", _APPOSITIVE.sub("", rest).lstrip())
    verb = re.match(r"[a-z]+", said)
    if not verb or (verb.group() in STOP_WORDS and verb.group() not in _AUXILIARIES):
        return None
    return _Clause(subject, said.rstrip(" .!?\"”'"), on_topic)


def _incoming(
    topic: _Topic, text: str, plain: list[str], clauses: list[_Clause | None]
) -> Iterator[str]:
    """Questions that the passage answers."""
    known = [clause for clause in clauses if clause]
    if topic.name and (any(c.on_topic for c in known) or _names_topic(topic, text)):
        yield f"{topic.who} {topic.be} {topic.name}?"
    if topic.kind == "person":
        yield from _life(topic, text)
    for clause in known:
        yield from _facts(clause, topic)
    for clause in known:
        yield from _subject_question(clause, topic)
    names_ = [span.text for sentence in plain for span in name_spans(sentence)]
    words = sorted(dict.fromkeys(content_words(text)), key=len, reverse=True)
    for name in [*names_, *words][:_LEAST_INCOMING] if len(known) < _LEAST_INCOMING else ():
        yield f"What is known about {name}?"
        yield f"How is {name} described?"


def _names_topic(topic: _Topic, text: str) -> bool:
    return not set(terms(topic.name)).isdisjoint(terms(text))


def _life(topic: _Topic, text: str) -> Iterator[str]:
    life = life_facts(text)
    for fact, question in zip(
        life,
        ("When was {} born?", "When did {} die?", "Where was {} born?", "Where did {} die?"),
        strict=True,
    ):
        if fact:
            yield question.format(topic.name)


def _facts(clause: _Clause, topic: _Topic) -> Iterator[str]:
    """Who, when, where and what of one clause."""
    said = _END.split(clause.said, maxsplit=1)[0] if not clause.on_topic else clause.said
    said = re.split(r",? (?:who|whom|whose|which|that|where|when)\b", said, maxsplit=1)[0]
    passive = re.match(r"(is|was|are|were) ", said)
    be = "was" if not passive else passive[1]
    if not clause.on_topic and not passive:
        return
    for by in _BY.finditer(said):
        deed = _past(by[1])
        if deed:
            yield f"Who {deed} {clause.subject}?"
    for done in _DONE.finditer(said):
        date = dates(said[done.end() :])
        if date and not date[0].start:
            yield f"When {be} {clause.subject} {done[1]}?"
        elif not done[0].endswith("on "):
            yield f"Where {be} {clause.subject} {done[1]}?"
    if not clause.on_topic and passive:
        yield f"{'Who' if clause.subject.istitle() else 'What'} {be} {clause.subject}?"


def _past(participles: str) -> str:
    """ "written and directed" as "wrote and directed"; empty for "born"."""
    words = [_PAST_OF.get(word, word) for word in participles.split()]
    return "" if "born" in words or "put" in words else " ".join(words)


def _subject_question(clause: _Clause, topic: _Topic) -> Iterator[str]:
    """The clause with its subject asked for, where it says something particular."""
    said = " ".join(_END.split(clause.said, maxsplit=1)[0].split()[:20]).rstrip(" ,.")
    if len(terms(said)) > 1 and (name_spans(said) or dates(said)):
        who = topic.who if clause.on_topic else "Who or what"
        yield f"{who} {said}?"


def _mentions(
    topic: _Topic, plain: list[str], clauses: list[_Clause | None]
) -> list[_Mention]:
    """The other names in the passage, the most telling first."""
    found: dict[str, _Mention] = {}
    own = set(terms(topic.name))
    for number, (sentence, clause) in enumerate(zip(plain, clauses, strict=True)):
        for mention in _names_in(sentence, topic, clause is None or clause.on_topic, number):
            if not own.issuperset(terms(mention.name)):
                known = found.get(mention.name)
                found[mention.name] = max(known, mention, key=lambda m: m.rank) if known else mention
    whole = [f" {name} " for name in found]
    kept = [m for m in found.values() if sum(f" {m.name} " in name for name in whole) == 1]
    return sorted(kept, key=lambda mention: -mention.rank)


def _names_in(sentence: str, topic: _Topic, on_topic: bool, number: int) -> Iterator[_Mention]:
    people = {c.start: c.prior for c in names(sentence, "person", "")}
    places = {c.start: c.prior for c in names(sentence, "place", "")}
    deed, end = "", 0
    for span in name_spans(sentence):
        between, end = sentence[end : span.start], span.end
        if not re.fullmatch(r"(?:,| and| &|\s)+", between):
            by = _BY.search(between) if on_topic else None
            deed = _past(by[1]) if by else ""
        if (span.start == 0 and " " not in span.text) or _is_demonym(span.text):
            continue
        person, place = people.get(span.start, 0.0), places.get(span.start, 0.0)
        country = bool(countries(span.text))
        kind: Kind = "place" if country or place > person else "person" if person >= 0.5 else "thing"
        if between.lower().endswith("the ") and kind == "person":
            kind = "thing"
        rank = 2 * bool(deed) + (" " in span.text) - 2 * country - number / 10
        yield _Mention(span.text, kind, f"{deed} {topic.name}" if deed else "", rank)
    for quoted in quoted_names(sentence):
        if name_spans(quoted):
            yield _Mention(quoted, "thing", "", 1 - number / 10)


def _is_demonym(name: str) -> bool:
    """Whether ``name`` is an adjective of a country, such as "Norwegian"."""
    return any(span.text == name != country for span, country in countries(name)) and not (
        name.isupper()
    )


def _outgoing(topic: _Topic, mentions: list[_Mention], plain: list[str]) -> Iterator[str]:
    """Questions about what the passage mentions: one for each name, then more of each."""
    for turn in range(4):
        for mention in mentions:
            if turn and len(mentions) * turn >= 8:
                return
            yield _ask(_FOLLOW_UPS[mention.kind][turn], mention)
    things = [word for word in content_words(" ".join(plain)) if word.islower() and len(word) > 3]
    if not mentions and things:
        for thing in sorted(dict.fromkeys(things), key=len, reverse=True)[:4]:
            yield f"What is known about {thing}?"
        

def _ask(pattern: str, mention: _Mention) -> str:
    if mention.deed and "{x}?" in pattern:
        return pattern.format(be="is", x=f"{mention.name}, who {mention.deed}")
    if mention.deed:
        return pattern.format(be="is", x=f"{mention.name}, who {mention.deed},")
    return pattern.format(be="is", x=mention.name)
