"""Assigning the facts of a whole document to its passages."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ...state.facts import PassageFacts


def share_facts(facts: PassageFacts, texts: Sequence[str]) -> list[PassageFacts]:
    """The facts of each passage of a document; ``facts`` are found in the document as a whole.

    A relation goes to the passages that have both of its names, else to those that have one, else
    to the first, so that none is lost; entities go where their names or relations are.
    """
    if len(texts) == 1:
        return [facts]
    plain = [_plain(text) for text in texts]
    shared: list[PassageFacts] = [{"entities": [], "relations": [], "claims": []} for _ in texts]
    places = {
        entity["name"]: _having([entity["name"]], plain, least=1) for entity in facts["entities"]
    }
    used: dict[str, set[int]] = {name: set(found) for name, found in places.items()}
    for relation in facts["relations"]:
        names = [relation["source"], relation["target"]]
        for place in _best(names, plain):
            shared[place]["relations"].append(relation)
            for name in names:
                used.setdefault(name, set()).add(place)
    for claim in facts["claims"]:
        quoted = _having([claim["quote"]], plain, least=1) if claim["quote"].strip() else []
        for place in quoted or _best([claim["subject"]], plain):
            shared[place]["claims"].append(claim)
            used.setdefault(claim["subject"], set()).add(place)
    for entity in facts["entities"]:
        for place in sorted(used[entity["name"]]) or [0]:
            shared[place]["entities"].append(entity)
    return shared


def _best(names: Sequence[str], plain: Sequence[str]) -> list[int]:
    """The passages with all names, else those with one, else the first."""
    return _having(names, plain, len(names)) or _having(names, plain, 1) or [0]


def _having(names: Iterable[str], plain: Sequence[str], least: int) -> list[int]:
    wanted = [_plain(name) for name in names]
    return [
        place for place, text in enumerate(plain) if sum(name in text for name in wanted) >= least
    ]


def _plain(text: str) -> str:
    return " ".join(text.split()).casefold()
