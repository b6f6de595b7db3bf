/* lane.c - runs a form over corner cases and random values, a lane for each, and compares every
 * result with the one that the host computes. */
#include "lane.h"

#include <stdio.h>

#include "base/str.h"

enum { MOST = 8192, RANDOM = 4096, BLOCK = 128, ROOM = MOST + BLOCK };

/* ---- values by kind ---- */

static const uint64_t corners16[] = {0,     1,      2,      7,      0x7f,   0x80,   0xff,
                                     0x100, 0x3c00, 0x7fff, 0x8000, 0x8001, 0xfffe, 0xffff};
static const uint64_t corners32[] = {
    0,          1,          2,          3,          31,         32,         0x7f,       0x80,
    0xff,       0x7fff,     0x8000,     0xffff,     0x10000,    0x7fffffff, 0x80000000, 0x80000001,
    0xfffffffe, 0xffffffff, 0xaaaaaaaa, 0x12345678, 0x00ffffff, 0x00800000, 0xff800000, 0x9e3779b9};
static const uint64_t corners64[] = {0,
                                     1,
                                     2,
                                     63,
                                     64,
                                     0x7fffffff,
                                     0x80000000,
                                     0xffffffff,
                                     0x100000000,
                                     0x100000001,
                                     0x7fffffffffffffff,
                                     0x8000000000000000,
                                     0x8000000000000001,
                                     0xffffffff00000000,
                                     0xfffffffffffffffe,
                                     0xffffffffffffffff,
                                     0x0123456789abcdef,
                                     0xaaaaaaaaaaaaaaaa,
                                     0xffffffff80000000,
                                     0xffffffff7fffffff,
                                     0x0020000000000001,
                                     0x0000010000010000,
                                     0x7fffffbfffffffff};
static const uint64_t amounts[] = {0,  1,  2,   7,   8,       15,         16,        17,
                                   23, 24, 31,  32,  33,      48,         63,        64,
                                   65, 96, 127, 128, 0x10000, 0x80000000, 0xffffffff};
/* Zeros, ones, ties and neighbours, ends of the ranges of integers and of f16, subnormals, NaN. */
static const uint64_t corners_f32[] = {
    0,          0x80000000, 1,          0x80000001, 0x007fffff, 0x807fffff, 0x00400000, 0x00800000,
    0x80800000, 0x00800001, 0x3f800000, 0xbf800000, 0x3f7fffff, 0x3f800001, 0x3f000000, 0xbf000000,
    0x3effffff, 0x3fc00000, 0xbfc00000, 0x40200000, 0xc0200000, 0x40000000, 0x40490fdb, 0x4b000001,
    0x4b7fffff, 0x4effffff, 0x4f000000, 0xcf000000, 0xcf000001, 0x4f7fffff, 0x4f800000, 0x5effffff,
    0x5f000000, 0xdf000000, 0x5f800000, 0x477fefff, 0x477ff000, 0x33000000, 0x33000001, 0x387fe000,
    0x7e800000, 0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000, 0x7fc00000, 0xffc12345, 0x7f800001};
static const uint64_t corners_f64[] = {
    0,
    0x8000000000000000,
    1,
    0x8000000000000001,
    0x000fffffffffffff,
    0x0010000000000000,
    0x8010000000000000,
    0x3ff0000000000000,
    0xbff0000000000000,
    0x3fefffffffffffff,
    0x3ff0000000000001,
    0x3fe0000000000000,
    0xbfe0000000000000,
    0x3fdfffffffffffff,
    0x3ff8000000000000,
    0x4004000000000000,
    0xc004000000000000,
    0x400921fb54442d18,
    0x3ff0000010000000,
    0x3ff0000030000000,
    0x3ff0000010000001,
    0x36a0000000000000,
    0x3690000000000000,
    0x3690000000000001,
    0x380fffffe0000000,
    0x380ffffff0000000,
    0x41dfffffffc00000,
    0x41e0000000000000,
    0xc1e0000000000000,
    0xc1e0000000200000,
    0x41efffffffe00000,
    0x41f0000000000000,
    0x43dfffffffffffff,
    0x43e0000000000000,
    0xc3e0000000000000,
    0x43f0000000000000,
    0x43efffffffffffff,
    0x4330000000000001,
    0x47efffffe0000000,
    0x47efffffefffffff,
    0x47effffff0000000,
    0x7fefffffffffffff,
    0xffefffffffffffff,
    0x7ff0000000000000,
    0xfff0000000000000,
    0x7ff8000000000000,
    0xfff8000000012345,
    0x7ff0000000000001,
};
static const uint64_t corners_f16[] = {0,      0x8000, 1,      0x8001, 0x03ff, 0x0400, 0x3c00,
                                       0xbc00, 0x3bff, 0x3c01, 0x3800, 0x3e00, 0x4100, 0x7bff,
                                       0xfbff, 0x7c00, 0xfc00, 0x7e00, 0xfe01, 0x7c01, 0x4248};
