"""Documents of the time that a question names."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import ragraphs
from ragraphs.index.opening import open_index
from ragraphs.index.retrieval import search

MINUTES = {
    "2023-01-12": "The board met. The balance is 100 dollars. Ada took the chair.",
    "2024-01-11": "The board met. The balance is 200 dollars. The trademark was renewed.",
    "2024-03-14": "The board met. The balance is 300 dollars. Berta took the chair.",
}


def indexed(folder: Path, texts: dict[str, str]) -> Any:
    source = folder / "minutes"
    source.mkdir()
    for name, text in texts.items():
        (source / f"{name}.md").write_text(f"# Board minutes\n\n{text}\n", encoding="utf-8")
    build = ragraphs.build("index", index=str(folder / "index"), embeddings="lexical")
    build.invoke({"sources": [str(source)]})
    return open_index(str(folder / "index"))


def first(index: Any, question: str, where: Any = None) -> tuple[str, str]:
    found = search(index, question, "lexical", 3, where)[0]
    return Path(found["document"]).stem, found["found"]


@pytest.mark.slow
def test_documents_of_the_time_go_first_and_say_so(tmp_path: Path) -> None:
    index = indexed(tmp_path, MINUTES)
    assert first(index, "What was the balance in January 2024?") == ("2024-01-11", "date")
    assert first(index, "What was the balance in January 2023?") == ("2023-01-12", "date")
    assert first(index, "What was the balance at the latest meeting?") == ("2024-03-14", "date")
    assert first(index, "What was the balance at the first meeting?") == ("2023-01-12", "date")
    assert first(index, "최근 회의에 누가 참석했나?") == ("2024-03-14", "date")
    # Other documents follow, and a time without documents changes nothing.
    assert len(search(index, "balance of the board in January 2024", "lexical", 3)) == 3
    assert first(index, "Was the trademark renewed in 1850?") == ("2024-01-11", "retrieved")


def test_a_filter_on_dates_is_kept_to(tmp_path: Path) -> None:
    index = indexed(tmp_path, MINUTES)
    only = {"date": {"$lt": "2024"}}
    assert first(index, "What was the balance at the latest meeting?", only)[0] == "2023-01-12"
    found = search(index, "balance", "lexical", 9, {"date": "2024-01"})
    assert [Path(one["document"]).stem for one in found] == ["2024-01-11"]


@pytest.mark.slow
def test_a_year_is_that_of_a_fact_where_few_documents_have_dates(tmp_path: Path) -> None:
    tales = {name: f"Tale {name}: the king was crowned in 2024." for name in ("a", "b", "c")}
    index = indexed(tmp_path, {"2024-01-11": MINUTES["2024-01-11"], **tales})
    assert first(index, "Which king was crowned in 2024?")[1] == "retrieved"


@pytest.mark.slow
def test_a_time_without_documents_is_told(tmp_path: Path) -> None:
    index = indexed(tmp_path, MINUTES)
    build = ragraphs.build("basic", index=index.name, model="offline")

    def warnings(question: str) -> list[str]:
        found: list[str] = build.invoke({"question": question})["warnings"]
        return found

    assert warnings("What was the balance on 20 March 2024?") == [
        "No document is dated 2024-03-20; those of 2024-03 go first."
    ]
    assert warnings("What did the board decide since May 2024?") == [
        "No document is dated since 2024-05; those of other times are shown."
    ]
    assert warnings("2025년 회의에서 누가 의장이 되었나?") == [
        "No document is dated 2025; those of other times are shown."
    ]
    # A year before all documents is that of a fact.
    for question in ("Who was born in 1850?", "What was the balance in January 2024?"):
        assert warnings(question) == []
