#include "model/layer_tree.h"

#include "base/ascii.h"
#include "model/gradient.h"

bool layer_tree_init(struct layer_tree *t)
{
	*t = (struct layer_tree){0};
	return vec_push(&t->at, ((struct layer_scope){.part = SPAN(""), .parent = NONE}));
}

void layer_tree_clear(struct layer_tree *t)
{
	vec_clear(&t->at);
	hash_clear(&t->index);
	buf_clear(&t->path);
	arena_clear(&t->arena);
}

/* ---- names ---------------------------------------------------------------------- */

/* tf.distribute names what its second and later replicas do replica_1/x, where the first has x. */
static size_t replica_length(struct span name)
{
	struct span rest = name;
	size_t digits;

	if (!span_starts(name, SPAN("replica_")))
		return 0;
	rest = span_from(name, sizeof("replica_") - 1);
	digits = ascii_leading_digits(rest);
	return digits && digits < rest.n && rest.at[digits] == '/' ? name.n - rest.n + digits + 1
								   : 0;
}

bool layer_tree_is_of_copy(struct span name)
{
	return replica_length(name) > 0;
}

static struct span without_calls(struct span name)
{
	for (size_t n; (n = gradient_call_length(name));)
		name = span_from(name, n);
	name = span_from(name, replica_length(name));
	return span_starts(name, SPAN("Func/")) ? span_from(name, sizeof("Func/") - 1) : name;
}

/* The name that a node has in the body of a loop or in a branch, which starts from the outermost
 * scope again: "lm_1/x" of "lm_1/while/body/_7/lm_1/x". */
static struct span without_bodies(struct span name)
{
	struct span first = span_before(name, '/');

	for (size_t i = first.n; i + 2 < name.n; i++) {
		struct span rest = span_from(name, i + 2);
		size_t digits = ascii_leading_digits(rest);
		struct span head;

		if (name.at[i] != '/' || name.at[i + 1] != '_' || !digits || digits >= rest.n ||
			rest.at[digits] != '/')
			continue;
		rest = span_from(rest, digits + 1);
		head = span_before(rest, '/');
		if (span_equal(head, first) || span_equal(head, SPAN("gradient_tape"))) {
			name = rest;
			i = head.n;
		}
	}
	return name;
}

/* The gradient of a loop names what it keeps of the forward pass by its name in the body, below
 * the loop: "lm_1/x" of "lm_1/while/lm_1/x". */
static struct span without_loops(struct span name)
{
	struct span first = span_before(name, '/'), rest = name, loop = SPAN("");

	while (rest.n) {
		struct span part = span_before(rest, '/');

		if (span_starts(loop, SPAN("while")) && span_equal(part, first))
			name = rest;
		loop = part;
		rest = span_from(rest, part.n + (part.n < rest.n));
	}
	return name;
}

/* ---- scopes --------------------------------------------------------------------- */

struct probe {
	const struct layer_tree *tree;
	uint32_t parent;
	struct span part;
};

static bool same_scope(const void *context, uint32_t id)
{
	const struct probe *p = context;
	const struct layer_scope *s = &p->tree->at.at[id];

	return s->parent == p->parent && span_equal(s->part, p->part);
}

static uint64_t hash_of(uint32_t parent, struct span part)
{
	return hash_mix(hash_bytes(part.at, part.n), parent);
}

static uint32_t find(const struct layer_tree *t, uint32_t parent, struct span part)
{
	struct probe p = {t, parent, part};

	return hash_find(&t->index, hash_of(parent, part), same_scope, &p);
}

static uint32_t find_or_add(struct layer_tree *t, uint32_t parent, struct span part)
{
	uint32_t id = find(t, parent, part);

	if (id != NONE)
		return id;
	id = (uint32_t)t->at.n;
	if (!vec_push(&t->at, ((struct layer_scope){.part = part, .parent = parent})) ||
		!hash_add(&t->index, hash_of(parent, part), id)) {
		t->failed = true;
		return 0;
	}
	return id;
}

