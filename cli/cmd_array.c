/* cmd_array.c - `warpwatt array`: what one memory array costs, sub-term by sub-term. */
#include <stdio.h>
#include <string.h>

#include "analysis/table.h"
#include "base/configs.h"
#include "base/num.h"
#include "base/units.h"
#include "cli/command.h"
#include "tech/array.h"
#include "tech/structures.h"

/* One request as the command line gives it. */
typedef struct request {
    ww_array_spec spec;
    ww_node_point point;
    double feature_m;
    uint32_t copies; /* of a named structure, else 1 */
} request;

static ww_status choice(const ww_args *args, const char *option, const char *const *names,
                        int count, int otherwise, int *out, ww_error *err)
{
    const char *text = ww_args_value(args, option);
    *out = otherwise;
    if (text == NULL) {
        return WW_OK;
    }
    char known[128] = "";
    for (int i = 0; i < count; i++) {
        if (strcmp(text, names[i]) == 0) {
            *out = i;
            return WW_OK;
        }
        size_t used = strlen(known);
        snprintf(known + used, sizeof known - used, "%s%s", i > 0 ? ", " : "", names[i]);
    }
    return ww_fail(err, WW_EUSAGE, "--%s %s: known are %s", option, text, known);
}

/* A quantity with unit ("48KiB", "45nm", "0.9V"); plain numbers are SI. */
static ww_status quantity(const ww_args *args, const char *option, const char *si, double otherwise,
                          double *out, ww_error *err)
{
    const char *text = ww_args_value(args, option);
    *out = otherwise;
    if (text == NULL) {
        return WW_OK;
    }
    if (ww_units_parse(text, si, out, err) != WW_OK || *out < 0) {
        return ww_fail(err, WW_EUSAGE, "--%s %s is not a quantity in %s", option, text, si);
    }
    return WW_OK;
}

static ww_status count(const ww_args *args, const char *option, unsigned long long hi,
                       unsigned otherwise, uint32_t *out, ww_error *err)
{
    unsigned long long value;
    WW_TRY(ww_args_u64(args, option, 0, hi, otherwise, &value, err));
    *out = (uint32_t)value;
    return WW_OK;
}

/* "--ports 1" (read/write), "--ports 0,2,1" (read/write, read, write), a fourth for searches. */
static ww_status ports(const ww_args *args, ww_array_spec *s, ww_error *err)
{
    const char *text = ww_args_value(args, "ports");
    unsigned p[4] = {1, 0, 0, 0};
    if (text != NULL) {
        char rest;
        p[0] = 0;
        int n = sscanf(text, "%3u,%3u,%3u,%3u%c", &p[0], &p[1], &p[2], &p[3], &rest);
        if (n < 1 || n > 4) {
            return ww_fail(err, WW_EUSAGE, "--ports %s is not RW[,R[,W[,SEARCH]]]", text);
        }
    }
    s->rw_ports = p[0];
    s->read_ports = p[1];
    s->write_ports = p[2];
    s->search_ports = p[3];
    return WW_OK;
}

static ww_status objective(const ww_args *args, ww_array_objective *o, ww_error *err)
{
    static const char *const NAMES[] = {"ed2", "ed", "energy", "delay", "area", "leakage", "cycle"};
    int k;
    WW_TRY(choice(args, "objective", NAMES, (int)WW_ARRAY_LEN(NAMES), 0, &k, err));
    double *weight[] = {NULL, NULL, &o->energy, &o->delay, &o->area, &o->leakage, &o->cycle};
    o->goal = k == 0 ? WW_GOAL_ED2 : k == 1 ? WW_GOAL_ED : WW_GOAL_WEIGHTED;
    if (k >= 2) {
        *weight[k] = 1;
    }
    return WW_OK;
}

