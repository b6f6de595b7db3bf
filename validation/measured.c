/* measured.c - `warpwatt validate measured`: powers and energies that were measured on
 * GPUs, beside those of our machines. A row says how our value comes about: an idle machine, one
 * counter's events, energy of some components per counted unit of a micro-benchmark, or the power
 * of a kernel. Results are evaluated anew from their activity, with the models of today. */
#include <math.h>
#include <string.h>

#include "analysis/rates.h"
#include "base/file.h"
#include "counters/counters.h"
#include "power/power.h"
#include "validation/measured.h"

enum {
    GPU,
    QUANTITY,
    KIND,
    RESULT,
    KERNEL,
    COMPONENTS,
    COUNTERS,
    SCALE,
    MEASURED,
    LOW,
    HIGH,
    UNIT,
    QUALITY,
    SOURCE,
    SPLIT,
    SETTINGS,
    DATA,
    PEER_SASS,
    PEER_PTX,
    COLUMNS
};
enum { IDLE, COUNT, ENERGY, MOST, POWER }; /* as `kinds` has them */

static const char *const kinds[] = {"idle", "count", "energy", "most", "power", NULL};
static const char *const splits[] = {"", "used", "looked at", "unseen", NULL}; /* as ww_split */
static const ww_ref_column reference[COLUMNS] = {
    [GPU] = {"gpu", .kind = WW_REF_NAME},
    [QUANTITY] = {"quantity", .kind = WW_REF_NAME},
    [KIND] = {"kind", .kind = WW_REF_WORD, .words = kinds},
    [RESULT] = {"result", .kind = WW_REF_TEXT},
    [KERNEL] = {"kernel", .kind = WW_REF_TEXT},
    [COMPONENTS] = {"components", .kind = WW_REF_TEXT},
    [COUNTERS] = {"counters", .kind = WW_REF_TEXT},
    [SCALE] = {"scale", .kind = WW_REF_OPTIONAL},
    [MEASURED] = {"measured", .kind = WW_REF_POSITIVE},
    [LOW] = {"low", .kind = WW_REF_OPTIONAL},
    [HIGH] = {"high", .kind = WW_REF_OPTIONAL},
    [UNIT] = {"unit", .kind = WW_REF_TEXT},
    [QUALITY] = {"quality", .kind = WW_REF_TEXT},
    [SOURCE] = {"source", .kind = WW_REF_TEXT},
    [SPLIT] = {"split", .kind = WW_REF_WORD, .words = splits},
    [SETTINGS] = {"settings", .kind = WW_REF_TEXT},
    [DATA] = {"data", .kind = WW_REF_OPTIONAL, .may_lack = true},
    [PEER_SASS] = {"accelwattch_sass_w", .kind = WW_REF_OPTIONAL},
    [PEER_PTX] = {"accelwattch_ptx_w", .kind = WW_REF_OPTIONAL},
};

static const char not_run[] = "not run", not_exercised[] = "not exercised";

/* What is open: machine and activity, kept from row to row. */
typedef struct machine {
    ww__comparing *c;
    char gpu[64], settings[256];
    ww_arch *arch;
    ww_power_model *model;
    const char *path;
    ww_activity *activity;
    bool seldom; /* the row's micro-benchmark hardly counts what it is divided by */
} machine;

static const char *cell(const machine *s, size_t row, size_t column)
{
    return ww_refs_text(s->c->refs, row, column);
}

/* ---- words of a list ---- */

static bool next_word(const char **list, const char **word, size_t *length)
{
    *word = *list + strspn(*list, " ");
    *length = strcspn(*word, " ");
    *list = *word + *length;
    return *length > 0;
}

static ww_status counters_of(const machine *s, size_t row, bool wanted[WW_COUNTER_COUNT],
                             ww_error *err)
{
    const char *list = cell(s, row, COUNTERS), *word;
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
            return ww_refs_fail(s->c->refs, row, COUNTERS, err, WW_ENOTFOUND, "no counter '%.*s'",
                                (int)length, word);
        }
        wanted[i] = true;
    }
    return WW_OK;
}

static ww_status components_of(const machine *s, size_t row, bool wanted[WW_COMPONENT_COUNT],
                               ww_error *err)
{
    const char *list = cell(s, row, COMPONENTS), *word;
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
            return ww_refs_fail(s->c->refs, row, COMPONENTS, err, WW_ENOTFOUND,
                                "no component '%.*s'", (int)length, word);
        }
        wanted[i] = true;
    }
    return WW_OK;
}

