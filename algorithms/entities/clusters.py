"""Names that may be one entity: candidates that share something rare, which are then compared."""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise, repeat
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from rapidfuzz import fuzz

from ...language.analyser import STOP_WORDS
from ...language.mentions import normalised
from ...state.entities import Reason
from ..similarity import jaccard
from . import spellings as forms

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Embed: TypeAlias = Callable[[list[str]], NDArray[np.float32]]

_NEIGHBOURS = 0.4  # θ: the least |N∩N| / |N∪N| of two names with the same neighbours
_SHARED = 2  # the least neighbours that such names share
_SIMILARITY = 80.0  # the least of two spellings merged for their neighbours or embeddings (0..100)
_COSINE = 0.92  # the least of the embeddings of two names
MOST_SHARING = 50  # a word that more names share makes no candidates
_CONTRASTS = frozenset(
    """north south east west northern southern eastern western northeast northwest southeast
    southwest upper lower new old great little greater lesser inner outer central men women male
    female senior junior boys girls spring summer autumn winter early late pre post anti non
    vice deputy no not""".split()
)


@dataclass(frozen=True, slots=True)
class Name:
    """One normalised name of one kind, before merging.

    ``name`` is its most frequent spelling, ``kinds`` the coarse kinds it may be (empty: unknown),
    ``titles`` the documents it occurs in and ``neighbours`` the ids of names it is related to.
    """

    id: str
    name: str
    kinds: frozenset[str]
    passages: frozenset[str]
    titles: frozenset[str]
    neighbours: frozenset[str] = frozenset()


FormsOf: TypeAlias = Callable[[Name], Iterable[Hashable]]
Common: TypeAlias = Mapping[FormsOf, Collection[Hashable]]


class Link(NamedTuple):
    """Names ``a`` and ``b``, by id, may be one for ``reason``; ``score`` is in (0, 1].

    The score is the cosine for embeddings, |N∩N| / |N∪N| for neighbours, the similarity of the
    spellings for "fuzzy" and "short name", and 1 for the rest.
    """

    a: str
    b: str
    reason: Reason
    score: float


def compatible(a: Collection[str], b: Collection[str]) -> bool:
    """Whether two entities may be of one kind; unknown kinds may be any."""
    return not a or not b or not set(a).isdisjoint(b)


def similarity(a: str, b: str) -> float:
    """The similarity of two spellings in [0, 1], without regard to the order of words."""
    return round(fuzz.token_sort_ratio(normalised(a), normalised(b)) / 100, 4)


def propose(
    names: Sequence[Name], embed: Embed | None = None, common: Common | None = None
) -> list[Link]:
    """All merges that the names themselves and their neighbours suggest, in no particular order.

    Where ``names`` are only some of all, ``common`` are the forms that too many of all share.
    """
    ordered, common = sorted(names, key=lambda name: name.id), common or {}
    return [
        *_same_names(ordered, common),
        *_slips(ordered, common),
        *_persons(ordered, common),
        *_weak(ordered, embed, common),
    ]


def sharing(
    names: Sequence[Name], forms_of: FormsOf, common: Common | None = None
) -> Iterator[tuple[Name, ...]]:
    """Groups of the names that share a form, but for forms that very many share.

    Most forms are of one name alone: they are told by their hashes, and not kept.
    """
    hashes, places = array("q"), array("q")
    left_out = common.get(forms_of, ()) if common else ()
    for place, name in enumerate(names):
        hashes.extend([hash(form) for form in forms_of(name) if form and form not in left_out])
        places.extend(repeat(place, len(hashes) - len(places)))
    for value, group in _of_one_value(hashes, places):
        found: defaultdict[Hashable, list[Name]] = defaultdict(list)
        for place in group:
            for form in dict.fromkeys(forms_of(names[place])):
                if form and hash(form) == value:
                    found[form].append(names[place])
        yield from (tuple(same) for same in found.values() if len(same) > 1)


def _of_one_value(values: array[int], places: array[int]) -> Iterator[tuple[int, list[int]]]:
    """Each value that several places have, but not very many, with these places, ascending."""
    import numpy as np

    order = np.argsort(np.asarray(values), kind="stable")
    sorted_values, sorted_places = np.asarray(values)[order], np.asarray(places)[order]
    ends = np.flatnonzero(np.diff(sorted_values)) + 1
    for start, end in pairwise([0, *ends.tolist(), len(values)]):
        if end - start > 1:
            group = list(dict.fromkeys(sorted_places[start:end].tolist()))
            if 2 <= len(group) <= MOST_SHARING:
                yield int(sorted_values[start]), group


