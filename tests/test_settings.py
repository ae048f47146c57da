"""The operator's settings: where they come from, and which keys meet which addresses."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from ragraphs.context import Context, IndexContext, RouterContext
from ragraphs.context.form import ADVANCED
from ragraphs.context.settled import named
from ragraphs.settings import Settings, add_env_file, settings, told
from ragraphs.state.errors import RagraphsError
from scripted_model import DOCUMENTS, MODEL, QUESTION, Script
from stub_openai import OpenAIStub

ASK = ("ask", QUESTION, "--method", "basic", "--model", MODEL)
NAMES = st.sampled_from(
    [
        *("OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_API_BASE", "OPENAI_PROXY"),
        *("TAVILY_API_KEY", "RAGRAPHS_TAVILY_BASE_URL", "AZURE_OPENAI_ENDPOINT"),
        *("LANGSMITH_API_KEY", "LANGCHAIN_ENDPOINT", "HF_TOKEN", "HF_ENDPOINT", "HTTPS_PROXY"),
        *("ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL", "SSL_CERT_FILE", "RAGRAPHS_MODEL"),
    ]
)


@given(st.sets(NAMES), st.sets(NAMES))
def test_a_key_of_the_environment_never_meets_an_address_of_the_file(in_file, before):
    environment = dict.fromkeys(before, "mine://")
    problem = add_env_file(dict.fromkeys(in_file, "theirs://"), environment)
    keys = {name for name in environment if name.endswith(("_KEY", "_TOKEN"))}
    addresses = environment.keys() - keys - {"RAGRAPHS_MODEL"}
    for address in (name for name in addresses if environment[name] == "theirs://"):
        own = {"LANGCHAIN": "LANGSMITH", "RAGRAPHS": "TAVILY", "AZURE": "OPENAI"}
        provider = own.get(first := address.split("_")[0], first)
        met = keys if provider in ("HTTPS", "SSL") else {k for k in keys if provider in k}
        assert all(environment[key] == "theirs://" for key in met)
    left_out = in_file - environment.keys()
    assert bool(problem) == bool(left_out) and all(".env" in problem for _ in left_out)
    assert before <= environment.keys() and in_file <= environment.keys() | left_out


@pytest.mark.parametrize("address", ["API_URL", "HOST", "DATABASE_URL", "SERVER_BASE_URL"])
def test_addresses_of_other_programs_are_none_of_our_business(address):
    environment = {"GITHUB_TOKEN": "mine", "OPENAI_API_KEY": "mine", "AWS_SECRET": "mine"}
    assert add_env_file({address: "https://elsewhere.example"}, environment) == ""
    assert environment[address] == "https://elsewhere.example"


def _ragraphs(*arguments: str, **environment: str) -> Any:
    return subprocess.run(
        [sys.executable, "-c", "from ragraphs.cli.main import main; main()", *arguments],
        env={**os.environ, "RAGRAPHS_EMBEDDINGS": "lexical", **environment},
        capture_output=True,
        text=True,
    )


@pytest.fixture
def stranger(run: Any) -> OpenAIStub:
    """A server that the folder's ``.env`` names, and an index to ask."""
    from stub_openai import serving_openai

    Path("corpus.jsonl").write_text("".join(json.dumps(one) + "\n" for one in DOCUMENTS))
    assert run("index", "corpus.jsonl").code == 0
    with serving_openai() as stub:
        Script(stub)
        Path(".env").write_text(f"OPENAI_BASE_URL={stub.base_url}\n")
        yield stub


@pytest.mark.slow
def test_a_key_of_the_shell_is_not_sent_to_an_address_of_the_file(stranger):
    ended = _ragraphs(*ASK, OPENAI_API_KEY="sk-of-the-shell")
    assert (ended.returncode, ended.stdout, stranger.requests) == (1, "", [])
    assert "set OPENAI_API_KEY in .env as well" in ended.stderr and ended.stderr.count("\n") == 1


@pytest.mark.slow
def test_the_key_beside_the_address_is_sent_there_in_its_place(stranger):
    with Path(".env").open("a") as file:
        file.write("OPENAI_API_KEY=sk-of-the-file\n")
    ended = _ragraphs(*ASK, OPENAI_API_KEY="sk-of-the-shell")
    assert (ended.returncode, ended.stderr) == (0, "")
    sent = {request.headers["authorization"] for request in stranger.requests}
    assert sent == {"Bearer sk-of-the-file"}


