# Are passes of ONNX files those of the models that they were exported from, and damaged files errors that say what is wrong where?
import csv
import io
import os
import random
import subprocess
import sys
import tempfile

try:
    import numpy
    import onnx
    from onnx import TensorProto, helper, numpy_helper
except ImportError:
    print("skipped: no onnx")
    sys.exit(77)
try:
    import torch

    import models
except ImportError:
    torch = None

import warpwatt.record as record

folder = tempfile.mkdtemp()


def saved(nodes, inputs, outputs, initializers=(), opset=13, domains=(), name="model"):
    """A file of a graph; tensors are (name, type, shape)."""
    info = [[helper.make_tensor_value_info(*each) for each in each_list] for each_list in (inputs, outputs)]
    graph = helper.make_graph(nodes, name, *info, [numpy_helper.from_array(array, each) for each, array in initializers])
    opsets = [helper.make_opsetid("", opset)] + [helper.make_opsetid(domain, 1) for domain in domains]
    path = f"{folder}/{name}.onnx"
    onnx.save(helper.make_model(graph, opset_imports=opsets), path)
    return path


def sizes(graph, *names):
    return [tuple(row.get(name) for name in ("operator", *names)) for row in graph.rows()]


def refused(path, **options):
    try:
        record.from_onnx(path, **options)
    except (record.Unsupported, ValueError) as error:
        return str(error)
    raise AssertionError("not refused")


F = TensorProto.FLOAT

# ---- exported from PyTorch ----


def exported(model, inputs, opset, **options):
    path = f"{folder}/exported.onnx"
    torch.onnx.export(model.eval(), inputs, path, opset_version=opset, do_constant_folding=False, **options)
    return path


def counted(graph, without=()):
    """Rows with their counts, those without that are kernels of one of the two only."""
    found = {}
    for row in graph.rows():
        if (row.get("kind") or row["operator"]) not in without:
            if row["operator"] == "gemm" and row["batch_or_rows"] == 1:  # exporters turn weights
                row["m_or_dim"], row["n"] = sorted((row["m_or_dim"], row["n"]))
            key = tuple(str(row.get(name)) for name in ("operator", "kind", "precisions", "batch_or_rows", "m_or_dim", "n", "k", "other"))
            found[key] = found.get(key, 0) + row["count"]
    return found


def same(mine, theirs):
    assert mine == theirs, "only of the file: %s\nonly recorded: %s" % (sorted(mine.items() - theirs.items()), sorted(theirs.items() - mine.items()))


COPIES = ("transpose", "transpose_keys", "unspecified_scalar")


def test_transformers():
    """Norms and GELU that exporters take apart are one operator again; copies are those of other kernels."""
    bert = models.Bert(width=64, layers=2, count=4, positions=64)
    inputs = (torch.zeros(2, 32, 64), torch.zeros(2, 32))
    mine = record.trace(bert.eval(), *inputs)
    for opset in (11, 12, 13, 15, 16):
        graph = record.from_onnx(exported(bert, inputs, opset))
        assert (graph.batch, graph.sequence, graph.precision) == (2, 32, "fp32")
        theirs = counted(graph, COPIES)
        same({key: count for key, count in theirs.items()}, counted(mine, COPIES))


def test_named_dimensions():
    """Sizes that the file leaves open follow from those that are given, through shapes that the graph computes."""
    bert = models.Bert(width=64, layers=2, count=4, positions=64)
    axes = {"x": {0: "batch", 1: "length"}, "absent": {0: "batch", 1: "length"}}
    path = exported(bert, (torch.zeros(2, 32, 64), torch.zeros(2, 32)), 14, input_names=["x", "absent"], dynamic_axes=axes)
    graph = record.from_onnx(path, sizes={"batch": 8, "length": 16}, precision="bf16")
    mine = record.trace(bert.to(torch.bfloat16).eval(), torch.zeros(8, 16, 64, dtype=torch.bfloat16), torch.zeros(8, 16, dtype=torch.bfloat16))
    same(counted(graph, COPIES), counted(mine, COPIES))
    assert "dimension 0, 'batch', is not known" in refused(path), refused(path)
    assert "did you mean 'batch'?" in refused(path, sizes={"batch": 8, "length": 16, "batsh": 3})
    assert "whole numbers" in refused(path, sizes={"batch": 0, "length": 16})


def test_convolutions():
    """Batch norms behind convolutions are part of these, whether or not the exporter folded them."""
    net = models.ResNet50()
    inputs = (torch.zeros(1, 3, 64, 64),)
    mine = counted(record.trace(net.eval(), *inputs), ("unspecified_scalar",))
    for options in ({}, {"training": torch.onnx.TrainingMode.PRESERVE}):
        same(counted(record.from_onnx(exported(net, inputs, 13, **options)), ("unspecified_scalar",)), mine)


