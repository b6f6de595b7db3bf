/* sreg.c - see sreg.h. */
#include "isa/sreg.h"

#include <string.h>

static const struct row {
    const char *name;
    ww_sreg_kind kind;
} rows[WW_SREG_COUNT] = {
#define X(id, text, kind) [WW_SREG_##id] = {text, WW_SREG_KIND_##kind},
    WW_SREG_MAP(X)
#undef X
};

ww_sreg ww_sreg_find(const char *name, size_t length)
{
    for (unsigned i = 0; i < WW_SREG_COUNT; i++) {
        if (strlen(rows[i].name) == length && memcmp(rows[i].name, name, length) == 0) {
            return (ww_sreg)i;
        }
    }
    return WW_SREG_COUNT;
}

const char *ww_sreg_name(ww_sreg sreg)
{
    return (unsigned)sreg < WW_SREG_COUNT ? rows[sreg].name : "?";
}

ww_sreg_kind ww_sreg_kind_of(ww_sreg sreg)
{
    return (unsigned)sreg < WW_SREG_COUNT ? rows[sreg].kind : WW_SREG_KIND_LAUNCH;
}
