/* Problems found, and what to do about them: the findings of the checkers (src/advise/). */
#include "ask/advise.h"

#include "advise/findings.h"
#include "ask/question.h"

static void free_detail(void *detail)
{
	struct advice_detail *d = detail;

	advice_clear(&d->advice);
	mem_free(d);
}

static enum tfprof_status run(struct answer *a, const struct asked *q, struct tfprof_error *err)
{
	struct advice_detail *d = a->detail = mem_zero(sizeof(*d));
	struct advise_views views = {q->get_view, q->profile};
	enum tfprof_status status;

	if (!d)
		return error_no_memory(err);
	d->options = q->options;
	status = advise_run(&d->advice, q->model, d->options, &views, q->cancel, err);
	if (status != TFPROF_OK)
		return status;
	answer_note_lines(a, "advice", &d->advice.notes);
	if (q->options->number[OPT_FAIL_ON] != TFPROF_LEVEL_NONE &&
		advice_level(&d->advice) >= (enum tfprof_level)q->options->number[OPT_FAIL_ON])
		a->verdict = TFPROF_VERDICT_OVER;
	return findings_make(&a->table, &d->advice) ? TFPROF_OK : error_no_memory(err);
}

const struct question advise_question = {
	.name = "advise",
	.summary = "problems found, and what to do about them",
	.description = "Runs all checkers, or those named with --checker, and prints what they "
		       "found.",
	.options_title = "Options for advise, besides output",
	.example = "",
	.state = QUESTION_COMPLETE,
	.not_saved = "the time between operations, which some checkers need",
	.kept_formats = 1u << FORMAT_FILE | 1u << FORMAT_MESSAGE | 1u << FORMAT_JSON,
	.run = run,
	.free_detail = free_detail,
};
