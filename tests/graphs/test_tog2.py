"""The tog2 graph: from the question's entities along relations to the evidence."""

from __future__ import annotations

import json
import re

import pytest
from http_stub import Response
from pointed import as_written
from ragraphs.context import Tog2Context
from ragraphs.graphs.tog2 import graph
from stub_openai import failure

MODEL = "openai:stub"
TEXTS = {
    "Atomium": "The Atomium was designed by André Waterkeyn. It stands in Brussels.",
    "André Waterkeyn": "André Waterkeyn was born in Wimbledon. He studied in Mons.",
    "Wimbledon": "Wimbledon is a district of London. It is known for tennis.",
    "Brussels": "Brussels is the capital of Belgium.",
    "Mons": "Mons is a town in Belgium.",
}
DOCUMENTS = [{"id": title, "title": title, "text": text} for title, text in TEXTS.items()]
QUESTION = {"question": "In which city is the birthplace of the designer of the Atomium?"}
FACTS = {
    "Atomium": [
        ("Atomium", "was designed by", "André Waterkeyn"),
        ("Atomium", "stands in", "Brussels"),
    ],
    "André Waterkeyn": [
        ("André Waterkeyn", "was born in", "Wimbledon"),
        ("André Waterkeyn", "studied in", "Mons"),
    ],
    "Wimbledon": [("Wimbledon", "is a district of", "London")],
    "Brussels": [("Brussels", "is the capital of", "Belgium")],
    "Mons": [("Mons", "is a town in", "Belgium")],
}
CHAIN = (
    "Wimbledon is a district of London.",
    "André Waterkeyn was born in Wimbledon.",
    "The Atomium was designed by André Waterkeyn.",
)
NEEDED = ("designed", "born", "district")


class Script:
    """A model that extracts the facts above, scores relations and judges as a test says."""

    def __init__(self, openai):
        openai.answer = self
        self.openai = openai
        self.sufficient_after = 99
        self.needed = NEEDED
        self.bodies = {"topics": [], "scores": [], "judge": [], "answer": []}

    def __call__(self, body):
        human = body["messages"][1]["content"]
        if "Which entities should" in human:
            return self.note("topics", body, {"keep": ["1"]})
        if "worth following" in human:
            return self.note("scores", body, {"scores": self.scores(human)})
        if "Do the texts suffice" in human:
            enough = len(self.bodies["judge"]) >= self.sufficient_after
            clue = f"clue {len(self.bodies['judge']) + 1}"
            return self.note("judge", body, {"sufficient": enough, "clue": "" if enough else clue})
        if "Question:" not in human:
            return facts_of(human)
        quotes = [{"id": "1", "quote": quote} for quote in CHAIN if quote in as_written(human)]
        return self.note("answer", body, {"quotes": quotes, "sufficient": True, "answer": "London"})

    def scores(self, human):
        """0.9 for a statement with a needed word, 0.1 for all else."""
        stated = re.findall(r"^(\d+\.\d+) (.+)$", human, re.MULTILINE)
        good = {id: any(word in said for word in self.needed) for id, said in stated}
        return [{"id": id, "score": 0.9 if good[id] else 0.1} for id in good]

    def note(self, kind, body, reply):
        self.bodies[kind].append(body["messages"][1]["content"])
        return reply

    @property
    def calls(self):
        return sum(map(len, self.bodies.values()))


def facts_of(human):
    triples = FACTS[re.search(r'title="(.+?)"', human)[1]]
    names = dict.fromkeys(name for s, _, o in triples for name in (s, o))
    return {
        "entities": [{"name": name, "type": "place", "description": ""} for name in names],
        "relations": [{"source": s, "relation": r, "target": o} for s, r, o in triples],
    }


@pytest.fixture
def model(openai):
    return Script(openai)


