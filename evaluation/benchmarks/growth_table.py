"""What the measurements of growth amount to: tables, exponents, and the constants of a plan."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from math import log
from operator import itemgetter
from pathlib import Path
from statistics import linear_regression
from typing import Any

from ...state.errors import RagraphsError

Part = dict[str, Any]

_STORES = ("tables", "chroma", "arrays")
_SERVING = "serving"


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
    """Tables of layers and of questions, for each kind of embeddings and stores."""
    said = []
    for (embeddings, stores), sizes in sorted(_measured(files).items()):
        said.append(f"Embeddings `{embeddings.partition('@')[0]}`, stores `{stores}`:\n")
        said += [*_layer_rows(sizes, smallest), ""]
        said += [*_question_rows(sizes, smallest), ""]
    return "\n".join(said)


def constants(files: Sequence[Path]) -> dict[str, Any]:
    """For each kind of embeddings, the figures of the largest corpus that was measured whole.

    Seconds and bytes are of a passage, ``exponent`` the growth of seconds between the two largest.
    """
    found: dict[str, Any] = {}
    for (embeddings, stores), sizes in sorted(_measured(files).items()):
        whole = {size: parts for size, parts in sizes.items() if _SERVING in parts}
        if stores != "folder" or not whole:
            continue
        size = max(whole)
        layers = {name: part for name, part in whole[size].items() if name != _SERVING}
        serving = whole[size][_SERVING]
        found[embeddings.partition("@")[0]] = {
            "passages": size,
            "machine": serving["machine"],
            "layers": {
                name: {
                    "processor_seconds": _rounded(part["processor_seconds"] / size),
                    "seconds": _rounded(part["seconds"] / size),
                    "bytes": {store: round(1e6 * mb / size) for store, mb in _added(layers, name)},
                    "peak_mb": part["peak_mb"],
                }
                for name, part in layers.items()
            },
            "serving": {
                "resident_mb": serving["resident_mb"],
                "median_ms": {name: row["median_ms"] for name, row in serving["asked"].items()},
            },
        }
    return {"command": "python -m ragraphs.evaluation.benchmarks.growth", "measured": found}


def _layer_rows(sizes: Mapping[int, Mapping[str, Part]], smallest: int) -> Iterator[str]:
    yield (
        "| layer | passages | seconds | processor seconds | exponent | peak MB (own) "
        "| tables MB | Chroma MB | arrays MB |"
    )
    yield "|---|" + "---:|" * 8
    names = [name for name in next(iter(sizes.values())) if name != _SERVING]
    for name in names:
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
        "| question by | passages | first, s | median ms | p95 ms | processor ms | exponent | recall@5 "
        "| process's memory after, MB |"
    )
    yield "|---|" + "---:|" * 8
    for way in next(iter(served.values()))[_SERVING]["asked"]:
        growth = _growth(served, smallest, _SERVING, partial(_median, way=way))
        for size, parts in served.items():
            row = parts[_SERVING]["asked"][way]
            yield (
                f"| {way} | {size:,} | {row['first_seconds']:.1f} | {row['median_ms']:,.0f} "
                f"| {row['p95_ms']:,.0f} | {row['median_processor_ms']:,.0f} | {growth} | {100 * row['recall_at_5']:.0f} "
                f"| {row['own_mb_after']:,.0f} |"
            )


def _median(serving: Part, way: str) -> float:
    return float(serving["asked"][way]["median_processor_ms"])


def _growth(
    sizes: Mapping[int, Mapping[str, Part]],
    smallest: int,
    part: str,
    value: Callable[[Part], float],
) -> str:
    fitted = {
        size: value(parts) for size, parts in sizes.items() if part in parts and size >= smallest
    }
    if len(fitted) < 2:
        return "–"
    return f"{exponent(list(fitted), [max(each, 0.001) for each in fitted.values()]):.2f}"


def _added(parts: Mapping[str, Part], name: str) -> list[tuple[str, float]]:
    """What a layer added to each store, in MB: what is stored then, less what was before."""
    names = [each for each in parts if each != _SERVING]
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
