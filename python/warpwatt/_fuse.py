"""Patterns of several steps that libraries run as one kernel: behind warpwatt.record.

A pattern begins at its last step and goes back along values. It holds only if nobody else reads what lies between, since that would
have to be computed all the same. Casts between its steps are taken along."""

from __future__ import annotations

from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

from . import _graph
from ._graph import Step


class _Flow:
    """Who makes a value and who reads it."""

    def __init__(self, steps: Sequence[Step]) -> None:
        self.maker = {step.output: step for step in steps}
        self.readers: dict[int, list[Step]] = {}
        for step in steps:
            for value in set(step.inputs):
                self.readers.setdefault(value, []).append(step)

    def make(self, value: int, functions: Sequence[str], taken: list[Step]) -> Step | None:
        """The step that makes a value, behind casts, if it is one of the functions; it and the casts join those taken."""
        step, passed = self.maker.get(value), []
        while step is not None and step.function == "cast":
            passed.append(step)
            step = self.maker.get(step.inputs[0])
        if step is None or step.function not in functions:
            return None
        taken += [*passed, step]
        return step

    def source(self, value: int, taken: list[Step]) -> int:
        """The value before its casts."""
        while self.maker.get(value) is not None and self.maker[value].function == "cast":
            taken.append(self.maker[value])
            value = self.maker[value].inputs[0]
        return value


# What a pattern makes of its last step: the row, the values that it reads, and the steps that it takes in.
_Match = Optional[Tuple[Dict[str, Any], Tuple[int, ...], List[Step]]]


def _either(step: Step, flow: _Flow, functions: Sequence[str]) -> list[tuple[Step, int, list[Step]]]:
    """Each input that one of the functions makes, and the other input."""
    found = []
    for i, value in enumerate(step.inputs[:2]):
        taken: list[Step] = []
        made = flow.make(value, functions, taken)
        if made is not None and len(step.inputs) > 1:
            found.append((made, step.inputs[1 - i], taken))
    return found


def _bias(last: Step, flow: _Flow) -> _Match:
    """A product and a number for each of its columns."""
    if last.function != "add" or not last.facts.get("bias"):
        return None
    for i in range(2):
        taken: list[Step] = []
        gemm = flow.make(last.inputs[i], ("gemm",), taken)
        if gemm is not None:
            return gemm.row, (*gemm.inputs, last.inputs[1 - i]), taken
    return None


def _silu(last: Step, flow: _Flow) -> _Match:
    """x * sigmoid(x), as ONNX has it."""
    if last.function != "mul":
        return None
    for sigmoid, x, taken in _either(last, flow, ("sigmoid",)):
        if sigmoid.inputs == (x,):
            return {**last.row, "kind": "silu"}, (x,), taken
    return None


def _silu_mul(last: Step, flow: _Flow) -> _Match:
    if last.function != "mul":
        return None
    for silu, up, taken in _either(last, flow, ("silu",)):
        if silu.facts["elements"] == last.facts["elements"]:
            return {**last.row, "kind": "silu_mul"}, (silu.inputs[0], up), taken
    return None


def _gelu(last: Step, flow: _Flow) -> _Match:
    """Half of x (1 + erf(x / sqrt 2)), or of x (1 + tanh(a (x + b x³))), in any order of the factors."""
    if last.function not in ("mul", "scalar"):
        return None
    taken: list[Step] = []
    factors, todo, halves = [], [last], int(last.function == "scalar" and last.facts.get("by") == 0.5)
    while todo:
        for value in todo.pop().inputs:
            inner = flow.make(value, ("mul", "scalar"), mine := [])
            shift = inner is not None and inner.function == "scalar" and inner.facts.get("shift")
            if inner is not None and not shift and inner.facts.get("by") in (None, 0.5):
                taken += mine
                todo.append(inner)
                halves += inner.function == "scalar"
            else:
                factors.append(value)
    if len(factors) != 2 or halves != 1:
        return None
    for one, x in (factors, factors[::-1]):
        mine = []
        shift = flow.make(one, ("scalar",), mine)
        curve = flow.make(shift.inputs[0], ("erf", "tanh"), mine) if shift is not None and shift.facts.get("shift") else None
        if curve is not None and _argument(curve.inputs[0], x, flow, mine):
            return {**last.row, "kind": "gelu"}, (x,), taken + mine
    return None


