/* foreign_machine.h - a machine whose foreign activity can be worked out by hand: round numbers,
 * bursts of 64 B, flits of 32 B. */
#ifndef WW_TESTS_SUPPORT_FOREIGN_MACHINE_H
#define WW_TESTS_SUPPORT_FOREIGN_MACHINE_H

#include "counters/foreign.h"

static const ww_foreign_machine foreign_machine = {.gpu = "made-up",
                                                   .sms = 4,
                                                   .schedulers = 2,
                                                   .slices = 4,
                                                   .channels = 2,
                                                   .clusters = 2,
                                                   .flits_per_byte = 1.0 / 32,
                                                   .bursts_per_byte = 1.0 / 64,
                                                   .refreshes = 0.001,
                                                   .l1_keeps = 1,
                                                   .l1_requests_per_sector = 0.25,
                                                   .core_hz = 1e9,
                                                   .icnt_hz = 1e9,
                                                   .l2_hz = 1e9,
                                                   .dram_hz = 5e8,
                                                   .vdd_v = 1,
                                                   .temperature_k = 330};

#endif
