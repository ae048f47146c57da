"""Without a model: questions on nothing that the documents speak of, or on all of them."""

from __future__ import annotations

from pathlib import Path

import pytest
import ragraphs
from ragraphs.nodes.unspoken import asks_of_any
from snapshots import Snapshots

LETTER = "Dear Ines, the boat is sold. Tomas Brandt came on Friday and paid 4,000 euros in cash."
MINUTES = """# Minutes

| item | who |
| --- | --- |
| roof | Ada Lund |

The board met in the old mill. Ada Lund reported on the roof. Tomas Brandt took the minutes.

The next meeting is on 3 May."""
DOCUMENTS = [
    {"id": "letter.txt", "title": "A letter", "text": LETTER},
    {"id": "minutes.md", "title": "Minutes", "text": MINUTES},
    {"id": "list.txt", "title": "A list", "text": "nails\nglue\nTomas Brandt\nAda Lund\nrope"},
]


@pytest.fixture
def index(tmp_path: Path, snapshots: Snapshots) -> str:
    folder = str(tmp_path / "index")
    layers = ["sentences", "hops", "entities", "communities"]
    building = ragraphs.build("index", index=folder, embeddings="lexical", layers=layers)
    snapshots.fill(folder, lambda: building.invoke({"documents": DOCUMENTS}))
    return folder


@pytest.mark.parametrize(
    "method", ["basic", "crag", "deeprag", "hoprag", "tog2", "graphrag", "router"]
)
def test_each_method_says_that_no_passage_speaks_of_it(index, method):
    graph = ragraphs.build(method, index=index)
    output = graph.invoke({"question": "What is the capital of Mongolia?"})
    assert output["missing"] == ["No passage speaks of Mongolia."]
    assert not output["answer"] and not output["sufficient"]
    asked = graph.invoke({"question": "How much did Tomas Brandt pay?"})
    assert not any("No passage" in one for one in asked["missing"])


@pytest.mark.parametrize("question", ["What are the main themes of these documents?", "요약해 줘"])
def test_a_question_on_all_documents_shows_a_sentence_of_each(index, question):
    for method in ("graphrag", "router"):
        output = ragraphs.build(method, index=index).invoke({"question": question})
        assert {one["document"] for one in output["evidence"]} == {one["id"] for one in DOCUMENTS}
        assert {(one["document"], one["quote"]) for one in output["citations"]} == {
            ("letter.txt", "Dear Ines, the boat is sold."),
            ("minutes.md", "The board met in the old mill."),
        }
        assert not output["missing"] and not output["sufficient"]
        assert [one for one in output["warnings"] if "nothing is summed up" in one]


def test_rows_of_a_table_come_behind_other_documents(index):
    rows = [{"id": f"a.csv#row-{n}", "text": f"item: {n}"} for n in range(2, 20)]
    ragraphs.build("index", index=index).invoke({"documents": rows})
    graph = ragraphs.build("graphrag", index=index, top_k=4)
    shown = graph.invoke({"question": "What is this about?"})["evidence"]
    assert {one["id"] for one in DOCUMENTS} < {one["document"] for one in shown}


@pytest.mark.parametrize(
    ("question", "of_any"),
    [
        ("What is this folder about?", True),
        ("Give me an overview of the files.", True),
        ("이 폴더의 내용을 요약해 줘", True),
        ("Summarise the minutes of the board.", False),
        ("What are the main arguments about the roof?", False),
        ("Which documents mention Ada Lund?", False),
        ("지붕에 대한 내용을 요약해 줘", False),
        ("주차장을 요약해 줘", False),
        ("담당자를 소개해 주세요", False),
    ],
)
def test_words_that_any_documents_are_asked_about_with_are_no_subject(question, of_any):
    assert asks_of_any(question) == of_any
