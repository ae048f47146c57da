"""The router's trained classifier of kinds of questions."""

from __future__ import annotations

import json
from importlib import resources

from ..algorithms.router.decision import KindClassifier

# Read on import, because a router decides on the event loop, where nothing may block.
KIND_CLASSIFIER: KindClassifier = json.loads(
    resources.files(__package__).joinpath("router.json").read_text(encoding="utf-8")
)
