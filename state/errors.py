"""Errors that a person can act on."""


class RagraphsError(ValueError):
    """A person's error: one clear sentence says what is wrong and what to do next.

    A ``ValueError`` because the LangGraph server shows the message of builtin errors to its client
    and hides that of any other class.
    """


class IndexNotFoundError(RagraphsError):
    """There is no index at the place that was named."""


class IncompleteIndexError(RagraphsError):
    """An index lacks vectors of its own passages, entities or reports."""

    def __init__(self) -> None:
        super().__init__(
            "The index is not complete: vectors are missing; run ragraphs index to complete it."
        )
