// measure.cu - power microbenchmarks of a GPU: each keeps one part of it busy, at some share. On a card, runs each for a
// while and writes the rows that `warpwatt calibrate` reads, energy by NVML's counter; with --once runs each once, for the
// simulator, whose activity the rows name. Clocks are read, never set. Build and use: README.md.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "nvml.cuh"

#define CHECK(call)                                                                                                               \
    do {                                                                                                                          \
        cudaError_t code_ = (call);                                                                                               \
        if (code_ != cudaSuccess) {                                                                                               \
            std::fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(code_));                                                   \
            std::exit(1);                                                                                                         \
        }                                                                                                                         \
    } while (0)

#include "../../workloads/power-ubench/kernels.cuh"
#include "matrix.cuh"

// ---- the benchmarks ----

struct Card {
    int sms;
    unsigned *out, *in;
    unsigned words; // of in, at least of out: a power of two, in bytes four times the L2 and more
    cudaTextureObject_t texels;
    int longer; // repetitions of a launch, over those of benches.def
};

struct Bench {
    const char *what, *kernel;
    void (*launch)(const Card &card, int ctas, int n, unsigned p);
    int share;     // SMs in percent; 0: one
    int warps;     // per SM, in CTAs of TILE threads or less
    int n;         // repetitions of a launch; 0: as many as take the whole window once
    unsigned p;    // the kernel's own: lanes, stride, words
};

static unsigned window(const Card &card, unsigned p) { return p != 0 ? p : card.words; }

// Launches by the call of benches.def.
#define LAUNCH(kernel, ...)                                                                                                       \
    [](const Card &card, int ctas, int n, unsigned p) {                                                                           \
        (void)p;                                                                                                                  \
        kernel<<<ctas, TILE>>>(__VA_ARGS__);                                                                                      \
    }
#define CALL_U32(kernel, a, b)        LAUNCH(kernel, card.out, n, p, unsigned(a), unsigned(b))
#define CALL_F32(kernel, a, b)        LAUNCH(kernel, card.out, n, p, float(a), float(b))
#define CALL_F64(kernel, a, b)        LAUNCH(kernel, card.out, n, p, double(a), double(b))
#define CALL_PLAIN(kernel, a, b)      LAUNCH(kernel, card.out, n)
#define CALL_WITH(kernel, a, b)       LAUNCH(kernel, card.out, n, int(p))
#define CALL_ATOMIC(kernel, a, b)     LAUNCH(kernel, card.out, n, int(p))
#define CALL_LOAD(kernel, a, b)       LAUNCH(kernel, card.out, card.in, window(card, p), n)
#define CALL_OWN(kernel, a, b)        LAUNCH(kernel, card.out, card.in, p, n)
#define CALL_STORE(kernel, a, b)      LAUNCH(kernel, card.out, window(card, p), n)
#define CALL_COPY(kernel, a, b)       LAUNCH(kernel, card.out, card.in, window(card, p), n)
#define CALL_ROWS(kernel, a, b)       LAUNCH(kernel, card.out, card.in, card.words, n)
#define CALL_UNCACHED(kernel, a, b)   LAUNCH(kernel, card.out, card.in, 16384, n, int(p))
#define CALL_TEXELS(kernel, a, b)     LAUNCH(kernel, card.out, card.texels, p, n, 0)
#define CALL_OWN_TEXELS(kernel, a, b) LAUNCH(kernel, card.out, card.texels, p, n, 1)