def _shared_neighbours(a: Name, b: Name) -> float:
    """|N∩N| / |N∪N| if it exceeds θ and enough are shared, else 0."""
    if a.neighbours.isdisjoint(b.neighbours) or len(a.neighbours & b.neighbours) < _SHARED:
        return 0.0
    share = jaccard(a.neighbours, b.neighbours)
    return share if share > _NEIGHBOURS else 0.0


def _in_context(a: Name, b: Name) -> bool:
    """Whether both occur in one document or have the same neighbours."""
    return not a.titles.isdisjoint(b.titles) or _shared_neighbours(a, b) > 0


def _plain(name: Name) -> Iterable[Hashable]:
    return forms.canonical(name.name), forms.compact(name.name)


def _legal(name: Name) -> Iterable[Hashable]:
    company = not name.kinds or "organization" in name.kinds
    return (forms.without_legal_form(name.name),) if company else ()


def _common_noun(name: Name) -> Iterable[Hashable]:
    return (forms.singular(name.name),)


def _without_particle(name: Name) -> Iterable[Hashable]:
    return (forms.without_particle(name.name),)


def _same_names(names: Sequence[Name], common: Common) -> Iterator[Link]:
    for forms_of in (_plain, _legal, _common_noun, _without_particle):
        for group in sharing(names, forms_of, common):
            for a, b in combinations(group, 2):
                if _alike(a, b) and (forms_of is not _without_particle or _particle(a, b)):
                    reason: Reason = "fuzzy" if forms_of is _common_noun else "same normalised name"
                    yield Link(a.id, b.id, reason, similarity(a.name, b.name) or 1.0)


def _alike(a: Name, b: Name) -> bool:
    return compatible(a.kinds, b.kinds) and forms.fixed_parts(a.name) == forms.fixed_parts(b.name)


def _particle(a: Name, b: Name) -> bool:
    """Whether the surplus of the longer Korean name is a particle, not a syllable of the name."""
    more = abs(len(forms.canonical(a.name)) - len(forms.canonical(b.name)))
    return more >= 2 or not a.titles.isdisjoint(b.titles)


def _signatures(name: Name) -> Iterable[Hashable]:
    return forms.slip_signatures(forms.canonical(name.name))


def _slips(names: Sequence[Name], common: Common) -> Iterator[Link]:
    for group in sharing(names, _signatures, common):
        for a, b in combinations(group, 2):
            kind = forms.slip(forms.canonical(a.name), forms.canonical(b.name))
            related = b.id in a.neighbours
            if kind == "no" or related or not _alike(a, b):
                continue
            if kind == "likely" or _in_context(a, b):
                yield Link(a.id, b.id, "fuzzy", similarity(a.name, b.name))


def surname(name: Name) -> Iterable[Hashable]:
    """The last part of a name that may be a person's."""
    person = not name.kinds or "person" in name.kinds
    return forms.person_parts(name.name)[-1:] if person else ()


def _persons(names: Sequence[Name], common: Common) -> Iterator[Link]:
    """Initials and short names, only where the corpus knows no second person they could mean."""
    for group in sharing(names, surname, common):
        several = [name for name in group if len(forms.person_parts(name.name)) > 1]
        full = [name for name in several if not forms.is_byname(name.name)]
        fits: dict[frozenset[str], str] = {
            frozenset((a.id, b.id)): fit
            for a, b in combinations(full, 2)
            if (fit := forms.same_person(a.name, b.name)) != "no" and b.id not in a.neighbours
        }
        for a, b in combinations(full, 2):
            found = fits.get(frozenset((a.id, b.id)))
            if not found or not (_unambiguous(a, full, fits) and _unambiguous(b, full, fits)):
                continue
            known = "person" in a.kinds and "person" in b.kinds
            certain = found == "initials" and (known or "." in a.name + b.name)
            if certain or (known and _in_context(a, b)):
                reason: Reason = "fuzzy" if found == "initials" else "short name"
                yield Link(a.id, b.id, reason, similarity(a.name, b.name))
        yield from _surnames(group, full, fits)


