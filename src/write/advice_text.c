/* Findings as text.
 *
 *     IdleGapChecker:
 *     …/gpu:0 idle 64% of the time between kernels: …       the finding's own lines,
 *         level: warning, confidence: high                  then what is known about it
 *         where: a/MatMul, MatMul (train.py:12:build:…)
 *         to do: Give the accelerator work earlier: …
 *
 *     nothing found by: StepOutlierChecker
 *     not applicable: MemcpyChecker, PlacementChecker (no accelerator)
 */
#include "write/advice.h"

/* ---- as TensorFlow's profiler ------------------------------------------------- */

static void put_as_tensorflow(const struct advice *a, struct sink *out)
{
	for (size_t i = 0; i < a->verdicts.n; i++) {
		const struct verdict *v = &a->verdicts.at[i];

		sink_char(out, '\n');
		sink_text(out, v->checker->info.name);
		sink_text(out, ":\n");
		for (size_t k = 0; k < v->findings.n; k++) {
			sink_span(out, v->findings.at[k]->text);
			sink_char(out, '\n');
		}
		if (!v->findings.n && v->remark.n && !v->checker->in_tensorflow) {
			sink_span(out, v->remark);
			sink_char(out, '\n');
		}
	}
}

/* ---- findings ------------------------------------------------------------------ */

/* Whether the text says all there is to say about a place. It always names devices,
 * some by their task. */
static bool is_told(struct span text, const struct place *p)
{
	return span_contains(text, p->node) && span_contains(text, p->op) &&
		span_contains(text, p->line);
}

/* "NODE, OP (LINE)", as far as known. */
static void put_place(const struct place *p, struct sink *out)
{
	bool has_node = p->node.n || p->op.n;

	sink_span(out, p->node);
	if (p->node.n && p->op.n)
		sink_text(out, ", ");
	sink_span(out, p->op);
	if (p->line.n) {
		sink_text(out, has_node ? " (" : "");
		sink_span(out, p->line);
		sink_text(out, has_node ? ")" : "");
	}
	sink_char(out, '\n');
}

static void put_places(const struct finding *f, struct sink *out)
{
	const char *start = "    where: ";

	for (size_t i = 0; i < f->places.n; i++) {
		const struct place *p = &f->places.at[i];

		if (is_told(f->text, p))
			continue;
		sink_text(out, start);
		put_place(p, out);
		start = "           ";
	}
}

/* Lines of a list, such as those of links, have one comment at the end. */
static bool continues(const struct verdict *v, size_t k)
{
	const struct finding *f = v->findings.at[k], *next;

	if (k + 1 == v->findings.n)
		return false;
	next = v->findings.at[k + 1];
	return strcmp(f->what, next->what) == 0 && f->level == next->level &&
		f->confidence == next->confidence && f->remedy == next->remedy;
}

static void put_finding(const struct verdict *v, size_t k, struct sink *out)
{
	const struct finding *f = v->findings.at[k];

	sink_span(out, f->text);
	sink_char(out, '\n');
	put_places(f, out);
	if (continues(v, k))
		return;
	sink_text(out, "    level: ");
	sink_text(out, f->level == TFPROF_LEVEL_NONE ? "information" : advice_level_name(f->level));
	if (f->level != TFPROF_LEVEL_NONE) {
		sink_text(out, ", confidence: ");
		sink_text(out, advice_confidence_name(f->confidence));
	}
	sink_char(out, '\n');
	if (f->remedy) {
		sink_text(out, "    to do: ");
		sink_text(out, f->remedy);
		sink_char(out, '\n');
	}
}

/* ---- checkers without findings --------------------------------------------------- */

static void put_names(const struct advice *a, const char *reason, struct sink *out)
{
	const char *separator = "";

	for (size_t i = 0; i < a->verdicts.n; i++) {
		const struct verdict *v = &a->verdicts.at[i];
		bool same = reason ? v->reason && strcmp(v->reason, reason) == 0 : !v->skipped;

		if (v->findings.n || !same)
			continue;
		sink_text(out, separator);
		sink_text(out, v->checker->info.name);
		separator = ", ";
	}
}

/* Whether a reason is given for the first time. */
static bool is_new(const struct advice *a, size_t verdict)
{
	for (size_t i = 0; i < verdict; i++)
		if (a->verdicts.at[i].reason && !a->verdicts.at[i].findings.n &&
			strcmp(a->verdicts.at[i].reason, a->verdicts.at[verdict].reason) == 0)
			return false;
	return true;
}

static void put_rest(const struct advice *a, struct sink *out)
{
	size_t n_clean = 0;
	const char *start = "not applicable: ";

	for (size_t i = 0; i < a->verdicts.n; i++)
		n_clean += !a->verdicts.at[i].findings.n && !a->verdicts.at[i].skipped;
	sink_char(out, '\n');
	if (n_clean) {
		sink_text(out, "nothing found by: ");
		put_names(a, NULL, out);
		sink_char(out, '\n');
	}
	for (size_t i = 0; i < a->verdicts.n; i++) {
		const struct verdict *v = &a->verdicts.at[i];

		if (!v->reason || v->findings.n || !is_new(a, i))
			continue;
		sink_text(out, start);
		put_names(a, v->reason, out);
		sink_text(out, " (");
		sink_text(out, v->reason);
		sink_char(out, ')');
		start = "; ";
	}
	if (start[0] == ';')
		sink_char(out, '\n');
}

void advice_write_text(const struct advice *a, struct sink *out)
{
	size_t n_empty = 0;

	if (a->as_tensorflow) {
		put_as_tensorflow(a, out);
		return;
	}
	for (size_t i = 0; i < a->verdicts.n; i++) {
		const struct verdict *v = &a->verdicts.at[i];

		n_empty += !v->findings.n;
		if (!v->findings.n && !v->checker->has_heading)
			continue;
		sink_char(out, '\n');
		sink_text(out, v->checker->info.name);
		sink_text(out, ":\n");
		for (size_t k = 0; k < v->findings.n; k++)
			put_finding(v, k, out);
	}
	if (n_empty)
		put_rest(a, out);
}
