/* cluster.c - what a cluster of one thread block defines, hints, and operations of a whole warp
 * that newer machines have. */
#include "template.h"

enum { THREADS = 64 };

static uint32_t in[THREADS], out[THREADS];

static uint32_t same(unsigned cta, unsigned t)
{
    (void)cta;
    return in[t];
}
static uint32_t zero(unsigned cta, unsigned t)
{
    (void)cta;
    (void)t;
    return 0;
}
static uint32_t other(unsigned cta, unsigned t) /* what thread 63 - t brought */
{
    (void)cta;
    return in[63 - t];
}
/* Of members 0x00f0ff00, in the warps' lanes that take part: the lowest is lane 8. */
static uint32_t elected(unsigned cta, unsigned t)
{
    (void)cta;
    return 8 * 100 + (t % 32 == 8);
}
static uint32_t elected_odd(unsigned cta, unsigned t)
{
    (void)cta;
    return t % 2 == 0 ? 7 : 100 + (t % 32 == 1);
}
/* Lane l holds elements 2 (l % 4) and the next of row l / 4 of its warp's matrix. */
static uint32_t transposed(unsigned cta, unsigned t)
{
    (void)cta;
    unsigned warp = t / 32 * 32, lane = t % 32, r[2] = {0};
    for (unsigned k = 0; k < 2; k++) {
        unsigned row_ = lane % 4 * 2 + k, column = lane / 4;
        r[k] = in[warp + row_ * 4 + column / 2] >> 16 * (column % 2) & 0xffff;
    }
    return r[0] | r[1] << 16;
}
static uint32_t pending(unsigned cta,
                        unsigned t) /* states of arrivals with 64, 63, ... pending: their sum */
{
    (void)cta;
    (void)t;
    return 64 * 65 / 2;
}

/* %r0: the input; %r2: the result; s: 256 bytes of shared memory; %q11: where the input lies. */
#define MEET                                                                                       \
    "mul.lo.u32 %r3, %t, 4; mov.u32 %r4, s; add.u32 %r5, %r4, %r3; st.shared.u32 [%r5], %r0;\n"    \
    "barrier.cluster.arrive.release; barrier.cluster.wait.acquire;\n"                              \
    "sub.u32 %r6, 252, %r3; add.u32 %r6, %r6, %r4; ld.shared.u32 %r2, [%r6];\n"
#define AFTER "$; mov.u32 %r2, %r0;"
#define POLICY(form)                                                                               \
    {                                                                                              \
        form, "$ %q20, 0.5; ld.global.L2::cache_hint.u32 %r2, [%q11], %q20;", same                 \
    }
#define LOAD(form)                                                                                 \
    {                                                                                              \
        form, "createpolicy.fractional.L2::evict_last.b64 %q20; $ %r2, [%q11], %q20;", same        \
    }

