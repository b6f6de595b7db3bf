/* report_pass.c - a model's pass: what its operators add to time and energy, and how far each is
 * from what the machine could. From operators.csv. */
#include <math.h>
#include <string.h>

#include "analysis/report_parts.h"

enum { MOST_KINDS = 16, MOST_ROOFS = 4, SAMPLES = 161 };

/* Rows of operators.csv; the last one is what passes between kernels. */
typedef struct pass {
    size_t rows;
    const char **name, **kind; /* [rows] */
    double *count, *time, *energy, *flops, *bytes, *peak;
    double memory_bytes, flop_j, byte_j, idle_w; /* of all */
} pass;

static ww_status no_memory(ww_error *err)
{
    return ww_no_memory(err);
}

/* ---- reading ---- */

/* A number of a row, NaN where the field is empty. */
static ww_status number(const ww_csv *csv, size_t row, size_t column, double *out, ww_error *err)
{
    *out = (double)NAN;
    return ww_csv_text(csv, row, column)[0] == '\0' ? WW_OK
                                                    : ww_csv_double(csv, row, column, out, err);
}

static ww_status read_numbers(const ww_csv *csv, const char *name, double *out, ww_error *err)
{
    size_t column;
    WW_TRY(ww_csv_find(csv, name, &column, err));
    for (size_t i = 0; i < ww_csv_rows(csv); i++) {
        WW_TRY(number(csv, i, column, &out[i], err));
    }
    return WW_OK;
}

static ww_status read_texts(const ww_csv *csv, const char *name, const char **out, ww_error *err)
{
    size_t column;
    WW_TRY(ww_csv_find(csv, name, &column, err));
    for (size_t i = 0; i < ww_csv_rows(csv); i++) {
        out[i] = ww_csv_text(csv, i, column);
    }
    return WW_OK;
}

static ww_status read_shared(const ww_csv *csv, const char *name, double *out, ww_error *err)
{
    size_t column;
    WW_TRY(ww_csv_find(csv, name, &column, err));
    return number(csv, 0, column, out, err);
}

static ww_status read_pass(const ww_csv *csv, ww_arena *arena, pass *p, ww_error *err)
{
    const size_t rows = ww_csv_rows(csv);
    *p = (pass){.rows = rows};
    const struct {
        const char *name;
        double **out;
    } numbers[] = {{"count", &p->count}, {"time", &p->time},   {"energy", &p->energy},
                   {"flops", &p->flops}, {"bytes", &p->bytes}, {"peak_flops", &p->peak}};
    const struct {
        const char *name;
        double *out;
    } shared[] = {{"memory_bytes", &p->memory_bytes},
                  {"joules_per_flop", &p->flop_j},
                  {"joules_per_byte", &p->byte_j},
                  {"idle_power", &p->idle_w}};
    p->name = WW_ARENA_NEW_ARRAY(arena, const char *, rows + 1);
    p->kind = WW_ARENA_NEW_ARRAY(arena, const char *, rows + 1);
    if (rows == 0) {
        return ww_fail(err, WW_ESCHEMA, "operators.csv has no operators");
    }
    if (p->name == NULL || p->kind == NULL) {
        return no_memory(err);
    }
    WW_TRY(read_texts(csv, "operator", p->name, err));
    WW_TRY(read_texts(csv, "kind", p->kind, err));
    for (size_t i = 0; i < WW_ARRAY_LEN(numbers); i++) {
        *numbers[i].out = WW_ARENA_NEW_ARRAY(arena, double, rows);
        if (*numbers[i].out == NULL) {
            return no_memory(err);
        }
        WW_TRY(read_numbers(csv, numbers[i].name, *numbers[i].out, err));
    }
    for (size_t i = 0; i < WW_ARRAY_LEN(shared); i++) {
        WW_TRY(read_shared(csv, shared[i].name, shared[i].out, err));
    }
    return WW_OK;
}

/* ---- the waterfall ---- */

static ww_status fill_waterfall(const pass *p, const double *part, double scale, const char *axis,
                                const char *unit, ww_arena *arena, ww_plot *plot, ww_error *err)
{
    double *value = WW_ARENA_NEW_ARRAY(arena, double, p->rows);
    const char **name = WW_ARENA_NEW_ARRAY(arena, const char *, p->rows);
    if (value == NULL || name == NULL) {
        return no_memory(err);
    }
    for (size_t i = 0; i < p->rows; i++) {
        value[i] = scale * part[i];
        name[i] = p->count[i] > 1
                      ? ww_arena_printf(arena, "%.0f \xC3\x97 %s", p->count[i], p->name[i])
                      : p->name[i];
        if (name[i] == NULL) {
            return no_memory(err);
        }
    }
    plot->kind = WW_PLOT_WATERFALL;
    plot->chart.waterfall = (ww_waterfall_chart){.other_name = "pass",
                                                 .steps = p->rows,
                                                 .name = name,
                                                 .value = value,
                                                 .axis = axis,
                                                 .unit = unit};
    return WW_OK;
}

