/* paper_page.c - the figures that a study's definition names, drawn from its results. */
#include "validation/paper_page.h"

#include <math.h>
#include <string.h>

#include "analysis/study_page.h"
#include "base/csv.h"
#include "validation/pass_fronts.h"

/* A figure under construction: its texts and numbers are in the arena. */
typedef struct drawing {
    ww_paper *paper;
    ww_arena *arena;
    const ww_sweep_figure *figure;
    const char **bar;           /* configurations with results */
    const char **group;         /* labels, then means */
    const ww_sweep_item **item; /* [groups - means] */
    const char **mean;          /* [means] words */
    size_t bars, groups, means, parts;
    double *value;
} drawing;

static size_t count_words(const char *text)
{
    size_t n = 0;
    for (text += strspn(text, " "); *text != '\0'; text += strspn(text, " ")) {
        text += strcspn(text, " ");
        n++;
    }
    return n;
}

/* Words of a text as strings of their own. */
static ww_status split(ww_arena *arena, const char *text, const char ***out, size_t *count,
                       ww_error *err)
{
    *count = count_words(text);
    *out = WW_ARENA_NEW_ARRAY(arena, const char *, *count + 1);
    for (size_t i = 0; *out != NULL && i < *count; i++) {
        text += strspn(text, " ");
        size_t n = strcspn(text, " ");
        (*out)[i] = ww_arena_strndup(arena, text, n);
        text += n;
        if ((*out)[i] == NULL) {
            return ww_no_memory(err);
        }
    }
    return *out != NULL ? WW_OK : ww_no_memory(err);
}

static const char *expression(const drawing *d, size_t part)
{
    return d->figure->value != NULL ? d->figure->value : d->figure->part[part].value;
}

/* The workloads of the figure, and behind them its means. */
static ww_status find_groups(drawing *d, ww_error *err)
{
    const ww_sweep *s = ww_paper_sweep(d->paper);
    WW_TRY(split(d->arena, d->figure->means, &d->mean, &d->means, err));
    d->group = WW_ARENA_NEW_ARRAY(d->arena, const char *, s->item_count + d->means);
    d->item = WW_ARENA_NEW_ARRAY(d->arena, const ww_sweep_item *, s->item_count + 1);
    if (d->group == NULL || d->item == NULL) {
        return ww_no_memory(err);
    }
    for (size_t i = 0; i < s->item_count; i++) {
        bool in;
        WW_TRY(ww_paper_in(d->paper, d->figure->over, &s->item[i], &in, err));
        if (in && s->item[i].pass == NULL) {
            d->item[d->groups] = &s->item[i];
            d->group[d->groups++] = s->item[i].label;
        }
    }
    d->means = d->groups > 1 ? d->means : 0; /* of one it would be that one again */
    for (size_t i = 0; i < d->means; i++) {
        d->group[d->groups++] = strcmp(d->mean[i], "all") == 0
                                    ? "mean"
                                    : ww_arena_printf(d->arena, "mean %s", d->mean[i]);
    }
    return WW_OK;
}

static ww_status evaluate(drawing *d, size_t group, size_t bar, size_t part, double *out,
                          ww_error *err)
{
    ww_row j;
    size_t workloads = d->groups - d->means;
    if (group < workloads) {
        WW_TRY(ww_paper_value(d->paper, expression(d, part), d->bar[bar], d->item[group], &j, err));
    } else {
        WW_TRY(ww_paper_mean(d->paper, expression(d, part), d->bar[bar], d->figure->mean,
                             d->mean[group - workloads], &j, err));
    }
    *out = j.ours;
    return WW_OK;
}

static ww_status fill(drawing *d, ww_error *err)
{
    d->parts = d->figure->value != NULL ? 1 : d->figure->part_count;
    d->value = WW_ARENA_NEW_ARRAY(d->arena, double, d->groups * d->bars * d->parts + 1);
    if (d->value == NULL) {
        return ww_no_memory(err);
    }
    for (size_t g = 0; g < d->groups; g++) {
        for (size_t b = 0; b < d->bars; b++) {
            for (size_t p = 0; p < d->parts; p++) {
                WW_TRY(evaluate(d, g, b, p, &d->value[(g * d->bars + b) * d->parts + p], err));
            }
        }
    }
    return WW_OK;
}

/* Whether any run of a configuration has results. */
static ww_status has_results(const drawing *d, const char *configuration, bool *out, ww_error *err)
{
    *out = false;
    for (size_t i = 0; i < d->groups - d->means && !*out; i++) {
        ww_row j;
        WW_TRY(ww_paper_value(d->paper, "this:cycles", configuration, d->item[i], &j, err));
        *out = j.missing == NULL;
    }
    return WW_OK;
}

static ww_status find_bars(drawing *d, ww_error *err)
{
    const char **word;
    size_t words;
    WW_TRY(split(d->arena, d->figure->of, &word, &words, err));
    d->bar = WW_ARENA_NEW_ARRAY(d->arena, const char *, words + 1);
    if (d->bar == NULL) {
        return ww_no_memory(err);
    }
    for (size_t i = 0; i < words; i++) {
        bool has;
        WW_TRY(has_results(d, word[i], &has, err));
        if (has) {
            d->bar[d->bars++] = word[i];
        }
    }
    return WW_OK;
}

