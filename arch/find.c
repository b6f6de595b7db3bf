/* find.c - GPU descriptions by name: the configuration directory, suggestions, the list. */
#include <string.h>

#include "arch/config.h"
#include "base/configs.h"
#include "base/file.h"
#include "base/suggest.h"
#include "base/xml.h"

static bool is_path(const char *name)
{
    size_t n = strlen(name);
    return strchr(name, '/') != NULL || (n > 4 && strcmp(name + n - 4, ".xml") == 0);
}

static ww_status fail_unknown(ww_arena *arena, const char *dir, const char *name, ww_error *err)
{
    const char **names = NULL;
    size_t count = 0;
    WW_TRY(ww_list_dir(dir, ".xml", arena, &names, &count, err));
    ww_suggest near;
    ww_suggest_init(&near, name);
    for (size_t i = 0; i < count; i++) {
        ww_suggest_offer(&near, names[i]);
    }
    char hint[96];
    return ww_fail(err, WW_ENOTFOUND, "no GPU '%.60s' in %s%s (see: warpwatt list gpus)", name, dir,
                   ww_suggest_text(&near, hint, sizeof hint));
}

ww_status ww__arch_find(ww_arena *arena, const char *name_or_path, const char **path, ww_error *err)
{
    if (is_path(name_or_path) &&
        (ww_file_exists(name_or_path) || strchr(name_or_path, '/') != NULL)) {
        *path = ww_arena_printf(arena, "%s", name_or_path);
        return *path != NULL ? WW_OK : ww_no_memory(err);
    }
    const char *dir;
    WW_TRY(ww_configs_dir(arena, "gpu", &dir, err));
    char *file = is_path(name_or_path) ? ww_arena_printf(arena, "%s/%s", dir, name_or_path)
                                       : ww_arena_printf(arena, "%s/%s.xml", dir, name_or_path);
    if (file == NULL) {
        return ww_no_memory(err);
    }
    if (!ww_file_exists(file)) {
        return fail_unknown(arena, dir, name_or_path, err);
    }
    *path = file;
    return WW_OK;
}

/* Reads the root element of a description; *keep tells whether it is a GPU. */
static ww_status read_entry(ww_arena *arena, const char *path, ww_arch_entry *entry, bool *keep,
                            ww_error *err)
{
    ww_xml *xml;
    WW_TRY(ww_xml_load(path, &xml, err));
    const ww_xml_node *root = ww_xml_root(xml);
    const char *abstract = ww_xml_attr(root, "abstract"), *about = ww_xml_attr(root, "about");
    *keep = abstract == NULL || strcmp(abstract, "true") != 0;
    entry->about = ww_arena_printf(arena, "%s", about != NULL ? about : "");
    ww_xml_destroy(xml);
    return entry->about != NULL ? WW_OK : ww_no_memory(err);
}

ww_status ww_arch_list(ww_arena *arena, ww_arch_entry **out, size_t *count, ww_error *err)
{
    const char *dir;
    const char **names = NULL;
    size_t files = 0, used = 0;
    WW_TRY(ww_configs_dir(arena, "gpu", &dir, err));
    WW_TRY(ww_list_dir(dir, ".xml", arena, &names, &files, err));
    ww_arch_entry *entries = WW_ARENA_NEW_ARRAY(arena, ww_arch_entry, files);
    if (entries == NULL) {
        return ww_no_memory(err);
    }
    for (size_t i = 0; i < files; i++) {
        ww_arch_entry *entry = &entries[used];
        entry->name = names[i];
        entry->path = ww_arena_printf(arena, "%s/%s.xml", dir, names[i]);
        if (entry->path == NULL) {
            return ww_no_memory(err);
        }
        bool keep;
        WW_TRY(read_entry(arena, entry->path, entry, &keep, err));
        used += keep;
    }
    *out = entries;
    *count = used;
    return WW_OK;
}
