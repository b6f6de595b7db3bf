/* params.h - every parameter of a GPU description: one row each.
 * From these rows come the structs of arch/arch.h, the loader with range check, `--set`, the XSD,
 * `warpwatt config explain KEY` and the reference page. All parameters are required: a physical
 * quantity has no silent default; files inherit from each other instead.
 *
 * Row forms inside a *_FIELDS list (type callback, name, unit, lowest, highest, meaning):
 *   U(name, unit, lo, hi, doc)   uint32_t
 *   R(name, unit, lo, hi, doc)   double, stored in the SI unit named
 *   B(name, doc)                 bool
 *   E(name, enum_tag, doc)       enum ww_<enum_tag>, values in WW_ENUM_<enum_tag>
 *   S(name, doc)                 string
 */
#ifndef WW_ARCH_PARAMS_H
#define WW_ARCH_PARAMS_H

/* ---- closed value sets: X(ENUMERATOR, "text in XML", "meaning") ---- */
#define WW_ENUM_scheduler(X)                                                                       \
    X(WW_SCHED_LRR, "lrr", "loose round robin")                                                    \
    X(WW_SCHED_GTO, "gto", "greedy, then oldest")                                                  \
    X(WW_SCHED_TWO_LEVEL, "two-level", "round robin over a small active set, the rest pending")    \
    X(WW_SCHED_OLDEST, "oldest", "oldest ready warp first")                                        \
    X(WW_SCHED_TWO_LEVEL_OLDEST, "two-level-oldest", "the oldest ready warp of the active set")    \
    X(WW_SCHED_GTY, "gty", "greedy, then youngest")

#define WW_ENUM_promotion(X)                                                                       \
    X(WW_PROMOTE_NEXT, "next", "the next pending slot behind the one promoted last")               \
    X(WW_PROMOTE_OLDEST, "oldest", "the oldest pending warp")                                      \
    X(WW_PROMOTE_QUEUE, "queue", "the warp that left the active set first")

#define WW_ENUM_write_policy(X)                                                                    \
    X(WW_WRITE_BACK, "write-back", "dirty lines leave at eviction")                                \
    X(WW_WRITE_THROUGH, "write-through", "stores go to the next level, a hit line is updated")     \
    X(WW_WRITE_EVICT, "write-evict", "stores go to the next level, a hit line is dropped")         \
    X(WW_WRITE_LOCAL_BACK, "local-back", "local: write-back; global: write-evict (Fermi L1D)")     \
    X(WW_WRITE_NONE, "read-only", "no stores")

#define WW_ENUM_write_allocate(X)                                                                  \
    X(WW_NO_WRITE_ALLOCATE, "no-allocate", "a store miss goes to the next level")                  \
    X(WW_WRITE_ALLOCATE, "fetch", "a store miss fetches the line or sector")                       \
    X(WW_WRITE_FORWARD, "forward", "a store miss goes to the next level and fetches the line")     \
    X(WW_WRITE_VALIDATE, "validate", "a store miss takes the line, bytes are masked, no fetch")    \
    X(WW_WRITE_LAZY, "lazy",                                                                       \
      "as validate, but reads fetch every sector that no single store has written whole")

#define WW_ENUM_replacement(X)                                                                     \
    X(WW_REPLACE_LRU, "lru", "least recently used")                                                \
    X(WW_REPLACE_FIFO, "fifo", "first in, first out")

#define WW_ENUM_allocate(X)                                                                        \
    X(WW_ALLOCATE_ON_MISS, "on-miss", "the line is reserved when the miss leaves")                 \
    X(WW_ALLOCATE_ON_FILL, "on-fill", "the line is chosen when the data arrives")

#define WW_ENUM_set_index(X)                                                                       \
    X(WW_INDEX_LINEAR, "linear", "low line-address bits")                                          \
    X(WW_INDEX_XOR, "xor", "low bits xor next bits")                                               \
    X(WW_INDEX_FERMI, "fermi", "Fermi L1D hash found by micro-benchmarks (Nugteren, HPCA 2014)")

#define WW_ENUM_dram_type(X)                                                                       \
    X(WW_DRAM_GDDR3, "gddr3", "GDDR3 SGRAM")                                                       \
    X(WW_DRAM_GDDR5, "gddr5", "GDDR5 SGRAM")                                                       \
    X(WW_DRAM_GDDR5X, "gddr5x", "GDDR5X SGRAM")                                                    \
    X(WW_DRAM_GDDR6, "gddr6", "GDDR6 SGRAM")                                                       \
    X(WW_DRAM_HBM2, "hbm2", "HBM2")                                                                \
    X(WW_DRAM_HBM3, "hbm3", "HBM3")

#define WW_ENUM_dram_scheduler(X)                                                                  \
    X(WW_DRAM_FCFS, "fcfs", "in order")                                                            \
    X(WW_DRAM_FRFCFS, "fr-fcfs", "row hits first, then oldest; reads before batches of writes")    \
    X(WW_DRAM_BANK_FRFCFS, "bank-fr-fcfs",                                                         \
      "the same bank by bank, one request of a bank at a time, reads and writes alike")

#define WW_ENUM_icnt_topology(X)                                                                   \
    X(WW_ICNT_CROSSBAR, "crossbar", "every input has a link to every output")                      \
    X(WW_ICNT_MESH, "mesh", "routers in a grid, packets go along the row, then the column")

#define WW_ENUM_dram_refresh(X)                                                                    \
    X(WW_REFRESH_ALL_BANK, "all-bank", "all banks of a channel at once, every mem.trefi")          \
    X(WW_REFRESH_PER_BANK, "per-bank",                                                             \
      "bank after bank, each once in mem.trefi; the others go on (HBM2, GDDR6)")

