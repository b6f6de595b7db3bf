/* eu.c - EU, the execution units: one energy per lane operation and kind, split into the arithmetic
 * itself and what surrounds it in a GPU lane (pipeline registers, bypass, clock), and the control
 * of each warp instruction.
 *
 * Energies come from the table of functional units (tech/fu.h), which is anchored on published
 * measurements. Every kind of operation has its counter: none is left out and none is charged under
 * another's name. */
#include "power/component.h"

/* One lane operation as a number of scalar unit operations. */
typedef struct lane_op {
    const char *name;
    ww_counter counter;
    ww_fu_op op;
    double times;        /* unit operations per lane operation; 0: those of a division */
    const char *note;    /* why not one */
    ww_counter switched; /* bits of its operands and result, or partial products */
    uint32_t bits;       /* of them, in one lane operation */
} lane_op;

/* Operands and result of 32 bits each, and partial products of significands. */
enum { WORD = 32, HALF_PRODUCTS = 2 * 11 * 11 };

/* Macro operations of the PTX stream (times 0) stand for sequences. A machine that executes one as
 * an instruction keeps its lanes busy for its initiation interval: that many times the interval of
 * a simple operation, so many simple operations; see passes(). */
static const lane_op int_ops[] = {
    {"add, compare", WW_C_OP_INT_ADD, WW_FU_INT_ADD, 1, "", WW_C_SWITCHED_OP_INT_ADD, 3 * WORD},
    {"logic, shift, select", WW_C_OP_INT_LOGIC, WW_FU_INT_LOGIC, 1, "", WW_C_SWITCHED_OP_INT_LOGIC,
     3 * WORD},
    {"multiply", WW_C_OP_INT_MUL, WW_FU_INT_MUL, 1, "", WW_C_SWITCHED_OP_INT_MUL, WORD *WORD},
    {"move", WW_C_OP_MOVE, WW_FU_INT_LOGIC, 1, "", WW_C_SWITCHED_OP_MOVE, 2 * WORD},
    {"predicate, vote, shuffle", WW_C_OP_PRED, WW_FU_INT_LOGIC, 1, "", WW_C_SWITCHED_OP_PRED,
     2 * WORD},
    {"divide", WW_C_OP_IDIV, WW_FU_INT_MUL, 0, "; sequence of a division", WW_C_SWITCHED_OP_IDIV,
     3 * WORD},
};
static const lane_op fp32_ops[] = {
    {"add, compare", WW_C_OP_FP32_ADD, WW_FU_FP32_ADD, 1, "", WW_C_SWITCHED_OP_FP32_ADD, 3 * WORD},
    {"multiply", WW_C_OP_FP32_MUL, WW_FU_FP32_MUL, 1, "", WW_C_SWITCHED_OP_FP32_MUL, 24 * 24},
    {"fused multiply-add", WW_C_OP_FP32_FMA, WW_FU_FP32_FMA, 1, "", WW_C_SWITCHED_OP_FP32_FMA,
     24 * 24},
    {"packed half precision", WW_C_OP_FP16, WW_FU_FP16_FMA, 2, "; two values",
     WW_C_SWITCHED_OP_FP16, HALF_PRODUCTS},
    {"divide, exact root", WW_C_OP_FDIV, WW_FU_FP32_FMA, 0, "; sequence of a division",
     WW_C_SWITCHED_OP_FDIV, 3 * WORD},
};
static const lane_op fp64_ops[] = {
    {"add, compare", WW_C_OP_FP64_ADD, WW_FU_FP64_ADD, 1, "", WW_C_SWITCHED_OP_FP64_ADD, 6 * WORD},
    {"multiply", WW_C_OP_FP64_MUL, WW_FU_FP64_MUL, 1, "", WW_C_SWITCHED_OP_FP64_MUL, 53 * 53},
    {"fused multiply-add", WW_C_OP_FP64_FMA, WW_FU_FP64_FMA, 1, "", WW_C_SWITCHED_OP_FP64_FMA,
     53 * 53},
    {"divide, exact root", WW_C_OP_DDIV, WW_FU_FP64_FMA, 0, "; sequence of a division",
     WW_C_SWITCHED_OP_DDIV, 6 * WORD},
};
static const lane_op sfu_ops[] = {
    {"special function", WW_C_OP_SFU, WW_FU_SFU, 1, "", WW_C_SWITCHED_OP_SFU, 2 * WORD},
};
static const lane_op cvt_ops[] = {
    {"conversion", WW_C_OP_CVT, WW_FU_CVT, 1, "", WW_C_SWITCHED_OP_CVT, 2 * WORD},
};
static const lane_op tensor_ops[] = {
    {"multiply-accumulate, FP16", WW_C_MMA_F16, WW_FU_TENSOR_FP16, 1, "", WW_C_SWITCHED_MMA_F16,
     WW__MATRIX_PARTS},
    {"multiply-accumulate, BF16", WW_C_MMA_BF16, WW_FU_TENSOR_BF16, 1, "", WW_C_SWITCHED_MMA_BF16,
     WW__MATRIX_PARTS},
    {"multiply-accumulate, TF32", WW_C_MMA_TF32, WW_FU_TENSOR_TF32, 1, "", WW_C_SWITCHED_MMA_TF32,
     WW__MATRIX_PARTS},
    {"multiply-accumulate, FP8", WW_C_MMA_F8, WW_FU_TENSOR_FP8, 1, "", WW_C_SWITCHED_MMA_F8,
     WW__MATRIX_PARTS},
    {"multiply-accumulate, FP64", WW_C_MMA_F64, WW_FU_TENSOR_FP64, 1, "", WW_C_SWITCHED_MMA_F64,
     WW__MATRIX_PARTS},
    {"multiply-accumulate, INT8", WW_C_MMA_I8, WW_FU_TENSOR_INT8, 1, "", WW_C_SWITCHED_MMA_I8,
     WW__MATRIX_PARTS},
    {"multiply-accumulate, INT4", WW_C_MMA_I4, WW_FU_TENSOR_INT4, 1, "", WW_C_SWITCHED_MMA_I4,
     WW__MATRIX_PARTS},
    {"multiply-accumulate, bits", WW_C_MMA_B1, WW_FU_TENSOR_BIT, 1, "", WW_C_SWITCHED_MMA_B1,
     WW__MATRIX_PARTS},
};

