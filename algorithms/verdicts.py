"""Telling by rules whether the sentences cited for a verdict on a statement decide it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ..language.answer_types import dates, name_spans, roots
from ..language.mentions import key, question_mentions
from ..language.values import NEGATION, amounts
from .claims import lost_values, unsupported
from .doubts import Doubt

_ORDINAL = re.compile(r"\d+(?:st|nd|rd|th)\b")
_ELSE = Doubt("unsaid", "The cited sentences may speak of something else.")


def doubt_of(statement: str, supported: bool, cited: Sequence[str]) -> Doubt | None:
    """The reason to doubt that the ``cited`` texts support, or else refute, ``statement``.

    What is supported stands there with all names, dates and numbers, or certainly is not. What is
    refuted stands in one text with another date or number; another name may be true as well.
    """
    if not cited:
        return Doubt("uncited", "No sentence was cited that decides it.", True)
    lost = lost_values(statement, cited)
    told = f"No cited sentence speaks of {', '.join(lost)}."
    whole = key(" ".join(cited))
    unsaid = unsupported(statement, "", cited) or any(
        key(one.text) not in whole for one in question_mentions(statement)
    )
    if supported and lost:
        return Doubt("names", told, any(map(_must_stand, lost)))
    if supported:
        return _ELSE if unsaid else None
    denies, denied = (bool(NEGATION.search(text)) for text in (statement, " ".join(cited)))
    if not lost and not unsaid and denies == denied:
        return Doubt("claims", "The cited sentences state it.", True)
    ways = [_contradicts(text, statement) for text in cited]
    if True in ways:
        return None
    return _ELSE if None in ways else _ELSE._replace(certain=True)


def _must_stand(value: str) -> bool:
    """Whether texts hold ``value`` if it is true: a name, a date with its year, a plain number.

    Other numbers may count what texts tell one by one, and months may be left out.
    """
    if _ORDINAL.match(value):
        return False
    if found := dates(value):
        return any(date.key[0] for date in found)
    return value[0].isdigit() or not amounts(value)


def _contradicts(text: str, statement: str) -> bool | None:
    """Whether ``text`` says what ``statement`` says with other dates or numbers; None: perhaps."""
    named = [span.text for span in name_spans(statement)]
    lost = lost_values(statement, [text])
    spoken_of = [one.text for one in question_mentions(statement)]
    if spoken_of and not any(key(name) in key(text) for name in spoken_of):
        return False
    if named and set(named) <= set(lost):
        return False
    words = set(roots(key(statement))) - set(roots(key(" ".join([*named, *lost]))))
    said = 2 * len(words & set(roots(key(text)))) >= max(1, len(words))
    replaced = bool(lost) and all(_replaced(value, statement, text) for value in lost)
    if said and replaced and not set(named) & set(lost):
        return True
    return None if said or replaced else False


def _replaced(value: str, statement: str, text: str) -> bool:
    """Whether ``text`` has a date, a number or a name, as ``value`` is, beside the statement's."""
    if dates(value):
        given = {one.key for one in dates(statement)}
        return any(one.key not in given for one in dates(text))
    if amounts(value):
        known = {(one.value, one.kind) for one in amounts(statement)}
        told = {(one.value, one.kind) for one in amounts(text)} - known
        return any(kind == other for _, kind in known for _, other in told)
    return any(key(span.text) not in key(statement) for span in name_spans(text))
