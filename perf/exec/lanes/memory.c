/* memory.c - a warp's loads and stores between registers and host memory, all lanes at once.
 * Most go to a line: to neighbours, or to one place for all. Then two comparisons of the base's
 * planes with what is expected, and the bounds of the whole, say all there is to know; the others
 * need every lane's address. Where anything is amiss nothing is done, and the caller goes the long
 * way. */
#include "perf/exec/lanes/lanes.h"

/* Lanes whose base differs from a line's: word 0 is that of lane 0, each lane's step more. */
static WW_ALWAYS_INLINE bool off_line(const uint32_t *words, uint32_t zero, unsigned step,
                                      uint32_t mask)
{
#ifdef __AVX512F__
    __m512i iota = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    __m512i low = _mm512_add_epi32(_mm512_set1_epi32((int)zero),
                                   _mm512_mullo_epi32(iota, _mm512_set1_epi32((int)step)));
    __m512i high = _mm512_add_epi32(low, _mm512_set1_epi32((int)(16 * step)));
    __mmask16 wrong_low =
        _mm512_mask_cmpneq_epi32_mask((__mmask16)mask, _mm512_loadu_si512(words), low);
    __mmask16 wrong_high = _mm512_mask_cmpneq_epi32_mask((__mmask16)(mask >> 16),
                                                         _mm512_loadu_si512(words + 16), high);
    return _kortestz_mask16_u8(wrong_low, wrong_high) == 0;
#else
    uint32_t wrong = 0;
    EACH_LANE
    {
        wrong |= (0 - (mask >> i & 1)) & (words[i] ^ (zero + i * step));
    }
    return wrong != 0;
#endif
}

/* Where lane 0's access of a line begins or would begin: neighbours (step: bytes), or one place for
 * all (step: 0). NULL: they are no line, or not within the window. */
static WW_ALWAYS_INLINE unsigned char *line_of(const ww_lane_access *a, unsigned bytes,
                                               unsigned step)
{
    unsigned first = (unsigned)__builtin_ctz(a->mask);
    uint32_t span = (31 - (unsigned)__builtin_clz(a->mask) - first) * step;
    uint64_t base = a->base[first];
    if (a->lane_stride != 0 || base + span > UINT32_MAX ||
        off_line(a->base, (uint32_t)base - first * step, step, a->mask)) {
        return NULL;
    }
    if (a->words == 2 && off_line(a->base + WW_LANES, a->base[first + WW_LANES], 0, a->mask)) {
        return NULL;
    }
    uint64_t address = ww_lane_access_first(a);
    uint64_t at = address - a->first;
    if ((address & (bytes - 1)) != 0 || at >= a->bytes || a->bytes - at < span + bytes) {
        return NULL;
    }
    return a->host + at - (size_t)first * step;
}

/* Where each lane's access begins, in bytes from the place returned; NULL where one may not. */
static WW_ALWAYS_INLINE unsigned char *locate(const ww_lane_access *a, unsigned bytes,
                                              uint32_t at[WW_LANES])
{
    enum { AROUND = 1 << 30 };
    uint64_t first = a->first, room = a->bytes;
    unsigned char *host = a->host;
    if (room > INT32_MAX) { /* the part around the first lane */
        uint64_t middle = ww_lane_access_first(a) - first;
        uint64_t skipped = middle > AROUND ? (middle - AROUND) & ~(uint64_t)255 : 0;
        if (middle >= room) {
            return NULL;
        }
        first += skipped;
        host += skipped;
        room = room - skipped < INT32_MAX ? room - skipped : INT32_MAX;
    }
    if (room < bytes || (a->words == 1 && first != 0)) {
        return NULL;
    }
    const uint32_t *low = a->base, *up = a->base + (a->words == 2 ? WW_LANES : 0);
    const uint64_t shift = a->offset - first;
    const uint32_t shift_low = (uint32_t)shift, shift_up = (uint32_t)(shift >> 32);
    const uint32_t keep_up = a->words == 2 ? UINT32_MAX : 0;
    const uint32_t most = (uint32_t)(room - bytes), misfit = 0 - (uint32_t)first;
    const uint32_t mask = a->mask, stride = a->lane_stride;
    uint32_t bad = 0;
    EACH_LANE
    {
        uint32_t in = 0 - (mask >> i & 1);
        uint32_t v = low[i] + shift_low;
        uint32_t high = up[i] + shift_up + (v < shift_low);
        bad |= in & ((high & keep_up) | (v > most ? UINT32_MAX : 0) | ((v ^ misfit) & (bytes - 1)));
        at[i] = v + i * stride;
    }
    return bad == 0 ? host : NULL;
}

