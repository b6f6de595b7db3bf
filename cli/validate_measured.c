/* validate_measured.c - `warpwatt validate measured`: powers and energies that were measured on
 * GPUs, beside those of our machines. A row says how our value comes about: an idle machine, one
 * counter's events, energy of some components per counted unit of a micro-benchmark, or the power
 * of a kernel. Results are evaluated anew from their activity, with the models of today. */
#include <math.h>
#include <string.h>

#include "analysis/table.h"
#include "base/csv.h"
#include "base/file.h"
#include "cli/validate.h"
#include "cli/validate_measured.h"
#include "counters/counters.h"
#include "power/power.h"

#define COLUMNS(X)                                                                                 \
    X(GPU, "gpu")                                                                                  \
    X(QUANTITY, "quantity")                                                                        \
    X(KIND, "kind")                                                                                \
    X(RESULT, "result")                                                                            \
    X(KERNEL, "kernel")                                                                            \
    X(COMPONENTS, "components")                                                                    \
    X(COUNTERS, "counters")                                                                        \
    X(SCALE, "scale")                                                                              \
    X(MEASURED, "measured")                                                                        \
    X(LOW, "low")                                                                                  \
    X(HIGH, "high")                                                                                \
    X(UNIT, "unit")                                                                                \
    X(QUALITY, "quality")                                                                          \
    X(SOURCE, "source")                                                                            \
    X(SPLIT, "split")                                                                              \
    X(SETTINGS, "settings")                                                                        \
    X(PEER_SASS, "accelwattch_sass_w")                                                             \
    X(PEER_PTX, "accelwattch_ptx_w")

enum {
#define X(id, name) COLUMN_##id,
    COLUMNS(X)
#undef X
        COLUMN_COUNT
};

typedef struct study {
    ww_arena arena;
    ww_csv *csv;
    size_t column[COLUMN_COUNT];
    const char *results; /* folder of GPU-WORKLOAD; NULL: none */
    /* what is open */
    char gpu[64], settings[256];
    ww_arch *arch;
    ww_power_model *model;
    const char *path;
    ww_activity *activity;
    bool seldom; /* the row's micro-benchmark hardly counts what it is divided by */
    size_t missing;
    ww_measured_kernel *kernel; /* rows of kernels' powers */
    size_t kernels;
} study;

static const char *cell(const study *s, size_t row, int column)
{
    return ww_csv_text(s->csv, row, s->column[column]);
}

/* ---- words of a list ---- */

static bool next_word(const char **list, const char **word, size_t *length)
{
    *word = *list + strspn(*list, " ");
    *length = strcspn(*word, " ");
    *list = *word + *length;
    return *length > 0;
}

static ww_status counters_of(const study *s, size_t row, bool wanted[WW_COUNTER_COUNT],
                             ww_error *err)
{
    const char *list = cell(s, row, COLUMN_COUNTERS), *word;
    size_t length;
    memset(wanted, 0, WW_COUNTER_COUNT * sizeof *wanted);
    while (next_word(&list, &word, &length)) {
        int i = 0;
        while (i < WW_COUNTER_COUNT &&
               (strlen(ww_counter_describe((ww_counter)i)->name) != length ||
                strncmp(ww_counter_describe((ww_counter)i)->name, word, length) != 0)) {
            i++;
        }
        if (i == WW_COUNTER_COUNT) {
            return ww_csv_fail(s->csv, row, s->column[COLUMN_COUNTERS], err, WW_ENOTFOUND,
                               "no counter '%.*s'", (int)length, word);
        }
        wanted[i] = true;
    }
    return WW_OK;
}

static ww_status components_of(const study *s, size_t row, bool wanted[WW_COMPONENT_COUNT],
                               ww_error *err)
{
    const char *list = cell(s, row, COLUMN_COMPONENTS), *word;
    size_t length;
    memset(wanted, 0, WW_COMPONENT_COUNT * sizeof *wanted);
    while (next_word(&list, &word, &length)) {
        int i = 0;
        while (i < WW_COMPONENT_COUNT &&
               (strlen(ww_component_name((ww_component)i)) != length ||
                strncmp(ww_component_name((ww_component)i), word, length) != 0)) {
            i++;
        }
        if (i == WW_COMPONENT_COUNT) {
            return ww_csv_fail(s->csv, row, s->column[COLUMN_COMPONENTS], err, WW_ENOTFOUND,
                               "no component '%.*s'", (int)length, word);
        }
        wanted[i] = true;
    }
    return WW_OK;
}

