/* fatbin_builder.h - writes fat binaries as nvcc does, for tests: containers of PTX and
 * machine-code entries, stored or compressed. */
#ifndef WW_TESTS_SUPPORT_FATBIN_BUILDER_H
#define WW_TESTS_SUPPORT_FATBIN_BUILDER_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <lz4.h>
#include <zstd.h>

enum { FATBIN_ROOM = 1 << 16, FATBIN_FLAGS = 0x11, FATBIN_LZ4 = 0x2000, FATBIN_ZSTD = 0x8000 };

/* {.size = 0} is an empty container. */
typedef struct fatbin_builder {
    _Alignas(8) unsigned char bytes[FATBIN_ROOM];
    size_t size;
} fatbin_builder;

static inline void fatbin_put(unsigned char *at, uint64_t value, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++) {
        at[i] = (unsigned char)(value >> (8 * i));
    }
}

static inline void fatbin_begin(fatbin_builder *b)
{
    memset(b, 0, sizeof *b);
    fatbin_put(b->bytes, 0xBA55ED50u, 4);
    fatbin_put(b->bytes + 4, 1, 2);
    fatbin_put(b->bytes + 6, 16, 2);
    b->size = 16;
}

/* Adds an entry of kind 1 (PTX) or 2 (machine code). packing: 0, FATBIN_LZ4 or FATBIN_ZSTD. */
static inline void fatbin_add(fatbin_builder *b, unsigned kind, unsigned target, unsigned packing,
                              const void *data, size_t bytes)
{
    size_t header = kind == 1 ? 80 : 64;
    unsigned char *entry = b->bytes + b->size, *payload = entry + header;
    size_t room = sizeof b->bytes - b->size - header, packed = 0;
    if (packing == FATBIN_LZ4) {
        packed = (size_t)LZ4_compress_default(data, (char *)payload, (int)bytes, (int)room);
    } else if (packing == FATBIN_ZSTD) {
        packed = ZSTD_compress(payload, room, data, bytes, 3);
    } else {
        memcpy(payload, data, bytes);
    }
    size_t padded = ((packed != 0 ? packed : bytes) + 7) / 8 * 8;
    fatbin_put(entry, kind, 2);
    fatbin_put(entry + 2, 0x0101, 2);
    fatbin_put(entry + 4, header, 4);
    fatbin_put(entry + 8, padded, 8);
    fatbin_put(entry + 16, packed, 4);
    fatbin_put(entry + 28, target, 4);
    fatbin_put(entry + 40, FATBIN_FLAGS | packing, 8);
    fatbin_put(entry + 56, packed != 0 ? bytes : 0, 8);
    b->size += header + padded;
    fatbin_put(b->bytes + 8, b->size - 16, 8);
}

#endif