def _unambiguous(name: Name, full: Sequence[Name], fits: Mapping[frozenset[str], str]) -> bool:
    """Whether all that may be the same person as ``name`` may be so among themselves."""
    mates = [other.id for other in full if frozenset((name.id, other.id)) in fits]
    return all(frozenset(pair) in fits for pair in combinations(mates, 2))


def _surnames(
    group: Sequence[Name], full: Sequence[Name], fits: Mapping[frozenset[str], str]
) -> Iterator[Link]:
    alone = [n for n in group if "person" in n.kinds and len(forms.person_parts(n.name)) == 1]
    persons = [name for name in full if "person" in name.kinds]
    if persons and all(frozenset((a.id, b.id)) in fits for a, b in combinations(persons, 2)):
        named = [name for name in persons if forms.is_full_name(name.name)]
        best = min(named, key=lambda name: (-len(name.passages), name.id), default=None)
        for name in alone if best else ():
            if best and best.id not in name.neighbours:
                yield Link(name.id, best.id, "short name", similarity(name.name, best.name))


def _weak(names: Sequence[Name], embed: Embed | None, common: Common) -> Iterator[Link]:
    """Names of some similarity that have the same neighbours, or else close embeddings.

    Embeddings do not see that a word more ("Left") makes another thing, so they need as many words.
    """
    rest: dict[tuple[str, str], tuple[Name, Name]] = {}
    for forms_of in (_words, initials):
        for group in sharing(names, forms_of, common):
            for a, b in combinations(group, 2):
                if forms_of is initials and not abbreviated(a, b):
                    continue
                share = _shared_neighbours(a, b)
                if share and (abbreviated(a, b) or _similar(a, b, fuzz.token_set_ratio)):
                    if _comparable(a, b):
                        yield Link(a.id, b.id, "shared neighbours", round(share, 4))
                elif embed and (
                    len(_words(a)) == len(_words(b))
                    and _similar(a, b, fuzz.ratio)
                    and _comparable(a, b)
                ):
                    rest[a.id, b.id] = a, b
    if embed and rest:
        yield from _embedded(list(rest.values()), embed)


def _words(name: Name) -> list[str]:
    return [word for word in forms.canonical(name.name).split() if word not in STOP_WORDS]


def initials(name: Name) -> Iterable[Hashable]:
    """The initials of a name, or the name itself where it may be an abbreviation."""
    own = name.name.replace(".", "")
    short = {own.lower()} if own.isupper() and len(own) > 2 else set[str]()
    return sorted(short | {full for full in forms.acronyms(name.name) if len(full) > 2})


def abbreviated(a: Name, b: Name) -> bool:
    """Whether one of two names is the initials of the other."""
    return forms.is_acronym(a.name, b.name) or forms.is_acronym(b.name, a.name)


def _comparable(a: Name, b: Name) -> bool:
    """Whether nothing says that two names are two things.

    A text that relates them, or lists both, means two; so do other numbers, directions and kinds.
    """
    if b.id in a.neighbours or not a.passages.isdisjoint(b.passages) or not _alike(a, b):
        return False
    x, y = set(forms.canonical(a.name).split()), set(forms.canonical(b.name).split())
    if (x ^ y) & _CONTRASTS:
        return False
    persons = "person" in a.kinds or "person" in b.kinds
    if not persons and any(len(word) == 1 and word != "s" for word in x ^ y):
        return False
    return not persons or forms.same_person(a.name, b.name) != "no"


def _similar(a: Name, b: Name, ratio: Callable[..., float]) -> bool:
    return ratio(forms.canonical(a.name), forms.canonical(b.name), score_cutoff=_SIMILARITY) > 0


FORMS: tuple[FormsOf, ...] = (
    _plain, _legal, _common_noun, _without_particle, _signatures, surname, _words, initials
)  # fmt: skip
"""All forms of which two names share at least one if something may suggest that they are one."""


def _embedded(pairs: Sequence[tuple[Name, Name]], embed: Embed) -> Iterator[Link]:
    import numpy as np

    texts = sorted({name.name for pair in pairs for name in pair})
    vectors = embed(texts)
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    vectors = np.divide(vectors, np.maximum(lengths, 1e-12), dtype=np.float32)
    row = {text: place for place, text in enumerate(texts)}
    for a, b in pairs:
        cosine = float(vectors[row[a.name]] @ vectors[row[b.name]])
        if cosine >= _COSINE:
            yield Link(a.id, b.id, "embedding", round(min(cosine, 1.0), 4))
