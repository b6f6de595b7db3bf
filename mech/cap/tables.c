/* tables.c - see tables.h. */
#include "mech/cap/tables.h"

#include <string.h>

#include "base/assert.h"

ww_status cap_tables_init(cap_tables *t, cap_shape shape, ww_error *err)
{
    *t = (cap_tables){.shape = shape,
                      .base = WW_NEW_ARRAY(cap_base, (size_t)shape.ctas * shape.bases),
                      .dist = WW_NEW_ARRAY(cap_dist, shape.strides),
                      .born = WW_NEW_ARRAY(uint64_t, shape.ctas),
                      .warps = WW_NEW_ARRAY(uint32_t, shape.ctas)};
    if (t->base == NULL || t->dist == NULL || t->born == NULL || t->warps == NULL) {
        cap_tables_fini(t);
        return ww_no_memory_for(err, "the tables of a prefetcher");
    }
    return WW_OK;
}

void cap_tables_fini(cap_tables *t)
{
    ww_free(t->base);
    ww_free(t->dist);
    ww_free(t->born);
    ww_free(t->warps);
    ww_free(t->lead);
    ww_free(t->way);
    *t = (cap_tables){0};
}

ww_status cap_tables_begin(cap_tables *t, uint32_t pcs, ww_error *err)
{
    uint16_t *lead = ww_realloc_array(t->lead, pcs, sizeof *lead);
    t->lead = lead != NULL ? lead : t->lead;
    cap_way *way = ww_realloc_array(t->way, pcs, sizeof *way);
    t->way = way != NULL ? way : t->way;
    if (lead == NULL || way == NULL) {
        return ww_no_memory_for(err, "the tables of a prefetcher");
    }
    t->pcs = pcs;
    memset(way, 0, pcs * sizeof *way);
    memset(lead, 0xff, pcs * sizeof *lead); /* CAP_NO_CTA */
    memset(t->base, 0, (size_t)t->shape.ctas * t->shape.bases * sizeof *t->base);
    memset(t->dist, 0, t->shape.strides * sizeof *t->dist);
    memset(t->born, 0, t->shape.ctas * sizeof *t->born);
    t->marks = 0;
    t->walking = NULL;
    return WW_OK;
}

static cap_base *bases_of(const cap_tables *t, uint32_t cta)
{
    return &t->base[(size_t)cta * t->shape.bases];
}

static cap_base *find_base(const cap_tables *t, uint32_t cta, uint32_t pc)
{
    cap_base *of = bases_of(t, cta);
    for (uint32_t i = 0; i < t->shape.bases; i++) {
        if (of[i].valid && of[i].pc == pc) {
            return &of[i];
        }
    }
    return NULL;
}

static cap_dist *find_dist(const cap_tables *t, uint32_t pc)
{
    for (uint32_t i = 0; i < t->shape.strides; i++) {
        if (t->dist[i].valid && t->dist[i].pc == pc) {
            return &t->dist[i];
        }
    }
    return NULL;
}

static uint64_t bit(uint32_t warp)
{
    WW_ASSERT(warp < 64);
    return UINT64_C(1) << warp;
}

/* ---- marks: which warps of an entry are still to be served ---- */

static void unmark(cap_tables *t, cap_base *b)
{
    WW_ASSERT(b->marked == 0 || t->marks > 0);
    t->marks -= b->marked != 0;
    b->marked = 0;
    if (t->walking == b) {
        t->walking = NULL;
    }
}

static void mark(cap_tables *t, cap_base *b, uint64_t warps)
{
    warps &= ~b->past;
    if (warps == 0 || (b->again && !t->shape.loops)) {
        return;
    }
    if (b->marked == 0) {
        t->marks++;
        b->turn = ++t->clock;
    }
    b->marked |= warps;
}

