/* elements.c - see elements.h. */
#include "perf/ptx/analysis/elements.h"

/* A function whose registers may hold addresses that come from the parameter. */
typedef struct pointers {
    const ww_function *f;
    uint32_t offset;
    bool *from; /* [vreg] */
} pointers;

static bool is_from(const pointers *p, const ww_operand *o)
{
    return (o->kind == WW_OPD_REG && o->words == 2 && p->from[o->reg]) ||
           (o->kind == WW_OPD_CONST && o->words == 2 && o->imm == p->offset);
}

static bool loads_it(const pointers *p, const ww_inst *inst)
{
    return inst->op == WW_OP_LD && inst->space == WW_SPACE_PARAM && inst->vec == 1 &&
           inst->src[0].kind == WW_OPD_NONE && inst->offset == (int64_t)p->offset;
}

static bool makes_it(const pointers *p, const ww_inst *inst)
{
    if (ww_inst_has_address(inst) || inst->op == WW_OP_CALL) {
        return loads_it(p, inst);
    }
    for (unsigned k = 0; k < inst->src_count; k++) {
        if (is_from(p, &inst->src[k])) {
            return true;
        }
    }
    return false;
}

/* Marks what the instruction makes of it; whether that is new. */
static bool follow(pointers *p, const ww_inst *inst)
{
    bool found = false;
    if (!makes_it(p, inst)) {
        return false;
    }
    for (unsigned k = 0; k < inst->dst_count; k++) {
        const ww_operand *o = &inst->dst[k];
        if (o->kind == WW_OPD_REG && o->words == 2 && !p->from[o->reg]) {
            p->from[o->reg] = found = true;
        }
    }
    return found;
}

static ww_elements reached(const pointers *p)
{
    ww_elements e = {0};
    bool differ = false;
    for (uint32_t i = 0; i < p->f->inst_count; i++) {
        const ww_inst *inst = &p->f->inst[i];
        if (!ww_inst_has_address(inst) || inst->op == WW_OP_PREFETCH ||
            !is_from(p, &inst->src[0])) {
            continue;
        }
        unsigned bits = 8 * ww_type_bytes((ww_type)inst->type);
        differ = differ || (e.bits != 0 && bits != e.bits);
        e.bits = bits;
        e.floats = e.floats || ww_type_is_float((ww_type)inst->type);
    }
    return differ ? (ww_elements){0} : e;
}

ww_status ww_ptx_param_elements(ww_ptx_module *module, const char *kernel, uint32_t offset,
                                ww_elements *out, ww_error *err)
{
    ww_function *f = NULL;
    ww_arena scratch = {0};
    WW_TRY(ww_ptx_translate(module, kernel, &f, err));
    pointers p = {.f = f,
                  .offset = offset,
                  .from = WW_ARENA_NEW_ARRAY(&scratch, bool, (size_t)f->vreg_count + 1)};
    if (p.from == NULL) {
        return ww_no_memory(err);
    }
    for (bool more = true; more;) {
        more = false;
        for (uint32_t i = 0; i < f->inst_count; i++) {
            more |= follow(&p, &f->inst[i]);
        }
    }
    *out = reached(&p);
    ww_arena_fini(&scratch);
    return WW_OK;
}
