/* isa.h - operations, types and modifiers of the executable stream, and what parser, executor,
 * timing, power and docs must agree on about each.
 *
 * isa/ says once, in ops.def, what an operation takes, reads, writes and meets (effects.h asks it);
 * passes, executor and timing model ask here and forbid what a row does not say. It executes
 * nothing and knows no time. Depends on: base, counters. */
#ifndef WW_ISA_ISA_H
#define WW_ISA_ISA_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum ww_op {
#define WW_OP(id, mnemonic, kind, unit, latency, cost, event, fp, form, constants, effects, about) \
    WW_OP_##id,
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

/* X(ID, "ptx") */
#define WW_SPACE_MAP(X)                                                                            \
    X(NONE, "none")                                                                                \
    X(GENERIC, "generic")                                                                          \
    X(GLOBAL, "global")                                                                            \
    X(SHARED, "shared")                                                                            \
    X(LOCAL, "local")                                                                              \
    X(CONST, "const") /* module .const variables: device addresses, through the constant cache */  \
    X(PARAM, "param") /* kernel parameters: offset into their block, through the constant cache */ \
    X(REG, "reg")                                                                                  \
    X(SREG, "sreg")                                                                                \
    X(TEX, "tex")

typedef enum ww_space {
#define X(id, text) WW_SPACE_##id,
    WW_SPACE_MAP(X)
#undef X
        WW_SPACE_COUNT
} ww_space;

/* Generic address windows (64-bit addresses as threads see them). */
#define WW_SHARED_WINDOW 0x0000700000000000ull /* + byte offset in the CTA's shared memory */
#define WW_LOCAL_WINDOW  0x0000710000000000ull /* + byte offset in the thread's local memory */
#define WW_PARAM_WINDOW  0x0000730000000000ull /* + byte offset in the kernel's parameters */
#define WW_WINDOW_BYTES  0x0000001000000000ull
#define WW_FUNCTION_WINDOW                                                                         \
    0x0000720000000000ull /* addresses of device functions: numbers, 16 apart; nothing lies there  \
                           */
#define WW_GLOBAL_BASE 0x0000000010000000ull /* first global address handed out */
/* Where a warp's local memory lies in the physical address space that caches see: word-interleaved
 * by lane. */
#define WW_LOCAL_PHYSICAL 0x0000600000000000ull

/* Comparisons. X(ID, "ptx") */
#define WW_CMP_MAP(X)                                                                              \
    X(EQ, "eq") /* signed, or ordered float, by type */                                            \
    X(NE, "ne")                                                                                    \
    X(LT, "lt")                                                                                    \
    X(LE, "le")                                                                                    \
    X(GT, "gt")                                                                                    \
    X(GE, "ge")                                                                                    \
    X(LO, "lo") /* unsigned */                                                                     \
    X(LS, "ls")                                                                                    \
    X(HI, "hi")                                                                                    \
    X(HS, "hs")                                                                                    \
    X(EQU, "equ") /* float, true when unordered */                                                 \
    X(NEU, "neu")                                                                                  \
    X(LTU, "ltu")                                                                                  \
    X(LEU, "leu")                                                                                  \
    X(GTU, "gtu")                                                                                  \
    X(GEU, "geu")                                                                                  \
    X(NUM, "num")                                                                                  \
    X(NAN, "nan")

typedef enum ww_cmp {
#define X(id, text) WW_CMP_##id,
    WW_CMP_MAP(X)
#undef X
        WW_CMP_COUNT
} ww_cmp;

/** "lt"; "?" for no comparison. Likewise below. */
const char *ww_cmp_name(ww_cmp cmp);

/* How a comparison is combined with a predicate. X(ID, "ptx") */
#define WW_BOOL_MAP(X)                                                                             \
    X(NONE, "")                                                                                    \
    X(AND, "and")                                                                                  \
    X(OR, "or")                                                                                    \
    X(XOR, "xor")                                                                                  \
    X(SUM, "add")   /* of video: result and third operand are added, */                            \
    X(LEAST, "min") /* or the smaller or the larger is taken */                                    \
    X(MOST, "max")

typedef enum ww_bool_op {
#define X(id, text) WW_BOOL_##id,
    WW_BOOL_MAP(X)
#undef X
        WW_BOOL_COUNT
} ww_bool_op;

