"""The material of reports on communities, and reports made of a model's replies."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cached_property
from itertools import accumulate, chain

from ..algorithms.graphrag.report_context import (
    Child,
    Element,
    ordered_elements,
    report_context,
    reports_alone,
)
from ..algorithms.similarity import jaccard
from ..language.analyser import count_tokens, keywords, one_line
from ..language.claims import told_claim
from ..prompts.graphrag_replies import CommunityReport
from ..prompts.prompt import Excerpt, number, numbered
from ..state.reports import Finding, Report
from ..stores.communities import StoredCommunity
from ..stores.entities import StoredRelation
from .opening import Index

_KINDS = {"entity": "Entity", "relation": "Relation", "claim": "Claim", "report": "Report"}
_LINE_TOKENS = 6
_MOST_PASSAGES = 20
_TITLED = 3
_ASSEMBLED_FINDINGS = 10
_ASSEMBLED_RATING = 2.0
ASIDE_RATING = 1.0  # of what is told in passing


class Material:
    """The entities, relations and claims of every community, as rows of its report's context.

    ``limit`` is the most tokens of a context. Given ``only`` some communities, rows are read when
    they are asked for, which blocks, as the making does; else all of them at once.
    """

    def __init__(self, index: Index, limit: int, only: Collection[str] | None = None) -> None:
        self._index, self._limit, self._only = index, limit, only
        self._children: defaultdict[str, list[str]] = defaultdict(list)
        store = index.communities
        for id, parent in (store.parents() if only is None else store.children_of(only)).items():
            self._children[parent].append(id)
        if only is None:
            self._communities = store.all()
        else:
            near = {*only, *(child for id in only for child in self._children.get(id, ()))}
            self._communities = list(store.get(sorted(near)).values())
        self._members: dict[str, list[str]] = {}
        self._once: dict[str, str] = {}  # one object for what is equal, in all lists
        self._entities: dict[str, Element] = {}
        self._claims: defaultdict[str, list[Element]] = defaultdict(list)
        self._pairs = set[tuple[str, str]]()
        self._degree: Counter[str] = Counter()
        self._from: defaultdict[str, list[StoredRelation]] = defaultdict(list)
        self._inside: dict[str, list[StoredRelation]] = {}
        self._passages: dict[tuple[str, str], tuple[str, ...]] = {}
        self._tokens: dict[str, int] = {}
        self._kept: dict[str, int] = {}  # tokens of all rows of communities
        if only is None:
            self._read([one.id for one in self._communities], is_all=True)
        else:
            self._kept = store.tokens_of({one.id for one in self._communities}.difference(only))
        self._whole = dict(self._kept)

    def read(self, ids: Iterable[str]) -> None:
        """Reads the rows of communities that are not read yet. Blocks."""
        if missing := sorted(id for id in set(ids) if id not in self._members):
            self._read(missing, is_all=False)

    def _read(self, ids: Sequence[str], is_all: bool) -> None:
        once, members = self._once, {id: list[str]() for id in ids}
        for id, entity in self._index.communities.members(None if is_all else ids):
            members[id].append(once.setdefault(entity, entity))
        new = None if is_all else {one for own in members.values() for one in own}
        new = new and new - self._entities.keys()
        found = _entity_rows(self._index, new)
        for subject, row in _claim_rows(self._index, found):
            self._claims[subject].append(row)
        self._entities |= found
        self._read_relations(new)
        self._members |= members

    def _read_relations(self, new: Collection[str] | None) -> None:
        """Reads the relations from ``new`` entities, or all, and how many others each has."""
        store, once, pairs = self._index.entities, self._once, set[tuple[str, str]]()
        every = store.all_relations() if new is None else store.relations_from(new)
        for id, source, target, phrase, weight in every:
            source, target = once.get(source, source), once.get(target, target)
            pairs.add((source, target) if source < target else (target, source))
            phrase = once.setdefault(phrase, phrase)
            self._from[source].append(StoredRelation(id, source, target, phrase, weight))
        if new is not None:
            pairs.update((a, b) if a < b else (b, a) for a, b in store.related_to(new))
            pairs -= self._pairs
            self._pairs |= pairs
        self._degree.update(id for both in pairs for id in set(both))

    def _relations_in(self, id: str) -> list[StoredRelation]:
        """The relations within a community, the heaviest first."""
        if (kept := self._inside.get(id)) is None:
            self.read([id])
            members = set(self._members[id])
            own = (one for entity in members for one in self._from.get(entity, ()))
            inside = (one for one in own if one.target in members)
            kept = sorted(inside, key=lambda one: (-one.weight, one.id))
            self._inside[id] = kept
        return kept

    def deepest_first(self) -> list[StoredCommunity]:
        """The communities; each after its children."""
        own = (one for one in self._communities if self._only is None or one.id in self._only)
        return sorted(own, key=lambda community: (-community.level, community.id))

    def standing(self) -> dict[str, Report]:
        """The reports on children that are not to be gone through themselves."""
        only = self._only
        return {
            one.id: one.report
            for one in (self._communities if only is not None else ())
            if one.report is not None and only is not None and one.id not in only
        }

    def relation_count(self, id: str) -> int:
        """How many relations lie within a community."""
        return len(self._relations_in(id))

    def is_aside(self, id: str) -> bool:
        """Whether one passage of a longer document tells all that is known of a community."""
        rows = self.own_rows(id)
        for some in (rows[:1], rows):  # mostly several passages tell of the first one
            told = {passage for row in self.told([some])[0] for passage in row.passages}
            if len(told) != 1 or not told <= self._parts:
                return False
        return True

    def told(self, contexts: Sequence[Sequence[Element]]) -> list[list[Element]]:
        """The rows of several contexts with the passages that tell of each, which blocks."""
        store, known = self._index.entities, self._passages
        wanted = {(row.kind, row.id) for rows in contexts for row in rows} - known.keys()
        for kind, passages_of in (
            ("entity", store.passages_of),
            ("relation", store.relation_passages_of),
        ):
            ids = sorted(id for one, id in wanted if one == kind)
            found = passages_of(ids)
            known |= {(kind, id): tuple(found.get(id, ())) for id in ids}
        return [
            [row._replace(passages=known.get((row.kind, row.id), row.passages)) for row in rows]
            for rows in contexts
        ]

    @cached_property
    def _parts(self) -> set[str]:
        return _parts(self._index)

    def own_rows(self, id: str) -> list[Element]:
        """All entities, relations and claims of the community ``id``, of the most related first.

        Passages of entities and relations are not read yet.
        """
        relations = self._relations_in(id)
        members = self._members[id]
        return ordered_elements(
            [self._entities[entity] for entity in members],
            [(one.source, one.target, self._row(one)) for one in relations],
            [(entity, claim) for entity in members for claim in self._claims.get(entity, ())],
            self._degree,
        )

    def _ids_in(self, id: str) -> frozenset[str]:
        """The ids of all ``own_rows`` of a community."""
        relations = self._relations_in(id)
        members = self._members[id]
        claims = (claim.id for entity in members for claim in self._claims.get(entity, ()))
        return frozenset(chain(members, (one.id for one in relations), claims))

    def _row(self, one: StoredRelation) -> Element:
        source, target = self._entities[one.source].title, self._entities[one.target].title
        text = f"{source} {one.relation} {target}."
        return Element("relation", one.id, f"{source} – {target}", text, ())

    def fits(self, rows: Sequence[Element]) -> bool:
        """Whether rows are within the limit."""
        return all(tokens <= self._limit for tokens in accumulate(map(self._tokens_of, rows)))

    def _tokens_of(self, row: Element) -> int:
        """The tokens of a row, which the reports on its community and on all above share."""
        if (found := self._tokens.get(row.id)) is None:
            found = self._tokens[row.id] = row_tokens(row)
        return found

    def rows(self, id: str, reports: Mapping[str, Report]) -> list[Element]:
        """The rows for the report on a community whose own rows do not fit the limit.

        The ``reports`` on its children replace their rows: the summary of each, and its first
        findings within an equal share of the limit.
        """
        told, own = self._told_below(id, reports), self.own_rows(id)
        self.read(told)
        children = [Child(self._ids_in(child), row) for child, row in told.items()]
        sizes = {row.id: self._tokens_of(row) for row in own}
        for child in children:
            self._whole[child.report.id] = sum(sizes[one] for one in child.elements & sizes.keys())
        return report_context(own, children, self._limit, self._tokens_of)

    def reports_alone(self, id: str, reports: Mapping[str, Report]) -> list[Element] | None:
        """The ``rows`` of a community if ``reports`` on its children leave no room, else None.

        How many tokens the rows of its children have is kept, so that its own are not read.
        """
        if sum(self._whole.get(child, 0) for child in self._children.get(id, ())) <= self._limit:
            return None
        told = self._told_below(id, reports)
        self.read(missing := [child for child in told if child not in self._whole])
        for child in missing:
            self._whole[child] = sum(map(self._tokens_of, self.own_rows(child)))
        sized = ((self._whole[child], row) for child, row in told.items())
        return reports_alone(sized, self._limit, self._tokens_of)

    def _told_below(self, id: str, reports: Mapping[str, Report]) -> dict[str, Element]:
        """The ``reports`` on the children of a community that tell anything, each as a row."""
        children = self._children.get(id, ())
        found = {child: own for child in children if not is_empty(own := reports[child])}
        share = self._limit // max(1, len(found))
        return {
            child: Element("report", child, own["title"], _told(own, share), passages_of(own))
            for child, own in found.items()
        }

    def keep_tokens(self) -> None:
        """Stores how many tokens all rows of communities have, for the next time. Blocks."""
        new = {id: count for id, count in self._whole.items() if self._kept.get(id) != count}
        self._index.communities.put_tokens(new, self._only)


def _told(report: Report, most: int) -> str:
    """The summary of ``report``, and its first findings as far as ``most`` tokens hold them."""
    told = report["summary"]
    for finding in report["findings"]:
        longer = f"{told} {finding['statement']}"
        if finding["statement"] not in told and count_tokens(longer) <= most:
            told = longer
    return told


def row_tokens(row: Element) -> int:
    """The tokens of a row as ``shown`` writes it."""
    return _LINE_TOKENS + count_tokens(row.title) + count_tokens(row.text)


def shown(rows: Sequence[Element]) -> list[Excerpt]:
    """Rows as numbered lines of one text, so that fences do not cost more than they hold."""
    titles = [one_line(row.title).replace("|", "/") for row in rows]
    lines = [
        f"{place}. {_KINDS[row.kind]}: {title} | {one_line(row.text)}"
        for place, (row, title) in enumerate(zip(rows, titles, strict=True), start=1)
    ]
    return number([("Lines", "\n".join(lines))])


def report_of(reply: CommunityReport, rows: Sequence[Element]) -> Report:
    """The report with the passages of every finding's rows; without any, of the row most alike."""
    findings: list[Finding] = []
    for finding in reply.findings:
        cited = numbered(finding.evidence, rows) or _most_alike(finding.statement, rows)
        findings.append({"statement": finding.statement, "passages": _passages(cited)})
    return {
        "title": reply.title,
        "summary": reply.summary,
        "rating": reply.rating,
        "findings": findings,
    }


