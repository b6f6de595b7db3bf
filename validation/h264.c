/* h264.c - `warpwatt validate h264`: the study of H.264 motion compensation in LPGPU D5.5.3 (tables
 * 3 to 5, figures 1 and 2) beside the result folders of the sweep d553-cta-limit. The kernels are
 * reconstructions: what is asked of them is which way things go, not by how much. */
#include <math.h>
#include <string.h>

#include "analysis/study.h"
#include "base/file.h"
#include "validation/compare.h"

enum { KERNELS = 2, CHROMA = 0, LUMA = 1, SETS = 5 };

static const char *const kernels[KERNELS + 1] = {"mc_chroma", "mc_luma", NULL};
static const char *const sets[SETS + 1] = {"base",    "config1", "config2",
                                           "config3", "config4", NULL};

/* ---- the published tables ---- */

enum { MODE, WORKLOAD, EDGE, BRANCHES, MEMORY, CHROMA_IPC, CHROMA_SU, LUMA_IPC, LUMA_SU, OF_MODE };
enum { RESOURCE, OF_CHROMA, OF_LUMA, OF_RESOURCE };
enum { KERNEL, CONFIGURATION, IPC_CHANGE, POWER_CHANGE, ENERGY_CHANGE, OF_CONFIGURATION };

static const char *const yes_no[] = {"y", "n", NULL};

static const ww_ref_column mode_columns[OF_MODE] = {
    [MODE] = {"mode", .kind = WW_REF_NAME},
    [WORKLOAD] = {"workload", .kind = WW_REF_NAME},
    [EDGE] = {"edge", .kind = WW_REF_OPTIONAL}, /* of every partition; none: of several sizes */
    [BRANCHES] = {"branches", .kind = WW_REF_WORD, .words = yes_no},
    [MEMORY] = {"memory", .kind = WW_REF_WORD, .words = yes_no},
    [CHROMA_IPC] = {"chroma_ipc", .kind = WW_REF_OPTIONAL},
    [CHROMA_SU] = {"chroma_su", .kind = WW_REF_OPTIONAL},
    [LUMA_IPC] = {"luma_ipc", .kind = WW_REF_OPTIONAL},
    [LUMA_SU] = {"luma_su", .kind = WW_REF_OPTIONAL},
};
static const ww_ref_column resource_columns[OF_RESOURCE] = {
    [RESOURCE] = {"resource", .kind = WW_REF_NAME},
    [OF_CHROMA] = {"chroma", .kind = WW_REF_OPTIONAL},
    [OF_LUMA] = {"luma", .kind = WW_REF_OPTIONAL},
};
static const ww_ref_column configuration_columns[OF_CONFIGURATION] = {
    [KERNEL] = {"kernel", .kind = WW_REF_WORD, .words = kernels},
    [CONFIGURATION] = {"configuration", .kind = WW_REF_WORD, .words = sets},
    [IPC_CHANGE] = {"ipc_change", .kind = WW_REF_OPTIONAL},
    [POWER_CHANGE] = {"power_change", .kind = WW_REF_OPTIONAL},
    [ENERGY_CHANGE] = {"energy_change", .kind = WW_REF_OPTIONAL},
};

enum { LAUNCHED, REGISTERS, SHARED, CTAS, OF_LAUNCH };
static const ww_ref_column launch_columns[OF_LAUNCH] = {
    [LAUNCHED] = {"kernel", .kind = WW_REF_TEXT},
    [REGISTERS] = {"registers", .kind = WW_REF_OPTIONAL},
    [SHARED] = {"shared", .kind = WW_REF_OPTIONAL},
    [CTAS] = {"ctas_per_sm", .kind = WW_REF_OPTIONAL},
};

typedef struct h264 {
    ww_arena arena;
    ww_bars *bars;
    ww_refs *modes, *resources, *configurations;
    ww_study *set[SETS];
    ww_refs *launches; /* kernels.csv of the first mode on the base machine */
    ww_document document;
    ww_rows asked; /* what is asked of the kernels */
} h264;

