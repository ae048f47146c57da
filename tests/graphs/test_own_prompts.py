"""Prompts in words of a caller's own, as settings that Studio shows at their nodes."""

from __future__ import annotations

import pytest
import ragraphs
from ragraphs.context.form import ADVANCED
from ragraphs.graphs import CONTEXTS, graph_of
from ragraphs.graphs.methods import METHODS
from ragraphs.prompts.lists import QUESTION_PROMPTS
from ragraphs.prompts.prompt import system_part
from ragraphs.state.errors import RagraphsError
from scripted_model import DOCUMENTS, MODEL, QUESTION, Script

WORDS = "You are the clerk of all bridges."


def schema_of(name: str) -> dict[str, dict]:
    return graph_of(name)[0].get_context_jsonschema()["properties"]


@pytest.mark.parametrize("name", [*METHODS, "router"])
def test_each_prompt_of_a_method_stands_at_nodes_that_there_are(name):
    nodes = set(graph_of(name)[0].nodes)
    prompts = {key: one for key, one in schema_of(name).items() if "langgraph_type" in one}
    known = {f"{prompt.name}_prompt" for prompt in QUESTION_PROMPTS}
    assert prompts.keys() <= known and "answer_prompt" in prompts
    for key, one in prompts.items():
        assert one["langgraph_type"] == "prompt" and set(one["langgraph_nodes"]) <= nodes
        assert one["default"] == system_part(key.removesuffix("_prompt"))
        assert one["metadata"]["x_oap_ui_config"]["type"] == "textarea"


def test_every_setting_has_the_field_of_a_form():
    fields = {k: one["metadata"]["x_oap_ui_config"] for k, one in schema_of("router").items()}
    assert fields["top_k"] | {"description": ""} == {
        **{"type": "number", "description": "", "default": 10, "min": 1, "max": 100}
    }
    assert {"label": "crag", "value": "crag"} in fields["method"]["options"]
    kinds = {name: fields[name]["type"] for name in ("where", "web_pages", "index", "max_cost")}
    assert list(kinds.values()) == ["json", "boolean", "text", "number"]
    assert all(schema_of("crag")[name]["group"] == "advanced" for name in ADVANCED & {"upper"})


@pytest.mark.parametrize("graph", ["basic", "router"])
def test_a_prompt_in_own_words_is_asked_and_its_reply_is_no_other_ones(tmp_path, openai, graph):
    index = str(tmp_path / "notes")
    ragraphs.build("index", index=index, embeddings="lexical").invoke({"documents": DOCUMENTS})
    script = Script(openai)
    chosen = {"method": "basic"} if graph == "router" else {}
    for words in (None, WORDS, WORDS):
        own = {"answer_prompt": words} if words else {}
        bound = ragraphs.build(graph, index=index, model=MODEL, **chosen, **own)
        assert bound.invoke({"question": QUESTION})["sufficient"]
    asked = [one.system for one in script.asked if one.kind == "Answer"]
    assert asked == [system_part("answer"), WORDS]  # the third was kept


def test_the_built_in_words_count_as_none():
    context = CONTEXTS["crag"](answer_prompt=system_part("answer"), rewrite_query_prompt=WORDS)
    assert context.prompts == {"rewrite_query": WORDS}
    assert context.narrowed(CONTEXTS["basic"]).prompts == {"rewrite_query": WORDS}
    assert CONTEXTS["crag"](prompts={"answer": WORDS}).prompts == {"answer": WORDS}


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"answer_prompt": " "}, "the prompt answer is empty"),
        ({"answer_prompt": "a" * 20_001}, "longer than 20,000"),
        ({"answer_prompt": 7}, "valid string"),
        ({"anser_prompt": WORDS}, "did you mean 'answer_prompt'"),
        ({"write_report_prompt": WORDS}, "no setting 'write_report_prompt'"),
    ],
)
def test_a_prompt_of_no_use_is_refused_in_a_sentence(given, words):
    with pytest.raises(RagraphsError, match=words):
        ragraphs.build("basic", **given)


def test_prompts_of_another_program_are_left_alone():
    from ragraphs.context.settled import settled

    mine = {"prompts": {"mine": "Be kind."}, "answer_prompt": "Be brief.", "top_k": 3}
    found = settled(mine, CONTEXTS["basic"])
    assert found.prompts == {} and found.top_k == 3
    ours = settled({"ragraphs": {"answer_prompt": WORDS}}, CONTEXTS["basic"])
    assert ours.prompts == {"answer": WORDS}
