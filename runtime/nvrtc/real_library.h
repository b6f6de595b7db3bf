/* real_library.h - the library that a program would have loaded if a look-alike of it did not stand
 * before it. */
#ifndef WW_RUNTIME_NVRTC_REAL_LIBRARY_H
#define WW_RUNTIME_NVRTC_REAL_LIBRARY_H

/**
 * Loads the library of that name where the loader would have found it next: the file that the
 * environment names, or else the one whose path the program gave, or the search paths of the
 * program and of every library that it has loaded, then the loader's cache. A look-alike is passed
 * over. Where there is none, says so on stderr.
 * @param variable  of the environment, that may name the file
 * @param function  that the library must have
 * @param package   where it comes from, for the message
 * @return NULL: there is none
 */
void *rt_real_open(const char *name, const char *variable, const char *function,
                   const char *package);
/** A function of it; NULL: it has none of that name. */
void *rt_real_function(void *library, const char *name);

#endif
