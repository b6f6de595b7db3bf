/* Does memcheck find each kind of fault at its place, with and without time, and is it silent about
 * kernels that have none? */
#include <stdio.h>
#include <string.h>

#include "arch/arch.h"
#include "base/str.h"
#include "perf/api/device.h"
#include "tests/support/test.h"

/* Two warps. Every kernel takes a buffer of 64 words, of which the
 * host has written the first 32.
 */
typedef struct kernel_case {
    const char *name, *body;
    const char *found[4]; /* parts of the findings' text; none: there is no finding */
} kernel_case;

#define STORE_MINE  "st.shared.u32 [%a], %t;\n"
#define LOAD_MINE   "ld.shared.u32 %v, [%a];\n"
#define LOAD_OTHER  "ld.shared.u32 %v, [%b];\n" /* the same lane's of the other warp */
#define STORE_OTHER "st.shared.u32 [%b], %t;\n"
#define BARRIER     "bar.sync 0;\n"
#define COPY        "cp.async.ca.shared.global [%a], [%first], 4;\n"
#define COMMIT      "cp.async.commit_group;\n"
#define WAIT_ALL    "cp.async.wait_all;\n"
#define INIT        "@%t0 mbarrier.init.shared.b64 [bar], 64;\n" BARRIER
#define BULK                                                                                       \
    "@%t0 mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [bar], 128;\n"                            \
    "@%t0 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [s], [%g], 128, "      \
    "[bar];\n"
#define BULK_WAIT                                                                                  \
    "mbarrier.arrive.shared.b64 %x, [bar];\nTRY: mbarrier.test_wait.parity.shared.b64 %q, [bar], " \
    "0;\n@!%q bra TRY;\n"
#define BULK_STORE                                                                                 \
    "@%t0 cp.async.bulk.global.shared::cta.bulk_group [%g], [s], 128;\n"                           \
    "cp.async.bulk.commit_group;\n"
#define PROXY       "fence.proxy.async;\n"
#define BULK_STORED "cp.async.bulk.wait_group.read 0;\n"

