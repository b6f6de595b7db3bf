/* sto.c - driver of the chunk hashing; the reference computes whole SHA-1 digests of byte strings,
 * and is itself checked with an example of FIPS 180. */
#include "workloads/support.h"

#include <string.h>

#define THREADS 128
#define WINDOW  52
#define STEP    4

static uint32_t rotated(uint32_t x, unsigned bits)
{
    return x << bits | x >> (32 - bits);
}

static uint32_t chosen(unsigned t, uint32_t b, uint32_t c, uint32_t d)
{
    switch (t / 20) {
    case 0:
        return (b & c) ^ (~b & d);
    case 2:
        return (b & c) ^ (b & d) ^ (c & d);
    default:
        return b ^ c ^ d;
    }
}

/* FIPS 180-4, 6.1, of at most 55 bytes. */
static void sha1(const uint8_t *message, size_t length, uint8_t digest[20])
{
    static const uint32_t constants[4] = {0x5a827999, 0x6ed9eba1, 0x8f1bbcdc, 0xca62c1d6};
    uint32_t hash[5] = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0};
    uint8_t block[64] = {0};
    memcpy(block, message, length);
    block[length] = 0x80;
    block[62] = (uint8_t)(length * 8 >> 8);
    block[63] = (uint8_t)(length * 8);

    uint32_t w[80], v[5];
    for (size_t t = 0; t < 80; t++) {
        if (t < 16) {
            w[t] = (uint32_t)block[4 * t] << 24 | (uint32_t)block[4 * t + 1] << 16 |
                   (uint32_t)block[4 * t + 2] << 8 | block[4 * t + 3];
        } else {
            w[t] = rotated(w[t - 3] ^ w[t - 8] ^ w[t - 14] ^ w[t - 16], 1);
        }
    }
    memcpy(v, hash, sizeof v);
    for (unsigned t = 0; t < 80; t++) {
        const uint32_t next =
            rotated(v[0], 5) + chosen(t, v[1], v[2], v[3]) + v[4] + constants[t / 20] + w[t];
        v[4] = v[3];
        v[3] = v[2];
        v[2] = rotated(v[1], 30);
        v[1] = v[0];
        v[0] = next;
    }
    for (size_t i = 0; i < 20; i++) {
        digest[i] = (uint8_t)((hash[i / 4] + v[i / 4]) >> (24 - 8 * (i % 4)));
    }
}

/* The digest of "abc", as published with the standard. */
static ww_status check_reference(ww__bench *bench)
{
    static const uint8_t known[20] = {0xa9, 0x99, 0x3e, 0x36, 0x47, 0x06, 0x81, 0x6a, 0xba, 0x3e,
                                      0x25, 0x71, 0x78, 0x50, 0xc2, 0x6c, 0x9c, 0xd0, 0xd8, 0x9d};
    static const uint8_t abc[3] = {'a', 'b', 'c'};
    uint8_t digest[20];
    sha1(abc, sizeof abc, digest);
    if (memcmp(digest, known, sizeof known) != 0) {
        return ww_fail(bench->err, WW_EINTERNAL, "%s: the reference fails FIPS 180's example",
                       bench->name);
    }
    return WW_OK;
}

static ww_status run(ww__bench *bench, ww_workload_size size)
{
    static const uint32_t ctas[] = {2, 96, 512, 384};
    static const uint8_t padding[64] = {0x80};
    const size_t threads = (size_t)ctas[size] * THREADS;
    /* Four bytes too few for the last window. */
    const size_t bytes = (threads - 1) * STEP + WINDOW - 4;
    const int32_t byte_count = (int32_t)bytes;

    uint8_t *data;
    WW_TRY(check_reference(bench));
    WW_TRY(ww__host_array(bench, bytes, 1, &data));
    for (size_t i = 0; i < bytes; i++) {
        data[i] = (uint8_t)i;
    }
    ww_devptr device_data, device_padding, digests;
    WW_TRY(ww__upload(bench, data, bytes, &device_data));
    WW_TRY(ww__upload(bench, padding, sizeof padding, &device_padding));
    WW_TRY(ww__buffer(bench, threads * 4, &digests));
    WW_TRY(WW__LAUNCH(bench, "sha1_overlap", ww__dim(ctas[size], 1), ww__dim(THREADS, 1), 0,
                      &device_data, &byte_count, &device_padding, &digests));

    int32_t *actual, *expected;
    WW_TRY(ww__download(bench, digests, threads * 4, &actual));
    WW_TRY(ww__host_array(bench, threads, sizeof *expected, &expected));
    for (size_t i = 0; i < threads; i++) {
        uint8_t digest[20];
        const size_t left = bytes - i * STEP;
        sha1(&data[i * STEP], left < WINDOW ? left : WINDOW, digest);
        memcpy(&expected[i], digest, 4);
    }
    return ww__verify_ints(bench, "digest", actual, expected, threads);
}

ww_status ww_sto_run(ww_device *device, ww_workload_size size, ww_error *err)
{
    return ww__bench_run(device, "sto", &ww__ptx_sto, size, run, err);
}
