// mum.cu - exact matching of DNA reads with a reference by its suffix tree: a thread takes a query
// and finds the longest match that starts at each of its characters.

#define REFERENCE_WIDTH 4096 // of the texture
#define REFERENCE_ROWS  4    // that characters are spread over, one after the other

// Node: x, y: first character of the edge that leads to it and the one behind the last, z: suffix
// link, w: whether it is a leaf. Nodes are named by their place in the texture: x + y * 2^16; the root
// is at 0, which as a child means none.
__device__ __forceinline__ uint4 fetched(cudaTextureObject_t texture, unsigned node)
{
    return tex2D<uint4>(texture, node & 0xffff, node >> 16);
}

__device__ __forceinline__ unsigned child_of(cudaTextureObject_t children, unsigned node, int base)
{
    const uint4 child = fetched(children, node);
    switch (base) {
    case 0:
        return child.x;
    case 1:
        return child.y;
    case 2:
        return child.z;
    default:
        return child.w;
    }
}

__device__ __forceinline__ int reference_at(cudaTextureObject_t reference, unsigned i)
{
    const unsigned group = i / REFERENCE_ROWS;
    return tex2D<unsigned char>(reference, group % REFERENCE_WIDTH,
                                group / REFERENCE_WIDTH * REFERENCE_ROWS + i % REFERENCE_ROWS);
}

// Query q is the characters offset[q] to offset[q + 1] - 1 of queries, numbers of 0 to 3. For each
// start that leaves least_match characters, the node in or above which the longest match ends and its
// length go to result[offset[q] + start] when it is that long.
extern "C" __global__ void mummergpuKernel(uint2 *result, const unsigned char *queries,
                                           const int *offset, int count, int least_match,
                                           cudaTextureObject_t nodes, cudaTextureObject_t children,
                                           cudaTextureObject_t reference)
{
    const int q = blockIdx.x * blockDim.x + threadIdx.x;
    if (q >= count) {
        return;
    }
    const unsigned char *query = &queries[offset[q]];
    const int length = offset[q + 1] - offset[q];

    unsigned node = 0; // the last passed
    int depth = 0;     // characters matched on the way to it
    int known = 0;     // further characters that are known to match
    for (int start = 0; start <= length - least_match; start++) {
        unsigned end = node; // where the match ends
        int partial = 0;     // characters matched on the edge to it
        while (start + depth < length) {
            const unsigned child = child_of(children, node, query[start + depth]);
            if (child == 0) {
                break;
            }
            const uint4 c = fetched(nodes, child);
            const int edge = c.y - c.x;
            int matched = known;
            if (matched > edge) {
                matched = edge;
            }
            known -= matched;
            if (matched < edge && known == 0) {
                while (matched < edge && start + depth + matched < length &&
                       reference_at(reference, c.x + matched) == query[start + depth + matched]) {
                    matched++;
                }
            }
            end = child;
            if (matched < edge || c.w) {
                partial = matched;
                break;
            }
            node = child;
            depth += edge;
        }
        const int total = depth + partial;
        if (total >= least_match) {
            result[offset[q] + start] = make_uint2(end, total);
        }
        if (node == 0) {
            known = max(partial - 1, 0); // no link: the first character is dropped
        } else {
            node = fetched(nodes, node).z;
            depth--;
            known = partial;
        }
    }
}