static ww_status load_table(h264 *s, const char *name, const ww_ref_column *columns, size_t count,
                            ww_refs **out, ww_error *err)
{
    const char *path, *file = ww_arena_printf(&s->arena, "lpgpu/%s", name);
    WW_TRY(file != NULL ? WW_OK : ww_no_memory(err));
    WW_TRY(ww_validation_file(&s->arena, file, &path, err));
    WW_TRY(ww_refs_load(path, columns, count, out, err));
    return ww_refs_rows(*out) > 0 ? WW_OK : ww_fail(err, WW_ESCHEMA, "%s has no rows", path);
}

static ww_status load_results(h264 *s, const char *dir, ww_error *err)
{
    for (size_t i = 0; i < SETS; i++) {
        const char *path = ww_path_join(&s->arena, dir, sets[i]);
        if (path == NULL) {
            return ww_no_memory(err);
        }
        ww_status status = ww_study_load_results(path, &s->set[i], err);
        if (status != WW_OK) {
            ww_error_prefix(err, "this is not what sweep d553-cta-limit leaves: ");
            return status;
        }
    }
    const char *first = ww_arena_printf(&s->arena, "%s/base/%s-default/kernels.csv", dir,
                                        ww_refs_text(s->modes, 0, WORKLOAD));
    return first == NULL ? ww_no_memory(err)
                         : ww_refs_load(first, launch_columns, OF_LAUNCH, &s->launches, err);
}

/* ---- our numbers ---- */

/* The row of a mode's kernel in a set. */
static ww_status find(const h264 *s, size_t set, size_t mode, int kernel, size_t *out,
                      ww_error *err)
{
    char label[128];
    snprintf(label, sizeof label, "%s/%s", ww_refs_text(s->modes, mode, WORKLOAD), kernels[kernel]);
    for (size_t i = 0; i < s->set[set]->kernel_count; i++) {
        if (strcmp(s->set[set]->kernel[i], label) == 0) {
            *out = i;
            return WW_OK;
        }
    }
    return ww_fail(err, WW_ENOTFOUND, "%s has no results of %s: finish the sweep first",
                   s->set[set]->name, label);
}

static ww_status metric(const h264 *s, size_t set, size_t mode, int kernel, const char *name,
                        double *out, ww_error *err)
{
    size_t row = 0;
    const ww_study_column *c = ww_study_metric(s->set[set], name);
    WW_TRY(find(s, set, mode, kernel, &row, err));
    *out = c != NULL ? c->value[row] : (double)NAN;
    return WW_OK;
}

static void add_pair(h264 *s, ww_table *t, double published, double ours, int digits, bool sign)
{
    ww_pair_cell(t, s->document.output, published, ours, digits, sign);
}

/* ---- table 3 ---- */

static ww_status fill_modes(h264 *s, ww_table *t, ww_error *err)
{
    static const char *const head[] = {"chroma_IPC", "chroma_SU", "luma_IPC", "luma_SU"};
    ww_table_head(t, "mode");
    for (size_t i = 0; i < WW_ARRAY_LEN(head); i++) {
        ww_pair_head(t, s->document.output, head[i]);
    }
    for (size_t m = 0; m < ww_refs_rows(s->modes); m++) {
        ww_table_text(t, ww_refs_text(s->modes, m, MODE));
        for (int k = 0; k < KERNELS; k++) {
            size_t published = k == CHROMA ? CHROMA_IPC : LUMA_IPC;
            double ipc = 0, su = 0;
            WW_TRY(metric(s, 0, m, k, "IPC", &ipc, err));
            WW_TRY(metric(s, 0, m, k, "SU", &su, err));
            add_pair(s, t, ww_refs_number(s->modes, m, published), ipc, 0, false);
            add_pair(s, t, ww_refs_number(s->modes, m, published + 1), su, 1, false);
        }
    }
    return WW_OK;
}

