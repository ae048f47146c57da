"""The reply table: what a model said once is kept."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest
from ragraphs.state.records import NewReply, StoredReply
from ragraphs.stores.catalogue import Catalogue
from ragraphs.stores.pieces import NewDocument, Piece
from ragraphs.stores.replies import ReplyStore
from sqlalchemy import Engine


def reply(value: str, words: str = "w") -> StoredReply:
    return {"value": value, "words": words, "input_tokens": 10, "output_tokens": 2}


def put(replies: ReplyStore, key: str, prompt: str, model: str, given: StoredReply) -> None:
    replies.put([NewReply(key, prompt, model, given)])


def get(replies: ReplyStore, key: str) -> StoredReply | None:
    [found] = replies.find([key])
    return found


@pytest.fixture
def replies(engine: Engine) -> ReplyStore:
    return ReplyStore(engine)


@pytest.mark.slow
def test_a_reply_is_found_by_its_key_and_by_no_other(replies):
    put(replies, "key", "answer", "openai:gpt", reply('{"answer": "네, ’tis"}'))
    assert get(replies, "key") == reply('{"answer": "네, ’tis"}')
    assert get(replies, "other") is None
    assert replies.count() == 1


def test_the_first_reply_to_a_key_stays(replies):
    put(replies, "key", "answer", "openai:gpt", reply("first"))
    put(replies, "key", "answer", "openai:gpt", reply("second"))
    assert get(replies, "key") == reply("first")


@pytest.mark.slow
def test_a_reply_to_other_words_takes_the_place_of_the_first(replies):
    put(replies, "key", "answer", "openai:gpt", reply("first"))
    put(replies, "other", "answer", "openai:gpt", reply("other", "later"))
    assert replies.outdated("answer", "later") == (1, 10)
    put(replies, "key", "answer", "openai:gpt", reply("second", "later"))
    assert get(replies, "key") == reply("second", "later")
    assert replies.outdated("answer", "later") == (0, 0)


@pytest.mark.slow
def test_another_process_finds_a_reply_as_soon_as_it_is_put(replies, open_engine):
    put(replies, "key", "answer", "openai:gpt", reply("kept"))
    assert get(ReplyStore(open_engine()), "key") == reply("kept")


@pytest.mark.slow
def test_replies_from_many_threads_are_all_kept_once(replies):
    def put_and_get(n: int) -> StoredReply | None:
        put(replies, f"key {n % 75}", "answer", "openai:gpt", reply(f"reply {n % 75}"))
        return get(replies, f"key {n % 75}")

    with ThreadPoolExecutor(64) as threads:
        found = list(threads.map(put_and_get, range(300)))
    assert found == [reply(f"reply {n % 75}") for n in range(300)]
    assert replies.count() == 75


def stored(replies):
    return {key for key in "abcdef" if get(replies, key) is not None}


@pytest.fixture
def three_prompts(replies: ReplyStore) -> ReplyStore:
    for key, prompt in zip(
        "abcdef", ["keep", "keep", "too", "too", "answer", "grade"], strict=True
    ):
        put(replies, key, prompt, "m", reply(key))
    return replies


@pytest.mark.slow
def test_only_replies_to_the_named_prompts_are_kept(three_prompts):
    three_prompts.watch()
    three_prompts.forget_unused(["keep", "too"], used_too=False, others=True)
    assert stored(three_prompts) == set("abcd")


def test_of_those_only_what_was_used_since_the_watch_began_is_kept(three_prompts):
    get(three_prompts, "b")
    three_prompts.watch()
    get(three_prompts, "a")
    put(three_prompts, "c", "too", "m", reply("again"))
    get(three_prompts, "e")
    three_prompts.forget_unused(["keep", "too"], used_too=True, others=True)
    assert stored(three_prompts) == set("ac")


def test_without_a_watch_nothing_counts_as_unused(three_prompts):
    three_prompts.forget_unused(["keep", "too"], used_too=True, others=True)
    assert stored(three_prompts) == set("abcd")
    three_prompts.watch()
    three_prompts.forget_unused(["keep", "too"], used_too=False, others=True)
    three_prompts.forget_unused(["keep", "too"], used_too=True, others=True)
    assert stored(three_prompts) == set("abcd")


@pytest.mark.slow
def test_a_watch_sees_what_many_threads_use(replies):
    for n in range(100):
        put(replies, f"key {n}", "keep", "m", reply(str(n)))
    replies.watch()
    with ThreadPoolExecutor(16) as threads:
        list(threads.map(lambda n: get(replies, f"key {n}"), range(0, 100, 2)))
    replies.forget_unused(["keep"], used_too=True, others=True)
    assert replies.count() == 50


@pytest.mark.slow
def test_replies_made_from_other_passages_outlive_a_removal(replies, engine):
    document = NewDocument("d", "d", "", "hash", [Piece(0, 4, "Kept")])
    Catalogue(engine).write_documents([document])
    [passage] = Catalogue(engine).passage_ids()
    sources = {"kept": {passage}, "gone": {passage, "gone"}, "none": set(), "unknown": None}
    replies.put(
        [
            NewReply(key, "answer", "m", reply(key), None if of is None else frozenset(of))
            for key, of in sources.items()
        ]
    )
    replies.forget_unused([], used_too=True, others=False)
    assert {key for key in sources if get(replies, key) is not None} == {"kept", "none"}
    replies.forget_unused([], used_too=True, others=True)
    assert replies.count() == 0


@pytest.mark.slow
def test_a_note_on_a_server_is_no_reply(replies):
    put(replies, "key", "answer", "openai:gpt", reply("yes"))
    put(replies, "note", "reads", "", reply("120"))
    assert get(replies, "note") == reply("120")
    assert replies.count() == 1 and list(replies.tokens()) == ["openai:gpt"]
