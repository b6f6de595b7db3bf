/* array_table.c - reading a table of memory arrays and of what CACTI 7.0 and CACTI-P say of them.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/num.h"
#include "validation/arrays.h"

/* Key of the fully associative rows where the table has no column tag_bits: the tools reproduce the
 * shipped rows with it, and only with it. */
enum { ASSOC_TAG_BITS = 32 };

enum {
    ID,
    TOOL,
    GROUP,
    DESC,
    KIND,
    CAPACITY,
    LINE,
    WORD_OUT,
    WANT,
    WAYS,
    BANKS,
    RW_PORTS,
    READ_PORTS,
    WRITE_PORTS,
    SEARCH_PORTS,
    NODE,
    TEMPERATURE,
    CELL,
    PERIPHERY,
    ACCESS,
    OPT,
    WIRE,
    PROJECTION,
    OUTSIDE,
    ECC,
    STATUS,
    TAG_BITS,
    ANSWER,                         /* six quantities */
    TERM = ANSWER + WW__QUANTITIES, /* the sub-terms, then the other part of the multiplexers' */
    MUX_OF_SENSE = TERM + WW__TERMS,
    COLUMNS
};

/* In the order of ww_array_kind, ww_device_flavour, ww_array_access and of the tools. */
static const char *const kinds[] = {"ram", "sa_cache", "cam", "fa_cache", NULL};
static const char *const tools[] = {"C7", "CP", NULL};
static const char *const flavours[] = {"itrs-hp", "itrs-lstp", "itrs-lop", NULL};
static const char *const accesses[] = {"", "normal", "sequential", "fast", NULL};
static const char *const projections[] = {"conservative", "aggressive", NULL};
static const char *const outsides[] = {"semi-global", "global", NULL};
static const char *const truths[] = {"false", "true", NULL};

static const ww_array_kind kind_of[] = {WW_ARRAY_RAM, WW_ARRAY_CACHE, WW_ARRAY_CAM, WW_ARRAY_ASSOC};
static const ww_device_flavour flavour_of[] = {WW_DEVICE_HP, WW_DEVICE_LSTP, WW_DEVICE_LOP};
static const ww_array_access access_of[] = {WW_ACCESS_NORMAL, WW_ACCESS_NORMAL,
                                            WW_ACCESS_SEQUENTIAL, WW_ACCESS_FAST};

#define NUMBER(text)                                                                               \
    {                                                                                              \
        text, .kind = WW_REF_OPTIONAL                                                              \
    }
#define PART(text)                                                                                 \
    {                                                                                              \
        text, .kind = WW_REF_OPTIONAL, .may_lack = true                                            \
    }

static const ww_ref_column columns[COLUMNS] = {
    [ID] = {"id", .kind = WW_REF_NAME},
    [TOOL] = {"tool", .kind = WW_REF_WORD, .words = tools},
    [GROUP] = {"group", .kind = WW_REF_NAME},
    [DESC] = {"desc", .kind = WW_REF_TEXT},
    [KIND] = {"kind", .kind = WW_REF_WORD, .words = kinds},
    [CAPACITY] = {"capacity_bytes", .kind = WW_REF_POSITIVE},
    [LINE] = NUMBER("line_bytes"),
    [WORD_OUT] = NUMBER("word_bits_out"),
    [WANT] = NUMBER("want_bits"),
    [WAYS] = NUMBER("assoc"),
    [BANKS] = NUMBER("banks"),
    [RW_PORTS] = NUMBER("rw_ports"),
    [READ_PORTS] = NUMBER("rd_ports"),
    [WRITE_PORTS] = NUMBER("wr_ports"),
    [SEARCH_PORTS] = NUMBER("search_ports"),
    [NODE] = {"tech_nm", .kind = WW_REF_POSITIVE},
    [TEMPERATURE] = {"temperature_K", .kind = WW_REF_POSITIVE},
    [CELL] = {"cell_type", .kind = WW_REF_WORD, .words = flavours},
    [PERIPHERY] = {"peri_type", .kind = WW_REF_WORD, .words = flavours},
    [ACCESS] = {"access_mode", .kind = WW_REF_WORD, .words = accesses},
    [OPT] = {"opt", .kind = WW_REF_NAME},
    [WIRE] = {"wire", .kind = WW_REF_NAME},
    [PROJECTION] = {"proj", .kind = WW_REF_WORD, .words = projections},
    [OUTSIDE] = {"wire_outside", .kind = WW_REF_WORD, .words = outsides},
    [ECC] = {"ecc", .kind = WW_REF_WORD, .words = truths},
    [STATUS] = {"status", .kind = WW_REF_NAME},
    [TAG_BITS] = PART("tag_bits"),
    [ANSWER + WW__ARRAY_READ] = NUMBER("read_energy_nJ"),
    [ANSWER + WW__ARRAY_WRITE] = NUMBER("write_energy_nJ"),
    [ANSWER + WW__ARRAY_SEARCH] = NUMBER("search_energy_nJ"),
    [ANSWER + WW__ARRAY_LEAK] = NUMBER("leak_mW_per_bank"),
    [ANSWER + WW__ARRAY_AREA] = NUMBER("area_mm2"),
    [ANSWER + WW__ARRAY_ACCESS] = NUMBER("access_time_ns"),
    [TERM + WW__T_DECODE] = PART("d_t_decwl"),
    [TERM + WW__T_BITLINE] = PART("d_t_bl"),
    [TERM + WW__T_SENSE] = PART("d_t_sa"),
    [TERM + WW__E_HTREE_IN] = PART("d_e_htin"),
    [TERM + WW__E_HTREE_OUT] = PART("d_e_htout"),
    [TERM + WW__E_DECODER] = PART("d_e_dec"),
    [TERM + WW__E_WORDLINE] = PART("d_e_wl"),
    [TERM + WW__E_MUX] = PART("d_e_blmux"),
    [TERM + WW__E_PRECHARGE] = PART("d_e_prech"),
    [TERM + WW__E_BITLINE] = PART("d_e_bl"),
    [TERM + WW__E_SENSE] = PART("d_e_sa"),
    [TERM + WW__E_OUTPUT] = PART("d_e_out"),
    [MUX_OF_SENSE] = PART("d_e_samux"),
};

