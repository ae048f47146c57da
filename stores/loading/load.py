"""Loading: a file becomes documents, one way for each ending."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from .docx import load_docx
from .eml import load_eml
from .epub import load_epub
from .file import SourceFile
from .html import load_html
from .odt import load_odt
from .pdf import load_pdf
from .pptx import load_pptx
from .rows import load_csv, load_json, load_jsonl
from .text import load_code, load_markdown, load_rst, load_text
from .types import (
    DEFAULT_LIMITS,
    LANGUAGES,
    SUPPORTED,
    Limits,
    LoadedDocument,
    LoadError,
    LoadFailure,
)
from .xlsx import load_xlsx

_LOADERS: dict[str, Callable[[SourceFile], Iterator[LoadedDocument | LoadFailure]]] = {
    ".txt": load_text,
    ".md": load_markdown,
    ".rst": load_rst,
    ".html": load_html,
    ".htm": load_html,
    ".pdf": load_pdf,
    ".docx": load_docx,
    ".epub": load_epub,
    ".odt": load_odt,
    ".pptx": load_pptx,
    ".xlsx": load_xlsx,
    ".eml": load_eml,
    ".csv": load_csv,
    ".json": load_json,
    ".jsonl": load_jsonl,
    **dict.fromkeys(LANGUAGES, load_code),
}


def load(
    path: Path,
    *,
    name: str | None = None,
    root: Path | None = None,
    limits: Limits = DEFAULT_LIMITS,
) -> Iterator[LoadedDocument | LoadFailure]:
    """The documents of a file, with a failure in place of each row, page or file left out.

    Messages call the file ``name``, by default its own name; with ``root`` it is opened only below
    that folder. Raises nothing itself; a document's ``blocks`` may raise LoadError.

    >>> for loaded in load(Path("report.pdf")):
    ...     if isinstance(loaded, LoadedDocument):
    ...         text = "".join(loaded.blocks)
    """
    source = SourceFile(path, name or path.name, root, limits)
    left_out = 0
    try:
        for loaded in _loader(source)(source):
            if isinstance(loaded, LoadFailure):
                left_out += 1
                if left_out > limits.failures:
                    continue
            yield loaded
    except LoadError as error:
        yield LoadFailure(source.name, str(error))
    except OSError as error:
        yield LoadFailure(source.name, f"{source.name} could not be read ({error.strerror}).")
    if left_out > limits.failures:
        more = left_out - limits.failures
        yield LoadFailure(source.name, f"{source.name} has {more} more rows or pages left out.")


def _loader(source: SourceFile) -> Callable[[SourceFile], Iterator[LoadedDocument | LoadFailure]]:
    ending = source.path.suffix.lower()
    if ending not in _LOADERS:
        raise LoadError(
            f"{source.name} has an ending that cannot be read; supported are {SUPPORTED}."
        )
    return _LOADERS[ending]