static std::vector<Bench> benches()
{
    std::vector<Bench> all = {
#define BENCH(what, kernel, call, share, warps, n, p, a, b, counter, least) {what, #kernel, CALL_##call(kernel, a, b), share, warps, n, p},
#include "../../workloads/power-ubench/benches.def"
    };
    const auto matrix = [&all](const char *what, const char *name, auto *kernel, auto launch, int least) {
        if (target_of(kernel) >= least) {
            all.push_back({what, name, launch, 100, 16, 8, 0});
            all.push_back({what, name, launch, 50, 16, 8, 0});
        }
    };
#define MATRIX(what, kernel, least) matrix("matrix products, " what, #kernel, kernel, CALL_PLAIN(kernel, 0, 0), least);
    MATRIX("FP16", ub_mma_f16, 70)
    MATRIX("FP16, FP32 sums", ub_mma_f16_f32, 70)
    MATRIX("INT8", ub_mma_s8, 72)
    MATRIX("BF16", ub_mma_bf16, 80)
    MATRIX("TF32", ub_mma_tf32, 80)
    MATRIX("FP64", ub_mma_f64, 80)
    return all;
}

static int ctas_of(const Bench &b, const Card &card)
{
    int sms = b.share == 0 ? 1 : (card.sms * b.share + 99) / 100;
    int per_sm = b.warps * 32 / TILE;
    return sms * (per_sm > 0 ? per_sm : 1);
}

// On a card, launches last long enough that what lies between them does not count; in the simulator, which knows what that is,
// as long as it takes to be busy.
static void launch(const Bench &b, const Card &card)
{
    const int ctas = ctas_of(b, card);
    b.launch(card, ctas, b.n != 0 ? b.n * card.longer : int(card.words / unsigned(ctas * TILE)) + 1, b.p);
}

// Launches of one kernel are told apart by their turn, as `warpwatt calibrate` counts them.
static int turn_of(const std::vector<Bench> &all, size_t i)
{
    int turn = 0;
    for (size_t k = 0; k < i; k++) {
        turn += std::strcmp(all[k].kernel, all[i].kernel) == 0;
    }
    return turn;
}

static Card make_card(bool once)
{
    Card card = {};
    cudaDeviceProp properties;
    CHECK(cudaGetDeviceProperties(&properties, 0));
    card.sms = properties.multiProcessorCount;
    card.longer = once ? 1 : 100;
    // Four times the L2, so that nothing of a pass is left for the next one.
    card.words = once ? 2u << 20 : 64u << 20;
    while (card.words < unsigned(properties.l2CacheSize)) {
        card.words *= 2;
    }
    return card;
}

static void allocate(Card &card)
{
    const size_t words = card.words;
    CHECK(cudaMalloc(&card.out, words * 4));
    CHECK(cudaMalloc(&card.in, words * 4));
    CHECK(cudaMemset(card.in, 0x5a, words * 4));
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = card.in;
    resource.res.linear.desc = cudaCreateChannelDesc<unsigned>();
    resource.res.linear.sizeInBytes = words * 4;
    cudaTextureDesc how = {};
    how.readMode = cudaReadModeElementType;
    CHECK(cudaCreateTextureObject(&card.texels, &resource, &how, nullptr));
}

// Runs a benchmark for that many seconds between two readings of the energy counter.
static bool measure(const Nvml &nvml, const Card &card, const Bench &b, double seconds, Reading *out)
{
    cudaEvent_t start, stop;
    float ms = 0;
    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreate(&stop));
    CHECK(cudaEventRecord(start));
    launch(b, card);
    CHECK(cudaEventRecord(stop));
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaEventElapsedTime(&ms, start, stop));
    const int launches = ms > 0 ? int(seconds * 1e3 / ms) + 1 : 1;
    for (int i = 0; i < launches / 4; i++) { // to the temperature and clock that it runs at
        launch(b, card);
    }
    CHECK(cudaDeviceSynchronize());
    if (!nvml.begin(out)) {
        return false;
    }
    for (int i = 0; i < launches; i++) {
        launch(b, card);
        if (i == launches / 2) {
            nvml.look(out);
        }
    }
    CHECK(cudaDeviceSynchronize());
    return nvml.end(out);
}

static void print_head() { std::printf("activity,kernel,component,measured,sigma,source\n"); }

