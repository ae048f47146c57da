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
