/* mech.h - the seam between the timing model and published mechanisms: a table of optional hooks
 * that the SM calls, and the services that a mechanism asks of the SM. docs/mechanisms.md holds the
 * matrix of who needs which.
 *
 * Law: a mechanism changes time and energy, never results. Values come from plain execution at
 * issue, whatever a mechanism decides; the seam keeps extra warps from storing anything.
 * Determinism: the state of a mechanism belongs to one SM, and hooks touch nothing else.
 * Skipped cycles: nothing of a mechanism may change in a cycle in which the SM is not ticked; what
 * changes by the clock alone is announced by `next`.
 *
 * perf/sm includes this header alone; the mechanisms (perf/mech) are linked behind it.
 * Depends on: base, arch, counters, perf/ptx (ir.h), perf/exec, perf/mem. */
#ifndef WW_PERF_MECH_MECH_H
#define WW_PERF_MECH_MECH_H

#include <stdbool.h>
#include <stdint.h>

#include "arch/arch.h"
#include "base/mem.h"
#include "base/status.h"
#include "counters/counters.h"
#include "perf/exec/exec.h"
#include "perf/mem/mem.h"
#include "perf/ptx/ir.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ww_sm ww_sm;

enum { WW_MECH_MOST = 8 }; /* mechanisms active at a time */

/* ---- what hooks answer ---- */

/* The next instruction of a warp, before the instruction cache is read. */
typedef enum ww_fetch_verdict {
    WW_FETCH_GO,
    WW_FETCH_SKIP, /* it takes no fetch, no buffer entry, no issue slot and no unit */
    WW_FETCH_WAIT, /* not now; the mechanism has put a hold on the warp's fetch */
} ww_fetch_verdict;

/* What becomes of an instruction that a scheduler has chosen. */
typedef enum ww_issue_kind {
    WW_ISSUE_UNIT,    /* operands, unit, write-back as always */
    WW_ISSUE_REUSE,   /* the mechanism has the result: no operands, no unit; written to the register
                         file after `latency` cycles */
    WW_ISSUE_RENAME,  /* the destination is made to name a register that holds the result: nothing
                         is read or written, consumers go on after `latency` cycles */
    WW_ISSUE_OWN,     /* the mechanism's own unit or back end executes it and calls
                         ww_mech_complete; its results are then written */
    WW_ISSUE_PRELOAD, /* extra warps: a load that only brings its lines into the L1 */
    WW_ISSUE_SUPPRESS /* extra warps: passed over without effect */
} ww_issue_kind;

typedef struct ww_issue_verdict {
    ww_issue_kind kind;
    uint32_t latency; /* REUSE, RENAME: cycles, at least 1 */
} ww_issue_verdict;

/* A memory instruction, or one of its accesses to the L1D. */
typedef struct ww_mech_access {
    uint64_t address; /* of the segment or sector */
    uint32_t bytes;
    uint32_t pc, line;        /* instruction index; its PTX line */
    uint8_t warp;             /* slot */
    uint8_t cta;              /* CTA slot */
    bool store, local, extra; /* extra: of a helper warp */
} ww_mech_access;

/* What a mechanism's pass over a kernel is given. */
typedef struct ww_mech_build {
    const ww_arch *arch;
    const ww_kernel *kernel; /* as built, or as the passes before have left it */
    ww_arena *arena;         /* lives as long as the kernel */
} ww_mech_build;

/* A launch as a mechanism sees it, from begin to end. */
typedef struct ww_mech_launch {
    const ww_kernel *kernel;
    const ww_launch *launch;
    const void *notes;        /* what the mechanism's pass left for this kernel; NULL: nothing */
    uint32_t cta_limit;       /* CTAs the SM will hold */
    uint32_t spare_registers; /* warp registers (32 lanes x 32 bits) that those leave free */
} ww_mech_launch;

