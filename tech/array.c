/* array.c - checks a request, solves its data and tag arrays, and puts them together. */
#include "tech/array.h"

#include <math.h>

#include "base/compiler.h"
#include "tech/array_kinds.h"
#include "tech/search.h"

enum {
    MIN_BITS = 64,
    MAX_PORTS = 32,
    MAX_BANKS = 4096,
    MAX_WORD_BITS = 65536,
    ADDRESS_BITS = 42, /* physical address, and status bits of a tag: CACTI's defaults */
    STATUS_BITS = 5,
    COMPILER_MIN_WORDS = 16 /* SRAM compilers start here, and so do CACTI's row decoders */
};
#define MAX_BITS (UINT64_C(1) << 33)

#define TERM(name, doc, source)                                                                    \
    {                                                                                              \
#name, doc, source, offsetof(ww_array_terms, name)                                         \
    }
static const ww_array_term TERMS[] = {
    TERM(htree_in, "address distribution between and inside banks", "H-tree: CACTI 6.0"),
    TERM(decoder, "predecoders", "Decode: CACTI 5.1; logical effort"),
    TERM(wordline, "row decoders and wordlines", "Decode: CACTI 5.1; WRL 93/5"),
    TERM(mux, "decoders of the column multiplexers", "Decode: CACTI 5.1"),
    TERM(precharge, "precharge and equalisation drivers", "Precharge: CACTI 5.1"),
    TERM(bitline, "bitlines", "Bitline: WRL 93/5; JSSC 31(5) 1996"),
    TERM(sense_amp, "sense amplifiers", "Sense amplifier: CACTI 5.1"),
    TERM(output, "output multiplexers, drivers and wire inside the mat",
         "Output: CACTI 5.1; Banerjee 2002"),
    TERM(compare, "tag comparators, search lines and match lines",
         "Compare, search: WRL 93/5; CACTI-P"),
    TERM(cells, "storage cells", "Cell leakage: CACTI-P; Narendra 2001"),
    TERM(htree_out, "data distribution between and inside banks", "H-tree: CACTI 6.0"),
};

double ww_array_terms_sum(const ww_array_terms *t)
{
    return t->htree_in + t->decoder + t->wordline + t->mux + t->precharge + t->bitline +
           t->sense_amp + t->output + t->compare + t->cells + t->htree_out;
}

/* Every member that is there is compared: one more makes the structures larger. */
_Static_assert(sizeof(ww_array_spec) == 192 && sizeof(ww_array_partition) == 32 &&
                   sizeof(ww_array_objective) == 56,
               "a member of these is compared below, too");

static bool same_partition(const ww_array_partition *a, const ww_array_partition *b)
{
    return a->ndwl == b->ndwl && a->ndbl == b->ndbl && a->ndcm == b->ndcm && a->nsam1 == b->nsam1 &&
           a->nsam2 == b->nsam2 && a->nspd == b->nspd;
}

static bool same_objective(const ww_array_objective *a, const ww_array_objective *b)
{
    return a->goal == b->goal && a->delay == b->delay && a->energy == b->energy &&
           a->leakage == b->leakage && a->cycle == b->cycle && a->area == b->area &&
           a->exhaustive == b->exhaustive;
}

static bool same_ports(const ww_array_spec *a, const ww_array_spec *b)
{
    return a->rw_ports == b->rw_ports && a->read_ports == b->read_ports &&
           a->write_ports == b->write_ports && a->search_ports == b->search_ports;
}

static bool same_shape(const ww_array_spec *a, const ww_array_spec *b)
{
    return a->kind == b->kind && a->bits == b->bits && a->word_bits == b->word_bits &&
           a->line_bits == b->line_bits && a->ways == b->ways && a->tag_bits == b->tag_bits &&
           a->banks == b->banks && a->ecc == b->ecc && same_ports(a, b);
}

bool ww_array_same(const ww_array_spec *a, const ww_array_spec *b)
{
    return same_shape(a, b) && a->access == b->access && a->style == b->style &&
           a->wire == b->wire && a->outside_layer == b->outside_layer &&
           same_objective(&a->objective, &b->objective) &&
           same_partition(&a->data_forced, &b->data_forced) &&
           same_partition(&a->tag_forced, &b->tag_forced);
}

