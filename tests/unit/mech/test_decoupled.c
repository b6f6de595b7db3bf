/* test_decoupled.c - what the seam offers a second stream: instructions taken out of the code,
 * operands that are not read, a warp whose path a mechanism drives, requests that are locked with
 * their look-up, and passes of a unit without a warp. */
#include "tests/support/test.h"

#include "tests/unit/sm/kernels.h"

/* A mechanism that gives the kernel shapes, drives a warp along a list, and asks for lines. */
typedef struct driver {
    ww_sm *sm;
    uint32_t entry;         /* of the driven warp; 0: none */
    uint32_t path[8];       /* instructions behind it, WW_NO_TARGET at the end */
    uint32_t lanes;         /* of each of its instructions */
    uint32_t warp, steps;   /* its slot; instructions so far */
    uint64_t request_at[3]; /* cycles */
    uint64_t line;
    uint32_t most;
    uint64_t claim_at, pass_at;
    /* what was seen */
    ww_inject_result result[3];
    bool locked[3];
    uint32_t heads[16], head_count; /* instructions of warp 0 that came to the head */
} driver;

static driver *driver_of_next;
static const ww_inst_shape *shapes_of_next;

static ww_status pass(const ww_mech_build *build, const ww_kernel **kernel, const void **notes,
                      ww_error *err)
{
    ww_kernel *k = WW_ARENA_NEW(build->arena, ww_kernel);
    (void)notes;
    (void)err;
    *k = *build->kernel;
    k->shape = shapes_of_next;
    *kernel = k;
    return WW_OK;
}

static ww_status create(ww_sm *sm, const ww_arch *arch, void **state, ww_error *err)
{
    (void)arch;
    (void)err;
    driver_of_next->sm = sm;
    *state = driver_of_next;
    return WW_OK;
}

static void cta_started(void *state, uint32_t cta, ww_warps warps, uint64_t now)
{
    driver *d = state;
    ww_error err = {0};
    (void)cta;
    (void)warps;
    if (d->entry != 0) {
        assert_ok(ww_mech_start_warp(d->sm, d->entry, 0, now, &d->warp, &err), err);
        ww_mech_drive(d->sm, d->warp, ww_mech_index(d->sm, d));
    }
}

static void head(void *state, uint32_t warp, uint32_t pc, uint64_t now)
{
    driver *d = state;
    (void)now;
    if (warp == 0 && d->head_count < 16) {
        d->heads[d->head_count++] = pc;
    }
}

static uint32_t driven(void *state, uint32_t warp, uint32_t pc, ww_step *step, uint64_t now)
{
    driver *d = state;
    (void)now;
    assert_int_equal(warp, d->warp);
    assert_int_equal(pc, d->steps == 0 ? d->entry : d->path[d->steps - 1]);
    step->active = step->exec = (1u << d->lanes) - 1;
    return d->path[d->steps++];
}

static void tick(void *state, uint64_t now)
{
    driver *d = state;
    for (unsigned i = 0; i < 3; i++) {
        if (d->request_at[i] != 0 && d->request_at[i] == now) {
            d->result[i] = ww_mech_request(d->sm, d->line, d->most, now, &d->locked[i]);
        }
    }
    if (d->claim_at != 0 && d->claim_at == now) {
        ww_mech_claim_l1d(d->sm, now + 1);
    }
    if (d->pass_at != 0 && d->pass_at == now) {
        ww_mech_take_pass(d->sm, 0, 32);
    }
}

static uint64_t next(const void *state, uint64_t now)
{
    (void)state;
    return now + 1;
}

static const ww_mech driver_mech = {
    .name = "driver",
    .pass = pass,
    .create = create,
    .cta_started = cta_started,
    .head = head,
    .driven = driven,
    .tick = tick,
    .next = next,
};

