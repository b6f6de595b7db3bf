/* fuzz_config.c - does the GPU description loader survive any bytes, and accept only sound
 * machines? */
#include <stdlib.h>

#include "arch/arch.h"
#include "arch/param.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool condition)
{
    if (!condition) {
        abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ww_arch *arch = NULL;
    ww_error err = {0};
    ww_status status =
        ww_arch_parse("fuzz.xml", (const char *)(const void *)data, size, NULL, 0, &arch, &err);
    if (status != WW_OK) {
        require(arch == NULL && err.code == status && err.what[0] != '\0' && err.file[0] != '\0');
        return 0;
    }
    for (size_t i = 0; i < ww_arch_param_count(); i++) {
        ww_arch_value value = ww_arch_value_at(arch, i);
        require(value.value == NULL ||
                (value.source[0] != '\0' && value.file[0] != '\0' && value.line >= 0));
    }
    /* What the rest of WarpWatt divides by or shifts with. */
    require(arch->sm.clusters > 0 && arch->sm.clusters <= arch->sm.count);
    require(arch->sm.max_cta_threads <= arch->sm.max_warps * WW_WARP_SIZE);
    require(arch->mem.row_bytes % ww_arch_burst_bytes(arch) == 0);
    require(arch->l1d.bytes % (arch->l1d.line_bytes * arch->l1d.ways) == 0);
    ww_arch_destroy(arch);
    return 0;
}
