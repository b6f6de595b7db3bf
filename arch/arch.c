/* arch.c - loading a machine description, and what is known about each of its values. */
#include "arch/arch.h"

#include <string.h>

#include "arch/config.h"
#include "base/mem.h"
#include "base/str.h"

static ww_status create(ww_arch **out, ww_error *err)
{
    ww_arch *arch = WW_NEW(ww_arch);
    struct ww_config *config = WW_NEW(struct ww_config);
    if (arch == NULL || config == NULL) {
        ww_free(arch);
        ww_free(config);
        return ww_no_memory(err);
    }
    arch->config = config;
    config->values = WW_ARENA_NEW_ARRAY(&config->arena, ww_config_value, ww_param_count());
    if (config->values == NULL) {
        ww_arch_destroy(arch);
        return ww_no_memory(err);
    }
    *out = arch;
    return WW_OK;
}

/* What holds unless a description or a setting says otherwise. */
static ww_status set_defaults(ww_arch *arch, ww_error *err)
{
    static const char own[] = "the description's own", split[] = "choice: not calibrated apart",
                      off[] = "a habit of another simulator",
                      peak[] = "an H100's: NVIDIA H100 whitepaper, table of peak rates",
                      luo[] = "an H800's: Luo et al. 2024, Benchmarking and dissecting the NVIDIA "
                              "Hopper GPU, rate of 64 x 8 products",
                      calibration[] = "an H200's: FlashGPU-Sim (arXiv 2609.15311), "
                                      "docs/cluster_noc/calibration.md";
    static const struct {
        const char *key, *value, *source;
    } defaults[] = {
        {WW_MECH_KEY, "none", "no mechanism"},
        {"power.reference_core_hz", "0", own},
        {"power.reference_dram_hz", "0", own},
        {"power.reference_vdd_v", "0", own},
        {"power.reference_temp_k", "0", own},
        {"power.idle_temp_k", "0", "unknown: that of the other watts"},
        {"power.reference_channels", "0", own},
        {"chip.rise_k", "35", "estimate, within a factor of 1.7: 20 to 34 K on three cards"},
        {"chip.inlet_k", "313", "assumed: 24 to 52 degrees Celsius in three servers"},
        {"chip.limit_k", "365", "assumed: cards slow down at 82 to 98 degrees Celsius"},
        {"chip.case_k_per_w", "0.014",
         "junction to case of an RTX 5000 module: ADLINK EGX-MXM-RTX5000 manual, table 1-4"},
        {"chip.die_j_per_k", "1",
         "estimate: 814 mm2 of silicon, 0.78 mm thick, at 1.63 MJ/m3K (HotSpot's default)"},
        {"chip.sink_j_per_k", "140.4", "HotSpot's default, c_convec of its template.config"},
        {"clock.set_hz", "0", own},
        {"clock.core_v", "0", own},
        {"clock.step_hz", "0", "unknown: any clock"},
        {"clock.voltage", "assumed", "assumed: see docs/models/power.md, Clock and voltage"},
        {"clock.voltage_sigma", "0.07", "assumed, as the voltages are"},
        {"power.cap_w", "0", "no cap"},
        {"power.constant_leak", "0.3", "assumed: 0.32 and 0.28 measured on two A100"},
        {"power.constant_voltage", "0", "unknown: part of constant_leak"},
        {"power.constant_clock", "0.17", "assumed: 0.18 and 0.15 measured on two A100"},
        {"sm.isa", "lowered", "machines execute machine instructions"},
        {"ldst.folded", "free", "GPGPU-Sim 3.2.2, cuda-sim.cc: the class of the arithmetic"},
        {"sm.fold_volatile", "false", "unknown what the compilers of their time did"},
        {"sm.cluster_sms", "even", own},
        {"sm.launch_prefetch_bytes", "0", "unknown: code comes as it is fetched"},
        {"sm.fetch_by_group", "false", own},
        {"sm.fetch_awaits_branches", "false", own},
        {"mem.capacity_bytes", "0", "unknown"},
        {"units.narrow_on_int", "false", "as other conversions"},
        {"icnt.reply_flits", "1", "a link"},
        {"icnt.reply_most", "0", "a link of each SM alone"},
        {"icnt.joined_reads", "0", "requests go as they come"},
        {"mem.stack_ids", "1", "no stack, or one of four dies"},
        {"mem.tccdr", "0", "no stack, or one of four dies"},
        {"mem.l2_write_bytes", "0", "unknown: as it reads"},
        {"mem.l2_parts", "1", "one L2 for all"},
        {"mem.l2_far_latency", "0", "one L2 for all"},
        {"mem.l2_far_bytes", "32", "one L2 for all"},
        {"mem.l2_near_copies", "false", "one L2 for all"},
        {"peer.fetch_across_lines", "false", off},
        {"peer.fetch_past_branches", "false", off},
        {"peer.taken_path_first", "false", off},
        {"peer.keep_constants", "false", off},
        {"peer.keep_turn", "false", off},
        {"peer.fp64_on_sfu", "false", off},
        {"peer.l1_looks_up_last", "false", off},
        {"peer.first_elements", "false", off},
        {"peer.shared_atomics_merge", "false", off},
        {"peer.folded_free_energy", "false", off},
        {"peer.nc_in_l1d", "false", off},
        {"peer.count_hit_results", "false", off},
        {"peer.sector_requests", "false", off},
        {"peer.upper_masks_lost", "false", off},
        {"peer.result_slots", "0", off},
        {"async.matrix_f16", "1024", peak},
        {"async.matrix_tf32", "512", peak},
        {"async.matrix_f8", "2048", peak},
        {"async.matrix_s8", "2048", peak},
        {"async.matrix_b1", "16384", "an H100's: N / 2 cycles as of the other types"},
        {"async.matrix_floor_shared", "18", luo},
        {"async.matrix_floor_registers", "13", luo},
        {"async.matrix_tail_shared", "43", calibration},
        {"async.matrix_tail_registers", "41", "FlashGPU-Sim's SM90_H100: two below"},
        {"async.matrix_issue", "12", calibration},
        {"async.matrix_queue", "8", "FlashGPU-Sim's SM90_H100, fitted"},
        {"async.matrix_fence", "21",
         "an H200's: fence, product, commit and wait take 22.8 cycles "
         "more than product and wait, ibid."},
        {"async.copy_queue", "32", "estimate"},
        {"async.copy_command", "32", "FlashGPU-Sim's SM90_H100: 32 to 33"},
        {"async.copy_front", "48",
         "an H800's: a load is seen 105 cycles later than one by ld "
         "(HPMLL, NVIDIA-Hopper-Benchmark), less the test that sees it"},
        {"async.copy_cold", "0", "unknown"},
        {"async.copy_maps", "32", "estimate"},
        {"async.copy_bytes", "32", "an H200's: 31.2 B a cycle and SM of all SMs, ibid."},
        {"async.copy_row", "1",
         "estimate: rows of 16 B reach 980 of 1688 GiB/s on an H800 (HPMLL)"},
        {"async.copy_in_flight", "49152", "FlashGPU-Sim's SM90_H100: 384 lines"},
        {"async.copy_issue", "35", calibration},
        {"async.object_test", "12", "an H200's: a try_wait that succeeds takes 43 cycles, ibid."},
        {"async.object_joins", "true",
         "libcu++ (barrier_block_scope.h) joins the arrivals of a warp by software below compute "
         "capability 8.0 alone"},
        {"async.object_wake", "0", "estimate: the test that follows takes its own time"},
        {"async.object_suspend", "7765", calibration},
        {"async.early_launch", "1000", "unknown: an order of magnitude below a launch"},
        {"async.registers_change", "10", "estimate"},
        {"async.remote_latency", "80",
         "an H200's: there and back between mbarriers of two SMs take 284 cycles with two tests of "
         "43, and a load 193, ibid."},
        {"async.remote_lanes", "4", "an H200's: 390 GB/s of a pair (seanzw, dsm_bw)"},
        {"async.remote_sms", "6", "ibid.: a share is not lent"},
        {"async.remote_credits", "64", "estimate"},
        {"async.multicast_latency", "100", calibration},
        {"async.multicast_issue", "185", calibration},
        {"async.cluster_barrier", "210", "estimate: as an arrival at an mbarrier elsewhere, ibid."},
        {"power.constant_w", "0", "unknown: what is modelled alone"},
        {"power.sm_idle_w", "0", "unknown: leakage comes from the model"},
        {"power.int_factor", "1", split},
        {"power.fp32_factor", "1", split},
        {"power.fp64_factor", "1", split},
        {"power.sfu_factor", "1", split},
        {"power.convert_factor", "1", split},
        {"power.matrix_factor", "1", split},
        {"power.branch_factor", "0", "choice: in the calibrated cost of an instruction"},
        {"power.uncertainty", "none", "not calibrated apart"},
        {"power.shared_factor", "1", split},
        {"power.crossbar_factor", "1", split},
        {"power.l1_factor", "1", split},
        {"power.const_factor", "1", split},
        {"power.tex_factor", "1", split},
        {"power.l2_factor", "1", split},
        {"power.atomic_factor", "1", split},
    };
    for (size_t i = 0; i < WW_ARRAY_LEN(defaults); i++) {
        ww_config_origin origin = {.file = "default", .source = defaults[i].source};
        WW_TRY(ww__config_set(arch, ww_param_index(defaults[i].key), defaults[i].value, NULL,
                              origin, err));
    }
    return WW_OK;
}

