#include "hlo/op_name.h"

#include "base/ascii.h"
#include "hlo/program.h"

/* What transformations wrap scopes in. */
static const struct wrapper {
	const char *name;
	bool is_function; /* what is inside is a function's name, not a scope */
	bool is_gradient;
} wrappers[] = {
	{"jit", true, false},
	{"pjit", true, false},
	{"transpose", false, true},
	{"jvp", false, false},
	{"vmap", false, false},
	{"pmap", false, false},
	{"shard_map", false, false},
	{"checkpoint", false, false},
	{"remat", false, false},
	{"custom_jvp", false, false},
	{"custom_vjp", false, false},
};

/* "jvp(mlp)" → the wrapper and what is inside. NULL if it is none. */
static const struct wrapper *unwrap(struct span part, struct span *inside)
{
	struct span name = span_before(part, '(');

	if (name.n == part.n || part.at[part.n - 1] != ')')
		return NULL;
	for (size_t i = 0; i < sizeof(wrappers) / sizeof(*wrappers); i++)
		if (span_equal(name, span_of(wrappers[i].name))) {
			*inside = (struct span){part.at + name.n + 1, part.n - name.n - 2};
			return &wrappers[i];
		}
	return NULL;
}

/* Removes the first part of a path, up to a '/' outside of parentheses. */
static struct span take_part(struct span *path)
{
	struct span part = {path->at, 0};
	int depth = 0;

	for (; part.n < path->n && (path->at[part.n] != '/' || depth > 0); part.n++)
		depth += (path->at[part.n] == '(') - (path->at[part.n] == ')');
	*path = span_from(*path, part.n + (part.n < path->n));
	return part;
}

/* "branch_1_fun" */
static bool is_branch(struct span part)
{
	size_t i = sizeof("branch_") - 1, end;

	if (!span_starts(part, SPAN("branch_")) || !span_ends(part, SPAN("_fun")))
		return false;
	for (end = part.n - 4; i < end && ascii_is_digit(part.at[i]); i++)
		;
	return i == end;
}

/* Parts that say how it runs, not where it was written. */
static bool is_machinery(struct span part)
{
	static const char *const words[] = {"while", "body", "cond", "closed_call", "checkpoint",
		"rematted_computation"};

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (span_equal(part, span_of(words[i])))
			return true;
	return is_branch(part) || span_contains(part, SPAN("->")) ||
		(span_starts(part, SPAN("custom_")) && span_ends(part, SPAN("_call")));
}

static void put_layer(struct buf *layer, size_t start, struct span part)
{
	if (!part.n || is_machinery(part))
		return;
	if (layer->n > start)
		buf_char(layer, '/');
	buf_span(layer, part);
}

/* A part of the path that is not the primitive; what is wrapped may be a path itself. */
static void read_part(struct hlo_op_name *name, struct buf *layer, size_t start, struct span part,
	int depth)
{
	const struct wrapper *wrapper;
	struct span inside;

	while ((wrapper = unwrap(part, &inside))) {
		name->is_gradient |= wrapper->is_gradient;
		if (wrapper->is_function)
			return;
		part = inside;
	}
	name->is_recomputed |= span_equal(part, SPAN("rematted_computation"));
	if (depth == HLO_DEEPEST || !memchr(part.at, '/', part.n)) {
		put_layer(layer, start, part);
		return;
	}
	for (struct span path = part; path.n;) {
		inside = take_part(&path);
		if (inside.n == part.n)
			put_layer(layer, start, inside);
		else
			read_part(name, layer, start, inside, depth + 1);
	}
}

struct hlo_op_name hlo_op_name_read(struct span text, struct buf *layer)
{
	struct hlo_op_name name = {.primitive = SPAN("")};
	struct span path = span_before(text, ';'), inside;
	size_t start = layer->n;

	while (path.n) {
		struct span part = take_part(&path);

		if (path.n || unwrap(part, &inside))
			read_part(&name, layer, start, part, 0);
		else
			name.primitive = span_before(part, '[');
	}
	return name;
}
