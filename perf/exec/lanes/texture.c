/* texture.c - a texture fetch of 32 lanes from one texture: the same elements, weights and
 * sums as texture/fetch.c defines, each step for all lanes at once. */
#include "perf/exec/lanes/half.h"
#include "perf/exec/lanes/lanes.h"

#define FAR 1e15 /* beyond every texture; as texture/fetch.c has it */
#define TO_WHOLES                                                                                  \
    0x1.8p52 /* added and taken away: rounds what lies below 2^51 to whole numbers                 \
              */
#define ONE_F32 0x3f800000u

enum { CHANNELS = 4, MOST_WORDS = 4 /* of an element */ };

/* ---- one dimension of 32 lanes ---- */

/* Which element an index means; out: that it means the border, then at is 0. */
typedef struct located {
    uint32_t at[WW_LANES];
    uint32_t out[WW_LANES];
} located;

static WW_ALWAYS_INLINE double floor_near(double v) /* |v| <= 2^51 */
{
    double r = (v + TO_WHOLES) - TO_WHOLES;
    return r - (r > v ? 1.0 : 0.0);
}

static WW_ALWAYS_INLINE double floor_clamped(double v)
{
    v = v > -FAR ? v : -FAR; /* NaN too */
    v = v < FAR ? v : FAR;
    return floor_near(v);
}

/* r mod n of whole numbers, n > 0: the quotient errs by one at most. */
static WW_ALWAYS_INLINE double modulo(double r, double n, double one_nth)
{
    double m = r - floor_near(r * one_nth) * n;
    m += m < 0.0 ? n : 0.0;
    return m - (m >= n ? n : 0.0);
}

/* Elements that the whole numbers index[i] + step mean among n. */
static void locate(const double *index, double step, uint32_t n, ww_tex_mode mode, located *l)
{
    double size = (double)n;
    double last = size - 1.0;
    switch (mode) {
    case WW_TEX_BORDER:
        EACH_LANE
        {
            double r = index[i] + step;
            bool out = r < 0.0 || r > last;
            l->at[i] = (uint32_t)(int32_t)(out ? 0.0 : r);
            l->out[i] = out ? UINT32_MAX : 0;
        }
        return;
    case WW_TEX_WRAP:
        EACH_LANE
        {
            l->at[i] = (uint32_t)(int32_t)modulo(index[i] + step, size, 1.0 / size);
            l->out[i] = 0;
        }
        return;
    case WW_TEX_MIRROR:
        EACH_LANE
        {
            double m = modulo(index[i] + step, 2.0 * size, 0.5 / size);
            l->at[i] = (uint32_t)(int32_t)(m < size ? m : 2.0 * size - 1.0 - m);
            l->out[i] = 0;
        }
        return;
    default:
        EACH_LANE
        {
            double r = index[i] + step;
            r = r > 0.0 ? r : 0.0;
            l->at[i] = (uint32_t)(int32_t)(r < last ? r : last);
            l->out[i] = 0;
        }
        return;
    }
}

/* The mode as it works: only normalized coordinates repeat. */
static ww_tex_mode mode_of(const ww_tex_job *j, unsigned d)
{
    ww_tex_mode mode = (ww_tex_mode)j->texture->mode[d];
    return mode == WW_TEX_BORDER || j->texture->normalized_coordinates ? mode : WW_TEX_CLAMP;
}

static WW_ALWAYS_INLINE double scale_of(const ww_tex_job *j, unsigned d)
{
    return j->texture->normalized_coordinates ? (double)j->size[d] : 1.0;
}

static void slices(const ww_tex_job *j, uint32_t *slice)
{
    uint32_t last = j->layer != NULL ? j->size[2] - 1 : 0;
    const uint32_t *layer = j->layer != NULL ? j->layer : j->coordinate[0];
    EACH_LANE
    {
        slice[i] = layer[i] < last ? layer[i] : last;
    }
}

/* ---- elements ---- */

