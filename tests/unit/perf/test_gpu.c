/* test_gpu.c - the cycle loop: is skipping exact, do runs repeat, do intervals add up, is a stuck
 * kernel found? */
#include "tests/support/test.h"

#include "base/mem.h"
#include "perf/gpu/gpu.h"
#include "tests/unit/sm/kernels.h"

enum { THREADS = 192, CTAS = 50, WORDS = THREADS * CTAS };

typedef struct fixture {
    ww_arch *arch;
    ww_devmem *mem;
    ww_gpu *gpu;
    ww_launch launch;
    ww_program program;
    uint64_t data;
} fixture;

static void load(fixture *f, const char *gpu, const ww_setting *settings, size_t count)
{
    ww_error err = {0};
    char path[512];
    snprintf(path, sizeof path, "%s/configs/gpu/%s.xml", WW_SOURCE_DIR, gpu);
    memset(f, 0, sizeof *f);
    assert_ok(ww_arch_load(path, settings, count, &f->arch, &err), err);
    assert_ok(ww_devmem_create(&f->mem, &err), err);
    assert_ok(ww_devmem_alloc(f->mem, 4 * WORDS * 8, 256, &f->data, &err), err);
    assert_ok(ww_gpu_create(f->arch, &f->gpu, &err), err);
}

static void set_kernel(fixture *f, const ww_kernel *kernel, uint32_t ctas, uint32_t threads)
{
    ww_error err = {0};
    f->launch = (ww_launch){.kernel = kernel,
                            .grid = {ctas, 1, 1},
                            .block = {threads, 1, 1},
                            .mem = f->mem,
                            .sm_count = f->arch->sm.count,
                            .params = (const unsigned char *)""};
    assert_ok(ww_exec_prepare(&f->launch, &err), err);
    assert_ok(ww_program_init(&f->program, kernel, f->arch, 0, &err), err);
}

static ww_status run(fixture *f, const ww_gpu_run_options *options, ww_error *err)
{
    return ww_gpu_run(f->gpu, &f->launch, &f->program, 8, options, err);
}

static void close_all(fixture *f)
{
    ww_program_fini(&f->program);
    ww_exec_release(&f->launch);
    ww_gpu_destroy(f->gpu);
    ww_devmem_destroy(f->mem);
    ww_arch_destroy(f->arch);
}

static ww_operand pair(uint32_t r)
{
    return (ww_operand){.kind = WW_OPD_REG, .words = 2, .reg = r};
}

static void op3(code *c, ww_op op, ww_type type, ww_operand d, ww_operand a, ww_operand b)
{
    ww_operand src[2] = {a, b};
    put(c, op, type, 1, &d, 2, src);
}

/* r2:r3 = base + 4 * (stride * global thread). */
static void address(code *c, uint64_t base, uint32_t stride)
{
    ww_operand d = reg(4),
               src[3] = {sreg(WW_SREG_CTAID_X), sreg(WW_SREG_NTID_X), sreg(WW_SREG_TID_X)};
    mov(c, 5, src[0]);
    mov(c, 6, src[1]);
    mov(c, 7, src[2]);
    ww_operand mad[3] = {reg(5), reg(6), reg(7)};
    put(c, WW_OP_MAD, WW_T_U32, 1, &d, 3, mad)->sub = WW_SUB_LO;
    mov(c, 2, imm(base & 0xffffffffu));
    mov(c, 3, imm(base >> 32));
    ww_operand d8 = pair(8), wide[2] = {reg(4), imm(4 * stride)};
    put(c, WW_OP_MUL, WW_T_U32, 1, &d8, 2, wide)->sub = WW_SUB_WIDE;
    op3(c, WW_OP_ADD, WW_T_U64, pair(2), pair(2), pair(8));
}

/* Loads, a divergent loop, shared memory, barriers, special functions, stores and reductions: every
 * stage and stall reason. */
