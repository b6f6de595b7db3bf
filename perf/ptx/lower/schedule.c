/* schedule.c - list scheduling inside basic blocks: instructions on long paths first, loads above
 * all, as far as registers last. Method: Gibbons, Muchnick, "Efficient Instruction Scheduling for a
 * Pipelined Architecture" (1986), with the register limit of Goodman, Hsu, "Code Scheduling and
 * Register Allocation in Large Basic Blocks" (1988): while registers are plenty the candidate with
 * the longest path to the end is taken, when they run short only candidates that fit, else the
 * original order goes on. An order is kept only if one warp alone would run it faster and if it
 * stays within the registers granted. */
#include "perf/ptx/lower/schedule.h"

#include <string.h>

#include "base/arith.h"
#include "base/assert.h"
#include "perf/ptx/regalloc/regalloc.h"

#define NONE UINT32_MAX

enum {
    LEAST_TARGET = 16,
    /* Words that coloring needs beyond what is live at once: broken pairs, copies that stay. */
    COLORING_RESERVE = 2,
    SPILL_RESERVE = 8, /* distance to the most registers a thread may have */
    PREDICATE_TARGET = WW_MACHINE_PREDICATES - 1,
    MOST_ATTEMPTS = 6,
};

/* Live words by class. */
typedef struct pressure {
    uint32_t registers, predicates;
} pressure;

/* What an order costs: most live words, and cycles of one warp alone issuing one instruction per
 * cycle. */
typedef struct cost {
    pressure peak;
    uint32_t cycles;
} cost;

/* One value of a virtual register within a region: what one definition that ends the former value,
 * and those that add to it, make. */
typedef struct value {
    uint32_t words;     /* 32-bit registers; 0: predicate, or not live at all */
    uint32_t predicate; /* 1: predicate */
    uint32_t users;     /* nodes of the region that need it */
    bool live_out;
} value;

/* A reference of a node to a value. */
typedef struct value_ref {
    uint32_t value;
    bool defines; /* begins the value; else needs it */
} value_ref;

typedef struct scheduler {
    ww_function *f;
    const ww_arch *arch;
    ww_arena *scratch;
    ww_dag_builder graph;
    const uint32_t *definitions; /* [register] */
    pressure limit;
    /* The region at hand. */
    ww_region region;
    value *value;
    uint32_t value_count, value_capacity;
    uint32_t *current;   /* [register] value it holds; NONE: not touched yet */
    value_ref *ref;      /* of all nodes, in order */
    uint32_t *ref_start; /* [node + 1] */
    const uint64_t *live_in, *live_out;
    pressure at_start;
    cost before; /* of the order it has */
    /* Working storage of one attempt. */
    uint32_t *users;    /* [value] nodes left that need it */
    uint32_t *blockers; /* [node] */
    uint32_t *earliest; /* [node] cycle from which it would not stall */
    uint32_t *ready;    /* candidates */
    uint32_t *order;
    ww_inst *moved;
} scheduler;

/* ---- registers that may be filled ---- */

uint32_t ww__schedule_register_target(const ww_arch *arch)
{
    const ww_sm_params *sm = &arch->sm;
    uint32_t most = sm->max_thread_registers > SPILL_RESERVE + LEAST_TARGET
                        ? sm->max_thread_registers - SPILL_RESERVE
                        : LEAST_TARGET;
    if (sm->max_warps == 0 || sm->register_unit == 0) {
        return most; /* a partial description, as tests use */
    }
    uint32_t warp = sm->registers / sm->max_warps / sm->register_unit * sm->register_unit;
    uint32_t target = warp / WW_WARP_SIZE;
    target = target > COLORING_RESERVE + LEAST_TARGET ? target - COLORING_RESERVE : LEAST_TARGET;
    return target < most ? target : most;
}

/* ---- values ---- */

static bool has_bit(const uint64_t *set, uint32_t i)
{
    return (set[i / 64] >> (i % 64) & 1) != 0;
}

static uint32_t new_value(scheduler *s, uint32_t reg, bool live)
{
    uint32_t words = s->f->vreg[reg].words;
    WW_ASSERT(s->value_count < s->value_capacity);
    s->value[s->value_count] = (value){.words = live ? words : 0, .predicate = live && words == 0};
    return s->value_count++;
}

