/* timing.c - which pipeline an instruction takes on a machine, for how long, and when its result is
 * there. */
#include <string.h>

#include "isa/fragment.h"
#include "perf/sm/program.h"
#include "perf/sm/volta_tile.h"

/* The classes of the instruction set, and those that some machines time differently. */
enum {
    LAT_LOGIC = WW_LAT_COUNT,
    LAT_MINMAX,
    LAT_IMAD,
    LAT_FMA,
    LAT_ADIV,
    LAT_ROOT,
    LAT_SHUFFLE,
    LAT_DFMA,
    LAT_DLOGIC,
    LAT_IREM,
    LAT_COUNT
};

/* What an operation costs within the class of its latency; where no row says, it is one of the
 * others there. */
static unsigned timing_class(const ww_form *form)
{
    static const struct {
        ww_latency latency;
        ww_cost cost;
        unsigned timed;
    } rows[] = {
        {WW_LAT_INT, WW_COST_SUM, WW_LAT_INT},      {WW_LAT_INT, WW_COST_MINMAX, LAT_MINMAX},
        {WW_LAT_INT, WW_COST_SHUFFLE, LAT_SHUFFLE}, {WW_LAT_IMUL, WW_COST_FUSED, LAT_IMAD},
        {WW_LAT_FP32, WW_COST_SUM, WW_LAT_FP32},    {WW_LAT_FP32, WW_COST_PRODUCT, WW_LAT_FP32},
        {WW_LAT_FP32, WW_COST_FUSED, LAT_FMA},      {WW_LAT_FP32, WW_COST_MINMAX, LAT_MINMAX},
        {WW_LAT_FP64, WW_COST_SUM, WW_LAT_FP64},    {WW_LAT_FP64, WW_COST_PRODUCT, WW_LAT_FP64},
        {WW_LAT_FP64, WW_COST_FUSED, LAT_DFMA},     {WW_LAT_SFU, WW_COST_QUOTIENT, LAT_ADIV},
        {WW_LAT_IDIV, WW_COST_REMAINDER, LAT_IREM}, {WW_LAT_FDIV, WW_COST_QUOTIENT, WW_LAT_FDIV},
    };
    for (size_t i = 0; i < WW_ARRAY_LEN(rows); i++) {
        if (rows[i].latency == form->latency && rows[i].cost == form->cost) {
            return rows[i].timed;
        }
    }
    return form->latency == WW_LAT_INT || form->latency == WW_LAT_FP32 ? LAT_LOGIC
           : form->latency == WW_LAT_FP64                              ? LAT_DLOGIC
           : form->latency == WW_LAT_FDIV                              ? LAT_ROOT
                                                                       : form->latency;
}

