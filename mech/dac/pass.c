/* pass.c - decoupling as code (section 4.7): the affine stream is appended to the kernel, and the
 * kernel's own instructions are marked as absent, or as taking their addresses and predicates from
 * queues. */
#include <string.h>

#include "mech/dac/dac.h"
#include "perf/ptx/decoupling.h"

typedef struct passer {
    const ww_mech_build *build;
    const ww_kernel *kernel;
    ww_arena scratch;
    ww_view view;
    ww_chains chains;
    ww_affine affine;
    ww_decoupled streams;
    ww_error *err;
} passer;

static ww_status no_memory(const passer *p)
{
    return ww_no_memory_for(p->err, "kernel %.200s", p->kernel->name);
}

static ww_status analyse(passer *p)
{
    const ww_decouple_options options = ww_decouple_options_of(&p->build->arch->dac);
    WW_TRY(ww_view_of_kernel(p->kernel, &p->scratch, &p->view, p->err));
    WW_TRY(ww_chains_build(&p->view, &p->scratch, &p->chains, p->err));
    WW_TRY(ww_affine_build(&p->view, &p->chains, &p->scratch, &p->affine, p->err));
    return ww_decouple(&p->affine, &p->chains, &options, p->build->arena, &p->streams, p->err);
}

/* ---- the affine stream as code ---- */

static bool is_access(uint16_t stream)
{
    return (stream & (WW_STREAM_DATA | WW_STREAM_ADDRESS)) != 0;
}

/* An enqueue instruction reads the tuple, and writes no register. */
static bool make_enqueue(ww_arena *arena, const ww_inst *from, ww_inst *out)
{
    ww_operand source = from->src_count > 0 ? from->src[0] : ww_opd_imm(0);
    bool reads = source.kind == WW_OPD_REG;
    ww_type type = reads && source.words == 2 ? WW_T_B64 : WW_T_B32;
    if (!ww__inst_init(out, arena, WW_OP_MOV, type, 1, 1)) {
        return false;
    }
    out->line = from->line;
    out->src[0] = reads ? source : ww_opd_imm(0);
    out->src[0].flags = 0;
    return true;
}

static bool make_control(ww_arena *arena, ww_op op, uint32_t line, ww_inst *out)
{
    if (!ww__inst_init(out, arena, op, WW_T_NONE, 0, 0)) {
        return false;
    }
    out->line = line;
    out->target = op == WW_OP_BRA ? 0 : WW_NO_TARGET;
    return true;
}

/* An instruction at which the path of the affine warp may stop or turn. */
static bool turns(const ww_kernel *kernel, const uint16_t *stream, uint32_t i)
{
    ww_op op = (ww_op)kernel->code[i].op;
    return (stream[i] & WW_STREAM_AFFINE) != 0 || op == WW_OP_BRA || op == WW_OP_EXIT ||
           op == WW_OP_RET;
}

/* Where control goes behind instruction i without a decision of the affine warp's: the next one of
 * its stream, or count for the end. */
static uint32_t straight_on(const ww_kernel *kernel, const uint16_t *stream, uint32_t i)
{
    uint32_t at = i + 1;
    for (uint32_t steps = 0; at < kernel->code_count && steps <= kernel->code_count; steps++) {
        const ww_inst *inst = &kernel->code[at];
        if ((stream[at] & WW_STREAM_AFFINE) != 0) {
            return at;
        }
        if (inst->op == WW_OP_BRA && inst->guard.kind == WW_OPD_NONE) {
            at = inst->target;
        } else if (inst->op == WW_OP_BRA) {
            at = inst->reconv != WW_NO_TARGET ? inst->reconv : kernel->code_count;
        } else if (inst->guard.kind == WW_OPD_NONE &&
                   (inst->op == WW_OP_EXIT || inst->op == WW_OP_RET)) {
            return kernel->code_count;
        } else {
            at++;
        }
    }
    return kernel->code_count;
}

static uint32_t next_in_text(const ww_kernel *kernel, const uint16_t *stream, uint32_t i)
{
    do {
        i++;
    } while (i < kernel->code_count && (stream[i] & WW_STREAM_AFFINE) == 0);
    return i;
}

typedef struct writer {
    ww_kernel *kernel; /* with room for the affine stream */
    dac_copy *copy;
    uint32_t copies;
    uint32_t count; /* instructions of the kernel */
    size_t room;    /* for both streams */
    ww_arena *arena;
} writer;