#define WW_ENUM_core(X)                                                                            \
    X(WW_CORE_SHARED, "shared", "operand collectors and pipelines serve all schedulers")           \
    X(WW_CORE_PARTITIONED, "partitioned",                                                          \
      "each scheduler has its own registers, dispatch port and pipelines (Volta)")                 \
    X(WW_CORE_LANES, "lanes",                                                                      \
      "each lane has its own registers and executes the threads of a warp over time (DART)")       \
    X(WW_CORE_TURNED, "partitioned-turned",                                                        \
      "partitioned; the warps of each CTA slot begin one partition before those of the last slot")

#define WW_ENUM_dependence(X)                                                                      \
    X(WW_DEPEND_SCOREBOARD, "scoreboard", "results count from their register write on")            \
    X(WW_DEPEND_CONTROL_BITS, "control-bits",                                                      \
      "the compiler times fixed latencies, dependence barriers guard the others (Volta)")

#define WW_ENUM_stream(X)                                                                          \
    X(WW_STREAM_LOWERED, "lowered", "machine-like instructions on allocated registers")            \
    X(WW_STREAM_GT200, "gt200",                                                                    \
      "the same with the operand forms of compute capability 1.3: a word of shared memory in "     \
      "arithmetic, addresses of 32 bits")                                                          \
    X(WW_STREAM_PTX, "ptx", "PTX as written, as PTX-level simulators execute it")

#define WW_ENUM_folded(X)                                                                          \
    X(WW_FOLDED_FREE, "free",                                                                      \
      "with the operands, at no cost in time, as GPGPU-Sim 3.2.2 executes PTXPlus")                \
    X(WW_FOLDED_OPERAND, "operand",                                                                \
      "through the banks of shared memory, once the registers have been read: a pass per "         \
      "conflict, the port shared with loads and stores, the latency before the arithmetic's")

#define WW_ENUMS(X)                                                                                \
    X(core)                                                                                        \
    X(stream)                                                                                      \
    X(folded)                                                                                      \
    X(dependence)                                                                                  \
    X(scheduler)                                                                                   \
    X(promotion)                                                                                   \
    X(icnt_topology)                                                                               \
    X(dram_refresh)                                                                                \
    X(write_policy)                                                                                \
    X(write_allocate) X(replacement) X(allocate) X(set_index) X(dram_type) X(dram_scheduler)

/* ---- the chip ---- */
#define WW_CHIP_FIELDS(U, R, B, E, S)                                                              \
    S(name, "product name")                                                                        \
    S(chip, "die name")                                                                            \
    S(family, "architecture family")                                                               \
    U(compute_capability, "1", 10, 100, "10 x major + minor compute capability")                   \
    R(feature_m, "m", 1e-9, 200e-9, "technology node")                                             \
    R(vdd_v, "V", 0.3, 2.0, "supply voltage of the die at the description's core clock")           \
    R(temperature_k, "K", 250, 450, "junction temperature for leakage")                            \
    R(rise_k, "K", 1, 200, "die over inlet air while the board draws tdp_w (power --settle)")      \
    R(inlet_k, "K", 250, 400, "temperature of the die without power: of the air at its inlet")     \
    R(limit_k, "K", 250, 450, "temperature of the die at which the card slows down")               \
    R(case_k_per_w, "K/W", 1e-4, 1,                                                                \
      "die over heat sink per watt: the part of rise_k over tdp_w in front of the sink (run "      \
      "--heat)")                                                                                   \
    R(die_j_per_k, "J/K", 1e-3, 1e3,                                                               \
      "heat that warms the die, and what goes with it, by a kelvin")                               \
    R(sink_j_per_k, "J/K", 1e-2, 1e5, "the same of the heat sink")                                 \
    R(die_m2, "m^2", 1e-6, 2e-3,                                                                   \
      "published die area: sets the length of the interconnect's links and what no structure "     \
      "stands for (REST); printed beside the modelled area")                                       \
    R(tdp_w, "W", 1, 2000, "published board power; read by no energy")

#define WW_CLOCK_FIELDS(U, R, B, E, S)                                                             \
    R(core_hz, "Hz", 1e6, 5e9, "SM scheduler clock (one issue slot per scheduler and cycle)")      \
    R(icnt_hz, "Hz", 1e6, 5e9, "interconnect clock")                                               \
    R(l2_hz, "Hz", 1e6, 5e9, "L2 slice clock")                                                     \
    R(dram_hz, "Hz", 1e6, 1e10, "DRAM command clock")                                              \
    R(set_hz, "Hz", 0, 5e9,                                                                        \
      "core clock to run at (--clock), down to a step of the card: interconnect and L2 go in "     \
      "proportion, the voltage by clock.voltage, DRAM stays; 0: clock.core_hz at chip.vdd_v")      \
    R(core_v, "V", 0, 2,                                                                           \
      "voltage that the die runs at: dynamic energy goes with its square, leakage by the law of "  \
      "the node; set by clock.set_hz; 0: chip.vdd_v")                                              \
    R(step_hz, "Hz", 0, 1e9, "from one clock of the card to the next; 0: any clock")               \
    S(voltage, "voltage over core clock: points MHz:V, ascending, straight lines between them; "   \
               "their ends are the card's range. What counts is the ratio to the point of "        \
               "clock.core_hz, where chip.vdd_v holds. assumed: a usual shape")                    \
    R(voltage_sigma, "1", 0, 1,                                                                    \
      "relative standard uncertainty of that ratio a quarter of clock.core_hz away and beyond; "   \
      "less in proportion nearer")

