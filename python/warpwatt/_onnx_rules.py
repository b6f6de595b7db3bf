"""Operators of ONNX as rows of a pass: behind warpwatt.record.from_onnx."""

from __future__ import annotations

from typing import Any, Callable, Sequence

from . import _graph
from ._fold import attributes
from ._graph import product

# Nothing runs: names for what is there.
NOTHING = frozenset(("Identity", "Reshape", "Squeeze", "Unsqueeze", "Flatten", "Dropout", "Shape", "Size", "Constant", "ConstantOfShape", "Range"))
# How much runs is decided by numbers.
REFUSED = frozenset(("If", "Loop", "Scan", "NonZero", "NonMaxSuppression", "SequenceMap", "Unique", "Compress"))
OWN_KIND = {"Relu": "relu", "Tanh": "tanh", "Gelu": "gelu", "FastGelu": "gelu", "BiasGelu": "gelu", "QuickGelu": "gelu"}
FUNCTIONS = {"Tanh": "tanh", "Erf": "erf", "Sigmoid": "sigmoid", "Sqrt": "sqrt", "Neg": "neg", "Reciprocal": "reciprocal", "Pow": "pow",
             "ReduceMean": "mean", "Concat": "cat", "Where": "where"}
UNARY = frozenset(("Sigmoid", "Erf", "Exp", "Log", "Sqrt", "Neg", "Abs", "Reciprocal", "HardSwish", "HardSigmoid", "LeakyRelu", "Elu", "Selu",
                   "Celu", "Softplus", "Softsign", "Mish", "Clip", "Sin", "Cos", "Tan", "Floor", "Ceil", "Round", "Sign", "Not", "IsNaN",
                   "IsInf", "ThresholdedRelu", "Trilu", "Shrink"))
BINARY = frozenset(("Add", "Sub", "Mul", "Div", "Pow", "Where", "Min", "Max", "Mod", "Equal", "Less", "LessOrEqual", "Greater", "GreaterOrEqual",
                    "And", "Or", "Xor", "PRelu", "Sum", "Mean", "BitShift"))
MOVERS = frozenset(("Concat", "Split", "Slice", "Pad", "Tile", "GatherElements", "GatherND", "ScatterElements", "ScatterND", "DepthToSpace",
                    "SpaceToDepth", "ReduceMean", "ReduceSum", "ReduceMax", "ReduceMin", "ReduceProd", "ReduceL1", "ReduceL2", "ReduceSumSquare",
                    "ReduceLogSumExp", "GlobalAveragePool", "GlobalMaxPool", "AveragePool", "MaxPool", "LpPool", "ArgMax", "ArgMin", "TopK", "CumSum",
                    "Resize", "Upsample", "OneHot", "EyeLike", "LRN", "QuantizeLinear", "DequantizeLinear", "DynamicQuantizeLinear", "ReverseSequence",
                    "GridSample"))
_SCALAR_KINDS = {"Add": "scalar_add", "Sub": "scalar_add", "Mul": "scalar_mul"}
_TENSOR_KINDS = {"Add": "pointwise_add", "Sub": "pointwise_add", "Mul": "pointwise_mul", "Sum": "pointwise_add"}


def _moved(reader: Any, inputs: Sequence[Any], outputs: Sequence[Any]) -> dict[str, Any]:
    return _graph.moved(sum(map(reader.bytes_of, inputs)), sum(map(reader.bytes_of, outputs)))


def _inputs(reader: Any, node: Any) -> list[Any]:
    return [value for value in (reader.input(node, i) for i in range(len(node.input))) if value is not None]


def _product_number(reader: Any, value: Any) -> str:
    return reader.number_of(value.kind) or "fp32"


def _conv_number(reader: Any, value: Any) -> str:
    """As cuDNN convolves numbers of 32 bits unless told otherwise."""
    number = _product_number(reader, value)
    return "tf32" if number == "fp32" else number


# ---- products ----

