"""The prompts of evaluations, which no method asks; nobody answers them without a model."""

from .prompt import Prompt
from .replies import ClosedBookAnswer

CLOSED_BOOK = Prompt("closed_book", ClosedBookAnswer)
