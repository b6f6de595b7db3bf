/* activity_read.c - reads activity files, one launch after the other, without holding the document
 * in memory. */
#include "counters/activity.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <libxml/xmlreader.h>

#include "base/mem.h"
#include "base/num.h"
#include "base/str.h"
#include "base/suggest.h"

/* Bounds against hostile input: bytes of text, instances per scope, bytes of counters held. */
static const uint64_t max_text = UINT64_C(1) << 30;
static const uint64_t max_counters = UINT64_C(2) << 30;
enum { MAX_INSTANCES = 4096, MAX_TEXT_ATTRIBUTE = 4096 };

/* What ww_activity_load hands out: the public part first, then what owns the strings. */
typedef struct activity_box {
    ww_activity pub;
    ww_arena arena;
} activity_box;

/* The document, from a file or from memory. */
typedef struct source {
    FILE *file; /* NULL: text */
    const char *text;
    size_t left;
    uint64_t taken;
    bool too_large, failed;
} source;

typedef struct reader {
    const char *name;
    xmlTextReaderPtr xml;
    source source;
    ww_error first; /* what libxml2 reported */
    activity_box *box;
    size_t launch_capacity;
    uint32_t shape[WW_SCOPE_COUNT];
    uint64_t counter_bytes;
    /* of the launch being read */
    ww_launch_record *launch;
    ww_counter_set *set;
    unsigned char *seen[WW_SCOPE_COUNT], *seen_in_interval[WW_SCOPE_COUNT];
    ww_interval *intervals; /* in the arena */
    size_t interval_capacity;
    int expected; /* where the name of the next stat is looked for first */
} reader;

static int read_some(void *user, char *buffer, int size)
{
    source *s = user;
    size_t want = size > 0 ? (size_t)size : 0, got;
    if (s->file != NULL) {
        got = fread(buffer, 1, want, s->file);
        s->failed = s->failed || ferror(s->file) != 0;
    } else {
        got = want < s->left ? want : s->left;
        memcpy(buffer, s->text, got);
        s->text += got;
        s->left -= got;
    }
    s->taken += got;
    s->too_large = s->taken > max_text;
    return s->failed || s->too_large ? -1 : (int)got;
}

static void on_error(void *user, xmlErrorPtr error)
{
    reader *r = user;
    if (r->first.code == WW_OK && error->level >= XML_ERR_ERROR) {
        ww_str text = {0};
        ww_str_add(&text, error->message != NULL ? error->message : "not well formed");
        while (text.len > 0 && text.data[text.len - 1] == '\n') {
            text.data[--text.len] = '\0';
        }
        ww_fail_at(&r->first, WW_EPARSE, r->name, error->line, 0, "%s", ww_str_text(&text));
        ww_str_fini(&text);
    }
}

/* Line of the present element. The parser runs ahead of it by up to 512 bytes; libxml2 notes 16
 * bits of line per element. */
static int line_of(const reader *r)
{
    const xmlNode *node = xmlTextReaderCurrentNode(r->xml);
    if (node != NULL && node->type != XML_ELEMENT_NODE) {
        node = node->parent;
    }
    long line = node != NULL && node->type == XML_ELEMENT_NODE ? node->line : 0;
    return line > 0 && line < UINT16_MAX ? (int)line : xmlTextReaderGetParserLineNumber(r->xml);
}

static ww_status fail(const reader *r, ww_error *err, ww_status code, const char *fmt, ...)
    WW_PRINTF(4, 5);

static ww_status fail(const reader *r, ww_error *err, ww_status code, const char *fmt, ...)
{
    ww_str text = {0};
    va_list args;
    va_start(args, fmt);
    ww_str_addv(&text, fmt, args);
    va_end(args);
    ww_fail_at(err, code, r->name, line_of(r), 0, "%s", ww_str_text(&text));
    ww_str_fini(&text);
    return code;
}

/* ---- attributes ---- */

