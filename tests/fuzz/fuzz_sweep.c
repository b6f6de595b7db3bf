/* fuzz_sweep.c - does the reader of sweep files survive any bytes, and make only whole runs? */
#include <stdint.h>
#include <stdlib.h>

#include "run/sweep.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ww_sweep *sweep = NULL;
    ww_error err = {0};
    if (ww_sweep_parse("fuzz.xml", (const char *)(const void *)data, size, "1", &sweep, &err) !=
        WW_OK) {
        if (sweep != NULL || err.what[0] == '\0') {
            abort();
        }
        return 0;
    }
    for (size_t i = 0; i < sweep->run_count; i++) {
        const ww_sweep_run *run = &sweep->run[i];
        if (run->id == NULL || run->set == NULL || run->item == NULL) {
            abort();
        }
    }
    ww_sweep_destroy(sweep);
    return 0;
}