/* The warp has its data, or has asked for them itself. */
static void pass(cap_tables *t, cap_base *b, uint32_t warp)
{
    if (!t->shape.ahead_only) {
        return;
    }
    b->past |= bit(warp);
    if (b->marked == bit(warp)) {
        unmark(t, b);
    } else if ((b->marked & bit(warp)) != 0) {
        b->marked &= ~bit(warp);
        t->walking = t->walking == b && t->walking_warp == warp ? NULL : t->walking;
    }
}

static void drop_base(cap_tables *t, cap_base *b)
{
    unmark(t, b);
    b->valid = false;
}

static uint64_t all_warps(uint32_t count)
{
    return count >= 64 ? UINT64_MAX : bit(count) - 1;
}

/* ---- places in the tables ---- */

/* Of a CTA whose entries are all taken, none where they are kept, else the least recently updated.
 */
static cap_base *place_for_base(cap_tables *t, uint32_t cta)
{
    cap_base *of = bases_of(t, cta), *victim = &of[0];
    for (uint32_t i = 0; i < t->shape.bases; i++) {
        if (!of[i].valid) {
            return &of[i];
        }
        victim = of[i].updated < victim->updated ? &of[i] : victim;
    }
    return t->shape.keep ? NULL : victim;
}

/* Whether some CTA has a base for the load. */
static bool in_use(const cap_tables *t, uint32_t pc)
{
    for (uint32_t cta = 0; cta < t->shape.ctas; cta++) {
        if (find_base(t, cta, pc) != NULL) {
            return true;
        }
    }
    return false;
}

static cap_dist *place_for_dist(const cap_tables *t)
{
    cap_dist *victim = NULL;
    for (uint32_t i = 0; i < t->shape.strides; i++) {
        cap_dist *d = &t->dist[i];
        if (!d->valid) {
            return d;
        }
        bool may_go = !t->shape.keep || !in_use(t, d->pc);
        if (may_go && (victim == NULL || d->updated < victim->updated)) {
            victim = d;
        }
    }
    return victim;
}

/* ---- CTAs ---- */

void cap_tables_cta_started(cap_tables *t, uint32_t cta, uint32_t warps)
{
    for (uint32_t i = 0; i < t->shape.bases; i++) {
        drop_base(t, &bases_of(t, cta)[i]);
    }
    t->born[cta] = ++t->clock;
    t->warps[cta] = warps;
}

static uint16_t oldest_cta(const cap_tables *t)
{
    uint16_t oldest = CAP_NO_CTA;
    for (uint32_t i = 0; i < t->shape.ctas; i++) {
        if (t->born[i] != 0 && (oldest == CAP_NO_CTA || t->born[i] < t->born[oldest])) {
            oldest = (uint16_t)i;
        }
    }
    return oldest;
}

/* Where it led, the oldest CTA leads from now on. */
void cap_tables_cta_ended(cap_tables *t, uint32_t cta)
{
    for (uint32_t i = 0; i < t->shape.bases; i++) {
        drop_base(t, &bases_of(t, cta)[i]);
    }
    t->born[cta] = 0;
    uint16_t heir = oldest_cta(t);
    for (uint32_t pc = 0; pc < t->pcs; pc++) {
        if (t->lead[pc] == cta) {
            t->lead[pc] = heir;
        }
    }
}

/* ---- loads ---- */

static void set_base(cap_tables *t, cap_base *b, const cap_load *load, cap_events *events)
{
    b->valid = true;
    b->pc = load->pc;
    b->lead = load->warp;
    b->count = load->count;
    memcpy(b->address, load->address, sizeof b->address);
    memcpy(b->bytes, load->bytes, sizeof b->bytes);
    b->past = b->issued = 0;
    b->updated = ++t->clock;
    events->base_writes++;
}

