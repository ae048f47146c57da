"""The prompts whose replies make up an index."""

from .extraction_replies import Description, Facts, MoreToFind, PassageReading, SameThings
from .graphrag_replies import CommunityReport
from .prompt import Prompt
from .replies import PassageQuestions

WRITE_QUESTIONS = Prompt("write_questions", PassageQuestions, lasting=True)
EXTRACT_FACTS = Prompt("extract_facts", Facts, lasting=True)
READ_PASSAGE = Prompt("read_passage", PassageReading, lasting=True)
GLEAN_CHECK = Prompt("glean_check", MoreToFind, lasting=True)
GLEAN = Prompt("glean", Facts, lasting=True)
RESOLVE_ENTITIES = Prompt("resolve_entities", SameThings, lasting=True)
SUMMARISE_DESCRIPTION = Prompt("summarise_description", Description, lasting=True)
WRITE_REPORT = Prompt("write_report", CommunityReport, lasting=True, optional=frozenset({"manner"}))

ASK_FOR_CLAIMS = (
    "List claims as well: what the text asserts of an entity and somebody may want to check, such "
    'as a deed, an award, an accusation or a figure. "subject": the entity; "object": the other '
    'entity, or ""; "type": one or two words; "status": "true", "false" or "suspected", as the '
    'text presents it; "description": one sentence; "quote": the sentence of the text, copied word '
    'for word; "start_date" and "end_date": as written, or "".'
)
