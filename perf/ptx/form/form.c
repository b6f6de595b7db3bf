/* form.c - decodes the dotted name of a PTX instruction by table: which modifiers an opcode takes,
 * and what they set. */
#include "perf/ptx/form/form.h"

#include <stdio.h>
#include <string.h>

#include "base/compiler.h"
#include "perf/ptx/form/rules.h"

#define G_FLOAT      (G_ROUND | G_FTZ | G_SAT)
#define G_REPEATABLE (G_ORDER | G_SCOPE | G_CACHE | G_HINT | G_SYNC | G_BAR | G_MATRIX)
#define G_ACCESS     (G_SPACE | G_VEC | G_CACHE | G_ORDER | G_SCOPE | G_HINT | G_POLICY)

#define T(id)    (UINT64_C(1) << WW_T_##id)
#define T_INT16  (T(S16) | T(U16))
#define T_INT32  (T(S32) | T(U32))
#define T_INT64  (T(S64) | T(U64))
#define T_INT    (T_INT16 | T_INT32 | T_INT64)
#define T_HALF   (T(F16) | T(F16X2) | T(BF16) | T(BF16X2))
#define T_REAL   (T(F32) | T(F64))
#define T_BITS   (T(B16) | T(B32) | T(B64))
#define T_ANY8   (T(B8) | T(U8) | T(S8))
#define T_NARROW (T(E4M3X2) | T(E5M2X2) | T(E3M2X2) | T(E2M3X2) | T(E2M1X2) | T(UE8M0X2))
#define T_MEMORY (T_ANY8 | T_BITS | T_INT | T_REAL)

/* Signature: destination types, '=', source types. T the type, U u32, W twice the type when .wide,
 * S the second type, P predicate, A 64-bit address. */
typedef struct form_row {
    const char *name;
    uint16_t op;
    uint8_t shape;
    uint8_t type_count;
    const char *signature;
    uint64_t types;  /* legal first types */
    uint64_t groups; /* of modifiers that it takes, G_*, and what it demands, N_* */
} form_row;

#define SIG(name, op, signature, types, groups)                                                    \
    {                                                                                              \
        name, WW_OP_##op, PTX_SHAPE_SIGNATURE, 1, signature, types, groups                         \
    }
#define SIG2(name, op, signature, types, groups)                                                   \
    {                                                                                              \
        name, WW_OP_##op, PTX_SHAPE_SIGNATURE, 2, signature, types, groups                         \
    }
#define SPECIAL(name, op, shape, type_count, types, groups)                                        \
    {                                                                                              \
        name, WW_OP_##op, PTX_SHAPE_##shape, type_count, NULL, types, groups                       \
    }

