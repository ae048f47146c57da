"""Settings in requests to the server that no graph knows."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st
from ragraphs.context import RouterContext
from ragraphs.graphs import CONTEXTS
from ragraphs.server.app import unknown_setting

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.sampled_from(["context", "a"]), inner),
    max_leaves=10,
)


@given(st.sampled_from(sorted(CONTEXTS)), st.text(), st.text() | st.sampled_from(["top_k"]))
def test_a_context_is_refused_for_each_key_that_its_graph_does_not_have(graph, first, second):
    context = {first: 1, second: 2}
    body = json.dumps({"assistant_id": graph, "context": context}).encode()
    unknown = [
        name
        for name in context
        if name not in CONTEXTS[graph].model_fields and not name.startswith("__")
    ]
    problem = unknown_setting(body)
    assert bool(problem) == bool(unknown)
    assert not unknown or repr(unknown[0][:50]) in problem


@given(JSON, st.binary())
def test_bodies_of_any_form_are_read_without_an_error(body, broken):
    assert isinstance(unknown_setting(json.dumps(body).encode()), str)
    assert unknown_setting(b'"context"' + broken) == ""


def test_all_graphs_of_the_server_have_their_settings_here():
    assert CONTEXTS["router"] is RouterContext and len(CONTEXTS) == 8


def test_an_assistant_that_is_not_known_may_have_any_setting_of_a_graph():
    body = json.dumps({"assistant_id": "6ba7", "context": {"width": 3}}).encode()
    assert unknown_setting(body) == ""
    assert "'width'" in unknown_setting(body.replace(b'"width"', b'"widht"'))


def test_a_body_of_deep_nesting_is_left_to_the_server():
    assert unknown_setting(b'{"context":' + b"[" * 100_000) == ""
