"""What the command line shares: flags made from a context, and how results are shown."""

from __future__ import annotations

import asyncio
import functools
import inspect
import json
import types
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Annotated, Any, Union, cast, get_args, get_origin

import typer
from annotated_types import Ge, Gt, Le
from pydantic import ValidationError
from pydantic.fields import FieldInfo
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from .context import Context
from .state.answering import AnswerOutput
from .state.records import Citation, Passage, Usage

out = Console(soft_wrap=True, highlight=False)
_err = Console(stderr=True, soft_wrap=True, highlight=False)

Json = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]

_WHY_NOT = {
    "no_evidence": "nothing in the index speaks of it",
    "insufficient": "the evidence does not settle it",
    "budget": "the limit on requests to the model was reached (--max-calls)",
    "web_unavailable": "the index does not answer it, and the web could not be asked",
    "model_failed": "the model gave no usable reply",
    "steps": "the limit on steps was reached (--max-steps)",
    "depth": "the limit on depth was reached (--max-depth)",
    "nodes": "the limit on sub-questions was reached (--max-nodes)",
}


def context_options(context_type: type[Context]) -> Callable[[Callable[..., Any]], Any]:
    """Gives a command one flag for every field of ``context_type``, and the context they make."""

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        own = [
            parameter
            for parameter in inspect.signature(command, eval_str=True).parameters.values()
            if parameter.name != "context"
        ]
        flags = [_flag(name, field) for name, field in context_type.model_fields.items()]

        @functools.wraps(command)
        def run(**given: Any) -> Any:
            chosen = {flag.name: given.pop(flag.name) for flag in flags}
            context = context_type(**{k: v for k, v in chosen.items() if v is not None})
            return command(**given, context=context)

        run.__signature__ = inspect.Signature([*own, *flags])  # type: ignore[attr-defined]
        return run

    return decorate


def _flag(name: str, field: FieldInfo) -> inspect.Parameter:
    kind = field.annotation
    if get_origin(kind) in (Union, types.UnionType):
        kind = next(option for option in get_args(kind) if option is not type(None))
    if get_origin(kind) is list:
        kind = str
    bounds = {type(bound): bound for bound in field.metadata}
    at_least, above, at_most = bounds.get(Ge), bounds.get(Gt), bounds.get(Le)
    default = field.get_default(call_default_factory=True, validated_data={})
    flag = "--" + name.replace("_", "-")
    option = typer.Option(
        f"{flag}/--no-{flag[2:]}" if kind is bool else flag,
        help=escape(
            f"{field.description}" + (f" [{_shown(default)}]" if default is not None else "")
        ),
        min=at_least.ge if at_least else above.gt if above else None,
        max=at_most.le if at_most else None,
        show_default=False,
    )
    return inspect.Parameter(
        name,
        inspect.Parameter.KEYWORD_ONLY,
        default=None,
        annotation=Annotated[kind | None, option],  # type: ignore[operator]
    )


def _shown(default: Any) -> str:
    return ",".join(default) if isinstance(default, list) else str(default)


def explain(error: ValidationError) -> str:
    problem = error.errors()[0]
    name = "--" + "-".join(str(part) for part in problem["loc"]).replace("_", "-")
    return f"{name if problem['loc'] else 'the options'}: {problem['msg']}."


def print_json(value: Any) -> None:
    """Prints ``value`` as one JSON document."""
    print(json.dumps(value, ensure_ascii=False, indent=2))


def say(markup: str) -> None:
    """Prints a line with Rich markup."""
    out.print(markup)


def run_with_progress(graph: Any, given: Any, context: Context, *, quiet: bool) -> Any:
    """The output of ``graph``, with a bar for every step that reports progress."""
    with progress_bars(quiet=quiet) as report:
        # asyncio.run hands Ctrl-C on to the nodes; a blocking run would wait for them to end.
        return asyncio.run(_follow(graph, given, context, report))