static void open_driver(machine *m, const ww_arch *arch, code *c, uint32_t threads, driver *d,
                        const ww_inst_shape *shapes)
{
    driver_of_next = d;
    shapes_of_next = shapes;
    machine_open_with(m, arch, as_kernel(c, 12), threads, &driver_mech);
}

static uint32_t value(machine *m, uint32_t r)
{
    return ww_mech_warp(m->sm, 0)->regs[(size_t)r * WW_WARP_SIZE + 7];
}

/* ---- instructions that are absent ---- */

/* mov, three adds of which the middle two are absent, one add: the values are those of all five,
 * and three instructions and the exit are fetched, decoded and issued. */
static void absent_instructions_compute_without_time(void **state)
{
    (void)state;
    code c = {0};
    mov(&c, 1, imm(5));
    add(&c, 2, 1, 10);
    add(&c, 3, 2, 100);
    add(&c, 4, 3, 1000);
    add(&c, 5, 1, 1);
    finish(&c);
    const ww_inst_shape shapes[6] = {[2] = {.absent = true}, [3] = {.absent = true}};
    const ww_inst_shape none[6] = {{0}};
    ww_arch arch = small_arch();
    machine packed, whole;
    driver d = {0}, e = {0};
    open_driver(&packed, &arch, &c, 32, &d, shapes);
    start_cta(&packed);
    until(&packed, WW_C_INST_ISSUED, 3);
    assert_int_equal(value(&packed, 4), 1115);
    assert_int_equal(value(&packed, 5), 6);
    until(&packed, WW_C_INST_ISSUED, 4);
    assert_int_equal(get(&packed, WW_C_INST_ISSUED), 4);
    assert_int_equal(get(&packed, WW_C_INST_DECODED), 4);
    assert_int_equal(get(&packed, WW_C_MECH_ABSENT), 2);
    const uint32_t heads[] = {0, 1, 4, 5};
    assert_int_equal(d.head_count, 4);
    assert_memory_equal(d.heads, heads, sizeof heads);
    machine_close(&packed);

    open_driver(&whole, &arch, &c, 32, &e, none);
    run_cta(&whole);
    assert_int_equal(get(&whole, WW_C_INST_ISSUED), 6);
    assert_int_equal(get(&whole, WW_C_MECH_ABSENT), 0);
    machine_close(&whole);
}

/* Sixteen instructions fill a line of 128 bytes: 48 take three lines, the 25 that are left two. */
static void packed_code_takes_fewer_lines(void **state)
{
    (void)state;
    code c = {0};
    ww_inst_shape shapes[64] = {{0}};
    for (uint32_t i = 0; i < 47; i++) {
        mov(&c, 1 + i % 8, imm(i));
        shapes[i].absent = i % 2 == 1;
    }
    finish(&c);
    ww_arch arch = small_arch();
    const ww_inst_shape none[64] = {{0}};
    machine packed, whole;
    driver d = {0}, e = {0};
    open_driver(&packed, &arch, &c, 32, &d, shapes);
    open_driver(&whole, &arch, &c, 32, &e, none);
    run_cta(&packed);
    run_cta(&whole);
    assert_int_equal(get(&whole, WW_C_L1I_FILL), 3);
    assert_int_equal(get(&packed, WW_C_L1I_FILL), 2);
    assert_int_equal(get(&packed, WW_C_INST_ISSUED), 25);
    machine_close(&packed);
    machine_close(&whole);
}

/* ---- operands and addresses that come from elsewhere ---- */

/* A load without its address operand reads no register, waits for none, and needs neither address
 * generation nor the coalescer. */
