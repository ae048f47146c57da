import random
from dataclasses import replace

import numpy as np
import pytest
from passage_graphs import build_graph
from ragraphs.algorithms.linear_rag.building import linked
from ragraphs.algorithms.linear_rag.passage_graph import graph_to_arrays
from ragraphs.algorithms.linear_rag.passage_records import passage_record

NAMES = [
    "Ada Quill", "Ada B. Quill", "Quill", "West Chicago", "West Chicago High School", "Oslo",
    "Oslo Harbour", "NATO", "서울", "1901", "Ben Rook Jr",
]  # fmt: skip
FORMS = ["{a} was born in {b}.", "He met {a} at {b} in 1901.", "{a} is a port.", "Rain fell."]


def a_record(chance: random.Random):
    def text():
        form = chance.choice(FORMS)
        return form.format(a=chance.choice(NAMES), b=chance.choice(NAMES))

    title = chance.choice([*NAMES, "", "Oslo (city)"])
    return passage_record(title, " ".join(text() for _ in range(chance.randrange(4))))


@pytest.mark.parametrize("seed", range(20))
def test_a_graph_that_follows_changes_is_the_one_that_is_built_anew(seed: int) -> None:
    chance = random.Random(seed)
    records = [a_record(chance) for _ in range(chance.randrange(12))]
    graph = build_graph(records)
    for _ in range(6):
        places = chance.sample(range(len(records)), chance.randrange(len(records) + 1))
        if chance.random() < 0.8:
            places.sort()
        new = [a_record(chance) for _ in range(chance.randrange(4))]
        kept = [*places]
        for _ in new:
            kept.insert(chance.randrange(len(kept) + 1), -1)
        left = iter(new)
        records = [next(left) if place < 0 else records[place] for place in kept]
        if chance.random() < 0.2:  # of an earlier version
            graph = replace(graph, passages_of_terms=None)
        graph = linked(graph, np.array(kept, dtype=np.int64), new)
        found, expected = graph_to_arrays(graph), graph_to_arrays(build_graph(records))
        assert found.keys() == expected.keys()
        for name, array in expected.items():
            np.testing.assert_array_equal(found[name], array, err_msg=name)
            assert found[name].dtype == array.dtype, name
