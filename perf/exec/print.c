/* print.c - device-side printf: the format of each executing lane, lane by lane, as C's printf
 * would write it. Arguments lie in memory one after the other, each aligned to its size: int and
 * double after the promotions of C, long and pointers of 8 bytes (CUDA C++ Programming Guide,
 * "Formatted Output"). */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "perf/exec/memory/pending.h"

enum { MOST_WIDTH = 4096, MOST_PRECISION = 1024 };

/* One conversion: "%-08.3lf". */
typedef struct conversion {
    bool left, plus, space, alternate, zero;
    int width, precision; /* precision -1: none */
    unsigned bytes;       /* of the argument, for integers */
    char kind;
} conversion;

/* One lane's call. */
typedef struct printing {
    const ww_exec_ctx *x;
    const ww_uop *u;
    unsigned lane;
    uint64_t args;  /* generic address of the next argument */
    uint32_t count; /* arguments taken */
    ww_str *out;
} printing;

static ww_status take(printing *p, unsigned bytes, uint64_t *out)
{
    const ww_kernel *kernel = p->x->env->launch->kernel;
    uint64_t left;
    p->args = (p->args + bytes - 1) & ~(uint64_t)(bytes - 1);
    const unsigned char *from = ww__generic_view(p->x, p->lane, p->args, &left);
    if (from == NULL || left < bytes) {
        return ww_fail_at(p->x->err, WW_EFAULT, kernel->file, (int)p->u->inst->line, 0,
                          "kernel %s: printf takes %u bytes at 0x%" PRIx64
                          ", where there is no argument.",
                          kernel->name, bytes, p->args);
    }
    *out = 0;
    memcpy(out, from, bytes); /* little-endian */
    p->args += bytes;
    p->count++;
    return WW_OK;
}

static void repeat(ww_str *s, char c, int n)
{
    for (int k = 0; k < n; k++) {
        ww_str_add_char(s, c);
    }
}

/* prefix (sign, 0x), then body, padded to the width; zeros go between the two. */
static void pad(ww_str *s, const conversion *c, const char *prefix, const char *body, size_t n,
                bool zeros)
{
    int length = (int)(strlen(prefix) + n);
    int fill = c->width > length ? c->width - length : 0;
    if (!c->left && !zeros) {
        repeat(s, ' ', fill);
    }
    ww_str_add(s, prefix);
    if (!c->left && zeros) {
        repeat(s, '0', fill);
    }
    ww_str_add_n(s, body, n);
    if (c->left) {
        repeat(s, ' ', fill);
    }
}

static const char *sign_of(const conversion *c, bool negative)
{
    return negative ? "-" : c->plus ? "+" : c->space ? " " : "";
}

static ww_status print_integer(printing *p, const conversion *c)
{
    char digits[MOST_PRECISION + 32];
    char plain[32];
    uint64_t v;
    unsigned bits = 8 * c->bytes;
    WW_TRY(take(p, c->bytes == 8 ? 8 : 4, &v));
    v = bits < 64 ? v & ((1ull << bits) - 1) : v;
    bool is_signed = c->kind == 'd' || c->kind == 'i';
    bool negative = is_signed && (v >> (bits - 1) & 1) != 0;
    if (negative) {
        v = (0 - v) & (bits < 64 ? (1ull << bits) - 1 : UINT64_MAX);
    }
    int n = c->kind == 'x'   ? snprintf(plain, sizeof plain, "%" PRIx64, v)
            : c->kind == 'X' ? snprintf(plain, sizeof plain, "%" PRIX64, v)
            : c->kind == 'o' ? snprintf(plain, sizeof plain, "%" PRIo64, v)
                             : snprintf(plain, sizeof plain, "%" PRIu64, v);
    if (v == 0 && c->precision == 0) {
        n = 0;
    }
    int least =
        c->kind == 'o' && c->alternate && v != 0 && c->precision <= n ? n + 1 : c->precision;
    int zeros = least > n ? least - n : 0;
    memset(digits, '0', (size_t)zeros);
    memcpy(digits + zeros, plain, (size_t)n);
    const char *prefix = is_signed                                  ? sign_of(c, negative)
                         : c->alternate && v != 0 && c->kind == 'x' ? "0x"
                         : c->alternate && v != 0 && c->kind == 'X' ? "0X"
                                                                    : "";
    pad(p->out, c, prefix, digits, (size_t)(zeros + n), c->zero && c->precision < 0);
    return WW_OK;
}

