"""A question is compared with sentences by the vectors that the index holds; few are embedded."""

from collections.abc import Mapping, Sequence

import numpy as np
from ragraphs.models.lexical import LexicalEmbedder
from ragraphs.offline.model import OfflineLanguageModel
from ragraphs.prompts.library import ANSWER
from ragraphs.prompts.prompt import Excerpt

QUESTION = "Which lamp burned in the harbour?"
TEXT = " ".join(f"The lamp numbered {n} burned for {n} hours." for n in range(40))
TEXTS = [Excerpt(id="1", title="Lamps", text=TEXT, passage="p")]


class Counting(LexicalEmbedder):
    """Embeddings that compare meanings as far as anyone knows, and keep what they embedded."""

    semantic = True

    def __init__(self) -> None:
        super().__init__()
        self.embedded: list[str] = []

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        self.embedded += texts
        return super().embed(texts)


def of_lamps(passages: object) -> Mapping[tuple[str, str], np.ndarray]:
    sentences = [f"The lamp numbered {n} burned for {n} hours." for n in range(40)]
    vectors = LexicalEmbedder().embed([f"Lamps: {sentence}" for sentence in sentences])
    return {("p", sentence): vector for sentence, vector in zip(sentences, vectors, strict=True)}


async def test_vectors_that_the_index_holds_are_not_made_again() -> None:
    embedder = Counting()
    await OfflineLanguageModel(embedder, of_lamps).run(ANSWER, question=QUESTION, texts=TEXTS)
    assert embedder.embedded == [QUESTION]


async def test_what_is_embedded_is_what_the_layer_of_sentences_embeds() -> None:
    embedder = Counting()
    texts = [{**TEXTS[0], "title": "Lamps › Oil › Prices"}]
    await OfflineLanguageModel(embedder).run(ANSWER, question=QUESTION, texts=texts)
    asked, *sentences = embedder.embedded
    assert asked == QUESTION
    assert sentences and all(one.startswith("Lamps: The lamp numbered") for one in sentences)


async def test_without_them_only_the_likeliest_sentences_are_embedded_and_once() -> None:
    embedder = Counting()
    reader = OfflineLanguageModel(embedder)
    told = TEXT.replace("numbered 31 burned", "numbered 31 burned in the harbour")
    texts = [Excerpt(id="1", title="Lamps", text=told, passage="p")]
    first = await reader.run(ANSWER, question=QUESTION, texts=texts)
    assert 10 < len(embedder.embedded) < 30
    assert any("harbour" in text for text in embedder.embedded[1:])
    count = len(embedder.embedded)
    assert await reader.run(ANSWER, question=QUESTION, texts=texts) == first
    assert len(embedder.embedded) == count
