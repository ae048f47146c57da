"""Features of a question's form, in English and Korean, from which its kind is told."""

from __future__ import annotations

import math
import re

from ...language.analyser import PAST_ENDS, content_words
from ...language.questions import analyse_question

_PLURAL = r"(?!does\b|always\b)\w{2,}[^\Wsiu]s"
_FORMS = {
    "sources": re.compile(
        r"\b(?:documents?|texts?|files?|corpus|collection|archive|data ?set|records?|papers?|"
        r"articles?|essays?|reports?|stud(?:y|ies)|interviews?|surveys?|reviews?|complaints?|"
        r"feedback|responses?|answers|testimon(?:y|ies)|accounts|notes|minutes|letters|"
        r"e-?mails|messages|log(?:s|book)?|diar(?:y|ies)|journals?|novels?|books?|stor(?:y|ies)|"
        r"tales?|fables|poems?|plays?|chapters|manuals?|handbook|guide(?:lines?|s)?|contracts?|"
        r"acts?|laws?|bill|regulations?|rules|statutes?|incidents|meetings)\b|"
        r"문서|자료|파일|말뭉치|논문|기사|보고서|면담|인터뷰|설문|후기|리뷰|불만|민원|의견|답변|진술|"
        r"기록|메모|회의|편지|일기|일지|소설|이야기|동화|우화|설명서|안내서|계약서|"
        r"(?<![가-힣])(?:연구|시들|책|작품|지침|법|규정|조례|사례)",
        re.I,
    ),
    "people": re.compile(
        r"\b(?:do|did|are|were|have|would|the|these|most|all) (?:\w+ )?(?:people|authors?|writers|"
        r"readers|narrators?|characters|participants|respondents|interviewees|witnesses|users|"
        r"customers|clients|guests|patients|parents|students|teachers|nurses|employees|staff|"
        r"workers|members|residents|tenants|citizens|reviewers|critics|experts|victims|"
        r"villagers|soldiers|they)\b|"
        r"작가|저자|화자|[자인객원생민]들|사람들|인물들|학부모|고객|손님|환자|직원",
        re.I,
    ),
    "themes": re.compile(
        r"\b(?:themes?|topics?|motifs?|subjects|trends?|patterns?|gist|takeaways?|lessons?|"
        r"morals?|message|plot|story about|conclusions?|consensus|arguments?|"
        r"perspectives?|viewpoints?|views?|attitudes?|opinions?|feelings?|impressions?|mood|tone|"
        r"style|atmosphere|picture|concerns?|worries|worried|issues|problems|difficulties|"
        r"challenges|conflicts|insights?|priorities|differences|similarities|"
        r"strengths|weaknesses|obligations|duties|risks|mistakes|points)\b|"
        r"주제|소재|경향|추세|흐름|핵심|교훈|메시지|줄거리|결론|주장|관점|시각|태도|감정|인상|"
        r"분위기|어조|문체|모습|걱정|우려|문제|어려움|갈등|패턴|양상|특징|우선순위|의무|위험|원인|"
        r"이유들|공통점|차이점|내용",
        re.I,
    ),
    "main": re.compile(
        r"\b(?:main|key|major|primary|principal|important|biggest|general|common)\b|"
        r"주요|주된|중요한|가장|큰 ",
        re.I,
    ),
    "throughout": re.compile(
        r"\b(?:overall|entire(?:ty|ly)?|whole|across|throughout|altogether|in general|"
        r"generally|by and large|on the whole|as a whole|taken (?:together|as)|all told|"
        r"collectively|broadly|run(?:s|ning)? through|emerges?|"
        r"(?:over|in) the (?:course|end|years|months|weeks)|by the end|"
        r"from (?:the )?(?:beginning|start|first)|between the first|"
        rf"all (?:(?:of )?(?:the|my|our|these|those) )?(?:\w+ )?{_PLURAL})\b|"
        r"전체|전반|통틀어|관통|두루|대체로|종합|모든|전부|결국|처음부터|끝까지|전체적|시간이 지나|"
        r"진행되|아울러|고려하|가운데 공통|에 걸쳐",
        re.I,
    ),
    "repeated": re.compile(
        r"\b(?:recur\w*|repeat\w*|again and again|over and over|keeps? \w+ing|come up|comes up|"
        r"often|frequent(?:ly)?|regularly|usually|mostly|most (?:common|often)|commonly|"
        r"in common|shared?|agree|disagree|contradict|differ|diverge|alike)\b|"
        r"반복|되풀이|거듭|자주|계속|공통|대부분|흔히|주로|가장 많이|갈리|엇갈|어긋|합의|일치",
        re.I,
    ),
    "changes": re.compile(
        r"\b(?:change[sd]?|changing|evolve[sd]?|shift(?:s|ed)?|develop(?:s|ed)?|grow|unfold|"
        r"progress)\b|변하|변해|변화|바뀌|달라지|달라졌|발전|전개|흘러",
        re.I,
    ),
    "condensed": re.compile(
        r"\b(?:sum(?:s|med)? up|summar\w+|boil\w* down|in a nutshell|in short|in brief|tl;?dr|"
        r"recap|overview|outline|condense|digest|synthesi[sz]e|in (?:a few|one|two|three) "
        r"(?:words?|sentences?)|(?:in)?to (?:\w+ )?points|^group|classify|categori[sz]e|"
        r"characteri[sz]e|conclude)\b|"
        r"요약|간추|정리|추려|한마디|요점|개괄|짚어|묶어|나누어|분류|간략",
        re.I,
    ),
    "reason": re.compile(
        r"\bwhy\b|\bhow (?:do|does|did|is|are|was|to|can|should|would)\b|왜|어떻게|방법|이유",
        re.I,
    ),
    "past": re.compile(
        r"\b(?:did|was|were|had|said|told|wrote|made|went|came|[a-z]{3,}ed)\b|"
        rf"(?![있겠])[{PAST_ENDS}]",
        re.I,
    ),
    "place": re.compile(
        r"\d|\b(?:first|second|third|fourth|last|previous|next)\b|번째|첫|마지막|지난번",
        re.I,
    ),
    "fresh": re.compile(
        r"\b(?:today|today's|tonight|yesterday|tomorrow|currently|now(?:adays)?|latest|newest|"
        r"recently|up[- ]to[- ]date|as of|breaking|at the moment|these days|upcoming|by now|"
        r"this (?:morning|weekend)|last night)\b|"
        r"요즘|요새|오늘|어제|어젯|내일|지금|최신|방금|실시간",
        re.I,
    ),
    "period": re.compile(
        r"\b(?:current|recent|still|yet|anymore|so far|meantime|"
        r"(?:this|last) (?:week|month|year|season|quarter)|since (?:yesterday|then|the))\b|"
        r"현재|최근|올해|이번|지난 ?(?:주|달)|아직|벌써|다시|그동안|뒤에",
        re.I,
    ),
    "news": re.compile(
        r"\b(?:news|headlines?|updates?|what's new|weather|forecast|traffic|share price|stock|"
        r"exchange rate|trading|league|standings|rain(?:ing)?|search the|google|online|internet|"
        r"web|released?)\b|"
        r"소식|뉴스|날씨|비가? ?[와오]|교통|막혀|막히|시세|환율|금리|"
        r"(?<![가-힣])주가|검색해|인터넷|출시|순위",
        re.I,
    ),
    "about": re.compile(
        r"\b(?:tell|teach|inform) (?:me|us) (?:\w+ )?about\b|"
        r"\bwhat (?:do (?:you|we) (?:\w+ )?know|is (?:there to )?know|can you (?:say|tell))|"
        r"^(?:please )?(?:describe|introduce|profile|sketch|present)\b(?! (?:how|what|why|when))|"
        r"\b(?:overview|biography|profile|portrait|summary|description|background|briefing|"
        r"introduction|information) (?:of|on|to|about)\b|\b(?:everything|all) (?:\w+ )?"
        r"(?:about|on|we (?:have|know))\b|what (?:sort|kind) of (?:person|man|woman|place)|"
        r"(?:에 ?대|관)(?:해|하여)서? (?:\w+ )?(?:알|설명|말|소개|정리|이야기|뭐 알|아는)|"
        r"(?:에 ?대|관)한 (?:\w+ )?(?:것|자료|정보|설명|요약)|"
        r"소개|어떤 (?:사람|인물|곳|분)|생애|성격",
        re.I,
    ),
}
_BROAD = (
    "sources", "people", "themes", "main", "throughout", "repeated", "changes", "condensed",
)  # fmt: skip
_SHORT = frozenset({"person", "date", "place", "number", "choice"})
FEATURES = (*_FORMS, "breadth", "short", "open", "yes_no", "length")


