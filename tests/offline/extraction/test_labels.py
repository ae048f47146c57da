"""Labels, days and code of everyday documents are no entities; the names beside them are."""

from __future__ import annotations

import pytest
from ragraphs.offline.extraction.extract import extract_facts

MINUTES = """\
**Present:** Nora Feldt (chair), Owen Prys, Tom Hallam
**Apologies:** Greta Lind
**Minutes:** Sita Rao

## Hedges
Long discussion. Tom Hallam met Owen Prys on Saturday 14 November in Quarry Lane.

Next meeting: Thursday 5 November.
"""


def names(title: str, text: str) -> set[str]:
    return {entity["name"] for entity in extract_facts(title, text)["entities"]}


def test_labels_of_minutes_are_no_entities_and_the_people_beside_them_are():
    found = names("Minutes of the allotment association", MINUTES)
    assert {"Nora Feldt", "Owen Prys", "Tom Hallam", "Greta Lind", "Sita Rao"} <= found
    assert not found & {"Present", "Apologies", "Minutes", "Long", "Hedges"}
    assert not any("November" in name for name in found)


@pytest.mark.parametrize(
    ("text", "kept", "labels"),
    [
        (
            "Policy holder: Ines Duarte\nInsurer: Meridian Mutual\nApproved by: Helen Osei",
            {"Ines Duarte", "Meridian Mutual", "Helen Osei"},
            {"Policy", "Insurer", "Approved"},
        ),
        (
            "Product: Aurora Lamp | Sold by: Lampenhaus Ulm\nProduct: Aurora Desk | Sold by: -",
            {"Aurora Lamp", "Aurora Desk", "Lampenhaus Ulm"},
            {"Product", "Sold"},
        ),
        (
            "From: Noor Haddad\nDate: Wed, 29 May 2024 10:02\n\nDear Mr Tilley,\nGraham paid.\n\n"
            "From: Graham Tilley\nDate: Mon, 27 May 2024 19:40",
            {"Noor Haddad", "Graham Tilley"},
            {"Date", "Wed", "Mon", "May 2024 10", "Dear Mr Tilley"},
        ),
    ],
)
def test_labels_of_forms_tables_and_mails_are_no_entities(text, kept, labels):
    found = names("", text)
    assert kept <= found
    assert not found & labels


def test_speakers_are_named_though_a_colon_follows_them():
    talk = "Jo Marsh: Did Marta phone from Lisbon?\nR. Okafor: Yes.\nJo Marsh: Good."
    assert "Jo Marsh" in names("", talk)


def test_a_title_that_a_colon_follows_is_named():
    text = "Thumb Wrestling Federation: TWF is a series that Cartoon Network showed."
    found = names("Thumb Wrestling Federation", text)
    assert {"Thumb Wrestling Federation", "Cartoon Network"} <= found


def test_names_in_code_are_no_entities_and_those_of_one_long_line_are():
    code = (
        "SOURCE = Path('here')\nfor each in SOURCE.rglob('*'):\n    LOG.info(each)\nrun(SOURCE)\n"
    )
    assert not names("", code)
    line = "Samuel Cabot (1784-1863); James Cabot (1821-1903); Eliza Cabot (1791-1860);"
    assert {"Samuel Cabot", "James Cabot", "Eliza Cabot"} <= names("", line)


def test_a_number_that_a_point_cuts_is_no_part_of_a_name():
    found = names("", "A ticket of Oster Transit 2.40 is sold by Lake Serre 14 in town.")
    assert {"Oster Transit", "Lake Serre 14"} <= found


def test_adverbs_are_no_korean_entities():
    found = names(
        "", "농사직설(農事直說)을 평소(平素)에 읽고, 농사직설(農事直說)을 평소(平素)에 폈다."
    )
    assert "농사직설" in found
    assert not found & {"평소"}


@pytest.mark.parametrize(
    ("text", "kept", "none"),
    [
        (
            "The bill of Dr Osei: operation 640, X-rays 145, night's stay 85, medicine 72.",
            {"Osei"},
            {"X-rays 145"},
        ),
        (
            "Adopted by Nora Feldt. Amended 9 November 2019 by Tom Hallam.",
            {"Nora Feldt", "Tom Hallam"},
            {"Amended 9 November 2019", "Amended"},
        ),
        (
            "The Rose Revolution of November 2003 forced Eduard Shevardnadze out.",
            {"Rose Revolution", "Eduard Shevardnadze"},
            {"Rose Revolution of November 2003"},
        ),
        (
            "Boil 700 ml vinegar as Greta Lind does. Paid 300 on admission to Greta Lind.",
            {"Greta Lind"},
            {"Boil 700", "Boil", "Paid 300", "Paid"},
        ),
        (
            "Sun 10 June was wet. Tilda Moor left by Stellwerk 9 for Windows 11.",
            {"Tilda Moor", "Stellwerk 9", "Windows 11"},
            {"Sun 10 June", "Sun 10", "Sun"},
        ),
        (
            "Mariner 10 passed Venus. Apollo 11, Apollo 12, Apollo 11 again: Neil Armstrong flew.",
            {"Mariner 10", "Apollo 11", "Neil Armstrong"},
            {"Mariner"},
        ),
    ],
)
def test_a_date_or_the_value_of_an_item_is_no_part_of_a_name(text, kept, none):
    found = names("", text)
    assert kept <= found
    assert not found & none


def test_a_date_in_the_title_of_a_text_is_a_part_of_its_name():
    found = names("Treaty of May 1832", "The Treaty of May 1832 made Otto of Bavaria king.")
    assert "Treaty of May 1832" in found
