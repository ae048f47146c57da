"""The offline reader: answers a question from passages by extraction, without a model."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from typing import NamedTuple

from ..language.analyser import sentences
from ..language.answer_types import (
    Candidate,
    candidates,
    countries,
    life_facts,
    measured,
    name_spans,
    roots,
)
from ..language.questions import QuestionShape, analyse_question
from ..prompts.prompt import Excerpt
from ..prompts.replies import Answer, Quote

Similarity = Callable[[list[str]], Sequence[float]]


class _Sentence(NamedTuple):
    passage: int
    text: str
    roots: frozenset[str]


class _Bridge(NamedTuple):
    """How a passage is reached from the question: the linking sentences and what they cover."""

    roots: frozenset[str]
    sentences: tuple[int, ...]
    weight: float


_NO_BRIDGE = _Bridge(frozenset(), (), 0.0)


class _Finding(NamedTuple):
    """An answer, the sentences that carry it, and in 0..1 how far it is of the kind asked for."""

    answer: str
    sentences: tuple[int, ...]
    fit: float


@dataclass(frozen=True)
class _Scene:
    """A question, the passages whose titles it names, and what there is to answer it from."""

    shape: QuestionShape
    titles: tuple[str, ...]
    title_roots: tuple[frozenset[str], ...]
    named: frozenset[int]
    sentences: tuple[_Sentence, ...]
    weights: dict[str, float]
    similarities: tuple[float, ...]
    bridges: dict[int, _Bridge] = field(default_factory=dict)


def read(
    question: str, passages: Sequence[Excerpt], similarity: Similarity | None = None
) -> Answer:
    """Answers ``question`` from ``passages``, English or Korean.

    ``similarity`` maps sentences to their cosines with the question; without it, the words decide.
    The answer is empty without sentences. It is sufficient if the quotes cover at least half of
    the question; an answer of another kind than asked for, or far from its words, counts for less.
    """
    scene = _scene(analyse_question(question), passages, similarity)
    if not scene.sentences:
        return Answer(quotes=[], sufficient=False, answer="")
    found = _find(scene)
    used = [scene.sentences[index] for index in dict.fromkeys(found.sentences)]
    held = frozenset[str]().union(*(_own(scene, index) for index in found.sentences))
    return Answer(
        quotes=[Quote(id=passages[each.passage]["id"], quote=each.text) for each in used],
        sufficient=round(_coverage(scene, held) * found.fit, 3) >= 0.5,
        answer=" ".join(found.answer.split()),
    )


def _find(scene: _Scene) -> _Finding:
    kind = scene.shape.answer_type
    if kind == "open":
        return _best_sentences(scene, 3)
    if kind == "yes_no":
        return _same(scene) or _assertion(scene)
    finder = {"choice": _choice, "definition": _definition}.get(kind, _typed)
    return finder(scene) or _best_sentences(scene, 1)._replace(fit=0.5)


def _scene(
    shape: QuestionShape, passages: Sequence[Excerpt], similarity: Similarity | None
) -> _Scene:
    titles = tuple(re.sub(r"\s*[(（].*?[)）]\s*$", "", each["title"]).strip() for each in passages)
    found = tuple(
        _Sentence(i, span.text, _sentence_roots(span.text))
        for i, passage in enumerate(passages)
        for span in sentences(passage["text"])
        if not span.text.startswith("#")  # a heading says nothing
    )
    title_roots = tuple(frozenset(roots(title)) for title in titles)
    cosines = similarity([sentence.text for sentence in found]) if similarity and found else ()
    scene = _Scene(
        shape=shape,
        titles=titles,
        title_roots=title_roots,
        named=frozenset(i for i, title in enumerate(titles) if shape.mentions(title)),
        sentences=found,
        weights=shape.weights([*(sentence.roots for sentence in found), *title_roots]),
        similarities=tuple(float(cosine) for cosine in cosines) or (0.0,) * len(found),
    )
    scene = replace(scene, bridges=_bridges(scene))
    return replace(scene, bridges=_bridges(scene))


def _sentence_roots(text: str) -> frozenset[str]:
    life = life_facts(text)
    implied = [word for word, fact in (("birth", life.birth), ("die", life.death)) if fact]
    return frozenset([*roots(text), *implied])


def _coverage(scene: _Scene, held: frozenset[str], context: frozenset[str] = frozenset()) -> float:
    """Weighted share in 0..1 of the question's roots in ``held``, or for less in ``context``."""
    total = sum(scene.weights.values()) or 1.0
    shares = ((1.0 if r in held else 0.8 * (r in context), w) for r, w in scene.weights.items())
    return sum(share * weight for share, weight in shares) / total


