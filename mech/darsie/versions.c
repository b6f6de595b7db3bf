/* versions.c - rename table, version table and freelist (section 4.3.1). A version holds one cell;
 * predicates, which have no physical vector register, lie in the version table itself. */
#include <string.h>

#include "base/assert.h"
#include "mech/darsie/darsie.h"

bool ds_cells_of(const darsie *s, const ww_operand *o, uint32_t *first, uint32_t *count)
{
    if (o->kind == WW_OPD_PRED) {
        *first = s->kernel->registers + o->reg;
        *count = 1;
        return true;
    }
    *first = o->reg;
    *count = o->words;
    return ww_operand_registers(o) > 0;
}

uint32_t ds_results(const darsie *s, const ww_inst *inst, uint32_t cell[DS_CELLS])
{
    uint32_t n = 0, first, count;
    for (unsigned k = 0; k < inst->dst_count; k++) {
        if (!ds_cells_of(s, &inst->dst[k], &first, &count)) {
            continue;
        }
        if (n + count > DS_CELLS) {
            return 0;
        }
        for (uint32_t i = 0; i < count; i++) {
            cell[n++] = first + i;
        }
    }
    return n;
}

/* Registers that the results need. */
static uint32_t registers_needed(const darsie *s, const uint32_t *cell, uint32_t cells)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < cells; i++) {
        n += cell[i] < s->kernel->registers;
    }
    return n;
}

bool ds_could_take(const darsie *s, uint32_t pc)
{
    uint32_t cell[DS_CELLS], cells = ds_results(s, &s->kernel->code[pc], cell);
    return ds_by_history(s) ||
           (registers_needed(s, cell, cells) <= s->registers && cells <= s->arch->darsie.registers);
}

bool ds_would_help(const darsie *s, const ds_cta *c, uint32_t w, uint32_t pc)
{
    uint32_t cell[DS_CELLS], cells = ds_results(s, &s->kernel->code[pc], cell);
    uint32_t old = 0;
    const ds_warp *warp = &s->warp[w];
    for (uint32_t i = 0; i < cells; i++) {
        bool shared = s->map[(size_t)w * s->cells + cell[i]] != DS_NONE;
        for (uint32_t k = 0; k < warp->marks && !shared; k++) {
            const ds_mark *mark = &warp->mark[(warp->first + k) % DS_MARKS];
            for (uint32_t j = 0; j < mark->cells; j++) {
                shared = shared || mark->cell[j] == cell[i];
            }
        }
        old += shared && cell[i] < s->kernel->registers;
    }
    return c->free + old >= registers_needed(s, cell, cells);
}

/* Makes a version for a cell; there is room. */
static uint8_t make(darsie *s, ds_cta *c, bool physical)
{
    uint8_t v = 0;
    WW_ASSERT(!ds_by_history(s));
    WW_ASSERT(c->versions < s->arch->darsie.registers); /* so that some version is unused */
    while (c->version[v].used) {
        v++;
    }
    c->version[v] = (ds_version){.used = true, .offered = true, .reg = DS_NONE};
    if (physical) {
        WW_ASSERT(c->free > 0);
        uint8_t r = 0;
        while (c->taken[r]) {
            r++;
        }
        c->taken[r] = true;
        c->free--;
        c->version[v].reg = r;
        ds_count(s, WW_C_DARSIE_FREELIST, 1);
    }
    ds_count(s, WW_C_DARSIE_VERSION_WRITE, 1);
    ds_count(s, WW_C_DARSIE_LIVE, ++c->versions);
    return v;
}

bool ds_take_versions(darsie *s, ds_cta *c, ds_entry *e)
{
    uint32_t cell[DS_CELLS], cells = ds_results(s, &s->kernel->code[e->pc], cell);
    e->cells = (uint8_t)cells;
    for (uint32_t i = 0; i < cells; i++) {
        e->version[i] = DS_NONE;
    }
    if (ds_by_history(s)) {
        return true;
    }
    if (registers_needed(s, cell, cells) > c->free ||
        c->versions + cells > s->arch->darsie.registers) {
        return false;
    }
    for (uint32_t i = 0; i < cells; i++) {
        e->version[i] = make(s, c, cell[i] < s->kernel->registers);
    }
    return true;
}

