/* isa.c - the instruction streams by name, and what a description says. */
#include <string.h>

#include "arch/arch.h"
#include "perf/api/device.h"

static const char *const names[] = {
    [WW_ISA_LOWERED] = "lowered", [WW_ISA_GT200] = "gt200", [WW_ISA_PTX] = "ptx"};

const char *ww_isa_name(ww_isa_mode isa)
{
    return (size_t)isa < WW_ARRAY_LEN(names) ? names[isa] : NULL;
}

bool ww_isa_named(const char *name, ww_isa_mode *out)
{
    for (size_t k = 0; k < WW_ARRAY_LEN(names); k++) {
        if (strcmp(name, names[k]) == 0) {
            *out = (ww_isa_mode)k;
            return true;
        }
    }
    return false;
}

ww_isa_mode ww_isa_resolve(const ww_arch *arch, ww_isa_mode isa)
{
    static const ww_isa_mode of_stream[] = {[WW_STREAM_LOWERED] = WW_ISA_LOWERED,
                                            [WW_STREAM_GT200] = WW_ISA_GT200,
                                            [WW_STREAM_PTX] = WW_ISA_PTX};
    return isa != WW_ISA_DESCRIBED ? isa : of_stream[arch->sm.isa];
}
