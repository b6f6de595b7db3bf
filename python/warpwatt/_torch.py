"""Recording of a PyTorch model by dispatch mode: behind warpwatt.record.trace."""

from __future__ import annotations

import collections
import copy
import difflib
import traceback
import warnings
from typing import Any, Callable, Iterator, Mapping, Sequence

import torch
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode

from . import _aten, _fuse, _graph
from ._graph import Graph, Step, Unsupported

_AUTOCAST = {"bf16": torch.bfloat16, "fp16": torch.float16}


def _map(function: Callable[[torch.Tensor], Any], value: Any) -> Any:
    """A structure with the function of each tensor in it."""
    if isinstance(value, torch.Tensor):
        return function(value)
    if isinstance(value, (tuple, list)):
        items = [_map(function, item) for item in value]
        return type(value)(*items) if hasattr(value, "_fields") else type(value)(items)
    if isinstance(value, Mapping):
        return {key: _map(function, item) for key, item in value.items()}
    return value


def _bare(tensor: torch.Tensor) -> torch.Tensor:
    """The same shape, strides and type without memory."""
    if tensor.device.type == "meta":
        return tensor
    return torch.empty_strided(tensor.shape, tensor.stride(), dtype=tensor.dtype, device="meta")


# ---- modules ----

def _without_memory(model: torch.nn.Module) -> torch.nn.Module:
    """A copy whose parameters and buffers have shapes only; those that are tied stay tied."""
    memo: dict[int, Any] = {}
    for tensor in (*model.parameters(), *model.buffers()):
        bare = _bare(tensor.detach())
        memo[id(tensor)] = torch.nn.Parameter(bare, tensor.requires_grad) if isinstance(tensor, torch.nn.Parameter) else bare
    return copy.deepcopy(model, memo)


def _needs_gradients(model: Any) -> bool:
    """Whether the model has layers that evaluation without gradients runs as one operator."""
    many = (torch.nn.TransformerEncoderLayer, torch.nn.MultiheadAttention)
    return isinstance(model, torch.nn.Module) and any(isinstance(module, many) for module in model.modules())


class _Places:
    """Names of the modules that run, innermost last."""

    def __init__(self, model: Any) -> None:
        self.stack, self.handles = [""], []
        for name, module in model.named_modules() if isinstance(model, torch.nn.Module) else ():
            self.handles.append(module.register_forward_pre_hook(lambda *_, name=name: self.stack.append(name)))
            self.handles.append(module.register_forward_hook(lambda *_: self.leave()))

    def leave(self) -> None:
        self.stack.pop()

    def close(self) -> None:
        for handle in self.handles:
            handle.remove()


def _line() -> str:
    """Where in the user's files the operator is called."""
    for frame in reversed(traceback.extract_stack()):
        if "/torch/" not in frame.filename and "/warpwatt/" not in frame.filename:
            return f"{frame.filename}:{frame.lineno}"
    return "PyTorch"


class _Contexts(TorchFunctionMode):
    """Keeps in mind which autocast the model is in: below, where operators are seen, PyTorch has switched it off."""

    def __init__(self) -> None:
        super().__init__()
        self.short: torch.dtype | None = None

    def __torch_function__(self, func: Any, types: Any, args: Sequence[Any] = (), kwargs: Mapping[str, Any] | None = None) -> Any:
        if torch.is_autocast_enabled():
            self.short = torch.get_autocast_gpu_dtype()
        else:
            self.short = torch.get_autocast_cpu_dtype() if torch.is_autocast_cpu_enabled() else None
        return func(*args, **(kwargs or {}))


# ---- recording ----

