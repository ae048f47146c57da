"""A folder of made-up documents, which change at random."""

from __future__ import annotations

import os
import random
import shutil
from pathlib import Path

_NAMES = (
    "Ann Bell,Bob Carr,Cid Dorn,Dee Elm,Eve Fox,Gus Hill,Ivy Jones,Kim Lee,Max Noor,이순신,김하늘"
).split(",")
_PLACES = "Rome,Paris,London,Leeds,Turin,Oslo,Vienna,Ghent,the Brass Gate,한강".split(",")
QUESTIONS = [
    *(f"Whom did {name} meet?" for name in _NAMES),
    *(f"Who met in {place}?" for place in _PLACES),
]
_FOLDERS = ("", "one", "two")


class LivingFolder:
    """Text files in a folder and two below it, at most ``most`` names in each.

    Each sentence tells the edition of its file; every text has another one.
    """

    def __init__(self, place: Path, chance: random.Random, most: int) -> None:
        self.place, self._chance, self._most = place, chance, most
        self._edition = 0

    def fill(self) -> None:
        """Writes the ``most`` files of the folder itself."""
        self.place.mkdir(parents=True, exist_ok=True)
        for number in range(self._most):
            (self.place / f"{number}.txt").write_text(self._text(), encoding="utf-8")

    def change(self) -> None:
        """Writes, moves or deletes a file, or deletes a folder below."""
        files = list(self.place.rglob("*.txt"))
        kind = self._chance.random()
        folder = self.place / self._chance.choice(_FOLDERS)
        target = folder / f"{self._chance.randrange(self._most)}.txt"
        target.parent.mkdir(exist_ok=True)
        if kind < 0.6 or len(files) < 3:
            target.write_text(self._text(), encoding="utf-8")
        elif kind < 0.8:
            os.replace(self._chance.choice(files), target)
        elif kind < 0.97:
            self._chance.choice(files).unlink()
        elif folder != self.place and any(folder not in file.parents for file in files):
            shutil.rmtree(folder)

    def _text(self) -> str:
        self._edition += 1
        return " ".join(self._sentence() for _ in range(self._chance.randrange(1, 12)))

    def _sentence(self) -> str:
        one, other = self._chance.sample(_NAMES, 2)
        place, year = self._chance.choice(_PLACES), self._chance.randrange(1810, 1900)
        return f"In edition {self._edition}, {one} met {other} in {place} in {year}."


def editions(text: str) -> set[str]:
    """The editions that a text tells."""
    return {part.split(",")[0] for part in text.split("In edition ")[1:]}
