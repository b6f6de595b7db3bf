/* Do textures, surfaces, matrix operations and the functions of the runtime give the same results
 * in time, through the device API, and do they reach the counters that they should? */
#include <string.h>

#include "arch/arch.h"
#include "base/str.h"
#include "counters/counters.h"
#include "perf/api/device.h"
#include "tests/support/test.h"

static const char text[] =
    ".version 7.8\n.target sm_75\n.address_size 64\n"
    ".extern .func (.param .b32 r) vprintf (.param .b64 a, .param .b64 b);\n"
    ".extern .func (.param .b64 r) malloc (.param .b64 a);\n"
    ".extern .func free (.param .b64 a);\n"
    ".global .texref t;\n.global .align 1 .b8 f[8] = {37, 100, 59};\n"
    /* out[i] = t(i, ctaid) + 1, through a surface and a block of the heap; lane 5 of each warp
     * prints. */
    ".visible .entry k(.param .u64 surface) {\n.local .align 8 .b8 depot[8];\n"
    ".reg .b64 %SP, %SPL, %q<9>; .reg .b32 %r<19>; .reg .f32 %f<9>; .reg .pred %p;\n"
    "mov.u64 %SPL, depot; cvta.local.u64 %SP, %SPL; ld.param.u64 %q1, [surface];\n"
    "mov.u32 %r0, %tid.x; mov.u32 %r1, %ctaid.x; cvt.rn.f32.u32 %f1, %r0; cvt.rn.f32.u32 %f2, "
    "%r1; add.f32 %f1, %f1, 0f3F000000; add.f32 %f2, %f2, 0f3F000000;\n"
    "tex.2d.v4.f32.f32 {%f3, %f4, %f5, %f6}, [t, {%f1, %f2}]; add.f32 %f3, %f3, 0f3F800000;\n"
    "mov.u64 %q2, 16; { .param .b64 p0; st.param.b64 [p0], %q2; .param .b64 r0; call (r0), malloc, "
    "(p0); ld.param.b64 %q3, [r0]; }\n"
    "st.f32 [%q3], %f3; ld.f32 %f7, [%q3]; { .param .b64 p0; st.param.b64 [p0], %q3; call free, "
    "(p0); }\n"
    "mov.b32 %r2, %f7; shl.b32 %r3, %r0, 2; sust.b.2d.b32.trap [%q1, {%r3, %r1}], {%r2};\n"
    "and.b32 %r4, %r0, 31; setp.ne.u32 %p, %r4, 5; @%p bra X;\n"
    "mad.lo.u32 %r5, %r1, 1000, %r0; st.local.u32 [%SPL], %r5; mov.u64 %q4, f; cvta.global.u64 "
    "%q4, %q4;\n"
    "{ .param .b64 p0; st.param.b64 [p0], %q4; .param .b64 p1; st.param.b64 [p1], %SP; .param .b32 "
    "r0; call (r0), vprintf, (p0, p1); }\nX: ret;\n}\n"
    /* out[i] = sum of 0 … i, recursively and through a pointer */
    ".func (.param .b32 r) sum(.param .b32 n) {\n.reg .b32 %r<9>; .reg .pred %p; .reg .b64 %q;\n"
    "ld.param.u32 %r1, [n]; mov.u32 %r3, 0; setp.eq.u32 %p, %r1, 0; @%p bra D; sub.u32 %r2, %r1, "
    "1; mov.u64 %q, sum;\n"
    "{ .param .b32 p0; st.param.b32 [p0], %r2; .param .b32 r0; P: .callprototype (.param .b32 _) _ "
    "(.param .b32 _); call (r0), %q, (p0), P; ld.param.b32 %r3, [r0]; }\n"
    "add.u32 %r3, %r3, %r1;\nD: st.param.b32 [r], %r3; ret;\n}\n"
    ".visible .entry sums(.param .u64 out) {\n.reg .b32 %r<9>; .reg .b64 %q<9>;\n"
    "ld.param.u64 %q1, [out]; mov.u32 %r1, %tid.x; mul.wide.u32 %q2, %r1, 4; add.u64 %q1, %q1, "
    "%q2;\n"
    "{ .param .b32 p0; st.param.b32 [p0], %r1; .param .b32 r0; call (r0), sum, (p0); ld.param.b32 "
    "%r2, [r0]; }\nst.global.u32 [%q1], %r2;\nret;\n}\n"
    /* d = a a + 0 of u8, a 16 x 16 */
    ".visible .entry square(.param .u64 a, .param .u64 d) {\n.reg .b64 %q<9>; .reg .b32 %r<29>;\n"
    "ld.param.u64 %q1, [a]; ld.param.u64 %q2, [d]; mov.u32 %r9, 0;\n"
    "wmma.load.a.sync.aligned.row.m16n16k16.global.u8 {%r1, %r2}, [%q1], 16; "
    "wmma.load.b.sync.aligned.row.m16n16k16.global.u8 {%r3, %r4}, [%q1], 16;\n"
    "wmma.mma.sync.aligned.row.row.m16n16k16.s32.u8.u8.s32 {%r11, %r12, %r13, %r14, %r15, %r16, "
    "%r17, %r18}, {%r1, %r2}, {%r3, %r4}, {%r9, %r9, %r9, %r9, %r9, %r9, %r9, %r9};\n"
    "wmma.store.d.sync.aligned.row.m16n16k16.global.s32 [%q2], {%r11, %r12, %r13, %r14, %r15, "
    "%r16, %r17, %r18}, 16;\nret;\n}\n";

