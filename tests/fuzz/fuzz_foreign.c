/* fuzz_foreign.c - do the readers of other programs' activity survive any bytes, and give counters
 * that a machine can have? The first byte chooses the program. */
#include <stdint.h>
#include <stdlib.h>

#include "tests/support/foreign_machine.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ww_foreign_activity foreign;
    ww_error err = {0};
    if (size == 0) {
        return 0;
    }
    ww_foreign_source source = (ww_foreign_source)(data[0] % WW_FROM_COUNT);
    ww_status status = ww_foreign_parse(source, "fuzz", (const char *)(const void *)(data + 1),
                                        size - 1, &foreign_machine, &foreign, &err);
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
