"""Excerpts of a passage: every highlight, in whole sentences, and no more than is read."""

from __future__ import annotations

import re
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st
from ragraphs.cli.excerpts import PassageExcerpt, best_passages, excerpt, supporting
from ragraphs.state.records import Citation, Evidence
from rich.cells import cell_len

_WORDS = st.sampled_from(
    "The ghost of Marley came. 유령이 왔다. Bah! \n\n - ``` code ## # … 12".split(" ")
)
_TEXTS = st.lists(_WORDS, min_size=1, max_size=300).map(" ".join)


def passage(text: str, id: str = "p", start: int = 100) -> Evidence:
    return {
        **{"id": id, "document": "a.txt", "title": "A", "text": text, "found": "retrieved"},
        **{"start": start, "end": start + len(text), "score": 1.0},
    }


def citation(of: Evidence, start: int, end: int) -> Citation:
    return {
        **{"passage": of["id"], "document": of["document"], "title": of["title"]},
        **{"start": of["start"] + start, "end": of["start"] + end, "quote": of["text"][start:end]},
    }


def quoted(of: Evidence, quote: str) -> Citation:
    start = of["text"].index(quote)
    return citation(of, start, start + len(quote))


def flat(text: str) -> str:
    """``text`` without white space and ellipses."""
    return "".join(text.replace("…", "").split())


@given(text=_TEXTS, edges=st.sets(st.integers(0, 1500), max_size=6))
def test_all_that_is_shown_stands_in_the_passage_in_order_and_no_highlight_is_lost(text, edges):
    one = passage(text)
    spans = list(pairwise(sorted(edge for edge in edges if edge <= len(text))))[::2]
    shown = excerpt(PassageExcerpt(one, [citation(one, *span) for span in spans]), in_colour=True)
    letters = iter(flat(text))
    assert all(letter in letters for letter in flat(shown.plain))
    marked = flat("".join(shown.plain[span.start : span.end] for span in shown.spans))
    assert marked == flat("".join(text[start:end] for start, end in spans))


def test_a_quote_is_shown_in_its_own_part_of_a_passage():
    first = passage("The bridge is long. It is red.")
    second = passage("Ann Lee designed the bridge.", start=first["end"] + 1)
    shown = best_passages([first, second], [quoted(second, "Ann Lee"), quoted(first, "It is red.")])
    assert [[one["quote"] for one in each.citations] for each in shown] == [
        ["It is red."],
        ["Ann Lee"],
    ]
    (best, _) = best_passages([first, second], [quoted(second, "Ann Lee")], "Ann Lee")
    assert best.passage == second


def test_a_block_of_code_is_shown_line_by_line_after_what_leads_to_it():
    one = passage("To install it, run this:\n\n```sh\npip install it\nit --version\n```\n\nDone.")
    shown = excerpt(PassageExcerpt(one, [quoted(one, "To install it, run this:")]), in_colour=False)
    assert shown.plain.splitlines()[1:] == ["pip install it", "it --version", "Done."]


def test_a_highlight_is_shown_with_its_neighbours_and_marked_where_there_are_no_colours():
    sentences = [f"Sentence number {n} says something of no weight at all." for n in range(40)]
    one = passage(" ".join(sentences))
    found = PassageExcerpt(one, [quoted(one, sentences[20])])
    plain = excerpt(found, in_colour=False).plain
    assert re.fullmatch(r"… Sentence number 1\d .* «Sentence number 20 .*\.» .* …", plain)
    assert cell_len(plain) < 500
    styled = excerpt(found, in_colour=True)
    assert [styled.plain[s.start : s.end] for s in styled.spans] == [sentences[20]]


def test_far_highlights_are_joined_by_an_ellipsis_and_paragraphs_by_a_line_end():
    middle = " ".join(["Nothing here."] * 60)
    one = passage(f"First one.\n\nThen this. {middle} The last one.")
    shown = excerpt(
        PassageExcerpt(one, [quoted(one, "First one."), quoted(one, "The last one.")]),
        in_colour=False,
    )
    assert shown.plain.startswith("«First one.»\nThen this.")
    assert shown.plain.endswith(" … «The last one.»") or "here. «The last one.»" in shown.plain


def test_a_passage_without_a_highlight_is_shown_from_its_start():
    assert excerpt(
        PassageExcerpt(passage("세종은 왕이다.\n한글을 만들었다."), []), in_colour=False
    ).plain == ("세종은 왕이다. 한글을 만들었다.")


