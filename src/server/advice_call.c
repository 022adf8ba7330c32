#include "server/advice_call.h"

#include <string.h>

#include "base/error.h"

bool advice_call_each(const struct call *c, advice_call_fn *fn, void *context)
{
	for (size_t i = 0; i < c->parameters.n; i++) {
		const struct parameter *p = &c->parameters.at[i];
		const char *dot = strchr(p->name, '.');
		char *checker;
		bool ok;

		if (!dot)
			continue;
		checker = span_copy((struct span){p->name, (size_t)(dot - p->name)});
		ok = checker && fn(context, checker, dot + 1, p->value);
		mem_free(checker);
		if (!ok)
			return false;
	}
	return true;
}

struct setter {
	tfprof_advice_options *options;
	enum tfprof_status status;
	struct tfprof_error *err;
};

static bool set_option(void *context, const char *checker, const char *option, const char *value)
{
	struct setter *s = context;

	if (!s->options)
		s->options = tfprof_advice_options_new();
	s->status = s->options ? tfprof_advice_options_set(s->options, "all", NULL, NULL, s->err)
			       : error_no_memory(s->err);
	if (s->status == TFPROF_OK)
		s->status = tfprof_advice_options_set(s->options, checker, option, value, s->err);
	return s->status == TFPROF_OK;
}

enum tfprof_status advice_call_options(const struct call *c, tfprof_advice_options **options,
	struct tfprof_error *err)
{
	struct setter s = {.err = err};

	*options = NULL;
	if (!advice_call_each(c, set_option, &s) && s.status == TFPROF_OK)
		s.status = error_no_memory(err);
	if (s.status == TFPROF_OK)
		*options = s.options;
	else
		tfprof_advice_options_free(s.options);
	return s.status;
}
