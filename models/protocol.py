"""The seam to a language model: nodes ask prompts and never know who answers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal, Protocol, TypeVar

from ..state.records import NewReply, StoredReply, Usage

if TYPE_CHECKING:
    from ..prompts.prompt import Excerpt, Prompt
    from ..prompts.replies import PromptReply
    from ..state.answering import StopReason

R = TypeVar("R", bound="PromptReply")

OFFLINE = "offline"

Cause = Literal["budget", "time", "refused", "malformed", "unreachable", "too_large"]


def paid_calls(usage: Usage) -> int:
    """Requests sent to language models that count: the offline reader's cost nothing."""
    models = usage.get("models", {}).items()
    return sum(model["calls"] for name, model in models if name != OFFLINE)


class NoReplyError(Exception):
    """The model gave no usable reply; ``cause`` says why, the message in one sentence.

    It ``lasts`` where no request is answered until somebody mends it: a wrong key, name or address.
    """

    def __init__(self, cause: Cause, message: str, lasts: bool = False) -> None:
        super().__init__(message)
        self.cause: Cause = cause
        self.lasts = lasts

    @property
    def ends_run(self) -> bool:
        """Whether no other request of the run would be answered either."""
        return self.cause in ("budget", "time")

    @property
    def stop_reason(self) -> StopReason:
        """Why a run ends that cannot do without the reply."""
        return self.cause if self.cause in ("budget", "time") else "model_failed"


class ReplyTable(Protocol):
    """Keeps replies under the hash of the request."""

    def find(self, keys: Sequence[str]) -> list[StoredReply | None]:
        """The reply stored under each key, or None."""
        ...

    def put(self, replies: Sequence[NewReply]) -> None:
        """Stores replies; they must be durable when this returns."""
        ...

    def drop(self, keys: Sequence[str]) -> None:
        """Deletes the replies stored under ``keys``."""


class NoReplies:
    """A table that keeps no replies, so that everything is asked anew."""

    def find(self, keys: Sequence[str]) -> list[StoredReply | None]:
        """None for each of ``keys``."""
        return [None] * len(keys)

    def put(self, replies: Sequence[NewReply]) -> None:
        """Forgets ``replies``."""

    def drop(self, keys: Sequence[str]) -> None:
        """Does nothing."""


class LanguageModel(Protocol):
    """Answers prompts.

    >>> reply = await model.run(REWRITE_QUERY, question="Who wrote it?")
    >>> reply.queries
    """

    name: str

    async def run(self, prompt: Prompt[R], **inputs: str | Sequence[Excerpt]) -> R:
        """The reply to ``prompt``. Raises NoReplyError; counts on the current meter."""
        ...

    def missing_tokens(self, prompt: Prompt[R], **inputs: str | Sequence[Excerpt]) -> int:
        """The tokens that a request for this reply would send; 0 where it is stored or free.

        Blocks.
        """
        ...
