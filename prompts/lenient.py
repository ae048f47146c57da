"""Lenient reading of values in replies: whatever can be understood in one way only is accepted."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, TypeVar, cast

T = TypeVar("T")
Names = Mapping[str, tuple[str, ...]]
Bounds = Mapping[str, int]

NOTHING = frozenset({"", "none", "null", "n/a", "na", "unknown", "not specified", "없음"})


def filled(value: Any, **empty: Any) -> Any:
    """``value``, if it is an object, without its nulls, and with what it lacks of ``empty``."""
    if not isinstance(value, dict):
        return value
    return {**empty, **{key: item for key, item in value.items() if item is not None}}


def clean(value: T) -> T:
    """``value``, if it is text or a list of texts, without what cannot be stored.

    NUL is dropped, and halves of surrogate pairs are replaced.
    """
    if isinstance(value, str):
        text = value.replace("\0", "")
        try:
            text.encode()
        except UnicodeEncodeError:
            text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
        return cast(T, text)
    return (
        cast(T, [clean(v) if isinstance(v, str) else v for v in value])
        if isinstance(value, list)
        else value
    )


def shortened(value: T, longest: int) -> T:
    """``value``, if it is text or a list of texts, of at most ``longest`` characters each."""
    if isinstance(value, str) and len(value) > longest:
        return cast(T, f"{value[: longest - 1].rstrip()}…")
    return (
        cast(T, [shortened(v, longest) if isinstance(v, str) else v for v in value])
        if isinstance(value, list)
        else value
    )


def renamed(given: Any, names: Names) -> Any:
    """``given``, if it is an object, with the fields' own ``names`` in place of their others.

    Of several values for one field the first that is not empty is taken.
    """
    if not isinstance(given, dict) or given.keys() <= names.keys():
        return given
    keys = {re.sub(r"[\s-]+", "_", str(key).strip().casefold()): given[key] for key in given}
    found = {}
    for field, others in names.items():
        held = [keys[key] for key in (field, *others) if key in keys]
        filled = [value for value in held if value not in (None, "", [], {})]
        if held:
            found[field] = (filled or held)[0]
    return found


def listed(value: Any) -> list[Any]:
    """The list that ``value`` is or stands for: JSON, lines of text, or a single item."""
    if isinstance(value, str):
        value = _loaded(value)
    if isinstance(value, str):
        return [line for line in value.splitlines() if line.strip().casefold() not in NOTHING]
    if isinstance(value, dict):
        items = list(value.values())
        return items if items and all(isinstance(item, dict) for item in items) else [value]
    return value if isinstance(value, list) else [] if value is None else [value]


def numbers_in(value: Any) -> Any:
    """A list of the numbers that ``value`` names: one number, or text such as "1, 3"."""
    if isinstance(value, str):
        return re.findall(r"\d+", value)
    return [value] if isinstance(value, int) else value


def bounded(value: Any, least: float, most: float) -> float | None:
    """The number in ``value``, moved between ``least`` and ``most``: "8/10" is 8.

    None where ``value`` holds no number.
    """
    if isinstance(value, str):
        digits = re.search(r"-?\d+(?:\.\d+)?", value)
        value = float(digits.group()) if digits else None
    plain = isinstance(value, int | float) and not isinstance(value, bool)
    return min(most, max(least, value)) if plain and value == value else None


def _loaded(text: str) -> Any:
    """The list or object that ``text`` spells in JSON, or ``text``."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return text
    return value if isinstance(value, list | dict) else text