def question_features(question: str) -> dict[str, float]:
    """The form of ``question``, English or Korean: a value ≥ 0 for each of ``FEATURES``.

    Most grow as log(1 + n) with a count n. For the whole speak words for ``sources`` ("reports",
    "novel") and for ``people`` in the plural, for ``themes`` and moods, for the ``main`` ones,
    ``throughout`` the texts, ``repeated``, for ``changes``, and to make it ``condensed`` ("sum
    up"); ``breadth`` is the number of these sorts of words, less one. For facts speak a ``reason``
    or a way asked for, the ``past``, and a ``place`` in a row ("the third"). ``fresh``, ``period``
    ("this year") and ``news`` are words for time and for what changes daily, and ``about`` is "tell
    me about". ``short``, ``open`` and ``yes_no`` are kinds of answers, 1 or 0; ``length`` is in
    content words.
    """
    shape = analyse_question(question)
    found = {form: len(pattern.findall(shape.text)) for form, pattern in _FORMS.items()}
    found["length"] = len(content_words(shape.text))
    values = {form: math.log1p(count) for form, count in found.items()}
    values["breadth"] = max(0.0, sum(found[form] > 0 for form in _BROAD) - 1.0)
    values["short"] = float(shape.answer_type in _SHORT)
    values["open"] = float(shape.answer_type == "open")
    values["yes_no"] = float(shape.answer_type == "yes_no")
    return {name: values[name] for name in FEATURES}
