"""The prompts of evaluations, which no method asks; nobody answers them without a model."""

from .prompt import Prompt
from .question_set_replies import ChainQuestion, CheckedQuestions, FactQuestions, OpenQuestions

WRITE_FACT_QUESTIONS = Prompt("write_fact_questions", FactQuestions)
WRITE_CHAIN_QUESTION = Prompt("write_chain_question", ChainQuestion)
WRITE_OPEN_QUESTIONS = Prompt("write_open_questions", OpenQuestions)
CHECK_QUESTIONS = Prompt("check_questions", CheckedQuestions)
