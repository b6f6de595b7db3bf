/* run.c - one run from end to end. */
#include "run/run.h"

#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/progress.h"
#include "run/launch_file.h"
#include "run/line_joules.h"

#define MOST_PTX_BYTES (256u << 20)

/* A run in progress: where finished launches go. */
typedef struct collector {
    const ww_run_request *request;
    ww_run *run;
    uint64_t interval_bytes;
    const char *label;     /* workload, or PTX file */
    const char *size;      /* of a workload's input; NULL without one */
    uint32_t launch_index; /* within the label */
    size_t item;           /* of the request */
    bool sampling;         /* if so: */
    bool cut;              /* the instruction budget ended it */
    bool missed;           /* a launch states a larger error than was aimed at */
    size_t first_launch;   /* of the run's, that this attempt has made */
    ww_govern govern;      /* of a device */
    size_t printed, again; /* bytes of output; those that were printed when it was missed */
} collector;

static bool misses(const collector *c, const ww_launch_record *record)
{
    double aim = c->request->sample_error > 0 ? c->request->sample_error : WW_SAMPLE_ERROR;
    return c->sampling && record->sampling.share > 0 &&
           (double)record->sampling.error.v[WW_C_CORE_CYCLES] >
               aim * (double)ww_counter_total(record->counters, WW_C_CORE_CYCLES);
}

static ww_status collect(void *user, const ww_launch_record *record, ww_error *err)
{
    collector *c = user;
    ww_run *run = c->run;
    if (misses(c, record)) {
        c->missed = true;
        return ww_fail(err, WW_ENUMERIC, "sampling missed the error that it aimed at");
    }
    ww_launch_record sized = *record;
    sized.size = c->size;
    WW_TRY(ww_launch_records_append(&run->launches, &run->launch_count, &c->interval_bytes, &sized,
                                    c->label, c->launch_index, err));
    c->launch_index++;
    run->warp_instructions += ww_counter_total(record->counters, WW_C_INST_ISSUED);
    return WW_OK;
}

static void progress(void *user, uint64_t cycles, uint64_t warp_instructions, double done)
{
    collector *c = user;
    (void)cycles;
    if (c->request->on_progress != NULL) {
        c->request->on_progress(c->request->user,
                                &(ww_run_progress){.label = c->label,
                                                   .item = c->item,
                                                   .items = c->request->item_count,
                                                   .launch = c->launch_index,
                                                   .done = done,
                                                   .warp_instructions = warp_instructions});
    }
}

static void print(void *user, const char *text, size_t n)
{
    collector *c = user;
    size_t old = c->again > c->printed ? c->again - c->printed : 0;
    c->printed += n;
    if (old < n) {
        c->request->on_print(c->request->user, text + old, n - old);
    }
}

static ww_status open_device(collector *c, ww_device **out, ww_error *err)
{
    const ww_run_request *request = c->request;
    if (request->governed) {
        WW_TRY(ww_govern_init(&c->govern, c->run->arch, c->run->model, &request->govern, err));
    }
    const ww_device_options options = {
        .isa = request->isa,
        .registers = request->registers,
        .registers_count = request->registers_count,
        .functional_only = request->functional_only,
        .interval_cycles = request->interval_cycles,
        .governor = request->governed ? &c->govern.governor : NULL,
        .max_cycles = request->max_cycles,
        .max_instructions = request->max_instructions,
        .shares = request->shares,
        .share_count = request->share_count,
        .threads = request->threads,
        .sample_ctas = request->sample_ctas && c->sampling,
        .sample_time = request->sample_time && c->sampling,
        .sample_kernels = request->sample_kernels && c->sampling,
        .sample_error = request->sample_error,
        .memcheck = request->memcheck,
        .profile = request->profile,
        .toggles = request->toggles,
        .timeline = request->timeline,
        .timeline_cta = request->timeline_cta,
        .stop = request->stop,
        .on_launch = collect,
        .on_progress = progress,
        .on_print = request->on_print != NULL ? print : NULL,
        .user = c,
    };
    return ww_device_create(c->run->arch, &options, out, err);
}

