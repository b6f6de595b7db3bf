/* wgmma.c - products of a warp group: random matrices of every type and width, A in registers and
 * in shared memory, every swizzle, transposes, signs, and D kept or not. */
#include <stdio.h>

#include "base/str.h"
#include "forms.h"
#include "isa/fragment.h"
#include "tests/support/warpgroup_reference.h"

enum { THREADS = 128, TILES = 65536, B_AT = 16384, WARPS = 4 };

static unsigned char tiles[TILES];
static uint32_t held[THREADS][4], sums[THREADS][128], out[THREADS][128];

static ww_type type_of(const char *form, unsigned place)
{
    const char *p = strstr(form, ".m64n");
    for (unsigned k = 0; k <= place && p != NULL; k++) {
        p = strchr(p + 1, '.');
    }
    size_t n = p != NULL ? strcspn(p + 1, ".") : 0;
    return p != NULL ? ww_type_find(p + 1, (unsigned)n) : WW_TYPE_COUNT;
}

static ww_warpgroup_shape shape_of(const char *form, unsigned variant)
{
    unsigned n = 0, k = 0;
    (void)sscanf(strstr(form, ".m64n"), ".m64n%uk%u", &n, &k);
    ww_warpgroup_shape s = {.type_d = type_of(form, 0),
                            .type_a = type_of(form, 1),
                            .type_b = type_of(form, 2),
                            .n = (uint16_t)n,
                            .saturates = form_has(form, "satfinite"),
                            .descriptor_a = (variant & 1) == 0};
    s.bytes = s.type_a == WW_T_B1 ? 4 : (uint8_t)ww_type_bytes(s.type_a);
    s.units = 32 / s.bytes;
    s.transposed_a = s.bytes == 2 && s.descriptor_a && (variant & 2) != 0;
    s.transposed_b = s.type_a != WW_T_B1 && s.bytes == 2 && (variant & 4) != 0;
    s.negated_a = ww_type_is_float(s.type_a) && (variant & 8) != 0;
    s.negated_b = ww_type_is_float(s.type_a) && (variant & 16) != 0;
    return s;
}

/* Packed tiles, as their layouts' tables say. */
static ww_matrix_descriptor layout(uint32_t start, unsigned span, unsigned lines, unsigned units,
                                   bool transposed)
{
    ww_matrix_descriptor d = {.start = start, .span = (uint8_t)span};
    if (transposed) {
        d.stride = span == 0 ? 128 : span * 8;
        d.leading = span == 0 ? lines / 8 * 128 : span * 8 * (units / 8);
    } else {
        d.stride = span == 0 ? 256 : span * 8;
        d.leading = 128;
    }
    return d;
}

static uint64_t descriptor_bits(const ww_matrix_descriptor *d)
{
    uint64_t mode = d->span == 128 ? 1 : d->span == 64 ? 2 : d->span == 32 ? 3 : 0;
    return d->start >> 4 | (uint64_t)(d->leading >> 4) << 16 | (uint64_t)(d->stride >> 4) << 32 |
           mode << 62;
}

static void put(const ww_matrix_descriptor *d, const ww_warpgroup_shape *s, bool transposed,
                unsigned first, unsigned lines, uint32_t (*elements)[32])
{
    for (unsigned line = 0; line < lines; line++) {
        for (unsigned k = 0; k < s->units; k++) {
            uint32_t at = ww_matrix_descriptor_address(d, first + line, k, s->bytes, transposed);
            assert_true(at + s->bytes <= TILES);
            memcpy(tiles + at, &elements[line][k], s->bytes);
        }
    }
}

