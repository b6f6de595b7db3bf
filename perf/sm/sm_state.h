/* sm_state.h - the state of one SM, private to perf/sm: its stages (stages.h), and what they offer
 * each other. */
#ifndef WW_PERF_SM_SM_STATE_H
#define WW_PERF_SM_SM_STATE_H

#include "base/compiler.h"
#include "perf/sm/ops.h"
#include "perf/sm/stages.h"

struct ww_sm {
    ww_sm_head head;
    ww_sm_pulse pulse; /* in the same line of the host's cache, as far as every window asks */

    /* constant */
    uint32_t id;
    const ww_arch *arch;
    ww_port *port;
    ww_pending *effects; /* on global memory in this window */
    ww_counter_block *counters;
    const ww_core_ops *core;
    ww_time time; /* since the core clock last changed */

    /* of the launch */
    const ww_program *program;
    const ww_launch *launch;
    ww_profile *profile;       /* NULL: off */
    ww_profile_count *charged; /* its rows; NULL: off */
    ww_values *values;         /* NULL: bits that switch are not counted */

    /* the stages, what every cycle asks for first; what an SM without work touches lies together */
    ww_sleep sleep;
    ww_forward forward;
    ww_async *async; /* of a launch that uses them; NULL: none */
    ww_async *async_room;
    ww_timeline *timeline; /* NULL: nobody wants one */
    ww_mech_stage mech;
    ww_board_stage board;
    ww_ibuf_stage ibuf;
    ww_warp_stage warps;
    ww_fetch_stage fetch;
    ww_constant_stage constants;
    ww_flight_stage flights;
    ww_ldst_stage ldst;
    ww_l1d_stage l1d;
    ww_out_stage out;
    ww_hold_stage hold;
    ww_collect_stage oc;
    ww_regfile_stage regfile;
    ww_unit_stage units;
    ww_partition_stage partition;
    ww_step scratch;
    ww_extra_stage extra;
    ww_given_stage given;
    ww_shadow_stage shadow;
    ww_skip_stage skip;
    ww_cta_stage ctas;
    ww_issue_stage issue;
    ww_group_stage groups;
    ww_cta_slot cta[WW_SM_CTAS];
};

_Static_assert(offsetof(ww_sm, head) == 0, "calls.c");

/* Whether this compilation is for launches that are plain: what follows is constant then. */
#ifdef WW_SM_PLAIN
enum { WW_PLAIN = true };
#else
enum { WW_PLAIN = false };
#endif

/* Whether it is for launches whose lines are counted and that are plain otherwise. */
#ifdef WW_SM_LINED
enum { WW_LINED = true };
#else
enum { WW_LINED = false };
#endif
enum { WW_BARE = WW_PLAIN || WW_LINED }; /* no mechanisms, engines, values, slow issue */

/* Rows that events are charged to; NULL: to none. */
static inline ww_profile_count *ww_charged(const ww_sm *sm)
{
    return WW_PLAIN ? NULL : sm->charged;
}

static inline ww_profile *ww_profile_of(const ww_sm *sm)
{
    return WW_PLAIN ? NULL : sm->profile;
}

static inline ww_values *ww_values_of(const ww_sm *sm)
{
    return WW_BARE ? NULL : sm->values;
}

static inline ww_async *ww_async_of(const ww_sm *sm)
{
    return WW_BARE ? NULL : sm->async;
}

/* Of a word that names collectors; a set of warps: ww_slot. */
static inline uint64_t ww_word_bit(uint32_t w)
{
    return 1ull << w;
}

static inline void ww_count(ww_sm *sm, ww_counter counter, uint64_t n)
{
    sm->counters->v[counter] += n;
}

/* Events counted elsewhere are those of a row: an instruction, or of ww_charge_row. */
static inline void ww_note(ww_sm *sm, uint32_t row, ww_counter counter, uint64_t n)
{
    if (WW_LINED || WW_UNLIKELY(ww_charged(sm) != NULL)) {
        sm->charged[row].charged[counter - WW_CHARGE_FIRST] += n;
    }
}

