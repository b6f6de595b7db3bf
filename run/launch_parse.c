/* launch_parse.c - reading a launch file. */
#include <string.h>

#include "analysis/result_store.h"
#include "base/file.h"
#include "base/num.h"
#include "base/suggest.h"
#include "base/units.h"
#include "base/xml.h"
#include "run/launch_file.h"

enum { MOST_ITEMS = 1 << 16 };
#define MOST_BYTES  (4ull << 30)
#define MOST_NUMBER 9e18 /* an integer of 64 bits holds it, whatever its sign */

typedef struct parser {
    ww_launch_plan *plan;
    const ww_xml *xml;
    const char *dir; /* of the launch file, for the files it names */
    uint64_t bytes;  /* of all buffers so far */
    ww_error *err;
} parser;

static const struct {
    const char *name;
    unsigned bytes;
} scalars[WW_SCALAR_COUNT] = {
    [WW_SCALAR_U8] = {"u8", 1},   [WW_SCALAR_S8] = {"s8", 1},   [WW_SCALAR_U16] = {"u16", 2},
    [WW_SCALAR_S16] = {"s16", 2}, [WW_SCALAR_U32] = {"u32", 4}, [WW_SCALAR_S32] = {"s32", 4},
    [WW_SCALAR_U64] = {"u64", 8}, [WW_SCALAR_S64] = {"s64", 8}, [WW_SCALAR_F32] = {"f32", 4},
    [WW_SCALAR_F64] = {"f64", 8},
};

unsigned ww_scalar_bytes(ww_scalar type)
{
    return scalars[type].bytes;
}

const char *ww_scalar_name(ww_scalar type)
{
    return scalars[type].name;
}

/* ---- attributes ---- */

static ww_status need_attr(parser *p, const ww_xml_node *node, const char *name, const char **out)
{
    *out = ww_xml_attr(node, name);
    if (*out == NULL) {
        return ww_xml_fail(p->xml, node, p->err, WW_ESCHEMA, "<%s> needs the attribute %s",
                           ww_xml_tag(node), name);
    }
    return WW_OK;
}

static ww_status attr_u64(parser *p, const ww_xml_node *node, const char *name, uint64_t lo,
                          uint64_t hi, uint64_t otherwise, uint64_t *out)
{
    const char *text = ww_xml_attr(node, name);
    if (text == NULL) {
        *out = otherwise;
        return WW_OK;
    }
    if (ww_num_parse_u64(text, out, NULL) != WW_OK || *out < lo || *out > hi) {
        return ww_xml_fail(p->xml, node, p->err, WW_ERANGE,
                           "%s=\"%s\" of <%s> must be a whole number from %llu to %llu", name, text,
                           ww_xml_tag(node), (unsigned long long)lo, (unsigned long long)hi);
    }
    return WW_OK;
}

static ww_status attr_scalar(parser *p, const ww_xml_node *node, ww_scalar *out)
{
    const char *text;
    WW_TRY(need_attr(p, node, "type", &text));
    ww_suggest s;
    char hint[96];
    ww_suggest_init(&s, text);
    for (unsigned i = 0; i < WW_SCALAR_COUNT; i++) {
        if (strcmp(scalars[i].name, text) == 0) {
            *out = (ww_scalar)i;
            return WW_OK;
        }
        ww_suggest_offer(&s, scalars[i].name);
    }
    return ww_xml_fail(p->xml, node, p->err, WW_ESCHEMA, "unknown type '%s'%s", text,
                       ww_suggest_text(&s, hint, sizeof hint));
}

static ww_status check_attrs(parser *p, const ww_xml_node *node, const char *const *children)
{
    for (const ww_xml_node *c = ww_xml_child(node); c != NULL; c = ww_xml_next(c)) {
        bool known = false;
        for (const char *const *name = children; *name != NULL; name++) {
            known |= strcmp(*name, ww_xml_tag(c)) == 0;
        }
        if (!known) {
            return ww_xml_fail(p->xml, c, p->err, WW_ESCHEMA, "<%s> has no element <%s>",
                               ww_xml_tag(node), ww_xml_tag(c));
        }
    }
    return WW_OK;
}

/* ---- values ---- */