/* Configured watts hold for the machine as its files describe it. */
static void note_reference(ww_arch *arch)
{
    arch->reference = (ww_reference){.core_hz = arch->clock.core_hz,
                                     .dram_hz = arch->clock.dram_hz,
                                     .vdd_v = arch->chip.vdd_v,
                                     .temp_k = arch->chip.temperature_k,
                                     .channels = arch->mem.channels};
    arch->described_hz = arch->clock.core_hz;
}

static void take_named_reference(ww_arch *arch)
{
    const ww_power_params *p = &arch->power;
    ww_reference *r = &arch->reference;
    r->core_hz = p->reference_core_hz > 0 ? p->reference_core_hz : r->core_hz;
    r->dram_hz = p->reference_dram_hz > 0 ? p->reference_dram_hz : r->dram_hz;
    r->vdd_v = p->reference_vdd_v > 0 ? p->reference_vdd_v : r->vdd_v;
    r->temp_k = p->reference_temp_k > 0 ? p->reference_temp_k : r->temp_k;
    r->channels = p->reference_channels > 0 ? p->reference_channels : r->channels;
}

/* A mechanism's parameters cannot be set before it is known which are active. */
static ww_status check_active(const ww_arch *arch, size_t index, const char *key, ww_error *err)
{
    int mech = ww_param_mechanism(index);
    if (mech < 0 || (arch->mechs >> mech & 1) != 0) {
        return WW_OK;
    }
    return ww_fail_at(err, WW_ENOTFOUND, "--set", 0, 0,
                      "%s: the mechanism %s is not active (--mech %s)", key,
                      ww_mech_name((ww_mech_id)mech), ww_mech_name((ww_mech_id)mech));
}

