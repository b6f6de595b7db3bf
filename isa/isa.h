/* isa.h - operations, types and modifiers of the executable stream, and what parser, executor,
 * timing, power and docs must agree on about each. */
#ifndef WW_ISA_ISA_H
#define WW_ISA_ISA_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum ww_op {
#define WW_OP(id, mnemonic, kind, unit, latency, event, fp, form, meaning) WW_OP_##id,
#include "isa/ops.def"
#undef WW_OP
    WW_OP_COUNT
} ww_op;

/* X(ID, "ptx", bytes, signed, float) */
#define WW_TYPE_MAP(X)                                                                             \
    X(NONE, "", 0, 0, 0)                                                                           \
    X(PRED, "pred", 0, 0, 0)                                                                       \
    X(B8, "b8", 1, 0, 0)                                                                           \
    X(B16, "b16", 2, 0, 0)                                                                         \
    X(B32, "b32", 4, 0, 0)                                                                         \
    X(B64, "b64", 8, 0, 0)                                                                         \
    X(B128, "b128", 16, 0, 0)                                                                      \
    X(U8, "u8", 1, 0, 0)                                                                           \
    X(U16, "u16", 2, 0, 0)                                                                         \
    X(U32, "u32", 4, 0, 0)                                                                         \
    X(U64, "u64", 8, 0, 0)                                                                         \
    X(S8, "s8", 1, 1, 0)                                                                           \
    X(S16, "s16", 2, 1, 0)                                                                         \
    X(S32, "s32", 4, 1, 0)                                                                         \
    X(S64, "s64", 8, 1, 0)                                                                         \
    X(F16, "f16", 2, 1, 1)                                                                         \
    X(F16X2, "f16x2", 4, 1, 1)                                                                     \
    X(BF16, "bf16", 2, 1, 1)                                                                       \
    X(BF16X2, "bf16x2", 4, 1, 1)                                                                   \
    X(TF32, "tf32", 4, 1, 1)                                                                       \
    X(F32, "f32", 4, 1, 1)                                                                         \
    X(F64, "f64", 8, 1, 1)                                                                         \
    X(E4M3X2, "e4m3x2", 2, 1, 1)                                                                   \
    X(E5M2X2, "e5m2x2", 2, 1, 1)                                                                   \
    X(E3M2X2, "e3m2x2", 2, 1, 1)                                                                   \
    X(E2M3X2, "e2m3x2", 2, 1, 1)                                                                   \
    X(E2M1X2, "e2m1x2", 1, 1, 1)                                                                   \
    X(UE8M0X2, "ue8m0x2", 2, 0, 1)                                                                 \
    X(U4, "u4", 0, 0, 0)                                                                           \
    X(S4, "s4", 0, 1, 0)                                                                           \
    X(U2, "u2", 0, 0, 0)                                                                           \
    X(S2, "s2", 0, 1, 0)                                                                           \
    X(B1, "b1", 0, 0, 0)                                                                           \
    X(E4M3, "e4m3", 1, 1, 1)                                                                       \
    X(E5M2, "e5m2", 1, 1, 1)

typedef enum ww_type {
#define X(id, text, bytes, sgn, flt) WW_T_##id,
    WW_TYPE_MAP(X)
#undef X
        WW_TYPE_COUNT
} ww_type;

/** Size in bytes; 0 for NONE, PRED and types below a byte. */
unsigned ww_type_bytes(ww_type type);
/** The integer type of twice the width, as of the result of mul.wide; any other type as it is. */
ww_type ww_type_doubled(ww_type type);
bool ww_type_is_signed(ww_type type);
bool ww_type_is_float(ww_type type);
/** Two floats of at most 8 bits each: .e4m3x2 and its like. */
bool ww_type_is_narrow_pair(ww_type type);
const char *ww_type_name(ww_type type);
/** Type of that PTX name without the dot; WW_TYPE_COUNT when unknown. */
ww_type ww_type_find(const char *name, unsigned length);

typedef enum ww_space {
    WW_SPACE_NONE,
    WW_SPACE_GENERIC,
    WW_SPACE_GLOBAL,
    WW_SPACE_SHARED,
    WW_SPACE_LOCAL,
    WW_SPACE_CONST, /* module .const variables: device addresses, read through the constant cache */
    WW_SPACE_PARAM, /* kernel parameters: byte offset into the parameter block, read through the
                       constant cache */
    WW_SPACE_REG,
    WW_SPACE_SREG,
    WW_SPACE_TEX,
    WW_SPACE_COUNT
} ww_space;