/* The array that the options describe. */
static ww_status read_spec(const ww_args *args, ww_array_spec *s, ww_error *err)
{
    static const char *const KINDS[] = {"ram",      "cam",   "assoc", "cache",
                                        "flipflop", "latch", "auto"};
    static const char *const ACCESS[] = {"normal", "sequential", "fast"};
    int kind, access;
    double bytes, line;
    uint32_t entries;
    WW_TRY(choice(args, "kind", KINDS, (int)WW_ARRAY_LEN(KINDS), WW_ARRAY_RAM, &kind, err));
    WW_TRY(choice(args, "access", ACCESS, 3, WW_ACCESS_SEQUENTIAL, &access, err));
    WW_TRY(quantity(args, "bytes", "B", 0, &bytes, err));
    WW_TRY(quantity(args, "line", "B", 0, &line, err));
    WW_TRY(count(args, "word-bits", 65536, 0, &s->word_bits, err));
    WW_TRY(count(args, "ways", 1024, 1, &s->ways, err));
    WW_TRY(count(args, "tag-bits", 256, 0, &s->tag_bits, err));
    WW_TRY(count(args, "banks", 4096, 1, &s->banks, err));
    WW_TRY(ports(args, s, err));
    if (line > 8192 || bytes > 1.1e9) {
        return ww_fail(err, WW_EUSAGE, "--bytes or --line is too large");
    }
    WW_TRY(count(args, "entries", 1u << 24, 0, &entries, err));
    s->kind = (ww_array_kind)kind;
    s->access = (ww_array_access)access;
    s->line_bits = (uint32_t)(line * 8);
    s->bits = entries > 0 ? (uint64_t)entries * (s->line_bits > 0 ? s->line_bits : s->word_bits)
                          : (uint64_t)(bytes * 8 + 0.5);
    s->ecc = ww_args_has(args, "ecc");
    if (s->bits == 0) {
        return ww_fail(err, WW_EUSAGE,
                       "array needs --bytes, --entries and --word-bits, or --structure");
    }
    return WW_OK;
}

/* The array of a published mechanism, at the node of its paper. */
static ww_status read_structure(const ww_args *args, const ww_structures *list, request *q,
                                ww_error *err)
{
    static const char *const SHAPE[] = {"kind",     "bytes", "entries", "word-bits", "line", "ways",
                                        "tag-bits", "banks", "ports",   "access",    "ecc"};
    const char *name = ww_args_value(args, "structure");
    const ww_structure *s = NULL;
    for (size_t i = 0; i < WW_ARRAY_LEN(SHAPE); i++) {
        if (ww_args_has(args, SHAPE[i])) {
            return ww_fail(err, WW_EUSAGE, "--structure %s already says what --%s would", name,
                           SHAPE[i]);
        }
    }
    WW_TRY(ww_structures_find(list, name, &s, err));
    if (s->is_unit) {
        return ww_fail(err, WW_EUSAGE, "structure '%s' is a functional unit, not an array", name);
    }
    *q = (request){.spec = s->spec, .feature_m = s->feature_m, .copies = s->copies};
    q->point = (ww_node_point){.temp_k = s->temp_k, .cell = s->device};
    return WW_OK;
}

/* Repeaters and metal of the H-trees. */
static ww_status wires(const ww_args *args, ww_array_spec *s, ww_error *err)
{
    static const char *const WIRES[] = {"30", "20", "10", "5", "fast"};
    static const char *const LAYERS[] = {"local", "semi-global", "global"};
    int wire, layer;
    WW_TRY(choice(args, "wire", WIRES, (int)WW_ARRAY_LEN(WIRES), (int)s->wire, &wire, err));
    WW_TRY(
        choice(args, "layer", LAYERS, (int)WW_ARRAY_LEN(LAYERS),
               s->outside_layer == WW_WIRE_LOCAL ? (int)WW_WIRE_SEMIGLOBAL : (int)s->outside_layer,
               &layer, err));
    if (layer == (int)WW_WIRE_LOCAL) {
        return ww_fail(err, WW_EUSAGE,
                       "--layer local: an H-tree lies above the cells; known are "
                       "semi-global, global");
    }
    s->wire = (ww_array_wire)wire;
    s->outside_layer = (ww_wire_layer)layer;
    return WW_OK;
}