/* Value of an attribute of the present element, in buf. */
static ww_status get_attribute(const reader *r, const char *name, char buf[MAX_TEXT_ATTRIBUTE],
                               ww_error *err)
{
    const char *element = (const char *)xmlTextReaderConstLocalName(r->xml);
    xmlChar *value = xmlTextReaderGetAttribute(r->xml, (const xmlChar *)name);
    if (value == NULL) {
        return fail(r, err, WW_ESCHEMA, "<%s> has no attribute '%s'", element, name);
    }
    size_t n = strlen((const char *)value);
    if (n < MAX_TEXT_ATTRIBUTE) {
        memcpy(buf, value, n + 1);
    }
    xmlFree(value);
    return n < MAX_TEXT_ATTRIBUTE
               ? WW_OK
               : fail(r, err, WW_ERANGE, "attribute '%s' is longer than %d bytes", name,
                      MAX_TEXT_ATTRIBUTE - 1);
}

static ww_status get_u64(const reader *r, const char *name, uint64_t highest, uint64_t *out,
                         ww_error *err)
{
    char text[MAX_TEXT_ATTRIBUTE];
    WW_TRY(get_attribute(r, name, text, err));
    ww_error why = {0};
    ww_status status = ww_num_parse_u64(text, out, &why);
    if (status != WW_OK) {
        return fail(r, err, status, "attribute '%s': %s", name, why.what);
    }
    if (*out > highest) {
        return fail(r, err, WW_ERANGE, "attribute '%s' is %" PRIu64 ", above %" PRIu64, name, *out,
                    highest);
    }
    return WW_OK;
}

static ww_status get_u32(const reader *r, const char *name, uint32_t highest, uint32_t *out,
                         ww_error *err)
{
    uint64_t value;
    WW_TRY(get_u64(r, name, highest, &value, err));
    *out = (uint32_t)value;
    return WW_OK;
}

static ww_status get_positive(const reader *r, const char *name, double *out, ww_error *err)
{
    char text[MAX_TEXT_ATTRIBUTE];
    WW_TRY(get_attribute(r, name, text, err));
    ww_error why = {0};
    ww_status status = ww_num_parse_double(text, out, &why);
    if (status != WW_OK) {
        return fail(r, err, status, "attribute '%s': %s", name, why.what);
    }
    if (!(*out > 0)) {
        return fail(r, err, WW_ERANGE, "attribute '%s' is %s, not positive", name, text);
    }
    return WW_OK;
}

static ww_status get_text(const reader *r, const char *name, const char **out, ww_error *err)
{
    char text[MAX_TEXT_ATTRIBUTE];
    WW_TRY(get_attribute(r, name, text, err));
    *out = ww_arena_strndup(&r->box->arena, text, strlen(text));
    return *out != NULL ? WW_OK : fail(r, err, WW_ENOMEM, "out of memory");
}

/* "4 1 1" */
static ww_status get_extent(const reader *r, const char *name, uint32_t out[3], ww_error *err)
{
    char text[MAX_TEXT_ATTRIBUTE];
    WW_TRY(get_attribute(r, name, text, err));
    char *p = text;
    for (int i = 0; i < 3; i++) {
        size_t n = strcspn(p, " ");
        bool last = p[n] == '\0';
        p[n] = '\0';
        uint64_t value;
        if (last != (i == 2) || ww_num_parse_u64(p, &value, NULL) != WW_OK || value > UINT32_MAX) {
            return fail(r, err, WW_EPARSE,
                        "attribute '%s' is not three numbers between 0 and %" PRIu32, name,
                        UINT32_MAX);
        }
        out[i] = (uint32_t)value;
        p += n + !last;
    }
    return WW_OK;
}

/* Every attribute of the present element must be in the list, which ends with NULL. */
static ww_status check_attributes(const reader *r, const char *const *known, ww_error *err)
{
    const char *element = (const char *)xmlTextReaderConstLocalName(r->xml);
    for (int more = xmlTextReaderMoveToFirstAttribute(r->xml); more == 1;
         more = xmlTextReaderMoveToNextAttribute(r->xml)) {
        const char *name = (const char *)xmlTextReaderConstName(r->xml);
        ww_suggest suggest;
        ww_suggest_init(&suggest, name);
        size_t i = 0;
        while (known[i] != NULL && strcmp(known[i], name) != 0) {
            ww_suggest_offer(&suggest, known[i++]);
        }
        if (known[i] == NULL) {
            char hint[128];
            return fail(r, err, WW_ESCHEMA, "<%s> has an unknown attribute '%.64s'%s", element,
                        name, ww_suggest_text(&suggest, hint, sizeof hint));
        }
    }
    xmlTextReaderMoveToElement(r->xml);
    return WW_OK;
}

