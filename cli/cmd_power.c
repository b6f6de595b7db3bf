/* cmd_power.c - `warpwatt power`: energy from an activity file alone, and the power model as a
 * tree. */
#include <string.h>

#include "analysis/estimated.h"
#include "analysis/hotspot.h"
#include "analysis/result_store.h"
#include "analysis/table.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/num.h"
#include "base/signals.h"
#include "base/version.h"
#include "base/visible.h"
#include "cli/breakdown.h"
#include "cli/command.h"
#include "cli/power_from.h"
#include "cli/settings.h"
#include "counters/counters.h"
#include "power/thermal.h"

static void put_structures(const ww_power_model *model, ww_json *json)
{
    size_t count;
    const ww_power_structure *structure = ww_power_structures(model, &count);
    ww_json_array(json, "structures");
    for (size_t i = 0; i < count; i++) {
        const ww_power_structure *s = &structure[i];
        ww_json_object(json, NULL);
        ww_json_text(json, "path", s->path);
        ww_json_u64(json, "instances", s->instances);
        ww_json_double(json, "area_mm2", s->area_m2 * 1e6);
        ww_json_text(json, "area_kind", ww_area_kind_name(s->area_kind));
        ww_json_double(json, "leakage_w", s->leakage_w);
        ww_json_text(json, "source", s->source);
        ww_json_end(json);
    }
    ww_json_end(json);
}

static void put_events(const ww_power_model *model, ww_json *json)
{
    static const char *const per[] = {"count", "core cycle", "DRAM cycle"};
    size_t count, structures;
    const ww_power_event *event = ww_power_events(model, &count);
    const ww_power_structure *structure = ww_power_structures(model, &structures);
    ww_json_array(json, "events");
    for (size_t i = 0; i < count; i++) {
        const ww_power_event *e = &event[i];
        ww_json_object(json, NULL);
        ww_json_text(json, "structure", structure[e->structure].path);
        ww_json_text(json, "event", e->name);
        ww_json_text(json, "per", per[e->per]);
        ww_json_double(json, e->per == WW_POWER_PER_COUNT ? "value_j" : "value_w", e->value);
        ww_json_double(json, "factor", e->factor);
        ww_json_array(json, "counters");
        for (size_t k = 0; k < e->terms; k++) {
            ww_json_object(json, NULL);
            ww_json_text(json, "counter", ww_counter_describe(e->counter[k])->name);
            ww_json_double(json, "weight", e->weight[k]);
            ww_json_end(json);
        }
        ww_json_end(json);
        ww_json_text(json, "source", e->source);
        ww_json_end(json);
    }
    ww_json_end(json);
}

static ww_status print_model(const ww_args *args, const ww_power_model *model, ww_error *err)
{
    ww_str text = {0};
    if (ww_args_has(args, "json")) {
        ww_json json;
        ww_json_init(&json, &text, 2);
        ww_json_object(&json, NULL);
        put_structures(model, &json);
        put_events(model, &json);
        ww_json_end(&json);
        return ww_json_print(&json, &text, stdout, err);
    }
    ww_power_describe(model, &text);
    ww_status status = ww_str_check(&text, err);
    if (status == WW_OK) {
        fputs(ww_str_text(&text), stdout);
    }
    ww_str_fini(&text);
    return status;
}

static ww_status describe(const ww_args *args, ww_error *err)
{
    ww_arch *arch = NULL;
    ww_power_model *model = NULL;
    WW_TRY(ww_settings_load_arch(args, ww_args_value(args, "gpu"), &arch, err));
    ww_status status = ww_power_model_create(arch, NULL, &model, err);
    status = status == WW_OK ? print_model(args, model, err) : status;
    ww_power_model_destroy(model);
    ww_arch_destroy(arch);
    return status;
}