@pytest.fixture
def ask(indexing, model, snapshots):
    context = {"layers": ["entities"], "model": MODEL}
    snapshots.fill(indexing.name, lambda: indexing.run(documents=DOCUMENTS, context=context))
    model.openai.requests.clear()

    def ask_it(question=QUESTION, **chosen):
        return graph.invoke(
            question, context=Tog2Context(index=indexing.name, **{"model": MODEL, **chosen})
        )

    return ask_it


@pytest.mark.slow
def test_the_walk_leads_over_entities_that_the_question_does_not_name(ask):
    result = ask()
    assert result["answer"] == "London"
    assert result["sufficient"]
    assert [topic["name"] for topic in result["topics"]] == ["Atomium"]
    assert {path["name"] for path in result["paths"]} >= {"André Waterkeyn", "Wimbledon"}


@pytest.mark.slow
def test_paths_are_told_as_triples_and_sentences(ask):
    longest = max(ask()["paths"], key=lambda path: len(path["triples"]))
    assert [triple["sentence"] for triple in longest["triples"][:2]] == [
        "Atomium was designed by André Waterkeyn.",
        "André Waterkeyn was born in Wimbledon.",
    ]


@pytest.mark.slow
def test_only_relations_that_score_enough_are_followed(ask, model):
    model.needed = ("designed",)
    names = {path["name"] for path in ask()["paths"]}
    assert "André Waterkeyn" in names
    assert "Brussels" not in names


@pytest.mark.slow
def test_clues_reach_the_next_round(ask, model):
    result = ask(depth=2, top_k=1)
    assert result["clues"] == ["clue 1", "clue 2"]
    assert "Still to be found: <text>clue 1</text>" in model.bodies["scores"][0]
    assert "Still to be found: <text>clue 2</text>" in model.bodies["scores"][1]


@pytest.mark.slow
def test_a_relation_is_not_walked_twice(ask, model):
    ask()
    first, *others = model.bodies["scores"]
    stated = "1.2 Atomium was designed by André Waterkeyn."
    assert f"The Atomium was designed by André Waterkeyn.\n{stated}" in first
    assert others
    assert not any("designed by" in body for body in others)


def test_a_relation_is_a_statement_under_a_sentence_only_where_that_names_both_ends(ask, model):
    ask(depth=1)
    shown = model.bodies["scores"][0]
    assert "\n1.1 Atomium stands in Brussels.\nThe Atomium was designed by" in shown
    assert "It stands in Brussels" not in shown and "→" not in shown


@pytest.mark.slow
def test_the_judge_sees_the_clues_that_were_tried(ask, model):
    ask(top_k=1)
    assert "Looked for before: nothing yet" in model.bodies["judge"][0]
    assert "Looked for before: <text>clue 1</text>" in model.bodies["judge"][1]


@pytest.mark.slow
@pytest.mark.parametrize("again", ["Clue 1", ""])
def test_the_walk_ends_where_no_new_clue_is_left(ask, model, again):
    script = model.openai.answer

    def repeating(body):
        asked = "Do the texts suffice" in body["messages"][1]["content"]
        reply = script(body)
        return {**reply, "clue": again} if asked and len(model.bodies["judge"]) > 1 else reply

    model.openai.answer = repeating
    result = ask(top_k=1)
    assert result["clues"] == ["clue 1"]
    assert len(model.bodies["judge"]) == 2


@pytest.mark.slow
def test_new_triples_are_news_for_the_judge_though_no_text_is_new(ask, model):
    result = ask()
    texts = [one for one in result["evidence"] if one["found"] != "triple"]
    assert len(texts) == len(TEXTS)  # from the first round on
    assert len(model.bodies["judge"]) == len(model.bodies["scores"]) == 3
    assert "designed by André Waterkeyn.\n</text>" not in model.bodies["judge"][0]
    assert ") Atomium was designed by André Waterkeyn." in model.bodies["judge"][1]


