/* lifecycle.c - an SM's creation and release, and the boundaries of a launch. */
#include "base/arith.h"
#include "base/assert.h"
#include "perf/sm/async/port.h"
#include "perf/sm/core.h"
#include "perf/sm/hooks.h"
#include "perf/sm/profile.h"
#include "perf/sm/values.h"
#include "perf/sm/unified.h"

#include <string.h>

/* Longest time an event may lie ahead: any latency, or a fully conflicting shared-memory access
 * with an asynchronous copy's write behind it. */
static uint32_t sm_horizon(const ww_arch *arch)
{
    const ww_units_params *u = &arch->units;
    const uint32_t latency[] = {
        u->int_latency,        u->imul_latency,       u->fp32_latency,      u->fp64_latency,
        u->sfu_latency,        u->cvt_latency,        u->idiv_latency,      u->fdiv_latency,
        u->ddiv_latency,       u->tensor_latency,     u->logic_latency,     u->minmax_latency,
        u->imad_latency,       u->fma_latency,        u->adiv_latency,      u->root_latency,
        u->shuffle_latency,    u->dfma_latency,       u->dlogic_latency,    u->irem_latency,
        arch->l1d.hit_latency, arch->l1c.hit_latency, arch->l1t.hit_latency};
    uint32_t most = arch->ldst.shared_latency + 10 * WW_WARP_SIZE;
    for (size_t i = 0; i < WW_ARRAY_LEN(latency); i++) {
        most = ww_max_u32(most, latency[i]);
    }
    if (arch->ldst.folded == WW_FOLDED_OPERAND) { /* of a partition, before the arithmetic */
        most += arch->ldst.shared_latency + WW_WARP_SIZE;
    }
    most += u->sfu_queue * u->sfu_interval + arch->sm.collect_cycles + arch->sm.writeback_cycles;
    return most + 1;
}

static ww_status create_cache(const ww_cache_params *params, ww_arena *room, ww_cache **out,
                              ww_error *err)
{
    return params->bytes == 0 ? WW_OK : ww_cache_create(params, room, out, err);
}

static bool create_front(ww_fetch_stage *fetch, const ww_arch *a, ww_arena *room)
{
    const uint32_t fetched = ww_power_of_two(a->sm.fetch_warps * (a->l1i.hit_latency + 2));
    fetch->mask = fetched - 1;
    fetch->ring = WW_ARENA_NEW_ARRAY(room, ww_fetched, fetched);
    fetch->l1i_line = UINT64_MAX;
    fetch->most =
        a->sm.ibuffer_entries - ww_min_u32(a->sm.ibuffer_entries, a->sm.fetch_instructions);
    return fetch->ring != NULL;
}

static bool create_ldst(ww_ldst_stage *ldst, ww_l1d_stage *l1d, const ww_arch *a, ww_arena *room)
{
    const uint32_t queue = ww_power_of_two(a->ldst.queue_entries);
    ldst->mask = queue - 1;
    ldst->capacity = a->ldst.queue_entries + a->regfile.collectors;
    ldst->at = WW_ARENA_NEW_ARRAY(room, ww_mem_inst, ldst->capacity);
    ldst->queue = WW_ARENA_NEW_ARRAY(room, uint32_t, queue);
    l1d->mask = ww_power_of_two(a->l1d.hit_latency) - 1;
    l1d->ring = WW_ARENA_NEW_ARRAY(room, ww_line_access, l1d->mask + 1);
    return ldst->at != NULL && ldst->queue != NULL && l1d->ring != NULL;
}

static bool create_out(ww_out_stage *out, const ww_arch *a, ww_arena *room)
{
    const uint32_t requests =
        ww_power_of_two(a->l1d.miss_queue + a->l1d.mshr_entries + a->l1i.mshr_entries +
                        a->l1c.mshr_entries + a->l1t.mshr_entries + 64);
    out->mask = requests - 1;
    out->ring = WW_ARENA_NEW_ARRAY(room, ww_mem_req, requests);
    return out->ring != NULL;
}

