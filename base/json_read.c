/* json_read.c - reading JSON documents: jansson parses, the tree is copied into the caller's arena,
 * which bounds depth and keys and lives on. */
#include "base/json_read.h"

#include <string.h>

#include <jansson.h>

#include "base/file.h"
#include "base/xml_memory.h"

typedef struct copier {
    const char *name;
    ww_arena *arena;
    ww_error *err;
} copier;

static ww_status fail_bound(const copier *c, const char *what)
{
    return ww_fail_at(c->err, WW_EPARSE, c->name, 0, 0, "JSON: %s", what);
}

static ww_status copy_text(const copier *c, const char *text, const char **out)
{
    *out = ww_arena_strndup(c->arena, text, strlen(text));
    return *out != NULL ? WW_OK : ww_no_memory_in(c->err, c->name);
}

static ww_status copy_value(const copier *c, const json_t *from, int depth, ww_json_value *to);

/* The next of an array or object, whose members hang on link. */
static ww_status copy_member(const copier *c, const json_t *from, const char *key, int depth,
                             const ww_json_value ***link)
{
    ww_json_value *member = WW_ARENA_NEW(c->arena, ww_json_value);
    if (member == NULL) {
        return ww_no_memory_in(c->err, c->name);
    }
    WW_TRY(copy_value(c, from, depth + 1, member));
    if (key != NULL) {
        WW_TRY(copy_text(c, key, &member->key));
    }
    **link = member;
    *link = &member->next;
    return WW_OK;
}

static ww_status copy_object(const copier *c, json_t *from, int depth, ww_json_value *to)
{
    const ww_json_value **link = &to->first;
    const char *key;
    json_t *value;
    if (json_object_size(from) > WW_JSON_MAX_KEYS) { /* ww_json_get looks through them */
        return fail_bound(c, "too many keys in one object");
    }
    json_object_foreach(from, key, value)
    {
        WW_TRY(copy_member(c, value, key, depth, &link));
    }
    return WW_OK;
}

static ww_status copy_array(const copier *c, const json_t *from, int depth, ww_json_value *to)
{
    const ww_json_value **link = &to->first;
    for (size_t i = 0; i < json_array_size(from); i++) {
        WW_TRY(copy_member(c, json_array_get(from, i), NULL, depth, &link));
    }
    return WW_OK;
}

static ww_status copy_value(const copier *c, const json_t *from, int depth, ww_json_value *to)
{
    static const ww_json_kind kinds[] = {
        [JSON_OBJECT] = WW_JSON_OBJECT,  [JSON_ARRAY] = WW_JSON_ARRAY, [JSON_STRING] = WW_JSON_TEXT,
        [JSON_INTEGER] = WW_JSON_NUMBER, [JSON_REAL] = WW_JSON_NUMBER, [JSON_TRUE] = WW_JSON_BOOL,
        [JSON_FALSE] = WW_JSON_BOOL,     [JSON_NULL] = WW_JSON_NULL};
    to->kind = kinds[json_typeof(from)];
    to->boolean = json_is_true(from);
    to->number = json_number_value(from);
    if (depth > WW_JSON_MAX_DEPTH) {
        return fail_bound(c, "nested too deeply");
    }
    switch (to->kind) {
    case WW_JSON_TEXT:
        return copy_text(c, json_string_value(from), &to->text);
    case WW_JSON_ARRAY:
        return copy_array(c, from, depth, to);
    case WW_JSON_OBJECT: {
        union {
            const json_t *constant;
            json_t *value; /* jansson's iterators take it so, and do not change it */
        } object = {from};
        return copy_object(c, object.value, depth, to);
    }
    default:
        return WW_OK;
    }
}

static ww_status fail_parse(const char *name, const json_error_t *error, ww_error *err)
{
    switch (json_error_code(error)) {
    case json_error_out_of_memory:
        return ww_no_memory_in(err, name);
    case json_error_stack_overflow:
        return ww_fail_at(err, WW_EPARSE, name, error->line, error->column,
                          "JSON: nested too deeply");
    default:
        return ww_fail_at(err, WW_EPARSE, name, error->line, error->column, "JSON: %s",
                          error->text[0] != '\0' ? error->text : "cannot be read");
    }
}

ww_status ww_json_parse(const char *name, const char *text, size_t length, ww_arena *arena,
                        const ww_json_value **out, ww_error *err)
{
    WW_TRY(ww__xml_memory_reserve(err));
    json_error_t error = {.line = 0};
    ww_json_value *root = WW_ARENA_NEW(arena, ww_json_value);
    if (root == NULL || length > WW_JSON_MAX_BYTES) {
        return ww_no_memory_in(err, name);
    }
    json_t *document = json_loadb(
        text, length, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY | JSON_DECODE_INT_AS_REAL, &error);
    if (document == NULL) {
        return fail_parse(name, &error, err);
    }
    const copier c = {name, arena, err};
    ww_status status = copy_value(&c, document, 0, root);
    json_decref(document);
    if (status == WW_OK) {
        *out = root;
    }
    return status;
}

ww_status ww_json_load(const char *path, ww_arena *arena, const ww_json_value **out, ww_error *err)
{
    char *text = NULL;
    size_t length = 0;
    WW_TRY(ww_read_file(path, WW_JSON_MAX_BYTES, &text, &length, err));
    ww_status status = ww_json_parse(path, text, length, arena, out, err);
    ww_free(text);
    return status;
}

const ww_json_value *ww_json_get(const ww_json_value *value, const char *key)
{
    const ww_json_value *member =
        value != NULL && value->kind == WW_JSON_OBJECT ? value->first : NULL;
    while (member != NULL && strcmp(member->key, key) != 0) {
        member = member->next;
    }
    return member;
}

const char *ww_json_get_text(const ww_json_value *value, const char *key, const char *otherwise)
{
    const ww_json_value *member = ww_json_get(value, key);
    return member != NULL && member->kind == WW_JSON_TEXT ? member->text : otherwise;
}

double ww_json_get_number(const ww_json_value *value, const char *key, double otherwise)
{
    const ww_json_value *member = ww_json_get(value, key);
    return member != NULL && member->kind == WW_JSON_NUMBER ? member->number : otherwise;
}
