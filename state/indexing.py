"""States of the index graph."""

from __future__ import annotations

from typing import Annotated, NotRequired, TypedDict

from .records import Document, Usage
from .usage import add_usage, add_warnings


class IndexInput(TypedDict, total=False):
    """What to index: files, folders or globs, and documents given inline.

    With neither, an index that was interrupted is completed.
    """

    sources: list[str]
    documents: list[Document]
    remove: list[str]


class Failure(TypedDict):
    """A file or a row that could not be read, and why."""

    path: str
    reason: str


class Plan(TypedDict):
    """What a run would do, and what it would cost."""

    documents: int
    passages: int
    embedding_tokens: int
    missing_replies: int
    reply_tokens: int


class IndexOutput(TypedDict):
    """What happened to the documents, and how large the index is now."""

    index: str
    embeddings: str
    added: int
    updated: int
    unchanged: int
    removed: int
    skipped: list[Failure]
    failures: list[Failure]
    documents: int
    passages: int
    plan: Plan | None
    usage: Annotated[Usage, add_usage]
    warnings: Annotated[list[str], add_warnings]


class IndexState(IndexInput, IndexOutput):
    """The state of the index graph; ``found`` are the files to read, in order."""

    found: NotRequired[list[str]]
