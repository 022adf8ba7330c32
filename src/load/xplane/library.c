#include "load/xplane/library.h"

#include "load/node_def.h"
#include "load/xplane/join.h"

/* ---- reading ------------------------------------------------------------- */

bool library_is_in(struct span graph_def)
{
	struct decoder d = {0};
	struct wire_reader r = wire_reader(graph_def);
	struct wire_field f;

	return decoder_find(&d, &r, WIRE_LEN(GRAPH_DEF_LIBRARY), &f);
}

struct searched {
	const struct library *library;
	uint32_t graph; /* NONE: any */
	struct span name;
};

static bool is_same(const void *context, uint32_t id)
{
	const struct searched *s = context;
	const struct library_place *place = &s->library->places.at[id];

	return (s->graph == NONE || s->graph == place->graph) &&
		span_equal(s->library->graphs.at[place->graph]->nodes.at[place->node].name,
			s->name);
}

static uint64_t hash_in_graph(uint64_t name_hash, uint32_t graph)
{
	return hash_mix(name_hash, graph + 1);
}

/* Of two nodes with a name in one function, the first is meant. */
static bool add_place(struct library *l, uint32_t graph, uint32_t node)
{
	struct span name = l->graphs.at[graph]->nodes.at[node].name;
	struct searched s = {l, graph, name};
	uint64_t hash = hash_bytes(name.at, name.n);
	uint32_t id = (uint32_t)l->places.n;

	if (hash_find(&l->by_graph_and_name, hash_in_graph(hash, graph), is_same, &s) != NONE)
		return true;
	if (!vec_push(&l->places, ((struct library_place){graph, node})) ||
		!vec_push(&l->is_shared, false) ||
		!hash_add(&l->by_graph_and_name, hash_in_graph(hash, graph), id))
		return false;
	if (!graph) /* the main one is not a function */
		return true;
	s.graph = NONE;
	id = hash_find(&l->by_name, hash, is_same, &s);
	if (id == NONE)
		return hash_add(&l->by_name, hash, (uint32_t)l->places.n - 1);
	l->is_shared.at[id] = true;
	return true;
}

static bool add_graph(struct library *l, const struct graph *g)
{
	uint32_t graph = (uint32_t)l->graphs.n;

	if (!vec_push(&l->graphs, g))
		return false;
	for (uint32_t i = g->n_args; i < g->nodes.n; i++)
		if (!add_place(l, graph, i))
			return false;
	return true;
}

bool library_read(struct library *l, const struct model *m, size_t source)
{
	struct op_library *ops = &l->ops;
	bool ok;

	*l = (struct library){.source = source};
	ok = op_library_init(ops, NULL);
	if (ok)
		op_library_add_graph(ops, m->sources.at[source].bytes);
	for (size_t i = 0; ok && !ops->decoder.failed && i < ops->functions.n; i++)
		ops->source.get_function(&ops->source, ops->functions.at[i].name);
	if (!ok || ops->decoder.failed) {
		l->is_damaged = ok && ops->decoder.bad;
		return l->is_damaged;
	}
	ok = add_graph(l, &ops->main);
	for (size_t i = 0; ok && i < ops->functions.n; i++)
		ok = add_graph(l, &ops->functions.at[i].graph);
	return ok;
}

void library_clear(struct library *l)
{
	op_library_clear(&l->ops);
	vec_clear(&l->graphs);
	vec_clear(&l->places);
	vec_clear(&l->is_shared);
	hash_clear(&l->by_graph_and_name);
	hash_clear(&l->by_name);
}

/* ---- finding ------------------------------------------------------------- */

static uint32_t find_in_graph(const struct library *l, uint32_t graph, struct span name)
{
	struct searched s = {l, graph, name};
	uint64_t hash = hash_in_graph(hash_bytes(name.at, name.n), graph);
	uint32_t id = hash_find(&l->by_graph_and_name, hash, is_same, &s);

	return id == NONE ? NONE : l->places.at[id].node;
}

/* The main graph is 0. NONE if there is no such function. */
static uint32_t find_graph(const struct library *l, struct span name)
{
	uint32_t id = op_library_find_function(&l->ops, name);

	return id == NONE ? NONE : id + 1;
}

/* How far a name has been followed: `at` is where the rest of it begins. */
struct way {
	uint32_t graph;
	size_t at;
};

/* Names with very many ways to read them are for nobody to guess. */
enum { MAX_WAYS = 64 };

struct follower {
	const struct library *library;
	struct span name;
	struct way ways[MAX_WAYS]; /* to be tried */
	size_t n, n_tried;
	struct library_node found;
};

static void push(struct follower *f, struct span function, size_t at)
{
	uint32_t graph = function.n ? find_graph(f->library, function) : NONE;

	if (graph == NONE)
		return;
	if (f->n == MAX_WAYS)
		f->found.is_ambiguous = true;
	else
		f->ways[f->n++] = (struct way){graph, at};
}

/* Where the node begins in "body/_12/node"; 0 if the text is of another form. */
static size_t branch_length(struct span text, const char *branch)
{
	size_t n = strlen(branch);

	if (!span_starts(text, span_of(branch)) || !span_starts(span_from(text, n), SPAN("/_")))
		return 0;
	for (n += 2; n < text.n && text.at[n] >= '0' && text.at[n] <= '9'; n++)
		;
	return n < text.n && text.at[n] == '/' ? n + 1 : 0;
}

