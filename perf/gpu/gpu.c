/* gpu.c - the chip: construction, and the loop over windows of core cycles (docs/decisions/0004).
 */
#include "perf/gpu/gpu.h"

#include <string.h>

#include "base/arith.h"
#include "base/mem.h"
#include "mech/mechanisms.h"
#include "perf/gpu/share.h"

/* Without an issue, a reply or a completion for this long the machine is stuck; the longest
 * legitimate wait, a DRAM access behind full queues, is two orders of magnitude shorter. */
enum { PATIENCE = 100000, PROGRESS_CYCLES = 1 << 12 };

enum { REPORT = 2560 }; /* of what warps wait for; with its first line it fits ww_error.what */

static ww_status create_sms(ww_gpu *gpu, ww_error *err)
{
    for (uint32_t i = 0; i < gpu->arch->sm.count; i++) {
        WW_TRY(ww_sm_create(gpu->arch, i, ww_ports_of(gpu->ports, i),
                            &gpu->counters.block[WW_SCOPE_SM][i], &gpu->sm_room, &gpu->sm[i], err));
        gpu->pulse[i] = ww_sm_pulse_of(gpu->sm[i]);
        ww_sm_allow_sleep(gpu->sm[i], gpu->may_skip);
        ww_sm_set_timeline(gpu->sm[i], gpu->timeline);
        WW_TRY(ww_sm_set_profiling(gpu->sm[i], gpu->profiling, err));
        WW_TRY(ww_sm_set_values(gpu->sm[i], gpu->values, err));
        for (uint32_t m = 0; m < gpu->mech_count; m++) {
            WW_TRY(ww_sm_attach(gpu->sm[i], gpu->mech[m], err));
        }
    }
    return WW_OK;
}

static void destroy_machine(ww_gpu *gpu)
{
    for (uint32_t i = 0; gpu->sm != NULL && i < gpu->arch->sm.count; i++) {
        ww_sm_destroy(gpu->sm[i]);
        gpu->sm[i] = NULL;
    }
    ww_arena_fini(&gpu->sm_room);
    ww_ports_destroy(gpu->ports);
    ww_memsys_destroy(gpu->memory);
    gpu->ports = NULL;
    gpu->memory = NULL;
}

/* Memory system and SMs as after power-on. */
static ww_status create_machine(ww_gpu *gpu, ww_error *err)
{
    gpu->cycle = 0;
    gpu->core_hz = gpu->arch->clock.core_hz;
    WW_TRY(ww_memsys_create(gpu->arch, &gpu->counters, &gpu->memory, err));
    gpu->window = ww_ports_window(gpu->memory, &gpu->behind);
    WW_TRY(ww_ports_create(gpu->arch, gpu->memory, gpu->behind, &gpu->ports, err));
    if (gpu->values) {
        WW_TRY(ww_memsys_count_values(gpu->memory, gpu->arch, gpu->data, err));
    }
    WW_TRY(ww_memsys_charge(gpu->memory, gpu->charges.owners > 0 ? &gpu->charges : NULL, err));
    return create_sms(gpu, err);
}

/* Requests of a launch that did not run to its end must not reach the next one. */
static ww_status reset(ww_gpu *gpu, ww_error *err)
{
    destroy_machine(gpu);
    return create_machine(gpu, err);
}

