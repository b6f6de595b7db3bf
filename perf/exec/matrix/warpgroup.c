/* warpgroup.c - the matrices of wgmma between shared memory or registers and rows of elements. */
#include "perf/exec/matrix/warpgroup.h"

#include "perf/exec/lanes/half.h"
#include "perf/exec/lanes/rows.h"

enum { CHUNK = 16 }; /* bytes that every layout and swizzle keeps together */

static uint32_t element(const unsigned char *at, unsigned bytes)
{
    uint32_t v = 0;
    memcpy(&v, at, bytes); /* the host is little-endian */
    return v;
}

bool ww__warpgroup_gather(const ww_matrix_descriptor *d, const ww_warpgroup_shape *s, bool is_a,
                          unsigned first_line, unsigned lines, const unsigned char *shared,
                          uint32_t shared_bytes, uint32_t *out, uint32_t *address)
{
    bool transposed = is_a ? s->transposed_a : s->transposed_b;
    unsigned bytes = s->bytes;
    unsigned per = CHUNK / bytes; /* elements, neighbours along k, or along the lines */
    unsigned line_step = is_a ? s->units : 1;
    unsigned unit_step = is_a ? 1 : WW_ROWS_LINE;
    unsigned step = transposed ? line_step : unit_step;
    for (unsigned line = 0; line < lines; line += transposed ? per : 1) {
        for (unsigned unit = 0; unit < s->units; unit += transposed ? 1 : per) {
            uint32_t at =
                ww_matrix_descriptor_address(d, first_line + line, unit, bytes, transposed);
            if (at > shared_bytes || CHUNK > shared_bytes - at) {
                *address = at;
                return false;
            }
            uint32_t *to = out + line * line_step + unit * unit_step;
            for (unsigned e = 0; e < per; e++) {
                to[e * step] = element(shared + at + e * bytes, bytes);
            }
        }
    }
    return true;
}

void ww__warpgroup_factors(const ww_warpgroup_shape *s, const uint32_t *const plane[4],
                           uint32_t *out)
{
    unsigned per = 4u / s->bytes;
    uint32_t mask = s->bytes == 4 ? UINT32_MAX : (1u << 8 * s->bytes) - 1;
    for (unsigned i = 0; i < 4 * per; i++) {
        for (unsigned lane = 0; lane < WW_LANES; lane++) {
            unsigned row, k;
            ww_warpgroup_factor(lane, i, s->bytes, &row, &k);
            out[row * s->units + k] = plane[i / per][lane] >> i % per * 8 * s->bytes & mask;
        }
    }
}

unsigned ww__warpgroup_registers(const ww_warpgroup_shape *s)
{
    return s->type_d == WW_T_F16 ? s->n / 4u : s->n / 2u;
}

void ww__warpgroup_read_sums(const ww_warpgroup_shape *s, const uint32_t *const *plane,
                             uint32_t *sums)
{
    bool half = s->type_d == WW_T_F16;
    for (unsigned i = 0; i < s->n / 2u; i++) {
        const uint32_t *from = plane[half ? i / 2 : i];
        for (unsigned lane = 0; lane < WW_LANES; lane++) {
            unsigned row, column;
            ww_warpgroup_sum(lane, i, &row, &column);
            uint32_t bits = from[lane];
            uint16_t narrow = (uint16_t)(bits >> 16 * (i % 2));
            sums[row * WW_ROWS_LINE + column] =
                half ? ww__half_bits32(ww__f16_to_f32(narrow)) : bits;
        }
    }
}

void ww__warpgroup_write_sums(const ww_warpgroup_shape *s, const uint32_t *sums, unsigned reg,
                              uint32_t plane[WW_LANES])
{
    bool half = s->type_d == WW_T_F16;
    unsigned row, column;
    for (unsigned lane = 0; lane < WW_LANES; lane++) {
        ww_warpgroup_sum(lane, half ? 2 * reg : reg, &row, &column);
        const uint32_t *from = sums + row * WW_ROWS_LINE + column;
        plane[lane] = half ? ww__f16_from_f32(ww__half_f32(from[0])) |
                                 (uint32_t)ww__f16_from_f32(ww__half_f32(from[1])) << 16
                           : from[0];
    }
}
