/* Where nodes of a graph belong, whatever an optimizer made of them. */
#ifndef TFPROF_ASK_NODE_PLACE_H
#define TFPROF_ASK_NODE_PLACE_H

#include "base/buf.h"
#include "model/model.h"

/* The scope of its name, without what optimizers of graphs add. "(no scope)". */
void node_put_scope(const struct model *m, uint32_t node, struct buf *b);

/* The node that the graph's optimizer made this one from, if the names tell; NONE. */
uint32_t node_find_rewritten(const struct model *m, uint32_t node, struct buf *scratch);

#endif
