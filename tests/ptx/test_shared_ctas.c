/* Do several threads that share a launch without time give what one gives: memory, counters, the
 * error of the lowest CTA? Do kernels that show the order of their CTAs run one after the other? */
#include <string.h>

#include "arch/arch.h"
#include "counters/counters.h"
#include "perf/api/device.h"
#include "tests/support/test.h"

enum { CTAS = 700, THREADS = 96 };

#define HEAD                                                                                       \
    "(.param .u64 out) {\n.reg .b64 %q<9>; .reg .b32 %r<19>; .reg .pred %p<4>;\n"                  \
    ".shared .align 4 .b8 s[384]; ld.param.u64 %q1, [out]; mov.u32 %r1, %tid.x;\n"                 \
    "mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mad.lo.u32 %r4, %r2, %r3, %r1;\n"                \
    "mul.wide.u32 %q2, %r4, 4; add.u64 %q2, %q2, %q1; shl.b32 %r5, %r1, 2; mov.u32 %r6, s;\n"

static const char text[] =
    ".version 7.8\n.target sm_75\n.address_size 64\n"
    /* Turned around in shared memory, as often as the CTA's number says. */
    ".visible .entry turn" HEAD
    "mul.lo.u32 %r7, %r4, %r4; add.u32 %r8, %r6, %r5; and.b32 %r9, %r2, 7;\n"
    "sub.u32 %r10, 95, %r1; shl.b32 %r10, %r10, 2; add.u32 %r10, %r10, %r6;\n"
    "L: st.shared.u32 [%r8], %r7; bar.sync 0; ld.shared.u32 %r7, [%r10]; bar.sync 0;\n"
    "add.u32 %r7, %r7, 1; setp.ne.u32 %p1, %r9, 0; sub.u32 %r9, %r9, 1; @%p1 bra L;\n"
    "st.global.u32 [%q2], %r7; ret;\n}\n"
    /* Tickets. */
    ".visible .entry ticket" HEAD
    "setp.ne.u32 %p1, %r1, 0; @%p1 bra X; atom.global.add.u32 %r7, [%q1+4], 1;\n"
    "st.global.u32 [%q2], %r7;\nX: ret;\n}\n"
    /* CTAs 600, 300 and 450 store outside. */
    ".visible .entry outside" HEAD
    "rem.u32 %r7, %r2, 150; setp.ne.u32 %p1, %r7, 0; setp.lt.u32 %p2, %r2, 200;\n"
    "or.pred %p1, %p1, %p2; @%p1 bra X; mov.u64 %q2, 64; X: st.global.u32 [%q2], %r1; ret;\n}\n";

typedef struct machine {
    ww_arch *arch;
    ww_device *device;
    ww_module *module;
    ww_devptr out;
    ww_error err;
    uint64_t counters[WW_COUNTER_COUNT];
} machine;

static ww_status keep_counters(void *user, const struct ww_launch_record *record, ww_error *err)
{
    (void)err;
    for (int c = 0; c < WW_COUNTER_COUNT; c++) {
        ((machine *)user)->counters[c] = ww_counter_total(record->counters, (ww_counter)c);
    }
    return WW_OK;
}

static void open_machine(machine *m, unsigned threads)
{
    *m = (machine){0};
    const ww_device_options options = {
        .functional_only = true, .threads = threads, .on_launch = keep_counters, .user = m};
    assert_ok(ww_arch_load(WW_SOURCE_DIR "/configs/gpu/gtx480.xml", NULL, 0, &m->arch, &m->err),
              m->err);
    assert_ok(ww_device_create(m->arch, &options, &m->device, &m->err), m->err);
    assert_ok(ww_device_load_ptx(m->device, "t.ptx", text, sizeof text - 1, &m->module, &m->err),
              m->err);
    assert_ok(ww_device_malloc(m->device, CTAS * THREADS * 4, &m->out, &m->err), m->err);
}

static void close_machine(machine *m)
{
    ww_device_destroy(m->device);
    ww_arch_destroy(m->arch);
}

static ww_status launch(machine *m, const char *kernel)
{
    const void *args[] = {&m->out};
    return ww_device_launch(m->device, m->module, kernel, (ww_dim3){CTAS, 1, 1},
                            (ww_dim3){THREADS, 1, 1}, 0, args, 1, &m->err);
}

static void same_as_one(void **state)
{
    (void)state;
    static uint32_t got[2][CTAS * THREADS];
    machine m[2];
    for (unsigned k = 0; k < 2; k++) {
        open_machine(&m[k], k == 0 ? 1 : 4);
        assert_ok(launch(&m[k], "turn"), m[k].err);
        assert_ok(ww_device_read(m[k].device, got[k], m[k].out, sizeof got[k], &m[k].err),
                  m[k].err);
    }
    assert_int_equal(got[0][0], 95 * 95 + 1);
    assert_int_equal(got[0][THREADS + 3], (THREADS + 3) * (THREADS + 3) + 2);
    assert_memory_equal(got[0], got[1], sizeof got[0]);
    assert_memory_equal(m[0].counters, m[1].counters, sizeof m[0].counters);
    assert_true(m[0].counters[WW_C_INST_ISSUED] > 0);
    close_machine(&m[0]);
    close_machine(&m[1]);
}

static void order_that_shows(void **state)
{
    (void)state;
    static uint32_t got[CTAS * THREADS];
    machine m;
    open_machine(&m, 4);
    assert_ok(launch(&m, "ticket"), m.err);
    assert_ok(ww_device_read(m.device, got, m.out, sizeof got, &m.err), m.err);
    for (uint32_t k = 0; k < CTAS; k++) {
        assert_int_equal(got[k * THREADS], k);
    }
    close_machine(&m);
}

static void lowest_error(void **state)
{
    (void)state;
    for (unsigned n = 0; n < 20; n++) {
        machine m;
        open_machine(&m, 4);
        assert_int_equal(launch(&m, "outside"), WW_EFAULT);
        assert_non_null(strstr(m.err.what, "CTA (300,0,0)"));
        close_machine(&m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_as_one),
        cmocka_unit_test(order_that_shows),
        cmocka_unit_test(lowest_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
