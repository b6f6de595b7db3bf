/* Do the CTAs of a cluster reach each other's shared memory and meet at their barrier, in time and
 * without, as written and lowered, on one thread and several, for clusters of any size? */
#include <string.h>

#include "base/str.h"
#include "tests/support/hopper_fixture.h"

enum { THREADS = 64, WORDS = 8 };

/* What thread t of each CTA stores, WORDS words: what its neighbour stored into its own memory;
 * what it read of the rank before; the old value of an atomic at rank 0's counter, which is not the
 * same each time, and the counter's end; rank of an own and of a neighbour's address; the cluster's
 * number; bytes that a bulk copy brought; the phase that remote arrivals ended. */
static const char text[] =
    ".version 8.0\n.target sm_90\n.address_size 64\n"
    ".visible .entry ring(.param .u64 out)\n"
    "{\n.shared .align 16 .b8 s[1024]; .shared .align 16 .b8 c[1024]; .shared .align 8 .b64 bar;\n"
    ".shared .align 8 .b64 all; .shared .align 4 .b32 counter;\n"
    ".reg .pred %p<6>; .reg .b32 %r<40>; .reg .b64 %q<20>;\n"
    "ld.param.u64 %q0, [out]; mov.u32 %r0, %tid.x; mov.u32 %r1, %cluster_ctarank;\n"
    "mov.u32 %r2, %cluster_nctarank; mov.u32 %r3, s; mov.u32 %r4, counter;\n"
    "setp.ne.u32 %p0, %r0, 0; mov.u32 %r30, bar; mov.u32 %r31, all; mov.u32 %r32, c;\n"
    "@%p0 bra READY;\n"
    "st.shared.u32 [%r4], 0; mbarrier.init.shared.b64 [bar], 1; mbarrier.init.shared.b64 [all], "
    "%r2; fence.mbarrier_init.release.cluster;\n"
    "mbarrier.arrive.expect_tx.shared.b64 _, [bar], 256;\n"
    "READY: barrier.cluster.arrive; barrier.cluster.wait;\n"
    /* the next rank, and the one before */
    "add.u32 %r5, %r1, 1; rem.u32 %r5, %r5, %r2; add.u32 %r6, %r1, %r2; sub.u32 %r6, %r6, 1;\n"
    "rem.u32 %r6, %r6, %r2;\n"
    "mapa.shared::cluster.u32 %r7, %r3, %r5; mad.lo.u32 %r8, %r0, 4, %r7;\n"
    "mad.lo.u32 %r9, %r1, 1000, %r0; st.shared::cluster.u32 [%r8], %r9;\n"
    "mapa.shared::cluster.u32 %r10, %r4, 0; atom.shared::cluster.add.u32 %r11, [%r10], 1;\n"
    "barrier.cluster.arrive.release; mov.u32 %r33, 5; barrier.cluster.wait.acquire;\n"
    "mad.lo.u32 %r12, %r0, 4, %r3; ld.shared.u32 %r13, [%r12];\n"
    /* what the rank before got, through a generic address */
    "cvt.u64.u32 %q1, %r3; cvta.shared.u64 %q1, %q1; mapa.u64 %q2, %q1, %r6;\n"
    "mul.wide.u32 %q3, %r0, 4; add.u64 %q4, %q2, %q3; ld.u32 %r14, [%q4];\n"
    "ld.shared::cluster.u32 %r15, [%r10];\n"
    "getctarank.shared::cluster.u32 %r16, %r3; getctarank.u64 %r17, %q2;\n"
    "mad.lo.u32 %r16, %r16, 100, %r17;\n"
    "mov.u32 %r18, %clusterid.x; mov.u32 %r19, %nclusterid.x; mad.lo.u32 %r18, %r19, 100, %r18;\n"
    /* bulk copy of 256 bytes to the next rank, arrivals at all ranks' second barrier */
    "mapa.shared::cluster.u32 %r20, %r32, %r5; mapa.shared::cluster.u32 %r21, %r30, %r5;\n"
    "fence.proxy.async;\n"
    "@!%p0 cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%r20], [%r3], "
    "256, [%r21];\n"
    "setp.ge.u32 %p1, %r0, %r2; @%p1 bra WAIT;\n"
    "mapa.shared::cluster.u32 %r22, %r31, %r0;\n"
    "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r22];\n"
    "WAIT: mbarrier.try_wait.parity.shared.b64 %p2, [bar], 0; @!%p2 bra WAIT;\n"
    "ALL: mbarrier.try_wait.parity.shared.b64 %p3, [all], 0; @!%p3 bra ALL;\n"
    "mad.lo.u32 %r23, %r0, 4, %r32; ld.shared.u32 %r24, [%r23];\n"
    "selp.u32 %r25, 7, 0, %p3;\n"
    "mov.u32 %r26, %ctaid.x; mad.lo.u32 %r26, %r26, 64, %r0; mul.wide.u32 %q5, %r26, 32;\n"
    "add.u64 %q6, %q0, %q5;\n"
    "st.global.v4.u32 [%q6], {%r13, %r14, %r11, %r15}; st.global.v4.u32 [%q6+16], {%r16, %r18, "
    "%r24, %r25};\n"
    "barrier.cluster.arrive; barrier.cluster.wait; ret;\n}\n";

