# The Python module against what the program says of the same run, and what it must refuse.
import array
import csv
import os
import warnings

import warpwatt

N = 1000
with warpwatt.Device("gtx580", settings={"sm.max_ctas": 4}) as gpu:
    assert gpu.parameter("sm.max_ctas") == "4"
    module = gpu.load(os.environ["PTX"])
    x, y = gpu.array([float(i) for i in range(N)], "f"), gpu.array(array.array("f", [1.0] * N), "f")
    r = module.saxpy[4, 256](y, x, 2.0, N)
    assert y.tolist() == [2.0 * i + 1 for i in range(N)]
    assert r.kernel == "saxpy" and r.grid == (4, 1, 1) and r.block == (256, 1, 1) and len(gpu.results) == 1
    assert r.counter("chip.launches") == 1 and r.counters["sm.ctas"] == 4
    assert abs(sum(r.energy.values()) - r.energy_j) < 1e-9 * r.energy_j and r.uncertainty_j > 0
    assert abs(sum(r.power.values()) - r.total_w) < 1e-9 * r.total_w
    module["saxpy"].launch((4,), (256, 1), y, x, 2.0, N)
    assert abs(gpu.total.energy_j - sum(one.energy_j for one in gpu.results)) < 1e-12 and gpu.total.cycles > r.cycles
    assert gpu.total.counter("sm.ctas") == 8 and len(gpu.frame()) == 2
    for wrong, what in ((lambda: module.saxpy[4, 256](y, x, 2.0), TypeError),
                        (lambda: module.saxpy[4, 256](y, x, 2.0, 1 << 40), TypeError),
                        (lambda: module.saxpy[4, 4096](y, x, 2.0, N), warpwatt.Error),
                        (lambda: module.missing, AttributeError),
                        (lambda: module.saxpy[4, 256](0, x, 2.0, N), warpwatt.Error),
                        (lambda: warpwatt.Device("gtx58"), warpwatt.Error),
                        (lambda: r.counter("no.such"), warpwatt.Error),
                        (lambda: gpu.results[2], IndexError)):
        try:
            wrong()
        except what as error:
            assert str(error), error
        else:
            raise AssertionError("not refused")
    # A Python integer for an f32 is its number, not its bits; an array is no number, and no pointer is a float.
    y.write(array.array("f", [1.0] * N))
    module.saxpy[4, 256](y, x, 2, N)
    assert y.tolist() == [2.0 * i + 1 for i in range(N)]
    # Without numpy: arrays of the module array are copied there and back; a list, which has no type, is told what to be.
    here, there = array.array("f", [1.0] * N), array.array("f", range(N))
    module.saxpy[4, 256](here, there, 2.0, N)
    assert here.tolist() == y.tolist() and there.tolist() == [float(i) for i in range(N)]
    try:
        module.saxpy[4, 256]([1.0] * N, there, 2.0, N)
    except TypeError as error:
        assert "array.array" in str(error) and "Device.array" in str(error), error
    else:
        raise AssertionError("a list was taken")
    for wrong in (lambda: module.saxpy[4, 256](y, x, y, N), lambda: module.saxpy[4, 256](y, x, 2.0, x)):
        try:
            wrong()
        except TypeError:
            pass
        else:
            raise AssertionError("an array was taken for a number")
    # Arrays of float64 where the kernel takes float32 are told; the right ones, and integers, are not.
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        module.saxpy[1, 64](gpu.array([1.0] * N, "f"), gpu.array([1.0] * N, "f"), 2.0, 10)
        module.saxpy[1, 64](gpu.array([1] * N, "i"), gpu.array([1] * N, "i"), 2.0, 10)
        assert not told, told[0].message
        module.saxpy[1, 64](gpu.array([1.0] * N, "f"), gpu.array([1.0] * N, "d"), 2.0, 10)
        assert len(told) == 1 and "parameter 1 is an array of float64" in str(told[0].message) and "f32" in str(told[0].message), told
        assert told[0].filename == __file__, told[0].filename
    # As the program prints them: components without leakage, and leakage as static.
    assert r.power["static"] == r.static_w and r.power["RF"] == r.component("RF")["dynamic_w"]
    assert warpwatt.__version__ == warpwatt.version
    for shown in (gpu, module, module.saxpy, y, r):
        assert repr(shown).startswith("<") and " object at " not in repr(shown), repr(shown)
    assert "gtx580" in repr(gpu) and "saxpy(b64, b64, f32, b32)" in repr(module.saxpy), repr(module.saxpy)
    try:
        import numpy as np
    except ImportError:
        np = None
    if np is not None:
        a, b = np.arange(N, dtype=np.float32), np.ones(N, dtype=np.float32)
        module.saxpy[4, 256](b, a, np.float32(2), np.uint32(N))
        assert np.array_equal(b, 2 * a + 1)
        back = gpu.array(np.arange(6, dtype=np.int16).reshape(2, 3))
        assert back.read().shape == (2, 3) and np.array_equal(np.asarray(back), [[0, 1, 2], [3, 4, 5]])

