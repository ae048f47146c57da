"""The tools that the server offers to language models: their arguments, results and words."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Annotated, Any, Generic, TypeVar

from langgraph.pregel import Pregel
from pydantic import BaseModel, ConfigDict, Field, create_model
from typing_extensions import TypedDict

from ..context import Context, GraphragContext, IndexContext
from ..graphs import graph_soon
from ..graphs.methods import MethodChoice, RouterContext
from ..index.opening import open_index
from ..index.tools import TOOLS, FromJson, ReadingTool, ToolResult, text_of
from ..nodes.subgraph import events_of
from ..settings import Settings
from ..state.errors import IndexNotFoundError
from ..views.compact import ShortAnswer, short_answer, short_text
from .access import Access
from .admission import give_way

A = TypeVar("A", bound="Arguments")
Tell = Callable[[str], Awaitable[None]]


class Arguments(BaseModel):
    """The arguments of a tool."""

    model_config = ConfigDict(extra="forbid")


class OfAnIndex(Arguments):
    """The arguments of a tool that uses one of the indexes open to the caller."""

    index: Annotated[
        str, Field(description="Name of the collection of documents to use.", max_length=1000)
    ] = ""


@dataclass(frozen=True)
class Tool(Generic[A]):
    """A tool: ``run`` gets its arguments, what the caller may use, and whom to tell of its steps.

    ``description`` is for a model that knows nothing of this server. ``text`` is what such a model
    reads of the result, which ``result`` describes.
    """

    name: str
    title: str
    description: str
    arguments: type[A]
    result: type[Any]
    run: Callable[[A, Access, Tell], Awaitable[Any]]
    text: Callable[[Any], str]
    writes: bool = False
    reads_web: bool = False


def tools(access: Access, operator: Settings) -> list[Tool[Any]]:
    """The tools for a caller with ``access``, as far as the ``operator`` allows them."""
    offered: list[Tool[Any]] = [_ANSWER_WITH_WEB if operator.tavily_api_key else _ANSWER]
    offered += [*_READING, _SUMMARISE]
    if access.names is not None and len(access.names) > 1:
        offered.append(_LIST)
    if operator.mcp_indexing and access.writes:
        offered.append(_INDEX)
    return offered


def schema_of(tool: Tool[Any], access: Access) -> dict[str, Any]:
    """The JSON schema of the tool's arguments, with the names of the indexes that are allowed."""
    schema: dict[str, Any] = tool.arguments.model_json_schema()
    schema = {name: told for name, told in schema.items() if name not in ("title", "description")}
    if index := schema["properties"].get("index"):
        index["default"] = access.default
        if access.names is not None:
            index["enum"] = list(access.names)
    return schema


async def _run(graph: Pregel[Any, Any, Any, Any], given: Any, context: Context, tell: Tell) -> Any:
    """The output of ``graph``; each of its events is told in words."""
    output: Any = None
    async for name, value in events_of(graph, given, context):
        if name == "answer":
            output = value
            continue
        give_way(value)
        if step := value.get("step"):
            places = f" ({value['done']} of {value['total']})" if "total" in value else ""
            await tell(f"{str(step).replace('_', ' ')}{places}")
    return output


class AnswerQuestion(OfAnIndex):
    """The arguments of answer_question."""

    query: Annotated[
        str, Field(min_length=1, description="The question, complete in itself, in any language.")
    ]
    method: Annotated[
        MethodChoice,
        Field(
            description="How to look for the answer. Leave it at auto unless the user asks for one."
        ),
    ] = "auto"
    verify: Annotated[
        bool,
        Field(description="Whether the question is a statement to check against the documents."),
    ] = False


async def _answer(given: AnswerQuestion, access: Access, tell: Tell) -> ShortAnswer:
    graph = await graph_soon("router")
    context = RouterContext(index=access.index(given.index), method=given.method)
    asked = {"statement" if given.verify else "question": given.query}
    return short_answer(await _run(graph, asked, context, tell))


def _reading(tool: ReadingTool) -> Tool[Any]:
    """The tool that reads an index, with the name of the index among its arguments."""
    arguments = create_model(tool.arguments.__name__, __base__=(tool.arguments, OfAnIndex))

    async def run(given: OfAnIndex, access: Access, tell: Tell) -> ToolResult:
        name = access.index(given.index)
        asked = given.model_dump(exclude={"index"})
        return await asyncio.to_thread(lambda: tool.use(open_index(name), asked))

    return Tool(tool.name, tool.title, tool.description, arguments, ToolResult, run, text_of)


class SummariseDocuments(OfAnIndex):
    """The arguments of summarise_documents."""

    query: Annotated[
        str, Field(min_length=1, description="The side of the whole to summarise.")
    ] = "What are the main themes of these documents?"


