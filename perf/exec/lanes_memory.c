/* lanes_memory.c - a warp's loads and stores between registers and host memory, all lanes at once.
 * Addresses are made, held against the bounds and looked at for the commonest patterns (neighbours,
 * one address) in vector registers; where anything is amiss nothing is done, and the caller goes
 * lane by lane. */
#include "perf/exec/lanes.h"

/* Windows whose start is aligned like the access, which are nearly all; *limit: where in it the
 * last access may begin. */
static WW_ALWAYS_INLINE bool usable(const ww_lane_access *a, unsigned bytes, uint32_t *limit)
{
    uint64_t last = a->bytes - bytes;
    *limit = last < INT32_MAX ? (uint32_t)last : INT32_MAX;
    return a->bytes >= bytes && (a->first & (bytes - 1)) == 0 && (a->words == 2 || a->first == 0);
}

#ifdef __AVX512F__

/* Where the lanes' accesses begin, in bytes from a->host. */
typedef struct places {
    __m512i low, high; /* lanes 0 to 15, 16 to 31 */
    __mmask16 in_low, in_high;
    uint32_t first;     /* of the lowest lane in the mask */
    unsigned char *run; /* neighbours: where lane 0 would begin; NULL: they are not */
} places;

static WW_ALWAYS_INLINE __m512i iota(void)
{
    return _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
}
static WW_ALWAYS_INLINE __m512i splat(uint32_t v)
{
    return _mm512_set1_epi32((int)v);
}
static WW_ALWAYS_INLINE bool none(__mmask16 a, __mmask16 b)
{
    return _kortestz_mask16_u8(a, b) != 0;
}

/* Lanes whose upper words of base and offset do not add up to nothing. */
static WW_ALWAYS_INLINE __mmask16 beyond(const uint32_t *up, uint64_t shift, __m512i at,
                                         __mmask16 in)
{
    __mmask16 carry = _mm512_cmplt_epu32_mask(at, splat((uint32_t)shift));
    uint32_t complement = 0 - (uint32_t)(shift >> 32);
    __m512i right = _mm512_mask_mov_epi32(splat(complement), carry, splat(complement - 1));
    return _mm512_mask_cmpneq_epi32_mask(in, _mm512_loadu_si512(up), right);
}

/* Turned right by its alignment, a misaligned place lies far out. */
static WW_ALWAYS_INLINE __m512i turned(__m512i at, unsigned bytes)
{
    return bytes == 1   ? at
           : bytes == 2 ? _mm512_ror_epi32(at, 1)
           : bytes == 4 ? _mm512_ror_epi32(at, 2)
           : bytes == 8 ? _mm512_ror_epi32(at, 3)
                        : _mm512_ror_epi32(at, 4);
}

static WW_ALWAYS_INLINE bool locate(const ww_lane_access *a, unsigned bytes, places *p)
{
    uint64_t shift = a->offset - a->first;
    uint32_t limit;
    if (!usable(a, bytes, &limit)) {
        return false;
    }
    __mmask16 in_low = (__mmask16)a->mask, in_high = (__mmask16)(a->mask >> 16);
    __m512i low = _mm512_add_epi32(_mm512_loadu_si512(a->base), splat((uint32_t)shift));
    __m512i high = _mm512_add_epi32(_mm512_loadu_si512(a->base + 16), splat((uint32_t)shift));
    __m512i most = splat(limit / bytes);
    if (!none(_mm512_mask_cmpgt_epu32_mask(in_low, turned(low, bytes), most),
              _mm512_mask_cmpgt_epu32_mask(in_high, turned(high, bytes), most)) ||
        (a->words == 2 && !none(beyond(a->base + WW_LANES, shift, low, in_low),
                                beyond(a->base + WW_LANES + 16, shift, high, in_high)))) {
        return false;
    }
    unsigned lane = (unsigned)__builtin_ctz(a->mask);
    p->first = a->base[lane] + (uint32_t)shift;
    if (a->lane_stride != 0) {
        __m512i step = splat(a->lane_stride);
        __m512i later = _mm512_add_epi32(iota(), splat(16));
        low = _mm512_add_epi32(low, _mm512_mullo_epi32(step, iota()));
        high = _mm512_add_epi32(high, _mm512_mullo_epi32(step, later));
        p->first += lane * a->lane_stride;
    }
    /* Neighbours differ from the first as their numbers do from its own. */
    uint32_t zero = p->first - lane * bytes;
    __m512i run_low = _mm512_add_epi32(splat(zero), _mm512_mullo_epi32(iota(), splat(bytes)));
    __m512i run_high = _mm512_add_epi32(run_low, splat(16 * bytes));
    bool run = none(_mm512_mask_cmpneq_epi32_mask(in_low, low, run_low),
                    _mm512_mask_cmpneq_epi32_mask(in_high, high, run_high));
    p->run = run ? a->host + p->first - (size_t)lane * bytes : NULL;
    p->low = low;
    p->high = high;
    p->in_low = in_low;
    p->in_high = in_high;
    return true;
}

