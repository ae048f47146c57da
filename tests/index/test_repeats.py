"""Texts that repeat better ones are left out of what is found."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import ragraphs
from ragraphs.algorithms.repeats import PlacedText, without_repeats
from ragraphs.index.opening import open_index
from ragraphs.index.retrieval import search

LIFE = Path(__file__).parents[1] / "data" / "natural" / "documents" / "Marie Curie.txt"
ADDED = "\n\nThis edition adds that her notebooks are kept in boxes lined with lead.\n"
QUESTION = "Which elements did Marie Curie discover, and where did she work?"


def found_in(folder: Path, documents: dict[str, str]) -> list[Any]:
    """The passages found for the question in an index of ``documents``, texts by path."""
    for name, text in documents.items():
        path = folder / "docs" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    build = ragraphs.build("index", index=str(folder / "index"), embeddings="lexical")
    build.invoke({"sources": [str(folder / "docs")]}, context={"chunk_tokens": 128})
    return search(open_index(str(folder / "index")), QUESTION, "hybrid", 20)


@pytest.mark.slow
def test_of_two_editions_of_a_document_each_passage_is_found_once(tmp_path: Path) -> None:
    life = LIFE.read_text(encoding="utf-8")
    found = found_in(tmp_path, {"old/life.txt": life, "new/life.txt": life + ADDED})
    texts = [one["text"] for one in found]
    assert len(texts) == len({*texts}) > 2
    assert any("lined with lead" in text for text in texts)
    assert {*life.split()} <= {*" ".join(texts).split()}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("title", "date"), [("Marie Curie", "2020-05-01"), ("A chemist", "1999-05-01")]
)
def test_what_another_title_or_date_stands_above_stays(tmp_path: Path, title: str, date: str):
    head, life = "---\ntitle: {}\ndate: {}\n---\n\n", LIFE.read_text(encoding="utf-8")
    first, other = head.format("Marie Curie", "1999-05-01"), head.format(title, date)
    found = found_in(tmp_path, {"a.md": first + life, "b.md": other + life})
    half = len(found) // 2
    assert sorted(Path(one["document"]).name for one in found) == ["a.md"] * half + ["b.md"] * half


PUMP = "Drain the pump. Close both valves. Open the vent."


@pytest.mark.parametrize(
    ("text", "stays"),
    [
        (PUMP, False),
        ("Open the vent! DRAIN the pump. Close both valves", False),
        ("Close both valves.", False),
        (f"{PUMP} Then wait for an hour, and read the gauge.", True),
        ("펌프를 비운다. 밸브를 닫는다.", True),
        ("", True),
        ("...", True),
    ],
)
def test_a_text_goes_whose_sentences_stand_before_it_whatever_their_order_and_case(text, stays):
    texts = {"a": PlacedText("Manual", PUMP), "b": PlacedText("Manual", text)}
    kept = without_repeats([("a", 2.0), ("b", 1.0), ("c", 0.5)], texts)
    assert kept == [("a", 2.0), *([("b", 1.0)] if stays else []), ("c", 0.5)]


def test_a_text_may_be_put_together_from_several_better_ones():
    first, second = "Drain the pump.", "Open the vent."
    told = {"a": first, "b": second, "c": f"{second} {first}"}
    ranked = [(id, 1.0) for id in told]
    assert without_repeats(ranked, {id: PlacedText("M", told[id]) for id in told}) == ranked[:2]
    apart = {id: PlacedText(id == "c", told[id]) for id in told}
    assert without_repeats(ranked, apart) == ranked
