/* test_values.c - are bits that switch between successive values counted as worked out by hand:
 * none where values stay, all where they alternate, half of random ones? */
#include "tests/support/test.h"

#include <string.h>

#include "arch/arch.h"
#include "counters/counters.h"
#include "perf/api/device.h"

#define HEAD                                                                                       \
    ".version 7.0\n.target sm_75\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n"         \
    " .reg .pred %p;\n .reg .b32 %r<12>;\n .reg .f32 %f<8>;\n .reg .b64 %rd<6>;\n"                 \
    " .shared .align 4 .b8 s[128];\n"
#define TAIL        " ret;\n}\n"
#define FOUR(text)  text text text text
#define EIGHT(text) FOUR(text) FOUR(text)

enum { LANES = 32, WORD = 32, PLANE = LANES * WORD };

typedef struct bench {
    ww_arch *arch;
    ww_device *device;
    ww_module *module;
    ww_devptr memory;
    uint64_t total[WW_COUNTER_COUNT];
} bench;

static ww_status add_up(void *user, const ww_launch_record *r, ww_error *err)
{
    bench *b = user;
    (void)err;
    for (int c = 0; c < WW_COUNTER_COUNT; c++) {
        b->total[c] += ww_counter_total(r->counters, (ww_counter)c);
    }
    return WW_OK;
}

/* Runs a kernel of so many threads, as it is written, on words that next() gives. */
static void run_on(const char *card, uint32_t threads, bench *b, const char *text, bool toggles,
                   uint32_t (*next)(uint32_t *state))
{
    enum { WORDS = 1 << 16 };
    ww_error err = {0};
    const ww_device_options options = {
        .isa = WW_ISA_PTX, .toggles = toggles, .on_launch = add_up, .user = b};
    static uint32_t words[WORDS];
    uint32_t state = 12345;
    *b = (bench){0};
    for (size_t i = 0; i < WORDS; i++) {
        words[i] = next != NULL ? next(&state) : 0;
    }
    assert_ok(ww_arch_load(card, NULL, 0, &b->arch, &err), err);
    assert_ok(ww_device_create(b->arch, &options, &b->device, &err), err);
    assert_ok(ww_device_load_ptx(b->device, "k.ptx", text, strlen(text), &b->module, &err), err);
    assert_ok(ww_device_malloc(b->device, sizeof words, &b->memory, &err), err);
    assert_ok(ww_device_write(b->device, b->memory, words, sizeof words, &err), err);
    const void *args[] = {&b->memory};
    assert_ok(ww_device_launch(b->device, b->module, "k", (ww_dim3){1, 1, 1},
                               (ww_dim3){threads, 1, 1}, 0, args, 1, &err),
              err);
}

static void run(bench *b, const char *text, bool toggles, uint32_t (*next)(uint32_t *state))
{
    run_on(WW_SOURCE_DIR "/configs/gpu/gtx480.xml", LANES, b, text, toggles, next);
}

static void done(bench *b)
{
    ww_device_destroy(b->device);
    ww_arch_destroy(b->arch);
}

static void expect(const bench *b, ww_counter counter, uint64_t switched, uint64_t compared)
{
    assert_int_equal(b->total[counter], switched);
    assert_int_equal(b->total[counter + 1], compared);
}

/* Eight inversions of 0: the operand is 0, ones, 0, …, the result ones, 0, …; a latch holds 0 at
 * first. What is moved to begin with switches nothing. */
static void alternating_words_switch_every_bit(void **state)
{
    (void)state;
    bench b;
    run(&b, HEAD " mov.u32 %r1, 0;\n" EIGHT(" not.b32 %r1, %r1;\n") TAIL, true, NULL);
    expect(&b, WW_C_SWITCHED_OP_INT_LOGIC, (7 + 8) * PLANE, 2 * 8 * PLANE);
    expect(&b, WW_C_SWITCHED_RF_READ, 7 * PLANE, 8 * PLANE);
    expect(&b, WW_C_SWITCHED_RF_WRITE, 8 * PLANE, 9 * PLANE);
    expect(&b, WW_C_SWITCHED_OP_MOVE, 0, 2 * PLANE);
    done(&b);
}

