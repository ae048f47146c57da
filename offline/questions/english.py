"""Questions that a passage answers and questions that it raises, by rules of grammar.

The offline counterpart of HopRAG's question prompt. A question about a name is worded alike in the
passage that is about it and in those that only mention it, so that the two meet.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Literal, NamedTuple

from ...language.analyser import STOP_WORDS, content_words, is_korean, sentences, terms
from ...language.answer_types import countries, dates, life_facts, name_spans, names, quoted_names
from ...language.mentions import topic_title
from ...language.questions import analyse_question
from ...prompts.replies import PassageQuestions
from .korean import korean_incoming, korean_outgoing

Kind = Literal["person", "place", "thing"]

_MOST = 12
_LEAST_INCOMING, _LEAST_OUTGOING = 2, 4
_LONGEST = 30


class Topic(NamedTuple):
    """What a passage is about: "``called`` ``be`` a ``noun``", as in "the Dart is a river".

    ``definition`` are the words of the first sentence that hold the noun: "long river".
    """

    name: str
    called: str
    kind: Kind
    be: str
    noun: str
    definition: str


class _Clause(NamedTuple):
    """A sentence as its subject and what is said of it; ``on_topic``: it is the passage's."""

    subject: str
    who: str
    said: str
    on_topic: bool


class _Mention(NamedTuple):
    """A name in a passage; ``prefix`` is an article or a role, such as "the director "."""

    name: str
    kind: Kind
    prefix: str
    rank: float


_IRREGULAR = """written:wrote sung:sang drawn:drew begun:began given:gave taken:took shown:showed
known:knew driven:drove overseen:oversaw become:became gone:went come:came grown:grew seen:saw
done:did chosen:chose spoken:spoke broken:broke run:ran made:made built:built led:led held:held
won:won sold:sold taught:taught bought:bought lost:lost cut:cut sent:sent paid:paid found:found
fought:fought shot:shot brought:brought set:set told:told left:left met:met"""
_PAST_OF = dict(entry.split(":") for entry in _IRREGULAR.split())
_DOER_OF = {"written": "writer", "sung": "singer", "led": "leader", "won": "winner"}
_PASTS = "|".join(sorted(set(_PAST_OF.values())))
PARTICIPLE = rf"(?:[a-z]{{2,}}ed|{'|'.join(_PAST_OF)})"
_BY = re.compile(rf"\b({PARTICIPLE}(?:,? and (?:[a-z]+ly )?{PARTICIPLE})?) by\b")
_DONE = re.compile(rf"(?<![\w-])({PARTICIPLE}|born) (?:[a-z]+ )?(?:in|on|at) (?:the )?(?=[\dA-Z])")
_NOT_PASSIVE = re.compile(r"(?:\b(?:and|or|he|she|it|they|has|have|had)|[A-Z]\w*) $")
_DEFINED = re.compile(
    r"\b(?:is|was|are|were) (?:an?|the|one of the) (.+?)"
    rf"(?=[,.;:]|$| (?:{PARTICIPLE} (?:by|in|on|at|from|to|as|for)|in|of|on|at|by|for|from|with|"
    r"to|and|or|near|about|located|starring|featuring|that|which|who|whose|where)\b)"
)
PRONOUN = re.compile(r"(?:(he|she|it|they)|(his|her|its|their)) (?=\S)", re.IGNORECASE)
ASIDE = re.compile(r"\s*(?:[(\[][^()\[\]]*[)\]]|/[^/]{2,40}/)")
LEAD = re.compile(r"(?:In|On|At|After|Before|Since|During|By|From|Until|As|For) [^,]{2,60}, ")
_ADVERB = re.compile(r"^(?:(?:also|then|later|now|soon|still|often|only|once|[a-z]+ly) )+")
_APPOSITIVE = re.compile(r"^,(?! (?:and|or) )[^,]{2,90}, (?=[a-z])")
_BE = re.compile(r"\b(is|was|are|were) ")
_NOUN_PHRASE = re.compile(
    rf"(?:The|A|An|This|These) (?:(?!(?:what|which|that|who|if|has|had|may|can|{_PASTS})\b)"
    r"[\w'’&.-]+ ){1,8}?(?<! and )(?=(?:is|was|are|were) )"
)
_OWNED = re.compile(r"([a-z0-9][\w -]{2,40}?) (?=(?:is|was|are|were) )")
VERB = re.compile(
    rf"(?:is|was|are|were|has|had|have|did|does|can|could|will|would|{_PASTS}"
    rf"|(?!(?:{'|'.join(STOP_WORDS)})\b)[a-z]+(?:[^s]s|ed))\b"
)
_RELATIVE = re.compile(r",? (?:who|whom|whose|which|that|where|when|while|because|although|but)\b")
_END = re.compile(r"[;:]| [—–-] ")
PLACED = re.compile(r"\b(?:in|at|near|from|to|into|outside|around|across) (?:the )?$")
PARTICULAR = re.compile(r"\b(?:[Tt]he|an?) $")
_TITLED = re.compile(r"(?=.*\b[^\W\d_a-z]\S*$)[^\W\d_a-z]\S*(?: \S+){0,7}$")
_PHRASE = re.compile(r"\b((?:the|an?) (?:[a-z]+ )?[a-z]{3,})(?=[,.;:]| (?:of|in|that|is|was)\b)")
_FOLLOW_UPS: dict[str, str] = {
    "person": "Who is {}?|Where was {} born?|When was {} born?|What is {} known for?",
    "place": "Where is {}?|What is {} known for?|What is the history of {}?|Who lives in {}?",
    "thing": "What is {}?|What is {} known for?|How did {} begin?|Who is connected with {}?",
    "noun": "What is known about {}?|How did {} begin?|Who is linked to {}?|Why does {} matter?",
}