static const uint64_t corners_bf16[] = {0,      0x8000, 1,      0x007f, 0x0080, 0x3f80,
                                        0xbf80, 0x3f7f, 0x3f81, 0x4049, 0x7f7f, 0xff7f,
                                        0x7f80, 0xff80, 0x7fc0, 0xffc1};
static const uint64_t truths[] = {0, 1};

typedef struct kind {
    char letter;
    const char *reg;    /* register's type */
    const char *access; /* type of loads and stores */
    unsigned bits;
    const uint64_t *corner;
    unsigned corners;
    char number; /* 'i'nteger, 'f'loating point, or its parts: how random values look */
} kind;

#define CORNERS(list) list, (unsigned)WW_ARRAY_LEN(list)
static const kind kinds[] = {
    {'h', "b16", "b16", 16, CORNERS(corners16), 'i'},
    {'w', "b32", "b32", 32, CORNERS(corners32), 'i'},
    {'l', "b64", "b64", 64, CORNERS(corners64), 'i'},
    {'n', "b32", "b32", 32, CORNERS(amounts), 'n'},
    {'f', "f32", "f32", 32, CORNERS(corners_f32), 'f'},
    {'g', "f32", "f32", 32, CORNERS(corners_f32), 'f'},
    {'F', "f32", "f32", 32, CORNERS(corners_f32), 'f'},
    {'D', "f64", "f64", 64, CORNERS(corners_f64), 'd'},
    {'d', "f64", "f64", 64, CORNERS(corners_f64), 'd'},
    {'p', "pred", "b32", 32, CORNERS(truths), 'i'},
    {'y', "b16", "b16", 16, CORNERS(corners_f16), 'i'},
    {'x', "b32", "b32", 32, CORNERS(corners_f16), 'x'},
    {'z', "b32", "b32", 32, CORNERS(corners_bf16), 'x'},
};

static const kind *kind_of(char letter)
{
    for (size_t i = 0; i < WW_ARRAY_LEN(kinds); i++) {
        if (kinds[i].letter == letter) {
            return &kinds[i];
        }
    }
    fail_msg("no operands of kind '%c'", letter);
    return NULL;
}

static uint64_t mask_of(unsigned bits)
{
    return bits == 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
}

static uint64_t corner_value(const kind *k, uint64_t i)
{
    uint64_t v = k->corner[i % k->corners];
    return k->number == 'x' ? v | k->corner[(i * 7 + 3) % k->corners] << 16 : v;
}

/* Any bits; of floats, half of the values have exponents near one, so that operands meet. */
static uint64_t random_value(const kind *k, uint64_t *state)
{
    uint64_t r = form_random(state), how = form_random(state);
    switch (k->number) {
    case 'f':
        return how & 1 ? (r & 0x807fffff) | (117 + (how >> 8) % 24) << 23 : r & UINT32_MAX;
    case 'd':
        return how & 1 ? (r & 0x800fffffffffffff) | (1003 + (how >> 8) % 80) << 52 : r;
    case 'n':
        return how & 3 ? r % 70 : r & UINT32_MAX;
    default:
        break;
    }
    /* small, negative, and of every length */
    r = how & 1 ? r : r >> (how >> 8) % 64;
    r = how & 2 ? r : 0 - r;
    return k->letter == 'p' ? r & 1 : r & mask_of(k->bits);
}

/* ---- inputs ---- */

typedef struct inputs {
    unsigned operands, count;
    const kind *kind[3];
    uint64_t value[3][ROOM]; /* of lanes beyond count: zero */
} inputs;

static void fill(inputs *in, const char *kinds_of_operands)
{
    uint64_t state = 0x2545f4914f6cdd1d, all = 1;
    in->operands = (unsigned)strlen(kinds_of_operands);
    for (unsigned k = 0; k < in->operands; k++) {
        in->kind[k] = kind_of(kinds_of_operands[k]);
        all *= in->kind[k]->corners;
    }
    bool every = all <= MOST - RANDOM;
    uint64_t corners = every ? all : MOST - RANDOM;
    in->count = (unsigned)(corners + RANDOM);
    for (unsigned i = 0; i < in->count; i++) {
        uint64_t index = every ? i : form_random(&state) % all;
        for (unsigned k = 0; k < in->operands; k++) {
            in->value[k][i] =
                i < corners ? corner_value(in->kind[k], index) : random_value(in->kind[k], &state);
            index /= in->kind[k]->corners;
        }
    }
}

static lane_value value_of(uint64_t bits)
{
    return (lane_value){(uint16_t)bits, (int16_t)bits, (uint32_t)bits,    (int32_t)bits,
                        bits,           (int64_t)bits, form_f32_of(bits), f64_of(bits)};
}

/* ---- the kernel ---- */

static void add_operand_load(ww_str *text, const kind *k, unsigned i)
{
    bool predicate = k->letter == 'p';
    ww_str_addf(text, ".reg .%s %%%c;\nadd.u64 %%q%u, %%q%u, %%q10; ", k->reg, 'a' + (int)i, i, i);
    ww_str_addf(text, "ld.global.%s %s%c, [%%q%u];\n", k->access, predicate ? "%r1" : "%",
                predicate ? (int)('0' + i) : 'a' + (int)i, i);
    if (predicate) {
        ww_str_addf(text, "setp.ne.u32 %%%c, %%r1%u, 0;\n", 'a' + (int)i, i);
    }
}