/* What people write for a key. */
static const char *option_of(const char *key)
{
    return strcmp(key, "clock.set_hz") == 0  ? "--clock"
           : strcmp(key, "power.cap_w") == 0 ? "--power-cap"
                                             : "--set";
}

/* First the choice of mechanisms, then, when their files have been read, everything. */
static ww_status apply_settings(ww_arch *arch, const ww_setting *settings, size_t count,
                                bool choice_only, ww_error *err)
{
    for (size_t i = 0; i < count; i++) {
        if (choice_only && strcmp(settings[i].key, WW_MECH_KEY) != 0) {
            continue;
        }
        size_t index = ww_param_index(settings[i].key);
        if (index == ww_param_count()) {
            char hint[96];
            return ww_fail_at(err, WW_ENOTFOUND, "--set", 0, 0, "unknown parameter '%.80s'%s",
                              settings[i].key,
                              ww_param_suggest(settings[i].key, hint, sizeof hint));
        }
        WW_TRY(check_active(arch, index, settings[i].key, err));
        ww_config_origin origin = {.file = option_of(settings[i].key), .source = "command line"};
        WW_TRY(ww__config_set(arch, index, settings[i].value, NULL, origin, err));
    }
    return WW_OK;
}

static ww_status judge_faults(const ww_arch *arch, const char *path, ww_error *err)
{
    size_t n = arch->config->faults;
    return n == 0 ? WW_OK
                  : ww_fail_at(err, WW_ESCHEMA, path, 0, 0, "%zu fault%s", n, n == 1 ? "" : "s");
}

/* What the files say, and the mechanisms that the settings choose. text NULL: read the file. */
static ww_status load_files(ww_arch *arch, const char *name, const char *text, size_t length,
                            const ww_setting *settings, size_t setting_count, ww_error *err)
{
    arch->config->path = name;
    if (text == NULL) {
        WW_TRY(ww__arch_find(&arch->config->arena, name, &arch->config->path, err));
    }
    WW_TRY(set_defaults(arch, err));
    WW_TRY(ww__chain_load(arch, arch->config->path, text, length, err));
    WW_TRY(apply_settings(arch, settings, setting_count, true, err));
    WW_TRY(ww__mech_load(arch, err));
    note_reference(arch);
    return WW_OK;
}

