/* validate_h264.c - `warpwatt validate h264`: the study of H.264 motion compensation in LPGPU
 * D5.5.3 (tables 3 to 5, figures 1 and 2) beside the result folders of the sweep d553-cta-limit.
 * The kernels are reconstructions: what is asked of them is which way things go, not by how much.
 */
#include <math.h>
#include <string.h>

#include "analysis/study.h"
#include "analysis/table.h"
#include "base/csv.h"
#include "base/file.h"
#include "cli/validate.h"

enum { MOST_MODES = 16, KERNELS = 2, CHROMA = 0, LUMA = 1 };

static const char *const set_names[] = {"base", "config1", "config2", "config3", "config4"};

typedef struct mode {
    const char *name, *workload;
    double edge; /* of every partition; NaN: of several */
    bool branches, memory;
    double ipc[KERNELS], su[KERNELS]; /* published */
} mode;

typedef struct h264 {
    ww_arena arena;
    ww_csv *modes_csv, *resources, *configurations;
    mode mode[MOST_MODES];
    size_t modes;
    ww_study *set[WW_ARRAY_LEN(set_names)];
    ww_csv *launches; /* kernels.csv of the first mode on the base machine */
    bool quiet, json, markdown;
    ww_str json_text;
    ww_json document;
    size_t missed;
} h264;

static const char *const kernels[KERNELS] = {"mc_chroma", "mc_luma"};

/* ---- input ---- */

static ww_status load_table(h264 *s, const char *name, ww_csv **out, ww_error *err)
{
    const char *path;
    char file[96];
    snprintf(file, sizeof file, "lpgpu/%s", name);
    WW_TRY(ww_validation_file(&s->arena, file, &path, err));
    return ww_csv_load(path, out, err);
}

/* A field of a column by name; an empty one is NaN. */
static ww_status number(const ww_csv *csv, size_t row, const char *column, double *out,
                        ww_error *err)
{
    size_t at;
    WW_TRY(ww_csv_find(csv, column, &at, err));
    *out = (double)NAN;
    return ww_csv_text(csv, row, at)[0] == '\0' ? WW_OK : ww_csv_double(csv, row, at, out, err);
}

static ww_status word(const ww_csv *csv, size_t row, const char *column, const char **out,
                      ww_error *err)
{
    size_t at;
    WW_TRY(ww_csv_find(csv, column, &at, err));
    *out = ww_csv_text(csv, row, at);
    return WW_OK;
}

static ww_status load_modes(h264 *s, ww_error *err)
{
    WW_TRY(load_table(s, "h264_modes_gtx580.csv", &s->modes_csv, err));
    for (size_t i = 0; i < ww_csv_rows(s->modes_csv) && i < MOST_MODES; i++) {
        const ww_csv *csv = s->modes_csv;
        mode *m = &s->mode[s->modes++];
        const char *branches, *memory;
        WW_TRY(word(csv, i, "mode", &m->name, err));
        WW_TRY(word(csv, i, "workload", &m->workload, err));
        WW_TRY(word(csv, i, "branches", &branches, err));
        WW_TRY(word(csv, i, "memory", &memory, err));
        m->branches = branches[0] == 'y';
        m->memory = memory[0] == 'y';
        WW_TRY(number(csv, i, "edge", &m->edge, err));
        WW_TRY(number(csv, i, "chroma_ipc", &m->ipc[CHROMA], err));
        WW_TRY(number(csv, i, "chroma_su", &m->su[CHROMA], err));
        WW_TRY(number(csv, i, "luma_ipc", &m->ipc[LUMA], err));
        WW_TRY(number(csv, i, "luma_su", &m->su[LUMA], err));
    }
    return WW_OK;
}

static ww_status load_results(h264 *s, const char *dir, ww_error *err)
{
    for (size_t i = 0; i < WW_ARRAY_LEN(set_names); i++) {
        const char *path = ww_path_join(&s->arena, dir, set_names[i]);
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
                                        s->modes > 0 ? s->mode[0].workload : "");
    return first == NULL ? ww_no_memory(err) : ww_csv_load(first, &s->launches, err);
}

