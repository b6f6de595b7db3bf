/* simulate.c - parts of an operator, made into the whole.
 *
 * What is counted follows from the operator alone and from whether the L2 holds its input: each
 * runs on a new device, behind a small launch of its own kernel, which leaves the instructions
 * where a layer before would have left them, and before each of its parts the L2 is filled with
 * lines, of which as many are written as of what the operator itself moves: so in a pass, where
 * each kernel writes back what those before it wrote, as much is written back as is written. So the
 * order of a pass, and what is remembered of it, change nothing. */
#include "inference/simulate.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "arch/counted.h"
#include "base/arith.h"
#include "base/hash.h"
#include "inference/pass.h"

/* Warp instructions that one operator may take, about: what goes beyond is extrapolated. */
#define OPERATOR_BUDGET 5e6

/* Parts that are simulated, and the weights with which their counters make the whole. */
typedef struct parts {
    uint64_t ctas[2], depth[2];
    double ctas_weight[2], depth_weight[2];
    /* What is followed by how the longest part goes on where it is steady, in numbers of K of a
     * CTA: of them it is looked at from .. to; to 0: nothing is. */
    double from, to, beyond;
    bool inside; /* only before results are written */
    /* A last wave of so many CTAs, which is followed by itself, from the depths of its plan: a
     * number of K weighs so much; 0: none. */
    uint64_t last;
    double last_weight;
} parts;

/* Of few waves the whole grid; of more, two numbers of waves with the whole grid's tail, and the
 * line through them. */
static void divide_grid(uint64_t ctas, uint64_t places, double each, parts *out)
{
    uint64_t waves = ctas / places, tail = ctas % places;
    double most = OPERATOR_BUDGET / (each * (double)places);
    uint64_t last = most < 3 ? 2 : (uint64_t)(most * 2 / 3), first = last / 2;
    out->ctas[1] = ctas;
    out->ctas_weight[1] = 1;
    if (waves <= last + first) {
        return;
    }
    double beyond = (double)(waves - last) / (double)(last - first);
    out->ctas[0] = first * places + tail;
    out->ctas[1] = last * places + tail;
    out->ctas_weight[0] = -beyond;
    out->ctas_weight[1] = 1 + beyond;
}

/* A product is followed from two lesser depths of each part of K, or, where CTAs follow each other
 * on the FP32 lanes, from one (see follow_depth); unless it is shallow or all of it is little work.
 * CTAs that are on the lanes together do not keep step: the last ones of an SM go on by themselves,
 * for the longer the deeper they are, which a look at their first stages does not tell. Slices have
 * few CTAs, whose rounds do not overlap: they are run whole. */
static void divide_depth(const ww__plan *plan, double instructions, bool together, parts *out)
{
    const uint64_t depth = plan->depth;
    const bool one = plan->steady[1] > 0 && !together;
    const uint64_t shorter = plan->splits * plan->depths[0];
    const uint64_t longer = plan->splits * plan->depths[1];
    out->depth[1] = depth;
    out->depth_weight[1] = 1;
    if (depth <= longer || instructions <= OPERATOR_BUDGET / 4) {
        return;
    }
    if (one) {
        out->depth[1] = plan->splits * plan->steady[2];
        return;
    }
    out->depth[1] = longer;
    double beyond = (double)(depth - longer) / (double)(longer - shorter);
    out->depth[0] = shorter;
    out->depth_weight[0] = -beyond;
    out->depth_weight[1] = 1 + beyond;
}

/* The first wave of a run stands for `full` CTAs as they go on beyond their depth, its last one, of
 * `last`, for itself. */
static void follow_depth(const ww__plan *plan, double full, uint64_t last, parts *out)
{
    const double beyond = (double)(plan->depth - out->depth[1]) / plan->splits;
    const double wave = (double)plan->places;
    if (plan->steady[1] == 0 || out->depth[0] > 0 || beyond <= 0) {
        return;
    }
    out->inside = true;
    out->from = wave * (double)plan->steady[0];
    out->to = wave * (double)plan->steady[1];
    out->beyond = full * beyond;
    out->last = last;
    out->last_weight = beyond / (double)(plan->depths[1] - plan->depths[0]);
}

/* Waves of shallow products on the FP32 lanes: CTAs that begin together fall out of step in the
 * first ones, and what they wait for is behind others' work from then on. How far they are out of
 * step also decides when the last of them ends and has written its results, by a sixth of a wave
 * either way: few waves are all run. */
