/* The kind of a node: what its time is spent on. */
#ifndef TFPROF_HLO_NODE_KIND_H
#define TFPROF_HLO_NODE_KIND_H

#include "hlo/kind.h"
#include "model/model.h"

/* A node's kind: that of its instruction, if it is of a compiled program; else what its type says,
 * "other" if that is not known. */
enum hlo_kind node_get_kind(const struct model *m, uint32_t node);
/* The kind in which most of the time of several nodes is spent; N_HLO_KINDS if there are none. */
enum hlo_kind nodes_get_kind(const struct model *m, const uint32_t *nodes, size_t n);

#endif