static ww_inst *append(writer *w, uint32_t inst, dac_kind kind)
{
    WW_ASSERT(w->count + w->copies < w->room && inst < w->count);
    w->copy[w->copies] = (dac_copy){inst, (uint8_t)kind};
    return &w->kernel->code[w->count + w->copies++];
}

static bool write_copies(writer *w, const uint16_t *stream, uint32_t i)
{
    const ww_inst *inst = &w->kernel->code[i];
    if (is_access(stream[i])) {
        return make_enqueue(w->arena, inst, append(w, i, DAC_ENQUEUE));
    }
    *append(w, i, DAC_COPY) = *inst;
    bool fits = true;
    if ((stream[i] & WW_STREAM_PREDICATE) != 0) {
        fits = make_enqueue(w->arena, inst, append(w, i, DAC_ENQUEUE_PREDICATE));
    }
    return fits;
}

/* A jump where the text does not go on as control does. */
static bool write_jump(writer *w, const uint16_t *stream, uint32_t i)
{
    uint32_t next = straight_on(w->kernel, stream, i);
    if (next == next_in_text(w->kernel, stream, i)) {
        return true;
    }
    return make_control(w->arena, WW_OP_BRA, w->kernel->code[i].line, append(w, i, DAC_JUMP));
}

static ww_status write_stream(const passer *p, ww_kernel *kernel, dac_notes *notes)
{
    ww_arena *arena = p->build->arena;
    const uint16_t *stream = p->streams.stream;
    uint32_t n = p->kernel->code_count;
    size_t room = (size_t)n + 3 * (size_t)p->streams.affine + 1;
    ww_inst *code = WW_ARENA_NEW_ARRAY(arena, ww_inst, room);
    dac_copy *copy = WW_ARENA_NEW_ARRAY(arena, dac_copy, room);
    uint32_t *copy_of = WW_ARENA_NEW_ARRAY(arena, uint32_t, (size_t)n + 1);
    uint32_t *hop = WW_ARENA_NEW_ARRAY(arena, uint32_t, (size_t)n + 1);
    if (code == NULL || copy == NULL || copy_of == NULL || hop == NULL) {
        return no_memory(p);
    }
    memcpy(code, p->kernel->code, n * sizeof *code);
    kernel->code = code;
    writer w = {.kernel = kernel, .copy = copy, .count = n, .room = room, .arena = arena};
    for (uint32_t i = 0; i < n; i++) {
        copy_of[i] = w.copies;
        if ((stream[i] & WW_STREAM_AFFINE) != 0 &&
            (!write_copies(&w, stream, i) || !write_jump(&w, stream, i))) {
            return no_memory(p);
        }
    }
    if (!make_control(arena, WW_OP_EXIT, code[n - 1].line, append(&w, n - 1, DAC_END))) {
        return no_memory(p);
    }
    hop[n] = n;
    for (uint32_t i = n; i-- > 0;) {
        hop[i] = turns(p->kernel, stream, i) ? i : hop[i + 1];
    }
    *notes = (dac_notes){.count = n,
                         .stream = stream,
                         .copy = copy,
                         .copies = w.copies,
                         .copy_of = copy_of,
                         .hop = hop};
    kernel->code_count = n + w.copies;
    return WW_OK;
}

/* ---- what is left of the kernel's own instructions ---- */

static ww_inst_shape shape_of(uint16_t stream, const ww_inst *inst)
{
    ww_inst_shape shape = {.absent = (stream & WW_STREAM_ABSENT) != 0};
    if (is_access(stream)) {
        shape.addressed = true;
        shape.unread = (uint16_t)(1u | WW_UNREAD_GUARD);
    } else if ((stream & WW_STREAM_DEQUEUES) != 0) {
        shape.unread = inst->op == WW_OP_BRA ? WW_UNREAD_GUARD : (uint16_t)0x7fff;
    }
    return shape;
}

/* A comparison that a branch of the kernel's warps dequeues itself. */
static bool feeds_branch(const passer *p, const dac_notes *notes, uint32_t i)
{
    if ((notes->stream[i] & WW_STREAM_PREDICATE) == 0) {
        return false;
    }
    for (uint32_t a = p->view.writes[i]; a < p->view.reads[i + 1]; a++) {
        uint32_t n;
        const uint32_t *use = ww_chain(&p->chains, a, &n);
        for (uint32_t k = 0; k < n; k++) {
            uint32_t by = p->view.access[use[k]].inst;
            if (p->kernel->code[by].op == WW_OP_BRA &&
                (notes->stream[by] & WW_STREAM_DEQUEUES) != 0) {
                return true;
            }
        }
    }
    return false;
}

