"""The prompts that exist."""

from .prompt import Prompt
from .replies import Answer, HopLabels, PassageQuestions, Queries, Scores

GRADE_PASSAGES = Prompt("grade_passages", Scores)
GRADE_STRIPS = Prompt("grade_strips", Scores)
REWRITE_QUERY = Prompt("rewrite_query", Queries)
ANSWER = Prompt("answer", Answer)
WRITE_QUESTIONS = Prompt("write_questions", PassageQuestions)
CHOOSE_HOPS = Prompt("choose_hops", HopLabels)
