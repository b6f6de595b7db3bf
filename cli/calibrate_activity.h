/* calibrate_activity.h - the launches that a row of measurements names: those of an activity file,
 * or of a program that is run for it. */
#ifndef WW_CLI_CALIBRATE_ACTIVITY_H
#define WW_CLI_CALIBRATE_ACTIVITY_H

#include "base/mem.h"
#include "cli/program.h"

/* What is open, one at a time: {0} is nothing. */
typedef struct ww_calibrate_activity {
    const char *name; /* as the row has it */
    ww_activity *file;
    ww_program_result program;
    const ww_launch_record *launches;
    size_t launch_count;
    bool allow_programs; /* rows may name programs; stays when what is open is closed */
} ww_calibrate_activity;

/**
 * Opens what a row names, unless it is open: "-- PROGRAM ARGUMENTS" runs a program on the request's
 * machine (words are parted by blanks), anything else is a file in the folder.
 * EUSAGE: a program, and none is allowed; EKERNEL: the program failed; as ww_program_run and
 * ww_activity_load.
 */
WW_NODISCARD ww_status ww_calibrate_activity_open(ww_calibrate_activity *a, const char *name,
                                                  const char *folder, const ww_run_request *request,
                                                  ww_arena *arena, ww_error *err);
void ww_calibrate_activity_fini(ww_calibrate_activity *a);

/** "kernel" is the first launch of it, "kernel#2" the third; NULL: there is none. */
const ww_launch_record *ww_calibrate_activity_find(const ww_calibrate_activity *a,
                                                   const char *kernel);

#endif
