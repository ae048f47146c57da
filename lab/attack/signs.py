"""Signs that something went wrong, in any text that a person may see."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from .trials import Trial

KEY = "sk-attack-0123456789abcdef"

_TRACEBACK = re.compile(r'Traceback \(most recent|File "[^"\n]+", line \d')
_SQL = re.compile(r"\[SQL:|\bsqlite3\.\w+Error|\bINSERT INTO\b|\bDELETE FROM\b")
_UNEXPECTED = re.compile(r"An unexpected \w+(?: in [\w.]+, line \d+,)? ended this")
# Escape, and the control characters that some terminals take for the beginning of a sequence.
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\x80-\x9f]")


def leaks(text: str, *hidden: str) -> Iterator[str]:
    """Leaks in ``text``: tracebacks, SQL, the key, and any of the ``hidden`` texts.

    An error of the package that it did not foresee is one as well.
    """
    unexpected = ("an unexpected error", _UNEXPECTED)
    for name, pattern in (("a traceback", _TRACEBACK), ("SQL", _SQL), unexpected):
        if found := pattern.search(text):
            yield f"{name} is shown: {_around(text, found.start())}"
    for each in (KEY, *hidden):
        if each in text:
            name = "the key" if each == KEY else "a path"
            yield f"{name} is shown: {_around(text, text.find(each))}"


def controls(text: str) -> Iterator[str]:
    """The first control character of ``text`` that a terminal would obey."""
    if found := _CONTROL.search(text):
        yield f"raw {found.group()!r}: {_around(text, found.start())!r}"


def check_value(trial: Trial, value: Any, *hidden: str) -> None:
    """Fails ``trial`` where ``value`` cannot be sent as JSON, or shows what is hidden."""
    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False, default=str)
        text.encode()
    except ValueError as error:
        trial.fail("crash", f"the output cannot be sent as JSON: {error!r:.200}")
        return
    for words in leaks(text, *hidden):
        trial.fail("leak", words)


def _around(text: str, place: int) -> str:
    return text[max(0, place - 60) : place + 100].replace("\n", "⏎")
