/* chain.c - reading a GPU description and, before it, the one it extends. */
#include <string.h>

#include "arch/config.h"
#include "arch/schema.h"
#include "base/configs.h"
#include "base/file.h"
#include "base/str.h"
#include "base/suggest.h"
#include "base/xml.h"

enum { MAX_EXTENDS = 8, MAX_FILE_BYTES = 1024 * 1024 };

typedef struct chain {
    ww_arch *arch;
    ww_schema *schema;              /* compiled when first needed */
    const char *files[MAX_EXTENDS]; /* real paths, outermost first */
    int depth;
    bool mech; /* reads a mechanism's file */
} chain;

/* The file that an element of xml comes from, kept for as long as the configuration. */
typedef struct document {
    const ww_xml *xml;
    const char *file;
    const ww_xml_node *root;
} document;

static ww_status load_file(chain *c, const char *path, const ww_xml *from, ww_error *err);

/* The nearest source attribute: of the value, its group, the file. NULL when there is none. */
static const char *nearest_source(const ww_xml_node *node)
{
    for (; node != NULL; node = ww_xml_parent(node)) {
        const char *source = ww_xml_attr(node, "source");
        if (source != NULL && *source != '\0') {
            return source;
        }
    }
    return NULL;
}

static ww_status apply_value(chain *c, const document *doc, const ww_xml_node *node, size_t index,
                             ww_error *err)
{
    ww_arena *arena = &c->arch->config->arena;
    const ww_param *param = ww_param_at(index);
    const char *source = nearest_source(node);
    if (source == NULL) {
        return ww_xml_fail(doc->xml, node, err, WW_ESCHEMA,
                           "%s has no source: give it, its group or the file a source attribute",
                           param->key);
    }
    ww_config_origin origin = {.file = doc->file, .line = ww_xml_line(node)};
    origin.source = ww_arena_printf(arena, "%s", source);
    const char *text = ww_xml_text(node, arena);
    if (text == NULL || origin.source == NULL) {
        return ww_no_memory(err);
    }
    const char *unit = ww_xml_attr(node, "unit");
    return ww__config_set(c->arch, index, text, unit != NULL ? unit : "", origin, err);
}

static ww_status refuse_duplicate(const document *doc, const ww_xml_node *node, ww_error *err)
{
    for (const ww_xml_node *other = ww_xml_child(ww_xml_parent(node)); other != node;
         other = ww_xml_next(other)) {
        if (strcmp(ww_xml_tag(other), ww_xml_tag(node)) == 0) {
            return ww_xml_fail(doc->xml, node, err, WW_ESCHEMA,
                               "<%s> appears twice, first on line %d", ww_xml_tag(node),
                               ww_xml_line(other));
        }
    }
    return WW_OK;
}

static ww_status fail_unknown_param(const document *doc, const ww_xml_node *node,
                                    const ww_param_group *group, ww_error *err)
{
    ww_suggest near;
    ww_suggest_init(&near, ww_xml_tag(node));
    for (size_t i = 0; i < group->count; i++) {
        ww_suggest_offer(&near, group->params[i].name);
    }
    char hint[96];
    return ww_xml_fail(doc->xml, node, err, WW_ESCHEMA, "unknown parameter '%.40s.%.40s'%s",
                       group->path, ww_xml_tag(node), ww_suggest_text(&near, hint, sizeof hint));
}

static ww_status apply_group(chain *c, const document *doc, const ww_xml_node *node,
                             const ww_param_group *group, ww_error *err)
{
    for (const ww_xml_node *child = ww_xml_child(node); child != NULL; child = ww_xml_next(child)) {
        const char *tag = ww_xml_tag(child);
        size_t i = 0;
        ww_error fault = {0};
        while (i < group->count && strcmp(group->params[i].name, tag) != 0) {
            i++;
        }
        ww_status status = i == group->count ? fail_unknown_param(doc, child, group, &fault)
                                             : refuse_duplicate(doc, child, &fault);
        status = status == WW_OK ? apply_value(c, doc, child, group->first + i, &fault) : status;
        WW_TRY(ww__config_note(c->arch, status, &fault, err));
    }
    return WW_OK;
}

