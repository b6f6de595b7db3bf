/* generate_images.c - passes of ResNet-101, ResNet-50 and MobileViT-S as profilers list them:
 * without additions, norms and pools of ResNet, and without norms of MobileViT's convolutions.
 * Eager PyTorch runs those norms in evaluation as in training: an extra, a read and a write of each
 * result. */
#include <string.h>

#include "inference/builder.h"

static void put_normed(ww__pass_builder *b, uint64_t images, uint64_t channels, uint64_t hw,
                       uint64_t m, uint64_t padding, uint64_t rs, uint64_t stride)
{
    const uint64_t out = (hw + 2 * padding - rs) / stride + 1;
    ww__put_conv(b, images, channels, hw, m, padding, rs, stride);
    ww__put_extra(b, WW_POINTWISE_UNSPECIFIED_SCALAR, images * m * out * out, 1);
}

/* ---- ResNet ---- */

static void put_relu(ww__pass_builder *b, uint64_t channels, uint64_t hw)
{
    ww__put_pointwise(b, WW_POINTWISE_RELU, b->request->batch * channels * hw * hw, 1);
}

/* Three convolutions, the second of which takes the step, and where the shape changes a projection.
 */
static uint64_t put_bottleneck(ww__pass_builder *b, uint64_t in, uint64_t hw, uint64_t width,
                               uint64_t stride, bool first)
{
    const uint64_t images = b->request->batch, out = 4 * width, after = hw / stride;
    put_normed(b, images, in, hw, width, 0, 1, 1);
    put_relu(b, width, hw);
    put_normed(b, images, width, hw, width, 1, 3, stride);
    put_relu(b, width, after);
    put_normed(b, images, width, after, out, 0, 1, 1);
    if (first) {
        put_normed(b, images, in, hw, out, 0, 1, stride);
    }
    ww__put_extra(b, WW_POINTWISE_ADD, images * out * after * after, 1);
    put_relu(b, out, after);
    return after;
}

void ww__generate_resnet(ww__pass_builder *b)
{
    enum { IMAGE = 224, CLASSES = 1000 };
    const unsigned third = strcmp(b->model->name, "resnet50") == 0 ? 6 : 23;
    const unsigned blocks[] = {3, 4, third, 3};
    uint64_t in = 64, hw = IMAGE / 4, width = 64;
    put_normed(b, b->request->batch, 3, IMAGE, in, 3, 7, 2);
    put_relu(b, in, IMAGE / 2);
    for (int stage = 0; stage < 4; stage++, width *= 2) {
        for (unsigned i = 0; i < blocks[stage]; i++) {
            hw = put_bottleneck(b, in, hw, width, stage > 0 && i == 0 ? 2 : 1, i == 0);
            in = 4 * width;
        }
    }
    ww__put_gemm(b, 1, CLASSES, b->request->batch, in, 1);
}

/* ---- MobileViT ---- */

static void put_silu(ww__pass_builder *b, uint64_t channels, uint64_t hw)
{
    ww__put_pointwise(b, WW_POINTWISE_SILU, b->request->batch * channels * hw * hw, 1);
}

/* A shape between two blocks. */
typedef struct image {
    uint64_t c, hw;
} image;

/* Widened fourfold, a depthwise 3 x 3, and back. */
static image put_inverted(ww__pass_builder *b, image in, uint64_t out, uint64_t stride)
{
    const uint64_t images = b->request->batch, wide = 4 * in.c, after = in.hw / stride;
    put_normed(b, images, in.c, in.hw, wide, 0, 1, 1);
    put_silu(b, wide, in.hw);
    put_normed(b, images, wide, in.hw, wide, 1, 3, stride);
    put_silu(b, wide, after);
    put_normed(b, images, wide, after, out, 0, 1, 1);
    if (in.c == out && stride == 1) {
        ww__put_pointwise(b, WW_POINTWISE_ADD, images * out * after * after, 1);
    }
    return (image){out, after};
}

