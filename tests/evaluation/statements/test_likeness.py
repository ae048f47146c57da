"""ROUGE-L, complete linkage and sentences in passages, against figures by hand."""

from __future__ import annotations

import numpy as np
import pytest
from ragraphs.evaluation.statements.likeness import (
    clusters,
    found_share,
    merge_heights,
    rouge_l,
    words_of,
)


@pytest.mark.parametrize(
    ("one", "other", "value"),
    [
        ("police killed the gunman", "police kill the gunman", 3 / 4),
        ("police killed the gunman", "the gunman killed police", 2 / 4),
        ("The bridge fell.", "the BRIDGE, fell", 1.0),
        ("a b c d", "b d", 2 * 2 / 6),
        ("nothing alike", "at all", 0.0),
        ("", "something", 0.0),
        ("", "", 0.0),
        ("橋が落ちた", "橋は落ちた", 4 / 5),
        ("다리가 무너졌다", "다리가 다시 무너졌다", 2 * 2 / 5),
    ],
)
def test_rouge_l_is_the_f1_of_the_longest_common_subsequence_of_words(one, other, value):
    assert rouge_l(one, other) == pytest.approx(value)


def test_a_character_of_japanese_is_a_word_and_a_run_of_letters_is_one():
    assert words_of("BBC의 橋です, 1907年") == ["bbc의", "橋", "で", "す", "1907", "年"]


def test_complete_linkage_merges_by_the_farthest_pair():
    """a–b are 0.1 apart, c–d 0.2; b–c only 0.3, but a–d 0.9: the two pairs merge last, at 0.9."""
    matrix = np.array(
        [[0.0, 0.1, 0.5, 0.9], [0.1, 0.0, 0.3, 0.6], [0.5, 0.3, 0.0, 0.2], [0.9, 0.6, 0.2, 0.0]]
    )
    assert merge_heights(matrix) == [0.1, 0.2, 0.9]
    assert matrix[0, 1] == 0.1


@pytest.mark.parametrize("size", [0, 1])
def test_nothing_and_one_claim_need_no_merging(size):
    assert merge_heights(np.zeros((size, size))) == []
    assert set(clusters(["One claim."] * size).values()) == {size}


def test_claims_in_other_words_are_clusters_of_their_own():
    """a and b share 4 of 5 words (distance 0.2), c shares 2 of 5 with both (distance 0.6)."""
    claims = ["w1 w2 w3 w4 w5", "w1 w2 w3 w4 x5", "w1 w2 y3 y4 y5"]
    assert clusters(claims) == {0.5: 2, 0.6: 2, 0.7: 1, 0.8: 1}


def test_a_sentence_is_found_where_one_text_has_three_quarters_of_its_content_words():
    texts = ["The mount stands in Normandy, near St. Michel.", "Merlin was old."]
    evidence = ["Mont St. Michel is located in Normandy.", "Merlin produced King Arthur."]
    assert found_share(evidence, texts) == 0.0
    near = [*texts, "Michel is located in Normandy at Mont Dol. Merlin produced a King."]
    assert found_share(evidence, near) == 1.0
    assert found_share(evidence, [near[2].split(". ")[0]]) == 0.5
    assert found_share([], texts) is None and found_share(["of the"], texts) is None
    assert found_share(evidence, []) == 0.0
