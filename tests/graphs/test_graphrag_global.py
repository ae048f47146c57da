"""Global search of the graphrag graph: map over reports or passages, then combine."""

from __future__ import annotations

import pytest
from communities_support import MODEL, NAMES, Together, texts_of
from graphrag_support import Asking
from ragraphs.index.communities import load_communities, report_text
from ragraphs.index.report_material import passages_of
from ragraphs.language.analyser import count_tokens
from ragraphs.state.usage import total_calls, total_tokens
from stub_openai import failure, long_replies


@pytest.fixture
def ask(communities_index, tmp_path, openai):
    return Asking(communities_index, tmp_path, openai)


def reports_at(ask, level):
    view = load_communities(ask.index)
    return {id: (view.report(id)["title"], report_text(view.report(id))) for id in view.at(level)}


def batches(ask):
    """The titles and texts of every map request."""
    return [
        [(title, text) for _, title, text in texts_of(human)] for human in ask.model.of("Points")
    ]


def scored(scores):
    """A model that gives the texts of a request these scores, one after the other."""
    left = iter(scores)

    def points(human):
        return {
            "points": [
                {"point": f"Point {score}: {title}", "score": score, "evidence": [id]}
                for (id, title, _), score in zip(texts_of(human), left, strict=False)
            ]
        }

    return points


def shown_points(ask):
    (human,) = ask.model.of("CombinedAnswer")
    return [(title, text) for _, title, text in texts_of(human)]


@pytest.mark.slow
def test_every_report_of_a_level_is_read_once_in_contexts_within_the_limit(ask):
    for level, limit in ((0, 500), (1, 500), (1, 700)):
        before = len(ask.model.of("Points"))
        ask(level=level, context_tokens=limit)
        read = batches(ask)[before:]
        assert len(read) > level
        assert sorted(text for batch in read for text in batch) == sorted(
            reports_at(ask, level).values()
        )
        for batch in read:
            assert sum(count_tokens(f"{title}\n{text}") for title, text in batch) <= limit


@pytest.mark.slow
def test_batches_are_read_side_by_side(ask):
    ask.model.answers["Points"] = Together(3, ask.model.points)
    ask(context_tokens=500)
    assert ask.model.openai.most_in_flight == len(ask.model.of("Points")) == 3


@pytest.mark.slow
def test_reports_are_shuffled_the_same_way_every_time(ask, communities_index, tmp_path, openai):
    ask(context_tokens=500)
    order = sorted(batches(ask))
    another = Asking(communities_index, tmp_path / "again", openai)
    another(context_tokens=500)
    assert sorted(batches(another)) == order


def test_the_reduce_step_sees_the_points_that_score_best_first(ask):
    ask.model.answers["Points"] = scored([0, 30, 90, 0, 60, 10])
    result = ask()
    assert [title for title, _ in shown_points(ask)] == [f"Score {n}" for n in (90, 60, 30, 10)]
    assert [point["score"] for point in result["points"]] == [90, 60, 30, 10]
    assert all(len(point["communities"]) == 1 for point in result["points"])


@pytest.mark.slow
def test_the_reduce_step_takes_the_best_points_that_fit(ask):
    ask.model.answers["Points"] = lambda human: {
        "points": [
            {"point": f"{n}: {'long ' * 40}", "score": n, "evidence": ["1"]} for n in range(1, 41)
        ]
    }
    result = ask(context_tokens=800)
    shown = shown_points(ask)
    assert 1 < len(shown) < len(result["points"])
    assert sum(count_tokens(text) for _, text in shown) <= 800
    scores = sorted((point["score"] for point in result["points"]), reverse=True)
    assert [title for title, _ in shown] == [f"Score {score:.0f}" for score in scores[: len(shown)]]


