/* isa.c - look-ups in the operation table and what the type and variant of a form change in its
 * row. */
#include "isa/isa.h"

#include <string.h>

#include "counters/counters.h"

/* The columns of ops.def in the table's own short names. */
enum {
    ROW_LAT_INT,
    ROW_LAT_IMUL,
    ROW_LAT_FP,
    ROW_LAT_SFU,
    ROW_LAT_CVT,
    ROW_LAT_IDIV,
    ROW_LAT_FDIV,
    ROW_LAT_MEM,
    ROW_LAT_CTRL,
    ROW_LAT_TENSOR,
};
enum {
    ROW_EVENT_NONE,
    ROW_EVENT_INT_ADD,
    ROW_EVENT_INT_LOGIC,
    ROW_EVENT_INT_MUL,
    ROW_EVENT_INT_DIV,
    ROW_EVENT_FP_ADD,
    ROW_EVENT_FP_MUL,
    ROW_EVENT_FP_FMA,
    ROW_EVENT_SFU,
    ROW_EVENT_CVT,
    ROW_EVENT_MOVE,
    ROW_EVENT_PRED,
    ROW_EVENT_TENSOR,
};
enum { ROW_FORM_MACHINE, ROW_FORM_MACRO };

typedef struct op_row {
    const char *mnemonic;
    const char *meaning;
    uint8_t kind, unit, latency, event, form;
} op_row;

