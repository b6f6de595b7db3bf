/* fuzz_foreign.c - do the readers of other programs' activity survive any bytes, and give counters
 * that a machine can have? The first byte chooses the program. */
#include <stdint.h>
#include <stdlib.h>

#include "counters/foreign.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const ww_foreign_machine machine = {.gpu = "fuzz",
                                               .sms = 3,
                                               .schedulers = 2,
                                               .slices = 2,
                                               .channels = 1,
                                               .clusters = 1,
                                               .flits_per_byte = 1.0 / 32,
                                               .bursts_per_byte = 1.0 / 64,
                                               .refreshes = 1e-4,
                                               .l1_requests_per_sector = 0.25,
                                               .core_hz = 1e9,
                                               .icnt_hz = 1e9,
                                               .l2_hz = 1e9,
                                               .dram_hz = 1e9,
                                               .vdd_v = 1,
                                               .temperature_k = 300};
    ww_foreign_activity foreign;
    ww_error err = {0};
    if (size == 0) {
        return 0;
    }
    ww_foreign_source source = (ww_foreign_source)(data[0] % WW_FROM_COUNT);
    ww_status status = ww_foreign_parse(source, "fuzz", (const char *)(const void *)(data + 1),
                                        size - 1, &machine, &foreign, &err);
    if (status != WW_OK) {
        if (err.what[0] == '\0' || foreign.activity != NULL) {
            abort();
        }
        return 0;
    }
    for (size_t i = 0; i < foreign.activity->launch_count; i++) {
        const ww_launch_record *launch = &foreign.activity->launches[i];
        if (!(launch->core_hz > 0) || ww_counter_total(launch->counters, WW_C_CORE_CYCLES) == 0) {
            abort();
        }
    }
    ww_foreign_fini(&foreign);
    return 0;
}
