"""Local search, drift and basic search of the graphrag graph, and all searches offline."""

from __future__ import annotations

import json

import pytest
from communities_support import MODEL, NAMES, Script, Together, clustered, texts_of
from graphrag_support import Asking
from pointed import as_written
from ragraphs.context import GraphragContext
from ragraphs.graphs.graphrag import graph
from ragraphs.language.analyser import count_tokens
from ragraphs.state.errors import RagraphsError
from stub_openai import failure

WITH_REPORTS = ["global", "local", "drift"]
WITHOUT_REPORTS = ["text", "basic"]
SEARCHES = [*WITH_REPORTS, *WITHOUT_REPORTS]
ABOUT = {"question": f"Whom does {NAMES[0]} know?"}
KNOWN = f"{NAMES[0]} knows {NAMES[1]}."


@pytest.fixture
def ask(communities_index, tmp_path, openai):
    return Asking(communities_index, tmp_path, openai)


def numbered(human):
    return [(title, as_written(text)) for id, title, text in texts_of(human) if id != "-"]


def known(human):
    return {title: text for id, title, text in texts_of(human) if id == "-"}


def statements(human):
    return "".join(known(human).values()).splitlines()


def test_local_search_shows_passages_of_the_entities_of_the_question(ask):
    ask.model.answers["Answer"] = lambda human: {
        "quotes": [{"id": "1", "quote": KNOWN}],
        "sufficient": True,
        "answer": NAMES[1],
    }
    result = ask(ABOUT, search="local")
    ((_, human),) = ask.model.asked
    assert (NAMES[0], next(t for t in texts(ask) if t.startswith(KNOWN))) in numbered(human)
    assert (result["answer"], result["sufficient"]) == (NAMES[1], True)
    (citation,) = result["citations"]
    assert citation["quote"] == KNOWN
    assert {"entity", "retrieved"} >= {passage["found"] for passage in result["evidence"]}


def texts(ask):
    return [passage["text"] for passage in ask.index.catalogue.all_passages()]


@pytest.mark.slow
def test_beside_the_texts_stand_at_most_ten_statements_that_they_do_not_make(ask):
    for passages in (1, 2, 10, 40):
        ask(ABOUT, search="local", top_k=passages)
        human = ask.model.of("Answer")[-1]
        shown = " ".join(text for _, text in numbered(human))
        beside = statements(human)
        assert len(beside) <= 10 and len(set(beside)) == len(beside)
        assert all(NAMES[0] in one for one in beside)
        assert not any(one.removeprefix("- ") in shown for one in beside)
        assert bool(beside) == (passages < 10)
        assert "()" not in human and bool(beside) != ("(none)" in human)


@pytest.mark.slow
def test_a_relation_is_described_by_the_sentence_that_names_both_ends(indexing, openai):
    documents = [
        {"id": "1", "title": "Fire", "text": "In 1901 Ada Bell sold the Mere Bridge to Carl Dorn."},
        {"id": "2", "title": "Cats", "text": "Rain fell. Ada Bell came to Ulm with two cats."},
    ]
    file, triple = indexing.folder / "t.jsonl", ["Ada Bell", "parted with", "Mere Bridge"]
    file.write_text(json.dumps({"passage": "1", "triples": [triple]}))
    context = {"layers": ["communities"]}
    indexing.run(documents=documents, triples=[str(file)], context=context)
    model = Script(openai)
    chosen = GraphragContext(index=indexing.name, model=MODEL, search="local", top_k=1)
    graph.invoke({"question": "What of Ada Bell and the bridge?"}, context=chosen)
    sold = "In 1901 Ada Bell sold the Mere Bridge to Carl Dorn."
    assert f"- Ada Bell parted with Mere Bridge: {sold}" in statements(model.of("Answer")[0])


def test_a_report_behind_a_statement_is_among_the_communities(ask):
    told = f"{NAMES[0]} is the oldest of the circle."
    stored, (entity,) = ask.index.communities, ask.index.entities.named([NAMES[0].lower()]).values()
    own = [id for id, _ in stored.communities_of(entity)]
    reports = {one.id: one.report for one in stored.all() if one.id in own}
    finding = {"statement": told, "passages": []}
    told_by = {id: ({**report, "findings": [finding]}, MODEL) for id, report in reports.items()}
    stored.put_reports(told_by)
    result = ask(ABOUT, search="local")
    assert f"- {told}" in statements(ask.model.of("Answer")[-1])
    assert {one["id"] for one in result["communities"]} <= set(own)
    assert [one["level"] for one in result["communities"]] == [1]