/* Raw elements; channel c is so many bits at c * bits. */
typedef struct elements {
    _Alignas(64) uint32_t word[MOST_WORDS][WW_LANES];
} elements;

static void load(const ww_tex_job *j, const uint32_t *offset, elements *e)
{
    const unsigned char *base = j->base;
    switch (j->element_bytes) {
    case 1:
        EACH_LANE
        {
            e->word[0][i] = base[offset[i]];
        }
        return;
    case 2:
        EACH_LANE
        {
            uint16_t v;
            memcpy(&v, base + offset[i], sizeof v);
            e->word[0][i] = v;
        }
        return;
    case 4:
        EACH_LANE
        {
            memcpy(&e->word[0][i], base + offset[i], 4);
        }
        return;
    default:
        for (unsigned i = 0; i < WW_LANES; i++) {
            uint32_t v[MOST_WORDS] = {0};
            memcpy(v, base + offset[i], j->element_bytes == 8 ? 8 : 16);
            e->word[0][i] = v[0];
            e->word[1][i] = v[1];
            e->word[2][i] = v[2];
            e->word[3][i] = v[3];
        }
        return;
    }
}

/* A channel of all lanes as 32-bit values: in place, or in scratch. */
static const uint32_t *channel_bits(const ww_texture *t, const elements *e, unsigned channel,
                                    uint32_t *scratch)
{
    unsigned at = channel * t->channel_bits;
    const uint32_t *word = e->word[at / 32];
    unsigned left = 32u - t->channel_bits - at % 32;
    unsigned right = 32u - t->channel_bits;
    if (right == 0) {
        return word;
    }
    if (t->channel == WW_TEX_SIGNED) {
        EACH_LANE
        {
            scratch[i] = (uint32_t)((int32_t)(word[i] << left) >> right);
        }
    } else {
        EACH_LANE
        {
            scratch[i] = word[i] << left >> right;
        }
    }
    return scratch;
}

static void numbers_of(const ww_texture *t, const uint32_t *bits, double *out)
{
    double full = t->channel_bits == 32 ? 4294967295.0 : (double)((1u << t->channel_bits) - 1);
    double half = (full - 1.0) / 2.0;
    if (t->channel == WW_TEX_FLOAT && t->channel_bits == 32) {
        EACH_LANE
        {
            out[i] = (double)lanes_f32(bits[i]);
        }
    } else if (t->channel == WW_TEX_FLOAT) {
        EACH_LANE
        {
            out[i] = (double)ww__f16_to_f32((uint16_t)bits[i]);
        }
    } else if (t->channel == WW_TEX_UNSIGNED) {
        EACH_LANE
        {
            out[i] = bits[i] / full;
        }
    } else {
        EACH_LANE
        {
            double v = (int32_t)bits[i] / half;
            out[i] = v < -1.0 ? -1.0 : v;
        }
    }
}

static bool reads_numbers(const ww_texture *t)
{
    return t->channel == WW_TEX_FLOAT || t->normalized_read;
}

/* ---- where the caches see them ---- */

/* As texture/fetch.c's line_address. */
static void addresses(const ww_tex_job *j, const uint32_t *const where[3], uint64_t *address)
{
    enum { BYTES = 16, ROWS = 8 };
    const uint64_t first = j->texture->address;
    const uint64_t pitch = j->texture->pitch;
    const uint64_t slice = j->texture->slice;
    const uint64_t bytes = j->element_bytes;
    const uint64_t across = (pitch + BYTES - 1) / BYTES;
    const uint32_t *x = where[0];
    const uint32_t *y = where[1];
    const uint32_t *z = where[2];
    if (!j->texture->blocks) {
        EACH_LANE
        {
            address[i] = first + z[i] * slice + y[i] * pitch + x[i] * bytes;
        }
        return;
    }
    EACH_LANE
    {
        uint64_t column = x[i] * bytes;
        uint64_t row = y[i];
        uint64_t block = row / ROWS * across + column / BYTES;
        address[i] =
            first + z[i] * slice + block * (ROWS * BYTES) + row % ROWS * BYTES + column % BYTES;
    }
}

