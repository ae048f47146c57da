from hypothesis import given
from hypothesis import strategies as st
from ragraphs.algorithms.tog2.relevance import LEAD, fuse_behind_lead
from ragraphs.algorithms.tog2.sources import nearest_options, option_lines, stating_sentence
from ragraphs.language.analyser import keywords

TEXT = "Jaws is a film. Spielberg directed Jaws in 1974. Spielberg was born in Cincinnati."


def places(name):
    starts = [at for at in range(len(TEXT)) if TEXT.startswith(name, at)]
    return [(start, start + len(name)) for start in starts]


def stated(source, relation, target):
    found = stating_sentence(TEXT, places(source), places(target), keywords(relation))
    return found and found.sentence.text


def test_the_sentence_that_names_both_ends_states_a_triple():
    assert stated("Jaws", "was directed by", "Spielberg") == "Spielberg directed Jaws in 1974."
    assert stated("Spielberg", "born in", "Cincinnati") == "Spielberg was born in Cincinnati."


def test_a_sentence_that_names_one_end_alone_states_nothing():
    assert stated("Spielberg", "was born in", "Ohio") is None
    assert stated("x", "sings", "y") is None


class Graph:
    def name_of(self, entity):
        return entity.title()


def option(id, edges, others):
    return {
        "id": id, "topic": "jaws", "phrase": id, "direction": "out",
        "edges": edges, "others": others,
    }  # fmt: skip


def test_relations_are_statements_under_their_sentence_if_one_names_both_ends():
    options = [
        option("made by", ["1", "2"], ["spielberg", "brown"]),
        option("filmed in", ["3"], ["1974"]),
        {**option("director of", ["4"], ["spielberg"]), "direction": "in"},
    ]
    said = dict.fromkeys("123", "Spielberg and Brown made Jaws in 1974.")
    lines, numbers = option_lines(Graph(), options, said, 2)
    assert lines.splitlines() == [
        "2.1 Spielberg is director of Jaws.",
        "Spielberg and Brown made Jaws in 1974.",
        "2.2 Jaws was made by Spielberg.",
        "2.3 Jaws was made by Brown.",
        "2.4 Jaws was filmed in 1974.",
    ]
    assert list(numbers.values()) == [["4"], ["1"], ["2"], ["3"]]


def test_relations_that_look_alike_are_listed_once():
    options = [option("by", ["1"], ["spielberg"]), option("by ", ["2"], ["spielberg"])]
    said = dict.fromkeys("12", "Spielberg made Jaws in 1974.")
    assert option_lines(Graph(), options, said, 1)[1] == {"1.1": ["1", "2"]}


def test_the_relations_nearest_to_the_question_are_shown():
    options = [option("a", ["1", "2"], ["x", "y"]), option("b", ["3"], ["z"])]
    said = dict.fromkeys("123", "Somebody said so.")
    nearness = {"1": 0.1, "2": 0.7, "3": 0.5}
    found = nearest_options(options, nearness, said, 3)
    assert [(one["edges"], one["others"]) for one in found] == [
        (["2", "1"], ["y", "x"]),
        (["3"], ["z"]),
    ]
    found = nearest_options(options, nearness, said, 2)
    assert [one["edges"] for one in found] == [["2"], ["3"]]
    [only] = nearest_options(options, {"3": 0.5}, said, 9)
    assert only["others"] == ["z"]


def test_relations_of_one_phrase_that_were_read_from_two_sentences_are_two_options():
    by = option("by", ["1", "2", "3"], ["x", "y", "z"])
    said = {"1": "X made it, like Z.", "2": "Y made it.", "3": "X made it, like Z."}
    found = nearest_options([by], {"1": 0.1, "2": 0.7, "3": 0.5}, said, 9)
    assert [one["others"] for one in found] == [["y"], ["z", "x"]]
    assert len({one["id"] for one in found}) == 2
    assert [len(nearest_options([by], {"1": 1.0, "2": 0.5}, said, most)) for most in (1, 2)] == [
        1,
        2,
    ]


IDS = st.lists(st.integers(0, 30).map(str), unique=True, max_size=20)


@given(IDS, IDS)
def test_a_walk_leaves_the_lead_and_loses_nothing(retrieved, reached):
    fused = fuse_behind_lead(retrieved, reached)
    assert fused[:LEAD] == retrieved[:LEAD] or len(retrieved) < LEAD
    assert set(fused) == {*retrieved, *reached[:1]}
    others = [id for id in fused if id not in reached[:1]]
    assert others == [id for id in retrieved if id not in reached[:1]]


def test_the_best_passage_of_a_walk_moves_up_behind_the_lead():
    assert fuse_behind_lead(list("abcdefg"), ["f", "g"]) == list("abcdfeg")
