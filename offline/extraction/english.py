"""The named things of an English passage, and the verb phrases that join two of them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from ...algorithms.tog2.triple_sentences import MENTIONED_WITH
from ...language.analyser import STOP_WORDS, Span, sentences
from ...language.answer_types import MONTH
from ...language.mentions import EPITHETS, Mention, aliases, find_mentions, key
from ...language.verbs import PAST_OF, PASTS
from .entities import (
    ADDRESS,
    TITLES,
    KeyLink,
    Mark,
    MarkedPassage,
    type_of_name,
    type_of_noun,
    type_of_quoted,
)
from .labels import opens, without_labels

_MOST_IN_SENTENCE = 12
_LONGEST_GAP = 120
_ASIDE = re.compile(r"\s*(?:[(\[][^()\[\]]*[)\]]|/[^/]{2,40}/)")
_LIVED = re.compile(r"\((?:[^()–—]*\d{3,4}[^()–—]* ([–—-]) )?[^()–—]*(?:\d{3,4},? (?:in )?|\bin )$")
_DEMONYM = re.compile(r"\w(?:ish|ese|ian|ean|ican|rench|utch|erman|reek|wiss|zech)$")
_PREPOSITION = (
    r"(?:about|across|after|against|along|among|around|as|at|before|between|by|during|for|from|in|into"
    r"|near|off?|on|onto|over|through|throughout|to|towards?|under|upon|with|within|without)"
)
_AUXILIARY = r"(?:is|was|are|were|has|had|have|will|would|can|could|may|might|must|did|does|do)"
_NOUN_AFTER = re.compile(
    rf" (?!(?:{_AUXILIARY}|{_PREPOSITION}|and|or|but|as|who|which|that|said|says|[a-z]+ed)\b)[a-z]"
)
_PAST = rf"(?:{PASTS}|wed|fell|bore|threw|stood|lay|sat|rose)"
_PARTICIPLE = rf"(?:{'|'.join(PAST_OF)}|cut|born|[a-z]{{2,}}ed)"
_FILL = (
    rf"(?: (?!(?:{_AUXILIARY}|and|or|but|that|which|who|if|he|she|it|they|him|them|i|you)\b)"
    r"[\w'’-]+)"
)
_VERB_PHRASE = re.compile(
    rf"(?:(?:also|later|then|soon|once|[a-z]+ly) )?(?:"
    rf"{_AUXILIARY}(?: (?:not|also|been|be|being|later|once|[a-z]+ly))*"
    rf" (?:{_PARTICIPLE}|[a-z]+ing){_FILL}{{0,6}}"
    rf"|(?:is|was|are|were) (?:(?:an?|the|one of the)(?:,?(?: and)?{_FILL}){{1,11}}?"
    rf" (?:{_PREPOSITION}|starring|called)|in|on|at|near)"
    rf"|(?:has|had) an?{_FILL}{{1,3}}? {_PREPOSITION}"
    rf"|(?:{_PAST}|[a-z]{{2,}}ed){_FILL}{{0,4}}"
    rf"|[a-z]{{3,}}[^s\W]s{_FILL}{{0,3}})(?: (?:the|an?))?"
)
_APPOSED = re.compile(r", ((?:an?|the)(?: [a-z-]+){1,4} (?:by|of|in|from|for))(?: the)?")
_OWNED = re.compile(r"['’]s? ((?:[a-z]+ )?[a-z]+),?")
_LISTED = re.compile(r",? ?(?:(?:and|or|as well as|&) ?)?(?:the )?")
_NEXT_VERB = re.compile(r",? and (?=[a-z])")
_PRONOUN = re.compile(r"(?:(?:[A-Z][^,.;:]{0,50}, )|(?:In \d{4} ))?(he|she|it) ", re.IGNORECASE)
_GOVERNED = re.compile(rf"\b(?:{_PREPOSITION}|than)(?: (?:the|an?|its|his|her))? $")
_VALUE = re.compile(rf"(?:\s+of)?(?:,?\s+(?:\d+(?:st|nd|rd|th)?|({MONTH})))+$", re.IGNORECASE)
_GOES_ON = re.compile(r"\s?[–-]\s?\d| (?:and|or|to) \d")
_ITEM = re.compile(r"[a-z] \d[\d.]*(?=[,;.])")
_EDGES = re.compile(r"^(?:also|then|and|who|which) |(?: (?:the|an?))+$")


def read_english(title: str, text: str) -> MarkedPassage:
    """The things and relations of the passage ``text``, which stands under ``title``."""
    spans = sentences(text)
    said = aliases(title)
    found = without_labels(find_mentions(title, text), text, said)
    mentions = sorted(_without_values(list(found), text, said), key=lambda m: (m.start, -m.end))
    grouped = ([m for m in mentions if m.sentence == number] for number in range(len(spans)))
    marks = _settled([list(_marks(*pair)) for pair in zip(spans, grouped, strict=True)], title)
    links: list[KeyLink] = []
    topic = next((mark for some in marks for mark in some if mark.key == key(title)), None)
    before = topic
    for span, some in zip(spans, marks, strict=True):
        subject = _subject(span.text, some, before, topic)
        links += _links(span.text, some, subject)
        before = subject[0] if subject else None
    return MarkedPassage([" ".join(span.text.split()) for span in spans], marks, links)


def _without_values(found: list[Mention], text: str, topic: list[str]) -> Iterator[Mention]:
    """The mentions without a date, or the value of an item: "Signed 14 May 2023", "X-rays 145, …".

    So are orders, "Boil 700 ml". A name that is written so again, or is of the ``topic``, stays.
    """
    times = Counter([one.key for one in found] + 2 * topic)
    within = {one.text.split()[0] for one in found if not opens(one, text)}
    for one in found:
        value = _VALUE.search(one.text) if one.kind == "name" and times[one.key] < 2 else None
        if not value or not re.search(r"\d", value[0]):
            yield one
            continue
        name, after = one.text[: value.start()], text[one.end : one.end + 150]
        is_item = after[:1] in ",;." and _ITEM.search(text[max(0, one.start - 40) : one.start])
        plain = " " not in name and name not in within and opens(one, text)
        acts = re.fullmatch(_PARTICIPLE, name.lower()) or _NOUN_AFTER.match(after)
        if not (is_item or value[1] or _GOES_ON.match(after) or (plain and acts)):
            yield one
        elif not plain:
            yield one._replace(end=one.start + len(name), text=name, key=key(name))


def _marks(span: Span, mentions: list[Mention]) -> Iterator[tuple[Mark, str]]:
    """The outer names and titled works of a sentence, with the keys of longer names they repeat."""
    reached, text = 0, span.text
    for mention in mentions:
        start = mention.start - span.start
        if mention.kind not in {"name", "quoted"} or start < reached:
            continue
        end, words = start + len(mention.text), mention.text.split()
        while len(words) > 1 and words[-1].lower() in STOP_WORDS:
            del words[-1]
        demonym = len(words) == 1 and _DEMONYM.search(words[0]) and _NOUN_AFTER.match(text, end)
        if demonym or not words[0][0].isalpha():
            continue
        reached = end
        written = " ".join(words)
        told = type_of_quoted if mention.kind == "quoted" else type_of_name
        known = told(written, text, start, end)
        greeted = text[end : end + 1] in {"", ","}
        while len(words) > 1 and (
            words[0].rstrip(".").lower() in ADDRESS or (greeted and words[0] == "Dear")
        ):
            del words[0]
        if len(words) == 2 and words[0] == words[1]:
            del words[0]
        name = " ".join(words)
        if len(key(name)) > 1 and name.lower() not in TITLES:
            full = mention.key if mention.key != key(mention.text) else ""
            yield Mark(start, end, key(name), name, known), full


def _settled(pairs: list[list[tuple[Mark, str]]], title: str) -> list[list[Mark]]:
    """The marks by sentence, under whole names, each with the type that is told most often."""
    own = set(aliases(title))
    told = Counter((mark.key, mark.type) for some in pairs for mark, _ in some if mark.type)
    types = {same: type for (same, type), _ in reversed(told.most_common())}
    names = {mark.key: mark.name for some in pairs for mark, _ in some}

    def settled(mark: Mark, full: str) -> Mark:
        if mark.key in own:
            return mark._replace(key=key(title), name=title, type=types.get(mark.key, ""))
        if full in names and _is_part(mark, names[full], types.get(full, "")):
            return mark._replace(key=full, name=names[full], type=types.get(full, ""))
        return mark._replace(type=types.get(mark.key, ""))

    return [[settled(*pair) for pair in some] for some in pairs]


def _is_part(mark: Mark, full: str, type: str) -> bool:
    """Whether a word that opens or closes a longer name of the passage is short for it."""
    plain = not type and not re.search(r"['’]", full) and full.endswith(mark.name)
    return type == "person" or (plain and full.partition(" ")[0].lower() not in EPITHETS)


def _subject(
    text: str, marks: list[Mark], before: Mark | None, topic: Mark | None
) -> tuple[Mark, int] | None:
    """Subject of the sentence, for a pronoun the one ``before``, and where the rest begins."""
    pronoun = _PRONOUN.match(text)
    if pronoun and before:
        fits = (before.type == "person") == (pronoun[1].lower() != "it")
        return (before, pronoun.end()) if fits else None
    noun = topic.name.rpartition(" ")[2].lower() if topic else ""
    if topic and (own := re.match(rf"The {re.escape(noun)} (?=[a-z])", text)):
        return topic, own.end()
    first = marks[0] if marks else None
    opens = first and re.fullmatch(r"(?:The |An? )?(?:[a-z]+ ){0,2}[\"“'‘]?", text[: first.start])
    owns = first and re.match(r"['’]s?\b", text[first.end :])
    acts = first and opens and not owns and not _GOVERNED.search(text[: first.start])
    return (first, first.end) if first and acts else None


def _links(text: str, marks: list[Mark], subject: tuple[Mark, int] | None) -> Iterator[KeyLink]:
    """Verb phrases between neighbouring names; others are "mentioned with" the subject or first."""
    head = subject[0] if subject else marks[0] if marks else None
    joined = {frozenset((head.key,))} if head else set()
    for link in _verb_links(text, marks, subject):
        joined.add(frozenset((link.source, link.target)))
        yield link
    for mark in marks[:_MOST_IN_SENTENCE]:
        if head and (pair := frozenset((head.key, mark.key))) not in joined:
            joined.add(pair)
            yield KeyLink(head.key, MENTIONED_WITH, mark.key, 1.0)


def _verb_links(
    text: str, marks: list[Mark], subject: tuple[Mark, int] | None
) -> Iterator[KeyLink]:
    doer, at = subject or (None, 0)
    source, previous, relation = doer, doer, ""
    asides = [match.span() for match in _ASIDE.finditer(text)]
    for mark in marks:
        aside = next((text[a : mark.start] for a, b in asides if a <= mark.start < b), "")
        lived = previous and 0 < len(aside) < _LONGEST_GAP and _LIVED.search(aside)
        if previous and lived:
            yield KeyLink(previous.key, "died in" if lived[1] else "was born in", mark.key, 8.0)
        if aside or mark.start < at:
            continue
        gap = re.sub(r"\s+", " ", _ASIDE.sub("", text[at : mark.start]))
        kin = _OWNED.fullmatch(gap.rstrip())
        further = _NEXT_VERB.match(gap)
        if previous and kin and type_of_noun(kin[1].rpartition(" ")[2]) == "person":
            yield KeyLink(mark.key, f"is the {kin[1]} of", previous.key, 8.0)
            relation = ""
        elif not (relation and _LISTED.fullmatch(gap)):
            relation = _relation(gap[further.end() :] if further else gap)
            source = doer if further or not _acts(text, previous, doer, gap) else previous
        possessive = text[mark.end : mark.end + 2] in {"'s", "’s"}
        if source and relation and source.key != mark.key and not possessive:
            yield KeyLink(source.key, relation, mark.key, 8.0)
            doer = source
        previous, at = mark, mark.end


def _acts(text: str, mark: Mark | None, doer: Mark | None, gap: str) -> bool:
    """Whether ``mark`` may be the subject of the verb after it: no preposition governs it."""
    if mark is None or mark is doer:
        return mark is doer
    relative = re.match(", (?:who|which|an?|the) ", gap)
    return bool(relative) or not _GOVERNED.search(text[: mark.start])


def _relation(gap: str) -> str:
    """The verb phrase that ``gap`` is, without articles at its end; else empty."""
    if len(gap) > _LONGEST_GAP:
        return ""
    if apposed := _APPOSED.fullmatch(gap.rstrip()):
        return f"is {apposed[1]}"
    words = _EDGES.sub("", re.sub(r"^, (?=who |which )", "", gap).strip())
    if not _VERB_PHRASE.fullmatch(words):
        return ""
    return f"was {words}" if re.match(rf"{_PARTICIPLE} by\b", words) else words
