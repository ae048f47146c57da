"""Telling that no passage of an index speaks of what a question asks about."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from difflib import get_close_matches

from ..index.opening import Index
from ..index.readers import offline_reader
from ..index.vector_worth import worth_for
from ..language.analyser import content_words, is_korean, strip_particle, words
from ..language.patterns import regex
from ..offline.lines import asked_marks, marks, telling_words
from ..prompts.prompt import number_passages
from ..state.records import Evidence, Passage

_ALIKE = 0.8  # of the letters, in order
_LOOKED_AT = 20  # passages with words of a name
_COUNTED = 1000  # passages with a word; it is a common one then
# Of the weight of the question's words, that one passage has; where vectors are worth it, together
# with the cosine of its nearest sentence. docs/benchmarks.md tells what stays below.
_LEAST_SHARE, _LEAST_ALIKE = 0.18, 0.68
_NAMED = 3
_IS_ENGLISH = 0.25  # of the words are function words
# Words that any documents are asked about with, whatever they tell of.
_OF_ANY = regex(
    r"(?i)^(?:(?:document|file|folder|paper|page|note|text|article|corpus|collection|index|librar"
    r"|content|theme|topic|subject|point|idea|thing|part|everything|overview|gist|outline|summar"
    r"|main|key|central|important|overall|general|whole|entire|short|brief|tell|give|show|say|said"
    r"|cover|contain|discuss|describe|mention|talk|deal|concern|list)(?:s|ed|es|y|ies|ise|ize|ing)?"
    r"|(?:문서|파일|폴더|자료|글|내용|요약|정리|주제|전체|개요|핵심|주요|여기|이것|설명|소개)들?"
    r"(?:[은는이가을를의도]|에서?는?|으?로|한|적인?|하라|하면|해(?:줘|주세요|라)?)?"
    r"|(?:대한|대해|대하여|관한|관해|다루는|다룬|담긴|담고|나오는|나온|보여|해|줘|주세요|줄래)요?)$"
)


def unspoken(index: Index, question: str, evidence: Sequence[Evidence]) -> list[str]:
    """A sentence on what ``question`` asks about of which no passage of ``index`` speaks, if any.

    These are names that stand nowhere, or words of which the nearest passages hold too few. Nothing
    is said of words in another script than the nearest passage, which may spell them in its own,
    nor in another language, of which vectors may know the words. Blocks.
    """
    known = (_worth(index, text) for text in (question, evidence[0]["text"]))
    near = evidence[:1] if all(known) else evidence
    scripts = {is_korean(one["text"]) for one in near}
    if unknown := _unknown_names(index, question, evidence, scripts):
        return [f"No passage speaks of {_either(unknown)}."]
    said = words(question)
    english = len(content_words(question)) <= (1 - _IS_ENGLISH) * len(said)
    alike = english or is_korean(question) or not index.embedder.semantic
    return (
        _too_little(index, question, evidence) if alike and is_korean(question) in scripts else []
    )


def asks_of_any(question: str) -> bool:
    """Whether ``question`` names no subject but the documents, as "What are the main themes?"."""
    return all(_OF_ANY.match(word) for word in telling_words(question))


def _unknown_names(
    index: Index, question: str, evidence: Sequence[Evidence], scripts: Collection[bool]
) -> list[str]:
    from ..algorithms.doubts import names_in, speaks_of  # their patterns take long to compile

    near = list(map(_whole, evidence))

    def is_said(text: str, name: str) -> bool:  # with a capital, if the name is not quoted small
        words = name.split()
        capital = name.islower() or any(speaks_of(text, word) for word in words)
        return capital and speaks_of(text, name)

    def is_known(name: str) -> bool:
        if any(is_said(text, name) for text in near):
            return True
        held = [id for id, _ in index.catalogue.search_terms(name, _LOOKED_AT)]
        texts = list(map(_whole, index.catalogue.passages(held)))
        if any(is_said(text, name) for text in texts):
            return True
        spelled = {word for text in near + texts for word in content_words(text)}  # perhaps a slip
        return bool(get_close_matches(name, spelled, 1, _ALIKE))

    names = [name for name in names_in(question) if is_korean(name) in scripts]
    return [name for name in names if not is_known(name)]


def _too_little(index: Index, question: str, evidence: Sequence[Evidence]) -> list[str]:
    """A sentence where no passage holds its share of the words, weighed by their rarity."""
    of = {mark: word for word in telling_words(question) for mark in asked_marks([word])}
    if not of:
        return []
    counts = dict(zip(of, index.catalogue.count_holding(of.values(), _COUNTED), strict=True))
    passages = index.catalogue.count_passages()
    weights = {mark: math.log(1 + passages / (0.5 + count)) for mark, count in counts.items()}
    if not (total := sum(weights.values())):
        return []  # the index has no passages: a retriever of one's own finds them elsewhere
    said = (marks(_whole(one)).intersection(of) for one in evidence)
    shares = [sum(weights[mark] for mark in held) / total for held in said]
    worth = _worth(index, question)
    least = _LEAST_SHARE + (_LEAST_ALIKE - _LEAST_SHARE) * worth
    if max(shares) >= least:
        return []
    if worth:
        near = offline_reader(index).nearest(question, number_passages(evidence))
        if max(shares) + max(near) >= least:
            return []
    absent = [mark for mark in of if not counts[mark]]
    rarest = sorted(absent or of, key=lambda mark: -weights[mark])[:_NAMED]
    named = [f"“{strip_particle(of[mark])}”" for mark in of if mark in rarest]
    return [f"No passage speaks of {_either(named) if absent else ' with '.join(named)}."]


def _worth(index: Index, text: str) -> float:
    """The worth in [0, 1] of vectors for the script of ``text``; 0 where they repeat words."""
    return worth_for(index, text) if index.embedder.semantic else 0.0


def _whole(passage: Passage) -> str:
    return f"{passage['title']}\n{passage['text']}"


def _either(names: Sequence[str]) -> str:
    *others, last = names
    return f"{', '.join(others)} or {last}" if others else last