/* ---- the nearest element, and the element of that index ---- */

static void offsets(const ww_tex_job *j, const uint32_t *const where[3], uint32_t *offset)
{
    uint32_t pitch = (uint32_t)j->texture->pitch;
    uint32_t slice = (uint32_t)j->texture->slice;
    uint32_t bytes = j->element_bytes;
    EACH_LANE
    {
        offset[i] = where[0][i] * bytes + where[1][i] * pitch + where[2][i] * slice;
    }
}

/* Channel of elements as results; those that are out have a value of their own. */
static void result_of(const ww_tex_job *j, const elements *e, unsigned c, const uint32_t *out,
                      uint32_t out_bits, uint32_t *result)
{
    const ww_texture *t = j->texture;
    if (c >= t->channels) {
        uint32_t missing = c < 3 ? 0 : reads_numbers(t) ? ONE_F32 : 1;
        EACH_LANE
        {
            result[i] = out[i] != 0 ? out_bits : missing;
        }
        return;
    }
    _Alignas(64) uint32_t scratch[WW_LANES];
    const uint32_t *bits = channel_bits(t, e, c, scratch);
    if (!reads_numbers(t)) {
        EACH_LANE
        {
            result[i] = out[i] != 0 ? out_bits : bits[i];
        }
        return;
    }
    _Alignas(64) double number[WW_LANES];
    numbers_of(t, bits, number);
    EACH_LANE
    {
        result[i] = out[i] != 0 ? out_bits : lanes_canonical32((float)number[i]);
    }
}

/* out: lanes whose element is the border, or with zero_outside reads as 0. */
static void fetch_elements(const ww_tex_job *j, const uint32_t *const where[3], const uint32_t *out,
                           bool zero_outside, uint32_t result[CHANNELS][WW_LANES],
                           uint64_t *address)
{
    _Alignas(64) uint32_t offset[WW_LANES];
    elements e;
    offsets(j, where, offset);
    load(j, offset, &e);
    for (unsigned c = 0; c < CHANNELS; c++) {
        float border = j->texture->border[c];
        uint32_t bits =
            reads_numbers(j->texture) ? lanes_canonical32(border) : lanes_bits32(border);
        if ((j->wanted >> c & 1) != 0) {
            result_of(j, &e, c, out, zero_outside ? 0 : bits, result[c]);
        }
    }
    addresses(j, where, address);
}

static void fetch_integer(const ww_tex_job *j, uint32_t result[CHANNELS][WW_LANES],
                          uint64_t *address)
{
    _Alignas(64) uint32_t where[3][WW_LANES] = {{0}};
    _Alignas(64) uint32_t out[WW_LANES] = {0};
    slices(j, where[2]);
    for (unsigned d = 0; d < j->dimensions; d++) {
        const uint32_t *at = j->coordinate[d];
        uint32_t size = j->size[d]; /* negative indices exceed it as unsigned */
        EACH_LANE
        {
            where[d][i] = at[i];
            out[i] |= at[i] >= size ? UINT32_MAX : 0;
        }
    }
    for (unsigned d = 0; d < 3; d++) {
        EACH_LANE
        {
            where[d][i] &= ~out[i];
        }
    }
    const uint32_t *const place[3] = {where[0], where[1], where[2]};
    fetch_elements(j, place, out, true, result, address);
}