/* Before the device goes. */
static void report_findings(const ww_run_request *request, const ww_device *device)
{
    size_t count;
    uint64_t more;
    if (device == NULL) {
        return;
    }
    const ww_finding *finding = ww_device_findings(device, &count, &more);
    for (size_t i = 0; i < count; i++) {
        request->on_finding(request->user, finding[i].text, finding[i].count);
    }
    if (more > 0) {
        request->on_finding(request->user, NULL, more);
    }
}

/* What runs on a device of its own. */
typedef ww_status (*job_fn)(ww_device *device, const void *what, const ww_run_request *request,
                            ww_error *err);

static void forget(ww_error *err)
{
    if (err != NULL) {
        *err = (ww_error){0};
    }
}

/* What the device has counted by line, and what its launches cost besides. */
static ww_status take_lines(collector *c, const ww_device *device, ww_error *err)
{
    ww_run *run = c->run;
    if (run->model == NULL) {
        return ww_device_lines(device, c->label, NULL, &run->lines, err);
    }
    ww_line_prices *prices = WW_NEW(ww_line_prices);
    if (prices == NULL) {
        return ww_no_memory(err);
    }
    ww_line_prices_of(run->model, prices);
    ww_status status = ww_device_lines(device, c->label, prices, &run->lines, err);
    ww_free(prices);
    if (status == WW_OK) {
        status = ww_lines_add_idle(&run->lines, run->model, run->launches + c->first_launch,
                                   run->launch_count - c->first_launch, err);
    }
    return status;
}

static ww_status run_once(collector *c, job_fn job, const void *what, ww_error *err)
{
    ww_device *device = NULL;
    c->launch_index = 0;
    c->first_launch = c->run->launch_count;
    c->missed = c->cut = false;
    c->printed = 0;
    WW_TRY(open_device(c, &device, err));
    double start = ww_clock_s();
    ww_status status = job(device, what, c->request, err);
    c->run->host_seconds += ww_clock_s() - start;
    c->cut = status == WW_EBUDGET;
    if (c->cut) {
        status = WW_OK;
        forget(err);
    }
    if (!c->missed) {
        report_findings(c->request, device);
    }
    if (status == WW_OK && c->request->timeline) {
        const ww_timeline *t = ww_device_timeline(device);
        ww_timeline_rows(t, c->label, &c->run->timeline);
        c->run->timeline_dropped += t->dropped;
        status = ww_str_check(&c->run->timeline, err);
    }
    if (status == WW_OK && c->request->profile) {
        status = take_lines(c, device, err);
    }
    ww_device_destroy(device);
    return status;
}

static void drop_launches(ww_run *run, size_t from, uint64_t warp_instructions)
{
    while (run->launch_count > from) {
        ww_launch_record_fini(&run->launches[--run->launch_count]);
    }
    run->warp_instructions = warp_instructions;
}

/* When sampling turns out to miss its aim, everything again in full: CTAs that were not simulated
 * in time have changed memory all the same. */
static ww_status run_job(collector *c, job_fn job, const void *what, ww_error *err)
{
    ww_run *run = c->run;
    const size_t launches = run->launch_count;
    const uint64_t warp_instructions = run->warp_instructions;
    c->sampling = c->request->sample_ctas || c->request->sample_time || c->request->sample_kernels;
    c->again = 0;
    ww_status status = run_once(c, job, what, err);
    if (!c->missed) {
        return status;
    }
    drop_launches(run, launches, warp_instructions);
    c->sampling = false;
    c->again = c->printed;
    forget(err);
    return run_once(c, job, what, err);
}

static ww_status workload_job(ww_device *device, const void *what, const ww_run_request *request,
                              ww_error *err)
{
    (void)request;
    const ww_run_item *item = what;
    return item->workload->run(device, item->size, err);
}

