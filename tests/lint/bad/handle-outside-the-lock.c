/* A call that looks into what it was handed before it knows whether that is still there. */
struct cudaGraphNode {
    int type;
};

int cudaNodeType(const struct cudaGraphNode *node, int *type);
int cudaNodeTypeKnown(const struct cudaGraphNode *node, int *type);

int cudaNodeType(const struct cudaGraphNode *node, int *type) /* refused: public-name */
{
    *type = node->type; /* refused: handle-outside-the-lock */
    return 0;
}

static int type_of(const struct cudaGraphNode *node)
{
    return node->type;
}

int cudaNodeTypeKnown(const struct cudaGraphNode *node, int *type) /* refused: public-name */
{
    *type = type_of(node);
    return 0;
}
