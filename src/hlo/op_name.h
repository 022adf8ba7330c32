/* What the source called an instruction (its op_name), taken apart:
 *
 *     jit(step)/transpose(jvp(layer_0))/mlp/dot_general
 *               gradient      ╰── layer ──╯ ╰ primitive  */
#ifndef TFPROF_HLO_OP_NAME_H
#define TFPROF_HLO_OP_NAME_H

#include "base/buf.h"

struct hlo_op_name {
	struct span primitive;
	bool is_gradient, is_recomputed;
};

/* Appends the layer, "layer_0/mlp", to the text; nothing if there is none. */
struct hlo_op_name hlo_op_name_read(struct span text, struct buf *layer);

#endif