static void zeros_switch_nothing(void **state)
{
    (void)state;
    bench b;
    run(&b, HEAD " mov.u32 %r1, 0;\n" EIGHT(" and.b32 %r2, %r1, %r1;\n") TAIL, true, NULL);
    expect(&b, WW_C_SWITCHED_OP_INT_LOGIC, 0, 3 * 8 * PLANE);
    expect(&b, WW_C_SWITCHED_RF_READ, 0, 8 * PLANE);
    expect(&b, WW_C_SWITCHED_RF_WRITE, 0, 9 * PLANE);
    done(&b);
}

/* Lanes that do not execute keep what they hold: half a warp, half the bits. */
static void lanes_that_are_off_switch_nothing(void **state)
{
    (void)state;
    bench b;
    run(&b,
        HEAD " mov.u32 %r3, %laneid;\n setp.lt.u32 %p, %r3, 16;\n mov.u32 %r1, 0;\n" EIGHT(
            " @%p not.b32 %r1, %r1;\n") TAIL,
        true, NULL);
    expect(&b, WW_C_SWITCHED_OP_INT_LOGIC, (7 + 8) * PLANE / 2, 2 * 8 * PLANE / 2);
    done(&b);
}

static void nothing_is_counted_unless_asked_for(void **state)
{
    (void)state;
    bench b;
    run(&b, HEAD " mov.u32 %r1, 0;\n" EIGHT(" not.b32 %r1, %r1;\n") TAIL, false, NULL);
    expect(&b, WW_C_SWITCHED_OP_INT_LOGIC, 0, 0);
    expect(&b, WW_C_SWITCHED_RF_READ, 0, 0);
    done(&b);
}

/* Xorshift (Marsaglia, Journal of Statistical Software 8(14), 2003). */
static uint32_t random_word(uint32_t *x)
{
    *x ^= *x << 13;
    *x ^= *x >> 17;
    *x ^= *x << 5;
    return *x;
}

static double activity(const bench *b, ww_counter counter)
{
    assert_true(b->total[counter + 1] > 0);
    return (double)b->total[counter] / (double)b->total[counter + 1];
}

/* Loads 64 words a lane, and does something with each. */
#define LOOP(body)                                                                                 \
    HEAD " ld.param.u64 %rd1, [p];\n mov.u32 %r1, %tid.x;\n mul.wide.u32 %rd2, %r1, 4;\n"          \
         " add.u64 %rd1, %rd1, %rd2;\n mov.u32 %r2, 0;\n mov.f32 %f2, 0f3f800000;\n"               \
         " mov.f32 %f3, 0f00000000;\n mov.u32 %r5, s;\n mad.lo.u32 %r5, %r1, 4, %r5;\n"            \
         "L:\n ld.global.u32 %r3, [%rd1];\n ld.global.u32 %r4, [%rd1+128];\n mov.b32 %f1, %r3;\n"  \
         " mov.b32 %f4, %r4;\n" body                                                               \
         " add.u64 %rd1, %rd1, 256;\n add.u32 %r2, %r2, 1;\n setp.lt.u32 %p, %r2, 256;\n"          \
         " @%p bra L;\n" TAIL

/* What is assumed where nothing is counted: half of the bits, and of the partial products. */
static void random_words_switch_half(void **state)
{
    (void)state;
    bench b;
    run(&b, LOOP(" xor.b32 %r6, %r3, %r4;\n mul.f32 %f5, %f1, %f4;\n st.shared.u32 [%r5], %r3;\n"),
        true, random_word);
    assert_near(activity(&b, WW_C_SWITCHED_OP_INT_LOGIC), 0.5, 0.005, 0);
    assert_near(activity(&b, WW_C_SWITCHED_OP_FP32_MUL), 0.5, 0.005, 0);
    assert_near(activity(&b, WW_C_SWITCHED_SHARED_WRITE), 0.5, 0.005, 0);
    done(&b);
}

/* Everywhere between SM and DRAM: zeros switch nothing, random words half of the bits; the zeros
 * that GDDR5 sends behind its bus inversion are 837 of 256 bytes. */
