"""The language model that reads for an index, and the reader without one."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from ..context import Context
from ..models.protocol import LanguageModel
from .known_sentences import known_sentences
from .language_model import open_language_model
from .opening import Index
from .vector_worth import worth_for

if TYPE_CHECKING:
    from ..offline.model import OfflineLanguageModel


async def language_model(index: Index, context: Context, name: str | None = None) -> LanguageModel:
    """The language model called ``name``, or that ``context`` names, with the replies of ``index``.

    Raises RagraphsError when it is not allowed, unknown, or has no key.
    """
    if name is not None:
        context = context.model_copy(update={"model": name})
    return await open_language_model(
        context, index.operator, index.replies, partial(offline_reader, index)
    )


def offline_reader(index: Index) -> OfflineLanguageModel:
    """The reader without a language model. Blocks."""
    from ..offline.model import OfflineLanguageModel

    known = partial(known_sentences, index.catalogue, index.sentences)
    return OfflineLanguageModel(index.embedder, known, partial(worth_for, index))
