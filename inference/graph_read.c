/* graph_read.c - passes from tables and JSON. Whatever the text holds, it becomes a graph whose
 * operators are checked, or an error with line and column. */
#include <string.h>

#include "base/csv.h"
#include "base/file.h"
#include "base/json_read.h"
#include "base/num.h"
#include "inference/graph.h"
#include "inference/models.h"

enum { COLUMNS = 9, LABELS = 4, MOST_BYTES = 16 << 20, MOST_ROWS = 100000 };

static const char *const column_names[COLUMNS] = {
    "operator", "kind", "precisions", "batch_or_rows", "m_or_dim", "n", "k", "other", "count"};
enum { OPERATOR, KIND, PRECISIONS, BATCH, M, N, K, OTHER, OCCURRENCES };

static const char *const label_names[LABELS] = {"model", "precision", "batch", "sequence"};

/* One row as texts, "" where empty; JSON's numbers are printed into text of their own. */
typedef struct row {
    const char *field[COLUMNS];
    const ww_json_value *other; /* parsed; NULL: none */
    int bad;                    /* column that the error is about */
} row;

static ww_status read_size(row *r, int column, uint64_t *out, ww_error *err)
{
    r->bad = column;
    *out = 0;
    if (r->field[column][0] == '\0') {
        return WW_OK;
    }
    ww_status status = ww_num_parse_u64(r->field[column], out, err);
    if (status != WW_OK) {
        ww_error_prefix(err, "%s: ", column_names[column]);
    }
    return status;
}

/* "tc/bf16_bf16", "fp32_fp32", or "bf16". */
static ww_status read_precisions(row *r, ww_operator *op, ww_error *err)
{
    const char *text = r->field[PRECISIONS];
    char first[16];
    r->bad = PRECISIONS;
    op->tensor = strncmp(text, "tc/", 3) == 0;
    text += op->tensor ? 3 : 0;
    size_t n = strcspn(text, "_");
    if (n == 0 || n >= sizeof first) {
        return ww_fail(err, WW_EPARSE, "precisions must be like bf16, fp32_fp32 or tc/bf16_bf16");
    }
    memcpy(first, text, n);
    first[n] = '\0';
    WW_TRY(ww_number_parse(first, &op->number, err));
    if (text[n] == '_' && strcmp(text + n + 1, first) != 0) {
        return ww_fail(err, WW_EUNSUP, "operands of two precisions: %s", text);
    }
    return WW_OK;
}

static ww_status other_size(const row *r, const char *key, bool wanted, uint64_t *out,
                            ww_error *err)
{
    const ww_json_value *v = ww_json_get(r->other, key);
    if (v == NULL && !wanted) {
        return WW_OK;
    }
    if (v == NULL || v->kind != WW_JSON_NUMBER || !(v->number >= 0) || v->number > 1e15 ||
        v->number != (double)(uint64_t)v->number) {
        return ww_fail(err, WW_EPARSE, "other needs \"%s\", a whole number", key);
    }
    *out = (uint64_t)v->number;
    return WW_OK;
}

/* No key but these. */
static ww_status other_known(const row *r, const char *const *keys, ww_error *err)
{
    if (r->other != NULL && r->other->kind != WW_JSON_OBJECT) {
        return ww_fail(err, WW_EPARSE, "other must be an object");
    }
    for (const ww_json_value *v = r->other != NULL ? r->other->first : NULL; v != NULL;
         v = v->next) {
        size_t i = 0;
        while (keys[i] != NULL && strcmp(keys[i], v->key) != 0) {
            i++;
        }
        if (keys[i] == NULL) {
            return ww_fail(err, WW_EPARSE, "other has an unknown key \"%s\"", v->key);
        }
    }
    return WW_OK;
}

static ww_status read_conv(const row *r, ww_operator *op, ww_error *err)
{
    static const char *const keys[] = {"b",  "c",      "hw",     "m", "padding",
                                       "rs", "stride", "groups", NULL};
    ww_conv_shape *c = &op->conv;
    WW_TRY(other_known(r, keys, err));
    WW_TRY(other_size(r, "b", true, &c->b, err));
    WW_TRY(other_size(r, "c", true, &c->c, err));
    WW_TRY(other_size(r, "hw", true, &c->hw, err));
    WW_TRY(other_size(r, "m", true, &c->m, err));
    WW_TRY(other_size(r, "padding", true, &c->padding, err));
    WW_TRY(other_size(r, "rs", true, &c->rs, err));
    WW_TRY(other_size(r, "stride", true, &c->stride, err));
    c->groups = 1;
    return other_size(r, "groups", false, &c->groups, err);
}

