/* test_cluster_product.c - does a product as kernels of Hopper make it come out right, in time and
 * without, on any number of threads, and clean under --memcheck, which finds what is left out of it
 * at its line? A cluster of two CTAs, each with
 * rows of A of its own; B, which both need, is fetched by halves and multicast. A producer gives
 * its registers back and fills stages; a warp group that has taken them multiplies what is there
 * and tells both producers when a stage is free. */
#include <string.h>

#include "base/str.h"
#include "tests/support/bits.h"
#include "tests/support/hopper_fixture.h"

enum {
    CLUSTERS = 3,
    TILES = 11, /* along K, of 16 */
    STAGES = 3,
    SIDE = 64,            /* rows of A and columns of B of a CTA */
    TILE = SIDE * 16 * 2, /* bytes */
    CTAS = 2 * CLUSTERS,
    A_AT = 0,
    B_AT = CTAS * TILES * TILE,
    D_AT = B_AT + CLUSTERS * TILES * TILE,
    ALL = D_AT + CTAS * SIDE * SIDE * 4
};

/* On to the next tile and stage; the parity changes with each round of stages. */
static void add_next(ww_str *s, const char *label)
{
    ww_str_addf(s,
                "add.u32 %%r6, %%r6, 1; add.u32 %%r7, %%r7, 1;\n"
                "setp.eq.u32 %%p3, %%r7, %d; selp.u32 %%r17, 1, 0, %%p3;\n"
                "xor.b32 %%r8, %%r8, %%r17; selp.u32 %%r7, 0, %%r7, %%p3;\n"
                "setp.lt.u32 %%p4, %%r6, %d; @%%p4 bra %s;\n",
                STAGES, TILES, label);
}

