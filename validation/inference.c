/* inference.c - `warpwatt validate inference`: time, energy and power of models' passes beside
 * those measured on an A10, an A100 and an H100, of results that `warpwatt infer` left, or run
 * here.
 *
 * Passes whose launches take the host nearly as long as the pass took are bound by the host: shown,
 * and summed up apart. Beside the errors stand those of the best constant, and of a rooflines' time
 * at the board's rated power, which is what one can know without a simulator. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/csv.h"
#include "base/file.h"
#include "inference/models.h"
#include "validation/compare.h"
#include "validation/pass_scores.h"
#include "validation/passes.h"
#include "validation/spread.h"
#include "validation/totals.h"

#define MEASURED "inference/measured.csv"

enum { SET, MODEL, PRECISION, BATCH, SEQUENCE, SET_MHZ, MEAN_MHZ, ENERGY, TIME, COLUMNS };

static const char *const sets[] = {"a10", "a100", "a100-dvfs", "h100", NULL};
static const ww_ref_column reference[COLUMNS] = {
    [SET] = {"set", .kind = WW_REF_WORD, .words = sets},
    [MODEL] = {"model", .kind = WW_REF_NAME},
    [PRECISION] = {"precision", .kind = WW_REF_NAME},
    [BATCH] = {"batch", .kind = WW_REF_POSITIVE},
    [SEQUENCE] = {"sequence", .kind = WW_REF_OPTIONAL},
    [SET_MHZ] = {"set_mhz", .kind = WW_REF_POSITIVE},
    [MEAN_MHZ] = {"mean_mhz", .kind = WW_REF_POSITIVE},
    [ENERGY] = {"energy_J", .kind = WW_REF_POSITIVE},
    [TIME] = {"time_ms", .kind = WW_REF_POSITIVE},
};

/* Cards as their data sheets have them: operations a second at a clock in 16-bit numbers on matrix
 * units (tf32: half), in fp32; bytes a second; board power; and seconds between launches of the
 * host that measured, least of each set's small passes. */
typedef struct sheet {
    const char *set, *gpu, *chip; /* chip: as its description names it */
    double matrix, fp32, mhz, bytes, watts, launch_s;
} sheet;

static const sheet *card_of(const char *set)
{
    static const sheet cards[] = {
        {"a10", "a10", "A10", 125e12, 31.2e12, 1695, 600e9, 150, 32e-6},
        {"h100", "h100", "H100 SXM5 80GB", 989e12, 66.9e12, 1830, 3352e9, 700, 17e-6},
        /* at other clocks too */
        {"a100", "a100-pcie", "A100 PCIe 40GB", 312e12, 19.5e12, 1410, 1555e9, 250, 32e-6},
    };
    size_t i = 0;
    while (i < 2 && strcmp(cards[i].set, set) != 0) {
        i++;
    }
    return &cards[i];
}

/* 116 ms at 53 W for 46 TFLOP, where half the batch takes 1282 ms: no pass ran. */
static bool is_broken(const ww_refs *refs, size_t line)
{
    return strcmp(ww_refs_text(refs, line, SET), "a10") == 0 &&
           strcmp(ww_refs_text(refs, line, MODEL), "optmodel_opt-1p3b") == 0 &&
           ww_refs_number(refs, line, BATCH) == 8 && ww_refs_number(refs, line, SEQUENCE) == 2048;
}

enum { SETS = sizeof sets / sizeof sets[0] - 1 };

/* Lines that are not compared, and how many there are. */
typedef struct left_out {
    size_t absent;    /* without a result */
    size_t not_asked; /* of other names */
    const char *broken;
    size_t whole[SETS], all; /* of each set, without those that the host binds; with them */
    /* Of each set, without those that the host binds: what rooflines and rated power come to. */
    struct {
        double time, energy; /* sums of |error| */
        size_t of;
    } roof[SETS];
} left_out;

/* SET-MODEL-PRECISION-BATCHxSEQUENCE-MHZ: the folder of its result. */
static char *name_of(ww__comparing *c, size_t line)
{
    const ww_refs *r = c->refs;
    double sequence = ww_refs_number(r, line, SEQUENCE);
    const char *set = ww_refs_text(r, line, SET), *model = ww_refs_text(r, line, MODEL);
    const char *precision = ww_refs_text(r, line, PRECISION);
    double batch = ww_refs_number(r, line, BATCH), mhz = ww_refs_number(r, line, MEAN_MHZ);
    return isnan(sequence)
               ? ww_arena_printf(&c->arena, "%s-%s-%s-%g-%g", set, model, precision, batch, mhz)
               : ww_arena_printf(&c->arena, "%s-%s-%s-%gx%g-%g", set, model, precision, batch,
                                 sequence, mhz);
}