@contextmanager
def progress_bars(*, quiet: bool) -> Iterator[Callable[[str, int, int], None]]:
    """A function that shows how many of how many parts of a step are done, as a bar on stderr."""
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn

    columns = ("{task.description}", BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    tasks: dict[str, Any] = {}
    with Progress(
        *columns, console=_err, transient=True, disable=quiet or not _err.is_terminal
    ) as progress:

        def report(step: str, done: int, total: int) -> None:
            if step not in tasks:
                tasks[step] = progress.add_task(step, total=total)
            progress.update(tasks[step], completed=done, total=total)

        yield report


async def _follow(
    graph: Any, given: Any, context: Context, report: Callable[[str, int, int], None]
) -> Any:
    result: Any = None
    async for mode, part in graph.astream(
        given,
        context=context,
        stream_mode=["custom", "values"],
        output_keys=graph.output_channels,
    ):
        if mode == "values":
            result = part
        else:
            report(part["step"], part["done"], part["total"])
    return result


def ask_graph(
    graph: Any, question: str, context: Context, watch: Callable[[str, dict[str, Any]], None]
) -> AnswerOutput:
    """The output of ``graph``; ``watch`` sees updates, and a person is asked where it stops to ask.

    Messages are given as roles and contents.
    """
    from langchain_core.messages import convert_to_openai_messages
    from langgraph.checkpoint.memory import InMemorySaver
    from langgraph.types import Command

    asking = graph.copy({"checkpointer": InMemorySaver()})
    given: Any = {"question": question}
    while True:
        result, stopped = _run_watched(asking, given, context, watch)
        if stopped is None:
            break
        _err.print(escape(f"{stopped['message']} {'; '.join(stopped['queries'])}"))
        given = Command(resume=typer.confirm("Go on?", err=True))
    output = {key: result[key] for key in graph.output_channels}
    if "messages" in output:
        output["messages"] = convert_to_openai_messages(output["messages"])
    return cast(AnswerOutput, output)


def _run_watched(
    graph: Any, given: Any, context: Context, watch: Callable[[str, dict[str, Any]], None]
) -> tuple[Any, Any]:
    """The last values, and what the run stopped to ask, if it did.

    The text of an answer that is streamed shows on stderr meanwhile.
    """
    result: Any = None
    stopped: Any = None
    streamed = False
    for mode, part in graph.stream(
        given,
        config={"configurable": {"thread_id": "command line"}},
        context=context,
        stream_mode=["updates", "values", "custom"],
    ):
        if mode == "values":
            result = part
            continue
        if mode == "custom":
            streamed = streamed or "text" in part
            _err.print(escape(part.get("text", "")), end="")
            continue
        for node, update in part.items():
            if node == "__interrupt__":
                stopped = update[0].value
            else:
                watch(node, update)
    if streamed:
        _err.print()
    return result, stopped


def show_indexing(result: Any) -> None:
    """Prints what an index run did, its failures and warnings on stderr."""
    if (plan := result["plan"]) is not None:
        out.print(
            f"Would read {plan['documents']} documents into {plan['passages']} passages "
            f"({result['unchanged']} unchanged, {result['removed']} to remove); "
            f"{plan['missing_replies']} replies of a model missing; about "
            f"{plan['embedding_tokens'] + plan['reply_tokens']:,} tokens to send."
        )
    else:
        out.print(
            f"{result['added']} documents added, {result['updated']} updated, "
            f"{result['unchanged']} unchanged, {result['removed']} removed. The index at "
            f"{escape(result['index'])} holds {result['document_count']} documents in "
            f"{result['passage_count']} passages ({result['embeddings']})."
        )
    show_cost(result["usage"])
    for failure in result["failures"]:
        _err.print(f"[red]Not read:[/red] {escape(failure['path'])}: {escape(failure['reason'])}")
    show_warnings(result["warnings"])


def show_answer(result: AnswerOutput) -> None:
    """Prints an answer with its citations, and what it cost."""
    if result["answer"]:
        out.print(escape(result["answer"]))
    if not result["sufficient"]:
        reason = _WHY_NOT.get(result["stop_reason"] or "", result["stop_reason"])
        label = "Not certain" if result["answer"] else "No answer"
        out.print(f"[yellow]{label}: {reason}.[/yellow]")
    for place, citation in enumerate(result["citations"], start=1):
        out.print(f"  \\[{place}] “{escape(_one_line(citation['quote']))}”")
        out.print(f"      [dim]{escape(_source(citation))}[/dim]")
    out.print(f"[dim]{result['method']} · {escape(_cost(result['usage']))}[/dim]")
    show_warnings(result["warnings"])


def show_update(node: str, update: dict[str, Any] | None) -> None:
    """Prints what a node did, on stderr."""
    _err.print(f"[dim]{node}[/dim] {escape(_one_line(str(update or {}))[:400])}")


def show_tree(result: Mapping[str, Any]) -> None:
    """Prints the tree of questions as a Mermaid drawing, on stderr, where there is one."""
    from .algorithms.tree_drawing import draw_tree

    tree = result.get("tree") or result.get("details", {}).get("tree")
    if tree:
        _err.print(escape(draw_tree(tree)))


def show_status(status: Any) -> None:
    """Prints what an index holds."""
    table = Table.grid(padding=(0, 2))
    for name, value in status.items():
        if name not in {"failures", "document_list"}:
            table.add_row(name, escape(", ".join(value) if isinstance(value, list) else str(value)))
    out.print(table)
    for document in status.get("document_list", []):
        out.print(escape(f"  {document['id']}  ({document['passages']} passages)"))
    for failure in status["failures"]:
        out.print(f"[red]Not read:[/red] {escape(failure['path'])}: {escape(failure['reason'])}")


def show_cost(usage: Usage) -> None:
    """Prints what models were asked, where that took tokens."""
    if any(used["input_tokens"] for used in usage.get("models", {}).values()):
        out.print(f"[dim]{escape(_cost(usage))}[/dim]")


def show_entities(entities: Sequence[dict[str, Any]]) -> None:
    """Prints entities, one a line."""
    table = Table.grid(padding=(0, 2))
    for entity in entities:
        passages = f"{entity['passages']} passage" + "s" * (entity["passages"] != 1)
        table.add_row(escape(entity["name"]), escape(entity["type"]), passages, entity["id"])
    out.print(table)


def show_entity(entity: dict[str, Any]) -> None:
    """Prints what is known of an entity."""
    out.print(f"[bold]{escape(entity['name'])}[/bold] {escape(entity['type'])} {entity['id']}")
    if entity["description"]:
        out.print(escape(entity["description"]))
    if len(entity["aliases"]) > 1:
        out.print(escape(f"also: {', '.join(entity['aliases'][1:])}"))
    for one in entity["relations"]:
        out.print(escape(f"  {one['source']} | {one['relation']} | {one['target']}"))
    for claim in entity["claims"]:
        out.print(escape(f"  claim ({claim['status']}): {claim['description']}"))
    for passage in entity["passages"]:
        out.print(f"  [dim]{escape(_source(passage))}[/dim]")


def show_merges(merges: Sequence[dict[str, Any]]) -> None:
    """Prints merges, one a line."""
    for merge in merges:
        out.print(
            escape(f"{merge['merged']} ({merge['merged_id']}) is {merge['kept']}")
            + f" [dim]{merge['reason']} {merge['score']:.2f}[/dim]"
        )


def show_communities(communities: Sequence[dict[str, Any]]) -> None:
    """Prints communities as a tree, one a line."""
    for one in communities:
        weight = f"{one['size']} entities, {one['rating']:g}"
        indent = "  " * one["level"]
        out.print(f"{indent}[dim]{one['id'][:8]}[/dim] {escape(one['title'])} [dim]{weight}[/dim]")


def show_community(community: dict[str, Any]) -> None:
    """Prints a community's report, and what it leads to."""
    out.print(f"[bold]{escape(community['title'])}[/bold] {community['id']}")
    out.print(f"[dim]level {community['level']}, rated {community['rating']:g} of 10[/dim]")
    out.print(escape(community["summary"]))
    for finding in community["findings"]:
        out.print(escape(f"  - {finding['statement']}"))
    if community["parent"]:
        out.print(f"[dim]part of[/dim] {community['parent'][:8]}")
    show_communities([{**child, "level": 1} for child in community["children"]])
    names = ", ".join(entity["name"] for entity in community["entities"])
    out.print(f"[dim]entities[/dim] {escape(names)}")
    for passage in community["passages"]:
        out.print(f"  [dim]{escape(_source(passage))}[/dim]")


def show_warnings(warnings: Sequence[str]) -> None:
    for warning in warnings:
        say_note(warning)


def say_note(sentence: str) -> None:
    _err.print(f"[yellow]Note:[/yellow] {escape(sentence)}")


def _source(citation: Citation | Passage) -> str:
    title = citation["title"]
    where = f"{citation['document']}, characters {citation['start']}–{citation['end']}"
    return f"{title} ({where})" if title else where


def _cost(usage: Usage) -> str:
    parts = [
        f"{name}: {used['calls']} {'call' if used['calls'] == 1 else 'calls'}"
        + (f", {used['reused']} reused" if used["reused"] else "")
        + (f", {used['input_tokens'] + used['output_tokens']:,} tokens" if used["calls"] else "")
        for name, used in usage.get("models", {}).items()
    ]
    searches = usage.get("web_searches", 0)
    return " · ".join([*parts, *([f"{searches} web searches"] if searches else [])]) or "no calls"


def _one_line(text: str) -> str:
    return " ".join(text.split())
