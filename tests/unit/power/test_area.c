/* test_area.c - do the parts of a die add up, do they follow the description, and are McPAT's fits
 * those of McPAT? */
#include "tests/support/test.h"

#include <string.h>

#include "arch/arch.h"
#include "power/area_parts.h"
#include "tests/unit/power/structure.h"

typedef struct built {
    ww_arch *arch;
    ww_power_model *model;
} built;

static built build(const char *gpu, const ww_setting *settings, size_t count)
{
    ww_error err = {0};
    built b;
    assert_ok(ww_arch_load(gpu, settings, count, &b.arch, &err), err);
    assert_ok(ww_power_model_create(b.arch, NULL, &b.model, &err), err);
    return b;
}

static void release(built *b)
{
    ww_power_model_destroy(b->model);
    ww_arch_destroy(b->arch);
}

static double sum_of(const ww_power_model *model, ww_area_kind kind)
{
    double area_m2 = 0;
    for (int c = 0; c < WW_COMPONENT_COUNT; c++) {
        area_m2 += ww_power_area_of(model, (ww_component)c, kind);
    }
    return area_m2;
}

static void test_kinds_add_up_to_the_die(void **state)
{
    (void)state;
    built b = build("gtx480", NULL, 0);
    double circuits = sum_of(b.model, WW_AREA_CIRCUIT), fits = sum_of(b.model, WW_AREA_FIT);
    assert_true(circuits > 0 && fits > 0);
    assert_near(circuits + fits, ww_power_modelled_m2(b.model), 1e-12, 0);
    assert_near(circuits + fits + sum_of(b.model, WW_AREA_REST), b.arch->chip.die_m2, 1e-12, 0);
    assert_true(ww_power_sm_m2(b.model) * b.arch->sm.count < circuits + fits);
    release(&b);
}

static const ww_area_part *part_of(const ww_area_part *part, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(part[i].name, name) == 0) {
            return &part[i];
        }
    }
    fail_msg("no part %s", name);
    return NULL;
}

static void assert_registers_grew(const built *a, const built *b)
{
    /* Placement takes a fifth on top of what grew. */
    double banks = structure_of(b->model, "RF/banks")->area_m2 -
                   structure_of(a->model, "RF/banks")->area_m2 +
                   structure_of(b->model, "RF/result bus")->area_m2 -
                   structure_of(a->model, "RF/result bus")->area_m2;
    assert_true(banks > 0);
    assert_near(ww_power_area(b->model, WW_COMPONENT_RF) - ww_power_area(a->model, WW_COMPONENT_RF),
                1.2 * banks, 1e-6, 0);
}

/* What a structure takes of a described die comes out of the rest: the die is given. */
static void test_described_registers_take_from_the_rest(void **state)
{
    (void)state;
    static const char text[] =
        "<gpu name='twice' about='test' extends='gtx480.xml' source='a test'>"
        "<sm><registers>65536</registers></sm></gpu>";
    ww_error err = {0};
    built a = build("gtx480", NULL, 0), b;
    assert_ok(ww_arch_parse("twice", text, sizeof text - 1, NULL, 0, &b.arch, &err), err);
    assert_ok(ww_power_model_create(b.arch, NULL, &b.model, &err), err);
    double grown = ww_power_modelled_m2(b.model) - ww_power_modelled_m2(a.model);
    assert_near(sum_of(a.model, WW_AREA_REST) - sum_of(b.model, WW_AREA_REST), grown, 1e-9, 0);
    assert_registers_grew(&a, &b);
    release(&a);
    release(&b);
}

/* A setting makes another die: the rest is that of the card, and the die as much larger. */
static void test_set_registers_grow_the_die(void **state)
{
    (void)state;
    static const ww_setting twice[] = {{"sm.registers", "65536"}};
    built a = build("gtx480", NULL, 0), b = build("gtx480", twice, 1);
    ww_area_part part[WW_AREA_PARTS];
    const size_t count = ww_power_area_parts(b.model, b.arch, part);
    const ww_area_part *die = part_of(part, count, "die");
    double grown = ww_power_modelled_m2(b.model) - ww_power_modelled_m2(a.model);
    assert_near(sum_of(a.model, WW_AREA_REST), sum_of(b.model, WW_AREA_REST), 1e-12, 0);
    assert_near(die->area_m2, a.arch->chip.die_m2 + grown, 1e-9, 0);
    assert_near(die->of_die, 1, 1e-9, 0);
    assert_registers_grew(&a, &b);
    release(&a);
    release(&b);
}

static double leakage_of(const built *b, ww_component component)
{
    size_t count;
    const ww_power_structure *s = ww_power_structures(b->model, &count);
    double leakage_w = 0;
    for (size_t i = 0; i < count; i++) {
        leakage_w += s[i].component == component ? s[i].leakage_w : 0;
    }
    return leakage_w;
}

/* A larger L2 leaks more, and so does the chip, be the card's static power modelled (GTX 480) or
 * its constant power known (A100). Neither clock nor temperature take that away. */
static void test_what_a_setting_adds_leaks_on_top(void **state)
{
    (void)state;
    static const struct {
        const char *gpu;
        ww_setting settings[3];
        size_t count;
    } cases[] = {
        {"gtx480", {{"l2.bytes", "256 KiB"}}, 1},
        {"a100", {{"l2.bytes", "1 MiB"}}, 1},
        {"a100", {{"l2.bytes", "1 MiB"}, {"clock.set_hz", "900MHz"}}, 2},
        {"a100", {{"l2.bytes", "1 MiB"}, {"chip.temperature_k", "320"}}, 2},
    };
    for (size_t i = 0; i < WW_ARRAY_LEN(cases); i++) {
        built a = build(cases[i].gpu, cases[i].settings + 1, cases[i].count - 1);
        built b = build(cases[i].gpu, cases[i].settings, cases[i].count);
        double more_w = leakage_of(&b, WW_COMPONENT_LDSTU) - leakage_of(&a, WW_COMPONENT_LDSTU);
        assert_true(more_w > 0);
        assert_near(ww_power_static_w(b.model) - ww_power_static_w(a.model), more_w, 1e-6, 0);
        release(&a);
        release(&b);
    }
}

