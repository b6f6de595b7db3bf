"""A pass as a list of steps, and the table of operators that `warpwatt infer` reads, made of it: behind warpwatt.record."""

from __future__ import annotations

import collections
import csv
import dataclasses
import io
import json
import math
import os
import pathlib
import re
from typing import Any, Iterable, Mapping, Sequence

COLUMNS = ("operator", "kind", "precisions", "batch_or_rows", "m_or_dim", "n", "k", "other", "count")
# Numbers that kernels of `infer` take, and their bytes.
NUMBERS = {"bf16": 2, "fp16": 2, "fp32": 4, "tf32": 4, "int8": 1, "fp8": 1}


class Unsupported(ValueError):
    """What a pass has and `warpwatt infer` has no operator for, each by name and with where it came from."""


@dataclasses.dataclass
class Step:
    """One operator of a pass as it runs. `row` is its line of the table without its count; an empty one launches nothing."""
    function: str
    row: dict[str, Any]
    inputs: tuple[int, ...]  # values, numbered as they appear; of a view that of what it views
    output: int
    module: str = ""  # dotted name of the module that it runs in
    facts: dict[str, Any] = dataclasses.field(default_factory=dict)  # what patterns ask about


def product(sizes: Iterable[int]) -> int:
    return math.prod(sizes)


# ---- rows ----

def precisions(number: str) -> str:
    """Of products: on matrix units but for numbers of 32 bits."""
    return f"{number}_{number}" if number == "fp32" else f"tc/{number}_{number}"


def gemm(batch: int, m: int, n: int, k: int, number: str) -> dict[str, Any]:
    return {"operator": "gemm", "precisions": precisions(number), "batch_or_rows": batch, "m_or_dim": m, "n": n, "k": k}


def over_rows(operator: str, rows: int, length: int, number: str) -> dict[str, Any]:
    return {"operator": operator, "precisions": number, "batch_or_rows": rows, "m_or_dim": length}


def elementwise(kind: str, elements: int, number: str) -> dict[str, Any]:
    return {"operator": "elementwise", "kind": kind, "m_or_dim": elements, "other": {"prec": number}}


