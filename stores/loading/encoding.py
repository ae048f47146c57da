"""Which encoding a text file is in, decided by reading all of it once."""

from __future__ import annotations

import codecs
import re
import unicodedata
from dataclasses import dataclass
from typing import BinaryIO

from .types import LoadError

_CHUNK = 256 * 1024
_SAMPLE = 64 * 1024
_LINE_START = 4096
_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
# Of encodings that a short text fits equally well, the first of these is taken.
_LEGACY = (
    "cp932", "cp949", "cp1252", "gb18030", "big5", "euc_jp", "cp1250", "cp1251", "cp1254",
    "cp1253", "koi8_r", "cp1255", "cp1256", "tis_620",
)  # fmt: skip
# Python's own encodings of names and programs, which take quadratic time or run escapes.
_NO_CHARSETS = frozenset({
    "idna", "punycode", "raw-unicode-escape", "raw_unicode_escape", "undefined", "unicode-escape",
    "unicode_escape", "utf-7",
})  # fmt: skip
# No coherence is known of these in short texts.
_EAST_ASIAN = frozenset({"cp932", "cp949", "gb18030", "big5", "euc_jp"})
_HALF_WIDTH_KANA = re.compile("[\uff61-\uff9f]")
_ASCII_TEXT = re.compile(rb"[\t\n\r\x20-\x7e]")


class EncodingError(LoadError):
    """Some bytes of a text fit no encoding, though it may have lines that can be read."""


class _Misfit(Exception):
    """A byte at ``offset`` does not fit; ``wide`` characters of several bytes came before it."""

    def __init__(self, offset: int, wide: int) -> None:
        super().__init__(offset, wide)
        self.offset = offset
        self.wide = wide


@dataclass(frozen=True)
class TextEncoding:
    """The name of a codec, and whether the file has any text but white space."""

    codec: str
    has_text: bool


def detect(file: BinaryIO, name: str, declared: str = "") -> TextEncoding:
    """The encoding of the whole of ``file``: byte order mark, UTF-8, ``declared``, best guess.

    Messages call the file ``name``. Raises LoadError where it holds no text, and EncodingError
    where its text is in no single encoding.
    """
    head = file.read(4)
    marked = next((codec for mark, codec in _MARKS if head.startswith(mark)), None)
    try:
        return _check(file, marked or "utf-8", name)
    except _Misfit as misfit:
        if marked:
            raise EncodingError(
                f"{name} is damaged: byte {misfit.offset} is not {marked.removesuffix('-sig')}, "
                "as its first bytes announce; save it again as UTF-8."
            ) from misfit
        codec = _guess(file, misfit, name, declared)
    try:
        return _check(file, codec, name)
    except _Misfit as misfit:
        raise EncodingError(
            f"{name} looks like {codec}, but byte {misfit.offset} does not fit; "
            "save it again as UTF-8."
        ) from misfit


def _check(file: BinaryIO, codec: str, name: str) -> TextEncoding:
    file.seek(0)
    decoder = codecs.getincrementaldecoder(codec)()
    position, characters, has_text = 0, 0, False
    while True:
        chunk = file.read(_CHUNK)
        try:
            text = decoder.decode(chunk, final=not chunk)
        except UnicodeDecodeError as error:
            before = position - (len(error.object) - len(chunk))
            raise _Misfit(before + error.start, before - characters) from error
        if "\0" in text:
            if codec == "utf-8":
                raise _Misfit(position + text.index("\0"), 0)
            raise _no_text(name)
        if not chunk:
            return TextEncoding(codec, has_text)
        position += len(chunk)
        characters += len(text)
        has_text = has_text or bool(text.strip())


def _guess(file: BinaryIO, misfit: _Misfit, name: str, declared: str) -> str:
    file.seek(0)
    head = file.read(_SAMPLE)
    if b"\0" in head:
        return _unmarked_utf16(head, name)
    sample = _sample_around(file, misfit.offset)
    if b"\0" in sample:
        raise _no_text(name)
    rough = sample.decode("utf-8", "replace")
    broken = rough.count("\ufffd")
    wide = misfit.wide + sum(character > "\x7f" for character in rough) - broken
    if wide > broken:
        raise EncodingError(
            f"{name} is not valid UTF-8 at byte {misfit.offset}; save it again as UTF-8."
        )
    if declared and _fits(sample, declared):
        return declared
    return _best_legacy(sample, name)


def _fits(sample: bytes, codec: str) -> bool:
    try:
        b"a".decode(codec)  # raises LookupError for those that are no encodings of text
        if codecs.lookup(codec).name in _NO_CHARSETS:
            return False
        text = codecs.getincrementaldecoder(codec)().decode(sample)
    except (LookupError, TypeError, ValueError):
        return False
    return isinstance(text, str) and _readable(text)


def _sample_around(file: BinaryIO, offset: int) -> bytes:
    # From a line's start: within a line the sample could begin in the middle of a character.
    before = max(0, offset - _LINE_START)
    file.seek(before)
    sample = file.read(_SAMPLE)
    line = sample.rfind(b"\n", 0, offset - before) + 1
    return sample[line or (offset - before if before else 0) :]


def _unmarked_utf16(head: bytes, name: str) -> str:
    """UTF-16 text has a NUL byte beside most of its spaces, and more of them on that side."""
    even, odd = head[::2].count(0), head[1::2].count(0)
    codec = "utf-16-le" if odd > even else "utf-16-be"
    try:
        text = codecs.getincrementaldecoder(codec)().decode(head)
    except UnicodeDecodeError as error:
        raise _no_text(name) from error
    spaces = text.count(" ") + text.count("\n")
    lone = head.count(b" ") + head.count(b"\n") - spaces
    if spaces * 100 < len(text) or lone > spaces or not _readable(text):
        raise _no_text(name)
    return codec


def _readable(text: str) -> bool:
    """Whether hardly any character is a control, private or unassigned one."""
    strange = sum(
        unicodedata.category(character) in ("Cc", "Co", "Cn") and not character.isspace()
        for character in text
    )
    return strange * 100 <= len(text)


def _best_legacy(sample: bytes, name: str) -> str:
    from charset_normalizer import from_bytes

    matches = [
        match
        for match in from_bytes(sample, cp_isolation=list(_LEGACY))
        if _plausible(str(match), match.encoding)
    ]
    if not matches:
        # Short texts with many accents are unlike any language, yet plainly Western.
        western = len(_ASCII_TEXT.findall(sample)) * 10 > len(sample) * 6
        if western and _readable(sample.decode("cp1252", "replace")):
            return "cp1252"
        raise EncodingError(
            f"{name} is in no encoding that is recognised, or is no text at all; "
            "save it again as UTF-8."
        )
    best = matches[0]
    fitting = {
        codec
        for match in matches
        if match.chaos <= best.chaos + 0.03
        and (match.coherence >= best.coherence - 0.05 or match.encoding in _EAST_ASIAN)
        for codec in match.could_be_from_charset
    }
    return next((codec for codec in _LEGACY if codec in fitting), best.encoding)


def _plausible(text: str, codec: str) -> bool:
    wide = sum(character > "\x7f" for character in text)
    if codec == "tis_620" and wide * 2 < len(text):
        return False  # Signs like ° and ± are Thai letters too, which stand in Thai text.
    # Bytes of accented and Korean text are half-width kana too, which nobody writes mostly.
    return _readable(text) and len(_HALF_WIDTH_KANA.findall(text)) * 2 <= wide


def _no_text(name: str) -> LoadError:
    return LoadError(f"{name} holds binary data, not text; remove it or give it its true ending.")
