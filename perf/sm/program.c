/* program.c - static timing descriptors: unit and latency (timing.c), registers and banks of each
 * instruction. */
#include "perf/sm/program.h"

#include <string.h>

#include "base/assert.h"
#include "counters/counters.h"
#include "perf/sm/sm.h"
#include "perf/sm/volta_tile.h"

enum { MAX_REGS = 160 }; /* 32-bit registers one instruction may name on one side */

/* A small set of numbers, kept in order of appearance. */
typedef struct number_set {
    uint32_t value[2 * MAX_REGS];
    unsigned count;
} number_set;

static bool set_add(number_set *set, uint32_t value)
{
    for (unsigned i = 0; i < set->count; i++) {
        if (set->value[i] == value) {
            return true;
        }
    }
    if (set->count == WW_ARRAY_LEN(set->value)) {
        return false;
    }
    set->value[set->count++] = value;
    return true;
}

/* Registers (words) and predicates of one side of an instruction. */
typedef struct side {
    number_set regs, preds;
    unsigned operands; /* register operands, whatever their width */
} side;

static bool side_add(side *s, const ww_operand *o)
{
    if (o->kind == WW_OPD_PRED) {
        return set_add(&s->preds, o->reg);
    }
    if (ww_operand_registers(o) == 0) {
        return true;
    }
    s->operands++;
    for (uint32_t k = 0; k < o->words; k++) {
        if (s->regs.count >= MAX_REGS || !set_add(&s->regs, o->reg + k)) {
            return false;
        }
    }
    return true;
}

/* What lies beyond the SM: shared memory and the constant bank answer from inside it, within tens
 * of cycles. A generic address may be anywhere. GPGPU-Sim's scoreboard draws the line alike for
 * shared memory (scoreboard.cc, reserveRegisters). */
static bool reads_off_chip(const ww_inst *inst)
{
    if (inst->op == WW_OP_ST || inst->op == WW_OP_RED || inst->op == WW_OP_LDMATRIX) {
        return false;
    }
    return inst->space != WW_SPACE_SHARED && inst->space != WW_SPACE_CONST &&
           inst->space != WW_SPACE_PARAM;
}

static uint32_t memory_flags(const ww_inst *inst, const ww_arch *arch)
{
    uint32_t flags = WW_SM_OP_MEMORY;
    if (reads_off_chip(inst)) {
        flags |= WW_SM_OP_LONG;
    }
    if ((inst->mods & (WW_MOD_CACHE_CG | WW_MOD_CACHE_CV | WW_MOD_VOLATILE)) != 0) {
        flags |= WW_SM_OP_BYPASS_L1;
    }
    /* ld.global.nc goes through the texture path (PTX ISA, ld.global.nc); without a texture cache
     * of its own, or on request, that is the L1D. Machines before compute capability 3.5 lack the
     * instruction: what it reads, their programs fetch as a texture. */
    bool read_only = (inst->mods & WW_MOD_NC) != 0 && arch->l1t.bytes > 0 && !arch->peer.nc_in_l1d;
    if (inst->op == WW_OP_TEX || inst->op == WW_OP_TLD4 || read_only) {
        flags |= WW_SM_OP_TEXTURE;
    }
    if (inst->op == WW_OP_PREFETCH) {
        flags |= WW_SM_OP_PREFETCH;
    }
    if (ww__volta_tile_moves(arch, inst).count > 0) {
        flags |= WW_SM_OP_TILE;
    }
    return flags;
}

/* What the asynchronous part of the SM does or ends, and what waits for that, for registers of the
 * pool or for other grids. */
static bool leaves_to_engine(const ww_inst *inst)
{
    const uint32_t engines =
        WW_BY_BULK_GROUP | WW_BY_MATRIX_GROUP | WW_BY_OBJECT | WW_BY_ROOM | WW_BY_GRIDS;
    const ww_effects e = ww_inst_effects(inst);
    if (inst->op == WW_OP_CP_WAIT) { /* one operation for both kinds of groups */
        return inst->sub == WW_SUB_COMMIT_BULK || inst->sub == WW_SUB_WAIT_BULK;
    }
    return ((e.completes | e.waits) & engines) != 0;
}

