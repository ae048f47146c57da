"""Asking for the nested descriptions of a question, innermost first."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

_MOST_NESTED = 8


class Nested(NamedTuple):
    """A description in a question, and questions for it: "#0" is the answer of the one before."""

    start: int
    end: int
    questions: list[str]


def ask(texts: list[str], text: str) -> str:
    """Adds ``text`` to the sub-questions ``texts`` unless it is there; gives a reference to it."""
    if text not in texts:
        texts.append(text)
    return f"#{texts.index(text) + 1}"


def resolve(
    text: str,
    texts: list[str],
    innermost: Callable[[str], Nested | None],
    is_trivial: Callable[[str], object],
    written: Callable[[str], str],
) -> None:
    """Adds to ``texts`` the questions for all that ``text`` describes, and then its own.

    ``is_trivial`` tells a question for no more than its name; ``written`` gives the final form.
    """
    for _ in range(_MOST_NESTED):
        found = innermost(text)
        if found is None:
            break
        last = is_trivial(text) or is_trivial(f"{text[: found.start]}#0{text[found.end :]}")
        if last and len(found.questions) == 1:
            break
        reference = ""
        for asked in found.questions:
            reference = ask(texts, written(asked.replace("#0", reference)))
        if last:
            return
        text = f"{text[: found.start]}{reference}{text[found.end :]}"
    ask(texts, written(text))
