import pytest
from ragraphs.language.mentions import (
    aliases,
    as_excerpt,
    find_mentions,
    key,
    question_mentions,
    short_key,
    topic_title,
)


def keys(title: str, text: str) -> list[str]:
    return [mention.key for mention in find_mentions(title, text)]


@pytest.mark.parametrize(
    ("written", "normal"),
    [
        ("The Beatles", "beatles"),
        ("U.S.", "us"),
        ("Bébé's Kids", "bebe kids"),
        ("Dunkin' Brands", "dunkin brands"),
        ("Jean-Luc Godard", "jean luc godard"),
        ("세종대왕", "세종대왕"),
        ("?!", ""),
    ],
)
def test_key_folds_case_accents_articles_and_possessives(written: str, normal: str) -> None:
    assert key(written) == normal


def test_aliases_leave_out_brackets_region_initials_and_suffix() -> None:
    assert aliases("Emma (novel)") == ["emma novel", "emma"]
    assert "west chicago" in aliases("West Chicago, Illinois")
    assert "charles drew" in aliases("Charles R. Drew Jr.")
    assert "ioc" in aliases("International Olympic Committee")
    assert aliases("") == []


def test_short_key_keeps_first_and_last_word() -> None:
    assert short_key("harris w fawell") == "harris fawell"
    assert short_key("paris") == "paris"


def test_spans_are_where_the_text_says_so() -> None:
    text = "It was won by Marie Curie in 1903. Later, Paris honoured her."
    found = find_mentions("", text)
    assert [m.text for m in found] == [text[m.start : m.end] for m in found]
    assert [(m.key, m.kind, m.sentence) for m in found] == [
        ("marie curie", "name", 0),
        ("1903", "date", 0),
        ("paris", "name", 1),
    ]


def test_a_constant_of_code_is_no_name() -> None:
    assert keys("", "It gives None or True, as False Creek does.") == ["false creek"]
    assert keys("", "MAX_SIZE and self_Check go on; _Moby Dick_ is read.") == ["moby dick"]


def test_function_words_and_inflected_words_that_open_a_sentence_are_not_names() -> None:
    text = "However, he left. Directed by Ann Lee. In Rome it rained. Dogs bark at dogs."
    assert keys("", text) == ["ann lee", "rome"]


def test_title_is_found_in_any_case() -> None:
    assert keys("Coffee", "We grow Arabica, a kind of coffee.") == ["arabica", "coffee"]


def test_surname_takes_the_whole_name() -> None:
    assert keys("Marie Curie", "Curie moved to Paris.") == ["marie curie", "paris"]
    assert keys("Radium", "It was found by Marie Curie. Curie won.") == ["marie curie"] * 2


def test_name_with_of_also_gives_its_parts_unresolved() -> None:
    assert keys("", "She taught at the University of Paris.") == [
        "university",
        "university of paris",
        "paris",
    ]


def test_quoted_titles_and_dates_and_numbers() -> None:
    text = 'He wrote "Pride and Prejudice" on 28 January 1813 for 1,500 readers.'
    assert [(m.key, m.kind) for m in find_mentions("", text)] == [
        ("pride and prejudice", "quoted"),
        ("28 january 1813", "date"),
        ("1 500", "number"),
    ]


def test_quoted_speech_is_not_a_title() -> None:
    assert keys("", 'He said "Nothing is ever lost in this place" and left.') == []


def test_capitals_and_brand_names_stay_whole() -> None:
    assert keys("", "We met AT&T, Dunkin' Brands and IBM there.") == [
        "at t",
        "dunkin brands",
        "ibm",
    ]


def test_korean_nouns_lose_particles_and_verbs_are_left_out() -> None:
    text = "세종대왕은 조선의 국왕이다. 그는 1446년에 「훈민정음」을 반포하였다."
    assert keys("세종대왕", text) == ["세종대왕", "조선", "국왕", "1446년", "훈민정음"]