static ww_status read_request(const ww_args *args, const ww_structures *list, request *q,
                              ww_error *err)
{
    static const char *const DEVICES[] = {"hp", "lstp", "lop"};
    int device;
    *q = (request){.feature_m = 45e-9, .copies = 1, .point = {.temp_k = 350, .cell = WW_DEVICE_HP}};
    WW_TRY(ww_args_has(args, "structure") ? read_structure(args, list, q, err)
                                          : read_spec(args, &q->spec, err));
    WW_TRY(choice(args, "device", DEVICES, 3, (int)q->point.cell, &device, err));
    WW_TRY(quantity(args, "node", "m", q->feature_m, &q->feature_m, err));
    WW_TRY(quantity(args, "temp", "K", q->point.temp_k, &q->point.temp_k, err));
    WW_TRY(quantity(args, "vdd", "V", 0, &q->point.vdd_v, err));
    WW_TRY(objective(args, &q->spec.objective, err));
    WW_TRY(wires(args, &q->spec, err));
    q->spec.style = ww_args_has(args, "as-cacti7")   ? WW_STYLE_CACTI7
                    : ww_args_has(args, "as-cactip") ? WW_STYLE_CACTIP
                                                     : WW_STYLE_WARPWATT;
    q->point.cell = q->point.peri = (ww_device_flavour)device;
    q->point.as_published = ww_array_style_as_published(q->spec.style);
    return WW_OK;
}

/* ---- printing: one row per quantity ---- */
static void row(ww_table *t, const char *name, double value, int decimals, const char *unit,
                const char *source)
{
    ww_table_text(t, name);
    ww_table_number(t, value, decimals);
    ww_table_text(t, unit);
    ww_table_text(t, source);
}

static void terms(ww_table *t, const char *what, const ww_array_terms *terms_of, double scale,
                  const char *unit, const char *total_source)
{
    size_t n;
    const ww_array_term *list = ww_array_term_list(&n);
    row(t, what, ww_array_terms_sum(terms_of) * scale, 4, unit, total_source);
    for (size_t i = 0; i < n; i++) {
        double value = *(const double *)(const void *)((const char *)terms_of + list[i].offset);
        if (value > 0) {
            char name[64];
            snprintf(name, sizeof name, "%s.%s", what, list[i].name);
            char source[160];
            snprintf(source, sizeof source, "%s (%s)", list[i].doc, list[i].source);
            row(t, name, value * scale, 4, unit, source);
        }
    }
}

static void partition(ww_table *t, const char *what, const ww_array_part *p)
{
    char name[64], cut[128];
    snprintf(name, sizeof name, "%s.mats", what);
    snprintf(cut, sizeof cut,
             "Ndwl %u, Ndbl %u, Nspd %g, Ndcm %u, Nsam %u/%u; %u active; sub-arrays of %u x %u",
             p->partition.ndwl, p->partition.ndbl, p->partition.nspd, p->partition.ndcm,
             p->partition.nsam1, p->partition.nsam2, p->active_mats, p->rows, p->cols);
    row(t, name, p->mats, 0, "1", cut);
}

/* Delays along the critical paths. A cache's data array may wait for its tags. */
static void times(ww_table *t, const ww_array_result *r)
{
    static const char *const PATH = "sum of its sub-terms; docs/models/tech.md";
    if (r->has_tag) {
        row(t, "access", r->access_s * 1e9, 4, "ns",
            "tags and data, as the access mode joins them");
        terms(t, "access.data", &r->data.time, 1e9, "ns", PATH);
        terms(t, "access.tag", &r->tag.time, 1e9, "ns", PATH);
    } else {
        terms(t, "access", &r->data.time, 1e9, "ns", PATH);
    }
    row(t, "cycle", r->cycle_s * 1e9, 4, "ns", "wordline to restored bitlines");
    if (r->search_s > 0) {
        terms(t, "search_time", &r->data.search_time, 1e9, "ns", PATH);
    }
}