/* Groups up to `known`: those behind the one that is out of place here are no help. */
static ww_status fail_unknown_group(const document *doc, const ww_xml_node *node, size_t known,
                                    ww_error *err)
{
    ww_suggest near;
    ww_suggest_init(&near, ww_xml_tag(node));
    for (size_t g = 0; g < known; g++) {
        ww_suggest_offer(&near, ww_param_group_at(g).path);
    }
    char hint[96];
    return ww_xml_fail(doc->xml, node, err, WW_ESCHEMA, "unknown group '%.40s'%s", ww_xml_tag(node),
                       ww_suggest_text(&near, hint, sizeof hint));
}

static ww_status apply_groups(chain *c, const document *doc, ww_error *err)
{
    for (const ww_xml_node *node = ww_xml_child(doc->root); node != NULL;
         node = ww_xml_next(node)) {
        const char *tag = ww_xml_tag(node);
        size_t g = 0;
        while (g < ww_param_group_count() && strcmp(ww_param_group_at(g).path, tag) != 0) {
            g++;
        }
        ww_error fault = {0};
        bool known = g < ww_param_group_count() && (ww_param_group_at(g).mechanism >= 0) == c->mech;
        ww_status status =
            known ? refuse_duplicate(doc, node, &fault) : fail_unknown_group(doc, node, g, &fault);
        WW_TRY(ww__config_note(c->arch, status, &fault, err));
        if (status != WW_OK) {
            continue;
        }
        ww_param_group group = ww_param_group_at(g);
        WW_TRY(apply_group(c, doc, node, &group, err));
    }
    return WW_OK;
}

/* The file that extends= names: beside the extending file, else among the shipped ones. */
static ww_status find_base(chain *c, const document *doc, const char *name, const char **path,
                           ww_error *err)
{
    ww_arena *arena = &c->arch->config->arena;
    const char *dir = ww_path_dir(arena, doc->file);
    const char *beside = dir != NULL ? ww_path_join(arena, dir, name) : NULL;
    if (beside == NULL) {
        return ww_no_memory(err);
    }
    *path = beside;
    if (ww_file_exists(beside) || ww_configs_dir(arena, "gpu", &dir, NULL) != WW_OK) {
        return WW_OK;
    }
    const char *shipped = ww_path_join(arena, dir, name);
    if (shipped == NULL) {
        return ww_no_memory(err);
    }
    *path = ww_file_exists(shipped) ? shipped : beside;
    return WW_OK;
}

/* The schema describes what the steps above enforce with better messages; it has the last word. */
static ww_status check_schema(chain *c, const ww_xml *xml, ww_error *err)
{
    if (ww_xml_is_shipped(xml)) {
        return WW_OK;
    }
    if (c->schema == NULL) {
        ww_str xsd = {0};
        if (c->mech) {
            ww_mech_schema(&xsd);
        } else {
            ww_arch_schema(&xsd);
        }
        ww_status status = ww_str_check(&xsd, err);
        if (status == WW_OK) {
            status = ww_schema_parse("gpu.xsd", ww_str_text(&xsd), xsd.len, &c->schema, err);
        }
        ww_str_fini(&xsd);
        WW_TRY(status);
    }
    return ww_schema_check(c->schema, xml, err);
}

