/* fatbin.h - fat binaries: the container in which a CUDA program carries PTX and machine code.
 * Untrusted input: every offset and size is checked, decompression is bounded. */
#ifndef WW_RUNTIME_CORE_FATBIN_H
#define WW_RUNTIME_CORE_FATBIN_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    WW_FATBIN_HEADER_BYTES = 16,
    WW_FATBIN_ENTRIES = 4096,               /* more in one container is an error */
    WW_FATBIN_MAX_BYTES = 256 * 1024 * 1024 /* of one entry, decompressed */
};

typedef enum ww_fatbin_kind {
    WW_FATBIN_PTX = 1,
    WW_FATBIN_ELF = 2, /* machine code */
    WW_FATBIN_OTHER = 0
} ww_fatbin_kind;

typedef enum ww_fatbin_packing {
    WW_FATBIN_STORED,
    WW_FATBIN_LZ4,
    WW_FATBIN_ZSTD
} ww_fatbin_packing;

/* One entry of a container; payload points into the container. */
typedef struct ww_fatbin_entry {
    ww_fatbin_kind kind;
    ww_fatbin_packing packing;
    unsigned target; /* 75: sm_75 */
    const unsigned char *payload;
    size_t payload_bytes; /* as stored */
    size_t bytes;         /* decompressed */
} ww_fatbin_entry;

/**
 * Size of the container that starts at data, from its header alone.
 * @error EPARSE (no fat binary header)
 */
WW_NODISCARD ww_status ww_fatbin_size(const void *data, size_t available, uint64_t *bytes,
                                      ww_error *err);

/**
 * Reads the entry at *offset (0: the first) and moves *offset behind it.
 * @return WW_ENOTFOUND without touching err when there is no further entry
 * @error  EPARSE (sizes that contradict each other), EUNSUP (packing)
 */
WW_NODISCARD ww_status ww_fatbin_next(const void *data, size_t size, size_t *offset,
                                      ww_fatbin_entry *out, ww_error *err);

/**
 * Decompresses an entry.
 * @param out  zero-terminated behind *length; release with ww_free
 * @error EPARSE (corrupt), ERANGE (more than WW_FATBIN_MAX_BYTES), ENOMEM
 */
WW_NODISCARD ww_status ww_fatbin_unpack(const ww_fatbin_entry *entry, char **out, size_t *length,
                                        ww_error *err);

/**
 * Finds the PTX that suits a GPU of that compute capability (75: 7.5) best: the highest target
 * that does not exceed it; when all do, the lowest, since the simulator executes PTX of any target.
 * @error ENOTFOUND (no PTX: says what the container holds instead), and what ww_fatbin_next reports
 */
WW_NODISCARD ww_status ww_fatbin_find_ptx(const void *data, size_t size, unsigned capability,
                                          ww_fatbin_entry *out, ww_error *err);

#ifdef __cplusplus
}
#endif
#endif