/* The functions that a node calls, if the name goes on at `at` with one of theirs. */
static void push_calls(struct follower *f, const struct graph *g, const struct op_node *node,
	size_t at)
{
	static const struct {
		enum attr_id attr;
		const char *branch;
	} branches[] = {{A_body, "body"}, {A_cond, "cond"}, {A_then_branch, "then"},
		{A_else_branch, "else"}};

	push(f, node_text(g, node, A_f), at);
	for (size_t i = 0; i < sizeof(branches) / sizeof(*branches); i++) {
		size_t n = branch_length(span_from(f->name, at), branches[i].branch);

		if (n)
			push(f, node_text(g, node, branches[i].attr), at + n);
	}
}

static void try_way(struct follower *f, struct way way)
{
	const struct library *l = f->library;
	const struct graph *g = l->graphs.at[way.graph];
	uint32_t node = find_in_graph(l, way.graph, span_from(f->name, way.at));

	if (node != NONE && way.graph) {
		f->found.is_ambiguous |= f->found.graph != NULL;
		f->found.graph = g;
		f->found.node = node;
		f->found.prefix = way.at;
	}
	for (size_t i = way.at; i < f->name.n; i++) {
		struct span head = {f->name.at + way.at, i - way.at};

		if (f->name.at[i] != '/')
			continue;
		node = find_in_graph(l, way.graph, head);
		if (node != NONE)
			push_calls(f, g, &g->nodes.at[node], i + 1);
	}
}

struct library_node library_follow(const struct library *l, struct span name)
{
	struct follower f = {.library = l, .name = name, .ways = {{0, 0}}, .n = 1};
	const char *slash = name.n ? memchr(name.at, '/', name.n) : NULL;

	if (!l->graphs.n)
		return f.found;
	if (slash)
		push(&f, (struct span){name.at, (size_t)(slash - name.at)},
			(size_t)(slash - name.at) + 1);
	while (f.n && !f.found.is_ambiguous) {
		struct way way = f.ways[--f.n];

		f.found.is_ambiguous |= ++f.n_tried > MAX_WAYS;
		try_way(&f, way);
	}
	return f.found;
}

struct library_node library_find(const struct library *l, struct span name)
{
	struct library_node found = {0};
	struct span rest = name;

	for (size_t n = 0; l->graphs.n;) {
		struct searched s = {l, NONE, rest};
		uint32_t id = hash_find(&l->by_name, hash_bytes(rest.at, rest.n), is_same, &s);

		if (id != NONE) {
			found.graph = l->graphs.at[l->places.at[id].graph];
			found.node = l->places.at[id].node;
			found.prefix = name.n - rest.n;
			found.is_ambiguous = l->is_shared.at[id];
			break;
		}
		n = join_call_length(rest);
		if (!n)
			break;
		rest = span_from(rest, n);
	}
	return found;
}

/* ---- adding -------------------------------------------------------------- */

/* The i-th input, by the name that the source has in the trace. */
static bool add_edge(struct model *m, struct buf *b, const struct graph *g, struct span prefix,
	struct op_edge from, uint32_t i)
{
	uint32_t source;

	b->n = 0;
	buf_span(b, prefix);
	buf_span(b, g->nodes.at[from.node].name);
	source = b->failed ? NONE : strings_add(&m->strings, buf_get(b));
	return source != NONE &&
		vec_push(&m->edges, ((struct edge){source, (int32_t)i, (int32_t)from.output}));
}

/* An input that is not there is the node itself (see op_graph.c). */
static bool add_edges(struct model *m, uint32_t node, struct span name,
	const struct library_node *found)
{
	const struct graph *g = found->graph;
	const struct op_node *def = &g->nodes.at[found->node];
	struct buf b = {0};
	size_t first = m->edges.n;
	bool ok = m->edges.n + def->n_edges < NONE - 1;

	for (uint32_t i = 0; ok && i < def->n_edges; i++) {
		struct op_edge from = g->edges.at[def->first_edge + i];

		if (from.node != found->node)
			ok = add_edge(m, &b, g, (struct span){name.at, found->prefix}, from, i);
	}
	m->nodes.n_edges[node] = (uint32_t)(m->edges.n - first);
	buf_clear(&b);
	return ok;
}

static bool add_def(const struct library *l, struct model *m, uint32_t node, struct span message)
{
	struct slicer slicer = {m->sources.at[l->source].bytes.at, l->source, &m->listed_slices};
	struct node_defs defs = {0};
	bool ok = slicer_cut(&slicer, &m->nodes.source[node], message);

	node_defs_add(&defs, message);
	/* Attributes that are damaged are said to be when somebody asks for them. */
	if (ok && defs.defs.n && !defs.defs.at[0].attrs.failed)
		ok = node_def_put_shapes(m, node, &defs, &defs.defs.at[0]);
	ok = ok && (!defs.decoder.failed || defs.decoder.bad);
	node_defs_clear(&defs);
	return ok;
}

uint32_t library_add_node(const struct library *l, struct model *m, struct span name,
	const struct library_node *found)
{
	const struct op_node *def = &found->graph->nodes.at[found->node];
	uint32_t id = strings_add(&m->strings, name);
	uint32_t op = strings_add(&m->strings, def->type->name);
	uint32_t node;

	if (id == NONE || op == NONE)
		return NONE;
	if (model_node_of(m, id) != NONE)
		return model_node_of(m, id);
	node = model_add_node(m, id, op);
	if (node == NONE || !add_edges(m, node, name, found) || !add_def(l, m, node, def->message))
		return NONE;
	return node;
}