def write_questions(title: str, text: str) -> PassageQuestions:
    """The questions of the passage ``text``, English or Korean, which stands under ``title``.

    At least two in-coming ones where the text has a content word, and at least four out-coming
    ones where it mentions anything; at most twelve of each.
    """
    whole = [sentence.plain for sentence in sentences(text)]
    title = topic_title(title, text)
    if is_korean(text):
        incoming, outgoing = korean_incoming(title, whole), korean_outgoing(title, whole)
    else:
        incoming, outgoing = _write_english(title, whole)
    answered = _distinct(incoming, [], _LEAST_INCOMING)
    raised = _distinct(outgoing, answered, _LEAST_OUTGOING)
    return PassageQuestions(incoming=answered, outgoing=raised)


def _distinct(turns: list[list[str]], answered: list[str], enough: int) -> list[str]:
    """The questions of the first turn, and of further ones until there are ``enough``.

    Without those ``answered`` and those that differ from an earlier one in function words only.
    """
    seen = {_gist(question) for question in answered}
    kept: list[str] = []
    for turn in turns:
        for question in turn if len(kept) < enough else ():
            question = question.rstrip(" ?") + "?"
            if _gist(question) not in seen and len(kept) < _MOST:
                seen.add(_gist(question))
                kept.append(question)
    return kept


def _gist(question: str) -> tuple[str, frozenset[str]]:
    word = question.partition(" ")[0]
    return ("" if word in {"Who", "What"} else word), frozenset(terms(question))


def _write_english(title: str, whole: list[str]) -> tuple[list[list[str]], list[list[str]]]:
    plain = [ASIDE.sub("", sentence) for sentence in whole]
    topic = find_topic(title, whole, plain)
    clauses = _clauses(plain, topic)
    common = set(" ".join(plain).split())
    named = [
        list(_names_in(sentence, not clause or clause.on_topic, number, common))
        for number, (sentence, clause) in enumerate(zip(whole, clauses, strict=True))
    ]
    mentions = _mentions(topic, [mention for some in named for mention in some])
    kept = {mention.name for mention in mentions}
    others = [[m.name for m in some if m.name in kept] for some in named]
    words = sorted(content_words(" ".join(whole)), key=len)[-1:]
    spare = [q.format(*words) for q in ("What is said of {}?", "How is {} described?") if words]
    incoming = _incoming(topic, " ".join(whole), clauses, others)
    return [[*incoming], spare], _outgoing(mentions, topic, " ".join(plain))


