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

static bool add_callee(struct programs *p, size_t first, uint32_t graph)
{
	struct program *f = graph == NONE ? NULL : &p->at.at[first + graph - 1];

	if (!f || f->found_by == p->n_searches)
		return true;
	f->found_by = p->n_searches;
	return vec_push(&p->callees, (uint32_t)(f - p->at.at));
}

/* What a function calls, each once. */
static bool read_callees(struct programs *p, struct program *program, size_t first)
{
	static const enum attr_id calls[] = {A_f, A_body, A_cond, A_then_branch, A_else_branch};
	const struct library *l = program->library;
	const struct graph *g = l->graphs.at[program->graph];

	p->n_searches++;
	program->first_callee = (uint32_t)p->callees.n;
	for (uint32_t k = g->n_args; k < g->nodes.n; k++) {
		const struct op_attr *cases = node_attr(g, &g->nodes.at[k], A_branches);

		for (size_t c = 0; c < sizeof(calls) / sizeof(*calls); c++)
			if (!add_callee(p, first, library_get_callee(l, g, k, calls[c])))
				return false;
		for (uint32_t c = 0; cases && cases->kind == OP_TEXTS && c < cases->n; c++)
			if (!add_callee(p, first, library_find_function(l, cases->texts[c])))
				return false;
	}
	program->n_callees = (uint32_t)p->callees.n - program->first_callee;
	return true;
}

bool programs_read(struct programs *p, const struct join *j)
{
	struct buf b = {0};
	bool ok = strings_init(&p->names) && strings_init(&p->scopes);

	for (size_t i = 0; ok && i < j->libraries.n; i++) {
		size_t first = p->at.n;

		ok = vec_push(&p->firsts, (uint32_t)first) &&
			add_functions(p, &b, &j->libraries.at[i]);
		if (ok)
			count_calls(p, &j->libraries.at[i], first);
		for (size_t k = first; ok && k < p->at.n; k++)
			ok = read_callees(p, &p->at.at[k], first);
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
	strings_clear(&p->scopes);
	for (size_t i = 0; i < p->at.n; i++)
		vec_clear(&p->at.at[i].reached);
	vec_clear(&p->firsts);
	vec_clear(&p->callees);
	vec_clear(&p->at);
	vec_clear(&p->by_name);
}

/* Longer names are not looked up, since every prefix of a name may be tried. */
enum { LONGEST = 4096 };

struct program *programs_find(const struct programs *p, struct span module)
{
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

/* ---- what ran ------------------------------------------------------------ */

bool programs_add_run(struct programs *p, struct program *program)
{
	if (program->has_run)
		return true;
	program->has_run = true;
	return strings_add(&p->scopes, program->scope) != NONE;
}

bool programs_is_call(const struct programs *p, const struct join *j, const struct library *l,
	const struct graph *g, uint32_t node)
{
	uint32_t callee = library_get_callee(l, g, node, A_f);

	return callee != NONE && p->at.at[p->firsts.at[l - j->libraries.at] + callee - 1].has_run;
}

bool programs_is_in_scope(const struct programs *p, struct span prefix)
{
	for (size_t n = 1; n < prefix.n && n <= LONGEST; n++)
		if (prefix.at[n] == '/' &&
			strings_find(&p->scopes, (struct span){prefix.at, n}) != NONE)
			return true;
	return false;
}

/* ---- nodes --------------------------------------------------------------- */

/* Further functions are ignored. */
enum {
	MOST_REACHED = 1024,     /* by one function */
	MOST_FOLLOWED = 1 << 24, /* calls, by all: functions that all call each other multiply */
};

static bool reach(struct programs *p, struct program *from, uint32_t function)
{
	if (p->at.at[function].found_by == p->n_searches)
		return true;
	p->at.at[function].found_by = p->n_searches;
	return vec_push(&from->reached, function);
}

static bool find_reached(struct programs *p, struct program *from)
{
	p->n_searches++;
	if (!reach(p, from, (uint32_t)(from - p->at.at)))
		return false;
	for (size_t i = 0; i < from->reached.n; i++) {
		const struct program *f = &p->at.at[from->reached.at[i]];

		for (uint32_t k = 0; k < f->n_callees; k++) {
			if (from->reached.n == MOST_REACHED || p->n_followed == MOST_FOLLOWED)
				return true;
			p->n_followed++;
			if (!reach(p, from, p->callees.at[f->first_callee + k]))
				return false;
		}
	}
	return true;
}

bool programs_find_node(struct programs *p, struct program *program, struct span name,
	struct join_found *found)
{
	const struct library *l = program->library;
	struct span in = span_from(name, program->scope.n + 1);
	uint64_t hash = hash_bytes(in.at, in.n);

	*found = (struct join_found){l, library_follow(l, name, 0)};
	if (found->in.graph || found->in.is_ambiguous)
		return true;
	if (!program->reached.n && !find_reached(p, program))
		return false;
	for (size_t i = 0; i < program->reached.n; i++) {
		uint32_t graph = p->at.at[program->reached.at[i]].graph;
		uint32_t node = library_find_hashed(l, graph, in, hash);

		if (node == NONE)
			continue;
		found->in = (struct library_node){.graph = l->graphs.at[graph],
			.node = node,
			.call = program->call,
			.prefix = program->scope.n + 1,
			.is_ambiguous = found->in.graph != NULL};
	}
	return true;
}
