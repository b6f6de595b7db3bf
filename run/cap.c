/* cap.c - see cap.h. */
#include "run/cap.h"

#include <math.h>

#include "base/units.h"

/* Proposals by interpolation, before what is left is halved: power over the clock is smooth, but
 * for cycles that jump. */
enum { PROPOSALS = 6 };

/* Clocks by number: 0 is the card's lowest, top the one asked for. */
typedef struct ladder {
    const ww_arch *arch;
    double lowest_hz, step_hz, top_hz;
    long top;
} ladder;

/* A simulated clock; x = f V^2, what the dynamic power of unchanged cycles goes with. */
typedef struct trial {
    double x, watts;
} trial;

typedef struct search {
    ladder on;
    double cap_w;
    trial newer, older; /* of the line through which the next clock is proposed */
    long fits, fails;   /* simulated clocks; fits is -1 before there is one */
} search;

static ladder ladder_of(const ww_arch *arch)
{
    static const double unknown_step_hz = 1e6, rounding = 1e-9;
    ww_clock_range r = ww_arch_clocks(arch);
    ladder l = {.arch = arch,
                .lowest_hz = fmin(r.lowest_hz, arch->clock.core_hz),
                .step_hz = r.step_hz > 0 ? r.step_hz : unknown_step_hz,
                .top_hz = arch->clock.core_hz};
    l.top = (long)ceil((l.top_hz - l.lowest_hz) / l.step_hz - rounding);
    return l;
}

static double clock_at(const ladder *l, long i)
{
    return i >= l->top ? l->top_hz : l->lowest_hz + (double)i * l->step_hz;
}

static double x_at(const ladder *l, long i)
{
    double hz = clock_at(l, i), v = ww_arch_voltage(l->arch, hz);
    return hz * v * v;
}

static double line(const search *s, long i)
{
    double slope = (s->newer.watts - s->older.watts) / (s->newer.x - s->older.x);
    return s->newer.watts + slope * (x_at(&s->on, i) - s->newer.x);
}

/* The highest clock between those known whose power the line puts within the cap; the lowest of
 * them where none is. */
static long propose(const search *s, size_t runs)
{
    long lo = s->fits + 1, hi = s->fails - 1;
    if (runs > PROPOSALS || !(s->newer.watts - s->older.watts != 0) ||
        !((s->newer.watts - s->older.watts) / (s->newer.x - s->older.x) > 0)) {
        return lo + (hi - lo) / 2;
    }
    while (lo < hi) {
        long middle = lo + (hi - lo + 1) / 2;
        if (line(s, middle) <= s->cap_w) {
            lo = middle;
        } else {
            hi = middle - 1;
        }
    }
    return lo;
}

static ww_status fail_lowest(const search *s, double watts, ww_error *err)
{
    char cap[48], hz[48];
    ww_units_format(s->cap_w, "W", cap, sizeof cap);
    ww_units_format(clock_at(&s->on, 0), "Hz", hz, sizeof hz);
    return ww_fail(err, WW_ERANGE,
                   "--power-cap: %s is not kept at any clock: at the card's lowest, %s, the mean "
                   "power is %.4g W",
                   cap, hz, watts);
}

/* Simulates a clock and takes it into the bounds. */
static ww_status try(search *s, long i, ww_cap_run run, void *user, ww_cap *out, ww_error *err)
{
    double watts = 0, hz = clock_at(&s->on, i);
    WW_TRY(run(user, hz, &watts, err));
    out->runs++;
    s->older = s->newer;
    s->newer = (trial){.x = x_at(&s->on, i), .watts = watts};
    if (watts <= s->cap_w) {
        s->fits = i;
        out->core_hz = hz;
        out->watts = watts;
        return WW_OK;
    }
    s->fails = i;
    out->next_hz = hz;
    out->next_w = watts;
    return i > 0 ? WW_OK : fail_lowest(s, watts, err);
}

ww_status ww_cap_search(const ww_arch *arch, double idle_w, ww_cap_run run, void *user, ww_cap *out,
                        ww_error *err)
{
    search s = {.on = ladder_of(arch), .cap_w = arch->power.cap_w, .fits = -1};
    ww_cap found = {0};
    s.fails = s.on.top + 1;
    s.newer = (trial){.x = 0, .watts = idle_w};
    WW_TRY(try(&s, s.on.top, run, user, &found, err));
    while (s.fails - s.fits > 1) {
        WW_TRY(try(&s, propose(&s, found.runs), run, user, &found, err));
    }
    *out = found;
    return WW_OK;
}
