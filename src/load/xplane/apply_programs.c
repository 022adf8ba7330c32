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
	for (size_t i = 0; i < a->trace->targets.n; i++) {
		struct program *program = apply_get_program(a, i);

		if (program && !programs_add_run(&a->programs, program))
			return false;
	}
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
		!programs_find_node(&a->programs, program, strings_get(&t->texts, text), found))
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

static void take_of_main_graph(struct apply *a, const struct library *l)
{
	const struct graph *main = l->graphs.n ? l->graphs.at[0] : NULL;

	for (uint32_t i = main ? main->n_args : 0; main && i < main->nodes.n; i++) {
		uint32_t node = programs_is_call(&a->programs, &a->join, l, main, i)
			? model_find_node(a->model, main->nodes.at[i].name)
			: NONE;

		if (node != NONE)
			mark(a, node);
	}
}

static void take_of_functions(struct apply *a)
{
	const struct join *j = &a->join;
	bool is_in_scope = false;

	for (size_t i = 0; i < j->nodes.n; i++) {
		const struct join_node *n = &j->nodes.at[i];
		const struct join_function *f = &j->functions.at[n->function];

		/* Nodes of a function follow each other. */
		if (!i || n->function != j->nodes.at[i - 1].function)
			is_in_scope = programs_is_in_scope(&a->programs, f->prefix);
		if (programs_is_call(&a->programs, j, f->library, f->graph, n->in) ||
			(is_in_scope && op_rule_is_product(f->graph->nodes.at[n->in].type->rule)))
			mark(a, n->node);
	}
}

/* For all programs at once: there may be as many as nodes. */
void apply_take_float_ops(struct apply *a)
{
	if (a->programs.is_taken)
		return;
	a->programs.is_taken = true;
	for (size_t i = 0; i < a->join.libraries.n; i++)
		take_of_main_graph(a, &a->join.libraries.at[i]);
	take_of_functions(a);
}
