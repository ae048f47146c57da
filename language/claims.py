"""How claims of entities are told."""

from __future__ import annotations

from ..state.facts import ClaimFact
from .analyser import is_korean, one_line, sentences

_KOREAN = {"true": "사실", "false": "거짓", "suspected": "의혹"}


def told_claim(claim: ClaimFact) -> str:
    """The description of ``claim``, with its status and dates before each sentence.

    They stand before each, because readers take texts apart into sentences.
    """
    said, status = one_line(claim["description"]), claim["status"]
    korean = is_korean(said)
    dates = " – ".join(filter(None, dict.fromkeys((claim["start_date"], claim["end_date"]))))
    qualified = ", ".join(filter(None, (_KOREAN.get(status, status) if korean else status, dates)))
    label = f"{'주장' if korean else 'Claim'} ({one_line(qualified)}): "
    return " ".join(label + sentence.text for sentence in sentences(said))
