/* fuzz_floorplan.c - does the reader of floorplans survive any bytes, and are blocks that it takes
 * ones that have a size? */
#include <stdint.h>
#include <stdlib.h>

#include "analysis/hotspot.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ww_floorplan plan;
    ww_error err = {0};
    if (ww_hotspot_parse_floorplan("fuzz", (const char *)(const void *)data, size, &plan, &err) ==
        WW_OK) {
        for (size_t i = 0; i < plan.count; i++) {
            if (!(plan.tile[i].width_m > 0 && plan.tile[i].height_m > 0)) {
                abort();
            }
        }
        ww_floorplan_fini(&plan);
    } else if (err.what[0] == '\0') {
        abort();
    }
    return 0;
}