static void unread_operands_cost_nothing(void **state)
{
    (void)state;
    uint64_t address = first_address();
    code c = {0};
    mov(&c, 2, imm(address & 0xffffffffu));
    mov(&c, 3, imm(address >> 32));
    load_global(&c, 4, 2);
    finish(&c);
    const ww_inst_shape shapes[4] = {[2] = {.addressed = true, .unread = 1}};
    const ww_inst_shape none[4] = {{0}};
    ww_arch arch = small_arch();
    machine with, without;
    driver d = {0}, e = {0};
    open_driver(&with, &arch, &c, 32, &d, shapes);
    open_driver(&without, &arch, &c, 32, &e, none);
    allocate(&with, address);
    allocate(&without, address);
    start_cta(&with);
    start_cta(&without);
    uint64_t moved = until(&with, WW_C_INST_ISSUED, 2), issued = until(&with, WW_C_INST_ISSUED, 3);
    assert_true(issued - moved < 10); /* the moves take 10 cycles */
    assert_true(until(&without, WW_C_INST_ISSUED, 3) >= issued + 8);
    until(&with, WW_C_L1D_READ_MISS, 1);
    until(&without, WW_C_L1D_READ_MISS, 1);
    assert_int_equal(get(&without, WW_C_RF_READ) - get(&with, WW_C_RF_READ), 2);
    assert_int_equal(get(&without, WW_C_COALESCE), 1);
    assert_int_equal(get(&with, WW_C_COALESCE), 0);
    assert_int_equal(get(&without, WW_C_AGU_LANES), 32);
    assert_int_equal(get(&with, WW_C_AGU_LANES), 0);
    assert_int_equal(get(&with, WW_C_L1D_READ_MISS), 1);
    machine_close(&with);
    machine_close(&without);
}

/* ---- a driven warp ---- */

/* It issues 4, 6, 4, 5 of the code behind the kernel's, three lanes each, and executes nothing. */
static void a_driven_warp_goes_where_it_is_told(void **state)
{
    (void)state;
    code c = {0};
    for (uint32_t i = 0; i < 40; i++) {
        add(&c, 1, 1, 1);
    }
    finish(&c);
    uint32_t entry = c.count;
    for (uint32_t i = 0; i < 3; i++) {
        add(&c, 2, 1, 7);
    }
    ww_arch arch = small_arch();
    machine m;
    driver d = {.entry = entry, .path = {entry + 2, entry, entry + 1, WW_NO_TARGET}, .lanes = 3};
    open_driver(&m, &arch, &c, 32, &d, NULL);
    start_cta(&m);
    until(&m, WW_C_MECH_EXTRA_INST, 4);
    assert_int_equal(d.steps, 4);
    assert_int_equal(d.warp, 48);
    until(&m, WW_C_INST_ISSUED, 45);
    assert_int_equal(get(&m, WW_C_MECH_EXTRA_INST), 4);
    assert_int_equal(get(&m, WW_C_INST_ISSUED), 45);
    assert_int_equal(get(&m, WW_C_INST_THREAD), 41 * 32 + 4 * 3);
    assert_int_equal(get(&m, WW_C_INST_PROGRAM), 41 * 32);
    machine_close(&m);
}

/* ---- requests with a lock ---- */

/* Sent, then on its way, then there; each adds a lock. With no way to lock: later. */
static void requests_are_locked_with_their_look_up(void **state)
{
    (void)state;
    uint64_t address = first_address();
    for (unsigned k = 0; k < 2; k++) {
        code c = {0};
        for (uint32_t i = 0; i < 120; i++) {
            add(&c, 1, 1, 1);
        }
        finish(&c);
        ww_arch arch = small_arch();
        arch.l1d = fixture_l1d();
        machine m;
        driver d = {.request_at = {100, 101, 900}, .line = address, .most = k == 0 ? 3 : 0};
        open_driver(&m, &arch, &c, 32, &d, NULL);
        allocate(&m, address);
        run_cta(&m);
        if (k == 0) {
            assert_int_equal(d.result[0], WW_INJECT_SENT);
            assert_int_equal(d.result[1], WW_INJECT_PENDING);
            assert_int_equal(d.result[2], WW_INJECT_PRESENT);
            assert_true(d.locked[0] && d.locked[1] && d.locked[2]);
            assert_int_equal(get(&m, WW_C_L1D_READ_MISS), 2); /* one of them merged */
            assert_int_equal(get(&m, WW_C_L1D_READ_HIT), 1);
            assert_int_equal(get(&m, WW_C_L1D_FILL), 1);
        } else {
            assert_int_equal(d.result[0], WW_INJECT_LOCKED);
            assert_false(d.locked[0]);
            assert_int_equal(get(&m, WW_C_L1D_FILL), 0);
        }
        machine_close(&m);
    }
}