/* ---- one SM ---- */
#define WW_SM_FIELDS(U, R, B, E, S)                                                                \
    U(count, "1", 1, 1024, "streaming multiprocessors on the chip")                                \
    U(clusters, "1", 1, 128, "clusters (GPCs); SM i belongs to cluster i*clusters/count")          \
    S(cluster_sms, "SMs of each cluster in their order, or even: as many as can be, by pairs")     \
    U(max_warps, "warp", 1, 240, "resident warps per SM")                                          \
    U(max_threads, "thread", 32, 7680, "resident threads per SM")                                  \
    U(max_ctas, "CTA", 1, 64, "resident CTAs per SM")                                              \
    U(max_cta_threads, "thread", 32, 4096, "threads per CTA")                                      \
    U(registers, "1", 1024, 1048576, "32-bit registers per SM")                                    \
    U(max_thread_registers, "1", 16, 255, "registers one thread may use")                          \
    U(register_unit, "1", 1, 1024, "allocation granularity of registers per warp")                 \
    U(shared_bytes, "B", 1024, 1048576, "shared memory per SM")                                    \
    U(shared_unit_bytes, "B", 1, 4096, "allocation granularity of shared memory")                  \
    U(schedulers, "1", 1, 8, "warp schedulers")                                                    \
    E(scheduler, scheduler, "warp scheduling policy")                                              \
    U(two_level_active, "warp", 1, 64, "active-set size per scheduler of the two-level policy")    \
    E(two_level_promotion, promotion, "which pending warp enters the active set")                  \
    U(issue_width, "1", 1, 2, "instructions one scheduler may issue to one warp per cycle")        \
    U(issue_interval, "cycle", 1, 32, "core cycles from one issue of a scheduler to its next")     \
    U(fetch_warps, "1", 1, 8, "warps whose instructions are fetched per cycle")                    \
    U(fetch_instructions, "1", 1, 8, "instructions per fetch")                                     \
    B(fetch_by_group,                                                                              \
      "the warps fetched in a cycle are one of each scheduler's; else any that have room")         \
    B(fetch_awaits_branches,                                                                       \
      "fetch waits behind a conditional branch until its warp has issued it; else it goes on "     \
      "with what follows")                                                                         \
    U(instruction_bytes, "B", 4, 16, "size of a machine instruction")                              \
    U(code_align, "B", 4, 65536, "the code of a kernel starts at a multiple of it")                \
    U(ibuffer_entries, "1", 1, 16, "instruction-buffer entries per warp")                          \
    U(cta_launch_cycles, "cycle", 0, 100000, "core cycles between two CTA launches on one SM")     \
    U(kernel_launch_cycles, "cycle", 0, 1000000, "core cycles from launch to the first CTA")       \
    U(collect_cycles, "cycle", 0, 63, "pipeline stages between issue and the operand reads")       \
    U(writeback_cycles, "cycle", 0, 63, "pipeline stages between a result and its register write") \
    E(core, core, "how schedulers and execution resources belong together")                        \
    E(isa, stream, "what kernels run as, unless --isa says otherwise")                             \
    E(dependence, dependence, "what an instruction waits for before it reads a result")            \
    U(prefetch_lines, "1", 0, 16, "instruction-cache lines read ahead of a miss")                  \
    U(launch_prefetch_bytes, "B", 0, 1048576,                                                      \
      "of a kernel's code, what its launch brings into the instruction caches")                    \
    B(hoist_loads,                                                                                 \
      "the compiler knows how long memory off the chip takes, and moves loads from it "            \
      "ahead of arithmetic; else they count as arithmetic")                                        \
    B(fold_volatile, "volatile loads of shared memory, too, become operands (isa gt200)")          \
    B(count_most, "lost issue slots also count by the reason of most warps (sm.most.*)")

#define WW_REGFILE_FIELDS(U, R, B, E, S)                                                           \
    U(banks, "1", 1, 64,                                                                           \
      "single-ported register-file banks per SM; register r of warp w in bank (r+w) mod banks")    \
    U(collectors, "1", 1, 64, "operand-collector units per SM")                                    \
    U(sp_collectors, "1", 1, 64,                                                                   \
      "of the collectors, those that SP instructions may hold at a time")                          \
    U(sfu_collectors, "1", 1, 64,                                                                  \
      "of the collectors, those that SFU, FP64 and matrix instructions may hold")                  \
    U(ldst_collectors, "1", 1, 64, "of the collectors, those that memory instructions may hold")   \
    U(collector_ports, "1", 1, 8, "instructions that enter or leave the collectors per cycle")     \
    U(collector_operands, "1", 1, 8, "source operands one collector holds")                        \
    U(bank_reads, "1", 1, 4, "warp operands a bank delivers per cycle (partitioned core)")

/* Latencies run from issue out of the operand collectors to write-back; initiation intervals are
 * core cycles during which the unit accepts no further warp instruction. */