static void memory_switches_what_its_data_does(void **state)
{
    (void)state;
    static const ww_counter places[] = {WW_C_SWITCHED_ICNT_REP,   WW_C_SWITCHED_L2_WRITE,
                                        WW_C_SWITCHED_L1D_READ,   WW_C_SWITCHED_L1D_WRITE,
                                        WW_C_SWITCHED_DRAM_BURST, WW_C_SWITCHED_DRAM_WIRES,
                                        WW_C_SWITCHED_DRAM_PAIRS};
    bench zeros, random;
    run(&zeros, LOOP(""), true, NULL);
    run(&random, LOOP(""), true, random_word);
    for (size_t i = 0; i < WW_ARRAY_LEN(places); i++) {
        assert_int_equal(zeros.total[places[i]], 0);
        assert_int_equal(zeros.total[places[i] + 1], random.total[places[i] + 1]);
        assert_near(activity(&random, places[i]), 0.5, 0.01, 0);
    }
    assert_near(activity(&zeros, WW_C_SWITCHED_DRAM_ZEROS), 1.0 / 8, 1e-12, 0);
    assert_near(activity(&random, WW_C_SWITCHED_DRAM_ZEROS), 837.0 / 256 / 8, 0.002, 0);
    done(&zeros);
    done(&random);
}

/* A factor of 1.0 has one 1 in the 24 bits of its significand and stays: of the other factor's, 23
 * switch half of the time. 0 stops every partial product. What stands around the multiplication
 * follows operands and result, of which the constant is one in three and the product half. */
static void a_constant_factor_lets_through_its_ones(void **state)
{
    (void)state;
    bench b;
    run(&b, LOOP(" mul.f32 %f5, %f1, %f2;\n"), true, random_word);
    assert_near(activity(&b, WW_C_SWITCHED_OP_FP32_MUL), 11.5 / (24 * 24), 0.02, 0);
    assert_near(activity(&b, WW_C_SWITCHED_LATCH_FP32_MUL), (0.5 + 0 + 0.5) / 3, 0.02, 0);
    done(&b);
    run(&b, LOOP(" mul.f32 %f5, %f1, %f3;\n"), true, random_word);
    assert_int_equal(b.total[WW_C_SWITCHED_OP_FP32_MUL], 0);
    assert_true(activity(&b, WW_C_SWITCHED_LATCH_FP32_MUL) >
                0.5 / 3); /* the other factor, and a sign */
    done(&b);
}

/* The second of two words in the same place is its complement: every store switches all bits of
 * the bank, of its line and of the lanes' lines, but for the first of each. */
static void complements_switch_all_bits_of_shared_memory(void **state)
{
    (void)state;
    bench b;
    run(&b,
        HEAD " mov.u32 %r1, %laneid;\n mov.u32 %r5, s;\n mad.lo.u32 %r5, %r1, 4, %r5;\n"
             " mov.u32 %r2, 0xffffffff;\n mov.u32 %r3, 0;\n" FOUR(
                 " st.shared.u32 [%r5], %r2;\n st.shared.u32 [%r5], %r3;\n") TAIL,
        true, NULL);
    expect(&b, WW_C_SWITCHED_SHARED_WRITE, 8 * PLANE, 8 * PLANE);
    expect(&b, WW_C_SWITCHED_CROSSBAR_WORD, 8 * PLANE, 8 * PLANE);
    expect(&b, WW_C_SWITCHED_CROSSBAR_LANE, 8 * PLANE, 8 * PLANE);
    done(&b);
}

/* ---- matrix units ---- */

#define PRODUCT_HEAD                                                                               \
    ".version 7.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n"         \
    " .reg .pred %p;\n .reg .b32 %a<4>, %b<2>, %r<4>;\n .reg .f32 %c<4>;\n .reg .b64 %rd<4>;\n"    \
    " mov.f32 %c0, 0f00000000;\n mov.f32 %c1, %c0;\n mov.f32 %c2, %c0;\n mov.f32 %c3, %c0;\n"
#define FACTORS(word)                                                                              \
    " mov.b32 %a0, " word ";\n mov.b32 %a1, %a0;\n mov.b32 %a2, %a0;\n mov.b32 %a3, %a0;\n"        \
    " mov.b32 %b0, " word ";\n mov.b32 %b1, %b0;\n"
