"""PDF files: the text layer, page by page."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, BinaryIO

from ...state.records import Metadata
from .file import SourceFile, clean
from .metadata import fitting
from .text import title_of
from .types import DocumentBlock, LoadedDocument, LoadError, LoadFailure

if TYPE_CHECKING:
    from pypdf import PageObject, PdfReader

_AUTOMATIC_TITLES = ("microsoft word", "microsoft powerpoint", "untitled", "slide 1")


def load_pdf(source: SourceFile) -> Iterator[LoadedDocument | LoadFailure]:
    """The one document of a PDF, each page a block, after a failure for each broken page.

    Raises LoadError for one that is encrypted, has no text layer, or exceeds the limits.
    """
    from pypdf import apply_configuration

    # pypdf logs what it mends, which is no news to the reader of a document.
    logger = logging.getLogger("pypdf")
    if logger.level == logging.NOTSET:
        logger.setLevel(logging.ERROR)
    most = source.limits.pdf_stream_bytes
    with (
        source.open() as file,
        apply_configuration(
            zlib_maximum_output_length=most,
            lzw_maximum_output_length=most,
            run_length_maximum_output_length=most,
            array_based_stream_maximum_output_length=most,
        ),
    ):
        source.reads(source.size_of(file, "split it"))
        reader = _opened(file, source)
        pages, failures = _pages(reader, source)
        title = _stated_title(reader)
        metadata = _stated_metadata(reader)
    yield from failures
    yield source.document([title, title_of(pages[0])], tuple(pages), metadata)


def _opened(file: BinaryIO, source: SourceFile) -> PdfReader:
    from pypdf import PasswordType, PdfReader
    from pypdf.errors import DependencyError, LimitReachedError

    try:
        reader = PdfReader(file)
        # Many files are encrypted with an empty password, just to forbid printing.
        locked = reader.is_encrypted and reader.decrypt("") == PasswordType.NOT_DECRYPTED
        if not locked:
            len(reader.pages)
    except DependencyError as error:
        raise LoadError(
            f"{source.name} is encrypted; install the package cryptography to read it."
        ) from error
    except LimitReachedError as error:
        raise LoadError(
            f"{source.name} unpacks to more text than is read of one PDF; split it."
        ) from error
    except Exception as error:  # pypdf says that broken files cause errors of any kind.
        raise LoadError(
            f"{source.name} is damaged or no PDF; open it in a viewer and print it to a new PDF."
        ) from error
    if locked:
        raise LoadError(f"{source.name} is encrypted; save a copy without a password.")
    return reader


def _pages(reader: PdfReader, source: SourceFile) -> tuple[list[DocumentBlock], list[LoadFailure]]:
    from pypdf.errors import LimitReachedError

    parts: list[DocumentBlock] = []
    failures: list[LoadFailure] = []
    seen: set[Any] = set()
    for number in range(1, len(reader.pages) + 1):
        where = f"{source.name}, page {number}"
        try:
            page = reader.pages[number - 1]
            # A page may be listed any number of times.
            if (place := page.indirect_reference or number) in seen:
                continue
            seen.add(place)
            text = _page_text(page, source)
        except (LoadError, MemoryError):
            raise
        except Exception as error:  # pypdf says that broken files cause errors of any kind.
            why = "unpacks too far" if isinstance(error, LimitReachedError) else "is damaged"
            failures.append(LoadFailure(where, f"{where} {why}, so the page was left out."))
            continue
        if text.strip():
            parts.append(DocumentBlock(f"{text.strip()}\n\n", {"page": number}))
    if not parts and failures:
        raise LoadError(f"{source.name} has no page that can be read: {failures[0].reason}")
    if not parts:
        raise LoadError(
            f"{source.name} has no text layer (a scan?); run text recognition on it, such as "
            "ocrmypdf, first."
        )
    return parts, failures


def _page_text(page: PageObject, source: SourceFile) -> str:
    shown = 0

    def count(_: object, operands: Iterable[Any], *__: object) -> None:
        nonlocal shown
        size = sum(map(_length, operands))
        shown += size
        source.makes(size)

    # Called before each text is drawn: forms that draw forms would draw it without end.
    text = clean(page.extract_text(visitor_operand_before=count))
    # Within forms pypdf drops what is raised, so that it is raised again here.
    source.makes(max(0, len(text) - shown))
    return text


def _length(operand: object) -> int:
    """The characters of an operand that is a text, or a list of texts."""
    if isinstance(operand, list):
        return sum(map(_length, operand))
    return len(operand) if isinstance(operand, str | bytes) else 0


def _stated_title(reader: PdfReader) -> str:
    try:
        title = reader.metadata.title if reader.metadata else None
    except Exception:  # Damaged metadata, of whatever kind, only costs the title.
        return ""
    title = clean(str(title or "")).strip()
    return "" if title.lower().startswith(_AUTOMATIC_TITLES) else title


def _stated_metadata(reader: PdfReader) -> Metadata:
    try:
        stated = reader.metadata
        author = str(stated.author or "") if stated else ""
        date = (stated.creation_date or stated.modification_date) if stated else None
    except Exception:  # as with the title
        return {}
    return fitting({"author": author, "date": date})
