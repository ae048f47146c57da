"""Calibrating the grader to an index, on embeddings of which nothing is known."""

from __future__ import annotations

import numpy as np
import pytest
from ragraphs.cli.calibration import calibrate
from ragraphs.context import CragContext, IndexContext
from ragraphs.graphs.crag import graph
from ragraphs.graphs.index import graph as index_graph
from ragraphs.index.grading import fitted_grader
from ragraphs.index.opening import open_index
from ragraphs.models import embeddings
from ragraphs.models.graders import SimilarityGrader
from ragraphs.models.lexical import LexicalEmbedder
from ragraphs.models.meter import start_meter
from ragraphs.state.errors import RagraphsError

NAME = "fastembed:narrow"
PEOPLE = "Ada Bell|Carl Dorn|Eva Falk|Guy Hahn|Ida Jung|Karl Lind|Mia Nash|Otto Pohl".split("|")
PLACES = "Aston Bremen Cardiff Dover Exeter Fulda Ghent Hanau".split()
DOCUMENTS = [
    {
        "id": str(n),
        "title": person,
        "text": f"{person} was born in {place} in {1850 + n} and designed the {place} Bridge. "
        f"The {place} Bridge was opened in {1890 + n}. It is made of iron and stone.",
    }
    for n, (person, place) in enumerate(zip(PEOPLE, PLACES, strict=True))
]


class NarrowEmbedder(LexicalEmbedder):
    """Vectors that share one large part, so that no cosine is below 0.8."""

    name, semantic = NAME, True

    def embed(self, texts):
        own = super().embed(texts)
        return np.hstack([0.2**0.5 * own, np.full((len(texts), 1), 0.8**0.5)]).astype(np.float32)


@pytest.fixture
def made(tmp_path, monkeypatch):
    monkeypatch.setattr(embeddings, "_open_fastembed", lambda *_: NarrowEmbedder())

    def make(documents=DOCUMENTS, layers=("passages", "hops")):
        context = IndexContext(index=str(tmp_path / "i"), embeddings=NAME, layers=list(layers))
        index_graph.invoke({"documents": documents}, context=context)
        return open_index(context)

    return make


def asked(index, question):
    context = CragContext(index=str(index.folder), grader="similarity", model="offline")
    return graph.invoke({"question": question}, context=context)


@pytest.mark.slow
def test_what_fits_an_index_is_kept_in_it_and_used(made):
    index = made()
    result = calibrate(index)
    assert fitted_grader(index) == result["parameters"]
    assert result["parameters"]["cosines"]["other"] > 0.8
    shares = result["verdicts"]
    assert shares["with_support"]["correct"] > 0.9 > shares["without_support"]["correct"]
    fitted = SimilarityGrader(index.embedder, fitted_grader(index))
    usual = SimilarityGrader(LexicalEmbedder())
    before = asked(index, "Where is the zoo?")
    assert (
        before["verdict"] == "incorrect" and fitted.thresholds.lower > -1 < usual.thresholds.lower
    )
    assert asked(index, "Who designed the Dover Bridge?")["verdict"] == "correct"


@pytest.mark.slow
def test_before_it_nothing_is_incorrect_and_nothing_foreign_correct(made):
    assert asked(made(), "Where is the zoo?")["verdict"] == "ambiguous"


@pytest.mark.slow
def test_after_a_change_of_the_hops_the_fit_is_not_used_and_the_run_says_so(made):
    index = made()
    calibrate(index)
    index = made([{"id": "new", "title": "Zoe Adler", "text": "Zoe Adler was born in Trier."}])
    meter = start_meter(None)
    assert fitted_grader(index) is None
    assert "run: ragraphs calibrate --index" in meter.warnings[0]
    result = asked(index, "Where is the zoo?")
    assert result["verdict"] == "ambiguous"
    assert sum("ragraphs calibrate" in warning for warning in result["warnings"]) == 1
    calibrate(index)
    assert fitted_grader(index) is not None


@pytest.mark.slow
def test_without_hops_the_error_says_which_layer_to_build(made):
    with pytest.raises(RagraphsError, match="ragraphs index --layers hops"):
        calibrate(made(layers=["passages"]))


def test_with_few_questions_the_error_says_so(made):
    with pytest.raises(RagraphsError, match="index more documents first"):
        calibrate(made(DOCUMENTS[:1]))