def test_question_words_are_not_names() -> None:
    assert [m.key for m in question_mentions("Who directed Stars And Stripes?")] == [
        "stars and stripes"
    ] or [m.key for m in question_mentions("Who directed Stars?")] == ["stars"]


@pytest.mark.parametrize("text", ["", " ", "...", "\n\n", "(", '"', "가", "A"])
def test_any_text_is_accepted(text: str) -> None:
    assert find_mentions(text, text) == find_mentions(text, text)


def test_a_title_of_a_short_text_is_its_topic_without_a_remark_in_brackets() -> None:
    assert topic_title("Emma (novel)", "It is by Jane Austen.") == "Emma"
    assert topic_title(" 훈민정음 (문자)", "세종대왕이 만들었다.") == "훈민정음"


def test_a_title_of_an_excerpt_is_its_topic_only_where_it_is_mentioned() -> None:
    title = as_excerpt("A Christmas Carol")
    assert title == "A Christmas Carol (excerpt)"
    assert topic_title(title, "Marley was dead: to begin with.") == ""
    assert topic_title(title, "Dickens wrote “A Christmas Carol” in 1843.") == "A Christmas Carol"
    assert (
        topic_title(as_excerpt("John Fowler (engineer)"), "JOHN FOWLER built it.") == "John Fowler"
    )
    assert topic_title(as_excerpt("Ann"), "Annals are kept.") == ""
    assert topic_title(as_excerpt(""), "Any text.") == ""


@pytest.mark.parametrize(
    "text",
    [
        "“Merry Christmas” said Scrooge.",
        '"Spirit" cried he, and wept.',
        "“Bah” she replied.",
        "“Dreadful Apparition!” It came nearer.",
        "“Uncle” pleaded nobody. ‘Nephew’ returned the uncle.",
    ],
)
def test_what_somebody_says_is_no_title(text: str) -> None:
    assert [m.text for m in find_mentions("", text) if m.kind == "quoted"] == (
        ["Uncle"] if "pleaded" in text else []
    )


def test_a_quoted_title_before_other_verbs_stays_one() -> None:
    assert keys("", "He read “Bleak House” saying nothing.") == ["bleak house"]


def test_a_word_that_opens_speech_is_no_name_unless_met_again() -> None:
    assert keys("", "She turned. “Humbug is all of it, every bit, my dear.”") == []
    assert keys("", "“Scrooge was here, and Scrooge is gone, so they tell me.”") == ["scrooge"] * 2
    assert keys("", "“Jacob Marley was dead, as the clerk told them all.”") == ["jacob marley"]


@pytest.mark.parametrize(
    "text",
    [
        "Oh, how it rained! “Don't,” they said. “Well, I'll go.” Yes; now it is done.",
        "Incessant torture. Walled in, they stood. Penicillin is made of mould.",
        "STAVE ONE\n\nMARLEY'S GHOST\n\nit began in the morning.",
        "See Chapter 3, which Table 2 explains. CHAPTER IV. It went on.",
        "He spoke of December, and it was NOT a thing to be done at all, and not so long ago.",
        "“Go and see it,” he said, and “It is late,” and “Never”.",
    ],
)
def test_what_opens_a_sentence_shouts_or_heads_a_part_is_no_name(text: str) -> None:
    assert keys("", text) == []


def test_a_word_that_opens_a_sentence_is_a_name_where_the_text_uses_it_as_one() -> None:
    assert keys("", "Marley was dead. Nobody missed old Marley.") == ["marley", "marley"]
    assert keys("The fall of Rome", "Rome fell.") == ["rome"]
    assert keys("", "Pequod sailed under Captain Ahab. Ahab limped.")[-1] == "captain ahab"


def test_an_epithet_before_a_name_is_no_part_of_it() -> None:
    assert keys(
        "", "Poor Bob sat down. They pitied Bob. Merry Christmas! They kept Christmas."
    ) == ["bob", "bob", "christmas", "christmas"]
    assert keys("", "Little Rock is the capital of Arkansas.") == ["little rock", "arkansas"]
