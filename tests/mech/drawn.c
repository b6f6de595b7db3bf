/* drawn.c - see drawn.h. In the text: %r1 tid.x, %r2 tid.y, %r3 ctaid.x, %r4 linear index, %r5 n,
 * %r6 x, %r7 y, %r8 the innermost loop's count or 1, %r10 on: loop counts; %f1 the sum; %rd1 a,
 * %rd2 and %rd3 the thread's words of out. */
#include "tests/mech/drawn.h"

typedef struct drawer {
    ww_str *out;
    uint64_t state;
    unsigned labels;
} drawer;

/* Where statements stand. */
typedef struct place {
    unsigned depth;
    unsigned loop;  /* label behind the innermost loop; 0: none */
    unsigned count; /* register of its count */
    bool bars;      /* all threads that are left come here */
} place;

static uint32_t draw(drawer *d, uint32_t below)
{
    d->state = d->state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(d->state >> 33) % below;
}

/* %p1: a condition on indices, on values, or one that no thread meets. */
static void condition(drawer *d)
{
    ww_str *o = d->out;
    switch (draw(d, 12)) {
    case 0:
    case 1:
        ww_str_addf(o, "setp.lt.s32 %%p1, %%r1, %u;\n", 1 + draw(d, 15));
        break;
    case 2:
        ww_str_addf(o, "setp.eq.s32 %%p1, %%r1, %u;\n", draw(d, 16));
        break;
    case 3:
    case 4:
        ww_str_addf(o, "setp.gt.s32 %%p1, %%r2, %u;\n", 1 + draw(d, 15));
        break;
    case 5:
        ww_str_addf(o, "add.s32 %%r30, %%r1, %%r2;\nsetp.gt.s32 %%p1, %%r30, %u;\n",
                    8 + draw(d, 20));
        break;
    case 6:
        ww_str_addf(o, "shr.u32 %%r30, %%r4, 5;\nsetp.eq.s32 %%p1, %%r30, %u;\n", draw(d, 8));
        break;
    case 7:
        ww_str_addf(o, "setp.gt.u32 %%p1, %%r4, %u;\n", 10 + draw(d, 240));
        break;
    case 8:
        ww_str_add(o, "setp.lt.s32 %p1, %r5, 0;\n");
        break;
    case 9:
        ww_str_addf(o, "and.b32 %%r30, %%r6, 3;\nsetp.eq.s32 %%p1, %%r30, %u;\n", draw(d, 4));
        break;
    case 10:
        ww_str_addf(o, "setp.gt.f32 %%p1, %%f1, 0f%s;\n", draw(d, 2) > 0 ? "00000000" : "3F800000");
        break;
    default:
        ww_str_addf(o, "setp.gt.u32 %%p1, %%r3, %u;\n", draw(d, 3));
    }
}

/* %f1 += a[index in %r30, which is below DRAWN_COUNT] */
static void add_loaded(ww_str *o)
{
    ww_str_add(o, "mul.wide.u32 %rd4, %r30, 4;\nadd.s64 %rd4, %rd1, %rd4;\n"
                  "ld.global.f32 %f2, [%rd4];\nadd.f32 %f1, %f1, %f2;\n");
}

static void compute(drawer *d, const place *p)
{
    ww_str *o = d->out;
    switch (draw(d, 9)) {
    case 0:
        ww_str_addf(o,
                    "mad.lo.s32 %%r6, %%r6, 2, %%r1;\nadd.s32 %%r6, %%r6, %%r%u;\n"
                    "and.b32 %%r6, %%r6, 1023;\n",
                    p->count);
        break;
    case 1:
        ww_str_addf(o, "mad.lo.s32 %%r30, %%r%u, 3, %%r6;\nrem.u32 %%r30, %%r30, %%r5;\n",
                    p->count);
        add_loaded(o);
        break;
    case 2:
        ww_str_add(o, "add.s32 %r6, %r6, 2;\n");
        break;
    case 3:
        ww_str_add(o, "mad.lo.s32 %r30, %r3, 7, %r1;\nadd.s32 %r30, %r30, %r1;\n");
        add_loaded(o);
        break;
    case 4:
        ww_str_add(o, "add.s32 %r7, %r7, %r1;\nand.b32 %r7, %r7, 255;\n");
        break;
    case 5:
        ww_str_add(o, "mov.u32 %r30, %r7;\n");
        add_loaded(o);
        break;
    case 6:
        ww_str_add(o, "add.s32 %r6, %r6, %r2;\nand.b32 %r6, %r6, 1023;\n");
        break;
    case 7:
        ww_str_add(o, "and.b32 %r30, %r6, 7;\ncvt.rn.f32.u32 %f2, %r30;\nadd.f32 %f1, %f1, %f2;\n");
        break;
    default:
        ww_str_add(o, "st.global.f32 [%rd3], %f1;\nxor.b32 %r7, %r7, 5;\n");
    }
}

