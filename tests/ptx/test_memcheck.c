/* Does memcheck find each kind of fault at its place, with and without time, and is it silent about
 * kernels that have none? */
#include <stdio.h>
#include <string.h>

#include "arch/arch.h"
#include "base/str.h"
#include "perf/device.h"
#include "tests/support/test.h"

/* Two warps. Every kernel takes a buffer of 64 words, of which the host has written the first 32.
 */
typedef struct kernel_case {
    const char *name, *body;
    const char *found[4]; /* parts of the findings' text; none: there is no finding */
} kernel_case;

#define STORE_MINE  "st.shared.u32 [%a], %t;\n"
#define LOAD_MINE   "ld.shared.u32 %v, [%a];\n"
#define LOAD_OTHER  "ld.shared.u32 %v, [%b];\n" /* the same lane's of the other warp */
#define STORE_OTHER "st.shared.u32 [%b], %t;\n"
#define BARRIER     "bar.sync 0;\n"

static const kernel_case cases[] = {
    /* ---- uninitialized ---- */
    {"global_unwritten",
     "ld.global.u32 %v, [%g+128];\n",
     {"uninitialized read by ld of 4 bytes in global memory", "thread (0,0,0)", "128 bytes into"}},
    {"global_written", "ld.global.u32 %v, [%first];\n", {NULL}},
    {"global_written_by_kernel",
     "st.global.u32 [%mine], %t;\nld.global.u32 %v, [%mine];\n",
     {NULL}},
    {"global_partly",
     "st.global.u8 [%g+240], %t;\nst.global.u8 [%g+241], %t;\nst.global.u8 [%g+243], %t;\n"
     "ld.global.u32 %v, [%g+240];\n",
     {"4 bytes in global memory", "240 bytes into"}},
    {"global_atomic_unwritten",
     "atom.global.add.u32 %v, [%g+128], 1;\n",
     {"uninitialized read by atom of 4 bytes"}},
    {"global_exchange", "atom.global.exch.b32 %v, [%g+128], %t;\n", {NULL}},
    {"shared_unwritten",
     LOAD_MINE,
     {"uninitialized read by ld of 4 bytes in shared memory at 0x0", "CTA (0,0,0)"}},
    {"shared_written", STORE_MINE LOAD_MINE, {NULL}},
    {"local_unwritten",
     "ld.local.u32 %v, [depot+4];\n",
     {"uninitialized read by ld of 4 bytes in local memory at 0x4"}},
    {"local_written",
     "st.local.u64 [depot], %g;\nst.local.u32 [%l], %t;\nld.local.u32 %v, [depot+4];\n",
     {NULL}},
    {"generic_shared_unwritten",
     "cvta.shared.u64 %x, %aw;\nld.u32 %v, [%x];\n",
     {"4 bytes in shared memory"}},
    /* ---- races ---- */
    {"raw",
     STORE_MINE BARRIER "add.u32 %t, %t, 100;\n" STORE_MINE LOAD_OTHER,
     {"RAW hazard", "ld of 4 bytes by thread (", "before it, st by thread ("}},
    {"raw_ordered", STORE_MINE BARRIER LOAD_OTHER, {NULL}},
    {"war",
     STORE_MINE BARRIER LOAD_OTHER "add.u32 %t, %t, 100;\n" STORE_MINE,
     {"WAR hazard", "st of 4 bytes by thread (", "before it, ld by thread ("}},
    {"war_ordered",
     STORE_MINE BARRIER LOAD_OTHER BARRIER "add.u32 %t, %t, 100;\n" STORE_MINE,
     {NULL}},
    {"waw", STORE_MINE STORE_OTHER, {"WAW hazard"}},
    {"waw_ordered", STORE_MINE BARRIER STORE_OTHER, {NULL}},
    {"waw_same_value", "mov.u32 %t, 7;\nst.shared.u32 [s], %t;\n", {NULL}},
    {"waw_within_a_store", "@!%w st.shared.u32 [s], %t;\n", {"WAW hazard", "thread (1,0,0)"}},
    {"fence_is_no_barrier", STORE_MINE "membar.cta;\n" LOAD_OTHER, {"RAW hazard"}},
    {"arrive_is_no_wait",
     STORE_MINE "@%w bar.arrive 1, 64;\n@!%w bar.sync 1, 64;\n@%w ld.shared.u32 %v, [%b];\n",
     {"RAW hazard"}},
    {"arrive_and_wait",
     "@%w st.shared.u32 [%a], %t;\n@%w bar.arrive 1, 64;\n@!%w bar.sync 1, 64;\n"
     "@!%w ld.shared.u32 %v, [%b];\n",
     {NULL}},
    {"atomics", "@%t0 st.shared.u32 [s], 0;\n" BARRIER "atom.shared.add.u32 %v, [s], 1;\n", {NULL}},
    {"atomic_after_store",
     "@%t0 st.shared.u32 [s], 0;\n@%w atom.shared.add.u32 %v, [s], 1;\n",
     {"hazard in shared memory at 0x0"}},
    {"warp_synchronous",
     STORE_MINE "bar.warp.sync 0xffffffff;\nxor.b32 %n, %a, 64;\nld.shared.u32 %v, [%n];\n"
                "st.shared.u32 [%n], %v;\n",
     {NULL}},
    /* a flag: data, fence, atomic; atomic, fence, data */
    {"handed_over",
     "@%t0 st.shared.u32 [s+252], 0;\n" BARRIER "@%w bra TAKE;\n" STORE_MINE
     "membar.cta;\n@%t0 atom.shared.exch.b32 %v, [s+252], 1;\n"
     "bra OUT;\nTAKE:\natom.shared.cas.b32 %v, [s+252], 1, 1;\nsetp.eq.u32 %q, %v, 0;\n"
     "@%q bra TAKE;\nmembar.cta;\n@%n30 ld.shared.u32 %v, [%b];\nOUT:\n",
     {NULL}},
};

