/* check_redundancy.c - marks of redundant instructions as DARSIE (ASPLOS 2020, figure 6) lists
 * them. */
#include "cli/check_redundancy.h"

#include <inttypes.h>

#include "analysis/table.h"
#include "cli/ptx_file.h"
#include "cli/settings.h"
#include "perf/ptx/analysis/redundancy.h"

/* What was asked for. */
typedef struct question {
    const ww_arch *arch;
    ww_table *table;
    ww_code code;
    bool shaped; /* a block was given */
    uint32_t block[3];
} question;

static void add_row(const question *q, const ww_kernel *k, uint32_t i, ww_mark mark)
{
    ww_table *t = q->table;
    char pc[16], text[256];
    snprintf(pc, sizeof pc, "0x%03" PRIx32, i * q->arch->sm.instruction_bytes);
    ww_table_text(t, k->name);
    ww_table_text(t, ww_mark_name(mark));
    if (q->shaped) {
        bool promoted = ww_redundancy_promotes(q->block[0], q->block[1], q->block[2]);
        bool redundant = mark == WW_MARK_DR || (mark == WW_MARK_CR && promoted);
        ww_table_text(t, ww_mark_name(redundant ? WW_MARK_DR : WW_MARK_V));
    }
    ww_table_text(t, pc);
    ww_table_count(t, k->code[i].line);
    ww_table_text(t, ww_inst_format(&k->code[i], text, sizeof text));
}

static ww_status list_kernel(void *context, ww_ptx_module *module, const char *name, ww_error *err)
{
    const question *q = context;
    ww_kernel *kernel = NULL;
    ww_arena arena = {0};
    ww_view view;
    uint8_t *mark = NULL;
    WW_TRY(ww_ptx_build_kernel(module, name, q->code, q->arch, &kernel, err));
    ww_status st = ww_view_of_kernel(kernel, &arena, &view, err);
    if (st == WW_OK) {
        st = ww_redundancy_build(&view, kernel->local_bytes > 0, &arena, &mark, err);
    }
    for (uint32_t i = 0; st == WW_OK && i < kernel->code_count; i++) {
        add_row(q, kernel, i, (ww_mark)mark[i]);
    }
    ww_arena_fini(&arena);
    return st;
}

static ww_status list_files(const ww_args *args, question *q, ww_error *err)
{
    ww_table t;
    q->table = &t;
    ww_table_init(&t, "redundancy");
    const char *const shaped[] = {"kernel", "mark", "launched", "pc", "line", "instruction"};
    const char *const plain[] = {"kernel", "mark", "pc", "line", "instruction"};
    if (q->shaped) {
        ww_table_heads(&t, shaped, WW_ARRAY_LEN(shaped));
    } else {
        ww_table_heads(&t, plain, WW_ARRAY_LEN(plain));
    }
    ww_status st = ww_ptx_files_visit(args, list_kernel, q, err);
    if (st == WW_OK) {
        st = ww_table_print(&t, ww_args_has(args, "json"), stdout, err);
    }
    ww_table_fini(&t);
    return st;
}

ww_status ww_check_redundancy(const ww_args *args, ww_error *err)
{
    const char *gpu = ww_args_value(args, "gpu"), *block = ww_args_value(args, "block");
    ww_arch *arch = NULL;
    question q = {0};
    WW_TRY(ww_ptx_read_isa(args, &q.code, err));
    WW_TRY(ww_settings_load_arch(args, gpu != NULL ? gpu : "gtx1080ti-darsie", &arch, err));
    q.arch = arch;
    ww_status st = WW_OK;
    if (block != NULL) {
        q.shaped = true;
        st = ww_ptx_read_block(block, arch->sm.max_cta_threads, q.block, err);
    }
    if (st == WW_OK) {
        st = list_files(args, &q, err);
    }
    ww_arch_destroy(arch);
    return st;
}
