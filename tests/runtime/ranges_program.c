/* ranges_program.c - a program that names parts of its work as NVTX's header does it: it opens the
 * library that NVTX_INJECTION64_PATH names, hands it tables, and calls what that puts in. NVIDIA's
 * headers are not needed to build it. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <wchar.h>

int cudaMalloc(void **p, size_t bytes);
int cublasCreate_v2(void **h);
int cublasSgemm_v2(void *h, int ta, int tb, int m, int n, int k, const float *alpha, const float *a,
                   int lda, const float *b, int ldb, const float *beta, float *c, int ldc);

/* ---- NVTX, as its header has it ---- */

typedef struct attributes {
    uint16_t version, size;
    uint32_t category;
    int32_t color_type;
    uint32_t color;
    int32_t payload_type, reserved;
    uint64_t payload;
    int32_t message_type;
    const void *message;
} attributes;

static uint64_t (*start_a)(const char *);
static void (*end)(uint64_t);
static int (*push_ex)(const attributes *);
static int (*push_a)(const char *);
static int (*push_w)(const wchar_t *);
static int (*pop)(void);
static int (*domain_push)(const void *, const attributes *);
static int (*domain_pop)(const void *);
static void *(*register_a)(const void *, const char *);
static void *(*create_domain)(const char *);

typedef void (*function)(void);
static function *core[16] = {
    [5] = (function *)&start_a, [7] = (function *)&end,     [8] = (function *)&push_ex,
    [9] = (function *)&push_a,  [10] = (function *)&push_w, [11] = (function *)&pop};
static function *core2[16] = {[4] = (function *)&domain_push,
                              [5] = (function *)&domain_pop,
                              [10] = (function *)&register_a,
                              [12] = (function *)&create_domain};

static int table_of(int module, function ***out, unsigned *count)
{
    *out = module == 1 ? core : module == 5 ? core2 : NULL;
    *count = 16;
    return *out != NULL;
}

static const void *export_table(uint32_t id)
{
    static const struct {
        size_t size;
        int (*table)(int module, function ***out, unsigned *count);
    } callbacks = {sizeof callbacks, table_of};
    return id == 1 ? &callbacks : NULL;
}

static int open_nvtx(void)
{
    const char *path = getenv("NVTX_INJECTION64_PATH");
    void *library = path != NULL ? dlopen(path, RTLD_LAZY) : NULL;
    int (*init)(const void *(*)(uint32_t)) = NULL;
    *(void **)&init = library != NULL ? dlsym(library, "InitializeInjectionNvtx2") : NULL;
    return init != NULL && init(export_table) == 1 && push_a != NULL && domain_push != NULL;
}

/* ---- work ---- */

static void *handle;

static void work(void)
{
    static void *p;
    float one = 1, zero = 0;
    if ((p == NULL && cudaMalloc(&p, 3 * 256 * sizeof(float)) != 0) ||
        cublasSgemm_v2(handle, 0, 0, 16, 16, 16, &one, p, 16, (float *)p + 256, 16, &zero,
                       (float *)p + 512, 16) != 0) {
        printf("the work failed\n");
        exit(1);
    }
}

static void *other_thread(void *unused)
{
    push_a("beside");
    work();
    return unused;
}

int main(void)
{
    pthread_t thread;
    attributes a = {.version = 3, .size = sizeof a, .message_type = 1, .message = "layer"};
    if (!open_nvtx() || cublasCreate_v2(&handle) != 0) {
        printf("no NVTX\n");
        return 1;
    }
    work(); /* of no range */
    int depth = push_a("forward");
    depth += push_ex(&a);
    work();
    work();
    uint64_t id = start_a("epoch");
    depth += push_w(L"wide/<name>"); /* XML and paths could not carry it */
    work();
    pop();
    end(id);
    void *domain = create_domain("a library");
    attributes r = {
        .version = 3, .size = sizeof r, .message_type = 3, .message = register_a(domain, "inner")};
    domain_push(domain, &r);
    work();
    pop(); /* the layer, not the library's */
    work();
    domain_pop(domain);
    pop();
    int below = pop(); /* nothing is open */
    work();
    if (pthread_create(&thread, NULL, other_thread, NULL) != 0 || pthread_join(thread, NULL) != 0) {
        return 1;
    }
    work();
    printf("%d %d\n", depth, below);
    return depth != 3 || below >= 0;
}