static void add_kernel(ww_str *s)
{
    ww_str_addf(
        s,
        ".version 8.0\n.target sm_90a\n.address_size 64\n"
        ".visible .entry product(.param .u64 p) .maxntid 256 .minnctapersm 1\n"
        "{\n.shared .align 128 .b8 s[%d]; .shared .align 8 .b8 full[%d]; .shared .align 8 .b8 "
        "empty[%d];\n"
        ".reg .pred %%p<8>; .reg .b16 %%h<2>; .reg .b32 %%r<40>; .reg .b64 %%q<16>; .reg .f32 "
        "%%f<32>;\n"
        "ld.param.u64 %%q0, [p]; mov.u32 %%r0, %%tid.x; mov.u32 %%r1, %%cluster_ctarank;\n"
        "mov.u32 %%r2, %%ctaid.x; mov.u32 %%r3, s; mov.u32 %%r4, full; mov.u32 %%r5, empty;\n"
        "setp.ne.u32 %%p0, %%r0, 0; @%%p0 bra READY;\n",
        STAGES * 2 * TILE, STAGES * 8, STAGES * 8);
    for (int i = 0; i < STAGES; i++) {
        ww_str_addf(s,
                    "mbarrier.init.shared.b64 [%%r4+%d], 1; mbarrier.init.shared.b64 [%%r5+%d], "
                    "2;\n",
                    8 * i, 8 * i);
    }
    ww_str_addf(
        s,
        "fence.mbarrier_init.release.cluster;\n"
        "READY: barrier.cluster.arrive; barrier.cluster.wait;\n"
        "mov.u32 %%r6, 0; mov.u32 %%r7, 0; mov.u32 %%r8, 0;\n" /* tile, stage, parity */
        "setp.ge.u32 %%p1, %%r0, 128; @%%p1 bra CONSUMER;\n"
        "setmaxnreg.dec.sync.aligned.u32 40; @%%p0 bra END;\n"
        "mul.wide.u32 %%q1, %%r2, %d; add.u64 %%q1, %%q0, %%q1;\n" /* A */
        "shr.u32 %%r9, %%r2, 1; mul.wide.u32 %%q2, %%r9, %d; add.u64 %%q2, %%q2, %%q0;\n"
        "mul.wide.u32 %%q3, %%r1, %d; add.u64 %%q2, %%q2, %%q3; add.u64 %%q2, %%q2, %d;\n" /* B */
        "mov.u32 %%r10, 3; cvt.u16.u32 %%h0, %%r10;\n"
        "FILL: shl.b32 %%r11, %%r7, 3; add.u32 %%r12, %%r5, %%r11; add.u32 %%r13, %%r4, %%r11;\n"
        "xor.b32 %%r14, %%r8, 1;\n"
        "FREE: mbarrier.try_wait.parity.shared.b64 %%p2, [%%r12], %%r14; @!%%p2 bra FREE;\n"
        "mbarrier.arrive.expect_tx.shared.b64 _, [%%r13], %d;\n"
        "mad.lo.u32 %%r15, %%r7, %d, %%r3; mad.lo.u32 %%r16, %%r1, %d, %%r15;\n"
        "add.u32 %%r16, %%r16, %d;\n"
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%%r15], [%%q1], %d, "
        "[%%r13];\n"
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster "
        "[%%r16], [%%q2], %d, [%%r13], %%h0;\n"
        "add.u64 %%q1, %%q1, %d; add.u64 %%q2, %%q2, %d;\n",
        TILES * TILE, TILES * TILE, TILE / 2, B_AT, 2 * TILE, 2 * TILE, TILE / 2, TILE, TILE,
        TILE / 2, TILE, TILE);
    add_next(s, "FILL");
    ww_str_addf(s, "bra END;\nCONSUMER: setmaxnreg.inc.sync.aligned.u32 232;\n"
                   "sub.u32 %%r20, %%r0, 128; setp.lt.u32 %%p5, %%r20, 2; and.b32 %%r21, %%r20, "
                   "1;\nsetp.eq.u32 %%p6, %%r0, %%r0;\n");
    for (int i = 0; i < 32; i++) {
        ww_str_addf(s, "mov.f32 %%f%d, 0f00000000;\n", i);
    }
    ww_str_addf(s,
                "TAKE: shl.b32 %%r11, %%r7, 3; add.u32 %%r12, %%r5, %%r11; add.u32 %%r13, %%r4, "
                "%%r11;\n"
                "THERE: mbarrier.try_wait.parity.shared.b64 %%p2, [%%r13], %%r8; @!%%p2 bra "
                "THERE;\n"
                "mad.lo.u32 %%r15, %%r7, %d, %%r3; shr.u32 %%r16, %%r15, 4; cvt.u64.u32 %%q4, "
                "%%r16;\n"
                /* core matrices of 128 B: the next along K 128 B on, the next rows 256 */
                "or.b64 %%q4, %%q4, 0x1000080000; add.u64 %%q5, %%q4, %d;\n"
                "wgmma.fence.sync.aligned;\n"
                "wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 {",
                2 * TILE, TILE / 16);
    for (int i = 0; i < 32; i++) {
        ww_str_addf(s, "%s%%f%d", i > 0 ? ", " : "", i);
    }
    ww_str_addf(s, "}, %%q4, %%q5, %%p6, 1, 1, 0, 0;\nwgmma.commit_group.sync.aligned;\n"
                   "wgmma.wait_group.sync.aligned 0;\n"
                   "mapa.shared::cluster.u32 %%r22, %%r12, %%r21;\n"
                   "@%%p5 mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%%r22];\n");
    add_next(s, "TAKE");
    /* row 16 w + l / 4 (+ 8), column 8 (i / 4) + 2 (l mod 4) + i mod 2 */
    ww_str_addf(s,
                "shr.u32 %%r23, %%r20, 5; and.b32 %%r24, %%r20, 31; shr.u32 %%r25, %%r24, 2;\n"
                "mad.lo.u32 %%r25, %%r23, 16, %%r25; and.b32 %%r26, %%r24, 3;\n"
                "mul.lo.u32 %%r27, %%r25, %d; mad.lo.u32 %%r27, %%r26, 8, %%r27;\n"
                "mad.lo.u32 %%r27, %%r2, %d, %%r27; cvt.u64.u32 %%q6, %%r27; add.u64 %%q6, %%q6, "
                "%%q0;\n",
                SIDE * 4, SIDE * SIDE * 4);
    for (int i = 0; i < 32; i += 2) {
        ww_str_addf(s, "st.global.v2.f32 [%%q6+%d], {%%f%d, %%f%d};\n",
                    D_AT + i / 4 * 32 + i / 2 % 2 * 8 * SIDE * 4, i, i + 1);
    }
    ww_str_addf(s, "END: barrier.cluster.arrive; barrier.cluster.wait; ret;\n}\n");
}

