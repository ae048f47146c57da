"""An index as a retriever of LangChain."""

from __future__ import annotations

import asyncio
from typing import Any, Literal

from langchain_core.callbacks import AsyncCallbackManagerForRetrieverRun as AsyncRun
from langchain_core.callbacks import CallbackManagerForRetrieverRun as SyncRun
from langchain_core.documents import Document
from langchain_core.embeddings import Embeddings
from langchain_core.retrievers import BaseRetriever
from pydantic import ConfigDict, Field

from ..context import QuestionContext, RetrieverName
from ..index.opening import open_index
from ..index.retrieval import search
from ..models.documents import to_documents


class IndexRetriever(BaseRetriever):
    """Finds passages of an index, which is opened by its name at each use.

        retriever = ragraphs.open_index("notes").as_retriever(top_k=5)
        for document in retriever.invoke("Who founded Penguin Books?"):
            print(document.metadata["title"], document.page_content)

    Each Document's metadata has the passage's ``id``, its ``document`` and ``title``, its span
    from ``start`` to ``end`` in characters of the document, and its ``score``, which compares
    within one list only; besides these, the passage's own metadata. ``where`` is a filter of it.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True)

    index: str = Field(min_length=1)
    retriever: Literal["auto", RetrieverName] = "auto"
    top_k: int = Field(default=10, ge=1, le=100)
    where: dict[str, Any] | None = None
    embeddings: Embeddings | None = None

    def _get_relevant_documents(self, query: str, *, run_manager: SyncRun) -> list[Document]:
        return self._found(query)

    async def _aget_relevant_documents(
        self, query: str, *, run_manager: AsyncRun
    ) -> list[Document]:
        return await asyncio.to_thread(self._found, query)

    def _found(self, query: str) -> list[Document]:
        context = QuestionContext(index=self.index).using(embeddings=self.embeddings)
        found = search(open_index(context), query, self.retriever, self.top_k, self.where)
        return to_documents(found)
