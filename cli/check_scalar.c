/* check_scalar.c - scalar registers and the slots that they save, as LPGPU D5.5.3 shows them in
 * figures 10 and 11: over the virtual registers of the PTX, over those of the machine-like code,
 * and after their allocation. */
#include "cli/check_scalar.h"

#include "analysis/table.h"
#include "cli/ptx_file.h"
#include "cli/settings.h"
#include "perf/ptx/analysis/scalar_tally.h"

/* What was asked for. */
typedef struct question {
    const ww_arch *arch;
    ww_table *table;
    uint32_t block[3];
} question;

static void put_tally(ww_table *t, const ww_scalar_tally *n)
{
    ww_table_count(t, n->registers);
    ww_table_percent(t, n->scalars, n->registers, 1);
    ww_table_percent(t, n->scalar_words, n->words, 1);
}

static ww_status add_row(ww_ptx_module *module, const char *name, const question *q,
                         const char *seed, unsigned varying, ww_arena *arena, ww_error *err)
{
    ww_function *f = NULL;
    ww_kernel *plain = NULL, *split = NULL;
    ww_scalar_tally written, lowered;
    ww_table *t = q->table;
    WW_TRY(ww_ptx_translate(module, name, &f, err));
    if (f->callee_count > 0) {
        return WW_OK; /* all vectors */
    }
    WW_TRY(ww_scalar_tally_of(f, varying, arena, &written, err));
    WW_TRY(ww_lower(f, arena, WW_CODE_LOWERED, q->arch, err));
    WW_TRY(ww_scalar_tally_of(f, varying, arena, &lowered, err));
    WW_TRY(ww_ptx_build_kernel(module, name, WW_CODE_LOWERED, q->arch, &plain, err));
    WW_TRY(ww_ptx_build_scalarized(module, name, WW_CODE_LOWERED, q->arch, varying, &split, err));
    uint32_t vectors = split->vector_registers;
    uint32_t scalars = split->scalar_base > 0 ? split->registers - split->scalar_base : 0;
    uint32_t slots = WW_WARP_SIZE * vectors + scalars, before = WW_WARP_SIZE * plain->registers;
    ww_table_text(t, name);
    ww_table_text(t, seed);
    put_tally(t, &written);
    put_tally(t, &lowered);
    ww_table_percent(t, lowered.once, lowered.instructions, 1);
    ww_table_count(t, plain->registers);
    ww_table_count(t, vectors);
    ww_table_count(t, scalars);
    ww_table_count(t, slots);
    ww_table_percent(t, (double)((int64_t)before - slots), before, 1);
    return WW_OK;
}

static ww_status add_kernel(void *context, ww_ptx_module *module, const char *name, ww_error *err)
{
    const question *q = context;
    ww_arena arena = {0};
    unsigned varying = ww_scalar_varying(q->block[0], q->block[1], q->block[2]);
    ww_status st = add_row(module, name, q, "report", 0, &arena, err);
    if (st == WW_OK) {
        st = add_row(module, name, q, "correct", varying, &arena, err);
    }
    ww_arena_fini(&arena);
    return st;
}

static ww_status add_files(const ww_args *args, question *q, ww_error *err)
{
    static const char *const heads[] = {
        "kernel",           "seed",       "registers",      "scalar [%]",     "words [%]",
        "lowered",          "scalar [%]", "words [%]",      "once [%]",       "allocated",
        "vector registers", "scalars",    "slots per warp", "slots saved [%]"};
    ww_table t;
    q->table = &t;
    ww_table_init(&t, "scalar");
    ww_table_heads(&t, heads, WW_ARRAY_LEN(heads));
    ww_status st = ww_ptx_files_visit(args, add_kernel, q, err);
    if (st == WW_OK) {
        st = ww_table_print(&t, ww_args_has(args, "json"), stdout, err);
    }
    ww_table_fini(&t);
    return st;
}

ww_status ww_check_scalar(const ww_args *args, ww_error *err)
{
    const char *gpu = ww_args_value(args, "gpu"), *block = ww_args_value(args, "block");
    ww_arch *arch = NULL;
    WW_TRY(ww_settings_load_arch(args, gpu != NULL ? gpu : "gt200-dart", &arch, err));
    question q = {.arch = arch, .block = {WW_WARP_SIZE, 1, 1}};
    ww_status st = WW_OK;
    if (block != NULL) {
        st = ww_ptx_read_block(block, arch->sm.max_cta_threads, q.block, err);
    }
    if (st == WW_OK) {
        st = add_files(args, &q, err);
    }
    ww_arch_destroy(arch);
    return st;
}
