import pytest
from ragraphs.algorithms.tog2.triple_sentences import triple_sentence


@pytest.mark.parametrize(
    ("relation", "sentence"),
    [
        ("was the partner of", "A was the partner of B."),
        ("founded", "A founded B."),
        ("has population of", "A has population of B."),
        ("directed by", "A was directed by B."),
        ("located in", "A is located in B."),
        ("died in", "A died in B."),
        ("director of", "A is director of B."),
        ("the director of", "A is the director of B."),
        ("director", "The director of A is B."),
        ("place of birth", "The place of birth of A is B."),
        ("country", "The country of A is B."),
        ("current editor is", "A's current editor is B."),
        ("in", "A is in B."),
        ("", "A B."),
        ("에서 태어난 사람은", "A 에서 태어난 사람은 B."),
    ],
)
def test_a_triple_reads_as_a_sentence(relation, sentence):
    assert triple_sentence("A", relation, "B") == sentence
