import json

from ragraphs.algorithms.tog2.walk import (
    EntityEdge,
    discover,
    extend_paths,
    prune_options,
    relation_options,
    step_sentence,
    walked_edges,
)

NAMES = {
    "jaws": "Jaws",
    "duel": "Duel",
    "spielberg": "Steven Spielberg",
    "williams": "John Williams",
    "cincinnati": "Cincinnati",
}
EDGES = [
    EntityEdge("r1", "jaws", "directed by", "spielberg"),
    EntityEdge("r2", "duel", "Directed by", "spielberg"),
    EntityEdge("r3", "spielberg", "born in", "cincinnati"),
    EntityEdge("r4", "jaws", "composer", "williams"),
    EntityEdge("r5", "jaws", "praised by", "spielberg"),
    EntityEdge("r6", "jaws", "is", "jaws"),
]


class Graph:
    def name_of(self, entity):
        return NAMES[entity]

    def relations_of(self, entity):
        return [edge for edge in EDGES if entity in (edge.source, edge.target)]

    def passages_of(self, entity):
        return []


GRAPH = Graph()


def test_relations_are_found_in_both_directions_and_by_phrase_each_once():
    options = relation_options(GRAPH, ["jaws", "spielberg"])
    assert [(o["topic"], o["direction"], o["phrase"], o["others"]) for o in options] == [
        ("jaws", "out", "directed by", ["spielberg"]),
        ("jaws", "out", "composer", ["williams"]),
        ("jaws", "out", "praised by", ["spielberg"]),
        ("spielberg", "in", "Directed by", ["duel"]),
        ("spielberg", "out", "born in", ["cincinnati"]),
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
    options = [{"id": id, "topic": "jaws", "edges": [id], "others": [""]} for id in scores]

    def kept(scores, width):
        return [option["id"] for option in prune_options(options, scores, width)]

    assert kept(scores, 3) == ["c", "d", "e"]
    assert kept(scores, 9) == ["c", "d", "e", "a"]
    assert kept({"b": 0.19}, 3) == []


def test_every_topic_entity_keeps_its_own_best_relations():
    options = relation_options(GRAPH, ["jaws", "spielberg"])
    scores = {e: 0.9 if o["topic"] == "jaws" else 0.3 for o in options for e in o["edges"]}
    kept = prune_options(options, scores, width=1)
    assert [o["topic"] for o in kept] == ["jaws", "spielberg"]
    assert prune_options(options, {}, width=3) == []


def test_of_a_relation_only_what_reaches_the_cut_is_followed():
    [by, *_] = relation_options(GRAPH, ["spielberg"])
    several = {**by, "edges": ["1", "2", "3"], "others": ["jaws", "duel", "hook"]}
    [kept] = prune_options([several], {"1": 0.1, "3": 0.5}, width=3)
    assert (kept["edges"], kept["others"]) == (["3"], ["hook"])


def test_the_other_ends_of_kept_relations_are_candidates():
    options = relation_options(GRAPH, ["spielberg"])
    candidates = discover(options)
    assert [(c["entity"], [s["edge"] for s in c["steps"]]) for c in candidates] == [
        ("jaws", ["r1", "r5"]),
        ("duel", ["r2"]),
        ("cincinnati", ["r3"]),
    ]
    assert candidates[0]["steps"][0]["source"] == "jaws"


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
    state = [options, candidates, extend_paths([], candidates, ["spielberg"])]
    assert json.loads(json.dumps(state)) == state