/* The node needs what the register holds. */
static uint32_t add_use(scheduler *s, uint32_t reg, uint32_t begin, uint32_t end)
{
    if (s->current[reg] == NONE) {
        s->current[reg] = new_value(s, reg, has_bit(s->live_in, reg));
    }
    for (uint32_t k = begin; k < end; k++) {
        if (s->ref[k].value == s->current[reg]) {
            return end;
        }
    }
    s->value[s->current[reg]].users++;
    s->ref[end] = (value_ref){s->current[reg], false};
    return end + 1;
}

static uint32_t add_references(scheduler *s, const ww_inst *inst, uint32_t begin)
{
    uint32_t end = begin;
    for (unsigned k = 0; k < inst->src_count; k++) {
        if (ww__is_register(inst->src[k])) {
            end = add_use(s, inst->src[k].reg, begin, end);
        }
    }
    if (inst->guard.kind == WW_OPD_PRED) {
        end = add_use(s, inst->guard.reg, begin, end);
    }
    for (unsigned k = 0; k < inst->dst_count; k++) {
        ww_operand d = inst->dst[k];
        if (ww__is_register(d) && ww__definition_kills(inst, d, s->definitions[d.reg])) {
            s->current[d.reg] = new_value(s, d.reg, true);
            s->ref[end++] = (value_ref){s->current[d.reg], true};
        } else if (ww__is_register(d)) {
            end = add_use(s, d.reg, begin, end);
        }
    }
    return end;
}

static void forget_registers(scheduler *s)
{
    for (uint32_t i = 0; i < s->region.count; i++) {
        const ww_inst *inst = &s->f->inst[s->region.first + i];
        for (unsigned k = 0; k < inst->src_count; k++) {
            if (ww__is_register(inst->src[k])) {
                s->current[inst->src[k].reg] = NONE;
            }
        }
        for (unsigned k = 0; k < inst->dst_count; k++) {
            if (ww__is_register(inst->dst[k])) {
                s->current[inst->dst[k].reg] = NONE;
            }
        }
        if (inst->guard.kind == WW_OPD_PRED) {
            s->current[inst->guard.reg] = NONE;
        }
    }
}

static void mark_live_out(scheduler *s, ww_operand o)
{
    if (ww__is_register(o) && has_bit(s->live_out, o.reg)) {
        s->value[s->current[o.reg]].live_out = true;
    }
}

static void number_values(scheduler *s)
{
    uint32_t at = 0;
    s->value_count = 0;
    forget_registers(s);
    for (uint32_t i = 0; i < s->region.count; i++) {
        s->ref_start[i] = at;
        at = add_references(s, &s->f->inst[s->region.first + i], at);
    }
    s->ref_start[s->region.count] = at;
    for (uint32_t i = 0; i < s->region.count; i++) {
        const ww_inst *inst = &s->f->inst[s->region.first + i];
        for (unsigned k = 0; k < inst->src_count; k++) {
            mark_live_out(s, inst->src[k]);
        }
        for (unsigned k = 0; k < inst->dst_count; k++) {
            mark_live_out(s, inst->dst[k]);
        }
        mark_live_out(s, inst->guard);
    }
    s->at_start = (pressure){0};
    for (uint32_t r = 0; r < s->f->vreg_count; r++) {
        if (has_bit(s->live_in, r)) {
            s->at_start.registers += s->f->vreg[r].words;
            s->at_start.predicates += s->f->vreg[r].words == 0;
        }
    }
}

/* ---- pressure and time of an order ---- */

static void begin_pressure(scheduler *s)
{
    for (uint32_t v = 0; v < s->value_count; v++) {
        s->users[v] = s->value[v].users;
    }
}

/* Live words right after the node; values without further users and dead on the way out end here.
 */
static pressure pressure_after(const scheduler *s, uint32_t node, pressure p)
{
    for (uint32_t k = s->ref_start[node]; k < s->ref_start[node + 1]; k++) {
        const value *v = &s->value[s->ref[k].value];
        if (s->ref[k].defines) {
            p.registers += v->words;
            p.predicates += v->predicate;
        } else if (!v->live_out && s->users[s->ref[k].value] == 1) {
            p.registers -= v->words;
            p.predicates -= v->predicate;
        }
    }
    return p;
}

