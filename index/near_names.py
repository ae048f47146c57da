"""Merging anew the names that are near a change, where the names of all others stand as merged."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from sqlalchemy import func, select

from ..algorithms.entities.candidates import generic_among, keep_persons, small_words
from ..algorithms.entities.decisions import ALONE, Decisions
from ..algorithms.entities.name_forms import small_hash
from ..algorithms.entities.near import Near
from ..algorithms.entities.senses import FoundFacts, Senses, SpelledName, spelled_in
from ..language.mentions import normalised
from ..state.entities import Merge, SaidName
from ..state.facts import EntityFact, PassageFacts
from ..stores import tables
from ..stores.kept_names import (
    KEPT_NAMES,
    MergedPassage,
    changed_documents,
    found,
    known_names,
    merged_in,
    one_of,
    passages_to_merge,
    replace_some,
    rows_of_tuples,
    said_with,
    texts_with,
)
from ..stores.queries import batches
from .opening import Index

if TYPE_CHECKING:
    from sqlalchemy import Connection

_FEW = 200  # passages, which are always merged near alone
_SHARE = 10  # else that part of all
SAID, PASSAGES = tables.said_names.c, tables.merged_passages.c


class NotNearError(Exception):
    """More hangs on a change than the names that are near it."""


class NearFacts:
    """The facts of passages, read when they are asked for, and kept."""

    def __init__(self, index: Index, connection: Connection) -> None:
        self._index, self._connection = index, connection
        self._values: dict[str, PassageFacts] = {}
        self._kept: dict[str, FoundFacts] = {}

    def of(self, passages: Iterable[str]) -> list[FoundFacts]:
        """The facts of passages that there are, in the order of texts."""
        wanted = set(passages)
        missing = wanted - self._kept.keys()
        self._read(missing)
        for batch in batches(sorted(missing & self._values.keys())):
            for one in self._index.catalogue.passages(batch):
                place = (one["text"], self._values[id := one["id"]], one["start"], one["title"])
                read = FoundFacts(id, one["document"], *place)
                self._kept[id] = read._replace(spelled=tuple(spelled_in(read)))
        return _in_order(self._kept[id] for id in wanted if id in self._kept)

    def around(self, said: Iterable[SaidName]) -> list[FoundFacts]:
        """The passages of names, by passage and place, with these names alone and no text."""
        merged, names = tables.merged_passages.c, defaultdict[str, list[SpelledName]](list)
        for one, name in self._spelled(said):
            names[one.passage].append(name)
        query = select(merged.passage, merged.document, merged.start)
        return _in_order(
            FoundFacts(id, document, "", _facts_of(names[id]), start, spelled=tuple(names[id]))
            for id, document, start in found(self._connection, query, merged.passage, names)
        )

    def _spelled(self, said: Iterable[SaidName]) -> Iterator[tuple[SaidName, SpelledName]]:
        """Names that the facts of passages have, each with all that they tell of it."""
        said = list(said)
        self._read({one.passage for one in said})
        for one in said:
            facts = self._values[one.passage]
            entities = facts["entities"]
            own = [fact for fact in entities if " ".join(fact["name"].split()) == one.spelling]
            if len(own) > 1:
                every = spelled_in(FoundFacts(one.passage, "", "", facts))
                yield one, [*every][one.place]
            elif own:
                yield one, SpelledName(one.spelling, own[0]["type"], own[0]["description"].strip())
            else:  # the end of a relation
                yield one, SpelledName(one.spelling, "", "")

    def _read(self, passages: Collection[str]) -> None:
        missing = sorted(passages - self._values.keys())
        self._values |= self._index.readings.values_of("facts", missing)


def _facts_of(names: Iterable[SpelledName]) -> PassageFacts:
    entities: list[EntityFact] = [
        {"name": name, "type": type, "description": told} for name, type, told in names
    ]
    return {"entities": entities, "relations": [], "claims": []}


def _in_order(facts: Iterable[FoundFacts]) -> list[FoundFacts]:
    return sorted(facts, key=lambda one: (one.title, one.start, one.passage))


class NearNames:
    """The names in passages of changed documents, with their ids and all that they rest on.

    ``place`` stores them. Afterwards ``touched`` are ids of names that are another than before, or
    in other passages, ``before`` what was said in the passages, ``passages`` these.
    """

    def __init__(self, index: Index, connection: Connection) -> None:
        self._connection = connection
        self.facts = NearFacts(index, connection)
        self._kept: dict[str, Any] = index.catalogue.property(KEPT_NAMES)
        self._count = index.catalogue.count_passages()
        self.greatest: float = self._kept["greatest"]
        self.generic: dict[str, str] = self._kept["generic"]
        self.touched: set[str] = set()
        self.documents = changed_documents(connection)
        self._grow()

    def _grow(self) -> None:
        """Takes whole documents."""
        stored = merged_in(self._connection, self.documents)
        now = passages_to_merge(self._connection, self.documents)
        self._stored = {one.passage: one for one in stored}
        self._now = {one.passage: one for one in now}
        self.passages = self._stored.keys() | self._now.keys()
        self._bound(len(self.passages))

    def _bound(self, count: int) -> None:
        if count > max(_FEW, self._count // _SHARE):
            raise NotNearError

    def place(self) -> None:
        """Places the names of the changed documents, and stores where they are."""
        while more := self._place():
            self.documents |= more
            self._grow()
        self._check_words()
        self._store()

    def _place(self) -> set[str]:
        """Further documents whose names have to be placed, since they hang on these."""
        here = self.facts.of(self.passages)
        self.before = said_with(self._connection, SAID.passage, self.passages)
        self._slots = {one.slot for one in self.before}
        self._slots |= {normalised(name) for one in here for name in _names(one)}
        if any(ALONE in slot or slot in self.generic for slot in self._slots):
            raise NotNearError
        beyond = said_with(self._connection, SAID.slot, self._slots)
        self._beyond = [one for one in beyond if one.passage not in self.passages]
        self._bound(len({one.passage for one in self._beyond} | self.passages))
        around = self.facts.around(one for one in self._beyond if one.own)
        near = Near(self.documents, self._slots, self)
        self.senses = Senses(_in_order([*here, *around]), Decisions(), near=near)
        said = self.senses.said({})
        self.after = [one for one in said if one.passage in self.passages]
        if any(name for *_, name in [*self.senses.explained, *self._explained(self.passages)]):
            raise NotNearError
        _check_homonyms([*self.after, *self._beyond])
        own, stored = defaultdict[str, list[str]](list), defaultdict[str, list[str]](list)
        for found_in, names in ((own, said), (stored, self._beyond)):
            for one in names:
                found_in[one.passage] += [one.own] if one.own else []
        other = {one.title for one in around if own[one.passage] != stored[one.passage]}
        return other | self._first_documents()

    def _first_documents(self) -> set[str]:
        """Documents that are now the first to call a person by a short name as others do."""
        self.first: dict[tuple[str, str], str] = {}
        more = set[str]()
        was, now = self._pairs(self.before, self._stored), self._pairs(self.after, self._now)
        for pair in {*was, *now}:
            query = select(func.min(PASSAGES.document)).where(
                PASSAGES.passage == SAID.passage,
                SAID.own == pair[0],
                SAID.short == pair[1],
                PASSAGES.document.not_in(self.documents),
            )
            beyond = self._connection.scalar(query)
            first = min(filter(None, (now.get(pair), beyond)), default=None)
            if first is not None and first == beyond and was.get(pair, first) < first:
                more.add(first)
            elif first is not None and first != beyond:
                self.first[pair] = first
        return more

    def _pairs(
        self, said: Iterable[SaidName], places: Mapping[str, MergedPassage]
    ) -> dict[tuple[str, str], str]:
        """The ids of short names and of persons, with the first document that has them."""
        firsts: dict[tuple[str, str], str] = {}
        for one in said:
            if one.own != one.short:
                document = places[one.passage].document
                pair = (one.own, one.short)
                firsts[pair] = min(firsts.get(pair, document), document)
        return firsts

    def __contains__(self, name: object) -> bool:
        """Whether the corpus has a normalised name that is not placed here, or is general."""
        if name in self._slots or name in self.generic:
            return name in self.generic
        return bool(one_of(self._connection, SAID.slot, [str(name)], SAID.slot))

    def _explained(self, passages: Iterable[str]) -> list[tuple[str, str, str]]:
        table = tables.explained_names
        rows = found(self._connection, select(table), table.c.passage, passages)
        return [(row.passage, row.alias, row.name) for row in rows]

    def _check_words(self) -> None:
        """Raises NotNearError where a name becomes a general word, or is none any more, or a name
        has come or gone of which texts elsewhere may tell.
        """
        persons: dict[str, str] = {}
        for one in self.senses.passages:
            keep_persons(one, persons)
        persons = {name: one for name, one in persons.items() if name in self._slots}
        lower = _SmallWords(self._connection)
        if self.generic.keys() & persons.keys() or generic_among(persons, lower):
            raise NotNearError
        words = {word for one in self.facts.of(self.passages) for word in small_words(one.text)}
        forms = tables.name_forms.c
        hit = one_of(self._connection, forms.form, map(small_hash, words), forms.name)
        named = known_names(self._connection, hit).values()
        if any(normalised(one.spelling) not in self.generic for one in named):
            raise NotNearError
        gone = self._stored.keys() - self._now.keys()
        if gone and any(word and word not in lower for word in self.generic.values()):
            raise NotNearError
        had = {one.slot for one in [*self.before, *self._beyond]}
        has = {one.slot for one in [*self.after, *self._beyond]}
        table = tables.explained_names.c
        if one_of(self._connection, table.alias, had ^ has, table.passage) - self.passages:
            raise NotNearError

    def _store(self) -> None:
        connection, passages = self._connection, self.passages
        related = ((x, y, p) for a, b, p in self.senses.related() for x, y in ((a, b), (b, a)))
        asked, now = sorted(self.senses.explained), sorted(passages & self._now.keys())
        for table, new in (
            (tables.merged_passages, [self._now[id] for id in now]),
            (tables.explained_names, asked),
            (tables.related_names, sorted(set(related))),
            (tables.said_names, self.after),
        ):
            rows = rows_of_tuples(table, new)
            replace_some(connection, table, [table.c.passage], passages, rows)
        known = {one.id: one for one in self.senses.known_names()}
        every = [*self.before, *self.after, *self._beyond]
        self.touched = {id for one in every for id in (one.own, one.short, one.name) if id}
        self.touched |= known.keys()
        names = tables.names
        self.former = known_names(connection, self.touched)
        # Others are of slots that have not changed.
        owners = self.touched - one_of(connection, SAID.own, self.touched - known.keys(), SAID.own)
        replace_some(connection, names, [names.c.id], owners, rows_of_tuples(names, known.values()))

    def short_merges(self) -> dict[tuple[str, str], Merge]:
        """The merges of short names of which a changed document tells first, by both ids."""
        told = {(one.merged_id, one.kept_id): one for one in self.senses.short}
        return {pair: told[pair] for pair in self.first}


class _SmallWords:
    """The words that the texts of an index write with a small letter."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def __contains__(self, word: object) -> bool:
        return any(word in small_words(text) for text in texts_with(self._connection, str(word)))


def _names(one: FoundFacts) -> Iterator[str]:
    """All names in the facts of a passage."""
    facts = one.facts
    yield from (fact["name"] for fact in facts["entities"])
    for fact in facts["relations"]:
        yield from (fact["source"], fact["target"])
    yield from (claim["subject"] for claim in facts["claims"])


def _check_homonyms(said: Sequence[SaidName]) -> None:
    """Raises NotNearError where a passage gives one name to two things."""
    meant: dict[tuple[str, str], str] = {}
    for one in said:
        if one.own and meant.setdefault((one.passage, one.slot), one.own) != one.own:
            raise NotNearError
