/* values_memory.c - bits that switch in shared memory's banks and on the crossbar between memory
 * and lanes: words of an access in the order of its elements, then of its lanes. */
#include "base/arith.h"
#include "perf/sm/values.h"

/* Where words of an access go, and what has switched there so far. */
typedef struct word_path {
    uint32_t banks;
    uint32_t *bank;  /* [bank] word that the memory's banks moved last; NULL: not shared memory */
    bool broadcasts; /* lanes that name one word share it */
    uint64_t seen[WW_VALUE_BANKS]; /* [bank] number + 1 of the word that it gave last */
    uint64_t bank_switched, line_switched, lane_switched; /* bits */
    uint64_t moved, taken;                                /* words of banks, and of lanes */
} word_path;

static uint64_t replace(uint32_t *last, uint32_t word)
{
    const uint32_t change = *last ^ word;
    *last = word;
    return (uint64_t)__builtin_popcount(change);
}

static void move_word(ww_values *v, word_path *p, uint64_t address, unsigned lane, uint32_t word)
{
    const uint32_t bank = (uint32_t)(address / 4 % p->banks);
    p->lane_switched += replace(&v->latches.lane_line[lane], word);
    p->taken++;
    if (p->broadcasts && p->seen[bank] == address / 4 + 1) {
        return;
    }
    p->seen[bank] = address / 4 + 1;
    p->line_switched += replace(&v->latches.bank_line[bank], word);
    p->bank_switched += p->bank != NULL ? replace(&p->bank[bank], word) : 0;
    p->moved++;
}

static void move_element(ww_values *v, word_path *p, const ww_step *step, unsigned at,
                         const uint32_t *plane)
{
    for (uint32_t m = step->exec; m != 0; m &= m - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(m);
        move_word(v, p, step->address[lane] + at, lane, plane[lane]);
    }
}

/* Loads: what their destinations hold now. */
static void move_results(ww_sm *sm, uint32_t w, uint32_t pc, word_path *p, const ww_step *step)
{
    const ww_inst *inst = inst_at(sm, pc);
    const unsigned bytes = sm->program->uop[pc].element_bytes;
    for (unsigned i = 0; i < inst->dst_count; i++) {
        const ww_operand *o = &inst->dst[i];
        for (uint32_t k = 0; o->kind == WW_OPD_REG && k < o->words && 4 * k < ww_max_u32(bytes, 4);
             k++) {
            move_element(sm->values, p, step, i * bytes + 4 * k,
                         sm->warps.at[w]->regs + (size_t)(o->reg + k) * WW_WARP_SIZE);
        }
    }
}

/* Stores: the operands behind the address. */
static void move_sources(ww_sm *sm, uint32_t pc, word_path *p, const operand_words *o,
                         const ww_step *step)
{
    const unsigned bytes = sm->program->uop[pc].element_bytes;
    for (unsigned i = 1; i < o->operands; i++) {
        for (unsigned k = 0; k < known_words(o, i) && 4 * k < ww_max_u32(bytes, 4); k++) {
            move_element(sm->values, p, step, (i - 1) * bytes + 4 * k, o->word[o->first[i] + k]);
        }
    }
}

/* A value of each lane crosses to another one. */
static void cross_lanes(ww_sm *sm, uint32_t pc, const operand_words *o, uint32_t exec)
{
    uint64_t switched = 0;
    for (uint32_t m = known_words(o, 0) > 0 ? exec : 0; m != 0; m &= m - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(m);
        switched += replace(&sm->values->latches.lane_line[lane], o->word[o->first[0]][lane]);
    }
    values_charge(sm, pc, WW_C_SWITCHED_CROSSBAR_LANE, switched,
                  known_words(o, 0) > 0 ? 32ull * (unsigned)__builtin_popcount(exec) : 0);
}

static void values_l1d(ww_sm *sm, uint32_t row, bool write, uint64_t address, uint32_t bytes)
{
    unsigned char *last = write ? sm->values->latches.l1d_write : sm->values->latches.l1d_read;
    const uint32_t width = ww_min_u32(sm->arch->l1d.sector_bytes, WW_VALUE_SECTOR);
    const unsigned char *at = ww_devmem_at(sm->launch->mem, address, bytes);
    uint64_t switched = 0;
    for (uint32_t i = 0; at != NULL && i < bytes; i++) {
        switched += (uint64_t)__builtin_popcount((unsigned)(last[i % width] ^ at[i]));
        last[i % width] = at[i];
    }
    values_charge(sm, row, write ? WW_C_SWITCHED_L1D_WRITE : WW_C_SWITCHED_L1D_READ, switched,
                  at != NULL ? 8ull * bytes : 0);
}

static void count_words(ww_sm *sm, uint32_t w, uint32_t pc, const operand_words *o,
                        const ww_step *step)
{
    ww_values *v = sm->values;
    const ww_mem_path path = sm_mem_path(&sm->program->uop[pc], step);
    const bool shared = path == WW_PATH_SHARED, store = step->is_store;
    word_path p = {.banks = shared ? sm->arch->ldst.shared_banks : WW_WARP_SIZE,
                   .bank = !shared ? NULL
                           : store ? v->latches.shared_write
                                   : v->latches.shared_read,
                   .broadcasts = shared && !store};
    if (path == WW_PATH_NONE) {
        cross_lanes(sm, pc, o, step->exec);
    }
    if (path == WW_PATH_NONE || path == WW_PATH_CONST || step->is_atomic) {
        return;
    }
    if (store) {
        move_sources(sm, pc, &p, o, step);
    } else {
        move_results(sm, w, pc, &p, step);
    }
    if (shared) {
        values_charge(sm, pc, store ? WW_C_SWITCHED_SHARED_WRITE : WW_C_SWITCHED_SHARED_READ,
                      p.bank_switched, 32 * p.moved);
    }
    values_charge(sm, pc, WW_C_SWITCHED_CROSSBAR_WORD, p.line_switched, 32 * p.moved);
    values_charge(sm, pc, WW_C_SWITCHED_CROSSBAR_LANE, p.lane_switched, 32 * p.taken);
}