/* When a warp's load has been counted, without and with a claim of the L1D for the cycle in which
 * it would look up. */
static void load_beside_claim(bool shared, ww_counter counter, uint64_t at[2])
{
    uint64_t address = shared ? 0 : first_address();
    for (unsigned k = 0; k < 2; k++) {
        code c = {0};
        mov(&c, 2, imm(address & 0xffffffffu));
        mov(&c, 3, imm(address >> 32));
        (shared ? load_shared : load_global)(&c, 4, 2);
        add(&c, 5, 4, 1);
        finish(&c);
        ww_arch arch = small_arch();
        arch.l1d = fixture_l1d();
        machine m;
        driver d = {.claim_at = k == 0 ? 0 : at[0] - 1};
        open_driver(&m, &arch, &c, 32, &d, NULL);
        if (!shared) {
            allocate(&m, address);
        }
        start_cta(&m);
        at[k] = until(&m, counter, 1);
        machine_close(&m);
    }
}

/* The demand look-up that a claimed cycle displaces is made in the next. */
static void a_claimed_cycle_keeps_the_unit_from_the_cache(void **state)
{
    (void)state;
    uint64_t at[2];
    load_beside_claim(false, WW_C_L1D_READ_MISS, at);
    assert_int_equal(at[1], at[0] + 1);
}

/* A shared-memory access has a port of its own: it is where it would be without the claim. */
static void a_claimed_cycle_leaves_shared_memory_alone(void **state)
{
    (void)state;
    uint64_t at[2];
    load_beside_claim(true, WW_C_SHARED_INST, at);
    assert_int_equal(at[1], at[0]);
}

/* ---- a pass without a warp ---- */

static void a_pass_takes_a_slot_and_a_pipeline(void **state)
{
    (void)state;
    uint64_t issued[2], adds[2], pipe[2];
    for (unsigned k = 0; k < 2; k++) {
        code c = {0};
        for (uint32_t i = 0; i < 60; i++) {
            add(&c, 1, 1, 1);
        }
        finish(&c);
        ww_arch arch = small_arch();
        machine m;
        driver d = {.pass_at = k == 0 ? 0 : 200};
        open_driver(&m, &arch, &c, 32, &d, NULL);
        run_cta(&m);
        issued[k] = get(&m, WW_C_SLOTS_ISSUED);
        adds[k] = get(&m, WW_C_OP_INT_ADD);
        pipe[k] = get(&m, WW_C_PIPE_SP);
        assert_int_equal(get(&m, WW_C_INST_ISSUED), 61);
        machine_close(&m);
    }
    assert_int_equal(issued[1], issued[0] + 1);
    assert_int_equal(adds[1], adds[0] + 32);
    assert_int_equal(pipe[1], pipe[0] + 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(absent_instructions_compute_without_time),
        cmocka_unit_test(packed_code_takes_fewer_lines),
        cmocka_unit_test(unread_operands_cost_nothing),
        cmocka_unit_test(a_driven_warp_goes_where_it_is_told),
        cmocka_unit_test(requests_are_locked_with_their_look_up),
        cmocka_unit_test(a_claimed_cycle_keeps_the_unit_from_the_cache),
        cmocka_unit_test(a_claimed_cycle_leaves_shared_memory_alone),
        cmocka_unit_test(a_pass_takes_a_slot_and_a_pipeline),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
