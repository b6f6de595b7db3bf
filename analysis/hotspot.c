/* hotspot.c - writes HotSpot's files. See hotspot.h. */
#include "analysis/hotspot.h"

#include <math.h>
#include <string.h>

#include "base/assert.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/num.h"
#include "power/thermal.h"

/* ---- floorplan ---- */

void ww_hotspot_put_floorplan(const ww_floorplan *plan, const char *gpu, ww_str *out)
{
    ww_str_addf(out, "# %s: name, width, height, left, bottom; metres\n", gpu);
    for (size_t i = 0; i < plan->count; i++) {
        const ww_tile *t = &plan->tile[i];
        const double field[] = {t->width_m, t->height_m, t->x_m, t->y_m};
        ww_str_add(out, t->name);
        for (size_t k = 0; k < WW_ARRAY_LEN(field); k++) {
            ww_str_add_char(out, '\t');
            ww_str_add_double(out, field[k]);
        }
        ww_str_add_char(out, '\n');
    }
}

/* ---- power over time ---- */

/* Of a launch: its intervals, or itself. */
static size_t stretches_of(const ww_launch_record *launch)
{
    return launch->interval_count > 0 ? launch->interval_count : 1;
}

static ww_stretch stretch_of(const ww_launch_record *launch, size_t i, bool totals)
{
    return (ww_stretch){.launch = launch,
                        .interval = launch->interval_count > 0 ? &launch->intervals[i] : NULL,
                        .totals = totals};
}

static double seconds_of(const ww_stretch *s)
{
    const ww_counter_set *counters =
        s->interval != NULL ? &s->interval->counters : s->launch->counters;
    double hz = s->interval != NULL ? ww_interval_hz(s->launch, s->interval) : s->launch->core_hz;
    return (double)ww_counter_total(counters, WW_C_CORE_CYCLES) / hz;
}

/* Spreads the joules of a stretch over the steps that it lies in. */
static void add_stretch(ww_hotspot_trace *t, const double *tile_j, double from_s, double seconds)
{
    double to_s = from_s + seconds;
    size_t first = (size_t)fmin(floor(from_s / t->step_s), (double)(t->steps - 1));
    for (size_t step = first; step < t->steps; step++) {
        double begin_s = t->step_s * (double)step;
        double end_s = step + 1 < t->steps ? begin_s + t->step_s : (double)INFINITY;
        double inside_s = fmin(to_s, end_s) - fmax(from_s, begin_s);
        if (begin_s >= to_s) {
            break;
        }
        for (size_t i = 0; inside_s > 0 && i < t->tiles; i++) {
            t->watts[step * t->tiles + i] += tile_j[i] * (inside_s / seconds) / t->step_s;
        }
    }
}

static ww_status add_launches(const ww_result_set *set, const ww_floorplan *own, bool totals,
                              ww_hotspot_trace *t, double *tile_j, ww_error *err)
{
    double now_s = 0;
    for (size_t l = 0; l < set->launch_count; l++) {
        for (size_t i = 0; i < stretches_of(&set->launches[l]); i++) {
            ww_stretch s = stretch_of(&set->launches[l], i, totals);
            double beside_j, seconds = seconds_of(&s);
            WW_TRY(ww_floorplan_energy(set->model, own, &s, tile_j, &beside_j, err));
            add_stretch(t, tile_j, now_s, seconds);
            now_s += seconds;
            t->beside_w += beside_j;
            for (size_t k = 0; k < t->tiles; k++) {
                t->mean_w += tile_j[k];
            }
        }
    }
    t->mean_w /= now_s;
    t->beside_w /= now_s;
    return WW_OK;
}

ww_status ww_hotspot_trace_of(const ww_result_set *set, const ww_floorplan *own, bool totals,
                              ww_hotspot_trace *out, ww_error *err)
{
    ww_hotspot_trace t = {.tiles = own->count};
    double all_s = 0;
    for (size_t l = 0; l < set->launch_count; l++) {
        for (size_t i = 0; i < stretches_of(&set->launches[l]); i++) {
            ww_stretch s = stretch_of(&set->launches[l], i, totals);
            all_s += seconds_of(&s);
            t.steps++;
        }
    }
    if (!(all_s > 0)) {
        return ww_fail(err, WW_ENUMERIC, "no launch: no power that would heat the die");
    }
    t.step_s = all_s / (double)t.steps;
    t.watts = ww_alloc_array(t.steps, t.tiles * sizeof *t.watts);
    double *tile_j = WW_NEW_ARRAY(double, t.tiles);
    ww_status status = t.watts != NULL && tile_j != NULL
                           ? add_launches(set, own, totals, &t, tile_j, err)
                           : ww_no_memory(err);
    ww_free(tile_j);
    if (status != WW_OK) {
        ww_hotspot_trace_fini(&t);
        return status;
    }
    *out = t;
    return WW_OK;
}