static ww_status read_attention(const row *r, ww_operator *op, ww_error *err)
{
    static const char *const keys[] = {"heads", "kv_heads", "causal", NULL};
    WW_TRY(other_known(r, keys, err));
    WW_TRY(other_size(r, "heads", true, &op->attention.heads, err));
    op->attention.kv_heads = op->attention.heads;
    WW_TRY(other_size(r, "kv_heads", false, &op->attention.kv_heads, err));
    const ww_json_value *causal = ww_json_get(r->other, "causal");
    op->attention.causal = causal != NULL && causal->kind == WW_JSON_BOOL && causal->boolean;
    return WW_OK;
}

static ww_status read_prec(const row *r, ww_operator *op, ww_error *err)
{
    static const char *const keys[] = {"prec", NULL};
    WW_TRY(other_known(r, keys, err));
    const char *prec = ww_json_get_text(r->other, "prec", NULL);
    if (prec == NULL) {
        return ww_fail(err, WW_EPARSE, "an elementwise operator needs \"prec\" in other");
    }
    return ww_number_parse(prec, &op->number, err);
}

static ww_status read_other(row *r, ww_operator *op, ww_error *err)
{
    static const char *const none[] = {NULL};
    r->bad = OTHER;
    switch (op->kind) {
    case WW_OPERATOR_CONV2D:
        return read_conv(r, op, err);
    case WW_OPERATOR_ATTENTION:
        return read_attention(r, op, err);
    case WW_OPERATOR_ELEMENTWISE:
        return read_prec(r, op, err);
    default:
        return other_known(r, none, err);
    }
}

static ww_status read_row(row *r, ww_operator *op, ww_error *err)
{
    *op = (ww_operator){0};
    r->bad = OPERATOR;
    WW_TRY(ww_operator_kind_parse(r->field[OPERATOR], &op->kind, err));
    r->bad = KIND;
    if (op->kind == WW_OPERATOR_ELEMENTWISE) {
        WW_TRY(ww_pointwise_parse(r->field[KIND], &op->pointwise, err));
    } else if (r->field[KIND][0] != '\0') {
        return ww_fail(err, WW_EPARSE, "only an elementwise operator has a kind");
    }
    if (op->kind != WW_OPERATOR_ELEMENTWISE) {
        WW_TRY(read_precisions(r, op, err));
    }
    WW_TRY(read_size(r, BATCH, &op->batch, err));
    WW_TRY(read_size(r, M, &op->m, err));
    WW_TRY(read_size(r, N, &op->n, err));
    WW_TRY(read_size(r, K, &op->k, err));
    WW_TRY(read_other(r, op, err));
    WW_TRY(read_size(r, OCCURRENCES, &op->count, err));
    r->bad = OPERATOR;
    return ww_operator_check(op, err);
}

/* ---- labels ---- */

static ww_status set_labels(ww_graph *graph, const char *const label[LABELS], ww_error *err)
{
    uint64_t sizes[2] = {0, 0};
    for (int i = 0; i < 2; i++) {
        if (label[2 + i][0] != '\0') {
            WW_TRY(ww_num_parse_u64(label[2 + i], &sizes[i], err));
            if (sizes[i] == 0) {
                return ww_fail(err, WW_ERANGE, "%s is 0", label_names[2 + i]);
            }
        }
    }
    if (strlen(label[0]) >= sizeof graph->model || strlen(label[1]) >= sizeof graph->precision) {
        return ww_fail(err, WW_ERANGE, "name of model or precision is too long");
    }
    memcpy(graph->model, label[0], strlen(label[0]) + 1);
    memcpy(graph->precision, label[1], strlen(label[1]) + 1);
    graph->batch = sizes[0];
    graph->sequence = sizes[1];
    return WW_OK;
}

static ww_status add_row(ww_graph *graph, row *r, int line, ww_error *err)
{
    ww_operator op;
    WW_TRY(read_row(r, &op, err));
    op.line = line;
    ww_model_mark_depthwise(graph->model, &op);
    return ww_graph_add(graph, &op, err);
}

/* ---- tables ---- */

typedef struct table {
    const ww_csv *csv;
    size_t column[COLUMNS], label[LABELS];
} table;

