"""Each passage has the metadata of the place where it begins, and says where it changes."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from ragraphs.nodes.index.places import Places
from ragraphs.stores.loading.types import DocumentBlock
from ragraphs.stores.metadata import LARGEST, metadata_at, size_of


def read(places: Places, *blocks: str) -> str:
    return "".join(places.noted(blocks))


def test_a_block_without_metadata_has_only_the_document_s():
    places = Places({"author": "Ada"}, "a.pdf")
    read(places, DocumentBlock("One. ", {"page": 1}), "Plain. ", DocumentBlock("Two.", {"page": 2}))
    assert places.within(0, 4) == ({"author": "Ada", "page": 1, "path": "a.pdf"}, [])
    assert places.within(5, 11) == ({"author": "Ada", "path": "a.pdf"}, [])
    assert places.within(12, 16)[0]["page"] == 2


def test_a_part_s_metadata_goes_before_the_document_s_and_the_path_before_both():
    places = Places({"path": "elsewhere", "section": "All", "author": "Ada"}, "a.md")
    read(places, DocumentBlock("One.", {"section": "Intro", "path": "stated"}))
    assert places.within(0, 4)[0] == {"author": "Ada", "path": "a.md", "section": "Intro"}


def test_turns_of_a_passage_take_no_more_room_than_its_metadata():
    places = Places({"author": "Ada"}, "")
    sections = [(n, {"section": f"{n} " + 500 * "x"}) for n in range(1, 100)]
    read(places, DocumentBlock(100 * "x", {"section": "first"}, sections))
    metadata, turns = places.within(0, 100)
    assert size_of(metadata) + sum(size_of(turn["metadata"]) for turn in turns) < 2 * LARGEST
    passage = {"start": 0, "metadata": metadata, "turns": turns}
    assert metadata_at(passage, 3)["section"].startswith("3 ")
    assert metadata_at(passage, 99) == {"author": "Ada"}


METADATA = st.dictionaries(st.sampled_from("abc"), st.integers(1, 3))


@given(
    st.lists(st.tuples(st.integers(1, 9), st.none() | METADATA), min_size=1, max_size=12),
    METADATA,
    st.integers(1, 20),
)
def test_every_character_has_the_metadata_of_its_part(parts, own, length):
    text = [own | (metadata or {}) for size, metadata in parts for _ in range(size)]
    blocks = [
        "x" * size if metadata is None else DocumentBlock("x" * size, metadata)
        for size, metadata in parts
    ]
    places = Places(own, "")
    read(places, *blocks)
    for start in range(0, len(text), length):
        metadata, turns = places.within(start, start + length)
        passage = {"start": start, "metadata": metadata, "turns": turns}
        for place in range(start, min(start + length, len(text))):
            assert metadata_at(passage, place) == text[place]
