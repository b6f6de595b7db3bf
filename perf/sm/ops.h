/* ops.h - what an SM is made by: the pipeline is compiled for each width of sets of slots
 * (sm_one.c, sm_wide.c), and each compilation offers what it can do as one table. calls.c, which
 * the rest of the program calls, goes through the table of the SM that it is given. What runs
 * through cycles is compiled once more for launches that are plain, without what those have not
 * (sm_plain_pool.c, sm_plain_partition.c). Private to perf/sm. */
#ifndef WW_PERF_SM_OPS_H
#define WW_PERF_SM_OPS_H

#include "perf/sm/seam.h"
#include "perf/sm/sm.h"

/* Calls of an SM, ww_sm_NAME in sm.h and sm_NAME in the pipeline. A row: GIVES(type, name,
 * parameters, arguments), or DOES(name, parameters, arguments) for those that return nothing. */
#define WW_SM_CALLS(GIVES, DOES)                                                                   \
    GIVES(ww_status, attach, (ww_sm * sm, const struct ww_mech *mech, ww_error *err),              \
          (sm, mech, err))                                                                         \
    DOES(detach_all, (ww_sm * sm), (sm))                                                           \
    GIVES(ww_status, begin,                                                                        \
          (ww_sm * sm, const ww_program *program, const ww_launch *launch, uint32_t cta_limit,     \
           ww_error *err),                                                                         \
          (sm, program, launch, cta_limit, err))                                                   \
    DOES(end, (ww_sm * sm), (sm))                                                                  \
    GIVES(bool, accepts, (const ww_sm *sm, uint64_t now), (sm, now))                               \
    GIVES(uint64_t, launch_time, (const ww_sm *sm), (sm))                                          \
    GIVES(ww_status, launch_cta, (ww_sm * sm, uint32_t linear, uint64_t now, ww_error * err),      \
          (sm, linear, now, err))                                                                  \
    GIVES(ww_status, tick, (ww_sm * sm, uint64_t now, ww_error * err), (sm, now, err))             \
    DOES(drain, (ww_sm * sm, uint64_t now), (sm, now))                                             \
    DOES(rest, (ww_sm * sm, bool rest, uint64_t now), (sm, rest, now))                             \
    GIVES(bool, at_rest, (const ww_sm *sm), (sm))                                                  \
    GIVES(bool, cluster, (ww_sm * sm, ww_cta * cta, ww_cluster_event event, uint64_t now),         \
          (sm, cta, event, now))                                                                   \
    DOES(set_timeline, (ww_sm * sm, ww_timeline * timeline), (sm, timeline))                       \
    DOES(set_depends, (ww_sm * sm, bool depends, uint64_t now), (sm, depends, now))                \
    GIVES(ww_messages *, outbox, (ww_sm * sm), (sm))                                               \
    GIVES(bool, deliver, (ww_sm * sm, const ww_message *m), (sm, m))                               \
    GIVES(ww_status, fast_forward,                                                                 \
          (ww_sm * sm, uint64_t most, uint64_t now, const ww_observer *observer,                   \
           ww_functional_stats *stats, ww_error *err),                                             \
          (sm, most, now, observer, stats, err))                                                   \
    GIVES(ww_status, come_home,                                                                    \
          (ww_sm * sm, uint64_t now, const ww_observer *observer, ww_functional_stats *stats,      \
           ww_error *err),                                                                         \
          (sm, now, observer, stats, err))                                                         \
    GIVES(uint32_t, newest_warps, (const ww_sm *sm), (sm))                                         \
    GIVES(uint64_t, next, (const ww_sm *sm, uint64_t from), (sm, from))                            \
    GIVES(ww_pending *, pending, (ww_sm * sm), (sm))                                               \
    DOES(account, (ww_sm * sm, uint64_t now), (sm, now))                                           \
    GIVES(const ww_sm_pulse *, pulse_of, (const ww_sm *sm), (sm))                                  \
    DOES(allow_sleep, (ww_sm * sm, bool allow), (sm, allow))                                       \
    DOES(set_core_clock, (ww_sm * sm, double core_hz, uint64_t now), (sm, core_hz, now))           \
    DOES(explain, (const ww_sm *sm, ww_waits *waits), (sm, waits))                                 \
    GIVES(ww_status, set_profiling, (ww_sm * sm, bool on, ww_error *err), (sm, on, err))           \
    GIVES(ww_status, set_values, (ww_sm * sm, bool on, ww_error *err), (sm, on, err))              \
    DOES(count_into, (ww_sm * sm, ww_profile_count * table), (sm, table))                          \
    GIVES(const ww_profile_count *, profile, (const ww_sm *sm), (sm))