@pytest.mark.slow
def test_nobody_judges_the_same_texts_and_triples_twice(ask, model):
    model.needed = ("designed",)
    ask({"question": "Who designed the Atomium?"}, depth=3)
    judged = model.bodies["judge"]
    assert len({body.partition("Question:")[0] for body in judged}) == len(judged)


@pytest.mark.slow
def test_a_triple_that_no_sentence_states_is_cited_as_a_triple(ask, model):
    model.needed = ("stands",)
    script = model.openai.answer
    statement = "Atomium stands in Brussels."

    def quoting(body):
        reply, human = script(body), body["messages"][1]["content"]
        if "quotes" not in reply:
            return reply
        id = re.findall(rf'<text id="(\d+)"[^>]*>\n(?:\d+\.1 )?{statement}', human)[-1]
        return {**reply, "answer": "Brussels", "from": [f"{id}.1"], "quotes": []}

    model.openai.answer = quoting
    result = ask({"question": "Where does the Atomium stand?"})
    [citation] = result["citations"]
    assert (citation["kind"], citation["quote"]) == ("triple", statement)
    assert citation["start"] == citation["end"]
    assert (citation["document"], citation["title"]) == ("Atomium", "Atomium")
    assert (result["answer"], result["sufficient"]) == ("Brussels", True)
    [told] = [one for one in result["evidence"] if one["id"] == citation["passage"]]
    assert (told["found"], told["text"]) == ("triple", statement)


@pytest.mark.slow
def test_the_answer_sees_the_paths_that_the_judge_saw(ask, model):
    ask(depth=3, top_k=1)
    shown = "(text 1) Atomium was designed by André Waterkeyn."
    assert shown in model.bodies["judge"][-1]
    assert shown in model.bodies["answer"][0]


@pytest.mark.slow
def test_a_walked_triple_is_evidence_by_its_sentence(ask, model):
    result = ask(top_k=1)
    [born] = [one for one in result["evidence"] if one["title"] == "André Waterkeyn"]
    assert (born["text"], born["found"]) == ("André Waterkeyn was born in Wimbledon.", "triple")
    assert TEXTS["André Waterkeyn"][born["start"] : born["end"]] == born["text"]


@pytest.mark.slow
def test_a_quoted_triple_is_cited_by_the_sentence_that_it_was_read_from(ask, model):
    script = model.openai.answer
    triple = {"id": "9", "quote": "(text 1) Atomium was designed by André Waterkeyn."}

    def quoting(body):
        reply = script(body)
        return {**reply, "quotes": [triple]} if "quotes" in reply else reply

    model.openai.answer = quoting
    [citation] = ask()["citations"]
    assert citation["title"] == "Atomium"
    assert citation["quote"] == "The Atomium was designed by André Waterkeyn."


@pytest.mark.slow
@pytest.mark.parametrize("judged", [True, False])
@pytest.mark.parametrize(
    "doubt", [{"missing": "The city."}, {"quotes": [{"id": "1", "quote": "It stands in Rome."}]}]
)
def test_an_exhausted_walk_suffices_only_where_nothing_is_missing(ask, model, doubt, judged):
    script = model.openai.answer
    model.sufficient_after = 0 if judged else 99

    def doubting(body):
        reply = script(body)
        if "quotes" not in reply:
            return reply
        return {**reply, **doubt, "quotes": reply["quotes"] + doubt.get("quotes", [])}

    model.openai.answer = doubting
    assert ask()["sufficient"] == judged


@pytest.mark.slow
def test_the_walk_ends_when_the_evidence_suffices(ask, model):
    model.sufficient_after = 0
    result = ask()
    assert model.bodies["scores"] == []
    assert result["paths"] == []
    assert result["answer"] == "London"


@pytest.mark.slow
@pytest.mark.parametrize("depth", [1, 2, 3])
def test_calls_keep_the_bound_of_the_paper(ask, model, depth):
    ask(
        {"question": "Atomium, Brussels, Mons and Wimbledon: where was the designer born?"},
        depth=depth,
    )
    tried = len(model.bodies["answer"]) - 1  # of an answer that rules doubt
    assert model.calls - tried <= 2 * depth + (depth - 1) + 1