static const form_template rows[] = {
    {"mapa.shared::cluster.u32",
     "mov.u32 %r3, s; st.shared.u32 [s], 5; bar.sync 0; $ %r4, %r3, 0; mad.lo.u32 %r4, %t, 4, %r4; "
     "bar.sync 0; st.shared::cluster.u32 [%r4], %r0; bar.sync 0; sub.u32 %r6, 63, %t; mad.lo.u32 "
     "%r6, %r6, 4, %r3; ld.shared::cluster.u32 %r2, [%r6];",
     other},
    {"mapa.shared::cluster.u64",
     "mov.u64 %q20, s; mov.u32 %r3, %cluster_ctarank; $ %q21, %q20, %r3; sub.u64 %q22, %q21, %q20; "
     "cvt.u32.u64 %r2, %q22; shr.u32 %r2, %r2, 24; sub.u32 %r2, %r2, 1;",
     zero},
    {"mapa.u64",
     "mov.u64 %q20, s; cvta.shared.u64 %q20, %q20; $ %q21, %q20, 0; mul.wide.u32 %q22, %t, 4; "
     "add.u64 %q21, %q21, %q22; st.u32 [%q21], %r0; bar.sync 0; xor.b64 %q22, %q22, 252; mov.u32 "
     "%r3, s; cvt.u32.u64 %r4, %q22; add.u32 %r3, %r3, %r4; ld.shared.u32 %r2, [%r3];",
     other},
    {"getctarank.shared::cluster.u32", "mov.u32 %r3, s; $ %r2, %r3;", zero},
    {"getctarank.u64", "mov.u64 %q20, s; cvta.shared.u64 %q20, %q20; $ %r2, %q20;", zero},
    {"elect.sync", "$ %r3|%p2, 0x00f0ff00; selp.u32 %r4, 1, 0, %p2; mad.lo.u32 %r2, %r3, 100, %r4;",
     elected},
    {"barrier.cluster.arrive", MEET, other},
    {"barrier.cluster.arrive.release.aligned", MEET, other},
    {"barrier.cluster.arrive.relaxed", MEET, other},
    {"barrier.cluster.wait", MEET, other},
    {"barrier.cluster.wait.acquire.aligned", MEET, other},
    {"movmatrix.sync.aligned.m8n8.trans.b16", "$ %r2, %r0;", transposed},
    POLICY("createpolicy.fractional.L2::evict_last.b64"),
    POLICY("createpolicy.fractional.L2::evict_first.L2::evict_unchanged.b64"),
    {"createpolicy.range.global.L2::evict_last.b64",
     "$ %q20, [%q11], 32, 64; ld.global.L2::cache_hint.u32 %r2, [%q11], %q20;", same},
    LOAD("ld.global.L2::cache_hint.u32"),
    LOAD("ld.global.L1::evict_last.L2::cache_hint.b32"),
    LOAD("ld.global.nc.L1::no_allocate.L2::cache_hint.u32"),
    {"st.global.L2::cache_hint.u32",
     "mov.u64 %q20, 0; mul.wide.u32 %q12, %t, 4; add.u64 %q12, %q12, %q3; $ [%q12], %r0, %q20; "
     "ld.global.u32 %r2, [%q12];",
     same},
    {"atom.global.L2::cache_hint.add.u32",
     "mov.u64 %q20, 0; $ %r3, [%q11], 3, %q20; ld.global.u32 %r2, [%q11]; sub.u32 %r2, %r2, 3;",
     same},
    {"red.global.L2::cache_hint.add.u32",
     "mov.u64 %q20, 0; $ [%q11], 3, %q20; ld.global.u32 %r2, [%q11]; sub.u32 %r2, %r2, 3;", same},
    {"discard.global.L2", "@%p9 $ [%q3], 128; mov.u32 %r2, %r0;", same},
    {"applypriority.global.L2::evict_normal", "$ [%q3], 128; mov.u32 %r2, %r0;", same},
    {"prefetch.global.L2::evict_last", "$ [%q11]; mov.u32 %r2, %r0;", same},
    {"prefetch.global.L2::evict_normal", "$ [%q11]; mov.u32 %r2, %r0;", same},
    {"setmaxnreg.inc.sync.aligned.u32", "$ 128; mov.u32 %r2, %r0;", same},
    {"setmaxnreg.dec.sync.aligned.u32", "$ 24; mov.u32 %r2, %r0;", same},
    {"griddepcontrol.wait", AFTER, same},
    {"griddepcontrol.launch_dependents", AFTER, same},
    {"prefetch.tensormap", "$ [%q11]; mov.u32 %r2, %r0;", same},
    {"prefetch.param.tensormap", "mov.u64 %q20, 0; $ [%q20]; mov.u32 %r2, %r0;", same},
    {"prefetch.const.tensormap", "mov.u64 %q20, 0; $ [%q20]; mov.u32 %r2, %r0;", same},
    {"pmevent", "$ 3; mov.u32 %r2, %r0;", same},
    {"pmevent.mask", "$ 5; mov.u32 %r2, %r0;", same},
    {"fence.proxy.alias", AFTER, same},
    {"fence.proxy.async", AFTER, same},
    {"fence.proxy.async.global", AFTER, same},
    {"fence.proxy.async.shared::cta", AFTER, same},
    {"fence.mbarrier_init.release.cluster", AFTER, same},
    {"isspacep.shared::cluster",
     "mov.u64 %q20, s; cvta.shared::cluster.u64 %q20, %q20; $ %p2, %q20; $ %p3, %q11; selp.u32 "
     "%r2, 0, 1, %p2; @%p3 add.u32 %r2, %r2, 1;",
     zero},
    {"atom.shared::cluster.add.u32",
     "mov.u32 %r3, s; mad.lo.u32 %r3, %t, 4, %r3; st.shared.u32 [%r3], %r0; $ %r4, [%r3], 1; "
     "ld.shared.u32 %r5, [%r3]; sub.u32 %r5, %r5, %r4; sub.u32 %r5, %r5, 1; add.u32 %r2, %r4, %r5;",
     same},
    {"mbarrier.pending_count.b64",
     "setp.ne.u32 %p2, %t, 0; @%p2 bra GO; mbarrier.init.shared.b64 [s], 64; st.shared.u32 [s+8], "
     "0;\nGO: bar.sync 0; mbarrier.arrive.shared.b64 %q20, [s]; $ %r3, %q20; red.shared.add.u32 "
     "[s+8], %r3; bar.sync 0; ld.shared.u32 %r2, [s+8];",
     pending},
    {"elect.sync",
     "and.b32 %r3, %t, 1; setp.eq.u32 %p2, %r3, 0; mov.u32 %r2, 7; @%p2 bra END; $ "
     "%r3|%p3, 0xaaaaaaaa; selp.u32 %r4, 1, 0, %p3; mad.lo.u32 %r2, %r3, 100, %r4;",
     elected_odd},
};

static const form_frame frame = {
    rows,
    WW_ARRAY_LEN(rows),
    ".shared .align 16 .b8 s[256];\n" FORM_BEGIN
    "mul.wide.u32 %q10, %t, 4; add.u64 %q11, %q0, %q10; ld.global.u32 %r0, "
    "[%q11]; setp.ne.u32 %p9, 0, 0;\n",
    "\nEND: add.u64 %q12, %q3, %q10; st.global.u32 [%q12], %r2;\n" FORM_END,
    1,
    THREADS,
    in,
    out};

FORM_FRAME_FAMILY(form_cluster, "clusters of one thread block, hints", frame)
