/* test_arch_load.c - what a loaded description says about its values, and what --set changes. */
#include "tests/unit/arch/scratch.h"

#include "arch/param.h"

static ww_arch *load(const char *name, const ww_setting *settings, size_t count)
{
    ww_arch *arch = NULL;
    ww_error err = {0};
    assert_ok(ww_arch_load(name, settings, count, &arch, &err), err);
    return arch;
}

static ww_arch_value value_of(const ww_arch *arch, const char *key)
{
    return ww_arch_value_at(arch, ww_param_index(key));
}

static void values_arrive_in_si(void **state)
{
    (void)state;
    ww_arch *arch = load("gtx480", NULL, 0);
    assert_string_equal(ww_arch_name(arch), "gtx480");
    assert_string_equal(arch->chip.name, "GeForce GTX 480");
    assert_int_equal(arch->sm.count, 15);
    assert_int_equal(arch->sm.shared_bytes, 48 * 1024);
    assert_true(arch->clock.core_hz == 700e6);
    assert_true(arch->chip.feature_m == 40e-9);
    assert_near(arch->chip.die_m2, 529e-6, 1e-15, 0);
    assert_int_equal(arch->sm.scheduler, WW_SCHED_GTO);
    assert_int_equal(arch->l1d.write_policy, WW_WRITE_LOCAL_BACK);
    assert_true(arch->ldst.l1_caches_global);
    assert_int_equal(ww_arch_slices(arch), 12);
    assert_int_equal(ww_arch_burst_bytes(arch), 64);
    /* whole L2 and peak bandwidth, as the board is sold */
    assert_int_equal(ww_arch_l2_bytes(arch), 768 * 1024);
    ww_arch largest = *arch;
    largest.l2.bytes = 1u << 28; /* the most that a description may say of each */
    largest.mem.channels = 128;
    largest.mem.slices = 16;
    assert_true(ww_arch_l2_bytes(&largest) == UINT64_C(1) << 39);
    assert_near(arch->mem.channels * arch->mem.bus_bits / 8 * arch->clock.dram_hz *
                    arch->mem.data_rate,
                177.4e9, 1e-3, 0);
    ww_arch_destroy(arch);
}

/* Clock, temperature and a mechanism leave the card that is described; its SMs do not. */
static void a_setting_of_a_structure_keeps_the_described_card(void **state)
{
    (void)state;
    static const ww_setting set[] = {{"sm.registers", "65536"},
                                     {"chip.temperature_k", "330"},
                                     {"mech.active", "nlp"},
                                     {"power.rest_leakage", "0.5"}};
    ww_arch_family family = {0};
    ww_arch *machine[2], *conditions = load("gtx480", set + 1, 3), *plain = load("gtx480", NULL, 0);
    ww_error err = {0};
    assert_null(plain->described);
    assert_null(conditions->described);
    machine[0] = load("gtx480", set, 4);
    assert_ok(ww_arch_family_load(&family, "gtx480", set, 4, &machine[1], &err), err);
    for (size_t i = 0; i < 2; i++) {
        const ww_arch *card = machine[i]->described;
        assert_int_equal(machine[i]->sm.registers, 65536);
        assert_non_null(card);
        assert_null(card->described);
        assert_int_equal(card->sm.registers, 32768);
        assert_true(card->chip.temperature_k == 330);
        assert_true(card->power.rest_leakage == 0.5);
        assert_true(card->mem.channels == plain->mem.channels);
        ww_arch_destroy(machine[i]);
    }
    ww_arch_family_fini(&family);
    ww_arch_destroy(conditions);
    ww_arch_destroy(plain);
}

static void provenance_names_file_line_and_source(void **state)
{
    (void)state;
    ww_arch *arch = load("gtx580-d553", NULL, 0);
    ww_arch_value core = value_of(arch, "clock.core_hz"), dram = value_of(arch, "clock.dram_hz"),
                  stages = value_of(arch, "sm.collect_cycles"), ways = value_of(arch, "l1d.ways");
    assert_non_null(strstr(core.file, "gtx580-d553.xml"));
    assert_non_null(strstr(stages.file, "gtx480-gpgpusim.xml"));
    assert_non_null(strstr(ways.file, "fermi.xml"));
    assert_true(core.line > 1 && dram.line > 1 && ways.line > dram.line);
    assert_string_equal(core.value, "822000000");
    assert_string_equal(core.unit, "Hz");
    assert_non_null(strstr(core.source, "LPGPU")); /* from the file element */
    assert_non_null(strstr(ways.source, "dl1"));   /* from the group */
    assert_non_null(strstr(ww_arch_source(arch, "power.sm_activation_w"), "BP")); /* its own */
    assert_string_equal(ww_arch_source(arch, "no.such"), "");
    for (size_t i = 0; i < ww_arch_param_count(); i++) {
        ww_arch_value v = ww_arch_value_at(arch, i);
        bool from_file = v.file == NULL || strcmp(v.file, "default") != 0;
        assert_true(v.key != NULL && v.unit != NULL && *v.doc != '\0');
        if (ww_param_mechanism(i) >= 0) { /* none is active */
            assert_true(v.value == NULL && *v.source == '\0' && *v.file == '\0');
            continue;
        }
        assert_true(v.value != NULL && *v.source != '\0' && *v.file != '\0' &&
                    (v.line > 0) == from_file);
    }
    ww_arch_destroy(arch);
}

