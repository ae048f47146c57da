"""The run that a node is in: its settings, index, models and meter."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Concatenate, Generic, ParamSpec, TypeVar, cast, overload

from ..context import Context, QuestionContext
from ..index.opening import Index
from ..index.readers import language_model, offline_reader
from ..models.documents import search_by
from ..models.meter import Meter
from ..models.protocol import OFFLINE, LanguageModel, NoReplyError, paid_calls
from ..models.reranker import candidates, open_cross_encoder, reranked
from ..prompts.prompt import Excerpt, Prompt
from ..prompts.replies import PromptReply
from ..state.records import Evidence, Usage

C_co = TypeVar("C_co", bound=Context, covariant=True)
P = ParamSpec("P")
R = TypeVar("R", bound=PromptReply)
T = TypeVar("T")

Update = dict[str, Any]
_ANY = 1_000_000
GRACE = 1.0  # seconds after the deadline of a run, for the use of what was found
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
        """The result of blocking ``work(index, ...)``, done in a thread.

        Raises NoReplyError where it takes longer than the run may.
        """
        async with self.meter.in_time(GRACE):
            return await asyncio.to_thread(work, self.index, *args, **kwargs)

    async def model(self, name: str | None = None) -> LanguageModel:
        """The language model called ``name``, else the one that the context names.

        Raises RagraphsError when it is not allowed, unknown, or has no key, and NoReplyError where
        it takes longer than the run may.
        """
        async with self.meter.in_time(GRACE):
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
        run goes on, it gives None and warns with the reason and that sentence. In the place of a
        model that cannot be reached the reader without a model replies, as far as it can.
        """
        try:
            try:
                return await (await self.model(model)).run(prompt, **inputs)
            except NoReplyError as error:
                if not error.lasts or not isinstance(self.context, QuestionContext):
                    raise
                self.meter.lost |= model in (None, self.context.model)
                self.meter.warn(str(error))
                with suppress(NoReplyError):
                    reader = await asyncio.to_thread(offline_reader, self.index)
                    return await reader.run(prompt, **inputs)
                raise
        except NoReplyError as error:
            if otherwise is None:
                raise
            self.meter.warn(f"{error} {otherwise}")
            return None

    async def search(self, question: str, most: int) -> list[Evidence]:
        """At most ``most`` passages for ``question`` by the context's retriever, best first.

        Where the context names a cross-encoder, it orders them anew. Raises NoReplyError where
        nothing is found before the run must end.
        """
        context = cast(QuestionContext, self.context)
        self.meter.retrievals += 1
        if not context.rerank:
            return await self._found(question, most)
        found = await self._found(question, candidates(context.rerank_candidates, context.top_k))
        try:
            async with self.meter.in_time():
                encoder = await asyncio.to_thread(
                    open_cross_encoder, context.rerank, self.index.operator
                )
                ordered = await asyncio.to_thread(reranked, encoder, question, found, len(found))
                # The encoder knows no dates.
                return sorted(ordered, key=lambda one: one["found"] != "date")[:most]
        except NoReplyError as error:
            self.meter.warn(f"{error} What was found was not ordered anew.")
            return found[:most]

    async def at_hand(self, state: Mapping[str, Any]) -> list[Evidence]:
        """The passages ranked before for the question of ``state``, or found by its words.

        None where even that takes longer than the run may.
        """
        from ..index.retrieval import read_ranked, search

        context = cast(QuestionContext, self.context)
        if context.own.retriever is not None:
            return []
        try:
            if ranked := dict(list(state.get("ranked", {}).items())[: context.top_k]):
                return await self.in_thread(read_ranked, ranked, state["question"])
            found = await self.in_thread(search, state["question"], "lexical", context.top_k)
            if not found:  # no word of the question stands anywhere
                return await self._found(state["question"], context.top_k)
            return found
        except NoReplyError:
            return []

    async def _found(self, question: str, most: int) -> list[Evidence]:
        from ..index.retrieval import search

        context = cast(QuestionContext, self.context)
        own = context.own.retriever
        if own is None:
            return await self.in_thread(search, question, context.retriever, most)
        async with self.meter.in_time():
            return await search_by(own, question, most, context.where)


def calls_left(context: QuestionContext, usage: Usage) -> int:
    """Requests that a run may plan for; the offline reader's cost nothing, and nobody counts them.

    >>> calls_left(context, state["usage"])
    """
    return _ANY if context.model == OFFLINE else context.max_calls - paid_calls(usage)