/* ---- walking ---- */

/* Moves to the next element inside the present one, which lies at `depth`; *found false at its end.
 */
static ww_status next_child(reader *r, int depth, bool *found, ww_error *err)
{
    for (;;) {
        int more = xmlTextReaderRead(r->xml);
        if (more != 1) {
            if (r->source.too_large) {
                return ww_fail_at(err, WW_ERANGE, r->name, 0, 0,
                                  "activity file is larger than the limit of %" PRIu64 " bytes",
                                  max_text);
            }
            if (r->source.failed) {
                return ww_fail_at(err, WW_EIO, r->name, 0, 0, "file cannot be read");
            }
            if (r->first.code != WW_OK) {
                if (err != NULL) {
                    *err = r->first;
                }
                return r->first.code;
            }
            *found = false;
            return more == 0 && depth < 0 ? WW_OK : fail(r, err, WW_EPARSE, "document ends early");
        }
        switch (xmlTextReaderNodeType(r->xml)) {
        case XML_READER_TYPE_ELEMENT:
            *found = true;
            return WW_OK;
        case XML_READER_TYPE_END_ELEMENT:
            if (xmlTextReaderDepth(r->xml) <= depth) {
                *found = false;
                return WW_OK;
            }
            break; /* end of a child already handled */
        case XML_READER_TYPE_WHITESPACE:
        case XML_READER_TYPE_SIGNIFICANT_WHITESPACE:
        case XML_READER_TYPE_COMMENT:
        case XML_READER_TYPE_XML_DECLARATION:
            break;
        case XML_READER_TYPE_DOCUMENT_TYPE:
            return fail(r, err, WW_EPARSE, "a document type (<!DOCTYPE) is not allowed");
        default:
            return fail(r, err, WW_ESCHEMA,
                        "text, entities and processing instructions are not allowed");
        }
    }
}

/* First element inside the present one. */
static ww_status first_child(reader *r, int *depth, bool *found, ww_error *err)
{
    *depth = xmlTextReaderDepth(r->xml);
    if (xmlTextReaderIsEmptyElement(r->xml) == 1) {
        *found = false;
        return WW_OK;
    }
    return next_child(r, *depth, found, err);
}

static ww_status expect_element(const reader *r, const char *name, ww_error *err)
{
    const char *have = (const char *)xmlTextReaderConstName(r->xml);
    return strcmp(have, name) == 0
               ? WW_OK
               : fail(r, err, WW_ESCHEMA, "element <%.64s> where <%s> belongs", have, name);
}

/* ---- stats and components ---- */

static ww_status find_counter(reader *r, const char *name, ww_counter *out, ww_error *err)
{
    for (int k = 0; k < WW_COUNTER_COUNT; k++) {
        int c = (r->expected + k) % WW_COUNTER_COUNT;
        if (strcmp(ww_counter_describe((ww_counter)c)->name, name) == 0) {
            r->expected = c + 1;
            *out = (ww_counter)c;
            return WW_OK;
        }
    }
    *out = ww_counter_find(name);
    if (*out != WW_COUNTER_COUNT) {
        return WW_OK;
    }
    ww_suggest suggest;
    ww_suggest_init(&suggest, name);
    for (int c = 0; c < WW_COUNTER_COUNT; c++) {
        ww_suggest_offer(&suggest, ww_counter_describe((ww_counter)c)->name);
    }
    char hint[128];
    return fail(r, err, WW_ENOTFOUND, "unknown counter '%.64s'%s", name,
                ww_suggest_text(&suggest, hint, sizeof hint));
}

/* scope: that of the counters allowed here; WW_SCOPE_COUNT: all are. */
static ww_status read_stat(reader *r, ww_scope scope, ww_counter_block *block, bool *given,
                           ww_error *err)
{
    static const char *const known[] = {"name", "value", NULL};
    WW_TRY(expect_element(r, "stat", err));
    WW_TRY(check_attributes(r, known, err));
    char name[MAX_TEXT_ATTRIBUTE];
    WW_TRY(get_attribute(r, "name", name, err));
    ww_counter counter;
    WW_TRY(find_counter(r, name, &counter, err));
    if (scope != WW_SCOPE_COUNT && ww_counter_describe(counter)->scope != scope) {
        return fail(r, err, WW_ESCHEMA, "counter '%.64s' does not belong to a %s", name,
                    ww__scope_prefix[scope]);
    }
    if (given[counter]) {
        return fail(r, err, WW_ESCHEMA, "counter '%.64s' is given twice", name);
    }
    given[counter] = true;
    WW_TRY(get_u64(r, "value", UINT64_MAX, &block->v[counter], err));
    int depth;
    bool found;
    WW_TRY(first_child(r, &depth, &found, err));
    return found ? fail(r, err, WW_ESCHEMA, "<stat> holds nothing") : WW_OK;
}