static const kernel_case cases[] = {
    /* ---- uninitialized ---- */
    {"global_unwritten",
     "ld.global.u32 %v, [%g+128];\n",
     {"uninitialized read by ld of 4 bytes in global memory", "thread (0,0,0)", "128 bytes into"}},
    {"global_written", "ld.global.u32 %v, [%first];\n", {NULL}},
    {"global_written_by_kernel",
     "st.global.u32 [%mine], %t;\nld.global.u32 %v, [%mine];\n",
     {NULL}},
    {"global_partly",
     "st.global.u8 [%g+240], %t;\nst.global.u8 [%g+241], %t;\nst.global.u8 [%g+243], %t;\n"
     "ld.global.u32 %v, [%g+240];\n",
     {"4 bytes in global memory", "240 bytes into"}},
    {"global_atomic_unwritten",
     "atom.global.add.u32 %v, [%g+128], 1;\n",
     {"uninitialized read by atom of 4 bytes"}},
    {"global_exchange", "atom.global.exch.b32 %v, [%g+128], %t;\n", {NULL}},
    {"shared_unwritten",
     LOAD_MINE,
     {"uninitialized read by ld of 4 bytes in shared memory at 0x0", "CTA (0,0,0)"}},
    {"shared_written", STORE_MINE LOAD_MINE, {NULL}},
    {"local_unwritten",
     "ld.local.u32 %v, [depot+4];\n",
     {"uninitialized read by ld of 4 bytes in local memory at 0x4"}},
    {"local_written",
     "st.local.u64 [depot], %g;\nst.local.u32 [%l], %t;\nld.local.u32 %v, [depot+4];\n",
     {NULL}},
    {"generic_shared_unwritten",
     "cvta.shared.u64 %x, %aw;\nld.u32 %v, [%x];\n",
     {"4 bytes in shared memory"}},
    /* ---- races ---- */
    {"raw",
     STORE_MINE BARRIER "add.u32 %t, %t, 100;\n" STORE_MINE LOAD_OTHER,
     {"RAW hazard", "ld of 4 bytes by thread (", "before it, st by thread ("}},
    {"raw_ordered", STORE_MINE BARRIER LOAD_OTHER, {NULL}},
    {"war",
     STORE_MINE BARRIER LOAD_OTHER "add.u32 %t, %t, 100;\n" STORE_MINE,
     {"WAR hazard", "st of 4 bytes by thread (", "before it, ld by thread ("}},
    {"war_ordered",
     STORE_MINE BARRIER LOAD_OTHER BARRIER "add.u32 %t, %t, 100;\n" STORE_MINE,
     {NULL}},
    {"waw", STORE_MINE STORE_OTHER, {"WAW hazard"}},
    {"waw_ordered", STORE_MINE BARRIER STORE_OTHER, {NULL}},
    {"waw_same_value", "mov.u32 %t, 7;\nst.shared.u32 [s], %t;\n", {NULL}},
    {"waw_within_a_store", "@!%w st.shared.u32 [s], %t;\n", {"WAW hazard", "thread (1,0,0)"}},
    {"fence_is_no_barrier", STORE_MINE "membar.cta;\n" LOAD_OTHER, {"RAW hazard"}},
    {"arrive_is_no_wait",
     STORE_MINE "@%w bar.arrive 1, 64;\n@!%w bar.sync 1, 64;\n@%w ld.shared.u32 %v, [%b];\n",
     {"RAW hazard"}},
    {"arrive_and_wait",
     "@%w st.shared.u32 [%a], %t;\n@%w bar.arrive 1, 64;\n@!%w bar.sync 1, 64;\n"
     "@!%w ld.shared.u32 %v, [%b];\n",
     {NULL}},
    {"atomics", "@%t0 st.shared.u32 [s], 0;\n" BARRIER "atom.shared.add.u32 %v, [s], 1;\n", {NULL}},
    {"atomic_after_store",
     "@%t0 st.shared.u32 [s], 0;\n@%w atom.shared.add.u32 %v, [s], 1;\n",
     {"hazard in shared memory at 0x0"}},
    {"warp_synchronous",
     STORE_MINE "bar.warp.sync 0xffffffff;\nxor.b32 %n, %a, 64;\nld.shared.u32 %v, [%n];\n"
                "st.shared.u32 [%n], %v;\n",
     {NULL}},
    /* a flag: data, fence, atomic; atomic, fence, data */
    {"handed_over",
     "@%t0 st.shared.u32 [s+252], 0;\n" BARRIER "@%w bra TAKE;\n" STORE_MINE
     "membar.cta;\n@%t0 atom.shared.exch.b32 %v, [s+252], 1;\n"
     "bra OUT;\nTAKE:\natom.shared.cas.b32 %v, [s+252], 1, 1;\nsetp.eq.u32 %q, %v, 0;\n"
     "@%q bra TAKE;\nmembar.cta;\n@%n30 ld.shared.u32 %v, [%b];\nOUT:\n",
     {NULL}},
    /* ---- asynchronous copies: %g to s ---- */
    {"copied", COPY COMMIT WAIT_ALL LOAD_MINE, {NULL}},
    {"copied_by_another", COPY COMMIT WAIT_ALL BARRIER LOAD_OTHER, {NULL}},
    {"copy_not_waited_for",
     COPY COMMIT LOAD_MINE,
     {"RAW hazard", "ld of 4 bytes by thread (0,0,0)", "cp.async by thread (0,0,0)"}},
    {"copy_not_committed", COPY "cp.async.wait_group 0;\n" LOAD_MINE, {"RAW hazard"}},
    {"copy_of_the_latest_group", COPY COMMIT "cp.async.wait_group 1;\n" LOAD_MINE, {"RAW hazard"}},
    {"copy_of_the_group_before",
     COPY COMMIT "cp.async.ca.shared.global [%a+256], [%first], 4;\n" COMMIT
                 "cp.async.wait_group 1;\n" LOAD_MINE,
     {NULL}},
    {"copy_overwritten", COPY COMMIT STORE_MINE, {"WAW hazard", "before it, cp.async by thread"}},
    {"copy_no_barrier", COPY COMMIT WAIT_ALL LOAD_OTHER, {"RAW hazard"}},
    {"copy_barrier_is_no_wait", COPY COMMIT BARRIER LOAD_OTHER, {"RAW hazard"}},
    {"copy_of_unwritten",
     "cp.async.ca.shared.global [%a], [%g+128], 4;\n" COMMIT WAIT_ALL,
     {"uninitialized read by cp.async of 4 bytes in global memory", "128 bytes into"}},
    {"copy_for_mbarrier",
     INIT COPY "cp.async.mbarrier.arrive.noinc.shared.b64 [bar];\nTRY: "
               "mbarrier.test_wait.parity.shared.b64 %q, [bar], 0;\n@!%q bra TRY;\n" LOAD_OTHER,
     {NULL}},
    /* ---- bulk copies: 128 bytes of %g to s, by thread 0 ---- */
    {"bulk", INIT BULK BULK_WAIT "@!%w ld.shared.u32 %v, [%a];\n", {NULL}},
    {"bulk_not_waited_for",
     INIT BULK "@%t0 ld.shared.u32 %v, [%a];\n",
     {"RAW hazard", "before it, cp.async.bulk by thread (0,0,0)"}},
    {"bulk_barrier_is_no_wait", INIT BULK BARRIER "@%t0 ld.shared.u32 %v, [%a];\n", {"RAW hazard"}},
    {"bulk_over_a_read",
     "@!%w st.shared.u32 [%a], %t;\n" PROXY INIT "@!%w ld.shared.u32 %v, [%a];\n@%w bra OUT;\n" BULK
     "OUT:\n",
     {NULL}},
    {"bulk_over_a_store_of_the_same",
     "@!%w st.shared.u32 [%a], %t;\n" INIT "@%w bra OUT;\n" BULK "OUT:\n",
     {"missing proxy fence", "cp.async.bulk of 16 bytes by thread (0,0,0)",
      "before it, st by thread", "no fence.proxy.async behind the store"}},
    {"bulk_over_a_store", INIT "@%w st.shared.u32 [%b], %t;\n" BULK BULK_WAIT, {"WAW hazard"}},
    {"bulk_of_unwritten",
     INIT "@%t0 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [s], [%g+64], "
          "128, [bar];\n" BARRIER,
     {"uninitialized read by cp.async.bulk of 16 bytes in global memory"}},
    {"bulk_store",
     "@!%w st.shared.u32 [%a], %t;\n" PROXY "bar.warp.sync 0xffffffff;\n" BULK_STORE BULK_STORED
     "@!%w st.shared.u32 [%a], %k;\n",
     {NULL}},
    {"bulk_store_not_waited_for",
     "@!%w st.shared.u32 [%a], %t;\n" PROXY "bar.warp.sync 0xffffffff;\n" BULK_STORE
     "add.u32 %k, %k, 1;\n@!%w st.shared.u32 [%a], %k;\n",
     {"WAR hazard", "before it, cp.async.bulk by thread (0,0,0)"}},
    {"bulk_store_no_barrier",
     "@%w st.shared.u32 [%b], %t;\n" BULK_STORE,
     {"hazard in shared memory", "cp.async.bulk", "thread (0,0,0)"}},
    /* ---- matrices ---- */
    {"ldmatrix_unwritten",
     "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%v}, [s];\n",
     {"uninitialized read by ldmatrix of 16 bytes in shared memory"}},
    {"ldmatrix_of_the_other",
     "st.shared.u32 [%a], %t;\nldmatrix.sync.aligned.m8n8.x1.shared.b16 {%v}, [s+128];\n",
     {"hazard in shared memory", "ldmatrix"}},
    {"stmatrix_over_the_other",
     "st.shared.u32 [%a], %t;\nstmatrix.sync.aligned.m8n8.x1.shared.b16 [s+128], {%v};\n",
     {"WAW hazard", "stmatrix"}},
    {"wmma_unwritten",
     "wmma.load.a.sync.aligned.row.m16n16k16.shared.u8 {%v, %n}, [s], 16;\n",
     {"uninitialized read by wmma.load"}},
    /* ---- lanes that are waited for ---- */
    {"warp_barrier_of_lanes_that_left",
     "@!%n30 exit;\nbar.warp.sync 0xffffffff;\n",
     {"bar.warp by thread (0,0,0)", "names lanes 0xc0000000, which have exited"}},
    {"warp_barrier_of_lanes_that_stay", "@!%n30 exit;\nbar.warp.sync 0x3fffffff;\n", {NULL}},
    {"shuffle_of_lanes_that_left",
     "@!%n30 exit;\nshfl.sync.down.b32 %v|%q, %t, 16, 31, 0xffffffff;\n",
     {"shfl by thread (0,0,0)", "mask 0xffffffff names lanes 0xc0000000, which have exited"}},
    {"shuffle_of_lanes_that_stay",
     "@!%n30 exit;\nshfl.sync.down.b32 %v|%q, %t, 1, 31, 0x3fffffff;\n",
     {NULL}},
    {"vote_of_lanes_that_left",
     "@!%n30 exit;\nvote.sync.ballot.b32 %v, %w, 0xffffffff;\n",
     {"vote by thread (0,0,0)", "names lanes 0xc0000000"}},
    {"vote_of_lanes_that_stay", "@!%n30 exit;\nvote.sync.ballot.b32 %v, %w, 0x3fffffff;\n", {NULL}},
    {"match_of_lanes_that_left",
     "@!%n30 exit;\nmatch.any.sync.b32 %v, %t, 0xffffffff;\n",
     {"match by thread (0,0,0)", "names lanes 0xc0000000"}},
    {"reduction_of_lanes_that_left",
     "@!%n30 exit;\nredux.sync.add.s32 %v, %t, 0xffffffff;\n",
     {"redux by thread (0,0,0)", "names lanes 0xc0000000"}},
    /* Tiles of eight name themselves; those of the last have left. */
    {"shuffle_of_tiles",
     "and.b32 %l, %k, 24;\nshl.b32 %l, 0xff, %l;\n"
     "shfl.sync.down.b32 %v|%q, %t, 1, 0x1807, %l;\n",
     {NULL}},
    {"shuffle_of_a_tile_that_left",
     "and.b32 %l, %k, 24;\nshl.b32 %l, 0xff, %l;\n@!%n30 exit;\n"
     "shfl.sync.down.b32 %v|%q, %t, 1, 0x1807, %l;\n",
     {"mask 0xff000000 names lanes 0xc0000000"}},
    {"shuffle_that_lanes_do_not_come_to",
     "@!%n30 bra OUT;\nshfl.sync.down.b32 %v|%q, %t, 16, 31, 0xffffffff;\nOUT:\n",
     {"names lanes 0xc0000000, which are on another path"}},
    {"shuffle_with_a_guard", "@%n30 shfl.sync.down.b32 %v|%q, %t, 1, 31, 0x3fffffff;\n", {NULL}},
    {"warp_barrier_of_others",
     "bar.warp.sync 0x3fffffff;\n",
     {"mask 0x3fffffff does not name lanes 0xc0000000, which execute it"}},
    {"barrier_of_part_of_a_warp",
     "@!%n30 bra OUT;\nbar.sync 0;\nOUT:\n",
     {"bar by thread (", "lanes 0xc0000000 of the warp are on another path"}},
    {"barrier_of_who_stays", "@!%n30 exit;\nbar.sync 0;\n", {NULL}},
    {"barrier_of_one_warp", "@%w bra OUT;\nbar.sync 1, 32;\nOUT:\n", {NULL}},
    {"barrier_of_part_of_its_count",
     "@%w bra OUT;\nbar.sync 1, 20;\nOUT:\n",
     {"bar by thread (0,0,0)", "its 20 threads are no whole warps"}},
    {"mbarrier_unwritten",
     "mbarrier.test_wait.parity.shared.b64 %q, [bar], 0;\n",
     {"uninitialized read by mbarrier of 8 bytes in shared memory"}},
};