void ww_hotspot_trace_fini(ww_hotspot_trace *trace)
{
    ww_free(trace->watts);
    *trace = (ww_hotspot_trace){0};
}

static void put_trace(const ww_floorplan *plan, const ww_hotspot_trace *t, ww_str *out)
{
    for (size_t i = 0; i < plan->count; i++) {
        ww_str_addf(out, "%s%s", i > 0 ? "\t" : "", plan->tile[i].name);
    }
    ww_str_add_char(out, '\n');
    for (size_t step = 0; step < t->steps; step++) {
        for (size_t i = 0; i < t->tiles; i++) {
            ww_str_addf(out, "%s%.9g", i > 0 ? "\t" : "", t->watts[step * t->tiles + i]);
        }
        ww_str_add_char(out, '\n');
    }
}

/* ---- package ---- */

/* HotSpot's materials and its heat sink. */
static const double silicon_j_per_m3k = 1.63e6, silicon_w_per_mk = 130, interface_w_per_mk = 4,
                    copper_w_per_mk = 400, spreader_m = 0.001, sink_m = 0.0069, sink_side_m = 0.06;
static const double thinnest_m = 1e-6;   /* of the interface */
static const double least_of_sink = 0.1; /* that air keeps of what is behind the die's case */
static const double pi = 3.14159265358979323846;

static void put_key(ww_str *out, const char *key, double value)
{
    ww_str_addf(out, "-%s\t", key);
    ww_str_add_double(out, value);
    ww_str_add_char(out, '\n');
}

/* What copper adds between a die and the air behind it: its thickness, and the way outwards from
 * the die, of which air_k_per_w takes off what arrives.
 * @source Lee, Song, Au, Moran, "Constriction/spreading resistance model for electronics
 * packaging", ASME/JSME 1995: mean of a round source on a round plate, within a tenth */
static double copper_k_per_w(double die_m2, double plate_m2, double air_k_per_w)
{
    const double a = sqrt(die_m2 / pi), b = sqrt(plate_m2 / pi), thick = spreader_m + sink_m;
    const double of_plate = a / b, tau = thick / b;
    const double biot = 1 / (pi * copper_w_per_mk * b * air_k_per_w);
    const double lambda = pi + 1 / (sqrt(pi) * of_plate), narrow = tanh(lambda * tau);
    const double phi = (narrow + lambda / biot) / (1 + lambda / biot * narrow);
    return 0.5 * pow(1 - of_plate, 1.5) * phi / (sqrt(pi) * copper_w_per_mk * a) +
           thick / (copper_w_per_mk * plate_m2);
}

/* Of what stands behind the case, copper takes its part and leaves air the rest. */
static double air_of(double sink_k_per_w, double die_m2, double plate_m2)
{
    enum { STEPS = 20 };
    double air = sink_k_per_w;
    for (int i = 0; i < STEPS; i++) {
        air = fmax(sink_k_per_w - copper_k_per_w(die_m2, plate_m2, air),
                   least_of_sink * sink_k_per_w);
    }
    return air;
}

/* The die is as thick as its capacity says; with what lies between it and the copper it resists
 * chip.case_k_per_w, copper and air the rest. Our die stands over the inlet by all that the board
 * draws, HotSpot's by what the die draws: its air is that much warmer. */