/* Splits "sm12" into scope and instance. */
static ww_status find_instance(const reader *r, const char *name, ww_scope *scope,
                               uint32_t *instance, ww_error *err)
{
    size_t letters = strcspn(name, "0123456789");
    for (int s = 0; s < WW_SCOPE_COUNT; s++) {
        if (strlen(ww__scope_prefix[s]) != letters ||
            strncmp(name, ww__scope_prefix[s], letters) != 0) {
            continue;
        }
        uint64_t number = 0;
        const char *digits = name + letters;
        bool chip = s == WW_SCOPE_CHIP;
        if (chip ? *digits != '\0' : ww_num_parse_u64(digits, &number, NULL) != WW_OK) {
            break;
        }
        if (number >= r->shape[s]) {
            return fail(r, err, WW_ERANGE, "component '%.64s': the file announces %" PRIu32 " %ss",
                        name, r->shape[s], ww__scope_prefix[s]);
        }
        *scope = (ww_scope)s;
        *instance = (uint32_t)number;
        return WW_OK;
    }
    return fail(r, err, WW_ENOTFOUND,
                "unknown component '%.64s'; they are chip, sm0, slice0, channel0 and so on", name);
}

/* Into set; seen marks the instances that it has had. */
static ww_status read_component(reader *r, ww_counter_set *set, unsigned char *const *seen,
                                ww_error *err)
{
    static const char *const known[] = {"name", NULL};
    WW_TRY(expect_element(r, "component", err));
    WW_TRY(check_attributes(r, known, err));
    char name[MAX_TEXT_ATTRIBUTE];
    WW_TRY(get_attribute(r, "name", name, err));
    ww_scope scope = WW_SCOPE_CHIP;
    uint32_t instance = 0;
    WW_TRY(find_instance(r, name, &scope, &instance, err));
    if (seen[scope][instance] != 0) {
        return fail(r, err, WW_ESCHEMA, "component '%.64s' is given twice", name);
    }
    seen[scope][instance] = 1;
    bool given[WW_COUNTER_COUNT] = {false};
    int depth;
    bool found;
    r->expected = 0;
    WW_TRY(first_child(r, &depth, &found, err));
    while (found) {
        WW_TRY(read_stat(r, scope, &set->block[scope][instance], given, err));
        WW_TRY(next_child(r, depth, &found, err));
    }
    return WW_OK;
}

/* What was extrapolated, and the errors of that. */
static ww_status read_sampling(reader *r, ww_error *err)
{
    static const char *const known[] = {"extrapolated", NULL};
    ww_extrapolation *sampling = &r->launch->sampling;
    WW_TRY(check_attributes(r, known, err));
    if (sampling->share > 0) {
        return fail(r, err, WW_ESCHEMA, "<sampling> is given twice");
    }
    WW_TRY(get_positive(r, "extrapolated", &sampling->share, err));
    if (sampling->share > 1) {
        return fail(r, err, WW_ERANGE, "attribute 'extrapolated' is above 1");
    }
    bool given[WW_COUNTER_COUNT] = {false};
    int depth;
    bool found;
    r->expected = 0;
    WW_TRY(first_child(r, &depth, &found, err));
    while (found) {
        WW_TRY(read_stat(r, WW_SCOPE_COUNT, &sampling->error, given, err));
        WW_TRY(next_child(r, depth, &found, err));
    }
    return WW_OK;
}

/* Counters of the file's shape, at 0, within what a file may hold. */
static ww_status init_set(reader *r, ww_counter_set *set, ww_error *err)
{
    uint64_t blocks = 0;
    for (int s = 0; s < WW_SCOPE_COUNT; s++) {
        blocks += r->shape[s];
    }
    r->counter_bytes += blocks * sizeof(ww_counter_block);
    if (r->counter_bytes > max_counters) {
        return fail(r, err, WW_ERANGE,
                    "activity file holds more than %" PRIu64 " bytes of counters", max_counters);
    }
    return ww_counter_set_init(set, r->shape[WW_SCOPE_SM], r->shape[WW_SCOPE_SLICE],
                               r->shape[WW_SCOPE_CHANNEL], err);
}

