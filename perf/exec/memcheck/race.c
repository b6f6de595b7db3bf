/* race.c - races on a byte of shared memory. Accesses of one warp are in order: its lanes
 * run together, and __syncwarp is where they meet; only lanes that store different values to one
 * byte in one instruction race with each other. Atomics do not race with atomics. */
#include "perf/exec/memcheck/shadow.h"

/* Does the access race with an earlier one? */
static bool races(const struct ww_shadow *s, const ww_mark *before, const ww_mark *now)
{
    return before->stamp != 0 && before->warp != now->warp && !(before->atomic && now->atomic) &&
           s->clock[(size_t)now->warp * s->warps + before->warp] < before->stamp;
}

ww_hazard ww__shadow_read(struct ww_shadow *s, uint32_t byte, const ww_mark *now, ww_mark *other)
{
    ww_cell *cell = &s->cell[byte];
    if (cell->read[0].stamp != 0 && cell->read[0].warp != now->warp) {
        cell->read[1] = cell->read[0];
    }
    cell->read[0] = *now;
    if (races(s, &cell->write, now)) {
        *other = cell->write;
        return WW_HAZARD_RAW;
    }
    return WW_HAZARD_NONE;
}

ww_hazard ww__shadow_write(struct ww_shadow *s, uint32_t byte, const ww_mark *now, int value,
                           int was, ww_mark *other)
{
    ww_cell *cell = &s->cell[byte];
    ww_hazard hazard = WW_HAZARD_NONE;
    bool again = value >= 0 && cell->serial == s->serial; /* another lane of this instruction */
    if (again && cell->value != value) {
        *other = cell->write;
        hazard = WW_HAZARD_WAW;
    }
    bool silent = value >= 0 && cell->write.stamp != 0 && value == (again ? cell->value : was);
    bool unseen = races(s, &cell->write, now);
    if (unseen && !silent) {
        *other = cell->write;
        hazard = WW_HAZARD_WAW;
    }
    for (unsigned k = 0; k < 2 && !silent && hazard == WW_HAZARD_NONE; k++) {
        if (races(s, &cell->read[k], now)) {
            *other = cell->read[k];
            hazard = WW_HAZARD_WAR;
        }
    }
    if (!(unseen && silent)) { /* a read that has not seen the first write must still find it */
        cell->write = *now;
    }
    if (value >= 0) {
        cell->serial = s->serial;
        cell->value = (uint8_t)value;
    }
    return hazard;
}
