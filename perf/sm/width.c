/* width.c - each call of an SM goes to the compilation that it was made by (slots.h): one word of
 * warps or several. */
#include "perf/sm/seam.h"
#include "perf/sm/sm.h"
#include "perf/sm/slots.h"

/* The first member of struct ww_sm, in both. */
static bool is_wide(const ww_sm *sm)
{
    return *(const bool *)(const void *)sm;
}

#define GIVES(type, name, parameters, arguments)                                                   \
    type name##_one parameters;                                                                    \
    type name##_wide parameters;                                                                   \
    type name parameters                                                                           \
    {                                                                                              \
        return is_wide(sm) ? name##_wide arguments : name##_one arguments;                         \
    }

#define DOES(name, parameters, arguments)                                                          \
    void name##_one parameters;                                                                    \
    void name##_wide parameters;                                                                   \
    void name parameters                                                                           \
    {                                                                                              \
        if (is_wide(sm)) {                                                                         \
            name##_wide arguments;                                                                 \
        } else {                                                                                   \
            name##_one arguments;                                                                  \
        }                                                                                          \
    }

/* Sets of slots are words for those who call from here. */
#define GIVES_SLOTS(name)                                                                          \
    uint64_t name##_one(const ww_sm *sm);                                                          \
    ww_slots_wide name##_wide(const ww_sm *sm);                                                    \
    uint64_t name(const ww_sm *sm)                                                                 \
    {                                                                                              \
        return is_wide(sm) ? name##_wide(sm)[0] : name##_one(sm);                                  \
    }

#define DOES_TO_SLOTS(name)                                                                        \
    void name##_one(ww_sm *sm, uint64_t warps);                                                    \
    void name##_wide(ww_sm *sm, ww_slots_wide warps);                                              \
    void name(ww_sm *sm, uint64_t warps)                                                           \
    {                                                                                              \
        if (is_wide(sm)) {                                                                         \
            name##_wide(sm, (ww_slots_wide){warps});                                               \
        } else {                                                                                   \
            name##_one(sm, warps);                                                                 \
        }                                                                                          \
    }

#define DOES_TO_SLOTS_FOR(name)                                                                    \
    void name##_one(ww_sm *sm, uint64_t warps, ww_counter why);                                    \
    void name##_wide(ww_sm *sm, ww_slots_wide warps, ww_counter why);                              \
    void name(ww_sm *sm, uint64_t warps, ww_counter why)                                           \
    {                                                                                              \
        if (is_wide(sm)) {                                                                         \
            name##_wide(sm, (ww_slots_wide){warps}, why);                                          \
        } else {                                                                                   \
            name##_one(sm, warps, why);                                                            \
        }                                                                                          \
    }

GIVES(bool, ww_sm_accepts, (const ww_sm *sm, uint64_t now), (sm, now))
DOES(ww_sm_account, (ww_sm * sm, uint64_t now), (sm, now))
DOES(ww_sm_allow_sleep, (ww_sm * sm, bool allow), (sm, allow))
GIVES(bool, ww_sm_at_rest, (const ww_sm *sm), (sm))
GIVES(ww_status, ww_sm_attach, (ww_sm * sm, const struct ww_mech *mech, ww_error *err),
      (sm, mech, err))
GIVES(ww_status, ww_sm_begin,
      (ww_sm * sm, const ww_program *program, const ww_launch *launch, uint32_t cta_limit,
       ww_error *err),
      (sm, program, launch, cta_limit, err))
DOES(ww_sm_detach_all, (ww_sm * sm), (sm))
DOES(ww_sm_drain, (ww_sm * sm, uint64_t now), (sm, now))
DOES(ww_sm_end, (ww_sm * sm), (sm))
DOES(ww_sm_explain, (const ww_sm *sm, ww_waits *waits), (sm, waits))
GIVES(ww_status, ww_sm_fast_forward,
      (ww_sm * sm, uint64_t most, uint64_t now, const ww_observer *observer,
       ww_functional_stats *stats, ww_error *err),
      (sm, most, now, observer, stats, err))
GIVES(ww_status, ww_sm_launch_cta, (ww_sm * sm, uint32_t linear, uint64_t now, ww_error *err),
      (sm, linear, now, err))
GIVES(uint64_t, ww_sm_launch_time, (const ww_sm *sm), (sm))
GIVES(uint32_t, ww_sm_newest_warps, (const ww_sm *sm), (sm))
GIVES(uint64_t, ww_sm_next, (const ww_sm *sm, uint64_t from), (sm, from))
GIVES(ww_pending *, ww_sm_pending, (ww_sm * sm), (sm))
GIVES(const ww_profile_count *, ww_sm_profile, (const ww_sm *sm), (sm))
GIVES(const ww_sm_pulse *, ww_sm_pulse_of, (const ww_sm *sm), (sm))
DOES(ww_sm_rest, (ww_sm * sm, bool rest, uint64_t now), (sm, rest, now))
GIVES(ww_status, ww_sm_run,
      (ww_sm * sm, uint64_t from, uint64_t until, bool edge, const ww_sm_order *order,
       uint32_t orders, uint64_t *stopped, ww_error *err),
      (sm, from, until, edge, order, orders, stopped, err))
