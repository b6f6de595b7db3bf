"""Values of an ONNX graph that depend on nothing but shapes and constants: shapes, axes, masks and positions. Behind warpwatt.record."""

from __future__ import annotations

from typing import Any, Callable, Sequence

import numpy
from onnx import helper, numpy_helper

MOST_ELEMENTS = 1 << 20  # larger ones are not computed


def attributes(node: Any) -> dict[str, Any]:
    return {each.name: helper.get_attribute_value(each) for each in node.attribute}


def axes_of(node: Any, values: Sequence[numpy.ndarray], at: int) -> tuple[int, ...] | None:
    """Of Squeeze and its like: an attribute before opset 13, an input since."""
    given = attributes(node).get("axes")
    if given is None and len(values) > at:
        given = values[at]
    return None if given is None else tuple(int(axis) for axis in numpy.atleast_1d(given))


def _constant(node: Any, _: Sequence[numpy.ndarray]) -> numpy.ndarray:
    known = attributes(node)
    if "value" in known:
        return numpy_helper.to_array(known["value"])
    for name, kind in (("value_int", numpy.int64), ("value_ints", numpy.int64), ("value_float", numpy.float32), ("value_floats", numpy.float32)):
        if name in known:
            return numpy.asarray(known[name], kind)
    raise ValueError("a constant without a number")


def _unsqueeze(node: Any, v: Sequence[numpy.ndarray]) -> numpy.ndarray:
    axes = axes_of(node, v, 1) or ()
    rank = v[0].ndim + len(axes)
    result = v[0]
    for axis in sorted(axis % rank for axis in axes):
        result = numpy.expand_dims(result, axis)
    return result


def _slice(node: Any, v: Sequence[numpy.ndarray]) -> numpy.ndarray:
    known = attributes(node)
    starts, ends = (known["starts"], known["ends"]) if "starts" in known else (v[1], v[2])
    axes = known.get("axes", v[3] if len(v) > 3 else range(len(starts)))
    steps = v[4] if len(v) > 4 else [1] * len(starts)
    index = [slice(None)] * v[0].ndim
    for start, end, axis, step in zip(starts, ends, axes, steps):
        index[int(axis)] = slice(int(start), None if int(end) < -(1 << 31) else int(end), int(step))
    return v[0][tuple(index)]


def _cast(node: Any, v: Sequence[numpy.ndarray]) -> numpy.ndarray:
    from onnx.mapping import TENSOR_TYPE_TO_NP_TYPE

    return v[0].astype(TENSOR_TYPE_TO_NP_TYPE[attributes(node)["to"]])


def _filled(node: Any, v: Sequence[numpy.ndarray]) -> numpy.ndarray:
    value = attributes(node).get("value")
    number = numpy_helper.to_array(value).reshape(()) if value is not None else numpy.float32(0)
    return numpy.full([int(size) for size in v[0]], number)


def _reshape(node: Any, v: Sequence[numpy.ndarray]) -> numpy.ndarray:
    shape = [int(size) if size != 0 else v[0].shape[i] for i, size in enumerate(v[1])]
    return v[0].reshape(shape)


def _divide(_: Any, v: Sequence[numpy.ndarray]) -> numpy.ndarray:
    return (v[0] // v[1] if v[0].dtype.kind in "iu" else v[0] / v[1]).astype(v[0].dtype)


def _reduce(function: Callable[..., numpy.ndarray]) -> Callable[[Any, Sequence[numpy.ndarray]], numpy.ndarray]:
    def reduce(node: Any, v: Sequence[numpy.ndarray]) -> numpy.ndarray:
        return function(v[0], axis=axes_of(node, v, 1), keepdims=bool(attributes(node).get("keepdims", 1)))

    return reduce


def _plain(function: Callable[..., numpy.ndarray]) -> Callable[[Any, Sequence[numpy.ndarray]], numpy.ndarray]:
    return lambda _, v: function(*v)


_FOLDS: dict[str, Callable[[Any, Sequence[numpy.ndarray]], numpy.ndarray]] = {
    "Constant": _constant, "Unsqueeze": _unsqueeze, "Slice": _slice, "Cast": _cast, "ConstantOfShape": _filled, "Reshape": _reshape,
    "Div": _divide, "Identity": lambda _, v: v[0], "Gather": lambda node, v: numpy.take(v[0], v[1], attributes(node).get("axis", 0)),
    "Concat": lambda node, v: numpy.concatenate(v, attributes(node)["axis"]),
    "Squeeze": lambda node, v: numpy.squeeze(v[0], axes_of(node, v, 1)),
    "Range": _plain(numpy.arange), "Transpose": lambda node, v: numpy.transpose(v[0], attributes(node).get("perm")),
    "Expand": lambda _, v: v[0] * numpy.ones([int(size) for size in v[1]], v[0].dtype),
    "Trilu": lambda node, v: (numpy.triu if attributes(node).get("upper", 1) else numpy.tril)(v[0], int(v[1]) if len(v) > 1 else 0),
    "ReduceProd": _reduce(numpy.prod), "ReduceSum": _reduce(numpy.sum), "ReduceMax": _reduce(numpy.max), "ReduceMin": _reduce(numpy.min),
    **{name: _plain(function) for name, function in {
        "Add": numpy.add, "Sub": numpy.subtract, "Mul": numpy.multiply, "Pow": lambda a, b: numpy.power(a, b).astype(a.dtype),
        "Sqrt": numpy.sqrt, "Neg": numpy.negative, "Floor": numpy.floor, "Ceil": numpy.ceil, "Not": numpy.logical_not, "And": numpy.logical_and,
        "Or": numpy.logical_or, "Equal": numpy.equal, "Less": numpy.less, "LessOrEqual": numpy.less_equal, "Greater": numpy.greater,
        "GreaterOrEqual": numpy.greater_equal, "Where": numpy.where, "Min": numpy.minimum, "Max": numpy.maximum, "Abs": numpy.abs,
        "Cos": numpy.cos, "Sin": numpy.sin, "Exp": numpy.exp, "Reciprocal": numpy.reciprocal}.items()}}


def fold(node: Any, reader: Any, outputs: Sequence[tuple[tuple[int, ...], int]]) -> numpy.ndarray | None:
    """What the node makes if all that it reads is known, and it is small; None: it runs."""
    if len(node.output) != 1 or product_of(outputs[0][0]) > MOST_ELEMENTS:
        return None
    if node.op_type == "Shape":
        known = attributes(node)
        return numpy.asarray(reader.input(node, 0).shape, numpy.int64)[known.get("start", 0):known.get("end", None)]
    if node.op_type == "Size":
        return numpy.asarray(reader.input(node, 0).elements, numpy.int64)
    values = [reader.input(node, i) for i in range(len(node.input))]
    if node.op_type not in _FOLDS or any(value is None or value.constant is None for value in values):
        return None
    if any(value.weight and value.elements > 1024 for value in values):
        return None  # arithmetic on weights is the model's
    return numpy.asarray(_FOLDS[node.op_type](node, [value.constant for value in values]))


def product_of(shape: Sequence[int]) -> int:
    count = 1
    for size in shape:
        count *= size
    return count
