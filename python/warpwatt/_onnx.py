"""ONNX models as passes: behind warpwatt.record.from_onnx.

Nodes are taken in their order. Each one's shapes come from onnx's own inference of that node alone, with what is constant as numbers, so
that shapes computed in the graph are known where they are used; small tensors that depend on nothing but shapes are computed."""

from __future__ import annotations

import dataclasses
import difflib
import warnings
from typing import Any, Mapping, Sequence

import numpy
import onnx
from onnx import TensorProto, helper, numpy_helper

from . import _fold, _fuse, _graph, _onnx_rules
from ._graph import Graph, Step, Unsupported, product

_MOST_ELEMENTS = 1 << 40  # of a tensor; beyond it `infer` refuses, too


@dataclasses.dataclass
class Value:
    """A tensor of the graph: its shape, ONNX's type, and where it is small and constant its numbers."""
    shape: tuple[int, ...]
    kind: int
    number: int
    constant: numpy.ndarray | None = None
    weight: bool = False

    @property
    def elements(self) -> int:
        return product(self.shape)


class Reader:
    def __init__(self, path: str, precision: str | None) -> None:
        self.path, self.precision = path, precision
        self.values: dict[str, Value] = {}
        self.steps: list[Step] = []
        self.unknown: list[str] = []
        self.next = 0
        self.opsets: list[Any] = []
        self.readers: dict[str, int] = {}

    def fail(self, where: str, why: Any) -> Unsupported:
        return Unsupported(f"{self.path}: {where}: {str(why).strip().splitlines()[0]}")

    def new_number(self) -> int:
        self.next += 1
        return self.next

    def opset(self, domain: str = "") -> int:
        return next((each.version for each in self.opsets if each.domain in ((domain, "ai.onnx") if not domain else (domain,))), 1)

    # ---- tensors from outside ----

    def add_initializer(self, tensor: Any) -> None:
        shape = tuple(tensor.dims)
        self.check_shape(f"initializer '{tensor.name}'", shape)
        outside = tensor.data_location == TensorProto.EXTERNAL
        constant = None
        if not outside and product(shape) <= _fold.MOST_ELEMENTS:
            try:
                constant = numpy_helper.to_array(tensor)
            except (ValueError, TypeError, KeyError) as error:
                raise self.fail(f"initializer '{tensor.name}'", error) from None
        self.values[tensor.name] = Value(shape, tensor.data_type, self.new_number(), constant, True)

    def add_input(self, given: Any, sizes: Mapping[str, int], used: set[str]) -> None:
        if given.name in self.values:  # an initializer, which older files list with the inputs
            return
        if not given.type.HasField("tensor_type") or not given.type.tensor_type.HasField("shape"):
            raise self.fail(f"input '{given.name}'", "is no tensor of a known number of dimensions")
        shape = []
        for i, dim in enumerate(given.type.tensor_type.shape.dim):
            name = dim.dim_param if dim.WhichOneof("value") != "dim_value" else ""
            used.add(name)
            if dim.WhichOneof("value") == "dim_value":
                shape.append(dim.dim_value)
            elif name in sizes:
                shape.append(sizes[name])
            else:
                raise self.fail(f"input '{given.name}'", f"dimension {i}, '{name}', is not known: give its size" if name
                                else f"dimension {i} has no size and no name")
        self.check_shape(f"input '{given.name}'", shape)
        self.values[given.name] = Value(tuple(shape), given.type.tensor_type.elem_type, self.new_number())

    def check_shape(self, where: str, shape: Sequence[int]) -> None:
        if any(size <= 0 for size in shape) and tuple(shape) != (0,):
            raise self.fail(where, f"a size of {min(shape)} in {tuple(shape)}")
        if product(shape) > _MOST_ELEMENTS:
            raise self.fail(where, f"more than 2^40 elements in {tuple(shape)}")

    # ---- nodes ----

    def input(self, node: Any, i: int) -> Value | None:
        return self.values[node.input[i]] if i < len(node.input) and node.input[i] else None

    def infer(self, node: Any) -> list[tuple[tuple[int, ...], int]]:
        """Shape and type of each output of a node."""
        own = _onnx_rules.shapes(self, node)
        if own is not None:
            return own
        names = list(dict.fromkeys(name for name in node.input if name))
        inputs = [helper.make_tensor_value_info(name, self.values[name].kind, self.values[name].shape) for name in names]
        constants = [numpy_helper.from_array(self.values[name].constant, name) for name in names if self.values[name].constant is not None]
        outputs = [onnx.ValueInfoProto(name=name) for name in node.output if name]
        model = helper.make_model(helper.make_graph([node], "node", inputs, outputs, constants), opset_imports=self.opsets)
        try:
            graph = onnx.shape_inference.infer_shapes(model, strict_mode=True, data_prop=True).graph
        except Exception as error:  # those of onnx and of protobuf have no base of their own
            raise ValueError(error) from None
        found = {info.name: info for info in (*graph.output, *graph.value_info)}
        result = []
        for name in node.output:
            kind = found[name].type.tensor_type if name in found else None
            sizes = [dim.dim_value if dim.WhichOneof("value") == "dim_value" else None for dim in kind.shape.dim] if kind is not None else [None]
            if kind is not None and kind.HasField("shape") and None not in sizes:
                result.append((tuple(sizes), kind.elem_type))
            elif name:
                raise ValueError(f"the shape of '{name}' does not follow from its inputs")
            else:
                result.append(((), 0))
        return result

    def add_node(self, i: int, node: Any) -> None:
        where = f"node {i}, '{node.name}' ({node.op_type})" if node.name else f"node {i} ({node.op_type})"
        missing = next((name for name in node.input if name and name not in self.values), None)
        if missing is not None:
            raise self.fail(where, f"nothing makes its input '{missing}'")
        if node.op_type in _onnx_rules.REFUSED:
            raise self.fail(where, "what it computes decides how much runs: it has no pass of its own")
        unknown = not _onnx_rules.known(node)
        if unknown:
            near = difflib.get_close_matches(node.op_type, _onnx_rules.NAMES, 1)
            self.unknown.append(where + (f"; nearest: {near[0]}" if near else ""))
        try:
            outputs = self.infer(node)
            for (shape, _), name in zip(outputs, node.output):
                self.check_shape(f"{where}, output '{name}'", shape)
            constant = _fold.fold(node, self, outputs)
        except Unsupported:
            raise
        except (ValueError, TypeError, KeyError, IndexError, ArithmeticError, RuntimeError) as error:
            raise self.fail("no operator is known for " + self.unknown[-1] if unknown else where, error) from None
        self.note(node, outputs, constant, where)

    def note(self, node: Any, outputs: Sequence[tuple[tuple[int, ...], int]], constant: numpy.ndarray | None, where: str) -> None:
        made = [Value(shape, kind, self.new_number()) for shape, kind in outputs]
        if constant is not None:
            made[0].constant = constant
        else:
            try:
                _onnx_rules.add_steps(self, node, made)
            except (ValueError, IndexError, AttributeError, ZeroDivisionError, TypeError, KeyError) as error:
                raise self.fail(where, f"its inputs or attributes are not those of such a node ({error})".replace("\n", " ")) from None
        for name, value in zip(node.output, made):
            if name:
                self.values[name] = value

    # ---- what rules ask ----

    def number_of(self, kind: int) -> str | None:
        """Numbers as `infer` calls them; None: numbers of other sizes."""
        names = {TensorProto.FLOAT: "fp32", TensorProto.FLOAT16: "fp16", TensorProto.BFLOAT16: "bf16", TensorProto.INT8: "int8",
                 TensorProto.UINT8: "int8"}
        name = names.get(kind)
        return self.precision if self.precision is not None and name in ("fp32", "fp16", "bf16") else name

    def bytes_of(self, value: Value) -> int:
        number = self.number_of(value.kind)
        if number is not None:
            return value.elements * _graph.NUMBERS[number]
        wide = {TensorProto.DOUBLE: 8, TensorProto.INT64: 8, TensorProto.UINT64: 8, TensorProto.BOOL: 1, TensorProto.INT16: 2,
                TensorProto.UINT16: 2}
        return value.elements * wide.get(value.kind, 4)

    def add(self, node: Any, function: str, row: dict[str, Any], inputs: Sequence[Value], output: Value, **facts: Any) -> None:
        module = ".".join(part for part in node.name.split("/")[:-1] if part)
        last = output.shape[-1] if output.shape else 1
        facts = {"elements": output.elements, "last": last, "number": self.number_of(output.kind) or "fp32", **facts}
        self.steps.append(Step(function, row, tuple(value.number for value in inputs), output.number, module, facts))


