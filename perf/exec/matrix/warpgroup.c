/* warpgroup.c - the matrices of wgmma in shared memory or registers, as bytes of its factors. */
#include "perf/exec/matrix/warpgroup.h"

enum {
    CHUNK = 16, /* bytes that every layout and swizzle keeps together */
    CORE = 8,   /* lines, or places along the depth, that lie a fixed pitch apart */
};

/* Copies the chunks of a core, `pitch` apart in shared memory before the swizzle. */
static bool copy_core(const ww_matrix_descriptor *d, uint32_t from, unsigned pitch,
                      const unsigned char *shared, uint32_t shared_bytes, unsigned char *to,
                      unsigned step, uint32_t *address)
{
    for (unsigned i = 0; i < CORE; i++) {
        uint32_t at = ww_matrix_descriptor_swizzle(d, from + i * pitch);
        if (at > shared_bytes || CHUNK > shared_bytes - at) {
            *address = at;
            return false;
        }
        memcpy(to + (size_t)i * step, shared + at, CHUNK);
    }
    return true;
}

bool ww__warpgroup_gather(const ww_matrix_descriptor *d, const ww_warpgroup_shape *s, bool is_a,
                          unsigned first_line, unsigned lines, const unsigned char *shared,
                          uint32_t shared_bytes, unsigned char *out, uint32_t *address)
{
    const bool across = is_a ? s->transposed_a : s->transposed_b;
    const unsigned pitch = d->span == 0 ? CHUNK : d->span;
    const unsigned per = CHUNK / s->bytes; /* elements of a chunk */
    if (across) {
        for (unsigned unit = 0; unit < s->units; unit += CORE) {
            for (unsigned line = 0; line < lines; line += per) {
                uint32_t from =
                    ww_matrix_descriptor_place(d, first_line + line, unit, s->bytes, true);
                if (!copy_core(d, from, pitch, shared, shared_bytes,
                               out + (size_t)s->bytes * (unit * lines + line), s->bytes * lines,
                               address)) {
                    return false;
                }
            }
        }
        return true;
    }
    for (unsigned line = 0; line < lines; line += CORE) {
        for (unsigned unit = 0; unit < s->units; unit += per) {
            uint32_t from = ww_matrix_descriptor_place(d, first_line + line, unit, s->bytes, false);
            if (!copy_core(d, from, pitch, shared, shared_bytes,
                           out + (size_t)WW_FACTOR_BYTES * line + (size_t)s->bytes * unit,
                           WW_FACTOR_BYTES, address)) {
                return false;
            }
        }
    }
    return true;
}

void ww__warpgroup_rows(const uint32_t *const plane[4], unsigned char *out)
{
    for (unsigned i = 0; i < 4; i++) {
        for (unsigned lane = 0; lane < WW_LANES; lane += 4) { /* four lanes hold a chunk of a row */
            unsigned row, k;
            ww_warpgroup_factor(lane, i, 4, &row, &k);
            memcpy(out + (size_t)WW_FACTOR_BYTES * row + (size_t)4 * k, plane[i] + lane, CHUNK);
        }
    }
}

uint32_t ww__warpgroup_element(const unsigned char *bytes, const ww_warpgroup_shape *s, bool across,
                               unsigned lines, unsigned line, unsigned unit)
{
    uint32_t v = 0;
    const unsigned char *at = across ? bytes + (size_t)s->bytes * (unit * lines + line)
                                     : bytes + (size_t)WW_FACTOR_BYTES * line + s->bytes * unit;
    memcpy(&v, at, s->bytes); /* the host is little-endian */
    return v;
}

unsigned ww__warpgroup_registers(const ww_warpgroup_shape *s)
{
    return s->type_d == WW_T_F16 ? s->n / 4u : s->n / 2u;
}

ww_warpgroup_job ww__warpgroup_job(const ww_warpgroup_shape *s, const unsigned char *a,
                                   const unsigned char *b, uint32_t *const *d, bool begins)
{
    return (ww_warpgroup_job){
        .a = {.bytes = a,
              .type = s->type_a,
              .across = s->descriptor_a && s->transposed_a,
              .negate = s->negated_a},
        .b = {.bytes = b, .type = s->type_b, .across = s->transposed_b, .negate = s->negated_b},
        .columns = s->n,
        .half_d = s->type_d == WW_T_F16,
        .begins = begins,
        .saturates = s->saturates,
        .d = d};
}
