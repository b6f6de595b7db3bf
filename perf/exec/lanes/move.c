/* move.c - moves, address conversion, operand modifiers, blending and address generation; the
 * table of this variant. */
#include "perf/exec/lanes/lanes.h"

LANE_FN(mov_32, OUT32(B32(0));)
LANE_FN(mov_64, OUT64(B64(0));)

/* cvta: x is the window's upper word; windows are aligned to 2^32 and the offset of a space fits 32
 * bits. */
LANE_FN(cvta_window, OUT64((uint64_t)x << 32 | B32(0));)
LANE_FN(cvta_unwindow, OUT64(B64(0) - ((uint64_t)x << 32));)
LANE_FN(cvta_unwindow_32, OUT32(B32(0));)

LANE_PRED_FN(in_shared, uint64_t a = B64(0); p = a - WW_SHARED_WINDOW < WW_WINDOW_BYTES;)
LANE_PRED_FN(in_local, uint64_t a = B64(0); p = a - WW_LOCAL_WINDOW < WW_WINDOW_BYTES;)
LANE_PRED_FN(in_global, uint64_t a = B64(0);
             p = a - WW_SHARED_WINDOW >= WW_WINDOW_BYTES && a - WW_LOCAL_WINDOW >= WW_WINDOW_BYTES;)
LANE_PRED_FN(in_none, p = false;)

static ww_lane_op find_cvta(const ww_inst *inst)
{
    bool narrow = inst->dst[0].words == 1;
    uint64_t window = inst->space == WW_SPACE_SHARED  ? WW_SHARED_WINDOW
                      : inst->space == WW_SPACE_LOCAL ? WW_LOCAL_WINDOW
                      : inst->space == WW_SPACE_PARAM ? WW_PARAM_WINDOW
                                                      : 0;
    if (window == 0) {
        return narrow ? lane_op(mov_32, 1) : lane_op(mov_64, 2);
    }
    if (inst->sub == WW_SUB_TO) {
        return narrow ? lane_op(cvta_unwindow_32, 1)
                      : lane_op_x(cvta_unwindow, 2, (uint32_t)(window >> 32));
    }
    return narrow ? lane_none() : lane_op_x(cvta_window, 2, (uint32_t)(window >> 32));
}

static ww_lane_op find_isspacep(const ww_inst *inst)
{
    switch ((ww_space)inst->space) {
    case WW_SPACE_SHARED:
        return lane_op(in_shared, 0);
    case WW_SPACE_LOCAL:
        return lane_op(in_local, 0);
    case WW_SPACE_GLOBAL:
        return lane_op(in_global, 0);
    default:
        return lane_op(in_none, 0); /* constants and parameters have no window here */
    }
}

ww_lane_op LANES_NAME(ww__lanes_move)(const ww_inst *inst)
{
    switch ((ww_op)inst->op) {
    case WW_OP_MOV:
        if (inst->type == WW_T_PRED || inst->dst_count != 1 || inst->src_count != 1) {
            return lane_none();
        }
        return ww_type_bytes((ww_type)inst->type) == 8   ? lane_op(mov_64, 2)
               : ww_type_bytes((ww_type)inst->type) <= 4 ? lane_op(mov_32, 1)
                                                         : lane_none();
    case WW_OP_CVTA:
        return find_cvta(inst);
    case WW_OP_ISSPACEP:
        return find_isspacep(inst);
    default:
        return lane_none();
    }
}

/* ---- operand modifiers ---- */

#define MODIFIER(name, T, READ, OUT, ABS, NEG)                                                     \
    static void name(uint32_t *d, const uint32_t *a, unsigned flags)                               \
    {                                                                                              \
        const uint32_t *const s[1] = {a};                                                          \
        bool abs_flag = (flags & WW_OPD_ABS) != 0;                                                 \
        bool neg_flag = (flags & WW_OPD_NEG) != 0;                                                 \
        bool not_flag = (flags & WW_OPD_NOT) != 0;                                                 \
        EACH_LANE                                                                                  \
        {                                                                                          \
            T v = (T)READ(0);                                                                      \
            v = not_flag ? (T)~v : v;                                                              \
            v = abs_flag ? (T)(ABS) : v;                                                           \
            v = neg_flag ? (T)(NEG) : v;                                                           \
            OUT(v);                                                                                \
        }                                                                                          \
    }