def test_infer_takes_them():
    """What is written is what `warpwatt infer` reads."""
    path = exported(models.Bert(width=64, layers=2, count=4, positions=64), (torch.zeros(2, 32, 64), torch.zeros(2, 32)), 13)
    for form in ("csv", "json"):
        made = f"{folder}/pass.{form}"
        run = subprocess.run([sys.executable, "-m", "warpwatt.record", path, "--precision", "bf16", "--out", made], capture_output=True, text=True)
        assert run.returncode == 0, run.stderr
        text = subprocess.run([os.environ["WARPWATT"], "infer", "--gpu", "a100", made, "--operators"], check=True, capture_output=True, text=True).stdout
        counts = [int(row["count"]) for row in csv.DictReader(io.StringIO(text))]
        assert sum(counts) == len(record.from_onnx(path, precision="bf16").steps), text


# ---- by hand ----


def test_products():
    weights = numpy.zeros((8, 16), numpy.float32)
    nodes = [helper.make_node("MatMul", ["x", "w"], ["a"]), helper.make_node("Gemm", ["r", "v"], ["b"], transB=1),
             helper.make_node("MatMul", ["y", "z"], ["c"]), helper.make_node("Reshape", ["x", "s"], ["r"])]
    nodes = [nodes[3], *nodes[:3]]
    path = saved(nodes, [("x", F, (2, 3, 8)), ("y", F, (2, 4, 5, 6)), ("z", F, (1, 4, 6, 7))], [("a", F, None), ("b", F, None), ("c", F, None)],
                 [("w", weights), ("v", numpy.zeros((32, 8), numpy.float32)), ("s", numpy.array([6, -1]))])
    assert sizes(record.from_onnx(path), "batch_or_rows", "m_or_dim", "n", "k") == [
        ("gemm", 1, 6, 16, 8), ("gemm", 1, 32, 6, 8), ("gemm", 8, 5, 7, 6)]


def test_softmax_of_opsets():
    """Before opset 13 the row is all that lies behind the axis."""
    for opset, rows, length in ((11, 2, 60), (13, 24, 5)):
        path = saved([helper.make_node("Softmax", ["x"], ["y"])], [("x", F, (2, 3, 4, 5))], [("y", F, None)], opset=opset)
        assert sizes(record.from_onnx(path), "batch_or_rows", "m_or_dim") == [("softmax", rows, length)]


def test_layer_normalization():
    """An operator of its own since opset 17; this is the newest that onnx 1.12 knows."""
    scale = numpy.zeros(64, numpy.float32)
    node = helper.make_node("LayerNormalization", ["x", "g", "b"], ["y"], axis=-1)
    path = saved([node], [("x", F, (4, 16, 64))], [("y", F, None)], [("g", scale), ("b", scale)], opset=17)
    assert sizes(record.from_onnx(path), "batch_or_rows", "m_or_dim", "precisions") == [("layernorm", 64, 64, "fp32")]


def test_integer_products():
    node = helper.make_node("MatMulInteger", ["x", "w"], ["y"])
    path = saved([node], [("x", TensorProto.INT8, (32, 64))], [("y", TensorProto.INT32, None)], [("w", numpy.zeros((64, 16), numpy.int8))])
    assert sizes(record.from_onnx(path), "precisions", "m_or_dim", "n", "k") == [("gemm", "tc/int8_int8", 32, 16, 64)]


def test_fused_attention():
    nodes = [helper.make_node("Attention", ["x", "w", "b"], ["a"], domain="com.microsoft", num_heads=4),
             helper.make_node("FastGelu", ["a"], ["y"], domain="com.microsoft")]
    path = saved(nodes, [("x", F, (2, 16, 64))], [("y", F, (2, 16, 64))], [("w", numpy.zeros((64, 192), numpy.float32)),
                                                                            ("b", numpy.zeros(192, numpy.float32))], domains=["com.microsoft"])
    graph = record.from_onnx(path)
    assert sizes(graph, "batch_or_rows", "m_or_dim", "n", "k") == [("gemm", 1, 32, 192, 64), ("attention", 2, 16, 16, 16),
                                                                  ("elementwise", None, 2048, None, None)], graph.rows()
    assert graph.rows()[1]["other"] == {"heads": 4, "kv_heads": 4, "causal": False}