static void check_ring(hopper *m, unsigned grid, unsigned size, ww_devptr out)
{
    static uint32_t got[64 * THREADS][WORDS];
    bool seen[64][16 * THREADS] = {{false}};
    assert_ok(ww_device_read(m->device, got, out, (size_t)grid * THREADS * sizeof *got, &m->err),
              m->err);
    for (unsigned i = 0; i < grid * THREADS; i++) {
        unsigned cta = i / THREADS, t = i % THREADS, rank = cta % size, cluster = cta / size;
        unsigned before = (rank + size - 1) % size, earlier = (before + size - 1) % size;
        assert_int_equal(got[i][0], before * 1000 + t);
        assert_int_equal(got[i][1], earlier * 1000 + t);
        assert_true(got[i][2] < size * THREADS && !seen[cluster][got[i][2]]);
        seen[cluster][got[i][2]] = true;
        assert_int_equal(got[i][3], size * THREADS);
        assert_int_equal(got[i][4], rank * 100 + before);
        assert_int_equal(got[i][5], grid / size * 100 + cluster);
        assert_int_equal(got[i][6], earlier * 1000 + t);
        assert_int_equal(got[i][7], 7);
    }
}

static void clusters_of_many_sizes_reach_each_other(void **state)
{
    (void)state;
    static const unsigned sizes[] = {1, 2, 3, 8, 16};
    for (unsigned v = 0; v < 4; v++) {
        hopper m;
        ww_devptr out;
        hopper_open(&m, text, v & 1, v & 2, 1);
        assert_ok(ww_device_malloc(m.device, 64 * THREADS * WORDS * 4, &out, &m.err), m.err);
        for (unsigned k = 0; k < sizeof sizes / sizeof *sizes; k++) {
            unsigned grid = 48 / sizes[k] * sizes[k];
            assert_ok(hopper_launch(&m, "ring", grid, THREADS, sizes[k], out), m.err);
            check_ring(&m, grid, sizes[k], out);
        }
        hopper_close(&m);
    }
}

/* Same cycles, same bytes. */
static void threads_change_nothing(void **state)
{
    (void)state;
    static uint32_t got[3][48 * THREADS][WORDS];
    uint64_t cycles[3];
    for (unsigned k = 0; k < 3; k++) {
        hopper m;
        ww_devptr out;
        hopper_open(&m, text, true, false, 1u << k);
        assert_ok(ww_device_malloc(m.device, sizeof got[k], &out, &m.err), m.err);
        assert_ok(hopper_launch(&m, "ring", 48, THREADS, 3, out), m.err);
        cycles[k] = m.cycles;
        assert_ok(ww_device_read(m.device, got[k], out, sizeof got[k], &m.err), m.err);
        hopper_close(&m);
        assert_true(cycles[k] == cycles[0]);
        assert_memory_equal(got[k], got[0], sizeof got[k]);
    }
}