static const ww_kernel *mixed_kernel(code *c, uint64_t base)
{
    address(c, base, 3);
    load_global(c, 10, 2);
    ww_operand d = reg(11), seven[2] = {reg(4), imm(7)}, two[2] = {reg(7), imm(2)};
    put(c, WW_OP_AND, WW_T_B32, 1, &d, 2, seven);
    uint32_t loop = c->count;
    add3(c, 10, 10, 11);
    ww_operand ex = reg(12), x = reg(10);
    put(c, WW_OP_EX2, WW_T_F32, 1, &ex, 1, &x)->sub = WW_SUB_APPROX;
    add(c, 11, 11, UINT32_MAX);
    ww_operand p = pred(0), cmp[2] = {reg(11), imm(100)};
    put(c, WW_OP_SETP, WW_T_U32, 1, &p, 2, cmp)->cmp = WW_CMP_LO;
    ww_inst *back = put(c, WW_OP_BRA, WW_T_NONE, 0, NULL, 0, NULL);
    back->guard = pred(0);
    back->target = loop;
    back->reconv = c->count;
    ww_operand sh = reg(13);
    put(c, WW_OP_SHL, WW_T_B32, 1, &sh, 2, two);
    ww_operand st[2] = {reg(13), reg(10)};
    put(c, WW_OP_ST, WW_T_U32, 0, NULL, 2, st)->space = WW_SPACE_SHARED;
    bar(c);
    load_shared(c, 14, 13);
    add3(c, 14, 14, 12);
    store_global(c, 2, 14);
    put(c, WW_OP_MEMBAR, WW_T_NONE, 0, NULL, 0, NULL)->sub = WW_SUB_GL;
    ww_operand red[2] = {pair(2), reg(7)};
    ww_inst *r = put(c, WW_OP_RED, WW_T_U32, 0, NULL, 2, red);
    r->space = WW_SPACE_GLOBAL;
    r->sub = WW_SUB_ADD;
    finish(c);
    return as_kernel(c, 16);
}

/* Two launches of the mixed kernel on one device, so that the second starts at an odd time with
 * warm L2. */
static void run_mixed(const char *gpu, const ww_setting *settings, size_t count, bool skip,
                      uint64_t interval, ww_counter_set *out)
{
    fixture f;
    code c = {0};
    ww_error err = {0};
    load(&f, gpu, settings, count);
    set_kernel(&f, mixed_kernel(&c, f.data), CTAS, THREADS);
    ww_gpu_allow_skip(f.gpu, skip);
    const ww_gpu_run_options options = {.interval_cycles = interval};
    for (unsigned i = 0; i < 2; i++) {
        assert_ok(run(&f, &options, &err), err);
        const uint32_t *n = f.gpu->counters.count;
        assert_ok(ww_counter_set_init(&out[i], n[WW_SCOPE_SM], n[WW_SCOPE_SLICE],
                                      n[WW_SCOPE_CHANNEL], &err),
                  err);
        assert_ok(ww_counter_set_copy(&out[i], &f.gpu->counters, &err), err);
    }
    close_all(&f);
}

static void assert_same(const ww_counter_set *a, const ww_counter_set *b)
{
    for (int scope = 0; scope < WW_SCOPE_COUNT; scope++) {
        for (uint32_t i = 0; i < a->count[scope]; i++) {
            for (int k = 0; k < WW_COUNTER_COUNT; k++) {
                uint64_t x = a->block[scope][i].v[k], y = b->block[scope][i].v[k];
                if (x != y) {
                    fail_msg("%s of instance %u: %llu and %llu",
                             ww_counter_describe((ww_counter)k)->name, i, (unsigned long long)x,
                             (unsigned long long)y);
                }
            }
        }
    }
}

static void compare(const char *gpu, const ww_setting *settings, size_t count, uint64_t interval_b,
                    bool skip_b)
{
    ww_counter_set a[2], b[2];
    run_mixed(gpu, settings, count, true, 0, a);
    run_mixed(gpu, settings, count, skip_b, interval_b, b);
    for (unsigned i = 0; i < 2; i++) {
        assert_same(&a[i], &b[i]);
        ww_counter_set_fini(&a[i]);
        ww_counter_set_fini(&b[i]);
    }
}

static void skipping_equals_ticking(void **state)
{
    (void)state;
    static const char *const policies[] = {"lrr", "gto", "two-level", "oldest"};
    for (unsigned i = 0; i < 4; i++) {
        const ww_setting s[] = {{"sm.scheduler", policies[i]}};
        compare("gtx480", s, 1, 0, false);
    }
    const ww_setting mesh[] = {{"icnt.topology", "mesh"}, {"icnt.vc_flits", "2"}};
    compare("gtx480", mesh, 2, 0, false);
    compare("gt240", NULL, 0, 0, false);
    compare("gtx1080ti", NULL, 0, 0, false);
    compare("gtx480-gpgpusim", NULL, 0, 0, false);
}

/* A starved load/store unit: its head waits for MSHRs and for the interconnect while everything
 * else sleeps. */
static void skipping_equals_ticking_when_starved(void **state)
{
    (void)state;
    const ww_setting s[] = {{"l1d.mshr_entries", "2"},
                            {"l1d.miss_queue", "1"},
                            {"icnt.input_packets", "1"},
                            {"ldst.queue_entries", "2"}};
    compare("gtx480", s, 4, 0, false);
    compare("gtx480-gpgpusim", s, 4, 0, false);
}

