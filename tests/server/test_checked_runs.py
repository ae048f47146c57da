"""Requests to the server that no graph can take."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError
from ragraphs.context import Context, RouterContext
from ragraphs.graphs import CONTEXTS
from ragraphs.server.checked_runs import problem_of

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.sampled_from(["context", "a"]), inner),
    max_leaves=10,
)


@given(st.sampled_from(sorted(CONTEXTS)), st.text(), st.text() | st.sampled_from(["top_k"]))
def test_a_context_is_refused_for_each_key_that_its_graph_does_not_have(graph, first, second):
    context = {first: 3, second: 2}
    body = json.dumps({"assistant_id": graph, "context": context}).encode()
    unknown = [name for name in context if name not in CONTEXTS[graph].model_fields]
    problem = problem_of(body)
    assert not unknown or repr(unknown[0][:50]) in problem
    assert unknown or not problem or "cannot be used" in problem


@given(JSON, st.binary())
def test_bodies_of_any_form_are_read_without_an_error(body, broken):
    assert isinstance(problem_of(json.dumps(body).encode()), str)
    assert problem_of(b'"context"' + broken) == ""


def test_all_graphs_of_the_server_have_their_settings_here():
    assert CONTEXTS["router"] is RouterContext and len(CONTEXTS) == 8


def test_an_assistant_that_is_not_known_may_have_any_setting_of_a_graph():
    body = json.dumps({"assistant_id": "6ba7", "context": {"width": 3}}).encode()
    assert problem_of(body) == ""
    assert "'width'" in problem_of(body.replace(b'"width"', b'"widht"'))


@pytest.mark.parametrize("given", ["text", 5, [1], {"messages": 5}, {"messages": [{"role": "?"}]}])
def test_input_of_another_form_is_told_in_one_sentence(given):
    problem = problem_of(json.dumps({"assistant_id": "router", "input": given}).encode())
    assert problem.endswith(".") and "\n" not in problem and len(problem) < 100


@pytest.mark.parametrize("given", ["text", {"messages": 5}, None])
def test_a_call_of_an_mcp_tool_is_left_to_the_tool(given):
    call = {"jsonrpc": "2.0", "method": "tools/call", "params": {"arguments": given}}
    assert problem_of(json.dumps(call).encode()) == ""


@pytest.mark.parametrize("given", [None, {"question": "Who?"}, {"messages": "Who?"}])
def test_input_of_the_usual_forms_passes(given):
    assert problem_of(json.dumps({"assistant_id": "router", "input": given}).encode()) == ""


def test_a_body_of_deep_nesting_is_left_to_the_server():
    assert problem_of(b'{"context":' + b"[" * 100_000) == ""


@given(st.sampled_from(sorted(CONTEXTS)), st.sampled_from(sorted(Context.model_fields)), JSON)
def test_a_value_of_no_use_is_told_in_one_short_sentence(graph, name, value):
    problem = problem_of(json.dumps({"assistant_id": graph, "context": {name: value}}).encode())
    try:
        CONTEXTS[graph](**{name: value})
    except ValidationError:
        assert repr(name) in problem and "\n" not in problem and len(problem) < 700
    else:
        assert problem == ""


@pytest.mark.parametrize("command", [{"resume": None}, {"update": {}, "goto": []}])
def test_a_command_that_says_nothing_is_refused(command):
    body = {"assistant_id": "crag", "input": None, "command": command}
    assert 'give {"resume": "yes"}' in problem_of(json.dumps(body).encode())
    for said in ({"resume": False}, {"resume": ""}, {"goto": "answer"}, {}):
        assert problem_of(json.dumps(body | {"command": said}).encode()) == ""


def test_a_filter_that_is_none_is_told_in_one_sentence():
    for asked in ({"$over": 1}, {"k" * 5000: 1}, {"\ud800": 1}):
        context = {"where": {"year": asked}}
        problem = problem_of(json.dumps({"assistant_id": "crag", "context": context}).encode())
        assert problem.startswith("The setting 'where' cannot be used: where.year.")
        assert problem.encode() and problem[-2] != "." and len(problem) < 250