static void add_body(ww_str *text, const lane_row *row, unsigned operands)
{
    if (row->body == NULL) {
        ww_str_addf(text, "%s %%e", row->form);
        for (unsigned k = 0; k < operands; k++) {
            ww_str_addf(text, ", %%%c", 'a' + (int)k);
        }
        ww_str_add(text, ";\n");
        return;
    }
    for (const char *p = row->body; *p != '\0'; p++) {
        if (*p == '$') {
            p++;
            ww_str_addf(text, "%%%c", *p == 'd' ? 'e' : *p);
        } else {
            ww_str_add_n(text, p, 1);
        }
    }
    ww_str_add(text, "\n");
}

static void make_kernel(ww_str *text, const lane_row *row, const inputs *in)
{
    const kind *result = kind_of(row->kinds[0]);
    ww_str_add(text, FORM_BEGIN "mov.u32 %r0, %ctaid.x; mad.lo.u32 %t, %r0, 128, %t;\n"
                                "mul.wide.u32 %q10, %t, 8;\n");
    for (unsigned k = 0; k < in->operands; k++) {
        add_operand_load(text, in->kind[k], k);
    }
    ww_str_addf(text, ".reg .%s %%e;\n", result->reg);
    add_body(text, row, in->operands);
    const char *from = "%e";
    if (result->letter == 'p') {
        ww_str_add(text, "selp.u32 %r2, 1, 0, %e;\n");
        from = "%r2";
    }
    ww_str_addf(text, "add.u64 %%q3, %%q3, %%q10; st.global.%s [%%q3], %s;\n" FORM_END,
                result->access, from);
}

/* ---- comparison ---- */

static bool is_nan(const kind *k, uint64_t bits, unsigned half)
{
    switch (k->letter) {
    case 'f':
    case 'g':
        return (bits & 0x7fffffff) > 0x7f800000;
    case 'd':
        return (bits & 0x7fffffffffffffff) > 0x7ff0000000000000;
    case 'z':
        return (bits >> (16 * half) & 0x7fff) > 0x7f80;
    default:
        return (bits >> (16 * half) & 0x7fff) > 0x7c00;
    }
}

static bool same(const kind *k, uint64_t got, uint64_t want)
{
    got &= mask_of(k->bits);
    want &= mask_of(k->bits);
    switch (k->letter) {
    case 'f':
        return got == (is_nan(k, want, 0) ? 0x7fffffff : want);
    case 'g':
    case 'd':
        return got == want || (is_nan(k, got, 0) && is_nan(k, want, 0));
    case 'x':
    case 'y':
    case 'z':
        for (unsigned half = 0; half < 2; half++) {
            bool equal = (got >> 16 * half & 0xffff) == (want >> 16 * half & 0xffff);
            if (!equal && !(is_nan(k, got, half) && is_nan(k, want, half))) {
                return false;
            }
        }
        return true;
    default:
        return got == want;
    }
}

static void compare(const lane_row *row, const inputs *in, const uint64_t *out, bool lowered,
                    form_log *log)
{
    const kind *result = kind_of(row->kinds[0]);
    unsigned wrong = 0;
    for (unsigned i = 0; i < in->count; i++) {
        uint64_t bits[3] = {0};
        for (unsigned k = 0; k < in->operands; k++) {
            bits[k] = in->value[k][i];
        }
        lane_value a = value_of(bits[0]), b = value_of(bits[1]), c = value_of(bits[2]);
        uint64_t want = row->want != NULL ? row->want(a, b, c) & mask_of(result->bits) : 0;
        bool ok = row->want != NULL ? same(result, out[i], want) : row->accepts(a, b, out[i]);
        if (!ok && wrong++ == 0) {
            form_fail(log, row->form, "%s: of %llx, %llx, %llx: %llx instead of %llx",
                      lowered ? "lowered" : "ptx", (unsigned long long)bits[0],
                      (unsigned long long)bits[1], (unsigned long long)bits[2],
                      (unsigned long long)out[i], (unsigned long long)want);
        }
    }
    if (wrong > 1) {
        form_fail(log, row->form, "%u of %u values are wrong", wrong, in->count);
    }
}

void lane_check(const lane_row *row, bool lowered, form_log *log)
{
    static inputs in;
    static uint64_t out[ROOM];
    ww_str text = {0};
    fill(&in, row->kinds + 2);
    make_kernel(&text, row, &in);
    memset(out, 0, sizeof out);
    form_launch l = {.text = ww_str_text(&text),
                     .grid = in.count / BLOCK + 1,
                     .block = BLOCK,
                     .buffer_count = 4,
                     .buffer = {{in.value[0], sizeof in.value[0]},
                                {in.value[1], sizeof in.value[1]},
                                {in.value[2], sizeof in.value[2]},
                                {out, sizeof out}}};
    if (form_run(&l, row->form, lowered, log)) {
        compare(row, &in, out, lowered, log);
    }
    ww_str_fini(&text);
}