/* Counts the node as issued; a result that nobody needs is gone again. */
static pressure issue(scheduler *s, uint32_t node, pressure p)
{
    p = pressure_after(s, node, p);
    for (uint32_t k = s->ref_start[node]; k < s->ref_start[node + 1]; k++) {
        const value *v = &s->value[s->ref[k].value];
        if (!s->ref[k].defines) {
            s->users[s->ref[k].value]--;
        } else if (v->users == 0 && !v->live_out) {
            p.registers -= v->words;
            p.predicates -= v->predicate;
        }
    }
    return p;
}

static void delay_successors(scheduler *s, uint32_t node, uint32_t now)
{
    const ww_dag *dag = &s->graph.dag;
    for (uint32_t e = dag->head[node]; e != NONE; e = dag->edge[e].next) {
        uint32_t to = dag->edge[e].to;
        s->earliest[to] = ww_max_u32(s->earliest[to], now + dag->edge[e].latency);
    }
}

static cost cost_of(scheduler *s, const uint32_t *order)
{
    cost c = {.peak = s->at_start};
    pressure p = s->at_start;
    uint32_t now = 0;
    begin_pressure(s);
    memset(s->earliest, 0, s->region.count * sizeof *s->earliest);
    for (uint32_t i = 0; i < s->region.count; i++) {
        uint32_t node = order[i];
        pressure during = pressure_after(s, node, p);
        c.peak.registers = ww_max_u32(c.peak.registers, during.registers);
        c.peak.predicates = ww_max_u32(c.peak.predicates, during.predicates);
        p = issue(s, node, p);
        now = ww_max_u32(now, s->earliest[node]);
        c.cycles = ww_max_u32(c.cycles, now + s->graph.dag.latency[node]);
        delay_successors(s, node, now);
        now++;
    }
    return c;
}

/* ---- list scheduling ---- */

static bool fits(const scheduler *s, uint32_t node, pressure now, pressure cap)
{
    pressure after = pressure_after(s, node, now);
    return (after.registers <= cap.registers || after.registers <= now.registers) &&
           (after.predicates <= cap.predicates || after.predicates <= now.predicates);
}

/* True when candidate a goes before b, both fitting: one that does not stall, then the longer path,
 * then the original order. */
static bool precedes(const scheduler *s, uint32_t a, uint32_t b, uint32_t now)
{
    uint32_t wait_a = ww_max_u32(s->earliest[a], now), wait_b = ww_max_u32(s->earliest[b], now);
    const uint32_t *height = s->graph.dag.height;
    if (wait_a != wait_b) {
        return wait_a < wait_b;
    }
    return height[a] != height[b] ? height[a] > height[b] : a < b;
}

/* Position of the next instruction among the ready ones. */
static uint32_t choose(const scheduler *s, uint32_t ready_count, pressure p, pressure cap,
                       uint32_t now)
{
    uint32_t best = NONE, oldest = 0;
    for (uint32_t k = 0; k < ready_count; k++) {
        uint32_t node = s->ready[k];
        oldest = node < s->ready[oldest] ? k : oldest;
        if ((best == NONE || precedes(s, node, s->ready[best], now)) && fits(s, node, p, cap)) {
            best = k;
        }
    }
    return best != NONE ? best : oldest;
}

static void list_schedule(scheduler *s, pressure cap)
{
    const ww_dag *dag = &s->graph.dag;
    uint32_t ready_count = 0, now = 0;
    pressure p = s->at_start;
    begin_pressure(s);
    memset(s->earliest, 0, dag->count * sizeof *s->earliest);
    memcpy(s->blockers, dag->blockers, dag->count * sizeof *s->blockers);
    for (uint32_t i = 0; i < dag->count; i++) {
        if (s->blockers[i] == 0) {
            s->ready[ready_count++] = i;
        }
    }
    for (uint32_t i = 0; i < dag->count; i++) {
        uint32_t at = choose(s, ready_count, p, cap, now);
        uint32_t node = s->ready[at];
        WW_ASSERT(ready_count > 0); /* no edge leads back */
        s->ready[at] = s->ready[--ready_count];
        s->order[i] = node;
        p = issue(s, node, p);
        now = ww_max_u32(now, s->earliest[node]);
        delay_successors(s, node, now);
        now++;
        for (uint32_t e = dag->head[node]; e != NONE; e = dag->edge[e].next) {
            if (--s->blockers[dag->edge[e].to] == 0) {
                WW_ASSERT(ready_count < dag->count);
                s->ready[ready_count++] = dag->edge[e].to;
            }
        }
    }
}

