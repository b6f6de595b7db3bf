/* expand.c - the Affine Tuple Queue, and the units that make line addresses and predicate masks of
 * its tuples (sections 4.2 and 4.3, Figure 11): one ALU each, an operation a cycle. */
#include <string.h>

#include "base/arith.h"
#include "base/assert.h"

#include "mech/dac/words.h"

static const uint32_t NOBODY = UINT32_MAX;

static dac_tuples *entry_at(const dac *s, uint32_t i)
{
    return &s->atq[(s->atq_first + i) % s->atq_size];
}

bool dac_atq_room(const dac *s)
{
    return s->atq_count < s->atq_size;
}

dac_tuples *dac_atq_push(dac *s)
{
    WW_ASSERT(s->atq_count < s->atq_size);
    dac_tuples *e = entry_at(s, s->atq_count++);
    e->written = false;
    dac_count(s, WW_C_DAC_ATQ_WRITE, 1);
    s->stuck = false;
    return e;
}

/* Warps of the pass under way whose mask nobody has made: its stack lacks them. */
static ww_warps lacking(const dac *s, const dac_tuples *e)
{
    return s->running ? ww_warps_both(e->unmade, s->pass) : WW_NO_WARPS;
}

bool dac_masks_made(const dac *s)
{
    for (uint32_t i = 0; i < s->atq_count; i++) {
        if (ww_warps_any(lacking(s, entry_at(s, i)))) {
            return false;
        }
    }
    return true;
}

bool dac_expand_busy(const dac *s)
{
    return s->atq_count > 0 && !s->stuck;
}

/* ---- barriers: what a CTA's warps have not passed yet closes it to the Address Expansion Unit
 * (section 4.2), as far as the barriers lie on the way of the warp served; predicates do not depend
 * on them ---- */

static bool is_closed(const dac *s, const dac_tuples *e, uint32_t warp)
{
    if (e->kind != DAC_ENQUEUE) {
        return false;
    }
    ww_warps live = ww_warps_both(s->warps_of[s->cta_of[warp]], s->covered);
    for (ww_warps_walk m = ww_warps_from(live); ww_warps_next(&m);) {
        uint32_t w = m.warp;
        if (s->barriers[w] < ww_min_u32(e->barriers[w], e->barriers[warp])) {
            return true;
        }
    }
    return false;
}

/* Operations with which a unit begins a CTA: one for each block index that counts. */
static uint32_t first_operations(const dac_value *v)
{
    uint32_t n = 0;
    for (uint32_t k = 0; k < v->count; k++) {
        uint32_t of_tuple = 0;
        for (unsigned d = WW_INDEX_BX; d < WW_INDEX_COUNT; d++) {
            of_tuple += v->word[k].tuple.offset[d] != 0;
        }
        n += of_tuple;
    }
    return n;
}

/* ---- addresses ---- */

/* Lines that a warp's lanes touch, in the order of the lanes: what +128 at a time gives for dense
 * offsets, and an operation for each line otherwise. */
static void list_lines(const dac *s, const dac_tuples *e, uint32_t warp, dac_lines *out)
{
    out->warp = warp;
    out->count = 0;
    out->lost = e->lost.of[warp] != 0;
    for (uint32_t m = e->lanes.of[warp]; m != 0; m &= m - 1) {
        uint64_t a;
        if (!dac_value_at(s, &e->address, warp, (uint32_t)__builtin_ctz(m), &a)) {
            out->lost = true;
        } else {
            dac_touch(out, s->arch->l1d.line_bytes, a, e->bytes);
        }
    }
    if (out->count == 0 || out->lost) {
        out->count = 1;
        out->line[0] = out->words[0] = 0;
    }
}

/* The next warp of a CTA that an entry serves: its accumulator goes from warp to warp. */
static uint32_t next_warp(const dac *s, const dac_tuples *e, uint32_t cta)
{
    ww_warps todo = ww_warps_both(e->todo, s->warps_of[cta]);
    return ww_warps_any(todo) ? ww_warps_first(todo) : NOBODY;
}

static bool has_room(const dac *s, const dac_tuples *e, uint32_t w)
{
    return e->kind == DAC_ENQUEUE ? dac_address_room(s, w) > 0
                                  : !e->to_warps || s->predicate[w].count < s->predicate_size;
}

/* Gives an entry to the CTAs that wait for no older one of its kind. */
static uint64_t offer(const dac *s, dac_tuples *e, uint64_t ctas, dac_tuples **head)
{
    uint64_t taken = 0;
    for (uint64_t m = ctas; m != 0; m &= m - 1) {
        uint32_t cta = dac_first_cta(m);
        if (ww_warps_any(ww_warps_both(ww_warps_both(e->todo, s->covered), s->warps_of[cta]))) {
            head[cta] = e->written ? e : NULL;
            taken |= dac_cta(cta);
        }
    }
    return taken;
}

/* Walks the queue once, from its head. Each CTA goes through it at its own pace, unless all are
 * kept to the oldest entry (dac.order). */
