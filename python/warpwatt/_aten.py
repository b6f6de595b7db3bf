"""Operators of PyTorch as rows of a pass: behind warpwatt.record. An operator is what a dispatch mode sees, by its name without
namespace, overload and the underscore of those that work in place."""

from __future__ import annotations

from typing import Any, Callable, Sequence

import torch

from . import _graph
from ._graph import product

NUMBERS = {torch.bfloat16: "bf16", torch.float16: "fp16", torch.float32: "fp32", torch.int8: "int8"}
NUMBERS.update({getattr(torch, name): "fp8" for name in ("float8_e4m3fn", "float8_e5m2") if hasattr(torch, name)})

# Nothing runs: what makes room, names or looks at a tensor. Views are told by their schema.
NOTHING = frozenset((
    "empty", "empty_strided", "empty_like", "new_empty", "new_empty_strided", "dropout", "lift", "lift_fresh", "_unsafe_view",
    "_reshape_alias", "resize", "set", "is_same_size", "_assert_async", "sym_size", "sym_stride", "sym_numel", "_to_cpu",
    "detach_copy", "alias_copy"))
# Tensors out of nothing.
FILLS = frozenset(("zeros", "ones", "full", "arange", "eye", "linspace", "zeros_like", "ones_like", "full_like", "new_zeros",
                   "new_ones", "new_full", "fill", "zero", "scalar_tensor", "tril_indices", "triu_indices"))
OWN_KIND = frozenset(("relu", "gelu", "silu", "tanh"))
# One tensor in, one out, number by number.
UNARY = frozenset((
    "sigmoid", "exp", "exp2", "expm1", "log", "log1p", "log2", "rsqrt", "sqrt", "neg", "erf", "reciprocal", "abs", "cos", "sin",
    "tan", "acos", "asin", "atan", "cosh", "sinh", "sign", "floor", "ceil", "round", "trunc", "clamp", "clamp_min", "clamp_max",
    "hardtanh", "relu6", "hardswish", "hardsigmoid", "leaky_relu", "elu", "selu", "celu", "mish", "softplus", "softsign",
    "log_sigmoid_forward", "threshold", "logical_not", "bitwise_not", "isnan", "isinf", "isfinite", "nan_to_num", "square", "pow",
    "triu", "tril", "conj_physical", "_conj_physical"))
# Two tensors or a tensor and a number in.
BINARY = frozenset((
    "add", "sub", "rsub", "mul", "div", "true_divide", "floor_divide", "remainder", "fmod", "maximum", "minimum", "atan2", "eq", "ne",
    "lt", "le", "gt", "ge", "logical_and", "logical_or", "logical_xor", "bitwise_and", "bitwise_or", "bitwise_xor", "where",
    "masked_fill", "addcmul", "addcdiv", "lerp", "prelu", "_prelu_kernel", "xlogy", "copysign", "complex", "polar", "logaddexp"))
# Kernels of which the bytes are known: reductions, pools, look-ups, copies that join, cut or order.
MOVERS = frozenset((
    "mean", "sum", "prod", "amax", "amin", "max", "min", "argmax", "argmin", "any", "all", "var", "std", "var_mean", "std_mean",
    "norm", "linalg_vector_norm", "logsumexp", "cumsum", "cumprod", "topk", "sort", "argsort", "multinomial", "one_hot", "bincount",
    "max_pool2d_with_indices", "max_pool2d", "max_pool1d", "max_pool3d_with_indices", "avg_pool1d", "avg_pool2d", "avg_pool3d",
    "adaptive_avg_pool1d", "_adaptive_avg_pool2d", "adaptive_max_pool2d", "cat", "stack", "roll", "flip", "repeat",
    "constant_pad_nd", "reflection_pad1d", "reflection_pad2d", "replication_pad2d", "pixel_shuffle", "pixel_unshuffle",
    "channel_shuffle", "im2col", "col2im", "upsample_nearest1d", "upsample_nearest2d", "upsample_bilinear2d", "upsample_bicubic2d",
    "grid_sampler_2d", "gather", "scatter", "scatter_add", "scatter_reduce", "index", "index_select", "index_put", "index_add",
    "index_copy", "index_fill", "masked_scatter", "take", "repeat_interleave", "slice_scatter", "select_scatter",
    "_unsafe_index", "_embedding_bag", "unfold_copy", "split_copy"))


def number_of(tensor: torch.Tensor) -> str | None:
    """Its numbers as `infer` calls them; None: numbers of other sizes."""
    return NUMBERS.get(tensor.dtype)


