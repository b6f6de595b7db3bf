/* sweep_pass.c - passes of models in a sweep file: what each is made of, in inference's words. */
#include <inttypes.h>
#include <string.h>

#include "base/file.h"
#include "base/hash.h"
#include "base/num.h"
#include "base/units.h"
#include "run/sweep_parser.h"

enum { MOST_FILE_BYTES = 16 << 20, MOST_SIZES = 64 };

/* Batches or sequences: numbers behind each other. */
typedef struct sizes {
    uint64_t value[MOST_SIZES];
    size_t count;
} sizes;

static bool is_true(const ww_xml_node *node, const char *name)
{
    const char *text = ww_xml_attr(node, name);
    return text != NULL && (strcmp(text, "true") == 0 || strcmp(text, "1") == 0);
}

/* The schema has lists of numbers above 0; one that is not given is a single `absent`. */
static ww_status read_sizes(ww_sweep_parser *p, const ww_xml_node *node, const char *name,
                            uint64_t absent, sizes *out)
{
    const char *at = ww_xml_attr(node, name);
    char number[24];
    *out = (sizes){.value = {absent}, .count = at == NULL};
    while (at != NULL && *(at += strspn(at, " ,")) != '\0') {
        const size_t length = strcspn(at, " ,");
        if (out->count == MOST_SIZES || length >= sizeof number) {
            return ww_xml_fail(p->xml, node, p->err, WW_ERANGE, "more than %d numbers in %s",
                               MOST_SIZES, name);
        }
        memcpy(number, at, length);
        number[length] = '\0';
        WW_TRY(ww_num_parse_u64(number, &out->value[out->count++], p->err));
        at += length;
    }
    return WW_OK;
}

static ww_status read_interval(ww_sweep_parser *p, const ww_xml_node *node, ww_sweep_pass *pass)
{
    const char *text = ww_xml_attr(node, "launch_interval");
    if (text == NULL) {
        return WW_OK;
    }
    if (ww_units_parse(text, "s", &pass->launch_interval_s, NULL) != WW_OK ||
        !(pass->launch_interval_s > 0 && pass->launch_interval_s <= 1)) {
        return ww_xml_fail(p->xml, node, p->err, WW_ERANGE,
                           "launch_interval needs a time such as 32us, not '%s'", text);
    }
    return pass->graphs ? ww_xml_fail(p->xml, node, p->err, WW_ESCHEMA,
                                      "launch_interval and graphs exclude each other")
                        : WW_OK;
}

/* A table beside the sweep file; what it holds decides results. */
static ww_status read_file(ww_sweep_parser *p, const ww_xml_node *node, const char *file,
                           ww_sweep_pass *pass)
{
    char *text = NULL;
    size_t length = 0;
    if (strchr(file, '/') != NULL) { /* a copy goes with the sweep's folder */
        return ww_xml_fail(p->xml, node, p->err, WW_ESCHEMA,
                           "a pass's file stands beside the sweep file, without a folder");
    }
    pass->file = ww_path_join(&p->sweep->arena, p->dir, file);
    if (pass->file == NULL) {
        return ww__sweep_no_memory(p->err);
    }
    if (ww_read_file(pass->file, MOST_FILE_BYTES, &text, &length, NULL) != WW_OK) {
        return ww_xml_fail(p->xml, node, p->err, WW_EIO, "%s cannot be read", pass->file);
    }
    pass->file_hash = ww_hash_bytes(WW_HASH_INIT, text, length);
    ww_free(text);
    return WW_OK;
}

static ww_status read_common(ww_sweep_parser *p, const ww_xml_node *node, ww_sweep_pass *pass)
{
    static const char *const of_models[] = {"batch", "sequence",     "precision",
                                            "phase", "eager_extras", "long"};
    const char *model = ww_xml_attr(node, "model"), *file = ww_xml_attr(node, "file");
    if ((model != NULL) == (file != NULL)) {
        return ww_xml_fail(p->xml, node, p->err, WW_ESCHEMA, "a pass is of a model or of a file");
    }
    for (size_t i = 0; file != NULL && i < WW_ARRAY_LEN(of_models); i++) {
        if (ww_xml_attr(node, of_models[i]) != NULL) {
            return ww_xml_fail(p->xml, node, p->err, WW_ESCHEMA, "%s goes with model",
                               of_models[i]);
        }
    }
    *pass = (ww_sweep_pass){.graphs = is_true(node, "graphs"),
                            .beyond = is_true(node, "long"),
                            .extras = is_true(node, "eager_extras"),
                            .line = ww_xml_line(node)};
    WW_TRY(ww__sweep_copy(p, model, &pass->model));
    WW_TRY(ww__sweep_copy(p, ww_xml_attr(node, "precision"), &pass->precision));
    WW_TRY(ww__sweep_copy(p, ww_xml_attr(node, "phase"), &pass->phase));
    WW_TRY(file != NULL ? read_file(p, node, file, pass) : WW_OK);
    return read_interval(p, node, pass);
}

