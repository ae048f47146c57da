from dataclasses import replace

import numpy as np
import pytest
from passage_graphs import build_graph
from ragraphs.algorithms.linear_rag.passage_graph import (
    PassageGraph,
    WholeGraph,
    bm25,
    graph_from_arrays,
    graph_to_arrays,
    sentence_overlap,
)
from ragraphs.algorithms.linear_rag.passage_records import passage_record, sentence_texts
from ragraphs.algorithms.linear_rag.question import read_question
from ragraphs.algorithms.linear_rag.walk import (
    BridgingSettings,
    Similarities,
    WalkStart,
    direct_scores,
    edge_weights,
    informativeness,
    leading_on,
    rank,
    reset,
    scaled,
    similarities,
    start_of,
    walk,
)

TEXTS = [
    ("Silent Harbour", "Silent Harbour is a 1950 film. It was directed by Ada Quill for Orion."),
    ("Ada Quill", "Ada Quill was born in Lisbon. She liked boats."),
    ("Orion", "Orion is a studio. It closed long ago."),
    ("Lisbon", "Lisbon is a port."),
    ("Bread", "Bread is baked from flour."),
    ("Glass", "Glass is made of sand."),
    ("Rain", "Rain falls from clouds."),
]


@pytest.fixture(scope="module")
def graph() -> WholeGraph:
    return build_graph([passage_record(title, text) for title, text in TEXTS])


def flat(graph: PassageGraph, **of: float) -> Similarities:
    """Cosines of 0.1 everywhere, but for the sentences given by their number ("s1")."""
    cosines = np.full(len(graph.lengths) - graph.passages, 0.1, dtype=np.float32)
    for name, value in of.items():
        cosines[int(name[1:])] = value
    return Similarities(np.zeros(graph.passages, dtype=np.float32), cosines, cosines)


def test_sentences_have_the_title_in_front_and_there_is_always_one() -> None:
    assert sentence_texts("Lisbon", "It is a port.") == ["Lisbon: It is a port."]
    assert len(sentence_texts("", "")) == len(passage_record("", "").terms) == 1


def test_entities_meet_across_passages(graph: WholeGraph) -> None:
    quill = graph.keys.get("ada quill")
    edges = graph.edge_entity == quill
    assert set(graph.edge_passage[edges]) == {0, 1}
    assert graph.rarity[quill] == pytest.approx(np.log(7 / 2) / np.log(7))
    assert graph.edge_title[edges].max() == 1


def test_nested_names_are_mentioned_too() -> None:
    texts = [("Fawell", "He left West Chicago High School."), ("West Chicago, Illinois", "A city.")]
    graph = build_graph([passage_record(*text) for text in texts])
    edges = graph.edge_entity == graph.keys.get("west chicago")
    assert set(graph.edge_passage[edges]) == {0, 1}


def test_graph_survives_storage(graph: WholeGraph) -> None:
    again = graph_from_arrays(graph_to_arrays(graph))
    assert list(again.keys) == list(graph.keys)
    assert list(again.vocabulary) == list(graph.vocabulary)
    assert np.array_equal(again.edge_sentence, graph.edge_sentence)
    assert np.array_equal(bm25(again, ["port"]), bm25(graph, ["port"]))


def test_bm25_by_hand() -> None:
    graph = build_graph([passage_record("", "sand sand"), passage_record("", "flour mill")])
    idf = np.log(1 + (2 - 1 + 0.5) / 1.5)
    assert bm25(graph, ["sand"]) == pytest.approx([idf * 2 * 2.2 / (2 + 1.2), 0])
    assert not bm25(graph, ["unknown"]).any()


def test_overlap_is_the_share_of_idf(graph: WholeGraph) -> None:
    overlap = sentence_overlap(graph, ["flour", "flour"])
    assert overlap.max() == pytest.approx(1)
    assert np.count_nonzero(overlap) == 1


def test_question_is_linked_to_entities_and_the_rest_remains(graph: WholeGraph) -> None:
    parts = read_question(graph, "Where was the director of Silent Harbour born?")
    assert [graph.keys[seed.entity] for seed in parts.seeds] == ["silent harbour"]
    assert parts.rest == "Where was the director of born?"
    assert "harbour" not in " ".join(parts.rest_terms)


def test_name_nobody_bears_is_linked_by_its_rare_words(graph: WholeGraph) -> None:
    seeds = read_question(graph, "Who met Quill?").seeds
    assert [graph.keys[seed.entity] for seed in seeds] == ["ada quill"]
    assert 0 < seeds[0].weight < 1


def test_lower_case_words_weigh_little(graph: WholeGraph) -> None:
    seeds = read_question(graph, "Is bread older than Glass?").seeds
    weights = {graph.keys[seed.entity]: seed.weight for seed in seeds}
    assert weights["glass"] == 1
    assert weights["bread"] < 0.1


