/* operand.c - operands resolved at launch: registers to plane offsets, constants to splat planes,
 * special registers. */
#include "perf/exec/code.h"

#include <string.h>

#include "base/mem.h"

ww_type ww__operand_type(const ww_inst *inst, unsigned k)
{
    ww_type type = (ww_type)inst->type;
    switch ((ww_op)inst->op) {
    case WW_OP_CVT:
        return (ww_type)inst->type2;
    case WW_OP_SET:
        return inst->type2 != WW_T_NONE ? (ww_type)inst->type2 : type;
    case WW_OP_SLCT:
        return k < 2 ? type : inst->type2 != WW_T_NONE ? (ww_type)inst->type2 : WW_T_S32;
    case WW_OP_SHL:
    case WW_OP_SHR:
        return k == 0 ? type : WW_T_U32;
    case WW_OP_BFE:
        return k == 0 ? type : WW_T_U32;
    case WW_OP_BFI:
        return k < 2 ? type : WW_T_U32;
    case WW_OP_SCADD:
        return k < 2 ? type : WW_T_U32;
    case WW_OP_MUL:
    case WW_OP_MAD:
        return inst->sub == WW_SUB_WIDE && k == 2 ? ww_type_doubled(type) : type;
    case WW_OP_RCP64H:
    case WW_OP_RSQ64H:
        return WW_T_F32; /* modifiers act on the sign bit */
    case WW_OP_DP4A:
    case WW_OP_DP2A:
    case WW_OP_VIDEO:
    case WW_OP_VMAD:
    case WW_OP_CVT_PACK:
    case WW_OP_SHF:
    case WW_OP_PRMT:
    case WW_OP_LOP3:
    case WW_OP_FNS:
    case WW_OP_SZEXT:
    case WW_OP_BMSK:
        return WW_T_B32;
    case WW_OP_CVTA:
        return inst->src[k].words == 1 && inst->src[k].kind != WW_OPD_IMM ? WW_T_B32 : WW_T_B64;
    case WW_OP_ISSPACEP:
        return WW_T_B64;
    default:
        return type;
    }
}

uint32_t ww__pool_add(struct ww_exec_code *code, const uint32_t pair[WW_PAIR_WORDS])
{
    for (uint32_t k = 0; k < code->pool_count; k++) {
        if (memcmp(code->pool + k * WW_PAIR_WORDS, pair, WW_PAIR_WORDS * sizeof *pair) == 0) {
            return k * WW_PAIR_WORDS;
        }
    }
    if (code->pool_count == code->pool_capacity) {
        uint32_t capacity = code->pool_capacity != 0 ? 2 * code->pool_capacity : 64;
        void *raw = ww_alloc_array(capacity * WW_PAIR_WORDS * sizeof *pair + 64, 1);
        if (raw == NULL) {
            return WW_NO_REG;
        }
        uint32_t *pool = (uint32_t *)(((uintptr_t)raw + 63) & ~(uintptr_t)63);
        if (code->pool_count > 0) {
            memcpy(pool, code->pool, (size_t)code->pool_count * WW_PAIR_WORDS * sizeof *pair);
        }
        ww_free(code->pool_raw);
        code->pool_raw = raw;
        code->pool = pool;
        code->pool_capacity = capacity;
    }
    memcpy(code->pool + code->pool_count * WW_PAIR_WORDS, pair, WW_PAIR_WORDS * sizeof *pair);
    return code->pool_count++ * WW_PAIR_WORDS;
}

static ww_status malformed(const struct ww_exec_code *code, const ww_inst *inst, ww_error *err,
                           const char *what)
{
    const ww_kernel *k = code->launch->kernel;
    return ww_fail_at(err, WW_EINTERNAL, k->file, (int)inst->line, 0,
                      "kernel %s: malformed instruction %s: %s.", k->name,
                      ww_op_name((ww_op)inst->op), what);
}

