/* seam.h - the seam between the timing model and published mechanisms: a table of optional hooks
 * that the SM calls, and the services that a mechanism asks of the SM. docs/mechanisms.md holds the
 * matrix of who needs which.
 *
 * Law: a mechanism changes time and energy, never results. Values come from plain execution at
 * issue, whatever a mechanism decides; the seam keeps extra warps from storing anything.
 * Determinism: the state of a mechanism belongs to one SM, and hooks touch nothing else.
 * Skipped cycles: nothing of a mechanism may change in a cycle in which the SM is not ticked; what
 * changes by the clock alone is announced by `next`.
 *
 * perf/sm includes this header alone; the mechanisms (mech/NAME) are linked behind it.
 * Depends on: base, arch, counters, perf/ptx (ir.h), perf/exec, perf/mem. */
#ifndef WW_PERF_SM_SEAM_H
#define WW_PERF_SM_SEAM_H

#include <stdbool.h>
#include <stdint.h>

#include "arch/arch.h"
#include "base/mem.h"
#include "base/status.h"
#include "counters/counters.h"
#include "perf/exec/exec.h"
#include "perf/mem/mem.h"
#include "perf/ptx/ir.h"
#include "perf/sm/seam_core.h"
#include "perf/sm/warps.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ww_sm ww_sm;

enum {
    WW_MECH_MOST = 16, /* mechanisms active at a time */
};

/* ---- what hooks answer ---- */

/* The next instruction of a warp, before the instruction cache is read. */
typedef enum ww_fetch_verdict {
    WW_FETCH_GO,
    WW_FETCH_WAIT,   /* not now; the mechanism has put a hold on the warp's fetch */
    WW_FETCH_SUPPLY, /* the mechanism has it decoded: it takes a buffer entry, but neither a turn of
                        fetch nor the instruction cache nor decode; once a warp and cycle */
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
    WW_ISSUE_BESIDE,  /* a unit of the mechanism executes it on registers of the mechanism: nothing
                         of the register file is read or written, consumers go on after `latency`
                         cycles, of its own unit when 0 */
    WW_ISSUE_PRELOAD, /* extra and shadow warps: a load that only brings its lines into the L1 */
    WW_ISSUE_SUPPRESS /* extra and shadow warps: passed over without effect */
} ww_issue_kind;

typedef struct ww_issue_verdict {
    ww_issue_kind kind;
    uint32_t latency; /* REUSE, RENAME: cycles, at least 1; BESIDE */
} ww_issue_verdict;

typedef enum ww_access_kind {
    WW_ACCESS_LOAD,
    WW_ACCESS_STORE,
    WW_ACCESS_ATOMIC,
    WW_ACCESS_TEXTURE, /* texture fetches, and loads that take their way */
} ww_access_kind;

/* A memory instruction, or one of its accesses to the L1D. */
typedef struct ww_mech_access {
    uint64_t address; /* of the segment or sector */
    uint32_t bytes;
    uint32_t pc, line; /* instruction index; its PTX line */
    uint32_t flight;   /* for ww_mech_serve */
    uint8_t warp;      /* slot */
    uint8_t cta;       /* CTA slot */
    uint8_t kind;      /* ww_access_kind */
    bool local;        /* memory of the thread, words interleaved by lane */
    bool cached;       /* looks up the L1D */
    bool extra;        /* of a helper warp */
    bool shadow;       /* issued in a shadow context */
} ww_mech_access;

/* What a warp's access came to. */
typedef struct ww_mech_split {
    const ww_segment *segment; /* requests, whole lines or sectors where the access is cached */
    uint32_t segments;
    const ww_address_run *run; /* the lanes' own addresses */
    uint32_t runs;
} ww_mech_split;

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
    const void *notes;          /* what the mechanism's pass left for this kernel; NULL: nothing */
    uint32_t cta_limit;         /* CTAs the SM will hold */
    uint32_t spare_registers;   /* warp registers (32 lanes x 32 bits) that those leave free */
    uint32_t unnamed_registers; /* of those that a CTA is given, how many no instruction names:
                                   allocation rounds up */
} ww_mech_launch;

/* ---- the hooks ----
 * X(type, name, arguments, what it means); every one may be NULL. From this list come the table of
 * a mechanism and a bit for each hook, by which the SM knows whether anyone asked for it. */