/* The body is line 42 of "source.cu". */
static char *module_of(const kernel_case *c, ww_str *out)
{
    ww_str_add(out, ".version 8.0\n.target sm_90\n.address_size 64\n.file 1 \"source.cu\"\n");
    ww_str_addf(out, ".visible .entry %s(.param .u64 p) {\n", c->name);
    ww_str_add(
        out,
        ".shared .align 16 .b8 s[512]; .shared .align 8 .b64 bar; .local .align 8 .b8 depot[8];\n"
        ".reg .pred %w, %q, %t0, %n30; .reg .b32 %t, %v, %a, %b, %n, %l, %k;\n"
        ".reg .b64 %g, %x, %aw, %mine, %first;\n"
        "ld.param.u64 %g, [p]; mov.u32 %t, %tid.x; mov.u32 %a, s;\n"
        "shl.b32 %b, %t, 2; add.u32 %a, %a, %b; xor.b32 %b, %a, 128;\n"
        "setp.ge.u32 %w, %t, 32; setp.eq.u32 %t0, %t, 0; and.b32 %k, %t, 31;\n"
        "setp.lt.u32 %n30, %k, 30; mul.wide.u32 %mine, %k, 4; add.u64 %first, %g, "
        "%mine;\nmul.wide.u32 %mine, %t, 4; add.u64 %mine, %g, %mine; cvt.u64.u32 %aw, "
        "%a;\nmov.u32 %l, depot; add.u32 %l, %l, 4; mov.u32 %v, 0; mov.u64 %x, 0;\n.loc 1 42 3\n");
    ww_str_addf(out,
                "%s.loc 1 99 1\ncvt.u32.u64 %%k, %%x; add.u32 %%v, %%v, %%k;\n"
                "st.global.u32 [%%mine], %%v;\nret;\n}\n",
                c->body);
    return out->data;
}