def test_citations_lead_through_points_and_reports_to_sentences_of_documents(ask):
    result = ask(level=0)
    assert (result["sufficient"], result["stop_reason"]) == (True, "answered")
    texts = {one["document"]: one["text"] for one in ask.index.catalogue.all_passages()}
    assert result["citations"]
    for citation in result["citations"]:
        quoted = texts[citation["document"]][citation["start"] : citation["end"]]
        assert quoted == citation["quote"] != ""
    quotes = {citation["quote"] for citation in result["citations"]}
    assert {point["text"] for point in result["points"]} <= quotes
    cited = {citation["passage"] for citation in result["citations"]}
    assert {passage["id"] for passage in result["evidence"]} == cited
    assert {passage["found"] for passage in result["evidence"]} == {"community"}
    behind = {id for point in result["points"] for id in point["communities"]}
    assert {one["id"] for one in result["communities"]} == behind == set(reports_at(ask, 0))
    assert {one["level"] for one in result["communities"]} == {0}


def test_a_point_that_no_sentence_states_is_marked_and_no_answer_rests_on_such_points(ask):
    invented = f"{NAMES[0]} betrayed {NAMES[1]}."
    ask.model.answers["Points"] = lambda human: {
        "points": [*ask.model.points(human)["points"], point(invented, 90)]
    }
    ask.model.answers["CombinedAnswer"] = {"answer": "A.", "used": ["1", "2"], "sufficient": True}
    result = ask(level=0)
    marked = {one["text"]: bool(one["citations"]) for one in result["points"]}
    assert marked.pop(invented) is False
    assert all(marked.values())
    assert (result["answer"] != "", result["sufficient"]) == (True, False)
    assert any(invented in warning for warning in result["warnings"])
    others = [str(place) for place in range(1, len(marked) + 2)]
    ask.model.answers["CombinedAnswer"] = lambda human: second(human, others)
    assert ask({"question": "Who knows whom still?"}, level=0)["sufficient"]


def second(human, used):
    """A combined answer that says the second point."""
    return {"answer": texts_of(human)[1][2], "used": used, "sufficient": True, "general": ""}


def test_an_answer_from_all_reports_is_held_to_the_rules_as_others_are(ask):
    told = {"answer": "Karl Lund", "used": ["1", "2"], "sufficient": True, "general": ""}
    ask.model.answers["CombinedAnswer"] = told
    result = ask(level=0)
    assert (result["answer"], result["sufficient"]) == ("Karl Lund", False)
    assert result["missing"] == ["No cited sentence supports “Karl Lund”."]


def point(text, score):
    return {"point": text, "score": score, "evidence": ["1"]}


@pytest.mark.parametrize(("sufficient", "missing"), [(False, ["Why?"]), (True, [])])
def test_what_is_missing_is_told_where_the_points_do_not_suffice(ask, sufficient, missing):
    ask.model.answers["CombinedAnswer"] = lambda human: {
        **second(human, ["1", "2"]),
        "sufficient": sufficient,
        "missing": "Why?",
    }
    result = ask(level=0)
    assert (result["sufficient"], result["missing"]) == (sufficient, missing)


@pytest.mark.slow
def test_the_texts_of_a_request_stand_in_the_order_of_the_documents(ask):
    ask(search="text", context_tokens=500)
    passages = [one["text"] for one in ask.index.catalogue.all_passages()]
    places = [[passages.index(text) for _, text in batch] for batch in batches(ask)]
    assert len(places) > 2 and all(batch == sorted(batch) for batch in places)
    runs = [list(range(batch[0], batch[0] + len(batch))) for batch in places]
    assert places != runs  # which texts are read together is drawn
    ask()
    (titles,) = [[title for title, _ in batch] for batch in batches(ask)[len(places) :]]
    view = load_communities(ask.index)
    order = {one["id"]: place for place, one in enumerate(ask.index.catalogue.all_passages())}
    begins = {
        view.report(id)["title"]: min(order[one] for one in passages_of(view.report(id)))
        for id in view.at(1)
    }
    assert [begins[title] for title in titles] == sorted(begins.values())


