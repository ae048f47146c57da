"""Cross-encoders, which read a question and a text together: ``fastembed:MODEL[@FOLDER]``."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from math import isfinite
from typing import Any

from ..prompts.prompt import Excerpt
from ..settings import Settings
from ..state.errors import RagraphsError
from ..state.records import Evidence
from .embeddings import identity
from .failures import explain
from .local_models import open_local_model

_FEWEST_CANDIDATES = 50
_TIMES_KEPT = 5


class CrossEncoder:
    """Scores how well a text answers a question, on a scale of the model's own.

    Texts go through one at a time, as with embeddings: in a batch they would change each other's
    scores where the model is quantised.

    >>> encoder = open_cross_encoder("fastembed:Xenova/ms-marco-MiniLM-L-6-v2", settings())
    >>> encoder.scores("Who wrote it?", passages)
    """

    def __init__(self, name: str, model: Any) -> None:
        self.name = name
        self._model = model

    def scores(self, question: str, texts: Sequence[Evidence] | Sequence[Excerpt]) -> list[float]:
        """A score for each text with its title, larger is better. Blocks; raises RagraphsError."""
        shown = [f"{text['title']}\n{text['text']}" for text in texts]
        try:
            scores = [float(one) for one in self._model.rerank(question, shown, batch_size=1)]
            if len(scores) != len(shown) or not all(map(isfinite, scores)):
                raise ValueError(f"no score for each of {len(shown)} texts")
        except Exception as error:
            raise RagraphsError(
                f"The cross-encoder {self.name} does not score texts ({explain(error)}); name "
                "another one."
            ) from error
        return scores


def candidates(stated: int | None, top_k: int) -> int:
    """The number of passages to rerank where ``top_k`` are kept: as ``stated``, or some times more.

    Never fewer than are kept.
    """
    return max(_FEWEST_CANDIDATES, _TIMES_KEPT * top_k) if stated is None else max(stated, top_k)


def reranked(
    encoder: CrossEncoder, question: str, found: Sequence[Evidence], most: int
) -> list[Evidence]:
    """The ``most`` best of ``found``, with the scores of ``encoder``. Blocks.

    Of equals the one that was found first. Raises RagraphsError.
    """
    scores = encoder.scores(question, found)
    best = sorted(range(len(found)), key=lambda place: -scores[place])
    return [{**found[place], "score": scores[place]} for place in best[:most]]


def open_cross_encoder(name: str, operator: Settings) -> CrossEncoder:
    """The cross-encoder called ``name``. Blocks.

    Raises RagraphsError where the operator does not allow it, and where it cannot be had.
    """
    if operator.rerank and name == operator.default_rerank:
        name = operator.rerank
    else:
        _check_allowed(name, operator)
    kind, _, model = name.partition(":")
    if kind != "fastembed" or not model:
        raise RagraphsError(
            f"There is no cross-encoder called {name!r}; use fastembed:MODEL or "
            "fastembed:MODEL@FOLDER."
        )
    return _opened(name)


def _check_allowed(name: str, operator: Settings) -> None:
    """Raises RagraphsError for a name that callers may not give.

    With a root they may give those alone that the operator lists, since any other would be
    downloaded, or read from a folder.
    """
    served = operator.root is not None
    if not served and not operator.models:
        return
    if (name if served else identity(name)) in operator.models:
        return
    usual = [operator.default_rerank] if operator.rerank else []
    listed = [identity(one) for one in operator.models if one.startswith("fastembed:")]
    allowed = ", ".join([*usual, *listed])
    raise RagraphsError(
        f"The cross-encoder {identity(name)!r} is not allowed here; "
        + (f"choose one of: {allowed}." if allowed else "leave it out.")
    )


@lru_cache(maxsize=2)
def _opened(name: str) -> CrossEncoder:
    def import_class() -> Any:
        from fastembed.rerank.cross_encoder import TextCrossEncoder

        return TextCrossEncoder

    model = open_local_model(name, "cross-encoder", import_class)
    return CrossEncoder(identity(name), model)
