"""The body of a response, of which no more than a bound is taken into memory."""

from __future__ import annotations

import zlib

LARGEST_BODY = 8_000_000
ACCEPTED = "gzip, deflate"
_GZIP_OR_ZLIB = 47


class BodyError(Exception):
    """The body is too large, or compressed in no known way; the message says which."""


class Inflated:
    """The bytes of a body that arrives in parts, compressed as its header ``encoding`` says.

    Raises BodyError as soon as they are more than ``most``.

    >>> body = Inflated(response.headers.get("Content-Encoding"))
    >>> whole = b"".join([body.feed(part) async for part in parts])
    """

    def __init__(self, encoding: str | None, most: int = LARGEST_BODY) -> None:
        encoding = (encoding or "identity").strip().lower()
        if encoding not in {"identity", "gzip", "x-gzip", "deflate"}:
            raise BodyError(f"the reply is compressed as {encoding[:40]}, which was not asked for")
        self._inflater = None if encoding == "identity" else zlib.decompressobj(_GZIP_OR_ZLIB)
        self._most = self._left = most

    def feed(self, part: bytes) -> bytes:
        """The bytes that ``part``, the next one of the body, adds. Raises BodyError."""
        if self._inflater is not None:
            try:
                part = self._inflater.decompress(part, self._left + 1)
            except zlib.error as error:
                raise BodyError(f"the reply cannot be decompressed ({error})") from error
        self._left -= len(part)
        if self._left < 0:
            raise BodyError(f"the reply is larger than {self._most // 1_000_000} MB")
        return part