/* ---- the hooks; every one may be NULL ---- */
typedef struct ww_mech {
    const char *name;

    /** The compile-time pass, once per kernel, on the lowered instructions. *kernel, in the arena,
     * replaces the kernel when set: code may be changed or appended (a second program is code
     * behind the first, entered by ww_mech_start_warp). *notes goes to `begin`. */
    ww_status (*pass)(const ww_mech_build *build, const ww_kernel **kernel, const void **notes,
                      ww_error *err);

    /* lifetime: of the SM, of a launch */
    ww_status (*create)(ww_sm *sm, const ww_arch *arch, void **state, ww_error *err);
    void (*destroy)(void *state);
    ww_status (*begin)(void *state, const ww_mech_launch *launch, ww_error *err);
    void (*end)(void *state);

    /* CTAs and warps; slots are bit positions */
    void (*cta_started)(void *state, uint32_t cta, uint64_t warps, uint64_t now);
    void (*cta_ended)(void *state, uint32_t cta, uint64_t now);
    void (*warp_exited)(void *state, uint32_t warp, uint64_t now);

    /* front end */
    ww_fetch_verdict (*fetch)(void *state, uint32_t warp, uint32_t pc, uint64_t now);
    /** A skipped instruction has taken effect. */
    void (*skipped)(void *state, uint32_t warp, const ww_step *step, uint64_t now);
    /** An instruction came to the head of its warp's buffer; may hold the warp's issue. */
    void (*head)(void *state, uint32_t warp, uint32_t pc, uint64_t now);
    /** The new head waits for a register, for memory's result when `memory`. */
    void (*stalled)(void *state, uint32_t warp, uint32_t pc, bool memory, uint64_t now);

    /* issue and registers */
    ww_issue_verdict (*issue)(void *state, uint32_t warp, uint32_t pc, uint64_t now);
    /** Executed: registers hold the results, whatever the verdict was. flight: for
     * ww_mech_complete after WW_ISSUE_OWN. */
    void (*executed)(void *state, uint32_t warp, const ww_step *step, uint32_t flight,
                     uint64_t now);
    /** Banks that the operands of an instruction lie in, one mask per collector pass; may be
     * rewritten for operands that live elsewhere. */
    void (*operands)(void *state, uint32_t warp, uint32_t pc, uint64_t *banks, uint32_t passes);
    /** All results of an instruction are in the register file. */
    void (*written)(void *state, uint32_t warp, uint32_t pc, uint64_t now);

    /* memory */
    /** A global or local access was split into segments. */
    void (*coalesced)(void *state, const ww_mech_access *access, const ww_segment *segment,
                      uint32_t count, uint64_t now);
    /** A load is about to look up the L1D: true when the mechanism's own buffer serves it, at
     * *ready. */
    bool (*beside)(void *state, const ww_mech_access *access, uint64_t now, uint64_t *ready);
    /** A demand access looked up the L1D. */
    void (*looked_up)(void *state, const ww_mech_access *access, ww_cache_result result,
                      uint64_t now);
    /** A line or sector arrived in the L1D; waiters: demand accesses that waited for it. */
    void (*filled)(void *state, uint64_t address, uint32_t waiters, uint64_t now);
    /** A reply to ww_mech_fetch_beside. */
    void (*arrived)(void *state, uint64_t address, uint32_t token, uint64_t now);
    /** A line left the L1D. */
    void (*evicted)(void *state, uint64_t address, uint64_t now);

    /* time */
    /** Every cycle that the SM is ticked and holds a CTA, after the load/store unit, before issue.
     */
    void (*tick)(void *state, uint64_t now);
    /** First cycle after now in which `tick` will do something; UINT64_MAX: none by itself. */
    uint64_t (*next)(const void *state, uint64_t now);
} ww_mech;

/* ---- services of the SM, called from hooks (perf/sm/services.c) ---- */

/** Adds to a counter of the SM. */
void ww_mech_count(ww_sm *sm, ww_counter counter, uint64_t n);
/** Functional state of the warp in a slot; read-only but for extra warps. */
ww_warp *ww_mech_warp(ww_sm *sm, uint32_t warp);
/** Warp slots that have not finished; those of extra warps. */
uint64_t ww_mech_live(const ww_sm *sm);
uint64_t ww_mech_extra(const ww_sm *sm);

/* scheduler order, wake-up, holds */
/** Schedulers, and the two-level scheduler's promotion, choose among the favoured warps first. */
void ww_mech_favour(ww_sm *sm, uint64_t warps);
/** Two-level scheduling: the warp enters the active set now; a full set puts out another. */
void ww_mech_wake(ww_sm *sm, uint32_t warp);
/** Holds warps' fetch or issue until released. Issue slots lost to a held warp count as barrier
 * stalls. */
void ww_mech_hold_fetch(ww_sm *sm, uint64_t warps);
void ww_mech_release_fetch(ww_sm *sm, uint64_t warps);
void ww_mech_hold_issue(ww_sm *sm, uint64_t warps);
void ww_mech_release_issue(ww_sm *sm, uint64_t warps);

/* requests ahead of demand */
typedef enum ww_inject_result {
    WW_INJECT_SENT,    /* on its way to memory */
    WW_INJECT_PRESENT, /* already in the L1D */
    WW_INJECT_PENDING, /* already on its way */
    WW_INJECT_BUSY,    /* the L1D's port, MSHRs or the way out are taken by demand: later */
} ww_inject_result;
/** Requests the line or sector of an address for the L1D at low priority: only where no demand
 * access looks up the L1D in this cycle, none waits for a resource, and `reserve` MSHRs stay free.
 * From `tick`. */
ww_inject_result ww_mech_inject(ww_sm *sm, uint64_t address, uint32_t reserve, uint64_t now);
/** Requests a segment past the L1D into the mechanism's own buffer; false: no room, later. The
 * reply goes to `arrived` of the mechanism whose place in the SM's list is `mech`. */
bool ww_mech_fetch_beside(ww_sm *sm, uint32_t mech, uint64_t address, uint16_t bytes,
                          uint32_t token);
/** Place of a mechanism's state in the SM's list. */
uint32_t ww_mech_index(const ww_sm *sm, const void *state);
/** Keeps the resident line of an address from eviction; false: not resident, or its set has
 * `most` locked lines already. Locks count: each needs its unlock. */
bool ww_mech_lock(ww_sm *sm, uint64_t address, uint32_t most);
void ww_mech_unlock(ww_sm *sm, uint64_t address);

/* extra warps */
/** Starts a warp beyond the kernel's own at instruction `entry` of the kernel's code, all lanes
 * active, registers zero, with the CTA indices of `linear`. It lives until it exits, is stopped, or
 * the SM holds no CTA any more; it never stores. @error EUNSUP (no free warp slot), ENOMEM */
ww_status ww_mech_start_warp(ww_sm *sm, uint32_t entry, uint32_t linear, uint64_t now,
                             uint32_t *warp, ww_error *err);
/** The same as a copy of a running warp: registers, predicates and SIMT stack. */
ww_status ww_mech_fork_warp(ww_sm *sm, uint32_t from, uint64_t now, uint32_t *warp, ww_error *err);
void ww_mech_stop_warp(ww_sm *sm, uint32_t warp, uint64_t now);

/** Ends an instruction taken with WW_ISSUE_OWN: its results are written from now on. */
void ww_mech_complete(ww_sm *sm, uint32_t flight, uint64_t now);

#ifdef __cplusplus
}
#endif
#endif
