"""Writes WarpWatt's own counters as other programs would print them: foreign.py ACTIVITY.xml BURST_BYTES FLIT_BYTES SMS OUT
makes OUT.log (GPGPU-Sim), OUT.aw and OUT.xml (AccelWattch: report and model) and OUT.csv (Nsight Compute)."""
import sys
import xml.etree.ElementTree as tree

KINDS = "fadd fp32_add fmul fp32_mul ffma fp32_fma dadd fp64_add dmul fp64_mul dfma fp64_fma conversion cvt misc move inter_thread_communication pred".split()

# Units of AccelWattch: name in its report, coefficient's name and a value for it, our operations that it counts.
UNITS = (("INT_ACC", "INT_ACC", 14.99, "int_add int_logic move pred"), ("INT_MUL_ACC", "INT_MUL_ACC", 0.115, "int_mul"),
         ("INT_MUL24_ACC", "INT_MUL24_ACC", 0.29, ""), ("INT_MUL32_ACC", "INT_MUL32_ACC", 0.25, ""), ("FPU_ACC", "FP_ACC", 0.53, "fp32_add cvt"),
         ("FP_MUL_ACC", "FP_MUL_ACC", 0.0895, "fp32_mul fp32_fma fp16"), ("DPU_ACC", "DP_ACC", 0.777, "fp64_add"),
         ("DP_MUL_ACC", "DP_MUL_ACC", 0.132, "fp64_mul fp64_fma"), ("FP_SQRT_ACC", "FP_SQRT_ACC", 0.195, "sfu"), ("FP_LG_ACC", "FP_LG_ACC", 0.126, ""),
         ("FP_SIN_ACC", "FP_SIN_ACC", 0.133, ""), ("FP_EXP_ACC", "FP_EXP_ACC", 0.362, ""))


def launches(path):
    for launch in tree.parse(path).getroot().iter("launch"):
        counts = {}
        for component in launch.findall("component"):
            for stat in component.findall("stat"):
                counts[stat.get("name")] = counts.get(stat.get("name"), 0) + int(stat.get("value"))
        yield launch.attrib, lambda name, counts=counts: counts.get(name, 0)


def cache(table, kind, hit, miss, merged):
    name = f"\t{table}_stats_breakdown[{kind}]"
    return f"{name}[HIT] = {hit}\n{name}[HIT_RESERVED] = {merged}\n{name}[MISS] = {miss - merged}\n{name}[RESERVATION_FAIL] = 9\n"