def test_neighbours_are_marked_together_and_the_best_highlight_has_a_colour():
    one = passage("One is here. Two is here. Three is here.")
    found = PassageExcerpt(one, [quoted(one, "Two is here."), quoted(one, "One is here.")])
    assert excerpt(found, in_colour=False).plain == "«One is here. Two is here.» Three is here."
    assert [span.style for span in excerpt(found, in_colour=True).spans] == ["bold", "bold green"]


def test_a_comparison_is_supported_by_the_first_citation_and_the_first_of_the_title_it_names():
    forth, brooklyn = passage("In 1890. Long.", "f"), passage("In 1883.", "b")
    forth["title"], brooklyn["title"] = "Forth Bridge", "Brooklyn Bridge"
    cited = [quoted(forth, "In 1890."), quoted(forth, "Long."), quoted(brooklyn, "In 1883.")]
    assert supporting("the Brooklyn Bridge", cited) == [cited[0], cited[2]]
    assert supporting("1883", cited) == [cited[2]]


def test_passages_with_the_answer_come_first_and_without_one_they_stay_as_found():
    one, two, three = (passage(f"Text {id}.", id) for id in "abc")
    cited = [quoted(two, "Text b."), quoted(three, "Text c.")]
    order = [found.passage["id"] for found in best_passages([one, two, three], cited)]
    assert order == ["a", "b", "c"]
    order = [found.passage["id"] for found in best_passages([one, two, three], cited, "Text c")]
    assert order == ["c", "b", "a"]
    order = [found.passage["id"] for found in best_passages([one, two, three], cited, "Nobody")]
    assert order == ["b", "c", "a"]


def test_code_keeps_its_lines_and_a_mark_stands_in_whole_ones():
    code = "from app import *\n\ndef add(x, y):\n    return x + y\n\napp.run(add, jobs=4)\n"
    one = passage(f"Run it\nlike this:\n\n{code}")
    found = PassageExcerpt(one, [quoted(one, "def add(x, y):\n    return x + y")])
    shown = excerpt(found, in_colour=False).plain
    assert shown == (
        "Run it like this:\nfrom app import *\n\n«def add(x, y):\n    return x + y»\n\n"
        "app.run(add, jobs=4)"
    )


def test_quiet_highlights_shout_neither_in_colour_nor_in_plain_text():
    one = passage("The bridge is long. It is red.")
    found = PassageExcerpt(one, [quoted(one, "It is red.")])
    quiet = excerpt(found, in_colour=True, quiet=True)
    assert {str(span.style) for span in quiet.spans} == {"italic"}
    assert excerpt(found, in_colour=False, quiet=True).plain == "The bridge is long. It is red."


def test_rows_of_a_table_stand_on_lines_of_their_own_with_the_words_of_its_header():
    text = "| week | tea |\n|---|---|\n| 3 March | Basil |\n| 10 March | Noor |\n\nBring a cup."
    found = passage(text)
    shown = excerpt(PassageExcerpt(found, [quoted(found, "10 March | Noor")]), in_colour=False)
    assert shown.plain.splitlines()[-3:] == [
        "week: 3 March · tea: Basil", "«week: 10 March · tea: Noor»", "Bring a cup.",
    ]  # fmt: skip
    coloured = excerpt(PassageExcerpt(found, [quoted(found, "10 March | Noor")]), in_colour=True)
    assert [coloured.plain[one.start : one.end] for one in coloured.spans] == [
        "week: 10 March · tea: Noor"
    ]


def test_rows_without_a_frame_stand_on_lines_of_their_own():
    found = passage("Lamp: A | Years: 3\nLamp: B | Years: 5\nLamp: C | Years: 6\n")
    shown = excerpt(PassageExcerpt(found, []), in_colour=False)
    assert len(shown.plain.splitlines()) == 3


def test_a_role_of_restructuredtext_is_shown_as_its_words():
    text = "Press :guilabel:`Save` now. It is :py:meth:`run`, at 10:30 by `date`."
    found = passage(text)
    shown = excerpt(PassageExcerpt(found, [quoted(found, text[:27])]), in_colour=False)
    assert shown.plain == "«Press Save now.» It is run, at 10:30 by `date`."


def test_lines_of_a_form_stay_lines_and_emphasis_is_no_part_of_them():
    text = "**Present:** Nora Feldt\n**Apologies:** Greta Lind\nStaff No.: 2231\nThe *rent* rises."
    found = passage(text)
    shown = excerpt(PassageExcerpt(found, [quoted(found, "The *rent* rises.")]), in_colour=False)
    assert shown.plain.splitlines() == [
        "Present: Nora Feldt", "Apologies: Greta Lind", "Staff No.: 2231 «The rent rises.»",
    ]  # fmt: skip