/* Counts events of a row. */
static inline void ww_charge(ww_sm *sm, uint32_t row, ww_counter counter, uint64_t n)
{
    ww_count(sm, counter, n);
    ww_note(sm, row, counter, n);
}

static inline uint32_t ww_charge_row_of(const ww_sm *sm, ww_charge_row row)
{
    return sm->program->count + row;
}

static inline uint32_t ww_place_of(const ww_sm *sm, const ww_sm_op *uop)
{
    return (uint32_t)(uop - sm->program->uop);
}

/* Requests carry whom their events are charged to: a row of the program. */
static inline uint32_t ww_owner_of(const ww_sm *sm, uint32_t row)
{
    return sm->program->owner + row;
}

/* The row that a reply's request was sent for. */
static inline uint32_t ww_row_of(const ww_sm *sm, const ww_mem_req *reply)
{
    const uint32_t row = reply->owner - sm->program->owner;
    return row < ww_profile_rows(sm->program) ? row : ww_charge_row_of(sm, WW_CHARGE_LAUNCH);
}

/* Entries of a warp's instruction buffer in use: marks of skipped instructions have none. */
static inline uint32_t ww_entries_used(const ww_sm *sm, uint32_t w)
{
    return sm->ibuf.count[w] - (uint32_t)__builtin_popcountll(sm->skip.marks[w]);
}

/* The warp's head goes to a unit. */
static inline void ww_sm_head_goes_to(ww_ibuf_stage *ibuf, uint32_t w, unsigned unit)
{
    ibuf->head[ibuf->unit[w]] &= ~ww_slot(w);
    ibuf->head[unit] |= ww_slot(w);
    ibuf->unit[w] = (uint8_t)unit;
}

/* Warps that give up their place in a two-level scheduler's active set. */
static inline ww_slots ww_sm_waiting(const ww_sm *sm)
{
    return sm->board.raw_long | sm->constants.wait | sm->warps.at_barrier | sm->warps.at_fence;
}

/* Warps of a scheduler that its policy lets issue. */
static inline ww_slots ww_sm_eligible(const ww_sm *sm, ww_sched *s, ww_slots waiting)
{
    const ww_sched_policy *policy = sm->issue.policy;
    return policy->eligible == NULL ? s->mine & sm->warps.live
                                    : policy->eligible(s, sm->warps.live, waiting);
}

/* Its choice of candidates (not empty). */
static inline uint32_t ww_sm_pick(const ww_sm *sm, const ww_sched *s, ww_slots candidates)
{
    const ww_sched_policy *policy = sm->issue.policy;
    return policy->greedy && ww_in(candidates, s->last) ? s->last : policy->pick(s, candidates);
}

/* Warps without an instruction because a mechanism keeps them from fetching one, and has a reason.
 */
static inline ww_slots ww_sm_kept_from_fetch(const ww_sm *sm)
{
    return sm->hold.blamed &
           ~(sm->ibuf.decoded | sm->skip.due | sm->warps.at_barrier | sm->warps.at_fence);
}

/* ---- what the SM offers (ops.h), each where its idea is ---- */
#define WW_OPS_CALL(type, name, parameters, arguments)    static type sm_##name parameters;
#define WW_OPS_DO(name, parameters, arguments)            static void sm_##name parameters;
#define WW_OPS_SERVICE(type, name, parameters, arguments) static type mech_##name parameters;
#define WW_OPS_SERVE(name, parameters, arguments)         static void mech_##name parameters;
static void sm_destroy(ww_sm *sm);
static ww_sm_run_fn sm_run;
WW_SM_CALLS(WW_OPS_CALL, WW_OPS_DO)
WW_MECH_SERVICES(WW_OPS_SERVICE, WW_OPS_SERVE)
#undef WW_OPS_CALL
#undef WW_OPS_DO
#undef WW_OPS_SERVICE
#undef WW_OPS_SERVE

