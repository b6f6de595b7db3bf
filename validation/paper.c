/* paper.c - evaluating the measures of a study over its results, and judging them. */
#include "validation/paper.h"

#include <math.h>
#include <string.h>

#include "base/configs.h"
#include "base/file.h"
#include "validation/bands.h"
#include "validation/expression.h"
#include "validation/judge.h"
#include "validation/mean.h"
#include "validation/numbers.h"
#include "validation/totals.h"

enum { MOST_DEPTH = 16 };

struct ww_paper {
    ww_arena arena;
    const char *dir; /* of results; NULL: they are in `numbers` */
    ww_sweep *sweep;
    ww_refs *bands; /* NULL: there is no bands.csv */
    ww_band *band;
    ww_totals **totals; /* [run]; NULL: not read yet */
    ww_numbers numbers; /* all that were asked for, or, without `dir`, that there are */
    bool mechanisms;    /* what was asked last is of a machine with a mechanism, in part */
};

/* What an expression is evaluated for. */
typedef struct context {
    ww_paper *paper;
    const ww_sweep_item *item; /* NULL: the sums over `pool` */
    const char *pool;          /* words */
    const char *self;          /* configuration that "this" names; "": none */
    int depth;                 /* of measures within measures */
    const char *missing;       /* a run without results, the first met */
} context;

/* ---- results ---- */

static const ww_sweep_choice *find_choice(const ww_sweep *s, const char *name)
{
    for (size_t i = 0; i < s->choice_count; i++) {
        if (strcmp(s->choice[i].name, name) == 0) {
            return &s->choice[i];
        }
    }
    return NULL;
}

/* The run of a workload on a configuration, a choice's among them; *missing: there is none (yet).
 */
static ww_status find_run(ww_paper *p, const char *configuration, const ww_sweep_item *item,
                          size_t *out, const char **missing, ww_error *err)
{
    const ww_sweep *s = p->sweep;
    const ww_sweep_choice *choice = find_choice(s, configuration);
    const ww_sweep_set *set = NULL;
    bool known = choice != NULL;
    *missing = NULL;
    if (choice != NULL && p->dir != NULL) {
        WW_TRY(ww_sweep_choose(s, p->dir, choice, item, &set, err));
    }
    for (size_t i = 0; i < s->run_count && (choice == NULL || set != NULL); i++) {
        bool same =
            choice != NULL ? s->run[i].set == set : strcmp(s->run[i].set->name, configuration) == 0;
        known = known || same;
        if (same && s->run[i].item == item) {
            *out = i;
            return WW_OK;
        }
    }
    if (!known) {
        return ww_fail(err, WW_ENOTFOUND, "the sweep has no configuration '%s'", configuration);
    }
    *missing = ww_arena_printf(&p->arena, "%s/%s", configuration, item->label);
    return *missing != NULL ? WW_OK : ww_no_memory(err);
}

static ww_status read_totals(ww_paper *p, size_t run, const ww_totals **out, ww_error *err)
{
    const ww_sweep_run *r = &p->sweep->run[run];
    ww_sweep_state state;
    *out = p->totals[run];
    if (*out != NULL) {
        return WW_OK;
    }
    WW_TRY(ww_sweep_run_state(p->dir, r, &state, err));
    if (state != WW_SWEEP_DONE) {
        return WW_OK;
    }
    char *folder = ww_path_join(&p->arena, p->dir, r->id);
    ww_totals *t = WW_ARENA_NEW(&p->arena, ww_totals);
    if (folder == NULL || t == NULL) {
        return ww_no_memory(err);
    }
    WW_TRY(ww_totals_read(folder, &p->arena, t, err));
    *out = p->totals[run] = t;
    return WW_OK;
}

/* NULL, and the run in c->missing: it has no results. */
static ww_status totals_of(context *c, const char *configuration, const ww_sweep_item *item,
                           const ww_totals **out, ww_error *err)
{
    const char *missing;
    size_t run = 0;
    *out = NULL;
    WW_TRY(find_run(c->paper, configuration, item, &run, &missing, err));
    if (missing == NULL && c->paper->dir != NULL) {
        WW_TRY(read_totals(c->paper, run, out, err));
    }
    if (*out == NULL && c->missing == NULL) {
        c->missing = missing != NULL ? missing : c->paper->sweep->run[run].id;
    }
    return WW_OK;
}

/* The number of a workload on a configuration, which is kept; *found: it has results, else the run
 * is in c->missing. */
