/* Families of operation types through the public API. */
#include <tfprof/tfprof.h>

#include "model/op_family.h"

const char *tfprof_op_get_family(const char *op, size_t length)
{
	return op_families[op_get_family((struct span){op, length})].name;
}

const struct tfprof_family_info *tfprof_family_get_info(size_t i)
{
	static const struct tfprof_family_info infos[] = {
#define X(id, name, title) {name, title},
		OP_FAMILIES(X)
#undef X
	};

	return i < N_OP_FAMILIES ? &infos[i] : NULL;
}