static ww_status create_stages(ww_sm *sm, ww_arena *room, ww_error *err)
{
    const ww_arch *a = sm->arch;
    if (!create_front(&sm->fetch, a, room) || !create_ldst(&sm->ldst, &sm->l1d, a, room) ||
        !create_out(&sm->out, a, room)) {
        return ww_no_memory_for(err, "SM %u", sm->id);
    }
    WW_TRY(ww_pending_create(&sm->effects, err));
    WW_TRY(ww_wheel_init(&sm->flights.wheel, sm_horizon(a), err));
    if (a->peer.result_slots > 0) {
        sm->units.results = WW_ARENA_NEW_ARRAY(room, ww_results, sm->flights.wheel.mask + 1);
        if (sm->units.results == NULL) {
            return ww_no_memory_for(err, "results of SM %u", sm->id);
        }
    }
    WW_TRY(create_cache(&a->l1i, room, &sm->fetch.l1i, err));
    const ww_cache_params l1d = ww_unified_l1d(a);
    WW_TRY(create_cache(&l1d, room, &sm->l1d.cache, err));
    WW_TRY(create_cache(&a->l1c, room, &sm->constants.cache, err));
    return create_cache(&a->l1t, room, &sm->ldst.l1t, err);
}

static void lay_banks(ww_regfile_stage *regfile, uint32_t banks)
{
    regfile->bank_count = banks;
    regfile->bank_mask = banks >= 64 ? ~0ull : (1ull << banks) - 1;
    for (uint32_t w = 0; w < WW_SM_WARPS; w++) {
        regfile->bank_shift[w] = (uint8_t)(w % banks);
    }
}

static void count_pipes(ww_unit_stage *units, const ww_units_params *u)
{
    units->count[WW_UNIT_SP] = u->sp_count;
    units->count[WW_PIPE_INT] = u->int_count;
    units->count[WW_PIPE_IMUL] = ww__multiplies_apart(u) ? u->sp_count : 0;
    units->count[WW_UNIT_DP] = u->dp_count;
    units->count[WW_UNIT_SFU] = u->sfu_count;
    units->count[WW_UNIT_LDST] = u->ldst_count;
    units->count[WW_UNIT_TENSOR] = u->tensor_count;
}

/* Where a line of the host's caches begins: what every window asks for is in the first. */
static ww_sm *sm_in(ww_arena *room)
{
    enum { HOST_LINE = 64 };
    unsigned char *at = ww_arena_alloc(room, 1, sizeof(ww_sm) + HOST_LINE);
    if (at == NULL) {
        return NULL;
    }
    void *line = at + (HOST_LINE - (uintptr_t)at % HOST_LINE) % HOST_LINE;
    return line;
}

static ww_status sm_create(const ww_sm_ops *ops, const ww_arch *arch, uint32_t id, ww_port *port,
                           ww_counter_block *counters, ww_arena *room, ww_sm **out, ww_error *err)
{
    if (arch->sm.max_warps > WW_SM_WARPS) {
        return ww_fail(err, WW_EUNSUP,
                       "sm.max_warps is %u: the timing model holds at most %d warps",
                       arch->sm.max_warps, WW_SM_WARPS);
    }
    ww_sm *sm = sm_in(room);
    if (sm == NULL) {
        return ww_no_memory_for(err, "SM %u", id);
    }
    sm->head.ops = ops;
    sm->head.run = sm_run;
    sm->arch = arch;
    sm->id = id;
    sm->issue.schedulers = arch->sm.schedulers;
    sm->port = port;
    sm->counters = counters;
    sm->core = core_ops_of(arch->sm.core);
    sm->issue.policy = sched_policy_of(arch->sm.scheduler);
    sm->time.per_cycle = 1e9 / arch->clock.core_hz;
    sm->sleep.allowed = true;
    lay_banks(&sm->regfile, arch->regfile.banks);
    count_pipes(&sm->units, &arch->units);
    partition_divide(sm);
    ww_status st = create_stages(sm, room, err);
    if (st != WW_OK) {
        sm_destroy(sm);
        return st;
    }
    sm_end(sm);
    *out = sm;
    return WW_OK;
}

