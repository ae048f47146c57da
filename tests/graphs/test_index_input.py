"""The input of the index graph: its form, and how much of it a run may take."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from ragraphs.nodes.index.given import check_given
from ragraphs.settings import Settings, settings
from ragraphs.state.errors import RagraphsError

ROWS = 200


@pytest.mark.slow
@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"documents": [{"text": "no id"}]}, "has no id"),
        ({"documents": [{"id": "a", "text": " "}]}, "has no text"),
        ({"documents": [{"id": "a", "text": "x"}, {"id": "a", "text": "y"}]}, "Two documents"),
        ({"documents": {"id": "a", "text": "x"}}, "must be a list"),
        ({"sources": "docs"}, "must be a list"),
        ({"sources": [5]}, r"'sources' must be a list of texts, .* which sources\[0\] is not"),
        ({"documents": ["x"]}, r"which documents\[0\] is not"),
        ({"documents": 5}, "which documents is not"),
        ({"documents": [{"id": "a", "text": "x", "title": 5}]}, r"documents\[0\]\['title'\]"),
        ({"documents": [{"id": 5, "text": "x"}]}, r"documents\[0\]\['id'\]"),
        ({"remove": [5]}, r"remove\[0\]"),
        ({"triples": {}}, "'triples' must be a list"),
        ({"wait": "no"}, "'wait' must be true or false"),
        ({"remove": ["none"]}, "no document 'none'"),
    ],
)
def test_input_of_another_form_is_refused_in_a_sentence(indexing, given, sentence):
    indexing.run("docs")
    with pytest.raises(RagraphsError, match=sentence):
        indexing.run(**given)


@given(
    st.dictionaries(
        st.sampled_from(["sources", "documents", "remove", "triples", "wait"]),
        st.recursive(
            st.none() | st.integers() | st.text(max_size=3),
            lambda inner: (
                st.lists(inner, max_size=3)
                | st.dictionaries(st.sampled_from(["id", "text", "title"]), inner)
            ),
        ),
        min_size=1,
    )
)
def test_input_of_any_form_is_fit_or_refused_in_a_sentence(given):
    try:
        check_given(given)
    except RagraphsError as error:
        assert str(error).endswith((".", "'text'.", "not.")) and "\n" not in str(error)
    else:
        lists = [value for value in given.values() if value is not None]
        assert all(isinstance(value, list) for value in lists)
        documents = given.get("documents") or []
        assert all(isinstance(one.get("title") or "", str) for one in documents)


@pytest.mark.slow
def test_keys_of_documents_that_nobody_uses_are_told(indexing):
    document = {"id": "a", "text": "x", "titel": "A", "source": "b"}
    (warning,) = indexing.run(documents=[document])["warnings"]
    assert "'source', 'titel'" in warning


@pytest.fixture
def bounded(monkeypatch):
    """Sets a bound of a run."""

    def set_it(name: str, most: int) -> None:
        monkeypatch.setenv(f"RAGRAPHS_MAX_{name.upper()}", str(most))
        settings.cache_clear()

    return set_it


@pytest.mark.slow
@pytest.mark.parametrize("bound", ["bytes", "documents", "passages"])
@pytest.mark.parametrize("way", ["inline", "file"])
def test_more_than_the_operator_allows_is_refused_before_anything_is_done(
    indexing, bounded, bound, way
):
    rows = [{"id": str(n), "text": f"Text {n} of the rows."} for n in range(ROWS)]
    file = indexing.folder / "rows.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    if way == "inline":
        run, size = partial(indexing.run, documents=rows), sum(len(row["text"]) for row in rows)
    else:
        run, size = partial(indexing.run, "rows.jsonl"), file.stat().st_size
    most = size if bound == "bytes" else ROWS
    bounded(bound, most - 1)
    with pytest.raises(RagraphsError, match=f"at most .* {bound} here.*RAGRAPHS_MAX_"):
        run()
    assert not Path(indexing.name).exists()
    bounded(bound, most)
    assert run()["added"] == ROWS
    bounded("passages", 1)
    assert run()["unchanged"] == ROWS


def test_only_a_server_is_bounded_without_a_word_of_the_operator():
    own, server = Settings(), Settings(root=Path("."))
    assert [own.bound(name) for name in ("max_bytes", "max_documents", "max_passages")] == [
        None
    ] * 3
    assert server.bound("max_bytes") == 100_000_000 and server.bound("max_passages") == 100_000