uint32_t layer_tree_add(struct layer_tree *t, struct span name, bool has_work, bool *is_backward)
{
	struct span inner;
	struct gradient g;
	uint32_t at = 0;

	name = span_from(name, replica_length(name));
	inner = without_bodies(without_calls(name));

	*is_backward = gradient_parse(name, &g);
	if (*is_backward && gradient_parse(inner, &g)) {
		t->path.n = 0;
		gradient_put_folded(&t->path, inner, &g);
		t->failed |= t->path.failed;
		inner = arena_copy(&t->arena, buf_get(&t->path));
		t->failed |= !inner.at;
		inner = without_loops(without_bodies(without_calls(inner)));
	}
	/* Of an operation that is in no scope. */
	*is_backward |= span_starts(inner, SPAN("gradient_tape/"));
	while (inner.n && !t->failed) {
		at = find_or_add(t, at, span_cut(&inner, '/'));
		t->at.at[at].is_scope |= inner.n > 0;
		t->at.at[at].n_work += has_work;
	}
	if (!t->failed)
		t->at.at[at].is_node = true;
	return at;
}

/* ---- layers --------------------------------------------------------------------- */

/* Splits "head_1" into "head" and 1. */
static bool split_number(struct span part, struct span *base, uint32_t *number)
{
	size_t n = part.n;
	uint32_t unit = 1;

	*number = 0;
	while (n && part.at[n - 1] >= '0' && part.at[n - 1] <= '9' && part.n - n < 9) {
		*number += unit * (uint32_t)(part.at[n - 1] - '0');
		unit *= 10;
		n--;
	}
	if (n == part.n || n < 2 || part.at[n - 1] != '_' || (part.at[n] == '0' && n + 1 < part.n))
		return false;
	*base = (struct span){part.at, n - 1};
	return true;
}

/* Whether a scope next to this one has that name and number. */
static bool is_there(struct layer_tree *t, uint32_t parent, struct span base, uint32_t number)
{
	t->path.n = 0;
	buf_span(&t->path, base);
	buf_printf(&t->path, "_%u", number);
	t->failed |= t->path.failed;
	return find(t, parent, buf_get(&t->path)) != NONE;
}

enum fit { FITS_NOTHING, FITS_KERAS, FITS_OPERATION };

/* Names have fewer numbers at their end than this: fit_of() and is_shifted() call each other. */
enum { MOST_NUMBERS = 8 };

static enum fit fit_of(struct layer_tree *t, uint32_t id, int n_numbers);

/* Whether the first name that the layer takes is another layer's second: the layers dense and
 * dense_1 take dense, dense_1 and dense_1_1, dense_1_2; if dense_1 is called first, they take
 * dense_1, dense_1_1 and dense, dense_2. */
static bool is_shifted(struct layer_tree *t, uint32_t parent, struct span base, int n_numbers)
{
	uint32_t other = find(t, parent, base);

	if (other != NONE)
		return t->at.at[other].is_scope && n_numbers < MOST_NUMBERS &&
			fit_of(t, other, n_numbers + 1) == FITS_KERAS;
	t->path.n = 0;
	buf_span(&t->path, base);
	buf_text(&t->path, "_1_1");
	t->failed |= t->path.failed;
	return find(t, parent, buf_get(&t->path)) != NONE;
}

/* What a scope with work in it is in a graph of Keras 3. */
static enum fit fit_of(struct layer_tree *t, uint32_t id, int n_numbers)
{
	struct layer_scope s = t->at.at[id];
	struct span base;
	uint32_t number;

	if (s.is_node || !split_number(s.part, &base, &number))
		return FITS_OPERATION;
	/* The gradient of a loop keeps what x of the forward pass was in x_0/accumulator. */
	if (!number)
		return find(t, id, SPAN("accumulator")) != NONE ? FITS_OPERATION : FITS_NOTHING;
	if (number > 2 && !is_there(t, s.parent, base, number - 2))
		return find(t, s.parent, base) != NONE ? FITS_OPERATION : FITS_NOTHING;
	if (number % 2 == 0)
		return is_shifted(t, s.parent, base, n_numbers) ? FITS_KERAS
			: find(t, s.parent, base) != NONE       ? FITS_OPERATION
								: FITS_NOTHING;
	return find(t, s.parent, base) == NONE ? FITS_KERAS : FITS_OPERATION;
}

/* Where replicas wait for each other. */
#define STRATEGY_SCOPE "GroupCrossDeviceControlEdges"

/* Scopes that TensorFlow makes for what belongs to no layer, and for what its optimizer adds. A
 * compiled program is the scope of instructions that lost their names. */
static bool is_of_framework(struct span part)
{
	static const char *const scopes[] = {"gradient_tape", "gradients", "ArithmeticOptimizer",
		"ConstantFolding", "ConstantFoldingCtrl", "LoopOptimizer", "RemapperOptimizer"};

	for (size_t i = 0; i < sizeof(scopes) / sizeof(*scopes); i++)
		if (span_equal(part, span_of(scopes[i])))
			return true;
	return span_starts(part, SPAN("a_inference_")) || span_starts(part, SPAN(STRATEGY_SCOPE));
}