/* Who sets watts of the whole says what the changed machine has. */
static void test_a_whole_that_is_set_holds_what_a_setting_adds(void **state)
{
    (void)state;
    static const ww_setting statics[] = {{"l2.bytes", "256 KiB"}, {"power.static_w", "30"}};
    static const ww_setting constant[] = {{"l2.bytes", "1 MiB"}, {"power.constant_w", "54"}};
    built s = build("gtx480", statics, 2), c = build("a100", constant, 2);
    built card = build("a100", NULL, 0);
    assert_near(ww_power_static_w(s.model), 30, 1e-9, 0);
    assert_near(ww_power_static_w(c.model), ww_power_static_w(card.model), 1e-9, 0);
    release(&s);
    release(&c);
    release(&card);
}

static void test_a_die_without_room_has_no_rest(void **state)
{
    (void)state;
    static const ww_setting small[] = {{"chip.die_m2", "50mm2"}};
    built b = build("gtx480", small, 1);
    assert_true(ww_power_modelled_m2(b.model) > 50e-6);
    assert_near(sum_of(b.model, WW_AREA_REST), 0, 0, 1e-30);
    release(&b);
}

/* reference/mcpat13_components.csv: memctrl type0, 1848 MHz, 29568 MB/s, 32 b at 40 nm, whose 32
 * bits McPAT counts as 36; undiff_core of 12 stages and one thread at 40 nm. */
static void test_fits_are_those_of_mcpat(void **state)
{
    (void)state;
    static const ww_setting channel[] = {{"mem.bus_bits", "32"},
                                         {"mem.devices", "1"},
                                         {"mem.data_rate", "4"},
                                         {"clock.dram_hz", "1848MHz"}};
    built b = build("gtx480", channel, WW_ARRAY_LEN(channel));
    const ww_power_structure *phy = structure_of(b.model, "MC/physical interface");
    const ww_power_structure *engine = structure_of(b.model, "MC/transaction engine");
    assert_near(phy->area_m2 / phy->instances, 1.40884e-6 / 1.125, 0.005, 0);
    assert_near(engine->area_m2 / engine->instances, 0.676441e-6 / 1.125, 0.005, 0);
    const ww_power_structure *logic = structure_of(b.model, "BP/undifferentiated logic");
    double threads = 1 + 0.0716 * 5.585; /* 48 warps */
    assert_near(logic->area_m2 / logic->instances, 0.528329e-6 * threads, 0.005, 0);
    release(&b);
}

/* 80 % of devices are slow: long channels at 40 nm (long_channel_leakage of configs/tech/40nm.xml),
 * a flavour that leaks less than a tenth in FinFET processes. */
static void test_slow_devices_leak_less(void **state)
{
    (void)state;
    static const ww_setting modelled[] = {{"power.sm_idle_w", "0"}, {"power.constant_w", "0"}};
    built planar = build("gtx480", NULL, 0), fin = build("qv100", modelled, 2);
    assert_near(structure_of(planar.model, "RF/banks")->leakage_factor, 0.2 + 0.8 * 0.277325, 1e-6,
                0);
    double factor = structure_of(fin.model, "RF/banks")->leakage_factor;
    assert_true(factor > 0.2 && factor < 0.2 + 0.8 * 0.1);
    release(&planar);
    release(&fin);
}

/* Components are what is modelled, that and the rest are the die, and its shares follow. */
static void test_parts_are_the_die(void **state)
{
    (void)state;
    built b = build("gtx480", NULL, 0);
    ww_area_part part[WW_AREA_PARTS];
    const size_t count = ww_power_area_parts(b.model, b.arch, part);
    const ww_area_part *modelled = part_of(part, count, "modelled");
    const ww_area_part *rest = part_of(part, count, "rest of the die, not modelled");
    const ww_area_part *die = part_of(part, count, "die");
    double area_m2 = 0, leakage_w = 0;
    for (const ww_area_part *p = part; p < modelled; p++) {
        area_m2 += p->area_m2;
        leakage_w += p->leakage_w;
        assert_near(p->circuits_m2 + p->fits_m2, p->area_m2, 1e-12, 0);
    }
    assert_near(modelled->area_m2, area_m2, 1e-9, 0);
    assert_near(modelled->leakage_w, leakage_w, 1e-9, 0);
    assert_near(die->area_m2, modelled->area_m2 + rest->area_m2, 1e-9, 0);
    assert_near(die->area_m2, b.arch->chip.die_m2, 1e-9, 0);
    assert_near(die->of_die, 1, 1e-9, 0);
    assert_near(part_of(part, count, "one SM of these")->area_m2, ww_power_sm_m2(b.model), 1e-9, 0);
    release(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kinds_add_up_to_the_die),
        cmocka_unit_test(test_parts_are_the_die),
        cmocka_unit_test(test_described_registers_take_from_the_rest),
        cmocka_unit_test(test_set_registers_grow_the_die),
        cmocka_unit_test(test_what_a_setting_adds_leaks_on_top),
        cmocka_unit_test(test_a_whole_that_is_set_holds_what_a_setting_adds),
        cmocka_unit_test(test_a_die_without_room_has_no_rest),
        cmocka_unit_test(test_fits_are_those_of_mcpat),
        cmocka_unit_test(test_slow_devices_leak_less),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
