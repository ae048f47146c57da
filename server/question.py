"""A question as clients of our own routes send it."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from typing_extensions import TypedDict

from ..graphs.methods import MethodChoice, RouterContext
from ..state.errors import RagraphsError, problem_in
from .access import Access

EXAMPLE = '{"question": "Who wrote it?"}'


class HistoryMessage(TypedDict):
    """A message of the conversation before the question."""

    role: Literal["user", "assistant"]
    content: str


class AskedQuestion(BaseModel):
    """The body of a request that asks a question."""

    model_config = ConfigDict(extra="forbid")

    question: str = Field(min_length=1)
    verify: bool = False
    method: MethodChoice = "auto"
    index: str = ""
    where: dict[str, Any] | None = None
    max_seconds: float | None = None
    history: list[HistoryMessage] = Field(default=[], max_length=100)

    @property
    def given(self) -> dict[str, Any]:
        """The input of the router: a question, or a statement to verify."""
        kind = "statement" if self.verify else "question"
        return {kind: self.question, "messages": self.history}

    def context(self, access: Access, **more: Any) -> RouterContext:
        """The router's settings, with ``more`` of them; raises RagraphsError for a wrong one."""
        index = access.index(self.index)
        try:
            return RouterContext(
                index=index,
                method=self.method,
                where=self.where,
                max_seconds=self.max_seconds,
                **more,
            )
        except ValidationError as error:
            raise RagraphsError(problem_in(error, "value")) from error