/* ---- the machine and its activity ---- */

static void close_gpu(machine *s)
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
static ww_status settings_of(machine *s, size_t row, ww_setting *out, size_t room, size_t *count,
                             ww_error *err)
{
    const char *list = cell(s, row, SETTINGS), *word;
    size_t length;
    *count = 0;
    while (next_word(&list, &word, &length)) {
        char *text = ww_arena_strndup(&s->c->arena, word, length);
        char *equals = text != NULL ? strchr(text, '=') : NULL;
        if (equals == NULL || *count == room) {
            return ww_refs_fail(s->c->refs, row, SETTINGS, err, WW_EPARSE, "'%.*s' is no setting",
                                (int)length, word);
        }
        *equals = '\0';
        out[(*count)++] = (ww_setting){text, equals + 1};
    }
    return WW_OK;
}

static ww_status open_gpu(machine *s, size_t row, ww_error *err)
{
    const char *gpu = cell(s, row, GPU), *settings = cell(s, row, SETTINGS);
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
static ww_status open_activity(machine *s, size_t row, const ww_activity **out, ww_error *err)
{
    *out = NULL;
    if (s->c->asked->results == NULL) {
        return WW_OK;
    }
    char name[256];
    snprintf(name, sizeof name, "%s-%s/activity.xml", s->gpu, cell(s, row, RESULT));
    const char *path = ww_path_join(&s->c->arena, s->c->asked->results, name);
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

/* ---- kinds of rows: ours is NaN where results are missing ---- */

static ww_status idle(const machine *s, double *ours, ww_error *err)
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
static ww_status count(const machine *s, size_t row, double scale, double *ours, ww_error *err)
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

/* Whether a launch is of the row's kernel; a row without one is a whole program's. Names in
 * programs are mangled; other kernels may begin with a name that is not. */
static bool is_of(const machine *s, size_t row, const ww_launch_record *launch)
{
    const char *kernel = cell(s, row, KERNEL);
    bool mangled = strncmp(launch->kernel, "_Z", 2) == 0;
    return kernel[0] == '\0' || strcmp(launch->kernel, kernel) == 0 ||
           (mangled && strstr(launch->kernel, kernel) != NULL);
}

/* A micro-benchmark of a structure uses it once in a hundred of its warp instructions at least; one
 * that does not (a stream that fits into the L2) tells nothing of it. */
static const double SELDOM = 0.01;

/* Whether lanes spend an event's energy on their operands, so that it goes with how these change.
 */
static bool goes_with_data(const ww_power_event *e)
{
    for (size_t i = 0; i < e->terms; i++) {
        if (!ww_rates_goes_with_data(e->counter[i])) {
            return false;
        }
    }
    return e->terms > 0;
}

/* Joules of a launch's events in the components, where operands cost `data` of such that change;
 * with what goes with active SMs where a row names these, BP. */
static double events_j(const machine *s, const ww_launch_record *l, const bool *components,
                       double data)
{
    size_t count;
    double sum_j = 0;
    const ww_power_event *e = ww_power_events(s->model, &count);
    for (size_t i = 0; i < count; i++) {
        bool counts = e[i].kind == WW_POWER_EVENT ||
                      (components[WW_COMPONENT_BP] && e[i].group != WW_GROUP_STANDBY);
        if (components[e[i].component] && counts) {
            sum_j += ww_power_event_j(&e[i], l->counters, l) * (goes_with_data(&e[i]) ? data : 1);
        }
    }
    return sum_j;
}

/* Event energy of the row's components over its counters, in pJ over the scale. */
static ww_status energy(machine *s, size_t row, double scale, double *ours, ww_error *err)
{
    bool counters[WW_COUNTER_COUNT], components[WW_COMPONENT_COUNT];
    const ww_activity *a;
    double sum_j = 0, counted = 0, issued = 0;
    double data = ww_refs_number(s->c->refs, row, DATA);
    WW_TRY(counters_of(s, row, counters, err));
    WW_TRY(components_of(s, row, components, err));
    WW_TRY(open_activity(s, row, &a, err));
    for (size_t i = 0; a != NULL && i < a->launch_count; i++) {
        const ww_launch_record *l = &a->launches[i];
        if (!is_of(s, row, l)) {
            continue;
        }
        sum_j += events_j(s, l, components, isnan(data) ? 1 : data);
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
static ww_status most_power(machine *s, size_t row, double *ours, ww_error *err)
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

/* Mean power of a kernel's launches and its standard uncertainty, as `run` prints them, and what of
 * it goes with time. */
static ww_status kernel_power(machine *s, size_t line, ww_row *row, ww_error *err)
{
    const ww_activity *a;
    ww_power_repeated sum = {0};
    WW_TRY(open_activity(s, line, &a, err));
    for (size_t i = 0; a != NULL && i < a->launch_count; i++) {
        if (is_of(s, line, &a->launches[i])) {
            WW_TRY(ww_power_repeat(s->model, s->arch, &a->launches[i], &sum, err));
        }
    }
    if (ww_power_repeated_w(s->model, s->arch, &sum, &row->ours, &row->sigma)) {
        row->detail[WW__REST] = row->ours - sum.work_j / (sum.time_s - sum.overhead_s);
    } else {
        row->ours = row->sigma = (double)NAN;
    }
    return WW_OK;
}

/* ---- the comparison ---- */

static ww_status ours_of(machine *s, size_t line, ww_row *row, ww_error *err)
{
    double given = ww_refs_number(s->c->refs, line, SCALE), scale = isnan(given) ? 1 : given;
    s->seldom = false;
    WW_TRY(open_gpu(s, line, err));
    switch (ww_refs_word(s->c->refs, line, KIND)) {
    case IDLE:
        return idle(s, &row->ours, err);
    case COUNT:
        return count(s, line, scale, &row->ours, err);
    case ENERGY:
        return energy(s, line, scale, &row->ours, err);
    case MOST:
        return most_power(s, line, &row->ours, err);
    default:
        row->group = WW__KERNELS;
        return kernel_power(s, line, row, err);
    }
}

/* What a row says in column `range`: limits of the measurement, or that it is a limit itself. */
static const char *range_of(ww__comparing *c, size_t line)
{
    const char *low = ww_refs_text(c->refs, line, LOW), *high = ww_refs_text(c->refs, line, HIGH);
    if (low[0] != '\0' && high[0] != '\0') {
        return ww_arena_printf(&c->arena, "%s to %s", low, high);
    }
    return ww_refs_word(c->refs, line, KIND) == MOST ? "at most" : "";
}

/* A board's own limit is a bar: the table's, not ours. An energy has the one of bars.csv, if any;
 * other rows have none of their own. */
static ww_status judge_row(ww__comparing *c, size_t line, ww_row *row, ww_error *err)
{
    switch (ww_refs_word(c->refs, line, KIND)) {
    case MOST: {
        ww_bar *bar = WW_ARENA_NEW(&c->arena, ww_bar);
        WW_TRY(bar != NULL ? WW_OK : ww_no_memory(err));
        *bar = (ww_bar){.comparison = "measured",
                        .what = row->what,
                        .low = -(double)INFINITY,
                        .high = row->reference,
                        .reason = row->source};
        ww_judge(row, bar, row->ours);
        return WW_OK;
    }
    case COUNT:
    case ENERGY:
        return ww__measured_judge_energy(c, row, err);
    default:
        ww_judge(row, NULL, row->ours);
        return WW_OK;
    }
}

static ww_status take(ww__comparing *c, size_t line, ww_error *err)
{
    machine *s = c->own;
    ww_row row = ww_row_of(ww_refs_text(c->refs, line, GPU), ww_refs_text(c->refs, line, QUANTITY),
                           ww_refs_text(c->refs, line, UNIT));
    row.reference = ww_refs_number(c->refs, line, MEASURED);
    row.low = ww_refs_number(c->refs, line, LOW);
    row.high = ww_refs_number(c->refs, line, HIGH);
    row.peer[0] = ww_refs_number(c->refs, line, PEER_SASS);
    row.peer[1] = ww_refs_number(c->refs, line, PEER_PTX);
    row.split = (ww_split)ww_refs_word(c->refs, line, SPLIT);
    row.quality = ww_refs_text(c->refs, line, QUALITY);
    row.source = ww_refs_text(c->refs, line, SOURCE);
    row.note = range_of(c, line);
    row.digits = row.reference < 20 ? 2 : 1;
    s->c = c;
    WW_TRY(row.note != NULL ? WW_OK : ww_no_memory(err));
    WW_TRY(ours_of(s, line, &row, err));
    row.missing = s->seldom ? not_exercised : isnan(row.ours) ? not_run : NULL;
    WW_TRY(judge_row(c, line, &row, err));
    return ww_rows_add(&c->rows, &row, err);
}

static const char *show_ours(const ww_row *row, char room[WW_SHOWN_CHARS])
{
    snprintf(room, WW_SHOWN_CHARS, "%.*f", row->digits, row->ours);
    return row->missing != NULL ? row->missing : room;
}

static const char *show_sigma(const ww_row *row, char room[WW_SHOWN_CHARS])
{
    snprintf(room, WW_SHOWN_CHARS, "%.1f", row->sigma);
    return row->missing != NULL || isnan(row->sigma) ? "" : room;
}

/* A row that only has to stay below a limit has no error. */
static const char *show_error(const ww_row *row, char room[WW_SHOWN_CHARS])
{
    if (row->missing != NULL) {
        return "";
    }
    if (row->bar != NULL && isinf(row->bar->low)) {
        return ww_verdict_name(row->verdict);
    }
    snprintf(room, WW_SHOWN_CHARS, "%+.0f%s", 100 * ww_row_error(row),
             row->verdict == WW_VERDICT_MISSED ? " MISSED" : "");
    return room;
}

static const char *show_rest(const ww_row *row, char room[WW_SHOWN_CHARS])
{
    snprintf(room, WW_SHOWN_CHARS, "%.1f", row->detail[WW__REST]);
    return row->missing != NULL || isnan(row->detail[WW__REST]) ? "" : room;
}

/* The error of the part above that. */
static const char *show_above(const ww_row *row, char room[WW_SHOWN_CHARS])
{
    double measured = ww__above_rest(row, row->reference), ours = ww__above_rest(row, row->ours);
    snprintf(room, WW_SHOWN_CHARS, "%+.0f", 100 * ww_error_of(ours, measured));
    return row->missing != NULL || isnan(measured) || isnan(ours) ? "" : room;
}

static ww_status sum_up(ww__comparing *c, ww_error *err)
{
    size_t missing = 0;
    for (size_t i = 0; i < c->rows.count; i++) {
        missing += c->rows.row[i].missing == not_run;
    }
    if (missing > 0 && c->asked->output.notes != NULL) {
        fprintf(c->asked->output.notes,
                "%zu rows need results: warpwatt run --gpu GPU --workload WORKLOAD:default "
                "--sample auto:5%% --out DIR/GPU-WORKLOAD, then --results DIR\n",
                missing);
    }
    return ww__measured_judge(c, err);
}

static ww_status tell(ww__comparing *c, FILE *to, ww_error *err)
{
    (void)to;
    WW_TRY(ww__measured_print(&c->rows, &c->asked->output, err));
    return ww__measured_print_bars(&c->statistics, &c->asked->output, err);
}

ww_status ww_validate_measured(const ww_validation *asked, ww_error *err)
{
    static const ww_column shown[] = {
        {"gpu", .field = WW_SHOW_SUBJECT},
        {"quantity", .field = WW_SHOW_WHAT},
        {"measured", .field = WW_SHOW_REFERENCE, .digits = WW_DIGITS_OF_ROW},
        {"range", .field = WW_SHOW_NOTE},
        {"warpwatt", .field = WW_SHOW_TEXT, .text = show_ours},
        {"unit", .field = WW_SHOW_UNIT},
        {"plus_minus", .field = WW_SHOW_TEXT, .text = show_sigma},
        {"error_pct", .field = WW_SHOW_TEXT, .text = show_error},
        {"rest", .field = WW_SHOW_TEXT, .text = show_rest},
        {"above_pct", .field = WW_SHOW_TEXT, .text = show_above},
        {"split", .field = WW_SHOW_SPLIT},
        {"quality", .field = WW_SHOW_QUALITY},
        {"source", .field = WW_SHOW_SOURCE},
    };
    static const ww__comparison description = {.title = "measured",
                                               .table = "power/measured.csv",
                                               .reference = reference,
                                               .references = COLUMNS,
                                               .shown = shown,
                                               .columns = WW_ARRAY_LEN(shown),
                                               .partial = true,
                                               .take = take,
                                               .sum_up = sum_up,
                                               .tell = tell};
    machine s = {.c = NULL};
    ww_status status = ww__compare(&description, asked, &s, err);
    close_gpu(&s);
    return status;
}
