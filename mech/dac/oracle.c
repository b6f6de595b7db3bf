/* oracle.c - what bounds the mechanism (dac.oracle): without an affine warp and without waiting for
 * it, loads whose data are there at once, with or without their lines' way through the memory. */
#include "mech/dac/dac.h"

bool dac_oracle_beside(void *state, const ww_mech_access *access, uint64_t now, uint64_t *ready)
{
    dac *s = state;
    const bool ahead = s->arch->dac.oracle == WW_DAC_ORACLE_AHEAD;
    if ((!ahead && s->arch->dac.oracle != WW_DAC_ORACLE_PERFECT) || s->notes == NULL ||
        access->pc >= s->notes->count || (s->notes->stream[access->pc] & WW_STREAM_DATA) == 0 ||
        !dac_through_l1d(s, &s->kernel->code[access->pc])) {
        return false;
    }
    if (ahead) {
        return ww_behind_serve_late(&s->behind, access, 1, now, ready);
    }
    *ready = now + 1;
    return true;
}
