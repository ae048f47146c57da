import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from ragraphs.algorithms.entities.spans import SpellingIndex
from ragraphs.algorithms.tog2.topics import link_question, unlinked_names
from ragraphs.algorithms.tog2.walk import (
    Edge,
    decay,
    discover,
    entity_scores,
    extend_paths,
    prune_entities,
    prune_options,
    prune_relations,
    rank_context,
    relation_options,
    step_sentence,
    walked_edges,
)
from ragraphs.evaluation.benchmarks.completeness import keep_relations
from ragraphs.language.triple_sentences import triple_sentence

NAMES = {
    "jaws": "Jaws",
    "duel": "Duel",
    "spielberg": "Steven Spielberg",
    "williams": "John Williams",
    "cincinnati": "Cincinnati",
    "paris-prince": "Paris",
    "paris-city": "Paris",
    "film": "film",
    "1975": "1975",
    "uk": "United Kingdom",
}
EDGES = [
    Edge("r1", "jaws", "directed by", "spielberg"),
    Edge("r2", "duel", "Directed by", "spielberg"),
    Edge("r3", "spielberg", "born in", "cincinnati"),
    Edge("r4", "jaws", "composer", "williams"),
    Edge("r5", "jaws", "praised by", "spielberg"),
    Edge("r6", "jaws", "is", "jaws"),
]


class Graph:
    def name_of(self, entity):
        return NAMES[entity]

    def relations_of(self, entity):
        return [edge for edge in EDGES if entity in (edge.source, edge.target)]

    def passages_of(self, entity):
        return []


GRAPH = Graph()
INDEX = SpellingIndex(
    {
        "Jaws": ["jaws"],
        "Duel": ["duel"],
        "Steven Spielberg": ["spielberg"],
        "Spielberg": ["spielberg"],
        "Paris": ["paris-prince", "paris-city"],
        "film": ["film"],
        "1975": ["1975"],
        "United Kingdom": ["uk"],
        "UK": ["uk"],
    }
)


def linked(question):
    return [
        (question[link["start"] : link["end"]], link["entity"], link["how"])
        for link in link_question(GRAPH, INDEX, question)
    ]


def test_relations_are_found_in_both_directions_and_by_phrase():
    options = relation_options(GRAPH, ["jaws", "spielberg"])
    assert [(o["topic"], o["direction"], o["phrase"], o["others"]) for o in options] == [
        ("jaws", "out", "directed by", ["spielberg"]),
        ("jaws", "out", "composer", ["williams"]),
        ("jaws", "out", "praised by", ["spielberg"]),
        ("spielberg", "in", "directed by", ["jaws", "duel"]),
        ("spielberg", "out", "born in", ["cincinnati"]),
        ("spielberg", "in", "praised by", ["jaws"]),
    ]
    assert len({o["id"] for o in options}) == len(options)


def test_a_walked_relation_is_excluded_by_its_id_not_by_its_words():
    options = relation_options(GRAPH, ["spielberg"], walked=["r1"])
    assert [(o["phrase"], o["edges"]) for o in options] == [
        ("Directed by", ["r2"]),
        ("born in", ["r3"]),
        ("praised by", ["r5"]),
    ]


def test_relations_below_the_cut_are_dropped_and_the_best_kept():
    scores = {"a": 0.2, "b": 0.19, "c": 0.9, "d": 0.5, "e": 0.5}
    assert prune_relations(scores) == ["c", "d", "e"]
    assert prune_relations(scores, width=9) == ["c", "d", "e", "a"]
    assert prune_relations({"b": 0.19}) == []


def test_every_topic_entity_keeps_its_own_best_relations():
    options = relation_options(GRAPH, ["jaws", "spielberg"])
    scores = {o["id"]: 0.9 if o["topic"] == "jaws" else 0.3 for o in options}
    kept = prune_options(options, scores, width=1)
    assert [o["topic"] for o in kept] == ["jaws", "spielberg"]
    assert prune_options(options, {}) == []


def test_the_other_ends_of_kept_relations_are_candidates():
    options = relation_options(GRAPH, ["spielberg"])
    candidates = discover(options)
    assert [(c["entity"], [s["edge"] for s in c["steps"]]) for c in candidates] == [
        ("jaws", ["r1", "r5"]),
        ("duel", ["r2"]),
        ("cincinnati", ["r3"]),
    ]
    assert candidates[0]["steps"][0]["source"] == "jaws"


def test_context_is_ranked_over_the_passages_of_all_candidates():
    relevance = [("a", "p1", 0.3), ("b", "p1", 0.8), ("b", "p2", 0.5), ("c", "p3", 0.5)]
    assert rank_context(relevance, top_k=2) == [
        {"passage": "p1", "score": 0.8, "entities": ["b", "a"]},
        {"passage": "p2", "score": 0.5, "entities": ["b"]},
    ]


def test_the_weights_of_ranks_are_those_of_the_paper():
    assert [round(decay(k), 3) for k in (1, 2, 3, 4)] == [0.449, 0.202, 0.091, 0.041]


def test_entity_scores_worked_out_by_hand():
    context = rank_context([("a", "p1", 1.0), ("b", "p2", 0.5), ("a", "p3", 0.4)])
    scores = entity_scores(context)
    assert scores["a"] == pytest.approx(1.0 * 0.44933 + 0.4 * 0.09072, abs=1e-5)
    assert scores["b"] == pytest.approx(0.5 * 0.20190, abs=1e-5)