/* ---- regions ---- */

static void install(scheduler *s)
{
    ww_inst *inst = s->f->inst + s->region.first;
    memcpy(s->moved, inst, s->region.count * sizeof *inst);
    for (uint32_t i = 0; i < s->region.count; i++) {
        inst[i] = s->moved[s->order[i]];
    }
}

static uint32_t lowered(uint32_t cap)
{
    return cap - (cap / 8 > 1 ? cap / 8 : cap > 0);
}

/* Makes the region's graph and values, and measures the order it has. */
static ww_status measure_original(scheduler *s, ww_error *err)
{
    WW_TRY(ww__dag_build(&s->graph, s->region, err));
    number_values(s);
    for (uint32_t i = 0; i < s->region.count; i++) {
        s->order[i] = i;
    }
    s->before = cost_of(s, s->order);
    return WW_OK;
}

/* Tries ever smaller limits, since the list scheduler does not look ahead and may overshoot. */
static ww_status schedule_region(scheduler *s, ww_error *err)
{
    WW_TRY(measure_original(s, err));
    cost before = s->before;
    pressure most = {ww_max_u32(before.peak.registers, s->limit.registers),
                     ww_max_u32(before.peak.predicates, s->limit.predicates)};
    pressure cap = s->limit;
    for (int attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
        list_schedule(s, cap);
        cost after = cost_of(s, s->order);
        if (after.cycles >= before.cycles) {
            break;
        }
        bool registers_fit = after.peak.registers <= most.registers;
        bool predicates_fit = after.peak.predicates <= most.predicates;
        if (registers_fit && predicates_fit) {
            install(s);
            break;
        }
        cap.registers = registers_fit ? cap.registers : lowered(cap.registers);
        cap.predicates = predicates_fit ? cap.predicates : lowered(cap.predicates);
    }
    return WW_OK;
}

/* ---- the function ---- */

static void step_back(const scheduler *s, const ww_inst *inst, uint64_t *live)
{
    for (unsigned k = 0; k < inst->dst_count; k++) {
        ww_operand d = inst->dst[k];
        if (ww__is_register(d) && ww__definition_kills(inst, d, s->definitions[d.reg])) {
            live[d.reg / 64] &= ~(1ull << (d.reg % 64));
        }
    }
    for (unsigned k = 0; k < inst->src_count; k++) {
        if (ww__is_register(inst->src[k])) {
            live[inst->src[k].reg / 64] |= 1ull << (inst->src[k].reg % 64);
        }
    }
    if (inst->guard.kind == WW_OPD_PRED) {
        live[inst->guard.reg / 64] |= 1ull << (inst->guard.reg % 64);
    }
}

typedef struct liveness_sets {
    uint64_t *in, *out;
    uint32_t words;
} liveness_sets;

typedef ww_status region_action(scheduler *s, ww_error *err);

/* Applies the action to every region of a block, last first, with what is live around it. */
static ww_status each_region(scheduler *s, const ww_block *block, const uint64_t *live_out,
                             liveness_sets *sets, region_action *action, ww_error *err)
{
    memcpy(sets->in, live_out, sets->words * sizeof *sets->in);
    for (uint32_t end = block->last; end > block->first;) {
        if (ww__ends_region(&s->f->inst[end - 1])) {
            step_back(s, &s->f->inst[--end], sets->in);
            continue;
        }
        memcpy(sets->out, sets->in, sets->words * sizeof *sets->out);
        uint32_t begin = end;
        while (begin > block->first && !ww__ends_region(&s->f->inst[begin - 1])) {
            step_back(s, &s->f->inst[--begin], sets->in);
        }
        s->region = (ww_region){begin, end - begin};
        s->live_in = sets->in;
        s->live_out = sets->out;
        WW_TRY(action(s, err));
        end = begin;
    }
    return WW_OK;
}

/* Registers that the function needs anyway are free to fill everywhere, and so are those up to the
 * next whole unit of allocation; but for those that coloring may add. */