/* Counts of a mechanism that the model does not have would be lost without a word. */
static ww_status check_mechanisms(const ww_power_model *model, const ww_activity *activity,
                                  ww_error *err)
{
    for (size_t i = 0; i < activity->launch_count; i++) {
        for (int c = 0; c < WW_COUNTER_COUNT; c++) {
            const ww_counter_info *info = ww_counter_describe((ww_counter)c);
            if (strcmp(info->consumers, ww_component_name(WW_COMPONENT_MECH)) == 0 &&
                ww_power_consumers(model, (ww_counter)c) == 0 &&
                ww_counter_total(activity->launches[i].counters, (ww_counter)c) > 0) {
                return ww_fail(err, WW_ERANGE,
                               "the activity counts %s, of a mechanism that is not switched on; "
                               "name those that ran with --mech",
                               info->name);
            }
        }
    }
    return WW_OK;
}

static ww_status hash_file(const char *path, uint64_t *hash, ww_error *err)
{
    enum { MOST_ACTIVITY_BYTES = 1 << 30 };
    char *text = NULL;
    size_t length = 0;
    WW_TRY(ww_read_file(path, MOST_ACTIVITY_BYTES, &text, &length, err));
    *hash = ww_hash_bytes(*hash, text, length);
    ww_free(text);
    return WW_OK;
}

/* Its run: the configuration, the version, and the activity's own bytes. */
static ww_status name_run(const ww_args *args, ww_result_set *set, ww_error *err)
{
    const char *from = ww_args_value(args, "from");
    set->run_id = ww_hash_bytes(WW_HASH_INIT, WW_VERSION, strlen(WW_VERSION));
    set->run_id =
        ww_hash_bytes(set->run_id, &set->arch->config_hash, sizeof set->arch->config_hash);
    if (from != NULL) {
        set->run_id = ww_hash_bytes(set->run_id, from, strlen(from));
    }
    for (size_t i = 0; i < ww_args_count(args, "activity"); i++) {
        WW_TRY(hash_file(ww_args_nth(args, "activity", i), &set->run_id, err));
    }
    for (size_t i = 0; i < args->positional_count; i++) {
        WW_TRY(hash_file(args->positional[i], &set->run_id, err));
    }
    return WW_OK;
}

static ww_status write_folder(const ww_args *args, ww_result_set *set, const char *out,
                              ww_error *err)
{
    ww_result_store store;
    ww_held held;
    WW_TRY(name_run(args, set, err));
    ww_signals_hold(&held); /* the folder aside is not left behind */
    ww_status status = ww_result_begin(&store, out, ww_args_has(args, "force"), err);
    if (status == WW_OK) {
        status = ww_export_all(set, store.aside, ww_args_has(args, "from"), err);
        status = status == WW_OK ? ww_result_publish(&store, set->run_id, err) : status;
        ww_result_drop(&store);
    }
    ww_signals_release(&held);
    return status;
}

/* Both tables, or one document of both. */
static ww_status print_foreign(const ww_args *args, const ww_result_set *set,
                               const ww_foreign_activity *foreign, ww_error *err)
{
    bool json = ww_args_has(args, "json");
    double estimated_j, total_j;
    ww_table not_told;
    ww_status status = ww_estimated_energy(set->model, foreign, &estimated_j, &total_j, err);
    WW_TRY(status);
    status = ww_power_from_table(set->model, foreign, json, &not_told, err);
    status = status == WW_OK ? ww_print_breakdown_and(set, &not_told, json, err) : status;
    if (status == WW_OK && !json) {
        printf("\n%.1f %% of the energy rests on what %s does not tell:\n\n",
               ww_percent(estimated_j, total_j), ww_args_value(args, "from"));
        status = ww_table_print(&not_told, false, stdout, err);
        printf("\n--json lists what is not told and costs nothing here, too\n");
    }
    ww_table_fini(&not_told);
    return status;
}

/* What the tables would fail of, for who wants to see none. */
static ww_status judge(const ww_result_set *set, const ww_foreign_activity *foreign, ww_error *err)
{
    double estimated_j, total_j;
    WW_TRY(foreign != NULL ? ww_estimated_energy(set->model, foreign, &estimated_j, &total_j, err)
                           : WW_OK);
    return ww_check_breakdown(set, err);
}

