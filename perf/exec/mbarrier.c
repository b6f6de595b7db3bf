/* mbarrier.c - barrier objects in shared memory (PTX ISA 8.x, "mbarrier"). An object is 64 bits
 * that PTX leaves open; here, from the lowest: arrivals still to come in this phase (20 bits),
 * arrivals of a phase (20), bytes of transactions still to come (21, signed), number of the phase
 * modulo 8 (3). A phase ends when neither arrivals nor bytes are to come. The state that an arrival
 * yields is the object as it was before. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "perf/exec/memcheck/shadow.h"
#include "perf/exec/memory/bulk.h"
#include "perf/exec/memory/engine_jobs.h"
#include "perf/exec/waits.h"

enum {
    COUNT_BITS = 20,
    BYTES_BITS = 21,
    EXPECTED_AT = 20,
    BYTES_AT = 40,
    PHASE_AT = 61,
    BYTES = 8
};
#define MOST_COUNT ((1 << COUNT_BITS) - 1)

typedef struct barrier_object {
    int64_t pending, expected, bytes;
    unsigned phase;
} barrier_object;

static barrier_object unpack(uint64_t v)
{
    int64_t bytes = (int64_t)(v >> BYTES_AT & ((1u << BYTES_BITS) - 1));
    return (barrier_object){
        .pending = (int64_t)(v & MOST_COUNT),
        .expected = (int64_t)(v >> EXPECTED_AT & MOST_COUNT),
        .bytes = bytes > MOST_COUNT ? bytes - (1 << BYTES_BITS) : bytes,
        .phase = (unsigned)(v >> PHASE_AT),
    };
}

static bool in_range(barrier_object b)
{
    return b.pending >= 0 && b.pending <= MOST_COUNT && b.expected >= 0 &&
           b.expected <= MOST_COUNT && b.bytes >= -MOST_COUNT && b.bytes <= MOST_COUNT;
}

static uint64_t pack(barrier_object b)
{
    uint64_t bytes = (uint64_t)b.bytes & ((1u << BYTES_BITS) - 1);
    WW_ASSERT(in_range(b)); /* else one field runs into the next */
    return (uint64_t)b.pending | (uint64_t)b.expected << EXPECTED_AT | bytes << BYTES_AT |
           (uint64_t)b.phase << PHASE_AT;
}

/* What the operation makes of the object; *truth is the result of a test. */
static barrier_object operate(ww_sub sub, barrier_object b, uint64_t number, bool *truth)
{
    bool may_end = true;
    switch (sub) {
    case WW_SUB_INIT:
        return (barrier_object){.pending = (uint32_t)number, .expected = (uint32_t)number};
    case WW_SUB_INVAL:
        return (barrier_object){0};
    case WW_SUB_ARRIVE_DROP:
        b.expected -= (uint32_t)number;
        b.pending -= (uint32_t)number;
        break;
    case WW_SUB_ARRIVE:
        b.pending -= (uint32_t)number;
        break;
    case WW_SUB_ARRIVE_EXPECT_TX:
        b.bytes += (uint32_t)number;
        b.pending -= 1;
        break;
    case WW_SUB_COMPLETE_TX:
        b.bytes -= (uint32_t)number;
        break;
    case WW_SUB_EXPECT_TX:
        b.bytes += (uint32_t)number;
        may_end = false;
        break;
    case WW_SUB_TEST: /* has the phase of that state ended? */
        *truth = b.phase != unpack(number).phase;
        return b;
    default: /* parity: that of the phase under way, which has not ended, or of the one before */
        *truth = (b.phase & 1) != (number & 1);
        return b;
    }
    if (may_end && b.pending == 0 && b.bytes == 0) {
        b.pending = b.expected;
        b.phase = (b.phase + 1) & 7;
    }
    return b;
}

static ww_status miscounted(const ww_exec_ctx *x, const ww_uop *u, unsigned lane, uint64_t address)
{
    return ww__lane_fault(x, u, lane,
                          "an mbarrier at 0x%llx counts more arrivals or bytes than it may",
                          (unsigned long long)address);
}

/* Under --memcheck: what becomes of an object, at that shared address seen from the CTA. */
static void note_change(ww_cta *from, uint64_t address, ww_sub sub, unsigned before, unsigned after)
{
    uint32_t offset;
    ww_cta *cta = from->shadow != NULL ? ww__cluster_find(from, address, &offset) : NULL;
    if (WW_LIKELY(cta == NULL)) {
        return;
    }
    if (sub == WW_SUB_INIT) {
        ww__shadow_object_init(cta->shadow, offset);
    } else if (before != after) {
        ww__shadow_object_ended(cta->shadow, offset);
    }
}

