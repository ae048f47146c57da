"""Errors that a person can act on."""

import re
import traceback
from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pydantic import ValidationError

_BEGINNING, _END = 700, 300
_LONGEST = 500


def readable(message: str) -> str:
    """``message`` without what cannot be sent, and without its middle where it is very long."""
    message = message.encode("utf-8", "replace").decode()
    if len(message) <= _BEGINNING + _END:
        return message
    return f"{message[:_BEGINNING]} … {message[-_END:]}"


class RagraphsError(ValueError):
    """A person's error: one clear sentence says what is wrong and what to do next.

    try:
        output = crag_graph.invoke({"question": question}, context=context)
    except RagraphsError as error:
        print(error)

    A ``ValueError`` because the LangGraph server shows the message of builtin errors to its client
    and hides the message of any other class. Names that a caller made too long are cut out of it.
    """

    def __init__(self, message: str) -> None:
        super().__init__(readable(message))


class IndexNotFoundError(RagraphsError):
    """There is no index at the place that was named.

    try:
        index = open_index("notes")
    except IndexNotFoundError:
        index_graph.invoke({"sources": ["docs/"]}, context=IndexContext(index="notes"))
    """


class IndexBusyError(RagraphsError):
    """Another run writes to the index."""


class UnavailableError(RagraphsError):
    """A store, or a file of the operator, is of no use for now; the same may be asked again."""


class IncompleteIndexError(RagraphsError):
    """An index lacks vectors of its own passages, entities or reports.

    try:
        output = graphrag_graph.invoke({"question": question}, context=context)
    except IncompleteIndexError:
        index_graph.invoke({}, context=IndexContext(index=context.index))
    """

    def __init__(self) -> None:
        super().__init__(
            "The index is not complete: vectors are missing; run ragraphs index to complete it."
        )


class UnexpectedError(RagraphsError):
    """An error that nobody foresaw, in a sentence with its place, but without its own words.

    These may quote what a caller must not read.

    try:
        output = router_graph.invoke({"question": question}, context=context)
    except UnexpectedError as error:
        logging.exception("to be reported", exc_info=error.__cause__)
    """


def foreseen(error: Exception) -> Exception:
    """``error`` where it is a person's or the system's, else it as an UnexpectedError."""
    if isinstance(error, RagraphsError | OSError):
        return error
    unexpected = UnexpectedError(
        f"An unexpected {type(error).__name__}{_place(error)} ended this; what was stored before "
        "is safe. Please report it."
    )
    unexpected.__cause__ = error
    return unexpected


def plain_problem(said: str) -> str:
    """Pydantic's words on a value that is not allowed, as a person would put them."""
    said = said.removeprefix("Value error, ").partition(", unable to ")[0]
    said = re.sub(r"^(String|Value|List) should have at least 1 .*", "must not be empty", said)
    said = said.replace("a valid integer", "a whole number").replace("a valid number", "a number")
    return re.sub(r"^(Input|String|Value|List) should ", "must ", said).rstrip(".")


def problem_in(error: "ValidationError", called: str, known: Iterable[str] = ()) -> str:
    """A sentence on the first of the values in ``error``, each of which is ``called`` a word.

    A name that is not ``known`` comes before one that is missing: it may be meant for it.
    """
    problems = error.errors(include_input=False, include_url=False)
    problem = next((one for one in problems if one["type"] == "extra_forbidden"), problems[0])
    place = ".".join(str(part) for part in problem["loc"])
    name, names = f"{place!r:.80}", "', '".join(known if len(problem["loc"]) == 1 else ())
    offered = f"; there are '{names}'." if names else "."
    if problem["type"] == "extra_forbidden":
        return f"There is no {called} {name}{offered}"
    if problem["type"] == "missing":
        return f"The {called} {name} is missing{offered}"
    said = re.sub(r"^must ", "it must ", plain_problem(problem["msg"]))
    said = said if len(said) <= _LONGEST else f"{said[:_LONGEST]}…"
    return f"The {called} {name} cannot be used: {said}."


def _place(error: Exception) -> str:
    """The last line of the package that the error passed."""
    package = __name__.partition(".")[0]
    frames = traceback.walk_tb(error.__traceback__)
    names = [(str(frame.f_globals.get("__name__")), line) for frame, line in frames]
    ours = [f" in {name}, line {line}," for name, line in names if name.split(".")[0] == package]
    return ours[-1] if ours else ""
