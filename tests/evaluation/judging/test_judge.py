"""``ragraphs evaluate judge``: what win rates say of conditions, and of the judge."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest
from communities_support import texts_of
from judging_support import BEST, BETTER, CRITERIA, WORSE, by, grade_of, graded, verdicts
from stub_openai import failure

PAIRS = [(WORSE, BETTER), (WORSE, BEST), (BETTER, BEST)]


@pytest.mark.slow
def test_the_known_ranking_of_conditions_is_recovered(judged, compared):
    result = compared(conditions=(WORSE, BETTER, BEST), n=10)
    assert judged.model.counts == {"Answer": 3 * 10, "Verdicts": 10 * 3 * 2}
    assert [(one["criterion"], one["row"], one["column"]) for one in result["comparisons"]] == [
        (criterion, *pair) for criterion in CRITERIA for pair in PAIRS
    ]
    for one in result["comparisons"]:
        assert (one["win_rate"], one["low"], one["n"], one["ties"]) == (0.0, 0.0, 10, 0)
        assert 0.1 < one["high"] < 0.4, "ten equal verdicts are no certainty"
        assert one["p"] == round(2 / 2**10, 5) and one["significant"]
        assert one["p_holm"] == pytest.approx(12 * 2 / 2**10, abs=1e-4)
    quality = {one["name"]: one["quality"] for one in result["conditions"]}
    assert quality == {WORSE: 0.0, BETTER: 0.5, BEST: 1.0}
    assert [one["answered"] for one in result["conditions"]] == [10] * 3
    assert all(one["calls"] == 1 and one["tokens"] == 107 for one in result["conditions"])
    assert result["sentences"] == [] and len(result["reasons"]) == 10 * 3 * 2 * 4


@pytest.mark.slow
def test_a_judge_who_takes_the_first_answer_gives_half_to_all_and_is_reported(judged, compared):
    judged.model.answers["Verdicts"] = verdicts(lambda one, two: 1)
    result = compared("--repeats", "2")
    assert {one["win_rate"] for one in result["comparisons"]} == {0.5}
    assert not any(one["significant"] for one in result["comparisons"])
    order = result["order"]
    assert (order["flipped"], order["first_won"]) == (1.0, 1.0)
    assert order["pairs"] == order["decided_pairs"] == 8 * 4 * 2
    [sentence] = result["sentences"]
    assert sentence.startswith("The judge preferred a position: the first answer won 100 %")
    judged.model.answers["Verdicts"] = verdicts(lambda one, two: 2)
    assert "the second answer won 100 %" in compared("--judge", "openai:other")["sentences"][0]


def padded(human):
    """The worse answer is the longer one to every other question."""
    reply, odd = graded(human), int(re.search(r"shared, (\d+)", human)[1]) % 2
    long = " Well." * (3 + 6 * odd if len(texts_of(human)) == 1 else 6)
    return {**reply, "answer": long + reply["answer"]}


@pytest.mark.slow
def test_a_judge_who_takes_the_longer_answer_is_exposed(judged, compared):
    judged.model.answers |= {"Answer": padded, "Verdicts": by(lambda said: len(said.split()))}
    result = compared()
    [sentence] = result["sentences"]
    assert sentence.startswith("The longer answer won: comprehensiveness 100 % (68 % to 100 %, 8")
    assert result["length"]["directness"]["longer_won"] == 1.0
    one = result["comparisons"][0]
    assert (one["win_rate"], one["longer_won"], one["longer_n"]) == (0.5, 1.0, 8)
    assert one["row_words"] == one["column_words"]


@pytest.mark.slow
def test_an_honest_judge_of_answers_of_any_length_is_not_suspected(judged, compared):
    judged.model.answers["Answer"] = padded
    result = compared()
    assert result["sentences"] == []
    assert result["length"]["directness"]["longer_won"] == 0.5


@pytest.mark.slow
def test_ties_are_halves_and_equal_answers_tie_without_a_request(judged, compared):
    judged.model.answers["Verdicts"] = verdicts(lambda one, two: "tie")
    result = compared()
    assert {one["win_rate"] for one in result["comparisons"]} == {0.5}
    assert result["comparisons"][0]["ties"] == 8
    assert result["order"]["flipped"] is None
    judged.model.answers["Answer"] = {"quotes": [], "sufficient": False, "answer": "Unknown."}
    asked = judged.model.counts["Verdicts"]
    result = compared("--temperature", "0.5")
    assert result["verdicts"]["equal_answers"] == 8
    assert judged.model.counts["Verdicts"] == asked
    assert result["comparisons"][0]["win_rate"] == 0.5


@pytest.mark.slow
@pytest.mark.parametrize("apart", [False, True])
def test_verdicts_that_can_mean_one_thing_are_read_and_others_counted(judged, compared, apart):
    """The first criterion gets words for a winner, the second nonsense, the third both."""

    def judge(human):
        won = {1: "Answer 1", 2: "**B**"}[by(grade_of)(human)["verdicts"][0]["winner"]]
        told = {"comprehensiveness": won, "diversity": "1 and 2", "empowerment": "7"}
        told = {name: said for name, said in told.items() if f"- {name}:" in human}
        return {"verdicts": {name: {"why": "So.", "winner": said} for name, said in told.items()}}

    judged.model.answers["Verdicts"] = judge
    result = compared(*(["--apart"] if apart else []))
    rates = {one["criterion"]: (one["win_rate"], one["n"]) for one in result["comparisons"]}
    assert rates["comprehensiveness"] == (0.0, 8)
    assert rates["diversity"] == rates["empowerment"] == rates["directness"] == (None, 0)
    assert result["verdicts"] == {
        "wanted": 64,
        "given": 16,
        "unanswered": 48,
        "ties": 0,
        "equal_answers": 0,
    }
    assert any("malformed" in note or "no use" in note for note in result["notes"])


@pytest.mark.slow
def test_a_verdict_without_that_of_the_other_order_does_not_count(judged, compared):
    def judge(human):
        whole = verdicts(lambda one, two: 1)(human)["verdicts"]
        first, second = (grade_of(text[2]) for text in texts_of(human))
        return {"verdicts": whole if first < second else whole[1:]}

    judged.model.answers["Verdicts"] = judge
    result = compared()
    rates = {one["criterion"]: (one["win_rate"], one["n"]) for one in result["comparisons"]}
    assert rates["comprehensiveness"] == (None, 0) and rates["diversity"] == (0.5, 8)


@pytest.mark.slow
def test_the_judge_sees_no_markers_of_citations_and_every_repetition_is_its_own(judged, compared):
    compared("--repeats", "2")
    shown = judged.model.of("Verdicts")
    assert len(set(shown)) == len(shown) == 8 * 2 * 2
    assert not any("[1]" in human for human in shown)
    assert sum("reading no. 2" in human for human in shown) == len(shown) / 2


@pytest.mark.slow
def test_failed_and_empty_answers_are_counted_and_not_judged(judged, compared):
    def sometimes(human):
        if "shared, 3?" in human and len(texts_of(human)) == 1:
            return failure(500, "out of order")
        reply = graded(human)
        empty = "shared, 4?" in human and len(texts_of(human)) == 2
        return {**reply, "answer": "" if empty else reply["answer"]}

    judged.model.answers["Answer"] = sometimes
    result = compared(conditions=(WORSE, BETTER, BEST), n=6)
    counts = {c["name"]: (c["answered"], c["failed"], c["empty"]) for c in result["conditions"]}
    assert counts == {WORSE: (5, 1, 0), BETTER: (5, 0, 1), BEST: (6, 0, 0)}
    assert [one["n"] for one in result["comparisons"]][:3] == [4, 5, 5]
    assert "out of order" in result["conditions"][0]["first_failure"]


@pytest.mark.slow
def test_the_default_conditions_are_those_of_the_paper(judged):
    judged.model.answers["Verdicts"] = by(len)
    result = judged("--questions", "2")
    assert [one["name"] for one in result["conditions"]] == ["C0", "C1", "text", "ss"]
    assert all(one["answered"] == 2 for one in result["conditions"])
    assert judged.model.counts["Verdicts"] == 2 * (2 * 6 - result["verdicts"]["equal_answers"])
    calls = [one["calls"] for one in result["conditions"]]
    assert calls[0] <= calls[1] <= calls[2] and calls[3] <= 2


@pytest.mark.slow
def test_a_table_and_plots_show_the_result_and_the_index_keeps_it(judged):
    Path("own.txt").write_text("What is shared, 1?\nWhat is shared, 2?\n")
    named = [word for one in (WORSE, BEST) for word in ("--condition", one)]
    asked = ("--question-file", "own.txt", *named)
    shown = judged.ended(*asked, "--plot", "wins.svg")
    assert shown.code == 0, shown.err
    assert "directness: % of wins of the row over the column" in shown.out
    assert "Order: the first answer won 50.0 %" in shown.out and "Holm" in shown.out
    texts = [t.text for t in ElementTree.parse("wins.svg").iter("{http://www.w3.org/2000/svg}text")]
    assert "tokens a question" in texts and "100" in texts and WORSE in texts
    [kept] = Path(judged.index, "evaluations").glob("judge-*.json")
    found = json.loads(kept.read_text())
    assert [plot["kind"] for plot in found["plots"]] == ["matrix"] * 4 + ["curves"]
    assert found["result"]["comparisons"][0]["win_rate"] == 0.0


@pytest.mark.slow
@pytest.mark.parametrize(
    ("conditions", "words"),
    [
        (["magic", "text"], "'magic' is no condition: a condition is METHOD"),
        (["graphrag:sideways", "text"], "'graphrag:sideways' is no condition"),
        (["basic:n_hop=3", "text"], "'n_hop' in 'basic:n_hop=3' is no setting of basic"),
        (["basic:top_k=many", "text"], "top_k in 'basic:top_k=many' cannot be 'many'"),
        (["hoprag", "text"], "ragraphs index --layers hops"),
        (["text"], "needs two conditions"),
        (["text", "graphrag:text"], "the same condition as text"),
    ],
)
def test_a_condition_that_cannot_be_asked_is_one_sentence(judged, conditions, words):
    named = [word for one in conditions for word in ("--condition", one)]
    ended = judged.ended(*named)
    assert (ended.code, ended.out) == (2, "")
    assert words in ended.err and len(ended.err.strip().splitlines()) == 1
    assert not judged.model.asked


def test_without_a_model_there_is_no_judge(run, judged):
    ended = run("evaluate", "judge", "--index", judged.index)
    assert ended.code == 1 and "A judge needs a language model; name one with --model" in ended.err