static void sm_destroy(ww_sm *sm)
{
    if (sm == NULL) {
        return;
    }
    sm_end(sm);
    sm_detach_all(sm);
    ww_free(sm->profile);
    values_destroy(sm);
    ww_pending_destroy(sm->effects);
    ww_wheel_fini(&sm->flights.wheel);
    ww_cache_destroy(sm->fetch.l1i);
    ww_cache_destroy(sm->l1d.cache);
    ww_cache_destroy(sm->constants.cache);
    ww_cache_destroy(sm->ldst.l1t);
    ww_free(sm->flights.room);
    ww_free(sm->ldst.own);
    sm_async_destroy(sm->async_room);
}

/* ---- stages between launches ---- */

static void clear_warps(ww_warp_stage *warps)
{
    warps->taken = warps->live = warps->at_barrier = warps->at_fence = warps->held = WW_NO_SLOTS;
    memset(warps->mem_flights, 0, sizeof warps->mem_flights);
}

/* An SM that has had no CTA keeps the pages of slots and groups untouched. */
static void clear_ctas(ww_sm *sm)
{
    for (uint64_t left = sm->ctas.touched; left != 0; left &= left - 1) {
        ww_cta_slot *slot = &sm->cta[__builtin_ctzll(left)];
        ww_cta_fini(&slot->cta);
        memset(slot, 0, sizeof *slot);
    }
    if (sm->ctas.touched != 0) {
        memset(&sm->groups, 0, sizeof sm->groups);
    }
    sm->ctas.touched = 0;
}

static void clear_front(ww_fetch_stage *fetch, ww_ibuf_stage *ibuf, ww_constant_stage *constants)
{
    fetch->fetching = fetch->fetchable = WW_NO_SLOTS;
    fetch->count = fetch->first = 0;
    memset(fetch->next, 0, sizeof fetch->next);
    ibuf->decoded = ibuf->astray = WW_NO_SLOTS;
    memset(ibuf->head, 0, sizeof ibuf->head);
    constants->wait = constants->retry = WW_NO_SLOTS;
    constants->filled = false;
    memset(constants->misses, 0, sizeof constants->misses);
}

static void clear_board(ww_board_stage *board)
{
    board->ready = board->raw_short = board->raw_long = WW_NO_SLOTS;
    ww_free(board->awaited);
    board->awaited = NULL;
}

static void clear_issue(ww_issue_stage *issue, const ww_sm_params *p)
{
    issue->policy = sched_policy_of(p->scheduler);
    for (uint32_t s = 0; s < issue->schedulers; s++) {
        ww_slots mine = WW_NO_SLOTS;
        for (uint32_t w = s; w < p->max_warps; w += issue->schedulers) {
            mine |= ww_slot(w);
        }
        sched_init(&issue->sched[s], mine, p->two_level_active, p->two_level_promotion);
    }
}

static void clear_collectors(ww_collect_stage *oc, const ww_regfile_params *p)
{
    oc->capacity = p->collectors;
    share_collectors(oc, p);
    oc->count = oc->end = 0;
    oc->used = oc->reading = oc->refilling = oc->complete = 0;
    memset(oc->in_unit, 0, sizeof oc->in_unit);
    memset(oc->refilled, 0, sizeof oc->refilled);
    ww_free(oc->need);
    oc->need = NULL;
}

static void clear_units(ww_unit_stage *units, ww_partition_stage *partition)
{
    memset(units->free, 0, sizeof units->free);
    memset(partition->dispatch_free, 0, sizeof partition->dispatch_free);
    memset(partition->dispatch_from, 0, sizeof partition->dispatch_from);
    memset(partition->port_free, 0, sizeof partition->port_free);
}

