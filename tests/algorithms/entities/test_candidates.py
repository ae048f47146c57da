"""Names that may be one thing are proposed by rules, and decided by a model."""

from __future__ import annotations

import pytest
from merging_support import entity, facts, groups, merge_facts
from ragraphs.algorithms.entities.candidates import MOST_SHOWN
from ragraphs.algorithms.entities.merging import Merging

PERSON = "person"
STORY = [
    facts(
        "1",
        [("Anna Holm", PERSON, "Anna Holm is the clerk of Bo Lund."), ("Bo Lund", PERSON)],
        title="story",
        text="Anna Holm was the clerk of Bo Lund.",
    ),
    facts(
        "2",
        [("the ghost", PERSON, "It haunts Bo."), ("Bo Lund", PERSON)],
        title="story",
        text="Bo Lund saw the ghost of the mill.",
    ),
    facts(
        "3",
        [("the ghost", PERSON, "It haunts Anna."), ("Lund's clerk", PERSON)],
        title="story",
        text="Lund's clerk met the ghost of the sea.",
    ),
]


def asked(merging):
    return {one.name: one for group in merging.groups() for one in group}


def places(merging, name):
    return [one for group in merging.groups() for one in group if one.name == name]


def test_a_general_word_is_shown_once_for_each_passage_with_its_sentence():
    ghosts = places(Merging(STORY, by_model=True), "the ghost")
    assert [one.sentence for one in ghosts] == [
        "Bo Lund saw the ghost of the mill.",
        "Lund's clerk met the ghost of the sea.",
    ]
    assert len({one.members for one in ghosts}) == 2


def test_a_description_that_tells_of_another_name_brings_both_before_the_model():
    shown = asked(Merging(STORY, by_model=True))
    assert {"Anna Holm", "Lund's clerk"} <= set(shown)


def test_the_model_decides_and_rules_merge_only_the_same_name():
    merging = Merging(STORY, by_model=True)
    found = groups(merging.graph())
    assert frozenset({"Anna Holm"}) in found and frozenset({"Lund's clerk"}) in found
    shown = asked(merging)
    graph = merging.graph([[shown["Anna Holm"], shown["Lund's clerk"]]])
    anna = entity(graph, "Anna Holm")
    assert anna.passages == ("1", "3") and set(anna.aliases) == {"Anna Holm", "Lund's clerk"}
    assert [merge.reason for merge in graph.merges if merge.reason == "model"] == ["model"]


def test_a_general_word_means_somebody_in_its_passage_only():
    merging = Merging(STORY, by_model=True)
    mill = places(merging, "the ghost")[0]
    graph = merging.graph([[mill, asked(merging)["Bo Lund"]]])
    bo = entity(graph, "Bo Lund")
    assert bo.aliases == ("Bo Lund",) and "It haunts Bo." in bo.descriptions
    assert [other.passages for other in graph.entities if other.aliases == ("the ghost",)] == [
        ("3",)
    ]
    mentions = {(m.start, m.end) for m in graph.mentions if (m.entity, m.passage) == (bo.id, "2")}
    assert {STORY[1].text[start:end] for start, end in mentions} == {"Bo Lund", "ghost"}


def test_words_for_things_stay_one_name_in_all_passages():
    found = [
        facts("a", [("photosynthesis", "process")], title="x", text="On photosynthesis."),
        facts("b", [("Photosynthesis", "process")], title="y", text="More on photosynthesis."),
    ]
    assert len(Merging(found, by_model=True).graph().entities) == 1


def test_corrections_stand_above_the_model():
    from ragraphs.state.entities import Correction

    split = [Correction("split", "Anna Holm", "Lund's clerk")]
    merging = Merging(STORY, split, by_model=True)
    shown = asked(merging)
    graph = merging.graph([[shown["Anna Holm"], shown["Lund's clerk"]]])
    assert entity(graph, "Anna Holm").id != entity(graph, "Lund's clerk").id


def film(passage, name, said, type="work"):
    return facts(passage, [(name, type, said)], title=f"t{passage}")


NIGHTS = [
    film("1", "Wild Nights", "Wild Nights is a novel of 1881 by Ann Holm."),
    film("2", "Wild Nights", "Wild Nights is a film of 1998 by Ann Holm."),
    film("3", "The Wild Nights", "The Wild Nights of 1998 was shot here."),
]


def test_documents_that_say_other_things_of_a_name_have_lines_of_their_own():
    (group,) = Merging(NIGHTS, by_model=True).groups()
    assert [line.said for line in group] == [
        ("Wild Nights is a novel of 1881 by Ann Holm.",),
        ("Wild Nights is a film of 1998 by Ann Holm.", "The Wild Nights of 1998 was shot here."),
    ]


def test_a_name_means_one_thing_until_the_model_says_that_it_means_another():
    merging = Merging(NIGHTS, by_model=True)
    (group,) = merging.groups()
    assert [one.passages for one in merging.graph().entities] == [("1", "2", "3")]
    apart = merging.graph(others=[group[1]])
    assert sorted(one.passages for one in apart.entities) == [("1",), ("2", "3")]
    assert apart.merges and {merge.reason for merge in apart.merges} == {"same normalised name"}


def test_an_abbreviation_comes_before_the_model_with_its_full_name():
    found = [
        film("1", "British Film Institute", "It keeps films.", "organisation"),
        film("2", "BFI", "It ranked them.", "organisation"),
    ]
    assert set(asked(Merging(found, by_model=True))) == {"British Film Institute", "BFI"}


def test_a_place_in_many_documents_has_one_line():
    found = [film(str(n), "Frome", f"Ann{n} lived there in 19{n:02}.", "city") for n in range(9)]
    assert Merging(found, by_model=True).groups() == []


def long_story(passages):
    return [
        facts(
            f"{place:03}",
            [("Bo Lund", PERSON), (f"Carl {place:03} Lund", PERSON), ("the man", PERSON)],
            title="long",
            text=f"Bo Lund met Carl {place:03} Lund, the man.",
        )
        for place in range(passages)
    ]


def test_a_long_document_is_shown_in_parts_that_share_its_frequent_names():
    parts = Merging(long_story(100), by_model=True).groups()
    assert len(parts) > 1 and all(len(part) <= MOST_SHOWN for part in parts)
    assert all("Bo Lund" in {one.name for one in part} for part in parts)


@pytest.mark.slow
def test_a_document_more_leaves_the_other_groups_as_they_are():
    def shown(found):
        return {
            tuple((one.name, one.title) for one in group)
            for group in Merging(found, by_model=True).groups()
        }

    pairs = [
        facts(f"{n}", [(f"Ann Name{n}", PERSON), (f"Ann B. Name{n}", PERSON)], title=f"t{n:04}")
        for n in range(400)
    ]
    before, after = shown(pairs[:200] + pairs[201:]), shown(pairs)
    assert len(before) > 3 and len(before - after) <= 2


def test_without_a_model_names_are_merged_by_rules_alone():
    assert merge_facts(STORY) == Merging(STORY).graph()
