"""The prompts of evaluations, which no method asks; nobody answers them without a model."""

from .prompt import Prompt
from .replies import ClosedBookAnswer
from .statement_replies import CheckedClaims, MatchedStatements

CLOSED_BOOK = Prompt("closed_book", ClosedBookAnswer)
CHECK_CLAIMS = Prompt("check_claims", CheckedClaims)
MATCH_STATEMENTS = Prompt("match_statements", MatchedStatements)