#define WW_MECH_HOOKS(X)                                                                           \
    /* the compile-time pass, once per kernel, on the lowered instructions */                      \
    X(ww_status, pass,                                                                             \
      (const ww_mech_build *build, const ww_kernel **kernel, const void **notes, ww_error *err),   \
      "*kernel, in the arena, replaces the kernel when set: code may be changed or appended (a "   \
      "second program is code behind the first, entered by ww_mech_start_warp); *notes goes to "   \
      "begin")                                                                                     \
    X(bool, scalarize, (const ww_arch *arch, unsigned *varying),                                   \
      "before a kernel is built for blocks of a shape: whether it is to have scalar registers "    \
      "(perf/ptx/analysis/scalar.h); *varying comes as what differs within such a block's warps, " \
      "WW_VARIES_*, and may lose bits that the mechanism does not look at")                        \
    /* lifetime: of the SM, of a launch */                                                         \
    X(ww_status, create, (ww_sm * sm, const ww_arch *arch, void **state, ww_error *err),           \
      "state of one SM")                                                                           \
    X(void, destroy, (void *state), "releases it")                                                 \
    X(ww_status, begin, (void *state, const ww_mech_launch *launch, ww_error *err),                \
      "a launch begins")                                                                           \
    X(void, end, (void *state), "it has ended")                                                    \
    /* CTAs and warps; slots are bit positions */                                                  \
    X(void, cta_started, (void *state, uint32_t cta, ww_warps warps, uint64_t now),                \
      "a CTA was placed")                                                                          \
    X(void, cta_ended, (void *state, uint32_t cta, uint64_t now), "all its warps have finished")   \
    X(void, warp_exited, (void *state, uint32_t warp, uint64_t now), "a warp has finished")        \
    /* front end */                                                                                \
    X(void, skip, (void *state, ww_warps warps, uint64_t now),                                     \
      "every cycle before fetch: warps whose next instruction ww_mech_skip may take out, those "   \
      "with full buffers among them; what is taken out costs fetch no turn")                       \
    X(void, flushed, (void *state, uint32_t warp, uint32_t first, uint32_t count),                 \
      "control goes elsewhere: the instructions from `first` on that the warp's buffer held, "     \
      "fetched, skipped or on their way to it, are dropped")                                       \
    X(ww_fetch_verdict, fetch, (void *state, uint32_t warp, uint32_t pc, uint64_t now),            \
      "the next instruction of a warp, before the instruction cache is read")                      \
    X(void, skipped, (void *state, uint32_t warp, const ww_step *step, uint64_t now),              \
      "a skipped instruction has taken effect")                                                    \
    X(void, head, (void *state, uint32_t warp, uint32_t pc, uint64_t now),                         \
      "an instruction came to the head of its warp's buffer; may hold the warp's issue")           \
    X(bool, drop, (void *state, uint32_t warp, uint32_t pc, uint64_t now),                         \
      "a shadow warp has a new head: true, and it is dropped in the next cycle, without an issue " \
      "slot, collector or unit; not for what would go elsewhere than on")                          \
    X(void, stalled, (void *state, uint32_t warp, uint32_t pc, bool memory, uint64_t now),         \
      "the head waits for a register, for memory's result when `memory`: told once per head, at "  \
      "the end of the first cycle in which nothing else holds it")                                 \
    /* issue and registers */                                                                      \
    X(ww_issue_verdict, issue, (void *state, uint32_t warp, uint32_t pc, uint64_t now),            \
      "a scheduler has chosen the instruction")                                                    \
    X(uint32_t, driven, (void *state, uint32_t warp, uint32_t pc, ww_step *step, uint64_t now),    \
      "an extra warp that the mechanism drives (ww_mech_drive) issues the instruction: fills in "  \
      "lanes and what memory it accesses, and gives the next instruction, WW_NO_TARGET at the "    \
      "end")                                                                                       \
    X(void, executed,                                                                              \
      (void *state, uint32_t warp, const ww_step *step, uint32_t flight, uint64_t now),            \
      "registers hold the results, whatever the verdict was; flight: for ww_mech_complete after "  \
      "WW_ISSUE_OWN")                                                                              \
    X(void, operands,                                                                              \
      (void *state, uint32_t warp, uint32_t pc, const uint32_t *reg, uint8_t *bank,                \
       uint32_t count),                                                                            \
      "registers that an instruction is about to read, and the bank of each, which may be "        \
      "rewritten for operands that live elsewhere")                                                \
    X(void, written, (void *state, uint32_t warp, uint32_t pc, uint64_t now),                      \
      "all results of an instruction are in the register file")                                    \
    X(void, shadow_written,                                                                        \
      (void *state, uint32_t warp, uint32_t pc, uint32_t flight, uint64_t now),                    \
      "the same of what a warp issued in its shadow context, which it may have left since; "       \
      "flight: as executed saw it")                                                                \
    /* memory */                                                                                   \
    X(void, addressed,                                                                             \
      (void *state, const ww_mech_access *access, const ww_mech_split *split, uint64_t now),       \
      "a load issues from global memory: what `coalesced` will be told of it when it comes to "    \
      "the head of the load/store queue")                                                          \
    X(void, coalesced,                                                                             \
      (void *state, const ww_mech_access *access, const ww_mech_split *split, uint64_t now),       \
      "a global or local access was split into segments; access: address and bytes of the first")  \
    X(bool, beside, (void *state, const ww_mech_access *access, uint64_t now, uint64_t *ready),    \
      "a load is about to look up the L1D: true when the mechanism's own buffer serves it, at "    \
      "*ready; UINT64_MAX: once it has the data, with ww_mech_serve")                              \
    X(void, looked_up,                                                                             \
      (void *state, const ww_mech_access *access, ww_cache_result result, uint64_t now),           \
      "a demand access looked up the L1D")                                                         \
    X(void, filled, (void *state, uint64_t address, uint32_t waiters, uint64_t now),               \
      "a line or sector arrived in the L1D; waiters: demand accesses that waited for it")          \
    X(void, arrived, (void *state, uint64_t address, uint32_t token, uint64_t now),                \
      "a reply to ww_mech_fetch_beside")                                                           \
    X(void, evicted, (void *state, uint64_t address, uint64_t now), "a line left the L1D")         \
    X(bool, prefetched, (void *state, uint32_t warp, bool demanded, uint64_t now),                 \
      "a mechanism has word of a line that it requested ahead for that warp "                      \
      "(ww_mech_prefetched); "                                                                     \
      "demanded: a demand waits for it; true when the warp has been woken")                        \
    /* time */                                                                                     \
    X(void, tick, (void *state, uint64_t now),                                                     \
      "every cycle that the SM is ticked and holds a CTA, after the load/store unit, before "      \
      "issue")                                                                                     \
    X(uint64_t, next, (const void *state, uint64_t now),                                           \
      "first cycle after now in which `tick` will do something; UINT64_MAX: none by itself")

