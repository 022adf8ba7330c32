/* The label of an entry of run metadata, which says what ran:
 *
 *     NODE = Type(input, input)
 *     [cpu 1.0MB 1.0MB] NODE = Type(input, input) anything
 *
 * The type is that of the kernel. It differs from the node's type in the graph where
 * TensorFlow fused or replaced operations. */
#ifndef TFPROF_PROTO_TIMELINE_LABEL_H
#define TFPROF_PROTO_TIMELINE_LABEL_H

#include "base/span.h"

struct timeline_label {
	struct span type;
	struct span inputs; /* separated by ", "; `.at` is NULL if there are none */
};

/* False if the label has another form. Spans are parts of the label. Names may contain
 * any of the separators, so the last of each counts. */
bool timeline_label_read(struct span label, struct timeline_label *out);

/* The type, if it can be that of an operation; else empty. */
struct span timeline_label_type(struct span label);

#endif