def _matrices(reader: Any, node: Any, a: Any, b: Any, out: Any) -> None:
    """Rows of all leading dimensions by one matrix, or a product of each pair."""
    number = _product_number(reader, a)
    m, k = (a.shape[-2] if len(a.shape) > 1 else 1), a.shape[-1]
    n = b.shape[-1] if len(b.shape) > 1 else 1
    if product(b.shape[:-2]) == 1:
        rows = product(a.shape[:-2]) * m
        reader.add(node, "gemm", _graph.gemm(1, rows, n, k, number), (a, b), out)
        return
    batch = out.elements // (m * n)
    more = {"sequences": out.shape[0]} if len(out.shape) == 4 else {}
    reader.add(node, "bmm", _graph.gemm(batch, m, n, k, number), (a, b), out, number=number, **more)


def _matmul(reader: Any, node: Any, made: Sequence[Any]) -> None:
    a = reader.input(node, 0)
    b = reader.input(node, 3 if node.op_type == "QLinearMatMul" else 1)
    _matrices(reader, node, a, b, made[0])


def _gemm(reader: Any, node: Any, made: Sequence[Any]) -> None:
    """A linear layer whose weights are rows of K has features first, as recordings of PyTorch list it."""
    known, a, b = attributes(node), reader.input(node, 0), reader.input(node, 1)
    m, n = made[0].shape
    k = a.shape[0] if known.get("transA", 0) else a.shape[1]
    sizes = (n, m) if known.get("transB", 0) else (m, n)
    reader.add(node, "gemm", _graph.gemm(1, *sizes, k, _product_number(reader, a)), (a, b), made[0])