def _own(scene: _Scene, index: int) -> frozenset[str]:
    sentence = scene.sentences[index]
    return sentence.roots | scene.title_roots[sentence.passage]


def _context(scene: _Scene, index: int) -> frozenset[str]:
    """What a sentence need not say: its title, and what leads to its passage."""
    passage = scene.sentences[index].passage
    bridge = scene.bridges.get(passage, _NO_BRIDGE)
    return scene.title_roots[passage] | (_NO_BRIDGE if index in bridge.sentences else bridge).roots


def _score(scene: _Scene, index: int) -> float:
    """How well a sentence in its context covers the question."""
    covered = _coverage(scene, scene.sentences[index].roots, _context(scene, index))
    return covered + 0.4 * scene.similarities[index]


def _of(scene: _Scene, passage: int) -> list[int]:
    return [i for i, sentence in enumerate(scene.sentences) if sentence.passage == passage]


def _ranked(scene: _Scene, indices: Iterable[int]) -> list[int]:
    return sorted(indices, key=lambda index: (-_score(scene, index), index))


@lru_cache(maxsize=2_000)
def _mention(title: str) -> re.Pattern[str]:
    """Finds ``title`` in a text; a name also with its middle names left out or put in."""
    words, pattern = title.split(), re.escape(title)
    if 2 <= len(words) <= 4 and words[0] != "The" and all(word[0].isupper() for word in words):
        pattern = rf"{re.escape(words[0])}(?: [\w.\"'“”]+){{0,3}}? {re.escape(words[-1])}"
    return re.compile(rf"(?<!\w){pattern}(?![^\W가-힣])")


def _mentions(scene: _Scene) -> Iterable[tuple[int, int, int, int]]:
    """(target, index, start, end): where a sentence names the title of another passage."""
    for target, title in enumerate(scene.titles):
        if target in scene.named or len(title) < 2:
            continue
        first, pattern = title.split()[0], _mention(title)
        for index, sentence in enumerate(scene.sentences):
            if sentence.passage != target and first in sentence.text:
                for mention in pattern.finditer(sentence.text):
                    yield target, index, *mention.span()


def _bridges(scene: _Scene) -> dict[int, _Bridge]:
    """For each passage the question does not name: the best sentence elsewhere that mentions it."""
    best: dict[int, _Bridge] = {}
    for target, index, start, end in _mentions(scene):
        own, earlier = _own(scene, index), scene.bridges.get(scene.sentences[index].passage)
        if not earlier or index in earlier.sentences:
            earlier = _NO_BRIDGE
        near = _proximity(scene, index, start, end, frozenset())
        weight = _coverage(scene, own, earlier.roots) + 0.5 * near
        if target not in best or weight > best[target].weight:
            covered = (own | earlier.roots) & scene.shape.terms
            best[target] = _Bridge(covered, (*earlier.sentences, index), weight)
    return best


@lru_cache(maxsize=20_000)
def _placed_roots(text: str) -> tuple[tuple[int, int, str], ...]:
    return tuple(
        (word.start(), word.end(), root)
        for word in re.finditer(r"[^\W_]+", text)
        for root in roots(word.group())
    )


def _proximity(scene: _Scene, index: int, start: int, end: int, known: frozenset[str]) -> float:
    """Closeness in 0..1.2 of the question's roots to a span; those ``known`` count anyway."""
    text, weights = scene.sentences[index].text, scene.weights
    near = {root: 0.4 * weights[root] for root in weights if root in known}
    for left, right, root in _placed_roots(text):
        if root in weights and (right <= start or left >= end):
            gap = text[right:start] if right <= start else text[end:left]
            joined = right <= start and re.fullmatch(r"\s*(?:by|is|was|:)?\s*(?:the )?", gap)
            closeness = 1.2 if joined else 1 / (1 + len(gap) / 12)
            near[root] = max(near.get(root, 0.0), closeness * weights[root])
    return sum(near.values()) / (sum(weights.values()) or 1.0)


