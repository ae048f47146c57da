"""Real replies to prompts, answered by a server again by prompt and inputs.

A prompt whose wording has changed still finds its reply: every recorded input is filled into the
prompt as it is now, and the request is looked up among these.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

from ragraphs.prompts.lists import EVALUATION_PROMPTS, INDEX_PROMPTS, QUESTION_PROMPTS
from ragraphs.prompts.prompt import Inputs, Prompt
from stub_openai import failure

_FILE = Path(__file__).parent.parent / "data" / "recorded" / "replies.jsonl"
_PROMPTS = {
    prompt.name: prompt for prompt in (*QUESTION_PROMPTS, *INDEX_PROMPTS, *EVALUATION_PROMPTS)
}


class Recorded(NamedTuple):
    """A prompt with its inputs, and the reply of a reader in the model's place."""

    prompt: Prompt[Any]
    inputs: Inputs
    reply: Any


def recorded() -> list[Recorded]:
    """All recorded replies."""
    rows = map(json.loads, _FILE.read_text("utf-8").splitlines())
    return [Recorded(_PROMPTS[row["prompt"]], row["inputs"], row["reply"]) for row in rows]


class Replay:
    """Answers chat requests of any mode with the recorded reply to the same prompt and inputs."""

    def __init__(self, rows: list[Recorded]) -> None:
        self._replies = {row.prompt.render(row.inputs): row.reply for row in rows}

    def __call__(self, body: Any) -> Any:
        """The reply, or an error that no retry mends."""
        said = tuple(message["content"] for message in body["messages"][:2])
        found = [reply for asked, reply in self._replies.items() if _begins(said, asked)]
        return found[0] if found else failure(404, "No reply to this prompt was recorded.")


def _begins(said: tuple[str, ...], asked: tuple[str, str]) -> bool:
    """Whether messages are a prompt; the form of the reply may be added to them."""
    return len(said) == 2 and all(map(str.startswith, said, asked))
