"""A community's report by the offline reader: extracts, English and Korean."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from ragraphs.algorithms.quotable import whole_sentences
from ragraphs.language.claims import told_claim
from ragraphs.offline.reports.write import write_report as write_from
from ragraphs.prompts.prompt import Excerpt
from ragraphs.state.facts import ClaimFact

BRIDGE = [
    ("1", "Entity: Forth Bridge", "place. # Forth Bridge"),
    ("2", "Entity: John Fowler", "person. The bridge was designed by John Fowler."),
    ("3", "Relation: Forth Bridge – John Fowler", "Forth Bridge was designed by John Fowler."),
    ("4", "Entity: Scotland", "The Forth Bridge is a railway bridge in eastern Scotland. Far away"),
    ("5", "Relation: Forth Bridge – Scotland", "Forth Bridge is mentioned with Scotland."),
    ("6", "Claim: John Fowler", "John Fowler was suspected of hiding the cost from the board."),
]
PALACE = [
    ("1", "Entity: 경복궁", "place. 경복궁은 서울에 있는 조선의 으뜸 궁궐이다."),
    ("2", "Entity: 정도전", "person. 경복궁이라는 이름은 정도전이 지었다."),
    ("3", "Relation: 정도전 – 경복궁", "정도전 와 함께 언급된다 경복궁."),
    ("4", "Entity: 서울", "place. 경복궁은 서울에 있는 조선의 으뜸 궁궐이다."),
    ("5", "Relation: 경복궁 – 서울", "경복궁 와 함께 언급된다 서울."),
]


def write_report(rows):
    return write_from([Excerpt(id=id, title=title, text=text) for id, title, text in rows])


def test_the_title_is_of_the_most_central_names():
    assert write_report(BRIDGE).title == "Forth Bridge, John Fowler, Scotland"
    assert write_report(PALACE).title == "경복궁, 정도전, 서울"


@pytest.mark.parametrize("rows", [BRIDGE, PALACE])
def test_findings_are_sentences_of_the_rows_and_nothing_else(rows):
    told = [text for _, title, text in rows if not title.startswith("Relation")]
    said = [one.statement for one in write_report(rows).findings]
    assert len(said) == len(set(said)) >= 2
    assert all(any(one in text for text in told) for one in said)


def test_a_finding_carries_the_rows_that_say_it_and_the_relations_between_its_names():
    found = {one.statement: one.evidence for one in write_report(BRIDGE).findings}
    assert found["The Forth Bridge is a railway bridge in eastern Scotland."] == ["4", "5"]


def test_the_summary_has_the_members_and_the_first_findings():
    report = write_report(BRIDGE)
    *said, members = report.summary.splitlines()
    assert members == "Forth Bridge, John Fowler, Scotland"
    assert said == [one.statement for one in report.findings]


def test_without_a_whole_sentence_there_is_no_report():
    report = write_report(
        [("1", "Entity: Ann", "person. Ann and Bo …"), ("2", "Entity: Bo", "Bo.")]
    )
    assert (report.title, report.summary, report.findings) == ("Ann, Bo", "", [])


def test_relations_are_the_findings_where_no_entity_is_described():
    rows = [("1", "Entity: Ann", ""), ("2", "Entity: Bo", "")]
    report = write_report([*rows, ("3", "Relation: Ann – Bo", "Ann wed Bo.")])
    assert [(one.statement, one.evidence) for one in report.findings] == [("Ann wed Bo.", ["3"])]


def test_headings_fragments_and_cut_sentences_are_no_sentences():
    text = "# The bridge\n\nJohn Fowler, engineer\n\nIt was cut off here in the …\nThe end."
    assert whole_sentences(text) == []
    assert whole_sentences("It rained in Leeds all day. It rained in Leeds all day.") == [
        "It rained in Leeds all day."
    ]


@given(st.lists(st.tuples(st.text(max_size=30), st.text(max_size=80)), max_size=6))
def test_any_rows_give_a_report(rows):
    report = write_report([(str(n), *row) for n, row in enumerate(rows, 1)])
    assert bool(report.summary) == bool(report.findings)


def test_no_finding_leaves_out_that_a_claim_is_refuted():
    claim: ClaimFact = {
        "subject": "John Fowler", "object": "", "type": "", "status": "false", "quote": "",
        "description": "John Fowler hid the cost from all. John Fowler left for Egypt at once.",
        "start_date": "1890", "end_date": "",
    }  # fmt: skip
    rows = [*BRIDGE[:5], ("6", "Claim: John Fowler", told_claim(claim))]
    said = [one.statement for one in write_report(rows).findings]
    told = [one for one in said if "hid the cost" in one or "left for Egypt" in one]
    assert len(told) == 2
    assert all(one.startswith("Claim (false, 1890): ") for one in told)


def test_rows_heads_of_letters_and_lists_of_names_are_no_findings():
    rows = [
        ("1", "Entity: Ann Okafor", "front door | Ann Okafor | 2 keys.\nAnn Okafor has the keys."),
        ("2", "Entity: Peter Lund", "To: Peter Lund <peter@example.org>"),
        ("3", "Relation: Ann Okafor – Peter Lund", "Ann Okafor is mentioned with Peter Lund."),
    ]
    said = [one.statement for one in write_report(rows).findings]
    assert said == ["Ann Okafor has the keys."]
