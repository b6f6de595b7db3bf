/* test_early_exits.c - do mechanisms stay right, and come to an end, where threads leave before
 * barriers? Kernels of each kind, written by hand, and drawn ones, run without and with each
 * mechanism; every byte of their results must be the same, and nothing that a mechanism supplied
 * may contradict plain execution, which would end the launch. */
#include <stdlib.h>
#include <string.h>

#include "tests/support/test.h"

#include "arch/arch.h"
#include "perf/api/device_state.h"
#include "perf/sm/seam.h"
#include "tests/mech/drawn.h"
#include "tests/support/totals.h"

enum { CTAS = 5, THREADS = DRAWN_WIDTH * DRAWN_HEIGHT, WORDS = 2 * CTAS * THREADS };

static const char *room = "darsie", *gpu = "gtx1080ti-darsie"; /* on the command line */
static unsigned kernels = 40;                                  /* that are drawn; there too */

/* What a machine made of all kernels so far. */
typedef struct machine {
    const char *mechs;
    ww_isa_mode isa;
    uint32_t words[WORDS];
    totals totals;
} machine;

static void upload(ww_device *device, ww_devptr *out, ww_devptr *a)
{
    float numbers[DRAWN_COUNT];
    ww_error err = {0};
    for (uint32_t i = 0; i < DRAWN_COUNT; i++) {
        numbers[i] = (float)((i * 7919u + 13u) % 257u) / 128.0f - 1.0f;
    }
    assert_ok(ww_device_malloc(device, sizeof(uint32_t) * WORDS, out, &err), err);
    assert_ok(ww_device_malloc(device, sizeof numbers, a, &err), err);
    assert_ok(ww_device_write(device, *a, numbers, sizeof numbers, &err), err);
}

/* Loads the text and launches that many CTAs of its kernel; *out: WORDS words that it may write. */
static ww_status launch(ww_device *device, const ww_str *text, const char *kernel, unsigned ctas,
                        ww_devptr *out, ww_error *err)
{
    ww_module *module = NULL;
    ww_devptr a;
    const int32_t n = DRAWN_COUNT;
    const void *args[] = {out, &a, &n};
    assert_ok(ww_device_load_ptx(device, "kernel.ptx", text->data, text->len, &module, err), *err);
    upload(device, out, &a);
    return ww_device_launch(device, module, kernel, (ww_dim3){ctas, 1, 1},
                            (ww_dim3){DRAWN_WIDTH, DRAWN_HEIGHT, 1}, 0, args, 3, err);
}

/* Runs a kernel of the text; false: *err says why not. */
static bool run(machine *m, const ww_str *text, const char *kernel, ww_error *err)
{
    const ww_setting settings[] = {
        {WW_MECH_KEY, m->mechs}, {"sm.count", "2"}, {"sm.clusters", "2"}, {"mem.channels", "1"}};
    const ww_device_options options = {
        .isa = m->isa, .on_launch = totals_collect, .user = &m->totals, .max_cycles = 1000000};
    ww_arch *arch = NULL;
    ww_device *device = NULL;
    ww_devptr out;
    assert_ok(ww_arch_load(gpu, settings, WW_ARRAY_LEN(settings), &arch, err), *err);
    assert_ok(ww_device_create(arch, &options, &device, err), *err);
    bool ran = launch(device, text, kernel, CTAS, &out, err) == WW_OK;
    if (ran) {
        assert_ok(ww_device_read(device, m->words, out, sizeof m->words, err), *err);
    }
    ww_device_destroy(device);
    ww_arch_destroy(arch);
    return ran;
}

static void check(machine *plain, machine *with, const ww_str *text, const char *kernel)
{
    ww_error err = {0};
    if (!run(plain, text, kernel, &err) || !run(with, text, kernel, &err)) {
        fail_msg("%s: %s\n%s", kernel, err.what, ww_str_text(text));
    }
    if (memcmp(plain->words, with->words, sizeof plain->words) != 0) {
        fail_msg("%s: other results\n%s", kernel, ww_str_text(text));
    }
}

static void read_text(ww_str *out, const char *path)
{
    char buffer[4096];
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    for (size_t n; (n = fread(buffer, 1, sizeof buffer, f)) > 0;) {
        ww_str_add_n(out, buffer, n);
    }
    fclose(f);
}

