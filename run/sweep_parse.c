/* sweep_parse.c - reading a sweep file: configurations, what varies in them, workloads. */
#include <stdio.h>
#include <string.h>

#include "base/config_schema.h"
#include "base/file.h"
#include "base/num.h"
#include "base/suggest.h"
#include "base/xml.h"
#include "run/sweep.h"

enum { MOST_SETTINGS = 64, MOST_VALUES = 256, MOST_NAME = 200 };

typedef struct parser {
    ww_sweep *sweep;
    const ww_xml *xml;
    const char *dir; /* of the sweep file, for the GPU files it names */
    size_t set_room, item_room;
    ww_error *err;
} parser;

/* A parameter of a configuration with the values it takes: one, or several to vary over. */
typedef struct axis {
    const char *key;
    const char **value;
    size_t count;
    bool varies;
} axis;

static ww_status no_memory(ww_error *err)
{
    return ww_fail(err, WW_ENOMEM, "out of memory");
}

/* Makes room for one more element of an array in the arena; the old array stays until the end. */
static void *with_room(ww_arena *arena, void *array, size_t count, size_t *room, size_t size)
{
    if (count < *room) {
        return array;
    }
    size_t grown_room = *room != 0 ? 2 * *room : 16;
    void *grown = ww_arena_alloc(arena, grown_room, size);
    if (grown != NULL) {
        if (count > 0) {
            memcpy(grown, array, count * size);
        }
        *room = grown_room;
    }
    return grown;
}

/* ---- configurations ---- */

static ww_status split_values(parser *p, const ww_xml_node *node, const char *text, axis *a)
{
    ww_arena *arena = &p->sweep->arena;
    a->value = WW_ARENA_NEW_ARRAY(arena, const char *, MOST_VALUES);
    if (a->value == NULL) {
        return no_memory(p->err);
    }
    for (const char *at = text; at != NULL;) {
        const char *comma = strchr(at, ',');
        size_t length = comma != NULL ? (size_t)(comma - at) : strlen(at);
        for (; length > 0 && *at == ' '; at++, length--) {
        }
        for (; length > 0 && at[length - 1] == ' '; length--) {
        }
        if (length == 0 || a->count == MOST_VALUES) {
            return ww_xml_fail(p->xml, node, p->err, WW_ESCHEMA,
                               "values=\"%s\" must be 1 to %d values separated by commas", text,
                               MOST_VALUES);
        }
        a->value[a->count] = ww_arena_strndup(arena, at, length);
        if (a->value[a->count++] == NULL) {
            return no_memory(p->err);
        }
        at = comma != NULL ? comma + 1 : NULL;
    }
    return WW_OK;
}

static ww_status read_axes(parser *p, const ww_xml_node *node, axis *axes, size_t *count)
{
    for (const ww_xml_node *c = ww_xml_child(node); c != NULL; c = ww_xml_next(c)) {
        bool varies = strcmp(ww_xml_tag(c), "vary") == 0;
        if (*count == MOST_SETTINGS) {
            return ww_xml_fail(p->xml, c, p->err, WW_ERANGE, "more than %d parameters",
                               MOST_SETTINGS);
        }
        axis *a = &axes[(*count)++];
        *a = (axis){.key = ww_xml_attr(c, "key"), .varies = varies};
        if (varies) {
            WW_TRY(split_values(p, c, ww_xml_attr(c, "values"), a));
        } else {
            a->value = WW_ARENA_NEW_ARRAY(&p->sweep->arena, const char *, 1);
            if (a->value == NULL) {
                return no_memory(p->err);
            }
            a->value[0] = ww_xml_attr(c, "value");
            a->count = 1;
        }
    }
    return WW_OK;
}

/* A file of the sweep's folder, or the name of a shipped GPU. */
static const char *gpu_path(parser *p, const char *gpu)
{
    bool is_file = strchr(gpu, '/') != NULL || strstr(gpu, ".xml") != NULL;
    return is_file ? ww_path_join(&p->sweep->arena, p->dir, gpu)
                   : ww_arena_strndup(&p->sweep->arena, gpu, strlen(gpu));
}

/* "base,sm.max_ctas=16": the configuration's name and what was chosen where it varies. */
static ww_status name_set(parser *p, const ww_xml_node *node, const axis *axes,
                          const size_t *choice, size_t count, const char **out)
{
    ww_str text = {0};
    ww_str_add(&text, ww_xml_attr(node, "name"));
    for (size_t i = 0; i < count; i++) {
        if (axes[i].varies) {
            ww_str_addf(&text, ",%s=", axes[i].key);
            for (const char *c = axes[i].value[choice[i]]; *c != '\0'; c++) {
                bool plain = strchr("/ \\", *c) == NULL;
                ww_str_add_char(&text, plain ? *c : '_');
            }
        }
    }
    ww_status status = ww_str_check(&text, p->err);
    if (status == WW_OK && text.len > MOST_NAME) {
        status =
            ww_xml_fail(p->xml, node, p->err, WW_ERANGE,
                        "the name '%.40s...' of a configuration and what varies in it has more "
                        "than %d characters",
                        ww_str_text(&text), MOST_NAME);
    }
    *out =
        status == WW_OK ? ww_arena_strndup(&p->sweep->arena, ww_str_text(&text), text.len) : NULL;
    ww_str_fini(&text);
    return status != WW_OK || *out != NULL ? status : no_memory(p->err);
}

