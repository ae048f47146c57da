"""Prompts that are packed to fit into the context window of a server of one's own."""

from __future__ import annotations

import math
import string
from collections.abc import Sequence
from typing import Any

from langchain_core.messages import BaseMessage

from ...prompts.prompt import Excerpt, Inputs, Prompt
from .envelope import tokens_in

SMALLEST_WINDOW = 2048
_LARGEST_REPLY = 2048
_LETTERS = (string.ascii_letters + string.whitespace).encode()


def most_tokens(text: str) -> float:
    """About the most tokens that ``text`` may be.

    Fit on 37 English and Korean texts (stories, manuals, notes, code) with the tokenizers of
    GPT-4o, GPT-4, Llama 3, Mistral 7B and Llama 2: they make at most 0.99, 1.06, 1.01, 1.22 and
    1.47 times as many tokens of one.
    """
    latin = text.encode("ascii", "ignore")
    signs = len(latin.translate(None, _LETTERS))
    return (len(latin) - signs) / 4 + signs * 0.8 + (len(text) - len(latin)) * 1.5


def fewest_tokens(text: str) -> float:
    """About the fewest tokens that ``text`` may be: half as many as those tokenizers make of it."""
    written = "".join(text.split())
    latin = len(written.encode("ascii", "ignore"))
    return latin / 6 + (len(written) - latin) * 0.35


def was_cut(reply: BaseMessage, sent: Sequence[BaseMessage]) -> bool:
    """Whether ``reply`` says that the server read far fewer tokens than were ``sent``."""
    read = tokens_in(getattr(reply, "usage_metadata", None), "input_tokens")
    least = math.fsum(fewest_tokens(message.text) for message in sent)
    return 0 < read < least and least > room_for_prompt(SMALLEST_WINDOW) / 2


def room_for_prompt(window: int) -> int:
    """The tokens that a prompt may have, so that a quarter of the window is left for the reply."""
    return window - min(_LARGEST_REPLY, window // 4)


def fitting(prompt: Prompt[Any], inputs: Inputs, excess: float) -> Inputs | None:
    """``inputs`` without their last texts, which ``prompt`` shows in ``excess`` tokens or more.

    The longest list gives up its last text first, but none its only one: None where there is
    nothing more to give up.
    """
    lists: dict[str, list[Excerpt]] = {
        name: list(value) for name, value in inputs.items() if not isinstance(value, str)
    }
    sizes = {
        name: [most_tokens(prompt.filled_in({name: [text]})[name]) for text in texts]
        for name, texts in lists.items()
    }
    while excess > 0:
        long = [name for name in lists if len(lists[name]) > 1]
        if not long:
            return None
        name = max(long, key=lambda name: math.fsum(sizes[name]))
        lists[name].pop()
        excess -= sizes[name].pop()
    packed: dict[str, str | Sequence[Excerpt]] = {**inputs, **lists}
    return packed


def count_texts(inputs: Inputs) -> int:
    return sum(len(value) for value in inputs.values() if not isinstance(value, str))