static void runs_repeat(void **state)
{
    (void)state;
    compare("gtx480", NULL, 0, 0, true);
}

static void snapshots_change_nothing(void **state)
{
    (void)state;
    static const ww_setting two[] = {{"sm.count", "2"}, {"sm.clusters", "2"}};
    compare("gtx480", NULL, 0, 97, true);
    compare("gtx480", two, 2, 2, true); /* splits windows between the CTAs that they place */
}

/* Intervals of so many cycles, with memory for `most` (0: for any number), sum to the launch. */
static void check_intervals(uint64_t every, uint64_t most)
{
    fixture f;
    code c = {0};
    ww_error err = {0};
    load(&f, "gtx480", NULL, 0);
    set_kernel(&f, mixed_kernel(&c, f.data), CTAS, THREADS);
    const ww_gpu_run_options options = {
        .interval_cycles = every, .interval_bytes = most * ww_counter_set_bytes(&f.gpu->counters)};
    assert_ok(run(&f, &options, &err), err);
    const ww_snapshots *s = &f.gpu->snapshots;
    uint64_t cycles = ww_counter_total(&f.gpu->counters, WW_C_CORE_CYCLES);
    while (most > 0 && (cycles + every - 1) / every >= most) {
        every *= 2;
    }
    assert_int_equal(s->count, (cycles + every - 1) / every);
    ww_counter_set sum;
    const uint32_t *n = f.gpu->counters.count;
    assert_ok(
        ww_counter_set_init(&sum, n[WW_SCOPE_SM], n[WW_SCOPE_SLICE], n[WW_SCOPE_CHANNEL], &err),
        err);
    for (size_t i = 0; i < s->count; i++) {
        assert_int_equal(s->interval[i].first_cycle, every * i);
        assert_int_equal(ww_counter_total(&s->interval[i].counters, WW_C_CORE_CYCLES),
                         s->interval[i].last_cycle - s->interval[i].first_cycle);
        assert_ok(ww_counter_set_add(&sum, &s->interval[i].counters, &err), err);
    }
    assert_same(&sum, &f.gpu->counters);
    ww_counter_set_fini(&sum);
    close_all(&f);
}

static void intervals_sum_to_the_launch(void **state)
{
    (void)state;
    check_intervals(500, 0);
}

/* Neighbours are merged as often as it takes. */
static void intervals_keep_within_their_memory(void **state)
{
    (void)state;
    check_intervals(50, 8);
    check_intervals(50, 2);
}

static uint64_t total(const fixture *f, ww_counter c)
{
    return ww_counter_total(&f->gpu->counters, c);
}

static void counters_obey_conservation(void **state)
{
    (void)state;
    fixture f;
    code c = {0};
    ww_error err = {0};
    load(&f, "gtx480", NULL, 0);
    set_kernel(&f, mixed_kernel(&c, f.data), CTAS, THREADS);
    const ww_gpu_run_options options = {0};
    assert_ok(run(&f, &options, &err), err);
    for (uint32_t i = 0; i < f.arch->sm.count; i++) {
        const uint64_t *v = f.gpu->counters.block[WW_SCOPE_SM][i].v;
        uint64_t sum = 0;
        for (int k = WW_C_SLOTS_ISSUED; k <= WW_C_STALL_IDLE; k++) {
            sum += v[k];
        }
        assert_int_equal(sum, v[WW_C_SLOTS]);
        assert_int_equal(v[WW_C_SLOTS], v[WW_C_SM_ACTIVE] * f.arch->sm.schedulers);
        assert_true(v[WW_C_SM_ACTIVE] <= total(&f, WW_C_CORE_CYCLES));
        assert_true(v[WW_C_INST_THREAD] <= v[WW_C_INST_LANES]);
        assert_true(v[WW_C_INST_LANES] <= 32 * v[WW_C_INST_ISSUED]);
        assert_int_equal(v[WW_C_INST_LANES], v[WW_C_THREAD_ARITH] + v[WW_C_THREAD_BRANCH] +
                                                 v[WW_C_THREAD_MEMORY] + v[WW_C_THREAD_OTHER]);
        assert_int_equal(v[WW_C_STACK_PUSH], v[WW_C_STACK_POP]);
        assert_int_equal(v[WW_C_OC_WRITE], v[WW_C_RF_READ]);
        assert_int_equal(v[WW_C_OC_READ], v[WW_C_PIPE_SP] + v[WW_C_PIPE_DP] + v[WW_C_PIPE_SFU] +
                                              v[WW_C_PIPE_LDST] + v[WW_C_PIPE_TENSOR]);
        assert_int_equal(v[WW_C_INST_DECODED], v[WW_C_INST_ISSUED] + v[WW_C_IBUF_FLUSHED]);
    }
    assert_int_equal(total(&f, WW_C_CTAS), CTAS);
    assert_int_equal(total(&f, WW_C_WARPS), CTAS * THREADS / 32);
    assert_int_equal(total(&f, WW_C_L1D_READ_MISS),
                     total(&f, WW_C_L1D_READ_MERGED) + total(&f, WW_C_L1D_FILL));
    assert_int_equal(total(&f, WW_C_ATOMICS), CTAS * THREADS / 32);
    assert_int_equal(total(&f, WW_C_L2_ATOMIC), CTAS * THREADS);
    assert_true(total(&f, WW_C_CLUSTER_ACTIVE) >= total(&f, WW_C_SM_ACTIVE) / f.arch->sm.count);
    close_all(&f);
}