static void mechanisms_bring_their_files(void **state)
{
    (void)state;
    const ww_setting settings[] = {{"nlp.degree", "3"}, {WW_MECH_KEY, "uv,nlp"}};
    ww_arch *plain = load("gtx480", NULL, 0), *arch = load("gtx480", settings, 2);
    assert_int_equal(plain->mechs, 0);
    assert_int_equal(arch->mechs, UINT64_C(1) << WW_MECH_NLP | UINT64_C(1) << WW_MECH_UV);
    assert_int_equal(arch->nlp.degree, 3); /* over the mechanism's file, whatever the order */
    assert_int_equal(arch->uv.latency, 2);
    assert_true(arch->config_hash != plain->config_hash);
    ww_arch_value file = value_of(arch, "nlp.free_mshrs"), set = value_of(arch, "nlp.degree");
    assert_non_null(strstr(file.file, "mech/nlp/nlp.xml"));
    assert_true(file.line > 0 && *file.source != '\0');
    assert_string_equal(set.file, "--set");
    ww_arch_destroy(arch);
    ww_arch_destroy(plain);
}

static void mechanisms_are_checked(void **state)
{
    (void)state;
    ww_arch *arch = NULL;
    ww_error err = {0};
    const ww_setting unknown[] = {{WW_MECH_KEY, "nlq"}};
    assert_int_equal(ww_arch_load("gtx480", unknown, 1, &arch, &err), WW_ENOTFOUND);
    assert_non_null(strstr(err.what, "did you mean 'nlp'"));
    const ww_setting inactive[] = {{"uv.ways", "2"}};
    err = (ww_error){0};
    assert_int_equal(ww_arch_load("gtx480", inactive, 1, &arch, &err), WW_ENOTFOUND);
    assert_non_null(strstr(err.what, "--mech uv"));
    const ww_setting range[] = {{WW_MECH_KEY, "nlp"}, {"nlp.degree", "9"}};
    err = (ww_error){0};
    assert_int_equal(ww_arch_load("gtx480", range, 2, &arch, &err), WW_ERANGE);
    assert_null(arch);
}

static void settings_override_in_order(void **state)
{
    (void)state;
    const ww_setting settings[] = {{"l1d.bytes", "32 KiB"}, {"clock.core_hz", "1.2GHz"},
                                   {"sm.scheduler", "lrr"}, {"ldst.l1_caches_global", "false"},
                                   {"l1d.bytes", "65536"},  {"power.calibration", "mine"}};
    ww_arch *plain = load("gtx480", NULL, 0), *arch = load("gtx480", settings, 6);
    assert_int_equal(arch->l1d.bytes, 65536);
    assert_true(arch->clock.core_hz == 1.2e9);
    assert_int_equal(arch->sm.scheduler, WW_SCHED_LRR);
    assert_false(arch->ldst.l1_caches_global);
    assert_string_equal(arch->power.calibration, "mine");
    assert_string_equal(value_of(arch, "l1d.bytes").file, "--set");
    assert_true(arch->config_hash != plain->config_hash);
    ww_arch_destroy(arch);
    ww_arch_destroy(plain);
}