static void fill(ww_table *t, const request *q, const ww_array_result *r, const ww_node *n,
                 const char *node_source)
{
    const char *const head[] = {"quantity", "value", "unit", "source"};
    for (size_t i = 0; i < WW_ARRAY_LEN(head); i++) {
        ww_table_head(t, head[i]);
    }
    static const char *const MODEL = "sum of its sub-terms; docs/models/tech.md";
    terms(t, "read", &r->read, 1e12, "pJ", MODEL);
    terms(t, "write", &r->write, 1e12, "pJ", MODEL);
    if (r->search_j > 0) {
        terms(t, "search", &r->search, 1e12, "pJ", MODEL);
    }
    if (r->idle_j > 0) {
        row(t, "idle", r->idle_j * 1e12, 4, "pJ/cycle", "clock gates");
    }
    terms(t, "leakage", &r->leak, 1e3, "mW", MODEL);
    row(t, "leakage.gate", r->leak_gate_w * 1e3, 4, "mW", "of the total: gate tunnelling");
    row(t, "area", r->area_m2 * 1e6, 6, "mm2", "height x width");
    row(t, "height", r->height_m * 1e3, 4, "mm", "floor plan of mats and wires");
    row(t, "width", r->width_m * 1e3, 4, "mm", "floor plan of mats and wires");
    times(t, r);
    partition(t, "data", &r->data);
    row(t, "data.area", r->data.area_m2 * 1e6, 6, "mm2", "of the area: data array");
    row(t, "data.cells", r->data.cell_area_share * 100, 1, "%", "of data.area: storage cells");
    if (r->has_tag) {
        partition(t, "tag", &r->tag);
        row(t, "tag.area", r->tag.area_m2 * 1e6, 6, "mm2", "of the area: tag array");
        row(t, "tag.cells", r->tag.cell_area_share * 100, 1, "%", "of tag.area: storage cells");
    }
    if (q->copies > 1) {
        row(t, "copies", q->copies, 0, "1", "of this array in the structure");
    }
    row(t, "node", n->feature_m * 1e9, 0, "nm", node_source);
    row(t, "vdd", n->vdd_v, 3, "V", "supply of the periphery");
    row(t, "temperature", n->temp_k, 0, "K", "junction");
}

static ww_status print_array(const ww_args *args, const char *dir, const request *q, ww_error *err)
{
    ww_node_table *table = NULL;
    ww_node node;
    ww_array_result r;
    WW_TRY(ww_node_load(dir, q->feature_m, &table, err));
    ww_status status = ww_node_at_point(table, &q->point, &node, err);
    if (status == WW_OK) {
        status = ww_array_solve(&q->spec, &node, &r, err);
    }
    if (status == WW_OK && !ww_args_has(args, "quiet")) {
        ww_table t;
        ww_table_init(&t, "array");
        fill(&t, q, &r, &node, ww_node_basis(table));
        status = ww_table_print(&t, ww_args_has(args, "json"), stdout, err);
        ww_table_fini(&t);
    }
    ww_node_destroy(table);
    return status;
}

static ww_status fill_structures(ww_table *t, const ww_structures *list, const char *dir,
                                 ww_error *err)
{
    const char *const head[] = {"structure",  "holds",    "copies",  "entries",
                                "bits",       "node_nm",  "read_pj", "write_pj",
                                "leakage_mw", "area_mm2", "source"};
    for (size_t i = 0; i < WW_ARRAY_LEN(head); i++) {
        ww_table_head(t, head[i]);
    }
    for (size_t i = 0; i < ww_structures_count(list); i++) {
        const ww_structure *s = ww_structures_at(list, i);
        ww_structure_cost cost;
        WW_TRY(ww_structure_cost_own(s, dir, &cost, err));
        ww_table_text(t, s->name);
        ww_table_text(t, s->what);
        ww_table_count(t, s->copies);
        ww_table_count(t, s->entries);
        ww_table_count(t, s->entry_bits);
        ww_table_number(t, s->feature_m * 1e9, 0);
        ww_table_number(t, cost.read_j * 1e12, 3);
        ww_table_number(t, cost.write_j * 1e12, 3);
        ww_table_number(t, cost.leak_w * 1e3, 4);
        ww_table_number(t, cost.area_m2 * 1e6, 5);
        ww_table_text(t, s->source);
    }
    return WW_OK;
}

