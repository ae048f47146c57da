"""Tools that read an index: their arguments, and results that a model can take in."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from contextvars import copy_context
from dataclasses import dataclass
from functools import wraps
from inspect import Parameter, Signature, getdoc, signature
from typing import Annotated, Any, Concatenate, Literal, ParamSpec, get_type_hints

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
    create_model,
)
from typing_extensions import TypedDict

from ...context import LayerName
from ...language.analyser import count_tokens, keywords, sentences, shortened
from ...models.meter import start_meter
from ...prompts.lenient import clean
from ...state.errors import RagraphsError, problem_in
from ...state.places import told_place
from ...state.records import Passage
from ..layers import built_layers
from ..opening import Index

P = ParamSpec("P")
PartKind = Literal["passage", "entity", "document", "community"]

MOST_TOKENS = 1500  # of a result, unless more are asked for
_HEAD = 30  # tokens of a part's id and place


class ToolPart(TypedDict):
    """A part of a result: ``id`` names the ``kind`` of thing that tells it, to the other tools."""

    id: str
    kind: PartKind
    place: str
    text: str


class ToolResult(TypedDict):
    """The parts of a result, what is ``left`` unread and how to read it, and ``warnings``."""

    parts: list[ToolPart]
    left: str
    warnings: list[str]


def _from_json(given: Any) -> Any:
    """The value in a JSON text, as some clients send lists and objects; any other ``given``."""
    try:
        return json.loads(given) if isinstance(given, str) else given
    except (ValueError, RecursionError):
        return given


FromJson = BeforeValidator(_from_json)
Text = Annotated[str, AfterValidator(clean)]
Words = Annotated[Text, Field(min_length=1, max_length=1000)]
Name = Annotated[Text, Field(max_length=1000)]
Where = Annotated[
    dict[str, Any] | None,
    FromJson,
    Field(
        description="Conditions on the documents, all of which must hold, by title, document, "
        'author, date, page and the like: {"author": "Ada", "date": {"$gte": "2024-01-01"}}. '
        "Operators: $ne, $gt, $gte, $lt, $lte, $in, $nin. Leave it out to read everything."
    ),
]
Tokens = Annotated[int, Field(ge=200, le=20_000, description="Most tokens of the result.")]
TopK = Annotated[int, Field(ge=1, le=50, description="Most of them to return.")]


@dataclass(frozen=True)
class ReadingTool:
    """A tool that reads: ``description`` and ``arguments`` are for a model that knows nothing.

    ``needs`` is the layer that it reads, if any.

    result = TOOLS["search_words"].use(open_index("notes"), {"query": "Forth Bridge"})
    print(text_of(result))
    """

    name: str
    title: str
    description: str
    arguments: type[BaseModel]
    function: Callable[..., ToolResult]
    needs: LayerName | None

    def use(self, index: Index, given: Mapping[str, Any]) -> ToolResult:
        """The result for the arguments ``given``, with the warnings of its making. Blocks.

        Raises RagraphsError for arguments of no use, and where the index lacks what it reads.
        """

        def read() -> ToolResult:
            meter = start_meter(None)
            return {**self.function(index, **given), "warnings": meter.warnings}

        return copy_context().run(read)  # the meter of a caller's node stays


TOOLS: dict[str, ReadingTool] = {}


def usable_tools(index: Index) -> list[ReadingTool]:
    """The tools whose layers ``index`` has. Blocks."""
    built = built_layers(index)
    return [one for one in TOOLS.values() if one.needs is None or one.needs in built]


def reading_tool(
    title: str, needs: LayerName | None = None
) -> Callable[
    [Callable[Concatenate[Index, P], ToolResult]], Callable[Concatenate[Index, P], ToolResult]
]:
    """Makes a tool of ``function(index, ...)``: of its docstring, and its annotated arguments.

    ``needs`` is the layer that it reads.
    """

    def decorate(
        function: Callable[Concatenate[Index, P], ToolResult],
    ) -> Callable[Concatenate[Index, P], ToolResult]:
        others = list(signature(function).parameters.values())[1:]  # the first is the index
        taken = Signature(others)
        arguments = _model_of(function, others)

        @wraps(function)
        def checked(index: Index, /, *args: P.args, **kwargs: P.kwargs) -> ToolResult:
            try:
                given = {**taken.bind_partial(*args).arguments, **kwargs}
                values = arguments.model_validate(given)
            except ValidationError as error:
                problem = problem_in(error, "argument", arguments.model_fields)
                raise RagraphsError(problem) from error
            read: Callable[..., ToolResult] = function
            return read(index, **{name: getattr(values, name) for name in taken.parameters})

        name = function.__name__
        TOOLS[name] = ReadingTool(name, title, getdoc(function) or "", arguments, checked, needs)
        return checked

    return decorate


def _model_of(function: Callable[..., Any], parameters: Iterable[Parameter]) -> type[BaseModel]:
    hints = get_type_hints(function, include_extras=True)
    fields: dict[str, Any] = {
        one.name: (hints[one.name], ... if one.default is Parameter.empty else one.default)
        for one in parameters
    }
    name = "".join(map(str.capitalize, function.__name__.split("_")))
    return create_model(name, __config__=ConfigDict(extra="forbid"), **fields)


def fitted(parts: Iterable[ToolPart], tokens: int, left: str = "") -> ToolResult:
    """The first of ``parts`` that fit into ``tokens``; the last of them is cut where it must be.

    ``left`` is told after the number of those that do not fit.
    """
    kept: list[ToolPart] = []
    waiting, room = list(parts), tokens - count_tokens(left) - 2 * _HEAD
    while waiting and room > 2 * _HEAD:
        part = waiting.pop(0)
        room -= _HEAD + count_tokens(part["place"])
        kept.append({**part, "text": cut(part["text"], max(room, _HEAD))})
        room -= count_tokens(kept[-1]["text"])
    rest = f"{len(waiting)} more were found; more tokens show them." if waiting else ""
    return {"parts": kept, "left": " ".join(filter(None, (rest, left))), "warnings": []}


def known_passage(index: Index, id: str) -> Passage:
    """The passage with this id. Blocks; raises RagraphsError where there is none."""
    found = index.catalogue.passages([id])
    if not found:
        raise RagraphsError(f"There is no passage {id!r:.80}; take an id that a search gave.")
    return found[0]


def of_passage(passage: Passage, text: str | None = None) -> ToolPart:
    """A passage as a part of a result, with its own text or another one."""
    shown = passage["text"] if text is None else text
    return {"id": passage["id"], "kind": "passage", "place": told_place(passage), "text": shown}


def cut(text: str, tokens: int) -> str:
    """The beginning of ``text`` in ``tokens`` at most."""
    while (size := count_tokens(text)) > tokens:
        text = shortened(text, len(text) * tokens // (size + 1))
    return text


def excerpt(text: str, query: str, tokens: int) -> str:
    """The sentences of ``text`` that share most words with ``query``, in order, in ``tokens``.

    All of it where it is short enough.
    """
    if count_tokens(text) <= tokens:
        return text
    spans, asked = sentences(text), keywords(query)
    shared = [len(asked & keywords(span.plain)) for span in spans]
    kept, room = set[int](), tokens
    for place in sorted(range(len(spans)), key=lambda place: (-shared[place], place)):
        room -= count_tokens(spans[place].plain) + 1
        if room < 0:
            break
        kept.add(place)
    if not kept:
        return cut(text, tokens)
    shown = "".join(
        f"{'' if place - 1 in kept or not place else '… '}{spans[place].plain} "
        for place in sorted(kept)
    )
    return shown.strip() + ("" if len(spans) - 1 in kept else " …")


def text_of(result: ToolResult) -> str:
    """``result`` as a model reads it: each part behind its id, then what is left unread."""
    parts = [
        f"[{one['kind']} {one['id']}] {one['place']}\n{one['text']}".rstrip()
        for one in result["parts"]
    ]
    told = [one for one in (result["left"], *result["warnings"]) if one]
    return "\n\n".join([*(parts or ["Nothing was found."]), *told])
