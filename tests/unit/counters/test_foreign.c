/* test_foreign.c - do the outputs of GPGPU-Sim, Accel-Sim and Nsight Compute give the counters that
 * they tell, is what they do not tell estimated by its rule, and is a broken file a located error?
 * The texts are in the formats of those programs; their numbers are made up. */
#include "counters/foreign.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "tests/support/foreign_machine.h"
#include "tests/support/test.h"

/* One block of a log. Numbers but the first two go on counting. */
#define LAUNCH                                                                                     \
    "GPGPU-Sim PTX: pushing kernel '_Z3addPf' to stream 0, gridDim= (3,1,1) blockDim = (64,1,1) "  \
    "\n"
#define BLOCK(uid, cycles, winsn, l2hit, l2miss, act0, act1, rd, wr, flits)                        \
    "kernel_name = _Z3addPf \nkernel_launch_uid = " uid " \ngpu_sim_cycle = " cycles               \
    "\ngpu_sim_insn = 3000\ngpu_ipc =      -nan\ngpu_tot_issued_cta = 3\n"                         \
    "\tTotal_core_cache_stats_breakdown[GLOBAL_ACC_R][HIT] = 11\n"                                 \
    "gpgpu_n_tot_w_icount = " winsn "\ngpgpu_n_load_insn  = 64\ngpgpu_n_store_insn = 32\n"         \
    "gpgpu_n_shmem_insn = 320\ngpgpu_n_tex_insn = 0\ngpgpu_n_shmem_bkconflict = 5\n"               \
    "Warp Occupancy Distribution:\nStall:10\tW0_Idle:20\tW0_Scoreboard:30\tW1:4\tW32:36\n"         \
    "DRAM[0]: 16 bks, busW=4 BL=8 CL=12, tRRD=6\nn_cmd=900 n_nop=800 n_act=" act0                  \
    " n_pre=1 n_req=8 n_rd=" rd " n_write=" wr " bw_util=0.1\nn_activity=50 dram_eff=0.5\n"        \
    "DRAM[1]: 16 bks, busW=4 BL=8 CL=12, tRRD=6\nn_cmd=900 n_nop=800 n_act=" act1                  \
    " n_pre=1 n_req=8 n_rd=" rd " n_write=" wr " bw_util=0.1\nn_activity=60 dram_eff=0.5\n"        \
    "\tL2_cache_stats_breakdown[GLOBAL_ACC_R][HIT] = " l2hit                                       \
    "\n\tL2_cache_stats_breakdown[GLOBAL_ACC_R][HIT_RESERVED] = 2\n"                               \
    "\tL2_cache_stats_breakdown[GLOBAL_ACC_R][MISS] = " l2miss                                     \
    "\nicnt_total_pkts_mem_to_simt=70\nicnt_total_pkts_simt_to_mem=" flits "\n"
#define FIRST  BLOCK("1", "500", "100", "40", "8", "3", "4", "10", "2", "30")
#define SECOND BLOCK("2", "700", "140", "45", "8", "3", "9", "16", "2", "35")

static uint64_t total(const ww_foreign_activity *f, size_t launch, const char *counter)
{
    return ww_counter_total(f->activity->launches[launch].counters, ww_counter_find(counter));
}

static ww_telling telling(const ww_foreign_activity *f, size_t launch, const char *counter)
{
    return (ww_telling)f->telling[launch][ww_counter_find(counter)];
}

static void parse(ww_foreign_source source, const char *text, ww_foreign_activity *out)
{
    ww_error err = {0};
    assert_ok(
        ww_foreign_parse(source, "made-up.txt", text, strlen(text), &foreign_machine, out, &err),
        err);
}

