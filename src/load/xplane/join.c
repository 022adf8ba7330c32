#include "load/xplane/join.h"

#include "load/branch_names.h"
#include "model/gradient.h"

/* "while/add" of "while/body/_6/while/add": the name in the function of the innermost loop or
 * conditional; empty if there is none. */
static struct span name_in_branch(struct span name)
{
	struct span inner = SPAN("");

	for (size_t i = 1; i < name.n; i++) {
		size_t n = name.at[i - 1] == '/' ? branch_length(span_from(name, i)) : 0;

		if (n)
			inner = span_from(name, i + n);
	}
	return inner;
}

/* Looks into all libraries: only one may know the name. False if none does. */
typedef struct library_node library_find_fn(const struct library *l, struct span name,
	size_t start);

static bool find_in_libraries(const struct join *j, struct span name, size_t start,
	library_find_fn *find, struct join_found *found)
{
	*found = (struct join_found){0};
	for (size_t i = 0; i < j->libraries.n; i++) {
		struct library_node node = find(&j->libraries.at[i], name, start);

		node.is_ambiguous |= found->in.is_ambiguous || (node.graph && found->in.graph);
		if (!node.graph && !node.is_ambiguous)
			continue;
		*found = (struct join_found){&j->libraries.at[i], node};
	}
	return found->in.graph || found->in.is_ambiguous;
}

/* Where the part of a name after its next call begins; 0 if there is none. Below a call that the
 * graph has, it has the nodes, too. */
static size_t after_call(const struct model *m, struct span name, size_t start)
{
	for (size_t i = start; i < name.n; i++) {
		size_t n = i == start || name.at[i - 1] == '/'
			? gradient_call_length(span_from(name, i))
			: 0;

		if (!n)
			continue;
		if (i == start)
			return i + n;
		return model_find_node(m, (struct span){name.at + start, i + n - 1 - start}) == NONE
			? i + n
			: 0;
	}
	return 0;
}

/* Names of more calls are not read further. */
enum { MAX_CALLS = 32 };

bool join_find(const struct join *j, const struct model *m, struct span name, uint32_t *node,
	struct join_found *found)
{
	struct span inner = name_in_branch(name);
	size_t starts[MAX_CALLS + 1], n = 0;

	*node = NONE;
	for (size_t start = 0; n <= MAX_CALLS && (!n || start);
		start = after_call(m, name, start)) {
		starts[n++] = start;
		if (start)
			*node = model_find_node(m, span_from(name, start));
		if (*node != NONE || find_in_libraries(j, name, start, library_follow, found))
			return true;
	}
	if (inner.n)
		*node = model_find_node(m, inner);
	if (*node != NONE)
		return true;
	for (size_t i = 0; i < n; i++)
		if (find_in_libraries(j, name, starts[i], library_find, found))
			return true;
	return false;
}

bool join_read_libraries(struct join *j, const struct model *m)
{
	/* Libraries must not move once read, since they point into themselves. */
	if (!vec_reserve(&j->libraries, m->graphs.n))
		return false;
	for (size_t i = 0; i < m->graphs.n; i++) {
		struct library *l = &j->libraries.at[j->libraries.n];

		if (!library_is_in(m->sources.at[m->graphs.at[i]].bytes))
			continue;
		j->libraries.n++;
		if (!library_read(l, m, m->graphs.at[i]))
			return false;
		j->n_damaged += l->is_damaged;
	}
	return true;
}

void join_clear(struct join *j)
{
	for (size_t i = 0; i < j->libraries.n; i++)
		library_clear(&j->libraries.at[i]);
	vec_clear(&j->libraries);
	mem_free(j->found);
	vec_clear(&j->functions);
	hash_clear(&j->function_index);
	vec_clear(&j->nodes);
}

/* ---- functions that ran -------------------------------------------------- */

struct function_probe {
	const struct join *join;
	struct join_function function;
};

static bool same_function(const void *context, uint32_t i)
{
	const struct function_probe *p = context;
	const struct join_function *known = &p->join->functions.at[i];

	return known->graph == p->function.graph && span_equal(known->prefix, p->function.prefix);
}

static bool keep_node(void *context, uint32_t node, uint32_t in)
{
	struct join *j = context;

	return vec_push(&j->nodes, ((struct join_node){node, (uint32_t)j->functions.n - 1, in}));
}

uint32_t join_add_node(struct join *j, struct model *m, struct span name,
	const struct join_found *found)
{
	struct function_probe probe = {j,
		{found->library, found->in.graph, {name.at, found->in.prefix}, found->in.call}};
	struct span prefix = probe.function.prefix;
	uint64_t hash = hash_mix(hash_bytes(prefix.at, prefix.n), (uintptr_t)found->in.graph);

	if (hash_find(&j->function_index, hash, same_function, &probe) == NONE &&
		(!hash_add(&j->function_index, hash, (uint32_t)j->functions.n) ||
			!vec_push(&j->functions, probe.function) ||
			!library_add_nodes(found->library, m, name, &found->in, keep_node, j)))
		return NONE;
	return model_find_node(m, name);
}