static void list_heads(const dac *s, dac_heads *out)
{
    uint64_t free[2] = {s->resident, s->resident}; /* CTAs that no older entry holds */
    memset(out, 0, sizeof *out);
    for (uint32_t i = 0; i < s->atq_count; i++) {
        dac_tuples *e = entry_at(s, i);
        bool predicate = e->kind == DAC_ENQUEUE_PREDICATE;
        if (predicate && out->unmade == NULL && ww_warps_any(lacking(s, e))) {
            out->unmade = e;
        }
        if (e->kind == DAC_END || !ww_warps_any(ww_warps_both(e->todo, s->covered))) {
            continue;
        }
        uint64_t taken = offer(s, e, free[predicate], predicate ? out->comparison : out->address);
        free[predicate] &= s->arch->dac.order == WW_DAC_ORDER_HEAD ? 0 : ~taken;
    }
}

/* A warp that a unit can serve now: CTAs in turn, so that one that waits does not keep others. */
static uint32_t choose(const dac *s, const dac_unit *unit, dac_tuples *const *head,
                       dac_tuples **out)
{
    for (uint32_t pass = 0; pass < 2; pass++) {
        uint64_t range = pass == 0 ? ~UINT64_C(0) << unit->next : ~(~UINT64_C(0) << unit->next);
        for (uint64_t m = s->resident & range; m != 0; m &= m - 1) {
            uint32_t cta = dac_first_cta(m);
            dac_tuples *e = head[cta];
            uint32_t w = e != NULL ? next_warp(s, e, cta) : NOBODY;
            if (w != NOBODY && has_room(s, e, w) && !is_closed(s, e, w)) {
                *out = e;
                return w;
            }
        }
    }
    return NOBODY;
}

/* Ways of a set that may be locked: a demand access needs one, or waits for ever (section 4.2). */
uint32_t dac_lockable_ways(const ww_arch *arch)
{
    return ww_min_u32(arch->dac.lock_ways, arch->l1d.ways - 1);
}

/* Asks for a line and locks it; false: not now. An access that has locked some of its lines does
 * not wait for other locks, or two that wait for each other would do so for ever: the line is left
 * to the access itself. */
static bool request(dac *s, dac_record *r, bool begun, uint64_t now)
{
    ww_inject_result result =
        ww_mech_request(s->sm, r->line, dac_lockable_ways(s->arch), now, &r->locked);
    s->refused = result == WW_INJECT_BUSY ? s->refused + 1 : 0;
    if (s->refused > 0 && s->refused + 1 >= s->arch->dac.port_share) {
        ww_mech_claim_l1d(s->sm, now + 1);
    }
    if (result == WW_INJECT_LOCKED && begun) {
        r->state = DAC_READY;
        return true;
    }
    if (result == WW_INJECT_BUSY || result == WW_INJECT_LATER || result == WW_INJECT_LOCKED) {
        return false;
    }
    dac_count(s, WW_C_DAC_REQUESTED, 1);
    dac_count(s, WW_C_DAC_SENT, result == WW_INJECT_SENT);
    dac_count(s, WW_C_DAC_LOCK, r->locked);
    r->state = result == WW_INJECT_PRESENT ? DAC_READY : DAC_WAITING;
    return true;
}

/* Begins a CTA with an entry: reads the tuple, and takes block indices into it. */
static bool begin_cta(dac *s, dac_unit *unit, dac_tuples *e, uint32_t w, uint32_t operations,
                      ww_counter counter, uint64_t now)
{
    uint64_t cta = dac_cta(s->cta_of[w]);
    if ((e->started & cta) != 0) {
        return false;
    }
    e->started |= cta;
    dac_count(s, WW_C_DAC_ATQ_READ, 1);
    dac_count(s, counter, operations);
    unit->busy_until = now + operations;
    return operations > 0;
}

/* One record of a warp. */
static void make_record(dac *s, dac_unit *unit, dac_tuples *e, uint32_t w, uint64_t now)
{
    dac_lines *l = &unit->lines;
    if (l->warp != w || l->entry != e) {
        list_lines(s, e, w, l);
        l->entry = e;
    }
    uint32_t at = s->partial[w];
    dac_record r = {
        .line = l->line[at], .words = l->words[at], .pc = e->pc, .last = at + 1 == l->count};
    r.empty = e->lanes.of[w] == 0;
    r.lost = l->lost;
    bool asks = e->data && !r.empty && !r.lost && !s->queue[w].through;
    unit->next = s->cta_of[w];
    if (asks && !request(s, &r, at > 0, now)) { /* another CTA's line may be there, or find a way */
        unit->next = (unit->next + 1) % DAC_CTAS;
        l->warp = NOBODY;
        return;
    }
    dac_count(s, WW_C_DAC_AEU, !r.empty);
    dac_push_record(s, w, &r);
    s->partial[w]++;
    if (r.last) {
        dac_count(s, WW_C_DAC_DCRF_READ, e->address.count > 1);
        ww_warps_remove(&e->todo, w);
        s->partial[w] = 0;
        l->warp = NOBODY;
    }
}

