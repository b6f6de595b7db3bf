/* folded.c - an instruction that reads a word of shared memory as an operand: the load comes first,
 * for the lanes that execute, with its own checks and its own line in messages, into the plane that
 * lies behind the warp's registers. */
#include "perf/exec/code.h"

ww_status ww__folded_prepare(struct ww_exec_code *code, const ww_inst *inst, ww_uop *u,
                             ww_error *err)
{
    const ww_operand *word = ww_inst_folded(inst);
    if (word == NULL) {
        return WW_OK;
    }
    ww_folded_load *f = WW_ARENA_NEW(&code->arena, ww_folded_load);
    uint32_t *to = WW_ARENA_NEW(&code->arena, uint32_t);
    if (f == NULL || to == NULL) {
        return ww_no_memory_for(err, "preparing a kernel");
    }
    f->base = (ww_operand){.kind = word->words == 1 ? WW_OPD_REG : WW_OPD_NONE,
                           .words = word->words,
                           .reg = word->reg};
    f->load = (ww_inst){.op = WW_OP_LD,
                        .type = WW_T_B32,
                        .space = WW_SPACE_SHARED,
                        .vec = 1,
                        .src_count = 1,
                        .target = WW_NO_TARGET,
                        .reconv = WW_NO_TARGET,
                        .line = inst->folded_line,
                        .guard = inst->guard,
                        .src = &f->base,
                        .offset = (int64_t)word->imm};
    *to = code->launch->kernel->registers * WW_LANES;
    f->uop = (ww_uop){.run = ww__run_ld,
                      .kind = WW_KIND_MEMORY,
                      .guard = u->guard,
                      .pred = u->guard,
                      .pred2 = u->guard,
                      .dst = WW_NO_REG,
                      .pred_dst = WW_NO_REG,
                      .pred_dst2 = WW_NO_REG,
                      .element_bytes = 4,
                      .out_words = 1,
                      .dst_list = to,
                      .dst_count = 1,
                      .inst = &f->load};
    WW_TRY(ww__decode_address(code, &f->load, &f->uop, err));
    f->run = u->run;
    u->run = ww__run_folded;
    u->folded = f;
    return WW_OK;
}

ww_status ww__run_folded(ww_exec_ctx *x, const ww_uop *u)
{
    const ww_folded_load *f = u->folded;
    WW_TRY((f->check != NULL ? f->check : f->uop.run)(x, &f->uop));
    x->out->is_memory = false;
    x->out->folded = true;
    return f->run(x, u);
}