/* Generic address windows (64-bit addresses as threads see them). */
#define WW_SHARED_WINDOW 0x0000700000000000ull /* + byte offset in the CTA's shared memory */
#define WW_LOCAL_WINDOW  0x0000710000000000ull /* + byte offset in the thread's local memory */
#define WW_WINDOW_BYTES  0x0000001000000000ull
#define WW_FUNCTION_WINDOW                                                                         \
    0x0000720000000000ull /* addresses of device functions: numbers, 16 apart; nothing lies there  \
                           */
#define WW_GLOBAL_BASE 0x0000000010000000ull /* first global address handed out */
/* Where a warp's local memory lies in the physical address space that caches see: word-interleaved
 * by lane. */
#define WW_LOCAL_PHYSICAL 0x0000600000000000ull

typedef enum ww_cmp {
    WW_CMP_EQ,
    WW_CMP_NE,
    WW_CMP_LT,
    WW_CMP_LE,
    WW_CMP_GT,
    WW_CMP_GE, /* signed or ordered float by type */
    WW_CMP_LO,
    WW_CMP_LS,
    WW_CMP_HI,
    WW_CMP_HS, /* unsigned */
    WW_CMP_EQU,
    WW_CMP_NEU,
    WW_CMP_LTU,
    WW_CMP_LEU,
    WW_CMP_GTU,
    WW_CMP_GEU, /* float, true when unordered */
    WW_CMP_NUM,
    WW_CMP_NAN,
    WW_CMP_COUNT
} ww_cmp;

typedef enum ww_bool_op {
    WW_BOOL_NONE,
    WW_BOOL_AND,
    WW_BOOL_OR,
    WW_BOOL_XOR,
    WW_BOOL_SUM, /* of video: result and third operand are added, */
    WW_BOOL_LEAST,
    WW_BOOL_MOST /* or the smaller or the larger is taken */
} ww_bool_op;

typedef enum ww_round {
    WW_ROUND_DEFAULT, /* operation's default: .rn for FP arithmetic, none otherwise */
    WW_ROUND_RN,
    WW_ROUND_RZ,
    WW_ROUND_RM,
    WW_ROUND_RP,
    WW_ROUND_RNA,
    WW_ROUND_RNI,
    WW_ROUND_RZI,
    WW_ROUND_RMI,
    WW_ROUND_RPI, /* to integral value */
} ww_round;

