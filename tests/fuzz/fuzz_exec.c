/* fuzz_exec.c - whatever can be built from any bytes, do its kernels execute within their memory?
 * Two warps run for a limited number of steps, every other time under --memcheck; a fault must be
 * told as an error with a message. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "perf/exec/exec.h"
#include "perf/exec/memcheck/memcheck.h"
#include "perf/ptx/ptx.h"
#include "tests/support/arch_fixture.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { STEPS = 20000, THREADS = 64, BUFFER = 4096, LARGEST = 1 << 20, PARAM_BYTES = 4096 };

static void require(bool condition)
{
    if (!condition) {
        abort();
    }
}

/* Variables in memory, texture references bound to the one texture; false: too large to try. */
static bool place_variables(ww_ptx_module *module, ww_devmem *mem, uint64_t texture)
{
    ww_error err = {0};
    for (uint32_t i = 0; i < module->symbol_count; i++) {
        ww_symbol *s = &module->symbol[i];
        if (s->space == WW_SPACE_TEX) {
            s->address = texture;
        } else if (s->space == WW_SPACE_GLOBAL || s->space == WW_SPACE_CONST) {
            if (s->bytes > LARGEST || s->init_bytes > s->bytes ||
                ww_devmem_alloc(mem, s->bytes + 1, 256, &s->address, &err) != WW_OK) {
                return false;
            }
            if (s->init_bytes > 0) {
                memcpy(ww_devmem_at(mem, s->address, s->bytes), s->init, s->init_bytes);
            }
        }
    }
    return true;
}

/* Round robin, until all warps have ended or wait, something fails or the steps are used up. */
static void run_cta(const ww_launch *launch, ww_cta *cta)
{
    const ww_time clock = {.per_cycle = 1};
    ww_error err = {0};
    ww_step step;
    bool moved = true;
    for (uint32_t steps = 0; steps < STEPS && moved;) {
        moved = false;
        for (uint32_t w = 0; w < cta->warp_count; w++) {
            ww_warp *warp = &cta->warp[w];
            if (warp->depth == 0 || warp->at_barrier) {
                continue;
            }
            const ww_exec_env env = {.launch = launch, .cycle = steps, .time = &clock};
            if (ww_exec_step(&env, warp, &step, &err) != WW_OK) {
                require(err.what[0] != '\0');
                return;
            }
            moved = true;
            steps++;
        }
    }
}

static void run_kernel(const ww_kernel *kernel, ww_devmem *mem, ww_textures *textures,
                       uint64_t buffer, struct ww_memcheck *check)
{
    ww_error err = {0};
    static uint64_t params[PARAM_BYTES / sizeof(uint64_t)];
    ww_launch launch = {.kernel = kernel,
                        .grid = {1, 1, 1},
                        .block = {THREADS, 1, 1},
                        .dynamic_shared = 256,
                        .params = (const unsigned char *)params,
                        .mem = mem,
                        .sm_count = 1,
                        .textures = textures,
                        .memcheck = check};
    if (kernel->param_bytes > PARAM_BYTES || kernel->local_bytes > LARGEST / THREADS ||
        kernel->shared_bytes > LARGEST) {
        return;
    }
    for (size_t i = 0; i < sizeof params / sizeof *params; i++) {
        params[i] = buffer + i * 64 % BUFFER;
    }
    if (ww_exec_prepare(&launch, &err) != WW_OK) {
        require(err.what[0] != '\0');
        return;
    }
    ww_cta cta = {0};
    if (ww_cta_init(&cta, &launch, 0, NULL, &err) == WW_OK) {
        run_cta(&launch, &cta);
    }
    ww_cta_fini(&cta);
    ww_exec_release(&launch);
}

static void run_module(ww_ptx_module *module, ww_devmem *mem, ww_textures *textures,
                       uint64_t buffer, struct ww_memcheck *check)
{
    ww_error err = {0};
    ww_arch arch = fixture_arch();
    arch.sm.max_thread_registers = 63;
    for (uint32_t i = 0; i < module->kernel_count && i < 4; i++) {
        for (ww_code code = WW_CODE_PTX; code <= WW_CODE_GT200; code++) {
            ww_kernel *kernel;
            if (ww_ptx_build_kernel(module, module->kernel_name[i], code, &arch, &kernel, &err) ==
                WW_OK) {
                run_kernel(kernel, mem, textures, buffer, code != WW_CODE_PTX ? check : NULL);
            }
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ww_ptx_module *module = NULL;
    ww_devmem *mem = NULL;
    ww_textures *textures = NULL;
    ww_memcheck *check = NULL;
    ww_error err = {0};
    uint64_t buffer = 0, texture;
    if (ww_ptx_parse("fuzz.ptx", (const char *)data, size, &module, &err) != WW_OK) {
        return 0;
    }
    require(ww_devmem_create(&mem, &err) == WW_OK && ww_textures_create(&textures, &err) == WW_OK &&
            ww_memcheck_create(&check, &err) == WW_OK &&
            ww_devmem_alloc(mem, 2 * BUFFER, 256, &buffer, &err) == WW_OK);
    const ww_texture image = {.address = buffer,
                              .width = 16,
                              .height = 8,
                              .pitch = 64,
                              .channels = 1,
                              .channel_bits = 32,
                              .channel = WW_TEX_FLOAT};
    require(ww_texture_add(textures, &image, &texture, &err) == WW_OK);
    if (place_variables(module, mem, texture)) {
        run_module(module, mem, textures, buffer, check);
    }
    ww_memcheck_destroy(check);
    ww_textures_destroy(textures);
    ww_devmem_destroy(mem);
    ww_ptx_destroy(module);
    return 0;
}
