#include "load/xplane/join.h"

size_t join_call_length(struct span name)
{
	static const char *const calls[] = {"StatefulPartitionedCall", "PartitionedCall"};

	for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++) {
		size_t n = strlen(calls[i]);

		if (!span_starts(name, span_of(calls[i])))
			continue;
		if (n < name.n && name.at[n] == '_')
			for (n++; n < name.n && name.at[n] >= '0' && name.at[n] <= '9'; n++)
				;
		if (n < name.n && name.at[n] == '/')
			return n + 1;
	}
	return 0;
}

uint32_t join_find(const struct model *m, struct span name)
{
	size_t n;

	while ((n = join_call_length(name))) {
		uint32_t node;

		name.at += n;
		name.n -= n;
		node = model_find_node(m, name);
		if (node != NONE)
			return node;
	}
	return NONE;
}

bool join_read_libraries(struct join *j, const struct model *m)
{
	/* A library is not to move once it is read: it points into itself. */
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
}

bool join_find_in_libraries(const struct join *j, struct span name, library_find_fn *find,
	struct join_found *found)
{
	*found = (struct join_found){0};
	for (size_t i = 0; i < j->libraries.n; i++) {
		struct library_node node = find(&j->libraries.at[i], name);

		node.is_ambiguous |= found->in.is_ambiguous || (node.graph && found->in.graph);
		if (!node.graph && !node.is_ambiguous)
			continue;
		*found = (struct join_found){&j->libraries.at[i], node};
	}
	return found->in.graph || found->in.is_ambiguous;
}