static ww_status add_set(parser *p, const ww_xml_node *node, const axis *axes, const size_t *choice,
                         size_t count)
{
    ww_sweep *s = p->sweep;
    ww_setting *settings = WW_ARENA_NEW_ARRAY(&s->arena, ww_setting, count + 1);
    s->set = with_room(&s->arena, s->set, s->set_count, &p->set_room, sizeof *s->set);
    if (s->set == NULL || settings == NULL) {
        return no_memory(p->err);
    }
    for (size_t i = 0; i < count; i++) {
        const char *key = ww_arena_strndup(&s->arena, axes[i].key, strlen(axes[i].key));
        const char *text = axes[i].value[choice[i]];
        const char *value = ww_arena_strndup(&s->arena, text, strlen(text));
        if (key == NULL || value == NULL) {
            return no_memory(p->err);
        }
        settings[i] = (ww_setting){key, value};
    }
    ww_sweep_set set = {
        .gpu = gpu_path(p, ww_xml_attr(node, "gpu")), .settings = settings, .setting_count = count};
    WW_TRY(name_set(p, node, axes, choice, count, &set.name));
    for (size_t i = 0; i < s->set_count; i++) {
        if (strcmp(s->set[i].name, set.name) == 0) {
            return ww_xml_fail(p->xml, node, p->err, WW_ESCHEMA,
                               "there are two configurations '%s'", set.name);
        }
    }
    s->set[s->set_count++] = set;
    return set.gpu != NULL ? WW_OK : no_memory(p->err);
}

/* Counts through the combinations of values, the last axis fastest. */
static bool next_choice(const axis *axes, size_t *choice, size_t count)
{
    for (size_t i = count; i-- > 0;) {
        if (++choice[i] < axes[i].count) {
            return true;
        }
        choice[i] = 0;
    }
    return false;
}

static ww_status read_configuration(parser *p, const ww_xml_node *node)
{
    axis axes[MOST_SETTINGS];
    size_t choice[MOST_SETTINGS] = {0}, count = 0;
    WW_TRY(read_axes(p, node, axes, &count));
    do {
        if (p->sweep->set_count >= WW_SWEEP_MAX_RUNS) {
            return ww_xml_fail(p->xml, node, p->err, WW_ERANGE, "more than %d configurations",
                               WW_SWEEP_MAX_RUNS);
        }
        WW_TRY(add_set(p, node, axes, choice, count));
    } while (next_choice(axes, choice, count));
    return WW_OK;
}

/* ---- workloads ---- */

static ww_status add_item(parser *p, const ww_xml_node *node, const ww_workload *w,
                          ww_workload_size size)
{
    ww_sweep *s = p->sweep;
    for (size_t i = 0; i < s->item_count; i++) {
        if (s->item[i].workload == w && s->item[i].size == size) {
            return ww_xml_fail(p->xml, node, p->err, WW_ESCHEMA, "workload %s:%s is there twice",
                               w->name, ww_workload_size_name(size));
        }
    }
    s->item = with_room(&s->arena, s->item, s->item_count, &p->item_room, sizeof *s->item);
    if (s->item == NULL) {
        return no_memory(p->err);
    }
    s->item[s->item_count++] = (ww_sweep_item){w, size};
    return WW_OK;
}

static ww_status unknown_workload(parser *p, const ww_xml_node *node, const char *name)
{
    char hint[96];
    return ww_xml_fail(p->xml, node, p->err, WW_ENOTFOUND, "there is no workload '%s'%s", name,
                       ww_workload_suggest(name, hint, sizeof hint));
}

static ww_status read_workload(parser *p, const ww_xml_node *node)
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
            WW_TRY(add_item(p, node, &all[i], size));
        }
        return WW_OK;
    }
    const ww_workload *w = ww_workload_find(name);
    return w != NULL ? add_item(p, node, w, size) : unknown_workload(p, node, name);
}

/* ---- runs ---- */

static const char *sampling(const ww_sweep *s)
{
    return s->sample_time && s->sample_kernels   ? "fast"
           : s->sample_ctas && s->sample_kernels ? "auto"
           : s->sample_ctas                      ? "ctas"
           : s->sample_time                      ? "time"
           : s->sample_kernels                   ? "kernels"
                                                 : "none";
}

