/* test_cap.c - does a cap find the highest clock that fits, in few simulations, and say when none
 * does? */
#include "tests/support/test.h"

#include <math.h>
#include <string.h>

#include "run/cap.h"
#include "run/run.h"

static ww_error err;

/* A card whose power is known: idle, and so much per f V^2. */
typedef struct card {
    const ww_arch *arch;
    double idle_w, top_w;
    double jump_hz, jump_w; /* more from that clock on */
    double last_hz;
} card;

static double power_at(const card *c, double hz)
{
    double v = ww_arch_voltage(c->arch, hz), top_v = c->arch->chip.vdd_v;
    double share = hz * v * v / (c->arch->clock.core_hz * top_v * top_v);
    return c->idle_w + (c->top_w - c->idle_w) * share +
           (c->jump_hz > 0 && hz >= c->jump_hz ? c->jump_w : 0);
}

static ww_status draw(void *user, double core_hz, double *watts, ww_error *e)
{
    card *c = user;
    (void)e;
    c->last_hz = core_hz;
    *watts = power_at(c, core_hz);
    return WW_OK;
}

static ww_arch *load(const char *gpu, const char *cap)
{
    ww_arch *arch = NULL;
    const ww_setting setting = {"power.cap_w", cap};
    assert_ok(ww_arch_load(gpu, &setting, 1, &arch, &err), err);
    return arch;
}

static void enough_power_changes_nothing(void **state)
{
    (void)state;
    ww_arch *arch = load("a100", "300 W");
    card c = {.arch = arch, .idle_w = 60, .top_w = 299};
    ww_cap cap;
    assert_ok(ww_cap_search(arch, 60, draw, &c, &cap, &err), err);
    assert_int_equal(cap.runs, 1);
    assert_true(cap.core_hz == 1410e6 && cap.watts == 299 && cap.next_hz == 0);
    ww_arch_destroy(arch);
}

/* 60 W idle and 300 W at 1410 MHz: at 1200 MHz, 0.86014 of the voltage, 60 + 240 * 0.62966 =
 * 211.1 W. */
static void the_clock_fits_and_the_next_does_not(void **state)
{
    (void)state;
    static const char *const caps[] = {"299 W", "250 W", "211.2 W", "211.1 W", "120 W", "82.4 W"};
    for (size_t i = 0; i < WW_ARRAY_LEN(caps); i++) {
        ww_arch *arch = load("a100", caps[i]);
        card c = {.arch = arch, .idle_w = 60, .top_w = 300};
        ww_cap cap;
        assert_ok(ww_cap_search(arch, 60, draw, &c, &cap, &err), err);
        assert_near(cap.next_hz - cap.core_hz, 15e6, 1e-9, 0);
        assert_true(cap.watts <= arch->power.cap_w && cap.next_w > arch->power.cap_w);
        assert_near(cap.watts, power_at(&c, cap.core_hz), 1e-12, 0);
        assert_true(cap.runs <= 4);
        if (i == 2) {
            assert_near(cap.core_hz, 1200e6, 1e-12, 0);
            assert_near(cap.watts, 211.12, 1e-4, 0);
        }
        ww_arch_destroy(arch);
    }
}

/* Without known steps the clock is found to within 1 MHz. */
static void without_steps_it_is_found_to_a_megahertz(void **state)
{
    (void)state;
    ww_arch *arch = load("gtx480", "200 W");
    card c = {.arch = arch, .idle_w = 50, .top_w = 250};
    ww_cap cap;
    assert_ok(ww_cap_search(arch, 50, draw, &c, &cap, &err), err);
    assert_near(cap.next_hz - cap.core_hz, 1e6, 1e-6, 0);
    assert_true(cap.watts <= 200 && cap.next_w > 200);
    ww_arch_destroy(arch);
}

/* Power that leaps cannot mislead the line for ever. */
static void leaps_are_halved(void **state)
{
    (void)state;
    ww_arch *arch = load("a100", "200 W");
    card c = {.arch = arch, .idle_w = 20, .top_w = 150, .jump_hz = 645e6, .jump_w = 400};
    ww_cap cap;
    assert_ok(ww_cap_search(arch, 20, draw, &c, &cap, &err), err);
    assert_near(cap.core_hz, 630e6, 1e-12, 0);
    assert_true(cap.runs <= 14);
    ww_arch_destroy(arch);
}

