/* joint.c - see joint.h. One vector of factors: the shared ones, then each card's; a card's rows
 * know only its own, and its own are tied to the shared ones. */
#include "analysis/joint.h"

#include <math.h>
#include <string.h>

#include "base/assert.h"
#include "base/file.h"

enum { WHAT, NAME, TABLE, SETTINGS, VALUE, SIGMA, COLUMNS };
enum { MOST_SETTINGS = 8 };

static const char *cell(const ww_joint *j, size_t row, size_t column[COLUMNS], int c)
{
    return ww_csv_text(j->csv, row, column[c]);
}

/* ---- the file ---- */

static ww_status take_factor(ww_joint *j, size_t row, size_t column[COLUMNS], ww_error *err)
{
    ww_joint_factor *f = &j->factor[j->factors];
    f->key = cell(j, row, column, NAME);
    WW_TRY(ww_csv_double(j->csv, row, column[VALUE], &f->prior_value, err));
    WW_TRY(ww_csv_double(j->csv, row, column[SIGMA], &f->prior_sigma, err));
    if (!(f->prior_value > 0 && f->prior_sigma > 0) || !isfinite(f->prior_value) ||
        !isfinite(f->prior_sigma)) {
        return ww_csv_fail(j->csv, row, column[VALUE], err, WW_ERANGE,
                           "a value and its width are above 0");
    }
    j->factors++;
    return WW_OK;
}

/* "key=value key=value"; "toggles=true" among them is no parameter of the machine. */
static ww_status settings_of(ww_joint *j, size_t row, size_t column[COLUMNS],
                             ww_setting out[MOST_SETTINGS], size_t *count, bool *toggles,
                             ww_error *err)
{
    const char *at = cell(j, row, column, SETTINGS);
    *count = 0;
    for (at += strspn(at, " "); *at != '\0'; at += strspn(at, " ")) {
        size_t length = strcspn(at, " ");
        char *text = ww_arena_strndup(&j->arena, at, length);
        char *equals = text != NULL ? strchr(text, '=') : NULL;
        if (equals == NULL || *count == MOST_SETTINGS) {
            return ww_csv_fail(j->csv, row, column[SETTINGS], err, WW_EPARSE,
                               "'%.*s' is no setting, or one too many", (int)length, at);
        }
        at += length;
        if (strcmp(text, "toggles=true") == 0) {
            *toggles = true;
            continue;
        }
        *equals = '\0';
        out[(*count)++] = (ww_setting){text, equals + 1};
    }
    return WW_OK;
}

/* Rows of several cards are in rates: nobody keeps activities of them all. */
static ww_status no_launch(void *user, const char *activity, const char *kernel,
                           const ww_launch_record **out, ww_error *err)
{
    (void)user;
    (void)kernel;
    *out = NULL;
    return ww_fail(err, WW_ENOTFOUND, "'%s': rows of several cards are in rates", activity);
}

static ww_status take_card(ww_joint *j, size_t row, size_t column[COLUMNS], const char *folder,
                           ww_error *err)
{
    ww_joint_card *card = &j->card[j->cards];
    ww_setting set[MOST_SETTINGS];
    size_t count;
    bool toggles = j->toggles;
    const char **shared = WW_ARENA_NEW_ARRAY(&j->arena, const char *, j->factors + 1);
    const char *table = ww_path_join(&j->arena, folder, cell(j, row, column, TABLE));
    if (shared == NULL || table == NULL) {
        return ww_no_memory(err);
    }
    for (size_t k = 0; k < j->factors; k++) {
        shared[k] = j->factor[k].key;
    }
    card->gpu = cell(j, row, column, NAME);
    WW_TRY(settings_of(j, row, column, set, &count, &toggles, err));
    WW_TRY(ww_arch_load(card->gpu, set, count, &card->arch, err));
    j->cards++;
    const ww_calibration_source source = {.launch = no_launch, .toggles = toggles};
    return ww_calibration_open(table, card->arch, source, shared, j->factors, &card->calibration,
                               err);
}