# The same workload as the program ran: the same cycles and the same joules.
with warpwatt.Device("gtx580") as gpu:
    launches = gpu.run("vectoradd:small")
    folder = os.environ["WARPWATT_CLI_RESULT"]
    with open(folder + "/kernels.csv") as file:
        assert [int(row["cycles [cycle]"]) for row in csv.DictReader(file)] == [one.cycles for one in launches]
    with open(folder + "/power.csv") as file:
        for row in csv.DictReader(file):
            if row["component"] in warpwatt.components:
                assert float(row["total_power [W]"]) == launches[0].component(row["component"])["total_w"], row
    gpu.export(folder + "-python")
    gpu_frame = gpu.frame()
    assert sorted(os.listdir(folder + "-python")) == sorted(os.listdir(folder))
    for name in ("kernels.csv", "power.csv", "energy_events.csv", "area.csv"):
        assert open(f"{folder}-python/{name}").read() == open(f"{folder}/{name}").read(), name
    try:
        gpu.export(folder + "-python")
    except warpwatt.Error as error:
        assert "--force" not in str(error), error
        gpu.export(folder + "-python", replace=True)
    else:
        raise AssertionError("a result was replaced unasked")

# Results as rows: those of the program are those of the module. A whole sweep has its parameters as columns.
import shutil
import subprocess
import tempfile

def rows(frame):
    return frame if isinstance(frame, list) else frame.to_dict("records")

own, read = rows(gpu_frame), rows(warpwatt.frame(folder + "-python"))
assert len(own) == len(read) > 0 and all(row["gpu"] == "gtx580" and row["size"] == "small" for row in read), read
for mine, theirs in zip(own, read):
    for key, value in mine.items():
        same = value == theirs[key] if isinstance(value, str) else value != value or abs(value - theirs[key]) <= 1e-12 * abs(value)
        assert same, (key, value, theirs[key])
assert theirs["grid"] == launches[-1].grid and theirs["block"] == launches[-1].block
work = tempfile.mkdtemp()
with open(f"{work}/s.xml", "w") as file:
    file.write("""<sweep name="s"><configuration name="f" gpu="gtx580"><vary key="sm.max_ctas" values="1, 8"/></configuration>
        <configuration name="v" gpu="qv100"/><workload name="vectoradd" size="small"/><workload name="matrixmul" size="small"/></sweep>""")
subprocess.run([os.environ["WARPWATT"], "sweep", f"{work}/s.xml", "--out", f"{work}/s", "--quiet"], check=True, stdout=subprocess.DEVNULL)
found = rows(warpwatt.frame(f"{work}/s"))
assert [(row["configuration"], row["sm.max_ctas"]) for row in found if row["workload"] == "vectoradd"] == [
    ("f,sm.max_ctas=1", 1), ("f,sm.max_ctas=8", 8), ("v", 32)], found
assert not any(key.startswith(("chip.", "mem.")) for key in found[0]), "what tells GPUs apart is no column"
assert all(row["energy_j"] > row["uncertainty_j"] > 0 and row["cycles"] > 0 and row["IPC"] > 0 for row in found)
assert [row["kernel"] for row in found] == ["matrixMul", "matrixMul32", "vectorAdd"] * 3
assert "configuration" not in rows(warpwatt.frame(f"{work}/s/v"))[0]
with open(f"{work}/s/v/matrixmul-small/power.csv", "a") as file:
    file.write("more\n")
for wrong, what in ((f"{work}/s", "power.csv"), (work, "holds no result")):
    try:
        warpwatt.frame(wrong)
    except warpwatt.Error as error:
        assert what in str(error), error
    else:
        raise AssertionError(f"{wrong} was taken")