/* Every cluster lies in one GPC, of GPCs of 14, 16 and 18 SMs; those of 15 and 16 CTAs, one on an
 * SM, not in the first, as an H800 PCIe's did not (HPMLL, NVIDIA-Hopper-Benchmark, DSM log). */
static void clusters_stay_in_a_gpc(void **state)
{
    (void)state;
    static const char ptx[] =
        ".version 8.0\n.target sm_90\n.address_size 64\n"
        ".visible .entry where(.param .u64 out)\n{\n.shared .align 16 .b8 s[135168];\n"
        ".reg .b32 %r<4>; .reg .b64 %q<4>;\n"
        "ld.param.u64 %q0, [out]; mov.u32 %r0, %ctaid.x; mov.u32 %r1, %smid;\n"
        "mul.wide.u32 %q1, %r0, 4; add.u64 %q1, %q0, %q1; st.shared.u32 [s], %r0;\n"
        "st.global.u32 [%q1], %r1; ret;\n}\n";
    static const unsigned sizes[] = {2, 3, 14, 15, 16};
    enum { CTAS = 240 };
    uint32_t sm[CTAS];
    hopper m = {0};
    ww_devptr out;
    assert_ok(ww_arch_load("h800-pcie", NULL, 0, &m.arch, &m.err), m.err);
    const ww_device_options options = {.isa = WW_ISA_LOWERED, .threads = 1};
    assert_ok(ww_device_create(m.arch, &options, &m.device, &m.err), m.err);
    assert_ok(ww_device_load_ptx(m.device, "c.ptx", ptx, strlen(ptx), &m.module, &m.err), m.err);
    assert_ok(ww_device_malloc(m.device, sizeof sm, &out, &m.err), m.err);
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        const unsigned size = sizes[k], ctas = CTAS / size * size;
        uint32_t gpcs = 0;
        assert_ok(hopper_launch(&m, "where", ctas, 1, size, out), m.err);
        assert_ok(ww_device_read(m.device, sm, out, ctas * sizeof *sm, &m.err), m.err);
        for (unsigned i = 0; i < ctas; i++) {
            const uint32_t gpc = ww_arch_cluster_of(m.arch, sm[i]);
            assert_int_equal(gpc, ww_arch_cluster_of(m.arch, sm[i / size * size]));
            gpcs |= 1u << gpc;
        }
        assert_int_equal(gpcs & 1, size <= 14);
        assert_int_equal(gpcs >> 1, 0x3f); /* all others are used */
    }
    hopper_close(&m);
}

static void refused(hopper *m, const char *kernel, unsigned grid, unsigned cluster,
                    const char *words)
{
    assert_int_equal(hopper_launch(m, kernel, grid, THREADS, cluster, 0), WW_ERANGE);
    if (strstr(m->err.what, words) == NULL) {
        fail_msg("'%s' lacks '%s'", m->err.what, words);
    }
}

static void clusters_must_fit(void **state)
{
    (void)state;
    static const char ptx[] =
        ".version 8.0\n.target sm_90\n.address_size 64\n"
        ".visible .entry pair(.param .u64 p) .reqnctapercluster 2, 1, 1 { ret; }\n"
        ".visible .entry few(.param .u64 p) .maxclusterrank 4 { ret; }\n"
        ".visible .entry any(.param .u64 p) { ret; }\n";
    hopper m;
    hopper_open(&m, ptx, true, true, 1);
    assert_ok(hopper_launch(&m, "pair", 4, THREADS, 0, 0), m.err);
    assert_ok(hopper_launch(&m, "pair", 4, THREADS, 2, 0), m.err);
    refused(&m, "pair", 4, 4, ".reqnctapercluster");
    refused(&m, "pair", 3, 0, "divide the grid");
    refused(&m, "few", 8, 8, "at most 4 CTAs");
    refused(&m, "any", 34, 17, "at most 16 CTAs");
    assert_ok(hopper_launch(&m, "any", 30, THREADS, 15, 0), m.err);
    hopper_close(&m);
}

