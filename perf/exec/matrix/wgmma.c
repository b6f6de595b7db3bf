/* wgmma.c - wgmma.mma_async: each warp computes its own sixteen rows when it issues. The registers
 * and the shared memory that it works on are read and written then; that nobody else may touch them
 * before the group has been waited for is the program's business, which --memcheck looks after. */
#include <inttypes.h>

#include "isa/fragment.h"
#include "perf/exec/lanes/warpgroup.h"
#include "perf/exec/matrix/matrix.h"
#include "perf/exec/matrix/warpgroup.h"

enum { A_REGISTERS = 4 };

/* The warps of a group are four, the first a multiple of four. */
static ww_status check_group(const ww_exec_ctx *x, const ww_uop *u)
{
    const ww_kernel *kernel = x->env->launch->kernel;
    const ww_warp *w = x->warp;
    if (w->index / WW_WARPGROUP_WARPS * WW_WARPGROUP_WARPS + WW_WARPGROUP_WARPS <=
        w->cta->warp_count) {
        return ww__matrix_check_lanes(x, u);
    }
    return ww_fail_at(
        x->err, WW_EKERNEL, kernel->file, (int)u->inst->line, 0,
        "kernel %s: %s by warp %u of CTA (%u,%u,%u), which has %u warps: a warp group "
        "has four.",
        kernel->name, ww_op_name((ww_op)u->inst->op), w->index, w->cta->id[0], w->cta->id[1],
        w->cta->id[2], w->cta->warp_count);
}

/* The descriptor that all lanes hold, taken apart. */
static ww_status read_descriptor(const ww_exec_ctx *x, const ww_uop *u, const ww_uop_src *s,
                                 ww_matrix_descriptor *out)
{
    uint32_t scratch[WW_PAIR_WORDS];
    const uint32_t *planes = ww__src(x, s, scratch);
    uint64_t bits = (uint64_t)planes[WW_LANES] << 32 | planes[0];
    const char *wrong = ww_matrix_descriptor_decode(bits, out);
    return wrong == NULL ? WW_OK
                         : ww__lane_fault(x, u, 0, "%s: the matrix descriptor 0x%016" PRIx64 " %s",
                                          ww_op_name((ww_op)u->inst->op), bits, wrong);
}

static ww_status gather(const ww_exec_ctx *x, const ww_uop *u, const ww_uop_src *s, bool is_a,
                        unsigned char *out)
{
    const ww_warpgroup_shape *shape = u->warpgroup;
    ww_matrix_descriptor d;
    uint32_t address = 0;
    unsigned first = is_a ? x->warp->index % WW_WARPGROUP_WARPS * WW_WARPGROUP_WARP_M : 0;
    WW_TRY(read_descriptor(x, u, s, &d));
    if (!ww__warpgroup_gather(&d, shape, is_a, first, is_a ? WW_WARPGROUP_WARP_M : shape->n,
                              x->warp->cta->shared, x->code->shared_bytes, out, &address)) {
        return ww__lane_fault(x, u, 0,
                              "%s reads matrix %s at 0x%x in shared memory, by a descriptor that "
                              "begins at 0x%x: the CTA has %u bytes",
                              ww_op_name((ww_op)u->inst->op), is_a ? "A" : "B", address, d.start,
                              x->code->shared_bytes);
    }
    return WW_OK;
}

static void hold_rows(const ww_exec_ctx *x, const ww_uop *u, unsigned char *out)
{
    uint32_t scratch[A_REGISTERS][WW_PAIR_WORDS];
    const uint32_t *plane[A_REGISTERS];
    for (unsigned k = 0; k < A_REGISTERS; k++) {
        plane[k] = ww__src(x, &u->element[k], scratch[k]);
    }
    ww__warpgroup_rows(plane, out);
}

static void note_factors(ww_factors *f, const ww_warpgroup_shape *s, const ww_warpgroup_job *job)
{
    f->a_count = WW_WARPGROUP_WARP_M * s->units;
    f->b_count = (uint32_t)s->n * s->units;
    for (unsigned i = 0; i < f->a_count; i++) {
        f->a[i] = ww__warpgroup_element(job->a.bytes, s, job->a.across, WW_WARPGROUP_WARP_M,
                                        i / s->units, i % s->units);
    }
    for (unsigned i = 0; i < f->b_count; i++) {
        f->b[i] = ww__warpgroup_element(job->b.bytes, s, job->b.across, s->n, i % s->n, i / s->n);
    }
}