/* Patches of 2 x 2: each of their four places is a sequence of its own. */
static void put_transformer(ww__pass_builder *b, uint64_t hw, uint64_t H, uint64_t L)
{
    enum { HEADS = 4, PLACES = 4 };
    const uint64_t sequences = PLACES * b->request->batch, s = hw * hw / PLACES, T = sequences * s;
    const uint64_t bh = sequences * HEADS, d = H / HEADS;
    ww__put_rows(b, WW_OPERATOR_LAYERNORM, b->request->number, T, H, 1 + 2 * L);
    ww__put_gemm(b, 1, H, T, H, 4 * L);
    ww__put_gemm(b, bh, s, s, d, L);
    ww__put_pointwise(b, WW_POINTWISE_UNSPECIFIED_SCALAR, bh * s * s, L);
    ww__put_rows(b, WW_OPERATOR_SOFTMAX, b->request->number, bh * s, s, L);
    ww__put_gemm(b, bh, s, d, s, L);
    ww__put_pointwise(b, WW_POINTWISE_ADD, T * H, 2 * L);
    ww__put_gemm(b, 1, 2 * H, T, H, L);
    ww__put_pointwise(b, WW_POINTWISE_SILU, T * 2 * H, L);
    ww__put_gemm(b, 1, H, T, 2 * H, L);
    ww__put_copies(b, true, T * H, L);
    ww__put_extra(b, WW_POINTWISE_TRANSPOSE, T * H, 5); /* patches gathered, images made again */
}

static void put_block(ww__pass_builder *b, image in, uint64_t H, uint64_t L)
{
    const uint64_t images = b->request->batch;
    put_normed(b, images, in.c, in.hw, in.c, 1, 3, 1);
    put_silu(b, in.c, in.hw);
    ww__put_conv(b, images, in.c, in.hw, H, 0, 1, 1); /* without */
    put_transformer(b, in.hw, H, L);
    put_normed(b, images, H, in.hw, in.c, 0, 1, 1);
    put_silu(b, in.c, in.hw);
    put_normed(b, images, 2 * in.c, in.hw, in.c, 1, 3, 1);
    put_silu(b, in.c, in.hw);
}

void ww__generate_mobilevit(ww__pass_builder *b)
{
    enum { IMAGE = 256, STEM = 16, LAST = 640 };
    image at = {STEM, IMAGE / 2};
    put_normed(b, b->request->batch, 3, IMAGE, STEM, 1, 3, 2);
    put_silu(b, at.c, at.hw);
    at = put_inverted(b, at, 32, 1);
    at = put_inverted(b, at, 64, 2);
    at = put_inverted(b, at, 64, 1);
    at = put_inverted(b, at, 64, 1);
    at = put_inverted(b, at, 96, 2);
    put_block(b, at, 144, 2);
    at = put_inverted(b, at, 128, 2);
    put_block(b, at, 192, 4);
    at = put_inverted(b, at, 160, 2);
    put_block(b, at, 240, 3);
    put_normed(b, b->request->batch, at.c, at.hw, LAST, 0, 1, 1);
    put_silu(b, LAST, at.hw);
}

/* Input channels of an inverted residual's 3 x 3 are those of a block fourfold; a block's own 3 x 3
 * is dense, and has 96, 128 or 160 channels at images of 32, 16 and 8. */
void ww_model_mark_depthwise(const char *model, ww_operator *op)
{
    const ww_conv_shape *c = &op->conv;
    if (op->kind != WW_OPERATOR_CONV2D || strncmp(model, "mobilevit", 9) != 0 || c->rs != 3 ||
        c->c != c->m || c->groups != 1) {
        return;
    }
    bool dense =
        (c->c == 96 && c->hw == 32) || (c->c == 128 && c->hw == 16) || (c->c == 160 && c->hw == 8);
    op->conv.groups = dense ? 1 : c->c;
}
