/* product_kernel.c - the kernel of a product as PTX: a CTA's panels go to shared memory, every
 * thread sums 8 x 8 elements in registers, or every warp 64 x 32 of them by matrix units. */
#include "validation/products.h"

enum { TILE = WW__PRODUCT_TILE, DEPTH = WW__PRODUCT_DEPTH, SIDE = 8, ROWS = 4, COLUMNS = 4 };

bool ww__product_packs(ww__product_format format)
{
    return format == WW__PRODUCT_HALF || format == WW__PRODUCT_TENSOR;
}

uint32_t ww__product_sums(ww__product_format format)
{
    return ww__product_packs(format) ? SIDE * SIDE / 2 : SIDE * SIDE;
}

ww__product_place ww__product_place_of(ww__product_format format, uint32_t thread, uint32_t sum,
                                       uint32_t half)
{
    const uint32_t warp = thread / 32, lane = thread % 32;
    if (format == WW__PRODUCT_TENSOR) {
        uint32_t product = sum / 2;
        return (ww__product_place){
            .row = warp / 4 * 64 + product / COLUMNS * 16 + sum % 2 * 8 + lane / 4,
            .column = warp % 4 * 32 + product % COLUMNS * 8 + lane % 4 * 2 + half};
    }
    const uint32_t per = ww__product_packs(format) ? 2 : 1;
    return (ww__product_place){.row = warp / 2 * 32 + lane / 8 * SIDE + sum / (SIDE / per),
                               .column = warp % 2 * 64 + lane % 8 * SIDE +
                                         sum % (SIDE / per) * per + half};
}

size_t ww__product_offset(ww__product_format format, uint32_t row, uint32_t step)
{
    size_t panel = (size_t)(step / DEPTH) * TILE * DEPTH;
    return panel + (format == WW__PRODUCT_TENSOR ? (size_t)row * DEPTH + step % DEPTH
                                                 : (size_t)(step % DEPTH) * TILE + row);
}

/* Vectors of 16 bytes that 256 threads bring, one after the other. */
static void put_copies(ww_str *out, ww__product_format format)
{
    const uint32_t bytes = TILE * DEPTH * ww__product_bytes(format);
    const uint32_t pass = 16 * WW__PRODUCT_THREADS;
    for (uint32_t at = 0; at < bytes; at += pass) {
        ww_str_addf(out,
                    " setp.lt.u32 %%p, %%at, %u;\n"
                    " @%%p ld.global.v4.b32 {%%v0, %%v1, %%v2, %%v3}, [%%pa + %u];\n"
                    " @%%p st.shared.v4.b32 [%%sa + %u], {%%v0, %%v1, %%v2, %%v3};\n"
                    " @%%p ld.global.v4.b32 {%%v0, %%v1, %%v2, %%v3}, [%%pb + %u];\n"
                    " @%%p st.shared.v4.b32 [%%sb + %u], {%%v0, %%v1, %%v2, %%v3};\n",
                    bytes - at, at, at, at, at);
    }
}

static void put_sums(ww_str *out, ww__product_format format, bool load)
{
    for (uint32_t i = 0; i < ww__product_sums(format); i++) {
        uint32_t at = 4 * WW__PRODUCT_THREADS * i;
        if (load) {
            ww_str_addf(out, " ld.global.b32 %%c%u, [%%pc + %u];\n", i, at);
        } else {
            ww_str_addf(out, " st.global.b32 [%%pc + %u], %%c%u;\n", at, i);
        }
    }
}

