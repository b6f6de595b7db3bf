/* fuzz_lowering.c - whatever the parser accepts, can every kernel be built in each stream without
 * harm? A refusal names itself. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "perf/ptx/ptx.h"
#include "tests/support/arch_fixture.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_kernel(const ww_kernel *kernel)
{
    for (uint32_t i = 0; i < kernel->code_count; i++) {
        const ww_inst *inst = &kernel->code[i];
        if (inst->op == WW_OP_BRA && inst->target >= kernel->code_count) {
            abort();
        }
        for (unsigned k = 0; k < inst->src_count; k++) {
            const uint32_t registers = ww_operand_registers(&inst->src[k]);
            if (registers > 0 && inst->src[k].reg + registers > kernel->registers) {
                abort();
            }
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ww_ptx_module *module = NULL;
    if (ww_ptx_parse("fuzz.ptx", (const char *)(const void *)data, size, &module, NULL) != WW_OK) {
        return 0;
    }
    ww_arch arch = fixture_arch();
    arch.chip.compute_capability = 20;
    arch.sm.max_thread_registers = 20; /* few, so that spilling is reached */
    for (uint32_t i = 0; i < module->kernel_count; i++) {
        for (ww_code code = WW_CODE_PTX; code <= WW_CODE_GT200; code++) {
            ww_kernel *kernel = NULL;
            ww_error err = {0};
            if (ww_ptx_build_kernel(module, module->kernel_name[i], code, &arch, &kernel, &err) ==
                WW_OK) {
                check_kernel(kernel);
            } else if (err.what[0] == '\0') {
                abort();
            }
        }
    }
    ww_ptx_destroy(module);
    return 0;
}
