"""Time and hostile texts: no rule of writing stands still, and long texts take linear time."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

import pytest
from fast_run import fast
from hostile_texts import REPEATS, Used, against, patterns, repeated
from ragraphs.algorithms.citations import locate
from ragraphs.algorithms.router.features import question_features
from ragraphs.algorithms.splitting import split_text
from ragraphs.language.analyser import LONGEST_SENTENCE, sentences, terms
from ragraphs.language.comparing import comparison
from ragraphs.language.mentions import question_mentions
from ragraphs.language.questions import analyse_question
from ragraphs.nodes.begin import LONGEST_QUESTION
from ragraphs.offline.decomposition.decompose import decompose
from ragraphs.offline.extraction.extract import extract_facts
from ragraphs.offline.follow_up import stand_alone
from ragraphs.offline.questions import write_questions
from ragraphs.offline.reading import read
from ragraphs.prompts.prompt import fence, number
from ragraphs.stores.loading.sections import markdown_title
from ragraphs.stores.loading.text import title_of

Work = Callable[[str], object]


class TooSlowError(Exception):
    pass


@contextmanager
def at_most(seconds: float) -> Iterator[None]:
    """Stops what takes more processor time, also in the middle of matching a pattern."""

    def stop(number: int, frame: FrameType | None) -> None:
        raise TooSlowError

    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def seconds_of(work: Work, text: str) -> float:
    started = time.process_time()
    work(text)
    return time.process_time() - started


def apply(used: Used, text: str) -> None:
    for way in used.ways or ("finditer",):
        if way in {"match", "fullmatch", "search"}:
            getattr(used.pattern, way)(text)
        else:
            used.pattern.findall(text)


def longest_met(used: Used) -> int:
    """The length of the longest texts that a pattern meets: sentences, or else whole blocks."""
    room = used.where.split(".")[1]
    of_grammar = room in {"language", "offline", "algorithms", "index", "nodes"}
    whole = used.where.split(".")[2] in {"analyser", "markup", "code", "tables"}
    whole = whole and not used.where.endswith("code._LINE")  # of 300 characters at most
    return LONGEST_SENTENCE if of_grammar and not whole else 20_000


@pytest.mark.slow
def test_no_pattern_stands_still_on_the_longest_text_of_its_own_parts():
    slow = []
    for used in patterns():
        try:
            with at_most(2.0):
                for text in against(used.pattern, longest_met(used)):
                    apply(used, text)
        except TooSlowError:
            slow.append((used.where, used.pattern.pattern[:80]))
    assert slow == []


@pytest.mark.slow
@pytest.mark.parametrize("repeat", fast(REPEATS, *REPEATS[::4]))
def test_a_question_of_the_greatest_length_is_analysed_at_once(repeat: str):
    question = repeated(repeat, LONGEST_QUESTION, "x?")
    history = number([("question", "Who wrote Moby Dick?"), ("answer", "Herman Melville did.")])
    with at_most(5.0):
        analyse_question(question)
        question_features(question)
        question_mentions(question)
        comparison(question)
        decompose(question)
        stand_alone(question, history)
        read(question, history)


@pytest.mark.parametrize("repeat", REPEATS)
@pytest.mark.parametrize("length", [60, 499])
def test_a_short_question_is_taken_apart_at_once(repeat: str, length: int):
    with at_most(2.0):
        comparison(repeated(repeat, length))
        decompose(repeated(repeat, length))


def title_of_spaces(text: str) -> object:
    return markdown_title("# a" + text + "x")


def read_passages(text: str) -> None:
    """As an index run does with 400 tokens a passage."""
    title_of(text)
    markdown_title(text)
    for span in split_text([text], 400, 0):
        terms(span.text)
        fence(number([("Marie Curie", span.text)]))
        write_questions("Marie Curie", span.text)
        extract_facts("Marie Curie", span.text)


@pytest.mark.parametrize("repeat", [*REPEATS[::4], "\t"])
@pytest.mark.parametrize("work", [title_of_spaces, sentences, read_passages])
def test_time_grows_with_the_length_of_a_document(work: Work, repeat: str):
    short, long = repeated(repeat, 2_000), repeated(repeat, 16_000)
    with at_most(20.0):
        work(short)
        assert seconds_of(work, long) <= 24 * seconds_of(work, short) + 0.5


def test_a_long_quotation_is_looked_for_in_bounded_time():
    text = "a b d " * 5_000
    assert locate("a b c " * 5_000, text) is None
    assert locate(text[6:], text)
    with at_most(5.0):
        locate("a b c " * 160, text)
