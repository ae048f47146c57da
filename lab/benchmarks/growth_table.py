"""Results of the measurements of growth: tables, exponents, and the constants of a plan."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from math import log
from operator import itemgetter
from pathlib import Path
from statistics import linear_regression
from typing import Any

from ragraphs.language.analyser import count_tokens
from ragraphs.nodes.index.price import sent
from ragraphs.prompts import indexing
from ragraphs.state.errors import RagraphsError

from .growth_changes import CHANGES

Part = dict[str, Any]

_STORES = ("tables", "vectors", "arrays")
_SERVING = "serving"
_WHOLE = ("index", "update")  # nodes that hold others
_STEPS = 4
_LEAST = 0.001


def read_parts(files: Sequence[Path], same: Mapping[str, Any]) -> dict[str, Part]:
    """The parts in ``files`` whose fields are as in ``same``, by name; of several the last."""
    return {
        part["part"]: part
        for part in _lines(files)
        if all(part.get(name) == value for name, value in same.items())
    }


def exponent(sizes: Sequence[float], values: Sequence[float]) -> float:
    """The k of value = c · size ** k, fitted by least squares of logarithms; needs two sizes."""
    return linear_regression([log(each) for each in sizes], [log(each) for each in values]).slope


def markdown(files: Sequence[Path], smallest: int) -> str:
    """Tables of layers, questions and changes, for each kind of embeddings and stores.

    Then tables of both kinds of stores side by side, of one size and embeddings.
    """
    said = []
    for (embeddings, stores), sizes in sorted(_measured(files).items()):
        said.append(f"Embeddings `{embeddings.partition('@')[0]}`, stores `{stores}`:\n")
        said += [*_layer_rows(sizes, smallest), ""]
        said += [*_question_rows(sizes, smallest), ""]
        said += [*_change_rows(sizes, smallest), ""]
    said += _compared(_measured(files))
    return "\n".join(said)


def _compared(measured: Mapping[tuple[str, str], dict[int, dict[str, Part]]]) -> Iterator[str]:
    """Milliseconds of questions in a folder and in PostgreSQL, and of filters in each."""
    for (embeddings, stores), sizes in sorted(measured.items()):
        for size, parts in sorted(sizes.items()):
            other = measured.get((embeddings, "shared"), {}).get(size, {}).get(_SERVING)
            if stores != "folder" or not other or not (own := parts.get(_SERVING)):
                continue
            yield f"{size:,} passages in a folder and in PostgreSQL, `{embeddings}`:\n"
            yield "| question by | folder, ms (processor) | PostgreSQL, ms (processor) | ratio |"
            yield "|---|---:|---:|---:|"
            for way in [way for way in own["asked"] if way in other["asked"]]:
                first, second = (one["asked"][way] for one in (own, other))
                (took, used), (then, spent) = map(_times, (first, second))
                yield (
                    f"| {way} | {took:,.0f} ({used:,.0f}) | {then:,.0f} ({spent:,.0f}) "
                    f"| {then / took:.2f} ({spent / used:.2f}) |"
                )
            yield "\n| search, ms (processor) | all | 50 % | 10 % | 1 % |"
            yield "|---|---:|---:|---:|---:|"
            for name, one in (("folder", own), ("PostgreSQL", other)):
                for way, shares in one["filtered_ms"].items():
                    shown = (
                        f"{each['median_ms']:,.0f} ({each['processor_ms']:,.0f})"
                        for each in shares.values()
                    )
                    yield f"| {way}, {name} | {' | '.join(shown)} |"


def _times(row: Mapping[str, float]) -> tuple[float, float]:
    """Milliseconds of a question, and of processors, also of the servers that were asked."""
    return row["median_ms"], row["median_processor_ms"] + row.get("others_processor_ms", 0.0)


def constants(files: Sequence[Path], replies: Path) -> dict[str, Any]:
    """Constants of `ragraphs plan`: figures by embeddings and passages, and replies' lengths.

    Sizes are of folders; a corpus that was not measured whole has none.
    """
    measured: dict[str, Any] = {}
    for (embeddings, stores), sizes in sorted(_measured(files).items()):
        whole = {size: parts for size, parts in sorted(sizes.items()) if _SERVING in parts}
        if stores == "folder" and whole:
            last = whole[max(whole)][_SERVING]
            measured[embeddings.partition("@")[0]] = {
                "machine": last["machine"],
                "sizes": {str(size): _figures(parts) for size, parts in whole.items()},
            }
    return {"measured": measured, "replies": reply_lengths(replies)}


def reply_lengths(file: Path) -> dict[str, float]:
    """Tokens of replies that were recorded, by token of the passage read, and by token sent."""
    rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    read = [
        (_tokens(row), count_tokens(row["inputs"]["texts"][0]["text"]))
        for row in rows
        if row["prompt"] == indexing.READ_PASSAGE.name
    ]
    written = [
        (_tokens(row), sent(prompt, **row["inputs"]))
        for prompt in (indexing.SUMMARISE_DESCRIPTION, indexing.WRITE_REPORT)
        for row in rows
        if row["prompt"] == prompt.name
    ]
    return {
        name: _rounded(sum(reply for reply, _ in pairs) / sum(given for _, given in pairs))
        for name, pairs in (("by_token_read", read), ("by_token_of_writing", written))
    }


def _tokens(row: Part) -> int:
    return count_tokens(json.dumps(row["reply"], ensure_ascii=False))


def _figures(parts: Mapping[str, Part]) -> dict[str, Any]:
    serving = parts[_SERVING]
    return {
        "layers": {
            name: {
                "seconds": part["seconds"],
                "processor_seconds": part["processor_seconds"],
                "peak_mb": part["peak_mb"],
                **{f"{store}_mb": round(mb, 2) for store, mb in _added(parts, name)},
            }
            for name in _layers(parts)
            for part in [parts[name]]
        },
        "serving_mb": serving["resident_mb"],
        "median_ms": {name: row["median_ms"] for name, row in serving["asked"].items()},
    }


def _layer_rows(sizes: Mapping[int, Mapping[str, Part]], smallest: int) -> Iterator[str]:
    yield (
        "| layer | passages | seconds | processor seconds | exponent | peak MB (own) "
        "| tables MB | Chroma MB | arrays MB |"
    )
    yield "|---|" + "---:|" * 8
    longest = max(sizes.values(), key=len)
    for name in _layers(longest):
        growth = _growth(sizes, smallest, name, itemgetter("processor_seconds"))
        for size, parts in sorted(sizes.items()):
            if name in parts:
                part = parts[name]
                stored = " | ".join(f"{mb:,.1f}" for _, mb in _added(parts, name))
                yield (
                    f"| {name} | {size:,} | {part['seconds']:,.1f} "
                    f"| {part['processor_seconds']:,.1f} | {growth} "
                    f"| {part['peak_mb']:,} ({part['own_peak_mb']:,}) | {stored} |"
                )


def _question_rows(sizes: Mapping[int, Mapping[str, Part]], smallest: int) -> Iterator[str]:
    served = {size: parts for size, parts in sorted(sizes.items()) if _SERVING in parts}
    if not served:
        return
    yield (
        "| question by | passages | first, s | median ms | p95 ms | processor ms | exponent "
        "| recall@5 | memory (own) after, MB |"
    )
    yield "|---|" + "---:|" * 8
    for way in next(iter(served.values()))[_SERVING]["asked"]:
        growth = _growth(served, smallest, _SERVING, partial(_median, way=way))
        for size, parts in served.items():
            row = parts[_SERVING]["asked"][way]
            yield (
                f"| {way} | {size:,} | {row['first_seconds']:.1f} | {row['median_ms']:,.0f} "
                f"| {row['p95_ms']:,.0f} | {row['median_processor_ms']:,.0f} | {growth} "
                f"| {100 * row['recall_at_5']:.0f} | {row['own_mb_after']:,.0f} |"
            )


def _change_rows(sizes: Mapping[int, Mapping[str, Part]], smallest: int) -> Iterator[str]:
    names = dict.fromkeys(name for parts in sizes.values() for name in parts if name in CHANGES)
    if not names:
        return
    yield "| change | passages | seconds | processor seconds | exponent | longest steps, s |"
    yield "|---|---:|---:|---:|---:|---|"
    for name in names:
        growth = _growth(sizes, smallest, name, itemgetter("processor_seconds"))
        for size, parts in sorted(sizes.items()):
            if name in parts:
                part = parts[name]
                inner = {step: took for step, took in part["steps"].items() if step not in _WHOLE}
                longest = sorted(inner, key=lambda step: -inner[step])[:_STEPS]
                steps = ", ".join(f"{step} {inner[step]:.1f}" for step in longest)
                yield (
                    f"| {name} | {size:,} | {part['seconds']:,.1f} "
                    f"| {part['processor_seconds']:,.1f} | {growth} | {steps} |"
                )


def _layers(parts: Iterable[str]) -> list[str]:
    """The names of ``parts`` that are layers."""
    return [name for name in parts if name != _SERVING and name not in CHANGES]


def _median(serving: Part, way: str) -> float:
    return float(serving["asked"][way]["median_processor_ms"])


def _growth(
    sizes: Mapping[int, Mapping[str, Part]],
    smallest: int,
    part: str,
    value: Callable[[Part], float],
) -> str:
    known = {size: parts[part] for size, parts in sizes.items() if part in parts}
    fitted = {size: max(value(one), _LEAST) for size, one in known.items() if size >= smallest}
    return f"{exponent(list(fitted), list(fitted.values())):.2f}" if len(fitted) > 1 else "–"


def _added(parts: Mapping[str, Part], name: str) -> list[tuple[str, float]]:
    """MB that the layer ``name`` added to each store: the size with it, less the size before."""
    names = _layers(parts)
    place = names.index(name)
    before = parts[names[place - 1]]["stored_mb"] if place else {}
    after = parts[name]["stored_mb"]
    return [(store, max(0.0, after[store] - before.get(store, 0.0))) for store in _STORES]


def _measured(files: Sequence[Path]) -> dict[tuple[str, str], dict[int, dict[str, Part]]]:
    """The parts by embeddings and stores, by passages, and by name; of several the last."""
    found: dict[tuple[str, str], dict[int, dict[str, Part]]] = {}
    for part in _lines(files):
        sizes = found.setdefault((part["embeddings"], part["stores"]), {})
        sizes.setdefault(part["passages"], {})[part["part"]] = part
    return found


def _lines(files: Iterable[Path]) -> Iterator[Part]:
    for file in files:
        try:
            lines = file.read_text(encoding="utf-8").splitlines()
        except OSError as error:
            raise RagraphsError(
                f"{file} cannot be read ({error.strerror}); name another."
            ) from error
        yield from (json.loads(line) for line in lines if line.strip())


def _rounded(value: float) -> float:
    return float(f"{value:.3g}")
