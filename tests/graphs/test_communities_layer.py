"""The communities layer of the index: hierarchy, reports, failures, restart."""

from __future__ import annotations

import asyncio
import threading
from itertools import combinations

import pytest
from communities_support import (
    MODEL,
    NAMES,
    Script,
    Together,
    build,
    build_from_triples,
    clustered,
    lines_of,
    partitions,
)
from http_stub import Response
from ragraphs.graphs.index import graph as index_graph
from ragraphs.index.layers import COMMUNITIES
from ragraphs.index.report_material import ASIDE_RATING
from ragraphs.language.mentions import normalised
from ragraphs.stores.communities import ASSEMBLED
from ragraphs.views.status import describe
from stub_openai import failure

FEW = clustered(20, each=5)
PAIR = {"id": "pair", "title": "Ann Lee", "text": "Ann Lee knows Bob Ray."}


@pytest.fixture
def model(openai):
    return Script(openai)


def communities(indexing):
    return indexing.index.communities.all()


def writers(indexing):
    return {one.writer for one in communities(indexing)}


def members_of(indexing):
    found = {}
    for id, entity in indexing.index.communities.members():
        found.setdefault(id, []).append(entity)
    return found


def holds(indexing, community, name):
    (entity,) = indexing.index.entities.named([normalised(name)])[normalised(name)]
    return entity in indexing.index.communities.members_of(community)


@pytest.mark.slow
def test_every_entity_is_in_exactly_one_community_at_every_level(indexing, model):
    build(indexing, [*FEW, PAIR])
    entities = sorted(entity.id for entity in indexing.index.entities.all_entities())
    members = members_of(indexing)
    levels = partitions(indexing)
    assert len(levels) == 2 and len(entities) == 22
    for level in levels:
        assert sorted(entity for id in level for entity in members[id]) == entities
    assert [len(members[id]) for id in sorted(levels[0], key=lambda id: len(members[id]))] == [
        2,
        10,
        10,
    ]


@pytest.mark.slow
def test_every_community_has_a_report_whose_findings_lead_to_passages(indexing, model):
    build(indexing, FEW)
    texts = {one["id"]: one["text"] for one in indexing.index.catalogue.all_passages()}
    assert writers(indexing) == {MODEL}
    for community in communities(indexing):
        findings = [f for f in community.report["findings"] if " knows " in f["statement"]]
        assert findings
        for finding in findings:
            assert all(finding["statement"] in texts[id] for id in finding["passages"])
            assert finding["passages"]


@pytest.mark.slow
def test_a_report_that_repeats_the_example_of_its_prompt_is_not_kept(indexing, model):
    model.answers["CommunityReport"] = {
        "title": "Vint Mill and Orlo Vint",
        "summary": "Orlo Vint, a miller, built Vint Mill in 1804.",
        "rating": 7,
        "findings": [{"statement": "Orlo Vint built Vint Mill in 1804.", "evidence": ["902"]}],
    }
    result = build(indexing, FEW)
    assert writers(indexing) == {ASSEMBLED}
    assert any("wrote no report" in warning for warning in result["warnings"])


@pytest.mark.slow
def test_a_finding_without_a_line_rests_on_the_line_most_like_it(indexing, model):
    model.answers["CommunityReport"] = lambda human: {
        **model.communityreport(human),
        "findings": [f"{NAMES[3]} is said to know {NAMES[4]}"],
    }
    build(indexing, FEW)
    whole = next(one for one in communities(indexing) if holds(indexing, one.id, NAMES[3]))
    (finding,) = whole.report["findings"]
    (passage,) = indexing.index.catalogue.passages(finding["passages"])
    assert f"{NAMES[3]} knows {NAMES[4]}." in passage["text"]


@pytest.mark.slow
def test_a_parent_that_does_not_fit_is_written_from_its_childrens_reports_and_their_findings(
    indexing, model
):
    model.openai.otherwise = slow_reports(model.openai.otherwise)
    build(indexing, FEW, report_tokens=200)
    asked = [r for r in model.openai.requests if "Write the report" in str(r.body)]
    parents = [request for request in asked if children_in(request)]
    assert len(parents) == 2
    reports = {one.report["title"]: one for one in communities(indexing) if one.level}
    for parent in parents:
        for title, summary in children_in(parent):
            child = reports[title]
            assert summary.startswith(child.report["summary"])
            assert child.report["findings"][0]["statement"] in summary
            (request,) = [r for r in asked if r not in parents and circle_of(r) == title]
            assert request.ended <= parent.began


def slow_reports(otherwise):
    def respond(path, body):
        response = otherwise(path, body)
        response.seconds = 0.1 if "Write the report" in str(body) else 0
        return response

    return respond


def children_in(request):
    """The titles and summaries of the reports that a report is written from."""
    lines = lines_of(request.body["messages"][1]["content"])
    return [(title, said) for _, kind, title, said in lines if kind == "Report"]


def circle_of(request):
    lines = lines_of(request.body["messages"][1]["content"])
    return f"Circle of {next(title for _, kind, title, _ in lines if kind == 'Entity')}"


