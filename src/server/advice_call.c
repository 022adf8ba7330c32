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
	tfprof_options *options;
	bool is_any;
	enum tfprof_status status;
	struct tfprof_error *err;
};

static bool set_option(void *context, const char *checker, const char *option, const char *value)
{
	struct setter *s = context;

	s->is_any = true;
	s->status = tfprof_options_add_checker(s->options, "all", NULL, NULL, s->err);
	if (s->status == TFPROF_OK)
		s->status = tfprof_options_add_checker(s->options, checker, option, value, s->err);
	return s->status == TFPROF_OK;
}

enum tfprof_status advice_call_options(const struct call *c, tfprof_options **options,
	bool *has_settings, struct tfprof_error *err)
{
	struct setter s = {.options = tfprof_options_new(), .err = err};

	*options = NULL;
	*has_settings = false;
	if (!s.options)
		return error_no_memory(err);
	if (!advice_call_each(c, set_option, &s) && s.status == TFPROF_OK)
		s.status = error_no_memory(err);
	*has_settings = s.is_any;
	if (s.status == TFPROF_OK)
		*options = s.options;
	else
		tfprof_options_free(s.options);
	return s.status;
}