MODIFIER(modify_i16, uint16_t, U16, OUT16, (v & 0x8000) != 0 ? 0 - v : v, 0 - v)
MODIFIER(modify_i32, uint32_t, U32, OUT32, (v >> 31) != 0 ? 0 - v : v, 0 - v)
MODIFIER(modify_i64, uint64_t, U64, OUT64, (v >> 63) != 0 ? 0 - v : v, 0 - v)
MODIFIER(modify_f16, uint16_t, U16, OUT16, v & 0x7fff, v ^ 0x8000)
MODIFIER(modify_f16x2, uint32_t, U32, OUT32, v & 0x7fff7fffu, v ^ 0x80008000u)
MODIFIER(modify_f32, uint32_t, U32, OUT32, v & 0x7fffffffu, v ^ 0x80000000u)
MODIFIER(modify_f64, uint64_t, U64, OUT64, v & ~(1ull << 63), v ^ 1ull << 63)

static void choose_half(uint32_t *d, const uint32_t *s, unsigned shift)
{
    EACH_LANE
    {
        d[i] = (s[i] >> shift & 0xffff) * 0x10001u;
    }
}

static void modify(uint32_t *d, const uint32_t *s, ww_type type, unsigned flags)
{
    if ((flags & (WW_OPD_LOWER | WW_OPD_UPPER)) != 0) {
        choose_half(d, s, (flags & WW_OPD_LOWER) != 0 ? 0 : 16);
        s = d;
    }
    switch (type) {
    case WW_T_F16:
    case WW_T_BF16:
        modify_f16(d, s, flags);
        return;
    case WW_T_F16X2:
    case WW_T_BF16X2:
        modify_f16x2(d, s, flags);
        return;
    case WW_T_F32:
    case WW_T_TF32:
        modify_f32(d, s, flags);
        return;
    case WW_T_F64:
        modify_f64(d, s, flags);
        return;
    default:
        break;
    }
    if (ww_type_bytes(type) == 8) {
        modify_i64(d, s, flags);
    } else if (ww_type_bytes(type) == 2) {
        modify_i16(d, s, flags);
    } else {
        modify_i32(d, s, flags);
    }
}

/* ---- writing under a mask, addresses ---- */

static void blend(uint32_t *d, const uint32_t *s, unsigned planes, uint32_t mask)
{
    for (unsigned plane = 0; plane < planes; plane++, d += WW_LANES, s += WW_LANES) {
#ifdef __AVX512F__
        __m512i low = _mm512_loadu_si512(d), high = _mm512_loadu_si512(d + 16);
        low = _mm512_mask_loadu_epi32(low, (__mmask16)mask, s);
        high = _mm512_mask_loadu_epi32(high, (__mmask16)(mask >> 16), s + 16);
        _mm512_storeu_si512(d, low);
        _mm512_storeu_si512(d + 16, high);
#else
        EACH_LANE
        {
            uint32_t keep = (mask >> i & 1) - 1;
            d[i] = (s[i] & ~keep) | (d[i] & keep);
        }
#endif
    }
}

/* Summaries are written field by field, once: a structure put together from parts is read back too
 * soon after, which stalls the host. */
static void summarize(ww_address_summary *out, const uint64_t *address, uint32_t mask,
                      unsigned stride)
{
    uint64_t first = address[__builtin_ctz(mask)];
    uint64_t lowest = UINT64_MAX;
    uint64_t highest = 0;
    uint64_t bits = 0;
    uint64_t broken = 0;
    for (unsigned i = 0; i < WW_LANES; i++) {
        bool in = (mask >> i & 1) != 0;
        uint64_t a = in ? address[i] : first;
        lowest = a < lowest ? a : lowest;
        highest = a > highest ? a : highest;
        bits |= a;
        broken |= a ^ (address[0] + (uint64_t)i * stride);
    }
    out->lowest = lowest;
    out->highest = highest;
    out->bits = bits;
    out->same = lowest == highest;
    out->consecutive = mask == UINT32_MAX && broken == 0;
}

/* The same for a full mask and addresses whose upper words are alike. The commonest patterns,
 * neighbours and all alike, are looked for first, because finding extremes takes longest. */
static WW_ALWAYS_INLINE void summarize_words(ww_address_summary *out, const uint32_t *low,
                                             uint64_t high, unsigned stride)
{
    uint32_t first = low[0];
    uint32_t last = low[WW_LANES - 1];
    uint32_t bits = 0;
    uint32_t differ = 0;
    uint32_t broken = 0;
    EACH_LANE
    {
        bits |= low[i];
        differ |= low[i] ^ first;
        broken |= low[i] ^ (first + i * stride);
    }
    bool same = differ == 0;
    bool consecutive = broken == 0 && last >= first;
    if (!same && !consecutive) {
        first = UINT32_MAX;
        last = 0;
        EACH_LANE
        {
            first = low[i] < first ? low[i] : first;
            last = low[i] > last ? low[i] : last;
        }
    }
    out->lowest = high | first;
    out->highest = high | last;
    out->bits = high | bits;
    out->same = same;
    out->consecutive = consecutive;
}

