/* fuzz_json.c - does the JSON reader survive any bytes, locate every error, and give a sound tree?
 */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_read.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool condition)
{
    if (!condition) {
        abort();
    }
}

static void check(const ww_json_value *value, int depth)
{
    require(depth <= WW_JSON_MAX_DEPTH);
    require(value->kind != WW_JSON_TEXT || value->text != NULL);
    require(value->kind != WW_JSON_NUMBER || isfinite(value->number));
    for (const ww_json_value *v = value->first; v != NULL; v = v->next) {
        require((v->key != NULL) == (value->kind == WW_JSON_OBJECT));
        check(v, depth + 1);
    }
    if (value->kind == WW_JSON_OBJECT && value->first != NULL) {
        require(ww_json_get(value, value->first->key) == value->first);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ww_arena arena = {0};
    const ww_json_value *value = NULL;
    ww_error err = {0};
    ww_status status =
        ww_json_parse("fuzz", (const char *)(const void *)data, size, &arena, &value, &err);
    if (status == WW_OK) {
        check(value, 0);
    } else {
        require(err.what[0] != '\0' && strcmp(err.file, "fuzz") == 0);
    }
    ww_arena_fini(&arena);
    return 0;
}