static const form_row form_rows[] = {
    SIG("add", ADD, "T=TT", T_INT | T_REAL | T_HALF, G_FLOAT | G_CC),
    SIG("sub", SUB, "T=TT", T_INT | T_REAL | T_HALF, G_FLOAT | G_CC),
    SIG("addc", ADDC, "T=TT", T_INT32 | T_INT64, G_CC),
    SIG("subc", SUBC, "T=TT", T_INT32 | T_INT64, G_CC),
    SIG("mul", MUL, "W=TT", T_INT | T_REAL | T_HALF, G_FLOAT | G_HALVES | N_HALVES),
    SIG("mad", MAD, "W=TTW", T_INT | T_REAL, G_FLOAT | G_HALVES | G_CC | N_HALVES),
    SIG("madc", MADC, "W=TTW", T_INT32 | T_INT64, G_HALVES | G_CC | N_HALVES),
    SIG("mul24", MUL24, "T=TT", T_INT32, G_HALVES | N_HALVES | N_NARROW),
    SIG("mad24", MAD24, "T=TTT", T_INT32, G_HALVES | G_SAT | N_HALVES | N_NARROW),
    SIG("fma", FMA, "T=TTT", T_REAL | T_HALF, G_FLOAT | G_RELU),
    SIG("div", DIV, "T=TT", T_INT | T_REAL, G_ROUND | G_FTZ | G_APPROX | N_ROUNDING),
    SIG("rem", REM, "T=TT", T_INT, 0),
    SIG("sad", SAD, "T=TTT", T_INT, 0),
    SIG("abs", ABS, "T=T", T(S16) | T(S32) | T(S64) | T_REAL | T_HALF, G_FTZ),
    SIG("neg", NEG, "T=T", T(S16) | T(S32) | T(S64) | T_REAL | T_HALF, G_FTZ),
    SIG("min", MIN, "T=TT", T_INT | T_REAL | T_HALF, G_FTZ | G_NAN | G_RELU),
    SIG("max", MAX, "T=TT", T_INT | T_REAL | T_HALF, G_FTZ | G_NAN | G_RELU),
    SIG("popc", POPC, "U=T", T(B32) | T(B64), 0),
    SIG("clz", CLZ, "U=T", T(B32) | T(B64), 0),
    SIG("bfind", BFIND, "U=T", T_INT32 | T_INT64, G_SHIFTAMT),
    SIG("fns", FNS, "T=TTT", T(B32), 0),
    SIG("brev", BREV, "T=T", T(B32) | T(B64), 0),
    SIG("bfe", BFE, "T=TUU", T_INT32 | T_INT64, 0),
    SIG("bfi", BFI, "T=TTUU", T(B32) | T(B64), 0),
    SIG("szext", SZEXT, "T=TU", T_INT32, G_CLAMP),
    SIG("bmsk", BMSK, "T=TU", T(B32), G_CLAMP),
    SIG2("dp4a", DP4A, "U=TSU", T_INT32, 0),
    SIG2("dp2a", DP2A, "U=TSU", T_INT32, G_HALVES | N_HALVES | N_NARROW),
    SIG("and", AND, "T=TT", T(PRED) | T_BITS, 0),
    SIG("or", OR, "T=TT", T(PRED) | T_BITS, 0),
    SIG("xor", XOR, "T=TT", T(PRED) | T_BITS, 0),
    SIG("not", NOT, "T=T", T(PRED) | T_BITS, 0),
    SIG("cnot", CNOT, "T=T", T_BITS, 0),
    SIG("lop3", LOP3, "T=TTTU", T(B32), 0),
    SIG("shl", SHL, "T=TU", T_BITS, 0),
    SIG("shr", SHR, "T=TU", T_BITS | T_INT, 0),
    SIG("shf", SHF, "T=TTU", T(B32), G_FUNNEL | G_CLAMP | N_MODE),
    SIG("prmt", PRMT, "T=TTU", T(B32), G_PRMT),
    SIG("rcp", RCP, "T=T", T_REAL, G_ROUND | G_FTZ | G_APPROX | N_ROUNDING),
    SIG("sqrt", SQRT, "T=T", T_REAL, G_ROUND | G_FTZ | G_APPROX | N_ROUNDING),
    SIG("rsqrt", RSQRT, "T=T", T_REAL, G_FTZ | G_APPROX),
    SIG("sin", SIN, "T=T", T(F32), G_FTZ | G_APPROX),
    SIG("cos", COS, "T=T", T(F32), G_FTZ | G_APPROX),
    SIG("lg2", LG2, "T=T", T(F32), G_FTZ | G_APPROX),
    SIG("ex2", EX2, "T=T", T(F32) | T_HALF, G_FTZ | G_APPROX),
    SIG("tanh", TANH, "T=T", T(F32) | T_HALF, G_APPROX),
    SIG("copysign", COPYSIGN, "T=TT", T_REAL, 0),
    SIG("testp", TESTP, "P=T", T_REAL, G_TESTP | N_MODE),
    SPECIAL("setp", SETP, SETP, 1, T_BITS | T_INT | T_REAL | T_HALF,
            G_CMP | G_BOOL | G_FTZ | N_COMPARE),
    SPECIAL("set", SET, SET, 2, T_INT32 | T(F32) | T_HALF, G_CMP | G_BOOL | G_FTZ | N_COMPARE),
    SIG("selp", SELP, "T=TTP", T_BITS | T_INT | T_REAL, 0),
    SIG2("slct", SLCT, "T=TTS", T_BITS | T_INT | T_REAL, G_FTZ),
    SPECIAL("cvt", CVT, CVT, 2, T_ANY8 | T_INT | T_REAL | T_HALF | T(TF32) | T_NARROW,
            G_ROUND | G_ROUND_INT | G_FTZ | G_SAT | G_RELU | G_SATFINITE | N_CONVERT),
    SPECIAL("mov", MOV, MOV, 1, T(PRED) | T_BITS | T_INT | T_REAL, G_VEC),
    SIG("cvta", CVTA, "A=A", T(U64), G_TO | G_SPACE | N_SPACE),
    {"isspacep", WW_OP_ISSPACEP, PTX_SHAPE_SIGNATURE, 0, "P=A", T(NONE), G_SPACE | N_SPACE},
    SPECIAL("ld", LD, LD, 1, T_MEMORY, G_ACCESS),
    SPECIAL("ldu", LD, LD, 1, T_MEMORY, G_SPACE | G_VEC),
    SPECIAL("st", ST, ST, 1, T_MEMORY, G_ACCESS | N_WRITABLE),
    SPECIAL("atom", ATOM, ATOM, 1, T(B16) | T(B32) | T(B64) | T_INT32 | T_INT64 | T_REAL | T_HALF,
            G_ATOM | G_SPACE | G_ORDER | G_SCOPE | G_NOFTZ | G_HINT | G_POLICY | N_ATOMIC),
    SPECIAL("red", RED, RED, 1, T(B32) | T(B64) | T_INT32 | T_INT64 | T_REAL | T_HALF,
            G_ATOM | G_SPACE | G_ORDER | G_SCOPE | G_NOFTZ | G_HINT | G_POLICY | N_ATOMIC |
                N_RETURNS),
    SPECIAL("prefetch", PREFETCH, PREFETCH, 0, T(NONE), G_SPACE | G_LEVEL | G_HINT),
    SIG("movmatrix", MOVMATRIX, "U=U", T(B16), G_SYNC | G_MATRIX | N_MATRIX),
    SPECIAL("prefetchu", PREFETCH, PREFETCH, 0, T(NONE), G_LEVEL),
    SPECIAL("bra", BRA, BRA, 0, T(NONE), G_UNI),
    SPECIAL("brx", BRX, BRX, 0, T(NONE), G_UNI | G_SHFL | N_INDEX),
    SPECIAL("call", CALL, CALL, 0, T(NONE), G_UNI),
    SPECIAL("ret", RET, NONE, 0, T(NONE), G_UNI),
    SPECIAL("exit", EXIT, NONE, 0, T(NONE), 0),
    SPECIAL("trap", TRAP, NONE, 0, T(NONE), 0),
    SPECIAL("brkpt", BRKPT, NONE, 0, T(NONE), 0),
    SPECIAL("bar", BAR, BAR, 1, T(NONE) | T(PRED) | T(U32), G_BAR | G_BOOL),
    SPECIAL("barrier", BAR, BAR, 1, T(NONE) | T(PRED) | T(U32), G_BAR | G_BOOL),
    {"bar.warp", WW_OP_BAR_WARP, PTX_SHAPE_SIGNATURE, 0, "=U", T(NONE), G_SYNC},
    SPECIAL("membar", MEMBAR, NONE, 0, T(NONE), G_FENCE | N_MODE),
    SPECIAL("fence", MEMBAR, NONE, 0, T(NONE), G_FENCE | G_FENCE_SPACE | G_ORDER | N_MODE),
    SPECIAL("vote", VOTE, VOTE, 1, T(PRED) | T(B32), G_VOTE | G_SYNC | N_MODE),
    SPECIAL("match", MATCH, MATCH, 1, T(B32) | T(B64), G_VOTE | G_SYNC | N_MODE),
    SPECIAL("shfl", SHFL, SHFL, 1, T(B32), G_SHFL | G_SYNC | N_MODE),
    SIG("activemask", ACTIVEMASK, "T=", T(B32), 0),
    SIG("redux", REDUX, "T=TU", T(B32) | T_INT32, G_ATOM | G_SYNC | N_MODE),
    SIG("nanosleep", NANOSLEEP, "=T", T(U32), 0),
};