def test_reports_on_what_is_told_in_passing_are_not_read_where_there_are_others(ask):
    stored = ask.index.communities
    reports = {one.id: one.report for one in stored.all()}
    rated = {id: ({**report, "rating": 1.0}, MODEL) for id, report in reports.items()}
    kept = reports_at(ask, 0)
    weighty = min(kept)
    stored.put_reports({**rated, weighty: (reports[weighty], MODEL)})
    assert {one["id"] for one in again(ask)(level=0)["communities"]} == {weighty}
    stored.put_reports(rated)
    assert {one["id"] for one in again(ask)(level=0)["communities"]} == set(kept)


def again(ask):
    """The same questions to an index that is opened anew."""
    ask.index.kept.clear()
    return ask


def test_only_the_points_that_the_answer_uses_are_cited(ask):
    used = {"answer": "A.", "used": ["2", "99"], "sufficient": True, "general": ""}
    ask.model.answers["CombinedAnswer"] = used
    result = ask(level=0)
    second = sorted(result["points"], key=lambda one: (-one["score"], one["text"]))[1]
    assert [one["id"] for one in result["communities"]] == second["communities"]
    assert len(result["citations"]) <= 2


@pytest.mark.slow
def test_what_the_model_knows_besides_is_marked_and_only_on_request(ask):
    ask.model.answers["CombinedAnswer"] = lambda human: {
        "answer": "From the reports.",
        "used": ["1"],
        "sufficient": True,
        "general": "Well known.",
    }
    assert ask()["answer"] == "From the reports."
    assert "General knowledge: no" in ask.model.of("CombinedAnswer")[-1]
    answer = ask(general_knowledge=True)["answer"]
    assert answer == "From the reports.\n\n[General knowledge] Well known."
    assert "General knowledge: yes" in ask.model.of("CombinedAnswer")[-1]


def test_too_many_reports_for_the_limit_of_requests_are_told_and_the_weightiest_kept(ask):
    result = ask(context_tokens=500, max_calls=3)
    assert len(ask.model.asked) == 3
    warning, *_ = result["warnings"]
    assert "were left out" in warning and "--max-calls" in warning
    view = load_communities(ask.index)
    ratings = {view.report(id)["title"]: view.report(id)["rating"] for id in view.at(1)}
    read = [title for batch in batches(ask) for title, _ in batch]
    assert min(ratings[title] for title in read) >= max(
        rating for title, rating in ratings.items() if title not in read
    )
    assert result["answer"]


@pytest.mark.slow
def test_a_part_that_could_not_be_read_is_told_and_the_rest_answers(ask):
    ask.model.answers["Points"] = lambda human: (
        failure(400, "no") if NAMES[0] in human else ask.model.points(human)
    )
    result = ask(context_tokens=900)
    assert any("part of the corpus was not read" in warning for warning in result["warnings"])
    assert result["answer"] and result["points"]


@pytest.mark.parametrize("search", ["global", "text"])
@pytest.mark.parametrize("points", [[], [{"point": "Nothing.", "score": 0, "evidence": []}]])
def test_without_a_point_there_is_no_evidence_and_no_answer(ask, search, points):
    ask.model.answers["Points"] = {"points": points}
    result = ask(search=search)
    assert (result["answer"], result["stop_reason"]) == ("", "no_evidence")
    assert ask.model.of("CombinedAnswer") == []


def test_dynamic_search_descends_only_where_the_model_says(ask):
    view = load_communities(ask.index)
    wanted = next(id for id in view.at(0) if NAMES[0] in report_text(view.report(id)))
    title = view.report(wanted)["title"]
    below = view.children[wanted]

    def keep(human):
        shown = texts_of(human)
        at_root = {t for _, t, _ in shown} == {view.report(id)["title"] for id in view.at(0)}
        return {"keep": [id for id, t, _ in shown if not at_root or t == title]}

    ask.model.answers["KeptTexts"] = keep
    result = ask(search="dynamic")
    rated = [{t for _, t, _ in texts_of(human)} for human in ask.model.of("KeptTexts")]
    assert rated == [
        {view.report(id)["title"] for id in view.at(0)},
        {view.report(id)["title"] for id in below},
    ]
    assert {one["id"] for one in result["communities"]} == set(below)