/* Stores the text as one element; integers exactly, floating point rounded to the type. */
static ww_status store_text(parser *p, const ww_xml_node *node, ww_scalar type, const char *text,
                            unsigned char *at)
{
    unsigned bytes = scalars[type].bytes;
    if (type == WW_SCALAR_F32 || type == WW_SCALAR_F64) {
        double value;
        if (ww_num_parse_double(text, &value, NULL) != WW_OK) {
            return ww_xml_fail(p->xml, node, p->err, WW_EPARSE, "'%s' is not a number", text);
        }
        float narrow = (float)value;
        memcpy(at, type == WW_SCALAR_F32 ? (const void *)&narrow : (const void *)&value, bytes);
        return WW_OK;
    }
    bool is_signed = scalars[type].name[0] == 's';
    int64_t s = 0;
    uint64_t u = 0;
    ww_status status =
        is_signed ? ww_num_parse_i64(text, &s, NULL) : ww_num_parse_u64(text, &u, NULL);
    uint64_t raw = is_signed ? (uint64_t)s : u;
    bool fits =
        bytes == 8 || (is_signed ? s >= -(1ll << (8 * bytes - 1)) && s < 1ll << (8 * bytes - 1)
                                 : u >> (8 * bytes) == 0);
    if (status != WW_OK || !fits) {
        return ww_xml_fail(p->xml, node, p->err, WW_ERANGE, "'%s' is not a value of type %s", text,
                           scalars[type].name);
    }
    memcpy(at, &raw, bytes); /* little-endian hosts only, as the device is */
    return WW_OK;
}

static void store_double(ww_scalar type, double value, unsigned char *at)
{
    float narrow = (float)value;
    uint64_t raw = value < 0 ? (uint64_t)(int64_t)value : (uint64_t)value;
    switch (type) {
    case WW_SCALAR_F32:
        memcpy(at, &narrow, 4);
        break;
    case WW_SCALAR_F64:
        memcpy(at, &value, 8);
        break;
    default:
        memcpy(at, &raw, scalars[type].bytes);
    }
}

/* SplitMix64 (Steele, Lea, Flood, OOPSLA 2014): the same numbers on every machine. */
static uint64_t split_mix(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15ull;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return z ^ (z >> 31);
}

/* In [0, 1). */
static double random_unit(uint64_t *state)
{
    return (double)(int64_t)(split_mix(state) >> 11) * 0x1p-53;
}

static ww_status attr_double(parser *p, const ww_xml_node *node, const char *name, double otherwise,
                             double *out)
{
    const char *text = ww_xml_attr(node, name);
    *out = otherwise;
    if (text != NULL && ww_num_parse_double(text, out, NULL) != WW_OK) {
        return ww_xml_fail(p->xml, node, p->err, WW_EPARSE, "%s=\"%s\" is not a number", name,
                           text);
    }
    if (!(*out > -MOST_NUMBER && *out < MOST_NUMBER)) {
        return ww_xml_fail(p->xml, node, p->err, WW_ERANGE, "%s=\"%s\" is too large", name, text);
    }
    return WW_OK;
}

static ww_status fill_ramp(parser *p, const ww_xml_node *node, ww_launch_buffer *b)
{
    double start, step;
    WW_TRY(attr_double(p, node, "start", 0, &start));
    WW_TRY(attr_double(p, node, "step", 1, &step));
    const double last = start + step * (double)(b->count - 1);
    if (!(last > -MOST_NUMBER && last < MOST_NUMBER)) {
        return ww_xml_fail(p->xml, node, p->err, WW_ERANGE,
                           "the ramp ends at %g, which is too large", last);
    }
    for (uint64_t i = 0; i < b->count; i++) {
        store_double(b->type, start + step * (double)i, b->data + i * scalars[b->type].bytes);
    }
    return WW_OK;
}

static ww_status fill_random(parser *p, const ww_xml_node *node, ww_launch_buffer *b)
{
    double lo, hi;
    uint64_t state;
    WW_TRY(attr_double(p, node, "min", 0, &lo));
    WW_TRY(attr_double(p, node, "max", 1, &hi));
    WW_TRY(attr_u64(p, node, "seed", 0, UINT64_MAX, 1, &state));
    if (b->type == WW_SCALAR_F32) { /* tens of millions of them are common */
        for (uint64_t i = 0; i < b->count; i++) {
            float value = (float)(lo + (hi - lo) * random_unit(&state));
            memcpy(b->data + i * sizeof value, &value, sizeof value);
        }
        return WW_OK;
    }
    for (uint64_t i = 0; i < b->count; i++) {
        double value = lo + (hi - lo) * random_unit(&state);
        store_double(b->type, value, b->data + i * scalars[b->type].bytes);
    }
    return WW_OK;
}

