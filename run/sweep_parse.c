/* sweep_parse.c - reading a sweep file: its attributes, its workloads, and the runs that follow. */
#include <stdio.h>
#include <string.h>

#include "base/config_schema.h"
#include "base/file.h"
#include "base/num.h"
#include "run/sweep_parser.h"

ww_status ww__sweep_copy(ww_sweep_parser *p, const char *text, const char **out)
{
    *out = text != NULL ? ww_arena_strndup(&p->sweep->arena, text, strlen(text)) : NULL;
    return text == NULL || *out != NULL ? WW_OK : ww__sweep_no_memory(p->err);
}

static ww_status read_count(ww_sweep_parser *p, const ww_xml_node *node, const char *name,
                            uint64_t *out)
{
    const char *text = ww_xml_attr(node, name);
    return text != NULL ? ww_num_parse_u64(text, out, p->err) : WW_OK;
}

/* ---- workloads ---- */

static ww_status read_setting(ww_sweep_parser *p, const ww_xml_node *node, ww_setting *settings,
                              ww_sweep_item *item)
{
    if (item->setting_count == WW__SWEEP_SETTINGS) {
        return ww_xml_fail(p->xml, node, p->err, WW_ERANGE, "more than %d parameters",
                           WW__SWEEP_SETTINGS);
    }
    ww_setting *setting = &settings[item->setting_count++];
    WW_TRY(ww__sweep_copy(p, ww_xml_attr(node, "key"), &setting->key));
    return ww__sweep_copy(p, ww_xml_attr(node, "value"), &setting->value);
}

static ww_status read_share(ww_sweep_parser *p, const ww_xml_node *node, ww_sweep_item *item)
{
    const double rounding = 1e-9;
    uint64_t from = 0;
    if (item->share_count == WW_SWEEP_SHARES) {
        return ww_xml_fail(p->xml, node, p->err, WW_ERANGE, "more than %d shares", WW_SWEEP_SHARES);
    }
    ww_sweep_share *share = &item->share[item->share_count++];
    WW_TRY(ww__sweep_copy(p, ww_xml_attr(node, "kernel"), &share->kernel));
    WW_TRY(ww_num_parse_double(ww_xml_attr(node, "part"), &share->part, p->err));
    WW_TRY(read_count(p, node, "from", &from));
    share->from = (uint32_t)from; /* the schema has no larger ones */
    double sum = 0;
    for (size_t i = 0; i < item->share_count; i++) {
        sum += item->share[i].part;
        if (i + 1 < item->share_count && strcmp(item->share[i].kernel, share->kernel) == 0) {
            return ww_xml_fail(p->xml, node, p->err, WW_ESCHEMA, "kernel %s has a share already",
                               share->kernel);
        }
    }
    return sum <= 1 + rounding
               ? WW_OK
               : ww_xml_fail(p->xml, node, p->err, WW_ERANGE,
                             "the shares of %s are more than 1 together", item->label);
}

/* What a workload's element says besides its name. */
static ww_status read_details(ww_sweep_parser *p, const ww_xml_node *node, ww_sweep_item *item)
{
    const char *label = ww_xml_attr(node, "label"), *classes = ww_xml_attr(node, "class");
    ww_setting *settings = WW_ARENA_NEW_ARRAY(&p->sweep->arena, ww_setting, WW__SWEEP_SETTINGS);
    item->share = WW_ARENA_NEW_ARRAY(&p->sweep->arena, ww_sweep_share, WW_SWEEP_SHARES);
    if (settings == NULL || item->share == NULL) {
        return ww__sweep_no_memory(p->err);
    }
    WW_TRY(ww__sweep_copy(p, label != NULL ? label : item->workload->name, &item->label));
    WW_TRY(ww__sweep_copy(p, classes != NULL ? classes : "", &item->classes));
    WW_TRY(read_count(p, node, "max_instructions", &item->max_instructions));
    for (const ww_xml_node *c = ww_xml_child(node); c != NULL; c = ww_xml_next(c)) {
        WW_TRY(strcmp(ww_xml_tag(c), "share") == 0 ? read_share(p, c, item)
                                                   : read_setting(p, c, settings, item));
    }
    item->settings = settings;
    if (item->share_count > 0 && item->max_instructions == 0 && p->sweep->max_instructions == 0) {
        return ww_xml_fail(p->xml, node, p->err, WW_ESCHEMA,
                           "shares of a budget, and no max_instructions");
    }
    return WW_OK;
}

