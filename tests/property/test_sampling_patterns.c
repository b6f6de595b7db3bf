/* test_sampling_patterns.c - does the stated error of sampling hold on launches built to break it:
 * CTAs that get longer, two kinds of them, one that outlasts all others, phases that meet warm and
 * cold caches? */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "arch/arch.h"
#include "counters/counters.h"
#include "perf/api/device.h"
#include "tests/support/test.h"

/* A CTA's table entry: passes of its loop, and the mask of the words that it reads. */
static const char ptx[] =
    ".version 7.0\n.target sm_20\n.address_size 64\n"
    ".visible .entry walk(.param .u64 table, .param .u64 data, .param .u64 out)\n{\n"
    " .reg .b32 %r<16>;\n .reg .b64 %rd<12>;\n .reg .pred %p<2>;\n"
    " ld.param.u64 %rd1, [table]; ld.param.u64 %rd2, [data]; ld.param.u64 %rd3, [out];\n"
    " mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x;\n"
    " mul.wide.u32 %rd4, %r1, 8; add.u64 %rd5, %rd1, %rd4;\n"
    " ld.global.u32 %r4, [%rd5]; ld.global.u32 %r5, [%rd5+4];\n"
    " mul.lo.u32 %r6, %r1, 61; mov.u32 %r7, 0; mov.u32 %r8, 0;\n"
    "AGAIN:\n"
    " add.u32 %r9, %r6, %r7; mad.lo.u32 %r10, %r9, %r2, %r3; and.b32 %r10, %r10, %r5;\n"
    " mul.wide.u32 %rd6, %r10, 4; add.u64 %rd7, %rd2, %rd6; ld.global.u32 %r11, [%rd7];\n"
    " mad.lo.u32 %r8, %r8, 3, %r11;\n"
    " add.u32 %r7, %r7, 1; setp.lt.u32 %p1, %r7, %r4; @%p1 bra AGAIN;\n"
    " mad.lo.u32 %r12, %r1, %r2, %r3; mul.wide.u32 %rd8, %r12, 4; add.u64 %rd9, %rd3, %rd8;\n"
    " st.global.u32 [%rd9], %r8;\n ret;\n}\n";

enum { CTAS = 1600, THREADS = 64, WORDS = 1 << 20, NEAR = (1 << 12) - 1, FAR = WORDS - 1 };

typedef struct entry {
    uint32_t passes, mask;
} entry;

typedef entry (*pattern_fn)(uint32_t cta);

/* A number between 0 and 1 that looks random. */
static double noise(uint32_t cta)
{
    uint32_t x = cta * 2654435761u;
    x ^= x >> 15;
    x *= 2246822519u;
    return (double)(x >> 8) / (double)(1u << 24);
}

static entry alike(uint32_t cta)
{
    (void)cta;
    return (entry){40, FAR};
}

static entry growing(uint32_t cta)
{
    return (entry){10 + cta * 60 / CTAS, FAR};
}

static entry two_kinds(uint32_t cta)
{
    return (entry){noise(cta) < 0.8 ? 20 : 120, FAR};
}

static entry giant_last(uint32_t cta)
{
    return (entry){cta == CTAS - 1 ? 4000 : 40, FAR};
}

static entry giant_inside(uint32_t cta)
{
    return (entry){cta == CTAS / 2 ? 12000 : 40, FAR};
}

static entry phases(uint32_t cta)
{
    return (entry){40, cta / (CTAS / 5) % 2 == 0 ? NEAR : FAR};
}

static entry turns_cold(uint32_t cta)
{
    return (entry){40, cta < CTAS / 2 ? NEAR : FAR};
}

static entry mixed_places(uint32_t cta)
{
    return (entry){20 + (uint32_t)(40 * noise(cta)), noise(cta + CTAS) < 0.5 ? NEAR : FAR};
}

static entry longer(uint32_t cta)
{
    (void)cta;
    return (entry){100, FAR};
}

/* What one launch says. */
typedef struct outcome {
    double cycles, stated, share;
    uint64_t instructions;
    uint32_t result; /* of all threads */
} outcome;

static ww_status take(void *user, const ww_launch_record *r, ww_error *err)
{
    outcome **next = user, *o = (*next)++;
    (void)err;
    o->cycles = (double)ww_counter_total(r->counters, WW_C_CORE_CYCLES);
    o->instructions = ww_counter_total(r->counters, WW_C_INST_ISSUED);
    o->stated = (double)r->sampling.error.v[WW_C_CORE_CYCLES] / o->cycles;
    o->share = r->sampling.share;
    return WW_OK;
}