static uint32_t count_of(const ww_refs *t, size_t line, size_t column)
{
    double value = ww_refs_number(t, line, column);
    return value > 0 && value < 4e9 ? (uint32_t)value : 0;
}

/* "ED^2", "ED", "W0:100:0:0:0" (delay, energy, leakage, cycle, area). */
static ww_status read_objective(const ww_refs *t, size_t line, ww_array_objective *o, ww_error *err)
{
    const char *text = ww_refs_text(t, line, OPT);
    *o = (ww_array_objective){.goal = WW_GOAL_ED2};
    if (strcmp(text, "ED^2") == 0) {
        return WW_OK;
    }
    if (strcmp(text, "ED") == 0) {
        o->goal = WW_GOAL_ED;
        return WW_OK;
    }
    double *weight[] = {&o->delay, &o->energy, &o->leakage, &o->cycle, &o->area};
    const char *at = text + 1;
    bool read = text[0] == 'W';
    for (size_t i = 0; read && i < WW_ARRAY_LEN(weight); i++) {
        read =
            ww_num_scan(at, &at, weight[i]) && *at == (i + 1 < WW_ARRAY_LEN(weight) ? ':' : '\0');
        at += *at == ':';
    }
    o->goal = WW_GOAL_WEIGHTED;
    return read ? WW_OK
                : ww_refs_fail(t, line, OPT, err, WW_ESCHEMA,
                               "'%s' is none of ED, ED^2 and W with five weights", text);
}

static uint32_t tag_bits_of(const ww_refs *t, size_t line, ww_array_kind kind)
{
    uint32_t given = count_of(t, line, TAG_BITS);
    return kind == WW_ARRAY_ASSOC   ? (given > 0 ? given : ASSOC_TAG_BITS)
           : kind == WW_ARRAY_CACHE ? given
                                    : 0;
}

static ww_status read_spec(const ww_refs *t, size_t line, ww__array *a, ww_error *err)
{
    ww_array_spec *s = &a->spec;
    const char *wire = ww_refs_text(t, line, WIRE);
    s->kind = kind_of[ww_refs_word(t, line, KIND)];
    s->bits = 8 * (uint64_t)count_of(t, line, CAPACITY);
    s->word_bits = count_of(t, line, WORD_OUT);
    s->word_bits = s->word_bits != 0 ? s->word_bits : count_of(t, line, WANT);
    s->line_bits = 8 * count_of(t, line, LINE);
    s->ways = count_of(t, line, WAYS);
    s->banks = count_of(t, line, BANKS);
    s->rw_ports = count_of(t, line, RW_PORTS);
    s->read_ports = count_of(t, line, READ_PORTS);
    s->write_ports = count_of(t, line, WRITE_PORTS);
    s->search_ports = count_of(t, line, SEARCH_PORTS);
    s->tag_bits = tag_bits_of(t, line, s->kind);
    s->access = access_of[ww_refs_word(t, line, ACCESS)];
    s->wire = strcmp(wire, "Global") == 0 ? WW_WIRES_FAST : WW_WIRES_30;
    a->counted = strcmp(wire, "Global_30") == 0;
    if (ww_refs_word(t, line, OUTSIDE) == 1) {
        s->outside_layer = WW_WIRE_GLOBAL;
    }
    s->ecc = ww_refs_word(t, line, ECC) == 1;
    a->point =
        (ww_node_point){.cell = flavour_of[ww_refs_word(t, line, CELL)],
                        .peri = flavour_of[ww_refs_word(t, line, PERIPHERY)],
                        .projection = ww_refs_word(t, line, PROJECTION) == 1 ? WW_WIRE_AGGRESSIVE
                                                                             : WW_WIRE_CONSERVATIVE,
                        .temp_k = ww_refs_number(t, line, TEMPERATURE)};
    return read_objective(t, line, &s->objective, err);
}

