/* Do prefetches bring the lines that they name into the cache that they name, once for lanes that
 * name the same, and nothing else? One warp asks for lines, waits, and reads. From a cache a load
 * takes exactly what it takes behind a load of the same; while a line is on its way, what is left
 * of a load from memory. */
#include <stdio.h>

#include "tests/support/hopper_fixture.h"

enum { BYTES = 1 << 20, LONG = 8000 };

/* %q1: a line, %q2: a line for each lane from it on, %q3: a word for each lane from it on, %q4: in
 * shared memory. out: cycles of the load, and from before the prefetch to the load's end. All of it
 * runs twice, the first time without prefetch and load, so that its code is there. */
static const char frame[] =
    ".version 8.0\n.target sm_90a\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n"
    ".local .align 16 .b8 depot[256]; .shared .align 16 .b8 s[256];\n"
    ".reg .pred %%p<4>; .reg .b32 %%r<12>; .reg .b64 %%q<8>;\n"
    "ld.param.u64 %%q0, [p]; add.u64 %%q1, %%q0, 4096; mov.u32 %%r0, %%laneid;\n"
    "mul.wide.u32 %%q2, %%r0, 128; add.u64 %%q2, %%q2, %%q1; mul.wide.u32 %%q3, %%r0, 4;\n"
    "add.u64 %%q3, %%q3, %%q1; cvta.shared.u64 %%q4, s; mov.u32 %%r5, 0; mov.u32 %%r1, 0;\n"
    "AGAIN: setp.eq.u32 %%p2, %%r5, 1; bar.sync 0; mov.u32 %%r2, %%clock;\n"
    "@%%p2 %s\n"
    "L: mov.u32 %%r3, %%clock; sub.u32 %%r4, %%r3, %%r2; setp.lt.u32 %%p0, %%r4, %u; @%%p0 bra "
    "L;\n"
    "mov.u32 %%r6, %%clock; @%%p2 %s add.u32 %%r9, %%r1, %%r5; mov.u32 %%r7, %%clock;\n"
    "add.u32 %%r5, %%r5, 1; setp.le.u32 %%p1, %%r9, 0; @%%p1 bra AGAIN;\n"
    "sub.u32 %%r8, %%r7, %%r6; sub.u32 %%r10, %%r7, %%r2; st.global.v2.u32 [%%q0], {%%r8, %%r10}; "
    "ret;\n}\n";
#define NOTHING "mov.u32 %r11, 0;"
#define AT_L2   "ld.global.cg.u32 %r1, [%q3];"
#define AT_L1   "ld.global.ca.u32 %r1, [%q3];"
#define SPREAD  "ld.global.cg.u32 %r1, [%q2];"

typedef struct outcome {
    uint32_t cycles, whole;
    uint64_t requests, l1_reads, l2_reads, flits, commands;
} outcome;

static ww_status keep(void *user, const struct ww_launch_record *record, ww_error *err)
{
    const ww_counter_set *c = record->counters;
    outcome *o = user;
    (void)err;
    o->requests = ww_counter_total(c, WW_C_GMEM_TRANSACTION);
    o->l1_reads = ww_counter_total(c, WW_C_L1D_READ_HIT) + ww_counter_total(c, WW_C_L1D_READ_MISS);
    o->l2_reads = ww_counter_total(c, WW_C_L2_READ_HIT) + ww_counter_total(c, WW_C_L2_READ_MISS);
    o->flits = ww_counter_total(c, WW_C_ICNT_REP_FLITS);
    o->commands = ww_counter_total(c, WW_C_COPY_COMMANDS);
    return WW_OK;
}

static outcome run_on(const char *ask, unsigned wait, const char *read, const ww_setting *set)
{
    hopper m = {0};
    outcome o = {0};
    ww_devptr p;
    char ptx[4000];
    uint32_t got[2];
    snprintf(ptx, sizeof ptx, frame, ask, wait, read);
    assert_ok(
        ww_arch_load(WW_SOURCE_DIR "/configs/gpu/h200.xml", set, set != NULL, &m.arch, &m.err),
        m.err);
    const ww_device_options options = {
        .isa = WW_ISA_LOWERED, .threads = 1, .on_launch = keep, .user = &o};
    assert_ok(ww_device_create(m.arch, &options, &m.device, &m.err), m.err);
    assert_ok(ww_device_load_ptx(m.device, "c.ptx", ptx, strlen(ptx), &m.module, &m.err), m.err);
    assert_ok(ww_device_malloc(m.device, BYTES, &p, &m.err), m.err);
    assert_ok(hopper_launch(&m, "k", 1, 32, 0, p), m.err);
    assert_ok(ww_device_read(m.device, got, p, sizeof got, &m.err), m.err);
    o.cycles = got[0];
    o.whole = got[1];
    hopper_close(&m);
    return o;
}

static outcome run(const char *ask, unsigned wait, const char *read)
{
    return run_on(ask, wait, read, NULL);
}

