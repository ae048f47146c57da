"""Embeddings by name: ``lexical``, ``fastembed:MODEL[@FOLDER]``, ``openai:MODEL``, ``auto``."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any, Protocol

from ..language.analyser import count_tokens
from ..language.languages import foreign_share
from ..settings import Settings
from ..state.errors import RagraphsError
from ..state.own import OWN, label_of
from .failures import explain, kind_of, secrets_of
from .local_models import open_local_model
from .meter import current_meter
from .protocol import NoReplyError
from .tracing import Attributes, Note, span

if TYPE_CHECKING:
    import numpy as np
    from langchain_core.embeddings import Embeddings
    from numpy.typing import NDArray

logger = logging.getLogger("ragraphs.models")

DEFAULT_FASTEMBED = "sentence-transformers/all-MiniLM-L6-v2"
MULTILINGUAL_FASTEMBED = "sentence-transformers/paraphrase-multilingual-MiniLM-L12-v2"
DEFAULT_OPENAI = "text-embedding-3-small"
NOTABLE_SHARE = 0.2
_REQUEST_SECONDS = 60


class Embedder(Protocol):
    """Turns texts into unit vectors.

    ``local`` embeddings cost nothing but time. The cosines of ``semantic`` ones compare meaning,
    not only words.

    >>> embedder = open_embedder("lexical", settings())
    >>> one, other = embedder.embed(["Who wrote it?", "It was written by Ada."])
    >>> cosine = one @ other
    """

    name: str
    local: bool
    semantic: bool

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Unit vectors, shape (len(texts), dimension). Raises RagraphsError."""
        ...


class FastEmbedder:
    """ONNX models on the CPU, by fastembed.

    Texts go through one at a time, each in one thread: with a quantised model the other texts of a
    batch change the vector, the padding of a batch costs more than it saves, and ONNX's own threads
    burn more of the processor while they wait than they save.
    """

    local = True
    semantic = True

    def __init__(self, name: str, model: Any) -> None:
        self.name = name
        self._model = model

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Unit vectors, shape (len(texts), dimension)."""
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            return _unit(list(pool.map(self._vector, texts)))

    def _vector(self, text: str) -> NDArray[np.float32]:
        return next(iter(self._model.embed([text], batch_size=1)))


class LangChainEmbedder:
    """Embeddings by an object of LangChain: OpenAI's client, or one that a caller handed over."""

    local = False
    semantic = True

    def __init__(self, name: str, client: Embeddings) -> None:
        self.name = name
        self._client = client

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Unit vectors, shape (len(texts), dimension). Raises RagraphsError.

        Where the question must end first, it raises NoReplyError.
        """
        tokens = sum(map(count_tokens, texts))
        try:
            with current_meter().embedding(self.name, tokens), self._span(tokens):
                rows = self._requested(list(texts))
            logger.debug("%s embedded %d texts of %d tokens", self.name, len(texts), tokens)
            if len(rows) != len(texts):
                raise ValueError(f"{len(rows)} vectors for {len(texts)} texts")
            return _unit(rows)
        except (RagraphsError, NoReplyError):
            raise
        except Exception as error:
            reason = explain(error, secrets_of(self._client))
            logger.warning("%s did not embed: %s", self.name, kind_of(error))
            raise RagraphsError(
                f"The embeddings {self.name} could not be had ({reason}); run again later: what "
                "is done is kept."
            ) from error

    def _requested(self, texts: list[str]) -> list[list[float]]:
        deadline = current_meter().deadline
        if deadline is None:
            return self._client.embed_documents(texts)
        return deadline.result_of(lambda: self._client.embed_documents(texts))

    def _span(self, tokens: int) -> AbstractContextManager[Note]:
        attributes: Attributes = {
            "gen_ai.operation.name": "embeddings",
            "gen_ai.provider.name": self.name.partition(":")[0],
            "gen_ai.request.model": self.name.partition(":")[2],
            "gen_ai.usage.input_tokens": tokens,
        }
        return span(f"embeddings {self.name}", attributes, of_client=True)


def resolve_auto(operator: Settings, texts: Iterable[str]) -> tuple[str, str | None]:
    """The name that ``auto`` stands for where ``texts`` are indexed, and a note for the user.

    English texts get a model for English, others one for many languages; where that cannot be had
    embeddings are lexical, because a model of the wrong language is worse than none. Paid
    embeddings are never chosen unasked.
    """
    foreign = foreign_share(texts) >= NOTABLE_SHARE
    name = f"fastembed:{MULTILINGUAL_FASTEMBED if foreign else DEFAULT_FASTEMBED}"
    notes: list[str] = []
    try:
        open_embedder(name, operator)
        if foreign:
            notes.append(f"The documents are not all English: embeddings are {name}.")
    except RagraphsError as error:
        name = "lexical"
        notes.append(f"Embeddings are lexical (words only): {error}")
    if operator.openai_api_key:
        notes.append(f"--embeddings openai:{DEFAULT_OPENAI} takes OpenAI's.")
    return name, " ".join(notes) or None


def suits(name: str, texts: Iterable[str]) -> bool:
    """Whether the embeddings called ``name`` suit the languages of ``texts``, as far as is known.

    Of other models than the usual one for English it is not known.
    """
    english = identity(name) == f"fastembed:{DEFAULT_FASTEMBED}"
    return not english or foreign_share(texts) < NOTABLE_SHARE


def identity(name: str) -> str:
    """The part of ``name`` that decides the vectors: all but the folder of the model."""
    return name.split("@", 1)[0]


def open_embedder(name: str, operator: Settings) -> Embedder:
    """The embeddings called ``name``. Raises RagraphsError where they are not available."""
    kind, _, model = name.partition(":")
    if name == "lexical":
        from .lexical import LexicalEmbedder

        return LexicalEmbedder()
    if kind == "fastembed" and model:
        return _open_fastembed(name)
    if kind == "openai" and model:
        return _open_openai(name, operator)
    if name.startswith(OWN):
        raise RagraphsError(
            f"The embeddings {name} are an object of the program that built the index; hand the "
            "same over as embeddings."
        )
    raise RagraphsError(
        f"There are no embeddings called {name!r}; use auto, lexical, fastembed:MODEL, "
        "fastembed:MODEL@FOLDER or openai:MODEL."
    )


def own_embedder(embeddings: Embeddings) -> Embedder:
    """The embedder of an object of the caller's, one for each, because it remembers vectors."""
    return _own_embedder(_Same(embeddings))


