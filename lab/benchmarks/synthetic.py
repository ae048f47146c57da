"""A corpus of any size, made up, with the statistics of Wikipedia's introductions.

``python -m lab.benchmarks.synthetic FOLDER`` writes one as a question set;
``text_statistics`` compares it with real ones. Words and names have frequencies by the law of Zipf
and Mandelbrot without an end, so that new ones keep coming as Heaps' law says.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from functools import lru_cache
from itertools import islice
from math import exp
from pathlib import Path
from typing import NamedTuple

from ragraphs.state.records import Document

from ..command import run
from .synthetic_sentences import (
    BIRTHS,
    DEFINITIONS,
    FORMS,
    GENERAL,
    MONTHS,
    ORIGINS,
    SAID,
    SHORT_FORMS,
    TAILS,
    Kind,
)

_ONSETS = "b br c ch cl d dr f fl g gl gr h j k l m n p pl pr qu r s sc sh st t th tr v w z".split()
_VOWELS = "a e i o u ai ea ee ia ie io oa ou".split()
_CODAS = ["", *"ck l ld ll m n nd ng nt p r rd rk rn rt st t".split()]
_KINDS: tuple[Kind, ...] = ("person", "work", "person", "place", "organisation")
_PRONOUNS: dict[Kind, str] = {"person": "He", "place": "It", "organisation": "It", "work": "It"}
_SLOTS: dict[str, Kind] = {"p": "person", "l": "place", "o": "organisation", "w": "work"}
_MEDIAN_WORDS, _SPREAD_OF_WORDS, _MOST_WORDS = 58.0, 0.68, 280.0  # natural logarithm's deviation
_MEDIAN_SENTENCE, _SPREAD_OF_SENTENCE = 19.0, 0.32
# Width and tail of frequencies: a rank of r or more has the probability (1 + r / width) ** -tail.
_NOUNS, _VERBS, _NAMES = (250.0, 0.55), (100.0, 0.6), (16.0, 0.3)
_FIRST_NAMES, _LAST_NAMES, _NAMING_WORDS = (40.0, 1.2), (400.0, 0.35), (150.0, 0.35)
_NEAR = 50  # passages back, to which a passage refers
_LINKED = 0.4  # of the passages name a person of another
_NEW_NAMES = 0.6  # of all other names are in one passage alone


class Fact(NamedTuple):
    """A question, and the ids of the passages that together answer it."""

    question: str
    answer: str
    supporting: list[str]


class SyntheticPassage(NamedTuple):
    """A passage, and questions that end in it: of one hop and of two."""

    document: Document
    facts: list[Fact]


def main(folder: Path, passages: int = 200, questions: int = 300, seed: int = 0) -> None:
    """Writes ``passages.jsonl``, and ``questions.jsonl`` about passages spread over all of them."""
    folder.mkdir(parents=True, exist_ok=True)
    facts: list[list[Fact]] = []
    with (folder / "passages.jsonl").open("w", encoding="utf-8") as file:
        for made in islice(passages_with_facts(seed), passages):
            place = int(made.document["id"]) % 100  # by which a filter leaves any share
            file.write(json.dumps({**made.document, "place": place}) + "\n")
            if made.facts:
                facts.append(made.facts)
    chosen = facts[:: max(1, len(facts) // questions)][:questions]
    with (folder / "questions.jsonl").open("w", encoding="utf-8") as file:
        for number, some in enumerate(chosen):
            fact = some[number % len(some)]
            hops = "one hop" if len(fact.supporting) == 1 else "two hops"
            file.write(json.dumps({**fact._asdict(), "type": hops}) + "\n")


def made_up(count: int, seed: int = 0) -> Iterator[Document]:
    """``count`` documents of one passage each, the same for the same ``seed``.

    The first are the same however many follow. No sentence is written twice.

    >>> documents = list(made_up(200))
    >>> documents[0]["title"], documents[0]["text"]
    """
    return (made.document for made in islice(passages_with_facts(seed), count))


def passages_with_facts(seed: int = 0) -> Iterator[SyntheticPassage]:
    """Passages without an end, with questions about each."""
    said: set[int] = set()
    number = 0
    while True:
        yield _Writer(seed, number, said).written()
        number += 1


class _Writer:
    """Writes the passage of a ``number``; ``said`` has the hashes of all sentences before."""

    def __init__(self, seed: int, number: int, said: set[int]) -> None:
        self._seed, self._number, self._said = seed, number, said
        self._chance = random.Random(f"{seed}:{number}")
        self._kind = _KINDS[number % len(_KINDS)]
        self._title = _title(number, seed)

    def written(self) -> SyntheticPassage:
        wanted = min(_around(self._chance, _MEDIAN_WORDS, _SPREAD_OF_WORDS), _MOST_WORDS)
        sentences = [self._once(lambda: self._sentence(DEFINITIONS[self._kind], self._title))]
        told, facts = self._facts()
        sentences += told
        left = wanted - sum(len(said.split()) for said in sentences)
        while left > _MEDIAN_SENTENCE / 2:
            sentences.append(self._once(self._further))
            left -= len(sentences[-1].split())
        text = " ".join(sentences)
        return SyntheticPassage(
            {"id": str(self._number), "title": self._title, "text": text}, facts
        )

    def _once(self, write: Callable[[], str]) -> str:
        """A sentence of ``write`` that was not written before."""
        while (code := hash(sentence := write())) in self._said:
            pass
        self._said.add(code)
        return sentence

    def _facts(self) -> tuple[list[str], list[Fact]]:
        """Sentences with the facts that questions ask for, and these."""
        sentences, facts, id = [], [], str(self._number)
        if self._kind == "person":
            place, year = _birth(self._number, self._seed)
            born = self._chance.choice(BIRTHS).format(s=self._title, l=place, y=year)
            sentences.append(self._once(lambda: self._longer(born)))
            facts.append(Fact(f"Where was {self._title} born?", place, [id]))
        other = self._number - self._chance.randint(1, _NEAR)
        other -= _KINDS[other % len(_KINDS)] != "person"  # no two other kinds follow each other
        if self._chance.random() < _LINKED and other >= 0 and _KINDS[other % 5] == "person":
            origin, asked, asked_on = ORIGINS[self._kind]
            name, (place, _) = _title(other, self._seed), _birth(other, self._seed)
            told = origin.replace("{s}", self._title).replace("{p}", name)
            sentences.append(self._once(lambda: self._longer(self._filled(told))))
            facts.append(Fact(asked.format(s=self._title), name, [id]))
            facts.append(Fact(asked_on.format(s=self._title), place, [id, str(other)]))
        return sentences, facts

    def _further(self) -> str:
        if self._chance.random() < 0.55:
            return self._sentence(GENERAL, "")
        subject = self._short() if self._chance.random() < 0.4 else _PRONOUNS[self._kind]
        return self._sentence(SAID[self._kind], subject)

    def _short(self) -> str:
        return self._title.rpartition(" ")[2] if self._kind == "person" else self._title

    def _sentence(self, forms: tuple[str, ...], subject: str) -> str:
        form = self._chance.choice(forms).replace("{s}", subject)
        return self._longer(self._filled(form))

    def _longer(self, start: str) -> str:
        """A whole sentence of a random length that begins with ``start``."""
        sentence, wanted = start, _around(self._chance, _MEDIAN_SENTENCE, _SPREAD_OF_SENTENCE)
        while len(sentence.split()) < wanted - 3:
            sentence += self._filled(self._chance.choice(TAILS))
        return f"{sentence}."

    def _filled(self, form: str) -> str:
        parts = form.split("{")
        return parts[0] + "".join(self._slot(part[0]) + part[2:] for part in parts[1:])

    def _slot(self, slot: str) -> str:
        chance = self._chance
        match slot:
            case "p" | "l" | "o" | "w":
                return self._name(_SLOTS[slot])
            case "n" | "a":
                return _word("", _rank(chance, *_NOUNS))
            case "v":
                return _participle(_rank(chance, *_VERBS))
            case "y":
                return str(1700 + int(325 * chance.random() ** 0.4))
            case "k":
                return f"{int(exp(chance.uniform(0.7, 12))):,}"
            case "d":
                return f"{chance.choice(MONTHS)} {chance.randint(1, 28)}, {self._slot('y')}"
        raise ValueError(slot)

    def _name(self, kind: Kind) -> str:
        if self._chance.random() < _NEW_NAMES:
            return _named(kind, f"{self._seed}:{self._number}:{self._chance.random()}")
        return _known(kind, self._seed, _rank(self._chance, *_NAMES))


def _title(number: int, seed: int) -> str:
    return _named(_KINDS[number % len(_KINDS)], f"{seed}:title:{number}")


def _birth(number: int, seed: int) -> tuple[str, int]:
    """The place and the year of birth of the person of a passage."""
    chance = random.Random(f"{seed}:born:{number}")
    return _known("place", seed, _rank(chance, *_NAMES)), chance.randint(1700, 2000)


@lru_cache(maxsize=100_000)
def _known(kind: Kind, seed: int, rank: int) -> str:
    return _named(kind, f"{seed}:known:{rank}", SHORT_FORMS[kind] if rank < 20 else FORMS[kind])


def _named(kind: Kind, key: str, forms: tuple[str, ...] = ()) -> str:
    """The name of a thing of a ``kind``, the same for the same ``key``."""
    chance = random.Random(f"{kind}:{key}")
    form = chance.choice(forms or FORMS[kind])
    if kind == "person":
        words = [_word("first", _rank(chance, *_FIRST_NAMES)) for _ in range(form.count("{}") - 1)]
        words.append(_word("last", _rank(chance, *_LAST_NAMES)))
    else:
        words = [_word(kind, _rank(chance, *_NAMING_WORDS)) for _ in range(form.count("{}"))]
    return form.format(*(word.capitalize() for word in words))


def _rank(chance: random.Random, width: float, tail: float) -> int:
    """A rank from 0 on, by the law of Zipf and Mandelbrot."""
    return int(min(width * ((1 - chance.random()) ** (-1 / tail) - 1), 1e12))


@lru_cache(maxsize=200_000)
def _word(kind: str, rank: int) -> str:
    """The made-up word of a rank among the words of a ``kind``; frequent ones are shorter."""
    chance = random.Random(f"{kind}:{rank}")
    syllables = 1 if rank < 30 and not kind else 2 if rank < 3000 else 3
    parts = [chance.choice(_ONSETS) + chance.choice(_VOWELS) for _ in range(syllables)]
    word = "".join(parts) + chance.choice(_CODAS)
    return word if len(word) > 2 else word + "n"


def _participle(rank: int) -> str:
    return _word("verb", rank).rstrip("aeiou") + "ed"


def _around(chance: random.Random, median: float, spread: float) -> float:
    return median * exp(chance.gauss(0, spread))


if __name__ == "__main__":
    run(main)
