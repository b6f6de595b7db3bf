/* How many lines of the texture cache does a warp's square of a picture take: rows of a pitched
 * texture, blocks of an array? And are the elements the same? */
#include <string.h>

#include "arch/arch.h"
#include "counters/counters.h"
#include "perf/api/device.h"
#include "tests/support/test.h"

enum { WIDTH = 200, HEIGHT = 20 }; /* bytes; a row of blocks is not full */

/* out[8 * y + x] = picture(x0 + x, y0 + y): a warp reads 8 x 4 elements. */
static const char text[] =
    ".version 7.8\n.target sm_75\n.address_size 64\n"
    ".visible .entry square(.param .u64 picture, .param .s32 x0, .param .s32 y0, .param .u64 out) "
    "{\n.reg .b64 %q<5>; .reg .b32 %r<10>;\n"
    "ld.param.u64 %q1, [picture]; ld.param.s32 %r1, [x0]; ld.param.s32 %r2, [y0]; "
    "ld.param.u64 %q2, [out];\n"
    "mov.u32 %r3, %tid.x; mul.wide.u32 %q3, %r3, 4; add.u64 %q2, %q2, %q3;\n"
    "and.b32 %r4, %r3, 7; shr.u32 %r3, %r3, 3; add.s32 %r1, %r1, %r4; add.s32 %r2, %r2, %r3;\n"
    "tex.2d.v4.u32.s32 {%r5, %r6, %r7, %r8}, [%q1, {%r1, %r2}];\n"
    "st.global.u32 [%q2], %r5;\nret;\n}\n";

static ww_status count_reads(void *user, const struct ww_launch_record *record, ww_error *err)
{
    (void)err;
    *(uint64_t *)user = ww_counter_total(record->counters, WW_C_L1T_READ_HIT) +
                        ww_counter_total(record->counters, WW_C_L1T_READ_MISS);
    return WW_OK;
}

static ww_device *device;
static ww_module *module;
static uint64_t reads; /* of the last launch */

static void start(const ww_arch *arch)
{
    ww_error err = {0};
    const ww_device_options options = {.isa = WW_ISA_PTX, .on_launch = count_reads, .user = &reads};
    assert_ok(ww_device_create(arch, &options, &device, &err), err);
    assert_ok(ww_device_load_ptx(device, "t.ptx", text, sizeof text - 1, &module, &err), err);
}

/* Texture-cache accesses of a warp that reads the 8 x 4 elements at (x0, y0). */
static uint64_t lines_of(bool blocks, int32_t x0, int32_t y0)
{
    ww_error err = {0};
    static uint8_t picture[HEIGHT][WIDTH];
    uint32_t out[32];
    ww_devptr from, to;
    uint64_t handle;
    for (unsigned i = 0; i < HEIGHT * WIDTH; i++) {
        picture[i / WIDTH][i % WIDTH] = (uint8_t)(i * 37 % 251);
    }
    assert_ok(ww_device_malloc(device, sizeof picture, &from, &err), err);
    assert_ok(ww_device_malloc(device, sizeof out, &to, &err), err);
    assert_ok(ww_device_write(device, from, picture, sizeof picture, &err), err);
    const ww_texture t = {.address = from,
                          .width = WIDTH,
                          .height = HEIGHT,
                          .pitch = WIDTH,
                          .blocks = blocks,
                          .channels = 1,
                          .channel_bits = 8,
                          .channel = WW_TEX_UNSIGNED,
                          .mode = {WW_TEX_CLAMP, WW_TEX_CLAMP}};
    assert_ok(ww_device_texture_create(device, &t, &handle, &err), err);
    const void *args[] = {&handle, &x0, &y0, &to};
    assert_ok(ww_device_launch(device, module, "square", (ww_dim3){1, 1, 1}, (ww_dim3){32, 1, 1}, 0,
                               args, 4, &err),
              err);
    assert_ok(ww_device_read(device, out, to, sizeof out, &err), err);
    for (int32_t i = 0; i < 32; i++) {
        assert_int_equal(out[i], picture[y0 + i / 8][x0 + i % 8]);
    }
    assert_ok(ww_device_texture_destroy(device, handle, &err), err);
    assert_ok(ww_device_free(device, from, &err), err);
    assert_ok(ww_device_free(device, to, &err), err);
    return reads;
}

static void rows_and_blocks(void **state)
{
    (void)state;
    ww_error err = {0};
    ww_arch *arch;
    assert_ok(ww_arch_load(WW_SOURCE_DIR "/configs/gpu/gtx480.xml", NULL, 0, &arch, &err), err);
    start(arch);
    /* Rows of 200 B in lines of 128 B: those at 0, 200, 400 and 600 lie in lines 0, 1, 3 and 4. */
    assert_int_equal(lines_of(false, 0, 0), 4);
    assert_int_equal(lines_of(true, 0, 0), 1);  /* one block of 16 x 8 */
    assert_int_equal(lines_of(true, 8, 4), 1);  /* its other corner */
    assert_int_equal(lines_of(true, 12, 0), 2); /* two side by side */
    assert_int_equal(lines_of(true, 0, 6), 2);  /* two above each other */
    assert_int_equal(lines_of(true, 12, 6), 4);
    assert_int_equal(lines_of(true, 190, 14), 4); /* with the last of its row of blocks */
    ww_device_destroy(device);
    ww_arch_destroy(arch);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(rows_and_blocks)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
