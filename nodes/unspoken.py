"""Telling that no passage of an index speaks of what a question names."""

from __future__ import annotations

from collections.abc import Sequence

from ..index.opening import Index
from ..language.analyser import is_korean
from ..state.records import Evidence, Passage

_LOOKED_AT = 20  # passages with words of a name


def unspoken(index: Index, question: str, evidence: Sequence[Evidence]) -> list[str]:
    """A sentence on the names in ``question`` of which no passage of ``index`` speaks, if any.

    Nothing is said of names in another script than the nearest passage, which may spell them in
    its own. Blocks.
    """
    from ..algorithms.doubts import names_in, speaks_of  # their patterns take long to compile

    def is_known(name: str) -> bool:
        held = [id for id, _ in index.catalogue.search_terms(name, _LOOKED_AT)]
        passages: list[Passage] = [*evidence, *index.catalogue.passages(held)]
        return any(speaks_of(f"{one['title']}\n{one['text']}", name) for one in passages)

    nearest = is_korean(evidence[0]["text"])
    names = [name for name in names_in(question) if is_korean(name) == nearest]
    unknown = [name for name in names if not is_known(name)]
    return [f"No passage speaks of {' or '.join(unknown)}."] if unknown else []