static void unit_timing(const ww_units_params *u, unsigned latency, ww_sm_op *uop)
{
    static const struct {
        size_t latency, interval;
    } table[LAT_COUNT] = {
#define ROW(cls, name)                                                                             \
    [cls] = {offsetof(ww_units_params, name##_latency), offsetof(ww_units_params, name##_interval)}
        ROW(WW_LAT_INT, int),
        ROW(WW_LAT_IMUL, imul),
        ROW(WW_LAT_FP32, fp32),
        ROW(WW_LAT_FP64, fp64),
        ROW(WW_LAT_SFU, sfu),
        ROW(WW_LAT_CVT, cvt),
        ROW(WW_LAT_IDIV, idiv),
        ROW(WW_LAT_FDIV, fdiv),
        ROW(WW_LAT_DDIV, ddiv),
        ROW(WW_LAT_TENSOR, tensor),
        ROW(LAT_LOGIC, logic),
        ROW(LAT_MINMAX, minmax),
        ROW(LAT_IMAD, imad),
        ROW(LAT_FMA, fma),
        ROW(LAT_ADIV, adiv),
        ROW(LAT_ROOT, root),
        ROW(LAT_DFMA, dfma),
        ROW(LAT_DLOGIC, dlogic),
        ROW(LAT_IREM, irem),
#undef ROW
        [LAT_SHUFFLE] = {offsetof(ww_units_params, shuffle_latency),
                         offsetof(ww_units_params, int_interval)},
    };
    if (latency == WW_LAT_MEM || latency == WW_LAT_CTRL) {
        return;
    }
    uint32_t cycles, interval;
    memcpy(&cycles, (const char *)u + table[latency].latency, sizeof cycles);
    memcpy(&interval, (const char *)u + table[latency].interval, sizeof interval);
    uop->latency = (uint16_t)cycles;
    uop->interval = (uint16_t)interval;
}

/* Bits of the operands that matrix units are built for, by which their rates go: half as many
 * products of 32 bits, twice as many of 8. FP64 has multipliers of its own, a sixteenth of the FP16
 * rate (A100 whitepaper, table 1: 19.5 of 312 TFLOPS). */
static uint32_t matrix_bits(ww_type type)
{
    switch (type) {
    case WW_T_F64:
        return 16 * 16;
    case WW_T_S4:
    case WW_T_U4:
        return 4;
    case WW_T_B1:
        return 1;
    default:
        return 8 * ww_type_bytes(type);
    }
}

/* The description's interval and latency are those of 16 x 16 x 16 in FP16; a smaller product
 * leaves the pipeline earlier by what it enters faster, and one that is summed in FP32 on a card
 * which does that at a lower rate later. */
static void matrix_timing(const ww_units_params *u, const ww_inst *inst, ww_sm_op *uop)
{
    unsigned products = ww_tile_products((ww_tile)inst->tile);
    uint32_t work = products * matrix_bits((ww_type)inst->type2), unit = 16 * 16 * 16 * 16;
    if (inst->type == WW_T_F32) {
        work *= u->tensor_f32_passes;
    }
    uint32_t interval = (uop->interval * work + unit - 1) / unit;
    uint32_t depth = uop->latency > uop->interval ? (uint32_t)uop->latency - uop->interval : 0;
    uop->lane_work = (uint16_t)(products / WW_WARP_SIZE);
    uop->interval = (uint16_t)(interval < UINT16_MAX / 2 ? interval : UINT16_MAX / 2);
    uop->latency = (uint16_t)(depth + uop->interval);
}

/* Where a machine has integer pipelines: what runs there. Multiplications stay with the FP32 lanes,
 * whose multipliers they use (Jia et al., "Dissecting the NVIDIA Volta GPU architecture via
 * microbenchmarking", 2018, table 4.1); what else may is chosen for a whole kernel (balance.c). */
static bool is_integer(unsigned latency)
{
    return latency == WW_LAT_INT || latency == LAT_LOGIC || latency == LAT_MINMAX ||
           latency == LAT_SHUFFLE || latency == WW_LAT_IDIV || latency == LAT_IREM;
}

/* Between integer and floating point, or between floating-point formats. */
static bool converts_format(const ww_inst *inst, unsigned latency)
{
    return latency == WW_LAT_CVT &&
           (ww_type_is_float((ww_type)inst->type) || ww_type_is_float((ww_type)inst->type2));
}

static bool narrows(const ww_inst *inst)
{
    switch ((ww_type)inst->type) {
    case WW_T_F16:
    case WW_T_F16X2:
    case WW_T_BF16:
    case WW_T_BF16X2:
        return inst->op == WW_OP_CVT && inst->type2 == WW_T_F32;
    default:
        return false;
    }
}

/* Where integers are multiplied in fewer lanes than FP32, those are pipelines of their own: of the
 * two FP32 pipelines in a partition of GA10x and GH100 one has a multiplier for integers (G. Smith,
 * NVIDIA, developer forum, "Separate CUDA core pipeline for FP16 and FP32": FMAheavy, FMAlite).
 * What both halves do for FP32 together, an instruction a cycle, is all that a partition issues. */
bool ww__multiplies_apart(const ww_units_params *u)
{
    return u->int_count > 0 && u->imad_interval > u->fma_interval;
}

static unsigned pipe_of(const ww_units_params *u, const ww_inst *inst, ww_unit unit,
                        unsigned latency)
{
    bool product = latency == WW_LAT_IMUL || latency == LAT_IMAD;
    if (unit == WW_UNIT_SP && product && ww__multiplies_apart(u)) {
        return WW_PIPE_IMUL;
    }
    if (unit == WW_UNIT_SP && u->cvt_on_sfu && converts_format(inst, latency)) {
        return WW_UNIT_SFU;
    }
    bool moves = inst->op == WW_OP_MOV && inst->dst[0].kind != WW_OPD_PRED;
    bool integer = (is_integer(latency) && !moves) || (latency == WW_LAT_CVT && u->cvt_on_sfu);
    return unit == WW_UNIT_SP && u->int_count > 0 && integer ? WW_PIPE_INT : unit;
}

static ww_unit available_unit(const ww_arch *arch, ww_unit unit, unsigned latency)
{
    const ww_units_params *u = &arch->units;
    if (unit == WW_UNIT_DP && u->dp_count == 0) {
        bool slow = latency == WW_LAT_FP64 || latency == WW_LAT_DDIV;
        return slow && arch->peer.fp64_on_sfu ? WW_UNIT_SFU : WW_UNIT_SP;
    }
    return unit == WW_UNIT_TENSOR && u->tensor_count == 0 ? WW_UNIT_SP : unit;
}

/* Cycles for which a memory instruction, or those of a tile, hold the address port of their
 * partition. */
static uint16_t port_interval(const ww_arch *arch, const ww_inst *inst)
{
    const ww_units_params *u = &arch->units;
    const unsigned moves = ww__volta_tile_moves(arch, inst).count;
    if (moves > 0) {
        return (uint16_t)(moves * u->ldst_interval);
    }
    bool constant = inst->op == WW_OP_LD && inst->space == WW_SPACE_CONST;
    return (uint16_t)(constant ? u->const_interval : u->ldst_interval);
}

void ww__op_timing(const ww_arch *arch, const ww_inst *inst, const ww_form *form, ww_sm_op *uop)
{
    const bool logic = arch->units.narrow_on_int && narrows(inst);
    unsigned latency = logic ? LAT_LOGIC : timing_class(form);
    ww_unit unit = available_unit(arch, form->unit, latency);
    uop->unit = (uint8_t)pipe_of(&arch->units, inst, unit, latency);
    unit_timing(&arch->units, latency, uop);
    if (uop->unit == WW_UNIT_LDST) {
        uop->interval = port_interval(arch, inst);
    }
    uop->lane_work = 1;
    if (inst->op == WW_OP_WGMMA) { /* in the pipeline it is only handed over */
        uop->lane_work = (uint16_t)(ww_tile_products((ww_tile)inst->tile) / WW_WARP_SIZE);
        uop->interval = (uint16_t)arch->async.matrix_issue;
        uop->latency = 1;
    } else if (form->latency == WW_LAT_TENSOR) {
        matrix_timing(&arch->units, inst, uop);
    }
}

void ww__op_on_pipe(const ww_arch *arch, bool multiply_add, ww_sm_op *uop)
{
    const ww_units_params *u = &arch->units;
    if (multiply_add) {
        uop->unit = ww__multiplies_apart(u) ? WW_PIPE_IMUL : WW_UNIT_SP;
        unit_timing(u, LAT_IMAD, uop);
    } else {
        uop->unit = WW_PIPE_INT;
    }
}
