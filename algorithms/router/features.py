"""What tells which method suits a question: features of its form, in English and Korean."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import NamedTuple

from ...language.analyser import content_words
from ...language.mentions import question_mentions
from ...language.questions import AnswerType, analyse_question

_KINDS: tuple[AnswerType, ...] = (
    "person", "date", "place", "number", "yes_no", "choice", "name", "definition", "open",
)  # fmt: skip
_REASON = re.compile(
    r"\bwhy\b|\bhow (?!many|much|long|old|far|tall|big|large|high|deep|wide|heavy|fast|often|few)|"
    r"왜|어떻게|이유|방법|원인",
    re.I,
)
_ANOTHER = re.compile(
    r"(?:,|;|\band\b|\bor\b)\s*(?:also\s+)?(?:(?:in|at|for|to|by|from|on|of|with)\s+)?"
    r"(?:who|whom|whose|what|which|when|where|why|how)\b",
    re.I,
)
_KOREAN_ASKING = re.compile(
    r"언제|며칠|몇|얼마|누구|누가|누굴|어디|어느|어떤|무슨|무엇|뭐|왜|어떻게"
)
_COMPARED = re.compile(
    r"\b(?:both|same|between|compar\w*|differ\w*|versus|vs|than|of the two|in common|"
    r"similarit\w+|alike|"
    r"(?:old|young|earli|lat|larg|small|long|short|tall|high|low|great|few|new|big)(?:er|est)|"
    r"(?:born|died|released|founded|formed|came|opened|published) (?:out )?(?:first|last)|"
    r"more|fewer|most|least)\b|"
    r"둘 ?다|모두|같은|차이|비교|공통|보다|중에?서?\s|가운데|먼저|나중|더 ",
    re.I,
)
_RELATIVE = re.compile(
    r"(?<=[\w,]) (?:that|which|who|whose|whom|where)\b(?! (?:is|are|was|were|did|does|do) \w+\?$)|"
    r"\b(?:in|of|by|for|at|to|from|on) (?:which|whom|whose)\b|"
    r"[가-힣](?:[는던된한]|했던|하는|되는) [가-힣]",
    re.I,
)
_OF = re.compile(r"\bof\b|\w['’]s?\s|[가-힣]의 ", re.I)
_AND = re.compile(
    r"\band\b|\bor\b|\bas well as\b|, |[가-힣](?:와|과|및|하고|이고|고,|며|면서) | 및 | 또는 ", re.I
)
_CONDITION = re.compile(
    r"\b(?:if|unless|given|suppos\w+|assum\w+|provided|considering|besides|except|without|under|"
    r"depending|in case|for an?|in an?|with an?)\b|라면|이면|한다면|경우|조건|제외|고려|때에? ",
    re.I,
)
_BROAD = re.compile(
    r"\b(?:main|key|themes?|topics?|motifs?|trends?|patterns?|general\w*|common|recurr?\w*|"
    r"major|primary|summar\w+|overview|takeaways?|insights?|lessons|perspectives?)\b|"
    r"주요|주제|요약|공통|흐름|핵심|경향|종합|교훈|반복",
    re.I,
)
_WHOLE = re.compile(
    r"\b(?:overall|entire(?:ty)?|whole|across|throughout|over the course|corpus|documents?|"
    r"collection|data ?set|texts|reports|stories|interviews|as a whole|all (?:the )?\w+s)\b|"
    r"전체|전반|문서들?|자료|보고서|모든|이야기들|두루",
    re.I,
)
_FRESH = re.compile(
    r"\b(?:today\w*|tonight|yesterday|tomorrow|current(?:ly)?|now(?:adays)?|latest|newest|recent(?:ly)?|"
    r"up[- ]to[- ]date|as of|breaking|right now|at the moment|so far|these days|upcoming|live|"
    r"this (?:week|month|year|morning|season|quarter)|last (?:week|night|month)|still)\b|"
    r"최근|요즘|현재|오늘|어제|내일|지금|올해|최신|이번|지난 ?(?:주|달)|방금|아직|실시간|작년",
    re.I,
)
_ABOUT = re.compile(
    r"\b(?:tell|teach|inform) (?:me|us) (?:\w+ )?about\b|\bwhat (?:do (?:you|we) know|is known|"
    r"can you (?:say|tell))\b|^(?:please )?(?:describe|introduce|profile|explain (?:who|what))\b|"
    r"\b(?:overview|biography|profile|portrait|summary|description|background|introduction) "
    r"(?:of|on|to)\b|^who (?:is|was|are|were) (?:the )?[A-Z]|"
    r"에 ?대(?:해|하여|한)|관(?:해|하여|한)|소개|설명해|알려|누구(?:인가|입니까|야|였)|"
    r"(?:무엇|뭔)(?:인가|입니까|가요|이야)",
    re.I,
)
_TASK = re.compile(
    r"^(?:please )?(?:write|draft|rewrite|transform|create|compose|imagine|you are|format|prepare|"
    r"design|generate|assume|convert|develop|using|summari[sz]e|list|outline|identify|discuss)\b|"
    r"작성|써 ?(?:줘|주|라)|정리해|만들어|나열|바꿔",
    re.I,
)


class QuestionFeatures(NamedTuple):
    """The form of a question. The first nine say which kind of answer is asked for: 1 or 0.

    Then, how often or whether: a reason or a way is asked for, more than one thing is asked, there
    are options or words that compare, relative clauses, "of" and possessives, persons who are
    only described, conjunctions, conditions, words for what is broad ("main themes"), for the
    whole of a corpus and for what is new, "tell me about", a task to write something; the names,
    and the length in content words. Counts n grow as log(1 + n).
    """

    person: float
    date: float
    place: float
    number: float
    yes_no: float
    choice: float
    name: float
    definition: float
    open: float
    reason: float
    asked: float
    options: float
    compared: float
    relative: float
    of: float
    roles: float
    conjunctions: float
    conditions: float
    broad: float
    whole: float
    fresh: float
    about: float
    task: float
    names: float
    length: float


class IndexFeatures(NamedTuple):
    """What an index says of a question.

    ``linked`` entities are named in it, related to ``degree`` others on average; ``similarity`` is
    that of the best passage found, ``margin`` how far it is above the second.
    """

    linked: int
    degree: float
    similarity: float
    margin: float


def question_features(question: str) -> QuestionFeatures:
    """The features of ``question``, English or Korean; any text is accepted."""
    shape = analyse_question(question)
    text = shape.text
    names = sum(mention.kind in {"name", "quoted"} for mention in question_mentions(text))
    asked = len((_KOREAN_ASKING if shape.language == "ko" else _ANOTHER).findall(text))
    counted = {
        "reason": len(_REASON.findall(text)),
        "asked": max(0, asked - (shape.language == "ko")),
        "compared": len(_COMPARED.findall(text)),
        "relative": len(_RELATIVE.findall(text)),
        "of": len(_OF.findall(text)),
        "roles": len(shape.roles),
        "conjunctions": len(_AND.findall(text)),
        "conditions": len(_CONDITION.findall(text)),
        "broad": len(_BROAD.findall(text)),
        "whole": len(_WHOLE.findall(text)),
        "fresh": len(_FRESH.findall(text)),
        "about": len(_ABOUT.findall(text)),
        "task": len(_TASK.findall(text)),
        "names": names,
        "length": len(content_words(text)),
    }
    values: dict[str, float] = {kind: float(shape.answer_type == kind) for kind in _KINDS}
    values["options"] = float(len(shape.options) > 1)
    values |= {name: math.log1p(count) for name, count in counted.items()}
    return QuestionFeatures(**values)


def index_features(degrees: Sequence[int], similarities: Sequence[float]) -> IndexFeatures:
    """The features of a question in an index.

    ``degrees`` are those of the entities that it names, ``similarities`` those of the passages
    found, best first.
    """
    best, second = [*similarities, 0.0, 0.0][:2]
    return IndexFeatures(
        linked=len(degrees),
        degree=sum(degrees) / len(degrees) if degrees else 0.0,
        similarity=best,
        margin=best - second if len(similarities) > 1 else 0.0,
    )