static ww_status init(ww_gpu *gpu, ww_error *err)
{
    const ww_arch *arch = gpu->arch;
    gpu->sm = WW_NEW_ARRAY(ww_sm *, arch->sm.count);
    gpu->pulse = WW_NEW_ARRAY(const ww_sm_pulse *, arch->sm.count);
    gpu->work = WW_NEW_ARRAY(ww_sm_work, arch->sm.count);
    gpu->work_err = WW_NEW_ARRAY(ww_error, arch->sm.count);
    gpu->orders = WW_NEW_ARRAY(ww_sm_order, (size_t)arch->sm.count * WW_LONGEST_WINDOW);
    gpu->effects = WW_NEW_ARRAY(ww_pending *, arch->sm.count);
    gpu->due = WW_NEW_ARRAY(uint32_t, arch->sm.count);
    gpu->grid_of = WW_NEW_ARRAY(uint32_t, arch->sm.count);
    if (gpu->sm == NULL || gpu->pulse == NULL || gpu->work == NULL || gpu->work_err == NULL ||
        gpu->orders == NULL || gpu->effects == NULL || gpu->due == NULL || gpu->grid_of == NULL) {
        return ww_no_memory_for(err, "the chip");
    }
    for (uint32_t i = 0; i < arch->sm.count; i++) {
        gpu->work[i].err = &gpu->work_err[i];
        gpu->work[i].order = &gpu->orders[(size_t)i * WW_LONGEST_WINDOW];
    }
    for (int id = 0; id < WW_MECH_COUNT; id++) {
        if ((arch->mechs >> id & 1) != 0) {
            WW_ASSERT(gpu->mech_count < WW_MECH_MOST);
            gpu->mech[gpu->mech_count++] = ww_mech_of((ww_mech_id)id);
        }
    }
    WW_TRY(ww_counter_set_init(&gpu->counters, arch->sm.count, ww_arch_slices(arch),
                               arch->mem.channels, err));
    return create_machine(gpu, err);
}

ww_status ww_gpu_create(const ww_arch *arch, ww_gpu **out, ww_error *err)
{
    ww_gpu *gpu = WW_NEW(ww_gpu);
    if (gpu == NULL) {
        return ww_no_memory_for(err, "the chip");
    }
    gpu->arch = arch;
    gpu->may_skip = true;
    gpu->cta_stop = UINT64_MAX;
    ww_status st = init(gpu, err);
    if (st != WW_OK) {
        ww_gpu_destroy(gpu);
        return st;
    }
    *out = gpu;
    return WW_OK;
}

void ww_gpu_destroy(ww_gpu *gpu)
{
    if (gpu == NULL) {
        return;
    }
    ww_gpu_end_threads(gpu);
    destroy_machine(gpu);
    ww_snapshots_clear(&gpu->snapshots);
    ww_counter_set_fini(&gpu->counters);
    ww_free(gpu->charges.v);
    ww_free(gpu->sm);
    ww_free(gpu->pulse);
    ww_free(gpu->work);
    ww_free(gpu->work_err);
    ww_free(gpu->orders);
    ww_free(gpu->effects);
    ww_free(gpu->due);
    ww_free(gpu->grid_of);
    ww_grids_clear(gpu);
    ww_clusters_free(gpu);
    ww_free(gpu);
}

void ww_gpu_allow_skip(ww_gpu *gpu, bool allow)
{
    gpu->may_skip = allow;
    for (uint32_t i = 0; i < gpu->arch->sm.count; i++) {
        ww_sm_allow_sleep(gpu->sm[i], allow);
    }
}

ww_status ww_gpu_attach(ww_gpu *gpu, const ww_mech *mech, ww_error *err)
{
    for (uint32_t i = 0; i < gpu->arch->sm.count; i++) {
        WW_TRY(ww_sm_attach(gpu->sm[i], mech, err));
    }
    WW_ASSERT(gpu->mech_count < WW_MECH_MOST);
    gpu->mech[gpu->mech_count++] = mech;
    return WW_OK;
}

ww_status ww_gpu_set_profiling(ww_gpu *gpu, bool on, ww_error *err)
{
    gpu->profiling = on;
    for (uint32_t i = 0; i < gpu->arch->sm.count; i++) {
        WW_TRY(ww_sm_set_profiling(gpu->sm[i], on, err));
    }
    return WW_OK;
}

ww_status ww_gpu_count_values(ww_gpu *gpu, ww_data data, ww_error *err)
{
    gpu->values = true;
    gpu->data = data;
    WW_TRY(ww_memsys_count_values(gpu->memory, gpu->arch, data, err));
    for (uint32_t i = 0; i < gpu->arch->sm.count; i++) {
        WW_TRY(ww_sm_set_values(gpu->sm[i], true, err));
    }
    return WW_OK;
}

