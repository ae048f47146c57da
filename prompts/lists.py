"""All prompts, by their use."""

from types import ModuleType
from typing import Any

from . import (
    deeprag_replies,
    evaluation,
    graphrag_replies,
    hoprag_replies,
    indexing,
    library,
    tog2_replies,
)
from .prompt import Prompt


def _made_in(*modules: ModuleType) -> tuple[Prompt[Any], ...]:
    made = (value for module in modules for value in vars(module).values())
    return tuple(value for value in made if isinstance(value, Prompt))


QUESTION_PROMPTS = _made_in(
    library, deeprag_replies, graphrag_replies, hoprag_replies, tog2_replies
)
INDEX_PROMPTS = _made_in(indexing)
EVALUATION_PROMPTS = _made_in(evaluation)