static void wrong_settings_are_explained(void **state)
{
    (void)state;
    static const struct {
        ww_setting setting;
        ww_status status;
        const char *says;
    } cases[] = {{{"sm.schedulrs", "2"}, WW_ENOTFOUND, "did you mean 'sm.schedulers'"},
                 {{"schedulers", "2"}, WW_ENOTFOUND, "did you mean 'sm.schedulers'"},
                 {{"zzz", "2"}, WW_ENOTFOUND, "unknown parameter 'zzz'"},
                 {{"sm.schedulers", "0"}, WW_ERANGE, "0 is outside 1 to 8"},
                 {{"sm.schedulers", "1.5"}, WW_ERANGE, "not a whole number"},
                 {{"sm.schedulers", "two"}, WW_EPARSE, "not a number"},
                 {{"l1d.bytes", "48 MHz"}, WW_ERANGE, "KiB"},
                 {{"sm.scheduler", "gtoo"}, WW_ESCHEMA, "did you mean 'gto'"},
                 {{"mem.hash_channels", "1"}, WW_ESCHEMA, "neither 'true' nor 'false'"},
                 {{"chip.name", ""}, WW_ESCHEMA, "empty"},
                 {{"l1d.ways", "5"}, WW_ERANGE, "l1d.bytes"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        ww_arch *arch = NULL;
        ww_error err = {0};
        assert_int_equal(ww_arch_load("gtx480", &cases[i].setting, 1, &arch, &err),
                         cases[i].status);
        assert_null(arch);
        if (strstr(err.what, cases[i].says) == NULL) {
            fail_msg("'%s' does not say '%s'", err.what, cases[i].says);
        }
    }
}

static void the_hash_is_stable(void **state)
{
    (void)state;
    ww_arch *a = load("gtx480", NULL, 0), *b = load("gtx480", NULL, 0);
    assert_true(a->config_hash == b->config_hash);
    const ww_setting same = {"l1d.bytes", "16 KiB"};
    ww_arch *c = load("gtx480", &same, 1);
    assert_true(c->config_hash == a->config_hash); /* values count, not who set them */
    ww_arch_destroy(a);
    ww_arch_destroy(b);
    ww_arch_destroy(c);
}

static void unknown_gpus_are_suggested(void **state)
{
    (void)state;
    ww_arch *arch = NULL;
    ww_error err = {0};
    assert_int_equal(ww_arch_load("gtx58", NULL, 0, &arch, &err), WW_ENOTFOUND);
    assert_non_null(strstr(err.what, "did you mean 'gtx580'"));
    assert_int_equal(ww_arch_load("/no/such.xml", NULL, 0, &arch, &err), WW_ENOTFOUND);
    assert_string_equal(err.file, "/no/such.xml");
    assert_int_equal(ww_arch_load("fermi", NULL, 0, &arch, &err), WW_ESCHEMA);
    ww_arch_destroy(NULL);
}

static void the_configuration_directory_can_be_chosen(void **state)
{
    scratch *s = *state;
    ww_error err = {0};
    ww_arch *arch = NULL;
    assert_ok(ww_make_dirs(ww_path_join(&s->arena, s->dir, "gpu"), &err), err);
    put(s, "gpu/mine.xml",
        "<gpu name='mine' about='x' extends='" WW_SOURCE_DIR "/configs/gpu/gtx480.xml'/>");
    setenv("WARPWATT_CONFIGS", s->dir, 1);
    ww_status status = ww_arch_load("mine", NULL, 0, &arch, &err);
    ww_arch_entry *entries;
    size_t count = 0;
    ww_status list_status = ww_arch_list(&s->arena, &entries, &count, &err);
    setenv("WARPWATT_CONFIGS", "/nonexistent", 1);
    ww_arch *none = NULL;
    ww_error why = {0};
    ww_status refused = ww_arch_load("gtx480", NULL, 0, &none, &why);
    unsetenv("WARPWATT_CONFIGS");
    assert_ok(status, err);
    assert_ok(list_status, err);
    assert_int_equal(count, 1);
    assert_string_equal(entries[0].name, "mine");
    assert_int_equal(refused, WW_ENOTFOUND);
    assert_non_null(strstr(why.what, "WARPWATT_CONFIGS"));
    ww_arch_destroy(arch);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    const ww_setting setting = {"l1d.bytes", "32 KiB"};
    size_t k = 0;
    ww_status status = WW_ENOMEM;
    while (status != WW_OK) {
        ww_arch *arch = NULL;
        ww_error err = {0};
        ww_mem_fail_after(++k);
        status = ww_arch_load("gtx580-d553", &setting, 1, &arch, &err);
        ww_mem_fail_after(0);
        if (status != WW_OK && status != WW_ENOMEM) {
            fail_msg("failing allocation %zu gave %d: %s", k, (int)status, err.what);
        }
        assert_int_equal(err.code, status);
        assert_true((arch != NULL) == (status == WW_OK));
        ww_arch_destroy(arch);
        k += k > 60 ? 36 : 0; /* the same few places allocate for every value */
    }
    assert_true(k > 300);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_arrive_in_si),
        cmocka_unit_test(a_setting_of_a_structure_keeps_the_described_card),
        cmocka_unit_test(provenance_names_file_line_and_source),
        cmocka_unit_test(mechanisms_bring_their_files),
        cmocka_unit_test(mechanisms_are_checked),
        cmocka_unit_test(settings_override_in_order),
        cmocka_unit_test(wrong_settings_are_explained),
        cmocka_unit_test(the_hash_is_stable),
        cmocka_unit_test(unknown_gpus_are_suggested),
        cmocka_unit_test(the_configuration_directory_can_be_chosen),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
