/* Does memcheck find each race with an engine, a product's registers or another CTA of a cluster
 * at its place, and is it silent about the same kernel without the fault? */
#include "isa/tensor_map.h"
#include "tests/support/hopper_fixture.h"

enum { THREADS = 128, MAP_BYTES = 128, DATA = 1024, BYTES = 4096 };

/* What every thread does; %r0: its number, %p0: it is not thread 0, %p1: not of warp 0; %r1: s,
 * %r2: s[4 * thread], %q0: the buffer, a tensor map with 256 words behind it. Line 11. */
typedef struct kernel_case {
    const char *name;
    unsigned cluster;
    const char *body;
    const char *found[3]; /* parts of the findings' text; none: there is no finding */
} kernel_case;

#define HEAD                                                                                       \
    ".version 8.0\n.target sm_90a\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n"        \
    ".shared .align 1024 .b8 s[4096]; .shared .align 8 .b64 bar[4];\n"                             \
    ".reg .b32 %r<30>; .reg .b64 %q<9>; .reg .f32 %f<5>; .reg .pred %p<6>;\n"                      \
    "mov.u32 %r0, %tid.x; setp.ne.u32 %p0, %r0, 0; setp.gt.u32 %p1, %r0, 31; mov.u32 %r1, s;\n"    \
    "mad.lo.u32 %r2, %r0, 4, %r1; ld.param.u64 %q0, [p]; mov.u32 %r9, 0;\n"                        \
    "mov.u32 %r3, 0; mov.u32 %r8, 0; mul.wide.u32 %q5, %r0, 4; add.u64 %q5, %q5, %q0;\n"
#define TAIL "\nadd.u32 %r3, %r3, %r8; st.global.u32 [%q5+3072], %r3; ret;\n}\n"

/* ---- tiles: 128 bytes to s (bar) and to s + 128 (bar + 8); bar + 16: three warps are done ---- */

#define INIT                                                                                       \
    "@%p0 bra READY; mbarrier.init.shared.b64 [bar], 1; mbarrier.init.shared.b64 [bar+8], 1; "     \
    "mbarrier.init.shared.b64 [bar+16], 96; mbarrier.init.shared.b64 [bar+24], 1; "                \
    "fence.mbarrier_init.release.cluster; READY: bar.sync 0; "
#define LOAD(to, bar)                                                                              \
    "@!%p0 mbarrier.arrive.expect_tx.shared.b64 _, [" bar "], 128; @!%p0 "                         \
    "cp.async.bulk.tensor.1d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [" to        \
    "], [%q0, {%r9}], [" bar "]; "
#define WAIT(label, bar, parity)                                                                   \
    label ": mbarrier.try_wait.parity.shared.b64 %p2, [" bar "], " parity "; @!%p2 bra " label ";" \
          " "
#define READ       "setp.lt.u32 %p3, %r0, 64; @%p3 ld.shared.u32 %r3, [%r2]; "
#define READ_FIRST "setp.lt.u32 %p3, %r0, 32; @%p3 ld.shared.u32 %r3, [%r2]; "
#define TAKE_FIRST                                                                                 \
    "mad.lo.u32 %r6, %r0, 4, %r1; sub.u32 %r6, %r6, 128; setp.lt.u32 %p3, %r0, 64; @%p3 "          \
    "ld.shared.u32 %r3, [%r6]; "
#define CONSUMERS "@!%p1 bra PRODUCER; "
#define FREE      "mbarrier.arrive.shared.b64 _, [bar+16]; bra OUT; "

/* ---- products: A, 64 x 16, at s, and B, 8 x 16, at s + 2048, D in %f0 to %f3 ---- */

#define STORE                                                                                      \
    "mad.lo.u32 %r4, %r0, 16, %r1; mov.u32 %r5, 0x3c003c00; st.shared.v4.u32 [%r4], {%r5, %r5, "   \
    "%r5, %r5}; st.shared.v4.u32 [%r4+2048], {%r5, %r5, %r5, %r5}; "