static void test_log(void **state)
{
    (void)state;
    ww_foreign_activity f;
    parse(WW_FROM_GPGPUSIM, LAUNCH FIRST LAUNCH SECOND, &f);
    assert_int_equal(f.activity->launch_count, 2);
    const ww_launch_record *first = &f.activity->launches[0];
    assert_string_equal(first->kernel, "_Z3addPf");
    assert_int_equal(first->grid[0], 3);
    assert_int_equal(first->block[0], 64);
    assert_int_equal(total(&f, 0, "chip.cycles.core"), 500);
    assert_int_equal(total(&f, 0, "sm.inst.warp"), 100);
    assert_int_equal(total(&f, 0, "sm.inst.lanes"), 4 + 32 * 36);
    assert_int_equal(total(&f, 0, "sm.cycles.active"), 100 / 2); /* slots over schedulers */
    assert_int_equal(total(&f, 0, "sm.warps"), 6);
    assert_int_equal(total(&f, 0, "sm.l1d.read.hit"), 11);
    assert_int_equal(total(&f, 0, "sm.l1d.read.miss"), 0); /* a zero that is left out */
    assert_int_equal(telling(&f, 0, "sm.l1d.read.miss"), WW_TOLD);
    assert_int_equal(total(&f, 0, "sm.shared.inst"), 10);
    assert_int_equal(total(&f, 0, "sm.shared.cycles"), 15);
    assert_int_equal(total(&f, 0, "slice.l2.read.miss"), 10);
    assert_int_equal(total(&f, 0, "slice.l2.read.merged"), 2);
    assert_int_equal(total(&f, 0, "channel.dram.activate"), 7);
    assert_int_equal(total(&f, 0, "channel.dram.read"), 10); /* 20 commands of 32 B */
    assert_int_equal(total(&f, 0, "channel.dram.write"), 2);
    assert_int_equal(total(&f, 0, "channel.dram.active"), 110);
    assert_int_equal(total(&f, 0, "sm.icnt.request.flits"), 30);
    /* The second is the difference, but for what is of one kernel. */
    assert_int_equal(total(&f, 1, "chip.cycles.core"), 700);
    assert_int_equal(total(&f, 1, "sm.inst.thread"), 3000);
    assert_int_equal(total(&f, 1, "sm.inst.warp"), 40);
    assert_int_equal(total(&f, 1, "slice.l2.read.hit"), 5);
    assert_int_equal(total(&f, 1, "channel.dram.activate"), 5);
    assert_int_equal(total(&f, 1, "channel.dram.write"), 0);
    ww_foreign_fini(&f);
}

static void test_estimates(void **state)
{
    (void)state;
    ww_foreign_activity f;
    parse(WW_FROM_GPGPUSIM, LAUNCH FIRST, &f);
    assert_int_equal(telling(&f, 0, "sm.inst.decoded"), WW_ESTIMATED);
    assert_int_equal(total(&f, 0, "sm.inst.decoded"), 104);
    assert_int_equal(total(&f, 0, "sm.rf.read"), 135);
    assert_int_equal(total(&f, 0, "sm.rf.read.lanes"), 4170);
    assert_int_equal(total(&f, 0, "chip.cycles.dram"), 250);
    assert_int_equal(total(&f, 0, "chip.cluster.active"), 33); /* 2 clusters of 3 busy SMs */
    ww_foreign_fini(&f);
    static const char two[] = "GPGPU-Sim PTX: pushing kernel '_Z3addPf' to stream 0, gridDim= "
                              "(2,1,1) blockDim = (64,1,1) \n";
    char text[4096];
    snprintf(text, sizeof text, "%s%s", two, FIRST);
    parse(WW_FROM_GPGPUSIM, text, &f);
    assert_int_equal(total(&f, 0, "chip.cluster.active"), 25); /* both SMs of the first cluster */
    ww_foreign_fini(&f);
}