/* One wrong access each: it is found where it stands. */
static void wrong_accesses_are_located(void **state)
{
    (void)state;
    static const struct {
        const char *body, *words;
    } rows[] = {
        {"mapa.shared::cluster.u32 %r1, %r0, 5; st.shared::cluster.u32 [%r1], 1;",
         "names CTA 5 of a cluster of 2"},
        {"mapa.shared::cluster.u32 %r1, %r0, 1; st.shared::cluster.u32 [%r1+64], 1;",
         "out of bounds"},
        {"mapa.shared::cluster.u32 %r1, %r0, 1; ld.shared::cluster.u32 %r2, [%r1+2]; "
         "st.shared.u32 [%r0], %r2;",
         "misaligned"},
        {"mapa.shared::cluster.u32 %r1, %r0, 1; mbarrier.test_wait.parity.shared.b64 %p0, [%r1], "
         "0;",
         "of another CTA"},
        {"barrier.cluster.arrive; barrier.cluster.arrive;", "second barrier.cluster.arrive"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        for (unsigned v = 0; v < 2; v++) {
            ww_str ptx = {0};
            hopper m;
            ww_str_addf(&ptx,
                        ".version 8.0\n.target sm_90\n.address_size 64\n"
                        ".visible .entry k(.param .u64 p) {\n.shared .align 16 .b8 s[64];\n"
                        ".reg .b32 %%r<9>; .reg .pred %%p<2>; mov.u32 %%r0, s;\n"
                        "mov.u32 %%r5, %%cluster_ctarank; setp.ne.u32 %%p1, %%r5, 0;\n"
                        "@%%p1 bra END;\n%s\nEND: barrier.cluster.arrive; barrier.cluster.wait; "
                        "ret;\n}\n",
                        rows[i].body);
            hopper_open(&m, ww_str_text(&ptx), true, v == 1, 1);
            ww_status st = hopper_launch(&m, "k", 2, THREADS, 2, 0);
            if (st == WW_OK || m.err.line != 9 || strstr(m.err.what, rows[i].words) == NULL) {
                fail_msg("'%s' in time %d: status %d, line %d: %s", rows[i].body, v == 0, (int)st,
                         m.err.line, m.err.what);
            }
            hopper_close(&m);
            ww_str_fini(&ptx);
        }
    }
}

/* A rank that never arrives is named. */
static void a_missing_rank_is_reported(void **state)
{
    (void)state;
    static const char ptx[] =
        ".version 8.0\n.target sm_90\n.address_size 64\n"
        ".visible .entry k(.param .u64 p) {\n.reg .b32 %r<3>; .reg .pred %p<2>;\n"
        "mov.u32 %r1, %cluster_ctarank; setp.eq.u32 %p1, %r1, 2;\n"
        "@%p1 bra LATE; barrier.cluster.arrive; barrier.cluster.wait; ret;\n"
        "LATE: mov.u32 %r2, %tid.x; shr.u32 %r2, %r2, 5; bar.sync %r2, 64; barrier.cluster.arrive; "
        "barrier.cluster.wait; ret;\n}\n";
    for (unsigned v = 0; v < 2; v++) {
        hopper m;
        hopper_open(&m, ptx, true, v == 1, 1);
        assert_int_equal(hopper_launch(&m, "k", 4, THREADS, 4, 0), WW_EDEADLOCK);
        if (strstr(m.err.what, "the cluster's barrier; not there: rank 2 (2 warps)") == NULL) {
            fail_msg("%s", m.err.what);
        }
        hopper_close(&m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clusters_of_many_sizes_reach_each_other),
        cmocka_unit_test(threads_change_nothing),
        cmocka_unit_test(clusters_stay_in_a_gpc),
        cmocka_unit_test(clusters_must_fit),
        cmocka_unit_test(wrong_accesses_are_located),
        cmocka_unit_test(a_missing_rank_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
