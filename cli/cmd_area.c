/* cmd_area.c - `warpwatt area`: what of a die is modelled, by component, what is left, and what
 * active mechanisms take. */
#include <string.h>

#include "analysis/table.h"
#include "cli/command.h"
#include "cli/settings.h"
#include "power/power.h"

typedef struct row {
    const char *name;
    double circuits_m2, fits_m2, rest_m2, leak_w;
    bool in_sm;
} row;

/* What shares are of. */
typedef struct whole {
    const char *gpu;
    double die_m2, sms_m2; /* of all SMs as modelled, without mechanisms */
} whole;

static void put_row(ww_table *t, const whole *of, const row *r)
{
    double area_m2 = r->circuits_m2 + r->fits_m2 + r->rest_m2;
    if (!(area_m2 > 0 || r->leak_w > 0)) {
        return;
    }
    ww_table_text(t, of->gpu);
    ww_table_text(t, r->name);
    ww_table_number(t, r->circuits_m2 * 1e6, 2);
    ww_table_number(t, r->fits_m2 * 1e6, 2);
    ww_table_number(t, area_m2 * 1e6, 2);
    ww_table_number(t, of->die_m2 > 0 ? 100 * area_m2 / of->die_m2 : 0, 2);
    ww_table_number(t, r->in_sm ? 100 * area_m2 / of->sms_m2 : 0, 2);
    ww_table_number(t, r->leak_w, 2);
}

/* A component's structures inside or outside of the SMs, the rest of the die left out. */
static row sum_of(const ww_power_model *model, ww_component component, bool in_sm, const char *name)
{
    size_t count;
    const ww_power_structure *s = ww_power_structures(model, &count);
    row r = {.name = name, .in_sm = in_sm};
    for (size_t i = 0; i < count; i++) {
        if (s[i].component == component && s[i].in_sm == in_sm && s[i].area_kind != WW_AREA_REST) {
            r.circuits_m2 += s[i].area_kind == WW_AREA_CIRCUIT ? s[i].area_m2 : 0;
            r.fits_m2 += s[i].area_kind == WW_AREA_FIT ? s[i].area_m2 : 0;
            r.leak_w += s[i].leakage_w;
        }
    }
    return r;
}

static row rest_of(const ww_power_model *model)
{
    size_t count;
    const ww_power_structure *s = ww_power_structures(model, &count);
    row r = {.name = "rest of the die, not modelled"};
    for (size_t i = 0; i < count; i++) {
        if (s[i].area_kind == WW_AREA_REST) {
            r.rest_m2 += s[i].area_m2;
            r.leak_w += s[i].leakage_w;
        }
    }
    return r;
}

static void add_to(row *sum, const row *r)
{
    sum->circuits_m2 += r->circuits_m2;
    sum->fits_m2 += r->fits_m2;
    sum->rest_m2 += r->rest_m2;
    sum->leak_w += r->leak_w;
}

static void fill(ww_table *t, const ww_arch *arch, const ww_power_model *model)
{
    whole of = {.gpu = ww_arch_name(arch),
                .die_m2 = arch->chip.die_m2,
                .sms_m2 = ww_power_sm_m2(model) * arch->sm.count};
    row modelled = {.name = "modelled"}, sm = {.name = "one SM of these"}, rest = rest_of(model);
    for (int c = 0; c < WW_COMPONENT_COUNT; c++) {
        ww_component component = (ww_component)c;
        row inside = sum_of(model, component, true, ww_component_name(component));
        row outside =
            sum_of(model, component, false,
                   component == WW_COMPONENT_LDSTU ? "LDSTU: L2" : ww_component_name(component));
        if (component != WW_COMPONENT_MECH) {
            add_to(&sm, &inside);
        }
        add_to(&modelled, &inside);
        add_to(&modelled, &outside);
        put_row(t, &of, &inside);
        put_row(t, &of, &outside);
    }
    row die = {.name = "die"};
    add_to(&die, &modelled);
    add_to(&die, &rest);
    sm.circuits_m2 /= arch->sm.count;
    sm.fits_m2 /= arch->sm.count;
    sm.leak_w /= arch->sm.count;
    put_row(t, &of, &modelled);
    put_row(t, &of, &rest);
    put_row(t, &of, &die);
    put_row(t, &of, &sm);
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
