"""The statistics of question sets beside the made-up corpus, which is to resemble them.

``python -m lab.benchmarks.text_statistics SET...`` prints a table in Markdown.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from itertools import chain
from math import log
from statistics import mean, quantiles
from typing import NamedTuple

import typer
from ragraphs.evaluation.datasets import load_dataset
from ragraphs.language.analyser import sentences, words
from ragraphs.language.mentions import find_mentions
from ragraphs.offline.extraction.extract import extract_facts
from ragraphs.offline.questions import write_questions
from ragraphs.state.records import Document

from ..command import Sets, run
from .synthetic import made_up

_COMMON = 100
_RUNNING_WORDS = 50_000


def main(sets: Sets, passages: int = 1900, seed: int = 0) -> None:
    """A row for each figure, a column for each set, for their mean, and for the made-up corpus."""
    found = [
        (folder.rstrip("/").rpartition("/")[2], statistics(_passages(folder))) for folder in sets
    ]
    mine = statistics(list(made_up(passages, seed)))
    typer.echo(f"| | {' | '.join(name for name, _ in found)} | mean | made up | made up / mean |")
    typer.echo("|---|" + "---:|" * (len(found) + 3))
    for row, value in mine.items():
        theirs = [figures[row] for _, figures in found]
        cells = [*theirs, mean(theirs), value, value / mean(theirs) if any(theirs) else 1.0]
        typer.echo(f"| {row} | {' | '.join(f'{cell:.3g}' for cell in cells)} |")


def statistics(passages: Sequence[Document]) -> dict[str, float]:
    """Figures of a corpus, by what they say of it."""
    read = [_read(each["title"], each["text"]) for each in passages]
    return {
        **_lengths(read),
        **_vocabulary(list(chain.from_iterable(each.words for each in read))),
        **_names(read),
        **_found(read),
    }


class _Read(NamedTuple):
    words: list[str]
    sentences: list[str]
    names: set[str]
    entities: set[str]
    relations: int
    incoming: list[str]
    outgoing: list[str]


def _read(title: str, text: str) -> _Read:
    facts, questions = extract_facts(title, text), write_questions(title, text)
    return _Read(
        words(text),
        [span.plain for span in sentences(text)],
        {each.key for each in find_mentions(title, text) if each.kind in {"name", "quoted"}},
        {each["name"] for each in facts["entities"]},
        len(facts["relations"]),
        questions.incoming,
        questions.outgoing,
    )


def _lengths(read: Sequence[_Read]) -> dict[str, float]:
    lengths = [float(len(each.words)) for each in read]
    tenths = quantiles(lengths, n=10)
    spoken = [float(len(words(said))) for each in read for said in each.sentences]
    repeated = _share_met_again(chain.from_iterable(each.sentences for each in read))
    return {
        "words a passage": mean(lengths),
        "… in the shortest tenth": tenths[0],
        "… in the longest tenth": tenths[-1],
        "sentences a passage": _mean(len(each.sentences) for each in read),
        "words a sentence": mean(spoken),
        "share of sentences that were met before": repeated,
    }


def _vocabulary(running: Sequence[str]) -> dict[str, float]:
    running = running[:_RUNNING_WORDS]
    counts = Counter(running)
    common = sum(count for _, count in counts.most_common(_COMMON))
    half = len(set(running[: len(running) // 2]))
    return {
        "distinct words in the first 50,000": len(counts),
        "Heaps' exponent": log(len(counts) / half) / log(2),
        "share of the 100 commonest words": common / len(running),
        "share of distinct words that are met once": _share(counts, lambda n: n == 1),
    }


def _names(read: Sequence[_Read]) -> dict[str, float]:
    counts = Counter(chain.from_iterable(each.names for each in read))
    named = Counter(chain.from_iterable(name.split() for name in counts))
    return {
        "names a passage": _mean(len(each.names) for each in read),
        "distinct names a passage": len(counts) / len(read),
        "share of names in one passage only": _share(counts, lambda n: n == 1),
        "share of names in ten passages or more": _share(counts, lambda n: n >= 10),
        "share of passages with the commonest name": counts.most_common(1)[0][1] / len(read),
        "distinct words in names, by distinct names": len(named) / len(counts),
    }


def _found(read: Sequence[_Read]) -> dict[str, float]:
    asked = chain.from_iterable((*each.incoming, *each.outgoing) for each in read)
    entities: set[str] = set().union(*(each.entities for each in read))
    return {
        "entities a passage": _mean(len(each.entities) for each in read),
        "distinct entities a passage": len(entities) / len(read),
        "relations a passage": _mean(each.relations for each in read),
        "questions answered by a passage": _mean(len(each.incoming) for each in read),
        "questions raised by a passage": _mean(len(each.outgoing) for each in read),
        "share of questions that were met before": _share_met_again(asked),
    }


def _passages(folder: str) -> list[Document]:
    with load_dataset(folder).passages.open(encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def _mean(values: Iterable[int]) -> float:
    return mean(map(float, values))


def _share(counts: Counter[str], kept: Callable[[int], bool]) -> float:
    return sum(map(kept, counts.values())) / len(counts)


def _share_met_again(found: Iterable[str]) -> float:
    counts = Counter(found)
    return 1 - len(counts) / counts.total()


if __name__ == "__main__":
    run(main)