const ww_array_term *ww_array_term_list(size_t *n)
{
    *n = WW_ARRAY_LEN(TERMS);
    return TERMS;
}

const char *ww_array_kind_name(ww_array_kind kind)
{
    static const char *const NAMES[] = {"ram",      "cam",   "assoc", "cache",
                                        "flipflop", "latch", "auto"};
    return kind < WW_ARRAY_KINDS ? NAMES[kind] : "?";
}

static void add_terms(ww_array_terms *into, const ww_array_terms *part)
{
    double *a = (double *)(void *)into;
    const double *b = (const double *)(const void *)part;
    for (size_t i = 0; i < sizeof *into / sizeof *a; i++) {
        a[i] += b[i];
    }
}

void ww__add_part(ww_array_result *r, const ww_array_part *part)
{
    add_terms(&r->read, &part->read);
    add_terms(&r->write, &part->write);
    add_terms(&r->search, &part->search);
    add_terms(&r->leak, &part->leak);
    r->leak_gate_w += part->leak_gate_w;
    r->leak_between_w += part->leak_between_w;
}

void ww__finish_result(ww_array_result *r)
{
    r->read_j = ww_array_terms_sum(&r->read);
    r->write_j = ww_array_terms_sum(&r->write);
    r->search_j = ww_array_terms_sum(&r->search);
    r->leak_w = ww_array_terms_sum(&r->leak);
    r->leak_sub_w = r->leak_w - r->leak_gate_w;
}

static double wire_slack(ww_array_wire wire)
{
    static const double SLACK[] = {0.30, 0.20, 0.10, 0.05, 0.0};
    return SLACK[wire];
}

void ww__mat_site(const ww_array_spec *spec, const ww_node *node, ww_mat_site *out)
{
    ww_layout l = ww__layout(node);
    const ww_tool_faults *faults = l.faults = ww__tool_faults(spec->style);
    double slack = wire_slack(spec->wire);
    double share = faults->wires_half_as_wide ? 0.5 : 1;
    ww_wire_layer layer =
        spec->outside_layer == WW_WIRE_LOCAL ? WW_WIRE_SEMIGLOBAL : spec->outside_layer;
    *out = (ww_mat_site){.n = node,
                         .l = l,
                         .outside = layer,
                         .faults = faults,
                         .rw = spec->rw_ports,
                         .rd = spec->read_ports,
                         .wr = spec->write_ports,
                         .se = 0};
    out->wire = ww__repeated_wire(node, &l, layer, slack, share);
    out->out_wire = faults->output_wires_fast && slack > 0
                        ? ww__repeated_wire(node, &l, layer, 0, share)
                        : out->wire;
    ww__cell_with_ports(node, &node->sram, out->rw, out->rd, out->wr, &out->cell_h, &out->cell_w);
}

static bool forced(const ww_array_partition *p)
{
    return p->ndwl != 0;
}

static const char *fault_text(ww_org_fault fault)
{
    switch (fault) {
    case WW_ORG_FEW_ROWS:
        return "a sub-array would have too few rows";
    case WW_ORG_FEW_COLUMNS:
        return "a sub-array would have fewer than two columns";
    case WW_ORG_NARROW_MAT:
        return "a mat would deliver fewer bits than it has sub-arrays, or less than one tag";
    case WW_ORG_TOO_WIDE:
        return "a mat would deliver more bits than the word has";
    case WW_ORG_MATS:
        return "the word would need more mats than a row of mats has";
    case WW_ORG_WAYS:
        return "fewer columns share an output than there are ways";
    case WW_ORG_OK:
    case WW_ORG_FAULTS:
    default:
        return "it is feasible";
    }
}

/* The fault that most partitions died of. */
static ww_org_fault main_fault(const ww_search_faults *f)
{
    int worst = WW_ORG_FEW_ROWS;
    for (int i = WW_ORG_FEW_ROWS; i < WW_ORG_FAULTS; i++) {
        worst = f->count[i] > f->count[worst] ? i : worst;
    }
    return (ww_org_fault)worst;
}

