/* aes.c - driver of AES-128. Tables and expanded key are made as FIPS-197 defines them; the
 * reference encrypts byte by byte, and the first block is the example of the standard. */
#include "workloads/support.h"

#include <string.h>

#define THREADS   256
#define CTA_BYTES 1024
#define ROUNDS    10
#define KEY_BYTES (16 * (ROUNDS + 1))

/* Product by x in GF(2^8), section 4.2.1. */
static uint8_t xtime(uint8_t a)
{
    return (uint8_t)(a << 1 ^ (a & 0x80 ? 0x1b : 0));
}

/* Substitution, section 5.1.1: the inverse, then an affine map. The powers of 3 are all non-zero
 * elements, and 3^-i is 3^(255-i). */
static void make_sbox(uint8_t sbox[256])
{
    uint8_t power[256], log[256] = {0};
    uint8_t p = 1;
    for (int i = 0; i < 256; i++) {
        power[i] = p;
        if (i < 255) {
            log[p] = (uint8_t)i;
        }
        p = (uint8_t)(p ^ xtime(p));
    }
    for (int a = 0; a < 256; a++) {
        const uint8_t b = a == 0 ? 0 : power[255 - log[a]];
        uint8_t s = 0x63;
        for (int i = 0; i < 5; i++) {
            s = (uint8_t)(s ^ (b << i | b >> (8 - i)));
        }
        sbox[a] = s;
    }
}

/* Key expansion, section 5.2. */
static void expand_key(const uint8_t sbox[256], const uint8_t key[16], uint8_t out[KEY_BYTES])
{
    uint8_t constant = 1;
    memcpy(out, key, 16);
    for (int i = 16; i < KEY_BYTES; i += 4) {
        uint8_t t[4];
        memcpy(t, &out[i - 4], 4);
        if (i % 16 == 0) {
            const uint8_t first = t[0];
            t[0] = (uint8_t)(sbox[t[1]] ^ constant);
            t[1] = sbox[t[2]];
            t[2] = sbox[t[3]];
            t[3] = sbox[first];
            constant = xtime(constant);
        }
        for (int b = 0; b < 4; b++) {
            out[i + b] = (uint8_t)(out[i + b - 16] ^ t[b]);
        }
    }
}

/* What the S-box and MixColumns make of a byte in row 0, a byte per row from the lowest; the tables
 * of the other rows are rotations. */
static void make_tables(const uint8_t sbox[256], uint32_t tables[4][256])
{
    for (int i = 0; i < 256; i++) {
        const uint32_t one = sbox[i];
        const uint32_t two = xtime(sbox[i]);
        uint32_t word = two | one << 8 | one << 16 | (two ^ one) << 24;
        for (int row = 0; row < 4; row++) {
            tables[row][i] = word;
            word = word << 8 | word >> 24;
        }
    }
}

/* Section 5.1, a step at a time. */
static void encrypt(const uint8_t sbox[256], const uint8_t key[KEY_BYTES], uint8_t block[16])
{
    for (int i = 0; i < 16; i++) {
        block[i] ^= key[i];
    }
    for (int round = 1; round <= ROUNDS; round++) {
        uint8_t moved[16];
        for (int column = 0; column < 4; column++) {
            for (int row = 0; row < 4; row++) {
                moved[4 * column + row] = sbox[block[4 * ((column + row) % 4) + row]];
            }
        }
        for (int i = 0; i < 16; i++) {
            const uint8_t *c = &moved[i / 4 * 4];
            const uint8_t here = c[i % 4];
            const uint8_t next = c[(i + 1) % 4];
            const uint8_t mixed =
                (uint8_t)(xtime(here) ^ xtime(next) ^ next ^ c[(i + 2) % 4] ^ c[(i + 3) % 4]);
            block[i] = (uint8_t)((round < ROUNDS ? mixed : here) ^ key[16 * round + i]);
        }
    }
}

static ww_status run(ww__bench *bench, ww_workload_size size)
{
    static const uint32_t kibibytes[] = {5, 257, 1024, 257};
    /* FIPS-197, appendix C.1 */
    static const uint8_t plain[16] = {0x00, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77,
                                      0x88, 0x99, 0xaa, 0xbb, 0xcc, 0xdd, 0xee, 0xff};
    static const uint8_t cipher[16] = {0x69, 0xc4, 0xe0, 0xd8, 0x6a, 0x7b, 0x04, 0x30,
                                       0xd8, 0xcd, 0xb7, 0x80, 0x70, 0xb4, 0xc5, 0x5a};
    static const uint8_t key[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    static const uint8_t shifted_column[16] = {0, 1, 2, 3, 1, 2, 3, 0, 2, 3, 0, 1, 3, 0, 1, 2};
    const size_t bytes = (size_t)kibibytes[size] * CTA_BYTES;

    uint8_t sbox[256], expanded[KEY_BYTES], *text;
    uint32_t tables[4][256];
    make_sbox(sbox);
    make_tables(sbox, tables);
    expand_key(sbox, key, expanded);
    WW_TRY(ww__host_array(bench, bytes, 1, &text));
    for (size_t i = 0; i < bytes; i++) {
        text[i] = i < sizeof plain ? plain[i] : (uint8_t)ww__random_bits(bench);
    }

    ww_devptr device_key, input, result;
    uint64_t key_texture;
    WW_TRY(ww__upload_symbol(bench, "T_boxes", tables, sizeof tables));
    WW_TRY(ww__upload_symbol(bench, "shifted_column", shifted_column, sizeof shifted_column));
    WW_TRY(ww__upload(bench, expanded, sizeof expanded, &device_key));
    WW_TRY(ww__upload(bench, text, bytes, &input));
    WW_TRY(ww__buffer(bench, bytes, &result));
    const ww_texture texture = {.address = device_key,
                                .width = KEY_BYTES / 4,
                                .channels = 1,
                                .channel_bits = 32,
                                .channel = WW_TEX_UNSIGNED,
                                .mode = {WW_TEX_CLAMP, WW_TEX_CLAMP, WW_TEX_CLAMP}};
    WW_TRY(ww__texture(bench, &texture, &key_texture));
    WW_TRY(WW__LAUNCH(bench, "aesEncrypt128", ww__dim(kibibytes[size], 1), ww__dim(THREADS, 1), 0,
                      &result, &input, &key_texture));

    int32_t *actual, *expected;
    WW_TRY(ww__download(bench, result, bytes, &actual));
    WW_TRY(ww__host_array(bench, bytes, 1, &expected));
    for (size_t i = 0; i < bytes; i += 16) {
        encrypt(sbox, expanded, &text[i]);
    }
    if (memcmp(text, cipher, sizeof cipher) != 0) {
        return ww_fail(bench->err, WW_EINTERNAL, "%s: the reference fails FIPS-197's example",
                       bench->name);
    }
    memcpy(expected, text, bytes);
    return ww__verify_ints(bench, "word", actual, expected, bytes / 4);
}

ww_status ww_aes_run(ww_device *device, ww_workload_size size, ww_error *err)
{
    return ww__bench_run(device, "aes", &ww__ptx_aes, size, run, err);
}
