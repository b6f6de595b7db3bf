/* check_affine.c - the affine analysis in the form of Wang and Lin, "Decoupled Affine Computation
 * for SIMT GPUs" (ISCA 2017): classes as in Figure 5, the affine and the non-affine stream as in
 * Figure 7. */
#include "cli/check_affine.h"

#include <inttypes.h>
#include <string.h>

#include "analysis/table.h"
#include "base/visible.h"
#include "cli/ptx_file.h"
#include "cli/settings.h"
#include "perf/ptx/decoupling.h"

/* What was asked for. */
typedef struct question {
    const ww_arch *arch;
    ww_code code;
    bool brief;
    ww_table *table; /* sizes alone, one row per kernel; NULL: text */
} question;

typedef struct printer {
    const ww_kernel *kernel;
    ww_view view;
    ww_chains chains;
    ww_affine affine;
    ww_decoupled streams;
} printer;

/* ---- one line ---- */

static void print_label(const printer *p, uint32_t i)
{
    for (uint32_t k = 0; k < p->kernel->code_count; k++) {
        const ww_inst *inst = &p->kernel->code[k];
        if (inst->op == WW_OP_BRA && inst->target == i) {
            printf("L%" PRIu32 ":\n", i);
            return;
        }
    }
}

/* The instruction with its branch target as a label. */
static const char *text_of(const printer *p, uint32_t i, char *buf, size_t size)
{
    const ww_inst *inst = &p->kernel->code[i];
    ww_inst_format(inst, buf, size);
    char *arrow = inst->op == WW_OP_BRA ? strstr(buf, "bra") : NULL;
    if (arrow != NULL) {
        snprintf(arrow, size - (size_t)(arrow - buf), "bra L%" PRIu32, inst->target);
    }
    return buf;
}

/* "[...]" of a memory access. */
static const char *address_of(const char *text, char *buf, size_t size)
{
    const char *open = strchr(text, '['), *close = open != NULL ? strchr(open, ']') : NULL;
    if (close == NULL) {
        return "";
    }
    snprintf(buf, size, "%.*s", (int)(close - open - 1), open + 1);
    return buf;
}

static void print_classes(const printer *p)
{
    printf("classes\n");
    for (uint32_t i = 0; i < p->kernel->code_count; i++) {
        char buf[256];
        ww_affine_class kind = ww_affine_result(&p->affine, i);
        ww_affine_value most = {0};
        for (uint32_t a = p->view.writes[i]; a < p->view.reads[i + 1]; a++) {
            most = p->affine.access[a].count > most.count ? p->affine.access[a] : most;
        }
        print_label(p, i);
        printf("%4" PRIu32 "  line %-5" PRIu32 " %-10s %s", i, p->kernel->code[i].line,
               ww_affine_class_name(kind), text_of(p, i, buf, sizeof buf));
        for (unsigned k = 0; k < most.count; k++) {
            printf("%s%" PRIu32, k == 0 ? "   # divergent at " : ", ", most.condition[k]);
        }
        printf("\n");
    }
}

static void print_affine(const printer *p)
{
    printf("\naffine stream\n");
    for (uint32_t i = 0; i < p->kernel->code_count; i++) {
        char buf[256], address[128];
        uint16_t s = p->streams.stream[i];
        if ((s & WW_STREAM_AFFINE) == 0) {
            continue;
        }
        const char *text = text_of(p, i, buf, sizeof buf);
        print_label(p, i);
        if ((s & (WW_STREAM_DATA | WW_STREAM_ADDRESS)) != 0) {
            printf("%4" PRIu32 "  enq.%s [%s]\n", i, (s & WW_STREAM_DATA) != 0 ? "data" : "addr",
                   address_of(text, address, sizeof address));
            continue;
        }
        printf("%4" PRIu32 "  %s%s\n", i, text,
               (s & WW_STREAM_RETURNS) != 0 ? "   # lanes come from the kernel's warps" : "");
        if ((s & WW_STREAM_PREDICATE) != 0) {
            printf("      enq.pred p%" PRIu32 "\n", p->kernel->code[i].dst[0].reg);
        }
    }
}

static void print_access(const printer *p, uint32_t i, const char *text)
{
    const char *open = strchr(text, '['), *close = strchr(text, ']');
    const char *what = (p->streams.stream[i] & WW_STREAM_DATA) != 0 ? "deq.data" : "deq.addr";
    if (open == NULL || close == NULL) {
        printf("%4" PRIu32 "  %s\n", i, text);
        return;
    }
    printf("%4" PRIu32 "  %.*s[%s]%s\n", i, (int)(open - text), text, what, close + 1);
}

