/* cycles.c - `warpwatt validate cycles`: cycles and event counts beside those of GPGPU-Sim
 * on the same PTX, inputs and machine parameters. Rows named WORKLOAD:SIZE run that workload of
 * ours; of the others every one whose PTX and launch file are at hand is run, the rest are named.
 */
#include <math.h>
#include <string.h>

#include "base/file.h"
#include "validation/compare.h"
#include "validation/spread.h"

#define REGISTERS "registers_sm75.csv" /* with these counts the reference was run */
#define MACHINE   "gtx480-gpgpusim"

typedef enum quantity {
    CYCLES,
    THREAD_INST,
    WARP_INST,
    L1I,
    L1C,
    L1D,
    L1D_MISS,
    L2,
    L2_MISS,
    DRAM_READ,
    DRAM_WRITE,
    QUANTITIES
} quantity;

static const struct {
    const char *shown;
    bool judged;               /* bars.csv has its bar */
    ww_counter plus[4], minus; /* our count; WW_COUNTER_COUNT: none */
} QUANTITY[QUANTITIES] = {
#define NONE WW_COUNTER_COUNT
    [CYCLES] = {"cycles", false, {WW_C_CORE_CYCLES, NONE, NONE, NONE}, NONE},
    [THREAD_INST] = {"thread_inst", true, {WW_C_INST_THREAD, NONE, NONE, NONE}, NONE},
    [WARP_INST] = {"warp_inst", true, {WW_C_INST_ISSUED, NONE, NONE, NONE}, NONE},
    [L1I] = {"l1i", false, {WW_C_L1I_READ_HIT, WW_C_L1I_READ_MISS, NONE, NONE}, NONE},
    [L1C] = {"l1c", false, {WW_C_L1C_READ_HIT, WW_C_L1C_READ_MISS, NONE, NONE}, NONE},
    [L1D] = {"l1d",
             true,
             {WW_C_L1D_READ_HIT, WW_C_L1D_READ_MISS, WW_C_L1D_WRITE_HIT, WW_C_L1D_WRITE_MISS},
             NONE},
    [L1D_MISS] = {"l1d_miss",
                  false,
                  {WW_C_L1D_READ_MISS, WW_C_L1D_WRITE_MISS, NONE, NONE},
                  WW_C_L1D_READ_MERGED},
    [L2] = {"l2",
            true,
            {WW_C_L2_READ_HIT, WW_C_L2_READ_MISS, WW_C_L2_WRITE_HIT, WW_C_L2_WRITE_MISS},
            NONE},
    [L2_MISS] = {"l2_miss",
                 false,
                 {WW_C_L2_READ_MISS, WW_C_L2_WRITE_MISS, NONE, NONE},
                 WW_C_L2_READ_MERGED},
    [DRAM_READ] = {"dram_rd", true, {WW_C_DRAM_RD, NONE, NONE, NONE}, NONE},
    [DRAM_WRITE] = {"dram_wr", false, {WW_C_DRAM_WR, NONE, NONE, NONE}, NONE},
#undef NONE
};

/* Columns of the reference: the quantities, then these. */
enum { CASE = QUANTITIES, POWER, COLUMNS };

static const ww_ref_column reference[COLUMNS] = {
    [CYCLES] = {"cycles", .kind = WW_REF_NUMBER},
    [THREAD_INST] = {"thread_insn", .kind = WW_REF_NUMBER},
    [WARP_INST] = {"warp_insn_issued", .kind = WW_REF_NUMBER},
    [L1I] = {"L1I_acc", .kind = WW_REF_NUMBER},
    [L1C] = {"L1C_acc", .kind = WW_REF_NUMBER},
    [L1D] = {"L1D_acc", .kind = WW_REF_NUMBER},
    [L1D_MISS] = {"L1D_miss", .kind = WW_REF_NUMBER},
    [L2] = {"L2_acc", .kind = WW_REF_NUMBER},
    [L2_MISS] = {"L2_miss", .kind = WW_REF_NUMBER},
    [DRAM_READ] = {"dram_rd", .kind = WW_REF_NUMBER},
    [DRAM_WRITE] = {"dram_wr", .kind = WW_REF_NUMBER},
    [CASE] = {"case", .kind = WW_REF_NAME},
    /* Tables of runs with and without a power model: their counts are the same. */
    [POWER] = {"power", .kind = WW_REF_TEXT, .may_lack = true},
};