static WW_ALWAYS_INLINE bool same(const places *p)
{
    __m512i first = splat(p->first);
    return none(_mm512_mask_cmpneq_epi32_mask(p->in_low, p->low, first),
                _mm512_mask_cmpneq_epi32_mask(p->in_high, p->high, first));
}

static void offsets_of(const places *p, uint32_t at[WW_LANES])
{
    _mm512_storeu_si512(at, p->low);
    _mm512_storeu_si512(at + 16, p->high);
}

/* Whole stores, because loads that follow cannot take their data from masked ones in flight. */
static WW_ALWAYS_INLINE void put(uint32_t *d, const places *p, __m512i low, __m512i high)
{
    _mm512_storeu_si512(d, _mm512_mask_mov_epi32(_mm512_loadu_si512(d), p->in_low, low));
    _mm512_storeu_si512(d + 16,
                        _mm512_mask_mov_epi32(_mm512_loadu_si512(d + 16), p->in_high, high));
}

static WW_ALWAYS_INLINE void put_same(uint32_t *d, const places *p, uint32_t v)
{
    put(d, p, splat(v), splat(v));
}

/* Words of even and of odd number out of 32. */
static WW_ALWAYS_INLINE void part(__m512i a, __m512i b, __m512i *even, __m512i *odd)
{
    __m512i pick = _mm512_add_epi32(iota(), iota());
    *even = _mm512_permutex2var_epi32(a, pick, b);
    *odd = _mm512_permutex2var_epi32(a, _mm512_add_epi32(pick, splat(1)), b);
}

/* Neighbours; of several words per lane only in a full warp. */
static WW_ALWAYS_INLINE bool load_run(uint32_t *const *d, const places *p, uint32_t mask,
                                      unsigned words)
{
    __m512i w[4][2];
    if (words == 1) {
        put(d[0], p, _mm512_maskz_loadu_epi32(p->in_low, p->run),
            _mm512_maskz_loadu_epi32(p->in_high, p->run + 64));
        return true;
    }
    if (mask != UINT32_MAX) {
        return false;
    }
    for (unsigned half = 0; half < 2; half++) {
        const unsigned char *from = p->run + (size_t)half * words * 64;
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
        put(d[k], p, w[k][0], w[k][1]);
    }
    return true;
}

static WW_ALWAYS_INLINE bool load_narrow_run(uint32_t *d, const places *p, unsigned bytes,
                                             bool is_signed)
{
    if (bytes == 1) {
        __m128i low = _mm_maskz_loadu_epi8(p->in_low, p->run);
        __m128i high = _mm_maskz_loadu_epi8(p->in_high, p->run + 16);
        put(d, p, is_signed ? _mm512_cvtepi8_epi32(low) : _mm512_cvtepu8_epi32(low),
            is_signed ? _mm512_cvtepi8_epi32(high) : _mm512_cvtepu8_epi32(high));
    } else {
        __m256i low = _mm256_maskz_loadu_epi16(p->in_low, p->run);
        __m256i high = _mm256_maskz_loadu_epi16(p->in_high, p->run + 32);
        put(d, p, is_signed ? _mm512_cvtepi16_epi32(low) : _mm512_cvtepu16_epi32(low),
            is_signed ? _mm512_cvtepi16_epi32(high) : _mm512_cvtepu16_epi32(high));
    }
    return true;
}

