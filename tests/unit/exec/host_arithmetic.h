/* host_arithmetic.h - arithmetic of the host in each of its rounding modes, for either width. */
#ifndef WW_TESTS_EXEC_HOST_ARITHMETIC_H
#define WW_TESTS_EXEC_HOST_ARITHMETIC_H

#include <fenv.h>
#include <math.h>

#include "isa/isa.h"

static const int host_mode[] = {[WW_ROUND_DEFAULT] = FE_TONEAREST,
                                [WW_ROUND_RN] = FE_TONEAREST,
                                [WW_ROUND_RZ] = FE_TOWARDZERO,
                                [WW_ROUND_RM] = FE_DOWNWARD,
                                [WW_ROUND_RP] = FE_UPWARD};

/* volatile: the operation must stay between the two changes of the rounding mode. */
#define HOST_ARITHMETIC(name, real, fused, root)                                                   \
    static inline real name(ww_op op, ww_round round, real a, real b, real c)                      \
    {                                                                                              \
        volatile real x = a, y = b, z = c, r;                                                      \
        fesetround(host_mode[round]);                                                              \
        switch (op) {                                                                              \
        case WW_OP_ADD:                                                                            \
            r = x + y;                                                                             \
            break;                                                                                 \
        case WW_OP_SUB:                                                                            \
            r = x - y;                                                                             \
            break;                                                                                 \
        case WW_OP_MUL:                                                                            \
            r = x * y;                                                                             \
            break;                                                                                 \
        case WW_OP_FMA:                                                                            \
            r = fused(x, y, z);                                                                    \
            break;                                                                                 \
        case WW_OP_DIV:                                                                            \
            r = x / y;                                                                             \
            break;                                                                                 \
        case WW_OP_RCP:                                                                            \
            r = 1 / x;                                                                             \
            break;                                                                                 \
        default:                                                                                   \
            r = root(x);                                                                           \
            break;                                                                                 \
        }                                                                                          \
        fesetround(FE_TONEAREST);                                                                  \
        return r;                                                                                  \
    }

HOST_ARITHMETIC(host_float, float, fmaf, sqrtf)
HOST_ARITHMETIC(host_double, double, fma, sqrt)

#endif
