/* xml_memory.h - private to the users of libxml2 and jansson: memory that does not run out in the
 * middle of a document. libxml2 dereferences what some of its allocations return without a look,
 * and jansson goes on without the part of a text that it had no memory to keep, so that a single
 * failure ends the process; here they allocate from address space that is reserved before they
 * read. */
#ifndef WW_BASE_XML_MEMORY_H
#define WW_BASE_XML_MEMORY_H

#include "base/status.h"

/**
 * Reserves the memory, once a process, and has both use it. Where somebody else in the process has
 * given one of them an allocator of their own, as the host of a shared library may, theirs stays.
 * Thread safe.
 * @error ENOMEM: there is no address space; nothing is to be read then
 */
WW_NODISCARD ww_status ww__xml_memory_reserve(ww_error *err);

#endif
