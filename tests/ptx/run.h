/* run.h - runs PTX text functionally, as written or lowered, for the tests of tests/ptx. */
#ifndef WW_TESTS_PTX_RUN_H
#define WW_TESTS_PTX_RUN_H

#include <stdlib.h>
#include <string.h>

#include "perf/exec/exec.h"
#include "perf/ptx/ptx.h"
#include "tests/support/arch_fixture.h"
#include "tests/support/test.h"

/* A parsed module with its variables placed, and memory. */
typedef struct ptx_run {
    ww_arch arch;
    ww_ptx_module *module;
    ww_devmem *mem;
    ww_launch launch; /* what a test may preset: textures, heap, print */
    ww_error err;
    ww_functional_stats stats;
} ptx_run;

static inline void run_open(ptx_run *r, const char *text)
{
    memset(r, 0, sizeof *r);
    r->arch = fixture_arch();
    r->arch.sm.max_thread_registers = 255;
    assert_ok(ww_ptx_parse("test.ptx", text, strlen(text), &r->module, &r->err), r->err);
    assert_ok(ww_devmem_create(&r->mem, &r->err), r->err);
    r->launch.sm_count = 1;
    r->launch.mem = r->mem;
}

static inline void run_close(ptx_run *r)
{
    ww_ptx_destroy(r->module);
    ww_devmem_destroy(r->mem);
}

static inline uint64_t run_alloc(ptx_run *r, size_t bytes, const void *data)
{
    uint64_t address;
    assert_ok(ww_devmem_alloc(r->mem, bytes, 256, &address, &r->err), r->err);
    if (data != NULL) {
        memcpy(ww_devmem_at(r->mem, address, bytes), data, bytes);
    }
    return address;
}

static inline void *run_at(ptx_run *r, uint64_t address, size_t bytes)
{
    void *p = ww_devmem_at(r->mem, address, bytes);
    assert_non_null(p);
    return p;
}

/* Parameters are 64-bit words, padded with zeros. */
WW_NODISCARD static inline ww_status run_kernel(ptx_run *r, const char *name, ww_code code,
                                                unsigned grid, unsigned block,
                                                const uint64_t *params)
{
    ww_kernel *kernel = NULL;
    ww_status status = ww_ptx_build_kernel(r->module, name, code, &r->arch, &kernel, &r->err);
    if (status != WW_OK) {
        return status;
    }
    r->launch.kernel = kernel;
    r->launch.grid = (ww_dim3){grid, 1, 1};
    r->launch.block = (ww_dim3){block, 1, 1};
    r->launch.params = (const unsigned char *)params;
    status = ww_exec_functional(&r->launch, &r->stats, &r->err);
    return status;
}

#endif