/* ---- table 4 ---- */

/* Means over the modes of what a kernel reached. */
static ww_status mean_over_modes(const h264 *s, const char *name, int kernel, double *out,
                                 ww_error *err)
{
    double sum = 0, modes = (double)ww_refs_rows(s->modes);
    for (size_t m = 0; m < ww_refs_rows(s->modes); m++) {
        double value;
        WW_TRY(metric(s, 0, m, kernel, name, &value, err));
        sum += value;
    }
    *out = sum / modes;
    return WW_OK;
}

/* What a launch of the first mode took of an SM. */
static ww_status resource_of_launch(const h264 *s, const char *name, int kernel, double *out,
                                    ww_error *err)
{
    enum { THREADS = 64, KIB = 1024 };
    for (size_t row = 0; row < ww_refs_rows(s->launches); row++) {
        if (strcmp(ww_refs_text(s->launches, row, LAUNCHED), kernels[kernel]) != 0) {
            continue;
        }
        double ctas = ww_refs_number(s->launches, row, CTAS);
        *out = strstr(name, "CTAs") != NULL      ? ctas
               : strstr(name, "threads") == name ? ctas * THREADS
               : strstr(name, "shared") == name
                   ? ctas * ww_refs_number(s->launches, row, SHARED) / KIB
                   : ww_refs_number(s->launches, row, REGISTERS);
        return WW_OK;
    }
    return ww_fail(err, WW_ENOTFOUND, "%s was not launched", kernels[kernel]);
}

static ww_status resource(const h264 *s, const char *name, int kernel, double *out, ww_error *err)
{
    if (strcmp(name, "IPC") == 0) {
        return mean_over_modes(s, "IPC", kernel, out, err);
    }
    if (strstr(name, "stalled") == NULL) {
        return resource_of_launch(s, name, kernel, out, err);
    }
    WW_TRY(mean_over_modes(s, "PS", kernel, out, err));
    *out *= 100;
    return WW_OK;
}

static ww_status fill_resources(h264 *s, ww_table *t, ww_error *err)
{
    ww_table_head(t, "resource");
    ww_pair_head(t, s->document.output, "chroma");
    ww_pair_head(t, s->document.output, "luma");
    for (size_t row = 0; row < ww_refs_rows(s->resources); row++) {
        const char *name = ww_refs_text(s->resources, row, RESOURCE);
        ww_table_text(t, name);
        for (int k = 0; k < KERNELS; k++) {
            double published = ww_refs_number(s->resources, row, k == CHROMA ? OF_CHROMA : OF_LUMA);
            double ours = 0;
            WW_TRY(resource(s, name, k, &ours, err));
            add_pair(s, t, published, ours, published == floor(published) ? 0 : 1, false);
        }
    }
    return WW_OK;
}

/* ---- table 5, figures 1 and 2 ---- */

typedef struct change {
    double ipc, lowest, highest, power, energy, with_static; /* over the base, means over modes */
} change;

static ww_status change_of(const h264 *s, size_t set, int kernel, change *out, ww_error *err)
{
    const size_t modes = ww_refs_rows(s->modes);
    *out = (change){.lowest = (double)INFINITY};
    for (size_t m = 0; m < modes; m++) {
        size_t a = 0, b = 0;
        double before = 0, after = 0;
        const ww_study *base = s->set[0], *more = s->set[set];
        WW_TRY(metric(s, 0, m, kernel, "IPC", &before, err));
        WW_TRY(metric(s, set, m, kernel, "IPC", &after, err));
        WW_TRY(find(s, 0, m, kernel, &a, err));
        WW_TRY(find(s, set, m, kernel, &b, err));
        const double time = more->time_s[b] / base->time_s[a], n = (double)modes;
        const double power = more->dynamic_w[b] / base->dynamic_w[a];
        const double whole =
            (more->dynamic_w[b] + more->static_w[b]) / (base->dynamic_w[a] + base->static_w[a]);
        out->ipc += after / before / n;
        out->lowest = fmin(out->lowest, after / before);
        out->highest = fmax(out->highest, after / before);
        out->power += power / n;
        out->energy += power * time / n;
        out->with_static += whole * time / n;
    }
    return WW_OK;
}