static ww_status solve_org(const ww_array_spec *spec, ww_org_site *site, const char *name,
                           const ww_array_partition *fixed, const ww_companion *companion,
                           ww_org *out, ww_error *err)
{
    if (forced(fixed)) {
        ww_org_fault fault = ww__organise(site, fixed, NULL, out);
        if (fault != WW_ORG_OK) {
            return ww_fail(err, WW_ERANGE,
                           "%s array: partition Ndwl %u, Ndbl %u, Nspd %g, Ndcm %u, Nsam %u/%u is "
                           "not possible: %s",
                           name, fixed->ndwl, fixed->ndbl, fixed->nspd, fixed->ndcm, fixed->nsam1,
                           fixed->nsam2, fault_text(fault));
        }
        return WW_OK;
    }
    ww_search_faults faults = {{0}};
    if (!ww__search(site, &spec->objective, companion, out, &faults)) {
        double words = site->sets;
        return ww_fail(err, WW_ERANGE,
                       "%s array of %.0f rows of %.0f bits: no partition is possible; mostly %s. "
                       "Nearest feasible: at least %u words%s",
                       name, words, site->set_bits, fault_text(main_fault(&faults)),
                       site->min_rows * site->min_cut,
                       spec->style == WW_STYLE_WARPWATT ? "" : ", or no --as-cacti style");
    }
    return WW_OK;
}

/* ---- RAM ---- */
static ww_status solve_ram(const ww_array_spec *spec, const ww_node *node, ww_array_result *r,
                           ww_error *err)
{
    ww_org_site site = {.bank_bits = (double)spec->bits / spec->banks,
                        .set_bits = spec->word_bits,
                        .out_bits = spec->word_bits,
                        .ways = 1,
                        .banks = spec->banks,
                        .ecc = spec->ecc,
                        .min_rows = COMPILER_MIN_WORDS,
                        .min_cut = ww__tool_faults(spec->style)->least_cuts};
    site.sets = site.bank_bits / spec->word_bits;
    ww__mat_site(spec, node, &site.mat);
    ww_org org;
    ww_companion alone = {NULL, WW_ACCESS_NORMAL, 0};
    WW_TRY(solve_org(spec, &site, "data", &spec->data_forced, &alone, &org, err));
    r->data = org.part;
    ww__add_part(r, &r->data);
    r->area_m2 = org.part.area_m2;
    r->height_m = org.part.height_m;
    r->width_m = org.part.width_m;
    r->access_s = org.part.access_s;
    r->cycle_s = org.part.cycle_s;
    return WW_OK;
}

/* ---- set-associative cache ---- */
static double log2_down(double x)
{
    return floor(log2(x));
}

static uint32_t default_tag_bits(const ww_array_spec *spec)
{
    double bytes = (double)spec->bits / 8;
    return (uint32_t)(ADDRESS_BITS + STATUS_BITS - log2_down(bytes) +
                      log2_down(2.0 * spec->ways - 1));
}

static ww_status solve_cache(const ww_array_spec *spec, const ww_node *node, ww_array_result *r,
                             ww_error *err)
{
    double sets = (double)spec->bits / ((double)spec->banks * spec->line_bits * spec->ways);
    uint32_t tag_bits = spec->tag_bits == 0 ? default_tag_bits(spec) : spec->tag_bits;
    bool sequential = spec->access == WW_ACCESS_SEQUENTIAL;
    const ww_tool_faults *faults = ww__tool_faults(spec->style);
    uint32_t min_cut = faults->least_cuts;
    ww_org_site tag = {.set_bits = (double)tag_bits * spec->ways,
                       .sets = sets,
                       .tag_ways = spec->ways,
                       .tag_bits = tag_bits,
                       .ways = spec->ways,
                       .out_bits = tag_bits * spec->ways,
                       .banks = spec->banks,
                       .ecc = spec->ecc,
                       .min_rows = COMPILER_MIN_WORDS,
                       .min_cut = min_cut};
    ww__mat_site(spec, node, &tag.mat);
    tag.mat.tag = true;
    tag.mat.tag_bits = tag_bits;
    tag.mat.ways = spec->ways;
    ww_org tag_org;
    ww_companion alone = {NULL, spec->access, 0};
    WW_TRY(solve_org(spec, &tag, "tag", &spec->tag_forced, &alone, &tag_org, err));

    /* After the tags, one way is read: the ways lie one after the other along the bitlines. */
    ww_org_site data = {.out_bits = spec->word_bits,
                        .ways = sequential ? 1 : spec->ways,
                        .sets = sequential ? sets * spec->ways : sets,
                        .banks = spec->banks,
                        .fast = spec->access == WW_ACCESS_FAST,
                        .ecc = spec->ecc,
                        .min_rows = COMPILER_MIN_WORDS,
                        .min_cut = min_cut};
    data.set_bits = (double)spec->line_bits * data.ways;
    ww__mat_site(spec, node, &data.mat);
    ww_org data_org;
    double compare_s = faults->compares_in_no_time ? 0 : tag_org.part.time.compare;
    ww_companion with_tag = {&tag_org, spec->access, compare_s};
    WW_TRY(solve_org(spec, &data, "data", &spec->data_forced, &with_tag, &data_org, err));

    ww_metrics m = ww__metrics(&data_org, &with_tag);
    r->has_tag = true;
    r->data = data_org.part;
    r->tag = tag_org.part;
    ww__add_part(r, &r->data);
    ww__add_part(r, &r->tag);
    r->height_m = fmax(r->data.height_m, r->tag.height_m);
    r->width_m = r->data.width_m + r->tag.width_m;
    r->area_m2 = m.area_m2;
    r->access_s = m.access_s;
    r->cycle_s = m.cycle_s;
    return WW_OK;
}

