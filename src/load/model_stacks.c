#include "load/model_stacks.h"

#include "load/directory.h"

/* Finds debug information beside a SavedModel or a MetaGraphDef. */
static bool find_beside(const struct load *l, struct buf *path)
{
	return (l->kind == INPUT_SAVED_MODEL || l->kind == INPUT_META_GRAPH) && l->in->path &&
		!tfprof_input_is_memory(l->in) && directory_find_debug_info(l->in->path, path);
}

static enum tfprof_status read_beside(struct model_stacks *s, const struct model *m,
	const struct load *l, const char *path, struct tfprof_error *err)
{
	struct tfprof_input in = {.path = path};
	struct load beside = {.in = &in, .kind = INPUT_DEBUG_INFO, .notes = l->notes};
	enum tfprof_status status = load_open(&beside, m, err);

	if (status == TFPROF_OK)
		status = debug_info_read(&s->infos[s->n++], m, &beside, &beside.source,
			beside.source.bytes, err);
	s->beside = beside.source;
	return status;
}

enum tfprof_status model_stacks_read(struct model_stacks *s, const struct model *m,
	const struct load *l, struct span in_graph, struct tfprof_error *err)
{
	struct buf path = {0};
	struct tfprof_error why = {0};
	enum tfprof_status status = TFPROF_OK;

	*s = (struct model_stacks){0};
	if (in_graph.n)
		status = debug_info_read(&s->infos[s->n++], m, l, &l->source, in_graph, err);
	if (status != TFPROF_OK || !find_beside(l, &path)) {
		status = path.failed ? error_no_memory(err) : status;
	} else {
		status = read_beside(s, m, l, path.at, &why);
		if (status == TFPROF_FORMAT && m->reading == TFPROF_READ_RECOVER) {
			buf_printf(l->notes, "%s: its call stacks are not read\n", why.text);
			status = TFPROF_OK;
		} else if (status != TFPROF_OK) {
			status = error_set(err, status, "%s", why.text);
		}
	}
	buf_clear(&path);
	return status;
}

enum tfprof_status model_stacks_keep(struct model_stacks *s, struct model *m,
	struct tfprof_error *err)
{
	enum tfprof_status status = TFPROF_OK;

	for (size_t i = 0; i < s->n && status == TFPROF_OK; i++)
		status = debug_info_keep(&s->infos[i], m, err);
	return status;
}

void model_stacks_clear(struct model_stacks *s)
{
	for (size_t i = 0; i < s->n; i++)
		debug_info_clear(&s->infos[i]);
	source_close(&s->beside);
}

void model_stacks_set(const struct model_stacks *s, struct model *m, uint32_t node,
	struct span name, struct span function)
{
	for (size_t i = 0; i < s->n && !(m->nodes.flags[node] & NODE_HAS_TRACE); i++) {
		const struct debug_name *found = debug_info_find(&s->infos[i], name, function);

		if (found)
			call_stacks_set(m, node, found->slice);
	}
}
