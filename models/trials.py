"""Results of `ragraphs try`: what a model was found to be good for, kept by server and model."""

from __future__ import annotations

import hashlib
import json
import logging
import os
from pathlib import Path
from typing import Literal, NamedTuple

from pydantic import BaseModel, ConfigDict, ValidationError

from ..settings import Settings
from ..state.errors import RagraphsError

logger = logging.getLogger("ragraphs.models")

Use = Literal["answers", "layers", "reports", "grading"]
_KINDS: dict[Use, tuple[str, ...]] = {
    "answers": ("fact", "two_step", "unanswerable"),
    "layers": ("extraction",),
    "reports": ("report",),
    "grading": ("grading",),
}
_TOLD: dict[Use, str] = {
    "answers": "answering",
    "layers": "reading passages (the layers hops and entities)",
    "reports": "reports (the layer communities)",
    "grading": "grading (crag)",
}
_ENOUGH, _HALF = 0.75, 0.5
_SLOW = 10.0  # seconds for a question


class Score(BaseModel):
    """The tasks of one kind: how many there were, had a whole reply, and were done right."""

    tasks: int = 0
    forms: int = 0
    right: int = 0
    seconds: float = 0.0


class UpTo(NamedTuple):
    """Whether a model is up to a use, and that in one sentence."""

    is_up_to: bool
    says: str


class Trial(BaseModel):
    """How a model did the built-in tasks, by kind.

    ``sufficient`` are the answers that it called sufficient, ``sufficient_right`` the right ones
    of them; of ``cited`` tasks it ``pointed`` at the right sentences. Tokens and seconds are of all
    tasks, which were asked one after another.
    """

    model_config = ConfigDict(defer_build=True)

    model: str
    server: str
    tried: str
    scores: dict[str, Score]
    cited: int
    pointed: int
    sufficient: int
    sufficient_right: int
    tokens_sent: int
    tokens_received: int
    seconds: float

    @property
    def is_trusted(self) -> bool:
        """Whether its own word on what is sufficient counts: it was right in three of four."""
        return self.sufficient_right >= _ENOUGH * self.sufficient

    @property
    def is_small(self) -> bool:
        """Whether it should be shown no more than it needs: it errs often, or is slow."""
        return self.share("answers") < _ENOUGH or self.seconds_of("answers") > _SLOW

    def share(self, use: Use) -> float:
        """The share of the tasks for ``use`` that were done right."""
        tasks, right, _ = self._sums(use)
        return right / tasks if tasks else 0.0

    def seconds_of(self, use: Use) -> float:
        """The seconds that a task for ``use`` took."""
        tasks, _, seconds = self._sums(use)
        return seconds / tasks if tasks else 0.0

    def verdict(self, use: Use) -> UpTo:
        """Whether the model is up to ``use``."""
        tasks, right, _ = self._sums(use)
        share = self.share(use)
        level = "up to" if share >= _ENOUGH else "to be used with care for"
        level = "not up to" if share < _HALF else level
        says = f"{self.model} is {level} {_TOLD[use]}: {right} of {tasks} tasks right"
        if use == "answers" and not self.is_trusted:
            said = f"{self.sufficient_right} of {self.sufficient}"
            says += f", and {said} that it called sufficient, so that only rules decide that"
        return UpTo(share >= _HALF, f"{says}.")

    def _sums(self, use: Use) -> tuple[int, int, float]:
        scores = [self.scores[kind] for kind in _KINDS[use] if kind in self.scores]
        return (
            sum(score.tasks for score in scores),
            sum(score.right for score in scores),
            sum(score.seconds for score in scores),
        )


def uses() -> tuple[Use, ...]:
    """All that a model can be used for."""
    return tuple(_KINDS)


def known_trial(model: str, server: str, operator: Settings) -> Trial | None:
    """The last trial of ``model`` at ``server``; None where it was not tried. Blocks."""
    try:
        return Trial.model_validate_json(_file(model, server, operator).read_bytes())
    except (OSError, ValidationError):  # of another version, or never written
        return None


def keep_trial(trial: Trial, operator: Settings) -> None:
    """Keeps ``trial`` in the place of an earlier one. Blocks; raises RagraphsError."""
    file = _file(trial.model, trial.server, operator)
    part = file.with_suffix(f".{os.getpid()}")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        part.write_text(trial.model_dump_json(indent=1), encoding="utf-8")
        part.replace(file)
    except OSError as error:
        raise RagraphsError(
            f"The result cannot be kept in {file.parent} ({error.strerror}); make the folder "
            "writable, or name another one in RAGRAPHS_CACHE."
        ) from error


def _file(model: str, server: str, operator: Settings) -> Path:
    key = hashlib.sha256(json.dumps([model, server]).encode()).hexdigest()[:16]
    return operator.cache.expanduser() / "tried" / f"{key}.json"