static void put_csv(const pass *p, ww_str *out)
{
    ww_csv_writer csv;
    ww_csv_init(&csv, out);
    WW_CSV_HEAD(&csv, {"operator", NULL}, {"count", "1"}, {"time", "s"}, {"energy", "J"});
    ww_csv_end_row(&csv);
    for (size_t i = 0; i < p->rows; i++) {
        ww_csv_put_text(&csv, p->name[i]);
        WW_CSV_DOUBLES(&csv, p->count[i], p->time[i], p->energy[i]);
        ww_csv_end_row(&csv);
    }
}

static ww_status add_waterfall(const pass *p, ww_figures *f, ww_error *err)
{
    ww_figure *figure = ww_figures_add(
        f, "pass", "The pass, operator by operator",
        "What each operator of the model adds to the pass's time and to its energy, all of its "
        "occurrences together, in the order in which they first run. The last part passes between "
        "kernels, on an idle card.",
        2);
    if (figure == NULL) {
        return no_memory(err);
    }
    figure->plot[0].suffix = "time";
    figure->plot[0].title = "Time of the pass by operator";
    figure->plot[1].suffix = "energy";
    figure->plot[1].title = "Energy of the pass by operator";
    put_csv(p, &figure->csv);
    WW_TRY(fill_waterfall(p, p->time, 1e3, "time [ms]", "ms", &f->arena, &figure->plot[0], err));
    return fill_waterfall(p, p->energy, 1e3, "energy [mJ]", "mJ", &f->arena, &figure->plot[1], err);
}

/* ---- rooflines ---- */

/* What the two plots share: a point per operator that computes, and the peaks that they have. */
typedef struct points {
    size_t count, kinds, peaks;
    double *x, *rate, *per_joule;
    size_t *of;
    const char *name[2 * MOST_KINDS]; /* of series */
    const char **rate_tip, **joule_tip;
    double peak[MOST_ROOFS];
} points;

static size_t kind_index(points *s, const char *kind)
{
    size_t i = 0;
    while (i < s->kinds && strcmp(s->name[i], kind) != 0) {
        i++;
    }
    if (i == s->kinds && s->kinds < MOST_KINDS) {
        s->name[s->kinds++] = kind;
    }
    return i < MOST_KINDS ? i : MOST_KINDS - 1;
}

static void note_peak(points *s, double peak)
{
    size_t i = 0;
    while (i < s->peaks && s->peak[i] != peak) {
        i++;
    }
    if (i == s->peaks && s->peaks < MOST_ROOFS && peak > 0) {
        s->peak[s->peaks++] = peak;
    }
}

/* An operator that computes has a place below the roofs. */
static bool has_point(const pass *p, size_t i)
{
    return p->flops[i] > 0 && p->bytes[i] > 0 && p->time[i] > 0 && p->energy[i] > 0;
}

static ww_status make_points(const pass *p, ww_arena *arena, points *s, ww_error *err)
{
    *s = (points){.x = WW_ARENA_NEW_ARRAY(arena, double, p->rows),
                  .rate = WW_ARENA_NEW_ARRAY(arena, double, p->rows),
                  .per_joule = WW_ARENA_NEW_ARRAY(arena, double, p->rows),
                  .of = WW_ARENA_NEW_ARRAY(arena, size_t, p->rows),
                  .rate_tip = WW_ARENA_NEW_ARRAY(arena, const char *, p->rows),
                  .joule_tip = WW_ARENA_NEW_ARRAY(arena, const char *, p->rows)};
    if (s->x == NULL || s->rate == NULL || s->per_joule == NULL || s->of == NULL ||
        s->rate_tip == NULL || s->joule_tip == NULL) {
        return no_memory(err);
    }
    for (size_t i = 0; i < p->rows; i++) {
        if (!has_point(p, i)) {
            continue;
        }
        const size_t k = s->count++;
        s->x[k] = p->flops[i] / p->bytes[i];
        s->rate[k] = 1e-12 * p->flops[i] / p->time[i];
        s->per_joule[k] = 1e-9 * p->flops[i] / p->energy[i];
        s->of[k] = kind_index(s, p->kind[i]);
        s->rate_tip[k] = ww_arena_printf(arena, "%s: %.3g TFLOP/s at %.3g FLOP/B", p->name[i],
                                         s->rate[k], s->x[k]);
        s->joule_tip[k] = ww_arena_printf(arena, "%s: %.3g GFLOP/J at %.3g FLOP/B", p->name[i],
                                          s->per_joule[k], s->x[k]);
        if (s->rate_tip[k] == NULL || s->joule_tip[k] == NULL) {
            return no_memory(err);
        }
        note_peak(s, p->peak[i]);
    }
    return WW_OK;
}

