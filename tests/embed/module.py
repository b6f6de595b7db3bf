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
    except warpwatt.Error:
        gpu.export(folder + "-python", replace=True)
    else:
        raise AssertionError("a result was replaced unasked")
