"""The parts of made-up names and sentences.

In braces: ``s`` is the subject, ``p`` a person, ``l`` a place, ``o`` an organisation, ``w`` a work,
``n`` a noun, ``a`` an adjective, ``v`` a participle, ``y`` a year, ``d`` a date, ``k`` a number.
"""

from __future__ import annotations

from typing import Literal

Kind = Literal["person", "place", "organisation", "work"]

MONTHS = (
    "January February March April May June July August September October November December".split()
)
FORMS: dict[Kind, tuple[str, ...]] = {
    "person": ("{} {}", "{} {}", "{} {}", "{} {} {}"),
    "place": ("{}", "{}", "{}ton", "{}ville", "{} County", "Lake {}", "Mount {}", "San {}"),
    "organisation": (
        "University of {}", "{} Records", "{} United", "{} Museum", "Royal {} Society",
        "{} {} Company", "{} College", "{} Railway", "{} Pictures", "{}",
    ),
    "work": (
        "The {}", "{} of {}", "The {} of the {}", "A {} for {}", "{}", "My {}", "{} in {}",
        "Return to {}", "{} and {}", "{} Road",
    ),
}  # fmt: skip
# Things that are named most often have short names.
SHORT_FORMS: dict[Kind, tuple[str, ...]] = {
    "person": ("{} {}",),
    "place": ("{}",),
    "organisation": ("{}", "{} Records"),
    "work": ("{}", "The {}"),
}
# How the first sentence of a passage begins: what its subject is.
DEFINITIONS: dict[Kind, tuple[str, ...]] = {
    "person": (
        "{s} is an American {n} from {l}, best known for {w}",
        "{s} (active {y} – {y}) was a {a} {n} who worked with {p}",
        "{s} was a {n} and {a} {n} who {v} the {n} of {l}",
    ),
    "place": (
        "{s} is a {n} in the {a} part of {l}, about {k} miles from {l}",
        "{s} is a town and {n} in {l}, {l}, with a population of {k}",
        "{s} is a {a} {n} between {l} and the {n}",
    ),
    "organisation": (
        "{s} is a {a} {n} based in {l}, owned by {o}",
        "{s} was a {a} {n} that {v} {n} and {n} until {y}",
        "{s} is the {a} {n} of {l}, and a member of {o}",
    ),
    "work": (
        "{s} is a {y} American {a} film starring {p} and {p}",
        "{s} is the {a} studio album by {p}, released on {d} by {o}",
        "{s} is a {y} {a} novel about the {n} of {l} and its {n}",
    ),
}
# A person of another passage from whom the subject comes: as it is said, asked, and asked on.
ORIGINS: dict[Kind, tuple[str, str, str]] = {
    "person": (
        "{s} studied {n} under {p}",
        "Who did {s} study under?",
        "Where was the teacher of {s} born?",
    ),
    "place": (
        "{s} was founded by {p} in {y}",
        "Who founded {s}?",
        "Where was the founder of {s} born?",
    ),
    "organisation": (
        "{s} was founded by {p} in {y}",
        "Who founded {s}?",
        "Where was the founder of {s} born?",
    ),
    "work": ("{s} was written by {p}", "Who wrote {s}?", "Where was the writer of {s} born?"),
}
BIRTHS = ("{s} was born in {l} in {y}", "{s} was born in {y} in {l}")
SAID: dict[Kind, tuple[str, ...]] = {
    "person": (
        "{s} joined {o} in {y}",
        "{s} married {p} in {l}",
        "{s} won the {a} {n} in {y}",
        "{s} died in {l} on {d}",
        "{s} {v} the {n} of the {a} {n}",
        "{s} was the {n} of {o} from {y} to {y}",
        "{s} played a {a} {n} in {w}",
        "{s} has {v} {k} {n} for the {n}",
        "{s} moved to {l} to become a {n} of the {n}",
    ),
    "place": (
        "{s} was {v} in {y} by the {a} {n} of {l}",
        "{s} is named after {p}, a {a} {n}",
        "{s} is known for its {n} and its {a} {n}",
        "{s} has a {n} that was designed by {p}",
        "{s} lies on the {n} of the {n}",
        "{s} had {k} inhabitants in {y}",
    ),
    "organisation": (
        "{s} bought {o} in {y}",
        "{s} was led by {p} until {y}",
        "{s} has {k} {n} in {l} and {l}",
        "{s} is known for its {a} {n} and the {n}",
        "{s} moved its {n} from {l} to {l} in {y}",
        "{s} {v} a {a} {n} with the {n}",
    ),
    "work": (
        "{s} was released on {d} in {l}",
        "{s} was produced by {p} for {o}",
        "{s} tells the {n} of a {a} {n} who {v} the {n}",
        "{s} is based on {w} by {p}",
        "{s} won the {a} {n} in {y}",
        "{s} was filmed in {l} during the {n} of {y}",
    ),
}
# Sentences whose subject is not the passage's.
GENERAL = (
    "The {n} of the {a} {n} was {v} by {p}",
    "In {y}, the {n} was {v} to the {a} {n} of {l}",
    "Most of the {n} had been {v} before the {n} of {y}",
    "There are {k} {n} that were {v} for the {n}",
    "After the {n} had been {v}, {p} became {n} of {o}",
    "The {a} {n} and the {n} were {v} as a {n}",
    "Its {n} is the {a} {n} in {l} after {l}",
)
# How a sentence goes on.
TAILS = (
    " with {p} and {p}",
    ", where {p} had {v} the {n}",
    " and later {v} the {n} of {l}",
    " during the {a} {n} {n}",
    ", a {a} {n} in {l}",
    " for {k} {a} {n} and {n}",
    " because of {a} {n} and {n}",
    " after the {n} that {o} had {v} in {y}",
    ", which {v} {a} {n} near {l}",
    " as well as {a} {n} on {o}",
    " and the {n} at the {n} of {w}",
    ", though not {v} until {y}",
    " in {a} {n} to {v} {n}",
    " from {a} {n} to {n} {n}",
)
