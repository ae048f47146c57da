"""Win rates of conditions, how sure they are, and what else the judge may have gone by."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from statistics import mean
from typing import Any

from ...language.analyser import words
from ..bootstrap import Interval, holm, interval, share_interval, sign_flip_p
from ..intervals import measure_of
from .verdicts import CRITERIA, Answers, PairwiseJudging, Preference

_LEVEL = 0.05
_MOST_BY_PLACE = 0.55  # of the wins for the first place, or for the second
_MOST_BY_LENGTH = 0.6  # of the wins for the longer answer
QUALITY = ("comprehensiveness", "diversity", "empowerment")
"""The criteria of a good answer; directness is the control, at which shorter answers win."""

Scores = Mapping[tuple[str, str, str], Mapping[str, float]]
"""By criterion, row and column: for each question 1 where the row wins, ½, 0 where it loses."""


def scores_of(judging: PairwiseJudging, answers: Answers, verdicts: Sequence[Preference]) -> Scores:
    """The mean over orders and repetitions for every question that was judged in both orders.

    A verdict counts only with the verdict of the other order, so that preferring a place gives ½.
    """
    told: defaultdict[tuple[str, str, str], dict[str, list[float]]] = defaultdict(dict)
    for one, other in _both_orders(verdicts):
        row, column = sorted((one.first, one.second), key=judging.conditions.index)
        won = mean(_won(verdict, row) for verdict in (one, other))
        told[one.criterion, row, column].setdefault(one.question, []).append(won)
    for question, row, column in judging.equal(answers):
        for criterion in CRITERIA:
            told[criterion, row, column][question] = [0.5]
    return {key: {q: mean(won) for q, won in found.items()} for key, found in told.items()}


def rated(
    judging: PairwiseJudging, answers: Answers, verdicts: Sequence[Preference], seed: int
) -> dict[str, Any]:
    """The parts of a result that follow from ``verdicts``, by their names in ``--json``."""
    scores = scores_of(judging, answers, verdicts)
    order, length = order_effect(verdicts, seed), length_effect(answers, scores, seed)
    wanted = sum(len(one.criteria) for one in judging.requests(answers))
    return {
        "quality": quality_of(judging, scores, seed),
        "comparisons": comparisons(judging, answers, scores, seed),
        "verdicts": {
            "wanted": wanted,
            "given": len(verdicts),
            "unanswered": wanted - len(verdicts),
            "ties": sum(not one.winner for one in verdicts),
            "equal_answers": len(judging.equal(answers)),
        },
        "order": order,
        "length": length,
        "sentences": warnings_of(order, length),
    }


def comparisons(
    judging: PairwiseJudging, answers: Answers, scores: Scores, seed: int
) -> list[dict[str, Any]]:
    """Win rate of the row over the column, for every criterion and two conditions.

    ``low`` and ``high`` bound it with 95 %; ``p`` is from the sign-flip test, ``p_holm`` is
    corrected for all comparisons; ``longer_won`` is the win rate of the longer answer.
    """
    found = []
    for criterion in CRITERIA:
        for row, column in combinations(judging.conditions, 2):
            won = scores.get((criterion, row, column), {})
            long = _of_longer(won, row, column, answers)
            found.append(
                {
                    "criterion": criterion,
                    "row": row,
                    "column": column,
                    **_told("win_rate", share_interval([*won.values()], seed) if won else None),
                    "ties": sum(value == 0.5 for value in won.values()),
                    "p": sign_flip_p([value - 0.5 for value in won.values()], seed),
                    "row_words": _mean(_words(answers[q][row]) for q in won),
                    "column_words": _mean(_words(answers[q][column]) for q in won),
                    "longer_won": _mean(long.values()),
                    "longer_n": len(long),
                }
            )
    for one, corrected in zip(found, holm([one["p"] for one in found]), strict=True):
        one |= {"p_holm": round(corrected, 5), "significant": corrected < _LEVEL}
        one["p"] = round(one["p"], 5)
    return found


def quality_of(judging: PairwiseJudging, scores: Scores, seed: int) -> dict[str, dict[str, Any]]:
    """For each condition its mean win rate over the others, without directness."""
    found = {}
    for condition in judging.conditions:
        won: defaultdict[str, list[float]] = defaultdict(list)
        for (criterion, row, column), told in scores.items():
            if criterion in QUALITY and condition in (row, column):
                for question, score in told.items():
                    won[question].append(score if condition == row else 1 - score)
        found[condition] = _told("quality", _clustered(won, seed))
    return found


def order_effect(verdicts: Sequence[Preference], seed: int) -> dict[str, Any]:
    """How far the judge went by the place of an answer.

    ``flipped`` is the share of the comparisons of which both orders have a winner, and the same
    place won in both; ``first_won`` the share of wins for the first place, with its interval.
    """
    pairs = list(_both_orders(verdicts))
    decided = [(one, other) for one, other in pairs if one.winner and other.winner]
    flips = sum(one.winner != other.winner for one, other in decided)
    first: defaultdict[str, list[float]] = defaultdict(list)
    for verdict in (one for pair in pairs for one in pair):
        if verdict.winner:
            first[verdict.question].append(float(verdict.winner == verdict.first))
    return {
        "pairs": len(pairs),
        "decided_pairs": len(decided),
        "flipped": round(flips / len(decided), 4) if decided else None,
        "wins": sum(map(len, first.values())),
        **_told("first_won", _clustered(first, seed)),
    }


def length_effect(answers: Answers, scores: Scores, seed: int) -> dict[str, dict[str, Any]]:
    """For each criterion the win rate of the longer of two answers, over all conditions."""
    found = {}
    for criterion in CRITERIA:
        won: defaultdict[str, list[float]] = defaultdict(list)
        for (by, row, column), told in scores.items():
            if by == criterion:
                for question, score in _of_longer(told, row, column, answers).items():
                    won[question].append(score)
        found[criterion] = {
            "comparisons": sum(map(len, won.values())),
            **_told("longer_won", _clustered(won, seed)),
        }
    return found


def warnings_of(order: Mapping[str, Any], length: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """A sentence for what the judge seems to have gone by besides the answers' worth."""
    said = []
    low, high = order["low"], order["high"]
    if low is not None and (low > _MOST_BY_PLACE or high < 1 - _MOST_BY_PLACE):
        place = "first" if low > _MOST_BY_PLACE else "second"
        share = order["first_won"] if place == "first" else 1 - order["first_won"]
        bounds = (low, high) if place == "first" else (1 - high, 1 - low)
        flipped = ""
        if order["flipped"] is not None:
            flipped = (
                f"; in {_percent(order['flipped'])} of {order['decided_pairs']:,} comparisons the "
                "same place won in both orders"
            )
        said.append(
            f"The judge preferred a position: the {place} answer won {_percent(share)} "
            f"({_percent(bounds[0])} to {_percent(bounds[1])}) of {order['wins']:,} verdicts with "
            f"a winner{flipped}. Both orders were asked, so that this moves win rates towards "
            "50 %, to neither side."
        )
    biased = {name: one for name, one in length.items() if (one["low"] or 0.0) > _MOST_BY_LENGTH}
    if biased:
        rates = ", ".join(
            f"{name} {_percent(one['longer_won'])} ({_percent(one['low'])} to "
            f"{_percent(one['high'])}, {one['comparisons']:,} comparisons)"
            for name, one in biased.items()
        )
        said.append(
            f"The longer answer won: {rates}. Either it said more, or the judge prefers length; "
            "compare conditions whose answers are of like length, or read the reasons."
        )
    return said