/* ---- the machine and its activity ---- */

static void close_gpu(study *s)
{
    ww_activity_destroy(s->activity);
    ww_power_model_destroy(s->model);
    ww_arch_destroy(s->arch);
    s->activity = NULL;
    s->model = NULL;
    s->arch = NULL;
    s->path = NULL;
    s->gpu[0] = '\0';
}

/* "key=value key=value" of a row: how the card was clocked. */
static ww_status settings_of(study *s, size_t row, ww_setting *out, size_t room, size_t *count,
                             ww_error *err)
{
    const char *list = cell(s, row, COLUMN_SETTINGS), *word;
    size_t length;
    *count = 0;
    while (next_word(&list, &word, &length)) {
        char *text = ww_arena_strndup(&s->arena, word, length);
        char *equals = text != NULL ? strchr(text, '=') : NULL;
        if (equals == NULL || *count == room) {
            return ww_csv_fail(s->csv, row, s->column[COLUMN_SETTINGS], err, WW_EPARSE,
                               "'%.*s' is no setting", (int)length, word);
        }
        *equals = '\0';
        out[(*count)++] = (ww_setting){text, equals + 1};
    }
    return WW_OK;
}

static ww_status open_gpu(study *s, size_t row, ww_error *err)
{
    const char *gpu = cell(s, row, COLUMN_GPU), *settings = cell(s, row, COLUMN_SETTINGS);
    ww_setting set[8];
    size_t count;
    if (strcmp(s->gpu, gpu) == 0 && strcmp(s->settings, settings) == 0) {
        return WW_OK;
    }
    close_gpu(s);
    WW_TRY(settings_of(s, row, set, WW_ARRAY_LEN(set), &count, err));
    WW_TRY(ww_arch_load(gpu, set, count, &s->arch, err));
    WW_TRY(ww_power_model_create(s->arch, NULL, &s->model, err));
    snprintf(s->gpu, sizeof s->gpu, "%s", gpu);
    snprintf(s->settings, sizeof s->settings, "%s", settings);
    return WW_OK;
}

/* The activity in RESULTS/GPU-WORKLOAD; NULL when there is none. */
static ww_status open_activity(study *s, size_t row, const ww_activity **out, ww_error *err)
{
    *out = NULL;
    if (s->results == NULL) {
        return WW_OK;
    }
    char name[256];
    snprintf(name, sizeof name, "%s-%s/activity.xml", s->gpu, cell(s, row, COLUMN_RESULT));
    const char *path = ww_path_join(&s->arena, s->results, name);
    if (path == NULL) {
        return ww_no_memory(err);
    }
    if (!ww_file_exists(path)) {
        return WW_OK;
    }
    if (s->path == NULL || strcmp(s->path, path) != 0) {
        ww_activity_destroy(s->activity);
        s->activity = NULL;
        WW_TRY(ww_activity_load(path, &s->activity, err));
        s->path = path;
    }
    *out = s->activity;
    return WW_OK;
}

/* ---- kinds of rows: ours is NAN where results are missing ---- */

static ww_status idle(const study *s, double *ours, ww_error *err)
{
    ww_counter_set set;
    ww_power_result r;
    WW_TRY(ww_counter_set_init(&set, s->arch->sm.count, ww_arch_slices(s->arch),
                               s->arch->mem.channels, err));
    set.block[WW_SCOPE_CHIP][0].v[WW_C_CORE_CYCLES] = 1000000;
    ww_launch_record launch = {.core_hz = s->arch->clock.core_hz,
                               .dram_hz = s->arch->clock.dram_hz};
    ww_status status = ww_power_evaluate(s->model, &set, &launch, &r, err);
    *ours = status == WW_OK ? r.total_w : (double)NAN;
    ww_counter_set_fini(&set);
    return status;
}

