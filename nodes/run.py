"""The run that a node is in: its settings, index, models and meter."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Concatenate, Generic, ParamSpec, TypeVar, cast, overload

from pydantic import ValidationError

from ..context import Context, IndexContext, QuestionContext, RouterContext
from ..index.opening import Index, language_model
from ..models.documents import search_by
from ..models.meter import Meter
from ..models.protocol import LanguageModel, NoReplyError
from ..models.reranker import candidates, open_cross_encoder, reranked
from ..prompts.prompt import Excerpt, Prompt
from ..prompts.replies import PromptReply
from ..state.errors import RagraphsError
from ..state.own import Own
from ..state.records import Evidence

C = TypeVar("C", bound=Context)
C_co = TypeVar("C_co", bound=Context, covariant=True)
P = ParamSpec("P")
R = TypeVar("R", bound=PromptReply)
T = TypeVar("T")

Update = dict[str, Any]
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
                return await asyncio.to_thread(reranked, encoder, question, found, most)
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
            if ranked := dict(list(state["ranked"].items())[: context.top_k]):
                return await self.in_thread(read_ranked, ranked)
            return await self.in_thread(search, state["question"], "lexical", context.top_k)
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


OURS = "ragraphs"
_OBJECTS = Own.__dataclass_fields__.keys()
_NAMES = RouterContext.model_fields.keys() | IndexContext.model_fields.keys()
_PLAIN = (str, int, float, list, tuple, dict)


def settled(given: Any, context_type: type[C]) -> C:
    """The settings of a run as ``context_type``, out of any context that the run was given.

    A node of ours may run under a graph of another program, whose context LangGraph hands down as
    it is: None, a dictionary, or an object. Where it has something called ``ragraphs``, a context
    of ours or a dictionary, that alone is read, and its names are checked. Else the values that are
    called like settings of ours are taken, and all others left alone. Raises RagraphsError where
    one does not fit.
    """
    if given is None:
        return context_type()
    if isinstance(given, context_type):
        return given
    if isinstance(given, Context):
        return given.narrowed(context_type)
    ours = meant_for_us(given, context_type)
    if ours is not None:
        return ours
    found = {name: _value(given, name) for name in context_type.model_fields}
    fitting: dict[str, Any] = {
        name: value for name, value in found.items() if isinstance(value, _PLAIN)
    }
    try:
        return context_type(**fitting)
    except ValidationError as error:
        raise RagraphsError(
            f"The caller's context has a value that does not suit ragraphs ({_problem(error)}); "
            f"put the settings that are meant for ragraphs under {OURS!r} in it."
        ) from error


def meant_for_us(given: Any, context_type: type[C]) -> C | None:
    """The settings under ``ragraphs`` in the context of another program; None where it has none.

    Raises RagraphsError for a name that no setting of ours has, and for a value that does not fit.
    """
    ours = _value(given, OURS)
    if ours is None or callable(ours):
        return None
    if isinstance(ours, Context):
        return ours.narrowed(context_type)
    if not isinstance(ours, Mapping):
        raise RagraphsError(
            f"{OURS!r} in the caller's context must be a dictionary of settings, or a context such "
            f"as {context_type.__name__}(index='notes'), not {type(ours).__name__}."
        )
    return named(ours, context_type)


def named(given: Mapping[str, Any], context_type: type[C]) -> C:
    """The settings ``given`` by name. Settings of other graphs of ours are left out.

    Raises RagraphsError for a name that no setting of ours has, and for a value that does not fit.
    """
    fields = context_type.model_fields
    for name in given:
        if name not in fields and name not in _NAMES:
            raise RagraphsError(unknown(str(name), context_type))
    try:
        return context_type(**{name: value for name, value in given.items() if name in fields})
    except ValidationError as error:
        raise RagraphsError(f"A setting cannot be used: {_problem(error)}.") from error


def unknown(name: str, context_type: type[Context]) -> str:
    """One sentence on a setting that there is not, with the name that may have been meant."""
    from difflib import get_close_matches

    if name in _OBJECTS:
        return f"{name!r} is no setting but an object: hand it over by ragraphs.build or using()."
    near = get_close_matches(name, context_type.model_fields, n=1, cutoff=0.5)
    known = (
        f"did you mean {near[0]!r}?"
        if near
        else f"there are: {', '.join(sorted(context_type.model_fields))}."
    )
    return f"There is no setting {name!r}; {known}"


def _value(given: Any, name: str) -> Any:
    return given.get(name) if isinstance(given, Mapping) else getattr(given, name, None)


def _problem(error: ValidationError) -> str:
    problem = error.errors()[0]
    place = ".".join(map(str, problem["loc"])) or "context"
    return f"{place}: {problem['msg'].removeprefix('Value error, ').rstrip('.')}"
