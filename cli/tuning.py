"""`ragraphs tune`: how a model reads passages and writes reports, fitted to a corpus."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence
from difflib import unified_diff
from functools import partial
from typing import Any, Literal

from rich.markup import escape

from ..context import Context, IndexContext
from ..evaluation.asking import Asker, gathered, open_asker
from ..evaluation.retrieval import Report, unreported
from ..index.opening import Index
from ..index.prompt_words import MANNER
from ..index.recorded import keep_tuning, tuning
from ..language.analyser import count_tokens, one_line, sentences
from ..prompts.evaluation import TUNE
from ..prompts.extraction_replies import to_facts
from ..prompts.indexing import EXTRACT_FACTS
from ..prompts.lenient import shortened
from ..prompts.prompt import Excerpt, fence, number
from ..prompts.tuning_replies import Tuning
from ..state.errors import RagraphsError
from ..state.facts import PassageFacts
from ..state.records import Passage
from .show import command, cost, notes, out, sentence

_SAMPLE = 12  # passages
_LONGEST = 600  # characters of each
_TRIED, _EXAMPLES = 4, 2
_EXAMPLE_TOKENS = 120  # of its text, since every passage is read with it
_FEWEST_NAMES = 2


Part = Literal["extraction", "reports"]
_TUNED: Mapping[Part, Sequence[str]] = {
    "extraction": ["entity_types", "examples"],
    "reports": [MANNER],
}


def tuned(
    index: Index,
    context: Context,
    *,
    only: Part | None = None,
    withdraws: bool = False,
    keep: bool,
    report: Report = unreported,
) -> dict[str, Any]:
    """Types, examples, language and tone for prompts about ``index``, as the model sees it.

    Of ``only`` one part if it is named; where ``withdraws`` is set the usual ones, without a model.
    They are kept with the index if ``keep`` says so. In the form of ``--json``. Blocks. Raises
    RagraphsError where no model can be asked, and where there is nothing to see.
    """
    before = tuning(index)
    found: dict[str, Any] = {"model": None, "passages": 0, "usage": {}, "warnings": []}
    if withdraws:
        settings = {"entity_types": IndexContext().entity_types, "examples": "", MANNER: ""}
    else:
        settings, found = asyncio.run(_fitted(index, context, only != "reports", report))
    parts = _TUNED if only is None else (only,)
    after = before | {name: settings[name] for part in parts for name in _TUNED[part]}
    if keep and after != before:
        asyncio.run(keep_tuning(index, after))
    difference = unified_diff(_lines(before), _lines(after), "before", "after", n=0)
    return {
        "index": index.name,
        "before": before,
        "after": after,
        "diff": [line.rstrip("\n") for line in difference],
        "kept": keep,
        **found,
    }


async def _fitted(
    index: Index, context: Context, reads: bool, report: Report
) -> tuple[dict[str, Any], dict[str, Any]]:
    """The settings as the model sees them, with examples if it is to read; the sample and cost."""
    asker = await open_asker(index, context, "Tuning to a corpus")
    sample = await asyncio.to_thread(_sample, index)
    texts = number([(one["title"], shortened(one["text"], _LONGEST)) for one in sample])
    found = await asker.ask(TUNE, texts=texts)
    if found is None:
        raise RagraphsError(
            f"{context.model} named no types that could be used; name a larger --model, or give "
            "types of your own to ragraphs index (--entity-types)."
        )
    works = [partial(_example, asker, found, passage) for passage in sample[:_TRIED] if reads]
    examples = [one for one in await gathered("examples", works, report) if one]
    told = "\n\n".join([_manner(found), *examples[:_EXAMPLES]])
    settings = {"entity_types": found.types, "examples": told, MANNER: _manner_of_reports(found)}
    return settings, {
        "model": context.model,
        "passages": len(sample),
        "usage": asker.meter.usage(),
        "warnings": asker.meter.warnings,
    }


def print_tuning(found: dict[str, Any]) -> None:
    """Prints the difference, and what to do next."""
    colours = {"-": "red", "+": "green"}
    for line in found["diff"][2:]:  # the names of the sides come first
        colour = colours.get(line[:1])
        said = escape(line)
        out.print(f"[{colour}]{said}[/{colour}]" if colour else f"[dim]{said}[/dim]")
    if not found["diff"]:
        sentence("Nothing would change: the index is tuned that way.")
    elif found["kept"]:
        sentence("Kept. The next run reads and writes that way; --dry-run says what reading costs:")
        model = ("--model", found["model"]) if found["model"] else ()
        command("ragraphs", "index", "--index", found["index"], *model)
    else:
        sentence("Nothing is kept; the same command without --dry-run keeps it, and pays nothing.")
    cost(found["usage"])
    notes(found["warnings"])


def _sample(index: Index) -> list[Passage]:
    ids = sorted(index.catalogue.passage_ids())
    found = list(index.catalogue.passages(ids[:: -(-len(ids) // _SAMPLE) or 1]))
    if not found:
        raise RagraphsError(
            f"{index.name} holds no passage to tune by; index documents first: ragraphs index docs/"
        )
    return found


def _manner(found: Tuning) -> str:
    mostly = f", here mostly {one_line(found.language)}" if found.language else ""
    return (
        f"Write descriptions and relations in the language of the text{mostly}. "
        f"{one_line(found.tone)}"
    ).strip()


def _manner_of_reports(found: Tuning) -> str:
    several = found.language and f", and in {one_line(found.language)} where they are in several"
    return f"Write in the language of the lines{several}. {one_line(found.tone)}".strip()


async def _example(asker: Asker, found: Tuning, passage: Passage) -> str:
    """A short beginning of ``passage`` with what the model lists in it; empty if that is little."""
    text, title = _beginning(passage["text"]), passage["title"]
    reply = await asker.ask(
        EXTRACT_FACTS,
        texts=number([(title, text)]),
        entity_types=", ".join(found.types),
        examples=_manner(found),
        claims="",
    )
    facts = _stated(to_facts(reply), f"{title} {text}") if reply else None
    if facts is None or len(facts["entities"]) < _FEWEST_NAMES or not facts["relations"]:
        return ""
    said = json.dumps(facts, ensure_ascii=False)
    shown = f"{text}\n\nIts entities and relations: {said}"
    excerpt: Excerpt = {"id": "example", "title": title, "text": shown}
    return f"An example, not to be read again:\n{fence([excerpt])}"


def _beginning(text: str) -> str:
    """The first sentences of ``text`` that are not too long together; at least one."""
    kept: list[str] = []
    for span in sentences(text):
        if kept and count_tokens(" ".join([*kept, span.plain])) > _EXAMPLE_TOKENS:
            break
        kept.append(span.plain)
    return shortened(" ".join(kept) or text, _LONGEST)


def _stated(facts: PassageFacts, text: str) -> PassageFacts:
    """The ``facts`` whose names stand in ``text``."""
    said = text.casefold()
    entities = [one for one in facts["entities"] if one["name"].casefold() in said]
    names = {one["name"] for one in entities}
    relations = [one for one in facts["relations"] if {one["source"], one["target"]} <= names]
    return {"entities": entities, "relations": relations, "claims": []}


def _lines(settings: Mapping[str, Any]) -> list[str]:
    types = [f"type: {one}" for one in settings["entity_types"]]
    reports = [f"reports: {settings[MANNER]}"] if settings[MANNER] else []
    return [f"{line}\n" for line in (*types, *settings["examples"].splitlines(), *reports)]