ww_status ww__sweep_add_item(ww_sweep_parser *p, const ww_xml_node *node, const ww_sweep_item *item)
{
    ww_sweep *s = p->sweep;
    for (size_t i = 0; i < s->item_count; i++) {
        if (strcmp(s->item[i].name, item->name) == 0) {
            return ww_xml_fail(p->xml, node, p->err, WW_ESCHEMA, "%s is there twice", item->name);
        }
    }
    s->item = ww_arena_room(&s->arena, s->item, s->item_count, &p->item_room, sizeof *s->item);
    if (s->item == NULL) {
        return ww__sweep_no_memory(p->err);
    }
    s->item[s->item_count++] = *item;
    return WW_OK;
}

static ww_status add_workload(ww_sweep_parser *p, const ww_xml_node *node, const ww_workload *w,
                              ww_workload_size size)
{
    ww_sweep_item item = {.workload = w, .size = size};
    item.name = ww_arena_printf(&p->sweep->arena, "%s-%s", w->name, ww_workload_size_name(size));
    if (item.name == NULL) {
        return ww__sweep_no_memory(p->err);
    }
    WW_TRY(read_details(p, node, &item));
    return ww__sweep_add_item(p, node, &item);
}

static ww_status unknown_workload(ww_sweep_parser *p, const ww_xml_node *node, const char *name)
{
    char hint[96];
    return ww_xml_fail(p->xml, node, p->err, WW_ENOTFOUND, "there is no workload '%s'%s", name,
                       ww_workload_suggest(name, hint, sizeof hint));
}

static ww_status read_workload(ww_sweep_parser *p, const ww_xml_node *node)
{
    const char *name = ww_xml_attr(node, "name"), *size_name = ww_xml_attr(node, "size");
    ww_workload_size size = WW_SIZE_STD;
    if (size_name != NULL) {
        WW_TRY(ww_workload_size_parse(size_name, &size, p->err));
    }
    if (strcmp(name, "all") == 0) {
        size_t count;
        const ww_workload *all = ww_workload_list(&count);
        for (size_t i = 0; i < count; i++) {
            WW_TRY(add_workload(p, node, &all[i], size));
        }
        return WW_OK;
    }
    const ww_workload *w = ww_workload_find(name);
    return w != NULL ? add_workload(p, node, w, size) : unknown_workload(p, node, name);
}

/* ---- the whole ---- */

/* "auto" or "auto:5%": what is sampled, and the error aimed at. */
static ww_status read_sampling(ww_sweep_parser *p, const ww_xml_node *root)
{
    const char *sample = ww_xml_attr(root, "sample");
    char number[32];
    double percent;
    p->sweep->sample_aim = "";
    if (sample == NULL) {
        return WW_OK;
    }
    if (p->sweep->interval_cycles > 0) {
        return ww_xml_fail(p->xml, root, p->err, WW_ESCHEMA, "sample does not go with interval");
    }
    const size_t what = strcspn(sample, ":");
    bool fast = strncmp(sample, "fast", what) == 0, both = strncmp(sample, "auto", what) == 0;
    p->sweep->sample_ctas = fast || both || strncmp(sample, "ctas", what) == 0;
    p->sweep->sample_time = fast || strncmp(sample, "time", what) == 0;
    p->sweep->sample_kernels = fast || both || strncmp(sample, "kernels", what) == 0;
    if (sample[what] == '\0') {
        return WW_OK;
    }
    snprintf(number, sizeof number, "%.*s", (int)strcspn(sample + what + 1, "%"),
             sample + what + 1);
    if (ww_num_parse_double(number, &percent, NULL) != WW_OK || !(percent > 0 && percent <= 50)) {
        return ww_xml_fail(p->xml, root, p->err, WW_ERANGE,
                           "sample aims at an error above 0%% and up to 50%%, not '%s'",
                           sample + what + 1);
    }
    p->sweep->sample_error = percent / 100;
    p->sweep->sample_aim = ww_arena_strndup(&p->sweep->arena, sample + what, strlen(sample + what));
    return p->sweep->sample_aim != NULL ? WW_OK : ww__sweep_no_memory(p->err);
}