/* ---- intervals ---- */

/* Room for one more interval of the launch, with its counters at 0. The arena keeps the smaller
 * arrays that it outgrew; the last is at least as large as all of them. */
static ww_status add_interval(reader *r, ww_interval **out, ww_error *err)
{
    size_t count = r->launch->interval_count;
    if (count == r->interval_capacity) {
        size_t capacity = count == 0 ? 16 : 2 * count;
        ww_interval *grown = WW_ARENA_NEW_ARRAY(&r->box->arena, ww_interval, capacity);
        if (grown == NULL) {
            return fail(r, err, WW_ENOMEM, "out of memory");
        }
        if (count > 0) {
            memcpy(grown, r->intervals, count * sizeof *grown);
        }
        r->intervals = grown;
        r->launch->intervals = grown;
        r->interval_capacity = capacity;
    }
    WW_TRY(init_set(r, &r->intervals[count].counters, err));
    r->launch->interval_count++;
    *out = &r->intervals[count];
    return WW_OK;
}

static ww_status read_interval(reader *r, ww_error *err)
{
    static const char *const known[] = {"first", "last", NULL};
    WW_TRY(check_attributes(r, known, err));
    size_t count = r->launch->interval_count;
    uint64_t first, last, begin = count > 0 ? r->intervals[count - 1].last_cycle : 0;
    WW_TRY(get_u64(r, "first", UINT64_MAX, &first, err));
    WW_TRY(get_u64(r, "last", UINT64_MAX, &last, err));
    if (first != begin || last <= first) {
        return fail(r, err, WW_ERANGE,
                    "interval from cycle %" PRIu64 " to %" PRIu64 "; it must begin at %" PRIu64
                    " and end later",
                    first, last, begin);
    }
    ww_interval *interval = NULL;
    WW_TRY(add_interval(r, &interval, err));
    interval->first_cycle = first;
    interval->last_cycle = last;
    for (int s = 0; s < WW_SCOPE_COUNT; s++) {
        memset(r->seen_in_interval[s], 0, r->shape[s]);
    }
    int depth;
    bool found;
    WW_TRY(first_child(r, &depth, &found, err));
    while (found) {
        WW_TRY(read_component(r, &interval->counters, r->seen_in_interval, err));
        WW_TRY(next_child(r, depth, &found, err));
    }
    return WW_OK;
}

/* The intervals are parts of the launch: together they count no more than it does. */
static ww_status check_intervals(reader *r, ww_error *err)
{
    if (r->launch->interval_count == 0) {
        return WW_OK;
    }
    ww_counter_set rest = {0};
    WW_TRY(init_set(r, &rest, err));
    ww_status status = ww_counter_set_copy(&rest, r->set, err);
    for (size_t i = 0; i < r->launch->interval_count && status == WW_OK; i++) {
        status = ww_counter_set_sub(&rest, &rest, &r->intervals[i].counters, NULL);
        if (status != WW_OK) {
            status = fail(r, err, WW_ERANGE,
                          "launch %" PRIu32 ": the intervals up to cycle %" PRIu64
                          " count more than the launch",
                          r->launch->launch_index, r->intervals[i].last_cycle);
        }
    }
    ww_counter_set_fini(&rest);
    return status;
}

static ww_status read_part(reader *r, ww_error *err)
{
    const char *name = (const char *)xmlTextReaderConstName(r->xml);
    if (strcmp(name, "sampling") == 0) {
        return read_sampling(r, err);
    }
    return strcmp(name, "interval") == 0 ? read_interval(r, err)
                                         : read_component(r, r->set, r->seen, err);
}

/* ---- launches ---- */

