"""The prompts of the methods and of their index."""

from .deeprag_replies import NextStep, StepAnswer, StepReading, SubQuestions
from .extraction_replies import Description, Facts, MoreToFind, PassageReading, SameThings
from .graphrag_replies import CombinedAnswer, CommunityReport, LocalAnswer, Points, PrimedAnswer
from .prompt import Prompt
from .replies import (
    Answer,
    AnswerCheck,
    ClosedBookAnswer,
    Grades,
    HopLabels,
    Judgement,
    KeptTexts,
    PassageQuestions,
    Queries,
    RelationScores,
    StandAloneQuestion,
)

GRADE_PASSAGES = Prompt("grade_passages", Grades)
GRADE_STRIPS = Prompt("grade_strips", Grades)
REWRITE_QUERY = Prompt("rewrite_query", Queries)
ANSWER = Prompt("answer", Answer)
CHECK_ANSWER = Prompt("check_answer", AnswerCheck)
WRITE_QUESTIONS = Prompt("write_questions", PassageQuestions, lasting=True)
CHOOSE_HOPS = Prompt("choose_hops", HopLabels)
EXTRACT_FACTS = Prompt("extract_facts", Facts, lasting=True)
READ_PASSAGE = Prompt("read_passage", PassageReading, lasting=True)
GLEAN_CHECK = Prompt("glean_check", MoreToFind, lasting=True)
GLEAN = Prompt("glean", Facts, lasting=True)
RESOLVE_ENTITIES = Prompt("resolve_entities", SameThings, lasting=True)
SUMMARISE_DESCRIPTION = Prompt("summarise_description", Description, lasting=True)

ASK_FOR_CLAIMS = (
    "List claims as well: what the text asserts of an entity and somebody may want to check, such "
    'as a deed, an award, an accusation or a figure. "subject": the entity; "object": the other '
    'entity, or ""; "type": one or two words; "status": "true", "false" or "suspected", as the '
    'text presents it; "description": one sentence; "quote": the sentence of the text, copied word '
    'for word; "start_date" and "end_date": as written, or "".'
)
KEEP_TOPICS = Prompt("keep_topics", KeptTexts)
SCORE_RELATIONS = Prompt("score_relations", RelationScores)
JUDGE_EVIDENCE = Prompt("judge_evidence", Judgement)
WRITE_REPORT = Prompt("write_report", CommunityReport, lasting=True)
RATE_REPORTS = Prompt("rate_reports", KeptTexts)
MAP_TEXTS = Prompt("map_texts", Points)
COMBINE_POINTS = Prompt("combine_points", CombinedAnswer)
LOCAL_ANSWER = Prompt("local_answer", Answer)
PRIME = Prompt("prime", PrimedAnswer)
FOLLOW_UP = Prompt("follow_up", LocalAnswer)
STAND_ALONE = Prompt("stand_alone", StandAloneQuestion)
NEXT_STEP = Prompt("next_step", NextStep)
READ_STEP = Prompt("read_step", StepReading)
ANSWER_FROM_STEPS = Prompt("answer_from_steps", StepAnswer)
CLOSED_BOOK = Prompt("closed_book", ClosedBookAnswer)
DECOMPOSE = Prompt("decompose", SubQuestions)
SYNTHESIZE = Prompt("synthesize", Answer)
