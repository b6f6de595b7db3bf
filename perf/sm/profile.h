/* profile.h - where the issue slots of one SM went, by instruction. A slot that issues counts for
 * the instruction issued; a lost one for the instruction that waited, by the reason that stall.c
 * finds, and once more, as awaited, for the instruction in flight whose result it waited for. Where
 * several warps of a scheduler wait for the slot's reason, the one counts that the scheduler's
 * policy would take. Private to perf/sm. */
#ifndef WW_PERF_SM_PROFILE_H
#define WW_PERF_SM_PROFILE_H

#include "perf/sm/sm_state.h"

/* Instructions that a lost slot counts for; WW_NONE: none. */
typedef struct ww_loss {
    uint32_t waits, awaited;
} ww_loss;

struct ww_profile {
    ww_profile_count *given;          /* rows of the caller's; NULL: */
    ww_profile_count *own;            /* the SM's */
    bool issues;                      /* what is counted is the instruction's that issues */
    uint32_t *writer;                 /* [warp][bit] instruction that last reserved a register */
    uint32_t writers;                 /* bits of a warp */
    ww_loss asleep[WW_SM_SCHEDULERS]; /* of each cycle that is not ticked */
};

/* What scheduler s loses a slot to now; reason and chosen as for sm_stall_reason. */
static ww_loss profile_charge(const ww_sm *sm, uint32_t s, ww_stall reason, uint32_t chosen);
/* n slots were lost. */
static void profile_lost(ww_sm *sm, ww_loss charge, ww_stall reason, uint64_t n);
/* Warp w issued the instruction at pc, for so many lanes. */
static void profile_issued(ww_sm *sm, uint32_t w, uint32_t pc, uint64_t lanes);
/* Room for a launch of the present program. */
WW_NODISCARD static ww_status profile_begin(ww_sm *sm, ww_error *err);
static void profile_end(ww_sm *sm);

#endif
