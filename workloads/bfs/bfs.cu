// bfs.cu - level-synchronous breadth-first search with one thread per node and byte masks.

struct Node {
    int first; // index of its first edge
    int edges;
};

// Nodes of the frontier label their unvisited neighbours; all writers of a node write the same.
extern "C" __global__ void Kernel(const Node *nodes, const int *edges, unsigned char *frontier,
                                  unsigned char *updated, const unsigned char *visited, int *cost,
                                  int n)
{
    const int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v < n && frontier[v]) {
        frontier[v] = 0;
        const Node node = nodes[v];
#pragma unroll 1
        for (int e = node.first; e < node.first + node.edges; e++) {
            const int neighbour = edges[e];
            if (!visited[neighbour]) {
                cost[neighbour] = cost[v] + 1;
                updated[neighbour] = 1;
            }
        }
    }
}

// The updated nodes become the frontier; *more says that there are any.
extern "C" __global__ void Kernel2(unsigned char *frontier, unsigned char *updated,
                                   unsigned char *visited, unsigned char *more, int n)
{
    const int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v < n && updated[v]) {
        frontier[v] = 1;
        visited[v] = 1;
        *more = 1;
        updated[v] = 0;
    }
}