/* foreign: NULL: the activity is of our own. */
static ww_status evaluate(const ww_args *args, const ww_activity *activity,
                          const ww_foreign_activity *foreign, const ww_arch *arch, ww_error *err)
{
    ww_power_model *model = NULL;
    WW_TRY(ww_power_model_create(arch, NULL, &model, err));
    ww_result_set set = {
        .arch = arch,
        .model = model,
        .launches = activity->launches,
        .launch_count = activity->launch_count,
        .version = WW_VERSION,
        .command = "warpwatt power",
    };
    ww_status status = check_mechanisms(model, activity, err);
    const char *out = ww_args_value(args, "out");
    if (status == WW_OK && out != NULL) {
        status = write_folder(args, &set, out, err);
    }
    if (status == WW_OK && ww_args_has(args, "hotspot")) {
        status = ww_hotspot_write(&set, ww_args_value(args, "hotspot"),
                                  ww_args_value(args, "floorplan"), true, err);
    }
    if (status == WW_OK) {
        status = ww_args_has(args, "quiet") ? judge(&set, foreign, err)
                 : foreign != NULL          ? print_foreign(args, &set, foreign, err)
                                   : ww_print_breakdown(&set, ww_args_has(args, "json"), err);
    }
    ww_power_model_destroy(model);
    return status;
}

static bool is_of_point(const char *key)
{
    return strncmp(key, "clock.", strlen("clock.")) == 0 || strcmp(key, "chip.vdd_v") == 0 ||
           strcmp(key, "chip.temperature_k") == 0;
}

