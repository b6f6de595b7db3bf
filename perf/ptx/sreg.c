/* sreg.c - names of the special registers. */
#include <string.h>

#include "perf/ptx/ast.h"

static const char *const sreg_names[WW_SREG_COUNT] = {
    [WW_SREG_TID_X] = "%tid.x",
    [WW_SREG_TID_Y] = "%tid.y",
    [WW_SREG_TID_Z] = "%tid.z",
    [WW_SREG_NTID_X] = "%ntid.x",
    [WW_SREG_NTID_Y] = "%ntid.y",
    [WW_SREG_NTID_Z] = "%ntid.z",
    [WW_SREG_CTAID_X] = "%ctaid.x",
    [WW_SREG_CTAID_Y] = "%ctaid.y",
    [WW_SREG_CTAID_Z] = "%ctaid.z",
    [WW_SREG_NCTAID_X] = "%nctaid.x",
    [WW_SREG_NCTAID_Y] = "%nctaid.y",
    [WW_SREG_NCTAID_Z] = "%nctaid.z",
    [WW_SREG_LANEID] = "%laneid",
    [WW_SREG_WARPID] = "%warpid",
    [WW_SREG_NWARPID] = "%nwarpid",
    [WW_SREG_SMID] = "%smid",
    [WW_SREG_NSMID] = "%nsmid",
    [WW_SREG_GRIDID] = "%gridid",
    [WW_SREG_LANEMASK_EQ] = "%lanemask_eq",
    [WW_SREG_LANEMASK_LE] = "%lanemask_le",
    [WW_SREG_LANEMASK_LT] = "%lanemask_lt",
    [WW_SREG_LANEMASK_GE] = "%lanemask_ge",
    [WW_SREG_LANEMASK_GT] = "%lanemask_gt",
    [WW_SREG_CLOCK] = "%clock",
    [WW_SREG_CLOCK_HI] = "%clock_hi",
    [WW_SREG_CLOCK64] = "%clock64",
    [WW_SREG_GLOBALTIMER] = "%globaltimer",
    [WW_SREG_GLOBALTIMER_LO] = "%globaltimer_lo",
    [WW_SREG_GLOBALTIMER_HI] = "%globaltimer_hi",
    [WW_SREG_DYNAMIC_SMEM_SIZE] = "%dynamic_smem_size",
    [WW_SREG_TOTAL_SMEM_SIZE] = "%total_smem_size",
    [WW_SREG_ENVREG1] = "%envreg1",
    [WW_SREG_ENVREG2] = "%envreg2",
};

ww_sreg ww__sreg_find(const char *name, size_t length)
{
    for (unsigned i = 0; i < WW_SREG_COUNT; i++) {
        if (strlen(sreg_names[i]) == length && memcmp(sreg_names[i], name, length) == 0) {
            return (ww_sreg)i;
        }
    }
    return WW_SREG_COUNT;
}

const char *ww__sreg_name(ww_sreg sreg)
{
    return (unsigned)sreg < WW_SREG_COUNT ? sreg_names[sreg] : "?";
}