@pytest.mark.slow
def test_a_parent_that_fits_is_written_from_all_its_elements(indexing, model):
    build(indexing, FEW)
    asked = model.of("CommunityReport")
    parent = max((lines_of(human) for human in asked), key=len)
    kinds = [kind for _, kind, _, _ in parent]
    counts = indexing.index.entities.counts()
    assert kinds.count("Entity") == counts["entities"] / 2 == 10
    assert kinds.count("Relation") == (counts["relations"] - 1) / 2
    assert "Report" not in kinds


@pytest.mark.slow
def test_a_relation_is_told_with_the_sentence_that_states_it_as_far_as_there_is_room(
    indexing, model
):
    def facts(human):
        found = model.facts(human)
        told = [{**one, "relation": "is acquainted with"} for one in found["relations"]]
        return {**found, "relations": told}

    model.answers["Facts"] = facts
    build(indexing, FEW)
    first, second = NAMES[:2]
    whole = f"{first} is acquainted with {second}: {first} knows {second}."
    asked = model.of("CommunityReport")
    assert whole in [text for human in asked for *_, text in lines_of(human)]
    model.asked.clear()
    build(indexing, report_tokens=500)
    lines = [one for human in model.of("CommunityReport") for one in lines_of(human)]
    told = [": " in text for _, kind, _, text in lines if kind == "Relation"]
    assert 0 < sum(told) < len(told)


@pytest.mark.slow
def test_claims_stand_in_a_report_after_their_subjects(indexing, model):
    claim = {
        "subject": NAMES[0],
        "object": "",
        "type": "award",
        "status": "suspected",
        "description": f"{NAMES[0]} won a medal.",
        "quote": "",
        "start_date": "1901",
        "end_date": "1902",
    }
    model.answers["Facts"] = lambda human: {
        **model.facts(human),
        "claims": [claim] if f'title="{NAMES[0]}"' in human else [],
    }
    build(indexing, FEW, claims=True)
    lines = max(map(lines_of, model.of("CommunityReport")), key=len)
    said = {text: int(place) for place, _, _, text in lines}
    subject = next(
        int(place) for place, kind, title, _ in lines if (kind, title) == ("Entity", NAMES[0])
    )
    assert said[f"Claim (suspected, 1901 – 1902): {NAMES[0]} won a medal."] > subject


@pytest.mark.slow
def test_small_communities_cost_no_request_and_say_what_is_known(indexing, model):
    build(indexing, [PAIR])
    assert model.of("CommunityReport") == []
    (pair,) = communities(indexing)
    assert pair.writer == ASSEMBLED
    assert pair.report["title"] in {"Ann Lee, Bob Ray", "Bob Ray, Ann Lee"}
    assert "Ann Lee is a person." in pair.report["summary"]
    assert [f["statement"] for f in pair.report["findings"]] == ["Ann Lee knows Bob Ray."]
    (passage,) = indexing.index.catalogue.all_passages()
    assert pair.report["findings"][0]["passages"] == [passage["id"]]


@pytest.mark.slow
def test_what_one_passage_of_a_longer_document_tells_costs_no_request(indexing, model):
    known = NAMES[30:36]
    aside = " ".join(f"{a} knows {b}." for a, b in combinations(known, 2))
    padding = " ".join(f"{a} knows {b}." for a, b in combinations(NAMES[:4], 2))
    long = {"id": "long", "title": "Long", "text": f"{aside}\n\n{padding}"}
    short = {"id": "short", "title": "Short", "text": aside.replace(known[0], NAMES[40])}
    build(indexing, [*FEW, long], chunk_tokens=150, chunk_overlap=0, max_cluster_size=20)
    assert len(indexing.index.catalogue.passages_of(["long"])["long"]) > 1
    (told,) = [one for one in communities(indexing) if holds(indexing, one.id, known[0])]
    assert (told.writer, told.report["rating"]) == (ASSEMBLED, ASIDE_RATING)
    assert not any(known[0] in human for human in model.of("CommunityReport"))
    build(indexing, [*FEW, long, short], chunk_tokens=150, chunk_overlap=0, max_cluster_size=20)
    assert any(known[1] in human for human in model.of("CommunityReport"))


@pytest.mark.slow
@pytest.mark.parametrize(
    "broken", [failure(400, "no"), Response({}, 500), "no JSON", {"title": "only"}]
)
def test_where_the_model_fails_reports_are_assembled_and_asked_for_again(indexing, model, broken):
    model.answers["CommunityReport"] = broken
    result = build(indexing, FEW)
    assert writers(indexing) == {ASSEMBLED}
    count = len(communities(indexing))
    assert any(
        f"wrote no report on {count} communities" in warning for warning in result["warnings"]
    )
    assert all(one.report["findings"] for one in communities(indexing))
    assert len(indexing.index.vectors.ids("reports")) == count
    del model.answers["CommunityReport"]
    assert indexing.run()["warnings"] == []
    assert writers(indexing) == {MODEL}
    assert len(indexing.index.vectors.ids("reports")) == count
    before = len(model.asked)
    indexing.run()
    assert len(model.asked) == before