static const size_t absent = SIZE_MAX;

static ww_status find_columns(table *t, ww_error *err)
{
    WW_TRY(ww_csv_find_all(t->csv, column_names, COLUMNS, t->column, err));
    for (int i = 0; i < LABELS; i++) {
        if (ww_csv_find(t->csv, label_names[i], &t->label[i], NULL) != WW_OK) {
            t->label[i] = absent;
        }
    }
    return WW_OK;
}

static const char *label_text(const table *t, size_t line, int i)
{
    return t->label[i] == absent ? "" : ww_csv_text(t->csv, line, t->label[i]);
}

static ww_status read_labels(const table *t, ww_graph *graph, ww_error *err)
{
    const char *first[LABELS];
    for (int i = 0; i < LABELS; i++) {
        first[i] = label_text(t, 0, i);
        for (size_t line = 1; line < ww_csv_rows(t->csv); line++) {
            if (strcmp(first[i], label_text(t, line, i)) != 0) {
                return ww_csv_fail(t->csv, line, t->label[i], err, WW_EPARSE,
                                   "another pass begins here: %s differs; give one pass",
                                   label_names[i]);
            }
        }
    }
    ww_error why = {0};
    ww_status status = set_labels(graph, first, &why);
    return status == WW_OK ? WW_OK : ww_csv_fail(t->csv, 0, 0, err, status, "%s", why.what);
}

static ww_status read_table_row(const table *t, size_t line, ww_graph *graph, ww_error *err)
{
    row r = {.other = NULL};
    ww_arena arena = {0};
    ww_error why = {0};
    for (int i = 0; i < COLUMNS; i++) {
        r.field[i] = ww_csv_text(t->csv, line, t->column[i]);
    }
    const char *other = r.field[OTHER];
    ww_status status = WW_OK;
    if (other[0] != '\0') {
        r.bad = OTHER;
        status = ww_json_parse("other", other, strlen(other), &arena, &r.other, &why);
    }
    if (status == WW_OK) {
        status = add_row(graph, &r, (int)line + 2, &why);
    }
    ww_arena_fini(&arena);
    return status == WW_OK
               ? WW_OK
               : ww_csv_fail(t->csv, line, t->column[r.bad], err, status, "%s", why.what);
}

static ww_status parse_table(const char *name, const char *text, size_t length, ww_graph *graph,
                             ww_error *err)
{
    ww_csv *csv = NULL;
    WW_TRY(ww_csv_parse(name, text, length, &csv, err));
    table t = {.csv = csv};
    ww_status status = find_columns(&t, err);
    if (status == WW_OK && ww_csv_rows(csv) > MOST_ROWS) {
        status = ww_fail_at(err, WW_ERANGE, name, MOST_ROWS + 2, 1, "more than %d rows", MOST_ROWS);
    }
    if (status == WW_OK && ww_csv_rows(csv) > 0) {
        status = read_labels(&t, graph, err);
    }
    for (size_t line = 0; status == WW_OK && line < ww_csv_rows(csv); line++) {
        status = read_table_row(&t, line, graph, err);
    }
    ww_csv_destroy(csv);
    return status;
}

/* ---- JSON ---- */

/* Line and column at which the i-th object of a well-formed list begins. */
static void find_object(const char *text, size_t length, size_t i, int *line, int *column)
{
    int depth = 0;
    bool quoted = false;
    *line = *column = 1;
    for (size_t at = 0; at < length; at++) {
        char c = text[at];
        if (quoted) {
            if (c == '\\') {
                at++;
                ++*column;
            } else if (c == '"') {
                quoted = false;
            }
        } else if (c == '"') {
            quoted = true;
        } else if (c == '[' || c == '{') {
            if (c == '{' && depth == 1 && i-- == 0) {
                return;
            }
            depth++;
        } else if (c == ']' || c == '}') {
            depth--;
        }
        *column = c == '\n' ? 1 : *column + 1;
        *line += c == '\n';
    }
}

/* Text of a member that is a text or a number; NULL: it is neither. */
static const char *member_text(const ww_json_value *v, ww_arena *arena)
{
    char number[WW_NUM_CHARS];
    if (v == NULL || v->kind == WW_JSON_NULL) {
        return "";
    }
    if (v->kind == WW_JSON_TEXT) {
        return v->text;
    }
    return v->kind == WW_JSON_NUMBER
               ? ww_arena_printf(arena, "%s", ww_num_format(v->number, number))
               : NULL;
}

