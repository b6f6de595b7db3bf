/* segment.h - memory that processes share, and the handles by which one names it to another.
 *
 * A segment is a file in memory (memfd) of fixed size, which no process can shrink, so that a
 * mapping of it never faults. Its name carries a random number. Another process has it by number of
 * process and descriptor (through /proc) or by a descriptor that was passed to it; either way the
 * name and the seals must be those of a segment. */
#ifndef WW_RUNTIME_SHARING_SEGMENT_H
#define WW_RUNTIME_SHARING_SEGMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rt_segment {
    int fd;         /* own; valid when bytes > 0 */
    uint64_t bytes; /* whole pages; 0: there is none */
    uint64_t nonce;
} rt_segment;

/** Makes a segment of zeros; what is not touched takes no memory. EIO: the host has no memfd. */
WW_NODISCARD ww_status rt_segment_create(uint64_t bytes, rt_segment *out, ww_error *err);
/** Opens the one that another process has as descriptor fd. ENOTFOUND: it has no such segment. */
WW_NODISCARD ww_status rt_segment_open(int pid, int fd, uint64_t nonce, rt_segment *out,
                                       ww_error *err);
/** Takes a copy of a descriptor. ENOTFOUND: it is none of a segment. */
WW_NODISCARD ww_status rt_segment_adopt(int fd, rt_segment *out, ww_error *err);
/** A descriptor of it for the program, who closes it; false when the host has none left. */
bool rt_segment_export(const rt_segment *segment, int *fd);
void rt_segment_close(rt_segment *segment);

/** Puts the segment from offset on over memory; all three are multiples of the page size. */
bool rt_segment_map(const rt_segment *segment, uint64_t offset, void *at, size_t bytes);
/** Puts private memory, zeros, in its place again. */
bool rt_segment_unmap(void *at, size_t bytes);
/** Writes to it what is not zero, so that pages of zeros take no memory. */
bool rt_segment_write(const rt_segment *segment, uint64_t offset, const void *data, size_t bytes);
/** Gives the memory of a range back; it reads as zeros. */
void rt_segment_clear(const rt_segment *segment, uint64_t offset, uint64_t bytes);

uint64_t rt_page_bytes(void);

/* ---- handles ---- */

enum { RT_HANDLE_BYTES = 64 };

typedef enum rt_handle_kind {
    RT_HANDLE_MEMORY = 1,
    RT_HANDLE_EVENT = 2,
    RT_HANDLE_POOL_POINTER = 3,
} rt_handle_kind;

typedef struct rt_handle {
    uint32_t magic;
    uint32_t kind;
    int32_t pid, fd; /* whose segment; of events the process alone */
    uint64_t nonce;
    uint64_t offset, bytes; /* of the memory within the segment */
} rt_handle;

/** Writes a handle as the 64 bytes that programs hand on. */
void rt_handle_write(unsigned char out[RT_HANDLE_BYTES], rt_handle_kind kind,
                     const rt_handle *handle);
/** Reads one; false: these bytes are no handle of that kind. The memory that a handle names may not
 * be there: compare with the segment. */
bool rt_handle_read(const unsigned char in[RT_HANDLE_BYTES], rt_handle_kind kind, rt_handle *out);
/** Does the segment hold the memory that a handle names? */
bool rt_handle_fits(const rt_handle *handle, const rt_segment *segment);

#ifdef __cplusplus
}
#endif
#endif