static uint32_t uop_flags(const ww_inst *inst, const ww_form *form, const ww_arch *arch)
{
    uint32_t flags = 0;
    if (form->kind == WW_KIND_MEMORY) {
        flags |= memory_flags(inst, arch);
    }
    if (form->kind == WW_KIND_BRANCH) {
        flags |= WW_SM_OP_BRANCH;
        const bool conditional = inst->guard.kind == WW_OPD_PRED;
        flags |= conditional && arch->sm.fetch_awaits_branches ? WW_SM_OP_FORK : 0;
    }
    bool group = inst->op == WW_OP_CP_WAIT &&
                 (inst->sub == WW_SUB_COMMIT || inst->sub == WW_SUB_WAIT_GROUP ||
                  inst->sub == WW_SUB_WAIT_ALL);
    /* The wait for the latest group of bulk copies is one for all that the warp has in flight;
     * older groups are taken to have arrived. */
    bool bulk = inst->op == WW_OP_CP_WAIT && inst->sub == WW_SUB_WAIT_BULK && inst->offset == 0;
    if (inst->op == WW_OP_MEMBAR || bulk) {
        flags |= WW_SM_OP_FENCE;
    }
    flags |= group ? WW_SM_OP_GROUP : 0;
    flags |= ww_inst_folded(inst) != NULL ? WW_SM_OP_FOLDED : 0;
    flags |= leaves_to_engine(inst) ? WW_SM_OP_ENGINE : 0;
    flags |= inst->op == WW_OP_CP_ASYNC ? WW_SM_OP_COPY : 0;
    if ((inst->mods & WW_MOD_ONCE) != 0) {
        flags |= WW_SM_OP_ONCE;
    }
    if ((ww_inst_effects(inst).meets & WW_MEETS_LANES) != 0 && form->unit != WW_UNIT_LDST) {
        flags |= WW_SM_OP_CROSSES;
    }
    return flags;
}

static uint16_t thread_class(ww_kind kind)
{
    switch (kind) {
    case WW_KIND_ARITH:
    case WW_KIND_MOVE:
        return WW_C_THREAD_ARITH;
    case WW_KIND_BRANCH:
        return WW_C_THREAD_BRANCH;
    case WW_KIND_MEMORY:
        return WW_C_THREAD_MEMORY;
    case WW_KIND_SYNC:
    case WW_KIND_OTHER:
        break;
    }
    return WW_C_THREAD_OTHER;
}

/* Everything that grows while a program is built. */
typedef struct builder {
    const ww_arch *arch;
    ww_program *program;
    uint32_t bits, banks, constants; /* entries used */
    uint32_t register_banks;         /* that a warp's registers are spread over */
    uint32_t bits_room, banks_room, constants_room;
} builder;

/* Bits of registers; base: of predicates, behind them. */
static uint8_t add_bits(builder *b, const number_set *set, uint32_t base, uint8_t used)
{
    ww_reg_bits *list = b->program->bits + b->bits - used;
    for (unsigned i = 0; i < set->count; i++) {
        const uint32_t at = ww_program_bit(b->program, base + set->value[i]);
        uint32_t word = at / 64;
        uint64_t bit = 1ull << (at % 64);
        uint8_t k = 0;
        while (k < used && list[k].word != word) {
            k++;
        }
        if (k == used) {
            list[k] = (ww_reg_bits){.mask = 0, .word = word};
            used++;
            b->bits++;
        }
        list[k].mask |= bit;
    }
    return used;
}

static uint8_t add_side_bits(builder *b, const side *s, uint8_t used)
{
    used = add_bits(b, &s->regs, 0, used);
    return add_bits(b, &s->preds, b->program->kernel->registers, used);
}

/* One bank mask per pass: registers that share a bank go to successive passes. */
static uint8_t add_banks(builder *b, const number_set *regs)
{
    uint64_t *pass = b->program->banks + b->banks;
    uint8_t levels = 0;
    for (unsigned i = 0; i < regs->count; i++) {
        uint64_t bank = 1ull << (regs->value[i] % b->register_banks);
        uint8_t k = 0;
        while (k < levels && (pass[k] & bank) != 0) {
            k++;
        }
        if (k == levels) {
            pass[levels++] = 0;
        }
        pass[k] |= bank;
    }
    b->banks += levels;
    if (levels > b->program->levels) {
        b->program->levels = levels;
    }
    return levels;
}