#define PRODUCT                                                                                    \
    " mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%c0,%c1,%c2,%c3},"                        \
    " {%a0,%a1,%a2,%a3}, {%b0,%b1}, {%c0,%c1,%c2,%c3};\n"

/* Of 20 bits a multiplication, 11 are its factors', 8 those of a sum of products, 1 the sum's. */
enum { MACS = 16 * 8 * 16, ALL = 20 * MACS, FACTORS_OF = 11 * MACS, TREE = 8 * MACS };

static void run_products(bench *b, const char *text, uint32_t (*next)(uint32_t *state))
{
    run_on(WW_SOURCE_DIR "/configs/gpu/a100.xml", LANES, b, text, true, next);
}

/* 1.0 is 0x3c00: four of 16 bits. Where there was nothing before all products come, which switches
 * half of the bits of their sums. Sums go to 16.0f, 0x41800000, and on to 32.0f, 0x42000000: three
 * bits each time. The same factors again switch nothing else. */
static void a_matrix_of_ones_switches_once(void **state)
{
    (void)state;
    const uint64_t sums = (uint64_t)MACS * 3 / WORD, once = FACTORS_OF / 4 + TREE / 2;
    bench b;
    run_products(&b, PRODUCT_HEAD FACTORS("0x3c003c00") PRODUCT TAIL, NULL);
    expect(&b, WW_C_SWITCHED_MMA_F16, once + sums, ALL);
    done(&b);
    run_products(&b, PRODUCT_HEAD FACTORS("0x3c003c00") PRODUCT PRODUCT TAIL, NULL);
    expect(&b, WW_C_SWITCHED_MMA_F16, once + 2 * sums, 2 * ALL);
    done(&b);
}

/* 1 + 2^-52, whose low word is 1, times itself: the same again, on sums that begin at 0 again,
 * switches nothing in either word. */
static void both_words_of_a_double_stay(void **state)
{
    (void)state;
#define DOUBLES                                                                                    \
    ".version 7.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n"         \
    " .reg .f64 %a, %c, %d<2>;\n mov.f64 %a, 0d3ff0000000000001;\n mov.f64 %c, "                   \
    "0d0000000000000000;\n"
#define DOUBLE_PRODUCT                                                                             \
    " mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%d0,%d1}, {%a}, {%a}, {%c,%c};\n"
    bench b;
    run_products(&b, DOUBLES DOUBLE_PRODUCT " ret;\n}\n", NULL);
    const uint64_t once = b.total[WW_C_SWITCHED_MMA_F64];
    assert_true(once > 0);
    done(&b);
    run_products(&b, DOUBLES DOUBLE_PRODUCT DOUBLE_PRODUCT DOUBLE_PRODUCT " ret;\n}\n", NULL);
    assert_int_equal(b.total[WW_C_SWITCHED_MMA_F64], once);
    done(&b);
}

/* Zeros of either sign are no products, but bits: one of 16. */
static void zeros_are_no_products(void **state)
{
    (void)state;
    const uint64_t sums = (uint64_t)MACS * 3 / WORD;
    bench b;
    run_products(&b, PRODUCT_HEAD FACTORS("0x80008000") PRODUCT PRODUCT TAIL, NULL);
    expect(&b, WW_C_SWITCHED_MMA_F16, FACTORS_OF / 16, 2 * ALL);
    done(&b);
    run_products(&b,
                 PRODUCT_HEAD FACTORS("0x3c003c00") PRODUCT FACTORS("0")
                     PRODUCT FACTORS("0x3c003c00") PRODUCT TAIL,
                 NULL);
    expect(&b, WW_C_SWITCHED_MMA_F16, 3 * (FACTORS_OF / 4 + TREE / 2) + 2 * sums, 3 * ALL);
    done(&b);
}

/* 1.0 and then -1.0, both times 1.0: one bit of 16 of A, and every product has another sign. Sums
 * go to 16 and back to 0: three bits each time. */
