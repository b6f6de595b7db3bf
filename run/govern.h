/* govern.h - the loop from activity over power and heat back to the core clock: every interval of a
 * launch becomes joules at the clock, voltage and temperature that it ran at, a governor is told
 * and sets the next clock, and a die above its limit lowers it. Depends on: base, arch, counters,
 * power. */
#ifndef WW_RUN_GOVERN_H
#define WW_RUN_GOVERN_H

#include "arch/arch.h"
#include "counters/governor.h"
#include "power/power.h"
#include "power/thermal.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What a governor is told of an interval. */
typedef struct ww_governed {
    uint64_t cycles, warp_instructions;
    double start_s, seconds; /* since the first interval began; of this one */
    double active_sms;       /* share of its cycles in which an SM held a CTA, over the SMs */
    const ww_arch *arch;
    const ww_power_model *model;
    const ww_interval *interval;
    ww_point at;           /* that it ran at */
    ww_clock_range clocks; /* of the card */
    ww_power_result power;
} ww_governed;

/** @param next_hz  the interval's clock, to be changed into the next one's */
typedef ww_status (*ww_govern_next)(void *user, const ww_governed *told, double *next_hz,
                                    ww_error *err);

/* Looks for the clock of least energy times delay, by steps that it halves when they lead away. */
typedef struct ww_govern_edp {
    double step_hz, direction; /* of the next move; step 0: it has not begun */
    double last;               /* joules times seconds, over instructions squared */
} ww_govern_edp;

/* Who sets the clock. */
typedef enum ww_govern_kind {
    WW_GOVERN_HOLD, /* nobody: it stays, unless the die is too hot */
    WW_GOVERN_CAP,  /* keeps the power of each interval under a cap, as the one before tells */
    WW_GOVERN_EDP,  /* ww_govern_edp */
    WW_GOVERN_CALL, /* the caller's function */
} ww_govern_kind;

typedef struct ww_govern_choice {
    ww_govern_kind kind;
    double cap_w;
    ww_govern_next next; /* of CALL */
    void *user;
    bool heats;    /* the die's temperature follows its power, beginning at chip.temperature_k */
    double repeat; /* with it: each interval stands for so many like it; 0: one */
} ww_govern_choice;

/* One run's loop. */
typedef struct ww_govern {
    const ww_arch *arch; /* borrowed, as the model is */
    const ww_power_model *model;
    ww_govern_choice choice;
    ww_package package;
    ww_heat heat;
    ww_govern_edp edp;
    double ceiling_hz; /* that heat leaves */
    double time_s;
    ww_governor governor; /* for ww_device_options; the loop must stay where it is */
} ww_govern;

/** @error as ww_package_of */
WW_NODISCARD ww_status ww_govern_init(ww_govern *g, const ww_arch *arch,
                                      const ww_power_model *model, const ww_govern_choice *choice,
                                      ww_error *err);

/** Energy of an interval at its point. @error as ww_power_evaluate */
WW_NODISCARD ww_status ww_govern_evaluate(const ww_arch *arch, const ww_power_model *model,
                                          const ww_interval *interval, ww_power_result *out,
                                          ww_error *err);

/* ---- governors that come with the program (governors.c) ---- */

/** The highest clock at which an interval like this one would keep the cap; the card's lowest where
 * none does. */
WW_NODISCARD ww_status ww_govern_capped(double cap_w, const ww_governed *told, double *next_hz,
                                        ww_error *err);
/** The next clock to try; s is {0} at first. */
double ww_govern_least_edp(ww_govern_edp *s, const ww_governed *told);

#ifdef __cplusplus
}
#endif
#endif
