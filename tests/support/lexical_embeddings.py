"""Our embeddings without a model, as LangChain calls them."""

from __future__ import annotations

from langchain_core.embeddings import Embeddings
from ragraphs.models.lexical import LexicalEmbedder


class Lexical(Embeddings):
    """Embeddings that know no meaning, for stores of other packages.

    store = QdrantVectorStore.from_texts(["Text."], Lexical(), location=":memory:")
    """

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """A vector for each of ``texts``."""
        found: list[list[float]] = LexicalEmbedder().embed(texts).tolist()
        return found

    def embed_query(self, text: str) -> list[float]:
        """The vector of a question."""
        return self.embed_documents([text])[0]