static ww_status read_sweep(ww_sweep_parser *p, const char *version)
{
    const ww_xml_node *root = ww_xml_root(p->xml);
    WW_TRY(ww_config_schema_check(p->xml, p->dir, "sweep.xsd", p->err));
    const char *isa = ww_xml_attr(root, "isa");
    WW_TRY(ww__sweep_copy(p, ww_xml_attr(root, "name"), &p->sweep->name));
    p->sweep->isa = WW_ISA_DESCRIBED;
    if (isa != NULL && !ww_isa_named(isa, &p->sweep->isa)) { /* the schema knows the names */
        return ww_fail(p->err, WW_EINTERNAL, "no instruction stream is called %.100s", isa);
    }
    WW_TRY(read_count(p, root, "interval", &p->sweep->interval_cycles));
    WW_TRY(read_count(p, root, "max_cycles", &p->sweep->max_cycles));
    WW_TRY(read_count(p, root, "max_instructions", &p->sweep->max_instructions));
    WW_TRY(read_sampling(p, root));
    for (const ww_xml_node *c = ww_xml_child(root); c != NULL; c = ww_xml_next(c)) {
        const char *tag = ww_xml_tag(c);
        WW_TRY(strcmp(tag, "workload") == 0        ? read_workload(p, c)
               : strcmp(tag, "pass") == 0          ? ww__sweep_pass(p, c)
               : strcmp(tag, "configuration") == 0 ? ww__sweep_configuration(p, c)
                                                   : ww__sweep_study(p, c));
    }
    if (p->sweep->set_count == 0 || p->sweep->item_count == 0) {
        return ww_xml_fail(p->xml, root, p->err, WW_ESCHEMA,
                           "a sweep needs a configuration and a workload or a pass");
    }
    WW_TRY(ww__sweep_link(p));
    return ww__sweep_runs(p, version);
}

static ww_status build(const ww_xml *xml, const char *version, ww_sweep **out, ww_error *err)
{
    ww_sweep *sweep = WW_NEW(ww_sweep);
    if (sweep == NULL) {
        return ww__sweep_no_memory(err);
    }
    const char *name = ww_xml_name(xml);
    sweep->file = ww_arena_strndup(&sweep->arena, name, strlen(name));
    ww_sweep_parser p = {
        .sweep = sweep, .xml = xml, .err = err, .dir = ww_path_dir(&sweep->arena, name)};
    ww_status status =
        sweep->file != NULL && p.dir != NULL ? read_sweep(&p, version) : ww__sweep_no_memory(err);
    ww_arch_family_fini(&p.family);
    ww_map_fini(&p.set_names);
    if (status != WW_OK) {
        ww_sweep_destroy(sweep);
        return status;
    }
    *out = sweep;
    return WW_OK;
}

ww_status ww_sweep_parse(const char *name, const char *text, size_t length, const char *version,
                         ww_sweep **out, ww_error *err)
{
    ww_xml *xml = NULL;
    WW_TRY(ww_xml_parse(name, text, length, &xml, err));
    ww_status status = build(xml, version, out, err);
    ww_xml_destroy(xml);
    return status;
}

ww_status ww_sweep_load(const char *path, const char *version, ww_sweep **out, ww_error *err)
{
    ww_xml *xml = NULL;
    WW_TRY(ww_xml_load(path, &xml, err));
    ww_status status = build(xml, version, out, err);
    ww_xml_destroy(xml);
    return status;
}

void ww_sweep_destroy(ww_sweep *sweep)
{
    if (sweep != NULL) {
        ww_arena_fini(&sweep->arena);
        ww_free(sweep);
    }
}