/* Fills matrices, tiles and registers; out gets what D should become. */
static void fill(const ww_warpgroup_shape *s, bool keeps, const ww_matrix_descriptor *da,
                 const ww_matrix_descriptor *db, uint32_t seed)
{
    static reference_matrices m[WARPS];
    bool half = s->type_d == WW_T_F16;
    memset(held, 0, sizeof held);
    memset(sums, 0, sizeof sums);
    for (unsigned col = 0; col < s->n; col++) {
        for (unsigned k = 0; k < s->units; k++) {
            m[0].b[col][k] = reference_element(s->type_b, &seed);
        }
    }
    put(db, s, s->transposed_b, 0, s->n, m[0].b);
    for (unsigned w = 0; w < WARPS; w++) {
        memcpy(m[w].b, m[0].b, sizeof m[w].b);
        for (unsigned i = 0; i < 16u * s->units; i++) {
            m[w].a[i / s->units][i % s->units] = reference_element(s->type_a, &seed);
        }
        put(da, s, s->transposed_a, 16 * w, 16, m[w].a);
        for (unsigned lane = 0; lane < 32; lane++) {
            for (unsigned i = 0; i < 16u / s->bytes; i++) {
                unsigned row, k;
                ww_warpgroup_factor(lane, i, s->bytes, &row, &k);
                held[32 * w + lane][i * s->bytes / 4] |= m[w].a[row][k] << i * s->bytes % 4 * 8;
            }
            for (unsigned i = 0; i < s->n / 2u; i++) {
                unsigned row, col;
                uint32_t v = reference_element(half ? WW_T_F16 : WW_T_TF32, &seed);
                ww_warpgroup_sum(lane, i, &row, &col);
                m[w].sums[row][col] = keeps ? v : 0;
                sums[32 * w + lane][half ? i / 2 : i] |= half ? v << 16 * (i % 2) : v;
            }
        }
    }
    memset(out, 0, sizeof out);
    for (unsigned t = 0; t < THREADS; t++) {
        for (unsigned i = 0; i < s->n / 2u; i++) {
            unsigned row, col;
            ww_warpgroup_sum(t % 32, i, &row, &col);
            uint32_t v = reference_product(s, &m[t / 32], row, col);
            out[t][half ? i / 2 : i] |= half ? v << 16 * (i % 2) : v;
        }
    }
}

static void add_list(ww_str *text, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        ww_str_addf(text, "%s%%w%u", i > 0 ? ", " : "{", i);
    }
    ww_str_add(text, "}");
}

static void make_text(ww_str *text, const char *form, const ww_warpgroup_shape *s, bool keeps,
                      const ww_matrix_descriptor *da, const ww_matrix_descriptor *db)
{
    unsigned registers = ww__warpgroup_registers(s);
    bool real = ww_type_is_float(s->type_a);
    ww_str_addf(text, ".shared .align 1024 .b8 s[%d];\n", TILES);
    ww_str_add(text, FORM_BEGIN ".reg .b32 %w<128>;\n");
    /* tiles into shared memory, D and A into registers */
    ww_str_addf(text,
                "mul.wide.u32 %%q10, %%t, 16; add.u64 %%q11, %%q0, %%q10; mov.u32 %%r0, s; "
                "mad.lo.u32 %%r1, %%t, 16, %%r0; add.u32 %%r2, %%r0, %d;\n"
                "L: ld.global.v4.u32 {%%r4, %%r5, %%r6, %%r7}, [%%q11]; st.shared.v4.u32 [%%r1], "
                "{%%r4, %%r5, %%r6, %%r7}; add.u64 %%q11, %%q11, 2048; add.u32 %%r1, %%r1, 2048; "
                "setp.lt.u32 %%p1, %%r1, %%r2; @%%p1 bra L;\n"
                "add.u64 %%q11, %%q1, %%q10; ld.global.v4.u32 {%%r4, %%r5, %%r6, %%r7}, [%%q11];\n"
                "mul.wide.u32 %%q10, %%t, 512; add.u64 %%q12, %%q2, %%q10; add.u64 %%q13, %%q3, "
                "%%q10;\n",
                TILES);
    for (unsigned i = 0; i < registers; i++) {
        ww_str_addf(text, "ld.global.u32 %%w%u, [%%q12+%u];\n", i, 4 * i);
    }
    ww_str_addf(text,
                "fence.proxy.async; bar.sync 0; mov.u64 %%q20, %llu; mov.u64 %%q21, %llu; "
                "setp.%s.u32 %%p2, %%r0, %%r0; wgmma.fence.sync.aligned;\n%s ",
                (unsigned long long)descriptor_bits(da), (unsigned long long)descriptor_bits(db),
                keeps ? "eq" : "ne", form);
    add_list(text, registers);
    ww_str_addf(text, ", %s, %%q21, %%p2", s->descriptor_a ? "%q20" : "{%r4, %r5, %r6, %r7}");
    if (real) {
        ww_str_addf(text, ", %d, %d", s->negated_a ? -1 : 1, s->negated_b ? -1 : 1);
    }
    if (s->type_a == WW_T_F16 || s->type_a == WW_T_BF16) {
        if (s->descriptor_a) {
            ww_str_addf(text, ", %d", s->transposed_a);
        }
        ww_str_addf(text, ", %d", s->transposed_b);
    }
    ww_str_add(text, ";\nwgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;\n");
    for (unsigned i = 0; i < registers; i++) {
        ww_str_addf(text, "st.global.u32 [%%q13+%u], %%w%u;\n", 4 * i, i);
    }
    ww_str_add(text, FORM_END);
}