char *ww_waits_for_object(const ww_cta *cta, uint32_t object, char *buf, size_t size)
{
    uint64_t v = 0;
    object &= (1u << WW_CLUSTER_RANK_SHIFT) - 1;
    if (object <= cta->shared_bytes && BYTES <= cta->shared_bytes - object) {
        memcpy(&v, cta->shared + object, sizeof v);
    }
    const barrier_object b = unpack(v);
    int n = snprintf(buf, size, "mbarrier 0x%x, phase %u: %lld of %lld arrivals missing", object,
                     b.phase, (long long)b.pending, (long long)b.expected);
    if (b.bytes != 0 && n > 0 && (size_t)n < size) {
        snprintf(buf + n, size - (size_t)n, ", %lld bytes %s", (long long)llabs(b.bytes),
                 b.bytes > 0 ? "to come" : "not expected");
    }
    return buf;
}

ww_status ww__mbarrier_complete(ww_exec_ctx *x, const ww_uop *u, unsigned lane, ww_cta *cta,
                                uint32_t object, uint32_t bytes)
{
    if (object % BYTES != 0 || object > cta->shared_bytes || BYTES > cta->shared_bytes - object) {
        return ww__lane_fault(x, u, lane,
                              "%s names an mbarrier at 0x%x, out of bounds or misaligned: the CTA "
                              "has %u bytes of shared memory",
                              ww_op_name((ww_op)u->inst->op), object, cta->shared_bytes);
    }
    uint64_t v;
    bool truth = false;
    memcpy(&v, cta->shared + object, sizeof v); /* the host is little-endian */
    barrier_object b = operate(WW_SUB_COMPLETE_TX, unpack(v), bytes, &truth);
    if (!in_range(b)) {
        return miscounted(x, u, lane, object);
    }
    note_change(cta, object, WW_SUB_COMPLETE_TX, unpack(v).phase, b.phase);
    v = pack(b);
    memcpy(cta->shared + object, &v, sizeof v);
    return WW_OK;
}

unsigned ww_exec_phase(const ww_cta *cta, uint32_t object)
{
    uint64_t v = 0;
    memcpy(&v, cta->shared + object, sizeof v);
    return unpack(v).phase;
}

ww_status ww_exec_object(const ww_launch *launch, ww_cta *cta, const ww_object_op *op,
                         bool *flipped, ww_error *err)
{
    const ww_kernel *kernel = launch->kernel;
    uint64_t v;
    bool truth = false;
    memcpy(&v, cta->shared + op->object, sizeof v);
    const barrier_object old = unpack(v);
    const barrier_object b = operate((ww_sub)op->sub, old, op->number, &truth);
    if (!in_range(b)) {
        return ww_fail_at(err, WW_EKERNEL, kernel->file, (int)kernel->code[op->pc].line, 0,
                          "kernel %s: an mbarrier at 0x%x of CTA (%u,%u,%u) counts more %s than "
                          "it may",
                          kernel->name, op->object, cta->id[0], cta->id[1], cta->id[2],
                          b.pending < 0 ? "arrivals" : "bytes");
    }
    v = pack(b);
    memcpy(cta->shared + op->object, &v, sizeof v);
    *flipped = b.phase != old.phase;
    return WW_OK;
}

static bool is_test(ww_sub sub)
{
    return sub == WW_SUB_TEST || sub == WW_SUB_TEST_PARITY;
}

/* Objects of other CTAs take arrivals and bytes; who looks at one is in its own CTA. */
static ww_status check_remote(const ww_exec_ctx *x, const ww_uop *u)
{
    ww_sub sub = (ww_sub)u->inst->sub;
    if (is_test(sub) || sub == WW_SUB_INIT || sub == WW_SUB_INVAL) {
        return ww__lane_fault(x, u, (unsigned)__builtin_ctz(x->exec),
                              "mbarrier.%s on an object of another CTA", ww_sub_name(sub));
    }
    return WW_OK;
}

/* Of a generic one or one in shared memory. */
static uint64_t shared_address(uint64_t address)
{
    return address - WW_SHARED_WINDOW < WW_WINDOW_BYTES ? address - WW_SHARED_WINDOW : address;
}

static bool is_elsewhere(const ww_exec_ctx *x, unsigned lane)
{
    const uint64_t named = shared_address(x->out->address[lane]) >> WW_CLUSTER_RANK_SHIFT;
    return named != 0 && named - 1 != x->warp->cta->rank;
}

/* In time, an operation on an object of another CTA is a message, which takes its way there. */
static ww_status send(ww_exec_ctx *x, const ww_uop *u, unsigned lane, uint32_t number)
{
    const uint64_t address = shared_address(x->out->address[lane]);
    const ww_object_op op = {.sub = u->inst->sub,
                             .rank = (uint8_t)((address >> WW_CLUSTER_RANK_SHIFT) - 1),
                             .object = (uint32_t)address & ((1u << WW_CLUSTER_RANK_SHIFT) - 1),
                             .number = number};
    return ww__engine_op(x, &op) ? WW_OK : ww__pending_no_memory(x);
}

/* Without time, a warp whose test fails lets others go on, and what it waits for is known. */
static void note_test(const ww_exec_ctx *x, uint32_t failed)
{
    ww_warp *w = x->warp;
    if (failed == 0) {
        w->failed_tests = 0;
        return;
    }
    w->failed_tests++;
    w->tested_pc = x->out->pc;
    w->tested_object = (uint32_t)shared_address(x->out->address[__builtin_ctz(failed)]);
    x->out->wait = true;
}