static ww_status use_constant(struct ww_exec_code *code, uint64_t value, ww_uop_src *out,
                              ww_error *err)
{
    uint32_t pair[WW_PAIR_WORDS];
    for (unsigned i = 0; i < WW_LANES; i++) {
        pair[i] = (uint32_t)value;
        pair[i + WW_LANES] = (uint32_t)(value >> 32);
    }
    out->kind = WW_SRC_POOL;
    out->at = ww__pool_add(code, pair);
    return out->at != WW_NO_REG ? WW_OK : ww_no_memory_for(err, "kernel constants");
}

/* Kernel parameters are known: little-endian words of the parameter block. */
static ww_status use_parameter(struct ww_exec_code *code, const ww_inst *inst,
                               const ww_operand *operand, ww_uop_src *out, ww_error *err)
{
    const ww_kernel *kernel = code->launch->kernel;
    if (operand->imm >= kernel->param_bytes) {
        return malformed(code, inst, err, "constant-bank operand beyond the parameters");
    }
    uint64_t left = kernel->param_bytes - operand->imm;
    uint64_t bytes = operand->words >= 2 ? 8 : 4;
    uint64_t value = 0;
    memcpy(&value, code->launch->params + operand->imm, (size_t)(bytes < left ? bytes : left));
    return use_constant(code, value, out, err);
}

/* Lane masks and identifiers that are the same in every warp; false when the register is not one of
 * them. */
static bool lane_constant(ww_sreg sreg, uint32_t *pair)
{
    memset(pair, 0, WW_PAIR_WORDS * sizeof *pair);
    for (uint32_t i = 0; i < WW_LANES; i++) {
        switch (sreg) {
        case WW_SREG_LANEID:
            pair[i] = i;
            break;
        case WW_SREG_LANEMASK_EQ:
            pair[i] = 1u << i;
            break;
        case WW_SREG_LANEMASK_LE:
            pair[i] = (2u << i) - 1;
            break;
        case WW_SREG_LANEMASK_LT:
            pair[i] = (1u << i) - 1;
            break;
        case WW_SREG_LANEMASK_GE:
            pair[i] = ~((1u << i) - 1);
            break;
        case WW_SREG_LANEMASK_GT:
            pair[i] = ~((2u << i) - 1);
            break;
        default:
            return false;
        }
    }
    return true;
}

/* Special registers that are one value for the whole launch. */
static bool launch_constant(const struct ww_exec_code *code, ww_sreg sreg, uint64_t *value)
{
    const ww_launch *l = code->launch;
    const ww_dim3 cluster = ww_cluster_shape(l);
    switch (sreg) {
    case WW_SREG_NTID_X:
        *value = l->block.x;
        return true;
    case WW_SREG_NTID_Y:
        *value = l->block.y;
        return true;
    case WW_SREG_NTID_Z:
        *value = l->block.z;
        return true;
    case WW_SREG_NCTAID_X:
        *value = l->grid.x;
        return true;
    case WW_SREG_NCTAID_Y:
        *value = l->grid.y;
        return true;
    case WW_SREG_NCTAID_Z:
        *value = l->grid.z;
        return true;
    case WW_SREG_NSMID:
        *value = l->sm_count;
        return true;
    case WW_SREG_GRIDID:
        *value = l->id;
        return true;
    case WW_SREG_NWARPID:
        *value = code->warps;
        return true;
    case WW_SREG_DYNAMIC_SMEM_SIZE:
        *value = l->dynamic_shared;
        return true;
    case WW_SREG_TOTAL_SMEM_SIZE:
        *value = code->shared_bytes;
        return true;
    case WW_SREG_NCLUSTERID_X:
    case WW_SREG_CLUSTER_NCTAID_X:
        *value = sreg == WW_SREG_NCLUSTERID_X ? l->grid.x / cluster.x : cluster.x;
        return true;
    case WW_SREG_NCLUSTERID_Y:
    case WW_SREG_CLUSTER_NCTAID_Y:
        *value = sreg == WW_SREG_NCLUSTERID_Y ? l->grid.y / cluster.y : cluster.y;
        return true;
    case WW_SREG_NCLUSTERID_Z:
    case WW_SREG_CLUSTER_NCTAID_Z:
        *value = sreg == WW_SREG_NCLUSTERID_Z ? l->grid.z / cluster.z : cluster.z;
        return true;
    case WW_SREG_CLUSTER_NCTARANK:
        *value = ww_cluster_size(l);
        return true;
    case WW_SREG_IS_EXPLICIT_CLUSTER:
        *value = l->cluster.x != 0;
        return true;
    case WW_SREG_ENVREG1:
        *value = l->grid_workspace >> 32;
        return true;
    case WW_SREG_ENVREG2:
        *value = l->grid_workspace & UINT32_MAX;
        return true;
    default:
        return false;
    }
}

