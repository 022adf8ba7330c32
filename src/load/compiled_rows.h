/* What instructions of compiled programs did in a trace: how often and how long each ran, on all
 * devices, and what that cost. */
#ifndef TFPROF_LOAD_COMPILED_ROWS_H
#define TFPROF_LOAD_COMPILED_ROWS_H

#include "base/strings.h"
#include "hlo/cost.h"
#include "hlo/kind.h"
#include "model/model.h"

struct compiled_row {
	uint32_t program;           /* of the model */
	uint32_t name, layer, line; /* texts; 0: none */
	enum hlo_kind kind;
	bool is_transfer, is_recomputed;
	bool is_on_accelerator;
	bool is_layout_change; /* it only moves values to another order */
	bool is_float32;       /* a matrix product or convolution of 32-bit numbers */
	bool is_unknown;       /* its float operations cannot be counted */
	int64_t executions;
	int64_t self_ps;
	struct hlo_cost cost; /* of all executions */
};

struct compiled_rows {
	struct strings texts;
	VEC(struct compiled_row) at;
	size_t n_damaged; /* programs */
};

/* False on allocation failure; clear in any case. */
bool compiled_rows_read(struct compiled_rows *rows, const struct model *m);
void compiled_rows_clear(struct compiled_rows *rows);

#endif