static int float_digits(char *buf, size_t size, const conversion *c, double v)
{
    int precision = c->precision < 0 ? 6 : c->precision;
    switch (c->kind) {
    case 'e':
        return c->alternate ? snprintf(buf, size, "%#.*e", precision, v)
                            : snprintf(buf, size, "%.*e", precision, v);
    case 'E':
        return c->alternate ? snprintf(buf, size, "%#.*E", precision, v)
                            : snprintf(buf, size, "%.*E", precision, v);
    case 'g':
        return c->alternate ? snprintf(buf, size, "%#.*g", precision, v)
                            : snprintf(buf, size, "%.*g", precision, v);
    case 'G':
        return c->alternate ? snprintf(buf, size, "%#.*G", precision, v)
                            : snprintf(buf, size, "%.*G", precision, v);
    case 'a':
        return c->precision < 0 ? snprintf(buf, size, "%a", v)
                                : snprintf(buf, size, "%.*a", precision, v);
    case 'A':
        return c->precision < 0 ? snprintf(buf, size, "%A", v)
                                : snprintf(buf, size, "%.*A", precision, v);
    default:
        return c->alternate ? snprintf(buf, size, "%#.*f", precision, v)
                            : snprintf(buf, size, "%.*f", precision, v);
    }
}

static ww_status print_float(printing *p, const conversion *c)
{
    char buf[MOST_PRECISION + 400];
    uint64_t bits = 0;
    double v;
    WW_TRY(take(p, 8, &bits));
    bool negative = bits >> 63 != 0;
    bits &= INT64_MAX;
    memcpy(&v, &bits, sizeof v);
    int n = float_digits(buf, sizeof buf, c, v);
    bool finite = bits < 0x7ff0000000000000ull;
    pad(p->out, c, sign_of(c, negative), buf, (size_t)n, c->zero && finite);
    return WW_OK;
}

static ww_status print_text(printing *p, const conversion *c)
{
    uint64_t address;
    const char *text = "(null)";
    size_t n = 6;
    WW_TRY(take(p, 8, &address));
    if (address != 0) {
        WW_TRY(ww__generic_text(p->x, p->u, p->lane, address, &text, &n));
    }
    n = c->precision >= 0 && (size_t)c->precision < n ? (size_t)c->precision : n;
    pad(p->out, c, "", text, n, false);
    return WW_OK;
}

static ww_status print_conversion(printing *p, const conversion *c, const char *spec, size_t n)
{
    uint64_t v;
    char buf[32];
    switch (c->kind) {
    case 'd':
    case 'i':
    case 'u':
    case 'x':
    case 'X':
    case 'o':
        return print_integer(p, c);
    case 'f':
    case 'F':
    case 'e':
    case 'E':
    case 'g':
    case 'G':
    case 'a':
    case 'A':
        return print_float(p, c);
    case 's':
        return print_text(p, c);
    case 'c':
        WW_TRY(take(p, 4, &v));
        buf[0] = (char)v;
        pad(p->out, c, "", buf, 1, false);
        return WW_OK;
    case 'p':
        WW_TRY(take(p, 8, &v));
        pad(p->out, c, "", buf, (size_t)snprintf(buf, sizeof buf, "0x%" PRIx64, v), false);
        return WW_OK;
    case '%':
        ww_str_add_char(p->out, '%');
        return WW_OK;
    default: /* not a conversion: as written */
        ww_str_add_n(p->out, spec, n);
        return WW_OK;
    }
}

/* A number or, with "*", an int argument. */
static ww_status parse_number(printing *p, const char **s, int most, int *out)
{
    uint64_t v;
    if (**s == '*') {
        (*s)++;
        WW_TRY(take(p, 4, &v));
        *out = (int32_t)(uint32_t)v;
    } else {
        *out = 0;
        for (; **s >= '0' && **s <= '9'; (*s)++) {
            *out = *out < most ? *out * 10 + (**s - '0') : *out;
        }
    }
    *out = *out > most ? most : *out < -most ? -most : *out;
    return WW_OK;
}