const char *ww_bool_name(ww_bool_op op);

/* Rounding. X(ID, "ptx") */
#define WW_ROUND_MAP(X)                                                                            \
    X(DEFAULT, "") /* the operation's: .rn for FP arithmetic, none otherwise */                    \
    X(RN, "rn")                                                                                    \
    X(RZ, "rz")                                                                                    \
    X(RM, "rm")                                                                                    \
    X(RP, "rp")                                                                                    \
    X(RNA, "rna")                                                                                  \
    X(RNI, "rni") /* to integral value */                                                          \
    X(RZI, "rzi")                                                                                  \
    X(RMI, "rmi")                                                                                  \
    X(RPI, "rpi")

typedef enum ww_round {
#define X(id, text) WW_ROUND_##id,
    WW_ROUND_MAP(X)
#undef X
        WW_ROUND_COUNT
} ww_round;

const char *ww_round_name(ww_round round);

/* `sub` of an instruction: which variant of the operation; meaning depends on the op. */
/* Variants of operations. X(ID, "ptx"); each group begins with what has it */
#define WW_SUB_MAP(X)                                                                              \
    X(NONE, "")                                                                                    \
    X(LO, "lo") /* mul, mad, mul24, mad24 */                                                       \
    X(HI, "hi")                                                                                    \
    X(WIDE, "wide")                                                                                \
    X(APPROX, "approx") /* div, rcp, sqrt, ... (NONE: exactly rounded) */                          \
    X(FULL, "full")                                                                                \
    X(LEFT, "l") /* shf; with WW_MOD_WRAP or clamp */                                              \
    X(RIGHT, "r")                                                                                  \
    X(F4E, "f4e") /* prmt modes */                                                                 \
    X(B4E, "b4e")                                                                                  \
    X(RC8, "rc8")                                                                                  \
    X(ECL, "ecl")                                                                                  \
    X(ECR, "ecr")                                                                                  \
    X(RC16, "rc16")                                                                                \
    X(TO, "to")     /* cvta.to */                                                                  \
    X(SYNC, "sync") /* bar */                                                                      \
    X(ARRIVE, "arrive")                                                                            \
    X(RED_POPC, "red.popc")                                                                        \
    X(RED_AND, "red.and")                                                                          \
    X(RED_OR, "red.or")                                                                            \
    X(ANY, "any") /* vote, match */                                                                \
    X(ALL, "all")                                                                                  \
    X(UNI, "uni")                                                                                  \
    X(BALLOT, "ballot")                                                                            \
    X(UP, "up") /* shfl */                                                                         \
    X(DOWN, "down")                                                                                \
    X(BFLY, "bfly")                                                                                \
    X(IDX, "idx")                                                                                  \
    X(ADD, "add") /* atom, red, redux */                                                           \
    X(MIN, "min")                                                                                  \
    X(MAX, "max")                                                                                  \
    X(INC, "inc")                                                                                  \
    X(DEC, "dec")                                                                                  \
    X(AND, "and")                                                                                  \
    X(OR, "or")                                                                                    \
    X(XOR, "xor")                                                                                  \
    X(EXCH, "exch")                                                                                \
    X(CAS, "cas")                                                                                  \
    X(FINITE, "finite") /* testp */                                                                \
    X(INFINITE, "infinite")                                                                        \
    X(NUMBER, "number")                                                                            \
    X(NOTANUMBER, "notanumber")                                                                    \
    X(NORMAL, "normal")                                                                            \
    X(SUBNORMAL, "subnormal")                                                                      \
    X(1D, "1d") /* tex, suld, sust */                                                              \
    X(2D, "2d")                                                                                    \
    X(3D, "3d")                                                                                    \
    X(A1D, "a1d")                                                                                  \
    X(A2D, "a2d")                                                                                  \
    X(CUBE, "cube")                                                                                \
    X(ACUBE, "acube")                                                                              \
    X(CTA, "cta") /* membar */                                                                     \
    X(GL, "gl")                                                                                    \
    X(SYS, "sys")                                                                                  \
    X(A, "a") /* wmma.load, wmma.store: which matrix */                                            \
    X(B, "b")                                                                                      \
    X(C, "c")                                                                                      \
    X(D, "d")                                                                                      \
    X(WIDTH, "width") /* txq, suq */                                                               \
    X(HEIGHT, "height")                                                                            \
    X(DEPTH, "depth")                                                                              \
    X(INIT, "init") /* mbarrier, with ARRIVE */                                                    \
    X(INVAL, "inval")                                                                              \
    X(ARRIVE_DROP, "arrive_drop")                                                                  \
    X(ARRIVE_EXPECT_TX, "arrive.expect_tx")                                                        \
    X(EXPECT_TX, "expect_tx")                                                                      \
    X(COMPLETE_TX, "complete_tx")                                                                  \
    X(TEST, "test")                                                                                \
    X(TEST_PARITY, "test.parity")                                                                  \
    X(INDIRECT, "indirect") /* call: of the function whose address is src[0] */                    \
    X(VPRINTF, "vprintf")   /* call: functions of the CUDA runtime, done by the host */            \
    X(MALLOC, "malloc")                                                                            \
    X(FREE, "free")                                                                                \
    X(ASSERTFAIL, "assertfail")                                                                    \
    X(CHILD_BUFFER, "child_buffer")                                                                \
    X(CHILD_LAUNCH, "child_launch")                                                                \
    X(CHILD_HANDLE, "child_handle")                                                                \
    X(CHILD_STATUS, "child_status")                                                                \
    X(GRAPH_CONDITION, "graph_condition")                                                          \
    X(VADD, "vadd") /* video */                                                                    \
    X(VSUB, "vsub")                                                                                \
    X(VABSDIFF, "vabsdiff")                                                                        \
    X(VMIN, "vmin")                                                                                \
    X(VMAX, "vmax")                                                                                \
    X(VAVRG, "vavrg")                                                                              \
    X(VSHL, "vshl")                                                                                \
    X(VSHR, "vshr")                                                                                \
    X(VSET, "vset")                                                                                \
    X(SHR7, "shr7") /* vmad */                                                                     \
    X(SHR15, "shr15")                                                                              \
    X(PO, "po") /* plus one */                                                                     \
    X(PO_SHR7, "po.shr7")                                                                          \
    X(PO_SHR15, "po.shr15")                                                                        \
    X(SYNC_CLUSTER, "sync.cluster") /* bar: of a cluster, apart from those of the CTA */           \
    X(ARRIVE_CLUSTER, "arrive.cluster")                                                            \
    X(COMMIT, "commit") /* cp.async.wait */                                                        \
    X(WAIT_GROUP, "wait_group")                                                                    \
    X(WAIT_ALL, "wait_all")                                                                        \
    X(WAIT_BULK, "wait_bulk")                                                                      \
    X(COMMIT_BULK, "commit_bulk")                                                                  \
    X(HAND_OVER, "hand_over")      /* an mbarrier waits instead */                                 \
    X(FENCE, "fence")              /* wgmma.wait, with COMMIT and WAIT_GROUP */                    \
    X(PREFETCH, "prefetch")        /* cp.async.bulk, of tensors too */                             \
    X(LAUNCH, "launch_dependents") /* griddepcontrol */                                            \
    X(WAIT, "wait")

