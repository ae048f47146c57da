"""Texts of other languages than English are found, and English ones are not taken for them."""

from __future__ import annotations

from importlib import resources

import pytest
from hypothesis import given
from hypothesis import strategies as st
from ragraphs.language.languages import foreign_share

TEXTS = {
    "Korean": "서울에서 열린 회의에는 삼백 명이 참석했다.",
    "Japanese": "この橋は1890年に開通した。",
    "Chinese": "这座桥于1890年通车。",
    "Russian": "Мост был открыт в 1890 году и стал самым длинным.",
    "Greek": "Η γέφυρα άνοιξε το 1890.",
    "Arabic": "افتتح الجسر عام 1890.",
    "German": "Die Brücke wurde 1890 eröffnet und ist eine der längsten ihrer Art.",
    "French": "Le pont a été ouvert en 1890 et il est le plus long de la région.",
    "Spanish": "El puente fue inaugurado en 1890 y es uno de los más largos del país.",
    "Italian": "Il ponte fu aperto nel 1890 ed è uno dei più lunghi della regione.",
    "Portuguese": "A ponte foi aberta em 1890 e é uma das mais longas do país.",
    "Dutch": "De brug werd in 1890 geopend en is een van de langste van het land.",
    "Polish": "Most został otwarty w 1890 roku i jest jednym z najdłuższych na świecie.",
    "Vietnamese": "Cây cầu được khánh thành năm 1890 và là một trong những cây cầu dài nhất.",
    "Indonesian": "Jembatan ini dibuka pada tahun 1890 dan merupakan yang terpanjang.",
}
ENGLISH = [
    "The bridge was opened in 1890.",
    "La Paz, Los Angeles, El Paso and Las Vegas are cities whose names are Spanish.",
    "def open_bridge(name: str) -> None: return None",
    "Miller, Ortiz, Schmidt, Ivanov",
    "1890 – 2,467 m",
    "",
]


@pytest.mark.parametrize("language", TEXTS)
def test_other_languages_are_told_from_english(language):
    assert foreign_share([TEXTS[language]]) == 1


@pytest.mark.parametrize("text", ENGLISH)
def test_english_and_what_is_of_no_language_is_not_foreign(text):
    assert foreign_share([text]) == 0


@given(st.lists(st.sampled_from([*TEXTS.values(), *ENGLISH])))
def test_the_share_does_not_depend_on_the_order(texts):
    share = foreign_share(texts)
    assert 0 <= share <= 1
    assert share == foreign_share(reversed(texts))


def test_the_bundled_corpus_is_told_apart_file_by_file():
    for file in (resources.files("ragraphs") / "demo").iterdir():
        assert foreign_share([file.read_text(encoding="utf-8")]) == (not file.name.isascii())