static void parse_flags(const char **s, conversion *c)
{
    for (;; (*s)++) {
        switch (**s) {
        case '-':
            c->left = true;
            break;
        case '+':
            c->plus = true;
            break;
        case ' ':
            c->space = true;
            break;
        case '#':
            c->alternate = true;
            break;
        case '0':
            c->zero = true;
            break;
        default:
            return;
        }
    }
}

static void parse_length(const char **s, conversion *c)
{
    c->bytes = 4;
    for (;; (*s)++) {
        switch (**s) {
        case 'h':
            c->bytes = c->bytes == 2 ? 1 : 2;
            break;
        case 'l':
        case 'j':
        case 'z':
        case 't':
        case 'L':
            c->bytes = 8;
            break;
        default:
            return;
        }
    }
}

static ww_status parse_conversion(printing *p, const char **s, conversion *c)
{
    *c = (conversion){.precision = -1};
    parse_flags(s, c);
    WW_TRY(parse_number(p, s, MOST_WIDTH, &c->width));
    if (c->width < 0) {
        c->left = true;
        c->width = -c->width;
    }
    if (**s == '.') {
        (*s)++;
        WW_TRY(parse_number(p, s, MOST_PRECISION, &c->precision));
        c->precision = c->precision < 0 ? -1 : c->precision;
    }
    parse_length(s, c);
    c->kind = **s;
    *s += **s != '\0';
    return WW_OK;
}

static ww_status print_lane(printing *p, const char *format)
{
    for (const char *s = format; *s != '\0';) {
        const char *percent = strchr(s, '%');
        if (percent == NULL) {
            ww_str_add(p->out, s);
            break;
        }
        ww_str_add_n(p->out, s, (size_t)(percent - s));
        s = percent + 1;
        conversion c;
        WW_TRY(parse_conversion(p, &s, &c));
        WW_TRY(print_conversion(p, &c, percent, (size_t)(s - percent)));
    }
    return WW_OK;
}

/* vprintf(format, arguments): the number of arguments, -1 without a format. */
static ww_status print_lanes(ww_exec_ctx *x, const ww_uop *u, ww_str *text, uint32_t *result)
{
    uint32_t scratch[2][WW_PAIR_WORDS];
    const uint32_t *format = ww__src(x, &u->src[0], scratch[0]);
    const uint32_t *args = ww__src(x, &u->src[1], scratch[1]);
    for (uint32_t m = x->exec; m != 0; m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctz(m);
        uint64_t at = (uint64_t)format[lane + WW_LANES] << 32 | format[lane];
        printing p = {.x = x, .u = u, .lane = lane, .out = text};
        p.args = (uint64_t)args[lane + WW_LANES] << 32 | args[lane];
        result[lane] = UINT32_MAX;
        if (at != 0) {
            const char *f;
            size_t n;
            WW_TRY(ww__generic_text(x, u, lane, at, &f, &n));
            WW_TRY(print_lane(&p, f));
            result[lane] = p.count;
        }
    }
    return WW_OK;
}

ww_status ww__run_vprintf(ww_exec_ctx *x, const ww_uop *u)
{
    if (x->env->pending != NULL && x->env->pending->used > 0) {
        return ww__again(x); /* texts may be among what is pending */
    }
    ww_str text = {0};
    uint32_t result[WW_PAIR_WORDS] = {0};
    ww_output *output = x->env->launch->output;
    ww_status status = print_lanes(x, u, &text, result);
    if (status == WW_OK && text.failed) {
        status = ww_no_memory_for(x->err, "kernels' output");
    }
    if (output != NULL && text.len > 0 && !text.failed) { /* also what came before a failure */
        ww_status added = ww_output_add(output, x->warp->cta->linear, x->warp->index, text.data,
                                        text.len, status == WW_OK ? x->err : NULL);
        status = status == WW_OK ? added : status;
    }
    ww_str_fini(&text);
    ww__dst_write(x, u->dst, result, 1);
    return status;
}