GIVES(ww_status, ww_sm_set_profiling, (ww_sm * sm, bool on, ww_error *err), (sm, on, err))
GIVES(ww_status, ww_sm_tick, (ww_sm * sm, uint64_t now, ww_error *err), (sm, now, err))
DOES_TO_SLOTS(ww_mech_background)
DOES(ww_mech_claim_l1d, (ww_sm * sm, uint64_t when), (sm, when))
DOES(ww_mech_complete, (ww_sm * sm, uint32_t flight, uint64_t now), (sm, flight, now))
DOES(ww_mech_count, (ww_sm * sm, ww_counter counter, uint64_t n), (sm, counter, n))
DOES(ww_mech_drive, (ww_sm * sm, uint32_t warp, uint32_t mech), (sm, warp, mech))
GIVES(bool, ww_mech_enter_shadow, (ww_sm * sm, uint32_t warp), (sm, warp))
GIVES_SLOTS(ww_mech_extra)
DOES_TO_SLOTS(ww_mech_favour)
GIVES_SLOTS(ww_mech_favoured)
GIVES(bool, ww_mech_fetch_beside,
      (ww_sm * sm, uint32_t mech, uint64_t address, uint16_t bytes, uint32_t token),
      (sm, mech, address, bytes, token))
GIVES(ww_status, ww_mech_fork_warp,
      (ww_sm * sm, uint32_t from, uint64_t now, uint32_t *warp, ww_error *err),
      (sm, from, now, warp, err))
DOES(ww_mech_go_to, (ww_sm * sm, uint32_t warp, uint32_t inst), (sm, warp, inst))
DOES_TO_SLOTS(ww_mech_hold_fetch)
DOES_TO_SLOTS_FOR(ww_mech_hold_issue)
GIVES(uint32_t, ww_mech_index, (const ww_sm *sm, const void *state), (sm, state))
GIVES(ww_inject_result, ww_mech_inject,
      (ww_sm * sm, uint64_t address, uint32_t reserve, uint64_t now), (sm, address, reserve, now))
DOES(ww_mech_leave_shadow, (ww_sm * sm, uint32_t warp), (sm, warp))
DOES_TO_SLOTS_FOR(ww_mech_hold_fetch_for)
GIVES(uint32_t, ww_mech_next_inst, (const ww_sm *sm, uint32_t warp), (sm, warp))
GIVES(bool, ww_mech_skip, (ww_sm * sm, uint32_t warp), (sm, warp))
DOES(ww_mech_halve, (ww_sm * sm, uint32_t warp), (sm, warp))
DOES(ww_mech_hold_warp, (ww_sm * sm, uint32_t warp, ww_counter why), (sm, warp, why))
GIVES(bool, ww_mech_is_extra, (const ww_sm *sm, uint32_t warp), (sm, warp))
DOES(ww_mech_release_warp, (ww_sm * sm, uint32_t warp), (sm, warp))
DOES(ww_mech_lift, (ww_sm * sm, uint32_t warp), (sm, warp))
GIVES_SLOTS(ww_mech_live)
GIVES(bool, ww_mech_lock, (ww_sm * sm, uint64_t address, uint32_t most), (sm, address, most))
GIVES(ww_status, ww_mech_prepare_shadows, (ww_sm * sm, uint32_t stack_entries, ww_error *err),
      (sm, stack_entries, err))
DOES_TO_SLOTS(ww_mech_release_fetch)
DOES_TO_SLOTS(ww_mech_release_issue)
GIVES(ww_inject_result, ww_mech_request,
      (ww_sm * sm, uint64_t address, uint32_t most, uint64_t now, bool *locked),
      (sm, address, most, now, locked))
DOES(ww_mech_serve, (ww_sm * sm, uint32_t flight, uint64_t ready, uint64_t now),
     (sm, flight, ready, now))
GIVES_SLOTS(ww_mech_shadow)
GIVES(ww_status, ww_mech_start_warp,
      (ww_sm * sm, uint32_t entry, uint32_t linear, uint64_t now, uint32_t *warp, ww_error *err),
      (sm, entry, linear, now, warp, err))
DOES(ww_mech_stop_warp, (ww_sm * sm, uint32_t warp, uint64_t now), (sm, warp, now))
DOES(ww_mech_take_pass, (ww_sm * sm, uint32_t scheduler, uint32_t lanes), (sm, scheduler, lanes))
DOES(ww_mech_unlock, (ww_sm * sm, uint64_t address), (sm, address))
GIVES_SLOTS(ww_mech_waiting)
GIVES(bool, ww_mech_waits_for_memory, (const ww_sm *sm, uint32_t warp, uint32_t reg),
      (sm, warp, reg))
DOES(ww_mech_wake, (ww_sm * sm, uint32_t warp), (sm, warp))
GIVES(ww_warp *, ww_mech_warp, (ww_sm * sm, uint32_t warp), (sm, warp))

ww_status ww_sm_create_one(const ww_arch *arch, uint32_t id, ww_port *port,
                           ww_counter_block *counters, ww_sm **out, ww_error *err);
ww_status ww_sm_create_wide(const ww_arch *arch, uint32_t id, ww_port *port,
                            ww_counter_block *counters, ww_sm **out, ww_error *err);
void ww_sm_destroy_one(ww_sm *sm);
void ww_sm_destroy_wide(ww_sm *sm);

bool ww_sm_is_wide(const ww_arch *arch)
{
    return arch->sm.max_warps + arch->extra_warps > WW_SM_WARPS;
}

ww_status ww_sm_create(const ww_arch *arch, uint32_t id, ww_port *port, ww_counter_block *counters,
                       ww_sm **out, ww_error *err)
{
    return ww_sm_is_wide(arch) ? ww_sm_create_wide(arch, id, port, counters, out, err)
                               : ww_sm_create_one(arch, id, port, counters, out, err);
}

void ww_sm_destroy(ww_sm *sm)
{
    if (sm == NULL) {
        return;
    }
    if (is_wide(sm)) {
        ww_sm_destroy_wide(sm);
    } else {
        ww_sm_destroy_one(sm);
    }
}
