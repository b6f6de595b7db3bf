/* gpu.c - the chip: construction, and the loop over core cycles. */
#include "perf/gpu.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"

/* Without an issue, a reply or a completion for this long the machine is stuck; the longest
 * legitimate wait, a DRAM access behind full queues, is two orders of magnitude shorter. */
enum { PATIENCE = 100000, PROGRESS_CYCLES = 1 << 16 };

static ww_status create_sms(ww_gpu *gpu, ww_error *err)
{
    for (uint32_t i = 0; i < gpu->arch->sm.count; i++) {
        WW_TRY(ww_sm_create(gpu->arch, i, gpu->memory, &gpu->counters.block[WW_SCOPE_SM][i],
                            &gpu->sm[i], err));
        gpu->pulse[i] = ww_sm_pulse_of(gpu->sm[i]);
        ww_sm_allow_sleep(gpu->sm[i], gpu->may_skip);
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
    ww_memsys_destroy(gpu->memory);
    gpu->memory = NULL;
}

/* Memory system and SMs as after power-on. */
static ww_status create_machine(ww_gpu *gpu, ww_error *err)
{
    gpu->cycle = 0;
    gpu->active_clusters = 0;
    memset(gpu->active, 0, gpu->arch->sm.count * sizeof *gpu->active);
    memset(gpu->cluster_sms, 0, gpu->arch->sm.clusters * sizeof *gpu->cluster_sms);
    WW_TRY(ww_memsys_create(gpu->arch, &gpu->counters, &gpu->memory, err));
    return create_sms(gpu, err);
}

static ww_status init(ww_gpu *gpu, ww_error *err)
{
    const ww_arch *arch = gpu->arch;
    gpu->sm = WW_NEW_ARRAY(ww_sm *, arch->sm.count);
    gpu->pulse = WW_NEW_ARRAY(const ww_sm_pulse *, arch->sm.count);
    gpu->active = WW_NEW_ARRAY(bool, arch->sm.count);
    gpu->cluster_sms = WW_NEW_ARRAY(uint32_t, arch->sm.clusters);
    if (gpu->sm == NULL || gpu->pulse == NULL || gpu->active == NULL || gpu->cluster_sms == NULL) {
        return ww_fail(err, WW_ENOMEM, "Out of memory for the chip.");
    }
    WW_TRY(ww_counter_set_init(&gpu->counters, arch->sm.count, ww_arch_slices(arch),
                               arch->mem.channels, err));
    return create_machine(gpu, err);
}

ww_status ww_gpu_create(const ww_arch *arch, ww_gpu **out, ww_error *err)
{
    ww_gpu *gpu = WW_NEW(ww_gpu);
    if (gpu == NULL) {
        return ww_fail(err, WW_ENOMEM, "Out of memory for the chip.");
    }
    gpu->arch = arch;
    gpu->may_skip = true;
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
    destroy_machine(gpu);
    ww_snapshots_clear(&gpu->snapshots);
    ww_counter_set_fini(&gpu->counters);
    ww_free(gpu->sm);
    ww_free(gpu->pulse);
    ww_free(gpu->active);
    ww_free(gpu->cluster_sms);
    ww_free(gpu);
}

void ww_gpu_allow_skip(ww_gpu *gpu, bool allow)
{
    gpu->may_skip = allow;
    for (uint32_t i = 0; i < gpu->arch->sm.count; i++) {
        ww_sm_allow_sleep(gpu->sm[i], allow);
    }
}

static ww_status stuck(const ww_gpu *gpu, const ww_launch *launch, uint64_t now, const char *why,
                       ww_error *err)
{
    char list[880] = "";
    unsigned live = 0;
    for (uint32_t i = 0; i < gpu->arch->sm.count; i++) {
        size_t used = strlen(list);
        live += ww_sm_explain(gpu->sm[i], list + used, sizeof list - used);
    }
    unsigned shown = 0;
    for (const char *p = list; *p != '\0'; p++) {
        shown += *p == '\n';
    }
    char more[48] = "";
    if (live > shown) {
        snprintf(more, sizeof more, "\n  and %u more", live - shown);
    }
    return ww_fail(err, WW_EDEADLOCK, "kernel %s: %s at cycle %llu; %u warps live:%s%s",
                   launch->kernel->name, why, (unsigned long long)(now - gpu->start), live, list,
                   more);
}

static uint64_t sum_progress(const ww_gpu *gpu)
{
    uint64_t sum = gpu->next_cta;
    for (uint32_t i = 0; i < gpu->arch->sm.count; i++) {
        sum += gpu->pulse[i]->progress;
    }
    return sum;
}

/* All SMs in one core cycle. A sleeping SM is woken by its timer or a reply; its waiting requests
 * leave in any case. */
static ww_status run_sms(ww_gpu *gpu, uint64_t now, ww_error *err)
{
    for (uint32_t i = 0; i < gpu->arch->sm.count; i++) {
        const ww_sm_pulse *pulse = gpu->pulse[i];
        if (pulse->wake <= now || (pulse->awaited > 0 && ww_memsys_has_reply(gpu->memory, i))) {
            WW_TRY(ww_sm_tick(gpu->sm[i], now, err));
        } else if (pulse->outgoing > 0) {
            ww_sm_drain(gpu->sm[i], now);
        }
    }
    return WW_OK;
}

typedef struct watch {
    uint64_t check, progress; /* deadlock: next look, state at the last one */
    uint64_t report;          /* next progress call */
} watch;

static ww_status look_after(ww_gpu *gpu, const ww_launch *launch, const ww_gpu_run_options *options,
                            watch *w, uint64_t now, ww_error *err)
{
    if (options->max_cycles > 0 && now - gpu->start >= options->max_cycles) {
        return stuck(gpu, launch, now, "takes longer than the cycles allowed", err);
    }
    if (now >= w->check) {
        uint64_t progress = sum_progress(gpu);
        if (progress == w->progress) {
            return stuck(gpu, launch, now, "no progress", err);
        }
        w->progress = progress;
        w->check = now + PATIENCE;
    }
    if (options->on_progress != NULL && now >= w->report) {
        w->report = now + PROGRESS_CYCLES;
        options->on_progress(options->user, now - gpu->start,
                             ww_counter_total(&gpu->counters, WW_C_INST_ISSUED));
    }
    return WW_OK;
}

static ww_status run_cycles(ww_gpu *gpu, const ww_launch *launch, const ww_gpu_run_options *options,
                            ww_error *err)
{
    uint64_t *chip = gpu->counters.block[WW_SCOPE_CHIP][0].v;
    uint64_t now = gpu->start;
    watch w = {.check = now + gpu->arch->sm.kernel_launch_cycles + PATIENCE,
               .progress = UINT64_MAX,
               .report = now + PROGRESS_CYCLES};
    for (;;) {
        if (now == gpu->snapshots.next) {
            ww_gpu_account(gpu, now);
            WW_TRY(ww_snapshots_take(&gpu->snapshots, gpu, now, err));
        }
        chip[WW_C_CLUSTER_ACTIVE] += gpu->active_clusters;
        WW_TRY(run_sms(gpu, now, err));
        WW_TRY(ww_gpu_dispatch(gpu, now, err));
        ww_memsys_tick(gpu->memory, now);
        ww_gpu_note_active(gpu);
        if (ww_gpu_finished(gpu)) {
            gpu->cycle = now + 1;
            return WW_OK;
        }
        uint64_t next = ww_gpu_next_cycle(gpu, now);
        if (next == UINT64_MAX) {
            return stuck(gpu, launch, now, "nothing can happen any more", err);
        }
        if (next > now + 1) {
            ww_memsys_skip(gpu->memory, now, next);
            chip[WW_C_CLUSTER_ACTIVE] += (next - now - 1) * gpu->active_clusters;
        }
        now = next;
        WW_TRY(look_after(gpu, launch, options, &w, now, err));
    }
}

static ww_status begin(ww_gpu *gpu, const ww_launch *launch, const ww_program *program,
                       uint32_t cta_limit, uint64_t interval_cycles, ww_error *err)
{
    ww_memsys_kernel_boundary(gpu->memory);
    ww_counter_set_clear(&gpu->counters);
    gpu->counters.block[WW_SCOPE_CHIP][0].v[WW_C_LAUNCHES] = 1;
    gpu->start = gpu->cycle;
    gpu->ctas = (uint64_t)launch->grid.x * launch->grid.y * launch->grid.z;
    gpu->next_cta = 0;
    gpu->next_sm = 0;
    gpu->cta_limit = cta_limit;
    for (uint32_t i = 0; i < gpu->arch->sm.count; i++) {
        WW_TRY(ww_sm_begin(gpu->sm[i], program, launch, cta_limit, err));
    }
    return ww_snapshots_begin(&gpu->snapshots, gpu, interval_cycles, err);
}

ww_status ww_gpu_run(ww_gpu *gpu, const ww_launch *launch, const ww_program *program,
                     uint32_t cta_limit, const ww_gpu_run_options *options, ww_error *err)
{
    ww_status st = begin(gpu, launch, program, cta_limit, options->interval_cycles, err);
    if (st == WW_OK) {
        st = run_cycles(gpu, launch, options, err);
    }
    if (st != WW_OK) {
        destroy_machine(gpu); /* requests of the failed launch must not reach the next one */
        ww_status again = create_machine(gpu, NULL);
        return again == WW_OK ? st : again;
    }
    ww_gpu_account(gpu, gpu->cycle);
    if (gpu->snapshots.every > 0) {
        WW_TRY(ww_snapshots_take(&gpu->snapshots, gpu, gpu->cycle, err));
    }
    for (uint32_t i = 0; i < gpu->arch->sm.count; i++) {
        ww_sm_end(gpu->sm[i]);
    }
    return WW_OK;
}