/* ---- lines ---- */

#ifdef __AVX512F__

static WW_ALWAYS_INLINE __m512i splat(uint32_t v)
{
    return _mm512_set1_epi32((int)v);
}

/* Whole stores, because loads that follow cannot take their data from masked ones in flight. */
static WW_ALWAYS_INLINE void put(uint32_t *d, uint32_t mask, __m512i low, __m512i high)
{
    __m512i was_low = _mm512_loadu_si512(d), was_high = _mm512_loadu_si512(d + 16);
    _mm512_storeu_si512(d, _mm512_mask_mov_epi32(was_low, (__mmask16)mask, low));
    _mm512_storeu_si512(d + 16, _mm512_mask_mov_epi32(was_high, (__mmask16)(mask >> 16), high));
}

static WW_ALWAYS_INLINE void put_same(uint32_t *d, uint32_t mask, uint32_t v)
{
    put(d, mask, splat(v), splat(v));
}

/* Words of even and of odd number out of 32. */
static WW_ALWAYS_INLINE void part(__m512i a, __m512i b, __m512i *even, __m512i *odd)
{
    __m512i pick = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
    *even = _mm512_permutex2var_epi32(a, pick, b);
    *odd = _mm512_permutex2var_epi32(a, _mm512_add_epi32(pick, splat(1)), b);
}

/* Neighbours; of several words per lane only in a full warp. */
static WW_ALWAYS_INLINE bool load_run(const unsigned char *from, uint32_t mask, uint32_t *const *d,
                                      unsigned words)
{
    __m512i w[4][2];
    if (words == 1) {
        put(d[0], mask, _mm512_maskz_loadu_epi32((__mmask16)mask, from),
            _mm512_maskz_loadu_epi32((__mmask16)(mask >> 16), from + 64));
        return true;
    }
    if (mask != UINT32_MAX) {
        return false;
    }
    for (unsigned half = 0; half < 2; half++, from += words * 64) {
        __m512i even[2], odd[2];
        part(_mm512_loadu_si512(from), _mm512_loadu_si512(from + 64), &even[0], &odd[0]);
        if (words == 2) {
            w[0][half] = even[0];
            w[1][half] = odd[0];
            continue;
        }
        part(_mm512_loadu_si512(from + 128), _mm512_loadu_si512(from + 192), &even[1], &odd[1]);
        part(even[0], even[1], &w[0][half], &w[2][half]);
        part(odd[0], odd[1], &w[1][half], &w[3][half]);
    }
    for (unsigned k = 0; k < words; k++) {
        put(d[k], mask, w[k][0], w[k][1]);
    }
    return true;
}

static WW_ALWAYS_INLINE bool load_narrow_run(const unsigned char *from, uint32_t mask, uint32_t *d,
                                             unsigned bytes, bool is_signed)
{
    __mmask16 in_low = (__mmask16)mask, in_high = (__mmask16)(mask >> 16);
    if (bytes == 1) {
        __m128i low = _mm_maskz_loadu_epi8(in_low, from);
        __m128i high = _mm_maskz_loadu_epi8(in_high, from + 16);
        put(d, mask, is_signed ? _mm512_cvtepi8_epi32(low) : _mm512_cvtepu8_epi32(low),
            is_signed ? _mm512_cvtepi8_epi32(high) : _mm512_cvtepu8_epi32(high));
    } else {
        __m256i low = _mm256_maskz_loadu_epi16(in_low, from);
        __m256i high = _mm256_maskz_loadu_epi16(in_high, from + 32);
        put(d, mask, is_signed ? _mm512_cvtepi16_epi32(low) : _mm512_cvtepu16_epi32(low),
            is_signed ? _mm512_cvtepi16_epi32(high) : _mm512_cvtepu16_epi32(high));
    }
    return true;
}