ww_status ww_gpu_charge(ww_gpu *gpu, uint32_t owners, ww_error *err)
{
    ww_charges *c = &gpu->charges;
    if (owners > c->owners) {
        uint64_t *v = WW_NEW_ARRAY(uint64_t, (size_t)owners * WW_MEMORY_CHARGES);
        if (v == NULL) {
            return ww_no_memory_for(err, "charges of requests");
        }
        ww_free(c->v);
        c->v = v;
        c->owners = owners;
        return ww_memsys_charge(gpu->memory, c, err);
    }
    memset(c->v, 0, (size_t)c->owners * WW_MEMORY_CHARGES * sizeof *c->v);
    return WW_OK;
}

void ww_gpu_set_timeline(ww_gpu *gpu, ww_timeline *timeline)
{
    gpu->timeline = timeline;
    for (uint32_t i = 0; i < gpu->arch->sm.count; i++) {
        ww_sm_set_timeline(gpu->sm[i], timeline);
    }
}

static ww_status stuck(const ww_gpu *gpu, uint64_t now, const char *why, ww_error *err)
{
    const ww_launch *launch = ww_grids_current(gpu)->launch;
    ww_waits waits = {0};
    for (uint32_t i = 0; i < gpu->arch->sm.count; i++) {
        ww_sm_explain(gpu->sm[i], &waits);
    }
    char list[REPORT], memory[64] = "";
    if (!ww_memsys_idle(gpu->memory)) {
        ww_memsys_explain(gpu->memory, memory, sizeof memory);
        memory[strcspn(memory, "\n")] = '\0'; /* its first line: how many requests */
    }
    return ww_fail_at(
        err, WW_EDEADLOCK, launch->kernel->file, 0, 0,
        "kernel %s: %s at cycle %llu (live warps %u, live CTAs %u, CTAs not started %llu%s%s). "
        "What the warps wait for:%s",
        launch->kernel->name, why, (unsigned long long)(now - gpu->start), waits.warps, waits.ctas,
        (unsigned long long)ww_grids_left(gpu), memory[0] != '\0' ? ", " : "", memory,
        ww_waits_format(&waits, list, sizeof list));
}

static uint64_t sum_progress(const ww_gpu *gpu)
{
    uint64_t sum = ww_grids_placed(gpu);
    for (uint32_t i = 0; i < gpu->arch->sm.count; i++) {
        sum += gpu->pulse[i]->progress;
    }
    return sum;
}

typedef struct watch {
    uint64_t check, progress; /* deadlock: next look, state at the last one */
    uint64_t report;          /* next progress call */
    ww_share share;
} watch;

static void report(const ww_gpu *gpu, const ww_gpu_run_options *options, watch *w, uint64_t now)
{
    uint64_t placed = ww_grids_placed(gpu), all = placed + ww_grids_left(gpu), live = 0;
    uint64_t issued = ww_counter_total(&gpu->counters, WW_C_INST_ISSUED);
    for (uint32_t i = 0; i < gpu->arch->sm.count; i++) {
        live += gpu->pulse[i]->ctas + gpu->work[i].orders;
    }
    uint64_t ended = placed > live ? placed - live : 0;
    options->on_progress(options->user, now - gpu->start, issued,
                         ww_share_done(&w->share, all, ended, live, issued));
}

static ww_status look_after(ww_gpu *gpu, const ww_gpu_run_options *options, watch *w, uint64_t now,
                            ww_error *err)
{
    if (now >= w->check) {
        uint64_t progress = sum_progress(gpu);
        if (progress == w->progress) {
            return stuck(gpu, now, "no progress", err);
        }
        w->progress = progress;
        w->check = now + PATIENCE;
    }
    if (options->stop != NULL && *options->stop != 0) {
        return ww_fail(err, WW_EINTERRUPTED, "interrupted");
    }
    if (options->on_progress != NULL && now >= w->report) {
        w->report = now + PROGRESS_CYCLES;
        report(gpu, options, w, now);
    }
    return WW_OK;
}