#define DESCRIBE                                                                                   \
    "cvt.u64.u32 %q1, %r1; shr.u64 %q1, %q1, 4; or.b64 %q1, %q1, 0x1000080000; add.u64 %q2, %q1, " \
    "128; mov.f32 %f0, 0f00000000; mov.f32 %f1, %f0; mov.f32 %f2, %f0; mov.f32 %f3, %f0; "
#define MULTIPLY                                                                                   \
    "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0, %f1, %f2, %f3}, %q1, %q2, 1, 1, 1, "  \
    "0, 0; "
#define ORDER  "wgmma.fence.sync.aligned; "
#define COMMIT "wgmma.commit_group.sync.aligned; "
#define ENDED  "wgmma.wait_group.sync.aligned 0; "
#define USE                                                                                        \
    "mul.wide.u32 %q3, %r0, 16; add.u64 %q3, %q3, %q0; st.global.v4.f32 [%q3+1024], {%f0, %f1, "   \
    "%f2, %f3}; "
#define FENCE "fence.proxy.async; bar.sync 0; "

/* ---- clusters of two ---- */

#define MEET "barrier.cluster.arrive; barrier.cluster.wait; "
#define OTHER                                                                                      \
    "mov.u32 %r6, %cluster_ctarank; xor.b32 %r6, %r6, 1; mapa.shared::cluster.u32 %r7, %r2, %r6; "
#define GIVE "st.shared::cluster.u32 [%r7], %r0; "
#define TAKE "ld.shared.u32 %r8, [%r2]; "