#define WW_UNITS_FIELDS(U, R, B, E, S)                                                             \
    U(sp_count, "1", 1, 16, "integer/FP32 pipelines per SM")                                       \
    U(dp_count, "1", 0, 16, "FP64 pipelines per SM; 0: FP64 runs on the SP pipelines")             \
    U(sfu_count, "1", 1, 16, "special-function pipelines per SM")                                  \
    U(ldst_count, "1", 1, 4, "load/store pipelines per SM")                                        \
    U(tensor_count, "1", 0, 16, "tensor pipelines per SM")                                         \
    U(int_count, "1", 0, 16,                                                                       \
      "integer pipelines beside the SP ones per SM; 0: integers run on the SP pipelines")          \
    U(int_lanes, "1", 0, 128, "lanes of one integer pipeline")                                     \
    U(sp_lanes, "1", 1, 128, "lanes of one SP pipeline (area and energy)")                         \
    U(dp_lanes, "1", 0, 128, "lanes of one FP64 pipeline")                                         \
    U(sfu_lanes, "1", 1, 64, "lanes of one SFU pipeline")                                          \
    U(int_latency, "cycle", 1, 1000, "integer addition and what no other class names")             \
    U(int_interval, "cycle", 1, 64, "initiation interval of the same")                             \
    U(imul_latency, "cycle", 1, 1000, "integer multiply")                                          \
    U(imul_interval, "cycle", 1, 64, "initiation interval of the same")                            \
    U(fp32_latency, "cycle", 1, 1000, "FP32 add, multiply")                                        \
    U(fp32_interval, "cycle", 1, 64, "initiation interval of the same")                            \
    U(fp64_latency, "cycle", 1, 1000, "FP64 add, multiply")                                        \
    U(fp64_interval, "cycle", 1, 64, "initiation interval of the same")                            \
    U(sfu_latency, "cycle", 1, 1000, "reciprocal, square root, sine, cosine, exp2, log2")          \
    U(sfu_interval, "cycle", 1, 64, "initiation interval of the same")                             \
    U(sfu_queue, "1", 0, 16,                                                                       \
      "instructions that wait before the SFU pipelines of a partition; 0: they hold their warp")   \
    U(cvt_latency, "cycle", 1, 1000, "conversions")                                                \
    U(cvt_interval, "cycle", 1, 64, "initiation interval of the same")                             \
    U(idiv_latency, "cycle", 1, 2000, "integer division as one instruction (PTX stream only)")     \
    U(idiv_interval, "cycle", 1, 512, "initiation interval of the same")                           \
    U(fdiv_latency, "cycle", 1, 2000, "FP32 exact division as one instruction (PTX stream only)")  \
    U(fdiv_interval, "cycle", 1, 512, "initiation interval of the same")                           \
    U(ddiv_latency, "cycle", 1, 4000,                                                              \
      "FP64 division or exact root as one instruction (PTX stream only)")                          \
    U(ddiv_interval, "cycle", 1, 512, "initiation interval of the same")                           \
    U(tensor_latency, "cycle", 1, 1000, "matrix multiply-accumulate of 16 x 16 x 16 in FP16")      \
    U(tensor_interval, "cycle", 1, 64, "initiation interval of the same")                          \
    U(tensor_f32_passes, "1", 1, 4, "times that interval where products are summed in FP32")       \
    U(logic_latency, "cycle", 1, 1000, "move, logic, shift, compare, select, address conversion")  \
    U(logic_interval, "cycle", 1, 64, "initiation interval of the same")                           \
    U(minmax_latency, "cycle", 1, 1000, "integer and FP32 minimum and maximum")                    \
    U(minmax_interval, "cycle", 1, 64, "initiation interval of the same")                          \
    U(imad_latency, "cycle", 1, 1000, "integer multiply-add")                                      \
    U(imad_interval, "cycle", 1, 64, "initiation interval of the same")                            \
    U(fma_latency, "cycle", 1, 1000, "FP32 fused multiply-add")                                    \
    U(fma_interval, "cycle", 1, 64, "initiation interval of the same")                             \
    U(adiv_latency, "cycle", 1, 2000, "FP32 division, approximate, as one instruction")            \
    U(adiv_interval, "cycle", 1, 512, "initiation interval of the same")                           \
    U(root_latency, "cycle", 1, 2000,                                                              \
      "FP32 exact reciprocal and square root as one instruction (PTX stream only)")                \
    U(root_interval, "cycle", 1, 512, "initiation interval of the same")                           \
    U(shuffle_latency, "cycle", 1, 1000, "value exchange between the lanes of a warp")             \
    U(dfma_latency, "cycle", 1, 1000, "FP64 fused multiply-add")                                   \
    U(dfma_interval, "cycle", 1, 64, "initiation interval of the same")                            \
    U(dlogic_latency, "cycle", 1, 1000, "FP64 compare, sign, minimum, maximum, conversion")        \
    U(dlogic_interval, "cycle", 1, 64, "initiation interval of the same")                          \
    U(irem_latency, "cycle", 1, 2000, "integer remainder as one instruction (PTX stream only)")    \
    U(irem_interval, "cycle", 1, 512, "initiation interval of the same")                           \
    U(ldst_interval, "cycle", 1, 64,                                                               \
      "cycles for which a memory instruction holds the address port of its partition")             \
    U(const_interval, "cycle", 1, 64, "the same for a load from constant memory")                  \
    B(cvt_on_sfu, "conversions between integer and floating point run on the SFU pipelines")       \
    B(narrow_on_int, "conversions of FP32 to FP16 and BF16 run on the integer pipelines, as "      \
                     "logic")