/* ---- verify.c: builds with assertions ---- */
/* What does not hold of the SM between two cycles, or of its lists of free entries; NULL: all does.
 */
WW_MAYBE_UNUSED static const char *sm_verify(const ww_sm *sm);
WW_MAYBE_UNUSED static const char *sm_verify_lists(const ww_sm *sm);
/* The same of schedulers that have settled, in a cycle in which they are not asked. */
WW_MAYBE_UNUSED static const char *sm_verify_settled(const ww_sm *sm, uint64_t now);

/* ---- fetch.c, ibuffer.c ---- */
static void sm_fetch(ww_sm *sm, uint64_t now);
/* Instructions that one fetch from pc brings into a buffer with so many entries in use. */
static uint32_t sm_fetch_group(const ww_sm *sm, uint32_t pc, uint32_t used);
static void sm_fetch_filled(ww_sm *sm, const ww_mem_req *reply, uint64_t now);
/* Moves fetched instructions whose time has come into the buffers. */
static void sm_decode(ww_sm *sm, uint64_t now);
static void sm_decode_into(ww_sm *sm, uint32_t w, uint32_t pc, uint32_t count, uint64_t now);
/* Decoded instructions join the warp's buffer. */
static void sm_buffer(ww_sm *sm, uint32_t w, uint32_t pc, uint32_t count, uint64_t now);
/* The head has been issued; the warp goes on at next_pc. */
static void sm_advance(ww_sm *sm, uint32_t w, uint32_t next_pc, uint64_t now);
static void sm_flush(ww_sm *sm, uint32_t w, uint32_t next_pc);
static WW_ALWAYS_INLINE void sm_update_fetchable(ww_sm *sm, uint32_t w);
/* The schedulers meet instructions that a taken branch has made wrong: their warps fetch anew. */
static void sm_correct_astray(ww_sm *sm);

/* ---- scoreboard.c ---- */
/* The words of a warp. */
static inline ww_awaited *ww_awaited_of(const ww_sm *sm, uint32_t w)
{
    return sm->board.awaited + (size_t)w * sm->board.stride;
}
/* Whether memory brings that register's result (ww_program_bit). */
static inline bool ww_awaits_memory(const ww_sm *sm, uint32_t w, uint32_t bit)
{
    return (ww_awaited_of(sm, w)[bit / 64].slow >> (bit % 64) & 1) != 0;
}
/* Recomputes ready and raw masks of a warp whose state changed. */
static void sm_evaluate(ww_sm *sm, uint32_t w);
/* The same of one whose buffer is empty. */
static WW_ALWAYS_INLINE void sm_headless(ww_sm *sm, uint32_t w);
/* The same of a warp whose buffer was empty, and has the head uop now. */
static WW_ALWAYS_INLINE void sm_evaluate_first(ww_sm *sm, uint32_t w, const ww_sm_op *uop);
/* The same of a warp that has issued what was its head, and has the next one, uop, in its buffer.
 */
static WW_ALWAYS_INLINE void sm_evaluate_next(ww_sm *sm, uint32_t w, const ww_sm_op *uop);
static void sm_reserve(ww_sm *sm, uint32_t w, const ww_sm_op *uop);
static void sm_release(ww_sm *sm, uint32_t w, const ww_sm_op *uop);

/* ---- constcache.c ---- */
/* Looks up the constant-bank lines of a new head. */
static void sm_constants(ww_sm *sm, uint32_t w, uint64_t now);
static void sm_constants_retry(ww_sm *sm, uint64_t now);
static void sm_const_filled(ww_sm *sm, const ww_mem_req *reply, uint64_t now);
/* The warp's head goes: it waits for no line any more. */
static void sm_constants_forget(ww_constant_stage *constants, uint32_t w);