typedef enum field {
    F_MODS,
    F_SUB,
    F_CMP,
    F_BOOL,
    F_ROUND,
    F_SPACE,
    F_VEC,
    F_CC,
    F_POLICY,
    F_IGNORE
} field;

/* What a modifier sets in the form. */
typedef struct modifier {
    const char *name;
    uint64_t group;
    uint8_t field;
    uint32_t value;
} modifier;

static const modifier modifiers[] = {
    {"rn", G_ROUND, F_ROUND, WW_ROUND_RN},
    {"rz", G_ROUND, F_ROUND, WW_ROUND_RZ},
    {"rm", G_ROUND, F_ROUND, WW_ROUND_RM},
    {"rp", G_ROUND, F_ROUND, WW_ROUND_RP},
    {"rna", G_ROUND, F_ROUND, WW_ROUND_RNA},
    {"rni", G_ROUND_INT, F_ROUND, WW_ROUND_RNI},
    {"rzi", G_ROUND_INT, F_ROUND, WW_ROUND_RZI},
    {"rmi", G_ROUND_INT, F_ROUND, WW_ROUND_RMI},
    {"rpi", G_ROUND_INT, F_ROUND, WW_ROUND_RPI},
    {"ftz", G_FTZ, F_MODS, WW_MOD_FTZ},
    {"sat", G_SAT, F_MODS, WW_MOD_SAT},
    {"satfinite", G_SATFINITE, F_MODS, WW_MOD_SATFINITE},
    {"lo", G_HALVES, F_SUB, WW_SUB_LO},
    {"hi", G_HALVES, F_SUB, WW_SUB_HI},
    {"wide", G_HALVES, F_SUB, WW_SUB_WIDE},
    {"approx", G_APPROX, F_SUB, WW_SUB_APPROX},
    {"full", G_APPROX, F_SUB, WW_SUB_FULL},
    {"cc", G_CC, F_CC, 1},
    {"and", G_BOOL, F_BOOL, WW_BOOL_AND},
    {"or", G_BOOL, F_BOOL, WW_BOOL_OR},
    {"xor", G_BOOL, F_BOOL, WW_BOOL_XOR},
    {"global", G_SPACE, F_SPACE, WW_SPACE_GLOBAL},
    {"shared", G_SPACE, F_SPACE, WW_SPACE_SHARED},
    {"shared::cta", G_SPACE, F_SPACE, WW_SPACE_SHARED},
    {"shared::cluster", G_SPACE, F_SPACE, WW_SPACE_SHARED}, /* clusters have one CTA here */
    {"local", G_SPACE, F_SPACE, WW_SPACE_LOCAL},
    {"const", G_SPACE, F_SPACE, WW_SPACE_CONST},
    {"param", G_SPACE, F_SPACE, WW_SPACE_PARAM},
    {"param::entry", G_SPACE, F_SPACE, WW_SPACE_PARAM},
    {"param::func", G_SPACE, F_SPACE, WW_SPACE_PARAM},
    {"v2", G_VEC, F_VEC, 2},
    {"v4", G_VEC, F_VEC, 4},
    {"v8", G_VEC, F_VEC, 8},
    {"ca", G_CACHE, F_IGNORE, 0},
    {"cg", G_CACHE, F_MODS, WW_MOD_CACHE_CG},
    {"cs", G_CACHE, F_MODS, WW_MOD_CACHE_CS},
    {"lu", G_CACHE, F_MODS, WW_MOD_CACHE_CS},
    {"cv", G_CACHE, F_MODS, WW_MOD_CACHE_CV},
    {"wb", G_CACHE, F_IGNORE, 0},
    {"wt", G_CACHE, F_MODS, WW_MOD_CACHE_WT},
    {"nc", G_CACHE, F_MODS, WW_MOD_NC},
    {"volatile", G_ORDER, F_MODS, WW_MOD_VOLATILE},
    {"weak", G_ORDER, F_IGNORE, 0},
    {"relaxed", G_ORDER, F_IGNORE, 0},
    {"acquire", G_ORDER, F_MODS, WW_MOD_ORDERED},
    {"release", G_ORDER, F_MODS, WW_MOD_ORDERED},
    {"acq_rel", G_ORDER, F_MODS, WW_MOD_ORDERED},
    {"sc", G_ORDER, F_MODS, WW_MOD_ORDERED},
    {"cta", G_SCOPE, F_IGNORE, 0},
    /* Communication beyond the CTA must not be served by the incoherent L1. */
    {"cluster", G_SCOPE, F_MODS, WW_MOD_CACHE_CG},
    {"gpu", G_SCOPE, F_MODS, WW_MOD_CACHE_CG},
    {"sys", G_SCOPE, F_MODS, WW_MOD_CACHE_CG},
    {"l", G_FUNNEL, F_SUB, WW_SUB_LEFT},
    {"r", G_FUNNEL, F_SUB, WW_SUB_RIGHT},
    {"clamp", G_CLAMP, F_IGNORE, 0},
    {"wrap", G_CLAMP, F_MODS, WW_MOD_WRAP},
    {"f4e", G_PRMT, F_SUB, WW_SUB_F4E},
    {"b4e", G_PRMT, F_SUB, WW_SUB_B4E},
    {"rc8", G_PRMT, F_SUB, WW_SUB_RC8},
    {"ecl", G_PRMT, F_SUB, WW_SUB_ECL},
    {"ecr", G_PRMT, F_SUB, WW_SUB_ECR},
    {"rc16", G_PRMT, F_SUB, WW_SUB_RC16},
    {"to", G_TO, F_SUB, WW_SUB_TO},
    {"sync", G_BAR, F_SUB, WW_SUB_SYNC},
    {"arrive", G_BAR, F_SUB, WW_SUB_ARRIVE},
    {"red", G_BAR, F_IGNORE, 0},
    {"popc", G_BAR, F_SUB, WW_SUB_RED_POPC},
    {"aligned", G_BAR, F_MODS, WW_MOD_ALIGNED},
    {"cta", G_BAR, F_IGNORE, 0},
    {"any", G_VOTE, F_SUB, WW_SUB_ANY},
    {"all", G_VOTE, F_SUB, WW_SUB_ALL},
    {"uni", G_VOTE, F_SUB, WW_SUB_UNI},
    {"ballot", G_VOTE, F_SUB, WW_SUB_BALLOT},
    {"up", G_SHFL, F_SUB, WW_SUB_UP},
    {"down", G_SHFL, F_SUB, WW_SUB_DOWN},
    {"bfly", G_SHFL, F_SUB, WW_SUB_BFLY},
    {"idx", G_SHFL, F_SUB, WW_SUB_IDX},
    {"add", G_ATOM, F_SUB, WW_SUB_ADD},
    {"min", G_ATOM, F_SUB, WW_SUB_MIN},
    {"max", G_ATOM, F_SUB, WW_SUB_MAX},
    {"inc", G_ATOM, F_SUB, WW_SUB_INC},
    {"dec", G_ATOM, F_SUB, WW_SUB_DEC},
    {"and", G_ATOM, F_SUB, WW_SUB_AND},
    {"or", G_ATOM, F_SUB, WW_SUB_OR},
    {"xor", G_ATOM, F_SUB, WW_SUB_XOR},
    {"exch", G_ATOM, F_SUB, WW_SUB_EXCH},
    {"cas", G_ATOM, F_SUB, WW_SUB_CAS},
    {"finite", G_TESTP, F_SUB, WW_SUB_FINITE},
    {"infinite", G_TESTP, F_SUB, WW_SUB_INFINITE},
    {"number", G_TESTP, F_SUB, WW_SUB_NUMBER},
    {"notanumber", G_TESTP, F_SUB, WW_SUB_NOTANUMBER},
    {"normal", G_TESTP, F_SUB, WW_SUB_NORMAL},
    {"subnormal", G_TESTP, F_SUB, WW_SUB_SUBNORMAL},
    {"sync_restrict::shared::cta", G_FENCE_SPACE, F_IGNORE, 0},
    {"sync_restrict::shared::cluster", G_FENCE_SPACE, F_IGNORE, 0},
    {"cta", G_FENCE, F_SUB, WW_SUB_CTA},
    {"gl", G_FENCE, F_SUB, WW_SUB_GL},
    {"gpu", G_FENCE, F_SUB, WW_SUB_GL},
    {"cluster", G_FENCE, F_SUB, WW_SUB_GL},
    {"sys", G_FENCE, F_SUB, WW_SUB_SYS},
    {"sync", G_SYNC, F_MODS, WW_MOD_SYNC},
    {"aligned", G_SYNC, F_MODS, WW_MOD_ALIGNED},
    {"uni", G_UNI, F_MODS, WW_MOD_UNI},
    {"NaN", G_NAN, F_MODS, WW_MOD_NAN},
    {"relu", G_RELU, F_MODS, WW_MOD_RELU},
    {"shiftamt", G_SHIFTAMT, F_MODS, WW_MOD_SHIFTAMT},
    {"L1", G_LEVEL, F_IGNORE, 0},
    {"L2", G_LEVEL, F_MODS, WW_MOD_CACHE_CG},
    {"noftz", G_NOFTZ, F_IGNORE, 0},
    {"m8n8", G_MATRIX, F_IGNORE, 0},
    {"trans", G_MATRIX, F_IGNORE, 0},
    {"L1::evict_normal", G_HINT, F_IGNORE, 0},
    {"L1::evict_unchanged", G_HINT, F_IGNORE, 0},
    {"L1::evict_first", G_HINT, F_IGNORE, 0},
    {"L1::evict_last", G_HINT, F_IGNORE, 0},
    {"L1::no_allocate", G_HINT, F_MODS, WW_MOD_CACHE_CG},
    {"L2::cache_hint", G_POLICY, F_POLICY, 1},
    {"L2::evict_last", G_HINT, F_IGNORE, 0},
    {"L2::evict_first", G_HINT, F_IGNORE, 0},
    {"L2::evict_normal", G_HINT, F_IGNORE, 0},
    {"L2::64B", G_HINT, F_IGNORE, 0},
    {"L2::128B", G_HINT, F_IGNORE, 0},
    {"L2::256B", G_HINT, F_IGNORE, 0},
#define X(id, text) {text, G_CMP, F_CMP, WW_CMP_##id},
    WW_CMP_MAP(X)
#undef X
};

