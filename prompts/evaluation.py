"""Prompts that no method asks: of evaluations and tuning. Nobody answers them without a model."""

from .judging_replies import CollectionQuestions, Personas, Verdicts
from .prompt import Prompt
from .question_set_replies import ChainQuestion, CheckedQuestions, FactQuestions, OpenQuestions
from .statement_replies import CheckedClaims, MatchedStatements
from .tuning_replies import Tuning

WRITE_PERSONAS = Prompt("write_personas", Personas)
WRITE_COLLECTION_QUESTIONS = Prompt("write_collection_questions", CollectionQuestions)
JUDGE_ANSWERS = Prompt("judge_answers", Verdicts)
CHECK_CLAIMS = Prompt("check_claims", CheckedClaims)
MATCH_STATEMENTS = Prompt("match_statements", MatchedStatements)
WRITE_FACT_QUESTIONS = Prompt("write_fact_questions", FactQuestions)
WRITE_CHAIN_QUESTION = Prompt("write_chain_question", ChainQuestion)
WRITE_OPEN_QUESTIONS = Prompt("write_open_questions", OpenQuestions)
CHECK_QUESTIONS = Prompt("check_questions", CheckedQuestions)
TUNE = Prompt("tune", Tuning)
