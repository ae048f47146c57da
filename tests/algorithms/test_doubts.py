"""Rules doubt an answer that its citations may not give, and refuse one that cannot be right."""

from __future__ import annotations

import pytest
from ragraphs.algorithms.doubts import doubt, is_same, speaks_of

ELBE = "Elbe bridge: The Elbe bridge was opened on 8 August 1893 by Anna Berg, a Danish engineer."
BERG = "Anna Berg: Anna Berg (3 May 1850 – 2 June 1921) grew up in Odense."
ODER = "Oder bridge: It is 3 km long and followed in 1902."
KOREAN = "세종대왕: 세종대왕은 1446년에 훈민정음을 반포하였다."
OTT = "Carl T. Ott: Carl T. Ott Junior, born Carl Otto, died in 1930."
NEWS = "Elbe bridge: The BBC told that the Elbe bridge, of 32 arches, was opened in 1893."
HOLM = "Ida Holm: Ida Holm was born in Odense."
PLAY = "Elbe bridge: The part of the Elbe bridge is played by Anna Berg."
TOMB = "영릉: 세종대왕의 무덤인 영릉은 여주에 있다."
FELL = "Ulm Fell: Ulm Fell is a hill in the north of the Danish Lake District."
LAKES = "Lake District: It lies within the county of Hesse."
HALLA = "한라산: 한라산은 화산으로, 높이 1,947미터이며 남한에서 가장 높다."


@pytest.mark.parametrize(
    ("question", "answer", "cited"),
    [
        ("Who opened the Elbe bridge?", "Anna Berg", [ELBE]),
        ("When was the Elbe bridge opened?", "8 August 1893", [ELBE]),
        ("When did Anna Berg die?", "2 June 1921", [BERG]),
        ("What is the nationality of the opener of the Elbe bridge?", "Denmark", [ELBE]),
        ("Where did the engineer who opened the Elbe bridge grow up?", "Odense", [ELBE, BERG]),
        ("Where was Ida Holm born?", "Odense", [HOLM]),
        ("Who is Ida Holm's mother's father?", "Earl of Ulm", [f"{HOLM} Her father, Earl of Ulm."]),
        ("Who designed the Oder bridge?", "Anna Berg", [f"{ODER} Anna Berg was its designer."]),
        ("The Oder bridge was designed by whom?", "Ib Lund", [f"{ODER} A work by Ib Lund."]),
        ("Who is the mother of Ida Holm?", "Anna Berg", [f"{HOLM} Anna Berg had one daughter."]),
        ("When did Karl Lund join?", "1902", ["Elbe: Lund joined in 1902, as did Ib Lund."]),
        (
            "Which was opened first, the Elbe bridge or the Oder bridge?",
            "Elbe bridge",
            [ELBE, ODER],
        ),
        ("Was the Elbe bridge opened before the Oder bridge?", "Yes", [ELBE, ODER]),
        ("How long is the Oder bridge?", "3,000 metres", [ODER]),
        ("훈민정음을 반포한 왕은 누구인가요?", "세종대왕", [KOREAN]),
        ("세종대왕은 훈민정음을 언제 반포했나요?", "1446년", [KOREAN]),
        ("한라산 높이는 몇 미터야?", "1,947미터", [HALLA]),
        ("세종대왕은 훈민정음을 반포하였나요?", "예", [KOREAN]),
        ("훈민정음을 반포한 왕의 무덤은 어디인가요?", "영릉", [KOREAN, TOMB]),
        ("Who named 한라산?", "설문대", ["한라산: 한라산이라는 이름은 설문대가 지었다."]),
        ("Where is the district that Ulm Fell is part of?", "Hesse", [FELL, LAKES]),
    ],
)
def test_an_answer_that_its_citations_give_is_not_doubted(question, answer, cited):
    assert doubt(answer, question, cited) is None