/* Time of a pass at the rates of a data sheet, each operator at its slower one. */
static double roofline_s(const ww_graph *graph, const sheet *card, double mhz)
{
    double sum = 0;
    for (size_t i = 0; i < graph->count; i++) {
        const ww_operator *op = &graph->operators[i];
        double rate = !op->tensor                    ? card->fp32
                      : op->number == WW_NUMBER_TF32 ? card->matrix / 2
                                                     : card->matrix;
        double compute = ww_operator_flops(op) / (rate * mhz / card->mhz);
        sum += (double)op->count * fmax(compute, ww_operator_bytes(op) / card->bytes);
    }
    return sum;
}

static ww_status describe_pass(const ww__comparing *c, size_t line, ww__pass *out, ww_error *err)
{
    const sheet *card = card_of(ww_refs_text(c->refs, line, SET));
    double sequence = ww_refs_number(c->refs, line, SEQUENCE);
    ww__pass pass = {.gpu = card->gpu,
                     .mhz = ww_refs_number(c->refs, line, MEAN_MHZ),
                     .launch_s = card->launch_s,
                     .request = {.batch = (uint64_t)ww_refs_number(c->refs, line, BATCH),
                                 .sequence = isnan(sequence) ? 0 : (uint64_t)sequence,
                                 .beyond = true}};
    WW_TRY(ww_model_find(ww_refs_text(c->refs, line, MODEL), &pass.model, err));
    WW_TRY(ww_number_parse(ww_refs_text(c->refs, line, PRECISION), &pass.request.number, err));
    *out = pass;
    return WW_OK;
}

/* Whether launching alone takes nearly as long as the pass did; and how long rooflines take. */
static ww_status study_pass(const ww__comparing *c, size_t line, const ww__pass *pass, bool *host,
                            double *roof_s, ww_error *err)
{
    const sheet *card = card_of(ww_refs_text(c->refs, line, SET));
    const ww_bar *bound;
    ww_graph graph = {0};
    WW_TRY(ww_bars_find(c->bars, "inference", "host_share", &bound, err));
    WW_TRY(ww_model_generate(pass->model, &pass->request, &graph, err));
    double host_s = (double)ww_graph_intervals(&graph) * card->launch_s;
    *host = host_s >= bound->low * 1e-3 * ww_refs_number(c->refs, line, TIME);
    *roof_s = roofline_s(&graph, card, pass->mhz);
    ww_graph_fini(&graph);
    return WW_OK;
}

/* The folder of a pass's result, made where it shall be; *found: it is there. */
static ww_status find_result(ww__comparing *c, const char *name, const ww__pass *pass,
                             const char **folder, bool *found, ww_error *err)
{
    const char *in = c->asked->out != NULL ? c->asked->out : c->asked->results;
    *folder = in != NULL ? ww_path_join(&c->arena, in, name) : "";
    if (*folder == NULL) {
        return ww_no_memory(err);
    }
    if (!ww_dir_exists(*folder) && c->asked->out != NULL) {
        WW_TRY(ww__pass_run(c->asked, pass, name, *folder, err));
    }
    *found = ww_dir_exists(*folder);
    return WW_OK;
}

/* Joules of standard uncertainty: those of a folder's launches add up, being of the same prices. */
static ww_status read_sigma(const char *folder, ww_arena *arena, double *out, ww_error *err)
{
    enum { COMPONENT, EVENT, BACKGROUND, LEAKAGE, POWER, SIGMA, NEEDED };
    static const char *const names[NEEDED] = {"component",      "event_energy", "background_energy",
                                              "leakage_energy", "total_power",  "uncertainty"};
    size_t at[NEEDED];
    ww_csv *csv = NULL;
    const char *path = ww_path_join(arena, folder, "power.csv");
    ww_status status = path != NULL ? ww_csv_load(path, &csv, err) : ww_no_memory(err);
    status = status == WW_OK ? ww_csv_find_all(csv, names, NEEDED, at, err) : status;
    *out = 0;
    for (size_t row = 0; status == WW_OK && row < ww_csv_rows(csv); row++) {
        double v[NEEDED] = {0};
        if (strcmp(ww_csv_text(csv, row, at[COMPONENT]), "TOTAL") != 0) {
            continue;
        }
        for (size_t i = EVENT; status == WW_OK && i < NEEDED; i++) {
            status = ww_csv_double(csv, row, at[i], &v[i], err);
        }
        *out += status == WW_OK && v[POWER] > 0
                    ? v[SIGMA] * (v[EVENT] + v[BACKGROUND] + v[LEAKAGE]) / v[POWER]
                    : 0;
    }
    ww_csv_destroy(csv);
    return status;
}

