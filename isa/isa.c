/* isa.c - look-ups in the operation table and what the type and variant of a form change in its
 * row. */
#include "isa/isa.h"

#include <string.h>

#include "counters/counters.h"

/* The column FP: the operator that floating-point types need. */
typedef enum fp_operator { FP_NONE, FP_ADD, FP_MUL, FP_FMA } fp_operator;

/* What of an operation is no single machine instruction. */
typedef enum op_shape {
    FORM_MACHINE,
    FORM_MACRO,
    FORM_WORDS,
    FORM_BITS,
    FORM_NOT_F64,
    FORM_APPROX,
    FORM_CONVERSION,
} op_shape;

/* Beside the counters, in the column EVENT. */
enum { WW_C_OP_NONE = WW_COUNTER_COUNT, WW_C_OP_MATRIX };

typedef struct op_row {
    const char *mnemonic;
    const char *meaning;
    uint16_t event; /* ww_counter, or one of the above */
    uint8_t kind, unit, latency, cost;
    uint8_t fp;   /* fp_operator */
    uint8_t form; /* op_shape */
} op_row;

static const op_row rows[WW_OP_COUNT] = {
#define WW_OP(id, text, op_kind, pipe, lat, how, op_event, operator, shape, constants, effects,    \
              about)                                                                               \
    [WW_OP_##id] = {.mnemonic = text,                                                              \
                    .meaning = about,                                                              \
                    .event = WW_C_OP_##op_event,                                                   \
                    .kind = WW_KIND_##op_kind,                                                     \
                    .unit = WW_UNIT_##pipe,                                                        \
                    .latency = WW_LAT_##lat,                                                       \
                    .cost = WW_COST_##how,                                                         \
                    .fp = FP_##operator,                                                           \
                    .form = FORM_##shape },
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

#define NAMES(function, type, MAP, COUNT)                                                          \
    const char *function(type value)                                                               \
    {                                                                                              \
        static const char *const names[] = {MAP(TEXT)};                                            \
        return (unsigned)value < COUNT ? names[value] : "?";                                       \
    }
#define TEXT(id, text) text,
NAMES(ww_space_name, ww_space, WW_SPACE_MAP, WW_SPACE_COUNT)
NAMES(ww_cmp_name, ww_cmp, WW_CMP_MAP, WW_CMP_COUNT)
NAMES(ww_bool_name, ww_bool_op, WW_BOOL_MAP, WW_BOOL_COUNT)
NAMES(ww_round_name, ww_round, WW_ROUND_MAP, WW_ROUND_COUNT)
NAMES(ww_sub_name, ww_sub, WW_SUB_MAP, WW_SUB_COUNT)
#undef TEXT
#undef NAMES

static bool is_half(ww_type type)
{
    return type == WW_T_F16 || type == WW_T_F16X2 || type == WW_T_BF16 || type == WW_T_BF16X2;
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

/* Counters of the operators: single precision, double precision. */
static const uint16_t fp_events[][2] = {
    [FP_NONE] = {WW_COUNTER_COUNT, WW_COUNTER_COUNT},
    [FP_ADD] = {WW_C_OP_FP32_ADD, WW_C_OP_FP64_ADD},
    [FP_MUL] = {WW_C_OP_FP32_MUL, WW_C_OP_FP64_MUL},
    [FP_FMA] = {WW_C_OP_FP32_FMA, WW_C_OP_FP64_FMA},
};

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
    ww_form form = {(ww_kind)row->kind, (ww_unit)row->unit, (ww_latency)row->latency,
                    (ww_cost)row->cost, row->event};
    if (row->event == WW_C_OP_MATRIX) {
        form.event = op == WW_OP_WGMMA && type == WW_T_F16 && type2 == WW_T_F16
                         ? WW_C_MMA_F16_SUM16
                         : matrix_event(type2);
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
    if (row->form == FORM_CONVERSION) {
        if (type == WW_T_F64) {
            form.unit = WW_UNIT_DP;
            form.latency = WW_LAT_FP64;
        }
        return form;
    }
    if (row->fp == FP_NONE) {
        return form;
    }
    bool wide = type == WW_T_F64;
    form.unit = wide ? WW_UNIT_DP : form.unit;
    form.latency = wide ? WW_LAT_FP64 : WW_LAT_FP32;
    form.event = is_half(type) ? WW_C_OP_FP16 : fp_events[row->fp][wide];
    return form;
}

bool ww_isa_is_macro(ww_op op, ww_type type, ww_type type2, ww_sub sub)
{
    bool pair = ww_type_bytes(type) == 8;
    switch ((unsigned)op < WW_OP_COUNT ? (op_shape)rows[op].form : FORM_MACHINE) {
    case FORM_MACRO:
        return true;
    case FORM_WORDS:
        return pair && !ww_type_is_float(type);
    case FORM_BITS:
        return pair;
    case FORM_NOT_F64:
        return type == WW_T_F64;
    case FORM_APPROX:
        return !(type == WW_T_F32 && sub == WW_SUB_APPROX);
    case FORM_CONVERSION:
        /* Between integers, 64-bit results are a copy and a sign word; with a float on one side the
         * conversion unit takes pairs. */
        return !ww_type_is_float(type) && !ww_type_is_float(type2) &&
               (pair || ww_type_bytes(type2) == 8);
    case FORM_MACHINE:
        break;
    }
    return false;
}