/* Neighbouring elements out of the lower bytes of a plane. */
static WW_ALWAYS_INLINE bool store_run(const places *p, const uint32_t *s, unsigned bytes)
{
    __m512i low = _mm512_loadu_si512(s), high = _mm512_loadu_si512(s + 16);
    switch (bytes) {
    case 1:
        _mm_mask_storeu_epi8(p->run, p->in_low, _mm512_cvtepi32_epi8(low));
        _mm_mask_storeu_epi8(p->run + 16, p->in_high, _mm512_cvtepi32_epi8(high));
        return true;
    case 2:
        _mm256_mask_storeu_epi16(p->run, p->in_low, _mm512_cvtepi32_epi16(low));
        _mm256_mask_storeu_epi16(p->run + 32, p->in_high, _mm512_cvtepi32_epi16(high));
        return true;
    case 4:
        _mm512_mask_storeu_epi32(p->run, p->in_low, low);
        _mm512_mask_storeu_epi32(p->run + 64, p->in_high, high);
        return true;
    default:
        return false;
    }
}

#else

/* Where the lanes' accesses begin, in bytes from a->host. */
typedef struct places {
    uint32_t at[WW_LANES];
    uint32_t mask;
    uint32_t first;     /* of the lowest lane in the mask */
    unsigned char *run; /* neighbours in a full warp: where lane 0 begins; NULL: they are not */
} places;

static WW_ALWAYS_INLINE bool locate(const ww_lane_access *a, unsigned bytes, places *p)
{
    uint64_t shift = a->offset - a->first;
    uint32_t limit;
    if (!usable(a, bytes, &limit)) {
        return false;
    }
    const uint32_t *low = a->base, *up = a->base + (a->words == 2 ? WW_LANES : 0);
    uint32_t keep_up = a->words == 2 ? UINT32_MAX : 0;
    uint32_t shift_low = (uint32_t)shift, shift_up = (uint32_t)(shift >> 32);
    uint32_t mask = a->mask, stride = a->lane_stride, bad = 0;
    EACH_LANE
    {
        uint32_t in = 0 - (mask >> i & 1);
        uint32_t at = low[i] + shift_low;
        uint32_t high = up[i] + shift_up + (at < shift_low);
        bad |= in & ((high & keep_up) | (at > limit ? UINT32_MAX : 0) | (at & (bytes - 1)));
        p->at[i] = at + i * stride;
    }
    p->mask = mask;
    p->first = p->at[__builtin_ctz(mask)];
    uint32_t broken = 0;
    EACH_LANE
    {
        broken |= p->at[i] ^ (p->first + i * bytes);
    }
    p->run = mask == UINT32_MAX && broken == 0 ? a->host + p->first : NULL;
    return bad == 0;
}

static WW_ALWAYS_INLINE bool same(const places *p)
{
    uint32_t differ = 0;
    EACH_LANE
    {
        differ |= (0 - (p->mask >> i & 1)) & (p->at[i] ^ p->first);
    }
    return differ == 0;
}

static void offsets_of(const places *p, uint32_t at[WW_LANES])
{
    memcpy(at, p->at, sizeof p->at);
}

static WW_ALWAYS_INLINE void put_same(uint32_t *d, const places *p, uint32_t v)
{
    EACH_LANE
    {
        d[i] = (p->mask >> i & 1) != 0 ? v : d[i];
    }
}

static WW_ALWAYS_INLINE bool load_run(uint32_t *const *d, const places *p, uint32_t mask,
                                      unsigned words)
{
    (void)mask;
    for (unsigned k = 0; k < words; k++) {
        for (unsigned i = 0; i < WW_LANES; i++) {
            memcpy(&d[k][i], p->run + 4 * ((size_t)i * words + k), sizeof d[k][i]);
        }
    }
    return true;
}