static void clear_flights(ww_flight_stage *flights, ww_regfile_stage *regfile)
{
    flights->free = WW_NONE;
    for (uint32_t i = flights->capacity; i-- > 0;) {
        flights->at[i].next = flights->free;
        flights->free = i;
    }
    ww_wheel_clear(&flights->wheel);
    regfile->first = regfile->last = WW_NONE;
}

static void clear_ldst(ww_ldst_stage *ldst, ww_l1d_stage *l1d)
{
    ldst->fresh = 0;
    ldst->free = ldst->at != NULL && ldst->capacity > 0 ? 0 : WW_NONE;
    ldst->count = ldst->first = 0;
    ldst->busy_until = 0;
    ldst->blocked = ldst->streams = false;
    ldst->writes_first = ldst->writes_last = WW_NONE;
    ldst->until = l1d->until = 0;
    l1d->count = l1d->first = 0;
    l1d->blocked = false;
}

/* What mechanisms have asked for. */
static void clear_requests(ww_sm *sm)
{
    ww_mech_stage *mech = &sm->mech;
    mech->hooks &= ~WW_HOOK_EXTRA;
    mech->told = mech->lifted = mech->halved = WW_NO_SLOTS;
    mech->halves = false;
    memset(mech->owes, 0, sizeof mech->owes);
    memset(mech->passes, 0, sizeof mech->passes);
    sm->hold.fetch = sm->hold.blamed = sm->hold.issue = WW_NO_SLOTS;
    sm->extra.warps = sm->extra.driven = sm->extra.background = WW_NO_SLOTS;
    sm->skip.due = WW_NO_SLOTS;
    if (mech->hooks != 0) {
        memset(sm->skip.marks, 0, sizeof sm->skip.marks);
    }
    sm_forget_shadows(&sm->shadow);
}

static void clear_stages(ww_sm *sm)
{
    clear_ctas(sm);
    clear_warps(&sm->warps);
    clear_front(&sm->fetch, &sm->ibuf, &sm->constants);
    clear_board(&sm->board);
    clear_issue(&sm->issue, &sm->arch->sm);
    clear_collectors(&sm->oc, &sm->arch->regfile);
    clear_units(&sm->units, &sm->partition);
    if (sm->units.results != NULL) {
        memset(sm->units.results, 0, (sm->flights.wheel.mask + 1) * sizeof *sm->units.results);
    }
    clear_flights(&sm->flights, &sm->regfile);
    clear_ldst(&sm->ldst, &sm->l1d);
    clear_requests(sm);
    given_reset(&sm->given);
}

static void sm_end(ww_sm *sm)
{
    WW_VERIFY(sm->program != NULL ? sm_verify_lists(sm) : NULL);
    if (ww_hooked(sm, WW_HOOK_ANY) && sm->program != NULL) {
        hook_end(sm);
    }
    profile_end(sm);
    clear_stages(sm);
    sm->program = NULL;
    sm->async = NULL;
    sm->launch = NULL;
    sm->forward.resting = false;
    sm->pulse.ctas = sm->pulse.outgoing = sm->pulse.awaited = sm->pulse.willing = 0;
    sm->pulse.held = false;
    sm->pulse.wake = UINT64_MAX;
    if (sm->effects != NULL) {
        ww_pending_clear(sm->effects);
    }
}

static void empty_cache(ww_cache *cache)
{
    if (cache != NULL) {
        ww_cache_invalidate(cache);
    }
}