static ww_status use_sreg(struct ww_exec_code *code, const ww_inst *inst, ww_sreg sreg,
                          ww_uop_src *out, ww_error *err)
{
    uint32_t pair[WW_PAIR_WORDS];
    uint64_t value;
    if ((unsigned)sreg >= WW_SREG_COUNT) {
        return malformed(code, inst, err, "unknown special register");
    }
    if (launch_constant(code, sreg, &value)) {
        return use_constant(code, value, out, err);
    }
    if (lane_constant(sreg, pair)) {
        out->kind = WW_SRC_POOL;
        out->at = ww__pool_add(code, pair);
        return out->at != WW_NO_REG ? WW_OK : ww_no_memory_for(err, "kernel constants");
    }
    bool tid = sreg <= WW_SREG_TID_Z;
    out->kind = tid ? WW_SRC_TID : WW_SRC_SREG;
    out->at = tid ? (uint32_t)sreg - WW_SREG_TID_X : (uint32_t)sreg;
    return WW_OK;
}

ww_status ww__operand_resolve(struct ww_exec_code *code, const ww_inst *inst,
                              const ww_operand *operand, ww_type type, ww_uop_src *out,
                              ww_error *err)
{
    unsigned words = (ww_type_bytes(type) + 3) / 4;
    *out = (ww_uop_src){.flags = operand->flags, .type = (uint8_t)type, .words = operand->words};
    switch ((ww_operand_kind)operand->kind) {
    case WW_OPD_REG:
        if (operand->words < words) {
            return malformed(code, inst, err, "source register narrower than its type");
        }
        if (operand->words > 4 || operand->reg >= code->launch->kernel->registers ||
            operand->words > code->launch->kernel->registers - operand->reg) {
            return malformed(code, inst, err, "source register outside the kernel's");
        }
        out->kind = WW_SRC_REG;
        out->at = operand->reg * WW_LANES;
        return WW_OK;
    case WW_OPD_IMM:
        return use_constant(code, operand->imm, out, err);
    case WW_OPD_CONST:
        if (operand->words < words) {
            return malformed(code, inst, err, "constant narrower than its type");
        }
        return use_parameter(code, inst, operand, out, err);
    case WW_OPD_SREG:
        return use_sreg(code, inst, (ww_sreg)operand->reg, out, err);
    case WW_OPD_SHARED: /* folded.c brings it to the plane behind the registers */
        if (words > 1 || ww_inst_folded(inst) != operand) {
            return malformed(code, inst, err, "no word of shared memory may stand there");
        }
        out->kind = WW_SRC_REG;
        out->words = 1;
        out->at = code->launch->kernel->registers * WW_LANES;
        return WW_OK;
    default:
        return malformed(code, inst, err, "operand missing or of the wrong kind");
    }
}

