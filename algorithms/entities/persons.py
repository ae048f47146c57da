"""Finds the person meant by a part of a name, among the persons that a text names in full."""

from __future__ import annotations

from collections import defaultdict
from itertools import combinations

from .spellings import is_full_name, person_parts, same_person

_MOST = 50


class Persons:
    """The persons whom a passage or a document names in full."""

    def __init__(self) -> None:
        self.spellings: dict[str, str] = {}
        self._by_part: defaultdict[tuple[str, bool], list[str]] = defaultdict(list)

    def add(self, id: str, spelling: str) -> None:
        """Adds a person; of several spellings the first counts."""
        if id not in self.spellings:
            self.spellings[id] = spelling
            parts = person_parts(spelling)
            for part, is_surname in dict.fromkeys([(parts[-1], True), (parts[0], False)]):
                self._by_part[part, is_surname].append(id)

    def meant(self, short: str, known: bool) -> str | None:
        """The one person whose surname is ``short``, or first name if it is ``known`` to be one's.

        Nobody where very many have the name.
        """
        part = person_parts(short)[0]
        fitting: set[str] = {
            *self._by_part[part, True],
            *(self._by_part[part, False] if known else ()),
        }
        pairs = combinations([self.spellings[id] for id in fitting], 2)
        if not 0 < len(fitting) <= _MOST or any(same_person(*two) == "no" for two in pairs):
            return None
        full = [id for id in fitting if is_full_name(self.spellings[id])]
        return min(full, key=lambda id: (-len(person_parts(self.spellings[id])), id), default=None)