/* Neighbouring elements out of the lower bytes of a plane. */
static WW_ALWAYS_INLINE bool store_run(unsigned char *to, uint32_t mask, const uint32_t *s,
                                       unsigned bytes)
{
    __mmask16 in_low = (__mmask16)mask, in_high = (__mmask16)(mask >> 16);
    __m512i low = _mm512_loadu_si512(s), high = _mm512_loadu_si512(s + 16);
    if (bytes == 1) {
        _mm_mask_storeu_epi8(to, in_low, _mm512_cvtepi32_epi8(low));
        _mm_mask_storeu_epi8(to + 16, in_high, _mm512_cvtepi32_epi8(high));
    } else if (bytes == 2) {
        _mm256_mask_storeu_epi16(to, in_low, _mm512_cvtepi32_epi16(low));
        _mm256_mask_storeu_epi16(to + 32, in_high, _mm512_cvtepi32_epi16(high));
    } else if (mask == UINT32_MAX) {
        _mm512_storeu_si512(to, low);
        _mm512_storeu_si512(to + 64, high);
    } else {
        _mm512_mask_storeu_epi32(to, in_low, low);
        _mm512_mask_storeu_epi32(to + 64, in_high, high);
    }
    return true;
}

#else

static WW_ALWAYS_INLINE void put_same(uint32_t *d, uint32_t mask, uint32_t v)
{
    EACH_LANE
    {
        d[i] = (mask >> i & 1) != 0 ? v : d[i];
    }
}

static WW_ALWAYS_INLINE bool load_run(const unsigned char *from, uint32_t mask, uint32_t *const *d,
                                      unsigned words)
{
    if (mask != UINT32_MAX) {
        return false;
    }
    if (words == 1) {
        memcpy(d[0], from, WW_LANES * sizeof *d[0]);
        return true;
    }
    for (unsigned i = 0; i < WW_LANES; i++) {
        for (unsigned k = 0; k < words; k++) {
            memcpy(&d[k][i], from + 4 * ((size_t)i * words + k), sizeof d[k][i]);
        }
    }
    return true;
}

static WW_ALWAYS_INLINE bool load_narrow_run(const unsigned char *from, uint32_t mask, uint32_t *d,
                                             unsigned bytes, bool is_signed)
{
    (void)from;
    (void)mask;
    (void)d;
    (void)bytes;
    (void)is_signed;
    return false;
}

static WW_ALWAYS_INLINE bool store_run(unsigned char *to, uint32_t mask, const uint32_t *s,
                                       unsigned bytes)
{
    if (bytes != 4 || mask != UINT32_MAX) {
        return false;
    }
    memcpy(to, s, WW_LANES * sizeof *s);
    return true;
}

#endif

/* ---- loads ---- */

static WW_ALWAYS_INLINE uint32_t word_at(const unsigned char *p)
{
    uint32_t v;
    memcpy(&v, p, sizeof v);
    return v;
}

/* Lane by lane, which is faster than the host's gathering instructions. */
static WW_ALWAYS_INLINE void load_apart(const unsigned char *from, uint32_t mask,
                                        const uint32_t *at, uint32_t *const *d, unsigned words)
{
    if (mask == UINT32_MAX) {
        for (unsigned i = 0; i < WW_LANES; i++) {
            for (unsigned k = 0; k < words; k++) {
                d[k][i] = word_at(from + at[i] + 4 * k);
            }
        }
        return;
    }
    for (uint32_t m = mask; m != 0; m &= m - 1) {
        unsigned i = (unsigned)__builtin_ctz(m);
        for (unsigned k = 0; k < words; k++) {
            d[k][i] = word_at(from + at[i] + 4 * k);
        }
    }
}

static WW_ALWAYS_INLINE bool load_words(const ww_lane_access *a, uint32_t *const *d, unsigned words)
{
    const unsigned char *from = line_of(a, 4 * words, 4 * words);
    if (from != NULL && load_run(from, a->mask, d, words)) {
        return true;
    }
    from = line_of(a, 4 * words, 0);
    if (from != NULL) {
        for (unsigned k = 0; k < words; k++) {
            put_same(d[k], a->mask, word_at(from + 4 * k));
        }
        return true;
    }
    uint32_t at[WW_LANES];
    from = locate(a, 4 * words, at);
    if (from == NULL) {
        return false;
    }
    load_apart(from, a->mask, at, d, words);
    return true;
}

static WW_ALWAYS_INLINE uint32_t narrow_at(const unsigned char *p, unsigned bytes, bool is_signed)
{
    uint16_t v = *p;
    if (bytes == 2) {
        memcpy(&v, p, sizeof v);
    }
    return !is_signed ? v : bytes == 2 ? (uint32_t)(int16_t)v : (uint32_t)(int8_t)v;
}

