/* mbarrier.c - barrier objects: 64 threads meet in three phases, by single arrivals, by arrivals
 * that count twice, and with bytes of a transaction to come. */
#include <stdio.h>

#include "base/str.h"
#include "forms.h"

enum { THREADS = 64 };

/* Which spelling of an operation the kernel uses: the form under test where it is one. */
static const char *spelling(const char *form, const char *usual, const char *const *prefixes)
{
    return form_starts(form, prefixes) ? form : usual;
}

static void make_text(ww_str *t, const char *form)
{
    static const char *const arrive[] = {"mbarrier.arrive.shared", NULL};
    static const char *const wait[] = {"mbarrier.test_wait.shared", "mbarrier.try_wait.shared",
                                       NULL};
    static const char *const parity[] = {"mbarrier.test_wait.parity", "mbarrier.try_wait.parity",
                                         NULL};
    static const char *const expect[] = {"mbarrier.expect_tx", NULL};
    const char *a = spelling(form, "mbarrier.arrive.shared.b64", arrive);
    const char *w = spelling(form, "mbarrier.test_wait.shared.b64", wait);
    const char *p = spelling(form, "mbarrier.test_wait.parity.shared.b64", parity);
    const char *e = spelling(form, "mbarrier.expect_tx.relaxed.cta.shared::cta.b64", expect);
    ww_str_add(t,
               ".shared .align 8 .b64 bar;\n.shared .align 4 .b8 s[512];\n" FORM_BEGIN
               "mul.wide.u32 %q10, %t, 4; add.u64 %q11, %q0, %q10; add.u64 %q12, %q3, %q10; "
               "ld.global.u32 %r0, [%q11]; mov.u64 %q13, bar; mov.u64 %q14, s; add.u64 %q15, %q14, "
               "%q10;\n"
               "setp.ne.u32 %p1, %t, 0; @%p1 bra BEGIN; mbarrier.init.shared.b64 [%q13], 64;\n"
               "BEGIN: bar.sync 0;\n");
    /* the first phase: a[63 - t], copied by the thread itself or behind its back */
    if (form_has(form, "mbarrier")) {
        bool generic = strstr(form, "shared") == NULL;
        ww_str_addf(
            t,
            "cvta.shared.u64 %%q18, %%q13; cp.async.ca.shared.global [%%q15], [%%q11], 4; %s "
            "[%s];\n",
            form, generic ? "%q18" : "%q13");
    } else {
        ww_str_add(t, "st.shared.u32 [%q15], %r0;\n");
    }
    ww_str_addf(t, "%s %%q20, [%%q13];\nW: %s %%p2, [%%q13], %%q20; @!%%p2 bra W;\n", a, w);
    ww_str_add(t, "sub.u64 %q16, %q14, %q10; ld.shared.u32 %r1, [%q16+252];\n");
    /* the second: odd threads arrive twice; t reads what t|1 has left */
    ww_str_add(t,
               "and.b32 %r2, %t, 1; setp.eq.u32 %p3, %r2, 0; @%p3 bra EVEN; add.u32 %r3, %r0, 1; "
               "st.shared.u32 [%q15+256], %r3;\n");
    ww_str_addf(t, "%s %%q20, [%%q13], 2;\nEVEN: %s %%p2, [%%q13], 1; @!%%p2 bra EVEN;\n", a, p);
    ww_str_add(t, "or.b32 %r4, %t, 1; mul.wide.u32 %q17, %r4, 4; add.u64 %q17, %q17, %q14; "
                  "ld.shared.u32 %r5, [%q17+256]; mad.lo.u32 %r1, %r5, 100, %r1; bar.sync 0;\n");
    /* the third: the last thread brings 48 bytes, after everyone has arrived */
    ww_str_addf(t, "@%%p1 bra MEET; %s [%%q13], 48;\nMEET: bar.sync 0;\n%s _, [%%q13];\n", e, a);
    ww_str_add(t, "setp.ne.u32 %p4, %t, 63; @%p4 bra T; st.shared.u32 [%q14], 7; "
                  "mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%q13], 16; "
                  "mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%q13], 32;\n");
    ww_str_addf(t, "T: %s %%p2, [%%q13], 0; @!%%p2 bra T;\n", p);
    ww_str_add(t,
               "ld.shared.u32 %r6, [%q14]; mad.lo.u32 %r1, %r6, 100000, %r1;\n"
               "bar.sync 0; @%p1 bra END; mbarrier.inval.shared.b64 [%q13]; st.shared.u64 [%q13], "
               "%q10;\nEND: st.global.u32 [%q12], %r1;\n" FORM_END);
}

static bool claims(const char *form)
{
    static const char *const prefixes[] = {"mbarrier.", "cp.async.mbarrier.", NULL};
    return form_starts(form, prefixes) && !form_bulk.claims(form) && !form_cluster.claims(form) &&
           !form_clusters.claims(form);
}

static void check(const char *form, bool lowered, form_log *log)
{
    uint32_t a[THREADS], out[THREADS] = {0};
    for (uint32_t i = 0; i < THREADS; i++) {
        a[i] = i * 37 % 61;
    }
    ww_str text = {0};
    make_text(&text, form);
    form_launch l = {.text = ww_str_text(&text),
                     .grid = 1,
                     .block = THREADS,
                     .buffer_count = 4,
                     .buffer = {{a, sizeof a}, {a, 8}, {a, 8}, {out, sizeof out}}};
    bool ok = form_run(&l, form, lowered, log);
    for (unsigned t = 0; ok && t < THREADS; t++) {
        uint32_t want = a[63 - t] + 100 * (a[t | 1] + 1) + 700000;
        if (out[t] != want) {
            form_fail(log, form, "lowered %d, thread %u: %u, not %u", lowered, t, out[t], want);
            ok = false;
        }
    }
    ww_str_fini(&text);
}

const form_family form_mbarrier = {"barrier objects", claims, check};
