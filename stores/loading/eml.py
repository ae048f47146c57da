"""Mails: the text, with its headers before it."""

from __future__ import annotations

import email
import email.header
import io
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from datetime import datetime
from email.message import Message
from email.policy import Compat32
from email.utils import parsedate_to_datetime
from typing import NamedTuple

from .encoding import detect
from .file import SourceFile, clean, unreadable
from .html import page_part
from .metadata import fitting
from .types import LoadedDocument, LoadError

_LONGEST_HEADER = 10_000
_LONGEST_PARAMETERS = 2_000
_LONGEST_NAME = 200
_SHOWN = ("From", "To", "Cc", "Date")


class _CutHeaders(Compat32):
    """The rules by which a mail is parsed: headers are cut, and parts that hold others counted.

    Parameters of a header take quadratic time, and each line is handed through all parts around
    it, however their boundaries are spelled.
    """

    source: SourceFile
    holders: Counter[str]

    def __init__(self, source: SourceFile) -> None:
        super().__init__()
        # The rules of a mail cannot be changed in any other way.
        object.__setattr__(self, "source", source)
        object.__setattr__(self, "holders", Counter())

    def header_source_parse(self, sourcelines: list[str]) -> tuple[str, str]:
        """The name and the cut value of a header. Raises LoadError where parts are too many."""
        name, value = super().header_source_parse(sourcelines)
        if not name.lower().startswith("content-"):
            return name, value[:_LONGEST_HEADER]
        value = value[:_LONGEST_PARAMETERS]
        if value.lstrip().lower().startswith(("multipart", "message")):
            self._count()
        return name, value

    def _count(self) -> None:
        self.holders["all"] += 1
        if self.holders["all"] > self.source.limits.mail_parts:
            raise LoadError(
                f"{self.source.name} has more than {self.source.limits.mail_parts} parts within "
                "parts; save its text as .txt."
            )


class _Content(NamedTuple):
    """The texts of a mail, plain and as web pages, and the names of what is attached."""

    plain: list[str]
    pages: list[str]
    attached: list[str]


def load_eml(source: SourceFile) -> Iterator[LoadedDocument]:
    """The one document of a mail: headers, its text, the names of attachments. Raises LoadError.

    The text is the plain one, where there is one, else the web page.
    """
    data = source.read(source.limits.html_bytes)
    if not data.strip():
        raise source.empty()
    with unreadable(source, "is no mail that can be read; save its text as .txt."):
        message = email.message_from_bytes(data, policy=_CutHeaders(source))
        headers = {name: _header(message, name.lower()) for name in ("Subject", *_SHOWN)}
        content = _Content([], [], [])
        _collect(message, content, source)
    if not any(headers.values()):
        raise LoadError(f"{source.name} has no headers of a mail; check its ending.")
    text = "\n\n".join(content.plain or content.pages)
    shown = "\n".join(f"{name}: {headers[name]}" for name in _SHOWN if headers[name])
    attached = f"Attached, not read: {', '.join(content.attached)}" if content.attached else ""
    if not text and not attached and not headers["Subject"]:
        raise source.empty()
    author = headers["From"].partition("<")[0].strip(' "') or headers["From"]
    metadata = fitting({"author": author, "date": _date(headers["Date"])})
    whole = "\n\n".join(filter(None, (shown, text, attached)))
    yield LoadedDocument("", headers["Subject"] or source.title, (whole,), metadata)


def _header(message: Message, name: str) -> str:
    """The header called ``name``, decoded, on one line."""
    return next(
        (_words(str(value)) for key, value in message.raw_items() if key.lower() == name), ""
    )


def _words(value: str) -> str:
    """The words of a header: those in UTF-8 as they are, and those encoded in ASCII decoded."""
    text = value[:_LONGEST_HEADER].encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    with suppress(LookupError, ValueError):  # an encoding that nobody knows
        text = str(email.header.make_header(email.header.decode_header(text)))
    return " ".join(clean(text).split())


def _date(header: str) -> datetime | None:
    try:
        return parsedate_to_datetime(header[:100])
    except (ValueError, TypeError, IndexError, OverflowError):
        return None


def _collect(message: Message, content: _Content, source: SourceFile) -> None:
    if message.get_content_maintype() == "multipart":
        for part in message.get_payload():
            if isinstance(part, Message):
                _collect(part, content, source)
        return
    name = message.get_filename()
    kind = message.get_content_type()
    if name or message.get_content_disposition() == "attachment" or kind == "message/rfc822":
        content.attached.append(_words(name or "")[:_LONGEST_NAME] or kind)
    elif kind == "text/plain":
        if text := _decoded(message, source):
            content.plain.append(text)
    elif kind == "text/html" and (text := _decoded(message, source, is_page=True)):
        content.pages.append(text)


def _decoded(message: Message, source: SourceFile, *, is_page: bool = False) -> str:
    data = message.get_payload(decode=True)
    if not isinstance(data, bytes) or not data.strip():
        return ""
    if is_page:
        if data.count(b"<") > source.limits.html_tags:
            raise LoadError(f"{source.name} has more than {source.limits.html_tags} tags.")
        return str(page_part(source, data)[1])
    codec = detect(io.BytesIO(data), source.name, message.get_content_charset() or "").codec
    return source.made(clean(data.decode(codec)).strip())