static WW_ALWAYS_INLINE bool load_narrow_run(uint32_t *d, const places *p, unsigned bytes,
                                             bool is_signed)
{
    (void)d;
    (void)p;
    (void)bytes;
    (void)is_signed;
    return false;
}

static WW_ALWAYS_INLINE bool store_run(const places *p, const uint32_t *s, unsigned bytes)
{
    if (bytes != 4) {
        return false;
    }
    memcpy(p->run, s, WW_LANES * sizeof *s);
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
static WW_ALWAYS_INLINE void load_apart(const ww_lane_access *a, const places *p,
                                        uint32_t *const *d, unsigned words)
{
    uint32_t at[WW_LANES];
    offsets_of(p, at);
    if (a->mask == UINT32_MAX) {
        for (unsigned i = 0; i < WW_LANES; i++) {
            for (unsigned k = 0; k < words; k++) {
                d[k][i] = word_at(a->host + at[i] + 4 * k);
            }
        }
        return;
    }
    for (uint32_t m = a->mask; m != 0; m &= m - 1) {
        unsigned i = (unsigned)__builtin_ctz(m);
        for (unsigned k = 0; k < words; k++) {
            d[k][i] = word_at(a->host + at[i] + 4 * k);
        }
    }
}

static WW_ALWAYS_INLINE bool load_words(const ww_lane_access *a, uint32_t *const *d, unsigned words)
{
    places p;
    if (!locate(a, 4 * words, &p)) {
        return false;
    }
    if (p.run != NULL && load_run(d, &p, a->mask, words)) {
        return true;
    }
    if (!same(&p)) {
        load_apart(a, &p, d, words);
        return true;
    }
    for (unsigned k = 0; k < words; k++) {
        put_same(d[k], &p, word_at(a->host + p.first + 4 * k));
    }
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
    places p;
    if (!locate(a, bytes, &p)) {
        return false;
    }
    if (p.run != NULL && load_narrow_run(d, &p, bytes, is_signed)) {
        return true;
    }
    if (same(&p)) {
        put_same(d, &p, narrow_at(a->host + p.first, bytes, is_signed));
        return true;
    }
    uint32_t at[WW_LANES];
    offsets_of(&p, at);
    for (uint32_t m = a->mask; m != 0; m &= m - 1) {
        unsigned i = (unsigned)__builtin_ctz(m);
        d[i] = narrow_at(a->host + at[i], bytes, is_signed);
    }
    return true;
}

/* ---- stores: of lanes that store to one address the highest one's value stays ---- */

static WW_ALWAYS_INLINE bool store_words(const ww_lane_access *a, uint32_t *const *s,
                                         unsigned words)
{
    places p;
    if (!locate(a, 4 * words, &p)) {
        return false;
    }
    if (p.run != NULL && words == 1) {
        return store_run(&p, s[0], 4);
    }
    uint32_t at[WW_LANES];
    offsets_of(&p, at);
    for (uint32_t m = a->mask; m != 0; m &= m - 1) {
        unsigned i = (unsigned)__builtin_ctz(m);
        for (unsigned k = 0; k < words; k++) {
            memcpy(a->host + at[i] + 4 * k, &s[k][i], sizeof s[k][i]);
        }
    }
    return true;
}

static WW_ALWAYS_INLINE bool store_bytes(const ww_lane_access *a, const uint32_t *s, unsigned bytes)
{
    places p;
    if (!locate(a, bytes, &p)) {
        return false;
    }
    if (p.run != NULL && store_run(&p, s, bytes)) {
        return true;
    }
    uint32_t at[WW_LANES];
    offsets_of(&p, at);
    for (uint32_t m = a->mask; m != 0; m &= m - 1) {
        unsigned i = (unsigned)__builtin_ctz(m);
        unsigned char v[2] = {(unsigned char)s[i], (unsigned char)(s[i] >> 8)};
        memcpy(a->host + at[i], v, bytes);
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
