#include "load/xplane/library.h"

#include "base/ascii.h"
#include "load/node_def.h"

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

/* Of several nodes with the same name in a function, the first counts. */
static bool add_place(struct library *l, uint32_t graph, uint32_t node)
{
	struct span name = l->graphs.at[graph]->nodes.at[node].name;
	struct searched s = {l, graph, name};
	uint64_t hash = hash_bytes(name.at, name.n);
	uint32_t id = (uint32_t)l->places.n;

	if (hash_find(&l->by_graph_and_name, hash_in_graph(hash, graph), is_same, &s) != NONE)
		return true;
	if (name.n > l->longest)
		l->longest = name.n;
	if (!vec_push(&l->places, ((struct library_place){graph, node})) ||
		!vec_push(&l->is_shared, false) ||
		!hash_add(&l->by_graph_and_name, hash_in_graph(hash, graph), id))
		return false;
	if (!graph) /* the main graph is not a function */
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

uint32_t library_find_hashed(const struct library *l, uint32_t graph, struct span name,
	uint64_t hash)
{
	struct searched s = {l, graph, name};
	uint32_t id = hash_find(&l->by_graph_and_name, hash_in_graph(hash, graph), is_same, &s);

	return id == NONE ? NONE : l->places.at[id].node;
}

uint32_t library_find_in(const struct library *l, uint32_t graph, struct span name)
{
	return name.n <= l->longest
		? library_find_hashed(l, graph, name, hash_bytes(name.at, name.n))
		: NONE;
}

uint32_t library_find_function(const struct library *l, struct span name)
{
	uint32_t id = op_library_find_function(&l->ops, name);

	return id == NONE ? NONE : id + 1;
}

uint32_t library_get_callee(const struct library *l, const struct graph *g, uint32_t node,
	enum attr_id attr)
{
	struct span function = node_text(g, &g->nodes.at[node], attr);

	return function.n ? library_find_function(l, function) : NONE;
}

/* One way to read a name up to `at`, where the rest begins. */
struct way {
	uint32_t graph;
	size_t at;
	uint32_t before;      /* the way to the calling graph; NONE: none */
	uint32_t call;        /* the node that calls, in that graph */
	uint32_t first_input; /* which input of the call is the first argument */
};

/* A name with more readings than this is ambiguous. */
enum { MAX_WAYS = 64 };

struct follower {
	const struct library *library;
	struct span name;
	struct way ways[MAX_WAYS];
	uint32_t n;
	uint32_t end; /* the way that led to what was found */
	struct library_node found;
};

static void push(struct follower *f, struct span function, struct way way)
{
	way.graph = function.n ? library_find_function(f->library, function) : NONE;
	if (way.graph == NONE)
		return;
	if (f->n == MAX_WAYS)
		f->found.is_ambiguous = true;
	else
		f->ways[f->n++] = way;
}

/* Where the text goes on after "12/" at `at`; 0 if it has something else there. */
static size_t skip_number(struct span text, size_t at)
{
	size_t n = at + ascii_leading_digits(span_from(text, at));

	return n > at && n < text.n && text.at[n] == '/' ? n + 1 : 0;
}

/* Where the node begins in "body/_12/node"; 0 if the text is of another form. */
static size_t branch_length(struct span text, const char *branch)
{
	size_t n = strlen(branch);

	if (!span_starts(text, span_of(branch)) || !span_starts(span_from(text, n), SPAN("/_")))
		return 0;
	return skip_number(text, n + 2);
}

/* "branch0/_5/node" */
static void push_case(struct follower *f, const struct op_attr *branches, struct way way)
{
	struct span text = span_from(f->name, way.at), word = SPAN("branch");
	size_t n = span_starts(text, word) ? skip_number(text, word.n) : 0, rest;
	uint32_t i = 0;

	if (!n || n == text.n || text.at[n] != '_')
		return;
	rest = skip_number(text, n + 1);
	for (size_t k = word.n; k + 1 < n && i <= branches->n; k++)
		i = i * 10 + (uint32_t)(text.at[k] - '0');
	way.at += rest;
	if (rest && i < branches->n)
		push(f, branches->texts[i], way);
}

/* Adds the functions that a node calls, if the name continues at `way.at` with one of their
 * branches. */
static void push_calls(struct follower *f, const struct graph *g, struct way way)
{
	static const struct {
		enum attr_id attr;
		const char *branch;
		uint32_t first_input; /* 1: the condition is not passed on */
	} branches[] = {{A_body, "body", 0}, {A_cond, "cond", 0}, {A_then_branch, "then", 1},
		{A_else_branch, "else", 1}};
	const struct op_node *node = &g->nodes.at[way.call];
	const struct op_attr *cases = node_attr(g, node, A_branches);

	push(f, node_text(g, node, A_f), way);
	for (size_t i = 0; i < sizeof(branches) / sizeof(*branches); i++) {
		size_t n = branch_length(span_from(f->name, way.at), branches[i].branch);
		struct way inner = way;

		inner.at += n;
		inner.first_input = branches[i].first_input;
		if (n)
			push(f, node_text(g, node, branches[i].attr), inner);
	}
	way.first_input = 1;
	if (cases && cases->kind == OP_TEXTS)
		push_case(f, cases, way);
}

static void try_way(struct follower *f, uint32_t i)
{
	const struct library *l = f->library;
	struct way way = f->ways[i];
	const struct graph *g = l->graphs.at[way.graph];
	uint32_t node = library_find_in(l, way.graph, span_from(f->name, way.at));

	if (node != NONE && way.graph) {
		f->found.is_ambiguous |= f->found.graph != NULL;
		f->found.graph = g;
		f->found.node = node;
		f->found.prefix = way.at;
		f->end = i;
	}
	for (size_t at = way.at; at < f->name.n && at - way.at <= l->longest; at++) {
		struct span head = {f->name.at + way.at, at - way.at};

		if (f->name.at[at] != '/')
			continue;
		node = library_find_in(l, way.graph, head);
		if (node != NONE)
			push_calls(f, g, (struct way){.at = at + 1, .before = i, .call = node});
	}
}

/* The call in the main graph that a way begins with. */
static struct span call_of(const struct follower *f, uint32_t i)
{
	const struct library *l = f->library;

	for (; f->ways[i].before != NONE; i = f->ways[i].before)
		if (!f->ways[f->ways[i].before].graph)
			return l->graphs.at[0]->nodes.at[f->ways[i].call].name;
	return SPAN("");
}

static void follow(struct follower *f, const struct library *l, struct span name, size_t start)
{
	struct span rest = span_from(name, start);
	const char *slash = rest.n ? memchr(rest.at, '/', rest.n) : NULL;
	size_t head = slash ? (size_t)(slash - rest.at) : 0;

	*f = (struct follower){.library = l,
		.name = name,
		.ways = {{.at = start, .before = NONE}},
		.n = 1,
		.end = NONE,
		.found = {.call = SPAN(""), .start = start}};
	if (!l->graphs.n)
		return;
	if (slash)
		push(f, (struct span){rest.at, head},
			(struct way){.at = start + head + 1, .before = NONE});
	for (uint32_t i = 0; i < f->n && !f->found.is_ambiguous; i++)
		try_way(f, i);
	if (f->found.graph)
		f->found.call = call_of(f, f->end);
}

struct library_node library_follow(const struct library *l, struct span name, size_t start)
{
	struct follower f;

	follow(&f, l, name, start);
	return f.found;
}

struct library_node library_find(const struct library *l, struct span name, size_t start)
{
	struct searched s = {l, NONE, span_from(name, start)};
	uint32_t id = hash_find(&l->by_name, hash_bytes(s.name.at, s.name.n), is_same, &s);

	if (id == NONE)
		return (struct library_node){.call = SPAN("")};
	return (struct library_node){.graph = l->graphs.at[l->places.at[id].graph],
		.node = l->places.at[id].node,
		.call = SPAN(""),
		.start = start,
		.prefix = start,
		.is_ambiguous = l->is_shared.at[id]};
}

/* ---- adding -------------------------------------------------------------- */

/* Where a value comes from. */
struct origin {
	const struct graph *graph;
	struct op_edge from;
	uint32_t way; /* to the function; NONE: its caller is not known */
};

/* Replaces an argument of a function by the input of the call; false if that is not known. */
static bool leave_function(const struct follower *f, struct origin *s)
{
	while (s->from.node < s->graph->n_args) {
		const struct way *way = s->way == NONE ? NULL : &f->ways[s->way];
		const struct op_node *call;
		uint32_t input;

		if (!way || way->before == NONE)
			return false;
		s->way = way->before;
		s->graph = f->library->graphs.at[f->ways[s->way].graph];
		call = &s->graph->nodes.at[way->call];
		input = s->from.node + way->first_input;
		if (input >= call->n_edges)
			return false;
		s->from = s->graph->edges.at[call->first_edge + input];
		if (s->from.node == way->call)
			return false;
	}
	return true;
}

/* Replaces a call by what its function returns, unless that is an argument. Appends the calls'
 * names to the prefix in `b`. */
static void enter_calls(const struct library *l, struct origin *s, struct buf *b)
{
	enum { MOST = 64 };

	for (int i = 0; i < MOST; i++) {
		const struct op_node *node = &s->graph->nodes.at[s->from.node];
		uint32_t called = library_get_callee(l, s->graph, s->from.node, A_f);
		const struct graph *g = called == NONE ? NULL : l->graphs.at[called];

		if (!g || s->from.output >= g->returns.n ||
			g->returns.at[s->from.output].node < g->n_args)
			return;
		buf_span(b, node->name);
		buf_char(b, '/');
		s->from = g->returns.at[s->from.output];
		s->graph = g;
	}
}

/* Adds the i-th input, under the name its source has in the trace. */
static bool add_edge(struct model *m, struct buf *b, const struct follower *f, struct origin s,
	uint32_t i)
{
	uint32_t source;

	b->n = 0;
	if (!leave_function(f, &s))
		return true;
	buf_put(b, f->name.at, s.way == NONE ? f->found.prefix : f->ways[s.way].at);
	enter_calls(f->library, &s, b);
	/* Nodes of the main graph go by their own names. */
	if (s.graph == f->library->graphs.at[0])
		b->n = 0;
	buf_span(b, s.graph->nodes.at[s.from.node].name);
	source = b->failed ? NONE : strings_add(&m->strings, buf_get(b));
	return source != NONE &&
		vec_push(&m->edges, ((struct edge){source, (int32_t)i, (int32_t)s.from.output}));
}

/* A missing input refers to the node itself (see op_graph.c). */
static bool add_edges(struct model *m, struct buf *b, const struct follower *f, uint32_t node,
	uint32_t in)
{
	const struct graph *g = f->found.graph;
	const struct op_node *def = &g->nodes.at[in];
	size_t first = m->edges.n;
	bool ok = m->edges.n + def->n_edges < NONE - 1;

	for (uint32_t i = 0; ok && i < def->n_edges; i++) {
		struct origin s = {g, g->edges.at[def->first_edge + i], f->end};

		if (s.from.node != in)
			ok = add_edge(m, b, f, s, i);
	}
	m->nodes.n_edges[node] = (uint32_t)(m->edges.n - first);
	return ok;
}

static bool add_def(const struct library *l, struct model *m, uint32_t node, struct span message)
{
	struct slicer slicer = {m->sources.at[l->source].bytes.at, l->source, &m->listed_slices};
	struct node_defs defs = {0};
	bool ok = slicer_cut(&slicer, &m->nodes.source[node], message);

	node_defs_add(&defs, message);
	/* Damaged attributes are reported when they are read. */
	if (ok && defs.defs.n && !defs.defs.at[0].attrs.failed)
		ok = node_def_put_shapes(m, node, &defs, &defs.defs.at[0]);
	ok = ok && (!defs.decoder.failed || defs.decoder.bad);
	node_defs_clear(&defs);
	return ok;
}

/* NONE on allocation failure. */
static uint32_t add_node(struct model *m, struct buf *b, const struct follower *f, uint32_t in)
{
	const struct op_node *def = &f->found.graph->nodes.at[in];
	uint32_t id, op, node;

	b->n = 0;
	buf_put(b, f->name.at, f->found.prefix);
	buf_span(b, def->name);
	id = b->failed ? NONE : strings_add(&m->strings, buf_get(b));
	op = strings_add(&m->strings, def->type->name);
	if (id == NONE || op == NONE)
		return NONE;
	if (model_node_of(m, id) != NONE)
		return model_node_of(m, id);
	node = model_add_node(m, id, op);
	if (node == NONE || !add_edges(m, b, f, node, in) ||
		!add_def(f->library, m, node, def->message))
		return NONE;
	return node;
}

bool library_add_nodes(const struct library *l, struct model *m, struct span name,
	const struct library_node *found, library_added_fn *added, void *context)
{
	struct follower f;
	struct buf b = {0};
	bool ok = true;

	follow(&f, l, name, found->start);
	f.found = *found;
	for (uint32_t i = found->graph->n_args; ok && i < found->graph->nodes.n; i++) {
		uint32_t node = add_node(m, &b, &f, i);

		ok = node != NONE && added(context, node, i);
	}
	buf_clear(&b);
	return ok;
}