def test_folding():
    """What follows from shapes is computed, and does not run."""
    constant = helper.make_tensor("c", TensorProto.INT64, [1], [-1])
    nodes = [helper.make_node("Shape", ["x"], ["s"]), helper.make_node("Gather", ["s", "i"], ["d"], axis=0),
             helper.make_node("Unsqueeze", ["d", "zero"], ["u"]), helper.make_node("Constant", [], ["m"], value=constant),
             helper.make_node("Concat", ["u", "m"], ["t"], axis=0), helper.make_node("Reshape", ["x", "t"], ["r"]),
             helper.make_node("Relu", ["r"], ["y"])]
    path = saved(nodes, [("x", F, (4, 6, 8))], [("y", F, None)], [("i", numpy.array(1)), ("zero", numpy.array([0]))])
    graph = record.from_onnx(path)
    assert sizes(graph, "kind", "m_or_dim") == [("elementwise", "relu", 192)], graph.rows()


# ---- hostile files ----


def test_refused():
    relu = helper.make_node("Relu", ["x"], ["y"], name="last")
    ins, outs = [("x", F, (4, 8))], [("y", F, None)]
    text = refused(saved([helper.make_node("Swoosh", ["x"], ["y"], name="odd")], ins, outs))
    assert "no operator is known for node 0, 'odd' (Swoosh)" in text, text
    text = refused(saved([helper.make_node("Tanhh", ["x"], ["y"])], ins, outs))
    assert "nearest: Tanh" in text, text
    assert "decides how much runs" in refused(saved([helper.make_node("NonZero", ["x"], ["y"])], ins, outs))
    assert "nothing makes its input 'z'" in refused(saved([helper.make_node("Relu", ["z"], ["y"]), relu], ins, outs))
    cycle = [helper.make_node("Add", ["x", "b"], ["a"]), helper.make_node("Relu", ["a"], ["b"])]
    assert "node 0 (Add): nothing makes its input 'b'" in refused(saved(cycle, ins, [("b", F, None)]))
    for shape, what in (((0, 8), "a size of 0"), ((-3, 8), "a size of -3"), ((1 << 30, 1 << 30), "more than 2^40 elements")):
        assert what in refused(saved([relu], [("x", F, shape)], outs)), shape
    assert "is no tensor of a known number of dimensions" in refused(saved([relu], [("x", F, None)], outs))
    assert "node 0 (MatMul)" in refused(saved([helper.make_node("MatMul", ["x", "x"], ["y"])], ins, outs))
    assert "opset 99" in refused(saved([relu], ins, outs, opset=99))
    huge = [helper.make_node("ConstantOfShape", ["s"], ["c"]), helper.make_node("Add", ["c", "c"], ["y"])]
    assert "more than 2^40 elements" in refused(saved(huge, [], outs, [("s", numpy.array([1 << 30, 1 << 30]))]))
    assert "a pass without operators" in refused(saved([helper.make_node("Identity", ["x"], ["y"])], ins, outs))
    missing = subprocess.run([sys.executable, "-m", "warpwatt.record", f"{folder}/none.onnx"], capture_output=True, text=True)
    assert missing.returncode == 1 and missing.stderr.startswith("error: ") and "Traceback" not in missing.stderr, missing.stderr


def test_damaged():
    """Files with bytes changed or cut off are passes or errors, nothing else, and take no long time."""
    nodes = [helper.make_node("MatMul", ["x", "w"], ["a"]), helper.make_node("Reshape", ["a", "s"], ["r"]), helper.make_node("Softmax", ["r"], ["p"]),
             helper.make_node("Conv", ["i", "k"], ["c"], pads=[1, 1, 1, 1]), helper.make_node("Transpose", ["p"], ["y"], perm=[1, 0, 2])]
    path = saved(nodes, [("x", F, (4, 8)), ("i", F, (1, 3, 8, 8))], [("y", F, None), ("c", F, None)],
                 [("w", numpy.zeros((8, 16), numpy.float32)), ("s", numpy.array([2, 2, -1])), ("k", numpy.zeros((4, 3, 3, 3), numpy.float32))])
    whole = open(path, "rb").read()
    source, outcomes = random.Random(1), {"pass": 0, "error": 0}
    for _ in range(400):
        damaged = bytearray(whole[:source.randrange(len(whole))] if source.random() < 0.2 else whole)
        for _ in range(source.randrange(1, 4)):
            if damaged:
                damaged[source.randrange(len(damaged))] = source.randrange(256)
        open(path, "wb").write(damaged)
        try:
            record.from_onnx(path)
            outcomes["pass"] += 1
        except record.Unsupported:
            outcomes["error"] += 1
    assert min(outcomes.values()) > 40, outcomes


exports = ("test_transformers", "test_named_dimensions", "test_convolutions", "test_infer_takes_them")
for name, test in list(globals().items()):
    if name.startswith("test_") and (torch is not None or name not in exports):
        test()
        print("ok", name)
