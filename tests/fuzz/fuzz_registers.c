/* fuzz_registers.c - does the reader of register counts survive any bytes? */
#include <stdint.h>
#include <stdlib.h>

#include "cli/registers.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ww_arena arena = {0};
    const ww_kernel_registers *counts = NULL;
    size_t count = 0;
    ww_error err = {0};
    if (ww_registers_parse("fuzz", (const char *)(const void *)data, size, &arena, &counts, &count,
                           &err) == WW_OK) {
        for (size_t i = 0; i < count; i++) {
            if (counts[i].kernel == NULL || counts[i].registers == 0 || counts[i].registers > 255) {
                abort();
            }
        }
    } else if (err.what[0] == '\0') {
        abort();
    }
    ww_arena_fini(&arena);
    return 0;
}