/* What is known of one card's factor, through its parent: a row whose only part is the factor. */
static ww_status take_known(ww_joint *j, size_t row, size_t column[COLUMNS], ww_error *err)
{
    const char *key = cell(j, row, column, NAME), *gpu = cell(j, row, column, TABLE);
    ww_joint_card *card = NULL;
    size_t k = 0;
    double value, sigma;
    for (size_t i = 0; i < j->cards; i++) {
        card = strcmp(j->card[i].gpu, gpu) == 0 ? &j->card[i] : card;
    }
    while (k < j->factors && strcmp(j->factor[k].key, key) != 0) {
        k++;
    }
    if (card == NULL || k == j->factors) {
        return ww_csv_fail(j->csv, row, column[card == NULL ? TABLE : NAME], err, WW_ENOTFOUND,
                           "no card '%s' with a factor '%s' above", gpu, key);
    }
    WW_TRY(ww_csv_double(j->csv, row, column[VALUE], &value, err));
    WW_TRY(ww_csv_double(j->csv, row, column[SIGMA], &sigma, err));
    return ww_calibration_know(&card->calibration, k, value, sigma, err);
}

static ww_status read_file(ww_joint *j, const char *path, ww_error *err)
{
    static const char *const columns[] = {"what", "name", "table", "settings", "value", "sigma"};
    size_t column[COLUMNS];
    const char *folder = ww_path_dir(&j->arena, path);
    WW_TRY(ww_csv_load(path, &j->csv, err));
    WW_TRY(ww_csv_find_all(j->csv, columns, COLUMNS, column, err));
    size_t rows = ww_csv_rows(j->csv);
    j->factor = WW_ARENA_NEW_ARRAY(&j->arena, ww_joint_factor, rows + 1);
    j->card = WW_ARENA_NEW_ARRAY(&j->arena, ww_joint_card, rows + 1);
    if (folder == NULL || j->factor == NULL || j->card == NULL) {
        return ww_no_memory(err);
    }
    for (size_t row = 0; row < rows; row++) {
        const char *what = cell(j, row, column, WHAT);
        if (strcmp(what, "card") == 0) {
            WW_TRY(take_card(j, row, column, folder, err));
        } else if (strcmp(what, "known") == 0) {
            WW_TRY(take_known(j, row, column, err));
        } else if (strcmp(what, "factor") == 0 && j->cards == 0) {
            WW_TRY(take_factor(j, row, column, err));
        } else {
            return ww_csv_fail(j->csv, row, column[WHAT], err, WW_EPARSE,
                               "'%s': factors, then cards and what is known of them", what);
        }
    }
    return j->cards > 0 && j->factors > 0
               ? WW_OK
               : ww_fail(err, WW_ERANGE, "%s has no factor or no card", path);
}

/* ---- one fit ---- */

/* What ww_fit_factors is given. */
typedef struct problem {
    ww_fit_row *row;
    ww_fit_prior *prior;
    size_t rows, factors;
} problem;

static ww_status set_up(ww_joint *j, problem *p, ww_error *err)
{
    *p = (problem){.factors = j->factors};
    for (size_t i = 0; i < j->cards; i++) {
        j->card[i].first = p->factors;
        p->factors += j->card[i].calibration.factors;
        p->rows += j->card[i].calibration.rows;
    }
    p->row = WW_ARENA_NEW_ARRAY(&j->arena, ww_fit_row, p->rows + 1);
    p->prior = WW_ARENA_NEW_ARRAY(&j->arena, ww_fit_prior, p->factors + 1);
    if (p->row == NULL || p->prior == NULL) {
        return ww_no_memory(err);
    }
    size_t at = 0;
    for (size_t i = 0; i < j->cards; i++) {
        const ww_calibration *c = &j->card[i].calibration;
        for (size_t r = 0; r < c->rows; r++, at++) {
            double *part_w = WW_ARENA_NEW_ARRAY(&j->arena, double, p->factors + 1);
            if (part_w == NULL) {
                return ww_no_memory(err);
            }
            memcpy(part_w + j->card[i].first, c->fit_row[r].part_w, c->factors * sizeof *part_w);
            p->row[at] = c->fit_row[r];
            p->row[at].part_w = part_w;
        }
    }
    return WW_OK;
}

/* Ties each card's factors to the shared ones; what a card has for itself keeps its own prior. */
static void tie(const ww_joint *j, double between, problem *p)
{
    for (size_t k = 0; k < j->factors; k++) {
        p->prior[k] = (ww_fit_prior){log(j->factor[k].prior_value), j->factor[k].prior_sigma, 0};
    }
    for (size_t i = 0; i < j->cards; i++) {
        const ww_calibration *c = &j->card[i].calibration;
        for (size_t k = 0; k < c->factors; k++) {
            double described = ww_calibration_through(c->arch, &c->factor[k]);
            p->prior[j->card[i].first + k] =
                k < j->factors ? (ww_fit_prior){-log(described), between, k + 1} : c->prior[k];
        }
    }
}

