# Are recorded passes of models written in plain PyTorch those that the generators make of the same shapes?
import csv
import io
import os
import subprocess
import sys
import tempfile
import warnings

try:
    import torch
    from torch.nn import functional as F
except ImportError:
    print("skipped: no PyTorch")
    sys.exit(77)

import models
import warpwatt.record as record

FIELDS = ("operator", "kind", "precisions", "batch_or_rows", "m_or_dim", "n", "k", "other")


def counted(rows, turn=False):
    """Rows as a dict of their counts. turn: products of one matrix in one order, whichever of tokens and features is first."""
    found = {}
    for row in rows:
        row = dict(row)
        if turn and row["operator"] == "gemm" and row["batch_or_rows"] == "1":
            row["m_or_dim"], row["n"] = sorted((row["m_or_dim"], row["n"]), key=int)
        key = tuple(row[name] for name in FIELDS)
        found[key] = found.get(key, 0) + int(row["count"])
    return found


def generated(*options):
    text = subprocess.run([os.environ["WARPWATT"], "infer", "--gpu", "a100", "--operators", *options], check=True, capture_output=True, text=True)
    return list(csv.DictReader(io.StringIO(text.stdout)))


def recorded(graph, without=()):
    return [row for row in csv.DictReader(io.StringIO(graph.csv())) if (row["kind"] or row["operator"]) not in without]


def same(mine, theirs):
    assert mine == theirs, "only recorded: %s\nonly generated: %s" % (sorted(mine.items() - theirs.items()), sorted(theirs.items() - mine.items()))


def ids(batch, sequence):
    return torch.empty(batch, sequence, dtype=torch.int64, device="meta")


def numbers(*shape, dtype=torch.bfloat16):
    return torch.empty(*shape, dtype=dtype, device="meta")


# ---- against the generators ----

def test_gpt2():
    """Its table has no look-ups, and says of 1 + tanh that it is a product with a number."""
    graph = record.trace(models.made(models.Gpt2), ids(2, 64), name="gpt2")
    rows = recorded(graph, without=("embedding",))
    for row in rows:
        row["kind"] = "scalar_mul" if row["kind"] == "scalar_add" else row["kind"]
    same(counted(rows), counted(generated("--model", "gpt2", "--batch", "2", "--sequence", "64", "--eager-extras")))


def test_bert():
    for precision, dtype in (("bf16", torch.bfloat16), ("fp32", torch.float32)):
        graph = record.trace(models.made(models.Bert, dtype=dtype), numbers(4, 128, 768, dtype=dtype), numbers(4, 128, dtype=dtype))
        assert (graph.precision, graph.batch, graph.sequence) == (precision, 4, 128), graph
        same(counted(recorded(graph)), counted(generated("--model", "bert-base", "--batch", "4", "--sequence", "128", "--precision", precision,
                                                          "--eager-extras")))


def test_resnet():
    for precision, dtype in (("bf16", torch.bfloat16), ("fp32", torch.float32)):
        graph = record.trace(models.made(models.ResNet50, dtype=dtype), numbers(8, 3, 224, 224, dtype=dtype))
        same(counted(recorded(graph)), counted(generated("--model", "resnet50", "--batch", "8", "--precision", precision, "--eager-extras")))


def llama(batch, sequence, at, **options):
    """Keys and values of llama-3.2-1b up to the position at, and the tokens behind them."""
    cache = [(numbers(batch, 8, at + sequence, 64), numbers(batch, 8, at + sequence, 64)) for _ in range(16)]
    return record.trace(models.made(models.Llama), ids(batch, sequence), cache, at, fuse="all", **options)


def test_grouped_heads():
    """With its patterns as the kernels that serving libraries have; the generator lists no writes to the cache, and linear layers by
    tokens first."""
    for sequence, at, phase in ((64, 0, "prefill"), (1, 64, "decode")):
        graph = llama(2, sequence, at)
        same(counted(recorded(graph, without=("unspecified_scalar",)), turn=True),
             counted(generated("--model", "llama-3.2-1b", "--batch", "2", "--sequence", "64", "--phase", phase), turn=True))
        writes = [row for row in recorded(graph) if row["kind"] == "unspecified_scalar"]
        assert [(int(row["m_or_dim"]), row["count"]) for row in writes] == [(2 * 8 * 64 * sequence, "32")], writes


