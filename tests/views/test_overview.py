"""The overview of an index: subjects, topics, questions that it answers; its title."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest
from ragraphs import IndexContext, index_graph
from ragraphs.index.opening import Index, open_index
from ragraphs.state.records import Passage
from ragraphs.views.overview import _topics, overview, sizes_of, title_of
from ragraphs.views.suggestions import rank, suggested_as, suggestions

DOCUMENTS = [
    {
        "id": "forth",
        "title": "Forth Bridge",
        "text": "The Forth Bridge is a railway bridge in Scotland. It was designed by Benjamin "
        "Baker.\n\nBenjamin Baker was born in Somerset. The bridge was opened by a prince.",
    },
    {
        "id": "baker",
        "title": "Engineers",
        "text": "Benjamin Baker was an English engineer. He designed the Forth Bridge in Scotland.",
    },
    {"id": "a", "title": "may", "text": "Nothing of note."},
    {
        "id": "b",
        "title": "Tools",
        "text": "# Tools\n\nThe shed is locked every evening. Gerrit Blom has the key.",
    },
    {
        "id": "d",
        "title": "Sale",
        "text": "The Sale is on Monday. They offered ten pounds last May.",
    },
    {"id": "c", "title": "Sums", "text": "| month | income |\n|---|---|\n| May | 960 |"},
]


def indexed(folder: Path, layers: list[str]) -> Index:
    context = IndexContext(index=str(folder), embeddings="lexical", layers=layers)  # type: ignore[arg-type]
    index_graph.invoke({"documents": DOCUMENTS}, context=context)
    return open_index(str(folder))


@pytest.mark.slow
def test_documents_are_told_by_their_names_and_questions_by_the_hops(tmp_path: Path) -> None:
    found = overview(indexed(tmp_path / "all", ["hops", "entities", "communities"]))
    about = {one["id"]: one["about"] for one in found["documents"]}
    assert "Benjamin Baker" in about["forth"]
    assert "Forth Bridge" not in about["forth"]  # its title says so already
    assert about["a"].startswith("Nothing of note")
    assert about["b"].startswith("The shed is locked")  # one name alone says too little
    assert found["topics"] and all(one["about"] for one in found["topics"])
    assert found["questions"] and len(found["questions"]) == len(set(found["questions"])) <= 4
    assert all(one.endswith("?") for one in found["questions"])
    asked = " ".join(found["questions"])
    assert "may?" not in asked and "Tools" not in asked  # their texts do not name them
    assert "Is the shed locked every evening?" in asked
    assert "What offered" not in asked  # it was they


@pytest.mark.slow
def test_rows_of_a_table_come_behind_documents_that_are_longer_than_a_line(tmp_path: Path) -> None:
    rows = [{"id": f"a.csv#row-{n}", "title": f"Part {n}", "text": f"no {n}"} for n in (2, 3)]
    context = IndexContext(index=str(tmp_path / "rows"), embeddings="lexical", layers=["passages"])
    index_graph.invoke({"documents": [*rows, DOCUMENTS[0]]}, context=context)
    shown = overview(open_index(context.index))["documents"]
    assert [one["id"] for one in shown] == ["forth", "a.csv#row-2", "a.csv#row-3"]


@pytest.mark.slow
def test_rows_of_a_file_are_one_document_and_are_counted_apart(tmp_path: Path) -> None:
    lines = [f"Row {n},{n}" for n in range(2, 14)]
    (tmp_path / "prices.csv").write_text("\n".join(["item,price", *lines]))
    (tmp_path / "notes.md").write_text("# Notes\n\nThe choir sings on Monday.\n")
    lines = ['{"title": "A fair", "text": "It rained."}', '{"title": "A feast", "text": "It did."}']
    (tmp_path / "texts.jsonl").write_text("\n".join(lines))  # documents, and no rows
    context = IndexContext(index=str(tmp_path / "i"), embeddings="lexical", layers=["passages"])
    index_graph.invoke({"sources": [str(tmp_path)]}, context=context)
    index = open_index(context.index)
    assert sizes_of(index) == {"documents": 15, "rows": 12, "files": 4}
    notes, prices, *texts = overview(index)["documents"]
    assert [one["title"] for one in texts] == ["A fair", "A feast"]
    assert (notes["title"], notes["rows"]) == ("Notes", 0)
    assert (prices["title"], prices["rows"]) == ("prices.csv", 12)
    assert prices["about"].startswith("Row 2, Row 3, Row 4")
    assert overview(index)["total"] == 4
    assert title_of(index) == "Notes, prices.csv +2"


def test_a_topic_is_told_by_prose_rather_than_by_rows_of_a_table() -> None:
    report = {"title": "Roth", "summary": "Hall | Roth | free\nRoth has the keys.\nRoth, Hall"}
    one = SimpleNamespace(id="1", parent="", size=3, report=report)
    index = SimpleNamespace(communities=SimpleNamespace(all=lambda: [one]))
    [topic] = _topics(index)  # type: ignore[arg-type]
    assert topic["about"] == "Roth has the keys."


@pytest.mark.slow
def test_without_layers_documents_are_told_by_their_first_words(tmp_path: Path) -> None:
    index = indexed(tmp_path / "bare", ["passages"])
    found = overview(index)
    about = {one["id"]: one["about"] for one in found["documents"]}
    assert about["forth"].startswith("The Forth Bridge is a railway bridge")
    assert (found["topics"], found["questions"]) == ([], [])
    assert about["c"] == "month: May; income: 960"
    assert title_of(index).endswith("+4")


@pytest.mark.parametrize("words", ["forth  bridge", "FORTH\nBRIDGE"])
def test_words_are_found_whatever_their_case_and_spaces(words: str) -> None:
    from ragraphs.stores.document_texts import PassageText
    from ragraphs.views.reading import occurrences

    texts = [
        PassageText("1", 10, 40, "The Forth Bridge, the (Forth\n"),
        PassageText("2", 40, 47, "Bridge)"),
    ]
    assert occurrences(texts, words) == [{"start": 14, "end": 26}]


def test_places_are_where_sections_and_pages_begin() -> None:
    from ragraphs.views.reading import places

    def passage(start: int, **metadata: object) -> dict[str, object]:
        return {"start": start, "metadata": metadata}

    turned = {**passage(5, section="A"), "turns": [{"start": 9, "metadata": {"section": "B"}}]}
    found = places([passage(0), passage(3, section="A"), turned, passage(12, section="B", page=2)])  # type: ignore[list-item]
    assert [(one["at"], one["section"], one["page"]) for one in found] == [
        (3, "A", None),
        (9, "B", None),
        (12, "B", 2),
    ]


@pytest.mark.parametrize(
    ("asked", "title", "text", "stands"),
    [
        ("What is fuse 5 A?", "fuse 5 A", "Part: fuse 5 A\nStock: 12", False),
        ("What is the Forth Bridge?", "Forth Bridge", "The Forth Bridge is long.", True),
        ("What is KITCHEN - log?", "KITCHEN -- log", "Oat milk is out.", False),
        ("백두산은 무엇인가?", "백두산", "백두산은 높은 산이다.", True),
        ("Who received a medal for it?", "Diary", "She received a medal for it.", False),
        ("What can be left with a notice?", "Rules", "It can be left with a notice.", False),
        ("Are Dogs not allowed?", "Rules", "Dogs are not allowed.", False),
        ("Is the interval 24 months?", "Manual", "The interval is 24 months.", True),
    ],
)
def test_a_suggested_question_stands_alone_and_is_answered(asked, title, text, stands):
    told = Passage(
        id="1", document="1", title=title, text=text, start=0, end=len(text), metadata={}
    )
    assert (rank(asked, told) is not None) == stands


def test_questions_on_what_the_title_or_a_name_says_come_before_those_on_an_aside() -> None:
    told = Passage(
        id="1", document="1", title="Boiler log", start=0, end=0, metadata={},
        text="Grafe Heating cleaned the burner of the boiler. Hot steam burns hands, even a little "
        "of it. Old rags block the pipe at the back of the yard.",
    )  # fmt: skip
    asked = [
        "What burns hands, even a little by the boiler of the mill?",
        "What blocks the pipe at the back of the yard of the house?",
        "Who cleaned the burner of the boiler?",
        "Who cleaned the burner for Grafe?",
    ]
    assert {*sorted(asked, key=lambda one: rank(one, told))[:2]} == {*asked[2:]}


@pytest.mark.parametrize(
    ("asked", "suggested"),
    [
        ("Is the budget for the fair 350 pounds?", "What is the budget for the fair?"),
        ("Is the service number 0800 555 0142?", "What is the service number?"),
        ("Was the standpipe repaired on 11 March 2026?", "When was the standpipe repaired?"),
        ("Is the fair on 21 June in St Anne's Church?", "When is the fair in St Anne's Church?"),
        ("Is the fair on 21 June from 10 to 12?", None),
        ("공사는 9월에 시작하는가?", "공사는 언제 시작하는가?"),
        ("2022년에 엄마가 고친 부분은 따로 표시했는가?", None),
        ("참가비는 5,000원입니까?", "참가비는 얼마입니까?"),
        ("Is a deposit of 100 pounds held by the landlord?", None),
        ("Was the bill 498 pounds, 15 more than quoted?", None),  # of two things
        ("Is the shed locked every evening?", None),
    ],
)
def test_a_yes_or_no_that_tells_a_value_asks_for_it(asked: str, suggested: str | None) -> None:
    told = Passage(id="1", document="1", title="Notes", text="", start=0, end=0, metadata={})
    found = suggested_as(asked, told)
    assert found and found.asked == (suggested or asked)


@pytest.mark.slow
def test_a_question_whose_answer_is_stated_comes_first(tmp_path: Path) -> None:
    texts = {
        "a": "The shed is locked every evening. The hall is cleaned in the morning.",
        "b": "The fee for the kiln in the barn is 12 euros. The deposit for the key is 40 euros."
        " The fee for the kiln in the barn is 15 euros.",  # of which two are told
    }
    documents = [{"id": id, "title": "Notes", "text": text} for id, text in texts.items()]
    context = IndexContext(index=str(tmp_path / "i"), embeddings="lexical", layers=["hops"])
    index_graph.invoke({"documents": documents}, context=context)
    asked = suggestions(open_index(context.index))
    assert asked[0] == "What is the deposit for the key?"
    assert len(asked) == 2  # one for each document