static void put_head(ww_str *out, ww__product_format format)
{
    const uint32_t panel = TILE * DEPTH * ww__product_bytes(format);
    ww_str_addf(out,
                ".version 7.0\n.target %s\n.address_size 64\n"
                ".visible .entry product(.param .u64 a, .param .u64 b, .param .u64 c, "
                ".param .u32 panels)\n{\n"
                " .reg .pred %%p;\n .reg .b64 %%pa, %%pb, %%pc, %%q;\n"
                " .reg .b32 %%me, %%cta, %%left, %%at, %%sa, %%sb, %%la, %%lb, %%k, %%t, %%u;\n"
                " .reg .b32 %%v<8>, %%a<16>, %%b<8>, %%w<8>, %%c<64>;\n .reg .b16 %%h<16>;\n"
                " .shared .align 16 .b8 panel_a[%u];\n .shared .align 16 .b8 panel_b[%u];\n"
                " ld.param.u64 %%pa, [a];\n ld.param.u64 %%pb, [b];\n ld.param.u64 %%pc, [c];\n"
                " ld.param.u32 %%left, [panels];\n"
                " mov.u32 %%me, %%tid.x;\n mov.u32 %%cta, %%ctaid.x;\n"
                " shl.b32 %%at, %%me, 4;\n"
                " mad.lo.u32 %%t, %%cta, %u, %%at;\n cvt.u64.u32 %%q, %%t;\n"
                " add.u64 %%pa, %%pa, %%q;\n add.u64 %%pb, %%pb, %%q;\n"
                " shl.b32 %%u, %%me, 2;\n mad.lo.u32 %%t, %%cta, %u, %%u;\n"
                " cvt.u64.u32 %%q, %%t;\n add.u64 %%pc, %%pc, %%q;\n"
                " mov.u32 %%la, panel_a;\n mov.u32 %%lb, panel_b;\n"
                " add.u32 %%sa, %%la, %%at;\n add.u32 %%sb, %%lb, %%at;\n",
                format == WW__PRODUCT_TENSOR ? "sm_80" : "sm_53", panel, panel,
                WW__PRODUCT_PANELS * panel, 4 * WW__PRODUCT_THREADS * ww__product_sums(format));
}

/* Where a lane begins in a row of a panel: its warp's part, and its own eight elements; of
 * fragments, its warp's rows, and its own pair of elements. */
static void put_lane(ww_str *out, ww__product_format format)
{
    const uint32_t bytes = ww__product_bytes(format);
    if (format == WW__PRODUCT_TENSOR) {
        ww_str_addf(out,
                    " shr.u32 %%t, %%me, 7;\n shl.b32 %%t, %%t, 6;\n"
                    " shr.u32 %%u, %%me, 2;\n and.b32 %%u, %%u, 7;\n add.u32 %%t, %%t, %%u;\n"
                    " mad.lo.u32 %%la, %%t, %d, %%la;\n"
                    " shr.u32 %%t, %%me, 5;\n and.b32 %%t, %%t, 3;\n shl.b32 %%t, %%t, 5;\n"
                    " add.u32 %%t, %%t, %%u;\n mad.lo.u32 %%lb, %%t, %d, %%lb;\n"
                    " and.b32 %%u, %%me, 3;\n shl.b32 %%u, %%u, 2;\n"
                    " add.u32 %%la, %%la, %%u;\n add.u32 %%lb, %%lb, %%u;\n",
                    2 * DEPTH, 2 * DEPTH);
        return;
    }
    ww_str_addf(out,
                " shr.u32 %%t, %%me, 6;\n shl.b32 %%t, %%t, 5;\n"
                " shr.u32 %%u, %%me, 3;\n and.b32 %%u, %%u, 3;\n shl.b32 %%u, %%u, 3;\n"
                " add.u32 %%t, %%t, %%u;\n mad.lo.u32 %%la, %%t, %u, %%la;\n"
                " shr.u32 %%t, %%me, 5;\n and.b32 %%t, %%t, 1;\n shl.b32 %%t, %%t, 6;\n"
                " and.b32 %%u, %%me, 7;\n shl.b32 %%u, %%u, 3;\n"
                " add.u32 %%t, %%t, %%u;\n mad.lo.u32 %%lb, %%t, %u, %%lb;\n",
                bytes, bytes);
}

/* The eight elements of a side of a step; of halves, A's one by one in both halves of a word. */
static void put_side(ww_str *out, ww__product_format format, char side, uint32_t step)
{
    const uint32_t at = step * TILE * ww__product_bytes(format);
    const char pairs = side == 'a' ? 'w' : 'b';
    switch (format) {
    case WW__PRODUCT_SINGLE:
        for (uint32_t i = 0; i < 2; i++) {
            ww_str_addf(out, " ld.shared.v4.b32 {%%%c%u, %%%c%u, %%%c%u, %%%c%u}, [%%l%c + %u];\n",
                        side, 4 * i, side, 4 * i + 1, side, 4 * i + 2, side, 4 * i + 3, side,
                        at + 16 * i);
        }
        break;
    case WW__PRODUCT_BYTE:
        ww_str_addf(out, " ld.shared.v2.b32 {%%w0, %%w1}, [%%l%c + %u];\n", side, at);
        for (uint32_t i = 0; i < SIDE; i++) {
            ww_str_addf(out, " bfe.s32 %%%c%u, %%w%u, %u, 8;\n", side, i, i / 4, i % 4 * 8);
        }
        break;
    default:
        ww_str_addf(out, " ld.shared.v4.b32 {%%%c0, %%%c1, %%%c2, %%%c3}, [%%l%c + %u];\n", pairs,
                    pairs, pairs, pairs, side, at);
        for (uint32_t i = 0; i < SIDE / 2 && side == 'a'; i++) {
            ww_str_addf(out,
                        " mov.b32 {%%h%u, %%h%u}, %%w%u;\n mov.b32 %%a%u, {%%h%u, %%h%u};\n"
                        " mov.b32 %%a%u, {%%h%u, %%h%u};\n",
                        2 * i, 2 * i + 1, i, 2 * i, 2 * i, 2 * i, 2 * i + 1, 2 * i + 1, 2 * i + 1);
        }
        break;
    }
}