/* Where clusters are not all of one size the first are the larger ones: SMs 0 to 3 of 15 in 4. */
static void test_uneven_clusters(void **state)
{
    (void)state;
    ww_foreign_machine uneven = foreign_machine;
    uneven.sms = 15;
    uneven.clusters = 4;
    for (int ctas = 1; ctas <= 15; ctas++) {
        static const int busy[] = {0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4};
        char text[4096];
        int length =
            snprintf(text, sizeof text,
                     "GPGPU-Sim PTX: pushing kernel '_Z3addPf' to stream 0, gridDim= (%d,1,1) "
                     "blockDim = (64,1,1) \n%s",
                     ctas, FIRST);
        ww_foreign_activity f;
        ww_error err = {0};
        assert_int_equal(
            ww_foreign_parse(WW_FROM_GPGPUSIM, "log", text, (size_t)length, &uneven, &f, &err),
            WW_OK);
        double clusters = (double)total(&f, 0, "chip.cluster.active") * ctas /
                          (double)total(&f, 0, "sm.cycles.active");
        assert_near(clusters, busy[ctas], 0, 0.3); /* counters are whole */
        ww_foreign_fini(&f);
    }
}

/* Every counter that costs energy is told or has a rule, whatever the source; but for bits, of
 * which none compared is a statement: the assumed activity. */
static void test_nothing_is_silent(void **state)
{
    (void)state;
    ww_foreign_activity f;
    parse(WW_FROM_GPGPUSIM, LAUNCH FIRST, &f);
    for (int c = 0; c < WW_COUNTER_COUNT; c++) {
        const ww_counter_info *info = ww_counter_describe((ww_counter)c);
        bool charged = strcmp(info->consumers, "INFO") != 0 &&
                       strcmp(info->consumers, "METRIC") != 0 &&
                       strcmp(info->consumers, "MECH") != 0 && strcmp(info->unit, "bit") != 0;
        if (charged && f.telling[0][c] == WW_UNTOLD) {
            fail_msg("no rule for %s", info->name);
        }
    }
    ww_foreign_fini(&f);
}

static void write_file(const char *path, const char *text)
{
    ww_error err = {0};
    assert_ok(ww_write_file(path, text, strlen(text), &err), err);
}

#define REPORT(name)                                                                               \
    "kernel_name = " name " \nkernel_launch_uid = 1 \nKernel Average Power Data:\n"                \
    "kernel_avg_power = 60\ngpu_avg_IDLE_CORE_N, = 1.5\ngpu_tot_REG_RD, = 9000\n"                  \
    "gpu_tot_REG_WR, = 2000\ngpu_tot_INT_ACC, = 12345\ngpu_tot_avg_power = 60\n"

static void test_power_report(void **state)
{
    (void)state;
    const char *const paths[] = {"foreign_run.log", "foreign_power.log"};
    ww_foreign_activity f;
    ww_error err = {0};
    write_file(paths[0], LAUNCH FIRST);
    write_file(paths[1], REPORT("_Z3addPf"));
    assert_ok(ww_foreign_load(WW_FROM_ACCELSIM, paths, 2, &foreign_machine, &f, &err), err);
    assert_int_equal(total(&f, 0, "sm.rf.read.lanes"), 9000);
    assert_int_equal(telling(&f, 0, "sm.rf.write.lanes"), WW_TOLD);
    assert_int_equal(total(&f, 0, "sm.cycles.active"), 4 * 500 - 750);
    assert_int_equal(telling(&f, 0, "sm.op.int_add"), WW_ESTIMATED);
    ww_foreign_fini(&f);
    write_file(paths[1], REPORT("_Z3subPf"));
    assert_int_equal(ww_foreign_load(WW_FROM_ACCELSIM, paths, 2, &foreign_machine, &f, &err),
                     WW_ESCHEMA);
    assert_string_equal(err.file, paths[1]);
    remove(paths[0]);
    remove(paths[1]);
}

#define COEFFICIENT(name, value) "<param name=\"" name "\" value=\"" value "\"/>\n"
#define MODEL(content)                                                                             \
    "<?xml version=\"1.0\" ?>\n<component id=\"root\" name=\"root\">\n<component id=\"system\" "   \
    "name=\"system\">\n" content "</component></component>\n"

/* Lanes are what the report counts, by the coefficient of the unit; one of no coefficient stays an
 * estimate. */
