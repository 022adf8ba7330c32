#include "hlo/borrow.h"

/* Damaged programs may have any number of users and operands: that many are looked at. */
enum { MOST_HOPS = 64, MOST_USERS = 64, MOST_LOOKED_AT = 1024 };

const char *const hlo_borrowed_texts[] = {
#define X(id, text) text,
	HLO_BORROWED(X)
#undef X
};

/* ---- in fusions ---------------------------------------------------------- */

/* The member that names a fusion: its root, or the last with a name. */
static uint32_t find_named(const struct hlo_program *p, const struct hlo_block *b)
{
	if (b->root != NONE && p->ops.at[b->root].op_name.n)
		return b->root;
	for (uint32_t i = b->first + b->n; i-- > b->first;)
		if (p->ops.at[i].op_name.n)
			return i;
	return NONE;
}

/* The op itself or a member, if one has a name. */
static uint32_t name_of(const struct hlo_borrower *b, uint32_t op)
{
	const struct hlo_op *o = &b->p->ops.at[op];
	uint32_t block;

	if (o->op_name.n)
		return op;
	block = o->opcode == HLO_FUSION ? hlo_callee(b->p, o, 0) : NONE;
	return block == NONE ? NONE : b->named[block];
}

/* ---- what loops store ---------------------------------------------------- */

static bool passes_value(enum hlo_opcode opcode)
{
	switch (opcode) {
	case HLO_BITCAST:
	case HLO_RESHAPE:
	case HLO_COPY:
	case HLO_CONVERT:
	case HLO_BROADCAST:
	case HLO_TRANSPOSE:
	case HLO_GET_TUPLE_ELEMENT: return true;
	default: return false;
	}
}

/* The op with a name that a stored value comes from: also out of the fusion. */
static uint32_t find_stored(const struct hlo_borrower *b, const struct hlo_op *fusion, uint32_t op)
{
	for (int hops = 0; hops < MOST_HOPS && op != NONE; hops++) {
		const struct hlo_op *o = &b->p->ops.at[op];

		if (fusion && o->opcode == HLO_PARAMETER) {
			op = hlo_operand(b->p, fusion, o->number);
			fusion = NULL;
		} else if (passes_value(o->opcode)) {
			op = hlo_operand(b->p, o, 0);
		} else {
			return name_of(b, op);
		}
	}
	return NONE;
}

static void note_stored(struct hlo_borrower *b, const struct hlo_op *fusion, uint32_t value,
	uint32_t op)
{
	for (int hops = 0; hops < MOST_HOPS && op != NONE; hops++) {
		const struct hlo_op *o = &b->p->ops.at[op];

		if (o->opcode == HLO_DYNAMIC_UPDATE_SLICE) {
			uint32_t stored = find_stored(b, fusion, hlo_operand(b->p, o, 1));

			if (b->stored[b->same->set[value]] == NONE)
				b->stored[b->same->set[value]] = stored;
			return;
		}
		if (o->opcode != HLO_BITCAST)
			return;
		op = hlo_operand(b->p, o, 0);
	}
}

/* An op of a loop that may write a slice of a larger array. */
static void find_stores(struct hlo_borrower *b, uint32_t i)
{
	const struct hlo_op *op = &b->p->ops.at[i], *root;
	uint32_t block = op->opcode == HLO_FUSION ? hlo_callee(b->p, op, 0) : NONE, at;

	if (op->opcode == HLO_DYNAMIC_UPDATE_SLICE)
		note_stored(b, NULL, op->value, i);
	if (block == NONE || b->p->blocks.at[block].root == NONE)
		return;
	at = b->p->blocks.at[block].root;
	root = &b->p->ops.at[at];
	if (root->opcode != HLO_TUPLE)
		note_stored(b, op, op->value, at);
	for (uint32_t k = 0; root->opcode == HLO_TUPLE && k < root->n_operands; k++) {
		uint32_t element = hlo_element(b->p, op->value, k);

		if (element != NONE)
			note_stored(b, op, element, hlo_operand(b->p, root, k));
	}
}

/* Which blocks run in loops: what while calls, and what those call. */
static bool find_loops(const struct hlo_program *p, bool *is_in_loop)
{
	VEC(uint32_t) waiting = {0};
	bool ok = true;

	for (size_t i = 0; ok && i < p->ops.n; i++) {
		const struct hlo_op *op = &p->ops.at[i];

		for (uint32_t k = 0; ok && op->opcode == HLO_WHILE && k < op->n_callees; k++) {
			uint32_t block = hlo_callee(p, op, k);

			if (block == NONE || is_in_loop[block])
				continue;
			is_in_loop[block] = true;
			ok = vec_push(&waiting, block);
		}
	}
	while (ok && waiting.n) {
		const struct hlo_block *b = &p->blocks.at[waiting.at[--waiting.n]];

		for (uint32_t i = b->first; ok && i < b->first + b->n; i++)
			for (uint32_t k = 0; ok && k < p->ops.at[i].n_callees; k++) {
				uint32_t block = hlo_callee(p, &p->ops.at[i], k);

				if (block == NONE || is_in_loop[block])
					continue;
				is_in_loop[block] = true;
				ok = vec_push(&waiting, block);
			}
	}
	vec_clear(&waiting);
	return ok;
}

