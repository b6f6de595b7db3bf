/* trace.h - which instruction issues in which cycle, for timelines that are added up by hand. */
#ifndef WW_TESTS_UNIT_SM_TRACE_H
#define WW_TESTS_UNIT_SM_TRACE_H

#include "tests/unit/sm/kernels.h"

enum { MOST_ISSUES = 64 };

/* An issue: cycle since the first one, and instruction. */
typedef struct issue {
    unsigned at, pc;
} issue;

typedef struct trace {
    issue issue[MOST_ISSUES];
    unsigned count;
} trace;

/* All clocks equal and no refresh, so that the memory's latencies add up. */
static inline ww_arch plain_arch(uint32_t schedulers)
{
    ww_arch arch = small_arch();
    arch.clock.dram_hz = arch.clock.core_hz;
    arch.mem.trefi = 0;
    arch.sm.schedulers = schedulers;
    return arch;
}

static inline void open_traced(machine *m, const ww_arch *arch, const ww_kernel *kernel,
                               uint32_t threads)
{
    ww_error err = {0};
    machine_open(m, arch, kernel, threads);
    assert_ok(ww_sm_set_profiling(m->sm, true, &err), err);
    assert_ok(ww_sm_begin(m->sm, &m->program, &m->launch, 8, &err), err);
}

/* Runs the CTA, and notes every issue; those of one cycle in the order of the program. */
static inline void run_traced(machine *m, trace *t)
{
    uint64_t seen[MOST_CODE] = {0}, first = 0;
    t->count = 0;
    start_cta(m);
    for (unsigned i = 0; ww_sm_pulse_of(m->sm)->ctas > 0; i++) {
        assert_true(i < 100000);
        cycle(m);
        for (uint32_t pc = 0; pc < m->program.count; pc++) {
            for (; seen[pc] < ww_sm_profile(m->sm)[pc].v[WW_LINE_WARP_INST]; seen[pc]++) {
                assert_true(t->count < MOST_ISSUES);
                first = t->count == 0 ? m->now : first;
                t->issue[t->count++] = (issue){(unsigned)(m->now - first), pc};
            }
        }
    }
}

/* The code, from its first issue to its end; address: what it loads from, 0: nothing. */
static inline void trace_code(machine *m, const ww_arch *arch, code *c, uint32_t registers,
                              uint32_t threads, uint64_t address, trace *t)
{
    finish(c);
    open_traced(m, arch, as_kernel(c, registers), threads);
    if (address != 0) {
        allocate(m, address);
    }
    run_traced(m, t);
}

static inline void check_trace(const trace *t, const issue *expected, unsigned count)
{
    assert_int_equal(t->count, count);
    for (unsigned i = 0; i < count; i++) {
        if (t->issue[i].at != expected[i].at || t->issue[i].pc != expected[i].pc) {
            fail_msg("issue %u: instruction %u at %u, expected %u at %u", i, t->issue[i].pc,
                     t->issue[i].at, expected[i].pc, expected[i].at);
        }
    }
}

#define CHECK_TRACE(t, expected) check_trace(t, expected, WW_ARRAY_LEN(expected))

#endif