static void another_sign_switches_sums_of_products(void **state)
{
    (void)state;
    const uint64_t sums = (uint64_t)MACS * 3 / WORD;
    bench b;
    run_products(&b,
                 PRODUCT_HEAD FACTORS("0x3c003c00") PRODUCT
                 " mov.u32 %a0, 0xbc00bc00;\n mov.u32 %a1, %a0;\n mov.u32 %a2, %a0;\n"
                 " mov.u32 %a3, %a0;\n" PRODUCT TAIL,
                 NULL);
    expect(&b, WW_C_SWITCHED_MMA_F16,
           FACTORS_OF / 4 + TREE / 2 + FACTORS_OF / 32 + TREE / 2 + 2 * sums, 2 * ALL);
    done(&b);
}

/* 1.0 and then the next number, 0x3c01, both times 1.0: the lowest bit of a significand of 11
 * reaches 12 of the 22 bits of its product, half of which switch. Sums go to 16.0f and,
 * by 16.015625, to 32.015625f, 0x42001000: three bits and four. */
static void a_low_bit_reaches_half_of_a_product(void **state)
{
    (void)state;
    bench b;
    run_products(&b,
                 PRODUCT_HEAD FACTORS("0x3c003c00") PRODUCT
                 " mov.u32 %a0, 0x3c013c01;\n mov.u32 %a1, %a0;\n mov.u32 %a2, %a0;\n"
                 " mov.u32 %a3, %a0;\n" PRODUCT TAIL,
                 NULL);
    const double expected =
        FACTORS_OF / 4 + TREE / 2 + FACTORS_OF / 32 + TREE * (12.0 / 22) / 2 + MACS * 7.0 / WORD;
    expect(&b, WW_C_SWITCHED_MMA_F16, (uint64_t)(expected + 0.5), 2 * ALL);
    done(&b);
}

/* Of random factors half of the bits switch, and of the sums of their products, as is assumed; sums
 * of such halves are soon infinite or no numbers and switch less: 19 of 20 bits. */
static void random_factors_switch_half_of_the_bits(void **state)
{
    (void)state;
    bench b;
    run_products(&b,
                 PRODUCT_HEAD
                 " ld.param.u64 %rd1, [p];\n mov.u32 %r1, %tid.x;\n mul.wide.u32 %rd2, %r1, 4;\n"
                 " add.u64 %rd1, %rd1, %rd2;\n mov.u32 %r2, 0;\n"
                 "L:\n ld.global.u32 %a0, [%rd1];\n ld.global.u32 %a1, [%rd1+128];\n"
                 " ld.global.u32 %a2, [%rd1+256];\n ld.global.u32 %a3, [%rd1+384];\n"
                 " ld.global.u32 %b0, [%rd1+512];\n ld.global.u32 %b1, [%rd1+640];\n" PRODUCT
                 " add.u64 %rd1, %rd1, 768;\n add.u32 %r2, %r2, 1;\n setp.lt.u32 %p, %r2, 256;\n"
                 " @%p bra L;\n" TAIL,
                 random_word);
    assert_near(activity(&b, WW_C_SWITCHED_MMA_F16), 0.5 * 19 / 20, 0.02, 0);
    done(&b);
}

/* ---- products of warp groups ---- */

/* A tile of 64 x 16 and one of 16 x 16 behind it, in rows of 128 B that hold 64 halves. */
#define GROUP_HEAD                                                                                 \
    ".version 8.0\n.target sm_90a\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n"        \
    " .shared .align 1024 .b8 s[10240];\n .reg .pred %p, %q;\n .reg .b32 %r<8>;\n"                 \
    " .reg .f32 %c<8>;\n .reg .b64 %rd<4>;\n ld.param.u64 %rd1, [p];\n mov.u32 %r1, %tid.x;\n"     \
    " mul.wide.u32 %rd2, %r1, 4;\n add.u64 %rd1, %rd1, %rd2;\n mov.u32 %r2, s;\n"                  \
    " mad.lo.u32 %r2, %r1, 4, %r2;\n mov.u32 %r3, 0;\n"                                            \
    "L:\n ld.global.u32 %r4, [%rd1];\n st.shared.u32 [%r2], %r4;\n add.u64 %rd1, %rd1, 512;\n"     \
    " add.u32 %r2, %r2, 512;\n add.u32 %r3, %r3, 1;\n setp.lt.u32 %p, %r3, 20;\n @%p bra L;\n"     \
    " mov.u64 %rd2, 0x4000004000010000;\n mov.u64 %rd3, 0x4000004000010200;\n"                     \
    " setp.eq.u32 %q, %r3, 0;\n fence.proxy.async;\n bar.sync 0;\n wgmma.fence.sync.aligned;\n"
