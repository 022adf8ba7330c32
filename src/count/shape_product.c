/* Shapes of matrix products, and Einsum. */
#include "base/ascii.h"
#include "count/einsum.h"
#include "count/ops.h"

static bool is_set(const struct eval *e, enum attr_id id)
{
	return node_int(e->graph, e->node, id, 0) != 0;
}

/* [m,k] · [k,n], with either transposed. */
static bool product(struct eval *e, bool flip_x, bool flip_y, const struct tensor *batch)
{
	const struct tensor *x = eval_in(e, 0), *y = eval_in(e, 1);
	int64_t k = x->dims[x->rank - (flip_x ? 2 : 1)],
		other = y->dims[y->rank - (flip_y ? 1 : 2)];

	if (k >= 0 && other >= 0 && k != other) {
		e->problem[0] = SPAN("product");
		return false;
	}
	*e->out = *batch;
	if (batch->rank < 0 || batch->rank > TENSOR_MAX_RANK - 2)
		return false;
	e->out->dims[e->out->rank++] = x->dims[x->rank - (flip_x ? 1 : 2)];
	e->out->dims[e->out->rank++] = y->dims[y->rank - (flip_y ? 2 : 1)];
	return true;
}

bool shape_matmul(struct eval *e)
{
	struct tensor none = tensor_make(eval_in(e, 0)->dtype, NULL, 0);

	if (!eval_outputs(e, 1) || eval_in(e, 0)->rank != 2 || eval_in(e, 1)->rank != 2)
		return false;
	return product(e, is_set(e, A_transpose_a), is_set(e, A_transpose_b), &none);
}

bool shape_batch_matmul(struct eval *e)
{
	struct tensor x = *eval_in(e, 0), y = *eval_in(e, 1), batch;

	if (!eval_outputs(e, 1) || x.rank < 2 || y.rank < 2)
		return false;
	x.rank -= 2;
	y.rank -= 2;
	if (!shape_broadcast_two(&x, &y, &batch))
		return false;
	batch.parameter = 0;
	return product(e, is_set(e, A_adj_x), is_set(e, A_adj_y), &batch);
}

/* ---- Einsum --------------------------------------------------------------------- */

/* The letters of one operand, with its dimensions; "..." stands for those that are left.
 * Index 52 and on are the dimensions of "...", from the right. */
static bool read_operand(struct einsum *s, struct span letters, const struct tensor *t,
	struct einsum_operand *operand)
{
	int n_letters = 0, n_dots, at = 0;

	operand->n = 0;
	for (size_t i = 0; i < letters.n; i++)
		n_letters += letters.at[i] != '.' && letters.at[i] != ' ';
	n_dots = t->rank < 0 ? 0 : t->rank - n_letters;
	for (size_t i = 0; i < letters.n; i++) {
		char c = letters.at[i];
		int n = 1, letter;

		if (c == ' ')
			continue;
		if (c == '.') {
			if (i + 2 >= letters.n || letters.at[i + 1] != '.')
				return false;
			i += 2;
			n = n_dots;
		} else if (!ascii_is_letter(c)) {
			return false;
		}
		for (int k = 0; k < n; k++) {
			if (operand->n >= TENSOR_MAX_RANK || (t->rank >= 0 && at >= t->rank))
				return false;
			letter = c == '.'  ? EINSUM_DOTS + n - 1 - k
				: c >= 'a' ? c - 'a'
					   : 26 + c - 'A';
			operand->letters[operand->n++] = (uint8_t)letter;
			if (t->rank >= 0 && s->size[letter] <= 1)
				s->size[letter] = t->dims[at];
			at++;
		}
	}
	return t->rank < 0 || at == t->rank;
}

static bool read_result(struct einsum *s, struct span letters)
{
	int n_dots = 0;

	while (n_dots < TENSOR_MAX_RANK && s->size[EINSUM_DOTS + n_dots] != EINSUM_UNUSED)
		n_dots++;
	s->result.n = 0;
	for (size_t i = 0; i < letters.n; i++) {
		char c = letters.at[i];
		int n = 1;

		if (c == ' ')
			continue;
		if (c == '.') {
			i += 2;
			n = n_dots;
		}
		for (int k = 0; k < n; k++) {
			int letter = c == '.' ? EINSUM_DOTS + n - 1 - k
				: c >= 'a'    ? c - 'a'
					      : 26 + c - 'A';

			if (letter < 0 || letter >= EINSUM_LETTERS ||
				s->result.n >= TENSOR_MAX_RANK)
				return false;
			s->result.letters[s->result.n++] = (uint8_t)letter;
		}
	}
	return true;
}

bool einsum_read(struct einsum *s, struct span equation, const struct tensor *const *in,
	size_t n_in)
{
	size_t arrow = span_find(equation, SPAN("->"));
	struct span left = {equation.at, arrow};

	s->n = 0;
	for (int i = 0; i < EINSUM_LETTERS; i++)
		s->size[i] = EINSUM_UNUSED;
	if (arrow >= equation.n || n_in > EINSUM_MAX_OPERANDS)
		return false;
	for (size_t i = 0; i < n_in; i++) {
		size_t comma = span_find(left, SPAN(","));

		if (!read_operand(s, (struct span){left.at, comma}, in[i], &s->operands[i]))
			return false;
		if (comma >= left.n && i + 1 < n_in)
			return false;
		left = comma < left.n ? (struct span){left.at + comma + 1, left.n - comma - 1}
				      : (struct span){left.at + left.n, 0};
	}
	s->n = n_in;
	return read_result(s, (struct span){equation.at + arrow + 2, equation.n - arrow - 2});
}

bool shape_einsum(struct eval *e)
{
	struct einsum s;

	if (!eval_outputs(e, 1) ||
		!einsum_read(&s, node_text(e->graph, e->node, A_equation), e->in, e->n_in))
		return false;
	e->out->rank = (int8_t)s.result.n;
	for (int i = 0; i < s.result.n; i++) {
		int64_t size = s.size[s.result.letters[i]];

		if (size == EINSUM_UNUSED)
			return false;
		e->out->dims[i] = size;
	}
	return true;
}