static bool same(const char *name, const char *text, size_t n)
{
    return strlen(name) == n && memcmp(name, text, n) == 0;
}

static const form_row *find_row(const char *text, size_t n)
{
    for (size_t i = 0; i < WW_ARRAY_LEN(form_rows); i++) {
        if (same(form_rows[i].name, text, n)) {
            return &form_rows[i];
        }
    }
    return NULL;
}

static const modifier *find_modifier(uint64_t groups, const char *text, size_t n)
{
    for (size_t i = 0; i < WW_ARRAY_LEN(modifiers); i++) {
        if ((modifiers[i].group & groups) != 0 && same(modifiers[i].name, text, n)) {
            return &modifiers[i];
        }
    }
    return NULL;
}

static void apply(ptx_form *form, const modifier *m)
{
    switch (m->field) {
    case F_MODS:
        form->mods |= m->value;
        break;
    case F_SUB:
        form->sub = (uint8_t)m->value;
        break;
    case F_CMP:
        form->cmp = (uint8_t)m->value;
        break;
    case F_BOOL:
        form->bool_op = (uint8_t)m->value;
        break;
    case F_ROUND:
        form->round = (uint8_t)m->value;
        break;
    case F_SPACE:
        form->space = (uint8_t)m->value;
        break;
    case F_VEC:
        form->vec = (uint8_t)m->value;
        break;
    case F_CC:
        form->carry_out = true;
        break;
    case F_POLICY:
        form->policy = true;
        break;
    default:
        break;
    }
}