def is_foreign(reply: CommunityReport, rows: Sequence[Element]) -> bool:
    """Whether a report has no word of ``rows``, as one that repeats the prompt's example."""
    words = keywords(" ".join(f"{row.title} {row.text}" for row in rows))
    return keywords(f"{reply.title} {reply.summary}").isdisjoint(words)


def assembled_report(rows: Sequence[Element], rating: float = _ASSEMBLED_RATING) -> Report:
    """A report put together from rows, for a community that deserves no request."""
    entities = [row for row in rows if row.kind != "relation" and row.kind != "claim"]
    stated = [row for row in rows if row.kind in ("relation", "claim")]
    told = [_after_type(row) for row in entities]
    findings: list[Finding] = [
        {"statement": _after_type(row), "passages": _passages([row])}
        for row in (stated or entities)[:_ASSEMBLED_FINDINGS]
    ]
    return {
        "title": ", ".join(dict.fromkeys(row.title for row in entities[:_TITLED])),
        "summary": " ".join(dict.fromkeys(text for text in told[:_TITLED] if text)),
        "rating": rating,
        "findings": findings,
    }


def unreported(rows: Sequence[Element]) -> Report:
    """The names of a community of which nothing is worth telling, in the place of a report."""
    return {**assembled_report(rows), "summary": "", "rating": 0.0, "findings": []}