typedef struct result {
    ww_str printed;
    uint64_t matrix[WW_COUNTER_COUNT]; /* multiply-accumulates, by counter */
} result;

static void keep_text(void *user, const char *piece, size_t n)
{
    ww_str_add_n(&((result *)user)->printed, piece, n);
}

static ww_status keep_counters(void *user, const struct ww_launch_record *record, ww_error *err)
{
    (void)err;
    for (int c = WW_C_MMA_F16; c <= WW_C_MMA_B1; c++) {
        ((result *)user)->matrix[c] += ww_counter_total(record->counters, (ww_counter)c);
    }
    return WW_OK;
}

enum { WIDTH = 128, ROWS = 6 };

static void run_textures(ww_device *device, ww_module *module)
{
    ww_error err = {0};
    static float in[ROWS][WIDTH], out[ROWS][WIDTH];
    ww_devptr from, to;
    uint64_t surface;
    for (unsigned i = 0; i < ROWS * WIDTH; i++) {
        in[i / WIDTH][i % WIDTH] = (float)(i * 7 % 1001);
    }
    assert_ok(ww_device_malloc(device, sizeof in, &from, &err), err);
    assert_ok(ww_device_malloc(device, sizeof out, &to, &err), err);
    assert_ok(ww_device_write(device, from, in, sizeof in, &err), err);
    ww_texture t = {.address = from,
                    .width = WIDTH,
                    .height = ROWS,
                    .pitch = WIDTH * 4,
                    .channels = 1,
                    .channel_bits = 32,
                    .channel = WW_TEX_FLOAT};
    assert_int_equal(ww_device_texture_bind(device, module, "u", &t, NULL), WW_ENOTFOUND);
    assert_ok(ww_device_texture_bind(device, module, "t", &t, &err), err);
    t.address = to;
    assert_ok(ww_device_texture_create(device, &t, &surface, &err), err);
    const void *args[] = {&surface};
    assert_ok(ww_device_launch(device, module, "k", (ww_dim3){ROWS, 1, 1}, (ww_dim3){WIDTH, 1, 1},
                               0, args, 1, &err),
              err);
    assert_ok(ww_device_read(device, out, to, sizeof out, &err), err);
    for (unsigned i = 0; i < ROWS * WIDTH; i++) {
        assert_true(out[i / WIDTH][i % WIDTH] == in[i / WIDTH][i % WIDTH] + 1.0f);
    }
    assert_ok(ww_device_texture_destroy(device, surface, &err), err);
}