/* A family of units that share lanes. */
typedef struct unit_family {
    const char *name;
    ww_power_group group;
    double factor; /* of the group */
    const lane_op *ops;
    size_t op_count;
    ww_fu_op largest;    /* the unit whose area and leakage stand for the lane's */
    uint32_t stages;     /* of its pipeline */
    uint32_t stage_bits; /* registers of a stage: operands, later sums and carries */
} unit_family;

/* Stages that a warp instruction passes from dispatch to write-back; its lanes' values follow its
 * control bits. */
enum { STAGES_SP = 8, STAGES_DP = 12, STAGES_SFU = 12, STAGES_TENSOR = 12 };

/* What is multiplied is compared by partial products, what stands around it by bits. */
typedef struct product {
    ww_counter op, latch; /* the latter: bits of operands and result */
    uint32_t bits;
    ww_fu_op multiply, all; /* energy of the multiplication, over that of both: the rest is the
                               addition's. That of halves is known as one: as of singles */
} product;

static const product *product_of(const lane_op *op)
{
    static const product products[] = {
        {WW_C_OP_INT_MUL, WW_C_SWITCHED_LATCH_INT_MUL, 4 * WORD, WW_FU_INT_MUL, WW_FU_INT_MUL},
        {WW_C_OP_FP32_MUL, WW_C_SWITCHED_LATCH_FP32_MUL, 3 * WORD, WW_FU_FP32_MUL, WW_FU_FP32_MUL},
        {WW_C_OP_FP32_FMA, WW_C_SWITCHED_LATCH_FP32_FMA, 4 * WORD, WW_FU_FP32_MUL, WW_FU_FP32_FMA},
        {WW_C_OP_FP16, WW_C_SWITCHED_LATCH_FP16, 4 * WORD, WW_FU_FP32_MUL, WW_FU_FP32_FMA},
        {WW_C_OP_FP64_MUL, WW_C_SWITCHED_LATCH_FP64_MUL, 6 * WORD, WW_FU_FP64_MUL, WW_FU_FP64_MUL},
        {WW_C_OP_FP64_FMA, WW_C_SWITCHED_LATCH_FP64_FMA, 8 * WORD, WW_FU_FP64_MUL, WW_FU_FP64_FMA},
    };
    for (size_t i = 0; i < WW_ARRAY_LEN(products); i++) {
        if (products[i].op == op->counter) {
            return &products[i];
        }
    }
    return NULL;
}