def _padding(known: dict[str, Any], spatial: int, x: Any, window: Sequence[int], out: Any, stride: Sequence[int]) -> list[int]:
    """Zeros at each side: what the output's size says where the file leaves them open; -1 where two sides differ."""
    pads = known.get("pads")
    if known.get("auto_pad", b"NOTSET") in (b"SAME_UPPER", b"SAME_LOWER"):
        total = [max(0, (o - 1) * s + w - i) for o, s, w, i in zip(out.shape[2:], stride, window, x.shape[2:])]
        return [each // 2 if each % 2 == 0 else -1 for each in total]
    if pads is None:
        return [0] * spatial
    return [a if a == b else -1 for a, b in zip(pads[:spatial], pads[spatial:])]


def _conv(reader: Any, node: Any, made: Sequence[Any]) -> None:
    known, x = attributes(node), reader.input(node, 0)
    weights = reader.input(node, 3 if node.op_type == "QLinearConv" else 1)
    spatial, groups, out = len(x.shape) - 2, known.get("group", 1), made[0]
    number = _conv_number(reader, x)
    if node.op_type == "ConvTranspose":
        row = _graph.gemm(groups, x.shape[0] * product(x.shape[2:]), product(weights.shape[1:]), x.shape[1] // groups, number)
        reader.add(node, "conv", row, (x, weights), out)
        return
    window, stride = weights.shape[2:], known.get("strides", [1] * spatial)
    padding = _padding(known, spatial, x, window, out, stride)
    dilation = known.get("dilations", [1] * spatial)
    if any(each < 0 for each in padding):  # not the same on both sides: no square convolution, but a product
        dilation = [2] * spatial
    row = _graph.convolution(x.shape[0], x.shape[1], x.shape[2:], weights.shape[0], window, out.shape[2:], stride, padding, dilation, groups,
                             number)
    reader.add(node, "conv", row, (x, weights), out)


# ---- rows ----

def _rows_of(reader: Any, operator: str, x: Any, length: int, out: Any) -> dict[str, Any]:
    number = reader.number_of(x.kind)
    return _graph.over_rows(operator, x.elements // length, length, number) if number is not None else _moved(reader, [x], [out])


def _softmax(reader: Any, node: Any, made: Sequence[Any]) -> None:
    """Before opset 13 all dimensions from the axis on are one row."""
    x = reader.input(node, 0)
    new = reader.opset() >= 13
    axis = attributes(node).get("axis", -1 if new else 1) % max(1, len(x.shape))
    length = x.shape[axis] if new else product(x.shape[axis:])
    reader.add(node, "softmax", _rows_of(reader, "softmax", x, length, made[0]), (x,), made[0])


def _layer_norm(reader: Any, node: Any, made: Sequence[Any]) -> None:
    x = reader.input(node, 0)
    axis = attributes(node).get("axis", -1) % max(1, len(x.shape))
    operator = "rmsnorm" if "Simplified" in node.op_type or node.op_type == "RMSNormalization" else "layernorm"
    if node.op_type.startswith("Skip"):
        reader.add(node, "add", _pointwise(reader, "pointwise_add", made[0]), (x, reader.input(node, 1)), made[0])
    reader.add(node, operator, _rows_of(reader, operator, x, product(x.shape[axis:]), made[0]), _inputs(reader, node)[:2], made[0])


def _group_norm(reader: Any, node: Any, made: Sequence[Any]) -> None:
    x = reader.input(node, 0)
    groups = attributes(node).get("num_groups", x.shape[1])
    reader.add(node, "layernorm", _rows_of(reader, "layernorm", x, x.elements // (x.shape[0] * groups), made[0]), (x,), made[0])


def _batch_norm(reader: Any, node: Any, made: Sequence[Any]) -> None:
    """Behind a convolution that nobody else reads it is part of its weights."""
    x = reader.input(node, 0)
    before = reader.steps[-1] if reader.steps else None
    if before is not None and before.function == "conv" and before.output == x.number and reader.readers.get(node.input[0]) == 1:
        before.output = made[0].number
        return
    reader.add(node, "batchnorm", _pointwise(reader, "unspecified_scalar", made[0]), (x,), made[0])


def _gather(reader: Any, node: Any, made: Sequence[Any]) -> None:
    table, which = reader.input(node, 0), reader.input(node, 1)
    if attributes(node).get("axis", 0) == 0 and len(table.shape) == 2 and table.weight:
        row = _rows_of(reader, "embedding", made[0], table.shape[1], made[0])
        reader.add(node, "embedding", row, (table, which), made[0])
        return
    reader.add(node, "gather", _moved(reader, [made[0], which], made), (table, which), made[0])


def _attention(reader: Any, node: Any, made: Sequence[Any]) -> None:
    """Fused ones of ONNX Runtime's optimizer: heads from an attribute; Attention's weights make queries, keys and values."""
    known, q = attributes(node), reader.input(node, 0)
    heads, kv_heads = known["num_heads"], known.get("kv_num_heads", known["num_heads"])
    b, s, width = q.shape
    number = _product_number(reader, q)
    key = reader.input(node, 1)
    context = s
    if node.op_type == "Attention":
        reader.add(node, "gemm", _graph.gemm(1, b * s, key.shape[1], key.shape[0], number), (q, key), made[0])
        width = key.shape[1] // 3
    elif key is not None:
        context = key.shape[1]
    past = next((reader.input(node, i) for i in range(3, len(node.input)) if reader.input(node, i) is not None
                 and len(reader.input(node, i).shape) == 4 and reader.input(node, i).shape[-1] == width // heads), None)
    context += past.shape[-2] if past is not None else 0
    causal = bool(known.get("unidirectional", node.op_type == "GroupQueryAttention")) or s == 1
    reader.add(node, "attention", _graph.attention(b, s, context, width // heads, heads, kv_heads, causal, number), (q,), made[0])


def _rotary(reader: Any, node: Any, made: Sequence[Any]) -> None:
    x, known = reader.input(node, 0), attributes(node)
    size = known.get("rotary_embedding_dim") or (x.shape[-1] if len(x.shape) == 4 else x.shape[-1] // max(1, known.get("num_heads", 1)))
    reader.add(node, "rotary", _rows_of(reader, "rotary", x, size, made[0]), (x,), made[0])


# ---- number by number ----

def _pointwise(reader: Any, kind: str, out: Any) -> dict[str, Any]:
    number = reader.number_of(out.kind)
    return _graph.elementwise(kind, out.elements, number) if number in ("bf16", "fp16", "fp32") else \
        _graph.moved(reader.bytes_of(out), reader.bytes_of(out))


def _unary(reader: Any, node: Any, made: Sequence[Any]) -> None:
    kind = OWN_KIND.get(node.op_type, "unspecified_scalar")
    reader.add(node, FUNCTIONS.get(node.op_type, node.op_type.lower()), _pointwise(reader, kind, made[0]), _inputs(reader, node)[:1], made[0])


def _binary(reader: Any, node: Any, made: Sequence[Any]) -> None:
    out, inputs = made[0], _inputs(reader, node)
    full = [value for value in inputs if value.elements > 1 or out.elements == 1]
    function = FUNCTIONS.get(node.op_type, node.op_type.lower())
    if len(full) > 1 or node.op_type == "Where":
        kind, facts = _TENSOR_KINDS.get(node.op_type, "unspecified_tensor"), {}
        if node.op_type in ("Add", "Where"):
            facts = _mask_facts(inputs, out, node.op_type == "Where")
        row = _pointwise(reader, kind, out) if reader.number_of(inputs[-1].kind) is not None else _moved(reader, inputs, made)
        reader.add(node, function, row, inputs[:3], out, **facts)
        return
    numbers = [value.constant.item() for value in inputs if value.constant is not None and value.constant.size == 1]
    kind = _SCALAR_KINDS.get(node.op_type, "unspecified_scalar")
    facts = {}
    if node.op_type in ("Add", "Sub", "Mul", "Div") and numbers:
        function, facts = "scalar", {"by": numbers[0], "shift": node.op_type in ("Add", "Sub")}
    reader.add(node, function, _pointwise(reader, kind, out), full or inputs[:1], out, **facts)


def _mask_facts(inputs: Sequence[Any], out: Any, where: bool) -> dict[str, Any]:
    scores = next((i for i, value in enumerate(inputs) if i >= where and value.shape == out.shape), int(where))
    others = [value.shape for i, value in enumerate(inputs) if i != scores]
    square = any(len(s) >= 2 and s[-1] > 1 and s[-2] > 1 and product(s[:-2]) == 1 for s in others)
    bias = any(value.weight and value.elements == out.shape[-1] for value in inputs)
    return {"scores": scores, "square_mask": square, "bias": bias}


def _cast(reader: Any, node: Any, made: Sequence[Any]) -> None:
    x, out = reader.input(node, 0), made[0]
    before, after = reader.number_of(x.kind), reader.number_of(out.kind)
    if before == after and before is not None:
        _nothing(reader, node, made)
        return
    kinds = {("fp32", "bf16"): "typecast_to_bf16", ("fp32", "fp16"): "typecast_to_bf16", ("bf16", "fp32"): "typecast_to_fp32",
             ("fp16", "fp32"): "typecast_to_fp32"}
    kind = kinds.get((before, after))
    row = _graph.elementwise(kind, out.elements, before) if kind is not None else _moved(reader, [x], made)
    reader.add(node, "cast", row, (x,), out)


def _transpose(reader: Any, node: Any, made: Sequence[Any]) -> None:
    x = reader.input(node, 0)
    perm = attributes(node).get("perm", list(range(len(x.shape)))[::-1])
    if [axis for axis in perm if x.shape[axis] > 1] == [axis for axis in range(len(x.shape)) if x.shape[axis] > 1]:
        _nothing(reader, node, made)
        return
    row = _pointwise(reader, "transpose_keys" if perm[-1] != len(perm) - 1 else "transpose", made[0])
    reader.add(node, "copy", row, (x,), made[0], read=x.elements)


def _nothing(reader: Any, node: Any, made: Sequence[Any]) -> None:
    """The same tensor by another name."""
    x = reader.input(node, 0)
    if x is not None:
        made[0].number, made[0].weight = x.number, x.weight


def _mover(reader: Any, node: Any, made: Sequence[Any]) -> None:
    inputs = _inputs(reader, node)
    read = [made[0]] if node.op_type in ("Slice", "GatherElements", "GatherND") else inputs
    more = {"read": inputs[0].elements} if node.op_type == "Tile" else {}
    function = FUNCTIONS.get(node.op_type, "copy" if more else node.op_type.lower())
    reader.add(node, function, _moved(reader, read, made), inputs, made[0], **more)
    for i, other in enumerate(made[1:]):  # parts of one kernel
        reader.add(node, "beside", {}, inputs[:1], other)


def _expand(reader: Any, node: Any, made: Sequence[Any]) -> None:
    """Of the same size it is a name; else a copy."""
    x = reader.input(node, 0)
    if x.elements == made[0].elements:
        _nothing(reader, node, made)
        return
    reader.add(node, "copy", _moved(reader, [x], made), (x,), made[0], read=x.elements)


_RULES: dict[str, Callable[[Any, Any, Sequence[Any]], None]] = {
    **dict.fromkeys(NOTHING, _nothing), **dict.fromkeys(UNARY, _unary), **dict.fromkeys(OWN_KIND, _unary), **dict.fromkeys(BINARY, _binary),
    **dict.fromkeys(MOVERS, _mover), **dict.fromkeys(("MatMul", "MatMulInteger", "QLinearMatMul"), _matmul), "Gemm": _gemm,
    **dict.fromkeys(("Conv", "ConvInteger", "QLinearConv", "ConvTranspose"), _conv), **dict.fromkeys(("Softmax", "LogSoftmax"), _softmax),
    **dict.fromkeys(("LayerNormalization", "SimplifiedLayerNormalization", "SkipLayerNormalization", "SkipSimplifiedLayerNormalization",
                     "RMSNormalization"), _layer_norm),
    **dict.fromkeys(("GroupNormalization", "InstanceNormalization"), _group_norm), "BatchNormalization": _batch_norm, "Gather": _gather,
    **dict.fromkeys(("Attention", "MultiHeadAttention", "GroupQueryAttention"), _attention), "RotaryEmbedding": _rotary, "Cast": _cast,
    "Transpose": _transpose, "Expand": _expand}
NAMES = tuple(_RULES)
# Operators of ONNX Runtime's optimizer, of whose shapes the onnx module knows nothing: results are like the first input.
_LIKE_FIRST = frozenset(("Gelu", "FastGelu", "BiasGelu", "QuickGelu", "SimplifiedLayerNormalization", "SkipLayerNormalization",
                         "SkipSimplifiedLayerNormalization", "RotaryEmbedding", "MultiHeadAttention", "GroupQueryAttention"))


def known(node: Any) -> bool:
    return node.op_type in _RULES and node.domain in ("", "ai.onnx", "com.microsoft")


def shapes(reader: Any, node: Any) -> list[tuple[tuple[int, ...], int]] | None:
    """Shapes and types of what onnx does not infer; None: it does."""
    if node.domain != "com.microsoft":
        return None
    x = reader.input(node, 0)
    if node.op_type == "Attention":
        return [((*x.shape[:2], reader.input(node, 1).shape[1] // 3), x.kind)] + [((1,), x.kind) for _ in node.output[1:]]
    if node.op_type in _LIKE_FIRST:
        return [(x.shape, x.kind)] + [((1,), x.kind) for _ in node.output[1:]]
    raise ValueError("operators of com.microsoft but " + ", ".join(sorted(_LIKE_FIRST | {"Attention"})) + " have no known shapes")


def add_steps(reader: Any, node: Any, made: Sequence[Any]) -> None:
    """The steps of a node; of one that is not known a kernel that moves its bytes."""
    if known(node):
        _RULES[node.op_type](reader, node, made)
    else:
        inputs = _inputs(reader, node)
        reader.add(node, node.op_type.lower(), _moved(reader, inputs, made), inputs, made[0])
