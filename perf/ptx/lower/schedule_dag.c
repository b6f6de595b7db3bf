/* schedule_dag.c - which instructions of a region must stay in order, and how far apart they want
 * to be. Registers: true, anti and output dependences, per register, with the latency counted per
 * word: the halves of a pair stay in the order in which they are written, on which liveness relies,
 * and a guarded definition reads the former value. Memory: loads may pass loads; stores, atomics
 * and volatile accesses keep their place among the accesses of a space that may be the same,
 * whatever their addresses, so that lanes of a warp that exchange data without a barrier still
 * meet. */
#include <string.h>

#include "base/assert.h"
#include "perf/ptx/lower/schedule.h"

#define NONE UINT32_MAX

/* Kinds of memory, as locations behind the registers; EFFECT orders what no address describes. */
typedef enum place {
    PLACE_GLOBAL,
    PLACE_SHARED,
    PLACE_LOCAL,
    PLACE_READ_ONLY,
    PLACE_EFFECT,
    PLACE_COUNT
} place;

#define BIT(place) (1u << (place))
#define EVERYTHING (BIT(PLACE_COUNT) - 1)

/* ---- what an instruction touches besides registers ---- */

typedef struct touches {
    uint32_t reads, writes; /* sets of places */
} touches;

/* What lies in memory that no address describes, such as images that are written, and what is no
 * memory at all stay where they are. */
static uint32_t places_of(uint32_t set)
{
    static const struct {
        uint32_t set, place;
    } rows[] = {{WW_AT_GLOBAL, BIT(PLACE_GLOBAL)},
                {WW_AT_SHARED, BIT(PLACE_SHARED)},
                {WW_AT_LOCAL, BIT(PLACE_LOCAL)},
                {WW_AT_READ_ONLY, BIT(PLACE_READ_ONLY)},
                {WW_AT_CLUSTER_SHARED, BIT(PLACE_SHARED)}};
    uint32_t places = 0, rest = set & ~(uint32_t)WW_AT_VALUES;
    for (unsigned k = 0; k < WW_ARRAY_LEN(rows); k++) {
        places |= (rest & rows[k].set) != 0 ? rows[k].place : 0;
        rest &= ~rows[k].set;
    }
    return rest != 0 ? EVERYTHING : places;
}

static touches touched(const ww_inst *inst)
{
    const ww_effects e = ww_inst_effects(inst);
    uint32_t reads = places_of(e.reads), writes = places_of(e.writes);
    if (ww_effects_asynchronous(&e) || e.waits != 0) {
        return (touches){0, EVERYTHING};
    }
    if ((e.may & WW_MAY_HOISTED) == 0) { /* lanes meet, or the access itself must stay */
        return (touches){0, reads | writes | BIT(PLACE_EFFECT)};
    }
    return (touches){reads, writes};
}

/* What stands between two clock reads is timed; the registers that an asynchronous operation has
 * in hand are not to be had before the wait for it, and a wait for registers changes how many
 * there are. */
bool ww__ends_region(const ww_inst *inst)
{
    const ww_effects e = ww_inst_effects(inst);
    const uint16_t registers = WW_BY_MATRIX_GROUP | WW_BY_ROOM;
    return e.goes != WW_GOES_ON || (e.reads & WW_AT_CLOCK) != 0 ||
           (ww_effects_asynchronous(&e) && (e.writes & WW_AT_VALUES) != 0) ||
           (e.waits & registers) != 0 || (e.writes & WW_AT_POOL) != 0;
}

/* ---- latencies ---- */

/* Only their ratio to the arithmetic latencies matters: a memory access outweighs any arithmetic
 * chain near it. */
static uint32_t memory_latency(const ww_inst *inst, const ww_arch *arch)
{
    switch ((ww_space)inst->space) {
    case WW_SPACE_SHARED:
        return arch->ldst.shared_latency;
    case WW_SPACE_CONST:
    case WW_SPACE_PARAM:
        return arch->l1c.hit_latency + arch->units.int_latency;
    default:
        return arch->sm.hoist_loads
                   ? 2 * arch->icnt.latency + arch->mem.rop_latency + arch->mem.extra_latency
                   : arch->units.int_latency;
    }
}