/* The row of a mode's kernel in a set. */
static ww_status find(const h264 *s, size_t set, size_t m, int kernel, size_t *out, ww_error *err)
{
    char label[128];
    snprintf(label, sizeof label, "%s/%s", s->mode[m].workload, kernels[kernel]);
    for (size_t i = 0; i < s->set[set]->kernel_count; i++) {
        if (strcmp(s->set[set]->kernel[i], label) == 0) {
            *out = i;
            return WW_OK;
        }
    }
    return ww_fail(err, WW_ENOTFOUND, "%s has no results of %s: finish the sweep first",
                   s->set[set]->name, label);
}

static ww_status metric(const h264 *s, size_t set, size_t m, int kernel, const char *name,
                        double *out, ww_error *err)
{
    size_t row = 0;
    const ww_study_column *c = ww_study_metric(s->set[set], name);
    WW_TRY(find(s, set, m, kernel, &row, err));
    *out = c != NULL ? c->value[row] : (double)NAN;
    return WW_OK;
}

/* ---- output ---- */

static ww_status show(h264 *s, ww_table *t, const char *title, ww_error *err)
{
    ww_status status = WW_OK;
    if (!s->quiet && s->json) {
        ww_table_put_json(t, &s->document);
    } else if (!s->quiet) {
        printf(s->markdown ? "\n**%s**\n\n" : "\n%s\n\n", title);
        status = s->markdown ? ww_table_print_markdown(t, stdout, err)
                             : ww_table_print(t, false, stdout, err);
    }
    ww_table_fini(t);
    return status;
}

/* Pairs "published / ours" are one cell in print and two in JSON. */
static void pair_head(const h264 *s, ww_table *t, const char *name)
{
    char published[64];
    snprintf(published, sizeof published, "%s_published", name);
    if (s->json) {
        ww_table_head(t, published);
    }
    ww_table_head(t, name);
}

static void pair(const h264 *s, ww_table *t, double published, double ours, int decimals, bool sign)
{
    char text[64];
    if (s->json) {
        ww_table_number(t, published, decimals);
        ww_table_number(t, ours, decimals + 2);
        return;
    }
    snprintf(text, sizeof text, sign ? "%+.*f / %+.*f" : "%.*f / %.*f", decimals, published,
             decimals, ours);
    ww_table_text(t, text);
}

static double percent(double ratio)
{
    return 100 * (ratio - 1);
}

/* ---- table 3 ---- */

static ww_status table3(h264 *s, ww_error *err)
{
    static const char *const head[] = {"chroma_IPC", "chroma_SU", "luma_IPC", "luma_SU"};
    ww_table t;
    ww_status status = WW_OK;
    ww_table_init(&t, "modes");
    ww_table_head(&t, "mode");
    for (size_t i = 0; i < WW_ARRAY_LEN(head); i++) {
        pair_head(s, &t, head[i]);
    }
    for (size_t m = 0; status == WW_OK && m < s->modes; m++) {
        ww_table_text(&t, s->mode[m].name);
        for (int k = 0; status == WW_OK && k < KERNELS; k++) {
            double ipc = 0, su = 0;
            status = metric(s, 0, m, k, "IPC", &ipc, err);
            status = status == WW_OK ? metric(s, 0, m, k, "SU", &su, err) : status;
            if (status == WW_OK) {
                pair(s, &t, s->mode[m].ipc[k], ipc, 0, false);
                pair(s, &t, s->mode[m].su[k], su, 1, false);
            }
        }
    }
    if (status != WW_OK) {
        ww_table_fini(&t);
        return status;
    }
    return show(s, &t, "Table 3: IPC and SIMD utilisation [lanes], published / ours", err);
}

/* ---- table 4 ---- */

/* Means over the modes, or what the launch of the first mode took. */
static ww_status resource(const h264 *s, const char *name, int kernel, double *out, ww_error *err)
{
    double sum = 0, registers, shared, ctas;
    const bool ipc = strcmp(name, "IPC") == 0;
    if (ipc || strstr(name, "stalled") != NULL) {
        for (size_t m = 0; m < s->modes; m++) {
            double value;
            WW_TRY(metric(s, 0, m, kernel, ipc ? "IPC" : "PS", &value, err));
            sum += ipc ? value : 100 * value;
        }
        *out = sum / (double)s->modes;
        return WW_OK;
    }
    for (size_t row = 0; row < ww_csv_rows(s->launches); row++) {
        const char *of;
        WW_TRY(word(s->launches, row, "kernel", &of, err));
        if (strcmp(of, kernels[kernel]) != 0) {
            continue;
        }
        WW_TRY(number(s->launches, row, "registers", &registers, err));
        WW_TRY(number(s->launches, row, "shared", &shared, err));
        WW_TRY(number(s->launches, row, "ctas_per_sm", &ctas, err));
        *out = strstr(name, "CTAs") != NULL      ? ctas
               : strstr(name, "threads") == name ? ctas * 64
               : strstr(name, "shared") == name  ? ctas * shared / 1024
                                                 : registers;
        return WW_OK;
    }
    return ww_fail(err, WW_ENOTFOUND, "%s was not launched", kernels[kernel]);
}