/* The first error of the stretch just run: by cycle, then by SM. */
static ww_status first_error(const ww_gpu *gpu, ww_error *err)
{
    const ww_sm_work *first = NULL;
    for (uint32_t k = 0; k < gpu->due_count; k++) {
        const ww_sm_work *work = &gpu->work[gpu->due[k]];
        if (work->status != WW_OK && (first == NULL || work->stopped < first->stopped)) {
            first = work;
        }
    }
    if (first == NULL) {
        return WW_OK;
    }
    if (err != NULL) {
        *err = *first->err;
    }
    return first->status;
}

/* Runs the SMs through [from, until), and the memory system as far as it is behind. */
static ww_status run_stretch(ww_gpu *gpu, uint64_t from, uint64_t until, uint64_t edge,
                             ww_error *err)
{
    gpu->from = from;
    gpu->until = until;
    gpu->at_edge = from == edge;
    gpu->memory_until = gpu->behind ? edge : 0;
    gpu->memory_edge = true;
    gpu->due_count = 0;
    uint64_t progress = 0;
    for (uint32_t i = 0; i < gpu->arch->sm.count; i++) {
        ww_sm_work *work = &gpu->work[i];
        work->status = WW_OK;
        progress += gpu->pulse[i]->progress;
        work->due = work->orders > 0 || ww_sm_next(gpu->sm[i], from) < until;
        if (work->due) {
            WW_ASSERT(gpu->due_count < gpu->arch->sm.count);
            gpu->due[gpu->due_count++] = i;
        }
    }
    gpu->events = progress - gpu->progress;
    gpu->progress = progress;
    ww_gpu_run_parts(gpu);
    WW_TRY(first_error(gpu, err));
    ww_gpu_count_clusters(gpu, until - from);
    return WW_OK;
}

/* Whether nobody but the SMs due in the last stretch can have stored anything since the last edge:
 * it was the whole window, and nothing acts on SMs at edges. */
static bool only_due_acted(const ww_gpu *gpu, bool whole)
{
    return whole && gpu->edges == NULL && gpu->cta_clusters == 0;
}

/* What a window's edge relies on where it asks only those that were due. */
WW_MAYBE_UNUSED static bool others_are_quiet(const ww_gpu *gpu)
{
    for (uint32_t i = 0; i < gpu->arch->sm.count; i++) {
        if (!gpu->work[i].due && (!ww_pending_empty(ww_sm_pending(gpu->sm[i])) ||
                                  ww_ports_of(gpu->ports, i)->out_count > 0)) {
            return false;
        }
    }
    return true;
}

/* What happens at the edge of a window, when nothing is being simulated. whole: the last stretch
 * was all of it. */
static ww_status meet(ww_gpu *gpu, uint64_t edge, bool whole, ww_error *err)
{
    const bool all = !only_due_acted(gpu, whole);
    const uint32_t acted = all ? gpu->arch->sm.count : gpu->due_count;
    WW_ASSERT(all || others_are_quiet(gpu));
    uint32_t n = 0;
    for (uint32_t k = 0; k < acted; k++) {
        ww_pending *effects = ww_sm_pending(gpu->sm[all ? k : gpu->due[k]]);
        if (!ww_pending_empty(effects)) {
            gpu->effects[n++] = effects;
        }
    }
    if (n > 0) {
        WW_TRY(ww_pending_commit(gpu->effects, n, err));
    }
    if (gpu->cta_clusters > 0) {
        WW_TRY(ww_clusters_meet(gpu, edge, err));
    }
    if (all) {
        ww_ports_collect(gpu->ports);
    } else {
        ww_ports_collect_from(gpu->ports, gpu->due, gpu->due_count);
    }
    if (!gpu->behind) {
        ww_ports_run(gpu->ports, edge, true);
    }
    ww_ports_grant_credits(gpu->ports);
    ww_ports_deliver(gpu->ports);
    return WW_OK;
}

