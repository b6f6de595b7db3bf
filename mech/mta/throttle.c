/* throttle.c - see throttle.h. */
#include "mech/mta/throttle.h"

#include "base/assert.h"

void mta_throttle_adjust(mta_throttle *t, const ww_prefetch_outcome *p)
{
    if (p->issued == 0) {
        return;
    }
    double useful = (double)(p->used + p->late);
    double early = (double)p->early, late = (double)p->late;
    if (early > t->early_high * useful) {
        t->degree = MTA_NONE;
    } else if (early >= t->early_low * useful && early > 0) {
        t->degree += t->degree < MTA_NONE;
    } else if (late > t->merge * (double)p->issued) {
        t->degree -= t->degree > 0;
    } else {
        t->degree += t->degree < MTA_NONE;
    }
    WW_ASSERT(t->degree <= MTA_NONE);
}

bool mta_throttle_drops(mta_throttle *t)
{
    uint32_t turn = t->turn;
    WW_ASSERT(turn < MTA_NONE && t->degree <= MTA_NONE);
    t->turn = (turn + 1) % MTA_NONE;
    return turn < t->degree;
}