/* What one count costs, in pJ, over the scale. */
static ww_status count(const study *s, size_t row, double scale, double *ours, ww_error *err)
{
    bool counters[WW_COUNTER_COUNT], components[WW_COMPONENT_COUNT];
    size_t events;
    const ww_power_event *e = ww_power_events(s->model, &events);
    WW_TRY(counters_of(s, row, counters, err));
    WW_TRY(components_of(s, row, components, err));
    *ours = 0;
    for (size_t i = 0; i < events; i++) {
        if (components[e[i].component] && e[i].terms == 1 && counters[e[i].counter[0]]) {
            *ours += e[i].value * 1e12 / scale;
        }
    }
    return WW_OK;
}

/* Whether a launch is of the row's kernel; names in programs are mangled. */
static bool is_of(const study *s, size_t row, const ww_launch_record *launch)
{
    return strstr(launch->kernel, cell(s, row, COLUMN_KERNEL)) != NULL;
}

/* A micro-benchmark of a structure uses it once in a hundred of its warp instructions at least; one
 * that does not (a stream that fits into the L2) tells nothing of it. */
static const double SELDOM = 0.01;

/* Event energy of the row's components over its counters, in pJ over the scale. */
static ww_status energy(study *s, size_t row, double scale, double *ours, ww_error *err)
{
    bool counters[WW_COUNTER_COUNT], components[WW_COMPONENT_COUNT];
    const ww_activity *a;
    double sum_j = 0, counted = 0, issued = 0;
    WW_TRY(counters_of(s, row, counters, err));
    WW_TRY(components_of(s, row, components, err));
    WW_TRY(open_activity(s, row, &a, err));
    for (size_t i = 0; a != NULL && i < a->launch_count; i++) {
        const ww_launch_record *l = &a->launches[i];
        ww_power_result r;
        if (!is_of(s, row, l)) {
            continue;
        }
        WW_TRY(ww_power_evaluate(s->model, l->counters, l, &r, err));
        for (int c = 0; c < WW_COMPONENT_COUNT; c++) {
            sum_j += components[c] ? r.component[c].event_j : 0;
        }
        issued += (double)ww_counter_total(l->counters, WW_C_INST_ISSUED);
        for (int c = 0; c < WW_COUNTER_COUNT; c++) {
            counted += counters[c] ? (double)ww_counter_total(l->counters, (ww_counter)c) : 0;
        }
    }
    s->seldom = issued > 0 && counted < SELDOM * issued;
    *ours = counted > 0 && !s->seldom ? sum_j * 1e12 / counted / scale : (double)NAN;
    return WW_OK;
}

/* The power of the launch with most. */
static ww_status most_power(study *s, size_t row, double *ours, ww_error *err)
{
    const ww_activity *a;
    *ours = (double)NAN;
    WW_TRY(open_activity(s, row, &a, err));
    for (size_t i = 0; a != NULL && i < a->launch_count; i++) {
        ww_power_result r;
        WW_TRY(ww_power_evaluate(s->model, a->launches[i].counters, &a->launches[i], &r, err));
        *ours = fmax(*ours, r.total_w);
    }
    return WW_OK;
}

/* Beside energies, simulated activity is uncertain: cycles of a QV100 are a tenth off on average,
 * work per time as much (docs/validation.md). Those of other cards are not validated; a simulator
 * that was tuned for Volta, 15 % off there, is 25 % off on Turing and 30 % on Pascal (Khairy et
 * al., ISCA 2020, table V). Of a normal distribution, root mean square over mean. */
static double activity_sigma(const ww_arch *arch)
{
    enum { VOLTA = 70, TURING = 75 };
    unsigned capability = arch->chip.compute_capability;
    double peer = capability == VOLTA ? 0.15 : capability == TURING ? 0.25 : 0.3;
    return 0.1 * peer / 0.15 * 1.25;
}

/* Energy of what a kernel does; the rest goes with time, and its watts stay when cycles are off. */
static double work_j(const ww_power_model *model, const ww_launch_record *launch)
{
    size_t count;
    const ww_power_event *events = ww_power_events(model, &count);
    double sum_j = 0;
    for (size_t i = 0; i < count; i++) {
        const ww_power_event *e = &events[i];
        bool work = e->kind == WW_POWER_EVENT &&
                    strcmp(ww_counter_describe(e->counter[0])->unit, "cycle") != 0;
        sum_j += work ? ww_power_event_j(e, launch->counters, launch) : 0;
    }
    return sum_j;
}

/* Mean power of a kernel's launches and its standard uncertainty. Cards are measured while a kernel
 * is launched again and again: the next launch is prepared while one runs, so that its overhead,
 * idle cycles at the beginning of a simulated one, takes no time. */
