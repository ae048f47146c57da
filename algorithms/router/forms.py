"""Words and turns of questions, English and Korean, by what they are a sign of."""

from __future__ import annotations

import re

from ...language.analyser import PAST_ENDS

_PLURAL = (
    r"(?!does\b|always\b|perhaps\b|besides\b|sometimes\b|series\b|news\b|species\b)"
    r"(?:\w{2,}[^\Wsiu]s|people|women|men|children)\b(?!['’])"
)
_OWN = r"(?:of )?(?:the|these|those|my|our|your|their|its|his|her)"
_VERBS = r"do|does|did|is|are|was|were|has|have|had|can|could|will|would|should|may|might|must"
PERSONS = (
    r"(?:\w{2,}(?:ers|ors|ists|ees|ants|ents|ians|yers|men|women)|people|characters|guests|"
    r"patients|pupils|experts|critics|nurses|employees|staff|members|relatives|witnesses|heroes|"
    r"families|couples|girls|boys|wives|husbands|children|kids|colleagues|friends|youths?|"
    r"refugees|victims|veterans|natives|public|community|folks?|crew|team|everyone|everybody|"
    r"they|anyone|anybody)"
)
FORMS = {
    "sources": re.compile(
        r"\b(?:documents?|texts?|files?|corpus|collections?|anthology|archives?|data ?set|"
        r"records?|"
        r"papers|articles|essays|reports|studies|interviews|surveys|reviews|complaints|feedback|"
        r"responses|answers|testimon(?:y|ies)|accounts|statements|notes|minutes|letters|"
        r"e-?mails|"
        r"mails|messages|threads|posts|comments|tweets|chats?|conversations|transcripts|calls|"
        r"tickets|log(?:s|book)?|diar(?:y|ies)|journals?|memoirs?|memories|novels|books|stories|"
        r"tales?|fables|myths|legends|poems|songs|ballads|plays|scripts|chapters|manuals|"
        r"guidelines|contracts|agreements|treaties|tenders|bids|proposals|applications|laws|"
        r"regulations|rules|policies|cases|judgments|verdicts|rulings|incidents|meetings|"
        r"sessions|"
        r"hearings|debates|speeches|sermons|lectures|talks|entries|experiments|tests|trials|"
        r"findings|results|correspondence|literature|material|sources|forms|questionnaires|"
        r"evaluations|assessments|audits|inspections|dispatches|bulletins|newsletters|recipes|"
        r"pamphlets|publications|editions|volumes|pages|issues|exhibits)\b|"
        r"문서|자료|파일|폴더|말뭉치|논문|기사|보고서|면담|인터뷰|설문|후기|리뷰|평가|불만|민원|"
        r"의견|"
        r"답변|응답|진술|증언|기록|메모|회의|편지|서신|서한|메일|이메일|문자|대화|댓글|게시|채팅|"
        r"단톡|"
        r"일기|일지|수기|회고|소설들|이야기|동화|우화|민담|신화|설화|전설|노래|대본|연설|설교|"
        r"강의|"
        r"설명서|안내서|계약서|협약|제안서|신청서|문의|판결|판례|사건|사고|실험|시험 |점검|감사 |"
        r"공청회|청문|모음|문집|전집|시집|글들|(?<![가-힣])(?:연구|시들|글|책들|작품|지침|규정|"
        r"사례)",
        re.I,
    ),
    "work": re.compile(
        r"\b(?:(?:this|that|the|my|our|whole|entire) (?:\w+ )?(?:book|novel|story|report|paper|"
        r"thesis|dissertation|study|essay|article|poem|play|film|text|document|manual|handbook|"
        r"guide(?:book)?|contract|agreement|act|law|bill|statute|code|constitution|regulation|"
        r"policy|directive|treaty|proposal|plan|project|chronicle|saga|epic|diary|memoir|"
        r"manuscript|"
        r"script|lecture|speech|sermon|talk|course|folder|file|interview|survey|debate|hearing|"
        r"dispute|negotiations?|works?|author|writer|narrator|poet|speaker|philosopher|novelist|"
        r"hero(?:ine)?|protagonist|main character))\b|"
        r"(?<![가-힣])(?:책|소설|작품|논문|보고서|법|법률|조례|규제|규정|헌법|계약|원고|시집|"
        r"전기|"
        r"희곡|"
        r"작가|저자|화자|시인|주인공|여주인공|필자|글쓴이|등장인물|인물)"
        r"(?:[은는이가을를의에도]|들|에서|께서)?(?![가-힣])",
        re.I,
    ),
    "here": re.compile(
        r"\b(?:these|those|in here|all this|this (?:all|stuff|folder|collection|archive|corpus|"
        r"book|novel|text|document|thesis)|(?:the|my|our) (?:whole|entire|full) )\b|"
        r"^(?:what(?:'s| is) (?:this|it|in)|tl;?dr)\b|"
        r"(?<![가-힣])(?:이|그|저) [가-힣]+들|여기|이것들",
        re.I,
    ),
    "people": re.compile(
        rf"\b(?:(?:{_VERBS}|of|by|from|among|between|{_OWN}|most|many|all|some|each|every)"
        rf" (?:\w+ )?{PERSONS}|{PERSONS} (?:\w+ )?(?:say|think|feel|see|want|are|have))\b|"
        r"(?:[자인객원생민사수가부모들]|사람|아이|어른|이웃|가족|여성|남성|여자|남자|선수|의사|"
        r"농부|"
        r"군인|병사|학생|교사|노인|청년|환자|고객|손님|직원|주민|시민|이용자|사용자|유권자|"
        r"전문가|"
        r"어르신|친구|동료)들|학부모|고객|손님|환자|직원|사람들|서로|끼리",
        re.I,
    ),
    "plural": re.compile(
        rf"\b(?:(?:the|these|those|my|our|their|his|her|its|all|most|many|of|do|are|were|have|"
        rf"what|which|some|any|several|various|different) (?:\w+ )?{_PLURAL})|"
        r"[가-힣](?:들|마다|별로)(?=[은이을의에과도,? 로]|$)|여러|각종|각각|"
        r"누구누구|무엇무엇|어디어디|뭐뭐|가지",
        re.I,
    ),
    "themes": re.compile(
        r"\b(?:themes?|topics?|motifs?|trends?|gist|takeaways?|lessons?|morals?|"
        r"messages?|plot|storyline|story about|conclusions|consensus|arguments?|claims?|"
        r"perspectives?|viewpoints?|views?|attitudes?|opinions?|stances?|feelings?|emotions?|"
        r"impressions?|mood|tone|style|atmosphere|climate|picture|image|portrayal|spirit|"
        r"essence|"
        r"essentials|concerns?|worries|worried|fears?|hopes?|dreams|wishes|expectations|demands|"
        r"desires|motives|motivations?|values|beliefs?|ideals?|ideas|assumptions|thinking|"
        r"experiences?|predictions?|outlook|barriers|hurdles|perceptions?|sentiments?|"
        r"influences|"
        r"inspirations?|implications|anecdotes|quotes|controvers\w+|debates?|qualities|"
        r"patterns?|"
        r"moods?|regrets?|issues|problems|troubles|challenges|obstacles|hardships?|"
        r"struggles?|setbacks|tensions?|conflicts?|disputes|quarrels|disagreements?|"
        r"contradictions|inconsistencies|discrepancies|insights?|priorities|goals|aims|"
        r"strategies|"
        r"similarities|parallels|strengths|weaknesses|flaws|shortcomings|gaps|failures|"
        r"successes|"
        r"achievements|highlights|lows|obligations|duties|rights|responsibilities|mistakes|"
        r"points|"
        r"praise|criticisms?|grievances|gripes|suggestions|advice|wisdom|decisions|promises|"
        r"habits|customs|traditions|relationships?|relations|friendships?|culture|morale|"
        r"narrative|thread|satisfaction|optimis\w+|pessimis\w+)\b|"
        r"주제|소재|경향|추세|흐름|핵심|요지|취지|골자|교훈|메시지|줄거리|결론|주장|논리|논지|"
        r"논점|"
        r"쟁점|"
        r"관점|시각|견해|입장|태도|감정|심정|인상|분위기|어조|말투|문체|모습|이미지|정서|정신|"
        r"의의|"
        r"걱정|우려|염려|근심|두려움|불안|희망|소망|바람|바라는|기대|요구|욕망|동기|의욕|가치관|"
        r"믿음|"
        r"신념|생각|기억|경험|어려움|고충|애로|고난|시련|역경|갈등|긴장|다툼|대립|모순|양상|매력|"
        r"우선순위|공통점|강점|약점|장점|단점|허점|한계|실패|성과|의무|권리|책임|잘못|칭찬|비판|"
        r"지적|"
        r"건의|조언|지혜|결정|약속|까닭|습관|관습|전통|사이가|우정|생활|삶|일상|나날|만족|불만|"
        r"여론|"
        r"민심|긍정|부정|낙관|비관|발자취",
        re.I,
    ),
    "matters": re.compile(
        r"\b(?:subjects|patterns?|conclusion|positions|point|purpose|meaning|significance|needs|"
        r"difficulties|hazards|dangers|threats|risks|warnings|signs|differences|contrasts?|"
        r"errors|"
        r"faults|recommendations|requests|tips|plans|reasons|causes|consequences|effects|"
        r"impacts?|reactions?|behaviou?r|roles?|life|evolution|history|course|development|"
        r"quality|positive|negative|factors|features|characteristics|properties|functions?|"
        r"advantages|disadvantages|benefits|requirements|criteria|conditions|steps|methods|"
        r"measures|options|symptoms)\b|"
        r"의미|가치|문제|장애|위험|경고|조심|신호|징후|패턴|특징|특성|성격|목표|목적|전략|차이|"
        r"비슷|닮|"
        r"차이점|성공|오류|실수|제안|권고|원인|이유|결과|영향|반응|행동|관계|역할|세계|내용|경과|"
        r"과정|"
        r"요인|기능|조건|단계|증상|장비|요건|기준",
        re.I,
    ),
    "kinds": re.compile(
        r"\b(?:what|which|the|of|different|various) (?:\w+ )?(?:kinds?|sorts?|types?|ways|forms|"
        r"categories|aspects|sides)\b|\bin (?:what|which) (?:ways?|respects?)\b|"
        r"종류|유형|어떤 ?(?:[가-힣]+ )?(?:것들|점들?|면에서|식으로)|어떤 [가-힣]+들|"
        r"무슨 [가-힣]+들|가지가지",
        re.I,
    ),
    "throughout": re.compile(
        r"\b(?:overall|entire(?:ty|ly)?|whole|across|throughout|altogether|in general|"
        r"generally|by and large|on the whole|as a whole|(?:taken|put) (?:together|as)|all told|"
        r"all in all|all things considered|everything|collectively|broadly|run(?:s|"
        r"ning)? through|"
        r"emerges?|so far|(?:over|in|through) the (?:course|end|years|months|weeks|decades?|"
        r"time)|"
        r"over (?:the )?(?:time|(?:\w+ )?(?:years|months|weeks|decades?))|"
        r"by the end|from (?:the )?(?:beginning|start|first)|between the first|"
        r"(?:judging|going) (?:by|from)|according to (?:the|these|our|all) \w+s|based on|"
        rf"all (?:(?:of )?(?:the|my|our|these|those) )?(?:\w+ )?{_PLURAL})\b|"
        r"전체|전반|통틀어|관통|두루|대체로|대개|종합|모든|전부|모두|모조리|빠짐없이|샅샅이|결국|"
        r"처음부터|끝까지|시간이 지나|진행되|아울러|고려하|가운데 공통|에 걸쳐|훑어|놓고 보|"
        r"(?:을|를) 보면|로 보아|비추어|바탕으로|토대로|근거로|지금까지|그동안|내내|해마다|"
        r"갈수록|"
        r"점점",
        re.I,
    ),
    "repeated": re.compile(
        r"\b(?:recur\w*|repeat\w*|again and again|over and over|time and again|keeps? \w+ing|"
        r"come(?:s)? (?:up|back)|came up|return(?:s)? to|often|typical(?:ly)?|consistently|"
        r"particularly|frequen\w+|regularly|usually|mostly|"
        r"most(?:ly)? (?:common|often|people|of)|commonly|tends? to|(?:more than|"
        r"at least) (?:one|"
        r"two)|"
        r"each|every|everyone|everybody|nobody|no one|many|majority|several|various)\b|"
        r"반복|되풀이|거듭|자꾸|자주|계속|공통|대부분|흔히|주로|늘 |가장 많이|많이|제일 많|"
        r"많은 편|"
        r"[가-힣]마다|매번|저마다|누구나|다들|하나같이|대다수",
        re.I,
    ),
    "compared": re.compile(
        r"\b(?:in common|shared?|agree[sd]?|disagree[sd]?|contradict\w*|conflicting|"
        r"(?:in)?consistent|"
        r"(?:in)?consistenc\w+|differ(?:s|ed|ent(?:ly)?)?|diverge|vary|varies|alike|"
        r"similar(?:ly)?|"
        r"compar\w+|contrast\w*|versus|vs|side by side|as opposed to|unlike|on the one hand|"
        r"more .{2,30} or (?:more |less )?|for and against|pros and cons|good and bad)\b|"
        r"갈리|갈린|엇갈|어긋|합의|일치|맞아떨어|다른가|다릅니|달라|다르|차이|비교|견주|대조|"
        r"서로|"
        r"한편|"
        r"찬성|반대|찬반|장단|(?:인가요|한가요|나요|은가|는가|많아|높아|낮아|좋아|보나요), ",
        re.I,
    ),
    "changes": re.compile(
        r"\b(?:chang(?:e[sd]?|ing)|evol\w+|shift(?:s|ed|ing)?|develop(?:s|ed|ment)?|grow[ns]?|"
        r"grew|unfold(?:s|ed)?|progress\w*|transform\w*|turn(?:s|ed)? (?:in)?to|becom(?:e|es|"
        r"ing)|"
        r"became|improv\w+|deteriorat\w+|decline[sd]?|trajectory|timeline|chronolog\w+|"
        r"(?:gone|going|go|goes|went) (?:up|down|from)|(?:got|get|getting|gotten) (?:better|"
        r"worse))\b|"
        r"변하|변해|변화|변했|바뀌|바뀐|바뀔|달라지|달라졌|달라진|발전|전개|흘러|흐르|펼쳐|성장|"
        r"자라|커 가|"
        r"나아지|나빠|좋아지|악화|개선|시간 ?순|연대순|시기별|연도별|추이|변천|되어 ?[가왔]",
        re.I,
    ),
    "condensed": re.compile(
        r"\b(?:sum(?:s|med)? (?:it |this |them |all )?up|summar\w+|abstract|boil\w* down|"
        r"come(?:s)? down to|in a nutshell|in short|in brief|briefly|tl;?dr|recap|overview|"
        r"outline|"
        r"synopsis|condense|digest|synthesi[sz]e|distil\w*|bullet points?|key points|"
        r"main points|"
        r"in (?:a few|one|two|three|\d+) (?:words?|sentences?|lines?|paragraphs?)|up to speed|"
        r"(?:in)?to (?:\w+ )?points|conclude|break .{2,30} down|takes? away|walk me through|"
        r"guide me through|bring me|get me up|big picture|bird's.eye|one.pager|one page|"
        r"highlights)\b|"
        r"요약|간추|정리|추려|추리|한마디|요점|요지|개괄|개요|짚어|간략|간단히|줄여|압축|골자|"
        r"초록|"
        r"[한두세네] ?(?:줄|문장|문단|단락|쪽)|핵심만|큰 그림|훑어|뭐에 (?:관|대)한|무엇에 관한|"
        r"무슨 (?:내용|이야기|얘기)",
        re.I,
    ),
    "gathered": re.compile(
        r"^(?:\w+[,:]? )?(?:please |can you |could you |i need |i want |i'd like )*(?:to )?"
        r"(?:group|sort|rank|order|class\w+|categori[sz]e|cluster|collect|gather|compile|"
        r"assemble|"
        r"extract|pull|pick|draw|list|tabulate|catalogue|catalog|count|make|create|build|"
        r"produce|"
        r"prepare|write|map|trace|chart|track|reconstruct|identify|find|show|highlight|point|"
        r"analy[sz]e|assess|evaluate|examine|review|discuss|characteri[sz]e|break|contrast|"
        r"compare|"
        r"put|give|tell|explain|walk)\b|\b(?:table|list|ranking|timeline|catalogue|"
        r"inventory) of\b|"
        r"묶어|묶으|나누어|나눠|분류|모아|모으|뽑아|뽑으|골라|꼽아|가려|추출|나열|늘어놓|목록|"
        r"표로|"
        r"정렬|"
        r"순서대로|순위|순으로|별로|분석|평가해|비교해|비교하|검토해|찾아|짚어|써 ?[주줘달]|"
        r"보여 ?[주줘]|"
        r"만들어 ?[주줘달]",
        re.I,
    ),
    "opinion": re.compile(
        r"\b(?:feels?|felt|thinks?|thought|believes?|complain\w*|prais\w+|criti\w+|worr\w+|"
        r"car(?:e|es|ed) about|prefer\w*|fear\w*|hop(?:e|es|ed|ing)|regret\w*|react\w*|"
        r"respond\w*|"
        r"cop(?:e|es|ed|ing)|struggl\w*|suffer\w*|regard\w*|perceiv\w*|view|views|viewed|sees?|"
        r"saw|experienc\w*|remember\w*|recall\w*|talk\w*|speaks?|spoke|discuss\w*|argu\w+|"
        r"likes?|dislikes?|loves?|hates?|enjoy\w*|wants?|wish\w*|expect\w*|appreciat\w*|unhappy|"
        r"happy|happier|satisf\w+|dissatisf\w+|pleased|angry|annoy\w*|frustrat\w*|grateful|"
        r"proud|"
        r"motivat\w*|optimistic|pessimistic|hostile|friendly|trust\w*|welcom\w+|support\w*|"
        r"oppos\w+|"
        r"tired|lonely|afraid|says?|saying|mention\w*|describ\w*|attitude)\b|"
        r"느끼|느낀|느꼈|여기|여긴|생각하|생각해|생각이|평가|불평|불만|호소|하소연|칭찬|비판|"
        r"꼬집|"
        r"걱정|염려|"
        r"우려|선호|좋아하|싫어하|원하|바라|두려워|후회|반응|반기|반겨|받아들이|대하|대해 어떻게|"
        r"바라보|"
        r"보는 눈|눈으로 보|기억하|회상|떠올리|말하|말해|이야기하|얘기|뭐라고들|다고들|라고들|"
        r"주장|"
        r"언급|신고|"
        r"힘들어|어려워|만족|행복|화를|화가|지쳐|외로|자랑|사랑|미워|믿|의지|지지|찬성|반대|겪",
        re.I,
    ),
    "depicted": re.compile(
        r"\b(?:shows?|showed|reveals?|portray\w*|depict\w*|paint\w*|teach(?:es)?|tells? us|"
        r"suggests?|"
        r"convey\w*|deals?|dealt|address(?:es)?|tackles?|"
        r"tr(?:y|ies|ying) to|aims?|revolves?|stands? for|symboli[sz]\w*|represents?|"
        r"represented|implies|imply|indicate[sd]?|reflect\w*|illustrat\w*|evoke[sd]?|creates?|"
        r"explores?|emphasi[sz]\w*|about\?|"
        r"learn(?:ed|t)?|come[s]? across|looks? like)\b|"
        r"보여|드러나|드러내|나타나|나타난|나타내|그려|그리고 있|비치|비친|담긴|담고|담겨|전하|"
        r"전달|"
        r"다루|다룬|다뤄|시사|말하고|하고 싶은 말|하려는|묘사|표현|상징|암시|강조|"
        r"보이나|보여 ?주|배울|배웠|얻을|알 수|움직이|이끄|뜻하",
        re.I,
    ),
    "manner": re.compile(
        r"\bwhat (?:\w+ ){0,6}?like\b(?! to)|\bhow (?:well|good|bad|happy|satisfied|close|"
        r"strong|"
        r"serious|important|effective|successful|reliable|open|strict|fair)\b|"
        r"\bwhat .{2,40} (?:look|feel|sound)s? like|\bhow would you|\bwhat makes\b|"
        r"\bwhat went\b|"
        r"\bhow .{2,40} (?:go|going|doing)\??$|"
        r"어때|어떠|어떻습|어땠|어떤가|어떤 (?:모습|식|사람들|눈|방식|인상|삶|세계)|[는은인] 편|"
        r"얼마나 (?:만족|잘|좋|나쁘|심|중요)",
        re.I,
    ),
    "value": re.compile(
        r"\bwho(?:se|m)?\b(?! (?:are|do|were|have)\b)|\bwhen (?:is|was|did|does|do|will|were|"
        r"are)\b|"
        r"\bhow (?:many|much|long|far|old|tall|high|deep|heavy|late|early)\b|"
        r"\bwhat(?: time| day| year| colou?r| age|'s the| is the| was the) (?:\w+ ){0,2}"
        r"(?:name|title|number|cost|price|amount|total|length|height|size|age|date|address|fee|"
        r"fine|"
        r"score|rate|rank|colou?r|value|weight|capital|time|temperature|population)\b|"
        r"\b(?:in|on|at) (?:what|which) (?:year|day|date|month|place|city|town|country|age|"
        r"page)\b|"
        r"몇|얼마(?!나 (?:만족|잘|좋|나쁘|심|중요))|누가|누구(?!누구|들)|누굴|언제(?!부터)|"
        r"어디(?:에|에서|서|로|인|예|입|야|죠|$)|이름|제목|날짜|번호|가격|금액|요금",
        re.I,
    ),
    "reason": re.compile(
        r"\bwhy\b|\bhow (?:do|does|did|is|are|was|to|can|should|would)\b|왜|어떻게|방법|이유", re.I
    ),
    "past": re.compile(
        r"\b(?:did|was|were|had|said|told|wrote|made|went|came|[a-z]{3,}ed)\b|"
        rf"(?![있겠])[{PAST_ENDS}]",
        re.I,
    ),
    "place": re.compile(
        r"\d|\b(?:first|second|third|fourth|last|previous|next)\b|번째|첫|마지막|지난번", re.I
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
        r"^(?:please )?(?:describe|introduce|profile|sketch|present)\b(?! (?:how|what|why|"
        r"when))|"
        r"\b(?:overview|biography|profile|portrait|summary|description|background|briefing|"
        r"introduction|information) (?:of|on|to|about)\b|\b(?:everything|all) (?:\w+ )?"
        r"(?:about|on|we (?:have|know))\b|what (?:sort|kind) of (?:person|man|woman|place)|"
        r"(?:에 ?대|관)(?:해|하여)서? (?:\w+ )?(?:알|설명|말|소개|정리|이야기|뭐 알|아는)|"
        r"(?:에 ?대|관)한 (?:\w+ )?(?:것|자료|정보|설명|요약)|"
        r"소개|어떤 (?:사람|인물|곳|분)|생애|성격",
        re.I,
    ),
}