/* ---- caches ---- */
#define WW_CACHE_FIELDS(U, R, B, E, S)                                                             \
    U(bytes, "B", 0, 268435456, "capacity; 0: the cache is absent")                                \
    U(line_bytes, "B", 16, 512, "line size")                                                       \
    U(sector_bytes, "B", 16, 512, "fetch granularity; equal to line_bytes for a line cache")       \
    U(ways, "1", 1, 512, "associativity")                                                          \
    E(set_index, set_index, "set index function")                                                  \
    E(replacement, replacement, "replacement policy")                                              \
    E(allocate, allocate, "when a line is taken for a miss")                                       \
    E(write_policy, write_policy, "what a store does")                                             \
    E(write_allocate, write_allocate, "what a store miss does")                                    \
    U(mshr_entries, "1", 1, 4096, "miss-status holding registers")                                 \
    U(mshr_merge, "1", 1, 4096, "requests one MSHR can hold")                                      \
    U(miss_queue, "1", 1, 1024, "requests waiting to leave towards the next level")                \
    U(hit_latency, "cycle", 1, 1000, "cycles from access to data on a hit")                        \
    U(data_port_bytes, "B", 4, 512, "bytes read or written per cycle")

/* ---- load/store unit ---- */
#define WW_LDST_FIELDS(U, R, B, E, S)                                                              \
    U(segment_bytes, "B", 32, 256, "coalescing: largest segment one request may cover")            \
    U(min_segment_bytes, "B", 32, 256, "coalescing: smallest segment a request may shrink to")     \
    U(queue_entries, "1", 1, 64, "warp instructions waiting in the load/store unit")               \
    U(shared_banks, "1", 1, 64, "shared-memory banks, 4 B wide")                                   \
    U(shared_latency, "cycle", 1, 1000, "conflict-free shared-memory load")                        \
    E(folded, folded, "how arithmetic reads a word of shared memory (sm.isa gt200)")               \
    U(unified_bytes, "B", 0, 1048576,                                                              \
      "store that shared memory and L1 data cache divide among them per kernel; 0: each has its "  \
      "own")                                                                                       \
    S(carveouts, "KiB of shared memory that a unified store offers, ascending; none without one")  \
    U(l1_sectors, "1", 1, 32, "sectors of one line that an access to the L1 data cache covers")    \
    B(shared_pairs,                                                                                \
      "wide shared loads that give pairs of lanes the same words take half the cycles")            \
    B(l1_caches_global, "global loads look up the L1 data cache")                                  \
    B(l1_perfect, "every access to the L1 data, constant and texture caches hits in one cycle, "   \
                  "all of an instruction at once, and nothing but atomics leaves the SM: memory "  \
                  "without latency or limit of bandwidth")                                         \
    B(narrow_segments, "coalescing: 1-byte accesses form segments of 32 B, 2-byte accesses of 64 " \
                       "B (compute capability 1.2)")

/* ---- asynchronous engines: warp groups' use of the matrix unit, the copy engine, mbarriers ----
 */
#define WW_ASYNC_FIELDS(U, R, B, E, S)                                                             \
    U(matrix_f16, "1", 1, 65536,                                                                   \
      "FLOP of a partition in a cycle where warp groups multiply in f16 or bf16")                  \
    U(matrix_tf32, "1", 1, 65536, "the same in tf32")                                              \
    U(matrix_f8, "1", 1, 65536, "the same in e4m3 or e5m2")                                        \
    U(matrix_s8, "1", 1, 65536, "operations of a partition in a cycle in s8 or u8")                \
    U(matrix_b1, "1", 1, 1048576, "the same of single bits")                                       \
    U(matrix_floor_shared, "cycle", 1, 1000, "least interval of products with A in shared memory") \
    U(matrix_floor_registers, "cycle", 1, 1000, "the same with A in registers")                    \
    U(matrix_tail_shared, "cycle", 1, 1000,                                                        \
      "last operands of a product to its sums in the registers, A in shared memory")               \
    U(matrix_tail_registers, "cycle", 1, 1000, "the same with A in registers")                     \
    U(matrix_issue, "cycle", 1, 63, "between two products that a warp issues")                     \
    U(matrix_queue, "1", 1, 32, "products that wait in a partition")                               \
    U(matrix_fence, "cycle", 0, 1000, "for which a fence before products holds its warp")          \
    U(copy_queue, "1", 1, 1024, "commands that wait in the copy engine")                           \
    U(copy_command, "cycle", 1, 1000,                                                              \
      "least time from the start of a command to that of the next")                                \
    U(copy_front, "cycle", 0, 1000,                                                                \
      "start of a command to its first request, its tensor map at hand")                           \
    U(copy_cold, "cycle", 0, 10000,                                                                \
      "by which the first command on global memory of an SM in a launch starts later")             \
    U(copy_maps, "1", 1, 32, "tensor maps that the copy engine keeps")                             \
    U(copy_bytes, "B", 1, 1024, "bytes that the copy engine asks for in a cycle")                  \
    U(copy_row, "cycle", 1, 100, "least time of a row of a box, or of a part of it within a line") \
    U(copy_in_flight, "B", 128, 1048576,                                                           \
      "bytes that it has asked for and not written yet, at most")                                  \
    U(copy_issue, "cycle", 0, 1000, "for which a command holds the warp that issues it")           \
    U(object_test, "cycle", 0, 1000,                                                               \
      "of a test of an mbarrier, beyond an atomic on shared memory")                               \
    B(object_joins, "lanes of a warp that arrive at one mbarrier pass the banks as one")           \
    U(object_wake, "cycle", 0, 1000, "end of an mbarrier's phase to the warps that sleep for it")  \
    U(object_suspend, "cycle", 1, 1000000, "for which a try_wait that fails suspends its thread")  \
    U(early_launch, "cycle", 0, 100000,                                                            \
      "last griddepcontrol.launch_dependents of a grid to the first CTA of the next")              \
    U(registers_change, "cycle", 0, 1000,                                                          \
      "for which setmaxnreg holds its warp where it may go on")                                    \
    U(remote_latency, "cycle", 0, 10000, "of a message from SM to SM, behind its last flit")       \
    U(remote_lanes, "1", 1, 64, "flits of 32 B that a group of SMs sends to other SMs in a cycle") \
    U(remote_sms, "1", 1, 64, "SMs of such a group, each of which has its share alone")            \
    U(remote_credits, "1", 1, 1024, "packets that wait for an SM's lane")                          \
    U(multicast_latency, "cycle", 0, 1000, "by which what a multicast brings comes later")         \
    U(multicast_issue, "cycle", 0, 1000, "for which a multicast holds the warp that issues it")    \
    U(cluster_barrier, "cycle", 0, 10000,                                                          \
      "last arrival at a cluster's barrier to the warps that wait there")

