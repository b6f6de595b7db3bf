/* test_darsie_dead.c - does a register that nobody reads any more make room for another result, as
 * the pass has marked it? */
#include "mech/darsie/darsie.h"
#include "mech/darsie/test_room.h"

static ww_arch dead_arch(ww_darsie_release release)
{
    ww_arch arch = darsie_arch();
    arch.darsie.release = release;
    return arch;
}

static const ds_notes *notes_of(code *c, const ww_arch *arch, ww_arena *arena)
{
    ww_error err = {0};
    const ww_kernel *other = NULL;
    const void *made = NULL;
    finish(c);
    const ww_mech_build build = {.kernel = as_kernel(c, 16), .arch = arch, .arena = arena};
    assert_ok(ds_pass(&build, &other, &made, &err), err);
    return made;
}

/* Registers that are read further on are live: of one pass still when another has been made, whose
 * registers are others. */
static void what_is_live_is_kept(void **state)
{
    static const uint64_t live[] = {0, 1 << 1, 1 << 1 | 1 << 2, 1 << 2 | 1 << 3, 0};
    (void)state;
    static code first, second;
    const ww_arch arch = dead_arch(WW_DARSIE_RELEASE_DEAD);
    ww_arena arena = {0}, another = {0};
    mov(&first, 1, imm(5));
    mov(&first, 2, imm(6));
    add3(&first, 3, 1, 2);
    add3(&first, 4, 3, 2);
    for (uint32_t r = 5; r < 11; r++) {
        mov(&second, r, imm(r));
    }
    for (uint32_t r = 5; r < 11; r++) {
        add3(&second, 4, r, r);
    }
    const ds_notes *notes = notes_of(&first, &arch, &arena);
    (void)notes_of(&second, &arch, &another);
    assert_int_equal(notes->words, 1);
    for (size_t i = 0; i < WW_ARRAY_LEN(live); i++) {
        assert_int_equal(notes->live[i], live[i]);
    }
    ww_arena_fini(&arena);
    ww_arena_fini(&another);
}

/* Each constant is read once, by what each warp computes for itself. With one register for all of
 * them, the second warp skips the first alone where registers are held until they are written
 * again, and more where they end with their last read. */
static void the_dead_make_room(void **state)
{
    enum { CONSTANTS = 4 };
    (void)state;
    for (unsigned dead = 0; dead <= 1; dead++) {
        code c = {0};
        for (uint32_t i = 0; i < CONSTANTS; i++) {
            mov(&c, 1 + 2 * i, imm(i));
            add_sreg(&c, 2 + 2 * i, 1 + 2 * i, WW_SREG_TID_Y);
        }
        ww_arch arch = dead_arch(dead ? WW_DARSIE_RELEASE_DEAD : WW_DARSIE_RELEASE_WRITTEN);
        arch.darsie.registers = 1;
        machine m;
        run(&m, &arch, &c, 32, 2);
        assert_int_equal(get(&m, WW_C_MECH_SKIPPED) > 1, dead);
        assert_int_equal(get(&m, WW_C_MECH_MISMATCH), 0);
        machine_close(&m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_live_is_kept),
        cmocka_unit_test(the_dead_make_room),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