/* ---- the request ---- */
static ww_status check(const ww_array_spec *s, ww_error *err)
{
    if (s->kind >= WW_ARRAY_KINDS) {
        return ww_fail(err, WW_ERANGE, "no such kind of array");
    }
    if (s->bits < MIN_BITS || s->bits > MAX_BITS) {
        return ww_fail(err, WW_ERANGE,
                       "an array of %llu bits is outside %d bits .. 1 GiB; nearest feasible: %s",
                       (unsigned long long)s->bits, MIN_BITS,
                       s->bits < MIN_BITS ? "64 bits" : "1 GiB");
    }
    if (s->word_bits > MAX_WORD_BITS || s->line_bits > MAX_WORD_BITS) {
        return ww_fail(err, WW_ERANGE,
                       "a word or line of %u bits is wider than %d bits; nearest feasible: several "
                       "arrays side by side",
                       s->word_bits > s->line_bits ? s->word_bits : s->line_bits, MAX_WORD_BITS);
    }
    if (s->banks > MAX_BANKS) {
        return ww_fail(err, WW_ERANGE, "%u banks are more than %d; nearest feasible: %d banks",
                       s->banks, MAX_BANKS, MAX_BANKS);
    }
    uint64_t ports = (uint64_t)s->rw_ports + s->read_ports + s->write_ports;
    if (ports > MAX_PORTS || s->search_ports > MAX_PORTS) {
        return ww_fail(err, WW_ERANGE,
                       "%llu ports, %u of them for searches, are more than %d of either; nearest "
                       "feasible: copies of an array with fewer",
                       (unsigned long long)ports + s->search_ports, s->search_ports, MAX_PORTS);
    }
    if (ports > 0 && (s->rw_ports + s->read_ports == 0 || s->rw_ports + s->write_ports == 0)) {
        return ww_fail(err, WW_ERANGE,
                       "an array needs a port to read and a port to write; nearest feasible: one "
                       "read/write port, or a read and a write port");
    }
    if (s->wire > WW_WIRES_FAST || s->outside_layer >= WW_WIRE_LAYERS ||
        s->style > WW_STYLE_CACTIP || s->access > WW_ACCESS_FAST ||
        s->objective.goal > WW_GOAL_WEIGHTED) {
        return ww_fail(err, WW_ERANGE, "an option of the array has no such value");
    }
    return WW_OK;
}

