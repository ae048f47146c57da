"""``ragraphs calibrate --cross-encoder``: fitting a cross-encoder to an index."""

from __future__ import annotations

import json

import numpy as np
import pytest
from ragraphs.cli.calibration import thresholds_between
from ragraphs.cli.cross_encoders import logistic_fit
from ragraphs.context import IndexContext
from ragraphs.graphs.index import graph as index_graph
from ragraphs.index.grading import fitted_cross_encoder
from ragraphs.index.opening import open_index
from ragraphs.models.meter import start_meter
from tiny_cross_encoder import LISTED

NAME = f"fastembed:{LISTED}"


def test_scale_and_shift_are_those_of_a_logistic_regression():
    rng = np.random.default_rng(3)
    labels = rng.random(4000) < 0.5
    scores = rng.logistic(size=4000) * 0.0 + rng.normal(size=4000) + 2.0 * labels + 7
    scale, shift = logistic_fit(scores.tolist(), labels.tolist())
    assert scale == pytest.approx(2.0, rel=0.1)  # of two normal distributions 2.0 apart
    assert -shift / scale == pytest.approx(8.0, abs=0.1)
    separable = logistic_fit([1.0, 2.0, 10.0, 11.0], [False, False, True, True])
    assert 0 < separable[0] < 100


def test_thresholds_lie_between_good_and_bad_retrievals():
    upper, lower = thresholds_between([0.8, 0.9, 0.7], [0.1, 0.2, 0.75])
    assert upper in (0.7, 0.8) and lower <= upper
    assert thresholds_between([0.5], [-0.5]) == (0.5, 0.5)


PEOPLE = "Ada Bell|Carl Dorn|Eva Falk|Guy Hahn|Ida Jung|Karl Lind|Mia Nash|Otto Pohl".split("|")
PLACES = "Aston Bremen Cardiff Dover Exeter Fulda Ghent Hanau".split()
BIRTHS = [
    {
        "id": str(n),
        "title": person,
        "text": f"{person} was born in {place} in {1850 + n} and designed the {place} Bridge. "
        f"The {place} Bridge was opened in {1890 + n}. It is made of iron and stone.",
    }
    for n, (person, place) in enumerate(zip(PEOPLE, PLACES, strict=True))
]


@pytest.mark.slow
def test_calibrate_fits_a_cross_encoder_to_an_index_and_keeps_that(run, cross_encoder):
    context = IndexContext(index="kept", embeddings="lexical", layers=["passages", "hops"])
    index_graph.invoke({"documents": BIRTHS}, context=context)
    encoder = cross_encoder([one["text"] for one in BIRTHS], per_word=10.0)
    ended = run("calibrate", "--index", "kept", "--cross-encoder", encoder, "--json")
    fitted = json.loads(ended.out)
    assert fitted["cross_encoder"] == NAME and fitted["questions"] >= 20
    parameters = fitted["parameters"]
    assert parameters["lower"] <= parameters["upper"] <= 1 and parameters["scale"] > 0
    assert fitted["verdicts"]["balanced_accuracy"] >= 0.7
    index = open_index("kept")
    assert fitted_cross_encoder(index, NAME) == parameters
    assert fitted_cross_encoder(index, "fastembed:another") is None
    assert NAME in " ".join(
        run("calibrate", "--index", "kept", "--cross-encoder", encoder).out.split()
    )
    changed = {"documents": [{"id": "new", "title": "Zoe", "text": "Zoe Adler was born in Trier."}]}
    index_graph.invoke(changed, context=context)
    meter = start_meter(None)
    assert fitted_cross_encoder(open_index("kept"), NAME) is None
    assert f"ragraphs calibrate --cross-encoder {NAME} --index" in meter.warnings[0]


@pytest.mark.slow
def test_a_cross_encoder_that_tells_nothing_is_not_kept(run, cross_encoder):
    context = IndexContext(index="kept", embeddings="lexical", layers=["passages", "hops"])
    index_graph.invoke({"documents": BIRTHS}, context=context)
    backwards = cross_encoder([one["text"] for one in BIRTHS], per_word=-1.0)
    refused = run("calibrate", "--index", "kept", "--cross-encoder", backwards)
    assert refused.code == 1 and "does not tell the passage that answers a question" in refused.err
    assert fitted_cross_encoder(open_index("kept"), NAME) is None