static uint32_t latency_of(const ww_inst *inst, const ww_arch *arch)
{
    const ww_units_params *u = &arch->units;
    const ww_form form =
        ww_isa_form((ww_op)inst->op, (ww_type)inst->type, (ww_type)inst->type2, (ww_sub)inst->sub);
    switch (form.latency) {
    case WW_LAT_INT:
        return form.cost == WW_COST_SHUFFLE ? arch->ldst.shared_latency : u->int_latency;
    case WW_LAT_IMUL:
        return u->imul_latency;
    case WW_LAT_FP32:
        return u->fp32_latency;
    case WW_LAT_FP64:
        return u->fp64_latency;
    case WW_LAT_SFU:
        return u->sfu_latency;
    case WW_LAT_CVT:
        return u->cvt_latency;
    case WW_LAT_IDIV:
        return u->idiv_latency;
    case WW_LAT_FDIV:
        return u->fdiv_latency;
    case WW_LAT_DDIV:
        return u->ddiv_latency;
    case WW_LAT_TENSOR:
        return u->tensor_latency;
    case WW_LAT_MEM:
        return inst->dst_count > 0 || inst->op == WW_OP_PREFETCH ? memory_latency(inst, arch) : 1;
    default:
        return 1;
    }
}

/* ---- edges ---- */

/* A doubled copy of an array; NULL when out of memory. */
static void *doubled(ww_arena *arena, const void *old, uint32_t count, uint32_t *capacity,
                     size_t size)
{
    uint32_t more = *capacity != 0 ? 2 * *capacity : 256;
    void *copy = ww_arena_alloc(arena, more, size);
    if (copy != NULL && count > 0) {
        memcpy(copy, old, count * size);
    }
    *capacity = copy != NULL ? more : *capacity;
    return copy;
}

static void add_edge(ww_dag_builder *b, uint32_t from, uint32_t to, uint32_t latency)
{
    ww_dag *dag = &b->dag;
    if (from == NONE || from == to || b->out_of_memory) {
        return;
    }
    if (dag->edge_count == dag->edge_capacity) {
        ww_dag_edge *edge =
            doubled(b->scratch, dag->edge, dag->edge_count, &dag->edge_capacity, sizeof *edge);
        if (edge == NULL) {
            b->out_of_memory = true;
            return;
        }
        dag->edge = edge;
    }
    WW_ASSERT(from < to); /* program order: there is no circle */
    dag->edge[dag->edge_count] =
        (ww_dag_edge){.to = to, .next = dag->head[from], .latency = latency};
    dag->head[from] = dag->edge_count++;
    dag->blockers[to]++;
}

static ww_location *location_of(ww_dag_builder *b, uint32_t index)
{
    ww_location *l = &b->location[index];
    if (l->region != b->region) {
        *l = (ww_location){
            .region = b->region, .write = NONE, .word = {NONE, NONE}, .readers = NONE};
    }
    return l;
}

/* Bit 0: touches the low word, bit 1: the high word. */
static unsigned words_of(ww_operand o)
{
    return o.part == 0 ? 3 : o.part;
}

static void wait_for_words(ww_dag_builder *b, const ww_location *l, unsigned words, uint32_t node)
{
    for (unsigned w = 0; w < 2; w++) {
        if ((words >> w & 1) != 0 && l->word[w] != NONE) {
            add_edge(b, l->word[w], node, b->dag.latency[l->word[w]]);
        }
    }
}

static void read_location(ww_dag_builder *b, uint32_t index, unsigned words, uint32_t node)
{
    ww_location *l = location_of(b, index);
    wait_for_words(b, l, words, node);
    add_edge(b, l->write, node, 0);
    if (b->cell_count == b->cell_capacity) {
        ww_reader_cell *cell =
            doubled(b->scratch, b->cell, b->cell_count, &b->cell_capacity, sizeof *cell);
        if (cell == NULL) {
            b->out_of_memory = true;
            return;
        }
        b->cell = cell;
    }
    b->cell[b->cell_count] = (ww_reader_cell){node, l->readers};
    l->readers = b->cell_count++;
}