/* The body is line 42 of "source.cu". */
static char *module_of(const kernel_case *c, ww_str *out)
{
    ww_str_add(out, ".version 7.8\n.target sm_75\n.address_size 64\n.file 1 \"source.cu\"\n");
    ww_str_addf(out, ".visible .entry %s(.param .u64 p) {\n", c->name);
    ww_str_add(
        out,
        ".shared .align 8 .b8 s[256]; .local .align 8 .b8 depot[8];\n"
        ".reg .pred %w, %q, %t0, %n30; .reg .b32 %t, %v, %a, %b, %n, %l, %k;\n"
        ".reg .b64 %g, %x, %aw, %mine, %first;\n"
        "ld.param.u64 %g, [p]; mov.u32 %t, %tid.x; mov.u32 %a, s;\n"
        "shl.b32 %b, %t, 2; add.u32 %a, %a, %b; xor.b32 %b, %a, 128;\n"
        "setp.ge.u32 %w, %t, 32; setp.eq.u32 %t0, %t, 0; and.b32 %k, %t, 31;\n"
        "setp.lt.u32 %n30, %k, 30; mul.wide.u32 %mine, %k, 4; add.u64 %first, %g, "
        "%mine;\nmul.wide.u32 %mine, %t, 4; add.u64 %mine, %g, %mine; cvt.u64.u32 %aw, "
        "%a;\nmov.u32 %l, depot; add.u32 %l, %l, 4; mov.u32 %v, 0; mov.u64 %x, 0;\n.loc 1 42 3\n");
    ww_str_addf(out,
                "%s.loc 1 99 1\ncvt.u32.u64 %%k, %%x; add.u32 %%v, %%v, %%k;\n"
                "st.global.u32 [%%mine], %%v;\nret;\n}\n",
                c->body);
    return out->data;
}

typedef struct outcome {
    size_t findings;
    uint64_t accesses; /* of the first */
    char text[4000];   /* of all */
    ww_status status;
    ww_error err;
} outcome;