def test_one_top_passage_beats_many_low_ones():
    relevance = [("one", "p0", 1.0), *(("many", f"p{i}", 0.99) for i in range(1, 10))]
    assert prune_entities(entity_scores(rank_context(relevance))) == ["one", "many"]


def test_a_candidate_without_a_passage_in_the_top_k_is_dropped():
    relevance = [("a", "p1", 0.9), ("b", "p2", 0.8), ("c", "p3", 0.7)]
    assert prune_entities(entity_scores(rank_context(relevance, top_k=2)), width=3) == ["a", "b"]


def test_paths_grow_by_the_best_triple_from_each_topic():
    first = discover(relation_options(GRAPH, ["jaws"]))
    paths = extend_paths([], first, ["spielberg"])
    assert [[s["edge"] for s in p["steps"]] for p in paths] == [["r1"]]
    walked = walked_edges(first, ["spielberg"])
    assert walked == ["r1", "r5"]
    second = discover(relation_options(GRAPH, ["spielberg"], walked))
    longer = extend_paths(paths, second, ["cincinnati", "duel"])
    assert [(p["entity"], [s["edge"] for s in p["steps"]]) for p in longer] == [
        ("cincinnati", ["r1", "r3"]),
        ("duel", ["r1", "r2"]),
    ]
    assert [step_sentence(GRAPH, step) for step in longer[0]["steps"]] == [
        "Jaws was directed by Steven Spielberg.",
        "Steven Spielberg was born in Cincinnati.",
    ]


def test_the_state_of_a_walk_is_plain_data():
    options = relation_options(GRAPH, ["jaws"])
    candidates = discover(options)
    context = rank_context([("spielberg", "p1", 0.5)])
    state = [options, candidates, context, extend_paths([], candidates, ["spielberg"])]
    state.append(link_question(GRAPH, INDEX, "Who directed Jaws?"))
    assert json.loads(json.dumps(state)) == state


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


def test_questions_are_linked_exactly_and_by_alias():
    assert linked("Who directed the film Jaws?") == [("Jaws", "jaws", "exact")]
    assert linked("Where was Spielberg born?") == [("Spielberg", "spielberg", "alias")]
    assert linked("Is Jaws older than Duel?") == [
        ("Jaws", "jaws", "exact"),
        ("Duel", "duel", "exact"),
    ]
    assert linked("Who rules the U.K. now?") == [("U.K", "uk", "alias")]
    assert linked("who directed jaws?") == [("jaws", "jaws", "exact")]


def test_the_longest_name_counts():
    assert linked("Where was Steven Spielberg born?") == [
        ("Steven Spielberg", "spielberg", "exact")
    ]


def test_homonyms_are_linked_apart():
    assert linked("Where is Paris?") == [
        ("Paris", "paris-city", "exact"),
        ("Paris", "paris-prince", "exact"),
    ]


def test_common_words_and_numbers_count_only_where_nothing_is_named():
    assert linked("Which film of 1975 won?") == [
        ("film", "film", "exact"),
        ("1975", "1975", "exact"),
    ]
    assert linked("Which film did Spielberg make in 1975?") == [("Spielberg", "spielberg", "alias")]


def test_a_question_without_a_known_name_has_no_links():
    question = "Who wrote Moby Dick?"
    assert linked(question) == []
    assert [question[a:b] for a, b in unlinked_names(question, [])] == ["Moby Dick"]
    assert unlinked_names("why is it so?", []) == [(0, 13)]
    links = link_question(GRAPH, INDEX, "Who directed Jaws?")
    assert unlinked_names("Who directed Jaws?", links) == []


IDS = st.lists(st.text(min_size=1, max_size=4), unique=True, max_size=40)


@given(IDS, st.floats(0, 1), st.floats(0, 1), st.integers(0, 3))
def test_kept_relations_are_nested_and_in_number_as_asked(ids, a, b, seed):
    small, large = sorted((a, b))
    kept = keep_relations(ids, small, seed)
    assert set(kept) <= set(keep_relations(reversed(ids), large, seed)) <= set(ids)
    assert len(kept) == round(small * len(ids))


def test_another_seed_keeps_other_relations():
    ids = [str(i) for i in range(100)]
    assert keep_relations(ids, 0.5, 0) != keep_relations(ids, 0.5, 1)
    assert keep_relations(ids, 1.0, 0) == sorted(ids)


RELEVANCE = st.lists(
    st.tuples(st.sampled_from("abcd"), st.sampled_from("pqrstu"), st.floats(0, 1)), max_size=20
)


@given(RELEVANCE, st.integers(1, 6), st.randoms(use_true_random=False))
def test_ranking_does_not_depend_on_the_order_of_its_input(relevance, top_k, random):
    shuffled = relevance[:]
    random.shuffle(shuffled)
    context = rank_context(relevance, top_k)
    assert rank_context(shuffled, top_k) == context
    assert [c["score"] for c in context] == sorted((c["score"] for c in context), reverse=True)
    assert len({c["passage"] for c in context}) == len(context) <= top_k
    assert set(entity_scores(context)) == {entity for c in context for entity in c["entities"]}
