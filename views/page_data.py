"""An index, and perhaps an answer from it, as the data of a page that needs no server."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from itertools import groupby, islice
from operator import itemgetter
from typing import Any

from pydantic import ConfigDict, TypeAdapter, ValidationError, with_config
from typing_extensions import TypedDict

from ..index.layers import built_layers
from ..index.opening import Index
from ..models.embeddings import identity
from ..state.answering import AnswerOutput
from ..state.errors import RagraphsError
from ..state.records import Passage
from ..stores.document_texts import DocumentTexts
from .communities import report_cards
from .community_map import community_map
from .entity_card import entity_cards
from .neighbourhood import whole_graph
from .overview import overview, sizes_of, title_of
from .quotation import shown
from .reading import places

MOST_PASSAGES = 10_000
MOST_ENTITIES = 2_000
_BEGINNING = 24


@with_config(ConfigDict(extra="allow"))
class _Printed(AnswerOutput):
    """An answer as ``ragraphs ask --json`` prints it; the fields of its method stand beside."""


_ANSWER = TypeAdapter(_Printed)


class _LeftOut(TypedDict):
    """The numbers of passages and entities for which the page has no room."""

    passages: int
    entities: int


def page_data(
    index: Index, methods: Sequence[Mapping[str, Any]], answer: object = None
) -> dict[str, Any]:
    """The data of an exported page of ``index``, to which all of its views lead.

    Of a large index come the first 10,000 passages with their documents, the 2,000 entities that
    most passages speak of, and the communities of its map; ``left_out`` counts the others.
    ``methods`` are the methods that the page knows: name, title, description and shown keys of
    each. ``answer`` is one that ``ragraphs ask --json`` printed. Blocks. Raises RagraphsError where
    it is something else.
    """
    told = None if answer is None else _answer(answer)
    layers = built_layers(index)
    passages = list(islice(index.catalogue.all_passages(), MOST_PASSAGES))
    entities: list[str] = []
    if "entities" in layers:
        entities = [one.id for one, _ in index.entities.largest(MOST_ENTITIES)]
    left_out = _left_out(index, layers, len(passages), len(entities))
    return {
        "state": {**_state(index, layers, left_out), "methods": methods, "title": title_of(index)},
        "answer": None if told is None else {**told, "lengths": lengths_of(index, told)},
        "overview": overview(index),
        "documents": _documents(index, passages),
        "passages": [shown(one) for one in passages],
        "entities": [_without_texts(one) for one in entity_cards(index, entities)],
        "graph": whole_graph(index, [one["id"] for one in passages], entities, _BEGINNING),
        **(_communities(index) if "communities" in layers else {}),
    }


def _answer(answer: object) -> Mapping[str, Any]:
    """An answer with the fields of its method as ``details``, as the router gives them."""
    try:
        _ANSWER.validate_python(answer)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"])) or "the whole"
        raise RagraphsError(
            "This is not the JSON of an answer, which `ragraphs ask --json` prints: "
            f"{place[:100]}: {first['msg']}"
        ) from error
    assert isinstance(answer, Mapping)
    own = {key: value for key, value in answer.items() if key not in AnswerOutput.__annotations__}
    tried = {key: answer[key] for key in ("method", "sufficient", "stop_reason")}
    return {"asked": "", "decision": None, "details": own, "path": [tried], **answer}


def _state(index: Index, layers: Sequence[str], left_out: _LeftOut) -> dict[str, Any]:
    """The state of a server that only shows."""
    return {
        "version": version("ragraphs"),
        "index": index.short_name,
        "indexes": [index.short_name],
        **sizes_of(index),
        "passages": index.catalogue.count_passages(),
        "layers": layers,
        "embeddings": identity(index.catalogue.property("embeddings")),
        "unfinished": [],
        "behind": {},
        "uploads": False,
        "corrections": False,
        "left_out": left_out,
    }


def _left_out(index: Index, layers: Sequence[str], passages: int, entities: int) -> _LeftOut:
    known = index.entities.counts()["entities"] if "entities" in layers else 0
    return {"passages": index.catalogue.count_passages() - passages, "entities": known - entities}


def _documents(index: Index, passages: Sequence[Passage]) -> list[dict[str, Any]]:
    """The documents of ``passages``, by id, without the paths of this machine."""
    counts = Counter(one["document"] for one in passages)
    lengths = DocumentTexts(index.engine).lengths(counts)
    own = {id: list(some) for id, some in groupby(passages, itemgetter("document"))}
    return [
        {
            "id": row["id"],
            "title": row["title"],
            "path": "",
            "passages": row["passages"],
            "characters": lengths[row["id"]],
            "metadata": row["metadata"],
            "places": places(own[row["id"]]),
        }
        for row in index.catalogue.documents()
        if row["id"] in counts
    ]


def lengths_of(index: Index, answer: Mapping[str, Any]) -> dict[str, int]:
    """The characters of each document of the evidence in ``answer``. Blocks."""
    documents = {one["document"] for one in [*answer["evidence"], *answer["citations"]]}
    return DocumentTexts(index.engine).lengths(documents)


def _without_texts(card: Mapping[str, Any]) -> dict[str, Any]:
    """A card that names its passages: their texts stand elsewhere in the data."""
    return {**card, "passages": [one["id"] for one in card["passages"]]}


def _communities(index: Index) -> dict[str, Any]:
    whole, related = community_map(index, orphans=True), community_map(index)
    ids = {one["id"] for found in (whole, related) for one in found["communities"]}
    return {
        "map": related,
        "map_with_orphans": whole if related["orphans"] else None,
        "reports": list(report_cards(index, sorted(ids))),
    }
