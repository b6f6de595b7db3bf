/* script.h - a mechanism whose hooks do what a test wrote down, and note what they saw. */
#ifndef WW_TESTS_UNIT_MECH_SCRIPT_H
#define WW_TESTS_UNIT_MECH_SCRIPT_H

#include "tests/support/test.h"

#include "perf/sm/seam.h"
#include "tests/unit/sm/kernels.h"

enum { NOTHING = 0xffff, MOST_SEEN = 64 };

typedef struct script {
    ww_sm *sm;
    /* what to do */
    uint32_t at_pc; /* instruction that `verdict` is about */
    ww_issue_verdict verdict;
    uint64_t complete_at;        /* WW_ISSUE_OWN: cycle; 0: never */
    uint32_t skip_pc, wait_pc;   /* at fetch; NOTHING: none */
    uint32_t hold_pc;            /* at the head */
    uint64_t release_at;         /* cycle in which holds end */
    uint64_t favour;             /* warps, from the first CTA on */
    uint64_t inject_at, inject;  /* cycle, address */
    uint64_t beside_latency;     /* 0: no buffer of its own */
    uint64_t beside_at, beside;  /* cycle, address to fetch into the own buffer */
    uint32_t entry;              /* of an extra warp started with the first CTA; 0: none */
    uint64_t fork_at;            /* cycle in which warp 0 is copied; 0: never */
    uint64_t bank;               /* where the last operand of at_pc is made to lie; 0: as it was */
    uint32_t moves;              /* its register */
    ww_counter why;              /* reason of the hold */
    uint64_t background;         /* warps, from the first CTA on */
    uint32_t supply_pc, lift_pc; /* 0: none */
    uint32_t shadow_pc;          /* where a stall makes warp 0 enter its shadow context; 0: never */
    uint32_t drop_pc;            /* dropped there */
    uint32_t halt_pc;            /* held there */
    uint64_t leave_at;           /* cycle; 0: when shadow_pc's stall ends with at_pc's result */
    /* what was seen */
    uint32_t warps[MOST_SEEN], pcs[MOST_SEEN], seen; /* executed, in order */
    uint32_t skipped, stalls, heads, exits, started, ended, begun, finished;
    uint32_t segments;
    ww_mech_access access; /* the last one that was split, with its first run of addresses */
    ww_address_run run;
    uint32_t runs;
    ww_mech_access addressed; /* the last load that was told of at issue */
    uint32_t addressed_segments;
    uint64_t addressed_at, coalesced_at;
    uint64_t stalled_at, entered_at, shadow_written_at;
    bool memory, leaving, been;
    uint64_t filled, evicted, arrived, written_at;
    uint32_t flushed_first, flushed;
    uint32_t token;
    ww_cache_result looked_up;
    ww_inject_result injected, injected_again; /* in the same cycle */
    uint32_t flight, extra, fork;
    uint64_t holds;
} script;

extern const ww_mech script_mech;
/* The script that the next SM's mechanism follows. */
extern script *script_of_next;

/* A one-SM machine with the scripted mechanism. */
static inline void machine_script(machine *m, const ww_arch *arch, const ww_kernel *kernel,
                                  uint32_t threads, script *s)
{
    script_of_next = s;
    machine_open_with(m, arch, kernel, threads, &script_mech);
}

/* Does nothing. */
static inline script script_plain(void)
{
    return (script){.at_pc = NOTHING,
                    .skip_pc = NOTHING,
                    .wait_pc = NOTHING,
                    .hold_pc = NOTHING,
                    .why = WW_COUNTER_COUNT};
}

static inline uint32_t value(machine *m, uint32_t warp, uint32_t r)
{
    return ww_mech_warp(m->sm, warp)->regs[(size_t)r * WW_WARP_SIZE + 7];
}

/* The code on a machine that follows the script, with one CTA. */
static inline void script_begin(machine *m, code *c, uint32_t registers, uint32_t threads,
                                script *s)
{
    finish(c);
    const ww_arch arch = small_arch();
    machine_script(m, &arch, as_kernel(c, registers), threads, s);
    start_cta(m);
}

static inline void script_begin_on(machine *m, code *c, ww_core core, script *s)
{
    finish(c);
    ww_arch arch = small_arch();
    arch.sm.core = core;
    arch.sm.dependence = WW_DEPEND_SCOREBOARD;
    arch.regfile.bank_reads = 1;
    machine_script(m, &arch, as_kernel(c, 20), 32, s);
    start_cta(m);
}

#endif