/* Arrays whose partition was forced carry it in the description: "... Ndwl2 Ndbl4 Nspd1 Ndcm1
 * Ns2/1". */
static void read_partition(ww__array *a)
{
    const char *at = strstr(a->desc, "Ndwl");
    unsigned ndwl, ndbl, ndcm, ns1, ns2;
    double nspd;
    if (strncmp(a->group, "N_", 2) == 0 && at != NULL &&
        sscanf(at, "Ndwl%u Ndbl%u Nspd%lf Ndcm%u Ns%u/%u", &ndwl, &ndbl, &nspd, &ndcm, &ns1,
               &ns2) == 6) {
        a->fixed = true;
        a->spec.data_forced = (ww_array_partition){
            .ndwl = ndwl, .ndbl = ndbl, .nspd = nspd, .ndcm = ndcm, .nsam1 = ns1, .nsam2 = ns2};
    }
}

static ww_status read_answers(const ww_refs *t, size_t line, ww__array *a, size_t tool,
                              ww_error *err)
{
    bool none = true;
    a->answered[tool] = strcmp(ww_refs_text(t, line, STATUS), "ok") == 0;
    for (size_t q = 0; q < WW__QUANTITIES; q++) {
        a->tool[tool][q] = a->answered[tool] ? ww_refs_number(t, line, ANSWER + q) : (double)NAN;
    }
    for (size_t i = 0; i < WW__TERMS; i++) {
        a->term[tool][i] = a->fixed ? ww_refs_number(t, line, TERM + i) : (double)NAN;
        none = none && isnan(a->term[tool][i]);
    }
    if (a->fixed) {
        a->term[tool][WW__E_MUX] += ww_refs_number(t, line, MUX_OF_SENSE);
    }
    return a->fixed && a->answered[tool] && none
               ? ww_refs_fail(t, line, ID, err, WW_ESCHEMA,
                              "a forced partition needs sub-terms (d_t_decwl, …) to compare with")
               : WW_OK;
}

/* A line is one tool's answer; those to one array follow each other. */
static ww_status read_line(ww__arrays *all, size_t line, ww_error *err)
{
    const ww_refs *t = all->table;
    const char *id = ww_refs_text(t, line, ID);
    size_t tool = ww_refs_word(t, line, TOOL);
    ww__array *a = all->count > 0 ? &all->array[all->count - 1] : NULL;
    if (a == NULL || strcmp(a->id, id) != 0) {
        a = &all->array[all->count++];
        *a = (ww__array){.id = id,
                         .group = ww_refs_text(t, line, GROUP),
                         .desc = ww_refs_text(t, line, DESC),
                         .kind = ww_refs_text(t, line, KIND),
                         .nm = (int)count_of(t, line, NODE)};
        for (size_t k = 0; k < WW__TOOLS; k++) {
            for (size_t q = 0; q < WW__QUANTITIES; q++) {
                a->tool[k][q] = (double)NAN;
            }
            for (size_t i = 0; i < WW__TERMS; i++) {
                a->term[k][i] = (double)NAN;
            }
        }
        WW_TRY(read_spec(t, line, a, err));
        read_partition(a);
    } else if (a->answered[tool]) {
        return ww_refs_fail(t, line, TOOL, err, WW_EPARSE, "tool '%s' answers '%s' twice",
                            tools[tool], id);
    }
    return read_answers(t, line, a, tool, err);
}

ww_status ww__arrays_load(const char *path, ww__arrays *out, ww_error *err)
{
    *out = (ww__arrays){.table = NULL};
    WW_TRY(ww_refs_load(path, columns, COLUMNS, &out->table, err));
    size_t lines = ww_refs_rows(out->table);
    out->array = WW_NEW_ARRAY(ww__array, lines + 1);
    ww_status status =
        out->array != NULL ? WW_OK : ww_no_memory_for(err, "%zu reference rows", lines);
    for (size_t i = 0; status == WW_OK && i < lines; i++) {
        status = read_line(out, i, err);
    }
    if (status != WW_OK) {
        ww__arrays_fini(out);
    }
    return status;
}

void ww__arrays_fini(ww__arrays *arrays)
{
    ww_refs_destroy(arrays->table);
    ww_free(arrays->array);
    *arrays = (ww__arrays){.table = NULL};
}