/* Whether it is, or is right in, a scope in which replicas wait for each other. */
static bool is_of_strategy(const struct layer_tree *t, uint32_t id)
{
	const struct layer_scope *s = &t->at.at[id];

	return span_starts(t->at.at[s->parent ? s->parent : id].part, SPAN(STRATEGY_SCOPE));
}

static void name_layers(struct layer_tree *t)
{
	size_t n_fit = 0, n_not = 0;

	for (uint32_t i = 1; i < t->at.n; i++) {
		struct layer_scope *s = &t->at.at[i];
		bool may_fit = s->is_scope && s->n_work && !is_of_strategy(t, i);
		enum fit fit = may_fit ? fit_of(t, i, 0) : FITS_OPERATION;

		s->is_layer = fit == FITS_KERAS;
		n_fit += fit == FITS_KERAS;
		n_not += fit == FITS_NOTHING;
	}
	if (t->nodes_are_layers)
		n_fit = 0;
	/* An optimized graph lacks some scopes of operations, so that a few look odd; that of a
	 * small model's training step has more of an optimizer. Only Keras 3 calls its loss so. */
	t->is_keras = n_fit && (n_fit >= 4 * n_not || find(t, 0, SPAN("compile_loss")) != NONE);
	for (uint32_t i = 0; i < t->at.n; i++) {
		struct layer_scope *s = &t->at.at[i];
		uint32_t number;

		s->name = s->part;
		if (t->nodes_are_layers)
			s->is_layer = s->is_node && s->n_work > 0;
		else if (!t->is_keras)
			s->is_layer = i && s->is_scope && !s->is_node && s->n_work > 0 &&
				(s->parent || !is_of_framework(s->part));
		else if (s->is_layer)
			split_number(s->part, &s->name, &number);
		else /* an optimizer, a loss */
			s->is_layer = i && !s->parent && s->is_scope && !s->is_node &&
				s->n_work > 1 && !is_of_framework(s->part);
	}
}

struct name_probe {
	const struct layer_tree *tree;
	uint32_t parent;
	struct span name;
};

static bool same_layer(const void *context, uint32_t id)
{
	const struct name_probe *p = context;
	const struct layer_tree *t = p->tree;

	return layer_tree_get_parent(t, id) == p->parent && span_equal(t->at.at[id].name, p->name);
}

/* Calls of a layer are one layer. Scopes come after those around them. */
static bool join_calls(struct layer_tree *t)
{
	struct hash_index index = {0};
	bool ok = true;

	for (uint32_t i = 0; ok && i < t->at.n; i++) {
		struct layer_scope *s = &t->at.at[i];
		struct name_probe p = {t, 0, s->name};
		uint64_t hash;
		uint32_t known;

		s->layer = i;
		if (!s->is_layer)
			continue;
		p.parent = layer_tree_get_parent(t, i);
		hash = hash_of(p.parent, s->name);
		known = hash_find(&index, hash, same_layer, &p);
		if (known != NONE) {
			s->layer = known;
			continue;
		}
		t->at.at[p.parent].n_layers++;
		ok = hash_add(&index, hash, i);
	}
	hash_clear(&index);
	return ok;
}

bool layer_tree_finish(struct layer_tree *t)
{
	size_t n_models = 0;
	uint32_t model = 0;

	name_layers(t);
	if (t->failed || !join_calls(t))
		return false;
	for (uint32_t i = 1; i < t->at.n; i++)
		if (t->at.at[i].is_layer && t->at.at[i].layer == i && t->at.at[i].n_layers &&
			!layer_tree_get_parent(t, i)) {
			n_models++;
			model = i;
		}
	t->trunk = n_models == 1 ? model : 0;
	return true;
}

uint32_t layer_tree_get_layer(const struct layer_tree *t, uint32_t node)
{
	uint32_t at = node ? t->at.at[node].parent : 0;

	if (t->nodes_are_layers && t->at.at[node].is_layer)
		return node;
	while (at && !t->at.at[at].is_layer)
		at = t->at.at[at].parent;
	return t->at.at[at].layer;
}

uint32_t layer_tree_get_parent(const struct layer_tree *t, uint32_t layer)
{
	uint32_t at = layer ? t->at.at[layer].parent : 0;

	while (at && !t->at.at[at].is_layer)
		at = t->at.at[at].parent;
	return t->at.at[at].layer;
}
