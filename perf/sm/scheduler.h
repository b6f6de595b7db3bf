/* scheduler.h - warp schedulers: which of the ready warps issues. Policies are rows of one table.
 * A policy only reads its state when it picks, so that asking again in the same situation gives the
 * same warp; the state changes when a warp has issued, and `eligible` must reach a fixed point on
 * unchanged masks. Both make skipped cycles exact. */
#ifndef WW_PERF_SM_SCHEDULER_H
#define WW_PERF_SM_SCHEDULER_H

#include <stdbool.h>
#include <stdint.h>

#include "arch/arch.h"
#include "perf/sm/slots.h"

struct ww_sched_policy;

typedef struct ww_sched {
    ww_slots mine;                      /* warp slots of this scheduler */
    ww_slots live;                      /* of those: with a warp */
    ww_slots active;                    /* two-level: the active set */
    ww_slots favoured;                  /* warps that a mechanism wants chosen and promoted first */
    ww_slots woken;                     /* two-level: enter as soon as they do not wait */
    ww_promotion promotion;             /* two-level: order of entry */
    ww_slots background;                /* those it wants chosen where no other can issue */
    const struct ww_sched_policy *base; /* what sched_favouring chooses with */
    uint64_t next_issue;                /* first cycle in which it may issue again */
    uint32_t last;                      /* slot that issued last, */
    uint32_t last_background;           /* and the last of the background */
    uint32_t promoted;                  /* two-level: slot promoted last */
    uint32_t capacity;                  /* two-level: size of the active set */
    uint64_t leavings;                  /* two-level: of the active set, and entries of the SM */
    uint64_t left[WW_SM_WARPS]; /* two-level: by that count, when a slot joined the pending queue */
    ww_slots older[WW_SM_WARPS]; /* of a slot in use: those in use by older warps */
} ww_sched;

typedef struct ww_sched_policy {
    const char *name;
    bool greedy; /* it picks the warp that issued last wherever it can */
    /** Warps that may issue at all; live: not finished; waiting: held by memory, a barrier or a
     * fence. It changes the state, and must be asked in every cycle. NULL: all live ones of the
     * scheduler. */
    ww_slots (*eligible)(ww_sched *s, ww_slots live, ww_slots waiting);
    /** One of candidates (not empty); the same of fewer candidates, if it is still among them. */
    uint32_t (*pick)(const ww_sched *s, ww_slots candidates);
} ww_sched_policy;

static const ww_sched_policy *sched_policy_of(ww_scheduler kind);
/** The same policy among the favoured candidates where there are any, and in turn among those of
 * the background where there are no others. Set `favoured`, `background` and `base`. */
static const ww_sched_policy *sched_favouring(ww_scheduler kind);
static void sched_init(ww_sched *s, ww_slots mine, uint32_t active_capacity,
                       ww_promotion promotion);
/** The favoured ones of the candidates where there are any. */
static inline ww_slots ww_sched_favoured(const ww_sched *s, ww_slots candidates)
{
    ww_slots first = candidates & s->favoured;
    return ww_any(first) ? first : candidates;
}
/** Two-level: the slot enters the active set when `eligible` next finds it not waiting, before any
 * other; a full set gives up the one next in turn, an unfavoured one if it has any. */
static void sched_wake(ww_sched *s, uint32_t slot);
/** The slot has issued. */
static inline void ww_sched_issued(ww_sched *s, uint32_t slot)
{
    if (ww_in(s->background, slot)) {
        s->last_background = slot;
    } else {
        s->last = slot;
    }
}
/** A warp was launched on the slot: the youngest. */
static void sched_add(ww_sched *s, uint32_t slot);
/** The warp on the slot has finished. */
static void sched_remove(ww_sched *s, uint32_t slot);

#endif