static void run_square(ww_device *device, ww_module *module)
{
    ww_error err = {0};
    uint8_t a[16][16];
    int32_t d[16][16];
    ww_devptr pa, pd;
    for (unsigned i = 0; i < 256; i++) {
        a[i / 16][i % 16] = (uint8_t)(i * 31);
    }
    assert_ok(ww_device_malloc(device, sizeof a, &pa, &err), err);
    assert_ok(ww_device_malloc(device, sizeof d, &pd, &err), err);
    assert_ok(ww_device_write(device, pa, a, sizeof a, &err), err);
    const void *args[] = {&pa, &pd};
    assert_ok(ww_device_launch(device, module, "square", (ww_dim3){1, 1, 1}, (ww_dim3){32, 1, 1}, 0,
                               args, 2, &err),
              err);
    assert_ok(ww_device_read(device, d, pd, sizeof d, &err), err);
    for (unsigned i = 0; i < 16; i++) {
        for (unsigned j = 0; j < 16; j++) {
            int32_t sum = 0;
            for (unsigned k = 0; k < 16; k++) {
                sum += a[i][k] * a[k][j];
            }
            assert_int_equal(d[i][j], sum);
        }
    }
}

static void run_sums(ww_device *device, ww_module *module)
{
    ww_error err = {0};
    uint32_t out[64];
    ww_devptr p;
    assert_ok(ww_device_malloc(device, sizeof out, &p, &err), err);
    const void *args[] = {&p};
    assert_ok(ww_device_launch(device, module, "sums", (ww_dim3){1, 1, 1}, (ww_dim3){64, 1, 1}, 0,
                               args, 1, &err),
              err);
    assert_ok(ww_device_read(device, out, p, sizeof out, &err), err);
    for (uint32_t i = 0; i < 64; i++) {
        assert_int_equal(out[i], i * (i + 1) / 2);
    }
}

static void through_the_device(void **state)
{
    (void)state;
    ww_error err = {0};
    ww_arch *arch;
    assert_ok(ww_arch_load(WW_SOURCE_DIR "/configs/gpu/gtx480.xml", NULL, 0, &arch, &err), err);
    for (int v = 0; v < 4; v++) {
        result kept = {0};
        ww_device *device;
        ww_module *module;
        const ww_device_options options = {.isa = v & 1 ? WW_ISA_LOWERED : WW_ISA_PTX,
                                           .functional_only = v & 2,
                                           .on_launch = keep_counters,
                                           .on_print = keep_text,
                                           .user = &kept};
        assert_ok(ww_device_create(arch, &options, &device, &err), err);
        assert_ok(ww_device_load_ptx(device, "t.ptx", text, sizeof text - 1, &module, &err), err);
        run_textures(device, module);
        assert_string_equal(ww_str_text(&kept.printed),
                            "5;37;69;101;1005;1037;1069;1101;2005;2037;2069;2101;3005;3037;3069;"
                            "3101;4005;4037;4069;4101;5005;5037;5069;5101;");
        run_square(device, module);
        run_sums(device, module);
        for (int c = WW_C_MMA_F16; c <= WW_C_MMA_B1; c++) {
            assert_int_equal(kept.matrix[c], c == WW_C_MMA_I8 ? 16 * 16 * 16 : 0);
        }
        ww_device_destroy(device);
        ww_str_fini(&kept.printed);
    }
    ww_arch_destroy(arch);
}

/* A product of each format in a warp, and again in a second one: M x N x K each, whatever the
 * stream and with time or without. */