@pytest.mark.slow
def test_a_model_that_does_not_reply_is_not_asked_for_every_community(indexing, model):
    model.answers["CommunityReport"] = lambda _: Response({}, 500)
    build_from_triples(indexing, clustered(100, each=5))
    result = build(indexing, concurrency=2)
    assert len(model.of("CommunityReport")) < 20 < len(communities(indexing))
    assert writers(indexing) == {ASSEMBLED}
    assert any("wrote no report on 40 communities" in warning for warning in result["warnings"])


@pytest.mark.slow
def test_one_failed_report_does_not_cost_the_others(indexing, model):
    model.answers["CommunityReport"] = lambda human: (
        failure(400, "no") if len(lines_of(human)) > 25 else model.communityreport(human)
    )
    build(indexing, FEW)
    written = {one.writer: one.level for one in communities(indexing)}
    assert written == {ASSEMBLED: 0, MODEL: 1}
    assert len(indexing.index.vectors.ids("reports")) == len(communities(indexing))


@pytest.mark.slow
def test_good_parts_of_a_malformed_report_are_kept(indexing, model):
    model.answers["CommunityReport"] = {
        "title": "A circle",
        "summary": "They know each other.",
        "rating": "12/10",
        "findings": [None, "They met.", {"statement": "They know.", "evidence": "line 99, 2"}],
    }
    result = build(indexing, FEW)
    report = communities(indexing)[0].report
    assert report["rating"] == 10
    assert [finding["statement"] for finding in report["findings"]] == ["They met.", "They know."]
    assert all(finding["passages"] for finding in report["findings"])
    assert any("malformed items of a write_report" in warning for warning in result["warnings"])


@pytest.mark.slow
async def test_an_interrupted_run_is_completed_without_asking_anything_twice(
    indexing, other, model
):
    reached, free = threading.Event(), threading.Event()

    def stop_at_the_third(human):
        if len(model.of("CommunityReport")) == 3:
            reached.set()
            free.wait(10)
        return model.communityreport(human)

    model.answers["CommunityReport"] = stop_at_the_third
    await asyncio.to_thread(build, indexing, FEW, ["entities"])
    context = indexing.context(
        model=MODEL, layers=["communities"], concurrency=1, max_cluster_size=5
    )
    run = asyncio.create_task(index_graph.ainvoke({}, context=context))
    while not (reached.is_set() or run.done()):
        await asyncio.sleep(0.01)
    run.cancel()
    with pytest.raises(asyncio.CancelledError):
        await run
    free.set()
    answered = model.of("CommunityReport")[:2]
    await asyncio.to_thread(build, indexing)
    assert not set(answered) & set(model.of("CommunityReport")[3:])
    await asyncio.to_thread(build, other, FEW)
    assert indexing.export() == other.export()


@pytest.mark.slow
def test_reports_are_asked_for_side_by_side(indexing, model):
    model.answers["CommunityReport"] = Together(8, model.communityreport)
    build_from_triples(indexing, clustered(40, each=5))
    model.openai.most_in_flight = 0
    build(indexing, concurrency=8)
    assert model.openai.most_in_flight == 8


@pytest.mark.slow
def test_an_unchanged_index_asks_nothing_and_writes_no_report(indexing, model, monkeypatch):
    build(indexing, FEW)
    before, stamp = len(model.asked), COMMUNITIES.stamp(indexing.index)
    written = []
    monkeypatch.setattr(type(indexing.index.communities), "put_reports", written.append)
    monkeypatch.setattr(type(indexing.index.communities), "replace", written.append)
    build(indexing, FEW)
    assert (len(model.asked), COMMUNITIES.stamp(indexing.index), written) == (before, stamp, [])


@pytest.mark.slow
def test_settings_are_kept_until_others_are_named(indexing, model):
    build(indexing, FEW)
    first = len(partitions(indexing))
    indexing.run(context={"layers": ["communities"]})
    assert len(partitions(indexing)) == first == 2
    indexing.run(context={"max_cluster_size": 10})
    assert len(partitions(indexing)) == 1
    asked = len(model.of("CommunityReport"))
    indexing.run(context={"report_tokens": 200})
    assert len(model.of("CommunityReport")) == asked + 2
    assert describe(indexing.index)["communities"] == 2


@pytest.mark.slow
def test_every_report_has_one_vector_that_leads_to_it(indexing, model):
    build(indexing, FEW)
    vectors = indexing.index.vectors.ids("reports")
    assert sorted(id.partition("-")[0] for id in vectors) == sorted(
        one.id for one in communities(indexing)
    )


@pytest.mark.slow
def test_an_element_larger_than_the_context_does_not_stop_the_run(indexing, model):
    model.answers["Facts"] = lambda human: {
        **(facts := model.facts(human)),
        "entities": [{**one, "description": "word " * 400} for one in facts["entities"]],
    }
    text = " ".join(f"{a} knows {b}." for a, b in combinations(NAMES[:4], 2))
    build(indexing, [{"id": "1", "title": "t", "text": text}], report_tokens=200)
    (clique,) = communities(indexing)
    assert (clique.size, clique.writer) == (4, ASSEMBLED)
    assert clique.report["title"] and clique.report["findings"]
    assert model.of("CommunityReport") == []
