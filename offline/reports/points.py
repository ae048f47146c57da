"""GraphRAG's map and reduce steps without a model: sentences that concern a question."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence

from ...algorithms.quotable import whole_sentences
from ...algorithms.similarity import jaccard
from ...language.analyser import keywords
from ...prompts.graphrag_replies import CombinedAnswer, ReplyPoint
from ...prompts.prompt import Excerpt
from ..lines import Compared, Similarity

_MOST_POINTS = 12
_PER_TEXT = 3
_MOST_USED = 6
_LEAST_COVERED = 0.5
_LEAST_COSINE = 0.45
_COSINE_WEIGHT = 0.4
_GENERAL = 20.0  # of 100: the most that a sentence scores that does not concern the question
_TYPICAL = 6
_ALIKE = 0.5
_SCORE = re.compile(r"\d+")


def write_points(
    question: str, texts: Sequence[Excerpt], similarity: Similarity | None = None
) -> list[ReplyPoint]:
    """The sentences of ``texts`` that concern ``question``, the best first, at most three a text.

    They have half of its words, by rarity, or are near by the cosines of ``similarity``. Where
    there are none, each text gives its first sentence, with a low score, higher for a long text.
    """
    wanted = keywords(question)
    said = [(text, one) for text in texts for one in whole_sentences(text["text"])]
    if not wanted or not said:
        return []
    own = [keywords(one) | keywords(text["title"]) for text, one in said]
    counts = Counter(term for terms in own for term in terms & wanted)
    rarity = {term: math.log(1 + (len(said) + 1) / (0.5 + counts[term])) for term in wanted}
    covered = [sum(rarity[term] for term in terms & wanted) for terms in own]
    covered = [share / sum(rarity.values()) for share in covered]
    near = list(similarity([Compared(one) for _, one in said])) if similarity else [0.0] * len(said)
    weight = _COSINE_WEIGHT if similarity else 0.0
    scores = {
        place: 100 * ((1 - weight) * covered[place] + weight * max(0.0, near[place]))
        for place in range(len(said))
        if covered[place] >= _LEAST_COVERED or near[place] >= _LEAST_COSINE
    }
    if not scores:
        first = {text["id"]: place for place, (text, _) in reversed(list(enumerate(said)))}
        length = Counter(text["id"] for text, _ in said)
        scores = {
            place: _GENERAL * length[id] / (length[id] + _TYPICAL) for id, place in first.items()
        }
    taken: Counter[str] = Counter()
    points: list[ReplyPoint] = []
    for place in sorted(scores, key=lambda place: (-scores[place], place)):
        text, sentence = said[place]
        taken[text["id"]] += 1
        if taken[text["id"]] <= _PER_TEXT and len(points) < _MOST_POINTS:
            score = min(100.0, max(1.0, scores[place]))
            points.append(ReplyPoint(point=sentence, score=score, evidence=[text["id"]]))
    return points


def combine_points(
    texts: Sequence[Excerpt], question: str = "", general: str = ""
) -> CombinedAnswer:
    """The best of the points ``texts``, which come best first, and no answer: that takes a model.

    Points that say nearly the same count once; those that score far less than the first do not.
    """
    scores = [float((_SCORE.findall(point["title"]) or ["0"])[-1]) for point in texts]
    kept: list[int] = []
    for place, point in enumerate(texts):
        own = keywords(point["text"])
        alike = any(jaccard(own, keywords(texts[other]["text"])) > _ALIKE for other in kept)
        if len(kept) < _MOST_USED and scores[place] >= scores[0] / 2 and not alike:
            kept.append(place)
    used = [texts[place]["id"] for place in kept]
    return CombinedAnswer(answer="", used=used, sufficient=False, missing=[])