static size_t set_index(const char *set)
{
    size_t i = 0;
    while (strcmp(sets[i], set) != 0) {
        i++;
    }
    return i;
}

static void add_roof(ww__comparing *c, size_t line, double roof_s)
{
    left_out *left = c->own;
    const char *set = ww_refs_text(c->refs, line, SET);
    double time = 1e-3 * ww_refs_number(c->refs, line, TIME);
    const size_t i = set_index(set);
    left->roof[i].time += fabs(roof_s / time - 1);
    left->roof[i].energy +=
        fabs(roof_s * card_of(set)->watts / ww_refs_number(c->refs, line, ENERGY) - 1);
    left->roof[i].of++;
}

static ww_status add(ww__comparing *c, const char *name, const char *group, const char *what,
                     const char *unit, double measured, double ours, double sigma, ww_error *err)
{
    ww_row row = ww_row_of(name, what, unit);
    row.group = group;
    row.reference = measured;
    row.ours = ours;
    row.sigma = sigma;
    row.split = WW_SPLIT_LOOKED_AT;
    row.digits = 3;
    (void)ww_judge(&row, NULL, ww_row_error(&row));
    return ww_rows_add(&c->rows, &row, err);
}

/* Sets a result beside the measurement. */
static ww_status take_result(ww__comparing *c, size_t line, const char *name, const char *folder,
                             bool host, ww_error *err)
{
    const char *set = ww_refs_text(c->refs, line, SET);
    const char *group = host ? ww_arena_printf(&c->arena, "%s, host", set) : set;
    const double time = ww_refs_number(c->refs, line, TIME),
                 energy = ww_refs_number(c->refs, line, ENERGY);
    double sigma_j = 0;
    ww_totals totals = {0};
    ww_total ours_j;
    if (group == NULL) {
        return ww_no_memory(err);
    }
    WW_TRY(ww_totals_read(folder, &c->arena, &totals, err));
    WW_TRY(ww_totals_find(&totals, "energy", "", &ours_j, err));
    WW_TRY(read_sigma(folder, &c->arena, &sigma_j, err));
    WW_TRY(add(c, name, group, "time", "ms", time, 1e3 * totals.time_s, (double)NAN, err));
    WW_TRY(add(c, name, group, "energy", "J", energy, ours_j.over, sigma_j, err));
    return add(c, name, group, "power", "W", 1e3 * energy / time, ours_j.over / totals.time_s,
               sigma_j / totals.time_s, err);
}

static ww_status take(ww__comparing *c, size_t line, ww_error *err)
{
    const char *name = name_of(c, line), *folder;
    left_out *left = c->own;
    ww__pass pass;
    bool host = false, found = false;
    double roof_s = 0;
    if (name == NULL) {
        return ww_no_memory(err);
    }
    if (is_broken(c->refs, line)) {
        left->broken = name;
        return WW_OK;
    }
    WW_TRY(describe_pass(c, line, &pass, err));
    WW_TRY(study_pass(c, line, &pass, &host, &roof_s, err));
    left->all++;
    left->whole[set_index(ww_refs_text(c->refs, line, SET))] += !host;
    if (!ww__pass_asked(c->asked->passes, name)) {
        left->not_asked++;
        return WW_OK;
    }
    WW_TRY(find_result(c, name, &pass, &folder, &found, err));
    if (!found) {
        left->absent++;
        return WW_OK;
    }
    if (!host) {
        add_roof(c, line, roof_s);
    }
    return take_result(c, line, name, folder, host, err);
}

/* ---- sums ---- */

/* A number with its bar. All passes are judged, however few; a part of them if they are as many as
 * the bar asks for. */
