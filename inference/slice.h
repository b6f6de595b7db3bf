/* slice.h - a slice of a machine on which parts of operators run: an n-th of its SMs, of its L2 and
 * of its memory channels, which a grid's n-th keeps as busy as the whole grid the whole machine.
 * Private to inference/. */
#ifndef WW_INFERENCE_SLICE_H
#define WW_INFERENCE_SLICE_H

#include "arch/arch.h"
#include "counters/counters.h"
#include "perf/api/device.h"

/* What the numbers of a buffer are like: products switch fewer wires the more of them are alike. */
typedef enum ww__contents {
    WW__ACTIVATIONS,   /* normal, mean 0, deviation 1 */
    WW__WEIGHTS,       /* normal, mean 0, deviation 0.02 */
    WW__PROBABILITIES, /* positive and small */
    WW__RESULTS,       /* written by the kernel */
} ww__contents;

enum { WW__SLICE_BUFFERS = 8, WW__SLICE_UNITS = 32 };

/* The part of a launch between two counts of multiply-adds on the FP32 lanes. */
typedef struct ww__window {
    double from, to;         /* to 0: none is looked at */
    bool inside;             /* it ends where the first results are written */
    double done;             /* of them, between the ends of the intervals found */
    ww_counter_set counters; /* of those intervals */
} ww__window;

typedef struct ww__slice {
    unsigned share; /* the machine has so many of them */
    ww_arch *arch;  /* of the slice */
    unsigned threads;
    const volatile sig_atomic_t *stop;
    ww_device *device; /* NULL until ww__slice_renew */
    struct {
        const char *name;
        ww_module *module;
    } units[WW__SLICE_UNITS];
    size_t unit_count;
    ww_devptr buffers[WW__SLICE_BUFFERS]; /* of the launch being prepared */
    size_t buffer_count;
    uint64_t left;  /* bytes of the operator's input that the one before wrote; 0: none */
    double written; /* share of the L2's lines that the operators before have written */
    bool failed;    /* a record could not be kept */
    bool watched;   /* launches of the next device are cut into intervals, for windows */
    ww__window window;
    /* Of the last launch: */
    ww_counter_set counters;
    ww_launch_record record; /* its counters are the above */
    char limit[16];
    uint64_t warp_instructions; /* of all launches */
} ww__slice;

/** Into how many equal slices a machine divides: the largest common divisor of its SMs and channels
 * that leaves each 24 SMs. */
unsigned ww__slice_share(const ww_arch *arch);
/**
 * Describes one slice of a machine given by name or file and settings.
 * @error as ww_arch_load
 */
WW_NODISCARD ww_status ww__slice_open(const char *gpu, const ww_setting *settings,
                                      size_t setting_count, unsigned threads,
                                      const volatile sig_atomic_t *stop, ww__slice **out,
                                      ww_error *err);
void ww__slice_close(ww__slice *slice);
/** A new device in the place of the one before, on which nothing has run. Errors as
 * ww_device_create. */
WW_NODISCARD ww_status ww__slice_renew(ww__slice *slice, ww_error *err);
/** What the operators before a launch left: an L2 full of lines, some of them written. */
WW_NODISCARD ww_status ww__slice_settle(ww__slice *slice, ww_error *err);

/** *out = device buffer of numbers of that size in bytes (1, 2: bf16 or f16, 4: f32); goes with
 * ww__slice_release. f16 tells the two of two bytes apart. */
WW_NODISCARD ww_status ww__slice_buffer(ww__slice *slice, size_t count, unsigned number_bytes,
                                        bool f16, ww__contents contents, ww_devptr *out,
                                        ww_error *err);
/** The same for an operator's input, whose lines the L2 has where the operator before left it. */
WW_NODISCARD ww_status ww__slice_input(ww__slice *slice, size_t count, unsigned number_bytes,
                                       bool f16, ww__contents contents, ww_devptr *out,
                                       ww_error *err);
/** Frees the buffers. */
WW_NODISCARD ww_status ww__slice_release(ww__slice *slice, ww_error *err);

/** CTAs that the slice holds at a time. */
WW_NODISCARD ww_status ww__slice_places(ww__slice *slice, const char *unit, const char *kernel,
                                        uint32_t threads, uint32_t shared, uint64_t *out,
                                        ww_error *err);
/** Launches; the record stands in the slice until the next launch. */
WW_NODISCARD ww_status ww__slice_launch(ww__slice *slice, const char *unit, const char *kernel,
                                        uint32_t ctas, uint32_t threads, uint32_t shared,
                                        const void *const *args, size_t count, ww_error *err);

#endif