static ww_status put_csv(const drawing *d, const char **out, ww_error *err)
{
    ww_str text = {0};
    ww_csv_writer csv;
    ww_csv_init(&csv, &text);
    ww_csv_put_header(&csv, "workload", NULL);
    ww_csv_put_header(&csv, "configuration", NULL);
    for (size_t p = 0; p < d->parts; p++) {
        ww_csv_put_header(&csv, d->parts > 1 ? d->figure->part[p].name : "value", NULL);
    }
    ww_csv_end_row(&csv);
    for (size_t i = 0; i < d->groups * d->bars; i++) {
        ww_csv_put_text(&csv, d->group[i / d->bars]);
        ww_csv_put_text(&csv, d->bar[i % d->bars]);
        for (size_t p = 0; p < d->parts; p++) {
            ww_csv_put_double(&csv, d->value[i * d->parts + p]);
        }
        ww_csv_end_row(&csv);
    }
    ww_status status = ww_csv_finish(&csv, err);
    *out = status == WW_OK ? ww_arena_strndup(d->arena, ww_str_text(&text), text.len) : NULL;
    ww_str_fini(&text);
    return status != WW_OK || *out != NULL ? status : ww_no_memory(err);
}

/* What the axis shows, what the means are and, where colours are those of parts, which bar is
 * which.
 */
static const char *note(const drawing *d)
{
    ww_str text = {0};
    const char *mean = d->figure->mean;
    ww_str_addf(&text, "%s.", d->figure->axis);
    if (d->means > 0) {
        ww_str_addf(&text, " Means at the right are %s.",
                    strcmp(mean, "geo") == 0     ? "geometric"
                    : strcmp(mean, "arith") == 0 ? "arithmetic"
                                                 : "over all programs together");
    }
    for (size_t b = 0; d->parts > 1 && b < d->bars; b++) {
        ww_str_addf(&text, "%s%s", b > 0 ? ", " : " Bars of a group, from the left: ", d->bar[b]);
    }
    ww_str_add(&text, d->parts > 1 ? "." : "");
    const char *copy = ww_arena_strndup(d->arena, ww_str_text(&text), text.len);
    ww_str_fini(&text);
    return copy;
}

static ww_status draw(ww_paper *paper, const ww_sweep_figure *figure, ww_arena *arena,
                      ww_study_figure *out, ww_error *err)
{
    drawing d = {.paper = paper, .arena = arena, .figure = figure};
    WW_TRY(find_groups(&d, err));
    WW_TRY(find_bars(&d, err));
    WW_TRY(fill(&d, err));
    const char **part = WW_ARENA_NEW_ARRAY(arena, const char *, d.parts + 1);
    if (part == NULL) {
        return ww_no_memory(err);
    }
    for (size_t p = 0; p < figure->part_count; p++) {
        part[p] = figure->part[p].name;
    }
    *out = (ww_study_figure){.name = figure->name, .title = figure->title};
    out->note = note(&d);
    out->chart = (ww_column_chart){.groups = d.bars > 0 ? d.groups : 0,
                                   .bars = d.bars,
                                   .parts = d.parts,
                                   .means = d.means,
                                   .group = d.group,
                                   .bar = d.bar,
                                   .part = part,
                                   .value = d.value,
                                   .axis = figure->axis,
                                   .against_one = figure->against_one};
    return out->note != NULL ? put_csv(&d, &out->csv, err) : ww_no_memory(err);
}

/* ---- what every sweep can show ---- */

static const ww_sweep_part stalls[] = {
    {"issued", "this:sm.slots.issued / this:sm.slots"},
    {"long-latency RAW", "this:sm.stall.raw_long / this:sm.slots"},
    {"short-latency RAW", "this:sm.stall.raw_short / this:sm.slots"},
    {"LSU full", "this:sm.stall.lsu_full / this:sm.slots"},
    {"SP or SFU full", "(this:sm.stall.sp_full + this:sm.stall.sfu_full) / this:sm.slots"},
    {"buffer empty", "this:sm.stall.ibuffer_empty / this:sm.slots"},
    {"barrier", "this:sm.stall.barrier / this:sm.slots"},
    {"held by a mechanism", "this:sm.stall.held / this:sm.slots"},
    {"none left", "this:sm.stall.no_instruction / this:sm.slots"},
};

/* All configurations by name, separated by spaces. */
static const char *all_configurations(const ww_sweep *s, ww_arena *arena)
{
    ww_str text = {0};
    for (size_t i = 0; i < s->set_count; i++) {
        ww_str_addf(&text, "%s%s", i > 0 ? " " : "", s->set[i].name);
    }
    const char *copy = ww_arena_strndup(arena, ww_str_text(&text), text.len);
    ww_str_fini(&text);
    return copy;
}