/* A mechanism: its hooks. */
typedef struct ww_mech {
    const char *name;
    const ww_mech_core *core; /* takes the place of the machine's; NULL: it brings none */
#define WW_MECH_HOOK(type, hook, arguments, meaning) type(*hook) arguments;
    WW_MECH_HOOKS(WW_MECH_HOOK)
#undef WW_MECH_HOOK
} ww_mech;

/* ---- services of the SM, called from hooks: rows of the table that it was made with
 * (WW_MECH_SERVICES in perf/sm/ops.h) ---- */

/** Adds to a counter of the SM. */
void ww_mech_count(ww_sm *sm, ww_counter counter, uint64_t n);
/** Its counters, by ww_counter, where they stand as long as it lives: for what counts every cycle.
 */
uint64_t *ww_mech_counts(ww_sm *sm);
/** Functional state of the warp in a slot; read-only but for extra warps. */
ww_warp *ww_mech_warp(ww_sm *sm, uint32_t warp);
/** Slots of the SM, the kernel's warps first: sets name none behind. At most WW_WARPS. */
uint32_t ww_mech_slots(const ww_sm *sm);
/** Warp slots that have not finished; those of extra warps. */
ww_warps ww_mech_live(const ww_sm *sm);
ww_warps ww_mech_extra(const ww_sm *sm);
/** Whether an extra warp is in that slot. */
bool ww_mech_is_extra(const ww_sm *sm, uint32_t warp);

/** Warp slots that wait for off-chip memory, a barrier or a fence: those that a two-level scheduler
 * keeps out of the active set. */
ww_warps ww_mech_waiting(const ww_sm *sm);

