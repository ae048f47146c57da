"""The run that a node is in: its settings, index, models and meter."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Concatenate, Generic, ParamSpec, TypeVar, cast, overload

from ..context import Context, QuestionContext
from ..index.opening import Index, language_model
from ..models.meter import Meter
from ..models.protocol import LanguageModel, NoReplyError
from ..prompts.prompt import Excerpt, Prompt
from ..prompts.replies import PromptReply
from ..state.records import Evidence

C_co = TypeVar("C_co", bound=Context, covariant=True)
P = ParamSpec("P")
R = TypeVar("R", bound=PromptReply)
T = TypeVar("T")

Update = dict[str, Any]
Texts = str | Sequence[Excerpt]


@dataclass(frozen=True)
class Run(Generic[C_co]):
    """The settings, the open index, the models and the meter of a run.

    async def rewrite(state: CragState, run: Run[CragContext]) -> Update:
        reply = await run.ask(REWRITE_QUERY, question=state["question"])
        return {"queries": reply.queries}
    """

    context: C_co
    index: Index
    meter: Meter

    async def in_thread(
        self, work: Callable[Concatenate[Index, P], T], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """The result of blocking ``work(index, ...)``, done in a thread."""
        return await asyncio.to_thread(work, self.index, *args, **kwargs)

    async def model(self, name: str | None = None) -> LanguageModel:
        """The language model called ``name``, else the one that the context names.

        Raises RagraphsError when it is not allowed, unknown, or has no key.
        """
        return await language_model(self.index, self.context, name)

    @overload
    async def ask(
        self,
        prompt: Prompt[R],
        *,
        otherwise: None = None,
        model: str | None = None,
        **inputs: Texts,
    ) -> R: ...

    @overload
    async def ask(
        self, prompt: Prompt[R], *, otherwise: str, model: str | None = None, **inputs: Texts
    ) -> R | None: ...

    async def ask(
        self,
        prompt: Prompt[R],
        *,
        otherwise: str | None = None,
        model: str | None = None,
        **inputs: Texts,
    ) -> R | None:
        """The reply of the model called ``model``, else of the context's.

        Where there is none it raises NoReplyError; or, given ``otherwise``, a sentence on how the
        run goes on, it gives None and warns with the reason and that sentence.
        """
        try:
            return await (await self.model(model)).run(prompt, **inputs)
        except NoReplyError as error:
            if otherwise is None:
                raise
            self.meter.warn(f"{error} {otherwise}")
            return None

    async def search(self, question: str, most: int) -> list[Evidence]:
        """At most ``most`` passages for ``question`` by the context's retriever, best first."""
        from ..index.retrieval import search

        context = cast(QuestionContext, self.context)
        self.meter.retrievals += 1
        return await self.in_thread(search, question, context.retriever, most)
