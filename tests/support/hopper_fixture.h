/* hopper_fixture.h - an H200 that runs PTX text, in time or without, with or without --memcheck. */
#ifndef WW_TESTS_SUPPORT_HOPPER_FIXTURE_H
#define WW_TESTS_SUPPORT_HOPPER_FIXTURE_H

#include <string.h>

#include "arch/arch.h"
#include "counters/counters.h"
#include "perf/api/device.h"
#include "perf/api/device_state.h"
#include "tests/support/test.h"

typedef struct hopper {
    ww_arch *arch;
    ww_device *device;
    ww_module *module;
    uint64_t cycles; /* of the last launch in time */
    ww_error err;
} hopper;

WW_NODISCARD static inline ww_status
hopper_keep_cycles(void *user, const struct ww_launch_record *record, ww_error *err)
{
    (void)err;
    ((hopper *)user)->cycles = ww_counter_total(record->counters, WW_C_CORE_CYCLES);
    return WW_OK;
}

/* With those options, of which it keeps the launch's cycles. */
static inline void hopper_open_with(hopper *m, const char *ptx, ww_device_options options)
{
    memset(m, 0, sizeof *m);
    assert_ok(ww_arch_load(WW_SOURCE_DIR "/configs/gpu/h200.xml", NULL, 0, &m->arch, &m->err),
              m->err);
    options.on_launch = hopper_keep_cycles;
    options.user = m;
    assert_ok(ww_device_create(m->arch, &options, &m->device, &m->err), m->err);
    assert_ok(ww_device_load_ptx(m->device, "c.ptx", ptx, strlen(ptx), &m->module, &m->err),
              m->err);
}

static inline void hopper_open(hopper *m, const char *ptx, bool lowered, bool functional,
                               unsigned threads)
{
    const ww_device_options options = {.isa = lowered ? WW_ISA_LOWERED : WW_ISA_PTX,
                                       .functional_only = functional,
                                       .threads = threads};
    hopper_open_with(m, ptx, options);
}

static inline void hopper_close(hopper *m)
{
    ww_device_destroy(m->device);
    ww_arch_destroy(m->arch);
}

/* A kernel of one pointer; cluster: its CTAs along x, 0: as the kernel says. */
WW_NODISCARD static inline ww_status hopper_launch(hopper *m, const char *kernel, unsigned grid,
                                                   unsigned block, unsigned cluster, ww_devptr out)
{
    const void *args[] = {&out};
    const ww_launch_request q = {.module = m->module,
                                 .kernel = kernel,
                                 .grid = {grid, 1, 1},
                                 .block = {block, 1, 1},
                                 .cluster = {cluster, 1, 1},
                                 .args = args,
                                 .arg_count = 1};
    return ww_device_launch_request(m->device, &q, &m->err);
}

#endif