@pytest.mark.parametrize(
    ("question", "answer", "why"),
    [
        ("Did Anna Berg open the Elbe bridge?", "Odense", "kind"),
        ("What is the date of birth of Anna Berg?", "Odense", "kind"),
        ("Who opened the Elbe bridge?", "What", "kind"),
        ("Who opened the Elbe bridge?", "1893", "kind"),
        ("In which city was Anna Berg born?", "3 May 1850", "kind"),
        ("Who opened the Rhine tunnel?", "Anna Berg", "names"),
        ("Who opened the Elbe bridge?", "Joseph Strauss", "claims"),
        ("When was the Elbe bridge opened?", "9 August 1893", "claims"),
        ("Who opened the Elbe bridge?", "Elbe", "repeated"),
        (
            "Who opened the Great Southern Railway Canal Bridge of Lower Elbe Valley?",
            "Great Southern Railway Canal Bridge of Lower Elbe Valley",
            "repeated",
        ),
        ("Who was born first, Anna Berg or Ida Holm?", "Odense", "kind"),
        ("In which country is the Elbe bridge?", "Bridge", "repeated"),
        ("훈민정음은 세종대왕이 반포하였습니까?", "1446년", "kind"),
        ("이순신은 언제 훈민정음을 반포했나요?", "태종", "claims"),
    ],
)
def test_an_answer_that_cannot_be_right_is_refused(question, answer, why):
    texts = [ELBE, BERG, KOREAN]
    found = doubt(answer, question, texts, texts)
    assert found is not None and (found.why, found.certain) == (why, True)


@pytest.mark.parametrize(
    ("question", "answer", "cited", "why"),
    [
        ("When was the Elbe bridge opened?", "Anna Berg", [ELBE], "kind"),
        ("How many spans has the Elbe bridge?", "Anna Berg", [ELBE], "kind"),
        ("In which country did the engineer grow up?", "Odense", [ELBE, BERG], "kind"),
        ("Which steel mill supplied the Elbe bridge company?", "Anna Berg", [ELBE], "unsaid"),
        ("How long do the two take together?", "7", [ODER], "claims"),
        ("Who named 한라산?", "Anna Berg", [HALLA, BERG], "unsaid"),
        ("한라산은 누가 측량했나요?", "Anna Berg", [HALLA, BERG], "unsaid"),
        ("Who opened the Elbe bridge?", "By Anna Berg", [ELBE], "kind"),
        ("Who is Ida Holm's mother?", "Earl of Ulm", [f"{HOLM} Her father, Earl of Ulm."], "kind"),
        ("Where did Ida Holm die?", "Odense", [f"{HOLM} Killer whales live there."], "relation"),
        ("Who opened the Elbe bridge?", "BBC", [NEWS], "kind"),
        ("When was the Elbe bridge opened?", "32", [NEWS], "kind"),
        ("What do Anna Berg and Carl T. Ott have in common?", "Anna", [BERG, OTT], "repeated"),
        ("Who was born first, Anna Berg or Ida Holm?", "Anna Berg", [BERG, HOLM], "compared"),
        ("Who died first, Anna Berg or Carl T. Ott Junior?", "Carl Otto", [BERG, OTT], "kind"),
        (
            "Who married Anna Berg?",
            "Anne B.",
            [BERG, "Anna Berg: Also spelled Anne B., she wed."],
            "repeated",
        ),
        ("Who is the father of the opener of the Elbe bridge?", "Anna Berg", [ELBE], "relation"),
        (
            "엘베 다리를 연 사람의 아버지는 누구인가?",
            "안나",
            ["엘베 다리: 안나가 연 다리."],
            "relation",
        ),
        ("Where was the opener of the Elbe bridge born?", "Ulm", [f"{ELBE} Ulm paid."], "relation"),
        ("Where did the opener of the Elbe bridge die?", "Ulm", [f"{ELBE} Ulm paid."], "relation"),
        ("Who designed the Oder bridge of Ulm?", "Ib Lund", [f"{ODER} Ib Lund, Ulm."], "relation"),
        ("The Elbe bridge was created by who?", "Anna Berg", [PLAY], "relation"),
        ("Who opened the Elbe bridge?", "Battle of Ulm", [f"{ELBE} Battle of Ulm."], "kind"),
        (
            "Who taught Ida Holm in Odense?",
            "Mrs. Ida Holm",
            [f"{HOLM} Mrs. Ida Holm taught."],
            "repeated",
        ),
        ("How many bridges has the river near Anna Berg's town?", "3", [BERG, ODER], "unsaid"),
    ],
)
def test_an_answer_that_may_be_wrong_is_doubted(question, answer, cited, why):
    found = doubt(answer, question, cited)
    assert found is not None and (found.why, found.certain) == (why, False)


