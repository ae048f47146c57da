"""Examples in the forms that trainers read: messages as they are sent, and replies to learn."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from ragraphs.prompts.prompt import Inputs, Prompt
from ragraphs.prompts.replies import PromptReply
from ragraphs.state.errors import RagraphsError

Row = dict[str, Any]
Message = dict[str, str]


class ExampleTurn(NamedTuple):
    """A request to a model, and the reply to it."""

    prompt: Prompt[Any]
    inputs: Inputs
    reply: PromptReply


class ExampleRows(NamedTuple):
    """The rows of a file of training data, and figures about them for the summary."""

    rows: list[Row]
    figures: dict[str, Any]


def imitation(turn: ExampleTurn, prompts: Path | None, source: Row) -> Row:
    """An example whose last message is the reply of ``turn``; ``prompts`` is as for ``render``."""
    return {"messages": [*_asked(turn, prompts), _said(turn.reply)], "source": source}


def preference(turn: ExampleTurn, rejected: PromptReply, prompts: Path | None, source: Row) -> Row:
    """A pair of replies to the same request: the reply of ``turn`` is better than ``rejected``."""
    return {
        "prompt": _asked(turn, prompts),
        "chosen": [_said(turn.reply)],
        "rejected": [_said(rejected)],
        "source": source,
    }


def check_place(file: Path) -> None:
    """Raises RagraphsError where ``file`` cannot be written, before anything is paid for."""
    if file.is_dir() or not file.absolute().parent.is_dir():
        raise RagraphsError(f"{file} cannot be written; name a file in a folder that there is.")


def write(file: Path, rows: Sequence[Row]) -> None:
    """Writes ``rows`` as JSON lines; the file is the one before, or whole. Blocks."""
    unfinished = file.with_name(f"{file.name}.new")
    try:
        with unfinished.open("w", encoding="utf-8") as lines:
            lines.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
        unfinished.replace(file)
    except OSError as error:
        raise RagraphsError(f"{file} cannot be written ({error}); name another file.") from error


def _asked(turn: ExampleTurn, prompts: Path | None) -> list[Message]:
    system, human = turn.prompt.render(turn.inputs, prompts)
    return [{"role": "system", "content": system}, {"role": "user", "content": human}]


def _said(reply: PromptReply) -> Message:
    content = json.dumps(reply.model_dump(), ensure_ascii=False)
    return {"role": "assistant", "content": content}