static void fetch_nearest(const ww_tex_job *j, uint32_t result[CHANNELS][WW_LANES],
                          uint64_t *address)
{
    _Alignas(64) double index[WW_LANES];
    _Alignas(64) uint32_t out[WW_LANES] = {0};
    _Alignas(64) uint32_t slice[WW_LANES];
    _Alignas(64) located l[3];
    const uint32_t *where[3] = {l[0].at, l[1].at, slice};
    slices(j, slice);
    memset(l[1].at, 0, sizeof l[1].at); /* the row of one dimension */
    for (unsigned d = 0; d < j->dimensions; d++) {
        const uint32_t *at = j->coordinate[d];
        double scale = scale_of(j, d);
        EACH_LANE
        {
            index[i] = floor_clamped((double)lanes_f32(at[i]) * scale);
        }
        locate(index, 0.0, j->size[d], mode_of(j, d), &l[d]);
        EACH_LANE
        {
            out[i] |= l[d].out[i];
        }
        where[d] = l[d].at;
    }
    fetch_elements(j, where, out, false, result, address);
}

/* ---- linear filtering ---- */

typedef struct axis {
    _Alignas(64) located neighbour[2]; /* lower, upper */
    _Alignas(64) double weight[2][WW_LANES];
} axis;

static void axis_of(const ww_tex_job *j, unsigned d, axis *a)
{
    _Alignas(64) double base[WW_LANES];
    _Alignas(64) double fraction[WW_LANES];
    const uint32_t *at = j->coordinate[d];
    double scale = scale_of(j, d);
    EACH_LANE
    {
        double xb = (double)lanes_f32(at[i]) * scale - 0.5;
        double whole = floor_clamped(xb);
        base[i] = whole;
        double over = xb - whole; /* beyond FAR anything, or NaN */
        fraction[i] = ((over >= 0.0) & (over < 1.0)) ? over : 0.0;
    }
    EACH_LANE /* on its own, or compilers branch on the 0 */
    {
        double alpha = (double)(int32_t)(fraction[i] * 256.0 + 0.5) / 256.0;
        a->weight[0][i] = 1.0 - alpha;
        a->weight[1][i] = alpha;
    }
    locate(base, 0.0, j->size[d], mode_of(j, d), &a->neighbour[0]);
    locate(base, 1.0, j->size[d], mode_of(j, d), &a->neighbour[1]);
}

/* One of the 2, 4 or 8 elements around, in all lanes. */
typedef struct corner {
    const uint32_t *where[3];
    _Alignas(64) double weight[WW_LANES];
    _Alignas(64) uint32_t out[WW_LANES];
    elements e;
} corner;

static void narrow(corner *o, const double *weight, const uint32_t *out)
{
    EACH_LANE
    {
        o->weight[i] *= weight[i];
        o->out[i] |= out[i];
    }
}

static void corner_of(const ww_tex_job *j, const axis *a, unsigned k, const uint32_t *rest[3],
                      corner *o)
{
    for (unsigned d = 0; d < 3; d++) {
        o->where[d] = d < j->dimensions ? a[d].neighbour[k >> d & 1].at : rest[d];
    }
    memcpy(o->weight, a[0].weight[k & 1], sizeof o->weight);
    memcpy(o->out, a[0].neighbour[k & 1].out, sizeof o->out);
    for (unsigned d = 1; d < j->dimensions; d++) {
        narrow(o, a[d].weight[k >> d & 1], a[d].neighbour[k >> d & 1].out);
    }
    _Alignas(64) uint32_t offset[WW_LANES];
    offsets(j, o->where, offset);
    load(j, offset, &o->e);
}

/* Channel c of a corner times its weight, added to the sum; 0, whatever the element is, where the
 * weight is 0. */
static WW_ALWAYS_INLINE void add_numbers(const corner *o, const double *number, double border,
                                         bool borders, bool first, double *sum)
{
    EACH_LANE
    {
        double v = borders && o->out[i] != 0 ? border : number[i];
        double w = o->weight[i];
        v = w != 0.0 ? v : 0.0;
        sum[i] = (first ? 0.0 : sum[i]) + w * v;
    }
}

