"""Questions of every kind in English and Korean, for what public question sets lack.

Among the facts are many with words that other kinds have ("main", "all", "current", "today").
"""

from __future__ import annotations

from ...algorithms.router.decision import QuestionKind

_ENGLISH: dict[QuestionKind, str] = {
    "fact": """Who designed the Forth Bridge?
When was the Suez Canal opened?
Where is the headquarters of Nestlé?
What is the capital of Mongolia?
how many keys does a piano have
Is Lake Baikal frozen in winter?
What does the warranty cover?
How long is the notice period?
Where was the designer of the Forth Bridge born?
Who is the wife of the founder of the company that makes the Walkman?
In which country is the river that flows through the birthplace of Mozart?
Which is longer, the Elbe or the Oder?
Who was born earlier, Clara Schumann or Johannes Brahms?
Are the Alps and the Andes on the same continent?
Compare the budgets of the two projects.
Which suppliers deliver to Lyon and Turin, and what do they charge above a ton?
If the pump fails while the valve is closed, which steps must be taken, and in what order?
How did the flood affect the harvest, and why did prices rise only a year later?
Why did the first design fail, and what was changed in the second?
Who was the captain of the Pequod?
Who is the main character's sister?
Who was Hamlet's father?
Who is in charge of the archive?
Who was John Fowler?
What is HopRAG?
What is a force majeure clause?
What is the main ingredient of hummus?
Where is the main entrance of the library?
What is the overall length of the boat?
What is the overall score that Globex received in the audit?
What was the key to the safe hidden in?
All in all, how many guests came to the wedding?
Which of all the planets has the most moons?
What is the current drawn by the pump in standby?
Which current passes the coast of Norway?
Who was the latest speaker at the 1998 congress?
What happened to Anna on the last day of the diary?
What does the narrator eat on the first morning of the story?
What did the board decide about the parking lot?
What did Maria tell her brother about the letter?
In which chapter does the whale appear?
Who wrote the report on the collapse of the bridge?
How many interviews were held in Leeds?
Which law did the act of 1987 replace?
What does section 12 of the act say about subletting?
Who has to pay for repairs under the lease?
Why does Lydia leave the house at the end of the novel?
How does the heating switch itself off at night?
Describe how the filter is replaced.
Describe how a vaccine trains the immune system.
Explain why the second trial was stopped early.
How does altitude affect the boiling point of water?
Which factors influence the yield of wheat on sandy soil?
What are the main symptoms of measles?
What are the common side effects of the drug?
What types of insurance does the company offer?
List the parts that come with the kit.
Who said that the whole plan was foolish?
What is the title of the third story in the collection?
Did anyone object to the minutes of the previous meeting?
What is today's special served with?
What did the weather station record on 3 March?
Was the meeting still going on when Paul arrived?
How much did the company earn this year according to the balance sheet?
What's the recent addition to the team called?
How much does everything together cost for the trip to Rome?
what happened to the old printer
What changes did the second edition make to the chapter on tides?
What did the doctor and the nurse disagree about?
Which of the two contracts has the shorter notice period, Acme's or Globex's?
Did all the members vote for the proposal?
What is the general manager's phone number?
What view does one have from the top of the tower?
What is the relationship between the earl and the governess?
Is there a summary at the end of chapter four?
Which topics did Professor Lind teach?
Why are the complaints forwarded to the ombudsman?
Which country exports the most coffee?
how much rain fell this month according to the garden log
What did we pay for the new fridge?
What's the price of a single ticket?
When is mum's birthday party this year?
I locked myself out, what now?
Who takes the minutes this week?""",
    "whole": """What are the main themes of these documents?
What are the overall trends across all reports?
Which topics recur throughout the collection?
Summarise the entire data set.
What are the key lessons that can be drawn from the whole corpus?
How do the attitudes towards money change over the course of the book?
What general patterns appear in the customers' complaints?
Give an overview of the major conflicts in the texts.
What common concerns do the authors share across the documents?
Which perspectives are represented in the collection as a whole?
Identify the recurring motifs in these stories.
What is the story about?
what's the plot of the book in a few sentences
What is the moral of these fables?
In a nutshell, what do the minutes say?
tl;dr of all my notes please
I only have five minutes: what are the most important points of the contract?
What do most patients say about the clinic?
What do customers like and dislike about our product?
How do the participants feel about working from home?
Which problems do users report most frequently?
What arguments are made for and against the reform, and which side prevails?
What sort of person does the narrator turn out to be over the course of the novel?
What tone do the letters take, and does it change?
How does the relationship between parents and children develop in the stories?
What place does nature have in the poems?
What role does religion play in the novel?
What do the court files show about the treatment of servants?
How would you characterise the style of the diaries?
What duties does the law impose on employers in general?
What does the handbook ask of new members, all told?
What subjects do these files cover?
What kinds of documents are in this archive, and what do they deal with?
Where do the studies contradict each other?
What is the consensus among the papers?
What are the five most frequent causes of delay mentioned in the project reports?
Group the complaints by what they are about.
What did we spend most of our meetings on over the past two years?
Which issues keep coming up in the weekly meetings?
How did the team's priorities evolve from the first meeting to the last?
Draw conclusions from all the test reports.
What can be learned from the incidents on record?
Taken as a whole, is the feedback positive or negative?
Write a summary of the novel.
Please summarize the interviews.
What impression of the school do the parents' answers give?
What message does the author want to convey?
What makes these characters alike?""",
    "about": """Tell me about the Forth Bridge.
What do you know about Globex?
Describe the character of Scrooge.
Give me a summary of the project Aurora.
What is known about the battle of Lepanto?
Introduce Ada Lovelace.
Tell me everything about the new valve.
Give an overview of the Hanseatic League.
Write a short profile of Marie Curie.
Can you tell me about Scrooge's nephew?
Everything we have on Acme Ltd., please.
tell me more about captain ahab
What can you tell me about the harbour project?
Give me some background on Dr. Weiss.
What sort of person is Mr. Darcy?
Summarise what we know about the customer Globex.
I want to know all about Hypatia.
Describe Queequeg.
Could you write a biography of Clara Schumann?
Collect all information on the supplier Nordtek.
What do the files say about Mrs. Lindqvist?
Sketch a portrait of Aunt Polly.
Describe the town of Middlemarch.
Who is Pip, and what is his life like?
What is there to know about the X200?
Give me a briefing on the Aurora programme.
What do we know about the witness Thomas Reed?
Present the history and the work of the Red Cross.""",
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
Which team leads the league right now?
how is the traffic on the m25 at the moment
Is it raining in London?
What's the dollar worth today?
Are the trains running again?
what's new in the case against globex
Has anything happened since the report was written?
Who is the current chancellor of Germany?
Is the museum open this weekend?
What does a barrel of oil cost nowadays?
Did the union accept the offer yesterday?
Any updates on the recall?
Search the web for reviews of the R7.
What is Acme's share price?
Has a newer edition been published in the meantime?
Google the opening hours of the zoo.
How many subscribers does the channel have by now?
Which laptops are the best ones to buy this year?""",
}
_KOREAN: dict[QuestionKind, str] = {
    "fact": """포스교는 누가 설계했습니까?
수에즈 운하는 언제 개통되었나요?
네슬레의 본사는 어디에 있습니까?
피아노 건반은 몇 개야
훈민정음은 언제 반포되었나요?
보증 기간은 얼마나 되나요?
바이칼호는 겨울에 어나요?
포스교를 설계한 사람은 어디에서 태어났습니까?
워크맨을 만든 회사의 창업자의 아내는 누구입니까?
훈민정음을 만든 왕의 아버지는 누구인가요?
엘베강과 오데르강 중 어느 강이 더 깁니까?
알프스와 안데스는 같은 대륙에 있습니까?
기본 검색과 HopRAG의 차이는 무엇입니까?
두 사업의 예산을 비교해 주세요.
리옹과 토리노에 모두 납품하는 업체는 어디이며 운임은 얼마입니까?
밸브가 닫힌 상태에서 펌프가 고장 나면 어떤 순서로 무엇을 해야 합니까?
홍수는 수확에 어떤 영향을 주었고 왜 가격은 일 년 뒤에야 올랐습니까?
첫 설계는 왜 실패했고 두 번째 설계에서는 무엇이 바뀌었습니까?
존 파울러는 누구인가요?
피쿼드호의 선장은 누구였지?
햄릿의 아버지는 누구였나요?
HopRAG란 무엇인가요?
불가항력 조항이란 무엇입니까?
이 음식의 주요 재료는 무엇입니까?
주요 출입구는 어디에 있나요?
배의 전체 길이는 몇 미터입니까?
전체 직원은 몇 명인가요?
손님은 모두 몇 명 왔나요?
모든 행성 중에 위성이 가장 많은 것은?
현재 시제는 어떻게 만듭니까?
올해 예산은 보고서에 얼마로 적혀 있나요?
오늘의 요리에는 무엇이 들어가나요?
최근에 입사한 직원의 이름은 무엇입니까?
일기 마지막 날 안나에게 무슨 일이 있었나요?
이사회는 주차장에 대해 무엇을 결정했나요?
영희는 편지에 관해 동생에게 뭐라고 했어?
고래는 몇 장에 나오나요?
붕괴 사고 보고서는 누가 썼습니까?
면담은 대전에서 몇 번 했나요?
임대차법 12조는 전대에 대해 어떻게 규정합니까?
수리비는 누가 부담하나요?
소설 끝에서 정희는 왜 집을 떠나나요?
필터 교체 방법을 설명해 주세요.
고도가 높아지면 끓는점은 어떻게 변하나요?
밀 수확량에 영향을 주는 요인은 무엇입니까?
홍역의 주요 증상은 무엇인가요?
약의 흔한 부작용은 무엇입니까?
상자에 들어 있는 부품을 알려 주세요.
예약 취소 방법 알려줘
계약이 끝나면 보증금은 어떻게 되나요?
두 번째 실험이 일찍 중단된 이유를 설명해 줘
의사와 간호사는 무엇을 두고 의견이 달랐나요?
자료실 열쇠는 누가 갖고 있나요?
문서 보관 기간은 몇 년입니까?
이야기 시간은 몇 시에 시작하나요?
설문에 답한 사람은 몇 명입니까?
철수가 아직 자고 있을 때 온 손님은 누구예요?
지난달 전기 요금은 얼마 나왔다고 적혀 있어?
그 책의 세 번째 장 제목은 뭐예요?
회의록은 누가 작성했나요?
공통 과목은 몇 학점인가요?
주인공의 여동생 이름은?
올해 체육 대회는 어디서 하나요?
이번 달 당번은 누구야?
냉장고 얼마 주고 샀더라
입장권 가격은 얼마입니까?
할머니는 아직 시골에 사시나요?
이번 여행에 누가 같이 가나요?""",
    "whole": """이 문서들의 주요 주제는 무엇입니까?
보고서 전체에 나타나는 전반적인 경향은 무엇인가요?
자료 전체를 요약해 주세요.
문서 전체에서 얻을 수 있는 핵심 교훈은 무엇입니까?
책 전체에서 돈에 대한 태도는 어떻게 변합니까?
고객 불만에 나타난 공통적인 경향은 무엇입니까?
모든 인터뷰의 핵심 내용을 종합해 주세요.
이 이야기들에 반복되는 주제를 정리해 주세요.
이 책은 무슨 내용이야?
소설의 줄거리가 뭐예요?
이 우화들이 주는 교훈은 무엇인가요?
회의록 내용을 한마디로 하면?
내 메모들 전부 요약해 줘
계약서에서 가장 중요한 점만 짚어 주세요.
환자들은 병원을 대체로 어떻게 평가하나요?
고객들이 제품에서 좋아하는 점과 싫어하는 점은 무엇입니까?
참여자들은 재택근무를 어떻게 느끼나요?
사용자들이 가장 많이 신고하는 문제는 무엇인가요?
개혁에 찬성하는 주장과 반대하는 주장은 각각 무엇입니까?
편지의 어조는 어떠하며 시간이 지나며 바뀝니까?
이야기들에서 부모와 자식의 관계는 어떻게 발전하나요?
시들에서 자연은 어떤 의미를 가지나요?
소설에서 종교는 어떤 역할을 하나요?
재판 기록들은 하인들이 어떤 대우를 받았는지 보여 주나요?
일기의 문체는 어떤 특징이 있나요?
법이 사업주에게 지우는 의무를 모두 정리해 주세요.
안내서는 새 회원에게 어떤 것들을 요구하나요?
이 파일들은 어떤 주제를 다루나요?
연구들 사이에 서로 어긋나는 결과가 있습니까?
논문들이 합의하는 결론은 무엇입니까?
사업 보고서에 가장 많이 언급되는 지연 원인 다섯 가지는?
불만을 유형별로 나누어 주세요.
매주 회의에서 계속 나오는 문제는 뭐야?
첫 회의부터 마지막 회의까지 우선순위가 어떻게 달라졌나요?
모든 시험 보고서에서 결론을 끌어내 주세요.
의견은 전반적으로 긍정적인가요, 부정적인가요?
작가가 전하려는 메시지는 무엇입니까?
학부모들의 답변에서 학교는 어떤 인상을 주나요?
등장인물들의 공통점은 무엇인가요?
기록된 사고들에서 무엇을 배울 수 있습니까?""",
    "about": """포스교에 대해 알려 주세요.
글로벡스에 관해 아는 것을 말해 주세요.
스크루지의 성격을 설명해 주세요.
오로라 사업을 소개해 주세요.
레판토 해전에 대해 설명해 줘.
마리 퀴리를 간단히 소개해 줘.
에이해브 선장에 대해 자세히 알려줘
허난설헌은 어떤 사람이었나요?
다시 씨는 어떤 인물입니까?
새 밸브에 관한 모든 것을 알려 주세요.
한자 동맹을 개괄해 주세요.
거래처 글로벡스에 대해 우리가 아는 것을 정리해 줘
클라라 슈만의 생애를 써 주세요.
납품업체 노르텍에 관한 정보를 모아 주세요.
흥부라는 인물을 묘사해 주세요.
김 박사에 대한 자료를 전부 보여 줘
하회 마을이 어떤 곳인지 소개해 주세요.
항구 사업에 대해 뭐 알아?
증인 박철수에 대해 알려진 것은 무엇입니까?
적십자의 역사와 활동을 소개해 주세요.""",
    "fresh": """현재 금값은 얼마입니까?
지금 프랑스의 대통령은 누구입니까?
오늘 주식 시장에서 무슨 일이 있었나요?
파이썬의 최신 버전은 무엇입니까?
이번 주에 개봉한 영화는 무엇인가요?
다리는 아직 막혀 있나요?
합병에 관한 최근 소식은 무엇입니까?
올해 라고스의 인구는 얼마입니까?
어제 경기는 누가 이겼나요?
최근에 그 법이 바뀌었나요?
지금 강변북로 막혀?
부산에 비 와?
오늘 달러 얼마야
지하철 다시 다니나요?
보고서가 나온 뒤에 달라진 것이 있나요?
현재 독일 총리는 누구예요?
박물관 이번 주말에 여나요?
노조는 어제 제안을 받아들였나요?
리콜 관련 새 소식 있어?
R7 사용 후기를 인터넷에서 찾아 줘
글로벡스 주가 알려 줘
그동안 개정판이 나왔나요?
동물원 여는 시간 검색해 줘
요새 제일 잘 팔리는 노트북은 뭐야?
방금 발표된 당첨 번호는?""",
}

EXAMPLES: dict[str, list[tuple[str, QuestionKind]]] = {
    language: [(line, kind) for kind, lines in questions.items() for line in lines.splitlines()]
    for language, questions in (("English", _ENGLISH), ("Korean", _KOREAN))
}