def find_topic(title: str, whole: list[str], plain: list[str]) -> Topic:
    """What the passage is about: its title, or the first name in it."""
    text = " ".join(whole)
    name = title or next((span.text for span in name_spans(text)), "")
    first = plain[0] if plain else ""
    defined = _DEFINED.search(first)
    be = _BE.search(first) if defined else None
    definition = defined[1] if defined else ""
    noun = definition.rpartition(" ")[2].lower()
    kind = kind_of(noun) if noun else "thing"
    openers = {match[0].strip().lower() for match in map(PRONOUN.match, plain) if match}
    opening = next((s.text for s in name_spans(first) if not s.start), "")
    foreign = " " in opening and not {*terms(opening)} & {*terms(name)}
    personal = not foreign and openers & {"he", "she", "his", "her"} and "it" not in openers
    life = life_facts(text)
    dated = life.birth and life.birth.key[1] and (life.death is None or life.death.key[1])
    kind = "person" if kind == "thing" and (personal or dated) else kind
    article = "the " if f"The {name} " in text or f" the {name} " in text else ""
    return Topic(name, article + name, kind, be[1] if be else "is", noun, definition)


@lru_cache(maxsize=10_000)
def kind_of(noun: str) -> Kind:
    """The kind of thing that is asked for by "which ``noun``"."""
    kind = analyse_question(f"Which {noun} is it?").answer_type
    return kind if kind == "person" or kind == "place" else "thing"


def _clauses(plain: list[str], topic: Topic) -> list[_Clause | None]:
    """The sentences as clauses; a person named before, in a text about no one, is "he" or "she"."""
    found: list[_Clause | None] = []
    person = ""
    for sentence in plain:
        clause = _clause(sentence, topic)
        if person and topic.kind != "person" and sentence.startswith(("He ", "She ")):
            clause = _said(person, sentence.partition(" ")[2], None)
        if clause and clause.who == "Who" and not clause.on_topic:
            person = clause.subject
        found.append(clause)
    return found


def _clause(sentence: str, topic: Topic) -> _Clause | None:
    """The subject of ``sentence`` and what is said of it, or None where that is not plain."""
    sentence = LEAD.sub("", sentence).lstrip("\"“'‘")
    sentence = sentence[:1].upper() + sentence[1:]
    pronoun = PRONOUN.match(sentence) if topic.name else None
    if pronoun:
        rest = sentence[pronoun.end() :]
        owned = _OWNED.match(rest) if pronoun[2] else None
        if owned:
            return _said(f"the {owned[1]} of {topic.called}", rest[owned.end() :], None)
        return _said(topic.called, rest, topic) if pronoun[1] else None
    bare = sentence.removeprefix("The ")
    for subject in (topic.name.removeprefix("The "), topic.noun, topic.name.rpartition(" ")[2]):
        rest = bare[len(subject) :]
        if subject and bare.lower().startswith(subject.lower()) and not rest[:1].isalnum():
            return _said(topic.called, rest.lstrip("\"”'’"), topic)
    phrase = _NOUN_PHRASE.match(sentence)
    if phrase:
        return _said(_own(phrase.group().strip(), topic), sentence[phrase.end() :], None)
    name = next(iter(name_spans(sentence)), None)
    if not name or name.start not in (0, len(sentence) - len(bare)):
        return None
    if {*terms(name.text)} & {*terms(topic.name)}:
        return _said(topic.called, sentence[name.end :], topic)
    return _said(name.text, sentence[name.end :], None) if " " in name.text else None


def _own(phrase: str, topic: Topic) -> str:
    """A noun phrase that can stand alone: "the director" as "the director of Red Kite"."""
    phrase = phrase[0].lower() + phrase[1:]
    for noun in filter(None, (topic.noun, topic.name.rpartition(" ")[2].lower())):
        if f"the {noun} " in phrase + " ":
            return (phrase + " ").replace(f"the {noun} ", topic.called + " ", 1).strip()
    return phrase if name_spans(phrase) or not topic.name else f"{phrase} of {topic.called}"


