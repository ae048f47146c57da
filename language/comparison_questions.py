"""Questions that compare: the things compared, the questions about each, and how these decide."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Literal

from .name_masking import NAME, Masked, mask
from .patterns import regex
from .questions import PERSONS, Comparison, Measure, QuestionShape, analyse_question

Relation = Literal["least", "greatest", "same", "both", "either", "count", "difference"]


@dataclass(frozen=True)
class ComparisonQuestion:
    """A question that compares ``things`` by ``measure``; ``questions`` holds those about each.

    Their answers decide the ``relation``: which thing has the least or the greatest value, whether
    values are the same, whether something holds for both things, for which one, for how many, or
    how far apart the values are. A ``claim`` asks whether the first thing is the one chosen.
    """

    things: tuple[str, ...]
    questions: tuple[tuple[str, ...], ...]
    relation: Relation
    measure: Measure
    claim: bool = False


SINGULAR_VERBS = {"are": "is", "were": "was", "do": "does", "have": "has"}
_WORKS = r"films?|movies?|songs?|albums?|books?|novels?|series|shows?|plays?|operas?|games?"
_ROLES = rf"(?:{'|'.join(PERSONS.split())})s?"
_THING = rf"(?:(?:the )?{_ROLES} of (?:the )?)?(?:the )?(?:(?!and\b)[a-z]+ )?{NAME}"
_ARTICLED = rf"(?:the )?{NAME}"
_MARKS = " \t\n\"“”'‘’"
_YES_NO = regex(
    r"(?i)^(?P<aux>are|is|was|were|do|does|did|have|has)\s+(?:(?:both|all)\s+)?(?:of\s+)?(?:the\s+)?"
    rf"(?:(?P<roles>{_ROLES})\s+of\s+(?:the\s+)?)?(?P<kind>(?!{_ROLES} of\b)[a-z]+[,:]?\s+)??"
    rf"(?P<things>{_THING}(?:(?:,? and |, ){_THING})+),?\s+(?:(?P<works>{_WORKS})\s+)?"
    r"(?P<predicate>.+)$"
)
_ONE_THING = regex(
    rf"(?i)(?:the )?(?:(?P<role>{_ROLES}) of )?(?:the )?(?:(?P<kind>[a-z]+) )?(?P<name>{NAME})"
)
_SAME = regex(r"\bsame (\w+)|\b(nationality) in common", re.IGNORECASE)
_ROLE_HAD = regex(
    rf"^(?:both )?(?:have|has|had) (?:the )?(?P<role>{_ROLES})\s+(?:that |who )?(?:are |is |were )?"
    r"(?P<rest>.+)$"
)
_ROLE_ASKED = regex(
    rf"(?:\bwhose|\b(?:has|have|had|with) (?:the|an?)|['’]s)\s+({_ROLES})\b|\bthe ({_ROLES}) of\b"
)
_PARTICIPLE = regex(
    r"\b(?:was|were|is|been|got|be)\s+(?:\w+ly )?(\w+ed|built|set|made|won|begun)\b"
)
_WHICH_OF = regex(
    r"(?i)^(?P<asked>which|who|what)(?P<kind>(?: [a-z]+)?)(?: one)? (?:of|among|between|out of) "
    rf"(?:the (?:two |three )?(?:[a-z]+ )?)?(?P<things>{_ARTICLED}"
    rf"(?:(?:,? (?:and|or) |, ){_ARTICLED})+),? (?P<predicate>.+)$"
)
_OF_ROLE = rf"(?:the )?{_ROLES} of {_THING}"
_DESCRIBED = regex(
    r"(?i)^(?P<frame>(?:who|which|what)\b.*?)[,:]\s+"
    rf"(?P<things>{_OF_ROLE}(?:(?:,? or |, ){_OF_ROLE})+)$"
)
_CLAIM = regex(
    rf"(?i)^(?P<aux>is|was|are|were|did|does|has)\s+(?P<a>{_ARTICLED}) (?P<said>[a-z ]+?) "
    rf"(?P<word>than|before|after) (?P<b>{_ARTICLED})$"
)
_HOW_MANY_OF = regex(
    rf"(?i)^how many of (?P<things>{_ARTICLED}(?:(?:,? and |, ){_ARTICLED})+) "
    r"(?P<aux>are|were|is|was|have|has|did|do|does) (?P<predicate>.+)$"
)
_HOW_MUCH = regex(
    r"(?i)^(?:by )?how (?:much|many [a-z]+) (?P<word>[a-z]+) (?:is|was|are|were) "
    rf"(?P<a>{_ARTICLED}) than (?P<b>{_ARTICLED})$"
)
_BASES = dict(
    entry.split(":")
    for entry in """larg:large bigg:big small:small tall:tall high:high long:long short:long
    heavi:heavy deep:deep wid:wide fast:fast slow:fast low:high great:large""".split()
)
_COUNTED = regex(r"\b(?:more|fewer|most|fewest|less) (?!than|recently|often)([a-z]+)")
_DEGREE = regex(
    r"\b(?:larger|bigger|smaller|higher|lower|greater|longer|shorter|largest|highest|lowest) "
    r"((?!than\b|in\b|or\b)[a-z]+)"
)
_PREDICATE_NOUN = regex(
    r"(?!(?:in|by|of|on|from|at|located|situated|born)\b)"
    r"((?:[\w-]+ ){0,3}?)([a-z]+s)((?: (?:in|of|from|at|by|on) .+)?)"
)
_DONE = "released published founded established opened formed created built completed introduced"
_BORN, _DIED = "When was {} born?", "When did {} die?"
_LIFE = {"birth": (_BORN,), "death": (_DIED,), "lifespan": (_BORN, _DIED)}
_STATED = regex(
    r"(?i)(?:which|what|who)\b(?: of [a-z ]+?)?(?: [a-z]+)*? "
    r"(is|was|are|were|has|had|did|does|can) (.+)"
)
_CAME = regex(r"\b(?:came|comes?) out\b")


def comparison_of(question: str) -> ComparisonQuestion | None:
    """The comparison that the English ``question`` makes, or None without named things."""
    bare = question.rstrip("?？. ")
    masked = mask(bare)
    ranked = _count(masked) or _difference(masked) or _claim(masked)
    return ranked or _yes_no(masked) or _choice(bare, masked)


def relation_by(comparison: Comparison, measure: Measure) -> Relation:
    """The thing with the least or the greatest measure; the one for which it holds without any."""
    if measure in {"none", "country"} or comparison not in {"least", "greatest"}:
        return "either"
    return "least" if comparison == "least" else "greatest"


def _count(masked: Masked) -> ComparisonQuestion | None:
    """ "How many of A, B and C are directors?" """
    if not (match := _HOW_MANY_OF.match(masked.text)):
        return None
    # Here a comma stands between things, not within a name as in "Paris, Texas".
    apart = " and ".join(re.split(r", | and ", masked.unmask(match["things"])))
    found = _yes_no(mask(masked.unmask(f"{match['aux']} {apart} {match['predicate']}")))
    return replace(found, relation="count") if found and found.relation == "both" else None


def _difference(masked: Masked) -> ComparisonQuestion | None:
    """ "How many years older is A than B?" """
    if not (match := _HOW_MUCH.match(masked.text)):
        return None
    pair = masked.unmask(f"{match['a']} or {match['b']}")
    found = _choice(f"Which is {match['word']}, {pair}", masked)
    return replace(found, relation="difference") if found else None


def _claim(masked: Masked) -> ComparisonQuestion | None:
    """ "Is A older than B?": as "Which is older, A or B?", and then whether it is A."""
    if not (match := _CLAIM.match(masked.text)):
        return None
    said = {"before": " first", "after": " later", "than": ""}[match["word"].lower()]
    pair = masked.unmask(f"{match['a']} or {match['b']}")
    auxiliary = "" if match["aux"].lower() == "did" else match["aux"].lower() + " "
    found = _choice(f"Which {auxiliary}{match['said']}{said}, {pair}", masked)
    return replace(found, claim=True) if found and found.relation != "either" else None


def _yes_no(masked: Masked) -> ComparisonQuestion | None:
    """ "Are A and B from the same country?", "Are A and B both directors?" """
    if not (match := _YES_NO.match(masked.text)):
        return None
    kind, role = (match["kind"] or match["works"] or "").strip(" ,:"), match["roles"] or ""
    predicate = re.sub(r"^(?:both|all) |,? both$", "", match["predicate"].strip(" ,"))
    auxiliary = SINGULAR_VERBS.get(match["aux"].lower(), match["aux"].lower())
    if had := _ROLE_HAD.match(predicate):
        role, predicate, auxiliary = had["role"], had["rest"], "is"
    things, subjects = [], []
    for part in split_list(match["things"]):
        found = _ONE_THING.fullmatch(part)
        if found is None:
            return None
        things.append(masked.unmask(found["name"]))
        role, kind = found["role"] or role, found["kind"] or kind
        subjects.append(masked.unmask(_subject(found["name"], role, kind)))
    predicate = masked.unmask(predicate)
    same = _SAME.search(predicate)
    if not same and re.search(r"\b(?:together|each other|between|married|related)\b", predicate):
        return None
    ask = _same_question if same else _sole_question
    asked = tuple((ask(auxiliary, subject, predicate),) for subject in subjects)
    measure = analyse_question(masked.unmask(masked.text)).measure
    return ComparisonQuestion(tuple(things), asked, "same" if same else "both", measure)


def split_list(things: str) -> list[str]:
    """The members of "A, B and the C" or "A or B", without articles, where names are masked."""
    return [part for part in re.split(r",? (?:and|or) (?:the )?|, (?:the )?", things) if part]


def _singular(noun: str) -> str:
    if noun in {"series", "news"} or not noun.endswith("s") or noun.endswith("ss"):
        return noun
    return noun[:-3] + "y" if noun.endswith("ies") else noun[:-1]


def _subject(thing: str, role: str, kind: str) -> str:
    """``thing`` itself, or the person who has ``role`` in it."""
    kind = _singular(kind) + " " if re.fullmatch(_WORKS, kind) else ""
    return f"the {_singular(role)} of {kind}{thing}" if role else thing


def _same_question(auxiliary: str, subject: str, predicate: str) -> str:
    """ "Are A and B from the same country": "Which country is A from?" """
    ahead, attribute, common, _ = _SAME.split(predicate, maxsplit=1)
    attribute = attribute or common
    ahead = re.sub(r"\b(?:both|all|the|that|who)\b\s*", "", ahead).strip()
    member = re.fullmatch(r"(?:are |is )?(\w+?)s? of", ahead)
    if re.fullmatch(r"(?:have|has|had|share|shared|shares|are of|is of|of)?", ahead):
        if attribute in {"nationality", "citizenship"}:
            return f"What nationality is {subject}?"
        return f"What is the {attribute} of {subject}?"
    if member:
        return f"Which {attribute} is {subject} a {member[1]} of?"
    ahead = re.sub(r"^(?:are|is|were|was) ", "", ahead)
    return f"Which {attribute} {auxiliary} {subject} {ahead}?"


def _sole_question(auxiliary: str, subject: str, predicate: str) -> str:
    """ "Are A and B directors": "Is A a director?" """
    head = _PREDICATE_NOUN.fullmatch(predicate)
    if head and auxiliary in {"is", "was"} and _singular(head[2]) != head[2]:
        article = "an" if predicate[0].lower() in "aeiou" else "a"
        predicate = f"{article} {head[1]}{_singular(head[2])}{head[3]}"
    return f"{auxiliary.capitalize()} {subject} {predicate}?"


def _choice(question: str, masked: Masked) -> ComparisonQuestion | None:
    """ "Which film came out first, A or B?", "Which of A and B is older?" """
    shape = analyse_question(question)
    listed = _WHICH_OF.match(masked.text)
    if listed:
        things = [masked.unmask(thing) for thing in split_list(listed["things"])]
        frame = masked.unmask(f"{listed['asked']}{listed['kind']} {listed['predicate']}")
        shape = analyse_question(f"{frame}, {things[0]} or {things[-1]}?")
    elif described := _DESCRIBED.match(masked.text):
        things = [masked.unmask(thing) for thing in re.split(r",? or |, ", described["things"])]
        frame = masked.unmask(described["frame"])
        shape = analyse_question(f"{frame}, Aa or Bb?")
    elif shape.answer_type == "choice" and len(shape.options) > 1:
        things, frame = _options(question, shape)
    else:
        return None
    asked = _ROLE_ASKED.search(frame)
    role = (asked[1] or asked[2]) if asked else ""
    noun = shape.noun if re.fullmatch(_WORKS, shape.noun) else ""
    subjects = [_subject(thing, role, noun) for thing in things]
    questions = tuple(tuple(_choice_questions(shape, frame, subject, role)) for subject in subjects)
    relation = relation_by(shape.comparison, shape.measure)
    return ComparisonQuestion(tuple(things), questions, relation, shape.measure)


def _options(question: str, shape: QuestionShape) -> tuple[list[str], str]:
    """The things to choose between, and the question without them."""
    first, *others = shape.options
    start = min((question.find(each) for each in shape.options if each in question), default=0)
    several = re.search(r"\b(?:of|wh\w+)\b.*\b\w+est\b|\b(?:three|four)\b", question[:start])
    things = [*(re.split(r",\s+", first) if several else [first]), *others]
    things = [_as_written(thing, question) for thing in things]
    frame = question
    for option in (*things, *shape.options):
        frame = frame.replace(option, " ")
    bare = frame.rstrip(_MARKS)
    if re.search(r"\bor$", bare[-3:]):
        frame = bare[:-2].rstrip(_MARKS)
    between = re.sub(r"^\s*between\s+and\s*,?\s*", "", " ".join(frame.split()), flags=re.I)
    return things, between.strip(" ,:")


def _as_written(thing: str, question: str) -> str:
    """``thing`` with the punctuation that it has in ``question``."""
    pattern = r"\W+".join(re.escape(word) for word in re.findall(r"\w+", thing))
    found = re.search(rf"[¡¿(…]*(?<!\w){pattern}(?!\w)[)!]*", question)
    return found.group().strip() if pattern and found else thing


def _choice_questions(shape: QuestionShape, frame: str, subject: str, role: str) -> list[str]:
    """The questions about ``subject`` that tell its measure."""
    if relation_by(shape.comparison, shape.measure) == "either":
        return [_either_question(frame, subject)]
    if shape.measure in _LIFE:
        return [asked.format(subject) for asked in _LIFE[shape.measure]]
    if shape.measure == "number":
        return [_number_question(frame, subject)]
    participle = _PARTICIPLE.search(frame)
    said = participle[1] if participle else next((w for w in _DONE.split() if w in frame), "")
    works = re.fullmatch(rf"{_WORKS}|magazines?|newspapers?", shape.noun) and not role
    said = said or ("released" if works or _CAME.search(frame) else "founded")
    return [f"When was {subject} {said}?"]


def _number_question(frame: str, subject: str) -> str:
    counted = _COUNTED.search(frame)
    if counted and counted[1].endswith("s"):
        return f"How many {counted[1]} does {subject} have?"
    if counted:
        return f"How {counted[1]} is {subject}?"
    if degree := _DEGREE.search(frame):
        return f"What is the {degree[1]} of {subject}?"
    bases = (_BASES[word] for word in _BASES if re.search(rf"\b{word}e(?:r|st)\b", frame))
    return f"How {next(bases, 'large')} is {subject}?"


def _either_question(frame: str, subject: str) -> str:
    """ "Which singer is American": "Is A American?" """
    if said := _STATED.match(frame):
        verb = SINGULAR_VERBS.get(said[1].lower(), said[1].lower())
        return f"{verb.capitalize()} {subject} {said[2]}?"
    verbal = re.match(r"(?:which|what|who)(?: [a-z]+)? ([a-z]+(?:ed|s|on|ote|ote) .+)", frame, re.I)
    return f"Is it true that {subject} {verbal[1]}?" if verbal else f"What is {subject}?"
