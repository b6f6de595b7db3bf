/* validate_cycles.c - `warpwatt validate cycles`: cycles and event counts beside those of GPGPU-Sim
 * on the same PTX, inputs and machine parameters. Rows named WORKLOAD:SIZE run that workload of
 * ours; of the others every one whose PTX and launch file are at hand is run, the rest are named.
 */
#include <math.h>
#include <string.h>

#include "analysis/table.h"
#include "base/csv.h"
#include "base/file.h"
#include "base/str.h"
#include "cli/validate.h"
#include "run/run.h"

#define TABLE     "cycles/gpgpusim.csv"
#define REGISTERS "registers_sm75.csv" /* with these counts the reference was run */
#define GPU       "gtx480-gpgpusim"

enum { ENOUGH = 3 /* programs: below, the correlation says nothing */ };

/* Bars: share of the reference by which a count may differ; less than 0: not judged. */
#define CYCLES_BAR      0.15 /* mean of the absolute errors */
#define CORRELATION_BAR 0.98

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
    const char *column; /* of the reference table */
    const char *shown;
    double bar;
    ww_counter plus[4], minus; /* our count; WW_COUNTER_COUNT: none */
} QUANTITY[QUANTITIES] = {
#define NONE WW_COUNTER_COUNT
    [CYCLES] = {"cycles", "cycles", -1, {WW_C_CORE_CYCLES, NONE, NONE, NONE}, NONE},
    [THREAD_INST] = {"thread_insn", "thread_inst", 0, {WW_C_INST_THREAD, NONE, NONE, NONE}, NONE},
    [WARP_INST] = {"warp_insn_issued", "warp_inst", 0, {WW_C_INST_ISSUED, NONE, NONE, NONE}, NONE},
    [L1I] = {"L1I_acc", "l1i", -1, {WW_C_L1I_READ_HIT, WW_C_L1I_READ_MISS, NONE, NONE}, NONE},
    [L1C] = {"L1C_acc", "l1c", -1, {WW_C_L1C_READ_HIT, WW_C_L1C_READ_MISS, NONE, NONE}, NONE},
    [L1D] = {"L1D_acc",
             "l1d",
             0.05,
             {WW_C_L1D_READ_HIT, WW_C_L1D_READ_MISS, WW_C_L1D_WRITE_HIT, WW_C_L1D_WRITE_MISS},
             NONE},
    [L1D_MISS] = {"L1D_miss",
                  "l1d_miss",
                  -1,
                  {WW_C_L1D_READ_MISS, WW_C_L1D_WRITE_MISS, NONE, NONE},
                  WW_C_L1D_READ_MERGED},
    [L2] = {"L2_acc",
            "l2",
            0.05,
            {WW_C_L2_READ_HIT, WW_C_L2_READ_MISS, WW_C_L2_WRITE_HIT, WW_C_L2_WRITE_MISS},
            NONE},
    [L2_MISS] = {"L2_miss",
                 "l2_miss",
                 -1,
                 {WW_C_L2_READ_MISS, WW_C_L2_WRITE_MISS, NONE, NONE},
                 WW_C_L2_READ_MERGED},
    [DRAM_READ] = {"dram_rd", "dram_rd", 0.10, {WW_C_DRAM_RD, NONE, NONE, NONE}, NONE},
    [DRAM_WRITE] = {"dram_wr", "dram_wr", -1, {WW_C_DRAM_WR, NONE, NONE, NONE}, NONE},
#undef NONE
};

typedef struct row {
    const char *program;
    double theirs[QUANTITIES], ours[QUANTITIES];
} row;

typedef struct study {
    ww_arena arena;
    const char *table;      /* reference file */
    const char *folders[2]; /* looked through for PTX and launch files; NULL: none */
    ww_csv *registers;      /* of the workloads' kernels */
    row *row;               /* rerun */
    size_t rows, missed;
    ww_str missing; /* programs that cannot be rerun */
} study;

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

static ww_status rerun(const ww_run_request *request, row *out, ww_error *err)
{
    ww_run *run = NULL;
    WW_TRY(ww_run_execute(request, &run, err));
    for (int q = 0; q < QUANTITIES; q++) {
        out->ours[q] = count(run, (quantity)q);
    }
    ww_run_destroy(run);
    return WW_OK;
}