/* ---- outside the SM ---- */
#define WW_ICNT_FIELDS(U, R, B, E, S)                                                              \
    E(topology, icnt_topology, "how inputs and outputs are connected")                             \
    U(flit_bytes, "B", 4, 256, "link width")                                                       \
    U(latency, "cycle", 0, 1000,                                                                   \
      "interconnect cycles of an uncontended head flit through the crossbar; what the compiler "   \
      "schedules for")                                                                             \
    U(input_packets, "1", 1, 1024, "packets an input port buffers")                                \
    U(output_packets, "1", 1, 1024, "packets an output port buffers")                              \
    U(virtual_channels, "1", 1, 16,                                                                \
      "queues of an input port, by output; packets of one channel do not hold up those of "        \
      "another")                                                                                   \
    U(port_sms, "1", 1, 16, "SMs that follow each other and share one port for their requests")    \
    U(reply_flits, "1", 1, 16, "flits of replies that an SM takes in a cycle from a crossbar")     \
    U(reply_most, "1", 0, 65535,                                                                   \
      "flits of replies that all SMs together take in a cycle from a crossbar, 0: no such limit")  \
    U(joined_reads, "1", 0, 65535,                                                                 \
      "reads of a cluster of SMs under way in a crossbar that reads of the same bytes by its "     \
      "other "                                                                                     \
      "SMs join, 0: none")                                                                         \
    U(control_bytes, "B", 1, 64,                                                                   \
      "header size of a packet; requests without data consist of it alone")                        \
    U(mesh_columns, "1", 0, 64, "columns of a mesh; 0: as square as can be")                       \
    U(router_latency, "cycle", 1, 100, "pipeline of a mesh router, from grant to link")            \
    U(link_latency, "cycle", 0, 100, "of a link between mesh routers, for flits and for credits")  \
    U(vc_flits, "1", 1, 1024, "flits that a mesh router buffers per port and virtual channel")

#define WW_MEM_FIELDS(U, R, B, E, S)                                                               \
    U(channels, "1", 1, 128, "memory controllers")                                                 \
    R(capacity_bytes, "B", 0, 1e15, "what programs can have of the memory; 0: unknown")            \
    U(slices, "1", 1, 16, "L2 slices per memory controller")                                       \
    U(l2_write_bytes, "B", 0, 512,                                                                 \
      "bytes of stores that a slice of the L2 takes in a cycle; 0: as l2.data_port_bytes")         \
    U(interleave_bytes, "B", 64, 65536, "consecutive bytes that stay in one slice")                \
    B(hash_channels, "xor upper address bits into the channel choice")                             \
    U(bank_interleave, "1", 1, 128,                                                                \
      "banks that consecutive chunks of a channel go round before they go on in a row")            \
    B(hash_banks, "xor row address bits into the bank choice")                                     \
    B(host_copies_fill_l2, "copies from the host leave their data in the L2")                      \
    B(host_reads_fill_l2, "copies to the host do so too")                                          \
    B(device_copies_fill_l2, "copies within the device, and fills, too")                           \
    B(variable_copies_fill_l2, "copies to variables of modules, too")                              \
    B(modules_fill_l2, "code of a loaded module is in the L2, as other copies from the host are")  \
    U(rop_latency, "cycle", 0, 2000, "L2 cycles from slice arrival to L2 lookup")                  \
    U(l2_parts, "1", 1, 2,                                                                         \
      "parts of the L2: half of the channels and half of the clusters belong to each")             \
    U(l2_far_latency, "cycle", 0, 2000,                                                            \
      "L2 cycles that the other part is further away, there and back")                             \
    U(l2_far_bytes, "B", 1, 1024, "bytes of a slice that go over to the other part in a cycle")    \
    B(l2_near_copies, "what is read from the other part stays in the reader's own as well")        \
    U(extra_latency, "cycle", 0, 2000,                                                             \
      "DRAM cycles of controller and board beyond the device timing")                              \
    E(type, dram_type, "DRAM family")                                                              \
    S(device, "energy record of the device, configs/tech/dram.xml")                                \
    E(scheduler, dram_scheduler, "command scheduling")                                             \
    U(bus_bits, "bit", 16, 4096, "data bus of one controller")                                     \
    U(burst_length, "1", 1, 64, "transfers per burst on one data pin")                             \
    U(data_rate, "1", 1, 16, "data transfers per command-clock cycle")                             \
    U(devices, "1", 1, 64, "DRAM devices per controller")                                          \
    U(banks, "1", 1, 128, "banks per device")                                                      \
    U(bank_groups, "1", 1, 32, "bank groups per device, and stack ID")                             \
    U(stack_ids, "1", 1, 16, "stack IDs, which share a data bus and have as many banks each")      \
    U(row_bytes, "B", 256, 65536, "row (page) size over the devices of one controller")            \
    U(queue_entries, "1", 1, 1024, "requests a controller holds")                                  \
    U(return_entries, "1", 1, 1024, "replies a controller holds for the L2")                       \
    U(tccd, "cycle", 1, 200, "column command to column command, other bank group")                 \
    U(tccdl, "cycle", 1, 200, "column command to column command, same bank group")                 \
    U(tccdr, "cycle", 0, 200, "read to read of another stack ID; 0: as tccd")                      \
    U(trrd, "cycle", 1, 200, "activate to activate")                                               \
    U(trcd, "cycle", 1, 200, "activate to column command")                                         \
    U(tras, "cycle", 1, 400, "activate to precharge")                                              \
    U(trp, "cycle", 1, 200, "precharge to activate")                                               \
    U(trc, "cycle", 1, 400, "activate to activate of one bank")                                    \
    U(tcl, "cycle", 1, 200, "read latency")                                                        \
    U(twl, "cycle", 1, 200, "write latency")                                                       \
    U(tcdlr, "cycle", 1, 200, "write data to read command")                                        \
    U(twr, "cycle", 1, 200, "write recovery")                                                      \
    U(trtp, "cycle", 1, 200, "read to precharge")                                                  \
    U(trefi, "cycle", 0, 1000000, "refresh interval; 0: no refresh")                               \
    U(trfc, "cycle", 0, 10000, "duration of a refresh of all banks")                               \
    E(refresh, dram_refresh, "what a refresh command covers")                                      \
    U(trfc_bank, "cycle", 0, 10000, "duration of a refresh of one bank; 0: the device has none")

