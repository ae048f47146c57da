"""Making the vectors of an index anew, beside those in use, until all of them are there."""

from __future__ import annotations

from dataclasses import replace
from shutil import rmtree
from typing import Any

from ..models.meter import current_meter
from ..stores.vectors import FIRST, new_generation
from .layers import LAYERS, PURGING
from .opening import VECTORS, Index

BESIDE = "vectors_beside"
# Of ``ragraphs evaluate``: they quote what they were given.
_ANSWERS, _EVALUATIONS = "answers.jsonl", "evaluations"


def as_written(index: Index) -> Index:
    """The index as a writer sees it: with the vectors that are being made, if there are any.

    Blocks.
    """
    beside: dict[str, Any] | None = index.catalogue.property(BESIDE)
    if beside is None:
        return index
    generation = beside["generation"]
    if generation not in index.beside:
        anew = beside["anew"]
        index.beside.clear()
        index.beside[generation] = replace(
            index,
            vectors=index.vectors.at(generation),
            sentences=index.sentences.beside if anew else index.sentences,
            questions=index.questions.beside if anew else index.questions,
            in_use=index,
            anew=anew,
        )
    written = index.beside[generation]
    if written.embeddings is not index.embeddings:
        return replace(written, embeddings=index.embeddings, operator=index.operator)
    return written


def begin(index: Index, *, anew: bool, purge: bool) -> None:
    """Begins vectors beside those in use. Blocks.

    ``anew``, nothing of what is derived from the catalogue is trusted, and even the lexical index
    is made again; else the vectors in use are copied. With ``purge``, nothing that was removed
    will be left in any file.
    """
    index = index.in_use or index
    if anew:
        index.catalogue.rebuild_terms()
        index.sentences.beside.clear()
        index.questions.beside.clear()
    beside = {"generation": new_generation(), "anew": anew}
    purging = purge or index.catalogue.property(PURGING)
    index.catalogue.set_properties({BESIDE: beside, PURGING: purging})


def finish(index: Index) -> None:
    """Puts vectors that were made beside in use, and deletes all that is no longer of use. Blocks.

    Whoever asks meanwhile sees the old vectors or the new ones.
    """
    if index.in_use is not None:
        generation = index.catalogue.property(BESIDE)["generation"]
        changes = {VECTORS: generation, BESIDE: None}
        index.vectors.close()
        index.catalogue.set_properties(changes, swap_vectors=index.anew)
        index = index.in_use
        index.vectors.close()
        index.beside.clear()
    index.vectors.delete_all_but([index.catalogue.property(VECTORS) or FIRST])
    arrays = [layer.arrays(index) for layer in LAYERS.values()]
    if is_purging(index):
        for name in filter(None, arrays):
            index.arrays.write_whole(name)
    index.arrays.delete_all_but(arrays)


def is_purging(index: Index) -> bool:
    """Whether a run was asked to leave nothing of what was removed, and has not ended. Blocks."""
    return bool(index.catalogue.property(PURGING))


def finish_purge(index: Index) -> None:
    """Writes the catalogue anew, without a byte of what was removed. Blocks."""
    (index.folder / _ANSWERS).unlink(missing_ok=True)
    rmtree(index.folder / _EVALUATIONS, ignore_errors=True)
    if index.catalogue.vacuum():
        index.catalogue.set_property(PURGING, None)
    else:
        current_meter().warn(
            "Another process is reading the index, so that bytes of removed texts may be left in "
            "its log until the next run of: ragraphs index"
        )
    if left := index.vectors.left_behind():
        current_meter().warn(left)