static ww_status judge(ww__comparing *c, const char *bar, double value, size_t of, size_t whole,
                       ww_error *err)
{
    WW_TRY(ww__add_statistic(c, "inference", bar, value, of, err));
    ww_row *row = &c->statistics.row[c->statistics.count - 1];
    row->detail[0] = (double)whole;
    if (of >= whole) {
        ww_judge_whole(row, row->bar, value);
    }
    return WW_OK;
}

static ww_status judge_sets(ww__comparing *c, ww_error *err)
{
    static const struct {
        const char *set, *what, *bar, *over_constant; /* NULL: not judged */
    } bars[] = {
        {"a100", "power", "a100_power", "a100_power_over_constant"},
        {"a100", "energy", "a100_energy", NULL},
        {"a100", "time", "a100_time", NULL},
        {"a100-dvfs", "power", "a100_dvfs_power", "a100_dvfs_power_over_constant"},
        {"a10", "power", "a10_power", "a10_power_over_constant"},
        {"h100", "power", "h100_power", "h100_power_over_constant"},
    };
    const left_out *left = c->own;
    for (size_t i = 0; i < sizeof bars / sizeof bars[0]; i++) {
        size_t of;
        const double error = ww__pass_error(&c->rows, bars[i].set, bars[i].what, NULL, &of);
        const size_t whole = left->whole[set_index(bars[i].set)];
        if (of == 0) {
            continue;
        }
        WW_TRY(judge(c, bars[i].bar, 100 * error, of, whole, err));
        const double constant = ww__pass_constant_error(&c->rows, bars[i].set, bars[i].what);
        if (bars[i].over_constant != NULL && constant > 0) { /* 0: of one pass */
            WW_TRY(judge(c, bars[i].over_constant, error / constant, of, whole, err));
        }
    }
    return WW_OK;
}

static ww_status judge_series(ww__comparing *c, ww_error *err)
{
    const left_out *left = c->own;
    const ww__series_error series = ww__pass_series(&c->rows);
    const size_t whole = left->whole[set_index("a100-dvfs")];
    if (series.of == 0) {
        return WW_OK;
    }
    WW_TRY(judge(c, "series", 100 * series.sum / (double)series.of, series.of, whole, err));
    return judge(c, "series_worst", 100 * series.most, series.of, whole, err);
}

static ww_status judge_sureness(ww__comparing *c, ww_error *err)
{
    static const struct {
        const char *what, *bar;
    } bars[] = {{"energy", "energy_intervals"}, {"power", "power_intervals"}};
    const left_out *left = c->own;
    for (size_t i = 0; i < 2; i++) {
        ww_sureness sure;
        const ww_selection selection = {.what = bars[i].what};
        WW_TRY(ww_rows_sureness(&c->rows, &selection, &sure, err));
        if (sure.rows > 0) {
            WW_TRY(judge(c, bars[i].bar, 100 * sure.inside, sure.rows, left->all, err));
        }
    }
    return WW_OK;
}

static ww_status sum_up(ww__comparing *c, ww_error *err)
{
    const left_out *left = c->own;
    size_t of;
    WW_TRY(judge_sets(c, err));
    WW_TRY(judge_series(c, err));
    const double correlation = ww__pass_rank_correlation(&c->rows, &of);
    WW_TRY(of > 2 ? judge(c, "energy_rank", correlation, of, left->all, err) : WW_OK);
    return judge_sureness(c, err);
}

static void tell_group(const ww__comparing *c, const char *group, FILE *to)
{
    static const char *const whats[] = {"time", "energy", "power"};
    for (size_t i = 0; i < 3; i++) {
        size_t of;
        double error = ww__pass_error(&c->rows, group, whats[i], NULL, &of);
        if (of > 0) {
            fprintf(to, "%-16s %-6s mean error %5.1f %% over %zu passes; best constant %5.1f %%\n",
                    group, whats[i], 100 * error, of,
                    100 * ww__pass_constant_error(&c->rows, group, whats[i]));
        }
    }
}

static ww_status tell_sureness(const ww__comparing *c, FILE *to, ww_error *err)
{
    static const char *const whats[] = {"energy", "power"};
    for (size_t i = 0; i < 2; i++) {
        ww_sureness sure;
        const ww_selection selection = {.what = whats[i]};
        WW_TRY(ww_rows_sureness(&c->rows, &selection, &sure, err));
        if (sure.rows > 0) {
            fprintf(to, "intervals of 95 %% hold %.0f %% of %zu measured values of %s\n",
                    100 * sure.inside, sure.rows, whats[i]);
        }
    }
    return WW_OK;
}