/* `sub` of an instruction: which variant of the operation; meaning depends on the op. */
typedef enum ww_sub {
    WW_SUB_NONE,
    WW_SUB_LO,
    WW_SUB_HI,
    WW_SUB_WIDE, /* mul, mad, mul24, mad24 */
    WW_SUB_APPROX,
    WW_SUB_FULL, /* div, rcp, sqrt, … (NONE: exactly rounded) */
    WW_SUB_LEFT,
    WW_SUB_RIGHT, /* shf; with WW_MOD_WRAP or clamp */
    WW_SUB_F4E,
    WW_SUB_B4E,
    WW_SUB_RC8,
    WW_SUB_ECL,
    WW_SUB_ECR,
    WW_SUB_RC16, /* prmt modes */
    WW_SUB_TO,   /* cvta.to */
    WW_SUB_SYNC,
    WW_SUB_ARRIVE,
    WW_SUB_RED_POPC,
    WW_SUB_RED_AND,
    WW_SUB_RED_OR, /* bar */
    WW_SUB_ANY,
    WW_SUB_ALL,
    WW_SUB_UNI,
    WW_SUB_BALLOT, /* vote, match */
    WW_SUB_UP,
    WW_SUB_DOWN,
    WW_SUB_BFLY,
    WW_SUB_IDX, /* shfl */
    WW_SUB_ADD,
    WW_SUB_MIN,
    WW_SUB_MAX,
    WW_SUB_INC,
    WW_SUB_DEC,
    WW_SUB_AND,
    WW_SUB_OR,
    WW_SUB_XOR,
    WW_SUB_EXCH,
    WW_SUB_CAS, /* atom, red, redux */
    WW_SUB_FINITE,
    WW_SUB_INFINITE,
    WW_SUB_NUMBER,
    WW_SUB_NOTANUMBER,
    WW_SUB_NORMAL,
    WW_SUB_SUBNORMAL, /* testp */
    WW_SUB_1D,
    WW_SUB_2D,
    WW_SUB_3D,
    WW_SUB_A1D,
    WW_SUB_A2D,
    WW_SUB_CUBE,
    WW_SUB_ACUBE, /* tex, suld, sust */
    WW_SUB_CTA,
    WW_SUB_GL,
    WW_SUB_SYS, /* membar */
    WW_SUB_A,
    WW_SUB_B,
    WW_SUB_C,
    WW_SUB_D, /* wmma.load, wmma.store: which matrix */
    WW_SUB_WIDTH,
    WW_SUB_HEIGHT,
    WW_SUB_DEPTH, /* txq, suq */
    WW_SUB_INIT,
    WW_SUB_INVAL,
    WW_SUB_ARRIVE_DROP,
    WW_SUB_ARRIVE_EXPECT_TX,
    WW_SUB_EXPECT_TX,
    WW_SUB_COMPLETE_TX,
    WW_SUB_TEST,
    WW_SUB_TEST_PARITY, /* mbarrier, with WW_SUB_ARRIVE */
    WW_SUB_INDIRECT,    /* call: of the function whose address is src[0] */
    WW_SUB_VPRINTF,
    WW_SUB_MALLOC,
    WW_SUB_FREE,
    WW_SUB_ASSERTFAIL,
    WW_SUB_CHILD_BUFFER,
    WW_SUB_CHILD_LAUNCH,
    WW_SUB_CHILD_HANDLE,
    WW_SUB_CHILD_STATUS,
    WW_SUB_GRAPH_CONDITION, /* call: functions of the CUDA runtime, done by the host */
    WW_SUB_VADD,
    WW_SUB_VSUB,
    WW_SUB_VABSDIFF,
    WW_SUB_VMIN,
    WW_SUB_VMAX,
    WW_SUB_VAVRG,
    WW_SUB_VSHL,
    WW_SUB_VSHR,
    WW_SUB_VSET,         /* video */
    WW_SUB_SYNC_CLUSTER, /* bar of a cluster of one CTA, on a barrier of its own */
    WW_SUB_COMMIT,
    WW_SUB_WAIT_GROUP,
    WW_SUB_WAIT_ALL,
    WW_SUB_WAIT_BULK,
    WW_SUB_HAND_OVER, /* cp.async.wait; the last: an mbarrier waits instead */
    WW_SUB_COUNT
} ww_sub;

/* Matrix operations: rows of A, columns of B, depth. X(ID, "ptx", m, n, k) */
#define WW_TILE_MAP(X)                                                                             \
    X(NONE, "", 0, 0, 0)                                                                           \
    X(M8N8K4, "m8n8k4", 8, 8, 4)                                                                   \
    X(M8N8K16, "m8n8k16", 8, 8, 16)                                                                \
    X(M16N16K16, "m16n16k16", 16, 16, 16)                                                          \
    X(M32N8K16, "m32n8k16", 32, 8, 16)                                                             \
    X(M8N32K16, "m8n32k16", 8, 32, 16)                                                             \
    X(M16N16K8, "m16n16k8", 16, 16, 8)                                                             \
    X(M16N8K4, "m16n8k4", 16, 8, 4)                                                                \
    X(M16N8K8, "m16n8k8", 16, 8, 8)                                                                \
    X(M16N8K16, "m16n8k16", 16, 8, 16)                                                             \
    X(M16N8K32, "m16n8k32", 16, 8, 32)                                                             \
    X(M8N8K32, "m8n8k32", 8, 8, 32)                                                                \
    X(M16N8K64, "m16n8k64", 16, 8, 64)                                                             \
    X(M8N8K128, "m8n8k128", 8, 8, 128)                                                             \
    X(M16N8K128, "m16n8k128", 16, 8, 128)                                                          \
    X(M16N8K256, "m16n8k256", 16, 8, 256)

typedef enum ww_tile {
#define X(id, text, m, n, k) WW_TILE_##id,
    WW_TILE_MAP(X)
#undef X
        WW_TILE_COUNT
} ww_tile;

/* `layout` of matrix operations. */
enum {
    WW_LAYOUT_A_COLUMN = 1, /* A lies column by column in memory; else row by row */
    WW_LAYOUT_B_COLUMN = 2,
    WW_LAYOUT_C_COLUMN = 4, /* C and D */
};

