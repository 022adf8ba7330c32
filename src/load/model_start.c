/* Where the walk of a graph starts, if no signature says so, and what it can reach. */
#include "load/model_file.h"

/* Constants, placeholders and variables: if nothing reads them, the walk does not start there. */
static bool is_source(const struct op_node *node)
{
	const struct op_rule *rule = node->type->rule;

	return rule &&
		(rule->shape == shape_constant || rule->shape == shape_placeholder ||
			rule->shape == shape_variable ||
			(rule->shape == shape_nothing && rule->cost == cost_none));
}

/* Starts at all nodes, or at those whose outputs are not read. */
enum tfprof_status model_start_anywhere(struct model_file *m, bool everywhere,
	struct tfprof_error *err)
{
	struct graph *g = &m->library.main;
	bool *is_read = mem_zero_array(g->nodes.n + 1, sizeof(*is_read));
	bool ok = is_read != NULL;

	for (size_t i = 0; ok && i < g->nodes.n; i++) {
		const struct op_node *node = &g->nodes.at[i];

		for (uint32_t k = 0; k < node->n_edges; k++)
			if (g->edges.at[node->first_edge + k].node != i)
				is_read[g->edges.at[node->first_edge + k].node] = true;
	}
	for (uint32_t i = 0; ok && i < g->nodes.n; i++)
		if (everywhere || (!is_read[i] && !is_source(&g->nodes.at[i])))
			ok = vec_push(&g->returns, ((struct op_edge){i, 0}));
	mem_free(is_read);
	return ok ? TFPROF_OK : error_no_memory(err);
}

/* Adds the placeholders that the walk reaches as inputs. */
enum tfprof_status model_add_placeholders(struct model_file *m, struct tfprof_error *err)
{
	const struct graph *g = &m->library.main;
	bool *reachable = graph_find_needed(g, 0, g->returns.n);
	enum tfprof_status status = reachable ? TFPROF_OK : error_no_memory(err);

	for (uint32_t i = 0; status == TFPROF_OK && i < g->nodes.n; i++) {
		const struct op_node *node = &g->nodes.at[i];
		const struct op_attr *shape = node_attr(g, node, A_shape);
		struct tensor tensor = tensor_unknown((int)node_int(g, node, A_dtype, 0));
		struct preset preset = {.node = i};

		if (!reachable[i] || node->n_edges || !node->type->rule ||
			node->type->rule->shape != shape_placeholder ||
			span_starts(node->name, SPAN("unused_control_flow_input")))
			continue;
		if (shape && shape->kind == OP_SHAPE && shape->n != OP_UNKNOWN_RANK)
			tensor = tensor_make(tensor.dtype, shape->ints, shape->n);
		else if (tensor.rank < 0)
			tensor = node_output_shape(g, node, 0);
		tensor.dtype = (int16_t)node_int(g, node, A_dtype, 0);
		status = model_file_add_input(m, node->name, tensor, &preset.tensor, err);
		if (status == TFPROF_OK && !vec_push(&m->presets, preset))
			status = error_no_memory(err);
	}
	mem_free(reachable);
	return status;
}