static ww_status kernel_power(study *s, size_t row, double *ours, double *sigma_w, ww_error *err)
{
    const ww_activity *a;
    ww_power_groups groups = {0};
    double sum_j = 0, done_j = 0, time_s = 0, idle_w, overhead_s = 0;
    WW_TRY(open_activity(s, row, &a, err));
    WW_TRY(idle(s, &idle_w, err));
    for (size_t i = 0; a != NULL && i < a->launch_count; i++) {
        const ww_launch_record *l = &a->launches[i];
        ww_power_result r;
        if (is_of(s, row, l)) {
            WW_TRY(ww_power_evaluate(s->model, l->counters, l, &r, err));
            ww_power_add_groups(s->model, l->counters, l, &groups);
            sum_j += r.total_j;
            done_j += work_j(s->model, l);
            time_s += r.time_s;
            overhead_s += s->arch->sm.kernel_launch_cycles / l->core_hz;
        }
    }
    if (!(time_s > overhead_s)) {
        *ours = *sigma_w = (double)NAN;
        return WW_OK;
    }
    ww_power_sureness sure = ww_power_sure_of(s->model, &groups, WW_COMPONENT_COUNT);
    *ours = (sum_j - idle_w * overhead_s) / (time_s - overhead_s);
    double work_w = done_j / (time_s - overhead_s);
    *sigma_w = hypot(sure.sigma_j / sum_j * *ours, activity_sigma(s->arch) * work_w);
    return WW_OK;
}

/* Adds a row to what is summed up. */
static ww_status keep_kernel(study *s, size_t row, double ours, double sigma_w, ww_error *err)
{
    ww_measured_kernel *k = &s->kernel[s->kernels];
    *k = (ww_measured_kernel){.gpu = cell(s, row, COLUMN_GPU),
                              .split = cell(s, row, COLUMN_SPLIT),
                              .ours_w = ours,
                              .sigma_w = sigma_w,
                              .peer_w = {(double)NAN, (double)NAN}};
    WW_TRY(ww_csv_double(s->csv, row, s->column[COLUMN_MEASURED], &k->measured_w, err));
    for (int p = 0; p < WW_MEASURED_PEERS; p++) {
        int column = p == 0 ? COLUMN_PEER_SASS : COLUMN_PEER_PTX;
        if (cell(s, row, column)[0] != '\0') {
            WW_TRY(ww_csv_double(s->csv, row, s->column[column], &k->peer_w[p], err));
        }
    }
    s->kernels += isnan(ours) ? 0 : 1;
    return WW_OK;
}

static ww_status ours_of(study *s, size_t row, double *ours, double *sigma_w, ww_error *err)
{
    const char *kind = cell(s, row, COLUMN_KIND);
    double scale = 1;
    if (cell(s, row, COLUMN_SCALE)[0] != '\0') {
        WW_TRY(ww_csv_double(s->csv, row, s->column[COLUMN_SCALE], &scale, err));
    }
    WW_TRY(open_gpu(s, row, err));
    if (strcmp(kind, "idle") == 0) {
        return idle(s, ours, err);
    }
    if (strcmp(kind, "count") == 0) {
        return count(s, row, scale, ours, err);
    }
    if (strcmp(kind, "energy") == 0) {
        return energy(s, row, scale, ours, err);
    }
    if (strcmp(kind, "most") == 0) {
        return most_power(s, row, ours, err);
    }
    if (strcmp(kind, "power") == 0) {
        WW_TRY(kernel_power(s, row, ours, sigma_w, err));
        return keep_kernel(s, row, *ours, *sigma_w, err);
    }
    return ww_csv_fail(s->csv, row, s->column[COLUMN_KIND], err, WW_ESCHEMA,
                       "'%s' is none of idle, count, energy, power and most", kind);
}

/* ---- the table ---- */

