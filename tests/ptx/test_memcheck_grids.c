/* Does memcheck find a launch with programmatic stream serialization that reads or overwrites what
 * the grid before it has in hand, without griddepcontrol.wait, and is it silent about launches that
 * wait, that may not begin early, or that touch what the other never did? */
#include "base/str.h"
#include "tests/support/hopper_fixture.h"

enum { CTAS = 3, THREADS = 64, WORDS = CTAS * THREADS, BYTES = 8 * WORDS, MOST = 4 };

/* Of each kernel; %q0: the buffer, two halves of a word for each thread, a and, 768 bytes behind,
 * b; %q1: the thread's word of a; %q2: that of the thread with the mirrored number in its CTA. */
#define HEAD                                                                                       \
    "(.param .u64 p)\n{\n.shared .align 16 .b8 s[256]; .shared .align 8 .b64 bar;\n"               \
    ".reg .pred %p<4>; .reg .b32 %r<9>; .reg .b64 %q<6>;\n"                                        \
    "mov.u32 %r0, %tid.x; mov.u32 %r1, %ctaid.x; mad.lo.u32 %r2, %r1, 64, %r0;\n"                  \
    "setp.ne.u32 %p0, %r0, 0; setp.gt.u32 %p1, %r0, 31; setp.ne.u32 %p2, %r1, 0;\n"                \
    "ld.param.u64 %q0, [p]; mul.wide.u32 %q1, %r2, 4; add.u64 %q1, %q1, %q0;\n"                    \
    "xor.b32 %r3, %r0, 63; mad.lo.u32 %r3, %r1, 64, %r3; mul.wide.u32 %q2, %r3, 4;\n"              \
    "add.u64 %q2, %q2, %q0; mov.u32 %r4, 7; mov.u32 %r5, 0;\n"
#define LAUNCH  "griddepcontrol.launch_dependents;\n"
#define WAIT    "griddepcontrol.wait;\n"
#define READ_A  "ld.global.u32 %r5, [%q2];\n"
#define WRITE_A "st.global.u32 [%q1], %r2;\n"
#define WRITE_B "st.global.u32 [%q1+768], %r5;\n"
#define ADD_A   "red.global.add.u32 [%q1], 1;\n"

static const struct {
    const char *name, *body;
} kernels[] = {
    /* first ones */
    {"writes", LAUNCH WRITE_A},
    {"writes_silent", WRITE_A},
    {"reads", LAUNCH READ_A WRITE_B},
    {"reads_silent", READ_A WRITE_B},
    {"reads_some", "@%p2 " LAUNCH "@!%p2 " READ_A},
    {"adds", LAUNCH ADD_A},
    {"writes_bytes", LAUNCH "st.global.u8 [%q1], %r2;\n"},
    {"flags", LAUNCH WRITE_A "bar.sync 0;\n@%p0 bra OUT;\n"
                             "st.release.gpu.global.u32 [%q0+1532], %r4;\nOUT:\n"},
    /* between two */
    {"passes", LAUNCH},
    {"waits_and_passes", WAIT LAUNCH},
    {"passes_and_waits", LAUNCH WAIT},
    /* last ones */
    {"read", READ_A WRITE_B},
    {"read_behind", WAIT READ_A WRITE_B},
    {"overwrite", WRITE_A},
    {"overwrite_behind", WAIT WRITE_A},
    {"elsewhere", WRITE_B},
    {"add", ADD_A WAIT},
    {"read_bytes", "ld.global.u8 %r5, [%q1+1];\n" WAIT WRITE_B},
    {"too_late", READ_A WAIT WRITE_B},
    {"one_warp", "@%p1 bra MEET;\n" WAIT "MEET: bar.sync 0;\n" READ_A WRITE_B},
    {"one_warp_alone", "@%p1 bra GO;\n" WAIT "GO:\n" READ_A WRITE_B},
    {"polls", "L: ld.acquire.gpu.global.u32 %r6, [%q0+1532]; setp.ne.u32 %p3, %r6, 7; @%p3 bra "
              "L;\n" READ_A},
    {"copies", "@%p0 bra OUT;\nmov.u32 %r6, s; mov.u32 %r7, bar;\n"
               "mbarrier.init.shared.b64 [%r7], 1; fence.mbarrier_init.release.cluster;\n"
               "mbarrier.arrive.expect_tx.shared.b64 _, [%r7], 128;\n"
               "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r6], [%q0], "
               "128, [%r7];\n"
               "L: mbarrier.try_wait.parity.shared.b64 %p3, [%r7], 0; @!%p3 bra L;\nOUT:\n"},
};

