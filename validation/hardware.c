/* hardware.c - `warpwatt validate cycles --hardware`: cycles of public CUDA programs beside those
 * that a GPU's profiler counted, and beside two peers' on the same rows. The programs are run as
 * they are (--programs DIR), or results kept by `warpwatt run --out DIR/NAME -- PROGRAM` are read
 * (--results DIR). */
#include <math.h>

#include "validation/rerun.h"
#include "validation/spread.h"

enum { GPU, PROGRAM, FILE_NAME, ARGUMENTS, CYCLES, PTX, TRACE, ROLE, SAMPLE, BOUND, COLUMNS };
enum { OURS = 0, PTX_PEER = 1, TRACE_PEER = 2 }; /* as ww_selection numbers them */

/* What binds a program; roles in the order of `splits`. */
static const char *const bounds[] = {"compute", "bandwidth", "shared", "latency", NULL};
static const char *const roles[] = {"judged", "led", "clock", NULL};
static const char *const samples[] = {"", "ctas", "kernels", NULL};
static const ww_split splits[] = {WW_SPLIT_UNSEEN, WW_SPLIT_LOOKED_AT, WW_SPLIT_USED};

static const ww_ref_column reference[COLUMNS] = {
    [GPU] = {"gpu", .kind = WW_REF_NAME},
    [PROGRAM] = {"program", .kind = WW_REF_NAME},
    [FILE_NAME] = {"file", .kind = WW_REF_NAME},
    [ARGUMENTS] = {"arguments", .kind = WW_REF_TEXT},
    [CYCLES] = {"hw_cycles", .kind = WW_REF_POSITIVE},
    [PTX] = {"ptx_peer", .kind = WW_REF_OPTIONAL},
    [TRACE] = {"trace_peer", .kind = WW_REF_OPTIONAL},
    [ROLE] = {"role", .kind = WW_REF_WORD, .words = roles},
    [SAMPLE] = {"sample", .kind = WW_REF_WORD, .words = samples},
    [BOUND] = {"bound", .kind = WW_REF_WORD, .words = bounds},
};

/* What counts: nothing of the description was fitted to it. */
enum { JUDGED = 1u << WW_SPLIT_UNSEEN | 1u << WW_SPLIT_LOOKED_AT };

static ww_status our_cycles(const ww__comparing *c, size_t line, double *cycles, bool *found,
                            ww_error *err)
{
    const ww_rerun_row row = {.gpu = ww_refs_text(c->refs, line, GPU),
                              .name = ww_refs_text(c->refs, line, PROGRAM),
                              .file = ww_refs_text(c->refs, line, FILE_NAME),
                              .arguments = ww_refs_text(c->refs, line, ARGUMENTS),
                              .sample = ww_refs_text(c->refs, line, SAMPLE)};
    ww_arena arena = {0};
    ww_rerun_launch *launch;
    size_t count;
    ww_status status = ww__rerun_launches(c, &row, &arena, &launch, &count, found, err);
    *cycles = 0;
    for (size_t i = 0; status == WW_OK && i < count; i++) {
        *cycles += launch[i].cycles;
    }
    ww_arena_fini(&arena);
    return status;
}

static ww_status take(ww__comparing *c, size_t line, ww_error *err)
{
    ww_row row = ww_row_of(ww_refs_text(c->refs, line, PROGRAM), "cycles", "cycle");
    bool found;
    row.reference = ww_refs_number(c->refs, line, CYCLES);
    row.peer[PTX_PEER - 1] = ww_refs_number(c->refs, line, PTX);
    row.peer[TRACE_PEER - 1] = ww_refs_number(c->refs, line, TRACE);
    row.split = splits[ww_refs_word(c->refs, line, ROLE)];
    row.group = ww_refs_text(c->refs, line, BOUND);
    WW_TRY(our_cycles(c, line, &row.ours, &found, err));
    if (!found) {
        ww_rows_leave_out(&c->rows, "%s", row.subject);
        return WW_OK;
    }
    return ww_rows_add(&c->rows, &row, err);
}

/* ---- what it comes to ---- */