static void explain(ptx_form *out, char *buf, size_t size, const char *what)
{
    snprintf(buf, size, "'%s' %s", out->text, what);
    out->problem = buf;
}

void ww__form_refuse_word(ptx_form *out, char *buf, size_t size, const char *word, size_t n)
{
    char what[96];
    snprintf(what, sizeof what, "is not supported: modifier '.%.*s'", (int)(n < 40 ? n : 40), word);
    explain(out, buf, size, what);
}

/* Takes one modifier or type into the form; false when it is neither. */
static bool take_word(const form_row *row, ptx_form *out, unsigned *type_count, uint64_t *seen,
                      const char *text, size_t n)
{
    const modifier *m = find_modifier(row->groups, text, n);
    if (m != NULL) {
        if ((*seen & m->group & ~G_REPEATABLE) != 0) {
            return false;
        }
        *seen |= m->group;
        apply(out, m);
        return true;
    }
    ww_type type = ww_type_find(text, (unsigned)n);
    if (type == WW_TYPE_COUNT || *type_count >= row->type_count) {
        return false;
    }
    if (*type_count == 0) {
        out->type = (uint8_t)type;
    } else {
        out->type2 = (uint8_t)type;
    }
    (*type_count)++;
    return true;
}

bool ww__form_next_word(ptx_words *words, const char **text, size_t *n)
{
    if (words->at >= words->end) {
        return false;
    }
    const char *start = words->at + 1;
    const char *dot = start < words->end ? memchr(start, '.', (size_t)(words->end - start)) : NULL;
    words->at = dot != NULL ? dot : words->end;
    *text = start;
    *n = (size_t)(words->at - start);
    return true;
}

