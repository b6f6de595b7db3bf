/* cmd_config.c - `warpwatt config`: what a value is and where it comes from. */
#include <string.h>

#include "analysis/table.h"
#include "arch/arch.h"
#include "arch/param.h"
#include "base/units.h"
#include "base/visible.h"
#include "cli/command.h"
#include "cli/settings.h"

static const char *for_people(const ww_arch_value *v, char *buf, size_t size)
{
    double number;
    bool physical =
        v->unit[0] != '\0' && strcmp(v->unit, "1") != 0 && strcmp(v->unit, "cycle") != 0;
    if (physical && ww_units_parse(v->value, v->unit, &number, NULL) == WW_OK) {
        return ww_units_format(number, v->unit, buf, size);
    }
    snprintf(buf, size, "%s%s%s", v->value, strcmp(v->unit, "cycle") == 0 ? " cycles" : "", "");
    return buf;
}

static bool wanted(const char *key, const char *prefix)
{
    size_t n = prefix != NULL ? strlen(prefix) : 0;
    return n == 0 || (strncmp(key, prefix, n) == 0 && (key[n] == '\0' || key[n] == '.'));
}

static ww_status show(const ww_args *args, ww_error *err)
{
    if (args->positional_count < 2 || args->positional_count > 3) {
        return ww_fail(err, WW_EUSAGE, "config show needs a GPU, and may take a key or group");
    }
    ww_arch *arch = NULL;
    WW_TRY(ww_settings_load_arch(args, args->positional[1], &arch, err));
    const char *prefix = args->positional_count == 3 ? args->positional[2] : NULL;
    ww_table t;
    ww_table_init(&t, "parameters");
    const char *const head[] = {"key", "value", "from", "source"};
    ww_table_heads(&t, head, WW_ARRAY_LEN(head));
    size_t shown = 0;
    for (size_t i = 0; i < ww_arch_param_count(); i++) {
        ww_arch_value v = ww_arch_value_at(arch, i);
        char value[256], from[512];
        if (v.value == NULL || !wanted(v.key, prefix)) {
            continue;
        }
        shown++;
        snprintf(from, sizeof from, v.line > 0 ? "%s:%d" : "%s", v.file, v.line);
        const char *slash = strrchr(from, '/');
        ww_table_text(&t, v.key);
        ww_table_text(&t, for_people(&v, value, sizeof value));
        ww_table_text(&t, slash != NULL ? slash + 1 : from);
        ww_table_text(&t, v.source);
    }
    ww_status status = WW_OK;
    if (shown == 0) {
        char hint[128];
        status = ww_fail(err, WW_ENOTFOUND, "no parameter or group '%s'%s", prefix,
                         ww_param_suggest(prefix, hint, sizeof hint));
    } else {
        status = ww_table_print(&t, ww_args_has(args, "json"), stdout, err);
    }
    ww_table_fini(&t);
    ww_arch_destroy(arch);
    return status;
}

static void put_verdict(ww_table *t, const char *gpu, const ww_arch *arch, const char *fault)
{
    char hash[24] = "";
    if (arch != NULL) {
        snprintf(hash, sizeof hash, "%016llx", (unsigned long long)arch->config_hash);
    }
    ww_table_text(t, gpu);
    ww_table_text(t, arch != NULL ? "ok" : "faulty");
    ww_table_text(t, hash);
    ww_table_text(t, fault);
}

/* Values that are legal, and hardly meant. */
static void warn(const char *gpu, const ww_arch *arch)
{
    ww_arch_flight flight[2];
    const size_t count = ww_arch_flights(arch, flight);
    for (size_t i = 0; i < count; i++) {
        const ww_arch_flight *f = &flight[i];
        if (f->held < f->needed) {
            fprintf(
                stderr,
                "%s: warning: %s lets %.1f KiB be on the way to DRAM at a time; its bandwidth of "
                "%.0f GB/s over a latency of %.0f ns needs %.1f KiB (Little's law)\n",
                gpu, f->key, f->held / 1024, ww_arch_dram_bandwidth(arch) / 1e9, f->latency_s * 1e9,
                f->needed / 1024);
        }
    }
}

/* One description; faults of one alone end the command, those of several are counted. */
static ww_status check_one(const ww_args *args, const char *gpu, ww_table *t, size_t *faulty,
                           ww_error *err)
{
    ww_arch *arch = NULL;
    char text[4096] = "";
    ww_error fault = {0};
    bool json = ww_args_has(args, "json"), alone = args->positional_count == 2 && !json;
    ww_status status = ww_settings_check_arch(args, gpu, &arch, &fault);
    if (status == WW_EUSAGE || status == WW_ENOMEM || (alone && status != WW_OK)) {
        if (err != NULL) {
            *err = fault;
        }
        return status;
    }
    if (status != WW_OK) {
        ww_error_format(&fault, text, sizeof text);
        *faulty += 1;
        if (!json) {
            fprintf(stderr, "%s\n", text);
        }
    } else if (!ww_args_has(args, "quiet") && !json) {
        printf("%s: ok, %zu parameters, hash %016llx\n", WW_VISIBLE(gpu), ww_arch_param_count(),
               (unsigned long long)arch->config_hash);
    }
    if (status == WW_OK) {
        warn(gpu, arch);
    }
    put_verdict(t, gpu, arch, text);
    ww_arch_destroy(arch);
    return WW_OK;
}