@pytest.mark.slow
def test_the_budget_of_the_context_holds(ask):
    for limit in (500, 2000):
        ask(ABOUT, search="local", context_tokens=limit)
        human = ask.model.of("Answer")[-1]
        assert sum(map(count_tokens, known(human).values())) <= 0.5 * limit
        passages = sum(count_tokens(f"{title}\n{text}") for title, text in numbered(human))
        assert 0 < passages <= 0.5 * limit


@pytest.mark.slow
def test_a_quote_from_a_statement_is_left_out_and_told(ask):
    ask.model.answers["Answer"] = lambda human: {
        "quotes": [{"id": "-", "quote": f"{statements(human)[0]} They were many."}],
        "sufficient": True,
        "answer": "Many.",
    }
    result = ask(ABOUT, search="local", top_k=1)
    assert (result["citations"], result["sufficient"]) == ([], False)
    assert any("pointed nowhere" in warning for warning in result["warnings"])


def test_basic_search_fills_the_context(ask):
    result = ask(ABOUT, search="basic", context_tokens=500, top_k=1)
    shown = numbered(ask.model.of("Answer")[0])
    sizes = [count_tokens(f"{title}\n{text}") for title, text in shown]
    assert len(shown) == len(result["evidence"]) > 5
    assert 500 - 2 * max(sizes) < sum(sizes) <= 500
    ask(ABOUT, search="basic", context_tokens=8000)
    assert len(numbered(ask.model.of("Answer")[1])) > len(shown)


def test_basic_search_takes_vectors_whatever_the_retriever(ask):
    found = [
        [one["id"] for one in ask(ABOUT, search="basic", retriever=retriever)["evidence"]]
        for retriever in ("lexical", "vector")
    ]
    assert found[0] == found[1] != []


class Drift:
    """A model that asks on: from each question, by its last word, what ``follow_ups`` gives."""

    def __init__(self, ask, **follow_ups):
        self.follow_ups = follow_ups
        ask.model.answers["PrimedAnswer"] = lambda human: {
            "points": [{"point": "From a report.", "score": 40, "evidence": ["1"]}],
            "follow_ups": self.after("main"),
        }
        ask.model.answers["LocalAnswer"] = lambda human: {
            **ask.model.answer(human),
            "score": 70,
            "follow_ups": self.after(question_in(human)),
        }

    def after(self, question):
        found = self.follow_ups.get(question.rstrip("?").split()[-1], [])
        return [{"question": asking(name), "score": score} for name, score in found]


def asking(name):
    """A question that the index may answer."""
    return f"Whom does {NAMES[0]} know, {name}?"


def question_in(human):
    return human.split("Follow-up question: ")[1].splitlines()[0]


def looked_up(ask):
    return [last_word(question_in(human)) for human in ask.model.of("LocalAnswer")]


def last_word(question):
    return question.split()[-1]


@pytest.mark.slow
def test_drift_looks_up_the_most_needed_questions_round_by_round(ask):
    Drift(ask, main=[("b", 50), ("a", 90), ("c", 10), ("d", 0)], a=[("e", 95), ("a", 99)])
    result = ask(search="drift", drift_width=2, drift_depth=2, concurrency=1)
    assert sorted(looked_up(ask)[:2]) == ["a?", "b?"]
    assert sorted(looked_up(ask)[2:]) == ["c?", "e?"]
    assert [last_word(one["question"]) for one in result["look_ups"]] == ["a?", "b?", "e?", "c?"]
    assert all(one["answer"] and one["passages"] for one in result["look_ups"])
    assert [one["score"] for one in result["look_ups"]] == [90, 50, 95, 10]