static void follow_waves(const ww__plan *plan, uint64_t ctas, parts *out)
{
    enum { BEGIN = 2, END = 4 };
    const uint64_t waves = ctas / plan->places;
    const double wave = (double)plan->places * (double)plan->depth / plan->splits;
    if (plan->steady[1] == 0 || out->to > 0 || out->ctas_weight[0] == 0) {
        return;
    }
    out->ctas[1] = ctas;
    out->ctas_weight[0] = 0;
    out->ctas_weight[1] = 1;
    if (waves <= 2 * END) {
        return;
    }
    out->ctas[1] = END * plan->places + ctas % plan->places;
    out->from = BEGIN * wave;
    out->to = END * wave;
    out->beyond = (double)(waves - END) * wave;
}

static parts divide(const ww__plan *plan, unsigned share)
{
    parts p = {.to = 0};
    uint64_t ctas = ww_ceil_div(plan->ctas, share);
    double whole = (double)ctas * plan->warp_instructions;
    whole *= plan->depth == 0 ? 1 : (double)plan->depth / plan->depth_step;
    const bool sliced = plan->tile != NULL && plan->tile->slices > 0;
    const bool together = ctas <= plan->places;
    divide_depth(plan, sliced ? 0 : whole, together, &p);
    double steps = plan->depth == 0 ? 1 : (double)(p.depth[0] + p.depth[1]) / plan->depth_step;
    divide_grid(ctas, plan->places, plan->warp_instructions * (steps < 1 ? 1 : steps), &p);
    const uint64_t last = ctas < plan->places ? 0 : ctas % plan->places;
    follow_depth(plan, (double)(ctas - last), last, &p);
    follow_waves(plan, ctas, &p);
    return p;
}

/* One wave, for as many as there are. A last one that fills half of the places or less has fewer
 * CTAs to an SM, and takes about 0.6 of a wave where an SM holds several; to choose by. */
static parts one_wave(const ww__plan *plan, const ww__slice *slice)
{
    parts p = {.to = 0};
    const uint64_t ctas = ww_ceil_div(plan->ctas, slice->share);
    const uint64_t waves = ctas / plan->places, tail = ctas % plan->places;
    const bool light = plan->places > slice->arch->sm.count && 2 * tail <= plan->places;
    divide_depth(plan, INFINITY, ctas <= plan->places, &p);
    p.ctas[1] = waves > 0 ? plan->places : ctas;
    p.ctas_weight[1] = waves == 0 ? 1 : (double)waves + (tail == 0 ? 0 : light ? 0.6 : 1);
    follow_depth(plan, p.ctas_weight[1] * (double)p.ctas[1], 0, &p);
    return p;
}

/* ---- what it moves ---- */

/* Bytes of the operand that an operator before may have written, of one occurrence. */
static uint64_t input_bytes(const ww__plan *plan)
{
    const ww_operator *op = plan->op;
    const uint64_t size = ww_number_bytes(op->number);
    switch (op->kind) {
    case WW_OPERATOR_GEMM:
        return plan->batch * plan->m * plan->depth * size;
    case WW_OPERATOR_CONV2D:
        return op->conv.b * op->conv.c * op->conv.hw * op->conv.hw * size;
    case WW_OPERATOR_ELEMENTWISE:
        return op->m * size;
    case WW_OPERATOR_ATTENTION:
        return op->batch * op->attention.heads * op->m * op->k * size;
    default:
        return op->batch * op->m * size;
    }
}

/* Bytes that an operator writes. */
static uint64_t output_bytes(const ww__plan *plan)
{
    const ww_operator *op = plan->op;
    const uint64_t size = ww_number_bytes(op->number);
    switch (op->kind) {
    case WW_OPERATOR_GEMM:
    case WW_OPERATOR_CONV2D:
        return op->batch * op->m * op->n * size;
    case WW_OPERATOR_ELEMENTWISE:
        return op->m * ww_number_bytes(ww_pointwise_result(op));
    default:
        return input_bytes(plan);
    }
}

/* ---- a plan ---- */

ww_status ww__fetch_instructions(const ww__plan *plan, ww__slice *slice, ww_error *err)
{
    const uint64_t sms = slice->arch->sm.count,
                   stages = 4 * (uint64_t)plan->depth_step * plan->splits;
    return ww__plan_run(plan, slice, plan->ctas < sms ? plan->ctas : sms,
                        plan->depth < stages ? plan->depth : stages, err);
}

/* What parts are added up to. */
typedef struct whole {
    const ww__plan *plan;
    ww__slice *slice;
    const parts *d;
    ww__scaled *sum;
    double longest; /* cycles of a part */
    ww_error *err;
} whole;

static ww_status run(whole *w, uint64_t ctas, uint64_t depth)
{
    WW_TRY(ww__plan_run(w->plan, w->slice, ctas, depth, w->err));
    w->longest = fmax(w->longest, (double)ww_counter_total(&w->slice->counters, WW_C_CORE_CYCLES));
    return WW_OK;
}