static const kernel_case cases[] = {
    {"tile", 0, INIT LOAD("s", "bar") WAIT("L", "bar", "0") READ_FIRST, {NULL}},
    {"tile not waited for",
     0,
     INIT LOAD("s", "bar") "bar.sync 0; " READ_FIRST,
     {"RAW hazard", "before it, cp.async.bulk.tensor by thread (0,0,0)",
      "no wait for its end between them"}},
    {"tiles of two barriers",
     0,
     INIT LOAD("s", "bar") LOAD("s+128", "bar+8") WAIT("L", "bar", "0") WAIT("M", "bar+8", "0")
         READ,
     {NULL}},
    {"the other tile's barrier",
     0,
     INIT LOAD("s", "bar") LOAD("s+128", "bar+8") WAIT("L", "bar", "0") READ,
     {"RAW hazard", "ld of 4 bytes by thread (32,0,0)"}},
    {"stage used again",
     0,
     INIT LOAD("s", "bar") CONSUMERS WAIT("L", "bar", "0") TAKE_FIRST FREE
     "PRODUCER: @%p0 bra OUT; " WAIT("M", "bar+16", "0") LOAD("s", "bar") "OUT:",
     {NULL}},
    {"stage used again too early",
     0,
     INIT LOAD("s", "bar") LOAD("s+128", "bar+8") CONSUMERS WAIT("L", "bar+8", "0") READ FREE
     "PRODUCER: @%p0 bra OUT; " LOAD("s+128", "bar+24") "OUT:",
     {"hazard", "cp.async.bulk.tensor"}},
    {"stored tile",
     0,
     STORE FENCE "@!%p0 cp.async.bulk.tensor.1d.global.shared::cta.tile.bulk_group [%q0, {%r9}], "
                 "[s]; @!%p0 cp.async.bulk.commit_group; @!%p0 cp.async.bulk.wait_group.read 0; "
                 "bar.sync 0; st.shared.u32 [%r2], %r0;",
     {NULL}},
    {"stored without fence",
     0,
     STORE "bar.sync 0; @!%p0 cp.async.bulk.tensor.1d.global.shared::cta.tile.bulk_group [%q0, "
           "{%r9}], [s];",
     {"missing proxy fence", "cp.async.bulk.tensor of 16 bytes by thread (0,0,0)",
      "before it, st by thread"}},
    {"stored, not waited for",
     0,
     STORE FENCE "@!%p0 cp.async.bulk.tensor.1d.global.shared::cta.tile.bulk_group [%q0, {%r9}], "
                 "[s]; @!%p0 cp.async.bulk.commit_group; bar.sync 0; st.shared.u32 [%r2], %r0;",
     {"WAR hazard", "before it, cp.async.bulk.tensor", "no wait for its end"}},
    {"product", 0, STORE DESCRIBE FENCE ORDER MULTIPLY MULTIPLY COMMIT ENDED USE, {NULL}},
    {"product of older groups",
     0,
     STORE DESCRIBE FENCE ORDER MULTIPLY COMMIT COMMIT "wgmma.wait_group.sync.aligned 1; " USE,
     {NULL}},
    {"product without proxy fence",
     0,
     STORE DESCRIBE "bar.sync 0; " ORDER MULTIPLY COMMIT ENDED USE,
     {"missing proxy fence", "wgmma.mma_async", "no fence.proxy.async behind the store"}},
    {"operand overwritten",
     0,
     STORE DESCRIBE FENCE ORDER MULTIPLY COMMIT "st.shared.u32 [%r2+2048], %r0; " ENDED USE,
     {"WAR hazard", "before it, wgmma.mma_async", "no wait for its end"}},
    {"operand overwritten behind the wait",
     0,
     STORE DESCRIBE FENCE ORDER MULTIPLY COMMIT ENDED
     "bar.sync 0; st.shared.u32 [%r2+2048], %r0; " USE,
     {NULL}},
    {"accumulator in flight",
     0,
     STORE DESCRIBE FENCE ORDER MULTIPLY COMMIT USE ENDED,
     {"is an accumulator of wgmma's group 1, which has not been waited for", "st by thread ("}},
    {"registers without fence",
     0,
     STORE DESCRIBE FENCE MULTIPLY COMMIT ENDED USE,
     {"has been used since the last wgmma.fence", "wgmma.mma_async by thread ("}},
    {"registers set behind the fence",
     0,
     STORE DESCRIBE FENCE ORDER
     "mov.f32 %f1, 0f00000000; mov.f32 %f0, %f1; " MULTIPLY COMMIT ENDED USE,
     {NULL}},
    {"registers computed behind the fence",
     0,
     STORE DESCRIBE FENCE ORDER "add.f32 %f0, %f1, %f2; " MULTIPLY COMMIT ENDED USE,
     {"has been used since the last wgmma.fence", "wgmma.mma_async by thread ("}},
    {"registers set between products",
     0,
     STORE DESCRIBE FENCE ORDER MULTIPLY COMMIT ENDED USE
     "mov.f32 %f0, 0f3f800000; " MULTIPLY COMMIT ENDED USE,
     {"has been used since the last wgmma.fence", "wgmma.mma_async by thread ("}},
    {"given to another CTA", 2, OTHER MEET GIVE MEET TAKE, {NULL}},
    {"given, barrier apart",
     2,
     OTHER MEET GIVE "barrier.cluster.arrive; add.u32 %r9, %r9, 1; barrier.cluster.wait; " TAKE,
     {NULL}},
    {"given without a barrier",
     2,
     OTHER MEET GIVE "bar.sync 0; " TAKE "st.shared.u32 [%r2], %r8; " MEET,
     {"hazard in shared memory", "of rank", "nothing that orders them"}},
    {"read of a CTA that ends",
     2,
     OTHER "st.shared.u32 [%r2], %r0; " MEET "ld.shared::cluster.u32 %r8, [%r7];",
     {"exit of a CTA of a cluster", "no barrier of the cluster before the CTA's end"}},
    {"read before the last barrier",
     2,
     OTHER "st.shared.u32 [%r2], %r0; " MEET "ld.shared::cluster.u32 %r8, [%r7]; " MEET,
     {NULL}},
};