static void kernels_by_hand(void **state)
{
    (void)state;
    static const char *const kernel[] = {"rows_leave", "lanes_break", "never_leaves", "rows_part"};
    static machine plain = {.mechs = "none", .isa = WW_ISA_LOWERED}, with;
    ww_str text = {0};
    read_text(&text, WW_SOURCE_DIR "/tests/mech/early_exits.ptx");
    with.mechs = room;
    with.isa = WW_ISA_LOWERED;
    for (size_t i = 0; i < WW_ARRAY_LEN(kernel); i++) {
        check(&plain, &with, &text, kernel[i]);
    }
    ww_str_fini(&text);
}

static void drawn_kernels(void **state)
{
    (void)state;
    static machine plain = {.mechs = "none", .isa = WW_ISA_LOWERED}, with;
    with = (machine){.mechs = room, .isa = WW_ISA_LOWERED};
    for (unsigned k = 0; k < kernels; k++) {
        ww_str text = {0};
        draw_kernel(&text, k + 1);
        with.isa = k % 4 == 3 ? WW_ISA_GT200 : WW_ISA_LOWERED; /* the same results */
        check(&plain, &with, &text, "drawn");
        ww_str_fini(&text);
    }
    print_message("%s: %llu skipped, %llu reused, %llu absent\n", room,
                  (unsigned long long)with.totals.counter[WW_C_MECH_SKIPPED],
                  (unsigned long long)with.totals.counter[WW_C_MECH_REUSED],
                  (unsigned long long)with.totals.counter[WW_C_MECH_ABSENT]);
    if (strcmp(room, "darsie") == 0) { /* the drawn kernels ask what they are drawn for */
        assert_true(with.totals.counter[WW_C_MECH_SKIPPED] > 1000 * kernels);
        assert_true(with.totals.counter[WW_C_DARSIE_REJOINED] > kernels);
    }
    if (strcmp(room, "dac") == 0) {
        assert_true(with.totals.counter[WW_C_DAC_DEQUEUED] > 100 * kernels);
    }
}

/* A mechanism that says of every barrier that it has supplied something wrong. */
static void lie(void *sm, uint32_t warp, const ww_step *step, uint32_t flight, uint64_t now)
{
    (void)warp;
    (void)flight;
    (void)now;
    if (step->barrier) {
        ww_mech_count(sm, WW_C_MECH_MISMATCH, 1);
    }
}

static ww_status take_sm(ww_sm *sm, const ww_arch *arch, void **state, ww_error *err)
{
    (void)arch;
    (void)err;
    *state = sm;
    return WW_OK;
}

static const ww_mech liar = {.name = "liar", .create = take_sm, .executed = lie};

/* What plain execution contradicts ends the launch, with a count and a name; a variant that is
 * marked as one that may be wrong goes on. */
static void a_contradiction_ends_the_launch(void **state)
{
    (void)state;
    static const char *const variant[] = {"plain", "ignore-store"};
    for (size_t v = 0; v < WW_ARRAY_LEN(variant); v++) {
        const ww_setting settings[] = {{WW_MECH_KEY, "darsie"}, {"darsie.variant", variant[v]}};
        static machine m;
        const ww_device_options options = {.on_launch = totals_collect, .user = &m.totals};
        ww_arch *arch = NULL;
        ww_device *device = NULL;
        ww_devptr out;
        ww_error err = {0};
        ww_str text = {0};
        read_text(&text, WW_SOURCE_DIR "/tests/mech/early_exits.ptx");
        assert_ok(ww_arch_load("gtx1080ti", settings, 2, &arch, &err), err);
        assert_ok(ww_device_create(arch, &options, &device, &err), err);
        assert_ok(ww_gpu_attach(ww_device_gpu(device), &liar, &err), err);
        const ww_status st = launch(device, &text, "never_leaves", 1, &out, &err);
        assert_int_equal(st, v == 0 ? WW_EVERIFY : WW_OK);
        if (v == 0) { /* two barriers of eight warps */
            assert_non_null(strstr(err.what, "never_leaves: a mechanism (darsie) supplied 16 "));
        }
        ww_str_fini(&text);
        ww_device_destroy(device);
        ww_arch_destroy(arch);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernels_by_hand),
        cmocka_unit_test(drawn_kernels),
        cmocka_unit_test(a_contradiction_ends_the_launch),
    };
    if (argc < 4) { /* ROOM GPU KERNELS; else the two that made a difference, briefly */
        const int failed = cmocka_run_group_tests(tests, NULL, NULL);
        room = "dac";
        gpu = "gtx480-dac";
        return failed + cmocka_run_group_tests(tests, NULL, NULL);
    }
    room = argv[1];
    gpu = argv[2];
    kernels = (unsigned)strtoul(argv[3], NULL, 10);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