typedef struct outcome {
    size_t findings;
    uint64_t accesses; /* of the first */
    char text[4000];   /* of all */
    ww_status status;
    ww_error err;
} outcome;

static outcome run_threads(const kernel_case *c, uint32_t threads, ww_device_options options)
{
    outcome o = {0};
    ww_str text = {0};
    ww_arch *arch = NULL;
    ww_device *device = NULL;
    ww_module *module = NULL;
    ww_devptr p;
    uint32_t values[32] = {0};
    options.memcheck = true;
    assert_ok(ww_arch_load(WW_SOURCE_DIR "/configs/gpu/gtx480.xml", NULL, 0, &arch, &o.err), o.err);
    assert_ok(ww_device_create(arch, &options, &device, &o.err), o.err);
    const char *ptx = module_of(c, &text);
    assert_ok(ww_device_load_ptx(device, "case.ptx", ptx, text.len, &module, &o.err), o.err);
    assert_ok(ww_device_malloc(device, 256, &p, &o.err), o.err);
    assert_ok(ww_device_write(device, p, values, sizeof values, &o.err), o.err);
    const void *args[] = {&p};
    o.status = ww_device_launch(device, module, c->name, (ww_dim3){1, 1, 1},
                                (ww_dim3){threads, 1, 1}, 0, args, 1, &o.err);
    uint64_t more;
    const ww_finding *finding = ww_device_findings(device, &o.findings, &more);
    assert_int_equal(more, 0);
    for (size_t i = 0; i < o.findings; i++) {
        size_t used = strlen(o.text);
        snprintf(o.text + used, sizeof o.text - used, "%s\n", finding[i].text);
        o.accesses += i == 0 ? finding[i].count : 0;
    }
    ww_device_destroy(device);
    ww_arch_destroy(arch);
    ww_str_fini(&text);
    return o;
}