async def _summarise(given: SummariseDocuments, access: Access, tell: Tell) -> ShortAnswer:
    graph = await graph_soon("graphrag")
    context = GraphragContext(index=access.index(given.index), search="global")
    return short_answer(await _run(graph, {"question": given.query}, context, tell))


class ListIndexes(Arguments):
    """The arguments of list_indexes: none."""


class ListedIndex(TypedDict):
    """An index by its name, and the number of its documents; 0 where it is not made yet."""

    name: str
    documents: int


class ListedIndexes(TypedDict):
    """The indexes that the caller may name, the default one first."""

    indexes: list[ListedIndex]


async def _list(given: ListIndexes, access: Access, tell: Tell) -> ListedIndexes:
    names = access.names or (access.default,)
    return {"indexes": await asyncio.to_thread(lambda: [_listed(name) for name in names])}


def _listed(name: str) -> ListedIndex:
    try:
        return {"name": name, "documents": open_index(name).catalogue.count_documents()}
    except IndexNotFoundError:
        return {"name": name, "documents": 0}


def _list_text(listed: ListedIndexes) -> str:
    return "\n".join(f"{each['name']}: {each['documents']} documents" for each in listed["indexes"])


class GivenDocument(BaseModel):
    """A document to be added."""

    model_config = ConfigDict(extra="forbid")

    id: Annotated[str, Field(min_length=1, description="A lasting name; the same one replaces.")]
    text: Annotated[str, Field(min_length=1, description="The whole text.")]
    title: Annotated[str, Field(description="A title to cite it by.")] = ""


class IndexDocuments(OfAnIndex):
    """The arguments of index_documents."""

    documents: Annotated[
        list[GivenDocument],
        FromJson,
        Field(min_length=1, max_length=100, description="The documents to add."),
    ]


class Indexed(TypedDict):
    """Changes to the documents of an index, and their number now."""

    added: int
    updated: int
    unchanged: int
    documents: int
    problems: list[str]


def _index_graph() -> Pregel[Any, Any, Any, Any]:
    from ..graphs.index import graph

    return graph


async def _index(given: IndexDocuments, access: Access, tell: Tell) -> Indexed:
    graph = await asyncio.to_thread(_index_graph)
    documents = [each.model_dump(exclude_defaults=True) for each in given.documents]
    context = IndexContext(index=access.index(given.index))
    output = await _run(graph, {"documents": documents}, context, tell)
    return {
        "added": output["added"],
        "updated": output["updated"],
        "unchanged": output["unchanged"],
        "documents": output["document_count"],
        "problems": [f"{each['path']}: {each['reason']}" for each in output["failures"]],
    }


def _index_text(indexed: Indexed) -> str:
    changes = ", ".join(f"{indexed[key]} {key}" for key in ("added", "updated", "unchanged"))
    return "\n".join([f"{changes}; documents now: {indexed['documents']}.", *indexed["problems"]])


def _answer_tool(reads_web: bool) -> Tool[AnswerQuestion]:
    web = " Where they tell too little, the web is searched as well." if reads_web else ""
    return Tool(
        "answer_question",
        "Answer a question from the documents",
        "Answers a question from the user's documents, and proves it: every answer comes with "
        "verbatim quotations and their places. Use it whenever the documents may hold the answer; "
        "it also combines facts from several of them. Where `sufficient` is false, the documents "
        "do not support the answer; `missing` says what they lack. Tell the user so, and do not "
        f"fill the gap.{web}",
        AnswerQuestion, ShortAnswer, _answer, short_text, reads_web=reads_web,
    )  # fmt: skip


_ANSWER, _ANSWER_WITH_WEB = _answer_tool(False), _answer_tool(True)
_READING = [_reading(tool) for tool in TOOLS.values()]
_SUMMARISE = Tool(
    "summarise_documents",
    "Summarise all documents",
    "Summarises all of the user's documents together, from reports on their subjects: themes, "
    "overviews, comparisons over the whole. Use it for questions about the collection as a whole; "
    "for single facts, use answer_question.",
    SummariseDocuments, ShortAnswer, _summarise, short_text,
)  # fmt: skip
_LIST = Tool(
    "list_indexes",
    "List the collections of documents",
    "Lists the collections of documents that the other tools can use, with their sizes.",
    ListIndexes, ListedIndexes, _list, _list_text,
)  # fmt: skip
_INDEX = Tool(
    "index_documents",
    "Add documents",
    "Adds texts to the user's documents, so that the other tools find them. A document with the id "
    "of an earlier one replaces it. Use it only when the user asks to keep something.",
    IndexDocuments, Indexed, _index, _index_text, writes=True,
)  # fmt: skip
