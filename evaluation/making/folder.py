"""The folder of a set that was made from an index."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from ...index.opening import Index
from ...state.errors import RagraphsError
from ..datasets import MADE_FROM, PASSAGES, QUESTIONS, Origin
from .drafts import Draft


def check_free(folder: Path, *, force: bool) -> None:
    """Raises RagraphsError where ``folder`` is a file, or has files that would be written over."""
    if folder.exists() and not folder.is_dir():
        raise RagraphsError(f"{folder} is a file; name a folder for the set.")
    try:
        taken = folder.exists() and any(folder.iterdir())
    except OSError as error:
        raise RagraphsError(f"{folder} cannot be read ({error}); name another folder.") from error
    if taken and not force:
        raise RagraphsError(
            f"{folder} is not empty; name another folder, or write over the set in it with --force."
        )


def write_set(folder: Path, index: Index, drafts: Sequence[Draft]) -> int:
    """Writes the set, whose passages are all of ``index``, and gives their number. Blocks."""
    rows = []
    numbers: dict[str, int] = {}
    for draft in drafts:
        numbers[draft.kind] = numbers.get(draft.kind, 0) + 1
        rows.append(draft.row(numbers[draft.kind]))
    documents = {passage["document"] for draft in drafts for passage in draft.own}
    origin: Origin = {
        "index": index.short_name,
        "documents": dict(sorted(index.catalogue.contents(sorted(documents)).items())),
    }
    try:
        folder.mkdir(parents=True, exist_ok=True)
        count = _write(folder / PASSAGES, map(_row_of, index.catalogue.all_passages()))
        _write(folder / MADE_FROM, [origin])
        _write(folder / QUESTIONS, rows)
    except OSError as error:
        raise RagraphsError(
            f"The set cannot be written into {folder} ({error}); free the space or name another "
            "folder: the replies are kept, and the same command asks for none of them again."
        ) from error
    return count


def _row_of(passage: Any) -> dict[str, str]:
    return {name: passage[name] for name in ("id", "title", "text", "document")}


def _write(file: Path, rows: Iterable[Any]) -> int:
    """Writes a line for each row, and gives their number; a file appears whole or not at all."""
    written, count = file.with_suffix(".new"), 0
    with written.open("w", encoding="utf-8", newline="\n") as lines:
        for row in rows:
            lines.write(json.dumps(row, ensure_ascii=False) + "\n")
            count += 1
    written.replace(file)
    return count