static const op_row rows[WW_OP_COUNT] = {
#define WW_OP(id, mnemonic, kind, unit, latency, event, form, meaning)                             \
    [WW_OP_##id] = {mnemonic,          meaning,           WW_KIND_##kind, WW_UNIT_##unit,          \
                    ROW_LAT_##latency, ROW_EVENT_##event, ROW_FORM_##form},
#include "isa/ops.def"
#undef WW_OP
};

typedef struct type_row {
    const char *name;
    uint8_t bytes, is_signed, is_float;
} type_row;

static const type_row types[WW_TYPE_COUNT] = {
#define X(id, text, bytes, sgn, flt) [WW_T_##id] = {text, bytes, sgn, flt},
    WW_TYPE_MAP(X)
#undef X
};

ww_type ww_type_doubled(ww_type type)
{
    switch (type) {
    case WW_T_U16:
        return WW_T_U32;
    case WW_T_S16:
        return WW_T_S32;
    case WW_T_U32:
        return WW_T_U64;
    case WW_T_S32:
        return WW_T_S64;
    default:
        return type;
    }
}

unsigned ww_type_bytes(ww_type type)
{
    return (unsigned)type < WW_TYPE_COUNT ? types[type].bytes : 0;
}

bool ww_type_is_signed(ww_type type)
{
    return (unsigned)type < WW_TYPE_COUNT && types[type].is_signed != 0;
}

bool ww_type_is_float(ww_type type)
{
    return (unsigned)type < WW_TYPE_COUNT && types[type].is_float != 0;
}

bool ww_type_is_narrow_pair(ww_type type)
{
    return type >= WW_T_E4M3X2 && type <= WW_T_UE8M0X2;
}

const char *ww_type_name(ww_type type)
{
    return (unsigned)type < WW_TYPE_COUNT ? types[type].name : "?";
}

ww_type ww_type_find(const char *name, unsigned length)
{
    for (unsigned t = WW_T_PRED; t < WW_TYPE_COUNT; t++) {
        if (strlen(types[t].name) == length && memcmp(types[t].name, name, length) == 0) {
            return (ww_type)t;
        }
    }
    return WW_TYPE_COUNT;
}

bool ww_op_leaves(ww_op op)
{
    return ((unsigned)op < WW_OP_COUNT && rows[op].kind == WW_KIND_BRANCH) || op == WW_OP_TRAP ||
           op == WW_OP_BRKPT;
}

unsigned ww_texture_coordinates(ww_sub geometry)
{
    switch (geometry) {
    case WW_SUB_1D:
        return 1;
    case WW_SUB_2D:
    case WW_SUB_A1D:
        return 2;
    case WW_SUB_3D:
    case WW_SUB_A2D:
    case WW_SUB_CUBE:
        return 3;
    case WW_SUB_ACUBE:
        return 4;
    default:
        return 0;
    }
}

const char *ww_op_name(ww_op op)
{
    return (unsigned)op < WW_OP_COUNT ? rows[op].mnemonic : "?";
}

const char *ww_op_meaning(ww_op op)
{
    return (unsigned)op < WW_OP_COUNT ? rows[op].meaning : "?";
}

const char *ww_space_name(ww_space space)
{
    static const char *const names[WW_SPACE_COUNT] = {
        [WW_SPACE_NONE] = "none",     [WW_SPACE_GENERIC] = "generic", [WW_SPACE_GLOBAL] = "global",
        [WW_SPACE_SHARED] = "shared", [WW_SPACE_LOCAL] = "local",     [WW_SPACE_CONST] = "const",
        [WW_SPACE_PARAM] = "param",   [WW_SPACE_REG] = "reg",         [WW_SPACE_SREG] = "sreg",
        [WW_SPACE_TEX] = "tex",
    };
    return (unsigned)space < WW_SPACE_COUNT ? names[space] : "?";
}

static bool is_half(ww_type type)
{
    return type == WW_T_F16 || type == WW_T_F16X2 || type == WW_T_BF16 || type == WW_T_BF16X2;
}

static uint16_t event_of(unsigned event)
{
    switch (event) {
    case ROW_EVENT_INT_ADD:
        return WW_C_OP_INT_ADD;
    case ROW_EVENT_INT_LOGIC:
        return WW_C_OP_INT_LOGIC;
    case ROW_EVENT_INT_MUL:
        return WW_C_OP_INT_MUL;
    case ROW_EVENT_INT_DIV:
        return WW_C_OP_IDIV;
    case ROW_EVENT_FP_ADD:
        return WW_C_OP_FP32_ADD;
    case ROW_EVENT_FP_MUL:
        return WW_C_OP_FP32_MUL;
    case ROW_EVENT_FP_FMA:
        return WW_C_OP_FP32_FMA;
    case ROW_EVENT_SFU:
        return WW_C_OP_SFU;
    case ROW_EVENT_CVT:
        return WW_C_OP_CVT;
    case ROW_EVENT_MOVE:
        return WW_C_OP_MOVE;
    case ROW_EVENT_PRED:
        return WW_C_OP_PRED;
    default:
        return WW_COUNTER_COUNT;
    }
}

/* Multiply-accumulates by the type of A. */
static uint16_t matrix_event(ww_type type)
{
    switch (type) {
    case WW_T_BF16:
        return WW_C_MMA_BF16;
    case WW_T_TF32:
        return WW_C_MMA_TF32;
    case WW_T_E4M3:
    case WW_T_E5M2:
        return WW_C_MMA_F8;
    case WW_T_F64:
        return WW_C_MMA_F64;
    case WW_T_S8:
    case WW_T_U8:
        return WW_C_MMA_I8;
    case WW_T_S4:
    case WW_T_U4:
        return WW_C_MMA_I4;
    case WW_T_B1:
        return WW_C_MMA_B1;
    default:
        return WW_C_MMA_F16;
    }
}

static ww_latency latency_of(unsigned latency)
{
    switch (latency) {
    case ROW_LAT_IMUL:
        return WW_LAT_IMUL;
    case ROW_LAT_FP:
        return WW_LAT_FP32;
    case ROW_LAT_SFU:
        return WW_LAT_SFU;
    case ROW_LAT_CVT:
        return WW_LAT_CVT;
    case ROW_LAT_IDIV:
        return WW_LAT_IDIV;
    case ROW_LAT_FDIV:
        return WW_LAT_FDIV;
    case ROW_LAT_MEM:
        return WW_LAT_MEM;
    case ROW_LAT_CTRL:
        return WW_LAT_CTRL;
    case ROW_LAT_TENSOR:
        return WW_LAT_TENSOR;
    default:
        return WW_LAT_INT;
    }
}

/* The floating-point adder, multiplier or multiply-adder that an arithmetic row needs; NONE where
 * the bits only pass through logic (select, copysign), which no FP unit sees. */
static unsigned fp_event(ww_op op)
{
    switch (op) {
    case WW_OP_ADD:
    case WW_OP_SUB:
    case WW_OP_ABS:
    case WW_OP_NEG:
    case WW_OP_MIN:
    case WW_OP_MAX:
    case WW_OP_SETP:
    case WW_OP_SET:
    case WW_OP_TESTP:
        return ROW_EVENT_FP_ADD;
    case WW_OP_MUL:
        return ROW_EVENT_FP_MUL;
    case WW_OP_MAD:
    case WW_OP_FMA:
        return ROW_EVENT_FP_FMA;
    default:
        return ROW_EVENT_NONE;
    }
}

static void use_fp64(ww_form *form, unsigned event)
{
    form->unit = WW_UNIT_DP;
    form->latency = WW_LAT_FP64;
    form->event = event == ROW_EVENT_FP_ADD   ? WW_C_OP_FP64_ADD
                  : event == ROW_EVENT_FP_MUL ? WW_C_OP_FP64_MUL
                                              : WW_C_OP_FP64_FMA;
}

/* Divisions and roots: exactly rounded ones are long sequences that the PTX stream shows as one
 * instruction. */
static void use_division(ww_form *form, ww_type type, ww_sub sub)
{
    if (sub == WW_SUB_APPROX) {
        form->unit = WW_UNIT_SFU;
        form->latency = WW_LAT_SFU;
        form->event = WW_C_OP_SFU;
    } else if (type == WW_T_F64) {
        form->unit = WW_UNIT_DP;
        form->latency = WW_LAT_DDIV;
        form->event = WW_C_OP_DDIV;
    } else {
        form->unit = WW_UNIT_SFU;
        form->latency = WW_LAT_FDIV;
        form->event = WW_C_OP_FDIV;
    }
}

/* The type whose unit does the work: a conversion needs the FP64 unit when either side is f64; a
 * set compares its operands' type. */
static ww_type working_type(ww_op op, ww_type type, ww_type type2)
{
    return op == WW_OP_CVT && type2 == WW_T_F64    ? WW_T_F64
           : op == WW_OP_SET && type2 != WW_T_NONE ? type2
                                                   : type;
}

ww_form ww_isa_form(ww_op op, ww_type type, ww_type type2, ww_sub sub)
{
    const op_row *row = &rows[(unsigned)op < WW_OP_COUNT ? op : WW_OP_NOP];
    ww_form form = {(ww_kind)row->kind, (ww_unit)row->unit, latency_of(row->latency),
                    event_of(row->event)};
    if (row->event == ROW_EVENT_TENSOR) {
        form.event = matrix_event(type2);
        return form;
    }
    type = working_type(op, type, type2);
    if (type == WW_T_PRED && row->kind == WW_KIND_ARITH) {
        form.event = WW_C_OP_PRED;
        return form;
    }
    if (!ww_type_is_float(type) || (row->kind != WW_KIND_ARITH)) {
        return form;
    }
    if ((op == WW_OP_DIV || op == WW_OP_RCP || op == WW_OP_SQRT) && !is_half(type)) {
        use_division(&form, type, sub);
        return form;
    }
    if (op == WW_OP_CVT) {
        if (type == WW_T_F64) {
            form.unit = WW_UNIT_DP;
            form.latency = WW_LAT_FP64;
        }
        return form;
    }
    unsigned event = fp_event(op);
    if (event == ROW_EVENT_NONE) {
        return form;
    }
    if (type == WW_T_F64) {
        use_fp64(&form, event);
    } else {
        form.latency = WW_LAT_FP32;
        form.event = is_half(type) ? WW_C_OP_FP16 : event_of(event);
    }
    return form;
}

/* Operations that a 32-bit integer datapath does on 64-bit operands only as a sequence. */
static bool splits_at_64_bits(ww_op op)
{
    switch (op) {
    case WW_OP_ADD:
    case WW_OP_SUB:
    case WW_OP_ADDC:
    case WW_OP_SUBC:
    case WW_OP_MUL:
    case WW_OP_MAD:
    case WW_OP_MADC:
    case WW_OP_SAD:
    case WW_OP_ABS:
    case WW_OP_NEG:
    case WW_OP_MIN:
    case WW_OP_MAX:
    case WW_OP_POPC:
    case WW_OP_CLZ:
    case WW_OP_BFIND:
    case WW_OP_BREV:
    case WW_OP_BFE:
    case WW_OP_BFI:
    case WW_OP_AND:
    case WW_OP_OR:
    case WW_OP_XOR:
    case WW_OP_NOT:
    case WW_OP_CNOT:
    case WW_OP_SHL:
    case WW_OP_SHR:
    case WW_OP_SETP:
    case WW_OP_SET:
    case WW_OP_SELP:
    case WW_OP_SLCT:
    case WW_OP_MOV:
        return true;
    default:
        return false;
    }
}

bool ww_isa_is_macro(ww_op op, ww_type type, ww_type type2, ww_sub sub)
{
    switch (op) {
    case WW_OP_RCP:
        return !(type == WW_T_F32 && sub == WW_SUB_APPROX);
    case WW_OP_RSQRT:
        return type == WW_T_F64;
    case WW_OP_COPYSIGN:
        return type == WW_T_F64;
    case WW_OP_CVT:
        /* Between integers, 64-bit results are a copy and a sign word; with a float on one side the
         * conversion unit takes pairs. */
        return !ww_type_is_float(type) && !ww_type_is_float(type2) &&
               (ww_type_bytes(type) == 8 || ww_type_bytes(type2) == 8);
    default:
        break;
    }
    if ((unsigned)op < WW_OP_COUNT && rows[op].form == ROW_FORM_MACRO) {
        return true;
    }
    /* Selection and moves of 64-bit floats are word operations too; FP64 arithmetic and compares
     * are not. */
    bool words_only = op == WW_OP_SELP || op == WW_OP_SLCT || op == WW_OP_MOV;
    return ww_type_bytes(type) == 8 && (!ww_type_is_float(type) || words_only) &&
           splits_at_64_bits(op);
}
