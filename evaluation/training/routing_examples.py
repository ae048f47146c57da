"""Questions of every kind in English and Korean, for what public question sets lack."""

from __future__ import annotations

from ...algorithms.router.decision import QuestionKind

_ENGLISH: dict[QuestionKind, str] = {
    "single": """Who designed the Forth Bridge?
When was the Suez Canal opened?
Where is the headquarters of Nestlé?
What is the capital of Mongolia?
How many keys does a piano have?
In which year did Krakatoa erupt?
Is Lake Baikal frozen in winter?
Who painted The Night Watch?
What is the boiling point of ethanol?
Which company makes the Walkman?
What does the warranty cover?
How long is the notice period?""",
    "bridge": """Where was the designer of the Forth Bridge born?
Who is the wife of the founder of the company that makes the Walkman?
In which country is the river that flows through the birthplace of Mozart?
When did the teacher of Hypatia's father die?
What is the population of the city where the author of Kim was born?
Which university did the inventor of the pacemaker attend?
Who succeeded the king under whom the Escorial was built?
What language is spoken in the country where the painter of Guernica died?""",
    "comparison": """Which is longer, the Elbe or the Oder?
Who was born earlier, Clara Schumann or Johannes Brahms?
Are the Alps and the Andes on the same continent?
What is the difference between basic retrieval and HopRAG?
Did Gauss and Euler have the same nationality?
Compare the budgets of the two projects.
Which of the two contracts has the shorter notice period, Acme's or Globex's?
Was Bach older than Handel?""",
    "several": """Which suppliers deliver to Lyon and Turin, and what do they charge above a ton?
If the pump fails while the valve is closed, which steps must be taken, and in what order?
What were the causes of the delay, how was it handled, and what did it cost?
For a parent of two who works part time, which benefits apply and how are they taxed?
How did the flood affect the harvest, and why did prices rise only a year later?
Which treatment suits a patient who has had a stroke and takes anticoagulants?
Why did the first design fail, and what was changed in the second?
Given a budget of ten thousand, which machines can be bought and where would they fit?""",
    "whole_corpus": """What are the main themes of these documents?
What are the overall trends across all reports?
Which topics recur throughout the collection?
Summarise the entire data set.
What are the key lessons that can be drawn from the whole corpus?
How do the attitudes towards money change over the course of the book?
What general patterns appear in the customers' complaints?
Give an overview of the major conflicts in the texts.
What are the most important insights from all interviews?
What common concerns do the authors share across the documents?
Which perspectives are represented in the collection as a whole?
Identify the recurring motifs in these stories.""",
    "about": """Tell me about the Forth Bridge.
Who was John Fowler?
What do you know about Globex?
Describe the character of Scrooge.
Give me a summary of the project Aurora.
What is known about the battle of Lepanto?
Introduce Ada Lovelace.
Tell me everything about the new valve.
Give an overview of the Hanseatic League.
What is HopRAG?
Write a short profile of Marie Curie.
Can you tell me about Scrooge's nephew?""",
    "fresh": """What is the current price of gold?
Who is the president of France now?
What happened in the stock market today?
What is the latest version of Python?
Which films came out this week?
Is the bridge still closed at the moment?
What are the latest news about the merger?
How many people live in Lagos as of this year?
Who won the match last night?
What is the weather in Busan tomorrow?
Has the law been changed recently?
Which team leads the league right now?""",
}
_KOREAN: dict[QuestionKind, str] = {
    "single": """포스교는 누가 설계했습니까?
수에즈 운하는 언제 개통되었나요?
네슬레의 본사는 어디에 있습니까?
몽골의 수도는 어디입니까?
피아노의 건반은 몇 개입니까?
훈민정음은 언제 반포되었나요?
야경을 그린 화가는 누구입니까?
에탄올의 끓는점은 몇 도입니까?
보증 기간은 얼마나 되나요?
경복궁은 몇 년에 지어졌습니까?
바이칼호는 겨울에 어나요?
워크맨은 어느 회사가 만들었습니까?""",
    "bridge": """포스교를 설계한 사람은 어디에서 태어났습니까?
워크맨을 만든 회사의 창업자의 아내는 누구입니까?
모차르트가 태어난 도시를 흐르는 강은 어느 나라에서 시작됩니까?
훈민정음을 만든 왕의 아버지는 누구인가요?
심장 박동기를 발명한 사람이 다닌 대학은 어디입니까?
소설 킴의 작가가 태어난 도시의 인구는 얼마입니까?
경복궁을 지은 왕의 뒤를 이은 사람은 누구입니까?
게르니카를 그린 화가의 고향이 속한 주의 수도는 어디입니까?""",
    "comparison": """엘베강과 오데르강 중 어느 강이 더 깁니까?
클라라 슈만과 브람스 중 누가 먼저 태어났습니까?
알프스와 안데스는 같은 대륙에 있습니까?
기본 검색과 HopRAG의 차이는 무엇입니까?
가우스와 오일러는 국적이 같습니까?
두 사업의 예산을 비교해 주세요.
바흐가 헨델보다 나이가 많았나요?
경복궁과 창덕궁 가운데 어느 것이 먼저 지어졌습니까?""",
    "several": """리옹과 토리노에 모두 납품하는 업체는 어디이며 운임은 얼마입니까?
밸브가 닫힌 상태에서 펌프가 고장 나면 어떤 순서로 무엇을 해야 합니까?
지연의 원인은 무엇이고 어떻게 처리했으며 비용은 얼마였습니까?
자녀가 둘이고 시간제로 일하는 직원이라면 어떤 혜택을 받고 세금은 어떻게 됩니까?
홍수는 수확에 어떤 영향을 주었고 왜 가격은 일 년 뒤에야 올랐습니까?
뇌졸중을 겪고 항응고제를 먹는 환자의 경우 어떤 치료가 적합합니까?
첫 설계는 왜 실패했고 두 번째 설계에서는 무엇이 바뀌었습니까?
예산이 천만 원일 때 어떤 기계를 살 수 있고 어디에 놓을 수 있습니까?""",
    "whole_corpus": """이 문서들의 주요 주제는 무엇입니까?
보고서 전체에 나타나는 전반적인 경향은 무엇인가요?
자료 전체를 요약해 주세요.
문서 전체에서 얻을 수 있는 핵심 교훈은 무엇입니까?
책 전체에서 돈에 대한 태도는 어떻게 변합니까?
고객 불만에 나타난 공통적인 경향은 무엇입니까?
모든 인터뷰의 핵심 내용을 종합해 주세요.
이 이야기들에 반복되는 주제를 정리해 주세요.""",
    "about": """포스교에 대해 알려 주세요.
존 파울러는 누구인가요?
글로벡스에 관해 아는 것을 말해 주세요.
스크루지의 성격을 설명해 주세요.
오로라 사업을 소개해 주세요.
레판토 해전에 대해 설명해 줘.
마리 퀴리를 간단히 소개해 줘.
HopRAG란 무엇인가요?""",
    "fresh": """현재 금값은 얼마입니까?
지금 프랑스의 대통령은 누구입니까?
오늘 주식 시장에서 무슨 일이 있었나요?
파이썬의 최신 버전은 무엇입니까?
이번 주에 개봉한 영화는 무엇인가요?
다리는 아직 막혀 있나요?
합병에 관한 최근 소식은 무엇입니까?
올해 라고스의 인구는 얼마입니까?
어제 경기는 누가 이겼나요?
최근에 그 법이 바뀌었나요?""",
}

EXAMPLES: dict[str, list[tuple[str, QuestionKind]]] = {
    language: [(line, kind) for kind, lines in questions.items() for line in lines.splitlines()]
    for language, questions in (("English", _ENGLISH), ("Korean", _KOREAN))
}