# ---- files ----

def _load(path: str) -> Any:
    """The model without what lies beside it; its weights' numbers are of no interest."""
    try:
        model = onnx.load(path, load_external_data=False)
    except OSError:
        raise
    except Exception as error:  # protobuf's errors have no base of their own
        raise Unsupported(f"{path}: no ONNX model: {str(error).strip() or 'damaged'}") from None
    if not model.opset_import or not model.graph.node:
        raise Unsupported(f"{path}: no ONNX model with operators and opsets")
    for each in model.opset_import:
        if each.domain in ("", "ai.onnx") and not 1 <= each.version <= onnx.defs.onnx_opset_version():
            raise Unsupported(f"{path}: opset {each.version}; the onnx module knows 1 to {onnx.defs.onnx_opset_version()}")
    if len(model.functions) > 0:
        raise Unsupported(f"{path}: function '{model.functions[0].name}': functions are not followed; inline them")
    return model


def _extent(reader: Reader, inputs: Sequence[Any]) -> tuple[int, int]:
    shapes = [reader.values[given.name].shape for given in inputs if not reader.values[given.name].weight]
    first = shapes[0] if shapes else ()
    return first[0] if len(first) > 1 else 0, first[1] if len(first) in (2, 3) else 0


def read(path: str, sizes: Mapping[str, int], name: str | None, precision: str | None, patterns: Sequence[str], by_bytes: bool) -> Graph:
    if precision not in (None, "bf16", "fp16", "fp32"):
        raise ValueError("precision is 'bf16', 'fp16' or 'fp32'")
    if any(not isinstance(size, int) or size <= 0 for size in sizes.values()):
        raise ValueError("sizes are whole numbers from 1")
    model, reader, used = _load(path), Reader(path, precision), set()
    reader.opsets = list(model.opset_import)
    for node in model.graph.node:
        for each in node.input:
            reader.readers[each] = reader.readers.get(each, 0) + 1
    for each in model.graph.output:
        reader.readers[each.name] = reader.readers.get(each.name, 0) + 1
    for tensor in model.graph.initializer:
        reader.add_initializer(tensor)
    for given in model.graph.input:
        reader.add_input(given, sizes, used)
    strange = sorted(set(sizes) - used)
    if strange:
        near = difflib.get_close_matches(strange[0], [each for each in used if each], 1)
        raise Unsupported(f"{path}: no input has a dimension '{strange[0]}'" + (f"; did you mean '{near[0]}'?" if near else ""))
    for i, node in enumerate(model.graph.node):
        reader.add_node(i, node)
    if reader.unknown and not by_bytes:
        raise Unsupported(f"{path}: no operator is known for " + "\n  ".join(reader.unknown))
    for where in reader.unknown:
        warnings.warn(f"{path}: {where} stands as a kernel that moves its bytes", stacklevel=3)
    steps = _fuse.fuse(reader.steps, patterns)
    _graph.settle_copies(steps)
    graph = Graph(steps, name if name is not None else path.rsplit("/", 1)[-1].rsplit(".", 1)[0][:60], _graph.precision_of(steps),
                  *_extent(reader, model.graph.input))
    if not graph.steps:
        raise Unsupported(f"{path}: a pass without operators")
    return graph