def moved(read: int, written: int) -> dict[str, Any]:
    """A kernel of which nothing is known but the bytes that it moves, half of them in and half out: reductions, pools, copies
    and look-ups of numbers of any size."""
    return elementwise("unspecified_scalar", max(1, -(-(read + written) // 8)), "fp32")


def attention(sequences: int, queries: int, context: int, head: int, heads: int, kv_heads: int, causal: bool,
              number: str) -> dict[str, Any]:
    return {"operator": "attention", "precisions": precisions(number), "batch_or_rows": sequences, "m_or_dim": queries,
            "n": context, "k": head, "other": {"heads": heads, "kv_heads": kv_heads, "causal": causal}}


def convolution(images: int, channels: int, size: Sequence[int], out: int, window: Sequence[int], result: Sequence[int],
                stride: Sequence[int], padding: Sequence[int], dilation: Sequence[int], groups: int, number: str) -> dict[str, Any]:
    """Square ones as convolutions, all others as the products that they are: of as many operations, if not of as many bytes."""
    square = len(size) == 2 and all(len(set(pair)) == 1 for pair in (size, window, stride, padding, result))
    if square and set(dilation) <= {1}:
        other = {"b": images, "c": channels, "hw": size[0], "m": out, "padding": padding[0], "rs": window[0], "stride": stride[0]}
        if groups > 1:
            other["groups"] = groups
        return {"operator": "conv2d", "precisions": precisions(number), "batch_or_rows": 1, "m_or_dim": images * product(result),
                "n": out, "k": channels * product(window), "other": other}
    return gemm(groups, images * product(result), out // groups, channels // groups * product(window), number)


# ---- graphs ----

def _key(row: Mapping[str, Any]) -> str:
    return json.dumps(row, sort_keys=True)


def _pattern(modules: Iterable[str]) -> str:
    """Names of modules with * for their numbers: "h.*.attn"."""
    return " ".join(dict.fromkeys(re.sub(r"(?<![^.])\d+(?![^.])", "*", name) for name in modules if name))


class Graph:
    """A pass. `steps` are its operators as they ran; `rows()` what `warpwatt infer` reads, `write(path)` puts it into a file."""

    def __init__(self, steps: Sequence[Step], model: str = "", precision: str = "", batch: int = 0, sequence: int = 0) -> None:
        self.steps = [step for step in steps if step.row]
        self.model, self.precision, self.batch, self.sequence = model, precision, batch, sequence

    def _merged(self) -> list[tuple[dict[str, Any], list[Step]]]:
        found: dict[str, tuple[dict[str, Any], list[Step]]] = {}
        for step in self.steps:
            found.setdefault(_key(step.row), (step.row, []))[1].append(step)
        return list(found.values())

    def rows(self) -> list[dict[str, Any]]:
        """Rows that are equal in everything are one, at the place of the first."""
        return [{**row, "count": len(steps)} for row, steps in self._merged()]

    def modules(self, depth: int | None = None) -> dict[str, list[dict[str, Any]]]:
        """The rows of each module, or of all modules whose names agree in their first `depth` parts."""
        parts: dict[str, list[Step]] = {}
        for step in self.steps:
            name = step.module if depth is None else ".".join(step.module.split(".")[:depth])
            parts.setdefault(name, []).append(step)
        return {name: Graph(steps).rows() for name, steps in parts.items()}

    def _labels(self) -> dict[str, Any]:
        named = {"model": self.model, "precision": self.precision, "batch": self.batch, "sequence": self.sequence}
        return {name: value for name, value in named.items() if value}

    def csv(self) -> str:
        """A table with a column `module` beside those that `infer` reads: where its operators came from."""
        labels, text = self._labels(), io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow([*labels, *COLUMNS, "module"])
        for row, steps in self._merged():
            full = {**row, "count": len(steps), "other": json.dumps(row["other"]) if "other" in row else ""}
            writer.writerow([*labels.values(), *(full.get(name, "") for name in COLUMNS), _pattern(step.module for step in steps)])
        return text.getvalue()

    def json(self) -> str:
        labels = self._labels()
        return "[" + ",\n ".join(json.dumps({**labels, **row}) for row in self.rows()) + "]\n"

    def write(self, path: str | os.PathLike) -> None:
        """A list of objects where the name ends in .json, else a table."""
        path = pathlib.Path(path)
        path.write_text(self.json() if path.suffix == ".json" else self.csv(), encoding="utf-8")

    def energy(self, folder: str | os.PathLike, depth: int | None = None) -> dict[str, float]:
        """Joules of each module, from the folder that `warpwatt infer --out` left of this pass: a row's are shared evenly by its
        occurrences, gaps behind them included."""
        joules = _row_joules(pathlib.Path(folder))
        merged = self._merged()
        if len(joules) != len(merged) or any(not name.startswith(_described(row)) for (row, _), (name, _) in zip(merged, joules)):
            raise ValueError(f"{folder} is not the result of this pass: its operators are others")
        shares: dict[str, float] = {}
        for (_, steps), (_, row_j) in zip(merged, joules):
            for step in steps:
                name = step.module if depth is None else ".".join(step.module.split(".")[:depth])
                shares[name] = shares.get(name, 0.0) + row_j / len(steps)
        return shares

    def __repr__(self) -> str:
        return f"<pass of {self.model or 'a model'}: {len(self.steps)} operators in {len(self._merged())} rows>"


def _described(row: Mapping[str, Any]) -> str:
    """How results name it: "gemm 1x64x384x128"."""
    sizes = "x".join(str(row[name]) for name in ("batch_or_rows", "m_or_dim", "n", "k") if name in row)
    return f"{row.get('kind') or row['operator']} {sizes} "


def _row_joules(folder: pathlib.Path) -> list[tuple[str, float]]:
    """Name and energy of each row of a result, in their order."""
    with open(folder / "power.csv", newline="", encoding="utf-8") as file:
        rows = csv.reader(file)
        names = [name.split(" [")[0] for name in next(rows)]
        table = [dict(zip(names, row)) for row in rows]
    return [(row["kernel"], sum(float(row[part + "_energy"]) for part in ("event", "background", "leakage"))) for row in table
            if row["component"] == "TOTAL"]


def precision_of(steps: Sequence[Step]) -> str:
    """The number that most of the operations of its products are in."""
    work: collections.Counter[str] = collections.Counter()
    for row in (step.row for step in steps):
        if "n" in row:
            number = row["precisions"].split("_")[-1]
            work["fp32" if number == "tf32" else number] += row["batch_or_rows"] * row["m_or_dim"] * row["n"] * row["k"]
    return work.most_common(1)[0][0] if work else ""


# ---- copies ----

def settle_copies(steps: Sequence[Step]) -> None:
    """Copies that turn heads are what `infer` calls transposes, if the pass has the batched product that they belong to: that
    says how heads and rows lie. Others are kernels that read and write."""
    turned = {product((step.row["batch_or_rows"], step.row["m_or_dim"], step.row["k"])) for step in steps
              if step.row.get("operator") == "gemm" and step.row["batch_or_rows"] > 1}
    for step in steps:
        if step.row.get("kind") in ("transpose", "transpose_keys") and step.row["m_or_dim"] not in turned:
            step.row = {**step.row, "kind": "unspecified_scalar"}