/* Adds something that is asked, "SUBJECT: WHAT", and judges it. */
static ww_status ask(h264 *s, const char *subject, const char *what, double value, ww_error *err)
{
    ww_row row = ww_row_of(subject, what, "");
    const ww_bar *bar;
    row.ours = value;
    WW_TRY(subject != NULL ? WW_OK : ww_no_memory(err));
    WW_TRY(ww_bars_find(s->bars, "h264", what, &bar, err));
    ww_judge(&row, bar, value);
    return ww_rows_add(&s->asked, &row, err);
}

/* IPC must be above that of the base and energy below: how far the worse of the two is off. */
static double worse_of(const change *c)
{
    double ipc = 1 - c->ipc, energy = c->energy - 1;
    return isnan(ipc) || isnan(energy) ? (double)NAN : fmax(ipc, energy);
}

static double percent(double ratio)
{
    return 100 * (ratio - 1);
}

static ww_status add_change(h264 *s, ww_table *t, size_t row, ww_error *err)
{
    const ww_refs *refs = s->configurations;
    const char *kernel = ww_refs_text(refs, row, KERNEL);
    const char *name = ww_refs_text(refs, row, CONFIGURATION);
    change c;
    char text[64];
    WW_TRY(change_of(s, ww_refs_word(refs, row, CONFIGURATION),
                     (int)ww_refs_word(refs, row, KERNEL), &c, err));
    snprintf(text, sizeof text, "%+.0f to %+.0f", percent(c.lowest), percent(c.highest));
    ww_table_text(t, kernel);
    ww_table_text(t, name);
    add_pair(s, t, ww_refs_number(refs, row, IPC_CHANGE), percent(c.ipc), 0, true);
    ww_table_text(t, text);
    add_pair(s, t, ww_refs_number(refs, row, POWER_CHANGE), percent(c.power), 0, true);
    add_pair(s, t, ww_refs_number(refs, row, ENERGY_CHANGE), percent(c.energy), 0, true);
    ww_table_number(t, percent(c.with_static), 0);
    return ask(s, ww_arena_printf(&s->arena, "%s, %s", kernel, name), "IPC rises, energy falls",
               worse_of(&c), err);
}

static ww_status fill_configurations(h264 *s, ww_table *t, ww_error *err)
{
    const ww_output *output = s->document.output;
    ww_table_head(t, "kernel");
    ww_table_head(t, "configuration");
    ww_pair_head(t, output, "IPC_pct");
    ww_table_head(t, "IPC_of_modes_pct");
    ww_pair_head(t, output, "dynamic_power_pct");
    ww_pair_head(t, output, "dynamic_energy_pct");
    ww_table_head(t, "energy_with_static_pct");
    for (size_t row = 0; row < ww_refs_rows(s->configurations); row++) {
        WW_TRY(add_change(s, t, row, err));
    }
    return WW_OK;
}

/* ---- what is asked ---- */

/* Whether mode b must use fewer lanes than mode a: where the vectors' fractions differ, the smaller
 * the partitions are; whole macroblocks use more than any. */
static bool is_larger(const h264 *s, size_t a, size_t b)
{
    enum { MACROBLOCK = 16, YES = 0 };
    double edge = ww_refs_number(s->modes, a, EDGE);
    bool branches = ww_refs_word(s->modes, a, BRANCHES) == YES;
    bool alike = ww_refs_word(s->modes, a, MEMORY) == ww_refs_word(s->modes, b, MEMORY);
    return edge > ww_refs_number(s->modes, b, EDGE) && ww_refs_word(s->modes, b, BRANCHES) == YES &&
           (edge >= MACROBLOCK || (branches && alike));
}

