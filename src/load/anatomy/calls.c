/* Steps of a trace without markers: the calls of one function.
 *
 * Functions of one name are told apart by the graphs that they run: Keras calls what trains and
 * what evaluates multi_step_on_iterator, both. */
#include "load/anatomy/scene.h"

/* Calls of one function from the main thread, none within another. */
struct function {
	uint32_t name;   /* text */
	uint32_t graph;  /* text: the first that it ran; NONE */
	uint32_t first;  /* the first function of its name */
	uint32_t before; /* the one of its name before it; NONE */
	size_t n_alike;  /* of the first: how many have its name */
	size_t n_calls;  /* of the first: of all that have its name */
	size_t n_graphs;
	uint64_t n_traced; /* as of its last call */
	int64_t work_ps;
	int64_t last_end;
	bool trains; /* runs operations of gradients */
};

struct call {
	int64_t start, end;
	uint32_t function; /* its place */
	uint32_t best;     /* of it and those around it, the function that was first called last */
};

struct calls {
	VEC(struct function) functions;
	/* By text: the place + 1 of the function that runs a graph, or of the last one that has a
	 * name; 0: none. */
	VEC(uint32_t) function_of;
	VEC(struct call) at; /* by start */
};

/* ---- functions ---------------------------------------------------------------------- */

#define GRAPH_PREFIX "__inference_"

/* "f_12" of "__inference_f_12". */
static struct span graph_name(struct span graph)
{
	return span_starts(graph, SPAN(GRAPH_PREFIX)) ? span_from(graph, sizeof(GRAPH_PREFIX) - 1)
						      : SPAN("");
}

/* "__inference_f_12" is a graph of f. */
static bool is_graph_of(struct span graph, struct span function)
{
	struct span rest = graph_name(graph);

	if (!function.n || rest.n < function.n + 2 || !span_starts(rest, function) ||
		rest.at[function.n] != '_')
		return false;
	for (size_t i = function.n + 1; i < rest.n; i++)
		if (rest.at[i] < '0' || rest.at[i] > '9')
			return false;
	return true;
}

/* The text of the graph that a call runs; NONE. */
static uint32_t find_graph(const struct scene *s, uint32_t call)
{
	struct span name = text_of(s, s->nodes.at[call].name);

	for (uint32_t n = call + 1; n < s->nodes.at[call].end; n++)
		if (node_has(s, n, FACT_GRAPH) &&
			is_graph_of(text_of(s, facts_of(s, n)->text), name))
			return facts_of(s, n)->text;
	return NONE;
}

static uint32_t *function_of(struct calls *c, uint32_t text)
{
	while (c->function_of.n <= text)
		if (!vec_push(&c->function_of, 0))
			return NULL;
	return &c->function_of.at[text];
}

static bool add_function(struct calls *c, uint32_t name, uint32_t *last)
{
	uint32_t place = (uint32_t)c->functions.n;
	struct function f = {.name = name,
		.graph = NONE,
		.first = *last ? c->functions.at[*last - 1].first : place,
		.before = *last - 1,
		.last_end = INT64_MIN};

	if (place >= NONE - 1 || !vec_push(&c->functions, f))
		return false;
	c->functions.at[f.first].n_alike++;
	*last = place + 1;
	return true;
}

/* A function of the name of `last` that may run one more graph, having been traced so often: it
 * has at most as many graphs, and is not traced less often than before. NONE: none may. */
static uint32_t find_alike(const struct calls *c, uint32_t last, bool has_graph, uint64_t n_traced)
{
	enum { MOST = 16 };

	for (unsigned i = 0; last != NONE && i < MOST; i++) {
		const struct function *f = &c->functions.at[last];

		if (!n_traced || !has_graph ||
			(f->n_traced <= n_traced && f->n_graphs + 1 <= n_traced))
			return last;
		last = f->before;
	}
	return NONE;
}

/* The place + 1 of the function that a call is of; 0 on allocation failure. */
static uint32_t find_function(struct scene *s, struct calls *c, uint32_t node)
{
	uint32_t name = s->nodes.at[node].name, place;
	bool is_traced = node_has(s, node, FACT_CALL);
	uint32_t graph = is_traced ? find_graph(s, node) : NONE;
	uint64_t n_traced = is_traced ? facts_of(s, node)->id : 0;
	uint32_t *last = function_of(c, name);
	uint32_t *of_graph = graph == NONE ? NULL : function_of(c, graph);

	if (!last || (graph != NONE && !of_graph))
		return 0;
	last = &c->function_of.at[name]; /* it may have moved */
	if (of_graph && *of_graph) {
		place = *of_graph;
	} else {
		place = find_alike(c, *last - 1, graph != NONE, n_traced) + 1;
		if (!place && !add_function(c, name, last))
			return 0;
		place = place ? place : *last;
	}
	if (of_graph && !*of_graph) {
		*of_graph = place;
		c->functions.at[place - 1].n_graphs++;
		if (c->functions.at[place - 1].graph == NONE)
			c->functions.at[place - 1].graph = graph;
	}
	if (graph != NONE)
		c->functions.at[place - 1].n_traced = n_traced;
	return place;
}