/* Runs CTAs, and adds how they go on from .. to, for what is beyond. */
static ww_status follow(whole *w, uint64_t ctas, double from, double to, double beyond)
{
    const ww__plan *plan = w->plan;
    ww__window *window = &w->slice->window;
    const double each = (double)plan->tile->m * plan->tile->n; /* multiply-adds of a number of K */
    window->from = from * each;
    window->to = to * each;
    window->inside = w->d->inside;
    ww_status status = run(w, ctas, w->d->depth[1]);
    window->to = 0;
    WW_TRY(status);
    if (window->done <= 0) {
        return ww_fail(w->err, WW_ENUMERIC, "%s: no part of its run is steady", plan->kernel);
    }
    return ww__scaled_add(w->sum, &window->counters, beyond * each / window->done, w->err);
}

static ww_status add_part(whole *w, int i, int j)
{
    const parts *d = w->d;
    double weight = d->ctas_weight[i] * d->depth_weight[j];
    if (weight == 0) {
        return WW_OK;
    }
    WW_TRY(i == 1 && d->to > 0 ? follow(w, d->ctas[i], d->from, d->to, d->beyond)
                               : run(w, d->ctas[i], d->depth[j]));
    return ww__scaled_add(w->sum, &w->slice->counters, weight, w->err);
}

/* The last wave by itself: what a deeper run of it takes more than a shallower one. */
static ww_status add_last(whole *w)
{
    const ww__plan *plan = w->plan;
    for (int j = 0; j < 2; j++) {
        WW_TRY(run(w, w->d->last, plan->splits * plan->depths[j]));
        const double weight = j == 0 ? -w->d->last_weight : w->d->last_weight;
        WW_TRY(ww__scaled_add(w->sum, &w->slice->counters, weight, w->err));
    }
    return WW_OK;
}

static ww_status add_parts(whole *w)
{
    const parts *d = w->d;
    for (int i = 0; i < 2; i++) {
        for (int j = 0; j < 2; j++) {
            WW_TRY(add_part(w, i, j));
        }
    }
    return d->last > 0 ? add_last(w) : WW_OK;
}

static void note_facts(const ww__slice *slice, uint64_t before, ww__memo_facts *facts)
{
    const ww_launch_record *r = &slice->record;
    *facts = (ww__memo_facts){.warp_instructions = slice->warp_instructions - before,
                              .registers = r->registers,
                              .shared_bytes = r->shared_bytes,
                              .ctas_per_sm = r->ctas_per_sm,
                              .core_hz = r->core_hz,
                              .icnt_hz = r->icnt_hz,
                              .l2_hz = r->l2_hz,
                              .dram_hz = r->dram_hz,
                              .vdd_v = r->vdd_v,
                              .temperature_k = r->temperature_k};
    memcpy(facts->block, r->block, sizeof facts->block);
}

/* wave: what one wave tells, to choose by. */
static ww_status simulate_plan(ww__slice *slice, ww__plan *plan, bool wave, uint64_t left,
                               ww__scaled *sum, ww__memo_facts *facts, ww_error *err)
{
    slice->watched = plan->steady[1] > 0;
    WW_TRY(ww__slice_renew(slice, err));
    WW_TRY(ww__slice_places(slice, plan->unit, plan->kernel, plan->threads, plan->shared,
                            &plan->places, err));
    slice->written = (double)output_bytes(plan) / fmax(ww_operator_bytes(plan->op), 1);
    slice->written = fmin(slice->written, 1);
    WW_TRY(ww__fetch_instructions(plan, slice, err));
    const uint64_t before = slice->warp_instructions;
    const parts d = wave ? one_wave(plan, slice) : divide(plan, slice->share);
    slice->left = left;
    whole w = {plan, slice, &d, sum, 0, err};
    WW_TRY(add_parts(&w));
    if (!wave && ww__scaled_cycles(sum) < w.longest) {
        return ww_fail(err, WW_ENUMERIC,
                       "%s: the whole operator would take less time than a part of it",
                       plan->kernel);
    }
    if (plan->sums) {
        WW_TRY(ww__plan_sum_splits(plan, slice, err));
        WW_TRY(ww__scaled_add(sum, &slice->counters, 1, err));
    }
    note_facts(slice, before, facts);
    return WW_OK;
}

/* ---- memory ---- */

