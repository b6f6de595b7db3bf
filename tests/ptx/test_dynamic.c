/* Do kernels launch kernels: with their parameters, geometry and shared memory, to any depth, in
 * the order of launches, tail launches last, with and without time? */
#include <string.h>

#include "arch/arch.h"
#include "perf/api/device.h"
#include "tests/support/test.h"

/* A launch of KERNEL by one thread: grid x %r10, 32 threads, %r11 bytes of shared memory, stream
 * STREAM; parameters %q1 (log) and %r12. %r15: what the launch returned. */
#define LAUNCH(KERNEL, STREAM)                                                                     \
    "{ mov.u64 %q4, " KERNEL "; mov.u32 %r13, 1; mov.u32 %r14, 32;\n"                              \
    ".param .b64 a; st.param.b64 [a], %q4; .param .align 4 .b8 g[12]; st.param.b32 [g], %r10;\n"   \
    "st.param.b32 [g+4], %r13; st.param.b32 [g+8], %r13; .param .align 4 .b8 b[12];\n"             \
    "st.param.b32 [b], %r14; st.param.b32 [b+4], %r13; st.param.b32 [b+8], %r13;\n"                \
    ".param .b32 s; st.param.b32 [s], %r11; .param .b64 p;\n"                                      \
    "call.uni (p), __cuda_syscall_cnpv2GetParameterBufferV2, (a, g, b, s);\n"                      \
    "ld.param.b64 %q5, [p]; st.u64 [%q5], %q1; st.u32 [%q5+8], %r12; }\n"                          \
    "{ mov.u64 %q6, " STREAM "; .param .b64 a; st.param.b64 [a], %q5; .param .b64 s;\n"            \
    "st.param.b64 [s], %q6; .param .b32 e;\n"                                                      \
    "call.uni (e), __cuda_syscall_cnpv2LaunchDeviceV2, (a, s); ld.param.b32 %r15, [e]; }\n"

/* Appends %r12 to the log: log[0] counts. */
#define APPEND                                                                                     \
    "atom.add.u32 %r5, [%q1], 1; add.u32 %r5, %r5, 1; mul.wide.u32 %q7, %r5, 4;\n"                 \
    "add.u64 %q7, %q7, %q1; st.u32 [%q7], %r12;\n"

#define HEAD                                                                                       \
    "(.param .u64 log, .param .u32 n) {\n.reg .b64 %q<9>; .reg .b32 %r<19>; .reg .pred %p<4>;\n"   \
    "ld.param.u64 %q1, [log]; ld.param.u32 %r12, [n]; mov.u32 %r1, %tid.x; mov.u32 %r2, "          \
    "%ctaid.x; or.b32 %r3, %r1, %r2;\n"

static const char text[] =
    ".version 7.8\n.target sm_75\n.address_size 64\n"
    ".extern .func (.param .b64 r) __cuda_syscall_cnpv2GetParameterBufferV2 (.param .b64 a,\n"
    " .param .align 4 .b8 g[12], .param .align 4 .b8 b[12], .param .b32 s);\n"
    ".extern .func (.param .b32 r) __cuda_syscall_cnpv2LaunchDeviceV2 (.param .b64 a,\n"
    " .param .b64 s);\n"
    ".extern .shared .align 4 .b8 dynamic[];\n"
    /* Every CTA's thread 0 logs n + its CTA, through shared memory at the end of what was asked
     * for. */
    ".visible .entry leaf" HEAD "setp.ne.u32 %p1, %r1, 0; @%p1 bra X; add.u32 %r12, %r12, %r2; "
    "mov.u32 %r6, %dynamic_smem_size;\n"
    "mov.u32 %r7, dynamic; add.u32 %r7, %r7, %r6; st.shared.u32 [%r7+-4], %r12;\n"
    "ld.shared.u32 %r12, [%r7+-4];\n" APPEND "X: ret;\n}\n"
    /* Logs n, launches itself with n - 1 down to 0, and a tail leaf of one CTA. */
    ".visible .entry nest" HEAD "setp.ne.u32 %p1, %r3, 0; @%p1 bra X;\n" APPEND
    "setp.eq.u32 %p2, %r12, 0; @%p2 bra X; mov.u32 %r10, 1; mov.u32 %r11, 8;\n"
    "add.u32 %r12, %r12, 200;\n" LAUNCH("leaf", "3") "sub.u32 %r12, %r12, 201;\n" LAUNCH(
        "nest",
        "0") "X: ret;\n}\n"
             /* Lanes 0 and 1 of CTA 0 launch a leaf of two CTAs each: 10, 11 and 20, 21; log[8] is
              * what the launch of nothing returned. */
             ".visible .entry lanes" HEAD
             "setp.gt.u32 %p1, %r3, 1; @%p1 bra X; mov.u32 %r10, 2; mov.u32 %r11, 4;\n"
             "mad.lo.u32 %r12, %r1, 10, 10;\n" LAUNCH(
                 "leaf",
                 "0") "st.u32 [%q1+32], %r15;\n"
                      "{ mov.u64 %q6, 0; .param .b64 a; st.param.b64 [a], %q6; .param .b64 s; "
                      "st.param.b64 [s], %q6;\n"
                      ".param .b32 e; call.uni (e), __cuda_syscall_cnpv2LaunchDeviceV2, (a, s);\n"
                      "ld.param.b32 %r15, [e]; st.u32 [%q1+36], %r15; }\nX: ret;\n}\n";

