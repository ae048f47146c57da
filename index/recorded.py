"""Settings that an index records: passage size, embeddings, layers, and how passages are read."""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple, cast, get_args

from typing_extensions import TypedDict

from ..context import IndexContext, LayerName
from ..models.embeddings import MULTILINGUAL_FASTEMBED, identity, open_embedder, resolve_auto, suits
from ..models.meter import current_meter
from ..models.protocol import OFFLINE
from ..settings import Settings
from ..state.errors import RagraphsError
from ..state.index import Failure
from ..state.own import label_of
from ..state.records import Passage
from ..stores.catalogue import Catalogue
from ..stores.readings import ReadingKind
from ..stores.schema import open_memory
from .layers import LAYERS, read_for
from .opening import Index, index_of, open_index
from .prompt_words import MANNER, reading_words
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
_TOLD = "told_of_language"  # property: the embeddings that it was told of
DEFAULT_CLUSTERING = {"max_cluster_size": 10, "report_tokens": 8000}


class Extraction(TypedDict):
    """The settings that decide what a model reads in a passage besides questions."""

    entity_types: list[str]
    examples: str
    claims: bool
    gleanings: int


def open_for_indexing(context: IndexContext) -> Index:
    """The index that the nodes of a run work on; a dry run must not write to it.

    Blocks. Raises RagraphsError for settings that do not fit it.
    """
    return open_to_try(context) if context.dry_run else as_written(open_index(context))


def open_to_try(
    context: IndexContext, *, new: bool = False, texts: Iterable[str] | None = None
) -> Index:
    """The index that ``context`` names, once the settings for a run on it are found good.

    Nothing is recorded. A dry run, or one that may make a ``new`` index, gets one in memory where
    there is none. The languages of ``texts``, which are taken only where they are needed, decide
    what ``auto`` embeddings stand for in it; without texts they are lexical. Blocks. Raises
    RagraphsError for settings other than those recorded, and for embeddings that cannot be had.
    """
    tries = context.dry_run or new
    index = open_index(context, in_memory=tries)
    if index.read_only and not context.dry_run:
        raise RagraphsError(
            f"The index at {index.name} can only be read; ask its owner for permission to write, "
            "or name another --index."
        )
    wanted = _wanted_settings(index, context, partial(_suited, index.operator, texts))
    if tries and index.catalogue.property("embeddings") is None:
        # Even an empty index must not be written to.
        in_memory = index_of(index.location, open_memory(), index.operator)
        index = replace(in_memory, embeddings=index.embeddings)
        index.catalogue.set_properties(wanted)
    return as_written(index)


def _suited(operator: Settings, texts: Iterable[str] | None) -> str:
    """The embeddings that ``auto`` stands for where ``texts`` are indexed."""
    if texts is None:
        return "lexical"
    name, note = resolve_auto(operator, texts)
    if note is not None:
        current_meter().warn(note)
    return name


def changes_settings(index: Index, context: IndexContext) -> bool:
    """Whether a run would record other settings than ``index`` has. Blocks."""
    return bool(_changes(index, context, "lexical"))


def record_settings(
    index: Index, context: IndexContext, layers: Sequence[str], embeddings: str
) -> None:
    """Records the settings of a run, all at once, when it has the lock of the index.

    ``layers`` are those that it builds; ``embeddings`` are what ``auto`` stands for in a new index.
    Blocks. Raises RagraphsError where another run has recorded others meanwhile.
    """
    context = context.model_copy(update={"layers": list(layers)})
    if changes := _changes(index, context, embeddings):
        index.catalogue.set_properties(changes)
    _ = index.embedder  # opened here, since the steps of a run do not block


def _changes(index: Index, context: IndexContext, embeddings: str) -> dict[str, Any]:
    wanted = _wanted_settings(index, context, lambda: embeddings)
    recorded = zip(wanted, index.catalogue.properties(*wanted), strict=True)
    return {name: wanted[name] for name, value in recorded if value != wanted[name]}


def _wanted_settings(
    index: Index, context: IndexContext, auto: Callable[[], str]
) -> dict[str, Any]:
    """The properties of an index once a run has recorded its settings. Raises RagraphsError."""
    catalogue = index.catalogue
    layers = layers_to_build(catalogue, context)
    wanted: dict[str, Any] = {
        "embeddings": _wanted_embeddings(index, context, auto),
        "passage_size": _wanted_passage_size(catalogue, context),
        "layers": layers,
    }
    if read_for(layers):
        wanted["reader"] = wanted_reader(catalogue, context)
    if "entities" in layers:
        wanted["extraction"] = wanted_extraction(catalogue, context)
    if "communities" in layers:
        wanted["clustering"] = _wanted_clustering(catalogue, context)
    return wanted


