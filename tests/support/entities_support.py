"""A small corpus with facts, a model that reads it, and what an index then holds of it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from typing import Any

from ragraphs.index.entities import _entry
from ragraphs.stores import tables
from sqlalchemy import select

MODEL = "openai:stub"
TEXTS = {
    "bridge": "The Forth Bridge was designed by Benjamin Baker. It opened in 1890.",
    "engineer": "Benjamin Baker was born in Frome in 1840.",
    "town": "Frome is a town in Somerset.",
}
FACTS = {
    "Bridge": [("Forth Bridge", "was designed by", "Benjamin Baker")],
    "Engineer": [("Benjamin Baker", "was born in", "Frome")],
    "Town": [("Frome", "is a town in", "Somerset")],
}
TYPES = {"Benjamin Baker": "person", "Forth Bridge": "work"}


def documents(**texts: str) -> list[dict[str, str]]:
    return [{"id": id, "title": id.title(), "text": text} for id, text in texts.items()]


ALL = documents(**TEXTS)


def prompt_of(body: Any) -> str:
    """Which of the prompts a request renders."""
    human = body["messages"][1]["content"]
    for name, sign in {
        "read_passage": "Write the questions, entities",
        "extract_facts": "List the entities",
        "glean_check": "Was an entity missed",
        "glean": "List what was missed",
        "write_questions": "Write both lists",
        "summarise_description": "Write the one description",
        "resolve_entities": "Say which of the lines",
    }.items():
        if sign in human:
            return name
    raise AssertionError(human)


def title_in(body: Any) -> str:
    found = re.search(r'title="([^"]+)"', body["messages"][1]["content"])
    assert found is not None
    return found[1]


def facts_of(triples: Iterable[Sequence[str]], said_in: str = "") -> dict[str, list[Any]]:
    names = dict.fromkeys(name for source, _, target in triples for name in (source, target))
    return {
        "entities": [
            {"name": name, "type": TYPES.get(name, "place"), "description": f"{name}{said_in}."}
            for name in names
        ],
        "relations": [
            {"source": source, "relation": relation, "target": target, "strength": 5}
            for source, relation, target in triples
        ],
        "claims": [],
    }


def _said_at_length(title: str) -> Iterable[str]:
    """Words that make a description too long to be joined with another; one is in all of them."""
    return ["famous", *(f"{title.lower()}{number}" for number in range(40))]


def reply(body: Any) -> Any:
    """A model that reads every passage well."""
    prompt, title = prompt_of(body), title_in(body)
    questions = {"incoming": [f"What is {title}?"], "outgoing": [f"Who made {title}?"]}
    if prompt == "write_questions":
        return questions
    if prompt == "summarise_description":
        return {"description": f"All of {title}."}
    if prompt == "glean_check":
        return {"missed": False}
    if prompt == "resolve_entities":
        return {"same": []}
    facts = facts_of(FACTS.get(title, []), f" in {title}, where {' '.join(_said_at_length(title))}")
    return {**questions, **facts} if prompt == "read_passage" else facts


def build(
    indexing: Any, given: Any = ALL, layers: Iterable[str] = ("entities",), **context: Any
) -> Any:
    return indexing.run(documents=given, context={"layers": list(layers), **context})


def asked(model: Any, *prompts: str) -> list[Any]:
    return [body for body in model.chats if prompt_of(body) in prompts]


def reading_calls(model: Any) -> list[str]:
    later = {"summarise_description", "resolve_entities"}
    return [prompt_of(body) for body in model.chats if prompt_of(body) not in later]


def layer_of(indexing: Any) -> list[Any]:
    """Content of the layer, as it is exported."""
    lines = [json.loads(line) for line in indexing.export().splitlines()]
    return [line for line in lines if line["kind"] in {"facts", "entity", "relation"}]


def triples_of(indexing: Any) -> set[tuple[str, str, str]]:
    store = indexing.index.entities
    names = {entity.id: entity.name for entity in store.all_entities()}
    return {(names[one.source], one.relation, names[one.target]) for one in store.all_relations()}


def names_of(indexing: Any) -> list[str]:
    return sorted(entity.name for entity in indexing.index.entities.all_entities())


def rows_of(indexing: Any) -> str:
    """Every row of every table that is made of the facts, as one text."""
    with indexing.index.entities._engine.connect() as connection:
        return "\n".join(
            str(tuple(row))
            for name in (
                "entities descriptions aliases entity_passages mentions relations "
                "relation_passages claims merges readings"
            ).split()
            for row in connection.execute(select(tables.metadata.tables[name]))
        )


def vector_texts(indexing: Any) -> list[str]:
    """The texts that the vectors of entities were made of, as their ids tell."""
    entries = {entry.id: entry for entry in map(_entry, indexing.index.entities.all_entities())}
    return sorted(entries[id].text for id in indexing.index.vectors.ids("entities"))


ALL_TRIPLES = {triple for triples in FACTS.values() for triple in triples}