static ww_status apply_document(chain *c, const document *doc, ww_error *err)
{
    const char *root = c->mech ? "mechanism" : "gpu";
    if (strcmp(ww_xml_tag(doc->root), root) != 0) {
        return ww_xml_fail(doc->xml, doc->root, err, WW_ESCHEMA,
                           "the root element is <%.40s>, not <%s>", ww_xml_tag(doc->root), root);
    }
    const char *extends = ww_xml_attr(doc->root, "extends");
    if (extends != NULL) {
        const char *base = NULL;
        WW_TRY(find_base(c, doc, extends, &base, err));
        WW_TRY(load_file(c, base, doc->xml, err));
    }
    size_t faults = c->arch->config->faults;
    WW_TRY(apply_groups(c, doc, err));
    return faults < c->arch->config->faults ? WW_OK : check_schema(c, doc->xml, err);
}

static ww_status load_text(chain *c, const char *path, const char *text, size_t length,
                           ww_error *err)
{
    ww_xml *xml = NULL;
    WW_TRY(ww_xml_parse(path, text, length, &xml, err));
    document doc = {.xml = xml, .root = ww_xml_root(xml)};
    doc.file = ww_arena_printf(&c->arch->config->arena, "%s", path);
    bool outermost = c->depth == 1 && !c->mech;
    ww_status status = doc.file != NULL ? apply_document(c, &doc, err) : ww_no_memory(err);
    if (status == WW_OK && outermost) {
        const char *abstract = ww_xml_attr(doc.root, "abstract");
        c->arch->config->name =
            ww_arena_printf(&c->arch->config->arena, "%s", ww_xml_attr(doc.root, "name"));
        if (c->arch->config->name == NULL) {
            status = ww_no_memory(err);
        } else if (abstract != NULL && strcmp(abstract, "true") == 0) {
            status = ww_xml_fail(xml, doc.root, err, WW_ESCHEMA,
                                 "'%s' is a base for other descriptions, not a GPU",
                                 c->arch->config->name);
        }
    }
    ww_xml_destroy(xml);
    return status;
}

/* Reads a file of the chain; from is the document that extends it, NULL for the outermost. */
static ww_status load_file(chain *c, const char *path, const ww_xml *from, ww_error *err)
{
    const char *real = ww_path_real(&c->arch->config->arena, path);
    if (real == NULL && ww_file_exists(path)) {
        return ww_no_memory(err);
    }
    real = real != NULL ? real : path; /* reading it will say what is wrong */
    for (int i = 0; i < c->depth; i++) {
        if (strcmp(c->files[i], real) == 0) {
            return ww_xml_fail(from, ww_xml_root(from), err, WW_ESCHEMA,
                               "extends itself by way of %s", path);
        }
    }
    if (c->depth == MAX_EXTENDS) {
        return ww_xml_fail(from, ww_xml_root(from), err, WW_ESCHEMA,
                           "extends a chain of more than %d files", MAX_EXTENDS);
    }
    char *text;
    size_t length;
    ww_error why = {0};
    ww_status status = ww_read_file(path, MAX_FILE_BYTES, &text, &length, &why);
    if (status != WW_OK) {
        if (from != NULL) {
            return ww_xml_fail(from, ww_xml_root(from), err, status, "extends %s: %s", path,
                               why.what);
        }
        return ww_fail_at(err, status, path, 0, 0, "%s", why.what);
    }
    c->files[c->depth++] = real;
    status = load_text(c, path, text, length, err);
    c->depth--;
    ww_free(text);
    return status;
}

ww_status ww__chain_load(ww_arch *arch, const char *path, const char *text, size_t length,
                         ww_error *err)
{
    chain c = {.arch = arch};
    ww_status status;
    if (text == NULL) {
        status = load_file(&c, path, NULL, err);
    } else {
        c.files[c.depth++] = path;
        status = load_text(&c, path, text, length, err);
    }
    ww_schema_destroy(c.schema);
    return status;
}

ww_status ww__chain_load_mech(ww_arch *arch, const char *path, ww_error *err)
{
    chain c = {.arch = arch, .mech = true};
    ww_status status = load_file(&c, path, NULL, err);
    ww_schema_destroy(c.schema);
    return status;
}