/* Texts stay the base's. */
static void copy_base(ww_arch *arch, const ww_arch *base)
{
    struct ww_config *config = arch->config;
    memcpy(config->values, base->config->values, ww_param_count() * sizeof *config->values);
    config->name = base->config->name;
    config->path = base->config->path;
    *arch = *base;
    arch->config = config;
}

bool ww_settings_name(const ww_setting *settings, size_t count, const char *key)
{
    for (size_t i = 0; i < count; i++) {
        if (strncmp(settings[i].key, key, strlen(key)) == 0) {
            return true;
        }
    }
    return false;
}

/* A setting of what a card works under, or of what is known of it, and not of what is built: the
 * card stays the one that its files describe. So it does with a mechanism, which is charged apart.
 */
static bool leaves_card(const ww_setting *setting)
{
    static const char *const groups[] = {"chip.", "clock.", "power."};
    const size_t index = ww_param_index(setting->key);
    bool leaves = strcmp(setting->key, WW_MECH_KEY) == 0 ||
                  (index < ww_param_count() && ww_param_mechanism(index) >= 0);
    for (size_t i = 0; i < WW_ARRAY_LEN(groups); i++) {
        leaves = leaves || strncmp(setting->key, groups[i], strlen(groups[i])) == 0;
    }
    return leaves;
}

static ww_status finish(ww_arch *arch, const ww_setting *settings, size_t setting_count,
                        ww_error *err);

/* What is said of a whole die or of its watts is said of the machine that the settings make. */
static bool tells_whole(const ww_setting *setting)
{
    static const char *const keys[] = {"chip.die_m2", "power.constant_w", "power.static_w",
                                       "power.sm_idle_w"};
    bool tells = false;
    for (size_t i = 0; i < WW_ARRAY_LEN(keys); i++) {
        tells = tells || strcmp(setting->key, keys[i]) == 0;
    }
    return tells;
}

/* Keeps the card that the settings are about to change. A description that only the settings make
 * whole is of no card. */
static ww_status keep_described(ww_arch *arch, const ww_setting *settings, size_t count,
                                ww_error *err)
{
    ww_setting *kept = WW_NEW_ARRAY(ww_setting, count + 1);
    ww_error incomplete = {0};
    ww_arch *card = NULL;
    size_t n = 0;
    bool told = false;
    if (kept == NULL) {
        return ww_no_memory(err);
    }
    for (size_t i = 0; i < count; i++) {
        told = told || tells_whole(&settings[i]);
        if (leaves_card(&settings[i])) {
            kept[n++] = settings[i];
        }
    }
    ww_status status = n < count && !told ? create(&card, err) : WW_OK;
    if (card != NULL) {
        copy_base(card, arch);
        status = finish(card, kept, n, &incomplete);
        if (status != WW_OK) {
            ww_arch_destroy(card);
            card = NULL;
        }
        status = status == WW_ENOMEM ? ww_no_memory(err) : WW_OK;
    }
    ww_free(kept);
    arch->described = card;
    return status;
}

/* What all settings make of it. */
static ww_status finish(ww_arch *arch, const ww_setting *settings, size_t setting_count,
                        ww_error *err)
{
    const char *path = arch->config->path;
    WW_TRY(keep_described(arch, settings, setting_count, err));
    WW_TRY(apply_settings(arch, settings, setting_count, false, err));
    take_named_reference(arch);
    WW_TRY(judge_faults(arch, path, err)); /* what missing values imply would be no news */
    WW_TRY(ww__config_complete(arch, path, err));
    WW_TRY(ww__arch_check(arch, err));
    WW_TRY(ww__arch_list_clusters(arch, err));
    WW_TRY(judge_faults(arch, path, err));
    WW_TRY(ww__clock_set(arch, err));
    arch->config_hash = ww__config_hash(arch, NULL);
    arch->config->path = NULL; /* may be the caller's */
    return WW_OK;
}

/* Takes faults; NULL: the first is the error. */
typedef struct fault_taker {
    void (*on_fault)(void *user, const ww_error *fault);
    void *user;
} fault_taker;

static ww_status create_and_load(const char *name, const char *text, size_t length,
                                 const ww_setting *settings, size_t setting_count,
                                 fault_taker taker, ww_arch **out, ww_error *err)
{
    ww_arch *arch = NULL;
    WW_TRY(create(&arch, err));
    arch->config->on_fault = taker.on_fault;
    arch->config->user = taker.user;
    ww_status status = load_files(arch, name, text, length, settings, setting_count, err);
    status = status == WW_OK ? finish(arch, settings, setting_count, err) : status;
    if (status != WW_OK) {
        ww_arch_destroy(arch);
        return status;
    }
    *out = arch;
    return WW_OK;
}

