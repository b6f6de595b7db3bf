/* fatbin.c - fat binaries, by the layout that nvcc 10 to 13 writes: a 16-byte header (magic,
 * version, header size, content size), then entries, each a header of its own size and a payload.
 * All fields little-endian, read byte by byte, since nothing is aligned for sure. */
#include "runtime/core/fatbin.h"

#include <stdbool.h>
#include <string.h>

#include <lz4.h>
#include <zstd.h>

#include "base/mem.h"

#define MAGIC 0xBA55ED50u

/* Offsets in an entry's header. */
enum {
    ENTRY_KIND = 0,
    ENTRY_HEADER_SIZE = 4,
    ENTRY_PAYLOAD_SIZE = 8, /* padded */
    ENTRY_PACKED_SIZE = 16, /* 0: stored */
    ENTRY_TARGET = 28,
    ENTRY_FLAGS = 40,
    ENTRY_BYTES = 56,
    ENTRY_LEAST = 64
};
enum { FLAG_LZ4 = 0x2000, FLAG_ZSTD = 0x8000 };

static uint64_t read_le(const unsigned char *p, unsigned bytes)
{
    uint64_t v = 0;
    for (unsigned i = bytes; i-- > 0;) {
        v = v << 8 | p[i];
    }
    return v;
}

ww_status ww_fatbin_size(const void *data, size_t available, uint64_t *bytes, ww_error *err)
{
    const unsigned char *p = data;
    if (available < WW_FATBIN_HEADER_BYTES || read_le(p, 4) != MAGIC) {
        return ww_fail(err, WW_EPARSE,
                       "This is no fat binary: its first bytes are not 50 ed 55 ba.");
    }
    uint64_t header = read_le(p + 6, 2);
    uint64_t content = read_le(p + 8, 8);
    if (header < WW_FATBIN_HEADER_BYTES || content > UINT64_MAX - header) {
        return ww_fail(err, WW_EPARSE, "A fat binary whose header gives impossible sizes.");
    }
    *bytes = header + content;
    return WW_OK;
}

static ww_status packing_of(const unsigned char *entry, uint64_t packed, ww_fatbin_packing *out,
                            ww_error *err)
{
    uint64_t flags = read_le(entry + ENTRY_FLAGS, 8);
    if (packed == 0) {
        *out = WW_FATBIN_STORED;
    } else if ((flags & FLAG_ZSTD) != 0) {
        *out = WW_FATBIN_ZSTD;
    } else if ((flags & FLAG_LZ4) != 0) {
        *out = WW_FATBIN_LZ4;
    } else {
        return ww_fail(err, WW_EUNSUP,
                       "A fat binary entry is compressed in an unknown way (flags 0x%llx).",
                       (unsigned long long)flags);
    }
    return WW_OK;
}

ww_status ww_fatbin_next(const void *data, size_t size, size_t *offset, ww_fatbin_entry *out,
                         ww_error *err)
{
    const unsigned char *p = data;
    uint64_t total;
    WW_TRY(ww_fatbin_size(data, size, &total, err));
    uint64_t end = total < size ? total : size;
    uint64_t at = *offset != 0 ? *offset : read_le(p + 6, 2);
    if (at >= end) {
        return WW_ENOTFOUND;
    }
    if (end - at < ENTRY_LEAST) {
        return ww_fail(err, WW_EPARSE, "A fat binary ends inside the header of an entry.");
    }
    const unsigned char *entry = p + at;
    uint64_t header = read_le(entry + ENTRY_HEADER_SIZE, 4);
    uint64_t payload = read_le(entry + ENTRY_PAYLOAD_SIZE, 8);
    uint64_t packed = read_le(entry + ENTRY_PACKED_SIZE, 4);
    if (header < ENTRY_LEAST || header > end - at || payload > end - at - header ||
        packed > payload) {
        return ww_fail(err, WW_EPARSE, "A fat binary entry is larger than its container.");
    }
    uint64_t kind = read_le(entry + ENTRY_KIND, 2);
    *out = (ww_fatbin_entry){
        .kind =
            kind == WW_FATBIN_PTX || kind == WW_FATBIN_ELF ? (ww_fatbin_kind)kind : WW_FATBIN_OTHER,
        .target = (unsigned)read_le(entry + ENTRY_TARGET, 4),
        .payload = entry + header,
        .payload_bytes = (size_t)(packed != 0 ? packed : payload),
        .bytes = (size_t)(packed != 0 ? read_le(entry + ENTRY_BYTES, 8) : payload),
    };
    WW_TRY(packing_of(entry, packed, &out->packing, err));
    *offset = (size_t)(at + header + payload);
    return WW_OK;
}