/* A unified store is divided anew for each kernel. */
static void empty_l1d(ww_sm *sm)
{
    const ww_arch *a = sm->arch;
    if (sm->l1d.cache == NULL || a->ldst.unified_bytes == 0) {
        empty_cache(sm->l1d.cache);
        return;
    }
    uint64_t unit = a->sm.shared_unit_bytes;
    uint64_t cta = (uint64_t)sm->program->kernel->shared_bytes + sm->launch->dynamic_shared;
    uint64_t wanted = (cta + unit - 1) / unit * unit * sm->ctas.limit;
    ww_cache_use_ways(sm->l1d.cache, ww_unified_ways(a, ww_carveout(&a->ldst, wanted)));
}

/* Where engines use the port of shared memory, results of loads from there may lie further ahead.
 */
static ww_status widen_wheel(ww_sm *sm, ww_error *err)
{
    const uint32_t wanted = sm_horizon(sm->arch) + WW_SMEM_AHEAD + 8 * WW_WARP_SIZE;
    ww_wheel *wheel = &sm->flights.wheel;
    if (wheel->mask >= wanted) {
        return WW_OK;
    }
    ww_wheel_fini(wheel);
    *wheel = (ww_wheel){0};
    return ww_wheel_init(wheel, wanted, err);
}

/* How the launch that begins runs: plain, or so but for the lines that it counts, where it has no
 * mechanism, pace of issue, count of most warps' reasons, bits that switch to be counted, nor
 * engines. */
static ww_sm_run_fn *run_of(const ww_sm *sm)
{
    const bool narrow = WW_SM_WARPS == 64;
    const bool lined = sm->profile != NULL;
    if (!narrow || ww_hooked(sm, WW_HOOK_ANY) || sm->values != NULL || sm->arch->sm.count_most ||
        sm->arch->sm.issue_interval != 1 || sm->async != NULL) {
        return sm_run;
    }
    if (sm->core == core_ops_of(WW_CORE_SHARED)) {
        return lined ? ww__sm_run_lined_pool : ww__sm_run_pool;
    }
    if (sm->core == core_ops_of(WW_CORE_PARTITIONED)) {
        return lined ? ww__sm_run_lined_partition : ww__sm_run_partition;
    }
    return sm_run;
}

static ww_status sm_begin(ww_sm *sm, const ww_program *program, const ww_launch *launch,
                          uint32_t cta_limit, ww_error *err)
{
    sm_end(sm);
    if (sm->arch->sm.core == WW_CORE_LANES && sm->given.core == NULL) {
        return ww_fail(err, WW_EUNSUP, "sm.core: no mechanism has brought a core of lanes");
    }
    sm->board.stride = program->pending_words;
    sm->oc.need_stride = program->levels;
    if (ww_hooked(sm, WW_HOOK(operands))) { /* operands moved to one bank */
        sm->oc.need_stride = WW_MOST_READS;
    }
    sm->program = program;
    sm->launch = launch;
    sm->issue.env =
        (ww_exec_env){.launch = launch, .pending = sm->effects, .time = &sm->time, .lines = true};
    sm->ctas.limit = cta_limit;
    ww_sm_ask_all(sm);
    sm->ctas.next_launch = 0;
    sm->fetch.l1i_line = sm->constants.line = UINT64_MAX;
    memset(sm->fetch.ahead, 0, sizeof sm->fetch.ahead);
    if (sm->profile != NULL) {
        WW_TRY(profile_begin(sm, err));
    }
    if (sm->values != NULL) {
        values_begin(sm);
    }
    if (sm->fetch.l1i != NULL) {
        prefetch_program(sm);
    }
    empty_l1d(sm);
    if (!sm->arch->peer.keep_constants) {
        empty_cache(sm->constants.cache);
    }
    empty_cache(sm->ldst.l1t);
    sm->l1d.used = sm->l1d.claimed = UINT64_MAX;
    WW_TRY(sm_async_begin(sm, err));
    if (sm->async != NULL) {
        WW_TRY(widen_wheel(sm, err));
    }
    sm->head.run = run_of(sm);
    return ww_hooked(sm, WW_HOOK_ANY) ? hook_begin(sm, err) : WW_OK;
}