/* CUTLASS walks back along every second row (gemm/thread/mma_sm50.h), but not for packed halves
 * (mma_sm60.h). */
static void put_lanes(ww_str *out, ww__product_format format)
{
    const bool turns = !ww__product_packs(format);
    static const char *const operation[WW__PRODUCT_FORMAT_COUNT] = {
        [WW__PRODUCT_HALF] = "fma.rn.f16x2",
        [WW__PRODUCT_SINGLE] = "fma.rn.f32",
        [WW__PRODUCT_BYTE] = "mad.lo.s32",
    };
    const uint32_t across = ww__product_packs(format) ? SIDE / 2 : SIDE;
    for (uint32_t step = 0; step < DEPTH; step++) {
        put_side(out, format, 'a', step);
        put_side(out, format, 'b', step);
        for (uint32_t i = 0; i < SIDE; i++) {
            for (uint32_t k = 0; k < across; k++) {
                uint32_t j = turns && i % 2 == 1 ? across - 1 - k : k, sum = i * across + j;
                ww_str_addf(out, " %s %%c%u, %%a%u, %%b%u, %%c%u;\n", operation[format], sum, i, j,
                            sum);
            }
        }
    }
}

/* Panels are rows of 16 elements along the sum: fragments are pairs of them. A stays while B walks
 * to and fro, as in CUTLASS (gemm/warp/mma_tensor_op.h, from sm_80 on). */
static void put_matrix(ww_str *out)
{
    for (uint32_t i = 0; i < 4 * ROWS; i++) { /* of a row of fragments: rows 0, 8; then along */
        ww_str_addf(out, " ld.shared.b32 %%a%u, [%%la + %u];\n", i,
                    i / 4 * 16 * 2 * DEPTH + i % 2 * 8 * 2 * DEPTH + i % 4 / 2 * 16);
    }
    for (uint32_t i = 0; i < 2 * COLUMNS; i++) {
        ww_str_addf(out, " ld.shared.b32 %%b%u, [%%lb + %u];\n", i,
                    i / 2 * 8 * 2 * DEPTH + i % 2 * 16);
    }
    for (uint32_t i = 0; i < ROWS * COLUMNS; i++) {
        uint32_t row = i / COLUMNS, along = i % COLUMNS;
        uint32_t column = row % 2 == 1 ? COLUMNS - 1 - along : along;
        uint32_t a = row * 4, b = column * 2, c = 2 * (row * COLUMNS + column);
        ww_str_addf(out,
                    " mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%%c%u, %%c%u}, "
                    "{%%a%u, %%a%u, %%a%u, %%a%u}, {%%b%u, %%b%u}, {%%c%u, %%c%u};\n",
                    c, c + 1, a, a + 1, a + 2, a + 3, b, b + 1, c, c + 1);
    }
}

void ww__product_kernel(ww__product_format format, ww_str *out)
{
    const uint32_t panel = TILE * DEPTH * ww__product_bytes(format);
    put_head(out, format);
    put_sums(out, format, true);
    put_lane(out, format);
    ww_str_add(out, "NEXT:\n");
    put_copies(out, format);
    ww_str_add(out, " bar.sync 0;\n");
    if (format == WW__PRODUCT_TENSOR) {
        put_matrix(out);
    } else {
        put_lanes(out, format);
    }
    ww_str_addf(out,
                " bar.sync 0;\n add.u64 %%pa, %%pa, %u;\n add.u64 %%pb, %%pb, %u;\n"
                " sub.u32 %%left, %%left, 1;\n setp.ne.u32 %%p, %%left, 0;\n @%%p bra NEXT;\n",
                panel, panel);
    put_sums(out, format, false);
    ww_str_add(out, " ret;\n}\n");
}