static ww_status table4(h264 *s, ww_error *err)
{
    static const char *const columns[KERNELS] = {"chroma", "luma"};
    ww_table t;
    ww_table_init(&t, "resources");
    ww_table_head(&t, "resource");
    for (int k = 0; k < KERNELS; k++) {
        pair_head(s, &t, columns[k]);
    }
    ww_status status = WW_OK;
    for (size_t row = 0; status == WW_OK && row < ww_csv_rows(s->resources); row++) {
        const char *name;
        status = word(s->resources, row, "resource", &name, err);
        if (status == WW_OK) {
            ww_table_text(&t, name);
        }
        for (int k = 0; status == WW_OK && k < KERNELS; k++) {
            double published, ours = 0;
            status = number(s->resources, row, columns[k], &published, err);
            status = status == WW_OK ? resource(s, name, k, &ours, err) : status;
            if (status == WW_OK) {
                pair(s, &t, published, ours, published == floor(published) ? 0 : 1, false);
            }
        }
    }
    if (status != WW_OK) {
        ww_table_fini(&t);
        return status;
    }
    return show(s, &t, "Table 4: resources per SM, published / ours", err);
}

/* ---- table 5, figures 1 and 2 ---- */

typedef struct change {
    double ipc, lowest, highest, power, energy, with_static; /* over the base, means over modes */
} change;

