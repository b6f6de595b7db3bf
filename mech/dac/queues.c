/* queues.c - what the expansion units leave for each warp of the kernel (sections 4.1 to 4.3): line
 * addresses and predicates, in program order, and the locks that keep requested lines in the L1D.
 */
#include <string.h>

#include "base/assert.h"
#include "mech/dac/dac.h"

static const dac_record *record_at(const dac_queue *q, uint32_t i)
{
    WW_ASSERT(i < q->count);
    return &q->record[(q->first + i) % DAC_RECORDS];
}

static dac_unlocks *unlocks_of(const dac *s, uint32_t warp)
{
    dac_unlocks *u = &s->unlock[warp];
    WW_ASSERT(u < s->unlock + s->slots && u->count <= 4 * DAC_LINES);
    return u;
}

/* Records of the access at the head; *whole: the last one is among them. */
static uint32_t head_records(const dac_queue *q, bool *whole)
{
    uint32_t n = 0;
    *whole = false;
    while (n < q->count && !*whole) {
        *whole = record_at(q, n)->last;
        n++;
    }
    return n;
}

/* An access may issue when all its records are there, or all for which its queue has room, and the
 * data of each have arrived. */
bool dac_address_ready(const dac *s, uint32_t warp, uint32_t pc, bool *data)
{
    const dac_queue *q = &s->queue[warp];
    bool whole;
    uint32_t n = head_records(q, &whole);
    (void)pc;
    *data = false;
    if (n == 0 || q->through || (!whole && n < s->queue_size)) {
        return false;
    }
    for (uint32_t i = 0; i < n; i++) {
        if (record_at(q, i)->state == DAC_WAITING) {
            *data = true;
            return false;
        }
    }
    return unlocks_of(s, warp)->count + n <= 4 * DAC_LINES;
}

bool dac_predicate_ready(const dac *s, uint32_t warp)
{
    return s->predicate[warp].count > 0;
}

uint32_t dac_address_room(const dac *s, uint32_t warp)
{
    const dac_queue *q = &s->queue[warp];
    WW_ASSERT(q->count <= s->queue_size);
    return q->through ? 1 : s->queue_size - q->count;
}

void dac_push_record(dac *s, uint32_t warp, const dac_record *record)
{
    dac_queue *q = &s->queue[warp];
    dac_count(s, WW_C_DAC_PWAQ_WRITE, 1);
    if (q->through) { /* its access has issued: the record only passes */
        dac_count(s, WW_C_DAC_PWAQ_READ, 1);
        q->through = !record->last;
        return;
    }
    WW_ASSERT(q->count < DAC_RECORDS);
    q->record[(q->first + q->count++) % DAC_RECORDS] = *record;
    if (record->state == DAC_WAITING) {
        ww_warps_add(&s->awaiting, warp);
    }
    dac_recheck(s, warp);
}

void dac_push_predicate(dac *s, uint32_t warp, dac_predicate p)
{
    dac_predicates *q = &s->predicate[warp];
    WW_ASSERT(q->count < DAC_RECORDS);
    q->entry[(q->first + q->count++) % DAC_RECORDS] = p;
    dac_count(s, WW_C_DAC_PWPQ_WRITE, 1);
    dac_recheck(s, warp);
}

/* ---- what a warp takes ---- */

void dac_touch(dac_lines *lines, uint64_t line_bytes, uint64_t address, uint32_t bytes)
{
    const uint64_t word = 4;
    for (uint64_t at = address / word * word; at < address + bytes; at += word) {
        uint64_t line = at / line_bytes * line_bytes;
        uint32_t k = 0;
        while (k < lines->count && lines->line[k] != line) {
            k++;
        }
        if (k == lines->count && k < DAC_LINES) {
            lines->line[k] = line;
            lines->words[k] = 0;
            lines->count++;
        }
        if (k < DAC_LINES) {
            lines->words[k] |= UINT32_C(1) << ((at - line) / word % 32);
        }
    }
}

/* Lines that the access really touches. */
static void real_lines(const dac *s, const ww_step *step, dac_lines *lines)
{
    lines->count = 0;
    for (uint32_t m = step->exec; m != 0; m &= m - 1) {
        dac_touch(lines, s->arch->l1d.line_bytes, step->address[__builtin_ctz(m)],
                  step->lane_bytes);
    }
}

/* The evaluator's addresses against the executor's. */
static bool agrees(const dac *s, const dac_queue *q, uint32_t n, bool whole, const ww_step *step)
{
    dac_lines real;
    uint32_t known = 0;
    real_lines(s, step, &real);
    for (uint32_t i = 0; i < n; i++) {
        const dac_record *r = record_at(q, i);
        if (r->lost) {
            return true;
        }
        if (r->pc != step->pc) {
            return false;
        }
        if (r->empty) {
            continue;
        }
        if (known >= real.count || r->line != real.line[known] || r->words != real.words[known]) {
            return false;
        }
        known++;
    }
    return !whole || known == real.count;
}

