/* clusters.c - what the two CTAs of a cluster do to each other: addresses, barriers and mbarriers
 * of the other one, transactions, copies to both; fences of a cluster. */
#include "template.h"

enum { THREADS = 64, CTAS = 2 };

static uint32_t in[THREADS], out[CTAS * THREADS];

static uint32_t same(unsigned cta, unsigned t)
{
    return in[t] + cta;
}
/* What thread 63 - t of the other CTA brought, or of the same one. */
static uint32_t peers(unsigned cta, unsigned t)
{
    return in[63 - t] + (1 - cta);
}
static uint32_t own(unsigned cta, unsigned t)
{
    return in[63 - t] + cta;
}
static uint32_t rank_of_peer(unsigned cta, unsigned t)
{
    (void)t;
    return 10 * cta + 1 - cta;
}
static uint32_t of_both(unsigned cta, unsigned t) /* the first CTA's copy, in each */
{
    (void)cta;
    return in[t];
}

/* %r0: the input + rank; %r2: the result; %r3: s; %r4: bar, for 64 arrivals; %r10: rank, %r11: the
 * other one; %r12, %r13: s and bar of the other one; %r5: s[t], %r6: s[63 - t], %r7: the other's
 * s[t]. */
#define SYNC   "barrier.cluster.arrive; barrier.cluster.wait;\n"
#define WAIT   "W: mbarrier.try_wait.parity.shared.b64 %p2, [%r4], 0; @!%p2 bra W;\n"
#define AFTER  "$; mov.u32 %r2, %r0;"
#define RESULT "ld.shared.u32 %r2, [%r6];"
#define REMOTE(form, operands)                                                                     \
    {                                                                                              \
        form, "st.shared::cluster.u32 [%r7], %r0; $ " operands ";\n" WAIT RESULT, peers            \
    }
#define LOCAL(form, operands)                                                                      \
    {                                                                                              \
        form, "st.shared.u32 [%r5], %r0; $ " operands ";\n" WAIT RESULT, own                       \
    }
#define TESTS(form, operand)                                                                       \
    {                                                                                              \
        form,                                                                                      \
            "st.shared.u32 [%r5], %r0; mbarrier.arrive.shared.b64 %q20, [%r4];\n"                  \
            "W: $ %p2, [%r4], " operand "; @!%p2 bra W;\n" RESULT,                                 \
            own                                                                                    \
    }
/* 64 threads announce 4 bytes each, and store them in the other CTA. */
#define EXPECTS(form, address)                                                                     \
    {                                                                                              \
        form,                                                                                      \
            "$ [" address "], 4; mbarrier.arrive.shared.b64 _, [%r4];\n" SYNC                      \
            "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.u32 [%r7], %r0, "          \
            "[%r13];\n" WAIT RESULT,                                                               \
            peers                                                                                  \
    }