/* Room for one more launch, with its counters at 0. */
static ww_status add_launch(reader *r, ww_error *err)
{
    ww_activity *activity = &r->box->pub;
    if (activity->launch_count == r->launch_capacity) {
        size_t capacity = r->launch_capacity == 0 ? 16 : 2 * r->launch_capacity;
        ww_launch_record *grown =
            ww_realloc_array(activity->launches, capacity, sizeof *activity->launches);
        if (grown == NULL) {
            return fail(r, err, WW_ENOMEM, "out of memory");
        }
        activity->launches = grown;
        r->launch_capacity = capacity;
    }
    r->set = WW_ARENA_NEW(&r->box->arena, ww_counter_set);
    if (r->set == NULL) {
        return fail(r, err, WW_ENOMEM, "out of memory");
    }
    WW_TRY(init_set(r, r->set, err));
    r->intervals = NULL;
    r->interval_capacity = 0;
    r->launch = &activity->launches[activity->launch_count++];
    *r->launch = (ww_launch_record){.counters = r->set};
    for (int s = 0; s < WW_SCOPE_COUNT; s++) {
        memset(r->seen[s], 0, r->shape[s]);
    }
    return WW_OK;
}

static ww_status read_launch_attributes(reader *r, ww_error *err)
{
#define NAME(field) #field,
    static const char *const known[] = {"index",
                                        "workload",
                                        "kernel",
                                        "grid",
                                        "block",
                                        "occupancy_limit",
                                        WW__LAUNCH_COUNTS(NAME) WW__LAUNCH_REALS(NAME) NULL};
#undef NAME
    ww_launch_record *launch = r->launch;
    WW_TRY(check_attributes(r, known, err));
    WW_TRY(get_u32(r, "index", UINT32_MAX, &launch->launch_index, err));
    WW_TRY(get_text(r, "workload", &launch->workload, err));
    WW_TRY(get_text(r, "kernel", &launch->kernel, err));
    WW_TRY(get_text(r, "occupancy_limit", &launch->occupancy_limit, err));
    WW_TRY(get_extent(r, "grid", launch->grid, err));
    WW_TRY(get_extent(r, "block", launch->block, err));
#define GET(field) WW_TRY(get_u32(r, #field, UINT32_MAX, &launch->field, err));
    WW__LAUNCH_COUNTS(GET)
#undef GET
#define GET(field) WW_TRY(get_positive(r, #field, &launch->field, err));
    WW__LAUNCH_REALS(GET)
#undef GET
    return WW_OK;
}

/* Every instance must have had its component, and totals must fit in 64 bits. */
static ww_status check_launch(const reader *r, ww_error *err)
{
    for (int s = 0; s < WW_SCOPE_COUNT; s++) {
        for (uint32_t i = 0; i < r->shape[s]; i++) {
            if (r->seen[s][i] == 0) {
                return fail(r, err, WW_ESCHEMA, "launch %" PRIu32 " lacks %s component %" PRIu32,
                            r->launch->launch_index, ww__scope_prefix[s], i);
            }
        }
    }
    for (int c = 0; c < WW_COUNTER_COUNT; c++) {
        const ww_counter_info *info = ww_counter_describe((ww_counter)c);
        uint64_t sum = 0;
        for (uint32_t i = 0; i < r->shape[info->scope]; i++) {
            uint64_t value = r->set->block[info->scope][i].v[c];
            if (value > UINT64_MAX - sum) {
                return fail(r, err, WW_ERANGE,
                            "launch %" PRIu32 ": counter '%s' adds up to more than 2^64",
                            r->launch->launch_index, info->name);
            }
            sum += value;
        }
    }
    return WW_OK;
}

static ww_status read_launch(reader *r, ww_error *err)
{
    WW_TRY(expect_element(r, "launch", err));
    WW_TRY(add_launch(r, err));
    WW_TRY(read_launch_attributes(r, err));
    int depth;
    bool found;
    WW_TRY(first_child(r, &depth, &found, err));
    while (found) {
        WW_TRY(read_part(r, err));
        WW_TRY(next_child(r, depth, &found, err));
    }
    WW_TRY(check_launch(r, err));
    return check_intervals(r, err);
}

/* ---- the document ---- */