def test_dynamic_search_reads_a_parent_none_of_whose_children_is_kept(ask):
    view = load_communities(ask.index)
    roots = {view.report(id)["title"] for id in view.at(0)}
    ask.model.answers["KeptTexts"] = lambda human: {
        "keep": [id for id, title, _ in texts_of(human) if "10 lines" in human or title in roots][
            :4
        ]
        if len(texts_of(human)) == len(roots)
        else []
    }
    result = ask(search="dynamic")
    assert {one["id"] for one in result["communities"]} == set(view.at(0))


def test_dynamic_search_that_keeps_nothing_reads_nothing(ask):
    ask.model.answers["KeptTexts"] = {"keep": []}
    result = ask(search="dynamic")
    assert result["stop_reason"] == "no_evidence"
    assert ask.model.counts == {"KeptTexts": 1}


@pytest.mark.slow
def test_text_search_is_the_same_over_all_passages(ask):
    result = ask(search="text", context_tokens=700)
    passages = list(ask.index.catalogue.all_passages())
    read = batches(ask)
    assert len(read) > 2
    assert sorted(text for batch in read for text in batch) == sorted(
        (one["title"], one["text"]) for one in passages
    )
    assert {id for point in result["points"] for id in point["passages"]} == {
        one["id"] for one in passages
    }
    assert result["communities"] == []
    texts = {one["id"]: one for one in passages}
    for citation in result["citations"]:
        passage = texts[citation["passage"]]
        assert passage["text"][citation["start"] : citation["end"]] == citation["quote"]


@pytest.mark.parametrize("most", [2, 3, 5])
def test_the_limit_of_requests_holds_with_malformed_replies_too(ask, most):
    ask.model.answers["Points"] = lambda human: (
        "no JSON" if NAMES[0] in human else ask.model.points(human)
    )
    ask(context_tokens=700, max_calls=most)
    assert len(ask.model.asked) <= most


def test_the_limit_reached_before_the_answer_is_told(ask):
    result = ask(max_calls=1)
    assert (result["answer"], result["sufficient"]) == ("", False)
    assert result["warnings"] and len(ask.model.asked) <= 1


def test_a_model_that_cannot_be_reached_is_told(ask):
    ask.model.openai.answer = lambda _: failure(500, "down")
    result = ask()
    assert (result["answer"], result["sufficient"]) == ("", False)
    assert any("did not reply" in warning for warning in result["warnings"])


def test_a_reduce_step_that_fails_is_told(ask):
    ask.model.answers["CombinedAnswer"] = "no JSON"
    result = ask()
    assert (result["answer"], result["stop_reason"]) == ("", "model_failed")
    assert result["points"] and result["warnings"]


def test_maps_side_by_side_go_over_the_limit_by_one_reply_at_most(ask, monkeypatch):
    long_replies(monkeypatch, 5000)
    result = ask(level=1, context_tokens=500, max_tokens=3000)
    assert total_calls(result["usage"]) == 1
    assert total_tokens(result["usage"]) <= 3000 + 5000
    assert any("(--max-tokens)" in one for one in result["warnings"])


@pytest.mark.slow
@pytest.mark.parametrize(("search", "kind"), [("global", "CombinedAnswer"), ("local", "Answer")])
def test_the_form_of_the_answer_is_asked_for_in_words(ask, search, kind):
    ask(search=search)
    ask(search=search, response_type="a list\nof two points")
    plain, formed = ask.model.of(kind)
    assert "Form of the answer" not in plain
    assert formed.replace("\n\nForm of the answer: a list of two points", "") == plain