/* Opcodes whose words have an order and a grammar of their own. */
static const struct {
    const char *name;
    const char *(*decode)(ptx_words words, ptx_form *out);
} families[] = {
    {"wmma", ww__form_decode_matrix},
    {"cvt.pack", ww__form_decode_pack},
    {"cp", ww__form_decode_copy},
    {"ldmatrix", ww__form_decode_copy},
    {"mma", ww__form_decode_matrix},
    {"tex", ww__form_decode_texture},
    {"suld", ww__form_decode_texture},
    {"sust", ww__form_decode_texture},
    {"mbarrier", ww__form_decode_mbarrier},
    {"tld4", ww__form_decode_texture},
    {"stmatrix", ww__form_decode_copy},
    {"txq", ww__form_decode_texture},
    {"suq", ww__form_decode_texture},
    {"sured", ww__form_decode_texture},
    {"mapa", ww__form_decode_cluster},
    {"getctarank", ww__form_decode_cluster},
    {"elect", ww__form_decode_cluster},
    {"createpolicy", ww__form_decode_hint},
    {"discard", ww__form_decode_hint},
    {"applypriority", ww__form_decode_hint},
    {"setmaxnreg", ww__form_decode_hint},
    {"griddepcontrol", ww__form_decode_hint},
    {"pmevent", ww__form_decode_hint},
    {"st.async", ww__form_decode_async},
    {"red.async", ww__form_decode_async},
    {"barrier.cluster", ww__form_decode_cluster},
    {"fence.proxy", ww__form_decode_fence},
    {"fence.mbarrier_init", ww__form_decode_fence},
    {"wgmma", ww__form_decode_wgmma},
    {"tensormap", ww__form_decode_tensormap},
    {"prefetch.tensormap", ww__form_decode_hint},
    {"prefetch.param", ww__form_decode_hint},
    {"prefetch.const", ww__form_decode_hint},
};

