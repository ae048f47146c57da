"""Sentences of stories, notes, tables and Markdown, in English and Korean."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from ragraphs.language.analyser import sentences
from ragraphs.language.markup import prose


def texts_of(text: str) -> list[str]:
    return [sentence.plain for sentence in sentences(text)]


@pytest.mark.parametrize(
    "cut",
    [
        '"Bah!" said Scrooge. | He stamped.',
        "Cry! Cry! Cry! | The bells were gone.",
        'He recorded "Cry! Cry! Cry!" in 1955. | It was a hit! | He sang it.',
        "The bridge is on Cty Rd. 24 near Ulm. | It is old.",
        "He lives at 5 Elm Rd. near St. Mary's. | Mr. J. R. Fell owns it.",
        "See No. 5, e.g. the U.S. Army. | It left the U.S. | He said no. | They stayed.",
        "Books by W.E.B. Du Bois and J.-P. Sartre. | Н.А. Бердяев read H.F. Maltby. | He did.",
        "The shed roof: P. Abara has two offers. | See p. 5 and P. 6. | It is so.",
        "It opens at 9 a.m. | The door is red.",
        "The value is 3.5 cm. | 12 were sold.",
        "The abbey (c. 12th century) burnt. | Its abbot (d. 1250) took plan b. | He fled.",
        "wire was the old doorbell. | sockets are done now.",
        "비가 왔다. | 그리고 갔다.",
        "2024. 4. 18.(목)에 만났다. | 늦게 끝났다.",
        '"이제 가자." 하고 말했다. | "같이 가요!"라고 했다.',
    ],
)
def test_a_sentence_ends_where_a_reader_stops(cut: str):
    assert texts_of(cut.replace(" | ", " ")) == cut.split(" | ")


def test_korean_sentences_end_without_a_space_too():
    assert texts_of("비가 많이 왔다.그리고 갔다.") == ["비가 많이 왔다.", "그리고 갔다."]


def test_line_breaks_of_wrapped_text_end_no_sentence():
    wrapped = (
        "Entering that gable-ended inn, you found yourself in a wide, low and\n"
        "straggling entry with old-fashioned wainscots, reminding one of Mr.\n"
        "Coffin and of some condemned old craft. On one side hung a painting\n"
        "so thoroughly besmoked."
    )
    assert texts_of(wrapped) == [
        wrapped[: wrapped.index(" On one")].replace("\n", " "),
        "On one side hung a painting so thoroughly besmoked.",
    ]


def test_lines_of_notes_and_verses_stand_alone():
    notes = "Mon 3rd\nDentist, one filling\n14.1.  measured all,\n       wall is not straight\nmilk"
    assert texts_of(notes) == [
        "Mon 3rd",
        "Dentist, one filling",
        "14.1. measured all, wall is not straight",
        "milk",
    ]
    assert texts_of("회의는 3시에 한다\n장소는 2층이다") == ["회의는 3시에 한다", "장소는 2층이다"]
    assert texts_of("- eggs, six\n- [x] tea\n1. Boil it\n2. Serve") == [
        "eggs, six",
        "[x] tea",
        "1. Boil it",
        "2. Serve",
    ]


MARKDOWN = """---
title: Ferry
tags: [a, b]
---
<!-- Does it support TLS? No. -->

# Ferry #