static ww_status number_of(context *c, const char *configuration, const ww_sweep_item *item,
                           const ww_term *t, bool *found, ww_total *out, ww_error *err)
{
    ww_numbers *numbers = &c->paper->numbers;
    const ww_total *kept = ww_numbers_find(numbers, configuration, item->label, t);
    *found = kept != NULL;
    if (*found) {
        *out = *kept;
        return WW_OK;
    }
    const ww_totals *totals;
    WW_TRY(totals_of(c, configuration, item, &totals, err));
    *found = totals != NULL;
    if (!*found) {
        return WW_OK;
    }
    WW_TRY(ww_totals_find(totals, t->name, t->argument, out, err));
    return ww_numbers_keep(numbers, configuration, item->label, t, out, err);
}

bool ww_paper_has_mechanism(const ww_sweep *sweep, const char *configuration)
{
    const ww_sweep_choice *choice = find_choice(sweep, configuration);
    for (size_t i = 0; i < sweep->run_count; i++) {
        const ww_sweep_set *set = sweep->run[i].set;
        const bool same = choice != NULL ? strcmp(set->configuration, choice->of) == 0
                                         : strcmp(set->name, configuration) == 0;
        if (same && sweep->run[i].has_mechanism) {
            return true;
        }
    }
    return false;
}

/* ---- classes ---- */

static ww_status evaluate(context *c, const char *text, double *value, ww_error *err);

static const ww_sweep_class *find_class(const ww_sweep *s, const char *word, size_t n)
{
    for (size_t i = 0; i < s->class_count; i++) {
        if (strlen(s->class_[i].name) == n && memcmp(s->class_[i].name, word, n) == 0) {
            return &s->class_[i];
        }
    }
    return NULL;
}

static ww_status in_class(context *c, const ww_sweep_class *k, const ww_sweep_item *item, bool *in,
                          ww_error *err)
{
    context inner = {.paper = c->paper, .item = item, .self = "", .depth = c->depth + 1};
    double value;
    *in = ww_sweep_item_in(item, k->of);
    if (*in) {
        WW_TRY(evaluate(&inner, k->value, &value, err));
        c->missing = c->missing != NULL ? c->missing : inner.missing;
        *in = value >= k->from && value < k->below;
    }
    return WW_OK;
}

static ww_status is_in(context *c, const char *words, const ww_sweep_item *item, bool *in,
                       ww_error *err)
{
    *in = false;
    for (const char *w = words + strspn(words, " "); *w != '\0' && !*in; w += strspn(w, " ")) {
        size_t n = strcspn(w, " ");
        const ww_sweep_class *k = find_class(c->paper->sweep, w, n);
        if (k != NULL) {
            WW_TRY(in_class(c, k, item, in, err));
        } else {
            *in = ww_sweep_item_is(item, w, n);
        }
        w += n;
    }
    return WW_OK;
}

/* ---- terms ---- */

/* Over all runs of the pool; what is of the machine, of the first of them. */
static ww_status pooled(context *c, const char *configuration, const ww_term *t, bool *found,
                        ww_total *sum, ww_error *err)
{
    const ww_sweep *s = c->paper->sweep;
    *found = false;
    for (size_t i = 0; i < s->item_count; i++) {
        ww_total one;
        bool in, has = false;
        WW_TRY(is_in(c, c->pool, &s->item[i], &in, err));
        if (in) {
            WW_TRY(number_of(c, configuration, &s->item[i], t, &has, &one, err));
        }
        if (has && !*found) {
            *sum = one;
        } else if (has && !ww_total_is_of_machine(t->name)) {
            ww_total_add(sum, &one);
        }
        *found = *found || has;
    }
    return WW_OK;
}

static const char *measure_text(const ww_sweep *s, const char *name)
{
    for (size_t i = 0; i < s->measure_count; i++) {
        if (strcmp(s->measure[i].name, name) == 0) {
            return s->measure[i].value;
        }
    }
    return NULL;
}

static ww_status term(void *user, const ww_term *t, double *value, ww_error *err)
{
    context *c = user;
    bool own = t->configuration[0] == '\0' || strcmp(t->configuration, "this") == 0;
    const char *configuration = own ? c->self : t->configuration;
    const char *text = measure_text(c->paper->sweep, t->name);
    if (text != NULL) {
        context inner = *c;
        inner.self = configuration;
        inner.depth++;
        WW_TRY(evaluate(&inner, text, value, err));
        c->missing = inner.missing;
        return WW_OK;
    }
    if (configuration[0] == '\0') {
        return ww_fail(err, WW_EPARSE, "'%s' is no measure; of which configuration is it?",
                       t->name);
    }
    ww_total number;
    bool found;
    c->paper->mechanisms |= ww_paper_has_mechanism(c->paper->sweep, configuration);
    WW_TRY(c->item != NULL ? number_of(c, configuration, c->item, t, &found, &number, err)
                           : pooled(c, configuration, t, &found, &number, err));
    *value = found && c->missing == NULL ? ww_total_value(&number) : (double)NAN;
    return WW_OK;
}