/* Whether the opcode is of such a family; then it is decoded. */
static bool decode_family(const char *text, size_t n, size_t length, ptx_form *out, char *buf,
                          size_t size)
{
    for (size_t i = 0; i < WW_ARRAY_LEN(families); i++) {
        if (same(families[i].name, text, n)) {
            out->op = WW_OP_NOP;
            const char *what = families[i].decode((ptx_words){text + n, text + length}, out);
            if (what != NULL) {
                explain(out, buf, size, what);
            }
            return true;
        }
    }
    if (text[0] == 'v' &&
        ww__form_decode_video(text, n, (ptx_words){text + n, text + length}, out, buf, size)) {
        if (out->problem != NULL && out->problem != buf) {
            explain(out, buf, size, out->problem);
        }
        return true;
    }
    return ww__form_decode_halves(text, n, (ptx_words){text + n, text + length}, out);
}

/* Some opcodes are of two words. */
static size_t opcode_length(const char *text, size_t n, size_t length)
{
    static const char *const two[] = {"bar.warp",           "cvt.pack",       "st.async",
                                      "red.async",          "fence.proxy",    "fence.mbarrier_init",
                                      "prefetch.tensormap", "prefetch.param", "prefetch.const",
                                      "barrier.cluster"};
    for (size_t i = 0; i < WW_ARRAY_LEN(two); i++) {
        size_t m = strlen(two[i]);
        if (length >= m && memcmp(text, two[i], m) == 0 && (length == m || text[m] == '.')) {
            return m;
        }
    }
    return n;
}