ww_status ww__operand_pred(struct ww_exec_code *code, const ww_inst *inst,
                           const ww_operand *operand, ww_uop_pred *out, ww_error *err)
{
    uint32_t flip = (operand->flags & WW_OPD_NOT) != 0 ? UINT32_MAX : 0;
    uint32_t zero = code->launch->kernel->predicates;
    switch ((ww_operand_kind)operand->kind) {
    case WW_OPD_NONE:
        *out = (ww_uop_pred){zero, UINT32_MAX};
        return WW_OK;
    case WW_OPD_IMM:
        *out = (ww_uop_pred){zero, flip ^ (operand->imm != 0 ? UINT32_MAX : 0)};
        return WW_OK;
    case WW_OPD_SREG: {
        uint64_t value;
        if (!launch_constant(code, (ww_sreg)operand->reg, &value)) {
            return malformed(code, inst, err, "predicate expected");
        }
        *out = (ww_uop_pred){zero, flip ^ (value != 0 ? UINT32_MAX : 0)};
        return WW_OK;
    }
    case WW_OPD_PRED:
        if (operand->reg >= zero) {
            return malformed(code, inst, err, "predicate outside the kernel's");
        }
        *out = (ww_uop_pred){operand->reg, flip};
        return WW_OK;
    default:
        return malformed(code, inst, err, "predicate expected");
    }
}

/* How far the clocks of a launch without time are ahead, at this reading: a loop that waits for one
 * would otherwise execute as many instructions as it is to wait cycles. */
static uint64_t clock_ahead(const ww_exec_env *env)
{
    enum { PER_READING = 1000 }; /* cycles, or nanoseconds */
    return env->ahead != NULL ? (*env->ahead += PER_READING) : 0;
}

static uint64_t nanoseconds(const ww_exec_env *env)
{
    return env->time != NULL ? ww_time_at(env->time, env->cycle) : 0;
}

static uint64_t sreg_value(const ww_exec_ctx *x, ww_sreg sreg)
{
    const ww_warp *w = x->warp;
    const uint32_t *id = w->cta->id;
    const ww_dim3 cluster = ww_cluster_shape(x->env->launch);
    switch (sreg) {
    case WW_SREG_CLUSTERID_X:
        return id[0] / cluster.x;
    case WW_SREG_CLUSTERID_Y:
        return id[1] / cluster.y;
    case WW_SREG_CLUSTERID_Z:
        return id[2] / cluster.z;
    case WW_SREG_CLUSTER_CTAID_X:
        return id[0] % cluster.x;
    case WW_SREG_CLUSTER_CTAID_Y:
        return id[1] % cluster.y;
    case WW_SREG_CLUSTER_CTAID_Z:
        return id[2] % cluster.z;
    case WW_SREG_CLUSTER_CTARANK:
        return w->cta->rank;
    case WW_SREG_CTAID_X:
        return w->cta->id[0];
    case WW_SREG_CTAID_Y:
        return w->cta->id[1];
    case WW_SREG_CTAID_Z:
        return w->cta->id[2];
    case WW_SREG_WARPID:
        return w->slot;
    case WW_SREG_SMID:
        return w->smid;
    case WW_SREG_CLOCK:
    case WW_SREG_CLOCK64:
        return x->env->cycle + clock_ahead(x->env);
    case WW_SREG_CLOCK_HI:
        return (x->env->cycle + clock_ahead(x->env)) >> 32;
    case WW_SREG_GLOBALTIMER:
    case WW_SREG_GLOBALTIMER_LO:
        return nanoseconds(x->env) + clock_ahead(x->env);
    case WW_SREG_GLOBALTIMER_HI:
        return (nanoseconds(x->env) + clock_ahead(x->env)) >> 32;
    default:
        return 0;
    }
}

void ww__sreg_read(const ww_exec_ctx *x, ww_sreg sreg, uint32_t *planes)
{
    uint64_t value = sreg_value(x, sreg);
    for (unsigned i = 0; i < WW_LANES; i++) {
        planes[i] = (uint32_t)value;
        planes[i + WW_LANES] = (uint32_t)(value >> 32);
    }
}