static void test_coefficients_of_the_model(void **state)
{
    (void)state;
    const char *const paths[] = {"foreign_model.xml", "foreign_run.log", "foreign_power.log"};
    ww_foreign_activity f;
    ww_error err = {0};
    write_file(paths[1], LAUNCH FIRST);
    write_file(paths[2], REPORT("_Z3addPf") "gpu_tot_FPU_ACC, = 500\ngpu_tot_DP_MUL_ACC, = 64\n"
                                            "gpu_tot_DPU_ACC, = 5\ngpu_tot_FP_MUL_ACC, = 80\n");
    write_file(paths[0], MODEL(COEFFICIENT("INT_ACC", "12.345") COEFFICIENT("FP_ACC", "0.5")
                                   COEFFICIENT("DP_MUL_ACC", "2") COEFFICIENT("DP_ACC", "0")
                                       COEFFICIENT("L2_RH", "1.5")));
    assert_ok(ww_foreign_load(WW_FROM_ACCELSIM, paths, 3, &foreign_machine, &f, &err), err);
    assert_int_equal(total(&f, 0, "sm.op.int_add"), 610);
    assert_int_equal(total(&f, 0, "sm.op.int_logic"), 210);
    assert_int_equal(total(&f, 0, "sm.op.move"), 155);
    assert_int_equal(total(&f, 0, "sm.op.pred"), 25);
    assert_int_equal(total(&f, 0, "sm.op.fp32_add"), 800);
    assert_int_equal(total(&f, 0, "sm.op.cvt"), 200);
    assert_int_equal(total(&f, 0, "sm.op.fp64_fma"), 32);
    assert_int_equal(telling(&f, 0, "sm.op.int_add"), WW_TOLD);
    assert_int_equal(telling(&f, 0, "sm.op.fp64_add"), WW_ESTIMATED); /* coefficient 0 */
    assert_int_equal(telling(&f, 0, "sm.op.fp32_fma"), WW_ESTIMATED); /* of no coefficient */
    ww_foreign_fini(&f);
    write_file(paths[0], MODEL(COEFFICIENT("INT_ACC", "-1")));
    assert_int_equal(ww_foreign_load(WW_FROM_ACCELSIM, paths, 3, &foreign_machine, &f, &err),
                     WW_ERANGE);
    assert_int_equal(err.line, 4);
    write_file(paths[0], MODEL(""));
    assert_int_equal(ww_foreign_load(WW_FROM_ACCELSIM, paths, 3, &foreign_machine, &f, &err),
                     WW_ESCHEMA);
    assert_string_equal(err.file, paths[0]);
    assert_int_equal(ww_foreign_load(WW_FROM_ACCELSIM, paths, 1, &foreign_machine, &f, &err),
                     WW_EUSAGE);
    for (size_t i = 0; i < 3; i++) {
        remove(paths[i]);
    }
}

#define NCU_HEAD                                                                                   \
    "n = 5\n==PROF== Connected to process 1\n\"ID\",\"Kernel Name\",\"Block Size\",\"Grid Size\","
#define NCU_LONG NCU_HEAD "\"Metric Name\",\"Metric Unit\",\"Metric Value\"\n"
#define ROW(id, name, unit, value)                                                                 \
    "\"" id "\",\"add(float *, int)\",\"(64, 1, 1)\",\"(3, 1, 1)\",\"" name "\",\"" unit           \
    "\",\"" value "\"\n"
#define NCU_NEEDED(id)                                                                             \
    ROW(id, "sm__cycles_elapsed.max", "cycle", "1,500")                                            \
    ROW(id, "smsp__inst_executed.sum", "inst", "1,000")                                            \
    ROW(id, "lts__t_sectors_op_read_lookup_hit.sum", "sector", "77")                               \
    ROW(id, "dram__bytes_read.sum", "Kbyte", "6.4") ROW(id, "dram__bytes_write.sum", "byte", "128")