// What a fit knows before: the factors of a GV100 (configs/gpu/volta.xml), to within a factor of two; of the watts, what the idle
// context draws.
static void print_priors(double idle_w, int sms)
{
    static const struct {
        const char *key;
        double value, width;
    } factors[] = {{"rf_factor", 0.75, 0.7},     {"wcu_factor", 1.5, 0.7},     {"int_factor", 1, 0.7},    {"fp32_factor", 0.7, 0.7},
                   {"fp64_factor", 0.7, 1},      {"sfu_factor", 1, 0.7},       {"convert_factor", 1, 0.7}, {"branch_factor", 3, 1},
                   {"ldst_factor", 6, 0.8},      {"shared_factor", 0.9, 0.7},  {"crossbar_factor", 1, 0.7}, {"l1_factor", 0.7, 0.8},
                   {"l2_factor", 0.8, 0.8},      {"noc_factor", 0.35, 0.7},    {"mc_factor", 1, 0.7},     {"gm_factor", 1.1, 0.3}};
    for (const auto &f : factors) {
        std::printf("prior,,%s,%g,%g,about as of a GV100\n", f.key, f.value, f.width);
    }
    const double gated_w = 0.3;
    std::printf("prior,,constant_w,%.3g,0.3,the idle context less gated SMs\n", idle_w - gated_w * sms > idle_w / 2 ? idle_w - gated_w * sms : idle_w / 2);
    std::printf("prior,,sm_idle_w,%g,0.7,as of a GV100\nprior,,sm_activation_w,0.14,1,as of a GV100\n", gated_w);
}

// A row names the program itself, which `warpwatt calibrate` then runs.
static void print_row(const char *program, const std::vector<Bench> &all, size_t i, const Reading &r)
{
    char turn[16] = "";
    if (turn_of(all, i) > 0) {
        std::snprintf(turn, sizeof turn, "#%d", turn_of(all, i));
    }
    std::printf("-- %s --once,%s%s,TOTAL,%.2f W,%.3f,\"%s; %u MHz, memory %u MHz, %u degrees, throttle 0x%llx\"\n", program, all[i].kernel, turn,
                r.watts(), r.sigma(), all[i].what, r.core_mhz, r.memory_mhz, r.celsius, r.throttle);
    std::fflush(stdout);
}

static int run_once(const std::vector<Bench> &all, const Card &card)
{
    for (const Bench &b : all) {
        launch(b, card);
        CHECK(cudaDeviceSynchronize());
    }
    std::printf("%zu microbenchmarks\n", all.size());
    return 0;
}

static int run_measured(const char *program, double seconds, const std::vector<Bench> &all, const Card &card)
{
    Nvml nvml;
    if (!nvml.open()) {
        std::fprintf(stderr, "NVML: %s\n", nvml.why());
        return 1;
    }
    print_head();
    Reading idle;
    if (nvml.begin(&idle) && nvml.wait(seconds) && nvml.end(&idle)) {
        print_priors(idle.watts(), card.sms);
        std::printf("rates,idle core_mhz=%u,TOTAL,%.2f W,%.3f,\"context without work; %u degrees\"\n", idle.core_mhz, idle.watts(),
                    idle.sigma(), idle.celsius);
    }
    for (size_t i = 0; i < all.size(); i++) {
        Reading r;
        if (!measure(nvml, card, all[i], seconds, &r)) {
            std::fprintf(stderr, "%s: %s\n", all[i].what, nvml.why());
            return 1;
        }
        print_row(program, all, i, r);
    }
    return 0;
}

// measure [SECONDS]: rows of the card; --once: every benchmark once, for the simulator; --priors W SMS: only what is known before.
int main(int argc, char **argv)
{
    if (argc == 4 && std::strcmp(argv[1], "--priors") == 0) {
        print_head();
        print_priors(std::atof(argv[2]), std::atoi(argv[3]));
        return 0;
    }
    const bool once = argc > 1 && std::strcmp(argv[1], "--once") == 0;
    const std::vector<Bench> all = benches();
    Card card = make_card(once);
    allocate(card);
    return once ? run_once(all, card) : run_measured(argv[0], argc > 1 ? std::atof(argv[1]) : 5, all, card);
}