static outcome run_case(const kernel_case *c, ww_device_options options)
{
    return run_threads(c, 64, options);
}

static void check_case(const kernel_case *c, ww_device_options options)
{
    outcome o = run_case(c, options);
    assert_ok(o.status, o.err);
    if ((o.findings > 0) != (c->found[0] != NULL)) {
        fail_msg("%s: %zu findings, isa %d, %s", c->name, o.findings, (int)options.isa, o.text);
    }
    for (unsigned k = 0; k < 4 && c->found[k] != NULL; k++) {
        if (strstr(o.text, c->found[k]) == NULL) {
            fail_msg("%s: no '%s' in: %s", c->name, c->found[k], o.text);
        }
    }
    if (strstr(o.text, " of rank ") != NULL) {
        fail_msg("%s: there is no cluster: %s", c->name, o.text);
    }
    if (o.findings > 0 &&
        (strstr(o.text, "source.cu:42 (case.ptx:") != o.text || strstr(o.text, c->name) == NULL)) {
        fail_msg("%s: where? %s", c->name, o.text);
    }
}

static void without_time(void **state)
{
    (void)state;
    for (unsigned k = 0; k < WW_ARRAY_LEN(cases); k++) {
        check_case(&cases[k], (ww_device_options){.functional_only = true});
        check_case(&cases[k], (ww_device_options){.functional_only = true, .isa = WW_ISA_PTX});
    }
}

