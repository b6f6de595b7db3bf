/* inst.h - an instruction as kernels that tests write by hand have it, until they say more. */
#ifndef WW_TESTS_SUPPORT_INST_H
#define WW_TESTS_SUPPORT_INST_H

#include "isa/isa.h"

/* Without guard, target or operands, of which it says how many there will be. */
static inline ww_inst plain_inst(ww_op op, ww_type type, unsigned dsts, unsigned srcs,
                                 uint32_t line)
{
    return (ww_inst){.op = (uint16_t)op,
                     .type = (uint8_t)type,
                     .vec = 1,
                     .dst_count = (uint8_t)dsts,
                     .src_count = (uint8_t)srcs,
                     .target = WW_NO_TARGET,
                     .reconv = WW_NO_TARGET,
                     .line = line};
}

#endif