static void addresses_32(ww_address_summary *out, uint64_t *address, const uint32_t *base,
                         uint32_t offset, uint32_t mask, unsigned stride)
{
    uint32_t low[WW_LANES];
    EACH_LANE
    {
        low[i] = base[i] + offset;
        address[i] = low[i];
    }
    if (mask == UINT32_MAX) {
        summarize_words(out, low, 0, stride);
    } else {
        summarize(out, address, mask, stride);
    }
}

static void addresses_64(ww_address_summary *out, uint64_t *address, const uint32_t *base,
                         uint64_t offset, uint32_t mask, unsigned stride)
{
    uint64_t high = (((uint64_t)base[WW_LANES] << 32 | base[0]) + offset) & ~(uint64_t)UINT32_MAX;
    uint32_t low[WW_LANES];
    uint64_t differ = 0;
    EACH_LANE
    {
        uint64_t a = ((uint64_t)base[i + WW_LANES] << 32 | base[i]) + offset;
        address[i] = a;
        low[i] = (uint32_t)a;
        differ |= a ^ high;
    }
    if (mask == UINT32_MAX && differ <= UINT32_MAX) {
        summarize_words(out, low, high, stride);
    } else {
        summarize(out, address, mask, stride);
    }
}

static void addresses(ww_address_summary *out, uint64_t *address, const uint32_t *base,
                      unsigned words, uint64_t offset, uint32_t mask, unsigned stride)
{
    if (words == 2) {
        addresses_64(out, address, base, offset, mask, stride);
    } else {
        addresses_32(out, address, base, (uint32_t)offset, mask, stride);
    }
}

static uint32_t find_lines(const uint32_t *base, unsigned words, uint32_t step)
{
    enum { HALF = WW_LANES / 2 };
    const uint32_t apart = base[1] - base[0];
    if ((apart != 0 && apart != step) || base[HALF + 1] - base[HALF] != apart) {
        return UINT32_MAX; /* most of those that do not */
    }
    const uint32_t low = base[0], high = base[HALF];
    uint32_t wrong = 0;
    for (uint32_t i = 0; i < HALF; i++) {
        wrong |= (base[i] ^ (low + i * apart)) | (base[i + HALF] ^ (high + i * apart));
    }
    if (words == 2) {
        const uint32_t *upper = base + WW_LANES, first = upper[0];
        for (uint32_t i = 0; i < WW_LANES; i++) {
            wrong |= upper[i] ^ first;
        }
    }
    return wrong == 0 ? apart : UINT32_MAX;
}

static ww_lane_op find(const ww_inst *inst)
{
    typedef ww_lane_op family(const ww_inst *);
    static family *const families[] = {
        LANES_NAME(ww__lanes_int),     LANES_NAME(ww__lanes_muldiv),
        LANES_NAME(ww__lanes_bits),    LANES_NAME(ww__lanes_f32),
        LANES_NAME(ww__lanes_f64),     LANES_NAME(ww__lanes_half),
        LANES_NAME(ww__lanes_sfu),     LANES_NAME(ww__lanes_compare),
        LANES_NAME(ww__lanes_cvt_int), LANES_NAME(ww__lanes_cvt_float),
        LANES_NAME(ww__lanes_move),    LANES_NAME(ww__lanes_cvt_narrow),
        LANES_NAME(ww__lanes_video),
    };
    for (unsigned k = 0; k < WW_ARRAY_LEN(families); k++) {
        ww_lane_op op = families[k](inst);
        if (op.fn != NULL) {
            return op;
        }
    }
    return lane_none();
}

#define LANES_TEXT2(a) #a
#define LANES_TEXT(a)  LANES_TEXT2(a)

const ww_lane_set LANES_NAME(ww__lanes) = {
    .name = &LANES_TEXT(WW_LANES_SUFFIX)[1],
    .find = find,
    .compare_upper = LANES_NAME(ww__lanes_compare_upper),
    .blend = blend,
    .addresses = addresses,
    .find_lines = find_lines,
    .modify = modify,
    .matrix = &LANES_NAME(ww__lanes_matrix),
    .warpgroup = LANES_NAME(ww__lanes_warpgroup),
    .texture = LANES_NAME(ww__lanes_texture),
    .find_move = LANES_NAME(ww__lanes_find_move),
};
