"""Quotes of the sentences that came closest, as steps tell them."""

from ragraphs.nodes.deeprag.sub_questions import quotes_of


def cited(quote, title, **metadata):
    place = {"passage": "p", "document": "d", "start": 0, "end": len(quote)}
    return {**place, "quote": quote, "title": title, "metadata": metadata}


def test_a_quote_is_told_after_the_title_and_the_headings_of_its_text():
    quotes = [
        cited("It is rare.", "Guides", section="Guides › Bone cancer"),
        cited("It burnt.", "Palace"),
        cited("It rained.", ""),
    ]
    told = ["Guides › Bone cancer: It is rare.", "Palace: It burnt.", "It rained."]
    assert quotes_of(quotes) == told
