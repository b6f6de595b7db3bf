/* matrix_narrow.c - mma of numbers of 4 bits, of single bits and of floats of 8 bits. The registers
 * are placed by the figures of the PTX manual ("Matrix Fragments for mma.m16n8k64" and its like): a
 * word holds neighbours along k; the words of A go down the rows first. */
#include <stdio.h>

#include "base/str.h"
#include "halves.h"

enum { LANES = 32 };

static struct {
    unsigned m, k, bits; /* n is 8 */
    char a[8], b[8];
    bool half; /* sums of f16 */
    bool both, saturates;
} now;

static uint32_t in[3][LANES][4], out[LANES][4];

static unsigned words_of(unsigned lines)
{
    return lines * now.k * now.bits / 1024;
}

/* Element k of a line; down: groups of eight lines in a matrix. */
static uint32_t bits_at(unsigned matrix, unsigned line, unsigned k, unsigned down)
{
    unsigned per = 32 / now.bits, block = k / (4 * per), lane = line % 8 * 4 + k / per % 4;
    uint32_t word = in[matrix][lane][block * down + line / 8];
    return word >> k % per * now.bits & ((1u << now.bits) - 1);
}

static double float_of(uint32_t v, bool e4m3)
{
    unsigned fraction = e4m3 ? 3 : 2, e = (v & 127) >> fraction, f = v & ((1u << fraction) - 1);
    int bias = e4m3 ? 7 : 15;
    double d =
        ldexp(e != 0 ? f + (1u << fraction) : f, (int)(e != 0 ? e : 1) - bias - (int)fraction);
    return (v & 128) != 0 ? -d : d;
}

static double number(const char *type, uint32_t v)
{
    return type[0] == 'e'   ? float_of(v, type[1] == '4')
           : type[0] == 's' ? (double)((int)(v ^ 8) - 8)
                            : (double)v;
}

static double sum_at(unsigned row, unsigned col)
{
    double sum = 0;
    for (unsigned k = 0; k < now.k; k++) {
        uint32_t a = bits_at(0, row, k, now.m / 8), b = bits_at(1, col, k, 1);
        sum += now.bits == 1 ? (double)(now.both ? a & b : a ^ b)
                             : number(now.a, a) * number(now.b, b);
    }
    return sum;
}

/* Register i of a lane holds element (g + 8 (i / 2), 2 t + i % 2); of f16, two of them. */
static uint32_t want(unsigned lane, unsigned i)
{
    unsigned g = lane / 4, t = lane % 4;
    uint32_t c = in[2][lane][i];
    if (now.half) {
        return f16_from(sum_at(g + 8 * i, 2 * t) + f16_value(c & 0xffff)) |
               f16_from(sum_at(g + 8 * i, 2 * t + 1) + f16_value(c >> 16)) << 16;
    }
    double sum = sum_at(g + i / 2 * 8, 2 * t + i % 2);
    if (now.a[0] == 'e') {
        return (uint32_t)bits_of((float)(sum + (double)form_f32_of(c)));
    }
    int64_t exact = (int64_t)sum + (int32_t)c;
    exact = !now.saturates      ? exact
            : exact > INT32_MAX ? INT32_MAX
            : exact < INT32_MIN ? INT32_MIN
                                : exact;
    return (uint32_t)exact;
}

/* Floats: few digits and near exponents, so that every sum is exact. */
static void fill(void)
{
    uint64_t state = 0x9e3779b97f4a7c15;
    bool real = now.a[0] == 'e';
    for (unsigned i = 0; i < 3 * LANES * 4; i++) {
        uint32_t v = (uint32_t)(form_random(&state) >> 16);
        bool sums = i >= 2 * LANES * 4;
        uint32_t few = now.a[1] == '4' ? 0xbbbbbbbb : 0xbfbfbfbf;
        in[i / (LANES * 4)][i / 4 % LANES][i % 4] =
            !real      ? v
            : !sums    ? (v & few & 0x87878787) | 0x30303030
            : now.half ? (v & 0x80008000) | 0x40004000
                       : (uint32_t)bits_of((float)((int)(v % 64) - 32));
    }
}

