/* evaluate.c - see evaluate.h. */
#include "isa/evaluate.h"

bool ww_op_evaluate(ww_op op, ww_sub sub, unsigned bytes, uint64_t a, uint64_t b, uint64_t *out)
{
    uint64_t value;
    switch (op) {
    case WW_OP_ADD:
        value = a + b;
        break;
    case WW_OP_SUB:
        value = a - b;
        break;
    case WW_OP_MUL:
        if (sub != WW_SUB_LO) {
            return false;
        }
        value = a * b;
        break;
    case WW_OP_SHL:
        if (b >= 32) {
            return false;
        }
        value = a << b;
        break;
    case WW_OP_AND:
        value = a & b;
        break;
    case WW_OP_OR:
        value = a | b;
        break;
    case WW_OP_XOR:
        value = a ^ b;
        break;
    default:
        return false;
    }
    *out = bytes == 4 ? value & UINT32_MAX : value;
    return true;
}