static outcome run_case(const kernel_case *c, ww_device_options options)
{
    outcome o = {0};
    ww_str text = {0};
    ww_arch *arch = NULL;
    ww_device *device = NULL;
    ww_module *module = NULL;
    ww_devptr p;
    uint32_t values[32] = {0};
    options.memcheck = true;
    assert_ok(ww_arch_load(WW_SOURCE_DIR "/configs/gpu/gtx480.xml", NULL, 0, &arch, &o.err), o.err);
    assert_ok(ww_device_create(arch, &options, &device, &o.err), o.err);
    const char *ptx = module_of(c, &text);
    assert_ok(ww_device_load_ptx(device, "case.ptx", ptx, text.len, &module, &o.err), o.err);
    assert_ok(ww_device_malloc(device, 256, &p, &o.err), o.err);
    assert_ok(ww_device_write(device, p, values, sizeof values, &o.err), o.err);
    const void *args[] = {&p};
    o.status = ww_device_launch(device, module, c->name, (ww_dim3){1, 1, 1}, (ww_dim3){64, 1, 1}, 0,
                                args, 1, &o.err);
    uint64_t more;
    const ww_finding *finding = ww_device_findings(device, &o.findings, &more);
    assert_int_equal(more, 0);
    for (size_t i = 0; i < o.findings; i++) {
        size_t used = strlen(o.text);
        snprintf(o.text + used, sizeof o.text - used, "%s\n", finding[i].text);
        o.accesses += i == 0 ? finding[i].count : 0;
    }
    ww_device_destroy(device);
    ww_arch_destroy(arch);
    ww_str_fini(&text);
    return o;
}

static void check_case(const kernel_case *c, ww_device_options options)
{
    outcome o = run_case(c, options);
    assert_ok(o.status, o.err);
    if ((o.findings > 0) != (c->found[0] != NULL)) {
        fail_msg("%s: %zu findings, %s", c->name, o.findings, o.text);
    }
    for (unsigned k = 0; k < 4 && c->found[k] != NULL; k++) {
        if (strstr(o.text, c->found[k]) == NULL) {
            fail_msg("%s: no '%s' in: %s", c->name, c->found[k], o.text);
        }
    }
    if (o.findings > 0 &&
        (strstr(o.text, "source.cu:42 (case.ptx:") != o.text || strstr(o.text, c->name) == NULL)) {
        fail_msg("%s: where? %s", c->name, o.text);
    }
}

static void without_time(void **state)
{
    (void)state;
    for (unsigned k = 0; k < WW_ARRAY_LEN(cases); k++) {
        check_case(&cases[k], (ww_device_options){.functional_only = true});
        check_case(&cases[k], (ww_device_options){.functional_only = true, .isa = WW_ISA_PTX});
    }
}

static void with_time(void **state)
{
    (void)state;
    for (unsigned k = 0; k < WW_ARRAY_LEN(cases); k++) {
        check_case(&cases[k], (ww_device_options){.threads = 2});
    }
}

/* These stop the kernel, and say where in the source. */
static void faults(void **state)
{
    (void)state;
    static const struct {
        const char *body, *found;
    } wrong[] = {
        {"ld.global.u32 %v, [%g+256];\n", "access out of bounds by ld of 4 bytes in global"},
        {"st.shared.u32 [s+256], %t;\n", "access out of bounds by st of 4 bytes in shared"},
        {"ld.local.u32 %v, [depot+4096];\n", "access out of bounds by ld of 4 bytes in local"},
        {"st.global.u32 [%g+2], %t;\n", "misaligned access by st of 4 bytes in global"},
        {"ld.shared.u64 %x, [s+4];\n", "misaligned access by ld of 8 bytes in shared"},
    };
    for (unsigned k = 0; k < WW_ARRAY_LEN(wrong); k++) {
        const kernel_case c = {.name = "fault", .body = wrong[k].body};
        outcome o = run_case(&c, (ww_device_options){.functional_only = true});
        if (o.status != WW_EFAULT) {
            fail_msg("%s ended with %d: %s", wrong[k].found, (int)o.status, o.err.what);
        }
        assert_non_null(strstr(o.err.what, wrong[k].found));
        assert_non_null(strstr(o.err.what, "source.cu:42"));
        assert_non_null(strstr(o.err.what, "thread (0,0,0)"));
    }
}

/* One place is one finding, however often; two places are two. */
static void counting(void **state)
{
    (void)state;
    const kernel_case both = {.name = "both",
                              .body = "ld.global.u32 %v, [%g+128];\n"
                                      "ld.volatile.global.u32 %t, [%g+132];\n"};
    outcome o = run_case(&both, (ww_device_options){.functional_only = true});
    assert_ok(o.status, o.err);
    assert_int_equal(o.findings, 2);
    assert_int_equal(o.accesses, 64); /* of the first, by every thread */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_time),
        cmocka_unit_test(with_time),
        cmocka_unit_test(faults),
        cmocka_unit_test(counting),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