/* ---- running ---- */

static double count(const ww_run *run, quantity q)
{
    double sum = 0;
    for (size_t l = 0; l < run->launch_count; l++) {
        const ww_counter_set *set = run->launches[l].counters;
        for (size_t i = 0; i < WW_ARRAY_LEN(QUANTITY[q].plus); i++) {
            ww_counter c = QUANTITY[q].plus[i];
            sum += c != WW_COUNTER_COUNT ? (double)ww_counter_total(set, c) : 0;
        }
        if (QUANTITY[q].minus != WW_COUNTER_COUNT) {
            sum -= (double)ww_counter_total(set, QUANTITY[q].minus);
        }
    }
    return sum;
}

static ww_status run_counts(const ww_run_request *request, double ours[QUANTITIES], ww_error *err)
{
    ww_run *run = NULL;
    WW_TRY(ww_run_execute(request, &run, err));
    for (int q = 0; q < QUANTITIES; q++) {
        ours[q] = count(run, (quantity)q);
    }
    ww_run_destroy(run);
    return WW_OK;
}

/* Register counts of the workload's kernels, from the table; texts are the table's. */
static ww_status workload_registers(ww_arena *arena, const ww_refs *table, const char *workload,
                                    ww_run_request *request, ww_error *err)
{
    size_t rows = ww_refs_rows(table);
    ww_kernel_registers *known = WW_ARENA_NEW_ARRAY(arena, ww_kernel_registers, rows + 1);
    if (known == NULL) {
        return ww_no_memory_for(err, "register counts");
    }
    request->registers = known;
    for (size_t i = 0; i < rows; i++) {
        if (strcmp(ww_refs_text(table, i, 0), workload) == 0) {
            known[request->registers_count++] = (ww_kernel_registers){
                ww_refs_text(table, i, 1), (uint32_t)ww_refs_number(table, i, 2)};
        }
    }
    return WW_OK;
}

static ww_status run_workload(ww__comparing *c, const char *program, double ours[QUANTITIES],
                              ww_error *err)
{
    static const ww_ref_column columns[] = {{"workload", .kind = WW_REF_NAME},
                                            {"kernel", .kind = WW_REF_NAME},
                                            {"registers_ptxas", .kind = WW_REF_POSITIVE}};
    ww_run_item item = {0};
    ww_run_request request = {.gpu = MACHINE, .items = &item, .item_count = 1, .isa = WW_ISA_PTX};
    const char *colon = strchr(program, ':'), *path;
    const char *name = ww_arena_strndup(&c->arena, program, (size_t)(colon - program));
    ww_refs *registers = NULL;
    if (name == NULL) {
        return ww_no_memory_for(err, "%s", program);
    }
    item.workload = ww_workload_find(name);
    if (item.workload == NULL) {
        return ww_fail(err, WW_ENOTFOUND, "%s: no workload of that name", program);
    }
    WW_TRY(ww_workload_size_parse(colon + 1, &item.size, err));
    WW_TRY(ww_validation_file(&c->arena, REGISTERS, &path, err));
    WW_TRY(ww_refs_load(path, columns, WW_ARRAY_LEN(columns), &registers, err));
    ww_status status = workload_registers(&c->arena, registers, name, &request, err);
    status = status == WW_OK ? run_counts(&request, ours, err) : status;
    ww_refs_destroy(registers);
    return status;
}

/* The program's file of that kind, in --programs or beside the shipped table; NULL: neither has
 * one. */
static ww_status find_file(ww__comparing *c, const char *program, const char *ending,
                           const char **out, ww_error *err)
{
    const char *shipped, *name = ww_arena_printf(&c->arena, "%s.%s", program, ending);
    WW_TRY(ww_validation_file(&c->arena, "cycles/gpgpusim.csv", &shipped, err));
    const char *const folders[] = {c->asked->programs, ww_path_dir(&c->arena, shipped)};
    *out = NULL;
    for (size_t i = 0; name != NULL && i < WW_ARRAY_LEN(folders) && *out == NULL; i++) {
        const char *path = folders[i] != NULL ? ww_path_join(&c->arena, folders[i], name) : NULL;
        *out = path != NULL && ww_file_exists(path) ? path : NULL;
    }
    return name != NULL ? WW_OK : ww_no_memory(err);
}

/* ---- rows ---- */

