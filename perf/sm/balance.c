/* balance.c - which additions, shifts and moves of a kernel are written as multiply-adds.
 *
 * From compute capability 7.0 on additions of two registers, shifts left by a constant and moves
 * can run in the FMA pipe beside FP32, as IMAD.IADD, IMAD.SHL and IMAD.MOV, or in the ALU pipe
 * (G. Smith, NVIDIA, developer forum, "INT 32 and FP64 can be used concurrently in the Volta
 * architecture", and stackoverflow.com/questions/59777333: the compiler schedules for either).
 * Which, is read off ptxas 13.0's code of the 179 kernels among the workloads for compute
 * capability 7.5: as many of them are multiply-adds as leave the two pipes with the same number of
 * instructions in the function, each instruction counted once wherever it stands. That tells how
 * many there are to 61 of 4,458, and to one instruction in 172 kernels (8.6: 94 of 4,174, in 168
 * kernels; 9.0, which has more of them on its uniform path, 176 of 3,314). Along the code the two
 * kinds alternate. */
#include "perf/sm/program.h"

static bool is_word(const ww_operand *o)
{
    return o->kind == WW_OPD_REG && o->words == 1;
}

static bool has_spare_form(const ww_inst *inst)
{
    if (inst->dst_count != 1 || inst->dst[0].kind != WW_OPD_REG) {
        return false;
    }
    const bool word = ww_type_bytes((ww_type)inst->type) == 4 && is_word(&inst->dst[0]);
    switch (inst->op) {
    case WW_OP_MOV:
        return inst->src_count == 1 && inst->src[0].kind != WW_OPD_SREG &&
               inst->src[0].kind != WW_OPD_PRED;
    case WW_OP_ADD:
    case WW_OP_SUB: /* an immediate one would meet the factor 1, itself an immediate */
        return word && !ww_type_is_float((ww_type)inst->type) && inst->src_count == 2 &&
               is_word(&inst->src[0]) && is_word(&inst->src[1]) && (inst->mods & WW_MOD_SAT) == 0;
    case WW_OP_SHL:
        return word && inst->src_count == 2 && is_word(&inst->src[0]) &&
               inst->src[1].kind == WW_OPD_IMM;
    default:
        return false;
    }
}

static const ww_inst *instruction(const ww_program *p, uint32_t place)
{
    return &p->kernel->code[ww_program_inst(p, place)];
}

void ww__balance_pipes(ww_program *p, const ww_arch *arch)
{
    uint32_t alu = 0, fma = 0, either = 0;
    for (uint32_t i = 0; i < p->count; i++) {
        const unsigned unit = p->uop[i].unit;
        if (has_spare_form(instruction(p, i))) {
            either++;
        } else if (unit == WW_PIPE_INT) {
            alu++;
        } else {
            fma += unit == WW_UNIT_SP || unit == WW_PIPE_IMUL;
        }
    }
    const uint32_t all = alu + fma + either;
    uint32_t share = all / 2 > fma ? all / 2 - fma : 0;
    share = share < either ? share : either;
    uint32_t due = 0;
    for (uint32_t i = 0; i < p->count; i++) {
        if (!has_spare_form(instruction(p, i))) {
            continue;
        }
        due += share;
        const bool multiply_add = due >= either;
        due -= multiply_add ? either : 0;
        ww__op_on_pipe(arch, multiply_add, &p->uop[i]);
    }
}