/* The bar: below the PTX-level peer on the same rows. */
static ww_status sum_up(ww__comparing *c, ww_error *err)
{
    const ww_selection known = {.splits = JUDGED, .peer = PTX_PEER};
    ww_spread ours, theirs;
    WW_TRY(ww_rows_spread(&c->rows, &known, OURS, &ours, err));
    WW_TRY(ww_rows_spread(&c->rows, &known, PTX_PEER, &theirs, err));
    WW_TRY(ww__add_statistic(c, "hardware", "mean error over the PTX-level peer's",
                             ours.mean / theirs.mean, ours.rows, err));
    return ww__add_statistic(c, "hardware", "median error over the PTX-level peer's",
                             ours.median / theirs.median, ours.rows, err);
}

static ww_status tell_spread(ww__comparing *c, FILE *to, const char *what, ww_selection rows,
                             unsigned of, ww_error *err)
{
    ww_spread e;
    WW_TRY(ww_rows_spread(&c->rows, &rows, of, &e, err));
    if (e.rows > 0) {
        fprintf(to, "%-44s mean %5.1f %%, median %5.1f %% over %zu programs\n", what, 100 * e.mean,
                100 * e.median, e.rows);
    }
    return WW_OK;
}

/* A line per class of programs: ours beside the trace-driven peer, which has most of the rows. */
static ww_status tell_classes(ww__comparing *c, FILE *to, ww_error *err)
{
    for (const char *const *bound = bounds; *bound != NULL; bound++) {
        const ww_selection rows = {.splits = JUDGED, .peer = TRACE_PEER, .group = *bound};
        ww_spread ours, theirs;
        WW_TRY(ww_rows_spread(&c->rows, &rows, OURS, &ours, err));
        WW_TRY(ww_rows_spread(&c->rows, &rows, TRACE_PEER, &theirs, err));
        if (ours.rows > 0) {
            fprintf(to, "bound by %-9s: WarpWatt %5.1f %%, trace-driven peer %5.1f %% over %zu\n",
                    *bound, 100 * ours.mean, 100 * theirs.mean, ours.rows);
        }
    }
    return WW_OK;
}

static ww_status tell(ww__comparing *c, FILE *to, ww_error *err)
{
    const ww_selection all = {.splits = JUDGED}, apart = {.splits = 1u << WW_SPLIT_UNSEEN},
                       ptx = {.splits = JUDGED, .peer = PTX_PEER},
                       trace = {.splits = JUDGED, .peer = TRACE_PEER};
    const struct {
        const char *what;
        ww_selection rows;
        unsigned of;
    } line[] = {{"WarpWatt", all, OURS},
                {"WarpWatt, rows that led to no change", apart, OURS},
                {"WarpWatt, where the PTX-level peer is known", ptx, OURS},
                {"PTX-level peer", ptx, PTX_PEER},
                {"WarpWatt, where the trace-driven peer is known", trace, OURS},
                {"trace-driven peer", trace, TRACE_PEER}};
    if (c->rows.count > 0) {
        fprintf(to, "\nabsolute cycle errors:\n");
    }
    for (size_t i = 0; i < WW_ARRAY_LEN(line); i++) {
        WW_TRY(tell_spread(c, to, line[i].what, line[i].rows, line[i].of, err));
    }
    WW_TRY(tell_classes(c, to, err));
    return ww__tell_left_out(c, to);
}

static const char *show_role(const ww_row *row, char room[WW_SHOWN_CHARS])
{
    (void)room;
    return row->split == WW_SPLIT_LOOKED_AT ? "led to a change"
           : row->split == WW_SPLIT_UNSEEN  ? "yes"
                                            : "no";
}

ww_status ww_validate_hardware(const ww_validation *asked, ww_error *err)
{
    static const ww_column shown[] = {
        {"program", .field = WW_SHOW_SUBJECT},
        {"hardware", .field = WW_SHOW_REFERENCE, .digits = 0},
        {"warpwatt", .field = WW_SHOW_OURS, .digits = 0},
        {"error_percent", .field = WW_SHOW_ERROR, .digits = 1},
        {"ptx_peer_percent", .field = WW_SHOW_PEER1, .digits = 1},
        {"trace_peer_percent", .field = WW_SHOW_PEER2, .digits = 1},
        {"judged", .field = WW_SHOW_TEXT, .text = show_role},
    };
    static const ww__comparison description = {.title = "hardware",
                                               .table = "cycles/hardware.csv",
                                               .reference = reference,
                                               .references = COLUMNS,
                                               .shown = shown,
                                               .columns = WW_ARRAY_LEN(shown),
                                               .take = take,
                                               .sum_up = sum_up,
                                               .tell = tell};
    return ww__compare(&description, asked, NULL, err);
}