static void print_kernels_own(const printer *p)
{
    printf("\nnon-affine stream\n");
    for (uint32_t i = 0; i < p->kernel->code_count; i++) {
        char buf[256];
        uint16_t s = p->streams.stream[i];
        const ww_inst *inst = &p->kernel->code[i];
        if ((s & WW_STREAM_ABSENT) != 0) {
            continue;
        }
        const char *text = text_of(p, i, buf, sizeof buf);
        print_label(p, i);
        if ((s & (WW_STREAM_DATA | WW_STREAM_ADDRESS)) != 0) {
            print_access(p, i, text);
        } else if ((s & WW_STREAM_DEQUEUES) != 0 && inst->op == WW_OP_BRA) {
            printf("%4" PRIu32 "  deq.pred bra L%" PRIu32 "\n", i, inst->target);
        } else if ((s & WW_STREAM_DEQUEUES) != 0) {
            printf("%4" PRIu32 "  deq.pred p%" PRIu32 "\n", i, inst->dst[0].reg);
        } else {
            printf("%4" PRIu32 "  %s\n", i, text);
        }
    }
}

static void count_classes(const printer *p, uint32_t by_class[3])
{
    for (uint32_t i = 0; i < p->kernel->code_count; i++) {
        ww_affine_class kind = ww_affine_result(&p->affine, i);
        by_class[kind == WW_AFFINE_SCALAR ? 0
                 : kind == WW_AFFINE_NON  ? 2
                                          : 1] += kind != WW_AFFINE_NOTHING;
    }
}

static void put_summary(const printer *p, const char *file, ww_table *t)
{
    const ww_decoupled *d = &p->streams;
    uint32_t by_class[3] = {0};
    count_classes(p, by_class);
    ww_table_text(t, file);
    ww_table_text(t, p->kernel->name);
    const uint32_t number[] = {p->kernel->code_count,
                               by_class[0],
                               by_class[1],
                               by_class[2],
                               d->affine,
                               d->absent,
                               d->loads,
                               d->stores,
                               d->others,
                               d->predicates,
                               d->rejected_depth,
                               d->rejected_conditions};
    for (size_t i = 0; i < WW_ARRAY_LEN(number); i++) {
        ww_table_count(t, number[i]);
    }
}

static void print_summary(const printer *p)
{
    const ww_decoupled *d = &p->streams;
    uint32_t by_class[3] = {0};
    count_classes(p, by_class);
    printf("\n%s: %" PRIu32 " instructions; results: %" PRIu32 " scalar, %" PRIu32
           " affine, %" PRIu32 " non-affine\n"
           "affine stream %" PRIu32 ", removed %" PRIu32 "; decoupled: %" PRIu32 " loads, %" PRIu32
           " stores, %" PRIu32 " other accesses, %" PRIu32 " predicates; beyond limits: %" PRIu32
           " by depth, %" PRIu32 " by conditions\n\n",
           p->kernel->name, p->kernel->code_count, by_class[0], by_class[1], by_class[2], d->affine,
           d->absent, d->loads, d->stores, d->others, d->predicates, d->rejected_depth,
           d->rejected_conditions);
}

/* ---- kernels ---- */

static ww_status print_kernel(void *context, ww_ptx_module *module, const char *name, ww_error *err)
{
    const question *q = context;
    ww_kernel *kernel = NULL;
    WW_TRY(ww_ptx_build_kernel(module, name, q->code, q->arch, &kernel, err));
    printer p = {.kernel = kernel};
    const ww_decouple_options options = ww_decouple_options_of(&q->arch->dac);
    ww_arena arena;
    ww_arena_init(&arena);
    ww_status st = ww_view_of_kernel(kernel, &arena, &p.view, err);
    st = st == WW_OK ? ww_chains_build(&p.view, &arena, &p.chains, err) : st;
    st = st == WW_OK ? ww_affine_build(&p.view, &p.chains, &arena, &p.affine, err) : st;
    st = st == WW_OK ? ww_decouple(&p.affine, &p.chains, &options, &arena, &p.streams, err) : st;
    if (st == WW_OK && q->table != NULL) {
        put_summary(&p, module->file, q->table);
    } else if (st == WW_OK && !q->brief) {
        printf("kernel %s\n", WW_VISIBLE(name));
        print_classes(&p);
        print_affine(&p);
        print_kernels_own(&p);
    }
    if (st == WW_OK && q->table == NULL) {
        print_summary(&p);
    }
    ww_arena_fini(&arena);
    return st;
}

ww_status ww_check_affine(const ww_args *args, ww_error *err)
{
    static const char *const head[] = {
        "file",          "kernel",           "instructions", "scalar", "affine", "non_affine",
        "affine_stream", "removed",          "loads",        "stores", "others", "predicates",
        "beyond_depth",  "beyond_conditions"};
    const char *gpu = ww_args_value(args, "gpu");
    bool json = ww_args_has(args, "json");
    ww_arch *arch = NULL;
    ww_table table;
    question q = {.brief = ww_args_has(args, "quiet"), .table = json ? &table : NULL};
    WW_TRY(ww_ptx_read_isa(args, &q.code, err));
    WW_TRY(ww_settings_load_arch_with(args, gpu != NULL ? gpu : "gtx480-dac", "dac", &arch, err));
    ww_table_init(&table, "kernels");
    ww_table_heads(&table, head, WW_ARRAY_LEN(head));
    q.arch = arch;
    ww_status st = ww_ptx_files_visit(args, print_kernel, &q, err);
    st = st == WW_OK && json ? ww_table_print(&table, true, stdout, err) : st;
    ww_table_fini(&table);
    ww_arch_destroy(arch);
    return st;
}
