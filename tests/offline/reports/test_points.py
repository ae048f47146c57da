"""The map and reduce steps over reports by the offline reader."""

from ragraphs.offline.reports.points import combine_points, particular, write_points
from ragraphs.prompts.prompt import Excerpt, number

FORTH = """Forth Bridge and John Fowler
The Forth Bridge is a railway bridge in eastern Scotland. It was opened on 4 March 1890.
- The bridge was designed by John Fowler and Benjamin Baker. [2, 3]
- Painting the Forth Bridge became a byword for a task that never ends."""
FERRY = """Ferry
The ferry across the river ran twice a day until the bridge came."""
SEJONG = """세종대왕
세종은 북쪽 국경에 4군 6진을 두었다.
- 장영실은 물시계인 자격루를 만들었다."""
REPORTS = number([("Forth Bridge and John Fowler", FORTH), ("Ferry", FERRY)])


def points(question, reports=REPORTS, similarity=None):
    return [(one.point, one.evidence) for one in write_points(question, reports, similarity)]


def test_questions_about_nothing_in_particular_are_broad():
    for question in [
        "What are the main themes of this story?",
        "What are these documents about?",
        "Summarise the key points.",
        "이 이야기의 주요 주제는 무엇인가요?",
        "전체 내용을 요약해 주세요.",
    ]:
        assert not particular(question), question
    for question in ["What are the main themes in the work of Baker?", "세종은 누구인가요?"]:
        assert particular(question), question


def test_a_broad_question_gets_the_first_matter_of_the_longest_report():
    found = points("What are the main themes of this story?")
    assert found[0] == ("The Forth Bridge is a railway bridge in eastern Scotland.", ["1"])
    assert ["2"] in [evidence for _, evidence in found]
    assert all(not point.endswith("]") for point, _ in found)


def test_a_specific_question_gets_the_sentences_that_say_its_words():
    assert points("Who designed the bridge?")[0] == (
        "The bridge was designed by John Fowler and Benjamin Baker.",
        ["1"],
    )
    found = points(
        "자격루를 만든 사람은 누구인가요?",
        [*REPORTS, Excerpt(id="3", title="세종대왕", text=SEJONG)],
    )
    assert found[0] == ("장영실은 물시계인 자격루를 만들었다.", ["3"])


def test_reports_that_have_nothing_to_do_with_a_specific_question_give_no_points():
    assert points("How did the stock market react to inflation?") == []
    assert points("What are the main themes?", []) == []


def test_cosines_lead_to_what_is_said_in_other_words():
    def similarity(sentences):
        return [0.9 if "byword" in sentence else 0.1 for sentence in sentences]

    assert points("Is maintenance laborious?", similarity=similarity) == [
        ("Painting the Forth Bridge became a byword for a task that never ends.", ["1"])
    ]


def test_scores_fall_from_the_best_and_stay_in_range():
    for question in ["What are the main themes?", "Who designed the Forth Bridge?"]:
        scores = [one.score for one in write_points(question, REPORTS, None)]
        assert scores == sorted(scores, reverse=True)
        assert scores and all(0 < score <= 100 for score in scores)


def test_combining_keeps_the_order_and_says_nothing_twice():
    combined = combine_points(
        number(
            [
                ("", "The bridge was opened in 1890 by the Prince of Wales."),
                ("", "In 1890 the Prince of Wales opened the bridge."),
                ("", "forty men painted it"),
            ]
        )
    )
    assert combined.used == ["1", "3"]
    assert combined.answer == (
        "The bridge was opened in 1890 by the Prince of Wales. Forty men painted it."
    )
    nothing = combine_points([])
    assert (nothing.answer, nothing.used, nothing.sufficient) == ("", [], False)


def test_a_combined_answer_stays_short():
    many = [("", " ".join([f"word{n}{k}" for k in range(30)]) + ".") for n in range(20)]
    combined = combine_points(number(many))
    assert combined.used == ["1", "2", "3", "4", "5"]
    assert len(combined.answer.split()) == 150


def test_what_has_no_word_gets_no_points():
    assert [points(question) for question in ("???", '"', "\0", "", "_")] == [[]] * 5