/* Warp 0 waits at a barrier for two warps; the other one has exited: nobody will ever come. */
static void deadlock_is_reported(void **state)
{
    (void)state;
    fixture f;
    code c = {0};
    ww_error err = {0};
    load(&f, "gtx480", NULL, 0);
    mov(&c, 0, sreg(WW_SREG_TID_X));
    ww_operand p = pred(0), cmp[2] = {reg(0), imm(32)};
    put(&c, WW_OP_SETP, WW_T_U32, 1, &p, 2, cmp)->cmp = WW_CMP_HS;
    finish(&c)->guard = pred(0);
    ww_operand src[2] = {imm(1), imm(64)};
    put(&c, WW_OP_BAR, WW_T_NONE, 0, NULL, 2, src)->sub = WW_SUB_SYNC;
    finish(&c);
    set_kernel(&f, as_kernel(&c, 4), 1, 96);
    const ww_gpu_run_options options = {0};
    assert_int_equal(run(&f, &options, &err), WW_EDEADLOCK);
    assert_non_null(strstr(
        err.what, "(live warps 1, live CTAs 1, CTAs not started 0). What the warps wait for:\n"));
    /* The fourth instruction of the kernel; hand-made kernels number their lines. */
    assert_non_null(strstr(err.what, "\n  line 4, bar"));
    assert_non_null(strstr(err.what,
                           ": barrier 1, 1 of 2 warps there, 2 of the CTA's 3 have exited\n"
                           "    1 warp: CTA 0,0,0 on SM 0: 0"));
    /* The chip is usable again. */
    ww_program_fini(&f.program);
    ww_exec_release(&f.launch);
    code good = {0};
    set_kernel(&f, mixed_kernel(&good, f.data), 2, THREADS);
    assert_ok(run(&f, &options, &err), err);
    close_all(&f);
}

/* Runs the mixed kernel once under a limit; its cycles, or the error's text in *err. */
static ww_status run_limited(uint64_t limit, bool skip, unsigned threads, uint64_t *cycles,
                             ww_error *err)
{
    static const ww_setting two[] = {
        {"sm.count", "2"}, {"sm.clusters", "2"}, {"sm.kernel_launch_cycles", "700"}};
    fixture f;
    code c = {0};
    load(&f, "gtx480", two, 3);
    set_kernel(&f, mixed_kernel(&c, f.data), 20, THREADS);
    ww_gpu_allow_skip(f.gpu, skip);
    assert_ok(ww_gpu_set_threads(f.gpu, threads, err), *err);
    const ww_gpu_run_options options = {.max_cycles = limit};
    ww_status status = run(&f, &options, err);
    *cycles = ww_counter_total(&f.gpu->counters, WW_C_CORE_CYCLES);
    close_all(&f);
    return status;
}

/* The limit is the last cycle that may be simulated: a launch of n cycles ends within n and not
 * within n - 1, and one that is stopped tells the state of that very cycle, wherever windows end,
 * whatever is skipped, whoever simulates it. */
static void the_limit_is_exact(void **state)
{
    (void)state;
    ww_error err = {0};
    uint64_t all, cycles;
    assert_ok(run_limited(0, true, 1, &all, &err), err);
    assert_ok(run_limited(all, true, 1, &cycles, &err), err);
    assert_int_equal(cycles, all);
    assert_ok(run_limited(all, false, 3, &cycles, &err), err);
    assert_int_equal(cycles, all);
    for (uint64_t limit = all - 1, step = 1; limit > step; limit -= step, step = 2 * step + 1) {
        ww_error plain = {0};
        char at[64];
        assert_int_equal(run_limited(limit, true, 1, &cycles, &plain), WW_EDEADLOCK);
        snprintf(at, sizeof at, "longer than the cycles allowed at cycle %llu (",
                 (unsigned long long)limit);
        assert_non_null(strstr(plain.what, at));
        for (unsigned k = 1; k < 4; k++) {
            ww_error other = {0};
            assert_int_equal(run_limited(limit, k % 2 == 0, k < 2 ? 1 : 3, &cycles, &other),
                             WW_EDEADLOCK);
            assert_string_equal(plain.what, other.what);
        }
    }
}