static WW_ALWAYS_INLINE bool load_bytes(const ww_lane_access *a, uint32_t *d, unsigned bytes,
                                        bool is_signed)
{
    const unsigned char *from = line_of(a, bytes, bytes);
    if (from != NULL && load_narrow_run(from, a->mask, d, bytes, is_signed)) {
        return true;
    }
    from = line_of(a, bytes, 0);
    if (from != NULL) {
        put_same(d, a->mask, narrow_at(from, bytes, is_signed));
        return true;
    }
    uint32_t at[WW_LANES];
    from = locate(a, bytes, at);
    if (from == NULL) {
        return false;
    }
    for (uint32_t m = a->mask; m != 0; m &= m - 1) {
        unsigned i = (unsigned)__builtin_ctz(m);
        d[i] = narrow_at(from + at[i], bytes, is_signed);
    }
    return true;
}

/* ---- stores: of lanes that store to one address the highest one's value stays ---- */

static WW_ALWAYS_INLINE bool store_words(const ww_lane_access *a, uint32_t *const *s,
                                         unsigned words)
{
    unsigned char *to = words == 1 ? line_of(a, 4, 4) : NULL;
    if (to != NULL && store_run(to, a->mask, s[0], 4)) {
        return true;
    }
    uint32_t at[WW_LANES];
    to = locate(a, 4 * words, at);
    if (to == NULL) {
        return false;
    }
    for (uint32_t m = a->mask; m != 0; m &= m - 1) {
        unsigned i = (unsigned)__builtin_ctz(m);
        for (unsigned k = 0; k < words; k++) {
            memcpy(to + at[i] + 4 * k, &s[k][i], sizeof s[k][i]);
        }
    }
    return true;
}

static WW_ALWAYS_INLINE bool store_bytes(const ww_lane_access *a, const uint32_t *s, unsigned bytes)
{
    unsigned char *to = line_of(a, bytes, bytes);
    if (to != NULL && store_run(to, a->mask, s, bytes)) {
        return true;
    }
    uint32_t at[WW_LANES];
    to = locate(a, bytes, at);
    if (to == NULL) {
        return false;
    }
    for (uint32_t m = a->mask; m != 0; m &= m - 1) {
        unsigned i = (unsigned)__builtin_ctz(m);
        unsigned char v[2] = {(unsigned char)s[i], (unsigned char)(s[i] >> 8)};
        memcpy(to + at[i], v, bytes);
    }
    return true;
}

/* ---- one function per kind of element, and what finds it ---- */

#define MOVE(name, CALL)                                                                           \
    static bool name(const ww_lane_access *a, uint32_t *const *planes)                             \
    {                                                                                              \
        return CALL;                                                                               \
    }
MOVE(load_1, load_words(a, planes, 1))
MOVE(load_2, load_words(a, planes, 2))
MOVE(load_4, load_words(a, planes, 4))
MOVE(load_u8, load_bytes(a, planes[0], 1, false))
MOVE(load_s8, load_bytes(a, planes[0], 1, true))
MOVE(load_u16, load_bytes(a, planes[0], 2, false))
MOVE(load_s16, load_bytes(a, planes[0], 2, true))
MOVE(store_1, store_words(a, planes, 1))
MOVE(store_2, store_words(a, planes, 2))
MOVE(store_4, store_words(a, planes, 4))
MOVE(store_8bit, store_bytes(a, planes[0], 1))
MOVE(store_16bit, store_bytes(a, planes[0], 2))

ww_lane_move *LANES_NAME(ww__lanes_find_move)(ww_type element, unsigned planes, bool stores)
{
    static ww_lane_move *const loads[5] = {[1] = load_1, [2] = load_2, [4] = load_4};
    static ww_lane_move *const storing[5] = {[1] = store_1, [2] = store_2, [4] = store_4};
    static ww_lane_move *const narrow[2][2] = {{load_u8, load_s8}, {load_u16, load_s16}};
    unsigned bytes = ww_type_bytes(element);
    bool is_signed = ww_type_is_signed(element) && !ww_type_is_float(element);
    if (bytes >= 4) {
        return planes > 4 ? NULL : (stores ? storing : loads)[planes];
    }
    if (planes != 1 || bytes == 0) {
        return NULL;
    }
    return stores ? (bytes == 1 ? store_8bit : store_16bit) : narrow[bytes - 1][is_signed];
}
