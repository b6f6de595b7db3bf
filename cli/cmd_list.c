/* cmd_list.c - `warpwatt list`: what there is to choose from. */
#include <string.h>

#include "analysis/table.h"
#include "arch/arch.h"
#include "base/configs.h"
#include "base/file.h"
#include "base/suggest.h"
#include "base/version.h"
#include "cli/command.h"
#include "counters/counters.h"
#include "counters/foreign.h"
#include "inference/models.h"
#include "isa/isa.h"
#include "power/power.h"
#include "run/sweep.h"
#include "workloads/workload.h"

static ww_status list_gpus(ww_table *t, ww_error *err)
{
    ww_arena arena = {0};
    ww_arch_entry *entries = NULL;
    size_t count = 0;
    ww_status status = ww_arch_list(&arena, &entries, &count, err);
    const char *const head[] = {"name",     "product", "family", "node_nm",    "sms",
                                "core_mhz", "memory",  "file",   "calibration"};
    for (size_t i = 0; i < WW_ARRAY_LEN(head); i++) {
        ww_table_head(t, head[i]);
    }
    for (size_t i = 0; status == WW_OK && i < count; i++) {
        ww_arch *arch = NULL;
        status = ww_arch_load(entries[i].name, NULL, 0, &arch, err);
        if (status != WW_OK) {
            break;
        }
        ww_table_text(t, entries[i].name);
        ww_table_text(t, arch->chip.name);
        ww_table_text(t, arch->chip.family);
        ww_table_number(t, arch->chip.feature_m * 1e9, 0);
        ww_table_count(t, arch->sm.count);
        ww_table_number(t, arch->clock.core_hz * 1e-6, 0);
        ww_table_text(t, ww_dram_type_name(arch->mem.type));
        ww_table_text(t, entries[i].path);
        ww_table_text(t, ww_calibration_state(arch->power.calibration));
        ww_arch_destroy(arch);
    }
    ww_arena_fini(&arena);
    return status;
}

static ww_status list_workloads(ww_table *t, ww_error *err)
{
    (void)err;
    size_t count;
    const ww_workload *w = ww_workload_list(&count);
    ww_table_head(t, "name");
    ww_table_head(t, "suite");
    ww_table_head(t, "description");
    ww_table_head(t, "std_input");
    ww_table_head(t, "study_input");
    ww_table_head(t, "needs");
    for (size_t i = 0; i < count; i++) {
        char needs[16]; /* a compute capability */
        ww_table_text(t, w[i].name);
        ww_table_text(t, w[i].suite);
        ww_table_text(t, w[i].description);
        ww_table_text(t, w[i].inputs[WW_SIZE_STD]);
        ww_table_text(t, w[i].inputs[WW_SIZE_STUDY]);
        snprintf(needs, sizeof needs, "%u.%u", w[i].capability / 10, w[i].capability % 10);
        ww_table_text(t, w[i].capability > 0 ? needs : "");
    }
    return WW_OK;
}

static ww_status list_counters(ww_table *t, ww_error *err)
{
    (void)err;
    static const char *const scopes[] = {"SM", "L2 slice", "channel", "chip"};
    ww_table_head(t, "name");
    ww_table_head(t, "unit");
    ww_table_head(t, "per");
    ww_table_head(t, "used_by");
    ww_table_head(t, "meaning");
    for (int c = 0; c < WW_COUNTER_COUNT; c++) {
        const ww_counter_info *info = ww_counter_describe((ww_counter)c);
        ww_table_text(t, info->name);
        ww_table_text(t, info->unit);
        ww_table_text(t, scopes[info->scope]);
        ww_table_text(t, info->consumers);
        ww_table_text(t, info->meaning);
    }
    return WW_OK;
}

static ww_status list_components(ww_table *t, ww_error *err)
{
    (void)err;
    ww_table_head(t, "name");
    ww_table_head(t, "meaning");
    for (size_t i = 0; i < WW_COMPONENT_COUNT; i++) {
        ww_table_text(t, ww_component_name((ww_component)i));
        ww_table_text(t, ww_component_meaning((ww_component)i));
    }
    return WW_OK;
}

