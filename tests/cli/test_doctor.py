"""`ragraphs doctor`: what would be used and why, what is broken, and what mends it."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from postgres_server import serving_postgres
from ragraphs.settings import settings
from scripted_model import MODEL

KEY = "sk-never-shown-0123456789"


@pytest.fixture
def examined(run):
    """The checks of a run, by name, and its exit code."""

    def examine(*flags: str) -> tuple[int, dict[str, Any]]:
        settings.cache_clear()
        ended = run("doctor", "--json", *flags)
        assert KEY not in ended.out + ended.err
        found = json.loads(ended.out)
        assert found["healthy"] == (ended.code == 0)
        return ended.code, {one["name"]: one for one in found["checks"]}

    return examine


@pytest.mark.slow
def test_a_bare_machine_is_healthy_and_is_told_how_to_begin(examined):
    code, checks = examined()
    assert code == 0
    assert "with FTS5" in checks["SQLite"]["says"]
    assert checks["language model"]["says"].startswith("offline, the default: ")
    assert "--model" in checks["language model"]["mend"]
    assert checks["index"]["state"] == "note" and "There is no index" in checks["index"]["says"]
    assert checks["keys that are set"]["says"] == "none"


@pytest.mark.slow
def test_an_index_that_is_named_and_missing_is_broken(run, examined):
    assert examined("--index", "none")[0] == 1
    ended = run("doctor", "--index", "none")
    assert ended.code == 1 and ended.out.endswith("Something is broken.\n")


@pytest.mark.slow
def test_keys_and_settings_are_named_with_their_place_and_never_shown(examined, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("RAGRAPHS_MODEL", MODEL)
    Path(".env").write_text(f"RAGRAPHS_MODEL={MODEL}\n")
    code, checks = examined()
    assert code == 0
    assert checks["keys that are set"]["says"] == "OPENAI_API_KEY (of the environment)"
    assert checks["language model"]["says"] == f"{MODEL}, by RAGRAPHS_MODEL of .env"
    assert "by --model" in examined("--model", "openai:other")[1]["language model"]["says"]


@pytest.mark.parametrize(
    ("model", "words"),
    [(MODEL, "needs a key"), ("gpt", "lacks a provider"), ("no:such", "no provider 'no'")],
)
def test_a_model_that_cannot_be_used_is_broken(examined, model, words):
    code, checks = examined("--model", model)
    assert code == 1 and checks["language model"]["state"] == "broken"
    assert words in checks["language model"]["mend"]


def test_the_databases_that_it_opens_are_closed(examined, monkeypatch):
    connect, opened = sqlite3.connect, []
    monkeypatch.setattr(
        sqlite3, "connect", lambda *a, **k: opened.append(connect(*a, **k)) or opened[-1]
    )
    examined()
    assert opened
    for connection in opened:
        with pytest.raises(sqlite3.ProgrammingError, match="closed"):
            connection.execute("SELECT 1")


@pytest.mark.slow
def test_servers_are_asked_only_with_connect(examined, openai, monkeypatch):
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    monkeypatch.setattr("huggingface_hub.constants.ENDPOINT", "http://127.0.0.1:9")
    secret = openai.base_url.replace("http://", f"http://name:{KEY}@")
    monkeypatch.setenv("OPENAI_BASE_URL", secret)
    code, checks = examined("--model", MODEL)
    assert code == 0 and openai.requests == []
    assert f", at {openai.url} " in checks["language model"]["says"]
    code, checks = examined("--connect")
    assert code == 0 and checks["the server of OPENAI_BASE_URL"]["says"].endswith(" answers")
    assert checks["the hub of embedding models"]["state"] == "note"
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    code, checks = examined("--connect")
    assert code == 1 and "does not answer" in checks["the server of OPENAI_BASE_URL"]["says"]


@pytest.mark.slow
def test_a_database_is_asked_only_with_connect_and_its_password_is_never_shown(
    examined, monkeypatch
):
    monkeypatch.setattr("huggingface_hub.constants.ENDPOINT", "http://127.0.0.1:9")
    address = "postgresql+psycopg://user:{}@127.0.0.1:{}/notes"
    monkeypatch.setenv("RAGRAPHS_DATABASE", address.format(KEY, 9))
    assert "the database" not in examined()[1]
    code, checks = examined("--connect")
    assert code == 1 and "does not answer" in checks["the database"]["says"]
    with serving_postgres() as server:
        monkeypatch.setenv("RAGRAPHS_DATABASE", address.format(KEY, server.port))
        assert "refuses the user" in examined("--connect")[1]["the database"]["says"]
        monkeypatch.setenv("RAGRAPHS_DATABASE", server.url)
        assert examined("--connect")[1]["the database"]["says"].endswith(" answers")


@pytest.mark.slow
def test_what_an_index_lacks_comes_with_the_command_that_mends_it(run, examined):
    Path("a.txt").write_text("The Forth Bridge was designed by John Fowler. It is in Scotland.")
    assert run("index", "a.txt", "--layers", "hops").code == 0
    code, checks = examined()
    assert code == 0 and checks["layers"]["mend"].endswith(
        "--layers sentences,entities,communities"
    )
    [file] = Path(".ragraphs").glob("hops-*.arrays/source.npy")
    file.write_bytes(b"nothing")
    code, checks = examined()
    assert code == 1 and checks["lack"]["state"] == "broken"
    assert run(*checks["lack"]["mend"].split()[1:]).code == 0
    assert run(*checks["layers"]["mend"].split()[1:]).code == 0
    code, checks = examined()
    assert code == 0 and "lack" not in checks and "layers" not in checks
