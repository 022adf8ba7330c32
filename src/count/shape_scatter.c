/* Shapes of operations that put elements at places given by a value, and of spectra. */
#include "count/ops.h"
#include "proto/fields.h"

/* The shape is the value of an input, the type that of another. */
static bool take_shape(struct eval *e, size_t shape, size_t typed)
{
	int64_t dims[TENSOR_MAX_RANK];
	int rank = tensor_get_ints(eval_in(e, shape), dims, TENSOR_MAX_RANK);

	if (!eval_outputs(e, 1))
		return false;
	*e->out = rank < 0 ? tensor_unknown(eval_in(e, typed)->dtype)
			   : tensor_make(eval_in(e, typed)->dtype, dims, rank);
	return rank >= 0;
}

/* ScatterNd(indices, updates, shape) */
bool shape_scatter(struct eval *e)
{
	return take_shape(e, 2, 1);
}

/* SparseToDense(indices, shape, values, default) */
bool shape_sparse_to_dense(struct eval *e)
{
	return take_shape(e, 1, 2);
}

/* The shape depends on the data, but the file may have it. */
bool shape_open(struct eval *e)
{
	eval_outputs(e, 1);
	return false;
}

/* LookupTableFindV2(table, keys, default) */
bool shape_lookup(struct eval *e)
{
	if (!eval_outputs(e, 1))
		return false;
	*e->out = *eval_in(e, 1);
	e->out->values = NULL;
	e->out->dtype = eval_in(e, 2)->dtype;
	return true;
}

/* Sums of rows that have the same id; ids are sorted, so the last one is the highest. */
bool shape_segments(struct eval *e)
{
	const struct tensor *in = eval_in(e, 0), *ids = eval_in(e, 1);
	int64_t n = tensor_elements(ids), last;

	if (!eval_outputs(e, 1) || in->rank < 1)
		return false;
	*e->out = *in;
	e->out->values = NULL;
	e->out->dims[0] = n > 0 && tensor_get_int(ids, (size_t)n - 1, &last) && last >= 0
		? count_add(last, 1)
		: -1;
	return e->out->dims[0] >= 0;
}

/* UnsortedSegmentSum(data, ids, number): the dimensions of ids become one. */
bool shape_unsorted_segments(struct eval *e)
{
	const struct tensor *in = eval_in(e, 0), *ids = eval_in(e, 1);
	int64_t n;

	if (!eval_outputs(e, 1) || ids->rank < 0 || in->rank < ids->rank ||
		!tensor_get_int(eval_in(e, 2), 0, &n) || n < 0)
		return false;
	*e->out = tensor_make(in->dtype, in->dims + ids->rank, in->rank - ids->rank);
	if (e->out->rank == TENSOR_MAX_RANK)
		return false;
	memmove(e->out->dims + 1, e->out->dims, sizeof(n) * (size_t)e->out->rank);
	e->out->dims[0] = n;
	e->out->rank++;
	return true;
}

/* A vector becomes the diagonal of a matrix; other diagonals are left to the file. */
bool shape_diagonal(struct eval *e)
{
	const struct tensor *in = eval_in(e, 0);
	int64_t k = 0;

	if (!eval_outputs(e, 1) || in->rank < 1 || in->rank == TENSOR_MAX_RANK ||
		(e->n_in > 1 && e->rule->name[strlen(e->rule->name) - 2] == 'V' &&
			(!tensor_get_int(eval_in(e, 1), 0, &k) || k)))
		return false;
	*e->out = *in;
	e->out->values = NULL;
	e->out->dims[e->out->rank++] = in->dims[in->rank - 1];
	return true;
}

/* A real transform over the last two dimensions. */
bool shape_rfft2d(struct eval *e)
{
	const struct tensor *in = eval_in(e, 0);
	int64_t lengths[2];

	if (!eval_outputs(e, 1) || in->rank < 2 ||
		tensor_get_ints(eval_in(e, 1), lengths, 2) != 2 || lengths[0] < 0 || lengths[1] < 0)
		return false;
	*e->out = tensor_make(DT_COMPLEX64, in->dims, in->rank);
	e->out->dims[in->rank - 2] = lengths[0];
	e->out->dims[in->rank - 1] = lengths[1] / 2 + 1;
	return true;
}
