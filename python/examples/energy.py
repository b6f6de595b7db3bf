# %% [markdown]
# What does a wider block cost? A kernel of one's own on two machines, from Python.

# %%
import warpwatt

PTX = """
.version 7.0
.target sm_20
.address_size 64
.visible .entry saxpy(.param .u64 y, .param .u64 x, .param .f32 a, .param .u32 n)
{
    .reg .pred %p<2>; .reg .f32 %f<5>; .reg .b32 %r<6>; .reg .b64 %rd<8>;
    ld.param.u64 %rd1, [y]; ld.param.u64 %rd2, [x]; ld.param.f32 %f1, [a]; ld.param.u32 %r2, [n];
    mov.u32 %r3, %ctaid.x; mov.u32 %r4, %ntid.x; mov.u32 %r5, %tid.x;
    mad.lo.s32 %r1, %r3, %r4, %r5;
    setp.ge.u32 %p1, %r1, %r2;
    @%p1 bra DONE;
    mul.wide.u32 %rd5, %r1, 4;
    add.s64 %rd6, %rd2, %rd5; add.s64 %rd7, %rd1, %rd5;
    ld.global.f32 %f2, [%rd6]; ld.global.f32 %f3, [%rd7];
    fma.rn.f32 %f4, %f2, %f1, %f3;
    st.global.f32 [%rd7], %f4;
DONE:
    ret;
}
"""
N = 100_000

# %% Every width on each machine; the results of a device add up in its frame.
for gpu in ("gtx580", "qv100"):
    with warpwatt.Device(gpu) as device:
        saxpy = device.load_text(PTX).saxpy
        x = device.array([float(i) for i in range(N)], "f")
        y = device.array([1.0] * N, "f")
        for threads in (32, 64, 128, 256):
            saxpy[(N + threads - 1) // threads, threads](y, x, 2.0, N)
        print(gpu, "area", round(device.area_m2 * 1e6), "mm2, static", round(device.static_w, 1), "W")
        for threads, r in zip((32, 64, 128, 256), device.results):
            print(f"  {threads:4} threads: {r.cycles:6} cycles, {r.energy_j * 1e6:8.1f} uJ +- {r.uncertainty_j * 1e6:.1f}, "
                  f"IPC {r.metrics['IPC']:.0f}, DRAM {r.energy['GM'] / r.energy_j:.0%}")

# %% A table of all, where pandas is installed; a list of dicts where it is not.
with warpwatt.Device("gtx580") as device:
    device.run("backprop:small")
    print(device.frame())