def _typed(scene: _Scene) -> _Finding | None:
    """The best span of the type asked for; passages about unnamed persons count more."""
    bearing = {_subject(scene, i)[0] for i in scene.named} if scene.shape.roles else set[int]()
    subjects = bearing - scene.named
    bearers = [scene.title_roots[passage] for passage in subjects]
    found: list[tuple[float, _Finding]] = []
    for index, sentence in enumerate(scene.sentences):
        known = _context(scene, index)
        base = _score(scene, index) + 0.4 * (sentence.passage in subjects)
        for candidate in _candidates(scene, sentence, subjects):
            if candidate.text.lower() in scene.shape.text.lower():
                continue
            near = _proximity(scene, index, candidate.start, candidate.end, known)
            near = max(near, candidate.prior > 1)
            own = frozenset(roots(candidate.text)) if bearers else frozenset()
            bearer = any(own <= title or title <= own for title in bearers)
            score = base + near + 0.5 * candidate.prior - 0.5 * bearer
            support = (*scene.bridges.get(sentence.passage, _NO_BRIDGE).sentences, index)
            fit = min(1.0, near + candidate.prior)
            found.append((score, _Finding(candidate.text, support, fit)))
    return max(found, key=lambda scored: scored[0])[1] if found else None


def _candidates(scene: _Scene, sentence: _Sentence, subjects: set[int]) -> list[Candidate]:
    shape, title = scene.shape, scene.titles[sentence.passage]
    found = candidates(sentence.text, shape.answer_type, shape.noun, title)
    if shape.measure in {"birth", "death"} and shape.answer_type in {"date", "place"}:
        life = life_facts(sentence.text)
        fact = getattr(life, shape.measure + ("place" if shape.answer_type == "place" else ""))
        allowed = not subjects or sentence.passage in subjects
        inside = {c for c in found for f in life if f and f.start <= c.start < f.end}
        told = [c for c in found if allowed and fact and fact.start <= c.start < fact.end]
        found = [c for c in found if c not in inside] + [c._replace(prior=1.5) for c in told]
    if shape.answer_type in {"person", "name"} and title and sentence.text.startswith(title):
        found.append(Candidate(0, len(title), title, 0.4))
    return found


def _best_sentences(scene: _Scene, count: int) -> _Finding:
    """The best sentences, each adding something to those before it, in document order."""
    order = _ranked(scene, range(len(scene.sentences)))
    least = 0.5 * _score(scene, order[0])
    chosen: list[int] = []
    for index in order:
        own = scene.sentences[index].roots
        shared = (len(own & scene.sentences[other].roots) for other in chosen)
        fresh = max(shared, default=0) <= 0.6 * max(1, len(own))
        if len(chosen) < count and fresh and _score(scene, index) >= least:
            chosen.append(index)
    answer = " ".join(scene.sentences[index].text for index in sorted(chosen))
    return _Finding(answer, tuple(sorted(chosen)), 1.0)


def _definition(scene: _Scene) -> _Finding | None:
    """The best sentence that opens with the thing asked about and says what it is."""
    defining = re.compile(r"\b(?:is|are|was|were|refers?|means?)\b|이?란|[은는]")
    for index in _ranked(scene, range(len(scene.sentences))):
        text = scene.sentences[index].text
        if scene.shape.terms <= frozenset(roots(text[:60])) and defining.search(text):
            return _Finding(text, (index,), 1.0)
    return None


def _compared(scene: _Scene) -> list[tuple[str, int]]:
    """The options with the passages about them, else the two longest titles the question names."""
    present = sorted({sentence.passage for sentence in scene.sentences})
    found: dict[int, str] = {}
    for option in scene.shape.options:
        wanted = frozenset(roots(re.sub(r"\s*\(.*?\)$", "", option)))
        titles = {i: scene.title_roots[i] for i in present}
        best = max(present, key=lambda i: len(wanted & titles[i]) / len(wanted | titles[i] | {""}))
        if 2 * len(wanted & titles[best]) >= len(wanted | titles[best]) > 0:
            found[best] = option
    if len(found) == len(scene.shape.options) >= 2:
        return [(option, passage) for passage, option in found.items()]
    full = sorted(scene.named.intersection(present), key=lambda i: (-len(scene.titles[i]), i))[:2]
    return [(scene.titles[i], i) for i in full] if len(full) == 2 else []