/* ---- window.c ---- */
/* The warp issues nothing more before the window's edge. */
static void sm_hold(ww_sm *sm, uint32_t w);

/* ---- sm.c ---- */
/* Charges the cycles before `until` in which the load/store unit's head stood as it stands. */
static void sm_account_ldst(ww_sm *sm, uint64_t until);
/* Something that these warps, whose heads are ready, may wait for has been given back. */
static inline void ww_sm_stir(ww_sm *sm, ww_slots ready)
{
    sm->sleep.changed |= ready;
}

/* Whether scheduler s must be asked in cycle now. Elsewhere it loses its slot as it lost the one
 * before: its policy picks the same again, until one of its warps changes, or gets something back
 * that it may wait for, or something is free by time. */
static inline bool ww_sm_asked(const ww_sm *sm, uint32_t s, uint64_t now)
{
    return sm->sleep.until[s] <= now || ww_any(sm->sleep.changed & sm->issue.sched[s].mine);
}

static inline bool ww_sm_any_asked(const ww_sm *sm, uint64_t now)
{
    return sm->sleep.first <= now || ww_any(sm->sleep.changed);
}

/* Some have been asked. */
static inline void ww_sm_find_first(ww_sm *sm)
{
    uint64_t first = UINT64_MAX;
    for (uint32_t s = 0; s < sm->issue.schedulers; s++) {
        first = sm->sleep.until[s] < first ? sm->sleep.until[s] : first;
    }
    sm->sleep.first = first;
}

static inline void ww_sm_ask_all(ww_sm *sm)
{
    for (uint32_t s = 0; s < WW_SM_SCHEDULERS; s++) {
        sm->sleep.until[s] = 0;
    }
    sm->sleep.first = 0;
}

/* Cycles before `cycle` are charged, or nothing is charged for them. */
static inline void ww_sm_slots_from(ww_sm *sm, uint64_t cycle)
{
    sm->sleep.accounted = cycle;
    for (uint32_t s = 0; s < sm->issue.schedulers; s++) {
        sm->sleep.since[s] = cycle;
    }
}

/* ---- issue.c, stall.c ---- */
WW_NODISCARD static ww_status sm_issue(ww_sm *sm, uint64_t now, ww_error *err);
/* Issues a warp's head, whatever the SM has beside its engines. */
WW_NODISCARD static ww_status sm_issue_beside(ww_sm *sm, uint32_t w, uint64_t now, ww_error *err);

typedef enum ww_stall {
    WW_STALL_LSU,
    WW_STALL_SP,
    WW_STALL_SFU,
    WW_STALL_RAW_SHORT,
    WW_STALL_RAW_LONG,
    WW_STALL_IBUF,
    WW_STALL_HELD,
    WW_STALL_BARRIER,
    WW_STALL_IDLE,
    WW_STALL_COUNT
} ww_stall;
static ww_counter stall_counter(ww_stall reason);
/* Why scheduler s issues nothing, from the masks alone; `chosen`: the warp it would take, WW_NONE
 * when none is ready. */
static ww_stall sm_stall_reason(const ww_sm *sm, uint32_t s, uint32_t chosen);
static ww_stall sm_warp_stall(const ww_sm *sm, uint32_t w);
/* What most live warps of scheduler s wait for, the reason nearest to issue where as many wait for
 * another; and its counter. */
static ww_stall sm_most_stall(const ww_sm *sm, uint32_t s);
static ww_counter most_counter(ww_stall reason);
/* The mechanism's reason why a warp of scheduler s is held; WW_COUNTER_COUNT: it gave none. */
static ww_counter sm_held_for(const ww_sm *sm, uint32_t s);
static inline void ww_sm_count_held(ww_sm *sm, ww_counter why, uint64_t n)
{
    if (why < WW_COUNTER_COUNT) {
        ww_count(sm, why, n);
    }
}
/* The instruction that a warp stands at. */
static uint32_t sm_place(const ww_sm *sm, uint32_t w);

