# The Python module against what the program says of the same run, and what it must refuse.
import array
import csv
import os

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
    for wrong in (lambda: module.saxpy[4, 256](y, x, y, N), lambda: module.saxpy[4, 256](y, x, 2.0, x)):
        try:
            wrong()
        except TypeError:
            pass
        else:
            raise AssertionError("an array was taken for a number")
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
