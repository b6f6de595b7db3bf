/* sweep_sets.c - the configurations of a sweep file: what is set, what varies, what a choice gives.
 */
#include <string.h>

#include "base/file.h"
#include "run/sweep_parser.h"

enum { MOST_VALUES = 256, MOST_NAME = 200 };

/* A parameter of a configuration with the values it takes: one, or several to vary over. */
typedef struct axis {
    const char *key;
    const char **value;
    size_t count;
    bool varies;
} axis;

/* What a configuration's element holds. */
typedef struct content {
    axis axes[WW__SWEEP_SETTINGS];
    size_t count;
    ww_sweep_chosen chosen[WW__SWEEP_SETTINGS];
    size_t chosen_count;
} content;

static ww_status split_values(ww_sweep_parser *p, const ww_xml_node *node, const char *text,
                              axis *a)
{
    ww_arena *arena = &p->sweep->arena;
    a->value = WW_ARENA_NEW_ARRAY(arena, const char *, MOST_VALUES);
    if (a->value == NULL) {
        return ww__sweep_no_memory(p->err);
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
            return ww__sweep_no_memory(p->err);
        }
        at = comma != NULL ? comma + 1 : NULL;
    }
    return WW_OK;
}

static ww_status read_axis(ww_sweep_parser *p, const ww_xml_node *node, bool varies, axis *a)
{
    *a = (axis){.varies = varies};
    WW_TRY(ww__sweep_copy(p, ww_xml_attr(node, "key"), &a->key));
    if (varies) {
        return split_values(p, node, ww_xml_attr(node, "values"), a);
    }
    a->value = WW_ARENA_NEW_ARRAY(&p->sweep->arena, const char *, 1);
    if (a->value == NULL) {
        return ww__sweep_no_memory(p->err);
    }
    a->count = 1;
    return ww__sweep_copy(p, ww_xml_attr(node, "value"), &a->value[0]);
}

static size_t choice_index(const ww_sweep *s, const char *name)
{
    size_t i = 0;
    while (i < s->choice_count && strcmp(s->choice[i].name, name) != 0) {
        i++;
    }
    return i;
}

static ww_status read_content(ww_sweep_parser *p, const ww_xml_node *node, content *c)
{
    for (const ww_xml_node *at = ww_xml_child(node); at != NULL; at = ww_xml_next(at)) {
        const char *tag = ww_xml_tag(at);
        if (c->count == WW__SWEEP_SETTINGS || c->chosen_count == WW__SWEEP_SETTINGS) {
            return ww_xml_fail(p->xml, at, p->err, WW_ERANGE, "more than %d parameters",
                               WW__SWEEP_SETTINGS);
        }
        if (strcmp(tag, "chosen") != 0) {
            WW_TRY(read_axis(p, at, strcmp(tag, "vary") == 0, &c->axes[c->count++]));
            continue;
        }
        ww_sweep_chosen *chosen = &c->chosen[c->chosen_count++];
        chosen->choice = choice_index(p->sweep, ww_xml_attr(at, "by"));
        if (chosen->choice == p->sweep->choice_count) {
            return ww_xml_fail(p->xml, at, p->err, WW_ENOTFOUND,
                               "no choice '%s' stands before this configuration",
                               ww_xml_attr(at, "by"));
        }
        WW_TRY(ww__sweep_copy(p, ww_xml_attr(at, "key"), &chosen->key));
    }
    return WW_OK;
}

/* A file of the sweep's folder, or the name of a shipped GPU. */
static const char *gpu_path(ww_sweep_parser *p, const char *gpu)
{
    bool is_file = strchr(gpu, '/') != NULL || strstr(gpu, ".xml") != NULL;
    return is_file ? ww_path_join(&p->sweep->arena, p->dir, gpu)
                   : ww_arena_strndup(&p->sweep->arena, gpu, strlen(gpu));
}