static void test_metric_per_row(void **state)
{
    (void)state;
    ww_foreign_activity f;
    parse(WW_FROM_NCU,
          NCU_LONG NCU_NEEDED("0") ROW("0", "gpu__time_duration.sum", "usecond", "3")
              ROW("0", "smsp__sass_thread_inst_executed_op_ffma_pred_on.sum", "inst", "640")
                  ROW("0", "sm__cycles_active.avg", "cycle", "n/a") NCU_NEEDED("1"),
          &f);
    assert_int_equal(f.activity->launch_count, 2);
    const ww_launch_record *first = &f.activity->launches[0];
    assert_string_equal(first->kernel, "add(float *, int)");
    assert_int_equal(first->grid[0], 3);
    assert_int_equal(total(&f, 0, "chip.cycles.core"), 1500);
    assert_near(first->core_hz, 5e8, 1e-12, 0); /* 1500 cycles in 3 us */
    assert_near(f.activity->launches[1].core_hz, 1e9, 1e-12, 0);
    assert_int_equal(total(&f, 0, "channel.dram.read"), 100);
    assert_int_equal(total(&f, 0, "channel.dram.write"), 2);
    assert_int_equal(total(&f, 0, "sm.op.fp32_fma"), 640);
    assert_int_equal(telling(&f, 0, "sm.op.fp32_fma"), WW_TOLD);
    assert_int_equal(telling(&f, 1, "sm.op.fp32_fma"), WW_ESTIMATED);
    assert_int_equal(telling(&f, 0, "sm.cycles.active"), WW_ESTIMATED); /* n/a */
    assert_int_equal(total(&f, 0, "sm.cycles.active"), 3 * 1500);
    ww_foreign_fini(&f);
}

static void test_metric_per_column(void **state)
{
    (void)state;
    ww_foreign_activity f;
    parse(WW_FROM_NCU,
          NCU_HEAD
          "\"sm__cycles_elapsed.max\",\"smsp__inst_executed.sum\",\"lts__t_sectors_op_read_"
          "lookup_hit.sum\",\"dram__bytes_read.sum\",\"dram__bytes_write.sum\","
          "\"l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum\"\n"
          "\"\",\"\",\"\",\"\",\"cycle\",\"inst\",\"sector\",\"Mbyte\",\"byte\",\"sector\"\n"
          "\"0\",\"k\",\"(64, 1, 1)\",\"(3, 1, 1)\",\"1,234,567\",\"10\",\"0\",\"0.64\","
          "\"64\",\"400\"\n",
          &f);
    assert_int_equal(total(&f, 0, "chip.cycles.core"), 1234567);
    assert_int_equal(total(&f, 0, "channel.dram.read"), 10000);
    assert_int_equal(total(&f, 0, "sm.l1d.read.hit"), 100); /* four sectors a look-up */
    ww_foreign_fini(&f);
}

static void refused(ww_foreign_source source, const char *text, ww_status code, int line,
                    const char *says)
{
    ww_foreign_activity f;
    ww_error err = {0};
    ww_status status =
        ww_foreign_parse(source, "bad.txt", text, strlen(text), &foreign_machine, &f, &err);
    if (status != code || err.line != line || strstr(err.what, says) == NULL) {
        fail_msg("expected %d at line %d ('%s'), got %d at line %d: %s", (int)code, line, says,
                 (int)status, err.line, err.what);
    }
    assert_null(f.activity);
}