static bool decompress(const ww_fatbin_entry *entry, char *out)
{
    if (entry->packing == WW_FATBIN_LZ4) {
        int n = LZ4_decompress_safe((const char *)entry->payload, out, (int)entry->payload_bytes,
                                    (int)entry->bytes);
        return n >= 0 && (size_t)n == entry->bytes;
    }
    size_t n = ZSTD_decompress(out, entry->bytes, entry->payload, entry->payload_bytes);
    return !ZSTD_isError(n) && n == entry->bytes;
}

ww_status ww_fatbin_unpack(const ww_fatbin_entry *entry, char **out, size_t *length, ww_error *err)
{
    if (entry->bytes > WW_FATBIN_MAX_BYTES || entry->payload_bytes > WW_FATBIN_MAX_BYTES) {
        return ww_fail(err, WW_ERANGE, "A fat binary entry of %zu bytes; at most %d are read.",
                       entry->bytes, WW_FATBIN_MAX_BYTES);
    }
    char *text = WW_NEW_ARRAY(char, entry->bytes + 1);
    if (text == NULL) {
        return ww_no_memory_for(err, "a fat binary entry");
    }
    if (entry->packing == WW_FATBIN_STORED) {
        memcpy(text, entry->payload, entry->bytes);
    } else if (!decompress(entry, text)) {
        ww_free(text);
        return ww_fail(err, WW_EPARSE, "A compressed fat binary entry is corrupt.");
    }
    *out = text;
    *length = entry->bytes;
    return WW_OK;
}

/* Is target a better choice than best (0: none yet) for that capability? */
static bool is_better(unsigned target, unsigned best, unsigned capability)
{
    if (best == 0) {
        return true;
    }
    bool fits = target <= capability;
    bool best_fits = best <= capability;
    if (fits != best_fits) {
        return fits;
    }
    return fits ? target > best : target < best;
}

static ww_status no_ptx(unsigned machine_code, ww_error *err)
{
    if (machine_code > 0) {
        return ww_fail(err, WW_ENOTFOUND,
                       "The program carries machine code (%u images) but no PTX: compile it with "
                       "-arch=sm_75, or with -gencode arch=compute_75,code=compute_75.",
                       machine_code);
    }
    return ww_fail(err, WW_ENOTFOUND, "The fat binary is empty.");
}

ww_status ww_fatbin_find_ptx(const void *data, size_t size, unsigned capability,
                             ww_fatbin_entry *out, ww_error *err)
{
    ww_fatbin_entry entry;
    ww_fatbin_entry best = {0};
    size_t offset = 0;
    unsigned machine_code = 0;
    for (unsigned i = 0;; i++) {
        ww_status status = ww_fatbin_next(data, size, &offset, &entry, err);
        if (status == WW_ENOTFOUND) {
            break;
        }
        WW_TRY(status);
        if (i == WW_FATBIN_ENTRIES) {
            return ww_fail(err, WW_EPARSE, "A fat binary of more than %d entries.",
                           WW_FATBIN_ENTRIES);
        }
        machine_code += entry.kind == WW_FATBIN_ELF;
        if (entry.kind == WW_FATBIN_PTX && entry.target > 0 &&
            is_better(entry.target, best.target, capability)) {
            best = entry;
        }
    }
    if (best.target == 0) {
        return no_ptx(machine_code, err);
    }
    *out = best;
    return WW_OK;
}