/* A launch that does nothing for long, before its first CTA, stops there too. */
static void the_limit_holds_while_nothing_happens(void **state)
{
    (void)state;
    ww_error err = {0};
    uint64_t cycles;
    for (unsigned k = 0; k < 2; k++) {
        assert_int_equal(run_limited(333, k == 0, 1, &cycles, &err), WW_EDEADLOCK);
        assert_non_null(strstr(err.what, "at cycle 333 (live warps 0, live CTAs 0"));
    }
}

static void too_many_cycles_is_an_error(void **state)
{
    (void)state;
    fixture f;
    code c = {0};
    ww_error err = {0};
    load(&f, "gtx480", NULL, 0);
    add(&c, 1, 1, 1);
    put(&c, WW_OP_BRA, WW_T_NONE, 0, NULL, 0, NULL)->target = 0;
    finish(&c);
    set_kernel(&f, as_kernel(&c, 4), 1, 32);
    const ww_gpu_run_options options = {.max_cycles = 20000};
    assert_int_equal(run(&f, &options, &err), WW_EDEADLOCK);
    assert_non_null(strstr(err.what, "longer than the cycles allowed at cycle 20000 ("));
    close_all(&f);
}

/* ---- edges ---- */

typedef struct asked {
    uint32_t begun, edges, reached, ended;
    uint64_t placed; /* CTAs when the dispatcher had stopped */
} asked;

enum { STOP = 3 };

static ww_status note_begin(void *user, ww_gpu *gpu, ww_error *err)
{
    asked *a = user;
    (void)err;
    a->begun++;
    gpu->cta_stop = STOP;
    return WW_OK;
}

static ww_status note_edge(void *user, ww_gpu *gpu, uint64_t now, ww_error *err)
{
    asked *a = user;
    (void)err;
    assert_true(now >= gpu->start);
    a->edges++;
    return WW_OK;
}

static ww_status note_reached(void *user, ww_gpu *gpu, uint64_t now, ww_error *err)
{
    asked *a = user;
    (void)now;
    (void)err;
    a->reached++;
    a->placed = gpu->grid->next_cta;
    gpu->cta_stop = UINT64_MAX;
    return WW_OK;
}

static ww_status note_end(void *user, ww_gpu *gpu, ww_error *err)
{
    asked *a = user;
    (void)gpu;
    (void)err;
    a->ended++;
    return WW_OK;
}

/* Who is asked at edges sees each window and stops the dispatcher at its limit; all CTAs run. */
static void edges_are_asked(void **state)
{
    (void)state;
    fixture f;
    code c = {0};
    ww_error err = {0};
    asked a = {0};
    const ww_gpu_edges edges = {note_begin, note_edge, note_reached, note_end, &a};
    load(&f, "gtx480", NULL, 0);
    set_kernel(&f, mixed_kernel(&c, f.data), CTAS, THREADS);
    const ww_gpu_run_options options = {.edges = &edges};
    assert_ok(run(&f, &options, &err), err);
    assert_int_equal(a.begun, 1);
    assert_int_equal(a.ended, 1);
    assert_int_equal(a.reached, 1);
    assert_int_equal(a.placed, STOP);
    assert_true(a.edges > 1);
    assert_int_equal(ww_counter_total(&f.gpu->counters, WW_C_CTAS), CTAS);
    close_all(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(skipping_equals_ticking),
        cmocka_unit_test(skipping_equals_ticking_when_starved),
        cmocka_unit_test(runs_repeat),
        cmocka_unit_test(snapshots_change_nothing),
        cmocka_unit_test(intervals_sum_to_the_launch),
        cmocka_unit_test(intervals_keep_within_their_memory),
        cmocka_unit_test(counters_obey_conservation),
        cmocka_unit_test(deadlock_is_reported),
        cmocka_unit_test(the_limit_is_exact),
        cmocka_unit_test(the_limit_holds_while_nothing_happens),
        cmocka_unit_test(too_many_cycles_is_an_error),
        cmocka_unit_test(edges_are_asked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