static void write_location(ww_dag_builder *b, uint32_t index, unsigned words, bool keeps_old,
                           uint32_t node)
{
    ww_location *l = location_of(b, index);
    if (keeps_old) {
        wait_for_words(b, l, words, node);
    }
    add_edge(b, l->write, node, 0);
    for (uint32_t c = l->readers; c != NONE; c = b->cell[c].next) {
        add_edge(b, b->cell[c].node, node, 0);
    }
    l->readers = NONE;
    l->write = node;
    for (unsigned w = 0; w < 2; w++) {
        l->word[w] = (words >> w & 1) != 0 ? node : l->word[w];
    }
}

static void add_node(ww_dag_builder *b, const ww_inst *inst, uint32_t node)
{
    for (unsigned k = 0; k < inst->src_count; k++) {
        if (ww__is_register(inst->src[k])) {
            read_location(b, inst->src[k].reg, words_of(inst->src[k]), node);
        }
    }
    bool guarded = inst->guard.kind == WW_OPD_PRED;
    if (guarded) {
        read_location(b, inst->guard.reg, 3, node);
    }
    for (unsigned k = 0; k < inst->dst_count; k++) {
        if (ww__is_register(inst->dst[k])) {
            write_location(b, inst->dst[k].reg, words_of(inst->dst[k]), guarded, node);
        }
    }
    touches t = touched(inst);
    for (unsigned p = 0; p < PLACE_COUNT; p++) {
        if ((t.writes & BIT(p)) != 0) {
            write_location(b, b->f->vreg_count + p, 0, false, node);
        } else if ((t.reads & BIT(p)) != 0) {
            read_location(b, b->f->vreg_count + p, 0, node);
        }
    }
}

/* ---- graphs ---- */

ww_status ww__dag_builder_init(ww_dag_builder *b, const ww_function *f, const ww_arch *arch,
                               ww_arena *scratch, ww_error *err)
{
    *b = (ww_dag_builder){.f = f, .arch = arch, .scratch = scratch};
    b->location = WW_ARENA_NEW_ARRAY(scratch, ww_location, (size_t)f->vreg_count + PLACE_COUNT);
    b->dag.head = WW_ARENA_NEW_ARRAY(scratch, uint32_t, (size_t)f->inst_count + 1);
    b->dag.blockers = WW_ARENA_NEW_ARRAY(scratch, uint32_t, (size_t)f->inst_count + 1);
    b->dag.latency = WW_ARENA_NEW_ARRAY(scratch, uint32_t, (size_t)f->inst_count + 1);
    b->dag.height = WW_ARENA_NEW_ARRAY(scratch, uint32_t, (size_t)f->inst_count + 1);
    if (b->location == NULL || b->dag.head == NULL || b->dag.blockers == NULL ||
        b->dag.latency == NULL || b->dag.height == NULL) {
        return ww_no_memory_for(err, "scheduling %s", f->name);
    }
    return WW_OK;
}

ww_status ww__dag_build(ww_dag_builder *b, ww_region region, ww_error *err)
{
    ww_dag *dag = &b->dag;
    b->region++;
    b->cell_count = 0;
    dag->edge_count = 0;
    dag->count = region.count;
    for (uint32_t i = 0; i < region.count; i++) {
        dag->head[i] = NONE;
        dag->blockers[i] = 0;
        dag->latency[i] = latency_of(&b->f->inst[region.first + i], b->arch);
    }
    for (uint32_t i = 0; i < region.count; i++) {
        add_node(b, &b->f->inst[region.first + i], i);
    }
    if (b->out_of_memory) {
        return ww_no_memory_for(err, "scheduling %s", b->f->name);
    }
    for (uint32_t i = region.count; i-- > 0;) {
        dag->height[i] = dag->latency[i];
        for (uint32_t e = dag->head[i]; e != NONE; e = dag->edge[e].next) {
            uint32_t through = dag->edge[e].latency + dag->height[dag->edge[e].to];
            dag->height[i] = through > dag->height[i] ? through : dag->height[i];
        }
    }
    return WW_OK;
}
