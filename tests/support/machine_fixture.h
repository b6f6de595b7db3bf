/* machine_fixture.h - what the lowering of kernels reads of a machine description, for tests that
 * have none. */
#ifndef WW_TESTS_SUPPORT_MACHINE_FIXTURE_H
#define WW_TESTS_SUPPORT_MACHINE_FIXTURE_H

#include "tests/support/arch_fixture.h"

/* Registers and warps of an SM: CUDA C++ Programming Guide, technical specifications per compute
 * capability. Latencies: those of configs/gpu/fermi.xml, for all. */
static inline ww_arch fixture_machine(uint32_t capability)
{
    ww_arch arch = fixture_arch();
    arch.chip.compute_capability = capability;
    arch.sm.registers = capability < 30 ? 32768 : 65536;
    arch.sm.max_warps = capability < 30 ? 48 : capability == 75 ? 32 : 64;
    arch.sm.register_unit = capability < 30 ? 64 : 256;
    arch.sm.max_thread_registers = capability < 35 ? 63 : 255;
    arch.units.int_latency = arch.units.fp32_latency = arch.units.cvt_latency = 4;
    arch.units.imul_latency = 5;
    arch.units.fp64_latency = 8;
    arch.units.sfu_latency = 20;
    arch.units.idiv_latency = 145;
    arch.units.fdiv_latency = 39;
    arch.units.ddiv_latency = 330;
    arch.ldst.shared_latency = 26;
    arch.sm.hoist_loads = true;
    return arch;
}

#endif