static void products_are_counted(void **state)
{
    (void)state;
    static const struct {
        const char *words, *type, *result; /* the instruction; what of it is stored */
        ww_counter counter;
        uint32_t products;
    } rows[] = {
        {"wmma.mma.sync.aligned.row.row.m16n16k16.f32.f32 {%f1,%f2,%f3,%f4,%f5,%f6,%f7,%f8}, "
         "{%r1,%r2,%r3,%r4,%r1,%r2,%r3,%r4}, {%r1,%r2,%r3,%r4,%r1,%r2,%r3,%r4}, "
         "{%f1,%f2,%f3,%f4,%f5,%f6,%f7,%f8}",
         "f32", "%f1", WW_C_MMA_F16, 16 * 16 * 16},
        {"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1,%f2,%f3,%f4}, {%r1,%r2,%r3,%r4}, "
         "{%r1,%r2}, {%f1,%f2,%f3,%f4}",
         "f32", "%f1", WW_C_MMA_F16, 16 * 8 * 16},
        {"mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32 {%f1,%f2,%f3,%f4}, {%r1,%r2}, {%r1}, "
         "{%f1,%f2,%f3,%f4}",
         "f32", "%f1", WW_C_MMA_BF16, 16 * 8 * 8},
        {"mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32 {%f1,%f2,%f3,%f4}, {%r1,%r2}, {%r1}, "
         "{%f1,%f2,%f3,%f4}",
         "f32", "%f1", WW_C_MMA_TF32, 16 * 8 * 4},
        {"mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e5m2.f32 {%f1,%f2,%f3,%f4}, "
         "{%r1,%r2,%r3,%r4}, {%r1,%r2}, {%f1,%f2,%f3,%f4}",
         "f32", "%f1", WW_C_MMA_F8, 16 * 8 * 32},
        {"mma.sync.aligned.m8n8k16.row.col.s32.s8.u8.s32 {%r5,%r6}, {%r1}, {%r2}, {%r5,%r6}", "u32",
         "%r5", WW_C_MMA_I8, 8 * 8 * 16},
        {"mma.sync.aligned.m8n8k32.row.col.s32.u4.u4.s32 {%r5,%r6}, {%r1}, {%r2}, {%r5,%r6}", "u32",
         "%r5", WW_C_MMA_I4, 8 * 8 * 32},
        {"mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.and.popc {%r5,%r6,%r7,%r8}, "
         "{%r1,%r2,%r3,%r4}, {%r1,%r2}, {%r5,%r6,%r7,%r8}",
         "u32", "%r5", WW_C_MMA_B1, 16 * 8 * 256},
        {"mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%d1,%d2}, {%d3}, {%d4}, {%d1,%d2}",
         "f64", "%d1", WW_C_MMA_F64, 8 * 8 * 4},
    };
    for (size_t i = 0; i < WW_ARRAY_LEN(rows); i++) {
        for (int v = 0; v < 4; v++) {
            ww_error err = {0};
            result kept = {0};
            ww_str ptx = {0};
            ww_arch *arch;
            ww_device *device;
            ww_module *module;
            assert_ok(ww_arch_load(WW_SOURCE_DIR "/configs/gpu/a100.xml", NULL, 0, &arch, &err),
                      err);
            ww_str_addf(&ptx,
                        ".version 8.4\n.target sm_89\n.address_size 64\n.visible .entry k(.param "
                        ".u64 p) {\n"
                        ".reg .b32 %%r<9>; .reg .f32 %%f<9>; .reg .f64 %%d<9>; .reg .b64 %%q;\n"
                        "ld.param.u64 %%q, [p]; %s; st.global.%s [%%q], %s; ret;\n}\n",
                        rows[i].words, rows[i].type, rows[i].result);
            const ww_device_options options = {.isa = v & 1 ? WW_ISA_LOWERED : WW_ISA_PTX,
                                               .functional_only = v & 2,
                                               .on_launch = keep_counters,
                                               .user = &kept};
            assert_ok(ww_device_create(arch, &options, &device, &err), err);
            assert_ok(
                ww_device_load_ptx(device, "m.ptx", ww_str_text(&ptx), ptx.len, &module, &err),
                err);
            ww_devptr p;
            assert_ok(ww_device_malloc(device, 8, &p, &err), err);
            const void *args[] = {&p};
            assert_ok(ww_device_launch(device, module, "k", (ww_dim3){1, 1, 1}, (ww_dim3){64, 1, 1},
                                       0, args, 1, &err),
                      err);
            for (int c = WW_C_MMA_F16; c <= WW_C_MMA_B1; c++) {
                uint32_t expected = c == (int)rows[i].counter ? 2 * rows[i].products : 0;
                assert_int_equal(kept.matrix[c], expected);
            }
            ww_device_destroy(device);
            ww_arch_destroy(arch);
            ww_str_fini(&ptx);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(through_the_device),
                                       cmocka_unit_test(products_are_counted)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