/* ---- many into one ---- */

/* Values of the workloads that belong to the words, in the order of the sweep. */
static ww_status values_of(context *c, const char *words, const char *text, double *value,
                           bool *member, ww_error *err)
{
    const ww_sweep *s = c->paper->sweep;
    for (size_t i = 0; i < s->item_count; i++) {
        WW_TRY(is_in(c, words, &s->item[i], &member[i], err));
        value[i] = (double)NAN;
        if (member[i]) {
            context inner = *c;
            inner.item = &s->item[i];
            inner.pool = NULL;
            WW_TRY(evaluate(&inner, text, &value[i], err));
            c->missing = inner.missing;
        }
    }
    return WW_OK;
}

static ww_status rank(context *c, const char *text, const double *value, const bool *member,
                      double *all, bool *every, double *out, ww_error *err)
{
    const size_t n = c->paper->sweep->item_count;
    WW_TRY(values_of(c, "all", text, all, every, err));
    *out = 0;
    for (size_t i = 0; i < n; i++) {
        size_t place = 1;
        for (size_t k = 0; member[i] && k < n; k++) {
            place += all[k] > value[i];
        }
        *out = member[i] ? fmax(*out, (double)place) : *out;
    }
    return WW_OK;
}

static ww_status reduce(context *c, ww_mean mean, const char *words, const char *text, double *out,
                        ww_error *err)
{
    const size_t n = c->paper->sweep->item_count;
    double *value = WW_ARENA_NEW_ARRAY(&c->paper->arena, double, 2 * n);
    bool *member = WW_ARENA_NEW_ARRAY(&c->paper->arena, bool, 2 * n);
    size_t count = 0;
    if (value == NULL || member == NULL) {
        return ww_no_memory(err);
    }
    WW_TRY(values_of(c, words, text, value, member, err));
    if (mean == WW_MEAN_RANK) {
        return rank(c, text, value, member, value + n, member + n, out, err);
    }
    for (size_t i = 0; i < n; i++) {
        if (member[i]) {
            value[count++] = value[i];
        }
    }
    if (count == 0 && c->missing == NULL) {
        return ww_fail(err, WW_ENOTFOUND, "no workload belongs to '%s'", words);
    }
    *out = count > 0 ? ww_mean_of(mean, value, count) : (double)NAN;
    return WW_OK;
}

/* By a mean over the workloads that belong to the words. */
static ww_status combine(context *c, ww_mean mean, const char *words, const char *text,
                         double *value, ww_error *err)
{
    if (mean != WW_MEAN_POOLED) {
        return reduce(c, mean, words, text, value, err);
    }
    context inner = *c;
    inner.item = NULL;
    inner.pool = words;
    WW_TRY(evaluate(&inner, text, value, err));
    c->missing = inner.missing;
    return WW_OK;
}

static ww_status over(void *user, const char *name, const char *class_, const char *text,
                      double *value, ww_error *err)
{
    ww_mean mean;
    if (!ww_mean_parse(name, &mean)) {
        return ww_fail(err, WW_EPARSE, "there is no function '%s_of'", name);
    }
    return combine(user, mean, class_, text, value, err);
}

static ww_status evaluate(context *c, const char *text, double *value, ww_error *err)
{
    const ww_expression_source source = {.term = term, .over = over, .user = c};
    if (c->depth > MOST_DEPTH) {
        return ww_fail(err, WW_EPARSE, "measures name each other in a circle: '%s'", text);
    }
    return ww_expression_evaluate(text, &source, value, err);
}

/* ---- public ---- */

/* A row of what an evaluation came to: a run without results leaves nothing of ours. */
static void put_value(const context *c, double value, const ww_bar *bar, ww_row *row)
{
    row->missing = c->missing;
    row->ours = c->missing == NULL ? value : (double)NAN;
    ww_judge(row, bar, row->ours);
}

ww_status ww_paper_judge(ww_paper *paper, const ww_band *band, ww_row *out, ww_error *err)
{
    context c = {.paper = paper, .self = ""};
    ww_mean mean = WW_MEAN_ARITH;
    double value = (double)NAN;
    (void)ww_mean_parse(band->mean, &mean); /* checked when it was read */
    paper->mechanisms = false;
    *out = ww_row_of(band->id, band->what, band->unit);
    out->source = band->figure;
    out->group = band->over;
    out->note = band->mean;
    out->printed = band->printed;
    ww_status status = combine(&c, mean, band->over, band->measure, &value, err);
    if (status != WW_OK) {
        ww_error_prefix(err, "%s: ", band->id);
        return status;
    }
    put_value(&c, value, band->judged ? &band->bar : NULL, out);
    return WW_OK;
}