static ww_status count_launches(void *user, const struct ww_launch_record *record, ww_error *err)
{
    (void)record;
    (void)err;
    ++*(unsigned *)user;
    return WW_OK;
}

static void expect(ww_device *device, ww_module *module, const char *kernel, uint32_t n,
                   const uint32_t *want, unsigned count)
{
    ww_error err = {0};
    uint32_t log[16] = {0};
    ww_devptr at;
    assert_ok(ww_device_malloc(device, sizeof log, &at, &err), err);
    assert_ok(ww_device_write(device, at, log, sizeof log, &err), err);
    const void *args[2] = {&at, &n};
    assert_ok(ww_device_launch(device, module, kernel, (ww_dim3){1, 1, 1}, (ww_dim3){32, 1, 1}, 0,
                               args, 2, &err),
              err);
    assert_ok(ww_device_read(device, log, at, sizeof log, &err), err);
    for (unsigned i = 0; i < count; i++) {
        assert_int_equal(log[i], want[i]);
    }
    assert_ok(ww_device_free(device, at, &err), err);
}

static void launches(void **state)
{
    (void)state;
    for (unsigned mode = 0; mode < 4; mode++) {
        ww_error err = {0};
        ww_arch *arch;
        ww_device *device;
        ww_module *module;
        unsigned launched = 0;
        const ww_device_options options = {.functional_only = mode % 2 == 0,
                                           .isa = mode < 2 ? WW_ISA_LOWERED : WW_ISA_PTX,
                                           .on_launch = count_launches,
                                           .user = &launched};
        assert_ok(ww_arch_load(WW_SOURCE_DIR "/configs/gpu/gtx480.xml", NULL, 0, &arch, &err), err);
        assert_ok(ww_device_create(arch, &options, &device, &err), err);
        assert_ok(ww_device_load_ptx(device, "dynamic", text, sizeof text - 1, &module, &err), err);
        static const uint32_t nested[] = {7, 3, 2, 1, 0, 201, 202, 203};
        expect(device, module, "nest", 3, nested, WW_ARRAY_LEN(nested));
        assert_int_equal(launched, 7);
        static const uint32_t lanes[] = {4, 10, 11, 20, 21, 0, 0, 0, 0, 1};
        expect(device, module, "lanes", 0, lanes, WW_ARRAY_LEN(lanes));
        assert_int_equal(launched, 10);
        ww_device_destroy(device);
        ww_arch_destroy(arch);
    }
}

/* A launch that no machine takes is an error that names the kernel, and leaves nothing behind. */
static void failing(void **state)
{
    (void)state;
    ww_error err = {0};
    ww_arch *arch;
    ww_device *device;
    ww_module *module;
    assert_ok(ww_arch_load(WW_SOURCE_DIR "/configs/gpu/gtx480.xml", NULL, 0, &arch, &err), err);
    assert_ok(ww_device_create(arch, &(ww_device_options){.functional_only = true}, &device, &err),
              err);
    static char bad[sizeof text];
    memcpy(bad, text, sizeof text);
    char *shared = strstr(bad, "mov.u32 %r11, 4;\n");
    assert_non_null(shared);
    memcpy(shared, "mov.u32 %r11,-4;\n", 17);
    assert_ok(ww_device_load_ptx(device, "dynamic", bad, sizeof bad - 1, &module, &err), err);
    ww_devptr at;
    uint32_t n = 0;
    assert_ok(ww_device_malloc(device, 64, &at, &err), err);
    const void *args[2] = {&at, &n};
    assert_int_equal(ww_device_launch(device, module, "lanes", (ww_dim3){1, 1, 1},
                                      (ww_dim3){32, 1, 1}, 0, args, 2, &err),
                     WW_ERANGE);
    assert_non_null(strstr(err.what, "leaf"));
    ww_device_destroy(device);
    ww_arch_destroy(arch);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(launches), cmocka_unit_test(failing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