static ww_status fill_values(parser *p, const ww_xml_node *node, ww_launch_buffer *b)
{
    const char *text = ww_xml_text(node, &p->plan->arena);
    if (text == NULL) {
        return ww_no_memory(p->err);
    }
    uint64_t n = 0;
    char word[64];
    for (;; n++) {
        text += strspn(text, " \t\r\n,");
        size_t length = strcspn(text, " \t\r\n,");
        if (length == 0) {
            break;
        }
        if (n == b->count || length >= sizeof word) {
            return ww_xml_fail(p->xml, node, p->err, WW_ERANGE,
                               "buffer %s holds %llu elements; the %s too many", b->name,
                               (unsigned long long)b->count,
                               n == b->count ? "values are" : "text is one");
        }
        memcpy(word, text, length);
        word[length] = '\0';
        WW_TRY(store_text(p, node, b->type, word, b->data + n * scalars[b->type].bytes));
        text += length;
    }
    if (n != b->count) {
        return ww_xml_fail(p->xml, node, p->err, WW_ERANGE,
                           "buffer %s holds %llu elements, but %llu values are given", b->name,
                           (unsigned long long)b->count, (unsigned long long)n);
    }
    return WW_OK;
}

static ww_status fill_file(parser *p, const ww_xml_node *node, ww_launch_buffer *b)
{
    const char *name;
    WW_TRY(need_attr(p, node, "path", &name));
    const char *path = ww_path_join(&p->plan->arena, p->dir, name);
    char *data = NULL;
    size_t length = 0, wanted = b->count * scalars[b->type].bytes;
    if (path == NULL) {
        return ww_no_memory(p->err);
    }
    WW_TRY(ww_read_file(path, wanted + 1, &data, &length, p->err));
    ww_status status = WW_OK;
    if (length != wanted) {
        status =
            ww_xml_fail(p->xml, node, p->err, WW_ERANGE, "%s holds %zu bytes; buffer %s needs %zu",
                        path, length, b->name, wanted);
    } else {
        memcpy(b->data, data, length);
    }
    ww_free(data);
    return status;
}

static const struct {
    const char *tag;
    ww_status (*fill)(parser *p, const ww_xml_node *node, ww_launch_buffer *b);
} fills[] = {
    {"ramp", fill_ramp}, {"random", fill_random}, {"values", fill_values}, {"file", fill_file}};

static ww_status parse_buffer(parser *p, const ww_xml_node *node, ww_launch_buffer *b)
{
    WW_TRY(need_attr(p, node, "name", &b->name));
    b->name = ww_arena_strndup(&p->plan->arena, b->name, strlen(b->name));
    WW_TRY(attr_scalar(p, node, &b->type));
    const char *count;
    WW_TRY(need_attr(p, node, "count", &count));
    WW_TRY(attr_u64(p, node, "count", 1, MOST_BYTES / scalars[b->type].bytes, 0, &b->count));
    p->bytes += b->count * scalars[b->type].bytes;
    if (p->bytes > MOST_BYTES) {
        return ww_xml_fail(p->xml, node, p->err, WW_ERANGE,
                           "the buffers hold more than 4 GiB together");
    }
    for (uint32_t i = 0; i < p->plan->buffer_count; i++) {
        if (b->name != NULL && strcmp(p->plan->buffers[i].name, b->name) == 0) {
            return ww_xml_fail(p->xml, node, p->err, WW_ESCHEMA, "buffer %s is declared twice",
                               b->name);
        }
    }
    b->data = ww_arena_alloc(&p->plan->arena, b->count, scalars[b->type].bytes);
    if (b->data == NULL || b->name == NULL) {
        return ww_no_memory_for(p->err, "a buffer of %llu elements", (unsigned long long)b->count);
    }
    const ww_xml_node *how = ww_xml_child(node); /* none: zeros */
    if (how == NULL) {
        return WW_OK;
    }
    b->from_host = true;
    for (size_t i = 0; i < WW_ARRAY_LEN(fills); i++) {
        if (strcmp(fills[i].tag, ww_xml_tag(how)) == 0 && ww_xml_next(how) == NULL) {
            return fills[i].fill(p, how, b);
        }
    }
    return ww_xml_fail(
        p->xml, how, p->err, WW_ESCHEMA,
        "a buffer takes one of <ramp>, <random>, <values>, <file>, or nothing for zeros");
}

/* ---- launches ---- */

static ww_status find_buffer(parser *p, const ww_xml_node *node, const char *name, uint32_t *out)
{
    ww_suggest s;
    char hint[96];
    ww_suggest_init(&s, name);
    for (uint32_t i = 0; i < p->plan->buffer_count; i++) {
        if (strcmp(p->plan->buffers[i].name, name) == 0) {
            *out = i;
            return WW_OK;
        }
        ww_suggest_offer(&s, p->plan->buffers[i].name);
    }
    return ww_xml_fail(p->xml, node, p->err, WW_ENOTFOUND, "no buffer '%s' is declared above%s",
                       name, ww_suggest_text(&s, hint, sizeof hint));
}