static ww_status list_mechs(ww_table *t, ww_error *err)
{
    (void)err;
    ww_table_head(t, "name");
    ww_table_head(t, "what_it_does");
    for (int id = 0; id < WW_MECH_COUNT; id++) {
        ww_table_text(t, ww_mech_name((ww_mech_id)id));
        ww_table_text(t, ww_mech_about((ww_mech_id)id));
    }
    const char *alias, *rooms, *about;
    for (size_t i = 0; (alias = ww_mech_alias(i, &rooms, &about)) != NULL; i++) {
        ww_table_text(t, alias);
        ww_table_text(t, about);
    }
    return WW_OK;
}

/* What a form's type decides: the unit of its 32-bit integers, of f32 and of f64. */
static ww_status list_operations(ww_table *t, ww_error *err)
{
    (void)err;
    static const char *const kinds[] = {"arithmetic",      "move", "branch", "memory",
                                        "synchronisation", "other"};
    static const char *const units[] = {"SP", "DP", "SFU", "LDST", "tensor", "control"};
    ww_table_head(t, "operation");
    ww_table_head(t, "class");
    ww_table_head(t, "unit");
    ww_table_head(t, "unit_f32");
    ww_table_head(t, "unit_f64");
    ww_table_head(t, "meaning");
    for (unsigned i = 0; i < WW_OP_COUNT; i++) {
        ww_op op = (ww_op)i;
        ww_form form = ww_isa_form(op, WW_T_S32, WW_T_NONE, WW_SUB_NONE);
        ww_table_text(t, ww_op_name(op));
        ww_table_text(t, kinds[form.kind]);
        ww_table_text(t, units[form.unit]);
        ww_table_text(t, units[ww_isa_form(op, WW_T_F32, WW_T_NONE, WW_SUB_NONE).unit]);
        ww_table_text(t, units[ww_isa_form(op, WW_T_F64, WW_T_NONE, WW_SUB_NONE).unit]);
        ww_table_text(t, ww_op_meaning(op));
    }
    return WW_OK;
}

/* Counters by the names of other programs, then the rules for those that none tells. */
static ww_status list_maps(ww_table *t, ww_error *err)
{
    (void)err;
    ww_table_head(t, "from");
    ww_table_head(t, "counter");
    ww_table_head(t, "expression");
    ww_table_head(t, "note");
    for (int s = 0; s <= WW_FROM_COUNT; s++) {
        size_t count;
        const ww_foreign_row *row = ww_foreign_rows((ww_foreign_source)s, &count);
        for (size_t i = 0; i < count; i++) {
            ww_table_text(t,
                          s < WW_FROM_COUNT ? ww_foreign_name((ww_foreign_source)s) : "estimate");
            ww_table_text(t, ww_counter_describe(row[i].counter)->name);
            ww_table_text(t, row[i].expression);
            ww_table_text(t, row[i].note);
        }
    }
    return WW_OK;
}

/* A sweep's row; of one that cannot be read, the name and the reason. */
static ww_status put_sweep(ww_table *t, const char *name, const char *file)
{
    ww_sweep *sweep = NULL;
    ww_error fault = {0};
    ww_status status = ww_sweep_load(file, WW_VERSION, &sweep, &fault);
    ww_table_text(t, name);
    ww_table_count(t, status == WW_OK ? sweep->set_count : 0);
    ww_table_count(t, status == WW_OK ? sweep->item_count : 0);
    ww_table_count(t, status == WW_OK ? sweep->run_count : 0);
    ww_table_text(t, status == WW_OK ? file : fault.what);
    ww_sweep_destroy(sweep);
    return status == WW_ENOMEM ? status : WW_OK;
}

/* Files that ship with WarpWatt, and the studies of the mechanisms' rooms. */
static ww_status put_sweeps(ww_table *t, ww_arena *arena, ww_error *err)
{
    const char *folder, *rooms, **name;
    size_t count;
    WW_TRY(ww_configs_dir(arena, "sweep", &folder, err));
    WW_TRY(ww_list_dir(folder, ".xml", arena, &name, &count, err));
    for (size_t i = 0; i < count; i++) {
        char *file = ww_arena_printf(arena, "%s/%s.xml", folder, name[i]);
        if (file == NULL || put_sweep(t, name[i], file) != WW_OK) {
            return ww_no_memory(err);
        }
    }
    WW_TRY(ww_configs_rooms(arena, &rooms, err));
    WW_TRY(ww_list_dir(rooms, "", arena, &name, &count, err));
    for (size_t i = 0; i < count; i++) {
        char *file = ww_arena_printf(arena, "%s/%s/sweep.xml", rooms, name[i]);
        char *study = ww_arena_printf(arena, "paper-%s", name[i]);
        if (file == NULL || study == NULL ||
            (ww_file_exists(file) && put_sweep(t, study, file) != WW_OK)) {
            return ww_no_memory(err);
        }
    }
    return WW_OK;
}