def _said(subject: str, rest: str, topic: Topic | None) -> _Clause | None:
    """The clause, if ``rest`` begins with a verb as far as one can tell."""
    said = _ADVERB.sub("", _APPOSITIVE.sub("", rest).lstrip())
    said = _END.split(said, maxsplit=1)[0].rstrip(" .!?,")
    if not VERB.match(said):
        return None
    person = (
        topic.kind == "person" if topic else re.fullmatch(r"[A-Z]\S+(?: [A-Z]\S+){1,2}", subject)
    )
    return _Clause(subject, "Who" if person else "What", said, bool(topic))


def _incoming(
    topic: Topic, text: str, clauses: list[_Clause | None], others: list[list[str]]
) -> Iterator[str]:
    """Questions that the passage answers."""
    known = {*terms(topic.name)} & {*terms(text)}
    if topic.name and (known or any(clause and clause.on_topic for clause in clauses)):
        yield f"{'Who' if topic.kind == 'person' else 'What'} {topic.be} {topic.called}?"
    if topic.kind == "person":
        asked = ("When was {} born?", "When did {} die?", "Where was {} born?", "Where did {} die?")
        for fact, question in zip(life_facts(text), asked, strict=True):
            if fact:
                yield question.format(topic.called)
    for clause in clauses:
        yield from _facts(clause) if clause else ()
    for clause, some in zip(clauses, others, strict=True):
        yield from _whole(clause, topic) if clause else _connection(some, topic)


def _facts(clause: _Clause) -> Iterator[str]:
    """Who did it, when and where, from the participles of one clause."""
    said = _RELATIVE.split(clause.said, maxsplit=1)[0]
    being = _BE.match(said)
    if not being:
        return
    for by in _BY.finditer(said):
        deed = " ".join(_PAST_OF.get(word, word) for word in by[1].split())
        yield f"Who {deed} {clause.subject}?"
    for done in _DONE.finditer(said):
        if not _NOT_PASSIVE.search(said[: done.start()]):
            date = dates(said[done.end() :])
            dated = bool(date) and not date[0].start
            be = being[1] if done.start() == being.end() else "was" if dated else "is"
            yield f"{'When' if dated else 'Where'} {be} {clause.subject} {done[1]}?"
    if not clause.on_topic:
        yield f"{clause.who} {being[1]} {clause.subject}?"


def _whole(clause: _Clause, topic: Topic) -> Iterator[str]:
    """All that the clause says, asked of its subject, where it says something particular."""
    said = clause.said
    if len(said.split()) > _LONGEST:
        said = re.sub(r",[^,]*$", "", " ".join(said.split()[:_LONGEST]))
    said = said if said.count('"') % 2 == 0 else said.replace('"', "")
    if len(terms(said)) < 2 or not (name_spans(said) or dates(said)):
        return
    verb, _, rest = said.partition(" ")
    if verb in {"is", "was", "are", "were", "can", "could", "will", "would"}:
        yield f"{verb.capitalize()} {clause.subject} {rest}?"
    else:
        be = topic.be if clause.on_topic else "is"
        pronoun = "who" if clause.who == "Who" else "which"
        yield f"{clause.who} {be} {clause.subject}, {pronoun} {said}?"


def _connection(others: list[str], topic: Topic) -> Iterator[str]:
    """What the names in a sentence have to do with the topic."""
    *first, last = [*dict.fromkeys(others)][:4] or [""]
    if topic.name and last:
        listed = " and ".join(filter(None, (", ".join(first), last)))
        yield f"What has {topic.called} to do with {listed}?"


