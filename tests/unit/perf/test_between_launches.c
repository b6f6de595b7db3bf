/* test_between_launches.c - what one launch finds of what came before it: the SM whose turn it is,
 * constants in their caches, and in the L2 what copies and modules have left there. */
#include "tests/support/test.h"

#include <string.h>

#include "arch/arch.h"
#include "counters/counters.h"
#include "perf/api/device.h"

/* A warp copies 32 words, four sectors of 32 B. */
static const char ptx[] = ".version 7.0\n.target sm_75\n.address_size 64\n"
                          ".global .align 128 .b8 variable[128];\n"
                          ".visible .entry k(.param .u64 from, .param .u64 to)\n{\n"
                          ".reg .b32 %r<3>;\n.reg .b64 %d<6>;\n"
                          "ld.param.u64 %d1, [from];\nld.param.u64 %d2, [to];\n"
                          "mov.u32 %r1, %tid.x;\nmul.wide.u32 %d3, %r1, 4;\n"
                          "add.s64 %d4, %d1, %d3;\nadd.s64 %d5, %d2, %d3;\n"
                          "ld.global.u32 %r2, [%d4];\nst.global.u32 [%d5], %r2;\nret;\n}\n";

enum { SMS = 4, WORDS = 32, SECTORS = WORDS * 4 / 32 };

typedef struct fixture {
    ww_arch *arch;
    ww_device *device;
    ww_module *module;
    ww_devptr from, to;
    uint64_t of_sm[SMS]; /* CTAs */
    uint64_t constant_misses, dram_reads, instructions;
} fixture;

static ww_status note(void *user, const ww_launch_record *r, ww_error *err)
{
    fixture *f = user;
    (void)err;
    for (uint32_t i = 0; i < SMS; i++) {
        f->of_sm[i] = r->counters->block[WW_SCOPE_SM][i].v[WW_C_CTAS];
    }
    f->constant_misses = ww_counter_total(r->counters, WW_C_L1C_READ_MISS);
    f->dram_reads = ww_counter_total(r->counters, WW_C_DRAM_RD);
    f->instructions = ww_counter_total(r->counters, WW_C_INST_ISSUED);
    return WW_OK;
}

/* A QV100 of four SMs on which copies, if they leave their data in the L2 at all, do so only from
 * the host to memory of its own, but for one setting. */
static void open_with(fixture *f, const char *copies, const char *key, bool on)
{
    ww_error err = {0};
    const ww_setting s[] = {{.key = "sm.count", .value = "4"},
                            {.key = "sm.clusters", .value = "1"},
                            {.key = "mem.host_copies_fill_l2", .value = copies},
                            {.key = "mem.host_reads_fill_l2", .value = "false"},
                            {.key = "mem.device_copies_fill_l2", .value = "false"},
                            {.key = "mem.variable_copies_fill_l2", .value = "false"},
                            {.key = "mem.modules_fill_l2", .value = "false"},
                            {.key = key, .value = on ? "true" : "false"}};
    memset(f, 0, sizeof *f);
    assert_ok(
        ww_arch_load(WW_SOURCE_DIR "/configs/gpu/qv100.xml", s, WW_ARRAY_LEN(s), &f->arch, &err),
        err);
    const ww_device_options options = {.on_launch = note, .user = f};
    assert_ok(ww_device_create(f->arch, &options, &f->device, &err), err);
    assert_ok(ww_device_load_ptx(f->device, "test.ptx", ptx, sizeof ptx - 1, &f->module, &err),
              err);
    assert_ok(ww_device_malloc(f->device, 4096, &f->from, &err), err);
    assert_ok(ww_device_malloc(f->device, 4096, &f->to, &err), err);
}

static void shut(fixture *f)
{
    ww_device_destroy(f->device);
    ww_arch_destroy(f->arch);
}

static void launch(fixture *f, ww_devptr from, uint32_t ctas)
{
    ww_error err = {0};
    const void *args[] = {&from, &f->to};
    assert_ok(ww_device_launch(f->device, f->module, "k", (ww_dim3){ctas, 1, 1},
                               (ww_dim3){WORDS, 1, 1}, 0, args, 2, &err),
              err);
}

/* The only CTA of a launch goes to SM 0; or behind the last one of the launch before. */
static void turns_go_on_or_begin_anew(void **state)
{
    (void)state;
    for (unsigned keep = 0; keep < 2; keep++) {
        fixture f;
        open_with(&f, "false", "peer.keep_turn", keep == 1);
        launch(&f, f.from, 3);
        launch(&f, f.from, 1);
        assert_int_equal(f.of_sm[keep == 1 ? 3 : 0], 1);
        launch(&f, f.from, 1);
        assert_int_equal(f.of_sm[0], 1);
        launch(&f, f.from, 1);
        assert_int_equal(f.of_sm[keep == 1 ? 1 : 0], 1);
        shut(&f);
    }
}

