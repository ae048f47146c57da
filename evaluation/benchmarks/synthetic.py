"""A corpus of any size, made up: people, towns, films and companies that mention one another.

``python -m ragraphs.evaluation.benchmarks.synthetic FOLDER`` writes one as a question set.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path

from ...state.records import Document
from ..command import run

_ONSETS = "B Br C Cl D Dr F Fl G Gr H J K Kl L M N P Pr R S St T Tr V W".split()
_VOWELS = "a e i o u ai ea ia oa".split()
_CODAS = "l ld lm m n nd nt r rn rt s sk st th x".split()
_WORKS = ["film", "novel", "opera", "play"]
_TRADES = ["engineer", "painter", "composer", "chemist", "architect", "novelist"]


def main(folder: Path, passages: int = 200, questions: int = 10) -> None:
    """Writes ``passages.jsonl``, and ``questions.jsonl`` about the first passages."""
    documents = list(made_up(passages))
    asked = [
        {"question": f"In which year was {one['title']} founded?", "supporting": [one["id"]]}
        for one in documents[:questions]
    ]
    folder.mkdir(parents=True, exist_ok=True)
    for name, rows in (("passages", documents), ("questions", asked)):
        lines = (json.dumps(row) + "\n" for row in rows)
        (folder / f"{name}.jsonl").write_text("".join(lines), encoding="utf-8")


def made_up(count: int, seed: int = 0) -> Iterator[Document]:
    """``count`` documents of one passage each (about 60 words), the same for the same ``seed``.

    Each is about one of ``count`` distinct names and mentions a few others, near ones more often.
    """
    names = _names(count, random.Random(seed))
    for number, name in enumerate(names):
        chance = random.Random(f"{seed}:{number}")
        others = [names[_near(number, count, chance)] for _ in range(5)]
        yield {"id": str(number), "title": name, "text": _text(number, name, others, chance)}


def _names(count: int, chance: random.Random) -> list[str]:
    found: dict[str, None] = {}
    while len(found) < count:
        found[f"{_word(chance)} {_word(chance)}"] = None
    return list(found)


def _word(chance: random.Random) -> str:
    first = chance.choice(_ONSETS) + chance.choice(_VOWELS)
    return first + chance.choice(_ONSETS).lower() + chance.choice(_VOWELS) + chance.choice(_CODAS)


def _near(number: int, count: int, chance: random.Random) -> int:
    """Another document, mostly one of the hundred around this one."""
    if chance.random() < 0.2:
        return chance.randrange(count)
    return (number + chance.randint(-50, 50)) % count


def _text(number: int, name: str, others: list[str], chance: random.Random) -> str:
    year = chance.randint(1700, 2000)
    a, b, c, d, e = others
    if number % 3 == 0:
        trade = chance.choice(_TRADES)
        return (
            f"{name} was a {trade} who was born in {a} in {year}. After years in {b}, {name} met "
            f"{c} and founded a school there in {year + 31}. The school was rebuilt by {d} after a "
            f"fire. {name} died in {e} in {year + 70}, leaving {chance.randint(3, 900)} letters."
        )
    if number % 3 == 1:
        return (
            f"{name} is a town on the river {a}. It was founded by {b} in {year} and has "
            f"{chance.randint(1000, 99999):,} inhabitants. Its theatre was designed by {c}, and "
            f"the bridge that leads to {d} was opened in {year + 40}. It is the home of {e}."
        )
    work = chance.choice(_WORKS)
    return (
        f"{name} is a {work} from {year} by {a}. It tells the story of {b}, who leaves {c} in "
        f"search of a lost brother. It was first shown in {d} and won a prize in {year + 2}. "
        f"A sequel was written by {e}, who called {name} a turning point."
    )


if __name__ == "__main__":
    run(main)