static const char *describe(ww_sweep *s, const ww_sweep_set *set, const ww_sweep_item *item,
                            uint64_t config_hash, const char *version)
{
    return ww_arena_printf(&s->arena,
                           "warpwatt %s\ngpu %s %016llx\nworkload %s %s\nisa %s\ninterval %llu\n"
                           "max_cycles %llu\nsample %s%s\n",
                           version, set->gpu, (unsigned long long)config_hash, item->workload->name,
                           ww_workload_size_name(item->size),
                           s->isa == WW_ISA_LOWERED ? "lowered" : "ptx",
                           (unsigned long long)s->interval_cycles,
                           (unsigned long long)s->max_cycles, sampling(s), s->sample_aim);
}

static ww_status add_runs_of(ww_sweep *s, const ww_sweep_set *set, const char *version,
                             ww_error *err)
{
    ww_arch *arch = NULL;
    ww_status status = ww_arch_load(set->gpu, set->settings, set->setting_count, &arch, err);
    if (status != WW_OK) {
        ww_error_prefix(err, "configuration '%s': ", set->name);
        return status;
    }
    uint64_t hash = arch->config_hash;
    ww_arch_destroy(arch);
    for (size_t i = 0; i < s->item_count; i++) {
        const ww_sweep_item *item = &s->item[i];
        ww_sweep_run *run = &s->run[s->run_count++];
        run->set = set;
        run->item = item;
        run->id = ww_arena_printf(&s->arena, "%s/%s-%s", set->name, item->workload->name,
                                  ww_workload_size_name(item->size));
        run->spec = describe(s, set, item, hash, version);
        if (run->id == NULL || run->spec == NULL) {
            return no_memory(err);
        }
    }
    return WW_OK;
}

static ww_status make_runs(parser *p, const char *version)
{
    ww_sweep *s = p->sweep;
    if (s->set_count == 0 || s->item_count == 0) {
        return ww_xml_fail(p->xml, ww_xml_root(p->xml), p->err, WW_ESCHEMA,
                           "a sweep needs a configuration and a workload");
    }
    if (s->set_count * s->item_count > WW_SWEEP_MAX_RUNS) {
        return ww_xml_fail(p->xml, ww_xml_root(p->xml), p->err, WW_ERANGE,
                           "%zu configurations of %zu workloads are more than %d runs",
                           s->set_count, s->item_count, WW_SWEEP_MAX_RUNS);
    }
    s->run = WW_ARENA_NEW_ARRAY(&s->arena, ww_sweep_run, s->set_count * s->item_count);
    if (s->run == NULL) {
        return no_memory(p->err);
    }
    for (size_t i = 0; i < s->set_count; i++) {
        WW_TRY(add_runs_of(s, &s->set[i], version, p->err));
    }
    return WW_OK;
}

static ww_status read_cycles(parser *p, const ww_xml_node *root, const char *name, uint64_t *out)
{
    const char *text = ww_xml_attr(root, name);
    return text != NULL ? ww_num_parse_u64(text, out, p->err) : WW_OK;
}

/* "auto" or "auto:5%": what is sampled, and the error aimed at. */
static ww_status read_sampling(parser *p, const ww_xml_node *root)
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
    return p->sweep->sample_aim != NULL ? WW_OK : no_memory(p->err);
}

static ww_status read_sweep(parser *p, const char *version)
{
    const ww_xml_node *root = ww_xml_root(p->xml);
    WW_TRY(ww_config_schema_check(p->xml, p->dir, "sweep.xsd", p->err));
    const char *name = ww_xml_attr(root, "name"), *isa = ww_xml_attr(root, "isa");
    p->sweep->name = ww_arena_strndup(&p->sweep->arena, name, strlen(name));
    p->sweep->isa = isa != NULL && strcmp(isa, "ptx") == 0 ? WW_ISA_PTX : WW_ISA_LOWERED;
    WW_TRY(read_cycles(p, root, "interval", &p->sweep->interval_cycles));
    WW_TRY(read_cycles(p, root, "max_cycles", &p->sweep->max_cycles));
    WW_TRY(read_sampling(p, root));
    for (const ww_xml_node *c = ww_xml_child(root); c != NULL; c = ww_xml_next(c)) {
        WW_TRY(strcmp(ww_xml_tag(c), "workload") == 0 ? read_workload(p, c)
                                                      : read_configuration(p, c));
    }
    return p->sweep->name != NULL ? make_runs(p, version) : no_memory(p->err);
}

static ww_status build(const ww_xml *xml, const char *version, ww_sweep **out, ww_error *err)
{
    ww_sweep *sweep = WW_NEW(ww_sweep);
    if (sweep == NULL) {
        return no_memory(err);
    }
    const char *name = ww_xml_name(xml);
    sweep->file = ww_arena_strndup(&sweep->arena, name, strlen(name));
    parser p = {.sweep = sweep, .xml = xml, .err = err, .dir = ww_path_dir(&sweep->arena, name)};
    ww_status status =
        sweep->file != NULL && p.dir != NULL ? read_sweep(&p, version) : no_memory(err);
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
