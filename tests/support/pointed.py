"""The sentences that a reply points at."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ragraphs.prompts.pointing import pointed_at
from ragraphs.prompts.prompt import Excerpt
from ragraphs.prompts.replies import Pointing


def sentences_of(reply: Pointing, texts: Sequence[Excerpt]) -> list[str]:
    """The words of each sentence that ``reply`` points at in ``texts``."""
    given = [text["text"] for text in texts]
    return [found[1].text for one in reply.quotes if (found := pointed_at(one.id, given))]


def as_written(shown: str) -> str:
    """The text that is shown by sentence, without numbers and breaks between sentences."""
    return re.sub(r"\n?^\d+\.\d+ ", " ", shown, flags=re.MULTILINE).strip()