/* Services to mechanisms, ww_mech_NAME in seam.h and mech_NAME in the pipeline. */
#define WW_MECH_SERVICES(GIVES, DOES)                                                              \
    DOES(count, (ww_sm * sm, ww_counter counter, uint64_t n), (sm, counter, n))                    \
    GIVES(uint64_t *, counts, (ww_sm * sm), (sm))                                                  \
    GIVES(ww_warp *, warp, (ww_sm * sm, uint32_t warp), (sm, warp))                                \
    GIVES(uint32_t, index, (const ww_sm *sm, const void *state), (sm, state))                      \
    GIVES(uint32_t, slots, (const ww_sm *sm), (sm))                                                \
    GIVES(ww_warps, live, (const ww_sm *sm), (sm))                                                 \
    GIVES(ww_warps, extra, (const ww_sm *sm), (sm))                                                \
    GIVES(bool, is_extra, (const ww_sm *sm, uint32_t warp), (sm, warp))                            \
    GIVES(ww_warps, waiting, (const ww_sm *sm), (sm))                                              \
    DOES(favour, (ww_sm * sm, ww_warps warps), (sm, warps))                                        \
    GIVES(ww_warps, favoured, (const ww_sm *sm), (sm))                                             \
    DOES(wake, (ww_sm * sm, uint32_t warp), (sm, warp))                                            \
    DOES(background, (ww_sm * sm, ww_warps warps), (sm, warps))                                    \
    DOES(hold_fetch, (ww_sm * sm, uint32_t warp), (sm, warp))                                      \
    DOES(hold_fetch_for, (ww_sm * sm, uint32_t warp, ww_counter why), (sm, warp, why))             \
    DOES(release_fetch, (ww_sm * sm, uint32_t warp), (sm, warp))                                   \
    DOES(hold_issue, (ww_sm * sm, uint32_t warp, ww_counter why), (sm, warp, why))                 \
    DOES(release_issue, (ww_sm * sm, uint32_t warp), (sm, warp))                                   \
    DOES(lift, (ww_sm * sm, uint32_t warp), (sm, warp))                                            \
    DOES(halve, (ww_sm * sm, uint32_t warp), (sm, warp))                                           \
    GIVES(uint32_t, next_inst, (const ww_sm *sm, uint32_t warp), (sm, warp))                       \
    GIVES(bool, skip, (ww_sm * sm, uint32_t warp), (sm, warp))                                     \
    GIVES(ww_inject_result, inject,                                                                \
          (ww_sm * sm, uint64_t address, uint32_t reserve, uint64_t now),                          \
          (sm, address, reserve, now))                                                             \
    GIVES(ww_inject_result, look_up, (ww_sm * sm, uint64_t address, uint64_t now),                 \
          (sm, address, now))                                                                      \
    GIVES(ww_inject_result, request,                                                               \
          (ww_sm * sm, uint64_t address, uint32_t most, uint64_t now, bool *locked),               \
          (sm, address, most, now, locked))                                                        \
    GIVES(bool, prefetched, (ww_sm * sm, uint32_t warp, bool demanded, uint64_t now),              \
          (sm, warp, demanded, now))                                                               \
    DOES(claim_l1d, (ww_sm * sm, uint64_t when), (sm, when))                                       \
    GIVES(bool, fetch_beside,                                                                      \
          (ww_sm * sm, uint32_t mech, uint64_t address, uint16_t bytes, uint32_t token),           \
          (sm, mech, address, bytes, token))                                                       \
    DOES(serve, (ww_sm * sm, uint32_t flight, uint64_t ready, uint64_t now),                       \
         (sm, flight, ready, now))                                                                 \
    GIVES(bool, lock, (ww_sm * sm, uint64_t address, uint32_t most), (sm, address, most))          \
    DOES(unlock, (ww_sm * sm, uint64_t address), (sm, address))                                    \
    GIVES(ww_status, start_warp,                                                                   \
          (ww_sm * sm, uint32_t entry, uint32_t linear, uint64_t now, uint32_t * warp,             \
           ww_error * err),                                                                        \
          (sm, entry, linear, now, warp, err))                                                     \
    GIVES(ww_status, fork_warp,                                                                    \
          (ww_sm * sm, uint32_t from, uint64_t now, uint32_t * warp, ww_error * err),              \
          (sm, from, now, warp, err))                                                              \
    DOES(drive, (ww_sm * sm, uint32_t warp, uint32_t mech), (sm, warp, mech))                      \
    DOES(go_to, (ww_sm * sm, uint32_t warp, uint32_t inst), (sm, warp, inst))                      \
    DOES(stop_warp, (ww_sm * sm, uint32_t warp, uint64_t now), (sm, warp, now))                    \
    GIVES(ww_status, prepare_shadows, (ww_sm * sm, uint32_t stack_entries, ww_error * err),        \
          (sm, stack_entries, err))                                                                \
    GIVES(bool, enter_shadow, (ww_sm * sm, uint32_t warp), (sm, warp))                             \
    DOES(leave_shadow, (ww_sm * sm, uint32_t warp), (sm, warp))                                    \
    GIVES(bool, in_shadow, (const ww_sm *sm, uint32_t warp), (sm, warp))                           \
    GIVES(bool, look_ahead, (ww_sm * sm, uint32_t warp), (sm, warp))                               \
    GIVES(bool, step_ahead, (ww_sm * sm, uint32_t warp, bool execute), (sm, warp, execute))        \
    DOES(look_back, (ww_sm * sm, uint32_t warp), (sm, warp))                                       \
    GIVES(ww_warps, shadow, (const ww_sm *sm), (sm))                                               \
    GIVES(bool, waits_for_memory, (const ww_sm *sm, uint32_t warp, uint32_t reg), (sm, warp, reg)) \
    DOES(take_pass, (ww_sm * sm, uint32_t scheduler, uint32_t lanes), (sm, scheduler, lanes))      \
    DOES(complete, (ww_sm * sm, uint32_t flight, uint64_t now), (sm, flight, now))                 \
    /* for a core (seam_core.h) */                                                                 \
    GIVES(uint32_t, pipes, (const ww_sm *sm, uint32_t unit), (sm, unit))                           \
    GIVES(ww_warps, ready, (const ww_sm *sm), (sm))                                                \
    GIVES(ww_core_inst, head_of, (const ww_sm *sm, uint32_t warp), (sm, warp))                     \
    GIVES(ww_core_inst, flight, (const ww_sm *sm, uint32_t flight), (sm, flight))                  \
    DOES(charge, (ww_sm * sm, const ww_sm_op *op, ww_counter counter, uint64_t n),                 \
         (sm, op, counter, n))                                                                     \
    DOES(only, (ww_sm * sm, uint32_t flight, uint32_t threads), (sm, flight, threads))             \
    DOES(results, (ww_sm * sm, uint32_t flight, uint64_t first, uint64_t last),                    \
         (sm, flight, first, last))                                                                \
    GIVES(bool, needs_last, (const ww_sm *sm, uint32_t warp), (sm, warp))                          \
    GIVES(bool, queue_room, (const ww_sm *sm), (sm))                                               \
    DOES(queue, (ww_sm * sm, uint32_t flight), (sm, flight))                                       \
    GIVES(uint64_t, coalesce, (ww_sm * sm, uint32_t flight, uint64_t last_at, uint64_t now),       \
          (sm, flight, last_at, now))                                                              \
    DOES(accessed, (ww_sm * sm, uint32_t flight), (sm, flight))