/* Register counts of the workload's kernels, from the table. */
static ww_status workload_registers(study *s, const char *workload, ww_run_request *request,
                                    ww_error *err)
{
    size_t name, kernel, registers;
    WW_TRY(ww_csv_find(s->registers, "workload", &name, err));
    WW_TRY(ww_csv_find(s->registers, "kernel", &kernel, err));
    WW_TRY(ww_csv_find(s->registers, "registers_ptxas", &registers, err));
    size_t rows = ww_csv_rows(s->registers);
    ww_kernel_registers *known = WW_ARENA_NEW_ARRAY(&s->arena, ww_kernel_registers, rows + 1);
    if (known == NULL) {
        return ww_no_memory_for(err, "register counts");
    }
    request->registers = known;
    for (size_t i = 0; i < rows; i++) {
        if (strcmp(ww_csv_text(s->registers, i, name), workload) == 0) {
            double count;
            WW_TRY(ww_csv_double(s->registers, i, registers, &count, err));
            known[request->registers_count++] = (ww_kernel_registers){
                ww_csv_text(s->registers, i, kernel),
                (uint32_t)count,
            };
        }
    }
    return WW_OK;
}

static ww_status rerun_workload(study *s, const char *program, row *out, ww_error *err)
{
    ww_run_item item = {0};
    ww_run_request request = {.gpu = GPU, .items = &item, .item_count = 1, .isa = WW_ISA_PTX};
    const char *colon = strchr(program, ':');
    const char *name = ww_arena_strndup(&s->arena, program, (size_t)(colon - program));
    if (name == NULL) {
        return ww_no_memory_for(err, "%s", program);
    }
    item.workload = ww_workload_find(name);
    if (item.workload == NULL) {
        return ww_fail(err, WW_ENOTFOUND, "%s: no workload of that name", program);
    }
    WW_TRY(ww_workload_size_parse(colon + 1, &item.size, err));
    WW_TRY(workload_registers(s, name, &request, err));
    return rerun(&request, out, err);
}

/* The program's file of that kind, in the first folder that has one; NULL: none has. */
static const char *find_file(study *s, const char *program, const char *ending)
{
    ww_str name = {0};
    const char *found = NULL;
    ww_str_addf(&name, "%s.%s", program, ending);
    for (size_t i = 0; i < WW_ARRAY_LEN(s->folders) && found == NULL; i++) {
        const char *path = s->folders[i] != NULL
                               ? ww_path_join(&s->arena, s->folders[i], ww_str_text(&name))
                               : NULL;
        found = path != NULL && ww_file_exists(path) ? path : NULL;
    }
    ww_str_fini(&name);
    return found;
}

static ww_status take_row(study *s, const ww_csv *csv, size_t i, const size_t *column,
                          size_t name_column, ww_error *err)
{
    const char *program = ww_csv_text(csv, i, name_column);
    bool workload = strchr(program, ':') != NULL;
    const ww_run_request request = {.gpu = GPU,
                                    .ptx_path = find_file(s, program, "ptx"),
                                    .launch_path = find_file(s, program, "xml"),
                                    .isa = WW_ISA_PTX};
    if (!workload && (request.ptx_path == NULL || request.launch_path == NULL)) {
        ww_str_addf(&s->missing, "%s%s", s->missing.len > 0 ? ", " : "", program);
        return WW_OK;
    }
    row *r = &s->row[s->rows];
    r->program = ww_arena_strndup(&s->arena, program, strlen(program));
    for (int q = 0; q < QUANTITIES; q++) {
        WW_TRY(ww_csv_double(csv, i, column[q], &r->theirs[q], err));
    }
    WW_TRY(workload ? rerun_workload(s, r->program, r, err) : rerun(&request, r, err));
    s->rows++;
    return WW_OK;
}

static ww_status take_rows(study *s, const ww_csv *csv, ww_error *err)
{
    size_t column[QUANTITIES], name_column, power_column;
    WW_TRY(ww_csv_find(csv, "case", &name_column, err));
    for (int q = 0; q < QUANTITIES; q++) {
        WW_TRY(ww_csv_find(csv, QUANTITY[q].column, &column[q], err));
    }
    /* Tables of runs with and without a power model: their counts are the same. */
    bool has_power = ww_csv_find(csv, "power", &power_column, NULL) == WW_OK;
    s->row = WW_ARENA_NEW_ARRAY(&s->arena, row, ww_csv_rows(csv) + 1);
    if (s->row == NULL) {
        return ww_no_memory_for(err, "the comparison");
    }
    for (size_t i = 0; i < ww_csv_rows(csv); i++) {
        if (!has_power || strcmp(ww_csv_text(csv, i, power_column), "off") == 0) {
            WW_TRY(take_row(s, csv, i, column, name_column, err));
        }
    }
    return WW_OK;
}

/* ---- judging ---- */

static double error_of(const row *r, quantity q)
{
    if (r->theirs[q] == r->ours[q]) {
        return 0;
    }
    return r->theirs[q] != 0 ? r->ours[q] / r->theirs[q] - 1 : (double)INFINITY;
}

