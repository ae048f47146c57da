"""States of the index graph."""

from __future__ import annotations

from typing import Annotated, Any, NotRequired

from langgraph.channels import UntrackedValue
from typing_extensions import TypedDict

from .records import Document, Usage
from .usage import add_usage, add_warnings


class IndexInput(TypedDict, total=False):
    """The input of the index graph: files, folders or globs, inline documents, and removals.

    In Python the documents may be Documents of LangChain, too.
    ``triples`` are files of entities and relations that were found elsewhere. With none of all
    these, an index that was interrupted is completed. Where another run writes to the index, this
    one waits its turn; with ``wait`` false it is refused. Nothing of it stays on a thread, and no
    checkpoint holds a document.
    """

    sources: Annotated[list[str], UntrackedValue]
    documents: Annotated[list[Document], UntrackedValue]
    remove: Annotated[list[str], UntrackedValue]
    triples: Annotated[list[str], UntrackedValue]
    wait: Annotated[bool, UntrackedValue]


class Failure(TypedDict):
    """A file or a row that could not be read, and why."""

    path: str
    reason: str


class Plan(TypedDict):
    """The forecast of a run: documents and passages to read, and their cost.

    ``passages`` are those to embed, ``embedding_tokens`` their size if the embeddings cost money;
    ``missing_replies`` and ``reply_tokens`` what a language model would be asked. ``cost`` is the
    price of all these tokens in US dollars, replies not counted; there is none where a price is
    not known.
    """

    documents: int
    passages: int
    embedding_tokens: int
    missing_replies: int
    reply_tokens: int
    cost: NotRequired[float]


class IndexOutput(TypedDict):
    """The output of the index graph: changes to documents, and the size of the index.

    ``skipped`` are the files of folders and globs that were not read: how many of each ending, of
    which "" is none.
    """

    index: str
    embeddings: str
    added: int
    updated: int
    unchanged: int
    removed: int
    failures: list[Failure]
    skipped: dict[str, int]
    layers: list[str]
    document_count: int
    passage_count: int
    plan: Plan | None
    usage: Annotated[Usage, add_usage]
    warnings: Annotated[list[str], add_warnings]


class IndexState(IndexInput, IndexOutput):
    """The state of the index graph.

    ``inline`` are the documents given, ``files`` and ``triple_files`` the paths of documents and of
    triples to read, from the operator's root; ``gone`` the ids of documents to remove. Of each
    small change that is made ``along`` with this one, it has the same, and then its counts.
    """

    inline: Annotated[list[Document], UntrackedValue]
    files: list[str]
    triple_files: list[str]
    gone: list[str]
    along: Annotated[list[Any], UntrackedValue]
