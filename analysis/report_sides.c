/* report_sides.c - components of all sets side by side: a group of bars per kernel, one per set. */
#include <math.h>
#include <string.h>

#include "analysis/kernel_name.h"
#include "analysis/report_parts.h"

enum { MOST_BARS = 160 }; /* of more, a drawing is longer than anybody reads */

/* Bars and parts of the drawing, and what its table is made of. */
typedef struct sides {
    const ww_comparison *c;
    const ww_study **study; /* [sets] */
    size_t *at;             /* [kernels * sets] the set's number of the kernel */
    const char **name;      /* [parts] components of any set, static power behind them */
    size_t parts;
    double *value, *sigma; /* [kernels * sets * parts], [kernels * sets] */
    const char **row;      /* [kernels * sets] */
} sides;

static size_t number_of(const ww_study *study, const char *kernel)
{
    size_t k = 0;
    while (strcmp(study->kernel[k], kernel) != 0) {
        k++;
    }
    return k;
}

/* Components of the first set in its order, then what only others have. */
static bool find_parts(sides *s, ww_arena *arena)
{
    size_t most = 1;
    for (size_t i = 0; i < s->c->sets; i++) {
        most += s->study[i]->component_count;
    }
    s->name = WW_ARENA_NEW_ARRAY(arena, const char *, most);
    for (size_t i = 0; s->name != NULL && i < s->c->sets; i++) {
        for (size_t k = 0; k < s->study[i]->component_count; k++) {
            const char *name = s->study[i]->component[k].name;
            size_t p = 0;
            while (p < s->parts && strcmp(s->name[p], name) != 0) {
                p++;
            }
            s->name[p] = name;
            s->parts += p == s->parts;
        }
    }
    if (s->name != NULL && s->c->with_static) {
        s->name[s->parts++] = "static";
    }
    return s->name != NULL;
}

static double part_w(const sides *s, size_t set, size_t kernel, size_t part)
{
    const ww_study_column *component = ww_study_component(s->study[set], s->name[part]);
    bool is_static = s->c->with_static && part + 1 == s->parts;
    return is_static           ? s->study[set]->static_w[kernel]
           : component != NULL ? component->value[kernel]
                               : (double)NAN;
}

static bool fill(sides *s, ww_arena *arena)
{
    size_t bars = s->c->kernels * s->c->sets;
    s->at = WW_ARENA_NEW_ARRAY(arena, size_t, bars);
    s->row = WW_ARENA_NEW_ARRAY(arena, const char *, bars);
    s->sigma = WW_ARENA_NEW_ARRAY(arena, double, bars);
    s->value = WW_ARENA_NEW_ARRAY(arena, double, bars * s->parts + 1);
    if (s->at == NULL || s->row == NULL || s->sigma == NULL || s->value == NULL) {
        return false;
    }
    for (size_t bar = 0; bar < bars; bar++) {
        size_t set = bar % s->c->sets;
        s->at[bar] = number_of(s->study[set], s->c->kernel[bar / s->c->sets]);
        s->row[bar] = s->c->set[set];
        s->sigma[bar] = s->c->with_static ? s->study[set]->sigma_w[s->at[bar]] : (double)NAN;
        for (size_t p = 0; p < s->parts; p++) {
            s->value[bar * s->parts + p] = part_w(s, set, s->at[bar], p);
        }
    }
    return true;
}

static ww_status put_csv(const sides *s, ww_arena *arena, ww_str *out, ww_error *err)
{
    size_t components = s->parts - s->c->with_static;
    ww_csv_writer csv;
    ww_csv_init(&csv, out);
    ww_csv_put_header(&csv, "kernel", NULL);
    ww_csv_put_header(&csv, "set", NULL);
    ww_csv_put_header(&csv, "total", "W");
    for (size_t p = 0; p < s->parts; p++) {
        ww_csv_put_header(&csv, s->name[p], "W");
    }
    ww_csv_put_header(&csv, "total_plus_minus", "W");
    for (size_t p = 0; p < components; p++) {
        const char *name = ww_arena_printf(arena, "%s_plus_minus", s->name[p]);
        if (name == NULL) {
            return ww_no_memory(err);
        }
        ww_csv_put_header(&csv, name, "W");
    }
    ww_csv_end_row(&csv);
    for (size_t bar = 0; bar < s->c->kernels * s->c->sets; bar++) {
        const ww_study *study = s->study[bar % s->c->sets];
        ww_csv_put_text(&csv, s->c->kernel[bar / s->c->sets]);
        ww_csv_put_text(&csv, s->row[bar]);
        ww_csv_put_double(&csv, ww_comparison_absolute(s->c, bar % s->c->sets, bar / s->c->sets,
                                                       WW_QUANTITY_POWER));
        ww_csv_put_doubles(&csv, &s->value[bar * s->parts], s->parts);
        ww_csv_put_double(&csv, s->sigma[bar]);
        for (size_t p = 0; p < components; p++) {
            const ww_study_column *own = ww_study_component(study, s->name[p]);
            ww_csv_put_double(&csv, own != NULL ? own->sigma[s->at[bar]] : (double)NAN);
        }
        ww_csv_end_row(&csv);
    }
    return ww_csv_finish(&csv, err);
}

ww_status ww_figure_sides(const ww_report *report, ww_figures *f, ww_error *err)
{
    const ww_comparison *c = &f->comparison;
    sides s = {.c = c, .study = WW_ARENA_NEW_ARRAY(&f->arena, const ww_study *, report->count)};
    for (size_t i = 0; s.study != NULL && i < report->count; i++) {
        s.study[i] = report->set[i].study;
    }
    if (s.study == NULL || !find_parts(&s, &f->arena)) {
        return ww_no_memory(err);
    }
    if (s.parts < 2) {
        return WW_OK; /* no component is known */
    }
    const char *const *group = ww_kernel_plain_all(&f->arena, c->kernel, c->kernels);
    ww_figure *figure = ww_figures_add(
        f, "components", "Comparison by component",
        c->with_static ? "Mean power of every kernel by component, a bar for each set. The number "
                         "at the end of a bar is the sum, static power included, with its standard "
                         "uncertainty where that is known; the data have that of each component."
                       : "Mean dynamic power of every kernel by component, a bar for each set. The "
                         "number at the end of a bar is the sum.",
        c->kernels * c->sets <= MOST_BARS ? 1 : 0);
    if (figure == NULL || group == NULL || !fill(&s, &f->arena)) {
        return ww_no_memory(err);
    }
    figure->plot->kind = WW_PLOT_STACK;
    figure->plot->chart.stack =
        (ww_stack_chart){.rows = c->kernels * c->sets,
                         .series = s.parts,
                         .row = s.row,
                         .name = s.name,
                         .value = s.value,
                         .sigma = s.sigma,
                         .axis = c->with_static ? "mean power [W]" : "dynamic power [W]",
                         .unit = "W",
                         .decimals = 1,
                         .totals = true,
                         .group_rows = c->sets,
                         .group = group};
    return put_csv(&s, &f->arena, &figure->csv, err);
}