static void with_time(void **state)
{
    (void)state;
    for (unsigned k = 0; k < WW_ARRAY_LEN(cases); k++) {
        check_case(&cases[k], (ww_device_options){.threads = 2});
    }
}

/* These stop the kernel, and say where in the source. */
static void faults(void **state)
{
    (void)state;
    static const struct {
        const char *body, *found;
    } wrong[] = {
        {"ld.global.u32 %v, [%g+256];\n", "access out of bounds by ld of 4 bytes in global"},
        {"st.shared.u32 [s+768], %t;\n", "access out of bounds by st of 4 bytes in shared"},
        {"ld.local.u32 %v, [depot+4096];\n", "access out of bounds by ld of 4 bytes in local"},
        {"st.global.u32 [%g+2], %t;\n", "misaligned access by st of 4 bytes in global"},
        {"ld.shared.u64 %x, [s+4];\n", "misaligned access by ld of 8 bytes in shared"},
        {"cp.async.ca.shared.global [%a], [%g+256], 4;\n",
         "access out of bounds by cp.async of 4 bytes in global"},
        {"cp.async.ca.shared.global [s+768], [%g], 4;\n",
         "cp.async of 4 bytes to 0x300 of the CTA's 512 bytes of shared memory"},
        {"cp.async.bulk.global.shared::cta.bulk_group [%g], [s], 272;\n",
         "access out of bounds by cp.async.bulk of 272 bytes in global"},
        {"cp.async.bulk.global.shared::cta.bulk_group [%g], [s+512], 32;\n",
         "access out of bounds by cp.async.bulk of 32 bytes in shared"},
        {"cp.async.bulk.global.shared::cta.bulk_group [%g], [s], 20;\n",
         "misaligned access by cp.async.bulk of 20 bytes"},
        {"mbarrier.init.shared.b64 [bar+4], 1;\n",
         "misaligned access by mbarrier of 8 bytes in shared"},
        {"mbarrier.init.shared.b64 [bar+512], 1;\n",
         "access out of bounds by mbarrier of 8 bytes in shared"},
        {"ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%v}, [s+1024];\n",
         "access out of bounds by ldmatrix of 16 bytes in shared"},
        {"wmma.load.a.sync.aligned.row.m16n16k16.global.u8 {%v, %n}, [%g+256], 16;\n",
         "access out of bounds by wmma.load of"},
        {"atom.global.add.u32 %v, [%g+256], 1;\n",
         "access out of bounds by atom of 4 bytes in global"},
    };
    for (unsigned k = 0; k < WW_ARRAY_LEN(wrong); k++) {
        const kernel_case c = {.name = "fault", .body = wrong[k].body};
        outcome o = run_case(&c, (ww_device_options){.functional_only = true});
        bool misaligned = strstr(wrong[k].found, "misaligned access") != NULL;
        if (o.status != (misaligned ? WW_EALIGN : WW_EFAULT)) {
            fail_msg("%s ended with %d: %s", wrong[k].found, (int)o.status, o.err.what);
        }
        if (strstr(o.err.what, wrong[k].found) == NULL) {
            fail_msg("no '%s' in: %s", wrong[k].found, o.err.what);
        }
        assert_non_null(strstr(o.err.what, "source.cu:42"));
        assert_non_null(strstr(o.err.what, "thread (0,0,0)"));
    }
}