static bool expand_address(dac *s, const dac_heads *heads, uint64_t now)
{
    dac_unit *unit = &s->addresses;
    dac_tuples *e;
    uint32_t w = choose(s, unit, heads->address, &e);
    if (w == NOBODY) {
        return false;
    }
    if (!begin_cta(s, unit, e, w, first_operations(&e->address), WW_C_DAC_AEU, now)) {
        make_record(s, unit, e, w, now); /* if not now, in the next cycle */
    }
    return true;
}

/* ---- predicates ---- */

static bool agreed(const dac_value *v)
{
    for (uint32_t k = 0; k < v->count; k++) {
        if (v->word[k].form == DAC_LOST || !ww_tuple_is_cta_scalar(&v->word[k].tuple)) {
            return false;
        }
    }
    return true;
}

/* Whether first and last thread of the warp decide for those between: all lanes agree, and an
 * equality has both ends on one side. */
static bool convergent(const dac *s, const dac_tuples *e, uint32_t w)
{
    uint32_t lanes = e->active.of[w], set = e->lanes.of[w] & lanes;
    const ww_inst *inst = &s->kernel->code[e->pc];
    if ((set != 0 && set != lanes) || e->lost.of[w] != 0) {
        return false;
    }
    if (inst->cmp != WW_CMP_EQ && inst->cmp != WW_CMP_NE) {
        return true;
    }
    uint64_t a[2], b[2];
    uint32_t first = (uint32_t)__builtin_ctz(lanes), last = 31u - (uint32_t)__builtin_clz(lanes);
    dac_value_at(s, &e->left, w, first, &a[0]);
    dac_value_at(s, &e->left, w, last, &a[1]);
    dac_value_at(s, &e->right, w, first, &b[0]);
    dac_value_at(s, &e->right, w, last, &b[1]);
    return (a[0] < b[0] && a[1] < b[1]) || (a[0] > b[0] && a[1] > b[1]);
}

/* Makes the mask of a warp, or with one comparison those of a CTA; false: in a later cycle. */
static bool make_mask(dac *s, dac_tuples *e, uint32_t w, uint64_t now)
{
    dac_unit *unit = &s->comparisons;
    bool once = agreed(&e->left) && agreed(&e->right);
    if (begin_cta(s, unit, e, w, once ? 1 : first_operations(&e->left), WW_C_DAC_PEU, now)) {
        return false;
    }
    bool ends = !once && convergent(s, e, w);
    if (!once) {
        uint32_t tuples = e->left.count > e->right.count ? e->left.count : e->right.count;
        uint32_t n = 2 * (tuples > 0 ? tuples : 1);
        dac_count(s, WW_C_DAC_PEU, n);
        unit->busy_until = now + n;
    }
    if (!once && !ends) {
        dac_count(s, WW_C_DAC_LANE_COMPARE, 1);
        ww_mech_take_pass(s->sm, s->warp % s->arch->sm.schedulers,
                          (uint32_t)__builtin_popcount(e->active.of[w]));
    }
    ww_warps made = ww_warps_both(e->unmade, once ? s->warps_of[s->cta_of[w]] : ww_warps_only(w));
    dac_count(s,
              once   ? WW_C_DAC_PRED_SCALAR
              : ends ? WW_C_DAC_PRED_ENDS
                     : WW_C_DAC_PRED_LANES,
              ww_warps_count(ww_warps_both(made, s->covered)));
    e->unmade = ww_warps_without(e->unmade, made);
    return true;
}

static bool expand_predicate(dac *s, const dac_heads *heads, uint64_t now)
{
    dac_tuples *e;
    uint32_t w = choose(s, &s->comparisons, heads->comparison, &e);
    if (w == NOBODY) { /* the affine warp need not wait for those whose queue is full */
        e = heads->unmade;
        return e != NULL && e->written &&
               (make_mask(s, e, ww_warps_first(lacking(s, e)), now), true);
    }
    if (!make_mask(s, e, w, now)) {
        return true;
    }
    if (e->to_warps) {
        dac_push_predicate(s, w, (dac_predicate){e->pc, e->lanes.of[w], e->lost.of[w] != 0});
    }
    ww_warps_remove(&e->todo, w);
    s->comparisons.next = s->cta_of[w];
    return true;
}

/* ---- the queue ---- */

/* Frees entries at the head that have served all their warps. */
static bool retire(dac *s)
{
    uint32_t before = s->atq_count;
    while (s->atq_count > 0) {
        const dac_tuples *e = entry_at(s, 0);
        if (!e->written ||
            (e->kind != DAC_END && ww_warps_any(ww_warps_both(e->todo, s->covered)))) {
            break;
        }
        s->atq_first = (s->atq_first + 1) % s->atq_size;
        s->atq_count--;
    }
    return s->atq_count != before;
}

void dac_expand(dac *s, uint64_t now)
{
    bool busy = s->addresses.busy_until > now || s->comparisons.busy_until > now;
    dac_heads heads;
    list_heads(s, &heads);
    bool moved = s->addresses.busy_until <= now && expand_address(s, &heads, now);
    moved = (s->comparisons.busy_until <= now && expand_predicate(s, &heads, now)) || moved;
    moved = retire(s) || moved;
    s->stuck = !moved && !busy;
}
