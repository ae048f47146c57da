"""Questions of every kind in English, to train the router's classifier on."""

from __future__ import annotations

from ...algorithms.router.decision import QuestionKind

ENGLISH: dict[QuestionKind, str] = {
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
Who takes the minutes this week?
Which hope does the settler's wife express in her last song?
What does ticket 4411 say about the login page?
Who plays the lead in the film script?
What time is breakfast on the ship?
Who gave the opening speech?
How satisfied was Mrs. Lund with her room?
What made the caller from Leeds angry?
What is the rank of Lieutenant Moreau?
Which side of the road did the proposal choose for the bus stop?
When did the dispute about the fence begin?
Who collected the criticisms of the plan?
What did the mayor promise the fishermen?
Which argument did the defence lawyer drop?
What version of the forum software is installed?
How many days of remote work does the policy allow?
How old was the author at the time of the siege?
Was the witness at home on Friday night?
Who holds the patent for the zipper?
What is the thread size of the bolt?
Where were the lectures held?
What should I do if the red light blinks?
How do I break down the tent?
Who explained the whole thing to the police?
Which idea did the philosopher take from Spinoza?
What kind of wood is the table made of?
What sort of cheese is in the pie?
What type of fault triggered alarm 7?
In what way does the new rule change the deadline for appeals?
What reason did Tom give for being late?
What was the hardest moment for Captain Ross on the march?
How well did Anna do in the chemistry exam?
Who is the landlord of the tenants in Elm Street?
Do volunteers need a vaccination?
Did the survey include part-time staff?
What did the old sailor tell the boy about the reef?
What is in the blue folder?
Who took the big picture in the hall?
Who wrote the abstract?
What is the sample size of the study by Ito?
Who has the task of ordering chairs?
How many farmers live in the northern region?
What is the name of the figure on the cover?
Which character steals the ring?
Which of the arguments did the judge reject?
Which critic praised the second act?
What did the letter of 2 May say about the despair in the trench?
What mistake did the pilot make on landing?
Where does the process of casting begin?
What is the gap between the rails?
Which question did the study by Kim leave open?
What did the villagers see in the sky?
What post did the minister hold before?
What did the poet call his cat?
At what age did the queen die?
What is the fine for breaking the regulation?
Who drafted the constitution?
How many weeks of leave do employees have under clause 9?
What caused the failure of the second turbine?
What can be used instead of butter?
Why did Peter drop out of school?
Why is the night nurse leaving on Sunday?
Who drives the character Max to the airport?
Which department got the most feedback forms?
How many defects were found in lot 17?
What stands on the hill behind the church?
Where did the two women meet for the first time?
What conclusion did the inspector of the dam reach?
How does the population of Oslo compare to that of Bergen?
What was the highest score of the season?
Which family lost two sons in the war?
Which recommendation did the committee turn down?
How do plants respond to drought?
What are the three branches of government?
What are the ingredients of the sauce?
What are the requirements for the scholarship?
What are the opening hours of the clinics?
How do bees find their way home?
What problems can a blocked filter cause?
What are the differences between type A and type B cells?
Which countries signed the treaty?
What do the letters VAT stand for?
What does the symbol on the label mean?
How are the samples stored?
How is the contract terminated?
What happens when members miss two payments?
What advantages does the new alloy have over steel?
Which treatments are recommended for patients over 65?
What role does calcium play in muscle contraction?
Who are the members of the audit committee?
List the ports that the ship called at.
Compare the weight of the two models.
Does the book have an index?
What is the role of the thermostat in an engine?
What is the purpose of the second valve?
What effects does salt have on concrete?
Which factors determine the price of a bond, and how do they interact?
How do glaciers form, and what traces do they leave?
What distinguishes a loan from a lease?
What are the causes of soil erosion on steep slopes?
Why do companies issue shares instead of bonds?
Which tools are needed to change the belt, and in what order are they used?
What are the roles of the two chambers in passing a bill?
What steps follow after the alarm has been set off?
How does an appeal affect the enforcement of a judgment?
What is the most common cause of engine knock?
Which crops are generally grown in the delta?
What are some signs of termites in general?
What is the relationship between voltage and current?
How do the settings change after a reset?
What differences are there between the Mark I and the Mark II?
Which documents do applicants have to submit?
What is the overall aim of clause 5?
What was the main complaint of Mr. Brown?
How many reports mention asbestos?
Who chaired most of the meetings in 1962?
What is the entire cost of the three studies?
What is the general rule for stopping distances?
Who are the main speakers at the conference?
What is the total number of incidents in the report for May?
Which interview was the longest?
Who edited the collection of letters?
What are the two conditions under which the policy pays?""",
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
What makes these characters alike?
Which hopes do the settlers express in their songs?
What do the tickets tell us about our users?
How are women portrayed in these film scripts?
What is daily life on the ship like, judging by the logs?
What strikes you about these speeches?
How satisfied are the subscribers?
What makes callers angry?
Rank the suggestions by how often they were made.
Put the proposals side by side.
Trace the history of the dispute through the files.
Collect all criticisms of the plan.
Pull out every promise the mayor made.
Which arguments does the defence rely on?
What are people on the forum saying about the new version?
How has our policy on remote work evolved?
How do the two authors' accounts of the siege differ?
Are the witnesses consistent with each other?
What do these patents have in common?
Is there a thread that ties the sermons together?
What should I remember from the lectures?
Break the manuscript down for me.
explain the whole thing like i'm five
Which ideas does the philosopher return to?
What kind of world do these poems create?
What sorts of questions do pupils ask?
What types of faults do the technicians describe?
In what ways have the rules become stricter?
What reasons do donors give for their support?
What hardships did the migrants face?
How well did the project go, all things considered?
How happy are the tenants with the landlord?
Do the volunteers seem motivated?
Are there signs of burnout in the staff survey?
What advice do the old sailors pass on?
What is this folder about?
what's in here
Give me the big picture.
Write an abstract.
Make a table of the findings in each study.
Draw up a list of all open tasks from the meetings.
For each region, what are farmers worried about?
Who are the most influential figures in the chronicle?
Which characters change the most?
Which arguments are strongest, and which are weak?
What do critics praise and what do they criticise?
How does the mood in the trenches go from hope to despair?
What did we learn from our mistakes?
Where do our processes break down?
What gaps are there in the evidence?
Which questions do the studies leave open?
How do the villagers see outsiders?
How does the press treat the minister?
What does the poet think of love?
How is death dealt with in the ballads?
What is the point of the regulation?
What is the spirit of the constitution?
What rights do employees have under these agreements?
What do all these failures come down to?
What can we improve, going by the exit interviews?
Why do pupils drop out, according to the counsellors' files?
Why are the nurses leaving?
What drives the characters?
Analyse the feedback by department.
Classify the defects and count them.
What stands out in the logs of the past months?
How did the friendship between the two women unfold?
What conclusions do the inspectors reach?
How do the speeches of the two leaders compare?
What were the highs and lows of the season?
Tell me how the war is remembered in these families.
Which recommendations are made over and over?
Are the essays optimistic or pessimistic about the future?
What does a typical day of a monk look like in these chronicles?
Has the quality of the deliveries gone up or down?
i need the essentials of these 40 emails
Bring me up to speed on the negotiations.
What should worry us in these contracts?
What values guide the company according to its own publications?
How do young and old voters differ in what they want?
What do the myths say about where humans come from?
What is the author trying to say?
Walk me through what the book covers.
How would you sum up the mood of these reviews?
Are there any contradictions between the statements?
What do the farmers complain about in the hearings?
What is the general attitude of the staff to the new software?
Which problems came up in more than one inspection report?
How does the heroine grow as a person?
What does this statute try to achieve?
Summarize chapters one through ten for me.
What values do these folk tales teach?
Where do the experts disagree?
What were the biggest challenges the expedition faced?
Which hazards does the manual warn about?
Why are so many guests unhappy?
How do the essays differ in their view of technology?
What should a newcomer know after reading the handbook?
Give me the highlights of the annual reports.
What does the diary reveal about life under rationing?
How did public opinion develop over the decade?""",
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