/* One place is one finding, however often; two places are two. */
static void counting(void **state)
{
    (void)state;
    const kernel_case both = {.name = "both",
                              .body = "ld.global.u32 %v, [%g+128];\n"
                                      "ld.volatile.global.u32 %t, [%g+132];\n"};
    outcome o = run_case(&both, (ww_device_options){.functional_only = true});
    assert_ok(o.status, o.err);
    assert_int_equal(o.findings, 2);
    assert_int_equal(o.accesses, 64); /* of the first, by every thread */
}

/* The last warp of a CTA is not full: its shuffle names lanes that never were. */
static void lanes_that_never_were(void **state)
{
    (void)state;
    const kernel_case c = {
        .name = "half",
        .body = "shfl.sync.down.b32 %v|%q, %t, 1, 31, 0xffffffff;\n",
    };
    outcome o = run_threads(&c, 48, (ww_device_options){.functional_only = true});
    assert_ok(o.status, o.err);
    assert_int_equal(o.findings, 1);
    assert_int_equal(o.accesses, 1); /* by the second warp alone */
    assert_non_null(strstr(o.text, "shfl by thread (32,0,0) of CTA (0,0,0), warp 1"));
    assert_non_null(strstr(o.text, "names lanes 0xffff0000, which have exited or are not there"));
}

/* More live registers than a thread has, one of which only thread 0 gives a value and uses: what
 * the lowering keeps in memory is no variable of the program. */
static void spilled_registers_are_no_variables(void **state)
{
    (void)state;
    enum { LIVE = 90 };
    ww_str body = {0};
    ww_str_addf(&body, ".reg .b32 %%w<%d>;\n@%%t0 mov.u32 %%w0, 5;\n", LIVE);
    for (int i = 1; i < LIVE; i++) {
        ww_str_addf(&body, "ld.volatile.global.u32 %%w%d, [%%g];\n", i);
    }
    ww_str_addf(&body, "mov.u32 %%v, 0;\n");
    for (int i = 1; i < LIVE; i++) {
        ww_str_addf(&body, "xor.b32 %%v, %%v, %%w%d;\n", i);
    }
    ww_str_addf(&body, "@%%t0 add.u32 %%v, %%v, %%w0;\nst.global.u32 [%%mine], %%v;\n");
    const kernel_case c = {.name = "spilled", .body = ww_str_text(&body)};
    check_case(&c, (ww_device_options){.functional_only = true, .isa = WW_ISA_LOWERED});
    check_case(&c, (ww_device_options){.threads = 1, .isa = WW_ISA_LOWERED});
    ww_str_fini(&body);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_time),
        cmocka_unit_test(with_time),
        cmocka_unit_test(faults),
        cmocka_unit_test(counting),
        cmocka_unit_test(lanes_that_never_were),
        cmocka_unit_test(spilled_registers_are_no_variables),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