def test_a_name_is_not_refused_where_its_passage_has_it_or_another_language_is_cited():
    question, said = "How old was Anna Berg when it opened?", "Elbe bridge: She was old: 43 years."
    alone = doubt("43", question, [said])
    assert alone is not None and alone.certain
    near = doubt("43", question, [said], [f"Anna Berg came. {said}"])
    assert near is not None and near.why == "names" and not near.certain
    foreign = doubt("1446", "When did Sejong proclaim the alphabet?", [KOREAN])
    assert foreign is not None and not foreign.certain


def test_a_namesake_is_somebody_else_but_nobody_is_refused_for_a_nickname():
    told = ["Elbe: Karl Berg joined Ib Lund in 1902."]
    found = doubt("1902", "When did Karl Lund join?", told, told)
    assert found is not None and (found.why, found.certain) == ("names", False)


def test_the_reason_names_what_is_not_cited():
    found = doubt("Anna Berg", "Who opened the Rhine tunnel?", [ELBE])
    assert found is not None and found.missing == "No cited sentence speaks of Rhine."


@pytest.mark.parametrize(
    "order", ["Compare the two offers", "Find both prices", "List all the offers"]
)
def test_the_verb_of_an_order_is_no_name(order):
    cited = ["Minutes: Oleg has two offers: Voran at 8,400 euros and Speidel at 6,950 euros."]
    answer = "The two offers are Voran at 8,400 euros and Speidel at 6,950 euros."
    assert doubt(answer, f"{order} for the press.", cited, cited) is None
    found = doubt(answer, f"{order} for the press in Harburg.", cited, cited)
    assert found is not None and found.missing == "No cited sentence speaks of Harburg."


def test_an_explanation_is_of_no_kind():
    told = "The Elbe bridge was opened by Anna Berg. She was a Danish engineer."
    assert doubt(told, "Describe the Elbe bridge", [ELBE]) is None
    found = doubt(f"{told} Karl Lund paid for it.", "Describe the Elbe bridge", [ELBE])
    assert found is not None and found.missing == (
        "No cited sentence supports “Karl Lund paid for it.”."
    )


def test_an_abbreviation_speaks_of_the_name_whose_letters_it_has():
    cited = ["Lund: Karl Lund joined the National Rowing League in 1902."]
    assert doubt("1902", "When did Karl Lund join the NRL?", cited) is None


def test_a_word_may_stand_between_the_words_that_an_abbreviation_stands_for():
    assert speaks_of("Basal cell skin cancer is treated by surgery.", "BCC")
    assert not speaks_of("Basal cells of the skin may become a cancer.", "BCC")
    assert not speaks_of("Uta Dahl saw no one.", "UN")


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("8 August 1893", "August 8, 1893", True),
        ("Denmark", "Danish", True),
        ("Anna Berg", "The engineer Anna Berg", True),
        ("Yes", "Yes, it was.", True),
        ("Yes", "No", False),
        ("Anna Berg", "Karl Lund", False),
        ("세종대왕", "세종대왕이다", True),
    ],
)
def test_answers_are_the_same_whatever_their_form(one, other, same):
    assert is_same(one, other) is same