static void free_unused(darsie *s, ds_cta *c, uint8_t v)
{
    ds_version *version = &c->version[v];
    if (!version->used || version->offered || ww_warps_any(version->users)) {
        return;
    }
    WW_ASSERT(c->versions > 0);
    version->used = false;
    c->versions--;
    if (version->reg != DS_NONE) {
        WW_ASSERT(c->taken[version->reg] && c->free < s->registers);
        c->taken[version->reg] = false;
        c->free++;
        ds_count(s, WW_C_DARSIE_FREELIST, 1);
    }
}

void ds_withdraw(darsie *s, ds_cta *c, ds_entry *e)
{
    for (uint32_t i = 0; i < e->cells; i++) {
        if (e->version[i] != DS_NONE) {
            WW_ASSERT(c->version[e->version[i]].used && c->version[e->version[i]].offered);
            c->version[e->version[i]].offered = false;
            free_unused(s, c, e->version[i]);
        }
        e->version[i] = DS_NONE;
    }
}

void ds_drop_use(darsie *s, ds_cta *c, uint32_t w, uint32_t cell)
{
    uint8_t *map = &s->map[(size_t)w * s->cells + cell];
    if (*map != DS_NONE) {
        WW_ASSERT(ww_warps_has(&c->version[*map].users, w));
        ww_warps_remove(&c->version[*map].users, w);
        free_unused(s, c, *map);
        *map = DS_NONE;
    }
}

void ds_rename(darsie *s, uint32_t w, uint32_t cell, uint8_t version)
{
    ds_cta *c = ds_cta_of(s, w);
    uint8_t *map = &s->map[(size_t)w * s->cells + cell];
    if (*map == DS_NONE && version == DS_NONE) {
        return;
    }
    ds_count(s, WW_C_DARSIE_RENAME_WRITE, 1);
    if (*map != version) {
        ds_drop_use(s, c, w, cell);
    }
    *map = version;
    if (version != DS_NONE) {
        WW_ASSERT(c->version[version].used);
        ww_warps_add(&c->version[version].users, w);
    }
}

uint32_t ds_own_all(darsie *s, uint32_t w)
{
    uint32_t registers = 0;
    for (uint32_t cell = 0; cell < s->cells; cell++) {
        uint8_t v = s->map[(size_t)w * s->cells + cell];
        if (v != DS_NONE) {
            registers += cell < s->kernel->registers;
            ds_rename(s, w, cell, DS_NONE);
        }
    }
    return registers;
}

static void release_dead(darsie *s, uint32_t w, const uint64_t *live, uint32_t cell)
{
    if ((live[cell / 64] >> (cell % 64) & 1) == 0) {
        ds_rename(s, w, cell, DS_NONE);
    }
}

static void release_operands(darsie *s, uint32_t w, const uint64_t *live, const ww_operand *o,
                             uint32_t n)
{
    uint32_t first, count;
    for (uint32_t k = 0; k < n; k++) {
        if (ds_cells_of(s, &o[k], &first, &count)) {
            for (uint32_t cell = first; cell < first + count; cell++) {
                release_dead(s, w, live, cell);
            }
        }
    }
}

void ds_release_dead(darsie *s, uint32_t w, const ww_inst *inst, bool all)
{
    const uint32_t pc = ww_warp_pc(ww_mech_warp(s->sm, w));
    if (s->notes->live == NULL || pc >= s->notes->count) {
        return;
    }
    const uint64_t *live = s->notes->live + (size_t)pc * s->notes->words;
    if (all) {
        for (uint32_t cell = 0; cell + 1 < s->cells; cell++) {
            release_dead(s, w, live, cell);
        }
        return;
    }
    release_operands(s, w, live, inst->src, inst->src_count);
    release_operands(s, w, live, inst->dst, inst->dst_count);
    release_operands(s, w, live, &inst->guard, 1);
}

/* ---- contents ---- */

