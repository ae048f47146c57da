"""The date of a document: stated in it, else told by its file's name or its title."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from ...language.dates import as_date, date_of_name
from ...state.records import Metadata
from .types import LoadedDocument

# Names of fields that hold it, the surest first.
_STATED = (
    "date", "published", "publication_date", "pubdate", "date_published", "meeting date", "posted",
    "created", "created_at", "날짜", "일시", "일자", "회의일", "작성일", "게시일", "발행일",
)  # fmt: skip
# Their properties tell when a file was saved or made, rather than what it is about.
_SAVED = frozenset({".pdf", ".docx", ".odt", ".pptx", ".xlsx"})


def stated_date(fields: Mapping[str, object]) -> Metadata:
    """The date among ``fields``, whose names are in small letters, as metadata; none is empty."""
    dates = (as_date(fields[name]) for name in _STATED if name in fields)
    return {"date": date} if (date := next(filter(None, dates), "")) else {}


def dated(document: LoadedDocument, file: Path) -> LoadedDocument:
    """``document`` of ``file`` with its date as ISO text in its metadata, where it has one.

    A row is dated by its own columns, or by a month or a day in its title, never by its file.
    """
    named = {key.lower(): value for key, value in document.metadata.items()}
    stated = str(stated_date(named).get("date", ""))
    told = date_of_name([document.title] if document.id else [file.stem, document.title])
    if document.id and len(told) == len("2024"):  # of a row, a year is what it is about
        told = ""
    is_saved = file.suffix.lower() in _SAVED
    known = (told or stated) if is_saved else (stated or told)
    if not known or known == document.metadata.get("date"):
        return document
    return replace(document, metadata={**document.metadata, "date": known})