@pytest.mark.slow
def test_many_topics_are_pruned_by_the_model(ask, model):
    ask({"question": "Are Brussels, Mons and Wimbledon in Belgium?"})
    assert len(model.bodies["topics"]) == 1
    assert 'title="Brussels"' in model.bodies["scores"][0]
    assert 'title="Mons"' not in model.bodies["scores"][0]


def test_a_name_that_is_written_otherwise_is_linked_to_the_nearest(ask):
    result = ask({"question": "Which works are André Waterkeyns?"})
    assert [(topic["name"], topic["how"]) for topic in result["topics"]] == [
        ("André Waterkeyn", "embedding")
    ]


def test_a_name_that_is_like_none_is_not_linked(ask):
    result = ask({"question": "Who is the designer of Xyzzy?"})
    assert result["topics"] == []


def test_without_an_entity_what_the_retriever_finds_is_read(ask, model):
    result = ask({"question": "Which of them is known for tennis?"})
    assert result["topics"] == result["paths"] == []
    assert "Wimbledon" in {passage["title"] for passage in result["evidence"]}
    assert model.calls == len(model.bodies["answer"])


@pytest.mark.slow
def test_at_the_last_round_the_best_evidence_is_used(ask, model):
    model.needed = ()
    result = ask()
    assert result["paths"] == []
    assert result["evidence"][0]["title"] == "Atomium"
    assert result["answer"]


@pytest.mark.slow
@pytest.mark.parametrize("reply", ["no json", Response({}, 500), {"scores": "none"}])
def test_where_the_model_gives_no_scores_relations_are_followed_alike(ask, model, reply):
    script = model.openai.answer
    model.openai.answer = lambda body: (
        reply if "worth following" in body["messages"][1]["content"] else script(body)
    )
    result = ask(max_retries=0)
    assert any("followed alike" in warning for warning in result["warnings"])
    assert {path["name"] for path in result["paths"]} >= {"André Waterkeyn", "Brussels"}


@pytest.mark.slow
def test_a_model_that_fails_everywhere_leaves_the_evidence(ask, model):
    model.openai.answer = lambda _: failure(400, "no")
    result = ask(depth=1)
    assert result["stop_reason"] == "model_failed"
    assert result["evidence"]


@pytest.mark.slow
@pytest.mark.parametrize("most", [1, 2, 3, 4])
def test_one_call_is_kept_for_the_answer(ask, model, most):
    result = ask(max_calls=most)
    assert model.calls <= most
    assert result["answer"] == "London"


@pytest.mark.slow
def test_the_passages_say_how_they_were_found(ask):
    found = {passage["title"]: passage["found"] for passage in ask()["evidence"]}
    assert found["Atomium"] == "topic"
    assert found["Wimbledon"] == "path"


@pytest.mark.slow
def test_the_output_is_plain_json(ask):
    result = ask()
    assert json.loads(json.dumps(result)) == result


def test_as_printed_the_evidence_is_the_context_of_the_last_round_by_its_triples(ask, indexing):
    result = ask(as_printed=True, depth=1, top_k=3)
    reached = {path["name"] for path in result["paths"]}
    assert reached == {"André Waterkeyn"}
    shown = [passage for passage in result["evidence"] if passage["found"] == "path"]
    assert {passage["title"] for passage in shown} == {"Atomium", "André Waterkeyn"}
    [triple] = {triple["sentence"] for path in result["paths"] for triple in path["triples"]}
    embed = indexing.index.embedder.embed
    best = shown[0]
    wanted = f"{QUESTION['question']} {result['clues'][0]}"
    texts = [f"{triple} {best['title']}\n{best['text']}", wanted]
    said, asked = embed(texts)
    assert best["score"] == pytest.approx(float(said @ asked), abs=1e-4)
