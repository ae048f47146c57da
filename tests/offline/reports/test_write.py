"""A community's report by the offline reader, English and Korean."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from ragraphs.offline.reports.statements import is_like, sentence_case, standing, statements
from ragraphs.offline.reports.write import write_report as write_from
from ragraphs.prompts.prompt import Excerpt

BRIDGE = [
    ("1", "Entity: Forth Bridge", "place. # Forth Bridge"),
    ("2", "Entity: John Fowler", "person. The bridge was designed by John Fowler."),
    ("3", "Relation: Forth Bridge – John Fowler", "Forth Bridge was designed by John Fowler."),
    ("4", "Entity: Scotland", "place. The Forth Bridge is a railway bridge in eastern Scotland."),
    ("5", "Relation: Forth Bridge – Scotland", "Forth Bridge is in Scotland."),
    ("6", "Entity: steel", "thing. Forth Bridge was built of 54,000 tonnes of steel."),
    ("7", "Relation: Forth Bridge – steel", "Forth Bridge was of steel."),
    ("8", "Entity: 1890", "date. Forth Bridge was opened on 4 March 1890."),
    ("9", "Relation: Forth Bridge – 1890", "Forth Bridge is connected with 1890."),
    ("10", "Claim: John Fowler", "John Fowler was suspected of hiding the cost from the board."),
]
PALACE = [
    ("1", "Entity: 경복궁", "thing. 경복궁은 서울에 있는 조선의 으뜸 궁궐이다."),
    ("2", "Entity: 정도전", "person. 경복궁이라는 이름은 정도전이 지었다."),
    ("3", "Relation: 정도전 – 경복궁", "정도전 이름은 정도전이 지었으며 경복궁."),
    ("4", "Entity: 서울", "place. 경복궁은 서울에 있는 조선의 으뜸 궁궐이다."),
    ("5", "Relation: 경복궁 – 서울", "경복궁 에 조선의 으뜸 궁궐이다 서울."),
    ("6", "Entity: 1592년", "date. 경복궁은 1592년 임진왜란 때에 불탔다."),
]


def write_report(rows):
    return write_from([Excerpt(id=id, title=title, text=text) for id, title, text in rows])


def written(report):
    return [*statements(report.summary), *(finding.statement for finding in report.findings)]


def test_the_title_is_of_the_most_central_names():
    assert write_report(BRIDGE).title == "Forth Bridge, John Fowler and Scotland"


def test_the_summary_opens_with_what_the_central_entity_is():
    report = write_report(BRIDGE)
    assert report.summary.startswith("The Forth Bridge is a railway bridge in eastern Scotland.")


def test_a_finding_carries_the_rows_of_its_sentence_and_of_the_relations_it_tells():
    found = {one.statement: one.evidence for one in write_report(BRIDGE).findings}
    assert found["Forth Bridge was opened on 4 March 1890."] == ["8", "9"]
    assert found["John Fowler was suspected of hiding the cost from the board."] == ["10"]


@pytest.mark.parametrize("rows", [BRIDGE, PALACE])
def test_no_sentence_is_said_twice_and_each_is_whole(rows):
    said = written(write_report(rows))
    assert len(said) == len(set(said)) >= 3
    assert all(one.endswith(".") and one == sentence_case(one) for one in said)
    assert not any("connected with" in one or "#" in one for one in said)


def test_a_korean_report_joins_names_with_the_right_particle():
    report = write_report(PALACE)
    assert report.title == "경복궁, 정도전과 서울"
    assert report.summary == "경복궁은 서울에 있는 조선의 으뜸 궁궐이다."
    assert [one.statement for one in report.findings] == [
        "경복궁이라는 이름은 정도전이 지었다.",
        "경복궁은 1592년 임진왜란 때에 불탔다.",
    ]


def test_a_single_sentence_is_the_finding_and_the_summary_says_what_it_is_about():
    sentence = "Irving Morrow chose the colour of the towers."
    report = write_report([("7", "Entity: Irving Morrow", f"person. {sentence}")])
    assert report.summary == "This is about Irving Morrow."
    assert [(one.statement, one.evidence) for one in report.findings] == [(sentence, ["7"])]
    korean = write_report([("1", "Entity: 측우기", "thing. 1441년에는 측우기가 만들어졌다.")])
    assert korean.summary == "측우기에 관한 내용이다."


def test_a_relation_that_no_sentence_tells_is_told_by_itself():
    rows = [
        ("1", "Entity: Scrooge", "person. "),
        ("2", "Entity: Marley", "person. "),
        ("3", "Relation: Scrooge – Marley", "Scrooge was the partner of Marley."),
    ]
    assert [(one.statement, one.evidence) for one in write_report(rows).findings] == [
        ("Scrooge was the partner of Marley.", ["3"])
    ]


def test_a_parent_is_titled_and_written_from_the_reports_of_its_children():
    rows = [
        ("1", "Report: Scrooge and Marley", "Scrooge and Marley. Scrooge is a miser in the City."),
        ("2", "Report: Bob Cratchit", "Bob Cratchit. Bob Cratchit works for a miser every day."),
        ("3", "Entity: pen", "thing. A pen lay on the desk in the office."),
    ]
    report = write_report(rows)
    assert report.title == "Scrooge, Marley and Bob Cratchit"
    assert written(report)[0].startswith(("Scrooge is a miser", "Bob Cratchit works"))
    assert "Scrooge and Marley. " not in report.summary


def test_a_child_without_a_summary_of_its_own_adds_nothing():
    rows = [
        ("1", "Report: Fred", "Fred. This is about Fred and the other guests."),
        ("2", "Report: 측우기", "측우기. 측우기와 자격루에 관한 내용이다."),
    ]
    assert write_report(rows).findings == []


def test_a_heading_in_capitals_is_not_shouted_and_not_taken_for_the_subject():
    rows = [
        ("1", "Entity: A CHRISTMAS CAROL", "work. A CHRISTMAS CAROL drew about the fire at night."),
        ("2", "Entity: Fezziwig", "person. Fezziwig laughed all over himself with great joy."),
        ("3", "Relation: A CHRISTMAS CAROL – Fezziwig", "A CHRISTMAS CAROL has Fezziwig."),
    ]
    report = write_report(rows)
    assert report.title == "A Christmas Carol and Fezziwig"
    assert written(report)[0] == "Fezziwig laughed all over himself with great joy."


def test_a_word_that_only_opens_sentences_is_not_taken_for_a_name():
    rows = [
        ("1", "Entity: Look", "thing. Look here, old Joe, there is a chance!"),
        ("2", "Entity: Joe", "thing. Look here, old Joe, there is a chance!"),
        ("3", "Relation: Look – Joe", "Look is connected with Joe."),
    ]
    assert write_report(rows).title.startswith("Joe")


def test_more_rows_rate_higher_up_to_ten():
    few, many = write_report(BRIDGE), write_report(BRIDGE * 100)
    assert 0 < few.rating < many.rating <= 10


def test_rows_without_sentences_make_a_report_without_findings():
    report = write_report([("1", "Entity: Fred", "person. ")])
    assert (report.title, report.summary) == ("Fred", "This is about Fred.")
    assert report.findings == []


TITLES = st.builds("{}A{}".format, st.text(max_size=15), st.text(max_size=15))


@given(st.lists(st.tuples(TITLES, st.text(max_size=60)), min_size=1))
def test_any_rows_make_a_report(texts):
    rows = [(str(n), title, text) for n, (title, text) in enumerate(texts)]
    report = write_report(rows)
    ids = {id for id, _, _ in rows}
    assert all(one.evidence and set(one.evidence) <= ids for one in report.findings)
    assert 0 <= report.rating <= 10


def test_statements_are_cleaned_and_fragments_left_out():
    text = "# Heading\nIt _has_ done me good at last.\nout of it all now.\n'He went home with them."
    assert statements(text) == ["It has done me good at last.", "He went home with them."]
    assert statements("세종은 집현전을 넓혔다. 그는") == ["세종은 집현전을 넓혔다."]


def test_what_leans_on_another_sentence_or_is_speech_stands_less_well():
    alone = standing("Scrooge went home through the fog that night.")
    for other in [
        "He went home through the fog that night.",
        "I went home through the fog that night.",
        "Scrooge went home through the fog that …",
        "그는 집현전을 넓혔다.",
    ]:
        assert 0 < standing(other) < alone <= 1
    assert standing("세종은 집현전을 넓혔다.") == 1


def test_sentences_that_say_nearly_the_same_are_alike():
    said = ["The bridge was opened in 1890 by the Prince of Wales."]
    assert is_like("In 1890 the Prince of Wales opened the bridge.", said)
    assert not is_like("The bridge was painted red by forty men.", said)
