// benches.cuh - the list of microbenchmarks: every unit, 1 to 32 lanes, 1 to all SMs, every level of memory, ladders of
// occupancy. Included by measure.cu alone.
static std::vector<Bench> benches()
{
    const auto add = LANES(ub_int_add, unsigned, 0x9e3779b9u, 0x7f4a7c15u);
    const auto logic = LANES(ub_int_logic, unsigned, 0x9e3779b9u, 0x7f4a7c15u);
    const auto shift = LANES(ub_int_shift, unsigned, 0x9e3779b9u, 1);
    const auto mul = LANES(ub_int_mul, unsigned, 1664525u, 1013904223u);
    const auto mix = LANES(ub_int_mix, unsigned, 0x9e3779b9u, 0x7f4a7c15u);
    const auto fadd = LANES(ub_f32_add, float, 1.7f, 0);
    const auto fmul = LANES(ub_f32_mul, float, 1.25f, 0);
    const auto fma = LANES(ub_f32_fma, float, 1.7f, 0.999f);
    const auto dadd = LANES(ub_f64_add, double, 1.7, 0);
    const auto dmul = LANES(ub_f64_mul, double, 1.25, 0);
    const auto dfma = LANES(ub_f64_fma, double, 1.7, 0.999);
    const auto exp2 = LANES(ub_exp2, float, 1.5f, 0);
    const auto sine = LANES(ub_sine, float, 0, 0);
    const auto root = LANES(ub_root, float, 1.5f, 0);
    const auto convert = LANES(ub_convert, float, 0, 0);
    const auto shuffle = LANES(ub_shuffle, unsigned, 0x9e3779b9u, 0);
    const auto load = [](const Card &card, int ctas, int n, unsigned p) { ub_load<<<ctas, TILE>>>(card.out, card.in, p, n, 0); };
    const auto own = [](const Card &card, int ctas, int n, unsigned p) { ub_load<<<ctas, TILE>>>(card.out, card.in, p, n, 1); };
    const auto far = [](const Card &card, int ctas, int n, unsigned) {
        ub_load<<<ctas, TILE>>>(card.out, card.in, card.words, n, 0);
    };
    const auto store = [](const Card &card, int ctas, int n, unsigned p) {
        ub_store<<<ctas, TILE>>>(card.out, p != 0 ? p : card.words, n);
    };
    const auto copy = [](const Card &card, int ctas, int n, unsigned p) {
        ub_copy<<<ctas, TILE>>>(card.out, card.in, p != 0 ? p : card.words, n);
    };
    const auto rows = [](const Card &card, int ctas, int n, unsigned) {
        ub_rows<<<ctas, TILE>>>(card.out, card.in, card.words, n);
    };
    const auto uncached = [](const Card &card, int ctas, int n, unsigned p) { ub_uncached<<<ctas, TILE>>>(card.out, card.in, 16384, n, int(p)); };
    const auto texels = [](const Card &card, int ctas, int n, unsigned p) { ub_texture<<<ctas, TILE>>>(card.out, card.texels, p, n, 0); };
    const auto own_texels = [](const Card &card, int ctas, int n, unsigned p) { ub_texture<<<ctas, TILE>>>(card.out, card.texels, p, n, 1); };
    std::vector<Bench> all = {
        // what, kernel, launch, SMs [%], warps per SM, repetitions, parameter
        {"integer addition", "ub_int_add", add, 100, 32, 8, 32},
        {"integer logic", "ub_int_logic", logic, 100, 32, 8, 32},
        {"funnel shift", "ub_int_shift", shift, 100, 32, 8, 32},
        {"integer multiply-add", "ub_int_mul", mul, 100, 32, 8, 32},
        {"integer addition and logic", "ub_int_mix", mix, 100, 32, 8, 32},
        {"FP32 addition", "ub_f32_add", fadd, 100, 32, 8, 32},
        {"FP32 multiplication", "ub_f32_mul", fmul, 100, 32, 8, 32},
        {"FP32 fused multiply-add", "ub_f32_fma", fma, 100, 32, 8, 32},
        {"FP64 addition", "ub_f64_add", dadd, 100, 32, 4, 32},
        {"FP64 multiplication", "ub_f64_mul", dmul, 100, 32, 4, 32},
        {"FP64 fused multiply-add", "ub_f64_fma", dfma, 100, 32, 4, 32},
        {"exponential", "ub_exp2", exp2, 100, 32, 2, 32},
        {"sine", "ub_sine", sine, 100, 32, 2, 32},
        {"reciprocal root", "ub_root", root, 100, 32, 2, 32},
        {"conversion", "ub_convert", convert, 100, 32, 2, 32},
        {"shuffle", "ub_shuffle", shuffle, 100, 32, 4, 32},
        {"branches", "ub_branch", SMALL(ub_branch), 100, 32, 64, 0},
        {"waiting warps, all SMs", "ub_spin", SMALL(ub_spin), 100, 8, 256, 0},
        {"waiting warps, one SM", "ub_spin", SMALL(ub_spin), 0, 8, 256, 0},
        {"waiting warps, half of the SMs", "ub_spin", SMALL(ub_spin), 50, 8, 256, 0},
    };
    static const unsigned lanes[] = {1, 2, 4, 8, 12, 16, 20, 24, 28};
    for (unsigned l : lanes) {
        all.push_back({"integer addition and logic, some lanes", "ub_int_mix", mix, 100, 32, 8, l});
    }
    for (unsigned l : {1u, 8u, 16u, 24u}) {
        all.push_back({"FP32 fused multiply-add, some lanes", "ub_f32_fma", fma, 100, 32, 8, l});
    }
    // A CTA for each of them: the hardware hands them out to SMs in turn.
    for (int share : {0, 10, 25, 50, 75, 100}) {
        all.push_back({"integer addition and logic, some SMs", "ub_int_mix", mix, share, 8, 8, 32});
        all.push_back({"FP32 fused multiply-add, some SMs", "ub_f32_fma", fma, share, 8, 8, 32});
    }
    for (int warps : {8, 16, 24}) {
        all.push_back({"integer addition and logic, occupancy", "ub_int_mix", mix, 100, warps, 8, 32});
        all.push_back({"FP32 fused multiply-add, occupancy", "ub_f32_fma", fma, 100, warps, 8, 32});
    }
    for (int warps : {8, 16, 24, 32}) {
        all.push_back({"one chain of integer operations, issue rate", "ub_chain", SMALL(ub_chain), 100, warps, 32, 0});
    }
    const auto matrix = [&all](const char *what, const char *name, auto *kernel, auto launch, int least) {
        if (target_of(kernel) >= least) {
            all.push_back({what, name, launch, 100, 16, 8, 0});
            all.push_back({what, name, launch, 50, 16, 8, 0});
        }
    };
    matrix("matrix products, FP16", "ub_mma_f16", ub_mma_f16, SMALL(ub_mma_f16), 70);
    matrix("matrix products, FP16, FP32 sums", "ub_mma_f16_f32", ub_mma_f16_f32, SMALL(ub_mma_f16_f32), 70);
    matrix("matrix products, INT8", "ub_mma_s8", ub_mma_s8, SMALL(ub_mma_s8), 72);
    matrix("matrix products, BF16", "ub_mma_bf16", ub_mma_bf16, SMALL(ub_mma_bf16), 80);
    matrix("matrix products, TF32", "ub_mma_tf32", ub_mma_tf32, SMALL(ub_mma_tf32), 80);
    matrix("matrix products, FP64", "ub_mma_f64", ub_mma_f64, SMALL(ub_mma_f64), 80);
    const std::vector<Bench> memory = {
        {"shared loads, one word", "ub_shared1", WITH(ub_shared1), 100, 32, 16, 1},
        {"shared loads, two words", "ub_shared2", WITH(ub_shared2), 100, 32, 16, 1},
        {"shared loads, four words", "ub_shared4", WITH(ub_shared4), 100, 32, 16, 1},
        {"shared broadcasts, one word", "ub_shared1", WITH(ub_shared1), 100, 32, 16, 0},
        {"shared broadcasts, two words", "ub_shared2", WITH(ub_shared2), 100, 32, 16, 0},
        {"shared broadcasts, four words", "ub_shared4", WITH(ub_shared4), 100, 32, 16, 0},
        {"shared loads, two-way conflicts", "ub_shared1", WITH(ub_shared1), 100, 32, 16, 2},
        {"shared stores", "ub_shared_store", SMALL(ub_shared_store), 100, 32, 16, 0},
        {"constants, one line", "ub_constant", WITH(ub_constant), 100, 32, 16, 0},
        {"constants, many lines", "ub_constant", WITH(ub_constant), 100, 32, 16, 7},
        {"L1 hits", "ub_load", own, 100, 32, 64, 2048},
        {"L1 hits, 8 warps", "ub_load", own, 100, 8, 64, 2048},
        {"L2 hits, 512 KiB", "ub_load", load, 100, 32, 32, 131072},
        {"L2 hits, 1 MiB", "ub_load", load, 100, 32, 32, 262144},
        {"L2 hits, 8 warps", "ub_load", load, 100, 8, 32, 262144},
        {"L2 stores", "ub_store", store, 100, 32, 16, 131072},
        {"L2 copies", "ub_copy", copy, 100, 32, 16, 131072},
        {"interconnect, L2 lines that all SMs read", "ub_uncached", uncached, 100, 32, 32, 1},
        {"interconnect, a sector for each lane", "ub_uncached", uncached, 100, 32, 8, 8},
        {"texture hits", "ub_texture", own_texels, 100, 32, 64, 2048},
        {"textures from the L2", "ub_texture", texels, 100, 32, 32, 262144},
        {"DRAM loads", "ub_load", far, 100, 32, 16, 0},
        {"DRAM loads, 8 warps", "ub_load", far, 100, 8, 16, 0},
        {"DRAM loads, 16 warps", "ub_load", far, 100, 16, 16, 0},
        {"DRAM stores", "ub_store", store, 100, 32, 16, 0},
        {"DRAM copies", "ub_copy", copy, 100, 32, 16, 0},
        {"DRAM rows", "ub_rows", rows, 100, 32, 8, 0},
        {"atomics, an address each", "ub_atomic", WITH(ub_atomic), 100, 32, 8, 1},
        {"atomics, one address", "ub_atomic", WITH(ub_atomic), 100, 8, 4, 0},
    };
    all.insert(all.end(), memory.begin(), memory.end());
    return all;
}