/* ---- collector.c, regfile.c, pipeline.c ---- */
/* Counts an instruction that enters its pipeline. */
static void sm_count_start(ww_sm *sm, const ww_sm_op *uop, uint32_t lanes);
static void sm_read_operands(ww_sm *sm, uint64_t now);
static void sm_dispatch(ww_sm *sm, uint64_t now);
static void sm_collector_release(ww_collect_stage *oc, uint32_t c);
/* Results of a flight are there: queues its register writes. */
static void sm_write_back(ww_sm *sm, uint32_t flight);
/* Writes what the banks allow this cycle; completed flights release their registers. */
static void sm_write_registers(ww_sm *sm, uint64_t now);
/* The same for a flight whose results have just come, where those of no cycle before wait. */
static WW_ALWAYS_INLINE void sm_write_result(ww_sm *sm, uint32_t flight, uint64_t now);
/* True: this cycle's writes have been made. */
static bool sm_expire(ww_sm *sm, uint64_t now);

/* ---- flight.c ---- */
WW_NODISCARD static ww_status sm_flight_room(ww_flight_stage *flights, ww_error *err);
static uint32_t sm_flight_take(ww_sm *sm, uint32_t w, uint32_t pc, uint32_t exec);
/* No writes and replies are left. */
static void sm_flight_done(ww_sm *sm, uint32_t flight, uint64_t now);
/* One reply less, or the unit is done with it; results go to write-back when that was the last. */
static void sm_flight_settle(ww_sm *sm, uint32_t flight, uint64_t now);

/* ---- ldst.c, ldst_global.c, shared.c, outqueue.c ---- */
static void sm_ldst(ww_sm *sm, uint64_t now);
/* shared.c: folded operands */
static void sm_folded_issued(ww_sm *sm, ww_flight *f, const ww_step *step);
static void sm_folded_pass(ww_sm *sm, const ww_flight *f);
static uint32_t sm_folded_wait(ww_sm *sm, const ww_flight *f, uint64_t now);
/* Whether a folded operand of the instruction takes time of its own. */
static inline bool ww_sm_folded_waits(const ww_sm *sm, const ww_sm_op *uop)
{
    return WW_UNLIKELY((uop->flags & WW_SM_OP_FOLDED) != 0) &&
           sm->arch->ldst.folded == WW_FOLDED_OPERAND;
}
static void sm_ldst_enqueue(ww_sm *sm, uint32_t mem);
/* Tells mechanisms where a load that issues reads. */
static void sm_tell_addresses(ww_sm *sm, ww_mem_inst *m, uint64_t now);
/* Splits the instruction into segments of addresses that come one per cycle, the last at last_at;
 * when the first is complete. */
static uint64_t sm_coalesce_as_they_come(ww_sm *sm, uint32_t mem, uint64_t last_at, uint64_t now);
/* When the instruction's next segment is complete; 0: it has been. */
static uint64_t sm_segment_at(const ww_mem_inst *m);
/* What the instruction does, from the address space that the executor resolved. */
static ww_mem_path sm_mem_path(const ww_sm_op *uop, const ww_step *step);
/* One access of the head; true: the instruction has made its last one. */
static bool sm_global_access(ww_sm *sm, ww_mem_inst *m, uint64_t now);
static bool sm_const_access(ww_sm *sm, ww_mem_inst *m, uint64_t now);
static bool sm_shared_access(ww_sm *sm, ww_mem_inst *m, uint64_t now);
/* Looks up the access whose time in the L1D's pipeline has passed. */
static void sm_l1d_line(ww_sm *sm, uint64_t now);
static void sm_data_filled(ww_sm *sm, const ww_mem_req *reply, uint64_t now);
static void sm_texture_filled(ww_sm *sm, const ww_mem_req *reply, uint64_t now);
/* True when a data request may join the queue. */
static inline bool ww_sm_out_room(const ww_sm *sm)
{
    return sm->pulse.outgoing < sm->arch->l1d.miss_queue;
}
/* Queues a request, of this SM; flags: WW_OUT_*. */
static void sm_send(ww_sm *sm, const ww_mem_req *request);
/* Writes back a line that left the L1D where it is dirty. */
static void sm_left_l1d(ww_sm *sm, const ww_cache_eviction *evicted, uint64_t now);
/* Sectors of one line that are looked up together travel together: adds one to the request queued
 * last, when that ends where the sector starts; false: it needs a request of its own. */
