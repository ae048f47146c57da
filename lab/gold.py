"""Gold support of question sets, passage by passage."""

from __future__ import annotations

from pathlib import Path

from ragraphs.evaluation.datasets import Dataset, LabelledQuestion
from ragraphs.state.records import Passage


def is_gold(dataset: Dataset, question: LabelledQuestion, passage: Passage, home: Path) -> bool:
    """Whether ``passage``, of an index of that ``home``, supports ``question`` of ``dataset``."""
    [id] = dataset.ids([passage["document"]], [passage["id"]], home)
    return id in question.supporting