/* FLOP a second at an intensity, at best. */
static double best_rate(const pass *p, double peak, double intensity)
{
    return fmin(peak, intensity * p->memory_bytes);
}

/* FLOP a joule, where the units that multiply, DRAM and the idle card alone took any. */
static double best_per_joule(const pass *p, double peak, double intensity)
{
    return 1 / (p->flop_j + p->byte_j / intensity + p->idle_w / best_rate(p, peak, intensity));
}

static double most_of(const points *s)
{
    double most = 0;
    for (size_t i = 0; i < s->peaks; i++) {
        most = fmax(most, s->peak[i]);
    }
    return most;
}

/* From 0.01 to 1,000,000 FLOP/B, twenty samples a power of ten. */
static ww_status fill_roofs(const pass *p, const points *s, bool in_energy, ww_arena *arena,
                            ww_plot *plot, ww_error *err)
{
    const size_t roofs = in_energy ? isfinite(p->flop_j) && isfinite(p->byte_j) : s->peaks;
    double *x = WW_ARENA_NEW_ARRAY(arena, double, SAMPLES);
    double *roof = WW_ARENA_NEW_ARRAY(arena, double, SAMPLES *(roofs + 1));
    if (x == NULL || roof == NULL) {
        return no_memory(err);
    }
    for (size_t i = 0; i < SAMPLES; i++) {
        x[i] = pow(10, -2 + 0.05 * (double)i);
        for (size_t r = 0; r < roofs; r++) {
            roof[i * roofs + r] = in_energy ? 1e-9 * best_per_joule(p, most_of(s), x[i])
                                            : 1e-12 * best_rate(p, s->peak[r], x[i]);
        }
    }
    plot->kind = WW_PLOT_ROOFLINE;
    plot->chart.roofline =
        (ww_roofline_chart){.points = s->count,
                            .series = s->kinds,
                            .x = s->x,
                            .y = in_energy ? s->per_joule : s->rate,
                            .name = in_energy ? s->joule_tip : s->rate_tip,
                            .of = s->of,
                            .series_name = s->name,
                            .roofs = roofs,
                            .samples = SAMPLES,
                            .roof_x = x,
                            .roof = roof,
                            .x_axis = "FLOP per byte of operands",
                            .y_axis = in_energy ? "GFLOP per joule" : "TFLOP per second"};
    return WW_OK;
}

static void put_roofline_csv(const pass *p, ww_str *out)
{
    ww_csv_writer csv;
    ww_csv_init(&csv, out);
    WW_CSV_HEAD(&csv, {"operator", NULL}, {"intensity", "1/B"}, {"rate", "1/s"},
                {"best_rate", "1/s"}, {"per_joule", "1/J"});
    ww_csv_end_row(&csv);
    for (size_t i = 0; i < p->rows; i++) {
        if (!has_point(p, i)) {
            continue;
        }
        const double x = p->flops[i] / p->bytes[i];
        ww_csv_put_text(&csv, p->name[i]);
        WW_CSV_DOUBLES(&csv, x, p->flops[i] / p->time[i], best_rate(p, p->peak[i], x),
                       p->flops[i] / p->energy[i]);
        ww_csv_end_row(&csv);
    }
}

static ww_status add_rooflines(const pass *p, ww_figures *f, ww_error *err)
{
    points *s = WW_ARENA_NEW_ARRAY(&f->arena, points, 1);
    if (s == NULL) {
        return no_memory(err);
    }
    WW_TRY(make_points(p, &f->arena, s, err));
    if (s->count == 0) {
        return WW_OK;
    }
    ww_figure *figure = ww_figures_add(
        f, "roofline", "Rooflines in time and in energy",
        "Operators by the operations that they do on a byte of their operands, each moved once. In "
        "time the lines are the machine's peaks and its memory's bandwidth: operands that the L2 "
        "still holds lift a point over the slope. In energy the line is what the units "
        "that multiply, the DRAM and the idle card take in this pass, if nothing else took any.",
        2);
    if (figure == NULL) {
        return no_memory(err);
    }
    figure->plot[0].suffix = "time";
    figure->plot[0].title = "Roofline in time";
    figure->plot[1].suffix = "energy";
    figure->plot[1].title = "Roofline in energy";
    put_roofline_csv(p, &figure->csv);
    WW_TRY(fill_roofs(p, s, false, &f->arena, &figure->plot[0], err));
    return fill_roofs(p, s, true, &f->arena, &figure->plot[1], err);
}

ww_status ww_figure_pass(const ww_report_set *set, ww_figures *f, ww_error *err)
{
    pass p;
    WW_TRY(read_pass(set->pass, &f->arena, &p, err));
    WW_TRY(add_waterfall(&p, f, err));
    return add_rooflines(&p, f, err);
}