/* In time, a try_wait that fails sleeps until the phase ends; one that its SM has let wait for long
 * enough says what it finds. */
static bool suspends(const ww_exec_ctx *x, const ww_uop *u, uint32_t failed)
{
    ww_engines *e = ww__engines(x);
    if (e == NULL || failed == 0 || (u->inst->layout & WW_OBJECT_TRY) == 0) {
        return false;
    }
    const uint64_t object = x->out->address[__builtin_ctz(failed)];
    bool one = failed == x->exec;
    for (uint32_t m = failed; m != 0; m &= m - 1) {
        one = one && x->out->address[__builtin_ctz(m)] == object;
    }
    e->sleeps = one && !e->gives_up;
    e->gives_up = false;
    e->object = (uint32_t)object & ((1u << WW_CLUSTER_RANK_SHIFT) - 1);
    return e->sleeps;
}

ww_status ww__run_mbarrier(ww_exec_ctx *x, const ww_uop *u)
{
    uint32_t scratch[WW_PAIR_WORDS];
    uint32_t state[WW_PAIR_WORDS] = {0};
    const uint32_t *number = u->src_count > 1 ? ww__src(x, &u->src[1], scratch) : NULL;
    ww_access groups[WW_ACCESS_GROUPS];
    unsigned count;
    uint32_t truths = 0, ended = 0;
    x->out->is_atomic = true;
    WW_TRY(ww__access_resolve(x, u, BYTES, groups, &count));
    WW_TRY(ww__access_require_shared(x, u, groups, count));
    if (WW_UNLIKELY(x->remote)) {
        WW_TRY(check_remote(x, u));
        if (x->env->pending != NULL && ww__engines(x) == NULL) {
            return ww__call_at_edge(x);
        }
    }
    for (uint32_t m = x->exec; m != 0; m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctz(m);
        if (WW_UNLIKELY(x->remote) && x->env->pending != NULL && is_elsewhere(x, lane)) {
            WW_TRY(send(x, u, lane, number != NULL ? number[lane] : 0));
            continue;
        }
        const ww_access *g = groups;
        while ((g->mask >> lane & 1) == 0) {
            g++;
        }
        void *p = (void *)(g->base + x->out->address[lane] + lane * g->lane_stride);
        uint64_t old;
        memcpy(&old, p, sizeof old); /* the host is little-endian */
        uint64_t n = number != NULL ? number[lane] : 0;
        if (u->src_count > 1 && u->src[1].words == 2) {
            n |= (uint64_t)number[lane + WW_LANES] << 32;
        }
        bool truth = false;
        barrier_object b = operate((ww_sub)u->inst->sub, unpack(old), n, &truth);
        if (!in_range(b)) {
            return miscounted(x, u, lane, x->out->address[lane]);
        }
        note_change(x->warp->cta, shared_address(x->out->address[lane]), (ww_sub)u->inst->sub,
                    unpack(old).phase, b.phase);
        uint64_t now = pack(b);
        memcpy(p, &now, sizeof now);
        ended += b.phase != unpack(old).phase;
        state[lane] = (uint32_t)old;
        state[lane + WW_LANES] = (uint32_t)(old >> 32);
        truths |= (uint32_t)truth << lane;
    }
    if (ended > 0 && ww__engines(x) != NULL) {
        ww__engines(x)->flips += ended;
    }
    if (is_test((ww_sub)u->inst->sub) && suspends(x, u, x->exec & ~truths)) {
        return ww__again(x);
    }
    if (u->dst_count > 0) {
        ww__dst_write(x, u->dst_list[0], state, 2);
    }
    ww__pred_write(x, u->pred_dst, truths);
    if (is_test((ww_sub)u->inst->sub) && x->env->pending == NULL) {
        note_test(x, x->exec & ~truths);
    }
    return WW_OK;
}

ww_status ww__decode_mbarrier(struct ww_exec_code *code, const ww_inst *inst, ww_uop *u,
                              ww_error *err)
{
    bool tests = is_test((ww_sub)inst->sub);
    if (inst->src_count < 1 || (inst->sub != WW_SUB_INVAL && inst->src_count < 2) ||
        (tests && inst->dst_count < 1)) {
        return ww__decode_malformed(code, inst, "operand missing", err);
    }
    u->run = ww__run_mbarrier;
    u->element_bytes = BYTES;
    WW_TRY(ww__decode_address(code, inst, u, err));
    if (inst->src_count > 1) {
        WW_TRY(ww__operand_resolve(code, inst, &inst->src[1],
                                   inst->sub == WW_SUB_TEST ? WW_T_U64 : WW_T_U32, &u->src[1],
                                   err));
        u->src_count = 2;
    }
    if (tests) {
        return ww__decode_predicate(code, inst, 0, &u->pred_dst, err);
    }
    return inst->dst_count > 0 ? ww__decode_destinations(code, inst, 2, u, err) : WW_OK;
}