/* scheduler order, wake-up, holds */
/** Schedulers, and the two-level scheduler's promotion, choose among the favoured warps first. */
void ww_mech_favour(ww_sm *sm, ww_warps warps);
/** The favoured warps. */
ww_warps ww_mech_favoured(const ww_sm *sm);
/** Two-level scheduling: the warp enters the active set as soon as it does not wait for memory, a
 * barrier or a fence; a full set puts out another. A warp whose data are only just arriving enters
 * when they are written. */
void ww_mech_wake(ww_sm *sm, uint32_t warp);
/** Schedulers choose, and fetch serves, these warps only where no other warp can use the slot; in
 * turn among themselves. */
void ww_mech_background(ww_sm *sm, ww_warps warps);
/** Holds a warp's fetch or issue until released. An issue slot lost to a warp whose issue is held
 * is counted as such (sm.stall.held) and by `why`, a counter of the mechanism; WW_COUNTER_COUNT:
 * none.
 */
void ww_mech_hold_fetch(ww_sm *sm, uint32_t warp);
void ww_mech_release_fetch(ww_sm *sm, uint32_t warp);
void ww_mech_hold_issue(ww_sm *sm, uint32_t warp, ww_counter why);
void ww_mech_release_issue(ww_sm *sm, uint32_t warp);
/** ww_mech_hold_fetch that counts issue slots lost for want of instructions as those of held warps,
 * and by `why`. */
void ww_mech_hold_fetch_for(ww_sm *sm, uint32_t warp, ww_counter why);
/** The warp's head will be reused or renamed: it needs no collector and no unit to be chosen. From
 * `head` on, until it issues. */
void ww_mech_lift(ww_sm *sm, uint32_t warp);
/** The same, and it takes half an issue slot. The scheduler goes on with the other half: another
 * such head, or a whole one, which leaves it half of its next slot. */
void ww_mech_halve(ww_sm *sm, uint32_t warp);

/* instructions taken out before they are fetched */
/** The instruction that the warp's front end comes to next; WW_NO_TARGET: the code has ended. */
uint32_t ww_mech_next_inst(const ww_sm *sm, uint32_t warp);
/** Takes it out: it has no fetch, no buffer entry, no issue slot and no unit, and takes effect when
 * all before it have (`skipped`). From `skip`, for a warp that it names; false: it cannot be. */
bool ww_mech_skip(ww_sm *sm, uint32_t warp);

/* requests ahead of demand */
typedef enum ww_inject_result {
    WW_INJECT_SENT,    /* on its way to memory */
    WW_INJECT_PRESENT, /* already in the L1D */
    WW_INJECT_PENDING, /* already on its way */
    WW_INJECT_BUSY,    /* the L1D's port, MSHRs or the way out are taken by demand: later */
    WW_INJECT_LATER,   /* ww_mech_request: the port was free, but something else is missing */
    WW_INJECT_LOCKED,  /* ww_mech_request: as many lines of the set are locked as may be */
    WW_INJECT_ABSENT,  /* ww_mech_look_up: neither in the L1D nor on its way to it */
} ww_inject_result;
/** Requests the line or sector of an address for the L1D at low priority: only where no demand
 * access looks up the L1D in this cycle, none waits for a resource, and `reserve` MSHRs stay free.
 * Each look-up takes the L1D's port for the cycle, whatever it finds. From `tick`. */
ww_inject_result ww_mech_inject(ww_sm *sm, uint64_t address, uint32_t reserve, uint64_t now);
/** Looks the line or sector of an address up in the L1D as ww_mech_inject does, and requests
 * nothing: ABSENT, PRESENT, PENDING or BUSY. From `tick`. */
ww_inject_result ww_mech_look_up(ww_sm *sm, uint64_t address, uint64_t now);
/** Requests the line of an address with the priority of a demand access and, in the same look-up,
 * keeps it from eviction until an unlock; BUSY: the port is taken; LATER: no MSHR, no way out, no
 * line to be had; LOCKED: `most` other lines of the set are locked. From `tick`. */
ww_inject_result ww_mech_request(ww_sm *sm, uint64_t address, uint32_t most, uint64_t now,
                                 bool *locked);
/** Keeps the load/store unit from the L1D in that cycle; shared memory is not concerned. */
void ww_mech_claim_l1d(ww_sm *sm, uint64_t when);
/** Tells the mechanisms (`prefetched`) that a line requested ahead for that warp has arrived;
 * whether one of them has woken the warp. */
