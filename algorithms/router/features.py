"""Features of a question's form, in English and Korean, from which its kind is told."""

from __future__ import annotations

import math
import re

from ...language.analyser import content_words
from ...language.questions import analyse_question
from .forms import FORMS as WORDS
from .turns import TURNS
from .wording import wording

_FORMS = {**WORDS, **TURNS}
_GENERIC = (
    "sources", "work", "here", "people", "themes", "matters", "kinds", "throughout", "repeated",
    "compared", "changes", "condensed", "gathered", "opinion", "depicted", "manner", "about",
)  # fmt: skip
# Signs that mean more together: people who hold opinions, things that one can do.
_TOGETHER = (
    ("people", "opinion"), ("sources", "opinion"), ("people", "depicted"), ("sources", "depicted"),
    ("people", "themes"), ("plural", "instructed"), ("plural", "able"), ("themes", "repeated"),
    ("people", "able"), ("sources", "able"), ("sources", "instructed"),
    ("throughout", "instructed"), ("changes", "statement"), ("gathered", "statement"),
    ("sources", "statement"),
    ("people", "self"), ("changes", "self"), ("throughout", "able"),
)  # fmt: skip
# Names and quotations: one thing that a question asks about.
_NAMED = re.compile(r"(?<=[^\W_][ ’'(])(?!I\b)[A-Z][\w.-]*(?: [A-Z][\w.-]*)*|\"[^\"]+\"|“[^”]+”")
FEATURES = (
    *_FORMS,
    "named",
    "specific",
    "open",
    "yes_no",
    "length",
    *(f"{a} {b}" for a, b in _TOGETHER),
)


def question_features(question: str) -> dict[str, float]:
    """The form and wording of ``question``, English or Korean: a value ≥ 0 for each feature.

    Most are log(1 + n) of a count n of words or turns. For the whole speak those for ``sources`` in
    the plural, for a single ``work`` ("this novel"), for what lies ``here`` ("these"), for
    ``people`` and things in the ``plural``, for ``themes`` and moods, for ``matters`` that facts
    have too ("purpose"), for ``kinds``, ``throughout`` the texts, ``repeated``, ``compared``,
    ``changes``, texts ``condensed`` or findings ``gathered`` ("sum up", "list"), an ``opinion``
    held, a world ``depicted``, and its ``manner`` ("what is it like"). For facts speak a ``value``
    asked for ("how many"), a ``reason``, the ``past``, a ``place`` in a row ("the third"), and
    things ``named``; ``specific`` counts the content words that are no sign of the whole, and
    ``length`` all. ``fresh``, ``period`` ("this year") and ``news`` are words for time and for what
    changes daily, and ``about`` is "tell me about". Of manuals are what one does oneself
    (``instructed``, ``self``), a ``statement`` in place of a question, what one is ``able`` to do
    and on which ``condition``, how things are ``handled``, a ``definition``, and ``code``. Of what
    many say are their ``voices``, opinions ``held``, whether there ``exists`` somebody who says it,
    and people and texts ``asked_of``. ``open`` and ``yes_no`` are kinds of answers, 1 or 0. Two
    names together are the product of both. After ``FEATURES`` follow the parts of the ``wording``,
    each 1.
    """
    shape = analyse_question(question)
    found = {form: len(pattern.findall(shape.text)) for form, pattern in _FORMS.items()}
    found["length"] = len(content_words(shape.text))
    found["named"] = len(_NAMED.findall(shape.text))
    rest = shape.text
    for form in _GENERIC:
        rest = _FORMS[form].sub(" ", rest)
    found["specific"] = len(content_words(rest))
    values = {form: math.log1p(count) for form, count in found.items()}
    values["open"] = float(shape.answer_type == "open")
    values["yes_no"] = float(shape.answer_type == "yes_no")
    values["statement"] *= not found["condensed"]
    values |= {f"{a} {b}": values[a] * values[b] for a, b in _TOGETHER}
    return {name: values[name] for name in FEATURES} | dict.fromkeys(wording(shape.text), 1.0)