/* "base,sm.max_ctas=16": the configuration's name and what was chosen where it varies. */
static ww_status name_set(ww_sweep_parser *p, const ww_xml_node *node, const content *c,
                          const size_t *choice, const char **out)
{
    ww_str text = {0};
    ww_str_add(&text, ww_xml_attr(node, "name"));
    for (size_t i = 0; i < c->count; i++) {
        if (c->axes[i].varies) {
            ww_str_addf(&text, ",%s=", c->axes[i].key);
            for (const char *at = c->axes[i].value[choice[i]]; *at != '\0'; at++) {
                ww_str_add_char(&text, strchr("/ \\", *at) == NULL ? *at : '_');
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
    return status != WW_OK || *out != NULL ? status : ww__sweep_no_memory(p->err);
}

static ww_status fill_set(ww_sweep_parser *p, const ww_xml_node *node, const content *c,
                          const size_t *choice, ww_sweep_set *set)
{
    ww_arena *arena = &p->sweep->arena;
    ww_setting *settings = WW_ARENA_NEW_ARRAY(arena, ww_setting, c->count + 1);
    ww_sweep_chosen *chosen = WW_ARENA_NEW_ARRAY(arena, ww_sweep_chosen, c->chosen_count + 1);
    const char *gpu = gpu_path(p, ww_xml_attr(node, "gpu"));
    if (settings == NULL || chosen == NULL || gpu == NULL) {
        return ww__sweep_no_memory(p->err);
    }
    for (size_t i = 0; i < c->count; i++) {
        settings[i] = (ww_setting){c->axes[i].key, c->axes[i].value[choice[i]]};
    }
    memcpy(chosen, c->chosen, c->chosen_count * sizeof *chosen);
    *set = (ww_sweep_set){.gpu = gpu,
                          .settings = settings,
                          .setting_count = c->count,
                          .chosen = chosen,
                          .chosen_count = c->chosen_count,
                          .line = ww_xml_line(node)};
    WW_TRY(ww__sweep_copy(p, ww_xml_attr(node, "name"), &set->configuration));
    WW_TRY(ww__sweep_copy(p, ww_xml_attr(node, "only"), &set->only));
    const char *optional = ww_xml_attr(node, "optional");
    set->optional = optional != NULL && strcmp(optional, "true") == 0;
    return name_set(p, node, c, choice, &set->name);
}

/* What a sweep's folder holds beside those of its configurations (run/sweep.h). */
static bool is_reserved(const char *name)
{
    static const char *const names[] = {"sweep.xml", "slurm.sh", "logs", ".work", ".", ".."};
    for (size_t i = 0; i < WW_ARRAY_LEN(names); i++) {
        if (strcmp(names[i], name) == 0) {
            return true;
        }
    }
    return false;
}

static ww_status add_set(ww_sweep_parser *p, const ww_xml_node *node, const content *c,
                         const size_t *choice)
{
    ww_sweep *s = p->sweep;
    ww_sweep_set set;
    if (s->set_count >= WW_SWEEP_MAX_RUNS) {
        return ww_xml_fail(p->xml, node, p->err, WW_ERANGE, "more than %d configurations",
                           WW_SWEEP_MAX_RUNS);
    }
    s->set = ww_arena_room(&s->arena, s->set, s->set_count, &p->set_room, sizeof *s->set);
    if (s->set == NULL) {
        return ww__sweep_no_memory(p->err);
    }
    WW_TRY(fill_set(p, node, c, choice, &set));
    if (is_reserved(set.name)) {
        return ww_xml_fail(p->xml, node, p->err, WW_ESCHEMA,
                           "'%s' is what the sweep's folder has for its own use; a configuration "
                           "needs another name",
                           set.name);
    }
    bool added = false;
    if (ww_map_add(&p->set_names, set.name, &added) == NULL) {
        return ww__sweep_no_memory(p->err);
    }
    if (!added) {
        return ww_xml_fail(p->xml, node, p->err, WW_ESCHEMA, "there are two configurations '%s'",
                           set.name);
    }
    s->set[s->set_count++] = set;
    return WW_OK;
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

ww_status ww__sweep_configuration(ww_sweep_parser *p, const ww_xml_node *node)
{
    content c = {.count = 0};
    size_t choice[WW__SWEEP_SETTINGS] = {0};
    WW_TRY(read_content(p, node, &c));
    do {
        WW_TRY(add_set(p, node, &c, choice));
    } while (next_choice(c.axes, choice, c.count));
    return WW_OK;
}

static bool sets(const ww_sweep_set *set, const char *key)
{
    size_t i = 0;
    while (i < set->setting_count && strcmp(set->settings[i].key, key) != 0) {
        i++;
    }
    return i < set->setting_count;
}

static ww_status check_chosen(ww_sweep_parser *p, const ww_sweep_chosen *chosen)
{
    const ww_sweep *s = p->sweep;
    const ww_sweep_choice *choice = &s->choice[chosen->choice];
    size_t candidates = 0;
    for (size_t i = 0; i < s->set_count; i++) {
        if (strcmp(s->set[i].configuration, choice->of) == 0) {
            bool simple = s->set[i].chosen_count == 0 && sets(&s->set[i], chosen->key);
            if (!simple) {
                return ww_xml_fail(p->xml, ww_xml_root(p->xml), p->err, WW_ESCHEMA,
                                   "'%s' is not set by configuration '%s', from which choice '%s' "
                                   "takes it, or that one waits for a choice itself",
                                   chosen->key, choice->of, choice->name);
            }
            candidates++;
        }
    }
    return candidates > 0 ? WW_OK
                          : ww_xml_fail(p->xml, ww_xml_root(p->xml), p->err, WW_ENOTFOUND,
                                        "choice '%s': there is no configuration '%s'", choice->name,
                                        choice->of);
}

ww_status ww__sweep_link(ww_sweep_parser *p)
{
    for (size_t i = 0; i < p->sweep->set_count; i++) {
        for (size_t k = 0; k < p->sweep->set[i].chosen_count; k++) {
            WW_TRY(check_chosen(p, &p->sweep->set[i].chosen[k]));
        }
    }
    return WW_OK;
}