static ww_status check(const ww_args *args, ww_error *err)
{
    static const char *const head[] = {"gpu", "state", "hash", "fault"};
    if (args->positional_count < 2) {
        return ww_fail(err, WW_EUSAGE, "config check needs a GPU name or file");
    }
    size_t faulty = 0;
    ww_table t;
    ww_table_init(&t, "descriptions");
    ww_table_heads(&t, head, WW_ARRAY_LEN(head));
    ww_status status = WW_OK;
    for (size_t i = 1; status == WW_OK && i < args->positional_count; i++) {
        status = check_one(args, args->positional[i], &t, &faulty, err);
    }
    if (status == WW_OK && ww_args_has(args, "json")) {
        status = ww_table_print(&t, true, stdout, err);
    }
    ww_table_fini(&t);
    if (status == WW_OK && faulty > 0) {
        status = ww_fail(err, WW_ESCHEMA, "%zu of %zu descriptions have faults", faulty,
                         args->positional_count - 1);
    }
    return status;
}

static bool is_number(const ww_param *p)
{
    return p->type == WW_PARAM_UINT || p->type == WW_PARAM_REAL;
}

/* What the parameter's group describes: "one L2 slice", of which there are many. */
static const char *described_by(size_t index)
{
    for (size_t g = 0; g < ww_param_group_count(); g++) {
        const ww_param_group group = ww_param_group_at(g);
        if (index >= group.first && index < group.first + group.count) {
            return group.doc;
        }
    }
    return "";
}

static ww_status explain_json(const ww_param *p, const char *of, ww_error *err)
{
    ww_str text = {0};
    ww_json json;
    ww_json_init(&json, &text, 2);
    ww_json_object(&json, NULL);
    ww_json_text(&json, "key", p->key);
    ww_json_text(&json, "meaning", p->doc);
    ww_json_text(&json, "of", of);
    if (is_number(p)) {
        ww_json_text(&json, "unit", p->unit);
        ww_json_double(&json, "lowest", p->lo);
        ww_json_double(&json, "highest", p->hi);
    }
    ww_json_array(&json, "values");
    for (size_t k = 0; k < p->value_count; k++) {
        ww_json_object(&json, NULL);
        ww_json_text(&json, "value", p->values[k].text);
        ww_json_text(&json, "meaning", p->values[k].doc);
        ww_json_end(&json);
    }
    ww_json_end(&json);
    ww_json_end(&json);
    return ww_json_print(&json, &text, stdout, err);
}

static ww_status explain(const ww_args *args, ww_error *err)
{
    if (args->positional_count != 2) {
        return ww_fail(err, WW_EUSAGE, "config explain needs one key, for example sm.schedulers");
    }
    size_t i = ww_param_index(args->positional[1]);
    if (i == ww_param_count()) {
        char hint[128];
        return ww_fail(err, WW_ENOTFOUND, "no parameter '%s'%s", args->positional[1],
                       ww_param_suggest(args->positional[1], hint, sizeof hint));
    }
    const ww_param *p = ww_param_at(i);
    if (ww_args_has(args, "json")) {
        return explain_json(p, described_by(i), err);
    }
    printf("%s\n  %s\n  of: %s\n", p->key, p->doc, described_by(i));
    if (is_number(p)) {
        printf("  unit: %s   range: %.10g to %.10g\n", p->unit, p->lo, p->hi);
    }
    for (size_t k = 0; k < p->value_count; k++) {
        printf("  %-14s %s\n", p->values[k].text, p->values[k].doc);
    }
    return WW_OK;
}

static ww_status run(const ww_args *args, ww_error *err)
{
    static const struct {
        const char *what;
        ww_status (*run)(const ww_args *args, ww_error *err);
    } verbs[] = {{"show", show}, {"check", check}, {"explain", explain}};
    for (size_t i = 0; args->positional_count > 0 && i < WW_ARRAY_LEN(verbs); i++) {
        if (strcmp(verbs[i].what, args->positional[0]) == 0) {
            return verbs[i].run(args, err);
        }
    }
    return ww_fail(err, WW_EUSAGE, "config needs one of show, check, explain");
}

static const ww_option options[] = {
    {"set", "KEY=VALUE", "Override a parameter; may be repeated."},
    WW_OPTION_CLOCK,
    {"mech", "NAME,…", "Mechanisms that are switched on (warpwatt list mechs)."},
    {NULL, NULL, NULL},
};
static const ww_example examples[] = {
    {"warpwatt config show gtx580",
     "Every resolved value, the file and line that set it, and its source."},
    {"warpwatt config show gtx580 l1d", "One group."},
    {"warpwatt config explain sm.scheduler", "Meaning, unit, range or choices of a parameter."},
    {"warpwatt config check my-gpu.xml", "Validate a description of your own."},
    {NULL, NULL},
};
const ww_command ww_cmd_config = {
    .name = "config",
    .summary = "show, check or explain GPU parameters",
    .synopsis = "show GPU [KEY] [--set KEY=VALUE]\ncheck GPU…\nexplain KEY",
    .description = "Shows what a GPU description resolves to, value by value, with its provenance.",
    .options = options,
    .examples = examples,
    .run = run,
};