static ww_status parse_dim3(parser *p, const ww_xml_node *launch, const char *tag, ww_dim3 *out)
{
    *out = (ww_dim3){1, 1, 1};
    const ww_xml_node *node = ww_xml_find(launch, tag);
    if (node == NULL) {
        return ww_xml_fail(p->xml, launch, p->err, WW_ESCHEMA, "<launch> needs <%s x=\"…\"/>", tag);
    }
    uint64_t x, y, z;
    WW_TRY(attr_u64(p, node, "x", 1, 0x7fffffff, 1, &x));
    WW_TRY(attr_u64(p, node, "y", 1, 65535, 1, &y));
    WW_TRY(attr_u64(p, node, "z", 1, 65535, 1, &z));
    *out = (ww_dim3){(uint32_t)x, (uint32_t)y, (uint32_t)z};
    return WW_OK;
}

static ww_status parse_argument(parser *p, const ww_xml_node *node, ww_launch_argument *a)
{
    const char *buffer = ww_xml_attr(node, "buffer"), *value;
    a->buffer = UINT32_MAX;
    a->line = ww_xml_line(node);
    if (buffer != NULL) {
        return find_buffer(p, node, buffer, &a->buffer);
    }
    WW_TRY(need_attr(p, node, "value", &value));
    WW_TRY(attr_scalar(p, node, &a->type));
    return store_text(p, node, a->type, value, a->value);
}

static uint32_t count_children(const ww_xml_node *node, const char *tag)
{
    uint32_t n = 0;
    for (const ww_xml_node *c = ww_xml_child(node); c != NULL; c = ww_xml_next(c)) {
        n += strcmp(ww_xml_tag(c), tag) == 0;
    }
    return n;
}

static ww_status parse_launch(parser *p, const ww_xml_node *node, ww_launch_step *step)
{
    static const char *const children[] = {"grid", "block", "arg", NULL};
    WW_TRY(check_attrs(p, node, children));
    WW_TRY(need_attr(p, node, "kernel", &step->kernel));
    step->kernel = ww_arena_strndup(&p->plan->arena, step->kernel, strlen(step->kernel));
    step->line = ww_xml_line(node);
    WW_TRY(parse_dim3(p, node, "grid", &step->grid));
    WW_TRY(parse_dim3(p, node, "block", &step->block));
    uint64_t repeat, stream;
    WW_TRY(attr_u64(p, node, "shared", 0, 1 << 20, 0, &step->shared_bytes));
    WW_TRY(attr_u64(p, node, "registers", 1, 255, 0, &step->registers));
    WW_TRY(attr_u64(p, node, "repeat", 1, 1000000, 1, &repeat));
    WW_TRY(attr_u64(p, node, "stream", 1, UINT32_MAX, 0, &stream));
    step->repeat = (uint32_t)repeat;
    step->stream = (uint32_t)stream;
    uint32_t n = count_children(node, "arg");
    step->arguments = WW_ARENA_NEW_ARRAY(&p->plan->arena, ww_launch_argument, n + 1);
    if (step->arguments == NULL || step->kernel == NULL) {
        return ww_no_memory(p->err);
    }
    for (const ww_xml_node *c = ww_xml_child(node); c != NULL; c = ww_xml_next(c)) {
        if (strcmp(ww_xml_tag(c), "arg") == 0) {
            WW_TRY(parse_argument(p, c, &step->arguments[step->argument_count++]));
        }
    }
    return WW_OK;
}

static ww_status parse_dump(parser *p, const ww_xml_node *node, ww_launch_dump *d)
{
    const char *buffer, *file, *format = ww_xml_attr(node, "format");
    WW_TRY(need_attr(p, node, "buffer", &buffer));
    WW_TRY(find_buffer(p, node, buffer, &d->buffer));
    uint64_t size = p->plan->buffers[d->buffer].count;
    WW_TRY(need_attr(p, node, "file", &file));
    if (strchr(file, '/') != NULL || file[0] == '.' || file[0] == '\0' ||
        ww_result_is_reserved(file)) {
        return ww_xml_fail(p->xml, node, p->err, WW_ESCHEMA,
                           "file=\"%.200s\": a dump goes into the result folder, under a name of "
                           "its own that no dot begins and no file of a result has",
                           file);
    }
    d->file = ww_arena_strndup(&p->plan->arena, file, strlen(file));
    if (d->file == NULL) {
        return ww_no_memory(p->err);
    }
    if (format != NULL && strcmp(format, "csv") != 0 && strcmp(format, "bin") != 0) {
        return ww_xml_fail(p->xml, node, p->err, WW_ESCHEMA, "format=\"%s\" is neither csv nor bin",
                           format);
    }
    d->binary = format != NULL && strcmp(format, "bin") == 0;
    WW_TRY(attr_u64(p, node, "first", 0, size - 1, 0, &d->first));
    WW_TRY(attr_u64(p, node, "count", 1, size - d->first, size - d->first, &d->count));
    return WW_OK;
}