/* Brings everything to cycle `now`, where a snapshot is due or the launch must have finished, and
 * takes the snapshot. Where windows end does not depend on it. */
static ww_status pause_at(ww_gpu *gpu, uint64_t now, bool edge, uint64_t *last, bool *finished,
                          ww_error *err)
{
    ww_ports_collect(gpu->ports);
    ww_ports_run(gpu->ports, now, edge);
    ww_ports_deliver(gpu->ports);
    *finished = ww_gpu_finished(gpu, last);
    if (*finished || now == gpu->limit) {
        return WW_OK;
    }
    ww_gpu_account(gpu, now);
    return ww_gpu_snapshot(gpu, now, err);
}

static uint64_t next_pause(const ww_gpu *gpu)
{
    return gpu->snapshots.next < gpu->limit ? gpu->snapshots.next : gpu->limit;
}

/* One window from `edge` on, or what the limit leaves of it; *last when the launch has finished:
 * its last cycle. */
static ww_status run_window(ww_gpu *gpu, uint64_t edge, uint64_t *last, bool *finished,
                            ww_error *err)
{
    uint64_t end = edge + gpu->window;
    uint64_t now = edge;
    *finished = false;
    while (next_pause(gpu) < end) {
        uint64_t stop = next_pause(gpu);
        if (stop > now) {
            WW_TRY(run_stretch(gpu, now, stop, edge, err));
        }
        WW_TRY(pause_at(gpu, stop, false, last, finished, err));
        if (*finished || stop == gpu->limit) {
            return WW_OK;
        }
        now = stop;
    }
    WW_TRY(run_stretch(gpu, now, end, edge, err));
    WW_TRY(meet(gpu, end, now == edge, err));
    *finished = ww_gpu_finished(gpu, last);
    if (!*finished && next_pause(gpu) == end) {
        return pause_at(gpu, end, true, last, finished, err);
    }
    return WW_OK;
}

static ww_status dispatch(ww_gpu *gpu, uint64_t edge, ww_error *err)
{
    if (gpu->grids > 1) {
        WW_TRY(ww_grids_advance(gpu, edge, err));
    } else if (gpu->grid->next_cta == gpu->cta_stop) {
        WW_TRY(gpu->edges->reached(gpu->edges->user, gpu, edge, err));
    }
    return ww_gpu_dispatch(gpu, edge, err);
}

/* Passes over windows in which nothing can happen; none of them goes past the limit. */
static ww_status pass_idle(ww_gpu *gpu, uint64_t *now, ww_error *err)
{
    uint64_t idle = ww_gpu_idle_cycles(gpu, *now);
    if (idle == UINT64_MAX) {
        return stuck(gpu, *now, "nothing can happen any more", err);
    }
    uint64_t most = (gpu->limit - *now) / gpu->window * gpu->window;
    idle = ww_min_u64(idle, most);
    if (idle > 0) {
        ww_gpu_count_idle(gpu, idle);
        *now += idle;
        WW_TRY(dispatch(gpu, *now, err));
    }
    return WW_OK;
}

/* Ends a launch at the edge of a window; what is under way is dropped. */
static void cut_at(ww_gpu *gpu, uint64_t edge)
{
    ww_ports_collect(gpu->ports);
    ww_ports_run(gpu->ports, edge, true);
    ww_ports_deliver(gpu->ports);
    gpu->counters.block[WW_SCOPE_CHIP][0].v[WW_C_LAUNCHES_CUT] = 1;
    gpu->cycle = edge;
    gpu->cut = true;
}

/* What has been executed without time may have been the last of the launch. */
static ww_status ask_at(ww_gpu *gpu, uint64_t edge, uint64_t *last, bool *finished, ww_error *err)
{
    if (gpu->edges != NULL) {
        WW_TRY(gpu->edges->edge(gpu->edges->user, gpu, edge, err));
        *finished = ww_gpu_finished(gpu, last);
    }
    return WW_OK;
}