static ww_status raise_limit(scheduler *s, ww_error *err)
{
    WW_TRY(measure_original(s, err));
    uint32_t unit = ww_max_u32(s->arch->sm.register_unit / WW_WARP_SIZE, 1);
    uint32_t most = s->arch->sm.max_thread_registers;
    uint32_t granted = (s->before.peak.registers + unit - 1) / unit * unit;
    if (unit <= COLORING_RESERVE || granted + SPILL_RESERVE > most) {
        granted = s->before.peak.registers;
    }
    s->limit.registers =
        ww_max_u32(s->limit.registers + COLORING_RESERVE, granted) - COLORING_RESERVE;
    s->limit.predicates = ww_max_u32(s->limit.predicates, s->before.peak.predicates);
    return WW_OK;
}

static ww_status out_of_memory(const ww_function *f, ww_error *err)
{
    return ww_no_memory_for(err, "scheduling %s", f->name);
}

static ww_status prepare(scheduler *s, ww_error *err)
{
    ww_function *f = s->f;
    size_t n = (size_t)f->inst_count + 1, operands = 1;
    for (uint32_t i = 0; i < f->inst_count; i++) {
        operands += f->inst[i].src_count + f->inst[i].dst_count + 1u;
    }
    uint32_t *definitions = WW_ARENA_NEW_ARRAY(s->scratch, uint32_t, (size_t)f->vreg_count + 1);
    s->value = WW_ARENA_NEW_ARRAY(s->scratch, value, operands);
    s->value_capacity = (uint32_t)operands;
    s->users = WW_ARENA_NEW_ARRAY(s->scratch, uint32_t, operands);
    s->ref = WW_ARENA_NEW_ARRAY(s->scratch, value_ref, operands);
    s->ref_start = WW_ARENA_NEW_ARRAY(s->scratch, uint32_t, n + 1);
    s->current = WW_ARENA_NEW_ARRAY(s->scratch, uint32_t, (size_t)f->vreg_count + 1);
    s->blockers = WW_ARENA_NEW_ARRAY(s->scratch, uint32_t, n);
    s->earliest = WW_ARENA_NEW_ARRAY(s->scratch, uint32_t, n);
    s->ready = WW_ARENA_NEW_ARRAY(s->scratch, uint32_t, n);
    s->order = WW_ARENA_NEW_ARRAY(s->scratch, uint32_t, n);
    s->moved = WW_ARENA_NEW_ARRAY(s->scratch, ww_inst, n);
    if (definitions == NULL || s->value == NULL || s->users == NULL || s->ref == NULL ||
        s->ref_start == NULL || s->current == NULL || s->blockers == NULL || s->earliest == NULL ||
        s->ready == NULL || s->order == NULL || s->moved == NULL) {
        return out_of_memory(f, err);
    }
    WW_TRY(ww__count_definitions(f, s->scratch, definitions, err));
    s->definitions = definitions;
    return ww__dag_builder_init(&s->graph, f, s->arch, s->scratch, err);
}

static ww_status schedule_function(scheduler *s, ww_error *err)
{
    ww_cfg cfg;
    ww_liveness live;
    WW_TRY(prepare(s, err));
    WW_TRY(ww_cfg_build(s->f, s->scratch, &cfg, err));
    WW_TRY(ww_liveness_build(s->f, &cfg, s->scratch, &live, err));
    liveness_sets sets = {.in = WW_ARENA_NEW_ARRAY(s->scratch, uint64_t, live.words + 1),
                          .out = WW_ARENA_NEW_ARRAY(s->scratch, uint64_t, live.words + 1),
                          .words = live.words};
    if (sets.in == NULL || sets.out == NULL) {
        return out_of_memory(s->f, err);
    }
    static region_action *const actions[] = {raise_limit, schedule_region};
    for (int a = 0; a < 2; a++) {
        for (uint32_t b = 0; b < cfg.block_count; b++) {
            WW_TRY(each_region(s, &cfg.block[b], live.live_out + (size_t)b * live.words, &sets,
                               actions[a], err));
        }
    }
    return WW_OK;
}

ww_status ww__schedule(ww_function *f, ww_arena *arena, const ww_arch *arch, ww_error *err)
{
    (void)arena; /* nothing outlives the pass: instructions change places within f->inst */
    ww_arena scratch = {0};
    scheduler s = {.f = f,
                   .arch = arch,
                   .scratch = &scratch,
                   .limit = {ww__schedule_register_target(arch), PREDICATE_TARGET}};
    ww_status status = schedule_function(&s, err);
    ww_arena_fini(&scratch);
    return status;
}
