/* warp.c - vote, match, shfl, redux, activemask, bar.warp: whole warps and parts of them, lanes
 * that are not members having left before. */
#include <stdio.h>

#include "base/str.h"
#include "forms.h"

enum { LANES = 32, CASES = 24 };

/* What the lanes of a warp bring along. */
typedef struct lanes {
    uint32_t mask;
    uint64_t a[LANES];
    uint32_t b[LANES], c;
} lanes;

static bool in(const lanes *w, unsigned lane)
{
    return (w->mask >> lane & 1) != 0;
}

/* ---- what each instruction gives lane i; false: undefined ---- */

static uint32_t ballot(const lanes *w)
{
    uint32_t v = 0;
    for (unsigned i = 0; i < LANES; i++) {
        v |= (uint32_t)(in(w, i) && (w->a[i] & 1) != 0) << i;
    }
    return v;
}

static uint32_t matching(const lanes *w, unsigned lane, bool words)
{
    uint32_t v = 0;
    for (unsigned i = 0; i < LANES; i++) {
        bool same = words ? (uint32_t)w->a[i] == (uint32_t)w->a[lane] : w->a[i] == w->a[lane];
        v |= (uint32_t)(in(w, i) && same) << i;
    }
    return v;
}

/* PTX manual, "shfl.sync": the value of lane j, and whether j was in range. */
static bool shuffled(const lanes *w, const char *form, unsigned lane, uint32_t *d, uint32_t *p)
{
    uint32_t b = w->b[lane] & 31, clamp = w->c & 31, segment = w->c >> 8 & 31;
    uint32_t highest = (lane & segment) | (clamp & ~segment), lowest = lane & segment;
    int j = form_has(form, "up")     ? (int)lane - (int)b
            : form_has(form, "down") ? (int)(lane + b)
            : form_has(form, "bfly") ? (int)(lane ^ b)
                                     : (int)(lowest | (b & ~segment));
    *p = form_has(form, "up") ? j >= (int)highest : j <= (int)highest;
    j = *p ? j : (int)lane;
    *d = (uint32_t)w->a[j];
    return in(w, (unsigned)j);
}

static uint32_t reduced(const lanes *w, const char *form)
{
    bool is_signed = form_last(form)[0] == 's', begun = false;
    int64_t v = 0;
    for (unsigned i = 0; i < LANES; i++) {
        if (in(w, i)) {
            int64_t a = is_signed ? (int64_t)(int32_t)w->a[i] : (int64_t)(uint32_t)w->a[i];
            v = !begun                  ? a
                : form_has(form, "add") ? v + a
                : form_has(form, "and") ? (v & a)
                : form_has(form, "or")  ? (v | a)
                : form_has(form, "xor") ? (v ^ a)
                : form_has(form, "min") ? (a < v ? a : v)
                                        : (a > v ? a : v);
            begun = true;
        }
    }
    return (uint32_t)v;
}

static bool expected(const lanes *w, const char *form, unsigned lane, uint32_t *d, uint32_t *p)
{
    *p = 0;
    if (form[0] == 'v') {
        *d = form_has(form, "ballot") ? ballot(w)
             : form_has(form, "any")  ? ballot(w) != 0
             : form_has(form, "uni")  ? ballot(w) == 0 || ballot(w) == w->mask
                                      : ballot(w) == w->mask;
    } else if (form[0] == 'm') {
        *d = matching(w, lane, form_has(form, "b32"));
        if (form_has(form, "all")) {
            *p = *d == w->mask;
            *d = *p ? w->mask : 0;
        }
    } else if (form[0] == 's') {
        return shuffled(w, form, lane, d, p);
    } else if (form[0] == 'r') {
        *d = reduced(w, form);
    } else if (form[0] == 'b') { /* the value that the lane below has put into shared memory */
        unsigned below = (lane + 31) % 32;
        *d = (uint32_t)w->a[below];
        return in(w, below);
    } else {
        *d = w->mask;
    }
    return true;
}

/* ---- kernel ---- */

