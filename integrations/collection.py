"""An existing Chroma collection as an index."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, cast

from langchain_core.embeddings import Embeddings

from ..front import build
from ..index.opening import open_index
from ..index.vectors import passage_text
from ..models.documents import plain
from ..state.errors import IndexNotFoundError, RagraphsError
from ..state.own import label_of
from ..stores.loading.sources import INLINE

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel

    from ..state.index import IndexOutput

_ROWS = 1000
_LONGEST_PASSAGE = 8000  # tokens; a longer row is cut, and its pieces are embedded


class Rows(Protocol):
    """A collection of chromadb, or LangChain's ``Chroma`` on one."""

    def get(self, *, limit: int, offset: int, include: Any) -> Any:
        """Rows by their place: ids, documents, metadatas and embeddings."""
        ...


class CollectionRow(NamedTuple):
    """A row as a document of the index, and its vector."""

    document: dict[str, Any]
    vector: list[float]


class KnownVectors(Embeddings):
    """Embeddings that know some vectors; others come from ``embeddings``, whose name it bears."""

    def __init__(self, rows: Sequence[CollectionRow], embeddings: Embeddings) -> None:
        self.label = label_of(embeddings)
        self._embeddings = embeddings
        self._known = {_key(passage_text(cast(Any, row.document))): row.vector for row in rows}

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """A vector for each of ``texts``; only unknown texts are embedded."""
        missing = [text for text in texts if _key(text) not in self._known]
        fresh = dict(
            zip(missing, self._embeddings.embed_documents(missing), strict=True) if missing else ()
        )
        return [fresh[text] if text in fresh else self._known[_key(text)] for text in texts]

    def embed_query(self, text: str) -> list[float]:
        return self._embeddings.embed_query(text)


def index_collection(
    collection: Rows,
    *,
    embeddings: Embeddings,
    index: str,
    llm: BaseChatModel | None = None,
    **settings: Any,
) -> IndexOutput:
    """Makes an index of a Chroma collection: a document of each row, with its vector as it is.

        vectorstore = Chroma("notes", embeddings, persist_directory="chroma")
        ragraphs.index_collection(vectorstore, embeddings=embeddings, index="notes")
        ragraphs.build("crag", index="notes", embeddings=embeddings, llm=llm)

    ``collection`` is one of chromadb or LangChain's ``Chroma``; it is only read. ``embeddings``
    made its vectors, and embed what the index needs besides. Run again, it takes over what has
    changed in the collection, and removes what is gone. ``settings`` are settings of the index
    graph, such as ``layers``. Returns the output of that graph. Raises RagraphsError where the
    collection is empty, or ``embeddings`` do not have its dimension.
    """
    name = _name(collection)
    rows = list(_rows(collection, name))
    if not rows:
        raise RagraphsError(f"The collection {name!r} has no row with a text and a vector.")
    made, stored = len(embeddings.embed_query("dimension")), len(rows[0].vector)
    if made != stored:
        raise RagraphsError(
            f"The vectors of the collection {name!r} have {stored} dimensions, and those of "
            f"{label_of(embeddings)} {made}; give the embeddings that made the collection."
        )
    graph = build(
        "index",
        index=index,
        embeddings=KnownVectors(rows, embeddings),
        llm=llm,
        **({"chunk_tokens": _LONGEST_PASSAGE} | settings),
    )
    documents = [row.document for row in rows]
    gone = sorted(_stored(index, name) - {document["id"] for document in documents})
    return cast("IndexOutput", graph.invoke({"documents": documents, "remove": gone}))


def _name(collection: Any) -> str:
    name = getattr(collection, "name", None) or getattr(collection, "_collection_name", "chroma")
    return str(name)


def _rows(collection: Rows, name: str) -> Iterator[CollectionRow]:
    include = ["documents", "metadatas", "embeddings"]
    offset = 0
    while (found := collection.get(limit=_ROWS, offset=offset, include=include))["ids"]:
        columns = [found[key] for key in ("ids", "documents", "metadatas", "embeddings")]
        if any(column is None for column in columns):
            raise RagraphsError(f"The collection {name!r} has rows without a text or a vector.")
        for id, text, metadata, vector in zip(*columns, strict=True):
            if text and text.strip():
                yield CollectionRow(
                    _document(f"{name}#{id}", text, metadata or {}), list(map(float, vector))
                )
        offset += len(found["ids"])


def _document(id: str, text: str, metadata: Mapping[str, Any]) -> dict[str, Any]:
    title = str(metadata.get("title") or metadata.get("source") or id)
    document = {"id": id, "title": title, "text": text}
    kept = {key: value for key, value in plain(metadata).items() if key[:1] not in "$_#"}
    return {**document, "metadata": kept} if kept else document


def _stored(index: str, name: str) -> set[str]:
    """The ids of the rows that an earlier run took from the collection."""
    try:
        documents = open_index(index).catalogue.documents(INLINE)
    except IndexNotFoundError:
        return set()
    return {document["id"] for document in documents if document["id"].startswith(f"{name}#")}


def _key(text: str) -> str:
    """The text but for its white space, which splitting may change."""
    return " ".join(text.split())
