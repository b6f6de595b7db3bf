/* cmd_area.c - `warpwatt area`: what of a die is modelled, by component, what is left, and what
 * active mechanisms take. */
#include <string.h>

#include "analysis/table.h"
#include "cli/command.h"
#include "cli/settings.h"
#include "power/area_parts.h"

static void put_part(ww_table *t, const char *gpu, const ww_area_part *p)
{
    ww_table_text(t, gpu);
    ww_table_text(t, p->name);
    ww_table_number(t, p->circuits_m2 * 1e6, 2);
    ww_table_number(t, p->fits_m2 * 1e6, 2);
    ww_table_number(t, p->area_m2 * 1e6, 2);
    ww_table_number(t, 100 * p->of_die, 2);
    ww_table_number(t, 100 * p->of_sms, 2);
    ww_table_number(t, p->leakage_w, 2);
}

static void fill(ww_table *t, const ww_arch *arch, const ww_power_model *model)
{
    ww_area_part part[WW_AREA_PARTS];
    const size_t count = ww_power_area_parts(model, arch, part);
    for (size_t i = 0; i < count; i++) {
        put_part(t, ww_arch_name(arch), &part[i]);
    }
}

/* Every structure, as in area.csv. */
static void fill_structures(ww_table *t, const ww_arch *arch, const ww_power_model *model)
{
    size_t count;
    const ww_power_structure *s = ww_power_structures(model, &count);
    for (size_t i = 0; i < count; i++) {
        if (s[i].area_m2 > 0 || s[i].leakage_w > 0) {
            ww_table_text(t, ww_arch_name(arch));
            ww_table_text(t, s[i].path);
            ww_table_count(t, s[i].instances);
            ww_table_text(t, ww_area_kind_name(s[i].area_kind));
            ww_table_number(t, s[i].area_m2 * 1e6, 3);
            ww_table_number(t, s[i].leakage_w, 3);
        }
    }
}

static ww_status add_gpu(const ww_args *args, const char *name, ww_table *t, ww_error *err)
{
    ww_arch *arch = NULL;
    ww_power_model *model = NULL;
    WW_TRY(ww_settings_load_arch(args, name, &arch, err));
    ww_status status = ww_power_model_create(arch, NULL, &model, err);
    if (status == WW_OK) {
        (ww_args_has(args, "structures") ? fill_structures : fill)(t, arch, model);
    }
    ww_power_model_destroy(model);
    ww_arch_destroy(arch);
    return status;
}

/* Names of a list with commas between them. */
static ww_status add_gpus(const ww_args *args, const char *list, ww_table *t, ww_error *err)
{
    ww_status status = WW_OK;
    while (*list != '\0' && status == WW_OK) {
        char name[1024];
        size_t length = strcspn(list, ",");
        if (length == 0 || length >= sizeof name) {
            return ww_fail(err, WW_EUSAGE, "--gpu takes names with commas between them");
        }
        memcpy(name, list, length);
        name[length] = '\0';
        list += length + (list[length] == ',');
        status = add_gpu(args, name, t, err);
    }
    return status;
}

static ww_status run(const ww_args *args, ww_error *err)
{
    static const char *const summary[] = {"gpu",
                                          "part",
                                          "circuits_mm2",
                                          "fits_mm2",
                                          "area_mm2",
                                          "share_of_die_pct",
                                          "share_of_sms_pct",
                                          "leakage_w"};
    static const char *const tree[] = {"gpu",  "structure", "instances",
                                       "kind", "area_mm2",  "leakage_w"};
    if (ww_args_value(args, "gpu") == NULL) {
        return ww_fail(err, WW_EUSAGE, "area needs --gpu NAME[,NAME…]");
    }
    ww_table t;
    ww_table_init(&t, "area");
    bool structures = ww_args_has(args, "structures");
    for (size_t i = 0; i < (structures ? WW_ARRAY_LEN(tree) : WW_ARRAY_LEN(summary)); i++) {
        ww_table_head(&t, structures ? tree[i] : summary[i]);
    }
    ww_status status = add_gpus(args, ww_args_value(args, "gpu"), &t, err);
    if (status == WW_OK && ww_args_has(args, "markdown")) {
        status = ww_table_print_markdown(&t, stdout, err);
    } else if (status == WW_OK) {
        status = ww_table_print(&t, ww_args_has(args, "json"), stdout, err);
    }
    ww_table_fini(&t);
    return status;
}

static const ww_option options[] = {
    {"gpu", "NAME|FILE,…", "GPU descriptions, with commas between them."},
    {"set", "KEY=VALUE", "Override a parameter of all of them; may be repeated."},
    WW_OPTION_CLOCK,
    {"mech", "NAME,…", "Mechanisms that are switched on (warpwatt list mechs): what they take."},
    {"structures", NULL, "Every structure instead of the components."},
    {"markdown", NULL, "Print the table as Markdown."},
    {NULL, NULL, NULL},
};
static const ww_example examples[] = {
    {"warpwatt area --gpu gtx480,gtx580", "Two dies by component."},
    {"warpwatt area --gpu gtx480 --mech uv", "What a mechanism adds."},
    {"warpwatt area --gpu gtx580 --set sm.registers=65536 --structures",
     "Every structure with twice the registers."},
    {NULL, NULL},
};
const ww_command ww_cmd_area = {
    .name = "area",
    .summary = "die area and leakage by component, and what is not modelled",
    .synopsis = "--gpu NAME[,NAME…] [options]",
    .description =
        "Prints area and leakage by component: circuits (arrays, gates and wires of the geometry "
        "described) and published fits (controllers, interfaces, undifferentiated logic, placement "
        "and routing) apart. The rest of a published die is what is left, not an estimate.\n"
        "validate area sets these beside published areas and static powers.",
    .options = options,
    .examples = examples,
    .run = run,
};