def block(index, launch, of, sums, burst, flit):
    """What GPGPU-Sim prints: sums(name) counts from the first launch on."""
    def read(table, kind, path):
        miss = sums(path + ".read.miss")
        merged = sums(path + ".read.merged") if path in ("sm.l1d", "slice.l2") else miss - sums(path + ".fill")
        return cache(table, kind, sums(path + ".read.hit"), miss, merged)

    def write(table, path):
        return cache(table, "GLOBAL_ACC_W", sums(path + ".write.hit"), sums(path + ".write.miss"), 0)

    extents = [launch[k].replace(" ", ",") for k in ("grid", "block")]
    warps, lanes = sums("sm.inst.warp"), sums("sm.inst.lanes")
    full = (lanes - warps) // 31
    text = f"GPGPU-Sim PTX: pushing kernel '{launch['kernel']}' to stream 0, gridDim= ({extents[0]}) blockDim = ({extents[1]}) \n"
    text += f"kernel_name = {launch['kernel']} \nkernel_launch_uid = {index + 1} \nkernel_stream_id = 0\n"
    text += f"gpu_sim_cycle = {of('chip.cycles.core')}\ngpu_sim_insn = {of('sm.inst.thread')}\ngpu_tot_issued_cta = {sums('sm.ctas')}\n"
    text += "".join(read("Total_core_cache", kind, "sm." + path) for kind, path in
                    (("GLOBAL_ACC_R", "l1d"), ("INST_ACC_R", "l1i"), ("CONST_ACC_R", "l1c"), ("TEXTURE_ACC_R", "l1t")))
    text += write("Total_core_cache", "sm.l1d")
    text += f"gpgpu_n_tot_w_icount = {warps}\ngpgpu_n_load_insn  = {sums('loads')}\ngpgpu_n_store_insn = 0\n"
    text += f"gpgpu_n_shmem_insn = {sums('shared')}\ngpgpu_n_tex_insn = 0\ngpgpu_n_shmem_bkconflict = {sums('sm.shared.conflict')}\n"
    text += f"Warp Occupancy Distribution:\nStall:0\tW0_Idle:{sums('sm.slots') - warps}\tW1:{lanes - 32 * full}\tW32:{full}\n"
    for half in (0, 1):  # two channels
        n = {name: (sums("channel.dram." + name) + half) // 2 for name in ("activate", "precharge", "active")}
        n.update({name: (sums("channel.dram." + name) * burst // 32 + half) // 2 for name in ("read", "write")})
        text += f"n_cmd=1 n_nop=1 n_act={n['activate']} n_pre={n['precharge']} n_req=1 n_rd={n['read']} n_rd_L2_A=0 n_write={n['write']} "
        text += f"n_wr_bk=0 bw_util=0.1\nn_activity={n['active']} dram_eff=0.4\n"
    text += read("L2_cache", "GLOBAL_ACC_R", "slice.l2") + write("L2_cache", "slice.l2")
    return text + (f"icnt_total_pkts_mem_to_simt={sums('slice.icnt.reply.flits') * flit // 32}\n"
                   f"icnt_total_pkts_simt_to_mem={sums('sm.icnt.request.flits') * flit // 32}\n")


def report(index, launch, of, sms):
    """What AccelWattch prints."""
    idle = sms - of("sm.cycles.active") / of("chip.cycles.core")
    return (f"kernel_name = {launch['kernel']} \nkernel_launch_uid = {index + 1} \nKernel Average Power Data:\nkernel_avg_power = 50\n"
            f"gpu_avg_IDLE_CORE_N, = {idle:.9g}\ngpu_tot_REG_RD, = {of('sm.rf.read.lanes')}\ngpu_tot_REG_WR, = {of('sm.rf.write.lanes')}\n"
            + "".join(f"gpu_tot_{name}, = {factor * sum(of('sm.op.' + op) for op in ops.split()):.6g}\n" for name, _, factor, ops in UNITS))


def model():
    """The coefficients that AccelWattch reads."""
    params = "".join(f'<param name="{name}" value="{factor}"/>\n' for _, name, factor, _ in UNITS)
    return f'<?xml version="1.0" ?>\n<component id="root" name="root">\n<component id="system" name="system">\n{params}</component>\n</component>\n'


def metrics(launch, of, burst):
    """What Nsight Compute prints: metric: (unit, value)."""
    thread = "smsp__sass_thread_inst_executed_op_%s_pred_on.sum"
    stores = of("sm.shared.inst") - of("sm.shared.read.words") / 16
    m = {"sm__cycles_elapsed.max": ("cycle", of("chip.cycles.core")), "sm__cycles_active.sum": ("cycle", of("sm.cycles.active")),
         "gpu__time_duration.sum": ("usecond", of("chip.cycles.core") / float(launch["core_hz"]) * 1e6),
         "smsp__inst_executed.sum": ("inst", of("sm.inst.warp")), "smsp__thread_inst_executed.sum": ("thread", of("sm.inst.lanes")),
         "smsp__thread_inst_executed_pred_on.sum": ("thread", of("sm.inst.thread")),
         "smsp__inst_executed_pipe_cbu.sum": ("inst", of("sm.branch")),
         thread % "integer": ("inst", of("sm.op.int_add") + of("sm.op.int_logic") + of("sm.op.int_mul")),
         thread % "memory": ("inst", of("sm.agu.lanes")),
         "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum": ("request", of("sm.gmem.inst")),
         "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum": ("request", 0),
         "idc__requests.sum": ("request", of("sm.l1c.read.hit") + of("sm.l1c.read.miss")),
         "idc__requests_lookup_hit.sum": ("request", of("sm.l1c.read.hit")),
         "smsp__inst_executed_op_shared_ld.sum": ("inst", of("sm.shared.read.words") / 16),
         "smsp__inst_executed_op_shared_st.sum": ("inst", max(0, stores)),
         "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum": ("", of("sm.shared.cycles")),
         "smsp__inst_executed_op_global_atom.sum": ("inst", of("sm.atomic")), "smsp__inst_executed_op_global_red.sum": ("inst", 0),
         "lts__t_sectors_op_atom.sum": ("sector", of("slice.l2.atomic")), "lts__t_sectors_op_red.sum": ("sector", 0),
         "lts__t_sectors_op_read.sum": ("sector", of("slice.l2.read.hit") + of("slice.l2.read.miss")),
         "dram__bytes_read.sum": ("Kbyte", of("channel.dram.read") * burst / 1000),
         "dram__bytes_write.sum": ("byte", of("channel.dram.write") * burst)}
    m.update({thread % theirs: ("inst", of("sm.op." + ours)) for theirs, ours in zip(KINDS[::2], KINDS[1::2])})
    for op, path in (("ld", "read"), ("st", "write")):
        m.update({f"l1tex__t_sectors_pipe_lsu_mem_global_op_{op}_lookup_{r}.sum": ("sector", 4 * of(f"sm.l1d.{path}.{r}")) for r in ("hit", "miss")})
        m.update({f"lts__t_sectors_op_{path}_lookup_{r}.sum": ("sector", of(f"slice.l2.{path}.{r}")) for r in ("hit", "miss")})
    m.update({f"smsp__inst_executed_pipe_{theirs}.sum": ("inst", of("sm.pipe." + ours))
              for theirs, ours in (("xu", "sfu"), ("fp64", "dp"), ("tensor", "tensor"), ("lsu", "ldst"), ("alu", "sp"), ("fma", "none"))})
    return m


def row(cells):
    return ",".join(f'"{c}"' for c in cells) + "\n"


def main():
    path, burst, flit, sms, out = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4]), sys.argv[5]
    log, power, table, sums = "", "", "==PROF== Connected to process 1\n", {}
    for i, (launch, of) in enumerate(launches(path)):
        shared = of("sm.shared.inst") * of("sm.inst.thread") // max(1, of("sm.inst.warp"))
        mine = {"shared": shared, "loads": max(0, of("sm.agu.lanes") - shared)}
        log += block(i, launch, of, lambda n: sums.setdefault(n, 0) + mine.get(n, of(n)), burst, flit)
        sums = {n: sums[n] + mine.get(n, of(n)) for n in sums}
        power += report(i, launch, of, sms)
        m = metrics(launch, of, burst)
        if i == 0:
            table += row(["ID", "Kernel Name", "Block Size", "Grid Size", *m]) + row(["", "", "", "", *(unit for unit, _ in m.values())])
        extents = ["(%s)" % launch[k].replace(" ", ", ") for k in ("block", "grid")]
        table += row([i, launch["kernel"], *extents, *(f"{value:,.6f}" for _, value in m.values())])
    for suffix, text in ((".log", log), (".aw", power), (".xml", model()), (".csv", table)):
        with open(out + suffix, "w", encoding="utf-8") as file:
            file.write(text)


main()