static double mean_error(const study *s)
{
    double sum = 0;
    for (size_t i = 0; i < s->rows; i++) {
        sum += fabs(error_of(&s->row[i], CYCLES));
    }
    return s->rows > 0 ? sum / (double)s->rows : 0;
}

/* Pearson's r of the logarithms of the cycles. */
static double correlation(const study *s)
{
    double n = (double)s->rows, x = 0, y = 0, xx = 0, yy = 0, xy = 0;
    for (size_t i = 0; i < s->rows; i++) {
        double a = log(s->row[i].theirs[CYCLES]), b = log(s->row[i].ours[CYCLES]);
        x += a;
        y += b;
        xx += a * a;
        yy += b * b;
        xy += a * b;
    }
    return (n * xy - x * y) / sqrt((n * xx - x * x) * (n * yy - y * y));
}

static bool misses(const row *r, quantity q)
{
    return QUANTITY[q].bar >= 0 && fabs(error_of(r, q)) > QUANTITY[q].bar;
}

static void judge(study *s)
{
    for (size_t i = 0; i < s->rows; i++) {
        for (int q = 0; q < QUANTITIES; q++) {
            s->missed += misses(&s->row[i], (quantity)q);
        }
    }
    s->missed += mean_error(s) > CYCLES_BAR;
    s->missed += s->rows >= ENOUGH && correlation(s) < CORRELATION_BAR;
}

/* ---- printing ---- */

static ww_status print_rows(const study *s, bool json, ww_error *err)
{
    static const char *const HEAD[] = {"program",  "quantity",      "reference",
                                       "warpwatt", "error_percent", "bar"};
    ww_table t;
    ww_table_init(&t, "cycles");
    ww_table_heads(&t, HEAD, WW_ARRAY_LEN(HEAD));
    for (size_t i = 0; i < s->rows; i++) {
        const row *r = &s->row[i];
        for (int q = 0; q < QUANTITIES; q++) {
            ww_table_text(&t, r->program);
            ww_table_text(&t, QUANTITY[q].shown);
            ww_table_number(&t, r->theirs[q], 0);
            ww_table_number(&t, r->ours[q], 0);
            ww_table_number(&t, 100 * error_of(r, (quantity)q), 1);
            ww_table_text(&t, QUANTITY[q].bar < 0 ? "" : misses(r, (quantity)q) ? "MISSED" : "met");
        }
    }
    ww_status status = ww_table_print(&t, json, stdout, err);
    ww_table_fini(&t);
    return status;
}

static void print_summary(const study *s)
{
    printf("\n%zu programs on %s: mean absolute cycle error %.1f %% (bar %.0f %%)", s->rows, GPU,
           100 * mean_error(s), 100 * CYCLES_BAR);
    if (s->rows >= ENOUGH) {
        printf(", correlation of log cycles %.4f (bar %.2f)", correlation(s), CORRELATION_BAR);
    }
    printf("; %zu missed bars\n", s->missed);
    if (s->missing.len > 0) {
        printf("not rerun, because no folder has their PTX and launch file (--programs DIR): %s\n",
               ww_str_text(&s->missing));
    }
}

static ww_status study_all(study *s, const ww_args *args, ww_error *err)
{
    ww_csv *csv = NULL;
    const char *shipped, *registers;
    WW_TRY(ww_validation_file(&s->arena, TABLE, &shipped, err));
    WW_TRY(ww_validation_file(&s->arena, REGISTERS, &registers, err));
    WW_TRY(ww_csv_load(registers, &s->registers, err));
    s->table = ww_args_value(args, "reference");
    s->table = s->table != NULL ? s->table : shipped;
    s->folders[0] = ww_args_value(args, "programs");
    s->folders[1] = ww_path_dir(&s->arena, shipped);
    WW_TRY(ww_csv_load(s->table, &csv, err));
    ww_status status = take_rows(s, csv, err);
    ww_csv_destroy(csv);
    WW_TRY(status);
    judge(s);
    bool json = ww_args_has(args, "json");
    WW_TRY(print_rows(s, json, err));
    if (!json) {
        print_summary(s);
    }
    return s->missed > 0
               ? ww_fail(err, WW_EVERIFY, "%zu bars of %s are missed", s->missed, s->table)
               : WW_OK;
}

ww_status ww_validate_cycles(const ww_args *args, ww_error *err)
{
    if (ww_args_has(args, "hardware")) {
        return ww_validate_hardware(args, err);
    }
    if (ww_args_has(args, "memory")) {
        return ww_validate_memory(args, err);
    }
    if (ww_args_has(args, "rates")) {
        return ww_validate_rates(args, err);
    }
    study s = {0};
    ww_status status = study_all(&s, args, err);
    ww_str_fini(&s.missing);
    ww_csv_destroy(s.registers);
    ww_arena_fini(&s.arena);
    return status;
}
