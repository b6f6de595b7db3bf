/* rates.h - activity from utilisations: what published microbenchmarks tell of themselves is often
 * no more than how busy each unit was. A unit's share of its peak rate, with the registers, control
 * and memory that each of its operations takes, gives the counters of one second. Depends on: arch,
 * counters. */
#ifndef WW_ANALYSIS_RATES_H
#define WW_ANALYSIS_RATES_H

#include "arch/arch.h"
#include "base/status.h"
#include "counters/counters.h"

#ifdef __cplusplus
extern "C" {
#endif

/* X(name, meaning): a unit's share of its peak. */
#define WW_RATES(X)                                                                                \
    X(fp32_add, "of the FP32 lanes, additions")                                                    \
    X(fp32_mul, "of the FP32 lanes, multiplications")                                              \
    X(fp32_fma, "of the FP32 lanes, fused multiply-adds")                                          \
    X(fp16_fma, "of as many lanes, fused multiply-adds of packed halves")                          \
    X(matrix, "of the matrix units, products of halves summed in singles, m16n8k16 a warp")        \
    X(int_add, "of the integer lanes, additions")                                                  \
    X(integer, "of the integer lanes, additions and logic in turn")                                \
    X(select, "of the integer lanes, selects and compares")                                        \
    X(fp64_add, "of the FP64 lanes, additions")                                                    \
    X(fp64_fma, "of the FP64 lanes, fused multiply-adds")                                          \
    X(sfu, "of the special-function lanes")                                                        \
    X(convert, "of as many lanes, conversions")                                                    \
    X(branch, "of the control-flow units: a warp's transfer in two cycles of each scheduler")      \
    X(shared, "of the bandwidth of shared memory, loads and stores alike, without conflicts")      \
    X(l1, "of the bandwidth of the L1 data caches, loads that hit")                                \
    X(l2, "of the bandwidth of the L2; what is not the DRAM's hits there")                         \
    X(dram, "of the bandwidth of the DRAM")

/* What a text of rates says. */
typedef struct ww_rates {
    double core_hz, dram_hz; /* clocks; those of the machine unless said */
    double active;           /* share of the SMs that hold a CTA; 1 unless said, 0 for "idle" */
    double data; /* what operands that hardly change cost, over such that do: scales lane operations
                    and the words of registers; 1 unless said */
    double switched; /* share of the bits of operands and results that switch from one to the next:
                        0 of zeros and constants, 0.5 of random numbers; NaN unless said: energies
                        are those of half */
    double memory;   /* the same of what memories hold, zeros (0) to random numbers (0.5) */
    double beats;    /* the same of the DRAM's bursts, where words lie side by side: `memory` unless
                        said */
    double stores;   /* share of the DRAM's bytes that are written; a third unless said */
    double l2_stores; /* share of the bytes that hit the L2 that are written; none unless said */
    double broadcast; /* lanes that a word of shared memory goes to or comes from; 1 unless said */
    double channels;  /* share of the machine's DRAM channels that the measured board has; 1 unless
                         said: the standby of the others is not there */
#define X(name, meaning) double name;
    WW_RATES(X)
#undef X
} ww_rates;

/** Reads "fp32_fma=0.9 integer=0.1 core_mhz=1402" or "idle"; names as above, core_mhz, dram_mhz,
 * active, data, switched, memory, beats, stores, l2_stores, broadcast and channels. EPARSE names
 * the word. */
WW_NODISCARD ww_status ww_rates_parse(const ww_arch *arch, const char *text, ww_rates *out,
                                      ww_error *err);
/** With toggles, bits that the text says are counted, and `data`, which stands for those of
 * operands, is 1 where they are; without, none are. */
void ww_rates_count_bits(ww_rates *rates, bool toggles);
/** Counters of one second of it; set has the arch's shape and is cleared first. */
void ww_rates_fill(const ww_arch *arch, const ww_rates *rates, ww_counter_set *set);
/** Whether what a count costs goes with how much operands change, so that `data` scales it. */
bool ww_rates_goes_with_data(ww_counter counter);

#ifdef __cplusplus
}
#endif
#endif
