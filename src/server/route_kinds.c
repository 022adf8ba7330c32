/* /api/kinds: what computing in each step went to, by family of operations: the causes of the
 * part "compute" of the answer to `step`, which are nodes, or instructions and types of them. */
#include <string.h>

#include "base/error.h"
#include "base/strings.h"
#include "server/routes.h"
#include "server/table_json.h"
#include "server/view_query.h"

enum { MAX_FAMILIES = 32 };

struct cause {
	const char *family; /* NULL: not known */
	bool is_known, is_ambiguous;
};

struct kinds {
	tfprof_profile *profile;
	struct strings names; /* of causes */
	VEC(struct cause) causes;
	struct tfprof_column parent, depth, name, step, micros;
	const char *families[MAX_FAMILIES]; /* sums of those that are not known follow theirs */
	size_t n_families, n_unknown;
};

static const char *family_of_node(const struct kinds *k, size_t node)
{
	size_t n;
	const char *op = tfprof_profile_get_node_op(k->profile, node, &n);

	return op ? tfprof_op_get_family(op, n) : NULL;
}

static struct span text_at(const struct tfprof_column *c, size_t row)
{
	return table_json_text(c, (int64_t)row);
}

/* Whether a row is a cause of the part of a step. */
static bool is_of_compute(const struct kinds *k, size_t row)
{
	return k->depth.numbers[row] == 3 &&
		span_equal(text_at(&k->name, (size_t)k->parent.numbers[row]), SPAN("compute"));
}

static bool list_causes(struct kinds *k)
{
	for (size_t row = 0; row < k->name.n_rows; row++) {
		struct span name = text_at(&k->name, row);
		uint32_t id;
		size_t node;

		if (!is_of_compute(k, row))
			continue;
		id = strings_add(&k->names, name);
		if (id == NONE)
			return false;
		while (k->causes.n <= id)
			if (!vec_push(&k->causes, (struct cause){0}))
				return false;
		if (k->causes.at[id].is_known || k->causes.at[id].is_ambiguous)
			continue;
		node = tfprof_profile_find_node(k->profile, name.at, name.n);
		if (node == SIZE_MAX) {
			k->n_unknown++;
			continue;
		}
		k->causes.at[id] = (struct cause){family_of_node(k, node), true, false};
	}
	return true;
}

static void note(struct kinds *k, struct span name, const char *family)
{
	uint32_t id = strings_find(&k->names, name);
	struct cause *cause = id == NONE || id >= k->causes.n ? NULL : &k->causes.at[id];

	if (!cause || cause->is_known || !family)
		return;
	cause->is_ambiguous |= cause->family && strcmp(cause->family, family) != 0;
	cause->family = family;
}

/* An instruction is the end of a node's name; run metadata tell types. */
static void find_unknown(struct kinds *k)
{
	struct tfprof_summary summary;

	tfprof_profile_get_summary(k->profile, &summary);
	for (size_t node = 0; k->n_unknown && node < summary.n_nodes; node++) {
		const char *family = family_of_node(k, node);
		struct span name, op;

		name.at = tfprof_profile_get_node_name(k->profile, node, &name.n);
		op.at = tfprof_profile_get_node_op(k->profile, node, &op.n);
		if (name.at)
			note(k, span_after_last(name, '/'), family);
		if (op.at)
			note(k, op, family);
	}
}

static void add_to_family(double sums[MAX_FAMILIES], const struct kinds *k, size_t row)
{
	uint32_t id = strings_find(&k->names, text_at(&k->name, row));
	const struct cause *cause = id == NONE ? NULL : &k->causes.at[id];
	size_t f = 0;

	while (cause && cause->family && !cause->is_ambiguous && f < k->n_families &&
		strcmp(k->families[f], cause->family) != 0)
		f++;
	if (!cause || !cause->family || cause->is_ambiguous)
		f = k->n_families;
	sums[f] += k->micros.doubles[row];
}

static void put_step(const struct kinds *k, int64_t step, const double sums[MAX_FAMILIES],
	struct json *out)
{
	json_open_object(out);
	json_put_int(out, "step", step);
	json_key(out, "kinds");
	json_open_object(out);
	for (size_t f = 0; f <= k->n_families; f++)
		if (sums[f] > 0)
			json_put_double(out, f < k->n_families ? k->families[f] : "", sums[f]);
	json_close_object(out);
	json_close_object(out);
}

/* Rows below a step follow it. */
static void put_steps(const struct kinds *k, struct json *out)
{
	double sums[MAX_FAMILIES] = {0};
	int64_t step = -1;

	json_open_array(out);
	for (size_t row = 0; row < k->name.n_rows; row++) {
		if (k->depth.numbers[row] == 1) {
			if (step >= 0)
				put_step(k, step, sums, out);
			step = k->step.numbers[row];
			memset(sums, 0, sizeof(sums));
		} else if (is_of_compute(k, row)) {
			add_to_family(sums, k, row);
		}
	}
	if (step >= 0)
		put_step(k, step, sums, out);
	json_close_array(out);
}

static enum tfprof_status open_columns(struct kinds *k, tfprof_result *result,
	struct tfprof_error *err)
{
	const struct {
		const char *name;
		struct tfprof_column *column;
	} columns[] = {{"parent", &k->parent}, {"depth", &k->depth}, {"name", &k->name},
		{"step", &k->step}, {"micros", &k->micros}};
	enum tfprof_status status = TFPROF_OK;

	for (size_t i = 0; status == TFPROF_OK && i < sizeof(columns) / sizeof(*columns); i++)
		status = tfprof_result_get_column(result, columns[i].name, columns[i].column, err);
	return status;
}

enum tfprof_status route_kinds(struct call *c, struct json *out, struct tfprof_error *err)
{
	struct kinds k = {0};
	const struct tfprof_family_info *info;
	struct shown_profile *profile;
	struct kept *kept = NULL;
	int64_t p;
	enum tfprof_status status = view_profile(c, &profile, &p, err);

	if (status == TFPROF_OK)
		status = view_ask(c, "step", &kept, err);
	if (status == TFPROF_OK)
		status = open_columns(&k, kept_get(kept), err);
	for (size_t i = 0; k.n_families < MAX_FAMILIES - 1 && (info = tfprof_family_get_info(i));
		i++)
		k.families[k.n_families++] = info->name;
	if (status == TFPROF_OK) {
		k.profile = profile->profile;
		if (strings_init(&k.names) && list_causes(&k)) {
			find_unknown(&k);
			put_steps(&k, out);
		} else {
			status = error_no_memory(err);
		}
		strings_clear(&k.names);
	}
	vec_clear(&k.causes);
	store_release(c->store, kept);
	return status;
}