static ww_status fill(study *s, ww_table *t, ww_error *err)
{
    static const char *const head[] = {"gpu",      "quantity", "measured",   "range",
                                       "warpwatt", "unit",     "plus_minus", "error_pct",
                                       "split",    "quality",  "source"};
    for (size_t i = 0; i < WW_ARRAY_LEN(head); i++) {
        ww_table_head(t, head[i]);
    }
    for (size_t row = 0; row < ww_csv_rows(s->csv); row++) {
        double measured, ours = (double)NAN, sigma_w = (double)NAN;
        char range[64] = "", error[32] = "", shown[32] = "not run", sure[32] = "";
        const char *low = cell(s, row, COLUMN_LOW), *high = cell(s, row, COLUMN_HIGH);
        WW_TRY(ww_csv_double(s->csv, row, s->column[COLUMN_MEASURED], &measured, err));
        s->seldom = false;
        WW_TRY(ours_of(s, row, &ours, &sigma_w, err));
        bool limit = strcmp(cell(s, row, COLUMN_KIND), "most") == 0;
        if (low[0] != '\0' && high[0] != '\0') {
            snprintf(range, sizeof range, "%s to %s", low, high);
        } else if (limit) {
            snprintf(range, sizeof range, "at most");
        }
        int decimals = measured < 20 ? 2 : 1;
        if (s->seldom) {
            snprintf(shown, sizeof shown, "not exercised");
        } else if (isnan(ours)) {
            s->missing++;
        } else {
            snprintf(shown, sizeof shown, "%.*f", decimals, ours);
            if (limit) {
                snprintf(error, sizeof error, "%s", ours <= measured ? "met" : "missed");
            } else {
                snprintf(error, sizeof error, "%+.0f", 100 * (ours / measured - 1));
            }
            if (!isnan(sigma_w)) {
                snprintf(sure, sizeof sure, "%.1f", sigma_w);
            }
        }
        ww_table_text(t, cell(s, row, COLUMN_GPU));
        ww_table_text(t, cell(s, row, COLUMN_QUANTITY));
        ww_table_number(t, measured, decimals);
        ww_table_text(t, range);
        ww_table_text(t, shown);
        ww_table_text(t, cell(s, row, COLUMN_UNIT));
        ww_table_text(t, sure);
        ww_table_text(t, error);
        ww_table_text(t, cell(s, row, COLUMN_SPLIT));
        ww_table_text(t, cell(s, row, COLUMN_QUALITY));
        ww_table_text(t, cell(s, row, COLUMN_SOURCE));
    }
    return WW_OK;
}

static ww_status open_table(study *s, ww_error *err)
{
    static const char *const name[] = {
#define X(id, text) text,
        COLUMNS(X)
#undef X
    };
    const char *path;
    WW_TRY(ww_validation_file(&s->arena, "power/measured.csv", &path, err));
    WW_TRY(ww_csv_load(path, &s->csv, err));
    s->kernel = WW_ARENA_NEW_ARRAY(&s->arena, ww_measured_kernel, ww_csv_rows(s->csv) + 1);
    if (s->kernel == NULL) {
        return ww_no_memory(err);
    }
    for (size_t i = 0; i < WW_ARRAY_LEN(name); i++) {
        WW_TRY(ww_csv_find(s->csv, name[i], &s->column[i], err));
    }
    return WW_OK;
}

ww_status ww_validate_measured(const ww_args *args, ww_error *err)
{
    study s = {.results = ww_args_value(args, "results")};
    ww_table t;
    ww_table_init(&t, "measured");
    ww_status status = open_table(&s, err);
    status = status == WW_OK ? fill(&s, &t, err) : status;
    if (status == WW_OK && !ww_args_has(args, "quiet")) {
        status = ww_args_has(args, "markdown")
                     ? ww_table_print_markdown(&t, stdout, err)
                     : ww_table_print(&t, ww_args_has(args, "json"), stdout, err);
    }
    if (status == WW_OK && s.kernels > 0 && !ww_args_has(args, "quiet") &&
        !ww_args_has(args, "json")) {
        puts("");
        status = ww_measured_print(s.kernel, s.kernels, ww_args_has(args, "markdown"), err);
    }
    if (status == WW_OK && s.missing > 0 && !ww_args_has(args, "quiet")) {
        fprintf(stderr,
                "%zu rows need results: warpwatt run --gpu GPU --workload WORKLOAD:default "
                "--sample auto:5%% --out DIR/GPU-WORKLOAD, then --results DIR\n",
                s.missing);
    }
    ww_table_fini(&t);
    close_gpu(&s);
    ww_csv_destroy(s.csv);
    ww_arena_fini(&s.arena);
    return status;
}