def test_capitals_make_a_name_of_function_words() -> None:
    graph = build_graph([passage_record("The Do-Over", "The Do-Over is a film.")])
    [seed] = read_question(graph, "Who directed The Do-Over?").seeds
    assert (graph.keys[seed.entity], seed.weight) == ("do over", 1)


def test_edges_of_a_passage_and_of_an_entity_are_probabilities(graph: WholeGraph) -> None:
    relevance = np.linspace(0.1, 1, len(graph.lengths) - graph.passages).astype(np.float32)
    leaving, arriving = edge_weights(graph, relevance, BridgingSettings())
    out = np.bincount(graph.edge_passage, leaving, graph.passages)
    into = np.bincount(graph.edge_entity, arriving, graph.entities)
    assert np.all(np.isclose(out, 1, atol=1e-5) | (out == 0))
    assert np.all(np.isclose(into, 1, atol=1e-5) | (into == 0))


def test_a_name_inside_another_one_leads_by_half() -> None:
    texts = [("Fawell", "He left West Chicago High School."), ("West Chicago, Illinois", "A city.")]
    graph = build_graph([passage_record(*text) for text in texts])
    relevance = np.ones(graph.sentences, dtype=np.float32)
    part = replace(graph, rarity=np.ones_like(graph.rarity))

    def leaving(settings: BridgingSettings) -> float:
        found, _ = edge_weights(part, relevance, settings)
        whole, inside = (
            found[(graph.edge_entity == graph.keys.get(key)) & (graph.edge_passage == 0)].item()
            for key in ("west chicago high school", "west chicago")
        )
        return float(inside / whole)

    assert leaving(BridgingSettings()) == pytest.approx(0.5)
    assert leaving(BridgingSettings(nested=1)) == pytest.approx(1)
    assert edge_weights(replace(part, edge_kind=None), relevance, BridgingSettings())[0].any()


def test_reset_sums_to_one_and_is_split_between_names_and_passages(graph: WholeGraph) -> None:
    direct = np.arange(graph.passages, dtype=np.float32)
    named = read_question(graph, "What is Lisbon?")
    share = 0.7 * graph.rarity[graph.keys.get("lisbon")]
    passages, entities = reset(graph, named, direct, BridgingSettings(seed_share=0.7))
    assert passages.sum() == pytest.approx(1 - share)
    assert entities[graph.keys.get("lisbon")] == pytest.approx(share)
    passages, entities = reset(graph, read_question(graph, "why?"), direct, BridgingSettings())
    assert passages.sum() == pytest.approx(1) and not entities.any()


def test_one_round_of_the_walk_by_hand() -> None:
    graph = build_graph(
        [passage_record("Oslo", "In came Ann."), passage_record("Rome", "Out went Ann.")]
    )
    edges = len(graph.edge_passage)
    passages = np.array([1, 0], dtype=np.float32)
    entities = np.zeros(len(graph.keys), dtype=np.float32)
    ann = graph.edge_entity == graph.keys.get("ann")
    leaving = ann.astype(np.float32)
    arriving = leaving / 2
    settings = BridgingSettings(damping=0.5, rounds=2)
    start = WalkStart(
        read_question(graph, ""), passages, passages, passages, entities, leaving, arriving
    )
    found, _ = walk(graph, start, settings)
    assert edges > 2
    assert found == pytest.approx([0.5 + 0.5 * 0.5 * 0.5 * 0.5, 0.5 * 0.5 * 0.5 * 0.5])


def test_bridge_passage_comes_before_others(graph: WholeGraph) -> None:
    parts = read_question(graph, "Where was the director of Silent Harbour born?")
    scores = rank(graph, parts, flat(graph, s1=0.6, s2=0.6))
    assert set(np.argsort(-scores, kind="stable")[:2]) == {0, 1}


def test_sentence_like_the_question_chooses_the_bridge() -> None:
    texts = [("Aa", "Aa met Bob Bly. Aa met Cy Cole."), ("Bob Bly", "Tall."), ("Cy Cole", "Wide.")]
    texts += [(f"Filler {n}", "Nothing.") for n in range(9)]
    graph = build_graph([passage_record(*text) for text in texts])
    parts = read_question(graph, "Whom did Aa greet?")
    first = rank(graph, parts, flat(graph, s0=0.9))
    second = rank(graph, parts, flat(graph, s1=0.9))
    assert first[1] > first[2] and second[2] > second[1]


def test_question_without_names_is_ranked_by_dense_and_lexical(graph: WholeGraph) -> None:
    scores = rank(graph, read_question(graph, "what is baked?"), flat(graph))
    assert int(np.argmax(scores)) == 4