void ww__form_decode(const char *text, size_t length, ptx_form *out, char *buf, size_t size)
{
    const char *shown = out->text;
    *out = (ptx_form){.text = shown, .space = WW_SPACE_GENERIC, .vec = 1, .op = WW_OP_NOP};
    const char *end = text + length;
    const char *dot = memchr(text, '.', length);
    size_t n = dot != NULL ? (size_t)(dot - text) : length;
    n = opcode_length(text, n, length);
    if (decode_family(text, n, length, out, buf, size)) {
        return;
    }
    const form_row *row = find_row(text, n);
    if (row == NULL) {
        explain(out, buf, size, "is not supported");
        return;
    }
    out->op = row->op;
    out->shape = row->shape;
    out->signature = row->signature;
    unsigned type_count = 0;
    uint64_t seen = 0;
    for (const char *p = text + n; p < end;) {
        const char *word = p + 1;
        const char *next = memchr(word, '.', (size_t)(end - word));
        next = next != NULL ? next : end;
        if (!take_word(row, out, &type_count, &seen, word, (size_t)(next - word))) {
            ww__form_refuse_word(out, buf, size, word, (size_t)(next - word));
            return;
        }
        p = next;
    }
    bool needs_two = row->type_count == 2;
    if ((row->types >> out->type & 1) == 0 || (needs_two && type_count != 2)) {
        explain(out, buf, size,
                type_count == 0 ? "lacks its type" : "is not supported with this type");
        return;
    }
    ww__form_normalize(out);
    const char *what = ww__form_lacks(out, row->groups, seen);
    if (what != NULL) {
        explain(out, buf, size, what);
    }
}