def _argument(value: int, x: int, flow: _Flow, taken: list[Step]) -> bool:
    """Whether a value is made of nothing but x, by scaling, powers, products and sums."""
    if value == x:
        return True
    step = flow.make(value, ("scalar", "pow", "mul", "add"), taken)
    return step is not None and len(taken) < 16 and all(_argument(each, x, flow, taken) for each in step.inputs)


def _root_of_mean(value: int, flow: _Flow, taken: list[Step]) -> Step | None:
    """The square behind 1 / sqrt(mean(square) + epsilon), or behind the root alone."""
    root = flow.make(value, ("rsqrt", "sqrt", "reciprocal"), taken)
    if root is not None and root.function == "reciprocal":
        root = flow.make(root.inputs[0], ("sqrt",), taken)
    shift = flow.make(root.inputs[0], ("scalar",), taken) if root is not None else None
    mean = flow.make(shift.inputs[0], ("mean",), taken) if shift is not None else None
    return flow.make(mean.inputs[0], ("pow", "mul"), taken) if mean is not None else None


def _normalized(value: int, flow: _Flow, taken: list[Step]) -> int | None:
    """x of x / sqrt(mean(x²) + epsilon)."""
    scaled = flow.make(value, ("mul", "div"), taken)
    if scaled is None:
        return None
    for i, each in enumerate(scaled.inputs):
        mine: list[Step] = []
        square = _root_of_mean(each, flow, mine)
        if square is not None:
            x = flow.source(scaled.inputs[1 - i], mine)
            if all(flow.source(one, mine) == x for one in square.inputs):
                taken += mine
                return x
    return None