static ww_status write_shapes(const passer *p, ww_kernel *kernel, dac_notes *notes)
{
    ww_inst_shape *shape =
        WW_ARENA_NEW_ARRAY(p->build->arena, ww_inst_shape, (size_t)kernel->code_count + 1);
    bool *masks = WW_ARENA_NEW_ARRAY(p->build->arena, bool, (size_t)notes->count + 1);
    bool *to_warps = WW_ARENA_NEW_ARRAY(p->build->arena, bool, (size_t)notes->count + 1);
    bool *keeps = WW_ARENA_NEW_ARRAY(p->build->arena, bool, (size_t)notes->count + 1);
    bool *divisor = WW_ARENA_NEW_ARRAY(p->build->arena, bool, (size_t)notes->count + 1);
    if (shape == NULL || masks == NULL || to_warps == NULL || keeps == NULL || divisor == NULL) {
        return no_memory(p);
    }
    for (uint32_t i = 0; i < p->streams.condition_count; i++) {
        keeps[p->streams.condition[i]] = true;
    }
    for (uint32_t i = 0; i < notes->count; i++) {
        shape[i] = shape_of(notes->stream[i], &kernel->code[i]);
        masks[i] = ww_affine_guard(&p->affine, i).kind == WW_AFFINE_THREAD;
        uint32_t test = ww_affine_divisor(&p->view, &p->chains, i);
        if (test != WW_NO_TARGET) {
            divisor[test] = true;
        }
        to_warps[i] = (notes->stream[i] & WW_STREAM_DEQUEUES) != 0 || feeds_branch(p, notes, i);
    }
    kernel->shape = shape;
    notes->masks = masks;
    notes->to_warps = to_warps;
    notes->divisor = divisor;
    notes->keeps = keeps;
    return WW_OK;
}

/* Whether an instruction computes on scalars and thread indices alone, whatever it does with them
 * and under whatever control (Figure 6): a memory access by its address, others by all they read.
 */
static bool is_potentially_affine(const passer *p, uint32_t i)
{
    const ww_inst *inst = &p->kernel->code[i];
    const ww_kind kind =
        ww_isa_form((ww_op)inst->op, (ww_type)inst->type, (ww_type)inst->type2, (ww_sub)inst->sub)
            .kind;
    const uint32_t sources = kind == WW_KIND_MEMORY && inst->src_count > 0 ? 1 : inst->src_count;
    bool known = inst->dst_count + sources > 0 || inst->guard.kind == WW_OPD_PRED;
    known = known && ww_affine_known(ww_affine_guard(&p->affine, i));
    for (uint32_t k = 0; k < sources && known; k++) {
        known = ww_affine_known(ww_affine_source(&p->affine, i, k));
    }
    return known;
}

static ww_status decouple(passer *p, const ww_kernel **kernel, const void **out)
{
    WW_TRY(analyse(p));
    ww_kernel *k = WW_ARENA_NEW(p->build->arena, ww_kernel);
    dac_notes *notes = WW_ARENA_NEW(p->build->arena, dac_notes);
    if (k == NULL || notes == NULL) {
        return no_memory(p);
    }
    *k = *p->kernel;
    uint32_t potential = 0;
    for (uint32_t i = 0; i < p->kernel->code_count; i++) {
        potential += is_potentially_affine(p, i);
    }
    if (p->streams.affine > 0 && p->kernel->shape == NULL) {
        WW_TRY(write_stream(p, k, notes));
        WW_TRY(write_shapes(p, k, notes));
        *kernel = k;
    } /* else nothing to decouple, or another pass has divided the kernel */
    notes->whole = p->kernel->code_count;
    notes->potential = potential;
    *out = notes;
    return WW_OK;
}

ww_status dac_pass(const ww_mech_build *build, const ww_kernel **kernel, const void **notes,
                   ww_error *err)
{
    passer p = {.build = build, .kernel = build->kernel, .err = err};
    ww_arena_init(&p.scratch);
    ww_status st = decouple(&p, kernel, notes);
    ww_arena_fini(&p.scratch);
    return st;
}
