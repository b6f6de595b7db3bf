/* fuzz_ptx.c - any bytes as PTX: parse, check, and build every kernel both as written and lowered.
 */
#include <stdint.h>
#include <string.h>

#include "perf/ptx/ptx.h"
#include "tests/support/arch_fixture.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ww_ptx_module *module = NULL;
    ww_error err = {0};
    ww_arch arch = fixture_arch();
    arch.sm.max_thread_registers = 63;
    if (ww_ptx_parse("fuzz.ptx", (const char *)data, size, &module, &err) != WW_OK) {
        return 0;
    }
    ww_ptx_problem *problems;
    size_t count;
    ww_status status = ww_ptx_check(module, &problems, &count, &err);
    for (uint32_t i = 0; i < module->kernel_count && status == WW_OK; i++) {
        for (ww_code code = WW_CODE_PTX; code <= WW_CODE_LOWERED; code++) {
            ww_kernel *kernel;
            /* What is no kernel is an error, and a crash is what is looked for. */
            WW_DROP(
                ww_ptx_build_kernel(module, module->kernel_name[i], code, &arch, &kernel, &err));
        }
    }
    ww_ptx_destroy(module);
    return 0;
}