/* Lines of the constant cache that the operands touch. */
static uint8_t add_constants(builder *b, const ww_inst *inst)
{
    uint32_t line = b->arch->l1c.sector_bytes;
    uint64_t *list = b->program->constants + b->constants;
    uint8_t count = 0;
    for (unsigned i = 0; i < inst->src_count; i++) {
        if (inst->src[i].kind != WW_OPD_CONST || line == 0) {
            continue;
        }
        uint64_t address = (WW_PARAM_PHYSICAL + inst->src[i].imm) / line * line;
        uint8_t k = 0;
        while (k < count && list[k] != address) {
            k++;
        }
        if (k == count) {
            list[count++] = address;
        }
    }
    b->constants += count;
    return count;
}

/* Registers of one side that hold one value per warp. */
static uint8_t count_scalars(const ww_kernel *kernel, const side *s)
{
    uint8_t n = 0;
    for (unsigned i = 0; kernel->scalar_base > 0 && i < s->regs.count; i++) {
        n = (uint8_t)(n + (s->regs.value[i] >= kernel->scalar_base));
    }
    return n;
}

static const ww_inst_shape *shape_of(const ww_kernel *kernel, uint32_t inst)
{
    static const ww_inst_shape plain = {0};
    return kernel->shape != NULL ? &kernel->shape[inst] : &plain;
}

/* Registers and predicates that the instruction reads; false: too many. The sums of a warp group's
 * product are the matrix unit's business. */
static bool find_reads(const ww_kernel *kernel, uint32_t pc, side *src)
{
    const ww_inst *inst = &kernel->code[pc];
    const ww_inst_shape *shape = shape_of(kernel, pc);
    const unsigned factors = inst->src_count - 1u - inst->dst_count;
    bool fits = (shape->unread & WW_UNREAD_GUARD) != 0 || side_add(src, &inst->guard);
    for (unsigned i = 0; i < inst->src_count; i++) {
        bool read = i >= 15 || (shape->unread >> i & 1) == 0;
        if (inst->op == WW_OP_WGMMA && i >= factors && i < inst->src_count - 1u) {
            continue;
        }
        fits = fits && (!read || side_add(src, &inst->src[i]));
    }
    return fits;
}

uint32_t ww_register_banks(const ww_arch *arch)
{
    uint32_t banks = arch->regfile.banks;
    bool divided = arch->sm.core == WW_CORE_PARTITIONED && banks > arch->sm.schedulers;
    return divided ? banks / arch->sm.schedulers : banks;
}

uint32_t ww_program_reads(const ww_program *p, uint32_t place, uint32_t most, uint32_t *reg)
{
    side src = {0};
    if (!find_reads(p->kernel, ww_program_inst(p, place), &src) || src.regs.count > most) {
        return 0;
    }
    for (unsigned i = 0; i < src.regs.count; i++) {
        reg[i] = src.regs.value[i];
    }
    return src.regs.count;
}

/* The word in which n entries of a list lie, and all of them as one mask; WW_MANY_WORDS: there are
 * several. */
static uint8_t join(const ww_reg_bits *list, unsigned n, uint64_t *mask)
{
    const uint32_t word = n > 0 ? list[0].word : 0;
    bool one = word < WW_MANY_WORDS;
    for (unsigned i = 0; i < n; i++) {
        *mask |= list[i].mask;
        one = one && list[i].word == word;
    }
    return one ? (uint8_t)word : WW_MANY_WORDS;
}

/* Instructions that are read together with the one in a place: to the end of its line of the
 * instruction cache. */
static uint8_t line_left(const ww_arch *arch, uint64_t code_base, uint32_t place)
{
    if (arch->l1i.bytes == 0 || arch->peer.fetch_across_lines) {
        return UINT8_MAX;
    }
    const uint64_t bytes = arch->sm.instruction_bytes;
    const uint32_t line = arch->l1i.line_bytes;
    const uint64_t left = (line - (uint32_t)((code_base + place * bytes) % line)) / bytes;
    return left != 0 && left < UINT8_MAX ? (uint8_t)left : UINT8_MAX;
}

/* With control bits an account is kept only where the time is not fixed. */
static bool tracked(const ww_arch *arch, const ww_sm_op *uop)
{
    return arch->sm.dependence == WW_DEPEND_SCOREBOARD || (uop->flags & WW_SM_OP_LONG) != 0 ||
           uop->unit == WW_UNIT_LDST || uop->unit == WW_UNIT_SFU;
}