static ww_status print_structures(const ww_args *args, const char *dir, const ww_structures *list,
                                  ww_error *err)
{
    ww_table t;
    ww_table_init(&t, "structures");
    ww_status status = fill_structures(&t, list, dir, err);
    if (status == WW_OK && !ww_args_has(args, "quiet")) {
        status = ww_table_print(&t, ww_args_has(args, "json"), stdout, err);
    }
    ww_table_fini(&t);
    return status;
}

static ww_status run(const ww_args *args, ww_error *err)
{
    ww_arena arena = {0};
    const char *dir = NULL;
    ww_structures *list = NULL;
    bool all = ww_args_has(args, "list-structures");
    request q;
    ww_status status = ww_configs_dir(&arena, "tech", &dir, err);
    if (status == WW_OK && (all || ww_args_has(args, "structure"))) {
        status = ww_structures_load(dir, &list, err);
    }
    if (status == WW_OK && all) {
        status = print_structures(args, dir, list, err);
    } else if (status == WW_OK) {
        status = read_request(args, list, &q, err);
        status = status == WW_OK ? print_array(args, dir, &q, err) : status;
    }
    ww_structures_destroy(list);
    ww_arena_fini(&arena);
    return status;
}

static const ww_option options[] = {
    {"kind", "KIND", "ram (default), cache, cam, assoc, flipflop, latch or auto."},
    {"structure", "NAME",
     "A table of a published mechanism instead of --bytes … --access; see --list-structures."},
    {"list-structures", NULL,
     "All named structures with their costs, copies included in leakage and area."},
    {"bytes", "SIZE", "Data capacity over all banks: 48KiB."},
    {"entries", "N", "Instead of --bytes: words, or lines of a fully associative array."},
    {"word-bits", "N", "Bits delivered per access; a cache's default is its line."},
    {"line", "SIZE", "Cache line."},
    {"ways", "N", "Associativity, any number."},
    {"tag-bits", "N", "Tag width; default from a 42-bit address."},
    {"banks", "N", "Independent banks joined by an H-tree."},
    {"ports", "RW,R,W,S", "Read/write, read, write and search ports; default 1."},
    {"access", "MODE", "cache: sequential (default), normal or fast."},
    {"node", "SIZE", "90, 65, 45 (default), 40, 32, 28, 22, 16, 12, 7 or 5 nm."},
    {"temp", "K", "Junction temperature, 300..400; default 350."},
    {"vdd", "V", "Supply; default the node's."},
    {"device", "CLASS", "hp (default), lstp or lop."},
    {"objective", "GOAL", "ed2 (default), ed, energy, delay, area, leakage or cycle."},
    {"wire", "SLACK",
     "H-tree repeaters that save energy for at most 30 (default), 20, 10 or 5 % more delay, or "
     "fast."},
    {"layer", "METAL", "Of the H-trees: semi-global (default) or global."},
    {"ecc", NULL, "One check bit per eight data bits."},
    {"as-cacti7", NULL, "Follow CACTI 7.0, faults included."},
    {"as-cactip", NULL, "Follow CACTI-P 6.5, faults included."},
    {NULL, NULL, NULL},
};
static const ww_example examples[] = {
    {"warpwatt array --bytes 4KiB --word-bits 128 --node 40nm",
     "A register-file bank of a Fermi SM."},
    {"warpwatt array --kind cache --bytes 48KiB --line 128 --ways 6 --node 40nm",
     "A six-way cache."},
    {"warpwatt array --kind auto --entries 8 --word-bits 37 --ports 0,1,1",
     "A table that SRAM compilers refuse."},
    {"warpwatt array --structure dac-atq --node 28nm",
     "The affine tuple queue of DAC in another process."},
    {NULL, NULL},
};
const ww_command ww_cmd_array = {
    .name = "array",
    .summary = "energy, delay, leakage and area of one memory array",
    .synopsis =
        "--bytes SIZE --word-bits N [OPTIONS]\n--structure NAME [OPTIONS]\n--list-structures",
    .description = "Solves one SRAM, register file, CAM, cache or flip-flop table and prints every "
                   "sub-term with its unit and "
                   "source. An infeasible request names the constraint that failed and the nearest "
                   "feasible one.",
    .options = options,
    .examples = examples,
    .run = run,
};