shutil.rmtree(f"{work}/s/v/matrixmul-small")
with warnings.catch_warnings(record=True) as told:
    warnings.simplefilter("always")
    assert len(rows(warpwatt.frame(f"{work}/s"))) == 7
    assert len(told) == 1 and "v@matrixmul-small" in str(told[0].message), told
shutil.rmtree(work)

# A governor is told of each interval and sets the clock: held, it is what a set clock gives; moved, simulated time goes on with it;
# what is no clock of the card, and what the function raises, reach the caller.
TIMED = """
.version 7.0
.target sm_80
.address_size 64
.visible .entry timed(.param .u64 out, .param .u32 n)
{
  .reg .pred %p; .reg .u32 %i, %n; .reg .u64 %out, %a, %b;
  ld.param.u64 %out, [out]; ld.param.u32 %n, [n];
  mov.u64 %a, %globaltimer;
  mov.u32 %i, 0;
AGAIN:
  add.u32 %i, %i, 1;
  setp.lt.u32 %p, %i, %n;
  @%p bra AGAIN;
  mov.u64 %b, %globaltimer;
  sub.u64 %b, %b, %a;
  st.global.u64 [%out], %b;
  ret;
}
"""


def timed(governor, **more):
    with warpwatt.Device("a100-pcie", **({"interval": 2000, "governor": governor} if governor else {}), **more) as gpu:
        out = gpu.zeros(1, "Q")
        r = gpu.load_text(TIMED).timed[1, 32](out, 4000)
        return r.time_s, r.energy_j, r.cycles, out.tolist()[0]


asked = []
held = timed(lambda told: 705e6 if asked.append(told) is None else 0, settings={"clock.set_hz": "705MHz"})
assert held == timed(None, settings={"clock.set_hz": "705MHz"}), "a held clock is another"
assert len(asked) > 5 and sum(told["cycles"] for told in asked) == held[2]
assert all(told["clock_hz"] == 705e6 and told["lowest_hz"] < 705e6 < told["highest_hz"] for told in asked)
assert all(abs(sum(told["component_j"].values()) - told["energy_j"]) <= 1e-9 * told["energy_j"] for told in asked)
asked = []
fast, slow = timed(None), timed(lambda told: 705e6 if asked.append(told) is None else 0)
moved = sum(told["seconds"] for told in asked)
assert abs(moved - slow[0]) < 1e-12 and fast[0] < slow[0] < 2.01 * fast[0] * slow[2] / fast[2], (fast, slow)
# The timer's nanoseconds are the launch's but for its begin and end, at both clocks: a clock that it missed would be a factor of two.
for time_s, _, _, timer in (fast, slow):
    assert 0.85 * time_s < timer * 1e-9 <= time_s + 2e-9, (time_s, timer)
for wrong in (0, -1, float("nan"), 1e12):
    try:
        timed(lambda told: wrong)
    except warpwatt.Error as error:
        assert "outside those of this card" in str(error), error
    else:
        raise AssertionError(f"a clock of {wrong} Hz was taken")
try:
    timed(lambda told: told["no such"])
except KeyError as error:
    assert "no such" in str(error)
else:
    raise AssertionError("what a governor raised is lost")

# Ctrl-C ends a launch that takes long, soon, and the device goes on.
import _thread
import threading
import time

SPIN = """
.version 7.0
.target sm_70
.address_size 64
.visible .entry spin(.param .u64 out, .param .u32 n)
{
  .reg .pred %p; .reg .u32 %i, %n; .reg .u64 %out;
  ld.param.u64 %out, [out]; ld.param.u32 %n, [n];
  mov.u32 %i, 0;
AGAIN:
  add.u32 %i, %i, 1;
  setp.lt.u32 %p, %i, %n;
  @%p bra AGAIN;
  st.global.u32 [%out], %i;
  ret;
}
"""
with warpwatt.Device("gtx580") as gpu:
    kernel, out = gpu.load_text(SPIN).spin, gpu.zeros(1, "I")
    timer = threading.Timer(0.5, _thread.interrupt_main)
    begin = time.monotonic()
    timer.start()
    try:
        kernel[1, 32](out, 1 << 30)
    except KeyboardInterrupt:
        assert time.monotonic() - begin < 20
    else:
        raise AssertionError("Ctrl-C did not end a launch")
    assert len(gpu.results) == 0
    kernel[1, 32](out, 10)
    assert out.tolist() == [10] and len(gpu.results) == 1