static int index_of(const char *const *names, int count, const char *name)
{
    int i = 0;
    while (i < count && strcmp(names[i], name) != 0) {
        i++;
    }
    return i;
}

static ww_status json_row(const ww_json_value *object, ww_arena *arena, row *r,
                          const char *label[LABELS], ww_error *err)
{
    if (object->kind != WW_JSON_OBJECT) {
        return ww_fail(err, WW_EPARSE, "an operator must be an object");
    }
    *r = (row){.other = ww_json_get(object, "other")};
    for (int i = 0; i < COLUMNS; i++) {
        r->field[i] = "";
    }
    for (int i = 0; i < LABELS; i++) {
        label[i] = "";
    }
    for (const ww_json_value *v = object->first; v != NULL; v = v->next) {
        int i = index_of(column_names, COLUMNS, v->key), l = index_of(label_names, LABELS, v->key);
        if (i == OTHER) {
            continue;
        }
        const char *text = member_text(v, arena);
        if (text == NULL) {
            return ww_fail(err, WW_EPARSE, "\"%s\" must be a text or a number", v->key);
        }
        if (i < COLUMNS) {
            r->field[i] = text;
        } else if (l < LABELS) {
            label[l] = text;
        } else {
            return ww_fail(err, WW_EPARSE, "unknown key \"%s\"", v->key);
        }
    }
    return WW_OK;
}

static ww_status json_operator(const ww_json_value *object, size_t i, ww_arena *arena,
                               ww_graph *graph, const char *first[LABELS], ww_error *err)
{
    row r;
    const char *label[LABELS];
    WW_TRY(json_row(object, arena, &r, label, err));
    for (int l = 0; l < LABELS; l++) {
        if (i > 0 && strcmp(label[l], first[l]) != 0) {
            return ww_fail(err, WW_EPARSE, "another pass begins here: %s differs; give one pass",
                           label_names[l]);
        }
        first[l] = label[l];
    }
    if (i == 0) {
        WW_TRY(set_labels(graph, first, err));
    }
    return add_row(graph, &r, 0, err);
}

static ww_status parse_json(const char *name, const char *text, size_t length, ww_graph *graph,
                            ww_error *err)
{
    ww_arena arena = {0};
    const ww_json_value *root = NULL;
    const char *first[LABELS] = {0};
    ww_error why = {0};
    ww_status status = ww_json_parse(name, text, length, &arena, &root, err);
    if (status == WW_OK && root->kind != WW_JSON_ARRAY) {
        status = ww_fail_at(err, WW_EPARSE, name, 1, 1, "a pass must be a list of operators");
    }
    size_t i = 0;
    for (const ww_json_value *v = status == WW_OK ? root->first : NULL;
         v != NULL && status == WW_OK; v = v->next, i++) {
        status = i < MOST_ROWS ? json_operator(v, i, &arena, graph, first, &why)
                               : ww_fail(&why, WW_ERANGE, "more than %d operators", MOST_ROWS);
        if (status != WW_OK) {
            int line, column;
            find_object(text, length, i, &line, &column);
            status = ww_fail_at(err, status, name, line, column, "%s", why.what);
        }
    }
    ww_arena_fini(&arena);
    return status;
}

/* ---- either ---- */

ww_status ww_graph_parse(const char *name, const char *text, size_t length, ww_graph *out,
                         ww_error *err)
{
    *out = (ww_graph){0};
    size_t at = 0;
    while (at < length && strchr(" \t\r\n", text[at]) != NULL && text[at] != '\0') {
        at++;
    }
    bool json = at < length && (text[at] == '[' || text[at] == '{');
    ww_status status =
        json ? parse_json(name, text, length, out, err) : parse_table(name, text, length, out, err);
    if (status == WW_OK && out->count == 0) {
        status = ww_fail_at(err, WW_EPARSE, name, 1, 1, "a pass without operators");
    }
    if (status != WW_OK) {
        ww_graph_fini(out);
        return status;
    }
    ww_model_label(out);
    return WW_OK;
}

ww_status ww_graph_load(const char *path, ww_graph *out, ww_error *err)
{
    char *text = NULL;
    size_t length = 0;
    WW_TRY(ww_read_file(path, MOST_BYTES, &text, &length, err));
    ww_status status = ww_graph_parse(path, text, length, out, err);
    ww_free(text);
    return status;
}