static double multiply_share(const ww__builder *b, const product *p)
{
    double part_j = ww_fu_at(b->fu, b->node, p->multiply, WW_FU_DATAPATH).energy_j;
    double all_j = ww_fu_at(b->fu, b->node, p->all, WW_FU_DATAPATH).energy_j;
    return all_j > part_j ? part_j / all_j : 1;
}

/* Of the arithmetic, or of the registers around it, which hold operands and results. */
static void add_values(ww__builder *b, const lane_op *op, bool registers)
{
    const product *p = product_of(op);
    if (b->group == WW_GROUP_MATRIX) {
        ww__values(b, op->switched, op->bits, WW__MATRIX_DATA, "%s",
                   "factors, and sums of products; zeros of an A100's products against random "
                   "ones; estimate, 0.5 to 0.65");
    } else if (p == NULL) {
        ww__values(b, op->switched, op->bits, WW__LATCH_DATA, "%s", WW__LATCH_TEXT);
    } else if (registers) {
        ww__values(b, p->latch, p->bits, WW__LATCH_DATA, "%s", WW__LATCH_TEXT);
    } else {
        double share = multiply_share(b, p);
        ww__values_both(b, (ww__value_part){op->switched, op->bits, share * WW__MULTIPLY_DATA},
                        (ww__value_part){p->latch, p->bits, (1 - share) * WW__LATCH_DATA},
                        "partial products that switch, and operands and result of the addition");
    }
}

/* What a lane spends around the arithmetic. */
static double lane_overhead_j(ww_fu_cost lane, ww_fu_cost datapath)
{
    return lane.energy_j > datapath.energy_j ? lane.energy_j - datapath.energy_j : 0;
}

/* Simple operations that keep a lane as busy as one lane operation. */
static double passes(const ww_arch *arch, const lane_op *op)
{
    const ww_units_params *u = &arch->units;
    double interval;
    if (op->times > 0) {
        return op->times;
    }
    interval = op->counter == WW_C_OP_IDIV   ? (double)u->idiv_interval / u->imul_interval
               : op->counter == WW_C_OP_FDIV ? (double)u->fdiv_interval / u->fp32_interval
                                             : (double)u->ddiv_interval / u->fp64_interval;
    return interval > 1 ? interval : 1;
}

static void add_family(ww__builder *b, unit_family family, uint32_t lanes)
{
    ww_fu_cost unit = ww_fu_at(b->fu, b->node, family.largest, WW_FU_DATAPATH);
    ww_cost registers = ww_logic_register(b->node, family.stages * family.stage_bits, 0);
    uint32_t chip_lanes = b->arch->sm.count * lanes;
    ww__group(b, family.group, family.factor);
    ww__structure(b, 1, family.name, chip_lanes, unit.area_m2, unit.leak_w, "%s, %u lanes per SM",
                  unit.source, (unsigned)lanes);
    for (size_t i = 0; i < family.op_count; i++) {
        const lane_op *op = &family.ops[i];
        ww_fu_cost cost = ww_fu_at(b->fu, b->node, op->op, WW_FU_DATAPATH);
        ww__event(b, op->name, op->counter, passes(b->arch, op) * cost.energy_j, "%s%s",
                  cost.source, op->note);
        add_values(b, op, false);
    }
    b->arithmetic_m2 += unit.area_m2 * chip_lanes;
    ww__structure(b, 2, "pipeline registers, bypass, clock", chip_lanes, registers.area_m2,
                  registers.leak_w, "logic model: %u stages of %u flip-flops",
                  (unsigned)family.stages, (unsigned)family.stage_bits);
    for (size_t i = 0; i < family.op_count; i++) {
        const lane_op *op = &family.ops[i];
        ww_fu_cost datapath = ww_fu_at(b->fu, b->node, op->op, WW_FU_DATAPATH);
        ww_fu_cost lane = ww_fu_at(b->fu, b->node, op->op, WW_FU_LANE);
        ww__event(b, op->name, op->counter, passes(b->arch, op) * lane_overhead_j(lane, datapath),
                  "lane less datapath: %s%s", lane.source, op->note);
        add_values(b, op, true);
    }
}

/* Opcode, predicates, destination and immediate follow a warp instruction down its pipeline; in a
 * core of lanes each lane's is one, through which nothing but the first thread of an instruction
 * changes them. */