static void statements(drawer *d, place p, unsigned count);

static void leave(drawer *d)
{
    const unsigned on = ++d->labels;
    condition(d);
    ww_str_addf(d->out, "@!%%p1 bra L%u;\nst.global.f32 [%%rd2], %%f1;\nret;\nL%u:\n", on, on);
}

static void choose(drawer *d, place p)
{
    const unsigned other = ++d->labels, end = ++d->labels;
    const place inside = {p.depth + 1, p.loop, p.count, false};
    condition(d);
    ww_str_addf(d->out, "@!%%p1 bra L%u;\n", other);
    statements(d, inside, 1 + draw(d, 3));
    ww_str_addf(d->out, "bra L%u;\nL%u:\n", end, other);
    if (draw(d, 2) > 0) {
        statements(d, inside, 1 + draw(d, 2));
    }
    ww_str_addf(d->out, "L%u:\n", end);
}

static void loop(drawer *d, place p, bool meets, unsigned count)
{
    const unsigned again = ++d->labels, end = ++d->labels, r = 10 + p.depth;
    ww_str_addf(d->out, "mov.u32 %%r%u, 0;\nL%u:\n", r, again);
    statements(d, (place){p.depth + 1, end, r, p.bars}, count);
    if (meets) {
        ww_str_add(d->out, "bar.sync 0;\n");
    }
    ww_str_addf(d->out, "add.s32 %%r%u, %%r%u, 1;\nsetp.lt.s32 %%p1, %%r%u, ", r, r, r);
    ww_str_addf(d->out, draw(d, 3) > 0 ? "%u;\n" : "%%r9;\n", 2 + draw(d, 2)); /* r9: n / 512 */
    ww_str_addf(d->out, "@%%p1 bra L%u;\nL%u:\n", again, end);
}

static void statements(drawer *d, place p, unsigned count)
{
    for (; count > 0; count--) {
        const uint32_t k = draw(d, 100);
        if (k < 42 || (k >= 92 && p.depth >= 2) || (k >= 62 && k < 78 && p.depth >= 3)) {
            compute(d, &p);
        } else if (k < 52) {
            leave(d);
        } else if (k < 62 && p.loop > 0) {
            condition(d);
            ww_str_addf(d->out, "@%%p1 bra L%u;\n", p.loop);
        } else if (k < 78 && p.depth < 3) {
            choose(d, p);
        } else if (k < 92 && p.bars) {
            ww_str_add(d->out, "bar.sync 0;\n");
        } else if (k >= 92) {
            loop(d, p, false, 2 + draw(d, 4));
        } else {
            compute(d, &p);
        }
    }
}

void draw_kernel(ww_str *out, uint64_t seed)
{
    drawer d = {out, seed, 0};
    const place body = {.count = 8, .bars = true};
    draw(&d, 2);
    ww_str_add(out,
               ".version 6.0\n.target sm_60\n.address_size 64\n"
               ".visible .entry drawn(.param .u64 out, .param .u64 a, .param .u32 n)\n{\n"
               ".reg .pred %p<3>;\n.reg .b32 %r<32>;\n.reg .f32 %f<4>;\n.reg .b64 %rd<8>;\n"
               "ld.param.u64 %rd2, [out];\nld.param.u64 %rd1, [a];\nld.param.u32 %r5, [n];\n"
               "mov.u32 %r1, %tid.x;\nmov.u32 %r2, %tid.y;\nmov.u32 %r3, %ctaid.x;\n"
               "mad.lo.s32 %r4, %r2, 16, %r1;\nmad.lo.s32 %r30, %r3, 256, %r4;\n"
               "mul.wide.u32 %rd4, %r30, 8;\nadd.s64 %rd2, %rd2, %rd4;\nadd.s64 %rd3, %rd2, 4;\n"
               "mad.lo.s32 %r6, %r1, 3, 1;\nand.b32 %r7, %r3, 7;\nmov.u32 %r8, 1;\n"
               "shr.u32 %r9, %r5, 9;\nmov.f32 %f1, 0f00000000;\nrem.u32 %r30, %r1, %r5;\n");
    add_loaded(out);
    statements(&d, body, 2 + draw(&d, 4));
    loop(&d, body, true, 3 + draw(&d, 5));
    statements(&d, body, 1 + draw(&d, 4));
    ww_str_add(out, "mad.lo.s32 %r30, %r3, 7, %r6;\nrem.u32 %r30, %r30, %r5;\n");
    add_loaded(out);
    ww_str_add(out, "and.b32 %r30, %r7, 1023;\n");
    add_loaded(out);
    ww_str_add(out, "st.global.f32 [%rd2], %f1;\nret;\n}\n");
}
