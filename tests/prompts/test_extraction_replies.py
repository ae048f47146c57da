"""Facts kept of a reply with entities, relations and claims, however it is written."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from ragraphs.models.chat.structured import MalformedReplyError, read_reply, reply_schema
from ragraphs.prompts.extraction_replies import (
    Description,
    Facts,
    MoreToFind,
    PassageReading,
    already_found,
    to_facts,
)

REPLIES = [Facts, PassageReading, MoreToFind, Description]
JUNK = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.sampled_from(["", " ", "none"]),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3)
    ),
    max_leaves=8,
)
WORDS = st.text("abcdef가나다", min_size=1, max_size=6)
ENTITIES = st.builds(
    lambda key, name, kind, said: ({key: name, "type": kind, "description": said}, name),
    st.sampled_from(["name", "entity", "Entity Name", "NAME"]),
    WORDS,
    WORDS | JUNK,
    WORDS | JUNK,
)
ENDS = st.sampled_from(
    [
        ("source", "relation", "target"),
        ("head", "relation", "tail"),
        ("subject", "predicate", "object"),
        ("from", "type", "to"),
    ]
)


def _relation(keys, ends, strength, listed):
    written = dict(zip(keys, ends, strict=True)) | {"strength": strength}
    return (list(ends) if listed else written), ends


RELATIONS = st.builds(
    _relation, ENDS, st.tuples(WORDS, WORDS, WORDS), JUNK | st.integers(-5, 20), st.booleans()
)
BAD = st.none() | st.booleans() | st.lists(st.none(), max_size=3) | st.just({}) | st.just({"x": 1})
MALFORMED = BAD | st.dictionaries(st.sampled_from(["name", "source", "target"]), BAD, max_size=3)
KEYS = st.sampled_from(
    """entities relations claims triples incoming outgoing missed description name type source
    target relation strength subject object quote""".split()
)
ANY_JSON = st.recursive(
    JUNK | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=5),
    max_leaves=20,
)


def facts_of(data):
    return read_reply(json.dumps(data), Facts)[:2]


def is_value_or_malformed(text, reply):
    try:
        value, left_out, *_ = read_reply(text, reply)
    except MalformedReplyError as error:
        return str(error).startswith("The reply ")
    again = reply.model_validate_json(value.model_dump_json())
    sound = isinstance(value, reply) and left_out >= 0 and again == value
    return sound and (not isinstance(value, Facts) or are_sound(value))


def are_sound(value):
    facts = to_facts(value)
    names = {entity["name"] for entity in facts["entities"]}
    return (
        all({r["source"], r["target"]} <= names for r in facts["relations"])
        and all(claim["subject"] in names for claim in facts["claims"])
        and all(1 <= relation.strength <= 10 for relation in value.relations)
    )


@given(ANY_JSON, st.sampled_from(REPLIES), st.integers(0, 300))
def test_any_json_cut_anywhere_is_a_value_or_malformed(data, reply, end):
    text = json.dumps(data)
    assert is_value_or_malformed(text, reply)
    assert is_value_or_malformed(text[:end], reply)


@pytest.mark.slow
@given(st.dictionaries(KEYS, ANY_JSON, max_size=6), st.sampled_from(REPLIES), st.integers(0, 300))
def test_any_object_with_the_right_keys_is_a_value_or_malformed(data, reply, end):
    text = json.dumps(data)
    assert is_value_or_malformed(text, reply)
    assert is_value_or_malformed(text[:end], reply)


@given(
    st.lists(ENTITIES | MALFORMED.map(lambda junk: (junk, None)), min_size=1, max_size=6),
    st.lists(RELATIONS | MALFORMED.map(lambda junk: (junk, None)), max_size=6),
    st.sampled_from(["entities", "Entities", "nodes"]),
    st.sampled_from(["relations", "relationships", "triples"]),
    st.data(),
)
def test_every_well_formed_item_among_bad_ones_survives(
    entities, relations, first_key, second_key, data
):
    good = [name for _, name in entities if name is not None]
    linked = [ends for _, ends in relations if ends is not None]
    reply = {first_key: [item for item, _ in entities], second_key: [item for item, _ in relations]}
    try:
        value, left_out = facts_of(reply)
    except MalformedReplyError:
        assert not good and not linked
        return
    assert [entity.name for entity in value.entities] == good
    assert [(r.source, r.relation, r.target) for r in value.relations] == linked
    assert left_out == len(entities) + len(relations) - len(good) - len(linked)
    joint = {"incoming": "Who?", "outgoing": [None, "What?"], **reply}
    reading, missing, *_ = read_reply(json.dumps(joint), PassageReading)
    assert (reading.incoming, reading.outgoing) == (["Who?"], ["What?"])
    assert reading.entities == value.entities and missing == left_out + 1
    end = data.draw(st.integers(0, len(json.dumps(reply))))
    assert is_value_or_malformed(json.dumps(reply)[:end], Facts)


@pytest.mark.parametrize(
    ("relation", "ends"),
    [
        ({"head": "A", "relation": "r", "tail": "B"}, ("A", "r", "B")),
        ({"subject": "A", "predicate": "r", "object": "B"}, ("A", "r", "B")),
        ({"source": "A", "target": "B", "description": "A knows B"}, ("A", "A knows B", "B")),
        ({"source": {"name": "A"}, "relation": "r", "target": " B "}, ("A", "r", "B")),
        (["A", "r", "B"], ("A", "r", "B")),
        (["A", "r", "B", 7], ("A", "r", "B")),
    ],
)
def test_a_relation_may_be_written_in_other_ways(relation, ends):
    value, left_out = facts_of({"triples": [relation]})
    assert [(r.source, r.relation, r.target) for r in value.relations] == [ends] and not left_out


@pytest.mark.parametrize(
    ("written", "strength"),
    [(7, 7), ("8", 8), ("9/10", 9), (99, 10), (-3, 1), (None, 1), ("high", 1), ([], 1)],
)
def test_a_strength_lies_between_1_and_10(written, strength):
    relation = {"source": "A", "relation": "r", "target": "B", "strength": written}
    assert facts_of({"relations": [relation]})[0].relations[0].strength == strength


def test_not_a_number_is_the_weakest_strength():
    text = '{"relations": [{"source": "A", "relation": "r", "target": "B", "strength": NaN}]}'
    assert read_reply(text, Facts)[0].relations[0].strength == 1


@pytest.mark.parametrize(
    "entities",
    [
        "Ann Lee",
        ["Ann Lee"],
        [["Ann Lee", "person"]],
        {"name": "Ann Lee"},
        '[{"name": "Ann Lee"}]',
        {"1": {"entity": "Ann  Lee"}},
        [{"name": None, "entity": "Ann Lee", "type": None}],
    ],
)
def test_one_entity_may_be_written_in_other_ways(entities):
    value, left_out = facts_of({"entities": entities, "relations": None})
    assert [entity.name for entity in value.entities] == ["Ann Lee"] and not left_out


@pytest.mark.parametrize(
    ("reply", "data"),
    [
        (Facts, {"answer": "none"}),
        (Facts, {"entities": [None], "relations": "Ann knows Bob"}),
        (PassageReading, {"incoming": ["Who?"], "outgoing": ["What?"]}),
        (PassageReading, {"entities": [{"name": "Ann"}]}),
        (MoreToFind, {"missed": "perhaps"}),
        (Description, {"description": " "}),
    ],
)
def test_a_reply_without_what_was_asked_for_is_malformed(reply, data):
    with pytest.raises(MalformedReplyError, match="The reply did not have the right form"):
        read_reply(json.dumps(data), reply)


def test_a_list_of_nothing_but_bad_items_does_not_cost_the_other_lists():
    value, left_out = facts_of({"entities": ["Ann"], "relations": [None, {"source": "Ann"}]})
    assert len(value.entities) == 1 and value.relations == [] and left_out == 2


def test_no_items_at_all_is_a_reply():
    assert facts_of({"entities": [], "relations": "none"}) == (
        Facts(entities=[], relations=[], claims=[]),
        0,
    )
    assert facts_of({"result": {"entities": ["Ann"]}})[0].entities[0].name == "Ann"


@pytest.mark.parametrize(
    ("said", "missed"),
    [
        (True, True),
        ("YES", True),
        ("Yes, two.", True),
        ("no", False),
        ("No.", False),
        (0, False),
        ("예", True),
        ("아니오", False),
        (["Ann Lee"], True),
        ([], False),
    ],
)
def test_yes_and_no_are_read_in_words(said, missed):
    assert read_reply(json.dumps({"missed": said}), MoreToFind)[0].missed is missed


def test_a_claim_needs_only_a_subject_and_a_description():
    claims = [{"subject": "Ann", "description": "She won."}, {"subject": "Ann"}]
    claims.append({"subject": "Ann", "description": "x", "status": True, "object": "NONE"})
    value, left_out = facts_of({"claims": claims})
    assert [claim.status for claim in value.claims] == ["suspected", "true"] and left_out == 1
    assert value.claims[1].object == ""


def test_facts_are_cleaned_and_each_stands_once():
    value, _ = facts_of(
        {
            "entities": [
                {"name": " Ann  Lee ", "type": "Person", "description": "A painter."},
                {"name": "ann lee", "type": "artist", "description": "Born in Oslo."},
            ],
            "relations": [
                ["Ann Lee", "was born in", "Oslo", 3],
                ["ANN LEE", "Was born in", "Oslo", 8],
                ["Ann Lee", "is", "ann lee"],
            ],
            "claims": [{"subject": "Ann Lee", "object": "Prize", "description": "She won it."}] * 2,
        }
    )
    facts = to_facts(value)
    assert facts["entities"] == [
        {"name": "Ann Lee", "type": "person", "description": "A painter. Born in Oslo."},
        {"name": "Oslo", "type": "", "description": ""},
        {"name": "Prize", "type": "", "description": ""},
    ]
    assert [(r["source"], r["target"], r["strength"]) for r in facts["relations"]] == [
        ("Ann Lee", "Oslo", 8)
    ]
    assert [(c["subject"], c["object"]) for c in facts["claims"]] == [("Ann Lee", "Prize")]


def test_what_was_found_is_shown_as_one_fenced_text():
    value, _ = facts_of({"entities": [["Ann", "person"]], "relations": [["Ann", "knows", "Bob"]]})
    shown = already_found(to_facts(value))
    assert [text["text"] for text in shown] == ["Ann (person)\nBob\nAnn | knows | Bob"]


@pytest.mark.parametrize("reply", REPLIES)
def test_every_schema_asks_for_every_key_under_its_own_name(reply):
    schema = reply_schema(reply)
    assert schema["required"] == list(reply.model_fields)
    assert "default" not in json.dumps(schema)
