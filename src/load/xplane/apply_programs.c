/* Operations of programs that were compiled from functions of the graph (programs.h). */
#include "count/ops.h"
#include "load/xplane/apply.h"

bool apply_programs(struct apply *a)
{
	const struct hlo_modules *modules = &a->trace->modules;

	if (!a->join.libraries.n || !a->trace->compiled_ops.n)
		return true;
	if (!programs_read(&a->programs, &a->join))
		return false;
	for (size_t i = 0; i < modules->at.n; i++)
		if (modules->at.at[i]->is_decoded)
			modules->at.at[i]->program_of =
				programs_find(&a->programs, modules->at.at[i]->name);
	return true;
}

struct program *apply_get_program(const struct apply *a, size_t target)
{
	const struct hlo_module *module = a->trace->targets.at[target].module;

	return module ? module->program_of : NULL;
}

/* "StatefulPartitionedCall/dense/MatMul" */
static struct span put_in_scope(struct apply *a, const struct program *p, struct span name)
{
	a->scratch.n = 0;
	buf_span(&a->scratch, p->scope);
	buf_char(&a->scratch, '/');
	buf_span(&a->scratch, name);
	return a->scratch.failed ? SPAN("") : buf_get(&a->scratch);
}

bool apply_join_program(struct apply *a, size_t target, struct span *name)
{
	struct trace *t = a->trace;
	const struct trace_target *op = &t->targets.at[target];
	struct program *program = op->module->program_of;
	struct join_found *found = &a->join.found[target];
	struct span op_name = op->module->instructions.at[op->instruction].op_name;
	uint32_t text;

	*name = strings_get(&t->texts, op->name);
	if (!op_name.n)
		return true;
	/* What is found points into the name. */
	text = strings_add(&t->texts, put_in_scope(a, program, op_name));
	if (a->scratch.failed || text == NONE ||
		!program_find_node(program, strings_get(&t->texts, text), found))
		return false;
	a->n_ambiguous += found->in.is_ambiguous && apply_is_first(a, target);
	a->join.is_full |= found->in.graph && a->join.nodes.n >= JOIN_MOST_NODES;
	if (!found->in.graph || found->in.is_ambiguous || a->join.is_full)
		return true;
	a->origins[target] = join_add_node(&a->join, a->model, strings_get(&t->texts, text), found);
	a->is_joined[target] = true;
	*name = put_in_scope(a, program, *name);
	return a->origins[target] != NONE && !a->scratch.failed;
}

static void mark(struct apply *a, uint32_t node)
{
	a->model->nodes.float_ops[node] = 0;
	a->model->nodes.flags[node] |= NODE_COMPILED | NODE_CHANGED;
}

static bool is_call(const struct program *p, const struct graph *g, uint32_t in)
{
	return library_get_callee(p->library, g, in, A_f) == p->graph;
}

static bool is_in_scope(const struct program *p, struct span prefix)
{
	return prefix.n > p->scope.n && span_starts(prefix, p->scope) &&
		prefix.at[p->scope.n] == '/';
}

void apply_take_float_ops(struct apply *a, const struct program *p)
{
	const struct graph *main = p->library->graphs.at[0];
	const struct join *j = &a->join;

	for (uint32_t i = main->n_args; i < main->nodes.n; i++) {
		uint32_t node = is_call(p, main, i)
			? model_find_node(a->model, main->nodes.at[i].name)
			: NONE;

		if (node != NONE)
			mark(a, node);
	}
	for (size_t i = 0; i < j->nodes.n; i++) {
		const struct join_node *n = &j->nodes.at[i];
		const struct join_function *f = &j->functions.at[n->function];

		if (is_call(p, f->graph, n->in) ||
			(is_in_scope(p, f->prefix) &&
				op_rule_is_product(f->graph->nodes.at[n->in].type->rule)))
			mark(a, n->node);
	}
}