bool ww_paper_judged_base(const ww_paper *paper)
{
    return !paper->mechanisms;
}

ww_status ww_paper_mean(ww_paper *paper, const char *measure, const char *self, const char *mean,
                        const char *over_words, ww_row *out, ww_error *err)
{
    context c = {.paper = paper, .self = self};
    double value = (double)NAN;
    *out = ww_row_of(over_words, measure, "");
    WW_TRY(over(&c, mean, over_words, measure, &value, err));
    put_value(&c, value, NULL, out);
    return WW_OK;
}

ww_status ww_paper_value(ww_paper *paper, const char *measure, const char *self,
                         const ww_sweep_item *item, ww_row *out, ww_error *err)
{
    context c = {.paper = paper, .item = item, .self = self};
    double value = (double)NAN;
    *out = ww_row_of(item->label, measure, "");
    WW_TRY(evaluate(&c, measure, &value, err));
    put_value(&c, value, NULL, out);
    return WW_OK;
}

ww_status ww_paper_in(ww_paper *paper, const char *words, const ww_sweep_item *item, bool *in,
                      ww_error *err)
{
    context c = {.paper = paper, .self = ""};
    return is_in(&c, words, item, in, err);
}

const char *ww_paper_results(const ww_paper *paper)
{
    return paper->dir;
}

const ww_sweep *ww_paper_sweep(const ww_paper *paper)
{
    return paper->sweep;
}

const ww_band *ww_paper_bands(const ww_paper *paper, size_t *count)
{
    *count = paper->bands != NULL ? ww_refs_rows(paper->bands) : 0;
    return paper->band;
}

bool ww_paper_defines_results(const ww_paper *paper)
{
    size_t bands;
    (void)ww_paper_bands(paper, &bands);
    return bands > 0 || paper->sweep->figure_count > 0;
}

ww_status ww_paper_folder(const char *name, ww_arena *arena, const char **out, ww_error *err)
{
    const char *rooms;
    *out = name;
    if (strchr(name, '/') != NULL) {
        return WW_OK;
    }
    WW_TRY(ww_configs_rooms(arena, &rooms, err));
    *out = ww_path_join(arena, rooms, name);
    char *file = *out != NULL ? ww_path_join(arena, *out, "sweep.xml") : NULL;
    if (file == NULL) {
        return ww_no_memory(err);
    }
    return ww_file_exists(file)
               ? WW_OK
               : ww_fail(err, WW_ENOTFOUND, "there is no study '%s': no file %s", name, file);
}

/* A folder of a sweep, or a file of its numbers. */
static ww_status open_results(ww_paper *p, const char *results, const char *version, ww_error *err)
{
    if (ww_file_exists(results)) {
        return ww_numbers_read(results, &p->numbers, err);
    }
    p->dir = ww_arena_strndup(&p->arena, results, strlen(results));
    return p->dir != NULL ? ww_sweep_resolve(p->sweep, p->dir, version, err) : ww_no_memory(err);
}

static ww_status open_paper(ww_paper *p, const char *folder, const char *results,
                            const char *version, ww_error *err)
{
    char *sweep = ww_path_join(&p->arena, folder, "sweep.xml");
    char *bands = ww_path_join(&p->arena, folder, "bands.csv");
    if (sweep == NULL || bands == NULL) {
        return ww_no_memory(err);
    }
    WW_TRY(ww_sweep_load(sweep, version, &p->sweep, err));
    WW_TRY(open_results(p, results, version, err));
    p->totals = WW_ARENA_NEW_ARRAY(&p->arena, ww_totals *, p->sweep->run_count + 1);
    if (p->totals == NULL) {
        return ww_no_memory(err);
    }
    return ww_file_exists(bands) ? ww__bands_load(bands, &p->arena, &p->bands, &p->band, err)
                                 : WW_OK;
}

ww_status ww_paper_open(const char *folder, const char *results, const char *version,
                        ww_paper **out, ww_error *err)
{
    ww_paper *p = WW_NEW(ww_paper);
    if (p == NULL) {
        return ww_no_memory(err);
    }
    ww_status status = open_paper(p, folder, results, version, err);
    if (status != WW_OK) {
        ww_paper_close(p);
        return status;
    }
    *out = p;
    return WW_OK;
}

ww_status ww_paper_keep(const ww_paper *paper, const char *path, ww_error *err)
{
    return ww_numbers_write(&paper->numbers, path, err);
}

void ww_paper_close(ww_paper *paper)
{
    if (paper != NULL) {
        ww_numbers_fini(&paper->numbers);
        ww_sweep_destroy(paper->sweep);
        ww_refs_destroy(paper->bands);
        ww_arena_fini(&paper->arena);
        ww_free(paper);
    }
}
