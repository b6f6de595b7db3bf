/* overhead.c - DAC-IDEAL is a bound, not a machine: it has no structure. */
#include "power/overhead.h"

void ww__overhead_dac_ideal(ww__builder *b)
{
    ww__structure(b, 2, "nothing", b->arch->sm.count, 0, 0, "a bound, not a machine");
}