static bool sm_send_along(ww_sm *sm, ww_req_kind kind, uint64_t address, uint32_t bytes,
                          uint32_t token, uint32_t mask);
static void sm_replies(ww_sm *sm, uint64_t now);

/* ---- async/groups.c ---- */
/* A copy of threads has been issued: it joins the warp's open group. */
static void sm_copy_issued(ww_sm *sm, ww_flight *f, const ww_step *step);
/* What it has fetched is there: queues its write to shared memory. True: that has been done. */
static bool sm_copy_arrived(ww_sm *sm, uint32_t flight, uint64_t now);
/* The end of a group, or the wait for groups. */
static void sm_copy_wait(ww_sm *sm, uint32_t w, const ww_inst *inst);
/* Of a warp that starts. */
static void sm_groups_begin(ww_group_stage *groups, uint32_t w);

/* ---- async/engines.c: of an SM with engines ---- */
WW_NODISCARD static ww_status sm_async_begin(ww_sm *sm, ww_error *err);
static void sm_async_destroy(ww_async *async);
/* Does what is due, and plans the next event. */
WW_NODISCARD static ww_status sm_async_act(ww_sm *sm, uint64_t now, ww_error *err);
/* A reply to a request of the copy engine's; what it leads to happens in this cycle. */
static void sm_async_replied(ww_sm *sm, const ww_mem_req *reply, uint64_t now);
/* A request has left. */
static void sm_async_drained(ww_sm *sm, uint64_t now);
/* Of a warp that starts. */
static void sm_async_warp(ww_sm *sm, uint32_t w);
static void sm_async_cta_ended(ww_sm *sm, uint32_t slot, uint64_t now);
static bool sm_async_at_rest(const ww_sm *sm);
/* What a warp that sleeps waits for, in words. */
static void sm_async_reason(const ww_sm *sm, uint32_t w, char *buf, size_t size);
/* Cycles of shared memory's port from now on; returns the one behind the last. Without engines
 * nobody else has any. */
static uint64_t sm_port_take(ww_sm *sm, uint32_t cycles, uint64_t now);
/* Of an instruction that leaves something to an engine and has an entry in the load/store unit. */
static void sm_engine_issued(ww_sm *sm, const ww_flight *f);
/* Of an access to shared memory: what lanes do to that of other CTAs goes there; the other lanes.
 */
static uint32_t sm_remote_access(ww_sm *sm, ww_mem_inst *m, uint64_t now);
/* Issues a warp's head and hands over what is an engine's. */
WW_NODISCARD static ww_status sm_issue_engines(ww_sm *sm, uint32_t w, uint64_t now, ww_error *err);

/* ---- cta.c, barrier.c ---- */
/* Wakes warps that the executor has released. */
static void sm_barrier_released(ww_sm *sm, ww_cta_slot *slot);
static void sm_start_warp(ww_sm *sm, uint32_t w, uint32_t slot_index, ww_warp *warp);
/* The warp has finished; `unused` decoded instructions are left in its buffer. */
static void sm_warp_exited(ww_sm *sm, uint32_t w, uint32_t unused);
/* Frees the CTA when its warps have finished and nothing of it is in flight. */
static void sm_cta_check(ww_sm *sm, ww_cta_slot *slot, uint64_t now);

#endif