/* Bytes from each warp's requests to its neighbour's, the same for all requests; false: none. */
static bool stride_between(const cap_base *b, const cap_load *load, int32_t *stride)
{
    int64_t warps = (int64_t)load->warp - (int64_t)b->lead;
    if (load->count != b->count || warps == 0) {
        return false;
    }
    for (uint32_t i = 0; i < load->count; i++) {
        int64_t distance = (int64_t)(load->address[i] - b->address[i]);
        if (distance % warps != 0 || distance / warps > INT32_MAX || distance / warps < INT32_MIN ||
            (i > 0 && distance / warps != *stride)) {
            return false;
        }
        *stride = (int32_t)(distance / warps);
    }
    return true;
}

static uint64_t predicted(const cap_base *b, const cap_dist *d, uint32_t warp, uint32_t request)
{
    int64_t warps = (int64_t)warp - (int64_t)b->lead;
    return b->address[request] + (uint64_t)(warps * d->stride);
}

static bool trusted(const cap_tables *t, const cap_dist *d)
{
    return d->mispredicts <= t->shape.threshold && d->stride != 0;
}

/* Marked for the generator, or served by it, from the present base on. */
static bool in_turn(const cap_base *b, uint32_t warp)
{
    return ((b->marked | (b->past & ~b->issued)) & bit(warp)) != 0;
}

static void verify(cap_tables *t, cap_base *b, cap_dist *d, const cap_load *load,
                   cap_events *events)
{
    if (t->shape.first_only && (b->issued & bit(load->warp)) != 0) {
        return;
    }
    bool right = load->count == b->count;
    for (uint32_t i = 0; right && i < load->count; i++) {
        right = load->address[i] == predicted(b, d, load->warp, i);
    }
    if (right) {
        events->requested = trusted(t, d) && in_turn(b, load->warp);
        pass(t, b, load->warp);
    } else {
        events->mispredicts++;
        events->dist_writes++;
        d->mispredicts = (uint8_t)(d->mispredicts + (d->mispredicts < CAP_MISPREDICTS_MOST));
        d->updated = ++t->clock;
    }
}

static uint64_t trailing_warps(const cap_tables *t, const cap_base *b, uint32_t cta)
{
    return all_warps(t->warps[cta]) & ~bit(b->lead);
}

/* Case a, figure 9a: a trailing warp of the leading CTA has come; in every other CTA that has a
 * base, the warp of the same index is next, or (figure 8b) all are. Where that is the CTA's own
 * leading warp, the index of the warp that led here takes its turn, which no trailing warp has. */
static void mark_others(cap_tables *t, const cap_load *load, uint32_t led, cap_events *events)
{
    for (uint32_t cta = 0; cta < t->shape.ctas; cta++) {
        if (cta == load->cta || t->born[cta] == 0) {
            continue;
        }
        events->walks++;
        cap_base *b = find_base(t, cta, load->pc);
        if (b != NULL) {
            uint32_t warp = load->warp != b->lead ? load->warp : led;
            WW_ASSERT(warp != b->lead); /* what has come is no leading warp of its CTA */
            if (t->shape.all_at_once) {
                mark(t, b, trailing_warps(t, b, cta));
            } else if (warp < t->warps[cta]) {
                mark(t, b, bit(warp));
            }
        }
    }
}

/* Case b, figure 9b: the base of a trailing CTA comes when the stride is known. */
static void mark_own(cap_tables *t, cap_base *b, uint32_t cta)
{
    mark(t, b, trailing_warps(t, b, cta));
}

/* Once for each CTA, though its entry may go and come back. */
static void watch_way(cap_tables *t, const cap_load *load, cap_events *events)
{
    cap_way *w = &t->way[load->pc];
    int64_t distance = (int64_t)(load->address[0] - w->address);
    if (w->born == t->born[load->cta]) {
        return;
    }
    w->born = t->born[load->cta];
    events->distances += w->addresses > 1;
    events->repeats += w->addresses > 1 && distance == w->distance;
    w->distance = distance;
    w->address = load->address[0];
    w->addresses += w->addresses < 2;
}

