/* nvrtc_real.h - the NVRTC that a program would have loaded if this one did not stand before it. */
#ifndef WW_RUNTIME_NVRTC_REAL_H
#define WW_RUNTIME_NVRTC_REAL_H

/**
 * Loads the library of that name where the loader would have found it next: the file that the
 * environment variable WARPWATT_NVRTC names, or else the search paths of the program and of every
 * library that it has loaded, then the loader's cache. A look-alike is passed over.
 * @return NULL: there is none
 */
void *rt_nvrtc_open(const char *name);
/** A function of it; NULL: it has none of that name. */
void *rt_nvrtc_function(void *library, const char *name);

#endif