/* The parameters' line is missed in every launch, or in the first only. */
static void constants_stay_or_go(void **state)
{
    (void)state;
    for (unsigned keep = 0; keep < 2; keep++) {
        fixture f;
        open_with(&f, "false", "peer.keep_constants", keep == 1);
        launch(&f, f.from, 1);
        uint64_t cold = f.constant_misses;
        assert_true(cold > 0);
        for (unsigned i = 0; i < 3; i++) { /* on SM 0 */
            launch(&f, f.from, 1);
            assert_int_equal(f.constant_misses, keep == 1 ? 0 : cold);
        }
        shut(&f);
    }
}

typedef void (*toucher)(fixture *f, ww_devptr *from);

/* DRAM reads of the second launch, which finds code and parameters in the L2, and its data only if
 * what happened to them since has left them there. */
static uint64_t reads_after(const char *copies, const char *key, bool on, toucher touch)
{
    fixture f;
    open_with(&f, copies, key, on);
    launch(&f, f.from + 2048, 1);
    ww_devptr from = f.from;
    touch(&f, &from);
    launch(&f, from, 1);
    uint64_t reads = f.dram_reads;
    shut(&f);
    return reads;
}

static void write_data(fixture *f, ww_devptr *from)
{
    ww_error err = {0};
    const uint32_t words[WORDS] = {1};
    assert_ok(ww_device_write(f->device, *from, words, sizeof words, &err), err);
}

static void read_data(fixture *f, ww_devptr *from)
{
    ww_error err = {0};
    uint32_t words[WORDS];
    assert_ok(ww_device_read(f->device, words, *from, sizeof words, &err), err);
}

static void fill_data(fixture *f, ww_devptr *from)
{
    ww_error err = {0};
    assert_ok(ww_device_memset(f->device, *from, 1, WORDS * 4, &err), err);
}

static void write_variable(fixture *f, ww_devptr *from)
{
    ww_error err = {0};
    size_t bytes;
    assert_ok(ww_device_symbol(f->device, f->module, "variable", from, &bytes, &err), err);
    write_data(f, from);
}

static void leave(fixture *f, ww_devptr *from)
{
    ww_device_left(f->device, *from, WORDS * 4, false);
}

static void leave_what_is_before(fixture *f, ww_devptr *from)
{
    leave(f, from);
    *from += WORDS * 4;
}

/* And ends with its last byte. */
static void what_a_launch_left_is_there(void **state)
{
    (void)state;
    assert_int_equal(reads_after("false", "mem.host_reads_fill_l2", false, leave), 0);
    assert_int_equal(reads_after("false", "mem.host_reads_fill_l2", false, leave_what_is_before),
                     SECTORS);
}

static void copies_leave_their_data_in_the_l2(void **state)
{
    (void)state;
    static const struct {
        const char *copies, *key;
        bool on;
        toucher touch;
        unsigned reads;
    } cases[] = {
        {"false", "mem.host_reads_fill_l2", true, write_data, SECTORS},
        {"true", "mem.host_reads_fill_l2", false, write_data, 0},
        {"true", "mem.host_reads_fill_l2", false, read_data, SECTORS},
        {"true", "mem.host_reads_fill_l2", true, read_data, 0},
        {"true", "mem.device_copies_fill_l2", false, fill_data, SECTORS},
        {"true", "mem.device_copies_fill_l2", true, fill_data, 0},
        {"false", "mem.device_copies_fill_l2", true, fill_data, SECTORS},
        {"true", "mem.variable_copies_fill_l2", false, write_variable, SECTORS},
        {"true", "mem.variable_copies_fill_l2", true, write_variable, 0},
    };
    for (size_t i = 0; i < WW_ARRAY_LEN(cases); i++) {
        assert_int_equal(reads_after(cases[i].copies, cases[i].key, cases[i].on, cases[i].touch),
                         cases[i].reads);
    }
}

/* The first launch reads its data, its parameters' line and its code; or not the sectors of the
 * code, 16 B an instruction, each of which a warp executes once. */
static void modules_leave_their_code_in_the_l2(void **state)
{
    (void)state;
    uint64_t reads[2], code_sectors = 0;
    for (unsigned on = 0; on < 2; on++) {
        fixture f;
        open_with(&f, "true", "mem.modules_fill_l2", on == 1);
        launch(&f, f.from, 1);
        reads[on] = f.dram_reads;
        code_sectors = (f.instructions * 16 + 31) / 32;
        shut(&f);
    }
    assert_true(code_sectors > 2);
    assert_int_equal(reads[0] - reads[1], code_sectors);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(turns_go_on_or_begin_anew),
        cmocka_unit_test(constants_stay_or_go),
        cmocka_unit_test(what_a_launch_left_is_there),
        cmocka_unit_test(copies_leave_their_data_in_the_l2),
        cmocka_unit_test(modules_leave_their_code_in_the_l2),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
