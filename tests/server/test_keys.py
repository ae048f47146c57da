"""Keys in their file, and functions that find users."""

from __future__ import annotations

import stat
from pathlib import Path
from typing import Any

import pytest
from ragraphs.models.caller import Caller
from ragraphs.server.callers import finder_of
from ragraphs.server.keys import Keys, make_key, read_keys, revoke_key
from ragraphs.state.errors import RagraphsError
from ragraphs.state.usage import Ceilings
from starlette.types import Message

AUTH = """
from langgraph_sdk import Auth

auth = Auth()

@auth.authenticate
async def authenticate(authorization: str | None, headers: dict) -> dict:
    if authorization != "Bearer ada":
        raise Auth.exceptions.HTTPException(401, "Who are you?")
    return {"identity": headers[b"x-name"].decode(), "indexes": ["notes"], "cost": 2.0}

def by_path(path: str):
    return path.strip("/") or None

def wrong(magic):
    return magic
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "keys.json"


@pytest.fixture
def auth(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    (tmp_path / "my_auth.py").write_text(AUTH)
    monkeypatch.chdir(tmp_path)
    return "./my_auth.py"


async def found(name: str, path: str = "/ask", **headers: str) -> Any:
    find = finder_of(name, None)
    assert find is not None
    head = [(key.replace("_", "-").encode(), value.encode()) for key, value in headers.items()]
    scope = {"type": "http", "method": "GET", "path": path, "headers": head, "query_string": b""}

    async def receive() -> Message:
        return {"type": "http.request"}

    return await find(scope, receive)


def test_the_file_has_no_key_and_is_its_owners_alone(file):
    key = make_key(file, "ada", indexes=["notes"], tokens=5)
    assert key not in file.read_text() and stat.S_IMODE(file.stat().st_mode) == 0o600
    user = Keys(file).holder_of(key)
    assert user is not None and user.caller == Caller("ada", None, Ceilings(tokens=5))
    assert Keys(file).holder_of(f"{key}a") is None


@pytest.mark.parametrize(
    ("name", "rights", "words"),
    [
        ("a b", {}, "a b"),
        ("ada", {"rights": ["fly"]}, "'ask', 'write' or 'watch'"),
        ("ada", {"indexes": []}, "indexes"),
        ("ada", {"cost": -1}, "cost"),
        ("ada", {"requests": 0}, "requests"),
    ],
)
def test_what_is_no_key_is_told_and_changes_nothing(file, name, rights, words):
    key = make_key(file, "bob", indexes=["notes"])
    with pytest.raises(RagraphsError, match=words):
        make_key(file, name, **{"indexes": ["notes"], **rights})
    with pytest.raises(RagraphsError, match="already"):
        make_key(file, "bob", indexes=["other"])
    with pytest.raises(RagraphsError, match="no key 'eve'"):
        revoke_key(file, "eve")
    assert list(read_keys(file)) == ["bob"] and Keys(file).holder_of(key)


@pytest.mark.parametrize(
    ("expires", "is_known"),
    [
        ("2020-01-01", False),
        ("2020-01-01T00:00:00+09:00", False),
        ("2999-01-01", True),
        (None, True),
    ],
)
def test_a_key_ends_when_it_is_said_to(file, expires, is_known):
    key = make_key(file, "ada", indexes=["notes"], expires=expires)
    assert (Keys(file).holder_of(key) is not None) == is_known


@pytest.mark.parametrize("text", ["", "[]", '{"ada": {}}', '{"ada": {"sha256": "x"}}'])
def test_a_file_that_is_none_of_keys_is_told(file, text):
    file.write_text(text)
    with pytest.raises(RagraphsError, match=r"In the file of keys .*keys\.json"):
        Keys(file)
    with pytest.raises(RagraphsError, match="ragraphs keys make"):
        Keys(file.with_name("none.json"))


async def test_a_handler_of_langgraph_finds_users(auth):
    user = await found(f"{auth}:auth", authorization="Bearer ada", x_name="Ada")
    assert user.identity == "Ada" and user.indexes == ["notes"]
    assert user.caller == Caller("Ada", None, Ceilings(cost=2.0))
    assert user.rights == {"ask", "write"}
    with pytest.raises(Exception, match="Who are you"):
        await found(f"{auth}:auth", authorization="Bearer bob")


async def test_a_plain_function_finds_users_by_name(auth):
    user = await found("my_auth:by_path", path="/ada")
    assert user.identity == "ada" and user.indexes is None
    assert await found("my_auth:by_path", path="/") is None


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("my_auth:nobody", "cannot be loaded"),
        ("./other.py:auth", "cannot be loaded"),
        ("my_auth", "cannot be loaded"),
        ("my_auth:wrong", "asks for magic; it may ask for: request"),
        ("my_auth:__name__", "no function"),
    ],
)
def test_what_finds_nobody_is_told_before_anything_is_served(auth, name, words):
    with pytest.raises(RagraphsError, match=words):
        finder_of(name, None)


def test_one_decides_who_may_ask(auth, file):
    with pytest.raises(RagraphsError, match="not both"):
        finder_of(f"{auth}:auth", file)
