"""Cutting documents into passages."""

from __future__ import annotations

from ragraphs.algorithms.splitting import split_text


def test_a_passage_that_begins_within_a_table_knows_the_header():
    rows = "".join(f"| --opt{n} | {n}. Yes. No. |\n" for n in range(60))
    text = f"Options:\n\n| Option | Meaning |\n|---|---|\n{rows}\nThe end.\n\n| a | b |"
    chunks = list(split_text([text], 100, 0))
    assert " ".join(chunk.text for chunk in chunks).split() == text.split()
    assert all(text[chunk.start : chunk.end] == chunk.text for chunk in chunks)
    within = [chunk.header for chunk in chunks if chunk.text.startswith("| --opt")]
    assert len(within) > 3 and set(within) == {"Option | Meaning"}
    assert all(chunk.text.rstrip()[-1] in "|.:" for chunk in chunks)
    assert next(split_text(["| a | b |"], 100, 0)).header == ""


def test_code_is_cut_at_lines_and_stays_with_what_leads_to_it():
    call = '    show("One. Two. Three; four, five! Six? " + name, width=5)\n'
    shown = f"Show it::\n\n    import a\n\n{call}\n{call * 12}\nEnd."
    text = f"Words. {'Some more words. ' * 8}\n\n{shown}"
    chunks = [chunk.text for chunk in split_text([text], 60, 0)]
    assert any(one.startswith("Show it::\n\n    import a\n\n    show(") for one in chunks)
    lines = {line.strip() for line in text.splitlines()}
    assert all(
        line.strip() in lines for one in chunks for line in one.splitlines() if "show" in line
    )


def test_a_fenced_block_is_not_cut_at_its_blank_lines_where_it_has_room():
    code = "```text\nfirst\n\n\nsecond. third\n```"
    text = f"{'Words here. ' * 12}\n\n{code}\n\n{'Words there. ' * 12}"
    assert sum(code in chunk.text for chunk in split_text([text], 50, 0)) == 1


def test_passages_that_overlap_may_begin_at_the_same_place():
    text = (
        '\n\n  end\n\n  describe "instance methods" do\n    it "should return an address" do\n'
        "      t = Mail::ResentToField.new('Mikel Lindsaar <mikel@test.lindsaar.net>')\n"
        "      expect(t.formatted).to eq ['Mikel Lindsaar <mikel@test.lindsaar.net>']\n    end\n\n"
        '    it "should return two addresses" do\n      t = Mail::R'
    )
    chunks = list(split_text([text], 60, 20))
    assert chunks[0].start == chunks[1].start and chunks[0].text == "end"
    assert all(text[chunk.start : chunk.end] == chunk.text for chunk in chunks)


def test_a_question_stays_with_the_paragraph_that_answers_it():
    asked, answer = "'Why do you doubt your senses?'", "'Because a little thing affects them.'"
    for told in ("More was told here.\n\n" * count for count in range(4, 12)):
        for gap in ("\n\n", " \n\n\n", "\n\n    "):
            text = f"{told}{asked}{gap}{answer}\n\n{told}"
            chunks = [chunk.text for chunk in split_text([text], 40, 0)]
            assert sum(asked in one and answer in one for one in chunks) == 1
    assert len(list(split_text(["Who is this?\n\n" * 40], 40, 0))) > 1
