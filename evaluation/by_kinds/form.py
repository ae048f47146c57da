"""Features of a question's form, in English and Korean, by which one of seven kinds is told.

The classifier beside this file was fitted to them; neither changes any more.
"""

from __future__ import annotations

import math
import re

from ...language.analyser import content_words
from ...language.mentions import question_mentions
from ...language.questions import AnswerType, analyse_question

_ANSWER_TYPES: tuple[AnswerType, ...] = (
    "person", "date", "place", "number", "yes_no", "choice", "name", "definition", "open",
)  # fmt: skip
FEATURES = (
    *_ANSWER_TYPES, "reason", "asked", "options", "compared", "relative", "of", "roles",
    "conjunctions", "conditions", "broad", "whole", "fresh", "about", "task", "names", "length",
)  # fmt: skip
_ANOTHER = re.compile(
    r"(?:,|;|\band\b|\bor\b)\s*(?:also\s+)?(?:(?:in|at|for|to|by|from|on|of|with)\s+)?"
    r"(?:who|whom|whose|what|which|when|where|why|how)\b",
    re.I,
)
_KOREAN_ASKING = re.compile(
    r"언제|며칠|몇|얼마|누구|누가|누굴|어디|어느|어떤|무슨|무엇|뭐|왜|어떻게"
)
_FORMS = {
    "reason": re.compile(
        r"\bwhy\b|\bhow (?!many|much|long|old|far|tall|big|large|high|deep|wide|heavy|fast|often|"
        r"few)|"
        r"왜|어떻게|이유|방법|원인",
        re.I,
    ),
    "compared": re.compile(
        r"\b(?:both|same|between|compar\w*|differ\w*|versus|vs|than|of the two|in common|"
        r"similarit\w+|alike|"
        r"(?:old|young|earli|lat|larg|small|long|short|tall|high|low|great|few|new|big)(?:er|est)|"
        r"(?:born|died|released|founded|formed|came|opened|published) (?:out )?(?:first|last)|"
        r"more|fewer|most|least)\b|"
        r"둘 ?다|모두|같은|차이|비교|공통|보다|중에?서?\s|가운데|먼저|나중|더 ",
        re.I,
    ),
    "relative": re.compile(
        r"(?<=[\w,]) (?:that|which|who|whose|whom|where)\b(?! (?:is|are|was|were|did|does|do) "
        r"\w+\?$)|\b(?:in|of|by|for|at|to|from|on) (?:which|whom|whose)\b|"
        r"[가-힣](?:[는던된한]|했던|하는|되는) [가-힣]",
        re.I,
    ),
    "of": re.compile(r"\bof\b|\w['’]s?\s|[가-힣]의 ", re.I),
    "conjunctions": re.compile(
        r"\band\b|\bor\b|\bas well as\b|, |[가-힣](?:와|과|및|하고|이고|고,|며|면서) | 및 | 또는 ",
        re.I,
    ),
    "conditions": re.compile(
        r"\b(?:if|unless|given|suppos\w+|assum\w+|provided|considering|besides|except|without|under|"
        r"depending|in case|for an?|in an?|with an?)\b|라면|이면|한다면|경우|조건|제외|고려|때에? ",
        re.I,
    ),
    "broad": re.compile(
        r"\b(?:main|key|themes?|topics?|motifs?|trends?|patterns?|general\w*|common|recurr?\w*|"
        r"major|primary|summar\w+|overview|takeaways?|insights?|lessons|perspectives?)\b|"
        r"주요|주제|요약|공통|흐름|핵심|경향|종합|교훈|반복",
        re.I,
    ),
    "whole": re.compile(
        r"\b(?:overall|entire(?:ty)?|whole|across|throughout|over the course|corpus|documents?|"
        r"collection|data ?set|texts|reports|stories|interviews|as a whole|all (?:the )?\w+s)\b|"
        r"전체|전반|문서들?|자료|보고서|모든|이야기들|두루",
        re.I,
    ),
    "fresh": re.compile(
        r"\b(?:today\w*|tonight|yesterday|tomorrow|current(?:ly)?|now(?:adays)?|latest|newest|recent(?:ly)?|"
        r"up[- ]to[- ]date|as of|breaking|right now|at the moment|so far|these days|upcoming|live|"
        r"this (?:week|month|year|morning|season|quarter)|last (?:week|night|month)|still)\b|"
        r"최근|요즘|현재|오늘|어제|내일|지금|올해|최신|이번|지난 ?(?:주|달)|방금|아직|실시간|작년",
        re.I,
    ),
    "about": re.compile(
        r"\b(?:tell|teach|inform) (?:me|us) (?:\w+ )?about\b|\bwhat (?:do (?:you|we) know|is known|"
        r"can you (?:say|tell))\b|^(?:please )?(?:describe|introduce|profile|explain (?:who|"
        r"what))\b|\b(?:overview|biography|profile|portrait|summary|description|background|"
        r"introduction) "
        r"(?:of|on|to)\b|^who (?:is|was|are|were) (?:the )?[A-Z]|"
        r"에 ?대(?:해|하여|한)|관(?:해|하여|한)|소개|설명해|알려|누구(?:인가|입니까|야|였)|"
        r"(?:무엇|뭔)(?:인가|입니까|가요|이야)",
        re.I,
    ),
    "task": re.compile(
        r"^(?:please )?(?:write|draft|rewrite|transform|create|compose|imagine|you are|format|"
        r"prepare|design|generate|assume|convert|develop|using|summari[sz]e|list|outline|identify|discuss)\b|"
        r"작성|써 ?(?:줘|주|라)|정리해|만들어|나열|바꿔",
        re.I,
    ),
}


def question_features(question: str) -> dict[str, float]:
    """The form of ``question``, English or Korean: a value ≥ 0 for each of ``FEATURES``.

    The first nine say which kind of answer is asked for, and ``options`` whether the question
    offers some: 1 or 0. The others grow as log(1 + n) with a count n: reasons or ways asked for,
    further things ``asked``, words that compare, relative clauses, "of" and possessives, persons
    who are only described (``roles``), conjunctions, conditions, words for the broad ("main
    themes"), for the whole of a corpus and for the new, "tell me about", tasks to write something,
    names; ``length`` is in content words.
    """
    shape = analyse_question(question)
    text = shape.text
    asked = len((_KOREAN_ASKING if shape.language == "ko" else _ANOTHER).findall(text))
    counted = {form: len(pattern.findall(text)) for form, pattern in _FORMS.items()}
    counted |= {
        "asked": max(0, asked - (shape.language == "ko")),
        "roles": len(shape.roles),
        "names": sum(mention.kind in {"name", "quoted"} for mention in question_mentions(text)),
        "length": len(content_words(text)),
    }
    values = {name: math.log1p(count) for name, count in counted.items()}
    values |= {kind: float(shape.answer_type == kind) for kind in _ANSWER_TYPES}
    values["options"] = float(len(shape.options) > 1)
    return {name: values[name] for name in FEATURES}