static void add_channel(const ww_tex_job *j, const corner *o, unsigned c, bool borders, bool first,
                        double *sum)
{
    const ww_texture *t = j->texture;
    _Alignas(64) double number[WW_LANES];
    if (c < t->channels) {
        _Alignas(64) uint32_t scratch[WW_LANES];
        numbers_of(t, channel_bits(t, &o->e, c, scratch), number);
    } else {
        EACH_LANE
        {
            number[i] = c == 3 ? 1.0 : 0.0;
        }
    }
    double border = (double)t->border[c];
    if (borders) {
        add_numbers(o, number, border, true, first, sum);
    } else if (first) {
        add_numbers(o, number, border, false, true, sum);
    } else {
        add_numbers(o, number, border, false, false, sum);
    }
}

/* The first element that counts and lies inside is where the fetch looks; failing that the first of
 * all, if it counts. */
static void look(const corner *o, unsigned k, uint32_t *found, uint32_t where[3][WW_LANES])
{
    EACH_LANE
    {
        bool inside = o->out[i] == 0;
        bool counts = o->weight[i] != 0.0 && found[i] == 0;
        bool taken = counts && (inside || k == 0);
        where[0][i] = taken ? o->where[0][i] : where[0][i];
        where[1][i] = taken ? o->where[1][i] : where[1][i];
        where[2][i] = taken ? o->where[2][i] : where[2][i];
        found[i] = taken && inside ? UINT32_MAX : found[i];
    }
}

/* The same where all lie inside: in each dimension the lower one, unless it does not count. */
static void look_inside(const axis *a, uint32_t *where)
{
    const uint32_t *lower = a->neighbour[0].at;
    const uint32_t *upper = a->neighbour[1].at;
    EACH_LANE
    {
        where[i] = a->weight[0][i] != 0.0 ? lower[i] : upper[i];
    }
}

static void fetch_linear(const ww_tex_job *j, uint32_t result[CHANNELS][WW_LANES],
                         uint64_t *address)
{
    _Alignas(64) double sum[CHANNELS][WW_LANES];
    _Alignas(64) uint32_t where[3][WW_LANES];
    _Alignas(64) uint32_t found[WW_LANES] = {0};
    _Alignas(64) uint32_t zero[WW_LANES] = {0};
    _Alignas(64) uint32_t slice[WW_LANES];
    const uint32_t *rest[3] = {zero, zero, slice};
    axis a[3];
    bool borders = false;
    slices(j, slice);
    for (unsigned d = 0; d < j->dimensions; d++) {
        axis_of(j, d, &a[d]);
        borders |= j->texture->mode[d] == WW_TEX_BORDER;
    }
    /* Channels that the texture lacks differ in the border alone. */
    unsigned summed = borders ? CHANNELS : j->texture->channels;
    for (unsigned d = 0; d < 3; d++) {
        if (!borders && d < j->dimensions) {
            look_inside(&a[d], where[d]);
        } else {
            memcpy(where[d], borders ? zero : rest[d], sizeof where[d]);
        }
    }
    for (unsigned k = 0; k < 1u << j->dimensions; k++) {
        corner o;
        corner_of(j, a, k, rest, &o);
        for (unsigned c = 0; c < summed; c++) {
            if ((j->wanted >> c & 1) != 0) {
                add_channel(j, &o, c, borders, k == 0, sum[c]);
            }
        }
        if (borders) {
            look(&o, k, found, where);
        }
    }
    for (unsigned c = 0; c < CHANNELS; c++) {
        uint32_t missing = c == 3 ? ONE_F32 : 0;
        if ((j->wanted >> c & 1) != 0) {
            EACH_LANE
            {
                result[c][i] = c < summed ? lanes_canonical32((float)sum[c][i]) : missing;
            }
        }
    }
    const uint32_t *const place[3] = {where[0], where[1], where[2]};
    addresses(j, place, address);
}

void LANES_NAME(ww__lanes_texture)(const ww_tex_job *j, uint32_t result[CHANNELS][WW_LANES],
                                   uint64_t address[WW_LANES])
{
    if (j->integer) {
        fetch_integer(j, result, address);
    } else if (j->texture->linear && reads_numbers(j->texture)) {
        fetch_linear(j, result, address);
    } else {
        fetch_nearest(j, result, address);
    }
}