/* "bert-large-bf16-8x128", "gpt2-fp32-1x64-decode", "pass": a folder's name. */
static const char *name_of(ww_arena *arena, const ww_sweep_pass *pass, const char *label)
{
    if (pass->file != NULL) {
        return label;
    }
    const char *name =
        ww_arena_printf(arena, "%s-%s-%" PRIu64, label,
                        pass->precision != NULL ? pass->precision : "bf16", pass->batch);
    if (name != NULL && pass->sequence > 0) {
        name = ww_arena_printf(arena, "%sx%" PRIu64, name, pass->sequence);
    }
    return name != NULL && pass->phase != NULL && strcmp(pass->phase, "decode") == 0
               ? ww_arena_printf(arena, "%s-decode", name)
               : name;
}

static const char *label_of(ww_arena *arena, const ww_xml_node *node, const ww_sweep_pass *pass)
{
    const char *given = ww_xml_attr(node, "label");
    const char *label = given != NULL        ? given
                        : pass->file == NULL ? pass->model
                                             : ww_path_base(pass->file);
    size_t length = strlen(label);
    if (given == NULL && pass->file != NULL) {
        const char *dot = strrchr(label, '.');
        length = dot != NULL && dot != label ? (size_t)(dot - label) : length;
    }
    return ww_arena_strndup(arena, label, length);
}

static ww_status add(ww_sweep_parser *p, const ww_xml_node *node, const ww_sweep_pass *common,
                     const ww_sweep_item *like, uint64_t batch, uint64_t sequence)
{
    ww_sweep_pass *pass = WW_ARENA_NEW(&p->sweep->arena, ww_sweep_pass);
    ww_sweep_item item = *like;
    if (pass == NULL) {
        return ww__sweep_no_memory(p->err);
    }
    *pass = *common;
    pass->batch = batch;
    pass->sequence = sequence;
    item.pass = pass;
    item.name = name_of(&p->sweep->arena, pass, item.label);
    return item.name != NULL ? ww__sweep_add_item(p, node, &item) : ww__sweep_no_memory(p->err);
}

ww_status ww__sweep_pass(ww_sweep_parser *p, const ww_xml_node *node)
{
    ww_sweep_pass common;
    ww_sweep_item like = {0};
    sizes batch, sequence;
    const char *classes = ww_xml_attr(node, "class");
    WW_TRY(read_common(p, node, &common));
    WW_TRY(read_sizes(p, node, "batch", 1, &batch));
    WW_TRY(read_sizes(p, node, "sequence", 0, &sequence));
    WW_TRY(ww__sweep_copy(p, classes != NULL ? classes : "", &like.classes));
    like.label = label_of(&p->sweep->arena, node, &common);
    if (like.label == NULL) {
        return ww__sweep_no_memory(p->err);
    }
    for (size_t b = 0; b < batch.count; b++) {
        for (size_t s = 0; s < sequence.count; s++) {
            WW_TRY(add(p, node, &common, &like, batch.value[b], sequence.value[s]));
        }
    }
    return WW_OK;
}

const char *ww__sweep_describe_pass(ww_sweep *sweep, const ww_sweep_pass *pass)
{
    const char *what =
        pass->file != NULL
            ? ww_arena_printf(&sweep->arena, "pass of a file %016" PRIx64 "\n", pass->file_hash)
            : ww_arena_printf(
                  &sweep->arena, "pass %s %s batch %" PRIu64 " sequence %" PRIu64 " %s%s%s\n",
                  pass->model, pass->precision != NULL ? pass->precision : "bf16", pass->batch,
                  pass->sequence, pass->phase != NULL ? pass->phase : "prefill",
                  pass->beyond ? " long" : "", pass->extras ? " eager_extras" : "");
    return what != NULL ? ww_arena_printf(&sweep->arena, "%slaunch_interval %.17g%s\n", what,
                                          pass->launch_interval_s, pass->graphs ? " graphs" : "")
                        : NULL;
}
