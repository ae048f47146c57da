"""Text whose line breaks are lost: chapters one behind the other, with lists of contents."""

from __future__ import annotations

import pytest
from ragraphs.context import IndexContext
from ragraphs.graphs.index import graph as index_graph
from ragraphs.index.opening import open_index
from ragraphs.stores.loading.booklets import Booklets
from ragraphs.stores.loading.types import DocumentBlock

FILLING = (
    "The keeper of the orchard walks along the rows every morning and writes down what he sees. "
)
CONTENTS = "Pear basics 5 What is a pear? 6 Soil and water 7 Key points"
PEARS = (
    f"{CONTENTS} Pears are fruit of cool lands. {FILLING * 20}What is a pear? A pear is sweet. "
    f"{FILLING * 20}Soil and water Pears like clay. {FILLING * 10}Key points Pears need clay."
)
QUINCES = f"Quinces are hard when they are picked. {FILLING * 50}"


def sections(parts):
    """The section at each place of the parts where one begins."""
    found, offset = [], 0
    for part in parts:
        if isinstance(part, DocumentBlock):
            found += [(offset + at, one["section"]) for at, one in part.places]
        offset += len(part)
    return found


def test_a_list_of_contents_names_the_sections_and_is_left_out():
    text, booklets = f"{PEARS}\n{QUINCES}\n", Booklets()
    parts = list(booklets.parted([text]))
    assert "".join(parts) == text
    found = dict((name, at) for at, name in sections(parts))
    assert list(found) == [
        "Pear basics",
        "Pear basics › What is a pear?",
        "Pear basics › Soil and water",
        "Pear basics › Key points",
    ]
    assert text[found["Pear basics › Soil and water"] :].startswith("Soil and water Pears like")
    assert booklets.leaves_out(0) and booklets.leaves_out(len(CONTENTS) - 1)
    assert not booklets.leaves_out(len(CONTENTS)) and not booklets.leaves_out(len(PEARS) + 1)


def test_a_chapter_further_on_has_its_own_list():
    testing = "2 Tests of soil Digging a hole Counting worms Weighing"
    text = "Digging a hole Take a spade. Counting worms Look. Weighing All on the scales."
    parts = Booklets().parted([f"{PEARS} {testing} Soil tells. {FILLING}{text}"])
    assert [name for _, name in sections(parts)][-3:] == [
        "Pear basics › Tests of soil › Digging a hole",
        "Pear basics › Tests of soil › Counting worms",
        "Pear basics › Tests of soil › Weighing",
    ]


@pytest.mark.parametrize(
    "text",
    [
        "A short text. Pear basics What is a pear? Key points",
        "\n".join([FILLING] * 100),
        f"Ada met Ben and Carl in Rome. {FILLING * 60}Ada Smith spoke. Ben Jones left. " * 2,
        "A? " * 3000,
        "나무는 봄에 심는다. 물을 준다. " * 300,
    ],
)
def test_other_text_stays_whole(text):
    booklets = Booklets()
    assert "".join(booklets.parted([text])) == text
    assert not any(booklets.leaves_out(at) for at in range(0, len(text), 50))


@pytest.mark.slow
def test_no_passage_reaches_from_one_booklet_into_the_next():
    document = {"id": "fruit", "title": "Fruit", "text": f"{PEARS}\n{QUINCES}"}
    index_graph.invoke(
        {"documents": [document]}, context=IndexContext(index="idx", embeddings="lexical")
    )
    passages = list(open_index(IndexContext(index="idx")).catalogue.all_passages())
    assert all(CONTENTS not in one["text"] for one in passages)
    assert not any(
        "Pears need clay" in one["text"] and "Quinces" in one["text"] for one in passages
    )
    [last] = [one for one in passages if "Pears like clay" in one["text"]]
    assert last["metadata"]["section"].startswith("Pear basics")
    assert passages[0]["text"].startswith("Pears are fruit") and passages[0]["start"] > 0