@pytest.mark.slow
def test_drift_combines_what_reports_and_look_ups_gave_best_first(ask):
    Drift(ask, main=[("a", 90), ("b", 50)])
    ask.model.answers["PrimedAnswer"] = lambda human: {
        "points": [
            {"point": texts_of(human)[0][2].splitlines()[1], "score": 40, "evidence": ["1"]}
        ],
        "follow_ups": [
            {"question": asking("a"), "score": 90},
            {"question": asking("b"), "score": 5},
        ],
    }
    result = ask(search="drift")
    (human,) = ask.model.of("CombinedAnswer")
    titles = [title for title, _ in numbered(human)]
    assert titles == ["Score 70", "Score 70", "Score 40"]
    assert [point["score"] for point in result["points"]] == [70, 70, 40]
    quoted = {text["text"]: text for text in ask.index.catalogue.all_passages()}
    for point in result["points"][:2]:
        (citation,) = point["citations"]
        assert any(citation["quote"] in text for text in quoted)
        assert citation in result["citations"]
    assert result["sufficient"]


@pytest.mark.slow
def test_what_only_a_report_says_is_marked_and_makes_no_answer_sufficient(ask):
    Drift(ask, main=[("a", 90)])
    result = ask(search="drift")
    marked = {point["text"]: bool(point["citations"]) for point in result["points"]}
    assert marked.pop("From a report.") is False
    assert list(marked.values()) == [True]
    assert not result["sufficient"] and result["answer"]
    assert any("From a report." in warning for warning in result["warnings"])


@pytest.mark.slow
@pytest.mark.parametrize("depth", [0, 1, 3])
def test_drift_keeps_its_depth(ask, depth):
    endless = {str(n): [(str(n + 1), 50)] for n in range(9)}
    Drift(ask, main=[("0", 50)], **endless)
    ask(search="drift", drift_depth=depth)
    assert looked_up(ask) == [f"{n}?" for n in range(depth)]


@pytest.mark.slow
@pytest.mark.parametrize("most", [2, 3, 4, 7])
def test_drift_keeps_the_limit_of_requests_and_one_for_the_answer(ask, most):
    many = [(f"q{n}", 90 - n) for n in range(9)]
    Drift(ask, main=many, **{name: [(f"{name}-more", 99)] for name, _ in many})
    result = ask(search="drift", max_calls=most, drift_width=4, drift_depth=5)
    assert len(ask.model.asked) <= most
    assert ask.model.counts["CombinedAnswer"] == 1
    assert result["answer"]


@pytest.mark.slow
def test_drift_looks_up_side_by_side(ask):
    Drift(ask, main=[("a", 90), ("b", 50), ("c", 40)])
    ask.model.answers["LocalAnswer"] = Together(3, ask.model.answers["LocalAnswer"])
    ask(search="drift")
    assert ask.model.openai.most_in_flight == 3


@pytest.mark.slow
def test_drift_without_follow_ups_looks_the_question_itself_up(ask):
    Drift(ask)
    ask(ABOUT, search="drift")
    assert looked_up(ask) == [last_word(ABOUT["question"])]


@pytest.mark.slow
@pytest.mark.parametrize("broken", ["PrimedAnswer", "LocalAnswer"])
def test_drift_goes_on_where_the_model_gives_no_reply(ask, broken):
    Drift(ask, main=[("a", 90)])
    ask.model.answers[broken] = failure(400, "no")
    result = ask(search="drift")
    assert result["answer"] and result["points"]
    assert any("did not reply" in warning for warning in result["warnings"])


@pytest.mark.slow
@pytest.mark.parametrize("question", ["How much did whales weigh?", "고래는 얼마나 무거운가?"])
def test_what_the_index_does_not_have_is_looked_up_without_a_request(ask, question):
    Drift(ask)
    known = {"question": asking("a"), "score": 10}
    ask.model.answers["PrimedAnswer"] = {
        "points": [],
        "follow_ups": [{"question": question, "score": 90}, known],
    }
    result = ask(search="drift")
    assert looked_up(ask) == ["a?"]
    assert [(one["question"], one["answer"] != "") for one in result["look_ups"]] == [
        (question, False),
        (known["question"], True),
    ]


@pytest.mark.parametrize("status", [401, 429, 500])
@pytest.mark.parametrize("search", SEARCHES)
def test_where_the_model_gives_no_reply_the_run_ends_for_that_reason(ask, search, status):
    ask.model.openai.answer = lambda _: failure(status, "not today")
    result = ask(ABOUT, search=search)
    assert (result["answer"], result["sufficient"]) == ("", False)
    assert result["stop_reason"] == "model_failed"
    assert any("not today" in warning for warning in result["warnings"])