class _Same:
    """A key that equals another one where both hold the same object."""

    def __init__(self, held: Any) -> None:
        self.held = held

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and self.held is other.held

    def __hash__(self) -> int:
        return id(self.held)


@lru_cache(maxsize=16)
def _own_embedder(same: _Same) -> LangChainEmbedder:
    return LangChainEmbedder(label_of(same.held), same.held)


def _open_openai(name: str, operator: Settings) -> LangChainEmbedder:
    from langchain_openai import OpenAIEmbeddings

    if not operator.openai_api_key and not operator.openai_base_url:
        raise RagraphsError(
            f"The embeddings {name} need a key; set OPENAI_API_KEY, or OPENAI_BASE_URL for a "
            "server of your own, or use --embeddings lexical."
        )
    client = OpenAIEmbeddings(
        model=name.partition(":")[2],
        base_url=operator.openai_base_url or None,
        api_key=operator.openai_api_key or "none",  # type: ignore[arg-type]
        check_embedding_ctx_length=False,
        timeout=_REQUEST_SECONDS,
    )
    return LangChainEmbedder(identity(name), client)


@lru_cache(maxsize=4)
def _open_fastembed(name: str) -> FastEmbedder:
    def import_class() -> Any:
        from fastembed import TextEmbedding

        return partial(TextEmbedding, threads=1)

    model = open_local_model(name, "embedding model", import_class)
    return FastEmbedder(identity(name), model)


def _unit(rows: Sequence[Any]) -> NDArray[np.float32]:
    import numpy as np

    if not rows:
        return np.zeros((0, 0), dtype=np.float32)
    vectors = np.array(rows, dtype=np.float64)
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    return (vectors / np.where(norms == 0, 1, norms)).astype(np.float32)