def is_empty(report: Report) -> bool:
    """Whether a report tells nothing, as ``unreported`` ones do."""
    return not report["summary"] and not report["findings"]


def passages_of(report: Report) -> tuple[str, ...]:
    """The ids of the passages that support a report, in the order of its findings."""
    return tuple(dict.fromkeys(id for finding in report["findings"] for id in finding["passages"]))


def _parts(index: Index) -> set[str]:
    documents: defaultdict[str, list[str]] = defaultdict(list)
    for passage in index.catalogue.all_passages():
        documents[passage["document"]].append(passage["id"])
    return {id for ids in documents.values() if len(ids) > 1 for id in ids}


def _entity_rows(index: Index, ids: Collection[str] | None) -> dict[str, Element]:
    store = index.entities
    found: dict[str, Element] = {}
    for id, name, type, description in (
        store.all_entities() if ids is None else store.get(ids).values()
    ):
        text = f"{type}. {description}" if type else description
        found[id] = Element("entity", id, name, text, ())
    return found


def _claim_rows(index: Index, entities: Mapping[str, Element]) -> Iterable[tuple[str, Element]]:
    for stored in index.entities.claims_of(entities):
        told, name = told_claim(stored.claim), entities[stored.subject].title
        yield stored.subject, Element("claim", stored.id, name, told, (stored.passage,))


def _most_alike(statement: str, rows: Sequence[Element]) -> list[Element]:
    words = keywords(statement)
    best = max(rows, key=lambda row: jaccard(words, keywords(f"{row.title} {row.text}")))
    return [best]


def _passages(rows: Sequence[Element]) -> list[str]:
    return list(dict.fromkeys(id for row in rows for id in row.passages))[:_MOST_PASSAGES]


def _after_type(row: Element) -> str:
    return row.text.partition(". ")[2] if row.kind == "entity" else row.text