static ww_status describe(builder *b, uint32_t place, ww_error *err)
{
    const ww_kernel *kernel = b->program->kernel;
    const uint32_t pc = ww_program_inst(b->program, place);
    const ww_inst *inst = &kernel->code[pc];
    const ww_inst_shape *shape = shape_of(kernel, pc);
    ww_sm_op *uop = &b->program->uop[place];
    ww_form form =
        ww_isa_form((ww_op)inst->op, (ww_type)inst->type, (ww_type)inst->type2, (ww_sub)inst->sub);
    side src = {0}, dst = {0};
    bool fits = find_reads(kernel, pc, &src);
    for (unsigned i = 0; i < inst->dst_count; i++) {
        fits = fits && side_add(&dst, &inst->dst[i]);
        uop->results = (uint8_t)(uop->results + (inst->dst[i].kind != WW_OPD_NONE));
    }
    if (!fits) {
        return ww_fail_at(err, WW_EUNSUP, kernel->file, (int)inst->line, 0,
                          "kernel %s: instruction names more than %d registers", kernel->name,
                          MAX_REGS);
    }
    uint32_t room = b->arch->regfile.collector_operands;
    uop->event = (uint16_t)form.event;
    ww__op_timing(b->arch, inst, &form, uop);
    uop->pipe = (uint16_t)ww_pipe_counter(uop->unit);
    uop->thread_class = thread_class(form.kind);
    uop->flags = uop_flags(inst, &form, b->arch) | (shape->addressed ? WW_SM_OP_ADDRESSED : 0);
    uop->flags |= tracked(b->arch, uop) ? WW_SM_OP_TRACKED : 0;
    uop->element_bytes = (uint8_t)ww_type_bytes((ww_type)inst->type);
    uop->src_words = (uint8_t)src.regs.count;
    const bool product = inst->op == WW_OP_WGMMA;
    uop->dst_words = product ? 0 : (uint8_t)dst.regs.count;
    uop->src_scalars = count_scalars(kernel, &src);
    uop->extra_rounds = (uint8_t)(src.operands > room ? (src.operands - 1) / room : 0);
    uop->src_banks = b->banks;
    uop->src_levels = add_banks(b, &src.regs);
    uop->dst_banks = b->banks;
    uop->dst_levels = product ? 0 : add_banks(b, &dst.regs);
    uop->reserve = b->bits;
    /* A product's sums are there when its group has been waited for: nothing else may name them. */
    uop->reserve_count = product ? 0 : add_side_bits(b, &dst, 0);
    uop->hazard_count = add_side_bits(b, &src, 0);
    uop->hazard_count = add_side_bits(b, &dst, uop->hazard_count);
    uop->reserve_word =
        join(ww_program_written(b->program, uop), uop->reserve_count, &uop->reserve_mask);
    uop->hazard_word =
        join(ww_program_named(b->program, uop), uop->hazard_count, &uop->hazard_mask);
    uop->line_left = line_left(b->arch, b->program->code_base, place);
    uop->constants = b->constants;
    uop->constant_count = add_constants(b, inst);
    return WW_OK;
}

/* Upper bounds of the lists: every operand word its own entry. */
static void count_room(builder *b, const ww_kernel *kernel)
{
    for (uint32_t pc = 0; pc < kernel->code_count; pc++) {
        const ww_inst *inst = &kernel->code[pc];
        uint32_t words = 1;
        for (unsigned i = 0; i < inst->src_count; i++) {
            words += inst->src[i].words + 1u;
            b->constants_room += inst->src[i].kind == WW_OPD_CONST;
        }
        for (unsigned i = 0; i < inst->dst_count; i++) {
            words += 2 * (inst->dst[i].words + 1u);
        }
        b->bits_room += words;
        b->banks_room += words;
    }
}

/* Packs the instructions that are present. */
static bool place_instructions(ww_program *out, const ww_kernel *kernel)
{
    out->count = kernel->code_count;
    if (kernel->shape == NULL) {
        return true;
    }
    out->inst = WW_ARENA_NEW_ARRAY(&out->arena, uint32_t, (size_t)kernel->code_count + 1);
    out->place = WW_ARENA_NEW_ARRAY(&out->arena, uint32_t, (size_t)kernel->code_count + 1);
    if (out->inst == NULL || out->place == NULL) {
        return false;
    }
    out->count = 0;
    for (uint32_t i = 0; i < kernel->code_count; i++) {
        out->place[i] = out->count;
        if (!kernel->shape[i].absent) {
            out->inst[out->count++] = i;
        }
    }
    out->place[kernel->code_count] = out->count;
    return true;
}