static uint32_t *contents_of(const darsie *s, uint32_t w, uint8_t version)
{
    WW_ASSERT(version < s->arch->darsie.registers);
    const size_t at = (size_t)s->warp[w].cta * s->arch->darsie.registers + version;
    return s->contents + at * WW_WARP_SIZE;
}

void ds_fill_version(darsie *s, uint32_t w, uint32_t cell, uint8_t version)
{
    const ww_warp *warp = ww_mech_warp(s->sm, w);
    if (version == DS_NONE) {
        return;
    }
    uint32_t *to = contents_of(s, w, version);
    if (cell < s->kernel->registers) {
        memcpy(to, warp->regs + (size_t)cell * WW_WARP_SIZE, WW_WARP_SIZE * sizeof *to);
    } else {
        *to = warp->preds[cell - s->kernel->registers];
    }
}

bool ds_holds(const darsie *s, uint32_t w, uint32_t cell, uint32_t lanes)
{
    const ww_warp *warp = ww_mech_warp(s->sm, w);
    const uint8_t version = s->map[(size_t)w * s->cells + cell];
    if (version == DS_NONE) {
        return true;
    }
    const uint32_t *held = contents_of(s, w, version);
    if (cell >= s->kernel->registers) {
        return ((*held ^ warp->preds[cell - s->kernel->registers]) & lanes) == 0;
    }
    const uint32_t *own = warp->regs + (size_t)cell * WW_WARP_SIZE;
    uint32_t different = 0;
    for (; lanes != 0; lanes &= lanes - 1) {
        different |= held[__builtin_ctz(lanes)] ^ own[__builtin_ctz(lanes)];
    }
    return different == 0;
}

static uint64_t mix(uint64_t h, uint32_t v)
{
    h = (h ^ v) * UINT64_C(0x9e3779b97f4a7c15);
    return h ^ h >> 29;
}

uint64_t ds_value(const darsie *s, uint32_t w, const ww_inst *inst)
{
    const ww_warp *warp = ww_mech_warp(s->sm, w);
    uint64_t h = 1;
    for (unsigned k = 0; k < inst->dst_count; k++) {
        const ww_operand *o = &inst->dst[k];
        if (o->kind == WW_OPD_PRED) {
            h = mix(h, warp->preds[o->reg]);
        }
        for (uint32_t i = 0; o->kind == WW_OPD_REG && i < o->words * (uint32_t)WW_WARP_SIZE; i++) {
            h = mix(h, warp->regs[(size_t)o->reg * WW_WARP_SIZE + i]);
        }
    }
    return h;
}

void ds_copy(darsie *s, uint64_t registers)
{
    ds_count(s, WW_C_DARSIE_COPY, registers);
    ds_count(s, WW_C_RF_READ, registers);
    ds_count(s, WW_C_RF_READ_LANES, registers * WW_WARP_SIZE);
    ds_count(s, WW_C_RF_WRITE, registers);
    ds_count(s, WW_C_RF_WRITE_LANES, registers * WW_WARP_SIZE);
}

/* Registers for shared results lie strided over the banks, behind each other by block. */
void ds_operands(void *state, uint32_t w, uint32_t pc, const uint32_t *reg, uint8_t *bank,
                 uint32_t count)
{
    darsie *s = state;
    (void)pc;
    if (s->notes == NULL || !ww_warps_has(&s->members, w)) {
        return;
    }
    ds_cta *c = ds_cta_of(s, w);
    const bool moves = s->arch->darsie.variant != WW_DARSIE_NO_CONFLICT;
    if (ww_warps_has(&c->majority, w)) {
        ds_count(s, WW_C_DARSIE_RENAME_READ, count);
    }
    for (uint32_t i = 0; i < count && reg[i] < s->cells; i++) {
        uint8_t v = s->map[(size_t)w * s->cells + reg[i]];
        if (v == DS_NONE || c->version[v].reg == DS_NONE) {
            continue;
        }
        ds_count(s, WW_C_DARSIE_VERSION_READ, 1);
        if (moves) {
            bank[i] = (uint8_t)((s->warp[w].cta * s->registers + c->version[v].reg) % s->banks);
        }
    }
}