@pytest.mark.slow
def test_the_file_cannot_name_a_key_of_the_shell_as_its_own(stranger):
    with Path(".env").open("a") as file:
        file.write("OPENAI_API_KEY=${OTHER_SECRET}\n")
    _ragraphs(*ASK, OPENAI_API_KEY="sk-of-the-shell", OTHER_SECRET="sk-other")
    assert stranger.requests
    assert not [one for one in stranger.requests if "sk-" in one.headers["authorization"]]


@pytest.mark.slow
def test_a_server_without_a_key_needs_none(stranger):
    assert _ragraphs(*ASK).returncode == 0 and stranger.requests


def test_a_value_that_is_not_allowed_is_told_in_one_sentence(monkeypatch, run):
    monkeypatch.setenv("RAGRAPHS_REQUESTS_PER_SECOND", "-1")
    with pytest.raises(RagraphsError, match="RAGRAPHS_REQUESTS_PER_SECOND cannot be used"):
        settings()
    ended = run("status")
    assert ended.code == 1 and ended.err.count("\n") == 1


def test_every_address_and_key_among_the_settings_is_known_as_one():
    names = [
        field.validation_alias or f"RAGRAPHS_{n}" for n, field in Settings.model_fields.items()
    ]
    addresses = [str(name).upper() for name in names if "url" in str(name).lower()]
    for address in addresses:
        provider = address.removeprefix("RAGRAPHS_").split("_")[0]
        environment = {f"{provider}_API_KEY": "mine"}
        assert add_env_file({address: "https://elsewhere.example"}, environment)
        assert address not in environment


_FOLDERS = {"PROMPTS": "served-prompts", "PRICES": "p/../prices.json", "CACHE": "/srv/cache"}


@given(st.lists(st.sampled_from(["ROOT", "ROOT/a b", *_FOLDERS, "CACHE/x.md", "'", " ", "/"])))
def test_texts_for_callers_name_no_folder_of_the_operator(words):
    text, given = " ".join(words), {name.lower(): path for name, path in _FOLDERS.items()}
    operator = Settings(root=Path("served"), **given)
    paths = {n: os.path.abspath(p) for n, p in {"ROOT": "served", **_FOLDERS}.items()}
    for name, path in paths.items():
        text = text.replace(name, path)
    assert not any(path in told(text, operator) for path in paths.values())
    assert told(text, Settings()) == text


@pytest.mark.parametrize(
    ("operators", "used"), [(None, "offline"), ("auto", "offline"), (MODEL,) * 2]
)
def test_the_model_auto_is_the_operators_else_none(monkeypatch, operators, used):
    if operators:
        monkeypatch.setenv("RAGRAPHS_MODEL", operators)
    settings.cache_clear()
    assert Context(model="auto").model == Context().model == used


def test_there_are_at_most_ninety_settings():
    callers = RouterContext.model_fields.keys() | IndexContext.model_fields.keys()
    ours = {name for name, field in Settings.model_fields.items() if not field.validation_alias}
    assert len(callers | ours) <= 90  # one that a caller and the operator set counts once


@pytest.mark.slow
def test_the_constants_of_the_papers_are_a_group_of_their_own(run):
    callers = {**RouterContext.model_json_schema()["properties"]}
    callers |= IndexContext.model_json_schema()["properties"]
    grouped = {name for name, one in callers.items() if one.get("group") == "advanced"}
    assert grouped == ADVANCED
    shown = run("ask", "--method", "crag", "--help").out
    assert shown.index("Advanced settings of the crag graph") < shown.index("--upper")
    assert shown.index("--grader") < shown.index("Advanced settings of the crag graph")


@pytest.mark.parametrize(
    "name",
    [
        "joint",
        "combined",
        "frontier_batch",
        "cross_encoder",
        "traversal_model",
        "without",
        "dynamic",
    ],
)
def test_a_setting_that_is_gone_is_refused_in_a_sentence(name):
    with pytest.raises(RagraphsError, match=f"There is no setting '{name}'"):
        named({name: 1}, RouterContext)


def test_a_default_is_taken_only_where_nothing_is_set():
    environment = {"RAGRAPHS_DEFAULT_ROOT": ".", "RAGRAPHS_DEFAULT_INDEX": "a"}
    environment |= {"RAGRAPHS_INDEX": "b", "RAGRAPHS_ROOT": ""}
    assert add_env_file({}, environment) == ""
    assert (environment["RAGRAPHS_ROOT"], environment["RAGRAPHS_INDEX"]) == (".", "b")
