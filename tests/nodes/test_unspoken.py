"""Without a model, the output says where no passage speaks of what was asked."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
import ragraphs
from ragraphs.index.opening import Index
from ragraphs.models.lexical import LexicalEmbedder
from ragraphs.offline.lines import telling_words
from snapshots import Snapshots

GARDEN = """On Monday we planted 40 cabbages behind the shed. Frost came early, so Maria covered the
seedlings with straw. The well ran dry in August and the council lent us a pump.

Seeds cost 12 euros this year. The shed key hangs behind the kitchen door."""
KITCHEN = """Bake the bread for 35 minutes at 220 degrees. Ben forgot the salt on Friday.

The oven door was mended by an electrician for 90 euros. New plates arrive in June."""
FESTIVAL = """마을축제는 5월 12일에 운동장에서 열린다. 예산은 모두 200만 원이다.

음향 장비는 소리마당에서 빌린다. 노래자랑 사회는 김미정 씨가 본다."""
SIGNALS = """E4: 물통이 제대로 끼워지지 않음. 물통을 끝까지 밀어 넣으세요.

E5: 필터에 먼지가 많음. 한 해에 두 번 씻어 주세요."""
DOCUMENTS = [
    {"id": f"{title}.txt", "title": title, "text": text}
    for title, text in (
        ("Garden", GARDEN),
        ("Kitchen", KITCHEN),
        ("마을축제", FESTIVAL),
        ("제습기", SIGNALS),
    )
]


@pytest.fixture
def index(tmp_path: Path, snapshots: Snapshots) -> str:
    folder = str(tmp_path / "index")
    indexing = ragraphs.build("index", index=folder, embeddings="lexical")
    snapshots.fill(folder, lambda: indexing.invoke({"documents": DOCUMENTS}))
    return folder


def said(index: str, question: str) -> list[str]:
    output = ragraphs.build("basic", index=index).invoke({"question": question})
    assert output["evidence"] and not output["sufficient"]
    return output["missing"]


@pytest.mark.parametrize(
    ("question", "named"),
    [
        ("how do I reset the printer driver", "“reset”, “printer” or “driver”"),
        ("why was the third amendment of the treaty signed in August", "“third”, “amendment”"),
        ("프린터 드라이버는 어떻게 설치하나요?", "“프린터”, “드라이버”"),
        ("What did Gustave Eiffel build?", "Gustave Eiffel"),
        ("Who mended the Oven Tower with straw?", "Oven Tower"),  # an oven with no capital
    ],
)
def test_what_no_passage_speaks_of_is_named(index, question, named):
    [sentence] = said(index, question)
    assert sentence.startswith("No passage speaks of ") and named in sentence


@pytest.mark.parametrize(
    "question",
    [
        "why did the seedlings need a cover",
        "what was wrong with the bread",
        "When did Marria cover the seedlings?",
        "why didn't anyone salt the bread",
        "I'm out of salt, what now?",
        "음향 장비를 어디서 빌리기로 했나요?",
        "E4는 왜 나오나요?",
    ],
)
def test_nothing_is_said_where_a_passage_may_answer_in_other_words(index, question):
    assert not said(index, question)


@pytest.mark.parametrize(
    ("question", "telling"),
    [
        ("What happens on SIGTERM?", ["SIGTERM"]),
        ("표준시가 정해진 건 언제예요?", ["표준시가", "정해진"]),
        ("세종대왕은 몇 년에 태어났나요?", ["세종대왕은", "태어났나요"]),
        ("E4는 무슨 뜻인가요?", ["E4는"]),
    ],
)
def test_words_that_only_ask_are_not_looked_for(question, telling):
    assert telling_words(question) == telling


class Meaning(LexicalEmbedder):
    """Embeddings that know what "the watering equipment that somebody lent" is."""

    semantic = True

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        pump = "well ran dry in August council lent us a pump"
        return super().embed([text.replace("watering equipment", pump) for text in texts])


def test_a_sentence_near_in_meaning_speaks_of_it_though_it_has_none_of_the_words(
    index, tmp_path, monkeypatch
):
    question = "who owned that watering equipment?"
    assert said(index, question) == ["No passage speaks of “owned”, “watering” or “equipment”."]
    monkeypatch.setattr(Index, "embedder", Meaning())
    by_meaning = str(tmp_path / "other")
    building = ragraphs.build("index", index=by_meaning, embeddings="lexical")
    building.invoke({"documents": DOCUMENTS})
    assert said(by_meaning, question) == []
    assert said(by_meaning, "how do I reset the printer driver")
