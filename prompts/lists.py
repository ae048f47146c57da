"""All prompts, by their use: a prompt that a module of this package makes is listed by itself."""

from importlib import import_module
from pkgutil import iter_modules
from typing import Any

from . import __path__ as _FOLDERS
from . import evaluation, indexing
from .prompt import Prompt


def _made_in(*modules: object) -> tuple[Prompt[Any], ...]:
    made = (value for module in modules for value in vars(module).values())
    return tuple(value for value in made if isinstance(value, Prompt))


INDEX_PROMPTS = _made_in(indexing)
EVALUATION_PROMPTS = _made_in(evaluation)
QUESTION_PROMPTS = _made_in(
    *(
        import_module(f"{__package__}.{module.name}")
        for module in iter_modules(_FOLDERS)
        if module.name not in ("lists", "indexing", "evaluation")
    )
)