/* A card that draws 900 W in the lower half of its clocks, and what is known of it. */
typedef struct upside_down {
    double last_hz[4];
    unsigned runs;
} upside_down;

static ww_status draw_upside_down(void *user, double core_hz, double *watts, ww_error *e)
{
    upside_down *u = user;
    (void)e;
    if (u->runs < WW_ARRAY_LEN(u->last_hz)) {
        u->last_hz[u->runs] = core_hz;
    }
    u->runs++;
    *watts = core_hz < 300e6 ? 90 : core_hz < 1400e6 ? 900 : 300;
    return WW_OK;
}

/* A line that falls proposes nothing: the next clock is the middle of those that are left. */
static void a_falling_line_is_not_followed(void **state)
{
    (void)state;
    ww_arch *arch = load("a100", "250 W");
    upside_down u = {0};
    ww_cap cap;
    assert_ok(ww_cap_search(arch, 60, draw_upside_down, &u, &cap, &err), err);
    assert_true(u.runs > 2 && u.last_hz[0] == 1410e6 && u.last_hz[1] < 1400e6);
    const double steps = (u.last_hz[1] - 15e6 - 210e6) / 15e6; /* from 210 MHz in steps of 15 */
    assert_near(u.last_hz[2], 210e6 + 15e6 * floor(steps / 2), 1e-9, 0);
    ww_arch_destroy(arch);
}

static void only_a_cap_is_searched_for(void **state)
{
    (void)state;
    const ww_setting cap = {"power.cap_w", "200 W"};
    ww_run_request request = {.gpu = "a100"};
    bool has = true;
    assert_ok(ww_run_has_cap(&request, &has, &err), err);
    assert_false(has);
    request.settings = &cap;
    request.setting_count = 1;
    assert_ok(ww_run_has_cap(&request, &has, &err), err);
    assert_true(has);
}

static void a_lower_cap_never_gives_a_higher_clock(void **state)
{
    (void)state;
    double last_hz = 0;
    for (int w = 70; w <= 300; w += 10) {
        char text[16];
        snprintf(text, sizeof text, "%d W", w);
        ww_arch *arch = load("a100", text);
        card c = {.arch = arch, .idle_w = 40, .top_w = 300};
        ww_cap cap;
        assert_ok(ww_cap_search(arch, 40, draw, &c, &cap, &err), err);
        assert_true(cap.core_hz >= last_hz);
        last_hz = cap.core_hz;
        ww_arch_destroy(arch);
    }
}

static void a_cap_that_no_clock_keeps_is_an_error(void **state)
{
    (void)state;
    ww_arch *arch = load("a100", "100 W");
    card c = {.arch = arch, .idle_w = 99, .top_w = 300}, broken = {.arch = arch, .top_w = NAN};
    ww_cap cap = {.runs = 77};
    ww_error e = {0};
    assert_int_equal(ww_cap_search(arch, 99, draw, &c, &cap, &e), WW_ERANGE);
    assert_non_null(
        strstr(e.what, "100 W is not kept at any clock: at the card's lowest, 210 MHz"));
    assert_true(c.last_hz == 210e6);
    assert_int_equal(ww_cap_search(arch, NAN, draw, &broken, &cap, &e), WW_ERANGE);
    assert_int_equal(cap.runs, 77);
    ww_arch_destroy(arch);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(enough_power_changes_nothing),
        cmocka_unit_test(the_clock_fits_and_the_next_does_not),
        cmocka_unit_test(without_steps_it_is_found_to_a_megahertz),
        cmocka_unit_test(leaps_are_halved),
        cmocka_unit_test(a_falling_line_is_not_followed),
        cmocka_unit_test(only_a_cap_is_searched_for),
        cmocka_unit_test(a_lower_cap_never_gives_a_higher_clock),
        cmocka_unit_test(a_cap_that_no_clock_keeps_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