def test_who_points_at_everything_states_nothing():
    question = "Who opened the Elbe bridge?"
    found = doubt("Anna Berg", question, [ELBE], pointed=25)
    assert found is not None and (found.why, found.certain) == ("crowd", True)
    found = doubt("Anna Berg", question, [ELBE], pointed=6)
    assert found is not None and (found.why, found.certain) == ("crowd", False)
    assert doubt("Anna Berg", question, [ELBE], pointed=5) is None


def test_an_explanation_may_point_at_many_sentences():
    told = "The Elbe bridge was opened by Anna Berg. She was a Danish engineer."
    found = doubt(told, "Who opened the Elbe bridge, and what was she?", [ELBE], pointed=25)
    assert found is not None and (found.why, found.certain) == ("crowd", False)


def test_a_text_that_has_nothing_to_do_with_the_others_is_a_reason_to_doubt():
    question = "Where did the engineer who opened the Elbe bridge grow up?"
    stray = "Ib Lund: He is also the former director of a bank."
    found = doubt("Odense", question, [ELBE, BERG, stray])
    assert found is not None and (found.why, found.certain) == ("stray", False)
    assert doubt("Odense", f"{question[:-1]} that Ib Lund paid for?", [ELBE, BERG, stray]) is None
    assert doubt("Anna Berg, a Danish engineer, did.", "Who did?", [ELBE, BERG, stray]) is None


def test_a_name_that_is_not_cited_beside_a_text_of_something_else_is_refused():
    cited = [BERG, "Ib Lund: He is also the former director of a bank.", HOLM]
    near = [f"The Oder tunnel is long. {BERG}"]
    found = doubt("Odense", "Where did the engineer of the Oder tunnel grow up?", cited, near)
    assert found is not None and (found.why, found.certain) == ("names", True)
    found = doubt("Odense", "Where did the engineer of the Oder tunnel grow up?", [BERG], near)
    assert found is not None and (found.why, found.certain) == ("names", False)


def test_a_sentence_that_no_passage_states_whole_is_doubted():
    question, told = "Who opened the Elbe bridge?", "Anna Berg, a Danish engineer, opened it."
    mixed = "Anna Berg, a Danish engineer, grew up at a bridge of 3 km in Odense."
    assert doubt(told, question, [ELBE, BERG, ODER]) is None
    found = doubt(mixed, question, [ELBE, BERG, ODER])
    assert found is not None and not found.certain


def test_who_is_named_in_the_sentence_is_no_network():
    said = "Cosmos: Cosmos is a series of thirteen parts by Carl Sagan and Ann Druyan."
    found = doubt("Carl Sagan", "Which network broadcast the series Cosmos?", [said])
    assert found is not None and not found.certain


def test_a_passage_of_something_else_is_refused_as_one_in_another_language_is_not():
    palace = "The Crystal Palace was built in Hyde Park. It burnt down in 1936."
    cited = "Crystal Palace: It burnt down in 1936."
    asked = doubt("1936", "How long is the Panama Canal?", [cited], [palace])
    assert asked is not None and asked.certain
    other = doubt("1936", "운하는 Panama 얼마나 긴가요?", [cited], [palace])
    assert other is not None and not other.certain


def test_what_a_task_tells_to_do_is_no_name_that_has_to_be_cited():
    task = "Rewrite the facts on the Elbe bridge as a letter. Include who opened it."
    letter = "Dear [name], the Elbe bridge was opened by Anna Berg."
    assert doubt(letter, task, [ELBE], pointed=20).why == "claims"
    assert doubt(letter, task.replace("Elbe", "Rhine"), [ELBE]).why == "names"
    note = "Write a SOAP (Subjective, Objective) note on the stage IIIB damage of the Elbe bridge."
    for stage in ("stage IIIB", "Stage IIIB", "Grade 2"):
        given = note.replace("stage IIIB", stage)
        assert doubt(letter, given, [ELBE], pointed=20).why == "claims"


def test_an_empty_answer_is_refused_whatever_is_cited():
    for cited in ([ELBE], [ELBE, "Lake Garda: Its water is cold."]):
        found = doubt("", "Who opened the Elbe bridge?", cited)
        assert found is not None and found.certain
