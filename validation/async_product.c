/* async_product.c - PTX of products of a warp group, of zeros in shared memory. */
#include <stdio.h>
#include <string.h>

#include "validation/async.h"

ww_status ww__async_product_of(const char *shape, ww__async_product *out, ww_error *err)
{
    unsigned n = 0, k = 0;
    size_t length = strcspn(shape, " ");
    if (sscanf(shape, "m64n%3uk%3u.", &n, &k) != 2 || n < 8 || n > 256 || n % 8 != 0 ||
        length >= sizeof out->types) {
        return ww_fail(err, WW_ESCHEMA, "%s: no product of a warp group", shape);
    }
    *out =
        (ww__async_product){.n = n, .k = k, .registers = strcmp(shape + length, " registers") == 0};
    memcpy(out->types, shape, length);
    return WW_OK;
}

/* Registers of a thread's sums, two f16 in one. */
static uint32_t sums(const ww__async_product *p)
{
    return strstr(p->types, ".f16.") == strchr(p->types, '.') ? p->n / 4 : p->n / 2;
}

/* Behind the predicate: signs of A and B where the types have them, and whether 16-bit operands are
 * transposed. */
static const char *immediates(const ww__async_product *p)
{
    bool integers = strstr(p->types, ".s32.") != NULL;
    bool halves = p->k == 16;
    return integers ? "" : !halves ? ", 1, 1" : p->registers ? ", 1, 1, 0" : ", 1, 1, 0, 0";
}

static void add_one(ww_str *s, const ww__async_product *p)
{
    bool integers = strstr(p->types, ".s32.") != NULL, packed = sums(p) != p->n / 2;
    ww_str_addf(s, "    wgmma.mma_async.sync.aligned.%s {", p->types);
    for (uint32_t i = 0; i < sums(p); i++) {
        ww_str_addf(s, "%s%%%s%u", i > 0 ? ", " : "", integers || packed ? "d" : "f", i);
    }
    ww_str_addf(s, "}, %s, %%q4, %%p0%s;\n", p->registers ? "{%r20, %r21, %r22, %r23}" : "%q4",
                immediates(p));
}

static void add_start(ww_str *s, const ww__async_product *p)
{
    ww_str_addf(
        s,
        ".version 8.4\n.target sm_90a\n.address_size 64\n"
        ".visible .entry product(.param .u64 out, .param .u64 in, .param .u32 bytes, "
        ".param .u32 repeats, .param .u32 advance)\n{\n"
        "    .shared .align 1024 .b8 s[40960];\n    .reg .pred %%p<4>;\n    .reg .b32 %%r<40>;\n"
        "    .reg .b32 %%d<128>;\n    .reg .b64 %%q<8>;\n    .reg .f32 %%f<128>;\n"
        "    ld.param.u64 %%q0, [out];\n    ld.param.u32 %%r1, [repeats];\n    mov.u32 %%r0, s;\n"
        "    st.shared.u32 [%%r0], 0;\n    mov.u32 %%r3, 0;\n    mov.u32 %%r12, 0;\n"
        "    mov.u32 %%r13, 0;\n    mov.u64 %%q4, 0x4000004000010000;\n"
        "    setp.eq.u32 %%p0, %%r3, 0;\n");
    for (uint32_t i = 0; i < sums(p); i++) {
        ww_str_addf(s, "    mov.f32 %%f%u, 0f00000000;\n    mov.u32 %%d%u, 0;\n", i, i);
    }
    for (uint32_t i = 20; i < 24; i++) {
        ww_str_addf(s, "    mov.u32 %%r%u, 0;\n", i);
    }
}

void ww__async_add_product(ww_str *s, const ww__async_product *p, uint32_t products, bool fenced,
                           bool waited)
{
    static const char done[] = "    wgmma.commit_group.sync.aligned;\n"
                               "    wgmma.wait_group.sync.aligned 0;\n";
    static const char clock[] = "    mov.u32 %r11, %clock;\n";
    add_start(s, p);
    ww_str_addf(s,
                "    wgmma.fence.sync.aligned;\nPASS:\n    bar.sync 0;\n"
                "    mov.u32 %%r10, %%clock;\n%s",
                fenced ? "    wgmma.fence.sync.aligned;\n" : "");
    for (uint32_t i = 0; i < products; i++) {
        add_one(s, p);
    }
    ww_str_addf(s, "%s%s", waited ? done : clock, waited ? clock : done);
    ww_str_addf(s, "    sub.u32 %%r14, %%r11, %%r10;\n    setp.eq.u32 %%p3, %%r3, 0;\n"
                   "    @%%p3 mov.u32 %%r13, %%r14;\n    @!%%p3 add.u32 %%r12, %%r12, %%r14;\n"
                   "    add.u32 %%r3, %%r3, 1;\n    setp.lt.u32 %%p1, %%r3, %%r1;\n"
                   "    @%%p1 bra PASS;\n    mov.u32 %%r15, %%tid.x;\n"
                   "    setp.eq.u32 %%p2, %%r15, 0;\n"
                   "    @%%p2 st.global.v2.u32 [%%q0], {%%r12, %%r13};\n    ret;\n}\n");
}
