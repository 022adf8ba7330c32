#include "load/xplane/programs.h"

#include "base/ascii.h"

/* ---- functions ----------------------------------------------------------- */

static bool is_kept(char c)
{
	return ascii_is_letter(c) || ascii_is_digit(c);
}

static bool add_name(struct programs *p, struct buf *b, uint32_t program, struct span function)
{
	uint32_t id;

	b->n = 0;
	for (size_t i = 0; i < function.n; i++)
		buf_char(b, is_kept(function.at[i]) ? function.at[i] : '_');
	if (b->n && !ascii_is_letter(b->at[0]))
		b->at[0] = 'a';
	id = b->failed ? NONE : strings_add(&p->names, buf_get(b));
	if (id == NONE)
		return false;
	while (p->by_name.n <= id)
		if (!vec_push(&p->by_name, NONE))
			return false;
	if (p->by_name.at[id] == NONE)
		p->by_name.at[id] = program;
	else
		p->at.at[p->by_name.at[id]].is_shared = true;
	return true;
}

static bool add_functions(struct programs *p, struct buf *b, const struct library *l)
{
	for (uint32_t i = 1; i < l->graphs.n; i++) {
		struct span name = l->graphs.at[i]->name;
		struct program program = {.library = l,
			.graph = i,
			.scope = name,
			.call = SPAN("")};

		if (!add_name(p, b, (uint32_t)p->at.n, name) || !vec_push(&p->at, program))
			return false;
	}
	return true;
}

/* Counts the calls of a library's functions, which begin at `first`. */
static void count_calls(struct programs *p, const struct library *l, size_t first)
{
	for (size_t i = 0; i < l->graphs.n; i++) {
		const struct graph *g = l->graphs.at[i];

		for (uint32_t k = g->n_args; k < g->nodes.n; k++) {
			uint32_t callee = library_get_callee(l, g, k, A_f);

			if (callee == NONE)
				continue;
			p->at.at[first + callee - 1].n_calls++;
			if (!i)
				p->at.at[first + callee - 1].call = g->nodes.at[k].name;
		}
	}
}

bool programs_read(struct programs *p, const struct join *j)
{
	struct buf b = {0};
	bool ok = strings_init(&p->names);

	for (size_t i = 0; ok && i < j->libraries.n; i++) {
		size_t first = p->at.n;

		ok = add_functions(p, &b, &j->libraries.at[i]);
		if (ok)
			count_calls(p, &j->libraries.at[i], first);
	}
	for (size_t i = 0; i < p->at.n; i++) {
		struct program *program = &p->at.at[i];

		if (program->n_calls == 1 && program->call.n)
			program->scope = program->call;
		else
			program->call = SPAN("");
	}
	buf_clear(&b);
	return ok;
}

void programs_clear(struct programs *p)
{
	strings_clear(&p->names);
	for (size_t i = 0; i < p->at.n; i++)
		vec_clear(&p->at.at[i].graphs);
	vec_clear(&p->at);
	vec_clear(&p->by_name);
}

struct program *programs_find(const struct programs *p, struct span module)
{
	enum { LONGEST = 4096 };
	struct program *found = NULL;

	for (size_t n = 1; n + 1 < module.n && n < LONGEST; n++) {
		uint32_t id, i;

		if (module.at[n] != '_' || module.at[n + 1] != '_')
			continue;
		id = strings_find(&p->names, (struct span){module.at, n});
		i = id == NONE || id >= p->by_name.n ? NONE : p->by_name.at[id];
		if (i == NONE)
			continue;
		if (found || p->at.at[i].is_shared)
			return NULL;
		found = &p->at.at[i];
	}
	return found;
}

/* ---- nodes --------------------------------------------------------------- */

/* Of more functions, those found first count. */
enum { MOST_GRAPHS = 1024 };

static bool add_graph(struct program *p, uint32_t graph)
{
	if (graph == NONE || p->graphs.n == MOST_GRAPHS)
		return true;
	for (size_t i = 0; i < p->graphs.n; i++)
		if (p->graphs.at[i] == graph)
			return true;
	return vec_push(&p->graphs, graph);
}

static bool find_graphs(struct program *p)
{
	static const enum attr_id calls[] = {A_f, A_body, A_cond, A_then_branch, A_else_branch};
	const struct library *l = p->library;

	if (!p->graphs.n && !add_graph(p, p->graph))
		return false;
	for (size_t i = 0; i < p->graphs.n; i++) {
		const struct graph *g = l->graphs.at[p->graphs.at[i]];

		for (uint32_t k = g->n_args; k < g->nodes.n; k++) {
			const struct op_attr *cases = node_attr(g, &g->nodes.at[k], A_branches);

			for (size_t c = 0; c < sizeof(calls) / sizeof(*calls); c++)
				if (!add_graph(p, library_get_callee(l, g, k, calls[c])))
					return false;
			for (uint32_t c = 0; cases && cases->kind == OP_TEXTS && c < cases->n; c++)
				if (!add_graph(p, library_find_function(l, cases->texts[c])))
					return false;
		}
	}
	return true;
}

bool program_find_node(struct program *p, struct span name, struct join_found *found)
{
	const struct library *l = p->library;
	struct span in = span_from(name, p->scope.n + 1);

	*found = (struct join_found){l, library_follow(l, name, 0)};
	if (found->in.graph || found->in.is_ambiguous)
		return true;
	if (!p->graphs.n && !find_graphs(p))
		return false;
	for (size_t i = 0; i < p->graphs.n; i++) {
		uint32_t node = library_find_in(l, p->graphs.at[i], in);

		if (node == NONE)
			continue;
		found->in = (struct library_node){.graph = l->graphs.at[p->graphs.at[i]],
			.node = node,
			.call = p->call,
			.prefix = p->scope.n + 1,
			.is_ambiguous = found->in.graph != NULL};
	}
	return true;
}