static ww_status tell(ww__comparing *c, FILE *to, ww_error *err)
{
    const left_out *left = c->own;
    const ww__series_error series = ww__pass_series(&c->rows);
    fputc('\n', to);
    for (size_t i = 0; sets[i] != NULL; i++) {
        char host[32];
        const double of = (double)left->roof[i].of;
        snprintf(host, sizeof host, "%s, host", sets[i]);
        tell_group(c, sets[i], to);
        if (left->roof[i].of > 0) {
            fprintf(to, "%-16s rooflines at rated power: time %.1f %%, energy %.1f %%\n", sets[i],
                    100 * left->roof[i].time / of, 100 * left->roof[i].energy / of);
        }
        tell_group(c, host, to);
    }
    for (size_t i = 0; i < c->statistics.count; i++) {
        const ww_row *s = &c->statistics.row[i];
        const bool part = (double)s->of < s->detail[0] && s->verdict != WW_VERDICT_FEW;
        fprintf(to, "%s: %.3g over %zu of %.0f, %s%s\n", s->what, s->ours, s->of, s->detail[0],
                ww_verdict_name(s->verdict), part ? " by a part" : "");
    }
    if (series.of > 0) {
        fprintf(to,
                "energy over the least of its series of clocks: mean error %.1f %%, at worst "
                "%.1f %%, over %zu passes\n",
                100 * series.sum / (double)series.of, 100 * series.most, series.of);
    }
    WW_TRY(tell_sureness(c, to, err));
    fputs("passes of decoding, int8, fp8 and mixtures of experts: unvalidated\n", to);
    fprintf(to, "%zu passes have no result", left->absent);
    fputs(left->absent > 0 ? "; `validate inference --out DIR` runs what DIR lacks\n" : "\n", to);
    if (left->not_asked > 0) {
        fprintf(to, "%zu passes are not among those asked for\n", left->not_asked);
    }
    if (left->broken != NULL) {
        fprintf(to, "left out: %s, whose measurement is broken\n", left->broken);
    }
    return WW_OK;
}

ww_status ww_passes_measured(const ww_arch *arch, bool *measured, ww_error *err)
{
    ww_arena arena = {0};
    ww_refs *refs = NULL;
    const char *path;
    ww_status status = ww_validation_file(&arena, MEASURED, &path, err);
    if (status == WW_OK) {
        status = ww_refs_load(path, reference, COLUMNS, &refs, err);
    }
    if (status == WW_OK) {
        *measured = false;
        for (size_t line = 0; line < ww_refs_rows(refs) && !*measured; line++) {
            *measured = strcmp(card_of(ww_refs_text(refs, line, SET))->chip, arch->chip.name) == 0;
        }
    }
    ww_refs_destroy(refs);
    ww_arena_fini(&arena);
    return status;
}

ww_status ww_validate_inference(const ww_validation *asked, ww_error *err)
{
    static const ww_column shown[] = {
        {"pass", .field = WW_SHOW_SUBJECT},
        {"group", .field = WW_SHOW_GROUP},
        {"what", .field = WW_SHOW_WHAT},
        {"unit", .field = WW_SHOW_UNIT},
        {"measured", .field = WW_SHOW_REFERENCE, .digits = 3},
        {"warpwatt", .field = WW_SHOW_OURS, .digits = 3},
        {"error_percent", .field = WW_SHOW_ERROR, .digits = 1},
    };
    static const ww__comparison description = {.title = "passes",
                                               .table = MEASURED,
                                               .reference = reference,
                                               .references = COLUMNS,
                                               .shown = shown,
                                               .columns = sizeof shown / sizeof shown[0],
                                               .partial = true,
                                               .take = take,
                                               .sum_up = sum_up,
                                               .tell = tell};
    left_out left = {0};
    if (asked->results != NULL && asked->out != NULL) {
        return ww_fail(err, WW_EUSAGE,
                       "validate inference takes --out DIR (run what DIR lacks) or --results DIR "
                       "(run nothing), not both");
    }
    return ww__compare(&description, asked, &left, err);
}