static const form_template rows[] = {
    {"barrier.cluster.arrive.release",
     "st.shared::cluster.u32 [%r7], %r0; $; barrier.cluster.wait.acquire; " RESULT, peers},
    {"barrier.cluster.wait.acquire",
     "st.shared::cluster.u32 [%r7], %r0; barrier.cluster.arrive.release; $; " RESULT, peers},
    {"mapa.u32", "$ %r8, %r5, %r11; st.shared::cluster.u32 [%r8], %r0;\n" SYNC RESULT, peers},
    {"getctarank.u32", "$ %r8, %r7; $ %r9, %r5; mad.lo.u32 %r2, %r9, 10, %r8;", rank_of_peer},
    {"getctarank.shared::cluster.u64",
     "cvt.u64.u32 %q20, %r7; cvt.u64.u32 %q21, %r5; $ %r8, %q20; $ %r9, %q21; mad.lo.u32 %r2, %r9, "
     "10, %r8;",
     rank_of_peer},
    REMOTE("mbarrier.arrive.relaxed.cluster.shared::cluster.b64", "_, [%r13]"),
    REMOTE("mbarrier.arrive.expect_tx.relaxed.cluster.shared::cluster.b64", "_, [%r13], 0"),
    LOCAL("mbarrier.arrive.relaxed.cluster.shared::cta.b64", "%q20, [%r4]"),
    LOCAL("mbarrier.arrive.relaxed.cta.shared::cta.b64", "%q20, [%r4], 1"),
    LOCAL("mbarrier.arrive.expect_tx.relaxed.cluster.shared::cta.b64", "%q20, [%r4], 0"),
    LOCAL("mbarrier.arrive.expect_tx.relaxed.cta.shared::cta.b64", "%q20, [%r4], 0"),
    {"cp.async.mbarrier.arrive.noinc.b64",
     "st.shared.u32 [%r5], %r0; cvt.u64.u32 %q20, %r4; cvta.shared.u64 %q20, %q20; $ [%q20];\n" WAIT
         RESULT,
     own},
    EXPECTS("mbarrier.expect_tx.relaxed.cluster.shared::cluster.b64", "%r13"),
    EXPECTS("mbarrier.expect_tx.relaxed.cta.shared::cluster.b64", "%r4"),
    EXPECTS("mbarrier.expect_tx.relaxed.cluster.shared::cta.b64", "%r4"),
    EXPECTS("mbarrier.expect_tx.relaxed.cta.shared::cta.b64", "%r4"),
    TESTS("mbarrier.test_wait.relaxed.cluster.shared::cta.b64", "%q20"),
    TESTS("mbarrier.test_wait.relaxed.cta.shared::cta.b64", "%q20"),
    TESTS("mbarrier.try_wait.relaxed.cluster.shared::cta.b64", "%q20, 100"),
    TESTS("mbarrier.try_wait.relaxed.cta.shared::cta.b64", "%q20"),
    TESTS("mbarrier.test_wait.parity.relaxed.cluster.shared::cta.b64", "0"),
    TESTS("mbarrier.test_wait.parity.relaxed.cta.shared::cta.b64", "0"),
    TESTS("mbarrier.try_wait.parity.relaxed.cluster.shared::cta.b64", "0, 100"),
    TESTS("mbarrier.try_wait.parity.relaxed.cta.shared::cta.b64", "0"),
    {"cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster",
     "setp.ne.u32 %p3, %t, 0; @%p3 bra ARRIVE; mbarrier.expect_tx.relaxed.cta.shared::cta.b64 "
     "[%r4], "
     "256;\nARRIVE: mbarrier.arrive.shared.b64 _, [%r4]; setp.ne.or.u32 %p3, %r10, 0, %p3; mov.u16 "
     "%h1, 3;\n" SYNC "@!%p3 $ [%r3], [%q0], 256, [%r4], %h1;\n" WAIT "ld.shared.u32 %r2, [%r5];",
     of_both},
    {"fence.acq_rel.cluster", AFTER, same},
    {"fence.acq_rel.cta", AFTER, same},
    {"fence.acq_rel.gpu", AFTER, same},
    {"fence.acq_rel.sys", AFTER, same},
    {"fence.sc.cluster", AFTER, same},
    {"fence.sc.gpu", AFTER, same},
    {"fence.sc.sys", AFTER, same},
    {"fence.acquire.cta", AFTER, same},
    {"fence.acquire.cluster", AFTER, same},
    {"fence.acquire.gpu", AFTER, same},
    {"fence.acquire.sys", AFTER, same},
    {"fence.release.cta", AFTER, same},
    {"fence.release.cluster", AFTER, same},
    {"fence.release.gpu", AFTER, same},
    {"fence.release.sys", AFTER, same},
    {"fence.acquire.sync_restrict::shared::cluster.cluster", AFTER, same},
    {"fence.release.sync_restrict::shared::cta.cluster", AFTER, same},
    {"fence.proxy.async.shared::cluster", AFTER, same},
    {"fence.proxy.async::generic.acquire.sync_restrict::shared::cluster.cluster", AFTER, same},
    {"fence.proxy.async::generic.release.sync_restrict::shared::cta.cluster", AFTER, same},
};

static const form_frame frame = {
    rows,
    WW_ARRAY_LEN(rows),
    ".shared .align 16 .b8 s[256]; .shared .align 8 .b64 bar;\n" FORM_BEGIN
    "mul.wide.u32 %q10, %t, 4; add.u64 %q11, %q0, %q10; ld.global.u32 %r0, [%q11]; mov.u32 "
    "%r10, %cluster_ctarank; add.u32 %r0, %r0, %r10; mov.u32 %r3, s; mov.u32 %r4, bar; "
    "xor.b32 %r11, %r10, 1; mapa.shared::cluster.u32 %r12, %r3, %r11; "
    "mapa.shared::cluster.u32 %r13, %r4, %r11; mad.lo.u32 %r5, %t, 4, %r3; mad.lo.u32 %r7, "
    "%t, 4, %r12; sub.u32 %r6, 63, %t; mad.lo.u32 %r6, %r6, 4, %r3;\n"
    "setp.ne.u32 %p1, %t, 0; @%p1 bra READY; mbarrier.init.shared.b64 [%r4], 64; "
    "fence.mbarrier_init.release.cluster;\nREADY: " SYNC,
    "\nmul.lo.u32 %r20, %r10, 256; cvt.u64.u32 %q12, %r20; add.u64 %q12, %q12, %q3; "
    "add.u64 %q12, %q12, %q10; st.global.u32 [%q12], %r2;\n" SYNC FORM_END,
    CTAS,
    THREADS,
    in,
    out};

FORM_FRAME_FAMILY(form_clusters, "clusters of two thread blocks", frame)