static bool find_all_stores(struct hlo_borrower *b)
{
	const struct hlo_program *p = b->p;
	bool *is_in_loop = mem_zero_array(p->blocks.n + 1, sizeof(*is_in_loop));
	bool ok = is_in_loop && find_loops(p, is_in_loop);

	for (uint32_t i = 0; ok && i < p->ops.n; i++)
		if (is_in_loop[p->ops.at[i].block])
			find_stores(b, i);
	mem_free(is_in_loop);
	return ok;
}

/* ---- users --------------------------------------------------------------- */

/* The nearest user with a name, breadth first. */
static struct hlo_borrowed_name find_user(const struct hlo_borrower *b, uint32_t op)
{
	uint32_t seen[MOST_USERS];
	size_t n = 0, n_looked_at = 0;

	seen[n++] = op;
	for (size_t i = 0; i < n; i++)
		for (uint32_t k = b->users.first[seen[i]]; k < b->users.first[seen[i] + 1]; k++) {
			uint32_t user = b->users.at[k], named = name_of(b, user);
			size_t same = 0;

			if (n_looked_at++ == MOST_LOOKED_AT)
				return (struct hlo_borrowed_name){HLO_BORROWED_NOT, NONE, NONE};
			if (named != NONE)
				return (struct hlo_borrowed_name){HLO_BORROWED_USE, named, user};
			while (same < n && seen[same] != user)
				same++;
			if (same == n && n < MOST_USERS)
				seen[n++] = user;
		}
	return (struct hlo_borrowed_name){HLO_BORROWED_NOT, NONE, NONE};
}

/* ---- copies -------------------------------------------------------------- */

static bool is_copy(const struct hlo_op *op)
{
	switch (op->opcode) {
	case HLO_COPY_START:
	case HLO_COPY_DONE:
	case HLO_PAD:
	case HLO_SLICE:
	case HLO_DYNAMIC_SLICE:
	case HLO_REVERSE:
	case HLO_FUSION: return true;
	default: return passes_value(op->opcode);
	}
}

static uint32_t largest_operand(const struct hlo_program *p, const struct hlo_op *op)
{
	uint32_t largest = NONE;
	int64_t most = -1;

	for (uint32_t i = 0; i < op->n_operands && i < MOST_LOOKED_AT; i++) {
		uint32_t operand = hlo_operand(p, op, i);
		int64_t bytes = operand == NONE ? -1 : hlo_operand_value(p, op, i)->bytes;

		if (bytes > most) {
			most = bytes;
			largest = operand;
		}
	}
	return largest;
}

static uint32_t find_copied(const struct hlo_borrower *b, uint32_t op)
{
	for (int hops = 0; hops < MOST_HOPS && op != NONE; hops++) {
		if (name_of(b, op) != NONE)
			return op;
		if (!is_copy(&b->p->ops.at[op]))
			return NONE;
		op = largest_operand(b->p, &b->p->ops.at[op]);
	}
	return NONE;
}

/* ---- names --------------------------------------------------------------- */

struct hlo_borrowed_name hlo_borrow(const struct hlo_borrower *b, uint32_t op, uint32_t value)
{
	uint32_t stored = b->stored[b->same->set[value]], named = name_of(b, op), copied;

	if (stored != NONE)
		return (struct hlo_borrowed_name){HLO_BORROWED_KEPT, stored, stored};
	if (named != NONE)
		return (struct hlo_borrowed_name){named == op ? HLO_BORROWED_OWN
							      : HLO_BORROWED_INSIDE,
			named, op};
	copied = find_copied(b, op);
	if (copied != NONE)
		return (struct hlo_borrowed_name){HLO_BORROWED_COPY, name_of(b, copied), copied};
	return find_user(b, op);
}

bool hlo_borrower_init(struct hlo_borrower *b, const struct hlo_program *p,
	const struct hlo_same *same)
{
	*b = (struct hlo_borrower){.p = p, .same = same};
	b->stored = mem_array(p->values.n + 1, sizeof(*b->stored));
	b->named = mem_array(p->blocks.n + 1, sizeof(*b->named));
	if (!b->stored || !b->named || !hlo_users_find(&b->users, p))
		return false;
	for (size_t i = 0; i < p->values.n; i++)
		b->stored[i] = NONE;
	for (size_t i = 0; i < p->blocks.n; i++)
		b->named[i] = find_named(p, &p->blocks.at[i]);
	return find_all_stores(b);
}

void hlo_borrower_clear(struct hlo_borrower *b)
{
	mem_free(b->stored);
	mem_free(b->named);
	hlo_users_clear(&b->users);
	*b = (struct hlo_borrower){0};
}