def _names_in(text: str, on_topic: bool, number: int, common: set[str]) -> Iterator[_Mention]:
    """The names in a sentence; a name that ends in a word of ``common`` is not a person's."""
    people = {c.start: c.prior for c in names(text, "person", "")}
    quoted = [name.rstrip(".,;:!?") for name in quoted_names(text) if _TITLED.match(name)]
    role, end = "", 0
    for span in name_spans(text):
        before, end = text[end : span.start], span.end
        if not re.fullmatch(r"(?:,| and| &|\s)+", before):
            by = _BY.search(before) if on_topic else None
            role = _doer(by[1]) if by else ""
        if (span.start == 0 and " " not in span.text) or any(span.text in q for q in quoted):
            continue
        for name in re.split(r"['’]s ", span.text):
            country = nation(name)
            if country != "adjective" and re.search(r"[^\W\d]", name):
                last = name.rpartition(" ")[2].lower()
                person = people.get(span.start, 0.0) * (name == span.text and last not in common)
                kind = "place" if country else _mention_kind(name, before, person)
                article = "the " if before.lower().endswith("the ") else ""
                prefix = f"the {role} " if role and kind == "person" else article
                rank = 2 * bool(role) + (" " in name) - 2 * bool(country) - number / 30
                yield _Mention(name, kind, prefix, rank)
    for name in quoted:
        yield _Mention(name, "thing", "", 1 - number / 30)


def _doer(participles: str) -> str:
    """The noun for who does it: "directed" as "director"; empty where there is no usual one."""
    word = participles.split()[0].strip(",")
    guesses = (_DOER_OF.get(word, ""), word[:-2] + "or", word[:-2] + "er")
    return next((noun for noun in guesses if noun and kind_of(noun) == "person"), "")


def _mention_kind(name: str, before: str, person: float) -> Kind:
    if " " in name and kind_of(name.rpartition(" ")[2].lower()) == "place":
        return "place"
    if re.search(r"\bof $", before) and kind_of(before.split()[-2:][0]) == "person":
        return "person"
    if person < 0.7 and PLACED.search(before):
        return "place" if person else "thing"
    return "person" if person >= 0.5 and not PARTICULAR.search(before) else "thing"


@lru_cache(maxsize=50_000)
def nation(name: str) -> Literal["country", "adjective", ""]:
    """Whether ``name`` as a whole is a country or, like "Norwegian", an adjective of one."""
    found = [country for span, country in countries(name) if span.text == name]
    return "" if not found else "country" if name in found or name.isupper() else "adjective"


def _mentions(topic: Topic, named: list[_Mention]) -> list[_Mention]:
    """The names in the passage that are not its topic's, the most telling first."""
    found: dict[str, _Mention] = {}
    for mention in sorted(named, key=lambda mention: -mention.rank):
        found.setdefault(mention.name, mention)
    people = [mention.name.split() for mention in found.values() if mention.kind == "person"]
    people += [topic.name.split()] if topic.kind == "person" else []
    others = [mention for mention in found.values() if not _is_topic(mention.name, topic)]
    return [mention for mention in others if not _is_part(mention.name.split(), people)]


def _is_topic(name: str, topic: Topic) -> bool:
    """Whether ``name`` is the topic's, shortened or, for a person, with more first names."""
    words, own = name.split(), topic.name.split()
    alike = own and (words[0], words[-1]) == (own[0], own[-1])
    fuller = topic.kind == "person" and own and {*own} <= {*words}
    if alike or fuller or {*terms(name)} == {*terms(topic.name)}:
        return True
    return name in re.split(r",| of | in ", topic.name, maxsplit=1)[0]


def _is_part(words: list[str], people: list[list[str]]) -> bool:
    """Whether ``words`` are the first or the last words of a longer name among ``people``."""
    length = len(words)
    return any(length < len(p) and words in (p[:length], p[-length:]) for p in people)


def _outgoing(mentions: list[_Mention], topic: Topic, text: str) -> list[list[str]]:
    """Questions about what the passage mentions: one for each name, then more of each."""
    things: list[tuple[str, str]] = [(m.kind, m.prefix + m.name) for m in mentions]
    if not things:
        phrases = list(dict.fromkeys(match[1] for match in _PHRASE.finditer(text)))
        longest = sorted(dict.fromkeys(content_words(text)), key=len, reverse=True)
        things = [("noun", thing) for thing in (phrases or longest)[:_LEAST_OUTGOING]]
    forms = [(_FOLLOW_UPS[kind].split("|"), thing) for kind, thing in things]
    turns = [[form[turn].format(thing) for form, thing in forms] for turn in range(4)]
    return [*turns, [q.format(topic.called) for q in _FOLLOW_UPS["noun"].split("|") if topic.name]]
