"""Hashes of the forms of names, by which those are found that may be one with a name."""

from __future__ import annotations

import hashlib
from collections.abc import Hashable, Iterator
from typing import NamedTuple

from .candidates import only_word
from .clusters import FORMS, FormsOf, Name, surname


class NameForm(NamedTuple):
    """A form of a name, of the kind that ``forms_of`` makes, with its hash."""

    hash: int
    forms_of: FormsOf
    form: Hashable


def forms_of(name: Name) -> Iterator[NameForm]:
    """The forms of a name; two names that may be one share at least one.

    Its one word with a capital comes as a form, too: a text that has it with a small letter makes
    the name a general word.
    """
    for number, make in enumerate(_ALL):
        for form in dict.fromkeys(make(name)):
            if form:
                yield NameForm(_hash(number, form), make, form)


def is_surname(hash: int) -> bool:
    """Whether a form is the surname of a person."""
    return hash & _KIND == FORMS.index(surname)


def small_hash(word: str) -> int:
    """The hash of the names that a word with a small letter makes general ones."""
    return _hash(len(FORMS), word)


def _hash(number: int, form: Hashable) -> int:
    """A hash of 63 bits, of which the last ones are the ``number`` of the kind of form."""
    digest = hashlib.blake2b(repr(form).encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big", signed=True) & ~_KIND | number


def _small(name: Name) -> tuple[str]:
    return (only_word(name.name),)


_ALL = (*FORMS, _small)
_KIND = 15