ww_status ww_arch_load(const char *name_or_path, const ww_setting *settings, size_t setting_count,
                       ww_arch **out, ww_error *err)
{
    return create_and_load(name_or_path, NULL, 0, settings, setting_count,
                           (fault_taker){NULL, NULL}, out, err);
}

ww_status ww_arch_load_checked(const char *name_or_path, const ww_setting *settings,
                               size_t setting_count,
                               void (*on_fault)(void *user, const ww_error *fault), void *user,
                               ww_arch **out, ww_error *err)
{
    return create_and_load(name_or_path, NULL, 0, settings, setting_count,
                           (fault_taker){on_fault, user}, out, err);
}

ww_status ww_arch_parse(const char *name, const char *text, size_t length,
                        const ww_setting *settings, size_t setting_count, ww_arch **out,
                        ww_error *err)
{
    return create_and_load(name, text, length, settings, setting_count, (fault_taker){NULL, NULL},
                           out, err);
}

/* ---- families ---- */

/* The description that the files give with the settings' mechanisms, read when first asked for. */
static ww_status find_base(ww_arch_family *family, const char *name, const ww_setting *settings,
                           size_t count, const ww_arch **out, ww_error *err)
{
    ww_str key = {0};
    ww_str_add(&key, name);
    for (size_t i = 0; i < count; i++) {
        if (strcmp(settings[i].key, WW_MECH_KEY) == 0) {
            ww_str_addf(&key, "\n%s", settings[i].value);
        }
    }
    ww_status status = ww_str_check(&key, err);
    const ww_arch *known = status == WW_OK ? ww_map_ptr(&family->bases, ww_str_text(&key)) : NULL;
    ww_arch *base = NULL;
    if (status == WW_OK && known == NULL) {
        status = create(&base, err);
        status = status == WW_OK ? load_files(base, name, NULL, 0, settings, count, err) : status;
        status =
            status == WW_OK ? ww_map_set_ptr(&family->bases, ww_str_text(&key), base, err) : status;
        if (status != WW_OK) {
            ww_arch_destroy(base);
        }
        known = base;
    }
    ww_str_fini(&key);
    *out = known;
    return status;
}

ww_status ww_arch_family_load(ww_arch_family *family, const char *name_or_path,
                              const ww_setting *settings, size_t setting_count, ww_arch **out,
                              ww_error *err)
{
    const ww_arch *base;
    ww_arch *arch = NULL;
    WW_TRY(find_base(family, name_or_path, settings, setting_count, &base, err));
    WW_TRY(create(&arch, err));
    copy_base(arch, base);
    ww_status status = finish(arch, settings, setting_count, err);
    if (status != WW_OK) {
        ww_arch_destroy(arch);
        return status;
    }
    *out = arch;
    return WW_OK;
}

void ww_arch_family_fini(ww_arch_family *family)
{
    for (size_t i = 0; i < family->bases.count; i++) {
        ww_arch_destroy(family->bases.entries[i].ptr);
    }
    ww_map_fini(&family->bases);
    *family = (ww_arch_family){0};
}

void ww_arch_destroy(ww_arch *arch)
{
    if (arch != NULL) {
        ww_arch_destroy(arch->described); /* its texts may be this one's */
        ww_arena_fini(&arch->config->arena);
        ww_free(arch->config);
        ww_free(arch);
    }
}

void ww_arch_forget_described(ww_arch *arch)
{
    ww_arch_destroy(arch->described);
    arch->described = NULL;
}

const char *ww_arch_name(const ww_arch *arch)
{
    return arch->config->name;
}

size_t ww_arch_param_count(void)
{
    return ww_param_count();
}

ww_arch_value ww_arch_value_at(const ww_arch *arch, size_t i)
{
    const ww_param *param = ww_param_at(i);
    const ww_config_value *value = &arch->config->values[i];
    return (ww_arch_value){.key = param->key,
                           .value = value->text,
                           .unit = param->unit,
                           .source = value->text != NULL ? value->origin.source : "",
                           .file = value->text != NULL ? value->origin.file : "",
                           .line = value->origin.line,
                           .doc = param->doc};
}

const char *ww_arch_source(const ww_arch *arch, const char *key)
{
    size_t index = ww_param_index(key);
    return index < ww_param_count() ? ww_arch_value_at(arch, index).source : "";
}