static void add_control(ww__builder *b)
{
    enum { CONTROL_BITS = 128 };
    const ww_units_params *u = &b->arch->units;
    ww__group(b, WW_GROUP_EU, 1);
    uint32_t lanes = b->arch->sm.core == WW_CORE_LANES ? u->sp_lanes : 1;
    uint32_t pipes = u->sp_count * lanes + u->dp_count + u->sfu_count + u->tensor_count;
    ww_cost stage = ww_logic_register(b->node, CONTROL_BITS, 0.25);
    /* The lanes' own registers are not counted: calibrated factors rest on this length. */
    b->arithmetic_m2 += stage.area_m2 * STAGES_SP * (b->arch->sm.count * pipes);
    ww__structure(b, 1, "pipeline control", b->arch->sm.count * pipes, stage.area_m2 * STAGES_SP,
                  stage.leak_w * STAGES_SP, "logic model: %d stages of %d flip-flops per pipeline",
                  STAGES_SP, CONTROL_BITS);
    static const struct {
        const char *name;
        ww_counter counter;
        int stages;
    } starts[] = {
        {"start on SP", WW_C_PIPE_SP, STAGES_SP},
        {"start on FP64", WW_C_PIPE_DP, STAGES_DP},
        {"start on SFU", WW_C_PIPE_SFU, STAGES_SFU},
        {"start on matrix unit", WW_C_PIPE_TENSOR, STAGES_TENSOR},
    };
    for (size_t i = 0; i < WW_ARRAY_LEN(starts); i++) {
        ww__event(b, starts[i].name, starts[i].counter, stage.energy_j * starts[i].stages,
                  "logic model: %d bits through %d stages, a quarter of them change", CONTROL_BITS,
                  starts[i].stages);
    }
}

/* Multiply-adds in FP16 that the matrix units of an SM finish per cycle: 16 x 16 x 16 of a warp's
 * instruction per initiation interval, or what warp groups reach where there are such, two
 * operations each. */
static uint32_t matrix_lanes(const ww_arch *arch)
{
    const ww_units_params *u = &arch->units;
    if (ww__has_engines(arch)) {
        return u->tensor_count * arch->async.matrix_f16 / 2;
    }
    uint32_t interval = u->tensor_interval > 0 ? u->tensor_interval : 1;
    return u->tensor_count * 16 * 16 * 16 / interval;
}

void ww__build_eu(ww__builder *b)
{
    const ww_units_params *u = &b->arch->units;
    uint32_t sp = u->sp_count * u->sp_lanes, sfu = u->sfu_count * u->sfu_lanes;
    /* A warp of FP64 occupies the SP pipelines of a GPU without units of its own; pairs of lanes
     * then work together. */
    uint32_t dp = u->dp_count > 0 ? u->dp_count * u->dp_lanes : sp / 2;
    const ww_power_params *power = &b->arch->power;
#define FAMILY(name, id, member, ops, largest, stages, bits)                                       \
    ((unit_family){name, WW_GROUP_##id, power->member, ops, WW_ARRAY_LEN(ops), largest, stages,    \
                   bits})
    ww__component(b, WW_COMPONENT_EU, power->eu_factor);
    add_family(b, FAMILY("integer", INT, int_factor, int_ops, WW_FU_INT_MUL, STAGES_SP, 3 * 32),
               sp);
    add_family(
        b,
        FAMILY("single precision", FP32, fp32_factor, fp32_ops, WW_FU_FP32_FMA, STAGES_SP, 3 * 32),
        sp);
    add_family(
        b,
        FAMILY("double precision", FP64, fp64_factor, fp64_ops, WW_FU_FP64_FMA, STAGES_DP, 3 * 64),
        dp);
    add_family(b,
               FAMILY("special functions", SFU, sfu_factor, sfu_ops, WW_FU_SFU, STAGES_SFU, 2 * 32),
               sfu);
    /* Conversions have no pipeline registers of their own: those of the integer lanes, or of the
     * special functions where they run there. */
    add_family(b, FAMILY("conversions", CVT, convert_factor, cvt_ops, WW_FU_CVT, 0, 0), sp);
    add_family(b,
               FAMILY("matrix units", MATRIX, matrix_factor, tensor_ops, WW_FU_TENSOR_FP16,
                      STAGES_TENSOR, 2 * 16 + 32),
               matrix_lanes(b->arch));
#undef FAMILY
    ww__build_matrix_engine(b);
    add_control(b);
    ww__placement(b);
}