bool ww_mech_prefetched(ww_sm *sm, uint32_t warp, bool demanded, uint64_t now);
/** Requests a segment past the L1D into the mechanism's own buffer; false: no room, later. The
 * reply goes to `arrived` of the mechanism whose place in the SM's list is `mech`. */
bool ww_mech_fetch_beside(ww_sm *sm, uint32_t mech, uint64_t address, uint16_t bytes,
                          uint32_t token);
/** A load that `beside` has put off gets its data, at cycle `ready`. From `arrived`. */
void ww_mech_serve(ww_sm *sm, uint32_t flight, uint64_t ready, uint64_t now);
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
WW_NODISCARD ww_status ww_mech_start_warp(ww_sm *sm, uint32_t entry, uint32_t linear, uint64_t now,
                                          uint32_t *warp, ww_error *err);
/** The same as a copy of a running warp: registers, predicates and SIMT stack. */
WW_NODISCARD ww_status ww_mech_fork_warp(ww_sm *sm, uint32_t from, uint64_t now, uint32_t *warp,
                                         ww_error *err);
/** The path of an extra warp is the mechanism's from now on: `driven` takes the place of execution.
 * mech: its place in the SM's list. */
void ww_mech_drive(ww_sm *sm, uint32_t warp, uint32_t mech);
/** A driven warp goes on at that instruction. */
void ww_mech_go_to(ww_sm *sm, uint32_t warp, uint32_t inst);
void ww_mech_stop_warp(ww_sm *sm, uint32_t warp, uint64_t now);

/* shadow contexts: a warp runs on in its own slot, and comes back as if it had not. Registers,
 * predicates and SIMT stack are kept; the scoreboard has a second row, in which what the warp waits
 * for from memory is not pending. Its CTA's shared memory is there to be read; what would change
 * anything that another warp or the warp itself later sees is suppressed, and so are failures.
 * Slots in which it does not issue count as if it waited for memory. */
/** Room for the launch's warps and so many stack entries of each; from `begin`. @error ENOMEM */
WW_NODISCARD ww_status ww_mech_prepare_shadows(ww_sm *sm, uint32_t stack_entries, ww_error *err);
/** The warp goes on at its next instruction in a shadow context, with an empty buffer; false: its
 * stack has more entries. While it is there its registers are the mechanism's to change. */
bool ww_mech_enter_shadow(ww_sm *sm, uint32_t warp);
/** Back to where it entered, with an empty buffer; its holds end. */
void ww_mech_leave_shadow(ww_sm *sm, uint32_t warp);
/** For ceilings: what the warp does next, at once and without time, counts or a trace; between
 * ww_mech_look_ahead and ww_mech_look_back, in one hook, and its registers are the mechanism's to
 * change there. Needs ww_mech_prepare_shadows; false: its stack has more entries, or it is in a
 * shadow context. ww_mech_step_ahead executes its next instruction, or passes over it: where
 * `execute` is false, and where it would change what others see or fails; whether it has executed
 * it. */
bool ww_mech_look_ahead(ww_sm *sm, uint32_t warp);
bool ww_mech_step_ahead(ww_sm *sm, uint32_t warp, bool execute);
void ww_mech_look_back(ww_sm *sm, uint32_t warp);
/** Warps in a shadow context; whether one is. */
ww_warps ww_mech_shadow(const ww_sm *sm);
bool ww_mech_in_shadow(const ww_sm *sm, uint32_t warp);
/** Whether a result for that register (behind the registers: predicates) is on its way from memory,
 * in the context that the warp is in. */
bool ww_mech_waits_for_memory(const ww_sm *sm, uint32_t warp, uint32_t reg);

/** Takes the next slot of a scheduler and a pass of an SP pipeline for integer work of so many
 * lanes that no warp has issued. */
void ww_mech_take_pass(ww_sm *sm, uint32_t scheduler, uint32_t lanes);

/** Ends an instruction taken with WW_ISSUE_OWN, or one whose accesses the mechanism's core has
 * made: its results, where it has any, are written from now on. */
void ww_mech_complete(ww_sm *sm, uint32_t flight, uint64_t now);

#ifdef __cplusplus
}
#endif
#endif
