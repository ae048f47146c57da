"""Mails: the text, with its headers before it."""

from __future__ import annotations

import email
import email.header
import io
from collections.abc import Iterator
from contextlib import suppress
from datetime import datetime
from email.message import Message
from email.utils import parsedate_to_datetime
from typing import NamedTuple

from .encoding import detect
from .file import SourceFile, clean
from .html import page_part, web_page
from .metadata import fitting
from .types import LoadedDocument, LoadError

_LONGEST_HEADER = 10_000
_LONGEST_NAME = 200
_SHOWN = ("From", "To", "Cc", "Date")


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
    # Of parts within parts each line is handed through all of them.
    if data.lower().count(b"boundary=") > source.limits.mail_parts:
        raise LoadError(
            f"{source.name} has more than {source.limits.mail_parts} parts within parts; save its "
            "text as .txt."
        )
    try:
        message = email.message_from_bytes(data)
        headers = {name: _header(message, name.lower()) for name in ("Subject", *_SHOWN)}
        content = _Content([], [], [])
        _collect(message, content, source)
    except LoadError:
        raise
    except Exception as error:  # The standard library lets errors of all kinds through.
        raise LoadError(
            f"{source.name} is no mail that can be read; save its text as .txt."
        ) from error
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
    yield LoadedDocument("", headers["Subject"] or source.path.stem, (whole,), metadata)


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
        return str(page_part(web_page(source, data))[1])
    codec = detect(io.BytesIO(data), source.name, message.get_content_charset() or "").codec
    return clean(data.decode(codec)).strip()
