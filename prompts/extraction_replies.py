"""The replies to the prompts that extract entities, relations and claims.

Small models call keys by other names and write one value where a list belongs; both are accepted.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import (
    BeforeValidator,
    Field,
    ModelWrapValidatorHandler,
    ValidationError,
    field_validator,
    model_validator,
)

from ..language.analyser import one_line
from ..state.facts import ClaimFact, EntityFact, PassageFacts, RelationFact
from .lenient import NOTHING, Bounds, Names, bounded, listed, numbers_in, renamed, shortened
from .prompt import Excerpt
from .replies import PassageQuestions, PromptReply, TextNumber


def _name(value: Any) -> Any:
    """A name in one line; ``{"name": "Ann"}`` names Ann."""
    if isinstance(value, dict):
        value = renamed(value, _ENTITY).get("name")
    return one_line(value) if isinstance(value, str) else value


def _optional(value: Any) -> Any:
    """The text in ``value``, or none: no item is lost for want of a type or a date."""
    if isinstance(value, list):
        value = ", ".join(str(part) for part in value if isinstance(part, str | int | float))
    plain = isinstance(value, str | int | float) and not isinstance(value, bool)
    return "" if not plain or str(value).strip().casefold() in NOTHING else value


def _strength(value: Any) -> float:
    """A strength from 1 to 10; without a number it is 1."""
    return bounded(value, 1.0, 10.0) or 1.0


def _status(value: Any) -> str:
    said = str(value).strip().casefold()
    words = {"confirmed": "true", "yes": "true", "refuted": "false", "no": "false"}
    said = words.get(said, said)
    return said if said in {"true", "false"} else "suspected"


_YES = re.compile(r"(?:yes|y|true|예|네)\b", re.IGNORECASE)
_NO = re.compile(r"(?:no|n|none|false|아니[요오])\b", re.IGNORECASE)


def _yes(value: Any) -> Any:
    """True for "Yes, some were." and for a list of missed things with anything in it."""
    if isinstance(value, list):
        return bool(value)
    if isinstance(value, str):
        said = value.strip(" \"'*`")
        return True if _YES.match(said) else False if _NO.match(said) else value
    return value


# The most characters of a text.
_NAME, _TYPE, _DESCRIPTION = 200, 100, 2000

Line = Annotated[str, BeforeValidator(_name), Field(min_length=1)]
OptionalText = Annotated[str, BeforeValidator(_optional)]
Strength = Annotated[float, BeforeValidator(_strength)]
Numbers = Annotated[list[TextNumber], BeforeValidator(numbers_in)]
Status = Annotated[Literal["true", "false", "suspected"], BeforeValidator(_status)]

_ENTITY: Names = {
    "name": ("entity", "entity_name", "title"),
    "type": ("entity_type", "category", "kind"),
    "description": ("entity_description", "desc", "summary"),
}
_RELATION: Names = {
    "source": ("source_entity", "subject", "head", "from", "entity1", "entity_1"),
    "relation": ("relationship", "predicate", "relation_type", "type", "label", "description"),
    "target": ("target_entity", "object", "tail", "to", "entity2", "entity_2"),
    "strength": ("relationship_strength", "weight", "score"),
}
_CLAIM: Names = {
    "subject": ("subject_entity", "entity", "source"),
    "object": ("object_entity", "target"),
    "type": ("claim_type", "category"),
    "status": ("claim_status",),
    "description": ("claim_description", "claim", "text"),
    "quote": ("source_text", "evidence", "quotation"),
    "start_date": ("start", "claim_start_date", "date"),
    "end_date": ("end", "claim_end_date"),
}
_FACTS: Names = {
    "entities": ("entity", "named_entities", "nodes"),
    "relations": ("relation", "relationships", "triples", "triplets", "edges"),
    "claims": ("claim", "covariates"),
}
_READING: Names = {
    "incoming": ("in_coming", "incoming_questions"),
    "outgoing": ("out_coming", "outcoming", "outgoing_questions"),
    **_FACTS,
}


class Entity(PromptReply):
    """Something that the text names."""

    other_names = _ENTITY
    longest: ClassVar[Bounds] = {"name": _NAME, "type": _TYPE, "description": _DESCRIPTION}
    name: Annotated[Line, Field(description="The fullest name.")]
    type: Annotated[OptionalText, Field(description="One of the wanted types, date or thing.")] = ""
    description: Annotated[
        OptionalText, Field(description="What the text says of it, in one sentence.")
    ] = ""

    @classmethod
    def tidy(cls, value: Any) -> Any:
        if isinstance(value, str):
            return {"name": value}
        if isinstance(value, list) and 0 < len(value) <= len(_ENTITY):
            return dict(zip(_ENTITY, value, strict=False))
        return super().tidy(value)


class Relation(PromptReply):
    """How two entities are connected: "source relation target" reads as a sentence."""

    other_names = _RELATION
    longest: ClassVar[Bounds] = {"source": _NAME, "relation": _NAME, "target": _NAME}
    source: Annotated[Line, Field(description="Name of an entity.")]
    relation: Annotated[Line, Field(description="Two to six words, such as: was founded by.")]
    target: Annotated[Line, Field(description="Name of another entity.")]
    strength: Annotated[Strength, Field(description="From 1, weak, to 10, strong.")] = 1.0

    @classmethod
    def tidy(cls, value: Any) -> Any:
        if isinstance(value, list) and len(value) in (len(_RELATION) - 1, len(_RELATION)):
            return dict(zip(_RELATION, value, strict=False))
        return super().tidy(value)


class Claim(PromptReply):
    """Something that the text asserts of an entity."""

    other_names = _CLAIM
    longest: ClassVar[Bounds] = {
        "subject": _NAME,
        "object": _NAME,
        "type": _TYPE,
        "description": _DESCRIPTION,
        "quote": _DESCRIPTION,
        "start_date": _TYPE,
        "end_date": _TYPE,
    }
    subject: Annotated[Line, Field(description="Name of the entity that the claim is about.")]
    object: Annotated[OptionalText, Field(description="Name of the other entity, or empty.")] = ""
    type: Annotated[OptionalText, Field(description="A word or two, such as: award.")] = ""
    status: Annotated[Status, Field(description="What the text says of its truth.")] = "suspected"
    description: Annotated[Line, Field(description="The claim, in one sentence.")]
    quote: Annotated[OptionalText, Field(description="The sentence, copied word for word.")] = ""
    start_date: Annotated[OptionalText, Field(description="As the text writes it, or empty.")] = ""
    end_date: Annotated[OptionalText, Field(description="As the text writes it, or empty.")] = ""


class Facts(PromptReply):
    """The entities of one text, and what it says of them."""

    other_names = _FACTS
    most_tokens: ClassVar[int] = 4096
    entities: Annotated[list[Entity], Field(default_factory=list)]
    relations: Annotated[list[Relation], Field(default_factory=list)]
    claims: Annotated[list[Claim], Field(default_factory=list)]

    @classmethod
    def tidy(cls, value: Any) -> Any:
        """The lists of a reply, also from inside an object that holds nothing else."""
        found = super().tidy(value)
        if not isinstance(found, dict):
            return found
        if not found and len(value) == 1:
            (inner,) = value.values()
            found = super().tidy(inner) if isinstance(inner, dict) else {}
        return {key: listed(items) for key, items in found.items()}

    @field_validator("*", mode="wrap")
    @classmethod
    def _keep_other_lists(cls, value: Any, validate: Callable[[Any], Any]) -> Any:
        try:
            return validate(value)
        except ValidationError:
            return []

    @model_validator(mode="wrap")
    @classmethod
    def _something_is_kept(cls, value: Any, handler: ModelWrapValidatorHandler[Self]) -> Self:
        given = cls.tidy(value)
        facts = handler(value)
        if isinstance(given, dict):
            if given.keys().isdisjoint(_FACTS):
                raise ValueError("entities, relations and claims are missing")
            items = any(given[key] for key in _FACTS if key in given)
            if items and not (facts.entities or facts.relations or facts.claims):
                raise ValueError(
                    "an entity needs a name; a relation a source, a relation and a target; "
                    "a claim a subject and a description"
                )
        return facts


class PassageReading(Facts, PassageQuestions):
    """The questions and the facts of one passage."""

    other_names = _READING
    incoming: Annotated[
        list[str], Field(default_factory=list, description="Questions that the passage answers.")
    ]
    outgoing: Annotated[
        list[str], Field(default_factory=list, description="Questions that it raises.")
    ]

    @model_validator(mode="after")
    def _has_questions(self) -> Self:
        # A reply without them would be stored as the passage's, and never be asked for again. Empty
        # lists are an answer: a list of what a name may refer to raises nothing.
        if not self.model_fields_set & {"incoming", "outgoing"}:
            raise ValueError("the questions, incoming and outgoing, are missing")
        return self


class MoreToFind(PromptReply):
    """Whether anything was missed."""

    other_names: ClassVar[Names] = {"missed": ("missing", "more", "answer", "reply")}
    missed: Annotated[bool, BeforeValidator(_yes)]


class Description(PromptReply):
    """One description in the place of several, and the texts that describe another thing."""

    other_names: ClassVar[Names] = {"description": ("summary", "text"), "other": ("others",)}
    longest: ClassVar[Bounds] = {"description": 2 * _DESCRIPTION}
    description: Line
    other: Numbers = Field(
        default_factory=list, description="Ids of texts that describe another thing."
    )


class SameThings(PromptReply):
    """The lines that are one thing, group by group, and those that are homonyms."""

    other_names: ClassVar[Names] = {"same": ("groups", "same_things"), "other": ("others",)}
    same: Annotated[
        list[Numbers],
        Field(description="Groups of the numbers of lines that are one and the same thing."),
    ]
    other: Numbers = Field(
        default_factory=list, description="Numbers of lines whose name means another thing."
    )


def to_facts(reply: Facts) -> PassageFacts:
    """The facts of a reply as plain data, each once, with every end of a relation an entity.

    Names that differ only in case and spaces are one; a relation of a thing to itself is left out.
    """
    entities = _entities(reply)
    relations: dict[tuple[str, str, str], RelationFact] = {}
    for relation in reply.relations:
        source, target = (entities[_key(name)] for name in (relation.source, relation.target))
        if source is not target:
            key = (_key(relation.source), _key(relation.relation), _key(relation.target))
            known = relations.get(key)
            relations[key] = {
                "source": source["name"],
                "target": target["name"],
                "relation": relation.relation,
                "strength": max(relation.strength, known["strength"] if known else 0.0),
            }
    claims: dict[tuple[str, ...], ClaimFact] = {}
    for claim in reply.claims:
        about = entities.get(_key(claim.object))
        claims.setdefault(
            (_key(claim.subject), _key(claim.object), _key(claim.description)),
            {
                "subject": entities[_key(claim.subject)]["name"],
                "object": about["name"] if about else "",
                "type": one_line(claim.type).lower(),
                "status": claim.status,
                "description": claim.description,
                "quote": claim.quote,
                "start_date": claim.start_date,
                "end_date": claim.end_date,
            },
        )
    return {
        "entities": list(entities.values()),
        "relations": list(relations.values()),
        "claims": list(claims.values()),
    }


def within(facts: PassageFacts, most: int) -> tuple[PassageFacts, bool]:
    """The first ``most`` entities and claims, four times as many relations; whether that is all.

    Relations and claims of other entities are left out.
    """
    entities = facts["entities"][:most]
    names = {entity["name"] for entity in entities}
    relations = [r for r in facts["relations"] if {r["source"], r["target"]} <= names]
    claims = [
        claim for claim in facts["claims"] if {claim["subject"], claim["object"]} <= names | {""}
    ]
    kept: PassageFacts = {
        "entities": entities,
        "relations": relations[: 4 * most],
        "claims": claims[:most],
    }
    return kept, kept == facts


def joined(replies: Sequence[Facts]) -> Facts:
    """The facts of several replies about one text."""
    return Facts.model_construct(
        entities=[entity for reply in replies for entity in reply.entities],
        relations=[relation for reply in replies for relation in reply.relations],
        claims=[claim for reply in replies for claim in reply.claims],
    )


def already_found(facts: PassageFacts) -> list[Excerpt]:
    """The facts found in a passage, as an excerpt, because their names come from documents."""
    lines = [
        f"{entity['name']} ({entity['type']})" if entity["type"] else entity["name"]
        for entity in facts["entities"]
    ]
    lines += [" | ".join((r["source"], r["relation"], r["target"])) for r in facts["relations"]]
    return [{"id": "found", "title": "already found", "text": "\n".join(lines)}]


def _entities(reply: Facts) -> dict[str, EntityFact]:
    """Entities by key, first those listed, then those that relations and claims name."""
    found: dict[str, EntityFact] = {}
    for entity in reply.entities:
        known = _add(found, entity.name)
        known["type"] = known["type"] or one_line(entity.type).lower()
        description = one_line(entity.description)
        if description not in known["description"]:
            told = f"{known['description']} {description}".strip()
            known["description"] = shortened(told, _DESCRIPTION)
    for name in _ends(reply):
        _add(found, name)
    return found


def _ends(reply: Facts) -> Iterable[str]:
    for relation in reply.relations:
        yield from (relation.source, relation.target)
    for claim in reply.claims:
        yield from filter(None, (claim.subject, claim.object))


def _add(entities: dict[str, EntityFact], name: str) -> EntityFact:
    fact: EntityFact = {"name": one_line(name), "type": "", "description": ""}
    return entities.setdefault(_key(name), fact)


def _key(name: str) -> str:
    return one_line(name).casefold()
