"""Turns of questions to manuals, and of questions about what many people or texts say."""

from __future__ import annotations

import re

from .forms import PERSONS

_TEXTS = (
    r"(?:documents|texts|papers|articles|essays|reports|studies|interviews|surveys|reviews|"
    r"complaints|"
    r"responses|answers|testimonies|accounts|statements|notes|minutes|letters|e-?mails|mails|"
    r"messages|"
    r"threads|posts|comments|chats|conversations|discussions|dialogues|debates|transcripts|"
    r"podcasts?|"
    r"episodes|programmes?|shows|broadcasts|tickets|logs|diaries|journals|memoirs|novels|books|"
    r"stories|"
    r"tales|anecdotes|poems|songs|plays|chapters|speeches|sermons|lectures|talks|meetings|"
    r"sessions|"
    r"hearings|entries|correspondence|literature|recipes|proposals|rulings|judgments|contracts|"
    r"quotes)"
)
_SAY = (
    r"(?:say|talk|speak|mention|discuss|describe|express|explain|share|report|raise|bring|argue|"
    r"believe|"
    r"think|feel|view|see|perceive|regard|remember|recall|complain|praise|critici[sz]e|worry|"
    r"fear|hope|"
    r"expect|predict|envision|speculate|suggest|recommend|propose|cite|voice|emphasi[sz]e|"
    r"stress|address|"
    r"approach|portray|depict|reveal|reflect|agree|disagree|differ|deal|struggle|cope|react|"
    r"respond|frame|"
    r"justify|admit|treat|tell|paint|take|rely|convey|tend|appear|seem|focus|touch|provide|give|"
    r"feature|"
    r"follow|revolve|point|look|ask|want)"
)
_SAID = (
    r"(?:said|told|mentioned|discussed|described|expressed|explained|shared|reported|raised|"
    r"voiced|argued|"
    r"predicted|suggested|recommended|proposed|cited|emphasi[sz]ed|addressed|portrayed|depicted|"
    r"reflected|"
    r"highlighted|made|presented|represented|covered|debated|identified|criticised|praised|"
    r"given|asked|"
    r"found|noticeable|provided|named|seen|visible)"
)
TURNS = {
    "instructed": re.compile(
        r"\b(?:how|when|where|why|which \w+|what|if|can|could|should|must|may|do|did|and|that|"
        r"before|"
        r"after|once|will|would) (?:\w+ )?(?:I|we|you|one)\b|\bhow to\b|\bI (?:want|need|get|"
        r"have|am)\b"
        r"|^(?:show me how|explain|give an example)\b|"
        r"(?:으|하|우|르|리|지|키|내|보|치|추|두|나|기|오|서|시|자|쓰|주|러|이|되|든|들|살|알|"
        r"열|걸)려면|"
        r"[는한] ?방?법(?:은|을|이|에|\?|$)|수 있(?:나|을까|는지|습)|야 (?:하|되|할|될)|"
        r"[면도] 되나|고 싶|"
        r"어떻게 (?:하[나면는]|해|설정|처리|동작|작동|설치|써|쓰)",
        re.I,
    ),
    "self": re.compile(
        r"\b(?:I|I'm|me|my|mine|we|us|myself)\b|(?<![가-힣])(?:나|내|제|저|우리)(?:는|가|의|"
        r"를)?(?= )",
        re.I,
    ),
    "statement": re.compile(
        r"^(?!(?:please|who|whom|whose|which|what|what's|when|where|why|how|is|are|do|does|did|"
        r"can|could|"
        r"tl;?dr|tell|every|i (?:need|want|have))\b)[^?가-힣]*$",
        re.I,
    ),
    "held": re.compile(
        r"\b(?:considered|seen as|regarded|perceived|viewed|identified|cited|highlighted|"
        r"predicted|believed|"
        r"deemed|presented|emphasi[sz]ed|mentioned|discussed|described|expressed|raised|voiced|"
        r"shared|"
        r"suggested|portrayed|associated|correlated|judged|praised|criticised|blamed|remembered|"
        r"felt)\b|"
        r"[꼽여거제논언][히겨기론급]\S*|나오나|나오는|드러나|나타나|보이나|엿보|느껴",
        re.I,
    ),
    "able": re.compile(
        r"\b(?:can|cannot|may|must|need(?:s|ed)?|have to|has to|required?|requires|support(?:s|"
        r"ed)?|"
        r"allow(?:s|ed)?|available|accepts?|possible|permitted|recommended|default|way to|"
        r"used? for)\b|"
        r"수 있|지원|가능|필요|허용|야 [하되할]|기본|적용|쓸 수",
        re.I,
    ),
    "condition": re.compile(
        r"(?<!^)\b(?:if|when|whenever|while|unless|until|without|instead of|once|at once|"
        r"in one go)\b|"
        r"[가-힣](?:으?면|때|때는)(?= )|한꺼번에|한 번에|동시에|대신",
        re.I,
    ),
    "handled": re.compile(
        r"\bhow (?:is|are|was|were) (?:\w+ ){1,5}?(?:\w{2,}ed|done|made|built|found|kept|set|"
        r"sent|"
        r"read|run|written|chosen|bound|drawn|cut|held|put)\b|\bhow (?:does|"
        r"do) (?:\w+ ){1,3}work\b|"
        r"어떻게 (?:[가-힣]+되|[가-힣]+받|만들어|정해)",
        re.I,
    ),
    "definition": re.compile(
        r"\bwhat(?:'s| is| does| was| are) (?:an?|the) (?:\w+ ){1,2}(?:for|of|between|do|mean|"
        r"in|to)?\b|"
        r"\b(?:where|when) (?:is|are|do|does|should|was|were|can)\b|^(?:is|does|has|was|did) |"
        r"차이|이란|란 (?:무엇|뭐)|어디(?:에|에서|서)|언제",
        re.I,
    ),
    "code": re.compile(
        r"`|\b\w+_\w+|\w\(\)|\b[a-z]+[A-Z]\w*|\b[A-Z][a-z]+[A-Z]\w*|(?<!\S)--?\w|\w+\.\w+\("
    ),
    "voices": re.compile(
        rf"\b(?:{PERSONS}|{_TEXTS}) (?:\w+ ){{0,2}}?{_SAY}\b|"
        rf"\b{_SAID} (?:\w+ ){{0,3}}?(?:by|in|among|across|from|between) (?:\w+ )?(?:{PERSONS}|"
        rf"{_TEXTS})\b|"
        rf"\b(?:according to|going by|judging by) (?:the|these|our|all) (?:\w+ )?\w+s\b|"
        rf"\b(?:{_TEXTS}) (?:\w+ ){{0,2}}?(?:that|which|in which|where|about|with|between)\b|"
        r"[들자객원인가사]들?[은는이가] .{0,24}?(?:말하|말한|말해|이야기|얘기|생각|느끼|보나|"
        r"보는|보고|바라|여기|"
        r"묘사|설명|주장|꺼내|묻|털어|언급|던지|그리)",
        re.I,
    ),
    "exists": re.compile(
        r"^(?:are|were) there\b(?! (?:a|two|three|ways?|limits?|differences? between)\b)|"
        rf"^(?:do|did) (?:any |some |the )?(?:\w+ )?(?:{PERSONS}|{_TEXTS})\b|"
        r"(?:이야기|대화|사례|경우|손님|출연자|고객|글|편지|회차|대담|의견)[가-힣]{0,2}(?:이|가|"
        r"도) 있나요",
        re.I,
    ),
    "asked_of": re.compile(
        rf"^(?:which|what|in which|across) (?:\w+ )?(?:{PERSONS}|{_TEXTS})\b(?! (?:must|can|may|"
        rf"do I|should)\b)|"
        r"^어[떤느] [가-힣]+(?:들|회차)[은이가]",
        re.I,
    ),
}