static void put_package(const ww_package *p, const ww_floorplan *plan, const ww_hotspot_trace *t,
                        const char *gpu, ww_str *out)
{
    double die_m2 = plan->width_m * plan->height_m, side_m = fmax(plan->width_m, plan->height_m);
    double thick_m = p->die_j_per_k / (die_m2 * silicon_j_per_m3k);
    double spreader_side_m = fmax(0.03, 1.1 * side_m), plate_m = fmax(sink_side_m, spreader_side_m);
    double left_k_per_w = p->case_k_per_w - thick_m / (silicon_w_per_mk * die_m2);
    double ambient_k = p->inlet_k + (p->case_k_per_w + p->sink_k_per_w) * t->beside_w;
    ww_str_addf(out,
                "# %s: its package for HotSpot. Air at %.6g K, warmed by %.6g W off the die.\n",
                gpu, p->inlet_k, t->beside_w);
    put_key(out, "t_chip", thick_m);
    put_key(out, "k_chip", silicon_w_per_mk);
    put_key(out, "p_chip", silicon_j_per_m3k);
    put_key(out, "t_interface", fmax(left_k_per_w * interface_w_per_mk * die_m2, thinnest_m));
    put_key(out, "k_interface", interface_w_per_mk);
    put_key(out, "s_spreader", spreader_side_m);
    put_key(out, "t_spreader", spreader_m);
    put_key(out, "k_spreader", copper_w_per_mk);
    put_key(out, "s_sink", plate_m);
    put_key(out, "t_sink", sink_m);
    put_key(out, "k_sink", copper_w_per_mk);
    put_key(out, "r_convec", air_of(p->sink_k_per_w, die_m2, plate_m * plate_m));
    put_key(out, "c_convec", p->sink_j_per_k);
    put_key(out, "ambient", ambient_k);
    put_key(out, "init_temp", ambient_k);
    put_key(out, "sampling_intvl", t->step_s);
    ww_str_add(out, "-leakage_used\t0\n"); /* powers have leakage in them */
}

/* ---- files ---- */

static ww_status write_text(const char *dir, const char *name, const ww_str *text, ww_error *err)
{
    ww_arena arena = {0};
    WW_TRY(ww_str_check(text, err));
    char *path = ww_path_join(&arena, dir, name);
    ww_status status =
        path != NULL ? ww_write_file(path, ww_str_text(text), text->len, err) : ww_no_memory(err);
    ww_arena_fini(&arena);
    return status;
}

static ww_status load_drawn(const char *path, const ww_floorplan *own, ww_floorplan *out,
                            ww_error *err)
{
    enum { MOST_BYTES = 1 << 22 };
    char *text = NULL;
    size_t length = 0;
    WW_TRY(ww_read_file(path, MOST_BYTES, &text, &length, err));
    ww_status status = ww_hotspot_parse_floorplan(path, text, length, out, err);
    ww_free(text);
    return status == WW_OK ? ww_hotspot_match(own, path, out, err) : status;
}

static ww_status write_all(const ww_result_set *set, const char *dir, const ww_floorplan *plan,
                           const ww_hotspot_trace *trace, ww_error *err)
{
    enum { FILES = 3 };
    static const char *const name[FILES] = {WW_HOTSPOT_FLOORPLAN, WW_HOTSPOT_TRACE,
                                            WW_HOTSPOT_CONFIG};
    const char *gpu = ww_arch_name(set->arch);
    ww_package package;
    ww_str text[FILES] = {0};
    WW_TRY(ww_package_of(set->arch, &package, err));
    ww_hotspot_put_floorplan(plan, gpu, &text[0]);
    put_trace(plan, trace, &text[1]);
    put_package(&package, plan, trace, gpu, &text[2]);
    ww_status status = ww_make_dirs(dir, err);
    for (size_t i = 0; i < FILES; i++) {
        status = status == WW_OK ? write_text(dir, name[i], &text[i], err) : status;
        ww_str_fini(&text[i]);
    }
    return status;
}

ww_status ww_hotspot_write(const ww_result_set *set, const char *dir, const char *drawn,
                           bool totals, ww_error *err)
{
    ww_floorplan own, plan = {0};
    ww_hotspot_trace trace = {0};
    WW_TRY(ww_floorplan_of(set->model, &own, err));
    ww_status status = drawn != NULL ? load_drawn(drawn, &own, &plan, err) : WW_OK;
    status = status == WW_OK ? ww_hotspot_trace_of(set, &own, totals, &trace, err) : status;
    status =
        status == WW_OK ? write_all(set, dir, drawn != NULL ? &plan : &own, &trace, err) : status;
    ww_hotspot_trace_fini(&trace);
    ww_floorplan_fini(&plan);
    ww_floorplan_fini(&own);
    return status;
}