static ww_status parse_plan(parser *p)
{
    static const char *const children[] = {"buffer", "launch", "dump", NULL};
    const ww_xml_node *root = ww_xml_root(p->xml);
    if (strcmp(ww_xml_tag(root), "launches") != 0) {
        return ww_xml_fail(p->xml, root, p->err, WW_ESCHEMA,
                           "a launch file's root is <launches>, not <%s>", ww_xml_tag(root));
    }
    WW_TRY(check_attrs(p, root, children));
    ww_launch_plan *plan = p->plan;
    uint32_t buffers = count_children(root, "buffer"), steps = count_children(root, "launch");
    uint32_t dumps = count_children(root, "dump");
    if (steps == 0 || buffers > MOST_ITEMS || steps > MOST_ITEMS || dumps > MOST_ITEMS) {
        return ww_xml_fail(p->xml, root, p->err, WW_ESCHEMA,
                           steps == 0 ? "a launch file needs at least one <launch>"
                                      : "the launch file has too many elements");
    }
    plan->buffers = WW_ARENA_NEW_ARRAY(&plan->arena, ww_launch_buffer, buffers + 1);
    plan->steps = WW_ARENA_NEW_ARRAY(&plan->arena, ww_launch_step, steps);
    plan->dumps = WW_ARENA_NEW_ARRAY(&plan->arena, ww_launch_dump, dumps + 1);
    if (plan->buffers == NULL || plan->steps == NULL || plan->dumps == NULL) {
        return ww_no_memory(p->err);
    }
    for (const ww_xml_node *c = ww_xml_child(root); c != NULL; c = ww_xml_next(c)) {
        if (strcmp(ww_xml_tag(c), "buffer") == 0) {
            WW_TRY(parse_buffer(p, c, &plan->buffers[plan->buffer_count]));
            plan->buffer_count++;
        } else if (strcmp(ww_xml_tag(c), "launch") == 0) {
            WW_TRY(parse_launch(p, c, &plan->steps[plan->step_count]));
            plan->step_count++;
        } else {
            WW_TRY(parse_dump(p, c, &plan->dumps[plan->dump_count]));
            plan->dump_count++;
        }
    }
    return WW_OK;
}

static ww_status parse_document(const ww_xml *xml, ww_launch_plan **out, ww_error *err)
{
    ww_launch_plan *plan = WW_NEW(ww_launch_plan);
    if (plan == NULL) {
        return ww_no_memory(err);
    }
    parser p = {.plan = plan, .xml = xml, .err = err};
    plan->file = ww_arena_strndup(&plan->arena, ww_xml_name(xml), strlen(ww_xml_name(xml)));
    p.dir = ww_path_dir(&plan->arena, ww_xml_name(xml));
    ww_status status = plan->file == NULL || p.dir == NULL ? ww_no_memory(err) : parse_plan(&p);
    if (status != WW_OK) {
        ww_launch_plan_destroy(plan);
        return status;
    }
    *out = plan;
    return WW_OK;
}

ww_status ww_launch_plan_parse(const char *name, const char *text, size_t length,
                               ww_launch_plan **out, ww_error *err)
{
    ww_xml *xml = NULL;
    WW_TRY(ww_xml_parse(name, text, length, &xml, err));
    ww_status status = parse_document(xml, out, err);
    ww_xml_destroy(xml);
    return status;
}

ww_status ww_launch_plan_load(const char *path, ww_launch_plan **out, ww_error *err)
{
    ww_xml *xml = NULL;
    WW_TRY(ww_xml_load(path, &xml, err));
    ww_status status = parse_document(xml, out, err);
    ww_xml_destroy(xml);
    return status;
}

void ww_launch_plan_destroy(ww_launch_plan *plan)
{
    if (plan != NULL) {
        ww_arena_fini(&plan->arena);
        ww_free(plan);
    }
}
