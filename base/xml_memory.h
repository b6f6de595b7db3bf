/* xml_memory.h - private to the users of libxml2: memory that does not run out in the middle of a
 * document. libxml2 dereferences what some of its allocations return without a look, so that a
 * single failure ends the process; here it allocates from address space that is reserved before it
 * reads. */
#ifndef WW_BASE_XML_MEMORY_H
#define WW_BASE_XML_MEMORY_H

#include "base/status.h"

/**
 * Reserves the memory, once a process, and has libxml2 use it. Where somebody else in the process
 * has given libxml2 an allocator of their own, as the host of a shared library may, theirs stays.
 * Thread safe.
 * @error ENOMEM: there is no address space; nothing is to be read then
 */
WW_NODISCARD ww_status ww__xml_memory_reserve(ww_error *err);

#endif