# ---- what only a recording has ----

def test_attention_of_one_key_head():
    """A query that is scaled before the product, and keys that all heads share."""
    class Shared(torch.nn.Module):
        def forward(self, q, k, v):
            k, v = (x.expand(2, 4, 16, 64) for x in (k, v))
            return torch.matmul(F.softmax(torch.matmul(q * 0.125, k.transpose(-1, -2)), dim=-1), v).transpose(1, 2).reshape(2, 16, 256)

    rows = record.trace(Shared(), numbers(2, 4, 16, 64), numbers(2, 1, 16, 64), numbers(2, 1, 16, 64), fuse="attention").rows()
    assert [(row["operator"], row["other"]) for row in rows] == [("attention", {"heads": 4, "kv_heads": 1, "causal": False})], rows


def test_eager_decoder():
    """Without patterns the same pass has the kernels that eager PyTorch launches: norms as six, casts included."""
    cache = [(numbers(2, 8, 64, 64), numbers(2, 8, 64, 64)) for _ in range(16)]
    rows = recorded(record.trace(models.made(models.Llama), ids(2, 64), cache, 0))
    kinds = {row["kind"] or row["operator"]: 0 for row in rows}
    for row in rows:
        kinds[row["kind"] or row["operator"]] += int(row["count"])
    assert kinds["softmax"] == 16 and kinds["silu"] == 16 and "attention" not in kinds and "rmsnorm" not in kinds, kinds
    assert kinds["typecast_to_fp32"] == 33 + 16 and kinds["typecast_to_bf16"] == 33 + 16, kinds
    # The products are two of a layer's attention, four of its linear layers, and the head.
    assert kinds["gemm"] == 6 * 16 + 1, kinds