static void leading_load(cap_tables *t, cap_base *b, const cap_load *load, cap_events *events)
{
    const cap_dist *d = find_dist(t, load->pc);
    if (t->walking == b) {
        t->walking = NULL; /* what is left is made from the new base */
    }
    set_base(t, b, load, events);
    if (t->lead[load->pc] == CAP_NO_CTA) {
        t->lead[load->pc] = (uint16_t)load->cta;
    }
    if (d != NULL && t->lead[load->pc] != load->cta && trusted(t, d)) {
        mark_own(t, b, load->cta);
    }
}

/* A stride from the second warp of a CTA; NULL: these are not a stride apart. */
static cap_dist *learn_stride(cap_tables *t, cap_base *b, const cap_load *load, cap_events *events)
{
    int32_t stride = 0;
    if (!stride_between(b, load, &stride)) {
        drop_base(t, b);
        events->base_writes++;
        return NULL;
    }
    pass(t, b, load->warp);
    cap_dist *d = place_for_dist(t);
    if (d != NULL) {
        *d = (cap_dist){.valid = true, .pc = load->pc, .stride = stride, .updated = ++t->clock};
        events->dist_writes++;
    }
    return d;
}

void cap_tables_load(cap_tables *t, const cap_load *load, cap_events *events)
{
    events->lookups++;
    cap_base *b = find_base(t, load->cta, load->pc);
    if (b == NULL) {
        b = place_for_base(t, load->cta);
        if (b != NULL) {
            drop_base(t, b);
            b->again = false;
            watch_way(t, load, events);
            leading_load(t, b, load, events);
        }
        return;
    }
    if (b->lead == load->warp) {
        b->again = true;
        leading_load(t, b, load, events);
        return;
    }
    cap_dist *d = find_dist(t, load->pc);
    if (d != NULL) {
        verify(t, b, d, load, events);
    } else {
        d = learn_stride(t, b, load, events);
    }
    b->issued |= bit(load->warp);
    if (d != NULL && t->lead[load->pc] == load->cta && trusted(t, d)) {
        mark_others(t, load, b->lead, events);
    }
}

/* ---- the generator: the mark set first, warps and requests ascending ---- */

static cap_base *first_marked(const cap_tables *t)
{
    cap_base *first = NULL;
    for (uint32_t i = 0; i < t->shape.ctas * t->shape.bases; i++) {
        cap_base *b = &t->base[i];
        if (b->marked != 0 && (first == NULL || b->turn < first->turn)) {
            first = b;
        }
    }
    return first;
}

bool cap_tables_next(cap_tables *t, uint32_t grain, cap_request *out)
{
    while (t->marks > 0) {
        cap_base *b = first_marked(t);
        const cap_dist *d = find_dist(t, b->pc);
        if (d == NULL || !trusted(t, d)) {
            unmark(t, b);
            continue;
        }
        if (t->walking != b) {
            t->walking = b;
            t->walking_warp = (uint32_t)__builtin_ctzll(b->marked);
            t->request = 0;
            t->offset = 0;
        }
        uint64_t start = predicted(b, d, t->walking_warp, t->request);
        *out = (cap_request){.address = start / grain * grain + t->offset,
                             .cta = (uint32_t)(b - t->base) / t->shape.bases,
                             .warp = t->walking_warp};
        return true;
    }
    return false;
}

void cap_tables_advance(cap_tables *t, uint32_t grain)
{
    cap_base *b = &t->base[t->walking - t->base];
    const cap_dist *d = find_dist(t, b->pc);
    uint64_t start = d != NULL ? predicted(b, d, t->walking_warp, t->request) : 0;
    t->offset += grain;
    if (start / grain * grain + t->offset < start + b->bytes[t->request]) {
        return;
    }
    t->offset = 0;
    if (++t->request < b->count) {
        return;
    }
    t->walking = NULL;
    b->marked &= ~bit(t->walking_warp);
    b->past |= t->shape.ahead_only ? bit(t->walking_warp) : 0;
    t->marks -= b->marked == 0;
}