static ww_status run_workload(collector *c, const ww_run_item *item, ww_error *err)
{
    c->label = item->workload->name;
    c->size = ww_workload_size_name(item->size);
    double before = c->run->host_seconds;
    ww_status status = run_job(c, workload_job, item, err);
    if (c->request->on_workload != NULL && status != WW_EINTERRUPTED) {
        ww_run_end end = status != WW_OK ? WW_RUN_FAILED : c->cut ? WW_RUN_CUT : WW_RUN_PASSED;
        c->request->on_workload(c->request->user, item->workload->name, end,
                                c->run->host_seconds - before);
    }
    if (status != WW_OK) {
        ww_error_prefix(err, "%s (%s): ", item->workload->name, ww_workload_size_name(item->size));
    }
    return status;
}

static ww_status plan_job(ww_device *device, const void *what, const ww_run_request *request,
                          ww_error *err)
{
    char *text = NULL;
    size_t length = 0;
    ww_module *module = NULL;
    WW_TRY(ww_read_file(request->ptx_path, MOST_PTX_BYTES, &text, &length, err));
    ww_status status = ww_device_load_ptx(device, request->ptx_path, text, length, &module, err);
    if (status == WW_OK) {
        status = ww_launch_plan_run(what, device, module, request->dump_dir, err);
    }
    ww_free(text);
    return status;
}

static ww_status run_ptx(collector *c, ww_error *err)
{
    ww_launch_plan *plan = NULL;
    c->label = ww_path_base(c->request->ptx_path);
    WW_TRY(ww_launch_plan_load(c->request->launch_path, &plan, err));
    ww_status status = run_job(c, plan_job, plan, err);
    ww_launch_plan_destroy(plan);
    return status;
}

static ww_status execute(const ww_run_request *request, ww_run *run, ww_error *err)
{
    collector c = {.request = request, .run = run};
    if (run->arch == NULL) {
        WW_TRY(
            ww_arch_load(request->gpu, request->settings, request->setting_count, &run->arch, err));
    }
    for (size_t i = 0; i < request->item_count; i++) {
        WW_TRY(ww_run_check_workload(request->items[i].workload, run->arch, err));
    }
    if (!request->functional_only) {
        WW_TRY(ww_power_model_create(run->arch, NULL, &run->model, err));
    }
    if (request->ptx_path != NULL) {
        return run_ptx(&c, err);
    }
    for (size_t i = 0; i < request->item_count && !run->interrupted; i++) {
        c.item = i;
        const size_t launches = run->launch_count;
        const uint64_t warp_instructions = run->warp_instructions;
        ww_status status = run_workload(&c, &request->items[i], err);
        run->interrupted = status == WW_EINTERRUPTED && run->finished > 0;
        if (run->interrupted) { /* what had finished is whole */
            drop_launches(run, launches, warp_instructions);
            forget(err);
        } else {
            WW_TRY(status);
            run->finished++;
        }
    }
    return WW_OK;
}

ww_status ww_run_once(const ww_run_request *request, ww_arch *arch, ww_run **out, ww_error *err)
{
    ww_run *run = WW_NEW(ww_run);
    if (run == NULL) {
        ww_arch_destroy(arch);
        return ww_no_memory(err);
    }
    run->arch = arch;
    ww_status status = execute(request, run, err);
    if (status != WW_OK) {
        ww_run_destroy(run);
        return status;
    }
    *out = run;
    return WW_OK;
}

void ww_run_destroy(ww_run *run)
{
    if (run == NULL) {
        return;
    }
    ww_launch_records_destroy(run->launches, run->launch_count);
    ww_lines_fini(&run->lines);
    ww_str_fini(&run->timeline);
    ww_power_model_destroy(run->model);
    ww_arch_destroy(run->arch);
    ww_free(run);
}

ww_result_set ww_run_results(const ww_run *run, const char *version, const char *command)
{
    return (ww_result_set){
        .arch = run->arch,
        .model = run->model,
        .launches = run->launches,
        .launch_count = run->launch_count,
        .version = version,
        .command = command,
    };
}

double ww_run_host_rate(const ww_run *run)
{
    return run->host_seconds > 0 ? (double)run->warp_instructions / run->host_seconds : 0;
}
