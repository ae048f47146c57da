"""Outputs of experiments on folders of documents, for files of figures."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from ragraphs.evaluation.datasets import strangers
from ragraphs.evaluation.figures import manifest_of, record
from ragraphs.index.opening import Index
from ragraphs.stores.loading.sources import document_path


def others(index: Index, folder: Path, name: str) -> list[str]:
    """A sentence on the documents of ``index`` that are not in ``folder``, the set ``name``'s."""
    own = f"{document_path(folder, index.home)}/"
    return strangers(index, lambda document: document.startswith(own), name)


def keep(
    outputs: Path | None,
    questions: Path,
    folder: Path,
    notes: Sequence[str],
    rows: Iterable[Mapping[str, Any]],
) -> None:
    """Adds ``rows`` of ``questions`` on the documents in ``folder`` to the file ``outputs``."""
    if outputs is not None:
        files = sorted(one for one in folder.rglob("*") if one.is_file())
        name = questions.stem if questions.stem != "questions" else questions.parent.name
        manifest = manifest_of(name, [questions, *files], notes, "python -m lab.experiments")
        record(outputs, manifest, rows)