/* What is there takes what it takes behind a load of it; else all of a load from memory. */
static void what_is_asked_for_is_there(void **state)
{
    (void)state;
    static const struct {
        const char *ask, *read,
            *like; /* like: a load that leaves the same; NOTHING: nothing does */
    } table[] = {
        {"prefetch.global.L2 [%q1];", AT_L2, AT_L2},
        {"prefetch.global.L2 [%q1+96];", AT_L2, AT_L2},
        {"prefetch.global.L2::evict_last [%q1];", AT_L2, AT_L2},
        {"prefetch.global.L2 [%q1];", AT_L1, AT_L2},
        {"prefetch.global.L1 [%q1];", AT_L2, AT_L1},
        {"prefetch.global.L1 [%q1];", AT_L1, AT_L1},
        {"prefetch.L1 [%q1];", AT_L1, AT_L1},
        {"prefetchu.L1 [%q1];", AT_L1, AT_L1},
        {"prefetch.global.L2 [%q2];", SPREAD, SPREAD},
        {"cp.async.bulk.prefetch.L2.global [%q1], 128;", AT_L2, AT_L2},
        {"cp.async.bulk.prefetch.L2.global [%q1], 4096;", SPREAD, SPREAD},
        {"cp.async.bulk.prefetch.L2.global [%q2], 128;", SPREAD, SPREAD},
        {"prefetch.global.L2 [%q1+128];", AT_L2, NOTHING}, /* another line */
        {"prefetch.L1 [%q4];", AT_L1, NOTHING},            /* shared memory has no lines */
        {"prefetch.global.L2 [4];", AT_L2, NOTHING},       /* nor has what is not there */
        {"prefetchu.L1 [%q4];", AT_L1, NOTHING},
        {"prefetch.local.L1 [depot];", AT_L1, NOTHING},
        {"cp.async.bulk.prefetch.L2.global [%q4], 128;", AT_L2, NOTHING},
    };
    for (size_t k = 0; k < WW_ARRAY_LEN(table); k++) {
        const outcome o = run(table[k].ask, LONG, table[k].read);
        const outcome like = run(table[k].like, LONG, table[k].read);
        const uint32_t off = table[k].like[0] == 'm' ? 2 : 0; /* DRAM has a clock of its own */
        if (o.cycles > like.cycles + off || o.cycles + off < like.cycles) {
            fail_msg("%s, then %s: %u cycles, not %u", table[k].ask, table[k].read, o.cycles,
                     like.cycles);
        }
    }
}

/* 1 request a line, of 4 sectors of the L2; to the SM comes a word for it, where a load of the line
 * brings 4 flits. */
static void lines_are_asked_for_once(void **state)
{
    (void)state;
    static const struct {
        const char *ask;
        uint64_t requests, l1_reads, l2_reads, flits, commands;
    } table[] = {
        {"prefetch.global.L2 [%q1];", 1, 0, 4, 1, 0},
        {"prefetch.global.L2 [%q3];", 1, 0, 4, 1, 0},
        {"prefetch.global.L2 [%q2];", 32, 0, 128, 32, 0},
        {"prefetch.global.L1 [%q3];", 1, 4, 4, 4, 0},
        {"prefetch.L1 [%q4];", 0, 0, 0, 0, 0},
        {"cp.async.bulk.prefetch.L2.global [%q1], 4096;", 32, 0, 128, 32, 1},
        {"cp.async.bulk.prefetch.L2.global [%q2], 128;", 32, 0, 128, 32, 32},
        {"cp.async.bulk.prefetch.L2.global [%q1], 16;", 1, 0, 1, 1, 1},
    };
    const outcome none = run(NOTHING, LONG, NOTHING);
    for (size_t k = 0; k < WW_ARRAY_LEN(table); k++) {
        const outcome o = run(table[k].ask, LONG, NOTHING);
        if (o.requests - none.requests != table[k].requests ||
            o.l1_reads - none.l1_reads != table[k].l1_reads ||
            o.l2_reads - none.l2_reads != table[k].l2_reads ||
            o.flits - none.flits != table[k].flits || o.commands != table[k].commands) {
            fail_msg("%s: %d requests, %d reads of the L1, %d of the L2, %d flits, %d commands",
                     table[k].ask, (int)(o.requests - none.requests),
                     (int)(o.l1_reads - none.l1_reads), (int)(o.l2_reads - none.l2_reads),
                     (int)(o.flits - none.flits), (int)o.commands);
        }
    }
}

/* The line is on its way: a load that comes meanwhile ends when a load in the prefetch's place had.
 */
static void a_load_meets_what_is_on_its_way(void **state)
{
    (void)state;
    const uint32_t cold = run(NOTHING, LONG, AT_L1).cycles;
    for (unsigned wait = 100; wait < 400; wait += 100) {
        const outcome o = run("prefetch.global.L1 [%q1];", wait, AT_L1);
        assert_in_range(o.whole, cold, cold + 24);
        assert_true(o.cycles + wait <= o.whole);
    }
}

/* Where the L1 keeps no global data, a prefetch for it goes to the L2. */
static void without_an_l1_it_is_the_l2(void **state)
{
    (void)state;
    static const ww_setting none = {"ldst.l1_caches_global", "false"};
    const uint32_t hit = run_on(AT_L2, LONG, AT_L2, &none).cycles;
    assert_int_equal(run_on("prefetch.global.L1 [%q1];", LONG, AT_L2, &none).cycles, hit);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_asked_for_is_there),
        cmocka_unit_test(lines_are_asked_for_once),
        cmocka_unit_test(a_load_meets_what_is_on_its_way),
        cmocka_unit_test(without_an_l1_it_is_the_l2),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