static void test_broken_logs(void **state)
{
    (void)state;
    refused(WW_FROM_GPGPUSIM, "", WW_EPARSE, 1, "no kernel");
    refused(WW_FROM_GPGPUSIM, BLOCK("1", "nan", "1", "1", "1", "1", "1", "1", "1", "1"), WW_EPARSE,
            3, "'nan'");
    refused(WW_FROM_GPGPUSIM, BLOCK("1", "500", "-3", "1", "1", "1", "1", "1", "1", "1"), WW_ERANGE,
            8, "cannot be -3");
    refused(WW_FROM_GPGPUSIM, BLOCK("1", "500", "1e99", "1", "1", "1", "1", "1", "1", "1"),
            WW_ERANGE, 8, "gpgpu_n_tot_w_icount");
    refused(WW_FROM_GPGPUSIM, BLOCK("1", "0", "1", "1", "1", "1", "1", "1", "1", "1"), WW_ERANGE, 1,
            "no cycle");
    refused(WW_FROM_GPGPUSIM, FIRST "gpu_sim_cycle = 501\n", WW_EPARSE, 27, "told twice");
    refused(WW_FROM_GPGPUSIM, SECOND FIRST, WW_ERANGE, 34, "falls");
    /* Cut before the interconnect, in the first kernel and in the second. */
    static const char *const two[] = {FIRST, FIRST SECOND};
    for (int i = 0; i < 2; i++) {
        char *cut = strdup(two[i]);
        assert_non_null(cut);
        char *last = cut, *next;
        while ((next = strstr(last + 1, "icnt_total_pkts_simt")) != NULL) {
            last = next;
        }
        *last = '\0';
        refused(WW_FROM_GPGPUSIM, cut, WW_ESCHEMA, i == 0 ? 1 : 27, "is the file cut?");
        free(cut);
    }
}

static void test_broken_profiles(void **state)
{
    (void)state;
    refused(WW_FROM_NCU, "==PROF== x\n", WW_EPARSE, 1, "no table");
    refused(WW_FROM_NCU, NCU_LONG, WW_EPARSE, 3, "no row");
    refused(WW_FROM_NCU, NCU_LONG ROW("0", "sm__cycles_elapsed.max", "cycle", "1.234.567"),
            WW_EPARSE, 4, "1.234.567");
    refused(WW_FROM_NCU, NCU_LONG ROW("0", "sm__cycles_elapsed.max", "cycle", "65,77"), WW_EPARSE,
            4, "65,77");
    refused(WW_FROM_NCU, NCU_LONG ROW("0", "sm__cycles_elapsed.max", "cycle", "-5"), WW_ERANGE, 4,
            "cannot be -5");
    refused(WW_FROM_NCU, NCU_LONG ROW("0", "sm__cycles_elapsed.max", "cycle", "inf"), WW_EPARSE, 4,
            "'inf'");
    refused(WW_FROM_NCU, NCU_LONG ROW("0", "dram__bytes_read.sum", "sector", "5"), WW_EPARSE, 4,
            "no unit of it (byte)");
    refused(WW_FROM_NCU,
            NCU_LONG ROW("0", "dram__bytes_read.sum", "byte", "5")
                ROW("0", "dram__bytes_read.sum", "byte", "6"),
            WW_EPARSE, 5, "told twice");
    refused(WW_FROM_NCU, NCU_LONG NCU_NEEDED("0") NCU_NEEDED("1") NCU_NEEDED("0"), WW_EPARSE, 14,
            "comes again");
    refused(WW_FROM_NCU, NCU_LONG ROW("0", "sm__cycles_elapsed.max", "cycle", "5"), WW_ESCHEMA, 4,
            "does not tell sm.inst.warp");
    refused(WW_FROM_NCU, NCU_LONG "\"0\",\"k", WW_EPARSE, 4, "");
    refused(WW_FROM_NCU, NCU_LONG "\"0\",\"k\",\"(64, 1)\",\"(3, 1, 1)\",\"m\",\"\",\"1\"\n",
            WW_EPARSE, 4, "no extent");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_log),
        cmocka_unit_test(test_estimates),
        cmocka_unit_test(test_uneven_clusters),
        cmocka_unit_test(test_nothing_is_silent),
        cmocka_unit_test(test_power_report),
        cmocka_unit_test(test_coefficients_of_the_model),
        cmocka_unit_test(test_metric_per_row),
        cmocka_unit_test(test_metric_per_column),
        cmocka_unit_test(test_broken_logs),
        cmocka_unit_test(test_broken_profiles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
