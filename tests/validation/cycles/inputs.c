/* inputs.c - writes inputs of the sizes that hardware.csv names for programs whose original files
 * are not public source: `cycle_inputs DIR` fills DIR with random graphs, temperatures, pictures,
 * matrices, grids. The same bytes on every machine. */
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char *folder;

/* xorshift64* (Vigna, 2016): enough for inputs. */
static uint64_t state;

static uint32_t below(uint32_t n)
{
    state ^= state >> 12;
    state ^= state << 25;
    state ^= state >> 27;
    return (uint32_t)(((state * 0x2545f4914f6cdd1dULL) >> 32) * n >> 32);
}

static double between(double low, double high)
{
    return low + (high - low) * below(1u << 24) / (1u << 24);
}

/* Each file has numbers of its own, so that one can change without the others. */
static FILE *begin(const char *name)
{
    char path[4096];
    if ((size_t)snprintf(path, sizeof(path), "%s/%s", folder, name) >= sizeof(path)) {
        fprintf(stderr, "cycle_inputs: the path of %s is too long\n", name);
        exit(1);
    }
    FILE *f = fopen(path, "wb");
    if (!f) {
        fprintf(stderr, "cycle_inputs: %s: %s\n", path, strerror(errno));
        exit(1);
    }
    state = 88172645463325252ULL;
    for (const char *c = name; *c; c++) {
        state = (state ^ (unsigned char)*c) * 1099511628211ULL;
    }
    return f;
}

static void end(FILE *f, const char *name)
{
    if (ferror(f) | fclose(f)) {
        fprintf(stderr, "cycle_inputs: cannot write %s\n", name);
        exit(1);
    }
}

typedef struct edge {
    uint32_t to, weight, next; /* next: of the same node; 0: none */
} edge;

static void connect(edge *edges, uint32_t *count, uint32_t *last, uint32_t *degree, uint32_t from,
                    uint32_t to, uint32_t weight)
{
    edges[++*count] = (edge){to, weight, last[from]};
    last[from] = *count;
    degree[from]++;
}

/* Rodinia's graphs of 4,096 and 65,536 nodes are connected, with six edges a node, both directions
 * counted, and the degrees of a random tree (each node is tied to an earlier one) among random
 * edges: 1 % have one edge, 4 % two. */
static void graph(const char *name, uint32_t nodes)
{
    FILE *f = begin(name);
    edge *edges = calloc((size_t)nodes * 6 + 1, sizeof(*edges));
    uint32_t *last = calloc(nodes, sizeof(*last)), *degree = calloc(nodes, sizeof(*degree));
    if (!edges || !last || !degree) {
        fprintf(stderr, "cycle_inputs: out of memory\n");
        exit(1);
    }
    uint32_t n = 0;
    for (uint32_t i = 1; i <= 3 * nodes; i++) {
        bool tree = i < nodes;
        uint32_t from = tree ? i : below(nodes), to = below(tree ? i : nodes);
        uint32_t weight = 1 + below(10);
        connect(edges, &n, last, degree, from, to, weight);
        connect(edges, &n, last, degree, to, from, weight);
    }
    fprintf(f, "%u\n", nodes);
    for (uint32_t i = 0, first = 0; i < nodes; first += degree[i++]) {
        fprintf(f, "%u %u\n", first, degree[i]);
    }
    fprintf(f, "\n%u\n\n%u\n", below(nodes), n);
    for (uint32_t i = 0; i < nodes; i++) {
        for (uint32_t e = last[i]; e; e = edges[e].next) {
            fprintf(f, "%u %u\n", edges[e].to, edges[e].weight);
        }
    }
    free(edges);
    free(last);
    free(degree);
    end(f, name);
}

/* One number a line, as hotspot reads its grids. */
static void lines(const char *name, uint32_t count, double low, double high)
{
    FILE *f = begin(name);
    for (uint32_t i = 0; i < count; i++) {
        fprintf(f, "%.6f\n", between(low, high));
    }
    end(f, name);
}

/* Rows, columns, values, as Parboil's sgemm reads matrices. */
static void matrix(const char *name, uint32_t rows, uint32_t columns)
{
    FILE *f = begin(name);
    fprintf(f, "%u %u ", rows, columns);
    for (uint32_t i = 0; i < rows * columns; i++) {
        fprintf(f, "%.4f ", between(0, 1));
    }
    end(f, name);
}

static void word(FILE *f, uint32_t v)
{
    for (int i = 0; i < 4; i++, v >>= 8) {
        fputc((int)(v & 255), f);
    }
}

static void floats(FILE *f, uint32_t count, float low, float high)
{
    for (uint32_t i = 0; i < count; i++) {
        float v = (float)between(low, high);
        uint32_t bits;
        memcpy(&bits, &v, sizeof(bits));
        word(f, bits);
    }
}

/* A bitmap of 24-bit pixels. */
static void bitmap(const char *name, uint32_t width, uint32_t height)
{
    FILE *f = begin(name);
    fputs("BM", f);
    const uint32_t header[13] = {54 + width * height * 3, 0, 54, 40, width, height, 1 | 24 << 16, 0,
                                 width * height * 3};
    for (int i = 0; i < 13; i++) {
        word(f, header[i]);
    }
    for (uint32_t i = 0; i < width * height * 3; i++) {
        fputc((int)below(256), f);
    }
    end(f, name);
}

/* K samples of k space and X voxels, as Parboil's mri-q reads them. */
static void samples(const char *name, uint32_t k, uint32_t x)
{
    FILE *f = begin(name);
    word(f, k);
    word(f, x);
    floats(f, 3 * k + 3 * x + 2 * k, -1, 1);
    end(f, name);
}

/* A text bitmap with srad's three lines of header. */
static void greymap(const char *name, uint32_t rows, uint32_t columns)
{
    FILE *f = begin(name);
    fprintf(f, "P2\n%u %u\n255\n", columns, rows);
    for (uint32_t i = 0; i < rows * columns; i++) {
        fprintf(f, "%u%c", 1 + below(255), i % 16 == 15 ? '\n' : ' ');
    }
    end(f, name);
}

static void make_folder(const char *path)
{
    if (mkdir(path, 0777) != 0 && errno != EEXIST) {
        fprintf(stderr, "cycle_inputs: %s: %s\n", path, strerror(errno));
        exit(1);
    }
}

int main(int argc, char **argv)
{
    char sub[4096];
    if (argc != 2 || (size_t)snprintf(sub, sizeof(sub), "%s/srad", argv[1]) >= sizeof(sub)) {
        fprintf(stderr, "usage: cycle_inputs DIR\n");
        return 2;
    }
    folder = argv[1];
    make_folder(folder);
    make_folder(sub);
    graph("graph4096.txt", 4096);
    graph("graph65536.txt", 65536);
    graph("graph1MW_6.txt", 1000000);
    lines("temp_512", 512 * 512, 320, 340);
    lines("power_512", 512 * 512, 0, 0.02);
    lines("temp_1024", 1024 * 1024, 320, 340);
    lines("power_1024", 1024 * 1024, 0, 0.02);
    matrix("matrix1.txt", 1024, 992);
    matrix("matrix2t.txt", 1056, 992);
    bitmap("192.bmp", 192, 192);
    bitmap("rgb.bmp", 1024, 1024);
    samples("32_32_32_dataset.bin", 3072, 32768);
    FILE *grid = begin("128x128x32.bin");
    floats(grid, 128 * 128 * 32, 0, 1);
    end(grid, "128x128x32.bin");
    greymap("srad/image.pgm", 458, 502);
    return 0;
}
