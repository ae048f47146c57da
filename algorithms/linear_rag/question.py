"""The question in graph retrieval: the entities that it names, and the rest of its text."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from ...language.analyser import STOP_WORDS, strip_particle, terms
from ...language.mentions import key, question_mentions
from .passage_graph import WholeGraph

LONGEST_NAME = 8
UNCAPITALISED = 0.05
UNCERTAIN = 0.3
MIN_TERM_RARITY = 0.3
MIN_OVERLAP = 0.3
MAX_PARTIAL = 5


class Seed(NamedTuple):
    """Characters ``[start, end)`` of the question name ``entity``, with a weight in (0, 1]."""

    start: int
    end: int
    entity: int
    weight: float


@dataclass(frozen=True)
class QuestionParts:
    """A question with the entities it names.

    ``rest`` is the text without the names, ``terms`` are the index terms of the whole question and
    ``rest_terms`` the terms outside the names.
    """

    seeds: tuple[Seed, ...]
    rest: str
    terms: tuple[str, ...]
    rest_terms: tuple[str, ...]


_TOKEN = re.compile(r"[^\W_]+")
_HANGUL_END = re.compile(r"[가-힣]$")


def read_question(graph: WholeGraph, question: str) -> QuestionParts:
    """Link ``question`` to the entities of ``graph``; any text is accepted."""
    exact = _exact_seeds(graph, question)
    seeds = sorted([*exact, *_partial_seeds(graph, question, exact)])
    rest, named, end = "", set[str](), 0
    for seed in seeds:
        if seed.weight == 1 and seed.start >= end:
            rest += question[end : seed.start]
            end = seed.end
        if seed.weight == 1:
            named.update(terms(question[seed.start : seed.end]))
    found = terms(question)
    return QuestionParts(
        seeds=tuple(seeds),
        rest=" ".join((rest + question[end:]).split()),
        terms=tuple(found),
        rest_terms=tuple(term for term in found if term not in named),
    )


def _exact_seeds(graph: WholeGraph, question: str) -> list[Seed]:
    """Runs of words that are an entity's key, the longest first, without overlap."""
    tokens = [match.span() for match in _TOKEN.finditer(question)]
    used = [False] * len(tokens)
    seeds: list[Seed] = []
    for length in range(min(LONGEST_NAME, len(tokens)), 0, -1):
        for i in range(len(tokens) - length + 1):
            if any(used[i : i + length]):
                continue
            start, end = tokens[i][0], tokens[i + length - 1][1]
            seed = _seed(graph, question, start, end, opening=i == 0)
            if seed:
                seeds.append(seed)
                used[i : i + length] = [True] * length
    return seeds


def _seed(graph: WholeGraph, question: str, start: int, end: int, opening: bool) -> Seed | None:
    """The entity that ``question[start:end]`` names, if any, by the look of its words."""
    written = question[start:end]
    entity = graph.keys.get(key(written))
    if entity is None and _HANGUL_END.search(written):
        head, _, last = written.rpartition(" ")
        entity = graph.keys.get(key(f"{head} {strip_particle(last)}"))
    if entity is None or not _may_be_name(written):
        return None
    words = [word for word in _TOKEN.findall(written) if word.lower() not in STOP_WORDS]
    single = not re.search(r"[\s\-]", written)
    # A title of function words alone, such as The Do-Over, is a name by its capitals.
    capital = any(not word[0].islower() for word in words) and not (opening and single)
    capital = capital or not words
    if single and not capital and (not graph.titled[entity] or _common(graph, written)):
        return None
    certain = 1.0 if graph.certain[entity] else UNCERTAIN
    return Seed(start, end, entity, (1.0 if capital else UNCAPITALISED) * certain)


def _may_be_name(written: str) -> bool:
    """Whether it has a content word and function words only inside, or is spelt like a title."""
    words = _TOKEN.findall(written)
    capitals = sum(word[0].isupper() for word in words)
    if capitals >= 2 and all(word[0].isupper() for word in words if len(word) > 3):
        return True
    article = words[0].lower() in {"the", "a", "an"} and len(words) > 1
    opens = words[0].lower() in STOP_WORDS and not article
    return bool(terms(written)) and not opens and words[-1].lower() not in STOP_WORDS


def _common(graph: WholeGraph, written: str) -> bool:
    """Whether a word is frequent in the passages, by the least rare of its terms."""
    ids = map(graph.vocabulary.get, terms(written))
    rarest = min((float(graph.term_rarity[id]) for id in ids if id is not None), default=math.inf)
    return rarest < MIN_TERM_RARITY * math.log(max(graph.total, 2))


def _partial_seeds(graph: WholeGraph, question: str, exact: list[Seed]) -> list[Seed]:
    """Entities that share the rare words of a name no entity bears as a whole.

    Overlap is Σ idf of common words / Σ idf of all words of both, idf over the entities' keys.
    """
    seeds = []
    for mention in question_mentions(question):
        taken = any(s.start < mention.end and mention.start < s.end for s in exact)
        words = {word for word in mention.key.split() if word not in STOP_WORDS}
        if taken or mention.kind in {"date", "number"} or not words:
            continue
        ranked = sorted(_overlaps(graph, words).items(), key=lambda item: (-item[1], item[0]))
        kept = [(e, overlap) for e, overlap in ranked[:MAX_PARTIAL] if overlap >= MIN_OVERLAP]
        total = sum(overlap for _, overlap in kept)
        for entity, overlap in kept:
            weight = kept[0][1] * overlap / total
            seeds.append(Seed(mention.start, mention.end, entity, min(weight, 0.99)))
    return seeds


def _overlaps(graph: WholeGraph, words: set[str], most: int = 50) -> dict[int, float]:
    """The overlap of ``words`` with each entity that contains a word of at most ``most``."""
    bearing = lru_cache(maxsize=None)(graph.bearing)

    def rarity(word: str) -> float:
        return math.log1p(len(graph.keys) / (1 + len(bearing(word))))

    near = [bearing(word) for word in words]
    found = {}
    for entity in {id for ids in near if len(ids) <= most for id in ids.tolist()}:
        other = {word for word in graph.keys[entity].split() if word not in STOP_WORDS}
        union = sum(map(rarity, words | other))
        found[entity] = sum(map(rarity, words & other)) / union if union else 0.0
    return found
