"""The prompts of CRAG, of the router, and of all methods alike."""

from .prompt import Prompt
from .replies import Answer, AnswerCheck, Grades, Queries, StandAloneQuestion
from .statement_replies import StatementVerdict

GRADE_PASSAGES = Prompt("grade_passages", Grades)
GRADE_STRIPS = Prompt("grade_strips", Grades)
REWRITE_QUERY = Prompt("rewrite_query", Queries)
ANSWER = Prompt("answer", Answer)
CHECK_ANSWER = Prompt("check_answer", AnswerCheck)
JUDGE_STATEMENT = Prompt("judge_statement", StatementVerdict)
STAND_ALONE = Prompt("stand_alone", StandAloneQuestion)