#define WW_OPS_GIVES(type, name, parameters, arguments) type(*name) parameters;
#define WW_OPS_DOES(name, parameters, arguments)        void(*name) parameters;

typedef struct ww_mech_services {
    WW_MECH_SERVICES(WW_OPS_GIVES, WW_OPS_DOES)
} ww_mech_services;

typedef struct ww_sm_ops ww_sm_ops;
struct ww_sm_ops {
    ww_status (*create)(const ww_sm_ops *ops, const ww_arch *arch, uint32_t id, ww_port *port,
                        ww_counter_block *counters, ww_arena *room, ww_sm **out, ww_error *err);
    void (*destroy)(ww_sm *sm);
    WW_SM_CALLS(WW_OPS_GIVES, WW_OPS_DOES)
    const ww_mech_services *services;
};

#undef WW_OPS_GIVES
#undef WW_OPS_DOES

/* ww_sm_run */
typedef ww_status ww_sm_run_fn(ww_sm *sm, uint64_t from, uint64_t until, bool edge,
                               const ww_sm_order *order, uint32_t orders, uint64_t *stopped,
                               ww_error *err);

/* What every SM begins with. */
typedef struct ww_sm_head {
    const ww_sm_ops *ops;
    ww_sm_run_fn *run; /* of this launch */
} ww_sm_head;

extern const ww_sm_ops ww_sm_one, ww_sm_wide;
/* Of an SM of ww_sm_one in a launch that is plain, with a pool of collectors or with partitions. */
WW_NODISCARD ww_sm_run_fn ww__sm_run_pool, ww__sm_run_partition;
/* The same whose lines are counted. */
WW_NODISCARD ww_sm_run_fn ww__sm_run_lined_pool, ww__sm_run_lined_partition;

#endif
