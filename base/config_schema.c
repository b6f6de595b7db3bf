/* config_schema.c - finds, compiles and applies the XSD of a configuration file. */
#include "base/config_schema.h"

#include "base/configs.h"
#include "base/file.h"

static ww_status find(ww_arena *arena, const char *dir, const char *name, const char **out,
                      ww_error *err)
{
    const char *folder = ww_path_join(arena, dir, "../schema");
    *out = folder != NULL ? ww_path_join(arena, folder, name) : NULL;
    if (*out != NULL && !ww_file_exists(*out)) {
        WW_TRY(ww_configs_dir(arena, "schema", &folder, err));
        *out = ww_path_join(arena, folder, name);
    }
    return *out != NULL ? WW_OK : ww_no_memory_for(err, "the path of %s", name);
}

ww_status ww_config_schema_check(const ww_xml *xml, const char *dir, const char *name,
                                 ww_error *err)
{
    if (ww_xml_is_shipped(xml)) {
        return WW_OK;
    }
    ww_arena arena = {0};
    ww_schema *schema = NULL;
    const char *path = NULL;
    char *text = NULL;
    size_t length = 0;
    ww_status status = find(&arena, dir, name, &path, err);
    if (status == WW_OK) {
        status = ww_read_file(path, WW_XML_MAX_BYTES, &text, &length, err);
    }
    if (status == WW_OK) {
        status = ww_schema_parse(path, text, length, &schema, err);
    }
    if (status == WW_OK) {
        status = ww_schema_check(schema, xml, err);
    }
    ww_schema_destroy(schema);
    ww_free(text);
    ww_arena_fini(&arena);
    return status;
}