typedef enum ww_sub {
#define X(id, text) WW_SUB_##id,
    WW_SUB_MAP(X)
#undef X
        WW_SUB_COUNT
} ww_sub;

const char *ww_sub_name(ww_sub sub);

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
    X(M16N8K256, "m16n8k256", 16, 8, 256)                                                          \
    WW_TILES_OF_K(X, 8)                                                                            \
    WW_TILES_OF_K(X, 16)                                                                           \
    WW_TILES_OF_K(X, 32)                                                                           \
    WW_TILES_OF_K(X, 256)

/* Tiles of warp groups: 64 rows, columns in steps of 8. */
#define WW_TILE_64(X, n, k) X(M64N##n##K##k, "m64n" #n "k" #k, 64, n, k)
#define WW_TILES_OF_K(X, k)                                                                        \
    WW_TILE_64(X, 8, k)                                                                            \
    WW_TILE_64(X, 16, k)                                                                           \
    WW_TILE_64(X, 24, k)                                                                           \
    WW_TILE_64(X, 32, k)                                                                           \
    WW_TILE_64(X, 40, k)                                                                           \
    WW_TILE_64(X, 48, k)                                                                           \
    WW_TILE_64(X, 56, k)                                                                           \
    WW_TILE_64(X, 64, k)                                                                           \
    WW_TILE_64(X, 72, k)                                                                           \
    WW_TILE_64(X, 80, k)                                                                           \
    WW_TILE_64(X, 88, k)                                                                           \
    WW_TILE_64(X, 96, k)                                                                           \
    WW_TILE_64(X, 104, k)                                                                          \
    WW_TILE_64(X, 112, k)                                                                          \
    WW_TILE_64(X, 120, k)                                                                          \
    WW_TILE_64(X, 128, k)                                                                          \
    WW_TILE_64(X, 136, k)                                                                          \
    WW_TILE_64(X, 144, k)                                                                          \
    WW_TILE_64(X, 152, k)                                                                          \
    WW_TILE_64(X, 160, k)                                                                          \
    WW_TILE_64(X, 168, k)                                                                          \
    WW_TILE_64(X, 176, k)                                                                          \
    WW_TILE_64(X, 184, k)                                                                          \
    WW_TILE_64(X, 192, k)                                                                          \
    WW_TILE_64(X, 200, k)                                                                          \
    WW_TILE_64(X, 208, k)                                                                          \
    WW_TILE_64(X, 216, k)                                                                          \
    WW_TILE_64(X, 224, k)                                                                          \
    WW_TILE_64(X, 232, k)                                                                          \
    WW_TILE_64(X, 240, k)                                                                          \
    WW_TILE_64(X, 248, k)                                                                          \
    WW_TILE_64(X, 256, k)

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
    /* wgmma */
    WW_LAYOUT_A_LINES = 8,    /* neighbours in memory are rows of A, not along the depth */
    WW_LAYOUT_B_LINES = 16,   /* columns of B */
    WW_LAYOUT_A_NEGATED = 32, /* elements count with the other sign */
    WW_LAYOUT_B_NEGATED = 64,
    WW_LAYOUT_A_SHARED = 128, /* A is a descriptor */
    /* cp.async.bulk.tensor */
    WW_WAIT_READ = 1,      /* bulk copies need only have read their source */
    WW_OBJECT_TRY = 1,     /* a test of an mbarrier that may suspend its thread */
    WW_TENSOR_COLUMNS = 1, /* im2col */
    WW_TENSOR_MULTICAST = 2,
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
    WW_MOD_REMAINDER = 1u << 23,   /* mov that ends the sequence of a remainder: under its guard, a
                                      comparison of the divisor with 0, the dividend is the result */
    WW_MOD_REMAINDER_S = 1u << 24, /* the same of signed words */
    WW_MOD_PROXY = 1u << 25,       /* membar: what engines see, too (fence.proxy.async) */
    WW_MOD_MINUS_PRODUCT = 1u << 27, /* vmad: -(a * b) + c, signed */
    WW_MOD_MINUS_ADDEND = 1u << 28,  /* vmad: a * b - c, signed */
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

/* Which operation of its latency class it is, where machines time them differently. */
typedef enum ww_cost {
    WW_COST_PLAIN,
    WW_COST_SUM,
    WW_COST_MINMAX,
    WW_COST_PRODUCT,
    WW_COST_FUSED,
    WW_COST_QUOTIENT,
    WW_COST_REMAINDER,
    WW_COST_SHUFFLE,
} ww_cost;

/* What everyone needs to know about one form (op, type, sub). */
typedef struct ww_form {
    ww_kind kind;
    ww_unit unit;
    ww_latency latency;
    ww_cost cost;
    uint16_t event; /* ww_counter fed per active lane, or per multiply-accumulate of a matrix
                       product; WW_COUNTER_COUNT: none */
} ww_form;

/** Classification of a form: type is that of the result, type2 that of the operands where a form
 * names both (cvt, set). Pure; cheap enough to be called once per static instruction. */
ww_form ww_isa_form(ww_op op, ww_type type, ww_type type2, ww_sub sub);
/** True when the machine has no single instruction for the form, so that the lowering must expand
 * it. */
bool ww_isa_is_macro(ww_op op, ww_type type, ww_type type2, ww_sub sub);

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