/* `mods` of an instruction. */
enum {
    WW_MOD_FTZ = 1u << 0,      /* subnormal inputs and results become signed zero */
    WW_MOD_SAT = 1u << 1,      /* clamp to [0,1], or to the integer range */
    WW_MOD_WRAP = 1u << 2,     /* shf, szext: shift amount modulo size */
    WW_MOD_SHIFTAMT = 1u << 3, /* bfind */
    WW_MOD_VOLATILE = 1u << 4,
    WW_MOD_NC = 1u << 5,  /* ld.global.nc: read-only path */
    WW_MOD_UNI = 1u << 6, /* bra.uni, call.uni */
    WW_MOD_NAN = 1u << 7, /* min/max propagate NaN */
    WW_MOD_ALIGNED = 1u << 8,
    WW_MOD_SYNC = 1u << 9,      /* .sync form with a member mask */
    WW_MOD_CACHE_CG = 1u << 10, /* cache at L2 only */
    WW_MOD_CACHE_CS = 1u << 11, /* streaming */
    WW_MOD_CACHE_CV = 1u << 12, /* do not cache */
    WW_MOD_CACHE_WT = 1u << 13,
    WW_MOD_RELU = 1u << 14,
    WW_MOD_NOINLINE = 1u << 15,
    WW_MOD_SHARED_SCOPE = 1u << 16,
    WW_MOD_OUTSIDE_ZERO = 1u << 18,  /* suld, sust beyond the surface: zero, dropped */
    WW_MOD_OUTSIDE_CLAMP = 1u << 19, /* the nearest element; neither: an error (.trap) */
    WW_MOD_ORDERED = 1u << 20,       /* acquire or release: no other access passes */
    WW_MOD_SATFINITE = 1u << 21,     /* cvt: the largest finite number instead of infinity */
    WW_MOD_ONCE = 1u << 22,          /* scalarization: one thread executes it for its warp */
    WW_MOD_LINKED = 1u << 17, /* produced by lowering from the same PTX line as its predecessor */
};

typedef enum ww_kind {
    WW_KIND_ARITH,
    WW_KIND_MOVE,
    WW_KIND_BRANCH,
    WW_KIND_MEMORY,
    WW_KIND_SYNC,
    WW_KIND_OTHER
} ww_kind;
typedef enum ww_unit {
    WW_UNIT_SP,
    WW_UNIT_DP,
    WW_UNIT_SFU,
    WW_UNIT_LDST,
    WW_UNIT_TENSOR,
    WW_UNIT_CTRL,
    WW_UNIT_COUNT
} ww_unit;
typedef enum ww_latency {
    WW_LAT_INT,
    WW_LAT_IMUL,
    WW_LAT_FP32,
    WW_LAT_FP64,
    WW_LAT_SFU,
    WW_LAT_CVT,
    WW_LAT_IDIV,
    WW_LAT_FDIV,
    WW_LAT_DDIV,
    WW_LAT_MEM,
    WW_LAT_CTRL,
    WW_LAT_TENSOR,
    WW_LAT_COUNT
} ww_latency;

/* What everyone needs to know about one form (op, type, sub). */
typedef struct ww_form {
    ww_kind kind;
    ww_unit unit;
    ww_latency latency;
    uint16_t event; /* ww_counter fed per active lane, or per multiply-accumulate of a matrix
                       product; WW_COUNTER_COUNT: none */
} ww_form;

/** Classification of a form: type is that of the result, type2 that of the operands where a form
 * names both (cvt, set). Pure; cheap enough to be called once per static instruction. */
ww_form ww_isa_form(ww_op op, ww_type type, ww_type type2, ww_sub sub);
/** True when the machine has no single instruction for the form, so that the lowering must expand
 * it. */
bool ww_isa_is_macro(ww_op op, ww_type type, ww_type type2, ww_sub sub);

/** Whether execution may go on elsewhere, or not at all, after this operation. */
bool ww_op_leaves(ww_op op);
/** Coordinates of a texture or surface geometry (WW_SUB_1D …), a layer's number included; 0: none
 * of these. */
unsigned ww_texture_coordinates(ww_sub geometry);
const char *ww_op_name(ww_op op);
const char *ww_op_meaning(ww_op op);
const char *ww_space_name(ww_space space);

#ifdef __cplusplus
}
#endif
#endif