@pytest.mark.parametrize("search", ["drift", "global", "text"])
def test_what_the_limit_of_requests_left_unread_is_no_lack_of_evidence(ask, search):
    assert ask(ABOUT, search=search, max_calls=1)["stop_reason"] == "budget"


@pytest.mark.parametrize("search", SEARCHES)
def test_a_single_request_is_not_exceeded(ask, search):
    result = ask(ABOUT, search=search, max_calls=1)
    assert len(ask.model.asked) <= 1
    assert result["method"] == "graphrag"


@pytest.mark.parametrize("search", SEARCHES)
def test_every_search_finds_checked_citations_offline(ask, search):
    result = ask(ABOUT, search=search, model="offline")
    assert (result["method"], result["search"]) == ("graphrag", search)
    assert any(NAMES[1] in citation["quote"] for citation in result["citations"])
    by_id = {one["id"]: one for one in ask.index.catalogue.all_passages()}
    assert result["citations"]
    for citation in result["citations"]:
        passage = by_id[citation["passage"]]
        begin = passage["start"]
        said = passage["text"][citation["start"] - begin : citation["end"] - begin]
        assert said == citation["quote"] != ""
    assert set(result["usage"]["models"]) == {"offline"}
    assert json.loads(json.dumps(result)) == result
    assert ask.model.asked == []


KOREAN = {
    "세종대왕": "세종대왕은 1443년에 훈민정음을 창제하였다. 세종대왕은 집현전을 설치하였다.",
    "집현전": "집현전은 경복궁에 있던 학문 기관이다. 정인지는 집현전에서 일하였다.",
    "정인지": "정인지는 훈민정음 해례본의 서문을 썼다. 정인지는 조선의 학자이다.",
    "훈민정음": "훈민정음은 한국의 고유한 문자이다. 훈민정음은 1446년에 반포되었다.",
}


@pytest.mark.parametrize("search", ["global", "text", "drift"])
def test_map_and_reduce_offline_show_extracts_and_write_no_answer(ask, search):
    for question in (ABOUT, {"question": "What are the main themes?"}):
        result = ask(question, search=search, model="offline")
        assert (result["answer"], result["sufficient"]) == ("", False)
        assert result["stop_reason"] == "no_model"
        assert len(result["citations"]) <= 12  # of what search finds, and of reports
        assert result["citations"] or question != ABOUT  # a report's summary is no sentence of ours
        passages = [citation["passage"] for citation in result["citations"]]
        assert max(map(passages.count, passages), default=0) <= 3
        assert {passage["id"] for passage in result["evidence"]} >= set(passages)
        uncited = [one for one in result["evidence"] if one["id"] not in passages]
        assert {one["found"] for one in uncited} <= {"retrieved"}  # by the search before
        if search == "text":
            quotes = {citation["quote"] for citation in result["citations"]}
            assert quotes & {point["text"] for point in result["points"]}
            read = [one["text"] for one in result["evidence"]]
            assert all(any(quote in text for text in read) for quote in quotes)
        assert bool(result["communities"]) == (search != "text")


@pytest.mark.slow
def test_korean_questions_find_korean_sentences_offline(indexing):
    documents = [{"id": title, "title": title, "text": text} for title, text in KOREAN.items()]
    indexing.run(documents=documents, context={"layers": ["communities"]})
    question = {"question": "훈민정음은 누가 창제하였습니까?"}
    for search in SEARCHES:
        context = GraphragContext(index=indexing.name, search=search)
        result = graph.invoke(question, context=context)
        quoted = " ".join(citation["quote"] for citation in result["citations"])
        assert "창제하였다" in quoted, search


@pytest.mark.slow
def test_an_index_without_communities_says_how_to_build_them(indexing, openai):
    indexing.run(documents=clustered(2), context={"layers": ["entities"]})
    for search in WITH_REPORTS:
        context = GraphragContext(index=indexing.name, search=search, model=MODEL)
        with pytest.raises(RagraphsError, match="ragraphs index --layers communities"):
            graph.invoke(ABOUT, context=context)
    assert openai.requests == []
    for search in WITHOUT_REPORTS:
        context = GraphragContext(index=indexing.name, search=search)
        assert graph.invoke(ABOUT, context=context)["method"] == "graphrag"
