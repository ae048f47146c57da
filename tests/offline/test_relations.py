from hypothesis import given
from hypothesis import strategies as st
from ragraphs.algorithms.tog2.walk import prune_options
from ragraphs.offline.relations import judge, relation_scores
from ragraphs.prompts.prompt import Excerpt, number

LINES = """1.1 Jaws was directed by Steven Spielberg.
Its music was scored by John Williams
1.2 Jaws was scored by John Williams.
It was released on June 20, 1975
1.3 Jaws was released June 20, 1975.
It won the Saturn Award
1.4 Jaws won Saturn Award."""
DIRECTED, SCORED, RELEASED, PRIZE = "1.1", "1.2", "1.3", "1.4"


def kept(scores):
    options = [
        {"id": id, "topic": "jaws", "edges": [id], "others": ["it"]}
        for id in (DIRECTED, SCORED, RELEASED, PRIZE)
    ]
    return [each["id"] for each in prune_options(options, scores, width=3)]


def best(question, clue="", **kwargs):
    scores = relation_scores(question, clue, "Jaws", LINES, **kwargs)
    return max(scores, key=scores.get)


def test_the_relation_that_the_question_speaks_of_scores_best():
    assert best("Who is the director of Jaws?") == DIRECTED
    assert best("Who directed Jaws?") == DIRECTED
    assert best("When was Jaws released?") == RELEASED


def test_a_clue_reaches_the_scores_of_the_next_round():
    question = "Where was he born?"
    before = relation_scores(question, "", "Jaws", LINES)
    after = relation_scores(question, "who directed it", "Jaws", LINES)
    assert kept(before) == []
    assert kept(after) == [DIRECTED]


def test_a_relation_to_something_the_question_names_scores_high():
    scores = relation_scores("Did Jaws win the Saturn Award?", "", "Jaws", LINES)
    assert scores[PRIZE] >= 0.9


def test_a_question_for_a_date_prefers_what_leads_to_one():
    scores = relation_scores("When did Jaws come out?", "", "Jaws", LINES)
    assert kept(scores) == [RELEASED]


def test_cosines_of_phrases_decide_among_words_that_do_not_match():
    def cosines(phrases):
        return [0.9 if "scored" in phrase.sentence else -0.5 for phrase in phrases]

    assert best("Whose music is in it?", cosines=cosines) == SCORED


PHRASES = st.lists(st.sampled_from(["directed by", "is", "born in", "수도", "🙂"]), unique=True)


@given(st.text(max_size=40), st.text(max_size=20), PHRASES, st.floats(-1, 1))
def test_scores_are_between_zero_and_one(question, clue, phrases, cosine):
    lines = "\n".join(f"It {phrase} Spielberg\n1.{n} Spielberg" for n, phrase in enumerate(phrases))
    for cosines in (None, lambda texts: [cosine] * len(texts)):
        scores = relation_scores(question, clue, "It", lines, cosines)
        assert len(scores) == len(phrases)
        assert all(0 <= score <= 1 for score in scores.values())


FILM = Excerpt(
    id="1", title="Jaws (film)", text="Jaws is a 1975 film directed by Steven Spielberg."
)
PERSON = Excerpt(
    id="2",
    title="Steven Spielberg",
    text="Steven Spielberg was born in Cincinnati, Ohio, on 18 December 1946.",
)


def test_only_a_certain_answer_suffices():
    assert judge("Who directed Jaws?", [FILM, PERSON]).sufficient
    assert not judge("Where was the director of Jaws born?", [FILM, PERSON]).sufficient


@given(st.text(max_size=60), st.lists(st.text(max_size=40), max_size=3))
def test_any_text_can_be_judged(question, texts):
    sources = number([("", text) for text in texts])
    assert judge(question, sources).clue == ""