static int value(int matrix, int row, int k)
{
    return (matrix * 7 + row * 5 + k * 3 + row * k) % 9 - 4;
}

/* A tile as core matrices: eight rows of 16 B, two along K. */
static void lay_tile(unsigned char *to, int matrix, int tile)
{
    for (int row = 0; row < SIDE; row++) {
        for (int k = 0; k < 16; k++) {
            const uint16_t half = bf16_of((float)value(matrix, row, 16 * tile + k)); /* exact */
            memcpy(to + row % 8 * 16 + row / 8 * 256 + k / 8 * 128 + k % 8 * 2, &half, 2);
        }
    }
}

static void check(const float *d)
{
    for (int cta = 0; cta < CTAS; cta++) {
        for (int row = 0; row < SIDE; row++) {
            for (int column = 0; column < SIDE; column++) {
                int sum = 0;
                for (int k = 0; k < 16 * TILES; k++) {
                    sum += value(cta, row, k) * value(100 + cta / 2, column, k);
                }
                assert_true(d[(cta * SIDE + row) * SIDE + column] == (float)sum);
            }
        }
    }
}

/* Fills the buffer of a kernel that is loaded, and runs it. */
static ww_status launch(hopper *m, ww_devptr *p)
{
    static unsigned char bytes[ALL];
    for (int t = 0; t < TILES; t++) {
        for (int cta = 0; cta < CTAS; cta++) {
            lay_tile(bytes + A_AT + (cta * TILES + t) * TILE, cta, t);
        }
        for (int c = 0; c < CLUSTERS; c++) {
            lay_tile(bytes + B_AT + (c * TILES + t) * TILE, 100 + c, t);
        }
    }
    assert_ok(ww_device_malloc(m->device, ALL, p, &m->err), m->err);
    assert_ok(ww_device_write(m->device, *p, bytes, sizeof bytes, &m->err), m->err);
    return hopper_launch(m, "product", CTAS, 256, 2, *p);
}

static uint64_t run(ww_device_options options)
{
    static float d[CTAS * SIDE * SIDE];
    ww_str ptx = {0};
    hopper m;
    ww_devptr p;
    add_kernel(&ptx);
    hopper_open_with(&m, ww_str_text(&ptx), options);
    assert_ok(launch(&m, &p), m.err);
    assert_ok(ww_device_read(m.device, d, p + D_AT, sizeof d, &m.err), m.err);
    check(d);
    if (options.memcheck) {
        size_t count;
        uint64_t more;
        const ww_finding *finding = ww_device_findings(m.device, &count, &more);
        if (count != 0) {
            fail_msg("%s", finding[0].text);
        }
    }
    const uint64_t cycles = m.cycles;
    hopper_close(&m);
    ww_str_fini(&ptx);
    return cycles;
}

static void a_product_comes_out_right(void **state)
{
    (void)state;
    (void)run((ww_device_options){.functional_only = true, .isa = WW_ISA_PTX});
    (void)run((ww_device_options){.functional_only = true, .isa = WW_ISA_LOWERED});
    const uint64_t cycles = run((ww_device_options){.threads = 1, .isa = WW_ISA_LOWERED});
    assert_true(run((ww_device_options){.threads = 2, .isa = WW_ISA_LOWERED}) == cycles);
    assert_true(run((ww_device_options){.threads = 4, .isa = WW_ISA_LOWERED}) == cycles);
}