def _bytes(tensors: Sequence[torch.Tensor]) -> int:
    return sum(touched(tensor) * tensor.element_size() for tensor in tensors)


def touched(tensor: torch.Tensor) -> int:
    """Elements that it has in memory: what is repeated counts once."""
    return product(size for size, step in zip(tensor.shape, tensor.stride()) if step != 0)


class Call:
    """An operator as it was called: what a rule makes a row of."""

    def __init__(self, name: str, args: Sequence[Any], kwargs: dict[str, Any], out: Any) -> None:
        self.name, self.args, self.kwargs, self.out = name, args, kwargs, out
        self.tensors = tensors_in((*args, *kwargs.values()))
        self.results = tensors_in(out if isinstance(out, (tuple, list)) else (out,))
        self.facts: dict[str, Any] = {}

    @property
    def result(self) -> torch.Tensor:
        return self.results[0]

    def moved(self) -> dict[str, Any]:
        return _graph.moved(_bytes(self.tensors), _bytes(self.results))


def tensors_in(values: Any) -> list[torch.Tensor]:
    found = []
    for value in values:
        if isinstance(value, torch.Tensor):
            found.append(value)
        elif isinstance(value, (tuple, list)):
            found += tensors_in(value)
    return found


# ---- products ----

def _product_number(tensor: torch.Tensor, tf32: bool) -> str:
    number = number_of(tensor) or "fp32"
    return "tf32" if number == "fp32" and tf32 else number


def _matrix(call: Call, a: torch.Tensor, b: torch.Tensor) -> dict[str, Any]:
    """Rows of tokens by weights. Profilers list a linear layer, whose weights are rows of K, by features and tokens, and one whose
    weights are rows of its results by tokens and features."""
    (m, k), n = a.shape, b.shape[1]
    linear = b.stride(0) == 1 and b.stride(1) != 1
    number = _product_number(a, torch.backends.cuda.matmul.allow_tf32)
    return _graph.gemm(1, *((n, m) if linear else (m, n)), k, number)


def _batched(call: Call, a: torch.Tensor, b: torch.Tensor) -> dict[str, Any]:
    number = _product_number(a, torch.backends.cuda.matmul.allow_tf32)
    call.facts["number"] = number
    return _graph.gemm(a.shape[0], a.shape[1], b.shape[2], a.shape[2], number)


def _bmm(call: Call) -> dict[str, Any]:
    call.facts["function"] = "bmm"
    return _batched(call, *call.args[-2:] if call.name == "bmm" else call.args[1:3])


def _mm(call: Call) -> dict[str, Any]:
    a, b = call.args[:2] if call.name in ("mm", "_int_mm", "_scaled_mm") else call.args[1:3]
    return _matrix(call, a, b)


def _mv(call: Call) -> dict[str, Any]:
    a, b = call.args[:2] if call.name in ("mv", "dot") else call.args[1:3]
    return _matrix(call, a.reshape(-1, a.shape[-1]), b.reshape(-1, 1))


def _linear(call: Call) -> dict[str, Any]:
    a, weights = call.args[:2]
    return _matrix(call, a.reshape(-1, a.shape[-1]), weights.t())