static ww_status check_shape(const ww_array_spec *s, ww_error *err)
{
    if (s->word_bits == 0) {
        return ww_fail(err, WW_ERANGE, "the word width is not given");
    }
    if (s->kind == WW_ARRAY_CACHE || s->kind == WW_ARRAY_ASSOC) {
        if (s->line_bits == 0 || s->word_bits > s->line_bits) {
            return ww_fail(err, WW_ERANGE, "a word of %u bits does not fit a line of %u bits",
                           s->word_bits, s->line_bits);
        }
        uint64_t set = (uint64_t)s->line_bits * s->ways * s->banks;
        if (s->ways == 0 || s->ways > 1024 || set > s->bits || s->bits % set != 0) {
            uint64_t sets = set == 0 ? 0 : s->bits / set;
            return ww_fail(err, WW_ERANGE,
                           "%llu bits are no whole number of sets of %u ways (1 .. 1024) x %u bits "
                           "in %u banks; nearest feasible: %llu bits",
                           (unsigned long long)s->bits, s->ways, s->line_bits, s->banks,
                           (unsigned long long)(sets == 0 ? set : sets * set));
        }
        return WW_OK;
    }
    uint64_t row = (uint64_t)s->word_bits * s->banks;
    if (row > s->bits) {
        return ww_fail(err, WW_ERANGE,
                       "a word of %u bits in each of %u banks is more than the %llu bits asked; "
                       "nearest feasible: %llu bits",
                       s->word_bits, s->banks, (unsigned long long)s->bits,
                       (unsigned long long)row);
    }
    return WW_OK;
}

/* Fills in what zero stands for. */
static ww_array_spec resolved(const ww_array_spec *spec)
{
    ww_array_spec s = *spec;
    s.banks = s.banks == 0 ? 1 : s.banks;
    if (s.rw_ports + s.read_ports + s.write_ports == 0) {
        s.rw_ports = 1;
    }
    if (s.kind == WW_ARRAY_ASSOC) {
        s.ways = 1;
    }
    if ((s.kind == WW_ARRAY_CACHE || s.kind == WW_ARRAY_ASSOC) && s.word_bits == 0) {
        s.word_bits = s.line_bits;
    }
    if ((s.kind == WW_ARRAY_CAM || s.kind == WW_ARRAY_ASSOC) && s.search_ports == 0) {
        s.search_ports = 1;
    }
    return s;
}

/* SRAM compilers start at 16 words: smaller tables are flip-flops, larger ones whatever is cheaper.
 */
static ww_status solve_auto(const ww_array_spec *spec, const ww_node *node, ww_array_result *r,
                            ww_error *err)
{
    ww_array_spec s = *spec;
    uint64_t words = s.bits / ((uint64_t)s.word_bits * s.banks);
    ww_array_result table = {.kind = WW_ARRAY_FLIPFLOP};
    if (s.bits <= WW_FLIPFLOP_MAX_BITS) {
        s.kind = WW_ARRAY_FLIPFLOP;
        ww__solve_flipflops(&s, node, &table);
        ww__finish_result(&table);
        if (words < COMPILER_MIN_WORDS) {
            *r = table;
            return WW_OK;
        }
    }
    s.kind = WW_ARRAY_RAM;
    r->kind = WW_ARRAY_RAM;
    WW_TRY(solve_ram(&s, node, r, err));
    ww__finish_result(r);
    if (s.bits <= WW_FLIPFLOP_MAX_BITS && ww__table_is_better(&table, r)) {
        *r = table;
    }
    return WW_OK;
}

ww_status ww_array_solve(const ww_array_spec *spec, const ww_node *node, ww_array_result *out,
                         ww_error *err)
{
    WW_TRY(check(spec, err));
    ww_array_spec s = resolved(spec);
    WW_TRY(check_shape(&s, err));
    ww_array_result r = {.kind = s.kind};
    switch (s.kind) {
    case WW_ARRAY_CAM:
    case WW_ARRAY_ASSOC:
        WW_TRY(ww__solve_cam(&s, node, &r, err));
        break;
    case WW_ARRAY_CACHE:
        WW_TRY(solve_cache(&s, node, &r, err));
        break;
    case WW_ARRAY_FLIPFLOP:
    case WW_ARRAY_LATCH:
        ww__solve_flipflops(&s, node, &r);
        break;
    case WW_ARRAY_AUTO:
        WW_TRY(solve_auto(&s, node, &r, err));
        break;
    case WW_ARRAY_RAM:
    case WW_ARRAY_KINDS:
    default:
        WW_TRY(solve_ram(&s, node, &r, err));
        break;
    }
    if (s.kind != WW_ARRAY_AUTO) {
        ww__finish_result(&r);
    }
    *out = r;
    return WW_OK;
}
