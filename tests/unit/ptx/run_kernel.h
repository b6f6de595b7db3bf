/* run_kernel.h - a kernel "k" of PTX text, built as it stands or lowered, run without time: for
 * tests that ask whether both compute the same. */
#ifndef WW_TESTS_UNIT_PTX_RUN_KERNEL_H
#define WW_TESTS_UNIT_PTX_RUN_KERNEL_H

#include "perf/exec/exec.h"
#include "tests/support/machine_fixture.h"
#include "tests/unit/ptx/module.h"

typedef struct ptx_run {
    const char *text;
    uint32_t ctas, threads, words; /* words that each thread leaves, from its parameter on */
} ptx_run;

/* out: [ctas][threads][words], all that the kernel has not written is 0x5a. */
static inline void run_kernel(const ptx_run *run, ww_code code, uint32_t capability, uint32_t *out)
{
    ww_error err = {0};
    ww_arch arch = fixture_machine(capability);
    ww_ptx_module *module = parse(run->text);
    ww_kernel *kernel = NULL;
    ww_devmem *mem = NULL;
    size_t bytes = (size_t)run->threads * run->ctas * run->words * sizeof *out;
    uint64_t param;
    assert_ok(ww_ptx_build_kernel(module, "k", code, &arch, &kernel, &err), err);
    assert_ok(ww_devmem_create(&mem, &err), err);
    assert_ok(ww_devmem_alloc(mem, bytes, 256, &param, &err), err);
    memset(ww_devmem_at(mem, param, bytes), 0x5a, bytes);
    ww_launch launch = {.kernel = kernel,
                        .grid = {run->ctas, 1, 1},
                        .block = {run->threads, 1, 1},
                        .params = (const unsigned char *)&param,
                        .mem = mem,
                        .sm_count = 1};
    ww_functional_stats stats;
    assert_ok(ww_exec_prepare(&launch, &err), err);
    assert_ok(ww_exec_functional(&launch, &stats, &err), err);
    memcpy(out, ww_devmem_at(mem, param, bytes), bytes);
    ww_exec_release(&launch);
    ww_devmem_destroy(mem);
    ww_ptx_destroy(module);
}

#endif