static ww_status add_rows(ww__comparing *c, size_t line, const double ours[QUANTITIES],
                          ww_error *err)
{
    for (int q = 0; q < QUANTITIES; q++) {
        ww_row row = ww_row_of(ww_refs_text(c->refs, line, CASE), QUANTITY[q].shown, "");
        const ww_bar *bar = NULL;
        row.reference = ww_refs_number(c->refs, line, (size_t)q);
        row.ours = ours[q];
        if (QUANTITY[q].judged) {
            WW_TRY(ww_bars_find(c->bars, "cycles", row.what, &bar, err));
        }
        ww_judge(&row, bar, fabs(ww_row_error(&row)));
        WW_TRY(ww_rows_add(&c->rows, &row, err));
    }
    return WW_OK;
}

static ww_status take(ww__comparing *c, size_t line, ww_error *err)
{
    const char *program = ww_refs_text(c->refs, line, CASE);
    const char *power = ww_refs_text(c->refs, line, POWER);
    double ours[QUANTITIES];
    ww_run_request request = {.gpu = MACHINE, .isa = WW_ISA_PTX};
    if (power[0] != '\0' && strcmp(power, "off") != 0) {
        return WW_OK;
    }
    if (strchr(program, ':') != NULL) {
        WW_TRY(run_workload(c, program, ours, err));
        return add_rows(c, line, ours, err);
    }
    WW_TRY(find_file(c, program, "ptx", &request.ptx_path, err));
    WW_TRY(find_file(c, program, "xml", &request.launch_path, err));
    if (request.ptx_path == NULL || request.launch_path == NULL) {
        ww_rows_leave_out(&c->rows, "%s", program);
        return WW_OK;
    }
    WW_TRY(run_counts(&request, ours, err));
    return add_rows(c, line, ours, err);
}

/* ---- what it comes to ---- */

static const ww_selection of_cycles = {.what = "cycles"};

static ww_status sum_up(ww__comparing *c, ww_error *err)
{
    ww_spread e;
    double r;
    WW_TRY(ww_rows_spread(&c->rows, &of_cycles, 0, &e, err));
    WW_TRY(ww_rows_pearson(&c->rows, &of_cycles, true, &r, err));
    WW_TRY(ww__add_statistic(c, "cycles", "mean absolute cycle error", e.mean, e.rows, err));
    return ww__add_statistic(c, "cycles", "correlation of log cycles", r, e.rows, err);
}

static ww_status tell(ww__comparing *c, FILE *to, ww_error *err)
{
    (void)err;
    if (c->statistics.count > 0) {
        const ww_row *e = &c->statistics.row[0], *r = &c->statistics.row[1];
        ww_tally rows = ww_rows_tally(&c->rows), sums = ww_rows_tally(&c->statistics);
        fprintf(to, "\n%zu programs on %s: mean absolute cycle error %.1f %% (bar %.0f %%)", e->of,
                MACHINE, 100 * e->ours, 100 * e->bar->high);
        if (r->of >= r->bar->enough) {
            fprintf(to, ", correlation of log cycles %.4f (bar %.2f)", r->ours, r->bar->low);
        }
        fprintf(to, "; %zu missed bars\n", ww_tally_failed(&rows) + ww_tally_failed(&sums));
    }
    if (c->rows.absent.len > 0) {
        fprintf(to,
                "not rerun, because no folder has their PTX and launch file (--programs DIR): %s\n",
                ww_str_text(&c->rows.absent));
    }
    return WW_OK;
}

ww_status ww_validate_cycles(const ww_validation *asked, ww_error *err)
{
    static const ww_column shown[] = {
        {"program", .field = WW_SHOW_SUBJECT},
        {"quantity", .field = WW_SHOW_WHAT},
        {"reference", .field = WW_SHOW_REFERENCE},
        {"warpwatt", .field = WW_SHOW_OURS},
        {"error_percent", .field = WW_SHOW_ERROR, .digits = 1},
        {"bar", .field = WW_SHOW_TEXT, .text = ww_show_verdict},
    };
    static const ww__comparison description = {.title = "cycles",
                                               .table = "cycles/gpgpusim.csv",
                                               .reference = reference,
                                               .references = COLUMNS,
                                               .shown = shown,
                                               .columns = WW_ARRAY_LEN(shown),
                                               .take = take,
                                               .sum_up = sum_up,
                                               .tell = tell};
    return ww__compare(&description, asked, NULL, err);
}
