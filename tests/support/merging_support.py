"""Facts of passages to merge, and what became of them."""

from ragraphs.algorithms.entities.merging import merge_facts
from ragraphs.algorithms.entities.senses import FoundFacts


def facts(passage, entities, relations=(), claims=(), title="", text=None):
    """``entities`` are names or (name, type[, description]); ``relations`` (a, phrase, b[, n])."""
    whole = [(e,) if isinstance(e, str) else e for e in entities]
    return FoundFacts(
        passage,
        title or f"title {passage}",
        ", ".join(e[0] for e in whole) if text is None else text,
        {
            "entities": [
                dict(zip(("name", "type", "description"), (*e, "", ""), strict=False))
                for e in whole
            ],
            "relations": [
                dict(
                    zip(
                        ("source", "relation", "target", "strength"),
                        (*r, 5.0)[:4],
                        strict=True,
                    )
                )
                for r in relations
            ],
            "claims": list(claims),
        },
    )


def claim(subject, description, object=""):
    return {
        "subject": subject,
        "object": object,
        "type": "claim",
        "status": "true",
        "description": description,
        "quote": description,
        "start_date": "",
        "end_date": "",
    }


def groups(graph):
    return {frozenset(entity.aliases) for entity in graph.entities}


def merged(*names, type="", **kwargs):
    """Whether names, each in a passage of its own, become one entity."""
    found = [facts(f"p{i}", [(name, type)]) for i, name in enumerate(names)]
    return len(merge_facts(found, **kwargs).entities) == 1


def entity(graph, name):
    return next(e for e in graph.entities if name in e.aliases)
