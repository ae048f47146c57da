"""A language model that is shown what suits it, by what a trial or its window tells of it."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeVar

from ..prompts.prompt import Excerpt, Prompt
from ..prompts.replies import Pointing, PromptReply
from .meter import current_meter
from .protocol import LanguageModel
from .short_texts import MOST_TOKENS, needed
from .trials import Trial, Use

if TYPE_CHECKING:
    from .chat.model import ChatLanguageModel
    from .chat.served import ServedModel

R = TypeVar("R", bound=PromptReply)

_SMALL_WINDOW = 4096  # tokens: in a smaller one few whole passages leave room for an answer
_FEW_PARAMETERS = 1e9  # with fewer, most answers from whole passages were wrong
_FEW_TOKENS, _FEW_SPELLED = 600, 450  # of texts for such a one
_SHORT_REPLY = 256  # since it repeats itself where it may go on
_SLOW = 300  # tokens a second: twenty passages are read in ten seconds
_USES: dict[str, Use] = {
    **dict.fromkeys(("answer", "read_step", "synthesize", "local_answer"), "answers"),
    **dict.fromkeys(("read_passage", "extract_facts", "write_questions"), "layers"),
    **dict.fromkeys(("grade_passages", "grade_strips"), "grading"),
    "write_report": "reports",
}


class SuitedModel:
    """The language model ``model``, whose prompts are cut to what a small one can read.

    It is small by its trial; where it was not tried, by its ``window``, or by what its server
    tells (``served``): the window, its parameters, and how fast it was seen to read. A use that the
    trial found it not up to is warned of.
    """

    def __init__(
        self,
        model: ChatLanguageModel,
        trial: Trial | None,
        window: int | None,
        served: ServedModel | None,
    ) -> None:
        self.name = model.name
        self._trial = trial
        self._model = model
        self._window, self._served = window, served

    @property
    def identity(self) -> str:
        """Which model the server says that it serves, as far as it was asked; or empty."""
        return self._served.facts.identity if self._served is not None else ""

    @property
    def trial(self) -> Trial | None:
        """The trial of the model, where it is not of another one behind the same name."""
        known, served = self._trial, self.identity
        return None if known and served and known.identity not in ("", served) else known

    @property
    def knows_little(self) -> bool:
        """Whether it is not up to answers by its trial, else by the number of its parameters."""
        if (trial := self.trial) is not None:
            return not trial.verdict("answers").is_up_to
        served = self._served
        return served is not None and (served.facts.parameters or math.inf) < _FEW_PARAMETERS

    async def run(self, prompt: Prompt[R], **inputs: str | Sequence[Excerpt]) -> R:
        """The reply to ``prompt``. Raises NoReplyError."""
        async with current_meter().in_time():
            if self._served is not None:
                await self._served.know()
            small = issubclass(prompt.reply, Pointing) and await self._is_small()
        if self.knows_little:
            self._model.keep_short(_SHORT_REPLY)
        self._warn(prompt)
        texts = inputs.get("texts", "")
        if small and not isinstance(texts, str):
            asked = (inputs.get(name, "") for name in ("asked", "question"))
            question = " ".join(one for one in asked if isinstance(one, str))
            most = _few_tokens(question) if self.knows_little else MOST_TOKENS
            inputs["texts"] = await asyncio.to_thread(needed, question, texts, most)
        return await self._model.run(prompt, **inputs)

    def missing_tokens(self, prompt: Prompt[R], **inputs: str | Sequence[Excerpt]) -> int:
        """The tokens that a request for this reply would send; 0 where it is stored. Blocks."""
        self._warn(prompt)
        return self._model.missing_tokens(prompt, **inputs)

    async def aclose(self) -> None:
        """Closes the connections to the server."""
        await self._model.aclose()

    async def _is_small(self) -> bool:
        if (trial := self.trial) is not None:
            return trial.is_small
        window, served = self._window, self._served
        if served is not None:
            window = window or await served.window()
            if self.knows_little or (served.reads or _SLOW) < _SLOW:
                return True
        return window is not None and window < _SMALL_WINDOW

    def _warn(self, prompt: Prompt[R]) -> None:
        use = _USES.get(prompt.name)
        trial = self.trial
        if trial is not None and use and not (verdict := trial.verdict(use)).is_up_to:
            current_meter().warn(f"By ragraphs try of {trial.tried}, {verdict.says}")


def _few_tokens(question: str) -> int:
    """The tokens of texts for a model that may spell the script of ``question`` byte by byte."""
    is_spelled = len(question.encode()) > 1.5 * len(question)
    return _FEW_SPELLED if is_spelled else _FEW_TOKENS


def trusted(model: LanguageModel) -> bool:
    """Whether the word of ``model`` on what is sufficient counts where rules cannot tell.

    It does where a trial found it mostly right, and where it was not tried and is no tiny one.
    """
    trial = getattr(model, "trial", None)
    return not knows_little(model) if trial is None else trial.is_trusted


def knows_little(model: LanguageModel) -> bool:
    """Whether ``model`` is so small that it cannot be led through several steps."""
    return getattr(model, "knows_little", False)