def test_autocast():
    """Weights are cast once, what is summed is in fp32, products in the short numbers; a context in the model counts as much."""
    class Twice(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.layer, self.norm = torch.nn.Linear(64, 64), torch.nn.LayerNorm(64)

        def forward(self, x):
            return self.norm(self.layer(self.layer(x)))

    class Inside(Twice):
        def forward(self, x):
            with torch.autocast("cpu", dtype=torch.bfloat16):
                return super().forward(x)

    wanted = {"typecast_to_bf16 64": 1, "typecast_to_bf16 4096": 1, "typecast_to_bf16 512": 1, "gemm 64": 2, "typecast_to_fp32 512": 1,
              "layernorm 64": 1}
    for model, autocast in ((Twice(), "bf16"), (Inside(), None)):
        rows = recorded(record.trace(model.eval(), torch.empty(8, 64), autocast=autocast))
        assert {f'{row["kind"] or row["operator"]} {row["m_or_dim"]}': int(row["count"]) for row in rows} == wanted, rows
        assert {row["precisions"] for row in rows if row["operator"] == "gemm"} == {"tc/bf16_bf16"}
    assert Twice().layer.weight.device.type == "cpu"


def test_modules():
    graph = record.trace(models.made(models.Gpt2, layers=3), ids(1, 32))
    parts = graph.modules(2)
    assert {"wte", "wpe", "h.0", "h.1", "h.2", "ln_f"} <= set(parts) and parts["h.0"] == parts["h.2"], list(parts)
    row = next(row for row in recorded(graph) if row["operator"] == "gemm")
    assert row["module"] == "h.*.c_attn" and row["count"] == "3", row


def test_energy_of_modules():
    """Shares of a pass's energy sum up to it, and equal layers have equal ones."""
    graph = record.trace(models.made(models.Gpt2, layers=2, width=128, count=2, vocabulary=512), ids(1, 64), name="gpt2-small")
    with tempfile.TemporaryDirectory() as folder:
        for form in ("csv", "json"):
            graph.write(f"{folder}/pass.{form}")
            subprocess.run([os.environ["WARPWATT"], "infer", f"{folder}/pass.{form}", "--gpu", "a100", "--out", f"{folder}/{form}", "--quiet",
                            "--tune", "off", "--cache", f"{folder}/cache"], check=True)
        shares = graph.energy(f"{folder}/csv", 2)
        assert shares == graph.energy(f"{folder}/json", 2)
        whole = graph.energy(f"{folder}/csv", 0)
        assert abs(sum(shares.values()) - whole[""]) < 1e-9 * whole[""] and whole[""] > 0
        assert abs(shares["h.0"] - shares["h.1"]) < 1e-9 * shares["h.0"]
        try:
            record.trace(models.made(models.Gpt2, layers=2, width=128, count=2, vocabulary=512), ids(2, 64)).energy(f"{folder}/csv")
        except ValueError as error:
            assert "not the result of this pass" in str(error), error
        else:
            raise AssertionError("another pass's result was taken")


def test_no_memory():
    """A model larger than any memory here, from real parameters' shapes alone."""
    with torch.no_grad():
        large = models.made(models.Llama, width=8192, layers=2, count=64, inner=28672)
    cache = [(numbers(1, 8, 4096, 128), numbers(1, 8, 4096, 128)) for _ in range(2)]
    graph = record.trace(large, ids(1, 1), cache, 4095, fuse="all")
    assert {"operator": "gemm", "precisions": "tc/bf16_bf16", "batch_or_rows": 1, "m_or_dim": 57344, "n": 1, "k": 8192, "count": 2} in graph.rows()


def test_needs_no_library():
    """There is none here, which is told when something else asks for it."""
    import warpwatt

    for wanted in (lambda: warpwatt.version, lambda: warpwatt.Device("a100")):
        try:
            wanted()
        except ImportError as error:
            assert "libwarpwatt is not found" in str(error), error
        else:
            raise AssertionError("there is a library")


def test_fast_paths_are_off():
    """Layers that evaluation runs as one operator are recorded as their kernels."""
    layer = torch.nn.TransformerEncoderLayer(64, 4, 128, batch_first=True).eval()
    operators = [step.row["operator"] for step in record.trace(layer, torch.empty(2, 16, 64)).steps]
    assert operators.count("gemm") == 6 and operators.count("layernorm") == 2 and operators.count("softmax") == 1, operators
    assert not any(handle for handle in layer._forward_hooks) and layer.linear1.weight.requires_grad


def refused(*arguments, **options):
    try:
        record.trace(*arguments, **options)
    except (record.Unsupported, ValueError) as error:
        return str(error)
    raise AssertionError("not refused")


def test_unknown_operators():
    """Each by name, with the module and the line that call it; on request as a kernel that moves its bytes."""
    class Odd(torch.nn.Module):
        def forward(self, x):
            return torch.special.i0e(x) + torch.linalg.qr(x)[0]

    odd = torch.nn.Sequential(Odd())
    text = refused(odd, torch.empty(8, 8))
    assert "special_i0e in 0 (" in text and "test_torch.py:" in text and "linalg_qr in 0" in text and "1 times" in text, text
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        rows = record.trace(odd, torch.empty(8, 8), unknown="bytes").rows()
    assert len(told) == 2 and sum(row["count"] for row in rows) == 3, rows
    assert refused(lambda x: x[x > 0].sum().item() * x, torch.empty(4)).count("needs numbers") == 1
    assert "there is no pattern 'gulu'" in refused(odd, torch.empty(8, 8), fuse="gulu")
    assert "autocast is" in refused(odd, torch.empty(8, 8), autocast="int4")


def test_other_shapes():
    """Convolutions that are not square, or over one dimension, are products of as many operations; numbers of other sizes are bytes."""
    class Mixed(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.one, self.two = torch.nn.Conv1d(8, 16, 3, padding=1), torch.nn.Conv2d(8, 8, (3, 5), groups=8)

        def forward(self, x, y, z):
            return self.one(x), self.two(y), z + z

    rows = record.trace(Mixed(), torch.empty(2, 8, 100), torch.empty(2, 8, 20, 20), torch.empty(64, dtype=torch.int64)).rows()
    sizes = [tuple(row.get(name, 0) for name in ("batch_or_rows", "m_or_dim", "n", "k")) for row in rows]
    assert sizes == [(1, 200, 16, 24), (8, 2 * 18 * 16, 1, 15), (0, 64 * 8 * 3 // 8, 0, 0)], sizes


for name, test in list(globals().items()):
    if name.startswith("test_"):
        test()
        print("ok", name)