/* Registers and predicates. */
static uint32_t bits_of(const ww_kernel *kernel)
{
    return kernel->registers + kernel->predicates;
}

/* Gives what an operand names the next bits, if it has none yet; those that have one count from 1.
 */
static uint32_t number_operand(ww_program *p, const ww_operand *o, uint32_t next)
{
    const bool predicate = o->kind == WW_OPD_PRED;
    const uint32_t first = predicate ? p->kernel->registers + o->reg : o->reg;
    const uint32_t count = predicate ? 1 : ww_operand_registers(o) != 0 ? o->words : 0;
    WW_ASSERT(count == 0 || first + count <= bits_of(p->kernel));
    for (uint32_t k = 0; k < count; k++) {
        if (p->bit[first + k] == 0) {
            p->bit[first + k] = ++next;
        }
    }
    return next;
}

/* Numbers the bits of a pending set as code names registers and predicates, so that those of an
 * instruction lie in one word where that can be. Those that no instruction names come last. */
static void number_bits(ww_program *p)
{
    const ww_kernel *kernel = p->kernel;
    uint32_t next = 0;
    for (uint32_t place = 0; place < p->count; place++) {
        const ww_inst *inst = &kernel->code[ww_program_inst(p, place)];
        next = number_operand(p, &inst->guard, next);
        for (unsigned i = 0; i < inst->src_count; i++) {
            next = number_operand(p, &inst->src[i], next);
        }
        for (unsigned i = 0; i < inst->dst_count; i++) {
            next = number_operand(p, &inst->dst[i], next);
        }
    }
    for (uint32_t i = 0; i < bits_of(kernel); i++) {
        p->bit[i] = (p->bit[i] == 0 ? ++next : p->bit[i]) - 1;
    }
}

/* A line of the host's caches each. */
static ww_sm_op *new_descriptors(ww_arena *arena, size_t count)
{
    void *room = ww_arena_alloc(arena, count + 1, sizeof(ww_sm_op));
    return room == NULL ? NULL : ww_to_line(room);
}

ww_status ww_program_init(ww_program *out, const ww_kernel *kernel, const ww_arch *arch,
                          uint64_t code_base, ww_error *err)
{
    memset(out, 0, sizeof *out);
    builder b = {.arch = arch, .program = out};
    b.register_banks = ww_register_banks(arch);
    count_room(&b, kernel);
    ww_arena_init(&out->arena);
    out->kernel = kernel;
    bool placed = place_instructions(out, kernel);
    out->code_base = WW_CODE_PHYSICAL + code_base;
    out->pending_words = (kernel->registers + kernel->predicates + 63) / 64 + 1;
    out->levels = 1;
    out->bit = WW_ARENA_NEW_ARRAY(&out->arena, uint32_t, (size_t)bits_of(kernel) + 1);
    out->uop = new_descriptors(&out->arena, (size_t)out->count + 1);
    out->bits = WW_ARENA_NEW_ARRAY(&out->arena, ww_reg_bits, (size_t)b.bits_room + 1);
    out->banks = WW_ARENA_NEW_ARRAY(&out->arena, uint64_t, (size_t)b.banks_room + 1);
    out->constants = WW_ARENA_NEW_ARRAY(&out->arena, uint64_t, (size_t)b.constants_room + 1);
    if (!placed || out->uop == NULL || out->bit == NULL || out->bits == NULL ||
        out->banks == NULL || out->constants == NULL) {
        ww_program_fini(out);
        return ww_no_memory_for(err, "describing kernel %s", kernel->name);
    }
    number_bits(out);
    for (uint32_t place = 0; place < out->count; place++) {
        ww_status st = describe(&b, place, err);
        if (st != WW_OK) {
            ww_program_fini(out);
            return st;
        }
        out->asynchronous |= (out->uop[place].flags & WW_SM_OP_ENGINE) != 0;
    }
    if (kernel->lowered && arch->units.int_count > 0) {
        ww__balance_pipes(out, arch);
    }
    return WW_OK;
}

void ww_program_fini(ww_program *program)
{
    if (program != NULL) {
        ww_arena_fini(&program->arena);
        memset(program, 0, sizeof *program);
    }
}