/* All that the counters follow from. */
static void put_key(const ww__simulator *s, const ww__plan *p, uint64_t left, ww_str *key)
{
    const ww_operator_unit *unit = ww_operator_unit_find(p->unit);
    ww_str_addf(key, "machine %016" PRIx64 " share %u kernel %s %016" PRIx64 " operator ",
                ww_arch_counted_hash(s->slice->arch), s->slice->share, p->kernel,
                unit == NULL ? 0 : ww_hash_bytes(WW_HASH_INIT, unit->text, unit->length));
    ww_operator_describe(p->op, key);
    ww_str_addf(key,
                " ctas %" PRIu64 " depth %" PRIu64 " of %" PRIu64 "x%" PRIu64 "x%" PRIu64
                " %d %d splits %u walk %016" PRIx64,
                p->ctas, p->depth, p->batch, p->m, p->n, p->b_along_n, p->bias, p->splits,
                ww_hash_bytes(WW_HASH_INIT, &p->walk, sizeof p->walk));
    const ww_conv_shape *c = &p->op->conv;
    const ww_attention_shape *a = &p->op->attention;
    ww_str_addf(key,
                " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " heads %" PRIu64
                " %" PRIu64 " %d left %" PRIu64,
                c->b, c->c, c->hw, c->padding, c->groups, a->heads, a->kv_heads, a->causal, left);
    ww__memo_key(s->memo, key);
}

static ww_status remember(const ww__simulator *s, ww__plan *plan, bool wave, uint64_t left,
                          ww__scaled *sum, ww__memo_facts *facts, ww_error *err)
{
    ww_str key = {0};
    bool found = false;
    if (s->memo == NULL) {
        return simulate_plan(s->slice, plan, wave, left, sum, facts, err);
    }
    ww_str_add(&key, wave ? "wave of " : "");
    put_key(s, plan, left, &key);
    ww_status status = ww_str_check(&key, err);
    if (status == WW_OK) {
        found = ww__memo_find(s->memo, ww_str_text(&key), sum, facts);
    }
    if (status == WW_OK && !found) {
        status = simulate_plan(s->slice, plan, wave, left, sum, facts, err);
        if (status == WW_OK) {
            ww__memo_keep(s->memo, ww_str_text(&key), sum, facts);
        }
    }
    ww_str_fini(&key);
    return status;
}

/* ---- the fastest ---- */

static double share_of(const ww__scaled *sum, const ww__memo_facts *facts)
{
    double issued = 0;
    for (size_t s = 0; s < sum->count[WW_SCOPE_SM]; s++) {
        issued += sum->v[WW_SCOPE_SM][s * WW_COUNTER_COUNT + WW_C_INST_ISSUED];
    }
    double part = (double)facts->warp_instructions / (issued > 1 ? issued : 1);
    return part < 1 ? part : 1;
}

/* What the L2 cannot hold beside the result, which is written meanwhile, is gone before it is read:
 * no replacement is known that would keep one of two streams. */
static uint64_t held(const ww__slice *slice, const ww__plan *plan, uint64_t left)
{
    const uint64_t l2 = ww_arch_l2_bytes(slice->arch), input = input_bytes(plan) / slice->share;
    return left <= l2 && input + output_bytes(plan) / slice->share <= l2 && left >= input ? left
                                                                                          : 0;
}

/* Which of the candidates is fastest by its wave. A split product takes two kernels, whose gap
 * counts. */
static ww_status fastest(const ww__simulator *s, ww__plan *plans, size_t count, uint64_t left,
                         size_t *out, uint64_t *instructions, ww_error *err)
{
    double least = INFINITY;
    for (size_t i = 0; i < count; i++) {
        ww__scaled sum = {{0}, {0}};
        ww__memo_facts facts;
        ww_status status = remember(s, &plans[i], true, left, &sum, &facts, err);
        if (status == WW_OK) {
            double seconds = ww__scaled_cycles(&sum) / s->slice->arch->clock.core_hz +
                             (plans[i].sums ? WW_KERNEL_GAP_S : 0);
            *out = seconds < least ? i : *out;
            least = fmin(seconds, least);
            *instructions += facts.warp_instructions;
        }
        ww__scaled_fini(&sum);
        WW_TRY(status);
    }
    return WW_OK;
}

ww_status ww__simulate(const ww__simulator *simulator, const ww_operator *op, uint64_t left,
                       ww__outcome *out, ww_error *err)
{
    ww__plan plans[WW__MOST_CANDIDATES];
    size_t count = 0, best = 0;
    uint64_t chosen_by = 0; /* warp instructions */
    WW_TRY(ww__plan_candidates(simulator->graph, op, simulator->slice, plans, &count, err));
    left = held(simulator->slice, &plans[0], left);
    if (count > 1 && !simulator->rule_only) {
        WW_TRY(fastest(simulator, plans, count, left, &best, &chosen_by, err));
    }
    out->plan = plans[best];
    WW_TRY(remember(simulator, &out->plan, false, left, &out->sum, &out->facts, err));
    out->simulated = share_of(&out->sum, &out->facts);
    out->facts.warp_instructions += chosen_by;
    return WW_OK;
}
