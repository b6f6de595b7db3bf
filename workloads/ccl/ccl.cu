// ccl.cu - labels of the connected components of a binary image by equivalences of labels: take the
// least label among the neighbours, resolve the equivalences, relabel, until nothing changes.

#define BACKGROUND (-1)

// Where a neighbour has a smaller label, the pixel's own label becomes equivalent to it. parent[l]
// is a smaller label of the same component, or l itself.
extern "C" __global__ void ccl_scan(const int *label, int *parent, int width, int height,
                                    int *changed)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) {
        return;
    }
    const int p = y * width + x;
    const int own = label[p];
    if (own == BACKGROUND) {
        return;
    }
    // The background is greater than all as an unsigned number.
    unsigned least = own;
    if (x > 0) {
        least = min(least, (unsigned)label[p - 1]);
    }
    if (x < width - 1) {
        least = min(least, (unsigned)label[p + 1]);
    }
    if (y > 0) {
        least = min(least, (unsigned)label[p - width]);
    }
    if (y < height - 1) {
        least = min(least, (unsigned)label[p + width]);
    }
    if ((int)least < own) {
        atomicMin(&parent[own], (int)least);
        *changed = 1;
    }
}

// The pixel that a label is named after follows the equivalences to their end.
extern "C" __global__ void ccl_analysis(const int *label, const int *parent, int *root, int pixels)
{
    const int p = blockIdx.x * blockDim.x + threadIdx.x;
    if (p < pixels && label[p] == p) {
        int now = p;
        int next = parent[p];
        while (next != now) {
            now = next;
            next = parent[now];
        }
        root[p] = now;
    }
}

extern "C" __global__ void ccl_relabel(int *label, const int *root, int *parent, int pixels)
{
    const int p = blockIdx.x * blockDim.x + threadIdx.x;
    if (p < pixels && label[p] != BACKGROUND) {
        const int r = root[label[p]];
        label[p] = r;
        parent[p] = r;
    }
}
