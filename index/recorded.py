"""Settings that an index records: passage size, embeddings, layers, and how passages are read."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple, cast, get_args

from typing_extensions import TypedDict

from ..context import IndexContext, LayerName
from ..models.embeddings import identity, open_embedder, resolve_auto, suits
from ..models.meter import current_meter
from ..models.protocol import OFFLINE
from ..settings import Settings
from ..state.errors import RagraphsError
from ..state.index import Failure
from ..state.own import label_of
from ..state.records import Passage
from ..stores.catalogue import Catalogue
from ..stores.readings import ReadingKind
from .layers import LAYERS, read_for
from .opening import Index, open_index
from .prompt_words import reading_words
from .rebuilding import as_written


def missing_kinds(
    index: Index, wanted: ReadingSettings, refresh: bool
) -> dict[str, tuple[ReadingKind, ...]]:
    """The stored passages that are not read, and what is missing of each. Blocks.

    With ``refresh``, only what was read by prompts in today's words counts as read. Of the offline
    reader, whose readings cost nothing, only what today's version has read ever does.
    """
    missing: dict[str, tuple[ReadingKind, ...]] = {}
    for kind, reader in wanted.readers.items():
        words = wanted.words[kind] if refresh or wanted.model == OFFLINE else None
        for passage in index.readings.missing(kind, reader, words):
            missing[passage] = (*missing.get(passage, ()), kind)
    return missing


def unread_places(index: Index, kinds: Sequence[ReadingKind]) -> list[Failure]:
    """The passages that the model could not read, and why. Blocks."""
    reasons: dict[str, list[str]] = {}
    for kind in kinds:
        for passage, reason in index.readings.failed(kind):
            reasons.setdefault(passage, []).append(reason)
    return [
        {"path": place_of(passage), "reason": reason}
        for passage in index.catalogue.passages(sorted(reasons))
        for reason in dict.fromkeys(reasons[passage["id"]])
    ]


def place_of(passage: Passage) -> str:
    return f"{passage['document']}, characters {passage['start']}–{passage['end']}"


DEFAULT_CHUNK_TOKENS = 400


_SAMPLE = 200
DEFAULT_CLUSTERING = {"max_cluster_size": 10, "report_tokens": 2000}


class Extraction(TypedDict):
    """The settings that decide what a model reads in a passage besides questions."""

    entity_types: list[str]
    examples: str
    claims: bool
    gleanings: int
    joint: bool


def open_for_indexing(
    context: IndexContext, *, create: bool = True, texts: Iterable[str] | None = None
) -> Index:
    """The index that ``context`` names, with its settings recorded.

    The languages of ``texts``, which are taken only where they are needed, decide what ``auto``
    embeddings stand for in a new index. A dry run that would make one works on one in memory, with
    lexical embeddings where no texts are given. Raises RagraphsError for settings other than those
    recorded.
    """
    index = open_index(context, create=create and not context.dry_run, in_memory=context.dry_run)
    if index.read_only and not context.dry_run:
        raise RagraphsError(
            f"The index at {index.name} can only be read; ask its owner for permission to write, "
            "or name another --index."
        )
    _record_embeddings(index, context, texts)
    _record_passage_size(index.catalogue, context)
    if not context.dry_run:
        _record_layers(index.catalogue, context)
    return as_written(index)


def _record_embeddings(index: Index, context: IndexContext, texts: Iterable[str] | None) -> None:
    """Records the embeddings of a new index; an old one keeps those that it was built with."""
    catalogue, operator = index.catalogue, index.operator
    recorded: str | None = catalogue.property("embeddings")
    wanted = context.embeddings
    if operator.root is not None and "@" in wanted and wanted != operator.embeddings:
        raise RagraphsError("A folder of embeddings is the operator's to set: RAGRAPHS_EMBEDDINGS.")
    asked_for = wanted != "auto" and "embeddings" in context.model_fields_set
    if wanted == operator.default_embeddings:
        wanted = operator.embeddings
    if recorded is not None:
        if asked_for and identity(wanted) != identity(recorded):
            raise RagraphsError(
                f"This index was built with the embeddings {identity(recorded)}, not "
                f"{identity(wanted)}; leave --embeddings out, or name a new --index."
            )
        wanted = wanted if asked_for else recorded
    elif wanted == "auto":
        wanted, note = ("lexical", None) if texts is None else resolve_auto(operator, texts)
        if note is not None:
            current_meter().warn(note)
    if index.embeddings is None or label_of(index.embeddings) != wanted:
        if recorded is None:
            _check_embeddings(wanted, context.embeddings, operator)
        open_embedder(wanted, operator)
    if recorded is None or (wanted != recorded and not context.dry_run):
        catalogue.set_property("embeddings", wanted)


def _check_embeddings(name: str, named: str, operator: Settings) -> None:
    """Raises RagraphsError where a caller ``named`` embeddings that the operator does not list."""
    usual = operator.default_embeddings
    allowed = [usual, "lexical", *operator.models]
    if operator.models and named != usual and identity(name) not in allowed:
        raise RagraphsError(
            f"The embeddings {identity(name)!r} are not allowed here; choose one of: "
            f"{', '.join(dict.fromkeys(allowed))}."
        )


def warn_of_language(index: Index) -> None:
    """Says where the embeddings suit the languages of the stored passages no more. Blocks."""

    def sample() -> Iterator[str]:
        ids = sorted(index.catalogue.passage_ids())
        for passage in index.catalogue.passages(ids[:: len(ids) // _SAMPLE + 1]):
            yield passage["text"]

    name = index.catalogue.property("embeddings")
    if name and not suits(name, sample()):
        current_meter().warn(
            f"The embeddings {name} are made for English, and the documents are not all English; "
            "for a model of many languages index them anew, with another --index."
        )


def wanted_layers(catalogue: Catalogue, context: IndexContext) -> list[LayerName]:
    """The layers to build: a layer that was built once is kept up to date from then on."""
    recorded = catalogue.property("layers") or []
    wanted = {*recorded, *context.layers}
    wanted |= {below for layer in LAYERS.values() if layer.name in wanted for below in layer.needs}
    return [name for name in get_args(LayerName) if name in wanted]


def wanted_reader(catalogue: Catalogue, context: IndexContext) -> str:
    """The model that reads passages for the layers: the one that did, unless another is named."""
    recorded: str | None = catalogue.property("reader")
    named = "model" in context.model_fields_set
    return context.model if named or recorded is None else recorded


class ReadingSettings(NamedTuple):
    """The model that reads passages, how, and what counts as read for every kind of reading.

    ``words`` are hashes of the prompts' words.
    """

    model: str
    extraction: Extraction
    readers: dict[ReadingKind, str]
    words: dict[ReadingKind, str]


def reading_settings(index: Index, context: IndexContext, layers: Sequence[str]) -> ReadingSettings:
    """How passages are read for ``layers``. Blocks."""
    model = wanted_reader(index.catalogue, context)
    extraction = wanted_extraction(index.catalogue, context)
    readers = readers_of(layers, model, extraction)
    return ReadingSettings(model, extraction, readers, reading_words(index, model, readers))


def wanted_extraction(catalogue: Catalogue, context: IndexContext) -> Extraction:
    """How entities are extracted: as before, but for what is set now."""
    recorded = catalogue.property("extraction") or {}
    return cast(
        Extraction,
        {
            name: recorded[name]
            if name in recorded and name not in context.model_fields_set
            else getattr(context, name)
            for name in Extraction.__annotations__
        },
    )


def readers_of(
    layers: Sequence[str], reader: str, extraction: Extraction | None
) -> dict[ReadingKind, str]:
    """The reader of each kind of reading that ``layers`` need; only its readings count."""
    readers: dict[ReadingKind, str] = {"questions": reader, "facts": _labelled(reader, extraction)}
    return {kind: readers[kind] for kind in read_for(layers)}


def _labelled(reader: str, extraction: Extraction | None) -> str:
    """The model, with a hash of the settings that decide its replies where they are not usual."""
    decisive = {k: v for k, v in (extraction or {}).items() if k != "joint"}
    usual = {name: IndexContext.model_fields[name].default for name in decisive}
    if decisive == usual:
        return reader
    digest = hashlib.sha256(json.dumps(decisive, sort_keys=True).encode()).hexdigest()
    return f"{reader} ({digest[:8]})"


def _record_layers(catalogue: Catalogue, context: IndexContext) -> None:
    layers = wanted_layers(catalogue, context)
    wanted: dict[str, Any] = {"layers": layers}
    if read_for(layers):
        wanted["reader"] = wanted_reader(catalogue, context)
    if "entities" in layers:
        wanted["extraction"] = wanted_extraction(catalogue, context)
    if "communities" in layers:
        wanted["clustering"] = _wanted_clustering(catalogue, context)
    for name, value in wanted.items():
        if value != catalogue.property(name):
            catalogue.set_property(name, value)


def _wanted_clustering(catalogue: Catalogue, context: IndexContext) -> dict[str, int]:
    """How communities are made: as set now, else as before."""
    recorded = catalogue.property("clustering") or DEFAULT_CLUSTERING
    return {
        name: before if (given := getattr(context, name)) is None else given
        for name, before in recorded.items()
    }


def _record_passage_size(catalogue: Catalogue, context: IndexContext) -> None:
    recorded = catalogue.property("passage_size")
    tokens, overlap = recorded or (DEFAULT_CHUNK_TOKENS, 0)
    wanted = [
        tokens if context.chunk_tokens is None else context.chunk_tokens,
        overlap if context.chunk_overlap is None else context.chunk_overlap,
    ]
    if wanted[1] >= wanted[0]:
        raise RagraphsError("--chunk-overlap must be smaller than --chunk-tokens.")
    if recorded is None:
        catalogue.set_property("passage_size", wanted)
    elif wanted != recorded:
        raise RagraphsError(
            f"This index was built with passages of {tokens} tokens that share {overlap}; leave "
            "--chunk-tokens and --chunk-overlap out, or name a new --index."
        )
