#include "lib/names.h"

#include "base/sort.h"
#include "lib/profile.h"

void names_clear(struct names *names)
{
	mem_free(names->nodes);
	mem_free(names->types);
	*names = (struct names){0};
}

/* The indexes of texts in byte order; NULL on allocation failure. */
static uint32_t *sorted(const struct span *texts, size_t n)
{
	uint32_t *order = mem_array(n + 1, sizeof(*order));

	if (order && !sort_texts(texts, order, n)) {
		mem_free(order);
		order = NULL;
	}
	return order;
}

/* ---- types ------------------------------------------------------------------ */

/* Marks the strings that are types of nodes. Nodes share few type sets, so each set is
 * looked at once. */
static bool mark_types(const struct model *m, bool *is_type)
{
	bool *seen = mem_zero(m->sets.at.n);

	for (size_t i = 0; seen && i < m->nodes.n; i++) {
		uint32_t types = model_types(m, (uint32_t)i);
		const struct string_set *set = sets_get(&m->sets, types);

		if (seen[types])
			continue;
		seen[types] = true;
		for (uint32_t k = 0; k < set->n; k++)
			is_type[set->at[k]] = true;
	}
	mem_free(seen);
	return seen != NULL;
}

static uint32_t *make_types(const struct model *m, size_t *n_types)
{
	size_t n_strings = m->strings.text.n, n = 0;
	bool *is_type = mem_zero(n_strings);
	uint32_t *ids = NULL, *order = NULL;
	struct span *texts = NULL;

	if (!is_type || !mark_types(m, is_type))
		goto out;
	for (size_t i = 0; i < n_strings; i++)
		n += is_type[i];
	ids = mem_array(n + 1, sizeof(*ids));
	texts = mem_array(n + 1, sizeof(*texts));
	if (!ids || !texts)
		goto out;
	for (size_t i = 0, k = 0; i < n_strings; i++)
		if (is_type[i]) {
			ids[k] = (uint32_t)i;
			texts[k++] = model_text(m, (uint32_t)i);
		}
	order = sorted(texts, n);
	for (size_t i = 0; order && i < n; i++)
		order[i] = ids[order[i]];
	*n_types = n;
out:
	mem_free(is_type);
	mem_free(ids);
	mem_free(texts);
	return order;
}

const char *tfprof_profile_get_type(tfprof_profile *p, size_t i, size_t *length)
{
	struct names *names = &p->names;
	struct span type = {0};

	if (profile_lock(p, PROFILE_LOADED, NULL) == TFPROF_OK) {
		pthread_mutex_lock(&p->building);
		if (!names->types)
			names->types = make_types(&p->model, &names->n_types);
		if (names->types && i < names->n_types)
			type = model_text(&p->model, names->types[i]);
		pthread_mutex_unlock(&p->building);
		profile_unlock(p, TFPROF_OK, NULL);
	}
	if (length)
		*length = type.n;
	return type.at;
}

/* ---- node names --------------------------------------------------------------- */

static uint32_t *make_nodes(const struct model *m)
{
	struct span *texts = mem_array(m->nodes.n + 1, sizeof(*texts));
	uint32_t *order;

	if (!texts)
		return NULL;
	for (size_t i = 0; i < m->nodes.n; i++)
		texts[i] = model_name(m, (uint32_t)i);
	order = sorted(texts, m->nodes.n);
	mem_free(texts);
	return order;
}

/* Compares only as many bytes as the prefix has. */
static int compare_prefix(struct span name, struct span prefix)
{
	if (name.n > prefix.n)
		name.n = prefix.n;
	return span_compare(name, prefix);
}

/* The first name from `low` on that comes after all names with the prefix, or
 * (`at_start`) the first that does not come before them. */
static size_t bound(const struct model *m, const uint32_t *order, size_t low, struct span prefix,
	bool at_start)
{
	sort_search(low, m->nodes.n, i,
		compare_prefix(model_name(m, order[i]), prefix) < (at_start ? 0 : 1));
	return low;
}

static void find(const struct model *m, const uint32_t *order, struct span prefix,
	tfprof_name_fn *fn, void *context)
{
	size_t i = bound(m, order, 0, prefix, true);

	while (i < m->nodes.n) {
		struct span name = model_name(m, order[i]);
		const char *slash;

		if (!span_starts(name, prefix))
			return;
		slash = name.n > prefix.n ? memchr(name.at + prefix.n, '/', name.n - prefix.n)
					  : NULL;
		if (slash)
			name.n = (size_t)(slash + 1 - name.at);
		if (fn(context, name.at, name.n))
			return;
		i = slash ? bound(m, order, i, name, false) : i + 1;
	}
}

enum tfprof_status tfprof_profile_find_names(tfprof_profile *p, const char *prefix,
	tfprof_name_fn *fn, void *context, struct tfprof_error *err)
{
	const uint32_t *order;
	enum tfprof_status status = profile_lock(p, PROFILE_LOADED, err);

	if (status != TFPROF_OK)
		return status;
	pthread_mutex_lock(&p->building);
	if (!p->names.nodes)
		p->names.nodes = make_nodes(&p->model);
	order = p->names.nodes;
	pthread_mutex_unlock(&p->building);
	if (order)
		find(&p->model, order, span_of(prefix), fn, context);
	return profile_unlock(p, order ? TFPROF_OK : error_no_memory(err), err);
}
