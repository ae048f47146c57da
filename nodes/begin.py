"""The first node of every graph that answers questions."""

from __future__ import annotations

from typing import Any, get_type_hints

from langchain_core.runnables import RunnableLambda
from langgraph.types import Overwrite

from ..context import QuestionContext
from ..state.answering import QuestionInput
from ..state.errors import RagraphsError
from .node import node
from .run import Run, Update

LONGEST_QUESTION = 8000
_GRAPH = "sentences"


def begin(
    method: str, state_type: type, *, walks: bool = False
) -> RunnableLambda[Any, dict[str, Any]]:
    """A node that checks the question and the index, and clears what an earlier run left.

    Findings that the context hands on from another method go into the state. A method that
    ``walks`` layers of the index refuses a retriever of the caller's.
    """
    fresh = fresh_state(method, state_type)

    @node(begins=True)
    async def begin(state: QuestionInput, run: Run[QuestionContext]) -> Update:
        check_question(state.get("question"))
        check_retriever(method, walks, run.context)
        await warn_of_late_layers(run, walks)
        held = {"held": run.context.found} if "held" in fresh else {}
        return {**fresh, **held, "warnings": Overwrite(run.meter.warnings)}

    return begin


async def warn_of_late_layers(run: Run[QuestionContext], walks: bool) -> None:
    """Warns where layers that a run reads have not followed the last changes of documents.

    A method that does not ``walk`` them reads the graph of sentences at most.
    """
    from ..index.freshness import behind, told_behind

    if walks or run.context.retriever in ("auto", "graph"):
        late = await run.in_thread(behind)
        if told := told_behind(late if walks else {n: at for n, at in late.items() if n == _GRAPH}):
            run.meter.warn(f"{told} Lexical, vector and hybrid search find all documents.")


def fresh_state(method: str, state_type: type) -> dict[str, Any]:
    """Every key of ``state_type`` but the question with the empty value of its type.

    On a thread the state of the last question is still there.
    """
    hints = get_type_hints(state_type, include_extras=True).items()
    fresh = {key: _empty(hint) for key, hint in hints if key != "question"}
    return {**fresh, "method": method}


def check_question(question: object) -> None:
    """Raises RagraphsError for a question that is missing, empty or too long."""
    if not isinstance(question, str) or not question.strip():
        raise RagraphsError("The question is empty; ask one in words.")
    if len(question) > LONGEST_QUESTION:
        raise RagraphsError(
            f"The question has {len(question):,} characters; ask one of at most "
            f"{LONGEST_QUESTION:,}, and index long texts instead."
        )


def check_retriever(method: str, walks: bool, context: QuestionContext) -> None:
    """Raises RagraphsError where ``method`` has no use for the caller's own retriever."""
    if obstacle := retriever_obstacle(method, walks, context):
        raise RagraphsError(obstacle)


def retriever_obstacle(method: str, walks: bool, context: QuestionContext) -> str:
    """Why ``method`` cannot be used with the caller's own retriever; empty where it can."""
    if not walks or context.own.retriever is None:
        return ""
    return (
        f"{method} walks the layers of an index, so that a retriever of your own is of no use to "
        "it; leave retriever out, or use basic, crag, deeprag or router."
    )


def _empty(hint: Any) -> Any:
    reduced = hasattr(hint, "__metadata__")
    bare = hint.__origin__ if reduced else hint
    kind = getattr(bare, "__origin__", bare)
    plain = isinstance(kind, type) and issubclass(kind, list | dict | bool | str)
    value = kind() if plain else None
    return Overwrite(value) if reduced else value
