/* ceilings.c - what bounds a study's mechanism, program by program: the paper's number, ours, and
 * the bars of the definition's figure "ceilings" behind it. */
#include <math.h>
#include <string.h>

#include "validation/paper.h"

enum { MOST_BARS = 16, DIGITS = 3 };

static const ww_sweep_figure *find_figure(const ww_sweep *s)
{
    for (size_t i = 0; i < s->figure_count; i++) {
        if (strcmp(s->figure[i].name, "ceilings") == 0 && s->figure[i].value != NULL) {
            return &s->figure[i];
        }
    }
    return NULL;
}

/* Configurations of a figure, copies in the arena; 0: none, or too many. */
static size_t bars_of(const ww_sweep_figure *f, ww_arena *arena, const char *bar[MOST_BARS])
{
    size_t n = 0;
    for (const char *at = f->of + strspn(f->of, " "); *at != '\0'; at += strspn(at, " ")) {
        const size_t length = strcspn(at, " ");
        if (n == MOST_BARS || (bar[n] = ww_arena_strndup(arena, at, length)) == NULL) {
            return 0;
        }
        at += length;
        n++;
    }
    return n;
}

/* Whether a configuration is another machine without a mechanism, not the base as it is: its bar
 * bounds by hardware. */
static bool is_plain(const ww_sweep *s, const char *configuration)
{
    bool differs = false;
    for (size_t i = 0; i < s->set_count; i++) {
        const ww_sweep_set *set = &s->set[i];
        differs = differs || (strcmp(set->name, configuration) == 0 && set->setting_count > 0);
    }
    return differs && !ww_paper_has_mechanism(s, configuration);
}

/* The paper's number of one program: of the band that has the first bar's value for it alone. */
static const char *printed_of(ww_paper *paper, const char *measure, const char *label)
{
    size_t n;
    const ww_band *band = ww_paper_bands(paper, &n);
    for (size_t i = 0; i < n; i++) {
        if (strcmp(band[i].over, label) == 0 && strcmp(band[i].measure, measure) == 0) {
            return band[i].printed;
        }
    }
    return "";
}

/* The plain machine that gains most over the base, where it gains a twentieth or more; "not run":
 * there is the number of none. */
static const char *what_binds(const ww_sweep *s, const char *const *bar, const double *value,
                              size_t bars)
{
    double most = 1.05;
    const char *binds = NULL;
    bool run = false;
    for (size_t b = 0; b < bars; b++) {
        const bool counts = is_plain(s, bar[b]) && !isnan(value[b]);
        run = run || counts;
        if (counts && value[b] > most) {
            most = value[b];
            binds = bar[b];
        }
    }
    return binds != NULL ? binds : run ? "none of them" : "not run";
}

static ww_status add_row(ww_paper *paper, const ww_sweep_figure *f, const ww_sweep_item *item,
                         const char *const *bar, size_t bars, ww_arena *arena, ww_table *t,
                         ww_error *err)
{
    double value[MOST_BARS];
    const char *measure = ww_arena_printf(arena, "%s:%s", bar[0], f->value);
    if (measure == NULL) {
        return ww_no_memory(err);
    }
    ww_table_text(t, item->label);
    ww_table_text(t, printed_of(paper, measure, item->label));
    for (size_t b = 0; b < bars; b++) {
        ww_row row;
        WW_TRY(ww_paper_value(paper, f->value, bar[b], item, &row, err));
        value[b] = row.ours;
        if (isnan(row.ours)) {
            ww_table_text(t, "");
        } else {
            ww_table_number(t, row.ours, DIGITS);
        }
    }
    ww_table_text(t, what_binds(ww_paper_sweep(paper), bar, value, bars));
    return WW_OK;
}

static ww_status fill(ww_paper *paper, const ww_sweep_figure *f, ww_arena *arena, ww_table *t,
                      ww_error *err)
{
    const ww_sweep *s = ww_paper_sweep(paper);
    const char *bar[MOST_BARS];
    const size_t bars = bars_of(f, arena, bar);
    if (bars == 0) {
        return ww_fail(err, WW_ERANGE, "figure ceilings: from one to %d configurations", MOST_BARS);
    }
    ww_table_head(t, "workload");
    ww_table_head(t, "printed");
    for (size_t b = 0; b < bars; b++) {
        ww_table_head(t, bar[b]);
    }
    ww_table_head(t, "binds");
    for (size_t i = 0; i < s->item_count; i++) {
        bool in;
        WW_TRY(ww_paper_in(paper, f->over, &s->item[i], &in, err));
        if (in) {
            WW_TRY(add_row(paper, f, &s->item[i], bar, bars, arena, t, err));
        }
    }
    return WW_OK;
}

ww_status ww_paper_ceilings(ww_paper *paper, ww_table *out, bool *any, ww_error *err)
{
    ww_arena arena = {0};
    const ww_sweep_figure *f = find_figure(ww_paper_sweep(paper));
    *any = f != NULL;
    ww_table_init(out, "ceilings");
    ww_status status = f != NULL ? fill(paper, f, &arena, out, err) : WW_OK;
    ww_arena_fini(&arena);
    return status;
}