[![build](https://x.example/b.svg)][ci] **Ferry** copies *folders* with `ferry push`, see
[the manual](https://x.example/a_(b).html "All of it") or [this][ci].<br>
It is slow![^1]

```bash
# no sentence
ferry push
```

Options
-------
- [Limits](#limits)

***

| Option | Default |
|:-------|--------:|
| `--jobs` | 4 |
| | off |

<p align="center">Centred.</p>
> Quoted <name> text.

[ci]: https://x.example/ci "Build"
[^1]: On Mondays.
"""


def test_of_markdown_only_prose_and_rows_are_sentences():
    assert texts_of(MARKDOWN) == [
        "Ferry copies folders with ferry push , see the manual or this .",
        "It is slow!",
        "Option: --jobs; Default: 4",
        "Default: off",
        "Centred.",
        "Quoted <name> text.",
        "On Mondays.",
    ]
    written = [sentence.text for sentence in sentences(MARKDOWN)]
    assert written[0].startswith("**Ferry** copies") and written[0].endswith("or [this][ci].")
    assert written[2] == "`--jobs` | 4"


@pytest.mark.parametrize("start", ["ls -l\n```\n\nThen read on.", "Run:\n\n```\nls -l"])
def test_a_passage_may_begin_or_end_within_code(start: str):
    assert "ls -l" not in prose(start)
    assert prose(start).split()[:1] in (["Then"], ["Run:"])


def test_of_restructured_text_targets_directives_and_roles_are_no_prose():
    text = (
        ".. _setup:\n\nSetup\n=====\n\nRead :doc:`the guide` first.\n\n.. note::\n\n"
        "    It opens at 10:30.\n\n.. _Pillow: https://example.org/\n\nAsk Pillow .. later.\n"
    )
    told = [span.plain.split() for span in sentences(text)]
    said = ["Read the guide first.", "It opens at 10:30.", "Ask Pillow .. later."]
    assert [" ".join(words) for words in told] == said


def test_a_novel_loses_no_line_for_how_it_begins():
    lines = (
        "He wrote\n# 5 Elm Street\n> and went.\n--- Then he came.\n~~~\nIt was over,\n---\nnearly."
    )
    assert re.findall(r"\w+", prose(lines)) == re.findall(r"\w+", lines)


RECORDS = "name: Ann\nage: 5\n\nname: Bob\nage: 6\n\nSome: facts\nOther: x"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            "id: L-7\nItem: Fog machine\nremarks: M. Use it",
            ["id: L-7; Item: Fog machine; remarks: M. Use it"],
        ),
        (RECORDS, ["name: Ann; age: 5", "name: Bob; age: 6", "Some: facts", "Other: x"]),
        (
            "9. DATA\nForm: clear\npH (neat): below 1\n\nEnd.",
            ["9. DATA", "Form: clear", "pH (neat): below 1", "End."],
        ),
        ("■ 규격\n전원: 220V\n소비 전력: 290W", ["■ 규격", "전원: 220V", "소비 전력: 290W"]),
        ("vents:\n  limit: 14\n  travel: 110", ["vents: limit: 14 travel: 110"]),
        (f"id: 7\nstory: {'long ' * 100}", ["id: 7", f"story: {'long ' * 100}".strip()]),
    ],
)
def test_labels_stay_with_their_values_and_a_record_is_a_row(text: str, told: list[str]):
    assert [one.plain for one in sentences(text)] == told


MARKS = '" # > --- ~~~ * _ ` [ ] ( ) | < ** <b> |-| [a](b) 1. -'.split()
PROSE = "A man went. Oh! 5 #5 >x -- 3.5 Mr. No. e.g. (so) 'x' he 집에 갔다. 요? 1.".split()
TEXTS = st.lists(st.sampled_from([*MARKS, *PROSE, "\n", "\n\n"]), max_size=40).map(" ".join)
PLAIN_TEXTS = st.lists(st.sampled_from([*PROSE, "\n"]), max_size=40).map(" ".join)


@given(TEXTS)
def test_sentences_are_stretches_of_the_text_in_order(text: str):
    found = sentences(text)
    assert all(text[one.start : one.end] == one.text for one in found)
    places = [place for one in found for place in (one.start, one.end)]
    assert places == sorted(places)
    assert len(prose(text)) == len(text)
    assert [c for c in prose(text) if c == "\n"] == [c for c in text if c == "\n"]


@given(PLAIN_TEXTS)
def test_of_plain_prose_no_word_is_lost(text: str):
    kept = " ".join(one.plain for one in sentences(text))
    assert re.findall(r"\w+", kept) == re.findall(r"\w+", text)


@pytest.mark.parametrize(
    "text, told",
    [
        (
            "The value is bool | str in the index.\nThe rest follows\nhere.",
            ["The value is bool | str in the index.", "The rest follows here."],
        ),
        ("x: int | str\ny: int | None", ["x: int | str", "y: int | None"]),
        ("|x| is at most |y|", ["|x| is at most |y|"]),
        ("Heading | x\n-----\nText is here.", ["Text is here."]),
        ("a | b\n--- | ---\n1 | 2.\n\nGo on.", ["a: 1; b: 2.", "Go on."]),
        (
            "+---+---+\n| a | b |\n+===+===+\n| 1 | 2 |\n+---+---+\n| 3 | 4 |\n+---+---+\nEnd.",
            ["a: 1; b: 2", "a: 3; b: 4", "End."],
        ),
        ("a | b | c\nd | e | f\nThen it ends.", ["a; b; c", "d; e; f", "Then it ends."]),
        ("Part of a table:\n| a | b |", ["Part of a table:", "a; b"]),
    ],
)
def test_prose_with_a_pipe_is_no_table(text: str, told: list[str]):
    assert texts_of(text) == told


def test_lines_of_code_are_not_joined_into_prose():
    text = (
        "Run it like\nthis::\n\n    from app import *\n    app.run('a. B', jobs=4)\n\n"
        "    @app.task\n    def add(x, y):\n        return x + y\n\nThen it goes\non; see (below)."
    )
    written = [sentence.text for sentence in sentences(text)]
    assert written[-5:-1] == [
        "from app import *",
        "app.run('a. B', jobs=4)",
        "@app.task",
        "def add(x, y):\n        return x + y",
    ]
    assert texts_of(text)[-1] == "Then it goes on; see (below)."


def test_a_heading_of_several_signs_is_none_though_no_blank_line_stands_before_it():
    text = "Order seeds.\n## February\nSow broad beans.\n# of a novel\nIt goes on."
    assert [one.plain for one in sentences(text)] == [
        "Order seeds.", "Sow broad beans.", "# of a novel", "It goes on.",
    ]  # fmt: skip


def test_a_note_of_restructuredtext_keeps_its_words_and_no_other_directive_does():
    text = ".. note:: Do not mix cells.\n\n.. image:: cells.png\n\n.. _top: https://a.example/b\n"
    assert prose(text).split() == ["Do", "not", "mix", "cells."]


def test_a_number_that_ends_a_sentence_at_the_start_of_a_line_begins_no_item():
    wrapped = (
        "Badenova digs from March to June,\nhouse by house, beginning with house\n"
        "6. During the connection there is no\nhot water, and the pumps stand still."
    )
    ends = [one.plain for one in sentences(wrapped)]
    assert ends[0].endswith("beginning with house 6.") and ends[1].startswith("During")
    listed = wrapped.replace("June,\nhouse by", "June:\n5. house by")
    assert [one.plain[:2] for one in sentences(listed)] == ["Ba", "5.", "6."]


@pytest.mark.parametrize(
    "note", ["/// warning\n{}\n///", '!!! note "Keys"\n    {}', "::: tip\n{}\n:::"]
)
def test_the_signs_of_notes_are_no_part_of_their_sentences(note: str):
    said = "The key hangs in the office."
    assert texts_of(f"It is shut.\n\n{note.format(said)}\n") == ["It is shut.", said]
