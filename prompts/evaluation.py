"""The prompts of evaluations, which no method asks; nobody answers them without a model."""

from .judging_replies import CollectionQuestions, Personas, Verdicts
from .prompt import Prompt
from .replies import ClosedBookAnswer

CLOSED_BOOK = Prompt("closed_book", ClosedBookAnswer)
WRITE_PERSONAS = Prompt("write_personas", Personas)
WRITE_COLLECTION_QUESTIONS = Prompt("write_collection_questions", CollectionQuestions)
JUDGE_ANSWERS = Prompt("judge_answers", Verdicts)