static char *module_text(ww_str *out)
{
    ww_str_add(out, ".version 8.0\n.target sm_90a\n.address_size 64\n");
    for (size_t k = 0; k < WW_ARRAY_LEN(kernels); k++) {
        ww_str_addf(out, ".visible .entry %s%s%sret;\n}\n", kernels[k].name, HEAD, kernels[k].body);
    }
    return out->data;
}

typedef struct launch_case {
    const char *kernel[MOST]; /* NULL: no more */
    bool orderly;             /* the last may not begin early */
    const char *found[4];     /* parts of the findings' text; none: there is no finding */
} launch_case;

static const launch_case cases[] = {
    {{"writes", "read"},
     false,
     {"kernel read (launch 1): RAW hazard in global memory", "ld of 4 bytes by thread (0,0,0) of",
      "st by thread (63,0,0) of CTA (0,0,0) of kernel writes (launch 0) at c.ptx:",
      "no griddepcontrol.wait"}},
    {{"writes", "read"}, true, {NULL}},
    {{"writes", "read_behind"}, false, {NULL}},
    {{"writes", "elsewhere"}, false, {NULL}},
    {{"writes", "too_late"}, false, {"kernel too_late (launch 1): RAW hazard"}},
    {{"writes", "overwrite"},
     false,
     {"kernel overwrite (launch 1): WAW hazard", "st of 4 bytes by thread (0,0,0)"}},
    {{"writes", "overwrite_behind"}, false, {NULL}},
    {{"writes", "one_warp"}, false, {NULL}},
    {{"writes", "one_warp_alone"},
     false,
     {"kernel one_warp_alone", "ld of 4 bytes by thread (32,0,0)"}},
    {{"writes", "copies"}, false, {"kernel copies", "RAW hazard", "cp.async.bulk of"}},
    /* Its writes are seen behind the wait alone, though nothing begins before its end. */
    {{"writes_silent", "read"}, false, {"RAW hazard", "kernel writes_silent (launch 0)"}},
    {{"writes_silent", "read_behind"}, false, {NULL}},
    /* What has been read has been read by its end. */
    {{"reads", "overwrite"},
     false,
     {"kernel overwrite (launch 1): WAR hazard", "kernel reads (launch 0)"}},
    {{"reads", "overwrite_behind"}, false, {NULL}},
    {{"reads_silent", "overwrite"}, false, {NULL}},
    {{"reads_some", "overwrite"}, false, {NULL}},
    {{"reads", "read"}, false, {"WAW hazard"}},
    {{"reads_silent", "elsewhere"}, false, {"WAW hazard"}},
    {{"adds", "add"}, false, {NULL}},
    {{"adds", "read"}, false, {"RAW hazard", "red by thread"}},
    {{"writes_bytes", "read_bytes"}, false, {NULL}},
    {{"writes_bytes", "read"}, false, {"RAW hazard"}},
    {{"flags", "polls"}, false, {NULL}},
    {{"flags", "read"}, false, {"RAW hazard"}},
    /* Of the grids before those before it: whether they have ended. */
    {{"writes", "passes", "read"},
     false,
     {"kernel read (launch 2): RAW hazard", "kernel writes (launch 0)"}},
    {{"writes", "passes_and_waits", "read"}, false, {"kernel read (launch 2): RAW hazard"}},
    {{"writes", "passes_and_waits", "read_behind"}, false, {NULL}},
    {{"writes", "waits_and_passes", "read"}, false, {NULL}},
    {{"writes", "waits_and_passes", "passes", "overwrite"}, false, {NULL}},
    {{"writes", "passes", "passes", "overwrite"},
     false,
     {"WAW hazard", "kernel writes (launch 0)"}},
};

