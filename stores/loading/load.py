"""Loading: a file becomes documents, one way for each ending."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path

from .dating import dated
from .file import SourceFile
from .types import (
    DEFAULT_LIMITS,
    LANGUAGES,
    SUPPORTED,
    Limits,
    LoadedDocument,
    LoadError,
    LoadFailure,
)

_Load = Callable[[SourceFile], Iterator[LoadedDocument | LoadFailure]]
# Module and function of each ending; a module is imported when a file of its format is read.
_LOADERS = {
    ".txt": ("text", "load_text"),
    ".md": ("text", "load_markdown"),
    ".rst": ("text", "load_rst"),
    ".html": ("html", "load_html"),
    ".htm": ("html", "load_html"),
    ".csv": ("rows", "load_csv"),
    ".json": ("rows", "load_json"),
    ".jsonl": ("rows", "load_jsonl"),
    **{
        f".{name}": (name, f"load_{name}")
        for name in ("pdf", "docx", "epub", "odt", "pptx", "xlsx", "eml")
    },
    **dict.fromkeys(LANGUAGES, ("text", "load_code")),
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
            else:
                yield dated(loaded, path)
    except LoadError as error:
        yield LoadFailure(source.name, str(error))
    except OSError as error:
        yield LoadFailure(source.name, f"{source.name} could not be read ({error.strerror}).")
    if left_out > limits.failures:
        more = left_out - limits.failures
        yield LoadFailure(source.name, f"{source.name} has {more} more rows or pages left out.")


def _loader(source: SourceFile) -> _Load:
    ending = source.path.suffix.lower()
    if ending not in _LOADERS:
        raise LoadError(
            f"{source.name} has an ending that cannot be read; supported are {SUPPORTED}."
        )
    module, name = _LOADERS[ending]
    loader: _Load = getattr(import_module(f".{module}", __package__), name)
    return loader
