/* products.c - the checks of --memcheck around products of warp groups: what they read of shared
 * memory while they run, and the registers that they have in hand. */
#include "base/assert.h"
#include "perf/exec/matrix/warpgroup.h"
#include "perf/exec/memcheck/shadow.h"

enum { CHUNK = 16 }; /* bytes that every layout and swizzle keeps together */

/* ---- operands in shared memory ---- */

static void touch_matrix(const ww_exec_ctx *x, const ww_uop *u, bool is_a)
{
    const ww_warpgroup_shape *s = u->warpgroup;
    const uint32_t warp = x->warp->index;
    const struct ww_shadow *shadow = x->warp->cta->shadow;
    const ww_touching how = {.reads = true,
                             .engine = true,
                             .agent = ww__shadow_products(shadow, warp),
                             .stamp = shadow->products[warp]};
    const bool transposed = is_a ? s->transposed_a : s->transposed_b;
    const unsigned per = CHUNK / s->bytes, lines = is_a ? WW_WARPGROUP_WARP_M : s->n;
    const unsigned first = is_a ? warp % WW_WARPGROUP_WARPS * WW_WARPGROUP_WARP_M : 0;
    uint32_t scratch[WW_PAIR_WORDS];
    const uint32_t *planes = ww__src(x, &u->src[is_a], scratch);
    ww_matrix_descriptor d;
    if (ww_matrix_descriptor_decode((uint64_t)planes[WW_LANES] << 32 | planes[0], &d) != NULL) {
        return; /* said when it runs */
    }
    for (unsigned line = 0; line < lines; line += transposed ? per : 1) {
        for (unsigned k = 0; k < s->units; k += transposed ? 1 : per) {
            uint32_t at = ww_matrix_descriptor_address(&d, first + line, k, s->bytes, transposed);
            const ww_touch t = {WW_SPACE_SHARED, 0, at, CHUNK, false, x->warp->cta};
            if (at <= x->code->shared_bytes && CHUNK <= x->code->shared_bytes - at) {
                ww__shadow_touch(x, u, &t, &how);
            }
        }
    }
}

/* ---- registers ---- */

static uint32_t *of_warp(const ww_exec_ctx *x, uint32_t *rows)
{
    return rows + (size_t)x->warp->index * x->warp->cta->shadow->registers;
}

/* Registers that products use must not have been touched since the warp's last wgmma.fence. */
static void take_registers(const ww_exec_ctx *x, const ww_uop *u)
{
    const struct ww_shadow *s = x->warp->cta->shadow;
    const ww_inst *inst = u->inst;
    uint32_t *in_flight = of_warp(x, s->in_flight), warp = x->warp->index;
    const uint32_t *touched = of_warp(x, s->touched);
    bool told = false;
    for (unsigned k = 0; k < inst->dst_count; k++) {
        uint32_t reg = inst->dst[k].reg;
        if (touched[reg] == s->order[warp] && !told) {
            ww__memcheck_register(x, u, reg, WW_HAZARD_UNFENCED);
            told = true;
        }
        in_flight[reg] = s->products[warp];
    }
    s->multiplied[warp] = s->order[warp];
}

ww_status ww__checked_wgmma(ww_exec_ctx *x, const ww_uop *u)
{
    if (u->warpgroup->descriptor_a) {
        touch_matrix(x, u, true);
    }
    touch_matrix(x, u, false);
    take_registers(x, u);
    return ww__shadow_run_inner(x, u);
}

static void next_of_warp(const struct ww_shadow *s, uint32_t *count, uint32_t warp)
{
    WW_ASSERT(warp < s->warps && count[warp] > 0); /* from 1 */
    count[warp]++;
}

/* The end of a group, the wait for those that are not among the newest, or the order of registers.
 */
ww_status ww__checked_products(ww_exec_ctx *x, const ww_uop *u)
{
    struct ww_shadow *s = x->warp->cta->shadow;
    uint32_t warp = x->warp->index;
    switch ((ww_sub)u->inst->sub) {
    case WW_SUB_COMMIT:
        next_of_warp(s, s->products, warp);
        break;
    case WW_SUB_WAIT_GROUP:
        ww__shadow_products_passed(s, warp, (uint32_t)u->inst->offset);
        break;
    default:
        next_of_warp(s, s->order, warp);
        break;
    }
    return ww__shadow_run_inner(x, u);
}

/* Initial values may come between a fence and the first product behind it: nvcc moves them there
 * from before the fence, and ptxas, which sees them, keeps the order (C7510). What used the
 * register before is another value. */
static bool may_follow_fence(const struct ww_shadow *s, uint32_t warp, const ww_inst *inst)
{
    return inst->op == WW_OP_MOV && s->order[warp] > 1 && s->multiplied[warp] < s->order[warp];
}

static void use_operand(const ww_exec_ctx *x, const ww_uop *u, const ww_operand *o)
{
    const struct ww_shadow *s = x->warp->cta->shadow;
    const uint32_t warp = x->warp->index;
    const uint32_t ended = ww__shadow_seen(s, warp, ww__shadow_products(s, warp), false);
    uint32_t *in_flight = of_warp(x, s->in_flight), *touched = of_warp(x, s->touched);
    for (uint32_t reg = o->reg; o->kind == WW_OPD_REG && reg < o->reg + o->words; reg++) {
        if (in_flight[reg] > ended) {
            ww__memcheck_register(x, u, reg, WW_HAZARD_IN_FLIGHT);
            in_flight[reg] = 0; /* once */
        }
        touched[reg] = may_follow_fence(s, warp, u->inst) ? 0 : s->order[warp];
    }
}

ww_status ww__checked_registers(ww_exec_ctx *x, const ww_uop *u)
{
    const ww_inst *inst = u->inst;
    if (inst->op != WW_OP_WGMMA && !x->env->at_edge) {
        for (unsigned k = 0; k < inst->dst_count; k++) {
            use_operand(x, u, &inst->dst[k]);
        }
        for (unsigned k = 0; k < inst->src_count; k++) {
            use_operand(x, u, &inst->src[k]);
        }
    }
    return x->code->checks[u - x->code->uop](x, u);
}