static ww_status read_root_attributes(reader *r, ww_error *err)
{
    static const char *const known[] = {"schema", "gpu",      "config_hash", "sms",
                                        "slices", "channels", NULL};
    WW_TRY(check_attributes(r, known, err));
    uint64_t schema;
    WW_TRY(get_u64(r, "schema", UINT64_MAX, &schema, err));
    if (schema != WW__ACTIVITY_SCHEMA) {
        return fail(r, err, WW_EUNSUP, "activity schema %" PRIu64 "; this version reads %d", schema,
                    WW__ACTIVITY_SCHEMA);
    }
    char gpu[MAX_TEXT_ATTRIBUTE];
    WW_TRY(get_attribute(r, "gpu", gpu, err));
    WW_TRY(get_u64(r, "config_hash", UINT64_MAX, &r->box->pub.config_hash, err));
    WW_TRY(get_u32(r, "sms", MAX_INSTANCES, &r->shape[WW_SCOPE_SM], err));
    WW_TRY(get_u32(r, "slices", MAX_INSTANCES, &r->shape[WW_SCOPE_SLICE], err));
    WW_TRY(get_u32(r, "channels", MAX_INSTANCES, &r->shape[WW_SCOPE_CHANNEL], err));
    r->shape[WW_SCOPE_CHIP] = 1;
    r->box->pub.gpu = ww_strdup(gpu);
    bool ok = r->box->pub.gpu != NULL;
    for (int s = 0; s < WW_SCOPE_COUNT; s++) {
        r->seen[s] = ww_arena_alloc(&r->box->arena, (size_t)r->shape[s] + 1, 1);
        r->seen_in_interval[s] = ww_arena_alloc(&r->box->arena, (size_t)r->shape[s] + 1, 1);
        ok = ok && r->seen[s] != NULL && r->seen_in_interval[s] != NULL;
    }
    return ok ? WW_OK : fail(r, err, WW_ENOMEM, "out of memory");
}

static ww_status read_document(reader *r, ww_error *err)
{
    bool found;
    WW_TRY(next_child(r, -1, &found, err));
    if (!found) {
        return fail(r, err, WW_EPARSE, "not an XML document");
    }
    WW_TRY(expect_element(r, "activity", err));
    WW_TRY(read_root_attributes(r, err));
    int depth;
    WW_TRY(first_child(r, &depth, &found, err));
    while (found) {
        WW_TRY(read_launch(r, err));
        WW_TRY(next_child(r, depth, &found, err));
    }
    return next_child(r, -1, &found, err); /* nothing but comments may follow */
}

static ww_status read_activity(const char *name, source from, ww_activity **out, ww_error *err)
{
    reader r = {.name = name, .source = from, .box = WW_NEW(activity_box)};
    if (r.box == NULL) {
        return ww_fail_at(err, WW_ENOMEM, name, 0, 0, "out of memory");
    }
    r.xml = xmlReaderForIO(read_some, NULL, &r.source, NULL, NULL, XML_PARSE_NONET);
    ww_status status;
    if (r.xml == NULL) {
        status = ww_fail_at(err, WW_ENOMEM, name, 0, 0, "out of memory");
    } else {
        xmlTextReaderSetStructuredErrorHandler(r.xml, on_error, &r);
        status = read_document(&r, err);
        xmlFreeTextReader(r.xml);
    }
    if (status != WW_OK) {
        ww_activity_destroy(&r.box->pub);
        return status;
    }
    *out = &r.box->pub;
    return WW_OK;
}

ww_status ww_activity_load(const char *path, ww_activity **out, ww_error *err)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        return ww_fail_at(err, WW_ENOTFOUND, path, 0, 0, "activity file cannot be opened");
    }
    ww_status status = read_activity(path, (source){.file = file}, out, err);
    fclose(file);
    return status;
}

ww_status ww_activity_parse(const char *name, const char *text, size_t length, ww_activity **out,
                            ww_error *err)
{
    return read_activity(name, (source){.text = text, .left = length}, out, err);
}

void ww_activity_destroy(ww_activity *activity)
{
    if (activity == NULL) {
        return;
    }
    activity_box *box = (activity_box *)(void *)activity; /* pub is its first member */
    for (size_t i = 0; i < activity->launch_count; i++) {
        /* The record shows its counters as constant; the arena holds them as what they are. */
        ww_counter_set set = *activity->launches[i].counters;
        ww_counter_set_fini(&set);
        for (size_t k = 0; k < activity->launches[i].interval_count; k++) {
            set = activity->launches[i].intervals[k].counters;
            ww_counter_set_fini(&set);
        }
    }
    ww_free(activity->launches);
    ww_free(activity->gpu);
    ww_arena_fini(&box->arena);
    ww_free(box);
}