static void decode(const char *form)
{
    const char *tile = strstr(form, ".m") + 1;
    char d[8], c[8];
    tile = tile[1] == 'm' ? strstr(tile, ".m") + 1 : tile;
    (void)sscanf(tile, "m%un8k%u.row.col.%7[^.].%7[^.].%7[^.].%7[^.]", &now.m, &now.k, d, now.a,
                 now.b, c);
    if (strstr(form, ".satfinite") != NULL) {
        (void)sscanf(strstr(form, ".satfinite.") + 11, "%7[^.].%7[^.].%7[^.]", d, now.a, now.b);
    }
    now.bits = now.a[0] == 'e' ? 8 : now.a[1] == '4' ? 4 : 1;
    now.half = strcmp(d, "f16") == 0;
    now.both = form_has(form, "and");
    now.saturates = form_has(form, "satfinite");
}

static void list(ww_str *t, const char *kind, unsigned first, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        ww_str_addf(t, "%s%%%s%u", i > 0 ? ", " : "{", kind, first + i);
    }
    ww_str_add(t, "}");
}

static void check(const char *form, bool lowered, form_log *log)
{
    decode(form);
    fill();
    unsigned sums = now.half ? now.m / 8 : now.m / 4;
    const char *kind = now.a[0] == 'e' && !now.half ? "f" : "r";
    ww_str t = {0};
    ww_str_add(&t, FORM_BEGIN
               "mul.wide.u32 %q10, %t, 16; add.u64 %q0, %q0, %q10; add.u64 %q1, %q1, %q10; add.u64 "
               "%q2, %q2, %q10; add.u64 %q3, %q3, %q10; ld.global.v4.b32 {%r1, %r2, %r3, %r4}, "
               "[%q0]; ld.global.v4.b32 {%r5, %r6, %r7, %r8}, [%q1];\n");
    ww_str_addf(&t, "ld.global.v4.b32 {%%%s9, %%%s10, %%%s11, %%%s12}, [%%q2];\n%s ", kind, kind,
                kind, kind, form);
    list(&t, kind, 9, sums);
    ww_str_add(&t, ", ");
    list(&t, "r", 1, words_of(now.m));
    ww_str_add(&t, ", ");
    list(&t, "r", 5, words_of(8));
    ww_str_add(&t, ", ");
    list(&t, kind, 9, sums);
    ww_str_addf(&t, ";\nst.global.v4.b32 [%%q3], {%%%s9, %%%s10, %%%s11, %%%s12};\n", kind, kind,
                kind, kind);
    ww_str_add(&t, FORM_END);
    form_launch l = {.text = ww_str_text(&t),
                     .grid = 1,
                     .block = LANES,
                     .buffer_count = 4,
                     .buffer = {{in[0], sizeof in[0]},
                                {in[1], sizeof in[1]},
                                {in[2], sizeof in[2]},
                                {out, sizeof out}}};
    bool ok = form_run(&l, form, lowered, log);
    for (unsigned i = 0; ok && i < LANES * sums; i++) {
        uint32_t w = want(i / sums, i % sums), got = out[i / sums][i % sums];
        if (got != w) {
            form_fail(log, form, "lowered %d, lane %u, register %u: %x, not %x", lowered, i / sums,
                      i % sums, got, w);
            ok = false;
        }
    }
    ww_str_fini(&t);
}

static bool claims(const char *form)
{
    static const char *const types[] = {"s4", "u4", "b1", "e4m3", "e5m2"};
    bool narrow = false;
    for (size_t i = 0; i < WW_ARRAY_LEN(types); i++) {
        narrow |= form_has(form, types[i]);
    }
    return strncmp(form, "mma.", 4) == 0 && narrow;
}

const form_family form_matrix_narrow = {"matrices of 8, 4 and single bits", claims, check};