#define GROUP_PRODUCT                                                                              \
    " wgmma.mma_async.sync.aligned.m64n16k16.f32.f16.f16 {%c0,%c1,%c2,%c3,%c4,%c5,%c6,%c7},"       \
    " %rd2, %rd3, %q, 1, 1, 0, 0;\n"
#define GROUP_TAIL " wgmma.commit_group.sync.aligned;\n wgmma.wait_group.sync.aligned 0;\n" TAIL

enum { GROUP_MACS = 64 * 16 * 16 };

static void run_group(bench *b, const char *text, uint32_t (*next)(uint32_t *state))
{
    run_on(WW_SOURCE_DIR "/configs/gpu/h100.xml", 4 * LANES, b, text, true, next);
}

static uint32_t ones_of_halves(uint32_t *state)
{
    (void)state;
    return 0x3c003c00;
}

/* A stays in the unit while columns of B pass, so that a tile which is multiplied again switches
 * nothing where its columns are alike. */
static void equal_columns_switch_nothing_again(void **state)
{
    (void)state;
    bench once, again;
    run_group(&once, GROUP_HEAD GROUP_PRODUCT GROUP_TAIL, ones_of_halves);
    run_group(&again, GROUP_HEAD GROUP_PRODUCT GROUP_PRODUCT GROUP_TAIL, ones_of_halves);
    assert_int_equal(once.total[WW_C_SWITCHED_MMA_F16 + 1], 20 * GROUP_MACS);
    expect(&again, WW_C_SWITCHED_MMA_F16, once.total[WW_C_SWITCHED_MMA_F16], 2 * 20 * GROUP_MACS);
    done(&once);
    done(&again);
}

/* Where they differ it does: of random ones half of B's bits, which come to 16 rows of multipliers
 * where A's, which stay, came to two columns: 11/2 * 4096/(4096 + 512) of 20. Sums of products
 * switch half of their bits, 4 of 20, and the tile's sums stay the same. */
static void different_columns_switch_again(void **state)
{
    (void)state;
    bench once, again;
    run_group(&once, GROUP_HEAD GROUP_PRODUCT GROUP_TAIL, random_word);
    run_group(&again, GROUP_HEAD GROUP_PRODUCT GROUP_PRODUCT GROUP_TAIL, random_word);
    const uint64_t more = again.total[WW_C_SWITCHED_MMA_F16] - once.total[WW_C_SWITCHED_MMA_F16];
    assert_near((double)more / GROUP_MACS, 5.5 * 4096 / 4608 + 4, 0.02, 0);
    done(&once);
    done(&again);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(alternating_words_switch_every_bit),
        cmocka_unit_test(zeros_switch_nothing),
        cmocka_unit_test(lanes_that_are_off_switch_nothing),
        cmocka_unit_test(nothing_is_counted_unless_asked_for),
        cmocka_unit_test(random_words_switch_half),
        cmocka_unit_test(memory_switches_what_its_data_does),
        cmocka_unit_test(a_constant_factor_lets_through_its_ones),
        cmocka_unit_test(complements_switch_all_bits_of_shared_memory),
        cmocka_unit_test(a_matrix_of_ones_switches_once),
        cmocka_unit_test(another_sign_switches_sums_of_products),
        cmocka_unit_test(a_low_bit_reaches_half_of_a_product),
        cmocka_unit_test(both_words_of_a_double_stay),
        cmocka_unit_test(zeros_are_no_products),
        cmocka_unit_test(random_factors_switch_half_of_the_bits),
        cmocka_unit_test(equal_columns_switch_nothing_again),
        cmocka_unit_test(different_columns_switch_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
