"""The map and reduce steps over reports by the offline reader."""

from ragraphs.offline.reports.points import combine_points, write_points
from ragraphs.prompts.prompt import Excerpt, number

FORTH = """Forth Bridge, John Fowler
The Forth Bridge is a railway bridge in eastern Scotland. It was opened on 4 March 1890.
The bridge was designed by John Fowler and Benjamin Baker.
Painting the Forth Bridge became a byword for a task that never ends."""
FERRY = """Ferry
The ferry across the river ran twice a day until the bridge came."""
SEJONG = """세종대왕
세종은 북쪽 국경에 4군 6진을 두었다.
장영실은 물시계인 자격루를 만들었다."""
REPORTS = number([("Forth Bridge, John Fowler", FORTH), ("Ferry", FERRY)])


def points(question, reports=REPORTS, similarity=None):
    return [(one.point, one.evidence) for one in write_points(question, reports, similarity)]


def test_a_question_gets_the_sentences_that_have_its_words():
    assert points("Who designed the bridge?")[0] == (
        "The bridge was designed by John Fowler and Benjamin Baker.",
        ["1"],
    )
    found = points(
        "자격루를 만들었던 장영실은?", [*REPORTS, Excerpt(id="3", title="세종대왕", text=SEJONG)]
    )
    assert found[0] == ("장영실은 물시계인 자격루를 만들었다.", ["3"])


def test_where_no_sentence_concerns_the_question_each_report_is_shown_by_its_first():
    for question in ["What are the main themes of these texts?", "주제가 무엇인가요?"]:
        assert points(question) == [
            ("The Forth Bridge is a railway bridge in eastern Scotland.", ["1"]),
            ("The ferry across the river ran twice a day until the bridge came.", ["2"]),
        ]
        assert all(one.score <= 20 for one in write_points(question, REPORTS))


def test_cosines_lead_to_what_is_said_in_other_words():
    def similarity(sentences):
        return [0.9 if "byword" in told.sentence else 0.1 for told in sentences]

    assert points("Is maintenance laborious?", similarity=similarity) == [
        ("Painting the Forth Bridge became a byword for a task that never ends.", ["1"])
    ]


def test_scores_fall_from_the_best_and_stay_in_range():
    for question in ["What are the main themes?", "Who designed the Forth Bridge?"]:
        scores = [one.score for one in write_points(question, REPORTS)]
        assert scores == sorted(scores, reverse=True)
        assert scores and all(0 < score <= 100 for score in scores)


def test_combining_writes_no_answer_and_keeps_the_best_points_once():
    combined = combine_points(
        number(
            [
                ("Score 90", "The bridge was opened in 1890 by the Prince of Wales."),
                ("Score 80", "In 1890 the Prince of Wales opened the bridge."),
                ("Score 70", "Forty men painted it every year."),
                ("Score 20", "The ferry across the river ran twice a day."),
            ]
        )
    )
    assert (combined.answer, combined.used, combined.sufficient) == ("", ["1", "3"], False)
    assert combine_points([]).used == []


def test_what_has_no_word_gets_no_points():
    assert [points(question) for question in ("???", '"', "\0", "", "_")] == [[]] * 5
