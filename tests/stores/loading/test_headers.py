from hypothesis import given
from hypothesis import strategies as st
from ragraphs.stores.loading.headers import header_of


def test_fields_of_a_proposal_and_where_its_text_begins() -> None:
    text = "PEP: 8\nTitle: Style Guide\n for Code\nPost-History:\n\n\nIntroduction\n"
    fields, end = header_of(text)
    assert fields == {"pep": "8", "title": "Style Guide for Code", "post-history": ""}
    assert text[end:].strip() == "Introduction"


def test_docinfo_a_mailbox_and_korean_names_are_headers() -> None:
    assert header_of(":Author: Ada\n:Date: 1843\n\nText").fields == {
        "author": "Ada",
        "date": "1843",
    }
    mail = "From ada at example.org Thu Jan  1\nFrom: Ada\nSubject: Notes: again\n\nDear all"
    assert header_of(mail).fields == {"from": "Ada", "subject": "Notes: again"}
    assert header_of("제목: 회의록\n날짜: 2024-01-03\n\n안건").fields["제목"] == "회의록"


def test_a_header_may_follow_a_title() -> None:
    text = "Notes\n=====\n\n:Date: 1843\n\nText"
    assert header_of(text, 12) == ({"date": "1843"}, text.index("\nText"))


def test_prose_lists_and_directives_are_no_header() -> None:
    for text in (
        "Note: this is prose\nthat goes on.\n",
        "see http://example.org/a\n",
        "- Date: 1843\n",
        "Example::\n\n    code",
        ":ref:`a`: b\n",
        "",
    ):
        assert header_of(text) == ({}, 0)


@given(st.text("ab:\n .`-Tt", max_size=60))
def test_any_text_has_a_header_or_none(text: str) -> None:
    fields, end = header_of(text)
    assert 0 <= end <= len(text)
    assert bool(fields) == bool(end)
