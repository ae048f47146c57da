"""Linking a question to the entities that it names (ToG-2, step 0)."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

from ...language.analyser import STOP_WORDS
from ...language.mentions import normalised, question_mentions
from ...state.tog2 import TopicEntity
from .walk import KnowledgeGraph

if TYPE_CHECKING:
    from ..entities.spans import SpellingIndex


LINK_FLOOR = 0.6


def link_question(graph: KnowledgeGraph, names: SpellingIndex, question: str) -> list[TopicEntity]:
    """Topic entities that ``question`` names, exactly or by an alias, by position.

    The longest names count; homonyms are linked apart. Single common words and numbers count only
    where nothing else is named.
    """
    any_case = question == question.lower()
    links: list[TopicEntity] = []
    certain: list[bool] = []
    for entity, start, end in names.find(question, any_case):
        written = question[start:end]
        single = len(written.split()) == 1
        opening = not re.search(r"\w", question[:start])
        if single and written.lower() in STOP_WORDS and (opening or written.islower()):
            continue
        name = graph.name_of(entity)
        links.append(
            {
                "entity": entity,
                "start": start,
                "end": end,
                "how": "exact" if normalised(written) == normalised(name) else "alias",
                "score": 1.0,
                "name": name,
            }
        )
        certain.append(not single or not (written[0].islower() or written[0].isdigit()))
    if any(certain):
        return [link for link, sure in zip(links, certain, strict=True) if sure]
    return links


def unlinked_names(question: str, links: Iterable[TopicEntity]) -> list[tuple[int, int]]:
    """Where the question has names and quotations outside ``links``; all of it if it has none."""
    taken = [(link["start"], link["end"]) for link in links]
    found = [
        (mention.start, mention.end)
        for mention in question_mentions(question)
        if mention.kind in {"name", "quoted"}
        and not any(start < mention.end and mention.start < end for start, end in taken)
    ]
    return found or ([] if taken else [(0, len(question))])