static void open_zeroed(hopper *m, ww_device_options options, ww_devptr *p)
{
    static const uint32_t zero[BYTES / 4];
    ww_str text = {0};
    options.memcheck = true;
    hopper_open_with(m, module_text(&text), options);
    assert_ok(ww_device_malloc(m->device, BYTES, p, &m->err), m->err);
    assert_ok(ww_device_write(m->device, *p, zero, sizeof zero, &m->err), m->err);
    ww_str_fini(&text);
}

static void launch_all(hopper *m, const launch_case *c, ww_devptr p)
{
    static const uint32_t number[MOST] = {0, 1, 2, 3};
    const void *args[] = {&p};
    ww_launch_request list[MOST];
    size_t n = 0;
    for (; n < MOST && c->kernel[n] != NULL; n++) {
        list[n] = (ww_launch_request){.module = m->module,
                                      .kernel = c->kernel[n],
                                      .grid = {CTAS, 1, 1},
                                      .block = {THREADS, 1, 1},
                                      .args = args,
                                      .arg_count = 1,
                                      .after = n > 0 ? &number[n - 1] : NULL,
                                      .after_count = n > 0,
                                      .early = n > 0};
    }
    list[n - 1].early = !c->orderly;
    assert_ok(ww_device_launch_concurrent(m->device, list, n, &m->err), m->err);
}

static void check_case(const launch_case *c, ww_device_options options)
{
    hopper m;
    ww_devptr p;
    char all[6000] = "";
    size_t count;
    uint64_t more;
    open_zeroed(&m, options, &p);
    launch_all(&m, c, p);
    const ww_finding *finding = ww_device_findings(m.device, &count, &more);
    for (size_t i = 0; i < count; i++) {
        size_t used = strlen(all);
        snprintf(all + used, sizeof all - used, "%s\n", finding[i].text);
    }
    if ((count > 0) != (c->found[0] != NULL)) {
        fail_msg("%s, %s: %zu findings: %s", c->kernel[0], c->kernel[1], count, all);
    }
    for (unsigned k = 0; k < 4 && c->found[k] != NULL; k++) {
        if (strstr(all, c->found[k]) == NULL) {
            fail_msg("%s, %s: no '%s' in: %s", c->kernel[0], c->kernel[1], c->found[k], all);
        }
    }
    hopper_close(&m);
}

static void without_time(void **state)
{
    (void)state;
    for (size_t k = 0; k < WW_ARRAY_LEN(cases); k++) {
        check_case(&cases[k], (ww_device_options){.functional_only = true});
        check_case(&cases[k], (ww_device_options){.functional_only = true, .isa = WW_ISA_PTX});
    }
}

static void with_time(void **state)
{
    (void)state;
    for (size_t k = 0; k < WW_ARRAY_LEN(cases); k++) {
        check_case(&cases[k], (ww_device_options){.threads = 2});
    }
}

/* What was under way has ended when the next list begins. */
static void lists_follow_each_other(void **state)
{
    (void)state;
    static const launch_case first = {{"writes", "elsewhere"}, false, {NULL}};
    static const launch_case second = {{"read", "elsewhere"}, true, {NULL}};
    hopper m;
    ww_devptr p;
    size_t count;
    uint64_t more;
    open_zeroed(&m, (ww_device_options){.functional_only = true}, &p);
    launch_all(&m, &first, p);
    launch_all(&m, &second, p);
    (void)ww_device_findings(m.device, &count, &more);
    assert_int_equal(count, 0);
    hopper_close(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_time),
        cmocka_unit_test(with_time),
        cmocka_unit_test(lists_follow_each_other),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