static void memcheck_is_silent(void **state)
{
    (void)state;
    (void)run(
        (ww_device_options){.functional_only = true, .memcheck = true, .isa = WW_ISA_LOWERED});
    (void)run((ww_device_options){.threads = 1, .memcheck = true, .isa = WW_ISA_LOWERED});
}

/* What a kernel's author forgets: `from` becomes `to`, and what is wrong is found where `at`
 * stands, with those words. */
typedef struct fault {
    const char *from, *to, *at, *found;
} fault;

#define FULL    "THERE: mbarrier.try_wait.parity.shared.b64 %p2, [%r13], %r8; @!%p2 bra THERE;"
#define PRODUCT "wgmma.mma_async.sync.aligned.m64n64k16"
#define WAIT    "wgmma.wait_group.sync.aligned 0;"
#define TELL                                                                                       \
    "mapa.shared::cluster.u32 %r22, %r12, %r21;\n@%p5 "                                            \
    "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r22];"
#define COPY "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r15]"
#define MEET "END: barrier.cluster.arrive; barrier.cluster.wait; ret;"

static const fault faults[] = {
    {FULL, "", PRODUCT, "RAW hazard"},               /* a tile before its phase */
    {WAIT "\n" TELL, TELL WAIT, COPY, "WAR hazard"}, /* a stage is free too early */
    {"wgmma.fence.sync.aligned;", "", PRODUCT, "has been used since the last wgmma.fence"},
    {WAIT, "", "st.global.v2.f32", "is an accumulator of wgmma's group"},
    {MEET, "END: ret;", "END: ret;", "no barrier of the cluster before the CTA's end"},
};

static int line_of(const char *text, const char *what)
{
    const char *end = strstr(text, what);
    int line = 1;
    assert_non_null(end);
    for (; text < end; text++) {
        line += *text == '\n';
    }
    return line;
}

static void check_fault(const fault *f, ww_device_options options)
{
    ww_str right = {0}, wrong = {0};
    hopper m;
    ww_devptr p;
    char where[40];
    bool there = false;
    add_kernel(&right);
    const char *text = ww_str_text(&right), *from = strstr(text, f->from);
    assert_non_null(from);
    ww_str_addf(&wrong, "%.*s%s%s", (int)(from - text), text, f->to, from + strlen(f->from));
    snprintf(where, sizeof where, "c.ptx:%d:", line_of(ww_str_text(&wrong), f->at));
    options.memcheck = true;
    hopper_open_with(&m, ww_str_text(&wrong), options);
    const ww_status st = launch(&m, &p);
    size_t count;
    uint64_t more;
    const ww_finding *finding = ww_device_findings(m.device, &count, &more);
    for (size_t i = 0; i < count; i++) {
        there |= strncmp(finding[i].text, where, strlen(where)) == 0 &&
                 strstr(finding[i].text, f->found) != NULL;
    }
    if (!there) {
        fail_msg("without '%s': no '%s' at %s: %zu findings, first %s; %s", f->from, f->found,
                 where, count, count > 0 ? finding[0].text : "none", st == WW_OK ? "" : m.err.what);
    }
    hopper_close(&m);
    ww_str_fini(&right);
    ww_str_fini(&wrong);
}

static void memcheck_finds_what_is_left_out(void **state)
{
    (void)state;
    for (size_t i = 0; i < WW_ARRAY_LEN(faults); i++) {
        check_fault(&faults[i], (ww_device_options){.functional_only = true});
        check_fault(&faults[i],
                    (ww_device_options){.threads = 1, .isa = WW_ISA_LOWERED, .max_cycles = 40000});
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_product_comes_out_right),
        cmocka_unit_test(memcheck_is_silent),
        cmocka_unit_test(memcheck_finds_what_is_left_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