static ww_status plain_figures(ww_paper *paper, ww_arena *arena, ww_sweep_figure *out,
                               size_t *count, ww_error *err)
{
    const ww_sweep *s = ww_paper_sweep(paper);
    const char *of = all_configurations(s, arena), *base = s->set[0].name;
    const char *ipc = ww_arena_printf(arena, "this:ipc / {%s}:ipc", base);
    const char *energy = ww_arena_printf(
        arena, "(this:energy / this:instructions) / ({%s}:energy / {%s}:instructions)", base, base);
    const char *ipc_axis = ww_arena_printf(arena, "IPC relative to %s", base);
    const char *energy_axis = ww_arena_printf(arena, "energy relative to %s", base);
    if (of == NULL || ipc == NULL || energy == NULL || ipc_axis == NULL || energy_axis == NULL) {
        return ww_no_memory(err);
    }
    const ww_sweep_figure common = {.of = of, .over = "all", .means = "all", .mean = "geo"};
    for (size_t i = 0; i < 3; i++) {
        out[i] = common;
    }
    out[0].name = "ipc";
    out[0].title = "Speed";
    out[0].axis = ipc_axis;
    out[0].value = ipc;
    out[1].name = "energy";
    out[1].title = "Energy";
    out[1].axis = energy_axis;
    out[1].value = energy;
    out[0].against_one = out[1].against_one = true;
    out[2].name = "stalls";
    out[2].title = "Issue slots";
    out[2].axis = "share of issue slots";
    out[2].mean = "arith";
    out[2].part =
        arena != NULL ? WW_ARENA_NEW_ARRAY(arena, ww_sweep_part, WW_ARRAY_LEN(stalls)) : NULL;
    out[2].part_count = WW_ARRAY_LEN(stalls);
    if (out[2].part == NULL) {
        return ww_no_memory(err);
    }
    memcpy(out[2].part, stalls, sizeof stalls);
    *count = 3;
    return WW_OK;
}

/* ---- the page ---- */

static ww_status put_numbers(ww_paper *paper, ww_arena *arena, ww_study_figure *out, ww_error *err)
{
    size_t n;
    const ww_band *band = ww_paper_bands(paper, &n);
    ww_str text = {0};
    ww_csv_writer csv;
    ww_status status = WW_OK;
    const char *const head[] = {"figure",  "id",   "what", "over", "mean",   "unit",
                                "printed", "ours", "low",  "high", "verdict"};
    ww_csv_init(&csv, &text);
    for (size_t c = 0; c < WW_ARRAY_LEN(head); c++) {
        ww_csv_put_header(&csv, head[c], NULL);
    }
    ww_csv_end_row(&csv);
    for (size_t i = 0; status == WW_OK && i < n; i++) {
        ww_row j;
        status = ww_paper_judge(paper, &band[i], &j, err);
        const char *const cell[] = {band[i].figure, band[i].id,   band[i].what,   band[i].over,
                                    band[i].mean,   band[i].unit, band[i].printed};
        for (size_t c = 0; c < WW_ARRAY_LEN(cell); c++) {
            ww_csv_put_text(&csv, cell[c]);
        }
        WW_CSV_DOUBLES(&csv, j.ours, band[i].bar.low, band[i].bar.high);
        ww_csv_put_text(&csv, ww_verdict_name(j.verdict));
        ww_csv_end_row(&csv);
    }
    status = status == WW_OK ? ww_csv_finish(&csv, err) : status;
    *out = (ww_study_figure){.name = "numbers",
                             .title = "The paper's numbers and ours",
                             .note = "Printed value, ours, and the band in which ours must lie."};
    out->csv = status == WW_OK ? ww_arena_strndup(arena, ww_str_text(&text), text.len) : NULL;
    ww_str_fini(&text);
    return status != WW_OK || out->csv != NULL ? status : ww_no_memory(err);
}

static ww_status build(ww_paper *paper, ww_arena *arena, const char *path, const char *version,
                       ww_error *err)
{
    const ww_sweep *s = ww_paper_sweep(paper);
    ww_sweep_figure plain[3];
    const ww_sweep_figure *from = s->figure;
    size_t count = s->figure_count, bands, used = 0;
    (void)ww_paper_bands(paper, &bands);
    if (count == 0) {
        WW_TRY(plain_figures(paper, arena, plain, &count, err));
        from = plain;
    }
    ww_study_figure *figure = WW_ARENA_NEW_ARRAY(arena, ww_study_figure, count + 1 + s->item_count);
    if (figure == NULL) {
        return ww_no_memory(err);
    }
    WW_TRY(ww__pass_fronts(paper, arena, figure, &used, err));
    for (size_t i = 0; i < count; i++) {
        WW_TRY(draw(paper, &from[i], arena, &figure[used], err));
        used += figure[used].chart.groups > 0; /* else nothing of it has run */
    }
    if (bands > 0) {
        WW_TRY(put_numbers(paper, arena, &figure[used++], err));
    }
    return ww_study_page_write(path, s->name, version, figure, used, err);
}

ww_status ww_paper_page_write(ww_paper *paper, const char *html_path, const char *version,
                              ww_error *err)
{
    ww_arena arena = {0};
    ww_status status = build(paper, &arena, html_path, version, err);
    ww_arena_fini(&arena);
    return status;
}
