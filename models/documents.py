"""Documents of LangChain as our texts, and our texts as Documents."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from typing import TYPE_CHECKING, Any

from ..prompts.lenient import clean
from ..state.errors import RagraphsError
from ..state.filters import matches
from ..state.records import Evidence, Metadata
from .failures import explain, secrets_of

if TYPE_CHECKING:
    from langchain_core.documents import Document
    from langchain_core.retrievers import BaseRetriever

_PLACED = ("id", "document", "title", "start", "end", "score")
_SCORES = ("score", "relevance_score")


async def search_by(
    retriever: BaseRetriever, question: str, most: int, where: Mapping[str, Any] | None = None
) -> list[Evidence]:
    """At most ``most`` texts that a retriever of the caller's finds, in its order.

    Given ``where``, only texts whose metadata meets this filter. Raises RagraphsError where it
    fails.
    """
    try:
        documents = await retriever.ainvoke(question)
    except Exception as error:
        raise RagraphsError(
            f"The retriever {type(retriever).__name__} failed "
            f"({explain(error, secrets_of(retriever))}); mend it, or leave retriever out."
        ) from error
    found = evidence_of(documents)
    return [one for one in found if not where or matches(_filtered_by(one), where)][:most]


def _filtered_by(text: Evidence) -> Metadata:
    return {**text["metadata"], "title": text["title"], "document": text["document"]}


def evidence_of(documents: Iterable[Document]) -> list[Evidence]:
    """Documents as evidence, each once and without those that hold no text.

    The id is the Document's own or the one in its metadata, else a hash; the document is its
    ``source``, else the id. Spans count the characters of its own text, unless its metadata has a
    ``start`` in that document. The score is the one in the metadata, else 1 / rank.
    """
    found: dict[str, Evidence] = {}
    for document in documents:
        if not (text := clean(document.page_content)).strip():
            continue
        given = document.metadata
        name = given.get("document") or given.get("source")
        id = id_of(document)
        start = given.get("start")
        start = start if isinstance(start, int) and not isinstance(start, bool) else 0
        scores = [given[key] for key in _SCORES if isinstance(given.get(key), int | float)]
        found.setdefault(
            id,
            {
                "id": id,
                "document": str(name or id),
                "title": str(given.get("title") or name or id),
                "text": text,
                "start": start,
                "end": start + len(text),
                "score": float(scores[0]) if scores else 1 / (len(found) + 1),
                "found": "retrieved",
                "metadata": plain(given),
            },
        )
    return list(found.values())


def id_of(document: Document) -> str:
    """The id of a Document: its own, or from its metadata, else a hash of source and text."""
    if id := document.id or document.metadata.get("id"):
        return str(id)
    said = f"{document.metadata.get('source', '')}\n{document.page_content}"
    return hashlib.blake2b(said.encode(errors="replace"), digest_size=12).hexdigest()


def given_documents(given: Sequence[Any]) -> list[Any]:
    """``given`` for the index graph, with dictionaries in the place of Documents of LangChain.

    The id of a Document is its own, the one in its metadata, or its ``source``, with a number where
    several come from one; else a hash of its text. Metadata that no filter could name is left out.
    """
    sources = Counter(_source(one) for one in given if hasattr(one, "page_content"))
    seen: Counter[str] = Counter()
    documents: list[Any] = []
    for one in given:
        if not hasattr(one, "page_content"):
            documents.append(one)
            continue
        source = _source(one)
        seen[source] += 1
        id = source if sources[source] == 1 else f"{source}#{seen[source]}"
        named = one.id or one.metadata.get("id")
        document = {
            "id": str(named) if named else id if source else id_of(one),
            "title": str(one.metadata.get("title") or source),
            "text": one.page_content,
        }
        metadata = {key: value for key, value in plain(one.metadata).items() if _is_name(key)}
        documents.append({**document, "metadata": metadata} if metadata else document)
    return documents


def _source(document: Document) -> str:
    return str(document.metadata.get("source") or "")


def _is_name(key: str) -> bool:
    return bool(key) and key[0] not in "$_#"


def plain(given: Mapping[Any, Any]) -> Metadata:
    """The metadata that filters can name: texts, numbers, truth values, dates, lists of texts."""
    metadata: Metadata = {}
    for name, value in given.items():
        if name in _PLACED or value is None:
            continue
        if isinstance(value, date):  # a datetime is one, too
            metadata[str(name)] = value.isoformat()
        elif isinstance(value, str | int | float):
            metadata[str(name)] = value
        elif isinstance(value, list | tuple) and all(isinstance(one, str) for one in value):
            metadata[str(name)] = list(value)
    return metadata


def to_documents(evidence: Sequence[Evidence]) -> list[Document]:
    """Evidence as Documents of LangChain.

        documents = to_documents(found["evidence"])
        documents[0].page_content, documents[0].metadata["document"]

    Their metadata has ``id``, ``document``, ``title``, ``start``, ``end`` and ``score``, and the
    passage's own metadata besides.
    """
    from langchain_core.documents import Document

    return [
        Document(
            id=text["id"],
            page_content=text["text"],
            metadata={**text["metadata"], **{key: text[key] for key in _PLACED}},  # type: ignore[literal-required]
        )
        for text in evidence
    ]