/* Launches in turn, each with its pattern; out: [count]. */
static void launch_all(const ww_device_options *how, const pattern_fn *patterns, size_t count,
                       outcome *out)
{
    static const ww_setting small[] = {{"sm.count", "2"}, {"sm.clusters", "2"}};
    static entry table[CTAS];
    static uint32_t words[CTAS * THREADS];
    ww_error err = {0};
    ww_arch *arch;
    ww_device *device;
    ww_module *module;
    ww_devptr p[3];
    outcome *next = out;
    ww_device_options options = *how;
    options.on_launch = take;
    options.user = &next;
    memset(out, 0, count * sizeof *out);
    assert_ok(ww_arch_load(WW_SOURCE_DIR "/configs/gpu/gtx480.xml", small, 2, &arch, &err), err);
    assert_ok(ww_device_create(arch, &options, &device, &err), err);
    assert_ok(ww_device_load_ptx(device, "walk.ptx", ptx, sizeof ptx - 1, &module, &err), err);
    assert_ok(ww_device_malloc(device, sizeof table, &p[0], &err), err);
    assert_ok(ww_device_malloc(device, WORDS * 4, &p[1], &err), err);
    assert_ok(ww_device_malloc(device, sizeof words, &p[2], &err), err);
    assert_ok(ww_device_memset(device, p[1], 5, WORDS * 4, &err), err);
    const void *args[] = {&p[0], &p[1], &p[2]};
    for (size_t n = 0; n < count; n++) {
        for (uint32_t i = 0; i < CTAS; i++) {
            table[i] = patterns[n](i);
        }
        assert_ok(ww_device_write(device, p[0], table, sizeof table, &err), err);
        assert_ok(ww_device_launch(device, module, "walk", (ww_dim3){CTAS, 1, 1},
                                   (ww_dim3){THREADS, 1, 1}, 0, args, 3, &err),
                  err);
        assert_ok(ww_device_read(device, words, p[2], sizeof words, &err), err);
        for (size_t i = 0; i < CTAS * THREADS; i++) {
            out[n].result = out[n].result * 31 + words[i];
        }
    }
    ww_device_destroy(device);
    ww_arch_destroy(arch);
}

static outcome launch(const ww_device_options *how, pattern_fn pattern)
{
    outcome o;
    launch_all(how, &pattern, 1, &o);
    return o;
}

/* The sampled launch, besides whether its interval holds. */
static outcome check(const char *name, pattern_fn pattern)
{
    const ww_device_options full = {0}, sampled = {.sample_ctas = true, .sample_error = 0.05};
    outcome a = launch(&full, pattern), b = launch(&sampled, pattern);
    double error = b.cycles / a.cycles - 1;
    print_message("%-14s extrapolated %4.1f %%, stated %5.2f %%, real %+6.2f %%\n", name,
                  100 * b.share, 100 * b.stated, 100 * error);
    assert_int_equal(a.instructions, b.instructions);
    assert_int_equal(a.result, b.result);
    assert_true(fabs(a.cycles - b.cycles) <= b.stated * b.cycles);
    return b;
}

static void regular_launches_are_sampled(void **state)
{
    (void)state;
    outcome o = check("alike", alike);
    assert_true(o.share > 0.85 && o.stated < 0.02);
    o = check("giant last", giant_last); /* is simulated, with all that is behind the last gap */
    assert_true(o.share > 0.7 && o.stated < 0.02);
}

static void lengths_do_not_break_the_interval(void **state)
{
    (void)state;
    check("growing", growing);
    check("two kinds", two_kinds);
    outcome o = check("giant inside", giant_inside);
    assert_true(o.share == 0.0 || o.stated > 0.05); /* nobody can know how it ends */
}

static void phases_do_not_break_the_interval(void **state)
{
    (void)state;
    check("phases", phases);
    check("turns cold", turns_cold);
    check("mixed places", mixed_places);
}

/* Two kinds of launches of one kernel in turn, with one geometry, are told apart by what they
 * execute. */
static void kinds_of_launches_are_told_apart(void **state)
{
    (void)state;
    enum { LAUNCHES = 20 };
    const ww_device_options full = {0}, sampled = {.sample_kernels = true, .sample_error = 0.1};
    pattern_fn patterns[LAUNCHES];
    outcome a[LAUNCHES], b[LAUNCHES];
    for (size_t n = 0; n < LAUNCHES; n++) {
        patterns[n] = n % 2 == 0 ? alike : longer;
    }
    launch_all(&full, patterns, LAUNCHES, a);
    launch_all(&sampled, patterns, LAUNCHES, b);
    size_t predicted = 0;
    for (size_t n = 0; n < LAUNCHES; n++) {
        assert_int_equal(a[n].instructions, b[n].instructions);
        assert_int_equal(a[n].result, b[n].result);
        assert_true(fabs(a[n].cycles - b[n].cycles) <= b[n].stated * b[n].cycles);
        assert_true(b[n].stated <= 0.1);
        predicted += b[n].share > 0;
    }
    print_message("%zu of %d launches predicted\n", predicted, LAUNCHES);
    assert_true(predicted >= LAUNCHES / 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kinds_of_launches_are_told_apart),
        cmocka_unit_test(regular_launches_are_sampled),
        cmocka_unit_test(lengths_do_not_break_the_interval),
        cmocka_unit_test(phases_do_not_break_the_interval),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
