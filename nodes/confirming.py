"""Replies of a person who was shown texts before they are used."""

from __future__ import annotations

_YES = ("yes", "y", "ok", "okay", "true", "네", "예", "응", "그래", "좋아", "좋아요")
_NO = ("no", "n", "false", "아니", "아니요", "아니오")


def allowed_texts(said: object, shown: list[str], most: int) -> list[str] | None:
    """The texts that the reply ``said`` allows: those ``shown`` for a clear yes, none for a no.

    A list of one to ``most`` texts stands in their place. None for anything else, which is no
    consent.
    """
    if isinstance(said, list):
        given = [text.strip() for text in said if isinstance(text, str) and text.strip()]
        if len(given) < len(said) or len(said) > most:
            return None
        return given
    word = said.strip().rstrip(".!").casefold() if isinstance(said, str) else said
    if word is True or word in _YES:
        return shown
    return [] if word is False or word in _NO else None