def _wanted_embeddings(index: Index, context: IndexContext, auto: Callable[[], str]) -> str:
    """The embeddings of a new index; an old one keeps those that it was built with."""
    operator = index.operator
    recorded: str | None = index.catalogue.property("embeddings")
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
        wanted = auto()
    if index.embeddings is None or label_of(index.embeddings) != wanted:
        if recorded is None:
            _check_embeddings(wanted, context.embeddings, operator)
        open_embedder(wanted, operator)
    return wanted


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
    """Says once that the embeddings do not suit the languages of the stored passages. Blocks."""

    def sample() -> Iterator[str]:
        ids = sorted(index.catalogue.passage_ids())
        for passage in index.catalogue.passages(ids[:: len(ids) // _SAMPLE + 1]):
            yield passage["text"]

    name = index.catalogue.property("embeddings")
    if name and index.catalogue.property(_TOLD) != name and not suits(name, sample()):
        if not index.read_only:
            index.catalogue.set_property(_TOLD, name)
        current_meter().warn(
            f"The embeddings {name} are made for English, and the documents are not all English; "
            "index them anew by a model of many languages: --embeddings "
            f"fastembed:{MULTILINGUAL_FASTEMBED} --index ANOTHER"
        )


def layers_to_build(catalogue: Catalogue, context: IndexContext) -> list[LayerName]:
    """The layers to build: one that a run was asked for is kept up to date from then on."""
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


def tuning(index: Index) -> dict[str, Any]:
    """How entities are extracted, and the manner in which reports are written. Blocks."""
    extraction = wanted_extraction(index.catalogue, IndexContext())
    return {**extraction, MANNER: index.catalogue.property(MANNER) or ""}


async def keep_tuning(index: Index, settings: Mapping[str, Any]) -> None:
    """Has later runs read and write by ``settings``, as ``tuning`` names them."""
    extraction = {name: settings[name] for name in Extraction.__annotations__}
    kept = {"extraction": extraction, MANNER: settings[MANNER]}
    async with index.writing():
        await asyncio.to_thread(index.catalogue.set_properties, kept)


def readers_of(
    layers: Sequence[str], reader: str, extraction: Extraction | None
) -> dict[ReadingKind, str]:
    """The reader of each kind of reading that ``layers`` need; only its readings count."""
    readers: dict[ReadingKind, str] = {"questions": reader, "facts": _labelled(reader, extraction)}
    return {kind: readers[kind] for kind in read_for(layers)}


def _labelled(reader: str, extraction: Extraction | None) -> str:
    """The model, with a hash of the settings that decide its replies where they are not usual."""
    known = Extraction.__annotations__  # an index may have been made with others
    decisive = {name: value for name, value in (extraction or {}).items() if name in known}
    usual = {name: IndexContext.model_fields[name].default for name in decisive}
    if decisive == usual:
        return reader
    digest = hashlib.sha256(json.dumps(decisive, sort_keys=True).encode()).hexdigest()
    return f"{reader} ({digest[:8]})"


def _wanted_clustering(catalogue: Catalogue, context: IndexContext) -> dict[str, int]:
    """How communities are made: as set now, else as before."""
    recorded = catalogue.property("clustering") or DEFAULT_CLUSTERING
    return {
        name: before if (given := getattr(context, name)) is None else given
        for name, before in recorded.items()
    }


def _wanted_passage_size(catalogue: Catalogue, context: IndexContext) -> list[int]:
    recorded = catalogue.property("passage_size")
    tokens, overlap = recorded or (DEFAULT_CHUNK_TOKENS, 0)
    wanted = [
        tokens if context.chunk_tokens is None else context.chunk_tokens,
        overlap if context.chunk_overlap is None else context.chunk_overlap,
    ]
    if wanted[1] >= wanted[0]:
        raise RagraphsError("--chunk-overlap must be smaller than --chunk-tokens.")
    if recorded is not None and wanted != recorded:
        raise RagraphsError(
            f"This index was built with passages of {tokens} tokens that share {overlap}; leave "
            "--chunk-tokens and --chunk-overlap out, or name a new --index."
        )
    return wanted
