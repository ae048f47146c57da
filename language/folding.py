"""Words without case and accents, by which they are compared."""

from __future__ import annotations

import unicodedata
from functools import lru_cache


@lru_cache(maxsize=100_000)
def folded(text: str) -> str:
    """``text`` without case and accents: "Žižek" is "zizek"."""
    if text.isascii():
        return text.lower()
    parts = unicodedata.normalize("NFKD", text).casefold()
    return unicodedata.normalize("NFC", "".join(c for c in parts if not unicodedata.combining(c)))