/* The clocks that --set names are those of every launch: its cycles, at another clock. */
static ww_status take_clocks(const ww_args *args, const ww_arch *arch, ww_activity *activity,
                             ww_error *err)
{
    ww_arena arena = {0};
    ww_setting *setting = NULL;
    size_t count = 0;
    ww_status status = ww_settings_collect(args, &arena, &setting, &count, err);
    for (size_t i = 0; status == WW_OK && i < count; i++) {
        for (size_t l = 0; l < activity->launch_count; l++) {
            ww_launch_record *launch = &activity->launches[l];
            bool point = strcmp(setting[i].key, "clock.set_hz") == 0;
            if (ww_launch_varies(launch) && is_of_point(setting[i].key)) {
                status = ww_fail(err, WW_EUSAGE,
                                 "%s: launch %u has its own clocks, voltages and temperatures, an "
                                 "interval each (run --governor, --heat)",
                                 setting[i].key, launch->launch_index);
            }
#define TAKE(which)                                                                                \
    if (point || strcmp(setting[i].key, "clock." #which) == 0) {                                   \
        launch->which = arch->clock.which;                                                         \
    }
            TAKE(core_hz)
            TAKE(icnt_hz)
            TAKE(l2_hz)
            TAKE(dram_hz)
#undef TAKE
        }
    }
    ww_arena_fini(&arena);
    return status;
}

/* An activity that was recorded at another voltage than the description's, by --clock, is evaluated
 * at that voltage and its clock, and one of a warmer or colder die of the card at that temperature,
 * unless the command line names others. temp_k: of the die, 0: as recorded or set. */
static ww_status load_arch_of(const ww_args *args, const char *gpu, const ww_activity *activity,
                              double temp_k, ww_arch **out, ww_error *err)
{
    char hz[WW_NUM_CHARS], v[WW_NUM_CHARS], k[WW_NUM_CHARS];
    ww_arena arena = {0};
    ww_setting *setting = NULL;
    size_t count = 0;
    const ww_launch_record *l = activity->launch_count > 0 ? &activity->launches[0] : NULL;
    WW_TRY(ww_settings_load_arch(args, gpu, out, err));
    ww_status status = ww_settings_collect(args, &arena, &setting, &count, err);
    const bool known = status == WW_OK && l != NULL;
    const bool moved = known && l->vdd_v > 0 && l->vdd_v != (*out)->chip.vdd_v &&
                       !ww_settings_name(setting, count, "clock.") &&
                       !ww_settings_name(setting, count, "chip.vdd_v");
    if (known && temp_k == 0 && strcmp(gpu, activity->gpu) == 0 && l->temperature_k > 0 &&
        l->temperature_k != (*out)->chip.temperature_k &&
        !ww_settings_name(setting, count, "chip.temperature_k")) {
        temp_k = l->temperature_k;
    }
    if (moved) {
        setting[count++] =
            (ww_setting){.key = "clock.core_hz", .value = ww_num_format(l->core_hz, hz)};
        setting[count++] = (ww_setting){.key = "clock.core_v", .value = ww_num_format(l->vdd_v, v)};
    }
    if (temp_k > 0) {
        setting[count++] =
            (ww_setting){.key = "chip.temperature_k", .value = ww_num_format(temp_k, k)};
    }
    if (status == WW_OK && (moved || temp_k > 0)) {
        ww_arch_destroy(*out);
        *out = NULL;
        status = ww_arch_load(gpu, setting, count, out, err);
    }
    ww_arena_fini(&arena);
    return status;
}

/* ---- the temperature at which the card settles ---- */

/* The machine at the temperature that this activity's mean power leads to, in place of *arch. */
static ww_status settle(const ww_args *args, const char *gpu, const ww_activity *activity,
                        ww_arch **arch, ww_error *err)
{
    const ww_thermal card = ww_thermal_of(*arch);
    ww_thermal_point point;
    ww_power_model *model = NULL;
    WW_TRY(ww_power_model_create(*arch, NULL, &model, err));
    ww_status status = ww_thermal_settle_launches(*arch, model, activity->launches,
                                                  activity->launch_count, &point, err);
    ww_power_model_destroy(model);
    WW_TRY(status);
    ww_arch_destroy(*arch);
    *arch = NULL;
    WW_TRY(load_arch_of(args, gpu, activity, point.model_k, arch, err));
    if (!ww_args_has(args, "quiet")) {
        fprintf(stderr,
                "note: settles at %.2f K with %.4g W (%.3g K/W over %.4g K at the inlet, residual "
                "%.1g K)\n",
                point.temp_k, point.watts, card.resistance_k_per_w, card.inlet_k, point.residual_k);
    }
    return WW_OK;
}

static ww_status run_foreign(const ww_args *args, ww_error *err)
{
    const char *gpu = ww_args_value(args, "gpu");
    ww_foreign_activity foreign = {0};
    ww_arch *arch = NULL;
    if (gpu == NULL) {
        return ww_fail(err, WW_EUSAGE, "power --from needs --gpu NAME: the GPU that was counted");
    }
    WW_TRY(ww_settings_load_arch(args, gpu, &arch, err));
    ww_status status = ww_power_from_load(args, arch, &foreign, err);
    status = status == WW_OK ? evaluate(args, foreign.activity, &foreign, arch, err) : status;
    ww_foreign_fini(&foreign);
    ww_arch_destroy(arch);
    return status;
}

static ww_status run(const ww_args *args, ww_error *err)
{
    const char *path = ww_args_value(args, "activity"), *gpu = ww_args_value(args, "gpu");
    if (ww_args_has(args, "from")) {
        return ww_args_has(args, "hotspot")
                   ? ww_fail(err, WW_EUSAGE,
                             "--hotspot needs --activity FILE: other programs do not tell what "
                             "each SM did")
                   : run_foreign(args, err);
    }
    if (args->positional_count > 0) {
        return ww_fail(err, WW_EUSAGE,
                       "'%s': our own activity is --activity FILE, another "
                       "program's --from NAME FILE",
                       args->positional[0]);
    }
    if (ww_args_has(args, "floorplan") && !ww_args_has(args, "hotspot")) {
        return ww_fail(err, WW_EUSAGE, "--floorplan goes with --hotspot DIR: the trace for it");
    }
    if (path == NULL && (gpu == NULL || !ww_args_has(args, "describe"))) {
        return ww_fail(err, WW_EUSAGE, "power needs --activity FILE, or --gpu NAME --describe");
    }
    if (ww_args_has(args, "describe") && gpu != NULL) {
        return describe(args, err);
    }
    ww_activity *activity = NULL;
    ww_arch *arch = NULL;
    WW_TRY(ww_activity_load(path, &activity, err));
    gpu = gpu != NULL ? gpu : activity->gpu;
    ww_status status = load_arch_of(args, gpu, activity, 0, &arch, err);
    if (status == WW_OK && arch->config_hash != activity->config_hash &&
        !ww_args_has(args, "quiet")) {
        fprintf(stderr,
                "note: the activity was recorded on another configuration (%s, hash %016llx; this "
                "is %s, hash %016llx)\n",
                WW_VISIBLE(activity->gpu), (unsigned long long)activity->config_hash,
                WW_VISIBLE(ww_arch_name(arch)), (unsigned long long)arch->config_hash);
    }
    status = status == WW_OK ? take_clocks(args, arch, activity, err) : status;
    if (status == WW_OK && ww_args_has(args, "settle")) {
        status = settle(args, gpu, activity, &arch, err);
    }
    if (status == WW_OK) {
        status = evaluate(args, activity, NULL, arch, err);
    }
    ww_arch_destroy(arch);
    ww_activity_destroy(activity);
    return status;
}

static const ww_option options[] = {
    {"activity", "FILE", "Activity counters, as written by 'warpwatt run --out'."},
    {"from", "gpgpusim|accelsim|ncu",
     "FILE is what that program printed: GPGPU-Sim, Accel-Sim (with AccelWattch's report and the "
     "XML file of its model as further files, if there are), or Nsight Compute with --csv --page "
     "raw."},
    {"gpu", "NAME|FILE", "GPU description; the one that the file names when omitted."},
    {"set", "KEY=VALUE", "Override a GPU parameter; may be repeated."},
    WW_OPTION_CLOCK,
    {"settle", NULL,
     "At the temperature where the card settles: what the activity's mean power heats the die to, "
     "and what the die leaks there, agree (chip.rise_k, chip.inlet_k)."},
    {"mech", "NAME,…", "Mechanisms that are switched on (warpwatt list mechs)."},
    {"describe", NULL,
     "With --gpu: print the power model: structures, energy per event, leakage, area, sources."},
    {"out", "DIR",
     "Write power.csv and its companions into DIR, all or none; a folder that holds a result is "
     "refused."},
    {"hotspot", "DIR",
     "Write the power of every SM and block over time for HotSpot into DIR: floorplan.flp, "
     "power.ptrace (a line per interval of the activity) and hotspot.config. What each SM did "
     "within "
     "an interval only 'warpwatt run --hotspot' knows: here it is its share of the launch."},
    {"floorplan", "FILE",
     "With --hotspot: the blocks' places, in the format of floorplan.flp, instead of our own; "
     "blocks that overlap, leave gaps or are missing are refused."},
    {"force", NULL, "Replace the result that --out's folder holds, as a whole."},
    {NULL, NULL, NULL},
};
static const ww_example examples[] = {
    {"warpwatt power --activity result/activity.xml --out again",
     "The same joules as the run that wrote the file, byte for byte."},
    {"warpwatt power --activity result/activity.xml --set chip.temperature_k=330",
     "What if the die were cooler?"},
    {"warpwatt power --activity result/activity.xml --set clock.core_hz=600MHz --set "
     "chip.vdd_v=0.9",
     "The same cycles at another clock and voltage; how many they would be, only a run tells."},
    {"warpwatt power --activity result/activity.xml --settle --hotspot heat",
     "Power by place, and where the card settles: input of HotSpot."},
    {"warpwatt power --activity nlp-result/activity.xml --mech nlp", "Of a run with a mechanism."},
    {"warpwatt power --from ncu profile.csv --gpu qv100",
     "Of a profile of hardware; what it does not tell is estimated, by rules that are printed."},
    {"warpwatt power --gpu gtx580 --describe", "What one event of every structure costs, and why."},
    {NULL, NULL},
};
const ww_command ww_cmd_power = {
    .name = "power",
    .summary = "energy from an activity file; the power model explained",
    .synopsis =
        "--activity FILE [--gpu GPU] [options]\n--from SOURCE FILE… --gpu GPU [options]\n--gpu GPU "
        "--describe",
    .description = "Turns activity counters into energy without simulating, or prints the power "
                   "model of a GPU.",
    .options = options,
    .examples = examples,
    .run = run,
};
