"""Passes of models for `warpwatt infer`, recorded from PyTorch or read from ONNX.

    import torch, warpwatt.record

    model = torch.nn.Transformer(batch_first=True).eval()
    tokens = torch.empty(8, 128, 512)
    graph = warpwatt.record.trace(model, tokens, tokens, autocast="bf16")
    graph.write("pass.csv")                        # warpwatt infer pass.csv --gpu a100

Nothing is computed: the model runs on tensors of shape without memory (device "meta"), whatever its size. libwarpwatt is not needed.
`python3 -m warpwatt.record model.onnx --out pass.csv` does the same of an ONNX file.
"""

from __future__ import annotations

import argparse
import os
import sys
from typing import Any, Callable, Mapping, Sequence

from . import _fuse
from ._graph import Graph, Unsupported

__all__ = ["trace", "from_onnx", "Graph", "Unsupported", "PATTERNS"]

PATTERNS = _fuse.PATTERNS


def _patterns(fuse: str | Sequence[str]) -> Sequence[str]:
    names = PATTERNS if fuse == "all" else (fuse,) if isinstance(fuse, str) else tuple(fuse)
    wrong = [name for name in names if name not in PATTERNS]
    if wrong:
        raise ValueError(f"there is no pattern {wrong[0]!r}: there are {', '.join(PATTERNS)}, and 'all'")
    return names


def trace(model: Callable[..., Any], *args: Any, kwargs: Mapping[str, Any] | None = None, name: str | None = None,
          autocast: str | None = None, fuse: str | Sequence[str] = (), constants: bool = False, unknown: str = "refuse",
          batch: int | None = None, sequence: int | None = None) -> Graph:
    """The operators of model(*args, **kwargs), as eager PyTorch launches them on CUDA: copies and casts included.

    model is left as it is; a copy of it without memory runs. It should be in evaluation (model.eval()). `autocast` is "bf16" or
    "fp16": products in these numbers as CUDA's autocast casts them, weights once; a torch.autocast in the model counts, too.
    `fuse` names patterns that run as one kernel ("all": every one of PATTERNS), as compilers and serving libraries have them.
    `constants`: also what depends on neither inputs nor weights, masks and positions; left out otherwise. An operator that is not
    known is refused by name and place, or with unknown="bytes" stands as a kernel that moves as many bytes. `name`, `batch` and
    `sequence` label the pass; what is not given is taken from the first input."""
    from . import _torch

    if unknown not in ("refuse", "bytes"):
        raise ValueError("unknown is 'refuse' or 'bytes'")
    return _torch.trace(model, args, dict(kwargs or {}), name, autocast, _patterns(fuse), constants, unknown == "bytes",
                        (batch, sequence))


def from_onnx(path: str | os.PathLike, sizes: Mapping[str, int] | None = None, name: str | None = None, precision: str | None = None,
              fuse: str | Sequence[str] = ("bias", "layernorm", "gelu", "silu"), unknown: str = "refuse") -> Graph:
    """The operators of an ONNX model. `sizes` gives dimensions that the file names ({"batch": 8}); shapes follow from them.
    `precision` ("bf16", "fp16") takes the floating-point numbers for these instead of the file's. Batch norms behind convolutions are
    folded; `fuse` as in trace: exporters write biases apart, and norms and GELU as several operators. Damaged files are errors that say
    what is wrong where."""
    from . import _onnx

    if unknown not in ("refuse", "bytes"):
        raise ValueError("unknown is 'refuse' or 'bytes'")
    return _onnx.read(os.fspath(path), dict(sizes or {}), name, precision, _patterns(fuse), unknown == "bytes")


def _sizes(texts: Sequence[str]) -> dict[str, int]:
    sizes = {}
    for text in texts:
        name, _, value = text.partition("=")
        if not name or not value.isdigit() or int(value) == 0:
            raise ValueError(f"--size takes NAME=NUMBER, not {text!r}")
        sizes[name] = int(value)
    return sizes


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python3 -m warpwatt.record", description="The pass of an ONNX model as a table for 'warpwatt infer'.")
    parser.add_argument("model", help="ONNX file")
    parser.add_argument("--size", action="append", default=[], metavar="NAME=NUMBER", help="a dimension that the file names, such as batch=8")
    parser.add_argument("--precision", choices=("bf16", "fp16", "fp32"), help="take floating-point numbers for these")
    parser.add_argument("--fuse", default="bias,layernorm,gelu,silu", help="patterns that are one kernel, or 'all' or 'none'")
    parser.add_argument("--unknown", choices=("refuse", "bytes"), default="refuse", help="operators without a rule")
    parser.add_argument("--out", help="file to write, .csv or .json; when omitted, the table is printed")
    options = parser.parse_args(arguments)
    try:
        fuse = {"all": "all", "none": ()}.get(options.fuse, options.fuse.split(","))
        graph = from_onnx(options.model, _sizes(options.size), precision=options.precision, fuse=fuse, unknown=options.unknown)
        if options.out:
            graph.write(options.out)
        else:
            sys.stdout.write(graph.csv())
    except (ValueError, OSError, ImportError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