ww_status ww__run_wgmma(ww_exec_ctx *x, const ww_uop *u)
{
    const ww_warpgroup_shape *s = u->warpgroup;
    unsigned char a[WW_WARPGROUP_WARP_M * WW_FACTOR_BYTES], b[WW_FACTOR_MOST];
    uint32_t *d[WW_WARPGROUP_MOST_N / 2];
    WW_TRY(check_group(x, u));
    if (s->descriptor_a) {
        WW_TRY(gather(x, u, &u->src[1], true, a));
    } else {
        hold_rows(x, u, a);
    }
    WW_TRY(gather(x, u, &u->src[0], false, b));
    for (unsigned i = 0; i < u->dst_count; i++) {
        d[i] = x->warp->regs + u->dst_list[i];
    }
    const bool begins = (ww__pred(x, u->pred) & 1) == 0;
    const ww_warpgroup_job job = ww__warpgroup_job(s, a, b, d, begins);
    if (x->env->factors != NULL) {
        note_factors(x->env->factors, s, &job);
    }
    x->code->lanes->warpgroup(&job);
    return WW_OK;
}

ww_status ww__decode_wgmma(struct ww_exec_code *code, const ww_inst *inst, ww_uop *u, ww_error *err)
{
    const ww_type a = (ww_type)inst->type2;
    unsigned bytes = a == WW_T_B1 ? 4 : ww_type_bytes(a);
    bool shared = (inst->layout & WW_LAYOUT_A_SHARED) != 0;
    unsigned factors = shared ? 1 : A_REGISTERS;
    ww_warpgroup_shape *s = WW_ARENA_NEW(&code->arena, ww_warpgroup_shape);
    if (s == NULL) {
        return ww_no_memory_for(err, "preparing a kernel");
    }
    *s = (ww_warpgroup_shape){.type_a = a,
                              .type_b = (ww_type)inst->type_b,
                              .type_d = (ww_type)inst->type,
                              .n = (uint16_t)ww_tile_n((ww_tile)inst->tile),
                              .bytes = (uint8_t)bytes,
                              .units = (uint8_t)(bytes != 0 ? 32 / bytes : 0),
                              .transposed_a = (inst->layout & WW_LAYOUT_A_LINES) != 0,
                              .transposed_b = (inst->layout & WW_LAYOUT_B_LINES) != 0,
                              .negated_a = (inst->layout & WW_LAYOUT_A_NEGATED) != 0,
                              .negated_b = (inst->layout & WW_LAYOUT_B_NEGATED) != 0,
                              .saturates = (inst->mods & WW_MOD_SAT) != 0,
                              .descriptor_a = shared};
    unsigned results = bytes != 0 ? ww__warpgroup_registers(s) : 0;
    if (!ww_warpgroup_columns(a, s->n) || inst->dst_count != results ||
        inst->src_count != 1 + factors + results + 1) {
        return ww__decode_malformed(code, inst, "fragments of the wrong size", err);
    }
    u->warpgroup = s;
    u->run = ww__run_wgmma;
    WW_TRY(ww__operand_resolve(code, inst, &inst->src[0], WW_T_B64, &u->src[0], err));
    if (shared) {
        WW_TRY(ww__operand_resolve(code, inst, &inst->src[1], WW_T_B64, &u->src[1], err));
        u->src_count = 2;
    } else {
        ww_uop_src *list = WW_ARENA_NEW_ARRAY(&code->arena, ww_uop_src, A_REGISTERS);
        if (list == NULL) {
            return ww_no_memory_for(err, "preparing a kernel");
        }
        for (unsigned k = 0; k < A_REGISTERS; k++) {
            WW_TRY(ww__operand_resolve(code, inst, &inst->src[1 + k], WW_T_B32, &list[k], err));
        }
        u->element = list;
        u->element_count = A_REGISTERS;
        u->src_count = 1;
    }
    const ww_operand *scale = &inst->src[inst->src_count - 1];
    const bool begins = ww_inst_begins_sum(inst);
    for (unsigned i = 0; i < results; i++) { /* D is read where it is written, if it is read */
        const ww_operand *d = &inst->dst[i], *from = &inst->src[1 + factors + i];
        if (d->kind != WW_OPD_REG ||
            (!begins && (from->kind != WW_OPD_REG || d->reg != from->reg))) {
            return ww__decode_malformed(code, inst, "D in other registers than its sums", err);
        }
    }
    WW_TRY(ww__operand_pred(code, inst, scale, &u->pred, err));
    return ww__decode_destinations(code, inst, 1, u, err);
}