static ww_status change_of(const h264 *s, size_t set, int kernel, change *out, ww_error *err)
{
    *out = (change){.lowest = (double)INFINITY};
    for (size_t m = 0; m < s->modes; m++) {
        size_t a = 0, b = 0;
        double before = 0, after = 0;
        const ww_study *base = s->set[0], *more = s->set[set];
        WW_TRY(metric(s, 0, m, kernel, "IPC", &before, err));
        WW_TRY(metric(s, set, m, kernel, "IPC", &after, err));
        WW_TRY(find(s, 0, m, kernel, &a, err));
        WW_TRY(find(s, set, m, kernel, &b, err));
        const double time = more->time_s[b] / base->time_s[a], n = (double)s->modes;
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

static ww_status change_row(h264 *s, ww_table *t, ww_table *verdicts, size_t row, ww_error *err)
{
    const ww_csv *csv = s->configurations;
    const char *kernel, *name;
    double ipc, power, energy;
    size_t set = 1;
    change c;
    char text[64];
    WW_TRY(word(csv, row, "kernel", &kernel, err));
    WW_TRY(word(csv, row, "configuration", &name, err));
    WW_TRY(number(csv, row, "ipc_change", &ipc, err));
    WW_TRY(number(csv, row, "power_change", &power, err));
    WW_TRY(number(csv, row, "energy_change", &energy, err));
    while (set + 1 < WW_ARRAY_LEN(set_names) && strcmp(set_names[set], name) != 0) {
        set++;
    }
    WW_TRY(change_of(s, set, strcmp(kernel, kernels[LUMA]) == 0 ? LUMA : CHROMA, &c, err));
    ww_table_text(t, kernel);
    ww_table_text(t, name);
    pair(s, t, ipc, percent(c.ipc), 0, true);
    snprintf(text, sizeof text, "%+.0f to %+.0f", percent(c.lowest), percent(c.highest));
    ww_table_text(t, text);
    pair(s, t, power, percent(c.power), 0, true);
    pair(s, t, energy, percent(c.energy), 0, true);
    ww_table_number(t, percent(c.with_static), 0);

    bool met = c.ipc > 1 && c.energy < 1;
    snprintf(text, sizeof text, "%s, %s: IPC rises, energy falls", kernel, name);
    ww_table_text(verdicts, text);
    ww_table_text(verdicts, met ? "met" : "MISSED");
    s->missed += !met;
    return WW_OK;
}

static ww_status figures(h264 *s, ww_table *verdicts, ww_error *err)
{
    ww_table t;
    ww_status status = WW_OK;
    ww_table_init(&t, "configurations");
    ww_table_head(&t, "kernel");
    ww_table_head(&t, "configuration");
    pair_head(s, &t, "IPC_pct");
    ww_table_head(&t, "IPC_of_modes_pct");
    pair_head(s, &t, "dynamic_power_pct");
    pair_head(s, &t, "dynamic_energy_pct");
    ww_table_head(&t, "energy_with_static_pct");
    for (size_t row = 0; status == WW_OK && row < ww_csv_rows(s->configurations); row++) {
        status = change_row(s, &t, verdicts, row, err);
    }
    if (status != WW_OK) {
        ww_table_fini(&t);
        return status;
    }
    return show(s, &t,
                "Table 5, figures 1 and 2: change against the base [%], mean over the modes, "
                "published / ours",
                err);
}

/* ---- what is asked ---- */

/* Where the vectors' fractions differ, luma uses fewer lanes the smaller the partitions are; whole
 * macroblocks use more than any. */
static ww_status judge_su(h264 *s, ww_table *verdicts, ww_error *err)
{
    bool falls = true;
    for (size_t i = 0; i < s->modes; i++) {
        for (size_t k = 0; k < s->modes; k++) {
            const mode *a = &s->mode[i], *b = &s->mode[k];
            double larger = 0, smaller = 0;
            if (!(a->edge > b->edge) || !b->branches ||
                (a->edge < 16 && (!a->branches || a->memory != b->memory))) {
                continue;
            }
            WW_TRY(metric(s, 0, i, LUMA, "SU", &larger, err));
            WW_TRY(metric(s, 0, k, LUMA, "SU", &smaller, err));
            falls &= larger > smaller;
        }
    }
    ww_table_text(verdicts, "mc_luma: SU falls with the size of the partitions");
    ww_table_text(verdicts, falls ? "met" : "MISSED");
    s->missed += !falls;
    return WW_OK;
}

static ww_status compare(h264 *s, const char *dir, ww_error *err)
{
    ww_table verdicts;
    WW_TRY(load_modes(s, err));
    WW_TRY(load_table(s, "h264_resources_gtx580.csv", &s->resources, err));
    WW_TRY(load_table(s, "h264_configurations_gtx580.csv", &s->configurations, err));
    WW_TRY(load_results(s, dir, err));
    WW_TRY(table3(s, err));
    WW_TRY(table4(s, err));
    ww_table_init(&verdicts, "verdicts");
    ww_table_head(&verdicts, "what");
    ww_table_head(&verdicts, "verdict");
    ww_status status = judge_su(s, &verdicts, err);
    status = status == WW_OK ? figures(s, &verdicts, err) : status;
    if (status != WW_OK) {
        ww_table_fini(&verdicts);
        return status;
    }
    return show(s, &verdicts, "What is asked of the reconstructed kernels", err);
}

ww_status ww_validate_h264(const ww_args *args, ww_error *err)
{
    const char *dir = ww_args_value(args, "results");
    if (dir == NULL) {
        return ww_fail(err, WW_EUSAGE,
                       "validate h264 needs --results DIR of warpwatt sweep d553-cta-limit "
                       "--out DIR");
    }
    h264 s = {.quiet = ww_args_has(args, "quiet"),
              .json = ww_args_has(args, "json"),
              .markdown = ww_args_has(args, "markdown")};
    ww_json_init(&s.document, &s.json_text, 2);
    ww_json_object(&s.document, NULL);
    ww_status status = compare(&s, dir, err);
    if (status == WW_OK && s.json && !s.quiet) {
        ww_json_end(&s.document);
        status = ww_json_print(&s.document, &s.json_text, stdout, err);
    }
    size_t missed = s.missed;
    for (size_t i = 0; i < WW_ARRAY_LEN(s.set); i++) {
        ww_study_destroy(s.set[i]);
    }
    ww_csv_destroy(s.modes_csv);
    ww_csv_destroy(s.resources);
    ww_csv_destroy(s.configurations);
    ww_csv_destroy(s.launches);
    ww_str_fini(&s.json_text);
    ww_arena_fini(&s.arena);
    return status == WW_OK && missed > 0 ? ww_fail(err, WW_EVERIFY, "%zu bars are missed", missed)
                                         : status;
}
