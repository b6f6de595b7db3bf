/* fuzz_activity.c - does the activity reader survive any bytes, locate every error, and give back
 * what it accepts? */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "counters/counters.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ww_activity *activity = NULL;
    ww_error err = {0};
    ww_status status =
        ww_activity_parse("fuzz", (const char *)(const void *)data, size, &activity, &err);
    if (status != WW_OK) {
        if (err.what[0] == '\0' || strcmp(err.file, "fuzz") != 0 || activity != NULL) {
            abort();
        }
        return 0;
    }
    for (size_t i = 0; i < activity->launch_count; i++) {
        const ww_launch_record *launch = &activity->launches[i];
        if (!(launch->core_hz > 0) || launch->kernel == NULL ||
            launch->counters->count[WW_SCOPE_CHIP] != 1) {
            abort();
        }
    }
    ww_activity_destroy(activity);
    return 0;
}