/* ---- power: measured or calibrated values; each carries its source in the XML ---- */
#define WW_POWER_FIELDS(U, R, B, E, S)                                                             \
    R(reference_core_hz, "Hz", 0, 1e10,                                                            \
      "core clock at which the watts of this group hold; 0: that of the description")              \
    R(reference_dram_hz, "Hz", 0, 1e10,                                                            \
      "DRAM clock at which they hold; 0: that of the description")                                 \
    R(reference_vdd_v, "V", 0, 2, "voltage at which they hold; 0: that of the description")        \
    R(reference_temp_k, "K", 0, 400,                                                               \
      "junction temperature at which they hold, and for which circuits are chosen; 0: that of "    \
      "the "                                                                                       \
      "description")                                                                               \
    R(idle_temp_k, "K", 0, 400,                                                                    \
      "junction temperature of the idle board whose power constant_w and sm_idle_w are; 0: as "    \
      "the "                                                                                       \
      "other watts")                                                                               \
    U(reference_channels, "1", 0, 128,                                                             \
      "memory controllers for which they hold; 0: those of the description")                       \
    R(cap_w, "W", 0, 10000,                                                                        \
      "most that the mean power of a run may be (--power-cap): the clock is lowered, and the "     \
      "voltage with it, until it fits; 0: no cap")                                                 \
    R(constant_leak, "1", 0, 1,                                                                    \
      "share of leakage in the power of an idle board, constant_w and sm_idle_w of all SMs: goes " \
      "with the voltage of clock.core_v")                                                          \
    R(constant_voltage, "1", 0, 1,                                                                 \
      "share in it that goes with that voltage as leakage does, and not with the temperature")     \
    R(constant_clock, "1", 0, 1,                                                                   \
      "share of clocks in it: goes with the core clock and the square of that voltage")            \
    R(constant_w, "W", 0, 1000,                                                                    \
      "what card and chip draw with every SM gated: standby of memory and leakage outside of the " \
      "SMs are parts of it; 0: only these parts (component REST)")                                 \
    R(sm_idle_w, "W", 0, 100,                                                                      \
      "static power of an SM, which gates what is idle; 0: the leakage of its model")              \
    R(sm_activation_w, "W", 0, 100, "base power of an SM that holds a CTA (component BP)")         \
    R(cluster_activation_w, "W", 0, 100, "power of a cluster with an active SM (component CP)")    \
    R(mc_background_w, "W", 0, 100, "memory controllers and PHY, idle, whole chip (component MC)") \
    R(gm_background_w, "W", 0, 200, "DRAM background, whole board (component GM)")                 \
    R(static_w, "W", 0, 1000,                                                                      \
      "known static power of the die; 0: leakage comes from the model alone")                      \
    R(rest_leakage, "1", 0, 10,                                                                    \
      "leakage of the die area that is not modelled, per area, over that of what is; 0: none")     \
    R(rf_factor, "1", 0, 100, "calibration: register file energy over the array model")            \
    R(eu_factor, "1", 0, 100, "calibration: execution-unit energy over the unit tables")           \
    R(int_factor, "1", 0, 100, "calibration: integer lanes, times eu_factor")                      \
    R(fp32_factor, "1", 0, 100, "calibration: single-precision lanes, times eu_factor")            \
    R(fp64_factor, "1", 0, 100, "calibration: double-precision lanes, times eu_factor")            \
    R(sfu_factor, "1", 0, 100, "calibration: special functions, times eu_factor")                  \
    R(convert_factor, "1", 0, 100, "calibration: conversions between formats, times eu_factor")    \
    R(matrix_factor, "1", 0, 100, "calibration: matrix units, times eu_factor")                    \
    R(wcu_factor, "1", 0, 100, "calibration: warp-control energy over the array and logic models") \
    R(branch_factor, "1", 0, 100,                                                                  \
      "calibration: control transfers, times wcu_factor; 0: in the cost of an instruction")        \
    R(ldst_factor, "1", 0, 100, "calibration: load/store unit energy over the models")             \
    R(shared_factor, "1", 0, 100, "calibration: shared-memory banks, times ldst_factor")           \
    R(crossbar_factor, "1", 0, 100, "calibration: crossbar to the lanes, times ldst_factor")       \
    R(l1_factor, "1", 0, 100, "calibration: L1 data cache, times ldst_factor")                     \
    R(const_factor, "1", 0, 100, "calibration: constant cache, times ldst_factor")                 \
    R(tex_factor, "1", 0, 100, "calibration: texture cache, times ldst_factor")                    \
    R(l2_factor, "1", 0, 100, "calibration: L2 cache, times ldst_factor")                          \
    R(atomic_factor, "1", 0, 100, "calibration: atomics at the L2, times ldst_factor")             \
    R(noc_factor, "1", 0, 100,                                                                     \
      "calibration: interconnect energy over the crossbar and link models")                        \
    R(mc_factor, "1", 0, 100, "calibration: memory-controller event energy over the model")        \
    R(gm_factor, "1", 0, 100, "calibration: DRAM event energy over the command model")             \
    S(calibration, "what the factors were fitted to")                                              \
    S(uncertainty, "uncertainties of this group and their correlations: a file in "                \
                   "configs/calibration, or none")

