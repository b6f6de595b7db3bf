/* allocated.h - what a test that does the same again and again must not raise. */
#ifndef WW_TESTS_SUPPORT_ALLOCATED_H
#define WW_TESTS_SUPPORT_ALLOCATED_H

#include <malloc.h>
#include <stddef.h>

/* Bytes that the process has from its allocator, as that counts them: nearly, since it keeps some
 * of what was released at hand. Of a sanitizer's allocator, which finds leaks by itself, none. */
static inline size_t test_allocated(void)
{
    const struct mallinfo2 m = mallinfo2();
    return m.uordblks + m.hblkhd;
}

#endif