def _convolution(call: Call) -> dict[str, Any]:
    x, weights, _, stride, padding, dilation, transposed, _, groups = call.args[:9]
    number = _product_number(x, torch.backends.cudnn.allow_tf32)
    spatial = len(weights.shape) - 2
    stride, padding, dilation = (list(each) * (spatial if len(each) == 1 else 1) for each in (stride, padding, dilation))
    if transposed:  # each number of x meets every weight of its channel
        return _graph.gemm(groups, x.shape[0] * product(x.shape[2:]), product(weights.shape[1:]), x.shape[1] // groups, number)
    return _graph.convolution(x.shape[0], x.shape[1], x.shape[2:], weights.shape[0], weights.shape[2:], call.result.shape[2:], stride,
                              padding, dilation, groups, number)


def _fused_attention(call: Call) -> dict[str, Any]:
    q, k = call.args[:2]
    heads, kv_heads = (q.shape[1], k.shape[1]) if len(q.shape) == 4 else (1, 1)
    causal = bool(call.kwargs.get("is_causal", any(value is True for value in call.args))) or q.shape[-2] == 1
    return _graph.attention(q.shape[0], q.shape[-2], k.shape[-2], q.shape[-1], heads, kv_heads, causal, number_of(q) or "fp32")


# ---- rows ----

def _over_rows(operator: str, call: Call, x: torch.Tensor, length: int) -> dict[str, Any]:
    number = number_of(x)
    return _graph.over_rows(operator, x.numel() // length, length, number) if number is not None else call.moved()


def _softmax(call: Call) -> dict[str, Any]:
    call.facts["function"] = "softmax"
    x = call.args[0]
    return _over_rows("softmax", call, call.result, x.shape[call.args[1]] if x.dim() else 1)


def _layer_norm(call: Call) -> dict[str, Any]:
    return _over_rows("layernorm", call, call.args[0], product(call.args[1]))


def _group_norm(call: Call) -> dict[str, Any]:
    x, groups = call.args[0], call.args[6]
    return _over_rows("layernorm", call, x, x.numel() // (x.shape[0] * groups))


def _rms_norm(call: Call) -> dict[str, Any]:
    return _over_rows("rmsnorm", call, call.args[0], product(call.args[1]))


def _embedding(call: Call) -> dict[str, Any]:
    return _over_rows("embedding", call, call.result, call.result.shape[-1])


def _batch_norm(call: Call) -> dict[str, Any]:
    return _elementwise(call, "unspecified_scalar")


# ---- number by number ----

def _elementwise(call: Call, kind: str) -> dict[str, Any]:
    number = number_of(call.result)
    plain = number in ("bf16", "fp16", "fp32") and all(
        tensor.dtype == call.result.dtype or tensor.numel() == 1 or (tensor.dtype == torch.bool and len(call.tensors) > 1)
        for tensor in call.tensors)
    return _graph.elementwise(kind, call.result.numel(), number) if plain else call.moved()


def _unary(call: Call) -> dict[str, Any]:
    if call.name == "pow" and isinstance(call.args[1], torch.Tensor) and call.args[1].numel() > 1:
        return _elementwise(call, "unspecified_tensor")
    call.facts["by"] = next((arg for arg in call.args[1:] if isinstance(arg, (int, float))), None)
    return _elementwise(call, call.name if call.name in OWN_KIND else "unspecified_scalar")


_SCALAR_KINDS = {"add": "scalar_add", "sub": "scalar_add", "rsub": "scalar_add", "mul": "scalar_mul"}
_TENSOR_KINDS = {"add": "pointwise_add", "sub": "pointwise_add", "rsub": "pointwise_add", "mul": "pointwise_mul"}


def _binary(call: Call) -> dict[str, Any]:
    elements = call.result.numel()
    full = [tensor for tensor in call.tensors if tensor.numel() > 1 or elements == 1]
    if call.name in ("where", "masked_fill"):
        mask = call.args[1 if call.name == "masked_fill" else 0]
        _mask_facts(call, mask, 0 if call.name == "masked_fill" else 1)
        return _elementwise(call, "unspecified_tensor")
    if len(full) > 1:
        if call.name == "add" and full[0].shape != full[1].shape:
            scores = 0 if full[0].numel() >= full[1].numel() else 1
            _mask_facts(call, full[1 - scores], scores)
        return _elementwise(call, _TENSOR_KINDS.get(call.name, "unspecified_tensor"))
    _scalar_facts(call)
    if call.name == "div" and len(call.tensors) > 1:
        return _elementwise(call, "divide_tensor")
    return _elementwise(call, _SCALAR_KINDS.get(call.name, "unspecified_scalar"))


def _mask_facts(call: Call, mask: torch.Tensor, scores: int) -> None:
    shape = mask.shape
    square = len(shape) >= 2 and shape[-1] > 1 and shape[-2] > 1 and product(shape[:-2]) == 1
    call.facts.update(scores=scores, square_mask=square)


def _scalar_facts(call: Call) -> None:
    """A tensor and a number are one function, whichever way they meet."""
    if call.name in ("add", "sub", "rsub", "mul", "div"):
        number = next((arg for arg in call.args if isinstance(arg, (int, float))), None)
        call.facts.update(function="scalar", by=number, shift=call.name in ("add", "sub", "rsub"))


def _cast(call: Call) -> dict[str, Any]:
    """Casts; of a tensor that has the type already, copies, or nothing."""
    source = call.args[0] if call.name != "copy" else call.args[1]
    result, kinds = call.result, {"fp32": "typecast_to_fp32", "bf16": "typecast_to_bf16", "fp16": "typecast_to_bf16"}
    before, after = number_of(source), number_of(result)
    if source.dtype == result.dtype:
        return _copy(call, source)
    call.facts["function"] = "cast"
    if {before, after} in ({"fp32", "bf16"}, {"fp32", "fp16"}):
        return _graph.elementwise(kinds[after], result.numel(), before)
    if {before, after} == {"bf16", "fp16"}:
        return _graph.elementwise("unspecified_scalar", result.numel(), after)
    return _graph.moved(_bytes([source]), _bytes([result]))


def _copy(call: Call, source: torch.Tensor) -> dict[str, Any]:
    """A copy that turns a tensor reads along its rows, or across."""
    call.facts.update(function="copy", read=touched(source))
    number, turned = number_of(source), not source.is_contiguous() and source.dim() >= 3 and touched(source) == source.numel()
    if number not in ("bf16", "fp16", "fp32"):
        return _graph.moved(_bytes([source]), _bytes([call.result]))
    kind = "unspecified_scalar" if not turned else "transpose" if source.stride(-1) == 1 else "transpose_keys"
    return _graph.elementwise(kind, call.result.numel(), number)


def _clone(call: Call) -> dict[str, Any]:
    return _copy(call, call.args[0])


def _mover(call: Call) -> dict[str, Any]:
    if call.name in ("repeat", "repeat_interleave", "index_select", "index"):
        call.facts.update(function="copy", read=min(touched(call.args[0]), call.result.numel()))
    return call.moved()


_RULES: dict[str, Callable[[Call], dict[str, Any]]] = {
    **dict.fromkeys(UNARY, _unary), **dict.fromkeys(BINARY, _binary), **dict.fromkeys(OWN_KIND, _unary),
    **dict.fromkeys(MOVERS, _mover), **dict.fromkeys(FILLS, Call.moved),
    **dict.fromkeys(("mm", "addmm", "_addmm_activation", "_int_mm", "_scaled_mm"), _mm), **dict.fromkeys(("mv", "addmv", "dot"), _mv),
    "linear": _linear, "bmm": _bmm, "baddbmm": _bmm,
    **dict.fromkeys(("convolution", "_convolution", "convolution_overrideable"), _convolution),
    **dict.fromkeys(("_scaled_dot_product_flash_attention", "_scaled_dot_product_efficient_attention",
                     "_scaled_dot_product_cudnn_attention", "_scaled_dot_product_flash_attention_for_cpu",
                     "_scaled_dot_product_fused_attention_overrideable", "scaled_dot_product_attention"), _fused_attention),
    "_softmax": _softmax, "_log_softmax": _softmax, "_safe_softmax": _softmax, "native_layer_norm": _layer_norm, "native_group_norm": _group_norm,
    "_fused_rms_norm": _rms_norm, "rms_norm": _rms_norm, "embedding": _embedding,
    **dict.fromkeys(("native_batch_norm", "cudnn_batch_norm", "_native_batch_norm_legit_no_training", "batch_norm",
                     "_native_batch_norm_legit", "_batch_norm_no_update"), _batch_norm),
    **dict.fromkeys(("_to_copy", "copy", "to"), _cast), **dict.fromkeys(("clone", "contiguous"), _clone)}
KNOWN = frozenset(_RULES) | NOTHING
# Those that are many kernels, and run as them only if fast paths are off.
REFUSED = frozenset(("_transformer_encoder_layer_fwd", "_native_multi_head_attention"))


def row_of(call: Call) -> dict[str, Any] | None:
    """The operator's row, {} where nothing runs; None: there is no rule for it. Sets `call.facts` for patterns."""
    if call.name in NOTHING:
        return {}
    rule = _RULES.get(call.name)
    if rule is None:
        return None
    if not call.results or call.result.numel() == 0:
        return {}
    shape = call.result.shape
    call.facts.update(function=call.name, elements=call.result.numel(), last=shape[-1] if len(shape) else 1,
                      number=number_of(call.result) or "fp32")
    return rule(call)


# ---- autocast ----

# As CUDA's autocast has them (torch.amp's documentation, lists of operators): products in the short numbers, what sums in fp32.
SHORT = frozenset(("mm", "addmm", "bmm", "baddbmm", "mv", "addmv", "linear", "convolution", "_convolution", "_scaled_dot_product_attention",
                   "prelu"))
WIDE = frozenset(("_softmax", "_log_softmax", "_safe_softmax", "native_layer_norm", "native_group_norm", "exp", "expm1", "log", "log1p", "log2", "pow",
                  "rsqrt", "reciprocal", "sum", "prod", "cumsum", "cumprod", "norm", "linalg_vector_norm", "softplus", "acos", "asin",
                  "cosh", "sinh", "tan"))