static ww_status ask_su(h264 *s, ww_error *err)
{
    double rises = 0; /* pairs of modes */
    for (size_t i = 0; i < ww_refs_rows(s->modes); i++) {
        for (size_t k = 0; k < ww_refs_rows(s->modes); k++) {
            double larger = 0, smaller = 0;
            if (is_larger(s, i, k)) {
                WW_TRY(metric(s, 0, i, LUMA, "SU", &larger, err));
                WW_TRY(metric(s, 0, k, LUMA, "SU", &smaller, err));
                rises += larger > smaller ? 0 : 1;
            }
        }
    }
    return ask(s, "mc_luma", "SU falls with the size of the partitions", rises, err);
}

static const char *show_asked(const ww_row *row, char room[WW_SHOWN_CHARS])
{
    snprintf(room, WW_SHOWN_CHARS, "%s: %s", row->subject, row->what);
    return room;
}

static ww_status show(h264 *s, const char *name, const char *title,
                      ww_status (*fill)(h264 *s, ww_table *t, ww_error *err), ww_error *err)
{
    ww_table t;
    ww_table_init(&t, name);
    ww_status status = fill(s, &t, err);
    if (status != WW_OK) {
        ww_table_fini(&t);
        return status;
    }
    return ww_document_table(&s->document, &t, title, err);
}

static ww_status compare(h264 *s, ww_error *err)
{
    static const ww_column asked[] = {
        {"what", .field = WW_SHOW_TEXT, .text = show_asked},
        {"verdict", .field = WW_SHOW_TEXT, .text = ww_show_verdict},
    };
    WW_TRY(show(s, "modes", "Table 3: IPC and SIMD utilisation [lanes], published / ours",
                fill_modes, err));
    WW_TRY(
        show(s, "resources", "Table 4: resources per SM, published / ours", fill_resources, err));
    WW_TRY(ask_su(s, err));
    WW_TRY(show(s, "configurations",
                "Table 5, figures 1 and 2: change against the base [%], mean over the modes, "
                "published / ours",
                fill_configurations, err));
    return ww_document_rows(&s->document, &s->asked, "verdicts", asked, WW_ARRAY_LEN(asked),
                            "What is asked of the reconstructed kernels", err);
}

static ww_status load(h264 *s, const char *dir, ww_error *err)
{
    WW_TRY(ww__shipped_bars(&s->arena, &s->bars, err));
    WW_TRY(load_table(s, "h264_modes_gtx580.csv", mode_columns, OF_MODE, &s->modes, err));
    WW_TRY(load_table(s, "h264_resources_gtx580.csv", resource_columns, OF_RESOURCE, &s->resources,
                      err));
    WW_TRY(load_table(s, "h264_configurations_gtx580.csv", configuration_columns, OF_CONFIGURATION,
                      &s->configurations, err));
    return load_results(s, dir, err);
}

ww_status ww_validate_h264(const ww_validation *asked, ww_error *err)
{
    if (asked->results == NULL) {
        return ww_fail(err, WW_EUSAGE,
                       "validate h264 needs --results DIR of warpwatt sweep d553-cta-limit "
                       "--out DIR");
    }
    h264 s = {.bars = NULL};
    ww_status status = load(&s, asked->results, err);
    ww_document_begin(&s.document, &asked->output, WW_TITLES_APART);
    status = status == WW_OK ? compare(&s, err) : status;
    status = ww_document_end(&s.document, status, err);
    status = status == WW_OK ? ww_judge_all(&s.asked, NULL, asked->results, err) : status;
    for (size_t i = 0; i < SETS; i++) {
        ww_study_destroy(s.set[i]);
    }
    ww_rows_fini(&s.asked);
    ww_bars_destroy(s.bars);
    ww_refs_destroy(s.modes);
    ww_refs_destroy(s.resources);
    ww_refs_destroy(s.configurations);
    ww_refs_destroy(s.launches);
    ww_arena_fini(&s.arena);
    return status;
}