static ww_status list_sweeps(ww_table *t, ww_error *err)
{
    ww_arena arena = {0};
    ww_table_head(t, "name");
    ww_table_head(t, "configurations");
    ww_table_head(t, "workloads");
    ww_table_head(t, "runs");
    ww_table_head(t, "file");
    ww_status status = put_sweeps(t, &arena, err);
    ww_arena_fini(&arena);
    return status;
}

static ww_status list_models(ww_table *t, ww_error *err)
{
    (void)err;
    size_t count;
    const ww_model *m = ww_models(&count);
    const char *const head[] = {
        "name",  "kind",      "layers",     "hidden", "heads",
        "inner", "positions", "parameters", "active", "cache_bytes_per_token"};
    for (size_t i = 0; i < WW_ARRAY_LEN(head); i++) {
        ww_table_head(t, head[i]);
    }
    for (size_t i = 0; i < count; i++) {
        ww_table_text(t, m[i].name);
        ww_table_text(t, ww_model_family_name(m[i].family));
        ww_table_count(t, m[i].layers);
        ww_table_count(t, m[i].hidden);
        ww_table_count(t, m[i].heads);
        ww_table_count(t, m[i].inner);
        ww_table_count(t, m[i].positions);
        ww_table_count(t, m[i].parameters);
        ww_table_count(t, m[i].active);
        ww_table_count(t, ww_model_cache_bytes(&m[i], WW_NUMBER_BF16));
    }
    return WW_OK;
}

static const struct {
    const char *what;
    ww_status (*list)(ww_table *t, ww_error *err);
} lists[] = {
    {"gpus", list_gpus},         {"workloads", list_workloads},   {"mechs", list_mechs},
    {"counters", list_counters}, {"components", list_components}, {"operations", list_operations},
    {"maps", list_maps},         {"sweeps", list_sweeps},         {"models", list_models},
    {"mechanisms", list_mechs} /* as people ask for them */};

static ww_status run(const ww_args *args, ww_error *err)
{
    if (args->positional_count != 1) {
        return ww_fail(err, WW_EUSAGE,
                       "list needs one of gpus, workloads, mechs, counters, components, "
                       "operations, maps, sweeps, models");
    }
    ww_suggest s;
    char hint[96];
    ww_suggest_init(&s, args->positional[0]);
    for (size_t i = 0; i < WW_ARRAY_LEN(lists); i++) {
        ww_suggest_offer(&s, lists[i].what);
        if (strcmp(lists[i].what, args->positional[0]) == 0) {
            ww_table t;
            ww_table_init(&t, lists[i].what);
            ww_status status = lists[i].list(&t, err);
            if (status == WW_OK && !ww_args_has(args, "quiet")) {
                status = ww_args_has(args, "markdown")
                             ? ww_table_print_markdown(&t, stdout, err)
                             : ww_table_print(&t, ww_args_has(args, "json"), stdout, err);
            }
            ww_table_fini(&t);
            return status;
        }
    }
    return ww_fail(err, WW_EUSAGE, "there is no list of '%s'%s", args->positional[0],
                   ww_suggest_text(&s, hint, sizeof hint));
}

static const ww_option options[] = {
    {"markdown", NULL, "Print a table as in docs/generated."},
    {NULL, NULL, NULL},
};
static const ww_example examples[] = {
    {"warpwatt list gpus", "GPU descriptions that --gpu takes."},
    {"warpwatt list sweeps", "Sweeps that ship with WarpWatt, papers' studies too."},
    {"warpwatt list models", "Models whose passes can be made by name."},
    {"warpwatt list maps", "What power --from makes of other programs' names, and its estimates."},
    {"warpwatt list counters --json",
     "Every activity counter and the component that consumes it, for a script."},
    {NULL, NULL},
};
const ww_command ww_cmd_list = {
    .name = "list",
    .summary = "GPUs, workloads, mechanisms, counters, components, operations, maps of names, "
               "sweeps, models",
    .synopsis = "gpus|workloads|mechs|counters|components|operations|maps|sweeps|models",
    .description = "Lists what there is to choose from.",
    .options = options,
    .examples = examples,
    .run = run,
};