static void check_variant(const char *form, bool lowered, unsigned variant, form_log *log)
{
    static const uint8_t spans[] = {0, 32, 64, 128};
    static uint32_t got[THREADS][128];
    ww_warpgroup_shape s = shape_of(form, variant);
    bool keeps = variant % 3 != 2;
    unsigned span_b = spans[variant % 4], span_a = spans[(variant + s.n / 8) % 4];
    /* A transposed tile of B narrower than the swizzle has no whole rows. */
    span_b = s.transposed_b && s.n * 2u < span_b ? 0 : span_b;
    ww_matrix_descriptor da = layout(0, span_a, 64, s.units, s.transposed_a);
    ww_matrix_descriptor db = layout(B_AT, span_b, 256, s.units, s.transposed_b);
    fill(&s, keeps, &da, &db, variant * 977 + s.n);
    ww_str text = {0};
    make_text(&text, form, &s, keeps, &da, &db);
    form_launch l = {
        .text = ww_str_text(&text),
        .grid = 1,
        .block = THREADS,
        .buffer_count = 4,
        .buffer = {
            {tiles, sizeof tiles}, {held, sizeof held}, {sums, sizeof sums}, {got, sizeof got}}};
    memset(got, 0, sizeof got);
    if (form_run(&l, form, lowered, log)) {
        for (unsigned i = 0; i < THREADS * 128; i++) {
            if (got[i / 128][i % 128] != out[i / 128][i % 128]) {
                form_fail(log, form, "lowered %d, variant %u, thread %u, register %u: %x, not %x",
                          lowered, variant, i / 128, i % 128, got[i / 128][i % 128],
                          out[i / 128][i % 128]);
                break;
            }
        }
    }
    ww_str_fini(&text);
}

/* What orders products is in every kernel. */
static const char *const orders[] = {"wgmma.fence.sync.aligned", "wgmma.commit_group.sync.aligned",
                                     "wgmma.wait_group.sync.aligned"};

static bool claims(const char *form)
{
    return strncmp(form, "wgmma.", 6) == 0 && !form_has(form, "sp");
}

static void check(const char *form, bool lowered, form_log *log)
{
    for (size_t i = 0; i < WW_ARRAY_LEN(orders); i++) {
        if (strcmp(form, orders[i]) == 0) {
            check_variant("wgmma.mma_async.sync.aligned.m64n16k16.f32.f16.f16", lowered, 0, log);
            return;
        }
    }
    if (strstr(form, ".m64n") == NULL) {
        form_fail(log, form, "no kernel");
        return;
    }
    unsigned n = 0;
    (void)sscanf(strstr(form, ".m64n"), ".m64n%u", &n);
    if (lowered || n % 64 == 0) {
        check_variant(form, lowered, n / 8 + 7 * lowered, log);
    }
}

const form_family form_wgmma = {"products of warp groups", claims, check};