static void add_form(ww_str *t, const char *form)
{
    if (form[0] == 'v') {
        bool ballots = form_has(form, "ballot");
        ww_str_addf(t, "%s %s, %%p1%s;\n", form, ballots ? "%r5" : "%p2",
                    form_has(form, "sync") ? ", %r1" : "");
        ww_str_add(t, ballots ? "" : "selp.u32 %r5, 1, 0, %p2;\n");
    } else if (form[0] == 'm') {
        bool all = form_has(form, "all");
        ww_str_addf(t, "%s %%r5%s, %s, %%r1;\n", form, all ? "|%p2" : "",
                    form_has(form, "b32") ? "%r6" : "%q20");
        ww_str_add(t, all ? "selp.u32 %r7, 1, 0, %p2;\n" : "");
    } else if (form[0] == 's') {
        ww_str_addf(t, "%s %%r5|%%p2, %%r6, %%r2, %%r3%s; selp.u32 %%r7, 1, 0, %%p2;\n", form,
                    form_has(form, "sync") ? ", %r1" : "");
    } else if (form[0] == 'r') {
        ww_str_addf(t, "%s %%r5, %%r6, %%r1;\n", form);
    } else if (form[0] == 'b') {
        ww_str_addf(
            t,
            "mov.u32 %%r8, s; mad.lo.u32 %%r9, %%t, 4, %%r8; st.shared.u32 [%%r9], %%r6; %s "
            "%%r1; add.u32 %%r9, %%t, 31; and.b32 %%r9, %%r9, 31; mad.lo.u32 %%r9, %%r9, 4, "
            "%%r8; ld.shared.u32 %%r5, [%%r9];\n",
            form);
    } else {
        ww_str_addf(t, "%s %%r5;\n", form);
    }
}

static void make_text(ww_str *t, const char *form)
{
    ww_str_add(t,
               ".shared .align 8 .b8 s[256];\n" FORM_BEGIN
               "mul.wide.u32 %q10, %t, 8; add.u64 %q11, %q0, %q10; ld.global.b64 %q20, [%q11]; "
               "cvt.u32.u64 %r6, %q20;\n"
               "mul.wide.u32 %q12, %t, 4; add.u64 %q13, %q1, %q12; ld.global.b32 %r2, [%q13];\n"
               "ld.global.b32 %r1, [%q2]; ld.global.b32 %r3, [%q2+4];\n"
               "and.b32 %r10, %r6, 1; setp.eq.u32 %p1, %r10, 1; mov.u32 %r7, 0;\n"
               "shr.u32 %r10, %r1, %t; and.b32 %r10, %r10, 1; setp.eq.u32 %p4, %r10, 0; @%p4 bra "
               "END;\n");
    add_form(t, form);
    ww_str_add(t, "add.u64 %q14, %q3, %q10; st.global.v2.u32 [%q14], {%r5, %r7};\nEND:\n" FORM_END);
}

static void check_case(const lanes *w, const char *text, const char *form, bool lowered,
                       form_log *log)
{
    lanes copy = *w;
    uint32_t out[LANES][2], numbers[2] = {w->mask, w->c};
    memset(out, 0, sizeof out);
    form_launch l = {.text = text,
                     .grid = 1,
                     .block = LANES,
                     .buffer_count = 4,
                     .buffer = {{copy.a, sizeof copy.a},
                                {copy.b, sizeof copy.b},
                                {numbers, sizeof numbers},
                                {out, sizeof out}}};
    if (!form_run(&l, form, lowered, log)) {
        return;
    }
    for (unsigned i = 0; i < LANES; i++) {
        uint32_t d = 0, p = 0;
        bool defined = !in(w, i) || expected(w, form, i, &d, &p);
        d = in(w, i) ? d : 0;
        if (defined && (out[i][0] != d || (in(w, i) && out[i][1] != p))) {
            form_fail(log, form, "lowered %d, members %08x, c %x, lane %u: %x|%u, not %x|%u",
                      lowered, w->mask, w->c, i, out[i][0], out[i][1], d, p);
            return;
        }
    }
}

static bool claims(const char *form)
{
    static const char *const prefixes[] = {"vote.",       "match.",    "shfl.", "redux.",
                                           "activemask.", "bar.warp.", NULL};
    return form_starts(form, prefixes);
}

static void check(const char *form, bool lowered, form_log *log)
{
    static const uint32_t masks[] = {0xffffffff, 0x0000ffff, 0xa5a5a5a5,
                                     0x80000001, 0x7ffffffe, 0x00000010};
    /* width 32, 16, 8 and 2 of CUDA's __shfl; a clamp in the middle */
    static const uint32_t c[] = {0x001f, 0x101f, 0x181f, 0x1e1f, 0x0a0b};
    ww_str text = {0};
    uint64_t state = 0x9e3779b97f4a7c15;
    make_text(&text, form);
    for (unsigned n = 0; n < CASES; n++) {
        lanes w = {.mask = masks[n % WW_ARRAY_LEN(masks)], .c = c[n % WW_ARRAY_LEN(c)]};
        w.c = form_has(form, "up") ? w.c & 0x1f00 : w.c;
        for (unsigned i = 0; i < LANES; i++) {
            uint64_t r = form_random(&state);
            w.a[i] = n < 3 ? 1 : n < 6 ? 0 : n % 2 ? r % 4 << 31 : r; /* also many alike */
            w.b[i] = n % 3 == 0 ? n : (uint32_t)(r >> 40);
        }
        check_case(&w, ww_str_text(&text), form, lowered, log);
    }
    ww_str_fini(&text);
}

const form_family form_warp = {"across the lanes of a warp", claims, check};