void dac_take_address(dac *s, uint32_t warp, const ww_step *step)
{
    dac_queue *q = &s->queue[warp];
    dac_unlocks *u = unlocks_of(s, warp);
    bool whole, lost = false;
    uint32_t n = head_records(q, &whole);
    bool right = n > 0 && agrees(s, q, n, whole, step);
    dac_count(s, WW_C_MECH_MISMATCH, !right);
    for (uint32_t i = 0; i < n; i++) {
        const dac_record *r = record_at(q, i);
        lost = lost || r->lost;
        if (r->locked && step->exec != 0 && u->count < 4 * DAC_LINES) {
            u->line[u->count++] = r->line;
        } else if (r->locked) {
            dac_count(s, WW_C_DAC_UNLOCK, 1);
            ww_mech_unlock(s->sm, r->line);
        }
    }
    q->first = (q->first + n) % DAC_RECORDS;
    WW_ASSERT(n <= q->count);
    q->count -= n;
    q->through = n > 0 && !whole;
    dac_count(s, WW_C_DAC_PWAQ_READ, n);
    dac_count(s, WW_C_DAC_DEQUEUED, right && !lost);
    s->stuck = false;
}

void dac_take_predicate(dac *s, uint32_t warp, const ww_step *step, uint32_t mask)
{
    dac_predicates *q = &s->predicate[warp];
    if (q->count == 0) {
        dac_count(s, WW_C_MECH_MISMATCH, 1);
        return;
    }
    const dac_predicate *p = &q->entry[q->first];
    bool same = ((p->mask ^ mask) & step->exec) == 0;
    dac_count(s, WW_C_MECH_MISMATCH, !p->lost && !same);
    q->first = (q->first + 1) % DAC_RECORDS;
    q->count--;
    dac_count(s, WW_C_DAC_PWPQ_READ, 1);
    dac_count(s, WW_C_DAC_DEQUEUED, !p->lost && same);
    s->stuck = false;
}

/* ---- locks ---- */

void dac_unlock_line(dac *s, uint32_t warp, uint64_t line)
{
    dac_unlocks *u = unlocks_of(s, warp);
    for (uint32_t i = 0; i < u->count; i++) {
        if (u->line[i] == line) {
            u->line[i] = u->line[--u->count];
            dac_count(s, WW_C_DAC_UNLOCK, 1);
            ww_mech_unlock(s->sm, line);
            s->stuck = false;
            return;
        }
    }
}

void dac_line_arrived(dac *s, uint64_t line)
{
    for (ww_warps_walk m = ww_warps_from(s->awaiting); ww_warps_next(&m);) {
        uint32_t w = m.warp, still = 0;
        dac_queue *q = &s->queue[w];
        for (uint32_t i = 0; i < q->count; i++) {
            dac_record *r = &q->record[(q->first + i) % DAC_RECORDS];
            if (r->state == DAC_WAITING && r->line == line) {
                r->state = DAC_READY;
            }
            still += r->state == DAC_WAITING;
        }
        if (still == 0) {
            ww_warps_remove(&s->awaiting, w);
        }
        dac_recheck(s, w);
    }
}

/* A store evicts its line, locked or not, and its lock count with it: what was requested is lost,
 * and the access will miss. */
void dac_line_left(dac *s, uint64_t line)
{
    for (uint32_t w = 0; w < s->slots; w++) {
        dac_queue *q = &s->queue[w];
        dac_unlocks *u = unlocks_of(s, w);
        for (uint32_t i = 0; i < q->count; i++) {
            dac_record *r = &q->record[(q->first + i) % DAC_RECORDS];
            if (r->locked && r->line == line) {
                r->locked = false;
                r->state = DAC_READY;
                dac_count(s, WW_C_DAC_LOST, 1);
                dac_recheck(s, w);
            }
        }
        for (uint32_t i = u->count; i-- > 0;) {
            if (u->line[i] == line) {
                u->line[i] = u->line[--u->count];
                dac_count(s, WW_C_DAC_LOST, 1);
            }
        }
    }
}

void dac_line_stored(dac *s, uint32_t cta, uint64_t line)
{
    for (ww_warps_walk m = ww_warps_from(ww_warps_both(s->warps_of[cta], s->awaiting));
         ww_warps_next(&m);) {
        const dac_queue *q = &s->queue[m.warp];
        for (uint32_t i = 0; i < q->count; i++) {
            const dac_record *r = record_at(q, i);
            dac_count(s, WW_C_DAC_STALE, r->state == DAC_WAITING && r->line == line);
        }
    }
}

void dac_forget_warp(dac *s, uint32_t warp)
{
    dac_queue *q = &s->queue[warp];
    dac_unlocks *u = unlocks_of(s, warp);
    for (uint32_t i = 0; i < q->count; i++) {
        if (record_at(q, i)->locked) {
            ww_mech_unlock(s->sm, record_at(q, i)->line);
        }
    }
    for (uint32_t i = 0; i < u->count; i++) {
        ww_mech_unlock(s->sm, u->line[i]);
    }
    for (uint32_t i = 0; i < s->atq_count; i++) { /* its slot may be another warp's at once */
        ww_warps_remove(&s->atq[(s->atq_first + i) % s->atq_size].todo, warp);
    }
    if (s->addresses.lines.warp == warp) {
        s->addresses.lines.warp = UINT32_MAX;
    }
    s->partial[warp] = 0;
    q->count = s->predicate[warp].count = u->count = 0;
    q->through = false;
    ww_warps_remove(&s->awaiting, warp);
    ww_warps_remove(&s->returned, warp);
}
