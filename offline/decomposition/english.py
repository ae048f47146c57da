"""Splitting an English question into sub-questions by its grammar."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import chain

from ...language.comparison_questions import comparison_of
from ...language.name_masking import NAME, mask
from ...language.patterns import regex
from ...language.questions import PERSONS
from .grids import grid_of
from .nesting import Nested, resolve

_PERSONS = PERSONS.split()
_THINGS = """birthplace hometown country state city county province region continent district nation
nationality capital team club company employer band party school university college label language
religion network album studio mouth river owner church home headquarters diocese character book
film novel magazine newspaper airline manufacturer brand employer deathplace sport"""
_COMPOUND = (
    "alma mater|record label|(?:birth ?|place of |city of |country of |home ?)"
    "(?:place|town|birth|death|country|city|origin)"
)
_STEPS = {"grandfather": "father", "grandmother": "mother", "uncle": "brother", "aunt": "sister"}
_KIN = {
    f"{side} {kin}": (parent, step)
    for side, parent in (("maternal", "mother"), ("paternal", "father"))
    for kin, step in _STEPS.items()
} | {f"{parent}-in-law": ("spouse", parent) for parent in ("father", "mother")}
_ROLE = (
    rf"(?:{'|'.join(_KIN)}|(?:[a-z]+ )?(?:{_COMPOUND}|"
    rf"(?:{'|'.join([*_PERSONS, *_THINGS.split()])})s?))"
)
_THING = rf"(?:(?:the )?[a-z]+ )?{NAME}(?: of #\d+)?(?: and (?:the )?{NAME})?"
_DESCRIBED = regex(rf"(?:the )?{_ROLE} of ", re.IGNORECASE)
_POSSESSIVE = regex(rf"(?:the )?(?P<thing>{NAME}) ?'s? (?P<role>{_ROLE})\b")
_OF = regex(rf"(?:the )?\b(?P<role>{_ROLE}) of (?:the )?(?P<thing>{_THING})")
_COMPOUNDED = regex(
    rf"(?:the )?(?P<thing>{NAME}) (?P<role>{_COMPOUND}|performer|singer|director|author)\b"
)
_NOUN = r"(?!(?:of|in|the|is|was)\b)[a-z-]+"
_HEAD = rf"\b[Tt]he (?P<head>(?:{_NOUN} ){{0,2}}?{_NOUN})"
_RELATIVE = regex(
    rf"{_HEAD},? (?P<how>in which|at which|on which|from which|to which|for which|under which|"
    r"under whom|where|that|which|who|whom|whose|containing|named (?:after|for)|known as|called|"
    r"(?:[a-z]+ed|written|sung|made|built|held|won) by) (?P<clause>[^,?]+)"
)
_CONTACT = regex(
    rf"\b[Tt]he (?P<head>(?!(?:of|in|the|is|was)\b)[a-z]+) (?P<how>)(?P<clause>(?:the )?{NAME} "
    r"(?:is|was|were|are|has|had|did|does|plays?|belongs?|lived?|[a-z]+ed)\b[^,?]*)"
)
_PARTICIPLE = r"(?:found|born|set|held|built|fought|part|made|known|an? [a-z]+|[a-z]+ed|[a-z]+ing)"
_PAST = r"(?:[a-z]+ed|was|won|wrote|led|made|met|took|gave|began|belongs?|plays?)"
_VERB_GROUP = regex(
    r"^.*?\b(?:(?:is|was|are|were|has been|had been|will be|would be)(?: [a-z]+ly)?"
    rf" {_PARTICIPLE}|{_PAST})(?: (?:of|in|at|from|by|to|for)(?! #))?"
    rf"(?: (?:(?:the |this )?{NAME}|(?:his|her|its|their|this) [a-z]+))?"
)
_SUBJECT_BEFORE = regex(
    r"(?i)(?:^|\b(?:did|does|do|will|would|was|were|is|are|has|have|had|can|when|while|how|if|where|"
    rf"whom|which|that)\s+)(?:(?:the )?{_ROLE} of )*+$"
)
_FINITE = regex(r"\s*(?:is|are|was|were|has|have|had|did|does|do|will|can)\b")
_TRIVIAL = regex(
    r"(?i)^(?:who|what|which|where|name)(?: (?:is|are|was|were|did|does))? "
    rf"(?:the )?{NAME}\??$"
)
_PRONOUN = regex(r"\b(?:it|he|she|they|him|her|them|its|his|their)\b", re.IGNORECASE)
_PERSONAL = regex(r"\b(?:he|she|his|her|him)\b", re.IGNORECASE)
_WH = r"(?:who|whom|whose|what|when|where|which|how|why|in which|in what)"
_JOINED = regex(rf"^(?P<first>.+?),? and (?P<second>{_WH}\b.+)$", re.IGNORECASE)
_FOUND_FIRST = "⟦who⟧"


def decompose_english(question: str) -> list[str]:
    """The sub-questions of ``question``, its nested descriptions first; one if atomic."""
    texts: list[str] = []
    bare = question.strip().rstrip("?. ")
    compared = comparison_of(bare)
    if compared is not None:
        titles = [thing for thing in compared.things if not _DESCRIBED.match(thing)]
        for asked in chain.from_iterable(compared.questions):
            _resolve(asked, texts, titles)
        return texts
    for part in grid_of(bare) or _joined(bare) or [bare]:
        _resolve(part.replace(_FOUND_FIRST, f"#{len(texts)}"), texts)
    return texts


def _joined(text: str) -> list[str]:
    """ "Who wrote A and when was it published?": a pronoun takes what it stands for."""
    masked = mask(text)
    if not (match := _JOINED.match(masked.text)):
        return []
    first, second = match["first"], match["second"]
    meant = next(reversed(re.findall(NAME, first)), "")
    if _PERSONAL.search(second) and re.match(r"who\b", first, re.IGNORECASE):
        meant = _FOUND_FIRST
    if meant:
        second = re.sub(r"\b(?:its|his|their)\b", f"{meant}'s", second)
        second = _PRONOUN.sub(meant, second, count=1)
    return [masked.unmask(f"{part.strip(' ,')}?") for part in (first, second)]


def _resolve(question: str, texts: list[str], known: Sequence[str] = ()) -> None:
    masked = mask(question.rstrip("?. "), known)

    def written(asked: str) -> str:
        text = masked.unmask(asked)
        return f"{text[:1].upper()}{text[1:]}?"

    resolve(masked.text, texts, _innermost, _TRIVIAL.match, written)


def _innermost(text: str) -> Nested | None:
    """The description that begins last."""
    found = [
        Nested(match.start(), match.end(), _role_questions(match["role"], match["thing"]))
        for pattern in (_POSSESSIVE, _OF, _COMPOUNDED)
        for match in pattern.finditer(text)
    ]
    for place in re.finditer(r"\b[Tt]he\b", text):
        for match in filter(None, (p.match(text, place.start()) for p in (_RELATIVE, _CONTACT))):
            end = _clause_end(text, match)
            clause = text[match.start("clause") : end].strip()
            found.append(Nested(match.start(), end, [_clause_question(match, clause)]))
    return max(found, key=lambda nested: nested[:2], default=None)


def _role_questions(role: str, thing: str) -> list[str]:
    """Question who or what is the ``role`` of ``thing``; two for kin of two steps."""
    if role in _KIN:
        first, second = _KIN[role]
        return [f"who is the {first} of {thing}", f"who is the {second} of #0"]
    head = role.split(" ")[-1]
    plural = head[:-1] in _PERSONS
    person = "who" if plural or head in _PERSONS else "what"
    return [f"{person} {'are' if plural else 'is'} the {role} of {thing}"]


def _clause_end(text: str, match: re.Match[str]) -> int:
    """Where a clause ends: before the main verb if it is the subject's, else at its comma."""
    clause, start = match["clause"], match.start("clause")
    subject = bool(_SUBJECT_BEFORE.search(text[: match.start()]))
    group = _VERB_GROUP.match(clause)
    if group and (subject or _FINITE.match(clause, group.end())):
        return start + group.end()
    return match.end("clause")


def _clause_question(match: re.Match[str], clause: str) -> str:
    head, how = match["head"], match["how"]
    if how in {"that", "who", "which"} and not re.match(rf"(?:the )?{NAME}", clause):
        return f"who {clause}" if head in {"person", "man", "woman"} else f"which {head} {clause}"
    if how.startswith(("named", "known", "called")) or how.endswith(" by"):
        return f"which {head} is {how} {clause}"
    if " " in how or how == "where":
        return f"{'in' if how == 'where' else how.split(' ')[0]} which {head} {clause}"
    said = {"whose": "'s", "containing": " contains"}.get(how, "")
    return f"which {head}{said} {clause}"
