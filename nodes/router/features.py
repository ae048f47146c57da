"""Features of a question that an index tells the router."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ...algorithms.router.decision import PRIOR, Features, Prior
from ...algorithms.router.features import question_features
from ...algorithms.tog2.topics import link_question
from ...index.entities import load_entities
from ...index.grading import fitted_grader
from ...index.layers import layers_of
from ...index.opening import Index
from ...index.retrieval import search
from ...models.graders import SimilarityGrader
from ...models.lexical import LexicalEmbedder
from ...models.router import KIND_CLASSIFIER
from ...prompts.prompt import number_passages

_PASSAGES = 5


def features_of(index: Index, question: str) -> Features:
    """The features of ``question``: entities that it names, grades of the best passages. Blocks."""
    found = search(index, question, "hybrid", _PASSAGES)
    texts = number_passages(found)
    scores = _grader(index).scores(question, texts) if texts else []
    linked = False
    if "entities" in layers_of(index):
        knowledge = load_entities(index)
        linked = bool(link_question(knowledge, knowledge.spellings, question))
    return Features(question_features(question), linked, max(scores, default=0.0))


def prior_of(index: Index, methods: Mapping[str, Sequence[str]] = PRIOR) -> Prior:
    """The prior for questions to ``index``: below the grader's lower threshold nothing is in it."""
    return Prior(KIND_CLASSIFIER, methods, _grader(index).thresholds.lower)


def _grader(index: Index) -> SimilarityGrader:
    """Grades without cost: by the index's embeddings if they are computed here, else by words."""
    if not index.embedder.local:
        return SimilarityGrader(LexicalEmbedder())
    return SimilarityGrader(index.embedder, fitted_grader(index))