/* ---- habits of another simulator, for comparing the two on one machine: what GPGPU-Sim does and
 * no machine described here. All off unless a description says otherwise ---- */
#define WW_PEER_FIELDS(U, R, B, E, S)                                                              \
    B(fetch_across_lines, "a fetch brings all its instructions even where they lie in two lines")  \
    B(fetch_past_branches,                                                                         \
      "fetch goes on behind a taken branch until a scheduler meets the wrong instruction")         \
    B(taken_path_first, "of a divergent branch the taken path runs first, else the other one")     \
    B(keep_constants, "the constant cache keeps its lines from kernel to kernel")                  \
    B(keep_turn, "the first CTA of a kernel goes to the SM behind the last one that got a CTA of " \
                 "the kernel before, else to SM 0")                                                \
    B(fp64_on_sfu,                                                                                 \
      "without FP64 pipelines: FP64 add, multiply and division run on the SFU pipelines")          \
    B(l1_looks_up_last, "the L1D is looked up at the end of its hit latency, which misses and "    \
                        "stores then take as well")                                                \
    B(first_elements, "coalescing sees the first element of what a lane reads or writes")          \
    B(shared_atomics_merge,                                                                        \
      "an atomic on shared memory takes the cycles of a load, whatever lanes share a word")        \
    B(folded_free_energy,                                                                          \
      "a word of shared memory that arithmetic reads (sm.isa gt200) costs no energy either")       \
    B(nc_in_l1d, "read-only loads (ld.global.nc) look up the L1D even beside a texture cache")     \
    B(count_hit_results, "a load of several registers whose last access hits the L1D counts as "   \
                         "that many instructions")                                                 \
    B(sector_requests,                                                                             \
      "L2 slices take requests apart: each sector is looked up, fetched and answered by itself")   \
    B(upper_masks_lost,                                                                            \
      "of stores of 64 B to the upper half of a line, slices forget which bytes they write")       \
    U(result_slots, "1", 0, 16,                                                                    \
      "results of a cycle, at most one of each pipeline but the load/store unit's: an "            \
      "instruction whose result would find none stays in its collector; 0: any number")

/* ---- mechanisms: each has a group of its own (mech/NAME/mech.def), filled by mech/NAME/NAME.xml
 * when it is active ---- */
#define WW_MECH_FIELDS(U, R, B, E, S)                                                              \
    S(active, "published mechanisms that are switched on: names with commas between them, or "     \
              "none")

/* ---- groups: X(path, struct member, FIELDS, struct type, meaning) ---- */
#define WW_GROUPS(X)                                                                               \
    X("chip", chip, WW_CHIP_FIELDS, ww_chip_params, "die and board")                               \
    X("clock", clock, WW_CLOCK_FIELDS, ww_clock_params, "clock domains")                           \
    X("sm", sm, WW_SM_FIELDS, ww_sm_params, "streaming multiprocessor")                            \
    X("regfile", regfile, WW_REGFILE_FIELDS, ww_regfile_params,                                    \
      "register file and operand collectors")                                                      \
    X("units", units, WW_UNITS_FIELDS, ww_units_params, "execution pipelines")                     \
    X("ldst", ldst, WW_LDST_FIELDS, ww_ldst_params, "load/store unit and shared memory")           \
    X("async", async, WW_ASYNC_FIELDS, ww_async_params, "asynchronous engines of an SM")           \
    X("l1i", l1i, WW_CACHE_FIELDS, ww_cache_params, "instruction cache of an SM")                  \
    X("l1d", l1d, WW_CACHE_FIELDS, ww_cache_params, "data cache of an SM")                         \
    X("l1c", l1c, WW_CACHE_FIELDS, ww_cache_params, "constant cache of an SM")                     \
    X("l1t", l1t, WW_CACHE_FIELDS, ww_cache_params, "texture cache of an SM")                      \
    X("l2", l2, WW_CACHE_FIELDS, ww_cache_params, "one L2 slice")                                  \
    X("icnt", icnt, WW_ICNT_FIELDS, ww_icnt_params, "interconnect, SMs to memory partitions")      \
    X("mem", mem, WW_MEM_FIELDS, ww_mem_params, "memory partitions and DRAM")                      \
    X("power", power, WW_POWER_FIELDS, ww_power_params, "calibrated power values")                 \
    X("peer", peer, WW_PEER_FIELDS, ww_peer_params, "habits of another simulator")                 \
    X("mech", mech, WW_MECH_FIELDS, ww_mech_params, "published mechanisms on top of the machine")

#endif