class _Recorder(TorchDispatchMode):
    """Makes a step of every operator. Values are numbered: a view has the number of what it views, a tensor that is written in
    place gets a new one."""

    def __init__(self, places: _Places, autocast: str | None, constants: bool) -> None:
        super().__init__()
        self.places, self.autocast, self.constants, self.contexts = places, autocast, constants, _Contexts()
        self.steps: list[Step] = []
        self.values: dict[int, int] = {}
        self.kept: list[torch.Tensor] = []  # as long as they live, their identities are theirs
        self.next = 0
        self.constant: set[int] = set()
        self.weights: set[int] = set()
        self.casts: dict[tuple[int, torch.dtype, tuple[int, ...]], torch.Tensor] = {}
        self.sequences: dict[int, int] = {}
        self.unknown: collections.Counter[tuple[str, str, str]] = collections.Counter()

    def new_value(self, tensor: torch.Tensor) -> int:
        self.next += 1
        self.values[id(tensor)] = self.next
        self.kept.append(tensor)
        return self.next

    def value(self, tensor: torch.Tensor) -> int:
        """A tensor that no operator made is a constant: inputs and weights are made known before."""
        found = self.values.get(id(tensor))
        if found is None:
            found = self.new_value(tensor)
            self.constant.add(found)
        return found

    def enter(self, tensors: Iterator[torch.Tensor], weights: bool) -> None:
        for tensor in tensors:
            value = self.new_value(tensor)
            if weights:
                self.weights.add(value)

    # ---- calls ----

    def __torch_dispatch__(self, func: Any, types: Any, args: Sequence[Any] = (), kwargs: Mapping[str, Any] | None = None) -> Any:
        kwargs = dict(kwargs or {})
        name = func._schema.name.split("::")[-1]
        base = name.rstrip("_") or name
        if base in _aten.REFUSED:
            raise Unsupported(f"{name} in {self.places.stack[-1] or 'the model'} ({_line()}) is a whole layer as one operator: call the "
                              "model outside of torch.no_grad(), or switch the fast path off")
        args, kwargs = self.cast_inputs(base, args, kwargs)
        before = _aten.tensors_in((*args, *kwargs.values()))
        if any(tensor.device.type == "meta" for tensor in before):
            args, kwargs = _map(self.bare, args), _map(self.bare, kwargs)
        inputs = _aten.tensors_in((*args, *kwargs.values()))
        out = self.run(func, name, args, kwargs)
        self.note(func, name, base, args, kwargs, inputs, out)
        return out

    def bare(self, tensor: torch.Tensor) -> torch.Tensor:
        made = _bare(tensor)
        if made is not tensor:
            self.values[id(made)] = self.value(tensor)
            self.kept.append(made)
        return made

    def run(self, func: Any, name: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        try:
            return func(*args, **kwargs)
        except (NotImplementedError, RuntimeError) as error:
            if not isinstance(error, NotImplementedError) and "meta" not in str(error):
                raise
            raise Unsupported(f"{name} in {self.places.stack[-1] or 'the model'} ({_line()}) needs numbers, and a recording has "
                              f"shapes only: {str(error).splitlines()[0]}") from error

    def note(self, func: Any, name: str, base: str, args: Sequence[Any], kwargs: dict[str, Any], inputs: list[torch.Tensor],
             out: Any) -> None:
        results = _aten.tensors_in(out if isinstance(out, (tuple, list)) else (out,))
        known = [self.value(tensor) for tensor in inputs]
        if _is_view(func) or base in ("_unsafe_view", "_reshape_alias", "lift_fresh", "detach", "alias"):
            for result in results:
                self.note_view(inputs[0], result)
            return
        fresh = base in _aten.FILLS or base.startswith(("empty", "new_empty"))
        constant = fresh or all(value in self.constant for value in known)
        call = _aten.Call(base, args, kwargs, out)
        row = _aten.row_of(call) if not constant or self.constants else {}
        if row is None:
            self.unknown[name if "::" not in func._schema.name else func._schema.name, self.places.stack[-1], _line()] += 1
            row = call.moved() if results else {}
        self.add(base, row, known, results, call.facts, inputs)
        if constant:
            self.constant.update(self.values[id(result)] for result in results)

    def note_view(self, source: torch.Tensor, view: torch.Tensor) -> None:
        value = self.value(source)
        if view is not source:
            self.values[id(view)] = value
            self.kept.append(view)
        heads = source.dim() == 4 and view.dim() == 3 and view.shape[0] == source.shape[0] * source.shape[1]
        if heads:  # sequences and heads are one dimension of a product
            self.sequences[id(view)] = source.shape[0]

    def add(self, base: str, row: dict[str, Any], known: Sequence[int], results: Sequence[torch.Tensor], facts: dict[str, Any],
            inputs: Sequence[torch.Tensor]) -> None:
        facts = dict(facts)
        function = facts.pop("function", base)
        if function == "bmm" and id(inputs[-2]) in self.sequences:
            facts["sequences"] = self.sequences[id(inputs[-2])]
        if function == "copy" and base == "copy":
            known = known[1:]
        outputs = [self.new_value(result) for result in results]
        if outputs:
            self.steps.append(Step(function, row, tuple(known), outputs[0], self.places.stack[-1], facts))
            for other in outputs[1:]:  # what is made beside the result is the same step's
                self.steps.append(Step("beside", {}, (outputs[0],), other, self.places.stack[-1]))

    # ---- autocast ----

    def short(self) -> torch.dtype | None:
        return _AUTOCAST[self.autocast] if self.autocast is not None else self.contexts.short

    def cast_inputs(self, base: str, args: Sequence[Any], kwargs: dict[str, Any]) -> tuple[Sequence[Any], dict[str, Any]]:
        short = self.short()
        if short is None or base not in _aten.SHORT | _aten.WIDE:
            return args, kwargs
        to, like = (short, (torch.float32, torch.bfloat16, torch.float16)) if base in _aten.SHORT else (torch.float32, (short,))
        return _map(lambda tensor: self.cast(tensor, to, like), args), _map(lambda tensor: self.cast(tensor, to, like), kwargs)

    def cast(self, tensor: torch.Tensor, to: torch.dtype, like: Sequence[torch.dtype]) -> torch.Tensor:
        """A tensor as autocast hands it on; weights are cast once a pass."""
        if tensor.dtype == to or tensor.dtype not in like:
            return tensor
        source = self.value(tensor)
        key = (source, to, (*tensor.shape, *tensor.stride()))
        if source in self.weights and key in self.casts:
            return self.casts[key]
        made = torch.empty_strided(tensor.shape, tensor.stride(), dtype=to, device="meta")
        call = _aten.Call("_to_copy", (tensor,), {}, made)
        row = _aten.row_of(call) or {}
        if source in self.weights and any(known[:2] == key[:2] for known in self.casts):
            row = {}  # another view of a weight that is cast already
        self.add("_to_copy", row, (source,), (made,), call.facts, (tensor,))
        self.casts[key] = made
        return made


def _is_view(func: Any) -> bool:
    returned = func._schema.returns
    return bool(returned) and all(each.alias_info is not None and not each.alias_info.is_write for each in returned)


# ---- labels ----

def _extent(inputs: Sequence[torch.Tensor], given: tuple[int | None, int | None]) -> tuple[int, int]:
    first = inputs[0].shape if inputs else ()
    batch = given[0] if given[0] is not None else first[0] if len(first) > 1 else 0
    sequence = given[1] if given[1] is not None else first[1] if len(first) in (2, 3) else 0
    return batch, sequence


def _refuse(unknown: Mapping[tuple[str, str, str], int]) -> None:
    lines = []
    for (name, module, line), count in unknown.items():
        near = difflib.get_close_matches(name.split("::")[-1].rstrip("_"), _aten.KNOWN, 1)
        lines.append(f"{name} in {module or 'the model'} ({line}), {count} times" + (f"; nearest: {near[0]}" if near else ""))
    raise Unsupported("no operator is known for " + "\n  ".join(lines) + "\nunknown=\"bytes\" takes each for a kernel that moves its bytes")


def trace(model: Callable[..., Any], args: Sequence[Any], kwargs: dict[str, Any], name: str | None, autocast: str | None,
          patterns: Sequence[str], constants: bool, by_bytes: bool, given: tuple[int | None, int | None]) -> Graph:
    if autocast not in (None, "fp32", *_AUTOCAST):
        raise ValueError("autocast is 'bf16' or 'fp16'")
    gradients = _needs_gradients(model)
    bare = _without_memory(model) if isinstance(model, torch.nn.Module) else model
    if gradients:
        bare.requires_grad_(True)
    args, kwargs = _map(_bare, tuple(args)), _map(_bare, kwargs)
    inputs = _aten.tensors_in((*args, *kwargs.values()))
    places = _Places(bare)
    recorder = _Recorder(places, None if autocast == "fp32" else autocast, constants)
    recorder.enter(iter(inputs), False)
    if isinstance(bare, torch.nn.Module):
        recorder.enter((*bare.parameters(), *bare.buffers()), True)
    try:
        with torch.set_grad_enabled(gradients), recorder.contexts, recorder:
            bare(*args, **kwargs)
    finally:
        places.close()
    if recorder.unknown and not by_bytes:
        _refuse(recorder.unknown)
    for operator, module, line in recorder.unknown:
        warnings.warn(f"{operator} in {module or 'the model'} ({line}) stands as a kernel that moves its bytes", stacklevel=3)
    steps = _fuse.fuse(recorder.steps, patterns)
    _graph.settle_copies(steps)
    batch, sequence = _extent(inputs, given)
    return Graph(steps, name if name is not None else type(model).__name__.lower(), _graph.precision_of(steps), batch, sequence)