/* A function that is made anew for each step, or each other one, is one function. */
static uint32_t joined(const struct calls *c, uint32_t function)
{
	uint32_t first = c->functions.at[function].first;
	const struct function *f = &c->functions.at[first];

	return f->n_calls < 2 * f->n_alike ? first : function;
}

/* ---- calls -------------------------------------------------------------------------- */

static bool list_calls(struct scene *s, struct calls *c)
{
	const struct thread_line *line = &s->lines.at[s->main];
	VEC(uint32_t) open = {0};
	bool ok = true;

	for (uint32_t n = line->first; ok && n < line->end; n++) {
		const struct node *node = &s->nodes.at[n];
		struct call call = {node->start, node->end_ps, 0, 0};
		struct function *f;
		uint32_t place;

		if (!(name_of(s, n) & NAME_JIT) && !node_has(s, n, FACT_CALL))
			continue;
		place = find_function(s, c, n);
		ok = place;
		if (!ok)
			break;
		f = &c->functions.at[place - 1];
		if (node->start < f->last_end)
			continue;
		f->last_end = node->end_ps;
		f->work_ps += node->end_ps - node->start;
		c->functions.at[f->first].n_calls++;
		call.function = call.best = place - 1;
		while (open.n && c->at.at[open.at[open.n - 1]].end < node->start)
			open.n--;
		if (open.n && c->at.at[open.at[open.n - 1]].best > call.best)
			call.best = c->at.at[open.at[open.n - 1]].best;
		ok = vec_push(&c->at, call) && vec_push(&open, (uint32_t)c->at.n - 1);
	}
	vec_clear(&open);
	for (size_t i = 0; i < c->at.n; i++) {
		c->at.at[i].function = joined(c, c->at.at[i].function);
		c->at.at[i].best = joined(c, c->at.at[i].best);
	}
	for (uint32_t i = 0; i < c->functions.n; i++)
		if (joined(c, i) != i) {
			c->functions.at[joined(c, i)].work_ps += c->functions.at[i].work_ps;
			c->functions.at[i].work_ps = -1;
		}
	return ok;
}

/* Work that a call launched. */
struct launched {
	int64_t time, work_ps;
};

static struct launched launched_at(const struct scene *s, size_t i)
{
	if (i < s->plain.n)
		return (struct launched){s->plain.at[i].start, s->plain.at[i].work_ps};
	return (struct launched){scene_launch_time(s, &s->ops.at[i - s->plain.n]),
		s->ops.at[i - s->plain.n].work_ps};
}

static bool is_weighed(const struct scene *s, size_t i)
{
	unsigned class = i < s->plain.n ? s->plain.at[i].class : s->ops.at[i - s->plain.n].class;

	return class == ANATOMY_COMPUTE || class == ANATOMY_COMMUNICATION;
}

/* Whether an operation says which of several functions of one name trains. */
static bool is_gradient(const struct scene *s, const struct calls *c, const struct function *f,
	size_t i)
{
	if (c->functions.at[f->first].n_alike < 2 || f->trains || i >= s->plain.n)
		return false;
	return span_find(text_of(s, s->plain.at[i].name), SPAN("gradient_tape/")) <
		text_of(s, s->plain.at[i].name).n;
}

/* Adds the work of each operation to the function whose call launched it. */
static bool weigh_calls(struct scene *s, struct calls *c)
{
	size_t n_ops = s->plain.n + s->ops.n, n = 0, next = 0;
	struct sort_item *items = mem_array(n_ops + 1, sizeof(*items));
	struct sort_item *scratch = mem_array(n_ops + 1, sizeof(*scratch));
	VEC(uint32_t) open = {0};
	bool ok = items && scratch && n_ops < NONE;

	for (size_t i = 0; ok && i < n_ops; i++)
		if (is_weighed(s, i))
			items[n++] = (struct sort_item){sort_key_ascending(launched_at(s, i).time),
				(uint32_t)i};
	if (ok && n)
		sort_items(items, scratch, n);
	for (size_t i = 0; ok && i < n; i++) {
		struct launched op = launched_at(s, items[i].id);

		for (; ok && next < c->at.n && c->at.at[next].start <= op.time; next++)
			ok = vec_push(&open, (uint32_t)next);
		while (open.n && c->at.at[open.at[open.n - 1]].end < op.time)
			open.n--;
		if (ok && open.n) {
			struct function *f = &c->functions.at[c->at.at[open.at[open.n - 1]].best];

			f->work_ps += op.work_ps;
			f->trains |= is_gradient(s, c, f, items[i].id);
		}
	}
	mem_free(items);
	mem_free(scratch);
	vec_clear(&open);
	return ok;
}