def test_a_name_in_every_passage_does_not_move_what_the_text_puts_first() -> None:
    texts = [f"There sat Moss. {deed}" for deed in ("He ate.", "He lit the lamp.", "He slept.")]
    graph = build_graph([passage_record("", text) for text in texts])
    question = read_question(graph, "When did Moss light the lamp?")
    assert question.seeds and informativeness(graph, question) == 0
    assert int(np.argmax(rank(graph, question, flat(graph)))) == 1


def test_a_walk_counts_by_the_names_in_the_sentences_that_it_starts_from(graph: WholeGraph) -> None:
    question, settings = read_question(graph, "who?"), BridgingSettings(completes=False)
    worth = []
    for near in (flat(graph, s1=0.9), flat(graph, s7=0.9)):  # of the film, of bread
        start = start_of(graph, question, near, settings)
        walked, _ = walk(graph, start, settings)
        worth.append(leading_on(graph, start, settings))
        own = worth[-1] * walked / walked.max() + start.direct / start.direct.max()
        assert rank(graph, question, near, settings) == pytest.approx(own)
    assert 0.1 < worth[0] < 1
    assert worth[1] == pytest.approx(0, abs=0.01)


@pytest.mark.parametrize("named", [0.0, 0.5, 1.0])
def test_names_take_at_most_their_share_from_the_passages_own_scores(
    graph: WholeGraph, named: float
) -> None:
    question = read_question(graph, "Who directed Silent Harbour, and where is flour baked?")
    settings = BridgingSettings(named=named, completes=False)
    start = start_of(graph, question, flat(graph), settings)
    walked, _ = walk(graph, start, settings)
    own = 1 - named * informativeness(graph, question)
    walks = 1 - own * (1 - leading_on(graph, start, settings))
    expected = walks * walked / walked.max() + own * start.direct / start.direct.max()
    assert informativeness(graph, question) == 1
    assert rank(graph, question, flat(graph), settings) == pytest.approx(expected, abs=1e-5)


def test_passages_that_the_names_lead_to_start_the_walk_first(graph: WholeGraph) -> None:
    parts = read_question(graph, "Where was the director of Silent Harbour born?")
    near = np.array([0, 0.9, 0, 0, 0, 0.9, 0], dtype=np.float32)
    cosines = replace(flat(graph), passages=near)
    plain = start_of(graph, parts, cosines, BridgingSettings(unled=1.0))
    led = start_of(graph, parts, cosines, BridgingSettings())
    lifted = led.passages[[1, 5]] / plain.passages[[1, 5]]
    assert lifted[0] > 5 * lifted[1]  # Ada Quill, whom Silent Harbour names, and Glass
    assert led.passages.sum() == pytest.approx(plain.passages.sum())
    assert graph.has_titled_pages
    assert not build_graph(
        [passage_record("Moby Dick", text) for _, text in TEXTS]
    ).has_titled_pages


def test_the_sentence_most_like_the_question_lifts_its_passage(graph: WholeGraph) -> None:
    question = read_question(graph, "who?")
    before = rank(graph, question, flat(graph))
    after = rank(graph, question, flat(graph, s6=0.9))
    assert int(np.argmax(after - before)) == int(graph.sentence_passage[6])


@pytest.mark.parametrize("likeness", [0.2, 0.5, 0.9])
def test_worthless_vectors_change_nothing(graph: PassageGraph, likeness: float) -> None:
    question = read_question(graph, "Which director was born in Lisbon?")
    settings = BridgingSettings(vector_weight=0)
    misled = rank(graph, question, flat(graph, s8=likeness), settings)
    even = rank(graph, question, flat(graph), settings)
    assert list(np.argsort(-misled)[:2]) == list(np.argsort(-even)[:2])


@pytest.mark.parametrize("worth", [1.0, 0.3])
def test_likeness_that_all_passages_have_counts_the_less_the_more_vectors_are_worth(
    graph: WholeGraph, worth: float
) -> None:
    question = read_question(graph, "xyzzy?")
    like = replace(flat(graph), passages=np.array([0, 0.1, 0.5, 0.5, 0.5, 0.5, 0.9], np.float32))
    settings = BridgingSettings(vector_weight=worth)
    least, less, *typical, nearest = direct_scores(graph, question, like, settings) / worth * 3
    assert 0 <= least < less < typical[0] < 0.5 * nearest  # in order, near or far
    assert nearest == pytest.approx(1, abs=1e-5)
    begins = worth * 3 / 7  # of the way from the least cosine to the mean one
    assert less == pytest.approx(max(0, (0.1 - begins) / (0.9 - begins)), abs=1e-5)
    assert typical == pytest.approx([(0.5 - begins) / (0.9 - begins)] * 4, abs=1e-5)


def test_both_compared_things_are_found(graph: WholeGraph) -> None:
    scores = rank(graph, read_question(graph, "Which is older, Glass or Rain?"), flat(graph))
    assert set(np.argsort(-scores, kind="stable")[:2]) == {5, 6}