/* Two warp groups, of which the first has put the operands there. */
static const kernel_case groups[] = {
    {"operand of the other group overwritten",
     0,
     "setp.gt.u32 %p4, %r0, 127; @%p4 bra FILLED; " STORE
     "FILLED: " DESCRIBE FENCE ORDER MULTIPLY COMMIT "bar.sync 0; @%p4 bra OTHERS; " ENDED
     "st.shared.u32 [%r2+2048], %r0; "
     "OTHERS: " ENDED,
     {"WAR hazard", "before it, wgmma.mma_async by thread (", "no wait for its end"}},
    {"operand of the other group overwritten behind both waits",
     0,
     "setp.gt.u32 %p4, %r0, 127; @%p4 bra FILLED; " STORE
     "FILLED: " DESCRIBE FENCE ORDER MULTIPLY COMMIT ENDED
     "bar.sync 0; @%p4 bra OTHERS; st.shared.u32 [%r2+2048], %r0; OTHERS: ",
     {NULL}},
};

static void write_buffer(hopper *m, ww_devptr p)
{
    static unsigned char bytes[BYTES];
    const ww_tensor_map map = {.address = p + DATA,
                               .type = WW_TENSOR_F32,
                               .rank = 1,
                               .dim = {256},
                               .stride = {4},
                               .box = {32},
                               .step = {1}};
    assert_null(ww_tensor_map_problem(&map));
    ww_tensor_map_encode(&map, bytes);
    assert_ok(ww_device_write(m->device, p, bytes, sizeof bytes, &m->err), m->err);
}

static void check_case(const kernel_case *c, unsigned threads, ww_device_options options)
{
    hopper m;
    ww_devptr p;
    char ptx[4000], all[6000] = "";
    size_t count;
    uint64_t more;
    options.memcheck = true;
    snprintf(ptx, sizeof ptx, "%s%s%s", HEAD, c->body, TAIL);
    hopper_open_with(&m, ptx, options);
    assert_ok(ww_device_malloc(m.device, BYTES, &p, &m.err), m.err);
    write_buffer(&m, p);
    ww_status st = hopper_launch(&m, "k", c->cluster > 0 ? c->cluster : 1, threads, c->cluster, p);
    if (st == WW_EFAULT && c->found[0] != NULL && strstr(m.err.what, "which has ended") != NULL) {
        hopper_close(&m); /* it was gone already when the other one looked, which is an error */
        return;
    }
    assert_ok(st, m.err);
    const ww_finding *finding = ww_device_findings(m.device, &count, &more);
    for (size_t i = 0; i < count; i++) {
        size_t used = strlen(all);
        snprintf(all + used, sizeof all - used, "%s\n", finding[i].text);
    }
    if ((count > 0) != (c->found[0] != NULL)) {
        fail_msg("%s: %zu findings: %s", c->name, count, all);
    }
    for (unsigned k = 0; k < 3 && c->found[k] != NULL; k++) {
        if (strstr(all, c->found[k]) == NULL) {
            fail_msg("%s: no '%s' in: %s", c->name, c->found[k], all);
        }
    }
    if (count > 0 && strstr(all, "c.ptx:1") != all) {
        fail_msg("%s: where? %s", c->name, all);
    }
    hopper_close(&m);
}

static void without_time(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        check_case(&cases[k], THREADS, (ww_device_options){.functional_only = true});
        check_case(&cases[k], THREADS,
                   (ww_device_options){.functional_only = true, .isa = WW_ISA_PTX});
    }
}

static void with_time(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        check_case(&cases[k], THREADS, (ww_device_options){.threads = 2});
    }
}

static void groups_wait_for_their_own_products(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof groups / sizeof *groups; k++) {
        check_case(&groups[k], 2 * THREADS, (ww_device_options){.functional_only = true});
        check_case(&groups[k], 2 * THREADS, (ww_device_options){.threads = 2});
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_time),
        cmocka_unit_test(with_time),
        cmocka_unit_test(groups_wait_for_their_own_products),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