def _subject(scene: _Scene, passage: int) -> tuple[int, tuple[int, ...]]:
    """The passage "the director of" ``passage`` asks about, with the sentence that leads there."""
    nearest, target, link = 41, passage, tuple[int, ...]()
    titles = (scene.title_roots[named] for named in scene.named | {passage})
    asked = scene.shape.roles or scene.shape.terms.difference(*titles)
    for other, index, start, end in _mentions(scene):
        if scene.sentences[index].passage == passage:
            for left, right, root in _placed_roots(scene.sentences[index].text):
                gap = max(start - right, left - end, 0)
                if root in asked and gap < nearest:
                    nearest, target, link = gap, other, (index,)
    return target, link


def _value(scene: _Scene, passage: int) -> tuple[float | str, tuple[int, ...]] | None:
    """What the question compares, for one passage, and the sentences that say it."""
    subject, link = _subject(scene, passage)
    own, measure = _of(scene, subject), scene.shape.measure
    for index in _ranked(scene, own) if measure in {"number", "date"} else own:
        close = partial(_proximity, scene, index, known=_context(scene, index))
        found = measured(scene.sentences[index].text, measure, close)
        if found is not None:
            return found, (*link, index)
    return None


def _same(scene: _Scene) -> _Finding | None:
    """Yes or no to whether two things share a country, a date, a number or another name."""
    pairs, measure = _compared(scene)[:2], scene.shape.measure
    if len(pairs) < 2 or (scene.shape.comparison != "same" and measure != "country"):
        return None
    if measure == "none":
        best = [_ranked(scene, _of(scene, passage))[0] for _, passage in pairs]
        held = [{span.text for span in name_spans(scene.sentences[i].text)} for i in best]
        shared = {name for name in held[0] & held[1] if not countries(name)}
        return _Finding(scene.shape.verdict(bool(shared)), tuple(best), 0.7)
    values = [value for _, passage in pairs if (value := _value(scene, passage))]
    if len(values) < 2:
        return None
    equal = values[0][0] == values[1][0]
    return _Finding(scene.shape.verdict(equal), values[0][1] + values[1][1], 1.0)


_NEGATION = re.compile(r"\b(?:not|never|no longer|neither|nor)\b|n['’]t\b|않|아니|못|없")


def _assertion(scene: _Scene) -> _Finding:
    """Yes when the passages say what the question says, for each of the things it speaks of."""
    pairs = _compared(scene)
    things = [_of(scene, passage) for _, passage in pairs] or [[*range(len(scene.sentences))]]
    named = frozenset(roots(" ".join([*scene.shape.options, *(scene.titles[p] for _, p in pairs)])))
    predicate = scene.shape.terms - named
    support, holds = list[int](), True
    for own in things:
        best = max(_ranked(scene, own), key=lambda i: len(predicate & scene.sentences[i].roots))
        share = len(predicate & scene.sentences[best].roots) / max(1, len(predicate))
        said = _NEGATION.search(scene.sentences[best].text)
        denied = bool(said) != bool(_NEGATION.search(scene.shape.text))
        holds = holds and share > 0.6 and not denied
        support.append(best)
    return _Finding(scene.shape.verdict(holds), tuple(support), 1.0)


def _choice(scene: _Scene) -> _Finding | None:
    """The option with the smaller or greater value, else the one best covered by its passage."""
    pairs = _compared(scene)
    values = [(value, option) for option, passage in pairs if (value := _value(scene, passage))]
    if not pairs:
        return None
    if len(values) == len(pairs) and scene.shape.comparison in {"least", "greatest"}:
        pick = min if scene.shape.comparison == "least" else max
        chosen = pick(values, key=lambda pair: pair[0][0])
        return _Finding(chosen[1], tuple(i for value, _ in values for i in value[1]), 1.0)
    best = [_ranked(scene, _of(scene, passage))[0] for _, passage in pairs]
    top = max(range(len(pairs)), key=lambda k: _score(scene, best[k]))
    return _Finding(pairs[top][0], tuple(best), 0.5)