def _both_orders(verdicts: Iterable[Preference]) -> list[tuple[Preference, Preference]]:
    """Verdicts on the same comparison in one order and in the other."""
    known = {(v.question, v.criterion, v.reading, v.first, v.second): v for v in verdicts}
    pairs = []
    for (question, criterion, reading, first, second), verdict in known.items():
        other = known.get((question, criterion, reading, second, first))
        if other is not None and first < second:
            pairs.append((verdict, other))
    return pairs


def _won(verdict: Preference, condition: str) -> float:
    return 0.5 if not verdict.winner else float(verdict.winner == condition)


def _of_longer(
    won: Mapping[str, float], row: str, column: str, answers: Answers
) -> dict[str, float]:
    """The scores of the longer of two answers; of answers of equal length there is none."""
    found = {}
    for question, score in won.items():
        mine, other = (_words(answers[question][name]) for name in (row, column))
        if mine != other:
            found[question] = score if mine > other else 1 - score
    return found


def _clustered(values: Mapping[str, Sequence[float]], seed: int) -> Interval | None:
    """The mean of all values, with an interval that takes the values of a question together."""
    if not values:
        return None
    means = [mean(one) for one in values.values()]
    if set(means) <= {0.0} or set(means) <= {1.0}:
        return share_interval(means, seed)
    return interval(means, seed, [len(one) for one in values.values()])


def _told(name: str, found: Interval | None) -> dict[str, Any]:
    measure = measure_of(found)
    return {name: measure["value"], **{key: measure[key] for key in ("low", "high", "n")}}


def _words(text: str) -> int:
    return len(words(text))


def _mean(values: Iterable[float]) -> float | None:
    known = list(values)
    return round(mean(known), 4) if known else None


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"
