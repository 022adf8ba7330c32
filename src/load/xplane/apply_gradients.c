/* Which operations are gradients of nodes or scopes of a graph. A model file has no backward
 * nodes to join them with; in a training step, this explains most of what is not joined:
 *
 *     StatefulPartitionedCall/gradient_tape/functional_1/conv/convolution/Conv2DBackpropFilter
 *                                           functional_1/conv/convolution, a node or scope */
#include "load/xplane/apply.h"
#include "model/gradient.h"

static struct span parent_of(struct span name)
{
	const char *slash = name.n ? memrchr(name.at, '/', name.n) : NULL;

	name.n = slash ? (size_t)(slash - name.at) : 0;
	return name;
}

/* Adds the nodes' names and all scopes around them. */
static bool add_scopes(struct strings *scopes, const struct model *m, size_t n_nodes)
{
	for (uint32_t node = 0; node < n_nodes; node++)
		for (struct span name = model_name(m, node); name.n; name = parent_of(name)) {
			size_t n = scopes->text.n;

			if (strings_alias(scopes, name) == NONE)
				return false;
			/* If it is known, so are the scopes around it. */
			if (scopes->text.n == n)
				break;
		}
	return true;
}

static bool has_scope(const struct strings *scopes, struct span name)
{
	return name.n && strings_find(scopes, name) != NONE;
}

/* Also accepts the scope above: a layer may have parts that exist only in training. */
static bool is_of_scope(const struct strings *scopes, struct span name)
{
	struct gradient g;

	return gradient_parse(name, &g) && g.kind == GRADIENT_OF_TAPE &&
		(has_scope(scopes, g.forward) || has_scope(scopes, parent_of(g.forward)));
}

bool apply_gradients(struct apply *a)
{
	const struct trace *t = a->trace;
	struct strings scopes = {0};
	bool ok = strings_init(&scopes) && add_scopes(&scopes, a->model, a->first_new);

	a->is_gradient = mem_zero_array(t->targets.n + 1, sizeof(*a->is_gradient));
	ok = ok && a->is_gradient;
	for (size_t i = 0; ok && a->first_new && i < t->targets.n; i++)
		a->is_gradient[i] = !a->is_joined[i] &&
			is_of_scope(&scopes, strings_get(&t->texts, t->targets.at[i].name));
	strings_clear(&scopes);
	return ok;
}