static ww_status run_windows(ww_gpu *gpu, const ww_gpu_run_options *options, ww_error *err)
{
    uint64_t now = gpu->start;
    watch w = {.check = now + gpu->arch->sm.kernel_launch_cycles + PATIENCE,
               .progress = UINT64_MAX,
               .report = now + PROGRESS_CYCLES};
    ww_ports_restart(gpu->ports, now);
    for (;;) {
        uint64_t last;
        bool finished = false;
        WW_TRY(ask_at(gpu, now, &last, &finished, err));
        if (!finished) {
            WW_TRY(dispatch(gpu, now, err));
            WW_TRY(pass_idle(gpu, &now, err));
        }
        if (!finished && now < gpu->limit) {
            WW_TRY(run_window(gpu, now, &last, &finished, err));
        }
        if (finished) {
            gpu->cycle = last + 1;
            ww_ports_restart(gpu->ports, gpu->cycle);
            return WW_OK;
        }
        now += gpu->window;
        if (options->max_instructions > 0 &&
            ww_counter_total(&gpu->counters, WW_C_INST_PROGRAM) >= options->max_instructions) {
            cut_at(gpu, now);
            return WW_OK;
        }
        if (now >= gpu->limit) {
            return stuck(gpu, gpu->limit, "takes longer than the cycles allowed", err);
        }
        WW_TRY(look_after(gpu, options, &w, now, err));
    }
}

static ww_status begin(ww_gpu *gpu, const ww_grid *grids, uint32_t n,
                       const ww_gpu_run_options *options, ww_error *err)
{
    ww_memsys_kernel_boundary(gpu->memory);
    ww_counter_set_clear(&gpu->counters);
    gpu->counters.block[WW_SCOPE_CHIP][0].v[WW_C_LAUNCHES] = n;
    gpu->start = gpu->cycle;
    gpu->cut = false;
    gpu->governor = options->interval_cycles > 0 ? options->governor : NULL;
    gpu->limit = options->max_cycles > 0 ? gpu->start + options->max_cycles : UINT64_MAX;
    gpu->next_sm = gpu->arch->peer.keep_turn ? gpu->next_sm : 0;
    for (uint32_t i = 0; i < gpu->arch->sm.count; i++) {
        gpu->work[i].orders = 0;
    }
    ww_clusters_forget(gpu);
    WW_TRY(ww_grids_begin(gpu, grids, n, err));
    gpu->cta_stop = UINT64_MAX;
    gpu->resting = false;
    gpu->edges = n == 1 ? options->edges : NULL;
    if (gpu->edges != NULL) {
        WW_TRY(gpu->edges->begin(gpu->edges->user, gpu, err));
    }
    return ww_snapshots_begin(&gpu->snapshots, gpu, options, err);
}

ww_status ww_gpu_run_grids(ww_gpu *gpu, const ww_grid *grids, uint32_t n,
                           const ww_gpu_run_options *options, ww_error *err)
{
    ww_status st = begin(gpu, grids, n, options, err);
    if (st == WW_OK) {
        st = run_windows(gpu, options, err);
    }
    if (st != WW_OK) {
        ww_status again = reset(gpu, NULL);
        return again == WW_OK ? st : again;
    }
    ww_gpu_account(gpu, gpu->cycle);
    if (gpu->snapshots.every > 0) {
        WW_TRY(ww_gpu_snapshot(gpu, gpu->cycle, err));
    }
    ww_grids_end(gpu);
    if (gpu->edges != NULL) {
        WW_TRY(gpu->edges->end(gpu->edges->user, gpu, err));
    }
    return gpu->cut ? reset(gpu, err) : WW_OK;
}

ww_status ww_gpu_run(ww_gpu *gpu, const ww_launch *launch, const ww_program *program,
                     uint32_t cta_limit, const ww_gpu_run_options *options, ww_error *err)
{
    const ww_grid grid = {.launch = launch, .program = program, .cta_limit = cta_limit};
    return ww_gpu_run_grids(gpu, &grid, 1, options, err);
}