def _norm_row(last: Step, x: int, operator: str) -> dict[str, Any]:
    return _graph.over_rows(operator, last.facts["elements"] // last.facts["last"], last.facts["last"], last.facts["number"])


def _rmsnorm(last: Step, flow: _Flow) -> _Match:
    """The norm with its weights."""
    if last.function != "mul":
        return None
    for i in range(len(last.inputs)):
        taken: list[Step] = []
        x = _normalized(last.inputs[i], flow, taken)
        if x is not None:
            return _norm_row(last, x, "rmsnorm"), (x, last.inputs[1 - i]), taken
    return None


def _layernorm(last: Step, flow: _Flow) -> _Match:
    """((x - mean) / sqrt(mean((x - mean)²) + epsilon)) weights + bias."""
    if last.function != "add":
        return None
    for i in range(len(last.inputs)):
        taken: list[Step] = []
        weighted = flow.make(last.inputs[i], ("mul",), taken)
        for each in weighted.inputs if weighted is not None else ():
            mine: list[Step] = []
            centred = _normalized(each, flow, mine)
            less = flow.make(centred, ("sub",), mine) if centred is not None else None
            mean = flow.make(less.inputs[1], ("mean",), mine) if less is not None else None
            if mean is not None and flow.source(mean.inputs[0], mine) == flow.source(less.inputs[0], mine):
                return _norm_row(last, less.inputs[0], "layernorm"), (less.inputs[0], last.inputs[1 - i]), taken + mine
    return None


def _rotary(last: Step, flow: _Flow) -> _Match:
    """x cos + (-second half, first half) sin."""
    if last.function != "add":
        return None
    for i in range(len(last.inputs)):
        taken: list[Step] = []
        turned = flow.make(last.inputs[i], ("mul",), taken)
        plain = flow.make(last.inputs[1 - i], ("mul",), taken)
        for each in turned.inputs if turned is not None and plain is not None else ():
            mine: list[Step] = []
            halves = flow.make(each, ("cat",), mine)
            back = flow.make(halves.inputs[0], ("neg",), mine) if halves is not None else None
            if back is not None and back.inputs[0] in plain.inputs and halves.inputs[1:] == back.inputs:
                row = _graph.over_rows("rotary", last.facts["elements"] // last.facts["last"], last.facts["last"], last.facts["number"])
                return row, back.inputs, taken + mine
    return None


# ---- attention ----

_BESIDE = ("scalar", "add", "where", "masked_fill")  # what stands between scores and probabilities


def _before(value: int, flow: _Flow, taken: list[Step]) -> tuple[int, int]:
    """An operand before it was scaled, copied or repeated for the product, and the fewest elements that a copy of it read; 0: none."""
    fewest = 0
    while True:
        step = flow.maker.get(value)
        if step is None or step.function not in ("copy", "scalar", "cast") or step.facts.get("shift"):
            return value, fewest
        taken.append(step)
        read = step.facts.get("read", 0)
        fewest = min(fewest, read) if fewest and read else fewest or read
        value = step.inputs[0]


def _scores(value: int, flow: _Flow, taken: list[Step]) -> tuple[Step | None, bool]:
    """The product behind scaling and masks, and whether a mask was one of queries and keys."""
    causal = False
    while True:
        step = flow.make(value, (*_BESIDE, "bmm"), taken)
        if step is None or step.function == "bmm":
            return step, causal
        causal = causal or step.facts.get("square_mask", False)
        value = step.inputs[step.facts.get("scores", 0)]


def _attention(last: Step, flow: _Flow) -> _Match:
    """Products of queries with keys and of probabilities with values round a softmax."""
    if last.function != "bmm" or "sequences" not in last.facts:
        return None
    taken: list[Step] = []
    softmax = flow.make(last.inputs[0], ("softmax",), taken)
    first, causal = _scores(softmax.inputs[0], flow, taken) if softmax is not None else (None, False)
    if first is None or first.row["batch_or_rows"] != last.row["batch_or_rows"]:
        return None
    queries, context, head = (first.row[name] for name in ("m_or_dim", "n", "k"))
    sequences = last.facts["sequences"]
    q, _ = _before(first.inputs[0], flow, taken)
    k, keys = _before(first.inputs[1], flow, taken)
    v, _ = _before(last.inputs[1], flow, taken)
    heads = last.row["batch_or_rows"] // sequences
    kv_heads = min(heads, max(1, keys // (sequences * context * head))) if keys else heads
    kv_heads = kv_heads if heads % kv_heads == 0 else heads
    row = _graph.attention(sequences, queries, context, head, heads, kv_heads, causal or queries == 1, last.facts["number"])
    return row, (q, k, v), taken


_PATTERNS: dict[str, Callable[[Step, _Flow], Any]] = {
    "bias": _bias, "layernorm": _layernorm, "rmsnorm": _rmsnorm, "rotary": _rotary, "gelu": _gelu, "silu": _silu, "silu_mul": _silu_mul,
    "attention": _attention}
PATTERNS = tuple(_PATTERNS)


def fuse(steps: Sequence[Step], names: Sequence[str]) -> list[Step]:
    """The steps with patterns of these names as one step each."""
    for name in PATTERNS:
        if name in names:
            steps = _fuse_one(list(steps), name)
    return _laid_out(list(steps)) if "attention" in names else list(steps)


def _laid_out(steps: list[Step]) -> list[Step]:
    """Without copies of an attention's result that turn heads and rows: its kernel writes them in either order."""
    flow, gone = _Flow(steps), set()
    for step in steps:
        maker = flow.maker.get(step.inputs[0]) if step.function == "copy" and step.row.get("kind") == "transpose" else None
        if maker is not None and maker.function == "attention" and flow.readers[maker.output] == [step]:
            maker.output = step.output
            gone.add(id(step))
    return [step for step in steps if id(step) not in gone]


def _fuse_one(steps: list[Step], name: str) -> list[Step]:
    flow, gone, made = _Flow(steps), set(), {}
    for last in steps:
        match = _PATTERNS[name](last, flow) if id(last) not in gone else None
        inside = _inside(match[2], last, flow) if match is not None else None
        if inside is not None and not inside & gone:
            gone |= inside
            made[id(last)] = Step("gemm" if name == "bias" else name, match[0], match[1], last.output, last.module, last.facts)
    return [made.get(id(step), step) for step in steps if id(step) not in gone]


def _inside(taken: Sequence[Step], last: Step, flow: _Flow) -> set[int] | None:
    """Steps that nobody outside reads, `last` left out. None: one that the pattern computes is read outside; copies, casts and
    scalings of what it reads may be."""
    inside = {id(step): step for step in (*taken, last)}
    while True:
        opened = [step for step in inside.values() if step is not last
                  and any(id(reader) not in inside for reader in flow.readers.get(step.output, ()))]
        if any(step.function not in ("copy", "cast", "scalar") for step in opened):
            return None
        if not opened:
            return set(inside) - {id(last)}
        for step in opened:
            del inside[id(step)]
