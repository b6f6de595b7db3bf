// b+tree.cu - queries of a B+ tree: a CTA per query, a thread per key of a node.

#define ORDER 256 // keys per node and threads per CTA

// Child t of an inner node holds the keys of [keys[t], keys[t + 1]); entry t of a leaf is the
// record of keys[t]. Keys beyond the last are the greatest integer.
struct node {
    int location;
    int indices[ORDER + 1];
    int keys[ORDER + 1];
    int is_leaf;
    int key_count;
};

// current and next have an entry per CTA, all zero, the root, at first; answers keep their value
// where the key does not exist.
extern "C" __global__ void findK(int height, const node *nodes, int node_count, const int *records,
                                 int *current, int *next, const int *keys, int *answers)
{
    const int tid = threadIdx.x;
    const int query = blockIdx.x;

#pragma unroll 1
    for (int level = 0; level < height; level++) {
        if (nodes[current[query]].keys[tid] <= keys[query] &&
            nodes[current[query]].keys[tid + 1] > keys[query]) {
            // Only one thread finds the key between its two.
            if (nodes[current[query]].indices[tid] < node_count) {
                next[query] = nodes[current[query]].indices[tid];
            }
        }
        __syncthreads();
        if (tid == 0) {
            current[query] = next[query];
        }
        __syncthreads();
    }
    if (nodes[current[query]].keys[tid] == keys[query]) {
        answers[query] = records[nodes[current[query]].indices[tid]];
    }
}

// The first record of a range of keys and how many there are, by two descents at a time.
extern "C" __global__ void findRangeK(int height, const node *nodes, int node_count, int *current,
                                      int *next, int *last_current, int *last_next,
                                      const int *starts, const int *ends, int *first_records,
                                      int *lengths)
{
    const int tid = threadIdx.x;
    const int query = blockIdx.x;

#pragma unroll 1
    for (int level = 0; level < height; level++) {
        if (nodes[current[query]].keys[tid] <= starts[query] &&
            nodes[current[query]].keys[tid + 1] > starts[query]) {
            if (nodes[current[query]].indices[tid] < node_count) {
                next[query] = nodes[current[query]].indices[tid];
            }
        }
        if (nodes[last_current[query]].keys[tid] <= ends[query] &&
            nodes[last_current[query]].keys[tid + 1] > ends[query]) {
            if (nodes[last_current[query]].indices[tid] < node_count) {
                last_next[query] = nodes[last_current[query]].indices[tid];
            }
        }
        __syncthreads();
        if (tid == 0) {
            current[query] = next[query];
            last_current[query] = last_next[query];
        }
        __syncthreads();
    }
    if (nodes[current[query]].keys[tid] == starts[query]) {
        first_records[query] = nodes[current[query]].indices[tid];
    }
    __syncthreads();
    if (nodes[last_current[query]].keys[tid] == ends[query]) {
        lengths[query] = nodes[last_current[query]].indices[tid] - first_records[query] + 1;
    }
}