def test_each_of_two_names_has_the_page_that_it_leads_to() -> None:
    towns = "Rome, Oslo, Bern, Kyiv, Lima, Riga, Bonn and Cork"
    texts = [("Blue Sea", "Blue Sea is a film of Cy Dale.")]
    texts += [(f"Boat {n}", f"Boat {n} is a film of Cy Dale after Blue Sea.") for n in "abc"]
    texts += [("Red Mill", f"Red Mill is a film of Ann Bow. It was shown in {towns}.")]
    texts += [("Ann Bow", "Ann Bow left."), ("Cy Dale", "Cy Dale is a director.")]
    texts += [(f"Page {n}", f"Something about {n} things.") for n in range(40)]
    graph = build_graph([passage_record(*text) for text in texts])
    near = np.zeros(graph.passages, dtype=np.float32)
    near[:4] = 0.3
    cosines = replace(flat(graph, s1=0.4, s2=0.4, s3=0.4), passages=near)
    question = read_question(graph, "Did Red Mill and Blue Sea have the same director?")
    mill, sea = start_of(graph, question, cosines, BridgingSettings()).led
    assert mill[5] > mill[6] and sea[6] > sea[5]
    best = np.argsort(-rank(graph, question, cosines), kind="stable").tolist()
    assert set(best[:4]) == {0, 4, 5, 6}  # Ann Bow before all that is like Blue Sea
    one = read_question(graph, "Who directed Red Mill?")
    assert start_of(graph, one, cosines, BridgingSettings()).led == ()


def test_building_from_stored_records_gives_the_same_graph(graph: WholeGraph) -> None:
    records = [passage_record(title, text) for title, text in TEXTS]
    again = build_graph(records[:3] + records[3:])
    assert list(again.keys) == list(graph.keys)
    assert np.array_equal(again.edge_own, graph.edge_own)


@pytest.mark.parametrize("texts", [[], [("", "")], [("Aa", "Aa.")], [("", "x"), ("", "y")]])
def test_small_corpora_are_ranked_without_error(texts: list[tuple[str, str]]) -> None:
    graph = build_graph([passage_record(*text) for text in texts])
    scores = rank(graph, read_question(graph, "Who is Aa?"), flat(graph))
    assert scores.shape == (len(texts),)
    assert np.isfinite(scores).all()


def test_cosines_are_dot_products_of_unit_vectors() -> None:
    axes = np.eye(2, dtype=np.float32)
    found = similarities(axes, axes[:1], axes[0], axes[1])
    assert found.passages.tolist() == [1, 0]
    assert found.sentences.tolist() == [1] and found.rest.tolist() == [0]


def test_scaling_and_settings_are_plain_values() -> None:
    assert scaled(np.array([2, 4, 3], dtype=np.float32)).tolist() == [0, 1, 0.5]
    assert not scaled(np.array([3, 3], dtype=np.float32)).any()
    assert replace(BridgingSettings(), damping=0.5).damping == 0.5


def test_korean_question_is_linked_without_its_particles() -> None:
    texts = [("훈민정음", "훈민정음은 세종대왕이 만들었다."), ("세종대왕", "그는 한양에서 살았다.")]
    graph = build_graph([passage_record(*text) for text in [*texts, ("빵", "빵은 맛있다.")]])
    parts = read_question(graph, "훈민정음을 만든 사람은 어디에서 살았습니까?")
    assert "훈민정음" in [graph.keys[seed.entity] for seed in parts.seeds]
    scores = rank(graph, parts, flat(graph))
    assert set(np.argsort(-scores, kind="stable")[:2]) == {0, 1}


def test_the_walk_goes_as_if_forbidden_passages_were_not_there(graph: WholeGraph) -> None:
    question = read_question(graph, "Who directed Silent Harbour?")
    near = flat(graph, s1=0.9)
    every = rank(graph, question, near)
    assert every[1] > every[4]  # over the passage on the film
    allowed = np.array([title != "Silent Harbour" for title, _ in TEXTS])
    scores = rank(graph, question, near, allowed=allowed)
    assert scores[0] == 0
    assert scores[1] <= scores[4]
    assert rank(graph, question, near, allowed=np.ones(len(TEXTS), bool)) == pytest.approx(every)


def test_where_nothing_allowed_is_near_all_that_is_allowed_is_alike(graph: WholeGraph) -> None:
    question = read_question(graph, "Who directed Silent Harbour?")
    allowed = np.array([title in ("Bread", "Glass") for title, _ in TEXTS])
    scores = rank(graph, question, flat(graph), allowed=allowed)
    assert set(np.flatnonzero(scores)) == {4, 5}
    assert scores[4] == scores[5]
