/* race.c - races on a byte of shared memory. Accesses of one warp are in order: its lanes
 * run together, and __syncwarp is where they meet; only lanes that store different values to one
 * byte in one instruction race with each other. Atomics do not race with atomics. An engine's
 * accesses are in order with those of the warp that it works for once that has waited for it, and
 * see the warp's stores only behind a fence of their proxy. */
#include "perf/exec/memcheck/shadow.h"

/* Does the access race with an earlier one? by: the shadow that has the issuer's clocks. */
static bool races(const struct ww_shadow *by, const ww_mark *before, const ww_mark *now)
{
    return before->stamp != 0 && before->agent != now->agent && !(before->atomic && now->atomic) &&
           ww__shadow_seen(by, now->issuer - by->first, before->agent, false) < before->stamp;
}

/* Does an engine not see it, though the order is right? */
static bool hidden(const struct ww_shadow *by, const ww_mark *before, const ww_mark *now)
{
    return before->stamp != 0 && ww__shadow_is_engine(by, now->agent) &&
           !ww__shadow_is_engine(by, before->agent) &&
           ww__shadow_seen(by, now->issuer - by->first, before->agent, true) < before->stamp;
}

ww_hazard ww__shadow_read(struct ww_shadow *s, const struct ww_shadow *by, uint32_t byte,
                          const ww_mark *now, ww_mark *other)
{
    ww_cell *cell = &s->cell[byte];
    if (cell->read[0].stamp != 0 && cell->read[0].agent != now->agent) {
        cell->read[1] = cell->read[0];
    }
    cell->read[0] = *now;
    *other = cell->write;
    return races(by, &cell->write, now)    ? WW_HAZARD_RAW
           : hidden(by, &cell->write, now) ? WW_HAZARD_PROXY
                                           : WW_HAZARD_NONE;
}

ww_hazard ww__shadow_write(struct ww_shadow *s, const struct ww_shadow *by, uint32_t byte,
                           const ww_mark *now, int value, int was, ww_mark *other)
{
    ww_cell *cell = &s->cell[byte];
    ww_hazard hazard = WW_HAZARD_NONE;
    bool again = value >= 0 && cell->serial == s->serial; /* another lane of this instruction */
    if (again && cell->value != value) {
        *other = cell->write;
        hazard = WW_HAZARD_WAW;
    }
    bool silent = value >= 0 && cell->write.stamp != 0 && value == (again ? cell->value : was);
    bool unseen = races(by, &cell->write, now);
    if ((unseen && !silent) || (hazard == WW_HAZARD_NONE && hidden(by, &cell->write, now))) {
        *other = cell->write;
        hazard = unseen ? WW_HAZARD_WAW : WW_HAZARD_PROXY;
    }
    for (unsigned k = 0; k < 2 && !silent && hazard == WW_HAZARD_NONE; k++) {
        if (races(by, &cell->read[k], now)) {
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
