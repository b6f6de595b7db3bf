/* ptx_file.c - see ptx_file.h. */
#include "cli/ptx_file.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "perf/api/device.h"

#define MOST_PTX_BYTES (256u << 20)

static void place_symbols(ww_ptx_module *module)
{
    uint64_t next = UINT64_C(0x10000000);
    for (uint32_t i = 0; i < module->symbol_count; i++) {
        module->symbol[i].address = next;
        next += (module->symbol[i].bytes + 511) / 256 * 256;
    }
}

ww_status ww_ptx_file_open(const char *path, ww_ptx_module **out, ww_error *err)
{
    char *text = NULL;
    size_t length = 0;
    WW_TRY(ww_read_file(path, MOST_PTX_BYTES, &text, &length, err));
    ww_status st = ww_ptx_parse(path, text, length, out, err);
    ww_free(text);
    if (st == WW_OK) {
        place_symbols(*out);
    }
    return st;
}

static ww_status visit_file(const char *path, const char *only, ww_ptx_kernel_visit *visit,
                            void *context, bool *found, ww_error *err)
{
    ww_ptx_module *module = NULL;
    ww_status st = ww_ptx_file_open(path, &module, err);
    for (uint32_t i = 0; st == WW_OK && i < module->kernel_count; i++) {
        const char *name = module->kernel_name[i];
        if (only == NULL || strcmp(name, only) == 0) {
            *found = true;
            st = visit(context, module, name, err);
        }
    }
    ww_ptx_destroy(module);
    return st;
}

ww_status ww_ptx_files_visit(const ww_args *args, ww_ptx_kernel_visit *visit, void *context,
                             ww_error *err)
{
    const char *only = ww_args_value(args, "kernel");
    bool found = false;
    for (size_t i = 0; i < args->positional_count; i++) {
        WW_TRY(visit_file(args->positional[i], only, visit, context, &found, err));
    }
    return found || only == NULL ? WW_OK
                                 : ww_fail(err, WW_ENOTFOUND, "no kernel is called %.200s", only);
}

ww_status ww_ptx_read_isa(const ww_args *args, ww_code *code, ww_error *err)
{
    const char *isa = ww_args_value(args, "isa");
    ww_isa_mode mode = WW_ISA_LOWERED;
    if (isa != NULL && !ww_isa_named(isa, &mode)) {
        return ww_fail(err, WW_EUSAGE, "--isa is lowered, gt200 or ptx, not '%.200s'", isa);
    }
    *code = mode == WW_ISA_PTX     ? WW_CODE_PTX
            : mode == WW_ISA_GT200 ? WW_CODE_GT200
                                   : WW_CODE_LOWERED;
    return WW_OK;
}

ww_status ww_ptx_read_block(const char *text, uint32_t most_threads, uint32_t block[3],
                            ww_error *err)
{
    char rest;
    int n = sscanf(text, "%" SCNu32 ",%" SCNu32 ",%" SCNu32 "%c", &block[0], &block[1], &block[2],
                   &rest);
    uint64_t threads = (uint64_t)block[0] * block[1];
    bool fits = n == 3 && threads > 0 && threads <= most_threads && block[2] > 0 &&
                threads * block[2] <= most_threads;
    if (!fits) {
        return ww_fail(err, WW_EUSAGE,
                       "--block takes X,Y,Z, at most %" PRIu32 " threads together, not '%s'",
                       most_threads, text);
    }
    return WW_OK;
}