/* The spread of cards that the fit itself finds, from one that it assumed: the mean square of their
 * distances, and of what these are uncertain by (a step of expectation and maximisation). */
static double spread(const ww_joint *j, const problem *p, const ww_fit *fit)
{
    double sum = 0, n = 0;
    for (size_t i = 0; i < j->cards; i++) {
        for (size_t k = 0; k < j->factors; k++, n++) {
            size_t own = j->card[i].first + k;
            double off =
                log(fit->factor[own].value) - log(fit->factor[k].value) - p->prior[own].log_value;
            double variance = fit->covariance[own * p->factors + own] +
                              fit->covariance[k * p->factors + k] -
                              2 * fit->covariance[own * p->factors + k];
            sum += off * off + variance;
        }
    }
    WW_ASSERT(n > 0);
    return sqrt(sum / n);
}

/* A card is left out as a whole; while the spread is sought, nothing is. */
static void label(const ww_joint *j, bool by_card, problem *p)
{
    size_t at = 0;
    for (size_t i = 0; i < j->cards; i++) {
        for (size_t r = 0; r < j->card[i].calibration.rows; r++) {
            p->row[at++].label = by_card ? j->card[i].gpu : "";
        }
    }
}

static ww_status fit_once(ww_joint *j, problem *p, ww_error *err)
{
    return ww_fit_factors(p->row, p->rows, p->prior, p->factors, &j->arena, &j->fit, err);
}

static ww_status fit_all(ww_joint *j, problem *p, ww_error *err)
{
    enum { MOST_TURNS = 100 };
    static const double close = 1e-3;
    double found = 0.5; /* where from does not matter */
    label(j, false, p);
    for (int turn = 0; turn < MOST_TURNS && !(fabs(found - j->between) < close); turn++) {
        j->between = found;
        tie(j, found, p);
        WW_TRY(fit_once(j, p, err));
        found = spread(j, p, &j->fit);
    }
    label(j, true, p);
    return fit_once(j, p, err);
}

/* ---- what it says of each card ---- */

static ww_status hand_out(ww_joint *j, const problem *p, ww_error *err)
{
    size_t at = 0;
    for (size_t k = 0; k < j->factors; k++) {
        j->factor[k].value = j->fit.factor[k].value;
        j->factor[k].log_sigma = j->fit.factor[k].log_sigma;
    }
    for (size_t i = 0; i < j->cards; i++) {
        ww_calibration *c = &j->card[i].calibration;
        size_t first = j->card[i].first;
        c->whole_card_left_out = true;
        c->fit = j->fit;
        c->fit.factors = c->factors;
        c->fit.rows = c->rows;
        c->fit.factor = j->fit.factor + first;
        c->fit.model_w = j->fit.model_w + at;
        c->fit.left_out_w = j->fit.left_out_w + at;
        c->fit.covariance = WW_ARENA_NEW_ARRAY(&c->arena, double, c->factors * c->factors + 1);
        if (c->fit.covariance == NULL) {
            return ww_no_memory(err);
        }
        for (size_t k = 0; k < c->factors; k++) {
            memcpy(c->fit.covariance + k * c->factors,
                   j->fit.covariance + (first + k) * p->factors + first,
                   c->factors * sizeof *c->fit.covariance);
            c->prior[k] = p->prior[first + k];
        }
        at += c->rows;
    }
    return WW_OK;
}

ww_status ww_joint_fit(const char *path, bool toggles, ww_joint *out, ww_error *err)
{
    problem p;
    *out = (ww_joint){.toggles = toggles};
    WW_TRY(read_file(out, path, err));
    WW_TRY(set_up(out, &p, err));
    WW_TRY(fit_all(out, &p, err));
    return hand_out(out, &p, err);
}

void ww_joint_fini(ww_joint *j)
{
    for (size_t i = 0; i < j->cards; i++) {
        ww_calibration_fini(&j->card[i].calibration);
        ww_arch_destroy(j->card[i].arch);
    }
    ww_csv_destroy(j->csv);
    ww_arena_fini(&j->arena);
}
