"""The front door: graphs with settings and objects bound to them, for graphs, agents, programs."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Mapping
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import get_runtime

from .context import Context, CragContext, QuestionContext
from .context.prompts import names_of
from .context.settled import OURS, meant_for_us, named, settled, unknown
from .graphs import CONTEXTS
from .graphs.methods import METHODS
from .models.runs import RunWatch, watches_of
from .nodes.begin import check_retriever
from .state.errors import RagraphsError

if TYPE_CHECKING:
    from langchain_core.embeddings import Embeddings
    from langchain_core.language_models import BaseChatModel
    from langchain_core.retrievers import BaseRetriever
    from langchain_core.runnables import RunnableConfig
    from langchain_core.tools import BaseTool
    from langgraph.graph import StateGraph
    from langgraph.types import Checkpointer

    from .state.own import OwnWeb

C = TypeVar("C", bound=Context)
Graph = CompiledStateGraph[Any, Any, Any, Any]


class BoundGraph(Graph):
    """A compiled graph with settings and objects of its own, wherever it runs.

        crag = build("crag", index="notes", llm=ChatOpenAI(model="gpt-4o"))
        found = crag.invoke({"question": "Who founded Penguin Books?"})
        agent = create_agent(model, tools=[crag.as_tool()])

    A context that is given to a run goes over what is bound, and so does ``ragraphs`` in the
    context of a graph around it. Other values of that context only fill in what is not bound.
    """

    def __init__(self, *, bound: Context, **parts: Any) -> None:
        super().__init__(**parts)
        self.bound = bound

    def stream(
        self, input: Any, config: RunnableConfig | None = None, *, context: Any = None, **how: Any
    ) -> Iterator[Any]:
        """Streams a run, as any compiled graph does. All ways to run it lead here."""
        return super().stream(input, config, context=self._settled(context), **how)

    def astream(
        self, input: Any, config: RunnableConfig | None = None, *, context: Any = None, **how: Any
    ) -> AsyncIterator[Any]:
        """Streams a run, as any compiled graph does. All ways to run it lead here."""
        return super().astream(input, config, context=self._settled(context), **how)

    def as_tool(  # type: ignore[override]
        self, *, name: str = "answer_question", description: str | None = None
    ) -> BaseTool:
        """A tool for agents: a question in, a short answer with quotations out.

            agent = create_agent("openai:gpt-4o", tools=[build("router", index="notes").as_tool()])

        ``name`` and ``description`` tell the model when to call it; with tools on several indexes
        give each its own. The tool message's artifact is the whole output of the graph.
        """
        from .integrations.tools import answering_tool

        own = self.bound.own.retriever
        held = "that a retriever finds" if own else f"of the index {self.bound.index!r}"
        return answering_tool(
            self,
            name,
            description
            or f"Answers a question from the documents {held}, with verbatim quotations and their "
            "places. Ask for what the documents may say, one question at a time.",
        )

    def _settled(self, given: Any) -> Context:
        kind = type(self.bound)
        if isinstance(given, Context):
            return _over(self.bound, given.narrowed(kind))
        if isinstance(given, Mapping) and OURS not in given:
            return _over(self.bound, named(given, kind))
        if given is None and (given := _context_around()) is None:
            return self.bound
        ours = meant_for_us(given, kind)
        if ours is not None:
            return _over(self.bound, ours)
        return _over(settled(given, kind), self.bound)


def build(
    name: str,
    *,
    llm: BaseChatModel | None = None,
    small_llm: BaseChatModel | None = None,
    embeddings: Embeddings | str | None = None,
    retriever: BaseRetriever | str | None = None,
    web: OwnWeb | None = None,
    prompts: str | Path | None = None,
    checkpointer: Checkpointer = None,
    **settings: Any,
) -> BoundGraph:
    """The graph called ``name``, with these settings and objects bound to it.

        crag = build("crag", index="notes", llm=ChatOpenAI(model="gpt-4o"), top_k=5)
        crag.invoke({"question": "Who founded Penguin Books?"})

    ``settings`` are the fields of the graph's context, such as ``index`` and ``top_k``; the objects
    are as for ``Context.using``. With a ``retriever`` and no ``index``, none is needed. Nothing is
    opened before the first run. Raises RagraphsError for a graph or a setting that there is not,
    and for a value that does not fit.
    """
    return bind(
        _graph(name),
        llm=llm,
        small_llm=small_llm,
        embeddings=embeddings,
        retriever=retriever,
        web=web,
        prompts=prompts,
        checkpointer=checkpointer,
        **settings,
    )


def builder(name: str) -> StateGraph[Any, Any, Any, Any]:
    """The graph called ``name`` before it is compiled, to replace a node of it or to add one.

    builder = ragraphs.builder("crag")
    builder.nodes.pop("grade")
    builder.add_node("grade", my_grade)
    crag = ragraphs.bind(builder.compile(name="crag"), index="notes")
    """
    _graph(name)
    made = import_module(f".graphs.{name}", __package__).builder()
    return cast("StateGraph[Any, Any, Any, Any]", made)


def bind(
    graph: Graph,
    *,
    llm: BaseChatModel | None = None,
    small_llm: BaseChatModel | None = None,
    embeddings: Embeddings | str | None = None,
    retriever: BaseRetriever | str | None = None,
    web: OwnWeb | None = None,
    prompts: str | Path | None = None,
    checkpointer: Checkpointer = None,
    **settings: Any,
) -> BoundGraph:
    """``graph``, which a builder of ours compiled, with settings and objects bound as by ``build``.

    Of a graph that is bound already, they go over what is bound. Its runs are limited, logged and
    traced like runs of our own graphs.
    """
    kind = graph.context_schema
    if not (isinstance(kind, type) and issubclass(kind, Context)):
        raise RagraphsError(
            f"The graph {graph.name!r} does not run on settings of ragraphs; bind one that "
            "ragraphs.builder made."
        )
    names = {"embeddings": embeddings, "retriever": retriever}
    settings |= {name: value for name, value in names.items() if isinstance(value, str)}
    for name in settings:
        if name not in names_of(kind):
            raise RagraphsError(unknown(name, kind))
    bound = named(settings, kind).using(
        llm=llm,
        small_llm=small_llm,
        embeddings=None if isinstance(embeddings, str) else embeddings,
        retriever=None if isinstance(retriever, str) else retriever,
        web=web,
        prompts=prompts,
    )
    method = _method(kind)
    _check_use(method or graph.name, bound)
    if isinstance(graph, BoundGraph):
        bound = _over(graph.bound, bound)
    parts = {k: v for k, v in vars(graph).items() if k not in {"bound", "__orig_class__"}}
    parts["config"] = _watched(graph, method)
    if checkpointer is not None:
        parts["checkpointer"] = checkpointer
    return BoundGraph(bound=bound, **parts)


def _graph(name: str) -> Graph:
    if name not in CONTEXTS:
        raise RagraphsError(f"There is no graph {name!r}; there are: {', '.join(CONTEXTS)}.")
    return cast(Graph, import_module(f".graphs.{name}", __package__).graph)


def _method(kind: type[Context]) -> str | None:
    """The name of our graph whose settings are of this ``kind``."""
    names = {context: name for name, context in CONTEXTS.items()}
    return next((names[one] for one in kind.__mro__ if one in names), None)


def _watched(graph: Graph, method: str | None) -> RunnableConfig | None:
    """The config of ``graph``, with a watch of its runs, and the most steps of our ``method``."""
    config = graph.config or {}
    if method is not None and "recursion_limit" not in config:
        most = (_graph(method).config or {})["recursion_limit"]
        graph = graph.with_config(recursion_limit=most)
    if not watches_of(config):
        graph = graph.with_config(callbacks=[RunWatch(graph.name)])
    return graph.config


def _check_use(name: str, bound: Context) -> None:
    """Raises RagraphsError for an object that the graph called ``name`` would not look at."""
    own = bound.own
    if isinstance(bound, QuestionContext):
        check_retriever(name, name in METHODS and bool(METHODS[name].layers), bound)
        useless = ""
    else:
        useless = "retriever" if own.retriever else ""
    if own.web is not None and not isinstance(bound, CragContext):
        useless = "web"
    if useless:
        raise RagraphsError(f"The graph {name} has no use for {useless}; leave it out.")


def _over(under: C, over: C) -> C:
    """The settings and objects of ``over``, and where it has none, of ``under``.

    A search or embeddings by name take the place of an object.
    """
    own = replace(under.own, **over.own.given())
    for name in {"embeddings", "retriever"} & over.model_fields_set:
        own = replace(own, **{name: getattr(over.own, name)})
    fields = {name: getattr(one, name) for one in (under, over) for name in one.model_fields_set}
    return named(fields, type(over)).owning(own).made_from(under, over)


def _context_around() -> Any:
    """The context of the run of a graph that this one is called in; None where there is none."""
    try:
        return getattr(get_runtime(), "context", None)
    except RuntimeError:
        return None