/* "f" of "PjitFunction(f)", or the whole name. */
static struct span plain_function(struct span name)
{
	return span_ends(name, SPAN(")")) &&
			(span_starts(name, SPAN("PjitFunction(")) ||
				span_starts(name, SPAN("PmapFunction(")))
		? function_of_call(name)
		: name;
}

/* The function of the last call that began by then; NONE if that is over. */
static uint32_t call_at(const struct calls *c, int64_t time)
{
	size_t low = 0;

	sort_search(low, c->at.n, i, c->at.at[i].start <= time);
	return low && time <= c->at.at[low - 1].end ? c->at.at[low - 1].function : NONE;
}

static struct span function_graph(const struct scene *s, const struct function *f)
{
	return f->graph == NONE ? SPAN("") : graph_name(text_of(s, f->graph));
}

/* By its name or that of its graph. */
static bool is_asked_for(const struct scene *s, const struct function *f, struct span function)
{
	struct span name = text_of(s, f->name);

	return !function.n || span_equal(name, function) ||
		span_equal(plain_function(name), function) ||
		span_equal(function_graph(s, f), function);
}

/* The heaviest one that is asked for; NONE. Of those with its name, one that trains: that is what
 * the program is for, however long it takes to evaluate. */
static uint32_t choose(const struct scene *s, const struct calls *c, struct span function)
{
	const struct function *all = c->functions.at;
	uint32_t best = NONE, heaviest;

	for (uint32_t i = 0; i < c->functions.n; i++)
		if (is_asked_for(s, &all[i], function) &&
			(best == NONE || all[i].work_ps > all[best].work_ps))
			best = i;
	heaviest = best;
	for (uint32_t i = 0; best != NONE && i < c->functions.n; i++)
		if (all[i].first == all[heaviest].first && all[i].trains &&
			is_asked_for(s, &all[i], function) &&
			(!all[best].trains || all[i].work_ps > all[best].work_ps))
			best = i;
	return best;
}

/* Whether a function that is called at least twice has four fifths of what devices did: one
 * program that it compiles to, or what was launched in its calls. */
static bool is_dominant(struct scene *s, const struct calls *c, uint32_t function, bool *ok)
{
	struct span name = text_of(s, c->functions.at[function].name);
	uint32_t module = scene_add_module(s, SPAN("jit_"), plain_function(name));
	uint64_t program = scene_main_program(s);
	double all = 0, own = 0;
	size_t n_calls = 0;

	*ok = module != NONE;
	for (size_t i = 0; i < c->at.n; i++)
		n_calls += c->at.at[i].function == function;
	for (size_t i = 0; *ok && i < s->ops.n; i++) {
		const struct op *op = &s->ops.at[i];

		if (!op->is_on_device)
			continue;
		all += (double)op->work_ps;
		if (facts_of(s, op->node)->number != program)
			continue;
		if ((op->run != NONE && s->runs.at[op->run].module == module) ||
			call_at(c, scene_launch_time(s, op)) == function)
			own += (double)op->work_ps;
	}
	return n_calls > 1 && own >= 0.8 * all;
}

/* Each call of a function is a step. What others of its name do is between steps. */
static bool add_steps(struct scene *s, const struct calls *c, uint32_t function)
{
	const struct function *f = &c->functions.at[function];
	int64_t others_end = INT64_MIN;
	bool ok = true;

	for (size_t i = 0; ok && i < c->at.n; i++) {
		const struct call *call = &c->at.at[i];

		if (call->function == function) {
			ok = scene_add_step(s, (int64_t)s->steps.n, call->start, call->end);
			if (ok)
				s->steps.at[s->steps.n - 1].others_end = others_end;
		} else if (c->functions.at[call->function].first == f->first) {
			others_end = call->end > others_end ? call->end : others_end;
			s->others.n_calls++;
			s->others.ps += call->end - call->start;
			s->others.name = function_graph(s, &c->functions.at[call->function]);
		}
	}
	return ok;
}

bool scene_find_calls(struct scene *s, struct span function)
{
	struct calls c = {0};
	bool ok = list_calls(s, &c) && weigh_calls(s, &c);
	uint32_t best = ok ? choose(s, &c, function) : NONE;

	if (best != NONE && !function.n && s->has_accelerator && !is_dominant(s, &c, best, &ok))
		best = NONE;
	if (ok && best != NONE) {
		ok = add_steps(s, &c, best);
		s->by = ANATOMY_BY_CALLS;
		s->step_name = c.functions.at[best].name;
	}
	vec_clear(&c.functions);
	vec_clear(&c.function_of);
	vec_clear(&c.at);
	return ok;
}
